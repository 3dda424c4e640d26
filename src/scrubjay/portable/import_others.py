"""Importing files of other programs, recognised by content. They are `external`, unless the user vouches for them."""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any

from scrubjay.errors import Invalid
from scrubjay.files import regular_files
from scrubjay.memory.view import View
from scrubjay.models.embedding import Progress
from scrubjay.portable.formats import conversations, json_files, markdown_files, sqlite_files
from scrubjay.portable.formats.items import Item
from scrubjay.portable.undone import undone
from scrubjay.stores.columns import instant
from scrubjay.stores.sqlite.foreign import is_sqlite
from scrubjay.stores.transfer.incoming import IncomingMemory, Merge
from scrubjay.text.plural import counted
from scrubjay.types import Memory, limits
from scrubjay.types.reports import Imported

__all__ = ["import_other"]

MOST_BYTES = 500_000_000  # of one file
MOST_FILES = 10_000  # of a folder
IN_ARCHIVES = "conversations.json"
AT_ONCE = 200
EXAMPLES = 5
SECRET = "it holds what looks like a secret; --redact masks it"
TOO_MUCH = "too large or too deep, left out of the metadata"
FOREIGN = "{} is neither an export of Scrubjay nor a file of a program that it knows; nothing was imported."
NOT_TRUSTED = "Of trust `external`: these are another program's words. With --trust-file you vouch for them."


@dataclass(frozen=True, slots=True)
class Found:
    """A file that was recognised: whose it is, and what it holds."""

    program: str
    items: Iterator[Item]


def import_other(
    view: View, path: Path, *, dry_run: bool, trust_file: bool, redact: bool, progress: Progress | None
) -> Imported:
    """Add what another program remembered. Again, it changes nothing; what is known already is not added."""
    found = recognise(path)
    run = _Run(view, found.program, trust_file, redact, datetime.fromtimestamp(path.stat().st_mtime, UTC))
    with undone(view, dry_run):
        run.add_all(found.items, progress)
    return run.report(dry_run)


def recognise(path: Path) -> Found:
    """Which program wrote a file, by what stands in it; a folder is one of Markdown."""
    if path.is_dir():
        return _folder(path)
    with regular_files.open_to_read(path, follow=True) as file:
        first = file.read(4_096)
    if is_sqlite(first):
        program = sqlite_files.recognised(path)
        if program is None:
            raise Invalid(FOREIGN.format(path))
        return Found(program, sqlite_files.read_sqlite(path, program))
    if first.startswith(b"PK"):
        return _of_json(path, _archived(path))
    text = _text(path)
    if first.lstrip().startswith((b"{", b"[")):
        return _of_json(path, _json(path, text))
    return _of_markdown(path, text)


def _of_json(path: Path, data: Any) -> Found:
    if program := conversations.recognised(data):
        return Found(program, conversations.read_conversations(data, program))
    if program := json_files.recognised(data):
        return Found(program, json_files.read_json(data, program))
    raise Invalid(FOREIGN.format(path))


def _of_markdown(path: Path, text: str) -> Found:
    if markdown_files.is_note(text):
        return Found("basic-memory", markdown_files.read_note(text, path.name))
    if markdown_files.INSTRUCTIONS.fullmatch(path.name):
        return Found("instructions", markdown_files.read_instructions(text, path.name))
    raise Invalid(FOREIGN.format(path))


def _folder(path: Path) -> Found:
    """Notes of basic-memory in a folder, or rules of Cursor; links are not followed."""
    files = sorted(file for file in path.rglob("*.md*") if file.is_file() and not file.is_symlink())
    pages = [(file, text) for file in files[:MOST_FILES] if _is_known(file, text := _text(file))]
    if not pages:
        raise Invalid(FOREIGN.format(path))
    program = "basic-memory" if markdown_files.is_note(pages[0][1]) else "instructions"
    return Found(program, (item for file, text in pages for item in _of_markdown(file, text).items))


def _is_known(file: Path, text: str) -> bool:
    return markdown_files.is_note(text) or markdown_files.INSTRUCTIONS.fullmatch(file.name) is not None


def _text(path: Path) -> str:
    try:
        return regular_files.read_text(path, MOST_BYTES, follow=True).removeprefix("\ufeff")
    except UnicodeDecodeError:
        raise Invalid(FOREIGN.format(path)) from None


