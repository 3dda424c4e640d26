"""What the object that callers hold can do to move a memory. `Scrubjay` in api.py is this and all the rest."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, TextIO, Unpack

from scrubjay.dates.timestamps import Moment
from scrubjay.memory.fields import with_full_signatures
from scrubjay.memory.filters import Filters
from scrubjay.memory.view import View
from scrubjay.models.embedding import Progress

if TYPE_CHECKING:  # modules that most processes never need are imported by the methods that need them
    from scrubjay.types.reports import BackedUp, Exported, Forgotten, Imported

__all__ = ["Moving"]


@with_full_signatures
class Moving:
    """Exports, imports, backups, and forgetting for good."""

    def __init__(self, view: View) -> None:
        self._view = view

    def export(
        self, file: str | Path | BinaryIO, *, vectors: bool = False, all_spaces: bool = False,
        progress: Progress | None = None, **filters: Unpack[Filters],
    ) -> Exported:  # fmt: skip
        """Write this space, or the memories in it that match, to one file that `import_file` reads, without loss."""
        from scrubjay.portable.export import export

        return export(self._view, file, filters, vectors=vectors, all_spaces=all_spaces, progress=progress)

    def export_markdown(self, folder: str | Path, **filters: Unpack[Filters]) -> int:
        """Write memories as pages of Markdown, to read and edit; `import_file` takes edits back. Returns how many."""
        from scrubjay.portable.markdown.export import export_markdown

        return export_markdown(self._view, folder, filters)

    def import_file(
        self, file: str | Path, *, dry_run: bool = False, trust_file: bool = False, all_spaces: bool = False,
        redact: bool = False, prune: bool = False, progress: Progress | None = None,
    ) -> Imported:  # fmt: skip
        """Merge a file into this space: an export, or a file of another program. Again, it changes nothing.

        What is not from this user's own exports becomes `external`, unless the caller vouches for it (`trust_file`).
        Of a folder of Markdown, what was edited comes back; with `prune`, a removed page deletes its memory.
        """
        from scrubjay.portable.import_file import import_file

        return import_file(
            self._view, file, dry_run=dry_run, trust_file=trust_file, all_spaces=all_spaces, redact=redact,
            prune=prune, progress=progress,
        )  # fmt: skip

    def backup(self, file: str | Path) -> BackedUp:
        """Copy the whole memory, every space of it, to a file while others use it; the copy is checked."""
        from scrubjay.portable.backup import backup

        return backup(self._view, file)

    def backup_daily(self, folder: str | Path | None = None, *, keep: int = 7) -> BackedUp:
        """Make one backup a day in a folder (by default `backups` beside the memory), and keep the last ones."""
        from scrubjay.portable.backup import daily_backup

        return daily_backup(self._view, folder, keep)

    def forget(
        self, *ids: int, subject: str | None = None, session: str | None = None, since: Moment | None = None,
        until: Moment | None = None, sources: Sequence[str] = (), query: str | None = None, derived: bool = False,
        dry_run: bool = False,
    ) -> Forgotten:  # fmt: skip
        """Erase memories for good, past the trash: all that match, current, replaced or deleted. It cannot be undone.

        With `derived`, also what replaced them, what they replaced, and what was extracted from them.
        """
        from scrubjay.portable.forget import forget

        criteria = {"subject": subject, "session": session, "since": since, "until": until, "sources": sources}
        return forget(self._view, ids, criteria, query, derived=derived, dry_run=dry_run)

    def export_csv(self, file: str | Path | TextIO, **filters: Unpack[Filters]) -> int:
        """Write memories as a table for spreadsheets, the oldest first; returns how many."""
        from scrubjay.portable.spreadsheet import export_csv

        return export_csv(self._view, file, filters)
