"""Vectors: the model they were made with, memories that have none, and texts that were embedded before.

The store has the vectors of one model, the current one; a reindex builds those of another beside them. Vectors that
no memory has now are kept for a while, by the digest of their text: the same text is never embedded twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from scrubjay.errors import EmbedderMismatch
from scrubjay.stores.agents.uses import Uses
from scrubjay.stores.columns import COLUMNS, from_row, instant
from scrubjay.stores.contract import Engine, Rows, State
from scrubjay.stores.filters import NARRATED
from scrubjay.types import Memory, Model
from scrubjay.types.vectors import NewVectors

if TYPE_CHECKING:
    from scrubjay.types.models import CacheUse
    from scrubjay.types.vectors import Matrix

__all__ = [
    "Vectors",
    "adopt",
    "attach",
    "attach_known",
    "cache_use",
    "count_pending",
    "forget",
    "forget_cached",
    "from_bytes",
    "has_vectors",
    "keep",
    "model_id",
    "model_of",
    "retire",
]

MODEL = "select id, spec, name, dimensions, recipe from models where state = :state"
INSERT_MODEL = """
    insert into models (state, spec, name, dimensions, recipe) values (:state, :spec, :name, :dimensions, :recipe)
    on conflict do nothing
"""
WITHOUT_PIECES = "not exists (select 1 from pieces p where p.memory = m.id and p.model = :model)"
TO_EMBED = f"""
    not {NARRATED}
    and (:refused = 1 or not exists (select 1 from quarantine q where q.memory = m.id and q.model = :model))
"""
PENDING = f"from memories m where m.id < :before and {WITHOUT_PIECES} and {TO_EMBED}"
# Counted in indexes; only memories without vectors are read themselves.
ALL_EMBEDDED = """
    select (select count(*) from memories) = (select count(*) from pieces where model = :model and number = 0)
"""
COUNT_PENDING = f"""
    select count(*) from memories m where {TO_EMBED}
    and m.id in (select m.id from memories m where {{of_space}} and {WITHOUT_PIECES})
"""
KEPT_AS = """
    select c.id from cached_models c join models m on m.id = :model
    and c.spec = m.spec and c.name = m.name and c.dimensions = m.dimensions and c.recipe = m.recipe
"""
NEW_KEPT_AS = """
    insert into cached_models (spec, name, dimensions, recipe)
    select spec, name, dimensions, recipe from models where id = :model on conflict do nothing
"""
KEEP = """
    insert into cached (model, digest, vectors, retired_at) values (:model, :digest, :vectors, :at)
    on conflict (model, digest) do update set vectors = excluded.vectors, retired_at = excluded.retired_at
"""
WITH_DIGEST = """
    select m.id from memories m where m.digest = :digest
    and exists (select 1 from pieces p where p.memory = m.id and p.model = :model) limit 1
"""
KEPT = f"""
    select k.vectors from ({KEPT_AS}) kept_as cross join cached k on k.model = kept_as.id and k.digest = :digest
"""
IN_USE = """
    select m.id, m.digest from memories m where m.digest is not null
    and exists (select 1 from pieces p where p.memory = m.id and p.model = :model) order by m.id desc
"""
IN_USE_AT_ONCE = 256
OLDEST = """
    delete from cached where (model, digest) in (
        select model, digest from (
            select model, digest, sum(length(vectors)) over (order by retired_at desc, model, digest) as total
            from cached
        ) as summed where total > :most
    )
