"""What a search reads: candidates by word and by meaning, evidence about them, and the memories to show."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from itertools import chain
from typing import TYPE_CHECKING, TypeVar

from scrubjay.errors import EmbedderMismatch
from scrubjay.stores.columns import moment
from scrubjay.stores.connections.links import expanded
from scrubjay.stores.contract import (
    Background,
    CandidateRequest,
    Candidates,
    Engine,
    Evidence,
    EvidenceRequest,
    Presented,
    Rows,
    SourceFile,
    Turn,
)
from scrubjay.stores.evidence.asked_words import AskedWords, asked_words
from scrubjay.stores.evidence.background import Samples
from scrubjay.stores.evidence.word_counts import WordCounts, count_words
from scrubjay.stores.filters import where
from scrubjay.stores.memories import beside, kinds, newest, newest_ids
from scrubjay.stores.rows import get
from scrubjay.stores.vectors import model_id, model_of
from scrubjay.text.tokenizer import Term, terms_of
from scrubjay.types import KINDS_CUT_FROM_A_SOURCE, Filter, Link, Memory, Model, RankingFields

if TYPE_CHECKING:
    from scrubjay.types.vectors import Matrix

__all__ = ["Search", "Snapshot"]

Answer = TypeVar("Answer")
WINDOW = 2  # turns before and after one
# How many memories a new one is compared with; in a store larger than SMALL, they are found by words.
NEAR = 24
NEAR_OF_SUBJECT = 20
SMALL = 50_000
STEMS = "select m.id, m.stems from each(:ids) i cross join memories m on m.id = i.value"
TEXTS = "select m.id, m.text from each(:ids) i cross join memories m on m.id = i.value"
# From replaced memories onward to what is current in their place.
CURRENT_INSTEAD = """
    with recursive onward (old, id) as (
        select i.value, r.superseded_by from each(:ids) i cross join memories r on r.id = i.value
        union
        select onward.old, r.superseded_by from onward join memories r on r.id = onward.id
        where r.superseded_by is not null
    )
    select onward.old, m.id from onward cross join memories m on m.id = onward.id where {where}
"""
ANY_SUPERSEDED = "select 1 from memories where space = :space and superseded_at is not null limit 1"
RANKING_FIELDS = """
    select m.id, m.kind, m.project, m.speaker, m.happened_at, m.confirmed_count,
        m.trust, m.helpful_count, m.unhelpful_count, m.stems,
        (select count(*) from pieces p where p.memory = m.id and p.model = :model)
    from each(:ids) i cross join memories m on m.id = i.value
"""
TURNS = """
    select m.id, m.space || ' ' || m.session, n.position - m.position, n.id
    from each(:ids) i cross join memories m on m.id = i.value
    left join memories n on n.space = m.space and n.session = m.session and n.kind = 'turn'
        and n.position between m.position - :window and m.position + :window and n.position <> m.position
    where m.kind = 'turn' and m.session is not null
"""
SOURCE_FILES = """
    select m.id, d.name, d.path, s.root, d.size, d.mtime from each(:ids) i cross join memories m on m.id = i.value
    cross join documents d on d.space = m.space and d.name = m.document cross join sources s on s.id = d.source
"""
PASSING = "select m.id from each(:ids) i cross join memories m on m.id = i.value where {where}"
SUBSTRING_CHARACTERS = 1_000
BY_SUBSTRING = r"""
    select m.id from memories m where {where} and lower(m.text) like lower(:pattern) escape '\'
    order by id desc limit :limit
