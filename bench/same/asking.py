"""Asks recorded questions of copies of a store, and writes each answer as plain JSON.

Uses only public names of Scrubjay, so that it runs before and after a change of what lies below them.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, is_dataclass
from datetime import datetime
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import scrubjay

__all__ = ["Call", "ask", "plain"]

SEARCH = "search"
DEFAULT_LIMIT = 10
# Uses of memories change the ranking. A store writes them in the background once it has buffered 1,000 of them, with
# the next write, and when it is closed. So that every answer depends on the recorded file alone, a new copy is opened
# before so many can be buffered, for each view of the store, and for calls that write.
MOST_USES = 900
WRITING = frozenset({"check", "cleanup"})
RENAMED = {"familiarity": "keyword_trust"}


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a public method: from which space and project, of which group in the report, with which arguments."""

    group: str
    space: str
    method: str  # "search", "tasks.list", …
    arguments: Mapping[str, Any] = field(default_factory=dict)
    positional: Sequence[Any] = ()
    project: str | None = None

    @property
    def uses(self) -> int:
        """At most this many uses of memories are noted for it."""
        return int(self.arguments.get("limit") or DEFAULT_LIMIT) if self.method == SEARCH else 2 * DEFAULT_LIMIT

    @property
    def view(self) -> tuple[str, str | None, bool]:
        """Calls of another view are made of another copy."""
        writes = self.method in WRITING or (self.method == "context" and "session" in self.arguments)
        return self.space, self.project, writes

    @classmethod
    def read(cls, record: Mapping[str, Any]) -> Call:
        return cls(**record)

    def record(self) -> dict[str, Any]:
        return asdict(self)


def ask(store: Path, now: datetime, calls: Iterable[Call]) -> Iterator[tuple[Call, Any]]:
    """The answer to each call, at that time. The store itself is never opened, only copies of it."""
    for (space, project, _), own in groupby(calls, key=attrgetter("view")):
        for block in _blocks(own):
            with TemporaryDirectory(prefix="scrubjay-same-") as folder:
                copy = Path(shutil.copy(store, folder))
                with scrubjay.open(copy, space=space, project=project, embedder="local", clock=lambda: now) as jay:
                    yield from _answers(jay, block)


def plain(value: Any) -> Any:
    """A value as JSON has it."""
    if isinstance(value, scrubjay.Results):
        return _found(value)
    if is_dataclass(value) and not isinstance(value, type):
        return {_name(one.name): plain(getattr(value, one.name)) for one in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plain(own) for key, own in value.items()}
    if isinstance(value, list | tuple):
        return [plain(own) for own in value]
    return value if value is None or isinstance(value, bool | int | float) else str(value)


def _answers(jay: scrubjay.Scrubjay, calls: Iterable[Call]) -> Iterator[tuple[Call, Any]]:
    """Neighbouring searches that differ only in their text are asked with one `search_many`."""
    for (method, arguments), group in groupby(calls, key=attrgetter("method", "arguments")):
        own = list(group)
        if method == SEARCH:
            found = _safely(lambda own=own, how=arguments: jay.search_many([one.positional[0] for one in own], **how))
            yield from zip(own, found if isinstance(found, list) else [found] * len(own), strict=True)
        else:
            for one in own:
                yield one, _safely(lambda one=one: attrgetter(one.method)(jay)(*one.positional, **one.arguments))


def _safely(call: Any) -> Any:
    """The answer, or the sort of error: that is an answer, too."""
    try:
        return plain(call())
    except scrubjay.ScrubjayError as problem:
        return {"error": type(problem).__name__, "notes": [str(problem)]}


def _found(results: scrubjay.Results) -> dict[str, Any]:
    """Results with memories as ids: what these hold is compared by the answers of `list`."""
    return {
        "ids": [hit.memory.id for hit in results],
        "score": [hit.score for hit in results],
        "confidence": [hit.confidence for hit in results],
        "why": [dict(hit.why) for hit in results],
        "also": [list(hit.also) for hit in results],
        "corrected_by": [hit.corrected_by for hit in results],
        "neighbours": [[memory.id for memory in hit.neighbours] for hit in results],
        "matched_words": [list(hit.words) for hit in results],
        "words": list(results.words),
        "tiers": list(results.tiers),
        "doubtful": results.doubtful,
        "keyword_trust": getattr(results, "keyword_trust", getattr(results, "familiarity", None)),
        "notes": list(results.notes),
    }


def _blocks(calls: Iterable[Call]) -> Iterator[list[Call]]:
    block: list[Call] = []
    for call in calls:
        if sum(one.uses for one in block) + call.uses > MOST_USES:
            yield block
            block = []
        block.append(call)
    if block:
        yield block


def _name(field_name: str) -> str:
    return RENAMED.get(field_name, field_name)
