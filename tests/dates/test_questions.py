"""Questions that name a time: which days they mean, and that what was remembered then comes first."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrubjay import Scrubjay
from scrubjay.dates.questions import times
from scrubjay.types import Mode
from tests.support.clock import Clock
from tests.support.date_questions import is_right, ours, questions

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)  # a Friday


def days(text: str) -> list[str]:
    """The spans that a question means, as their first and last day here."""
    return [f"{span.start.astimezone():%Y-%m-%d} {span.end.astimezone():%Y-%m-%d}" for span in times(text, NOW).spans]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What did Caroline do on 7 May 2023?", "2023-05-07 2023-05-07"),
        ("who called on the 7th of May, 2023", "2023-05-07 2023-05-07"),
        ("the picture shared on December 1,2023", "2023-12-01 2023-12-01"),
        ("what broke on 2023-05-07?", "2023-05-07 2023-05-07"),
        ("what happened in June 2023", "2023-06-01 2023-06-30"),
        ("the summer of 2021", "2021-06-01 2021-08-31"),
        ("where did we live in the 90s?", "1990-01-01 1999-12-31"),
        ("where was she in winter 2022", "2022-12-01 2023-02-28"),
        ("which cities did Dave see in 2022?", "2022-01-01 2022-12-31"),
        ("the first weekend of August 2023", "2023-08-01 2023-08-07"),
        ("which classes did he join in mid-August 2023", "2023-08-11 2023-08-20"),
        ("what was said in the last week of February 2024", "2024-02-22 2024-02-29"),
        ("between August 11 and August 15 2023", "2023-08-11 2023-08-15"),
        ("from July through September 2024", "2024-07-01 2024-09-30"),
        ("since March 2025", "2025-03-01 2026-05-01"),
        ("after 7 May 2025", "2025-05-07 2026-05-01"),
        ("before 2020", "1900-01-01 2020-01-01"),
        ("how many had he won by July 10, 2022", "1900-01-01 2022-07-10"),
        ("in the week before 16 November 2023", "2023-11-09 2023-11-16"),
        ("the puppy she got two weeks before August 11, 2023", "2023-07-28 2023-08-11"),
        ("on the Saturday after October 28, 2023", "2023-10-28 2023-11-04"),
        ("what did she finish last Friday on 23 January, 2022", "2022-01-23 2022-01-23"),
        ("the outage on 11/25/2025", "2025-11-25 2025-11-25"),
        ("the call of 25/11/2025", "2025-11-25 2025-11-25"),
        ("minutes of 07.11.2025", "2025-11-07 2025-11-07"),
        ("anything from Q1 2025?", "2025-01-01 2025-03-31"),
        ("what slipped in the second half of 2024", "2024-07-01 2024-12-31"),
        ("where did I travel in early 2024?", "2024-01-01 2024-04-30"),
        ("incidents Jan 5-9, 2026", "2026-01-05 2026-01-09"),
        ("between 3 and 9 August 2025", "2025-08-03 2025-08-09"),
        ("the plan for the week of 12 August 2025", "2025-08-11 2025-08-17"),
        ("what was said around 3 August 2025", "2025-07-31 2025-08-06"),
        ("in the winter of 2024/25", "2024-12-01 2025-02-28"),
        ("blockers listed in week 14 of 2026", "2026-03-30 2026-04-05"),
        ("bands of the 2010s", "2010-01-01 2019-12-31"),
        ("invoices, Oct '24 I think", "2024-10-01 2024-10-31"),
        ("who came over Christmas 2024?", "2024-12-24 2024-12-26"),
        ("what did we know prior to 2025-10-06?", "1900-01-01 2025-10-06"),
        ("all notes up to and including April 20, 2025", "1900-01-01 2025-04-20"),
        ("early December 2025", "2025-12-01 2025-12-10"),
        ("the first week of December 2024", "2024-12-01 2024-12-07"),
        ("from November to January 2025", "2024-11-01 2025-01-31"),
        ("Christmas Day 2024", "2024-12-25 2024-12-25"),
        ("in March last year", "2025-03-01 2025-03-31"),
        ("what broke since the merge on 3 March 2026", "2026-03-03 2026-05-01"),
        ("what were reports before the migration in March 2025?", "1900-01-01 2025-03-01"),
        ("in January 2025 about my years at Acme from 2010 to 2015", "2025-01-01 2025-01-31"),
    ],
)
def test_a_date_means_its_days(question: str, expected: str) -> None:
    assert days(question) == [expected]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("what did I say yesterday?", "2026-04-30 2026-04-30"),
        ("and the day before yesterday", "2026-04-29 2026-04-29"),
        ("what did I do today", "2026-05-01 2026-05-01"),
        ("what did we do last week", "2026-04-20 2026-04-26"),
        ("what was decided this week", "2026-04-27 2026-05-03"),
        ("last weekend", "2026-04-25 2026-04-26"),
        ("last Friday", "2026-04-24 2026-04-24"),
        ("last Thursday", "2026-04-30 2026-04-30"),
        ("last month", "2026-04-01 2026-04-30"),
        ("last year", "2025-01-01 2025-12-31"),
        ("what did we decide last spring?", "2025-03-01 2025-05-31"),
        ("last June", "2025-06-01 2025-06-30"),
        ("three weeks ago", "2026-04-07 2026-04-13"),
        ("a few days ago", "2026-04-28 2026-04-28"),
        ("in the past two weeks", "2026-04-17 2026-05-01"),
        ("errors of the past 48 hours", "2026-04-29 2026-05-01"),
        ("what did Anna say the week before last", "2026-04-13 2026-04-19"),
        ("what did Marcus say on Thursday about the budget", "2026-04-30 2026-04-30"),
        ("action items from Tuesday's standup", "2026-04-28 2026-04-28"),
        ("what got merged between Monday and Wednesday?", "2026-04-27 2026-04-29"),
        ("what was agreed on Monday of last week?", "2026-04-20 2026-04-20"),
        ("who did I meet on the 15th of last month?", "2026-04-15 2026-04-15"),
        ("what did the dentist tell me on the 3rd?", "2026-04-03 2026-04-03"),
        ("what has changed since last Tuesday?", "2026-04-28 2026-05-01"),
        ("everything I said until last Monday", "1900-01-01 2026-04-27"),
        ("what were we working on at the end of last year?", "2025-11-01 2025-12-31"),
        ("the numbers of the third quarter of last year", "2025-07-01 2025-09-30"),
        ("what did the kids do over the weekend?", "2026-04-25 2026-04-26"),
        ("which databases did we look at in the spring?", "2026-03-01 2026-05-31"),
        ("what was I doing a year ago today?", "2025-05-01 2025-05-01"),
        ("two months ago", "2026-02-14 2026-03-16"),
        ("what changed in the last week?", "2026-04-24 2026-05-01"),
        ("what happened between Thursday and Tuesday?", "2026-04-23 2026-04-28"),
        ("what did I say yesterday about the conference in June?", "2026-04-30 2026-04-30"),
        ("which tests failed today?", "2026-05-01 2026-05-01"),
        ("what happened this week?", "2026-04-27 2026-05-03"),
        ("since the beginning of the year", "2026-01-01 2026-05-01"),
        ("what did I do last may?", "2025-05-01 2025-05-31"),
    ],
)
def test_words_such_as_last_are_told_from_today(question: str, expected: str) -> None:
    assert days(question) == [expected]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("was wurde am 7. Mai 2023 beschlossen?", "2023-05-07 2023-05-07"),
        ("im März 2024", "2024-03-01 2024-03-31"),
        ("was habe ich gestern gesagt", "2026-04-30 2026-04-30"),
        ("was haben wir letzte Woche beschlossen", "2026-04-20 2026-04-26"),
        ("el 7 de mayo de 2023", "2023-05-07 2023-05-07"),
        ("qué hice ayer", "2026-04-30 2026-04-30"),
        ("el mes pasado", "2026-04-01 2026-04-30"),
        ("le 1er août 2023", "2023-08-01 2023-08-01"),
        ("depuis février 2026", "2026-02-01 2026-05-01"),
        ("qu'a-t-elle dit hier soir", "2026-04-30 2026-04-30"),
        ("was habe ich vor drei Wochen erzählt", "2026-04-07 2026-04-13"),
        ("alle Fehler der letzten 14 Tage", "2026-04-17 2026-05-01"),
        ("was ist am Mittwoch fehlgeschlagen?", "2026-04-29 2026-04-29"),
        ("¿Qué hicimos hace diez días?", "2026-04-21 2026-04-21"),
        ("¿Qué ha cambiado desde el lunes?", "2026-04-27 2026-05-01"),
        ("¿Qué sabíamos antes de 2025?", "1900-01-01 2025-01-01"),
        ("Où sommes-nous partis l'été dernier ?", "2025-06-01 2025-08-31"),
        ("qu'est-ce que j'ai dit avant-hier ?", "2026-04-29 2026-04-29"),
        ("les incidents du premier trimestre 2025", "2025-01-01 2025-03-31"),
        ("Was war letzten Mai?", "2025-05-01 2025-05-31"),
        ("was war seit dem 1. April 2026?", "2026-04-01 2026-05-01"),
        ("was haben wir am Wochenende gemacht?", "2026-04-25 2026-04-26"),
        ("vor zwei Jahren im Mai", "2024-05-01 2024-05-31"),
        ("Qu'avons-nous fait le mois dernier ?", "2026-04-01 2026-04-30"),
    ],
)
def test_dates_are_also_read_in_german_spanish_and_french(question: str, expected: str) -> None:
    assert days(question) == [expected]


def test_a_month_without_a_year_is_the_latest_and_then_any_earlier() -> None:
    assert days("in June")[:2] == ["2025-06-01 2025-06-30", "2024-06-01 2024-06-30"]
    assert days("what did we plan in april")[0] == "2026-04-01 2026-04-30"
    assert days("the July 8 workshop")[0] == "2025-07-08 2025-07-08"
    assert days("between May and July")[1] == "2025-05-01 2025-07-31"
    assert days("on 29 February") == ["2024-02-29 2024-02-29"]


@pytest.mark.parametrize(
    "question",
    [
        "",
        "What theme does the user prefer?",
        "When did Melanie run a charity race?",
        "may I use tabs here?",
        "this may be wrong",
        "which of the 5 may fail",
        "we march on with the sun",
        "wait a second, 5 people came",
        "upgrade to version 3.11.4",
        "python 3.12, port 8080, 384 dimensions",
        "is it fixed in 2024.1",
        "who tried Cyberpunk 2077",
        "1/2000 in UK have it",
        "sat on the sun deck with Mark, Jan and April",
        "is there water on Mars?",
        "what should I do today",
        "which film shall we see this weekend",
        "what happens next week",
        "31 June 2023",
        "2023-13-45",
        "in June 2030",
        "the log says 2023-05-07 " * 30,
        "what is our Friday deploy policy?",
        "what do we do on Mondays?",
        "what shall we do on Friday?",
        "the office is on the 3rd floor",
        "what do they eat at Christmas?",
        "Wo ist hier der Fehler?",
        "Was steht morgen auf dem Plan?",
        "¿Cuál es la rutina de los lunes?",
        "did the server fall over?",
        "What was the Spring Boot version?",
        "When was the winter coat bought?",
        "Quels bugs ont été corrigés ?",
        "this may have been wrong",
        "what will we do in June?",
        "what are the goals in Q3?",
        "what do I have today?",
        "1.5 years ago",
        "twenty-one days ago",
        "Mars 2020 rover",
        "which model is gpt-4o-2024-08-06?",
        "what fixed CVE-2024-03?",
        "a timeout after 2000 ms",
        "whose is it, in June's car",
        "what do we do on Monday mornings",
        "what was taught in week 5 of the course",
    ],
)
def test_what_names_no_time_means_none(question: str) -> None:
    assert days(question) == []


def test_a_range_over_the_turn_of_the_year_is_no_longer_than_it_says() -> None:
    assert days("between December and February")[:2] == ["2025-12-01 2026-02-28", "2024-12-01 2025-02-28"]
    assert days("between Christmas and New Year's")[0] == "2025-12-24 2026-01-01"


def test_before_something_still_to_come_means_that_of_last_year() -> None:
    assert days("what was known before Christmas?")[0] == "1900-01-01 2025-12-24"


@pytest.mark.parametrize(
    "question", ["what did we do last week?", "anything from last week", "what happened last week"]
)
def test_a_question_may_ask_for_anything_of_a_time(question: str) -> None:
    assert times(question, NOW).time_only


@pytest.mark.parametrize(
    "question", ["2026-03-03", "what did Ann do last week?", "the cache, last week", "what did Jan say"]
)
def test_or_for_something_of_it(question: str) -> None:
    assert not times(question, NOW).time_only


def test_nearly_all_times_are_read_and_none_where_there_is_none() -> None:
    asked = questions()
    wrong = [one for one in asked if not is_right(one, ours(one))]
    assert len(wrong) <= 8 and all(one.days for one in wrong)


PIECES = st.sampled_from(
    "in on since before after by between and the last past this 7 31 0 99 999 2023 2023-02-30 May march Feb. of de week"
    " weeks ago a few yesterday gestern summer Monday , ? first weekend early mid- ayer İ ß ' ( Q1 h2 5-9 2024/25 31st"
    " 11/25/2025 31.02.2024 '24 2010s 80s week 53 Christmas Thursday's did around end half quarter prior to hace días"
    " vor il y a jours dernier letzten".split()
)


@given(st.text() | st.lists(PIECES, max_size=12).map(" ".join), st.datetimes(datetime(2, 1, 2), datetime(9998, 12, 30)))
def test_any_text_means_some_days_of_the_past_or_none(text: str, now: datetime) -> None:
    for span in times(text, now.replace(tzinfo=UTC)).spans:
        assert span.start < span.end and span.start <= now.replace(tzinfo=UTC)


def keep_diary(jay: Scrubjay) -> None:
    for number, day in enumerate(
        [datetime(2023, 5, 7, 12, tzinfo=UTC) + timedelta(days=30 * month) for month in range(30)]
    ):
        turns = ["How was the trip?", f"The trip was to town T{number}.", "What did you eat there?"]
        jay.add_turns(f"session-{number}", [{"speaker": "Ann", "text": text, "happened_at": day} for text in turns])


def test_what_was_said_then_comes_first(jay: Scrubjay, clock: Clock) -> None:
    keep_diary(jay)
    assert jay.search("where did the trip go?")[0].memory.session != "session-0"
    for mode in ("hybrid", "keyword", "vector"):
        first = jay.search("where did the trip go on 7 May 2023?", mode=mode, limit=2)[0]
        assert first.memory.session == "session-0" and first.why["when"] == 0
    clock.now = datetime(2023, 9, 6, tzinfo=UTC)
    assert jay.search("where did the trip of last month go?", limit=1)[0].memory.session == "session-3"
    assert jay.search("where did the trip go in June?", limit=1)[0].memory.session == "session-1"


@pytest.mark.parametrize("mode", ["hybrid", "keyword", "vector"])
def test_asked_for_anything_what_was_then_comes_first(jay: Scrubjay, mode: Mode) -> None:
    for number, text in enumerate(["What did we do about the fox?", "We planted six larches", "The heron came back"]):
        jay.add(text, happened_at=datetime(2026, 3, 3 + 7 * number, 12, tzinfo=UTC))
    assert jay.search("what did we do on 2026-03-10?", mode=mode)[0].memory.text == "We planted six larches"


@pytest.mark.parametrize("told", ["Yesterday", "On 10 March", "Two days ago", "On Tuesday"])
def test_a_memory_is_also_of_the_time_that_its_text_names(jay: Scrubjay, told: str) -> None:
    day = datetime(2026, 3, 12 if told == "Two days ago" else 11, 12, tzinfo=UTC)  # a Wednesday
    jay.add_turns("s", [{"speaker": "Ann", "text": f"{told} we planted six larches.", "happened_at": day}])
    jay.add_turns("t", [{"speaker": "Ann", "text": "We planted six oaks.", "happened_at": day}])
    found = {hit.memory.session: hit.why["when"] for hit in jay.search("what was planted on 2026-03-10?")}
    assert found["s"] == 0 and found["t"] < 0


def test_what_tells_of_a_day_by_its_date_is_found_by_it_too(jay: Scrubjay) -> None:
    jay.add("We planted six larches", happened_at=datetime(2026, 3, 10, tzinfo=UTC))
    jay.add("On 2026-03-10 the bridge was closed", happened_at=datetime(2026, 4, 20, tzinfo=UTC))
    assert len(jay.search("what happened on 2026-03-10?")) == 2
    assert jay.search("2026-03-10")[0].memory.text == "On 2026-03-10 the bridge was closed"


def test_a_month_in_which_nothing_was_said_means_that_of_an_earlier_year(jay: Scrubjay, clock: Clock) -> None:
    keep_diary(jay)
    assert clock.now.year == 2026
    assert (
        jay.search("where did the trip go in August?", limit=1)[0].memory.happened_at.date().isoformat() == "2025-08-24"
    )


def test_another_time_ranks_lower_but_is_not_hidden(jay: Scrubjay) -> None:
    keep_diary(jay)
    without = jay.search("town T7")[0]
    other = jay.search("town T7, in May 2023", limit=100, min_score=0.15)
    same = next(hit for hit in other if hit.memory.id == without.memory.id)
    assert same.why["when"] < 0 and same.score < 0.15
    assert all(hit.score == pytest.approx(sum(hit.why.values())) for hit in other)


def test_a_time_in_which_nothing_was_said_changes_nothing(jay: Scrubjay) -> None:
    keep_diary(jay)
    assert all("when" not in hit.why for hit in jay.search("where did the trip go in 1999?"))
    assert all("when" not in hit.why for hit in jay.search("when was the trip to town T3?"))


def test_a_filter_holds_also_for_the_time_that_is_named(jay: Scrubjay) -> None:
    keep_diary(jay)
    found = jay.search("where did the trip go in May 2023?", since=datetime(2024, 1, 1, tzinfo=UTC))
    assert found and all(hit.memory.happened_at.year >= 2024 and "when" not in hit.why for hit in found)
