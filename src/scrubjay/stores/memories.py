"""Memories: stored, known again, changed, and read by id or by filter."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import chain
from typing import TYPE_CHECKING

from scrubjay.errors import ConnectionLost
from scrubjay.stores import records, vectors
from scrubjay.stores.agents import tasks
from scrubjay.stores.agents.uses import Uses
from scrubjay.stores.columns import COLUMNS, from_row, instant
from scrubjay.stores.contract import NEWEST, BeforeAdd, Engine, NewMemory, Rows, Stored
from scrubjay.stores.filters import INDEXED_IMPORTANCE, where
from scrubjay.stores.ledger import quarantine
from scrubjay.stores.merging import merged, needs_vectors
from scrubjay.stores.revisions import edits, steps
from scrubjay.stores.revisions.conflicts import put_conflicts
from scrubjay.stores.rows import existing, get, insert, known, refuse_twins, write_changes
from scrubjay.stores.vectors import Vectors
from scrubjay.types import Filter, Memory, Model, limits

if TYPE_CHECKING:
    from scrubjay.types.history import Step
    from scrubjay.types.vectors import Matrix

__all__ = ["Memories", "beside", "kinds", "newest", "newest_ids", "put"]

LIST = f"select {COLUMNS} from memories m where {{where}} order by id desc limit :limit offset :offset"
IDS = "select m.id from memories m where {where} order by m.id desc limit :limit"
OF_UID = f"select {COLUMNS} from memories where space = :space and uid = :uid"
OF_IDS = f"select {COLUMNS} from memories where id in (:ids) order by id desc"
BEFORE = f"""
    select {COLUMNS} from memories m where {{where}} and (m.happened_at, m.id) < (:at, :id)
    order by m.happened_at desc, m.id desc limit :window
"""
AFTER = f"""
    select {COLUMNS} from memories m where {{where}} and (m.happened_at, m.id) > (:at, :id)
    order by m.happened_at, m.id limit :window
"""
BESIDE = f"""
    select {COLUMNS} from memories where space = :space and session = :session and position between :first and :last
    and kind = 'turn' and id <> :id and (expires_at is null or expires_at > :now) order by position, id
"""
THERE = """
    superseded_at is null and (expires_at is null or expires_at > :now)
    and not exists (select 1 from secrets x where x.memory = m.id)
"""
CITING = f"select {COLUMNS} from memories m where space = :space and cites <> '[]' and {THERE} order by id"
WITH_PATHS = f"select {COLUMNS} from memories m where space = :space and paths <> '[]' and {THERE}"
OF_FILES = f"{WITH_PATHS} union select {COLUMNS} from memories m where space = :space and cites <> '[]' and {THERE}"
# From one kind to the next, without looking at the memories between.
KINDS = """
    with recursive found (kind) as (
        select min(kind) from memories where space = :space
        union all
        select (select min(kind) from memories where space = :space and kind > found.kind)
        from found where found.kind is not null
    )
    select kind from found where kind is not null
"""
COUNTS = """
    select m.{name}, count(*) from memories m where {where} and m.{name} is not null
    group by 1 order by 2 desc, 1 limit 1000
"""
TAG_COUNTS = """
    select t.value, count(*) from memories m, each(m.tags) t where {where} group by 1 order by 2 desc, 1 limit 1000
"""
COUNTED = frozenset({"space", "kind", "subject", "project", "tag"})
NAMED = frozenset({"space", "kind", "subject", "project", "session", "speaker", "source", "document", "tag"})
VALUES = """
    select m.{name} as value from memories m where m.{name} is not null and m.space in (:spaces)
    group by 1 order by count(*) desc, 1 limit 2000
"""
TAGS = """
    select t.value from memories m, each(m.tags) t where m.space in (:spaces)
    group by 1 order by count(*) desc, 1 limit 2000
