"""Tools that sync the user's files, transcripts and git histories."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrubjay.interfaces.mcp import replies
from scrubjay.interfaces.mcp.callers import seen_by_caller
from scrubjay.interfaces.mcp.definition import Texts, tool

if TYPE_CHECKING:
    from scrubjay import Scrubjay

__all__ = ["TOOLS"]


@tool("read", "write")
def memory_sync(jay: Scrubjay, sources: Texts | None = None) -> str:
    """Read what has changed in the user's files and transcripts: all sources, or these. The user adds new ones with
    `scrubjay sync`."""
    done = jay.sync(*(sources or ()))
    return replies.synced(seen_by_caller(done, jay))


@tool("read")
def memory_status(jay: Scrubjay) -> str:
    """Which sources have changed since they were last read."""
    return replies.status(seen_by_caller(jay.status(), jay))


TOOLS = (memory_sync, memory_status)
