"""What stays of a change in which an erased memory took part: no reason, since that may tell what was erased."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any

from scrubjay.errors import Damaged
from scrubjay.stores.columns import object_from
from scrubjay.stores.contract import Rows
from scrubjay.stores.deletions.forgotten_names import note_reason
from scrubjay.stores.deletions.kept_rows import Row, kept_from

__all__ = ["erase_steps"]

IS_GONE = "not in (select id from memories union all select id from trash)"
TO_ERASE = f"select kept from trash_steps where old {IS_GONE} or new {IS_GONE}"
ERASE = f"delete from trash_steps where old {IS_GONE} or (new {IS_GONE} and old not in (select id from trash))"
LEADS_NOWHERE = f"update trash_steps set new = null where new {IS_GONE}"
UNDONE = """
    select undone_at, undone_reason from steps
    where undone_reason is not null and (change in (:changes) or undoes in (:changes))
"""
REASONS = """
    select m.space, s.at, s.reason from steps s join memories m on m.id = s.old
    where s.reason is not null and (s.change in (:changes) or s.undoes in (:changes))
    union select m.space, s.undone_at, s.undone_reason from steps s join memories m on m.id = s.old
    where s.undone_reason is not null and (s.change in (:changes) or s.undoes in (:changes))
"""
SPACE = "select space from memories where id in (:ids) union select space from trash where id in (:ids) limit 1"
FORGET = "update steps set reason = null, undone_reason = null where change in (:changes) or undoes in (:changes)"
FORGET_OF_EDIT = "update edits set undone_reason = null where undone_at = :at and undone_reason = :reason"

Undone = set[tuple[Any, Any]]  # when something was undone, and why: an update that went with it says the same


def erase_steps(rows: Rows, at: datetime) -> None:
    """Erase what the trash keeps of steps from and to erased memories; what was replaced in the trash stays so."""
    _forget_reasons(rows, at)
    rows.run(ERASE)
    rows.run(LEADS_NOWHERE)


def _forget_reasons(rows: Rows, at: datetime) -> None:
    """Forget the reasons of all changes in which an erased memory took part; no older export brings them back."""
    gone = [_step(kept) for (kept,) in rows.all(TO_ERASE)]
    changes = {step["change"] for step in gone if isinstance(step.get("change"), int)}
    if not changes:
        return
    undone: Undone = {(step.get("undone_at"), step.get("undone_reason")) for step in gone}
    undone |= set(rows.all(UNDONE, changes=changes))
    for space, given_at, reason in rows.all(REASONS, changes=changes):
        note_reason(rows, space, given_at, reason, at)
    rows.run(FORGET, changes=changes)
    rows.run_many(FORGET_OF_EDIT, ({"at": at, "reason": reason} for at, reason in undone if reason))
    _forget_in_trash(rows, changes, undone, at)


def _forget_in_trash(rows: Rows, changes: Collection[int], undone: Undone, at: datetime) -> None:
    for id, old, new, text in rows.all("select id, old, new, kept from trash_steps"):
        step = _step(text)
        if step.get("change") in changes or step.get("undoes") in changes:
            _note_reasons(rows, step, [one for one in (old, new) if one is not None], at)
            kept = json.dumps({**step, "reason": None, "undone_reason": None})
            rows.run("update trash_steps set kept = :kept where id = :id", kept=kept, id=id)
    for id, text in rows.all('select id, kept from trash where instr(kept, \'"undone_reason": "\') > 0'):
        with suppress(Damaged, TypeError, AttributeError):  # a repair says so
            whole = kept_from(text)
            whole["edits"] = [_without_reason(edit, undone) for edit in whole.get("edits", [])]
            rows.run("update trash set kept = :kept where id = :id", kept=json.dumps(whole), id=id)


def _note_reasons(rows: Rows, step: Row, ends: Sequence[int], at: datetime) -> None:
    found = rows.one(SPACE, ids=list(ends))
    for given_at, reason in ((step.get("at"), step.get("reason")), (step.get("undone_at"), step.get("undone_reason"))):
        if found and given_at and reason:
            note_reason(rows, found[0], given_at, reason, at)


def _step(text: str) -> Row:
    with suppress(Damaged):
        return object_from(text)
    return {}


def _without_reason(edit: Row, undone: Undone) -> Row:
    is_told = (edit.get("undone_at"), edit.get("undone_reason")) in undone
    return {**edit, "undone_reason": None} if is_told else edit
