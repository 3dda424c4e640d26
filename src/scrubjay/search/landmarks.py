"""Landmarks in time: "before the move", "since our upgrade". The memory itself knows when that was."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from scrubjay.dates.grammar import BEGINNING
from scrubjay.dates.spans import LONGEST, Span, is_past
from scrubjay.dates.timestamps import end_of, start_of
from scrubjay.search import signals
from scrubjay.search.scores import propose, score, weights
from scrubjay.stores import Store
from scrubjay.text.words import STOP_WORDS, WORD
from scrubjay.types import Filter, Query

if TYPE_CHECKING:
    from scrubjay.types.vectors import Matrix

__all__ = ["Landmark", "landmark_in", "span_of"]

# "Since" as the first word mostly means "because"; one looks after people, takes after some, and is named after others.
BEFORE = r"\b(?P<before>before|until|till|prior to)"
AFTER = r"(?<!\blook )(?<!\blooks )(?<!\blooked )(?<!\blooking )(?<!\btakes )(?<!\bnamed )\bafter|(?<!^)\bsince"
ENDS = r"[?!,;:]|\.(?!\w)| (?:did|do|does|was|were|is|are|had|who|what|where|which|when|how)\b|$"
PHRASE = rf"(?:{BEFORE}|{AFTER}) (?P<landmark>[^\W\d].*?)(?:{ENDS})"
# It is named ("the move", "Ann's wedding") or told ("we moved", "moving to Rome"); "work" and "noon" are times of day.
NAMING = set("the a an my our your his her its their this that i we you he she it they".split())
ALIKE = 0.8  # of the best score: then this, too, may be the telling of it; fitted
HEARD = 0.2  # the least score of what tells of it; below, nobody did


class Landmark(NamedTuple):
    """What a question tells a time by, and whether it is about what came before that or after."""

    text: str
    before: bool


def landmark_in(text: str) -> Landmark | None:
    """That of a question about what has happened: what comes before or after something as a rule has no date."""
    text = " ".join(text.split())
    match = re.search(PHRASE, text, re.IGNORECASE) if len(text) <= LONGEST and is_past(text) else None
    if match is None:
        return None
    first, *_ = words = WORD.findall(match["landmark"])
    named = first.casefold() in NAMING or first.endswith("ing") or first[0].isupper()
    if not named or STOP_WORDS.issuperset(word.casefold() for word in words):
        return None
    return Landmark(match["landmark"], bool(match["before"]))


def span_of(store: Store, query: Query, landmark: Landmark, vector: Matrix | None) -> Span | None:
    """From the first day on which it may have been, on, or up to the last: it is spoken of sooner and later, too."""
    everything = Filter(spaces=query.filter.spaces, now=query.filter.now, as_of=query.filter.as_of)
    asked = replace(query, text=landmark.text, filter=everything)
    found = score(store, asked, vector, propose(store, asked, vector)).signals
    scores = {id: sum(parts.values()) for id, parts in signals.weighted_sum(found, weights(found, {})).items()}
    enough = max(ALIKE * max(scores.values(), default=0.0), HEARD)
    told = store.search.ranking_fields([id for id in scores if scores[id] >= enough])
    days = sorted(traits.happened_at.astimezone().date() for traits in told.values())
    if not days:
        return None
    if landmark.before:
        return Span(start_of(BEGINNING, "when"), end_of(days[-1], "when"))
    return Span(start_of(days[0], "when"), max(query.filter.now, end_of(days[-1], "when")))
