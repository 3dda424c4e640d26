"""Memories: stored, known again, changed, and read by id or by filter."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from datetime import datetime
from itertools import repeat
from typing import TYPE_CHECKING

from scrubjay.stores import reading, writing
from scrubjay.stores.agents import tasks
from scrubjay.stores.agents.uses import Uses
from scrubjay.stores.revisions import edits, steps, undo
from scrubjay.stores.sqlite.engine import Connections
from scrubjay.stores.vectors import Vectors
from scrubjay.types import Filter, Memory, Model, Step

if TYPE_CHECKING:
    from scrubjay.types.vectors import Matrix

__all__ = ["Memories"]


class Memories:
    """The memories of every space. Each call that writes is one transaction."""

    def __init__(self, engine: Connections, uses: Uses, vectors: Vectors) -> None:
        self._engine = engine
        self._uses = uses
        self._vectors = vectors

    def put(
        self,
        memories: Sequence[Memory],
        vectors: Sequence[Matrix | None],
        model: Model | None,
        replaces: Sequence[Step] = (),
        given: Sequence[Collection[str]] = (),
    ) -> list[tuple[Memory, bool]]:
        """Store memories with their vectors; one already known comes back with what was given again, and False.

        `given` names the fields that a caller gave, for each. With `replaces`, the first memory takes the place of
        these others, as one change.
        """
        with self._engine.writing() as db:
            model_id = writing.adopt(db, model)
            rows = zip(memories, vectors, given or repeat((), len(memories)), strict=True)
            stored = [writing.put(db, memory, pieces, model_id, names) for memory, pieces, names in rows]
            if replaces:
                steps.replace_all(db, replaces, *stored[0])
            self._vectors.flush(db)
            self._uses.flush(db)
        return stored

    def change(
        self,
        id: int,
        spaces: Sequence[str],
        edit: Callable[[Memory], Memory],
        vectors: Matrix | None = None,
        actor: str | None = None,
    ) -> Memory:
        """Change what is not text of one memory; where that changes what is embedded, these are its vectors."""
        with self._engine.writing() as db:
            before = writing.existing(db, id, spaces)
            after = edit(before)
            undo.refuse_twins(db, before, after)
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

    def get(self, ids: Sequence[int], spaces: Sequence[str], now: datetime) -> dict[int, Memory]:
        """Those of the ids that there are in these spaces and have not expired."""
        with self._engine.reading() as db:
            return writing.get(db, ids, spaces, now)

    def known(self, memories: Sequence[Memory]) -> list[Memory | None]:
        """For each, the current memory that already says the same."""
        with self._engine.reading() as db:
            return [writing.known(db, memory) for memory in memories]

    def newest(self, filter: Filter, limit: int | None, offset: int = 0) -> list[Memory]:
        """The newest first."""
        with self._engine.reading() as db:
            return reading.newest(db, filter, limit, offset)

    def around(self, id: int, filter: Filter, window: int) -> list[Memory]:
        """The memories just before and after one, in time, with itself."""
        with self._engine.reading() as db:
            return reading.around(db, writing.existing(db, id, filter.spaces), filter, window)

    def beside(self, turns: Sequence[Memory], now: datetime, window: int = 1) -> dict[int, list[Memory]]:
        """The turns said just before and after each of these."""
        with self._engine.reading() as db:
            return {turn.id: reading.beside(db, turn, now, window) for turn in turns}

    def spaces(self) -> list[str]:
        with self._engine.reading() as db:
            return [space for (space,) in db.execute("select distinct space from memories order by space")]

    def kinds(self, spaces: Sequence[str]) -> list[str]:
        with self._engine.reading() as db:
            return [kind for space in spaces for kind in reading.kinds(db, space)]

    def values(self, name: str, spaces: Sequence[str]) -> list[str]:
        """What memories have as subject, project, session, speaker, source or tag, the most frequent first."""
        with self._engine.reading() as db:
            return reading.values(db, name, spaces)

    def subjects(self, space: str, now: datetime) -> list[str]:
        """What current memories are about, the most frequent first."""
        with self._engine.reading() as db:
            return reading.subjects(db, space, now)
