"""Instructions, corrections and decisions in what a user typed: "never use npm here, we use pnpm".

Each sentence is weighed by signs: those of a rule that lasts (always, we use, every test, from now on) against those of
a request for the moment (add the test, this file, now); and by its vector of the bundled model, which knows more ways
to say the same. Most sessions begin with a task, so that a first message must tell a rule more clearly. It rather
misses one than takes a passing request, or a pasted text, for one: what is learnt here is told to agents for a long
time, so that text which the user only shows must never become an instruction. English only.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from math import log
from typing import NamedTuple

from scrubjay.models.embedders.bundled import connect
from scrubjay.text.fence import unfenced
from scrubjay.upkeep.extract_rules import Statement
from scrubjay.upkeep.instructions.own_words import CUT, own_words
from scrubjay.upkeep.instructions.signs import AGAINST, DECIDED, FIRST_MARK, FOR, MARKS, SUPPORT
from scrubjay.upkeep.instructions.weights import MEANING, WEIGHTS

__all__ = ["FITTED", "SIGNS", "Weights", "features", "instructions", "sentences", "vector"]

MAX_SENTENCE, LEAST_WORDS = 240, 2
CODE_SPAN = re.compile(r"`[^`\n]{1,120}`")
PRIVATE = re.compile("[\ue000-\uf8ff]")
MARK = re.compile(f"[{MARKS}]")

WE = "we|the team|our team|my team|everyone|everybody"
ENDS = re.compile(
    rf"(?<=[.!?])\s+|\n+|;\s+|\s[;:]-?[)D(P]+\s+|,? and (?=(?:(?:{WE})(?:'ve| have)? )?(?:{DECIDED})\b)", re.I
)
CLAUSE = re.compile(r"(?:[,:]| [–—-]) (?:(?:and|but|so|then|because) )?|,? (?:and|but|so|because|since) ", re.I)
LEAD = re.compile(
    r"^(?:(?:please|pls|also|and|but|so|ok|okay|yes|yeah|nope|hey|hi|thanks|thx|btw|by the way|note(?: that)?|"
    r"actually|"
    r"oh|well|right|wait|hmm*|ugh|oops|sorry|good|great|nice|perfect|again|remember(?: to)?(?! that)|for the record|"
    r"fyi|then|"
    r"(?:as|like) (?:i )?said(?: [\w ]+(?=,))?|important|i said|i told you|that's wrong|wrong|let's|be sure to|"
    r"could you please|one (?:remark|thing|more thing|note)|just so you know|"
    r"(?:i want|i'd like|i would like|i need) (?:you to|that you)|it was(?= decided| agreed)|"
    r"no(?=[,.!:–—-]| (?:no|we|i|you|please|never|always|don'?t|use|it|the)\b))"
    r"(?![\w'])[\s,!:.–—-]*)+",
    re.I,
)

# "Could you always …?": a rule in the form of a question.
POLITE = re.compile(
    r"\b(?:could|can|would|will) you (?:please |pls )?"
    r"((?:always|never|stop|avoid|not|check with me|ask (?:me|us)|from now on|in (?:the )?future)\b[^.?!\n]*)\?",
    re.I,
)

# A sentence is an instruction if what it weighs sums up to ENOUGH.
ENOUGH, PART_ENOUGH, NEVER = 0.7, 1.2, -9.0
HOPELESS = -2.5  # signs that weigh less than this are not made up for by a vector: none is made
CODE = "`code`"  # what the model reads for a code span
KEPT_VECTORS = 1000
SIGNS = {name: re.compile(pattern, re.IGNORECASE) for name, pattern in (FOR | SUPPORT | AGAINST).items()}
# Where one of these is found, neither the length nor the place of the sentence matters.
CLEAR_SIGNS = (
    "always", "must always", "from now on", "we never", "we do", "decided", "rule", "prefer", "no", "ask me", "forbids"
)  # fmt: skip
BARS = [SIGNS[name] for name in ("asks", "somebody else")]
WE_DO = SIGNS["we do"]
BREAKS = re.compile(r"\b(?:crash\w*|errors?|exceptions?|fail\w*|broken|bugs?|hangs|slow|missing)\b|n'?t work", re.I)
BUILDS = re.compile(r"(?:^|[.!?,\n])\s*(?:\w+ ){0,3}(?:build|implement|create|design|make)\b(?! sure)", re.I)
# "Every row must …": a requirement of the program, unless it is about us or you.
SHALL = re.compile(r"(?!we\b|you\b|i\b|our\b)(?:[\w-]+ ){1,8}(?:must|should|shall|needs? to|has to|have to)\b", re.I)
# Orders that may be rules even where they open a session.
KEEPS = re.compile(r"(?:use|keep|prefer|stick)\b", re.I)
MYSELF = SIGNS["myself"]
# Where the whole sentence says that it is for today, no part of it is a rule.
MOMENT = re.compile(r"\b(?:today|tonight|tomorrow|this (?:week|time)|for now|before you (?:start|begin))\b", re.I)
DECISION = SIGNS["decided"]
PREFERENCE = SIGNS["prefer"]
FOLLOWS = re.compile(r"(?:use|they|we have|stick|take) (?:\S+ ){0,9}\S+$", re.I)
# "… true?": it is asked about what stands before.
ASKED = re.compile(r"[^.!?\n]*[^.!?\s][.!,]?\s++(?:\w++\W++){0,2}\w+\?")
# "Do it like that from now on", "that goes for every deploy": what is meant stands in the sentence before.
REFERS = re.compile(
    r"\blike (?:that|this)\b|^(?:(?:and|but) )?(?:that|this|the same|same) (?:goes|applies|holds|for)\b", re.I
)
CONTINUES = re.compile(r"\A\s*and (?:always|never|don'?t|only)\b[^.!?\n]*", re.I)  # more of the task before it


Weigh = Callable[[str], float]


class Weights(NamedTuple):
    """How much each sign weighs, and each number of a sentence's vector."""

    signs: Mapping[str, float]
    meaning: Sequence[float]


