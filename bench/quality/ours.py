"""The set of our own, written by hand: what a person and their agent may have told a memory, and what they ask it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench.sets import NO_SCOPE, Document, Question, RetrievalSet

__all__ = ["OURS", "read_ours"]

OURS = "ours"
FILE = Path(__file__).resolve().parent.parent.parent / "tests" / "data" / "memories.json"


def read_ours() -> RetrievalSet:
    told = json.loads(FILE.read_text(encoding="utf-8"))
    questions = [
        Question(f"q{number}", one["text"], NO_SCOPE, one["ability"], dict.fromkeys(one["answers"], 1))
        for number, one in enumerate(told["questions"])
    ]
    now = datetime.fromisoformat(told["now"])
    return RetrievalSet(OURS, {NO_SCOPE: list(_documents(told))}, {NO_SCOPE: questions}, now)


def _documents(told: dict[str, Any]) -> Iterator[Document]:
    for one in told["memories"]:
        date = datetime.fromisoformat(one["date"]).replace(tzinfo=UTC)
        yield Document(one["id"], "", one["text"], NO_SCOPE, None, None, date, one["kind"])
    for talk in told["conversations"]:
        date = datetime.fromisoformat(talk["date"])
        for turn in talk["turns"]:
            yield Document(turn["id"], "", turn["text"], NO_SCOPE, talk["session"], turn["speaker"], date, "turn")
