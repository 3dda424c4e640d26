"""Two plain ways to search, fixed for comparison: FTS5's BM25 over words, and the bundled model's exact cosine."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import apsw
import numpy as np

from bench.sets import Document, Question

__all__ = ["Answer", "by_bm25", "by_minilm"]

DEPTH = 50
# Fixed here, so that the rival stays the same whatever the product does.
STOP_WORDS = frozenset(
    """
    a about an and are as at be been but by can could did do does for from had has have he her him his how i if in
    into is it its me my no not of on or our she should so than that the their them then there these they this those
    to was we were what when where which who whom why will with would you your
    """.split()
)


@dataclass(frozen=True, slots=True)
class Answer:
    """What was found for a question, best first."""

    ids: list[str]
    scores: list[float]


def by_bm25(documents: Sequence[Document], questions: Sequence[Question]) -> list[Answer]:
    """Answers of one scope: an index of its own, every telling word OR-ed."""
    db = apsw.Connection(":memory:")
    db.execute("create virtual table words using fts5 (title, text, tokenize = 'porter unicode61')")
    rows = ((number, document.title, document.text) for number, document in enumerate(documents))
    db.executemany("insert into words (rowid, title, text) values (?, ?, ?)", rows)
    found = [_matching(db, question.text) for question in questions]
    return [Answer([documents[number].id for number, _ in each], [score for _, score in each]) for each in found]


def by_minilm(embedder: Any, documents: Sequence[Document], questions: Sequence[Question]) -> list[Answer]:
    """Answers of one scope: one vector per document, cut where the model's window ends."""
    vectors = embedder.embed([f"{document.title}\n{document.text}".strip() for document in documents])
    cosines = embedder.embed([question.text for question in questions], query=True) @ vectors.T
    best = np.argsort(-cosines, axis=1, kind="stable")[:, :DEPTH]
    return [
        Answer([documents[number].id for number in numbers], row[numbers].tolist())
        for numbers, row in zip(best, cosines, strict=True)
    ]


def _matching(db: apsw.Connection, question: str) -> list[tuple[int, float]]:
    words = list(dict.fromkeys(re.findall(r"\w+", question.lower())))
    telling = [word for word in words if word not in STOP_WORDS] or words
    match = " OR ".join(f'"{word}"' for word in telling)
    found = db.execute("select rowid, -rank from words where words match ? order by rank limit ?", (match, DEPTH))
    return list(found)