"""


class Search:
    """Finding memories by word and by meaning."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._samples = Samples()
        self._large: set[tuple[str, ...]] = set()  # spaces that together had more than SMALL memories when counted

    def near(
        self, text: str, vector: Matrix | None, model: Model | None, filters: Sequence[Filter], limit: int,
        without: Collection[int] = (),
    ) -> list[list[tuple[Memory, float]]]:  # fmt: skip
        """For each filter, memories that may say the same as a text, the nearest in meaning first, with their cosines.

        The first filter is the widest: of what passes it, a bounded number is compared, found by meaning in a small
        store and by words in a large one. Where a filter names a subject, the newest about it are compared, too.
        Without a vector, cosines are 0. Raises `EmbedderMismatch` if the vector was made by another model than the
        store's.
        """
        with self._engine.reading(filters[0].spaces) as rows:
            own, stored = model_of(rows, "current")
            if vector is not None and stored is not None and stored != model:
                raise EmbedderMismatch()
            enough = limit if len(filters) == 1 else NEAR  # by meaning; the nearest of a subject may be further away
            found = self._likely_near(rows, text, vector, own, filters[0], enough + len(without), NEAR + len(without))
            ids = [[id for id in _of_filter(rows, found, filter) if id not in without] for filter in filters]
            cosines = _cosines(rows, found, dict.fromkeys(chain.from_iterable(ids)), vector, own)
            best = [sorted(each, key=lambda id: -cosines.get(id, -2.0))[:limit] for each in ids]
            memories = get(rows, list(cosines.keys() & chain.from_iterable(best)), filters[0].spaces, filters[0].now)
            return [[(memories[id], cosines[id]) for id in each if id in memories] for each in best]

    def answer(self, spaces: Collection[str], answer: Callable[[Snapshot], Answer]) -> Answer:
        """What a search makes of one state of some spaces; it changes nothing, so that it can be asked again."""
        with self._engine.reading(spaces, may_lag=True) as rows:
            return answer(Snapshot(rows, self._samples))

    @contextmanager
    def snapshot(self, spaces: Collection[str] | None = None) -> Iterator[Snapshot]:
        """One state of some spaces for all reads of a search, whatever is written meanwhile."""
        with self._engine.reading(spaces) as rows:
            yield Snapshot(rows, self._samples)

    def _likely_near(
        self, rows: Rows, text: str, vector: Matrix | None, model: int, filter: Filter, by_meaning: int, by_words: int
    ) -> Mapping[int, float | None]:
        """Cosines of the nearest memories in a small store; in a large one, those that share words, without cosines."""
        if vector is not None and not self._are_large(rows, tuple(filter.spaces)):
            return dict(rows.vectors.nearest(vector, model, filter, by_meaning).cosines)
        terms = sorted(terms_of(text), key=_length, reverse=True)
        return dict.fromkeys(rows.text.candidates(terms, filter, by_words, 0, quickly=True) if terms else ())

    def _are_large(self, rows: Rows, spaces: tuple[str, ...]) -> bool:
        """Whether meaning would have to be asked among many; what was large once is not counted again."""
        if spaces not in self._large and rows.text.frequencies((), spaces).memories > SMALL:
            self._large.add(spaces)
        return spaces in self._large


