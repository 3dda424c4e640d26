"""Workers of a server that are started anew, and that end with their parent: each takes as long as several starts."""

from __future__ import annotations

import os
import signal
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
from tests.support.served import serving
from tests.support.worker_processes import is_up, until, workers

import scrubjay

SECONDS = 30


def test_a_restart_replaces_every_worker_and_refuses_nobody(tmp_path: Path) -> None:
    with serving(tmp_path, "--workers", "2") as served:
        until(lambda: len(workers(served)) == 2 and is_up(served))
        before = workers(served)
        me = {"Authorization": f"Bearer {served.token('restart')}"}
        served.process.send_signal(signal.SIGHUP)
        statuses = []
        while workers(served) & before:
            answer = httpx.get(f"http://127.0.0.1:{served.port}/api/v1/kinds", headers=me, timeout=SECONDS)
            statuses.append(answer.status_code)
        assert set(statuses) == {200}
        until(lambda: len(workers(served)) == 2)
        served.process.terminate()
        assert served.process.wait(SECONDS) == 0


def test_workers_end_when_their_parent_is_killed(tmp_path: Path) -> None:
    with serving(tmp_path, "--workers", "2") as served:
        until(lambda: len(workers(served)) == 2 and is_up(served))
        own = workers(served)
        served.process.kill()
        until(lambda: not any(_lives(pid) for pid in own))


def test_a_killed_worker_loses_nothing_acknowledged_and_another_takes_its_place(tmp_path: Path) -> None:
    kept: list[tuple[int, str]] = []

    def use(url: str, headers: dict[str, str], number: int) -> None:
        for turn in range(60):
            text = f"Client {number} remembers {turn}"
            try:
                answer = httpx.post(f"{url}/memories", json={"text": text}, headers=headers, timeout=SECONDS)
            except httpx.HTTPError:
                continue  # its worker was killed: nothing was acknowledged
            assert answer.status_code == 200
            kept.append((answer.json()["id"], text))

    with serving(tmp_path, "--workers", "2") as served:
        until(lambda: len(workers(served)) == 2 and is_up(served))
        me = {"Authorization": f"Bearer {served.token('load')}"}
        with ThreadPoolExecutor(8) as clients:
            asked = [clients.submit(use, f"http://127.0.0.1:{served.port}/api/v1", me, number) for number in range(8)]
            until(lambda: len(kept) > 50)
            killed = min(workers(served))
            os.kill(killed, signal.SIGKILL)
            for one in asked:
                one.result()
        until(lambda: len(workers(served) - {killed}) == 2)
    with scrubjay.open(tmp_path / "memory.db") as jay:
        assert {memory.id: memory.text for memory in jay.get_many([id for id, _ in kept]) if memory} == dict(kept)
        assert jay.check(deep=True).problems == []


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except OSError:
        return False
    status = Path(f"/proc/{pid}/stat")
    return not (sys.platform == "linux" and status.exists() and status.read_text().rsplit(")", 1)[1].split()[0] == "Z")
