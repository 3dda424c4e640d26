"""What can be done to a memory: correct, confirm, undo, tag, link, rate, delete, forget. Each says how to undo it."""

from __future__ import annotations

from starlette.responses import Response

from scrubjay.interfaces.page.notices import Notice
from scrubjay.interfaces.page.visits import Page, Visit
from scrubjay.types.tokens import Scope

__all__ = ["PAGES"]


def _memory_page(visit: Visit, done: str, id: int, undo: int | None = None) -> Response:
    return visit.go(f"/memories/{id}", Notice(done, id if undo is None else undo))


def correct_form(visit: Visit) -> Response:
    return visit.show("correct.html", memory=visit.jay.view.existing(visit.number("id")))


def correct(visit: Visit) -> Response:
    old, text = visit.number("id"), visit.asked("text").replace("\r\n", "\n")
    added = visit.jay.supersede(old, text, reason=visit.asked("reason") or None)
    return _memory_page(visit, "corrected", added.memory.id, undo=old)


def confirm(visit: Visit) -> Response:
    undo = bool(visit.asked("undo"))
    memory = visit.jay.confirm(visit.number("id"), undo=undo)
    return _memory_page(visit, "unconfirmed" if undo else "confirmed", memory.id)


def revert(visit: Visit) -> Response:
    """Undo the last change; of a replacement, the memory that is current again is shown."""
    undone = visit.jay.revert(visit.number("id"))
    shown = undone.restored[0] if undone.restored else undone.old
    return visit.go(visit.back(f"/memories/{shown}"), Notice("reverted"))


def update(visit: Visit) -> Response:
    """Tags, title and importance."""
    tags = [tag.strip() for tag in visit.asked("tags").split(",") if tag.strip()]
    title = visit.asked("title") or None
    memory = visit.jay.update(visit.number("id"), tags=tags, title=title, importance=visit.number("importance", 5))
    return _memory_page(visit, "updated", memory.id)


def rate(visit: Visit) -> Response:
    return _memory_page(visit, "rated", visit.jay.rate(visit.number("id"), helpful=visit.asked("helpful") == "yes").id)


def link(visit: Visit) -> Response:
    made = visit.jay.link(visit.number("id"), visit.number("to"), visit.asked("word") or None)
    return visit.go(f"/memories/{made.source}", Notice("linked", made.source, made.source, made.target, made.word))


def unlink(visit: Visit) -> Response:
    source, target, word = visit.number("source"), visit.number("target"), visit.asked("word")
    visit.jay.unlink(source, target, word or None)
    undo = Notice("unlinked", source, target, word) if word else Notice("unlinked")
    return visit.go(f"/memories/{visit.number('id')}", undo)


def delete(visit: Visit) -> Response:
    id = visit.number("id")
    visit.jay.delete(id)
    return visit.go(visit.back("/"), Notice("deleted", id))


def undelete(visit: Visit) -> Response:
    return _memory_page(visit, "undeleted", visit.jay.undelete(visit.number("id")).id)


def forget_form(visit: Visit) -> Response:
    """What forgetting would erase: nothing is done yet."""
    id = visit.number("id")
    return visit.show("forget.html", id=id, planned=visit.jay.forget(id, dry_run=True))


def forget(visit: Visit) -> Response:
    done = visit.jay.forget(visit.number("id"), derived=bool(visit.asked("derived")))
    return visit.show("forgotten.html", done=done)


WRITE: tuple[Scope, ...] = ("read", "write")
PAGES = (
    Page("/memories/{id:int}/correct", correct_form, scopes=WRITE),
    Page("/memories/{id:int}/correct", correct, "POST", WRITE),
    Page("/memories/{id:int}/confirm", confirm, "POST", WRITE),
    Page("/memories/{id:int}/revert", revert, "POST", WRITE),
    Page("/memories/{id:int}/update", update, "POST", WRITE),
    Page("/memories/{id:int}/rate", rate, "POST", WRITE),
    Page("/memories/{id:int}/link", link, "POST", WRITE),
    Page("/memories/{id:int}/unlink", unlink, "POST", WRITE),
    Page("/memories/{id:int}/delete", delete, "POST", WRITE),
    Page("/memories/{id:int}/undelete", undelete, "POST", WRITE),
    # What cannot be taken back is decided where the memory is.
    Page("/memories/{id:int}/forget", forget_form, scopes=WRITE, own=True),
    Page("/memories/{id:int}/forget", forget, "POST", WRITE, own=True),
)
