"""Faults of disk, file and clock: what each one leads to, and that nothing is lost by it. docs/faults.md lists them."""

from __future__ import annotations

import ctypes
import errno
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from itertools import cycle
from pathlib import Path
from typing import Any

import apsw
import pytest

import scrubjay
from scrubjay import Scrubjay
from scrubjay.errors import Damaged, NewerStore, NotAStore, StoreError
from scrubjay.files import drafts
from scrubjay.stores import vectors
from scrubjay.stores.sqlite.repair.pages import Pages
from scrubjay.stores.sqlite.repair.salvage import salvage
from tests.support.clock import Clock
from tests.support.commands import Run
from tests.support.examples import thorough
from tests.support.processes import draft_of_a_killed_process

PAGE_BYTES = 4096
FRAME_HEADER_BYTES = 24  # in the write-ahead log, before each page; those of a commit hold the size of the file
only_unix = pytest.mark.skipif(sys.platform == "win32", reason="there an open file can be neither moved nor deleted")
needs_linux = pytest.mark.skipif(sys.platform != "linux", reason="only here SQLite's system calls are replaced")


@pytest.fixture(scope="module")
def content(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A file with a bit of everything, and rows of every size."""
    path = tmp_path_factory.mktemp("sound") / "memory.db"
    with scrubjay.open(path, embedder="hashing", clock=Clock()) as jay:
        sizes = random.Random(1)
        texts = [f"Entry {number}" + " and so on" * sizes.choice((1, 30, 400, 1500)) for number in range(120)]
        jay.add_many([{"text": text, "kind": "fact", "subject": f"lot {len(text)}"} for text in texts])
        for id in (5, 9, 30):
            jay.supersede(id, f"Entry {id} was corrected")
        jay.tasks.create("Count the entries")
        jay.add_turns("talk", [{"speaker": "Ann", "text": "Where are the entries?"}])
        jay.delete(20)
    return path.read_bytes()


def told(path: Path) -> dict[int, str]:
    with scrubjay.open(path) as jay:
        assert jay.check(deep=True).problems == []
        return {memory.id: memory.text for memory in jay.list(include_superseded=True)}


def raw(path: Path) -> dict[int, str]:
    """What SQLite itself can read of the memories, by scan from both ends and one by one."""
    found: dict[int, str] = {}
    db = apsw.Connection(f"file:{path}?immutable=1", flags=apsw.SQLITE_OPEN_URI | apsw.SQLITE_OPEN_READONLY)
    scans = [f"select id, text from memories order by id {order}" for order in ("asc", "desc")]
    for sql in (*scans, *(f"select id, text from memories where id = {id}" for id in range(1, 140))):
        with suppress(apsw.Error, UnicodeDecodeError):
            for id, text in db.execute(sql):
                found[id] = text
    db.close()
    return found


# Damaged pages


def damaged(content: bytes, chance: random.Random) -> bytes:
    """The same with one to four pages, of any kind, zeroed, overwritten or scratched; sometimes cut short."""
    pages = bytearray(content)
    count = len(content) // PAGE_BYTES
    for page in chance.sample(range(count), chance.randint(1, 4)):
        start = page * PAGE_BYTES
        if chance.random() < 0.3:
            start += chance.randrange(PAGE_BYTES - 60)
            pages[start : start + 60] = chance.randbytes(60)
        else:
            noise = chance.random() < 0.5
            pages[start : start + PAGE_BYTES] = chance.randbytes(PAGE_BYTES) if noise else bytes(PAGE_BYTES)
    return bytes(pages[: chance.randrange(count // 2, count) * PAGE_BYTES] if chance.random() < 0.2 else pages)


@pytest.mark.parametrize("seed", range(100 if thorough() else 6))
@pytest.mark.thorough
def test_what_can_be_read_of_a_damaged_file_is_salvaged(path: Path, content: bytes, seed: int) -> None:
    path.write_bytes(damaged(content, random.Random(seed)))
    readable = raw(path)
    report = scrubjay.repair(path)
    saved = told(path)
    assert {id for id, text in readable.items() if not text.startswith(saved.get(id, "\0"))} == set()
    named = " ".join(report.problems)
    assert all(str(id) in named for id in readable if saved[id] != readable[id])
    assert len(saved) >= len(readable)


def pages_of(content: bytes, path: Path) -> dict[str, list[int]]:
    """The pages of the file by what they hold."""
    path.write_bytes(content)
    db = apsw.Connection(str(path))
    rows: list[Any] = db.execute("select name || ' ' || pagetype, pageno from dbstat").fetchall()
    db.close()
    found: dict[str, list[int]] = {}
    for name, number in rows:
        found.setdefault(name, []).append(number)
    return found


HARMLESS = [
    "memories internal",
    "memories_by_space leaf",
    "memories_by_time leaf",
    "pieces internal",
    "pieces leaf",
    "words_data leaf",
    "words_docsize leaf",
    "sqlite_schema internal",
    "sqlite_schema leaf",
    "sqlite_sequence leaf",
]


@pytest.mark.parametrize(("kind", "fill"), list(zip(HARMLESS, cycle(["zero", "noise"]), strict=False)))
def test_no_memory_is_lost_with_a_page_that_holds_none(path: Path, content: bytes, kind: str, fill: str) -> None:
    number = pages_of(content, path)[kind][0]
    whole = raw(path)
    start = (number - 1) * PAGE_BYTES
    noise = bytes(PAGE_BYTES) if fill == "zero" else random.Random(number).randbytes(PAGE_BYTES)
    path.write_bytes(content[:start] + noise + content[start + PAGE_BYTES :])
    report = scrubjay.repair(path)
    assert told(path) == whole and report.problems == []
    (aside,) = path.parent.glob("memory.db.damaged-*")
    assert aside.read_bytes()[start : start + PAGE_BYTES] == noise and str(aside) in report.repaired[0]


def exchanged(content: bytes, one: int, other: int) -> bytes:
    """The same with two pages each in the place of the other."""
    pages = [content[start : start + PAGE_BYTES] for start in range(0, len(content), PAGE_BYTES)]
    pages[one - 1], pages[other - 1] = pages[other - 1], pages[one - 1]
    return b"".join(pages)


OTHERS = [f"{name} leaf" for name in ("pieces", "words_data", "trash", "events", "sqlite_schema", "memories_by_space")]


@pytest.mark.parametrize("kind", OTHERS)
def test_a_page_that_stands_in_the_place_of_another_is_read_all_the_same(path: Path, content: bytes, kind: str) -> None:
    pages = pages_of(content, path)
    whole = raw(path)
    path.write_bytes(exchanged(content, pages["memories leaf"][-1], pages[kind][0]))
    report = scrubjay.repair(path)
    assert told(path) == whole
    assert not any("could not be read" in problem for problem in report.problems)


def test_a_page_that_its_tree_no_longer_leads_to_is_read_all_the_same(path: Path, content: bytes) -> None:
    first, second, *_ = pages_of(content, path)["memories leaf"]
    whole = raw(path)
    (root,) = pages_of(content, path)["memories internal"]
    start = (root - 1) * PAGE_BYTES
    tree = content[start : start + PAGE_BYTES]
    assert tree.count(second.to_bytes(4, "big")) == 1
    tree = tree.replace(second.to_bytes(4, "big"), first.to_bytes(4, "big"))
    path.write_bytes(content[:start] + tree + content[start + PAGE_BYTES :])
    assert scrubjay.repair(path).problems == []
    assert told(path) == whole


def test_a_long_row_that_goes_on_in_a_circle_of_pages_is_given_up(path: Path, content: bytes) -> None:
    pages = pages_of(content, path)
    whole = raw(path)
    leaf, circle = pages["memories leaf"][-1], pages["words_data leaf"][0]
    length, least = 1 << 57, (PAGE_BYTES - 12) * 32 // 255 - 23
    local = least + (length - least) % (PAGE_BYTES - 4)
    local = local if local <= PAGE_BYTES - 35 else least
    said = b"\x81" + b"\x80" * 7 + b"\0"  # that length: eight times seven bits, then eight
    cell = said + b"\1" + bytes(local) + circle.to_bytes(4, "big")
    start = PAGE_BYTES - len(cell)
    page = b"\x0d" + bytes(2) + (1).to_bytes(2, "big") + start.to_bytes(2, "big") + b"\0" + start.to_bytes(2, "big")
    written = bytearray(content)
    written[(leaf - 1) * PAGE_BYTES : leaf * PAGE_BYTES] = page + bytes(start - len(page)) + cell
    written[(circle - 1) * PAGE_BYTES : circle * PAGE_BYTES] = circle.to_bytes(4, "big") + b"x" * (PAGE_BYTES - 4)
    path.write_bytes(written)
    report = scrubjay.repair(path)
    saved = told(path)
    assert saved == {id: text for id, text in whole.items() if id in saved}
    assert all(str(id) in " ".join(report.problems) for id in whole.keys() - saved.keys())


def test_the_rows_of_a_table_whose_name_is_damaged_are_read_all_the_same(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    whole = raw(path)
    path.write_bytes(content.replace(b"tablememoriesmemories", b"tablememorieZmemories"))
    assert path.read_bytes() != content
    scrubjay.repair(path)
    assert told(path) == whole


def test_where_no_list_of_the_memories_is_left_a_repair_says_that_more_may_be_missing(
    path: Path, content: bytes
) -> None:
    path.write_bytes(content[:100] + bytes(len(content) - 100))
    assert scrubjay.repair(path).problems == ["Some of these may be missing: memories that no index lists any more."]
    assert told(path) == {}


def test_what_a_salvage_could_not_read_is_named_and_its_id_never_given_again(path: Path, content: bytes) -> None:
    numbers = pages_of(content, path)["memories leaf"]
    whole = raw(path)
    start = (numbers[-1] - 1) * PAGE_BYTES
    path.write_bytes(content[:start] + bytes(PAGE_BYTES) + content[start + PAGE_BYTES :])
    report = scrubjay.repair(path)
    lost = sorted(whole.keys() - told(path).keys())
    assert lost and report.problems == [f"{len(lost)} memories could not be read: {', '.join(map(str, lost))}."]
    with scrubjay.open(path) as jay:
        assert jay.add("One more entry").memory.id > max(whole)


def test_links_tasks_and_sessions_are_salvaged_too(path: Path, content: bytes) -> None:
    number = pages_of(content, path)["memories internal"][0]
    start = (number - 1) * PAGE_BYTES
    path.write_bytes(content[:start] + bytes(PAGE_BYTES) + content[start + PAGE_BYTES :])
    scrubjay.repair(path)
    with scrubjay.open(path) as jay:
        assert [memory.text for memory in jay.history(5)][-1] == "Entry 5 was corrected"
        assert [task.memory.text for task in jay.tasks.list()] == ["Count the entries"]
        assert jay.sessions.get("talk").turns == 1
        assert jay.undelete(20).text.startswith("Entry 19")
        assert jay.search("Entry 5 was corrected")[0].memory.superseded_by is None


@pytest.fixture(scope="module")
def rows_of_all_kinds(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A file with rows in every table that nothing else could tell of."""
    folder = tmp_path_factory.mktemp("all")
    path = folder / "memory.db"
    (folder / "notes").mkdir()
    (folder / "notes" / "lamps.md").write_text("# Lamps\n\nThe lamps of the hall are kept in the blue cupboard.\n")
    with scrubjay.open(path, embedder="hashing", clock=Clock()) as jay:
        old = jay.add("The lamp is red", kind="fact", subject="lamp").memory.id
        jay.update(jay.supersede(old, "The lamp is green").memory.id, importance=9)
        jay.tasks.create("Buy a lamp", scope="home", priority="high")
        jay.add_turns("talk", [{"speaker": "Ann", "text": text} for text in ("Which lamp?", "The green one")])
        jay.add("The password of the lamp is hunter2Xk9qLm", kind="fact", allow_secret=True)
        jay.add("The lamp is white", kind="fact", subject="lamp")
        jay.tokens.create("phone", scopes=["read"])
        jay.contacts.create(name="Ann", email="ann@example.org")
        jay.sources.add(folder / "notes")
        jay.sync()
        jay.delete(jay.list(kinds=["passage"])[0].id)
    return path.read_bytes()


def without_page_of(content: bytes, path: Path, kind: str) -> None:
    """Write the file with a page of this kind zeroed."""
    number = pages_of(content, path)[kind][0]
    path.write_bytes(content[: (number - 1) * PAGE_BYTES] + bytes(PAGE_BYTES) + content[number * PAGE_BYTES :])


@pytest.mark.parametrize("kind", ["memories_by_space leaf", "sqlite_schema leaf", "sqlite_schema internal"])
def test_a_conversation_goes_on_after_a_repair(path: Path, rows_of_all_kinds: bytes, kind: str) -> None:
    without_page_of(rows_of_all_kinds, path, kind)
    scrubjay.repair(path)
    with scrubjay.open(path, clock=Clock()) as jay:
        assert len(jay.add_turns("talk", [{"speaker": "Ann", "text": "Thank you"}])) == 1
        assert [turn.text for turn in jay.sessions.turns("talk")] == ["Which lamp?", "The green one", "Thank you"]


def test_a_text_kept_with_its_secret_is_salvaged_without_the_schema(path: Path, rows_of_all_kinds: bytes) -> None:
    without_page_of(rows_of_all_kinds, path, "sqlite_schema internal")
    scrubjay.repair(path)
    with scrubjay.open(path, clock=Clock()) as jay:
        assert [memory.text for memory in jay.secrets()] == ["The password of the lamp is hunter2Xk9qLm"]


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ("trash", "deleted memories"),
        ("secrets", "texts that were kept with their secrets"),
        ("steps", "what replaced what"),
        ("edits", "updates that could be reverted"),
        ("tasks", "where tasks stand"),
        ("sessions", "sessions"),
        ("conflicts", "conflicts"),
        ("tokens", "tokens"),
        ("records", "versions of records"),
        ("tombstones", "what was deleted from files"),
        ("mark_key", "what was deleted from files"),
        ("models", "vectors (`scrubjay backfill` makes them)"),
    ],
)
def test_a_repair_says_what_else_may_be_missing(path: Path, rows_of_all_kinds: bytes, table: str, said: str) -> None:
    without_page_of(rows_of_all_kinds, path, f"{table} leaf")
    assert scrubjay.repair(path).problems == [f"Some of these may be missing: {said}."]


