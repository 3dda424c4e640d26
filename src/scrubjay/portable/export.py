"""A lossless export: one file of JSON Lines, from the header to the digest of all that stands before it."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO

from scrubjay.errors import Invalid, StoreError
from scrubjay.files import drafts, private_files
from scrubjay.memory.arguments import file_path
from scrubjay.memory.filters import make_filter
from scrubjay.memory.view import View
from scrubjay.models.embedding import Progress
from scrubjay.portable.lines.signature import signature
from scrubjay.stores.transfer.outgoing import Line, Selection
from scrubjay.text.plural import counted
from scrubjay.types.reports import Exported

__all__ = [
    "FETCHED",
    "FORMAT",
    "VERSION",
    "Writer",
    "draft_noted",
    "encoded",
    "export",
    "note_copy",
    "note_file",
    "write_lines",
    "written_to",
]

FORMAT = "scrubjay-export"
VERSION = 1
FETCHED = "fetched with token "  # in the place of a path: the copy is on another machine
TOLD_EVERY = 200  # lines
REDACTED = "{} kept with a secret: redacted in the export."
NO_VECTORS = "This memory has no vectors; the export has none."


def export(
    view: View,
    file: str | Path | BinaryIO,
    filters: Mapping[str, Any],
    *,
    vectors: bool = False,
    all_spaces: bool = False,
    progress: Progress | None = None,
) -> Exported:
    """Write a space, or all of them, or the memories that match the filters; replaced ones are among them."""

    def write(opened: BinaryIO) -> Exported:
        return _export(view, opened, filters, vectors, all_spaces, progress)

    if not isinstance(file, str | Path):
        return written_to(file, write)
    with draft_noted(view, file, "export", () if all_spaces else (view.space,)):
        written = written_to(file, write)
    note_file(view, file, all_spaces)
    return written


@contextmanager
def draft_noted(view: View, file: str | Path, kind: str, spaces: Sequence[str]) -> Iterator[None]:
    """Until a copy is whole, it is noted under the name that it is written under: if this process is killed, whoever
    forgets something is told of it, and the next erasure removes it."""
    if view.store.read_only:
        yield
        return
    draft = str(view.allowed(str(drafts.path_of_draft(Path(os.path.realpath(Path(file).expanduser())))), redact=True))
    with suppress(StoreError):  # on a full disk, a copy on another one is what the user needs
        view.store.transfer.note_copy(draft, kind, spaces, view.clock())
    try:
        yield
    finally:
        with suppress(StoreError):  # then it is noted, and not there
            view.store.transfer.forget_copy(draft)


def written_to(file: str | Path | BinaryIO, write: Callable[[BinaryIO], Exported]) -> Exported:
    """Write an export to an open file; or to one of that name, which is there whole, or as it was before."""
    if hasattr(file, "write") and not isinstance(file, str | Path):
        return write(file)
    path = file_path("file", file)
    if path.is_symlink():
        raise Invalid(f"{file} is a symbolic link, which is not written through; name another file.")
    if path.is_dir():
        raise Invalid(f"{file} is a folder; name a file in it.")
    try:
        with drafts.replacing(path) as draft, private_files.open_new(draft) as opened:
            written = write(opened)
            opened.flush()
            os.fsync(opened.fileno())
    except OSError as problem:
        raise Invalid(f"{file} cannot be written: {problem.strerror}.") from None
    return replace(written, file=str(file))


def note_file(view: View, path: str | Path, all_spaces: bool = False) -> None:
    """Remember that there is a copy in a file or folder."""
    note_copy(view, view.allowed(str(Path(path).expanduser().absolute()), redact=True), all_spaces)


def note_copy(view: View, where: str, all_spaces: bool) -> None:
    """Remember that there is a copy, so that whoever forgets something is told of it."""
    if not view.store.read_only:
        view.store.transfer.note_copy(where, "export", () if all_spaces else (view.space,), view.clock())


class Writer:
    """Writes lines, and adds up what the last one tells about them."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._digest = hashlib.sha256()
        self.lines = self.memories = 0

    def write(self, line: Line) -> None:
        data = encoded(line)
        self._digest.update(data)
        self._file.write(data)
        self.lines += 1
        self.memories += line["type"] == "memory"

    def end(self, is_own: bool) -> str:
        """Only what is the user's own is signed: a signature gives trust, and a say in which folders are read."""
        digest = self._digest.hexdigest()
        line = {"type": "end", "lines": self.lines, "sha256": digest}
        self._file.write(encoded(line | {"signature": signature(digest)} if is_own else line))
        return digest


def encoded(line: Line) -> bytes:
    return json.dumps(line, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def write_lines(writer: Writer, lines: Iterable[Line], total: int, progress: Progress | None) -> None:
    for line in lines:
        writer.write(line)
        if progress and writer.lines % TOLD_EVERY == 0:
            progress(min(writer.memories, total), total)
    if progress:
        progress(total, total)


def _export(
    view: View,
    file: BinaryIO,
    filters: Mapping[str, Any],
    vectors: bool,
    all_spaces: bool,
    progress: Progress | None,
) -> Exported:
    writer = Writer(file)
    with view.store.snapshot():
        spaces = sorted(view.store.memories.spaces()) if all_spaces else [view.space]
        selection = Selection(spaces, _filter(view, filters, spaces), vectors)
        model, keys = view.store.transfer.about(spaces)
        header: Line = {"type": "header", "format": FORMAT, "version": VERSION, "spaces": spaces}
        if selection.filter is not None:
            header["part"] = True
        elif keys:
            header["keys"] = keys
        if vectors and model is not None:
            header["vectors"] = model._asdict()
        writer.write(header)
        for line in _settings(view, spaces) if selection.filter is None else ():
            writer.write(line)
        total = view.store.transfer.count(selection)
        write_lines(writer, view.store.transfer.lines(selection), total, progress)
        secrets = len(view.store.withheld.secrets(spaces))
    notes = [REDACTED.format(counted(secrets, "memory"))] if secrets else []
    notes += [NO_VECTORS] if vectors and model is None else []
    digest = writer.end(is_own=not view.is_foreign)
    return Exported(file="", memories=writer.memories, lines=writer.lines, sha256=digest, notes=tuple(notes))


def _filter(view: View, filters: Mapping[str, Any], spaces: list[str]) -> Any:
    """None where nothing is left out: then also what belongs to no memory is written."""
    given = {name: value for name, value in filters.items() if value not in (None, (), False)}
    if not given:
        return None
    found = make_filter(spaces, view.clock(), given)
    return replace(found, include_superseded=found.as_of is None, without_narration=False)


def _settings(view: View, spaces: list[str]) -> Iterable[Line]:
    """The settings that the user made for these spaces, without any that may hold a path or a key."""
    for space in spaces:
        own = view.settings.spaces.get(space)
        if own:
            yield {"type": "settings", "space": space, "values": dict(sorted(own.items()))}
