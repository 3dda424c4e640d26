"""Made-up memories: sentences with the word frequencies of English, and clustered vectors, the same on every run."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

__all__ = ["Corpus", "Matrix", "Memory", "Precomputed", "make_corpus", "notes", "questions", "sentences", "telling"]

Matrix = NDArray[np.float32]

# The most frequent first, as in English; the rarer words of the language are made of syllables.
COMMON = """
    the of and to a in is that for it was on with as I be at by this have from or had but not are an they which you
    one we all were her she there would their him been has when who will more no if out so said what up its about
    into than them can only other new some could time these two may then do first any my now such like our over man
    me even most made after also did many before must through back years where much your way well down should because
    each just those people too little state good very make world still own see work long get here between both life
    being under never day same another know while last might us great old year off come since against go came right
    used take three small home found thought went say part once general high upon school every does got united left
    number course war until always away something fact water less public put think almost hand enough far took head
    yet government system better set told nothing night end why called eyes find going look asked later knew point
    next program city business give group toward young days let room word things want member seems white four second
    money order large turn keep power open face service door week early plan report meeting question market tea coffee
    garden music book kitchen doctor teacher friend mother father sister brother travel train flight hotel budget
    invoice deploy server database release branch review test build error fix customer contract deadline project
    calendar birthday lunch dinner morning evening weekend summer winter paint photo running yoga piano guitar recipe
    bread cheese lemon bicycle tent river mountain beach museum ticket passport allergy medicine vaccine insurance
    mortgage salary bank savings tax laptop phone keyboard monitor theme dark light window colour editor terminal
    script language grammar translation essay thesis exam lecture library novel poem film series episode game puzzle
""".split()
STOP_WORDS = 75  # how many at the head of the list say nothing
VOCABULARY = 8_000
SYLLABLES = ("b br c d dr f g h j k l m n p pl r s st t tr v w".split(), "a e i o u".split())
ENDINGS = "l m n r s t nd rt sk ton ven dor lin mer".split()

WORDS_PER_TEXT = (14, 27)
QUESTIONS = (
    "what did we say about the {0} {1} and the {2} of {3}",
    "when do I need the {0} for the {1} with {2} {3}",
    "why was the {0} {1} not in the {2} after {3}",
    "do you know which {0} they had for {1} {2} or {3}",
)
ASKED = 4  # telling words in each question

# Short memories in plain words, for what the real embedder reads.
NOTES = (
    "{0} moved the {1} meeting to {2} because the {3} was not ready.",
    "User prefers the {1} {3} in the {2}, and asked {0} to keep it that way.",
    "We agreed with {0} to review the {1} before the {3} release next {2}.",
    "{0} found that the {1} {3} fails every {2} and wrote a note about it.",
    "The {1} for {0} is due on {2}; the {3} comes after it.",
)
NAMES = "Ann Ben Carla Dan Eva Finn Grace Hugo Ida Jonas Kim Lena Max Nora Otto Pia Quinn Rosa Sam Tara".split()
THINGS = 110  # how many at the end of the list are things
TIMES = "morning evening weekend summer winter week day year night Monday Tuesday Wednesday Friday Sunday".split()

DIMENSIONS = 384
TOPICS = 64
DETAIL = 0.7
NOISE = 0.7

SMALL_SPACE = 1_000
STRETCHES = 10
# Half are facts and half preferences, whatever the topic; but some topics hold nothing but events, so that a question
# about another topic has none of them near.
KINDS = ("fact", "preference")
EVENT_TOPICS = 8
RARE = 100  # one memory in so many is about the rare subject


@dataclass(frozen=True, slots=True)
class Memory:
    """One made-up memory, with the fields that the benchmarks filter by."""

    text: str
    space: str
    kind: str
    subject: str | None


Corpus = list[Memory]


class Precomputed:
    """An embedder that costs nothing: a text's hash chooses its topic, its detail and its noise."""

    model = "precomputed"
    dimensions = DIMENSIONS

    def __init__(self) -> None:
        self._asked: dict[str, Matrix] = {}

    def embed(self, texts: Sequence[str], query: bool = False) -> Matrix:
        if not query:
            return np.stack([_vector(text) for text in texts])
        self.prepare(texts)
        return np.stack([self._asked[text] for text in texts])

    def prepare(self, questions: Sequence[str]) -> None:
        """Make the vectors of questions before the clock starts."""
        for text in questions:
            if text not in self._asked:
                self._asked[text] = _vector(text)


