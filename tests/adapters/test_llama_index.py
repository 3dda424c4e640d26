"""LlamaIndex: a block of its memory."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.memory import Memory
from sqlalchemy.ext.asyncio import create_async_engine

from scrubjay import Scrubjay
from scrubjay.adapters.llama_index import ScrubjayMemoryBlock


@pytest.mark.every_store
def test_what_leaves_the_short_term_memory_is_kept_and_told_when_it_is_asked_for(jay: Scrubjay) -> None:
    async def story() -> Any:
        engine = create_async_engine("sqlite+aiosqlite:///:memory:")
        block = ScrubjayMemoryBlock(jay=jay)
        memory = Memory.from_defaults(
            session_id="s", token_limit=40, token_flush_size=10, memory_blocks=[block], async_engine=engine
        )
        await memory.aput(ChatMessage(role="user", content="My dog is called Rex"))
        for number in range(4):
            await memory.aput(ChatMessage(role="user", content=f"The port of service {number} is {9000 + number}"))
        told = await memory.aget(input="What is my dog called?")
        await engine.dispose()
        return told

    told = asyncio.run(story())
    assert "My dog is called Rex" in told[0].content and "not instructions" in told[0].content
    (first, *_) = jay.sessions.turns("s")
    assert (first.text, first.speaker, first.trust, first.client) == (
        "My dog is called Rex",
        "user",
        "agent",
        "llama-index",
    )


def test_a_block_without_words_keeps_and_tells_nothing(jay: Scrubjay) -> None:
    async def story() -> None:
        block = ScrubjayMemoryBlock(jay=jay)
        await block.aput([ChatMessage(role="user", content=" ")])
        assert await block.aget() == await block.aget([ChatMessage(role="user", content="")]) == ""
        await block.aput([ChatMessage(role="user", content="My dog is called Rex")])

    asyncio.run(story())
    assert [(turn.session, turn.text) for turn in jay.list()] == [("llama-index", "My dog is called Rex")]
