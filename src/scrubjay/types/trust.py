"""Levels of trust, and what each allows. No other module compares them."""

from __future__ import annotations

from collections.abc import Sequence

from scrubjay.errors import Invalid
from scrubjay.types import TRUST, Memory, Trust

__all__ = ["allowed", "change_warning", "lower", "may_replace", "outranks", "update_warning", "warning"]


def allowed(caller: Trust, requested: Trust | None) -> Trust:
    """The trust of a memory that a caller adds: the caller's own, or a lower one. Only the user may give any."""
    if requested is None:
        return caller
    if requested not in TRUST:
        raise Invalid(f"trust must be user, agent or external, not {requested!r}.")
    if caller != "user" and TRUST.index(requested) > TRUST.index(caller):
        raise Invalid(f"Trust {requested!r} can only be given by the user; this caller may give at most {caller!r}.")
    return requested


def lower(one: Trust, other: Trust) -> Trust:
    return one if one == other else min(one, other, key=TRUST.index)


def may_replace(new: Memory, old: Memory) -> bool:
    """Whether a new memory may replace an old one automatically, without an explicit request."""
    return TRUST.index(new.trust) >= TRUST.index(old.trust)


def outranks(memory: Memory, trust: Trust) -> bool:
    """Whether a memory is trusted more than the caller who would change it."""
    return TRUST.index(memory.trust) > TRUST.index(trust)


def update_warning(memory: Memory, trust: Trust) -> str | None:
    """A warning if a less trusted caller has explicitly changed a memory's fields."""
    return change_warning(memory, [f"revert {memory.id}"]) if outranks(memory, trust) else None


def change_warning(memory: Memory, commands: Sequence[str]) -> str:
    """Whose memory was changed, and the commands that undo that, in their order."""
    came = f"Memory {memory.id} came from the {memory.trust}"
    undoing = " and then ".join(f"`{command}`" for command in commands)
    return f"{came}; {undoing} {'undoes' if len(commands) == 1 else 'undo'} this change." if commands else f"{came}."


def warning(new: Memory, old: Memory, trust: Trust) -> str | None:
    """A warning if a memory was explicitly replaced by a less trusted memory, or by a less trusted caller."""
    if may_replace(new, old):
        return update_warning(old, trust)
    return (
        f"Memory {old.id} came from the {old.trust}, {new.id} only from the {new.trust}; `revert {old.id}` undoes it."
    )
