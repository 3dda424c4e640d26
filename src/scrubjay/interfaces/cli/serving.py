"""Commands that serve agents: over standard input and output, or over HTTP with tokens."""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import scrubjay
from scrubjay.errors import Invalid
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
from scrubjay.interfaces.mcp.tools import SETS
from scrubjay.text.safe_text import one_line

if TYPE_CHECKING:
    from scrubjay import Activity, MemoryChange, Scrubjay
    from scrubjay.types.tokens import Token

__all__: list[str] = []

PORT = 8377
FOLLOW_SECONDS = 0.5
FOLLOWED = 1_000  # entries that are looked at each time
TOKEN_OPTIONS = {"list": (), "create": ("spaces", "all_spaces", "scopes", "expires_at"), "revoke": ()}
MISSED = "Changes were missed: the log does not go back that far."
SCOPES = click.Choice(["read", "write", "admin", "user"])

FILE = click.Path(exists=True, dir_okay=False, path_type=Path)

tools_option = click.option(
    "--tools",
    default="core",
    show_default=True,
    metavar="SETS",
    help=f"Sets of tools, separated by commas: {', '.join(SETS)}; or all. core is always there.",
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
    from scrubjay.interfaces.mcp.stdio import serve_stdio
    from scrubjay.interfaces.mcp.tools import chosen_sets

    sets = chosen_sets(tools)
    if space is not None:
        from scrubjay.memory.arguments import space_name

        space = space_name(space)
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
@click.option(
    "--workers", type=click.IntRange(1, 64), default=1, show_default=True, help="Processes that answer, on one store."
)
@click.option(
    "--tls-certificate", "certificate", type=FILE, metavar="FILE", help="Serve https with this certificate (PEM)."
)
@click.option("--tls-key", "key", type=FILE, metavar="FILE", help="Its key, if that is not in the same file.")
@click.option(
    "--proxy-headers",
    "proxies",
    multiple=True,
    metavar="ADDRESS",
    help="A proxy whose X-Forwarded-For and X-Forwarded-Proto are believed; may be repeated.",
)
@tools_option
@space_option
@store_option
def serve(
    host: str, port: int, hosts: tuple[str, ...], log: Path | None, workers: int, certificate: Path | None,
    key: Path | None, proxies: tuple[str, ...], tools: str, space: str | None, store: str | None,
) -> None:  # fmt: skip
    """Serve agents, programs and people over HTTP, until stopped.

    An MCP server is at /mcp, the API at /api/v1, the page at /.

    Each client needs a token, even on this machine: `scrubjay token create NAME`.

    \b
    scrubjay serve
    scrubjay serve --host 0.0.0.0 --allow-host memory.example.org --tools all
    scrubjay serve --workers 4 --tls-certificate chain.pem --tls-key key.pem
    """
    from scrubjay.interfaces.http.log import log_to
    from scrubjay.interfaces.http.serving import Address, Door, listen
    from scrubjay.interfaces.http.serving import serve as serve_http
    from scrubjay.interfaces.http.workers import Worker, serve_by_workers
    from scrubjay.interfaces.mcp.tools import chosen_sets
    from scrubjay.portable.forget import note_log

    sets, door = chosen_sets(tools), Door(certificate, key, proxies)
    door.check()
    log_to(log)
    # Neither project nor folder: clients work on their own projects, not in the folder that the server was started in.
    with scrubjay.open(store, space=space, folder=Path.cwd()) as opened:
        jay = scrubjay.Scrubjay(replace(opened.view, folder=None), opened.notes)
        show_notes_once(jay)
        if log:
            note_log(jay.view, log)
        listening, address = listen(Address(host, port, encrypted=certificate is not None))
        click.echo(one_line(f"Serving {jay.stats().file} at {address.url}"))
        if not any(token.revoked_at is None for token in jay.tokens.list()):
            where = f" --store {store}" if store else ""
            click.echo(one_line(f"There is no token yet; `scrubjay token create NAME{where}` creates one."))
        _collect_garbage()
        if workers == 1:
            serve_http(jay, listening, door, sets, hosts)
        else:
            worker = Worker(store, space, Path.cwd(), sets, hosts, log)
            serve_by_workers(jay, listening, door, worker, workers)


@cli.command("hook")
@click.argument("client")
@click.argument("event", required=False)
def hook(client: str, event: str | None) -> None:
    """Answer an event of an agent client; its hooks run this.

    The client gives the event as JSON at standard input.

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
    """Show what the hooks of agent clients did.

    That is what agents were given, what was kept, and what was not and why.

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


@memory_command("events")
@click.option("--after", metavar="ID", help="Begin after this change, which was shown before.")
@click.option("--follow", is_flag=True, help="Go on, and show each change as it comes, until stopped.")
def events(jay: Scrubjay, screen: Screen, after: str | None, follow: bool) -> None:
    """Show which memories have changed.

    Since a change that was shown before, or with --follow as changes come.

    \b
    scrubjay events --follow
    scrubjay events --after 41-9f2c61d0a4b7e358 --json
    """
    with jay.events(after=after, follow=follow) as changes:
        if follow:
            for change in changes:
                screen.line(formatting.to_dict(change), _change_line(change))
                sys.stdout.flush()
            return
        found = list(changes)
    lines = [*map(_change_line, found), f"The last change is {changes.last}."]
    screen.show({"changes": [formatting.to_dict(one) for one in found], "last": changes.last}, "\n".join(lines))


def _change_line(one: MemoryChange) -> str:
    """A change in one line."""
    what = MISSED if one.memory is None else f"[{one.memory}] {one.change}"
    return one_line(f"{one.id}  {one.space}  {what}")


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
    """List, create or revoke the tokens that clients of `serve` need.

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
