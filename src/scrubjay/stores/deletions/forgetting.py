"""Forgetting for good: which memories, what came of them, who else says the same, and erasing them at once."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from datetime import datetime
from typing import NamedTuple

from scrubjay.stores import records, vectors
from scrubjay.stores.agents.uses import Uses
from scrubjay.stores.columns import COLUMNS, from_row
from scrubjay.stores.contract import Engine, Rows
from scrubjay.stores.deletions import stored_words
from scrubjay.stores.deletions.inherited_notes import forget_notes
from scrubjay.stores.deletions.session_names import (
    forget_sessions,
    is_known,
    sessions_ending_with,
    sessions_of,
)
from scrubjay.stores.deletions.tombstones import note_deletion
from scrubjay.stores.deletions.trash import Trash, discard, forget_traces
from scrubjay.stores.filters import where_ever
from scrubjay.stores.rows import find
from scrubjay.types import Filter, Memory

__all__ = ["Erased", "Forgetting", "Holder"]

NAMED = f"select {COLUMNS} from memories where id in (:ids) and space = :space order by id"
IN_TRASH = "select id from trash where space = :space and record in (select record from trash where id in (:ids))"
MATCHING = f"select {COLUMNS} from memories m where {{where}} order by id"
NEXT_IN_CHAIN = """
    select old, new from steps where new is not null and (old in (:ids) or new in (:ids))
    union select old, new from trash_steps where new is not null and (old in (:ids) or new in (:ids))
"""
# What replaced it or was replaced by it, and what was extracted from its session.
DERIVED = f"""
    select {COLUMNS} from memories where space = :space and id not in (:ids) and (
        id in (:chain)
        or source in (select 'extract:' || session from memories where id in (:ids) and session is not null)
        or (kind = 'summary' and session in (select session from memories where id in (:ids) and kind = 'turn'))
    ) order by id
"""
HOLDS = """
    select id from memories where space = :space and (instr(text, :text) > 0
    or instr(coalesce(title, ''), :text) > 0 or instr(coalesce(context, ''), :text) > 0) order by id limit 20
"""
SAID_ELSEWHERE = """
    select 1 from memories where instr(text, :text) > 0
    union all select 1 from trash where instr(kept, :kept) > 0 limit 1
