"""A name in a filter that no memory has is pointed out, with what may have been meant."""

from __future__ import annotations

from pathlib import Path

import anyio
import pytest

from scrubjay import Scrubjay
from scrubjay.text.kinds import DESCRIPTIONS
from tests.support.commands import Run
from tests.support.mcp_client import talk


@pytest.fixture
def stocked(jay: Scrubjay) -> Scrubjay:
    jay.add("Ann likes herons", kind="preference", subject="Ann", tags=["birds"], project="github.com/ann/pond")
    jay.add("Herons fish at dawn", kind="fact", source="file:notes/birds.md")
    jay.add_turns("morning talk", [{"speaker": "Bernard", "text": "Herons again"}])
    return jay


@pytest.mark.parametrize(
    ("named", "sentence"),
    [
        ({"kinds": ["preferance"]}, "No memory here has the kind 'preferance'; did you mean 'preference'?"),
        ({"kinds": ["decison"]}, "No memory here has the kind 'decison'; did you mean 'decision'?"),
        ({"kinds": ["zzz"]}, "No memory here has the kind 'zzz'; `scrubjay kinds` lists them."),
        ({"kinds": ["decision"]}, "No memory here has the kind 'decision'; `scrubjay kinds` lists them."),
        ({"subject": "ann"}, "No memory here has the subject 'ann'; did you mean 'Ann'?"),
        ({"tags": ["bird"]}, "No memory here has the tag 'bird'; did you mean 'birds'?"),
        ({"subject": "Anm"}, "No memory here has the subject 'Anm'; did you mean 'Ann'?"),
        ({"speaker": "Bernhard"}, "No memory here has the speaker 'Bernhard'; did you mean 'Bernard'?"),
        ({"session": "morning-talk"}, "No memory here has the session 'morning-talk'; did you mean 'morning talk'?"),
        ({"sources": ["flie"]}, "No memory here has the source 'flie'; did you mean 'file'?"),
        ({"project": "github.com/ann/ponds"}, "did you mean 'github.com/ann/pond'?"),
        ({"subject": "nobody at all"}, "No memory here has the subject 'nobody at all'."),
    ],
)
def test_a_search_says_what_it_did_not_know(stocked: Scrubjay, named: dict[str, object], sentence: str) -> None:
    results = stocked.search("herons", **named)  # type: ignore[arg-type]
    assert not results and any(note.endswith(sentence) for note in results.notes)
    assert any(note.endswith(sentence) for note in stocked.filter_notes(**named))  # type: ignore[arg-type]


def test_what_is_known_is_not_remarked_on(stocked: Scrubjay) -> None:
    known = {"kinds": ["fact", "turn"], "subject": "Ann", "tags": ["birds"], "speaker": "Bernard", "sources": ["file"]}
    assert stocked.filter_notes(**known) == []  # type: ignore[arg-type]
    found = stocked.search("herons", kinds=["preference", "preferance"])
    assert len(found) == 1 and sum("preferance" in note for note in found.notes) == 1


def test_nothing_of_another_space_is_suggested(stocked: Scrubjay) -> None:
    other = stocked.lend(space="other")
    assert other.filter_notes(subject="An", tags=["bird"]) == [
        "No memory here has the subject 'An'.",
        "No memory here has the tag 'bird'.",
    ]


def test_kinds_are_counted(stocked: Scrubjay) -> None:
    assert stocked.kinds() == {"fact": 1, "preference": 1, "turn": 1}


def test_the_command_line_lists_kinds_and_remarks_on_strange_ones(run: Run) -> None:
    for text in ("one", "two"):
        run("add", text, "--kind", "recipe")
    listed = run("kinds", "--json").json["kinds"]
    assert listed[0] == {"kind": "recipe", "memories": 2, "what": None}
    assert {one["kind"] for one in listed} == {"recipe", *DESCRIPTIONS}
    assert run("kinds").out.splitlines()[1].split() == ["recipe", "2", "your", "own", "kind"]
    for command in (["list"], ["timeline"], ["search", "one"]):
        assert "did you mean 'recipe'?" in run(*command, "--kind", "recpie").err
    assert "did you mean 'recipe'?" in run("list", "--kind", "recpie", "--json").json["notes"][0]
    run("add", "three", "--subject", "kitchen")
    assert "did you mean 'kitchen'?" in run("history", "--subject", "kitchn").err
    assert run("history", "--subject", "kitchen").err == ""


def test_so_does_an_agents_list(stocked: Scrubjay, path: Path) -> None:
    async def play() -> None:
        async with talk(path) as talking:
            assert "Note: No memory here has the tag 'bird'; did you mean 'birds'?" in await talking.call(
                "memory_list", tags=["bird"]
            )
            assert "did you mean 'preference'?" in await talking.call("memory_search", query="x", kinds=["preferance"])

    anyio.run(play)
