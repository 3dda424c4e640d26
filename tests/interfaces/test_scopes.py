"""What a token may do, and what it is told: every tool, resource and prompt, with every set of scopes.

The store holds canaries, words that stand nowhere else: those of the token's own space may reach only those who may
read, those of another space nobody.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

import scrubjay
from scrubjay.errors import StoreError
from scrubjay.files import json_log
from scrubjay.files.user_folders import hooks_log
from scrubjay.interfaces.http.app import make_app
from scrubjay.interfaces.mcp.callers import Caller as Client
from scrubjay.interfaces.mcp.callers import Grant
from scrubjay.interfaces.mcp.opener import Opener
from scrubjay.interfaces.mcp.protocol import JSON_KEY
from scrubjay.interfaces.mcp.server import make_server
from scrubjay.interfaces.mcp.tools import SETS
from scrubjay.types.tokens import Scope
from tests.support.clock import Clock

SCOPES: tuple[Scope, ...] = ("read", "write", "admin")
SETS_OF_SCOPES = [chosen for size in (1, 2, 3) for chosen in combinations(SCOPES, size)]
OTHER = "foreigncanary-space"

NEEDED: dict[str, set[str]] = {
    "memory_add": {"write"},
    "memory_add_many": {"write"},
    "memory_search": {"read"},
    "memory_get": {"read"},
    "memory_timeline": {"read"},
    "memory_update": {"write"},
    "memory_supersede": {"write"},
    "memory_delete": {"write"},
    "memory_context": {"read"},
    "memory_list": {"read"},
    "memory_names": {"read"},
    "memory_history": {"read"},
    "memory_revert": {"write"},
    "memory_undelete": {"write"},
    "memory_conflicts": {"read"},
    "memory_link": {"write"},
    "memory_links": {"read"},
    "memory_unlink": {"write"},
    "memory_rate": {"write"},
    "memory_connect": {"write"},
    "memory_files": {"read"},
    "task_create": {"write"},
    "task_update": {"write"},
    "task_list": {"read"},
    "session_start": {"write"},
    "session_list": {"read"},
    "session_end": {"write"},
    "session_turns": {"write"},
    "profile_get": {"read"},
    "profile_set": {"read", "write"},
    "profile_unset": {"read", "write"},
    "profile_merge": {"read", "write"},
    "profile_history": {"read"},
    "profile_rollback": {"read", "write"},
    "contact_create": {"write"},
    "contact_update": {"read", "write"},
    "contact_list": {"read"},
    "project_create": {"write"},
    "project_update": {"read", "write"},
    "project_list": {"read"},
    "project_set_source": {"read", "write"},
    "project_remove_source": {"read", "write"},
    "project_sources": {"read"},
    "skill_create": {"write"},
    "skill_update": {"read", "write"},
    "skill_list": {"read"},
    "skill_ran": {"read", "write"},
    "record_get": {"read"},
    "record_delete": {"read", "write"},
    "record_history": {"read"},
    "record_rollback": {"read", "write"},
    "memory_sync": {"read", "write"},
    "memory_status": {"read"},
    "memory_stats": {"read"},
    "memory_curate": {"read", "write"},
    "memory_providers": {"admin"},
    "memory_accesses": {"read", "admin"},
    "memory_activity": {"read", "admin"},
    "memory_cleanup": {"read", "admin"},
    "memory_backfill": {"admin"},
    "memory_extract": {"read", "write"},
    "memory_synthesise": {"read", "admin"},
}
PROMPTS = {"recall": {"read"}, "remember": {"write"}}


@dataclass
class Ids:
    """What the store was filled with."""

    safe: int
    note: int
    replaced: int
    task: int
    done: int
    foreign: int
    contact: int = 7
    project: int = 8
    skill: int = 9
    foreign_contact: int = 10


@dataclass
class Caller:
    """A client of the older protocol, which has a session."""

    door: TestClient
    headers: dict[str, str]
    asked: int = field(default=0)

    def ask(self, method: str, **params: Any) -> str:
        self.asked += 1
        message = {"jsonrpc": "2.0", "id": self.asked, "method": method, "params": params}
        return self.door.post("/mcp", json=message, headers=self.headers).text

    def call(self, tool: str, **arguments: Any) -> str:
        """The answer with its data beside the text: they may tell no more."""
        return self.ask("tools/call", name=tool, arguments=arguments, _meta={JSON_KEY: True})

    def names(self, method: str, of: str) -> set[str]:
        return {one["name"] for one in json.loads(self.ask(method))["result"][of]}


def fill(jay: scrubjay.Scrubjay, folder: Path, clock: Clock) -> Ids:
    """Something of every sort, with a canary in every field."""
    safe = jay.add(
        "The office safe opens with canarysafe", kind="fact", subject="office safe", tags=["canarytag"],
        context="canarycontext", metadata={"canarykey": "canaryvalue"}, project="canaryproject",
    ).memory.id  # fmt: skip
    note = jay.add("The spare key lies under canarynote", kind="preference", subject="canarysubject").memory.id
    replaced = jay.add("The door code was canaryold", kind="fact", subject="door").memory.id
    jay.supersede(replaced, "The door code is canarynew", reason="canaryreason")
    jay.add("The office safe opens with canarycontradiction", kind="fact", subject="office safe")
    jay.add("The canaryexpired thing ends", expires_at=clock.now + timedelta(hours=1))
    task = jay.tasks.create("Renew the passport", note="canarytasknote", scope="canaryscope").memory.id
    done = jay.tasks.create("Feed the canarypet").memory.id
    jay.tasks.update(done, status="completed", note="canarydonenote")
    jay.sessions.start("review", client="canaryclient")
    jay.add_turns("review", [{"speaker": "canaryspeaker", "text": "I prefer canaryturn over anything else."}])
    jay.sessions.end("review", "We talked about canarysummary")
    notes = folder / "canarysource"
    notes.mkdir()
    (notes / "canaryfile.md").write_text("# Garden\n\nThe canarypassage needs water.\n")
    jay.sources.add(notes)
    jay.sync()
    jay.profile.set("preferences.tools[0]", "canarytool", reason="canaryreason")
    contact = jay.contacts.create(
        name="Canary Contact", email="canarymail@example.org", company="canarycompany", notes="canarynotes"
    ).id  # fmt: skip
    project = jay.projects.create(name="canaryorion", description="canarydescription", primary_contact=contact).id
    jay.projects.set_source(project, "canarysystem", external_id="canaryid", status="ok")
    skill = jay.skills.create(name="canaryskill", instructions="canaryinstructions", interval_minutes=5).id
    jay.skills.ran(skill, summary="canaryrun")
    other = jay.lend(space=OTHER)
    person = other.contacts.create(name="foreigncanaryname", email="foreigncanary@example.org")
    other.profile.set("user_info.name", "foreigncanaryuser")
    foreign = jay.lend(space=OTHER).add("The foreigncanarytext", kind="preference", subject="foreigncanarysubject")
    return Ids(safe, note, replaced, task, done, foreign.memory.id, contact, project, skill, person.id)


def calls(ids: Ids) -> list[tuple[str, dict[str, Any]]]:
    """Every tool in the ways that could tell something, what destroys last."""
    return [
        ("memory_add", {"text": "The office safe opens with a coin", "kind": "fact", "subject": "office safe"}),
        ("memory_add", {"text": "The spare key lies under", "kind": "preference"}),
        ("memory_add", {"text": "x", "supersedes": ids.replaced}),
        ("memory_add", {"text": "x", "supersedes": ids.foreign}),
        ("memory_add_many", {"items": [{"text": "The office safe opens with a pin", "subject": "office safe"}]}),
        ("memory_add_many", {"items": [{"text": ""}, {"text": "x", "supersedes": ids.foreign}]}),
        ("memory_search", {"query": "office safe", "explain": True}),
        ("memory_search", {"query": "door code", "include_superseded": True}),
        ("memory_search", {"query": "foreigncanarytext", "spaces": ["work", OTHER]}),
        ("memory_get", {"ids": [ids.safe, ids.foreign]}),
        ("memory_get", {"ids": [ids.foreign], "space": OTHER}),
        ("memory_get", {"ids": [ids.note], "around": 3}),
        ("memory_timeline", {}),
        ("memory_timeline", {"id": ids.safe}),
        ("memory_timeline", {"query": "safe"}),
        ("memory_context", {}),
        ("memory_context", {"message": "the office safe", "session": "review"}),
        ("memory_list", {}),
        ("memory_names", {"of": "spaces"}),
        ("memory_names", {"of": "subjects"}),
        ("memory_names", {"of": "tags"}),
        ("memory_names", {"of": "sessions"}),
        ("memory_names", {"of": "sources"}),
        ("memory_list", {"kinds": ["passage", "turn"]}),
        ("memory_history", {"id": ids.replaced}),
        ("memory_history", {"subject": "door"}),
        ("memory_conflicts", {}),
        ("memory_link", {"id": ids.safe, "to": ids.note, "word": "depends_on"}),
        ("memory_link", {"id": ids.safe, "to": ids.foreign}),
        ("memory_links", {"id": ids.safe}),
        ("memory_unlink", {"id": ids.safe, "to": ids.note}),
        ("memory_rate", {"id": ids.safe, "helpful": True, "session": "review"}),
        ("memory_rate", {"id": ids.foreign, "helpful": False}),
        ("memory_connect", {"id": ids.note, "aliases": ["doormat"], "paths": ["src/**"]}),
        ("memory_files", {"files": ["src/a.py"]}),
        ("memory_curate", {"task": "office safe"}),
        ("task_list", {"status": "all"}),
        ("memory_status", {}),
        ("memory_stats", {}),
        ("memory_accesses", {}),
        ("memory_accesses", {"id": ids.foreign}),
        ("memory_providers", {}),
        ("memory_activity", {}),
        ("memory_extract", {"text": "I prefer canarynote and the office safe opens with a coin.", "dry_run": True}),
        ("memory_extract", {"session": "review", "dry_run": True}),
        ("memory_extract", {}),
        ("memory_synthesise", {}),
        ("profile_get", {}),
        ("profile_get", {"path": "preferences.tool"}),
        ("profile_set", {"path": "preferences.tools[9]", "value": 1}),
        ("profile_unset", {"path": "preferences.tool"}),
        ("profile_merge", {"data": {"a": 1}}),
        ("profile_history", {}),
        ("profile_history", {"first": 1}),
        ("profile_rollback", {"version": 1}),
        ("contact_create", {"name": "Ben", "email": "canarymail@example.org"}),
        ("contact_create", {"name": "Ben"}),
        ("contact_update", {"contact": ids.contact, "fields": {"role": "x"}}),
        ("contact_update", {"contact": ids.foreign_contact, "fields": {"role": "x"}}),
        ("contact_list", {}),
        ("project_create", {"name": "canaryorion".upper()}),
        ("project_update", {"project": ids.project, "fields": {"priority": "low"}}),
        ("project_update", {"project": ids.project, "fields": {"primary_contact": ids.foreign_contact}}),
        ("project_list", {}),
        ("project_set_source", {"project": ids.project, "system": "x"}),
        ("project_remove_source", {"project": ids.project, "system": "x"}),
        ("project_sources", {}),
        ("skill_create", {"name": "CANARYSKILL", "instructions": "x"}),
        ("skill_update", {"skill": ids.skill, "fields": {"max_steps": 3}}),
        ("skill_list", {"due": True}),
        ("skill_list", {}),
        ("skill_ran", {"skill": ids.skill}),
        ("record_get", {"id": ids.contact}),
        ("record_get", {"id": ids.foreign_contact}),
        ("record_history", {"id": ids.contact, "first": 1}),
        ("record_history", {"id": ids.foreign_contact}),
        ("record_rollback", {"id": ids.contact, "version": 1}),
        ("record_delete", {"id": ids.foreign_contact}),
        ("record_delete", {"id": ids.contact}),
        ("memory_sync", {}),
        ("memory_sync", {"sources": ["none"]}),
        ("memory_backfill", {"retry": True}),
        ("memory_cleanup", {}),
        ("session_start", {}),
        ("session_list", {}),
        ("session_start", {"session": "review"}),
        ("session_turns", {"session": "review", "turns": [{"speaker": "a", "text": "b", "position": 0}]}),
        ("session_turns", {"session": "review", "turns": [{"text": ""}]}),
        ("session_end", {"session": "review", "summary": "Over"}),
        ("session_end", {"session": "none"}),
        ("task_create", {"text": "Renew the passport", "project": "p"}),
        ("task_update", {"id": ids.task, "priority": "high"}),
        ("task_update", {"id": ids.done, "status": "cancelled"}),
        ("memory_update", {"id": ids.safe, "tags": ["x"]}),
        ("memory_update", {"id": ids.safe, "metadata": {"a": 1}, "confirm": True}),
        ("memory_supersede", {"id": ids.replaced, "text": "Nothing"}),
        ("memory_supersede", {"id": ids.note, "text": "The key is gone", "reason": "so"}),
        ("memory_revert", {"id": ids.replaced}),
        ("memory_revert", {"id": ids.safe}),
        ("memory_undelete", {"id": ids.safe}),
        ("memory_supersede", {"id": ids.replaced, "by": ids.safe}),
        ("memory_delete", {"id": ids.foreign}),
        ("memory_delete", {"id": ids.task}),
        ("memory_delete", {"id": ids.safe}),
        ("memory_conflicts", {"dismiss": [1, 2]}),
        ("memory_cleanup", {"force": True}),
    ]


@contextmanager
def let_in(tmp_path: Path, clock: Clock, *scopes: Scope) -> Iterator[tuple[Caller, Ids, scrubjay.Scrubjay]]:
    """A client with a token of these scopes, for one space of a store that has two."""
    with scrubjay.open(tmp_path / "memory.db", embedder="hashing", clock=clock, space="work") as jay:
        ids = fill(jay, tmp_path, clock)
        clock.pass_(days=1)
        _, secret = jay.tokens.create("client", scopes=scopes)
        app = make_app(make_server(Opener(lambda: jay), SETS), jay.tokens.verify)
        with TestClient(app, base_url="http://localhost") as door:
            yield _introduced(door, secret), ids, jay


def _introduced(door: TestClient, secret: str) -> Caller:
    accepts = {"Accept": "application/json, text/event-stream", "Authorization": f"Bearer {secret}"}
    me = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    begun = door.post("/mcp", json={"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": me}, headers=accepts)
    caller = Caller(door, {**accepts, "Mcp-Session-Id": begun.headers["mcp-session-id"]})
    door.post("/mcp", json={"jsonrpc": "2.0", "method": "notifications/initialized"}, headers=caller.headers)
    return caller


def own_canaries(answer: str) -> list[str]:
    return re.findall(r"(?<!foreign)canary\w+", answer)


def test_the_table_above_holds_every_tool_and_the_calls_try_each() -> None:
    assert {tool for tool, _ in calls(Ids(1, 2, 3, 4, 5, 6))} == set(NEEDED)


@pytest.mark.parametrize("scopes", SETS_OF_SCOPES, ids="+".join)
def test_only_what_a_token_may_use_is_listed(tmp_path: Path, clock: Clock, scopes: tuple[Scope, ...]) -> None:
    with let_in(tmp_path, clock, *scopes) as (caller, _, _):
        tools = caller.names("tools/list", "tools")
        assert tools == {tool for tool, needed in NEEDED.items() if needed <= set(scopes)}
        prompts = caller.names("prompts/list", "prompts")
        assert prompts == {prompt for prompt, needed in PROMPTS.items() if needed <= set(scopes)}
        for method, of in (("resources/list", "resources"), ("resources/templates/list", "resourceTemplates")):
            assert bool(caller.names(method, of)) == ("read" in scopes)


@pytest.mark.parametrize("scopes", SETS_OF_SCOPES, ids="+".join)
def test_every_tool_is_refused_or_reveals_nothing_beyond_its_scopes(
    tmp_path: Path, clock: Clock, scopes: tuple[Scope, ...]
) -> None:
    with let_in(tmp_path, clock, *scopes) as (caller, ids, _):
        for tool, arguments in calls(ids):
            answer = caller.call(tool, **arguments)
            may = NEEDED[tool] <= set(scopes)
            assert ("This token may not do that" in answer) == (not may or _dismisses_unasked(arguments, scopes)), tool
            assert "the server's log says why" not in answer, (tool, answer)
            assert "foreigncanary" not in answer, (tool, answer)
            if "read" not in scopes:
                assert own_canaries(answer) == [], (tool, answer)


def _dismisses_unasked(arguments: dict[str, Any], scopes: tuple[Scope, ...]) -> bool:
    return "dismiss" in arguments and "write" not in scopes


@pytest.mark.parametrize("scopes", SETS_OF_SCOPES, ids="+".join)
def test_resources_prompts_and_completions_are_for_those_who_may_read(
    tmp_path: Path, clock: Clock, scopes: tuple[Scope, ...]
) -> None:
    with let_in(tmp_path, clock, *scopes) as (caller, ids, _):
        template = {"type": "ref/resource", "uri": "scrubjay://space/{space}/startup"}
        answers = [
            *(caller.ask("resources/read", uri=f"scrubjay://memory/{which}") for which in ("startup", ids.safe)),
            caller.ask("resources/read", uri="scrubjay://space/work/startup"),
            caller.ask("prompts/get", name="recall", arguments={"topic": "office safe"}),
            caller.ask("completion/complete", ref={"type": "ref/prompt", "name": "recall"}, argument=_typed("topic")),
            caller.ask("completion/complete", ref=template, argument=_typed("space")),
        ]
        foreign = [
            caller.ask("resources/read", uri=f"scrubjay://memory/{ids.foreign}"),
            caller.ask("resources/read", uri=f"scrubjay://space/{OTHER}/startup").replace(OTHER, ""),
        ]
        assert "foreigncanary" not in "".join([*answers, *foreign])
        for answer in answers[:5]:
            assert bool(own_canaries(answer)) == ("read" in scopes), answer
        assert ("Remember this session" in caller.ask("prompts/get", name="remember")) == ("write" in scopes)


def _typed(argument: str) -> dict[str, str]:
    return {"name": argument, "value": ""}


def test_who_may_read_and_write_is_told_what_who_may_only_write_is_not(tmp_path: Path, clock: Clock) -> None:
    """The calls above are no empty ones: with another scope, they tell."""
    told: set[str] = set()
    with let_in(tmp_path, clock, "read", "write", "admin") as (caller, ids, _):
        for tool, arguments in calls(ids):
            if own_canaries(caller.call(tool, **arguments)):
                told.add(tool)
    assert told >= {"memory_add", "memory_add_many", "memory_delete", "session_start", "memory_conflicts"}
    assert told >= {"memory_sync", "memory_extract", "memory_cleanup", "memory_search", "memory_status"}


def test_who_may_only_write_learns_ids_and_nothing_else(tmp_path: Path, clock: Clock) -> None:
    with let_in(tmp_path, clock, "write") as (caller, ids, jay):
        known = jay.add("Lunch is at noon", kind="fact").memory.id
        for text, id in (("Lunch is at noon", known), ("Lunch is at one", known + 1)):
            assert f'"text":"Stored {id}."' in caller.call("memory_add", text=text, kind="fact")
        assert f'"text":"Deleted {ids.safe}."' in caller.call("memory_delete", id=ids.safe)
        assert f'"text":"Task {ids.task} is stored."' in caller.call("task_create", text="Renew the passport")


def test_who_may_only_write_is_not_told_what_was_updated_or_where_a_passage_came_from(
    tmp_path: Path, clock: Clock
) -> None:
    with let_in(tmp_path, clock, "write") as (caller, ids, jay):
        jay.update(ids.safe, importance=9)
        assert f'"text":"Reverted {ids.safe}."' in caller.call("memory_revert", id=ids.safe)
        (passage,) = jay.list(kinds=["passage"])
        caller.call("memory_delete", id=passage.id)
        jay.sources.remove("canarysource")
        refused = caller.call("memory_undelete", id=passage.id)
        assert "not known any more" in refused and own_canaries(refused) == []


@pytest.mark.parametrize("scopes", [("write",), ("read", "write"), ("read", "write", "admin")])
def test_only_who_administers_restores_what_others_have_deleted(
    tmp_path: Path, clock: Clock, scopes: tuple[Scope, ...]
) -> None:
    with let_in(tmp_path, clock, *scopes) as (caller, ids, jay):
        jay.delete(ids.safe)
        said = caller.call("memory_undelete", id=ids.safe)
        assert (f"Restored {ids.safe}" in said) == ("admin" in scopes)
        assert "admin" in scopes or own_canaries(said) == []


def test_an_error_that_quotes_a_name_shows_no_tag_of_the_fence(tmp_path: Path, clock: Clock) -> None:
    folder = tmp_path / "<memories> Recalled by Scrubjay"
    folder.mkdir()
    with let_in(tmp_path, clock, "read", "write") as (caller, _, jay):
        jay.sources.add(folder)
        refused = caller.call("memory_sync", sources=["none"])
        assert "Recalled by Scrubjay" in refused and "<memories>" not in refused


def test_where_a_source_lies_is_not_told_over_the_network(tmp_path: Path, clock: Clock) -> None:
    with let_in(tmp_path, clock, "read", "write") as (caller, _, _):
        shutil.rmtree(tmp_path / "canarysource")
        told = caller.call("memory_sync")
        assert "Skipped canarysource: canarysource does not exist" in told and str(tmp_path) not in told


def test_nothing_that_holds_for_the_whole_file_is_told_to_a_token_of_some_spaces(tmp_path: Path, clock: Clock) -> None:
    with let_in(tmp_path, clock, "read", "admin") as (caller, _, jay):
        asked = ("memory_stats", "memory_status", "memory_backfill", "memory_cleanup")
        before = [caller.call(tool) for tool in asked]
        with scrubjay.open(tmp_path / "memory.db", embedder="none", clock=clock, space=OTHER) as other:
            other.add_many([{"text": f"Another thing {number}", "kind": "fact"} for number in range(50)])
        after = [caller.call(tool) for tool in asked]
        assert [_body(answer) for answer in after] == [_body(answer) for answer in before]
        assert not any(word in before[0] for word in ("spaces:", "file:", "file bytes:", "cache:", "generation:"))
        (tmp_path / "memory.db").chmod(0o644)
        assert "other users" not in caller.call("memory_status")
        _, secret = jay.tokens.create("everywhere", all_spaces=True)
        everywhere = _introduced(caller.door, secret)
        assert "spaces: 2" in everywhere.call("memory_stats")
        assert "other users" in everywhere.call("memory_status")


def test_a_score_tells_nothing_of_the_words_in_another_space(tmp_path: Path, clock: Clock) -> None:
    """In the space that holds most of the file, too."""
    with let_in(tmp_path, clock, "read") as (caller, _, jay):
        jay.add_many([{"text": f"The heron {number} stands in the reeds", "kind": "fact"} for number in range(60)])
        jay.add("The zebra waits at the gate", kind="fact")
        answers = []
        for number in range(3):
            jay.lend(space=OTHER).add_many([{"text": f"zebra gate {number} {word}"} for word in "abcdefgh"])
            with scrubjay.open(tmp_path / "memory.db", embedder="hashing", clock=clock, space="work") as fresh:
                hits = fresh.search("zebra heron gate")
            told = caller.call("memory_search", query="zebra heron gate", explain=True)
            scores = [(hit.memory.id, f"{hit.score:.4f}", hit.confidence) for hit in hits]
            answers.append((_without_uses(_body(told)), scores))
        assert answers[0] == answers[1] == answers[2]


def _body(answer: str) -> Any:
    return json.loads(answer)["result"]


def _without_uses(value: Any) -> Any:
    """Data without what changes when a memory is shown."""
    if isinstance(value, dict):
        return {key: _without_uses(item) for key, item in value.items() if key not in ("shown_count", "used_at")}
    return [_without_uses(item) for item in value] if isinstance(value, list) else value


def test_where_the_file_lies_is_told_at_the_pipe_and_not_over_the_network(caplog: pytest.LogCaptureFixture) -> None:
    problem = StoreError("/home/ann/memory.db cannot be opened")
    assert Client().error_text(problem) == str(problem)
    assert Client(grant=Grant("laptop", "work", ("read",), ("work",))).error_text(problem) == StoreError.__doc__
    assert str(problem) in caplog.text


def test_who_may_only_write_learns_no_name_of_a_session_by_guessing(tmp_path: Path, clock: Clock) -> None:
    with let_in(tmp_path, clock, "write") as (caller, _, jay):
        jay.add_turns("quarterly-canarysession", [{"speaker": "user", "text": "Good day"}])
        for guessed in ("quar", "quarterly-kanarysession"):
            refused = caller.call("session_end", session=guessed)
            assert "There is no session" in refused and own_canaries(refused) == []
        assert "has ended" in caller.call("session_end", session="quarterly-canarysession")


def test_a_hooks_reason_is_not_told_over_the_network_where_it_may_name_a_folder(
    tmp_path: Path, clock: Clock, home: Path
) -> None:
    with let_in(tmp_path, clock, "read", "admin") as (caller, _, jay):
        home.mkdir(exist_ok=True)
        entry = {"at": "2026-05-01T10:00:00.000Z", "client": "codex", "event": "Stop", "outcome": "failed", "ms": 3}
        store = str(tmp_path / "memory.db")
        json_log.append(hooks_log(), {**entry, "reason": "/home/ann is closed", "space": "work", "store": store})
        json_log.append(hooks_log(), {**entry, "session": "foreigncanary", "space": OTHER, "store": store})
        json_log.append(hooks_log(), {**entry, "session": "foreigncanary", "reason": "/home/ann is gone"})
        _, secret = jay.tokens.create("everywhere", all_spaces=True, scopes=("read", "admin"))
        for asking, lines in ((caller, 1), (_introduced(caller.door, secret), 2)):
            told = asking.call("memory_activity")
            assert told.count("codex Stop") == lines and "/home/ann" not in told
        assert "foreigncanary" not in caller.call("memory_activity")
