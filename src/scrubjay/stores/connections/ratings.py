"""Ratings of memories: the last one of each rater counts. Nobody of less trust than a memory can lower it."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from scrubjay.stores.columns import instant
from scrubjay.stores.contract import Engine, Rows
from scrubjay.stores.deletions.tombstones import own_mark
from scrubjay.stores.rows import existing
from scrubjay.types import TRUST, Memory, Trust

__all__ = ["COLUMNS", "Ratings", "forget_rater", "forgotten_rater", "session_rater"]

COLUMNS = ("memory", "rater", "trust", "helpful", "at")
PUT = """
    insert into ratings (memory, rater, trust, helpful, at) values (:memory, :rater, :trust, :helpful, :at)
    on conflict (memory, rater, trust) do update set helpful = excluded.helpful, at = excluded.at
"""
HELPFUL = "select count(*) from ratings where memory = :memory and helpful = 1"
UNHELPFUL = "select count(*) from ratings where memory = :memory and helpful = 0 and trust in (:trusts)"
AGAIN = "delete from ratings where memory = :memory and rater = :mark and trust = :trust"
HIDE = """
    update ratings set rater = :mark
    where rater = :rater and memory in (select id from memories where space = :space)
"""
COUNT = "update memories set helpful_count = :helpful, unhelpful_count = :unhelpful where id = :id"


class Ratings:
    """Whether memories were of use."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def put(self, id: int, space: str, rater: str, helpful: bool, trust: Trust, at: datetime) -> Memory:
        """Keep a rating, and count those that count."""
        with self._engine.writing([space]) as rows:
            memory = existing(rows, id, [space])
            mark = forgotten_rater(rows, rater)
            rows.run(AGAIN, memory=id, mark=mark, trust=trust)
            rows.run(PUT, memory=id, rater=rater, trust=trust, helpful=int(helpful), at=instant(at))
            trusts = list(TRUST[TRUST.index(memory.trust) :])
            liked, disliked = rows.one(HELPFUL, memory=id)[0], rows.one(UNHELPFUL, memory=id, trusts=trusts)[0]
            rows.run(COUNT, helpful=liked, unhelpful=disliked, id=id)
        return replace(memory, helpful_count=liked, unhelpful_count=disliked)


def forget_rater(rows: Rows, space: str, rater: str) -> None:
    """Keep what was rated, but not who rated it."""
    rows.run(HIDE, space=space, rater=rater, mark=forgotten_rater(rows, rater))


def forgotten_rater(rows: Rows, rater: str) -> str:
    """A keyed hash, which stands for a rater whose name is forgotten."""
    return own_mark(rows, rater).hex()


def session_rater(session: str) -> str:
    return f"session:{session}"
