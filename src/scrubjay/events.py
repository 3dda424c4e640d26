"""Times told by an event: "before the move", "since our upgrade". The memory itself knows when that was."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from scrubjay import ranking
from scrubjay.days import BEGINNING
from scrubjay.scoring import KEYWORD, propose, score
from scrubjay.stores import Store
from scrubjay.times import end_of, start_of
from scrubjay.types import Filter, Query
from scrubjay.when import LONGEST, Span
from scrubjay.words import STOP_WORDS

if TYPE_CHECKING:
    from scrubjay.embedders import Matrix

__all__ = ["Event", "event_in", "span_of"]

WORD = re.compile(r"\w+")
# "Since" as the first word mostly means "because"; one looks after people, and is named after some.
BEFORE = r"\b(?P<before>before|until|till|prior to)"
AFTER = r"(?<!\blook )(?<!\blooks )(?<!\blooking )(?<!\bnamed )\bafter|(?<!^)\bsince"
# It is named ("the move", "Ann's wedding") or told ("we moved", "moving to Rome"); "work" and "noon" are times of day.
EVENT = r"(?:the|a|an|my|our|your|his|her|its|their|this|that|i|we|you|he|she|it|they|\w+ing)\b|(?-i:[A-Z])"
PHRASE = rf"(?:{BEFORE}|{AFTER}) (?P<event>(?:{EVENT})[^?.!,;:]*)"
ALIKE = 0.8  # of the best score: then this, too, may be the telling of it; fitted
HEARD = 0.2  # the least score of what tells of it; below, nobody did


class Event(NamedTuple):
    """What a question tells a time by, and whether it is about what came before that or after."""

    text: str
    before: bool


def event_in(text: str) -> Event | None:
    text = " ".join(text.split())
    match = re.search(PHRASE, text, re.IGNORECASE) if len(text) <= LONGEST else None
    if match is None or STOP_WORDS.issuperset(WORD.findall(match["event"].casefold())):
        return None
    return Event(match["event"].strip(), bool(match["before"]))


def span_of(store: Store, query: Query, event: Event, vector: Matrix | None) -> Span | None:
    """From the first day on which the event may have been, or up to the last: it is also spoken of later and sooner."""
    everything = Filter(spaces=query.filter.spaces, now=query.filter.now, as_of=query.filter.as_of)
    asked = replace(query, text=event.text, filter=everything)
    signals = score(store, asked, vector, propose(store, asked, vector)).signals
    weights = {name: ranking.WEIGHTS.get(name, ranking.WEIGHTS[KEYWORD]) for name in signals}
    scores = {id: sum(parts.values()) for id, parts in ranking.weighted_sum(signals, weights).items()}
    enough = max(ALIKE * max(scores.values(), default=0.0), HEARD)
    told = store.traits([id for id in scores if scores[id] >= enough])
    days = sorted(traits.happened_at.astimezone().date() for traits in told.values())
    if not days:
        return None
    if event.before:
        return Span(start_of(BEGINNING, "when"), end_of(days[-1], "when"))
    return Span(start_of(days[0], "when"), max(query.filter.now, end_of(days[-1], "when")))
