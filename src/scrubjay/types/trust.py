"""Who vouches for a memory, and what that allows: the only place where trust is weighed."""

from __future__ import annotations

from scrubjay.errors import Invalid
from scrubjay.types import TRUST, Memory, Trust

__all__ = ["allowed", "lower", "may_retire", "outranks", "update_warning", "warning"]


def allowed(door: Trust, asked: Trust | None) -> Trust:
    """The trust of what comes in by a door: a caller may lower it; only the user's own doors may raise it."""
    if asked is None:
        return door
    if asked not in TRUST:
        raise Invalid(f"trust must be user, agent or external, not {asked!r}.")
    if door != "user" and TRUST.index(asked) > TRUST.index(door):
        raise Invalid(f"Trust {asked!r} can only be given by the user; this door gives {door!r} at most.")
    return asked


def lower(one: Trust, other: Trust) -> Trust:
    return min(one, other, key=TRUST.index)


def may_retire(new: Memory, old: Memory) -> bool:
    """Whether a memory may take another's place without anybody having said so."""
    return TRUST.index(new.trust) >= TRUST.index(old.trust)


def outranks(memory: Memory, trust: Trust) -> bool:
    """Whether a memory is trusted more than somebody who would change it."""
    return TRUST.index(memory.trust) > TRUST.index(trust)


def update_warning(memory: Memory, trust: Trust) -> str | None:
    """What to say when somebody less trusted has explicitly changed a memory's fields."""
    if not outranks(memory, trust):
        return None
    return f"Memory {memory.id} came from the {memory.trust}; `revert {memory.id}` undoes this change."


def warning(new: Memory, old: Memory, trust: Trust) -> str | None:
    """What to say when something more trusted was explicitly replaced by something, or somebody, less trusted."""
    if may_retire(new, old):
        return update_warning(old, trust)
    return (
        f"Memory {old.id} came from the {old.trust}, {new.id} only from the {new.trust}; `revert {old.id}` undoes it."
    )
