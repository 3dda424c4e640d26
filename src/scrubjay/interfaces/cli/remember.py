"""Commands that write."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from scrubjay import Invalid, Scrubjay
from scrubjay.interfaces import formatting
from scrubjay.interfaces.cli import terminal
from scrubjay.interfaces.cli.app import Screen, memory_command, read_text
from scrubjay.interfaces.cli.options import CLEARABLE, NEW_FIELDS, UPDATABLE_FIELDS, with_options
from scrubjay.text.plural import counted
from scrubjay.text.secret_scan import find_secrets, without_private

__all__: list[str] = []


REDACT_OPTION = (
    click.option("--redact", is_flag=True, help="Replace what looks like a secret by its kind instead of refusing it."),
)
SECRET_OPTIONS = (
    *REDACT_OPTION,
    click.option(
        "--allow-secret",
        is_flag=True,
        help="Keep a text that holds a secret, for your eyes only; asks at the terminal.",
    ),
)
KEPT_SECRET = "Kept with its secret: `scrubjay get {}` shows it at a terminal. No agent, search or export has it."


def _is_kept(text: str, redact: bool, allow_secret: bool) -> bool:
    """Whether a text that holds a secret is to be kept, once a person has typed that it is."""
    if redact and allow_secret:
        raise Invalid("Give --redact or --allow-secret, not both.")
    found = find_secrets(without_private(text)) if allow_secret else []
    if found:
        near = f', near "{found[0].near}"' if found[0].near else ""
        terminal.confirm("--allow-secret", f"This text holds a secret ({found[0].kind}{near}), kept for you alone.")
    return bool(found)


def _given(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None and value != ()}


@memory_command("add", creates=True)
@click.argument("text", nargs=-1)
@click.option("--file", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="Read the text from a file.")
@click.option("--supersedes", type=int, metavar="ID", help="The memory that this one replaces.")
@click.option("--auto-supersede", is_flag=True, help="Replace what says the same of this subject with another value.")
@with_options(SECRET_OPTIONS, UPDATABLE_FIELDS, NEW_FIELDS)
def add(
    jay: Scrubjay, screen: Screen, text: tuple[str, ...], file: Path | None, supersedes: int | None,
    auto_supersede: bool, redact: bool, allow_secret: bool, **fields: Any,
) -> None:  # fmt: skip
    """Remember a text.

    \b
    scrubjay add "User prefers dark mode" --kind preference --subject user
    scrubjay add "The staging port is 9090 now" --subject staging --auto-supersede
    git log -1 --format=%B | scrubjay add -
    """
    words = read_text(text, file)
    kept = _is_kept(words, redact, allow_secret)
    added = jay.add(
        words, supersedes=supersedes, auto_supersede=auto_supersede, redact=redact, allow_secret=kept, **_given(fields)
    )
    screen.show(
        {
            "id": added.memory.id,
            "created": added.created,
            "memory": formatting.memory_dict(added.memory),
            "similar": [formatting.compact(hit) for hit in added.similar],
            "notes": list(added.notes),
        },
        formatting.added_line(added),
    )
    screen.notes((*added.notes, *_of_the_secret(kept, added.memory.id)))


@memory_command("update")
@click.argument("id", type=int)
@click.option("--clear", multiple=True, type=click.Choice(CLEARABLE), help="Empty this field; may be repeated.")
@with_options(REDACT_OPTION, UPDATABLE_FIELDS)
def update(jay: Scrubjay, screen: Screen, id: int, clear: tuple[str, ...], redact: bool, **fields: Any) -> None:
    """Change what is not text: tags, metadata, importance, title, expiry.

    \b
    scrubjay update 7 --tag ui --importance 8
    scrubjay update 7 --metadata '{"ticket": null}' --clear expires    (null deletes a key)
    """
    given = {**_given(fields), **{CLEARABLE[name]: None for name in clear}}
    if not given:
        raise Invalid("Nothing to update; give at least one option, e.g. --tag ui.")
    memory = jay.update(id, redact=redact, **given)
    screen.line(formatting.memory_dict(memory), f"Updated {memory.id} {memory.title}")


@memory_command("supersede")
@click.argument("id", type=int)
@click.argument("text", nargs=-1)
@click.option("--file", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="Read the text from a file.")
@click.option("--by", type=int, metavar="ID", help="The existing memory that takes its place.")
@click.option("--reason", help="Why; the history tells it.")
@with_options(SECRET_OPTIONS, UPDATABLE_FIELDS, NEW_FIELDS)
def supersede(
    jay: Scrubjay, screen: Screen, id: int, text: tuple[str, ...], file: Path | None, by: int | None,
    reason: str | None, redact: bool, allow_secret: bool, **fields: Any,
) -> None:  # fmt: skip
    """Put a new text in the place of a memory; the old one stays in its history.

    \b
    scrubjay supersede 7 "User prefers light mode" --reason "said so in the review"
    scrubjay supersede 7 --by 9
    """
    given = _given(fields)
    if by is not None and given:
        raise Invalid("--by leaves the other memory as it is; change it with `scrubjay update`.")
    words = read_text(text, file) if text or file else None
    kept = _is_kept(words or "", redact, allow_secret)
    added = jay.supersede(id, words, by=by, reason=reason, redact=redact, allow_secret=kept, **given)
    screen.line(
        {
            "id": added.memory.id,
            "supersedes": id,
            "memory": formatting.memory_dict(added.memory),
            "notes": list(added.notes),
        },
        f"{added.memory.id} replaces {id}: {added.memory.title}",
    )
    screen.notes((*added.notes, *_of_the_secret(kept, added.memory.id)))


@memory_command("revert")
@click.argument("id", type=int)
@click.option("--reason", help="Why; the history tells it.")
def revert(jay: Scrubjay, screen: Screen, id: int, reason: str | None) -> None:
    """Undo what was last done to a memory: that it was replaced, replaced others, or was updated.

    A merge of several is undone whole. If another memory says the same by now, only one of the two is current.

    \b
    scrubjay revert 7 --reason "it was a misunderstanding"
    """
    undone = jay.revert(id, reason=reason)
    screen.show(formatting.plain(undone), formatting.reverted(undone))
    screen.notes(undone.notes)


@memory_command("confirm")
@click.argument("id", type=int)
def confirm(jay: Scrubjay, screen: Screen, id: int) -> None:
    """Say that a memory still holds; it ranks a little higher for it.

    \b
    scrubjay confirm 7
    """
    memory = jay.confirm(id)
    screen.show(formatting.memory_dict(memory), f"Confirmed {memory.id}, {_times(memory.confirmed_count)} now")


@memory_command("delete")
@click.argument("ids", type=int, nargs=-1, required=True)
def delete(jay: Scrubjay, screen: Screen, ids: tuple[int, ...]) -> None:
    """Delete memories, all of them, or none if one is not there; after 30 days they are erased.

    Until then `undelete` takes them back; `scrubjay config trash.days` says how long.

    \b
    scrubjay delete 7 9
    """
    jay.delete(*ids)
    deleted = list(dict.fromkeys(ids))
    screen.show({"deleted": deleted}, f"Deleted {formatting.enumerated(deleted)}")


@memory_command("undelete")
@click.argument("id", type=int)
def undelete(jay: Scrubjay, screen: Screen, id: int) -> None:
    """Take a memory out of the trash, as it was before it was deleted.

    \b
    scrubjay undelete 7
    """
    memory = jay.undelete(id)
    screen.show(formatting.memory_dict(memory), f"Restored {memory.id} {memory.title}")


def _of_the_secret(kept: bool, id: int) -> tuple[str, ...]:
    return (KEPT_SECRET.format(id),) if kept else ()


def _times(count: int) -> str:
    return "once" if count == 1 else counted(count, "time")
