"""How well what was cut is found again, by Scrubjay's rules and by those of others: `python -m bench.chunking`."""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import accumulate
from pathlib import Path
from time import perf_counter
from typing import Any

import scrubjay
from bench import report
from bench.cache import Cached
from bench.report import Row, Table
from bench.sets import FOLDER
from bench.workroom import workroom
from scrubjay.chunking import passages
from scrubjay.embedders.local import connect

Span = tuple[int, int]  # of characters in a document
Cut = Callable[[str], "list[Chunk]"]

PLACE = FOLDER / "chunking"
PAGE = report.FIGURES / "chunking.md"
NAMES = ("chatlogs", "finance", "pubmed", "state_of_the_union", "wikitexts")
WIKI_HEADING = re.compile(r"^ ((?:= )+)(.+?) ((?:= ?)+)$", re.MULTILINE)
SHOWN = 5  # passages
ROOM = 4000  # characters that an agent may have room for, whatever the passages' size
MORE = 30  # passages, of which those are read that there is room for
CHARACTERS, OVERLAP = 1600, 320  # of the others' passages: our 400 and 80 tokens of English


@dataclass(frozen=True, slots=True)
class Question:
    """A question, and where in the document its answer stands."""

    text: str
    answers: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Corpus:
    """A document and the questions about it."""

    name: str
    text: str
    questions: tuple[Question, ...]


@dataclass(frozen=True, slots=True)
class Chunk:
    """A part of a document as a way of cutting gives it."""

    text: str
    title: str | None = None


@dataclass(frozen=True, slots=True)
class Way:
    """A way of cutting, and the package that it needs."""

    name: str
    cut: Cut
    package: str = "scrubjay"


@dataclass(frozen=True, slots=True)
class Found:
    """How much of an answer was shown, and how much else."""

    recall: float
    precision: float
    overlap: float  # shared by answer and passages, of all that either has
    in_room: float  # recall within ROOM


# The ways


def ours(tokens: int, overlap: int, titled: bool = True) -> Cut:
    def cut(text: str) -> list[Chunk]:
        found = passages(text, tokens, overlap)
        return [Chunk(one.text, " › ".join(one.headings) if titled and one.headings else None) for one in found]

    return cut


def windows(text: str) -> list[Chunk]:
    starts = range(0, max(len(text) - OVERLAP, 1), CHARACTERS - OVERLAP)
    return [Chunk(text[start : start + CHARACTERS]) for start in starts if text[start : start + CHARACTERS].strip()]


def semantic_markdown(text: str) -> list[Chunk]:
    from semantic_text_splitter import MarkdownSplitter

    return [Chunk(part) for part in MarkdownSplitter(CHARACTERS, overlap=OVERLAP).chunks(text)]


def langchain(name: str) -> Cut:
    def cut(text: str) -> list[Chunk]:
        import langchain_text_splitters

        splitter = getattr(langchain_text_splitters, name)(chunk_size=CHARACTERS, chunk_overlap=OVERLAP)
        return [Chunk(part) for part in splitter.split_text(text)]

    return cut


def chonkie(name: str, **options: Any) -> Cut:
    def cut(text: str) -> list[Chunk]:
        import chonkie

        chunker = getattr(chonkie, name)(tokenizer="character", chunk_size=CHARACTERS, **options)
        return [Chunk(part.text) for part in chunker.chunk(text) if part.text.strip()]

    return cut


WAYS = (
    Way("Scrubjay 200/0", ours(200, 0)),
    Way("Scrubjay 300/60", ours(300, 60)),
    Way("**Scrubjay 400/80**", ours(400, 80)),
    Way("Scrubjay 400/80, no titles", ours(400, 80, titled=False)),
    Way("Scrubjay 400/0", ours(400, 0)),
    Way("Scrubjay 600/100", ours(600, 100)),
    Way("Scrubjay 800/160", ours(800, 160)),
    Way("semantic-text-splitter, Markdown", semantic_markdown, "semantic_text_splitter"),
    Way("LangChain, Markdown", langchain("MarkdownTextSplitter"), "langchain_text_splitters"),
    Way("LangChain, recursive", langchain("RecursiveCharacterTextSplitter"), "langchain_text_splitters"),
    Way("Chonkie, recursive (no overlap)", chonkie("RecursiveChunker"), "chonkie"),
    Way("Chonkie, sentences", chonkie("SentenceChunker", chunk_overlap=OVERLAP), "chonkie"),
    Way("plain windows", windows),
)


