"""Many kills at random moments of adds: slow, so not part of every test run."""

from __future__ import annotations

import random
from pathlib import Path

from tests.support.processes import written_until_killed

import scrubjay

ROUNDS = 60


def test_no_kill_loses_what_was_acknowledged(path: Path) -> None:
    chance = random.Random(11)
    kept: dict[str, list[int]] = {}
    for round in range(ROUNDS):
        kept |= written_until_killed(path, round, chance)
    with scrubjay.open(path) as jay:
        for word, ids in kept.items():
            assert [memory.text.split()[0] for memory in jay.get_many(ids)] == [word] * len(ids)
        assert jay.check(deep=True).problems == []
