"""Commands for sources: sync, watch, status, sources, capture."""

from __future__ import annotations

import signal
import sys
from pathlib import Path
from threading import Event
from typing import Any

import click

from scrubjay import Invalid, Place, Scrubjay, ScrubjayError, Synced
from scrubjay.interfaces import answer_dicts, formatting
from scrubjay.interfaces.cli.app import Interrupted, Screen, memory_command
from scrubjay.interfaces.cli.shared.completion import completing
from scrubjay.interfaces.cli.shared.progress import stages
from scrubjay.sources.registry import Sources
from scrubjay.sources.transcripts import CLIENTS
from scrubjay.text.plural import counted

__all__: list[str] = []

NOTHING = (
    "There is nothing to sync yet: give a folder (`scrubjay sync notes`), or add your agents' conversations"
    " with --agents, or a repository's history with --git."
)
TRANSCRIPTS = (".jsonl", ".zst")
MAX_BYTES = 64_000_000  # of an agent's output
RESUMES = "Interrupted. What was read is kept; run `scrubjay sync` again to continue."
NO_CONVERSATIONS = (
    "No conversations were found where agents usually keep them; those of another folder are read without --agents:"
    " `scrubjay sync FOLDER --client NAME`."
)
NO_FOLDER = "--{} is about a folder; name it: `scrubjay sync FOLDER --{}`."
ADDED_SOURCE = "MEMORY.md, memory.md and memory/ of this folder are now a source: {}."


@memory_command("sync", creates=True)
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@click.option(
    "--include", multiple=True, metavar="PATTERN", help="Which files to read, as in .gitignore.  [default: *.md]"
)
@click.option("--exclude", multiple=True, metavar="PATTERN", help="Which files not to read; may be repeated.")
@click.option("--ignored", is_flag=True, help="Also files that .gitignore excludes.")
@click.option("--client", type=click.Choice(CLIENTS), help="The files are transcripts that this client wrote.")
@click.option("--agents", is_flag=True, help="Add the conversations of the agents on this machine.")
@click.option("--yes", is_flag=True, help="With --agents: do not ask first.")
@click.option("--git", is_flag=True, help="Add the commits of this repository, or of those given.")
@click.option("--force", is_flag=True, help="Read everything again, even if it has not changed.")
def sync(
    jay: Scrubjay, screen: Screen, paths: tuple[Path, ...], agents: bool, yes: bool, git: bool, force: bool,
    **options: Any,
) -> None:  # fmt: skip
    """Read what has changed in the sources.

    A folder that you give becomes a source.

    Without a folder, all sources are read; MEMORY.md, memory.md and memory/ of the current folder become one, too.
    New text is found by its words at once; vectors follow, the newest first. If it is interrupted, run it again to
    continue. Names that begin with a dot are skipped unless a pattern to include names them.

    \b
    scrubjay sync ~/notes --exclude drafts/
    scrubjay sync --agents
    scrubjay sync --git
    scrubjay sync
    """
    try:
        with jay.sources.taken_back_on_failure() as sources:
            added = _add_sources(sources, screen, paths, agents, yes, git, options)
            done = _synced(jay, screen, added, force) if added or not agents else None
            _refuse_unreadable(done, added)
    except KeyboardInterrupt:
        raise Interrupted(RESUMES) from None
    if done is not None:
        _show(screen, done)
        if done.unread:
            click.get_current_context().exit(1)


@memory_command("watch")
@click.option(
    "--poll", is_flag=True, help="Check the files from time to time, where the system does not report changes."
)
def watch(jay: Scrubjay, screen: Screen, poll: bool) -> None:
    """Sync whenever a source changes, until stopped with Ctrl-C.

    \b
    scrubjay watch
    """
    from scrubjay.interfaces.watch import follow

    if not jay.sources.list():
        raise Invalid("There is no source to watch; `scrubjay sync FOLDER` adds one.")
    stop = Event()
    for name in (signal.SIGINT, signal.SIGTERM):
        signal.signal(name, lambda *_: stop.set())
    screen.notes((f"Watching {counted(len(jay.sources.list()), 'source')}.",))
    follow(jay, stop, lambda done: _report(screen, done), poll)


@memory_command("status")
@click.option("--deep", is_flag=True, help="Also ask the embedder and the generator whether they answer.")
def status(jay: Scrubjay, screen: Screen, deep: bool) -> None:
    """Show which sources have changed since they were last read.

    \b
    scrubjay status
    scrubjay status --deep
    """
    found, asked = jay.status(), jay.providers() if deep else []
    data = answer_dicts.status_dict(found)
    data |= {"providers": [formatting.to_dict(one) for one in asked]} if deep else {}
    screen.show(data, "\n".join([formatting.status(found), *map(formatting.provider_line, asked)]))


