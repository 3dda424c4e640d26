"""Links between memories of one space. What was replaced hands its links on to what is current in its place.

A link that was taken away stays in the history of its memories. Of two stores that made the same link, both are kept,
and count as one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

from scrubjay.errors import Invalid, NotFound
from scrubjay.stores.columns import NAMES, from_row, instant, moment, moment_or_none
from scrubjay.stores.contract import Engine, Rows
from scrubjay.stores.filters import where
from scrubjay.stores.rows import existing
from scrubjay.types import Filter, Link, Memory

__all__ = ["COLUMNS", "Links", "expanded", "history"]

COLUMNS = ("source", "target", "word", "at", "actor", "undone_at", "undone_by")
MOST_LINKS = 200  # of one memory
PUT = """
    insert into links (source, target, word, at, actor) select :source, :target, :word, :at, :actor
    where not exists (
        select 1 from links where source = :source and target = :target and word = :word and undone_at is null
    )
    on conflict (source, target, word, at) do update set undone_at = null, undone_by = null
"""
STANDING = "source = :source and target = :target and (:word is null or word = :word) and undone_at is null"
WORDS = f"select distinct word from links where {STANDING}"
UNDO = f"update links set undone_at = :at, undone_by = :actor where {STANDING}"
COUNT = """
    select count(*) from (
        select distinct source, target, word from links where (source = :id or target = :id) and undone_at is null
    ) as standing
"""
# Of each memory, and of all that it has replaced.
OF = """
    with recursive family (now, id) as (
        select i.value, i.value from each(:ids) i
        union
        select family.now, m.id from family join memories m on m.superseded_by = family.id
    )
    select f.now, l.source, l.target, l.word, l.at, l.actor, l.target
    from family f join links l on l.source = f.id where l.undone_at is null
    union
    select f.now, l.source, l.target, l.word, l.at, l.actor, l.source
    from family f join links l on l.target = f.id where l.undone_at is null
    order by 5, 2, 3, 4
"""
HISTORY = f"""
    select {", ".join(COLUMNS)} from links where source in (:ids) or target in (:ids) order by at, source, target, word
"""
# What is current in the place of each.
CURRENT = f"""
    with recursive onward (first, id) as (
        select i.value, i.value from each(:ids) i
        union
        select onward.first, r.superseded_by from onward join memories r on r.id = onward.id
        where r.superseded_by is not null
    )
    select onward.first, {", ".join(f"m.{name}" for name in NAMES)}
    from onward cross join memories m on m.id = onward.id where {{where}}
"""


class Links:
    """Links between memories, each from one to another, with a word."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def put(self, link: Link, space: str) -> None:
        with self._engine.writing([space]) as rows:
            for id in (link.source, link.target):
                existing(rows, id, [space])
                if rows.one(COUNT, id=id)[0] >= MOST_LINKS:
                    raise Invalid(f"Memory {id} has {MOST_LINKS} links already; unlink some first.")
            ends = {"source": link.source, "target": link.target, "word": link.word}
            rows.run(PUT, **ends, at=instant(link.at), actor=link.actor)

    def undo(self, source: int, target: int, word: str | None, space: str, at: datetime, actor: str | None) -> int:
        """Take away the link of a word, or without one those of all words; how many there were."""
        ends = {"source": source, "target": target, "word": word}
        with self._engine.writing([space]) as rows:
            for id in (source, target):
                existing(rows, id, [space])
            words = rows.all(WORDS, **ends)
            rows.run(UNDO, **ends, at=instant(at), actor=actor)
        if not words:
            raise NotFound(f"There is no such link from {source} to {target}.")
        return len(words)

    def of_each(self, ids: Sequence[int]) -> dict[int, list[Link]]:
        """The links from each of these memories that stand."""
        found: dict[int, list[Link]] = {}
        with self._engine.reading() as rows:
            for link in history(rows, ids):
                if link.undone_at is None:
                    found.setdefault(link.source, []).append(link)
        return found

    def of(self, id: int, filter: Filter) -> list[Link]:
        """The links of a memory, each with the memory at its other end."""
        with self._engine.reading(filter.spaces) as rows:
            existing(rows, id, filter.spaces)
            return [link for _, link in _links(rows, [id], filter)]


def expanded(rows: Rows, ids: Sequence[int], depth: int, most: int, filter: Filter) -> dict[int, list[Link]]:
    """What is linked to memories, up to so many links away, and at most so many in all: the nearest first.

    None is told twice, nor any of the memories themselves, so that a circle ends.
    """
    found: dict[int, list[Link]] = {}
    begins_at, level = {id: id for id in ids}, list(ids)
    for _ in range(depth):
        links, level = _links(rows, level, filter), []
        for near, link in links:
            other = link.memory
            if other is None or other.id in begins_at:
                continue
            if len(begins_at) - len(ids) == most:
                return found
            begins_at[other.id] = begins_at[near]
            found.setdefault(begins_at[near], []).append(link)
            level.append(other.id)
        if not level:
            break
    return found


def history(rows: Rows, ids: Sequence[int]) -> tuple[Link, ...]:
    """Every link that memories have or had, the oldest first."""
    return tuple(
        Link(source, target, word, moment(at), actor, None, moment_or_none(undone_at), undone_by)
        for source, target, word, at, actor, undone_at, undone_by in rows.all(HISTORY, ids=list(ids))
    )


def _links(rows: Rows, ids: Sequence[int], filter: Filter) -> list[tuple[int, Link]]:
    """The links of memories, each with that of the memories whose it is."""
    found = rows.all(OF, ids=list(ids))
    current = dict(_current(rows, {row[-1] for row in found}, filter)) if found else {}
    links: dict[tuple[int, int, int, str], Link] = {}
    for now, source, target, word, at, actor, other in found:
        if other in current and current[other].id != now:
            links.setdefault((now, source, target, word), Link(source, target, word, moment(at), actor, current[other]))
    return [(now, link) for (now, *_), link in links.items()]


def _current(rows: Rows, ids: Iterable[int], filter: Filter) -> Iterator[tuple[int, Memory]]:
    condition, values = where(Filter(spaces=filter.spaces, now=filter.now))
    for first, *row in rows.all(CURRENT.format(where=condition), **values, ids=list(ids)):
        yield first, from_row(row)
