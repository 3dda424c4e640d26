"""What an agent should be told now, within a token budget: data, fenced as such, with ids to ask for more."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import replace
from datetime import datetime
from typing import Any

from scrubjay.memory.fields import loggable
from scrubjay.models.embedding import Choice
from scrubjay.stores import Store, Use
from scrubjay.text.fence import defused, fenced
from scrubjay.text.safe_text import one_line
from scrubjay.types import Context, Filter, Hit, Memory

__all__ = ["at_a_start", "compose", "for_a_message", "recent", "tell", "uses"]

LENGTHS = (400, 80)  # characters of a memory that are told: as much as fits
STANDING = ("preference", "identity")
OF_THE_PROJECT = ("decision", "invariant", "convention")
AT_A_START = 20
LOOKED_THROUGH = 200  # summaries of other projects, before it is said that there is none


def tell(
    store: Store, choice: Choice, filter: Filter, budget: int, candidates: Iterable[tuple[Memory, str]],
    known: Set[int], session: str | None,
) -> Context:  # fmt: skip
    """Compose what fits, without what this session was told already, and remember that it was told."""
    space = filter.spaces[0]
    disputed = {id: pair for pair in store.conflicts.open(space, filter.now) for id in _ids(pair)}
    fresh = [(memory, _remark(memory, remark, disputed)) for memory, remark in candidates if memory.id not in known]
    told = compose(fresh, counter(choice), budget)
    if session and told.memories:
        store.sessions.note_shown(space, session, [memory.id for memory in told.memories], filter.now)
    return told


def for_a_message(hits: Iterable[Hit], known: Set[int], most: int) -> list[tuple[Memory, str]]:
    """What a message needs, the most relevant first."""
    fresh = [hit for hit in hits if hit.memory.id not in known]
    return [(hit.memory, _correction(hit)) for hit in fresh[:most]]


def uses(told: Context, message: str | None, now: datetime) -> list[Use]:
    asked = message and loggable(message)
    return [Use(memory.id, now, "context", query=asked) for memory in told.memories]


def compose(candidates: Iterable[tuple[Memory, str]], count: Callable[[str], int], budget: int) -> Context:
    """As many memories as fit, in the order given; each comes with a remark, which may be empty."""
    lines: list[str] = []
    kept: list[Memory] = []
    for memory, remark in candidates:
        for length in LENGTHS:
            text = _line(memory, remark, length)
            if count(fenced([*lines, text])) <= budget:
                lines.append(text)
                kept.append(memory)
                break
    text = fenced(lines) if lines else ""
    return Context(text, tuple(kept), count(text) if text else 0)


def recent(messages: Sequence[Any], keep: int = 10) -> tuple[Sequence[Any], Sequence[Any]]:
    """What to summarise and what to keep when a conversation is compacted; it is kept from a user's message on."""
    cut = max(len(messages) - keep, 0)
    if 0 < cut < len(messages):
        cut = next((place for place in range(cut, 0, -1) if _begins_an_exchange(messages[place])), cut)
    return messages[:cut], messages[cut:]


def counter(choice: Choice) -> Callable[[str], int]:
    """The model's own tokenizer; without one at hand, a byte in two is surely enough."""
    tokens: Callable[[str], int] | None = getattr(choice.at_hand()[0], "tokens", None)
    return tokens or (lambda text: (len(text.encode()) + 1) // 2)


def _begins_an_exchange(message: Any) -> bool:
    role = message.get("role") if isinstance(message, Mapping) else None
    return role is None or role in ("user", "human")


def at_a_start(store: Store, filter: Filter, project: str | None) -> Iterable[tuple[Memory, str]]:
    """Open tasks, standing preferences, what the project decided, and how the last session ended."""
    space, now = filter.spaces[0], filter.now
    for task in store.tasks.find(
        space, now, statuses=("in_progress", "pending"), scope=None, project=None, priority=None, due_before=None
    )[:AT_A_START]:
        due = f", due {task.due:%Y-%m-%d}" if task.due else ""
        yield task.memory, f"{task.status.replace('_', ' ')}, {task.priority}{due}"
    yield from ((memory, "") for memory in store.memories.newest(replace(filter, kinds=STANDING), AT_A_START))
    if project:
        of_project = replace(filter, kinds=OF_THE_PROJECT, project=project)
        yield from ((memory, "") for memory in store.memories.newest(of_project, AT_A_START))
    yield from ((memory, "last session") for memory in _last_summary(store, filter, project))


def _last_summary(store: Store, filter: Filter, project: str | None) -> list[Memory]:
    """How the last session of this project ended; outside of any project, of those that belong to none."""
    newest = store.memories.newest(
        replace(filter, kinds=("summary",), project=project), 1 if project else LOOKED_THROUGH
    )
    return [summary for summary in newest if summary.project == project][:1]


def _correction(hit: Hit) -> str:
    return f"corrected by {hit.corrected_by}" if hit.corrected_by else ""


def _remark(memory: Memory, remark: str, disputed: Mapping[int, Any]) -> str:
    pair = disputed.get(memory.id)
    if pair is None:
        return remark
    other = pair.older if pair.newer.id == memory.id else pair.newer
    return f"{remark}; may contradict {other.id}".removeprefix("; ")


def _ids(pair: Any) -> tuple[int, int]:
    return pair.older.id, pair.newer.id


def _line(memory: Memory, remark: str, length: int) -> str:
    text = " ".join(defused(memory.text).split())
    if len(text) > length:
        text = text[: length - 1] + "…"
    about = f"{memory.kind} {memory.happened_at:%Y-%m-%d}{f' ({remark})' if remark else ''}"
    return f"[{memory.id}] {one_line(about)}: {text}"
