"""A call whose connection was lost is made again, where that cannot do anything twice."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import wraps
from inspect import ismethod, signature
from typing import Any

from scrubjay.errors import ConnectionLost
from scrubjay.stores import MADE_LATER, Store
from scrubjay.stores.postgres.engine import PostgresEngine

__all__ = ["open_repeating"]

SECONDS = 60


def open_repeating(url: str) -> Store:
    """A store, each of whose parts makes a call again that has lost its connection."""
    engine = PostgresEngine(url)
    store = Store(engine)
    names = [name for name in vars(store) if not name.startswith("_")]
    for part in [getattr(store, name) for name in (*names, *MADE_LATER)]:
        for name in dir(part):
            if not name.startswith("_") and ismethod(method := getattr(part, name)):
                setattr(part, name, _repeated(engine, method))
    return store


def _repeated(engine: PostgresEngine, method: Callable[..., Any]) -> Callable[..., Any]:
    can_be_told = "again" in signature(method).parameters

    @wraps(method)
    def call(*given: Any, **named: Any) -> Any:
        until = time.monotonic() + SECONDS
        while True:
            try:
                return method(*given, **named)
            except ConnectionLost as lost:
                undecided = lost.may_be_done and not can_be_told
                # Within a larger transaction, all of that is lost.
                if undecided or engine.in_transaction or time.monotonic() > until:
                    raise
                named |= {"again": True} if can_be_told else {}

    return call
