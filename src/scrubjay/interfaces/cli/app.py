"""The command group, what all commands share, and how errors are shown."""

from __future__ import annotations

import functools
import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO, Literal, NamedTuple

import click

import scrubjay
from scrubjay.errors import Invalid, ScrubjayError
from scrubjay.interfaces import formatting
from scrubjay.interfaces.cli.shared.completion import completing
from scrubjay.project import trust as project_trust
from scrubjay.project.identity import identify
from scrubjay.text.nearest import nearest
from scrubjay.text.plural import counted
from scrubjay.text.safe_text import escaped, one_line, visible

__all__ = [
    "Interrupted",
    "Screen",
    "cli",
    "command",
    "is_interactive",
    "matching_options",
    "may_go_on",
    "memory_command",
    "opened",
    "read_text",
    "refuse_missing",
    "run",
    "show_notes_once",
    "space_option",
    "store_option",
    "sync_on",
]

INTERRUPTED = 130
UNEXPECTED = "Unexpected error ({}: {}); please report it, with what you did."
MAX_BYTES = 4_000_000  # of a text from a file: enough for a million characters

# Each heading of the help, with the module and the names of its commands.
SECTIONS = {
    "Remember": ("writing", ("add", "update", "supersede", "revert", "confirm", "delete", "undelete")),
    "Recall": ("reading", ("search", "turns", "get", "list", "history", "timeline", "context")),
    "Look around": ("browsing", ("spaces", "subjects", "kinds", "tags")),
    "Sync": ("sources", ("sync", "watch", "status", "sources", "capture")),
    "Connect": ("connecting", ("link", "unlink", "links", "citations", "rate")),
    "Knowledge": ("knowledge", ("conflicts", "tasks", "sessions")),
    "Records": ("records", ("profile", "contacts", "projects", "skills")),
    "Extract": ("extract", ("extract", "synthesise")),
    "Maintain": ("maintain", ("stats", "accesses", "check", "cleanup", "trash", "backfill", "reindex")),
    "Move": ("moving", ("export", "import", "backup", "restore", "move")),
    "Forget": ("forgetting", ("forget",)),
    "Serve": ("serving", ("mcp", "serve", "hook", "activity", "events", "token")),
    "Page": ("page", ("page",)),
    "Agents": ("clients", ("install", "uninstall", "doctor")),
    "Set up": ("setup", ("init", "trust", "distrust", "config", "completion", "demo")),
}
MODULES = {name: module for module, names in SECTIONS.values() for name in names}


class Interrupted(click.Abort):
    """The user pressed Ctrl-C; the message says whether the work is kept."""


class Sections(click.Group):
    """Commands under headings; only the module of the command that runs is imported."""

    def list_commands(self, context: click.Context) -> list[str]:
        return list(MODULES)

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        if name in MODULES:
            import_module(f"scrubjay.interfaces.cli.{MODULES[name]}")
        return super().get_command(context, name)

    def resolve_command(self, context: click.Context, args: list[str]) -> Any:
        if args[0] not in MODULES:  # click would compare it only with the commands that were imported
            raise click.exceptions.NoSuchCommand(args[0], possibilities=_nearest(args[0]), ctx=context)
        return super().resolve_command(context, args)

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        for heading, (_, names) in SECTIONS.items():
            with formatter.section(heading):
                commands = [(name, self.get_command(context, name)) for name in names]
                formatter.write_dl([(name, found.get_short_help_str(90)) for name, found in commands if found])


def _nearest(name: str) -> list[str]:
    return [meant] if (meant := nearest(name, MODULES)) else []


