"""Commands for maintenance: stats, accesses, check, cleanup, trash, backfill, reindex."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import click

import scrubjay
from scrubjay import Cleaned, Evicted, Filled, Invalid, Scrubjay, Trashed
from scrubjay.interfaces import answer_dicts, formatting
from scrubjay.interfaces.activity import access_line
from scrubjay.interfaces.cli.app import (
    Screen,
    command,
    may_go_on,
    memory_command,
    opened,
    refuse_missing,
    space_option,
    store_option,
)
from scrubjay.interfaces.cli.shared.progress import progress_bar
from scrubjay.interfaces.table import name_value_lines
from scrubjay.models.embedders import BUNDLED
from scrubjay.text.plural import counted, singular_or_plural
from scrubjay.text.safe_text import one_line

__all__: list[str] = []


@memory_command("stats")
def stats(jay: Scrubjay, screen: Screen) -> None:
    """Show figures of the memory.

    How much there is, how it is used, its limits, and how it can be searched.

    \b
    scrubjay stats --json
    """
    values = answer_dicts.stats_dict(jay.stats())
    screen.show(values, name_value_lines(values))


@memory_command("accesses")
@click.argument("id", type=int, required=False)
@click.option("--limit", "-n", type=int, default=20, show_default=True, help="How many.")
def accesses(jay: Scrubjay, screen: Screen, id: int | None, limit: int) -> None:
    """Show when memories were found, read or told, the last first.

    Of one memory, or of the space.

    \b
    scrubjay accesses 7
    """
    found = jay.accesses(id, limit=limit)
    lines = "\n".join(map(access_line, found)) or "Nothing was used yet."
    screen.show({"accesses": [formatting.to_dict(one) for one in found]}, lines)


@command("check")
@click.option("--deep", is_flag=True, help="Compare every memory with its entries in the word and vector indexes.")
@click.option("--repair", is_flag=True, help="Repair what can be repaired.")
@space_option
@store_option
def check(screen: Screen, store: str | None, space: str | None, deep: bool, repair: bool) -> None:
    """Check the file for damage; --repair mends it.

    Exits with 1 if there is damage that was not repaired.

    If pages of the file are damaged, --repair copies all that can be read into a new file, keeps the old one next to
    it, and lists the missing memories.

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
    found = [*(f"Repaired: {problem}" for problem in report.repaired), *report.problems, *report.warnings]
    lines = map(one_line, found)
    screen.show(asdict(report), "\n".join(lines) or "No problems found.")
    if report.problems:
        click.get_current_context().exit(1)


@memory_command("cleanup")
@click.option("--dry-run", is_flag=True, help="Only show what would be removed, and why.")
@click.option("--force", is_flag=True, help="Do not ask; needed with --json, and without a terminal.")
def cleanup(jay: Scrubjay, screen: Screen, dry_run: bool, force: bool) -> None:
    """Move expired memories to the trash.

    Above the limits in the settings, the least used ones, too.

    On a terminal it shows them and asks first. If it cannot ask, it removes nothing and exits with 2. Memories that
    have been in the trash for longer than `trash.days` are erased without asking.

    \b
    scrubjay cleanup --dry-run
    scrubjay cleanup --force
    """
    planned = jay.cleanup(dry_run=True)
    question = f"Move {counted(len(planned), 'memory')} to the trash?"
    if dry_run:
        _show_cleanup(screen, planned, Cleaned())
    elif not planned or force or may_go_on(screen, question, _evicted_table(planned)):
        _show_cleanup(screen, Cleaned(), jay.cleanup())
    else:
        _show_cleanup(screen, planned, Cleaned())
        raise Invalid(
            f"Nothing was removed; to remove {counted(len(planned), 'memory')} without being asked, give --force."
        )


