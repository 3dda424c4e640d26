"""What was edited in a folder of Markdown comes back: changed pages supersede, new ones are added.

A page is known by the uid on it, wherever it was moved to in the folder; a copy of a page is a new one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from scrubjay.errors import Invalid, NotFound
from scrubjay.files import regular_files
from scrubjay.memory import add, revise
from scrubjay.memory.view import View
from scrubjay.portable.markdown.export import FIELDS, MEMORIES, MOST_BYTES, TASKS
from scrubjay.portable.markdown.manifest import Manifest, digest_of, has_manifest, read_manifest, write_manifest
from scrubjay.portable.undone import undone
from scrubjay.sources.markdown.front_matter import split
from scrubjay.stores.columns import instant
from scrubjay.stores.transfer.incoming import IncomingMemory, Merge
from scrubjay.types import TRUST, Memory, trust
from scrubjay.types.reports import Imported

__all__ = ["import_markdown", "is_markdown_export"]

LISTS = ("tags", "aliases", "paths")
REASON = "edited in Markdown"
REPLACED = "it was replaced or deleted here since"
MORE_TRUSTED = "the one that is here is more trusted"
UNREADABLE = "a page that cannot be read"
REMOVED = "its page was removed; --prune deletes it"
LINK = "a link, which is not followed"
NO_UID = "its uid is none; remove that line, and it is a new memory"
UID = re.compile("[0-9a-f]{32}")
SUCCESSOR = re.compile(r"\[\[(?P<stem>.+)\]\]")
BROUGHT = ("kind", *FIELDS, "source", "happened_at", "expires_at", "metadata")  # what a page tells of a memory
BOX = re.compile(r"- \[(?P<done>[ xX])\] .* \^(?P<uid>[0-9a-f]{32})")


def is_markdown_export(path: Path) -> bool:
    return path.is_dir() and has_manifest(path)


def import_markdown(
    view: View, root: Path, *, dry_run: bool, trust_file: bool, redact: bool, prune: bool = False
) -> Imported:
    """Take over what was edited since the export; what was not touched is left as it is here."""
    manifest = read_manifest(root)
    run = _Run(view, root, manifest, trust_file or manifest.is_own, redact)
    with undone(view, dry_run):
        run.take_pages()
        run.take_boxes()
        run.take_removals(prune)
    if run.taken and run.trusted and not dry_run:
        write_manifest(root, replace(manifest, pages={**manifest.pages, **run.taken}))
    return Imported(
        format="markdown",
        trusted=run.trusted,
        dry_run=dry_run,
        added={"memory": run.added} if run.added else {},
        changed={"memory": run.changed} if run.changed else {},
        known={"memory": run.known} if run.known else {},
        left_out=dict(run.left_out),
        examples=tuple(run.examples[:5]),
    )


@dataclass(slots=True)
class _Run:
    """One import of a folder."""

    view: View
    root: Path
    manifest: Manifest
    trusted: bool
    redact: bool
    added: int = 0
    changed: int = 0
    known: int = 0
    left_out: Counter[str] = field(default_factory=Counter)
    examples: list[str] = field(default_factory=list)
    taken: dict[str, str] = field(default_factory=dict)  # pages that say what the memory says now, with their digest
    present: set[str] = field(default_factory=set)  # uids of all pages
    brought: list[IncomingMemory] = field(default_factory=list)  # memories that are not here
    steps: list[dict[str, Any]] = field(default_factory=list)  # what of these was replaced

    def take_pages(self) -> None:
        written = {name: uid for uid, name in self.manifest.uids.items()}
        for name, data in self._pages():
            if self.manifest.pages.get(name) == digest_of(data) and self._of_uid(written.get(name)):
                self.present.add(written[name])
                self.known += 1
                continue
            left_out = self.left_out.total()
            try:
                page = split(data.decode())
                self._take(name, page.values, page.body.strip("\n"))
            except UnicodeDecodeError:
                self.left_out[UNREADABLE] += 1
            except (Invalid, NotFound) as problem:
                self.left_out[str(problem)] += 1
            if self.left_out.total() == left_out:
                self.taken[name] = digest_of(data)
        self._store_brought()

    def _pages(self) -> Iterator[tuple[str, bytes]]:
        memories = self.root / MEMORIES
        for path in [memories] if memories.is_symlink() else sorted(memories.rglob("*.md")):
            if path.is_symlink():
                self.left_out[LINK] += 1
                continue
            try:
                data = regular_files.read_bytes(path, MOST_BYTES)
            except OSError:
                self.left_out[UNREADABLE] += 1
                continue
            yield path.relative_to(self.root).as_posix(), data

    def _take(self, name: str, values: Mapping[str, Any], text: str) -> None:
        given = {key: values[key] for key in (*FIELDS, "kind") if values.get(key) is not None}
        uid = None if self._is_copy(name, values) else values.get("uid")
        memory = self._of_uid(uid)
        if uid is None:
            self._add(given, text)
        elif not UID.fullmatch(str(uid)):
            self.left_out[NO_UID] += 1
        elif memory is None:
            self.present.add(uid)
            self._bring(uid, values, text)
        elif memory.superseded_at is not None:
            self.present.add(uid)
            self.left_out[REPLACED] += 1
        elif not self.trusted and trust.outranks(memory, "external"):
            self.left_out[MORE_TRUSTED] += 1
        else:
            self.present.add(uid)
            self._change(memory, given, text)

    def _is_copy(self, name: str, values: Mapping[str, Any]) -> bool:
        """Whether the page that was written for the same memory is still in its place."""
        first = self.manifest.uids.get(str(values.get("uid")))
        return first is not None and first != name and (self.root / first).is_file()

    def _add(self, given: Mapping[str, Any], text: str) -> None:
        level = self.view.trust if self.trusted else "external"
        fields = {**given, "source": "import:markdown", "trust": level}
        created = add.add(self.view, text, fields, redact=self.redact).created
        self.added, self.known = self.added + created, self.known + (not created)
        self.examples.append(text[:80])

    def _bring(self, uid: str, values: Mapping[str, Any], text: str) -> None:
        """A page from another memory, or of one that was lost since."""
        told = str(values.get("trust"))
        level = trust.lower(TRUST[TRUST.index(told)], self.view.trust) if told in TRUST else self.view.trust
        fields = {key: values[key] for key in BROUGHT if values.get(key) is not None}
        fields |= {"trust": level if self.trusted else "external"}
        made = self.view.new_memory(text, fields, redact=self.redact)
        created, updated = (_time(values.get(key)) or made.happened_at for key in ("created_at", "updated_at"))
        memory = replace(made, uid=uid, created_at=created, updated_at=max(created, updated))
        successor = SUCCESSOR.fullmatch(str(values.get("replaced_by")))
        self.brought.append(IncomingMemory(memory, memory.updated_at if successor else None))
        if successor:
            self._note_step(memory, successor["stem"])

    def _note_step(self, old: Memory, stem: str) -> None:
        new = next((uid for uid, name in self.manifest.uids.items() if Path(name).stem == stem), None)
        if new is not None:
            at, number = instant(old.updated_at), len(self.steps) + 1
            ends = {"old": old.uid, "new": new, "at": at, "effective_at": at}
            self.steps.append({"type": "step", **ends, "created": False, "same": False, "change": number})

    def _store_brought(self) -> None:
        if not self.brought:
            return
        self.brought.sort(key=lambda one: (one.memory.created_at, one.superseded_at is None))
        transfer, merge = self.view.store.transfer, Merge(self.trusted, self.view.clock(), self.view.space)
        for one, outcome in zip(self.brought, transfer.put(self.brought, merge), strict=True):
            if outcome == "added":
                self.added += 1
                self.examples.append(one.memory.title)
            elif outcome in ("known", "changed"):
                self.known += 1
            else:
                self.left_out[outcome] += 1
        transfer.put(self.steps, merge)
        transfer.finish(merge)

    def _change(self, memory: Memory, given: Mapping[str, Any], text: str) -> None:
        if text != memory.text.strip("\n"):
            own = {name: value for name, value in given.items() if name != "title"}
            revise.supersede(self.view, memory.id, text, None, REASON, own, redact=self.redact)
            self.changed += 1
        elif differing := {name: given.get(name) for name in FIELDS if given.get(name) != _value(memory, name)}:
            revise.update(self.view, memory.id, {**differing, **_empty(differing)}, redact=self.redact)
            self.changed += 1

    def take_boxes(self) -> None:
        """A box that was ticked or cleared changes its task."""
        path = self.root / TASKS
        if not path.is_file() or path.is_symlink():
            return
        data = regular_files.read_bytes(path, MOST_BYTES)
        if self.manifest.pages.get(TASKS) == digest_of(data) and not self.brought:
            return
        self.taken[TASKS] = digest_of(data)
        for box in filter(None, map(BOX.fullmatch, data.decode("utf-8", "replace").splitlines())):
            self._take_box(box["uid"], box["done"] != " ")

    def _take_box(self, uid: str, done: bool) -> None:
        memory, store = self._of_uid(uid), self.view.store.tasks
        if memory is None or memory.kind != "task" or memory.superseded_at is not None:
            return
        if not self.trusted and trust.outranks(memory, "external"):
            self.left_out[MORE_TRUSTED] += 1
            return
        now = self.view.clock()
        is_done = store.get(memory.id, self.view.space, now).status in ("completed", "cancelled")
        if done != is_done:
            status = "completed" if done else "pending"
            store.change(memory.id, self.view.space, now, lambda _: {"status": status}, self.view.actor)
            self.changed += 1

    def take_removals(self, prune: bool) -> None:
        for uid, name in self.manifest.uids.items():
            is_gone = uid not in self.present and not (self.root / name).exists()
            memory = self._of_uid(uid) if is_gone else None
            if memory is None or memory.superseded_at is not None:
                continue
            if prune and (self.trusted or not trust.outranks(memory, "external")):
                revise.delete(self.view, [memory.id])
                self.changed += 1
            else:
                self.left_out[MORE_TRUSTED if prune else REMOVED] += 1

    def _of_uid(self, uid: Any) -> Memory | None:
        found = self.view.store.transfer.with_uid(uid) if isinstance(uid, str) else None
        return found if found is not None and found.space == self.view.space else None


def _time(given: Any) -> datetime | None:
    try:
        found = datetime.fromisoformat(given) if isinstance(given, str) else None
        return found.astimezone(UTC) if found is not None and found.tzinfo is not None else None
    except (ValueError, OverflowError):
        return None


def _value(memory: Memory, name: str) -> Any:
    value = memory.given_title if name == "title" else getattr(memory, name)
    return (list(value) or None) if isinstance(value, tuple) else value


def _empty(differing: Mapping[str, Any]) -> dict[str, Any]:
    """A list that was removed from a page is empty."""
    return {name: [] for name in LISTS if name in differing and differing[name] is None}
