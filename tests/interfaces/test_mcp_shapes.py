"""Every tool of the MCP server gives, to a program that asks for it, the JSON of the command that does the same."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import scrubjay
from scrubjay.files import json_log
from scrubjay.files.user_folders import hooks_log
from scrubjay.interfaces.mcp.callers import Caller, Grant, calling
from scrubjay.interfaces.mcp.catalog import Catalog, make_catalog
from scrubjay.interfaces.mcp.definition import Shape
from scrubjay.interfaces.mcp.opener import Opener
from scrubjay.interfaces.mcp.protocol import JSON_KEY
from scrubjay.interfaces.mcp.tools import SETS, tools_of
from scrubjay.interfaces.shapes import shape_of
from tests.support.clock import Clock
from tests.support.json_shapes import answer_of, check, empty_lists

ASKS = {JSON_KEY: True}
CONTACT, PROJECT, SKILL = 11, 13, 15
RECORDS = {"contacts": CONTACT, "projects": PROJECT, "skills": SKILL}
# The arguments with which a tool answers; of a tool that answers as one of several commands does, for each of them.
CALLS: dict[str, dict[str, Any]] = {
    "memory_add": {"text": "A fourth heron"},
    "memory_add_many": {"items": [{"text": "A heron in a list"}, {"text": ""}]},
    "memory_search as search": {"query": "heron"},
    "memory_search as search --explain": {"query": "heron", "explain": True},
    "memory_get as get": {"ids": [1, 3]},
    "memory_get as get --around": {"ids": [1], "around": 2},
    "memory_update": {"id": 1, "tags": ["x"], "confirm": True},
    "memory_supersede": {"id": 1, "text": "Another heron"},
    "memory_delete": {"id": 1},
    "memory_names as spaces": {"of": "spaces"},
    "memory_names as subjects": {"of": "subjects"},
    "memory_names as kinds": {"of": "kinds"},
    "memory_names as tags": {"of": "tags"},
    "memory_names as sessions": {"of": "sessions"},
    "memory_names as sources": {"of": "sources"},
    "memory_history": {"id": 3},
    "memory_revert": {"id": 3},
    "memory_undelete": {"id": 4},
    "memory_link": {"id": 3, "to": 5},
    "memory_unlink": {"id": 1, "to": 5},
    "memory_links": {"id": 1},
    "memory_rate": {"id": 1, "helpful": True},
    "memory_connect": {"id": 1, "aliases": ["grey bird"]},
    "memory_files": {"files": ["src/heron.py"]},
    "memory_curate": {"task": "heron"},
    "task_create": {"text": "Look for the heron"},
    "task_update": {"id": 6, "status": "completed"},
    "session_start": {"session": "noon"},
    "session_end": {"session": "morning"},
    "session_turns": {"session": "noon", "turns": [{"speaker": "Ann", "text": "A heron"}]},
    "profile_set": {"path": "user_info.name", "value": "Ann"},
    "profile_unset": {"path": "preferences.tools"},
    "profile_merge": {"data": {"a": {"b": 1}}},
    "profile_history as profile diff": {"first": 1, "second": 2},
    "profile_rollback": {"version": 1},
    "contact_create": {"name": "Ben"},
    "contact_update": {"contact": CONTACT, "fields": {"role": "CTO"}},
    "project_create": {"name": "Vega"},
    "project_update": {"project": PROJECT, "fields": {"priority": "high"}},
    "project_set_source": {"project": PROJECT, "system": "github", "status": "ok"},
    "project_remove_source": {"project": PROJECT, "system": "jira"},
    "skill_create": {"name": "look", "instructions": "Look"},
    "skill_update": {"skill": SKILL, "fields": {"enabled": False}},
    "skill_list as skills due": {"due": True},
    "skill_ran": {"skill": SKILL},
    **{
        f"record_{verb} as {records} {verb}": {"id": id, **more}
        for records, id in RECORDS.items()
        for verb, more in (("get", {}), ("delete", {}), ("history", {}), ("rollback", {"version": 1}))
    },
    **{f"record_history as {records} diff": {"id": id, "first": 1, "second": 2} for records, id in RECORDS.items()},
    "memory_extract": {"text": "I prefer tabs over spaces in every file that I write."},
    "memory_synthesise": {"subject": "nobody"},
}
# Lists that are empty here; what would stand in them is compared in another answer, or in one of a command.
EMPTY = {
    "memory_add": {"similar"},
    "memory_supersede": {"similar"},
    "memory_history": {"links"},
    "memory_status": {"quarantined", "jobs"},
    "memory_stats": {"limits"},
    "project_create": {"sources"},
    "project_remove_source": {"sources"},
    "record_rollback as projects rollback": {"sources"},
    "memory_cleanup": {"removed"},
    "memory_extract": {"dropped"},
    "memory_synthesise": {"changes"},
}
WAYS = [
    (tool.name, answer, f"{tool.name} as {answer}" if len(tool.answers) > 1 else tool.name)
    for tool in tools_of(SETS)
    for answer in tool.answers
]


@pytest.fixture
def catalog(jay: scrubjay.Scrubjay, tmp_path: Path, home: Path, clock: Clock) -> Iterator[Catalog]:
    stock(jay, tmp_path, home)
    clock.pass_(days=2)
    yield make_catalog(Opener(lambda: jay, watches_sources=False), SETS)


def stock(jay: scrubjay.Scrubjay, folder: Path, home: Path) -> None:
    jay.add("The heron port is 8080", subject="heron", tags=["bird"], kind="fact")
    jay.add("The second heron", subject="heron", paths=["src/**"])
    jay.add("The third heron", supersedes=2, paths=["src/**"])
    jay.add("The deleted heron")
    jay.delete(4)
    jay.update(3, tags=["seen"])
    jay.add("The heron port is 9090", subject="heron", kind="fact", trust="agent")
    jay.link(1, 5, "depends_on")
    jay.tasks.create("Feed the heron")
    jay.add("A heron for a day", expires_at="tomorrow")
    jay.add_turns("morning", [{"speaker": "Ann", "text": "Where is the heron?"}])
    jay.profile.set("preferences.tools[0]", "uv")
    jay.profile.set("preferences.tools[0]", "pip")
    assert jay.contacts.create(name="Ann", email="ann@example.org").id == CONTACT
    jay.contacts.update(CONTACT, company="Initech")
    assert jay.projects.create(name="Orion").id == PROJECT
    jay.projects.set_source(PROJECT, "jira")
    assert jay.skills.create(name="feed", instructions="Feed it", interval_minutes=5).id == SKILL
    jay.skills.update(SKILL, max_steps=3)
    (folder / "notes").mkdir()
    (folder / "notes/a.md").write_text("The heron of the notes")
    (folder / "notes/b.md").write_bytes(b"\xff\0\xfe")
    jay.sources.add(folder / "notes")
    jay.sync()
    jay.search("heron")
    home.mkdir(exist_ok=True)
    entry = {"at": "2026-05-01T10:00:00.000Z", "client": "codex", "event": "Stop", "outcome": "kept", "ms": 3}
    json_log.append(hooks_log(), {**entry, "space": jay.space, "store": jay.stats().file})


def shape_named(answer: str | Shape) -> Shape:
    return answer_of(answer) if isinstance(answer, str) else answer


@pytest.mark.parametrize(("tool", "answer", "way"), WAYS, ids=[way for _, _, way in WAYS])
def test_every_tool_answers_in_its_documented_shape(catalog: Catalog, tool: str, answer: str | Shape, way: str) -> None:
    said = catalog.call_tool(tool, CALLS.get(way, {}), ASKS)
    assert not said["isError"], said
    data = json.loads(json.dumps(said["structuredContent"], allow_nan=False))
    check(shape_named(answer), data)
    assert empty_lists(shape_named(answer), data) <= EMPTY.get(way, set())


@pytest.mark.parametrize("meta", [{}, {JSON_KEY: False}, {JSON_KEY: "true"}, {"json": True}])
def test_what_is_not_asked_for_is_not_given(catalog: Catalog, meta: dict[str, Any]) -> None:
    for tool, _, way in WAYS:
        assert list(catalog.call_tool(tool, CALLS.get(way, {}), meta)) == ["content", "isError"]


def test_a_refusal_says_in_json_what_it_says_in_words(catalog: Catalog) -> None:
    said = catalog.call_tool("memory_get", {"ids": [99]}, ASKS)
    assert said["isError"]
    check(shape_of("refused"), said["structuredContent"])
    assert said["structuredContent"] == {"error": said["content"][0]["text"], "type": "NotFound"}


def test_who_may_only_write_gets_ids_and_nothing_else(catalog: Catalog) -> None:
    with calling(Caller("c", Grant("laptop", None, ("write",)))):
        heron = {"text": "The heron port is 8080", "subject": "heron", "kind": "fact"}
        known = catalog.call_tool("memory_add", heron, ASKS)
        linked = catalog.call_tool("memory_link", {"id": 3, "to": 5}, ASKS)
        many = catalog.call_tool("memory_add_many", {"items": [{"text": "A new heron"}, {"text": ""}]}, ASKS)
    assert [said["structuredContent"] for said in (known, linked)] == [{"ids": [1]}, {"ids": []}]
    assert list(many["structuredContent"]) == ["ids"] and len(many["structuredContent"]["ids"]) == 1
