"""Commands that look after the file."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import click

import scrubjay
from scrubjay import Evicted, Filled, Invalid, Scrubjay, Trashed
from scrubjay.interfaces import formatting
from scrubjay.interfaces.cli.app import (
    Screen,
    command,
    memory_command,
    opened,
    refuse_missing,
    space_option,
    store_option,
)
from scrubjay.interfaces.cli.progress import progress_bar
from scrubjay.models.embedders import BUNDLED
from scrubjay.text.plural import counted, singular_or_plural
from scrubjay.text.safe_text import one_line

__all__: list[str] = []


@memory_command("stats")
def stats(jay: Scrubjay, screen: Screen) -> None:
    """Show the memory in figures.

    \b
    scrubjay stats --json
    """
    figures = formatting.stats_dict(jay.stats())
    screen.show(figures, formatting.figures(figures))


@command("check")
@click.option("--deep", is_flag=True, help="Compare every row with its words and its vectors.")
@click.option("--repair", is_flag=True, help="Mend what can be mended.")
@space_option
@store_option
def check(screen: Screen, store: str | None, space: str | None, deep: bool, repair: bool) -> None:
    """Look for damage; exits with 1 if there is any that was not mended.

    From a file with damaged pages, --repair reads whatever can be read into a new file, keeps the old one beside it,
    and says which memories are missing.

    \b
    scrubjay check --deep
    scrubjay check --repair
    """
    refuse_missing(store)
    if repair:
        report = scrubjay.repair(store, folder=Path.cwd())
    else:
        with opened(store, space, ask=not screen.json) as jay:
            report = jay.check(deep=deep)
    told = [*(f"Repaired: {problem}" for problem in report.repaired), *report.problems, *report.warnings]
    lines = map(one_line, told)
    screen.show(asdict(report), "\n".join(lines) or "All is well.")
    if report.problems:
        click.get_current_context().exit(1)


@memory_command("cleanup")
@click.option("--dry-run", is_flag=True, help="Only show what would go, and why.")
@click.option("--force", is_flag=True, help="Ask no question; needed with --json, and where there is no terminal.")
def cleanup(jay: Scrubjay, screen: Screen, dry_run: bool, force: bool) -> None:
    """Move what has expired and, beyond the limits that are set, what is used least to the trash.

    On a terminal it shows them and asks first. Where it cannot ask, it removes nothing and exits with 2. What has been
    in the trash for longer than `trash.days` is erased without a question.

    \b
    scrubjay cleanup --dry-run
    scrubjay cleanup --force
    """
    planned = jay.cleanup(dry_run=True)
    question = f"Move {counted(len(planned), 'memory')} to the trash?"
    if dry_run:
        _show_cleanup(screen, planned, [])
    elif not planned or force or _agreed(screen, _evicted_table(planned), question):
        _show_cleanup(screen, [], jay.cleanup())
    else:
        _show_cleanup(screen, planned, [])
        raise Invalid(
            f"Nothing was removed; to remove {counted(len(planned), 'memory')} without being asked, give --force."
        )


@memory_command("trash")
@click.option("--empty", is_flag=True, help="Erase all of it now, so that no file of the memory holds it any more.")
@click.option("--force", is_flag=True, help="Ask no question; needed with --json, and where there is no terminal.")
def trash(jay: Scrubjay, screen: Screen, empty: bool, force: bool) -> None:
    """Show deleted memories, and how many days are left to take each one back with `undelete`.

    \b
    scrubjay trash
    scrubjay trash --empty
    """
    found = jay.trash.list()
    if not empty:
        screen.show({"trash": [formatting.plain(one) for one in found]}, _trash_table(found) or "The trash is empty.")
    elif not found or force or _agreed(screen, _trash_table(found), f"Erase {counted(len(found), 'memory')} for good?"):
        erased = jay.trash.empty()
        screen.show({"erased": erased}, f"Erased {erased}.")
    else:
        raise Invalid(
            f"Nothing was erased; to erase {counted(len(found), 'memory')} without being asked, give --force."
        )


@memory_command("backfill")
@click.option("--batch", type=int, default=50, show_default=True, help="Memories at a time, at most 200.")
@click.option("--retry", is_flag=True, help="Also those that the embedder refused before.")
@click.option("--job", is_flag=True, help="As a batch job of OpenAI or Gemini; again, to fetch what is done.")
def backfill(jay: Scrubjay, screen: Screen, batch: int, retry: bool, job: bool) -> None:
    """Embed the memories that have no vector yet.

    What the embedder refuses is set aside: `status` lists it, and --retry tries again.

    \b
    scrubjay backfill
    scrubjay backfill --retry
    scrubjay backfill --job
    """
    with progress_bar("Embedding", "texts", screen.json) as progress:
        filled = jay.backfill(batch, progress, retry=retry, job=job)
    _report(screen, filled)


@memory_command("reindex")
@click.option("--embedder", default="local", show_default=True, help="What makes the new vectors.")
def reindex(jay: Scrubjay, screen: Screen, embedder: str) -> None:
    """Embed everything anew, e.g. to change the embedder.

    Stopped halfway, it goes on where it was.

    \b
    scrubjay reindex --embedder ollama:nomic-embed-text
    """
    with progress_bar("Embedding", "texts", screen.json) as progress:
        filled = jay.reindex(embedder, progress)
    _report(screen, filled)
    if embedder not in BUNDLED and embedder != jay.setting("embedder"):
        screen.notes((f"To have later commands use it, too: `scrubjay config embedder {embedder}`.",))


def _agreed(screen: Screen, table: str, question: str) -> bool:
    """What a person answers; a program cannot be asked, and must not wait for ever."""
    if screen.json or sys.stdin is None or not sys.stdin.isatty():
        return False
    click.echo(table)
    return click.confirm(question, abort=True)


def _show_cleanup(screen: Screen, planned: Sequence[Evicted], removed: Sequence[Evicted]) -> None:
    data = {
        "would_remove": [formatting.plain(evicted) for evicted in planned],
        "removed": [formatting.plain(evicted) for evicted in removed],
    }
    text = f"Removed {len(removed)}." if removed else _evicted_table(planned) or "There is nothing to remove."
    screen.show(data, text)


def _evicted_table(evicted: Sequence[Evicted]) -> str:
    rows = [[str(one.memory.id), one.reason, one.memory.kind, one.memory.title] for one in evicted]
    return formatting.columns(["id", "why", "kind", "title"], rows)


def _trash_table(trashed: Sequence[Trashed]) -> str:
    rows = [[str(one.memory.id), str(one.days_left), one.reason, one.memory.kind, one.memory.title] for one in trashed]
    return formatting.columns(["id", "days left", "why", "kind", "title"], rows)


def _report(screen: Screen, filled: Filled) -> None:
    text = f"Embedded {filled.embedded}, {filled.remaining} remaining."
    if filled.failed:
        text += f" The embedder refused {formatting.enumerated(filled.failed)}."
    elif filled.quarantined:
        were = singular_or_plural(filled.quarantined, "was", "were")
        text += f" {filled.quarantined:,} {were} refused before; --retry tries again."
    if filled.jobs:
        text += f" Jobs under way: {filled.jobs}; --job fetches them when they are done."
    screen.show(asdict(filled), text)
