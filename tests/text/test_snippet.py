"""A snippet is cut around the words that were searched for."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from scrubjay.text.snippet import snippet

FILLER = "Nothing of interest is said in this sentence. " * 8


def test_a_short_text_is_shown_whole_on_one_line() -> None:
    assert snippet("Two\n  lines", ["lines"]) == "Two lines"


def test_a_long_text_is_cut_around_the_words_in_any_form() -> None:
    text = f"{FILLER}We are deploying from the main branch. {FILLER}"
    shown = snippet(text, ["deploys", "branch"], 80)
    assert "deploying from the main branch" in shown
    assert shown.startswith("…") and shown.endswith("…") and len(shown) <= 82


def test_the_part_with_the_most_words_is_shown() -> None:
    text = f"A port. {FILLER}The staging port is 8080. {FILLER}"
    assert "The staging port is 8080" in snippet(text, ["staging", "port"], 60)


def test_words_with_accents_and_scripts_without_spaces_are_found() -> None:
    text = f"Größe und Maß. {FILLER}Das Café öffnet früh. {FILLER}我们星期四部署新版本。{FILLER}"
    assert "Café" in snippet(text, ["cafe"], 60)
    assert "部署" in snippet(text, ["部 署"], 60)


def test_without_a_match_it_is_the_beginning() -> None:
    assert snippet(f"First of all. {FILLER}", ["heron"], 40).startswith("First of all. Nothing")
    assert snippet(f"First of all. {FILLER}", [], 40).endswith("…")


@given(st.text(max_size=400), st.lists(st.text(max_size=8), max_size=4), st.integers(10, 80))
def test_any_text_gives_a_part_of_itself(text: str, words: list[str], most: int) -> None:
    shown = snippet(text, words, most)
    assert len(shown) <= most + 2 and "\n" not in shown
    assert shown.removeprefix("…").removesuffix("…") in " ".join(text.split()) or "…" in text


@given(st.text("ab ", min_size=1, max_size=300), st.integers(20, 60))
def test_a_word_that_is_there_is_shown(before: str, most: int) -> None:
    assert "heron" in snippet(f"{before} heron {before * 3}", ["heron"], most)
