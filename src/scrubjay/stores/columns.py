"""The columns of memories, each declared once: a row becomes a memory, and a memory a row, in this one place."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from math import isfinite
from operator import attrgetter
from typing import Any, NamedTuple

from scrubjay.errors import Damaged
from scrubjay.files.regular_files import LONGEST_PATH
from scrubjay.text import words
from scrubjay.text.tokenizer import stem_numbers, stems_of
from scrubjay.types import Memory, first_words, limits
from scrubjay.types.memories import Citation

__all__ = [
    "ALL_COLUMNS",
    "AT_FIRST",
    "CHANGED_LATER",
    "COLUMNS",
    "MEMORIES",
    "NAMES",
    "REPAIR",
    "UNREADABLE",
    "from_row",
    "instant",
    "instant_or_none",
    "is_long",
    "loaded",
    "moment",
    "moment_or_none",
    "object_from",
    "path_from",
    "spellings",
    "stems_of_fields",
    "strings_from",
    "to_row",
]

REPAIR = "run `scrubjay check --deep --repair`"
COUNTED_CHARACTERS = 20_000  # of a memory; what comes after them is found, too, but not counted
ENCODED = json.JSONEncoder(ensure_ascii=False).encode
MOST_NESTED = 100  # far more than any door lets in
HALF_OF_A_CHARACTER = "\\ud"  # how an escape of one begins
UNREADABLE = (ValueError, TypeError, AttributeError, RecursionError)  # what reading a value of another program raises


def instant(moment: datetime) -> str:
    """Text that sorts as time does."""
    return _written(moment if moment.tzinfo is UTC else moment.astimezone(UTC))


@lru_cache(maxsize=8)  # most memories have the same time in three columns
def _written(utc: datetime) -> str:
    return utc.isoformat(timespec="microseconds")[:-6] + "Z"


def in_utc(text: str) -> datetime:
    found = datetime.fromisoformat(text)
    if found.tzinfo is None:  # it could be compared with no other
        raise ValueError("a time of it has no time zone")
    return found


def instant_or_none(moment: datetime | None) -> str | None:
    return None if moment is None else instant(moment)


def segmented(memory: Memory) -> str | None:
    """What is indexed in place of the text when any field is in an unspaced script."""
    others = (memory.given_title, memory.context, memory.subject, *memory.tags, *memory.aliases)
    spaced = [part for part in map(words.segment, filter(None, others)) if part]
    text = words.segment(memory.text)
    return "\n".join([text or memory.text, *spaced]) if text or spaced else None


def spellings(memory: Memory) -> str | None:
    """What is indexed besides the fields' own words."""
    text = "\n".join(filter(None, (memory.given_title, memory.text, memory.context, memory.subject, *memory.tags)))
    named = [memory.speaker] if memory.speaker and memory.said != memory.text else []
    others = words.extra_spellings("\n".join((text, *memory.aliases)))
    return "\n".join([*named, *memory.aliases, *words.parts(text), *others]) or None


def stems_of_fields(*fields: Any) -> bytes:
    """The numbers of the stems of what is indexed of a memory; a damaged row may hold what is no text.

    Of a long one, those of its beginning, as often as they occur, and then each further one once.
    """
    text = "\n".join(field for field in fields if field and isinstance(field, str))
    if not is_long(text):
        return stem_numbers(stems_of(text))
    end = max(text.rfind(" ", 0, COUNTED_CHARACTERS), text.rfind("\n", 0, COUNTED_CHARACTERS)) + 1 or COUNTED_CHARACTERS
    counted, further = stems_of(text[:end]), dict.fromkeys(stems_of(text[end:]))
    known = set(counted)
    return stem_numbers([*counted, *(stem for stem in further if stem not in known)])


def is_long(*fields: Any) -> bool:
    """Whether so much is indexed of a memory that its words are not counted to the end."""
    return sum(len(field) + 1 for field in fields if field and isinstance(field, str)) > COUNTED_CHARACTERS


def _stems(row: Mapping[str, Any]) -> bytes:
    text = "\n".join(filter(None, (row["segmented"] or row["text"], row["spellings"])))
    return stems_of_fields(row["title"], text, row["context"], row["tags"], row["subject"])


