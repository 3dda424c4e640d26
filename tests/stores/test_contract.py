"""The contract of an engine: small enough to be written again, kept by all SQL above it, and by every engine."""

from __future__ import annotations

import ast
import inspect
import threading
from pathlib import Path

import pytest

import scrubjay.stores
from scrubjay.errors import Busy, Invalid, StoreError
from scrubjay.stores import Store, contract
from tests.support.stored import NOW, SPACE, by_meaning, by_word, everything, made, put, step, vectors

MOST_MEMBERS = 25
PROTOCOLS = (contract.Engine, contract.Rows, contract.TextIndex, contract.VectorIndex)
ROOM = Path(scrubjay.stores.__file__).parent
ABOVE = [path for path in ROOM.rglob("*.py") if not {"sqlite", "postgres"} & {*path.relative_to(ROOM).parts}]
OF_SQLITE_ALONE = (
    "apsw", "json_each", "insert or ", "last_insert_rowid", "collate nocase", " match :", "pragma", "rowid", "sqlite_",
    "indexed by", "changes()", "->>",
)  # fmt: skip


def members(protocol: type) -> list[str]:
    return [name for name, value in vars(protocol).items() if not name.startswith("_") and (
        inspect.isfunction(value) or isinstance(value, property)
    )]  # fmt: skip


def test_a_backend_is_at_most_25_members() -> None:
    assert 20 <= sum(len(members(protocol)) for protocol in PROTOCOLS) <= MOST_MEMBERS


def test_every_member_says_in_a_sentence_what_it_must_do() -> None:
    for protocol in PROTOCOLS:
        for name in members(protocol):
            said = inspect.getdoc(getattr(protocol, name)) or ""
            assert said.endswith(".") and "\n\n" not in said, f"{protocol.__name__}.{name}"


@pytest.mark.parametrize("path", ABOVE, ids=lambda path: str(path.relative_to(ROOM)))
def test_no_rule_is_written_for_sqlite_alone(path: Path) -> None:
    source = path.read_text(encoding="utf-8")
    strings = [node.value for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Constant)]
    documented = {ast.get_docstring(ast.parse(source), clean=False)}
    sql = [text.lower() for text in strings if isinstance(text, str) and text not in documented]
    assert {word for word in OF_SQLITE_ALONE for text in sql if word in text} == set()
    assert "import apsw" not in source


def test_what_is_read_in_a_snapshot_is_of_one_moment(address: str, store: Store) -> None:
    first = put(store, "One", vectors(0))
    written = threading.Event()

    def write() -> None:
        put(store, "Two", vectors(0))
        written.set()

    with store.snapshot():
        before = store.memories.newest(everything(), None)
        other = threading.Thread(target=write)
        other.start()
        written.wait(0.5 if address == ":memory:" else 20)  # in memory, a writer waits for those who read
        assert store.memories.newest(everything(), None) == before
        assert by_word(store, "two") == []
        assert set(by_meaning(store, 0)) == {first.id}
    other.join(20)
    assert len(store.memories.newest(everything(), None)) == 2


def test_a_transaction_within_another_is_a_part_of_it(store: Store) -> None:
    def fails_at_its_end() -> None:
        with store.transaction():
            put(store, "One", vectors(0))
            put(store, "Two", vectors(0))
            raise StoreError("The disk is full.")

    with pytest.raises(StoreError, match="The disk is full"):
        fails_at_its_end()
    assert store.memories.newest(everything(), None) == []
    with store.transaction():
        put(store, "One", vectors(0))
        put(store, "Two", vectors(0))
    assert len(store.memories.newest(everything(), None)) == 2


def test_a_transaction_reads_what_it_has_written(store: Store) -> None:
    with store._engine.writing() as rows:
        rows.run("update cache_use set hits = 7")
        with store._engine.reading() as inner:
            assert inner.one("select hits from cache_use") == (7,)


def test_lists_are_values_and_tables(store: Store) -> None:
    ids = [put(store, text, tags=("x", text)).id for text in ("One", "Two", "Three")]
    with store._engine.reading() as rows:
        found = rows.all("select id from memories where id in (:ids) order by id", ids=ids[:2])
        assert found == [(ids[0],), (ids[1],)]
        assert rows.all("select key, value from each(:ids)", ids=["b", "a"]) == [(0, "b"), (1, "a")]
        tags = rows.all("select t.value from memories m, each(m.tags) t where m.id = :id", id=ids[0])
        assert tags == [("x",), ("One",)]
        assert rows.all("select 1 from memories where id in (:ids)", ids=[]) == []


def test_a_failed_transaction_leaves_nothing(store: Store) -> None:
    with pytest.raises(RuntimeError), store._engine.writing() as rows:
        rows.run("update cache_use set hits = 7")
        raise RuntimeError
    with store._engine.reading() as rows:
        assert rows.one("select hits from cache_use") == (0,)


def test_half_a_character_is_one_sentence_and_changes_nothing(store: Store) -> None:
    with pytest.raises(Invalid), store.transaction():
        put(store, "Tea")
        store.documents.named(SPACE, "\ud800")
    assert by_word(store, "tea") == []


def test_two_writers_wait_for_each_other_and_lose_nothing(store: Store) -> None:
    def write(name: str) -> None:
        for number in range(20):
            put(store, f"{name} {number}")

    threads = [threading.Thread(target=write, args=(name,)) for name in ("a", "b")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(store.memories.newest(everything(), None)) == 40


def test_who_does_not_want_to_wait_is_told_that_somebody_writes(store: Store) -> None:
    begun, done = threading.Event(), threading.Event()

    def write() -> None:
        with store._engine.writing():
            begun.set()
            done.wait(20)

    other = threading.Thread(target=write)
    other.start()
    begun.wait(20)
    with pytest.raises(Busy), store._engine.writing(wait=False):
        pass
    done.set()
    other.join()


def test_a_lock_is_held_by_one_and_let_go(address: str, store: Store) -> None:
    from scrubjay.stores import open_store

    if address == ":memory:":
        with store.lock("sync"), store.lock("sync"):  # nobody else can see it
            return
    other = open_store(address)
    with store.lock("sync"):
        with pytest.raises(TimeoutError), other.lock("sync", wait_seconds=0):
            pass
        with other.lock("embed", wait_seconds=0):
            pass
    with other.lock("sync", wait_seconds=0):
        other.close()


def test_a_closed_store_says_so(store: Store) -> None:
    store.close()
    with pytest.raises(StoreError, match="closed"):
        store.memories.spaces()


def test_compacting_leaves_everything_in_place(store: Store) -> None:
    old, new = put(store, "One", vectors(0)), put(store, "Two", vectors(1))
    store.revisions.link(old.id, new.id, [SPACE], step(old.id))
    assert store._engine.compact()
    assert set(by_meaning(store, 1)) == {new.id}
    assert by_word(store, "two") == [new.id]
    assert store.memories.known([made("Two")]) == [new]
    assert store._engine.size().in_use > store._engine.size("trash").in_use > 0
    assert store.maintenance.check(deep=True, repair=False, at=NOW).problems == []
