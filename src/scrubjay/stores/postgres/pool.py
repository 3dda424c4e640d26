"""Connections to one server, shared by the threads of this process."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import psycopg
from psycopg import sql
from psycopg.adapt import Loader
from psycopg.conninfo import conninfo_to_dict
from psycopg.pq import TransactionStatus

from scrubjay.errors import Invalid, StoreError

__all__ = ["SCHEMA", "Pool", "set_timeouts", "settings_of", "value"]

SCHEMA = "scrubjay"
CONNECTIONS = 16  # at once, of one process
CONNECT_SECONDS, WAIT_SECONDS = 10, 60
# A server that has answered before may be restarted, or replaced by a standby: it is waited for from when it went away.
AWAY_SECONDS, PAUSE_SECONDS = 60, 0.1
# Each attempt to reach a host that drops packets takes until its timeout. After one, calls fail at once for a while.
SLOW_SECONDS, REST_SECONDS = 1.5, 30
SILENT = "it has not answered just now, and is asked again in {:.0f} s"
DEFAULTS = {"connect_timeout": CONNECT_SECONDS, "application_name": "scrubjay", "keepalives_idle": 30}
SEVERAL_HOSTS = {"target_session_attrs": "read-write"}  # the one that is the primary just now
TIMEOUTS = {"statement_timeout": 120, "lock_timeout": 60, "idle_in_transaction_session_timeout": 600}  # seconds
# An index of vectors looks widely, for what few links lead to, and looks on where a filter lets few pass.
SCANS = {"hnsw.iterative_scan": "relaxed_order", "hnsw.ef_search": "400", "hnsw.max_scan_tuples": "40000"}
WHERE_VECTOR_IS = (
    "select n.nspname from pg_extension e join pg_namespace n on n.oid = e.extnamespace where extname = 'vector'"
)
NOT_ENCODED = (
    "The address of the PostgreSQL server cannot be read: in its password, write %20 for a space, %2F for /, %40 for @."
)


_silent_until: dict[str, float] = {}  # by the name of the server, for every pool of this process


class _Number(Loader):
    """Sums are numbers of Python's own, as they are of SQLite."""

    def load(self, data: Any) -> int | float:
        text = bytes(data).decode()
        return int(text) if text.lstrip("-").isdigit() else float(text)


class Pool:
    """Connections that are idle, and room for so many at once."""

    def __init__(self, settings: Mapping[str, Any], name: str, away_seconds: float | None = None) -> None:
        self._settings, self._name, self._away_seconds = dict(settings), name, away_seconds
        self._closed = self._answered = False
        self._away_since = self._failed_at = 0.0  # when the server was first and last found to be away
        self._vector_schema = ""
        self._idle: list[psycopg.Connection[Any]] = []
        self._room = threading.BoundedSemaphore(CONNECTIONS)

    @contextmanager
    def lent(self, begin: str) -> Iterator[psycopg.Connection[Any]]:
        """A connection on which the first statement was run."""
        if not self._room.acquire(timeout=WAIT_SECONDS):
            raise StoreError(f"{self._name} has no free connection for this process; try again.")
        try:
            connection = self._begun(begin)
            try:
                yield connection
            finally:
                self._give_back(connection)
        finally:
            self._room.release()

    def connect(self) -> psycopg.Connection[Any]:
        asked_at = time.monotonic()
        if (rest := _silent_until.get(self._name, 0.0) - asked_at) > 0:
            raise psycopg.OperationalError(SILENT.format(rest))
        try:
            connection: psycopg.Connection[Any] = psycopg.connect(**{**self._settings, "autocommit": True})
        except psycopg.OperationalError:
            if not self._answered:
                self._rest_if_silent(asked_at)
            raise
        try:
            self._configure(connection)
        except BaseException:
            connection.close()
            raise
        self._answered = True
        _silent_until.pop(self._name, None)
        return connection

    def close(self) -> None:
        self._closed = True
        self.forget()

    def forget(self) -> None:
        """Let go of idle connections: their server is not the primary any more."""
        while self._idle:
            self._idle.pop().close()

    def _begun(self, begin: str) -> psycopg.Connection[Any]:
        """One that was lost meanwhile, as by a restart of the server, is noticed here: nothing was done on it yet."""
        while not self._closed:
            asked_at = time.monotonic()
            try:
                begun = _having_run(self._idle.pop() if self._idle else self.connect(), begin)
            except IndexError:  # another thread was quicker
                continue
            except psycopg.OperationalError:
                if not self._idle and self._has_been_away():
                    self._rest_if_silent(asked_at)
                    raise
                time.sleep(0 if self._idle else PAUSE_SECONDS)
            else:
                self._failed_at = 0.0
                return begun
        raise StoreError("This memory is closed; open it again.")

    def _rest_if_silent(self, asked_at: float) -> None:
        now = time.monotonic()
        if now - asked_at >= SLOW_SECONDS:
            _silent_until[self._name] = now + REST_SECONDS

    def _has_been_away(self) -> bool:
        """Whether it was waited for long enough: by all together, so that each call need not wait anew.

        If nobody has asked for long, it may have been back meanwhile.
        """
        patience = AWAY_SECONDS if self._away_seconds is None else self._away_seconds
        now = time.monotonic()
        if not self._failed_at or now - self._failed_at > max(patience, CONNECT_SECONDS):
            self._away_since = now
        self._failed_at = now
        return not self._answered or now - self._away_since >= patience

    def _give_back(self, connection: psycopg.Connection[Any]) -> None:
        if self._closed or connection.closed or connection.info.transaction_status != TransactionStatus.IDLE:
            connection.close()
        else:
            self._idle.append(connection)

    def _configure(self, connection: psycopg.Connection[Any]) -> None:
        connection.adapters.register_loader("numeric", _Number)
        self._vector_schema = self._vector_schema or value(connection, WHERE_VECTOR_IS) or "public"
        path = sql.SQL(", ").join(map(sql.Identifier, (SCHEMA, self._vector_schema)))
        connection.execute(sql.SQL("set search_path = {}").format(path))
        connection.execute("; ".join(f"set {name} = '{setting}'" for name, setting in SCANS.items()))
        set_timeouts(connection)


def _having_run(connection: psycopg.Connection[Any], begin: str) -> psycopg.Connection[Any]:
    try:
        connection.execute(begin)
    except BaseException:
        connection.close()
        raise
    return connection


def settings_of(url: str) -> dict[str, Any]:
    """How to connect to an address."""
    # The server's complaints would quote the part of the password that is taken for a host, or for options.
    user, at, rest = url.partition("://")[2].partition("?")[0].partition("@")
    if at and (" " in url or "/" in user or "@" in rest):
        raise Invalid(NOT_ENCODED)
    given = {name: value for name, value in conninfo_to_dict(url).items() if value is not None}
    return {**DEFAULTS, **(SEVERAL_HOSTS if "," in str(given.get("host", "")) else {}), **given}


def set_timeouts(connection: psycopg.Connection[Any]) -> None:
    connection.execute("; ".join(f"set {name} = '{seconds}s'" for name, seconds in TIMEOUTS.items()))


def value(connection: psycopg.Connection[Any], query: str) -> Any:
    row = connection.execute(query).fetchone()
    return row[0] if row else None
