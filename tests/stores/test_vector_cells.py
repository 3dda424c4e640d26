"""A large space lies in cells of like vectors. A search reads the nearest of them, and finds as much as in all."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import scrubjay
from scrubjay import Scrubjay
from scrubjay.stores.sqlite import vector_index
from scrubjay.stores.sqlite.caches import vector_cells
from scrubjay.types.vectors import Matrix

COUNT = 1_500
DIMENSIONS = 32
TOPICS = 12
KINDS = ("fact", "decision", "note")


class Topics:
    """An embedder whose texts lie around a few topics, as real ones do: "topic 3, crate 17" lies near topic 3."""

    model, dimensions = "topics", DIMENSIONS

    def embed(self, texts: Sequence[str], query: bool = False) -> Matrix:
        return np.stack([self._one(text) for text in texts])

    def _one(self, text: str) -> Matrix:
        topic, own = text.split(",", 1)
        parts = [np.random.default_rng(random.Random(part).getrandbits(32)) for part in (topic, own)]
        vector = sum(weight * part.normal(size=DIMENSIONS) for weight, part in zip((1.0, 0.5), parts, strict=True))
        return np.asarray(vector / np.linalg.norm(vector), dtype=np.float32)


def items(first: int, count: int) -> list[dict[str, Any]]:
    return [
        {"text": f"topic {number % TOPICS}, crate {number}", "kind": KINDS[number % 3], "tags": [f"t{number % 50}"]}
        for number in range(first, first + count)
    ]


@pytest.fixture(autouse=True)
def small_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cells are made of few vectors, and the cache is asked at once."""
    monkeypatch.setattr(vector_cells, "CELLS_FROM", 500)
    monkeypatch.setattr(vector_cells, "CELL", 50)
    monkeypatch.setattr(vector_cells, "READ_ROOTS", 12)
    monkeypatch.setattr(vector_index, "FEW_FOR_ONCE", 0)


@pytest.fixture
def jay(path: Path) -> Iterator[Scrubjay]:
    with scrubjay.open(path, embedder=Topics()) as jay:
        jay.add_many(items(0, COUNT))
        yield jay


@pytest.fixture
def cells_read(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int]]:
    """For each question to the cache: how many cells were read, of how many."""
    seen: list[tuple[int, int]] = []
    to_read = vector_cells.VectorCells.to_read

    def counted(cells: vector_cells.VectorCells, *given: Any) -> vector_cells.Reading:
        reading = to_read(cells, *given)
        seen.append((len(reading.cells), len(cells._cells)))
        return reading

    monkeypatch.setattr(vector_cells.VectorCells, "to_read", counted)
    return seen


def found(jay: Scrubjay, question: str, limit: int = 10, **filter: Any) -> list[int]:
    return [hit.memory.id for hit in jay.search(question, mode="vector", limit=limit, **filter)]


def nearest(jay: Scrubjay, question: str, limit: int = 10, **filter: Any) -> list[int]:
    """The truly nearest of what passes."""
    (asked,) = Topics().embed([question])
    of = {memory.id: float(Topics().embed([memory.text])[0] @ asked) for memory in jay.list(limit=None, **filter)}
    return sorted(of, key=lambda id: -of[id])[:limit]


QUESTIONS = [f"topic {topic}, which crate?" for topic in range(TOPICS)]


def test_a_part_of_the_cells_is_read_and_hardly_any_of_the_nearest_is_missed(
    jay: Scrubjay, cells_read: list[tuple[int, int]]
) -> None:
    missed = sum(len({*nearest(jay, question)} - {*found(jay, question)}) for question in QUESTIONS)
    assert missed <= 2  # of 120
    assert all(2 * read < cells for read, cells in cells_read)


@pytest.mark.parametrize("filter", [{"kinds": ["fact"]}, {"tags": ["t7"]}, {"metadata": {"none": True}}])
def test_no_filter_shortens_an_answer(jay: Scrubjay, filter: dict[str, Any]) -> None:
    passing = nearest(jay, QUESTIONS[0], limit=COUNT, **filter)
    for limit in (10, 40):
        assert len(found(jay, QUESTIONS[0], limit, **filter)) == min(limit, len(passing))


def test_where_few_pass_every_cell_is_read_and_the_nearest_are_found(
    jay: Scrubjay, cells_read: list[tuple[int, int]]
) -> None:
    for question in QUESTIONS:
        assert found(jay, question, limit=2, tags=["t7"]) == nearest(jay, question, limit=2, tags=["t7"])
    assert all(read == cells > 20 for read, cells in cells_read)


def test_what_is_added_replaced_and_deleted_is_followed_in_its_cell(jay: Scrubjay, builds: list[str]) -> None:
    assert len(found(jay, QUESTIONS[3])) == 10
    new = jay.add("topic 3, which crate?", kind="fact").memory.id
    assert found(jay, QUESTIONS[3], limit=1) == [new]
    jay.update(new, tags=["lent"])
    assert found(jay, QUESTIONS[3], tags=["lent"]) == [new]
    newer = jay.supersede(new, "topic 3, this crate").memory.id
    assert new not in found(jay, QUESTIONS[3], limit=40) and found(jay, "topic 3, this crate", limit=1) == [newer]
    jay.delete(newer)
    assert newer not in found(jay, "topic 3, this crate", limit=40)
    assert builds == ["default"]


def test_cells_are_saved_and_read_again(jay: Scrubjay, path: Path, builds: list[str]) -> None:
    before = [found(jay, question) for question in QUESTIONS]
    jay.close()
    with scrubjay.open(path, embedder=Topics()) as again:
        assert [found(again, question) for question in QUESTIONS] == before
    assert builds == ["default"]


def test_a_space_that_has_outgrown_its_cells_gets_more_of_them(
    jay: Scrubjay, builds: list[str], cells_read: list[tuple[int, int]]
) -> None:
    for first in range(COUNT, 3 * COUNT, COUNT // 2):
        found(jay, QUESTIONS[0])
        jay.add_many(items(first, COUNT // 2))
    assert len(builds) == 2 and sorted({cells for _, cells in cells_read}) == [30, 60]


def test_a_small_space_is_one_cell(path: Path, cells_read: list[tuple[int, int]]) -> None:
    with scrubjay.open(path, embedder=Topics()) as jay:
        jay.add_many(items(0, 400))
        assert all(found(jay, question) == nearest(jay, question) for question in QUESTIONS)
    assert set(cells_read) == {(1, 1)}
