"""One memory in one SQLite file: row, words and vectors change in one transaction."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import repeat
from pathlib import Path
from typing import TYPE_CHECKING, Any

import apsw

from scrubjay.stores import (
    NEWEST,
    Access,
    State,
    conflicts,
    edits,
    embeddings,
    reading,
    sessions,
    steps,
    tasks,
    undoing,
    writing,
)
from scrubjay.stores.documents import SqliteDocuments
from scrubjay.stores.finding import Finding
from scrubjay.stores.ledger import SqliteLedger, count_quarantined
from scrubjay.stores.rows import COLUMNS, from_row
from scrubjay.stores.sqlite.engine import MEMORY, Connections
from scrubjay.stores.sqlite.migrations import migrate
from scrubjay.stores.sqlite.text_index import FullText
from scrubjay.stores.sqlite.vector_cache import VectorCache
from scrubjay.stores.tokens import TokenRows
from scrubjay.stores.trash import SqliteTrash, discard
from scrubjay.stores.upkeep import check, expendable, expired, stats
from scrubjay.stores.uses import Uses
from scrubjay.stores.withheld import WithheldRows
from scrubjay.types import (
    Check,
    Conflict,
    Event,
    Filter,
    History,
    Memory,
    Model,
    Reverted,
    Session,
    Stats,
    Step,
    Task,
    Trust,
)

if TYPE_CHECKING:
    from scrubjay.types.vectors import Matrix

__all__ = ["SqliteStore"]


# Either of them may have been deleted by another process meanwhile.
PENDING = """
    from memories m where m.id < :before
    and not exists (select 1 from pieces p where p.memory = m.id and p.model = :model)
    and (:refused or not exists (select 1 from quarantine q where q.memory = m.id and q.model = :model))