"""


class Memories:
    """The memories of every space. Each call that writes is one transaction."""

    def __init__(self, engine: Engine, uses: Uses, vectors: Vectors) -> None:
        self._engine = engine
        self._uses = uses
        self._vectors = vectors

    def put(
        self,
        memories: Sequence[NewMemory],
        model: Model | None,
        then: Callable[[list[Stored]], object] | None = None,
        again: bool = False,
    ) -> list[Stored]:
        """Store memories, with vectors of that model and all that follows from each, in one transaction.

        One already known comes back with what was given again. What `then` writes is stored with them. When it is
        called `again`, because it is not known whether the first call has stored them, nothing is stored twice.
        """
        spaces = {new.memory.space for new in memories}
        with self._engine.writing(spaces) as rows:
            if again and (done := _stored_before(rows, memories)):
                return done
            of_model = vectors.adopt(rows, model)
            stored = [_put_whole(rows, new, of_model) for new in memories]
            if then is not None:
                then(stored)
            self._vectors.flush(rows)
            self._uses.flush(rows, spaces)
        return stored

    def before_add(self, memories: Sequence[Memory], with_vectors: bool) -> BeforeAdd:
        """The store's model, which of these memories are known, and the vectors of texts that were embedded before."""
        with self._engine.reading({memory.space for memory in memories}) as rows:
            found = [known(rows, memory) for memory in memories]
            wanted = [again for again, before in zip(memories, found, strict=True) if needs_vectors(before, again)]
            digests = {memory.digest for memory in wanted} if with_vectors else set()
            id, model = vectors.model_of(rows, "current")
            return BeforeAdd(model, found, self._vectors.find(rows, digests, id))

    def change(
        self,
        id: int,
        spaces: Sequence[str],
        edit: Callable[[Memory], Memory],
        vectors: Matrix | None = None,
        actor: str | None = None,
    ) -> Memory:
        """Change what is not text of one memory; where that changes what is embedded, these are its vectors."""
        with self._engine.writing(spaces) as rows:
            before = existing(rows, id, spaces)
            after = edit(before)
            records.refuse_edit(rows, before, after)
            refuse_twins(rows, before, after)
            edits.record(rows, before, after, actor)
            write_changes(rows, before, after)
            if after.kind == "task":
                tasks.begin(rows, id)
            if before.digest != after.digest:
                _exchange_vectors(rows, after, vectors)
            self._uses.flush(rows, spaces)
        return after

    def get(self, ids: Sequence[int], spaces: Sequence[str], now: datetime) -> dict[int, Memory]:
        """Those of the ids that there are in these spaces and have not expired."""
        with self._engine.reading(spaces) as rows:
            return get(rows, ids, spaces, now)

    def known(self, memories: Sequence[Memory]) -> list[Memory | None]:
        """For each, the current memory that already says the same."""
        with self._engine.reading({memory.space for memory in memories}) as rows:
            return [known(rows, memory) for memory in memories]

    def newest(self, filter: Filter, limit: int | None, offset: int = 0) -> list[Memory]:
        """The newest first."""
        with self._engine.reading(filter.spaces) as rows:
            return newest(rows, filter, limit, offset)

    def around(self, id: int, filter: Filter, window: int) -> list[Memory]:
        """The memories just before and after one, in time, with itself."""
        condition, values = where(filter)
        with self._engine.reading(filter.spaces) as rows:
            anchor = existing(rows, id, filter.spaces)
            values |= {"at": instant(anchor.happened_at), "id": id, "window": window}
            before = _memories(rows.all(BEFORE.format(where=condition), **values))
            after = _memories(rows.all(AFTER.format(where=condition), **values))
        return [*reversed(before), anchor, *after]

    def beside(self, turns: Sequence[Memory], now: datetime, window: int = 1) -> dict[int, list[Memory]]:
        """The turns said just before and after each of these."""
        with self._engine.reading({turn.space for turn in turns}) as rows:
            return {turn.id: beside(rows, turn, now, window) for turn in turns}

    def citing(self, space: str, now: datetime) -> list[Memory]:
        """The current memories of a space that cite something."""
        with self._engine.reading([space]) as rows:
            return _memories(rows.all(CITING, space=space, now=instant(now)))

    def of_files(self, space: str, now: datetime) -> list[Memory]:
        """The current memories of a space that name files: by a pattern, or by citing them."""
        with self._engine.reading([space]) as rows:
            return _memories(rows.all(OF_FILES, space=space, now=instant(now)))

    def spaces(self) -> list[str]:
        with self._engine.reading() as rows:
            return _values(rows, "space", ())

    def kinds(self, spaces: Sequence[str]) -> list[str]:
        with self._engine.reading(spaces) as rows:
            return _values(rows, "kind", spaces)

    def values(self, names: Collection[str], spaces: Sequence[str]) -> dict[str, list[str]]:
        """By name (one of `NAMED`), the values that memories of these spaces have, frequent ones first.

        For the name `space`, all spaces of the store.
        """
        assert NAMED.issuperset(names)
        with self._engine.reading(None if "space" in names else spaces) as rows:
            return {name: _values(rows, name, spaces) for name in names}

    def counts(self, name: str, filter: Filter) -> dict[str, int]:
        """Which spaces, kinds, subjects, projects or tags memories have, and how many have each, the most first."""
        assert name in COUNTED
        condition, values = where(filter)
        sql = TAG_COUNTS if name == "tag" else COUNTS
        with self._engine.reading(filter.spaces) as rows:
            return {
                str(value): int(count) for value, count in rows.all(sql.format(name=name, where=condition), **values)
            }


