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
    """Show what has expired or is beyond the limits; with force, move it to the trash."""
    evicted = jay.cleanup(dry_run=not force)
    if force:
        return f"Removed {len(evicted)}."
    rows = wording.told([one.memory for one in evicted[:SHOWN]])
    notes = [f"force=true moves these {len(evicted)} to the trash."] if evicted else []
    return wording.lines(rows, notes, "There is nothing to remove.")


@offered("admin", repeatable=True)
def memory_backfill(jay: Scrubjay, retry: bool = False, job: bool = False) -> str:
    """Give a vector to each memory that has none yet; retry: also to those that were refused; job: by a batch job."""
    filled = jay.backfill(retry=retry, job=job)
    refused = f" The embedder refused {render.enumerated(filled.failed)}." if filled.failed else ""
    jobs = f" Jobs under way: {filled.jobs}; job=true fetches them when they are done." if filled.jobs else ""
    return f"Embedded {filled.embedded}, {filled.remaining} remaining.{refused}{jobs}"


@offered("write", repeatable=True)
def memory_extract(jay: Scrubjay, text: str | None = None, session: str | None = None, dry_run: bool = False) -> str:
    """Draw memories from a text, a session, or all sessions that have something new; dry_run stores nothing."""
    done = jay.extract(text, session=session, dry_run=dry_run)
    notes = [*done.notes, *([f"{done.remaining} sessions remain."] if done.remaining else [])]
    return wording.lines(wording.told(done.memories[:SHOWN]), notes, "There is nothing new to remember in it.")


@offered("admin", repeatable=True)
def memory_synthesise(jay: Scrubjay, subject: str | None = None) -> str:
    """A plan of merges and corrections, by the language model that is set; the user applies it."""
    plan = jay.synthesise(subject=subject)
    rows = [
        f"{one.verb} {render.enumerated(one.ids)}: {wording.one_line(one.text or one.reason)}" for one in plan.changes
    ]
    notes = (
        ["The user may apply it: `scrubjay synthesise --json > plan.json`, then `--apply plan.json`."] if rows else []
    )
    return wording.lines(rows[:SHOWN], notes, f"Nothing to change in {plan.memories} memories.")


TOOLS = (memory_stats, memory_cleanup, memory_backfill, memory_extract, memory_synthesise)
