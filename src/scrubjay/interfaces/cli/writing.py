"""Commands that write memories: add, update, supersede, revert, confirm, delete, undelete."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from scrubjay import Invalid, Scrubjay
from scrubjay.interfaces import changes, formatting
from scrubjay.interfaces.cli.app import Screen, memory_command, read_text
from scrubjay.interfaces.cli.shared import bulk, terminal
from scrubjay.interfaces.cli.shared.misspelt import misspelt_kind
from scrubjay.interfaces.cli.shared.options import (
    CLEARABLE,
    FIELDS_OF_A_REPLACEMENT,
    NEW_FIELDS,
    UPDATABLE_FIELDS,
    with_options,
)
from scrubjay.text.plural import counted
from scrubjay.text.secret_scan import find_secrets, without_private

__all__: list[str] = []


REDACT_OPTION = (
    click.option(
        "--redact", is_flag=True, help="Replace what looks like a secret with its kind instead of refusing it."
    ),
)
SECRET_OPTIONS = (
    *REDACT_OPTION,
    click.option(
        "--allow-secret",
        is_flag=True,
        help="Store a text that contains a secret, visible only to you; asks at the terminal.",
    ),
)
KEPT_SECRET = "Stored with its secret: only `scrubjay get {}` at a terminal shows it. No agent, search or export does."


def _confirm_secret(text: str, redact: bool, allow_secret: bool) -> bool:
    """Whether the text contains a secret that is to be stored; a person has confirmed it."""
    if redact and allow_secret:
        raise Invalid("Give --redact or --allow-secret, not both.")
    found = find_secrets(without_private(text)) if allow_secret else []
    if found:
        near = f', near "{found[0].near}"' if found[0].near else ""
        terminal.confirm(
            "--allow-secret", f"This text contains a secret ({found[0].kind}{near}); only you will see it."
        )
    return bool(found)


def _given(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None and value != ()}


@memory_command("add", creates=True)
@click.argument("text", nargs=-1)
@click.option("--file", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="Read the text from a file.")
@click.option(
    "--jsonl",
    type=click.Path(dir_okay=False, allow_dash=True),
    metavar="FILE|-",
    help="Many at once: an object with text and fields on each line.",
)
@click.option("--supersedes", type=int, metavar="ID", help="The memory that this one replaces.")
@click.option(
    "--auto-supersede", is_flag=True, help="Replace the memory that gives another value for the same subject."
)
@with_options(SECRET_OPTIONS, NEW_FIELDS)
def add(
    jay: Scrubjay, screen: Screen, text: tuple[str, ...], file: Path | None, jsonl: str | None,
    supersedes: int | None, auto_supersede: bool, redact: bool, allow_secret: bool, **fields: Any,
) -> None:  # fmt: skip
    """Remember a text.

    \b
    scrubjay add "User prefers dark mode" --kind preference --subject user
    scrubjay add "The staging port is 9090 now" --subject staging --auto-supersede
    git log -1 --format=%B | scrubjay add -
    scrubjay add --jsonl memories.jsonl --tag imported
    """
    if jsonl is not None:
        if text or file or supersedes is not None or auto_supersede or allow_secret:
            raise Invalid("--jsonl takes --redact and fields for all; the rest is given on its lines.")
        bulk.add_lines(jay, screen, jsonl, _given(fields), redact)
        return
    words = read_text(text, file)
    has_secret = _confirm_secret(words, redact, allow_secret)
    added = jay.add(
        words,
        supersedes=supersedes,
        auto_supersede=auto_supersede,
        redact=redact,
        allow_secret=has_secret,
        **_given(fields),
    )
    screen.show(formatting.added_dict(added), formatting.added_line(added))
    screen.notes((*added.notes, *_secret_notes(has_secret, added.memory.id)))


@memory_command("update")
@click.argument("id", type=int)
@click.option("--clear", multiple=True, type=click.Choice(CLEARABLE), help="Empty this field; may be repeated.")
@with_options(REDACT_OPTION, UPDATABLE_FIELDS)
def update(jay: Scrubjay, screen: Screen, id: int, clear: tuple[str, ...], redact: bool, **fields: Any) -> None:
    """Change fields other than the text, such as tags and importance.

    The text is changed by `supersede`.

    \b
    scrubjay update 7 --tag ui --importance 8
    scrubjay update 7 --metadata '{"ticket": null}' --clear expires    (null deletes a key)
    """
    given = {**_given(fields), **{CLEARABLE[name]: None for name in clear}}
    if not given:
        raise Invalid("Nothing to update; give at least one option, e.g. --tag ui.")
    misspelt = misspelt_kind(jay, given.get("kind"))  # before it is a kind that a memory has
    memory = jay.update(id, redact=redact, **given)
    changed = ", ".join(name.replace("_", " ") for name in given)
    screen.line(formatting.memory_dict(memory), f"Updated {changed} of {memory.id}: {memory.title}")
    screen.notes(misspelt)


@memory_command("supersede")
@click.argument("id", type=int)
@click.argument("text", nargs=-1)
@click.option("--file", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="Read the text from a file.")
@click.option("--by", type=int, metavar="ID", help="The existing memory that replaces it.")
@click.option("--reason", help="Why; shown in the history.")
@with_options(SECRET_OPTIONS, FIELDS_OF_A_REPLACEMENT)
def supersede(
    jay: Scrubjay, screen: Screen, id: int, text: tuple[str, ...], file: Path | None, by: int | None,
    reason: str | None, redact: bool, allow_secret: bool, **fields: Any,
) -> None:  # fmt: skip
    """Replace a memory with a new text; the old one stays in history.

    \b
    scrubjay supersede 7 "User prefers light mode" --reason "said so in the review"
    scrubjay supersede 7 --by 9
    """
    given = _given(fields)
    if by is not None and given:
        raise Invalid("--by does not change the other memory; use `scrubjay update` for that.")
    words = read_text(text, file) if text or file else None
    has_secret = _confirm_secret(words or "", redact, allow_secret)
    added = jay.supersede(id, words, by=by, reason=reason, redact=redact, allow_secret=has_secret, **given)
    screen.line(
        formatting.added_dict(added),
        f"{added.memory.id} replaces {id}: {added.memory.title}",
    )
    screen.notes((*added.notes, *_secret_notes(has_secret, added.memory.id)))


@memory_command("revert")
@click.argument("id", type=int)
@click.option("--reason", help="Why; shown in the history.")
def revert(jay: Scrubjay, screen: Screen, id: int, reason: str | None) -> None:
    """Undo the last change of a memory.

    The change may be that it was replaced, that it replaced others, or an update.

    A merge of several memories is undone as a whole. If another memory has the same text now, only one stays current.

    \b
    scrubjay revert 7 --reason "it was a misunderstanding"
    """
    undone = jay.revert(id, reason=reason)
    screen.show(formatting.to_dict(undone), changes.reverted(undone))
    screen.notes(undone.notes)


@memory_command("confirm")
@click.argument("id", type=int)
@click.option("--undo", is_flag=True, help="Take one confirmation back.")
def confirm(jay: Scrubjay, screen: Screen, id: int, undo: bool) -> None:
    """Confirm that a memory is still true; it ranks a little higher.

    \b
    scrubjay confirm 7
    scrubjay confirm 7 --undo
    """
    memory = jay.confirm(id, undo=undo)
    done = "Took back a confirmation of" if undo else "Confirmed"
    screen.show(formatting.memory_dict(memory), f"{done} {memory.id}, {counted(memory.confirmed_count, 'time')} so far")


@memory_command("delete")
@click.argument("ids", type=int, nargs=-1, required=True)
def delete(jay: Scrubjay, screen: Screen, ids: tuple[int, ...]) -> None:
    """Delete memories; `undelete` restores them for 30 days.

    If one of them does not exist, none is deleted. After 30 days they are erased; the setting trash.days changes that.

    \b
    scrubjay delete 7 9
    """
    jay.delete(*ids)
    deleted = list(dict.fromkeys(ids))
    screen.show({"deleted": deleted}, f"Deleted {formatting.joined_ids(deleted)}")


@memory_command("undelete")
@click.argument("id", type=int)
def undelete(jay: Scrubjay, screen: Screen, id: int) -> None:
    """Restore a memory from the trash, as it was before it was deleted.

    \b
    scrubjay undelete 7
    """
    memory = jay.undelete(id)
    screen.show(formatting.memory_dict(memory), f"Restored {memory.id} {memory.title}")


def _secret_notes(has_secret: bool, id: int) -> tuple[str, ...]:
    return (KEPT_SECRET.format(id),) if has_secret else ()
