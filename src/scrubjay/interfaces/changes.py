"""How memories changed, for people: what replaced what, updates, links, and what was undone."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from scrubjay.interfaces.formatting import day, joined_ids, memory_rows
from scrubjay.interfaces.table import table
from scrubjay.text.plural import singular_or_plural
from scrubjay.text.safe_text import one_line
from scrubjay.types import Link

if TYPE_CHECKING:
    from scrubjay.types.history import Edit, History, Reverted, Step

__all__ = ["change_lines", "history", "reverted"]


def history(found: History) -> str:
    """The current memories and those they replaced, then each replacement, each update and each link."""
    shown = zip(found, memory_rows(found, marked=False), strict=True)
    rows = [["was" if memory.superseded_at else "is", *row] for memory, row in shown]
    memories = table(["", "id", "kind", "date", "title"], rows)
    return "\n".join([memories, *change_lines(found)])


def change_lines(found: History) -> list[str]:
    return [*map(step_line, found.steps), *map(edit_line, found.edits), *map(link_made_line, found.links)]


def step_line(step: Step) -> str:
    reason = f", {step.reason}" if step.reason else ""
    line = f"{step.new or 'something deleted'} replaced {step.old} on {day(step.at)}{reason}"
    return one_line(line + _undone(step.undone_at, f", {step.undone_reason}" if step.undone_reason else ""))


def edit_line(edit: Edit) -> str:
    who = f" by {edit.actor}" if edit.actor else ""
    line = f"{edit.memory} was updated on {day(edit.at)}{who}: {', '.join(edit.fields)}"
    return one_line(line + _undone(edit.undone_at, f", {edit.undone_reason}" if edit.undone_reason else ""))


def link_made_line(link: Link) -> str:
    who = f" by {link.actor}" if link.actor else ""
    line = f"{link.source} was linked to {link.target} on {day(link.at)}{who}: {link.word}"
    return one_line(line + _undone(link.undone_at, f" by {link.undone_by}" if link.undone_by else ""))


def _undone(at: datetime | None, more: str) -> str:
    """The end of a line about a change that was taken back."""
    return "" if at is None else f"; undone on {day(at)}{more}"


def reverted(undone: Reverted) -> str:
    """What `revert` did, in one sentence."""
    if undone.fields:
        return one_line(f"Undid the last update of {undone.old}: {', '.join(undone.fields)}.")
    new = undone.new or "something deleted"
    if not undone.restored:
        return f"{new} no longer replaces {undone.old}."
    them = singular_or_plural(len(undone.restored), "it", "them")
    return f"Restored {joined_ids(undone.restored)}; {new} no longer replaces {them}."
