"""The first page: what came in, what agents were given, what is due, and what needs a decision."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from starlette.responses import RedirectResponse, Response

from scrubjay.dates.timestamps import in_local_time
from scrubjay.errors import Invalid, NotFound
from scrubjay.interfaces.page.decisions import duplicates, stale_citations
from scrubjay.interfaces.page.notices import Notice
from scrubjay.interfaces.page.visits import Page, Visit, cookie_name
from scrubjay.types import Memory

__all__ = ["PAGES"]

NEWEST = 40
SHOWN_CONFLICTS, SHOWN_DUPLICATES, SHOWN_CITATIONS = 3, 3, 5
SHOWN_ACTIVITY = 12
A_YEAR_SECONDS = 365 * 24 * 60 * 60


def today(visit: Visit) -> Response:
    jay = visit.jay
    newest = jay.list(limit=NEWEST)
    return visit.show(
        "today.html",
        now=jay.view.clock(),
        **_came_in(visit, newest),
        **_due(visit),
        **_decisions(visit),
        activity=_activity(visit),
    )


def _came_in(visit: Visit, newest: list[Memory]) -> dict[str, Any]:
    """What came in today; on a day without anything, the newest before it."""
    day = in_local_time(visit.jay.view.clock()).date()
    since_midnight = [one for one in newest if in_local_time(one.created_at).date() == day]
    return {"came_in": since_midnight or newest[:10], "is_today": bool(since_midnight), "is_empty": not newest}


def _due(visit: Visit) -> dict[str, Any]:
    tomorrow = visit.jay.view.clock() + timedelta(days=1)
    return {"tasks": visit.jay.tasks.list(due_before=tomorrow)[:20], "skills": visit.jay.skills.due()}


def _decisions(visit: Visit) -> dict[str, Any]:
    view, found = visit.jay.view, visit.jay.conflicts()
    return {
        "conflicts": found[:SHOWN_CONFLICTS],
        "conflict_count": len(found),
        "duplicates": duplicates(view, SHOWN_DUPLICATES),
        "citations": stale_citations(view, SHOWN_CITATIONS) if visit.is_own else [],
    }


def _activity(visit: Visit) -> list[dict[str, Any]]:
    """What hooks did, each with the memories that the agent was given."""
    if not visit.may("read", "admin"):
        return []
    done = [one for entry in visit.jay.activity(limit=SHOWN_ACTIVITY) if (one := visit.seen(entry)) is not None]
    told = visit.jay.view.store.memories.get(
        [id for one in done for id in one.memories], [visit.jay.space], visit.jay.view.clock()
    )
    return [{"done": one, "told": [told[id] for id in one.memories if id in told]} for one in done]


def conflicts(visit: Visit) -> Response:
    return visit.show("conflicts.html", conflicts=visit.jay.conflicts()[:100])


def keep(visit: Visit) -> Response:
    """Decide a conflict, or a pair that says the same: one memory takes the place of the other."""
    chosen, other = visit.number("keep"), visit.number("other")
    visit.jay.supersede(other, by=chosen)
    return visit.go(visit.back("/"), Notice("decided", other, visit.back("/")))


def dismiss(visit: Visit) -> Response:
    older, newer = visit.number("older"), visit.number("newer")
    visit.jay.dismiss(older, newer)
    return visit.go(visit.back("/"), Notice("dismissed", older, newer, visit.back("/")))


def reopen(visit: Visit) -> Response:
    visit.jay.dismiss(visit.number("older"), visit.number("newer"), undo=True)
    return visit.go(visit.back("/"), Notice("reopened"))


def add(visit: Visit) -> Response:
    added = visit.jay.add(visit.asked("text"))
    return visit.go(f"/memories/{added.memory.id}", Notice("added" if added.created else "known", added.memory.id))


def choose_space(visit: Visit) -> Response:
    """Look at another space; the choice stays with the browser."""
    wanted = visit.asked("space")
    if wanted not in visit.spaces():
        raise NotFound("There is no such space, or this login is not for it.")
    if not wanted.isascii() or not wanted.isprintable() or ";" in wanted:
        raise Invalid("A browser cannot keep the name of that space; open it with `scrubjay page --space`.")
    response = RedirectResponse("/", 303)
    response.set_cookie(
        f"{cookie_name(visit.request)}-space", wanted, max_age=A_YEAR_SECONDS, httponly=True, samesite="strict",
        secure=visit.request.url.scheme == "https",
    )  # fmt: skip
    return response


PAGES = (
    Page("/", today),
    Page("/conflicts", conflicts),
    Page("/conflicts/keep", keep, "POST", ("read", "write")),
    Page("/conflicts/dismiss", dismiss, "POST", ("read", "write")),
    Page("/conflicts/reopen", reopen, "POST", ("read", "write")),
    Page("/memories", add, "POST", ("read", "write")),
    Page("/space", choose_space, "POST"),
)
