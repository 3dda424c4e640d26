"""The command for projects."""

from __future__ import annotations

from typing import Any, get_args

import click

from scrubjay import Invalid, Scrubjay
from scrubjay.interfaces import formatting, records
from scrubjay.interfaces.cli.app import Screen, matching_options, memory_command
from scrubjay.interfaces.cli.records import verbs
from scrubjay.interfaces.cli.shared.options import field_options, with_options
from scrubjay.records.fields import PROJECT_FIELDS, Outcome
from scrubjay.text.safe_text import one_line

__all__: list[str] = []

OPTIONS: dict[str, tuple[str, ...]] = {
    "list": ("status", "type", "company", "primary_contact", "priority", "limit"),
    "create": (*PROJECT_FIELDS, "reason", "redact"),
    "update": (*PROJECT_FIELDS, "clear", "reason", "redact"),
    "rollback": ("reason",),
    "sources": ("system",),
    "set-source": ("external_id", "external_name", "checked", "reason", "redact"),
    "remove-source": ("reason",),
}
VERBS = (*verbs.VERBS, "sources", "set-source", "remove-source")


@memory_command("projects", creates="create")
@click.argument("verb", type=click.Choice(VERBS), default="list")
@click.argument("words", nargs=-1)
@with_options(field_options(PROJECT_FIELDS), [verbs.clear_option(PROJECT_FIELDS)])
@click.option("--limit", type=int, help="For list: at most so many.  [default: 50]")
@click.option("--system", help="For sources: only those in this system.")
@click.option("--external-id", help="For set-source: the project's id there.")
@click.option("--external-name", help="For set-source: the project's name there.")
@click.option("--checked", type=click.Choice(get_args(Outcome)), help="For set-source: how a check went just now.")
@verbs.REASON
@verbs.REDACT
def projects(jay: Scrubjay, screen: Screen, verb: str, words: tuple[str, ...], **given: Any) -> None:
    """List, create or change projects, and the systems that hold them.

    A project is named by its id or its name. Each change is a version.

    \b
    scrubjay projects create Orion --repository . --contact ann@example.org --priority high
    scrubjay projects --status active
    scrubjay projects update Orion --status paused --reason "waits for the budget"
    scrubjay projects set-source Orion jira --external-id ORI --checked ok
    """
    asked = matching_options(f"projects {verb}", given, OPTIONS.get(verb, ()))
    if verb == "create":
        asked |= {"name": " ".join(words)} if words else {}
        verbs.show_changed(screen, jay.projects.create(**asked))
    elif verb == "list":
        _list(jay, screen, words, asked)
    elif verb in ("sources", "set-source", "remove-source"):
        _sources(jay, screen, verb, words, asked)
    else:
        verbs.run_common(jay.projects, "projects", screen, verb, words, asked)


def _list(jay: Scrubjay, screen: Screen, words: tuple[str, ...], asked: dict[str, Any]) -> None:
    if words:
        raise Invalid("`projects list` takes options only, e.g. --status active.")
    if "primary_contact" in asked:
        asked["contact"] = verbs.named("projects", "list", (asked.pop("primary_contact"),))
    found = jay.projects.list(**asked)
    screen.show({"projects": [formatting.to_dict(one) for one in found]}, records.projects(found))


def _sources(jay: Scrubjay, screen: Screen, verb: str, words: tuple[str, ...], asked: dict[str, Any]) -> None:
    if verb == "sources":
        of = verbs.named("projects", verb, words) if words else None
        found = jay.projects.sources(of, **asked)
        screen.show({"sources": [formatting.to_dict(one) for one in found]}, records.sources(found))
        return
    if len(words) != 2:
        raise Invalid(f"Name a project and a system, e.g. `scrubjay projects {verb} Orion jira`.")
    of, system = verbs.named("projects", verb, words, 2), words[1]
    if verb == "remove-source":
        verbs.show_changed(screen, jay.projects.remove_source(of, system, **asked))
        return
    asked |= {"status": asked.pop("checked")} if "checked" in asked else {}
    source = jay.projects.set_source(of, system, **asked)
    screen.show(formatting.to_dict(source), one_line(records.source_line(source)))
