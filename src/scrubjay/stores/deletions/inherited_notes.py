"""The notes of tasks: one that is worded anew inherits the note of the one before, and both forget it together."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from typing import Any

from scrubjay.errors import Damaged
from scrubjay.stores.columns import object_from
from scrubjay.stores.contract import Rows
from scrubjay.stores.deletions.kept_rows import kept_from
from scrubjay.stores.revisions.edits import TASK

__all__ = ["forget_notes"]

NOTE = f"{TASK}note"
NOTES = "select note from tasks where memory in (:ids) and note is not null"
BEFORE = "select id, before from edits where memory in (:ids) and instr(before, :name) > 0"
IN_TRASH = "select id, kept from trash where id in (:ids)"
HAVING = "select memory from tasks where memory in (:ids) and note in (:notes)"
FORGET = "update tasks set note = null where memory in (:ids) and note in (:notes)"


def forget_notes(rows: Rows, ids: Collection[int], connected: Collection[int]) -> list[int]:
    """Take the notes of these tasks, also former ones, from those that they replaced or that replaced them.

    Returns the ids of the tasks that had one.
    """
    notes = sorted({*_notes_of(rows, ids), *_former_notes_of(rows, ids)})
    others = sorted({*connected} - {*ids})
    if not notes or not others:
        return []
    had = [id for (id,) in rows.all(HAVING, ids=others, notes=notes)]
    rows.run(FORGET, ids=others, notes=notes)
    for id, before in rows.all(BEFORE, ids=others, name=NOTE):
        rows.run("update edits set before = :before where id = :id", id=id, before=_without(before, notes))
    return sorted({*had, *_forget_in_trash(rows, others, notes)})


def _notes_of(rows: Rows, ids: Collection[int]) -> Iterator[str]:
    yield from (note for (note,) in rows.all(NOTES, ids=[*ids]))
    for _, kept in _kept(rows, ids):
        yield from (task["note"] for task in kept.get("tasks", []) if task.get("note"))


def _former_notes_of(rows: Rows, ids: Collection[int]) -> Iterator[str]:
    found = [before for _, before in rows.all(BEFORE, ids=[*ids], name=NOTE)]
    found += [edit["before"] for _, kept in _kept(rows, ids) for edit in kept.get("edits", [])]
    for before in found:
        if note := _object(before).get(NOTE):
            yield note


def _forget_in_trash(rows: Rows, ids: Collection[int], notes: Sequence[str]) -> Iterator[int]:
    for id, kept in _kept(rows, ids):
        before = json.dumps(kept)
        tasks = kept.get("tasks", [])
        if any(task.get("note") in notes for task in tasks):
            yield id
        kept["tasks"] = [{**task, "note": None} if task.get("note") in notes else task for task in tasks]
        kept["edits"] = [{**edit, "before": _without(edit["before"], notes)} for edit in kept.get("edits", [])]
        if (after := json.dumps(kept)) != before:
            rows.run("update trash set kept = :kept where id = :id", id=id, kept=after)


def _kept(rows: Rows, ids: Collection[int]) -> Iterator[tuple[int, dict[str, Any]]]:
    """What the trash keeps of these, as far as it can be read: a repair tells the rest."""
    for id, text in rows.all(IN_TRASH, ids=[*ids]):
        with suppress(Damaged, TypeError):
            yield id, kept_from(text)


def _without(before: str, notes: Sequence[str]) -> str:
    """What an update had changed, as if the task had had no note before it."""
    changed = _object(before)
    if changed.get(NOTE) not in notes:
        return before
    return json.dumps({**changed, NOTE: None}, ensure_ascii=False)


def _object(text: str) -> dict[str, Any]:
    with suppress(Damaged):
        return object_from(text)
    return {}
