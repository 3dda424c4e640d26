"""Instructions, corrections and decisions in what a user typed, found by rules: "never use npm here, we use pnpm".

It rather misses one than takes a passing request, or a pasted text, for one: what is learnt here is told to agents for
a long time, so that text which the user only shows must never become an instruction. English only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import takewhile

from scrubjay.text.fence import unfenced
from scrubjay.upkeep.extract_rules import Statement

__all__ = ["instructions", "own_words"]

# Longer messages are mostly pasted.
MAX_CHARACTERS, MAX_LINES = 1_000, 12
MAX_SENTENCE, LEAST_WORDS = 240, 3

CODE_SPAN = re.compile(r"`[^`\n]{1,120}`")
KEPT = "\ue000{}\ue001"  # stands for a code span, so that no rule reads it
KEPT_MARK = re.compile("\ue000(\\d+)\ue001")
QUOTES = '"“'
CUT = "\ue002"  # stands for a quotation: a sentence with one is not the user's alone
# What is shown, not said: code, quotations, elements, long quotes, lines of logs, diffs and lists of names.
SHOWN = re.compile(
    r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)|<(\w[\w-]*)[^<>]*>.*?(?:</\1>|\Z)|[\"“][^\"”\n]*\s[^\"”\n]*\s[^\"”\n]*[\"”]",
    re.S,
)
SHOWN_LINE = re.compile(r"\s*(?:[>|+$%]|- |\S+:\d+:|at \S+\(|\w+: |\[|\d{2,4}[-:/]\d\d|Traceback|File \")")
# "The page says: …", "here is the README:", "paste from slack": what follows is somebody else's.
INTRODUCES = re.compile(
    r"\b(?:says?|said|reads?|wrote|writes|prints?|printed|shows?|contains?|output|logs?|lines?|error|message|email|mail|"
    r"readme|docs?|page|issue|comment|prompt|text|paste[ds]?|following|below|this|these|translate|review|summari[sz]e|"
    r"quote|here(?:'s| is| are)|agents\.md|claude\.md|slack|diff)\b[^.!?\n]*(?::|\n|$)",
    re.I,
)
DECIDED = "decided|agreed|chose|chosen|settled on|picked|went with|opted|standardi[sz]ed on|committed to"
WE = "we|the team|our team|my team|everyone|everybody"
ENDS = re.compile(rf"(?<=[.!?])\s+|\n+|;\s+|,? and (?=(?:{WE})(?:'ve| have)? (?:{DECIDED})\b)", re.I)
# "We keep Haiku, so don't switch it in that job": the added clause may need the conversation, the first does not.
ADDED = re.compile(r", (?:so|because|since|that|this|it|which|as)\b.*$", re.I)
ABOUT_MYSELF = re.compile(r"i\b", re.I)
LEAD = re.compile(
    r"^(?:(?:please|also|and|but|so|ok|okay|yes|no|nope|hey|hi|thanks|btw|by the way|remember|note|actually|oh|well|"
    r"right|wait|hmm+|ugh|oops|sorry|good|again|for the record|fyi|as i said|like i said|important|i said|i told you|"
    r"that's wrong|wrong|let's|remember to|be sure to|could you please)\b[\s,!:.–—-]*)+",
    re.I,
)
ASKING = re.compile(
    r"\?|^(?:can|could|would|should|shall|do we|do you|does|did|is|are|was|were|what|how|why|when do|when did|where|"
    r"which|who)\b",
    re.I,
)
# About the moment.
PASSING = re.compile(
    r"\b(?:for now|right now|just now|this (?:time|one|test|release|case|file|function|line|step|branch|change|pr|"
    r"part)|today|tonight|tomorrow|yet|temporarily|until|already|one more|try (?:again|the)|again|in the meantime|"
    r"first|never mind|nevermind|don't worry|no need|at the moment)\b|(?<!from )\bnow\b",
    re.I,
)
# Cannot be understood without what was said before; "we agreed that …" can.
DANGLING = re.compile(
    r"(?<!\bis )(?<!\bsure )(?<!\bagreed )(?<!\bdecided )\b(?:this|that|these|those)\b"
    r"(?! (?:repo|repository|project|codebase|package|team|hold|is why))|"
    r"^(?:\S+ ){0,4}(?:it|them|him|her|there)\b",
    re.I,
)
TELLS = re.compile(r"^(?:i|it|he|she|they|there|the|my) (?!want you|(?:don't|do not) want|prefer|'d|team\b)", re.I)

HOW = r"(?:(?:always|never|only|generally|usually|explicitly|deliberately|also|strictly|all|really|strongly|just) )*"
PAST = "been|got|had|did|was|were|worked|saw|has|came|went|knew|thought|seen"
# "Always happy to help", "never give up": said in passing.
IDIOM = (
    "mind|give up|forget|worry|miss|know|shy|good|great|nice|happy|glad|here|there|fun|a|an|the|my|been|love|loved|"
    "say|up|by|on|in|at|remember when|look(?:s|ing)? forward|so|too|wanted|wondered|ready|best|better|"
    "more|something|enough"
)
WORKING = (
    "use|write|add|commit|amend|push|mention|include|create|import|mock|edit|touch|put|log|force|squash|hard-?code|rely|"
    "return|introduce|install|abbreviate|capitali[sz]e|name|merge|rebase|delete|remove|skip|disable|run|ask|answer|reply|"
    "change|format|test|deploy|release|store|throw|raise|catch|sort|call|leave|break|store|send|print|document|generate"
)
WE_DO = (
    "use|write|target|support|deploy|ship|prefer|follow|name|commit|avoid|test|format|squash|rebase|merge|release|"
    "require|store|log|mock|import|version|review|run(?! into)|keep|document|pin"
)
THINGS = (
    "branch(?:es)?|commits?|tests?|variables?|files?|functions?|class(?:es)?|prs?|pull requests?|logs?|errors?|dates?|"
    "docs?|documentation|migrations?|messages?|names?|api|styling|money|amounts?|times?|comments?|anything|everything|all|every|"
    "new|branch names?|titles?"
)
ONE_THING = "the|this|that|it|a|an|my|your|same|line"
TONGUE = r"(?:\w+ )?(?:english|spelling|german|french|spanish|italian|units?|grammar|tone|case|mood)"

NOT_ONE = rf"(?!(?:{ONE_THING})\b)"
DOINGS = WORKING.replace("|", "ing|") + "ing|using|writing|adding|merging|pushing"
KEPT_SO = (
    "each(?! other)|every|all|commits?|functions?|files?|tests?|prs?|pull requests?|names?|messages?|lines?|comments?|"
    r"docs?|changes|answers?|the (?:pr|commit|changelog|docs?|readme)\b[\w ]*?"
)
THROUGHOUT = "everywhere|every|each|always|never|before (?:committing|pushing|you commit|you push)|consistent(?:ly)?"
LATER = "from now on|going forward|in (?:the )?future"

# The first rule that fits gives the kind.
RULES = [
    (kind, re.compile(pattern, re.IGNORECASE))
    for kind, pattern in (
        (
            "decision",
            rf"^(?:i|{WE})(?:'ve| have|'s| has)? {HOW}(?:already |just |finally )*(?:{DECIDED}) (?!to take|my)\S+",
        ),
        (
            "convention",
            rf"^(?:(?:you|we) (?:should|must|need to|have to) )?(?:don't ever|do not ever|always|never) "
            rf"(?!(?:{IDIOM}|{PAST}|\w+ing)\b)\w+",
        ),
        ("convention", rf"^(?:{LATER}|from here on)\b.+"),
        ("convention", rf"^(?!lately|i'|we'll).+\b(?:{LATER})\W*$"),
        ("convention", rf"^(?:when|whenever|every time|each time) you (?:{WORKING}|fix|open|finish) .+, \w+"),
        (
            "convention",
            rf"^(?:don't|do not|stop|avoid|no more) {NOT_ONE}(?:{WORKING}|{DOINGS})\b"
            rf"(?! (?:{ONE_THING})\b(?! (?:word|generated|database)))",
        ),
        ("convention", rf"^(?:avoid|no more) {NOT_ONE}[a-z-]+s\b"),
        ("convention", rf"^use {NOT_ONE}.+?,? (?:not|never|instead of|rather than|over|and not|only)\b.*"),
        ("convention", rf"^use {NOT_ONE}.+ for (?:the |all |every |any |our |your )?(?:{THINGS})\b"),
        ("convention", rf"^for (?:{THINGS}|[\w-]+ (?:{THINGS})), (?:always |only )?(?:use|write|prefer|keep) .+"),
        ("convention", rf"^(?:use|write in|answer in|reply in) {TONGUE}\b"),
        ("convention", r"^\w+(?: \w+)? (?:with|in|through|via) \S+ (?:instead of|rather than|not) \S+"),
        (
            "preference",
            r"^(?:i |we )?(?:strongly |always |generally |really |much )*prefer"
            r" (?!(?:the|that|this|it|option|a different)\b).+",
        ),
        ("convention", rf"^(?:make sure|ensure|be sure|see to it)(?: that)? .*\b(?:{THROUGHOUT})\b"),
        ("convention", rf"^keep (?:your )?(?:{KEPT_SO}) .+"),
        ("convention", rf"^(?:i|we) (?:don't|do not|never) want (?:any )?(?!to\b){NOT_ONE}(?:[a-z-]+ )?[a-z-]+s\b"),
        ("convention", rf"^no {NOT_ONE}(?:[a-z-]+ )?[a-z-]+s? in (?:the )?(?:{KEPT_SO}|code|commit messages)\b"),
        ("convention", r"^(?:our|the team's) (?:convention|rule|policy|practice|standard) (?:here )?is \S+"),
        ("convention", r"^we (?:have to|need to|must) (?:stay|remain|keep|be|support) \S+"),
        (
            "convention",
            r"^(?!(?:i|it|the|you|we|he|she|they|my|your|things|looks|seems)\b)(?:[\w-]+ ){0,3}[\w-]+s "
            r"(?:must|have to|may not|(?:are not|aren't|is not) allowed to) \S+",
        ),
        ("convention", rf"^we {HOW}(?:don't |do not |never |only )?(?:{WE_DO}) \S+"),
        ("convention", rf"^only (?:{WORKING}) .+"),
        (
            "convention",
            r"^(?:all|every|each|any|no) (?:\S+ ){1,6}?(?:must|should|needs? to|has to|have to) \S+",
        ),
        ("convention", r"^(?:\S+ ){1,6}(?:must|should) (?:always|never|not|only) \S+"),
        (
            "convention",
            r"^(?!(?:i|it|the|you|we|he|she|they|my|that)(?:\b|'))(?:\S+ ){1,9}?"
            r"(?:is|are|start|starts|end|ends|go|goes|in|as) "
            r".*,? (?:always|never \S+|only|not \S+|every time)\W*$",
        ),
        ("convention", rf"^(?:{THINGS})(?: \w+)? in (?:the )?{TONGUE}\b"),
    )
]


def instructions(text: str) -> list[Statement]:
    """The instructions in what a user typed, each once, in order, in the user's own words."""
    spans = CODE_SPAN.findall(unfenced(text))
    found: dict[str, Statement] = {}
    for whole in _sentences(own_words(_with_marks(unfenced(text)))):
        sentence = next(filter(_kind, _readings(whole)), "")
        if kind := _kind(sentence):
            said = KEPT_MARK.sub(lambda mark: spans[int(mark[1])], sentence).rstrip(".,!")
            statement = Statement(said[0].upper() + said[1:], kind, "", 0.8)
            found.setdefault(statement.text.casefold(), statement)
    return list(found.values())