def _plain_json(text: str) -> Any:
    """JSON as any program may read it, and as it can be written again. Raises one of `UNREADABLE`."""
    found = PLAIN_JSON.decode(text)
    if text.count("[") + text.count("{") > MOST_NESTED and limits.is_nested_deeper(found, MOST_NESTED):
        raise ValueError("it is nested too deeply")
    return found


def _finite(number: str) -> float:
    """Raises ValueError for a number that JSON does not have, also where it is written as 1e999."""
    if not isfinite(found := float(number)):
        raise ValueError("a number of it is not finite")
    return found


PLAIN_JSON = json.JSONDecoder(parse_float=_finite, parse_constant=_finite)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("its text is no text")
    return value


def _strings(text: str) -> tuple[str, ...]:
    return () if text == "[]" else _checked_strings(_plain_json(text))


def _checked_strings(found: Any) -> tuple[str, ...]:
    if not isinstance(found, list) or not all(isinstance(item, str) for item in found):
        raise TypeError("a list of it is no list of texts")
    return tuple(found)


def _citations(text: str) -> tuple[Citation, ...]:
    return tuple(map(Citation.read, _strings(text)))


def _mapping(text: str) -> dict[str, Any]:
    found: Any = {} if text == "{}" else _plain_json(text)
    if not isinstance(found, dict):
        raise TypeError("its metadata are no object")
    return found


def _json_list(value: Sequence[Any]) -> str:
    return ENCODED(value) if value else "[]"


class Column(NamedTuple):
    """A column of `memories`: its name, what a memory has in it, and how that is read again."""

    name: str
    write: Callable[[Memory], Any] | None = None  # None: the field of that name, as it is
    read: Callable[[Any], Any] | None = None  # None: as it is
    optional: bool = False  # null or empty is None
    set_by_store: bool = False  # not by who stores a memory
    derived: bool = False  # from the other columns: written, never read
    follow: Callable[[Mapping[str, Any]], Any] | None = None  # how it is made, if from columns of the row
    at_first: Any = None  # what the rows of an older version hold, if it was added later

    @property
    def is_list(self) -> bool:
        return self.read in (_strings, _citations)

    def read_list(self, value: Sequence[str]) -> Any:
        """Of a list that JSON holds already."""
        assert self.read is not None
        return self.read(ENCODED(value))

    @property
    def is_time(self) -> bool:
        return self.read == in_utc


# In the order of the table.
MEMORIES = (
    Column("id", set_by_store=True),
    Column("uid"),
    Column("space"),
    Column("project"),
    Column("kind"),
    Column("subject"),
    Column("title", lambda memory: memory.given_title),  # null: the first words of the text
    Column("text", None, _text),
    Column("context"),
    Column("tags", lambda memory: _json_list(memory.tags), _strings),
    Column("metadata", lambda memory: ENCODED(memory.metadata) if memory.metadata else "{}", _mapping),
    Column("source"),
    Column("client"),
    Column("actor"),
    Column("trust"),
    Column("confidence"),
    Column("importance"),
    Column("session"),
    Column("speaker"),
    Column("document"),
    Column("position"),
    Column("first_line", lambda memory: memory.lines and memory.lines[0]),  # both together are the field `lines`
    Column("last_line", lambda memory: memory.lines and memory.lines[1]),
    Column("happened_at", lambda memory: instant(memory.happened_at), in_utc),
    Column("created_at", lambda memory: instant(memory.created_at), in_utc),
    Column("updated_at", lambda memory: instant(memory.updated_at), in_utc),
    Column("expires_at", lambda memory: instant_or_none(memory.expires_at), in_utc, optional=True),
    Column("superseded_by", set_by_store=True),
    Column("superseded_at", None, in_utc, optional=True, set_by_store=True),
    Column("confirmed_count", set_by_store=True),
    Column(
        "confirmed_at",
        lambda memory: instant_or_none(memory.confirmed_at),
        in_utc,
        optional=True,
        set_by_store=True,
    ),
    Column("used_count", set_by_store=True),
    Column("used_at", None, in_utc, optional=True, set_by_store=True),
    Column("fingerprint", derived=True),
    Column("segmented", segmented, derived=True),
    Column("digest", derived=True),
    Column("spellings", spellings, derived=True),
    Column("aliases", lambda memory: _json_list(memory.aliases), _strings, at_first="[]"),
    Column("cites", lambda memory: _json_list([one.written for one in memory.cites]), _citations, at_first="[]"),
    Column("paths", lambda memory: _json_list(memory.paths), _strings, at_first="[]"),
    Column("shown_count", set_by_store=True, at_first=0),
    Column("helpful_count", set_by_store=True, at_first=0),
    Column("unhelpful_count", set_by_store=True, at_first=0),
    Column("stems", derived=True, follow=_stems),
)
NAMES = tuple(column.name for column in MEMORIES if not column.derived)
COLUMNS = ", ".join(NAMES)  # what `from_row` reads
AT_FIRST = {column.name: column.at_first for column in MEMORIES if column.at_first is not None}
ALL_COLUMNS = tuple(column.name for column in MEMORIES)
# Set by the store, and by a change of a memory.
CHANGED_LATER = ("confirmed_count", "confirmed_at", "shown_count", "helpful_count", "unhelpful_count")
READ = tuple((column.name, column.read) for column in MEMORIES if column.read and not column.optional)
READ_IF_THERE = tuple((column.name, column.read) for column in MEMORIES if column.read and column.optional)


