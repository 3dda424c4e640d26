"""Tools that sync the user's files, transcripts and git histories."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrubjay.interfaces.answer_dicts import status_dict
from scrubjay.interfaces.mcp import replies
from scrubjay.interfaces.mcp.callers import seen_by_caller
from scrubjay.interfaces.mcp.definition import Reply, Texts, tool

if TYPE_CHECKING:
    from scrubjay import Scrubjay

__all__ = ["TOOLS"]


@tool("read", "write", answers="sync")
def memory_sync(jay: Scrubjay, sources: Texts | None = None) -> Reply:
    """Read what has changed in the user's files and transcripts: all sources, or these. The user adds new ones with
    `scrubjay sync`."""
    done = seen_by_caller(jay.sync(*(sources or ())), jay)
    return Reply(replies.synced(done), done)


@tool("read", answers="status")
def memory_status(jay: Scrubjay) -> Reply:
    """Which sources have changed since they were last read."""
    found = seen_by_caller(jay.status(), jay)
    return Reply(replies.status(found), status_dict(found))


TOOLS = (memory_sync, memory_status)
