"""What a caller over the network may see of an answer: nothing of other spaces, nor where files lie on the server."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from scrubjay import NotFound, Scrubjay
from scrubjay.interfaces.mcp.callers import Caller
from scrubjay.memory.filters import SpaceNote
from scrubjay.text.secret_scan.quoting import quoted
from scrubjay.types import Results
from scrubjay.types.agents import Activity
from scrubjay.types.documents import Level, Skipped, Source, Status, Synced
from scrubjay.types.models import CacheUse, Spent
from scrubjay.types.reports import Check, Cleaned, Stats

__all__ = ["ids_in", "need_whole_name", "seen"]

FOLDER = re.compile(r"(?<![^\s'\"(])(?:[A-Za-z]:)?[/\\](?:[^/\\\s]*[/\\])*")


def seen(value: Any, who: Caller, jay: Scrubjay) -> Any:
    """A value that a method returned, as it may be sent."""
    match value:
        case list():
            return [shown for item in value if (shown := seen(item, who, jay)) is not None]
        case SpaceNote():
            return value if who.sees_all_spaces else None
        case Results():
            return replace(value, notes=tuple(seen(list(value.notes), who, jay)))
        case Check():
            return Check(
                *(list(map(_without_folder, part)) for part in (value.problems, value.repaired, value.warnings))
            )
        case Stats() if who.sees_all_spaces:
            return replace(value, file="")
        case Stats():
            own = tuple(limit for limit in value.limits if limit.setting != "limits.bytes")
            return replace(value, file="", file_bytes=0, spaces=1, cache=CacheUse(), generation=Spent(), limits=own)
        case Cleaned() if not who.sees_all_spaces:  # how large the file is tells of other spaces
            return replace(value, notes=tuple(note for note in value.notes if "limits.bytes" not in note))
        case Activity():  # a reason may say where a file lies; what has no space was for none, or for all
            return replace(value, reason="", store=None) if value.space or who.sees_all_spaces else None
        case Source():
            return replace(value, root=value.name)
        case Status():
            levels = tuple(_level(level, jay) for level in value.sources)
            whole = value if who.sees_all_spaces else replace(value, warnings=(), jobs=())
            return replace(whole, sources=levels)
        case Synced():
            return _synced(value, who, jay)
    return value


def ids_in(answer: Any) -> list[int]:
    """The ids in an answer: all that a caller gets who may not read."""
    if isinstance(answer, Mapping):
        own = [answer["id"]] if isinstance(answer.get("id"), int) else []
        return own or [id for value in answer.values() for id in ids_in(value)]
    if isinstance(answer, Sequence) and not isinstance(answer, str):
        return [id for item in answer for id in ids_in(item)]
    return []


def need_whole_name(who: Caller, jay: Scrubjay, session: str) -> None:
    """A caller that may not read must know a session's whole name: it learns no other by guessing."""
    if who.may("read"):
        return
    try:
        known = jay.sessions.get(session).name == session
    except NotFound:
        known = False
    if not known:
        raise NotFound(f"There is no session {quoted(session)} in space {jay.space!r}.")


def _without_folder(sentence: str) -> str:
    """A sentence that names a file, without where it lies."""
    return FOLDER.sub("", sentence)


def _level(level: Level, jay: Scrubjay) -> Level:
    named = _named(jay)
    skipped = tuple(Skipped(named(one.path), named(one.reason)) for one in level.skipped)
    return replace(level, source=replace(level.source, root=level.source.name), skipped=skipped)


def _synced(done: Synced, who: Caller, jay: Scrubjay) -> Synced:
    named = _named(jay)
    shown = replace(
        done,
        skipped=tuple(Skipped(named(one.path), named(one.reason)) for one in done.skipped),
        unread=tuple((source, named(why)) for source, why in done.unread),
        notes=tuple(map(named, done.notes)),
    )
    # Vectors are made for all spaces of the file.
    return shown if who.sees_all_spaces else replace(shown, embedded=0, remaining=0)


def _named(jay: Scrubjay) -> Callable[[str], str]:
    """Over the network a source is called by its name: where its folder lies is not told there."""
    names = {source.root: source.name for source in jay.sources.list()}

    def named(text: str) -> str:
        for root in sorted(names, key=len, reverse=True):
            text = text.replace(root, names[root])
        return text

    return named
