"""How much there is by time, counted in indexes: what pictures are drawn of."""

from __future__ import annotations

from datetime import datetime

from scrubjay.stores.columns import instant, moment
from scrubjay.stores.contract import Engine

__all__ = ["Figures"]

BY_HOUR = """
    select substr(happened_at, 1, 13), count(*) from memories
    where space = :space and happened_at >= :since and happened_at < :until group by 1 order by 1
"""
BY_MONTH = "select substr(happened_at, 1, 7), count(*) from memories where space = :space group by 1 order by 1"
USED = "select count(*) from memories where space = :space and used_count > 0"


class Figures:
    """Counts of one store."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def by_hour(self, space: str, since: datetime, until: datetime) -> dict[datetime, int]:
        """How many memories are of each hour; hours, because a day begins at another hour in each place."""
        with self._engine.reading((space,)) as rows:
            found = rows.all(BY_HOUR, space=space, since=instant(since), until=instant(until))
        return {moment(f"{hour}:00:00.000000Z"): int(count) for hour, count in found}

    def by_month(self, space: str) -> dict[str, int]:
        """How many memories are of each month, the first first."""
        with self._engine.reading((space,)) as rows:
            return {str(month): int(count) for month, count in rows.all(BY_MONTH, space=space)}

    def used(self, space: str) -> int:
        """How many memories were ever of use."""
        with self._engine.reading((space,)) as rows:
            row = rows.one(USED, space=space)
        return int(row[0]) if row else 0
