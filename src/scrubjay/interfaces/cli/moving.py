"""Commands that move memories: export, import, backup, restore, move."""

from __future__ import annotations

import csv
from dataclasses import asdict
from io import StringIO
from pathlib import Path
from typing import Any

import click

import scrubjay
from scrubjay import Invalid, Scrubjay
from scrubjay.interfaces.cli.app import Screen, command, may_go_on, memory_command, store_option
from scrubjay.interfaces.cli.shared import terminal
from scrubjay.interfaces.cli.shared.options import filter_options, given_filters
from scrubjay.interfaces.cli.shared.progress import progress_bar
from scrubjay.portable.backup import backup_file
from scrubjay.portable.import_file import existing_path
from scrubjay.text.plural import counted
from scrubjay.text.safe_text import visible
from scrubjay.types.reports import Imported

__all__: list[str] = []

VOUCHED = "Whoever wrote this file may have put anything into it; its memories will count as your own words."
all_spaces_option = click.option("--all-spaces", is_flag=True, help="Every space, not just one.")


@memory_command("export")
@click.argument("file", required=False)
@click.option("--csv", "table", metavar="FILE|-", help="A table for spreadsheets instead; - for standard output.")
@click.option("--vectors", is_flag=True, help="With vectors, so that nothing needs to be embedded again.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["jsonl", "markdown"]),
    default="jsonl",
    help="Markdown: a folder to read and edit.",
)
@all_spaces_option
@filter_options
def export(
    jay: Scrubjay, screen: Screen, file: str | None, table: str | None, form: str, vectors: bool, all_spaces: bool,
    **filters: Any,
) -> None:  # fmt: skip
    """Write a space to one file, without loss; `import` reads it.

    With filters, only the memories that match, with their history. With --csv, the current memories as a table, the
    oldest first; on standard output each memory is one line: a line break in a text is written as \\n.

    \b
    scrubjay export memory.jsonl
    scrubjay export all.jsonl --all-spaces --vectors
    scrubjay export notes --format markdown
    scrubjay export --csv - --kind decision --since 2026-01-01
    """
    if (file is None) == (table is None):
        raise Invalid("Name the file to write: `scrubjay export memory.jsonl`, or `scrubjay export --csv table.csv`.")
    if table is not None:
        if vectors or all_spaces:
            raise Invalid("A table has neither vectors nor several spaces; leave --vectors and --all-spaces out.")
        _export_table(jay, screen, table, given_filters(filters))
        return
    if form == "markdown":
        if vectors or all_spaces:
            raise Invalid("A folder of Markdown has neither vectors nor several spaces; leave these options out.")
        number = jay.export_markdown(str(file), **given_filters(filters))
        screen.line({"file": file, "memories": number}, f"Wrote {counted(number, 'memory')} to {file}")
        return
    with progress_bar("Writing", "memory", screen.json) as progress:
        written = jay.export(
            str(file), vectors=vectors, all_spaces=all_spaces, progress=progress, **given_filters(filters)
        )
    screen.line(asdict(written), f"Wrote {counted(written.memories, 'memory')} to {file}")
    screen.notes(written.notes)
    screen.notes(jay.filter_notes(**given_filters(filters)) if not written.memories else ())


@memory_command("import", creates=True)
@click.argument("file")
@click.option("--dry-run", is_flag=True, help="Only show what would be imported.")
@click.option("--trust-file", is_flag=True, help="Let its memories keep their trust; asks at the terminal.")
@click.option("--redact", is_flag=True, help="Mask secrets instead of leaving their memories out.")
@click.option("--prune", is_flag=True, help="Of a folder of Markdown: delete memories whose page was removed.")
@all_spaces_option
def import_(
    jay: Scrubjay, screen: Screen, file: str, dry_run: bool, trust_file: bool, redact: bool, prune: bool,
    all_spaces: bool,
) -> None:  # fmt: skip
    """Merge an export, or a file of another program, into the memory.

    To import it again changes nothing.

    Memories are known by their uid: of two versions, the newer one wins. What you did not export yourself becomes
    `external`, and its original trust is kept in the metadata.

    Files of other programs are recognised by their content: MCP server-memory, mem0, basic-memory, claude-mem,
    mcp-memory-service, LangGraph stores, conversations of ChatGPT and Claude accounts, and CLAUDE.md and the like.

    \b
    scrubjay import memory.jsonl --dry-run
    scrubjay import CLAUDE.md
    scrubjay import memory.jsonl
    """
    if trust_file:
        existing_path(file)  # said before a person is asked to confirm anything
        terminal.confirm("--trust-file", VOUCHED)
    with progress_bar("Importing", "memory", screen.json) as progress:
        report = jay.import_file(
            file, dry_run=dry_run, trust_file=trust_file, redact=redact, prune=prune, all_spaces=all_spaces,
            progress=progress,
        )  # fmt: skip
    screen.show(asdict(report), _report(report))
    screen.notes(report.notes)


