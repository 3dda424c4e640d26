"""Plain statements in what somebody said, found by rules: preferences, identity, decisions, plans. English only.

For extraction without a language model. It rather misses a statement than takes a question for one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

__all__ = ["Statement", "statements"]

MOST_SENTENCES = 200
SHORTEST_WORDS, LONGEST_CHARACTERS = 3, 300
LONGEST_LEAD = 200  # characters before a statement that are left out of it, such as "by the way"


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement, in words that can be read without the rest."""

    text: str
    kind: str
    subject: str
    confidence: float


@dataclass(frozen=True, slots=True)
class Rule:
    kind: str
    pattern: re.Pattern[str]
    confidence: float


def one_of(words: str) -> str:
    """A pattern for any of these words, which are separated by commas."""
    return "(?:" + "|".join(word.strip() for word in words.split(",")) + ")"


HOW = r"(?:(?:\w+ly|always|also|just|much|still|only|tend to|often|never) )*"
FOND = "like, love, enjoy, adore, value, favor, favour, prioritize, prioritise"
LIKING = one_of(f"prefer, dislike, hate, detest, despise, loathe, avoid, {FOND}")
OPPOSED = one_of("can't stand, cannot stand, can't bear, refuse, care little for")
MIND = one_of("aversion, preference, allergy, intolerance, fear, phobia, dislike, distaste, passion, hatred, love")
ILLNESS = one_of("allergy, allergies, intolerance, phobia")
HABIT = one_of("diet, regimen, lifestyle")
TOWARDS = one_of("to, for, of, towards?, about, with, and, so")
STATE = one_of(
    "allergic, intolerant, vegetarian, vegan, pescatarian, diabetic, coeliac, celiac, lactose, afraid of, scared of,"
    "terrified of, claustrophobic, passionate about, averse to, opposed to, sensitive to, colou?r ?blind, left-handed,"
    "against, not a fan of, not interested in, not comfortable with, not into, a fan of, a big fan of, a huge fan of,"
    "an early bird, a night owl, obsessed with, uncomfortable with"
)
EVER = one_of("never, always, only, exclusively, don't, do not, can't, cannot")
DOING = one_of(
    "eat, dine, consume, feed, drink, use, wear, watch, read, buy, travel, fly, work, play, listen, cook, drive, smoke,"
    "go, stay, shop, tolerate"
)
TIRESOME = one_of(
    "boring, ineffective, distracting, overwhelming, annoying, stressful, tedious, uncomfortable, too \\w+,"
    "unpleasant, frustrating, off-putting, unappealing, exhausting, difficult"
)
AM = "i(?:'m| am)"
HAVE = "i(?:'ve| have)"
# "I am a …" states an occupation if the noun ends like these or is listed, but not for "a bit" or "a big fan".
NO_CALLING = one_of("bit, little, lot, few, couple, mess, wreck, total, complete, fan, bad, good, firm, big")
CALLING = one_of(
    r"\w*(?:er|or|ist|ian|ant|ent|eer|man|woman), parent, mom, dad, nurse, chef, coach, lead, graduate, native,"
    "citizen, veteran, widow, twin, chief, cto, ceo, pilot, judge, spouse"
)
CIRCUMSTANCE = one_of(
    r"\d{1,2} years old, originally from, based in, married, single, divorced, retired, pregnant, self-employed"
)
DWELLING = one_of("live, work, grew up, was born, reside, teach, study, studied, majored, graduated")
THERE = one_of("in, at, as, for, from, near, with")
OWN = one_of(
    "wife, husband, partner, girlfriend, boyfriend, fiancee?, son, daughter, mother, father, mom, mum, dad, sister,"
    "brother, dog, cat, puppy, kitten, boss, manager, team, company, job, employer, role, birthday, name, nickname,"
    "hometown, time ?zone, email, phone number, address, blood type, shoe size, native language, first language, major,"
    "degree, diet"
)
KIN = one_of(
    "kids?, children, sons?, daughters?, brothers?, sisters?, siblings?, dogs?, cats?, pets?, degree, phd, master's"
)
WE = "(?:i|we|my team|the team|our team)"
DECIDED = one_of("decided, agreed, chose, chosen, settled on, opted, committed to, concluded")
PLANNING = one_of("plan, planning, intend, intending, scheduled")  # "going to" and "hoping to" tell moods as often

