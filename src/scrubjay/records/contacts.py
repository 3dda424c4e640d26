"""Contacts: the people that the user deals with."""

from __future__ import annotations

import builtins
from dataclasses import dataclass
from typing import Unpack

from scrubjay.memory.fields import with_full_signatures
from scrubjay.records.collection import Collection
from scrubjay.records.fields import CONTACT_FIELDS, ContactFields, ContactType
from scrubjay.records.texts import contact_text
from scrubjay.records.versions import Data, Notes, Noun, Record, record_fields
from scrubjay.stores import KeptRecord

__all__ = ["Contact", "Contacts"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Contact(Record):
    """A person."""

    name: str
    email: str | None = None
    company: str | None = None
    role: str | None = None
    type: ContactType = "work"
    notes: str | None = None


EMPTY: Data = {"email": None, "company": None, "role": None, "type": "work", "notes": None}


def _key(data: Data) -> str | None:
    return data["email"].casefold() if data.get("email") else None


@with_full_signatures
class Contacts(Collection[Contact]):
    """The contacts of one space. Each change is a version."""

    noun = Noun(name="contact", command="contacts", text=contact_text, key=_key, subject=lambda data: data["name"])
    fields = CONTACT_FIELDS
    empty = EMPTY

    def create(self, *, reason: str | None = None, redact: bool = False, **fields: Unpack[ContactFields]) -> Contact:
        """Remember a person. A name is needed; no other contact of the space may have the same email."""
        return self._create(fields, reason, redact)

    def update(
        self, of: int | str, *, reason: str | None = None, redact: bool = False, **fields: Unpack[ContactFields]
    ) -> Contact:
        """Change fields; None empties one."""
        return self._update(of, fields, reason, redact)

    def list(
        self, *, name: str | None = None, email: str | None = None, company: str | None = None,
        type: ContactType | None = None, limit: int = 50,
    ) -> builtins.list[Contact]:  # fmt: skip
        """By name; of the filters, a part of the name is enough."""
        asked = {"name": name, "email": email, "company": company, "type": type}
        self._given({field: value for field, value in asked.items() if value is not None}, False)

        def wanted(one: Contact) -> bool:
            return (
                (name is None or name.casefold() in one.name.casefold())
                and (email is None or (one.email or "").casefold() == email.strip().casefold())
                and (company is None or (one.company or "").casefold() == company.casefold())
                and (type is None or one.type == type)
            )

        return self._matching(wanted, lambda one: (one.name.casefold(), one.id), limit)

    def _made(self, kept: KeptRecord, remarks: Notes = ()) -> Contact:
        return Contact(**record_fields(kept, remarks), **self._data(kept))
