"""Every command answers in the shape that docs/reference/json.md shows, which is made from the same declarations."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from threading import Event
from unittest.mock import Mock

import click
import pytest

import scrubjay
from scrubjay.interfaces import watch
from scrubjay.interfaces.cli.app import MODULES, cli
from scrubjay.interfaces.shapes import ANSWERS, MADE, NOUNS, shape_of
from scrubjay.remote.verbs import VERBS
from tests.support.commands import Run
from tests.support.json_shapes import BASIC, answer_of, check, empty_lists

PREFERENCE = "I prefer tabs over spaces in every file that I write."
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
    "search --explain": ["search", "heron", "--explain"],
    "turns search": ["turns", "search", "heron"],
    "turns add": ["turns", "add", "--user", "a", "--agent", "b"],
    "capture": ["capture", "answer.txt", "--client", "gemini"],
    "get": ["get", "1"],
    "get --around": ["get", "1", "--around", "2"],
    "history": ["history", "3"],
    "link": ["link", "3", "5"],
    "unlink": ["unlink", "1", "5"],
    "links": ["links", "1"],
    "citations": ["citations", "1"],
    "rate": ["rate", "1", "--helpful"],
    "tasks create": ["tasks", "create", "Feed the heron"],
    "tasks update": ["tasks", "update", "6", "--status", "completed"],
    "sessions start": ["sessions", "start", "noon"],
    "sessions end": ["sessions", "end", "morning"],
    "sessions export": ["sessions", "export", "morning"],
    "sync": ["sync", "notes"],
    "sync --agents": ["sync", "--agents"],
    "sources remove": ["sources", "remove", "notes"],
    "context": ["context", "heron"],
    "status --deep": ["status", "--deep"],
    "profile set": ["profile", "set", "user_info.name", "Ann"],
    "profile unset": ["profile", "unset", "user_info.name"],
    "profile merge": ["profile", "merge", '{"a": {"b": 1}}'],
    "profile history": ["profile", "history"],
    "profile diff": ["profile", "diff", "1", "2"],
    "profile rollback": ["profile", "rollback", "1"],
    "contacts create": ["contacts", "create", "Ben", "--email", "ben@example.org"],
    "contacts get": ["contacts", "get", "ann@example.org"],
    "contacts update": ["contacts", "update", "ann@example.org", "--role", "CTO"],
    "contacts delete": ["contacts", "delete", "ann@example.org"],
    "contacts rollback": ["contacts", "rollback", "ann@example.org", "1"],
    "contacts history": ["contacts", "history", "ann@example.org"],
    "contacts diff": ["contacts", "diff", "ann@example.org", "1", "2"],
    "projects create": ["projects", "create", "Vega"],
    "projects get": ["projects", "get", "Orion"],
    "projects update": ["projects", "update", "Orion", "--priority", "high"],
    "projects delete": ["projects", "delete", "Orion"],
    "projects rollback": ["projects", "rollback", "Orion", "1"],
    "projects history": ["projects", "history", "Orion"],
    "projects diff": ["projects", "diff", "Orion", "1", "2"],
    "projects sources": ["projects", "sources"],
    "projects set-source": ["projects", "set-source", "Orion", "github", "--checked", "ok"],
    "projects remove-source": ["projects", "remove-source", "Orion", "jira"],
    "skills create": ["skills", "create", "look", "--instructions", "Look"],
    "skills get": ["skills", "get", "feed"],
    "skills update": ["skills", "update", "feed", "--disable"],
    "skills delete": ["skills", "delete", "feed"],
    "skills rollback": ["skills", "rollback", "feed", "1"],
    "skills history": ["skills", "history", "feed"],
    "skills diff": ["skills", "diff", "feed", "1", "2"],
    "skills due": ["skills", "due"],
    "skills ran": ["skills", "ran", "feed"],
    "skills read": ["skills", "read", "SKILL.md"],
    "skills write": ["skills", "write", "feed", "feed.md"],
    "extract": ["extract", f"{PREFERENCE} We decided to ship on Fridays."],
    "synthesise": ["synthesise", "--subject", "nobody"],
    "synthesise --apply": ["synthesise", "--apply", "plan.json"],
    "cleanup": ["cleanup", "--dry-run"],
    "trash --empty": ["trash", "--empty", "--force"],
    "reindex": ["reindex", "--embedder", "hashing"],
    "export": ["export", "out.jsonl"],
    "export --format markdown": ["export", "pages", "--format", "markdown"],
    "export --csv": ["export", "--csv", "out.csv"],
    "import": ["import", "other.jsonl"],
    "backup": ["backup", "copy.db"],
    "restore": ["restore", "kept.db", "--force"],
    "move": ["move", "kept.db", "moved.db"],
    "forget": ["forget", "1", "--force"],
    "token create": ["token", "create", "desk"],
    "token revoke": ["token", "revoke", "laptop"],
    "install": ["install", "cursor", "--dry-run"],
    "uninstall": ["uninstall", "cursor"],
    "trust --list": ["trust", "--list"],
    "config KEY": ["config", "decay.turn"],
    "config KEY VALUE": ["config", "search.limit", "3"],
    "config unset": ["config", "unset", "search.mode"],
    "completion": ["completion", "bash"],
}
ENDLESS = {"watch", "activity --follow", "events --follow"}  # until stopped: their answers are tried below
OF_A_PROJECT = {"trust", "trust --list", "distrust"}
# Lists that are empty here; what would stand in them is compared in another answer, but for quarantined memories.
EMPTY = {
    "add": {"similar"},
    "supersede": {"similar"},
    "history": {"links"},
    "status": {"quarantined", "jobs"},
    "status --deep": {"quarantined", "jobs"},
    "stats": {"never_of_use"},
    "projects create": {"sources"},
    "projects rollback": {"sources"},
    "projects remove-source": {"sources"},
    "synthesise": {"changes"},
    "cleanup": {"removed"},
    "events": {"changes"},
}


@pytest.fixture
def stocked(run: Run, place: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setenv("SCRUBJAY_EMBEDDER", "hashing")
    monkeypatch.setenv("SCRUBJAY_LIMITS_MEMORIES", "3")
    (place / "notes").mkdir()
    (place / "notes/a.md").write_text("The heron of the notes")
    (place / "notes/b.md").write_bytes(b"\xff\0\xfe")
    (home / ".claude/projects/heron").mkdir(parents=True)
    (home / ".claude/projects/heron/talk.jsonl").write_text("{}\n")
    (place / "answer.txt").write_text("The heron is 42")
    (place / "lines.jsonl").write_text('{"text": "A heron in a line"}\n{}\n')
    change = {"verb": "correct", "ids": [5], "text": "The heron port is 9091", "reason": "moved"}
    (place / "plan.json").write_text(json.dumps({"changes": [change]}))
    run("add", "The heron port is 8080", "--subject", "heron", "--tag", "bird", "--kind", "fact")
    run("add", "The second heron", "--subject", "heron")
    run("add", "The third heron", "--supersedes", "2")
    run("add", "The deleted heron")
    run("delete", "4")
    run("update", "3", "--tag", "seen")
    run("add", "The heron port is 9090", "--subject", "heron", "--kind", "fact", "--trust", "agent")
    run("link", "1", "5", "depends_on")
    run("update", "1", "--cites", "answer.txt")
    run("tasks", "create", "Feed the heron")
    run("turns", "add", "--user", "Where is the heron?", "--agent", "By the pond", "--session", "morning")
    run("profile", "set", "preferences.tools[0]", "uv")
    run("profile", "set", "preferences.tools[0]", "pip")
    run("contacts", "create", "Ann", "--email", "ann@example.org")
    run("contacts", "update", "ann@example.org", "--company", "Initech")
    run("projects", "create", "Orion")
    run("projects", "set-source", "Orion", "jira")
    run("skills", "create", "feed", "--instructions", "Feed it", "--interval", "5")
    run("skills", "update", "feed", "--max-steps", "3")
    (place / "SKILL.md").write_text("---\nname: sing\n---\n\nSing.\n")
    run("sync", "notes")
    run("extract", PREFERENCE)
    run("token", "create", "laptop")
    run("config", "search.mode", "keyword")
    run("export", "other.jsonl")
    run("backup", "kept.db")
    run("hook", "claude-code", stdin=json.dumps({"hook_event_name": "SessionStart", "cwd": str(place)}).encode())
    return run


@pytest.mark.parametrize("command", [command for command in ANSWERS if command not in ENDLESS])
def test_every_answer_has_its_documented_shape(stocked: Run, command: str) -> None:
    if command in OF_A_PROJECT:
        stocked("init")
    data = stocked(*WORDS.get(command, [command]), "--json").json
    check(answer_of(command), data)
    assert empty_lists(answer_of(command), data) <= EMPTY.get(command, set())


def test_watch_answers_after_each_sync(stocked: Run, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def once(jay: scrubjay.Scrubjay, stop: Event, report: Callable[[scrubjay.Synced], None], poll: bool) -> None:
        report(jay.sync())

    monkeypatch.setattr(watch, "follow", once)
    (place / "notes/a.md").write_text("The heron has moved")
    check(answer_of("watch"), stocked("watch", "--json").json)


def test_activity_that_is_followed_answers_for_each_hook(stocked: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.sleep", Mock(side_effect=KeyboardInterrupt))
    check(answer_of("activity --follow"), stocked("activity", "--follow", "--json").json)


def test_events_that_are_followed_answer_for_each_change(stocked: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    last = stocked("events", "--json").json["last"]
    stocked("confirm", "1")
    stopped = Mock(is_set=Mock(return_value=False), wait=Mock(side_effect=KeyboardInterrupt))
    monkeypatch.setattr("scrubjay.agents.events.Event", lambda: stopped)
    check(answer_of("events --follow"), stocked("events", "--follow", "--after", last, "--json").json)


@pytest.mark.parametrize("name", MODULES)
def test_no_command_is_without_a_documented_answer(name: str) -> None:
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    options = {option: parameter for parameter in command.params for option in parameter.opts}
    if "--json" in options:
        verbs = options["verb"].type.choices if "verb" in options else ()  # type: ignore[attr-defined]
        default = options["verb"].default if verbs else None
        assert name in ANSWERS or verbs
        assert {f"{name} {verb}" for verb in verbs if verb != default} <= set(ANSWERS)


@pytest.mark.parametrize("noun", [*NOUNS, *MADE])
def test_every_word_of_a_shape_is_known(noun: str) -> None:
    for what in shape_of(noun).values():
        assert {word.strip("[]") for word in what.split(" or ")} <= {*BASIC, *NOUNS, *MADE, "first, last"}


def test_every_noun_stands_in_an_answer() -> None:
    given = [*ANSWERS.values(), *(verb.answer for verb in VERBS)]  # by a command, or over HTTP
    answers = [answer for answer in given if isinstance(answer, str)]
    shapes = [answer for answer in given if not isinstance(answer, str)]
    shapes += [shape_of(noun) for noun in (*NOUNS, *MADE)]
    told = {word.strip("[]") for shape in shapes for what in shape.values() for word in what.split(" or ")}
    assert {*NOUNS, *MADE} <= told | set(answers)


def test_the_keys_of_a_noun_are_its_attributes_in_python(jay: scrubjay.Scrubjay) -> None:
    added = jay.add("The heron is blue")
    for name in set(shape_of("added")) - {"id"}:
        assert hasattr(added, name)
    assert all(hasattr(added.memory, name) for name in shape_of("memory"))
    (hit,) = jay.search("heron")
    assert {"score", "also", "corrected_by", "snippet", "why", "words", "neighbours"} <= set(dir(hit))
