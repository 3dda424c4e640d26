"""What hooks did, and which memories were used, in lines for people and agents."""

from __future__ import annotations

from scrubjay.agents.activity import OWN
from scrubjay.dates.timestamps import in_local_time
from scrubjay.interfaces import formatting
from scrubjay.text.plural import counted
from scrubjay.text.safe_text import one_line
from scrubjay.types.agents import Activity
from scrubjay.types.reports import Access

__all__ = ["access_line", "activity_line"]

SESSION_CHARACTERS = 8  # enough to name one by


def activity_line(one: Activity) -> str:
    """What a hook did, in one line."""
    time = f"{in_local_time(one.at):%Y-%m-%d %H:%M:%S}"
    ids = formatting.joined_ids(one.memories)
    gave = f"gave {ids} ({counted(one.tokens, 'token')})" if ids else ""
    if one.client == OWN:
        gave = f"{one.outcome}: {ids}" if ids else ""
    kept = f"kept {counted(one.turns, 'turn')}" if one.turns else ""
    reasons = sorted(set(one.held_back.values()))
    held = [f"held back {formatting.joined_ids(_held_for(one, why))} ({why})" for why in reasons]
    done = "; ".join(filter(None, (gave or kept or one.outcome, gave and kept, *held)))
    who = f"{one.client} {one.event}{' (headless)' if one.headless else ''}"
    session = f", session {one.session[:SESSION_CHARACTERS]}" if one.session else ""
    return one_line(f"{time}  {who}{session}: {done}{f'. {one.reason}' if one.reason else ''}  [{one.ms:,} ms]")


def access_line(one: Access) -> str:
    """One use of a memory."""
    score = f", score {one.score:.2f}" if one.score is not None else ""
    score = f", {'helpful' if one.score else 'not helpful'}" if one.verb == "rate" and score else score
    query = f": {one.query}" if one.query else ""
    return one_line(f"{in_local_time(one.at):%Y-%m-%d %H:%M:%S}  [{one.memory}] {one.verb}{score}{query}")


def _held_for(one: Activity, why: str) -> list[int]:
    return [id for id, reason in one.held_back.items() if reason == why]
