"""PostgreSQL as the store, beside SQLite and plain SQL in the same run: searches, adds, the nearest vectors, quality.

Made-up sentences with clustered vectors are loaded as the store writes them; each question is made of four words of one
memory, and its vector is near that memory's. Embedding is left out. With `--kept FILE`, a run that was interrupted goes
on where it was.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property, partial
from itertools import count
from pathlib import Path
from statistics import mean
from typing import Any
from uuid import uuid4

import numpy as np
import psutil
import psycopg
from tests.support.postgres_server import DatabaseServer, database_server

import scrubjay
from bench import report
from bench.cache import Cached
from bench.corpus import COMMON, STOP_WORDS, Matrix, Precomputed, sentences
from bench.plain_sql import PlainSql
from bench.quality.filling import fill, opened
from bench.quality.metrics import judge
from bench.quality.ours import OURS, read_ours
from bench.report import Row, Table
from bench.sets import FOLDER, RetrievalSet, read_set
from bench.timing import milliseconds, seconds
from bench.workroom import workroom
from scrubjay import Memory, Scrubjay
from scrubjay.models.embedders import open_embedder
from scrubjay.stores.columns import to_row
from scrubjay.stores.contract import CandidateRequest, NewMemory
from scrubjay.stores.postgres import near_index
from scrubjay.stores.postgres.engine import PostgresEngine
from scrubjay.stores.postgres.integrity import COUNTED
from scrubjay.stores.postgres.near_index import Wanted
from scrubjay.stores.postgres.text_index import indexed_stems
from scrubjay.types import Filter, first_words

SETS = ("locomo", "scifact", OURS)
SIZES, SPACES = (10_000, 100_000), (1, 200)
SQLITE, POSTGRES, PLAIN = "SQLite", "PostgreSQL", "plain SQL"
DIMENSIONS, WANTED, SPACE = 384, 10, "s0"
COMMON_KIND, RARE, ONE_IN = "fact", "decision", 50
ASKED_WORDS, DISTANCE = 4, 0.7  # of a question; of its vector from that of the memory that it asks for
WARM_UP, AT_ONCE, BATCH = 5, 100, 10_000
RECALLED = 500  # questions by which recall is told: one that misses all ten must not move it by more than .002
GROUPS = 2_000
SEEDS = count(1_000)  # what one measurement has warmed up must not help the next
STEMS = "select id, space, text, concat_ws(chr(10), title, text, context, tags, subject) from indexed"
SEQUENCES = "select setval(pg_get_serial_sequence(%s, 'id'), (select max(id) from {}))"
SEARCHES = (
    "`found` is how many of the questions have the memory that they were made of among their ten results. SQLite and"
    " PostgreSQL are this program, from `jay.search` and `jay.add` to the rows; plain SQL is one table with one HNSW"
    " index for all spaces and a `where`, and `ts_rank`, their results joined by reciprocal rank: it checks, compares"
    " and counts nothing. All take turns. `cpu` is the processor time of the program and of the server together, which"
    " a busy machine disturbs least. What adds many at once is told for one of them."
)
NEAREST = (
    f"The ten nearest of vectors with 384 numbers; recall, of {RECALLED} questions more than those that are timed, is"
    " against a comparison with all vectors that pass."
    " `index s` is how long the index of vectors took to be made, once, on the clock."
)
SAME, SAME_NOTE = "How well both stores find", "nDCG@10 of hybrid searches, the same questions and vectors."


def main() -> None:
    options = _options()
    kept = Kept(options.kept)
    found, near, quality = (
        Table("Searches and adds", SEARCHES),
        Table("The nearest vectors", NEAREST),
        Table(SAME, SAME_NOTE),
    )
    for size in options.sizes:
        for spaces in options.spaces:
            one, other = kept.rows(f"{size} in {spaces}", partial(_measured, size, spaces, options.asked))
            found.rows.extend(one)
            near.rows.extend(other)
    if options.large:
        near.rows.extend(kept.rows(f"{options.large}", partial(_large, options.large, options.asked)))
    for name in [name for name in options.sets if name == OURS or FOLDER.is_dir()]:
        quality.rows.append(kept.rows(name, partial(_quality, name, options.scopes)))
    text = "\n".join(map(report.markdown, (found, near, quality)))
    print(text)
    if options.docs:
        (report.FIGURES / "postgres.md").write_text(f"# PostgreSQL\n\n{text}", encoding="utf-8")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.postgres", description=__doc__)
    parser.add_argument("--sizes", type=_numbers, default=SIZES)
    parser.add_argument("--spaces", type=_numbers, default=SPACES)
    parser.add_argument("--large", type=int, default=0, help="also so many vectors in one space, without their words")
    parser.add_argument("--asked", type=int, default=60, help="questions of each kind")
    parser.add_argument("--sets", type=lambda text: [name for name in text.split(",") if name], default=SETS)
    parser.add_argument("--scopes", type=int, help="of each set, ask so many conversations only")
    parser.add_argument("--kept", type=Path, help="a file of what was measured: that is not measured again")
    parser.add_argument("--docs", action="store_true", help="write docs/figures/postgres.md")
    return parser.parse_args()


def _numbers(text: str) -> list[int]:
    return [int(number) for number in text.split(",") if number]


class Kept:
    """What was measured, part by part, in a file if one is given; several runs may share it."""

    def __init__(self, path: Path | None) -> None:
        self._path = path

    def rows(self, name: str, measure: Callable[[], Any]) -> Any:
        if name in (kept := self._read()):
            return kept[name]
        _say(f"{name} …")
        rows = measure()
        if self._path:
            report.write_json(self._path, {**self._read(), name: rows})
        return rows

    def _read(self) -> dict[str, Any]:
        return json.loads(self._path.read_text(encoding="utf-8")) if self._path and self._path.exists() else {}


@dataclass(frozen=True)
class Question:
    """Words of a memory, a vector near its own, and its id."""

    text: str
    vector: Matrix
    id: int


@dataclass(frozen=True)
class Corpus:
    """Memories by number, which is their id less one, spread over so many spaces."""

    size: int
    spaces: int

    @cached_property
    def texts(self) -> list[str]:
        return sentences(self.size, seed=1)

    @cached_property
    def vectors(self) -> Matrix:
        return Precomputed().embed(self.texts)

    def space(self, number: int) -> str:
        return f"s{number % self.spaces}"

    def kind(self, number: int) -> str:
        return RARE if number // self.spaces % ONE_IN == 7 else COMMON_KIND

    def numbers(self, kind: str | None) -> list[int]:
        """Those of the space that is asked."""
        own = range(0, self.size, self.spaces)
        return [number for number in own if kind is None or self.kind(number) == kind]

    def questions(self, kind: str | None, asked: int) -> list[Question]:
        chance, silent = np.random.default_rng(next(SEEDS)), frozenset(COMMON[:STOP_WORDS])
        made = []
        for number in chance.choice(self.numbers(kind), asked):
            words = [word for word in self.texts[number].lower().strip(".").split() if word not in silent]
            text = " ".join(map(str, chance.choice(words or ["nothing"], ASKED_WORDS)))
            made.append(Question(text, _near(self.vectors[number], chance), int(number) + 1))
        return made

    def nearest(self, kind: str | None, vector: Matrix) -> set[int]:
        numbers = np.array(self.numbers(kind))
        best = np.argsort(-(self.vectors[numbers] @ vector))[:WANTED]
        return {int(number) + 1 for number in numbers[best]}


class Known:
    """An embedder that knows the vectors of what will be asked and added."""

    model, dimensions = "known", DIMENSIONS

    def __init__(self) -> None:
        self.vectors: dict[str, Matrix] = {}

    def embed(self, texts: Sequence[str], query: bool = False) -> Matrix:
        return np.stack([self.vectors[text] for text in texts])


class Clock:
    """Seconds on the clock, and of the processor: of this program and of each connection's process at a server."""

    def __init__(self, server: DatabaseServer) -> None:
        assert server._process is not None
        every = psutil.Process(server._process.pid).children(recursive=True)
        self._processes = [each.pid for each in every if "[local]" in " ".join(each.cmdline())]

    def take_turns(
        self, actions: Mapping[str, Callable[[Any], object]], items: Sequence[Any]
    ) -> dict[str, list[tuple[float, float]]]:
        taken: dict[str, list[tuple[float, float]]] = {name: [] for name in actions}
        names = list(actions)
        for turn, item in enumerate(items):
            for name in names[turn % len(names) :] + names[: turn % len(names)]:
                taken[name].append(self._taken(actions[name], item))
        return {name: own[WARM_UP:] for name, own in taken.items()}

    def _taken(self, action: Callable[[Any], object], item: Any) -> tuple[float, float]:
        """Looking at the server's processes is left out."""
        of_server, own, begin = self._of_server(), time.process_time(), time.perf_counter()
        action(item)
        wall, own = time.perf_counter() - begin, time.process_time() - own
        return wall, own + self._of_server() - of_server

    def _of_server(self) -> float:
        return sum(int(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) for pid in self._processes) / 1e9