def test_a_repair_keeps_the_keys_of_all_marks(path: Path, tmp_path: Path, clock: Clock) -> None:
    """Those of memories that were imported, too: else what was deleted there would come back."""

    def keys() -> list[Any]:
        with closing(apsw.Connection(str(path))) as db:
            return db.execute("select key, own from mark_key order by key").fetchall()

    with scrubjay.open(path, embedder="none", clock=clock) as jay:
        for number in range(3):
            with scrubjay.open(tmp_path / f"{number}.db", embedder="none", clock=clock) as other:
                other.add_turns("s", [{"text": "Hello"}])
                other.delete(1)
                other.export(tmp_path / f"{number}.jsonl")
            jay.import_file(tmp_path / f"{number}.jsonl")
        jay.add("The lamp is red")
    before = keys()
    without_page_of(path.read_bytes(), path, "memories_by_space leaf")
    scrubjay.repair(path, clock=clock)
    assert keys() == before and sum(own for _, own in before) == 1 and len(before) == 4


def test_a_replacement_whose_step_was_lost_can_be_reverted(path: Path, rows_of_all_kinds: bytes) -> None:
    without_page_of(rows_of_all_kinds, path, "steps leaf")
    scrubjay.repair(path)
    with scrubjay.open(path, clock=Clock()) as jay:
        assert jay.revert(1).restored == (1,) and jay.check(deep=True).problems == []


