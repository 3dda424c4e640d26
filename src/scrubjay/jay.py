"""Scrubjay: the object callers hold. It joins a store and an embedder, and decides nothing."""

from __future__ import annotations

import builtins
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Unpack, cast

from scrubjay import config, lineage, upkeep
from scrubjay.add import Fields, TurnFields, add, compose, space_name
from scrubjay.embedders import DEFAULT, Embedder, open_embedder
from scrubjay.embedding import Progress, model_of
from scrubjay.errors import EmbedderMismatch, EmbedderUnavailable, Invalid, NotFound, ScrubjayError
from scrubjay.filters import Filters, make_filter
from scrubjay.search import make_query, search_many
from scrubjay.stores import Access, Store, open_store
from scrubjay.times import Clock, now
from scrubjay.types import Added, Check, Filled, Filter, Fusion, Memory, Mode, Model, Query, Results, Stats

__all__ = ["Scrubjay", "open"]

CUSTOM = "custom"  # an embedder that was given as an object: no name opens it again


def open(
    path: str | Path | None = None,
    *,
    space: str | None = None,
    project: str | None = None,
    embedder: str | Embedder | None = None,
    folder: Path | None = None,
    clock: Clock = now,
) -> Scrubjay:
    """Open a memory, making it if it is new. Without a path: the one in the user's data folder.

    With a folder: the project-local one of the folder it lies in, if `scrubjay init` made one there.
    """
    settings = config.load(folder)
    url = str(path or config.store_path(settings))
    chosen = space_name(space or settings.get("space"))
    store = open_store(url)
    try:
        return Scrubjay(store, embedder, space=chosen, project=project, clock=clock, settings=settings)
    except BaseException:
        store.close()
        raise


