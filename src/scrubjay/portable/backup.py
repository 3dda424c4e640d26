"""Backups: copies of the whole store while others use it, one a day for a scheduler, and one put back."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from scrubjay.dates.timestamps import in_local_time
from scrubjay.errors import Invalid
from scrubjay.memory.arguments import file_path
from scrubjay.memory.view import View
from scrubjay.portable.export import draft_noted
from scrubjay.stores.columns import moment, strings_from
from scrubjay.text.plural import counted
from scrubjay.text.secret_scan.quoting import quoted
from scrubjay.types.reports import BackedUp, Restored

__all__ = ["backup", "backup_file", "daily_backup", "note_restored", "restore"]

IN_MEMORY = "This memory is in no file; export it instead."
IN_DATABASE = "This memory is in a database: back it up with pg_dump, or as its administrator does; or export it."
TOKENS_LEFT_OUT = "{} of the backup cannot be used here; `scrubjay token create NAME` makes new ones."
DAY = r"\d{4}-\d\d-\d\d"
NOT_OURS = "{} exists and is no backup of this memory; name another {}."


def backup(view: View, file: str | Path) -> BackedUp:
    """Copy the whole store to a file, as it is now, and check the copy."""
    from scrubjay.stores.sqlite.copying import copy, count_memories

    path, store = file_path("file", file).absolute(), view.store.path
    _refuse_database(store)
    if store == ":memory:":
        raise Invalid(IN_MEMORY)
    if path.is_symlink() or path.is_dir() or path in (one.absolute() for one in view.store.files()):
        raise Invalid(f"{file} is a link, a folder or this memory itself; name another file.")
    if path.exists() and not _is_a_backup(view, path):
        raise Invalid(NOT_OURS.format(file, "file"))
    try:
        with draft_noted(view, path, "backup", ()):
            copy(store, path)
    except OSError as problem:
        raise Invalid(f"{file} cannot be written: {problem.strerror}.") from None
    if not view.store.read_only:
        view.store.transfer.note_copy(_noted(view, path), "backup", (), view.clock())
    return BackedUp(file=str(file), memories=count_memories(path), bytes=path.stat().st_size)


def daily_backup(view: View, folder: str | Path | None, keep: int) -> BackedUp:
    """One backup a day in a folder, of which the last ones are kept; a second one on the same day changes nothing."""
    from scrubjay.files import private_files
    from scrubjay.stores.sqlite.copying import count_memories

    if isinstance(keep, bool) or not isinstance(keep, int) or keep < 1:
        raise Invalid(f"keep must be a whole number from 1 on, not {quoted(keep)}.")
    _refuse_database(view.store.path)
    store = Path(view.store.path).absolute()
    place = file_path("folder", folder) if folder is not None else store.parent / "backups"
    path = place / f"{store.stem}-{in_local_time(view.clock()):%Y-%m-%d}.db"
    try:
        private_files.make_folder(place)
    except OSError as problem:
        raise Invalid(f"{place} cannot be created: {problem.strerror}.") from None
    if os.path.lexists(path):
        if not _is_a_backup(view, path):  # it may have come with a project
            raise Invalid(NOT_OURS.format(path, "folder"))
        return BackedUp(file=str(path), memories=count_memories(path), bytes=path.stat().st_size, made=False)
    made = backup(view, path)
    removed = _remove_old(view, place, store.stem, keep)
    return BackedUp(file=made.file, memories=made.memories, bytes=made.bytes, removed=removed)


def _refuse_database(store: str) -> None:
    if "://" in store:
        raise Invalid(IN_DATABASE)


def restore(file: str | Path, store: str, at: datetime) -> Restored:
    """Put a backup in the place of a store, and keep what the store holds now beside it."""
    from scrubjay.stores.sqlite.copying import copy, count_memories, put_back

    _refuse_database(store)
    backup = backup_file(file)
    if backup.samefile(store) if Path(store).exists() else False:
        raise Invalid(f"{file} is the memory itself; name a backup of it.")
    kept = None
    if Path(store).exists():
        kept = Path(f"{store}.before-restore-{in_local_time(at):%Y%m%d-%H%M%S}.db")
        copy(store, kept)
    try:
        left_out = put_back(backup, store)
    except OSError as problem:
        raise Invalid(f"{file} cannot be read: {problem.strerror}.") from None
    return Restored(
        store=store,
        file=str(file),
        memories=count_memories(Path(store)),
        kept=None if kept is None else str(kept),
        notes=(TOKENS_LEFT_OUT.format(counted(left_out, "token")),) if left_out else (),
    )


def backup_file(file: str | Path) -> Path:
    """Where a backup is; raises if there is none."""
    path = file_path("file", file)
    if not path.is_file():
        raise Invalid(f"There is no backup at {file}.")
    return path


def note_restored(view: View, restored: Restored) -> None:
    """Whoever forgets something is told of the backup that was put back, of what was kept, and of all that was noted
    since that backup was made."""
    from scrubjay.stores.sqlite.copying import copies_noted_in

    for known, kind, spaces, at in copies_noted_in(Path(restored.kept)) if restored.kept else ():
        view.store.transfer.note_copy(known, kind, strings_from(spaces), moment(at))
    for path in filter(None, (restored.file, restored.kept)):
        view.store.transfer.note_copy(_noted(view, Path(path).expanduser()), "backup", (), view.clock())


def _remove_old(view: View, folder: Path, stem: str, keep: int) -> tuple[str, ...]:
    """Of this memory's own backups only: others may lie there, such as some that came with a project."""
    name = re.compile(rf"{re.escape(stem)}-{DAY}\.db")
    ours = sorted(path for path in folder.iterdir() if name.fullmatch(path.name) and _is_a_backup(view, path))
    for path in ours[:-keep]:
        path.unlink()
        view.store.transfer.forget_copy(_noted(view, path))
    return tuple(map(str, ours[:-keep]))


def _is_a_backup(view: View, path: Path) -> bool:
    """Whether this memory has made it: the name alone says nothing."""
    copies: Sequence[tuple[str, str, str, str]] = view.store.transfer.copies()
    noted = _noted(view, path)
    return not path.is_symlink() and any(kind == "backup" and known == noted for known, kind, _, _ in copies)


def _noted(view: View, path: Path) -> str:
    """How the memory remembers where a copy is."""
    return str(view.allowed(str(path.absolute()), redact=True))
