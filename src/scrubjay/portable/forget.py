"""Forgetting for good: out of every table and file at once, past the trash, with a certificate of what is gone."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from glob import escape
from pathlib import Path
from typing import Any

from scrubjay.agents.activity import forget_sessions
from scrubjay.errors import Invalid, NotFound
from scrubjay.memory import daily_log
from scrubjay.memory.arguments import memory_id, whole_text
from scrubjay.memory.view import View
from scrubjay.portable.export import FETCHED
from scrubjay.stores.deletions.forgetting import Erased, Holder
from scrubjay.text.secret_scan.quoting import quoted
from scrubjay.types import Memory
from scrubjay.types.reports import Certificate, Forgotten, Removed

__all__ = ["forget", "note_log"]

CRITERIA = ("subject", "session", "since", "until", "sources")
NOTHING_NAMED = "Say what to forget: ids, a subject, session, time span, source or query."
ONLY_THE_USER = "Only the user may forget for good; `delete` moves a memory to the trash."
LOG = "log"  # what a server notes, beside the kinds of copies
NOUNS = ("contact", "project", "skill")  # records, which an address may name
MAY_NAME = "log {} of `scrubjay serve`, and the older ones beside it: the address of a request may have a name"
KEPT = {"before-restore": "backup", "damaged": "file"}
UNCHANGED = "file {}: it could not be changed; look there for what was forgotten"
LEAST_CHARACTERS = 8  # of a text that is looked for in the files: less may stand there by chance
SOUGHT_CHARACTERS = 200
MOST_SOUGHT = 500
PIECE_BYTES = 8_000_000
PENDING = (
    "Somebody still reads an older state of the file: its bytes go when they are done; run `scrubjay trash --empty`."
)
NOTE_GONE = "The note of a task was taken from what replaced it or was replaced by it, too: {}."
SAID_ELSEWHERE = (
    "The same text is in the file all the same: a memory of another space, or one in the trash, says it. It stays there"
    " until that is forgotten, too."
)
STAYS_IN_FILE = (
    "The same words are in a file of the memory, though no memory says them. Short ones may stand there by chance; for"
    " others, run `scrubjay trash --empty`."
)
IN_DATABASE = (
    "No row of the database holds it; its files keep the bytes until they are written over, or its administrator runs"
    " VACUUM FULL, and so do its log and its backups."
)


def forget(
    view: View, ids: Sequence[int], criteria: Mapping[str, Any], query: str | None, *, derived: bool, dry_run: bool
) -> Forgotten:
    """Erase memories that are named or match, current, replaced or in the trash; with `derived`, what came of them."""
    if view.trust != "user":
        raise Invalid(ONLY_THE_USER)
    query = whole_text("query", query) if query else None
    chosen = view.store.forgetting.with_versions(_chosen(view, ids, criteria, query), view.space)
    came_of_them = view.store.forgetting.derived(chosen, view.space)
    if derived:
        chosen, came_of_them = view.store.forgetting.with_versions([*chosen, *came_of_them], view.space), []
    session = None if ids or query else _session_alone(view, criteria)
    planned = Forgotten(memories=tuple(chosen), derived=tuple(came_of_them), certificate=None, session=session)
    if dry_run or not (chosen or session):
        return planned
    named = [(view.space, session)] if session else []
    lines, unchanged = _forget_in_daily_log(view, chosen)  # logs first: after a crash, all can still be named
    unchanged += forget_sessions(view, view.store.forgetting.sessions_ending_with(chosen, named))
    erased = view.store.forgetting.forget(chosen, named, view.clock())
    saying = view.store.forgetting.saying(query, view.space) if query else []
    saying += view.store.forgetting.named_after(session, view.space) if session and not chosen else []
    saying += map(UNCHANGED.format, unchanged)
    certificate = _certificate(view, chosen, came_of_them, erased, lines, saying)
    return replace(planned, certificate=certificate)


def _forget_in_daily_log(view: View, memories: Sequence[Memory]) -> daily_log.RemovedLines:
    folder = "" if view.store.read_only else view.setting("log.folder")
    return daily_log.remove(Path(folder), memories) if folder else daily_log.RemovedLines(0, [])


def note_log(view: View, file: Path) -> None:
    """Remember where a server logs, so that whoever forgets something is told of it."""
    if not view.store.read_only:
        where = view.allowed(str(file.expanduser().absolute()), redact=True)
        view.store.transfer.note_copy(where, LOG, (), view.clock())


def _session_alone(view: View, criteria: Mapping[str, Any]) -> str | None:
    """The session that is to be forgotten, if it is the only criterion and something but memories is stored of it."""
    given = {name: value for name, value in criteria.items() if value not in (None, (), [])}
    name = view.filter(given).session if given.keys() == {"session"} else None
    return name if name and view.store.forgetting.knows_session(name, view.space) else None


def _chosen(view: View, ids: Sequence[int], criteria: Mapping[str, Any], query: str | None) -> list[Memory]:
    given = {name: value for name, value in criteria.items() if value not in (None, (), [])}
    if unknown := sorted(set(given) - set(CRITERIA)):
        raise Invalid(f"forget has no criterion {quoted(unknown[0])}; it has {', '.join(CRITERIA)}.")
    if not ids and not given and not query:
        raise Invalid(NOTHING_NAMED)
    store = view.store.forgetting
    if ids:
        named = store.named([memory_id(id) for id in ids], view.space)
        if missing := [str(id) for id in ids if id not in {memory.id for memory in named}]:
            raise NotFound(f"There is no memory {', '.join(missing)} in space {view.space!r}, nor in its trash.")
        if not given and not query:
            return named
    filter = replace(view.filter(given), include_superseded=True, without_narration=False)
    found = store.matching(filter, query)
    return [memory for memory in found if not ids or memory.id in ids]


def _certificate(
    view: View, gone: Sequence[Memory], came_of_them: Sequence[Memory], erased: Erased, log_lines: int,
    saying: Sequence[str],
) -> Certificate:  # fmt: skip
    sought = [text for memory in gone if len(text := _sought(memory)) >= LEAST_CHARACTERS][:MOST_SOUGHT]
    holders = view.store.forgetting.holders(sought, [memory.id for memory in came_of_them], view.space)
    held_here = {text for holder in holders for text in holder.texts}
    files = view.store.files()
    elsewhere = [text for text in sought if text not in held_here]
    left = _files_with(files, elsewhere) if erased.complete else []
    return Certificate(
        at=view.clock(),
        space=view.space,
        removed=tuple(Removed(memory.id, memory.uid, memory.kind, memory.created_at) for memory in gone),
        sessions=len(erased.sessions),
        daily_log_lines=log_lines,
        searched_files=tuple(file.name for file in files if file.is_file()),
        still_held=tuple(
            dict.fromkeys(
                [
                    *_memories(holders),
                    *_copies(view),
                    *_kept_beside(view),
                    *_logs(view, gone, len(erased.sessions)),
                    *_documents(gone),
                    *saying,
                    *map(_in_file, left),
                ]
            )
        ),
        status="complete" if erased.complete and not left else "pending",
        notes=(
            *(() if erased.complete else (PENDING,)),
            *((NOTE_GONE.format(", ".join(map(str, erased.tasks))),) if erased.tasks else ()),
            *((_why_left(view, elsewhere),) if left else ()),
            *((IN_DATABASE,) if "://" in view.store.path else ()),
        ),
    )


def _why_left(view: View, texts: Sequence[str]) -> str:
    """Why files still have the bytes of what is gone, but not who else says it: that may be nobody's business here."""
    return SAID_ELSEWHERE if view.store.forgetting.is_said_elsewhere(texts) else STAYS_IN_FILE


