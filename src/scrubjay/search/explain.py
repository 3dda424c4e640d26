"""Why a memory was found and ranks where it does, in sentences. A signal is a line of the table below."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from scrubjay.search import constants
from scrubjay.text.plural import counted, singular_or_plural
from scrubjay.types import Hit, Results

__all__ = ["because", "overall"]

TIMES = {1: "once", 2: "twice"}
WAYS = {"keyword": "by words", "vector": "by meaning", "substring": "for the text as you typed it"}

Sentence = Callable[[Hit, Results], str]


def _meaning(hit: Hit, results: Results) -> str:
    return "Close in meaning" if hit.why["vector"] >= constants.CLOSE_IN_MEANING else "Not very close in meaning"


def _words(hit: Hit, results: Results) -> str:
    if hit.in_place_of:
        return f"Has replaced {hit.in_place_of}, which has more of your words"
    if not hit.words:
        return "The turns around it have your words"
    asked, held = len(results.words), len(hit.words)
    share = f"all your {counted(asked, 'word')}" if held == asked else f"{held} of your {counted(asked, 'word')}"
    return f"Has {singular_or_plural(asked, 'your word', share)}: {', '.join(hit.words)}"


def _confirmed(hit: Hit, results: Results) -> str:
    times = hit.memory.confirmed_count
    return f"Confirmed {TIMES.get(times, counted(times, 'time'))}"


def _older(hit: Hit, results: Results) -> str:
    lost = hit.why["decay"]
    before = sum(hit.why.values()) - lost
    return f"Older, so it keeps {1 + lost / before:.0%} of that"


def _when(hit: Hit, results: Results) -> str:
    return "From the time you named" if hit.why["when"] >= 0 else "From another time than you named"


SENTENCES: Mapping[str, Sentence] = {
    "vector": _meaning,
    "keyword": _words,
    "session": lambda hit, results: "Its conversation is about this",
    "substring": lambda hit, results: "Contains the text you typed",
    "confirmed": _confirmed,
    "project": lambda hit, results: "Belongs to the project at hand",
    "speaker": lambda hit, results: f"Said by {hit.memory.speaker}, whom you asked about",
    "assistant": lambda hit, results: "Said by an assistant: what people say counts more",
    "when": _when,
    "near_when": lambda hit, results: "From near the time you named",
    "decay": _older,
    "rated": lambda hit, results: "Rated as helpful" if hit.why["rated"] >= 0 else "Rated as of little help",
}


def because(hit: Hit, results: Results) -> list[str]:
    """What speaks for a hit and against it, the largest part of the score first, with that part."""
    shares = sorted(hit.why.items(), key=lambda part: -part[1])
    sentences = [] if hit.confidence is None else [f"Answers you with a likelihood of {hit.confidence:.0%}."]
    sentences += [
        f"{_sentence(name, hit, results)} ({share:.2f})."
        for name, share in shares
        if abs(share) >= constants.MIN_SHOWN_SHARE
    ]
    if results.words and not hit.words and not hit.in_place_of:
        sentences.append("Has none of your words.")
    if hit.corrected_by:
        sentences.append(f"What it states has been replaced by {hit.corrected_by}.")
    sentences += [f"Cites {one}." for one in hit.citations]
    if hit.also:
        others = singular_or_plural(len(hit.also), "Another says", f"{counted(len(hit.also), 'other')} say")
        sentences.append(f"{others} nearly the same: {', '.join(map(str, hit.also))}.")
    return sentences


def overall(results: Results) -> list[str]:
    """Which ways of searching answered."""
    ways = " and ".join(way for name, way in WAYS.items() if name in results.tiers)
    return [f"Searched {ways}."] if ways else []


def _sentence(name: str, hit: Hit, results: Results) -> str:
    return SENTENCES[name](hit, results) if name in SENTENCES else f"Counts for its {name}"
