"""What belongs to the files at hand is told: by patterns of a memory, and by what it cites."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest

import scrubjay
from scrubjay import Invalid, Scrubjay
from tests.support.clock import Clock
from tests.support.commands import Run
from tests.support.contents import ids
from tests.support.mcp_client import talk

SECRET = "ghp_" + "Zx9Cv8Bn7Mq6Ws5Ed4Rf" * 2


@pytest.fixture
def jay(path: Path, tmp_path: Path, clock: Clock) -> Iterator[Scrubjay]:
    root = tmp_path / "project"
    (root / "src" / "auth").mkdir(parents=True)
    (root / "src" / "auth" / "login.py").write_text("a\nb\n")
    with scrubjay.open(path, embedder="hashing", clock=clock, folder=root, project="p") as opened:
        yield opened


def told(jay: Scrubjay, *files: str, **asked: Any) -> list[int]:
    return ids(jay.context(files=files, **asked).memories)


def test_a_memory_is_told_for_the_files_that_its_patterns_match(jay: Scrubjay) -> None:
    jay.add("Logins are tried three times", paths=["src/auth/**"])
    jay.add("Styles are in one file", paths=["*.css", "!old.css"])
    jay.add("It belongs to no file")
    assert told(jay, "src/auth/login.py") == [1] and told(jay, "web/a.css") == [2] and told(jay, "web/old.css") == []
    assert sorted(told(jay, "src/auth/login.py", "a.css")) == [1, 2]
    assert "(for src/auth/login.py)" in jay.context(files=["src/auth/login.py"]).text


def test_what_cites_a_file_belongs_to_it_and_says_how_fresh_it_is(jay: Scrubjay) -> None:
    jay.add("Logins are short", cites=["src/auth/login.py:1-2"])
    assert told(jay, "src/auth/login.py") == [1]
    assert "src/auth/login.py:1-2 FRESH" in jay.context(files=["src/auth/login.py"]).text


def test_the_users_word_and_what_is_important_come_first_within_the_budget(jay: Scrubjay) -> None:
    jay.lend(trust="agent").add("An agent says so", paths=["*.py"], importance=9)
    jay.add("It is said", paths=["*.py"])
    jay.add("It is important", paths=["*.py"], importance=8)
    assert told(jay, "a.py") == [3, 2, 1]
    assert len(told(jay, "a.py", tokens=60)) < 3


def test_a_session_is_told_nothing_twice_and_a_message_is_answered_as_well(jay: Scrubjay) -> None:
    jay.add("Logins are tried three times", paths=["*.py"])
    jay.add("The heron nests in the willow", kind="fact")
    found = jay.context("where does the heron nest? in the willow", files=["a.py"], session="s")
    assert ids(found.memories) == [1, 2]
    assert told(jay, "a.py", session="s") == []


def test_other_projects_and_spaces_are_not_told(jay: Scrubjay) -> None:
    jay.add("Of another project", paths=["*.py"], project="q")
    jay.lend(space="other").add("Of another space", paths=["*.py"])
    assert told(jay, "a.py") == []


def test_patterns_are_updated_merged_and_inherited(jay: Scrubjay) -> None:
    jay.add("Logins are tried three times", paths=["*.py"])
    assert jay.add("Logins are tried three times", paths=["*.js"]).memory.paths == ("*.py", "*.js")
    assert jay.supersede(1, "Logins are tried twice").memory.paths == ("*.py", "*.js")
    jay.update(2, paths=["*.go"])
    assert told(jay, "a.py") == [] and told(jay, "a.go") == [2]
    jay.revert(2)
    assert told(jay, "a.py") == [2]


@pytest.mark.parametrize(
    "paths", [[""], ["../x"], ["a/../../b"], ["x" * 10_000], "*.py", ["*.py"] * 21, [7], ["!a"], [SECRET]], ids=str
)
def test_a_wrong_pattern_is_one_sentence_and_changes_nothing(jay: Scrubjay, paths: Any) -> None:
    jay.add("It holds")
    for attempt in (lambda: jay.add("Another", paths=paths), lambda: jay.update(1, paths=paths)):
        with pytest.raises(Invalid) as refused:
            attempt()
        assert "\n" not in str(refused.value) and SECRET not in str(refused.value)
    assert [(memory.text, memory.paths) for memory in jay.list()] == [("It holds", ())]


@pytest.mark.parametrize("files", ["a.py", [7], ["../x"], ["/etc/passwd"], [""], ["a\0"], ["a"] * 101])
def test_wrong_files_are_one_sentence(jay: Scrubjay, files: Any) -> None:
    with pytest.raises(Invalid) as refused:
        jay.context(files=files)
    assert "\n" not in str(refused.value)


def test_the_command_line_tells_it(run: Run) -> None:
    run("add", "Logins are tried three times", "--path", "src/**")
    assert "Logins are tried" in run("context", "--file", "src/a.py").out
    assert run("context", "--file", "docs/a.md").out == "There is nothing to show.\n"


def test_agents_connect_memories_and_ask_for_files(path: Path) -> None:
    async def play() -> None:
        async with talk(path, "auto") as talking:
            await talking.call("memory_add", text="The heron nests here", aliases=["Bill"], kind="fact")
            await talking.call("memory_add", text="The willow is old", kind="fact")
            assert await talking.call("memory_link", id=1, to=2, word="depends_on") == "Linked 1 depends_on 2."
            assert "1 depends_on 2: [2] The willow is old" in await talking.call("memory_links", id=1)
            found = await talking.call("memory_search", query="Bill heron", expand=1, limit=1)
            assert "1 depends_on 2: [2] The willow is old" in found
            assert await talking.call("memory_rate", id=1, helpful=True, session="s") == "Rated 1."
            assert await talking.call("memory_connect", id=2, paths=["*.tree"]) == "Updated 2"
            assert "The willow is old" in await talking.call("memory_files", files=["a.tree"])
            assert await talking.call("memory_unlink", id=1, to=2) == "Took away 1 from 1 to 2."
            told = await talking.call("memory_history", id=2)
            assert re.search(r"1 was linked to 2 on [\d-]+.*: depends_on; undone on [\d-]+", told)
            assert "itself" in await talking.refused("memory_link", id=1, to=1)

    anyio.run(play)