def _json(path: Path, text: str) -> Any:
    """One JSON value, or one on each line."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        pass
    try:
        return [json.loads(line) for line in text.splitlines() if line.strip()]
    except (ValueError, RecursionError):
        raise Invalid(f"{path} is damaged: it is neither JSON nor JSON Lines; nothing was imported.") from None


def _archived(path: Path) -> Any:
    """The conversations in the archive that a service sends; how large it says they are is not believed."""
    try:
        with zipfile.ZipFile(path) as archive:
            names = [name for name in archive.namelist() if name.rsplit("/", 1)[-1] == IN_ARCHIVES]
            if not names:
                raise Invalid(FOREIGN.format(path))
            with archive.open(names[0]) as file:
                data = file.read(MOST_BYTES + 1)
    except Invalid:
        raise
    except Exception as problem:  # each way of packing has errors of its own
        raise Invalid(f"{path} is a damaged archive ({problem}); nothing was imported.") from None
    if len(data) > MOST_BYTES:
        raise Invalid(f"{path} unpacks to more than {counted(MOST_BYTES, 'byte')}; nothing was imported.")
    return _json(path, data.decode("utf-8", "replace"))


@dataclass(slots=True)
class _Run:
    """One import."""

    view: View
    program: str
    trusted: bool
    redact: bool
    written_at: datetime  # the file: for what has no time of its own
    added: Counter[str] = field(default_factory=Counter)
    changed: Counter[str] = field(default_factory=Counter)
    known: Counter[str] = field(default_factory=Counter)
    left_out: Counter[str] = field(default_factory=Counter)
    examples: list[str] = field(default_factory=list)
    steps: list[dict[str, Any]] = field(default_factory=list)

    def add_all(self, items: Iterator[Item], progress: Progress | None) -> None:
        merge, transfer = Merge(self.trusted, self.view.clock(), self.view.space), self.view.store.transfer
        done = 0
        while batch := list(islice(items, AT_ONCE)):
            made = [one for item in batch if (one := self._made(item)) is not None]
            new = [one for one in made if not self._is_known(one)]
            for one, outcome in zip(new, transfer.put(new, merge), strict=True):
                self._count(outcome, one.memory.title)
            done += len(batch)
            if progress:
                progress(done, done)
        transfer.put(self.steps, merge)
        transfer.finish(merge)

    def _made(self, item: Item) -> IncomingMemory | None:
        try:
            memory = self._memory(item)
        except Invalid as problem:
            self.left_out[SECRET if "secret" in str(problem) else str(problem)] += 1
            return None
        if item.replaced_by is not None:
            self._note_step(item, memory)
        replaced = item.replaced_at if item.replaced_by is not None else None
        return IncomingMemory(memory, replaced, is_dated=bool(item.at or item.changed_at))

    def _memory(self, item: Item) -> Memory:
        given = {name: value for name, value in item.fields.items() if value is not None}
        given |= {"source": f"import:{self.program}", "project": given.get("project"), "actor": None}
        given["trust"] = self.view.trust if self.trusted else "external"
        given["metadata"] = self._metadata(given.get("metadata", {}))
        if "kind" in given:
            given["kind"] = str(given["kind"]).strip().lower().replace(" ", "_")
        if "expires_at" in given and given["expires_at"] <= self.view.clock():
            raise Invalid("it has expired")
        if item.session is not None:
            given |= {"session": item.session, "speaker": item.speaker, "position": item.position}
        is_turn = item.session is not None
        at = item.at or self.written_at
        memory = self.view.new_memory(item.text, {**given, "happened_at": at}, turn=is_turn, redact=self.redact)
        changed = item.changed_at or at
        return replace(memory, uid=self._uid(item.key), created_at=at, updated_at=changed)

    def _metadata(self, metadata: dict[str, Any]) -> dict[str, Any]:
        try:
            limits.check_metadata(metadata)
        except Invalid:
            self.left_out[TOO_MUCH] += 1
            return {}
        return metadata

    def _note_step(self, item: Item, memory: Memory) -> None:
        at = instant(item.replaced_at or memory.updated_at)
        number = len(self.steps) + 1
        ends = {"old": memory.uid, "new": self._uid(item.replaced_by or ""), "at": at, "effective_at": at}
        self.steps.append({"type": "step", **ends, "created": False, "same": False, "change": number})

    def _uid(self, key: str) -> str:
        """The same for the same item, whenever its file is imported here."""
        name = f"{self.program}\0{self.view.space}\0{key}".encode("utf-8", "replace")
        plain = hashlib.blake2b(name, digest_size=16).hexdigest()
        return self.view.store.transfer.uid_of_item(name.decode(), plain)

    def _is_known(self, new: IncomingMemory) -> bool:
        """Said here already, by whomever; or in this file before."""
        known = self.view.store.memories.known([replace(new.memory, created_at=self.view.clock())])[0]
        if known is None or known.uid == new.memory.uid or new.superseded_at is not None:
            return False
        self.known["memory"] += 1
        return True

    def _count(self, outcome: str, title: str) -> None:
        counts = {"added": self.added, "changed": self.changed, "known": self.known}
        if outcome not in counts:
            self.left_out[outcome] += 1
            return
        counts[outcome]["memory"] += 1
        if outcome == "added" and len(self.examples) < EXAMPLES:
            self.examples.append(title)

    def report(self, dry_run: bool) -> Imported:
        return Imported(
            format=self.program,
            trusted=self.trusted,
            dry_run=dry_run,
            added=dict(self.added),
            changed=dict(self.changed),
            known=dict(self.known),
            left_out=dict(self.left_out),
            examples=tuple(self.examples),
            notes=() if self.trusted or not self.added else (NOT_TRUSTED,),
        )
