"""Times in words, wherever a time is taken: of what has been, and of what lies ahead."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest

from scrubjay import Invalid, Scrubjay
from scrubjay.dates.phrases import deadline, first_moment, last_moment
from scrubjay.dates.timestamps import end_of, start_of
from tests.support.clock import Clock
from tests.support.commands import Run

NOW = datetime(2026, 11, 19, 12, 0, tzinfo=UTC)  # a Thursday

PAST = [
    ("today", "2026-11-19", "2026-11-19"),
    ("Yesterday", "2026-11-18", "2026-11-18"),
    ("the day before yesterday", "2026-11-17", "2026-11-17"),
    ("last week", "2026-11-09", "2026-11-15"),
    ("this week", "2026-11-16", "2026-11-22"),
    ("last month", "2026-10-01", "2026-10-31"),
    ("last year", "2025-01-01", "2025-12-31"),
    ("monday", "2026-11-16", "2026-11-16"),
    ("last monday", "2026-11-16", "2026-11-16"),
    ("3 days ago", "2026-11-16", "2026-11-16"),
    ("two weeks ago", "2026-11-05", "2026-11-05"),
    ("a month ago", "2026-10-19", "2026-10-19"),
    ("last 7 days", "2026-11-12", "2026-11-19"),
    ("march", "2026-03-01", "2026-03-31"),
    ("7 May 2023", "2023-05-07", "2023-05-07"),
    ("2025", "2025-01-01", "2025-12-31"),
    ("letzte Woche", "2026-11-09", "2026-11-15"),
    ("tomorrow", "2026-11-20", "2026-11-20"),
]
FUTURE = [
    ("today", "2026-11-19"),
    ("tonight", "2026-11-19"),
    ("tomorrow", "2026-11-20"),
    ("the day after tomorrow", "2026-11-21"),
    ("friday", "2026-11-20"),
    ("next friday", "2026-11-20"),
    ("thursday", "2026-11-26"),
    ("this week", "2026-11-22"),
    ("next week", "2026-11-29"),
    ("end of the month", "2026-11-30"),
    ("end of next month", "2026-12-31"),
    ("end of this year", "2026-12-31"),
    ("next year", "2027-12-31"),
    ("next quarter", "2027-03-31"),
    ("next spring", "2027-05-31"),
    ("in 2 weeks", "2026-12-03"),
    ("in a week", "2026-11-26"),
    ("2 days from now", "2026-11-21"),
    ("in three months", "2027-02-19"),
    ("march", "2027-03-31"),
    ("5 March", "2027-03-05"),
    ("december 24", "2026-12-24"),
    ("christmas", "2026-12-26"),
    ("2027", "2027-12-31"),
    ("yesterday", "2026-11-18"),
]


@pytest.mark.parametrize(("text", "first", "last"), PAST, ids=[phrase for phrase, *_ in PAST])
def test_a_time_that_has_been_is_understood_as_in_questions(text: str, first: str, last: str) -> None:
    assert first_moment(text, "since", NOW) == start_of(first, "since")
    assert last_moment(text, "until", NOW) == end_of(last, "until")


@pytest.mark.parametrize(("text", "last"), FUTURE, ids=[phrase for phrase, _ in FUTURE])
def test_a_deadline_lies_ahead_up_to_its_last_moment(text: str, last: str) -> None:
    assert deadline(text, "due", NOW) == end_of(last, "due")


def test_hours_and_minutes_are_counted_from_now() -> None:
    assert first_moment("3 hours ago", "since", NOW) == NOW - timedelta(hours=3)
    assert deadline("in 30 minutes", "due", NOW) == NOW + timedelta(minutes=30)
    assert last_moment("now", "until", NOW) == NOW


@pytest.mark.parametrize(
    "text", ["soonish", "", "last week heron", "2 weeks", "the 99th", "in 9999 years", "week", "x" * 600]
)
def test_what_is_no_time_is_refused_with_examples(text: str) -> None:
    with pytest.raises(Invalid, match=r"^since is not a date or time: .*yesterday, last week or 3 days ago\.$"):
        first_moment(text, "since", NOW)
    with pytest.raises(Invalid, match=r"^due is not a date or time: .*tomorrow, next friday or in 2 weeks\.$"):
        deadline(text, "due", NOW)


def test_dates_and_iso_text_mean_what_they_did() -> None:
    assert first_moment(date(2026, 5, 1), "since", NOW) == start_of("2026-05-01", "since")
    assert deadline("2026-05-01T10:00+02:00", "due", NOW) == datetime(2026, 5, 1, 8, tzinfo=UTC)
    with pytest.raises(Invalid, match="has no time zone"):
        last_moment(datetime(2026, 5, 1), "until", NOW)


def test_python_takes_phrases_wherever_it_takes_times(jay: Scrubjay, clock: Clock) -> None:
    old = jay.add("Herons nest in March", happened_at="3 days ago", expires_at="next month").memory
    new = jay.add("Storks nest in April").memory
    assert old.happened_at == start_of("2026-04-28", "x") and old.expires_at == end_of("2026-06-30", "x")
    assert [memory.id for memory in jay.list(since="yesterday")] == [new.id]
    assert [memory.id for memory in jay.list(until="yesterday")] == [old.id]
    assert [hit.memory.id for hit in jay.search("nest", since="last 7 days", until="yesterday")] == [old.id]
    assert [memory.id for memory in jay.list(as_of="yesterday")] == [old.id]
    task = jay.tasks.create("Feed them", due="tomorrow")
    assert task.due == end_of("2026-05-02", "due")
    assert [one.memory.id for one in jay.tasks.list(due_before="in 2 weeks")] == [task.memory.id]
    assert jay.tasks.list(due_before="today") == []
    assert jay.tokens.create("laptop", expires_at="in 2 weeks")[0].expires_at == end_of("2026-05-15", "x")
    with pytest.raises(Invalid, match="lies in the past"):
        jay.add("Too late", expires_at="yesterday")


def test_so_does_the_command_line(run: Run) -> None:
    run("add", "Herons nest in March", "--expires", "tomorrow", "--happened", "last week")
    run("add", "Storks nest in April")
    assert [one["id"] for one in run("list", "--since", "today", "--json").json["memories"]] == [2]
    assert [one["id"] for one in run("search", "nest", "--until", "yesterday", "--json").json["results"]] == [1]
    assert len(run("timeline", "--since", "this week", "--json").json["events"]) == 1
    assert run("tasks", "create", "Feed them", "--due", "next friday").code == 0
    answer = run("list", "--since", "soonish")
    assert answer.code == 2 and "yesterday, last week or 3 days ago" in answer.err
