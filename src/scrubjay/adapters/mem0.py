"""mem0's interface (its open-source `Memory`) over this memory: change an import, and keep the program.

Each memory belongs to a `user_id`, an `agent_id`, a `run_id` or several of them, and has an id that stays when its
text is changed.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Self
from uuid import UUID

from scrubjay.adapters.mem0_filters import check, fits, plain_part
from scrubjay.adapters.own_memories import list_own
from scrubjay.api import Scrubjay
from scrubjay.errors import Invalid
from scrubjay.memory.arguments import split_turn, whole_text
from scrubjay.opening import open
from scrubjay.search.pipeline import MAX_RESULTS
from scrubjay.text.secret_scan.private_tags import public_parts
from scrubjay.types import Memory as Stored

__all__ = ["AsyncMemory", "Memory"]

SOURCE = "mem0"
OWNERS = ("user_id", "agent_id", "run_id")
ID = "mem0_id"
MADE = (ID, "created")  # keys of metadata that are ours, whatever is given
TOLD = (*OWNERS, "role")  # beside a memory's text, not in its metadata
NOT_FOUND = "Memory with id {} not found"
Answer = dict[str, Any]


class Memory:
    """What mem0's class of that name does, without its configuration: the memory has its own."""

    def __init__(self, jay: Scrubjay | None = None) -> None:
        self._jay = (open() if jay is None else jay).lend(source=SOURCE, client=SOURCE, actor=SOURCE)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        self._jay.close()

    def add(
        self, messages: str | Mapping[str, Any] | Sequence[Mapping[str, Any]], *, user_id: str | None = None,
        agent_id: str | None = None, run_id: str | None = None, metadata: Mapping[str, Any] | None = None,
        expiration_date: str | None = None, infer: bool = True,
    ) -> Answer:  # fmt: skip
        """Remember what was said. With `infer`, the facts in it: found by the generator that is set, or by rules.

        The answer names under "extractor" what has found them, and under "dropped" what was left out and why. Without
        `infer`, each message is stored as it is.
        """
        own = _owner({"user_id": user_id, "agent_id": agent_id, "run_id": run_id})
        self._jay.view.whole_names([*own.values()])
        about = {key: value for key, value in (metadata or {}).items() if key not in MADE} | own
        said = _messages(messages)
        if not infer:
            return {"results": [self._added(text, {**about, "role": role}, expiration_date) for role, text in said]}
        found = self._jay.extract("\n\n".join(text for _, text in said), dry_run=True)
        results = [self._added(one.text, about, expiration_date, kind=one.kind) for one in found.memories]
        dropped = [{"memory": one.text, "reason": one.reason} for one in found.dropped]
        return {"results": results, "extractor": found.extractor, "dropped": dropped}

    def search(
        self, query: str, *, top_k: int = 20, filters: Mapping[str, Any] | None = None, threshold: float = 0.1
    ) -> Answer:
        """The memories of an owner that are like a query, best first."""
        wanted = _wanted(filters)
        owned = plain_part(wanted)
        limit = top_k if owned == wanted else max(top_k, len(self._all(owned, None)))  # some are left out afterwards
        hits = self._jay.search(
            query, limit=min(limit, MAX_RESULTS), min_score=threshold, sources=[SOURCE], metadata=owned
        )
        kept = [hit for hit in hits if hit.memory.source == SOURCE and fits(hit.memory.metadata, wanted)]
        return {"results": [{**_shown(hit.memory), "score": hit.score} for hit in kept[:top_k]]}

    def get(self, memory_id: str) -> Answer | None:
        found = self._find(memory_id)
        return None if found is None else _shown(found)

    def get_all(self, *, filters: Mapping[str, Any] | None = None, top_k: int = 20) -> Answer:
        """The memories of an owner, the newest first."""
        wanted = _wanted(filters)
        owned = plain_part(wanted)
        found = self._all(owned, top_k if owned == wanted else None)
        kept = [memory for memory in found if fits(memory.metadata, wanted)]
        return {"results": [_shown(memory) for memory in kept[:top_k]]}

    def update(
        self, memory_id: str, text: str | None = None, metadata: Mapping[str, Any] | None = None,
        expiration_date: str | None = None,
    ) -> Answer:  # fmt: skip
        """Change the text, the metadata or the last day of a memory; its owner stays."""
        if text is None and metadata is None and expiration_date is None:
            raise ValueError("At least one of text, metadata, or expiration_date must be provided.")
        old = self._existing(memory_id)
        own = {key: old.metadata[key] for key in (*TOLD, *MADE) if key in old.metadata}
        about = {**old.metadata, **(metadata or {}), **own}
        until = expiration_date or old.expires_at
        if text is None:
            self._jay.update(old.id, metadata=about, expires_at=until)
        else:
            self._jay.supersede(old.id, text, metadata=about, expires_at=until)
        return {"message": "Memory updated successfully!"}

    def delete(self, memory_id: str) -> Answer:
        self._forget([self._existing(memory_id)])
        return {"message": "Memory deleted successfully!"}

    def delete_all(self, user_id: str | None = None, agent_id: str | None = None, run_id: str | None = None) -> Answer:
        self._forget(self._all(_owner({"user_id": user_id, "agent_id": agent_id, "run_id": run_id}), None))
        return {"message": "Memories deleted successfully!"}

    def history(self, memory_id: str) -> list[Answer]:
        """What a memory was, the oldest first."""
        versions = list(self._jay.history(self._existing(memory_id).id))
        before: list[Stored | None] = [None, *versions]
        return [_change(memory_id, old, new) for old, new in zip(before, versions, strict=False)]

    def reset(self) -> None:
        """Delete all that was added through this interface."""
        self._forget(self._all({}, None))

    def _added(self, text: str, about: Mapping[str, Any], until: str | None, kind: str | None = None) -> Answer:
        subject = ", ".join(f"{key} {_quoted(str(about[key]))}" for key in OWNERS if key in about)
        added = self._jay.add(text, kind=kind, subject=subject, metadata=about, expires_at=until)
        memory, event = added.memory, "ADD" if added.created else "NONE"
        if ID not in memory.metadata:
            memory = self._jay.update(
                memory.id, metadata={ID: str(UUID(memory.uid)), "created": _time(memory.created_at)}
            )
        return {"id": memory.metadata[ID], "memory": memory.text, "event": event}

    def _find(self, memory_id: str) -> Stored | None:
        return next(iter(self._all({ID: memory_id}, 1)), None)

    def _existing(self, memory_id: str) -> Stored:
        found = self._find(memory_id)
        if found is None:
            raise ValueError(NOT_FOUND.format(memory_id))
        return found

    def _all(self, metadata: Mapping[str, Any], limit: int | None) -> list[Stored]:
        return list_own(self._jay, SOURCE, limit, metadata=metadata)

    def _forget(self, memories: Iterable[Stored]) -> None:
        ids = dict.fromkeys(version.id for memory in memories for version in self._jay.history(memory.id))
        if ids:
            self._jay.delete(*ids)


