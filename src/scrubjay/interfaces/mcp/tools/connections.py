"""Tools that connect memories: links, ratings, files, other names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrubjay.errors import Invalid
from scrubjay.interfaces.marks import link_line
from scrubjay.interfaces.mcp import replies
from scrubjay.interfaces.mcp.callers import caller
from scrubjay.interfaces.mcp.definition import Texts, given, tool
from scrubjay.types import trust

if TYPE_CHECKING:
    from scrubjay import Scrubjay

__all__ = ["TOOLS"]


@tool("write")
def memory_link(jay: Scrubjay, id: int, to: int, word: str | None = None) -> str:
    """Link a memory to another: relates_to, depends_on, part_of, or another word."""
    made = jay.link(id, to, word)
    return f"Linked {made.source} {made.word} {made.target}."


@tool("write")
def memory_unlink(jay: Scrubjay, id: int, to: int, word: str | None = None) -> str:
    """Take away a link, or all links from a memory to another."""
    return f"Took away {jay.unlink(id, to, word)} from {id} to {to}."


@tool("read")
def memory_links(jay: Scrubjay, id: int) -> str:
    """The links of a memory; memory_search with expand brings linked memories along."""
    return replies.lines([replies.one_line(link_line(one)) for one in jay.links(id)], nothing="There are no links.")


@tool("write")
def memory_rate(jay: Scrubjay, id: int, helpful: bool, session: str | None = None) -> str:
    """Say whether a memory that you were given was of use."""
    jay.rate(id, helpful=helpful, session=session)
    return f"Rated {id}."


@tool("write")
def memory_connect(
    jay: Scrubjay, id: int, aliases: Texts | None = None, paths: Texts | None = None, cites: Texts | None = None
) -> str:
    """Set the other names of a memory, patterns of files it belongs to (src/auth/**), or what it cites."""
    changes = given(aliases=aliases, paths=paths, cites=cites)
    if not changes:
        raise Invalid("Nothing to connect; give aliases, paths or cites.")
    warning = trust.update_warning(jay.update(id, **changes), jay.trust)
    return "\n".join([f"Updated {id}", *replies.note_lines([warning] if warning and caller().may("read") else [])])


@tool("read")
def memory_files(jay: Scrubjay, files: Texts, message: str | None = None, session: str | None = None) -> str:
    """What to know about files at hand, before you change them."""
    return jay.context(message, session=session, files=files).text or replies.NOTHING_TO_SHOW


@tool("read", "write")
def memory_curate(jay: Scrubjay, task: str, session: str | None = None) -> str:
    """Memories that the configured language model chooses for a task, each with why."""
    found = jay.context(task, session=session, curate=True)
    return replies.lines([], found.notes, nothing=found.text or "There is nothing to show.")


TOOLS = (memory_link, memory_unlink, memory_links, memory_rate, memory_connect, memory_files, memory_curate)
