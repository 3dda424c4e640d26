"""What a memory cites is FRESH, STALE or GONE, at every door, after any edit."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import scrubjay
from scrubjay import Invalid, NotFound, Scrubjay
from tests.support.clock import Clock
from tests.support.commands import Run
from tests.support.contents import files_hold

LINES = [f"line {number}: value = {number * 7}" for number in range(1, 31)]
SECRET = "ghp_" + "Zx9Cv8Bn7Mq6Ws5Ed4Rf" * 2
LONG_AGO = time.time() - 1_000


def git(root: Path, *words: str) -> str:
    names = ("-c", "user.name=Ann", "-c", "user.email=ann@example.org", "-c", "init.defaultBranch=main")
    done = subprocess.run(("git", *names, *words), cwd=root, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def write(path: Path, lines: list[str]) -> None:
    path.write_text("\n".join(lines) + "\n")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A project with one file that has not changed for a while."""
    folder = tmp_path / "project"
    (folder / "src").mkdir(parents=True)
    write(folder / "src" / "auth.py", LINES)
    os.utime(folder / "src" / "auth.py", (LONG_AGO, LONG_AGO))
    return folder


@pytest.fixture
def jay(path: Path, root: Path, clock: Clock) -> Iterator[Scrubjay]:
    with scrubjay.open(path, embedder="hashing", clock=clock, folder=root) as opened:
        yield opened


def state(jay: Scrubjay, id: int = 1) -> tuple[str, str]:
    (one,) = jay.citations(id)
    return one.state, one.detail


# Files


def test_lines_that_stay_are_fresh_wherever_they_are_and_others_are_stale(jay: Scrubjay, root: Path) -> None:
    file = root / "src" / "auth.py"
    memory = jay.add("Tokens are checked twice", cites=["src/auth.py:10-12"]).memory
    assert list(map(str, memory.cites)) == ["src/auth.py:10-12"] and state(jay) == ("FRESH", "")
    write(file, ["# new", "# lines", *LINES])
    assert state(jay) == ("FRESH", "now lines 12-14")
    write(file, [*LINES[:10], "changed", *LINES[11:]])
    assert state(jay) == ("STALE", "1 of 3 lines changed")
    write(file, [*LINES[:10], "between", *LINES[10:]])
    assert state(jay) == ("STALE", "lines were added or moved between them")
    write(file, LINES[:5])
    assert state(jay) == ("GONE", "the file has only 5 lines now")
    file.rename(root / "src" / "login.py")
    assert state(jay) == ("GONE", "it is not there")
    write(file, LINES)
    assert state(jay) == ("FRESH", "")


def test_a_whole_file_is_cited_and_other_ends_of_lines_do_not_count(jay: Scrubjay, root: Path) -> None:
    jay.add("It is short", cites=["src/auth.py"])
    (root / "src" / "auth.py").write_bytes(b"\r\n".join(line.encode() for line in LINES) + b"\r\n")
    assert state(jay) == ("FRESH", "")
    write(root / "src" / "auth.py", [*LINES, "one more"])
    assert state(jay) == ("STALE", "lines were added or moved")


def test_a_long_part_has_one_mark(jay: Scrubjay, root: Path) -> None:
    write(root / "long.txt", [f"line {number}" for number in range(1_000)])
    jay.add("It is long", cites=["long.txt", "long.txt:1-900"])
    assert [one.state for one in jay.citations(1)] == ["FRESH", "FRESH"]
    write(root / "long.txt", [f"line {number}" for number in range(999)])
    assert [one.state for one in jay.citations(1)] == ["STALE", "FRESH"]


EDITS = st.lists(
    st.tuples(st.sampled_from(["insert", "delete", "change", "touch"]), st.integers(0, 29)), min_size=1, max_size=5
)


@settings(max_examples=60)
@given(edits=EDITS, first=st.integers(1, 28), length=st.integers(1, 3))
def test_after_any_edits_the_word_is_the_right_one(
    tmp_path_factory: pytest.TempPathFactory, edits: list[tuple[str, int]], first: int, length: int
) -> None:
    folder = tmp_path_factory.mktemp("edited")
    file = folder / "a.py"
    write(file, LINES)
    with scrubjay.open(folder / "memory.db", embedder="none", folder=folder) as jay:
        jay.add("It holds", cites=[f"a.py:{first}-{first + length - 1}"])
        cited, lines = LINES[first - 1 : first - 1 + length], list(LINES)
        for number, (edit, place) in enumerate(edits):
            place = min(place, len(lines))
            if edit == "insert":
                lines.insert(place, f"new {number}")
            elif edit != "touch" and lines:
                lines[place : place + 1] = [f"changed {number}"] if edit == "change" else []
            write(file, lines)
            starts = range(len(lines) - length + 1)
            is_there = any(lines[start : start + length] == cited for start in starts)
            right = "FRESH" if is_there else "GONE" if first > len(lines) else "STALE"
            assert state(jay)[0] == right
        file.unlink()
        assert state(jay)[0] == "GONE"


