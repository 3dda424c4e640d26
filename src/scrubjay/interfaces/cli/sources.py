"""Commands that keep the memory level with files, transcripts and histories."""

from __future__ import annotations

import signal
import sys
from pathlib import Path
from threading import Event
from typing import Any

import click

from scrubjay import Invalid, Place, Scrubjay, ScrubjayError, Synced
from scrubjay.interfaces import formatting
from scrubjay.interfaces.cli.app import Interrupted, Screen, memory_command
from scrubjay.interfaces.cli.progress import stages
from scrubjay.sources.registry import Sources
from scrubjay.sources.transcripts import CLIENTS
from scrubjay.text.plural import counted

__all__: list[str] = []

NOTHING = (
    "There is nothing to sync yet: give a folder (`scrubjay sync notes`), or take up your agents' conversations"
    " with --agents, or a repository's history with --git."
)
TRANSCRIPTS = (".jsonl", ".zst")
MOST_BYTES = 64_000_000  # of what an agent printed
RESUMES = "Interrupted. What was read is kept; run `scrubjay sync` again to go on."
TAKEN_UP = "MEMORY.md, memory.md and memory/ of this folder are a source from now on: {}."


@memory_command("sync", creates=True)
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@click.option("--include", multiple=True, metavar="PATTERN", help="Which files, as in .gitignore.  [default: *.md]")
@click.option("--exclude", multiple=True, metavar="PATTERN", help="Which not; may be repeated.")
@click.option("--ignored", is_flag=True, help="Also what .gitignore leaves out.")
@click.option("--client", type=click.Choice(CLIENTS), help="The files are transcripts that this client wrote.")
@click.option("--agents", is_flag=True, help="Take up the conversations of the agents on this machine.")
@click.option("--yes", is_flag=True, help="With --agents: do not ask first.")
@click.option("--git", is_flag=True, help="Take up the commits of this repository, or of those given.")
@click.option("--force", is_flag=True, help="Read everything again, also what has not changed.")
def sync(
    jay: Scrubjay, screen: Screen, paths: tuple[Path, ...], agents: bool, yes: bool, git: bool, force: bool,
    **which: Any,
) -> None:  # fmt: skip
    """Bring the memory level with its sources; a folder that is given becomes one, and stays one.

    Without a folder, all sources are read; MEMORY.md, memory.md and memory/ of the current folder become one, too.
    What is read is found by its words at once; vectors follow, the newest first. Stopped halfway, it goes on where it
    was. Names that begin with a dot are left out unless a pattern to include has such a name.

    \b
    scrubjay sync ~/notes --exclude drafts/
    scrubjay sync --agents
    scrubjay sync --git
    scrubjay sync
    """
    try:
        with jay.sources.taken_back_on_failure() as sources:
            taken = _take_up_all(sources, screen, paths, agents, yes, git, which)
            done = _synced(jay, screen, taken, force) if taken or not agents else None
            _refuse_unread(done, taken)
    except KeyboardInterrupt:
        raise Interrupted(RESUMES) from None
    if done is not None:
        _show(screen, done)
        if done.unread:
            click.get_current_context().exit(1)


@memory_command("watch")
@click.option("--poll", is_flag=True, help="Look at the files from time to time, where the system tells no changes.")
def watch(jay: Scrubjay, screen: Screen, poll: bool) -> None:
    """Keep the memory level with its sources until stopped, with Ctrl-C.

    \b
    scrubjay watch
    """
    from scrubjay.interfaces.watch import follow

    stop = Event()
    for name in (signal.SIGINT, signal.SIGTERM):
        signal.signal(name, lambda *_: stop.set())
    screen.notes((f"Watching {counted(len(jay.sources.list()), 'source')}.",))
    follow(jay, stop, lambda done: _report(screen, done), poll)


@memory_command("status")
def status(jay: Scrubjay, screen: Screen) -> None:
    """Show how far the memory is behind its sources.

    \b
    scrubjay status
    """
    found = jay.status()
    screen.show(formatting.plain(found) | {"behind": found.behind}, formatting.status(found))


@memory_command("sources")
@click.argument("verb", type=click.Choice(["list", "remove"]), default="list")
@click.argument("name", required=False)
def sources(jay: Scrubjay, screen: Screen, verb: str, name: str | None) -> None:
    """List the sources, or forget one with all that was cut from it; the files are left alone.

    \b
    scrubjay sources
    scrubjay sources remove notes
    """
    if verb == "remove":
        if name is None:
            raise Invalid("Name the source to forget, e.g. `scrubjay sources remove notes`.")
        gone = jay.sources.remove(name)
        screen.line(formatting.plain(gone), f"Forgot {name}: {counted(gone.removed, 'memory')}.")
        return
    if name is not None:
        raise Invalid(f"`sources list` takes no name; `scrubjay sources remove {name}` forgets one.")
    found = jay.sources.list()
    rows = [[source.name, source.kind, source.client or "", source.root] for source in found]
    text = formatting.columns(["source", "kind", "client", "folder"], rows) or "There is no source yet."
    screen.show({"sources": [formatting.plain(source) for source in found]}, text)