@memory_command("trash")
@click.option("--empty", is_flag=True, help="Erase all of it now, from every file of the memory.")
@click.option("--force", is_flag=True, help="Do not ask; needed with --json, and without a terminal.")
def trash(jay: Scrubjay, screen: Screen, empty: bool, force: bool) -> None:
    """Show deleted memories, and how long each can be restored.

    \b
    scrubjay trash
    scrubjay trash --empty
    """
    found = jay.trash.list()
    if not empty:
        screen.show({"trash": [formatting.to_dict(one) for one in found]}, _trash_table(found) or "The trash is empty.")
    elif (
        not found or force or may_go_on(screen, f"Erase {counted(len(found), 'memory')} for good?", _trash_table(found))
    ):
        erased = jay.trash.empty()
        screen.show({"erased": erased}, f"Erased {erased}.")
    else:
        raise Invalid(
            f"Nothing was erased; to erase {counted(len(found), 'memory')} without being asked, give --force."
        )


@memory_command("backfill")
@click.option("--batch", type=int, default=50, show_default=True, help="Memories at a time, at most 200.")
@click.option("--retry", is_flag=True, help="Also try those that the embedder refused before.")
@click.option("--job", is_flag=True, help="As a batch job of OpenAI or Gemini; run it again to fetch finished jobs.")
def backfill(jay: Scrubjay, screen: Screen, batch: int, retry: bool, job: bool) -> None:
    """Embed the memories that have no vector yet.

    Memories that the embedder refuses are skipped from then on: `status` lists them, and --retry tries again.

    \b
    scrubjay backfill
    scrubjay backfill --retry
    scrubjay backfill --job
    """
    with progress_bar("Embedding", "text", screen.json) as progress:
        filled = jay.backfill(batch, progress, retry=retry, job=job)
    _report(screen, filled)


@memory_command("reindex")
@click.option("--embedder", default="local", show_default=True, help="The embedder for the new vectors.")
def reindex(jay: Scrubjay, screen: Screen, embedder: str) -> None:
    """Embed everything again, e.g. to change the embedder.

    If it is interrupted, run it again to continue.

    \b
    scrubjay reindex --embedder ollama:nomic-embed-text
    """
    with progress_bar("Embedding", "text", screen.json) as progress:
        filled = jay.reindex(embedder, progress)
    _report(screen, filled)
    if embedder not in BUNDLED and embedder != jay.setting("embedder"):
        screen.notes((f"To use it in later commands, too: `scrubjay config embedder {embedder}`.",))


def _show_cleanup(screen: Screen, planned: Cleaned, removed: Cleaned) -> None:
    notes = [*planned.notes, *removed.notes]
    data = {
        "would_remove": [formatting.to_dict(evicted) for evicted in planned],
        "removed": [formatting.to_dict(evicted) for evicted in removed],
        "notes": notes,
    }
    text = f"Removed {len(removed)}." if removed else _evicted_table(planned) or "Nothing to remove."
    screen.show(data, text)
    screen.notes(notes)


def _evicted_table(evicted: Sequence[Evicted]) -> str:
    rows = [[str(one.memory.id), one.reason, one.memory.kind, one.memory.title] for one in evicted]
    return formatting.table(["id", "why", "kind", "title"], rows)


def _trash_table(trashed: Sequence[Trashed]) -> str:
    rows = [[str(one.memory.id), str(one.days_left), one.reason, one.memory.kind, one.memory.title] for one in trashed]
    return formatting.table(["id", "days left", "why", "kind", "title"], rows)


def _report(screen: Screen, filled: Filled) -> None:
    text = f"Embedded {filled.embedded}, {filled.remaining} remaining."
    if filled.failed:
        text += f" The embedder refused {formatting.joined_ids(filled.failed)}."
    elif filled.quarantined:
        were = singular_or_plural(filled.quarantined, "was", "were")
        text += f" {filled.quarantined:,} {were} refused before; --retry tries again."
    if filled.jobs:
        text += f" Jobs still running: {filled.jobs}; --job fetches them when they are finished."
    screen.show(asdict(filled), text)
