"""The only place that talks to a server: transactions as one of two roles, locks, and complaints in our words."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import psycopg
from psycopg import errors, sql

from scrubjay.errors import Busy, ConnectionLost, Invalid, ReadOnly, ScrubjayError, StoreError
from scrubjay.stores.postgres.pool import Pool, set_timeouts, settings_of, value
from scrubjay.stores.postgres.replica import Replica, without_replica
from scrubjay.text.safe_text import without_password

__all__ = ["Connections", "role", "translated"]

OF_STORE, OF_SPACE = "scrubjay_store", "scrubjay_space"  # roles: schema/0003_row_security.sql
IS_READ_ONLY = "select pg_is_in_recovery() or current_setting('default_transaction_read_only')::boolean"
READ = "begin isolation level repeatable read, read only"
WRITE = "begin isolation level read committed, read write"
ANNOUNCE = "announce_changes()"  # schema/0004_settled.sql
SERVER_STOPS = (errors.AdminShutdown, errors.CrashShutdown, errors.CannotConnectNow)
logging.getLogger("psycopg").addHandler(logging.NullHandler())  # a lost connection is told in our own words
LOST = "The connection to {url} was lost; nothing was changed. Try again."
LOST_IN_COMMIT = "The connection to {url} was lost at the end: this may be stored, or not. Look before you try again."
NOT_CONFIRMED = "{url} has stored this, but no standby has confirmed it in time; it may not outlive a failover."


class Connections:
    """Transactions on one database. Each use is one transaction."""

    def __init__(self, url: str) -> None:
        self.url = without_password(url)
        with translated(self.url):
            primary, host = without_replica(url)
            settings = settings_of(primary)
            self._several_hosts = "," in str(settings.get("host", ""))
            self._pool = Pool(settings, self.url)
            self._replica = None if host is None else Replica(primary, host)
            with self.alone() as first:
                self.read_only = bool(value(first, IS_READ_ONLY))

    @contextmanager
    def alone(self) -> Iterator[psycopg.Connection[Any]]:
        """A connection of one's own, as the user of the address: the owner of the tables, if it made them."""
        with translated(self.url), self._pool.connect() as connection:
            yield connection

    @contextmanager
    def reading(self, spaces: Collection[str] | None, may_lag: bool = False) -> Iterator[psycopg.Connection[Any]]:
        """One snapshot; of the standby that was named, where it may lag behind what others write."""
        replica = self._replica if may_lag and self._replica and self._replica.is_level() else None
        try:
            with self._transaction(READ, spaces, replica.pool if replica else self._pool) as connection:
                yield connection
                connection.execute("commit")
        except StoreError as problem:
            if replica is None:
                raise
            replica.rest()
            raise ConnectionLost(str(problem)) from None  # so that it is asked again, of the primary

    @contextmanager
    def writing(self, spaces: Collection[str] | None, wait: bool) -> Iterator[psycopg.Connection[Any]]:
        """One transaction. Those of one space follow on one another; it sees all that was committed before it."""
        if self.read_only:
            raise ReadOnly()
        with self._transaction(WRITE, spaces, self._pool) as connection:
            _take_turn(connection, spaces, wait)
            yield connection
            self._commit(connection)
            if self._replica:
                self._replica.note_written(connection)

    @contextmanager
    def lock(self, name: str, wait_seconds: float) -> Iterator[None]:
        """The server releases the lock of a process that was killed, with its connection."""
        milliseconds = 1 if wait_seconds == 0 else int(max(wait_seconds, 0) * 1000)  # 0 would be for ever
        begin = f"set lock_timeout = {milliseconds}; set statement_timeout = 0"
        with translated(self.url), self._pool.lent(begin) as connection:
            try:
                connection.execute("select pg_advisory_lock(%s)", [_key("lock", name)])
            except errors.LockNotAvailable:
                raise TimeoutError(name) from None
            finally:
                set_timeouts(connection)
            try:
                yield
            finally:
                with suppress(psycopg.Error):  # a lost connection has let go of it
                    connection.execute("select pg_advisory_unlock(%s)", [_key("lock", name)])

    def close(self) -> None:
        self._pool.close()
        if self._replica:
            self._replica.pool.close()

    @contextmanager
    def _transaction(self, begin: str, spaces: Collection[str] | None, pool: Pool) -> Iterator[psycopg.Connection[Any]]:
        with translated(self.url), pool.lent(f"{begin}; {role(spaces)}") as connection:
            try:
                yield connection
            except psycopg.Error as problem:
                if self._is_lost(connection, problem):
                    raise ConnectionLost(LOST.format(url=self.url)) from None
                raise
            finally:
                with suppress(psycopg.Error):
                    connection.rollback()

    def _commit(self, connection: psycopg.Connection[Any]) -> None:
        """Nothing is acknowledged of which that is not sure."""
        warnings: list[psycopg.errors.Diagnostic] = []
        connection.add_notice_handler(warnings.append)
        try:
            connection.execute("commit")
        except psycopg.Error as problem:
            if self._is_lost(connection, problem):
                raise ConnectionLost(LOST_IN_COMMIT.format(url=self.url), may_be_done=True) from None
            raise
        finally:
            connection.remove_notice_handler(warnings.append)
        if warnings:
            raise StoreError(NOT_CONFIRMED.format(url=self.url))

    def _is_lost(self, connection: psycopg.Connection[Any], problem: psycopg.Error) -> bool:
        """Whether another connection may do better: this one is closed, or its server is not the primary any more."""
        if self._several_hosts and isinstance(problem, errors.ReadOnlySqlTransaction):
            self._pool.forget()
            connection.close()
        return connection.closed or isinstance(problem, SERVER_STOPS)


