"""Backups: copies of the whole store while others use it, one a day for a scheduler, and one put back."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from scrubjay.errors import Invalid
from scrubjay.memory.view import View
from scrubjay.types.reports import BackedUp, Restored

__all__ = ["backup", "daily_backup", "note_restored", "restore"]

IN_MEMORY = "This memory is in no file; export it instead."
IN_DATABASE = "This memory is in a database: back it up with pg_dump, or as its administrator does; or export it."
DAY = r"\d{4}-\d\d-\d\d"


def backup(view: View, file: str | Path) -> BackedUp:
    """Copy the whole store to a file, as it is now, and check the copy."""
    from scrubjay.stores.sqlite.copying import copy, count_memories

    path, store = Path(file).expanduser().absolute(), view.store.path
    _refuse_database(store)
    if store == ":memory:":
        raise Invalid(IN_MEMORY)
    if path.is_symlink() or path.is_dir() or path in (one.absolute() for one in view.store.files()):
        raise Invalid(f"{file} is a link, a folder or this memory itself; name another file.")
    if path.exists() and not _is_a_backup(view, path):
        raise Invalid(f"{file} exists and is no backup of this memory; name another file.")
    try:
        copy(store, path)
    except OSError as problem:
        raise Invalid(f"{file} cannot be written: {problem.strerror}.") from None
    if not view.store.read_only:
        view.store.transfer.note_copy(view.allowed(str(path), redact=True), "backup", (), view.clock())
    return BackedUp(file=str(file), memories=count_memories(path), bytes=path.stat().st_size)


def daily_backup(view: View, folder: str | Path | None, keep: int) -> BackedUp:
    """One backup a day in a folder, of which the last ones are kept; a second one on the same day changes nothing."""
    from scrubjay.files import private_files
    from scrubjay.stores.sqlite.copying import count_memories

    if isinstance(keep, bool) or not isinstance(keep, int) or keep < 1:
        raise Invalid(f"keep must be a whole number from 1 on, not {keep!r}.")
    _refuse_database(view.store.path)
    store = Path(view.store.path).absolute()
    place = Path(folder).expanduser() if folder is not None else store.parent / "backups"
    path = place / f"{store.stem}-{view.clock().astimezone():%Y-%m-%d}.db"
    try:
        private_files.make_folder(place)
    except OSError as problem:
        raise Invalid(f"{place} cannot be created: {problem.strerror}.") from None
    if path.exists():
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
    backup = Path(file).expanduser()
    if not backup.is_file():
        raise Invalid(f"There is no backup at {file}.")
    if backup.samefile(store) if Path(store).exists() else False:
        raise Invalid(f"{file} is the memory itself; name a backup of it.")
    kept = None
    if Path(store).exists():
        kept = Path(f"{store}.before-restore-{at.astimezone():%Y%m%d-%H%M%S}.db")
        copy(store, kept)
    put_back(backup, store)
    return Restored(
        store=store, file=str(file), memories=count_memories(Path(store)), kept=None if kept is None else str(kept)
    )


def note_restored(view: View, restored: Restored) -> None:
    """Whoever forgets something is told of the backup that was put back, and of what was kept."""
    for path in filter(None, (restored.file, restored.kept)):
        where = view.allowed(str(Path(path).expanduser().absolute()), redact=True)
        view.store.transfer.note_copy(where, "backup", (), view.clock())


def _remove_old(view: View, folder: Path, stem: str, keep: int) -> tuple[str, ...]:
    name = re.compile(rf"{re.escape(stem)}-{DAY}\.db")
    ours = sorted(path for path in folder.iterdir() if name.fullmatch(path.name) and path.is_file())
    for path in ours[:-keep]:
        path.unlink()
        view.store.transfer.forget_copy(str(path.absolute()))
    return tuple(map(str, ours[:-keep]))


def _is_a_backup(view: View, path: Path) -> bool:
    copies: Sequence[tuple[str, str, str, str]] = view.store.transfer.copies()
    return any(kind == "backup" and known == str(path) for known, kind, _, _ in copies)