@contextmanager
def _server() -> Iterator[DatabaseServer]:
    with database_server(shared_buffers="1GB", maintenance_work_mem="2GB", max_wal_size="8GB") as server:
        server.ask("create database jay")
        server.ask("create database plain")
        server.ask("create extension vector", "plain")
        yield server


def _measured(size: int, spaces: int, asked: int) -> tuple[list[Row], list[Row]]:
    """What searches and adds take, and the nearest vectors."""
    corpus, embedder = Corpus(size, spaces), Known()
    with workroom() as folder, _server() as server, ExitStack() as stack:
        addresses: dict[str, Any] = {SQLITE: folder / "memory.db", POSTGRES: server.url("jay")}
        jays = {
            name: stack.enter_context(scrubjay.open(address, space=SPACE, embedder=embedder))
            for name, address in addresses.items()
        }
        plain = PlainSql(server.url("plain"))
        stack.callback(plain.close)
        built = _filled(corpus, jays, plain)
        _say(f"{size:,} memories in {spaces} spaces are loaded")
        searches = [row for kind in (None, RARE) for row in _searches(corpus, kind, jays, plain, server, asked)]
        near = [row for kind in (None, RARE) for row in _nearest(corpus, kind, jays, plain, server, asked)]
        adds = _adds(size, jays, plain, server, asked)
    own = {"memories": size, "spaces": spaces}
    return [{**own, **row} for row in (*searches, *adds)], [
        {**own, **row, "index s": round(built[row["way"]], 1) if row["way"] in built else None} for row in near
    ]


