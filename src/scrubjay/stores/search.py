"""What a search asks: candidates by word and by meaning, and what is known of each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from scrubjay.stores.columns import moment
from scrubjay.stores.contract import Engine, Nearest, Rows, Turn, WordCounts
from scrubjay.stores.filters import where
from scrubjay.stores.vectors import model_id
from scrubjay.text.tokenizer import Term, stems_of, term, terms_of
from scrubjay.types import Filter, RankingFields

if TYPE_CHECKING:
    from scrubjay.types.vectors import Matrix

__all__ = ["Search"]

COUNTED_CHARACTERS = 20_000  # of a memory
COMMON = 0.05  # of the memories, at least, hold a small word of their language
MOST_COMMON = 5_000  # and no more than so many need to
WINDOW = 2  # turns before and after one
TEXTS = """
    select x.id, title, text, context, tags, subject from each(:ids) i cross join indexed x on x.id = i.value
"""
RANKING_FIELDS = """
    select m.id, m.kind, m.project, m.speaker, m.happened_at, m.confirmed_count, m.used_count
    from each(:ids) i cross join memories m on m.id = i.value
"""
PIECES = """
    select i.value, (select count(*) from pieces p where p.memory = i.value
        and p.model = (select id from models where state = 'current')) from each(:ids) i
"""
TURNS = """
    select m.id, m.space || ' ' || m.session, n.position - m.position, n.id
    from each(:ids) i cross join memories m on m.id = i.value
    left join memories n on n.space = m.space and n.session = m.session and n.kind = 'turn'
        and n.position between m.position - :window and m.position + :window and n.position <> m.position
    where m.kind = 'turn' and m.session is not null
"""
PASSING = "select m.id from each(:ids) i cross join memories m on m.id = i.value where {where}"
BY_SUBSTRING = r"""
    select m.id from memories m where {where} and lower(m.text) like lower(:pattern) escape '\'
    order by id desc limit :limit
"""


class Search:
    """Candidates for a question, and the figures that they are ranked by."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def by_word(self, text: str, filter: Filter, limit: int, least: int) -> list[int]:
        """The best by word up to the limit; fewer than `least` only where there are no more."""
        terms = terms_of(text)
        if not terms:
            return []
        with self._engine.reading() as rows:
            return rows.text.candidates(terms, filter, limit, least)

    def by_meaning(self, vector: Matrix, filter: Filter, limit: int) -> Nearest:
        """The nearest in meaning, by exact cosine."""
        with self._engine.reading() as rows:
            return rows.vectors.nearest(vector, model_id(rows, "current"), filter, limit)

    def by_substring(self, text: str, filter: Filter, limit: int) -> list[int]:
        """What has exactly these characters in its text, the newest first."""
        condition, values = where(filter)
        escaped = text.strip().replace("\\", r"\\").replace("%", r"\%").replace("_", r"\_")
        with self._engine.reading() as rows:
            found = rows.all(BY_SUBSTRING.format(where=condition), **values, pattern=f"%{escaped}%", limit=limit)
        return [id for (id,) in found]

    def passing(self, ids: Iterable[int], filter: Filter) -> list[int]:
        """Those that a filter lets through, in the order given."""
        condition, values = where(filter)
        with self._engine.reading() as rows:
            return [id for (id,) in rows.all(PASSING.format(where=condition), **values, ids=list(ids))]

    def word_counts(self, text: str, ids: Iterable[int], spaces: Sequence[str]) -> WordCounts:
        """How often each memory holds each word of a question, and how many in these spaces do."""
        terms = terms_of(text)
        with self._engine.reading() as rows:
            counted = _counted(rows, terms, ids)
            frequencies, memories = rows.text.frequencies(terms, spaces)
        return WordCounts(frequencies, memories, counted, [one.match for one in terms])

    def speaks(self, small: Iterable[str], spaces: Sequence[str]) -> bool:
        """Whether memories there are in a language, shown by any of its small words."""
        with self._engine.reading() as rows:
            frequencies, memories = rows.text.frequencies([term(word) for word in small], spaces)
        return any(frequency >= max(min(COMMON * memories, MOST_COMMON), 1) for frequency in frequencies)

    def cosines(self, vector: Matrix, ids: Iterable[int]) -> dict[int, float]:
        """How near these are in meaning."""
        with self._engine.reading() as rows:
            return rows.vectors.cosines(vector, model_id(rows, "current"), ids)

    def alike(self, pairs: Mapping[int, int]) -> dict[int, float]:
        """The cosine between the first pieces of each and of the one beside it."""
        with self._engine.reading() as rows:
            vectors = rows.vectors.of({*pairs, *pairs.values()}, model_id(rows, "current"))
        whole = {id: other for id, other in pairs.items() if id in vectors and other in vectors}
        return {id: float(vectors[id][0] @ vectors[other][0]) for id, other in whole.items()}

    def pieces(self, ids: Iterable[int]) -> dict[int, int]:
        """How many pieces each of these was embedded in."""
        with self._engine.reading() as rows:
            return dict(rows.all(PIECES, ids=list(ids)))

    def turns(self, ids: Iterable[int]) -> dict[int, Turn]:
        """Of those that are turns: where each was said."""
        found: dict[int, Turn] = {}
        with self._engine.reading() as rows:
            places = rows.all(TURNS, ids=list(ids), window=WINDOW)
        for id, session, place, other in places:
            turn = found.setdefault(id, Turn(session, {}))
            if other is not None:
                turn.beside[place] = other
        return found

    def ranking_fields(self, ids: Iterable[int]) -> dict[int, RankingFields]:
        """What of each memory bears on its rank besides how well it matches."""
        with self._engine.reading() as rows:
            found = rows.all(RANKING_FIELDS, ids=list(ids))
        return {
            id: RankingFields(kind, project, speaker, moment(at), *uses)
            for id, kind, project, speaker, at, *uses in found
        }


def _counted(rows: Rows, terms: Sequence[Term], ids: Iterable[int]) -> dict[int, tuple[list[int], int]]:
    stems = [one.stems for one in terms]
    counted = {}
    for id, *fields in rows.all(TEXTS, ids=list(ids)):
        tokens = stems_of("\n".join(filter(None, fields))[:COUNTED_CHARACTERS])
        counted[id] = (_occurrences(stems, tokens), len(tokens))
    return counted


def _occurrences(wanted: Sequence[tuple[str, ...]], tokens: Sequence[str]) -> list[int]:
    words = Counter(tokens)
    pairs = Counter(pairwise(tokens) if any(len(stems) > 1 for stems in wanted) else ())
    return [pairs[stems[0], stems[1]] if len(stems) > 1 else words[stems[0]] if stems else 0 for stems in wanted]
