"""Tools that sync the user's files, transcripts and git histories."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from scrubjay import Scrubjay, Synced
from scrubjay.interfaces.mcp import replies
from scrubjay.interfaces.mcp.callers import caller
from scrubjay.interfaces.mcp.definition import Texts, tool

__all__ = ["TOOLS"]


@tool("read", "write")
def memory_sync(jay: Scrubjay, sources: Texts | None = None) -> str:
    """Read what has changed in the user's files and transcripts: all sources, or these. The user adds new ones with
    `scrubjay sync`."""
    done = jay.sync(*(sources or ()))
    if caller().grant:
        done = _without_folders(done, {source.root: source.name for source in jay.sources.list()})
    # Vectors are made for all spaces of the file.
    return replies.synced(done if caller().sees_all_spaces else replace(done, embedded=0, remaining=0))


@tool("read")
def memory_status(jay: Scrubjay) -> str:
    """Which sources have changed since they were last read."""
    found = jay.status()
    # Warnings are about the whole file, not one of its spaces.
    return replies.status(found if caller().sees_all_spaces else replace(found, warnings=()))


def _without_folders(done: Synced, names: Mapping[str, str]) -> Synced:
    """Over the network a source is called by its name: where its folder lies is not told there."""

    def named(text: str) -> str:
        for root in sorted(names, key=len, reverse=True):
            text = text.replace(root, names[root])
        return text

    skipped = tuple(replace(one, path=named(one.path), reason=named(one.reason)) for one in done.skipped)
    return replace(done, skipped=skipped)


TOOLS = (memory_sync, memory_status)
