"""How every record is kept: versions, each whole and told by a memory of its noun, so that a search finds it.

A record's id is that of the memory that told its first version. The id of any memory that tells one of its versions
names it, too, so that a hit leads to its record.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from scrubjay.errors import Busy, NotFound
from scrubjay.memory import revise
from scrubjay.memory.add import add_version
from scrubjay.memory.arguments import count, memory_id
from scrubjay.memory.view import View
from scrubjay.records.nested.differences import Difference, differences, same
from scrubjay.stores import KeptRecord, NewVersion, Outdated
from scrubjay.text.secret_scan.quoting import shown
from scrubjay.types import Trust, limits, trust

__all__ = ["Data", "Edit", "Notes", "Noun", "Record", "Version", "Versions", "record_fields", "version_of"]

Data = Mapping[str, Any]
Edit = Callable[[Data], Data]
Notes = tuple[str, ...]

INHERITED = ("tags", "importance", "confidence", "context", "metadata", "expires_at")  # by the next memory
TRIES = 20  # of a change that others come before
NO_VERSION = "The {noun} has no version {version}; it has {first} to {last}."
OUTRANKED = "Version {version} came from the {trust}; `{command} {version}` undoes this change."


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """What every record has."""

    id: int  # of the record; the ids of the memories that tell it lead to it, too
    uid: str  # stays the same when it is copied to another database
    version: int
    memory: int  # id of the memory that tells this version
    trust: Trust
    created_at: datetime
    updated_at: datetime
    remarks: tuple[str, ...] = ()  # about the change that returned it


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """One version of a record: its data, when it was written, by whom, and why."""

    version: int
    at: datetime
    actor: str | None
    reason: str | None
    trust: Trust
    holds: bool  # whether it is the one that counts now
    memory: int  # id of the memory that tells it
    data: Mapping[str, Any]
    remarks: tuple[str, ...] = ()  # about the change that returned it


@dataclass(frozen=True, slots=True, kw_only=True)
class Noun:
    """What records of one noun have of their own."""

    name: str
    command: str  # on the command line
    text: Callable[[Data], str]  # that is searched
    key: Callable[[Data], str | None]  # that no other record has
    subject: Callable[[Data], str]
    project: Callable[[Data], str | None] = lambda data: None
    one_only: bool = False  # a space has one


@dataclass(frozen=True, slots=True)
class Versions:
    """The records of one noun in one space, as one caller sees them."""

    view: View
    noun: Noun

    # Reading

    def all(self) -> list[KeptRecord]:
        return self.view.store.records.all(self.view.space, self.noun.name, self.view.clock())

    def find(self, of: int | str) -> KeptRecord | None:
        """By an id, or by its key: a name, or the email of a contact."""
        store, space, now = self.view.store.records, self.view.space, self.view.clock()
        if isinstance(of, str):
            return store.find(space, self.noun.name, of.strip().casefold(), now)
        return store.get(space, self.noun.name, memory_id(of), now)

    def existing(self, of: int | str) -> KeptRecord:
        if (found := self.find(of)) is None:
            raise NotFound(f"There is no {self.noun.name} {shown(str(of))} in space {self.view.space!r}.")
        return found

    def history(self, of: int | str) -> list[Version]:
        """The oldest first."""
        now = self.existing(of)
        return [
            version_of(one, one.uid == now.uid) for one in self.view.store.records.versions(self.view.space, now.record)
        ]

    def data_of(self, of: int | str, version: int) -> Data:
        """The data of one version."""
        known = {one.version: one.data for one in self.history(of)}
        if count("version", version) not in known:
            first, last = min(known), max(known)
            raise NotFound(NO_VERSION.format(noun=self.noun.name, version=version, first=first, last=last))
        return known[version]

    def diff(self, of: int | str, first: int, second: int | None) -> list[Difference]:
        """What a version changed; with a second one, what differs between the two."""
        if second is None:
            earlier = [one.version for one in self.history(of) if one.version < count("version", first)]
            before = self.data_of(of, max(earlier)) if earlier else {}
            return differences(before, self.data_of(of, first))
        return differences(self.data_of(of, first), self.data_of(of, second))

    # Writing

    def create(self, data: Data, reason: str | None = None, redact: bool = False) -> tuple[KeptRecord, Notes]:
        return self._put(None, data, self.view.reason(reason, redact), redact)

    def change(
        self, of: int | str, edit: Edit, reason: str | None, redact: bool = False, state: Edit | None = None
    ) -> tuple[KeptRecord, Notes]:
        """The next version, made from the one that holds; if nothing differs, that one. `state` changes the rest."""
        why = self.view.reason(reason, redact)
        for _ in range(TRIES):
            before = self.existing(of)
            data = edit(before.data)
            if same(data, before.data):
                return (self.change_state(before.id, state) if state else before), ()
            try:
                return self._put(before, data, why, redact, state)
            except Outdated:
                continue
        raise Busy(f"Others change this {self.noun.name} all the time; try again.")

    def rollback(self, of: int | str, version: int, reason: str | None) -> tuple[KeptRecord, Notes]:
        """The data of an older version again, as the next version."""
        data = self.data_of(of, version)
        return self.change(of, lambda _: data, reason or f"rollback to version {version}")

    def change_state(self, of: int | str, edit: Edit) -> KeptRecord:
        """Change what has no versions."""
        self.view.store.records.change_state(self.view.space, self.existing(of).record, edit)
        return self.existing(of)

    def delete(self, of: int | str) -> KeptRecord:
        """Move a record with all its versions to the trash."""
        record = self.existing(of)
        revise.delete(self.view, [record.memory.id])
        return record

    def _put(
        self, before: KeptRecord | None, data: Data, reason: str | None, redact: bool, state: Edit | None = None
    ) -> tuple[KeptRecord, Notes]:
        limits.check_record(self.noun.name, data)
        view, noun = self.view, self.noun
        inherited = {name: getattr(before.memory, name) for name in INHERITED} if before else {}
        own = {"kind": noun.name, "subject": noun.subject(data), "project": noun.project(data)}
        # The data were scanned for secrets field by field; what looks like one only in the text is masked there.
        memory = view.new_memory(noun.text(data), {**inherited, **own}, redact=redact, allow_secret=True)
        new = NewVersion(
            before.record if before else os.urandom(16).hex(),
            noun.name,
            noun.key(data),
            data,
            memory.created_at,
            memory.actor,
            reason,
            before.uid if before else None,
            state,
        )
        added = add_version(view, memory, new, [view.step(before.memory.id, reason)] if before else [])
        return self.existing(added.memory.id), (*added.notes, *self._warning(before))

    def _warning(self, before: KeptRecord | None) -> Notes:
        """Said when a less trusted caller changes a record."""
        if before is None or not trust.outranks(before.memory, self.view.trust):
            return ()
        command = f"{self.noun.command} rollback" + ("" if self.noun.one_only else f" {before.id}")
        return (OUTRANKED.format(version=before.version, trust=before.memory.trust, command=command),)


def version_of(one: KeptRecord, holds: bool = True, notes: Notes = ()) -> Version:
    return Version(
        version=one.version,
        at=one.at,
        actor=one.actor,
        reason=one.reason,
        trust=one.memory.trust,
        holds=holds,
        memory=one.memory.id,
        data=one.data,
        remarks=notes,
    )


def record_fields(one: KeptRecord, notes: Notes = ()) -> dict[str, Any]:
    """What every record has, by the names of the fields of `Record`."""
    return {
        "id": one.id,
        "uid": one.record,
        "version": one.version,
        "memory": one.memory.id,
        "trust": one.memory.trust,
        "created_at": one.created_at,
        "updated_at": one.at,
        "remarks": notes,
    }