@memory_command("capture", creates=True)
@click.argument("file", type=click.Path(dir_okay=False, exists=True, allow_dash=True, path_type=Path), default="-")
@click.option("--client", type=click.Choice(CLIENTS), required=True, help="Which agent printed it.")
@click.option("--session", help="The session it belongs to, if it does not say so itself.")
def capture(jay: Scrubjay, screen: Screen, file: Path, client: str, session: str | None) -> None:
    """Remember the conversation that a headless run of an agent printed, as stream-json or plain text.

    \b
    gemini -p "summarise the log" --output-format stream-json | scrubjay capture --client gemini
    """
    with sys.stdin.buffer if str(file) == "-" else file.open("rb") as stream:
        output = stream.read(MOST_BYTES + 1)
    if len(output) > MOST_BYTES:
        raise Invalid(
            f"This is more than {counted(MOST_BYTES, 'byte')}; `scrubjay sync` reads long transcripts from files."
        )
    added = jay.capture(output, client, session=session)
    data = {"turns": [formatting.memory_dict(one.memory) for one in added]}
    screen.show(data, f"Remembered {counted(len(added), 'turn')}." if added else "All of this is known already.")


def _take_up_all(
    sources: Sources, screen: Screen, paths: tuple[Path, ...], agents: bool, yes: bool, git: bool, which: dict[str, Any]
) -> list[str]:
    taken = [_take_up(sources, path, git, which) for path in paths]
    if git and not paths:
        taken.append(sources.add(Path.cwd(), kind="git").name)
    if agents:
        taken += _take_up_agents(sources, screen, yes)
    if not taken and not agents:
        found = sources.add_memory_files(Path.cwd())
        screen.notes((TAKEN_UP.format(found.name),) if found else ())
        if not sources.list():
            raise Invalid(NOTHING)
    return taken


def _refuse_unread(done: Synced | None, taken: list[str]) -> None:
    """A folder that was given and cannot be read does not become a source."""
    for name, problem in done.unread if done else ():
        if name in taken:
            raise ScrubjayError(f"{name} cannot be read, and nothing was taken up: {problem}")


def _take_up(sources: Sources, path: Path, git: bool, which: dict[str, Any]) -> str:
    if git:
        return sources.add(path, kind="git").name
    kind = "transcripts" if which["client"] or path.suffix in TRANSCRIPTS else "files"
    return sources.add(path, kind=kind, **which).name  # type: ignore[arg-type]


def _take_up_agents(sources: Sources, screen: Screen, yes: bool) -> list[str]:
    """Those that are known already, and new ones once a person has seen them."""
    known = {source.root for source in sources.list()}
    places = sources.found()
    fresh = [place for place in places if place.root not in known]
    if not places:
        raise Invalid("No agent has left conversations in its usual place; give a folder and --client.")
    if fresh and not yes and not _agreed(screen, fresh):
        raise Invalid("Nothing was read; to take these up without being asked, give --yes.")
    return [sources.add_place(place).name for place in places]


def _agreed(screen: Screen, places: list[Place]) -> bool:
    rows = [[place.client, str(place.documents), f"{place.bytes / 1e6:.1f} MB", place.root] for place in places]
    table = formatting.columns(["agent", "conversations", "size", "folder"], rows)
    screen.show({"found": [formatting.plain(place) for place in places]}, table)
    if screen.json or sys.stdin is None or not sys.stdin.isatty():
        return False
    return click.confirm("Remember these conversations, and keep up with them?", abort=True)


def _synced(jay: Scrubjay, screen: Screen, names: list[str], force: bool) -> Synced:
    with stages(screen.json) as shown:
        reading, embedding = shown.of("Reading", "documents"), shown.of("Embedding", "texts")
        return jay.sync(*names, force=force, reading=reading, embedding=embedding)


def _show(screen: Screen, done: Synced) -> None:
    screen.show(formatting.plain(done), formatting.synced(done))
    screen.notes(done.notes)


def _report(screen: Screen, done: Synced | ScrubjayError) -> None:
    if isinstance(done, ScrubjayError):
        screen.notes((str(done),))
    elif done.read or done.changed.removed or done.embedded:
        _show(screen, done)
