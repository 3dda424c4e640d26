"""Relative dates in texts that are kept: the day that they mean, and the words around it."""

from __future__ import annotations

from datetime import date, datetime, time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrubjay.dates.absolute import with_absolute_dates
from scrubjay.dates.arguments import deadline
from scrubjay.dates.questions import times
from scrubjay.dates.relative import NEAR_DAYS
from scrubjay.text.word_lists import WEEKDAYS


def test_days_are_told_by_their_dates() -> None:
    day = date(2026, 5, 1)  # a Friday
    assert with_absolute_dates("moves tomorrow, came yesterday", day) == "moves on 2026-05-02, came on 2026-04-30"
    assert (
        with_absolute_dates("starts next week or next month", day) == "starts in the week of 2026-05-04 or in 2026-06"
    )
    assert (
        with_absolute_dates("due on next Monday, was due last Monday", day)
        == "due on 2026-05-04, was due on 2026-04-27"
    )
    assert (
        with_absolute_dates("last year", date(2026, 1, 1)) == "in 2025"
        and with_absolute_dates("today's news", day) == "today's news"
    )


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("We moved the launch to tomorrow", "We moved the launch to 2026-11-20"),
        ("It must be done by next Friday", "It must be done by 2026-11-20"),
        ("I work from home until next week", "I work from home until the week of 2026-11-23"),
        ("The numbers from last month are for this year", "The numbers from 2026-10 are for 2026"),
        ("We are closed between today and tomorrow", "We are closed between 2026-11-19 and 2026-11-20"),
        ("It is planned for today or tomorrow", "It is planned for 2026-11-19 or 2026-11-20"),
        ("Tomorrow we ship", "On 2026-11-20 we ship"),
        ("Tomorrow is the deadline", "2026-11-20 is the deadline"),
        ("Next year will be better", "2027 will be better"),
        ("We meet tomorrow morning, by this evening at last", None),
        ("Back the day after tomorrow", "Back on 2026-11-21"),
        ("I saw her at the day before yesterday", "I saw her on 2026-11-17"),
        ("Seen day before yesterday", "Seen on 2026-11-17"),
        ("as of today", "as of 2026-11-19"),
        ("over the last year, the last week of March", "over the last year, the last week of March"),
        ("It happened on last Monday in this month", "It happened on 2026-11-16 in 2026-11"),
    ],
)
def test_a_date_fits_the_words_around_it(said: str, kept: str | None) -> None:
    whole = "We meet on the morning of 2026-11-20, by the evening of 2026-11-19 at last"
    assert with_absolute_dates(said, date(2026, 11, 19)) == (kept or whole)


@given(st.sampled_from(sorted(NEAR_DAYS)), st.dates(date(1990, 1, 1), date(2090, 1, 1)))
def test_a_near_day_is_the_same_in_a_text_and_as_an_argument(name: str, day: date) -> None:
    now = datetime.combine(day, time(12)).astimezone()
    assert f"{deadline(name, 'due', now).astimezone():%Y-%m-%d}" in with_absolute_dates(f"It is due {name}.", day)


@given(st.sampled_from(WEEKDAYS), st.dates(date(1990, 1, 1), date(2090, 1, 1)))
def test_a_weekday_is_the_same_in_a_text_as_an_argument_and_in_a_question(name: str, day: date) -> None:
    now = datetime.combine(day, time(12)).astimezone()
    (asked, *_), _ = times(f"What happened last {name}?", now)
    assert with_absolute_dates(f"last {name}", day) == f"on {asked.start.astimezone():%Y-%m-%d}"
    assert (
        with_absolute_dates(f"next {name}", day) == f"on {deadline(f'next {name}', 'due', now).astimezone():%Y-%m-%d}"
    )
