"""The indexes of vectors of large spaces: they find the nearest, whatever the filter, and follow what is written."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from typing import Any

import numpy as np
import psycopg
import pytest
from psycopg import sql

from scrubjay.stores import Store, open_store
from scrubjay.stores.contract import NewMemory
from scrubjay.stores.postgres import near_index
from scrubjay.stores.postgres.engine import PostgresEngine
from scrubjay.stores.postgres.near_index import Wanted
from scrubjay.stores.postgres.statements import bound, translated
from scrubjay.stores.postgres.vector_index import by_index
from scrubjay.types import Filter, Model
from scrubjay.types.vectors import Matrix
from tests.support.stored import NOW, SPACE, everything, made

SIZE, DIMENSIONS = 500, 16
MODEL = Model("test", "test-model", DIMENSIONS, "title and text")
NAMES = (SPACE, "an 'other' :space {0} %s")  # the second one stands for any name
FILTERS: dict[str, dict[str, Any]] = {
    "all": {},
    "half": {"kinds": ("event",)},
    "one in twenty": {"kinds": ("decision",)},
    "five": {"kinds": ("note",)},
    "none": {"kinds": ("task",)},
    "two spaces": {"spaces": NAMES},
}


def drawn(chance: np.random.Generator, count: int) -> Matrix:
    """Vectors of length 1, in groups, as those of texts are."""
    centres = chance.normal(size=(20, DIMENSIONS))
    found = centres[chance.integers(0, 20, count)] + chance.normal(size=(count, DIMENSIONS)) * 0.5
    return np.asarray(found / np.linalg.norm(found, axis=1, keepdims=True), dtype=np.float32)


def kind_of(number: int) -> str:
    if number % 100 == 7:
        return "note"
    return "decision" if number % 20 == 3 else ("event", "fact")[number % 2]


def fill(store: Store, space: str, vectors: Matrix) -> None:
    new = [
        NewMemory(made(f"Memory {n}", space=space, kind=kind_of(n)), vector[None]) for n, vector in enumerate(vectors)
    ]
    store.memories.put(new, MODEL)


@pytest.fixture(scope="module")
def large(databases: Any) -> Iterator[Store]:
    """Two spaces, each beyond the size from which on a space has an index."""
    chance = np.random.default_rng(5)
    with pytest.MonkeyPatch.context() as patch, databases.lent() as url:
        patch.setattr(near_index, "INDEXED_FROM", SIZE)
        with closing(open_store(url)) as store:
            for space in NAMES:
                fill(store, space, drawn(chance, SIZE))
            yield store
            with engine(store).connections.alone() as db:
                for space in NAMES:
                    near_index._drop(db, Wanted(space, 1, DIMENSIONS).name)


def engine(store: Store) -> PostgresEngine:
    assert isinstance(store._engine, PostgresEngine)
    return store._engine


def nearest(store: Store, vector: Matrix, filter: Filter, limit: int) -> list[int]:
    with store._engine.reading(filter.spaces) as rows:
        return list(rows.vectors.nearest(vector, 1, filter, limit).cosines)


def exact(store: Store, vector: Matrix, filter: Filter, limit: int) -> list[int]:
    with engine(store).reading(filter.spaces) as rows:
        return list(rows.vectors._exact(vector, 1, filter, limit))


@pytest.mark.parametrize("fields", FILTERS.values(), ids=FILTERS.keys())
def test_the_nearest_ten_are_those_of_a_whole_comparison_whatever_the_filter(
    large: Store, fields: dict[str, Any]
) -> None:
    chance = np.random.default_rng(6)
    found, wanted = 0, 0
    for question in drawn(chance, 25):
        right = exact(large, question, everything(**fields), 10)
        found += len(set(right) & set(nearest(large, question, everything(**fields), 10)))
        wanted += len(right)
    assert found >= 0.99 * wanted and wanted == {"five": 5 * 25, "none": 0}.get(name_of(fields), 250)


def name_of(fields: dict[str, Any]) -> str:
    return next(name for name, own in FILTERS.items() if own == fields)


MADE_BY_SQL = """
    insert into models (id, state, spec, name, dimensions, recipe) values (1, 'current', '', '', 16, '');
    insert into memories
        (space, uid, kind, text, source, trust, confidence, importance, happened_at, created_at, updated_at)
    select $1, n::text, 'fact', 'x', 'manual', 'user', 1, 5, '', '', '' from generate_series(1, 6000) n;
    insert into pieces (space, memory, model, number, total, vector)
    select $1, m.id, 1, 0, 1, array(select random() - .5 from generate_series(1, 16) where m.id > 0)::vector
    from memories m;
"""


@pytest.mark.parametrize("space", NAMES, ids=["plain", "odd"])
def test_the_plan_reads_the_index_of_its_space_under_the_second_wall(database: str, space: str) -> None:
    index = Wanted(space, 1, DIMENSIONS)
    with closing(open_store(database)) as store:
        with engine(store).connections.alone() as owner:
            for statement in MADE_BY_SQL.replace("$1", sql.Literal(space).as_string()).split(";"):
                owner.execute(statement)
            owner.execute("analyze")
        near_index.build(engine(store).connections, [index])
        text, values = by_index(index, drawn(np.random.default_rng(7), 1)[0], everything(spaces=(space,)), 10)
        with engine(store).reading([space]) as rows:
            plan = rows.db.execute("explain " + translated(text, values), bound(values)).fetchall()
        with engine(store).connections.alone() as owner:
            near_index._drop(owner, index.name)
    assert any(f"Index Scan using {index.name}" in line for (line,) in plan), plan


def test_an_index_is_made_when_a_space_becomes_large_and_follows_what_is_written(large: Store) -> None:
    with large._engine.reading(NAMES) as rows:
        wanted = [Wanted(space, 1, DIMENSIONS) for space in NAMES]
        assert near_index.indexed(rows, wanted) == set(wanted)
        assert near_index.indexed(rows, [Wanted("small", 1, DIMENSIONS)]) == set()
    question = -drawn(np.random.default_rng(8), 1)
    (new,) = large.memories.put([NewMemory(made("A new one"), question)], MODEL)
    assert nearest(large, question[0], everything(), 1) == [new.memory.id]
    large.trash.put([new.memory.id], [SPACE], NOW)
    assert new.memory.id not in nearest(large, question[0], everything(), 5)


def test_a_missing_index_is_said_and_made_by_a_repair(large: Store) -> None:
    with engine(large).connections.alone() as db:
        near_index._drop(db, Wanted(SPACE, 1, DIMENSIONS).name)
    (problem,) = large.maintenance.check(deep=False, repair=False, at=NOW).problems
    assert "has no index of its vectors" in problem
    assert large.maintenance.check(deep=False, repair=True, at=NOW).repaired == [problem]
    assert large.maintenance.check(deep=False, repair=False, at=NOW).problems == []


def test_an_index_of_a_model_that_is_gone_is_removed(large: Store) -> None:
    with engine(large).connections.alone() as db:
        name = Wanted(SPACE, 99, DIMENSIONS).name
        db.execute(near_index._create(Wanted(SPACE, 99, DIMENSIONS)))
    near_index.build(engine(large).connections, [])
    with psycopg.connect(large.path) as db:
        assert db.execute("select 1 from pg_class where relname = %s", [name]).fetchone() is None
