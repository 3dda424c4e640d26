"""Hooks under stress: 200 at once, half of them killed; the store locked, the disk full, the file nonsense.

Each ends with 0 and says nothing; what the log calls captured is there, and nothing is there twice.
"""

from __future__ import annotations

import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import apsw
import pytest

import scrubjay
from scrubjay.files import json_log
from scrubjay.files.user_folders import hooks_log
from scrubjay.hooks.listener import Listener

HOOKS, SESSIONS, TURNS = 200, 10, 30
FEW = 24  # that can all be done on a small machine
PROGRAM = [sys.executable, "-m", "scrubjay", "hook", "claude-code"]


@pytest.fixture
def home(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Near the root, because the names of sockets must be short."""
    with tempfile.TemporaryDirectory(prefix="sj") as folder:
        for name in [name for name in os.environ if name.startswith("SCRUBJAY_")]:
            monkeypatch.delenv(name)
        monkeypatch.setenv("SCRUBJAY_HOME", folder)
        monkeypatch.setenv("SCRUBJAY_EMBEDDER", "none")
        with scrubjay.open() as jay:
            jay.add("User prefers tabs", kind="preference")
        yield Path(folder)


def line(session: int, number: int) -> str:
    record = {
        "type": "user", "uuid": f"{session}-{number}", "sessionId": f"session-{session}", "cwd": "/",
        "timestamp": f"2026-05-01T10:{number:02}:00Z",
        "message": {"role": "user", "content": f"Say {session} {number}"},
    }  # fmt: skip
    return json.dumps(record) + "\n"


def transcripts(home: Path) -> list[Path]:
    paths = [home / f"session-{session}.jsonl" for session in range(SESSIONS)]
    for session, path in enumerate(paths):
        path.write_text("".join(line(session, number) for number in range(TURNS // 2)))
    return paths


@dataclass
class Started:
    """A hook that is running, and the file that it writes to."""

    process: subprocess.Popen[bytes]
    printed: Path

    def ended_silently(self) -> str:
        """What it printed, once it has ended with 0."""
        assert self.process.wait(timeout=120) == 0
        return self.printed.read_text()


def started(path: Path, event: str = "Stop", most_bytes: int | None = None, deadline: str = "5") -> Started:
    sent = {"hook_event_name": event, "session_id": path.stem, "transcript_path": str(path), "cwd": "/"}
    place = Path(tempfile.mkdtemp(dir=path.parent))
    (place / "in").write_text(json.dumps(sent))
    limit = None if most_bytes is None else partial(resource.setrlimit, resource.RLIMIT_FSIZE, (most_bytes, most_bytes))
    with (place / "in").open("rb") as given, (place / "out").open("wb") as out:
        process = subprocess.Popen(
            PROGRAM, stdin=given, stdout=out, stderr=out, preexec_fn=limit,
            env=os.environ | {"SCRUBJAY_HOOKS_DEADLINE": deadline},
        )  # fmt: skip
    return Started(process, place / "out")


def acknowledged() -> Counter[str]:
    """How many turns of each session the log calls captured."""
    entries = [entry for entry in json_log.newest_first(hooks_log()) if entry["outcome"] == "captured"]
    return Counter({name: sum(one["turns"] for one in entries if one["session"] == name) for name in names(entries)})


def names(entries: list[dict[str, Any]]) -> set[str]:
    return {entry["session"] for entry in entries}


def stored() -> list[str]:
    with scrubjay.open() as jay:
        return [memory.text for memory in jay.list(kinds=["turn"])]


def nothing_is_lost_or_doubled(paths: list[Path]) -> None:
    before = Counter(text.split()[1] for text in stored())
    for session, turns in acknowledged().items():
        assert before[session.removeprefix("session-")] >= turns
    for path in paths:
        assert started(path).ended_silently() == ""
    assert sorted(stored()) == sorted(
        f"Say {session} {number}" for session in range(SESSIONS) for number in range(TURNS)
    )


def storm(paths: list[Path], hooks: int = HOOKS, deadline: str = "5") -> None:
    """Start all, let the conversations go on meanwhile, and kill every other hook at some moment."""
    chance = random.Random(5)
    running = [started(paths[number % SESSIONS], deadline=deadline) for number in range(hooks)]
    for session, path in enumerate(paths):
        with path.open("a") as file:
            file.writelines(line(session, number) for number in range(TURNS // 2, TURNS))
    for hook in running[::2]:
        time.sleep(chance.random() * 0.05)
        hook.process.kill()
        hook.process.wait(timeout=60)
    for hook in running[1::2]:
        assert hook.ended_silently() == ""


def test_200_hooks_at_once_half_of_them_killed_with_a_server(home: Path) -> None:
    paths = transcripts(home)
    with scrubjay.open(trust="agent") as jay:
        listener = Listener(jay)
        listener.start()
        storm(paths)
        listener.close()
    nothing_is_lost_or_doubled(paths)


def test_200_hooks_at_once_half_of_them_killed_without_a_server(home: Path) -> None:
    paths = transcripts(home)
    storm(paths)
    nothing_is_lost_or_doubled(paths)


def test_what_hooks_without_a_server_store_at_once_is_stored_once(home: Path) -> None:
    paths = transcripts(home)
    storm(paths, FEW, "60")
    assert sum(acknowledged().values()) > 0
    nothing_is_lost_or_doubled(paths)


def test_a_store_that_is_locked_for_seconds_is_silence_and_nothing_is_lost(home: Path) -> None:
    paths = transcripts(home)[:1]
    lock = apsw.Connection(str(home / "memory.db"))
    lock.execute("begin immediate")
    began = time.monotonic()
    assert started(paths[0], deadline="2").ended_silently() == ""
    assert time.monotonic() - began < 30 and stored() == []
    assert "tabs" in started(paths[0], "SessionStart", deadline="60").ended_silently()  # an answer waits for no writer
    lock.execute("rollback")
    lock.close()
    assert started(paths[0]).ended_silently() == ""
    assert len(stored()) == TURNS // 2


def test_a_full_disk_is_silence_and_nothing_is_lost(home: Path) -> None:
    paths = transcripts(home)
    assert started(paths[0], most_bytes=4096).ended_silently() == ""
    assert started(paths[0]).ended_silently() == ""
    assert len(stored()) == TURNS // 2 == len(set(stored()))
    with scrubjay.open() as jay:
        assert jay.check(deep=True).problems == []


@pytest.mark.parametrize("content", [b"", b"nonsense" * 1000, None])
def test_a_file_that_was_replaced_by_nonsense_is_silence(home: Path, content: bytes | None) -> None:
    paths = transcripts(home)
    store = home / "memory.db"
    store.unlink()
    if content is None:
        store.mkdir()
    else:
        store.write_bytes(content)
    for event in ("SessionStart", "Stop", "SessionEnd"):
        assert started(paths[0], event).ended_silently() == ""
    if content:
        assert store.read_bytes() == content