@memory_command("backup")
@click.argument("file", required=False)
@click.option("--daily", is_flag=True, help="One a day, in a folder; for a scheduler.")
@click.option("--keep", type=int, metavar="NUMBER", help="With --daily: how many are kept; 7 if not given.")
def backup(jay: Scrubjay, screen: Screen, file: str | None, daily: bool, keep: int | None) -> None:
    """Copy the whole memory to a file, while others may write to it.

    Every space is copied. The copy is checked.

    With --daily, FILE is a folder: by default `backups` beside the memory. A backup of today is not made twice.

    \b
    scrubjay backup memory-backup.db
    scrubjay backup --daily --keep 7
    """
    if not daily and (file is None or keep is not None):
        raise Invalid("Name the file to write; --keep belongs to --daily.")
    made = jay.backup_daily(file, keep=7 if keep is None else keep) if daily else jay.backup(str(file))
    text = f"{counted(made.memories, 'memory')} in {made.file}"
    screen.line(asdict(made), f"Backed up {text}" if made.made else f"There is a backup of today: {text}")


@command("restore")
@click.argument("file")
@click.option("--force", is_flag=True, help="Do not ask; needed with --json, and without a terminal.")
@store_option
def restore(screen: Screen, file: str, store: str | None, force: bool) -> None:
    """Put a backup in the place of the memory.

    What the memory holds now is kept in a file beside it.

    \b
    scrubjay restore memory-backup.db
    """
    backup_file(file)  # what is missing is said before anything is asked
    if not force and not may_go_on(screen, f"Let the memory hold what {file} holds?"):
        raise Invalid("Nothing was restored; to restore without being asked, give --force.")
    done = scrubjay.restore(file, store, folder=Path.cwd())
    kept = f"; what it held before is in {done.kept}" if done.kept else ""
    screen.line(asdict(done), f"Restored {counted(done.memories, 'memory')} to {done.store}{kept}")
    screen.notes(done.notes)


@command("move")
@click.argument("source", metavar="FROM")
@click.argument("target", metavar="TO")
def move(screen: Screen, source: str, target: str) -> None:
    """Copy one memory into another with everything, and compare both.

    FROM stays as it is.

    If TO is new, it gets every row. If it holds memories, those of FROM are merged into it, space by space.
    Either may be a database, which gets what an export has; if that was broken off, run it again.

    \b
    scrubjay move old.db new.db
    scrubjay move memory.db postgresql://user@host/database
    """
    done = scrubjay.move(source, target)
    compared = f"compared {counted(done.lines, 'line')}"
    screen.line(asdict(done), f"Copied {counted(done.memories, 'memory')} to {done.target}: {compared}")
    screen.notes(done.notes)


def _report(report: Imported) -> str:
    """What came, what was there already, and what was left out and why."""
    would = "Would add" if report.dry_run else "Added"
    lines = [f"{would} {counted(report.added.get('memory', 0), 'memory')}{_others(report.added)}."]
    if sum(report.changed.values()):
        lines.append(f"{'Would change' if report.dry_run else 'Changed'} {_listed(report.changed)}.")
    if report.known.get("memory"):
        lines.append(f"There already: {counted(report.known['memory'], 'memory')}.")
    lines += [f"Left out {number:,}: {reason}." for reason, number in report.left_out.items()]
    lines += [f"  {title}" for title in report.examples] if report.dry_run else []
    if report.embedded:
        lines.append(f"Embedded {counted(report.embedded, 'text')}.")
    return "\n".join(lines)


def _others(numbers: Any) -> str:
    others = {kind: number for kind, number in numbers.items() if kind != "memory"}
    return f", and with them {_listed(others)}" if others else ""


def _listed(numbers: Any) -> str:
    return ", ".join(counted(number, kind.replace("_", " ")) for kind, number in numbers.items())


def _export_table(jay: Scrubjay, screen: Screen, file: str, filters: dict[str, Any]) -> None:
    if file == "-" and screen.json:
        raise Invalid("--json describes the file that was written; give a file, or leave --json out.")
    table = StringIO(newline="")
    number = jay.export_csv(table if file == "-" else Path(file), **filters)
    if file == "-":
        click.echo(_on_one_line_each(table), nl=False)
    else:
        screen.line({"file": file, "memories": number}, f"Wrote {counted(number, 'memory')} to {file}")
    screen.notes(jay.filter_notes(**filters) if not number else ())


def _on_one_line_each(table: StringIO) -> str:
    """The table with a line for each memory, so that no text can look like another line of the output."""
    shown = StringIO(newline="")
    table.seek(0)
    for row in csv.reader(table):
        csv.writer(shown, lineterminator="\n").writerow([visible(cell).replace("\n", "\\n") for cell in row])
    return shown.getvalue()
