"""Instructions, corrections and decisions in what a user typed, found by rules: "never use npm here, we use pnpm".

Each sentence is weighed by signs: those of a rule that lasts (always, we use, every test, from now on) against those of
a request for the moment (add the test, this file, now). It rather misses one than takes a passing request, or a pasted
text, for one: what is learnt here is told to agents for a long time, so that text which the user only shows must never
become an instruction. English only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from scrubjay.text.fence import unfenced
from scrubjay.upkeep.extract_rules import Statement
from scrubjay.upkeep.instructions.own_words import CUT, own_words
from scrubjay.upkeep.instructions.signs import AGAINST, DECIDED, FOR, MARKS, SUPPORT

__all__ = ["instructions"]

MAX_SENTENCE, LEAST_WORDS = 240, 3
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

# A sentence is an instruction if the weights of its signs sum up to ENOUGH.
ENOUGH, PART_ENOUGH, START, NEVER = 0.2, 0.7, -1.8, -9.0
BARS = [re.compile(AGAINST[name][1], re.I) for name in ("asks", "somebody else")]
SIGNS = [(weight, re.compile(pattern, re.IGNORECASE)) for weight, pattern in (FOR | SUPPORT | AGAINST).values()]
CORE = [re.compile(pattern, re.IGNORECASE) for _, pattern in FOR.values()]
WE_DO = re.compile(FOR["we do"][1], re.I)
BREAKS = re.compile(r"\b(?:crash\w*|errors?|exceptions?|fail\w*|broken|bugs?|hangs|slow|missing)\b|n'?t work", re.I)
BUILDS = re.compile(r"(?:^|[.!?,\n])\s*(?:\w+ ){0,3}(?:build|implement|create|design|make)\b(?! sure)", re.I)
SHALL = re.compile(r"(?!we\b|you\b|i\b|our\b)(?:[\w-]+ ){1,8}(?:must|should|shall|needs? to|has to|have to)\b", re.I)
MYSELF = re.compile(AGAINST["myself"][1], re.I)
MOMENT = re.compile(r"\b(?:today|tonight|tomorrow|this (?:week|time)|for now|before you (?:start|begin))\b", re.I)
DECISION = re.compile(FOR["decided"][1], re.I)
PREFERENCE = re.compile(FOR["prefer"][1], re.I)
FOLLOWS = re.compile(r"(?:use|they|we have|stick|take) (?:\S+ ){0,9}\S+$", re.I)
# "… true?": it is asked about what stands before.
ASKED = re.compile(r"[^.!?\n]+[.!,]?\s+(?:\w+\W+){0,2}\w+\?")
# "Do it like that from now on", "that goes for every deploy": what is meant stands in the sentence before.
REFERS = re.compile(
    r"\blike (?:that|this)\b|^(?:(?:and|but) )?(?:that|this|the same|same) (?:goes|applies|holds|for)\b", re.I
)
CONTINUES = re.compile(r"\A\s*and (?:always|never|don'?t|only)\b[^.!?\n]*", re.I)  # more of the task before it


def instructions(text: str) -> list[Statement]:
    """The instructions in what a user typed, each once, in order, in the user's own words."""
    plain = PRIVATE.sub("", unfenced(text))
    spans = CODE_SPAN.findall(plain)
    marks = iter(range(0xE100, 0xE100 + len(spans)))
    own = own_words(CODE_SPAN.sub(lambda _: chr(next(marks)), plain))
    found: dict[str, Statement] = {}
    own = POLITE.sub(r"\1.", CONTINUES.sub("", own))
    for sentence in _told(ASKED.sub("", own)):
        said = MARK.sub(lambda mark: spans[ord(mark[0]) - 0xE100], sentence).rstrip(".,!")
        statement = Statement(said[0].upper() + said[1:], _kind(sentence), "", 0.8)
        found.setdefault(statement.text.casefold(), statement)
    return list(found.values())


def _told(own: str) -> list[str]:
    """Each instruction; the sentences that go on about it belong to it, and the one that it refers to."""
    told: list[str] = []
    before, goes_on = "", False
    for sentence in _sentences(own):
        found = None if _is_background(sentence, own) else _instruction(sentence)
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
        plain = LEAD.sub("", " ".join(sentence.split())).strip(" -*,'\"")
        if not plain.endswith(":") and len(plain) <= MAX_SENTENCE:
            yield plain


def _instruction(sentence: str) -> str | None:
    """The sentence if it is an instruction, else the part of it that is."""
    if _is_barred(sentence):
        return None
    if _weight(sentence) >= ENOUGH:
        return sentence
    clauses = [] if MYSELF.match(sentence) or MOMENT.search(sentence) else list(CLAUSE.finditer(sentence))
    parts = [sentence[clause.end() :] for clause in clauses] + [sentence[: clause.start()] for clause in clauses]
    return next((part for part in parts if _weight(part) >= PART_ENOUGH), None)


def _is_barred(sentence: str) -> bool:
    return any(bar.search(sentence) for bar in BARS)


def _weight(sentence: str) -> float:
    if CUT in sentence or len(sentence.split()) < LEAST_WORDS or not any(sign.search(sentence) for sign in CORE):
        return NEVER
    return START + sum(weight for weight, sign in SIGNS if sign.search(sentence))


def _kind(sentence: str) -> str:
    if DECISION.search(sentence):
        return "decision"
    return "preference" if PREFERENCE.search(sentence) else "convention"
