"""Tools that keep the memory level with files, transcripts and histories that the user has given it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from scrubjay import Scrubjay, Synced
from scrubjay.interfaces.mcp import replies
from scrubjay.interfaces.mcp.callers import caller
from scrubjay.interfaces.mcp.tool import Texts, offered

__all__ = ["TOOLS"]


@offered("read", "write")
def memory_sync(jay: Scrubjay, sources: Texts | None = None) -> str:
    """Read again what has changed in the user's files and transcripts: all sources, or these. New ones are taken up by
    the user, with `scrubjay sync`."""
    done = jay.sync(*(sources or ()))
    if caller().grant:
        done = _without_folders(done, {source.root: source.name for source in jay.sources.list()})
    # Vectors are made for the whole file.
    return replies.synced(done if caller().sees_all_spaces else replace(done, embedded=0, remaining=0))


@offered("read")
def memory_status(jay: Scrubjay) -> str:
    """How far the memory is behind its sources."""
    found = jay.status()
    # What is to be warned of is the file, not one of its spaces.
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