def _filled(corpus: Corpus, jays: Mapping[str, Scrubjay], plain: PlainSql) -> dict[str, float]:
    """The same memories everywhere; how many seconds each index of vectors took."""
    usual = jays[SQLITE].view.new_memory("any", {"kind": COMMON_KIND})
    memories = [_memory(corpus, number, usual) for number in range(corpus.size)]
    model = jays[SQLITE].view.selection.model
    for first in range(0, corpus.size, BATCH):
        some = range(first, min(first + BATCH, corpus.size))
        new = [NewMemory(memories[number], corpus.vectors[number : number + 1]) for number in some]
        jays[SQLITE].view.store.memories.put(new, model)
    engine = jays[POSTGRES].view.store._engine
    assert isinstance(engine, PostgresEngine)
    jays[POSTGRES].view.store.memories.put([NewMemory(replace(memories[0], id=0), corpus.vectors[:1])], model)
    with engine.connections.alone() as db, db.transaction():
        _load(db, ({"id": n + 1, **to_row(memory)} for n, memory in enumerate(memories)), corpus.vectors, corpus.space)
        _load_words(db)
    built = {PLAIN: plain.load(_plain_rows(corpus))}
    if corpus.size // corpus.spaces >= near_index.INDEXED_FROM:
        built[POSTGRES] = seconds(lambda: near_index.build(engine.connections, [Wanted(SPACE, 1, DIMENSIONS)]))
    problems = jays[POSTGRES].check().problems
    assert not problems, problems[:3]
    return built


