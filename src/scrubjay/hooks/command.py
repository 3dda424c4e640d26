"""The command `scrubjay hook`: it never fails, never blocks its client, and what it did is in a log.

Kept small, because a client waits for it at every prompt: what the work itself needs is imported only where no running
server can do it.
"""

from __future__ import annotations

import os
import sys
import time
from _thread import allocate_lock, start_new_thread

from scrubjay.files.user_folders import hooks_log
from scrubjay.hooks import local_socket

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["Hook", "note", "run"]

SECONDS = 5.0  # as the setting hooks.deadline, until that is known
POLL_SECONDS = 0.05  # how often the deadline is looked at; it may change while we wait
MOST_BYTES = 10_000_000  # of what a client sends
NAME_CHARACTERS = 40
GUARDED = ("reason", "session", "project")  # fields of the log that others have written
USAGE = "Say which client runs this: `scrubjay hook CLIENT [EVENT]`."
TOO_LONG = f"The client sent more than {MOST_BYTES // 1_000_000} MB."
LATE = "It was not done before the deadline (hooks.deadline)."
NOT_TAKEN = "The client did not take the answer."
AGENT_RUNS = {"CLAUDE_CODE_ENTRYPOINT": "sdk"}  # a variable, and how it begins when no person is there


def run(words: list[str]) -> int:
    """Answer one event of a client; always 0."""
    hook = Hook(words)
    start_new_thread(hook.work, ())
    hook.wait_until("is_answered")
    if not hook.is_answered:
        note({**hook.entry, "outcome": "late", "reason": LATE}, hook.started)
        return 0
    is_taken = _printed(hook.output)
    hook.wait_until("is_done")  # what comes after the answer
    if not is_taken:
        note({**hook.entry, "outcome": "failed", "reason": NOT_TAKEN}, hook.started)
    elif not hook.is_noted:
        note(hook.entry, hook.started)
    return 0


class Hook:
    """One run of the command: its answer, and what the log will say about it."""

    def __init__(self, words: list[str]) -> None:
        self.started = time.monotonic()
        self.seconds = SECONDS
        self.output = ""
        self.is_answered = False
        self.is_done = False
        self.is_noted = False  # a server has written the line in the log
        self.entry: dict[str, Any] = {"client": "".join(words[:1]), "event": "".join(words[1:2])}
        self._words = words
        self._changed = allocate_lock()  # free when there is something new; threading would have to be imported

    def work(self) -> None:
        try:
            self._work()
        except BaseException as problem:  # whatever it is, the client must not notice
            self.entry |= {"outcome": "failed", "reason": str(problem) or type(problem).__name__}
        self.is_answered = self.is_done = True
        self._wake()

    def wait_until(self, state: str) -> None:
        """Wait for `is_answered` or `is_done`, at most until the deadline."""
        while not getattr(self, state) and time.monotonic() < self.started + self.seconds:
            self._changed.acquire(timeout=POLL_SECONDS)

    def take(self, answer: dict[str, Any]) -> None:
        """Keep an answer: what comes after it is done only as far as the deadline allows."""
        self.output = answer.pop("output", "")
        self.entry |= answer
        self.is_answered = True
        self._wake()

    def _wake(self) -> None:
        if self._changed.locked():
            self._changed.release()

    def _work(self) -> None:
        if not self._words:
            raise ValueError(USAGE)
        data = sys.stdin.buffer.read(MOST_BYTES + 1) if sys.stdin else b""
        if len(data) > MOST_BYTES:
            raise ValueError(TOO_LONG)
        headless = any(os.environ.get(name, "").startswith(value) for name, value in AGENT_RUNS.items())
        fields = {**self.entry, "folder": os.getcwd(), "headless": "yes" if headless else ""}
        answer = local_socket.ask(fields, data)
        if answer is not None:
            self.is_noted = True
            self.take({"output": answer})
            return
        from scrubjay import config

        self.seconds = config.load().get("hooks.deadline")  # before the longer imports
        from scrubjay.hooks.alone import work_alone

        work_alone(fields, data, self)


def note(entry: dict[str, Any], started: float) -> None:
    """Write one line to the log; where even that is not possible, there is nobody to be told."""
    from scrubjay.files import json_log

    seconds = time.time()
    at = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds)) + f".{int(seconds % 1 * 1000):03d}Z"
    guarded = {name: _loggable(str(entry[name])) for name in GUARDED if entry.get(name)}
    names = {name: _name(entry.get(name, "")) for name in ("client", "event")}
    ms = round((time.monotonic() - started) * 1000)
    try:
        json_log.append(hooks_log(), {"at": at, "reason": "", **entry, **names, **guarded, "ms": ms})
    except Exception:
        return


def _name(word: Any) -> str:
    """The name of a client or an event; anything else that was given is not written down."""
    is_name = len(word) <= NAME_CHARACTERS and word.replace("-", "").replace(".", "").replace("_", "").isalpha()
    return word if is_name or not word else "unknown"


def _loggable(text: str) -> str:
    """What others have written, without secrets and private parts, and of limited length."""
    if not text:
        return ""
    from scrubjay.memory.guard import loggable

    return loggable(text)


def _printed(output: str) -> bool:
    try:
        if output:
            sys.stdout.write(output + "\n")
        sys.stdout.flush()
    except (OSError, ValueError):
        return False
    return True
