"""Tools that look after the file."""

from __future__ import annotations

from scrubjay import Scrubjay
from scrubjay.doors import render
from scrubjay.doors.mcp import wording
from scrubjay.doors.mcp.tool import offered

__all__ = ["TOOLS"]

SHOWN = 20


@offered("read")
def memory_stats(jay: Scrubjay) -> str:
    """The memory in figures."""
    figures = render.stats_dict(jay.stats())
    return "\n".join(f"{name.replace('_', ' ')}: {value}" for name, value in figures.items() if name != "file")


@offered("admin", destroys=True)
def memory_cleanup(jay: Scrubjay, force: bool = False) -> str:
    """Show what has expired or is beyond the limits; with force, remove it for good."""
    evicted = jay.cleanup(dry_run=not force)
    if force:
        return f"Removed {len(evicted)}."
    rows = wording.told([one.memory for one in evicted[:SHOWN]])
    notes = [f"force=true removes these {len(evicted)} for good."] if evicted else []
    return wording.lines(rows, notes, "There is nothing to remove.")


@offered("admin", repeatable=True)
def memory_backfill(jay: Scrubjay) -> str:
    """Give a vector to each memory that has none yet."""
    filled = jay.backfill()
    refused = f" The embedder refused {render.enumerated(filled.failed)}." if filled.failed else ""
    return f"Embedded {filled.embedded}, {filled.remaining} remaining.{refused}"


TOOLS = (memory_stats, memory_cleanup, memory_backfill)
