"""Backups, restoring them, and copying one memory into another."""

from __future__ import annotations

import os
import struct
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import apsw
import pytest

import scrubjay
from scrubjay import Invalid, Scrubjay
from scrubjay.agents.logins import Logins
from scrubjay.errors import Damaged, NotAStore, StoreError
from scrubjay.files import drafts
from scrubjay.stores.sqlite import copying, text_index
from scrubjay.stores.sqlite.connections import Connections, translated
from scrubjay.stores.sqlite.copying import copy as copy_file
from scrubjay.stores.sqlite.opening.migrations import migrate
from tests.support.clock import Clock
from tests.support.commands import Run
from tests.support.processes import draft_of_a_killed_process


def texts(path: Path) -> list[str]:
    with scrubjay.open(path, embedder="none") as jay:
        return [memory.text for memory in jay.list()]


@pytest.mark.sqlite
def test_a_backup_is_one_private_file_with_everything(jay: Scrubjay, path: Path, tmp_path: Path) -> None:
    jay.add("The kettle is blue")
    with scrubjay.open(path, space="work") as work:
        work.add("The heron is grey")
    made = jay.backup(tmp_path / "copy.db")
    assert made.memories == 2 and (tmp_path / "copy.db").stat().st_mode & 0o777 == 0o600
    assert sorted(file.name for file in tmp_path.glob("copy*")) == ["copy.db"]
    with scrubjay.open(tmp_path / "copy.db") as copy:
        assert copy.spaces() == {"default": 1, "work": 1} and copy.check(deep=True).problems == []


@pytest.mark.sqlite
def test_no_backup_is_made_of_a_damaged_memory_and_the_message_names_it(
    jay: Scrubjay, path: Path, tmp_path: Path
) -> None:
    jay.add("The kettle is blue")
    jay.backup(tmp_path / "copy.db")
    jay.close()
    db = apsw.Connection(str(path))
    ((page,),) = db.execute("select rootpage from sqlite_schema where name = 'memories_by_time'")
    db.close()
    content = path.read_bytes()
    path.write_bytes(content[: 4096 * (page - 1)] + bytes(4096) + content[4096 * page :])
    with scrubjay.open(path, embedder="none") as damaged, pytest.raises(Damaged) as raised:
        damaged.backup(tmp_path / "copy.db")
    assert str(raised.value) == f"{path} is damaged, so no copy of it was made; run `scrubjay check --repair`."
    assert texts(tmp_path / "copy.db") == ["The kettle is blue"]


COPIES = ("backup", "export", "export_csv")


@pytest.mark.sqlite
@pytest.mark.parametrize("verb", COPIES)
def test_what_is_left_of_a_copy_whose_process_was_killed_is_told_and_erased(
    jay: Scrubjay, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, verb: str
) -> None:
    kept, gone = jay.add("Ann likes tea").memory, jay.add("The kettle is blue").memory
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    with monkeypatch.context() as killed:
        killed.setattr(drafts, "_remove", lambda draft: None)
        killed.setattr(Path, "replace", lambda *_: exit("killed"))
        with pytest.raises(SystemExit):
            getattr(jay, verb)(elsewhere / "copy")
    (draft,) = elsewhere.iterdir()
    assert b"kettle" in draft.read_bytes()
    jay.view.store.transfer.note_copy(str(draft), "export", (), jay.view.clock())  # as it was until the process ended
    told = jay.forget(kept.id).certificate
    assert told is not None and f"export {draft}" in told.still_held, "this process runs: it may be at work"
    monkeypatch.setattr(drafts, "is_running", lambda process: False)
    told = jay.forget(gone.id).certificate
    assert told is not None and told.still_held == () and list(elsewhere.iterdir()) == []
    assert jay.view.store.transfer.copies() == []


@pytest.mark.sqlite
@pytest.mark.parametrize("verb", COPIES)
def test_a_copy_is_noted_before_it_is_written(jay: Scrubjay, tmp_path: Path, verb: str) -> None:
    jay.add("The kettle is blue")
    noted: list[str] = []

    def watched(path: Path, new: Path) -> Path:
        noted.extend(name for name, *_ in jay.view.store.transfer.copies())
        os.rename(path, new)
        return new

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Path, "replace", watched)
        getattr(jay, verb)(tmp_path / "copy")
    assert noted == [str(drafts.path_of_draft(tmp_path / "copy"))]
    assert [name for name, *_ in jay.view.store.transfer.copies()] == [str(tmp_path / "copy")]