FITTED = Weights(WEIGHTS, MEANING)


def instructions(text: str, *, opens: bool = False, weights: Weights = FITTED) -> list[Statement]:
    """The instructions in what a user typed, each once, in order, in the user's own words.

    `opens` says that it is the first message of a session.
    """
    own, spans = _own_with_marks(text)
    found: dict[str, Statement] = {}
    for sentence in _told(own, partial(_weight, opens=opens, weights=weights)):
        said = _with_spans(sentence, spans).rstrip(".,!")
        statement = Statement(said[0].upper() + said[1:], _kind(sentence), "", 0.8)
        found.setdefault(statement.text.casefold(), statement)
    return list(found.values())


def features(sentence: str, opens: bool) -> dict[str, float]:
    """What is weighed: by name how much of it the sentence has."""
    signs = {name: float(bool(sign.search(sentence))) for name, sign in SIGNS.items()}
    if any(signs[name] for name in CLEAR_SIGNS):
        return {"start": 1.0, "unclear": 0.0, "words if unclear": 0.0, "first task": 0.0, **signs}
    first_task = float(opens and not KEEPS.match(sentence))
    words = log(len(sentence.split()) + 1)
    return {"start": 1.0, "unclear": 1.0, "words if unclear": words, "first task": first_task, **signs}


@lru_cache(KEPT_VECTORS)
def vector(sentence: str) -> tuple[float, ...]:
    """What the bundled model makes of it, whichever model embeds the memories."""
    return tuple(connect().embed([MARK.sub(CODE, sentence)])[0].tolist())


def sentences(text: str) -> list[tuple[str, str]]:
    """Each sentence of the user's own as it is weighed, and as it was typed."""
    own, spans = _own_with_marks(text)
    return [(sentence, _with_spans(sentence, spans)) for sentence in _sentences(own)]


