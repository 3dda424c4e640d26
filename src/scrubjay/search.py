"""The read path: candidates by word and by meaning, every signal for each of them, one score, the best."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from math import ceil
from typing import TYPE_CHECKING, Any, TypeAlias, get_args

from scrubjay import ranking
from scrubjay.embedders import Embedder
from scrubjay.embedding import Choice, embed_query
from scrubjay.errors import Invalid
from scrubjay.fields import loggable
from scrubjay.related import correction
from scrubjay.stores import Access, Store
from scrubjay.types import KINDS_CUT_FROM_A_SOURCE, Fusion, Hit, Mode, Query, Results, Traits
from scrubjay.when import Span, spans

if TYPE_CHECKING:
    from scrubjay.embedders import Matrix

__all__ = ["MOST", "make_query", "search_many"]

Signals: TypeAlias = Mapping[str, Mapping[int, float]]  # by their name, of each memory

MOST = 1_000
# Candidates per way of searching: enough that the best of one is seldom missed by the cut of the other.
POOL = 3
SMALLEST_POOL = 30
FUSIONS = {"sum": ranking.weighted_sum, "rrf": ranking.rank_fusion}
MARGIN = 5
DAY = timedelta(days=1)
NEARLY = 0.5  # of the score of a passage: then a memory may take its place among the results
NEIGHBOURS = "neighbours"  # no way of searching by itself: what words say of the turns beside one
TAKEN_BY_TIME = ("decay", "when")
WORD = re.compile(r"\w+")
WORDS_ONLY = "Searched by words only: {}"


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


def search_many(store: Store, choice: Choice, queries: Sequence[Query], notes: tuple[str, ...] = ()) -> list[Results]:
    """Answer questions with one embedding pass; the notes are about the whole memory."""
    vectors, problem = _vectors(*choice.at_hand(), queries)
    answers = [_answer(store, query, vector, problem, notes) for query, vector in zip(queries, vectors, strict=True)]
    for query, results in zip(queries, answers, strict=True):
        store.note(_accesses(query, results, query.filter.now))
    return answers


def _vectors(
    embedder: Embedder | None, why_not: str, queries: Sequence[Query]
) -> tuple[Sequence[Matrix | None], str | None]:
    wanted = [query.text for query in queries if query.mode != "keyword" and query.text.strip()]
    nothing: list[Matrix | None] = [None] * len(queries)
    if not wanted or embedder is None:
        return nothing, why_not if wanted else None
    try:
        rows = iter(embed_query(embedder, wanted))
    except Exception as problem:  # an embedder is anybody's code; words still answer
        return nothing, f"{problem}" or type(problem).__name__
    return [next(rows) if query.mode != "keyword" and query.text.strip() else None for query in queries], None


def _answer(store: Store, query: Query, vector: Matrix | None, problem: str | None, about: tuple[str, ...]) -> Results:
    notes = [WORDS_ONLY.format(problem)] if problem and query.mode != "keyword" else []
    notes += about
    signals = _signals(store, query, vector, notes)
    span, then = _from_then(store, query, vector)
    signals = _joined(signals, then)
    if not any(signals.values()) and vector is None:
        signals = {"substring": _substrings(store, query, notes)}
    why, kinds = _reasons(store, query, signals, span)
    if own := _crowded_out(store, query, why, kinds):
        more = _signals(store, replace(query, filter=replace(query.filter, kinds=own)), vector, [])
        signals = _joined(signals, more)
        why, kinds = _reasons(store, query, signals, span)
    kept = [id for id in why if _match(why[id]) >= query.min_score]
    if len(kept) < len(why):
        notes.append(f"{len(why) - len(kept)} weaker matches are hidden by min_score {query.min_score:g}.")
    hits = _hits(store, query, why, _mixed(query, why, kinds, kept))
    tiers = tuple(name for name in signals if name != NEIGHBOURS)
    return Results(_with_neighbours(store, hits, query.filter.now), tiers, tuple(notes))


def _signals(store: Store, query: Query, vector: Matrix | None, notes: list[str]) -> dict[str, Mapping[int, float]]:
    """Each way of searching proposes; then every proposed memory is scored in every way."""
    pool = query.limit * 2 + MARGIN if query.mode == "vector" else max(query.limit * POOL, SMALLEST_POOL)
    signals: dict[str, Mapping[int, float]] = {}
    least = query.limit if vector is None else 0
    by_word = store.by_word(query.text, query.filter, pool, least) if query.mode != "vector" or vector is None else []
    if vector is not None:
        nearest = store.by_meaning(vector, query.filter, pool)
        notes += [nearest.note] if nearest.note else []
        unscored = [id for id in by_word if id not in nearest.cosines]
        cosines = {**nearest.cosines, **store.cosines(vector, unscored)} if unscored else nearest.cosines
        signals["vector"] = ranking.vector_scores(cosines, store.pieces(cosines))
    if query.mode != "vector" or vector is None:
        ids = dict.fromkeys((*by_word, *signals.get("vector", ())))
        signals |= _word_signals(store, query, ids, hybrid=vector is not None)
    return signals


def _from_then(store: Store, query: Query, vector: Matrix | None) -> tuple[Span | None, Signals]:
    """The time that the question names and what was remembered then: of several such times, the first with any."""
    for span in spans(query.text, query.filter.now):
        since = max(filter(None, (query.filter.since, span.start - DAY * ranking.DAYS_BEFORE)))
        until = min(filter(None, (query.filter.until, span.end + DAY * ranking.DAYS_AFTER)))
        then = _signals(store, replace(query, filter=replace(query.filter, since=since, until=until)), vector, [])
        if any(then.values()):
            return span, then
    return None, {}


def _joined(signals: Signals, more: Signals) -> dict[str, Mapping[int, float]]:
    return {name: {**more.get(name, {}), **found} for name, found in signals.items()}


def _word_signals(store: Store, query: Query, ids: Iterable[int], hybrid: bool) -> dict[str, Mapping[int, float]]:
    """What words say of each; beside meaning they count as far as they are at home here, neighbours' words too."""
    beside = store.next_to(ids) if hybrid else {}
    others = {id for pair in beside.values() for id in pair if id is not None}
    counts = store.word_counts(query.text, dict.fromkeys((*ids, *others)), query.filter.spaces)
    scores = ranking.word_scores(counts.frequencies, counts.memories, counts.counted)
    if not hybrid:
        return {"keyword": scores}
    share = ranking.familiarity(counts.frequencies, counts.memories)
    scores = {id: score * share for id, score in scores.items()}
    own = {id: scores[id] for id in ids if id in scores}
    return {"keyword": own, NEIGHBOURS: ranking.neighbour_scores(scores, beside)}


