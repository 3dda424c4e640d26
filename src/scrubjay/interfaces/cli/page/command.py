"""The command page: the memory in a browser, on this machine."""

from __future__ import annotations

import gc
import os
import webbrowser
from dataclasses import replace
from pathlib import Path

import click

import scrubjay
from scrubjay.errors import Invalid
from scrubjay.interfaces.cli.app import cli, show_notes_once, space_option, store_option
from scrubjay.opening import SERVER
from scrubjay.text.safe_text import one_line

__all__: list[str] = []

HOST, PORT = "127.0.0.1", 8378


@cli.command("page")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=PORT, show_default=True, help="The port; 0 means any free one."
)
@click.option("--no-browser", is_flag=True, help="Print the link instead of opening it.")
@space_option
@store_option
def page(port: int, no_browser: bool, space: str | None, store: str | None) -> None:
    """Open the memory in the browser, until stopped.

    The link logs you in, once; only this machine can reach the page. `scrubjay serve` has the page for other
    machines, with a token as login.

    \b
    scrubjay page
    scrubjay page --space work --no-browser
    """
    named = store or os.environ.get("SCRUBJAY_STORE", "")
    if named.startswith(SERVER):
        raise Invalid(f"The memory of a server has its page there: open {named} in a browser.")
    from scrubjay.agents.logins import OwnLogins
    from scrubjay.interfaces.http.serving import Address, Door, listen, serve

    # Neither project nor folder, as for `serve`: what is written on the page belongs to no folder.
    with scrubjay.open(store, space=space, folder=Path.cwd()) as opened:
        jay = scrubjay.Scrubjay(replace(opened.view, folder=None), opened.notes)
        show_notes_once(jay)
        listening, address = listen(Address(HOST, port))
        logins = OwnLogins(jay.view)
        _show(f"http://{HOST}:{address.port}/login?code={logins.link()}", no_browser)
        gc.freeze()
        gc.enable()
        serve(jay, listening, Door(), ("core",), (), logins)


def _show(link: str, no_browser: bool) -> None:
    if not no_browser and webbrowser.open(link):
        click.echo(f"The page is open in your browser, at {link.partition('login')[0]}. Ctrl-C ends it.")
    else:
        click.echo(one_line(f"Open this link, which works once: {link}"))