def test_the_id_of_a_memory_in_the_trash_is_not_given_again_where_the_counters_are_lost(
    path: Path, clock: Clock
) -> None:
    with scrubjay.open(path, embedder="none", clock=clock) as jay:
        old = jay.add("The lamp is red", kind="fact").memory.id
        new = jay.supersede(old, "The lamp is green").memory.id
        jay.update(new, importance=9)
        jay.delete(new)
    without_page_of(path.read_bytes(), path, "sqlite_sequence leaf")
    scrubjay.repair(path, clock=clock)
    with scrubjay.open(path, embedder="none", clock=clock) as jay:
        other = jay.add("The door is open", kind="fact").memory.id
        jay.update(jay.supersede(other, "The door is shut").memory.id, importance=8)
        assert other == new + 1 and jay.undelete(new).text == "The lamp is green"
        assert jay.check(deep=True).problems == []


def test_what_an_altered_index_says_changes_no_row(path: Path, clock: Clock) -> None:
    with scrubjay.open(path, embedder="none", clock=clock) as jay:
        jay.add_many([{"text": f"Entry {number}", "kind": "fact"} for number in range(6)])
        assert jay.tasks.create("Buy a lamp", scope="home", priority="high").memory.id == 7
    (number,) = pages_of(path.read_bytes(), path)["memories_by_space leaf"]
    start, end = (number - 1) * PAGE_BYTES, number * PAGE_BYTES
    content = path.read_bytes()
    page = content[start:end].replace(b"defaulttask\x07", b"defaulttask\x63")  # it names another row of that kind
    path.write_bytes(content[:start] + page + content[end:])
    assert page != content[start:end] and scrubjay.repair(path, clock=clock).problems == []
    with scrubjay.open(path, embedder="none", clock=clock) as jay:
        (found,) = jay.tasks.list()
        assert (found.memory.id, found.scope, found.priority) == (7, "home", "high")


