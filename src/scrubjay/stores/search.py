"""What a search reads: candidates by word and by meaning, evidence about them, and the memories to show."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from itertools import pairwise
from typing import TYPE_CHECKING

from scrubjay.errors import EmbedderMismatch
from scrubjay.stores.columns import moment
from scrubjay.stores.contract import (
    Background,
    CandidateRequest,
    Candidates,
    Engine,
    Evidence,
    EvidenceRequest,
    Presented,
    Rows,
    Turn,
    WordCounts,
)
from scrubjay.stores.filters import where
from scrubjay.stores.memories import beside, kinds, newest
from scrubjay.stores.rows import get
from scrubjay.stores.vectors import Samples, model_id, model_of
from scrubjay.text.tokenizer import Term, stems_of, terms_of
from scrubjay.types import Filter, Memory, Model, RankingFields

if TYPE_CHECKING:
    from scrubjay.types.vectors import Matrix

__all__ = ["Search", "Snapshot"]

COUNTED_CHARACTERS = 20_000  # of a memory
WINDOW = 2  # turns before and after one
INDEXED_TEXTS = """
    select x.id, title, text, context, tags, subject from each(:ids) i cross join indexed x on x.id = i.value
"""
TEXTS = "select m.id, m.text from each(:ids) i cross join memories m on m.id = i.value"
ANY_SUPERSEDED = "select 1 from memories where space = :space and superseded_at is not null limit 1"
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
    """Finding memories by word and by meaning."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._samples = Samples()

    def near(
        self, text: str, vector: Matrix | None, model: Model | None, filters: Sequence[Filter], limit: int,
        without: Collection[int] = (),
    ) -> list[list[tuple[Memory, float]]]:  # fmt: skip
        """For each filter, the memories nearest to a text by meaning, with their cosines; all in one snapshot.

        Without a vector, those nearest by words, with a cosine of 0. Raises `EmbedderMismatch` if the vector was made
        by another model than the store's.
        """
        with self._engine.reading() as rows:
            stored = model_of(rows, "current")
            if vector is not None and stored is not None and stored != model:
                raise EmbedderMismatch()
            return [_near(rows, text, vector, filter, limit, without) for filter in filters]

    @contextmanager
    def snapshot(self) -> Iterator[Snapshot]:
        """One state of the store for all reads of a search, whatever is written meanwhile."""
        with self._engine.reading() as rows:
            yield Snapshot(rows, self._samples)


