"""The wall between the spaces of a database: each of its two layers holds without the other."""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, suppress
from typing import Any

import psycopg
import pytest

import scrubjay
from scrubjay import Scrubjay
from scrubjay.errors import NotFound
from scrubjay.stores import open_store
from scrubjay.stores.contract import NewMemory
from scrubjay.stores.postgres.rows import PostgresRows
from scrubjay.stores.postgres.statements import bound, translated
from tests.support.clock import Clock
from tests.support.everyday import everyday
from tests.support.stored import SPACE, made, put, vectors

SAME_FOR_EVERY_SPACE = {
    "attempts", "cache_use", "cached", "cached_models", "copies", "erasure", "jobs", "logins", "mark_key", "models",
    "requests", "schema_version", "spending", "tokens",
}  # fmt: skip
FIRST_COLUMNS = """
    select c.relname, i.indexrelid::regclass::text,
        (select a.attname from pg_attribute a where a.attrelid = c.oid and a.attnum = i.indkey[0])
    from pg_index i join pg_class c on c.oid = i.indrelid where c.relnamespace = 'scrubjay'::regnamespace
"""
FOREIGN_KEYS = """
    select c.conrelid::regclass::text, c.confrelid::regclass::text,
        (select a.attname from pg_attribute a where a.attrelid = c.conrelid and a.attnum = c.conkey[1])
    from pg_constraint c where c.contype = 'f' and c.connamespace = 'scrubjay'::regnamespace
"""
SPACES = [f"room-{n}" for n in range(200)]
NAMED = re.compile(r"room-\d+")
OF_SPACE = re.compile(r"(?<!\w)(?:\w+\.)?space (?:= :\w+|in \(:\w+\)|= U&'[^']*')")  # a condition of a statement


def asked(url: str, sql: str) -> list[Any]:
    """As the owner of the tables."""
    with psycopg.connect(url, autocommit=True) as db:
        db.execute("set search_path = scrubjay, public")
        cursor = db.execute(sql)
        return cursor.fetchall() if cursor.description else []


def test_every_key_and_index_begins_with_the_space(database: str) -> None:
    tables = {name for (name,) in asked(database, "select tablename from pg_tables where schemaname = 'scrubjay'")}
    assert tables >= SAME_FOR_EVERY_SPACE
    indexes = [(table, index, first) for table, index, first in asked(database, FIRST_COLUMNS)]
    others = {index for table, index, first in indexes if table not in SAME_FOR_EVERY_SPACE and first != "space"}
    assert others == {"words_by_stem", "events_by_seq"}  # whose stems begin with a mark of the space; of all spaces
    keys = asked(database, FOREIGN_KEYS)
    assert {first for _, target, first in keys if target not in SAME_FOR_EVERY_SPACE} == {"space"}


def test_the_roles_own_nothing_and_cannot_pass_the_wall(database: str) -> None:
    roles = "('scrubjay_space', 'scrubjay_store')"
    sql = f"select rolsuper or rolbypassrls or rolcanlogin from pg_roles where rolname in {roles}"
    assert asked(database, sql) == [(False,), (False,)]
    assert asked(database, f"select 1 from pg_tables where tableowner in {roles}") == []
    sql = """
        select relname from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'space'
        where c.relnamespace = 'scrubjay'::regnamespace and c.relkind = 'r' and not c.relforcerowsecurity
    """
    assert asked(database, sql) == []