class _Written:
    """Columns that are written: those that are the field of their name, which are read at once, and the others."""

    def __init__(self, columns: Sequence[Column]) -> None:
        self.names = [column.name for column in columns if column.write is None and column.follow is None]
        self.values: Callable[[Memory], tuple[Any, ...]] = attrgetter(*self.names)
        self.others = [(column.name, column.write) for column in columns if column.write is not None]
        self.following = [(column.name, column.follow) for column in columns if column.follow is not None]


WRITTEN = _Written([column for column in MEMORIES if not column.set_by_store])
WRITTEN_COUNTED = _Written([one for one in MEMORIES if not one.set_by_store or one.name in CHANGED_LATER])


def from_row(row: Sequence[Any]) -> Memory:
    try:
        return _memory(row)
    except UNREADABLE as problem:
        raise Damaged(f"Memory {row[0]} cannot be read ({str(problem)[:100]}); {REPAIR}.") from problem


def _memory(row: Sequence[Any]) -> Memory:
    fields = dict(zip(NAMES, row, strict=True))
    for name, read in READ:
        fields[name] = read(fields[name])
    for name, read in READ_IF_THERE:
        value = fields[name]
        fields[name] = read(value) if value else None
    first, last = fields.pop("first_line"), fields.pop("last_line")
    if fields["title"] is None:
        fields["title"] = first_words(fields["text"])
    return Memory(lines=None if first is None or last is None else (first, last), **fields)


def to_row(memory: Memory, counted: bool = False) -> dict[str, Any]:
    """The columns of a memory that is about to be stored, without its id; `counted` adds what a change may count."""
    written = WRITTEN_COUNTED if counted else WRITTEN
    row = dict(zip(written.names, written.values(memory), strict=True))
    for name, write in written.others:
        row[name] = write(memory)
    for name, follow in written.following:
        row[name] = follow(row)
    return row


def moment(text: str) -> datetime:
    try:
        return in_utc(text)
    except UNREADABLE as problem:
        raise Damaged(f"A time in the memory cannot be read ({str(problem)[:100]}); {REPAIR}.") from problem


def moment_or_none(text: str | None) -> datetime | None:
    return moment(text) if text else None


def strings_from(text: str) -> tuple[str, ...]:
    """A JSON array of strings."""
    found = loaded(text)
    if not isinstance(found, list) or not all(isinstance(item, str) for item in found):
        raise Damaged(f"A list in the memory cannot be read; {REPAIR}.")
    return tuple(found)


def path_from(text: Any) -> str:
    """The name of a file or folder."""
    if not isinstance(text, str) or "\0" in text or len(text) > LONGEST_PATH:
        raise Damaged(f"The path of a source or document in the memory cannot be read; {REPAIR}.")
    return text


def object_from(text: str) -> dict[str, Any]:
    """A JSON object."""
    found = loaded(text)
    if not isinstance(found, dict):
        raise Damaged(f"A row of the memory cannot be read; {REPAIR}.")
    return found


def loaded(text: Any) -> Any:
    """JSON; None for what cannot be read, or not be written again: half of a character, which an escape may name."""
    try:
        found = _plain_json(text)
        if HALF_OF_A_CHARACTER in text.lower():
            ENCODED(found).encode()
    except UNREADABLE:
        return None
    return found
