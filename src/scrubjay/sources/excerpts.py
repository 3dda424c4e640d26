"""Reading around what was found: the lines of a file, the turns of a conversation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path

from scrubjay.errors import Invalid, NotFound, ScrubjayError
from scrubjay.memory.arguments import count
from scrubjay.sources.markdown.reader import decoded
from scrubjay.sources.walk import inside, read_bytes
from scrubjay.stores import Store
from scrubjay.text.plural import counted
from scrubjay.types import Memory
from scrubjay.types.documents import Document, Excerpt

__all__ = ["around", "of_document"]

Shown = Callable[[str], str]  # a document's text, as it may be shown

LINES = 200
MOST_COMPARED = 1_000_000  # lines; more only where a file repeats a passage that is not in it


def around(store: Store, memory: Memory, window: int, now: datetime, shown: Shown, most_bytes: int) -> Excerpt:
    """A passage with the lines around it, a turn with the turns around it, and any other memory by itself."""
    if memory.kind == "turn":
        return _conversation(memory, store.memories.beside([memory], now, window)[memory.id])
    document = store.documents.named(memory.space, memory.document) if memory.document else None
    lines = _lines(store, document, shown, most_bytes) if document and memory.lines else []
    first = _line_of(memory, lines)
    if not first:  # its file has changed since, or is gone: what is known of it is all there is
        return Excerpt(memory.source, memory.text, *(memory.lines or (1, memory.text.count("\n") + 1)), 0)
    last = first + memory.text.count("\n")
    return _cut(memory.document or "", lines, first - window, last + window)


def of_document(
    store: Store, space: str, name: str, start: int, lines: int | None, shown: Shown, most_bytes: int
) -> Excerpt:
    """Some lines of a document that was read; no other file can be named."""
    document = store.documents.named(space, name)
    if document is None:
        raise NotFound(f"There is no document {name!r} in space {space!r}; results name theirs, e.g. notes/a.md.")
    wanted = LINES if lines is None else count("lines", lines)
    return _cut(name, _lines(store, document, shown, most_bytes), start, start + wanted - 1)


def _lines(store: Store, document: Document, shown: Shown, most_bytes: int) -> list[str]:
    """A file's lines as they are now, guarded as a whole; of anything else, one for each memory cut from it."""
    sources = store.documents.sources(document.space)
    source = next((found for found in sources if found.id == document.source), None)
    if source is None:  # one that may not be read
        return []
    if source.kind != "files":
        memories = store.documents.memories(document)
        return [f"{memory.speaker or memory.kind}: {' '.join(memory.text.split())}" for memory in memories]
    try:
        text, _ = decoded(read_bytes(inside(Path(source.root), Path(document.path)), most_bytes))
    except ScrubjayError:
        return []
    return shown(text.replace("\r\n", "\n").removesuffix("\n")).split("\n")


def _line_of(memory: Memory, lines: Sequence[str]) -> int:
    """Where a passage stands now; 0 if it does no more. What was redacted in it is not compared."""
    if memory.lines is None or not lines:
        return 0
    own = [line.rstrip("\r") for line in memory.text.split("\n")]
    first, last = memory.lines
    if last - first + 1 == len(own) and last <= len(lines) and _agreeing(lines, first - 1, own) == len(own):
        return first
    compared = 0
    for at in range(len(lines) - len(own) + 1):
        agreeing = _agreeing(lines, at, own)
        if agreeing == len(own):
            return at + 1
        compared += agreeing + 1
        if compared > MOST_COMPARED:
            break
    return 0


def _agreeing(lines: Sequence[str], at: int, own: Sequence[str]) -> int:
    """How many lines agree from there on, up to the first that does not."""
    return next((number for number, mine in enumerate(own) if not _agree(mine, lines[at + number])), len(own))


def _agree(mine: str, line: str) -> bool:
    return mine in line or "[redacted: " in mine


def _cut(name: str, lines: Sequence[str], first: int, last: int) -> Excerpt:
    first, last = max(first, 1), min(last, len(lines))
    if first > last:
        raise Invalid(f"{name} has {counted(len(lines), 'line')}; there is nothing at {first}.")
    return Excerpt(name, "\n".join(lines[first - 1 : last]), first, last, len(lines))


def _conversation(turn: Memory, beside: Sequence[Memory]) -> Excerpt:
    turns = sorted((turn, *beside), key=lambda one: (one.position or 0, one.id))
    text = "\n\n".join(f"{one.speaker or 'someone'}: {one.text}" for one in turns)
    first, last = turns[0].position or 0, turns[-1].position or 0
    return Excerpt(turn.source, text, first, last, 0, tuple(turns))
