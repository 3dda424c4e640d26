"""Questions that name a time: only texts whose own time may matter are read, since that takes long."""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

import scrubjay
from scrubjay import Scrubjay
from scrubjay.dates.questions import Span
from scrubjay.search import time

NOW = datetime(2026, 5, 20, 12, tzinfo=UTC)
NAMED = ("", " in March 2026", " on 3 April 2026", " yesterday", " last week")
QUESTIONS = ("which crate of copper came in April 2026?", "the gold of last month", "what came in on 3 April 2026?")


@pytest.fixture
def jay() -> Iterator[Scrubjay]:
    chance = random.Random(4)
    with scrubjay.open(":memory:", embedder="hashing", clock=lambda: NOW) as jay:
        jay.add_many(
            [
                {
                    "text": f"Crate {number} of {chance.choice(('copper', 'gold', 'zinc'))} came{chance.choice(NAMED)}",
                    "happened_at": NOW - timedelta(days=chance.randrange(120)),
                }
                for number in range(90)
            ]
        )
        yield jay


def told(jay: Scrubjay, question: str) -> list[tuple[int, float]]:
    return [(hit.memory.id, hit.score) for hit in jay.search(question, limit=5)]


@pytest.mark.parametrize("question", QUESTIONS)
def test_to_leave_texts_unread_changes_no_result(jay: Scrubjay, monkeypatch: pytest.MonkeyPatch, question: str) -> None:
    found = told(jay, question)
    monkeypatch.setattr(time, "_may_gain", lambda query, why, found, weigh: list(why))
    assert told(jay, question) == found != []


def test_the_text_of_what_is_of_that_time_anyway_is_not_read(jay: Scrubjay, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    time_in = time._time_in

    def noted(text: str, at: datetime) -> tuple[Span, ...]:
        read.append(text)
        return time_in(text, at)

    monkeypatch.setattr(time, "_time_in", noted)
    of_that_day = jay.add("Crate 3 of copper came by ship", happened_at=datetime(2026, 4, 3, 12, tzinfo=UTC)).memory
    hits = jay.search("which crate of copper came on 3 April 2026?", limit=30)
    assert of_that_day.text in [hit.memory.text for hit in hits]
    assert read and of_that_day.text not in read
