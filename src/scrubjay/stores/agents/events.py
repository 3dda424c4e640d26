"""The log of changes as rows. The engine's triggers write it with each change; here it is only read."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from scrubjay.errors import Damaged, Invalid
from scrubjay.stores.columns import REPAIR
from scrubjay.stores.contract import Engine, Rows
from scrubjay.types.history import MemoryChange

__all__ = ["Events"]

# Asked in a snapshot before the one that reads the changes: writers of several spaces may commit in any order.
SETTLED = "select settled()"
LAST = "select seq, token from events where seq <= :settled order by seq desc limit 1"
THERE = "select 1 from events where seq = :seq and token = :token"
AFTER = """
    select seq, token, space, memory, change from events
    where seq > :seq and seq <= :settled and space in (:spaces) order by seq limit :most
"""
ID = re.compile(r"(\d{1,18})-([0-9a-f]{16})")
TOKENS = 2**64
DAMAGED = f"The log of changes cannot be read; {REPAIR}."


class Events:
    """What has changed in a store, whoever has changed it."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def last(self) -> str:
        """The id of the newest change, in any space."""
        settled = self._settled()
        with self._engine.reading() as rows:
            return _last(rows, settled)

    def after(self, id: str, spaces: Sequence[str], most: int) -> tuple[list[MemoryChange], str] | None:
        """The next changes after that one, and the id up to which was looked; None if the log does not have it."""
        seq, token = _place(id)
        settled = self._settled()
        with self._engine.reading() as rows:  # their numbers are those of all spaces
            if not rows.one(THERE, seq=seq, token=token):
                return None
            last = max(_last(rows, settled), id, key=_place)
        with self._engine.reading(spaces) as rows:
            found = rows.all(AFTER, seq=seq, settled=settled, spaces=list(spaces), most=most)
        changes = [_change(*row) for row in found]
        return changes, changes[-1].id if len(changes) == most else last

    def _settled(self) -> int:
        with self._engine.reading() as rows:
            return int(rows.one(SETTLED)[0])


def _last(rows: Rows, settled: int) -> str:
    return _id(*rows.one(LAST, settled=settled) or (0, 0))


def _change(seq: int, token: Any, space: str, memory: Any, change: Any) -> MemoryChange:
    if not isinstance(memory, int):
        raise Damaged(DAMAGED)
    return MemoryChange(_id(seq, token), memory, change, space)


def _id(seq: int, token: Any) -> str:
    if not isinstance(token, int):
        raise Damaged(DAMAGED)
    return f"{seq}-{token % TOKENS:016x}"


def _place(id: str) -> tuple[int, int]:
    found = ID.fullmatch(id) if isinstance(id, str) else None
    if found is None:
        raise Invalid("after is not the id of a change; leave it out to begin with what comes now.")
    token = int(found[2], 16)
    return int(found[1]), token - TOKENS if token >= TOKENS // 2 else token
