"""The file itself: foreign, damaged, newer, read-only or moved, and what each is told in one sentence."""

from __future__ import annotations

import ctypes
import hashlib
import multiprocessing
import os
import random
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import apsw
import pytest

import scrubjay
from scrubjay import Invalid, Scrubjay, ScrubjayError
from scrubjay.errors import Damaged, NewerStore, NotAStore, ReadOnly, StoreError
from scrubjay.stores.sqlite.connections import Connections
from scrubjay.stores.sqlite.opening import migrations
from tests.support.clock import Clock
from tests.support.examples import thorough

Reopen = Callable[..., Scrubjay]

CONTEXT = multiprocessing.get_context("spawn")
PATIENCE_SECONDS = 120
PAGE_BYTES = 4096


def asked(path: Path, sql: str, *values: Any) -> Any:
    """The first column of the first row, from the file itself."""
    db = apsw.Connection(str(path))
    try:
        return db.execute(sql, values).get
    finally:
        db.close()


def snapshot(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


@pytest.fixture
def filled(path: Path, clock: Clock) -> Path:
    """A closed file with 300 memories: enough for a vector cache beside it."""
    with scrubjay.open(path, embedder="hashing", clock=clock) as jay:
        jay.add_many(
            [
                {"text": f"Entry {number} of the ledger, about lot {number + 1000}", "metadata": {"lot": number + 1000}}
                for number in range(300)
            ]
        )
    return path


# What is no memory


def refused(path: Path, error: type[ScrubjayError]) -> str:
    with pytest.raises(error) as raised:
        scrubjay.open(path, embedder="hashing")
    assert type(raised.value) is error
    sentence = str(raised.value)
    assert sentence.endswith(".") and "\n" not in sentence
    return sentence


@pytest.mark.parametrize("content", [b"hello\n", b"x" * 600, bytes(9000), b"SQLite format 3\0" + b"?" * 5000])
def test_a_file_that_is_no_database_is_refused_and_left_alone(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    assert "is not a Scrubjay memory: it is no SQLite database" in refused(path, NotAStore)
    assert snapshot(path.parent) == {path.name: content}


def test_a_database_of_another_program_is_refused_and_left_alone(path: Path) -> None:
    db = apsw.Connection(str(path))
    db.execute("create table notes (text); insert into notes values ('mine')")
    db.close()
    before = snapshot(path.parent)
    assert "is a SQLite database of another program, not a Scrubjay memory" in refused(path, NotAStore)
    assert snapshot(path.parent) == before


def test_a_file_of_a_newer_version_is_refused_and_left_alone(filled: Path) -> None:
    asked(filled, f"pragma user_version = {len(migrations.scripts()) + 1}")
    before = snapshot(filled.parent)
    assert "written by a newer Scrubjay; upgrade with `pip install -U scrubjay`" in refused(filled, NewerStore)
    assert snapshot(filled.parent) == before


def test_a_folder_is_refused_with_the_name_of_a_file_in_it(tmp_path: Path) -> None:
    assert f"is a folder; name a file in it, e.g. {tmp_path / 'memory.db'}" in refused(tmp_path, Invalid)


@pytest.mark.parametrize("parent", ["missing", "file"])
def test_a_missing_folder_is_named(tmp_path: Path, parent: str) -> None:
    (tmp_path / "file").touch()
    sentence = refused(tmp_path / parent / "memory.db", StoreError)
    assert str(tmp_path / parent) in sentence and "check that its folder exists and may be written to" in sentence
    assert not (tmp_path / "missing").exists()


@pytest.mark.parametrize("name", [b"what?.db", b"50% #1 & more.db", b" blank .db", "鳥.db".encode(), b"caf\xe9.db"])
def test_a_file_may_have_any_name(tmp_path: Path, name: bytes) -> None:
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name))
    with scrubjay.open(path, embedder="hashing") as jay:
        jay.add("Ann likes tea")
    assert os.listdir(os.fsencode(tmp_path)) == [name]
    with scrubjay.open(path) as jay:
        assert len(jay.search("tea")) == 1