"""


class Vectors:
    """The vectors of a store's current model, and those of another that a reindex is building."""

    def __init__(self, engine: Engine, uses: Uses) -> None:
        self._engine = engine
        self._uses = uses
        self._lookups = [0, 0]  # texts that had been embedded before, and others; written with the next write

    def model(self, state: State = "current") -> Model | None:
        with self._engine.reading(()) as rows:
            return model_of(rows, state)[1]

    def build(self, model: Model) -> None:
        """Begin, or go on with, vectors of another model beside the current ones."""
        if self.model("building") == model:
            return
        with self._engine.writing() as rows:
            rows.run("delete from models where state = 'building'")
            _insert_model(rows, "building", model)

    def pending(self, state: State, before: int, limit: int, refused: bool = False) -> list[Memory]:
        """Memories with no vector of that model and a lower id than this one, the newest first.

        Those that the model has refused are among them only if asked for.
        """
        with self._engine.reading() as rows:
            model = model_id(rows, state)
            if state == "building" and not model:
                return []  # another process has finished it
            sql = f"select {COLUMNS} {PENDING} order by id desc limit :limit"
            found = rows.all(sql, before=before, model=model, limit=limit, refused=refused)
        return [from_row(row) for row in found]

    def count_pending(self, state: State, refused: bool = False, space: str | None = None) -> int:
        """In one space, or in all of them."""
        with self._engine.reading() as rows:
            return count_pending(rows, model_id(rows, state), space, refused)

    def embedded(self, state: State, digests: Iterable[bytes]) -> dict[bytes, Matrix]:
        """The vectors of texts that were embedded before, as far as they are known."""
        with self._engine.reading() as rows:
            return self.find(rows, digests, model_id(rows, state))

    def find(self, rows: Rows, digests: Iterable[bytes], model: int) -> dict[bytes, Matrix]:
        """The same in a snapshot that the caller has begun."""
        wanted = list(digests)
        found = _known(rows, model, wanted)
        self._lookups[0] += len(found)
        self._lookups[1] += len(wanted) - len(found)
        return found

    def fill(self, state: State, vectors: Mapping[int, Matrix], model: Model) -> None:
        """Give memories, by id, the vectors that they lack."""
        with self._engine.writing() as rows:
            of_model = adopt(rows, model) if state == "current" else _building(rows, model)
            for id, pieces in vectors.items():
                row = rows.one(f"select {COLUMNS} from memories where id = :id", id=id)
                if row and of_model and not has_vectors(rows, id, of_model):
                    attach(rows, from_row(row), pieces, of_model, searched=state == "current")
            self.flush(rows)
            self._uses.flush(rows)

    def finish(self, at: datetime, keep_bytes: int) -> bool:
        """Make the vectors being built the current ones, unless other memories have come in since.

        Of those that were current, as many bytes are kept: the store may move back.
        """
        with self._engine.writing() as rows:
            building = model_id(rows, "building")
            if not building:
                return True  # another process has done so
            if count_pending(rows, building):
                return False
            if current := model_id(rows, "current"):
                _keep_all(rows, current, at, keep_bytes)
            _release(rows, building)
            rows.run("delete from models where state = 'current'")
            rows.run("update models set state = 'current' where state = 'building'")
        return True

    def prune(self, at: datetime, days: int, most_bytes: int) -> int:
        """Forget vectors that have been out of use for longer, and the oldest of them beyond the limit."""
        with self._engine.writing() as rows:
            before = instant(at - timedelta(days=days))
            gone = rows.run("delete from cached where retired_at < :before", before=before)
            return gone + rows.run(OLDEST, most=most_bytes)

    def flush(self, rows: Rows) -> None:
        """What was counted meanwhile is written when something is written anyway."""
        (hits, misses), self._lookups = self._lookups, [0, 0]
        if hits or misses:
            rows.run("update cache_use set hits = hits + :hits, misses = misses + :misses", hits=hits, misses=misses)


def model_of(rows: Rows, state: State) -> tuple[int, Model | None]:
    """With its id; 0 for none."""
    row = rows.one(MODEL, state=state)
    return (int(row[0]), Model(*row[1:])) if row else (0, None)


def model_id(rows: Rows, state: State) -> int:
    """0 for none."""
    return model_of(rows, state)[0]


def adopt(rows: Rows, model: Model | None) -> int:
    """The id of the store's model; the first one to write vectors becomes it."""
    row = rows.one(MODEL, state="current")
    if model is None:
        return row[0] if row else 0
    if row is None:
        _insert_model(rows, "current", model)
        row = rows.one(MODEL, state="current")  # another transaction may have been quicker
    if Model(*row[1:]) != model:
        raise EmbedderMismatch()
    return int(row[0])


def _building(rows: Rows, model: Model) -> int:
    """The id of the model a reindex is building; 0 if another process has finished it."""
    row = rows.one(MODEL, state="building")
    if row and Model(*row[1:]) != model:
        raise EmbedderMismatch(f"Another reindex, to {row[2]}, has begun; let it finish, then start this one again.")
    return int(row[0]) if row else 0


def _insert_model(rows: Rows, state: State, model: Model) -> None:
    rows.run(INSERT_MODEL, state=state, **model._asdict())


def count_pending(rows: Rows, model: int, space: str | None = None, refused: bool = False) -> int:
    if rows.one(ALL_EMBEDDED, model=model)[0]:
        return 0
    of_space, values = ("true", {}) if space is None else ("m.space = :space", {"space": space})
    (count,) = rows.one(COUNT_PENDING.format(of_space=of_space), model=model, refused=refused, **values)
    return int(count)


def has_vectors(rows: Rows, id: int, model: int) -> bool:
    return rows.one("select 1 from pieces where memory = :id and model = :model", id=id, model=model) is not None