def make_corpus(size: int) -> Corpus:
    """A large space with stretches of a small one; half of each kind, one in a hundred of a rare subject."""
    stretch = size // STRETCHES
    small = min(SMALL_SPACE, size // 10) // STRETCHES
    return [
        Memory(
            text=text,
            space="small" if number % stretch >= stretch - small else "large",
            kind=_kind(text),
            subject="rare" if number % RARE == 0 else None,
        )
        for number, text in enumerate(sentences(size, seed=1))
    ]


def sentences(count: int, seed: int, words: tuple[int, int] = WORDS_PER_TEXT) -> list[str]:
    """Sentences whose words are as rare and as common as those of English (Zipf's law)."""
    random = np.random.default_rng(seed)
    lengths = random.integers(*words, size=count)
    drawn = random.choice(_vocabulary(), size=int(lengths.sum()), p=_zipf()).tolist()
    ends = np.cumsum(lengths).tolist()
    return [" ".join(drawn[end - length : end]).capitalize() + "." for end, length in zip(ends, lengths, strict=True)]


def questions(corpus: Corpus, count: int, seed: int) -> list[str]:
    """Natural questions, each with telling words of one memory among words that say nothing."""
    frames = np.random.default_rng(seed).choice(QUESTIONS, size=count)
    return [str(frame).format(*words) for frame, words in zip(frames, telling(corpus, count, ASKED, seed), strict=True)]


def telling(corpus: Corpus, count: int, each: int, seed: int) -> list[list[str]]:
    """Words of memories chosen at random, without those that say nothing."""
    random = np.random.default_rng(seed)
    silent = frozenset(COMMON[:STOP_WORDS])
    chosen = []
    for number in random.integers(len(corpus), size=count):
        words = [word for word in corpus[number].text.lower().strip(".").split() if word not in silent]
        chosen.append([str(word) for word in random.choice(words or ["nothing"], size=each)])
    return chosen


def notes(count: int, seed: int) -> list[str]:
    """Short plain memories, all different."""
    random = np.random.default_rng(seed)
    things = COMMON[-THINGS:]
    made: dict[str, None] = {}
    while len(made) < count:
        frame, name, thing, time, other = (str(random.choice(of)) for of in (NOTES, NAMES, things, TIMES, things))
        made[frame.format(name, thing, time, other)] = None
    return list(made)


def _kind(text: str) -> str:
    number = _hash(text)
    return "event" if number % TOPICS < EVENT_TOPICS else KINDS[number // TOPICS**2 % 2]


@cache
def _vocabulary() -> list[str]:
    random = np.random.default_rng(0)
    known = dict.fromkeys(COMMON)
    while len(known) < VOCABULARY:
        known["".join(str(random.choice(part)) for part in (*SYLLABLES, *SYLLABLES, ENDINGS))] = None
    return list(known)


@cache
def _zipf() -> NDArray[np.float64]:
    shares = 1 / np.arange(1, VOCABULARY + 1)
    return np.asarray(shares / shares.sum(), dtype=np.float64)


@cache
def _centres() -> Matrix:
    drawn = np.random.default_rng(2).standard_normal((2, TOPICS, DIMENSIONS))
    return np.asarray(drawn / np.linalg.norm(drawn, axis=2, keepdims=True), dtype=np.float32)


def _vector(text: str) -> Matrix:
    number = _hash(text)
    topics, details = _centres()
    noise = np.random.default_rng(number).standard_normal(DIMENSIONS, dtype=np.float32)
    mixed = (
        topics[number % TOPICS] + DETAIL * details[number // TOPICS % TOPICS] + NOISE * noise / np.linalg.norm(noise)
    )
    return np.asarray(mixed / np.linalg.norm(mixed), dtype=np.float32)


def _hash(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little")
