"""Large stores of real sentences and seeded variations of them: `python -m bench.variations --sizes 100000,1000000`.

The vector of a variation is that of its original with seeded noise, of length 1 again: to embed a million texts would
take days. The files are kept in the temporary folder, or another one that is given; a run that was interrupted goes on
where it was. The originals, the beginnings of the texts of all public sets, are embedded once.
"""

from __future__ import annotations

import argparse
import re
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

import scrubjay
from bench.cache import Cached
from bench.corpus import Matrix, Memory
from bench.engines import RIVAL, open_engine
from bench.sets import NAMES, read_set
from scrubjay.models.embedders import open_embedder
from scrubjay.stores.contract import NewMemory
from scrubjay.types import first_words

__all__ = ["FOLDER", "SPACE", "SUBJECTS", "TAGS", "Made", "Variations", "open_store", "rival_path", "store_path"]

FOLDER = Path(tempfile.gettempdir()) / "scrubjay-bench-stores"
SPACE = "large"
BATCH = 10_000
CHARACTERS = 400  # of a sentence
CHANGED = 0.25  # of the words of a variation
NOISE = 0.45  # added to the unit vector of the original
DIMENSIONS = 384
KINDS = ("fact", "preference", "decision", "note", "event")
TAGS = tuple(f"tag{number}" for number in range(50))
SUBJECTS = tuple(f"subject {number}" for number in range(200))
PROJECTS = tuple(f"project {number}" for number in range(10))
FIRST_DAY = datetime(2023, 11, 1, tzinfo=UTC)
DAYS = 1_100
WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Made:
    """One memory of the store, made of one of the originals by their number."""

    text: str
    fields: dict[str, Any]
    original: int


class Variations:
    """The memories of a store of some size by number, and an embedder that knows their vectors.

    The originals are its last memories: they are added to a store that holds variations already.
    """

    model = "variations"
    dimensions = DIMENSIONS

    def __init__(self, size: int) -> None:
        self._size = size
        self._vectors: dict[str, Matrix] = {}

    @cached_property
    def originals(self) -> dict[str, Matrix]:
        """Real texts, and their vectors."""
        texts = [document.text[:CHARACTERS] for document in chain.from_iterable(map(_documents, NAMES))]
        return self._embedded(list(dict.fromkeys(texts)))

    @cached_property
    def questions(self) -> list[str]:
        """Real questions, in an order that does not follow the sets."""
        found = [question.text for name in NAMES[:5] for own in read_set(name).questions.values() for question in own]
        np.random.default_rng(7).shuffle(found)
        return list(dict.fromkeys(found))

    @cached_property
    def _asked(self) -> dict[str, Matrix]:
        return self._embedded(self.questions, query=True)

    def _embedded(self, texts: list[str], query: bool = False) -> dict[str, Matrix]:
        return dict(zip(texts, self._real.embed(texts, query=query), strict=True))

    @cached_property
    def _real(self) -> Cached:
        return Cached(open_embedder("local"))

    @cached_property
    def _numbered(self) -> list[tuple[str, Matrix]]:
        return list(self.originals.items())

    @cached_property
    def words(self) -> NDArray[Any]:
        """All words of the originals, the frequent ones as often as they occur."""
        return np.array([word for text in self.originals for word in WORD.findall(text)])

    def batch(self, first: int, count: int) -> list[Made]:
        """Memories by number: the same for each run."""
        made = []
        for number in range(first, first + count):
            random = np.random.default_rng(number)
            text, vector = self._one(number, random)
            self._vectors[text] = vector
            made.append(Made(text, _fields(random), number % len(self._numbered)))
        return made

    def embed(self, texts: Sequence[str], query: bool = False) -> Matrix:
        if query:
            return np.stack([self._of_question(text) for text in texts])
        return np.stack([self._vectors.get(text, self._numbered[0][1]) for text in texts])  # a redacted text: any

    def _of_question(self, text: str) -> Matrix:
        """The vector of a real question; of any other text that of one of them, for the same price."""
        vector = self._asked.get(text)
        return self._asked[self.questions[len(text) % len(self.questions)]] if vector is None else vector

    def stored(self, one: Made, usual: scrubjay.Memory) -> NewMemory:
        """A memory of this store like a usual one, with its vector."""
        fields = {**one.fields, "tags": tuple(one.fields["tags"]), "metadata": {"original": one.original}}
        memory = replace(usual, uid=uuid4().hex, text=one.text, title=first_words(one.text), **fields)
        return NewMemory(memory, self.embed([one.text]))

    def forget(self) -> None:
        self._vectors.clear()

    def _one(self, number: int, random: np.random.Generator) -> tuple[str, Matrix]:
        text, vector = self._numbered[number % len(self._numbered)]
        if self._size - len(self._numbered) <= number < self._size:
            return text, vector
        noise = random.standard_normal(DIMENSIONS, dtype=np.float32)
        moved = vector + NOISE * noise / np.linalg.norm(noise)
        return self._reworded(text, random), np.asarray(moved / np.linalg.norm(moved), dtype=np.float32)

    def _reworded(self, text: str, random: np.random.Generator) -> str:
        words = list(self.words[random.integers(len(self.words), size=len(text))])
        return WORD.sub(lambda word: words.pop() if random.random() < CHANGED else word[0], text)


