"""What models were handed and refused, what they cost, and how far conversations were gone through."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import apsw

from scrubjay.stores import writing
from scrubjay.stores.columns import instant, moment
from scrubjay.stores.contract import State
from scrubjay.stores.sqlite.engine import Connections
from scrubjay.types.models import Job, Quarantined, Spent

__all__ = ["Ledger", "count_quarantined", "spent"]

QUARANTINE = """
    insert into quarantine (memory, model, reason, times, at)
    select m.id, ?2, ?3, 1, ?4 from memories m where m.id = ?1
    on conflict (memory, model) do update set reason = excluded.reason, times = times + 1, at = excluded.at
"""
QUARANTINED = """
    select q.memory, q.reason, q.times, q.at from quarantine q join memories m on m.id = q.memory
    where q.model = :model and (:space is null or m.space = :space) order by q.memory
"""
SPEND = """
    insert into spending (month, model, tokens_in, tokens_out) values (?, ?, ?, ?)
    on conflict (month, model) do update
    set tokens_in = tokens_in + excluded.tokens_in, tokens_out = tokens_out + excluded.tokens_out
"""
EXTRACTED = """
    insert into extractions (space, session, position, extractor, at) values (?, ?, ?, ?, ?)
    on conflict (space, session) do update
    set position = max(position, excluded.position), extractor = excluded.extractor, at = excluded.at
"""
UNEXTRACTED = """
    select s.name from sessions s left join extractions e on e.space = s.space and e.session = s.name
    where s.space = ? and exists (
        select 1 from memories m where m.space = s.space and m.session = s.name and m.kind = 'turn'
        and m.superseded_at is null and m.position > coalesce(e.position, -1)
    ) order by s.started_at, s.name
"""


class Ledger:
    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    def quarantine(self, state: State, refused: Mapping[int, str], at: datetime) -> None:
        if refused:
            with self._connections.writing() as db:
                model = writing.model_id(db, state)
                rows = [(id, model, reason, instant(at)) for id, reason in refused.items()]
                db.executemany(QUARANTINE, rows if model else [])

    def quarantined(self, space: str | None = None) -> list[Quarantined]:
        with self._connections.reading() as db:
            values = {"model": writing.model_id(db, "current"), "space": space}
            rows: list[Any] = db.execute(QUARANTINED, values).fetchall()
        return [Quarantined(memory, reason, times, moment(at)) for memory, reason, times, at in rows]

    def put_job(self, spec: str, job: Job) -> None:
        with self._connections.writing() as db:
            sql = "insert or replace into jobs (spec, id, at, failed) values (?, ?, ?, ?)"
            db.execute(sql, (spec, job.id, instant(job.at), job.failed))

    def jobs(self, spec: str) -> list[Job]:
        with self._connections.reading() as db:
            rows: list[Any] = db.execute(
                "select id, at, failed from jobs where spec = ? order by at, id", (spec,)
            ).fetchall()
        return [Job(id, moment(at), failed) for id, at, failed in rows]

    def end_job(self, spec: str, id: str) -> None:
        with self._connections.writing() as db:
            db.execute("delete from jobs where spec = ? and id = ?", (spec, id))

    def spend(self, month: str, model: str, tokens_in: int, tokens_out: int) -> None:
        with self._connections.writing() as db:
            db.execute(SPEND, (month, model, tokens_in, tokens_out))

    def spent(self, month: str) -> Spent:
        with self._connections.reading() as db:
            return spent(db, month)

    def mark_extracted(self, space: str, session: str, position: int, extractor: str, at: datetime) -> None:
        with self._connections.writing() as db:
            db.execute(EXTRACTED, (space, session, position, extractor, instant(at)))

    def extracted_to(self, space: str, session: str) -> int:
        with self._connections.reading() as db:
            sql = "select position from extractions where space = ? and session = ?"
            row: Any = db.execute(sql, (space, session)).fetchone()
        return int(row[0]) if row else -1

    def unextracted(self, space: str) -> list[str]:
        with self._connections.reading() as db:
            rows: list[Any] = db.execute(UNEXTRACTED, (space,)).fetchall()
        return [name for (name,) in rows]


def spent(db: apsw.Connection, month: str) -> Spent:
    sql = "select coalesce(sum(tokens_in), 0), coalesce(sum(tokens_out), 0) from spending where month = ?"
    row: Any = db.execute(sql, (month,)).fetchone()
    return Spent(month, *row)


def count_quarantined(db: apsw.Connection, model: int, space: str | None = None) -> int:
    in_space = "" if space is None else "and m.space = :space"
    sql = f"select count(*) from quarantine q join memories m on m.id = q.memory where q.model = :model {in_space}"
    values = {"model": model} if space is None else {"model": model, "space": space}
    row: Any = db.execute(sql, values).fetchone()
    return int(row[0])
