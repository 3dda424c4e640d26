"""Tools that sync the user's files, transcripts and git histories."""

from __future__ import annotations

from dataclasses import replace

from scrubjay import Scrubjay
from scrubjay.interfaces.mcp import replies
from scrubjay.interfaces.mcp.callers import caller
from scrubjay.interfaces.mcp.definition import Texts, tool

__all__ = ["TOOLS"]


@tool("read", "write")
def memory_sync(jay: Scrubjay, sources: Texts | None = None) -> str:
    """Read what has changed in the user's files and transcripts: all sources, or these. The user adds new ones with
    `scrubjay sync`."""
    done = jay.sync(*(sources or ()))
    # Vectors are made for all spaces of the file.
    return replies.synced(done if caller().sees_all_spaces else replace(done, embedded=0, remaining=0))


@tool("read")
def memory_status(jay: Scrubjay) -> str:
    """Which sources have changed since they were last read."""
    found = jay.status()
    # Warnings are about the whole file, not one of its spaces.
    return replies.status(found if caller().sees_all_spaces else replace(found, warnings=()))


TOOLS = (memory_sync, memory_status)
