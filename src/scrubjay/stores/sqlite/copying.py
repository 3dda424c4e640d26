"""Copies of a SQLite file while others write to it: a backup, and a backup put back."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import apsw

from scrubjay.errors import Damaged, Invalid, NotAStore
from scrubjay.files import drafts, private_files, regular_files
from scrubjay.stores.sqlite.adoption import refuse_strange_schema
from scrubjay.stores.sqlite.caches.word_cache import FIRST_EVENT
from scrubjay.stores.sqlite.connections import Connections, translated
from scrubjay.stores.sqlite.opening.migrations import migrate, version_of
from scrubjay.stores.sqlite.rows import SqliteRows

__all__ = ["copies_noted_in", "copy", "count_memories", "put_back"]

DAMAGED = "{} is damaged, and was not used."
BESIDE = ("-journal", "-wal", "-shm")
LOGGED = b"\2\2"  # in the header of a file whose last changes may stand in a log
TOKEN_COLUMNS = "digest, name, spaces, scopes, created_at, expires_at, last_used_at, revoked_at"
PUT_TOKEN = f"insert into tokens ({TOKEN_COLUMNS}) values (?, ?, ?, ?, ?, ?, ?, ?)"
VALID_TOKENS = "select digest from tokens where revoked_at is null"
NOT_COPIED = "{} is damaged, so no copy of it was made; run `scrubjay check --repair`."


def copy(path: str, target: Path) -> None:
    """Write a copy as of now to a new private file, and check it. It takes the place of any file that is there."""
    _refuse_what_would_change_it(target)
    source = Connections(path)
    try:
        with drafts.replacing(target) as draft:
            private_files.open_new(draft).close()
            with source.reading() as db, translated(str(target)):
                _copy(db, draft)
            _check(draft, NOT_COPIED.format(path))
            with draft.open("rb") as written:
                os.fsync(written.fileno())
    finally:
        source.close()


def put_back(backup: Path, path: str) -> int:
    """Let a file hold what a backup holds, except for who has access: how many tokens of the backup are left out.

    Whoever has the file open goes on with that. All is prepared in a draft: a token that was revoked since the backup
    is valid at no moment, even if this process is killed.
    """
    _refuse_others_pages(backup)
    source = Connections(str(backup))
    try:
        with source.reading() as db:
            refuse_strange_schema(db, str(backup), version_of(source))
            _refuse_damage(db, DAMAGED.format(backup))
            live = Connections(path)
            try:
                _refuse_other_pages(live, db, backup)
                return _overwrite(live, db)
            finally:
                live.close()
    finally:
        source.close()


def _overwrite(live: Connections, backup: apsw.Connection) -> int:
    with drafts.draft_beside(Path(live.path)) as draft:
        private_files.open_new(draft).close()
        prepared = Connections(str(draft))  # from now on: whoever removes the draft makes this fail, and not begin anew
        try:
            with translated(live.path):
                prepared.overwrite(backup)
            migrate(prepared)
            with live.reading() as db:
                own = _tokens(db)
            left_out = _keep_access(prepared, own)
            _have_caches_built_anew(prepared)
            with prepared.reading() as new:
                live.overwrite(new)
        finally:
            prepared.close()
    migrate(live)
    return left_out


def _tokens(db: apsw.Connection) -> list[tuple[Any, ...]]:
    try:
        return db.execute(f"select {TOKEN_COLUMNS} from tokens order by id").fetchall()
    except apsw.SQLError:  # a new file, or one of a version that had none
        return []


def _keep_access(prepared: Connections, own: list[tuple[Any, ...]]) -> int:
    """Who may come in is as before the restore: a backup would bring back what was revoked since, and one of another
    memory would let in whoever has a token for that. Logins to the page end."""
    with prepared.writing() as db:
        before = set(db.execute(VALID_TOKENS).fetchall())
        db.execute("delete from logins")
        db.execute("delete from tokens")
        db.executemany(PUT_TOKEN, own)
        return len(before - set(db.execute(VALID_TOKENS).fetchall()))


def _have_caches_built_anew(prepared: Connections) -> None:
    """In every process: to one that has followed later changes, the backup looks like an older state of its memory."""
    with prepared.writing() as db:
        rows = SqliteRows.without_caches(db)
        rows.vectors.restart_log()
        rows.run(FIRST_EVENT)


def _refuse_other_pages(live: Connections, other: apsw.Connection, backup: Path) -> None:
    """SQLite exchanges no pages for those of another size."""
    with live.reading() as db:
        if db.pragma("page_size") != other.pragma("page_size"):
            raise NotAStore(f"{backup} has pages of another size than a memory, and was not used.")


def count_memories(path: Path) -> int:
    opened = Connections(str(path))
    try:
        with opened.reading() as db:
            return int(db.execute("select count(*) from memories").get)
    finally:
        opened.close()


def copies_noted_in(path: Path) -> list[tuple[str, str, str, str]]:
    """Path, kind, spaces as JSON, and time of each backup and export that a file says were made of it."""
    opened = Connections(str(path))
    try:
        with opened.reading() as db:
            found: list[Any] = db.execute("select path, kind, spaces, at from copies").fetchall()
            return found
    except apsw.SQLError:  # of a version that noted none
        return []
    finally:
        opened.close()


def _refuse_what_would_change_it(copy: Path, suffixes: Sequence[str] = BESIDE) -> None:
    """SQLite would take a journal or log of that name for the copy's own, and put its pages into the copy."""
    if found := next((name for suffix in suffixes if os.path.lexists(name := f"{copy}{suffix}")), None):
        raise Invalid(f"{found} is in the way: it would change the copy when that is read; remove it.")


def _refuse_others_pages(backup: Path) -> None:
    """A backup has no log: one beside it was put there later. A copy of an open memory has one, which belongs to it."""
    with regular_files.open_to_read(backup, follow=True) as file:
        has_log = file.read(20)[18:] == LOGGED
    _refuse_what_would_change_it(backup, ("-journal",) if has_log else BESIDE)


def _copy(source: apsw.Connection, target: Path) -> None:
    """All pages in one step: they are as of one moment, and nobody who writes has to wait."""
    written = apsw.Connection(str(target))
    try:
        with written.backup("main", source, "main") as backup:
            backup.step(-1)
        written.pragma("journal_mode", "delete")  # one file, without a log beside it
    finally:
        written.close()


def _check(path: Path, refusal: str) -> None:
    """Open a copy as any other file, and look for damage."""
    with translated(str(path)):
        db = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
        try:
            _refuse_damage(db, refusal)
        finally:
            db.close()


def _refuse_damage(db: apsw.Connection, refusal: str) -> None:
    try:
        found = db.execute("pragma integrity_check(1)").get
    except apsw.SQLError:
        found = None
    if found != "ok":
        raise Damaged(refusal)
