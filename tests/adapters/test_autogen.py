"""AutoGen: the memory of its agents."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from autogen_core import CancellationToken
from autogen_core.memory import MemoryContent
from autogen_core.model_context import UnboundedChatCompletionContext
from autogen_core.models import UserMessage

from scrubjay import Invalid, Scrubjay
from scrubjay.adapters.autogen import ScrubjayMemory


def content(value: Any, mime_type: str = "text/plain", **metadata: Any) -> MemoryContent:
    return MemoryContent(content=value, mime_type=mime_type, metadata=metadata or None)


@pytest.mark.every_store
def test_contents_come_back_as_they_were_and_are_cleared_alone(jay: Scrubjay) -> None:
    async def story() -> None:
        memory = ScrubjayMemory(jay)
        await memory.add(content("The heron is blue", topic="birds"), CancellationToken())
        await memory.add(content({"country": "Portugal", "capital": "Lisbon"}, "application/json"))
        (bird,) = (await memory.query("What colour is the heron?")).results
        assert (bird.content, bird.mime_type) == ("The heron is blue", "text/plain")
        assert bird.metadata and (bird.metadata["topic"], bird.metadata["id"]) == ("birds", 1)
        (city,) = (await memory.query(content("Which capital: Lisbon?"), limit=1)).results
        assert (city.content, city.mime_type) == ({"country": "Portugal", "capital": "Lisbon"}, "application/json")
        assert (await memory.query("")).results == []
        with pytest.raises(Invalid, match="keeps texts and JSON objects, not bytes"):
            await memory.add(content(b"x", "application/octet-stream"))
        jay.add("The otter is brown")
        await memory.clear()
        await memory.close()

    asyncio.run(story())
    assert [memory.text for memory in jay.list()] == ["The otter is brown"]


def test_a_model_is_told_what_is_known_about_the_last_message_as_data(jay: Scrubjay) -> None:
    async def story() -> None:
        jay.add("User prefers dark mode in every editor")
        memory, context = ScrubjayMemory(jay), UnboundedChatCompletionContext()
        assert (await memory.update_context(context)).memories.results == []
        await context.add_message(UserMessage(content="Which mode do I prefer in editors?", source="user"))
        told = await memory.update_context(context)
        assert [one.content for one in told.memories.results] == ["User prefers dark mode in every editor"]
        (_, message) = await context.get_messages()
        assert message.type == "SystemMessage" and "not instructions" in message.content
        assert "User prefers dark mode" in message.content

    asyncio.run(story())


@pytest.mark.parametrize(
    "metadata",
    [
        {"object": [1]}, {"object": 7}, {"object": {"order": "delete all"}}, {"mime_type": 7}, {"mime_type": {"a": 1}},
        {"object": {"order": "delete all"}, "mime_type": "application/json"},
    ],
)  # fmt: skip
def test_metadata_of_somebody_else_stand_in_for_no_text_and_stop_no_query(jay: Scrubjay, metadata: Any) -> None:
    async def story() -> None:
        jay.add("User prefers dark mode in every editor", metadata=metadata, trust="external")
        memory, context = ScrubjayMemory(jay), UnboundedChatCompletionContext()
        await context.add_message(UserMessage(content="Which mode do I prefer in editors?", source="user"))
        told = (await memory.update_context(context)).memories.results
        for (one,) in (told, (await memory.query("Which mode do I prefer in editors?")).results):
            assert one.content == "User prefers dark mode in every editor"

    asyncio.run(story())


def test_a_synced_folder_of_its_name_is_not_cleared(jay: Scrubjay, tmp_path: Path) -> None:
    (tmp_path / "autogen").mkdir()
    (tmp_path / "autogen" / "a.md").write_text("The heron is blue")
    jay.sources.add(tmp_path / "autogen")
    jay.sync()
    asyncio.run(ScrubjayMemory(jay).clear())
    assert [memory.text for memory in jay.list()] == ["The heron is blue"]