"""


class SqliteStore(Finding):
    def __init__(self, path: str) -> None:
        self._connections = Connections(path)
        try:
            migrate(self._connections)
        except BaseException:
            self._connections.close()
            raise
        self._fulltext = FullText()
        self._cache = VectorCache(None if path == MEMORY else Path(f"{path}.vectors"), self.read_only)
        self._uses = Uses(self._connections)
        self._lookups = [0, 0]  # texts that had been embedded before, and others; counted with the next write
        self.documents = SqliteDocuments(self._connections)
        self.ledger = SqliteLedger(self._connections)
        self.tokens = TokenRows(self._connections)
        self.trash = SqliteTrash(self._connections, self._cache, self._uses)
        self.withheld = WithheldRows(self._connections)
        self.path = path

    @property
    def read_only(self) -> bool:
        return self._connections.read_only

    def put(
        self,
        memories: Sequence[Memory],
        vectors: Sequence[Matrix | None],
        model: Model | None,
        replaces: Sequence[Step] = (),
        given: Sequence[Collection[str]] = (),
    ) -> list[tuple[Memory, bool]]:
        with self._connections.writing() as db:
            model_id = writing.adopt(db, model)
            rows = zip(memories, vectors, given or repeat((), len(memories)), strict=True)
            stored = [writing.put(db, memory, pieces, model_id, names) for memory, pieces, names in rows]
            if replaces:
                steps.replace_all(db, replaces, *stored[0])
            self._flush(db)
        return stored

    def change(
        self,
        id: int,
        spaces: Sequence[str],
        edit: Callable[[Memory], Memory],
        vectors: Matrix | None = None,
        actor: str | None = None,
    ) -> Memory:
        with self._connections.writing() as db:
            before = writing.existing(db, id, spaces)
            after = edit(before)
            undoing.refuse_twins(db, before, after)
            edits.record(db, before, after, actor)
            writing.write_changes(db, before, after)
            if after.kind == "task":
                tasks.begin(db, id)
            if before.digest != after.digest:
                writing.drop_pieces(db, after)
                if vectors is not None:
                    writing.insert_pieces(db, after, vectors, writing.model_id(db, "current"))
            self._uses.flush(db)
        return after

    def link(self, old: int, new: int, spaces: Sequence[str], step: Step) -> Memory:
        with self._connections.writing() as db:
            return steps.take(db, old, new, spaces, step)

    def put_away(self, id: int, spaces: Sequence[str], step: Step) -> Memory:
        with self._connections.writing() as db:
            return steps.put_away(db, id, spaces, step)

    def undo(
        self, id: int, spaces: Sequence[str], at: datetime, actor: str | None, reason: str | None, trust: Trust
    ) -> Reverted:
        with self._connections.writing() as db:
            return undoing.undo(db, id, spaces, undoing.By(at, actor, reason, trust))

    def put_conflicts(self, pairs: Sequence[tuple[int, int, float]], at: datetime) -> None:
        if pairs:
            with self._connections.writing() as db:
                conflicts.put(db, pairs, at)

    def dismiss(self, older: int, newer: int, space: str, at: datetime) -> None:
        with self._connections.writing() as db:
            conflicts.dismiss(db, older, newer, space, at)

    def conflicts(self, space: str, now: datetime) -> list[Conflict]:
        with self._connections.reading() as db:
            return conflicts.find(db, space, now)

    def task(self, id: int, space: str, now: datetime) -> Task:
        with self._connections.reading() as db:
            return tasks.get(db, id, space, now)

    def begin_task(self, id: int, space: str, now: datetime, life: Mapping[str, Any]) -> Task:
        with self._connections.writing() as db:
            tasks.get(db, id, space, now)
            tasks.change(db, id, life)
            return tasks.get(db, id, space, now)

    def change_task(
        self, id: int, space: str, now: datetime, edit: Callable[[Task], Mapping[str, Any]], actor: str | None = None
    ) -> Task:
        with self._connections.writing() as db:
            before = tasks.get(db, id, space, now)
            edits.record_task(db, id, tasks.change(db, id, edit(before)), now, actor)
            return tasks.get(db, id, space, now)

    def tasks(self, space: str, now: datetime, **wanted: Any) -> list[Task]:
        with self._connections.reading() as db:
            return tasks.find(db, space, now, **wanted)

    def begin_session(self, space: str, name: str, project: str | None, client: str | None, at: datetime) -> Session:
        with self._connections.writing() as db:
            sessions.begin(db, space, name, project, client, at)
            sessions.resume(db, space, name)
            return sessions.get(db, space, name)

    def session(self, space: str, name: str) -> Session:
        with self._connections.reading() as db:
            return sessions.get(db, space, name)

    def end_session(self, space: str, name: str, at: datetime, summary: int | None) -> Session:
        with self._connections.writing() as db:
            sessions.end(db, space, name, at, summary)
            return sessions.get(db, space, name)

    def count_tool_calls(self, space: str, name: str, calls: int) -> Session:
        with self._connections.writing() as db:
            values = (calls, space, name)
            db.execute("update sessions set tool_calls = tool_calls + ? where space = ? and name = ?", values)
            return sessions.get(db, space, name)

    def sessions(self, space: str, active: bool | None, limit: int) -> list[Session]:
        with self._connections.reading() as db:
            return sessions.find(db, space, active, limit)

    def told_in(self, space: str, session: str) -> set[int]:
        with self._connections.reading() as db:
            return sessions.told(db, space, session)

    def note_told(self, space: str, session: str, ids: Sequence[int], at: datetime) -> None:
        if not self.read_only:
            with self._connections.writing() as db:
                sessions.note_told(db, space, session, ids, at)

    def events(self, filter: Filter, space: str, limit: int, only_memories: bool) -> list[Event]:
        with self._connections.reading() as db:
            return sessions.events(db, filter, space, limit, only_memories)

    def delete(self, ids: Sequence[int], spaces: Sequence[str], at: datetime) -> None:
        with self._connections.writing() as db:
            for memory in writing.all_existing(db, ids, spaces):
                discard(db, memory, at, "deleted")

    def note(self, accesses: Iterable[Access]) -> None:
        self._uses.note(accesses)

    def get(self, ids: Sequence[int], spaces: Sequence[str], now: datetime) -> dict[int, Memory]:
        with self._connections.reading() as db:
            return writing.get(db, ids, spaces, now)

    def known(self, memories: Sequence[Memory]) -> list[Memory | None]:
        with self._connections.reading() as db:
            return [writing.known(db, memory) for memory in memories]

    def newest(self, filter: Filter, limit: int | None, offset: int = 0) -> list[Memory]:
        with self._connections.reading() as db:
            return reading.newest(db, filter, limit, offset)

    def chain(self, id: int, spaces: Sequence[str]) -> History:
        with self._connections.reading() as db:
            return steps.chain(db, id, spaces)

    def told(self, subject: str, space: str) -> History:
        with self._connections.reading() as db:
            return steps.told(db, subject, space)

    def around(self, id: int, filter: Filter, window: int) -> list[Memory]:
        with self._connections.reading() as db:
            return reading.around(db, writing.existing(db, id, filter.spaces), filter, window)

    def any_superseded(self, space: str) -> bool:
        with self._connections.reading() as db:
            sql = "select 1 from memories where space = ? and superseded_at is not null limit 1"
            return db.execute(sql, (space,)).fetchone() is not None

    def beside(self, turns: Sequence[Memory], now: datetime, window: int = 1) -> dict[int, list[Memory]]:
        with self._connections.reading() as db:
            return {turn.id: reading.beside(db, turn, now, window) for turn in turns}

    def model(self, state: State = "current") -> Model | None:
        with self._connections.reading() as db:
            row = db.execute("select spec, name, dimensions, recipe from models where state = ?", (state,)).fetchone()
        return Model(*row) if row else None

    def build(self, model: Model) -> None:
        if self.model("building") == model:
            return
        with self._connections.writing() as db:
            db.execute("delete from models where state = 'building'")
            writing.insert_model(db, "building", model)

    def pending(self, state: State, before: int, limit: int, refused: bool = False) -> list[Memory]:
        with self._connections.reading() as db:
            model_id = writing.model_id(db, state)
            if state == "building" and not model_id:
                return []  # another process has finished it
            values = {"before": before, "model": model_id, "limit": limit, "refused": refused}
            rows = db.execute(f"select {COLUMNS} {PENDING} order by id desc limit :limit", values)
            return [from_row(row) for row in rows]

    def count_pending(self, state: State, refused: bool = False, space: str | None = None) -> int:
        with self._connections.reading() as db:
            return _count_pending(db, writing.model_id(db, state), space, refused)

    def embedded(self, state: State, digests: Iterable[bytes]) -> dict[bytes, Matrix]:
        wanted = list(digests)
        with self._connections.reading() as db:
            found = embeddings.find(db, writing.model_id(db, state), wanted)
        self._lookups[0] += len(found)
        self._lookups[1] += len(wanted) - len(found)
        return found

    def fill(self, state: State, vectors: Mapping[int, Matrix], model: Model) -> None:
        with self._connections.writing() as db:
            model_id = writing.adopt(db, model) if state == "current" else writing.building(db, model)
            for id, pieces in vectors.items():
                row = db.execute(f"select {COLUMNS} from memories where id = ?", (id,)).fetchone()
                if row and model_id and not writing.has_pieces(db, id, model_id):
                    writing.insert_pieces(db, from_row(row), pieces, model_id, log=state == "current")
            self._flush(db)

    def finish(self, at: datetime, keep_bytes: int) -> bool:
        with self._connections.writing() as db:
            building = writing.model_id(db, "building")
            if not building:
                return True  # another process has done so
            if _count_pending(db, building):
                return False
            if current := writing.model_id(db, "current"):
                embeddings.keep_all(db, current, at, keep_bytes)
            embeddings.release(db, building)
            db.execute("delete from models where state = 'current'")
            db.execute("update models set state = 'current' where state = 'building'")
        return True

    def stats(self, space: str, now: datetime, budget: int = 0) -> Stats:
        self._uses.flush_without_waiting()
        with self._connections.reading() as db:
            figures = stats(db, space, now)
            current = writing.model_id(db, "current")
            pending = _count_pending(db, current, space, refused=True)
            quarantined = count_quarantined(db, current, space)
        model = self.model()
        return replace(
            figures,
            without_vector=pending,
            quarantined=quarantined,
            generation=replace(figures.generation, budget=budget),
            model=model.name if model else None,
            file=self._connections.path,
            file_bytes=self._connections.file_bytes(),
            read_only=self.read_only,
        )

    def expired(self, space: str, now: datetime) -> list[Memory]:
        with self._connections.reading() as db:
            return expired(db, space, now)

    def expendable(self, space: str, now: datetime, limit: int) -> list[Memory]:
        self._uses.flush_without_waiting()
        with self._connections.reading() as db:
            return expendable(db, space, now, limit)

    def remove(self, ids: Sequence[int], at: datetime, reason: str) -> None:
        with self._connections.writing() as db:
            for id in ids:
                row = db.execute(f"select {COLUMNS} from memories where id = ?", (id,)).fetchone()
                if row:
                    discard(db, from_row(row), at, reason)

    def prune(self, at: datetime, days: int, most_bytes: int) -> int:
        with self._connections.writing() as db:
            return embeddings.prune(db, at, days, most_bytes)

    def bytes_used(self) -> int:
        with self._connections.reading() as db:
            pages = int(db.pragma("page_count")) - int(db.pragma("freelist_count"))
            return pages * int(db.pragma("page_size"))

    def check(self, deep: bool, repair: bool, at: datetime) -> Check:
        return check(self._connections, deep, repair, at)

    def files(self) -> list[Path]:
        return [*self._connections.files(), *self._cache.files()]

    def spaces(self) -> list[str]:
        with self._connections.reading() as db:
            return [space for (space,) in db.execute("select distinct space from memories order by space")]

    def kinds(self, spaces: Sequence[str]) -> list[str]:
        with self._connections.reading() as db:
            return [kind for space in spaces for kind in reading.kinds(db, space)]

    def values(self, name: str, spaces: Sequence[str]) -> list[str]:
        with self._connections.reading() as db:
            return reading.values(db, name, spaces)

    def subjects(self, space: str, now: datetime) -> list[str]:
        with self._connections.reading() as db:
            return reading.subjects(db, space, now)

    def _flush(self, db: apsw.Connection) -> None:
        """What was counted meanwhile is written when something is written anyway."""
        (hits, misses), self._lookups = self._lookups, [0, 0]
        embeddings.count(db, hits, misses)
        self._uses.flush(db)

    def close(self) -> None:
        self._uses.flush_without_waiting()
        self._connections.close()


def _count_pending(db: apsw.Connection, model_id: int, space: str | None = None, refused: bool = False) -> int:
    in_space = "" if space is None else "and m.space = :space"
    values = {"before": NEWEST, "model": model_id, "space": space, "refused": refused}
    row = db.execute(f"select count(*) {PENDING} {in_space}", values).fetchone()
    return int(row[0]) if row else 0
