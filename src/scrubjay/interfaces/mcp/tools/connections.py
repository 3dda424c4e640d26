"""Tools that connect memories: links, ratings, files, other names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrubjay.errors import Invalid
from scrubjay.interfaces.answer_dicts import context_dict
from scrubjay.interfaces.marks import link_line
from scrubjay.interfaces.mcp import replies
from scrubjay.interfaces.mcp.callers import caller
from scrubjay.interfaces.mcp.definition import Reply, Texts, given, tool
from scrubjay.types import trust

if TYPE_CHECKING:
    from scrubjay import Scrubjay

__all__ = ["TOOLS"]


@tool("write", answers="link")
def memory_link(jay: Scrubjay, id: int, to: int, word: str | None = None) -> Reply:
    """Link a memory to another: relates_to, depends_on, part_of, or another word."""
    made = jay.link(id, to, word)
    return Reply(f"Linked {made.source} {made.word} {made.target}.", made)


@tool("write", answers="unlink")
def memory_unlink(jay: Scrubjay, id: int, to: int, word: str | None = None) -> Reply:
    """Take away a link, or all links from a memory to another."""
    number = jay.unlink(id, to, word)
    return Reply(f"Took away {number} from {id} to {to}.", {"unlinked": number})


@tool("read", answers="links")
def memory_links(jay: Scrubjay, id: int) -> Reply:
    """The links of a memory; memory_search with expand brings linked memories along."""
    links = jay.links(id)
    text = replies.lines([replies.one_line(link_line(one)) for one in links], nothing="There are no links.")
    return Reply(text, {"links": links})


@tool("write", answers="rate")
def memory_rate(jay: Scrubjay, id: int, helpful: bool, session: str | None = None) -> Reply:
    """Say whether a memory that you were given was of use."""
    return Reply(f"Rated {id}.", jay.rate(id, helpful=helpful, session=session))


@tool("write", answers="update")
def memory_connect(
    jay: Scrubjay, id: int, aliases: Texts | None = None, paths: Texts | None = None, cites: Texts | None = None
) -> Reply:
    """Set the other names of a memory, patterns of files it belongs to (src/auth/**), or what it cites."""
    changes = given(aliases=aliases, paths=paths, cites=cites)
    if not changes:
        raise Invalid("Nothing to connect; give aliases, paths or cites.")
    memory = jay.update(id, **changes)
    warning = trust.update_warning(memory, jay.trust)
    notes = replies.note_lines([warning] if warning and caller().may("read") else [])
    return Reply("\n".join([f"Updated {id}", *notes]), memory)


@tool("read", answers="context")
def memory_files(jay: Scrubjay, files: Texts, message: str | None = None, session: str | None = None) -> Reply:
    """What to know about files at hand, before you change them."""
    found = jay.context(message, session=session, files=files)
    return Reply(found.text or replies.NOTHING_TO_SHOW, context_dict(found))


@tool("read", "write", answers="context")
def memory_curate(jay: Scrubjay, task: str, session: str | None = None) -> Reply:
    """Memories that the configured language model chooses for a task, each with why."""
    found = jay.context(task, session=session, curate=True)
    return Reply(replies.lines([], found.notes, nothing=found.text or replies.NOTHING_TO_SHOW), context_dict(found))


TOOLS = (memory_link, memory_unlink, memory_links, memory_rate, memory_connect, memory_files, memory_curate)
