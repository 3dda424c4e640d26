"""The generated part of the pages in docs/clients: what `scrubjay install` writes into which file."""

from __future__ import annotations

from pathlib import Path

from scrubjay.clients import OwnFile, Place, Server, Setting, Written, load
from scrubjay.clients.install import settings_of
from scrubjay.clients.settings.edits import with_entries
from scrubjay.clients.settings.formats import format_of
from scrubjay.hooks.events import may_be_told, meaning_of

__all__ = ["hooks_table", "written"]

PROGRAM = ("/home/ann/.local/bin/scrubjay",)
SERVER = Server((*PROGRAM, "mcp"))
KEEPS = {
    "start": "",
    "prompt": "",
    "turns": "keeps what was said since",
    "compacted": "keeps the client's summary as that of the session",
    "end": "keeps what was said since, and ends the session",
}
TELLS = {"start": "tells what is known of the project", "prompt": "tells what the message needs, or nothing"}


def written(name: str) -> str:
    """Each file with what is added to an empty one."""
    where = Place(Path("~"), {}, "linux")
    files: dict[Path, list[Written]] = {}
    for one in settings_of(load(name), where, SERVER, PROGRAM):
        files.setdefault(one.file, []).append(one)
    return "\n".join(_block(file, wanted) for file, wanted in files.items())


def hooks_table(name: str) -> str:
    """Each hook, and what it does."""
    rows = [f"| `{event}` | {_does(name, event)} |" for event in load(name).events]
    return "\n".join(["| event | what it does |", "|---|---|", *rows]) + "\n"


def _block(file: Path, wanted: list[Written]) -> str:
    if isinstance(wanted[0], OwnFile):
        return f"`{file}`: a plugin of a page, in JavaScript, that runs `scrubjay hook {file.parent.parent.name}`.\n"
    entries = [one.entry for one in wanted if isinstance(one, Setting)]
    text = with_entries("", entries, format_of(file))
    return f"`{file}`:\n\n```{'toml' if file.suffix == '.toml' else 'json'}\n{text}```\n"


def _does(name: str, event: str) -> str:
    meaning = meaning_of(event)
    assert meaning, event
    if meaning in TELLS and may_be_told(name, meaning):
        return TELLS[meaning]
    return KEEPS[meaning] or "keeps what was asked"
