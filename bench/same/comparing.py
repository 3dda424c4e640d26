"""What differs between a recorded answer and the answer of the code at hand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from bench.report import Row

__all__ = ["Tally", "differences"]

TOLERANCE = 1e-6
IDS = frozenset({"ids", "id", "also", "neighbours", "corrected_by", "superseded_by", "old", "new", "about", "summary"})
# Sentences for people: a change of structure may reword them.
SENTENCES = frozenset({"notes", "warnings", "problems", "repaired", "reason", "detail"})
COMPOSED = frozenset({"text", "tokens"})  # of a context: sentences around the memories, which are compared by id
ELSEWHERE = frozenset({"file", "file_bytes"})  # where the copy lies, and its size with the indexes of a new version


@dataclass(frozen=True, slots=True)
class Difference:
    """One value that differs: what sort of value, where in the answer, and how it was and is."""

    sort: str  # ids, number, value, sentence, field
    path: str
    before: Any
    after: Any

    @property
    def distance(self) -> float:
        return abs(self.before - self.after) if self.sort == "number" else 0.0


@dataclass(slots=True)
class Tally:
    """The differences of one set and group."""

    questions: int = 0
    ids: int = 0
    values: int = 0
    sentences: int = 0
    largest: float = 0.0
    fields: set[str] = field(default_factory=set)

    @property
    def failed(self) -> bool:
        return bool(self.ids or self.values or self.largest > TOLERANCE)

    def add(self, found: list[Difference]) -> None:
        sorts = {one.sort for one in found}
        self.questions += 1
        self.ids += "ids" in sorts
        self.values += "value" in sorts
        self.sentences += "sentence" in sorts
        self.largest = max([self.largest, *(one.distance for one in found)])
        self.fields |= {one.path for one in found if one.sort == "field"}

    def row(self) -> Row:
        return {
            "questions": self.questions,
            "other ids or order": self.ids,
            "largest difference of a number": f"{self.largest:.1e}" if self.largest else "0",
            "other values": self.values,
            "other sentences": self.sentences,
            "fields of one side only": ", ".join(sorted(self.fields)) or "–",
        }


def differences(method: str, before: Any, after: Any) -> list[Difference]:
    sentences = SENTENCES | COMPOSED if method == "context" else SENTENCES
    return list(_differences(before, after, (), sentences))


def _differences(before: Any, after: Any, path: tuple[str, ...], sentences: frozenset[str]) -> Iterator[Difference]:
    key = next((name for name in reversed(path) if not name.isdigit()), "")
    if key in ELSEWHERE:
        return
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        for name in before.keys() | after.keys():
            if name in before and name in after:
                below = sentences if name != "memories" else sentences - COMPOSED
                yield from _differences(before[name], after[name], (*path, name), below)
            else:
                yield Difference("field", _shown((*path, name)), before.get(name), after.get(name))
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after) and key not in sentences:
        for place, pair in enumerate(zip(before, after, strict=True)):
            yield from _differences(*pair, (*path, str(place)), sentences)
    elif before != after:
        yield Difference(_sort(key, before, after, sentences), _shown(path), before, after)


def _sort(key: str, before: Any, after: Any, sentences: frozenset[str]) -> str:
    if key in sentences:
        return "sentence"
    if isinstance(before, float) and isinstance(after, float):
        return "number"
    return "ids" if key in IDS or _has_records(before) or _has_records(after) else "value"


def _has_records(value: Any) -> bool:
    """Whether this is a list of memories, tasks or the like, which is compared whole where its length differs."""
    return isinstance(value, list) and any(isinstance(one, Mapping) for one in value)


def _shown(path: tuple[str, ...]) -> str:
    return ".".join(name for name in path if not name.isdigit())
