"""The engines under measurement, behind one face: Scrubjay, and the sqlite-vec + FTS5 of the systems before it."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any, Literal, Protocol

from bench.corpus import Matrix, Memory

__all__ = ["LIMIT", "OURS", "RIVAL", "RIVAL_TUNED", "Engine", "Mode", "Narrowing", "open_engine"]

Mode = Literal["hybrid", "keyword", "vector"]
Scores = dict[int, float]

OURS, RIVAL, RIVAL_TUNED = "scrubjay", "vec0", "vec0-tuned"
LIMIT = 10


@dataclass(frozen=True, slots=True)
class Narrowing:
    """Which memories may answer, and what share of the file that is."""

    space: str = "large"
    kind: str | None = None
    subject: str | None = None
    share: float = 1.0


class Embedder(Protocol):
    model: str
    dimensions: int

    def embed(self, texts: Sequence[str], query: bool = False) -> Matrix: ...


class Engine(Protocol):
    """Stores made-up memories and finds them again, by their place in the corpus."""

    def add(self, memories: Sequence[Memory]) -> None:
        """One transaction."""

    def search(self, question: str, mode: Mode, narrowing: Narrowing) -> list[int]:
        """Places of the best memories, their rows read."""

    def close(self) -> None: ...


class Scrubjay:
    """Scrubjay, through its public surface."""

    def __init__(self, path: Path, embedder: Embedder) -> None:
        import scrubjay

        self._jay = scrubjay.open(path, space="large", embedder=embedder)

    def add(self, memories: Sequence[Memory]) -> None:
        for space, group in groupby(memories, key=lambda memory: memory.space):
            items = [{"text": one.text, "kind": one.kind, "subject": one.subject} for one in group]
            self._jay.lend(space=space).add_many(items)

    def search(self, question: str, mode: Mode, narrowing: Narrowing) -> list[int]:
        kinds = [narrowing.kind] if narrowing.kind else []
        found = self._jay.search(
            question, limit=LIMIT, mode=mode, spaces=[narrowing.space], kinds=kinds, subject=narrowing.subject
        )
        return [hit.memory.id - 1 for hit in found]

    def close(self) -> None:
        self._jay.close()


class VecEngine:
    """vec0 and FTS5 in one file, asked as the earlier systems do it: nearest first, filters joined after.

    One kindness: it asks for as many neighbours as a filter needs to leave enough, where they always ask for the same.
    """

    schema = (
        "create table facts (id integer primary key, space text, kind text, subject text, text text, created_at text)",
        "create index facts_by_space on facts (space, kind)",
        "create virtual table facts_fts using fts5"
        " (text, content = 'facts', content_rowid = 'id', tokenize = 'porter unicode61')",
        "create trigger facts_inserted after insert on facts begin"
        " insert into facts_fts (rowid, text) values (new.id, new.text); end",
        "create virtual table vectors using vec0 (id integer primary key, embedding float[384])",
    )
    insert_vector = "insert into vectors (id, embedding) values (:id, :vector)"
    nearest = """
        select v.id, v.distance from vectors v join facts f on f.id = v.id
        where v.embedding match :vector and v.k = :k and f.space = :space
        and (:kind is null or f.kind = :kind) and (:subject is null or f.subject = :subject) order by v.distance
    """
    matching = """
        select f.id, facts_fts.rank from facts_fts join facts f on f.id = facts_fts.rowid
        where facts_fts match :match and f.space = :space
        and (:kind is null or f.kind = :kind) and (:subject is null or f.subject = :subject)
        order by facts_fts.rank limit :limit
    """
    pragmas: tuple[str, ...] = ("journal_mode = wal", "busy_timeout = 60000")
    vector_weight, keyword_weight = 0.7, 0.3
    pool = LIMIT * 3
    most_neighbours = 4_096  # vec0 refuses more

    def __init__(self, path: Path, embedder: Embedder) -> None:
        import apsw
        import sqlite_vec

        self._embedder = embedder
        self._db = apsw.Connection(str(path))
        self._db.enable_load_extension(True)
        self._db.load_extension(sqlite_vec.loadable_path())
        for pragma in self.pragmas:
            self._db.execute(f"pragma {pragma}")
        if not self._db.execute("select 1 from sqlite_schema where name = 'facts'").fetchall():
            for statement in self.schema:
                self._db.execute(statement)

    def add(self, memories: Sequence[Memory]) -> None:
        vectors = self._embedder.embed([memory.text for memory in memories])
        self._db.execute("begin immediate")
        for memory, vector in zip(memories, vectors, strict=True):
            self._db.execute(
                "insert into facts (space, kind, subject, text, created_at) values (?, ?, ?, ?, datetime('now'))",
                (memory.space, memory.kind, memory.subject, memory.text),
            )
            row: dict[str, Any] = {"space": memory.space, "kind": memory.kind, "subject": memory.subject or ""}
            row |= {"id": self._db.last_insert_rowid(), "vector": vector.tobytes()}
            self._db.execute(self.insert_vector, row)
        self._db.execute("commit")

    def search(self, question: str, mode: Mode, narrowing: Narrowing) -> list[int]:
        return self.search_as_is(question, mode, narrowing, self.neighbours(narrowing))

    def search_as_is(self, question: str, mode: Mode, narrowing: Narrowing, neighbours: int) -> list[int]:
        """Search with a given number of neighbours, before the filters."""
        values = {"space": narrowing.space, "kind": narrowing.kind, "subject": narrowing.subject}
        by_meaning: Scores = {}
        by_word: Scores = {}
        if mode != "keyword":
            vector = self._embedder.embed([question], query=True)[0].tobytes()
            by_meaning = _negated(self._db.execute(self.nearest, {**values, "vector": vector, "k": neighbours}))
        if mode != "vector":
            match = " OR ".join(f'"{word}"' for word in re.findall(r"\w+", question))
            by_word = _negated(self._db.execute(self.matching, {**values, "match": match, "limit": self.pool}))
        best = _merged(by_meaning, self.vector_weight, by_word, self.keyword_weight)[:LIMIT]
        marks = ", ".join("?" * len(best))
        rows = {row[0]: row for row in self._db.execute(f"select * from facts where id in ({marks})", best)}
        return [rows[id][0] - 1 for id in best]

    def neighbours(self, narrowing: Narrowing) -> int:
        return min(math.ceil(self.pool / narrowing.share), self.most_neighbours)

    def close(self) -> None:
        self._db.close()


class TunedVecEngine(VecEngine):
    """The same at its best, as no earlier system has it: filters inside vec0, and Scrubjay's own pragmas."""

    schema = (
        *VecEngine.schema[:-1],
        "create virtual table vectors using vec0"
        " (id integer primary key, space text partition key, kind text, subject text, embedding float[384])",
    )
    insert_vector = """
        insert into vectors (id, space, kind, subject, embedding) values (:id, :space, :kind, :subject, :vector)
    """

    pragmas = (*VecEngine.pragmas, "cache_size = -16384", "mmap_size = 1073741824")

    def neighbours(self, narrowing: Narrowing) -> int:
        return self.pool

    def search_as_is(self, question: str, mode: Mode, narrowing: Narrowing, neighbours: int) -> list[int]:
        conditions = ["embedding match :vector", "k = :k", "space = :space"]
        conditions += ["kind = :kind"] if narrowing.kind else []
        conditions += ["subject = :subject"] if narrowing.subject else []
        self.nearest = f"select id, distance from vectors where {' and '.join(conditions)} order by distance"
        return super().search_as_is(question, mode, narrowing, neighbours)


ENGINES: dict[str, type[Scrubjay] | type[VecEngine]] = {
    OURS: Scrubjay,
    RIVAL: VecEngine,
    RIVAL_TUNED: TunedVecEngine,
}


def open_engine(name: str, path: Path, embedder: Embedder) -> Scrubjay | VecEngine:
    return ENGINES[name](path, embedder)


def _negated(rows: Iterable[Any]) -> Scores:
    """Distances and FTS5's ranks are better the smaller they are."""
    return {id: -badness for id, badness in rows}


def _merged(one: Scores, one_weight: float, other: Scores, other_weight: float) -> list[int]:
    """Ids, best first, by the weighted sum of scores spread over 0 to 1."""
    total: dict[int, float] = {}
    for scores, weight in ((one, one_weight), (other, other_weight)):
        low, high = min(scores.values(), default=0.0), max(scores.values(), default=0.0)
        for id, score in scores.items():
            spread = (score - low) / (high - low) if high > low else 0.5
            total[id] = total.get(id, 0.0) + weight * spread
    return sorted(total, key=lambda id: -total[id])
