"""What was replaced: which memory has replaced what a turn states, and what answers a question about a replaced one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from scrubjay.search import constants
from scrubjay.search.evidence import Judged
from scrubjay.search.signals import Scores
from scrubjay.text.words import content_words
from scrubjay.types import Memory

__all__ = ["correction", "with_successors"]


def correction(turn: Memory, replaced: Sequence[tuple[Memory, Memory]]) -> int | None:
    """If the turn states a memory that was replaced, and not its replacement: the id of the replacement."""
    said = content_words(turn.text) if replaced else set()
    for old, new in replaced:
        own = content_words(old.text)
        shared = len(own & said)
        states_it = own and shared / len(own) >= constants.CORRECTION_WORD_OVERLAP
        if states_it and shared > len(content_words(new.text) & said):
            return new.id
    return None


def with_successors(judged: Judged, replaced: Mapping[int, int]) -> Judged:
    """Let what is current match as well, nearly, as what it replaced, if the question's words are found only there."""
    if not replaced:
        return judged
    best: dict[int, int] = {}
    for old, new in replaced.items():
        if _is_asked_for(judged, old, best.get(new, new)):
            best[new] = old
    return judged._replace(
        signals={name: _moved(scores, best, replaced) for name, scores in judged.signals.items()},
        distances=None if judged.distances is None else _moved(judged.distances, best, replaced),
        in_place_of=best,
    )


def _is_asked_for(judged: Judged, old: int, new: int) -> bool:
    """Whether a memory matches better than another one, by words that the other does not have."""
    words = judged.words
    only_there = words is not None and not set(words.held_by(old)) <= set(words.held_by(new))
    return only_there and _match(judged, old) > _match(judged, new)


def _match(judged: Judged, id: int) -> float:
    return sum(scores.get(id, 0.0) for scores in judged.signals.values())


def _moved(scores: Scores, best: Mapping[int, int], replaced: Mapping[int, int]) -> dict[int, float]:
    """The scores with those of replaced memories moved to their successors."""
    kept = {id: score for id, score in scores.items() if id not in replaced}
    moved = {new: constants.REPLACED_SHARE * scores[old] for new, old in best.items() if old in scores}
    return kept | {new: max(score, kept.get(new, 0.0)) for new, score in moved.items()}
