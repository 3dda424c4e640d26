"""What the hooks of agent clients did: what an agent was given, what was kept, and what was left out and why.

It is read from the log that hooks write, so it can be seen even where the memory itself could not be opened.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from scrubjay.dates.timestamps import start_of
from scrubjay.errors import Invalid
from scrubjay.files import json_log
from scrubjay.files.user_folders import hooks_log
from scrubjay.memory.arguments import count
from scrubjay.memory.view import View
from scrubjay.types.agents import Activity

__all__ = ["activity"]


def activity(view: View, session: str | None, limit: int) -> list[Activity]:
    """The newest first: of this memory and space, and what failed before either was known."""
    wanted = (one for one in _all() if _is_here(view, one) and session in (None, one.session))
    return list(islice(wanted, count("limit", limit)))


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
