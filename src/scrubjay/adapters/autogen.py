"""AutoGen: the `memory=[…]` of its agents. What an agent is told comes from the whole space, fenced as data."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

from autogen_core import CancellationToken
from autogen_core.memory import Memory as AutoGenMemory
from autogen_core.memory import MemoryContent, MemoryMimeType, MemoryQueryResult, UpdateContextResult
from autogen_core.model_context import ChatCompletionContext
from autogen_core.models import SystemMessage

from scrubjay.adapters.own_memories import list_own
from scrubjay.api import Scrubjay
from scrubjay.errors import Invalid
from scrubjay.types import Memory

__all__ = ["ScrubjayMemory"]

SOURCE = "autogen"
MIME_TYPE, OBJECT = "mime_type", "object"  # metadata: the type of a content, and one that is no text
T = TypeVar("T")


class ScrubjayMemory(AutoGenMemory):
    """A memory that was opened, for AutoGen's agents. It stays open when they close theirs."""

    def __init__(self, jay: Scrubjay, *, limit: int = 5) -> None:
        self._jay = jay.lend(source=SOURCE, client=SOURCE, actor=SOURCE, trust="agent")
        self._limit = limit

    async def add(self, content: MemoryContent, cancellation_token: CancellationToken | None = None) -> None:
        text, about = _stored(content)
        await _in_thread(lambda: self._jay.add(text, metadata=about), cancellation_token)

    async def query(
        self, query: str | MemoryContent, cancellation_token: CancellationToken | None = None, **options: Any
    ) -> MemoryQueryResult:
        """The memories that are likely to answer, best first; the options are those of `jay.search`."""
        text = query if isinstance(query, str) else _stored(query)[0]
        if not text.strip():
            return MemoryQueryResult(results=[])
        wanted = {"limit": self._limit, **options}
        found = await _in_thread(lambda: self._jay.search(text, **wanted), cancellation_token)
        return MemoryQueryResult(results=[_shown(hit.memory, score=hit.score) for hit in found.likely])

    async def update_context(self, model_context: ChatCompletionContext) -> UpdateContextResult:
        """Tell the model what is known about the last message."""
        said = [message.content for message in await model_context.get_messages()]
        if not said or not isinstance(said[-1], str):
            return UpdateContextResult(memories=MemoryQueryResult(results=[]))
        known = await _in_thread(lambda: self._jay.context(said[-1]), None)
        if known.text:
            await model_context.add_message(SystemMessage(content=known.text))
        return UpdateContextResult(memories=MemoryQueryResult(results=[_shown(memory) for memory in known.memories]))

    async def clear(self) -> None:
        """Delete what was added through AutoGen; it goes to the trash."""
        await _in_thread(self._cleared, None)

    async def close(self) -> None:
        """Nothing: whoever opened the memory closes it."""

    def _cleared(self) -> None:
        if added := list_own(self._jay, SOURCE):
            self._jay.delete(*(memory.id for memory in added))


async def _in_thread(call: Callable[[], T], cancellation_token: CancellationToken | None) -> T:
    work = asyncio.ensure_future(asyncio.to_thread(call))
    if cancellation_token is not None:
        cancellation_token.link_future(work)
    return await work


def _stored(content: MemoryContent) -> tuple[str, dict[str, Any]]:
    """The text of a content, and its metadata."""
    given, kind = content.content, content.mime_type
    about = {**(content.metadata or {}), MIME_TYPE: kind.value if isinstance(kind, MemoryMimeType) else kind}
    if isinstance(given, str):
        return given, about
    if isinstance(given, dict):
        return json.dumps(given, ensure_ascii=False), {**about, OBJECT: given}
    raise Invalid(f"This memory keeps texts and JSON objects, not {type(given).__name__}.")


def _shown(memory: Memory, **more: Any) -> MemoryContent:
    about = {key: value for key, value in memory.metadata.items() if key not in (MIME_TYPE, OBJECT)}
    kind = memory.metadata.get(MIME_TYPE)
    return MemoryContent(
        content=_content(memory),
        mime_type=kind if isinstance(kind, str) else MemoryMimeType.TEXT.value,
        metadata={**about, "id": memory.id, **more},
    )


def _content(memory: Memory) -> str | dict[str, Any]:
    """Its text, or the object that its text says. The memory, and what stands in its metadata, may be anybody's."""
    given = memory.metadata.get(OBJECT)
    if isinstance(given, dict):
        with suppress(ValueError, RecursionError):
            return given if json.loads(memory.text) == given else memory.text
    return memory.text