def put(
    rows: Rows,
    memory: Memory,
    pieces: Matrix | None,
    model: int,
    given: Collection[str] = (),
    olds: Collection[Step] = (),
) -> tuple[Memory, bool]:
    """Store one memory, or add what is new to the one that already says the same, which `olds` are to lead to."""
    before = known(rows, memory)
    if before is not None:
        takes_place = any(step.old != before.id for step in olds)
        return _merge(rows, before, memory, pieces, model, given, takes_place), False
    stored = insert(rows, memory)
    if pieces is not None:
        vectors.attach(rows, stored, pieces, model)
    return stored, True


def _stored_before(rows: Rows, memories: Sequence[NewMemory]) -> list[Stored]:
    """What the same call has stored: all of it, or nothing, which one new memory tells."""
    found = {memory.uid: memory for new in memories for memory in _of_uid(rows, new.memory)}
    return [_as_stored(rows, new, found.get(new.memory.uid)) for new in memories] if found else []


def _of_uid(rows: Rows, memory: Memory) -> list[Memory]:
    return _memories(rows.all(OF_UID, space=memory.space, uid=memory.uid))


def _as_stored(rows: Rows, new: NewMemory, memory: Memory | None) -> Stored:
    if memory is None:
        if (said_before := known(rows, new.memory)) is None:
            raise ConnectionLost(may_be_done=True)  # somebody has changed it since
        return Stored(said_before, created=False)
    old = existing(rows, new.supersedes.old, [memory.space]) if new.supersedes else None
    retired = existing(rows, new.retires.old, [memory.space]) if new.retires else None
    replaced = old if old and old.superseded_by == memory.id else None
    return Stored(memory, True, replaced, None, retired is not None and retired.superseded_by == memory.id)


def _put_whole(rows: Rows, new: NewMemory, model: int) -> Stored:
    memory, created = _put_version(rows, new, model) if new.version else _put_text(rows, new, model)
    if created and new.refused is not None:
        quarantine(rows, model, {memory.id: new.refused}, memory.created_at)
    retired = created and _settle(rows, memory, new.retires, new.conflicts)
    old, problem = steps.try_to_take(rows, new.supersedes, memory) if new.supersedes else (None, None)
    return Stored(memory, created, old, problem, retired)


def _put_text(rows: Rows, new: NewMemory, model: int) -> tuple[Memory, bool]:
    olds = [*new.replaces, *filter(None, (new.supersedes,))]
    memory, created = put(rows, new.memory, new.vectors, model, new.given, olds)
    if new.replaces:
        steps.replace_all(rows, new.replaces, memory, created)
    return memory, created


def _put_version(rows: Rows, new: NewMemory, model: int) -> tuple[Memory, bool]:
    """Store a version of a record. Where it says the same as the one before, one memory tells both."""
    assert new.version is not None
    records.refuse_outdated(rows, new.version)
    memory, created = put(rows, new.memory, new.vectors, model, new.given, new.replaces)
    records.attach(rows, memory, new.version)
    if olds := [step for step in new.replaces if step.old != memory.id]:
        steps.replace_all(rows, olds, memory, created)
    records.refuse_same_keys(rows, [memory], new.version.at)
    return memory, created


