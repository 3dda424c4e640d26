"""What the work is about: one repository has one identity, wherever and however it was cloned."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

import scrubjay
from scrubjay.project.identity import identify

HERE = ("-c", "user.name=Ann", "-c", "user.email=ann@example.org", "-c", "init.defaultBranch=main")


def git(folder: Path, *words: str) -> None:
    subprocess.run(["git", "-C", str(folder), *HERE, *words], check=True, capture_output=True, timeout=60)


def repository(folder: Path, origin: str | None = None) -> Path:
    folder.mkdir(parents=True)
    git(folder, "init")
    git(folder, "commit", "--allow-empty", "-m", "first")
    if origin:
        git(folder, "remote", "add", "origin", origin)
    return folder


def configured(folder: Path, config: str) -> Path:
    (folder / ".git").mkdir(parents=True)
    (folder / ".git" / "config").write_text(config)
    return folder


SAME = [
    "https://github.com/Ann/Bird.git",
    "https://github.com/ann/bird",
    "https://github.com/ann/bird/",
    "https://github.com:443/ann/bird.git",
    "https://ann@github.com/ann/bird.git",
    "https://ann:token@github.com/ann/bird.git",
    "https://ann:to@ken@github.com/ann/bird.git",
    "http://GitHub.com/ann/bird.git",
    "ssh://git@github.com/ann/bird.git",
    "ssh://git@github.com:22/ann/bird.git",
    "git://github.com/ann/bird.git",
    "git+ssh://git@github.com/ann/bird.git",
    "git@github.com:ann/bird.git",
    "git@github.com:/ann/bird.git",
    "github.com:ann/bird",
    "ann.b@GITHUB.COM:Ann/Bird.git/",
]


@pytest.mark.parametrize("url", SAME)
def test_every_way_to_write_an_origin_is_one_identity(tmp_path: Path, url: str) -> None:
    assert identify(configured(tmp_path / "clone", f'[remote "origin"]\n\turl = {url}\n')) == "github.com/ann/bird"


@pytest.mark.parametrize(
    ("url", "identity"),
    [
        ("git@github.com:123/bird.git", "github.com/123/bird"),
        ("https://github.com/123/bird.git", "github.com/123/bird"),
        ("ssh://git@git.example.org:2222/123/bird.git", "git.example.org/123/bird"),
        ("https://gitlab.com/group/sub/team/bird.git", "gitlab.com/group/sub/team/bird"),
        ("git@host:foo@bar/bird", "host/foo@bar/bird"),
        ("ssh://git@[2001:db8::1]:22/ann/bird.git", "[2001:db8::1]/ann/bird"),
        ("https://github.com/ann/bird.github.io.git", "github.com/ann/bird.github.io"),
    ],
)
def test_owners_may_be_numbers_and_groups_may_be_deep(tmp_path: Path, url: str, identity: str) -> None:
    assert identify(configured(tmp_path / "clone", f'[remote "origin"]\n\turl = {url}\n')) == identity


@pytest.mark.parametrize("url", ["/srv/git/bird.git", "../bird.git", "./bird", "~/bird.git"])
def test_an_origin_that_is_a_path_is_no_identity_so_the_root_is(tmp_path: Path, url: str) -> None:
    clone = configured(tmp_path / "clone", f'[remote "origin"]\n\turl = {url}\n')
    assert identify(clone) == str(clone)


def test_only_the_origin_counts(tmp_path: Path) -> None:
    config = """
