"""PostgreSQL as the store: the nearest vectors beside plain SQL, and how well both stores find on the same sets."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np
import psycopg
from tests.support.postgres_server import DatabaseServer, database_server
from tests.support.stored import NOW

from bench import report
from bench.cache import Cached
from bench.quality.filling import fill, opened
from bench.quality.metrics import judge
from bench.quality.ours import OURS, read_ours
from bench.report import Row, Table
from bench.sets import FOLDER, RetrievalSet, read_set
from bench.timing import milliseconds, seconds, take_turns
from bench.workroom import workroom
from scrubjay.models.embedders import open_embedder
from scrubjay.stores import Store, open_store
from scrubjay.stores.postgres import near_index
from scrubjay.stores.postgres.engine import PostgresEngine
from scrubjay.stores.postgres.near_index import Wanted
from scrubjay.types import Filter
from scrubjay.types.vectors import Matrix

SETS = ("locomo", "scifact", OURS)
DIMENSIONS, GROUPS, QUESTIONS, WANTED = 384, 200, 60, 10
RARE = "decision"  # the kind of one memory in fifty
MEMORY = """
    insert into memories (space, id, uid, kind, text, source, trust, confidence, importance, happened_at, created_at,
        updated_at) values (%s, %s, %s, %s, 'x', 'manual', 'user', 1, 5, '', '', '')
