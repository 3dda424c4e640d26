"""A plugin for pytest: LangGraph's own stores are ours, on the memory or the file that a test names."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import langgraph.store.memory
import langgraph.store.sqlite
import langgraph.store.sqlite.aio

import scrubjay
from scrubjay import Scrubjay
from scrubjay.adapters.langgraph import AsyncScrubjayStore, IndexEmbedder, ScrubjayStore

MODEL = "upstream/characters"  # their test's own embedder, which has no name


def opened(place: str, index: Any) -> Scrubjay:
    if place != ":memory:" and not os.path.getsize(place):
        os.unlink(place)  # the tests make an empty file; a memory makes its own
    return scrubjay.open(place, embedder=IndexEmbedder(index, model=MODEL) if index else "none")


def fields_of(index: Any) -> dict[str, Any]:
    named = (index or {}).get("fields") or (index or {}).get("text_fields")
    return {"fields": named} if named else {}


class InMemory(ScrubjayStore):
    def __init__(self, *, index: Any = None, ttl: Any = None) -> None:
        super().__init__(opened(":memory:", index), ttl=ttl, **fields_of(index))


class SyncStore(ScrubjayStore):
    MIGRATIONS = langgraph.store.sqlite.SqliteStore.MIGRATIONS

    @classmethod
    @contextmanager
    def from_conn_string(cls, place: str, *, index: Any = None, ttl: Any = None) -> Iterator[SyncStore]:
        with opened(place, index) as jay:
            store = cls(jay, ttl=ttl, **fields_of(index))
            yield store
            store.stop_ttl_sweeper()

    def setup(self) -> None:
        pass


class AsyncStore(AsyncScrubjayStore):
    @classmethod
    @asynccontextmanager
    async def from_conn_string(cls, place: str, *, index: Any = None, ttl: Any = None) -> AsyncIterator[AsyncStore]:
        with opened(place, index) as jay:
            store = cls(jay, ttl=ttl, **fields_of(index))
            yield store
            await store.stop_ttl_sweeper()

    async def setup(self) -> None:
        pass


langgraph.store.memory.InMemoryStore = InMemory  # type: ignore[assignment, misc]
langgraph.store.sqlite.SqliteStore = SyncStore
langgraph.store.sqlite.AsyncSqliteStore = langgraph.store.sqlite.aio.AsyncSqliteStore = AsyncStore
