"""The server under load, for longer than a test should take: neither load nor kill loses anything."""

from __future__ import annotations

import signal
import time
from contextlib import suppress
from pathlib import Path

import anyio
from tests.support.life import said
from tests.support.served import Served, client_of, serving

import scrubjay

CLIENTS = 64
SECONDS = 30
KILLS = 5


async def use(served: Served, secret: str, number: int, until: float, kept: list[str]) -> None:
    """Add and search in turn, with either era of the protocol."""
    async with client_of(served, secret, ("legacy", "auto")[number % 2]) as client:
        turn = 0
        while time.monotonic() < until:
            text = f"Client {number} remembers {turn} at {until}"
            assert "Remembered" in await said(client, "memory_add", text=text, kind="fact")
            kept.append(text)
            assert "[" in await said(client, "memory_search", query=f"client {number} remembers")
            turn += 1


def test_many_clients_for_a_while_lose_nothing(tmp_path: Path) -> None:
    kept: list[str] = []

    async def play(served: Served, secret: str) -> None:
        until = time.monotonic() + SECONDS
        async with anyio.create_task_group() as clients:
            for number in range(CLIENTS):
                clients.start_soon(use, served, secret, number, until, kept)

    with serving(tmp_path) as served:
        anyio.run(play, served, served.token("load"))
        assert "Traceback" not in served.log.read_text()
    with scrubjay.open(tmp_path / "memory.db") as jay:
        assert sorted(memory.text for memory in jay.list()) == sorted(kept)
        assert jay.check(deep=True).problems == []
    print(f"{CLIENTS} clients, {SECONDS} s: {len(kept)} adds and as many searches, no error, nothing lost")


def test_no_kill_under_load_loses_what_was_acknowledged(tmp_path: Path) -> None:
    kept: list[str] = []

    async def client(served: Served, secret: str, number: int) -> None:
        with suppress(Exception):  # the server is killed under its hands
            await use(served, secret, number, time.monotonic() + SECONDS, kept)

    async def play(served: Served, secret: str, enough: int) -> None:
        async with anyio.create_task_group() as clients:
            for number in range(CLIENTS // 4):
                clients.start_soon(client, served, secret, number)
            while len(kept) < enough:
                await anyio.sleep(0.01)
            served.process.send_signal(signal.SIGKILL)
            await anyio.sleep(0.5)
            clients.cancel_scope.cancel()

    for round in range(KILLS):
        with serving(tmp_path) as served:
            anyio.run(play, served, served.token(f"load-{round}"), len(kept) + 100)
        with scrubjay.open(tmp_path / "memory.db") as jay:
            assert set(kept) <= {memory.text for memory in jay.list()}
            assert jay.check(deep=True).problems == []
