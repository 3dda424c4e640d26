"""Folders of files: which belong to a source, under which name, and that nothing outside of its root is read."""

from __future__ import annotations

import os
import socket
import subprocess
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import scrubjay
from scrubjay import Scrubjay
from scrubjay.errors import Invalid, NotFound, ScrubjayError
from scrubjay.sources import walk
from tests.support.commands import Run
from tests.support.notes import ids, names, passages, reasons, section, synced, texts, write

OUTSIDE = "It links to something outside of the source's folder."


# Which files


def test_markdown_is_read_unless_patterns_say_otherwise(jay: Scrubjay, notes: Path) -> None:
    for name in ("a.md", "b.markdown", "c.txt", "drafts/d.md", "sub/e.md", ".hidden/f.md", ".g.md"):
        write(notes / name, f"The file {name}.\n")
    synced(jay, notes)
    assert names(jay) == ["notes/a.md", "notes/b.markdown", "notes/drafts/d.md", "notes/sub/e.md"]
    jay.sources.add(notes, include=["*.txt", "sub/*.md", "drafts/"], exclude=["drafts/"])
    jay.sync()
    assert names(jay) == ["notes/c.txt", "notes/sub/e.md"]
    with pytest.raises(Invalid, match="list of patterns"):
        jay.sources.add(notes, include="*.md")


def test_a_source_may_be_one_file_whatever_its_name(jay: Scrubjay, notes: Path) -> None:
    for name in ("[x].md", "x.md", "#a.txt", "!b.txt", "two words .txt"):
        write(notes / name, f"The file {name}.\n")
    for name in ("[x].md", "#a.txt", "!b.txt", "two words .txt"):
        jay.sources.add(notes / name)
    jay.sync()
    assert names(jay) == ["notes/!b.txt", "notes/#a.txt", "notes/[x].md", "notes/two words .txt"]


def test_memory_files_are_three_by_default(jay: Scrubjay, notes: Path, tmp_path: Path) -> None:
    assert jay.sources.add_memory_files(notes) is None
    for name in ("MEMORY.md", "memory/2026/a.md", "memory/b.md", "memory/c.txt", "sub/MEMORY.md", "readme.md"):
        write(notes / name, f"The file {name}.\n")
    assert jay.sources.add_memory_files(notes) is not None
    jay.sync()
    assert names(jay) == ["notes/MEMORY.md", "notes/memory/2026/a.md", "notes/memory/b.md"]


def test_a_folder_that_does_not_exist_is_no_source(jay: Scrubjay, notes: Path) -> None:
    for bad in (notes / "nowhere", Path("no\0where"), notes / ("x" * 5000)):
        with pytest.raises(Invalid, match="There is no folder or file"):
            jay.sources.add(bad)
    os.mkdir(os.fsencode(notes) + b"/\xff")
    with pytest.raises(Invalid, match="is not UTF-8"):
        jay.sources.add(Path(os.fsdecode(os.fsencode(notes) + b"/\xff")))
    assert jay.sources.list() == []


def test_names_may_be_strange(jay: Scrubjay, notes: Path) -> None:
    strange = ["with space.md", "-rf.md", "new\nline.md", "*.md", "é.md", "日本.md", "'\".md", "%41.md", "~.md"]
    strange += [unicodedata.normalize("NFD", "Zoë.md"), unicodedata.normalize("NFC", "Zoë.md")]
    for number, name in enumerate(strange):
        write(notes / name, f"The file number {number}.\n")
    done = synced(jay, notes)
    assert done.skipped == ()
    assert sorted(names(jay)) == sorted(f"notes/{name}" for name in strange)
    for passage in passages(jay):
        assert jay.excerpt(passage.id).text.startswith(passage.text)
        assert jay.excerpt(passage.document or "").document == passage.document
    assert jay.sync().read == 0


def test_names_that_are_not_utf8_are_told_so_that_they_can_be_printed(run: Run, place: Path) -> None:
    folder = os.fsencode(place / "notes")
    os.mkdir(folder)
    os.mkdir(folder + b"/\xff")
    for name in (b"/\xfe.md", b"/\xff/a.md", b"/good.md"):
        os.close(os.open(folder + name, os.O_CREAT | os.O_WRONLY))
    os.symlink("/etc/passwd", folder + b"/\xfd.md")
    for words in (("sync", "notes"), ("sync", "notes", "--json"), ("status",)):
        answer = run(*words)
        assert answer.code == 0
    assert "not UTF-8" in run("sync", "notes").out


