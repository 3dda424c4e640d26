"""Reads the retrieval sets beside the project; they are never copied into it."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

__all__ = [
    "ABSTENTION",
    "ADVERSARIAL",
    "FOLDER",
    "IN_ENGLISH",
    "NAMES",
    "NO_SCOPE",
    "Document",
    "Question",
    "RetrievalSet",
    "read_set",
]

FOLDER = Path(__file__).resolve().parent.parent.parent / "shared" / "data"
NAMES = ("locomo", "prefeval_explicit", "beam_100K", "scifact", "knowme_d1", "xquad_zh2en", "xquad_es2en")
IN_ENGLISH = NAMES[:5]  # question and answer
ADVERSARIAL = "adversarial"  # about the wrong one of two people: there is evidence, but no answer
ABSTENTION = "abstention"
# Numbers in the data; these are the names in the paper that came with it, whose counts are the same.
LOCOMO = {"1": "multi-hop", "2": "temporal", "3": "open-domain", "4": "single-hop", "5": ADVERSARIAL}
DATES = ("%I:%M %p on %d %B, %Y", "%B-%d-%Y", "%Y-%m-%d %H:%M:%S")
NO_SCOPE = "all"


@dataclass(frozen=True, slots=True)
class Document:
    """A document, or a turn of a conversation."""

    id: str
    title: str
    text: str
    scope: str
    session: str | None
    speaker: str | None
    date: datetime | None
    kind: str = "fact"


@dataclass(frozen=True, slots=True)
class Question:
    """A question, its scope, and how relevant which documents are to it: none, if nothing answers it."""

    id: str
    text: str
    scope: str
    category: str
    relevant: dict[str, int]

    @property
    def answerable(self) -> bool:
        return bool(self.relevant) and self.category != ADVERSARIAL


@dataclass(frozen=True, slots=True)
class RetrievalSet:
    """Documents and questions, both by scope: each scope is a memory of its own."""

    name: str
    documents: dict[str, list[Document]]
    questions: dict[str, list[Question]]
    now: datetime | None = None  # when they are asked, if that matters


def read_set(name: str) -> RetrievalSet:
    """A set without the questions of which it is not known what answers. Documents of equal text are one: the first."""
    kept: dict[tuple[str, str], Document] = {}
    same: dict[str, str] = {}
    for document in _documents(FOLDER / name):
        first = kept.setdefault((document.scope, document.text), document)
        same[document.id] = first.id
    relevant = _relevant(FOLDER / name, same)
    documents: dict[str, list[Document]] = {}
    for document in kept.values():
        documents.setdefault(document.scope, []).append(document)
    questions: dict[str, list[Question]] = {}
    for line in _lines(FOLDER / name / "queries.jsonl.gz"):
        question = _question(line, relevant.get(line["_id"], {}))
        if question.relevant or question.category == ABSTENTION:
            questions.setdefault(question.scope, []).append(question)
    return RetrievalSet(name, documents, questions)


def _documents(folder: Path) -> Iterator[Document]:
    date, session = None, None
    for line in _lines(folder / "corpus.jsonl.gz"):
        scope = line.get("scope") or NO_SCOPE
        if (scope, line.get("session")) != session:
            date, session = None, (scope, line.get("session"))
        date = _date(line.get("date")) or date  # a turn without a date was said on the day of the one before
        yield Document(
            line["_id"], line.get("title") or "", line["text"], scope, line.get("session"), line.get("speaker"), date
        )  # fmt: skip


def _question(line: dict[str, Any], relevant: dict[str, int]) -> Question:
    category = str(line.get("category", ""))
    return Question(
        line["_id"], line["text"], line.get("scope") or NO_SCOPE, LOCOMO.get(category, category), relevant
    )  # fmt: skip


def _relevant(folder: Path, same: dict[str, str]) -> dict[str, dict[str, int]]:
    grades: dict[str, dict[str, int]] = {}
    for line in (folder / "qrels.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        question, document, grade = line.split("\t")
        own = grades.setdefault(question, {})
        if int(grade) > 0:
            own[same[document]] = max(int(grade), own.get(same[document], 0))
    return {question: own for question, own in grades.items() if own}


def _date(text: str | None) -> datetime | None:
    for form in DATES if text else ():
        with suppress(ValueError):
            return datetime.strptime(text or "", form).replace(tzinfo=UTC)
    return None


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)
