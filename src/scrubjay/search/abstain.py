"""Whether any memory answers a question, and what becomes of the results if it seems that none does."""

from __future__ import annotations

from dataclasses import replace

from scrubjay.search import constants, signals
from scrubjay.search.evidence import Judged
from scrubjay.stores import WordCounts
from scrubjay.text.languages import is_english
from scrubjay.text.word_lists import STOP_WORDS
from scrubjay.text.words import WORD
from scrubjay.types import Query, Results

__all__ = ["answer_probability", "with_doubt"]

NO_ANSWER = "Nothing found seems to answer this; these are the nearest."
CUT = f"Nothing found seems to answer this; only the {constants.RESULTS_WHEN_CUT} nearest are shown."


def answer_probability(query: Query, model: str, judged: Judged) -> float:
    """How likely any memory answers; 1 where that cannot be known.

    It cannot be known where only one way of searching was used, among very few memories, nor where question or memories
    are not in English: the bundled model reads no other language.
    """
    counts = judged.words
    if counts is None or judged.keyword_trust is None or counts.memories <= constants.MIN_MEMORIES_TO_ABSTAIN:
        return 1.0
    covered = signals.best_coverage(counts.frequencies, counts.memories, counts.counted)
    probability = signals.answer_probability(model, judged.nearest, covered, counts.memories)
    if probability >= constants.DOUBT_BELOW or (_is_in_english(query.text, counts) and judged.is_english):
        return probability
    return 1.0


def with_doubt(query: Query, results: Results, probability: float, in_full: bool) -> Results:
    """Say so where nothing seems to answer, and show only a few results where that is very likely."""
    if not results or probability >= constants.DOUBT_BELOW:
        return results
    enough_words = _words_that_count(query.text) >= constants.MIN_WORDS_TO_CUT
    cut = probability < constants.CUT_BELOW and not in_full and enough_words
    shown = results[: constants.RESULTS_WHEN_CUT] if cut else results.hits
    note = CUT if len(shown) < len(results) else NO_ANSWER
    return replace(results, hits=shown, notes=(*results.notes, note), doubtful=True)


def _is_in_english(text: str, counts: WordCounts) -> bool:
    """By its stop words; a mere list of words counts as the language of the memories if these know half of it."""
    by_stop_words = is_english(WORD.findall(text.casefold()))
    known = sum(map(bool, counts.frequencies))
    return 2 * known >= len(counts.frequencies) if by_stop_words is None else by_stop_words


def _words_that_count(text: str) -> int:
    return sum(not STOP_WORDS.issuperset(WORD.findall(word)) for word in text.casefold().split())