# The measuring


def read_corpora() -> Iterator[Corpus]:
    questions: dict[str, list[Question]] = {name: [] for name in NAMES}
    with gzip.open(PLACE / "questions_df.csv.gz", "rt", encoding="utf-8", newline="") as lines:
        for line in csv.DictReader(lines):
            answers = [(one["start_index"], one["end_index"]) for one in json.loads(line["references"])]
            questions[line["corpus_id"]].append(Question(line["question"], tuple(answers)))
    for name in NAMES:
        path = PLACE / "corpora" / f"{name}.md.gz"
        text = gzip.decompress(path.read_bytes()).decode()
        yield Corpus(name, WIKI_HEADING.sub(in_markdown, text), tuple(questions[name]))


def in_markdown(heading: re.Match[str]) -> str:
    """Wikipedia's heading as Markdown's, of the same length: answers are told by their place in the text."""
    level = heading[1].count("=")
    return f"{'#' * level} {heading[2]}".ljust(len(heading[0]))


def measure(way: Way, corpora: Sequence[Corpus], embedder: Cached, path: Path) -> tuple[Row, list[Row]]:
    """A row for all questions, and one for each corpus."""
    seconds, count, found = 0.0, 0, {}
    for corpus in corpora:
        started = perf_counter()
        chunks = way.cut(corpus.text)
        seconds += perf_counter() - started
        count += len(chunks)
        with scrubjay.open(path, space=corpus.name, embedder=embedder) as jay:
            found[corpus.name] = list(ask(jay, corpus, chunks))
    megabytes = sum(len(corpus.text.encode()) for corpus in corpora) / 1e6
    everything = [one for own in found.values() for one in own]
    whole = {"way": way.name, "passages": count, **means(everything), "ms per MB": 1000 * seconds / megabytes}
    return whole, [{"corpus": name, "way": way.name, **means(own)} for name, own in found.items()]


def ask(jay: scrubjay.Scrubjay, corpus: Corpus, chunks: Sequence[Chunk]) -> Iterator[Found]:
    added = jay.add_many([{"text": one.text, "title": one.title, "kind": "passage"} for one in chunks])
    spans: dict[int, Span] = {}
    for one, span in zip(added, located(corpus.text, chunks), strict=True):
        spans.setdefault(one.memory.id, span)
    texts = [question.text for question in corpus.questions]
    few = jay.search_many(texts, limit=SHOWN)
    many = jay.search_many(texts, limit=MORE)
    for question, first, more in zip(corpus.questions, few, many, strict=True):
        yield judged(question, [spans[hit.memory.id] for hit in first], [spans[hit.memory.id] for hit in more])


def located(text: str, chunks: Sequence[Chunk]) -> Iterator[Span]:
    """Where each chunk stands: they come in order, and each is a stretch of the text."""
    start = -1
    for chunk in chunks:
        start = text.index(chunk.text, start + 1)
        yield start, start + len(chunk.text)


def judged(question: Question, first: Sequence[Span], more: Sequence[Span]) -> Found:
    wanted = positions(question.answers)
    right = len(wanted & positions(first))
    shown = sum(end - start for start, end in first)
    read = zip(more, accumulate(end - start for start, end in more), strict=True)
    within = positions(span if total <= ROOM else (span[0], span[1] - total + ROOM) for span, total in read)
    return Found(
        right / len(wanted), right / max(shown, 1), right / (len(wanted) + shown - right), len(wanted & within) / len(wanted)
    )


def positions(spans: Iterable[Span]) -> set[int]:
    return {place for start, end in spans for place in range(start, end)}


def means(found: Sequence[Found]) -> Row:
    def mean(values: Iterable[float]) -> float:
        return 100 * sum(values) / len(found)

    return {
        "recall": mean(one.recall for one in found),
        "precision": mean(one.precision for one in found),
        "IoU": mean(one.overlap for one in found),
        "recall in room": mean(one.in_room for one in found),
    }
