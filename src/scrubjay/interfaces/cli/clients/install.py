"""The commands install and uninstall."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import click
from click.shell_completion import CompletionItem

from scrubjay import Invalid
from scrubjay.clients import NAMES, Client, Place, Server, Written, load
from scrubjay.clients.install import Change, apply, plan_install, plan_uninstall, settings_of
from scrubjay.clients.program import our_program
from scrubjay.interfaces.cli.app import Screen, command, is_interactive
from scrubjay.project.identity import above
from scrubjay.text.safe_text import one_line

__all__: list[str] = []

TOKEN_VARIABLE = "SCRUBJAY_TOKEN"
NO_HOOKS_WITH_SERVER = "Hooks use the memory on this machine; leave out --hooks, or --server."
NO_ADDRESS = "{} cannot be given a server's address in its settings; leave it out, or leave out --server."
NO_PROJECT = "{} has no settings for a project; leave it out, or use --scope user."
NOTHING_CHOSEN = "Give --mcp or --hooks; with neither, there is nothing to install."
NONE_FOUND = "No client was found on this machine; name one of {}."
NAME_THEM = "Say into which clients, e.g. `scrubjay install {}`."


def _complete_client(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    return [CompletionItem(name) for name in NAMES if name.startswith(incomplete)]


clients_argument = click.argument("clients", nargs=-1, metavar="[CLIENT]...", shell_complete=_complete_client)
scope_option = click.option(
    "--scope",
    type=click.Choice(["user", "project"]),
    default="user",
    show_default=True,
    help="Your own settings, or those of this project.",
)
dry_run_option = click.option("--dry-run", is_flag=True, help="Only show what would be changed in each file.")


@command("install")
@clients_argument
@scope_option
@click.option("--mcp/--no-mcp", default=True, help="The MCP server: tools to remember and recall.  [default: mcp]")
@click.option("--hooks/--no-hooks", default=None, help="Remember and remind without being asked.  [default: hooks]")
@click.option("--server", "url", metavar="URL", help="Use a shared server (`scrubjay serve`) instead of this machine.")
@click.option("--token", metavar="SECRET", help=f"The server's token.  [default: {TOKEN_VARIABLE}]")
@dry_run_option
def install(
    screen: Screen,
    clients: tuple[str, ...],
    scope: str,
    mcp: bool,
    hooks: bool | None,
    url: str | None,
    token: str | None,
    dry_run: bool,
) -> None:
    """Give agent clients this memory: the MCP server and hooks.

    They are put into the clients' own settings.

    A client is claude-code, claude-desktop, codex, gemini, cursor, vscode, windsurf or opencode. Without a name it
    shows which are on this machine, and asks. The rest of each file stays as it is; a copy of the file before is kept,
    and `scrubjay uninstall` gives it back.

    \b
    scrubjay install claude-code codex
    scrubjay install gemini --dry-run
    scrubjay install cursor --server https://memory.example.org --token scrubjay_…
    """
    if hooks and url:
        raise Invalid(NO_HOOKS_WITH_SERVER)
    wants_hooks = not url if hooks is None else hooks
    if not mcp and not wants_hooks:
        raise Invalid(NOTHING_CHOSEN)
    place = _place(scope)
    chosen = [load(name) for name in clients or _asked(screen, place)]
    server = _server(url, token, scope)
    program = our_program()
    plans = []
    for client in chosen:
        entry = replace(server, command=(*program, "mcp")) if not url else server
        wanted = settings_of(client, place, entry, program, mcp=mcp, hooks=wants_hooks)
        _refuse_nothing(client, wanted, url)
        plans.append((client, plan_install(client, wanted)))
    _carry_out(screen, plans, dry_run, "Installed")


@command("uninstall")
@clients_argument
@scope_option
@dry_run_option
def uninstall(screen: Screen, clients: tuple[str, ...], scope: str, dry_run: bool) -> None:
    """Take this memory out of the settings of agent clients.

    Your memories stay.

    A file that nobody else has changed since is as it was before, byte for byte.

    \b
    scrubjay uninstall codex
    scrubjay uninstall --dry-run
    """
    place = _place(scope)
    plans = [(client, plan_uninstall(client, place)) for client in map(load, clients or NAMES)]
    _carry_out(screen, [plan for plan in plans if clients or _needed(plan[1])], dry_run, "Uninstalled")


def _carry_out(screen: Screen, plans: Sequence[tuple[Client, Sequence[Change]]], dry_run: bool, done: str) -> None:
    if not dry_run:
        apply([change for _, changes in plans for change in changes])
    data = [_client_dict(client, changes, dry_run) for client, changes in plans]
    lines = [line for client, changes in plans for line in _lines(client, changes, dry_run, done)]
    screen.show({"clients": data, "dry_run": dry_run}, "\n".join(lines) or "There is nothing of Scrubjay to take out.")


def _lines(client: Client, changes: Sequence[Change], dry_run: bool, done: str) -> Iterable[str]:
    needed = _needed(changes)
    if not needed:
        yield f"{client.title}: nothing to change."
    elif dry_run:
        yield from (change.diff() for change in needed)
    else:
        yield f"{client.title}: {done.lower()}."
        yield from ("  " + one_line(f"{_what_happened(change)} {change.path}") for change in needed)
        if done == "Installed" and client.after_install:
            yield f"  {client.after_install}"


def _what_happened(change: Change) -> str:
    if change.after is None:
        return "removed"
    return "changed" if change.before is not None else "created"


def _client_dict(client: Client, changes: Sequence[Change], dry_run: bool) -> dict[str, Any]:
    files = [
        {"path": str(change.path), "changed": change.is_needed, "diff": change.diff() if dry_run else None}
        for change in changes
    ]
    return {"client": client.name, "title": client.title, "files": files, "to_do": client.after_install}


def _needed(changes: Iterable[Change]) -> list[Change]:
    return [change for change in changes if change.is_needed]


def _place(scope: str) -> Place:
    here = Path.cwd()
    repository = above(here, ".git")
    return Place.here((repository.parent if repository else here) if scope == "project" else None)


def _asked(screen: Screen, place: Place) -> list[str]:
    """Ask a person about each client that is on this machine; a program has to name them."""
    found = [client for client in map(load, NAMES) if client.is_here(place)]
    if not found:
        raise Invalid(NONE_FOUND.format(", ".join(NAMES)))
    if screen.json or not is_interactive():
        raise Invalid(NAME_THEM.format(" ".join(client.name for client in found)))
    click.echo("On this machine: " + ", ".join(client.title for client in found), err=True)
    chosen = [client.name for client in found if click.confirm(f"Install into {client.title}?", default=True, err=True)]
    if not chosen:
        raise Invalid("No client was chosen; nothing was changed.")
    return chosen


def _server(url: str | None, token: str | None, scope: str) -> Server:
    secret = token or os.environ.get(TOKEN_VARIABLE, "")
    if not url:
        if token:
            raise Invalid("--token needs --server.")
        return Server()
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise Invalid(f"{url!r} is not the address of a server; write e.g. https://memory.example.org.")
    if scope == "project" and secret:
        raise Invalid("A project's settings are shared: a token does not belong there; use --scope user.")
    return Server(url=url.rstrip("/") + ("/mcp" if parts.path in ("", "/") else ""), token=secret)


def _refuse_nothing(client: Client, wanted: Sequence[Written], url: str | None) -> None:
    if not wanted:
        raise Invalid((NO_ADDRESS if url else NO_PROJECT).format(client.title))
