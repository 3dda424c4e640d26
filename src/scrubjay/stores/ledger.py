"""What models were handed and refused, what they cost, and how far conversations were gone through."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING

from scrubjay.stores.columns import instant, moment
from scrubjay.stores.contract import Engine, Rows, State
from scrubjay.stores.vectors import model_id

if TYPE_CHECKING:
    from scrubjay.types.models import Job, Quarantined, Spent

__all__ = ["Ledger", "count_quarantined", "quarantine", "spent"]

QUARANTINE = """
    insert into quarantine (memory, model, reason, times, at)
    select m.id, :model, :reason, 1, :at from memories m where m.id = :id
    on conflict (memory, model) do update set reason = excluded.reason, times = quarantine.times + 1, at = excluded.at
"""
QUARANTINED = """
    select q.memory, q.reason, q.times, q.at from quarantine q join memories m on m.id = q.memory
    where q.model = :model and (:space is null or m.space = :space) order by q.memory
"""
COUNT_QUARANTINED = """
    select count(*) from quarantine q cross join memories m on m.id = q.memory
    where q.model = :model and m.space = :space
"""
PUT_JOB = """
    insert into jobs (spec, id, at, failed) values (:spec, :id, :at, :failed)
    on conflict (spec, id) do update set at = excluded.at, failed = excluded.failed
"""
JOBS = "select id, at, failed from jobs where spec = :spec order by at, id"
SPENT = "select coalesce(sum(tokens_in), 0), coalesce(sum(tokens_out), 0) from spending where month = :month"
EXTRACTED_TO = "select position from extractions where space = :space and session = :session"
SPEND = """
    insert into spending (month, model, tokens_in, tokens_out) values (:month, :model, :tokens_in, :tokens_out)
    on conflict (month, model) do update
    set tokens_in = spending.tokens_in + excluded.tokens_in, tokens_out = spending.tokens_out + excluded.tokens_out
"""
EXTRACTED = """
    insert into extractions (space, session, position, extractor, at)
    values (:space, :session, :position, :extractor, :at)
    on conflict (space, session) do update
    set position = case when excluded.position > extractions.position then excluded.position
        else extractions.position end,
        extractor = excluded.extractor, at = excluded.at
"""
UNEXTRACTED = """
    select s.name from sessions s left join extractions e on e.space = s.space and e.session = s.name
    where s.space = :space and exists (
        select 1 from memories m where m.space = s.space and m.session = s.name and m.kind = 'turn'
        and m.superseded_at is null and m.position > coalesce(e.position, -1)
    ) order by s.started_at, s.name
"""


class Ledger:
    """What was handed to models, and what came of it."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def quarantine(self, state: State, refused: Mapping[int, str], at: datetime) -> None:
        """Set memories aside that a model refuses, by id with the reason; refused again, they are counted."""
        if refused:
            with self._engine.writing() as rows:
                quarantine(rows, model_id(rows, state), refused, at)

    def quarantined(self, space: str | None = None) -> list[Quarantined]:
        from scrubjay.types.models import Quarantined

        with self._engine.reading() as rows:
            found = rows.all(QUARANTINED, model=model_id(rows, "current"), space=space)
        return [Quarantined(memory, reason, times, moment(at)) for memory, reason, times, at in found]

    def put_job(self, spec: str, job: Job) -> None:
        """Keep a job of a model, or what became of it."""
        with self._engine.writing(()) as rows:
            rows.run(PUT_JOB, spec=spec, id=job.id, at=instant(job.at), failed=job.failed)

    def jobs(self, spec: str) -> list[Job]:
        from scrubjay.types.models import Job

        with self._engine.reading(()) as rows:
            return [Job(id, moment(at), failed) for id, at, failed in rows.all(JOBS, spec=spec)]

    def end_job(self, spec: str, id: str) -> None:
        with self._engine.writing() as rows:
            rows.run("delete from jobs where spec = :spec and id = :id", spec=spec, id=id)

    def spend(self, month: str, model: str, tokens_in: int, tokens_out: int) -> None:
        with self._engine.writing(()) as rows:
            rows.run(SPEND, month=month, model=model, tokens_in=tokens_in, tokens_out=tokens_out)

    def spent(self, month: str) -> Spent:
        with self._engine.reading(()) as rows:
            return spent(rows, month)

    def mark_extracted(self, space: str, session: str, position: int, extractor: str, at: datetime) -> None:
        """Say that a session has been gone through up to this turn."""
        with self._engine.writing([space]) as rows:
            place = {"space": space, "session": session, "position": position}
            rows.run(EXTRACTED, **place, extractor=extractor, at=instant(at))

    def extracted_to(self, space: str, session: str) -> int:
        """The last turn that was gone through; -1 for none."""
        with self._engine.reading([space]) as rows:
            row = rows.one(EXTRACTED_TO, space=space, session=session)
        return int(row[0]) if row else -1

    def unextracted(self, space: str) -> list[str]:
        """Sessions with turns that were not gone through yet, the oldest first."""
        with self._engine.reading([space]) as rows:
            return [name for (name,) in rows.all(UNEXTRACTED, space=space)]


def quarantine(rows: Rows, model: int, refused: Mapping[int, str], at: datetime) -> None:
    """Set memories aside that a model refuses, by id with the reason; if refused again, they are counted."""
    each = ({"id": id, "model": model, "reason": reason} for id, reason in refused.items() if model)
    rows.run_many(QUARANTINE, ({**one, "at": instant(at)} for one in each))


def spent(rows: Rows, month: str) -> Spent:
    from scrubjay.types.models import Spent

    return Spent(month, *rows.one(SPENT, month=month))


def count_quarantined(rows: Rows, model: int, space: str) -> int:
    (count,) = rows.one(COUNT_QUARANTINED, model=model, space=space)
    return int(count)
