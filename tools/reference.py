"""Writes the parts of the docs that must not drift: run by cog from inside them (`make docs`)."""

from __future__ import annotations

import inspect
import os
import re
import shlex
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click
from click.testing import CliRunner

import scrubjay
from scrubjay import config, errors
from scrubjay.doors.cli.app import cli

__all__ = ["commands", "error_tree", "names", "schema", "session", "settings", "surface"]

DAY = datetime(2026, 11, 2, 9, 30, tzinfo=UTC)


def session(*lines: str) -> str:
    """What a terminal shows for these commands, run for real on a fresh memory on one fixed day."""
    runner = CliRunner()
    shown = []
    with _fresh_home(), _fixed_clock():
        for line in lines:
            result = runner.invoke(cli, shlex.split(line, comments=True)[1:], prog_name="scrubjay")
            if result.exit_code:
                raise RuntimeError(f"{line}: {result.output} {result.exception}")
            shown.append(f"$ {line}\n{result.output.rstrip()}")
    return "```console\n" + "\n\n".join(shown) + "\n```\n"


def commands() -> str:
    """A section per command, from its own help."""
    context = click.Context(cli, info_name="scrubjay", max_content_width=100)
    parts = []
    for name in cli.list_commands(context):
        command = cli.get_command(context, name)
        assert command is not None
        own = click.Context(command, info_name=name, parent=context, max_content_width=100)
        parts.append(f"## {name}\n\n```text\n{command.get_help(own)}\n```\n")
    return "\n".join(parts)


def settings() -> str:
    rows = [
        f"| `{name}` | {'' if key.default is None else key.default} | `SCRUBJAY_{name.replace('.', '_').upper()}` |"
        f" {key.what} |"
        for name, key in config.KEYS.items()
    ]
    return "| setting | default | environment | what it is |\n|---|---|---|---|\n" + "\n".join(rows) + "\n"


def error_tree() -> str:
    lines = (errors.__doc__ or "").splitlines()[2:]
    return "```text\n" + "\n".join(lines).strip() + "\n```\n"


def schema() -> str:
    folder = Path(scrubjay.__file__).parent / "stores/sql/sqlite"
    return "\n".join(f"```sql\n{path.read_text(encoding='utf-8')}```\n" for path in sorted(folder.glob("*.sql")))


def surface() -> str:
    """Every public method of the object that callers hold, with what it says of itself."""
    parts = [_entry("scrubjay.open", scrubjay.open)]
    for name, member in vars(scrubjay.Scrubjay).items():
        if inspect.isfunction(member) and not name.startswith("_"):
            parts.append(_entry(f"jay.{name}", member))
    return "\n".join(parts)


def names(words: type) -> str:
    """The keywords a method takes beyond those in its signature."""
    return "\n".join(f"- `{name}: {kind}`" for name, kind in inspect.get_annotations(words).items()) + "\n"


def _entry(name: str, function: Callable[..., Any]) -> str:
    signature = str(inspect.signature(function)).replace("(self, ", "(").replace("(self)", "()")
    plain = re.sub(r"<function (\w+) at \w+>", r"\1", signature.replace("builtins.", ""))
    return f"### {name}\n\n```python\n{name}{plain}\n```\n\n{inspect.getdoc(function) or ''}\n"


@contextmanager
def _fresh_home() -> Iterator[None]:
    before, here = dict(os.environ), Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {"SCRUBJAY_HOME": f"{folder}/home", "COLUMNS": "100", "TZ": "UTC"}
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(here)
            os.environ.clear()
            os.environ.update(before)


@contextmanager
def _fixed_clock() -> Iterator[None]:
    defaults = scrubjay.open.__kwdefaults__ or {}
    real = defaults["clock"]
    defaults["clock"] = lambda: DAY
    try:
        yield
    finally:
        defaults["clock"] = real