@pytest.fixture
def plans(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """How the server goes about each statement of a transaction that is about some spaces, if it uses any index."""
    found: dict[str, Any] = {}
    execute, run_many = PostgresRows._execute, PostgresRows.run_many

    def plan(rows: PostgresRows, sql: str, values: Mapping[str, Any]) -> None:
        if rows._spaces and sql not in found:
            rows.db.execute("set local enable_seqscan = off")
            explained = rows.db.execute(f"explain (format json) {translated(sql, values)}", bound(values)).fetchone()
            found[sql] = explained[0][0]["Plan"] if explained else {}

    def execute_planned(rows: PostgresRows, sql: str, values: Mapping[str, Any]) -> Any:
        plan(rows, sql, values)
        return execute(rows, sql, values)

    def run_many_planned(rows: PostgresRows, sql: str, each: Iterable[Mapping[str, Any]]) -> None:
        given = list(each)
        if given:
            plan(rows, sql, given[0])
        run_many(rows, sql, given)

    monkeypatch.setattr(PostgresRows, "_execute", execute_planned)
    monkeypatch.setattr(PostgresRows, "run_many", run_many_planned)
    return found


def test_every_statement_looks_into_its_spaces_alone(database: str, plans: dict[str, Any], clock: Clock) -> None:
    """Also one that names a row by its id alone: the row policy adds the space, and the index that is read begins
    with it."""
    tables = {name for (name,) in asked(database, "select tablename from pg_tables where schemaname = 'scrubjay'")}
    with scrubjay.open(database, embedder="hashing", clock=clock) as jay:
        list(everyday(jay, clock))
    looks = [(sql, node) for sql, plan in plans.items() for node in nodes(plan) if "Relation Name" in node]
    of_spaces = [(sql, node) for sql, node in looks if node["Relation Name"] in tables - SAME_FOR_EVERY_SPACE]
    assert len(plans) > 100 and len(of_spaces) > 100
    wide = {sql: node for sql, node in of_spaces if node["Node Type"] != "ModifyTable" and not within_space(node)}
    assert wide == {}


def nodes(plan: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield plan
    for part in plan.get("Plans", ()):
        yield from nodes(part)


def within_space(node: Mapping[str, Any]) -> bool:
    return any("space = " in str(node.get(part, "")) for part in ("Index Cond", "Recheck Cond"))


@pytest.fixture
def unfiltered(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Take each condition on the space out of what is asked of the server; the spaces that its answers name."""
    named: list[str] = []
    execute = PostgresRows._execute

    def without_filter(rows: PostgresRows, sql: str, values: Mapping[str, Any]) -> Any:
        reads = sql.lstrip().startswith(("select", "with"))
        return execute(rows, OF_SPACE.sub("true", sql) if reads else sql, values)

    def all_(rows: PostgresRows, sql: str, /, **values: Any) -> list[Any]:
        found = rows._execute(sql, values).fetchall()
        named.extend(name for row in found for value in row for name in NAMED.findall(str(value)))
        return found

    monkeypatch.setattr(PostgresRows, "_execute", without_filter)
    monkeypatch.setattr(PostgresRows, "all", all_)
    monkeypatch.setattr(PostgresRows, "one", lambda rows, sql, /, **values: next(iter(rows.all(sql, **values)), None))
    return named


@pytest.fixture
def rooms(database: str, clock: Clock) -> Iterator[tuple[Scrubjay, dict[str, int]]]:
    """Two hundred spaces, and the id of the one memory in each."""
    with scrubjay.open(database, embedder="hashing", clock=clock) as jay:
        selection, memories = jay.view.selection, [made(f"The tea of {name}", space=name) for name in SPACES]
        assert selection.embedder
        pieces = selection.embedder.embed([memory.text for memory in memories])
        new = [NewMemory(memory, vector[None]) for memory, vector in zip(memories, pieces, strict=True)]
        stored = jay.view.store.memories.put(new, selection.model)
        yield jay, {one.memory.space: one.memory.id for one in stored}


def test_without_the_stores_own_filter_no_row_of_another_space_comes(
    rooms: tuple[Scrubjay, dict[str, int]], unfiltered: list[str]
) -> None:
    """Some spaces are granted; the row policy is the only wall that is left."""
    jay, own = rooms
    chance = random.Random(7)
    for _ in range(8):
        granted = chance.sample(SPACES, chance.randint(1, 4))
        unfiltered.clear()
        shown = {space for answer in reading(jay.lend(space=granted[0]), granted, own) for space in answer}
        assert shown == set(unfiltered) == set(granted)


def reading(jay: Scrubjay, granted: list[str], own: Mapping[str, int]) -> Iterator[list[str]]:
    """The spaces of what the verbs that read answer, though they are asked for everything."""
    everything = list(own.values())
    for mode in ("hybrid", "keyword", "vector"):
        yield [hit.memory.space for hit in jay.search("the tea of all rooms", mode=mode, spaces=granted, limit=50)]
    yield [memory.space for memory in jay.list(spaces=granted, limit=500)]
    yield [memory.space for memory in jay.get_many(everything, spaces=granted)]
    yield [memory.space for memory in jay.context("tea", tokens=2_000).memories]
    yield [event.memory.space for event in jay.timeline() if event.memory]
    for id in (own[jay.space], *everything[:10]):
        with suppress(NotFound):
            yield [memory.space for memory in jay.history(id).memories]


def test_who_names_no_space_sees_none(database: str) -> None:
    with closing(open_store(database)) as store:
        put(store, "Tea", vectors(0))
        with store._engine.reading(()) as rows:
            assert rows.all("select 1 from memories") == []
            with store._engine.reading([SPACE]) as inner:  # a part that names more is shown it
                assert len(inner.all("select 1 from memories")) == 1
            assert rows.all("select 1 from memories") == []


@pytest.mark.parametrize("table", ["tokens", "logins", "attempts", "requests"])
def test_who_acts_in_a_space_sees_no_digest_of_a_token_or_login(database: str, table: str) -> None:
    with closing(open_store(database)) as store, scrubjay.open(database, embedder="none") as jay:
        jay.tokens.create("laptop", spaces=[SPACE])
        asked(database, "insert into logins (digest, token, expires_at) values ('x', 'x', '')")
        asked(database, "insert into requests values ('x', 'x', '', 'x')")
        asked(database, "insert into attempts (origin, at) values ('x', '')")
        with store._engine.reading(()) as rows:
            assert len(rows.all(f"select 1 from {table}")) == 1
        with store._engine.writing([SPACE]) as rows:
            assert rows.all(f"select 1 from {table}") == [] and rows.run(f"delete from {table}") == 0
            with store._engine.reading(()) as part:
                assert len(part.all(f"select 1 from {table}")) == 1
            assert rows.all(f"select 1 from {table}") == []
