"""The kinds of memories, and a guess from its words for a memory that was given no kind."""

from __future__ import annotations

import re
from functools import cache

__all__ = ["DESCRIPTIONS", "KNOWN", "kind_of"]

# The kinds that Scrubjay knows, and what each is for. Any other lower-case word is allowed, too.
DESCRIPTIONS = {
    "fact": "something that is true; the kind of a text that fits no other",
    "preference": "what somebody likes or wants; part of the context at a session's start",
    "identity": "who somebody is; part of the context at a session's start",
    "background": "what somebody has done or been through",
    "pattern": "what happens again and again",
    "relationship": "how people or things are related",
    "contact": "how to reach somebody",
    "project": "what some work is about",
    "event": "something that happened, or will happen",
    "insight": "a conclusion",
    "discovery": "something that was found out",
    "observation": "something that was noticed; it ranks lower as it gets older",
    "decision": "what was decided, and why; a project's decisions are part of the context at a session's start",
    "change": "what was changed",
    "bugfix": "a fault and how it was fixed",
    "feature": "something that was added",
    "refactor": "code that was restructured",
    "convention": "how things are done; a project's conventions are part of the context at a session's start",
    "invariant": "what must always hold; a project's invariants are part of the context at a session's start",
    "failure_mode": "a way in which something goes wrong",
    "trigger": "what causes something to happen",
    "note": "a remark; it ranks lower as it gets older",
    "task": "something to be done: `scrubjay tasks`",
    "summary": "how a session ended: `scrubjay sessions end`",
    "turn": "what was said in a conversation: `scrubjay turns`",
    "passage": "a part of a file: `scrubjay sync`",
}
KNOWN = tuple(DESCRIPTIONS)

# Who states something about themselves or about somebody: a pronoun, "the user", or a name.
NAME = r"(?-i:(?!(?:The|A|An|This|That|It|Nobody|There|Each|Every|All)\b)[A-Z][a-z]+)"
WHO = rf"(?:i|we|you|he|she|they|(?:the )?user|(?:the )?team|{NAME})"
OFTEN = (
    r"(?: (?:really|strongly|always|usually|generally|only|also|still|very much|do not|don't|does not|doesn't"
    r"|would))?"
)
DONE = rf"^(?:(?:i|we|{NAME}) )?(?:(?:have|has|just) )?"
KIN = (
    r"(?:(?:step|half-|god|grand|great-)?(?:mother|father|brother|sister|son|daughter|parent)|wife|husband|fianc[ée]e?"
    r"|girlfriend|boyfriend|mum|mom|dad|grand(?:ma|pa)|uncle|aunt|cousin|niece|nephew|twin|sibling|spouse|neighbou?r"
    r"|landlord|landlady|boss|manager|mentor|friend|colleague|co-?worker|room-?mate|flatmate|ex)s?"
)
COUNTED = r"(?:an?|one|two|three|four|five|six|\d+|no)"
# "I am a bit under the weather" tells no calling, "I am the maintainer" does.
NO_CALLING = r"(?:bit|little|lot|few|couple|fan|big|huge|good|bad|better|great|firm)"
CALLING = (
    r"(?:(?!(?:other|after|under|never|ever|over|whether|either|for|weather)\b)[a-z-]{2,20}(?:er|or|ist|ian)|student|consultant|architect|nurse"
    r"|scientist|analyst|parent|artist|chef|lead|coach|graduate|ceo|cto)"
)
DAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
MONTH = (
    r"(?:january|february|march|april|may|june|july|august|september|october|november|december|spring|summer|autumn"
    r"|winter)"
)
# When something happened; not "on Mondays", which is when it happens.
THEN = (
    rf"(?:on (?:the )?\d{{1,2}}(?:st|nd|rd|th)? (?:of )?{MONTH}|on {MONTH} \d"
    rf"|(?:on|last|this|over the) (?:{DAY}|weekend)\b"
    rf"|(?:in|last|this) {MONTH}\b|in (?:19|20)\d\d\b|today\b|tonight\b|this (?:morning|afternoon|evening)\b|ago\b)"
)
HAPPENED = (
    r"(?:(?<!\bis )(?<!\bare )(?<!\bbe )(?<!\bget )[a-z]{2,}ed|held|took|ran|broke|went|flew|met|left|came|began|got"
    r"|struck|had|won|lost|bought|sold|gave|saw|fell|sent|was|were)"
)
SOON = (
    rf"(?:(?:on|by|before|until|for|this|next) (?:{DAY}|week|month|quarter|year|weekend)|tomorrow|tonight|by the end"
    r"|by \d|before the|at (?:\d|noon|one|two|three|four|five|six|seven|eight|nine|ten|eleven))"
)
ERRAND = (
    r"(?:book|buy|call|phone|pick up|fetch|bring|send|order|email|schedule|renew|finish|prepare|reply to|return|pay)"
)
THINGS = (
    r"(?:branch(?:es)?|commits?|pull requests|prs|tests|files|functions|modules|endpoints|columns|tables|variables"
    r"|flags|class(?:es)?|releases|migrations|messages|names|titles|tags|constants|components|tickets|reviews|deployments)"
)