"""
PIECE = "insert into pieces (space, memory, model, number, total, vector) values (%s, %s, 1, 0, 1, %s::vector)"
PEER = "insert into plain (space, id, kind, embedding) values (%s, %s, %s, %s::vector)"
PEER_TABLE = f"create table plain (id bigint primary key, space text, kind text, embedding vector({DIMENSIONS}))"
PEER_INDEX = "create index on plain using hnsw (embedding vector_ip_ops)"
PEER_SEARCH = "select id from plain where space = %s {more} order by embedding <#> %s::vector limit 10"


def main() -> None:
    options = _options()
    tables = [_nearest(options.sizes)] if options.sizes else []
    tables += [_quality(options.sets, options.scopes)] if options.sets else []
    text = "\n".join(map(report.markdown, tables))
    print(text)
    if options.docs:
        (report.FIGURES / "postgres.md").write_text(f"# PostgreSQL\n\n{text}", encoding="utf-8")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.postgres", description=__doc__)
    parser.add_argument("--sizes", type=lambda text: [int(size) for size in text.split(",") if size], default=[10_000])
    parser.add_argument("--sets", type=lambda text: [name for name in text.split(",") if name], default=SETS)
    parser.add_argument("--scopes", type=int, help="of each set, ask so many scopes only")
    parser.add_argument("--docs", action="store_true", help="write docs/figures/postgres.md")
    return parser.parse_args()


@contextmanager
def _server() -> Iterator[DatabaseServer]:
    with database_server(shared_buffers="512MB", maintenance_work_mem="512MB") as server:
        yield server


def _nearest(sizes: Sequence[int]) -> Table:
    rows: list[Row] = []
    for size in sizes:
        for spaces in (1, 200):
            print(f"{size} memories in {spaces} spaces", file=sys.stderr, flush=True)
            with _server() as server:
                server.ask("create database jay")
                with closing(open_store(server.url("jay"))) as store:
                    rows += _nearest_of(store, size, spaces)
    note = (
        "The ten nearest of vectors with 384 numbers, in groups as those of texts are; questions take turns. The plain"
        " table has one HNSW index for all spaces and a `where`, as it is usually written; recall is against a"
        " comparison with all vectors, of all questions and of those for one kind in fifty."
    )
    return Table("The nearest vectors", note, rows)


def _nearest_of(store: Store, size: int, spaces: int) -> list[Row]:
    engine = store._engine
    assert isinstance(engine, PostgresEngine)
    chance = np.random.default_rng(3)
    centres = chance.normal(size=(GROUPS, DIMENSIONS))
    own, questions = _drawn(chance, centres, size), _drawn(chance, centres, QUESTIONS)
    with engine.connections.alone() as db:
        _load(db, own, spaces)
        plain_seconds = seconds(lambda: db.execute(PEER_INDEX))
        db.execute("analyze")
        index = Wanted("s0", 1, DIMENSIONS)
        large = size // spaces >= near_index.INDEXED_FROM
        ours_seconds = seconds(lambda: near_index.build(engine.connections, [index])) if large else 0.0
        return [
            {"memories": size, "spaces": spaces, **row}
            for kinds in ((), (RARE,))
            for row in _compared(engine, db, questions, kinds, {"ours": ours_seconds, "plain": plain_seconds})
        ]


def _compared(
    engine: PostgresEngine,
    db: psycopg.Connection[Any],
    questions: Matrix,
    kinds: tuple[str, ...],
    built: dict[str, float],
) -> Iterator[Row]:
    filter = Filter(spaces=("s0",), now=NOW, kinds=kinds)
    more = f"and kind = '{RARE}'" if kinds else ""
    found: dict[str, list[set[int]]] = {"whole": [], "ours": [], "plain": []}

    def whole(vector: Matrix) -> None:
        with engine.reading(["s0"]) as rows:
            found["whole"].append(set(rows.vectors._exact(vector, 1, filter, WANTED)))

    def ours(vector: Matrix) -> None:
        with engine.reading(["s0"]) as rows:
            found["ours"].append(set(rows.vectors.nearest(vector, 1, filter, WANTED).cosines))

    def plain(vector: Matrix) -> None:
        rows = db.execute(PEER_SEARCH.format(more=more), ["s0", str(vector.tolist())]).fetchall()
        found["plain"].append({id for (id,) in rows})

    db.execute("reset hnsw.iterative_scan; reset hnsw.ef_search")  # as a new connection has it
    taken = take_turns({"whole": whole, "ours": ours, "plain": plain}, list(questions))
    for way in found:
        recall = mean(
            len(one & right) / max(len(right), 1) for one, right in zip(found[way], found["whole"], strict=True)
        )
        times = {"p50 ms": round(milliseconds(taken[way]), 1), "p95 ms": round(milliseconds(taken[way], 95), 1)}
        asked = "one kind in fifty" if kinds else "all"
        yield {"asked": asked, "way": way, "recall@10": round(recall, 3), **times,
               "index s": round(built.get(way, 0.0), 1)}  # fmt: skip


def _drawn(chance: np.random.Generator, centres: Any, count: int) -> Matrix:
    found = centres[chance.integers(0, len(centres), count)] + chance.normal(size=(count, centres.shape[1])) * 0.7
    return np.asarray(found / np.linalg.norm(found, axis=1, keepdims=True), dtype=np.float32)


def _load(db: psycopg.Connection[Any], vectors: Matrix, spaces: int) -> None:
    """Rows as the store writes them, but for their words."""
    model = "insert into models (id, state, spec, name, dimensions, recipe) values (1, 'current', '', '', 384, '')"
    with db.transaction():
        db.execute(model)
        db.execute(PEER_TABLE)
        rows = [
            (f"s{n % spaces}", n + 1, RARE if n // spaces % 50 == 7 else "fact", str(vector.tolist()))
            for n, vector in enumerate(vectors)
        ]
        with db.cursor() as cursor:
            cursor.executemany(MEMORY, [(space, id, f"u{id}", kind) for space, id, kind, _ in rows])
            cursor.executemany(PIECE, [(space, id, vector) for space, id, _, vector in rows])
            cursor.executemany(PEER, rows)


def _quality(names: Sequence[str], scopes: int | None) -> Table:
    embedder = Cached(open_embedder("local"))
    rows = []
    with workroom() as folder, _server() as server:
        for name in [name for name in names if name == OURS or FOLDER.is_dir()]:
            given = read_ours() if name == OURS else read_set(name)
            server.ask(f"create database {name}")
            addresses: dict[str, Any] = {"SQLite": folder / f"{name}.db", "PostgreSQL": server.url(name)}
            scored = {store: _scored(given, address, embedder, scopes) for store, address in addresses.items()}
            means = {store: round(mean(scores), 4) for store, scores in scored.items()}
            apart = round(means["PostgreSQL"] - means["SQLite"], 4)
            rows.append({"set": name, "questions": len(scored["SQLite"]), **means, "difference": apart})
    some = "" if scopes is None else f" Of each set, the first {scopes} scopes."
    return Table(
        "How well both stores find", f"nDCG@10 of hybrid searches, the same questions and vectors.{some}", rows
    )


def _scored(given: RetrievalSet, address: Path | str, embedder: Any, scopes: int | None) -> list[float]:
    scores = []
    for scope in list(given.documents)[:scopes]:
        questions = [one for one in given.questions.get(scope, ()) if one.answerable]
        with opened(given, scope, address, embedder) as jay:  # type: ignore[arg-type]
            names = fill(jay, given.documents[scope])
            answers = jay.search_many([one.text for one in questions], limit=WANTED)
        for question, results in zip(questions, answers, strict=True):
            ids = [names[hit.memory.id] for hit in results if hit.memory.id in names]
            scores.append(judge(ids, question.relevant)["nDCG@10"])
    return scores


if __name__ == "__main__":
    main()
