"""A store that counts how often it is called from outside."""

from __future__ import annotations

from typing import Any, cast

from scrubjay.stores import Store

__all__ = ["counted"]


def counted(store: Store) -> tuple[Store, list[str]]:
    """The same store, and the names of the calls made of it, as they come; buffering a use asks it nothing."""
    calls: list[str] = []
    return cast("Store", _Counted(store, calls)), calls


class _Counted:
    def __init__(self, store: Store, calls: list[str]) -> None:
        self._store = store
        self._calls = calls

    def __getattr__(self, name: str) -> Any:
        part = getattr(self._store, name)
        return part if isinstance(part, str | bool | int) else _Part(name, part, self._calls)


class _Part:
    def __init__(self, name: str, part: Any, calls: list[str]) -> None:
        self._name = name
        self._part = part
        self._calls = calls

    def __getattr__(self, name: str) -> Any:
        if (self._name, name) != ("uses", "note"):
            self._calls.append(f"{self._name}.{name}")
        return getattr(self._part, name)

    def __call__(self, *given: Any, **named: Any) -> Any:
        self._calls.append(self._name)
        return self._part(*given, **named)
