"""Moments: with a time zone, in UTC; a date alone is its whole day where the reader is."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import scrubjay
from scrubjay import Invalid, Scrubjay
from scrubjay.dates.timestamps import end_of, local_day, now, start_of
from scrubjay.interfaces.mcp.tools.core import memory_search, memory_timeline
from scrubjay.interfaces.mcp.tools.tasks import task_list

Zone = Callable[[str], None]

TOKYO = "JST-9"
NEW_YORK = "EST5EDT,M3.2.0,M11.1.0"
BERLIN = "CET-1CEST,M3.5.0,M10.5.0/3"
CAIRO = "EET-2EEST,M4.5.5/0,M10.5.4/24"  # clocks jump over a midnight, and repeat the hour before one
HAVANA = "CST5CDT,M3.2.0/0,M11.1.0/1"  # clocks jump over a midnight, and repeat the hour after one
ZONES = ["UTC", TOKYO, NEW_YORK, BERLIN, CAIRO, HAVANA]


@pytest.fixture
def zone(monkeypatch: pytest.MonkeyPatch) -> Iterator[Zone]:
    """Move the reader to another time zone."""

    def move(name: str) -> None:
        monkeypatch.setenv("TZ", name)
        time.tzset()

    yield move
    monkeypatch.undo()
    time.tzset()


def utc(*parts: int) -> datetime:
    return datetime(*parts, tzinfo=UTC)  # type: ignore[misc,arg-type]


MICROSECOND = timedelta(microseconds=1)


def test_now_is_in_utc() -> None:
    assert now().tzinfo is UTC


@pytest.mark.parametrize(
    "text",
    [
        "2026-11-15T09:30:00Z",
        "2026-11-15T09:30Z",
        "2026-11-15 09:30:00+00:00",
        "2026-11-15T10:30+01:00",
        "20261115T093000Z",
        "2026-11-15T04:00-05:30",
    ],
)
def test_iso_8601_is_understood_with_any_offset(text: str) -> None:
    for read in (start_of, end_of):
        moment = read(text, "since")
        assert moment == utc(2026, 11, 15, 9, 30) and moment.tzinfo is UTC


@pytest.mark.parametrize("name", ZONES)
def test_a_time_without_a_zone_in_text_is_the_readers(zone: Zone, name: str) -> None:
    zone(name)
    assert start_of("2026-11-15T09:30", "since") == datetime(2026, 11, 15, 9, 30).astimezone(UTC)


@pytest.mark.parametrize("day", ["2026-03-29", "20260329", "2026-W13-7", date(2026, 3, 29)], ids=str)
def test_a_date_may_be_written_in_several_ways(zone: Zone, day: date | str) -> None:
    zone(TOKYO)
    assert start_of(day, "since") == utc(2026, 3, 28, 15)
    assert end_of(day, "until") == utc(2026, 3, 29, 15) - MICROSECOND


@pytest.mark.parametrize(
    ("name", "day", "first", "hours"),
    [
        ("UTC", "2026-03-29", utc(2026, 3, 29), 24),
        (NEW_YORK, "2026-03-29", utc(2026, 3, 29, 4), 24),
        (BERLIN, "2026-03-29", utc(2026, 3, 28, 23), 23),
        (BERLIN, "2026-10-25", utc(2026, 10, 24, 22), 25),
        (CAIRO, "2026-04-24", utc(2026, 4, 23, 22), 23),
        (CAIRO, "2026-10-29", utc(2026, 10, 28, 21), 25),
        (HAVANA, "2026-03-08", utc(2026, 3, 8, 5), 23),
        (HAVANA, "2026-11-01", utc(2026, 11, 1, 4), 25),
    ],
)
def test_a_date_is_its_whole_local_day_however_long(
    zone: Zone, name: str, day: str, first: datetime, hours: int
) -> None:
    zone(name)
    assert start_of(day, "since") == first
    assert end_of(day, "until") == first + timedelta(hours=hours) - MICROSECOND


@pytest.mark.parametrize("name", ZONES)
def test_days_follow_each_other_without_gap_or_overlap(zone: Zone, name: str) -> None:
    zone(name)
    day = date(2026, 1, 1)
    while day < date(2027, 1, 1):
        following = day + timedelta(days=1)
        assert end_of(day, "until") + MICROSECOND == start_of(following, "since")
        day = following


def test_a_day_filters_what_happened_on_it_where_the_reader_is(jay: Scrubjay, zone: Zone) -> None:
    zone(TOKYO)
    jay.add("Breakfast", happened_at=utc(2026, 3, 4, 23))
    assert len(jay.list(since="2026-03-05", until="2026-03-05")) == 1
    zone(NEW_YORK)
    assert len(jay.list(since="2026-03-04", until=date(2026, 3, 4))) == 1
    assert jay.list(since="2026-03-05") == []


def test_what_expires_on_a_day_lasts_until_its_end(jay: Scrubjay, zone: Zone) -> None:
    zone(NEW_YORK)
    assert jay.add("Tea", expires_at="2026-05-01").memory.expires_at == utc(2026, 5, 2, 4) - MICROSECOND


def test_a_datetime_without_a_zone_is_refused(jay: Scrubjay) -> None:
    with pytest.raises(Invalid, match="happened_at has no time zone"):
        jay.add("Tea", happened_at=datetime(2026, 3, 5))
    for name in ("since", "until"):
        with pytest.raises(Invalid, match=f"{name} has no time zone"):
            jay.list(**{name: datetime(2026, 3, 5)})  # type: ignore[arg-type]


def test_a_datetime_keeps_its_moment() -> None:
    there = datetime(2026, 3, 5, 12, 0, 0, 7, tzinfo=timezone(timedelta(hours=5, minutes=45)))
    for read in (start_of, end_of):
        assert read(there, "since") == there and read(there, "since").tzinfo is UTC


@pytest.mark.parametrize(
    "given",
    [
        "",
        " ",
        "yesterday",
        "2026",
        "2026-13-01",
        "2026-02-30",
        "2026-11-15T25:00",
        "15.11.2026",
        "٢٠٢٦-١١-١٥",
        "x" * 9999,
    ],
    ids=lambda text: ascii(text[:12]),
)
def test_what_is_no_date_is_one_short_sentence(given: str) -> None:
    for read in (start_of, end_of):
        with pytest.raises(Invalid, match="since is not a date or time") as refusal:
            read(given, "since")
        assert len(str(refusal.value)) < 200


@pytest.mark.parametrize(
    "given", [5, 5.0, True, None, [], object(), time.gmtime()], ids=lambda value: type(value).__name__
)
def test_what_is_no_moment_at_all_is_refused(given: Any) -> None:
    with pytest.raises(Invalid, match="since must be a datetime, a date or an ISO 8601 string"):
        start_of(given, "since")


@pytest.mark.parametrize("name", ZONES)
@pytest.mark.parametrize("day", [date.min, date.max, "0001-01-01", "9999-12-31"], ids=str)
def test_the_ends_of_the_calendar_are_days_or_refused(zone: Zone, name: str, day: date | str) -> None:
    zone(name)
    for read in (start_of, end_of):
        try:
            assert read(day, "since").tzinfo is UTC
        except Invalid as refusal:
            assert str(refusal) == "since is out of range; years from 2 to 9998 work."


@pytest.mark.parametrize("text", ["0001-01-01T00:00+14:00", "9999-12-31T23:59-12:00"])
def test_a_moment_that_has_no_utc_is_refused(text: str) -> None:
    with pytest.raises(Invalid, match="out of range"):
        start_of(text, "since")


def test_years_2_and_9998_are_in_range(zone: Zone) -> None:
    for name in ZONES:
        zone(name)
        assert start_of("0002-01-01", "since") < end_of("9998-12-31", "until")


@given(st.text() | st.datetimes().map(str) | st.dates().map(str) | st.from_regex(r"\d{4}-\d\d-\d\dT\d\d:\d\dZ?"))
def test_any_text_is_a_moment_or_one_sentence(text: str) -> None:
    for read in (start_of, end_of):
        try:
            assert read(text, "since").tzinfo is UTC
        except Invalid as refusal:
            assert str(refusal).startswith("since ")


@given(st.datetimes(timezones=st.timezones() | st.just(UTC)) | st.dates())
def test_any_moment_is_in_utc_or_one_sentence(moment: datetime | date) -> None:
    for read in (start_of, end_of):
        try:
            assert read(moment, "since").tzinfo is UTC
        except Invalid as refusal:
            assert str(refusal).startswith("since ")


@pytest.mark.parametrize("place", ZONES)
def test_an_agent_is_told_the_days_that_the_user_named(zone: Zone, path: Path, place: str) -> None:
    zone(place)
    with scrubjay.open(path, embedder="hashing") as jay:
        jay.tasks.create("Renew the passport", due="2026-12-01", happened_at="2026-03-02")
        jay.add("User prefers tea", kind="preference", happened_at="2026-03-01")
        told = jay.context().text
    assert "task 2026-03-02 (pending, normal, due 2026-12-01)" in told and "preference 2026-03-01:" in told


@pytest.mark.parametrize("place", ZONES)
@pytest.mark.parametrize("when", ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z"])
def test_a_time_that_has_no_local_day_ends_no_answer_about_it(
    zone: Zone, path: Path, tmp_path: Path, place: str, when: str
) -> None:
    zone(place)
    with scrubjay.open(path, embedder="hashing") as jay:
        jay.add_turns("walk", [{"speaker": "user", "text": "I will see the heron tomorrow", "happened_at": when}])
        jay.add("I always drink tea", happened_at=when)
        jay.tasks.create("Count the eggs", happened_at=when)
        assert "heron" in memory_timeline.function(jay).text
        assert "eggs" in task_list.function(jay).text and "heron" in memory_search.function(jay, "heron").text
        jay.export_markdown(tmp_path / "pages")
        assert any("heron" in page.read_text() for page in (tmp_path / "pages").rglob("*.md"))
        assert jay.extract(session="walk", dry_run=True) is not None
        assert all(local_day(memory.happened_at) for memory in jay.list())
