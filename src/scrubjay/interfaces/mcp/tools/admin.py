"""Tools for maintenance: statistics, cleanup, vectors, extraction."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrubjay.errors import Invalid
from scrubjay.interfaces import answer_dicts, formatting
from scrubjay.interfaces.activity import access_line, activity_line
from scrubjay.interfaces.mcp import replies
from scrubjay.interfaces.mcp.callers import caller, seen_by_caller
from scrubjay.interfaces.mcp.definition import Reply, row_count, tool
from scrubjay.interfaces.table import short
from scrubjay.text.plural import counted
from scrubjay.types.models import Filled

if TYPE_CHECKING:
    from scrubjay import Scrubjay

__all__ = ["TOOLS"]

SHOWN = 20
ABOUT_THE_FILE = {"file", "file_bytes", "spaces", "cache", "generation"}


@tool("read", answers="stats")
def memory_stats(jay: Scrubjay) -> Reply:
    """Statistics of the memory: how much, how used, limits, health, ways of searching."""
    figures = answer_dicts.stats_dict(seen_by_caller(jay.stats(), jay))
    hidden = {"file"} if caller().sees_all_spaces else ABOUT_THE_FILE
    shown = {name: short(value) for name, value in figures.items() if name not in hidden}
    rows = [replies.one_line(f"{name.replace('_', ' ')}: {value}") for name, value in shown.items()]
    return Reply(replies.lines(rows), figures)


@tool("admin", answers=({"providers": "[provider]"},))
def memory_providers(jay: Scrubjay) -> Reply:
    """Ask the embedder and the generator whether they answer, how fast, with which model."""
    if not caller().sees_all_spaces:
        raise Invalid("The models are those of the whole file; this token is for some of its spaces.")
    found = jay.providers()
    return Reply("\n".join(map(formatting.provider_line, found)), {"providers": found})


@tool("read", "admin", answers="accesses")
def memory_accesses(jay: Scrubjay, id: int | None = None, limit: int = 20) -> Reply:
    """The log of what was searched, read and told: of a memory, or of all."""
    found = jay.accesses(id, limit=row_count("limit", limit))
    text = replies.lines([replies.one_line(access_line(one)) for one in found], nothing="Nothing was used.")
    return Reply(text, {"accesses": found})


@tool("read", "admin", answers="activity")
def memory_activity(jay: Scrubjay, session: str | None = None) -> Reply:
    """What hooks did: what sessions were given, what was kept, what was not and why."""
    shown = seen_by_caller(jay.activity(session=session), jay)
    text = replies.lines(list(map(activity_line, shown)), nothing="No hook has done anything here yet.")
    return Reply(text, {"activity": shown})


@tool("read", "admin", answers="cleanup", destroys=True)
def memory_cleanup(jay: Scrubjay, force: bool = False) -> Reply:
    """Show what has expired or is beyond the limits; with force, move it to the trash."""
    cleaned = seen_by_caller(jay.cleanup(dry_run=not force), jay)
    evicted = list(cleaned)
    data = {"would_remove": [] if force else evicted, "removed": evicted if force else [], "notes": cleaned.notes}
    if force:
        return Reply("\n".join([f"Removed {len(cleaned)}.", *replies.note_lines(cleaned.notes)]), data)
    rows = replies.memory_lines([one.memory for one in cleaned[:SHOWN]])
    notes = [f"force=true moves {counted(len(cleaned), 'memory')} to the trash."] if cleaned else []
    return Reply(replies.lines(rows, [*notes, *cleaned.notes], "Nothing to remove."), data)


@tool("admin", answers="backfill")
def memory_backfill(jay: Scrubjay, retry: bool = False, job: bool = False) -> Reply:
    """Make the missing vectors; retry: also those that were refused; job: by a batch job."""
    filled = jay.backfill(retry=retry, job=job)
    if not caller().sees_all_spaces:  # vectors are made for all spaces of the file
        remaining = jay.stats().without_vector
        return Reply(f"Done; {remaining} of this space remaining.", Filled(0, (), remaining))
    refused = f" The embedder refused {formatting.joined_ids(filled.failed)}." if filled.failed else ""
    jobs = f" Jobs still running: {filled.jobs}; job=true fetches them when they are done." if filled.jobs else ""
    return Reply(f"Embedded {filled.embedded}, {filled.remaining} remaining.{refused}{jobs}", filled)


@tool("read", "write", answers="extract")
def memory_extract(jay: Scrubjay, text: str | None = None, session: str | None = None, dry_run: bool = False) -> Reply:
    """Extract memories from a text, a session, or all sessions that have something new; dry_run stores nothing."""
    done = jay.extract(text, session=session, dry_run=dry_run)
    notes = [*done.notes, *([formatting.sessions_left(done.remaining)] if done.remaining else [])]
    rows = replies.memory_lines(done.memories[:SHOWN])
    return Reply(replies.lines(rows, notes, "Found nothing new to remember."), done)


@tool("read", "admin", answers="synthesise")
def memory_synthesise(jay: Scrubjay, subject: str | None = None) -> Reply:
    """A plan of merges and corrections, by the configured language model; the user applies it."""
    plan = jay.synthesise(subject=subject)
    rows = [
        replies.one_line(f"{one.verb} {formatting.joined_ids(one.ids)}: {one.text or one.reason}")
        for one in plan.changes
    ]
    notes = (
        ["The user may apply it: `scrubjay synthesise --json > plan.json`, then `--apply plan.json`."] if rows else []
    )
    return Reply(replies.lines(rows[:SHOWN], notes, f"Nothing to change in {counted(plan.memories, 'memory')}."), plan)


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
