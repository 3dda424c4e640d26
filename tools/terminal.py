"""A terminal that the docs' commands are run in, for real: what they print is what the pages show."""

from __future__ import annotations

import atexit
import os
import re
import shlex
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

from click.testing import CliRunner

import scrubjay
from scrubjay.interfaces.cli.app import cli

__all__ = ["Terminal", "session"]

DAY = datetime(2026, 11, 2, 9, 30, tzinfo=UTC)
SHOWN_HOME = "/home/ann/app"  # for the temporary folder
REFUSED = "# refused"  # ends the line of a command that must fail


@dataclass
class Clock:
    """Time that stands still until it is set."""

    now: datetime = DAY

    def __call__(self) -> datetime:
        return self.now


@dataclass
class Terminal:
    """A home of its own, empty at first. A minute passes with each command, and a line `# 2026-12-01` sets the day."""

    clock: Clock = field(default_factory=Clock)
    home: Path = field(default_factory=lambda: _temporary_folder())

    def session(self, *lines: str) -> str:
        """A block for a page: these lines, each with what it printed."""
        return "```console\n" + "\n\n".join(map(self.show, lines)) + "\n```\n"

    def show(self, line: str) -> str:
        if line.startswith("# "):
            self.clock.now = datetime.combine(date.fromisoformat(line[2:]), self.clock.now.timetz())
            return line
        printed = self.run(line.removesuffix(REFUSED).rstrip(), must_fail=line.endswith(REFUSED))
        return f"$ {line.removesuffix(REFUSED).rstrip()}\n{printed}".rstrip()

    def run(self, line: str, must_fail: bool = False) -> str:
        """What a command prints: `scrubjay …`, or `echo "…" >> FILE`."""
        with self._inside():
            if line.startswith("echo "):
                return _append(line)
            result = CliRunner().invoke(cli, shlex.split(line, comments=True)[1:], prog_name="scrubjay")
        failed = isinstance(result.exception, scrubjay.ScrubjayError)
        if failed != must_fail or (result.exit_code and not failed):
            raise RuntimeError(f"{line}: {result.output} {result.exception}")
        self.clock.now += timedelta(minutes=1)
        printed = f"{result.output}Error: {result.exception}" if failed else result.output.rstrip()
        return printed.replace(str(self.home), SHOWN_HOME)

    @contextmanager
    def _inside(self) -> Iterator[None]:
        before, here = dict(os.environ), Path.cwd()
        for name in [name for name in before if name.startswith("SCRUBJAY_")]:
            del os.environ[name]
        os.environ |= {"HOME": str(self.home), "SCRUBJAY_HOME": f"{self.home}/home", "COLUMNS": "100", "TZ": "UTC"}
        os.chdir(self.home)
        try:
            with _clock_is(self.clock):
                yield
        finally:
            os.chdir(here)
            os.environ.clear()
            os.environ.update(before)


def session(*lines: str) -> str:
    """A block of commands that begin with an empty memory."""
    return Terminal().session(*lines)


def _temporary_folder() -> Path:
    folder = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, folder)
    return Path(folder)


def _append(line: str) -> str:
    found = re.fullmatch(r'echo "(.*)" >> (\S+)', line, re.DOTALL)
    if not found:
        raise RuntimeError(f'{line}: write it as echo "…" >> FILE')
    path = Path(found[2])
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        file.write(f"{found[1]}\n")
    return ""


@contextmanager
def _clock_is(clock: Clock) -> Iterator[None]:
    defaults = scrubjay.open.__kwdefaults__ or {}
    real = defaults["clock"]
    defaults["clock"] = clock
    try:
        yield
    finally:
        defaults["clock"] = real