def test_files_that_are_too_large_are_left_out_and_told(
    jay: Scrubjay, path: Path, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(notes / "large.md", "x" * 3000)
    write(notes / "small.md", "Small.\n")
    monkeypatch.setenv("SCRUBJAY_SYNC_MAX_FILE_BYTES", "1000")
    with scrubjay.open(path, embedder="hashing") as strict:
        done = synced(strict, notes)
        assert "It has 3,000 bytes; the limit is 1,000" in reasons(done)["large.md"]
        assert names(strict) == ["notes/small.md"]
        assert "3,000" in strict.status().sources[0].skipped[0].reason


ENCODED = {
    "latin.md": ("Käse und Brot".encode("latin-1"), "Käse und Brot"),
    "utf16le.md": (b"\xff\xfe" + "Käse 木".encode("utf-16-le"), "Käse 木"),
    "utf16be.md": (b"\xfe\xff" + "Käse 木".encode("utf-16-be"), "Käse 木"),
    "utf8.md": ("Käse 木".encode(), "Käse 木"),
    "mark.md": (b"\xef\xbb\xbf" + "# Käse\n\nund Brot".encode(), "# Käse\n\nund Brot"),
}


@pytest.mark.parametrize("name", ENCODED)
def test_text_is_read_in_the_usual_encodings(jay: Scrubjay, notes: Path, name: str) -> None:
    data, text = ENCODED[name]
    write(notes / name, data)
    done = synced(jay, notes)
    assert texts(passages(jay)) == [text]
    assert bool(done.skipped) == (name == "latin.md")


def test_what_is_no_text_is_told_and_empty_files_are_fine(jay: Scrubjay, notes: Path) -> None:
    write(notes / "picture.md", b"\x89PNG\r\n\0\0")
    write(notes / "empty.md", "")
    write(notes / "blank.md", "\n \n\t\n")
    write(notes / "front.md", "---\ntitle: Only that\n---\n")
    done = synced(jay, notes)
    assert reasons(done) == {"picture.md": "It is not a text file."}
    assert passages(jay) == []
    assert jay.sync().read == 1  # what could not be read is tried again


# Links


def test_a_file_is_known_once_by_its_own_name(jay: Scrubjay, notes: Path) -> None:
    file = write(notes / "real" / "a.md", "Apples are red.\n")
    (notes / "0-link.md").symlink_to(file)
    (notes / "0-folder").symlink_to(notes / "real")
    (notes / "real" / "loop").symlink_to(notes)
    (notes / "broken.md").symlink_to(notes / "nowhere.md")
    done = synced(jay, notes)
    assert names(jay) == ["notes/real/a.md"]
    assert list(reasons(done)) == ["broken.md"]


def test_a_file_in_two_sources_belongs_to_one_of_them(jay: Scrubjay, notes: Path) -> None:
    write(notes / "sub" / "a.md", "Apples are red.\n")
    jay.sources.add(notes)
    jay.sources.add(notes / "sub")
    assert jay.status().behind == 1
    assert jay.sync().changed.added == 1
    assert (jay.sync().read, jay.status().behind) == (0, 0)
    write(notes / "sub" / "b.md", "Pears are green.\n")
    jay.sync("sub")
    jay.sync()
    assert names(jay) == ["notes/sub/a.md", "sub/b.md"]
    jay.sources.remove("notes")
    jay.sync()
    assert names(jay) == ["sub/a.md", "sub/b.md"]


def test_links_that_lead_out_are_not_followed_and_told(jay: Scrubjay, notes: Path, tmp_path: Path) -> None:
    write(tmp_path / "outside" / "a.md", "A stranger's diary.\n")
    write(tmp_path / "notes-private" / "a.md", "Another stranger's diary.\n")
    write(notes / "own.md", "Mine.\n")
    (notes / "file.md").symlink_to(tmp_path / "outside" / "a.md")
    (notes / "folder").symlink_to(tmp_path / "outside")
    (notes / "sibling").symlink_to(tmp_path / "notes-private")
    (notes / "up").symlink_to("..")
    done = synced(jay, notes)
    assert names(jay) == ["notes/own.md"]
    assert reasons(done) == {"file.md": OUTSIDE, "folder": OUTSIDE, "sibling": OUTSIDE, "up": OUTSIDE}


def test_a_root_that_is_a_link_is_the_folder_it_leads_to(jay: Scrubjay, notes: Path, tmp_path: Path) -> None:
    write(notes / "a.md", "Apples are red.\n")
    (tmp_path / "link").symlink_to(notes)
    jay.sources.add(tmp_path / "link")
    jay.sources.add(notes)
    jay.sync()
    assert names(jay) == ["notes/a.md"] and len(jay.sources.list()) == 1


def test_a_file_that_became_a_link_after_it_was_listed_is_not_read(
    jay: Scrubjay, notes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = write(tmp_path / "secret.md", "A stranger's diary.\n")
    write(notes / "a.md", "Apples are red.\n")

    def swapped(*given: object) -> object:
        listing = list_files(*given)  # type: ignore[arg-type]
        (notes / "a.md").unlink()
        (notes / "a.md").symlink_to(secret)
        return listing

    list_files = walk.list_files
    monkeypatch.setattr("scrubjay.sources.markdown.reader.list_files", swapped)
    done = synced(jay, notes)
    assert reasons(done)["a.md"] == OUTSIDE and passages(jay) == []


def test_a_file_that_becomes_a_link_at_the_last_moment_is_not_followed(notes: Path, tmp_path: Path) -> None:
    secret = write(tmp_path / "secret.md", "A stranger's diary.\n")
    real = walk.inside(notes, write(notes / "a.md", "Apples are red.\n"))
    (notes / "a.md").unlink()
    (notes / "a.md").symlink_to(secret)
    with pytest.raises(ScrubjayError, match="cannot be read"):
        walk.read_bytes(real, 1000)


def test_pipes_sockets_and_devices_are_not_waited_for(jay: Scrubjay, notes: Path) -> None:
    os.mkfifo(notes / "pipe.md")
    (notes / "null.md").symlink_to("/dev/zero")
    with socket.socket(socket.AF_UNIX) as server:
        here = Path.cwd()
        os.chdir(notes)  # the path of a socket must be short
        try:
            server.bind("socket.md")
        finally:
            os.chdir(here)
        write(notes / "a.md", "Apples are red.\n")
        synced(jay, notes)
    assert names(jay) == ["notes/a.md"]
    with pytest.raises(ScrubjayError, match="not a regular file"):
        walk.read_bytes(notes / "pipe.md", 1000)


# Naming what lies outside


@pytest.mark.parametrize(
    "name",
    [
        "../secret.md",
        "notes/../../secret.md",
        "notes/../secret.md",
        "/etc/passwd",
        "notes//etc/passwd",
        "notes/./a.md",
        "notes/sub/../a.md",
        "notes-private/a.md",
        "notes/a.md\0.png",
        "notes/" + "x" * 10_000,
        "file:notes/a.md",
        "",
    ],
)
def test_only_documents_that_were_read_can_be_named(jay: Scrubjay, notes: Path, tmp_path: Path, name: str) -> None:
    write(tmp_path / "secret.md", "A stranger's diary.\n")
    write(tmp_path / "notes-private" / "a.md", "A stranger's diary.\n")
    write(notes / "a.md", "Apples are red.\n")
    synced(jay, notes)
    with pytest.raises(NotFound):
        jay.excerpt(name)
    assert not any("diary" in hit.memory.text for hit in jay.search(name or "diary"))
    assert len(jay.search("x", sources=[f"file:{name}"[:400]])) == 0


def test_an_excerpt_of_a_file_that_became_a_link_shows_nothing_of_its_aim(
    jay: Scrubjay, notes: Path, tmp_path: Path
) -> None:
    secret = write(tmp_path / "secret.md", "Apples are red.\nA stranger's diary.\n")
    write(notes / "sub" / "a.md", "Apples are red.\n")
    synced(jay, notes)
    (passage,) = passages(jay)
    (notes / "sub" / "a.md").unlink()
    (notes / "sub" / "a.md").symlink_to(secret)
    assert jay.excerpt(passage.id).text == passage.text
    with pytest.raises(Invalid):
        jay.excerpt("notes/sub/a.md")
    (notes / "sub" / "a.md").unlink()
    (notes / "sub").rmdir()
    (notes / "sub").symlink_to(tmp_path)
    (tmp_path / "a.md").write_text("Apples are red.\nA stranger's diary.\n")
    assert jay.excerpt(passage.id).text == passage.text
    with pytest.raises(Invalid):
        jay.excerpt("notes/sub/a.md")


def test_a_document_of_another_space_cannot_be_named(jay: Scrubjay, path: Path, notes: Path) -> None:
    write(notes / "a.md", "Apples are red.\n")
    synced(jay, notes)
    with scrubjay.open(path, space="other", embedder="hashing") as other:
        assert other.sources.list() == []
        with pytest.raises(NotFound):
            other.excerpt("notes/a.md")
        with pytest.raises(NotFound):
            other.excerpt(passages(jay)[0].id)


def test_lines_of_a_document_are_counted_from_one(jay: Scrubjay, notes: Path) -> None:
    write(notes / "a.md", "".join(f"Line {number}\n" for number in range(1, 301)))
    synced(jay, notes)
    found = jay.excerpt("notes/a.md", start=3, lines=2)
    assert (found.text, found.first, found.last, found.total) == ("Line 3\nLine 4", 3, 4, 300)
    assert jay.excerpt("notes/a.md").last == 200
    for start in (301, 10**9):
        with pytest.raises(Invalid, match="has 300 lines"):
            jay.excerpt("notes/a.md", start=start)
    with pytest.raises(Invalid):
        jay.excerpt("notes/a.md", start=-1)


# Files that come and go


def test_a_renamed_file_keeps_its_passages(jay: Scrubjay, notes: Path) -> None:
    file = write(notes / "a.md", "# Title\n\n" + section(1) + section(2) + section(3))
    synced(jay, notes)
    before = passages(jay)
    file.rename(notes / "b.md")
    done = jay.sync()
    assert (done.changed.added, done.changed.removed, done.embedded) == (0, 0, 0)
    after = passages(jay)
    assert ids(after) == ids(before) and {passage.source for passage in after} == {"file:notes/b.md"}
    assert {passage.context for passage in after} == {"notes/b.md"}
    write(notes / "b.md", (notes / "b.md").read_text().replace("Part 2", "Part two")).rename(notes / "c.md")
    jay.sync()
    assert [id for id in ids(passages(jay)) if id in ids(before)] == [before[0].id, before[2].id]


def test_a_folder_that_was_renamed_keeps_its_passages(jay: Scrubjay, notes: Path) -> None:
    for number in range(20):
        write(notes / "old" / f"{number}.md", f"The same words everywhere.\n\n# Own\n\nThe file {number}.\n")
    synced(jay, notes)
    before = {passage.text: passage.id for passage in passages(jay)}
    (notes / "old").rename(notes / "new")
    done = jay.sync()
    assert (done.changed.kept, done.changed.added, done.embedded) == (20, 0, 0)
    assert {passage.text: passage.id for passage in passages(jay)} == before
    assert all(name.startswith("notes/new/") for name in names(jay))


def test_a_file_that_is_deleted_leaves_the_memory(jay: Scrubjay, notes: Path) -> None:
    write(notes / "a.md", "Apples are red.\n")
    write(notes / "b.md", "Pears are green.\n")
    synced(jay, notes)
    (notes / "a.md").unlink()
    assert jay.sync().changed.removed == 1
    assert names(jay) == ["notes/b.md"] and len(jay.search("apples", mode="keyword")) == 0
    with pytest.raises(NotFound):
        jay.excerpt("notes/a.md")


def test_a_root_that_is_not_there_loses_nothing(jay: Scrubjay, notes: Path, tmp_path: Path) -> None:
    write(notes / "a.md", "Apples are red.\n")
    write(tmp_path / "other" / "b.md", "Pears are green.\n")
    jay.sources.add(tmp_path / "other")
    synced(jay, notes)
    notes.rename(tmp_path / "unmounted")
    write(tmp_path / "other" / "c.md", "Plums are blue.\n")
    done = jay.sync()
    assert "does not exist" in done.skipped[0].reason and done.changed.added == 1
    assert names(jay) == ["notes/a.md", "other/b.md", "other/c.md"]
    assert jay.status().behind == 0 and jay.search("apples").notes == ()


@contextmanager
def unreadable(path: Path) -> Iterator[None]:
    """Take away the right to read; skips where, as for root, there is no such thing."""
    path.chmod(0)
    try:
        if os.access(path, os.R_OK):
            pytest.skip("Nothing is unreadable to root.")
        yield
    finally:
        path.chmod(0o755)


def test_a_folder_that_cannot_be_read_loses_nothing(
    jay: Scrubjay, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("open/a.md", "closed/b.md", "closed/deep/c.md", "closed-not/d.md"):
        write(notes / name, f"The file {name}.\n")
    synced(jay, notes)
    scandir = os.scandir

    def refused(folder: str) -> object:
        if Path(folder).name == "closed":
            raise PermissionError(13, "Permission denied")
        return scandir(folder)

    monkeypatch.setattr(os, "scandir", refused)  # root, as which tests may run, can read everything
    (notes / "closed-not" / "d.md").unlink()
    done = jay.sync()
    assert reasons(done) == {"closed": "It cannot be read (Permission denied)."}
    assert names(jay) == ["notes/closed/b.md", "notes/closed/deep/c.md", "notes/open/a.md"]


def test_a_file_that_cannot_be_read_keeps_what_is_known_of_it(jay: Scrubjay, notes: Path) -> None:
    file = write(notes / "a.md", "Apples are red.\n")
    synced(jay, notes)
    write(file, "Apples are green.\n")
    with unreadable(file):
        done = jay.sync()
        assert "cannot be read" in reasons(done)["a.md"]
        assert texts(passages(jay)) == ["Apples are red."]
    jay.sync()
    assert texts(passages(jay)) == ["Apples are green."]


# .gitignore


@pytest.fixture
def repository(notes: Path) -> Path:
    subprocess.run(["git", "init", "-q", notes], check=True, capture_output=True)
    for name in (
        "a.md", "build/b.md", "sub/c.md", "sub/d.draft.md", "sub/keep.draft.md", "sub/deep/e.md", "sub/deep/f.md",
    ):  # fmt: skip
        write(notes / name, f"The file {name}.\n")
    write(notes / ".gitignore", "build/\n*.draft.md\n")
    write(notes / "sub" / ".gitignore", "!keep.draft.md\n/deep/*\n!/deep/f.md\n")
    return notes


def test_what_git_ignores_is_left_out(jay: Scrubjay, repository: Path) -> None:
    synced(jay, repository)
    assert names(jay) == ["notes/a.md", "notes/sub/c.md", "notes/sub/deep/f.md", "notes/sub/keep.draft.md"]
    listed = subprocess.run(
        ["git", "-C", repository, "ls-files", "-o", "--exclude-standard", "*.md"], capture_output=True, text=True
    ).stdout.split()
    assert [f"notes/{name}" for name in sorted(listed)] == names(jay)


def test_what_git_ignores_is_read_when_asked_for(jay: Scrubjay, repository: Path) -> None:
    jay.sources.add(repository, ignored=True)
    jay.sync()
    assert len(names(jay)) == 7


def test_rules_above_the_root_hold_within_the_repository(jay: Scrubjay, repository: Path) -> None:
    write(repository.parent / ".gitignore", "*\n")  # not of this repository
    jay.sources.add(repository / "sub")
    jay.sync()
    assert names(jay) == ["sub/c.md", "sub/deep/f.md", "sub/keep.draft.md"]


def test_rules_that_change_take_files_away_and_bring_them_back(jay: Scrubjay, repository: Path) -> None:
    synced(jay, repository)
    write(repository / ".gitignore", "a.md\n")
    jay.sync()
    assert "notes/a.md" not in names(jay) and "notes/build/b.md" in names(jay)
