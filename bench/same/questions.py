"""Which calls are made of one space of a store: searches in every mode, with and without filters, and reading."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import cycle, islice
from typing import Any

from bench.same.asking import Call

__all__ = ["Asked", "calls", "plain_calls"]

MODES = ("hybrid", "keyword", "vector")
FILTERED, TIMED, READ = 2, 12, 12  # questions with each filter, that name a time, that are read with
UNUSUAL = (
    "",
    "?",
    "the",
    "zzqx vorpal",
    'say "hello there" OR NOT (x AND y*',
    "it's the e-mail of o'brien@example.com",
    "What is the airspeed of an unladen swallow?",
    "где находится библиотека",
    "我最喜欢的颜色是什么",
    "prefrence for editr themes",
    "why " * 60,
)
BY_RANK = {"fusion": "rrf"}
BY_WORDS = {"weights": {"keyword": 1.0, "vector": 0.2}}
DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Asked:
    """What a space is asked, and what is known of it that filters can name."""

    space: str
    now: datetime
    texts: Sequence[str]
    ids: Sequence[int]
    earlier: datetime  # about a third of its memories tell of the time before this
    later: datetime  # about a third tell of the time after this
    other_space: str = "nowhere"
    sessions: Sequence[str] = ()
    speakers: Sequence[str] = ()
    subjects: Sequence[str] = ()
    project: str | None = None


def calls(asked: Asked) -> list[Call]:
    return [*plain_calls(asked), *_filtered(asked), *_timed(asked), *_reading(asked)]


def plain_calls(asked: Asked) -> list[Call]:
    """Searches without a filter, in every mode."""
    made = [_search(asked, mode, text, mode=mode) for mode in MODES for text in asked.texts]
    made += [_search(asked, f"{mode}, unusual", text, mode=mode) for mode in MODES for text in UNUSUAL]
    made += [_search(asked, "hybrid, 50", text, limit=50) for text in asked.texts[:8]]
    return made


def _filtered(asked: Asked) -> list[Call]:
    texts = cycle(asked.texts)
    return [
        _search(asked, f"{mode}, filtered", text, mode=mode, **filter)
        for filter in _filters(asked)
        for mode in MODES
        for text in islice(texts, FILTERED)
    ]


def _filters(asked: Asked) -> list[dict[str, Any]]:
    earlier, later = asked.earlier.isoformat(), asked.later.isoformat()
    named: list[dict[str, Any]] = [{"session": one} for one in asked.sessions[:2]]
    named += [{"speaker": one} for one in asked.speakers[:2]]
    named += [{"subject": one} for one in asked.subjects[:3]]
    return [
        *named,
        *({"kinds": kinds} for kinds in (["fact"], ["turn"], ["fact", "decision"], ["preferance"])),
        *({"tags": tags} for tags in (["red"], ["red", "blue"], ["none-has-this"])),
        *({"metadata": one} for one in ({"size": {">=": 5}}, {"team": "north", "size": {"<": 8}}, {"team": None})),
        *({"since": earlier}, {"until": later}, {"since": earlier, "until": later}, {"since": "last month"}),
        *({"spaces": [asked.space, asked.other_space]}, {"spaces": [asked.other_space]}),
        *({"include_superseded": True}, {"as_of": (asked.now - 20 * DAY).isoformat()}, {"as_of": later}),
        *({"min_importance": 7}, {"min_confidence": 0.8}, {"min_score": 0.4}, {"project": "atlas"}),
        *({"sources": ["manual"]}, {"sources": ["session", "file"]}, {"limit": 3}, BY_RANK, BY_WORDS),
        {"kinds": ["fact", "turn"], "tags": ["red", "blue"], "min_importance": 3, "include_superseded": True},
        {"min_importance": 99},
    ]


def _timed(asked: Asked) -> list[Call]:
    phrases = (
        *("yesterday", "last week", "two months ago", "this year", "last summer", "before 2020", "recently"),
        *(f"in {asked.earlier:%B %Y}", f"on {asked.later:%d %B %Y}", f"since {asked.earlier:%Y-%m-%d}"),
        *(f"between {asked.earlier:%B %Y} and {asked.later:%B %Y}", f"in {asked.later:%Y}"),
    )
    texts = [
        f"{text.rstrip('?. ')} {phrase}?" for text, phrase in zip(cycle(asked.texts[:TIMED]), phrases, strict=False)
    ]
    texts += ["What happened last month?", f"What was said on {asked.earlier:%d %B %Y}?"]
    return [_search(asked, f"{mode}, timed", text, mode=mode) for mode in MODES for text in texts]


def _reading(asked: Asked) -> list[Call]:
    texts, ids = asked.texts[:READ], list(asked.ids[:READ])
    made = [_read(asked, "context", text) for text in texts]
    made += [_read(asked, "context"), _read(asked, "context", texts[0], tokens=150)]
    made += [_read(asked, "context", text, session="compare") for text in (texts[0], texts[0], texts[-1])]
    made += [_read(asked, "list", **{"limit": 20, **one}) for one in _filters(asked)]
    made += [_read(asked, "list", limit=30, offset=15), _read(asked, "get_many", ids), _read(asked, "get", 10**9)]
    made += [_read(asked, "history", id) for id in ids]
    made += [_read(asked, "history", subject=subject) for subject in asked.subjects[:5]]
    made += [_read(asked, "timeline", id) for id in ids[:4]]
    made += [_read(asked, "timeline", limit=40), _read(asked, "timeline", kinds=["fact"])]
    made += [_read(asked, "timeline", query=texts[0]), _read(asked, "timeline", since=asked.later.isoformat())]
    made += [_read(asked, "search_turns", text) for text in texts[:4]]
    made += [_read(asked, "excerpt", id) for id in ids[:4]]
    return made + [
        _read(asked, method) for method in ("conflicts", "subjects", "kinds", "stats", "spaces", "trash.list")
    ]


def _search(asked: Asked, group: str, text: str, **arguments: Any) -> Call:
    return Call(group, asked.space, "search", arguments, [text], asked.project)


def _read(asked: Asked, method: str, *positional: Any, **arguments: Any) -> Call:
    return Call("reading", asked.space, method, _known(arguments), positional, asked.project)


def _known(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Without what only a search takes."""
    return {name: value for name, value in arguments.items() if name not in ("fusion", "weights", "min_score")}