def test_what_is_only_in_the_write_ahead_log_is_salvaged(path: Path, tmp_path: Path) -> None:
    copy = with_a_log(path, tmp_path / "killed")
    scrubjay.repair(copy)
    assert len(told(copy)) == 40


def with_a_log(path: Path, folder: Path) -> Path:
    """A damaged memory of forty entries that stand in its log only."""
    folder.mkdir()
    copy = folder / "memory.db"
    with scrubjay.open(path, embedder="hashing") as jay:
        jay.add_many([{"text": f"Entry {number} " + "and so on " * 100} for number in range(40)])
        for suffix in ("", "-wal"):
            shutil.copy(f"{path}{suffix}", f"{copy}{suffix}")
    with closing_pages(copy) as pages:
        assert pages.count > copy.stat().st_size // PAGE_BYTES
    copy.write_bytes(os.urandom(max(copy.stat().st_size, PAGE_BYTES)))
    return copy


@contextmanager
def closing_pages(path: Path) -> Iterator[Pages]:
    pages = Pages(path)
    try:
        yield pages
    finally:
        pages.close()


def test_a_memory_in_use_is_repaired_in_place(path: Path, content: bytes) -> None:
    number = pages_of(content, path)["memories internal"][0]
    whole = raw(path)
    with path.open("r+b") as file:
        file.seek((number - 1) * PAGE_BYTES)
        file.write(bytes(PAGE_BYTES))
    with scrubjay.open(path, embedder="hashing") as jay, scrubjay.open(path) as other:
        assert jay.check().problems
        report = jay.check(repair=True)
        assert report.problems == [] and len(jay.list(include_superseded=True)) == len(whole)
        assert jay.add("One more entry").created
        with pytest.raises(StoreError, match="was moved, deleted or replaced while it was open"):
            other.add("This would go to the old file")


