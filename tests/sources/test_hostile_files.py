"""Files that are no files: pipes, devices, sockets, links out of the root. Nothing waits for them, or writes there."""

from __future__ import annotations

import errno
import os
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import scrubjay
from scrubjay import Invalid, Scrubjay
from scrubjay.files import private_files, regular_files
from scrubjay.files.patterns import MAX_PATTERNS, compiled
from scrubjay.memory import daily_log
from scrubjay.project.identity import identify
from scrubjay.sources import excerpts, walk
from scrubjay.types.documents import Source
from tests.support.commands import Run
from tests.support.notes import names, passages, reasons, synced, texts, write

KINDS = ("pipe", "device", "link out", "link to a pipe", "socket", "folder", "too large")


def put(kind: str, path: Path, outside: Path) -> None:
    """Put something there that is not the file one would expect."""
    path.parent.mkdir(parents=True, exist_ok=True)
    outside.mkdir(exist_ok=True)
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "device":
        path.symlink_to("/dev/zero")
    elif kind == "link out":
        write(outside / "rules", "*.md\n")
        path.symlink_to(outside / "rules")
    elif kind == "link to a pipe":
        os.mkfifo(outside / "pipe")
        path.symlink_to(outside / "pipe")
    elif kind == "socket":
        with _in(path.parent), socket.socket(socket.AF_UNIX) as server:  # the path of a socket must be short
            server.bind(path.name)
    elif kind == "folder":
        path.mkdir()
    else:
        write(path, "# x\n" * 100_000)


@contextmanager
def _in(folder: Path) -> Iterator[None]:
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


@pytest.mark.parametrize("kind", KINDS)
def test_a_gitignore_that_is_no_file_is_said_and_the_rest_is_read(
    jay: Scrubjay, notes: Path, tmp_path: Path, kind: str
) -> None:
    put(kind, notes / ".gitignore", tmp_path / "outside")
    put(kind, notes / "sub" / ".gitignore", tmp_path / "elsewhere")
    write(notes / "a.md", "Apples are red.\n")
    write(notes / "sub" / "b.md", "Pears are green.\n")
    done = synced(jay, notes)
    assert names(jay) == ["notes/a.md", "notes/sub/b.md"]
    assert "Its rules are not applied" in reasons(done)[".gitignore"] and len(done.skipped) == 2
    write(notes / "c.md", "Plums are blue.\n")
    with scrubjay.open(jay.stats().file, embedder="hashing") as other:
        assert "1 document has changed" in other.search("apples").notes[0]


def test_a_gitignore_above_the_root_may_be_no_file_either(jay: Scrubjay, notes: Path) -> None:
    (notes / ".git").mkdir()
    os.mkfifo(notes / ".gitignore")
    write(notes / "deep" / "a.md", "Apples are red.\n")
    jay.sources.add(notes / "deep")
    jay.sync()
    assert texts(passages(jay)) == ["Apples are red."]


def test_rules_that_would_take_long_to_apply_are_said_and_the_rest_is_read(jay: Scrubjay, notes: Path) -> None:
    """Every search looks through the folder, so that each rule is compiled for each of them."""
    few, many = ("\n".join(f"q{number}" for number in range(count)) for count in (3_000, 6_000))
    write(notes / ".gitignore", f"# these fit\n{few}\n/a.md\n")
    write(notes / "sub" / ".gitignore", few)
    write(notes / "deep" / ".gitignore", many)
    for name in ("a.md", "sub/b.md", "deep/c.md"):
        write(notes / name, f"# {name}\n\nA heron stands here.\n")
    jay.sources.add(notes)
    done = jay.sync()
    left_out = {Path(skipped.path).parent.name for skipped in done.skipped if "not applied" in skipped.reason}
    assert "deep" in left_out and len(left_out) == 2
    assert {memory.document for memory in jay.list(kinds=["passage"])} >= {"notes/sub/b.md", "notes/deep/c.md"}
    assert len(list(compiled(few.splitlines() * 9).patterns)) == MAX_PATTERNS


