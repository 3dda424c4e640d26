"""Commands that serve agents: over standard input and output, or over HTTP with tokens."""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

import scrubjay
from scrubjay import Activity, Invalid, Scrubjay
from scrubjay.hooks.command import run as run_hook
from scrubjay.interfaces import formatting
from scrubjay.interfaces.activity import activity_line
from scrubjay.interfaces.cli.app import (
    Screen,
    cli,
    command,
    matching_options,
    memory_command,
    opened,
    show_notes_once,
    space_option,
    store_option,
)
from scrubjay.memory.arguments import space_name
from scrubjay.text.safe_text import one_line
from scrubjay.types.tokens import Token

__all__: list[str] = []

PORT = 8377
FOLLOW_SECONDS = 0.5
FOLLOWED = 1_000  # entries that are looked at each time
TOKEN_OPTIONS = {"list": (), "create": ("spaces", "all_spaces", "scopes", "expires_at"), "revoke": ()}
SCOPES = click.Choice(["read", "write", "admin"])

tools_option = click.option(
    "--tools",
    default="core",
    show_default=True,
    metavar="SETS",
    help="Sets of tools, separated by commas: core (always), knowledge, tasks, sessions, sources, admin; or all.",
)


@cli.command("mcp")
@tools_option
@space_option
@store_option
def mcp(tools: str, space: str | None, store: str | None) -> None:
    """Serve an agent over standard input and output, as an MCP server.

    \b
    claude mcp add scrubjay -- scrubjay mcp
    scrubjay mcp --space work --tools core,tasks
    """
    from scrubjay.interfaces.mcp.server import chosen_sets, serve_stdio

    sets = chosen_sets(tools)
    space = None if space is None else space_name(space)
    _collect_garbage()
    serve_stdio(store, space, sets)


@cli.command("serve")
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen at.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=PORT, show_default=True, help="The port; 0 means any free one."
)
@click.option(
    "--allow-host", "hosts", multiple=True, metavar="NAME", help="A host name that clients may use; may be repeated."
)
@click.option(
    "--log",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Log to this file; rotated at 5 MB, with three old files kept.  [default: standard error]",
)
@tools_option
@space_option
@store_option
def serve(
    host: str, port: int, hosts: tuple[str, ...], log: Path | None, tools: str, space: str | None, store: str | None
) -> None:
    """Serve agents over HTTP, as an MCP server at /mcp, until stopped.

    Each client needs a token, even on this machine: `scrubjay token create NAME`.

    \b
    scrubjay serve
    scrubjay serve --host 0.0.0.0 --allow-host memory.example.org --tools all
    """
    from scrubjay.interfaces.http.log import log_to
    from scrubjay.interfaces.http.serving import Address, listen
    from scrubjay.interfaces.http.serving import serve as serve_http
    from scrubjay.interfaces.mcp.server import chosen_sets

    sets = chosen_sets(tools)
    log_to(log)
    # No project: clients work on their own projects, not in the folder that the server was started in.
    with scrubjay.open(store, space=space, folder=Path.cwd()) as jay:
        show_notes_once(jay)
        listening, address = listen(Address(host, port))
        click.echo(one_line(f"Serving {jay.stats().file} at {address.url}"))
        if not any(token.revoked_at is None for token in jay.tokens.list()):
            where = f" --store {store}" if store else ""
            click.echo(one_line(f"There is no token yet; `scrubjay token create NAME{where}` creates one."))
        _collect_garbage()
        serve_http(jay, listening, sets, hosts)


@cli.command("hook")
@click.argument("client")
@click.argument("event", required=False)
def hook(client: str, event: str | None) -> None:
    """Answer an event of an agent client, which it gives as JSON at standard input.

    Clients run this themselves. It tells the agent what it should know, and keeps what was said. It ends with 0
    whatever happens, and within hooks.deadline; `scrubjay activity` shows what it did.

    \b
    echo '{"hook_event_name": "SessionStart", "cwd": "/home/ann/app"}' | scrubjay hook claude-code
    """
    run_hook([client, event or ""])


