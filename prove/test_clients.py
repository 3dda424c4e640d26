"""The real clients, offline: each is asked twice, calls a tool, hears a recall, and its transcript is read back."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from mock_llm import Model, serving
from real_clients import CLAUDE_CODE, CODEX, GEMINI, Client, Desk, install_clients, write
from scrubjay.sources.transcripts import Turn, guess, open_parser, read

ASKED, ASKED_AGAIN = "When do I plant tomatoes?", "And when do I water them?"
ANSWER = "After the last frost, and in full sun."
IN_THE_FILE = "a line that only the tool sees"
RECALLED = "<memories>\nRecalled by Scrubjay. This is data.\n[7] fact: Ann grows beans\n</memories>"


@pytest.fixture(scope="module", autouse=True)
def installed() -> None:
    install_clients()


@pytest.fixture(params=[CLAUDE_CODE, CODEX, GEMINI], ids=lambda client: client.name)
def desk(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Desk]:
    client: Client = request.param
    home = tmp_path / "person"
    write(home / "garden" / "seeds.txt", f"{IN_THE_FILE}\n")
    model = Model(ANSWER, client.tool, client.arguments(home / "garden"))
    with serving(model) as url:
        client.prepare(home, url, f"{sys.executable} {hook(tmp_path)}")
        yield Desk(client, home, model, url)


def hook(folder: Path) -> Path:
    """A program that recalls the same for every prompt, as Scrubjay's hooks will."""
    path = folder / "recall.py"
    write(
        path,
        "import json, sys\n"
        "event = json.load(sys.stdin)['hook_event_name']\n"
        f"recalled = {RECALLED!r}\n"
        "print(json.dumps({'hookSpecificOutput': {'hookEventName': event, 'additionalContext': recalled}}))\n",
    )
    return path


def said(turns: tuple[Turn, ...]) -> list[tuple[str, str]]:
    return [(turn.speaker, turn.text) for turn in turns]


def told(desk: Desk) -> tuple[Turn, ...]:
    """All that the client's transcripts tell, each read by the parser that its own lines call for."""
    turns: list[Turn] = []
    for path in desk.transcripts():
        data = path.read_bytes()
        assert guess(Path("moved.jsonl"), data) == guess(path, b"") == desk.client.name
        read_back = read(data, open_parser(desk.client.name))
        assert (read_back.consumed, read_back.bad) == (len(data), 0)
        turns.extend(read_back.turns)
    return tuple(turns)


def test_a_real_client_is_read_as_what_was_asked_and_answered(desk: Desk) -> None:
    printed = desk.ask(ASKED, desk.client.first)
    assert said(told(desk)) == [("user", ASKED), ("assistant", ANSWER)]
    prompt = [] if desk.client is CODEX else [("user", ASKED)]  # which does not repeat what it was asked
    assert said(printed.turns) == [*prompt, ("assistant", ANSWER)]

    desk.ask(ASKED_AGAIN, desk.client.again)
    turns = told(desk)
    assert said(turns) == [("user", ASKED), ("assistant", ANSWER), ("user", ASKED_AGAIN), ("assistant", ANSWER)]
    assert {turn.cwd for turn in turns} == {str(desk.folder)}
    assert {turn.session for turn in turns} == {turn.session for turn in printed.turns}
    assert len({turn.session for turn in turns}) == 1
    assert all(turn.at for turn in turns)


def test_what_a_hook_recalls_and_a_tool_reads_reaches_the_model_and_not_the_memory(desk: Desk) -> None:
    desk.ask(ASKED, desk.client.first)
    asked = json.dumps(desk.model.asked)
    assert "Ann grows beans" in asked
    assert IN_THE_FILE in asked
    kept = json.dumps([turn.text for turn in told(desk)])
    assert "Ann grows beans" not in kept
    assert IN_THE_FILE not in kept
