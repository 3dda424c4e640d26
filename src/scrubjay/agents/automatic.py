"""What a memory does by itself, if the settings `auto.…` say so: extraction and cleanup.

The activity tells what was done. A failure is told there, too: it never fails the call that it follows.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from datetime import timedelta
from typing import TYPE_CHECKING, TypeVar

from scrubjay.agents.activity import note_activity, own_activity
from scrubjay.dates.timestamps import in_local_time
from scrubjay.errors import NotFound, ScrubjayError
from scrubjay.memory.view import View
from scrubjay.types import TRUST

if TYPE_CHECKING:
    from scrubjay.types.agents import Activity

__all__ = ["after_adding", "after_sync", "after_turns", "clean_daily", "extract_session", "learns_from"]

T = TypeVar("T")

TRIED_AGAIN_AFTER = timedelta(hours=1)  # where nothing more could be evicted, or the generator did not answer
STILL_OVER = "still over"
FAILED = "failed"
NO_GENERATOR = "No generator is set, so rules were used."


def after_adding(view: View, done: T) -> T:
    """Clean up if a limit is passed; returns what was done before."""
    if view.setting("auto.cleanup") and not view.store.read_only and _is_over(view) and not _is_stuck(view):
        _clean(view)
    return done


def after_turns(view: View, sessions: Iterable[str | None], done: T) -> T:
    """Extract from sessions that have new turns, and clean up if a limit is passed."""
    if view.setting("auto.extract") == "turns":
        for session in dict.fromkeys(filter(None, sessions)):
            extract_session(view, session)
    return after_adding(view, done)


def after_sync(view: View, done: T) -> T:
    """Extract from conversations that were read and not gone through yet, and clean up if a limit is passed."""
    if view.setting("auto.extract") != "off" and not view.store.read_only and not _has_failed(view):
        _extract(view, None)
    return after_adding(view, done)


def clean_daily(view: View) -> None:
    """Clean up once a day, at the first session that starts."""
    if not view.setting("auto.cleanup") or view.store.read_only:
        return
    last = _last(view, "cleanup")
    if last is None or in_local_time(last.at).date() != in_local_time(view.clock()).date():
        _clean(view)


def learns_from(view: View, *, ended: bool) -> bool:
    """Whether a session is to be gone through now: when it has new turns, or once it has ended."""
    when = view.setting("auto.extract")
    return bool(when == "turns" or (ended and when == "session_end"))


def extract_session(view: View, session: str, rules: bool = False) -> None:
    """Go through the new turns of a session, by rules or, if that is set, by the generator within its budget."""
    _extract(view, session, rules)


def _extract(view: View, session: str | None, rules: bool = False) -> None:
    """Go through a session, or through all that have something new: where so set, only those that have ended."""
    from scrubjay.upkeep.extract import extract

    started = time.monotonic()
    name = None if session is None else view.session_name(session)
    wants_generator = not rules and view.setting("auto.extractor") == "generator"
    try:
        done = extract(view, None, name, rules=not wants_generator, ended=not learns_from(view, ended=False))
    except NotFound:  # nothing was said in it
        return
    except ScrubjayError as problem:
        note_activity(view, "extract", FAILED, str(problem), started, session=session)
        return
    ids = tuple(memory.id for memory in done.memories)
    used_rules = wants_generator and done.extractor == "rules" and done.sessions
    reasons = [*done.notes, *([NO_GENERATOR] if used_rules else [])]
    if ids or reasons:
        outcome = "extracted" if done.sessions else FAILED
        note_activity(view, "extract", outcome, " ".join(reasons), started, ids, session)


def _clean(view: View) -> None:
    """Only what the caller is trusted with: nothing that an agent adds makes the memory lose what the user said."""
    from scrubjay.upkeep.cleanup import cleanup

    started = time.monotonic()
    try:
        done = cleanup(view, trusts=TRUST[: TRUST.index(view.trust) + 1])
    except ScrubjayError as problem:
        note_activity(view, "cleanup", FAILED, str(problem), started)
        return
    ids = tuple(evicted.memory.id for evicted in done)
    outcome = STILL_OVER if done.notes else "cleaned up" if ids else "nothing"
    note_activity(view, "cleanup", outcome, " ".join(done.notes), started, ids)


def _is_over(view: View) -> bool:
    from scrubjay.upkeep.figures import limits_used

    return any(limit.used > limit.most for limit in limits_used(view))


def _is_stuck(view: View) -> bool:
    """Whether the last cleanup could not do enough, a short while ago."""
    return _was_lately(view, "cleanup", STILL_OVER)


def _has_failed(view: View) -> bool:
    """Whether the last extraction failed, a short while ago."""
    return _was_lately(view, "extract", FAILED)


def _was_lately(view: View, event: str, outcome: str) -> bool:
    last = _last(view, event)
    return last is not None and last.outcome == outcome and view.clock() - last.at < TRIED_AGAIN_AFTER


def _last(view: View, event: str) -> Activity | None:
    return next((one for one in own_activity(view) if one.event == event), None)
