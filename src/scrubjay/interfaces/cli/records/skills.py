"""The command for skills."""

from __future__ import annotations

from pathlib import Path
from typing import Any, get_args

import click

from scrubjay import Invalid, Scrubjay
from scrubjay.interfaces import formatting, records
from scrubjay.interfaces.cli.app import Screen, matching_options, memory_command
from scrubjay.interfaces.cli.records import verbs
from scrubjay.interfaces.cli.shared.options import field_options, with_options
from scrubjay.records.fields import SKILL_FIELDS, Outcome

__all__: list[str] = []

OPTIONS: dict[str, tuple[str, ...]] = {
    "list": ("trigger", "enabled", "limit"),
    "create": (*SKILL_FIELDS, "reason", "redact"),
    "update": (*SKILL_FIELDS, "clear", "reason", "redact"),
    "rollback": ("reason",),
    "ran": ("status", "summary", "notified", "redact"),
    "write": ("force",),
}
VERBS = (*verbs.VERBS, "due", "ran", "read", "write")


@memory_command("skills", creates=("create", "read"))
@click.argument("verb", type=click.Choice(VERBS), default="list")
@click.argument("words", nargs=-1)
@with_options(field_options(SKILL_FIELDS), [verbs.clear_option(SKILL_FIELDS)])
@click.option("--limit", type=int, help="For list: at most so many.  [default: 50]")
@click.option("--status", type=click.Choice(get_args(Outcome)), help="For ran: how it went.  [default: ok]")
@click.option("--summary", help="For ran: what was done.")
@click.option("--notified", is_flag=True, help="For ran: the user was told.")
@click.option("--force", is_flag=True, help="For write: overwrite the file.")
@verbs.REASON
@verbs.REDACT
def skills(jay: Scrubjay, screen: Screen, verb: str, words: tuple[str, ...], **given: Any) -> None:
    """List, create or change skills; see which are due.

    `skills ran` says how a run went. Scrubjay runs nothing itself.

    \b
    scrubjay skills create digest --schedule "0 9 * * 1" --instructions "Collect what was merged, and send it."
    scrubjay skills due
    scrubjay skills ran digest --status ok --summary "12 changes"
    scrubjay skills write digest .claude/skills/digest/SKILL.md
    scrubjay skills read .claude/skills/digest
    """
    asked = _asked(verb, given)
    if verb == "create":
        asked |= {"name": " ".join(words)} if words else {}
        verbs.show_changed(screen, jay.skills.create(**asked))
    elif verb in ("list", "due"):
        if words:
            raise Invalid(f"`skills {verb}` takes options only.")
        found = jay.skills.due() if verb == "due" else jay.skills.list(**asked)
        nothing = "No skill is due." if verb == "due" and not found else records.skills(found)
        screen.show({"skills": [formatting.to_dict(one) for one in found]}, nothing)
    elif verb in ("ran", "read", "write"):
        _run(jay, screen, verb, words, asked)
    else:
        verbs.run_common(jay.skills, "skills", screen, verb, words, asked)


def _asked(verb: str, given: dict[str, Any]) -> dict[str, Any]:
    """The options that were given; --disable and --no-notify are false, and yet given."""
    off = {name: False for name in ("enabled", "notify_on_completion") if given[name] is False}
    asked = matching_options(f"skills {verb}", {**given, **dict.fromkeys(off, "off")}, OPTIONS.get(verb, ()))
    return {**asked, **off}


def _run(jay: Scrubjay, screen: Screen, verb: str, words: tuple[str, ...], asked: dict[str, Any]) -> None:
    if verb == "read":
        if len(words) != 1:
            raise Invalid("Name the file, or its folder, e.g. `scrubjay skills read SKILL.md`.")
        verbs.show_changed(screen, jay.skills.read(Path(words[0])))
    elif verb == "write":
        of = verbs.named("skills", verb, words, 2)
        if len(words) != 2:
            raise Invalid("Name where to write it, e.g. `scrubjay skills write digest SKILL.md`.")
        file = jay.skills.write(of, words[1], overwrite=asked.get("force", False))
        screen.line({"file": str(file)}, f"Wrote {file}.")
    else:
        of = verbs.named("skills", verb, words)
        verbs.show_changed(screen, jay.skills.ran(of, **asked))