def test_an_unchanged_file_is_not_read_again(jay: Scrubjay, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    jay.add("Tokens are checked twice", cites=["src/auth.py:10-12"])
    with monkeypatch.context() as patch:
        patch.setattr("scrubjay.files.regular_files.read_bytes", lambda *_, **__: pytest.fail("it was read"))
        assert state(jay) == ("FRESH", "")
    write(root / "src" / "auth.py", ["# new", *LINES])
    os.utime(root / "src" / "auth.py", (LONG_AGO + 5, LONG_AGO + 5))
    assert state(jay) == ("FRESH", "now lines 11-13")
    monkeypatch.setattr("scrubjay.files.regular_files.read_bytes", lambda *_, **__: pytest.fail("it was read"))
    assert state(jay) == ("FRESH", "now lines 11-13")


def test_citing_again_takes_it_as_it_is_now_and_a_revert_as_it_was(jay: Scrubjay, root: Path) -> None:
    jay.add("Tokens are checked twice", cites=["src/auth.py:10-12"])
    write(root / "src" / "auth.py", ["all", "is", "new"])
    assert jay.update(1, cites=["src/auth.py:1-2"]).cites[0].lines == (1, 2)
    assert state(jay) == ("FRESH", "")
    assert jay.revert(1).fields == ("cites",) and state(jay)[0] == "GONE"
    jay.update(1, cites=[])
    assert jay.citations(1) == []


def test_a_clone_of_the_same_project_is_looked_at_where_the_work_is(
    path: Path, root: Path, tmp_path: Path, jay: Scrubjay
) -> None:
    other = tmp_path / "clone"
    shutil.copytree(root, other)
    write(other / "src" / "auth.py", ["other"])
    with scrubjay.open(path, embedder="none", folder=root, project="p") as here:
        here.add("Tokens are checked twice", cites=["src/auth.py:10-12"])
    with scrubjay.open(path, embedder="none", folder=other, project="p") as there:
        assert state(there)[0] == "GONE"
    with scrubjay.open(path, embedder="none", folder=other, project="q") as elsewhere:
        assert state(elsewhere)[0] == "FRESH"


# Commits


def test_a_commit_is_fresh_until_it_is_amended_and_gone_without_its_repository(jay: Scrubjay, root: Path) -> None:
    git(root, "init", "-q")
    git(root, "add", ".")
    git(root, "commit", "-qm", "first")
    first = git(root, "rev-parse", "HEAD")
    write(root / "src" / "auth.py", ["second"])
    git(root, "commit", "-qam", "second")
    second = git(root, "rev-parse", "HEAD")
    jay.add("It came with the second", cites=[second[:10], f"commit:{first}"])
    assert [str(one) for one in jay.citations(1)] == [f"commit {second[:12]} FRESH", f"commit {first[:12]} FRESH"]
    git(root, "commit", "-q", "--amend", "-m", "second, amended")
    assert [one.state for one in jay.citations(1)] == ["STALE", "FRESH"]
    assert "no branch" in jay.citations(1)[0].detail
    git(root, "tag", "kept", second)
    assert [one.state for one in jay.citations(1)] == ["FRESH", "FRESH"]
    git(root, "tag", "-d", "kept")
    git(root, "reflog", "expire", "--expire=now", "--all")
    git(root, "gc", "-q", "--prune=now")
    assert [one.state for one in jay.citations(1)] == ["GONE", "FRESH"]
    shutil.rmtree(root / ".git")
    assert [one.state for one in jay.citations(1)] == ["GONE", "GONE"]


# What it was cut from


def test_a_passage_says_whether_its_file_still_says_so(jay: Scrubjay, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "a.md").write_text("# Herons\n\nThe heron nests in the willow.\n")
    jay.sources.add(notes)
    jay.sync()

    def found() -> tuple[str, str]:
        (one,) = jay.search("heron willow", kinds=["passage"])[0].citations
        return one.state, one.detail

    assert found() == ("FRESH", "")
    (notes / "a.md").write_text("# Herons\n\nIntro.\n\nThe heron nests in the willow.\n")
    assert found() == ("FRESH", "")
    (notes / "a.md").write_text("# Herons\n\nThe heron has left.\n")
    assert found()[0] == "STALE"
    assert "notes/a.md" in jay.context("where does the heron nest, in a willow?").text.split("STALE")[0]
    (notes / "a.md").unlink()
    assert found() == ("GONE", "it is not there")


# What is refused


@pytest.mark.parametrize(
    "cites",
    [["../outside.txt"], ["/etc/passwd"], ["link.txt"], ["folder/x"], ["src"], ["src/auth.py:0-3"], ["src/auth.py:9-3"],
     ["src/auth.py:1-999"], ["nothing.py"], [""], [" "], "src/auth.py", [7], ["a\nb"], ["x" * 10_000], ["a\0b"],
     ["src/auth.py"] * 21, ["deadbeef1"], [f"src/{SECRET}.py"]],
    ids=str,
)  # fmt: skip
def test_a_wrong_citation_is_one_sentence_and_changes_nothing(
    jay: Scrubjay, root: Path, path: Path, cites: Any
) -> None:
    (root.parent / "outside.txt").write_text("x")
    (root / "link.txt").symlink_to(root.parent / "outside.txt")
    (root / "folder").symlink_to(root.parent)
    (root.parent / "x").write_text("x")
    jay.add("It holds")
    for attempt in (lambda: jay.add("Another", cites=cites), lambda: jay.update(1, cites=cites)):
        with pytest.raises(Invalid) as refused:
            attempt()
        assert "\n" not in str(refused.value) and SECRET not in str(refused.value)
    assert [(memory.text, memory.cites) for memory in jay.list()] == [("It holds", ())]
    assert files_hold(path, SECRET) == []


def test_a_pipe_and_a_link_out_of_the_project_are_not_read(jay: Scrubjay, root: Path) -> None:
    os.mkfifo(root / "pipe")
    with pytest.raises(Invalid):
        jay.add("It holds", cites=["pipe"])
    jay.add("It holds", cites=["src/auth.py:1-2"])
    (root / "src" / "auth.py").unlink()
    (root / "src" / "auth.py").symlink_to("/etc/passwd")
    assert state(jay)[0] == "GONE"


def test_a_server_for_others_cites_no_file_of_its_own(jay: Scrubjay) -> None:
    from dataclasses import replace

    with pytest.raises(Invalid, match="Nothing can be cited here"):
        Scrubjay(replace(jay.view, folder=None)).add("It holds", cites=["src/auth.py"])


def test_a_citation_of_another_space_is_not_found(jay: Scrubjay) -> None:
    jay.add("It holds", cites=["src/auth.py"])
    with pytest.raises(NotFound):
        jay.lend(space="other").citations(1)


# Every door


def test_every_answer_says_how_fresh_it_is(
    run: Run, place: Path, jay: Scrubjay, root: Path, reopen: Callable[..., Scrubjay]
) -> None:
    write(place / "auth.py", LINES)
    run("add", "Tokens are checked twice", "--cites", "auth.py:10-12", "--kind", "decision", "--importance", "9")
    assert "(auth.py:10-12 FRESH) Tokens" in run("search", "tokens").out
    write(place / "auth.py", [*LINES[:10], "changed", *LINES[11:]])
    stale = "auth.py:10-12 STALE: 1 of 3 lines changed"
    assert f"({stale}) Tokens" in run("search", "tokens").out
    assert json.loads(run("search", "tokens", "--json").out)["results"][0]["citations"] == [
        {"cites": "auth.py:10-12", "state": "STALE", "detail": "1 of 3 lines changed"}
    ]
    assert run("citations", "1").out == f"{stale}\n" and "There is no memory 7" in run("citations", "7").err
    assert stale in run("get", "1").out and stale in run("context").out and stale in run("context", "tokens twice").out
    assert json.loads(run("get", "1", "--json").out)["memories"][0]["cites"] == ["auth.py:10-12"]
    assert f"Memory 1 cites {stale}" in run("check").out + run("check").err
    assert f"Cites {stale}." in " ".join(run("search", "tokens", "--explain").out.split())
    run("update", "1", "--clear", "cites")
    assert run("citations", "1").out == "Memory 1 cites nothing.\n"
    assert "STALE" not in run("search", "tokens").out