def _substrings(store: Store, query: Query, notes: list[str]) -> dict[int, float]:
    ids = store.by_substring(query.text, query.filter, query.limit) if query.text.strip() else []
    if ids:
        notes.append("No word matched; these contain the text you typed.")
    return {id: ranking.SUBSTRING_SCORE for id in ids}


def _reasons(
    store: Store, query: Query, signals: Signals, span: Span | None
) -> tuple[dict[int, dict[str, float]], dict[int, str]]:
    """What speaks for each candidate, and against it, best first; of equals the newer. And of what kind it is."""
    weights = {**ranking.WEIGHTS, **query.weights}
    ranked = signals if query.fusion == "sum" else {name: signals[name] for name in signals if name != NEIGHBOURS}
    parts = FUSIONS[query.fusion](ranked, {**weights, NEIGHBOURS: weights["keyword"]})
    traits = store.traits(parts)
    why = {id: _why(traits[id], parts[id], query, span) for id in parts if id in traits}
    kinds = {id: trait.kind for id, trait in traits.items()}
    return dict(sorted(why.items(), key=lambda item: (-sum(item[1].values()), -item[0]))), kinds


def _crowded_out(store: Store, query: Query, why: Iterable[int], kinds: Mapping[int, str]) -> tuple[str, ...]:
    """The kinds of memories proper, if what is cut from sources takes more than its share of the results."""
    filter = query.filter
    if filter.kinds or filter.sources or filter.session or filter.speaker:
        return ()
    if _cut(list(why)[: query.limit], kinds) <= query.source_share * query.limit:
        return ()
    return tuple(kind for kind in store.kinds(filter.spaces) if kind not in KINDS_CUT_FROM_A_SOURCE)


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


def _why(traits: Traits, parts: Mapping[str, float], query: Query, span: Span | None) -> dict[str, float]:
    same_project = query.project is not None and traits.project == query.project
    named = traits.speaker is not None and traits.speaker.casefold() in WORD.findall(query.text.casefold())
    why = ranking.lifted(parts, traits.confirmed_count, traits.used_count, same_project, named)
    if span is not None:
        why = ranking.timed(why, (span.start - traits.happened_at) / DAY, (traits.happened_at - span.end) / DAY)
    half_life = query.half_lives.get(traits.kind, 0.0)
    if half_life and query.filter.as_of is None:
        why = ranking.decayed(why, (query.filter.now - traits.happened_at) / DAY, half_life)
    return why


def _hits(store: Store, query: Query, why: Mapping[int, Mapping[str, float]], ids: Sequence[int]) -> list[Hit]:
    memories = store.get(ids, query.filter.spaces, query.filter.as_of or query.filter.now)
    return [Hit(memories[id], _score(why[id]), why[id]) for id in ids if id in memories]


def _score(why: Mapping[str, float]) -> float:
    return min(max(0.0, sum(why.values())), 1.0)


def _match(why: Mapping[str, float]) -> float:
    """The score without what time takes: what has faded, or is of another time, ranks lower but is not hidden."""
    return _score({name: part for name, part in why.items() if name not in TAKEN_BY_TIME})


def _with_neighbours(store: Store, hits: Sequence[Hit], now: datetime) -> tuple[Hit, ...]:
    turns = [hit.memory for hit in hits if hit.memory.kind == "turn"]
    if not turns:
        return tuple(hits)
    beside = store.beside(turns, now)
    corrected = {turn.id: correction(store, turn, now) for turn in turns if store.any_superseded(turn.space)}
    return tuple(
        replace(hit, neighbours=tuple(beside.get(hit.memory.id, ())), corrected_by=corrected.get(hit.memory.id))
        for hit in hits
    )


def _accesses(query: Query, results: Iterable[Hit], now: datetime) -> list[Access]:
    asked = loggable(query.text)
    return [Access(hit.memory.id, now, "search", hit.score, asked) for hit in results]


def _weights(given: Mapping[str, float] | None) -> dict[str, float]:
    weights = dict(given or {})
    if unknown := set(weights) - set(ranking.WEIGHTS):
        raise Invalid(f"There is no weight {sorted(unknown)[0]!r}; there are {', '.join(ranking.WEIGHTS)}.")
    for name, weight in weights.items():
        if isinstance(weight, bool) or not isinstance(weight, int | float) or not 0 <= weight < float("inf"):
            raise Invalid(f"The weight {name} must be a number from 0 on, not {weight!r}.")
    return weights