def attach(rows: Rows, memory: Memory, vectors: Matrix, model: int, searched: bool = True) -> None:
    """Give a memory its vectors."""
    rows.vectors.put([NewVectors(memory.id, memory.space, memory.superseded_at is None, vectors)], model, searched)
    rows.run("delete from quarantine where memory = :id and model = :model", id=memory.id, model=model)


def attach_known(rows: Rows, memory: Memory) -> None:
    """Give a memory its vectors, if its text was embedded before."""
    model = model_id(rows, "current")
    for digest, vectors in _known(rows, model, [memory.digest]).items():
        attach(rows, memory, vectors, model)
        kept = {"model": _kept_as(rows, model), "digest": digest}
        rows.run("delete from cached where model = :model and digest = :digest", **kept)


def retire(rows: Rows, memory: Memory, at: datetime) -> None:
    """Keep the vectors of a memory whose text has left its document."""
    for (model,) in rows.all("select distinct model from pieces where memory = :id order by model", id=memory.id):
        for vectors in rows.vectors.of([memory.id], model).values():
            keep(rows, model, {memory.digest: vectors}, at)


def keep(rows: Rows, model: int, vectors: Mapping[bytes, Matrix], at: datetime) -> None:
    """Keep vectors that no memory has now."""
    common = {"model": _kept_as(rows, model), "at": instant(at)}
    rows.run_many(KEEP, ({"digest": digest, "vectors": _bytes(own), **common} for digest, own in vectors.items()))


def forget(rows: Rows, memory: Memory) -> None:
    """Keep nothing of a text that was deleted."""
    sql = "delete from cached where model in (select id from cached_models) and digest = :digest"
    rows.run(sql, digest=memory.digest)


def forget_cached(rows: Rows) -> None:
    """Keep no vectors of texts that have left: a text that is forgotten may have been a part of one of them."""
    rows.run("delete from cached")


def from_bytes(rows: Rows, model: int, vectors: bytes) -> Matrix:
    """Vectors as they were put into one value, one piece after the other."""
    import numpy as np

    row = rows.one("select dimensions from models where id = :model", model=model)
    return np.frombuffer(vectors, dtype="<f4").reshape(-1, row[0] if row else 1)


def cache_use(rows: Rows) -> CacheUse:
    from scrubjay.types.models import CacheUse

    hits, misses = rows.one("select hits, misses from cache_use") or (0, 0)
    kept, size = rows.one("select count(*), coalesce(sum(length(vectors)), 0) from cached")
    return CacheUse(hits, misses, kept, size)


def _known(rows: Rows, model: int, digests: Iterable[bytes]) -> dict[bytes, Matrix]:
    """The vectors of what was embedded before, as far as they are still known."""
    found: dict[bytes, Matrix] = {}
    for digest in digests if model else ():
        same = rows.one(WITH_DIGEST, digest=digest, model=model)
        if same and (vectors := rows.vectors.of(same, model)):
            found[digest] = vectors[same[0]]
        elif row := rows.one(KEPT, model=model, digest=digest):
            found[digest] = from_bytes(rows, model, row[0])
    return found


def _keep_all(rows: Rows, model: int, at: datetime, most_bytes: int) -> None:
    """Keep the vectors of a model that the store moves away from, the newest first, as far as there is room."""
    in_use = rows.all(IN_USE, model=model)
    room = most_bytes
    for start in range(0, len(in_use), IN_USE_AT_ONCE):
        batch = in_use[start : start + IN_USE_AT_ONCE]
        vectors = rows.vectors.of([id for id, _ in batch], model)
        fitting = {}
        for id, digest in batch:
            room -= vectors[id].nbytes if id in vectors else 0
            if room >= 0 and id in vectors:
                fitting[digest] = vectors[id]
        keep(rows, model, fitting, at)
        if room < 0:
            return


def _release(rows: Rows, model: int) -> None:
    """Keep no second copy of what is in use again."""
    in_use = "select digest from memories where digest is not null"
    rows.run(f"delete from cached where model = :model and digest in ({in_use})", model=_kept_as(rows, model))


def _kept_as(rows: Rows, model: int) -> int:
    """The id under which a model's vectors are kept when no memory has them."""
    row = rows.one(KEPT_AS, model=model)
    if row is None:
        rows.run(NEW_KEPT_AS, model=model)
        row = rows.one(KEPT_AS, model=model)
    return int(row[0])


def _bytes(vectors: Matrix) -> bytes:
    return vectors.astype("<f4").tobytes()