@memory_command("sources")
@click.argument("verb", type=click.Choice(["list", "remove"]), default="list")
@click.argument("name", required=False, shell_complete=completing("source"))
def sources(jay: Scrubjay, screen: Screen, verb: str, name: str | None) -> None:
    """List the sources, or remove one with its memories.

    The files themselves stay.

    \b
    scrubjay sources
    scrubjay sources remove notes
    """
    if verb == "remove":
        if name is None:
            raise Invalid("Name the source to remove, e.g. `scrubjay sources remove notes`.")
        changed = jay.sources.remove(name)
        screen.line(formatting.to_dict(changed), f"Removed {name} and its {counted(changed.removed, 'memory')}.")
        return
    if name is not None:
        raise Invalid(f"`sources list` takes no name; `scrubjay sources remove {name}` removes one.")
    found = jay.sources.list()
    rows = [[source.name, source.kind, source.client or "", source.root] for source in found]
    text = formatting.table(["source", "kind", "client", "folder"], rows) or formatting.NO_SOURCE
    screen.show({"sources": [formatting.to_dict(source) for source in found]}, text)


@memory_command("capture", creates=True)
@click.argument("file", type=click.Path(dir_okay=False, exists=True, allow_dash=True, path_type=Path), default="-")
@click.option("--client", type=click.Choice(CLIENTS), required=True, help="The agent that printed it.")
@click.option("--session", help="The session it belongs to, if the output does not name one.")
def capture(jay: Scrubjay, screen: Screen, file: Path, client: str, session: str | None) -> None:
    """Remember the conversation that a run of an agent printed.

    It may be stream-json or plain text.

    \b
    gemini -p "summarise the log" --output-format stream-json | scrubjay capture --client gemini
    """
    with sys.stdin.buffer if str(file) == "-" else file.open("rb") as stream:
        output = stream.read(MAX_BYTES + 1)
    if len(output) > MAX_BYTES:
        raise Invalid(
            f"This is more than {counted(MAX_BYTES, 'byte')}; `scrubjay sync` reads long transcripts from files."
        )
    added = jay.capture(output, client, session=session)
    data = {"turns": [formatting.memory_dict(one.memory) for one in added]}
    screen.show(
        data, f"Remembered {counted(len(added), 'turn')}." if added else "Nothing new: all of it was stored before."
    )


def _add_sources(
    sources: Sources, screen: Screen, paths: tuple[Path, ...], agents: bool, yes: bool, git: bool,
    options: dict[str, Any],
) -> list[str]:  # fmt: skip
    if given := next((name for name, value in options.items() if value and not paths), None):
        raise Invalid(NO_FOLDER.format(given, given))
    added = [_add_source(sources, path, git, options) for path in paths]
    if git and not paths:
        added.append(sources.add(Path.cwd(), kind="git").name)
    if agents:
        added += _add_agents(sources, screen, yes)
    if not added and not agents:
        found = sources.add_memory_files(Path.cwd())
        screen.notes((ADDED_SOURCE.format(found.name),) if found else ())
        if not sources.list():
            raise Invalid(NOTHING)
    return added


def _refuse_unreadable(done: Synced | None, added: list[str]) -> None:
    """Raise if a source that was just added cannot be read; it is then removed again."""
    for name, problem in done.unread if done else ():
        if name in added:
            raise ScrubjayError(f"{name} cannot be read, and was not added: {problem}")


def _add_source(sources: Sources, path: Path, git: bool, options: dict[str, Any]) -> str:
    if git:
        return sources.add(path, kind="git").name
    kind = "transcripts" if options["client"] or path.suffix in TRANSCRIPTS else "files"
    return sources.add(path, kind=kind, **options).name  # type: ignore[arg-type]


def _add_agents(sources: Sources, screen: Screen, yes: bool) -> list[str]:
    """Add all that are found; a person confirms the new ones first."""
    known = {source.root for source in sources.list()}
    places = sources.found()
    new = [place for place in places if place.root not in known]
    if not places:
        raise Invalid(NO_CONVERSATIONS)
    if new and not yes and not _confirmed(screen, new):
        raise Invalid("Nothing was read; to add these without being asked, give --yes.")
    return [sources.add_place(place).name for place in places]


def _confirmed(screen: Screen, places: list[Place]) -> bool:
    rows = [[place.client, str(place.documents), f"{place.bytes / 1e6:.1f} MB", place.root] for place in places]
    table = formatting.table(["agent", "conversations", "size", "folder"], rows)
    screen.show({"found": [formatting.to_dict(place) for place in places]}, table)
    if screen.json or sys.stdin is None or not sys.stdin.isatty():
        return False
    return click.confirm("Add these conversations, and sync them from now on?", abort=True)


def _synced(jay: Scrubjay, screen: Screen, names: list[str], force: bool) -> Synced:
    with stages(screen.json) as shown:
        reading, embedding = shown.of("Reading", "document"), shown.of("Embedding", "text")
        return jay.sync(*names, force=force, reading=reading, embedding=embedding)


def _show(screen: Screen, done: Synced) -> None:
    screen.show(formatting.to_dict(done), formatting.synced(done))
    screen.notes(done.notes)


def _report(screen: Screen, done: Synced | ScrubjayError) -> None:
    if isinstance(done, ScrubjayError):
        screen.notes((str(done),))
    elif done.read or done.changed.removed or done.embedded:
        _show(screen, done)