@pytest.mark.sqlite
def test_what_a_killed_restore_has_left_is_removed_by_a_cleanup_and_told_by_a_certificate(
    jay: Scrubjay, path: Path
) -> None:
    memory = jay.add("The kettle is blue").memory
    kept = path.with_name(f"{path.name}.before-restore-20260501-120000.db")
    left = [draft_of_a_killed_process(path), draft_of_a_killed_process(kept)]
    for file in (kept, *left, *(file.with_name(f"{file.name}-journal") for file in left)):
        file.write_bytes(b"The kettle is blue")
    jay.cleanup()
    assert sorted(file for file in path.parent.iterdir() if "restore" in file.name or "tmp" in file.name) == [kept]
    told = jay.forget(memory.id).certificate
    assert told is not None and told.still_held == (f"backup {kept}",)


@pytest.mark.sqlite
def test_a_restore_whose_draft_is_removed_meanwhile_restores_all_or_nothing(
    jay: Scrubjay, path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where two containers share a folder, the process that writes a draft seems to have ended."""
    jay.add("The kettle is blue")
    jay.backup(tmp_path / "copy.db")
    jay.add("The pot is red")

    def removing_draft(action: Callable[[Any], Any], at: Any) -> Any:
        for draft in path.parent.glob(f".{path.name}.*.tmp*"):
            draft.unlink()
        return action(at)

    with monkeypatch.context() as patch:
        patch.setattr(copying, "Connections", partial(removing_draft, Connections))
        copying.put_back(tmp_path / "copy.db", str(path))
    assert texts(path) == ["The kettle is blue"]
    with monkeypatch.context() as patch, pytest.raises(StoreError, match="moved, deleted or replaced"):
        patch.setattr(copying, "migrate", partial(removing_draft, migrate))
        copying.put_back(tmp_path / "copy.db", str(path))
    assert texts(path) == ["The kettle is blue"]


def test_a_draft_that_nobody_has_written_for_a_day_is_abandoned_whoever_has_its_number(tmp_path: Path) -> None:
    draft = tmp_path / f".copy.db.{os.getpid()}.1.tmp"
    draft.write_text("x")
    assert not drafts.remove_if_abandoned(draft)
    for name in (
        "mine",
        "mine.txt",
        ".mine.1.tmp",
        "mine.1.1.tmp",
        ".mine.x.1.tmp",
        ".mine.1.².tmp",
        f".m.{'1' * 10}.1.tmp",
    ):
        (tmp_path / name).touch()
        assert not drafts.remove_if_abandoned(tmp_path / name) and (tmp_path / name).exists()
    os.utime(draft, (0, 0))
    assert drafts.remove_if_abandoned(draft) and not draft.exists()


@pytest.mark.skipif(os.name != "posix", reason="pipes are POSIX's")
@pytest.mark.parametrize("verb", ["export", "export_csv"])
def test_no_pipe_or_device_is_replaced_by_a_copy(jay: Scrubjay, tmp_path: Path, verb: str) -> None:
    jay.add("The kettle is blue")
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(Invalid, match="it is not a regular file"):
        getattr(jay, verb)(tmp_path / "pipe")
    assert (tmp_path / "pipe").is_fifo() and len(list(tmp_path.glob("*pipe*"))) == 1


def test_a_backup_waits_for_no_writer(jay: Scrubjay, path: Path, tmp_path: Path) -> None:
    writer = apsw.Connection(str(path))
    jay.add("The kettle is blue")
    writer.execute("begin immediate")  # somebody writes, and is not done yet
    writer.execute("update memories set importance = 9")
    copy_file(str(path), tmp_path / "copy.db")
    writer.execute("rollback")
    writer.close()
    with scrubjay.open(tmp_path / "copy.db") as copy:
        assert [memory.importance for memory in copy.list()] == [5]


@pytest.mark.sqlite
def test_a_backup_takes_the_place_of_an_older_one_only(jay: Scrubjay, path: Path, tmp_path: Path) -> None:
    jay.add("The kettle is blue")
    jay.backup(tmp_path / "copy.db")
    jay.add("The heron is grey")
    assert jay.backup(tmp_path / "copy.db").memories == 2
    (tmp_path / "letter.txt").write_text("Dear Ann")
    for other in (tmp_path / "letter.txt", path, tmp_path, tmp_path / "nowhere/copy.db"):
        with pytest.raises(Invalid):
            jay.backup(other)
    assert (tmp_path / "letter.txt").read_text() == "Dear Ann"
    with scrubjay.open(":memory:") as nowhere, pytest.raises(Invalid, match="export it instead"):
        nowhere.backup(tmp_path / "other.db")


@pytest.mark.sqlite
def test_daily_backups_are_made_once_a_day_and_the_last_ones_are_kept(jay: Scrubjay, path: Path, clock: Clock) -> None:
    jay.add("The kettle is blue")
    for _ in range(4):
        assert jay.backup_daily(keep=2).made
        assert not jay.backup_daily(keep=2).made
        clock.pass_(days=1)
    assert [file.name for file in sorted((path.parent / "backups").iterdir())] == [
        "memory-2026-05-03.db",
        "memory-2026-05-04.db",
    ]
    with pytest.raises(Invalid, match="keep"):
        jay.backup_daily(keep=0)


@pytest.mark.sqlite
def test_a_daily_backup_removes_and_counts_only_what_this_memory_has_made(
    jay: Scrubjay, path: Path, tmp_path: Path, clock: Clock
) -> None:
    backups = path.parent / "backups"
    backups.mkdir()
    planted = [backups / f"memory-{day}.db" for day in ("2020-01-01", "9998-01-01", "9999-01-01")]
    for file in planted:
        file.write_text("from elsewhere")
    (tmp_path / "letter.txt").write_text("Dear Ann")
    (backups / "memory-2026-05-02.db").symlink_to(tmp_path / "letter.txt")
    jay.add("The kettle is blue")
    made = jay.backup_daily(keep=1)
    assert made.removed == () and Path(made.file).exists()
    clock.pass_(days=1)
    with pytest.raises(Invalid, match="is no backup of this memory; name another folder"):
        jay.backup_daily(keep=1)
    clock.pass_(days=1)
    assert jay.backup_daily(keep=1).removed == (made.file,)
    assert all(file.read_text() == "from elsewhere" for file in planted)
    assert (tmp_path / "letter.txt").read_text() == "Dear Ann"


def test_no_journal_that_lies_there_already_changes_a_backup(jay: Scrubjay, path: Path, tmp_path: Path) -> None:
    with scrubjay.open(tmp_path / "other.db", embedder="none") as other:
        other.add("The door is open to all")
    write_journal_of_all_pages(tmp_path / "other.db", tmp_path / "copy.db-journal")
    jay.add("The kettle is blue")
    with pytest.raises(Invalid, match=r"copy\.db-journal is in the way"):
        jay.backup(tmp_path / "copy.db")
    with pytest.raises(Invalid, match=r"copy\.db-journal is in the way"):
        scrubjay.move(path, tmp_path / "copy.db")
    assert not (tmp_path / "copy.db").exists()
    (tmp_path / "copy.db-journal").rename(tmp_path / "journal")
    jay.backup(tmp_path / "copy.db")
    for suffix in ("-journal", "-wal"):
        (tmp_path / "journal").rename(tmp_path / f"copy.db{suffix}")
        with pytest.raises(Invalid, match=f"copy.db{suffix} is in the way"):
            scrubjay.restore(tmp_path / "copy.db", path)
        (tmp_path / f"copy.db{suffix}").rename(tmp_path / "journal")
    assert scrubjay.restore(tmp_path / "copy.db", path).memories == 1


def test_a_file_with_pages_of_another_size_is_one_sentence_and_changes_nothing(
    jay: Scrubjay, path: Path, tmp_path: Path
) -> None:
    jay.add("The kettle is blue")
    jay.backup(tmp_path / "copy.db")
    db = apsw.Connection(str(tmp_path / "copy.db"))
    db.pragma("page_size", 8192)
    db.execute("vacuum")
    db.close()
    with pytest.raises(NotAStore, match="has pages of another size"):
        scrubjay.restore(tmp_path / "copy.db", path)
    assert [one.title for one in jay.list()] == ["The kettle is blue"]


def write_journal_of_all_pages(file: Path, journal: Path) -> None:
    """As SQLite writes it before it changes a file: whoever opens a file of that name next gets these pages instead."""
    db = apsw.Connection(str(file))
    db.pragma("journal_mode", "delete")
    size, data = int(db.pragma("page_size")), file.read_bytes()
    db.close()
    pages = [data[start : start + size] for start in range(0, len(data), size)]
    header = bytes.fromhex("d9d505f920a163d7") + struct.pack(">5I", len(pages), 0, len(pages), 512, size)
    records = [
        struct.pack(">I", number) + page + struct.pack(">I", sum(page[size - 200 : 0 : -200]))
        for number, page in enumerate(pages, 1)
    ]
    journal.write_bytes(header.ljust(512, b"\0") + b"".join(records))


@pytest.mark.sqlite
def test_a_restored_memory_still_knows_the_copies_that_were_made_since(
    jay: Scrubjay, path: Path, tmp_path: Path, clock: Clock
) -> None:
    jay.add("The kettle is blue")
    jay.backup(tmp_path / "first.db")
    clock.pass_(days=1)
    today = jay.backup_daily().file
    jay.export(tmp_path / "all.jsonl")
    scrubjay.restore(tmp_path / "first.db", path, clock=clock)
    assert not jay.backup_daily().made
    certificate = jay.forget(1).certificate
    assert certificate is not None
    held = set(certificate.still_held)
    assert {f"backup {today}", f"export {tmp_path / 'all.jsonl'}", f"backup {tmp_path / 'first.db'}"} <= held


@pytest.mark.sqlite
def test_a_restored_backup_is_seen_by_everybody_and_what_was_there_is_kept(
    jay: Scrubjay, path: Path, tmp_path: Path, clock: Clock
) -> None:
    jay.add("The kettle is blue")
    jay.backup(tmp_path / "copy.db")
    jay.add("The heron is grey")
    done = scrubjay.restore(tmp_path / "copy.db", path, clock=clock)
    assert [memory.text for memory in jay.list()] == ["The kettle is blue"]
    assert [hit.memory.text for hit in jay.search("heron")] in ([], ["The kettle is blue"])
    assert done.kept is not None and texts(Path(done.kept)) == ["The heron is grey", "The kettle is blue"]
    assert jay.check(deep=True).problems == []
    jay.add("The letter is white")
    assert len(texts(path)) == 2


def test_who_has_a_memory_open_finds_after_a_restore_what_had_been_deleted_and_changed_since(
    jay: Scrubjay, path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text_index, "CACHED_FROM", 0)

    def found(words: str) -> list[int]:
        return [hit.memory.id for hit in jay.search(words, mode="keyword") if hit.words]

    kettle = jay.add("The kettle is blue", tags=["silver"]).memory.id
    heron = jay.add("The heron is grey").memory.id
    assert set(found("silver heron")) == {kettle, heron}
    jay.backup(tmp_path / "copy.db")
    jay.update(kettle, tags=["copper"])
    jay.delete(heron)
    assert found("silver heron copper") == [kettle]
    scrubjay.restore(tmp_path / "copy.db", path)
    assert set(found("silver heron")) == {kettle, heron} and found("copper") == []


@pytest.mark.sqlite
def test_a_restore_lets_nobody_in_whose_token_was_revoked_since_the_backup(
    jay: Scrubjay, path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, stolen = jay.tokens.create("laptop")
    login = Logins(jay.view).by_token(stolen)
    assert login is not None
    jay.backup(tmp_path / "copy.db")
    jay.tokens.revoke("laptop")
    _, new = jay.tokens.create("laptop")
    done = scrubjay.restore(tmp_path / "copy.db", path)
    assert done.notes == ("1 token of the backup cannot be used here; `scrubjay token create NAME` makes new ones.",)
    assert jay.tokens.verify(stolen) is None and jay.tokens.verify(new) is not None
    assert Logins(jay.view).find(login) is None
    assert [(token.name, token.revoked_at is None) for token in jay.tokens.list()] == [
        ("laptop", True),
        ("laptop", False),
    ]

    def killed(live: Connections, other: apsw.Connection) -> None:
        overwrite(live, other)
        raise KeyboardInterrupt

    overwrite = Connections.overwrite
    monkeypatch.setattr(Connections, "overwrite", killed)
    with pytest.raises(KeyboardInterrupt):
        scrubjay.restore(tmp_path / "copy.db", path)
    assert jay.tokens.verify(stolen) is None and jay.tokens.verify(new) is not None
    assert sorted(file.name for file in path.parent.glob(".*")) == []


@pytest.mark.sqlite
def test_a_backup_from_elsewhere_brings_no_token_and_no_login(jay: Scrubjay, path: Path, tmp_path: Path) -> None:
    _, own = jay.tokens.create("laptop")
    with scrubjay.open(tmp_path / "other.db", embedder="none") as other:
        other.add("Bob likes coffee")
        _, theirs = other.tokens.create("stranger", all_spaces=True, scopes=["read", "write", "admin"])
        login = Logins(other.view).by_token(theirs)
        other.backup(tmp_path / "backup.db")
    for store in (path, tmp_path / "new.db"):
        done = scrubjay.restore(tmp_path / "backup.db", store)
        assert "1 token of the backup cannot be used here" in done.notes[0]
        with scrubjay.open(store, embedder="none") as restored:
            assert [one.text for one in restored.list()] == ["Bob likes coffee"]
            assert restored.tokens.verify(theirs) is None and Logins(restored.view).find(login or "") is None
    assert jay.tokens.verify(own) is not None
    assert scrubjay.restore(tmp_path / "new.db", path).notes == ()


@pytest.mark.sqlite
@pytest.mark.skipif(sys.platform == "win32", reason="no limit for the size of files")
def test_a_backup_for_which_there_is_no_room_says_why_and_leaves_nothing(jay: Scrubjay, tmp_path: Path) -> None:
    import resource

    jay.add("The kettle is blue")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, before[1]))
    try:
        with pytest.raises(StoreError, match=r"the disk gave an error.*nothing was changed"):
            jay.backup(tmp_path / "copy.db")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert not list(tmp_path.glob("copy*"))
    with pytest.raises(StoreError, match="the disk is full"), translated("copy.db"):
        raise apsw.FullError("not an error")  # as SQLite calls it while it copies


@pytest.mark.sqlite
def test_what_is_no_backup_is_not_restored(jay: Scrubjay, path: Path, tmp_path: Path) -> None:
    jay.add("The kettle is blue")
    (tmp_path / "letter.txt").write_text("Dear Ann, " * 1000)
    other = apsw.Connection(str(tmp_path / "other.db"))
    other.execute("create table letters (text)")
    other.close()
    for wrong in ("letter.txt", "other.db", "nothing.db", path.name):
        with pytest.raises((Invalid, StoreError)):
            scrubjay.restore(tmp_path / wrong, path)
    assert texts(path) == ["The kettle is blue"]


def test_a_file_that_does_not_exist_is_said_to_be_missing_before_anything_is_asked(run: Run) -> None:
    run("add", "User likes tea")
    for words, sentence in (
        (("restore", "nope.db"), "There is no backup at nope.db."),
        (("import", "nope.jsonl", "--trust-file"), "nope.jsonl cannot be read: No such file or directory."),
        (("import", "nope.jsonl"), "nope.jsonl cannot be read: No such file or directory."),
        (("move", "nope.db", "new.db"), "There is no memory at nope.db."),
        (("cleanup", "--store", "nope.db"), "There is no memory at nope.db"),
        (("trash", "--empty", "--store", "nope.db"), "There is no memory at nope.db"),
        (("forget", "1", "--store", "nope.db"), "There is no memory at nope.db"),
    ):
        done = run(*words)
        assert done.code == 2 and sentence in done.err and "--force" not in done.err, words


def test_restore_asks(run: Run) -> None:
    run("add", "The kettle is blue")
    run("backup", "copy.db")
    answer = run("restore", "copy.db")
    assert answer.code == 2 and "give --force" in answer.err
    assert "Restored 1 memory" in run("restore", "copy.db", "--force").out


@pytest.mark.sqlite
def test_a_memory_is_moved_whole_to_a_new_file(jay: Scrubjay, path: Path, tmp_path: Path) -> None:
    jay.add("The kettle is blue")
    jay.delete(jay.add("The heron is grey").memory.id)
    done = scrubjay.move(path, tmp_path / "new.db")
    assert (done.memories, done.merged) == (1, False)
    with scrubjay.open(tmp_path / "new.db") as new:
        assert [one.memory.text for one in new.trash.list()] == ["The heron is grey"]
    assert texts(path) == ["The kettle is blue"]


def test_a_memory_is_merged_into_one_that_has_others(jay: Scrubjay, path: Path, tmp_path: Path) -> None:
    jay.add("The kettle is blue")
    with scrubjay.open(tmp_path / "new.db", embedder="hashing") as new:
        new.add("The heron is grey")
    done = scrubjay.move(path, tmp_path / "new.db")
    assert (done.memories, done.merged) == (1, True) and "left behind" in done.notes[0]
    assert texts(tmp_path / "new.db") == ["The kettle is blue", "The heron is grey"]
    for wrong in ((path, path), (tmp_path / "none.db", path)):
        with pytest.raises(Invalid):
            scrubjay.move(*wrong)


def test_a_folder_that_is_not_there_is_said_in_a_sentence(jay: Scrubjay, path: Path, tmp_path: Path) -> None:
    jay.add("The heron is blue")
    with pytest.raises(Invalid, match=r"nowhere/moved.db cannot be written: No such file or directory\.$"):
        scrubjay.move(path, tmp_path / "nowhere/moved.db")
    with pytest.raises(Invalid, match="is a folder; name a file in it"):
        jay.export(tmp_path)
