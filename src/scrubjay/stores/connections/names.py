"""Names for the same thing, learnt from memories: aliases of their subjects, and abbreviations that a text defines.

Each pair is kept both ways, so that a question by one name also looks for the other. The rows follow from the memories.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress

from scrubjay.errors import Damaged
from scrubjay.stores.columns import instant, strings_from
from scrubjay.stores.contract import Rows
from scrubjay.text.abbreviations import definitions
from scrubjay.text.tokenizer import words_of
from scrubjay.types import TRUST, Filter, Memory

__all__ = ["LEARNT_FROM", "differing", "learn", "learn_again", "meanings", "relearn_all"]

LEARNT_FROM = {"text", "aliases", "subject"}  # columns
PERSON = "user"  # as a subject: not a thing with other names
MEANINGS = 3  # of one name
INSERT = "insert into names (memory, name, meaning) values (:memory, :name, :meaning) on conflict do nothing"
FIND = """
    select n.name, n.meaning, m.trust, count(*) from names n cross join memories m on m.id = n.memory
    where n.name in (:names) and m.space in (:spaces) and m.superseded_at is null
    and (m.expires_at is null or m.expires_at > :now) and not exists (select 1 from secrets x where x.memory = m.id)
    group by 1, 2, 3
"""
ANY = "select 1 from names limit 1"
ALL = "select id, text, subject, aliases from memories"


def learn(rows: Rows, id: int, memory: Memory) -> None:
    """Keep the names that a new memory gives to things; its id is this one."""
    pairs = _pairs(memory.text, memory.subject, memory.aliases)
    if named := [{"memory": id, "name": name, "meaning": meaning} for name, meaning in pairs]:
        rows.run_many(INSERT, named)


def learn_again(rows: Rows, memory: Memory) -> None:
    """The same for a memory that has changed."""
    rows.run("delete from names where memory = :id", id=memory.id)
    learn(rows, memory.id, memory)


def meanings(rows: Rows, names: Sequence[str], filter: Filter) -> dict[str, list[str]]:
    """What else the memories of some spaces call these names: the most trusted and most frequent first."""
    if rows.one(ANY) is None:
        return {}
    found = rows.all(FIND, names=list(names), spaces=list(filter.spaces), now=instant(filter.now))
    found.sort(key=lambda row: (-TRUST.index(row[2]), -row[3], row[1]))
    known: dict[str, dict[str, None]] = {}
    for name, meaning, *_ in found:
        known.setdefault(name, {})[meaning] = None
    return {name: list(others)[:MEANINGS] for name, others in known.items()}


def differing(rows: Rows) -> list[str]:
    """A sentence if the names do not follow from the memories."""
    kept = set(rows.all("select memory, name, meaning from names"))
    return [] if kept == set(_all(rows)) else ["The names that memories give to things do not fit their texts."]


def relearn_all(rows: Rows) -> None:
    rows.run("delete from names")
    columns = ("memory", "name", "meaning")
    rows.run_many(INSERT, [dict(zip(columns, row, strict=True)) for row in _all(rows)])


def _all(rows: Rows) -> Iterator[tuple[int, str, str]]:
    for id, text, subject, aliases in rows.all(ALL):
        with suppress(Damaged, TypeError):  # the check names it
            yield from ((id, name, meaning) for name, meaning in _pairs(text, subject, strings_from(aliases)))


def _pairs(text: str, subject: str | None, aliases: Sequence[str]) -> Iterator[tuple[str, str]]:
    for one, other in dict.fromkeys((*_of_aliases(subject, aliases), *definitions(text))):
        yield from ((name, meaning) for name, meaning in ((_name(one), other), (_name(other), one)) if name)


def _of_aliases(subject: str | None, aliases: Sequence[str]) -> Iterable[tuple[str, str]]:
    if not subject or subject.lower() == PERSON:
        return []
    return [(alias, subject) for alias in aliases if _name(alias) != _name(subject)]


def _name(text: str) -> str:
    """As it is looked for: its words in lower case."""
    return " ".join(words_of(text))
