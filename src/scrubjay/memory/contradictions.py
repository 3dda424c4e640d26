"""Does the newer of two texts about one subject state the same thing with another value? Decided by rules.

The rules read English; of other languages they see only another number or date between the same words.
"""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import product, takewhile
from typing import Literal, NamedTuple

from scrubjay.dates import grammar
from scrubjay.text.word_lists import NUMBERS, STOP_WORDS, WEEKDAYS

__all__ = ["CONFLICT", "RETIRE", "same_statement"]

# All figures were chosen with `python -m bench.updates --choosing`, on half of its pairs; the docs show the other half.
RETIRE = 0.5  # retires 32 % of whole messages that are updated, 84 % of short ones, 2 % of a message's neighbours
CONFLICT = 0.3  # worth showing to a person: 62 %, 92 %, 10 %

# How sure a change is before the cosine counts (that run's short pairs).
SURE, NO = 1.0, 0.0
LIKELY = 0.8  # "Ann is tall" and "Ann is vegetarian" have a cosine of 0.59: at 0.9 the one would retire the other
MAYBE = 0.44  # under RETIRE: reads like an update, and like two events or two parts of a thing

# How sure a change is inside a longer text (that run's whole messages).
UNANNOUNCED = 0.6  # another number among the same words, but no word says that anything changed; 0.4 to 0.8 do as well
ONE_WORD = 0.8  # "never used Flask" shares one word; 0.6 does as well, at 1 fewer updates stand out
OTHER_VERB = 0.7  # "never met Kim" and "Kim wrote": the same person, another act; at 1 a quarter more mistakes
NEIGHBOURS = 3  # shared words around two numbers that make them values of one thing; 4 does as well, 2 far worse
REACH_WORDS = 14  # how far around a number they are looked for, and how far a denial goes; 8 and 20 are worse
UNIT_WORDS = 4  # what is counted follows a number within so many words; 3 does as well, 2 and 6 are worse
NOTICE_WORDS = 8  # how long before a number its change may be announced; 12 does as well, 4 is worse
SHORT_WORDS = 24  # up to here a sentence is one statement, and all that differs in it counts; 16 does as well
VALUE_WORDS = 2  # "GitHub Actions" is a value, "its new office to Berlin" another statement

# These bound the work for texts of any length; the rest of a text is not read.
MOST_CHARACTERS, MOST_SENTENCES, MOST_WORDS, MOST_VALUES = 20_000, 24, 120, 8

Kind = Literal["word", "glue", "number", "when", "turn", "hint", "denial", "pause"]


class Word(NamedTuple):
    """A word as it is compared, and its part in the sentence."""

    stem: str
    kind: Kind
    past: bool = False


Words = Sequence[Word]


@dataclass(frozen=True)
class Sentence:
    """A sentence, with what comparisons need of it; computed once, because it is compared with many others."""

    words: Words

    @property
    def short(self) -> bool:
        return len(self.words) <= SHORT_WORDS

    @cached_property
    def content(self) -> Set[str]:
        """The stems of its content words and dates."""
        return {word.stem for word in self.words if word.kind in ("word", "when")}

    @cached_property
    def denied(self) -> Sequence[Sequence[str]]:
        return [scope_of(self.words, place) for place, word in enumerate(self.words) if word.kind == "denial"]

    @cached_property
    def disliked(self) -> Sequence[Sequence[str]]:
        return [scope_of(self.words, place) for place, word in enumerate(self.words) if word.stem in AVERSIONS]

    @cached_property
    def values(self) -> Sequence[Value]:
        places = [place for place, word in enumerate(self.words) if word.kind in ("number", "when")]
        starts = [place for place in places if self.words[place].kind == "number" or place - 1 not in places]
        return [value_at(self.words, place) for place in starts[:MOST_VALUES]]


class Slot(NamedTuple):
    """Words of a statement that the other statement lacks, and the words before and after them."""

    words: Words
    before: Words
    after: Words

    @property
    def kind(self) -> Kind:
        kinds = {word.kind for word in self.words}
        return kinds.pop() if len(kinds) == 1 else "word"

    @property
    def is_topic(self) -> bool:
        """Whether it names what the statement is about: "ticket 12 is open" does not update ticket 11."""
        return not any(map(links, self.before)) and any(map(links, self.after))


