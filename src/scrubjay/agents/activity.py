"""What the hooks of agent clients did, and what the memory did by itself: what was given, kept and left out, and why.

It is read from the log that hooks write, so it can be seen even where the memory itself could not be opened.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from typing import TYPE_CHECKING, Any

from scrubjay.dates.timestamps import start_of
from scrubjay.errors import Invalid
from scrubjay.files import json_log
from scrubjay.files.user_folders import hooks_log
from scrubjay.memory.arguments import count
from scrubjay.memory.guard import loggable
from scrubjay.memory.view import View

if TYPE_CHECKING:
    from scrubjay.types.agents import Activity

__all__ = ["OWN", "activity", "forget_sessions", "note_activity", "own_activity"]

OWN = "scrubjay"  # the client of what the memory does by itself
MOST_IDS = 1_000  # in one line


def activity(view: View, session: str | None, limit: int) -> list[Activity]:
    """The newest first: of this memory and space, and what failed before either was known."""
    wanted = (one for one in _all() if _is_here(view, one) and session in (None, one.session))
    return list(islice(wanted, count("limit", limit)))


def own_activity(view: View) -> Iterator[Activity]:
    """What this memory did by itself in this space, the newest first."""
    return (one for one in _all() if one.client == OWN and one.store is not None and _is_here(view, one))


def note_activity(
    view: View, event: str, outcome: str, reason: str, started: float, memories: Sequence[int] = (),
    session: str | None = None,
) -> None:  # fmt: skip
    """Write down what the memory did by itself; where that is not possible, it is done nevertheless."""
    at = view.clock().isoformat(timespec="milliseconds").replace("+00:00", "Z")
    ms = round((time.monotonic() - started) * 1000)
    place = {"space": view.space, "store": view.store.path, "project": view.project, "session": session}
    entry = {"at": at, "client": OWN, "event": event, "outcome": outcome, "reason": loggable(reason), "ms": ms, **place}
    with suppress(OSError):
        json_log.append(hooks_log(), {**entry, "memories": list(memories)[:MOST_IDS]})


def forget_sessions(view: View, names: Sequence[str]) -> list[str]:
    """Take the names of sessions out of the log, and keep what happened. Returns the files that could not be changed,
    each with the reason."""

    def without_name(entry: dict[str, Any]) -> dict[str, Any]:
        with suppress(KeyError, TypeError, ValueError, Invalid):
            if entry.get("session") in names and _is_here(view, _activity(entry)):
                return {name: value for name, value in entry.items() if name != "session"}
        return entry

    return json_log.change(hooks_log(), without_name) if names else []


def _all() -> Iterator[Activity]:
    for entry in json_log.newest_first(hooks_log()):
        try:
            yield _activity(entry)
        except (KeyError, TypeError, ValueError, Invalid):  # written by hand, or by another version
            continue


def _is_here(view: View, one: Activity) -> bool:
    if one.store is None:
        return True
    return one.space == view.space and os.path.realpath(one.store) == os.path.realpath(view.store.path)


def _activity(entry: Mapping[str, Any]) -> Activity:
    from scrubjay.types.agents import Activity

    return Activity(
        at=start_of(entry["at"], "at"),
        client=str(entry["client"]),
        event=str(entry["event"]),
        outcome=str(entry["outcome"]),
        reason=str(entry.get("reason", "")),
        ms=int(entry["ms"]),
        session=_text_or_none(entry, "session"),
        project=_text_or_none(entry, "project"),
        space=_text_or_none(entry, "space"),
        store=_text_or_none(entry, "store"),
        memories=tuple(map(int, entry.get("memories", ()))),
        tokens=int(entry.get("tokens", 0)),
        held_back={int(id): str(why) for id, why in dict(entry.get("held_back", {})).items()},
        turns=int(entry.get("turns", 0)),
        headless=bool(entry.get("headless")),
    )


def _text_or_none(entry: Mapping[str, Any], name: str) -> str | None:
    value = entry.get(name)
    return None if value is None else str(value)
