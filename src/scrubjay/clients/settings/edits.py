"""Entries of ours in a settings file: put in, found again, taken out. Everything else stays as it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass
from itertools import islice
from typing import Any, Protocol, TypeAlias

from scrubjay.clients.settings.jsonc import BrokenText, Path

__all__ = ["Entry", "Format", "entry_value", "has_others", "with_entries", "without_entries"]

Names: TypeAlias = tuple[str, ...]

MOST_ITEMS = 50  # of ours in one list; one is usual


class Format(Protocol):
    """How one kind of settings file is read and changed."""

    def data(self, text: str) -> Any:
        """The value of the text; raises BrokenText."""

    def add(self, text: str, path: Path, name: str | None, value: Any) -> str: ...
    def replace(self, text: str, path: Path, value: Any) -> str: ...
    def remove(self, text: str, path: Path) -> str: ...


@dataclass(frozen=True, slots=True)
class Entry:
    """A member of the settings, by its names from the root; or an item of the list at `path`, if `is_ours` is given."""

    path: Names
    value: Any
    is_ours: Callable[[Any], bool] | None = None  # tells our items of a list from other people's
    is_shared: bool = False  # a member that the file needs anyway: set if missing, and never removed
    merge: Callable[[Any, Any], Any] = lambda existing, ours: ours  # what to write where a member is there already


def with_entries(text: str, entries: Sequence[Entry], format: Format) -> str:
    """The text with these entries; the same text if they are there already."""
    before = format.data(text)
    _refuse_other_types(before, entries)
    for entry in entries:
        text = _with_item(text, entry, format) if entry.is_ours else _with_member(text, entry, format)
    return _checked(text, before, entries, format)


def without_entries(text: str, entries: Sequence[Entry], format: Format, original: Any) -> str:
    """The text without these entries; `original` is the data before they were put in, as far as known."""
    before = format.data(text)
    _refuse_other_types(before, entries)
    for entry in entries:
        if entry.is_ours:
            text = _without_items(text, entry, format)
            text = _without_empty(text, entry.path, format, original)
        elif not entry.is_shared:
            text = _without_member(text, entry, format, original)
    return _checked(text, before, entries, format)


def entry_value(data: Any, entry: Entry) -> Any:
    """What the settings have for an entry: its value, or None."""
    found = _at(data, entry.path)
    if entry.is_ours is None or not isinstance(found, list):
        return found
    return next((_at(found, place) for place in _our_places(found, entry.is_ours)), None)


def has_others(data: Any, entries: Sequence[Entry]) -> bool:
    """Whether anything in the settings is not ours."""
    shared = {entry.path[0] for entry in entries if entry.is_shared}
    return bool({name: value for name, value in _others(data, entries).items() if name not in shared})


def _with_member(text: str, entry: Entry, format: Format) -> str:
    *parents, name = entry.path
    data = format.data(text)
    existing = _at(data, entry.path)
    if not _has(data, entry.path):
        return _add(text, data, tuple(parents), name, entry.value, format)
    wanted = existing if entry.is_shared else entry.merge(existing, entry.value)
    return text if wanted == existing else format.replace(text, entry.path, wanted)


def _with_item(text: str, entry: Entry, format: Format) -> str:
    assert entry.is_ours is not None
    data = format.data(text)
    items = _at(data, entry.path)
    if items is None:
        return _add(text, data, entry.path[:-1], entry.path[-1], [entry.value], format)
    ours = _few_places(items, entry.is_ours)
    if not ours:
        return format.add(text, entry.path, None, entry.value)
    first, *more = ours
    for place in reversed(more):
        text = format.remove(text, (*entry.path, *place))
    if len(first) > 1 or _at(items, first) == entry.value:  # inside of somebody else's group it stays as it is
        return text
    return format.replace(text, (*entry.path, *first), entry.value)


def _add(text: str, data: Any, parents: Names, name: str, value: Any, format: Format) -> str:
    """Add a member, inside of new objects where the settings have none yet."""
    while parents and _at(data, parents) is None:
        value, name, parents = {name: value}, parents[-1], parents[:-1]
    return format.add(text, parents, name, value)


def _without_member(text: str, entry: Entry, format: Format, original: Any) -> str:
    if not _has(format.data(text), entry.path):
        return text
    if (known := _at(original, entry.path)) is not None:
        return format.replace(text, entry.path, known)
    return _without_empty(format.remove(text, entry.path), entry.path[:-1], format, original)


def _without_items(text: str, entry: Entry, format: Format) -> str:
    assert entry.is_ours is not None
    items = _at(format.data(text), entry.path)
    for place in reversed(_few_places(items or [], entry.is_ours)):
        text = format.remove(text, (*entry.path, *place))
    return text


def _without_empty(text: str, path: Names, format: Format, original: Any) -> str:
    """Remove what is empty now and was not there before, from the inside out."""
    while path and _at(format.data(text), path) in ({}, []) and _at(original, path) is None:
        text, path = format.remove(text, path), path[:-1]
    return text


def _few_places(items: list[Any], is_ours: Callable[[Any], bool]) -> list[Path]:
    """Where our items are. For each that is taken out the text is read again, so more than anybody has are refused."""
    places = list(islice(_our_places(items, is_ours), MOST_ITEMS + 1))
    if len(places) > MOST_ITEMS:
        raise BrokenText(f"it has more than {MOST_ITEMS} entries of ours in one list")
    return places


def _our_places(items: list[Any], is_ours: Callable[[Any], bool]) -> Iterator[Path]:
    """Where our items are, also those that somebody has put into a group of theirs."""
    for index, item in enumerate(items):
        if is_ours(item):
            yield (index,)
        elif isinstance(item, dict):
            lists = ((name, value) for name, value in item.items() if isinstance(value, list))
            yield from ((index, name, *place) for name, value in lists for place in _our_places(value, is_ours))


def _checked(text: str, before: Any, entries: Sequence[Entry], format: Format) -> str:
    """The text, if everything in it that is not ours is as it was."""
    if _others(format.data(text), entries) != _others(before, entries):
        raise BrokenText("it cannot be changed without touching other settings")
    return text


def _others(data: Any, entries: Sequence[Entry]) -> dict[str, Any]:
    """The data without our entries and without what is empty around them."""
    rest: dict[str, Any] = deepcopy(data)
    for entry in entries:
        parent = _at(rest, entry.path[:-1])
        if entry.is_shared or not isinstance(parent, dict) or entry.path[-1] not in parent:
            continue
        if entry.is_ours is None:
            del parent[entry.path[-1]]
        else:
            items = parent[entry.path[-1]]
            for place in reversed(list(_our_places(items, entry.is_ours))):
                del _at(items, place[:-1])[place[-1]]
    for entry in entries:
        _drop_empty(rest, entry.path)
        if entry.is_shared:
            rest.setdefault(entry.path[0], entry.value)
    return rest


def _drop_empty(data: Any, path: Names) -> None:
    for length in range(len(path), 0, -1):
        parent, name = _at(data, path[: length - 1]), path[length - 1]
        if isinstance(parent, dict) and parent.get(name) in ({}, []):
            del parent[name]


def _refuse_other_types(data: Any, entries: Sequence[Entry]) -> None:
    """Raise where the settings have, say, a number in the place of an object that we would add to."""
    if not isinstance(data, dict):
        raise BrokenText("it does not contain an object")
    for entry in entries:
        for length in range(1, len(entry.path) + (entry.is_ours is not None)):
            found, is_list = _at(data, entry.path[:length]), length == len(entry.path)
            if _has(data, entry.path[:length]) and not isinstance(found, list if is_list else dict):
                raise BrokenText(f"{'.'.join(entry.path[:length])} is not {'a list' if is_list else 'an object'}")


def _has(data: Any, path: Names) -> bool:
    parent = _at(data, path[:-1])
    return isinstance(parent, dict) and path[-1] in parent


def _at(data: Any, path: Sequence[str | int]) -> Any:
    for name in path:
        if isinstance(data, dict):
            data = data.get(name)
        elif isinstance(data, list) and isinstance(name, int):
            data = data[name]
        else:
            return None
    return data
