"""A standby that searches are read from, as long as it has what this process has written itself."""

from __future__ import annotations

import re
import threading
import time
from typing import Any
from urllib.parse import unquote

import psycopg

from scrubjay.errors import Invalid
from scrubjay.stores.postgres.pool import Pool, settings_of, value

__all__ = ["Replica", "without_replica"]

NAMED = re.compile(r"([?&])replica=([^&]*)(&?)")
WRITTEN = "select pg_current_wal_insert_lsn() - '0/0'::pg_lsn"  # as a number of bytes
REPLAYED = "select pg_last_wal_replay_lsn() - '0/0'::pg_lsn"  # null: this is no standby
UNKNOWN = 2**64  # no standby is so far
REST_SECONDS = 10  # after it was away


def without_replica(url: str) -> tuple[str, str | None]:
    """The address of the primary, and the `host` or `host:port` of the standby that it names."""
    found = NAMED.search(url)
    if found is None:
        return url, None
    rest = NAMED.sub(lambda each: each[1] if each[3] else "", url, count=1)
    return rest, unquote(found[2])


class Replica:
    """Connections to a standby. Where it is behind or away, the primary is asked."""

    def __init__(self, primary: str, host: str) -> None:
        name, colon, port = host.rpartition(":")
        if not host or (colon and not port.isdigit()):
            raise Invalid("replica names a standby of the server: replica=host, or replica=host:port.")
        own = {"host": name, "port": port} if colon else {"host": host}
        self.pool = Pool({**settings_of(primary), **own, "target_session_attrs": "any"}, host, away_seconds=0)
        self._written = self._replayed = 0
        self._resting_until = 0.0
        self._lock = threading.Lock()

    def note_written(self, primary: psycopg.Connection[Any]) -> None:
        """Take note of how far a standby must be to have what was just committed."""
        try:
            written = int(value(primary, WRITTEN))
        except psycopg.Error:  # what was committed stays so; the next write tells how far
            written = UNKNOWN
        with self._lock:
            self._written = written if self._written == UNKNOWN else max(self._written, written)

    def is_level(self) -> bool:
        """Whether it has all that this process has written; asked before a snapshot of it is taken."""
        if time.monotonic() < self._resting_until:
            return False
        if self._replayed >= max(self._written, 1):
            return True
        try:
            with self.pool.lent(REPLAYED) as connection:
                self._replayed = int(value(connection, REPLAYED) or 0)
        except psycopg.Error:
            self.rest()
        return self._replayed >= max(self._written, 1)

    def rest(self) -> None:
        """Leave it alone for a while."""
        self._resting_until = time.monotonic() + REST_SECONDS
        self.pool.forget()
