"""How often the words of a question occur in memories: counted in the numbers of their stems, not in their texts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import compress, count
from typing import TYPE_CHECKING, Any, NamedTuple

from scrubjay.stores.columns import is_long, stems_of_fields
from scrubjay.stores.contract import Rows
from scrubjay.stores.evidence.asked_words import AskedWords
from scrubjay.text.tokenizer import Term, stem_number

if TYPE_CHECKING:
    from scrubjay.types.vectors import Numbers

__all__ = ["Counted", "WordCounts", "count_words", "make_stems_anew", "numbers_of"]

NUMBER_BYTES = 4
INDEXED = """
    select m.id, m.space, i.title, i.text, i.context, i.tags, i.subject
    from memories m join indexed i on i.id = m.id where m.id > :after order by m.id limit :most
"""
UPDATE = "update memories set stems = :stems where space = :space and id = :id"
ROWS_AT_ONCE = 5_000


class Counted(NamedTuple):
    """How often some memories hold each word of a question: a row for each memory, a column for each word."""

    rows: Mapping[int, int]  # by id
    occurrences: Numbers
    lengths: Numbers  # how many words each memory has in all

    def of(self, ids: Iterable[int]) -> Counted:
        """Those of these memories that are there, in this order."""
        kept = [id for id in ids if id in self.rows]
        places = [self.rows[id] for id in kept]
        return Counted(dict(zip(kept, count())), self.occurrences[places], self.lengths[places])


class WordCounts(NamedTuple):
    """How often the words of a question occur: in how many memories of a space, and how often in each of a few."""

    frequencies: Sequence[int]
    memories: int
    counted: Counted
    words: Sequence[str] = ()  # as they are written in the question

    def held_by(self, id: int) -> tuple[str, ...]:
        """Those of the words that a memory has."""
        row = self.counted.rows.get(id)
        return () if row is None else tuple(compress(self.words, self.counted.occurrences[row]))


def count_words(asked: AskedWords, stems: Mapping[int, bytes]) -> Counted:
    """How often each of these memories, of which the stems are given, holds each word of a question."""
    import numpy as np

    found = {id: own for id, own in stems.items() if isinstance(own, bytes)}  # a damaged row may hold anything
    numbers, lengths = numbers_of(list(found.values()))
    ends = np.cumsum(lengths, dtype=np.int64)
    before = asked.joined([_before(term, numbers, ends) for term in asked.every])
    occurrences = np.array(before, dtype=np.float64).reshape(len(before), len(found))
    occurrences[:, 1:] -= occurrences[:, :-1].copy()
    return Counted(dict(zip(found, count())), occurrences.T, np.array(lengths, dtype=np.float64))


def numbers_of(stems: Sequence[bytes]) -> tuple[Any, list[int]]:
    """The numbers of the stems of some memories, one memory after the other, and how many each has."""
    import numpy as np

    lengths = [len(own) // NUMBER_BYTES for own in stems]
    whole = [own[: length * NUMBER_BYTES] for own, length in zip(stems, lengths, strict=True)]
    return np.frombuffer(b"".join(whole), dtype="<u4"), lengths


def _before(term: Term, numbers: Any, ends: Any) -> Any:
    """How often a word, or several that are neighbours, occur before each of the ends."""
    import numpy as np

    found = (numbers == stem_number(term.stems[0])).nonzero()[0] if term.stems else np.zeros(0, dtype=np.int64)
    for place, stem in enumerate(term.stems[1:], 1):
        followed = found[found + place < len(numbers)]
        found = followed[numbers[followed + place] == stem_number(stem)]
        found = found[~np.isin(found + place, ends)]  # this one is of another memory
    return found.searchsorted(ends)


def make_stems_anew(rows: Rows, only_long: bool = False) -> None:
    """Write the stems of every memory: of those of an older version, or of a file that somebody else has made."""
    after = 0
    while found := rows.all(INDEXED, after=after, most=ROWS_AT_ONCE):
        wanted = [row for row in found if not only_long or is_long(*row[2:])]
        made = [{"id": id, "space": space, "stems": stems_of_fields(*fields)} for id, space, *fields in wanted]
        rows.run_many(UPDATE, made)
        after = found[-1][0]
