"""Importing a file: which program wrote it is told from its content."""

from __future__ import annotations

import errno
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

from scrubjay.errors import EmbedderError, Invalid
from scrubjay.files import regular_files
from scrubjay.memory.arguments import file_path
from scrubjay.memory.view import View
from scrubjay.models.embedding import Progress
from scrubjay.portable.import_export import import_export
from scrubjay.portable.import_others import import_other
from scrubjay.portable.lines.reading import FIRST_BYTES, is_export
from scrubjay.portable.markdown.import_pages import import_markdown, is_markdown_export
from scrubjay.types.reports import Imported
from scrubjay.upkeep.backfill import backfill

__all__ = ["existing_path", "import_file"]

NOTHING_TO_PRUNE = "Only a folder that was exported as Markdown can be pruned."
UNREADABLE = "{} cannot be read: {}."


def import_file(
    view: View,
    file: str | Path,
    *,
    dry_run: bool = False,
    trust_file: bool = False,
    all_spaces: bool = False,
    redact: bool = False,
    prune: bool = False,
    is_sent: bool = False,
    progress: Progress | None = None,
) -> Imported:
    """Merge a file into this space, and embed what is new in it.

    One that was sent from elsewhere (`is_sent`) never says which folders of this machine are read.
    """
    path = existing_path(file)
    how: dict[str, Any] = {"dry_run": dry_run, "trust_file": trust_file, "redact": redact, "progress": progress}
    try:
        if is_markdown_export(path):
            report = import_markdown(view, path, dry_run=dry_run, trust_file=trust_file, redact=redact, prune=prune)
        elif prune:
            raise Invalid(NOTHING_TO_PRUNE)
        elif path.is_dir():
            report = import_other(view, path, **how)
        else:
            with regular_files.open_to_read(path, follow=True) as opened:
                if is_export(opened.readline(FIRST_BYTES)):
                    opened.seek(0)
                    report = import_export(view, opened, all_spaces=all_spaces, is_sent=is_sent, **how)
                else:
                    report = import_other(view, path, **how)
    except OSError as problem:
        raise Invalid(UNREADABLE.format(file, problem.strerror)) from None
    return report if dry_run else embedded(view, report)


def existing_path(file: str | Path) -> Path:
    """Where a file or folder to import is; raises if there is none."""
    path = file_path("file", file)
    try:
        path.stat()
    except ValueError:  # no file's name has such a character
        raise Invalid(UNREADABLE.format(file, os.strerror(errno.ENOENT))) from None
    except OSError as problem:
        raise Invalid(UNREADABLE.format(file, problem.strerror)) from None
    return path


def embedded(view: View, report: Imported) -> Imported:
    """Make the vectors that are missing; where that cannot be done now, a note says so."""
    if not report.added.get("memory") and not report.changed.get("memory"):
        return report
    if view.selection.follow_store().embedder is None:
        return report
    try:
        filled = backfill(view)
    except EmbedderError as problem:
        return replace(report, notes=(*report.notes, f"Found by words only until `scrubjay backfill`: {problem}"))
    return replace(report, embedded=filled.embedded, remaining=filled.remaining)