# The first rule that fits a sentence gives its kind. How sure each is was measured: `python -m bench.extract`.
RULES = [
    Rule(kind, re.compile(f"^{pattern}", re.IGNORECASE), confidence)
    for kind, confidence, pattern in (
        ("fact", 0.9, r"(?:please )?(?:remember|keep in mind|note|bear in mind|don't forget)(?: that|:) (?P<rest>.+)$"),
        ("preference", 0.9, r"my favou?rite .{2,60}? (?:is|are) .+"),
        ("preference", 0.85, rf"i {HOW}(?:don't |do not )?{HOW}(?:{LIKING}|{OPPOSED})\b"),
        ("preference", 0.9, rf"{HAVE} (?:an? |the )?(?:[\w-]+ ){{0,3}}{MIND} {TOWARDS}\b"),
        ("preference", 0.9, rf"{HAVE} (?:an? )?(?:[\w-]+ ){{0,3}}{ILLNESS}\b"),
        ("preference", 0.9, rf"i(?:'m| am)? (?:\w+ly )?(?:follow|following|on) an? (?:[\w-]+,? ){{0,4}}{HABIT}\b"),
        ("preference", 0.9, rf"{AM} (?:\w+ ){{0,2}}{STATE}"),
        ("preference", 0.8, r"i(?:'d| would) (?:much )?rather\b"),
        ("preference", 0.85, rf"i {EVER} {DOING}\b"),
        ("preference", 0.75, rf"i find .{{3,80}} {TIRESOME}\b"),
        ("identity", 0.95, r"(?:my name is|my name's|i go by|you can call me) [A-Z]\w+"),
        ("identity", 0.8, rf"{AM} (?:an? |the )(?!{NO_CALLING}\b)(?:[\w/-]+ ){{0,5}}?{CALLING}\b"),
        ("identity", 0.85, rf"{AM} {CIRCUMSTANCE}\b"),
        ("identity", 0.8, rf"i {DWELLING} {THERE}\b"),
        ("identity", 0.8, rf"my (?:\w+ ){{0,2}}{OWN}(?:'s name)? (?:is|are|was born|works|lives) \S+"),
        ("identity", 0.85, rf"i have (?:an?|one|two|three|four|five|\d+) (?:\w+ ){{0,2}}{KIN}\b"),
        ("plan", 0.7, r"my (?:\w+ ){0,2}goal is \S+"),
        ("decision", 0.8, rf"{WE}(?:'ve| have| had)? (?:also |just |finally |already )?{DECIDED}\b"),
        ("decision", 0.75, r"(?:the decision is|we(?:'re| are) going with|we(?:'ll| will) go with|let's go with)\b"),
        ("plan", 0.7, rf"{WE}(?:'m| am|'re| are|'s| is)? (?:also )?{PLANNING} (?:to|on) \w+"),
    )
]

CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`", re.DOTALL)
QUOTED = re.compile(r"^[^\S\n]*+>.*$", re.MULTILINE)
ENDS = re.compile(r"(?<=[.!?])[\"')\]]*\s+|\n+|;\s+")
LEAD = re.compile(
    r"^(?:(?:by the way|btw|actually|also|just so you know|fyi|for the record|well|yeah|yes|oh|hey|hi|hello|so|and|but|"
    r"honestly|personally|thanks|ok|okay|anyway|note that|as for me|to be honest|in fact|currently|now|no)\b[,!:. -]*|"
    r"(?:due to|because of|for|as an?) [^,]{3,70}, (?=i\b)|[\"'])+",
    re.I,
)
CLAUSE = re.compile(
    r", (?:and|but|so) (?=(?:i|my|we)\b)|, (?=(?:can|could|would|will|should|do|what|how|which|please) )", re.I
)
ASKING = re.compile(
    r"\?|^(?:can|could|would|should|do|does|did|is|are|what|how|why|when|where|which|who)\b|"
    r"\b(?:can you|could you|would you|please help|help me|wondering|not sure|i think so|if i|whether)\b",
    re.I,
)
# "I like it", "I love that idea", "I appreciate your help": about the moment, not about the speaker.
PASSING = re.compile(
    rf"^i {HOW}{one_of(FOND)} (?:to\W*$|(?:the|it|that|this|these|those|them|you|your|what|how|any|some|him|her)\b|"
    r"hearing|seeing (?:you|your)|everything|every \w+ of|all (?:of )?(?:this|that|these|your))|"
    r"^i(?:'d| would) (?:like|love|prefer|appreciate|hate)|^i (?:hope|wish|guess|think|feel|mean|see|know|wonder)\b",
    re.I,
)
# Needs the conversation around it to be understood: "I chose this one", "places like this".
DANGLING = re.compile(
    r"\b(?:this|these|those) (?!(?:year|month|week|morning|summer|winter|spring|fall|autumn)\b)|"
    r"\b(?:this|these|those|that)[.!,]*$|^(?:\S+ ){1,4}(?:it|him|her|them|there)\b|\bgo with (?:this|that|it)\b",
    re.I,
)

THIRD = {"have": "has", "am": "is", "do": "does", "don't": "doesn't", "haven't": "hasn't", "go": "goes", "was": "was"}
UNCHANGED = re.compile(
    r"^(?:\w+ed|\w+ly|can't|cannot|would|will|never|always|only|still|just|also|much|often|tend|chose|chosen|grew|was|"
    r"had|has|is|not|rather|can|went|got|made|made|took)$",
    re.I,
)
ADVERBS = re.compile(r"^(?:\w+ly|never|always|only|still|just|also|much|often)$", re.I)
AGREEING = re.compile(
    r"\b(and|but|or) ((?:\w+ly |always |never |also )?)"
    r"(prefer|avoid|dislike|hate|enjoy|despise|need|want|find|have|am not|am)\b"
)
PRONOUNS = {
    "I": "they", "i": "they", "I'm": "they're", "i'm": "they're", "I've": "they've", "I'd": "they'd", "I'll": "they'll",
    "me": "them", "my": "their", "My": "their", "mine": "theirs", "myself": "themselves", "we": "they",
    "we're": "they're", "we've": "they've", "our": "their", "us": "them", "ours": "theirs",
}  # fmt: skip
FIRST = re.compile(r"\b(?:i(?:'(?:m|ve|d|ll))?|me|my|mine|myself)\b", re.I)


def statements(text: str, name: str = "User") -> list[Statement]:
    """The statements in what a person of that name said, each once, in order."""
    prose = QUOTED.sub(" ", CODE.sub(" ", text.replace("’", "'")))
    found: dict[str, Statement] = {}
    for sentence in _sentences(prose):
        statement = _statement(sentence, name)
        if statement is not None:
            found.setdefault(statement.text, statement)
    return list(found.values())


def _sentences(prose: str) -> Iterator[str]:
    for number, sentence in enumerate(ENDS.split(prose)):
        if number == MOST_SENTENCES:
            return
        for clause in CLAUSE.split(sentence):
            if len(clause) > LONGEST_LEAD + LONGEST_CHARACTERS:
                continue
            plain = LEAD.sub("", " ".join(clause.split())).strip(" -*,\"'")
            if plain and len(plain) <= LONGEST_CHARACTERS and len(plain.split()) >= SHORTEST_WORDS:
                yield plain


def _statement(sentence: str, name: str) -> Statement | None:
    if ASKING.search(sentence) or PASSING.search(sentence):
        return None
    for rule in RULES:
        found = rule.pattern.search(sentence)
        if found and not DANGLING.search(sentence):
            rest = found.groupdict().get("rest")
            said = _about(rest or sentence, name).rstrip(".!,") + "."
            return Statement(said[0].upper() + said[1:], rule.kind, _subject(rest or sentence, name), rule.confidence)
    return None


def _subject(sentence: str, name: str) -> str:
    return "team" if re.match(r"(?:we|our|the team|my team|let's)\b", sentence, re.I) else name.lower()


def _about(sentence: str, name: str) -> str:
    """A sentence in the first person, rewritten in the third."""
    opening = re.match(r"(i'm not|i'm|i've|i'd|i'll|i|my)\b ?(.*)", sentence, re.I)
    if opening is None:
        return _others(sentence, name)
    first, rest = opening[1].lower(), opening[2]
    heads = {"i'm": "is ", "i'm not": "is not ", "i've": "has ", "i'd": "would ", "i'll": "will "}
    if first == "my":
        return f"{name}'s {_pronouns(rest)}"
    said = heads[first] + rest if first in heads else _conjugated(rest)
    return f"{name} {_pronouns(AGREEING.sub(_agreed, said))}"


def _others(sentence: str, name: str) -> str:
    """A sentence that does not begin with the speaker: the first "I" becomes the name, the others pronouns."""
    named = FIRST.sub(lambda found: f"{name}'s" if found[0].lower() in ("my", "mine") else name, sentence, count=1)
    return named if re.match(r"(?:we|our|let's)\b", sentence, re.I) else _pronouns(named)


def _conjugated(rest: str) -> str:
    words = rest.split(" ")
    for place, word in enumerate(words):
        if ADVERBS.match(word):
            continue
        if not UNCHANGED.match(word):
            words[place] = _third(word)
        break
    return " ".join(words)


def _third(verb: str) -> str:
    lower = verb.lower()
    if lower in THIRD:
        return THIRD[lower]
    if re.search(r"(?:s|x|z|ch|sh)$", lower):
        return f"{lower}es"
    return f"{lower[:-1]}ies" if re.search(r"[^aeiou]y$", lower) else f"{lower}s"


def _agreed(found: re.Match[str]) -> str:
    verb = "is not" if found[3].lower() == "am not" else _third(found[3])
    return f"{found[1]} {found[2]}{verb}"


def _pronouns(text: str) -> str:
    plural = re.sub(r"\b[Ii] am\b", "they are", text)
    return re.sub(r"\b[\w']+", lambda found: PRONOUNS.get(found[0], found[0]), plural)
