"""What is shown of texts that others wrote."""

from __future__ import annotations

import pytest

from scrubjay.text.safe_text import without_password


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("postgresql://ann:hunter22@host/notes", "postgresql://ann:***@host/notes"),
        ("postgresql://ann:hunt/er@22@host/notes?user=a@b", "postgresql://ann:***@host/notes?user=a@b"),
        ("postgresql://ann:hunt?er22@host/notes", "postgresql://ann:***@host/notes"),
        ("host=a password='hunter 22' user=ann", "host=a password=*** user=ann"),
        ("http://host:8377/a and postgresql://ann:hunter22@host", "http://host:8377/a and postgresql://ann:***@host"),
        ("//password=hunter22:", "//password=***"),
        ("http://localhost:8377/api and nothing else", "http://localhost:8377/api and nothing else"),
    ],
)
def test_a_password_is_shown_in_no_address(text: str, shown: str) -> None:
    assert without_password(text) == shown
