"""Records: the profile, contacts, projects and skills, each with its versions; made, changed and deleted here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields as names_of
from types import SimpleNamespace
from typing import Any

from starlette.responses import Response

from scrubjay.interfaces.page.notices import Notice
from scrubjay.interfaces.page.record_form import changes, inputs, text_of
from scrubjay.interfaces.page.visits import Page, Visit
from scrubjay.interfaces.records import value_of
from scrubjay.records.nested.differences import Difference
from scrubjay.records.versions import Record
from scrubjay.text.secret_scan.quoting import quoted

__all__ = ["PAGES"]

NOUNS = ("contacts", "projects", "skills")
OF_ALL = {one.name for one in names_of(Record)} | {"name", "sources"}


def records(visit: Visit) -> Response:
    jay = visit.jay
    return visit.show(
        "records.html", profile=list(_lines(jay.profile.get())), versions=len(jay.profile.history()),
        found={noun: _group(visit, noun).list() for noun in NOUNS},
    )  # fmt: skip


# The profile


def profile(visit: Visit) -> Response:
    group = visit.jay.profile
    versions = group.history()[::-1]
    return visit.show(
        "profile.html", lines=list(_lines(group.get(), empty=True)), path=visit.asked("path"), versions=versions,
        value=text_of(group.get(visit.asked("path"))) if visit.asked("path") else "",
        changed={one.version: _changed(group.diff(one.version)) for one in versions},
    )  # fmt: skip


def set_profile(visit: Visit) -> Response:
    """Put a value at a path; an empty one takes away what is there."""
    path, value, reason = visit.asked("path"), visit.asked("value"), visit.asked("reason") or None
    group = visit.jay.profile
    made = group.set(path, value_of(value), reason=reason) if value else group.unset(path, reason=reason)
    first = made.version == 1
    return visit.go("/records/profile", Notice("profile-first", path) if first else Notice("profile", made.version - 1))


def rollback_profile(visit: Visit) -> Response:
    made = visit.jay.profile.rollback(visit.number("version"))
    done = Notice("record-undone") if visit.asked("undo") else Notice("profile", made.version - 1)
    return visit.go("/records/profile", done)


def _lines(data: Any, path: str = "", empty: bool = False) -> Iterator[tuple[str, str]]:
    """Nested values as lines: the path of each, and the value; what is empty is left out unless it is asked for."""
    if isinstance(data, Mapping):
        for key, value in data.items():
            yield from _lines(value, f"{path}.{key}" if path else str(key), empty)
    elif empty or text_of(data):
        yield path, text_of(data)


def _changed(found: Sequence[Difference]) -> Iterator[tuple[str, str, str]]:
    """What a version changed, line by line: the path, the text before and the text after."""
    for one in found:
        before, after = dict(_lines(one.before, one.path)), dict(_lines(one.after, one.path))
        yield from ((path, before.get(path, ""), after.get(path, "")) for path in {**before, **after})


# Contacts, projects and skills


def record(visit: Visit) -> Response:
    noun, group, found = _found(visit)
    shown = {name: text_of(getattr(found, name)) for name in _shown(found)}
    versions = list(reversed(group.history(found.id)))
    return visit.show(
        "record.html", noun=noun, record=found, fields={name: text for name, text in shown.items() if text},
        versions=versions, changed={one.version: _changed(group.diff(found.id, one.version)) for one in versions},
    )  # fmt: skip


def _shown(found: Record) -> Sequence[str]:
    return [one.name for one in names_of(found) if one.name not in OF_ALL]


def create_form(visit: Visit) -> Response:
    noun = visit.part("noun")
    group = _group(visit, noun)

    def needed(name: str) -> bool:
        return not group.fields[name].may_be_empty and name not in group.empty

    shown = inputs(group.fields, _blank(group), needed)
    return visit.show("record_form.html", noun=noun, record=None, inputs=shown)


def _blank(group: Any) -> SimpleNamespace:
    """What a new record begins with."""
    return SimpleNamespace(**group.empty)


def change_form(visit: Visit) -> Response:
    noun, group, found = _found(visit)

    def needed(name: str) -> bool:
        return not group.fields[name].may_be_empty

    return visit.show("record_form.html", noun=noun, record=found, inputs=inputs(group.fields, found, needed))


def create(visit: Visit) -> Response:
    noun = visit.part("noun")
    group = _group(visit, noun)
    made = group.create(reason=visit.asked("reason") or None, **changes(group.fields, _blank(group), visit.asked))
    return visit.go(f"/records/{noun}/{made.id}", Notice("record-first", noun, made.id))


def change(visit: Visit) -> Response:
    noun, group, found = _found(visit)
    given = changes(group.fields, found, visit.asked)
    if not given:
        return visit.go(f"/records/{noun}/{found.id}")
    group.update(found.id, reason=visit.asked("reason") or None, **given)
    return visit.go(f"/records/{noun}/{found.id}", Notice("record", noun, found.id, found.version))


def delete(visit: Visit) -> Response:
    _, group, found = _found(visit)
    group.delete(found.id)
    return visit.go("/records", Notice("record-deleted", found.memory))


def rollback(visit: Visit) -> Response:
    noun, group, found = _found(visit)
    group.rollback(found.id, visit.number("version"))
    done = Notice("record-undone") if visit.asked("undo") else Notice("record", noun, found.id, found.version)
    return visit.go(f"/records/{noun}/{found.id}", done)


def _found(visit: Visit) -> tuple[str, Any, Any]:
    """The noun of the address, the group of its records, and the record."""
    noun, of = visit.part("noun"), visit.number("of")
    group = _group(visit, noun)
    found = group.get(of)
    if found is None:
        raise visit.no_such(f"{noun.removesuffix('s')} {of}")
    return noun, group, found


def _group(visit: Visit, noun: str) -> Any:
    if noun not in NOUNS:
        raise visit.no_such(f"record of the noun {quoted(noun)}")
    return getattr(visit.jay, noun)


ONE = "/records/{noun}/{of:int}"
PAGES = (
    Page("/records", records),
    Page("/records/profile", profile),
    Page("/records/profile", set_profile, "POST", ("read", "write")),
    Page("/records/profile/rollback", rollback_profile, "POST", ("read", "write")),
    Page("/records/{noun}/new", create_form, scopes=("read", "write")),
    Page("/records/{noun}/new", create, "POST", ("read", "write")),
    Page(ONE, record),
    Page(f"{ONE}/change", change_form, scopes=("read", "write")),
    Page(f"{ONE}/change", change, "POST", ("read", "write")),
    Page(f"{ONE}/delete", delete, "POST", ("read", "write")),
    Page(f"{ONE}/rollback", rollback, "POST", ("read", "write")),
)
