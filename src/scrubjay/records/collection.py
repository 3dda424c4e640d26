"""What contacts, projects and skills have in common: create, get, list, update, delete, and their versions."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Generic, TypeVar

from scrubjay.errors import Invalid
from scrubjay.memory.arguments import count
from scrubjay.memory.fields import Field
from scrubjay.memory.view import View
from scrubjay.records.checks import given_fields
from scrubjay.records.nested.differences import Difference
from scrubjay.records.versions import Data, Notes, Noun, Record, Version, Versions
from scrubjay.stores import KeptRecord

__all__ = ["Collection"]

R = TypeVar("R", bound=Record)


class Collection(Generic[R]):
    """The records of one noun in one space. A record is named by an id, or by its key: its name, or its email."""

    noun: ClassVar[Noun]
    fields: ClassVar[Mapping[str, Field]]
    empty: ClassVar[Data]  # what a new record begins with

    def __init__(self, view: View) -> None:
        self._view = view
        self._versions = Versions(view, self.noun)

    def get(self, of: int | str) -> R | None:
        """One of them, or None where there is none; the id of a memory that was found leads to its record."""
        found = self._versions.find(of)
        return self._made(found) if found else None

    def delete(self, of: int | str) -> R:
        """Move it to the trash, with all its versions; `undelete` with its id takes it out again."""
        return self._made(self._versions.delete(of))

    def history(self, of: int | str) -> builtins.list[Version]:
        """Every version, the oldest first."""
        return self._versions.history(of)

    def diff(self, of: int | str, first: int, second: int | None = None) -> builtins.list[Difference]:
        """What a version changed; with a second one, what differs between the two."""
        return self._versions.diff(of, first, second)

    def rollback(self, of: int | str, version: int, *, reason: str | None = None) -> R:
        """Let it be as it was in a version; that is a new version itself."""
        return self._made(*self._versions.rollback(of, version, reason))

    def _create(self, fields: Mapping[str, Any], reason: str | None, redact: bool) -> R:
        needed = [name for name, field in self.fields.items() if not field.may_be_empty and name not in self.empty]
        given = self._given({**dict.fromkeys(needed), **fields}, redact)
        return self._made(*self._versions.create(self._changed(self.empty, given), reason, redact))

    def _update(self, of: int | str, fields: Mapping[str, Any], reason: str | None, redact: bool) -> R:
        if not fields:
            raise Invalid(f"Nothing to update; give one of {', '.join(self.fields)}.")
        given = self._given(fields, redact)
        return self._made(*self._versions.change(of, lambda data: self._changed(data, given), reason, redact))

    def _given(self, fields: Mapping[str, Any], redact: bool) -> dict[str, Any]:
        view = self._view
        return given_fields(
            self.noun.name, self.fields, fields, view.clock(), lambda values: view.allowed(values, redact)
        )  # fmt: skip

    def _matching(self, wanted: Callable[[R], bool], order: Callable[[R], Any], limit: int) -> builtins.list[R]:
        made = [self._made(one) for one in self._versions.all()]
        return sorted(filter(wanted, made), key=order)[: count("limit", limit)]

    def _changed(self, data: Data, given: Mapping[str, Any]) -> Data:
        """The data with what was given, checked as a whole."""
        return {**data, **given}

    def _data(self, kept: KeptRecord) -> dict[str, Any]:
        """Every field that this version of Scrubjay knows."""
        return {name: kept.data.get(name, self.empty.get(name, "")) for name in {**self.fields, **self.empty}}

    def _made(self, kept: KeptRecord, remarks: Notes = ()) -> R:
        """The record as callers get it."""
        raise NotImplementedError