def _settle(rows: Rows, memory: Memory, retires: Step | None, conflicts: Mapping[int, float]) -> bool:
    """Let a new memory retire another, if that is still current; keep its conflicts with the others."""
    old, _ = steps.try_to_take(rows, retires, memory) if retires else (None, None)
    if others := [(id, memory.id, score) for id, score in conflicts.items() if old is None or id != old.id]:
        put_conflicts(rows, others, memory.created_at)
    return old is not None


def _merge(
    rows: Rows,
    before: Memory,
    again: Memory,
    pieces: Matrix | None,
    model: int,
    given: Collection[str],
    takes_place: bool,
) -> Memory:
    after = merged(before, again, given)
    if again.tags:
        limits.check_tags(after.tags)
    if again.aliases:
        limits.check_aliases(after.aliases)
    if again.cites:
        limits.check_cites(after.cites)
    if again.paths:
        limits.check_paths(after.paths)
    if again.metadata:
        limits.check_metadata(after.metadata)
    # Who says it again vouches for it; but what it gains by taking the place of another, a revert takes back.
    edits.record(rows, before if takes_place else replace(before, trust=after.trust), after, again.actor)
    write_changes(rows, before, after)
    if before.digest != after.digest:
        rows.vectors.drop(after)
    titled_alike = again.given_title == after.given_title
    if pieces is not None and titled_alike and not vectors.has_vectors(rows, before.id, model):
        vectors.attach(rows, after, pieces, model)
    return after


def _exchange_vectors(rows: Rows, memory: Memory, pieces: Matrix | None) -> None:
    rows.vectors.drop(memory)
    if pieces is not None:
        vectors.attach(rows, memory, pieces, vectors.model_id(rows, "current"))


def newest(rows: Rows, filter: Filter, limit: int | None, offset: int = 0) -> list[Memory]:
    kinds = _kinds_to_read(rows, filter) if limit is not None else ()
    if limit is not None and len(kinds) > 1:
        # The newest of one kind are at the end of an index; those of several would all have to be read and sorted.
        each = (newest_ids(rows, replace(filter, kinds=(kind,)), offset + limit) for kind in kinds)
        ids = sorted(chain.from_iterable(each), reverse=True)
        return _memories(rows.all(OF_IDS, ids=ids[offset : offset + limit]))
    condition, values = where(filter)
    most = NEWEST if limit is None else limit
    return _memories(rows.all(LIST.format(where=condition), **values, limit=most, offset=offset))


def newest_ids(rows: Rows, filter: Filter, limit: int) -> list[int]:
    condition, values = where(filter)
    return [id for (id,) in rows.all(IDS.format(where=condition), **values, limit=limit)]


def _kinds_to_read(rows: Rows, filter: Filter) -> Sequence[str]:
    """The kinds whose newest are read one after the other; none where one statement finds the newest at once."""
    if len(filter.spaces) > 1 or filter.session is not None:
        return ()
    of_project = filter.project is not None and (filter.min_importance or 0) < INDEXED_IMPORTANCE
    return tuple(dict.fromkeys(filter.kinds)) or (kinds(rows, filter.spaces[0]) if of_project else ())


def kinds(rows: Rows, space: str) -> list[str]:
    return _column(rows.all(KINDS, space=space))


def _values(rows: Rows, name: str, spaces: Sequence[str]) -> list[str]:
    if name == "space":
        return _column(rows.all("select distinct space from memories order by space"))
    if name == "kind":
        return [kind for space in spaces for kind in kinds(rows, space)]
    found = rows.all(TAGS if name == "tag" else VALUES.format(name=name), spaces=list(spaces))
    return list(map(str, _column(found)))


def beside(rows: Rows, turn: Memory, now: datetime, window: int) -> list[Memory]:
    if turn.session is None or turn.position is None:
        return []
    first, last = turn.position - window, turn.position + window
    place = {"space": turn.space, "session": turn.session, "first": first, "last": last}
    return _memories(rows.all(BESIDE, **place, id=turn.id, now=instant(now)))


def _memories(found: Iterable[Sequence[object]]) -> list[Memory]:
    return [from_row(row) for row in found]


def _column(found: Iterable[tuple[str]]) -> list[str]:
    return [value for (value,) in found]
