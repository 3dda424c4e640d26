"""PostgreSQL as the store: the same answers as a file, and spaces behind a second wall."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import Any

import psycopg
import pytest

import scrubjay
from scrubjay import Scrubjay
from scrubjay.errors import Invalid, NewerStore, StoreError
from scrubjay.stores import open_store
from scrubjay.stores.postgres import text_index, vector_index
from scrubjay.text.tokenizer import term
from tests.support.clock import Clock
from tests.support.postgres_server import Databases
from tests.support.stored import NOW, SPACE, by_meaning, by_word, everything, put, vectors

SAME_FOR_EVERY_SPACE = {
    "attempts", "cache_use", "cached", "cached_models", "copies", "erasure", "jobs", "logins", "mark_key", "models",
    "requests", "schema_version", "spending", "tokens",
}  # fmt: skip
OF_SQLITE_ALONE = {"changes", "project_mark", "trust_before", "vocabulary"}
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


def asked(url: str, sql: str) -> list[Any]:
    """As the owner of the tables."""
    with psycopg.connect(url, autocommit=True) as db:
        db.execute("set search_path = scrubjay, public")
        cursor = db.execute(sql)
        return cursor.fetchall() if cursor.description else []


def everyday(jay: Scrubjay, clock: Clock) -> Iterator[Any]:
    """A life with every verb, and what is answered."""
    first = jay.add("Ann prefers dark roast coffee", kind="preference", subject="Ann", tags=["food"])
    jay.add_many([{"text": f"The deploy number {n} of getUserName went well", "kind": "event"} for n in range(5)])
    jay.add("我喜欢喝茶", kind="fact", metadata={"cups": 3, "hot": True, "who": "me"})
    jay.add_turns("talk", [{"speaker": "user", "text": "Which coffee?"}, {"speaker": "bot", "text": "Dark roast."}])
    clock.pass_(hours=1)
    yield [jay.add("Ann prefers dark roast coffee", kind="preference", subject="Ann").created]
    for mode in ("hybrid", "keyword", "vector"):
        yield [(hit.memory.id, round(hit.score, 4)) for hit in jay.search("which coffee does Ann prefer?", mode=mode)]
    yield [[hit.memory.id for hit in jay.search(words)] for words in ("喝茶", "user name", "deploys", "nothing of it")]
    yield [m.id for m in jay.list(metadata={"cups": {">": 2}})] + [m.id for m in jay.list(metadata={"who": "me"})]
    new = jay.supersede(first.memory.id, "Ann prefers light roast coffee").memory
    yield [hit.memory.id for hit in jay.search("roast coffee", include_superseded=True)]
    jay.update(new.id, tags=["drinks"], importance=9)
    jay.revert(new.id)
    yield (
        [(step.old, step.new, step.undone_at is None) for step in jay.history(new.id).steps],
        [m.tags for m in jay.get_many([new.id])],
    )
    jay.delete(3)
    yield [one.memory.id for one in jay.trash.list()], jay.get(3)
    yield jay.undelete(3).text, [hit.memory.id for hit in jay.search("deploy number 1", limit=2)]
    task = jay.tasks.create("Write the report", due=clock().date().isoformat(), priority="high")
    jay.tasks.update(task.memory.id, status="in_progress")
    yield [(one.memory.id, one.status, one.priority) for one in jay.tasks.list()]
    jay.link(1, 2, "depends_on")
    jay.rate(2, helpful=True, session="talk")
    yield [(link.source, link.target, link.word) for link in jay.links(2)], [m.helpful_count for m in jay.get_many([2])]
    jay.profile.set("preferences.tools[0]", "uv", reason="told")
    jay.contacts.create(name="Ann", email="ann@example.org")
    yield jay.profile.get(), [one.email for one in jay.contacts.list()], len(jay.profile.history())
    yield [event.what for event in jay.timeline()], [one.name for one in jay.sessions.list()]
    yield sorted(m.id for m in jay.context("coffee for Ann", tokens=300).memories)
    yield [memory.id for memory in jay.list(kinds=["event"])], jay.conflicts()
    stats = asdict(jay.stats())
    yield {name: stats[name] for name in ("memories", "superseded", "by_kind", "spaces", "without_vector", "model")}
    yield jay.check(deep=True).problems


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


def test_every_key_and_index_begins_with_the_space(database: str) -> None:
    tables = {name for (name,) in asked(database, "select tablename from pg_tables where schemaname = 'scrubjay'")}
    assert tables >= SAME_FOR_EVERY_SPACE
    indexes = [(table, index, first) for table, index, first in asked(database, FIRST_COLUMNS)]
    others = {index for table, index, first in indexes if table not in SAME_FOR_EVERY_SPACE and first != "space"}
    assert others == {"words_by_stem", "events_by_seq"}  # whose stems begin with a mark of the space; of all spaces
    keys = asked(database, FOREIGN_KEYS)
    assert {first for _, target, first in keys if target not in SAME_FOR_EVERY_SPACE} == {"space"}


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


def test_without_the_stores_own_filter_no_row_of_another_space_comes(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two hundred spaces; the condition on the space is taken out of what a search and a list say to the server."""
    names, chance = [f"space {n}" for n in range(200)], random.Random(7)
    with closing(open_store(database)) as store:
        with store.transaction():
            own = {name: put(store, f"tea of {name}", vectors(0), space=name).id for name in names}
        for module in (text_index, vector_index):
            monkeypatch.setattr(module, "where", unfiltered)
        monkeypatch.setattr("scrubjay.stores.memories.where", unfiltered)
        for _ in range(10):
            granted = tuple(chance.sample(names, chance.randint(1, 4)))
            allowed = {own[name] for name in granted}
            with store._engine.reading(granted) as rows:
                for table in ("memories", "pieces", "word_counts", "words"):
                    seen = {space for (space,) in rows.all(f"select space from {table}")}
                    assert seen <= set(granted), table
                assert {id for (id,) in rows.all("select memory from holders(array['x'::tsquery], '{1}', :names)",
                                                 names=names)} == set()  # fmt: skip
            assert set(by_meaning(store, 0, spaces=granted)) <= allowed
            assert set(by_word(store, "tea", spaces=granted)) == allowed
            newest = store.memories.newest(everything(spaces=granted), None)
            assert {memory.id for memory in newest} == allowed


def unfiltered(filter: Any) -> tuple[str, dict[str, Any]]:
    return "true", {}


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
        home.forget(memory)
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
