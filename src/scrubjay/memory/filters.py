"""The filters of `search` and `list`. Each is declared here once.

A filter of the wrong form is an error. A name in a filter that no memory has, such as a misspelt kind, gets a note.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import islice
from typing import Annotated, Any, NamedTuple, TypedDict

from scrubjay.dates.arguments import first_moment, last_moment
from scrubjay.dates.timestamps import Moment, local_day
from scrubjay.errors import Invalid
from scrubjay.memory.arguments import several, whole_text
from scrubjay.memory.fields import Option, declarations
from scrubjay.stores import Store
from scrubjay.text.fence import QuotingNote
from scrubjay.text.kinds import KNOWN
from scrubjay.text.nearest import did_you_mean, nearest
from scrubjay.text.secret_scan.quoting import quoted
from scrubjay.types import KINDS_CUT_FROM_A_SOURCE, Filter, Fusion, Mode, limits
from scrubjay.types.memories import NARRATION

__all__ = ["FILTERS", "FilterField", "Filters", "SearchOptions", "SpaceNote", "make_filter", "unmatched"]

METADATA_KEY = re.compile(r"[\w.-]{1,100}")
MOST_WORDS = MOST_COMPARISONS = 100  # in one filter
OPERATORS = ("=", "!=", "<", "<=", ">", ">=")
ONE_VALUE = ("subject", "project", "session", "speaker")


class FilterField(NamedTuple):
    """How a filter is checked (its name, what was given, and now), and its option on the command line."""

    check: Callable[[str, Any, datetime], Any]
    option: Option


def _text(name: str, given: Any, now: datetime) -> str:
    text = whole_text(name, given)
    if len(text) > limits.FILTER_CHARACTERS:
        raise Invalid(f"{name} has at most {limits.FILTER_CHARACTERS:,} characters, and this has {len(text):,}.")
    return text


def _words(name: str, given: Any, now: datetime) -> tuple[str, ...]:
    words = (given,) if isinstance(given, str) else tuple(several(name, given))
    if not all(isinstance(word, str) for word in words):
        raise Invalid(f"{name} must be a list of words.")
    words = tuple(dict.fromkeys(words))
    if len(words) > MOST_WORDS:
        raise Invalid(f"{name} may name at most {MOST_WORDS}, not {len(words):,}.")
    return tuple(_text(name, word, now) for word in words)


def _lower_case_words(name: str, given: Any, now: datetime) -> tuple[str, ...]:
    return tuple(word.lower() for word in _words(name, given, now))


def _number_up_to(most: int) -> Callable[[str, Any, datetime], float]:
    def check(name: str, given: Any, now: datetime) -> float:
        if isinstance(given, bool) or not isinstance(given, int | float):
            raise Invalid(f"{name} must be a number, not {quoted(given)}.")
        if not 0 <= given <= most:
            raise Invalid(f"{name} must lie between 0 and {most}, not {quoted(given)}.")
        return given

    return check


def _first_moment(name: str, given: Any, now: datetime) -> datetime:
    return first_moment(given, name, now)


def _last_moment(name: str, given: Any, now: datetime) -> datetime:
    return last_moment(given, name, now)


def _metadata(name: str, given: Any, now: datetime) -> tuple[tuple[str, str, Any], ...]:
    comparisons = tuple(islice(_comparisons(given), MOST_COMPARISONS + 1))
    if len(comparisons) > MOST_COMPARISONS:
        raise Invalid(f"{name} may compare at most {MOST_COMPARISONS} values.")
    return comparisons


class Filters(TypedDict, total=False):
    """Which memories may be in an answer of `search` or `list`."""

    kinds: Annotated[
        Sequence[str],
        FilterField(
            check=_lower_case_words, option=Option(flag="--kind", help="Only this; may be repeated.", values="texts")
        ),
    ]
    subject: Annotated[str | None, FilterField(check=_text, option=Option(flag="--subject", help="Only about this."))]
    project: Annotated[
        str | None, FilterField(check=_text, option=Option(flag="--project", help="Only of this project."))
    ]
    session: Annotated[
        str | None, FilterField(check=_text, option=Option(flag="--session", help="Only of this session."))
    ]
    speaker: Annotated[
        str | None, FilterField(check=_text, option=Option(flag="--speaker", help="Only said by this person."))
    ]
    tags: Annotated[
        Sequence[str],
        FilterField(
            check=_words,
            option=Option(
                flag="--tag", help="With any of these tags; may be repeated.", metavar="WORD", values="texts"
            ),
        ),
    ]
    metadata: Annotated[
        Mapping[str, Any],
        FilterField(
            check=_metadata,
            option=Option(
                flag="--metadata", help="Also != < <= > >=.", metavar="KEY=VALUE", values="comparisons"
            ),
        ),
    ]  # fmt: skip
    since: Annotated[
        Moment | None,
        FilterField(
            check=_first_moment,
            option=Option(flag="--since", help='From this time on: a date, "last week", …', metavar="WHEN"),
        ),
    ]
    until: Annotated[
        Moment | None,
        FilterField(
            check=_last_moment,
            option=Option(flag="--until", help='Up to this time: a date, "yesterday", …', metavar="WHEN"),
        ),
    ]
    sources: Annotated[
        Sequence[str],
        FilterField(
            check=_words,
            option=Option(
                flag="--source", help="Only from this source, or a folder in it, e.g. notes/ops.", values="texts"
            ),
        ),
    ]
    min_importance: Annotated[
        int | None,
        FilterField(
            check=_number_up_to(10),
            option=Option(
                flag="--min-importance", help="Only what matters at least so much.", metavar="1..10", values="integer"
            ),
        ),
    ]  # fmt: skip
    min_confidence: Annotated[
        float | None,
        FilterField(
            check=_number_up_to(1),
            option=Option(
                flag="--min-confidence", help="Only what is at least so sure.", metavar="0..1", values="number"
            ),
        ),
    ]
    include_superseded: Annotated[
        bool,
        FilterField(
            check=lambda name, given, now: given,
            option=Option(flag="--include-superseded", help="Also what has been replaced.", values="switch"),
        ),
    ]
    as_of: Annotated[
        Moment | None,
        FilterField(
            check=_last_moment,
            option=Option(
                flag="--as-of", help='What was true then (a date, "last month", …), not now.', metavar="WHEN"
            ),
        ),
    ]


class SearchOptions(Filters, total=False):
    """The filters of a search, and how to answer it."""

    limit: int | None
    mode: Mode | None
    fusion: Fusion | None
    weights: Mapping[str, float] | None
    min_score: float | None
    likely: bool | None
    expand: int | None
    spaces: Sequence[str] | None


FILTERS: Mapping[str, FilterField] = declarations(Filters, FilterField)


def make_filter(spaces: Sequence[str], now: datetime, given: Mapping[str, Any]) -> Filter:
    if unknown := sorted(set(given) - set(FILTERS)):
        raise Invalid(f"There is no filter {quoted(unknown[0])}; there are {', '.join(FILTERS)}.")
    checked = {name: FILTERS[name].check(name, given[name], now) for name in FILTERS if given.get(name) is not None}
    hides = "session" not in checked and NARRATION not in checked.get("tags", ())
    filter = Filter(spaces=tuple(dict.fromkeys(spaces)), now=now, without_narration=hides, **checked)
    if filter.since and filter.until and filter.since > filter.until:
        raise Invalid(f"since ({local_day(filter.since)}) is after until ({local_day(filter.until)}); swap them.")
    return filter


def _comparisons(given: Any) -> Iterable[tuple[str, str, Any]]:
    """{"size": {">=": 10}} compares; {"size": 10} means that it equals."""
    if not isinstance(given, Mapping):
        raise Invalid('A metadata filter is an object, e.g. {"ticket": 7} or {"size": {">=": 10}}.')
    for key, wanted in given.items():
        if not isinstance(key, str) or not METADATA_KEY.fullmatch(key):
            raise Invalid(f"{quoted(key)} cannot be a metadata key in a filter; use letters, digits and . _ -")
        for operator, value in (wanted if isinstance(wanted, Mapping) else {"=": wanted}).items():
            yield key, _operator(operator, value), whole_text(key, value) if isinstance(value, str) else value


def _operator(operator: Any, value: Any) -> str:
    if operator not in OPERATORS:
        raise Invalid(f"{quoted(operator)} is no comparison; use one of {' '.join(OPERATORS)}.")
    if value is not None and type(value) not in (bool, int, float, str):
        raise Invalid(f"A metadata filter compares with a number, text, true, false or null, not {quoted(value)}.")
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        raise Invalid(f"{quoted(value)} is too large a number to compare with.")
    if (value is None or isinstance(value, bool)) and operator not in ("=", "!="):
        raise Invalid(f"{quoted(value)} can only be compared with = and !=.")
    return str(operator)


class SpaceNote(QuotingNote):
    """A note that may name a space: only for a caller that may see all of them."""


def unmatched(store: Store, filter: Filter, spaces: Sequence[str] = ()) -> list[str]:
    """A sentence for each name in a filter, and each of these spaces, that no memory has."""
    asked = [("kind", kind) for kind in filter.kinds if kind not in KINDS_CUT_FROM_A_SOURCE]
    asked += [(name, value) for name in ONE_VALUE if (value := getattr(filter, name)) is not None]
    asked += [("tag", tag) for tag in filter.tags] + [("source", source) for source in filter.sources]
    asked += [("space", space) for space in spaces]
    names = {name for name, _ in asked} | ({"document"} if filter.sources else set())
    there = store.memories.values(names, filter.spaces) if names else {}
    if filter.sources:
        there["source"] = _source_names(there["source"], there["document"])
    return [_unknown(name, value, there[name]) for name, value in asked if value not in there[name]]


def _unknown(name: str, value: str, there: Collection[str]) -> str:
    if name == "space":
        return SpaceNote(f"There is no memory in space {quoted(value)}{did_you_mean(value, there)}")
    meant = nearest(value, there)
    if name == "kind" and not meant:
        meant = nearest(value, KNOWN if value not in KNOWN else ())
        return _sentence(name, value, meant) if meant else f"{_lacks(name, value)}; `scrubjay kinds` lists them."
    return _sentence(name, value, meant)


def _source_names(sources: Sequence[str], documents: Sequence[str]) -> list[str]:
    """All that can be asked for as a source: sources, their folders and documents, and where else memories are from."""
    beginnings = {
        ":".join(parts[:end]) for one in sources for parts in [one.split(":")] for end in range(1, len(parts) + 1)
    }
    return [*(beginnings | {above for one in documents for above in _folders(one)})]


def _folders(document: str) -> Iterator[str]:
    """A document's name and those of the folders that it is in."""
    parts = document.split("/")
    return ("/".join(parts[:end]) for end in range(1, len(parts) + 1))


def _sentence(name: str, value: str, meant: str | None) -> str:
    if not meant:
        return f"{_lacks(name, value)}."
    sentence = f"{_lacks(name, value)}; did you mean {meant!r}?"
    return sentence if meant in KNOWN else QuotingNote(sentence)


def _lacks(name: str, value: str) -> str:
    return f"No memory here has the {name} {quoted(value)}"
