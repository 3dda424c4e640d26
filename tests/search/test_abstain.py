"""A question about something never told gets few results, and what may have been told is never taken away."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import scrubjay
from scrubjay import Scrubjay
from scrubjay.models.embedders.bundled import Local
from scrubjay.search import constants
from tests.support.commands import Run

RAIN = [f"It rained again on day {number}." for number in range(30)]
GERMAN = [f"Am {number}. Tag hat es wieder geregnet, und die Wege sind nass." for number in range(30)]

NEVER_TOLD = "which database does the billing service use?"
ONLY_THREE = "Nothing found seems to answer this; only the 3 nearest are shown."
THE_NEAREST = "Nothing found seems to answer this; these are the nearest."


@pytest.fixture
def rainy(path: Path) -> Iterator[Scrubjay]:
    """A memory of one matter, with the bundled model."""
    with scrubjay.open(path) as opened:
        opened.add_many([{"text": text} for text in RAIN])
        yield opened


def test_a_question_about_something_never_told_gets_few_results_and_a_note(rainy: Scrubjay) -> None:
    found = rainy.search(NEVER_TOLD)
    assert found.doubtful and len(found) == 3 and found.notes == (ONLY_THREE,)
    told = rainy.search("on which days did it rain?")
    assert not told.doubtful and len(told) == 10 and not told.notes


def test_so_does_a_list_of_words_half_of_which_are_known(rainy: Scrubjay) -> None:
    rainy.add_many([{"text": "Ann keeps the vendor happy"}, {"text": "The use of an old sledge on grass"}])
    assert len(rainy.search("invoice schema vendor use")) == 3
    assert len(rainy.search("invoice schema dialect encoding")) == 10


def test_a_question_that_may_have_been_answered_keeps_its_results_with_a_note(rainy: Scrubjay) -> None:
    rainy.add("Ann is a vegetarian")
    found = rainy.search("what could we cook for her on that evening?")
    assert found.doubtful and len(found) == 10 and found.notes == (THE_NEAREST,)


def test_three_results_are_not_called_few_of_more(rainy: Scrubjay) -> None:
    assert rainy.search(NEVER_TOLD, limit=3).notes == (THE_NEAREST,)
    assert len(rainy.search(NEVER_TOLD, limit=2)) == 2


@pytest.mark.parametrize(
    "question", ["the billing database", "which node.js?", "is it src/main.py?", '"billing database"', "what is it"]
)
def test_one_or_two_telling_words_are_too_few_to_take_results_away(rainy: Scrubjay, question: str) -> None:
    assert len(rainy.search(question)) == 10


def test_a_handful_of_memories_is_not_doubted(path: Path) -> None:
    with scrubjay.open(path) as jay:
        jay.add("The user cannot eat peanuts")
        jay.add_many([{"text": text} for text in RAIN[:10]])
        found = jay.search(NEVER_TOLD)
        assert not found.doubtful and len(found) == 10


def test_one_way_of_searching_alone_knows_no_doubt(rainy: Scrubjay) -> None:
    assert not rainy.search("which database does it use on a day of rain?", mode="keyword").doubtful
    alone = rainy.search(NEVER_TOLD, mode="vector")
    assert not alone.doubtful and len(alone) == 10 and alone[0].confidence is None


@pytest.mark.parametrize(
    "question",
    [
        "¿Qué base de datos utiliza el servicio de facturación?",
        "Welche Datenbank nutzt die Abrechnung?",
        "Z jakiej bazy danych korzysta usługa rozliczeniowa?",
        "Faturalandırma hizmeti hangi veritabanını kullanıyor?",
        "Ποια βάση δεδομένων χρησιμοποιεί η υπηρεσία χρέωσης;",
        "计费服务使用哪个数据库？",
    ],
)
def test_a_question_in_another_language_is_not_doubted(rainy: Scrubjay, question: str) -> None:
    found = rainy.search(question)
    assert not found.doubtful and len(found) == 10


def test_nor_is_one_in_english_about_memories_in_another_language(path: Path) -> None:
    with scrubjay.open(path) as jay:
        jay.add_many([{"text": text} for text in GERMAN])
        assert not jay.search(NEVER_TOLD).doubtful


def test_the_language_of_a_small_space_is_its_own(path: Path) -> None:
    with scrubjay.open(path) as jay:
        jay.add_many([{"text": f"It rained again on day {number}."} for number in range(100)])
        jay.lend(space="de").add_many([{"text": text} for text in GERMAN])
        assert not jay.search(NEVER_TOLD, spaces=["de"]).doubtful
        assert jay.search(NEVER_TOLD).doubtful


def test_a_long_text_is_no_less_told_for_having_many_pieces(path: Path) -> None:
    filler = " ".join(f"We looked at the plan for quarter {number} and went on." for number in range(40))
    with scrubjay.open(path) as jay:
        jay.add_many([{"text": f"Minutes of week {number}. {filler}"} for number in range(30)])
        jay.add(f"Minutes of week 30. {filler} The signing certificates are rotated twice a year. {filler}")
        found = jay.search("how often are the signing certificates rotated?")
        assert len(found) == 10 and "certificates" in found[0].memory.text


def test_a_question_about_a_time_is_answered_by_whatever_is_of_it(path: Path) -> None:
    now = datetime(2026, 11, 11, tzinfo=UTC)
    with scrubjay.open(path, clock=lambda: now) as jay:
        jay.add_many([{"text": text, "happened_at": now - timedelta(days=90)} for text in RAIN])
        recent = [f"The {thing} was painted green" for thing in ("door", "fence", "shed", "boat", "gate")]
        jay.add_many([{"text": text, "happened_at": now - timedelta(days=1)} for text in recent])
        found = jay.search("tell me everything that happened yesterday, please")
        assert not found.doubtful and {hit.memory.text for hit in found[:5]} == set(recent)


def test_a_timeline_is_not_cut_short(rainy: Scrubjay) -> None:
    assert len(rainy.timeline(query=NEVER_TOLD)) == len(RAIN)


def test_nor_is_what_an_agent_is_told_for_a_message(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCRUBJAY_CONTEXT_MIN_SCORE", "0")
    with scrubjay.open(path) as jay:
        jay.add_many([{"text": text} for text in RAIN])
        assert len(jay.context(NEVER_TOLD).memories) > 3


def test_doubt_is_left_to_models_whose_cosines_are_known(path: Path) -> None:
    assert Local.model in constants.ANSWERED_FIT
    with scrubjay.open(path, embedder="hashing") as jay:
        jay.add_many([{"text": text} for text in RAIN])
        assert not jay.search(NEVER_TOLD).doubtful


def test_the_command_line_says_so_too(run: Run, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCRUBJAY_EMBEDDER", "local")
    for text in RAIN:
        run("add", text)
    told = run("search", NEVER_TOLD, "--json").json
    assert told["doubtful"] and all(0 <= hit["hit_confidence"] < 0.2 for hit in told["results"])
    assert f"Note: {ONLY_THREE}" in run("search", NEVER_TOLD).err
    assert not run("search", "on which days did it rain?", "--json").json["doubtful"]
