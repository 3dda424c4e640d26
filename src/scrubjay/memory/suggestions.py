"""What a filter names that no memory here has, and what may have been meant by it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from scrubjay.stores import Store
from scrubjay.text.fence import Quoting
from scrubjay.text.kinds import KNOWN
from scrubjay.types import KINDS_CUT_FROM_A_SOURCE, Filter, Results

__all__ = ["noted", "unmatched"]

ALIKE = 0.75  # of a misspelling and what was meant: 'preferance' is 0.9 like 'preference'
SHOWN_CHARACTERS = 60
ONE_VALUE = ("subject", "project", "session", "speaker")


def noted(store: Store, filter: Filter, results: Results) -> Results:
    """Results that say so if their filter names a kind that is not there; where nothing was found, any other name."""
    kinds_only = replace(filter, subject=None, project=None, session=None, speaker=None, tags=(), sources=())
    notes = unmatched(store, kinds_only if results else filter)
    return replace(results, notes=(*results.notes, *notes)) if notes else results


def unmatched(store: Store, filter: Filter) -> list[str]:
    """A sentence for each name in a filter that no memory of these spaces has."""
    return [*_kinds(store, filter), *_others(store, filter)]


def _kinds(store: Store, filter: Filter) -> Iterator[str]:
    asked = [kind for kind in filter.kinds if kind not in KINDS_CUT_FROM_A_SOURCE]
    there = store.memories.kinds(filter.spaces) if asked else []
    for kind in asked:
        if kind not in there:
            meant = _meant(kind, there) or _meant(kind, KNOWN if kind not in KNOWN else ())
            yield _sentence("kind", kind, meant) if meant else f"{_lacks('kind', kind)}; `scrubjay kinds` lists them."


def _others(store: Store, filter: Filter) -> Iterator[str]:
    for name in ONE_VALUE:
        if (value := getattr(filter, name)) is not None:
            yield from _unless_there(store, filter, name, value)
    for tag in filter.tags:
        yield from _unless_there(store, filter, "tag", tag)
    for source in filter.sources:
        yield from _unless_there(store, filter, "source", source)


def _unless_there(store: Store, filter: Filter, name: str, value: str) -> Iterator[str]:
    there = store.memories.values(name, filter.spaces)
    begins = [known for one in there for known in (one, one.partition(":")[0])] if name == "source" else there
    if value not in begins and not any(one.startswith(f"{value}:") for one in there if name == "source"):
        yield _sentence(name, value, _meant(value, begins))


def _sentence(name: str, value: str, meant: str | None) -> str:
    if not meant:
        return f"{_lacks(name, value)}."
    sentence = f"{_lacks(name, value)}; did you mean {meant!r}?"
    return sentence if meant in KNOWN else Quoting(sentence)


def _lacks(name: str, value: str) -> str:
    return f"No memory here has the {name} {value[:SHOWN_CHARACTERS]!r}"


def _meant(value: str, there: Iterable[str]) -> str | None:
    from difflib import get_close_matches  # needed only where something is wrong

    small = {one.casefold(): one for one in there if len(one) <= SHOWN_CHARACTERS}
    return next((small[one] for one in get_close_matches(value.casefold(), list(small), 1, ALIKE)), None)