class Value(NamedTuple):
    """A number or a time in a longer sentence, what it counts, and the words around it."""

    text: str
    sign: str
    unit: Set[str]
    near: Set[str]
    announced: bool


TOKEN = re.compile(r"[$€£]?\w+(?:[.,:/@'-]\w+)*%?|[=:;,.!?]")
CODE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
SENTENCE_END = re.compile(r"[.!?]\s+|\n+")
CLOCK_OR_DATE = re.compile(r"\d{1,2}:\d\d|(?:19|20)\d\d-\d\d(?:-\d\d)?|\d{1,2}/\d{1,2}(?:/\d+)?")
YEAR = re.compile(r"(?:19|20)\d\d")
SUFFIXES = ("ing", "ed", "ly", "es", "s", "e")


def stem(word: str) -> str:
    """Cut off the most common English endings: not exact, but the same in both texts."""
    for suffix in SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= 3:
            word = word[: -len(suffix)]
            break
    doubled = len(word) > 3 and word[-1] == word[-2] and word[-1] in "bdgmnprt"
    return word[:-1] if doubled else word


def words_of(text: str) -> frozenset[str]:
    return frozenset(text.split())


def stems_of(text: str) -> frozenset[str]:
    return frozenset(map(stem, words_of(text)))


MONTHS = frozenset(grammar.MONTHS)
WHEN = (
    (MONTHS - {"may"})
    | frozenset(WEEKDAYS)
    | words_of("am pm today tomorrow hourly nightly daily weekly monthly quarterly yearly")
)
YEAR_LEADS = MONTHS | words_of("by in since until")
COPULAS = words_of("is are = : be")
ARTICLES = words_of("a an the")
GLUE = STOP_WORDS | words_of("= : also i'm i've it's may must per please really strongly us user users we've")

# Words of the newer text: TURNS say that something has changed, HINTS only that it is new.
TURNS = words_of(
    "adjusted anymore became canceled cancelled changed converted correction decreased delayed downgraded dropped "
    "expanded extended grew grown improved increased instead longer lowered migrated moved moving postponed raised "
    "reached reduced renamed replaced rescheduled shortened sold switched turned updated upgraded"
)
HINTS = words_of("actually again currently new now recently")

DENIALS = words_of("cannot never no not quit stopped")
# These deny only what was liked; they do not deny a denial: "avoids" and "does not use" agree.
AVERSIONS = stems_of(
    "afraid against allergic aversion avoid despise detest dislike except fear hate intolerant objection phobia "
    "rather refuse without"
)
LIKINGS = stems_of("adore enjoy like love")
UNSURE = stems_of("able certain familiar get know need sure think understand want worry")  # "not sure" denies nothing
INTENTS = stems_of("consider hope intend interested plan want wish")  # who never did it may well want to
LIGHT = stems_of("before done ever get got help made make need related something tried try use used using want yet")

# Verbs with one object at a time, verbs with any number of them, and things that happened and stay true.
STATES = stems_of(
    "based begin build built call cost due end held live located name plan run scheduled send sent set start take work "
    "write written"
)
MANY = AVERSIONS | stems_of(
    "add attend buy contain decide depend enjoy fix has include interested join know learn like love mean meet need "
    "own play read return speak support visit want watch"
)
LIVES, MOVES = stem("lives"), stem("moved")  # the one change so common that it needs no other shared word
EVENTS = words_of("bought came did got lost made met paid ran read saw spent took went won wrote")


# Words whose part in a sentence is known without context; a later line overrides an earlier one.
LISTED = (
    {token: Word(token, "glue") for token in GLUE}
    | {"have": Word("has", "glue")}
    | {token: Word("is", "glue") for token in COPULAS}
    | {name: Word(str(number), "number") for number, name in enumerate(NUMBERS)}
    | {token: Word(stem(token), "when") for token in WHEN}
    | {f"{token}s": Word(stem(token), "when") for token in WHEN}
    | {token: Word(stem(token), "turn", past=token.endswith("ed")) for token in TURNS}
    | {token: Word(token, "hint") for token in HINTS}
    | {token: Word(token, "denial") for token in DENIALS}
    | {token: Word(token, "pause") for token in ",;.!?"}
)


def same_statement(old: str, new: str, cosine: float) -> float:
    """How much the newer text looks like the older statement with another value, from 0 to 1.

    An update, a correction or a denial scores high. A further fact that leaves the older one true scores low, and so
    does a restatement: where nothing changed, nothing has to be retired.
    """
    changes = (change(before, after) for before, after in product(sentences(old), sentences(new)))
    return max(0.0, min(cosine, 1.0)) * max(changes, default=NO)


