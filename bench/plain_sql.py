"""Memories in PostgreSQL as they are usually kept: one table, one HNSW index with a `where`, and `ts_rank`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any

import psycopg

from bench.corpus import Matrix
from bench.timing import seconds

__all__ = ["PlainSql"]

DIMENSIONS, LIMIT, POOL = 384, 10, 30
RANK_CONSTANT = 60  # of reciprocal rank fusion, as its paper has it
TABLE = f"""
    create table plain (
        id bigint primary key, space text, kind text, text text, embedding vector({DIMENSIONS}),
        words tsvector generated always as (to_tsvector('english', text)) stored
    )
"""
COPY = "copy plain (id, space, kind, text, embedding) from stdin"
INSERT = "insert into plain (id, space, kind, text, embedding) values (%s, %s, %s, %s, %s::vector)"
BY_VECTOR = "create index on plain using hnsw (embedding vector_cosine_ops)"
OTHERS = "create index on plain using gin (words); create index on plain (space); analyze plain"
NEAREST = """
    select id from plain where space = %(space)s and (%(kind)s::text is null or kind = %(kind)s)
    order by embedding <=> %(vector)s::vector limit %(limit)s
"""
MATCHING = """
    select id from plain, cast(replace(plainto_tsquery('english', %(text)s)::text, '&', '|') as tsquery) as asked
    where words @@ asked and space = %(space)s and (%(kind)s::text is null or kind = %(kind)s)
    order by ts_rank(words, asked) desc limit %(limit)s
"""
READ = "select id, space, kind, text from plain where id = any(%s)"


class PlainSql:
    """A connection with the settings that a new one has."""

    def __init__(self, url: str) -> None:
        self._db: psycopg.Connection[Any] = psycopg.connect(url, autocommit=True)
        self._db.execute(TABLE)

    def load(self, rows: Iterable[tuple[int, str, str, str, str]]) -> float:
        """Id, space, kind, text and vector of each; how many seconds the index of vectors took."""
        with self._db.cursor().copy(COPY) as copy:
            for row in rows:
                copy.write_row(row)
        taken = seconds(lambda: self._db.execute(BY_VECTOR))
        self._db.execute(OTHERS)
        return taken

    def add(self, id: int, space: str, kind: str, text: str, vector: Matrix) -> None:
        self._db.execute(INSERT, [id, space, kind, text, str(vector.tolist())])

    def nearest(self, space: str, kind: str | None, vector: Matrix, limit: int = LIMIT) -> list[int]:
        values = {"space": space, "kind": kind, "vector": str(vector.tolist()), "limit": limit}
        return [id for (id,) in self._db.execute(NEAREST, values)]

    def matching(self, space: str, kind: str | None, text: str) -> list[int]:
        values = {"space": space, "kind": kind, "text": text, "limit": POOL}
        return [id for (id,) in self._db.execute(MATCHING, values)]

    def search(self, space: str, kind: str | None, text: str, vector: Matrix) -> list[int]:
        """Both lists as one, by their ranks."""
        best = _fused([self.nearest(space, kind, vector, POOL), self.matching(space, kind, text)])[:LIMIT]
        self._db.execute(READ, [best]).fetchall()
        return best

    def close(self) -> None:
        self._db.close()


def _fused(lists: Sequence[Sequence[int]]) -> list[int]:
    ranked = sorted((id, 1 / (RANK_CONSTANT + rank)) for ids in lists for rank, id in enumerate(ids, start=1))
    totals = {id: sum(score for _, score in own) for id, own in groupby(ranked, key=lambda each: each[0])}
    return sorted(totals, key=lambda id: -totals[id])
