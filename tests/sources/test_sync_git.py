"""The history of a repository: each commit is remembered once, whatever becomes of the branch."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from scrubjay import Scrubjay
from scrubjay.errors import Invalid, ScrubjayError
from scrubjay.project.git import _run
from scrubjay.types import Memory
from tests.support.notes import TOKEN, write

Git = Callable[..., str]


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "shed"
    folder.mkdir()
    return folder


@pytest.fixture
def git(repository: Path) -> Git:
    """Run git in the repository, each commit a minute after the one before."""
    minutes = iter(range(60))
    identity = {"GIT_AUTHOR_NAME": "Ann", "GIT_AUTHOR_EMAIL": "ann@example.com"}
    identity |= {"GIT_COMMITTER_NAME": "Bob", "GIT_COMMITTER_EMAIL": "bob@example.com"}
    identity |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}

    def call(*words: str) -> str:
        at = f"2026-05-01T10:{next(minutes):02}:00+02:00"
        environment = os.environ | identity | {"GIT_AUTHOR_DATE": at, "GIT_COMMITTER_DATE": at}
        command = ["git", "-C", str(repository), *words]
        return subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout.strip()

    call("init", "-q", "-b", "main")
    return call


def commit(git: Git, message: str) -> str:
    git("commit", "-q", "--allow-empty", "-m", message)
    return git("rev-parse", "HEAD")


def commits(jay: Scrubjay) -> list[Memory]:
    return sorted(jay.list(kinds=["change"]), key=lambda memory: memory.id)


def texts(jay: Scrubjay) -> list[str]:
    return [memory.text for memory in commits(jay)]


def test_a_commit_becomes_a_change(jay: Scrubjay, repository: Path, git: Git) -> None:
    git("remote", "add", "origin", "https://example.com/ann/shed.git")
    id = commit(git, "Paint the shed\n\nGreen, as agreed.\n\nWith two coats.")
    jay.sources.add(repository / ".git", kind="git")
    done = jay.sync()
    (change,) = commits(jay)
    assert change.text == "Paint the shed\n\nGreen, as agreed.\n\nWith two coats."
    assert (change.kind, change.source, change.title) == ("change", f"commit:{id}", "Paint the shed")
    assert (change.actor, change.client, change.trust) == ("Ann", "git", "external")
    assert change.project == "example.com/ann/shed"
    assert change.happened_at.isoformat().startswith("2026-05-01T08:")
    assert (done.changed.added, done.embedded, done.remaining) == (1, 1, 0)
    assert jay.search("which colour has the shed: green?", kinds=["change"])[0].memory.id == change.id


def test_only_new_commits_are_read(jay: Scrubjay, repository: Path, git: Git) -> None:
    for number in range(20):
        commit(git, f"Step {number}")
    jay.sources.add(repository, kind="git")
    whole = jay.sync().bytes
    assert (jay.sync().read, jay.status().behind) == (0, 0)
    commit(git, "Another step")
    assert jay.status().behind == 1
    done = jay.sync()
    assert 0 < done.bytes < whole / 10 and done.changed.added == 1
    assert texts(jay) == [*(f"Step {number}" for number in range(20)), "Another step"]


def test_a_rewritten_history_is_not_told_twice(jay: Scrubjay, repository: Path, git: Git) -> None:
    base = commit(git, "Base")
    commit(git, "Paint the shed")
    jay.sources.add(repository, kind="git")
    jay.sync()
    git("commit", "-q", "--amend", "--allow-empty", "-m", "Paint the shed green")
    commit(git, "Mow the lawn")
    jay.sync()
    git("checkout", "-q", "-b", "other", base)
    commit(git, "Feed the cat")
    git("checkout", "-q", "main")
    git("rebase", "-q", "--empty=keep", "other")
    jay.sync()
    jay.sync(force=True)
    assert sorted(texts(jay)) == ["Base", "Feed the cat", "Mow the lawn", "Paint the shed", "Paint the shed green"]
    git("reset", "-q", "--hard", base)
    assert jay.sync().changed.removed == 0


def test_merges_are_left_out(jay: Scrubjay, repository: Path, git: Git) -> None:
    commit(git, "Base")
    git("checkout", "-q", "-b", "other")
    commit(git, "Feed the cat")
    git("checkout", "-q", "main")
    commit(git, "Mow the lawn")
    git("merge", "-q", "--no-ff", "-m", "Merge other", "other")
    jay.sources.add(repository, kind="git")
    jay.sync()
    assert sorted(texts(jay)) == ["Base", "Feed the cat", "Mow the lawn"]


def test_an_empty_repository_is_no_error(jay: Scrubjay, repository: Path, git: Git) -> None:
    jay.sources.add(repository, kind="git")
    done = jay.sync()
    assert (done.skipped, done.changed.added, jay.status().behind) == ((), 0, 0)
    commit(git, "Base")
    assert jay.sync().changed.added == 1


def test_where_there_is_no_repository_it_is_said(jay: Scrubjay, repository: Path) -> None:
    with pytest.raises(Invalid, match="is not in a git repository"):
        jay.sources.add(repository, kind="git")


def test_a_repository_that_broke_loses_nothing_and_is_said(jay: Scrubjay, repository: Path, git: Git) -> None:
    commit(git, "Base")
    jay.sources.add(repository, kind="git")
    jay.sync()
    commit(git, "Lost")
    for file in (repository / ".git" / "objects").rglob("*"):
        if file.is_file():
            file.unlink()
    done = jay.sync()
    assert "git says" in done.skipped[0].reason and texts(jay) == ["Base"]
    (repository / ".git").rename(repository / "gone")
    done = jay.sync()
    assert "not a git repository" in done.skipped[0].reason and texts(jay) == ["Base"]


def test_messages_may_hold_anything(jay: Scrubjay, repository: Path, git: Git) -> None:
    strange = ["One \x1e two \x1f three", "木の家 🏠 naïve", f"Use {TOKEN} no more", "%H %n %x00", "--format=x", "-1"]
    for message in strange:
        commit(git, message)
    latin = "Käse".encode("latin-1")
    (repository / "message").write_bytes(latin)
    git("-c", "i18n.commitEncoding=latin-1", "commit", "-q", "--allow-empty", "-F", str(repository / "message"))
    git("commit", "-q", "--allow-empty", "--allow-empty-message", "-m", "")
    jay.sources.add(repository, kind="git")
    done = jay.sync()
    assert done.skipped == ()
    found = texts(jay)
    assert found[:2] == strange[:2] and found[3:6] == strange[3:]
    assert found[2] == "Use [redacted: GitHub token] no more"
    assert found[6] == "Käse" and found[7] == commits(jay)[7].source.removeprefix("commit:")[:12]


def test_no_part_of_a_secret_is_left_where_a_subject_or_an_author_is_cut(
    jay: Scrubjay, repository: Path, git: Git
) -> None:
    git("commit", "-q", "--allow-empty", "-m", f"{'word ' * 57}{TOKEN}", "--author", f"{'Ann ' * 46}{TOKEN} <a@b.c>")
    jay.sources.add(repository, kind="git")
    jay.sync()
    (change,) = commits(jay)
    assert change.actor and TOKEN[:8] not in f"{change.title} {change.actor} {change.text}"


def test_a_users_own_settings_do_not_change_what_is_read(jay: Scrubjay, repository: Path, git: Git) -> None:
    for key, value in {
        "log.showSignature": "true",
        "log.decorate": "full",
        "color.ui": "always",
        "i18n.logOutputEncoding": "utf-16",
        "log.date": "relative",
        "format.pretty": "oneline",
    }.items():
        git("config", key, value)
    id = commit(git, "Paint the shed")
    jay.sources.add(repository, kind="git")
    assert jay.sync().skipped == ()
    assert [(change.text, change.source) for change in commits(jay)] == [("Paint the shed", f"commit:{id}")]


def test_a_hook_of_another_repository_does_not_lead_astray(
    jay: Scrubjay, repository: Path, git: Git, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit(git, "Paint the shed")
    jay.sources.add(repository, kind="git")
    subprocess.run(["git", "init", "-q", str(tmp_path / "other")], check=True, capture_output=True)
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "other" / ".git"))
    jay.sync()
    assert texts(jay) == ["Paint the shed"]


def test_a_deleted_commit_stays_deleted(jay: Scrubjay, repository: Path, git: Git) -> None:
    commit(git, "Base")
    commit(git, "Paint the shed")
    jay.sources.add(repository, kind="git")
    jay.sync()
    jay.delete(commits(jay)[1].id)
    git("commit", "-q", "--amend", "--allow-empty", "--no-edit")
    jay.sync()
    jay.sync(force=True)
    assert texts(jay) == ["Base"]
    jay.sources.remove("shed-git")
    jay.sources.add(repository, kind="git")
    jay.sync()
    assert texts(jay) == ["Base"]


IN_GIT = "HEAD config packed-refs refs/heads/main refs/heads/next commondir shallow info/grafts objects/info/alternates"


@pytest.mark.parametrize("name", [*IN_GIT.split(), "objects/pack/pack-1.idx", "../.mailmap"])
def test_a_repository_with_a_pipe_in_it_is_said_and_not_waited_for(
    jay: Scrubjay, repository: Path, git: Git, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    git("commit", "--allow-empty", "-m", "Begin")
    jay.sources.add(repository, kind="git")
    jay.sync()
    git("commit", "--allow-empty", "-m", "Go on")
    monkeypatch.setattr("scrubjay.sources.git.WAIT_SECONDS", 20)
    (repository / ".git" / name).parent.mkdir(exist_ok=True)
    (repository / ".git" / name).unlink(missing_ok=True)
    os.mkfifo(repository / ".git" / name)
    done = jay.sync()
    is_read = name == "../.mailmap"  # git opens it only to change names, which is not asked for
    assert len(done.skipped) == (not is_read) and len(jay.list(kinds=["change"])) == 1 + is_read
    assert not any("did not answer" in skipped.reason for skipped in done.skipped)
    assert jay.search("Begin")


def by_an_included_file(repository: Path, commit: str) -> None:
    named = '[include]\n\tpath = "settings/more"\n[core] # and one that this one names\n'
    write(repository / ".git" / "config", named)
    write(repository / ".git" / "settings" / "more", '[includeIf "gitdir:/"] path = ../pipe\n')
    os.mkfifo(repository / ".git" / "pipe")


def by_a_file_included_from_elsewhere(repository: Path, commit: str) -> None:
    os.mkfifo(repository.parent / "pipe")
    write(repository / ".git" / "config", f"[include] path = {repository.parent / 'pipe'}\n")


def by_an_object(repository: Path, commit: str) -> None:
    (repository / ".git" / "objects" / commit[:2] / commit[2:]).unlink()
    os.mkfifo(repository / ".git" / "objects" / commit[:2] / commit[2:])


@pytest.mark.parametrize("lead", [by_an_included_file, by_a_file_included_from_elsewhere, by_an_object])
def test_nor_is_a_pipe_that_its_settings_or_its_objects_lead_to(
    jay: Scrubjay, repository: Path, git: Git, lead: Callable[[Path, str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    made = commit(git, "Begin")
    jay.sources.add(repository, kind="git")
    monkeypatch.setattr("scrubjay.sources.git.WAIT_SECONDS", 20)
    lead(repository, made)
    assert "is not a regular file" in jay.sync().skipped[0].reason


def test_a_program_called_git_in_the_folder_is_not_run(
    jay: Scrubjay, repository: Path, git: Git, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit(git, "Begin")
    write(repository / "git", f"#!/bin/sh\ntouch {repository / 'ran'}\n")
    (repository / "git").chmod(0o755)
    monkeypatch.chdir(repository)
    monkeypatch.setenv("PATH", os.pathsep.join(["", ".", os.environ["PATH"]]))
    jay.sources.add(repository, kind="git")
    jay.sync()
    assert texts(jay) == ["Begin"] and not (repository / "ran").exists()
    monkeypatch.setenv("PATH", ".")
    assert "git is not installed" in jay.sync().skipped[0].reason


def test_a_history_that_does_not_fit_in_memory_is_said(
    jay: Scrubjay, repository: Path, git: Git, monkeypatch: pytest.MonkeyPatch
) -> None:
    git("commit", "--allow-empty", "-m", "Begin " + "x" * 5_000)
    monkeypatch.setattr("scrubjay.project.git.MAX_BYTES", 1_000)
    jay.sources.add(repository, kind="git")
    assert "larger than 1,000 bytes" in jay.sync().skipped[0].reason


def test_git_that_does_not_answer_is_not_waited_for() -> None:
    with pytest.raises(ScrubjayError, match="did not answer within 0"):
        _run(["sleep", "60"], os.environ, 0)


def test_a_repositorys_own_settings_run_no_command(jay: Scrubjay, repository: Path, git: Git, tmp_path: Path) -> None:
    first = commit(git, "Begin")
    commit(git, "Paint the shed")
    ran = f'touch "{tmp_path / "ran"}"; false'
    commands = (
        "core.pager core.editor core.fsmonitor core.sshCommand core.gitProxy core.askPass core.alternateRefsCommand"
    )
    names = (
        f"{commands} gpg.program diff.external credential.helper remote.origin.uploadpack uploadpack.packObjectsHook"
    )
    settings = {name: ran for name in names.split()} | {
        "log.showSignature": "true", "pager.log": "true", "protocol.allow": "always",
        "remote.origin.url": str(repository), "remote.origin.promisor": "true", "extensions.partialClone": "origin",
        "core.repositoryFormatVersion": "1",
    }  # fmt: skip
    for name, value in settings.items():
        git("config", name, value)
    # What is missing there would be fetched.
    (repository / ".git" / "objects" / first[:2] / first[2:]).unlink()
    jay.sources.add(repository, kind="git")
    for address in (str(repository), f"ext::sh -c '{ran}'", "ssh://example.invalid/shed"):
        (repository / ".git" / "config").write_text(
            (repository / ".git" / "config").read_text().replace(f"url = {repository}", f"url = {address}")
        )
        assert "git says" in jay.sync(force=True).skipped[0].reason
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("make", [Path.mkdir, lambda git: git.write_text("gitdir: nowhere"), lambda git: None])
def test_a_repository_above_is_not_read_in_place_of_a_broken_one(
    jay: Scrubjay, repository: Path, git: Git, make: Callable[[Path], None]
) -> None:
    commit(git, "Private")
    inner = repository / "inner"
    inner.mkdir()
    subprocess.run(["git", "init", "-q", str(inner)], check=True, capture_output=True)
    jay.sources.add(inner, kind="git")
    shutil.rmtree(inner / ".git")
    make(inner / ".git")
    assert len(jay.sync().skipped) == 1
    assert texts(jay) == []
