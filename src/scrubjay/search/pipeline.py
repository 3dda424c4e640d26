"""One search: query ▸ candidates ▸ evidence ▸ scores ▸ present, all read from one snapshot of the store."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import ceil
from typing import TYPE_CHECKING, NamedTuple

from scrubjay.dates.questions import Times, times
from scrubjay.memory.connections.freshness import Cite
from scrubjay.memory.guard import loggable, sendable
from scrubjay.models.embedders import Embedder
from scrubjay.models.embedding import embed_query
from scrubjay.models.selection import EmbedderSelection
from scrubjay.search import constants
from scrubjay.search.candidates import candidate_request, not_cut_from_a_source
from scrubjay.search.confidence import with_confidence
from scrubjay.search.corrections import correction, with_successors
from scrubjay.search.diversity import repeated
from scrubjay.search.evidence import SUBSTRING, Judged, judge, judge_substrings
from scrubjay.search.scores import Ranked, match_of, ranked, score_of
from scrubjay.search.time import NamedTime, named_time, with_candidates_of_time, with_time
from scrubjay.stores import Store, Use
from scrubjay.stores.contract import Candidates, Presented
from scrubjay.stores.search import Snapshot
from scrubjay.text.fence import QuotingNote
from scrubjay.text.plural import counted, singular_or_plural
from scrubjay.types import KINDS_CUT_FROM_A_SOURCE, WEIGHTS, Hit, Memory, Query, Results

if TYPE_CHECKING:
    from scrubjay.types.vectors import Matrix

__all__ = ["MAX_RESULTS", "search_many", "vectors_of"]

MAX_RESULTS = 1_000
EMPTY = 'The query is empty; say what to look for, e.g. "which theme?", or use `list`, which takes no query.'
WORDS_ONLY = "Searched by words only: {}"


class Question(NamedTuple):
    """A query with its vector and the model of that, or why it has none; and the time that it is about."""

    query: Query
    vector: Matrix | None
    model: str
    problem: str | None
    times: Times


class Found(NamedTuple):
    """The candidates of a question, ranked."""

    judged: Judged
    ranking: Ranked
    kept: Sequence[int]  # those that match well enough, the best first
    notes: tuple[str, ...]
    extra_calls: int  # of the store, beyond one for candidates and one for evidence


class Folded(NamedTuple):
    """The best that differ, and what each of them stands for."""

    shown: Sequence[Memory]
    also: Mapping[int, Sequence[int]]
    presented: Presented


def search_many(
    store: Store, selection: EmbedderSelection, queries: Sequence[Query], cite: Cite, notes: tuple[str, ...] = (),
    log_text: bool = True, *, counts: bool = True,
) -> list[Results]:  # fmt: skip
    """Answer questions with one embedding pass; the notes are about the whole memory."""
    answers = []
    for question in _questions(selection, queries):
        make = partial(_results, question=question, cite=cite, about=notes)
        answers.append(store.search.answer(question.query.filter.spaces, make))
    for query, results in zip(queries, answers, strict=True) if counts else ():
        store.uses.note(_uses(query, results, log_text))
    return answers


def _questions(selection: EmbedderSelection, queries: Sequence[Query]) -> list[Question]:
    embedder, why_not = selection.for_queries()
    model = embedder.model if embedder else ""
    texts = [query.text for query in queries if query.mode != "keyword"]
    vectors, problem = vectors_of(embedder, why_not, texts) if texts else ({}, None)
    questions = []
    for query in queries:
        vector = vectors.get(query.text) if query.mode != "keyword" else None
        named = times(query.text, query.filter.as_of or query.filter.now)
        questions.append(Question(query, vector, model, problem, named))
    return questions


def vectors_of(embedder: Embedder | None, why_not: str, texts: Sequence[str]) -> tuple[dict[str, Matrix], str | None]:
    """By text its vector; or why there is none."""
    wanted = {text: sent for text in texts if (sent := sendable(text)).strip()}
    if not wanted or embedder is None:
        return {}, why_not if wanted else None
    try:
        return dict(zip(wanted, embed_query(embedder, [*wanted.values()]), strict=True)), None
    except Exception as problem:  # an embedder is anybody's code; words still answer
        return {}, f"{problem}" or type(problem).__name__


def _results(snapshot: Snapshot, question: Question, cite: Cite, about: tuple[str, ...]) -> Results:
    """The answer; if folding repetitions leaves places free, the search is repeated once with a larger limit."""
    query = question.query
    found = _found(snapshot, question, about)
    read_all = _extra_calls(question, found) > 2
    folded = _folded(snapshot, query, found, found.kept if read_all else _best(query, found.ranking, found.kept))
    if _should_widen(question, found, folded):
        query = replace(query, limit=min(query.limit * constants.WIDEN_FACTOR, MAX_RESULTS))
        found = _found(snapshot, question._replace(query=query), about)
        folded = _folded(snapshot, query, found, found.kept)
    hits = _hits(snapshot, query, found, folded)[: question.query.limit]
    hits = _with_citations(hits, folded.presented, cite)
    tiers = tuple(name for name in found.judged.signals if name in WEIGHTS)
    words = found.judged.words
    results = Results(hits, tiers, found.notes, words=tuple(words.words) if words else ())
    results = with_confidence(_with_repetitions_noted(results), found.judged, query)
    return replace(results, hits=_with_linked(snapshot, question.query, results.hits))


def _extra_calls(question: Question, found: Found) -> int:
    """Calls of the store beyond those of a plain search. With more than two, all memories are read in one call.

    So a search is at most eight calls, though reading all at once takes longer.
    """
    filter = question.query.filter
    may_note_names = len(filter.kinds) > 1 or len(filter.spaces) > 1
    return found.extra_calls + may_note_names + bool(question.query.expand)


def _should_widen(question: Question, found: Found, folded: Folded) -> bool:
    """Whether repetitions leave places free, and there are calls left to look for others."""
    shown, limit = len(folded.shown), question.query.limit
    repeated_enough = shown + sum(map(len, folded.also.values())) >= 2 * limit
    return shown < limit < MAX_RESULTS and repeated_enough and not _extra_calls(question, found)


def _repetitions(results: Iterable[Hit]) -> int:
    return sum(len(hit.also) for hit in results)


def _with_repetitions_noted(results: Results) -> Results:
    if not (number := _repetitions(results)):
        return results
    note = f"{counted(number, 'near-identical result')} {singular_or_plural(number, 'is', 'are')} folded into others."
    return replace(results, notes=(*results.notes, note))


def _found(snapshot: Snapshot, question: Question, about: tuple[str, ...]) -> Found:
    query, vector = question.query, question.vector
    by_words = question.problem is not None and query.mode != "keyword"
    notes: list[str] = [QuotingNote(WORDS_ONLY.format(question.problem))] if by_words else []
    request = with_candidates_of_time(candidate_request(query, vector), query, question.times)
    candidates = snapshot.candidates(request)
    notes += (*about, *candidates.notes, *([] if query.text.strip() else [EMPTY]))
    named = named_time(candidates, question.times)
    judged = _judged(snapshot, question, candidates, named, notes)
    ranking = _ranking(query, judged, named)
    crowded_out = _crowded_out(query, ranking)
    if crowded_out and (others := not_cut_from_a_source(snapshot, query, vector)):
        every = candidates.with_more(others)
        judged = judge(snapshot, query, vector, question.model, every, named is not None)
        judged = with_successors(judged, every.replaced)
        ranking = _ranking(query, judged, named)
    kept = _matching(ranking, query.min_score)
    if hidden := len(ranking.why) - len(kept):
        hides = f"{singular_or_plural(hidden, 'is', 'are')} hidden by min_score {query.min_score:g}"
        notes.append(f"{counted(hidden, 'weaker match')} {hides}.")
    extra_calls = (SUBSTRING in judged.signals) + 2 * crowded_out
    return Found(judged, ranking, kept, tuple(notes), extra_calls)


def _matching(ranking: Ranked, min_score: float) -> list[int]:
    """Those that match well enough, the best first; without a least score, all."""
    return [id for id, parts in ranking.why.items() if not min_score or match_of(parts) >= min_score]


def _judged(
    snapshot: Snapshot, question: Question, candidates: Candidates, named: NamedTime | None, notes: list[str]
) -> Judged:
    """What each signal gives; where no word was found and meaning was not asked, the text as typed is looked for."""
    query = question.query
    if candidates or question.vector is not None:
        judged = judge(snapshot, query, question.vector, question.model, candidates, named is not None)
        return with_successors(judged, candidates.replaced)
    ids = snapshot.by_substring(query.text, query.filter, query.limit) if query.text.strip() else []
    if ids:
        notes.append("No word matched; these contain the text you typed.")
    return judge_substrings(snapshot, query, ids)


def _ranking(query: Query, judged: Judged, named: NamedTime | None) -> Ranked:
    if named is None:
        return ranked(query, judged, lambda why: why)
    return ranked(query, judged, lambda why: with_time(query, named, judged, why))


def _crowded_out(query: Query, ranking: Ranked) -> bool:
    """Whether what is cut from sources takes more than its share of the results."""
    filter = query.filter
    if filter.kinds or filter.sources or filter.session or filter.speaker:
        return False
    return _number_cut(list(ranking.why)[: query.limit], ranking.kinds) > query.source_share * query.limit


def _number_cut(ids: Iterable[int], kinds: Mapping[int, str]) -> int:
    return sum(kinds[id] in KINDS_CUT_FROM_A_SOURCE for id in ids)


def _best(query: Query, ranking: Ranked, ids: Sequence[int]) -> Sequence[int]:
    """The first; beyond their share, passages and turns give way to memories that answer nearly as well."""
    first = list(ids[: query.limit])
    places = [place for place, id in enumerate(first) if _number_cut([id], ranking.kinds)]
    if not places or query.filter.kinds or query.filter.sources:
        return first
    rest = (id for id in ids[query.limit :] if not _number_cut([id], ranking.kinds))
    beyond = places[ceil(query.source_share * query.limit) :]
    for place, own in zip(reversed(beyond), rest, strict=False):
        if score_of(ranking.why[own]) >= constants.NEARLY_AS_GOOD * score_of(ranking.why[first[place]]):
            first[place] = own
    return sorted(first, key=ids.index)


def _folded(snapshot: Snapshot, query: Query, found: Found, first: Sequence[int]) -> Folded:
    """The best that differ: what repeats a better one is folded into it, and the next takes its place.

    The `first` are read at once, with all that is shown of them; the others where places are left.
    """
    spaces, at = query.filter.spaces, query.filter.as_of or query.filter.now
    presented = _present(snapshot, query, first)
    ids, memories = found.kept, dict(presented.memories)
    best, unread = _best(query, found.ranking, ids), [id for id in ids if id not in first]
    also: dict[int, list[int]] = {}
    while again := repeated([memories[id] for id in best if id in memories]):
        for id, better in again.items():
            also.setdefault(better, []).extend([id, *also.pop(id, ())])
        ids = [id for id in ids if id not in again]
        if unread:
            memories |= snapshot.memories(unread, spaces, at)
            unread = []
        best = _best(query, found.ranking, ids)
    return Folded([memories[id] for id in best if id in memories], also, presented)


def _hits(snapshot: Snapshot, query: Query, found: Found, folded: Folded) -> tuple[Hit, ...]:
    shown, also, presented = folded
    if more := [memory.id for memory in shown if memory.kind == "turn" and memory.id not in presented.memories]:
        further = _present(snapshot, query, more)
        presented = Presented(
            presented.memories,
            {**presented.neighbours, **further.neighbours},
            {**presented.replaced, **further.replaced},
            presented.sources,
        )
    return tuple(_hit(memory, found, also.get(memory.id, ()), presented) for memory in shown)


def _with_linked(snapshot: Snapshot, query: Query, hits: tuple[Hit, ...]) -> tuple[Hit, ...]:
    """With what is linked to the likely ones, if that is asked for: what is less likely itself is linked, too."""
    if not query.expand or not hits:
        return hits
    ids = [hit.memory.id for hit in hits if hit.likely] or [hit.memory.id for hit in hits]
    linked = snapshot.linked(ids, query.expand, constants.MOST_LINKED, query.filter)
    return tuple(replace(hit, linked=tuple(linked.get(hit.memory.id, ()))) for hit in hits)


def _with_citations(hits: Iterable[Hit], presented: Presented, cite: Cite) -> tuple[Hit, ...]:
    """Say whether what each cites, or was cut from, is still as it was."""
    sources = presented.sources
    return tuple(
        replace(hit, citations=cite(hit.memory, sources.get(hit.memory.id)))
        if hit.memory.cites or hit.memory.id in sources
        else hit
        for hit in hits
    )


def _present(snapshot: Snapshot, query: Query, ids: Sequence[int]) -> Presented:
    now = query.filter.now
    at = query.filter.as_of or now
    return snapshot.present(ids, query.filter.spaces, at, now, constants.CORRECTION_CANDIDATES)


def _hit(memory: Memory, found: Found, also: Iterable[int], presented: Presented) -> Hit:
    why = found.ranking.why[memory.id]
    neighbours = tuple(presented.neighbours.get(memory.id, ()))
    corrected_by = correction(memory, presented.replaced.get(memory.id, ()))
    in_place_of = found.judged.in_place_of.get(memory.id)
    words = found.judged.words.held_by(memory.id) if found.judged.words else ()
    return Hit(memory, score_of(why), why, neighbours, corrected_by, tuple(also), words, in_place_of=in_place_of)


def _uses(query: Query, results: Iterable[Hit], log_text: bool) -> list[Use]:
    asked = loggable(query.text) if log_text else None
    return [Use(hit.memory.id, hit.memory.space, query.filter.now, "search", hit.score, asked) for hit in results]
