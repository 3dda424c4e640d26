"""The store, at every address it can have: one line here adds an engine to all tests of the contract."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import apsw
import pytest

from scrubjay.stores import Store, open_store
from scrubjay.stores.sqlite.caches import vector_cache

ADDRESSES: dict[str, Callable[[pytest.FixtureRequest], str]] = {
    "file": lambda request: str(request.getfixturevalue("tmp_path") / "store.db"),
    "memory": lambda request: ":memory:",
    "postgres": lambda request: request.getfixturevalue("database"),
}


@pytest.fixture(params=ADDRESSES)
def address(request: pytest.FixtureRequest) -> str:
    return ADDRESSES[request.param](request)


@pytest.fixture
def store(address: str) -> Iterator[Store]:
    opened = open_store(address)
    yield opened
    opened.close()


@pytest.fixture
def builds(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The spaces whose cache was built from the file."""
    seen: list[str] = []
    build = vector_cache._build

    def counted(db: apsw.Connection, space: str, model: int, dimensions: int) -> Any:
        seen.append(space)
        return build(db, space, model, dimensions)

    monkeypatch.setattr(vector_cache, "_build", counted)
    return seen
