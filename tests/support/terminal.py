"""Commands as a person runs them, at a terminal, and as a program does, without one."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable

__all__ = ["Answer", "at_a_terminal", "piped"]

PATIENCE_SECONDS = 60
SCRUBJAY = [sys.executable, "-c", "from scrubjay.interfaces.cli import main; main()"]
AT_A_TERMINAL = "import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))"
WORD = re.compile(rb"Type (\w+) to confirm")


class Answer(str):
    code: int


def at_a_terminal(*words: str, typed: Callable[[bytes], bytes] = lambda word: word) -> Answer:
    """Run a command on a terminal of its own, and type an answer to the word it shows, if it shows one."""
    command = [sys.executable, "-c", AT_A_TERMINAL, *SCRUBJAY, *words]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True) as process:
        assert process.stdin and process.stdout
        shown = b""
        while piece := process.stdout.read1(4096):  # type: ignore[attr-defined]
            shown += piece
            if (word := WORD.search(shown)) and not process.stdin.closed:
                process.stdin.write(typed(word[1]) + b"\n")
                process.stdin.close()
        answer = Answer(shown.decode("utf-8", "replace"))
        answer.code = process.wait(PATIENCE_SECONDS)
    return answer


def piped(*words: str, input: str = "", **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a command as an agent does: without a terminal that controls it."""
    return subprocess.run(
        [*SCRUBJAY, *words], input=input, text=True, capture_output=True, timeout=PATIENCE_SECONDS,
        start_new_session=True, env={**os.environ, **environment},
    )  # fmt: skip
