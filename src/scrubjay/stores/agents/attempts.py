"""Wrong tokens of the last minute, by where they came from: counted for all processes that serve a store."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime

from scrubjay.errors import StoreError
from scrubjay.stores.columns import instant, moment
from scrubjay.stores.contract import Engine

__all__ = ["Attempts"]

KEPT = 10_000
RECENT = "select at from attempts where origin = :origin and at > :since order by at desc, id desc limit :most"
FORGET = "delete from attempts where at <= :since or id <= (select max(id) from attempts) - :kept"


class Attempts:
    """Attempts to come in that failed."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def recent(self, origin: bytes, since: datetime, most: int) -> list[datetime]:
        """When the last ones were, the newest first."""
        with self._engine.reading(()) as rows:
            return [moment(at) for (at,) in rows.all(RECENT, origin=origin, since=instant(since), most=most)]

    def add(self, origins: Sequence[bytes], at: datetime, since: datetime) -> None:
        """Count one, if nobody has to wait for that, and forget those of before."""
        with suppress(StoreError), self._engine.writing((), wait=False) as rows:
            rows.run(FORGET, since=instant(since), kept=KEPT)
            rows.run_many(
                "insert into attempts (origin, at) values (:origin, :at)",
                ({"origin": origin, "at": instant(at)} for origin in origins),
            )
