"""Progress where there is no terminal: counts, the rate, and the time that is left."""

from __future__ import annotations

import pytest

from scrubjay.interfaces.cli.shared import progress


def test_a_line_tells_counts_rate_and_time_left(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = iter((0.0, 20.0, 40.0))
    monkeypatch.setattr(progress, "monotonic", lambda: next(now))
    with progress.progress_bar("Embedding", "text", quiet=False) as show:
        for done in (0, 500, 1_000):
            show(done, 9_000)
    assert capsys.readouterr().err.splitlines() == [
        "Embedding: 0 of 9,000 texts.",
        "Embedding: 500 of 9,000 texts, 25.0 a second, about 6 minutes left.",
        "Embedding: 1,000 of 9,000 texts, 25.0 a second, about 5 minutes left.",
    ]
