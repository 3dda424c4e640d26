"""The same questions asked of other memories: small and large ones, conversations as notes, passages of documents."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

from bench.chunking import PLACE, Span, located, ours, read_corpora
from bench.quality.asking import BM25, HYBRID, MINILM, MODES
from bench.quality.filling import fill, opened
from bench.quality.metrics import judge
from bench.quality.rivals import by_bm25, by_minilm
from bench.report import Row
from bench.sets import NO_SCOPE, Document, Question, RetrievalSet
from scrubjay.text.secret_scan import find_secrets

__all__ = ["elsewhere", "memories"]

GAIN = "nDCG@10"
QUESTIONS = 60  # of each scope: every memory here has been asked much already
SPACES = 40
SEED = 7


def elsewhere(sets: Mapping[str, RetrievalSet], folder: Path, embedder: Any) -> Iterator[Row]:
    """How hybrid search does beside its legs and the plain ways, by memory."""
    for number, (name, given) in enumerate(memories(sets)):
        gains = _gains(given, folder / f"elsewhere-{number}.db", embedder)
        asked = len(gains[HYBRID])
        means = {way: sum(own) / asked for way, own in gains.items()}
        best = max(mean for way, mean in means.items() if way != HYBRID)
        yield {"memory": name, "questions": asked, **means, "above the best": means[HYBRID] - best}


def memories(sets: Mapping[str, RetrievalSet]) -> Iterator[tuple[str, RetrievalSet]]:
    sizes = {"prefeval_explicit": (5, 20, 100, 300), "scifact": (30, 200, 1000)}
    for name, counts in sizes.items():
        for count in counts if name in sets else ():
            yield f"{name}, {count} in each", _in_small_spaces(sets[name], count)
    if "locomo" in sets:
        some = _some_questions(sets["locomo"])
        yield "locomo, all in one", _in_one(some)
        yield "locomo, turns as notes", _as_notes(some)
        yield "locomo, sessions as notes", _sessions_as_notes(some)
    if "beam_100K" in sets:
        yield "beam_100K, all in one", _in_one(sets["beam_100K"])
        yield "beam_100K, messages as notes", _as_notes(sets["beam_100K"])
    for tokens in (50, 100, 400) if PLACE.is_dir() else ():
        yield f"chunking, passages of {tokens} tokens", _passages(tokens)


def _gains(given: RetrievalSet, path: Path, embedder: Any) -> dict[str, list[float]]:
    gains: dict[str, list[float]] = {way: [] for way in (*MODES, BM25, MINILM)}
    for scope, documents in given.documents.items():
        questions = [question for question in given.questions.get(scope, []) if question.answerable]
        if not questions:
            continue
        texts = [question.text for question in questions]
        ids = {
            BM25: [answer.ids for answer in by_bm25(documents, questions)],
            MINILM: [answer.ids for answer in by_minilm(embedder, documents, questions)],
        }
        with opened(given, scope, path, embedder) as jay:
            names = fill(jay, documents)
            for mode in MODES:
                found = jay.search_many(texts, mode=mode)
                ids[mode] = [[names[hit.memory.id] for hit in results] for results in found]
        for way, own in ids.items():
            judged = zip(own, questions, strict=True)
            gains[way] += [judge(ranking, question.relevant)[GAIN] for ranking, question in judged]
    return gains


def _some_questions(given: RetrievalSet) -> RetrievalSet:
    some = {
        scope: questions[:: max(1, len(questions) // QUESTIONS)][:QUESTIONS]
        for scope, questions in given.questions.items()
    }
    return replace(given, questions=some)


def _in_small_spaces(given: RetrievalSet, count: int) -> RetrievalSet:
    """A set of one scope, dealt out at random to spaces of so many documents, with the questions that these answer."""
    dealt = Random(SEED).sample(given.documents[NO_SCOPE], len(given.documents[NO_SCOPE]))
    spaces = {str(start): dealt[start : start + count] for start in range(0, len(dealt), count)}
    space_of = {document.id: space for space, documents in spaces.items() for document in documents}
    questions: dict[str, list[Question]] = {}
    for question in given.questions[NO_SCOPE]:
        for space in sorted({space_of[id] for id in question.relevant}):
            here = {id: grade for id, grade in question.relevant.items() if space_of[id] == space}
            questions.setdefault(space, []).append(replace(question, scope=space, relevant=here))
    asked = list(questions)[:SPACES]
    return replace(given, documents={space: spaces[space] for space in asked}, questions=questions)


def _in_one(given: RetrievalSet) -> RetrievalSet:
    """All scopes in one space; of documents that say the same, the first stands for all."""
    kept: dict[str, Document] = {}
    same: dict[str, str] = {}
    for scope, documents in given.documents.items():
        for document in documents:
            session = f"{scope} {document.session}" if document.session else None
            first = kept.setdefault(document.text, replace(document, scope=NO_SCOPE, session=session))
            same[document.id] = first.id
    questions = [
        replace(question, relevant={same[id]: grade for id, grade in question.relevant.items()})
        for own in given.questions.values()
        for question in own
    ]
    return replace(given, documents={NO_SCOPE: list(kept.values())}, questions={NO_SCOPE: questions})


def _as_notes(given: RetrievalSet) -> RetrievalSet:
    """Each turn as a note of its own, with who said it; without what holds a secret, which no note may."""
    return _told(given, lambda document: replace(document, text=_line(document), session=None, speaker=None))


def _line(document: Document) -> str:
    named = document.speaker if document.speaker not in ("user", "assistant") else None
    return f"{named}: {document.text}" if named else document.text


def _told(given: RetrievalSet, tell: Callable[[Document], Document]) -> RetrievalSet:
    documents = {
        scope: [tell(document) for document in own if not find_secrets(document.text)]
        for scope, own in given.documents.items()
    }
    told = {document.id for own in documents.values() for document in own}
    questions = {
        scope: [question for question in own if told.issuperset(question.relevant)]
        for scope, own in given.questions.items()
    }
    return replace(given, documents=documents, questions=questions)


def _sessions_as_notes(given: RetrievalSet) -> RetrievalSet:
    """Each conversation as one note."""
    documents, questions = {}, {}
    for scope, own in given.documents.items():
        sessions: dict[str | None, list[Document]] = {}
        for document in own:
            sessions.setdefault(document.session, []).append(document)
        documents[scope] = [_note(str(session), turns) for session, turns in sessions.items()]
        session_of = {document.id: str(document.session) for document in own}
        questions[scope] = [
            replace(question, relevant={session_of[id]: 1 for id in question.relevant})
            for question in given.questions.get(scope, [])
        ]
    return replace(given, documents=documents, questions=questions)


def _note(session: str, turns: Sequence[Document]) -> Document:
    text = "\n".join(map(_line, turns))
    return replace(turns[0], id=session, text=text, session=None, speaker=None)


def _passages(tokens: int) -> RetrievalSet:
    """Documents cut into passages of that size, without titles; what overlaps an answer's place is relevant."""
    documents: dict[str, list[Document]] = {}
    questions: dict[str, list[Question]] = {}
    for corpus in read_corpora():
        chunks = ours(tokens, 0, titled=False)(corpus.text)
        first_of: dict[str, Document] = {}
        places: dict[Span, str] = {}
        for place, chunk in zip(located(corpus.text, chunks), chunks, strict=True):
            document = Document(f"{corpus.name} {place[0]}", "", chunk.text, corpus.name, None, None, None)
            places[place] = first_of.setdefault(chunk.text, document).id
        documents[corpus.name] = list(first_of.values())
        questions[corpus.name] = [
            Question(asked.text, asked.text, corpus.name, "", _overlapping(places, asked.answers))
            for asked in corpus.questions
        ]
    return RetrievalSet("chunking", documents, questions)


def _overlapping(places: Mapping[Span, str], answers: Sequence[Span]) -> dict[str, int]:
    return {
        id: 1 for (start, end), id in places.items() if any(start < last and first < end for first, last in answers)
    }
