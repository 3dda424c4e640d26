"""Tools for maintenance: statistics, cleanup, vectors, extraction."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrubjay.errors import Invalid
from scrubjay.interfaces import formatting
from scrubjay.interfaces.activity import access_line, activity_line
from scrubjay.interfaces.mcp import replies
from scrubjay.interfaces.mcp.callers import caller, seen_by_caller
from scrubjay.interfaces.mcp.definition import row_count, tool
from scrubjay.text.plural import counted

if TYPE_CHECKING:
    from scrubjay import Scrubjay

__all__ = ["TOOLS"]

SHOWN = 20
ABOUT_THE_FILE = {"file", "file_bytes", "spaces", "cache", "generation"}


@tool("read")
def memory_stats(jay: Scrubjay) -> str:
    """Statistics of the memory: how much, how used, limits, health, ways of searching."""
    figures = formatting.stats_dict(seen_by_caller(jay.stats(), jay))
    hidden = {"file"} if caller().sees_all_spaces else ABOUT_THE_FILE
    shown = {name: formatting.short(value) for name, value in figures.items() if name not in hidden}
    return replies.lines([replies.one_line(f"{name.replace('_', ' ')}: {value}") for name, value in shown.items()])


@tool("admin")
def memory_providers(jay: Scrubjay) -> str:
    """Ask the embedder and the generator whether they answer, how fast, with which model."""
    if not caller().sees_all_spaces:
        raise Invalid("The models are those of the whole file; this token is for some of its spaces.")
    return "\n".join(map(formatting.provider_line, jay.providers()))


@tool("read", "admin")
def memory_accesses(jay: Scrubjay, id: int | None = None, limit: int = 20) -> str:
    """The log of what was searched, read and told: of a memory, or of all."""
    found = jay.accesses(id, limit=row_count("limit", limit))
    return replies.lines([replies.one_line(access_line(one)) for one in found], nothing="Nothing was used.")


@tool("read", "admin")
def memory_activity(jay: Scrubjay, session: str | None = None) -> str:
    """What hooks did: what sessions were given, what was kept, what was not and why."""
    shown = seen_by_caller(jay.activity(session=session), jay)
    return replies.lines(list(map(activity_line, shown)), nothing="No hook has done anything here yet.")


@tool("admin", destroys=True)
def memory_cleanup(jay: Scrubjay, force: bool = False) -> str:
    """Show what has expired or is beyond the limits; with force, move it to the trash."""
    cleaned = seen_by_caller(jay.cleanup(dry_run=not force), jay)
    if force:
        return "\n".join([f"Removed {len(cleaned)}.", *replies.note_lines(cleaned.notes)])
    if not caller().may("read"):
        return f"force=true moves {counted(len(cleaned), 'memory')} to the trash."
    rows = replies.memory_lines([one.memory for one in cleaned[:SHOWN]])
    notes = [f"force=true moves {counted(len(cleaned), 'memory')} to the trash."] if cleaned else []
    return replies.lines(rows, [*notes, *cleaned.notes], "Nothing to remove.")


@tool("admin")
def memory_backfill(jay: Scrubjay, retry: bool = False, job: bool = False) -> str:
    """Make the missing vectors; retry: also those that were refused; job: by a batch job."""
    filled = jay.backfill(retry=retry, job=job)
    if not caller().sees_all_spaces:  # vectors are made for all spaces of the file
        return f"Done; {jay.stats().without_vector} of this space remaining."
    refused = f" The embedder refused {formatting.joined_ids(filled.failed)}." if filled.failed else ""
    jobs = f" Jobs still running: {filled.jobs}; job=true fetches them when they are done." if filled.jobs else ""
    return f"Embedded {filled.embedded}, {filled.remaining} remaining.{refused}{jobs}"


@tool("read", "write")
def memory_extract(jay: Scrubjay, text: str | None = None, session: str | None = None, dry_run: bool = False) -> str:
    """Extract memories from a text, a session, or all sessions that have something new; dry_run stores nothing."""
    done = jay.extract(text, session=session, dry_run=dry_run)
    notes = [*done.notes, *([formatting.sessions_left(done.remaining)] if done.remaining else [])]
    return replies.lines(replies.memory_lines(done.memories[:SHOWN]), notes, "Found nothing new to remember.")


@tool("read", "admin")
def memory_synthesise(jay: Scrubjay, subject: str | None = None) -> str:
    """A plan of merges and corrections, by the configured language model; the user applies it."""
    plan = jay.synthesise(subject=subject)
    rows = [
        replies.one_line(f"{one.verb} {formatting.joined_ids(one.ids)}: {one.text or one.reason}")
        for one in plan.changes
    ]
    notes = (
        ["The user may apply it: `scrubjay synthesise --json > plan.json`, then `--apply plan.json`."] if rows else []
    )
    return replies.lines(rows[:SHOWN], notes, f"Nothing to change in {counted(plan.memories, 'memory')}.")


TOOLS = (
    memory_stats,
    memory_providers,
    memory_accesses,
    memory_activity,
    memory_cleanup,
    memory_backfill,
    memory_extract,
    memory_synthesise,
)
