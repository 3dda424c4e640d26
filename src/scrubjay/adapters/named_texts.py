"""Texts that a program keeps by name: files, items of a store. Each is one memory, with its text exactly as given.

They are passages, which are never taken for a repetition of one another. What a text was before stays as its history,
and is deleted with it. Of a text that is too long for one memory, the rest is kept in further ones, under a source of
their own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from datetime import datetime
from threading import Lock
from typing import Any, NamedTuple

from scrubjay.adapters.own_memories import list_own
from scrubjay.api import Scrubjay
from scrubjay.memory.filters import Filters
from scrubjay.search.pipeline import MAX_RESULTS
from scrubjay.search.query import nearest
from scrubjay.types import Memory
from scrubjay.types.limits import TEXT_CHARACTERS

__all__ = ["NamedTexts", "NewText"]

BLANK = "blank"  # the key of a text without words; the memory's own text is its name then
CONTINUED = "continued"  # the key of a text whose rest is in further memories
REST_OF, NUMBER = "rest_of", "number"  # the keys of those


class NewText(NamedTuple):
    """A text as it is to be stored, in the place of an old one if there is one."""

    old: Memory | None
    name: str
    text: str
    about: Mapping[str, Any]
    fields: Mapping[str, Any] = {}


class NamedTexts:
    """The texts that one program keeps in a memory; `source` names the program.

    Another one that writes to the space may use that name: what `is_whole` refuses is none of these texts.
    """

    def __init__(self, jay: Scrubjay, source: str, is_whole: Callable[[Memory], bool] = lambda _: True) -> None:
        self._source = source
        self._is_whole = is_whole
        self._one_at_a_time = Lock()
        self.jay = jay.lend(source=source, client=source, actor=source, trust="agent")
        self._rest = jay.lend(source=f"{source}/rest", client=source, actor=source, trust="agent")

    @contextmanager
    def alone(self) -> Iterator[None]:
        """No other thread or process writes such texts meanwhile, so that none gets a name that is taken."""
        with self._one_at_a_time, self.jay.view.store.lock(self._source):
            yield

    def find(self, name: str, about: Mapping[str, Any]) -> Memory | None:
        """The current text of that name and with these metadata."""
        return next(iter(list_own(self.jay, self._source, 1, self._is_whole, **_with(about, name))), None)

    def all(self, about: Mapping[str, Any] | None = None, limit: int | None = None) -> list[Memory]:
        """Every current text with these metadata, or the first of them, the newest first."""
        return list_own(self.jay, self._source, limit, self._is_whole, **_with(about or {}))

    def like(self, query: str, about: Mapping[str, Any], limit: int) -> list[tuple[Memory, float]]:
        """Those with these metadata that are nearest in meaning, best first, each with its cosine.

        Without a model they are found by words, and the number is the score of such a search.
        """
        wanted: Filters = {**_with(about), "sources": [self._source]}
        found = nearest(self.jay.view, query, wanted, limit)
        if found is None:
            hits = self.jay.search(query, limit=min(limit, MAX_RESULTS), **wanted)
            found = [(hit.memory, hit.score) for hit in hits]
        return [pair for pair in found if pair[0].source == self._source and self._is_whole(pair[0])]

    def put(self, texts: Sequence[NewText]) -> list[Memory]:
        """Store texts; a secret is refused, not masked."""
        items = [self._item(new) for new in texts]
        firsts = [{**item, "text": item["text"][:TEXT_CHARACTERS]} for item in items]
        continued = any(len(item["text"]) > TEXT_CHARACTERS for item in items)
        with self.jay.view.store.transaction([self.jay.space]) if continued else nullcontext():
            olds = [new.old for new in texts]
            added = iter(self.jay.add_many([item for item, old in zip(firsts, olds, strict=True) if old is None]))
            stored = [
                (next(added) if old is None else self.jay.supersede(old.id, **item)).memory
                for item, old in zip(firsts, olds, strict=True)
            ]
            rest = [part for item, memory in zip(items, stored, strict=True) for part in _rest(item, memory)]
            if rest:
                self._rest.add_many(rest)
        return stored

    def text_of(self, memory: Memory) -> str:
        """The text as it was given."""
        blank = memory.metadata.get(BLANK)  # of a memory that may be anybody's: no words stand in for its text
        first = blank if isinstance(blank, str) and not blank.strip() else memory.text
        return first + "".join(part.text for part in self._parts(memory)) if CONTINUED in memory.metadata else first

    def delete(self, texts: Iterable[Memory]) -> None:
        """Delete texts with all that they were before."""
        versions = {version.id: version for text in texts for version in self.jay.history(text.id)}
        continued = [version for version in versions.values() if CONTINUED in version.metadata]
        parts = [part.id for version in continued for part in self._parts(version)]
        if versions:
            self.jay.delete(*versions, *parts)

    def expire(self, text: Memory, at: datetime) -> None:
        """Let a text expire then."""
        parts = self._parts(text) if CONTINUED in text.metadata else []
        for memory in (text, *parts):
            self.jay.update(memory.id, expires_at=at)

    def evict(self) -> int:
        """Move the texts that have expired to the trash; how many these were."""
        view, now = self.jay.view, self.jay.view.clock()
        own = (self._source, f"{self._source}/rest")
        expired = [memory for memory in view.store.maintenance.expired(view.space, now) if memory.source in own]
        if expired:
            view.store.trash.evict([memory.id for memory in expired], now, "expired")
        return sum(memory.source == self._source and memory.superseded_at is None for memory in expired)

    def _item(self, new: NewText) -> dict[str, Any]:
        """The memory that a text becomes, as `add_many` takes it."""
        kept, about = self.jay.view.allowed(new.text), dict(new.about)
        self.jay.view.whole_names([new.name, *(value for value in about.values() if isinstance(value, str))])
        self.jay.view.allowed(about)
        if not kept.strip():
            kept, about = new.name, {**about, BLANK: kept}
        if len(kept) > TEXT_CHARACTERS:
            about[CONTINUED] = True
        return {"text": kept, "kind": "passage", "subject": new.name, "metadata": about, **new.fields}

    def _parts(self, memory: Memory) -> list[Memory]:
        found = list_own(self._rest, f"{self._source}/rest", **_with({REST_OF: memory.uid}))
        return sorted((part for part in found if _is_number(part.metadata.get(NUMBER))), key=_number)


def _is_number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _number(part: Memory) -> int:
    return int(part.metadata[NUMBER])


def _with(about: Mapping[str, Any], name: str | None = None) -> Filters:
    return {"kinds": ["passage"], "metadata": about, "subject": name}


def _rest(item: Mapping[str, Any], first: Memory) -> Iterator[dict[str, Any]]:
    """The memories that hold what does not fit into the first."""
    shared = {key: value for key, value in item.items() if key in ("kind", "subject", "expires_at")}
    for number, start in enumerate(range(TEXT_CHARACTERS, len(item["text"]), TEXT_CHARACTERS)):
        text = item["text"][start : start + TEXT_CHARACTERS]
        yield {**shared, "text": text, "metadata": {REST_OF: first.uid, NUMBER: number}}
