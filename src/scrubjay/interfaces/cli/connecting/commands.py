"""Commands that connect memories: link, unlink, links, citations, rate."""

from __future__ import annotations

import click

from scrubjay import Invalid, Scrubjay
from scrubjay.interfaces import formatting
from scrubjay.interfaces.cli.app import Screen, memory_command
from scrubjay.interfaces.formatting import linked_dict
from scrubjay.interfaces.marks import cited_dict, link_line
from scrubjay.text.plural import counted
from scrubjay.text.safe_text import one_line

__all__: list[str] = []


@memory_command("link")
@click.argument("id", type=int)
@click.argument("to", type=int)
@click.argument("word", required=False)
def link(jay: Scrubjay, screen: Screen, id: int, to: int, word: str | None) -> None:
    """Link a memory to another, by relates_to or a word of your own.

    \b
    scrubjay link 7 9 depends_on
    """
    made = jay.link(id, to, word)
    screen.line(linked_dict(made), f"Linked: {link_line(made)}")


@memory_command("unlink")
@click.argument("id", type=int)
@click.argument("to", type=int)
@click.argument("word", required=False)
def unlink(jay: Scrubjay, screen: Screen, id: int, to: int, word: str | None) -> None:
    """Take away links from a memory to another.

    All of them, or the one of a word.

    \b
    scrubjay unlink 7 9 depends_on
    """
    number = jay.unlink(id, to, word)
    screen.line({"unlinked": number}, f"Took away {counted(number, 'link')} from {id} to {to}")


@memory_command("links")
@click.argument("id", type=int)
def links(jay: Scrubjay, screen: Screen, id: int) -> None:
    """List the links from and to a memory.

    Links of memories that it has replaced are listed, too.

    \b
    scrubjay links 7
    """
    found = jay.links(id)
    text = "\n".join(map(link_line, found)) or f"Memory {id} has no links."
    screen.show({"links": [linked_dict(one) for one in found]}, text)


@memory_command("citations")
@click.argument("id", type=int)
def citations(jay: Scrubjay, screen: Screen, id: int) -> None:
    """Say whether what a memory cites is as it was.

    FRESH: it is; STALE: it has changed, and how; GONE: it is not there any more.

    \b
    scrubjay citations 7
    """
    found = jay.citations(id)
    text = "\n".join(one_line(str(one)) for one in found) or f"Memory {id} cites nothing."
    screen.show({"citations": [cited_dict(one) for one in found]}, text)


@memory_command("rate")
@click.argument("id", type=int)
@click.option("--helpful/--unhelpful", default=None, help="Whether it was of use; give one of them.")
@click.option("--session", help="The session that it was of use in; its last rating counts.")
def rate(jay: Scrubjay, screen: Screen, id: int, helpful: bool | None, session: str | None) -> None:
    """Say whether a memory was of use.

    It then ranks a little higher or lower, and is evicted later or sooner.

    \b
    scrubjay rate 7 --helpful
    scrubjay rate 7 --unhelpful --session review
    """
    if helpful is None:
        raise Invalid("Say whether it was of use: give --helpful or --unhelpful.")
    memory = jay.rate(id, helpful=helpful, session=session)
    counts = f"{memory.helpful_count} helpful, {memory.unhelpful_count} unhelpful"
    screen.line(formatting.memory_dict(memory), f"Rated {memory.id}: {counts}")
