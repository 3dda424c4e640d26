"""Running git in a repository: only git itself, for a limited time, and without what the repository's settings name."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryFile
from threading import Timer
from typing import NamedTuple

from scrubjay.errors import ScrubjayError
from scrubjay.text.plural import counted

__all__ = ["GitResult", "run_git"]

MAX_BYTES = 64_000_000  # of git's output
ERROR_BYTES = 1_000
PROGRAMS = ("git.exe", "git.cmd") if os.name == "nt" else ("git",)
# Set in a git hook: they name the hook's repository, not this one.
REPOSITORY_VARIABLES = {"GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY", "GIT_NAMESPACE"}
# Do not fetch missing objects: a repository's own settings may name any command for that.
NO_FETCHING = {"GIT_ALLOW_PROTOCOL": "", "GIT_NO_LAZY_FETCH": "1"}


def run_git(root: Path, words: Sequence[str], seconds: int) -> GitResult:
    """What git says in a repository; raises where there is no git, or no answer in time."""
    # A folder that only looks like a repository may have settings that run commands.
    settings = ("-c", "core.quotepath=off", "-c", "safe.bareRepository=explicit")
    command = [_program(), "-C", str(root), *settings, *words]
    inherited = {name: value for name, value in os.environ.items() if name not in REPOSITORY_VARIABLES}
    # Without this, git would use a repository in a folder above if this folder's .git is not one.
    only_here = {"GIT_CEILING_DIRECTORIES": str(Path(os.path.realpath(root)).parent)}
    return _run(command, inherited | NO_FETCHING | only_here, seconds)


def _program() -> str:
    """Where git is installed; never in the folder that a command runs in, which may hold a program of that name."""
    folders = filter(os.path.isabs, os.get_exec_path())
    paths = (os.path.join(folder, name) for folder in folders for name in PROGRAMS)
    found = next((path for path in paths if os.path.isfile(path) and os.access(path, os.X_OK)), None)
    if found is None:
        raise ScrubjayError("git is not installed, so no history can be read.")
    return found


class GitResult(NamedTuple):
    returncode: int
    output: bytes
    error: bytes


def _run(command: Sequence[str], environment: Mapping[str, str], seconds: int) -> GitResult:
    """Run git for a limited time, and read a limited amount of its output."""
    with (
        TemporaryFile() as errors,
        subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=errors, stdin=subprocess.DEVNULL, env=dict(environment)
        ) as process,
    ):
        timer = Timer(seconds, process.kill)
        timer.start()
        try:
            output = process.stdout.read(MAX_BYTES + 1) if process.stdout else b""
            if len(output) <= MAX_BYTES:
                process.wait()
            too_late = not timer.is_alive()
        finally:
            timer.cancel()
            process.kill()  # does nothing if it has ended
        if too_late:
            raise ScrubjayError(f"git did not answer within {seconds} seconds.")
        if len(output) > MAX_BYTES:
            raise ScrubjayError(f"git's output is larger than {counted(MAX_BYTES, 'byte')}.")
        errors.seek(0)
        return GitResult(process.wait(), output, errors.read(ERROR_BYTES))