def _memory(corpus: Corpus, number: int, usual: Memory) -> Memory:
    text = corpus.texts[number]
    place = replace(usual, space=corpus.space(number), kind=corpus.kind(number))
    return replace(place, uid=uuid4().hex, text=text, title=first_words(text))


def _plain_rows(corpus: Corpus) -> Iterator[tuple[int, str, str, str, str]]:
    for number, vector in enumerate(corpus.vectors):
        yield number + 1, corpus.space(number), corpus.kind(number), corpus.texts[number], _written(vector)


def _load(
    db: psycopg.Connection[Any], rows: Iterable[Mapping[str, Any]], vectors: Matrix, space: Callable[[int], str]
) -> None:
    """Memories and their vectors, as the store writes them; the keys hold, and what triggers do is done by hand."""
    db.execute("set local session_replication_role = replica; set local synchronous_commit = off")
    db.execute("delete from memories; delete from pieces; delete from words; delete from word_counts")
    columns: list[str] = []
    with db.cursor() as cursor:
        for row in rows:
            if not columns:
                columns = list(row)
                copy = cursor.copy(f"copy memories ({', '.join(columns)}) from stdin")
                writer = copy.__enter__()
            writer.write_row(list(row.values()))
        copy.__exit__(None, None, None)
        with cursor.copy("copy pieces (space, memory, model, number, total, vector) from stdin") as pieces:
            for number, vector in enumerate(vectors):
                pieces.write_row([space(number), number + 1, 1, 0, 1, _written(vector)])
    for table in ("memories", "pieces"):
        db.execute(SEQUENCES.format(table), [table])
    db.execute("analyze memories, pieces")


def _load_words(db: psycopg.Connection[Any]) -> None:
    found = db.execute(STEMS).fetchall()
    with db.cursor() as cursor, cursor.copy("copy words (space, memory, length, stems) from stdin") as words:
        for id, space, text, everything in found:
            words.write_row([space, id, len(text.encode()), indexed_stems(everything, space)])
    db.execute(f"insert into word_counts (space, stem, memories) {COUNTED}")
    db.execute("analyze words, word_counts")


def _searches(
    corpus: Corpus, kind: str | None, jays: Mapping[str, Scrubjay], plain: PlainSql, server: DatabaseServer, asked: int
) -> list[Row]:
    questions = corpus.questions(kind, asked + WARM_UP)
    _embedder(jays).vectors |= {question.text: question.vector for question in questions}
    found: dict[str, list[bool]] = {name: [] for name in (*jays, PLAIN)}
    kinds = [kind] if kind else []

    def ours(name: str) -> Callable[[Question], None]:
        def search(question: Question) -> None:
            hits = jays[name].search(question.text, limit=WANTED, kinds=kinds)
            found[name].append(question.id in {hit.memory.id for hit in hits})

        return search

    def by_hand(question: Question) -> None:
        found[PLAIN].append(question.id in plain.search(SPACE, kind, question.text, question.vector))

    taken = Clock(server).take_turns({**{name: ours(name) for name in jays}, PLAIN: by_hand}, questions)
    what = "search" if kind is None else "search, one kind in fifty"
    return [
        {"what": what, "way": name, "found": round(mean(found[name][WARM_UP:]), 3), **_times(taken[name])}
        for name in taken
    ]