@click.group(cls=Sections, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(scrubjay.__version__, prog_name="scrubjay")
def cli() -> None:
    """Persistent memory for AI agents: one file, offline, searched by word and by meaning.

    \b
    scrubjay add "Deploys run from the main branch, after 4 pm"
    scrubjay search "when do we ship?"
    """


def run() -> int:
    """Run the command line and return its exit code; an error is one sentence, with --json a JSON object."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="replace")
    try:
        return cli(prog_name="scrubjay", standalone_mode=False) or 0
    except click.exceptions.NoArgsIsHelpError as bare:
        bare.show()
        return bare.exit_code
    except (ScrubjayError, click.ClickException) as problem:
        return _failed(_sentence(problem), type(problem).__name__, problem.exit_code)
    except Interrupted as stopped:
        return _failed(str(stopped), "Interrupted", INTERRUPTED)
    except click.Abort:
        return _failed("Stopped.", "Stopped", INTERRUPTED)
    except OSError as problem:
        where = f" ({problem.filename})" if problem.filename else ""
        return _failed(f"{problem.strerror or problem}{where}.", type(problem).__name__, 1)
    except Exception as problem:
        if not _wants_json():
            import traceback

            click.echo(visible(traceback.format_exc()), err=True)
        return _failed(UNEXPECTED.format(type(problem).__name__, problem), "Unexpected", 1)


class Screen(NamedTuple):
    """Where a command's answer goes: lines for a person, JSON for a program."""

    json: bool

    def show(self, data: Any, text: str) -> None:
        click.echo(formatting.as_json(data) if self.json else visible(text))

    def line(self, data: Any, text: str) -> None:
        """An answer of one line, even if a name in it contains line breaks."""
        self.show(data, one_line(text))

    def notes(self, notes: Iterable[str]) -> None:
        """Notes on an answer, one line each, to standard error."""
        for note in notes:
            click.echo(_json_line({"note": note}) if self.json else f"Note: {one_line(note)}", err=True)


def command(name: str, **settings: Any) -> Callable[[Callable[..., None]], click.Command]:
    """Register a command that does not open a memory."""

    def register(function: Callable[..., None]) -> click.Command:
        @functools.wraps(function)
        def run(as_json: bool, **given: Any) -> None:
            function(Screen(as_json), **given)

        return cli.command(name, **settings)(_json(run))

    return register


def memory_command(
    name: str, creates: bool | str | tuple[str, ...] = False
) -> Callable[[Callable[..., None]], click.Command]:
    """Register a command on an open memory; a missing file is created only if `creates` is true or names the verb."""
    verbs = (creates,) if isinstance(creates, str) else creates

    def register(function: Callable[..., None]) -> click.Command:
        @functools.wraps(function)
        def run(store: str | None, space: str | None, as_json: bool, **given: Any) -> None:
            may_create = verbs if isinstance(verbs, bool) else given["verb"] in verbs
            if not may_create:
                refuse_missing(store)
            with opened(store, space, ask=not as_json) as jay:
                if space and not may_create:
                    Screen(as_json).notes(jay.filter_notes(spaces=[space]))
                function(jay, Screen(as_json), **given)

        return cli.command(name)(store_option(space_option(_json(run))))

    return register


def refuse_missing(store: str | None) -> None:
    if store and "://" not in store and not Path(store).exists():
        raise Invalid(f"There is no memory at {store}; `scrubjay add --store {store} …` creates one.")


def matching_options(verb: str, given: dict[str, Any], allowed: tuple[str, ...]) -> dict[str, Any]:
    """The options that were given; raises if one does not belong to this verb of the command."""
    asked = {name: value for name, value in given.items() if value not in (None, ()) and value is not False}
    options = {option.name: option.opts[0] for option in click.get_current_context().command.params}
    if wrong := [options[name] for name in asked if name not in allowed]:
        takes = " ".join(options[name] for name in allowed) or "no options"
        raise Invalid(f"{wrong[0]} cannot be used with `{verb}`, which takes {takes}.")
    return asked


def read_text(words: tuple[str, ...], file: Path | None) -> str:
    """The text of a command: its words, a file, or standard input for `-`."""
    if bool(words) == (file is not None):
        raise Invalid("Give the text in one way: as words, with --file, or as - for standard input.")
    if file is not None:
        with file.open("rb") as stream:  # may be a pipe, as in --file <(command)
            return _decoded(_read(stream), str(file))
    if words == ("-",):
        return _decoded(_read(sys.stdin.buffer) if sys.stdin else b"", "standard input")
    return " ".join(words)


def sync_on(jay: scrubjay.Scrubjay, event: Literal["search", "session_start"]) -> None:
    """Sync the sources if the settings say so for this event; the answer is printed before."""
    sys.stdout.flush()
    jay.sync_on(event)


@contextmanager
def opened(store: str | None, space: str | None, ask: bool = False) -> Iterator[scrubjay.Scrubjay]:
    """Open the memory for a command: that of this folder's project, if it has one that the user trusts."""
    here = Path.cwd()
    if ask and store is None and not os.environ.get("SCRUBJAY_STORE"):
        _ask_about_project(here)
    with scrubjay.open(store, space=space, project=identify(here), folder=here) as jay:
        show_notes_once(jay)
        yield jay


def show_notes_once(jay: scrubjay.Scrubjay) -> None:
    """Show the notes about how the memory was opened, so that no answer repeats them."""
    Screen(_wants_json()).notes(jay.notes)
    jay.notes = ()


def _ask_about_project(here: Path) -> None:
    """Ask a person whether to use a project's memory; for a program it is not used, without asking."""
    found = project_trust.find(here)
    if found is None or not found.may_ask or found.is_refused or not is_interactive():
        return
    click.echo(f"{one_line(found.refusal)}\n{project_trust.WHAT_IT_MEANS}", err=True)
    if click.confirm("Use it from now on?", default=False, err=True):
        project_trust.trust(found.folder)
    else:
        project_trust.distrust(found.folder)


def may_go_on(screen: Screen, question: str, shown: str = "") -> bool:
    """Show what it is about and ask; False if nobody can be asked, so that a program does not wait for ever."""
    if screen.json or sys.stdin is None or not sys.stdin.isatty():
        return False
    if shown:
        click.echo(visible(shown))
    return click.confirm(one_line(question), abort=True)


def is_interactive() -> bool:
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stderr))


