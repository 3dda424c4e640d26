"""Tools that look after the file."""

from __future__ import annotations

from scrubjay import Scrubjay
from scrubjay.counting import counted
from scrubjay.doors import render
from scrubjay.doors.mcp import wording
from scrubjay.doors.mcp.callers import caller
from scrubjay.doors.mcp.tool import offered

__all__ = ["TOOLS"]

SHOWN = 20
OF_THE_FILE = {"file", "file_bytes", "spaces", "cache", "generation"}


@offered("read")
def memory_stats(jay: Scrubjay) -> str:
    """The memory in figures, and which kinds it has."""
    figures = render.stats_dict(jay.stats())
    hidden = {"file"} if caller().sees_all_spaces else OF_THE_FILE
    shown = [f"{name.replace('_', ' ')}: {value}" for name, value in figures.items() if name not in hidden]
    return wording.lines(list(map(wording.one_line, shown)))


@offered("admin", destroys=True)
def memory_cleanup(jay: Scrubjay, force: bool = False) -> str:
    """Show what has expired or is beyond the limits; with force, move it to the trash."""
    evicted = jay.cleanup(dry_run=not force)
    if force:
        return f"Removed {len(evicted)}."
    if not caller().may("read"):
        return f"force=true moves {counted(len(evicted), 'memory')} to the trash."
    rows = wording.told([one.memory for one in evicted[:SHOWN]])
    notes = [f"force=true moves {counted(len(evicted), 'memory')} to the trash."] if evicted else []
    return wording.lines(rows, notes, "There is nothing to remove.")


@offered("admin")
def memory_backfill(jay: Scrubjay, retry: bool = False, job: bool = False) -> str:
    """Give a vector to each memory that has none yet; retry: also to those that were refused; job: by a batch job."""
    filled = jay.backfill(retry=retry, job=job)
    if not caller().sees_all_spaces:  # vectors are made for the whole file
        return f"Done; {jay.stats().without_vector} of this space remaining."
    refused = f" The embedder refused {render.enumerated(filled.failed)}." if filled.failed else ""
    jobs = f" Jobs under way: {filled.jobs}; job=true fetches them when they are done." if filled.jobs else ""
    return f"Embedded {filled.embedded}, {filled.remaining} remaining.{refused}{jobs}"


@offered("read", "write")
def memory_extract(jay: Scrubjay, text: str | None = None, session: str | None = None, dry_run: bool = False) -> str:
    """Draw memories from a text, a session, or all sessions that have something new; dry_run stores nothing."""
    done = jay.extract(text, session=session, dry_run=dry_run)
    notes = [*done.notes, *([render.sessions_left(done.remaining)] if done.remaining else [])]
    return wording.lines(wording.told(done.memories[:SHOWN]), notes, "There is nothing new to remember in it.")


@offered("read", "admin")
def memory_synthesise(jay: Scrubjay, subject: str | None = None) -> str:
    """A plan of merges and corrections, by the language model that is set; the user applies it."""
    plan = jay.synthesise(subject=subject)
    rows = [
        wording.one_line(f"{one.verb} {render.enumerated(one.ids)}: {one.text or one.reason}") for one in plan.changes
    ]
    notes = (
        ["The user may apply it: `scrubjay synthesise --json > plan.json`, then `--apply plan.json`."] if rows else []
    )
    return wording.lines(rows[:SHOWN], notes, f"Nothing to change in {counted(plan.memories, 'memory')}.")


TOOLS = (memory_stats, memory_cleanup, memory_backfill, memory_extract, memory_synthesise)
