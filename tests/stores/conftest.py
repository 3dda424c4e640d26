"""The store, at every address it can have: one line here adds an engine to all tests of the contract."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from scrubjay.stores import Store, open_store

ADDRESSES: dict[str, Callable[[Path], str]] = {
    "file": lambda folder: str(folder / "store.db"),
    "memory": lambda folder: ":memory:",
}


@pytest.fixture(params=ADDRESSES)
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return ADDRESSES[request.param](tmp_path)


@pytest.fixture
def store(address: str) -> Iterator[Store]:
    opened = open_store(address)
    yield opened
    opened.close()
