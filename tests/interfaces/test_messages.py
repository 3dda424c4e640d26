"""A request that cannot mean anything says so and what to do; a success says what changed."""

from __future__ import annotations

from pathlib import Path

import anyio
import pytest

import scrubjay
from scrubjay import Invalid
from tests.support.commands import Run
from tests.support.mcp_client import talk


def test_a_time_that_ends_before_it_begins_is_refused_at_every_door(
    jay: scrubjay.Scrubjay, path: Path, run: Run
) -> None:
    said = "since (2026-05-01) is after until (2026-04-01); swap them."
    times = ("--since", "2026-05-01", "--until", "2026-04-01")
    for words in (["list"], ["search", "x"], ["timeline"], ["export", "--csv", "-"], ["turns", "search", "x"]):
        assert run(*words, *times).err == f"Error: {said}\n"
    with pytest.raises(Invalid, match="swap them"):
        jay.search("x", since="2026-05-01", until="2026-04-01")
    jay.search("x", since="2026-05-01", until="2026-05-01")

    async def play() -> None:
        async with talk(path) as talking:
            assert said in await talking.refused("memory_search", query="x", since="2026-05-01", until="2026-04-01")

    anyio.run(play)


def test_an_empty_folder_or_patterns_that_match_nothing_are_pointed_out(run: Run, place: Path) -> None:
    (place / "notes").mkdir()
    hint = "`scrubjay sync FOLDER --include PATTERN` reads others, and --client NAME the conversations of an agent."
    assert f"Note: notes has no file that matches *.md *.markdown; {hint}\n" in run("sync", "notes").err
    (place / "notes/a.md").write_text("Tea at four")
    assert hint not in run("sync", "notes").err and hint not in run("sync").err
    assert f"notes has no file that matches *.txt; {hint}" in run("sync", "notes", "--include", "*.txt").err


def test_there_must_be_something_to_watch(run: Run) -> None:
    run("add", "A memory")
    answer = run("watch")
    assert answer.code == 2 and "There is no source to watch; `scrubjay sync FOLDER` adds one." in answer.err


def test_lines_are_counted_from_one(run: Run, place: Path) -> None:
    (place / "notes").mkdir()
    (place / "notes/a.md").write_text("Tea at four")
    run("sync", "notes")
    for words in (["--lines", "0"], ["--from", "0"]):
        answer = run("get", "notes/a.md", *words)
        assert answer.code == 2 and "The first line of a document is 1, and lines must be at least 1." in answer.err


def test_an_add_says_what_it_replaced(jay: scrubjay.Scrubjay, path: Path, run: Run) -> None:
    run("add", "The port is 9000", "--kind", "fact")
    assert run("add", "The port is 9001", "--kind", "fact", "--supersedes", "1").out == (
        "Remembered 2 (fact, replaces 1) The port is 9001\n"
    )
    assert run("add", "The port is 9002", "--supersedes", "2", "--json").json["replaced"] == [2]
    jay.add("The port is 1", kind="fact", subject="port")
    assert jay.add("The port is 2", kind="fact", subject="port", auto_supersede=True).replaced == (1,)
    assert jay.supersede(2, "The port is 3").replaced == (2,)

    async def play() -> None:
        async with talk(path) as talking:
            told = await talking.call("memory_add", text="The port is 4", kind="fact", supersedes=3)
            assert told.startswith("Remembered 4 (fact, replaces 3)")
            assert "3 is replaced" not in told

    anyio.run(play)


def test_an_update_names_the_fields(run: Run) -> None:
    run("add", "The port is 9000")
    answer = run("update", "1", "--tag", "x", "--importance", "3")
    assert answer.out == "Updated tags, importance of 1: The port is 9000\n"
