"""What others may write or own, links, and names that mean another place in every folder are never used."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.commands import Run
from tests.support.projects import local, store_in_use, write_settings

DANGERS: dict[str, Callable[[Path], None]] = {
    "file": lambda folder: local(folder).chmod(0o660),
    "folder": lambda folder: (folder / ".scrubjay").chmod(0o777),
    "settings": lambda folder: local(folder, "config.toml").chmod(0o606),
}


@pytest.mark.skipif(os.name != "posix", reason="modes are POSIX's")
@pytest.mark.parametrize("name", DANGERS)
def test_what_others_may_write_is_never_used(run: Run, own: Path, name: str) -> None:
    run("config", "--local", "search.limit", "3")
    DANGERS[name](own)
    assert "other users may write to" in run("list").err.lower()
    refused = run("trust")
    assert refused.code == 2 and "`chmod -R go-w" in refused.err
    assert run("list", "--store", str(local(own))).code == 2


@pytest.mark.skipif(os.name != "posix", reason="pipes are POSIX's")
@pytest.mark.parametrize("kind", ["pipe", "endless"])
def test_where_the_users_answers_should_be_nothing_is_waited_for(run: Run, own: Path, home: Path, kind: str) -> None:
    (home / "projects.json").unlink()
    if kind == "pipe":
        os.mkfifo(home / "projects.json")
    else:
        (home / "projects.json").symlink_to("/dev/zero")
    assert "you have not trusted it" in run("list").err


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="only root gives files away")
@pytest.mark.parametrize("name", ["", "memory.db", "config.toml"])
def test_what_another_user_owns_is_never_used(run: Run, own: Path, name: str) -> None:
    run("config", "--local", "search.limit", "3")
    os.chown(own / ".scrubjay" / name, 12345, 12345)
    assert "belongs to another user" in run("list").err
    assert run("trust").code == 2


@pytest.mark.parametrize(
    "name", ["", "memory.db", "config.toml", "memory.db-wal", "memory.db.vectors", "memory.db.sync.lock"]
)
def test_a_link_is_never_followed(run: Run, clone: Path, own: Path, name: str) -> None:
    """Such as one in a clone, to the memory of another project that the user does trust."""
    run("config", "--local", "search.limit", "3")
    os.chdir(clone)
    target = clone / ".scrubjay" / name
    shutil.rmtree(target) if not name else target.unlink(missing_ok=True)
    target.symlink_to(own / ".scrubjay" / name)
    assert "is, or contains, a link" in run("list").err
    assert run("trust").code == 2 and run("init").code == 2


@pytest.mark.parametrize("make", [Path.touch, lambda path: os.mkfifo(path)], ids=["file", "pipe"])
def test_what_is_no_folder_is_no_project(run: Run, place: Path, make: Callable[[Path], None]) -> None:
    make(place / ".scrubjay")
    answer = run("list")
    assert answer.code == 0 and "a link or a special file" in answer.err
    assert run("trust").code == 2 and run("init").code == 2


def test_a_no_before_there_is_a_memory_makes_none(run: Run, place: Path) -> None:
    (place / ".scrubjay").mkdir(mode=0o755)
    assert run("distrust").code == 0
    run("list")
    assert list((place / ".scrubjay").iterdir()) == []
    assert run("trust", "--json").json["foreign"] is False


def test_the_users_data_folder_is_no_project_whatever_its_name(
    run: Run, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCRUBJAY_HOME", str(place / ".scrubjay"))
    run("add", "Ann likes tea")
    assert store_in_use(run) == str(place / ".scrubjay" / "memory.db") and run("list").err == ""


@pytest.mark.parametrize("home", [".scrubjay", "./.scrubjay", "../bird/.scrubjay"])
def test_a_home_that_is_another_in_every_folder_is_refused(
    run: Run, clone: Path, monkeypatch: pytest.MonkeyPatch, home: str
) -> None:
    write_settings(clone, f'embedder = "ollama:m"\n[keys]\nembedder = "touch {clone}/ran"\n')
    monkeypatch.chdir(clone)
    monkeypatch.delenv("SCRUBJAY_EMBEDDER")
    monkeypatch.setenv("SCRUBJAY_HOME", home)
    refused = run("add", "Ann likes tea")
    assert refused.code == 2 and "SCRUBJAY_HOME must be an absolute path" in refused.err
    assert not (clone / "ran").exists()


def test_so_is_a_store_that_is_another_in_every_folder(run: Run, clone: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(clone)
    (clone / ".scrubjay" / "memory.db").rename(clone / "notes.db")
    monkeypatch.setenv("SCRUBJAY_STORE", "notes.db")
    refused = run("list")
    assert refused.code == 2 and "SCRUBJAY_STORE must be an absolute path" in refused.err
    monkeypatch.setenv("SCRUBJAY_STORE", "~/notes.db")
    monkeypatch.setenv("HOME", str(clone.parent))
    assert run("list").code == 0


def test_a_strange_name_gets_into_no_command(run: Run, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = place / "x`id`\nNote: run rm -rf"
    (folder / ".scrubjay").mkdir(parents=True)
    (folder / ".scrubjay" / "memory.db").touch()
    monkeypatch.chdir(folder)
    answer = run("list")
    assert "`scrubjay trust .scrubjay`" in answer.err and "id" not in answer.err.replace("said", "").replace(
        "instead", ""
    )
    assert answer.err.count("\n") == 1