class Snapshot:
    """One state of the store, whatever is written meanwhile."""

    def __init__(self, rows: Rows, samples: Samples) -> None:
        self._rows = rows
        self._samples = samples
        self._model = model_id(rows, "current")
        self._counted: dict[str, dict[int, tuple[list[int], int]]] = {}  # by question, by memory

    def candidates(self, request: CandidateRequest) -> Candidates:
        """The best by word and by meaning that pass the filter."""
        found = self._candidates(request)
        for number, of_time in enumerate(request.times):
            if more := self._candidates(of_time):
                return found.with_more(more)._replace(time=number)
        return found

    def by_substring(self, text: str, filter: Filter, limit: int) -> list[int]:
        """What has exactly these characters in its text, the newest first."""
        condition, values = where(filter)
        escaped = text.strip().replace("\\", r"\\").replace("%", r"\%").replace("_", r"\_")
        sql = BY_SUBSTRING.format(where=condition)
        return [id for (id,) in self._rows.all(sql, **values, pattern=f"%{escaped}%", limit=limit)]

    def evidence(self, request: EvidenceRequest) -> Evidence:
        """All that ranking reads about candidates."""
        spaces = request.filter.spaces
        ids: Mapping[int, None] = dict.fromkeys(request.ids)
        turns: Mapping[int, Turn] = {}
        if request.neighbours_of is not None:
            ids, turns = self._with_neighbours(ids, request.neighbours_of, request.filter)
        words = self._word_counts(request, ids, turns)
        previous = self._previous(ids, turns, words, request.short_turn_words)
        known = self._cosines(request, {*ids, *previous.values()})
        likeness = _alike(self._rows, self._model, previous) if previous else {}
        return Evidence(
            ids=ids,
            fields=_ranking_fields(self._rows, ids),
            turns=turns,
            words=words,
            cosines=known,
            pieces=dict(self._rows.all(PIECES, ids=[id for id in ids if id in known])) if known else {},
            previous={id: (previous[id], near) for id, near in likeness.items()},
            texts=_texts(self._rows, ids) if request.with_texts else {},
            memories=words.memories if words else self._rows.text.frequencies((), spaces).memories,
            background=self._background(request.vector, spaces),
        )

    def present(
        self, ids: Sequence[int], spaces: Sequence[str], at: datetime, now: datetime, similar: int
    ) -> Presented:
        """The memories that are there at that moment, with what is shown of turns now.

        For each turn, `similar` memories that share its words are looked at for replaced ones.
        """
        memories = get(self._rows, ids, spaces, at)
        turns = [memory for memory in memories.values() if memory.kind == "turn"]
        neighbours = {turn.id: beside(self._rows, turn, now, 1) for turn in turns}
        changed = {space for space in {turn.space for turn in turns} if self._rows.one(ANY_SUPERSEDED, space=space)}
        replaced = {turn.id: self._replaced(turn, now, similar) for turn in turns if turn.space in changed}
        return Presented(memories, neighbours, replaced)

    def memories(self, ids: Sequence[int], spaces: Sequence[str], at: datetime) -> dict[int, Memory]:
        return get(self._rows, ids, spaces, at)

    def _candidates(self, request: CandidateRequest) -> Candidates:
        if request.without_kinds:
            others = [kind for kind in self._kinds(request.filter.spaces) if kind not in request.without_kinds]
            if not others:
                return Candidates()
            request = request._replace(filter=replace(request.filter, kinds=tuple(others)))
        by_word = self._by_word(request.text, request.filter, request.limit, request.at_least)
        if request.newest is not None:
            latest = newest(self._rows, request.newest, request.newest_limit)
            by_word = [*dict.fromkeys((*by_word, *(memory.id for memory in latest)))]
        if request.vector is None:
            return Candidates(tuple(by_word))
        near = self._rows.vectors.nearest(request.vector, self._model, request.filter, request.limit)
        return Candidates(tuple(by_word), near.cosines, (near.note,) if near.note else ())

    def _kinds(self, spaces: Sequence[str]) -> list[str]:
        return [kind for space in spaces for kind in kinds(self._rows, space)]

    def _by_word(self, text: str | None, filter: Filter, limit: int, at_least: int) -> list[int]:
        terms = terms_of(text) if text else []
        return self._rows.text.candidates(terms, filter, limit, at_least) if terms else []

    def _with_neighbours(
        self, ids: Mapping[int, None], leading: Sequence[int], filter: Filter
    ) -> tuple[Mapping[int, None], Mapping[int, Turn]]:
        """The candidates, with the turns just before and after the leading ones that pass the filter."""
        turns = _turns(self._rows, ids)
        places = [turns[id].beside for id in leading if id in turns]
        near = {beside[place] for beside in places for place in (-1, 1) if place in beside} - ids.keys()
        more = _passing(self._rows, near, filter) if near else []
        return (dict.fromkeys((*ids, *more)), turns | _turns(self._rows, more)) if more else (ids, turns)

    def _word_counts(
        self, request: EvidenceRequest, ids: Iterable[int], turns: Mapping[int, Turn]
    ) -> WordCounts | None:
        """How often the question's words occur in the candidates and in the turns around them."""
        if request.text is None:
            return None
        around = {other for turn in turns.values() for other in turn.beside.values()}
        terms = terms_of(request.text)
        wanted, known = dict.fromkeys((*ids, *around)), self._counted.setdefault(request.text, {})
        known |= _counted(self._rows, terms, [id for id in wanted if id not in known])
        counted = {id: known[id] for id in wanted if id in known}
        frequencies, memories = self._rows.text.frequencies(terms, request.filter.spaces)
        return WordCounts(frequencies, memories, counted, [one.match for one in terms])

    def _background(self, vector: Matrix | None, spaces: Sequence[str]) -> Background | None:
        return None if vector is None else self._samples.background(self._rows, self._model, vector, tuple(spaces))

    def _cosines(self, request: EvidenceRequest, ids: Collection[int]) -> Mapping[int, float]:
        known = request.cosines or {}
        unknown = set(ids) - known.keys()
        if request.vector is None or not unknown:
            return known
        return {**known, **self._rows.vectors.cosines(request.vector, self._model, unknown)}

    def _previous(
        self, ids: Iterable[int], turns: Mapping[int, Turn], words: WordCounts | None, short_words: int
    ) -> dict[int, int]:
        """For each short turn the short one just before it."""
        lengths = {id: length for id, (_, length) in words.counted.items()} if words else {}
        short = {id for id, length in lengths.items() if length <= short_words}
        before = {id: turns[id].beside[-1] for id in ids if id in turns and -1 in turns[id].beside}
        return {id: other for id, other in before.items() if id in short and other in short}

    def _replaced(self, turn: Memory, now: datetime, similar: int) -> list[tuple[Memory, Memory]]:
        everything = Filter(spaces=(turn.space,), now=now, include_superseded=True)
        found = get(self._rows, self._by_word(turn.text, everything, similar, 0), [turn.space], now)
        replaced = [memory for memory in found.values() if memory.superseded_by is not None]
        newer = get(self._rows, [id for memory in replaced if (id := memory.superseded_by)], [turn.space], now)
        return [(memory, newer[memory.superseded_by]) for memory in replaced if memory.superseded_by in newer]