@contextmanager
def translated(url: str) -> Iterator[None]:
    """Say the server's complaints in our words; never with a password."""
    try:
        yield
    except (ScrubjayError, TimeoutError):
        raise
    except errors.ReadOnlySqlTransaction:
        raise ReadOnly() from None
    except errors.LockNotAvailable:
        raise Busy() from None
    except (errors.QueryCanceled, errors.IdleInTransactionSessionTimeout):
        raise StoreError(f"{url} took too long to answer; nothing was changed. Try again, or ask for less.") from None
    except (errors.DeadlockDetected, errors.SerializationFailure, errors.UniqueViolation):
        raise Busy() from None
    except errors.InsufficientPrivilege as problem:
        raise StoreError(f"{url} does not let its user do that ({_said(problem)}); see docs/scaling.md.") from None
    except (errors.DiskFull, errors.OutOfMemory, errors.TooManyConnections) as problem:
        raise StoreError(f"{url} cannot take more ({_said(problem)}); nothing was changed.") from None
    except UnicodeEncodeError:
        raise Invalid("That holds half a character (a lone surrogate); decode it first.") from None
    except psycopg.DataError as problem:
        raise Invalid(f"PostgreSQL cannot store that: {_said(problem)}.") from None
    except errors.RaiseException as problem:  # by a function of ours
        raise StoreError(_said(problem) + ".") from None
    except psycopg.OperationalError as problem:
        raise StoreError(
            f"{url} cannot be reached ({_said(problem)}); start the server, or check the address."
        ) from None
    except psycopg.ProgrammingError as problem:
        if problem.sqlstate is None:  # psycopg's own, about the address
            raise Invalid(f"{url} is no address of a PostgreSQL server ({_said(problem)}).") from None
        raise


def _said(problem: BaseException) -> str:
    """The first line of a complaint, without anything that may be a password."""
    lines = without_password(str(problem)).strip().splitlines()
    return (lines[0] if lines else type(problem).__name__).rstrip(".")


def role(spaces: Collection[str] | None) -> str:
    """As whom a transaction runs: one that says which spaces it is about sees no others."""
    if spaces is None:
        return f"set local role {OF_STORE}"
    array = "{" + ",".join('"' + space.replace("\\", "\\\\").replace('"', '\\"') + '"' for space in spaces) + "}"
    return f"set local role {OF_SPACE}; set local scrubjay.spaces = {sql.Literal(array).as_string()}"


def _take_turn(connection: psycopg.Connection[Any], spaces: Collection[str] | None, wait: bool) -> None:
    """Writers of one space wait for each other; who writes to all of them waits for everybody."""
    turns = [("", spaces is None), *((space, True) for space in sorted(set(spaces or ())))]
    locks = [_turn(space, alone, wait) for space, alone in turns]
    if wait:
        connection.execute("; ".join(f"select {step}" for step in (*locks, ANNOUNCE)))
    elif not value(connection, f"select {' and '.join(locks)} and {ANNOUNCE}"):
        raise Busy()


def _turn(space: str, alone: bool, wait: bool) -> str:
    name = f"pg_{'' if wait else 'try_'}advisory_xact_lock{'' if alone else '_shared'}"
    return f"{name}({_key('space', space)})"


def _key(kind: str, name: str) -> int:
    """The number of an advisory lock."""
    digest = hashlib.blake2b(f"scrubjay\0{kind}\0{name}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)
