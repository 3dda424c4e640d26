"""Whether the answer to a question was ever told; and what becomes of the results if it seems not."""

from __future__ import annotations

from dataclasses import replace

from scrubjay.search import signals
from scrubjay.search.scores import Scored
from scrubjay.stores import Store, WordCounts
from scrubjay.text.languages import ENGLISH, is_english
from scrubjay.text.words import STOP_WORDS, WORD
from scrubjay.types import Query, Results

__all__ = ["FEW", "chance_of_being_told", "doubted"]

HANDFUL = 20  # memories: all that was told in them is soon seen
ENOUGH = 3  # telling words: of fewer, nothing need be near in meaning, and one may be mistyped
FEW = 3  # to show where the answer seems never to have been told
NO_ANSWER = "Nothing found seems to answer this; these are the nearest."
NEVER_TOLD = f"Nothing found seems to answer this; only the {FEW} nearest are shown."


def chance_of_being_told(store: Store, query: Query, model: str, scored: Scored) -> float:
    """How likely the answer was ever told; 1 where that cannot be known.

    It cannot where only one way of searching was gone, among a handful of memories, nor where question or memories are
    not in English: the model reads no other language, and an answer in one looks strange to a question in another.
    """
    counts = scored.counts
    if counts is None or scored.familiarity is None or counts.memories <= HANDFUL:
        return 1.0
    held = signals.most_held(counts.frequencies, counts.memories, counts.counted)
    told = signals.told(model, scored.nearest, held, counts.memories)
    if told >= signals.DOUBTFUL or (
        _is_in_english(query.text, counts) and store.search.speaks(ENGLISH, query.filter.spaces)
    ):
        return told
    return 1.0


def doubted(query: Query, results: Results, told: float, in_full: bool) -> Results:
    """Say so where the answer seems never to have been told, and show but a few where that is all too likely."""
    if not results or told >= signals.DOUBTFUL:
        return results
    cut = told < signals.UNTOLD and not in_full and _telling_words(query.text) >= ENOUGH
    shown = results[:FEW] if cut else results.hits
    note = NEVER_TOLD if len(shown) < len(results) else NO_ANSWER
    return replace(results, hits=shown, notes=(*results.notes, note), doubtful=True)


def _is_in_english(text: str, counts: WordCounts) -> bool:
    """By its small words; a mere list of words is taken to be in the language of the memories if these know half."""
    told = is_english(WORD.findall(text.casefold()))
    return 2 * sum(map(bool, counts.frequencies)) >= len(counts.frequencies) if told is None else told


def _telling_words(text: str) -> int:
    return sum(not STOP_WORDS.issuperset(WORD.findall(word)) for word in text.casefold().split())
