"""A project's memory stays trusted through ordinary use, and is asked about again when somebody replaces it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest

import scrubjay
from scrubjay import Scrubjay
from scrubjay.project import trust as project_trust
from scrubjay.stores.sqlite.adoption import marked
from scrubjay.stores.sqlite.opening.marked_logs import holds
from tests.support.commands import Run
from tests.support.projects import PLANTED, local, sql, store_in_use, write_settings


def test_ordinary_use_does_not_lose_trust(run: Run, own: Path) -> None:
    for number in range(3):
        run("add", f"heron {number}")
    run("delete", "1")
    run("config", "--local", "search.limit", "3")
    run("check", "--deep", "--repair")
    run("cleanup", "--force")
    with scrubjay.open(folder=own, embedder="none") as jay:
        jay.trash.empty()
        assert store_in_use(run) == str(local(own))
    assert store_in_use(run) == str(local(own)) and run("config", "search.limit").out == "3\n"


def test_a_process_that_was_killed_does_not_lose_trust(run: Run, own: Path) -> None:
    code = "import os, scrubjay; j = scrubjay.open(folder='.', embedder='none'); j.add('heron'); os._exit(1)"
    code = code.replace("folder='.'", "folder=__import__('pathlib').Path.cwd()")
    subprocess.run([sys.executable, "-c", code], timeout=60, check=False)
    assert Path(f"{local(own)}-wal").exists()
    assert run("list", "--json").json["memories"][0]["text"] == "heron"


def test_a_repair_that_replaces_the_file_does_not_lose_trust(run: Run, own: Path) -> None:
    for number in range(40):
        run("add", f"heron {number} " + "stands in the water " * 20)
    data = bytearray(local(own).read_bytes())
    data[:4096] = bytes(4096)  # the first page: nothing opens this file any more
    local(own).write_bytes(data)
    assert run("check", "--repair").code == 0
    assert store_in_use(run) == str(local(own))
    memories = run("list", "--limit", "100", "--json").json["memories"]
    assert {memory["trust"] for memory in memories} == {"user"} and len(memories) == 40


def test_a_repair_trusts_nothing_that_somebody_put_in_place_of_the_memory(run: Run, own: Path, tmp_path: Path) -> None:
    plant(tmp_path / "other.db")
    by_copying(local(own), tmp_path / "other.db")
    assert "your own memory is used instead" in run("check", "--repair").out
    refused = run("check", "--repair", "--store", str(local(own)))
    assert refused.code == 2 and "is not the memory that you trusted" in refused.err
    assert PLANTED not in run("list").out


def test_what_a_repair_finds_in_a_file_without_our_mark_is_external(run: Run, own: Path, tmp_path: Path) -> None:
    plant(tmp_path / "other.db")
    data = bytearray((tmp_path / "other.db").read_bytes())
    data[:100] = bytes(100)
    local(own).write_bytes(data)
    run("check", "--repair")
    memories = run("list", "--json").json["memories"]
    assert [(memory["text"], memory["trust"]) for memory in memories] == [(PLANTED, "external")]
    assert run("trust", "--list", "--json").json["projects"][0]["foreign"] is True


def plant(path: Path) -> None:
    with scrubjay.open(path, embedder="none") as jay:
        jay.add(PLANTED)


def by_copying(store: Path, other: Path) -> None:
    shutil.copyfile(other, store)


def by_renaming(store: Path, other: Path) -> None:
    os.replace(shutil.copy(other, store.with_name("new.db")), store)


@pytest.mark.parametrize("replace", [by_copying, by_renaming])
def test_a_store_that_was_replaced_is_not_used(
    run: Run, own: Path, home: Path, tmp_path: Path, replace: Callable[[Path, Path], None]
) -> None:
    with scrubjay.open(tmp_path / "other.db", embedder="none") as jay:
        jay.add(PLANTED)
    replace(local(own), tmp_path / "other.db")
    answer = run("list")
    assert PLANTED not in answer.out and "is not the memory that you trusted" in answer.err
    run("trust")
    assert run("list", "--json").json["memories"][0]["trust"] == "external"


def as_git_does(store: Path, other: Path) -> None:
    content = other.read_bytes()
    store.unlink()  # many file systems give its inode to the next file
    store.write_bytes(content)


@pytest.mark.parametrize("replace", [by_renaming, as_git_does])
def test_a_store_that_is_a_copy_of_the_trusted_one_with_more_in_it_is_not_used(
    run: Run, own: Path, tmp_path: Path, replace: Callable[[Path, Path], None]
) -> None:
    shutil.copy(local(own), tmp_path / "pushed.db")
    sql(tmp_path / "pushed.db", "update project_mark set mark = mark")
    replace(local(own), tmp_path / "pushed.db")
    assert "is not the memory that you trusted" in run("list").err


def test_a_no_to_a_replaced_store_does_not_make_it_the_users_own(run: Run, own: Path, tmp_path: Path) -> None:
    shutil.copy(local(own), tmp_path / "pushed.db")
    with scrubjay.open(tmp_path / "pushed.db", embedder="none") as jay:
        jay.add(PLANTED)
    by_renaming(local(own), tmp_path / "pushed.db")
    run("distrust")
    run("trust")
    assert run("list", "--json").json["memories"][0]["trust"] == "external"


@pytest.mark.parametrize("suffix", ["-wal", "-journal"])
def test_a_log_that_somebody_put_beside_the_store_is_noticed(run: Run, own: Path, suffix: str) -> None:
    Path(f"{local(own)}{suffix}").write_bytes(b"")
    Path(f"{local(own)}{suffix}").chmod(0o644)
    assert "is not the memory that you trusted" in run("list").err


def test_a_log_with_other_pages_is_noticed_whatever_its_mode(run: Run, own: Path, tmp_path: Path) -> None:
    run("add", "My own words")
    shutil.copy(local(own), tmp_path / "copy.db")
    db = apsw.Connection(str(tmp_path / "copy.db"))
    db.execute("update memories set text = ?", (PLANTED,))
    shutil.copy(tmp_path / "copy.db-wal", f"{local(own)}-wal")
    db.close()
    Path(f"{local(own)}-wal").chmod(0o600)
    answer = run("list")
    assert PLANTED not in answer.out and "is not the memory that you trusted" in answer.err
    assert "your own memory is used instead" in run("check", "--repair").out
    run("trust")
    assert [memory["trust"] for memory in run("list", "--json").json["memories"]] == ["external"]


def test_so_is_a_journal_that_would_be_rolled_back(run: Run, own: Path) -> None:
    Path(f"{local(own)}-journal").write_bytes(b"x")
    Path(f"{local(own)}-journal").chmod(0o600)
    assert "is not the memory that you trusted" in run("list").err


@pytest.mark.parametrize(
    "write",
    [
        lambda jay: jay.add("stork"),
        lambda jay: jay.delete(1),
        lambda jay: jay.update(1, importance=9),
        lambda jay: jay.sessions.start("s1"),
    ],
)
def test_every_write_of_ours_is_known_again_in_the_log(own: Path, write: Callable[[Scrubjay], object]) -> None:
    with scrubjay.open(folder=own, embedder="none") as jay:
        jay.add("heron")
    with scrubjay.open(folder=own, embedder="none") as jay:
        write(jay)
        found = project_trust.find(own)
        assert found and found.answer and found.is_trusted
        assert holds(Path(f"{local(own)}-wal"), found.answer.mark)


def test_settings_that_changed_are_asked_about_again(run: Run, own: Path) -> None:
    write_settings(own, "[search]\nlimit = 1\n")
    assert "have changed since you trusted it" in run("list").err
    assert run("config", "search.limit").out == "10\n"
    run("trust")
    assert run("config", "search.limit").out == "1\n"


def test_a_damaged_store_is_not_used_and_stays_where_it_is(run: Run, own: Path) -> None:
    file = local(own).open("r+b")
    file.write(b"no database at all")
    file.close()
    assert "was replaced or cannot be read" in run("list").err


def test_answers_that_cannot_be_read_trust_nothing(run: Run, own: Path, home: Path) -> None:
    (home / "projects.json").write_text('[{"path": 1}')
    assert "your own memory is used instead" in run("list").err


def test_another_homes_answers_do_not_count(
    run: Run, own: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCRUBJAY_HOME", str(tmp_path / "bob"))
    assert "your own memory is used instead" in run("list").err


def test_a_mark_is_read_from_a_table_and_from_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "view.db"
    sql(path, "create view project_mark as select 'x' as mark")
    assert not marked(str(path), "x")