def change(old: Sentence, new: Sentence) -> float:
    denied = max(denial(old, new), denial(new, old))
    if old.short and new.short:
        return max(denied, another_value(old, new))
    return max(denied, another_number(old, new))


@lru_cache(maxsize=4)  # one new text is compared with many old ones
def sentences(text: str) -> Sequence[Sentence]:
    prose = CODE.sub(" ", text[:MOST_CHARACTERS])
    return [Sentence(read(part)) for part in SENTENCE_END.split(prose)[:MOST_SENTENCES]]


def read(sentence: str) -> Words:
    tokens = [token.removesuffix("'s") for token in TOKEN.findall(sentence.lower().replace("’", "'"))[:MOST_WORDS]]
    return list(map(word_of, ["", *tokens], tokens, [*tokens[1:], ""]))


def word_of(last: str, token: str, following: str) -> Word:
    if token.endswith("n't") or (token, following) == ("gave", "up"):
        return Word(token, "denial")
    if token == "may" and following[:1].isdigit():
        return Word(token, "when")
    if listed := LISTED.get(token):
        return listed
    if token[0].isdigit() or token[0] in "$€£":
        return Word(token, "when" if is_time(last, token, following) else "number")
    past = (token.endswith("ed") or token in EVENTS) and last not in COPULAS
    return Word(stem(token), "word", past)


def is_time(last: str, token: str, following: str) -> bool:
    year = last in YEAR_LEADS and YEAR.fullmatch(token)
    return bool(year or last in MONTHS or following in ("am", "pm") or CLOCK_OR_DATE.fullmatch(token))


def denial(stated: Sentence, denying: Sentence) -> float:
    """How much of what the one sentence denies the other states."""
    if stated.content & AVERSIONS or (stated.short and stated.content & INTENTS):
        return NO
    also_denied = {each for scope in stated.denied for each in scope}
    likes = not also_denied and stated.content & LIKINGS
    against = [*denying.denied, *denying.disliked] if likes else denying.denied
    return max((share(scope, stated.content) for scope in against if also_denied.isdisjoint(scope)), default=NO)


def scope_of(words: Words, place: int) -> Sequence[str]:
    """What a denial is about: the content words after it."""
    following = words[place + 1 : place + 1 + REACH_WORDS]
    # "Brands that are not tested" denies a part only, not the statement.
    partial = any(word.stem == "that" for word in words[max(0, place - 2) : place])
    if partial or not following or following[0].stem in UNSURE:
        return []
    until_pause = takewhile(lambda word: word.kind != "pause", following)
    return [word.stem for word in until_pause if word.kind in ("word", "when") and word.stem not in LIGHT]


def share(scope: Sequence[str], content: Set[str]) -> float:
    """How much of what is denied the other sentence states."""
    if not scope:
        return NO
    common = sum(each in content for each in scope) / len(scope)
    return common * (ONE_WORD if len(scope) == 1 else 1) * (1 if scope[0] in content else OTHER_VERB)


def another_value(old: Sentence, new: Sentence) -> float:
    """How sure it is that two short statements differ in one value and in nothing else."""
    shared = {word.stem for word in old.words} & {word.stem for word in new.words}
    telling = {word.stem for word in new.words if word.kind == "word" and word.stem in shared}
    moved = LIVES in old.content and next((word.stem for word in new.words if word.kind != "glue"), "") == MOVES
    if not (telling or moved) or has(old.words, "denial") != has(new.words, "denial"):
        return NO
    turned = any(word.kind == "turn" and word.stem not in shared for word in new.words)
    hinted = turned or has(new.words, "hint")
    before, after = slots(old.words, shared | STATES if hinted else shared), slots(new.words, shared)
    if not before or not after:
        # Nothing else, or something added to what still holds; unless the old value is named as left behind.
        return SURE if turned and after and len(telling) > 1 else NO
    if typed(before) or typed(after):
        return another_measure(before, after, turned, hinted)
    if len(before) > 1 or len(after) > 1:
        return NO
    return another_word(before[0], after[0], turned, hinted)


