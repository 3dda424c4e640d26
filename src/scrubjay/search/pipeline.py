"""The read path: candidates by word and by meaning, every signal for each of them, one score, the best."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from math import ceil
from typing import TYPE_CHECKING, Any, NamedTuple, get_args

from scrubjay.dates.spans import Times, times
from scrubjay.errors import Invalid
from scrubjay.memory.fields import loggable
from scrubjay.memory.similar import correction
from scrubjay.models.embedders import Embedder
from scrubjay.models.embedding import Choice, embed_query
from scrubjay.search import signals
from scrubjay.search.abstain import chance_of_being_told, doubted
from scrubjay.search.diversity import repeated
from scrubjay.search.landmarks import landmark_in, span_of
from scrubjay.search.scores import VECTOR, Scored, propose, score, weights
from scrubjay.search.time import Then, from_then, timed
from scrubjay.stores import Store, Use, WordCounts
from scrubjay.text.plural import agreeing, counted
from scrubjay.text.words import WORD
from scrubjay.types import KINDS_CUT_FROM_A_SOURCE, WEIGHTS, Fusion, Hit, Memory, Mode, Query, RankingFields, Results

if TYPE_CHECKING:
    from scrubjay.types.vectors import Matrix

__all__ = ["MOST", "make_query", "search_many"]

MOST = 1_000
FUSIONS = {"sum": signals.weighted_sum, "rrf": signals.rank_fusion}
WIDER = 4  # where repetitions have left places free
NEARLY = 0.5  # of the score of a passage: then a memory may take its place among the results
DAY = timedelta(days=1)
TAKEN_BY_TIME = ("decay", "when")
SAID = "said|told|suggested|recommended|mentioned|gave|advised|wrote|listed|explained|proposed|provided|showed|helped"
ASKED_OF_YOU = (
    rf"\bdid you\b|\byou (?:{SAID})\b|\byour (?:advice|suggestion|recommendation|answer|explanation|list)s?\b"
)
WORDS_ONLY = "Searched by words only: {}"


class Question(NamedTuple):
    """A query, its vector and of which model that is, or why it has none; and the time that it is about."""

    query: Query
    vector: Matrix | None
    model: str
    problem: str | None
    times: Times
    dated: bool  # by itself, not by a landmark
    in_full: bool  # many results even where none seems to answer


def make_query(text: str, **given: Any) -> Query:
    """A checked question: any text will do, but not any number."""
    if not isinstance(text, str):
        raise Invalid(f"A query must be text, not {type(text).__name__}.")
    limit, mode, fusion = given["limit"], given["mode"], given["fusion"]
    if isinstance(limit, bool) or not isinstance(limit, int) or not 1 <= limit <= MOST:
        raise Invalid(f"limit must be a whole number from 1 to {MOST}, not {limit!r}.")
    if mode not in get_args(Mode):
        raise Invalid(f"mode must be hybrid, keyword or vector, not {mode!r}.")
    if fusion not in get_args(Fusion):
        raise Invalid(f"fusion must be sum or rrf, not {fusion!r}.")
    given["weights"] = _weights(given["weights"])
    if not isinstance(given["min_score"], int | float) or not 0 <= given["min_score"] <= 1:
        raise Invalid(f"min_score must be a number from 0 to 1, not {given['min_score']!r}.")
    return Query(text=text.encode("utf-8", "replace").decode(), **given)


def search_many(
    store: Store, choice: Choice, queries: Sequence[Query], notes: tuple[str, ...] = (), in_full: bool = False
) -> list[Results]:
    """Answer questions with one embedding pass; the notes are about the whole memory."""
    answers = [_filled(store, question, notes) for question in _asked(store, choice, queries, in_full)]
    for query, results in zip(queries, answers, strict=True):
        store.uses.note(_accesses(query, results, query.filter.now))
    return answers


def _asked(store: Store, choice: Choice, queries: Sequence[Query], in_full: bool) -> Iterator[Question]:
    embedder, why_not = choice.at_hand()
    model = embedder.model if embedder else ""
    named = [times(query.text, query.filter.as_of or query.filter.now) for query in queries]
    landmarks = [None if own.spans else landmark_in(query.text) for query, own in zip(queries, named, strict=True)]
    texts = [query.text for query in queries] + [landmark.text for landmark in landmarks if landmark]
    by_meaning = any(query.mode != "keyword" for query in queries)
    vectors, problem = _vectors(embedder, why_not, texts) if by_meaning else ({}, None)
    for query, own, landmark in zip(queries, named, landmarks, strict=True):
        known = vectors if query.mode != "keyword" else {}
        if landmark:
            span = span_of(store, query, landmark, known.get(landmark.text))
            own = Times((span,) if span else (), anything=False)
        yield Question(query, known.get(query.text), model, problem, own, not landmark, in_full)


def _vectors(embedder: Embedder | None, why_not: str, texts: Sequence[str]) -> tuple[dict[str, Matrix], str | None]:
    """By text its vector; or why there is none."""
    wanted = [text for text in dict.fromkeys(texts) if text.strip()]
    if not wanted or embedder is None:
        return {}, why_not if wanted else None
    try:
        return dict(zip(wanted, embed_query(embedder, wanted), strict=True)), None
    except Exception as problem:  # an embedder is anybody's code; words still answer
        return {}, f"{problem}" or type(problem).__name__


def _filled(store: Store, question: Question, about: tuple[str, ...]) -> Results:
    """The answer; from more candidates, where so many say the same that places are left."""
    limit = wide = question.query.limit
    results, told = _answer(store, question, about)
    while len(results) < limit and _folded(results) + len(results) >= 2 * wide and wide < MOST:
        wide = min(wide * WIDER, MOST)
        results, told = _answer(store, question._replace(query=replace(question.query, limit=wide)), about)
    results = doubted(question.query, replace(results, hits=results[:limit]), told, question.in_full)
    if folded := _folded(results):
        alike = f"{counted(folded, 'near-identical result')} {agreeing(folded, 'is', 'are')} folded into others."
        results = replace(results, notes=(*results.notes, alike))
    return results


def _folded(results: Iterable[Hit]) -> int:
    return sum(len(hit.also) for hit in results)


def _answer(store: Store, question: Question, about: tuple[str, ...]) -> tuple[Results, float]:
    """Results, and how likely the answer was ever told."""
    query, vector = question.query, question.vector
    notes = [WORDS_ONLY.format(question.problem)] if question.problem and query.mode != "keyword" else []
    proposed = propose(store, query, vector)
    notes += (*about, *proposed.notes)
    then, more = from_then(store, query, vector, question.times)
    proposed = proposed.with_more(more)
    scored = score(store, query, vector, proposed)
    if not proposed and vector is None:
        scored = Scored({"substring": _substrings(store, query, notes)})
    why, kinds = _reasons(store, query, scored, then)
    if own := _crowded_out(store, query, why, kinds):
        others = propose(store, replace(query, filter=replace(query.filter, kinds=own)), vector)
        scored = score(store, query, vector, proposed.with_more(others))
        why, kinds = _reasons(store, query, scored, then)
    kept = [id for id in why if _match(why[id]) >= query.min_score]
    if len(kept) < len(why):
        hidden = len(why) - len(kept)
        hides = f"{agreeing(hidden, 'is', 'are')} hidden by min_score {query.min_score:g}"
        notes.append(f"{counted(hidden, 'weaker match')} {hides}.")
    hits = _with_neighbours(store, _hits(store, query, why, kinds, kept), query.filter.now)
    tiers = tuple(name for name in scored.signals if name in WEIGHTS)
    of_then = then is not None and question.dated  # whatever is of a time answers
    told = 1.0 if of_then else chance_of_being_told(store, query, question.model, scored)
    return _described(Results(hits, tiers, tuple(notes)), scored), told


def _substrings(store: Store, query: Query, notes: list[str]) -> dict[int, float]:
    ids = store.search.by_substring(query.text, query.filter, query.limit) if query.text.strip() else []
    if ids:
        notes.append("No word matched; these contain the text you typed.")
    return {id: signals.SUBSTRING_SCORE for id in ids}


def _reasons(
    store: Store, query: Query, scored: Scored, then: Then | None
) -> tuple[dict[int, dict[str, float]], dict[int, str]]:
    """What speaks for each candidate, and against it, best first; of equals the newer. And of what kind it is."""
    parts = FUSIONS[query.fusion](scored.signals, weights(scored.signals, query.weights))
    traits, people = store.search.ranking_fields(parts), _people(query.text)
    why = {id: _lifted(traits[id], parts[id], query, people) for id in parts if id in traits}
    if then is not None:
        why = timed(store, query, then, why, traits)
    why = {id: _faded(traits[id], own, query) for id, own in why.items()}
    kinds = {id: trait.kind for id, trait in traits.items()}
    return dict(sorted(why.items(), key=lambda item: (-sum(item[1].values()), -item[0]))), kinds


def _crowded_out(store: Store, query: Query, why: Iterable[int], kinds: Mapping[int, str]) -> tuple[str, ...]:
    """The kinds of memories proper, if what is cut from sources takes more than its share of the results."""
    filter = query.filter
    if filter.kinds or filter.sources or filter.session or filter.speaker:
        return ()
    if _cut(list(why)[: query.limit], kinds) <= query.source_share * query.limit:
        return ()
    return tuple(kind for kind in store.memories.kinds(filter.spaces) if kind not in KINDS_CUT_FROM_A_SOURCE)


def _mixed(
    query: Query, why: Mapping[int, Mapping[str, float]], kinds: Mapping[int, str], ranked: Sequence[int]
) -> Sequence[int]:
    """The first; beyond their share, passages and turns give way to memories that answer nearly as well."""
    first, rest = list(ranked[: query.limit]), [id for id in ranked[query.limit :] if not _cut([id], kinds)]
    if not rest or query.filter.kinds or query.filter.sources:
        return first
    places = [place for place, id in enumerate(first) if _cut([id], kinds)]
    beyond = places[ceil(query.source_share * query.limit) :]
    for place, own in zip(reversed(beyond), rest, strict=False):
        if _score(why[own]) >= NEARLY * _score(why[first[place]]):
            first[place] = own
    return sorted(first, key=ranked.index)


def _cut(ids: Iterable[int], kinds: Mapping[int, str]) -> int:
    return sum(kinds[id] in KINDS_CUT_FROM_A_SOURCE for id in ids)


def _people(text: str) -> set[str]:
    """Whoever a question may name: any of its words, and the assistant if it asks what "you" said."""
    small = text.casefold()
    return {*WORD.findall(small), *(("assistant",) if re.search(ASKED_OF_YOU, small) else ())}


def _lifted(
    traits: RankingFields, parts: Mapping[str, float], query: Query, people: Container[str]
) -> dict[str, float]:
    same_project = query.project is not None and traits.project == query.project
    named = traits.speaker is not None and traits.speaker.casefold() in people
    return signals.lifted(parts, traits, same_project, named)


def _faded(traits: RankingFields, why: dict[str, float], query: Query) -> dict[str, float]:
    half_life = query.half_lives.get(traits.kind, 0.0)
    if not half_life or query.filter.as_of is not None:
        return why
    return signals.decayed(why, (query.filter.now - traits.happened_at) / DAY, half_life)


def _hits(
    store: Store, query: Query, why: Mapping[int, Mapping[str, float]], kinds: Mapping[int, str], ranked: Sequence[int]
) -> list[Hit]:
    """The best that differ: what says the same again is folded into the better one, and the next takes its place."""
    at = query.filter.as_of or query.filter.now
    memories: dict[int, Memory] = {}
    also: dict[int, list[int]] = {}
    while True:
        best = _mixed(query, why, kinds, ranked)
        memories |= store.memories.get([id for id in best if id not in memories], query.filter.spaces, at)
        shown = [memories[id] for id in best if id in memories]
        again = repeated(shown)
        if not again:
            return [Hit(own, _score(why[own.id]), why[own.id], also=tuple(also.get(own.id, ()))) for own in shown]
        for id, better in again.items():
            also.setdefault(better, []).extend([id, *also.pop(id, ())])
        ranked = [id for id in ranked if id not in again]


def _score(why: Mapping[str, float]) -> float:
    return min(max(0.0, sum(why.values())), 1.0)


def _match(why: Mapping[str, float]) -> float:
    """The score without what time takes: what has faded, or is of another time, ranks lower but is not hidden."""
    return _score({name: part for name, part in why.items() if name not in TAKEN_BY_TIME})


def _with_neighbours(store: Store, hits: Sequence[Hit], now: datetime) -> tuple[Hit, ...]:
    turns = [hit.memory for hit in hits if hit.memory.kind == "turn"]
    if not turns:
        return tuple(hits)
    beside = store.memories.beside(turns, now)
    corrected = {turn.id: correction(store, turn, now) for turn in turns if store.revisions.any(turn.space)}
    return tuple(
        replace(hit, neighbours=tuple(beside.get(hit.memory.id, ())), corrected_by=corrected.get(hit.memory.id))
        for hit in hits
    )


def _described(results: Results, scored: Scored) -> Results:
    """Say which words were looked for, which of them each hit has, and how likely it answers."""
    counts = scored.counts
    if counts is None:
        return results
    sure = [_confidence(hit.memory.id, place, scored, counts) for place, hit in enumerate(results, start=1)]
    hits = tuple(
        replace(hit, words=counts.held_by(hit.memory.id), confidence=one)
        for hit, one in zip(results, sure, strict=True)
    )
    return replace(results, hits=hits, words=tuple(counts.words), familiarity=scored.familiarity)


def _confidence(id: int, place: int, scored: Scored, counts: WordCounts) -> float | None:
    """How likely the hit at that place answers, where words and meaning were both asked."""
    if scored.familiarity is None:
        return None
    occurrences, _ = counts.counted.get(id, ((), 0))
    share = signals.held(counts.frequencies, counts.memories, occurrences)
    return signals.confidence(scored.signals[VECTOR].get(id, 0.0), share, place, counts.memories)


def _accesses(query: Query, results: Iterable[Hit], now: datetime) -> list[Use]:
    asked = loggable(query.text)
    return [Use(hit.memory.id, now, "search", hit.score, asked) for hit in results]


def _weights(given: Mapping[str, float] | None) -> dict[str, float]:
    weights = dict(given or {})
    if unknown := set(weights) - set(WEIGHTS):
        raise Invalid(f"There is no weight {sorted(unknown)[0]!r}; there are {', '.join(WEIGHTS)}.")
    for name, weight in weights.items():
        if isinstance(weight, bool) or not isinstance(weight, int | float) or not 0 <= weight < float("inf"):
            raise Invalid(f"The weight {name} must be a number from 0 on, not {weight!r}.")
    return weights
