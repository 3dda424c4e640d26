"""Excerpts: the text around a memory, in its file or its conversation."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from scrubjay.errors import Invalid, NotFound, ScrubjayError
from scrubjay.memory.arguments import count
from scrubjay.memory.view import View
from scrubjay.sources.markdown.reader import decoded
from scrubjay.sources.walk import inside, read_bytes
from scrubjay.text.plural import counted
from scrubjay.text.secret_scan.quoting import quoted
from scrubjay.types import Memory
from scrubjay.types.documents import Document, Excerpt

__all__ = ["excerpt"]

DEFAULT_LINES = 200
MAX_COMPARED = 1_000_000  # lines; only a file that repeats the beginning of a missing passage needs more


def excerpt(view: View, of: int | str, start: int, lines: int | None, around: int) -> Excerpt:
    """The text around a memory, by id; or some lines of a document, by name."""
    if isinstance(of, str):
        if start == 0 or lines == 0:
            raise Invalid("The first line of a document is 1, and lines must be at least 1.")
        return _of_document(view, of, count("start", start), DEFAULT_LINES if lines is None else count("lines", lines))
    memory = view.existing(of)
    return _around(view, memory, count("around", around))


def _around(view: View, memory: Memory, window: int) -> Excerpt:
    """A passage with the lines around it, a turn with the turns around it, and any other memory alone."""
    if memory.kind == "turn":
        return _conversation(memory, view.store.memories.beside([memory], view.clock(), window)[memory.id])
    document = view.store.documents.named(memory.space, memory.document) if memory.document else None
    lines = _lines(view, document) if document and memory.lines else []
    first = _line_of(memory, lines)
    if not first:  # its file has changed or was deleted: only the memory itself is left
        return Excerpt(memory.source, memory.text, *(memory.lines or (1, memory.text.count("\n") + 1)), 0)
    last = first + memory.text.count("\n")
    return _lines_between(memory.document or "", lines, first - window, last + window)


def _of_document(view: View, name: str, start: int, lines: int) -> Excerpt:
    """Some lines of a document that a sync has read; other files cannot be read this way."""
    document = view.store.documents.named(view.space, name)
    if document is None:
        raise NotFound(
            f"There is no document {quoted(name)} in space {view.space!r}; search results name it, e.g. notes/a.md."
        )
    return _lines_between(name, _lines(view, document), start, start + lines - 1)


def _lines(view: View, document: Document) -> list[str]:
    """The lines of a file as it is now, with secrets masked and without what was deleted; for other documents, one line
    for each memory."""
    sources = view.store.documents.sources(document.space)
    source = next((found for found in sources if found.id == document.source), None)
    if source is None:  # not a source any more: it must not be read
        return []
    if source.kind != "files":
        memories = view.store.documents.memories(document)
        return [f"{memory.speaker or memory.kind}: {' '.join(memory.text.split())}" for memory in memories]
    try:
        path = inside(Path(source.root), Path(document.path))
        text, _ = decoded(read_bytes(path, view.setting("sync.max_file_bytes")))
    except ScrubjayError:
        return []
    lines = view.masked(text.replace("\r\n", "\n").removesuffix("\n")).split("\n")
    return view.store.documents.without_deleted(document, lines)


def _line_of(memory: Memory, lines: Sequence[str]) -> int:
    """The first line of a passage in the file as it is now; 0 if it is not there. Redacted lines are not compared."""
    if memory.lines is None or not lines:
        return 0
    own = [line.rstrip("\r") for line in memory.text.split("\n")]
    first, last = memory.lines
    if last - first + 1 == len(own) and last <= len(lines) and _matching_lines(lines, first - 1, own) == len(own):
        return first
    compared = 0
    for start in range(len(lines) - len(own) + 1):
        matching = _matching_lines(lines, start, own)
        if matching == len(own):
            return start + 1
        compared += matching + 1
        if compared > MAX_COMPARED:
            break
    return 0


def _matching_lines(lines: Sequence[str], start: int, own: Sequence[str]) -> int:
    """How many lines are the same from there, up to the first that differs."""
    return next((number for number, mine in enumerate(own) if not _matches(mine, lines[start + number])), len(own))


def _matches(mine: str, line: str) -> bool:
    return mine in line or "[redacted: " in mine


def _lines_between(name: str, lines: Sequence[str], first: int, last: int) -> Excerpt:
    first, last = max(first, 1), min(last, len(lines))
    if first > last:
        raise Invalid(f"{name} has {counted(len(lines), 'line')}; there is nothing at {first}.")
    return Excerpt(name, "\n".join(lines[first - 1 : last]), first, last, len(lines))


def _conversation(turn: Memory, beside: Sequence[Memory]) -> Excerpt:
    turns = sorted((turn, *beside), key=lambda one: (one.position or 0, one.id))
    text = "\n\n".join(f"{one.replaced_mark}{one.speaker or 'someone'}: {one.text}" for one in turns)
    first, last = turns[0].position or 0, turns[-1].position or 0
    return Excerpt(turn.source, text, first, last, 0, tuple(turns))
