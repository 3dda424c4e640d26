"""The command group, what every command shares, and how errors reach a person."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

import scrubjay
from scrubjay.doors import render
from scrubjay.embedding import Progress
from scrubjay.errors import Invalid, ScrubjayError
from scrubjay.project import identify

__all__ = ["Screen", "cli", "command", "main", "memory_command", "progress_bar", "read_text"]

SECTIONS = {
    "Remember": ("add", "update", "supersede", "confirm", "delete"),
    "Recall": ("search", "get", "list", "history", "timeline"),
    "Look after": ("stats", "check", "backfill", "reindex"),
    "Set up": ("init", "config", "completion", "demo"),
}


class Sections(click.Group):
    """Commands under headings, in the order people need them."""

    def list_commands(self, context: click.Context) -> list[str]:
        return [name for names in SECTIONS.values() for name in names]

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        for heading, names in SECTIONS.items():
            with formatter.section(heading):
                formatter.write_dl([(name, self.commands[name].get_short_help_str(90)) for name in names])


@click.group(cls=Sections, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(scrubjay.__version__, prog_name="scrubjay")
def cli() -> None:
    """Persistent memory for AI agents: one file, offline, found by word and by meaning.

    \b
    scrubjay add "Deploys run from the main branch, after 4 pm"
    scrubjay search "when do we ship?"
    """


def main() -> None:
    """Run the command line; an error is one sentence and an exit code."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="replace")
    try:
        cli(prog_name="scrubjay")
    except ScrubjayError as problem:
        click.echo(f"Error: {problem}", err=True)
        sys.exit(problem.exit_code)


@dataclass(frozen=True, slots=True)
class Screen:
    """Where a command's answer goes: lines for a person, JSON for a program."""

    json: bool

    def show(self, data: Any, text: str) -> None:
        click.echo(render.as_json(data) if self.json else text)

    def notes(self, notes: tuple[str, ...]) -> None:
        for note in notes:
            click.echo(f"Note: {note}", err=True)


def command(name: str) -> Callable[[Callable[..., None]], click.Command]:
    """A command that works without opening a memory."""

    def register(function: Callable[..., None]) -> click.Command:
        @functools.wraps(function)
        def run(as_json: bool, **given: Any) -> None:
            function(Screen(as_json), **given)

        return cli.command(name)(_json(run))

    return register


def memory_command(name: str) -> Callable[[Callable[..., None]], click.Command]:
    """A command on an open memory."""

    def register(function: Callable[..., None]) -> click.Command:
        @functools.wraps(function)
        def run(store: str | None, space: str | None, as_json: bool, **given: Any) -> None:
            with _opened(store, space) as jay:
                function(jay, Screen(as_json), **given)

        return cli.command(name)(_store(_space(_json(run))))

    return register


def read_text(words: tuple[str, ...], file: Path | None) -> str:
    """The text of a command: its words, a file, or standard input for `-`."""
    if file is not None and not words:
        return _decoded(file.read_bytes(), str(file))
    if words == ("-",):
        return _decoded(sys.stdin.buffer.read(), "standard input")
    if words and file is None:
        return " ".join(words)
    raise Invalid("Give the text as words, with --file, or as - for standard input; one of them.")


@contextmanager
def progress_bar(label: str) -> Iterator[Progress]:
    """A bar on a terminal's error stream; nothing elsewhere."""
    with click.progressbar(length=0, label=label, file=sys.stderr, hidden=not sys.stderr.isatty()) as bar:

        def move(done: int, total: int) -> None:
            bar.length = total
            bar.update(done - bar.pos)

        yield move


@contextmanager
def _opened(store: str | None, space: str | None) -> Iterator[scrubjay.Scrubjay]:
    here = Path.cwd()
    with scrubjay.open(store, space=space, project=identify(here), folder=here) as jay:
        yield jay


def _decoded(data: bytes, name: str) -> str:
    try:
        return data.decode("utf-8").removesuffix("\n")
    except UnicodeDecodeError:
        raise Invalid(f"{name} is not UTF-8 text; convert it first, e.g. with iconv.") from None


Decorator = Callable[[Callable[..., None]], Callable[..., None]]

_json: Decorator = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
_space: Decorator = click.option("--space", metavar="NAME", help="Whose memory: the space to read and write.")
_store: Decorator = click.option("--store", metavar="PATH", help="The memory's file, instead of the usual one.")