def test_the_command_line_repairs_what_cannot_be_opened(run: Run, path: Path, content: bytes) -> None:
    path.write_bytes(bytes(PAGE_BYTES) + content[PAGE_BYTES:])
    assert run("check", "--store", str(path)).code == 4
    mended = run("check", "--repair", "--store", str(path), "--json")
    assert mended.code == 0 and "A new one holds" in mended.json["repaired"][0]
    assert run("check", "--deep", "--store", str(path)).out == "No problems found.\n"


@pytest.mark.parametrize("foreign", [b"Dear diary\n" * 2_000, bytes(9_000), b""])
def test_what_is_no_memory_is_left_alone_by_a_repair(path: Path, foreign: bytes) -> None:
    path.write_bytes(foreign)
    if foreign:
        with pytest.raises((NotAStore, Damaged)):
            scrubjay.repair(path)
        assert path.read_bytes() == foreign and os.listdir(path.parent) == ["memory.db"]


def test_the_file_of_another_program_is_left_alone_by_a_repair(path: Path) -> None:
    db = apsw.Connection(str(path))
    for _ in db.execute(
        "create table memories (id integer primary key, text); insert into memories (text) values ('x')"
    ):
        pass
    db.close()
    before = path.read_bytes()
    with pytest.raises(NotAStore):
        scrubjay.repair(path)
    assert path.read_bytes() == before