def _near(
    rows: Rows, text: str, vector: Matrix | None, filter: Filter, limit: int, without: Collection[int]
) -> list[tuple[Memory, float]]:
    wanted = limit + len(without)
    if vector is not None:
        cosines = rows.vectors.nearest(vector, model_id(rows, "current"), filter, wanted).cosines
    else:
        terms = terms_of(text)
        cosines = dict.fromkeys(rows.text.candidates(terms, filter, wanted, 0) if terms else (), 0.0)
    kept = [id for id in cosines if id not in without][:limit]
    return [(memory, cosines[id]) for id, memory in get(rows, kept, filter.spaces, filter.now).items()]


def _passing(rows: Rows, ids: Iterable[int], filter: Filter) -> list[int]:
    """Those that a filter lets through, in the order given."""
    condition, values = where(filter)
    return [id for (id,) in rows.all(PASSING.format(where=condition), **values, ids=list(ids))]


def _alike(rows: Rows, model: int, pairs: Mapping[int, int]) -> dict[int, float]:
    """The cosine between the first pieces of each and of the one beside it."""
    vectors = rows.vectors.of({*pairs, *pairs.values()}, model)
    whole = {id: other for id, other in pairs.items() if id in vectors and other in vectors}
    return {id: float(vectors[id][0] @ vectors[other][0]) for id, other in whole.items()}


def _turns(rows: Rows, ids: Iterable[int]) -> dict[int, Turn]:
    """Of those that are turns: where each was said."""
    found: dict[int, Turn] = {}
    for id, session, place, other in rows.all(TURNS, ids=list(ids), window=WINDOW):
        turn = found.setdefault(id, Turn(session, {}))
        if other is not None:
            turn.beside[place] = other
    return found


def _ranking_fields(rows: Rows, ids: Iterable[int]) -> dict[int, RankingFields]:
    """What of each memory bears on its rank besides how well it matches."""
    found = rows.all(RANKING_FIELDS, ids=list(ids))
    return {
        id: RankingFields(kind, project, speaker, moment(at), *uses) for id, kind, project, speaker, at, *uses in found
    }


def _texts(rows: Rows, ids: Iterable[int]) -> dict[int, str]:
    return {id: text for id, text in rows.all(TEXTS, ids=list(ids)) if isinstance(text, str)}


def _counted(rows: Rows, terms: Sequence[Term], ids: Iterable[int]) -> dict[int, tuple[list[int], int]]:
    wanted = [one.stems for one in terms]
    stems = frozenset(stem for own in wanted for stem in own)
    counted = {}
    for id, *fields in rows.all(INDEXED_TEXTS, ids=list(ids)):
        tokens = stems_of("\n".join(filter(None, fields))[:COUNTED_CHARACTERS])
        counted[id] = (_occurrences(wanted, stems, tokens), len(tokens))
    return counted


def _occurrences(wanted: Sequence[tuple[str, ...]], stems: frozenset[str], tokens: Sequence[str]) -> list[int]:
    """How often each word, or pair of neighbours, occurs. Most texts hold few of the stems: only those are counted."""
    held = stems.intersection(tokens)
    if not held:
        return [0] * len(wanted)
    words = Counter(filter(held.__contains__, tokens))
    pairs: Counter[tuple[str, ...]] = Counter()
    if any(len(own) > 1 and held.issuperset(own[:2]) for own in wanted):
        pairs.update(pairwise(tokens))
    return [pairs[own[:2]] if len(own) > 1 else words[own[0]] if own else 0 for own in wanted]
