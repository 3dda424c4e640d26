"""Importing an export: line by line, in batches that are stored whole or not at all. Again, it changes nothing."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from itertools import islice
from typing import Any, BinaryIO

from scrubjay.errors import Invalid
from scrubjay.memory.view import View
from scrubjay.models.embedding import Progress
from scrubjay.portable.lines.checks import vectors_of
from scrubjay.portable.lines.guarding import NothingLeft, guarded
from scrubjay.portable.lines.reading import Checked, checked, read_lines
from scrubjay.portable.undone import undone
from scrubjay.stores.columns import MEMORIES
from scrubjay.stores.transfer.incoming import IncomingMemory, Merge
from scrubjay.types import Memory, first_words, trust
from scrubjay.types.reports import Imported

__all__ = ["import_export"]

AT_ONCE = 2_000  # large enough that the pages of an index are not written anew for every few lines
EXAMPLES = 5
SEVERAL = "This file has {} spaces ({}); bring each back to its own with --all-spaces (in Python: all_spaces=True)."
OTHER_MODEL = "The vectors in the file were made by another model; `scrubjay backfill` makes those that are missing."
NOT_TRUSTED = (
    "The file is none of your own exports: its memories are now of trust `external`, its sources and vectors were left"
    " out. If you know where it comes from, import it again with --trust-file."
)
SETTINGS = "Settings of space {!r} in the file, which an import does not change: {}."
SECRET = "it holds what looks like a secret; --redact masks it"
PRIVATE = "it is private"
ORIGINAL_TRUST = "original_trust"
ORIGINAL_DOCUMENT = "original_document"
# No file of this machine is looked at because a stranger's file says so, or one that was sent from another machine.
OF_FILES = ("source", "document")
ELSEWHERE = "it names files of a machine; `scrubjay sync FOLDER` on the server's own adds a source"
COUNTS = ("shown_count", "helpful_count", "unhelpful_count")  # no memory ranks higher because a stranger's file says so
BUILT = {column.name for column in MEMORIES if not column.derived} - {"id", "superseded_by", "superseded_at"}
TIMES = tuple(column.name for column in MEMORIES if column.is_time and column.name in BUILT)
LISTS = {column.name: column.read_list for column in MEMORIES if column.is_list}


def import_export(
    view: View,
    file: BinaryIO,
    *,
    dry_run: bool,
    trust_file: bool,
    all_spaces: bool,
    redact: bool,
    progress: Progress | None,
    is_sent: bool = False,
) -> Imported:
    """Merge an export into this space, or with `all_spaces` each of its spaces into the one of that name."""
    found = checked(file)
    if len(found.spaces) > 1 and not all_spaces:
        raise Invalid(SEVERAL.format(len(found.spaces), ", ".join(found.spaces)))
    trusted = trust_file or found.is_own
    names_files = found.is_own or (trust_file and not is_sent)
    run = _Run(view, found, trusted, names_files, None if all_spaces else view.space, redact)
    with undone(view, dry_run):
        run.merge_all(file, progress)
    return run.report(dry_run)


@dataclass(slots=True)
class _Run:
    """One import."""

    view: View
    found: Checked
    trusted: bool
    names_files: bool  # what it says of files and folders holds for this machine
    space: str | None  # None: each line goes to its own
    redact: bool
    outcomes: defaultdict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))  # by type of line
    left_out: Counter[str] = field(default_factory=Counter)
    examples: list[str] = field(default_factory=list)
    other_model: bool = False

    def merge_all(self, file: BinaryIO, progress: Progress | None) -> None:
        origin = self.found.spaces[0] if self.trusted and self.space and self.found.spaces else None
        merge = Merge(self.trusted, self.view.clock(), self.space, origin)
        transfer, model = self.view.store.transfer, self.found.model if self.trusted else None
        transfer.begin(merge, model, self.found.keys)
        self.other_model = model is not None and not merge.model
        done, rest = 0, read_lines(file)
        while batch := [self._prepared(*line) for line in islice(rest, AT_ONCE)]:
            lines = [line for line in batch if line]
            for line, outcome in zip(lines, transfer.put(lines, merge), strict=True):
                self._count(line, outcome)
            done += sum(isinstance(line, IncomingMemory) for line in lines)
            if progress:
                progress(done, self.found.memories)
        transfer.finish(merge)

    def _prepared(self, number: int, line: dict[str, Any]) -> IncomingMemory | dict[str, Any] | None:
        """A line as the store takes it, in the space that it goes to; None if it must not be stored."""
        if self.space is not None and "space" in line:
            line["space"] = self.space
        try:
            if self.trusted and not self.names_files and line["type"] in OF_FILES:
                self.left_out[ELSEWHERE] += 1
                return None
            line = guarded(self.view, line, number, self.redact)
            return self._memory(number, line) if line["type"] == "memory" else line
        except NothingLeft:
            self.left_out[PRIVATE] += 1
            return None
        except Invalid:
            self.left_out[SECRET] += 1
            return None

    def _memory(self, number: int, line: dict[str, Any]) -> IncomingMemory:
        most = self.view.trust if self.trusted else "external"
        capped = trust.lower(line["trust"], most)
        metadata = line.get("metadata", {})
        if capped != line["trust"]:
            metadata = {ORIGINAL_TRUST: line["trust"], **metadata}
        if not self.names_files and "document" in line:
            metadata = {ORIGINAL_DOCUMENT: line.pop("document"), **metadata}
        for name in () if self.names_files else ("cites",) if self.trusted else ("cites", *COUNTS):
            line.pop(name, None)
        line |= {"trust": capped, "metadata": metadata}
        memory = _built(line)
        pieces = self._vectors(number, line)
        superseded = line.get("superseded_at")
        return IncomingMemory(memory, superseded and datetime.fromisoformat(superseded), line.get("task"), pieces)

    def _vectors(self, number: int, line: Mapping[str, Any]) -> Any:
        if not self.trusted or self.found.model is None or not line.get("vectors"):
            return None
        import numpy as np

        dimensions = self.found.model.dimensions
        pieces = np.frombuffer(vectors_of(line, dimensions, number), dtype="<f4").reshape(-1, dimensions)
        return pieces if np.count_nonzero(np.isfinite(pieces)) == pieces.size else None

    def _count(self, line: IncomingMemory | Mapping[str, Any], outcome: str) -> None:
        kind = "memory" if isinstance(line, IncomingMemory) else line["type"]
        if outcome not in ("added", "changed", "known"):
            self.left_out[outcome] += 1
            return
        self.outcomes[outcome][kind] += 1
        if outcome == "added" and isinstance(line, IncomingMemory) and len(self.examples) < EXAMPLES:
            self.examples.append(line.memory.title)

    def report(self, dry_run: bool) -> Imported:
        notes = [SETTINGS.format(one["space"], _shown(one["values"])) for one in self.found.settings]
        notes += [OTHER_MODEL] if self.other_model else []
        notes += [] if self.trusted else [NOT_TRUSTED]
        return Imported(
            format="scrubjay",
            trusted=self.trusted,
            dry_run=dry_run,
            added=dict(self.outcomes["added"]),
            changed=dict(self.outcomes["changed"]),
            known=dict(self.outcomes["known"]),
            left_out=dict(self.left_out),
            examples=tuple(self.examples),
            notes=tuple(notes),
        )


def _shown(values: Any) -> str:
    pairs: Sequence[tuple[str, Any]] = list(values.items())[:20] if isinstance(values, dict) else []
    return ", ".join(f"{key} = {value}" for key, value in pairs)


def _built(line: Mapping[str, Any]) -> Memory:
    """The memory of a line that was checked."""
    fields = {name: line[name] for name in BUILT & line.keys()}
    for name in TIMES:
        if name in fields:
            fields[name] = _moment(fields[name])
    for name, read in LISTS.items():
        if name in fields:
            fields[name] = read(fields[name])
    first, last = fields.pop("first_line", None), fields.pop("last_line", None)
    title = fields.pop("title", None) or first_words(fields["text"])
    return Memory(id=0, title=title, lines=None if first is None else (first, last), **fields)


@lru_cache(maxsize=8)  # most memories have the same time in three fields
def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text)