def test_lines_of_a_gitignore_that_are_no_patterns_are_said_and_the_others_hold(jay: Scrubjay, notes: Path) -> None:
    write(notes / ".gitignore", "[\n[z-a].md\nb\\\n!\n# a comment\n\n" + "*a" * 20 + "\n**/**/**/**/x\ndrafts/\n")
    write(notes / "drafts" / "d.md", "A draft.\n")
    write(notes / ("a" * 200 + ".md"), "Apples are red.\n")
    done = synced(jay, notes)
    assert texts(passages(jay)) == ["Apples are red."]
    assert "of its lines are not valid patterns" in reasons(done)[".gitignore"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_document_that_cannot_be_read_is_left_out_and_what_was_known_of_it_stays(
    jay: Scrubjay, notes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.setenv("SCRUBJAY_SYNC_MAX_FILE_BYTES", "1000")
    with scrubjay.open(jay.stats().file, embedder="hashing") as strict:
        write(notes / "a.md", "Apples are red.\n")
        write(notes / "b.md", "Pears are green.\n")
        synced(strict, notes)
        (notes / "a.md").unlink()
        put(kind, notes / "a.md", tmp_path / "outside")
        write(notes / "c.md", "Plums are blue.\n")
        strict.sync()
        elsewhere = kind in ("link out", "link to a pipe", "device", "folder")  # then the file itself is gone
        assert ("Apples are red." in texts(passages(strict))) is not elsewhere
        assert {"Pears are green.", "Plums are blue."} <= set(texts(passages(strict)))


@pytest.mark.parametrize("kind", ("pipe", "device", "link to a pipe", "socket", "folder"))
def test_a_repositorys_own_files_may_be_none(tmp_path: Path, kind: str) -> None:
    """They are read for every command, to know the project."""
    put(kind, tmp_path / "one" / ".git", tmp_path / "outside")
    assert identify(tmp_path / "one") in (str(tmp_path / "one"), None)
    put(kind, tmp_path / "two" / ".git" / "config", tmp_path / "elsewhere")
    assert identify(tmp_path / "two") == str(tmp_path / "two")
    write(tmp_path / "three" / ".git", f"gitdir: {tmp_path / 'own'}\n")
    put(kind, tmp_path / "own" / "commondir", tmp_path / "third")
    assert identify(tmp_path / "three")


@pytest.mark.parametrize("kind", ("pipe", "device", "link to a pipe", "socket", "folder"))
def test_settings_that_are_no_file_are_refused_at_once(run: Run, home: Path, tmp_path: Path, kind: str) -> None:
    put(kind, home / "config.toml", tmp_path / "outside")
    done = run("stats")
    assert done.code == 2 and "config.toml cannot be read" in done.err


def test_ones_own_settings_may_be_a_link(run: Run, home: Path, tmp_path: Path) -> None:
    write(tmp_path / "dotfiles" / "config.toml", "search.limit = 3\n")
    home.mkdir(exist_ok=True)
    (home / "config.toml").symlink_to(tmp_path / "dotfiles" / "config.toml")
    assert run("config", "search.limit").out == "3\n"
    assert run("config", "search.limit", "4").code == 0
    assert (home / "config.toml").is_symlink()
    assert run("config", "search.limit").out == "4\n"


# Folders that no pattern leads into


def test_a_source_of_one_file_looks_into_no_folder_beside_it(jay: Scrubjay, notes: Path) -> None:
    """It would otherwise be read anew, whole, with every search: the folder may be somebody's home."""
    write(notes / "a.md", "Apples are red.\n")
    put("pipe", notes / "other" / ".gitignore", notes / "outside")
    done = synced(jay, notes / "a.md")
    assert names(jay) == ["notes/a.md"] and not done.skipped


PATTERNS = [
    "/a.md",
    "a/b.md",
    "/a/",
    "a",
    "a/**/c.md",
    "**/c.md",
    "/a*/c.md",
    "*/b/*.md",
    "/b/a/b.md",
    "[ab]/a.md",
    "\\a/b.md",
]


@pytest.mark.parametrize("include", [*([one] for one in PATTERNS), PATTERNS[:3], ["/a/**", "!/a/b"], ["b/a", "*.txt"]])
def test_no_file_is_missed_because_its_folder_was_not_looked_into(
    notes: Path, include: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder in ("", "a", "b", "a/b", "b/a", "a/a/b", "b/b/a", "ab"):
        for name in ("a.md", "b.md", "c.md", "d.txt"):
            write(notes / folder / name, "text\n")
    source = Source(id=1, name="notes", root=str(notes), kind="files", space="default", include=tuple(include))
    found = walk.list_files(source, 1_000).documents
    monkeypatch.setattr("scrubjay.files.patterns.leads_into", lambda anchored, folder: True)
    assert {one.name for one in found} == {one.name for one in walk.list_files(source, 1_000).documents}


# Links and folders that nobody may look into


def test_a_link_in_a_circle_is_said_and_the_rest_is_read(jay: Scrubjay, notes: Path) -> None:
    (notes / "circle").symlink_to("circle")
    (notes / "circle.md").symlink_to("circle.md")
    write(notes / "a.md", "Apples are red.\n")
    done = synced(jay, notes)
    assert names(jay) == ["notes/a.md"] and set(reasons(done)) == {"circle", "circle.md"}
    assert not done.unread


def test_a_link_that_nobody_may_follow_blocks_nothing(
    jay: Scrubjay, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(notes / "a.md", "Apples are red.\n")
    write(notes / "b.md", "Pears are green.\n")
    synced(jay, notes)

    class Closed:
        """A folder's entry that may be listed but not looked at; whoever runs the tests may look at anything."""

        def __init__(self, entry: os.DirEntry[str]) -> None:
            self.name, self.path = entry.name, entry.path

        def is_symlink(self) -> bool:
            return True

        def is_dir(self) -> bool:
            raise PermissionError(13, "Permission denied", self.path)

    @contextmanager
    def scandir(folder: str) -> Iterator[list[object]]:
        with real(folder) as entries:
            yield [Closed(entry) if entry.name == "a.md" else entry for entry in entries]

    real = os.scandir
    write(notes / "c.md", "Plums are blue.\n")
    monkeypatch.setattr(os, "scandir", scandir)
    done = jay.sync()
    assert reasons(done) == {"a.md": "It cannot be read (Permission denied)."}
    assert set(texts(passages(jay))) == {"Apples are red.", "Pears are green.", "Plums are blue."}


def test_a_tree_that_is_too_deep_is_said_and_not_walked(
    jay: Scrubjay, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(walk, "MAX_DEPTH", 3)
    write(notes / "a" / "a" / "a" / "a.md", "Apples are red.\n")
    write(notes / "b" / "b" / "b" / "b" / "b.md", "Pears are green.\n")
    done = synced(jay, notes)
    assert texts(passages(jay)) == ["Apples are red."] and "folders deep" in done.skipped[0].reason


# Writing


@pytest.mark.parametrize("name", [".gitignore", ".scrubjay", ".scrubjay/memory.db"])
def test_init_writes_through_no_link(run: Run, place: Path, tmp_path: Path, name: str) -> None:
    aim = tmp_path / "precious"
    aim.mkdir() if name == ".scrubjay" else write(aim, "mine\n")
    (place / name).parent.mkdir(exist_ok=True)
    (place / name).symlink_to(aim)
    done = run("init")
    assert done.code == 2 and "link" in done.err
    assert list(aim.iterdir()) == [] if name == ".scrubjay" else aim.read_text() == "mine\n"
    assert not (place / ".scrubjay" / "memory.db").exists() or name == ".scrubjay/memory.db"


@pytest.mark.parametrize("kind", ("pipe", "socket", "folder"))
def test_init_writes_to_files_only(run: Run, place: Path, tmp_path: Path, kind: str) -> None:
    put(kind, place / ".gitignore", tmp_path / "outside")
    done = run("init")
    assert done.code == 2 and "not a regular file" in done.err and not (place / ".scrubjay").exists()


def test_a_projects_settings_are_written_through_no_link(run: Run, place: Path, tmp_path: Path) -> None:
    run("init")
    aim = write(tmp_path / "precious", "mine\n")
    (place / ".scrubjay" / "config.toml").symlink_to(aim)
    done = run("config", "--local", "search.limit", "3")
    assert done.code == 2 and aim.read_text() == "mine\n"


def test_the_daily_log_is_written_through_no_link(jay: Scrubjay, tmp_path: Path) -> None:
    memory = jay.add("Apples are red.").memory
    aim = write(tmp_path / "precious", "mine\n")
    name = f"{memory.created_at.astimezone():%Y-%m-%d}.md"
    (tmp_path / "log").mkdir()
    (tmp_path / "log" / name).symlink_to(aim)
    daily_log.append(tmp_path / "log", [memory])
    assert aim.read_text() == "mine\n"
    (tmp_path / "log" / name).unlink()
    os.mkfifo(tmp_path / "log" / name)
    daily_log.append(tmp_path / "log", [memory])  # and nothing is waited for


def test_a_line_of_a_log_that_does_not_fit_on_the_disk_takes_no_other_one_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, really = write(tmp_path / "log", "first\n"), os.write

    def nearly_full(file: int, data: bytes) -> int:
        if data.startswith(b"sec"):
            return really(file, data[:3])
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as full, pytest.raises(OSError, match="No space left"):
        full.setattr(os, "write", nearly_full)
        regular_files.append_bytes(path, b"second\n")
    regular_files.append_bytes(path, b"third\n")
    assert path.read_text() == "first\nthird\n"


@pytest.mark.skipif(sys.platform != "linux", reason="asks /proc what is written")
def test_a_gitignore_that_cannot_be_written_stays_as_it_was(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Such as on a full disk."""
    ignore = write(tmp_path / ".gitignore", "*.log\n")
    ignore.chmod(0o644)
    really = os.fsync

    def full(file: int) -> None:
        if b"*.log" in Path(f"/proc/self/fd/{file}").read_bytes():
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        really(file)

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        done = run("init", str(tmp_path))
    assert done.code == 2 and "No space left" in done.err and ignore.read_text() == "*.log\n"
    assert run("init", str(tmp_path)).code == 0
    assert ignore.read_text() == "*.log\n.scrubjay/\n" and ignore.stat().st_mode & 0o777 == 0o644


# The one function


def test_only_regular_files_are_opened_and_no_more_is_read_than_allowed(tmp_path: Path) -> None:
    for number, kind in enumerate(KINDS[:-1]):
        put(kind, tmp_path / kind, tmp_path / f"outside {number}")
        with pytest.raises(OSError, match=r"regular file|symbolic link"):
            regular_files.read_bytes(tmp_path / kind, 10)
        with pytest.raises(OSError, match=r"regular file|symbolic link"):
            regular_files.append_bytes(tmp_path / kind, b"x")
        with pytest.raises(OSError, match=r"regular file|symbolic link"):
            private_files.write_users_file(tmp_path / kind, b"x")
    path = write(tmp_path / "plain", "0123456789")
    assert regular_files.read_bytes(path, 10) == b"0123456789"
    with pytest.raises(OSError, match="larger than 9 bytes"):
        regular_files.read_bytes(path, 9)
    (tmp_path / "link").symlink_to(path)
    assert regular_files.read_text(tmp_path / "link", 10, follow=True) == "0123456789"
    regular_files.append_bytes(path, b"ab")
    assert path.read_text() == "0123456789ab"
    private_files.write_users_file(path, b"new")
    assert path.read_text() == "new"


def test_a_file_that_is_given_may_be_a_pipe_but_not_endless(run: Run) -> None:
    done = run("add", "--file", "/dev/zero")
    assert done.code == 2 and "more than 4,000,000 bytes" in done.err
    done = run("capture", "/dev/zero", "--client", "codex")
    assert done.code == 2 and "more than 64,000,000 bytes" in done.err


@pytest.mark.parametrize("content", [b"[" * 200_000, b"\xff\xfe", b" " * 5_000_000])
def test_a_plan_that_is_none_is_refused_in_one_sentence(run: Run, tmp_path: Path, content: bytes) -> None:
    (tmp_path / "plan.json").write_bytes(content)
    done = run("synthesise", "--apply", str(tmp_path / "plan.json"))
    assert done.code == 2 and done.err.count("\n") == 1 and len(done.err) < 500


def test_a_plan_is_not_read_from_an_endless_file(run: Run) -> None:
    done = run("synthesise", "--apply", "/dev/zero")
    assert done.code == 2 and "more than 4,000,000 bytes" in done.err


def test_the_settings_of_a_foreign_project_are_not_read_into_memory_whole(run: Run, place: Path) -> None:
    run("init")
    with (place / ".scrubjay" / "config.toml").open("wb") as file:
        file.truncate(1 << 40)  # a terabyte of nothing
    done = run("stats")
    assert done.code in (0, 2) and "Traceback" not in done.err


def test_an_excerpt_reads_no_more_of_a_file_than_a_sync_would(jay: Scrubjay, notes: Path) -> None:
    write(notes / "a.md", "Apples are red.\n")
    synced(jay, notes)
    with (notes / "a.md").open("ab") as file:
        file.truncate(1 << 40)
    (passage,) = passages(jay)
    assert jay.excerpt(passage.id).text == "Apples are red."


def test_a_passage_is_sought_in_a_file_in_bounded_steps(
    jay: Scrubjay, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(notes / "a.md", "a\n" * 300 + "b\n")
    synced(jay, notes)
    memory = next(one for one in passages(jay) if one.text.endswith("b"))
    compared: list[str] = []
    monkeypatch.setattr(excerpts, "MAX_COMPARED", 10_000)

    def agree(mine: str, line: str) -> bool:
        compared.append(mine)
        return mine == line

    monkeypatch.setattr(excerpts, "_matches", agree)
    assert excerpts._line_of(memory, ["a"] * 100_000) == 0
    assert len(compared) < 12_000
    assert excerpts._line_of(memory, ["c", *memory.text.split("\n"), "d"]) == 2


def test_a_private_part_in_the_name_of_a_file_is_neither_stored_nor_shown(path: Path, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    (notes / "a<private>diary").mkdir(parents=True)
    (notes / "a<private>diary" / "x.md").write_text("# In a folder")
    (notes / "b<private>diary.md").write_text("# In a file")
    (notes / "plain.md").write_text("# Plain")
    with scrubjay.open(path, embedder="none") as jay:
        jay.sources.add(notes)
        synced = jay.sync()
        assert len(synced.skipped) == 2 and "diary" not in repr(synced)
        assert [memory.title for memory in jay.list()] == ["Plain"]
    assert b"diary" not in path.read_bytes()


def test_nor_is_one_in_the_name_or_a_pattern_of_a_source(jay: Scrubjay, path: Path, tmp_path: Path) -> None:
    notes, folder = tmp_path / "notes", tmp_path / "x <private>diary"
    notes.mkdir()
    folder.mkdir()
    (folder / "x.md").write_text("# In a folder")
    wrong: list[tuple[Path, dict[str, Any]]] = [
        (notes, {"name": "a <private>diary</private> b"}),
        (notes, {"exclude": ["<private>diary</private>"]}),
        (notes, {"include": ["*.md", "&lt;private&gt;diary.md"]}),
        (folder, {}),
        (folder / "x.md", {}),
    ]
    for place, options in wrong:
        with pytest.raises(Invalid, match="can have no private part") as refused:
            jay.sources.add(place, **options)
        assert "diary" not in str(refused.value)
    assert jay.sources.list() == [] and b"diary" not in path.read_bytes()


@pytest.mark.parametrize("seconds", [2**33 + 2**31, 2**35, -(2**33) - 2**31])
def test_a_file_from_a_time_that_no_store_can_hold_is_read(jay: Scrubjay, notes: Path, seconds: int) -> None:
    write(notes / "far.md", "Ann likes tea.")
    os.utime(notes / "far.md", (seconds, seconds))
    synced(jay, notes)
    assert texts(passages(jay)) == ["Ann likes tea."]
    assert jay.sync().unchanged == 1