def _nearest(
    corpus: Corpus, kind: str | None, jays: Mapping[str, Scrubjay], plain: PlainSql, server: DatabaseServer, asked: int
) -> list[Row]:
    vectors = [question.vector for question in corpus.questions(kind, asked + WARM_UP + RECALLED)]
    found: dict[str, list[Iterable[int]]] = {name: [] for name in (*jays, PLAIN)}
    ways: dict[str, Callable[[Matrix], object]] = {
        name: _proposing(jay, kind, found[name]) for name, jay in jays.items()
    }
    ways[PLAIN] = lambda vector: found[PLAIN].append(plain.nearest(SPACE, kind, vector))
    taken = _timed_and_recalled(server, ways, vectors)
    truth = [corpus.nearest(kind, vector) for vector in vectors]
    return _recalls(kind, truth, found, taken)


def _timed_and_recalled(
    server: DatabaseServer, ways: Mapping[str, Callable[[Matrix], object]], vectors: Sequence[Matrix]
) -> dict[str, list[tuple[float, float]]]:
    """What the first questions take, in turns; the others are only answered."""
    taken = Clock(server).take_turns(ways, vectors[:-RECALLED])
    for way in ways.values():
        for vector in vectors[-RECALLED:]:
            way(vector)
    return taken


def _proposing(jay: Scrubjay, kind: str | None, found: list[Iterable[int]]) -> Callable[[Matrix], None]:
    filter = Filter(spaces=(SPACE,), now=datetime.now(UTC), kinds=(kind,) if kind else ())

    def propose(vector: Matrix) -> None:
        with jay.view.store.search.snapshot((SPACE,)) as snapshot:
            found.append(snapshot.candidates(CandidateRequest(filter, WANTED, vector=vector)).cosines or ())

    return propose


def _recalls(
    kind: str | None, truth: Sequence[set[int]], found: Mapping[str, Sequence[Iterable[int]]], taken: Mapping[str, Any]
) -> list[Row]:
    asked = "all" if kind is None else "one kind in fifty"
    recall = {
        name: mean(len(right.intersection(ids)) / len(right) for right, ids in zip(truth, own, strict=True))
        for name, own in found.items()
    }
    return [{"asked": asked, "way": name, "recall@10": round(recall[name], 3), **_times(taken[name])} for name in found]


def _adds(
    size: int, jays: Mapping[str, Scrubjay], plain: PlainSql, server: DatabaseServer, asked: int
) -> list[Row]:  # fmt: skip
    texts = sentences(asked + WARM_UP + AT_ONCE, seed=next(SEEDS))
    single, many = texts[:-AT_ONCE], texts[-AT_ONCE:]
    vectors = dict(zip(texts, Precomputed().embed(texts), strict=True))
    _embedder(jays).vectors |= vectors
    ids = count(size + 1)
    one = {name: _adding(jay) for name, jay in jays.items()}
    taken = Clock(server).take_turns(
        {**one, PLAIN: lambda text: plain.add(next(ids), SPACE, COMMON_KIND, text, vectors[text])}, single
    )
    rows = [{"what": "add", "way": name, **_times(taken[name])} for name in taken]
    for name, jay in jays.items():
        each = seconds(lambda jay=jay: jay.add_many([{"text": text, "kind": COMMON_KIND} for text in many])) / AT_ONCE  # type: ignore[misc]
        rows.append({"what": f"add, {AT_ONCE} at once", "way": name, "p50 ms": round(each * 1000, 1)})
    return rows


def _adding(jay: Scrubjay) -> Callable[[str], object]:
    return lambda text: jay.add(text, kind=COMMON_KIND)


def _embedder(jays: Mapping[str, Scrubjay]) -> Known:
    embedder = jays[SQLITE].view.selection.embedder
    assert isinstance(embedder, Known)
    return embedder