class Snapshot:
    """One state of the store, whatever is written meanwhile."""

    def __init__(self, rows: Rows, samples: Samples) -> None:
        self._rows = rows
        self._samples = samples
        self._model = model_id(rows, "current")
        self._words: dict[str, AskedWords] = {}  # by question

    def candidates(self, request: CandidateRequest) -> Candidates:
        """The best by word and by meaning that pass the filter."""
        found = self._with_replaced(self._candidates(request), request)
        for number, of_time in enumerate(request.times):
            if more := self._candidates(of_time):
                return found.with_more(more)._replace(time=number)
        return found

    def by_substring(self, text: str, filter: Filter, limit: int) -> list[int]:
        """What has exactly these characters in its text, the newest first; of long ones, nothing is looked for."""
        if len(text) > SUBSTRING_CHARACTERS:  # SQLite refuses patterns of 50,000 bytes
            return []
        condition, values = where(filter)
        escaped = text.strip().replace("\\", r"\\").replace("%", r"\%").replace("_", r"\_")
        sql = BY_SUBSTRING.format(where=condition)
        return [id for (id,) in self._rows.all(sql, **values, pattern=f"%{escaped}%", limit=limit)]

    def evidence(self, request: EvidenceRequest) -> Evidence:
        """All that ranking reads about candidates."""
        spaces = request.filter.spaces
        fields: Mapping[int, RankingFields] = _ranking_fields(self._rows, self._model, request.ids)
        turns: Mapping[int, Turn] = {}
        if request.neighbours_of is not None:
            turns = _turns(self._rows, fields)
            fields, turns = self._with_neighbours(fields, turns, request.neighbours_of, request.filter)
        ids = fields.keys()
        words = self._word_counts(request, fields, turns)
        previous = self._previous(ids, turns, words, request.short_turn_words)
        known = self._cosines(request, {*ids, *previous.values()})
        likeness = _alike(self._rows, self._model, previous) if previous else {}
        return Evidence(
            ids=ids,
            fields=fields,
            turns=turns,
            words=words,
            cosines=known,
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
        return Presented(memories, neighbours, replaced, _source_files(self._rows, memories.values()))

    def linked(self, ids: Sequence[int], depth: int, most: int, filter: Filter) -> dict[int, list[Link]]:
        """What is linked to each of these, up to so many links away, and at most so many in all."""
        return expanded(self._rows, ids, depth, most, filter)

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

    def _with_replaced(self, found: Candidates, request: CandidateRequest) -> Candidates:
        """With the best by word among what was replaced, and what is current in their place."""
        past = request.filter.include_superseded or request.filter.as_of is not None
        if not request.replaced or past or not self._any_superseded(request.filter.spaces):
            return found
        only = replace(request.filter, only_superseded=True)
        olds = self._by_word(request.text, only, request.replaced, 0)
        condition, values = where(request.filter)
        rows = self._rows.all(CURRENT_INSTEAD.format(where=condition), **values, ids=olds) if olds else []
        pairs = dict(rows)
        ids = dict.fromkeys((*found.by_word, *pairs, *pairs.values()))
        return found._replace(by_word=tuple(ids), replaced=pairs)

    def _any_superseded(self, spaces: Sequence[str]) -> bool:
        return any(self._rows.one(ANY_SUPERSEDED, space=space) for space in spaces)

    def _kinds(self, spaces: Sequence[str]) -> list[str]:
        return [kind for space in spaces for kind in kinds(self._rows, space)]

    def _by_word(self, text: str | None, filter: Filter, limit: int, at_least: int) -> list[int]:
        terms = self._asked(text, filter).every if text else ()
        return self._rows.text.candidates(terms, filter, limit, at_least) if terms else []

    def _asked(self, text: str, filter: Filter) -> AskedWords:
        """The words of a question, with the other names that memories have for them."""
        if text not in self._words:
            self._words[text] = asked_words(self._rows, text, filter)
        return self._words[text]

    def _with_neighbours(
        self, fields: Mapping[int, RankingFields], turns: Mapping[int, Turn], leading: Sequence[int], filter: Filter
    ) -> tuple[Mapping[int, RankingFields], Mapping[int, Turn]]:
        """The candidates, with the turns just before and after the leading ones that pass the filter."""
        places = [turns[id].beside for id in leading if id in turns]
        near = {beside[place] for beside in places for place in (-1, 1) if place in beside} - fields.keys()
        if not near:
            return fields, turns
        more = _ranking_fields(self._rows, self._model, _passing(self._rows, near, filter))
        return {**fields, **more}, {**turns, **_turns(self._rows, more)}

    def _word_counts(
        self, request: EvidenceRequest, fields: Mapping[int, RankingFields], turns: Mapping[int, Turn]
    ) -> WordCounts | None:
        """How often the question's words occur in the candidates and in the turns around them."""
        if request.text is None:
            return None
        stems = {id: own.stems for id, own in fields.items()}
        around = {other for turn in turns.values() for other in turn.beside.values()} - stems.keys()
        stems |= self._rows.all(STEMS, ids=list(around)) if around else ()
        asked = self._asked(request.text, request.filter)
        counted = count_words(asked, stems)
        frequencies, memories = self._rows.text.frequencies(asked.every, request.filter.spaces)
        joined = [min(number, memories) for number in asked.joined(frequencies)]
        return WordCounts(joined, memories, counted, [one.match for one in asked.own])

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
        counted = words.counted if words else None
        short = {id for id, row in counted.rows.items() if counted.lengths[row] <= short_words} if counted else set()
        before = {id: turns[id].beside[-1] for id in ids if id in turns and -1 in turns[id].beside}
        return {id: other for id, other in before.items() if id in short and other in short}

    def _replaced(self, turn: Memory, now: datetime, similar: int) -> list[tuple[Memory, Memory]]:
        everything = Filter(spaces=(turn.space,), now=now, include_superseded=True)
        terms = terms_of(turn.text)
        ids = self._rows.text.candidates(terms, everything, similar, 0) if terms else []
        found = get(self._rows, ids, [turn.space], now)
        replaced = [memory for memory in found.values() if memory.superseded_by is not None]
        newer = get(self._rows, [id for memory in replaced if (id := memory.superseded_by)], [turn.space], now)
        return [(memory, newer[memory.superseded_by]) for memory in replaced if memory.superseded_by in newer]


def _of_filter(rows: Rows, found: Iterable[int], filter: Filter) -> Iterable[int]:
    """Those of the found that pass a filter, and the newest of a subject; the widest filter has let all through."""
    if filter.subject is None:
        return found
    return dict.fromkeys((*_passing(rows, found, filter), *newest_ids(rows, filter, NEAR_OF_SUBJECT)))


def _cosines(
    rows: Rows, found: Mapping[int, float | None], ids: Collection[int], vector: Matrix | None, model: int
) -> Mapping[int, float]:  # fmt: skip
    """How near each is; without a vector of the text, 0. Those that have no vector of their own are left out."""
    if vector is None:
        return dict.fromkeys(ids, 0.0)
    known = {id: cosine for id in ids if (cosine := found.get(id)) is not None}
    unknown = [id for id in ids if id not in known]
    return known | rows.vectors.cosines(vector, model, unknown) if unknown else known


def _length(term: Term) -> int:
    """A long word is more likely to be rare than a short one."""
    return len(term.match)


def _passing(rows: Rows, ids: Iterable[int], filter: Filter) -> list[int]:
    """Those that a filter lets through, in the order given."""
    condition, values = where(filter)
    return [id for (id,) in rows.all(PASSING.format(where=condition), **values, ids=list(ids))]


def _alike(rows: Rows, model: int, pairs: Mapping[int, int]) -> dict[int, float]:
    """The cosine between the first pieces of each and of the one beside it."""
    vectors = rows.vectors.of({*pairs, *pairs.values()}, model)
    whole = {id: other for id, other in pairs.items() if id in vectors and other in vectors}
    return {id: float(vectors[id][0] @ vectors[other][0]) for id, other in whole.items()}


def _turns(rows: Rows, fields: Mapping[int, RankingFields]) -> dict[int, Turn]:
    """Of those that are turns: where each was said."""
    found: dict[int, Turn] = {}
    said = [id for id, own in fields.items() if own.kind == "turn"]
    for id, session, place, other in rows.all(TURNS, ids=said, window=WINDOW) if said else ():
        turn = found.setdefault(id, Turn(session, {}))
        if other is not None:
            turn.beside[place] = other
    return found


def _ranking_fields(rows: Rows, model: int, ids: Collection[int]) -> dict[int, RankingFields]:
    """What of each memory bears on its rank, in the order given."""
    found = {
        id: RankingFields(kind, project, speaker, moment(at), *uses)
        for id, kind, project, speaker, at, *uses in rows.all(RANKING_FIELDS, ids=list(ids), model=model)
    }
    return {id: found[id] for id in ids if id in found}


def _source_files(rows: Rows, memories: Iterable[Memory]) -> dict[int, SourceFile]:
    """Of memories that were cut from a file or a transcript: that, as it was read."""
    cut = [memory.id for memory in memories if memory.document and memory.kind in KINDS_CUT_FROM_A_SOURCE]
    try:
        return {id: SourceFile(*file) for id, *file in rows.all(SOURCE_FILES, ids=cut)} if cut else {}
    except UnicodeDecodeError:  # a broken source must not make the search fail; its notes say that it is broken
        return {}


def _texts(rows: Rows, ids: Iterable[int]) -> dict[int, str]:
    return {id: text for id, text in rows.all(TEXTS, ids=list(ids)) if isinstance(text, str)}
