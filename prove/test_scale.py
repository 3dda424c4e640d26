"""A hundred thousand memories: filters hold before the cut, and the nearest are the truly nearest."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import apsw
import numpy as np
import pytest
from bench.corpus import Precomputed, make_corpus, questions

import scrubjay

COUNT = 100_000
ASKED = 40
LIMIT = 10
AT_ONCE = 20_000
FILTERS: list[tuple[dict[str, Any], str]] = [
    ({}, "true"),
    ({"kinds": ["fact"]}, "kind = 'fact'"),
    ({"kinds": ["event"]}, "kind = 'event'"),
    ({"min_importance": 9}, "importance >= 9"),
]


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[scrubjay.Scrubjay, Path, list[str], Precomputed]]:
    path = tmp_path_factory.mktemp("large") / "memory.db"
    corpus, embedder = make_corpus(COUNT), Precomputed()
    items = [
        {"text": memory.text, "kind": memory.kind, "importance": 9 if number % 100 == 0 else 5}
        for number, memory in enumerate(corpus)
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SCRUBJAY_HOME", str(path.parent))
        with scrubjay.open(path, embedder=embedder) as jay:
            for start in range(0, len(items), AT_ONCE):
                jay.add_many(items[start : start + AT_ONCE])
            yield jay, path, questions(corpus, ASKED, seed=5), embedder


@pytest.mark.parametrize(("filters", "condition"), FILTERS, ids=[condition for _, condition in FILTERS])
def test_the_nearest_found_are_the_truly_nearest_under_any_filter(
    large: tuple[scrubjay.Scrubjay, Path, list[str], Precomputed], filters: dict[str, Any], condition: str
) -> None:
    jay, path, asked, embedder = large
    sql = f"select p.memory, p.vector from pieces p join memories m on m.id = p.memory where {condition}"
    rows: list[Any] = apsw.Connection(str(path)).execute(sql).fetchall()
    vectors = np.frombuffer(b"".join(vector for _, vector in rows), dtype="<f4").reshape(len(rows), -1)
    found = 0
    for question in asked:
        best = np.argsort(-(vectors @ embedder.embed([question], query=True)[0]))[:LIMIT]
        hits = jay.search(question, mode="vector", limit=LIMIT, **filters)
        assert len(hits) == LIMIT
        found += len({rows[place][0] for place in best} & {hit.memory.id for hit in hits})
    assert found / (LIMIT * len(asked)) >= 0.99


def indexes(path: Path) -> tuple[Any, ...]:
    """Everything that a change of words or vectors would change."""
    db = apsw.Connection(str(path))
    words = db.execute("select count(*), sum(id), sum(length(block)) from words_data").fetchone()
    return words, *(
        db.execute(f"select count(*), max(rowid) from {table}").fetchone() for table in ("pieces", "changes")
    )


def test_neither_a_task_nor_a_use_touches_an_index_however_large_the_file(
    large: tuple[scrubjay.Scrubjay, Path, list[str], Precomputed],
) -> None:
    jay, path, asked, _ = large
    task = jay.tasks.create("Sort the hundred thousand").memory.id
    before = indexes(path)
    jay.tasks.update(task, status="in_progress", note="begun")
    jay.search(asked[0])
    jay.get(task)
    jay.confirm(task)  # a write, with which the uses are written too
    assert indexes(path) == before
    memory = jay.get(task)
    assert memory is not None and memory.used_count >= 1
