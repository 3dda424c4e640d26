"""A PostgreSQL server that is killed under load, alone, with standbys, under Patroni: nothing lost, nothing twice."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest
from tests.support.postgres_server import DatabaseServer, database_server, kill_all, programs, standby_server

from postgres_writers import check_nothing_is_lost_or_doubled, load, wait_until
from scrubjay.stores import open_store

KILLS = 3
SYNCHRONOUS = "select count(*) from pg_stat_replication where sync_state in ('sync', 'quorum')"
RECEIVED = "select pg_last_wal_receive_lsn() - '0/0'::pg_lsn"


def test_a_server_that_is_killed_under_load_loses_nothing_and_stores_nothing_twice(tmp_path: Path) -> None:
    with database_server() as server:
        server.ask("create database jay")
        open_store(server.url("jay")).close()
        with load(tmp_path, server.url("jay")) as writers:
            for _ in range(KILLS):
                writers.wait_for(200)
                server.stop(signal.SIGKILL)
                server.start()
            writers.wait_for(200)
        count = check_nothing_is_lost_or_doubled(server.url("jay"), writers)
        print(f"{count} acknowledged, {KILLS} kills, 0 lost, 0 doubled")


def test_a_standby_takes_over_and_the_writers_go_on_by_themselves(tmp_path: Path) -> None:
    with ExitStack() as stack:
        primary = stack.enter_context(database_server(synchronous_standby_names="ANY 1 (one, two)"))
        standbys = [stack.enter_context(standby_server(primary, name)) for name in ("one", "two")]
        wait_until(lambda: primary.ask(SYNCHRONOUS) == [(2,)])
        primary.ask("create database jay")
        hosts = ",".join(str(server.folder) for server in (primary, *standbys))
        url = f"postgresql://postgres@/jay?host={hosts}"
        open_store(url).close()
        with load(tmp_path, url) as writers:
            writers.wait_for(300)
            primary.stop(signal.SIGKILL)
            killed = time.time()
            newest = max(standbys, key=lambda server: server.ask(RECEIVED))
            newest.ask("select pg_promote()")
            writers.wait_for(300)
        count = check_nothing_is_lost_or_doubled(newest.url("jay"), writers)
        print(f"{count} acknowledged, 0 lost, 0 doubled; {writers.outage(killed):.1f} s without a writer served")


def free_port() -> int:
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _unprivileged(as_user: dict[str, Any]) -> list[str]:
    """As the user of the servers, who may still read a Python that lies in the home of root."""
    if not as_user:
        return []
    read = "+dac_read_search"
    user = [f"--reuid={as_user['user']}", f"--regid={as_user['group']}", "--clear-groups"]
    return ["setpriv", *user, f"--inh-caps={read}", f"--ambient-caps={read}"]


class Node:
    """A server that Patroni starts, watches and promotes."""

    def __init__(self, name: str, folder: Path, etcd: int, as_user: dict[str, Any]) -> None:
        self.name, self.folder, self.port, self.rest = name, folder, free_port(), free_port()
        folder.mkdir()
        (folder / "config.json").write_text(json.dumps(self._config(etcd)))
        if as_user:
            os.chown(folder, as_user["user"], as_user["group"])
        with (folder / "log").open("wb") as log:
            self.process = subprocess.Popen(
                [*_unprivileged(as_user), sys.executable, "-m", "patroni", str(folder / "config.json")],
                stdout=log, stderr=log, cwd=folder,
                env={"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "HOME": str(folder)},
            )  # fmt: skip

    def _config(self, etcd: int) -> dict[str, Any]:
        parameters = {"unix_socket_directories": str(self.folder), "max_connections": 200, "shared_buffers": "64MB"}
        user = {"username": "postgres", "password": "not asked for"}
        dcs = {"ttl": 20, "loop_wait": 2, "retry_timeout": 3, "synchronous_mode": True, "maximum_lag_on_failover": 0}
        return {
            "scope": "jay", "name": self.name,
            "restapi": {"listen": f"127.0.0.1:{self.rest}", "connect_address": f"127.0.0.1:{self.rest}"},
            "etcd3": {"host": f"127.0.0.1:{etcd}"},
            "bootstrap": {"dcs": dcs, "initdb": [{"encoding": "UTF8"}, "no-sync"]},
            "postgresql": {
                "listen": f"127.0.0.1:{self.port}", "connect_address": f"127.0.0.1:{self.port}",
                "data_dir": str(self.folder / "data"), "bin_dir": str(programs()), "parameters": parameters,
                "authentication": {"superuser": user, "replication": user},
                "pg_hba": ["local all all trust", "host all all 127.0.0.1/32 trust",
                           "host replication all 127.0.0.1/32 trust"],
            },
        }  # fmt: skip

    def kill(self) -> None:
        """Patroni first, so that it starts nothing anew; the server is no child of it."""
        kill_all(self.process.pid)
        self.process.wait()
        with suppress(FileNotFoundError):
            kill_all(int((self.folder / "data" / "postmaster.pid").read_text().split()[0]))

    def is_(self, role: str) -> bool:
        """Whether it is the primary, or a standby that the primary waits for."""
        try:
            return bool(urlopen(f"http://127.0.0.1:{self.rest}/{role}", timeout=2).status == 200)
        except OSError:
            return False


@contextmanager
def patroni_cluster() -> Iterator[list[Node]]:
    """Three servers and an etcd, on ports of this machine alone."""
    folder = Path(tempfile.mkdtemp(prefix="jay", dir="/tmp"))
    user = DatabaseServer(folder).as_user
    client, peer = free_port(), free_port()
    etcd = subprocess.Popen(
        ["etcd", "--data-dir", str(folder / "etcd"), "--listen-client-urls", f"http://127.0.0.1:{client}",
         "--advertise-client-urls", f"http://127.0.0.1:{client}", "--listen-peer-urls", f"http://127.0.0.1:{peer}",
         "--initial-advertise-peer-urls", f"http://127.0.0.1:{peer}",
         "--initial-cluster", f"default=http://127.0.0.1:{peer}"],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=folder, **user,
    )  # fmt: skip
    nodes: list[Node] = []
    try:
        nodes += [Node(name, folder / name, client, user) for name in ("a", "b", "c")]
        wait_until(lambda: all(any(node.is_(role) for node in nodes) for role in ("primary", "synchronous")))
        yield nodes
    finally:
        for node in nodes:
            node.kill()
        etcd.kill()
        etcd.wait()
        shutil.rmtree(folder, ignore_errors=True)


@pytest.mark.skipif(shutil.which("etcd") is None, reason="needs etcd: apt-get install etcd-server")
def test_under_patroni_nobody_has_to_do_anything(tmp_path: Path) -> None:
    with patroni_cluster() as nodes:
        hosts = ",".join(f"127.0.0.1:{node.port}" for node in nodes)
        primary = next(node for node in nodes if node.is_("primary"))
        url = f"postgresql://postgres@{hosts}/postgres"
        open_store(url).close()
        with load(tmp_path, url) as writers:
            writers.wait_for(300)
            primary.kill()  # as if its machine had failed
            killed = time.time()
            writers.wait_for(300)
        count = check_nothing_is_lost_or_doubled(url, writers)
        print(f"{count} acknowledged, 0 lost, 0 doubled; {writers.outage(killed):.1f} s without a writer served")
