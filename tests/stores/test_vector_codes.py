"""Short codes tell which vectors may be near to a question. A search reads those only, and misses hardly any."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import scrubjay
from scrubjay import Scrubjay
from scrubjay.stores.sqlite import vector_index
from scrubjay.stores.sqlite.caches import vector_codes
from scrubjay.types import Filter
from scrubjay.types.vectors import Matrix

COUNT = 1_500
DIMENSIONS = 32
TOPICS = 12
KINDS = ("fact", "decision", "note")
EVERYTHING = Filter(spaces=("default",), now=datetime(2026, 1, 1, tzinfo=UTC))


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
def codes_of_few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Short codes are compared of few vectors, which lie in several blocks, and the cache is asked at once."""
    monkeypatch.setattr(vector_codes, "FEW", 100)
    monkeypatch.setattr(vector_codes, "BLOCK", 400)
    monkeypatch.setattr(vector_index, "FEW_FOR_ONCE", 0)


@pytest.fixture
def jay(path: Path) -> Iterator[Scrubjay]:
    with scrubjay.open(path, embedder=Topics()) as jay:
        jay.add_many(items(0, COUNT))
        yield jay


@pytest.fixture
def codes_read(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """For each question to the cache: of how many vectors the longer codes were read."""
    seen: list[int] = []
    real = vector_codes._scores

    def counted(codes: vector_codes.Codes, vector: Matrix, places: Any) -> Any:
        seen.append(len(places))
        return real(codes, vector, places)

    monkeypatch.setattr(vector_codes, "_scores", counted)
    return seen


def found(jay: Scrubjay, question: str, limit: int = 10, **filter: Any) -> list[int]:
    return [hit.memory.id for hit in jay.search(question, mode="vector", limit=limit, **filter)]


def nearest(jay: Scrubjay, question: str, limit: int = 10, **filter: Any) -> list[int]:
    """The truly nearest of what passes."""
    (asked,) = Topics().embed([question])
    of = {memory.id: float(Topics().embed([memory.text])[0] @ asked) for memory in jay.list(limit=None, **filter)}
    return sorted(of, key=lambda id: -of[id])[:limit]


QUESTIONS = [f"topic {topic}, which crate?" for topic in range(TOPICS)]


def test_a_part_of_the_longer_codes_is_read_and_hardly_any_of_the_nearest_is_missed(
    jay: Scrubjay, codes_read: list[int]
) -> None:
    missed = sum(len({*nearest(jay, question)} - {*found(jay, question)}) for question in QUESTIONS)
    assert missed <= 2  # of 120
    assert max(codes_read) < COUNT / 2


def test_a_vector_that_is_searched_for_is_always_found(jay: Scrubjay) -> None:
    for number in range(0, COUNT, 50):
        assert found(jay, f"topic {number % TOPICS}, crate {number}", limit=1) == [number + 1]


@pytest.mark.parametrize("filter", [{"kinds": ["fact"]}, {"tags": ["t7"]}, {"metadata": {"none": True}}])
def test_no_filter_shortens_an_answer(jay: Scrubjay, filter: dict[str, Any]) -> None:
    passing = nearest(jay, QUESTIONS[0], limit=COUNT, **filter)
    for limit in (10, 40):
        assert len(found(jay, QUESTIONS[0], limit, **filter)) == min(limit, len(passing))


def test_where_few_pass_all_of_them_are_read_and_the_nearest_are_found(jay: Scrubjay, codes_read: list[int]) -> None:
    for question in QUESTIONS:
        assert found(jay, question, limit=2, tags=["t7"]) == nearest(jay, question, limit=2, tags=["t7"])
    assert set(codes_read) == {COUNT // 50}


def test_there_is_a_most_that_is_read(jay: Scrubjay, codes_read: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector_codes, "MOST_READ", 120)
    monkeypatch.setattr(vector_codes, "DEVIATIONS", 100.0)
    assert len(found(jay, QUESTIONS[0])) == 10
    assert codes_read[-1] == 120


@pytest.mark.parametrize("limit", [5, 20, 60, 400])
def test_what_a_filter_lets_pass_is_found_however_far_away(
    jay: Scrubjay, monkeypatch: pytest.MonkeyPatch, limit: int
) -> None:
    far = [{"text": f"topic 1, box {number}", "metadata": {"box": True}} for number in range(30)]
    boxes = {added.memory.id for added in jay.add_many(far)}
    monkeypatch.setattr(vector_codes, "MOST_READ", 120)
    assert len({*found(jay, QUESTIONS[0], limit, metadata={"box": True})} & boxes) == min(limit, len(boxes))


def test_what_is_added_replaced_and_deleted_is_followed(jay: Scrubjay, builds: list[str]) -> None:
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


def test_codes_are_saved_and_read_again_and_can_be_added_to(jay: Scrubjay, path: Path, builds: list[str]) -> None:
    before = [found(jay, question) for question in QUESTIONS]
    jay.close()
    with scrubjay.open(path, embedder=Topics()) as again:
        assert [found(again, question) for question in QUESTIONS] == before
        new = again.add("topic 3, which crate?").memory.id
        assert found(again, QUESTIONS[3], limit=1) == [new]
    assert builds == ["default"]


@pytest.mark.parametrize("dimensions", [1, 2, 8, 64, 700])
def test_vectors_of_any_length_have_codes(dimensions: int) -> None:
    chance = np.random.default_rng(1)
    vectors = chance.standard_normal((3_000, dimensions)).astype(np.float32)
    vectors[0] = 0
    vectors[1:] /= np.linalg.norm(vectors[1:], axis=1, keepdims=True)
    codes = vector_codes.VectorCodes(dimensions)
    codes.add(vectors, [(piece, *[None] * 6, 0, 5, 1.0) for piece in range(len(vectors))])
    for asked in vectors[1:40]:
        most, pieces, _ = vector_codes.nearest(codes.that_may_pass(EVERYTHING), asked, 20)
        cosines = vectors @ asked
        assert all(cosines[piece] <= score + 1e-6 for piece, score in zip(pieces, most, strict=True))
        assert cosines[pieces].max() > 0.9999
        assert len({*pieces} & {*np.argsort(-cosines)[:10].tolist()}) >= 9 or dimensions <= 2  # there are many equals
