"""What happened, day by day, with a year at a glance; and conversations, to read as such."""

from __future__ import annotations

from collections import Counter
from datetime import date, datetime, time, timedelta

from starlette.responses import Response

from scrubjay.dates.timestamps import in_local_time
from scrubjay.interfaces.page.drawings import WEEKS, year
from scrubjay.interfaces.page.visits import Page, Visit

__all__ = ["PAGES"]

EVENTS = 200
SESSIONS = 100
TURNS = 200  # on a page
DAY = timedelta(days=1)


def timeline(visit: Visit) -> Response:
    today = in_local_time(visit.jay.view.clock()).date()
    day = _day(visit.asked("day")) or today
    events = visit.jay.timeline(since=day.isoformat(), until=day.isoformat(), limit=EVENTS)
    return visit.show(
        "timeline.html",
        day=day,
        before=day - DAY if day > date.min else None,
        after=day + DAY if day < today else None,
        events=events[::-1],
        is_cut=len(events) == EVENTS,
        picture=year(_by_day(visit, today), today),
    )


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def _by_day(visit: Visit, last: date) -> Counter[date]:
    """How many memories are of each local day of the last year."""
    first = datetime.combine(last - timedelta(weeks=WEEKS), time.min).astimezone()
    until = datetime.combine(last + DAY, time.min).astimezone()
    counts: Counter[date] = Counter()
    for hour, count in visit.jay.view.store.figures.by_hour(visit.jay.space, first, until).items():
        counts[hour.astimezone().date()] += count
    return counts


def conversations(visit: Visit) -> Response:
    return visit.show("conversations.html", sessions=visit.jay.sessions.list(limit=SESSIONS))


def conversation(visit: Visit) -> Response:
    session = visit.jay.sessions.get(visit.part("name"))
    turns = visit.jay.sessions.turns(session.name)
    first = min(visit.number("from"), max(len(turns) - 1, 0))
    return visit.show(
        "conversation.html",
        session=session,
        turns=turns[first : first + TURNS],
        summary=visit.jay.get(session.summary) if session.summary else None,
        before=max(first - TURNS, 0) if first else None,
        after=first + TURNS if first + TURNS < len(turns) else None,
        total=len(turns),
    )


PAGES = (
    Page("/timeline", timeline),
    Page("/conversations", conversations),
    Page("/conversations/{name:path}", conversation),
)
