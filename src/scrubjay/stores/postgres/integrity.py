"""Whether the indexes of a database agree with its rows; what does not is made again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from scrubjay.stores.contract import Look, Rows
from scrubjay.stores.postgres import near_index
from scrubjay.stores.postgres.rows import PostgresRows
from scrubjay.types.reports import Check

if TYPE_CHECKING:
    from scrubjay.stores.postgres.engine import PostgresEngine

__all__ = ["check"]

LENGTH_TOLERANCE = 0.01
# Of another length than its model's, no vector of length 1, or of a memory of which other pieces are missing.
BAD_VECTORS = f"""
    select p.id, p.memory from pieces p join models m on m.id = p.model
    where vector_dims(p.vector) <> m.dimensions
    or (vector_norm(p.vector) <> 0 and abs(vector_norm(p.vector) - 1) > {LENGTH_TOLERANCE})
    or p.total <> (select count(*) from pieces o where o.space = p.space and o.memory = p.memory and o.model = p.model)
    order by p.id
"""
UNINDEXED = """
    select m.id from memories m where not exists (select 1 from words w where w.space = m.space and w.memory = m.id)
    order by m.id
"""
COUNTED = """
    select space, stem, count(*) from words, unnest(tsvector_to_array(stems) || array['']) as stem group by 1, 2
"""
WRONG_COUNTS = f"""
    select 1 from word_counts c full join ({COUNTED}) as own (space, stem, memories) using (space, stem)
    where coalesce(c.memories, 0) <> coalesce(own.memories, 0) limit 1
"""


def check(engine: PostgresEngine, looks: Sequence[Look], deep: bool, repair: bool) -> Check:
    own = (
        Look(_unindexed, _index),
        Look(_missing_indexes, _make_indexes),
        Look(_wrong_counts, _count_anew, deep=True),
        Look(_wrong_vectors, _drop_vectors, deep=True),
    )
    problems: list[str] = []
    repaired: list[str] = []
    for look in (look for look in (*own, *looks) if deep or not look.deep):
        found = _found(engine, look)
        if found and repair and look.mend:
            with engine.writing() as rows:
                look.mend(rows)
            found, mended = _found(engine, look), found
            repaired += mended if not found else []
        problems += found
    return Check(list(dict.fromkeys(problems)), repaired)


def _found(engine: PostgresEngine, look: Look) -> list[str]:
    with engine.reading() as rows:
        return look.find(rows)


def _unindexed(rows: Rows) -> list[str]:
    return [f"Memory {id} is not in the index of words; `--repair` adds it." for (id,) in rows.all(UNINDEXED)]


def _index(rows: Rows) -> None:
    assert isinstance(rows, PostgresRows)
    for (id,) in rows.all(UNINDEXED):
        rows.text.index(id)


def _missing_indexes(rows: Rows) -> list[str]:
    large = sorted(each.space for each in near_index.wanted(rows))
    return [f"Space {space!r} is large and has no index of its vectors; `--repair` makes it." for space in large]


def _make_indexes(rows: Rows) -> None:
    assert isinstance(rows, PostgresRows)
    rows.vectors.written |= near_index.wanted(rows)


def _wrong_counts(rows: Rows) -> list[str]:
    wrong = rows.one(WRONG_COUNTS)
    return ["The counts of words do not agree with the memories; `--repair` counts anew."] if wrong else []


def _count_anew(rows: Rows) -> None:
    rows.run("delete from word_counts")
    rows.run(f"insert into word_counts (space, stem, memories) {COUNTED}")


def _wrong_vectors(rows: Rows) -> list[str]:
    return [f"Vector {id} does not fit memory {memory}; `--repair` drops it." for id, memory in rows.all(BAD_VECTORS)]


def _drop_vectors(rows: Rows) -> None:
    rows.run("delete from pieces where id in (:ids)", ids=[id for id, _ in rows.all(BAD_VECTORS)])
