"""The command `scrubjay hook`: it never fails, never blocks its client, and notes in a log what it did and why.

Kept small, because a client waits for it at every prompt: what the work itself needs is imported only where no running
server can do it.
"""

from __future__ import annotations

import os
import sys
import time
from threading import Thread

from scrubjay.files import json_log
from scrubjay.files.user_folders import data_folder, hooks_log
from scrubjay.hooks import local_socket

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["run"]

SECONDS = 5.0  # as the setting hooks.deadline, until that is known
POLL_SECONDS = 0.05
MOST_BYTES = 10_000_000  # of what a client sends
REASON_CHARACTERS = 300
USAGE = "Say which client runs this: `scrubjay hook CLIENT [EVENT]`."
TOO_LONG = f"The client sent more than {MOST_BYTES:,} bytes."
LATE = "It was not done before the deadline (hooks.deadline)."
AGENT_RUNS = {"CLAUDE_CODE_ENTRYPOINT": "sdk"}  # a variable, and how it begins when no person is there


def run(words: list[str]) -> int:
    """Answer one event of a client; always 0."""
    hook = Hook(words)
    worker = Thread(target=hook.work, daemon=True)
    worker.start()
    while worker.is_alive() and (left := hook.started + hook.seconds - time.monotonic()) > 0:
        worker.join(min(left, POLL_SECONDS))
    entry = dict(hook.entry)
    if worker.is_alive() and not hook.is_answered:
        entry |= {"outcome": "late", "reason": LATE}
    elif not _printed(hook.output):
        entry |= {"outcome": "failed", "reason": "The client did not take the answer."}
    _note(entry, hook.started)
    return 0


class Hook:
    """One run of the command: its answer, and what the log will say about it."""

    def __init__(self, words: list[str]) -> None:
        self.started = time.monotonic()
        self.seconds = SECONDS
        self.output = ""
        self.is_answered = False
        self.entry: dict[str, Any] = {"client": words[0] if words else "", "event": "".join(words[1:2])}
        self._words = words

    def work(self) -> None:
        try:
            self._work()
        except BaseException as problem:  # whatever it is, the client must not notice
            self.entry |= {"outcome": "failed", "reason": str(problem) or type(problem).__name__}
            self.is_answered = True

    def take(self, answer: dict[str, Any]) -> None:
        """Keep an answer: what comes after it is done only as far as the deadline allows."""
        self.output = answer.pop("output", "")
        self.entry |= answer
        self.is_answered = True

    def _work(self) -> None:
        if not self._words:
            raise ValueError(USAGE)
        request = self._request()
        answer = local_socket.ask(request)
        if answer is not None:
            self.take(answer)
            return
        from scrubjay.hooks.alone import work_alone

        work_alone(request, self)

    def _request(self) -> dict[str, Any]:
        data = sys.stdin.buffer.read(MOST_BYTES + 1) if sys.stdin else b""
        if len(data) > MOST_BYTES:
            raise ValueError(TOO_LONG)
        return {
            "client": self._words[0],
            "event": "".join(self._words[1:2]),
            "input": data.decode("utf-8", "replace"),
            "folder": os.getcwd(),
            "is_headless": any(os.environ.get(name, "").startswith(value) for name, value in AGENT_RUNS.items()),
        }


def _printed(output: str) -> bool:
    try:
        if output:
            sys.stdout.write(output + "\n")
        sys.stdout.flush()
    except (OSError, ValueError):
        return False
    return True


def _note(entry: dict[str, Any], started: float) -> None:
    """Write one line to the log; where even that is not possible, there is nobody to be told."""
    seconds = time.time()
    at = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds)) + f".{int(seconds % 1 * 1000):03d}Z"
    reason = str(entry.get("reason", ""))[:REASON_CHARACTERS]
    ms = round((time.monotonic() - started) * 1000)
    try:
        os.makedirs(data_folder(), 0o700, exist_ok=True)
        json_log.append(hooks_log(), {"at": at, **entry, "reason": reason, "ms": ms})
    except Exception:
        return