"""
CAME_OF_IT = "it came of what was forgotten"
SAYS_IT = "it says the same"
SAYS_WORDS = "it says what was looked for"


class Holder(NamedTuple):
    """A memory that still holds what was forgotten."""

    id: int
    why: str
    texts: frozenset[str] = frozenset()


class Erased(NamedTuple):
    """Whether no file has its bytes any more, and the names of the sessions that were forgotten with it."""

    complete: bool  # False while somebody reads an older state of the file
    sessions: Sequence[str]
    tasks: Sequence[int]  # that are kept, and had the note of one that was forgotten


class Forgetting:
    """Erasing memories at once, without a stay in the trash."""

    def __init__(self, engine: Engine, uses: Uses, trash: Trash) -> None:
        self._engine = engine
        self._uses = uses
        self._trash = trash

    def named(self, ids: Collection[int], space: str) -> list[Memory]:
        """Those of the ids that there are, in the trash, too."""
        with self._engine.reading([space]) as rows:
            found = [from_row(row) for row in rows.all(NAMED, ids=list(ids), space=space)]
        return [*found, *(deleted.memory for deleted in self._trash.all(space) if deleted.memory.id in ids)]

    def matching(self, filter: Filter, query: str | None) -> list[Memory]:
        """Current, replaced, expired and deleted memories that pass, and are stored with these words as written."""
        condition, values = where_ever(filter)
        with self._engine.reading(filter.spaces) as rows:
            if query:
                ids = stored_words.in_memories(rows, condition, values, query)
                found = rows.all(NAMED, ids=ids, space=filter.spaces[0])
                deleted_ids = stored_words.in_trash(rows, filter.spaces[0], query)
            else:
                found = rows.all(MATCHING.format(where=condition), **values)
        deleted = (one.memory for one in self._trash.all(filter.spaces[0]))
        passing = (memory for memory in deleted if _passes(memory, filter) and (not query or memory.id in deleted_ids))
        return [*map(from_row, found), *passing]

    def saying(self, words: str, space: str) -> list[str]:
        """What says the words: memories, and names, which are not erased with the memories that they are of."""
        with self._engine.reading([space]) as rows:
            ids = stored_words.in_memories(rows, "m.space = :space", {"space": space}, words)
            deleted = stored_words.in_trash(rows, space, words)
            memories = [f"memory {id}: {SAYS_WORDS}" for id in (*ids, *sorted(deleted))]
            return [*stored_words.shortened(memories), *stored_words.in_names(rows, space, words)]

    def with_versions(self, memories: Sequence[Memory], space: str) -> list[Memory]:
        """These; of one that tells a record, those of all its versions: they are forgotten together."""
        with self._engine.reading([space]) as rows:
            ids = records.with_versions(rows, [memory.id for memory in memories], [space])
            ids += [id for (id,) in rows.all(IN_TRASH, ids=ids, space=space)]
        return self.named(ids, space)

    def derived(self, memories: Sequence[Memory], space: str) -> list[Memory]:
        """What was replaced by these or has replaced them, and what was extracted from them."""
        ids = [memory.id for memory in memories]
        with self._engine.reading([space]) as rows:
            found = rows.all(DERIVED, ids=ids, chain=sorted(_chain(rows, ids)), space=space)
        return [from_row(row) for row in found]

    def holders(self, texts: Sequence[str], derived: Collection[int], space: str) -> list[Holder]:
        """Memories that still hold one of these texts, or came of them."""
        found: dict[int, set[str]] = {id: set() for id in derived}
        with self._engine.reading([space]) as rows:
            for text in texts:
                for (id,) in rows.all(HOLDS, space=space, text=text):
                    found.setdefault(id, set()).add(text)
        return [
            Holder(id, CAME_OF_IT if id in derived else SAYS_IT, frozenset(said)) for id, said in sorted(found.items())
        ]

    def is_said_elsewhere(self, texts: Sequence[str]) -> bool:
        """Whether a memory of any space, or of any trash, says one of these texts."""
        with self._engine.reading() as rows:
            return any(rows.one(SAID_ELSEWHERE, text=text, kept=json.dumps(text)[1:-1]) for text in texts)

    def knows_session(self, name: str, space: str) -> bool:
        """Whether anything is stored under the name of a session, apart from its memories."""
        with self._engine.reading([space]) as rows:
            return is_known(rows, space, name)

    def named_after(self, session: str, space: str) -> list[str]:
        """What has the name of a session in its own, and is not erased with it."""
        with self._engine.reading([space]) as rows:
            return stored_words.in_names(rows, space, session)

    def sessions_ending_with(self, memories: Sequence[Memory], sessions: Collection[tuple[str, str]]) -> list[str]:
        """The names that are forgotten with these memories, and with sessions of which none is left."""
        with self._engine.reading() as rows:
            return [name for _, name in sessions_ending_with(rows, memories, sessions)]

    def forget(self, memories: Sequence[Memory], sessions: Collection[tuple[str, str]], at: datetime) -> Erased:
        """Erase memories from every file; and sessions, each with its space, of which none is left."""
        ids = [memory.id for memory in memories]
        with self._engine.writing() as rows:  # questions asked in other spaces, and kept answers, may tell of them
            tasks = forget_notes(rows, ids, _chain(rows, ids))
            for memory in memories:
                note_deletion(rows, memory, at)
                if (found := find(rows, memory.id)) is not None:
                    discard(rows, found, at, "forgotten")
            self._uses.flush(rows)
            rows.run("delete from trash where id in (:ids)", ids=ids)
            names = forget_sessions(rows, {*sessions, *sessions_of(memories)}, at)
            vectors.forget_cached(rows)
            forget_traces(rows, at)
        self._trash.finish()
        return Erased(self._trash.emptied_at() is not None, names, tasks)


def _chain(rows: Rows, ids: Collection[int]) -> set[int]:
    """These, and all that replaced them or was replaced by them, also in the trash."""
    chain, last = {*ids}, {*ids}
    while last:
        last = {id for pair in rows.all(NEXT_IN_CHAIN, ids=sorted(last)) for id in pair} - chain
        chain |= last
    return chain


def _passes(memory: Memory, filter: Filter) -> bool:
    """The same for a memory in the trash, which is in no table."""
    sources = filter.sources
    place = (memory.source, memory.document or "")
    return (
        filter.subject in (None, memory.subject)
        and filter.session in (None, memory.session)
        and (filter.since is None or memory.happened_at >= filter.since)
        and (filter.until is None or memory.happened_at <= filter.until)
        and (
            not sources
            or any(one == name or one.startswith((f"{name}:", f"{name}/")) for one in place for name in sources)
        )
    )