[core]
\tbare = false
[remote "upstream"]
\turl = https://github.com/other/bird.git
[remote "origin"]
\tfetch = +refs/heads/*:refs/remotes/origin/*
\tpushurl = https://github.com/pushed/bird.git
; url = https://github.com/commented/bird.git
\turl = https://github.com/ann/bird.git
[branch "main"]
\tremote = upstream
"""
    assert identify(configured(tmp_path / "clone", config)) == "github.com/ann/bird"


def test_another_remote_is_not_taken_for_the_origin(tmp_path: Path) -> None:
    config = '[remote "origin"]\n\tfetch = x\n[remote "upstream"]\n\turl = https://github.com/other/bird.git\n'
    clone = configured(tmp_path / "clone", config)
    assert identify(clone) == str(clone)


def test_clones_worktrees_and_folders_below_agree(tmp_path: Path) -> None:
    main = repository(tmp_path / "main", "git@github.com:ann/bird.git")
    git(main, "worktree", "add", str(tmp_path / "elsewhere" / "tree"))
    below = main / "src" / "deep"
    below.mkdir(parents=True)
    other = repository(tmp_path / "clone", "https://github.com/ann/bird")
    folders = (main, below, tmp_path / "elsewhere" / "tree", other)
    assert {identify(folder) for folder in folders} == {"github.com/ann/bird"}


def test_a_moved_clone_is_still_the_same(tmp_path: Path) -> None:
    clone = repository(tmp_path / "before", "https://github.com/ann/bird.git")
    assert identify(clone) == identify(clone.rename(tmp_path / "after")) == "github.com/ann/bird"


def test_without_an_origin_it_is_the_root_for_worktrees_too(tmp_path: Path) -> None:
    main = repository(tmp_path / "main")
    git(main, "worktree", "add", str(tmp_path / "tree"))
    link = tmp_path / "link"
    link.symlink_to(main)
    (main / "src").mkdir()
    assert {identify(folder) for folder in (main, main / "src", tmp_path / "tree", link)} == {str(main.resolve())}


def test_a_submodule_is_a_repository_of_its_own(tmp_path: Path) -> None:
    part = repository(tmp_path / "part")
    main = repository(tmp_path / "main", "https://github.com/ann/bird.git")
    git(main, "-c", "protocol.file.allow=always", "submodule", "add", str(part), "part")
    assert identify(main / "part") == str(main / "part")
    git(main / "part", "remote", "set-url", "origin", "https://github.com/ann/part.git")
    assert identify(main / "part") == "github.com/ann/part"


def test_a_bare_repository_is_known_through_its_worktrees(tmp_path: Path) -> None:
    repository(tmp_path / "source")
    git(tmp_path, "clone", "--bare", str(tmp_path / "source"), "bird.git")
    bare = tmp_path / "bird.git"
    assert identify(bare) is None
    git(bare, "remote", "set-url", "origin", "https://github.com/ann/bird.git")
    git(bare, "worktree", "add", str(tmp_path / "tree"))
    assert identify(tmp_path / "tree") == "github.com/ann/bird"


def test_outside_of_any_repository_there_is_none(tmp_path: Path) -> None:
    assert identify(tmp_path) is None
    assert identify(tmp_path / "not" / "there") is None


@pytest.mark.parametrize(
    "pointer",
    [
        b"",
        b"gitdir:",
        b"gitdir: /nowhere/at/all",
        b"gitdir: .git",
        b"gitdir: a\0b",
        b"gitdir: " + b"x" * 5000,
        bytes(range(128, 256)),
    ],
    ids=lambda pointer: ascii(pointer[:20]),
)
def test_a_broken_pointer_is_still_a_place(tmp_path: Path, pointer: bytes) -> None:
    (tmp_path / ".git").write_bytes(pointer)
    assert identify(tmp_path) == str(tmp_path)


def test_a_broken_repository_is_still_a_place(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    assert identify(tmp_path) == str(tmp_path)
    (tmp_path / ".git" / "config").mkdir()
    assert identify(tmp_path) == str(tmp_path)
    (tmp_path / ".git" / "config").rmdir()
    (tmp_path / ".git" / "config").write_bytes(b'\xff\xfe[remote "origin"]\nurl')
    assert identify(tmp_path) == str(tmp_path)


def test_a_worktree_with_a_broken_way_back_is_still_a_place(tmp_path: Path) -> None:
    (tmp_path / ".git").write_text("gitdir: own")
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "commondir").write_bytes(b"\xff\xfe\0")
    assert identify(tmp_path) == str(tmp_path)


def test_memories_of_the_project_are_lifted_and_can_be_asked_for(tmp_path: Path) -> None:
    here = identify(repository(tmp_path / "main", "git@github.com:ann/bird.git"))
    path = tmp_path / "memory.db"
    with scrubjay.open(path, embedder="none", project=here) as jay:
        jay.add("The port is 8080", kind="fact")
    with scrubjay.open(path, embedder="none", project="github.com/ann/fish") as jay:
        jay.add("The port is 9090", kind="fact")
        assert jay.search("port")[0].memory.text == "The port is 9090"
        assert [memory.text for memory in jay.list(project=here)] == ["The port is 8080"]
    with scrubjay.open(path, embedder="none", project=here) as jay:
        assert jay.search("port")[0].memory.text == "The port is 8080"


def test_what_is_longer_than_any_path_lies_in_no_repository(tmp_path: Path) -> None:
    """An agent's transcript may name any folder, and to look above each part of it would take for ever."""
    repository(tmp_path / "shed", None)
    assert identify(tmp_path / "shed" / ("a/" * 3_000)) is None