def _failed(sentence: str, kind: str, exit_code: int) -> int:
    shown = one_line(sentence)
    if _wants_json():
        click.echo(_json_line({"error": shown, "type": kind, "exit_code": exit_code}), err=True)
    else:
        click.echo(f"Error: {shown}", err=True)
    return exit_code


def _wants_json() -> bool:
    """Read from sys.argv itself: if the command line is wrong, no options have been parsed."""
    words = sys.argv[1:]
    return "--json" in (words[: words.index("--")] if "--" in words else words)


def _json_line(value: dict[str, Any]) -> str:
    return escaped(json.dumps(value, ensure_ascii=False))


def _sentence(problem: ScrubjayError | click.ClickException) -> str:
    """The error as one sentence; for wrong usage, with a hint to --help."""
    message = problem.format_message() if isinstance(problem, click.ClickException) else str(problem)
    if not isinstance(problem, click.UsageError) or problem.ctx is None or message.endswith("?"):
        return message
    return f"{message.rstrip('.')}; see `{problem.ctx.command_path} --help`."


def _read(stream: BinaryIO) -> bytes:
    """All of a file or a pipe, unless it is longer than a text may be."""
    data = stream.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise Invalid(f"This is more than {counted(MAX_BYTES, 'byte')}; save it as a file and `scrubjay sync` that.")
    return data


def _decoded(data: bytes, name: str) -> str:
    try:
        return data.decode("utf-8-sig").removesuffix("\n")
    except UnicodeDecodeError:
        raise Invalid(f"{name} is not UTF-8 text; convert it first, e.g. with iconv.") from None


def _not_empty(context: click.Context, parameter: click.Parameter, path: str | None) -> str | None:
    if path == "":  # e.g. from an unset variable: the default file is not meant
        raise Invalid("--store is empty; give the path of a file, or leave it out.")
    return path


Decorator = Callable[[Callable[..., None]], Callable[..., None]]

_json: Decorator = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
space_option: Decorator = click.option(
    "--space", metavar="NAME", help="The space to read and write.", shell_complete=completing("space")
)
store_option: Decorator = click.option(
    "--store", metavar="PATH", help="The memory's file, instead of the default.", callback=_not_empty
)