def _sought(memory: Memory) -> str:
    """A part of its text that stands in the files as it is, if any does."""
    return max(memory.text.splitlines(), key=len, default="")[:SOUGHT_CHARACTERS].strip()


def _files_with(files: Iterable[Path], texts: Sequence[str]) -> list[Path]:
    """The files in which one of the texts stands, byte for byte."""
    sought = [text.encode() for text in texts]
    longest = max(map(len, sought), default=0)
    return [file for file in files if file.is_file() and longest and _has_any(file, sought, longest)]


def _has_any(path: Path, sought: Sequence[bytes], longest: int) -> bool:
    with path.open("rb") as file:
        before = b""
        while piece := file.read(PIECE_BYTES):
            if any(text in before + piece for text in sought):
                return True
            before = piece[-longest:]
    return False


def _memories(holders: Iterable[Holder]) -> list[str]:
    return [f"memory {holder.id}: {holder.why}" for holder in holders]


def _copies(view: View) -> list[str]:
    """Backups and exports of this space that were made here and are still there, or are on other machines."""
    found = view.store.transfer.copies()
    return [
        f"{kind} {path}"
        for path, kind, spaces, _ in found
        if kind != LOG and view.space in (json.loads(spaces) or [view.space]) and _may_be_there(path)
    ]


def _kept_beside(view: View) -> list[str]:
    """What a restore or a repair has kept of the file as it was before; they may not have come to note it."""
    store = Path(view.store.path).absolute()
    return [
        f"{what} {path}"
        for name, what in KEPT.items()
        for path in (sorted(store.parent.glob(f"{escape(store.name)}.{name}-*")) if view.store.files() else ())
    ]


def _logs(view: View, gone: Iterable[Memory], sessions: int) -> list[str]:
    """Logs of servers, where the name of a session or record that was forgotten may be in the address of a request."""
    if not sessions and not any(memory.kind in NOUNS for memory in gone):
        return []
    found = [path for path, kind, *_ in view.store.transfer.copies() if kind == LOG and _may_be_there(path)]
    return [MAY_NAME.format(path) for path in found]


def _may_be_there(path: str) -> bool:
    return path.startswith(FETCHED) or "://" in path or Path(path).exists()


def _documents(gone: Iterable[Memory]) -> list[str]:
    named = sorted({memory.document for memory in gone if memory.document})
    return [f"document {name}, which is not Scrubjay's to change" for name in named]


def _in_file(path: Path) -> str:
    return f"file {path}"
