"""Commands that extract memories from conversations, and propose merges and corrections."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from scrubjay import Invalid, Scrubjay
from scrubjay.interfaces import formatting
from scrubjay.interfaces.cli.app import Screen, memory_command, read_text
from scrubjay.interfaces.cli.shared.progress import progress_bar
from scrubjay.text.plural import counted
from scrubjay.upkeep.synthesise import Change, read

__all__: list[str] = []


@memory_command("extract", creates=True)
@click.argument("text", nargs=-1)
@click.option("--file", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="Read the text from a file.")
@click.option("--session", metavar="NAME", help="Extract from this session only.")
@click.option("--again", is_flag=True, help="With --session: also from turns that were processed before.")
@click.option("--rules", is_flag=True, help="Use rules even if a generator is set.")
@click.option("--dry-run", is_flag=True, help="Only show what would be remembered.")
def extract(
    jay: Scrubjay, screen: Screen, text: tuple[str, ...], file: Path | None, session: str | None, **options: Any
) -> None:
    """Extract memories from a text or from conversations.

    From a session that you name, or from all that have something new.

    Without a generator, plain statements in English are found by rules. If it is interrupted, run it again to continue.

    \b
    scrubjay extract "I prefer tabs, and we decided to ship on Tuesdays" --dry-run
    scrubjay extract --session review
    scrubjay extract
    """
    given = read_text(text, file) if text or file else None
    if options["again"] and session is None:
        raise Invalid("--again needs --session.")
    with progress_bar("Reading", "session", screen.json) as progress:
        done = jay.extract(given, session=session, progress=progress, **options)
    rows = [[str(one.id or "-"), one.kind, f"{one.confidence:.2f}", one.text] for one in done.memories]
    table = formatting.table(["id", "kind", "confidence", "text"], rows) or "Found nothing new to remember."
    screen.show(formatting.to_dict(done), table)
    screen.notes(tuple(f"Skipped: {one.text} ({one.reason})" for one in done.dropped) if given or session else ())
    screen.notes(tuple(note for one in done.added for note in one.notes) + done.notes)
    if done.remaining and not options["dry_run"]:
        screen.notes((formatting.sessions_left(done.remaining),))


@memory_command("synthesise")
@click.option("--kind", "kinds", multiple=True, help="Only memories of this kind; may be repeated.")
@click.option("--subject", help="Only memories about this.")
@click.option(
    "--apply", "file", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="Make these changes."
)
def synthesise(jay: Scrubjay, screen: Screen, kinds: tuple[str, ...], subject: str | None, file: Path | None) -> None:
    """Let a language model propose how to tidy the memory.

    It proposes merges, corrections and deletions; nothing changes until a plan is applied.

    It never changes what came from the user, and `revert` undoes each change.

    \b
    scrubjay synthesise --json > plan.json
    scrubjay synthesise --apply plan.json
    """
    if file is not None:
        made = jay.apply(read(read_text((), file)))
        screen.show(formatting.to_dict(made), _changes(made.changes) or "Nothing was changed.")
        screen.notes(made.notes)
        return
    plan = jay.synthesise(kinds=kinds, subject=subject)
    screen.show(
        formatting.to_dict(plan), _changes(plan.changes) or f"Nothing to change in {counted(plan.memories, 'memory')}."
    )
    screen.notes(tuple(f"Skipped: {why}" for why in plan.left_out))


def _changes(changes: tuple[Change, ...]) -> str:
    rows = [[one.verb, formatting.joined_ids(one.ids), one.text or f"({one.reason})"] for one in changes]
    return formatting.table(["verb", "ids", "text"], rows)