class Scrubjay:
    """One memory, seen from one space. Safe to use from several threads."""

    def __init__(
        self,
        store: Store,
        embedder: str | Embedder | None = None,
        *,
        space: str,
        project: str | None = None,
        clock: Clock = now,
        settings: config.Settings | None = None,
    ) -> None:
        self.space = space
        self.project = project
        self._store = store
        self._clock = clock
        self._settings = settings or config.Settings()
        self._use(embedder)

    def __enter__(self) -> Scrubjay:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self._store.close()

    # Writing

    def add(self, text: str, *, supersedes: int | None = None, **fields: Unpack[Fields]) -> Added:
        """Remember a text. What is already known is returned as it is, with `created` False."""
        memory = self._compose(text, fields)
        old = None if supersedes is None else _id(supersedes)
        (added,) = self._add([memory])
        if old is None:
            return added
        try:
            self._store.link(old, added.memory.id, [self.space], memory.created_at)
        except ScrubjayError as problem:  # the new memory is worth more than the link
            return Added(added.memory, added.created, added.similar, (*added.notes, f"Replaces nothing: {problem}"))
        return added

    def add_many(self, items: Sequence[Mapping[str, Any]], *, progress: Progress | None = None) -> builtins.list[Added]:
        """Remember many texts at once: one embedding pass, one transaction, all or nothing."""
        return self._add([self._compose(*_apart(item)) for item in items], progress)

    def add_turns(
        self,
        session: str,
        turns: Sequence[TurnFields],
        *,
        progress: Progress | None = None,
    ) -> builtins.list[Added]:
        """Remember what was said in a session, in order; called again, it appends."""
        shared = {"source": f"session:{session}", "session": session}
        memories = []
        for turn in turns:
            text, own = _apart(turn)
            memories.append(self._compose(text, {**shared, **own}, turn=True))
        return self._add(memories, progress)

    def update(self, id: int, **fields: Unpack[Fields]) -> Memory:
        """Change what is not text: tags, metadata (a None deletes its key), importance, title, expiry, …"""
        memory = self._existing(id)
        self._keep_up()
        return lineage.update(self._store, self._embedder, memory, fields, self._clock())

    def supersede(self, id: int, text: str | None = None, *, by: int | None = None, **fields: Unpack[Fields]) -> Added:
        """Put a new text, or another memory, in the place of one; the old one stays in the history."""
        if (text is None) == (by is None):
            raise Invalid("Give either a new text, or (by) the memory that takes its place.")
        if by is not None and fields:
            raise Invalid("The memory that takes its place stays as it is; change it with update.")
        if by is not None:
            self._store.link(_id(id), _id(by), [self.space], self._clock())
            return Added(self._existing(by), created=False)
        memory = self._compose(cast("str", text), lineage.inherited(self._existing(id), fields))
        (added,) = self._add([memory], replaces=id)
        return added

    def confirm(self, id: int) -> Memory:
        """Say that a memory still holds; it ranks a little higher for it."""
        return lineage.confirm(self._store, _id(id), self.space, self._clock())

    def delete(self, id: int) -> None:
        self._store.delete(_id(id), [self.space])

    # Reading

    def search(
        self,
        query: str,
        *,
        limit: int | None = None,
        mode: Mode | None = None,
        fusion: Fusion | None = None,
        weights: Mapping[str, float] | None = None,
        min_score: float | None = None,
        spaces: Sequence[str] | None = None,
        **filters: Unpack[Filters],
    ) -> Results:
        """Find memories by word and by meaning, best first. Any text is a valid query."""
        (results,) = self.search_many(
            [query], limit=limit, mode=mode, fusion=fusion, weights=weights, min_score=min_score, spaces=spaces,
            **filters,
        )  # fmt: skip
        return results

    def search_many(
        self,
        queries: Sequence[str],
        *,
        limit: int | None = None,
        mode: Mode | None = None,
        fusion: Fusion | None = None,
        weights: Mapping[str, float] | None = None,
        min_score: float | None = None,
        spaces: Sequence[str] | None = None,
        **filters: Unpack[Filters],
    ) -> builtins.list[Results]:
        """Answer several questions with one embedding pass."""
        asked = {"limit": limit, "mode": mode, "fusion": fusion, "weights": weights, "min_score": min_score}
        self._keep_up()
        ready = [self._query(text, asked, self._filter(spaces, filters)) for text in queries]
        return search_many(self._store, self._embedder, self._why_not, ready)

    def get(self, id: int, *, spaces: Sequence[str] | None = None) -> Memory | None:
        """One memory, or None where there is none of that id in this space."""
        found = self.get_many([id], spaces=spaces)
        return found[0] if found else None

    def get_many(self, ids: Sequence[int], *, spaces: Sequence[str] | None = None) -> builtins.list[Memory]:
        """The memories that exist, in the order asked for."""
        at = self._clock()
        found = self._store.get([_id(id) for id in ids], self._spaces(spaces), at)
        self._store.note(Access(id, at, "get") for id in found)
        return [found[id] for id in ids if id in found]

    def list(
        self,
        *,
        limit: int | None = None,
        offset: int = 0,
        spaces: Sequence[str] | None = None,
        **filters: Unpack[Filters],
    ) -> builtins.list[Memory]:
        """The newest first."""
        for name, value in (("limit", limit), ("offset", offset)):
            _count(name, value or 0)
        return self._store.newest(self._filter(spaces, filters), limit, offset)

    def history(self, id: int) -> builtins.list[Memory]:
        """How a memory came to say what it says: the whole chain, oldest first."""
        return self._store.chain(_id(id), [self.space])

    def timeline(self, id: int, window: int = 5) -> builtins.list[Memory]:
        """What was remembered just before and after a memory, in time, with itself."""
        _count("window", window)
        return self._store.around(_id(id), self._filter(None, {}), window)

    # Upkeep

    def stats(self) -> Stats:
        return self._store.stats(self.space, self._clock())

    def check(self, deep: bool = False, repair: bool = False) -> Check:
        """Look for damage; `deep` compares every row with its words and vectors."""
        return self._store.check(deep, repair)

    def backfill(self, batch: int = upkeep.BATCH, progress: Progress | None = None) -> Filled:
        """Give a vector to each memory that has none yet."""
        self._keep_up()
        if self._embedder is None or self._model is None:
            raise EmbedderUnavailable(f"There is nothing to embed with: {self._why_not}")
        return upkeep.backfill(self._store, self._embedder, self._model, batch, progress)

    def reindex(self, embedder: str | Embedder = DEFAULT, progress: Progress | None = None) -> Filled:
        """Move the whole file to another embedder; the old vectors answer until the new ones are complete."""
        opened, spec = _opened(embedder)
        if opened is None:
            raise Invalid("A file cannot be reindexed with no embedder; name one, e.g. local.")
        filled = upkeep.reindex(self._store, opened, model_of(opened, spec), progress)
        if not filled.remaining:
            self._use(embedder)
        return filled

    def spaces(self) -> builtins.list[str]:
        return self._store.spaces()

    # Joining

    def _use(self, embedder: str | Embedder | None) -> None:
        """Take the embedder that was named, else the file's own, else the default of a new file."""
        stored = self._store.model()
        usual = stored.spec if stored else self._settings.get("embedder") or DEFAULT
        named = usual if embedder is None else embedder
        self._why_not = "no embedder is set (`none`)."
        self._embedder: Embedder | None = None
        self._model: Model | None = None
        if named == CUSTOM:
            self._why_not = f"this file's vectors were made by {stored and stored.name!r}; pass it as embedder=."
            return
        opened, spec = _opened(named)
        if opened is None:
            return
        model = model_of(opened, spec)
        if stored is not None and model != stored:
            if embedder is not None:
                raise EmbedderMismatch(_mismatch(stored, model))
            self._why_not = _mismatch(stored, model)
            return
        self._embedder, self._model = opened, model

    def _keep_up(self) -> None:
        """Follow the file if another process has moved it to another embedder."""
        if self._model is not None and self._store.model() not in (None, self._model):
            self._use(None)

    def _add(
        self, memories: Sequence[Memory], progress: Progress | None = None, replaces: int | None = None
    ) -> builtins.list[Added]:
        self._keep_up()
        return add(self._store, self._embedder, self._model, memories, replaces=replaces, progress=progress)

    def _compose(self, text: str, fields: Mapping[str, Any], turn: bool = False) -> Memory:
        return compose(text, self.space, self._clock(), {"project": self.project, **fields}, turn=turn)

    def _existing(self, id: int) -> Memory:
        found = self._store.get([_id(id)], [self.space], self._clock())
        if not found:
            raise NotFound(f"There is no memory {id} in space {self.space!r}.")
        return found[id]

    def _spaces(self, spaces: Sequence[str] | None) -> builtins.list[str]:
        if spaces is None:
            return [self.space]
        named = [space_name(space) for space in ([spaces] if isinstance(spaces, str) else spaces)]
        if not named:
            raise Invalid("spaces is empty; name at least one, or leave it out.")
        return named

    def _filter(self, spaces: Sequence[str] | None, filters: Mapping[str, Any]) -> Filter:
        return make_filter(self._spaces(spaces), self._clock(), filters)

    def _query(self, text: str, asked: Mapping[str, Any], filter: Filter) -> Query:
        def usual(name: str) -> Any:
            return self._settings.get(f"search.{name}", self.space)

        chosen = {name: usual(name) if asked[name] is None else asked[name] for name in asked if name != "weights"}
        weights = {name: usual(f"{name}_weight") for name in ("keyword", "vector")} | dict(asked["weights"] or {})
        return make_query(text, **chosen, weights=weights, filter=filter, project=self.project)


def _apart(item: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """An item's text, and its other fields."""
    if not isinstance(item, Mapping) or "text" not in item:
        raise Invalid('Each item must be an object with at least a "text".')
    fields = dict(item)
    return fields.pop("text"), fields


def _opened(embedder: str | Embedder) -> tuple[Embedder | None, str]:
    if isinstance(embedder, str):
        return open_embedder(embedder), embedder
    return embedder, CUSTOM


def _mismatch(stored: Model, model: Model) -> str:
    return (
        f"This file's vectors were made by {stored.name} ({stored.recipe}), not by {model.name} ({model.recipe});"
        f" `scrubjay reindex --embedder {model.spec}` re-embeds them."
    )


def _id(id: Any) -> int:
    if isinstance(id, bool) or not isinstance(id, int) or not 0 < id < 2**63:
        raise Invalid(f"{id!r} is no memory's id; ids are whole numbers from 1 on.")
    return id


def _count(name: str, value: Any) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 2**31:
        raise Invalid(f"{name} must be a whole number from 0 on, not {value!r}.")