def slots(words: Words, shared: Set[str]) -> list[Slot]:
    """The runs of words of a statement that the other lacks; function words and words of change are not counted."""
    found: list[Slot] = []
    run: list[int] = []
    for place, word in enumerate([*words, Word("", "pause")]):
        if word.stem in shared or place == len(words):
            if run:
                found.append(Slot([words[each] for each in run], words[: run[0]], words[place:]))
            run = []
        elif word.kind in ("word", "number", "when"):
            run.append(place)
    return found


def typed(found: Sequence[Slot]) -> set[Kind]:
    return {slot.kind for slot in found} - {"word"}


def another_measure(before: Sequence[Slot], after: Sequence[Slot], turned: bool, hinted: bool) -> float:
    """Judge statements that differ in numbers or times."""
    kinds = typed(before)
    if kinds != typed(after) or len(kinds) > 1:
        return NO  # "40 % on Monday", "55 % on Tuesday": with its own date each stays true
    rivals = [any(slot.kind == "word" for slot in found) for found in (before, after)]
    if any(rivals):
        return MAYBE if hinted or not all(rivals) else NO
    if turned:
        return SURE
    several = kinds == {"number"} and len(before) + len(after) > 2
    if several or (before[0].is_topic and after[0].is_topic):
        return NO
    return measured_state(after, timed=kinds == {"when"})


def measured_state(found: Sequence[Slot], timed: bool) -> float:
    """Tell a state ("standup is at 9:30") from events ("lunch on March 3", "paid $40")."""
    around = [*found[0].before, *found[-1].after]
    if any(word.stem == "is" for word in found[0].before):
        return SURE
    event = any(word.past for word in around) or (timed and not any(map(links, around)))
    return MAYBE if event else SURE


def another_word(old: Slot, new: Slot, turned: bool, hinted: bool) -> float:
    """Judge statements that differ in one word, by whether only one such word can be true."""
    if turned:
        alike = has(old.words, "number", "when") == has(new.words, "number", "when")
        return SURE if alike and max(len(old.words), len(new.words)) <= VALUE_WORDS else MAYBE
    opening = not any(word.kind == "word" for word in new.before)
    if opening or (old.is_topic and new.is_topic):
        return NO
    if any(word.stem in MANY or (word.past and word.stem not in STATES) for word in new.before):
        return NO
    if hinted:
        return LIKELY
    if preposition(old) != preposition(new):
        return NO
    tail = {word.stem for word in old.after if word.kind == "word"} & {word.stem for word in new.after}
    modifies = tail and len(old.words) == len(new.words) == 1  # dark mode, light mode
    verb = next(word for word in reversed(new.before) if word.kind == "word" or word.stem == "is")
    return LIKELY if modifies or links(verb) else MAYBE


def preposition(slot: Slot) -> str:
    last = next((word for word in reversed(slot.before) if word.stem not in ARTICLES), None)
    return last.stem if last and last.kind == "glue" else ""


def links(word: Word) -> bool:
    """Whether this verb connects a topic with its one value."""
    return word.stem == "is" or word.stem in STATES


def has(words: Words, *kinds: Kind) -> bool:
    return any(word.kind in kinds for word in words)


def another_number(old: Sentence, new: Sentence) -> float:
    """How sure it is that two longer sentences give another number or date for the same thing."""
    known = {value.text for value in old.values}
    fresh = [value for value in new.values if value.text not in known]
    return max((likeness(before, after) for before, after in product(old.values, fresh)), default=NO)


def likeness(old: Value, new: Value) -> float:
    if old.sign != new.sign or (not old.sign and old.unit.isdisjoint(new.unit)):
        return NO
    return min(1.0, len(old.near & new.near) / NEIGHBOURS) * (1 if new.announced else UNANNOUNCED)


def value_at(words: Words, place: int) -> Value:
    word = words[place]
    around = words[max(0, place - REACH_WORDS) : place + REACH_WORDS]
    return Value(
        text="".join(each.stem for each in words[place : place + 2] if each.kind == word.kind),
        sign="when" if word.kind == "when" else "".join(letter for letter in word.stem if letter in "$€£%"),
        unit={each.stem for each in words[place + 1 : place + 1 + UNIT_WORDS] if each.kind == "word"},
        near={each.stem for each in around if each.kind == "word" and each.stem not in LIGHT},
        announced=has(words[max(0, place - NOTICE_WORDS) : place + UNIT_WORDS], "turn", "hint"),
    )