def _large(size: int, asked: int) -> list[Row]:
    """Vectors in groups, of memories without words, in one space: too many to load with everything."""
    chance = np.random.default_rng(3)
    centres = chance.standard_normal((GROUPS, DIMENSIONS), dtype=np.float32)
    vectors = np.concatenate([_drawn(chance, centres, min(BATCH, size - first)) for first in range(0, size, BATCH)])
    questions = [_near(vectors[number], chance) for number in chance.integers(0, size, asked + WARM_UP + RECALLED)]
    with workroom(), _server() as server, scrubjay.open(server.url("jay"), space=SPACE, embedder=Known()) as jay:
        engine, usual = jay.view.store._engine, jay.view.new_memory("any", {"kind": COMMON_KIND})
        assert isinstance(engine, PostgresEngine)
        jay.view.store.memories.put([NewMemory(usual, vectors[:1])], jay.view.selection.model)
        same = to_row(usual)
        rows = ({"id": n + 1, **same, "uid": str(n)} for n in range(size))
        with engine.connections.alone() as db, db.transaction():
            db.execute("set local statement_timeout = 0")
            _load(db, rows, vectors, lambda number: SPACE)
        _say(f"{size:,} vectors are loaded")
        built = seconds(lambda: near_index.build(engine.connections, [Wanted(SPACE, 1, DIMENSIONS)]))
        found: dict[str, list[Iterable[int]]] = {POSTGRES: []}
        taken = _timed_and_recalled(server, {POSTGRES: _proposing(jay, None, found[POSTGRES])}, questions)
    truth = [{int(n) + 1 for n in np.argsort(-(vectors @ vector))[:WANTED]} for vector in questions]
    own = {"memories": size, "spaces": 1}
    return [{**own, **row, "index s": round(built, 1)} for row in _recalls(None, truth, found, taken)]


def _drawn(chance: np.random.Generator, centres: Matrix, size: int) -> Matrix:
    noise = chance.standard_normal((size, DIMENSIONS), dtype=np.float32)
    found = centres[chance.integers(0, len(centres), size)] + DISTANCE * noise
    return np.asarray(found / np.linalg.norm(found, axis=1, keepdims=True), dtype=np.float32)


def _near(vector: Matrix, chance: np.random.Generator) -> Matrix:
    noise = chance.standard_normal(DIMENSIONS, dtype=np.float32)
    moved = vector + DISTANCE * noise / np.linalg.norm(noise)
    return np.asarray(moved / np.linalg.norm(moved), dtype=np.float32)


def _written(vector: Matrix) -> str:
    return f"[{','.join([f'{number:.7g}' for number in vector.tolist()])}]"


def _times(taken: Sequence[tuple[float, float]]) -> Row:
    wall, processor = [one for one, _ in taken], [two for _, two in taken]
    return {
        "p50 ms": round(milliseconds(wall), 1), "p95 ms": round(milliseconds(wall, 95), 1),
        "cpu p50 ms": round(milliseconds(processor), 1), "cpu p95 ms": round(milliseconds(processor, 95), 1),
    }  # fmt: skip


def _say(text: str) -> None:
    print(f"{datetime.now():%H:%M:%S} {text}", file=sys.stderr, flush=True)


def _quality(name: str, scopes: int | None) -> Row:
    """A set, asked of both stores."""
    embedder = Cached(open_embedder("local"))
    given = read_ours() if name == OURS else read_set(name)
    with workroom() as folder, _server() as server:
        addresses: dict[str, Any] = {SQLITE: folder / "memory.db", POSTGRES: server.url("jay")}
        some = list(given.documents)[:scopes]
        scored = {store: _scored(given, some, address, embedder) for store, address in addresses.items()}
    means = {store: round(mean(scores), 4) for store, scores in scored.items()}
    apart = round(means[POSTGRES] - means[SQLITE], 4)
    asked = {
        "set": name,
        "of its conversations": f"{len(some)} of {len(given.documents)}",
        "questions": len(scored[SQLITE]),
    }
    return {**asked, **means, "difference": apart}


def _scored(given: RetrievalSet, scopes: Sequence[str], address: Path | str, embedder: Any) -> list[float]:
    scores = []
    for scope in scopes:
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
