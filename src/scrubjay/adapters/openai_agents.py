"""OpenAI's Agents SDK: its sessions are sessions of this memory, and its agents get the MCP tools."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar, cast

from agents.memory import SessionSettings
from agents.memory.session import SessionABC
from agents.memory.session_settings import coerce_session_settings, resolve_session_limit

from agents import FunctionTool, TResponseInputItem
from scrubjay.adapters.tools import tools
from scrubjay.api import Scrubjay
from scrubjay.async_api import in_thread
from scrubjay.memory.fields import TurnFields
from scrubjay.types import Memory
from scrubjay.types.limits import METADATA_CHARACTERS
from scrubjay.types.memories import NARRATION

__all__ = ["ScrubjaySession", "memory_tools"]

CLIENT = "openai-agents"  # also the tag of its turns
WORKERS = ThreadPoolExecutor(thread_name_prefix="scrubjay")  # of all sessions; threads begin when they are needed
T = TypeVar("T")


class ScrubjaySession(SessionABC):
    """The `session=` of a run: each item is a turn of a session of the memory, and comes back as it was given.

    What people and agents say is found at every door; calls of tools and their results are kept, but not searched.
    A model obeys an item, so only those come back that this adapter stored and nobody has changed.
    A call that is cancelled ends whole, or never begins.
    """

    def __init__(
        self, session_id: str, jay: Scrubjay, *, session_settings: SessionSettings | dict[str, Any] | None = None
    ) -> None:
        self.session_id = session_id
        self.session_settings = coerce_session_settings(session_settings or {})
        self._jay = jay.lend(client=CLIENT, actor=CLIENT, trust="agent")
        self._turns: dict[str, Any] = {"session": self._jay.view.session_name(session_id), "tags": [CLIENT]}

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        most = resolve_session_limit(limit, self.session_settings)
        found = await self._in_thread(lambda: self._newest(None if most is None or most < 0 else most))
        return [_item(turn) for turn in reversed(found)]

    async def add_items(self, items: Sequence[TResponseInputItem]) -> None:
        turns = [_turn(cast("Mapping[str, Any]", item)) for item in items]
        await self._in_thread(lambda: self._jay.add_turns(self.session_id, turns))

    async def pop_item(self) -> TResponseInputItem | None:
        return await self._in_thread(self._popped)

    async def clear_session(self) -> None:
        await self._in_thread(self._cleared)

    def _newest(self, limit: int | None) -> list[Memory]:
        found = self._jay.list(kinds=["turn"], limit=limit, **self._turns)
        own = list(filter(self._is_own, found))
        return own if limit is None or len(own) == len(found) else self._newest(None)[:limit]

    def _is_own(self, turn: Memory) -> bool:
        """Whether it is as this adapter has stored it: nobody signs for another, and updates are in the history."""
        if turn.actor != CLIENT or turn.trust == "external":  # an import may have any signature
            return False
        if turn.updated_at == turn.created_at:
            return True
        return all("metadata" not in edit.fields or edit.undone_at for edit in self._jay.history(turn.id).edits)

    def _popped(self) -> TResponseInputItem | None:
        for turn in self._newest(1):
            self._jay.delete(turn.id)
            return _item(turn)
        return None

    def _cleared(self) -> None:
        if turns := self._newest(None):
            self._jay.delete(*(turn.id for turn in turns))

    async def _in_thread(self, call: Callable[[], T]) -> T:
        return cast("T", await in_thread(WORKERS, call))


def memory_tools(jay: Scrubjay, *, sets: str = "core") -> list[FunctionTool]:
    """The MCP tools as tools of an agent: `Agent(tools=memory_tools(jay))`."""
    memory = tools("openai", jay, sets=sets)

    def made(name: str, description: str, parameters: dict[str, Any]) -> FunctionTool:
        async def invoke(_: Any, arguments: str) -> str:
            return await asyncio.to_thread(memory.run, name, arguments)

        return FunctionTool(name, description, parameters, invoke, strict_json_schema=False)

    return [made(**tool["function"]) for tool in memory]


def _turn(item: Mapping[str, Any]) -> TurnFields:
    """An item as a turn: what it says, and the item itself where that is more."""
    whole = json.dumps(item, ensure_ascii=False)
    role = item.get("role")
    told = {"speaker": str(role or item.get("type") or "item"), "tags": [CLIENT] if role else [CLIENT, NARRATION]}
    if len(whole) < METADATA_CHARACTERS:
        return {"text": _said(item), "metadata": {"item": json.loads(whole)}, **told}  # type: ignore[typeddict-item]
    return {"text": whole, **told}  # type: ignore[typeddict-item]


def _item(turn: Memory) -> TResponseInputItem:
    item = turn.metadata["item"] if "item" in turn.metadata else json.loads(turn.text)
    return cast("TResponseInputItem", item)


def _said(item: Mapping[str, Any]) -> str:
    words = "\n\n".join(_texts(item.get("content") or item.get("output") or item.get("summary")))
    call = f"{item.get('name', '')}({item.get('arguments', '')})" if "arguments" in item else ""
    return words if words.strip() else call or str(item.get("type", "item"))


def _texts(content: Any) -> Iterator[str]:
    """The texts in a content, which is a text, or a list of parts of which some have one."""
    if isinstance(content, str):
        yield content
    elif isinstance(content, list):
        yield from (part["text"] for part in content if isinstance(part, Mapping) and isinstance(part.get("text"), str))
