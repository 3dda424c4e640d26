"""What may be wrong with the memory and with the clients that use it, each with what to do about it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

__all__ = ["Finding", "State", "failed", "fine", "note"]

State: TypeAlias = Literal["fine", "note", "wrong", "fixed"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at. Something wrong has a remedy; `fix` applies it where that is safe."""

    about: str  # "memory", or the name of a client
    state: State
    text: str
    remedy: str = ""
    fix: Callable[[], object] | None = field(default=None, repr=False)


def fine(about: str, text: str) -> Finding:
    return Finding(about, "fine", text)


def note(about: str, text: str, remedy: str = "") -> Finding:
    """Something to know that keeps nothing from working."""
    return Finding(about, "note", text, remedy)


def failed(about: str, text: str, remedy: str, fix: Callable[[], object] | None = None) -> Finding:
    return Finding(about, "wrong", text, remedy, fix)