# The first rule that matches wins. A rule is one or more patterns; `^` is the beginning of the text.
RULES: dict[str, tuple[str, ...]] = {
    "preference": (
        r"\bprefer(?:s|red|ence)?\b(?! to be)",
        r"(?:\bwould|'d) (?:much |far )?(?:rather|sooner)\b|\b(?:suits?|works? best for) (?:me|him|her|us|them)\b",
        r"\bnot (?:really )?(?:my|his|her|our|their) (?:thing|cup of tea)\b",
        r"\b(?:favou?rite|aversion to|phobia of|not (?:a )?(?:fan of|interested in|comfortable with))\b",
        rf"\b{WHO}{OFTEN} (?:like|love|hate|dislike|enjoy|avoid|adore|detest|loathe|despise|want)s?\b",
        rf"\b{WHO} (?:(?:cannot|can't|could not|couldn't) stand|refuses? to|priorit(?:i[sz]es?)|believes? (?:in"
        rf"|that))\b",
        r"\bi (?:find|follow|adhere|learn best|do(?: not|n't|n’t) (?:use|eat|drink|consume|watch|trust|buy|wear"
        r"|read))\b",
        r"\b(?:no interest in|distaste for|disdain for|strongly against|my (?:number one |top )?priority)\b",
        r"^no [\w -]+? (?:before|after|unless|during|on weekends|without)\b",
        rf"^(?:i|he|she|{NAME}) (?:only|exclusively|always|never|strictly)\b",
        r"\b(?:to my taste|taste in|passionate about|drawn to|keen on|fond of|picky about)\b",
    ),
    "task": (
        r"^(?:to-?do\b|(?:still )?to do:|(?:the )?next steps? (?:is|are)\b|remind me\b)",
        r"^(?:i |(?:i |we )?still )?(?:have to|has to|need to|promised to|ought to) (?!have\b|be\b|avoid\b|use\b|stay\b"
        r"|keep\b|not\b)[a-z]+ ",
        rf"^(?:(?:i|we) )?(?:must|should|need to|have to) (?!have\b|be\b|feel\b).{{0,80}}\b{SOON}\b",
        rf"^(?:remember|don't forget) to (?:{ERRAND}\b|.{{0,80}}\b{SOON}\b)|^{ERRAND} .{{0,80}}\b{SOON}\b",
        r"^(?:check|find out|ask [a-z]+) (?:whether|if)\b",
        r"\b(?:(?:is|are) yet|remains?|still (?:has|have|needs?)) to be [a-z]+\b",
    ),
    "bugfix": (
        rf"{DONE}(?:fix|patch|debug|repair|solv|resolv|correct)(?:e|es|ed|ing)?\b(?! to\b)",
        rf"{DONE}(?:stopp|prevent)ed the\b|\broot cause (?:of|was|is)\b|\bcame from .{{0,80}}\bnow\b",
        r"\bno longer (?:gets? |is |are )?(?:crash|fail|hang|los|lost|broke|duplicat|garbled|wrong|cut)",
        r"\b(?:fixed by|is fixed|was fixed|the fix|bugfix|hotfix)\b",
    ),
    "failure_mode": (
        r"\b(?:fail|hang|break|stall|time|crash|freez)(?:e?s|ed)?(?: out| forever| silently)? (?:if|when"
        r"|whenever|unless|because|with|at|once|one time)\b",
        r"\b(?:bug|regression|crash(?:es|ed|ing)?|deadlock(?:s|ed)?|segfault(?:s|ed)?)\b",
        r"^(?:error|exit code|exception|sqlstate|status) [\w-]*\d",
        r"\b(?:could not be|cannot be|was never|were never) (?:found|opened|loaded|read|scrolled|reached|sent"
        r"|closed)\b",
        r"\b(?:deprecation|exhausted|out of memory|race condition|memory leak|stack overflow)\b",
    ),
    "refactor": (
        r"\b(?:refactor|restructur|reorgani[sz])(?:e|es|ed|ing|s)?\b",
        rf"{DONE}(?:simplif(?:y|ied)|clean(?:ed)? up|extract(?:ed)?|inlin(?:e|ed)|split(?: up)?)\b",
    ),
    "feature": (
        rf"{DONE}(?:add|implement|introduc|creat|build|ship|launch)(?:e|es|ed|ing|s)?\b",
        rf"{DONE}(?:built|new feature)\b",
    ),
    "decision": (
        r"\b(?:agreed with [a-z]+ to|concluded that|resolved to|made up (?:my|our|his|her|their) minds?)\b",
        r"\b(?:decid|decision|chose|chosen|opted|settled on|agreed (?:to|on|that)|went with|going with|turned down)",
        r"\b(?:voted|outvoted|ruled out|thrown out|picked|selected|rejected|approved|signed off)\b",
        rf"\b(?:we|{NAME}) (?:will|'ll|shall|are going to) (?:use|go|keep|move|adopt|switch|drop|stay|support)\b",
        r"\b(?:instead of|in favou?r of|rather than|was dropped|were dropped|was replaced|replaced the)\b",
        r"\b(?:will|is to|are to) be (?:published|used|kept|removed|moved|dropped|replaced|rewritten)\b",
    ),
    "insight": (r"\b(?:lesson(?: learn(?:ed|t))?|insight|takeaway|in hindsight|in retrospect|the point is)\b",),
    "discovery": (
        rf"{DONE}(?:found|discover(?:s|ed)?|learn(?:ed|t)|reali[sz]ed?|noticed?)\b",
        r"\b(?:turn(?:s|ed) out|found out|it appears|discovered that)\b",
    ),
    "change": (
        rf"{DONE}(?:chang|updat|adjust|alter|migrat|renam|upgrad|downgrad|bump|switch|mov|modif|tweak)(?:e|es"
        rf"|ed|ing|s|y|ied)?\b",
        r"\b(?:has|have|was|were) been (?:changed|updated|renamed|migrated)\b",
    ),
    "identity": (
        r"^(?:my|(?:the )?user's|his|her) name(?:'s| is) (?-i:[A-Z])",
        r"^(?:i am|i'm|(?:the )?user is) (?:an? )?(?:\w+ ){0,3}(?:vegetarian|vegan)\b|^i identify as\b",
        rf"^(?:currently,? )?(?:i am|i'm|(?:the )?user is) (?:head of|(?:an?|the) (?!{NO_CALLING}\b)"
        rf"(?:[\w-]+ ){{0,3}}{CALLING})\b",
        r"^(?:my|(?:the )?user's) (?:(?:native|first) language|mother tongue|nationality|age|profession|birthday) is\b",
        r"^(?:i|(?:the )?user) works? (?:as|at|for)\b|\bcall me\b|\bpronouns\b",
    ),
    "background": (
        rf"\b{WHO} (?:grew up|stud(?:y|ied)|graduated|used to (?:work|live|be)|majored|was (?:born|raised))\b",
        r"\byears? of experience\b|\bhave been [\w ]+ for (?:\d+|two|three|four|five|six|seven|eight|nine|ten"
        r"|many) years\b",
    ),
    "relationship": (
        r"\b(?:reports to|married to|engaged to|(?:is|was) dating)\b",
        rf"^{NAME} (?:mentors|coaches|supervises|manages) ",
        rf"\b(?:is|are|was|were) (?:my|our|his|her|their|[\w-]+'s) (?:[\w'-]+ ){{0,2}}{KIN}\b(?!['’`])",
        rf"\b(?:is|was) the {KIN} of\b|\b(?:are|were|been) (?:good |best |old |close )?{KIN}\b",
        rf"\b(?:i|we|he|she|{NAME}) (?:have|has) {COUNTED} (?:[\w-]+ )?{KIN}\b",
        rf"^(?:my|our|(?:the )?user's|{NAME}'s) (?:[\w-]+ )?(?:{KIN}|partner)(?:'s name)?"
        rf"(?: since [\w ]{{1,20}})? (?:is|are)\b",
    ),
    "contact": (r"[\w.+-]+@[\w-]+\.\w+", r"\b(?:phone|mobile|fax)(?: number)?\b[^.]{0,20}\+?\d[\d ()/-]{6,}"),
    "invariant": (r"\binvariants?\b|\bmust (?:always|never) (?:be|equal|hold|stay|remain)\b|\bat all times\b",),
    "convention": (
        r"^(?:always|never|please|do not|don't|use|avoid|keep|write|run|name|put|prefix|make sure)\b",
        r"^(?:all|any new|every|each|new) [\w' -]+ (?:must|should|needs?|gets?|goes?|has|have|is|are|use)\b",
        r"^in this (?:repo|repository|project|codebase),? we\b",
        rf"^(?:[\w-]+ ){{0,2}}{THINGS} (?:start|begin|end|need|go|live|use|(?:are|is) (?:always |never )?"
        rf"(?:named|written|called|prefixed|squashed|signed|reviewed|sorted|kept))s?\b",
        r"\b(?:by convention|convention|style guide|our rule|house style|code style|coding standard)\b",
        r"\b(?:must|should)(?: not|n't)? (?:contain|start|begin|end|use|have|include|follow|go|live|be (?:named"
        r"|written|called"
        r"|squashed|signed|reviewed|merged|formatted|documented|tested|prefixed|kept))\b",
        r"^(?:we|our team|the team)(?: always| never| usually| only)? (?!have\b|had\b|are\b|were\b|will\b"
        r"|need\b|got\b"
        r"|went\b|met\b|saw\b|made\b|sold\b|bought\b|spent\b|lost\b|won\b|ran\b|took\b|came\b|gave\b"
        r"|share\b)[a-z]+(?<!ed)\b",
    ),
    "pattern": (r"\b(?:every time|whenever|each time|keeps? (?:happening|failing|coming)|tends? to|over and over)\b",),
    "event": (
        rf"\b{WHO} (?:met|visited|attended|travelled|traveled|flew|went|camped|moved|married|celebrated|spoke"
        rf"|gave)\b",
        rf"\b{HAPPENED} (?:.{{0,60}} )??{THEN}",
        r"\b(?:happened|took place|was held)\b",
        r"\b(?:yesterday|tomorrow|last (?:week|month|year|night|spring|summer|autumn|winter)|next (?:week|month"
        r"|year))\b",
    ),
    "note": (
        r"^(?:(?:just a|a quick|random) (?:thought|note)|(?:rough |quick )?notes? (?:from|on|about|to self)|nb|misc)\b",
    ),
}
DEFAULT_KIND = "fact"
SCANNED_CHARACTERS = 2_000  # from the beginning of a text


@cache
def _patterns() -> dict[str, re.Pattern[str]]:
    """The rules, compiled when the first memory without a kind is added."""
    filled = {kind: "|".join(f"(?:{one})" for one in rules) for kind, rules in RULES.items()}
    return {kind: re.compile(pattern, re.IGNORECASE) for kind, pattern in filled.items()}


def kind_of(text: str) -> str:
    """The kind that a person would give a text, as far as its words tell; else a fact."""
    beginning = " ".join(text[:SCANNED_CHARACTERS].split())
    return next((kind for kind, pattern in _patterns().items() if pattern.search(beginning)), DEFAULT_KIND)