def store_path(folder: Path, size: int) -> Path:
    return folder / f"variations-{size}.db"


def rival_path(folder: Path, size: int) -> Path:
    return folder / f"variations-{size}.vec0.db"


def open_store(folder: Path, size: int, made: Variations) -> scrubjay.Scrubjay:
    return scrubjay.open(store_path(folder, size), space=SPACE, embedder=made)


def _documents(name: str) -> Iterator[Any]:
    for own in read_set(name).documents.values():
        yield from own


def _fields(random: np.random.Generator) -> dict[str, Any]:
    """Kind, subject, tags, project, importance and time; a tag is the rarer the higher its number."""
    subject = SUBJECTS[random.integers(len(SUBJECTS))] if random.random() < 0.5 else None
    tag = TAGS[min(int(random.exponential(6)), len(TAGS) - 1)]
    return {
        "kind": KINDS[random.integers(len(KINDS))],
        "subject": subject,
        "tags": [tag],
        "project": PROJECTS[random.integers(len(PROJECTS))],
        "importance": int(random.integers(1, 11)),
        "happened_at": FIRST_DAY + timedelta(days=float(random.random() * DAYS)),
    }


def fill(folder: Path, size: int, made: Variations, rival: bool) -> None:
    """The memories go straight to the store: to check each for secrets would take most of the time."""
    with open_store(folder, size, made) as jay:
        model, usual = jay.view.selection.model, jay.view.new_memory("any", {"kind": "fact"})
        for first in range(jay.stats().memories, size, BATCH):
            batch = made.batch(first, min(BATCH, size - first))
            jay.view.store.memories.put([made.stored(one, usual) for one in batch], model)
            made.forget()
            print(f"{size:,}: {first + len(batch):,} memories", flush=True)
        jay.search(made.questions[0])
    path = rival_path(folder, size)
    if rival and not path.exists():
        engine = open_engine(RIVAL, path, made)
        for first in range(0, size, BATCH):
            batch = made.batch(first, min(BATCH, size - first))
            engine.add([Memory(one.text, SPACE, one.fields["kind"], one.fields["subject"]) for one in batch])
            made.forget()
        engine.close()


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.variations", description=__doc__)
    parser.add_argument("--folder", type=Path, default=FOLDER, help="where the files are kept")
    parser.add_argument("--sizes", default="100000", help="memories in each file, with commas")
    parser.add_argument("--rival", action="store_true", help="make the file of sqlite-vec + FTS5, too")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    for size in map(int, options.sizes.split(",")):
        fill(options.folder, size, Variations(size), options.rival)


if __name__ == "__main__":
    main()
