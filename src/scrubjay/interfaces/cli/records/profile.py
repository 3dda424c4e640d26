"""The command for the profile."""

from __future__ import annotations

from typing import Any

import click

from scrubjay import Invalid, Scrubjay
from scrubjay.interfaces import formatting, records
from scrubjay.interfaces.cli.app import Screen, matching_options, memory_command
from scrubjay.interfaces.cli.records import verbs
from scrubjay.records import Version
from scrubjay.text.secret_scan.quoting import quoted

__all__: list[str] = []

OPTIONS: dict[str, tuple[str, ...]] = {
    "get": ("version",),
    "set": ("reason", "redact"),
    "unset": ("reason",),
    "merge": ("reason", "redact"),
    "rollback": ("reason",),
}
WORDS = {  # at least, at most, an example
    "get": (0, 1, "preferences.tools[0]"),
    "set": (2, 2, "preferences.tools[0] uv"),
    "unset": (1, 1, "preferences.tools[0]"),
    "merge": (1, 1, '\'{"user_info": {"name": "Ann"}}\''),
    "history": (0, 0, ""),
    "diff": (1, 2, "1 3"),
    "rollback": (1, 1, "3"),
}


@memory_command("profile", creates=("set", "merge"))
@click.argument("verb", type=click.Choice(list(WORDS)), default="get")
@click.argument("words", nargs=-1)
@click.option("--version", type=int, help="For get: as it was in this version.")
@verbs.REASON
@verbs.REDACT
def profile(jay: Scrubjay, screen: Screen, verb: str, words: tuple[str, ...], **given: Any) -> None:
    """Show or change the profile of a space.

    It is nested JSON, changed by dot paths. Each change is a version.

    A value is JSON, or else text; a merge adds an object, in which null removes a key.

    \b
    scrubjay profile set preferences.tools[0] uv --reason "said so today"
    scrubjay profile get preferences
    scrubjay profile merge '{"user_info": {"name": "Ann"}}'
    scrubjay profile history
    scrubjay profile diff 1 2
    scrubjay profile rollback 1
    """
    asked = matching_options(f"profile {verb}", given, OPTIONS.get(verb, ()))
    least, most, example = WORDS[verb]
    if not least <= len(words) <= most:
        raise Invalid(f"Write e.g. `scrubjay profile {verb} {example}`.".replace(" `.", "`."))
    if verb == "get":
        path = words[0] if words else None
        found = jay.profile.get(path, **asked)
        screen.show({"path": path, "value": found}, records.value(found))
    elif verb == "history":
        verbs.show_history(screen, jay.profile.history())
    elif verb == "diff":
        verbs.show_diff(screen, jay.profile.diff(*map(verbs.version_number, words)))
    else:
        _show(screen, _changed(jay, verb, words, asked))


def _changed(jay: Scrubjay, verb: str, words: tuple[str, ...], asked: dict[str, Any]) -> Version:
    match verb:
        case "set":
            return jay.profile.set(words[0], records.value_of(words[1]), **asked)
        case "unset":
            return jay.profile.unset(words[0], **asked)
        case "merge":
            return jay.profile.merge(_object(words[0]), **asked)
    return jay.profile.rollback(verbs.version_number(words[0]), **asked)


def _object(text: str) -> dict[str, Any]:
    found = records.value_of(text)
    if not isinstance(found, dict):
        raise Invalid(f"Give a JSON object to merge, not {quoted(text)}.")
    return found


def _show(screen: Screen, version: Version) -> None:
    reason = f": {version.reason}" if version.reason else "."
    screen.line(formatting.to_dict(version), f"The profile is at version {version.version}{reason}")
    screen.notes(version.remarks)