def test_an_empty_file_becomes_a_memory(path: Path) -> None:
    path.touch()
    with scrubjay.open(path, embedder="hashing") as jay:
        assert jay.add("Ann likes tea").memory.id == 1


# Damage


def test_a_file_without_its_header_is_no_database(filled: Path) -> None:
    content = filled.read_bytes()
    filled.write_bytes(bytes(100) + content[100:])
    assert "is no SQLite database" in refused(filled, NotAStore)


def test_a_file_that_was_cut_short_is_called_damaged(filled: Path) -> None:
    filled.write_bytes(filled.read_bytes()[: 20 * PAGE_BYTES])
    assert "is damaged; restore a backup, or run `scrubjay check --repair`" in refused(filled, Damaged)


def damaged(content: bytes, chance: random.Random) -> bytes:
    """The same with a few pages, not the first, of noise or nothing."""
    pages = bytearray(content)
    for page in chance.sample(range(1, len(content) // PAGE_BYTES), 3):
        noise = chance.randbytes(PAGE_BYTES) if chance.random() < 0.5 else bytes(PAGE_BYTES)
        pages[page * PAGE_BYTES : (page + 1) * PAGE_BYTES] = noise
    return bytes(pages)


@pytest.mark.thorough
def test_whatever_is_asked_of_a_damaged_file_is_answered_or_called_damaged(filled: Path) -> None:
    content, chance = filled.read_bytes(), random.Random(3)
    questions: list[Callable[[Scrubjay], Any]] = [
        lambda jay: jay.search("ledger lot 1010"),
        lambda jay: jay.search("ledger lot 1010", mode="vector", include_superseded=True),
        lambda jay: jay.get_many(range(1, 300)),
        lambda jay: jay.list(),
        lambda jay: jay.history(7),
        lambda jay: jay.stats(),
        lambda jay: jay.add("One more entry of the ledger"),
        lambda jay: jay.delete(8),
    ]
    usable = 0
    for _ in range(25 if thorough() else 6):
        filled.write_bytes(damaged(content, chance))
        try:
            jay = scrubjay.open(filled, embedder="hashing")
        except Damaged:
            continue
        with jay:
            assert jay.check(deep=True).problems
            for question in questions:
                _answered_or_damaged(question, jay)
            jay.check(deep=True, repair=True)
        usable += 1
    assert usable > 2


def _answered_or_damaged(question: Callable[[Scrubjay], Any], jay: Scrubjay) -> None:
    try:
        question(jay)
    except Damaged as problem:
        assert "`scrubjay check --" in str(problem)


@pytest.mark.parametrize(
    "change",
    [
        "text = cast(x'ff' as text)",
        "metadata = '{'",
        "tags = 'ui'",
        "tags = 7",
        "happened_at = 'yesterday'",
        "created_at = ''",
    ],
)
def test_a_row_that_cannot_be_read_is_called_damaged_and_found_by_a_check(filled: Path, change: str) -> None:
    asked(filled, f"update memories set {change} where id = 7")
    with scrubjay.open(filled) as jay:
        with pytest.raises(Damaged, match="`scrubjay check --"):
            jay.get(7)
        assert jay.get(8) is not None
        assert len(jay.check(deep=True).problems) >= 1


# Mending


def test_a_check_of_a_sound_file_finds_and_changes_nothing(filled: Path) -> None:
    before = filled.read_bytes()
    with scrubjay.open(filled) as jay:
        for deep in (False, True):
            assert jay.check(deep=deep, repair=True) == scrubjay.Check([], [])
    assert filled.read_bytes() == before


def test_a_check_finds_no_damage_in_what_was_written_since_the_last_search(jay: Scrubjay) -> None:
    for round in range(6):
        jay.search("entry")
        for number in range(20):
            jay.add(f"Entry {round}.{number}")
        assert jay.check().problems == jay.check(deep=True).problems == []


@pytest.mark.parametrize(
    "tampering",
    [
        "insert into words (words) values ('delete-all')",
        "delete from words_data where id > 10",
        "insert into words (words, rowid, text) values ('delete', 7, 'Entry')",
        "drop trigger memories_deleted; delete from memories where id = 9",
    ],
)
def test_a_full_text_index_that_was_tampered_with_is_mended(filled: Path, tampering: str) -> None:
    db = apsw.Connection(str(filled))
    for _ in db.execute(tampering):
        pass
    db.close()
    with scrubjay.open(filled, embedder="none") as jay:
        assert any("full-text index" in problem for problem in jay.check(deep=True).problems)
        mended = jay.check(deep=True, repair=True)
        assert any("full-text index" in problem for problem in mended.repaired)
        assert jay.check(deep=True).problems == []
        assert jay.search("lot 1006", mode="keyword")[0].memory.text == "Entry 6 of the ledger, about lot 1006"


def test_a_vector_of_the_wrong_length_is_passed_over_dropped_and_made_anew(filled: Path) -> None:
    asked(filled, "update pieces set vector = x'0102' where memory = 7")
    asked(filled, "update pieces set vector = zeroblob(8) where memory = 8")
    with scrubjay.open(filled) as jay:
        for mode in ("hybrid", "vector", "keyword"):
            assert len(jay.search("Entry 6 of the ledger", mode=mode, include_superseded=True)) == 10
        assert len(jay.check(deep=True).problems) == 2
        mended = jay.check(deep=True, repair=True)
        assert (mended.problems, len(mended.repaired)) == ([], 3)
        assert jay.stats().without_vector == 0
        assert jay.search("Entry 6 of the ledger, about lot 1006", mode="vector")[0].memory.id == 7
        assert jay.check(deep=True).problems == []


@pytest.mark.parametrize("text", ["Something else", "entry 6 of the ledger, about lot 1006"])
def test_a_text_changed_behind_our_back_is_said_once_and_indexed_as_it_is_now(filled: Path, text: str) -> None:
    asked(filled, f"update memories set text = '{text}' where id = 7")
    said = "Memory 7 was changed by another program or by the disk; look at it. `--repair` indexes it as it is now."
    with scrubjay.open(filled) as jay:
        assert jay.check(deep=True).problems == [said]
        mended = jay.check(deep=True, repair=True)
        assert (mended.problems, said in mended.repaired) == ([], True)
        assert jay.check(deep=True, repair=True) == replace(mended, problems=[], repaired=[])
        assert jay.search(text, mode="vector")[0].memory.id == 7
        assert jay.add(text).memory.id == 7


def test_a_reference_to_nothing_is_reported(filled: Path) -> None:
    asked(filled, "insert into accesses (memory, at, verb) values (999, '', 'get')")
    with scrubjay.open(filled) as jay:
        assert jay.check().problems == ["Row 1 of accesses refers to a missing row of memories."]


# Read-only


def test_a_write_protected_file_answers_and_nothing_is_written(filled: Path) -> None:
    with scrubjay.open(filled) as jay:
        jay.search("ledger", mode="vector")
    filled.chmod(0o444)
    before = snapshot(filled.parent)
    with scrubjay.open(filled) as jay:
        assert reading_still_works(jay)
        assert jay.stats().read_only
        for write in WRITES:
            with pytest.raises(ReadOnly) as raised:
                write(jay)
            assert str(raised.value) == "This memory is read-only: it can be searched but not changed."
    assert snapshot(filled.parent) == before


def test_a_write_protected_file_is_read_together_with_what_is_still_in_its_log(jay: Scrubjay, path: Path) -> None:
    jay.add("Ann likes tea")
    path.chmod(0o444)
    with scrubjay.open(path) as other:
        assert other.search("tea")[0].memory.text == "Ann likes tea"
        with pytest.raises(ReadOnly):
            other.add("Bob likes chess")
    path.chmod(0o644)


WRITES: list[Callable[[Scrubjay], Any]] = [
    lambda jay: jay.add("One more"),
    lambda jay: jay.add_many([{"text": "One more"}]),
    lambda jay: jay.add_turns("s1", [{"text": "Hi"}]),
    lambda jay: jay.update(7, importance=9),
    lambda jay: jay.supersede(7, "Another entry"),
    lambda jay: jay.supersede(7, by=8),
    lambda jay: jay.confirm(7),
    lambda jay: jay.delete(7),
    lambda jay: jay.reindex("hashing"),
]


def reading_still_works(jay: Scrubjay) -> bool:
    found = [len(jay.search("ledger", mode=mode)) for mode in ("hybrid", "keyword", "vector")]
    return found == [10] * 3 and jay.get(7) is not None and len(jay.list()) == 300 and not jay.check(deep=True).problems


def _use_in_a_protected_folder(path: Path, answers: Any) -> None:
    """Runs in a process of its own, which gives up what lets root write everywhere."""
    if os.geteuid() == 0:
        no_capability = (ctypes.c_uint32 * 6)()
        assert ctypes.CDLL(None).capset((ctypes.c_uint32 * 2)(0x20080522, 0), no_capability) == 0
    try:
        with scrubjay.open(path) as jay:
            answered = reading_still_works(jay)
            try:
                jay.add("One more")
            except ReadOnly as refusal:
                answers.put((answered, str(refusal)))
    except BaseException as problem:
        answers.put((False, repr(problem)))


def used_in_a_protected_folder(folder: Path) -> Any:
    answers: Any = CONTEXT.Queue()
    child = CONTEXT.Process(target=_use_in_a_protected_folder, args=(folder / "memory.db", answers))
    folder.chmod(0o555)
    child.start()
    try:
        return answers.get(timeout=PATIENCE_SECONDS)
    finally:
        child.join(PATIENCE_SECONDS)
        child.kill()
        folder.chmod(0o755)


def copied(path: Path, folder: Path, suffixes: tuple[str, ...]) -> dict[str, bytes]:
    """Copy the file while it is in use, with some of the files that SQLite keeps beside it."""
    folder.mkdir()
    with scrubjay.open(path, embedder="hashing") as jay:
        jay.confirm(7)
        for suffix in ("", *suffixes):
            (folder / f"memory.db{suffix}").write_bytes(Path(f"{path}{suffix}").read_bytes())
    return without_shared_memory(folder)


def without_shared_memory(folder: Path) -> dict[str, bytes]:
    return {name: content for name, content in snapshot(folder).items() if not name.endswith("-shm")}


needs_permissions = pytest.mark.skipif(sys.platform != "linux", reason="only here root can be told to obey permissions")


@needs_permissions
@pytest.mark.parametrize("suffixes", [(), ("-wal", "-shm")], ids=["closed", "killed"])
def test_a_file_in_a_protected_folder_answers_and_nothing_is_written(filled: Path, suffixes: tuple[str, ...]) -> None:
    folder = filled.parent / "protected"
    before = copied(filled, folder, suffixes)
    answer = used_in_a_protected_folder(folder)
    assert answer == (True, "This memory is read-only: it can be searched but not changed.")
    assert without_shared_memory(folder) == before


@needs_permissions
def test_a_file_whose_log_cannot_be_read_in_a_protected_folder_says_so_rather_than_forget_it(filled: Path) -> None:
    folder = filled.parent / "protected"
    copied(filled, folder, ("-wal",))
    answered, sentence = used_in_a_protected_folder(folder)
    assert not answered and "check that its folder exists and may be written to" in sentence


# The schema


def schema(path: Path) -> list[Any]:
    db = apsw.Connection(str(path))
    try:
        return db.execute("select type, name, tbl_name, sql from sqlite_schema order by name").fetchall()
    finally:
        db.close()


def test_the_schema_is_the_sum_of_the_migrations(path: Path, tmp_path: Path) -> None:
    scrubjay.open(path, embedder="none").close()
    by_hand = tmp_path / "by hand.db"
    db = apsw.Connection(str(by_hand))
    for script in migrations.scripts():
        for _ in db.execute(script):
            pass
    db.close()
    assert schema(path) == schema(by_hand)
    assert asked(path, "pragma user_version") == len(migrations.scripts())


def test_opening_again_does_nothing(filled: Path) -> None:
    before = filled.read_bytes()
    for _ in range(2):
        scrubjay.open(filled).close()
    assert filled.read_bytes() == before


BROKEN = "create table extra (x); insert into nowhere values (1);"


def test_a_migration_that_fails_leaves_neither_tables_nor_version(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scripts = [*migrations.scripts(), BROKEN]
    monkeypatch.setattr(migrations, "scripts", lambda: scripts)
    with pytest.raises(apsw.SQLError, match="nowhere"):
        scrubjay.open(path, embedder="none")
    assert schema(path) == []
    assert (asked(path, "pragma user_version"), asked(path, "pragma application_id")) == (0, 0)
    monkeypatch.undo()
    with scrubjay.open(path, embedder="none") as jay:
        assert jay.add("Ann likes tea").created


def test_a_later_migration_that_fails_leaves_the_file_as_it_was(filled: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = schema(filled)
    scripts = [*migrations.scripts(), "create table more (x);", BROKEN]
    monkeypatch.setattr(migrations, "scripts", lambda: scripts)
    with pytest.raises(apsw.SQLError, match="nowhere"):
        scrubjay.open(filled)
    monkeypatch.undo()
    assert schema(filled) == before
    with scrubjay.open(filled) as jay:
        assert reading_still_works(jay)


def test_a_later_migration_is_run_once_and_keeps_what_is_there(filled: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scripts = [*migrations.scripts(), "create table more (x); insert into more values (1); select * from more;"]
    monkeypatch.setattr(migrations, "scripts", lambda: scripts)
    for _ in range(2):
        with scrubjay.open(filled) as jay:
            assert reading_still_works(jay)
    assert (asked(filled, "select count(*) from more"), asked(filled, "pragma user_version")) == (1, len(scripts))


def _open_and_add(path: Path, opening: Any, opened: Any) -> None:
    opening.set()
    with scrubjay.open(path, embedder="hashing") as jay:
        opened.set()
        jay.add("Ann likes tea")


def test_a_second_process_waits_while_the_first_migrates(path: Path) -> None:
    db = apsw.Connection(str(path))
    db.pragma("journal_mode", "wal")
    db.execute("begin immediate")
    opening, opened = CONTEXT.Event(), CONTEXT.Event()
    child = CONTEXT.Process(target=_open_and_add, args=(path, opening, opened))
    child.start()
    try:
        assert opening.wait(PATIENCE_SECONDS)
        for script in migrations.scripts():
            for _ in db.execute(script):
                pass
        assert not opened.wait(0.5)
        db.pragma("user_version", len(migrations.scripts()))
        db.pragma("application_id", migrations.APPLICATION_ID)
        db.execute("commit")
        assert opened.wait(PATIENCE_SECONDS)
    finally:
        db.close()
        child.join(PATIENCE_SECONDS)
        child.kill()
    with scrubjay.open(path) as jay:
        assert [memory.text for memory in jay.list()] == ["Ann likes tea"]
        assert jay.check(deep=True).problems == []


# What a write touches


def test_an_id_is_never_given_twice(path: Path, clock: Clock) -> None:
    seen: list[int] = []
    for round in range(4):
        with scrubjay.open(path, embedder="hashing", clock=clock) as jay:
            seen += [jay.add(f"Entry {round}").memory.id, jay.add(f"Another {round}").memory.id]
            for memory in jay.list():
                jay.delete(memory.id)
    assert seen == sorted(set(seen))


@pytest.fixture
def touched(filled: Path) -> Iterator[Callable[[str], str]]:
    """A fingerprint of everything in a table."""
    db = apsw.Connection(str(filled))

    def fingerprint(table: str) -> str:
        return hashlib.sha256(repr(db.execute(f"select * from {table}").fetchall()).encode()).hexdigest()

    yield fingerprint
    db.close()


QUIET_CHANGES: list[tuple[str, Callable[[Scrubjay, Clock], Any]]] = [
    ("confirm", lambda jay, clock: jay.confirm(7)),
    ("metadata", lambda jay, clock: jay.update(7, metadata={"lot": None, "crate": 3})),
    ("importance", lambda jay, clock: jay.update(7, importance=9, confidence=0.5)),
    ("expiry", lambda jay, clock: jay.update(7, expires_at=clock.now + timedelta(days=1))),
    ("same tags", lambda jay, clock: jay.update(7, tags=[])),
    ("project", lambda jay, clock: jay.update(7, project="example.org/a/b")),
    ("uses", lambda jay, clock: [jay.search("ledger lot 1006"), jay.get(7)]),
    ("said again", lambda jay, clock: jay.add("Entry 6 of the ledger, about lot 1006", metadata={"crate": 3})),
]


@pytest.mark.parametrize("change", [change for _, change in QUIET_CHANGES], ids=[name for name, _ in QUIET_CHANGES])
def test_a_change_of_no_indexed_text_touches_neither_words_nor_vectors(
    filled: Path, clock: Clock, touched: Callable[[str], str], change: Callable[[Scrubjay, Clock], Any]
) -> None:
    quiet = ("words_data", "words_idx", "words_docsize", "pieces")  # the log of changes tells the columns beside them
    before, row = [touched(table) for table in quiet], touched("memories")
    clock.pass_(minutes=1)
    with scrubjay.open(filled, clock=clock) as jay:
        change(jay, clock)
    assert [touched(table) for table in quiet] == before
    assert touched("memories") != row
    with scrubjay.open(filled) as jay:
        assert jay.check(deep=True).problems == []


def test_a_change_of_tags_touches_words_but_no_vectors(filled: Path, touched: Callable[[str], str]) -> None:
    words, pieces = touched("words_data"), touched("pieces")
    with scrubjay.open(filled) as jay:
        jay.update(7, tags=["harbour"])
        assert jay.search("harbour", mode="keyword")[0].memory.id == 7
    assert touched("words_data") != words
    assert touched("pieces") == pieces


# What statements cost


def test_a_statement_is_prepared_once_whatever_values_it_is_given(
    filled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepared_again: dict[str, int] = {}

    def note(event: dict[str, Any]) -> None:
        prepared_again[event["sql"]] = event["stmt_status"]["SQLITE_STMTSTATUS_REPREPARE"]

    monkeypatch.setattr(
        apsw, "connection_hooks", [lambda db: db.trace_v2(apsw.SQLITE_TRACE_PROFILE, note)], raising=True
    )
    with scrubjay.open(filled) as jay:
        for number in range(3):
            jay.search(f"which ledger has lot {number + 1100}")
            jay.add(f"Lot {number + 2000} stands in hall {number}", subject=f"lot {number}")
    assert {sql for sql, times in prepared_again.items() if times} == set()
    assert any("words_idx" in sql for sql in prepared_again)  # of FTS5 itself


def test_a_statement_that_was_left_open_keeps_nobody_from_writing(filled: Path) -> None:
    connections = Connections(str(filled))
    with connections.reading() as db:
        left_open = db.execute("select id from memories")
        next(left_open)
    with scrubjay.open(filled) as jay:
        jay.add("What is newer than what that statement sees")
    with connections.writing() as db:
        db.execute("delete from memories where id = 7")
    connections.close()
    assert asked(filled, "select count(*) from memories") == 300


def test_a_log_or_journal_that_came_from_elsewhere_changes_nothing(tmp_path: Path) -> None:
    store, copy = tmp_path / "notes.db", tmp_path / "copy.db"
    with scrubjay.open(store, embedder="none") as jay:
        jay.add("Ann likes tea")
    shutil.copy(store, copy)
    db = apsw.Connection(str(copy))
    db.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
    db.execute("update memories set title = 'Bob likes coffee'")
    db.close()
    log, journal = Path(f"{store}-wal"), Path(f"{store}-journal")
    log.write_bytes(Path(f"{copy}-wal").read_bytes())
    log.chmod(0o644)  # as git writes it
    with pytest.raises(StoreError, match="was not written by this memory"):
        scrubjay.open(store, embedder="none")
    log.unlink()
    journal.write_bytes(bytes.fromhex("d9d505f920a163d7") + bytes(1_000))
    with pytest.raises(StoreError, match="which has no journal"):
        scrubjay.open(store, embedder="none")
    journal.unlink()
    with scrubjay.open(store, embedder="none") as jay:
        assert [one.title for one in jay.list()] == ["Ann likes tea"]


def test_a_new_memory_is_opened_while_another_process_gives_it_its_log(tmp_path: Path) -> None:
    """SQLite writes a journal for that, which a crash may leave there."""
    store = tmp_path / "notes.db"
    db = apsw.Connection(str(store))
    db.pragma("journal_mode", "wal")
    db.close()
    assert store.stat().st_size == PAGE_BYTES
    Path(f"{store}-journal").write_bytes(bytes.fromhex("d9d505f920a163d7").ljust(512, b"\0"))
    with scrubjay.open(store, embedder="none") as jay:
        assert jay.add("Ann likes tea").memory.id == 1


def test_so_is_a_memory_that_was_copied_from_a_backup(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = tmp_path / "notes.db"
    with scrubjay.open(store, embedder="none") as jay:
        jay.add("Ann likes tea")
    journal = Path(f"{store}-journal")
    journal.write_bytes(bytes(512))
    pauses: list[float] = []

    def pause(seconds: float) -> None:
        pauses.append(seconds)
        if len(pauses) == 3:  # the other process is done
            journal.unlink()

    monkeypatch.setattr(time, "sleep", pause)
    with scrubjay.open(store, embedder="none") as jay:
        assert [one.title for one in jay.list()] == ["Ann likes tea"]
    assert len(pauses) >= 3


def test_the_log_of_a_memory_that_crashed_is_its_own(tmp_path: Path) -> None:
    store, copy = tmp_path / "notes.db", tmp_path / "copy.db"
    with scrubjay.open(store, embedder="none") as jay:
        jay.add("Ann likes tea")
        for suffix in ("", "-wal"):
            shutil.copy(f"{store}{suffix}", f"{copy}{suffix}")
    with scrubjay.open(copy, embedder="none") as jay:
        assert [one.title for one in jay.list()] == ["Ann likes tea"]


def test_what_a_link_in_the_place_of_a_lock_leads_to_is_not_made_private(tmp_path: Path) -> None:
    store, page = tmp_path / "notes.db", tmp_path / "page.html"
    page.touch(0o644)
    page.chmod(0o644)
    with scrubjay.open(store, embedder="none") as jay:
        jay.add("Ann likes tea")
        Path(f"{store}.embed.lock").symlink_to(page)
        jay.check(repair=True)
    assert page.stat().st_mode & 0o777 == 0o644


@pytest.mark.parametrize("kind", ["link", "folder"])
def test_what_lies_in_the_place_of_a_lock_is_said_in_one_sentence(path: Path, tmp_path: Path, kind: str) -> None:
    lock, own = Path(f"{path}.sync.lock"), tmp_path / "thesis.txt"
    own.write_text("of years")
    with scrubjay.open(path, embedder="none") as jay:
        if kind == "link":
            lock.symlink_to(own)
        else:
            lock.mkdir()
        with pytest.raises(StoreError, match="must be a file"):
            jay.sync()
    assert own.read_text() == "of years"
