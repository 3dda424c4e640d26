"""LlamaIndex: a block of its `Memory` that keeps what was said, and tells what is known about the last message."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from itertools import groupby
from typing import Any

from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.memory import BaseMemoryBlock

from scrubjay.api import Scrubjay
from scrubjay.memory.fields import ChatTurn

__all__ = ["ScrubjayMemoryBlock"]

CLIENT = "llama-index"  # also the session of messages that name none
SESSION = "session_id"  # where LlamaIndex puts the session's name


class ScrubjayMemoryBlock(BaseMemoryBlock[str]):
    """One of the `memory_blocks=[…]` of a memory. It tells at most so many tokens, or what the settings say."""

    name: str = "Scrubjay"
    jay: Scrubjay
    tokens: int | None = None

    async def _aget(self, messages: Sequence[ChatMessage] | None = None, **_: Any) -> str:
        asked = next((text for message in reversed(messages or ()) if (text := _said(message))), None)
        if asked is None:
            return ""
        return (await asyncio.to_thread(self.jay.context, asked, self.tokens)).text

    async def _aput(self, messages: Sequence[ChatMessage]) -> None:
        for session, said in groupby(filter(_said, messages), _session):
            turns: list[ChatTurn] = [{"role": message.role.value, "content": _said(message)} for message in said]
            await asyncio.to_thread(self._agent().add_turns, session, turns)

    def _agent(self) -> Scrubjay:
        return self.jay.lend(client=CLIENT, actor=CLIENT, trust="agent")


def _said(message: ChatMessage) -> str:
    return (message.content or "").strip()


def _session(message: ChatMessage) -> str:
    return str(message.additional_kwargs.get(SESSION, CLIENT))
