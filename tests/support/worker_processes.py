"""The processes of a server that has several."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable

import httpx

from tests.support.served import Served

__all__ = ["is_up", "until", "workers"]

SECONDS = 30


def until(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + SECONDS
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.05)


def is_up(served: Served) -> bool:
    try:
        return httpx.get(f"http://127.0.0.1:{served.port}/readyz", timeout=SECONDS).status_code == 200
    except httpx.HTTPError:
        return False


def workers(served: Served) -> set[int]:
    """The processes that answer."""
    words = ["ps", "-ww", "-o", "pid=,args=", "--ppid", str(served.process.pid)]
    listed = subprocess.run(words, capture_output=True, text=True)
    lines = [line.split(None, 1) for line in listed.stdout.splitlines() if "spawn_main" in line]
    return {int(pid) for pid, _ in lines}
