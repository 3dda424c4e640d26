"""Vectors: the model they were made with, memories that have none yet, and the change to another model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING

import apsw

from scrubjay.stores import embeddings, writing
from scrubjay.stores.agents.uses import Uses
from scrubjay.stores.columns import COLUMNS, from_row
from scrubjay.stores.contract import NEWEST, State
from scrubjay.stores.sqlite.engine import Connections
from scrubjay.types import Memory, Model

if TYPE_CHECKING:
    from scrubjay.types.vectors import Matrix

__all__ = ["Vectors", "count_pending"]

PENDING = """
    from memories m where m.id < :before
    and not exists (select 1 from pieces p where p.memory = m.id and p.model = :model)
    and (:refused or not exists (select 1 from quarantine q where q.memory = m.id and q.model = :model))
"""


class Vectors:
    """The vectors of a store's current model, and those of another that a reindex is building."""

    def __init__(self, engine: Connections, uses: Uses) -> None:
        self._engine = engine
        self._uses = uses
        self._lookups = [0, 0]  # texts that had been embedded before, and others; written with the next write

    def model(self, state: State = "current") -> Model | None:
        with self._engine.reading() as db:
            row = db.execute("select spec, name, dimensions, recipe from models where state = ?", (state,)).fetchone()
        return Model(*row) if row else None

    def build(self, model: Model) -> None:
        """Begin, or go on with, vectors of another model beside the current ones."""
        if self.model("building") == model:
            return
        with self._engine.writing() as db:
            db.execute("delete from models where state = 'building'")
            writing.insert_model(db, "building", model)

    def pending(self, state: State, before: int, limit: int, refused: bool = False) -> list[Memory]:
        """Memories with no vector of that model and a lower id than this one, the newest first.

        Those that the model has refused are among them only if asked for.
        """
        with self._engine.reading() as db:
            model_id = writing.model_id(db, state)
            if state == "building" and not model_id:
                return []  # another process has finished it
            values = {"before": before, "model": model_id, "limit": limit, "refused": refused}
            rows = db.execute(f"select {COLUMNS} {PENDING} order by id desc limit :limit", values)
            return [from_row(row) for row in rows]

    def count_pending(self, state: State, refused: bool = False, space: str | None = None) -> int:
        """In one space, or in all of them."""
        with self._engine.reading() as db:
            return count_pending(db, writing.model_id(db, state), space, refused)

    def embedded(self, state: State, digests: Iterable[bytes]) -> dict[bytes, Matrix]:
        """The vectors of texts that were embedded before, as far as they are known."""
        wanted = list(digests)
        with self._engine.reading() as db:
            found = embeddings.find(db, writing.model_id(db, state), wanted)
        self._lookups[0] += len(found)
        self._lookups[1] += len(wanted) - len(found)
        return found

    def fill(self, state: State, vectors: Mapping[int, Matrix], model: Model) -> None:
        """Give memories, by id, the vectors that they lack."""
        with self._engine.writing() as db:
            model_id = writing.adopt(db, model) if state == "current" else writing.building(db, model)
            for id, pieces in vectors.items():
                row = db.execute(f"select {COLUMNS} from memories where id = ?", (id,)).fetchone()
                if row and model_id and not writing.has_pieces(db, id, model_id):
                    writing.insert_pieces(db, from_row(row), pieces, model_id, log=state == "current")
            self.flush(db)
            self._uses.flush(db)

    def finish(self, at: datetime, keep_bytes: int) -> bool:
        """Make the vectors being built the current ones, unless other memories have come in since.

        Of those that were, as many are kept in the cache: the file may move back.
        """
        with self._engine.writing() as db:
            building = writing.model_id(db, "building")
            if not building:
                return True  # another process has done so
            if count_pending(db, building):
                return False
            if current := writing.model_id(db, "current"):
                embeddings.keep_all(db, current, at, keep_bytes)
            embeddings.release(db, building)
            db.execute("delete from models where state = 'current'")
            db.execute("update models set state = 'current' where state = 'building'")
        return True

    def prune(self, at: datetime, days: int, most_bytes: int) -> int:
        """Forget vectors that have been out of use for longer, and the oldest of them beyond the limit."""
        with self._engine.writing() as db:
            return embeddings.prune(db, at, days, most_bytes)

    def flush(self, db: apsw.Connection) -> None:
        """What was counted meanwhile is written when something is written anyway."""
        (hits, misses), self._lookups = self._lookups, [0, 0]
        embeddings.count(db, hits, misses)


def count_pending(db: apsw.Connection, model_id: int, space: str | None = None, refused: bool = False) -> int:
    in_space = "" if space is None else "and m.space = :space"
    values = {"before": NEWEST, "model": model_id, "space": space, "refused": refused}
    row = db.execute(f"select count(*) {PENDING} {in_space}", values).fetchone()
    return int(row[0]) if row else 0
