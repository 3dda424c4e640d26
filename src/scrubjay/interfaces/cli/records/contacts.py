"""The command for contacts."""

from __future__ import annotations

from typing import Any

import click

from scrubjay import Invalid, Scrubjay
from scrubjay.interfaces import formatting, records
from scrubjay.interfaces.cli.app import Screen, matching_options, memory_command
from scrubjay.interfaces.cli.records import verbs
from scrubjay.interfaces.cli.shared.options import field_options, with_options
from scrubjay.records.fields import CONTACT_FIELDS

__all__: list[str] = []

OPTIONS: dict[str, tuple[str, ...]] = {
    "list": ("name", "email", "company", "type", "limit"),
    "create": (*CONTACT_FIELDS, "reason", "redact"),
    "update": (*CONTACT_FIELDS, "clear", "reason", "redact"),
    "rollback": ("reason",),
}


@memory_command("contacts", creates="create")
@click.argument("verb", type=click.Choice(verbs.VERBS), default="list")
@click.argument("words", nargs=-1)
@with_options(field_options(CONTACT_FIELDS), [verbs.clear_option(CONTACT_FIELDS)])
@click.option("--limit", type=int, help="For list: at most so many.  [default: 50]")
@verbs.REASON
@verbs.REDACT
def contacts(jay: Scrubjay, screen: Screen, verb: str, words: tuple[str, ...], **given: Any) -> None:
    """List, create or change contacts.

    A contact is named by its id or its email. Each change is a version.

    \b
    scrubjay contacts create "Ann Lee" --email ann@example.org --role CTO --company Initech
    scrubjay contacts --name ann
    scrubjay contacts update ann@example.org --role CEO --reason promoted
    scrubjay contacts history ann@example.org
    """
    asked = matching_options(f"contacts {verb}", given, OPTIONS.get(verb, ()))
    if verb == "create":
        asked |= {"name": " ".join(words)} if words else {}
        verbs.show_changed(screen, jay.contacts.create(**asked))
    elif verb == "list":
        if words:
            raise Invalid("`contacts list` takes options only, e.g. --name ann.")
        found = jay.contacts.list(**asked)
        screen.show({"contacts": [formatting.to_dict(one) for one in found]}, records.contacts(found))
    else:
        verbs.run_common(jay.contacts, "contacts", screen, verb, words, asked)