class AsyncMemory:
    """The same for programs that await: the methods of `Memory`, each run in a worker thread."""

    def __init__(self, jay: Scrubjay | None = None) -> None:
        self._memory = Memory(jay)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        self._memory.close()

    def __getattr__(self, name: str) -> Callable[..., Awaitable[Any]]:
        if name.startswith("_"):
            raise AttributeError(f"AsyncMemory has no attribute {name!r}")
        method = getattr(self._memory, name)

        async def awaited(*args: Any, **options: Any) -> Any:
            return await asyncio.to_thread(method, *args, **options)

        return awaited


def _messages(given: Any) -> list[tuple[str, str]]:
    """Who said it, and what was said."""
    said = [{"role": "user", "content": given}] if isinstance(given, str) else given
    said = [said] if isinstance(said, Mapping) else said
    if not isinstance(said, Sequence):
        raise Invalid("messages must be str, dict, or list[dict]")
    turns = [split_turn(message) for message in said]
    own = [(str(fields.get("speaker", "user")), text) for text, fields in turns if fields.get("speaker") != "system"]
    public = public_parts([whole_text("content", text) for _, text in own])
    pairs = zip(own, public, strict=True)
    return [(speaker, text) for (speaker, given), text in pairs if text.strip() or not given.strip()]


def _owner(given: Mapping[str, Any]) -> dict[str, Any]:
    owner = {key: str(value).strip() for key, value in given.items() if value is not None}
    if not owner:
        raise ValueError(f"At least one of {', '.join(OWNERS)} must be given.")
    return owner


def _quoted(name: str) -> str:
    """A name that can be told from what stands after it: the same words of two owners are two memories."""
    return json.dumps(name, ensure_ascii=False) if {",", '"'} & {*name} else name


def _wanted(filters: Mapping[str, Any] | None) -> dict[str, Any]:
    """The filters, which must name an owner."""
    given = dict(filters or {})
    if not any(key in given for key in OWNERS):
        raise ValueError(f"filters must contain at least one of: {', '.join(OWNERS)}.")
    check(given)
    return given


def _shown(memory: Stored) -> Answer:
    """A memory as mem0 shows it."""
    about = memory.metadata
    others = {key: value for key, value in about.items() if key not in (*TOLD, *MADE)}
    return {
        "id": about.get(ID, str(UUID(memory.uid))), "memory": memory.text,
        "created_at": about.get("created", _time(memory.created_at)), "updated_at": _time(memory.updated_at),
        **{key: about[key] for key in TOLD if key in about},
        **({"expiration_date": memory.expires_at.date().isoformat()} if memory.expires_at else {}),
        **({"metadata": others} if others else {}),
    }  # fmt: skip


def _change(memory_id: str, old: Stored | None, new: Stored) -> Answer:
    return {
        "memory_id": memory_id, "old_memory": old and old.text, "new_memory": new.text,
        "event": "UPDATE" if old else "ADD", "created_at": _time(new.created_at), "is_deleted": False,
    }  # fmt: skip


def _time(moment: datetime) -> str:
    return moment.isoformat()
