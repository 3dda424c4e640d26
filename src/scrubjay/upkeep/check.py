"""Checking a memory: damage in its file, missing vectors, and files that other users of the machine may open."""

from __future__ import annotations

from pathlib import Path

from scrubjay import config
from scrubjay.errors import Damaged, EmbedderError
from scrubjay.files import private_files
from scrubjay.memory import daily_log
from scrubjay.memory.connections.freshness import citing
from scrubjay.memory.view import View
from scrubjay.project import trust as project_trust
from scrubjay.text.plural import counted
from scrubjay.types.reports import Check
from scrubjay.upkeep.backfill import backfill

__all__ = ["check", "exposed_files"]

# In the user's data folder: copies of clients' settings, which may hold keys, what hooks did, and where they ask.
BESIDE_THE_STORE = ("clients", "clients/*", "hooks.log*", "sockets")
EXPOSED = "Files of this memory that other users of this machine may open: {}; `scrubjay check --repair` closes them."
CITES = "Memory {0} cites {1}; look whether it still holds, and `scrubjay update {0} --cites …` cites anew."
MOST_CITATIONS = 20


def check(view: View, deep: bool = False, repair: bool = False) -> Check:
    """Look for damage, and with `repair` mend what can be mended."""
    project = project_trust.of_store(view.store.path) if repair else None
    report = view.store.maintenance.check(deep, repair, view.clock())
    if project:
        project_trust.note_store(project)
    if deep or repair:
        report = _with_missing_vectors(view, report, repair)
    warnings, repaired = private_files.check(_private_paths(view), repair)
    return Check(report.problems, [*report.repaired, *repaired], [*warnings, *_stale_citations(view)])


def _stale_citations(view: View) -> list[str]:
    """A sentence for each memory that cites what has changed or is gone; only for the first of many."""
    cite = citing(view)
    citing_memories = view.store.memories.citing(view.space, view.clock())
    every = [(memory.id, one) for memory in citing_memories for one in cite(memory, None)]
    stale = [CITES.format(id, one) for id, one in every if one.state != "FRESH"]
    left = len(stale) - MOST_CITATIONS
    more = [f"Besides these, {counted(left, 'citation')} changed."] if left > 0 else []
    return stale[:MOST_CITATIONS] + more


def exposed_files(view: View) -> tuple[str, ...]:
    """A warning if other users of this machine may open files of this memory."""
    exposed = len(private_files.open_to_others(_private_paths(view)))
    return (EXPOSED.format(exposed),) if exposed else ()


def _private_paths(view: View) -> list[Path]:
    """What only its owner should be able to open: the store, its folder if that is ours, logs and settings."""
    files = view.store.files()
    folders = {file.absolute().parent for file in files[:1] if config.is_own_folder(file.absolute().parent)}
    log = view.setting("log.folder")
    logs = daily_log.files(Path(log)) if log else []
    beside = [path for name in BESIDE_THE_STORE for path in config.data_folder().glob(name)]
    return [*folders, *files, *logs, *beside, *(path for path in [config.config_file()] if path.exists())]


def _with_missing_vectors(view: View, report: Check, repair: bool) -> Check:
    """Add to a report how many memories have no vector although others have; a repair makes the vectors."""
    selection = view.selection.follow_store()
    try:
        missing = view.store.vectors.count_pending("current") if view.store.vectors.model() else 0
    except Damaged:
        missing = 0  # the report says already what cannot be read
    if not missing:
        return report
    sentence = f"{missing} {'memory has' if missing == 1 else 'memories have'} no vector"
    if repair and selection.embedder is not None:
        try:
            filled = backfill(view)
            if not filled.remaining and not filled.failed:
                return Check(report.problems, [*report.repaired, f"{sentence}."])
        except EmbedderError as problem:
            sentence = f"{sentence} ({problem})"
    return Check([*report.problems, f"{sentence}; `scrubjay backfill` makes what is missing."], report.repaired)
