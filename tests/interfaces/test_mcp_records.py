"""Records through MCP: what an agent creates, reads and changes, and what it is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import anyio
import pytest

import scrubjay
from scrubjay.interfaces.mcp.tools import tools_of
from tests.support.mcp_client import Talk, talk

MOST_BYTES = 8_192  # of the schemas of the whole set


@pytest.fixture(autouse=True)
def nothing_by_itself(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCRUBJAY_SYNC_WATCH", "off")


def tell(path: Path, story: Any) -> None:
    async def play() -> None:
        async with talk(path, sets=("core", "records")) as talking:
            await story(talking)

    anyio.run(play)


def test_the_profile_is_read_changed_and_rolled_back(path: Path) -> None:
    async def story(agent: Talk) -> None:
        assert '"tools": []' in await agent.call("profile_get")
        set_ = await agent.call("profile_set", path="preferences.tools[0]", value="uv", reason="said so")
        assert set_ == "The profile is at version 1."
        await agent.call("profile_merge", data={"user_info": {"name": "Ann"}})
        assert "uv" in await agent.call("profile_get", path="preferences.tools[0]")
        assert '~ user_info.name: null → "Ann"' in await agent.call("profile_history", first=1, second=2)
        await agent.call("profile_unset", path="preferences.tools[0]")
        assert await agent.call("profile_rollback", version=1) == "The profile is at version 4."
        assert "1 was 20" in await agent.call("profile_history")
        assert "preferences.tools: uv" in await agent.call("memory_context")
        assert "nothing at 'preferences.tool'; did you mean" in await agent.refused(
            "profile_get", path="preferences.tool"
        )
        assert "no version 9" in await agent.refused("profile_rollback", version=9)

    tell(path, story)


def test_contacts_projects_and_skills_are_created_found_and_changed(path: Path) -> None:
    async def story(agent: Talk) -> None:
        made = await agent.call("contact_create", name="Ann", email="ann@example.org", company="Initech")
        assert made == "Contact 1 is at version 1."
        assert "[1] Ann, CTO, Initech, ann@example.org" in await _after(
            agent, "contact_update", "contact_list", contact=1, fields={"role": "CTO"}, reason="new"
        )
        found = await agent.call("memory_search", query="who works at Initech?")
        hit = int(found.split("[")[1].split("]")[0])
        assert "role        CTO" in await agent.call("record_get", id=hit)
        assert '~ role: null → "CTO"' in await agent.call("record_history", id=1, first=2)
        await agent.call("project_create", name="Orion", primary_contact=1, priority="high")
        await agent.call("project_set_source", project=3, system="jira", external_id="ORI", status="ok")
        assert "Orion in jira (ORI): ok" in await agent.call("project_sources")
        assert "[3] Orion, active, work, high, contact 1, held in jira" in await agent.call("project_list", contact=1)
        await agent.call("skill_create", name="digest", instructions="Collect", interval_minutes=5)
        assert "digest, cron every 5 min, due 20" in await agent.call("skill_list", due=True)
        await agent.call("skill_ran", skill=5, summary="fine", notified=True)
        assert await agent.call("skill_list", due=True) == "No skill is due."
        await agent.call("skill_update", skill=5, fields={"schedule": "0 9 * * 1"}, reason="weekly")
        assert "cron 0 9 * * 1, last run ok" in await agent.call("skill_list")
        assert await agent.call("record_rollback", id=5, version=1) == "Skill 5 is at version 3."
        assert (await agent.call("record_delete", id=1)).startswith("Deleted contact 1; `scrubjay undelete ")
        assert await agent.call("contact_list") == "There are no contacts."
        assert "contact deleted: 1" in await agent.call("memory_timeline")

    tell(path, story)


async def _after(agent: Talk, change: str, ask: str, **arguments: Any) -> str:
    await agent.call(change, **arguments)
    return await agent.call(ask)


def test_bad_input_is_one_sentence(path: Path) -> None:
    asked: list[tuple[str, dict[str, Any], str]] = [
        ("contact_create", {"name": "Bo", "email": "ANN@example.org"}, "with this email already (1)"),
        ("contact_update", {"contact": 1, "fields": {}}, "Nothing to update"),
        ("contact_update", {"contact": 1, "fields": {"phone": None}}, "has no field 'phone'"),
        ("contact_update", {"contact": 1, "fields": {"redact": True}}, "has no field 'redact'"),
        ("contact_update", {"contact": 1, "fields": {"name": None}}, "cannot be empty"),
        ("contact_update", {"contact": 9, "fields": {"role": "x"}}, "There is no contact 9"),
        ("contact_list", {"type": "friend"}, "type must be one of work, personal, ignored"),
        ("project_create", {"name": "X", "primary_contact": 7}, "There is no contact 7"),
        ("skill_create", {"name": "x", "instructions": "y", "schedule": "often"}, "is no cron expression"),
        ("skill_create", {"name": "x", "instructions": "y", "plan": [{"id": "a"}]}, "A step is an object"),
        ("skill_update", {"skill": 1, "fields": {"enabled": True}}, "There is no skill 1"),
        ("record_get", {"id": 9}, "There is no record 9"),
        ("record_get", {"id": 2}, "There is no record 2"),
        ("record_get", {"id": 3}, "3 tells the profile"),
        ("record_get", {"id": 10**30}, "is no memory's id"),
        ("record_rollback", {"id": 1, "version": 9}, "no version 9"),
    ]

    async def story(agent: Talk) -> None:
        await agent.call("contact_create", name="Ann", email="ann@example.org")
        await agent.call("memory_add", text="Ann is nice", kind="contact")
        await agent.call("profile_set", path="a", value=1)
        for tool, arguments, sentence in asked:
            said = await agent.refused(tool, **arguments)
            assert sentence in said and "\n" not in said, tool

    tell(path, story)


def test_an_agent_that_changes_what_the_user_said_is_told_so(path: Path) -> None:
    with scrubjay.open(path, embedder="hashing") as jay:
        jay.contacts.create(name="Ann", email="ann@example.org")

    async def story(agent: Talk) -> None:
        said = await agent.call("contact_update", contact=1, fields={"role": "CTO"})
        assert said.endswith("Version 1 came from the user; `scrubjay contacts rollback 1 1` undoes this change.")

    tell(path, story)


def test_the_schemas_of_the_set_are_small() -> None:
    listed = [tool.listed for tool in tools_of(["records"])]
    assert len(json.dumps(listed, separators=(",", ":")).encode()) <= MOST_BYTES
