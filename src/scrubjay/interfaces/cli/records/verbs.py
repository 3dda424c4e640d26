"""What the commands for contacts, projects and skills have in common."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import click

from scrubjay.errors import Invalid, NotFound
from scrubjay.interfaces import formatting, records
from scrubjay.interfaces.cli.app import Screen
from scrubjay.memory.fields import Field
from scrubjay.records import Contact, Contacts, Difference, Project, Projects, Skill, Skills, Version
from scrubjay.text.secret_scan.quoting import quoted, shown
from scrubjay.types.limits import is_id

__all__ = [
    "REASON",
    "REDACT",
    "VERBS",
    "clear_option",
    "cleared",
    "named",
    "run_common",
    "show_changed",
    "show_diff",
    "show_history",
    "version_number",
]  # fmt: skip

VERBS = ("list", "create", "get", "update", "delete", "history", "diff", "rollback")
REASON = click.option("--reason", help="Why it is changed; its history shows it.")
REDACT = click.option("--redact", is_flag=True, help="Replace what looks like a secret instead of refusing it.")


def clear_option(fields: Mapping[str, Field]) -> Callable[[Any], Any]:
    """--clear, for the fields that may be empty."""
    names = [field.option.clear for field in fields.values() if field.option and field.option.clear]
    return click.option("--clear", multiple=True, type=click.Choice(names), help="For update: empty this field.")


def cleared(fields: Mapping[str, Field], asked: dict[str, Any]) -> dict[str, Any]:
    """The options, with None for each field that --clear names."""
    empty = set(asked.pop("clear", ()))
    for name, field in fields.items():
        if field.option and field.option.clear in empty:
            if name in asked:
                raise Invalid(f"Give {field.option.flag} or --clear {field.option.clear}, not both.")
            asked[name] = None
    return asked


def named(command: str, verb: str, words: tuple[str, ...], most: int = 1) -> int | str:
    """Which record is meant: by an id, or by its name or email."""
    if not 1 <= len(words) <= most:
        raise Invalid(f"Name what to {verb}, by its id or name, e.g. `scrubjay {command} {verb} 7`.")
    return int(words[0]) if is_id(words[0]) else words[0]


def version_number(word: str) -> int:
    if not is_id(word):
        raise Invalid(f"{quoted(word)} is no version; versions are whole numbers from 1 on.")
    return int(word)


def run_common(
    collection: Contacts | Projects | Skills, command: str, screen: Screen, verb: str, words: tuple[str, ...],
    asked: dict[str, Any],
) -> None:  # fmt: skip
    """The verbs that are the same for all: get, update, delete, history, diff, rollback."""
    most = {"diff": 3, "rollback": 2}.get(verb, 1)
    of = named(command, verb, words, most)
    numbers = [version_number(word) for word in words[1:]]
    if verb in ("diff", "rollback") and not numbers:
        raise Invalid(f"Name a version, e.g. `scrubjay {command} {verb} {words[0]} 1`; `history` lists them.")
    if verb == "get":
        found = _existing(collection, of)
        screen.show(formatting.to_dict(found), records.card(found))
    elif verb == "update":
        show_changed(screen, collection.update(of, **cleared(collection.fields, asked)))
    elif verb == "delete":
        gone = collection.delete(of)
        told = f"Deleted {collection.noun.name} {gone.id}; `scrubjay undelete {gone.memory}` restores it."
        screen.line(formatting.to_dict(gone), told)
    elif verb == "history":
        show_history(screen, collection.history(of))
    elif verb == "diff":
        show_diff(screen, collection.diff(of, *numbers))
    else:
        show_changed(screen, collection.rollback(of, *numbers, **asked))


def _existing(collection: Contacts | Projects | Skills, of: int | str) -> Contact | Project | Skill:
    if (found := collection.get(of)) is None:
        raise NotFound(f"There is no {collection.noun.name} {shown(str(of))}.")
    return found


def show_changed(screen: Screen, record: Contact | Project | Skill) -> None:
    """A record that was just created or changed, in one line."""
    noun = type(record).__name__
    screen.line(formatting.to_dict(record), f"{noun} {record.id} is at version {record.version}: {record.name}")
    screen.notes(record.remarks)


def show_history(screen: Screen, versions: list[Version]) -> None:
    screen.show({"versions": [formatting.to_dict(one) for one in versions]}, records.history(versions))


def show_diff(screen: Screen, found: list[Difference]) -> None:
    screen.show({"differences": [formatting.to_dict(one) for one in found]}, records.differences(found))
