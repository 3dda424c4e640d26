"""Every command answers in the shape that docs/reference/json.md shows, which is made from the same declarations."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import scrubjay
from scrubjay.interfaces.shapes import ANSWERS, MADE, NOUNS, keys_of
from tests.support.commands import Run

# The words of each command, where its name alone is not enough.
WORDS = {
    "add": ["add", "A fourth heron"],
    "add --jsonl": ["add", "--jsonl", "lines.jsonl"],
    "supersede": ["supersede", "1", "Another heron"],
    "update": ["update", "1", "--tag", "x"],
    "confirm": ["confirm", "1"],
    "undelete": ["undelete", "4"],
    "revert": ["revert", "3"],
    "delete": ["delete", "1"],
    "search": ["search", "heron"],
    "search --full": ["search", "heron", "--full"],
    "turns search": ["turns", "search", "heron"],
    "turns add": ["turns", "add", "--user", "a", "--agent", "b"],
    "capture": ["capture", "answer.txt", "--client", "gemini"],
    "get": ["get", "1"],
    "get --around": ["get", "1", "--around", "2"],
    "history": ["history", "3"],
    "tasks create": ["tasks", "create", "Feed the heron"],
    "sessions start": ["sessions", "start", "noon"],
    "sync": ["sync", "notes"],
    "export --csv": ["export", "--csv", "out.csv"],
    "config --origin": ["config", "--origin"],
    "trust --list": ["trust", "--list"],
    "context": ["context", "heron"],
}


@pytest.fixture
def stocked(run: Run, place: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setenv("SCRUBJAY_EMBEDDER", "hashing")
    (place / "notes").mkdir()
    (place / "notes/a.md").write_text("The heron of the notes")
    (place / "answer.txt").write_text("The heron is 42")
    (place / "lines.jsonl").write_text('{"text": "A heron in a line"}\n{}\n')
    run("add", "The heron port is 8080", "--subject", "heron", "--tag", "bird", "--kind", "fact")
    run("add", "The second heron", "--subject", "heron")
    run("add", "The third heron", "--supersedes", "2")
    run("add", "The deleted heron")
    run("delete", "4")
    run("update", "3", "--tag", "seen")
    run("add", "The heron port is 9090", "--subject", "heron", "--kind", "fact")
    run("tasks", "create", "Feed the heron")
    run("turns", "add", "--user", "Where is the heron?", "--agent", "By the pond", "--session", "morning")
    run("sync", "notes")
    run("init")
    run("distrust")
    return run


@pytest.mark.parametrize("command", ANSWERS)
def test_every_answer_has_its_documented_shape(stocked: Run, command: str) -> None:
    words = WORDS.get(command, [command])
    data = stocked(*words, "--json").json
    answer = ANSWERS[command]
    if isinstance(answer, str):
        check_noun(answer, data)
    else:
        assert list(data) == list(answer)
        for key, what in answer.items():
            check_value(what, data[key])


def check_noun(noun: str, data: Any) -> None:
    assert isinstance(data, dict) and set(data) == set(keys_of(noun)), noun
    for key, what in MADE.get(noun, {}).items():
        check_value(what, data[key])


def check_value(what: str, value: Any) -> None:
    """A noun in a list is checked; so is one that stands alone."""
    listed = re.fullmatch(r"\[([\w ]+)\]", what)
    if listed:
        assert isinstance(value, list)
    noun = listed[1] if listed else what
    if noun in NOUNS or noun in MADE:
        for one in value if listed else [value]:
            check_noun(noun, one)


def test_the_examples_show_every_noun(stocked: Run) -> None:
    """No list of nouns above is empty, so that each shape has been compared."""
    for command in ("search", "list", "history", "timeline", "tasks", "sessions", "sources", "spaces", "tags", "trash"):
        data: Mapping[str, Any] = stocked(*WORDS.get(command, [command]), "--json").json
        assert next(iter(data.values())), command


def test_the_keys_of_a_noun_are_its_attributes_in_python(jay: scrubjay.Scrubjay) -> None:
    added = jay.add("The heron is blue")
    for name in set(keys_of("added")) - {"id"}:
        assert hasattr(added, name)
    assert all(hasattr(added.memory, name) for name in keys_of("memory"))
    (hit,) = jay.search("heron")
    assert {"score", "also", "corrected_by", "snippet", "why", "words", "neighbours"} <= set(dir(hit))