def _with_marks(text: str) -> str:
    """Code spans stand for themselves, whatever words are in them; fenced code does not count as one."""
    numbers = iter(range(len(text)))
    return CODE_SPAN.sub(lambda _: KEPT.format(next(numbers)), text)


def own_words(text: str) -> str:
    """What the user says: without what is only shown, and without all that follows where such a thing begins."""
    if len(text) > MAX_CHARACTERS or text.strip().count("\n") >= MAX_LINES:
        return ""
    own = SHOWN.sub(lambda shown: CUT if shown[0][0] in QUOTES else "\n", text.replace("’", "'"))
    lines = own.split("\n")
    own = "\n".join(takewhile(lambda line: not SHOWN_LINE.match(line), lines))
    introduced = next((found for found in INTRODUCES.finditer(own) if _goes_on(own, found)), None)
    return own[: introduced.start()] if introduced else own


def _goes_on(text: str, introduced: re.Match[str]) -> bool:
    """Whether something stands behind the words that introduce it."""
    ends = introduced[0].rstrip()
    return (ends.endswith(":") or introduced[0].endswith("\n")) and bool(text[introduced.end() :].strip())


def _sentences(text: str) -> Iterator[str]:
    for sentence in ENDS.split(text):
        plain = LEAD.sub("", " ".join(sentence.split())).strip(" -*,'\"")
        if CUT in plain or sentence.rstrip().endswith(":"):
            continue
        if LEAST_WORDS <= len(plain.split()) and len(plain) <= MAX_SENTENCE:
            yield plain


def _readings(sentence: str) -> Iterator[str]:
    """The sentence, then its main clause alone, if another clause keeps it from being understood."""
    yield sentence
    if not ABOUT_MYSELF.match(sentence) and not ASKING.search(sentence):
        yield ADDED.sub("", sentence)


def _kind(sentence: str) -> str | None:
    if ASKING.search(sentence) or PASSING.search(sentence) or DANGLING.search(sentence) or TELLS.search(sentence):
        return None
    return next((kind for kind, pattern in RULES if pattern.search(sentence)), None)
