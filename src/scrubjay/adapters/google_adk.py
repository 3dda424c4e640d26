"""Google's Agent Development Kit (ADK): a memory service. Events of sessions are turns, and are found for their user.

Application and user are kept as metadata of each memory, and every search names both.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from threading import Lock
from typing import Any
from uuid import NAMESPACE_OID, uuid5

from google.adk.events import Event
from google.adk.memory.base_memory_service import BaseMemoryService, SearchMemoryResponse
from google.adk.memory.memory_entry import MemoryEntry
from google.adk.sessions import Session
from google.genai import types

from scrubjay.agents.automatic import after_turns
from scrubjay.api import Scrubjay
from scrubjay.memory.add import add_without_private
from scrubjay.memory.arguments import split_turn
from scrubjay.memory.withheld import PublicTurns
from scrubjay.types import Memory

__all__ = ["ScrubjayMemoryService"]

CLIENT = "google-adk"  # also the tag of what is kept
ID = "adk_id"  # of an event or an entry
NO_SESSION = "events"  # the session of events that name none
MOST = 10  # memories that a search gives, as ADK's own service does
Owner = dict[str, str]


class ScrubjayMemoryService(BaseMemoryService):
    """The `memory_service=` of a runner. Only what was said is kept: calls of tools are not."""

    def __init__(self, jay: Scrubjay) -> None:
        self._jay = jay.lend(client=CLIENT, actor=CLIENT, trust="agent")
        self._one_at_a_time = Lock()  # else an event that is added twice at once would be there twice

    async def add_session_to_memory(self, session: Session) -> None:
        await self.add_events_to_memory(
            app_name=session.app_name, user_id=session.user_id, events=session.events, session_id=session.id
        )

    async def add_events_to_memory(
        self, *, app_name: str, user_id: str, events: Sequence[Event], session_id: str | None = None,
        custom_metadata: Mapping[str, object] | None = None,
    ) -> None:  # fmt: skip
        about = {**(custom_metadata or {}), **self._owner(app_name, user_id)}
        own = {event.id: event for event in events}.values()
        turns = [_turn(event, about) for event in own if _text(event.content)]
        await asyncio.to_thread(self._add_new, _path(app_name, user_id, session_id or NO_SESSION), turns)

    async def add_memory(
        self, *, app_name: str, user_id: str, memories: Sequence[MemoryEntry],
        custom_metadata: Mapping[str, object] | None = None,
    ) -> None:  # fmt: skip
        owner = self._owner(app_name, user_id)
        items = [_item(entry, custom_metadata or {}, owner) for entry in memories if _text(entry.content)]
        await asyncio.to_thread(self._jay.add_many, items)

    async def search_memory(self, *, app_name: str, user_id: str, query: str) -> SearchMemoryResponse:
        if not query.strip():
            return SearchMemoryResponse()
        found = await asyncio.to_thread(self._jay.search, query, limit=MOST, **_of(_owner(app_name, user_id)))
        return SearchMemoryResponse(memories=[_entry(hit.memory) for hit in found.likely])

    async def delete_memory(self, *, app_name: str, user_id: str, memory_id: str | None = None) -> None:
        await asyncio.to_thread(self._delete, {**_owner(app_name, user_id), ID: memory_id or ""})

    def _owner(self, app_name: str, user_id: str) -> Owner:
        """Whose memory something becomes."""
        self._jay.view.whole_names([app_name, user_id])
        return _owner(app_name, user_id)

    def _add_new(self, session: str, turns: Sequence[Mapping[str, Any]]) -> None:
        """An event that is known is not added again, and one that was deleted stays deleted."""
        view = self._jay.view
        name = view.session_name(session)
        with self._one_at_a_time:
            public = PublicTurns(view, [(text, {**own, **_place(name, own)}) for text, own in map(split_turn, turns)])
            made = public.memories(
                lambda text, own, before: view.new_memory(
                    text, {**own, "position": None}, turn=True, said_before=before
                )
            )
            known = _ids(self._jay.list(session=name, tags=[CLIENT]))
            left = view.store.documents.not_deleted(view.space, made, view.clock())
            added = add_without_private(view, public, [turn for turn in left if turn.metadata.get(ID) not in known])
        after_turns(view, [name], added)

    def _delete(self, wanted: Owner) -> None:
        if found := self._jay.list(**_of(wanted)):
            self._jay.delete(*(memory.id for memory in found))


def _owner(app_name: str, user_id: str) -> Owner:
    return {"app_name": app_name, "user_id": user_id}


def _path(*names: str) -> str:
    """The names as one, which no others make: a slash in one of them is written otherwise."""
    return "/".join(name.replace("%", "%25").replace("/", "%2F") for name in names)


def _place(session: str, turn: Mapping[str, Any]) -> dict[str, Any]:
    """Where a turn stands: its time tells whether a private part is read again from its beginning."""
    at: datetime = turn["happened_at"]
    return {"session": session, "source": f"session:{session}", "position": round(at.timestamp() * 1_000_000)}


def _of(owner: Owner) -> dict[str, Any]:
    return {"metadata": owner, "tags": [CLIENT]}


def _ids(memories: Iterable[Memory]) -> set[str]:
    return {str(memory.metadata[ID]) for memory in memories if ID in memory.metadata}


def _text(content: types.Content | None) -> str:
    parts = (content.parts if content else None) or ()
    return "\n\n".join(part.text for part in parts if part.text and not part.thought).strip()


def _turn(event: Event, about: Mapping[str, object]) -> dict[str, Any]:
    role = event.content.role if event.content else None
    return {
        "text": _text(event.content), "speaker": event.author or "user", "tags": [CLIENT],
        "happened_at": datetime.fromtimestamp(event.timestamp, UTC),
        "metadata": {**about, ID: event.id, **({"role": role} if role else {})},
    }  # fmt: skip


def _item(entry: MemoryEntry, shared: Mapping[str, object], owner: Owner) -> dict[str, Any]:
    """The subject is the owner: the same words of two users are two memories."""
    text = _text(entry.content)
    id = entry.id or str(uuid5(NAMESPACE_OID, json.dumps([*owner.values(), text])))
    author = {"author": entry.author} if entry.author else {}
    about = {**entry.custom_metadata, **shared, **author, **owner, ID: id}
    when = {"happened_at": entry.timestamp} if entry.timestamp else {}
    return {"text": text, "subject": _path(*owner.values()), "tags": [CLIENT], "metadata": about, **when}


def _entry(memory: Memory) -> MemoryEntry:
    """As ADK has it. Who else adds to this space may have given it any metadata, or none of ADK's."""
    about = dict(memory.metadata)
    id, role, author = (_name(about.pop(key, None)) for key in (ID, "role", "author"))
    others = {key: value for key, value in about.items() if key not in _owner("", "")}
    return MemoryEntry(
        content=types.Content(role=role, parts=[types.Part(text=memory.text)]), id=id or memory.uid,
        author=author or memory.speaker, timestamp=memory.happened_at.isoformat(), custom_metadata=others,
    )  # fmt: skip


def _name(value: Any) -> str | None:
    return value if isinstance(value, str) else None