def _own_with_marks(text: str) -> tuple[str, list[str]]:
    """What the user says, with a mark in place of each code span, and those spans."""
    plain = PRIVATE.sub("", unfenced(text))
    spans = CODE_SPAN.findall(plain)
    marks = iter(range(FIRST_MARK, FIRST_MARK + len(spans)))
    own = own_words(CODE_SPAN.sub(lambda _: chr(next(marks)), plain))
    return ASKED.sub("", POLITE.sub(r"\1.", CONTINUES.sub("", own))), spans


def _with_spans(sentence: str, spans: Sequence[str]) -> str:
    return MARK.sub(lambda mark: spans[ord(mark[0]) - FIRST_MARK], sentence)


def _told(own: str, weigh: Weigh) -> list[str]:
    """Each instruction; the sentences that go on about it belong to it, and the one that it refers to."""
    told: list[str] = []
    before, goes_on = "", False
    for sentence in _sentences(own):
        found = None if _is_background(sentence, own) else _instruction(sentence, weigh)
        if goes_on and _belongs(sentence, bool(found), told[-1]):
            told[-1] = f"{told[-1].rstrip('.')}. {found or sentence}"
        elif found:
            told.append(f"{before.rstrip('.')}. {found}" if before and REFERS.search(found) else found)
        before, goes_on = "" if CUT in sentence or _is_barred(sentence) else sentence, bool(found)
    return told


def _is_background(sentence: str, message: str) -> bool:
    """Whether it tells what is used where a fault is reported, or what a thing shall do that is to be built.

    "It crashes, we use Kotlin 1.9"; "build a table, every row must have a checkbox".
    """
    rest = message.replace(sentence, "")
    return bool(WE_DO.match(sentence) and BREAKS.search(rest)) or bool(SHALL.match(sentence) and BUILDS.search(rest))


def _belongs(sentence: str, is_one: bool, told: str) -> bool:
    return len(told) + len(sentence) <= MAX_SENTENCE and (
        is_one or (bool(FOLLOWS.match(sentence)) and CUT not in sentence)
    )


def _sentences(text: str) -> Iterator[str]:
    for sentence in ENDS.split(text):
        plain = _without_lone_quote(LEAD.sub("", " ".join(sentence.split())).strip(" -*,"))
        if not plain.endswith(":") and len(plain) <= MAX_SENTENCE:
            yield plain


def _without_lone_quote(sentence: str) -> str:
    """A quotation mark at an end whose other one is at the other end, or nowhere, is not a part of the sentence."""
    for mark in "'\"":
        if mark not in sentence.strip(mark):
            sentence = sentence.strip(mark)
    return sentence


def _instruction(sentence: str, weigh: Weigh) -> str | None:
    """The sentence if it is an instruction, else the part of it that is."""
    if _is_barred(sentence):
        return None
    if weigh(sentence) >= ENOUGH:
        return sentence
    clauses = [] if MYSELF.match(sentence) or MOMENT.search(sentence) else list(CLAUSE.finditer(sentence))
    parts = [sentence[clause.end() :] for clause in clauses] + [sentence[: clause.start()] for clause in clauses]
    return next((part for part in parts if weigh(part) >= PART_ENOUGH), None)


def _is_barred(sentence: str) -> bool:
    return any(bar.search(sentence) for bar in BARS)


def _weight(sentence: str, opens: bool, weights: Weights) -> float:
    if CUT in sentence or len(sentence.split()) < LEAST_WORDS:
        return NEVER
    signs = sum(weights.signs[name] * value for name, value in features(sentence, opens).items() if value)
    if signs < HOPELESS:
        return NEVER
    return signs + sum(weight * value for weight, value in zip(weights.meaning, vector(sentence), strict=True))


def _kind(sentence: str) -> str:
    if DECISION.search(sentence):
        return "decision"
    return "preference" if PREFERENCE.search(sentence) else "convention"
