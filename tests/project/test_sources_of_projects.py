"""Sources of a project read nothing outside of it, and its pages are written nowhere else."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

import scrubjay
from scrubjay import config
from scrubjay.project import trust as project_trust
from tests.support.commands import Run
from tests.support.projects import local, sql


def test_sources_of_a_project_stay_inside_of_it(run: Run, own: Path, tmp_path: Path) -> None:
    (tmp_path / "private").mkdir()
    (tmp_path / "private" / "diary.md").write_text("My diary")
    (own / "out").symlink_to(tmp_path / "private")
    for path in (tmp_path / "private", tmp_path / "private" / "diary.md", own / "out", own / ".."):
        refused = run("sync", str(path))
        assert refused.code == 2 and "reads only what lies in it" in refused.err
    assert run("sources", "--json").json["sources"] == []
    (own / "notes.md").write_text("Notes on herons")
    assert run("sync", str(own)).code == 0 and run("search", "herons", "--json").json["results"]


def test_planted_sources_and_documents_read_nothing_outside(run: Run, own: Path, tmp_path: Path) -> None:
    (tmp_path / "private").mkdir()
    (tmp_path / "private" / "diary.md").write_text("My diary")
    (own / "out").symlink_to(tmp_path / "private")
    (own / "notes.md").write_text("Notes on herons")
    run("sync", str(own))
    columns = "space, kind, name, root, include, exclude, ignored"
    insert = f"insert into sources ({columns}) values ('default', 'files', ?, ?, '[\"*\"]', '[]', 1)"
    sql(local(own), insert, "planted", str(tmp_path / "private"))
    sql(local(own), insert, "linked", str(own / "out"))
    sql(
        local(own),
        "insert into documents (source, space, name, path, hash, mtime, size, offset, chunking, state)"
        " select id, 'default', 'planted/diary.md', ?, '', 0, 0, 0, '', 'null' from sources where name = 'planted'",
        str(tmp_path / "private" / "diary.md"),
    )
    synced = run("sync")
    assert "outside of the project, and are not read: 2" in synced.err
    assert "diary" not in run("list", "--json").out
    read = run("get", "planted/diary.md")
    assert read.code != 0 and "My diary" not in read.out + read.err
    with scrubjay.open(folder=own, embedder="none") as jay:
        assert {source.root for source in jay.sources.list()} == {str(own)}


def test_planted_sources_are_read_nowhere_when_its_memories_go_to_another_memory(
    run: Run, clone: Path, tmp_path: Path
) -> None:
    secret, mine = tmp_path / "secret", str(tmp_path / "mine.db")
    secret.mkdir()
    (secret / "a.md").write_text("Canary in a file of the user's")
    columns = "space, kind, name, root, include, exclude, ignored"
    for root in (secret, clone):
        values = "'default', 'files', ?, ?, '[\"*.md\"]', '[]', 0"
        sql(local(clone), f"insert into sources ({columns}) values ({values})", root.name, str(root))
    (clone / "b.md").write_text("Canary in a file of the project")
    run("trust")
    assert "take it over first" in run("move", str(local(clone)), mine).err
    run("export", "all.jsonl")
    assert run("import", "all.jsonl", "--store", mine).code == 0
    run("sync", "--store", mine)
    assert "Canary" not in run("search", "canary", "--store", mine).out
    copied = str(tmp_path / "copied.db")
    assert run("backup", copied).code == run("sync", "--store", copied).code == 0
    assert "of the user's" not in run("search", "canary", "--store", copied).out
    project_trust.take_over(clone / config.LOCAL_FOLDER)
    assert run("move", str(local(clone)), str(tmp_path / "new.db")).code == 0
    run("sync", "--store", str(tmp_path / "new.db"))
    found = run("search", "canary", "--store", str(tmp_path / "new.db")).out
    assert "of the project" in found and "of the user's" not in found


@pytest.mark.parametrize(("field", "planted"), [("kind", "../../../out"), ("uid", "/../../../o"), ("kind", "a\0b")])
def test_a_planted_field_leads_no_page_out_of_the_folder_that_is_exported(
    run: Run, clone: Path, place: Path, field: str, planted: str
) -> None:
    sql(local(clone), f"update memories set {field} = ? where id = 1", planted)
    assert run("trust").code == 0
    before = {path for path in place.rglob("*") if ".scrubjay" not in path.parts}
    exported = run("export", "deep/pages", "--format", "markdown")
    assert exported.code == 0 and "Traceback" not in exported.err
    written = {path for path in place.rglob("*") if ".scrubjay" not in path.parts} - before
    assert len([path for path in written if path.suffix == ".md"]) == 2
    assert all(path.is_relative_to(clone / "src/deep") for path in written)


def git(folder: Path, *words: str) -> None:
    name = ("-c", "user.name=Ann", "-c", "user.email=ann@example.com", "-c", "protocol.file.allow=always")
    subprocess.run(["git", "-C", str(folder), *name, *words], check=True, capture_output=True)


def repository(folder: Path, message: str) -> Path:
    folder.mkdir(exist_ok=True)
    git(folder, "init", "-q", "-b", "main")
    git(folder, "commit", "-q", "--allow-empty", "-m", message)
    return folder / ".git"


def by_pointer(own: Path, private: Path) -> None:
    own.write_text(f"gitdir: {private}")


def by_link(own: Path, private: Path) -> None:
    own.symlink_to(private)


def by_shared_folder(own: Path, private: Path) -> None:
    own.mkdir()
    (own / "commondir").write_text(str(private))
    (own / "HEAD").write_text("ref: refs/heads/main")


def by_links_inside(own: Path, private: Path) -> None:
    own.mkdir()
    for name in ("HEAD", "refs", "objects", "config"):
        (own / name).symlink_to(private / name)


def by_alternates(own: Path, private: Path) -> None:
    git(own.parent, "init", "-q", "-b", "main")
    (own / "objects" / "info" / "alternates").write_text(str(private / "objects"))
    shutil.rmtree(own / "refs" / "heads")
    (own / "refs" / "heads").symlink_to(private / "refs" / "heads")


def by_a_worktree_that_only_says_it_is_one(own: Path, private: Path, made: Path | None = None) -> None:
    made = made or own.with_name("made")
    made.mkdir(parents=True)
    own.write_text(f"gitdir: {made}")
    (made / "gitdir").write_text(str(own))
    (made / "commondir").write_text(str(private))
    (made / "HEAD").write_text("ref: refs/heads/main")


def by_a_worktree_beside_the_project(own: Path, private: Path) -> None:
    by_a_worktree_that_only_says_it_is_one(own, private, own.parent.parent / "worktrees" / "made")


def by_a_linked_reference(own: Path, private: Path) -> None:
    git(own.parent, "init", "-q", "-b", "main")
    (own / "refs" / "heads" / "main").symlink_to(private / "refs" / "heads" / "main")


def by_alternates_of_alternates(own: Path, private: Path) -> None:
    by_a_linked_reference(own, private)
    (own / "objects" / "more" / "info").mkdir(parents=True)
    (own / "objects" / "info" / "alternates").write_text("more\n")
    (own / "objects" / "more" / "info" / "alternates").write_text(str(private / "objects"))


def by_an_escaped_path(own: Path, private: Path) -> None:
    git(own.parent, "init", "-q", "-b", "main")
    (own / "objects" / "info" / "alternates").write_text(f'"\\057{str(private / "objects")[1:]}"\n')
    (own / "HEAD").write_text((private / "refs" / "heads" / "main").read_text())


WAYS_OUT = (
    by_pointer, by_link, by_shared_folder, by_links_inside, by_alternates, by_a_worktree_that_only_says_it_is_one,
    by_a_worktree_beside_the_project, by_a_linked_reference, by_alternates_of_alternates, by_an_escaped_path,
)  # fmt: skip


@pytest.mark.parametrize("lead", WAYS_OUT)
def test_the_history_of_another_repository_is_not_read(
    run: Run, own: Path, tmp_path: Path, lead: Callable[[Path, Path], None]
) -> None:
    lead(own / ".git", repository(tmp_path / "private", "My secret plan"))
    refused = run("sync", "--git", str(own))
    assert refused.code == 2 and "reads only what lies in it" in refused.err
    columns = "space, kind, name, root, include, exclude, ignored"
    sql(local(own), f"insert into sources ({columns}) values ('default', 'git', 'g', ?, '[]', '[]', 1)", str(own))
    assert "not read: 1" in run("sync").err
    assert "secret plan" not in run("list", "--json").out


def test_a_worktree_and_a_submodule_read_their_own_history(run: Run, place: Path) -> None:
    main = repository(place / "main", "Paint the shed").parent
    git(main, "worktree", "add", "-q", str(place / "tree"))
    repository(place / "outer", "Begin")
    git(place / "outer", "submodule", "add", "-q", str(main), "inner")
    for folder in (place / "tree", place / "outer" / "inner", main):
        os.chdir(folder)
        assert run("init").code == 0 and run("sync", "--git", str(folder)).code == 0
        assert run("list", "--kind", "change", "--json").json["memories"][0]["text"] == "Paint the shed"