def test_a_newer_file_is_neither_opened_nor_repaired(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    db = apsw.Connection(str(path))
    db.pragma("user_version", 999)
    db.close()
    before = path.read_bytes()
    for use in (scrubjay.open, scrubjay.repair):
        with pytest.raises(NewerStore, match="pip install -U scrubjay"):
            use(path)
    assert path.read_bytes() == before


# A deep check


@pytest.mark.parametrize(
    ("tampering", "problem"),
    [
        ("delete from pieces where memory = 7", "1 memory has no vector; `scrubjay backfill`"),
        ("update pieces set vector = zeroblob(4) where memory = 7", "does not fit memory 7"),
        ("update pieces set vector = randomblob(length(vector)) where memory = 7", "does not fit memory 7"),
        ("update pieces set total = 2 where memory = 7", "does not fit memory 7"),
        ("update pieces set number = 1 where memory = 7", "does not fit memory 7"),
        ("delete from steps", "Memory 5 was replaced, but no step says so."),
        ("update memories set superseded_at = null, superseded_by = null where id = 5", "A step says that memory 5"),
        ("update memories set superseded_by = 1 where id = 5", "Memory 5 names another successor"),
        ("delete from tasks", "Task 124 has no status."),
        ("delete from sessions", "Session 'talk' has turns but is not known."),
        ("update sqlite_sequence set seq = 3 where name = 'memories'", "an id that was given before, 4."),
        ("insert into told values ('default', 'talk', 999, '')", "of told refers to a missing row of memories"),
        ("insert into quarantine values (999, 1, '', 1, '')", "of quarantine refers to a missing row of memories"),
    ],
)
def test_a_deep_check_finds_what_does_not_agree_and_mends_it(
    path: Path, content: bytes, tampering: str, problem: str
) -> None:
    path.write_bytes(content)
    db = apsw.Connection(str(path))
    db.execute(tampering)
    db.close()
    with scrubjay.open(path) as jay:
        assert any(problem in found for found in jay.check(deep=True).problems)
        report = jay.check(deep=True, repair=True)
        assert report.problems == [] and report.repaired
        assert jay.check(deep=True) == scrubjay.Check([], [])


def test_with_no_embedder_a_missing_vector_is_reported_and_left(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    db = apsw.Connection(str(path))
    db.execute("delete from pieces where memory in (7, 8)")
    db.close()
    with scrubjay.open(path, embedder="none") as jay:
        (problem,) = jay.check(deep=True, repair=True).problems
        assert problem == "2 memories have no vector; `scrubjay backfill` makes what is missing."


# A disk that fails


class FailingDisk:
    """From the nth write on, SQLite's writes fail: before they are made, after half of one, or after it was made."""

    SIGNATURE = (ctypes.c_ssize_t, ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int64)

    def __init__(self, error: int, made: float) -> None:
        self.error, self.made = error, made
        self.left = 1 << 60
        self.at_commit = False  # fail only the last write of a transaction
        self._commits = False
        self._vfs = apsw.VFS(f"shim-{id(self)}", "unix")
        self._real = ctypes.CFUNCTYPE(*self.SIGNATURE)(self._vfs.xGetSystemCall("pwrite64") or 0)
        self._fake = ctypes.CFUNCTYPE(*self.SIGNATURE, use_errno=True)(self._write)
        self._vfs.xSetSystemCall("pwrite64", ctypes.cast(self._fake, ctypes.c_void_p).value or 0)

    def _write(self, file: int, data: int, size: int, offset: int) -> int:
        if size == FRAME_HEADER_BYTES:
            self._commits = any(ctypes.string_at(data + 4, 4))
        elif self.at_commit and self._commits:
            self.left = 0
        self.left -= 1
        if self.left >= 0:
            return int(self._real(file, data, size, offset))
        if self.made:
            self._real(file, data, int(size * self.made), offset)
        ctypes.set_errno(self.error)
        return -1

    def mend(self) -> None:
        self._vfs.xSetSystemCall("pwrite64", 0)
        self._vfs.unregister()


@contextmanager
def failing(error: int, made: float) -> Iterator[FailingDisk]:
    disk = FailingDisk(error, made)
    try:
        yield disk
    finally:
        disk.mend()


def as_after_a_crash(path: Path, folder: Path) -> dict[int, str]:
    """What somebody finds who opens the files as they are now."""
    folder.mkdir()
    for suffix in ("", "-wal"):
        shutil.copy(f"{path}{suffix}", f"{folder / 'memory.db'}{suffix}")
    return told(folder / "memory.db")


@needs_linux
@pytest.mark.parametrize("made", [0.0, 0.5, 1.0], ids=["not made", "half made", "made"])
@pytest.mark.parametrize("error", [errno.EIO, errno.ENOSPC], ids=["broken", "full"])
def test_a_write_that_was_reported_as_failed_is_not_in_the_store(
    path: Path, tmp_path: Path, error: int, made: float
) -> None:
    chance = random.Random(error)
    with scrubjay.open(path, embedder="hashing") as jay:
        acknowledged = {jay.add(f"Entry {number}").memory.id: f"Entry {number}" for number in range(5)}
        with failing(error, made) as disk:
            before = disk.left
            jay.add("Entry 5")
            acknowledged[6] = "Entry 5"
            usual = before - disk.left
            for number in range(40):
                disk.left = usual + chance.randint(-12, 8) if number % 2 else chance.randrange(usual)
                try:
                    added = jay.add(f"Doubtful entry {number}").memory
                    acknowledged[added.id] = added.text
                except StoreError as problem:
                    assert "nothing was changed" in str(problem)
                if number % 8 == 0:
                    disk.left = 1 << 60
                    assert as_after_a_crash(path, tmp_path / f"crash {number}") == acknowledged
            assert 5 < len(acknowledged) < 45
            disk.left = 0
            assert {memory.id: memory.text for memory in jay.list()} == acknowledged
        assert as_after_a_crash(path, tmp_path / "crash") == acknowledged
        assert jay.add("The disk is in order again").created
    assert told(path).items() >= acknowledged.items()


@needs_linux
@pytest.mark.parametrize("error", [errno.EIO, errno.ENOSPC], ids=["broken", "full"])
def test_a_commit_that_fails_when_all_is_written_leaves_nothing(path: Path, tmp_path: Path, error: int) -> None:
    with scrubjay.open(path, embedder="hashing") as jay:
        jay.add("Ann likes tea")
        with failing(error, 1.0) as disk:
            for number in range(3):
                disk.at_commit = True
                with pytest.raises(StoreError, match="nothing was changed"):
                    jay.add("Bob likes tea")
                disk.at_commit, disk.left = False, 1 << 60
                assert as_after_a_crash(path, tmp_path / f"crash {number}") == {1: "Ann likes tea"}
        assert jay.add("Bob likes tea").created
    assert len(told(path)) == 2


@needs_linux
@pytest.mark.parametrize("crashed", [False, True], ids=["closed", "after a crash"])
def test_on_a_full_disk_a_memory_can_be_opened_and_read_and_is_written_once_there_is_room(
    path: Path, tmp_path: Path, crashed: bool
) -> None:
    with scrubjay.open(path, embedder="hashing") as jay:
        jay.add("Ann likes tea")
        as_after_a_crash(path, tmp_path / "crash")
    path = tmp_path / "crash" / "memory.db" if crashed else path
    with failing(errno.ENOSPC, 0.0) as disk:
        disk.left = 0
        with scrubjay.open(path, embedder="hashing") as jay, scrubjay.open(path, embedder="hashing") as other:
            assert jay.search("tea").hits and other.get(1) and jay.history(1) and jay.stats().memories
            assert jay.context(session="talk").memories and jay.check(deep=True).problems == []
            for write in (lambda: jay.add("Bob likes tea"), lambda: jay.delete(1)):
                with pytest.raises(StoreError, match=r"the disk is full.*nothing was changed"):
                    write()
            disk.left = 1 << 60
            assert jay.add("Bob likes tea").created and len(other.list()) == 2
    assert len(told(path)) == 2


# A file that goes away


@only_unix
@pytest.mark.parametrize("fate", ["deleted", "moved", "replaced"])
def test_a_file_that_went_away_is_noticed_before_a_write_is_acknowledged(path: Path, fate: str) -> None:
    with scrubjay.open(path, embedder="hashing") as jay:
        jay.add("Ann likes tea")
        aside = path.with_name("aside.db")
        go_away(path, aside, fate)
        for use in (lambda: jay.add("Bob likes tea"), lambda: jay.delete(1), lambda: jay.search("tea"), jay.list):
            with pytest.raises(
                StoreError, match="was moved, deleted or replaced while it was open; nothing was written"
            ):
                use()
        if fate != "deleted":
            path.unlink(missing_ok=True)
            aside.rename(path)
            assert jay.add("Bob likes tea").created and len(jay.list()) == 2


def go_away(path: Path, aside: Path, fate: str) -> None:
    if fate == "deleted":
        path.unlink()
        return
    path.rename(aside)
    if fate == "replaced":
        path.write_bytes(aside.read_bytes())


@only_unix
def test_a_file_replaced_during_a_write_keeps_the_write_from_being_acknowledged(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    adopt = vectors.adopt

    def adopt_while_the_file_goes_away(*given: Any) -> int:
        path.unlink()
        return adopt(*given)

    with scrubjay.open(path, embedder="hashing") as jay:
        monkeypatch.setattr(vectors, "adopt", adopt_while_the_file_goes_away)
        with pytest.raises(StoreError, match="nothing was written"):
            jay.add("Ann likes tea")


@only_unix
def test_a_log_that_was_deleted_is_noticed_and_what_was_written_before_is_kept(path: Path) -> None:
    with scrubjay.open(path, embedder="hashing") as jay:
        jay.add("Ann likes tea")
        Path(f"{path}-wal").unlink()
        with pytest.raises(StoreError, match=r"memory.db-wal was deleted or replaced while it was open"):
            jay.add("Bob likes tea")
        assert len(jay.search("tea")) == 1
    assert told(path) == {1: "Ann likes tea"}


@only_unix
def test_an_index_of_the_log_that_was_deleted_is_noticed_and_nothing_is_lost(path: Path) -> None:
    """Another process makes a new one, and would write where this one does."""
    jay = scrubjay.open(path, embedder="none")
    jay.add("Ann likes tea")
    Path(f"{path}-shm").unlink()
    script = f"import os, scrubjay; scrubjay.open({str(path)!r}, embedder='none').add('Bob likes tea'); os._exit(0)"
    subprocess.run([sys.executable, "-c", script], check=True)
    for verb in (lambda: jay.add("Cleo likes tea"), lambda: jay.search("tea")):
        with pytest.raises(StoreError, match=r"memory\.db-shm was deleted or replaced"):
            verb()
    jay.close()
    assert set(told(path).values()) == {"Ann likes tea", "Bob likes tea"}


@only_unix
def test_what_was_written_is_kept_where_the_log_and_its_index_were_deleted(path: Path) -> None:
    jay = scrubjay.open(path, embedder="none")
    jay.add("Ann likes tea")
    for suffix in ("-shm", "-wal"):
        Path(f"{path}{suffix}").unlink()
    with pytest.raises(StoreError, match="was deleted or replaced"):
        jay.add("Bob likes tea")
    jay.close()
    assert told(path) == {1: "Ann likes tea"}


@only_unix
def test_a_memory_that_is_opened_by_a_link_is_watched_and_repaired_all_the_same(path: Path, tmp_path: Path) -> None:
    link = tmp_path / "link.db"
    link.symlink_to(path)
    jay = scrubjay.open(link, embedder="none")
    jay.add("Ann likes tea")
    Path(f"{path}-wal").unlink()
    with pytest.raises(StoreError, match=r"memory\.db-wal was deleted or replaced"):
        jay.add("Bob likes tea")
    jay.close()
    path.write_bytes(bytes(100) + path.read_bytes()[100:])
    assert scrubjay.repair(link).problems == []
    assert link.is_symlink() and told(path) == told(link) == {1: "Ann likes tea"}


@only_unix
@pytest.mark.parametrize("beside", ["", "-journal", "-wal", "-shm"])
def test_a_pipe_in_the_place_of_a_file_of_the_store_is_said_and_not_waited_for(
    path: Path, content: bytes, beside: str
) -> None:
    pipe = Path(f"{path}{beside}")
    if beside:
        path.write_bytes(content)
    os.mkfifo(pipe)
    for use in (scrubjay.open, scrubjay.repair):
        with pytest.raises(StoreError, match=f"{pipe.name} is not a regular file"):
            use(path)


def test_a_log_that_is_gone_leaves_what_was_moved_into_the_file(path: Path, tmp_path: Path) -> None:
    with scrubjay.open(path, embedder="hashing") as jay:
        jay.add("Ann likes tea")
    with scrubjay.open(path) as jay:
        jay.add("Bob likes tea")
        copy = tmp_path / "copy.db"
        shutil.copy(path, copy)
    assert told(copy) == {1: "Ann likes tea"}


def test_a_log_that_is_damaged_after_a_crash_leaves_what_was_written_before_that_place(
    path: Path, tmp_path: Path
) -> None:
    with scrubjay.open(path, embedder="hashing") as jay:
        jay.add("Ann likes tea")
    copy, log = tmp_path / "copy.db", Path(f"{path}-wal")
    with scrubjay.open(path) as jay:
        jay.add("Bob likes tea")
        whole = log.stat().st_size
        jay.add("Eve likes tea")
        content = bytearray(log.read_bytes())
        content[whole + FRAME_HEADER_BYTES] ^= 1
        shutil.copy(path, copy)
        Path(f"{copy}-wal").write_bytes(content)
        shutil.copymode(path, f"{copy}-wal")
    assert told(copy) == {1: "Ann likes tea", 2: "Bob likes tea"}


# A clock that goes back


def test_a_clock_that_goes_back_loses_nothing(jay: Scrubjay, clock: Clock) -> None:
    jay.add("Ann likes tea", kind="fact")
    jay.delete(jay.add("Bob likes tea").memory.id)
    clock.pass_(days=-400)
    again = jay.supersede(1, "Ann likes coffee").memory
    jay.cleanup()
    assert [memory.id for memory in jay.list()] == [again.id]
    assert [memory.id for memory in jay.history(1)] in ([1, again.id], [again.id, 1])
    assert jay.undelete(2).text == "Bob likes tea" and jay.check(deep=True).problems == []


# The page that lists them


def test_what_a_killed_repair_has_left_is_removed_by_the_next_one(path: Path, content: bytes) -> None:
    draft = draft_of_a_killed_process(path)
    left = [draft.with_name(f"{draft.name}{end}") for end in ("", "-wal", "-shm")]
    at_work = path.with_name(f".{path.name}.{os.getppid()}.1.tmp")
    for file in (*left, at_work):
        file.write_bytes(b"all memories")
    path.write_bytes(content[:PAGE_BYTES] + bytes(PAGE_BYTES) + content[2 * PAGE_BYTES :])
    with scrubjay.open(path, embedder="none") as jay:
        assert jay.check(deep=True, repair=True).repaired
    assert at_work.exists() and not any(file.exists() for file in left)


@only_unix
def test_a_repair_that_was_killed_while_it_exchanged_the_files_has_lost_no_log(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = with_a_log(path, tmp_path / "killed")
    with monkeypatch.context() as killed:
        killed.setattr(Path, "replace", lambda *_: exit("killed"))
        with pytest.raises(SystemExit):
            salvage(copy, datetime.now(UTC))
    assert not Path(f"{copy}-wal").exists(), "it was put aside, with another name of the file"
    assert scrubjay.repair(copy).repaired
    assert len(told(copy)) == 40


@only_unix
def test_a_repair_writes_through_no_link_and_changes_the_mode_of_no_file_elsewhere(
    path: Path, content: bytes, tmp_path: Path
) -> None:
    other, letter = tmp_path / "other.db", tmp_path / "letter.txt"
    with scrubjay.open(other, embedder="none") as jay:
        jay.add("Ann likes tea")
    letter.write_text("Dear Ann")
    letter.chmod(0o644)
    path.write_bytes(content[:PAGE_BYTES] + bytes(PAGE_BYTES) + content[2 * PAGE_BYTES :])
    drafts.path_of_draft(path).symlink_to(other)
    for day in ("2026-05-01", f"{datetime.now(UTC):%Y-%m-%d}"):
        path.with_name(f"{path.name}.damaged-{day}-wal").symlink_to(letter)
    assert scrubjay.repair(path).repaired
    assert not path.is_symlink() and told(other) == {1: "Ann likes tea"}
    assert letter.stat().st_mode & 0o777 == 0o644
