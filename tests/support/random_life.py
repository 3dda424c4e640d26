"""A random life of a memory: adding, correcting, undoing, linking, deleting; the same for the same choices."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress

from hypothesis import strategies as st

from scrubjay import Invalid, NotFound, Scrubjay
from tests.support.clock import Clock

__all__ = ["choices", "corrections", "live", "revise"]

WORDS = "lamp kettle heron bridge garden letter".split()
COLOURS = "red green blue white".split()

choices = st.lists(st.tuples(st.integers(0, 14), st.integers(0, 50), st.integers(0, 3)), max_size=14)

# Long, and with few texts, so that many memories say the same.
corrections = st.lists(
    st.tuples(st.sampled_from(["add", "supersede", "revert", "delete", "undelete"]), st.integers(0, 8)),
    min_size=15,
    max_size=40,
)


def live(jay: Scrubjay, clock: Clock, chosen: Iterable[tuple[int, int, int]]) -> None:
    """Do what was chosen, one after the other; each at a time of its own."""
    for verb, which, how in chosen:
        clock.pass_(seconds=7)
        with suppress(Invalid, NotFound):
            _do(jay, verb, which, how)


def _do(jay: Scrubjay, verb: int, which: int, how: int) -> None:
    text = f"The {WORDS[which % len(WORDS)]} is {COLOURS[how]}"
    ids = [memory.id for memory in jay.list(include_superseded=True)] or [1]
    id = ids[which % len(ids)]
    match verb:
        case 0 | 1 | 2:
            jay.add(text, kind="fact", subject=WORDS[which % len(WORDS)], tags=COLOURS[:how])
        case 3:
            jay.supersede(id, f"{text} now", reason=f"seen {which}")
        case 4:
            jay.supersede(id, by=ids[how % len(ids)])
        case 5:
            jay.revert(id)
        case 6:
            jay.update(id, tags=[COLOURS[how]], importance=1 + how, metadata={"n": which})
        case 7:
            jay.confirm(id)
        case 8:
            jay.delete(id)
        case 9:
            jay.add_turns(f"talk {how}", [{"speaker": "Ann", "text": text}])
        case 10:
            task = jay.tasks.create(f"Paint: {text}")
            jay.tasks.update(task.memory.id, status="in_progress", note=f"by {which}")
        case 11:
            jay.link(id, ids[how % len(ids)], "depends_on" if which % 2 else None)
        case 12:
            jay.unlink(id, ids[how % len(ids)])
        case 13:
            jay.profile.set(WORDS[which % len(WORDS)], COLOURS[how], reason=f"seen {which}")
        case 14:
            jay.contacts.create(name=f"Ann {which}", email=f"ann{how}@example.org", role=COLOURS[how])


def revise(jay: Scrubjay, clock: Clock, chosen: Iterable[tuple[str, int]]) -> None:
    """Add, replace, undo, delete and take back, one after the other; each at a time of its own."""
    for verb, which in chosen:
        clock.pass_(seconds=7)
        with suppress(Invalid, NotFound):
            _revise(jay, verb, which)


def _revise(jay: Scrubjay, verb: str, which: int) -> None:
    text = f"The lamp is {COLOURS[which % 3]}"
    deleted = [one.memory.id for one in jay.trash.list()]
    found = deleted if verb == "undelete" else [memory.id for memory in jay.list(include_superseded=True)]
    id = found[which % len(found)] if found else 1
    match verb:
        case "add":
            jay.add(text, kind="fact", subject="lamp")
        case "supersede":
            jay.supersede(id, text)
        case "revert":
            jay.revert(id)
        case "delete":
            jay.delete(id)
        case "undelete":
            jay.undelete(id)
