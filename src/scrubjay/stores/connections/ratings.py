"""Ratings of memories: the last one of each rater counts. Nobody of less trust than a memory can lower it."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from scrubjay.stores.columns import instant
from scrubjay.stores.contract import Engine
from scrubjay.stores.rows import existing
from scrubjay.types import TRUST, Memory, Trust

__all__ = ["COLUMNS", "Ratings"]

COLUMNS = ("memory", "rater", "trust", "helpful", "at")
PUT = """
    insert into ratings (memory, rater, trust, helpful, at) values (:memory, :rater, :trust, :helpful, :at)
    on conflict (memory, rater, trust) do update set helpful = excluded.helpful, at = excluded.at
"""
HELPFUL = "select count(*) from ratings where memory = :memory and helpful = 1"
UNHELPFUL = "select count(*) from ratings where memory = :memory and helpful = 0 and trust in (:trusts)"
COUNT = "update memories set helpful_count = :helpful, unhelpful_count = :unhelpful where id = :id"


class Ratings:
    """Whether memories were of use."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def put(self, id: int, space: str, rater: str, helpful: bool, trust: Trust, at: datetime) -> Memory:
        """Keep a rating, and count those that count."""
        with self._engine.writing([space]) as rows:
            memory = existing(rows, id, [space])
            rows.run(PUT, memory=id, rater=rater, trust=trust, helpful=int(helpful), at=instant(at))
            trusts = list(TRUST[TRUST.index(memory.trust) :])
            liked, disliked = rows.one(HELPFUL, memory=id)[0], rows.one(UNHELPFUL, memory=id, trusts=trusts)[0]
            rows.run(COUNT, helpful=liked, unhelpful=disliked, id=id)
        return replace(memory, helpful_count=liked, unhelpful_count=disliked)
