"""What somebody gave, as an error may repeat it."""

from __future__ import annotations

from typing import Any

from scrubjay.text.secret_scan.private_tags import without_private
from scrubjay.text.secret_scan.scan import redact

__all__ = ["quoted", "shown"]

SCANNED_CHARACTERS = 20_000
SHOWN_CHARACTERS = 60


def quoted(value: Any) -> str:
    """Brief and without secrets, a text in quotes; redacted before it is cut, so no part of a secret remains."""
    if isinstance(value, str):
        return repr(shown(value))
    try:
        return shown(repr(value))
    except ValueError:  # Python refuses to print a number of thousands of digits
        return "This number"


def shown(text: str) -> str:
    """The same of a text, without quotes."""
    return redact(without_private(text[:SCANNED_CHARACTERS]))[:SHOWN_CHARACTERS]
