"""Commands that serve agents: at a pipe, or over HTTP."""

from __future__ import annotations

import gc

import click

from scrubjay.arguments import space_name
from scrubjay.doors.cli.app import cli, space_option, store_option

__all__: list[str] = []

TOOLS_HELP = "Sets of tools, with commas: core (always), knowledge, tasks, sessions, admin; or all."


@cli.command("mcp")
@click.option("--tools", default="core", show_default=True, metavar="SETS", help=TOOLS_HELP)
@space_option
@store_option
def mcp(tools: str, space: str | None, store: str | None) -> None:
    """Serve an agent at standard input and output, as an MCP server.

    \b
    claude mcp add scrubjay -- scrubjay mcp
    scrubjay mcp --space work --tools core,tasks
    """
    from scrubjay.doors.mcp.server import chosen_sets, serve_stdio

    sets = chosen_sets(tools)
    space = space and space_name(space)
    _stay()
    serve_stdio(store, space, sets)


def _stay() -> None:
    """A command that stays must give back what it no longer uses; what is imported by now, it keeps."""
    gc.freeze()
    gc.enable()
