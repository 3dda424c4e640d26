"""The stores that are recorded: a part of each public set, the repository's own set, and one as a user has it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import takewhile
from pathlib import Path
from random import Random
from unittest.mock import patch

import scrubjay
from bench import sets
from bench.quality.filling import fill
from bench.quality.ours import OURS, read_ours
from bench.same.asking import Call
from bench.same.questions import Asked, calls, plain_calls
from bench.same.user_store import OLD, SUBJECTS, make_old
from bench.sets import Document, Question, RetrievalSet, read_set

__all__ = ["NAMES", "Made", "make"]

NAMES = (OLD, OURS, *sets.NAMES, "knowme_d1")
TEXTS = {"locomo": 2_000, "beam_100K": 400, "scifact": 400, "knowme_d1": 1_000}  # long texts take long to embed
WHOLLY = 2  # scopes of a set that all calls are made of; of the others, plain searches
QUESTIONS = 60  # of each set, asked in every mode
NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)  # of a set without dates
DAY = timedelta(days=1)
CORRECTED_CHARACTERS = 200
REDACTING = {"SCRUBJAY_GUARD_SECRETS": "redact"}  # a text that seems to hold a secret must not end the recording


@dataclass(frozen=True, slots=True)
class Made:
    """A store, the time at which it is asked, and what it is asked."""

    store: Path
    now: datetime
    calls: Sequence[Call]


@dataclass(slots=True)
class Clock:
    at: datetime

    def __call__(self) -> datetime:
        return self.at


def make(name: str, folder: Path) -> Made | None:
    """Fill the store of that name in a folder; None if its data is not there."""
    store = folder / f"{name}.db"
    store.unlink(missing_ok=True)
    if name == OLD:
        return Made(store, *make_old(store))
    if name != OURS and not (sets.FOLDER / name).is_dir():
        return None
    given = _part(read_ours() if name == OURS else read_set(name))
    now = given.now or _latest(given)
    asked = [_filled(given, scope, store, now) for scope in given.documents]
    if len(asked) > 1:
        others = [one.space for one in asked[1:] + asked[:1]]
        asked = [replace(one, other_space=other) for one, other in zip(asked, others, strict=True)]
    made = [call for one in asked[:WHOLLY] for call in calls(one)]
    return Made(store, now, made + [call for one in asked[WHOLLY:] for call in plain_calls(one)])


def _part(given: RetrievalSet) -> RetrievalSet:
    """A seeded sample of questions, and as many texts as the set may have, those that answer first."""
    random, most = Random(given.name), TEXTS.get(given.name, 10_000)
    scopes = list(given.documents)
    if len(scopes) > 1:
        counts = [sum(len(given.documents[one]) for one in scopes[: place + 1]) for place in range(len(scopes))]
        scopes = scopes[: 1 + len(list(takewhile(lambda count: count < most, counts)))]
    share = max(1, QUESTIONS // len(scopes))
    questions = {scope: _sample(given.questions[scope], share, random) for scope in scopes}
    documents = {scope: _some(given.documents[scope], questions[scope], most, random) for scope in scopes}
    return replace(given, documents=documents, questions=questions)


def _sample(questions: Sequence[Question], count: int, random: Random) -> list[Question]:
    return random.sample(list(questions), min(count, len(questions)))


def _some(documents: Sequence[Document], questions: Sequence[Question], most: int, random: Random) -> list[Document]:
    """Whole conversations; of documents at most that many, in their own order."""
    if any(one.session for one in documents) or len(documents) <= most:
        return list(documents)
    answers = {id for question in questions for id in question.relevant}
    first = random.sample(documents, len(documents))
    kept = {one.id for one in sorted(first, key=lambda one: one.id not in answers)[:most]}
    return [one for one in documents if one.id in kept]


def _latest(given: RetrievalSet) -> datetime:
    dates = [one.date for own in given.documents.values() for one in own if one.date]
    return max(dates) + 3 * DAY if dates else NOW


def _filled(given: RetrievalSet, scope: str, store: Path, now: datetime) -> Asked:
    """Remember a scope's documents, then let time pass and change some of them."""
    documents, clock = given.documents[scope], Clock(now - 30 * DAY)
    with patch.dict(os.environ, REDACTING), scrubjay.open(store, space=scope, embedder="local", clock=clock) as jay:
        ids = list(fill(jay, documents))
        clock.at = now - 10 * DAY
        _change(jay, ids, Random(scope))
    dates = sorted(one.date or now - 30 * DAY for one in documents)
    return Asked(
        space=scope,
        now=now,
        texts=[question.text for question in given.questions[scope]],
        ids=Random(scope).sample(ids, min(len(ids), 12)),
        earlier=dates[len(dates) // 3],
        later=dates[2 * len(dates) // 3],
        sessions=sorted({one.session for one in documents if one.session}),
        speakers=sorted({one.speaker for one in documents if one.speaker}),
        subjects=SUBJECTS,
    )


def _change(jay: scrubjay.Scrubjay, ids: Sequence[int], random: Random) -> None:
    """Give some memories what filters ask for; correct, confirm, use and delete a few."""
    for id in random.sample(ids, len(ids) // 4):
        jay.update(
            id,
            tags=random.sample(("red", "blue", "green"), random.randint(1, 2)),
            metadata={"size": random.randint(0, 10), "team": random.choice(("north", "south"))},
            importance=random.randint(1, 10),
            confidence=random.choice((0.5, 0.75, 0.9, 1.0)),
            subject=random.choice(SUBJECTS),
            project=random.choice((None, "atlas")),
        )
    some = random.sample(ids, min(len(ids), 40))
    for memory in jay.get_many(some[:10]):
        jay.supersede(memory.id, f"Corrected: {memory.text[:CORRECTED_CHARACTERS]}", reason="it was not so")
    for memory in jay.get_many(some[10:20]):
        jay.confirm(memory.id)
        jay.add(f"{memory.text[:CORRECTED_CHARACTERS]}!", kind="fact")  # says nearly the same
    jay.get_many(some[20:35])
    jay.delete(*some[35:])