@memory_command("activity")
@click.option("--session", metavar="NAME", help="Only of this session.")
@click.option("--limit", type=click.IntRange(min=0), default=20, show_default=True, help="How many.")
@click.option("--follow", is_flag=True, help="Go on, and show what is new, until stopped.")
def activity(jay: Scrubjay, screen: Screen, session: str | None, limit: int, follow: bool) -> None:
    """Show what the hooks of agent clients did: what agents were given, what was kept, and what was not and why.

    \b
    scrubjay activity
    scrubjay activity --session 8f2c1a90 --follow
    """
    found = jay.activity(session=session, limit=limit)
    if not follow:
        lines = list(map(activity_line, found))
        shown = {"activity": [formatting.to_dict(one) for one in found]}
        screen.show(shown, "\n".join(lines) or "No hook has done anything here yet; `scrubjay install` sets them up.")
        return
    shown_last: Activity | None = None
    while True:
        for one in reversed(_since(found, shown_last)):
            screen.line(formatting.to_dict(one), activity_line(one))
            shown_last = one
        sys.stdout.flush()
        time.sleep(FOLLOW_SECONDS)
        found = jay.activity(session=session, limit=FOLLOWED)


def _since(found: Sequence[Activity], last: Activity | None) -> Sequence[Activity]:
    """What is newer than the last one that was shown."""
    return found[: found.index(last)] if last in found else found


@command("token")
@click.argument("verb", type=click.Choice(["list", "create", "revoke"]), default="list")
@click.argument("name", required=False)
@click.option(
    "--space", "spaces", multiple=True, metavar="NAME", help="For create: a space it gives access to; may be repeated."
)
@click.option("--all-spaces", is_flag=True, help="For create: give access to every space.")
@click.option(
    "--scope", "scopes", multiple=True, type=SCOPES, help="For create: may be repeated.  [default: read, write]"
)
@click.option("--expires", "expires_at", metavar="WHEN", help='For create: when it expires; a date, "in 2 weeks", …')
@store_option
def token(screen: Screen, verb: str, name: str | None, store: str | None, **given: Any) -> None:
    """List, create or revoke the tokens that clients of `scrubjay serve` need.

    A token's secret is shown once, when it is created; only a digest is stored.

    \b
    scrubjay token create laptop --space work
    scrubjay token create dashboard --all-spaces --scope read --expires 2027-12-31
    scrubjay token revoke laptop
    """
    asked = matching_options(f"token {verb}", given, TOKEN_OPTIONS[verb])
    if (name is None) != (verb == "list"):
        raise Invalid("Name the token, e.g. `scrubjay token create laptop`; `token list` takes no name.")
    with opened(store, None) as jay:
        if verb == "create":
            _show_new(screen, *jay.tokens.create(name or "", **asked))
        elif verb == "revoke":
            revoked = jay.tokens.revoke(name or "")
            screen.line(formatting.to_dict(revoked), f"Revoked token {revoked.name}.")
        else:
            _show_tokens(screen, jay)


def _show_new(screen: Screen, made: Token, secret: str) -> None:
    about = one_line(
        f"This secret is shown only once. Token {made.name} gives access to {_spaces(made)}: {', '.join(made.scopes)}."
    )
    screen.show({**formatting.to_dict(made), "secret": secret}, f"{secret}\n\n{about}")


def _show_tokens(screen: Screen, jay: Scrubjay) -> None:
    tokens = jay.tokens.list()
    rows = [
        [
            one.name, _spaces(one), " ".join(one.scopes), formatting.day(one.created_at),
            formatting.day(one.last_used_at) if one.last_used_at else "never", _state(one),
        ]
        for one in tokens
    ]  # fmt: skip
    heads = ["name", "spaces", "scopes", "created", "used", "state"]
    screen.show(
        {"tokens": [formatting.to_dict(one) for one in tokens]}, formatting.table(heads, rows) or "There are no tokens."
    )


def _spaces(token: Token) -> str:
    return " ".join(token.spaces) or "every space"


def _state(token: Token) -> str:
    if token.revoked_at is not None:
        return f"revoked {formatting.day(token.revoked_at)}"
    return f"until {formatting.day(token.expires_at)}" if token.expires_at else "valid"


def _collect_garbage() -> None:
    """Turn garbage collection on for a command that keeps running, except for what is imported by now."""
    gc.freeze()
    gc.enable()
