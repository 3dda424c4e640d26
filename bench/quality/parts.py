"""What each part of the ranking adds: hybrid search with one of them switched off at a time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from statistics import fmean
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

from bench.quality.metrics import judge
from bench.report import Row
from scrubjay.search import constants

if TYPE_CHECKING:
    from bench.quality.asking import Asked

__all__ = ["PARTS", "switched_off", "worth"]

MEASURE = "nDCG@10"
# By what a part does, the constants that switch it off.
PARTS: Mapping[str, Mapping[str, Any]] = {
    "turns around": {"NEIGHBOUR_WEIGHT": 0.0, "PREVIOUS_TURN_WEIGHT": 0.0},
    "conversation": {"CONVERSATION_SHARE": 0.0},
    "named people": {"SPEAKER_LIFT": 0.0},
    "named time": {"OTHER_TIME_PENALTY": 0.0},
    "many pieces": {"LONG_TEXT_PENALTY": 0.0},
    "assistants": {"ASSISTANT_PENALTY": 0.0},
}


@contextmanager
def switched_off(part: str) -> Iterator[None]:
    with patch.multiple(constants, **PARTS[part]):
        yield


def worth(name: str, asked: Sequence[Asked], hybrid: str) -> Row:
    """nDCG@10 over the reported half, and what is lost of it without each part."""
    some = [one for one in asked if one.reported and one.question.relevant]
    whole = _gain(some, hybrid)
    return {"set": name, MEASURE: whole, **{part: _gain(some, part) - whole for part in PARTS}}


def _gain(asked: Sequence[Asked], way: str) -> float:
    return fmean(judge(one.answers[way].ids, one.question.relevant)[MEASURE] for one in asked)
