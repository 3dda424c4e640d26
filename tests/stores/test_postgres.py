"""PostgreSQL as the store: the same answers as a file, and spaces behind a second wall."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg
import pytest

import scrubjay
from scrubjay.errors import Invalid, NewerStore, StoreError
from scrubjay.stores import open_store
from scrubjay.stores.postgres import text_index
from scrubjay.text.tokenizer import term
from tests.support.clock import Clock
from tests.support.everyday import everyday
from tests.support.postgres_server import Databases
from tests.support.stored import NOW, SPACE, by_word, put, vectors

OF_SQLITE_ALONE = {"changes", "project_mark", "trust_before", "vocabulary"}


def asked(url: str, sql: str) -> list[Any]:
    """As the owner of the tables."""
    with psycopg.connect(url, autocommit=True) as db:
        db.execute("set search_path = scrubjay, public")
        cursor = db.execute(sql)
        return cursor.fetchall() if cursor.description else []


def test_every_verb_answers_as_it_does_on_a_file(database: str, tmp_path: Path) -> None:
    answers = []
    for address in (tmp_path / "memory.db", database):
        clock = Clock()
        with scrubjay.open(address, embedder="hashing", clock=clock) as jay:
            answers.append(list(everyday(jay, clock)))
    assert answers[0] == answers[1]


def test_a_memory_moves_to_a_database_and_back_line_by_line(databases: Databases, tmp_path: Path) -> None:
    clock = Clock()
    with scrubjay.open(file := tmp_path / "old.db", embedder="hashing", clock=clock) as jay:
        list(everyday(jay, clock))
        jay.export(tmp_path / "old.jsonl", vectors=True)
    with databases.lent() as database:
        there = scrubjay.move(file, database, clock=clock)
        again = scrubjay.move(file, database, clock=clock)
        back = scrubjay.move(database, tmp_path / "new.db", clock=clock)
    assert there.memories == back.memories == again.memories and there.lines == back.lines > there.memories
    with scrubjay.open(tmp_path / "new.db", embedder="hashing", clock=clock) as jay:
        jay.export(tmp_path / "new.jsonl", vectors=True)
    lines = [(tmp_path / name).read_text().splitlines()[1:-1] for name in ("old.jsonl", "new.jsonl")]
    assert sorted(lines[0]) == sorted(lines[1])


def test_a_database_has_every_table_and_column_of_a_file(database: str, tmp_path: Path) -> None:
    import apsw

    open_store(str(tmp_path / "store.db")).close()
    file = apsw.Connection(str(tmp_path / "store.db"))
    sql = "select m.name, c.name from sqlite_schema m, pragma_table_info(m.name) c where m.type = 'table'"
    wanted = {(table, column) for table, column in file.execute(sql) if not table.startswith(("sqlite_", "words"))}
    file.close()
    sql = "select table_name, column_name from information_schema.columns where table_schema = 'scrubjay'"
    missing = wanted - set(asked(database, sql))
    assert {table for table, _ in missing} <= OF_SQLITE_ALONE


def test_a_follower_misses_no_change_of_spaces_that_commit_in_another_order(database: str) -> None:
    with closing(open_store(database)) as store, closing(open_store(database)) as other:
        begin = store.events.last()
        with store.transaction(["late"]):
            late = put(store, "Of the first number", space="late").id
            early = in_a_thread(lambda: put(other, "Of the second number", space="early").id)
            assert early > late
            found, place = in_a_thread(lambda: other.events.after(begin, ["late", "early"], 10))
            assert [change.memory for change in found] == [] and place == begin
        found, place = store.events.after(begin, ["late", "early"], 10) or ([], "")
        assert [change.memory for change in found] == [late, early]
        assert store.events.after(place, ["late", "early"], 10) == ([], place)


def in_a_thread(call: Callable[[], Any]) -> Any:
    with ThreadPoolExecutor(1) as threads:
        return threads.submit(call).result(20)


def test_writers_of_two_spaces_do_not_wait_for_each_other(database: str) -> None:
    with closing(open_store(database)) as one, closing(open_store(database)) as other:
        with one._engine.writing(["a"]):
            with other._engine.writing(["b"], wait=False):
                pass
            with pytest.raises(StoreError), other._engine.writing(["a"], wait=False):
                pass
            with pytest.raises(StoreError), other._engine.writing(wait=False):
                pass


def test_the_words_are_looked_up_in_their_index(database: str) -> None:
    with closing(open_store(database)) as store:
        with store.transaction():
            for n in range(300):
                put(store, f"memory {n} about the {'rare' if n == 7 else 'usual'} things")
    query = text_index._query(term("rare"), [SPACE]).replace("'", "''")
    with psycopg.connect(database) as db:
        db.execute("set search_path = scrubjay, public; set enable_seqscan = off")
        plan = db.execute(f"explain select memory from words where stems @@ '{query}'::tsquery").fetchall()
    assert any("words_by_stem" in line for (line,) in plan)


def test_a_newer_schema_is_refused(database: str) -> None:
    asked(database, "update schema_version set version = version + 1000")
    try:
        with pytest.raises(NewerStore, match="upgrade"):
            open_store(database)
    finally:
        asked(database, "update schema_version set version = version - 1000")


def test_a_character_that_postgresql_cannot_store_is_one_sentence(database: str) -> None:
    with closing(open_store(database)) as store:
        with pytest.raises(Invalid, match="cannot store"):
            put(store, "a\0b")
        assert store.memories.spaces() == []


def test_what_is_forgotten_is_in_no_row_of_any_space(database: str, clock: Clock) -> None:
    with (
        scrubjay.open(database, space="home", embedder="none", clock=clock) as home,
        scrubjay.open(database, space="work", embedder="none", clock=clock) as work,
    ):
        memory = home.add("Ann met lomurabi").memory.id
        work.add("Ann likes tea")
        work.search("Did Ann meet lomurabi?", spaces=["home", "work"])
        work.add("The kettle is blue")  # what was asked is logged with the next write
        home.view.store.requests.begin(b"key", b"asked", clock())
        home.view.store.requests.end(b"key", b"Ann met lomurabi")
        assert rows_with(database, "lomurabi") >= {"memories", "words", "word_counts", "accesses", "requests"}
        clock.pass_(minutes=1)
        certificate = home.forget(memory).certificate
        assert certificate and "its files keep the bytes until they are written over" in certificate.notes[0]
        assert rows_with(database, "lomurabi") == set()
        assert home.check(deep=True).problems == []


def rows_with(database: str, word: str) -> set[str]:
    """The tables that have a row with this word in it."""
    tables = [name for (name,) in asked(database, "select tablename from pg_tables where schemaname = 'scrubjay'")]
    found = "{0}::text like '%{1}%' or {0}::text like '%{2}%'"  # bytes are shown as digits
    wheres = {name: found.format(name, word, word.encode().hex()) for name in tables}
    return {name for name, where in wheres.items() if asked(database, f"select 1 from {name} where {where}")}


def test_wrong_words_counts_and_vectors_are_found_and_made_again(database: str) -> None:
    with closing(open_store(database)) as store:
        memory = put(store, "Tea", vectors(0))
        put(store, "Coffee", vectors(1))
        breaks: list[Callable[[], object]] = [
            lambda: asked(database, f"delete from words where memory = {memory.id}"),
            lambda: asked(database, "update word_counts set memories = 9"),
            lambda: asked(database, "update pieces set vector = '[1,1,1,1,1,1,1,1]' where memory = 2"),
        ]
        for damage in breaks:
            damage()
            assert len(store.maintenance.check(deep=True, repair=False, at=NOW).problems) == 1
            assert len(store.maintenance.check(deep=True, repair=True, at=NOW).repaired) == 1
            assert store.maintenance.check(deep=True, repair=False, at=NOW).problems == []
        assert by_word(store, "tea") == [memory.id]


def test_a_text_changed_behind_our_back_is_indexed_as_it_is_now(database: str) -> None:
    with scrubjay.open(database, embedder="hashing") as jay:
        jay.add("The kettle is blue")
        asked(database, "update memories set text = 'The heron is grey'")
        (said,) = jay.check(deep=True).problems
        mended = jay.check(deep=True, repair=True)
        assert said in mended.repaired and jay.check(deep=True).problems == []
        for mode in ("keyword", "vector"):
            assert jay.search("heron", mode=mode)[0].memory.text == "The heron is grey"
        assert not jay.search("kettle", mode="keyword")
