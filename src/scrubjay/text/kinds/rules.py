"""The rules by which a kind is told from the words of a text."""

from __future__ import annotations

from typing import NamedTuple

from scrubjay.text.kinds.words import (
    CALLING,
    COUNTED,
    DAY,
    DONE,
    ERRAND,
    HAPPENED,
    KIN,
    KIN_NEEDS,
    MONTH,
    NAME,
    NO_CALLING,
    OFTEN,
    SOON,
    THEN,
    THEN_NEEDS,
    THINGS,
    WHO,
)

__all__ = ["RULES"]


class Rule(NamedTuple):
    """A pattern, and words (`one|another`, lower case): a text that it matches holds at least one of them.

    To look for these words is many times as quick as to try the pattern everywhere. A pattern that begins with `^` is
    tried only once, and needs none.
    """

    pattern: str
    needs: str = ""


# The first kind of which a rule matches wins. `^` is the beginning of the text.
RULES: dict[str, tuple[Rule, ...]] = {
    "preference": (
        Rule(r"\bprefer(?:s|red|ence)?\b(?! to be)", "prefer"),
        Rule(
            r"(?:\bwould|'d) (?:much |far )?(?:rather|sooner)\b|\b(?:suits?|works? best for) (?:me|him|her|us|them)\b",
            "rather|sooner|suit|best for",
        ),
        Rule(r"\bnot (?:really )?(?:my|his|her|our|their) (?:thing|cup of tea)\b", " thing|cup of tea"),
        Rule(
            r"\bfavou?rite\b(?! [\w-]+ (?:has|have|had|needs?|broke|stands|lies|hangs)\b)"
            r"|\b(?:aversion to|phobia of|not (?:a )?(?:fan of|interested in|comfortable with))\b",
            "favo|aversion|phobia|fan of|interested in|comfortable with",
        ),
        Rule(
            rf"\b{WHO}{OFTEN} (?:like|love|hate|dislike|enjoy|avoid|adore|detest|loathe|despise|want|favou?r"
            r"|care for|go for)s?\b",
            " like| love| hate| dislike| enjoy| avoid| adore| detest| loathe| despise| want| favo| care for| go for",
        ),
        Rule(
            rf"\b{WHO} (?:(?:cannot|can't|could not|couldn't) stand|refuses? to|priorit(?:i[sz]es?)|believes? (?:in"
            rf"|that))\b",
            " stand| refuse| priorit| believe",
        ),
        Rule(
            r"\bi (?:find|follow|adhere|learn best|do(?: not|n't|n’t) (?:use|eat|drink|consume|watch|trust|buy|wear"
            r"|read))\b",
            "i find|i follow|i adhere|i learn best|i do",
        ),
        Rule(
            r"\b(?:no interest in|distaste for|disdain for|strongly against|my (?:number one |top )?priority)\b",
            "interest in|distaste for|disdain for|strongly against|priority",
        ),
        Rule(
            r"^no [\w -]+? (?:before|after|unless|during|on weekends|without)\b|^(?:no|less|more|"
            r"fewer) [\w ]+,? please\b"
        ),
        Rule(
            r"^(?:please )?(?:give|show|send|tell|address|call) me\b.*\bplease\b|^please (?:address|call|tell|"
            r"show) me\b"
        ),
        Rule(r"\bany day\b|\bgo-to\b|\bhappiest\b", "any day|go-to|happiest"),
        Rule(rf"^(?:i|he|she|{NAME}) (?:only|exclusively|always|never|strictly)\b"),
        Rule(
            r"\b(?:to my taste|taste in|passionate about|drawn to|keen on|fond of|picky about|warm(?:ed|s)? to)\b",
            "my taste|taste in|passionate about|drawn to|keen on|fond of|picky about|warm",
        ),
        Rule(
            r"\b(?:takes?|drinks?|eats?) (?:my|his|her|their|our) [\w ]{2,20} (?:with|without|black|plain|hot|cold)\b"
            r"|\bwhenever (?:possible|available|there (?:is|are))\b",
            "with| black| plain| hot| cold|whenever ",
        ),
    ),
    "task": (
        Rule(
            r"^(?:to-?do\b|(?:still )?to do:|(?:the )?next steps?(?: is| are|:)|remind me\b"
            r"|(?:do not|don't) (?:let me forget|forget the)\b)"
        ),
        Rule(
            r"^(?:still open|open|remaining work|left to do|action items?):|^(?:someone|somebody) (?:has|needs|"
            r"ought) to\b"
        ),
        Rule(rf"^{ERRAND} (?:the|an?|new|my|our|him|her|with|\d+|(?-i:[A-Z]))|^{NAME} will {ERRAND}\b"),
        Rule(rf"\bmust be [a-z]+ed\b.{{0,60}}\b{SOON}\b", "must be "),
        Rule(
            r"^(?:i |(?:i |we )?still )?(?:have to|has to|need to|promised to|ought to) (?!have\b|be\b|avoid\b|use\b"
            r"|stay\b|keep\b|not\b)[a-z]+ "
        ),
        Rule(rf"^(?:(?:i|we) )?(?:must|should|need to|have to) (?!have\b|be\b|feel\b).{{0,80}}\b{SOON}\b"),
        Rule(rf"^(?:remember|don't forget) to (?:{ERRAND}\b|.{{0,80}}\b{SOON}\b)|^{ERRAND} .{{0,80}}\b{SOON}\b"),
        Rule(r"^(?:check|find out|ask [a-z]+) (?:whether|if|why|how)\b"),
        Rule(r"\b(?:(?:is|are) yet|remains?|still (?:has|have|needs?)) to be [a-z]+\b", "to be "),
    ),
    "bugfix": (
        Rule(rf"{DONE}(?:fix|patch|debug|repair|solv|resolv|correct)(?:e|es|ed|ing)?\b(?! to\b)"),
        Rule(rf"{DONE}(?:stopp|prevent)ed the\b|^[\w' -]{{3,60}} (?:solved|fixed|resolved|cured)(?:[:;,.]|$)"),
        Rule(r"\broot cause (?:of|was|is)\b|\bcame from .{0,80}\bnow\b", "root cause|came from"),
        Rule(
            r"\bno longer (?:gets? |is |are )?(?:crash|fail|hang|los|lost|broke|duplicat|garbled|wrong|cut)",
            "no longer",
        ),
        Rule(r"\b(?:fixed by|is fixed|was fixed|the fix|bugfix|hotfix)\b", "fix"),
        Rule(
            r"\bcaused by\b.{0,120}\b(?:solved|fixed|cured|resolved|helped)\b|\b(?:went|goes) away after\b|"
            r"\bsolved it\b"
            r"|\b(?:patched|corrected)(?: in\b|\.)",
            "caused by|away after|solved it|patched|corrected",
        ),
    ),
    "failure_mode": (
        Rule(
            r"\b(?:fail|hang|break|stall|time|crash|freez)(?:e?s|ed)?(?: out| forever| silently)? (?:if|when"
            r"|whenever|unless|because|with|at|once|one time)\b",
            "fail|hang|break|stall|time|crash|freez",
        ),
        Rule(
            r"\b(?:bug(?! (?:track|report|bount|list|database))|regression"
            r"|crash(?:es|ed|ing)?|deadlock(?:s|ed)?|segfault(?:s|ed)?)\b",
            "bug|regression|crash|deadlock|segfault",
        ),
        Rule(r"^(?:error|exit code|exception|sqlstate|status) [\w-]*\d|^\w*(?:error|exception): "),
        Rule(
            r"\b(?:throws|raises) an? |\bsilently\b|\bflaky\b|\bleft (?:behind|half|over)\b|\bgoes stale\b|"
            r"\bprocessed twice\b"
            r"|\bleads? to .{0,30}\berrors?\b|\bfails? on\b|\bruns? out of\b|\bloses? (?:the|its)\b|\bjams?\b|"
            r"\bendless\b"
            r"|\bhangs? (?:on|at|in)\b|\bbreaks? the\b|\b(?:chok|stumbl|tripp?)(?:e?s|ed|e)? (?:on|over)\b",
            "chok|stumbl|trip|"
            "throws|raises|silently|flaky|left |goes stale|twice|lead|fail|out of|lose|jam|endless|hang|break",
        ),
        Rule(
            r"\b(?:could not be|cannot be|was never|were never) (?:found|opened|loaded|read|scrolled|reached|sent"
            r"|closed)\b",
            "not be | never ",
        ),
        Rule(
            r"\b(?:deprecation|exhausted|out of memory|race condition|memory leak|stack overflow)\b",
            "deprecation|exhausted|out of memory|race condition|memory leak|stack overflow",
        ),
    ),
    "refactor": (
        Rule(r"\b(?:refactor|restructur|reorgani[sz])(?:e|es|ed|ing|s)?\b", "refactor|restructur|reorgani"),
        Rule(rf"{DONE}replaced (?:the )?[\w -]+ (?:by|with) (?:plain|simple|small)"),
        Rule(rf"{DONE}(?:simplif(?:y|ied)|clean(?:ed)? up|extract(?:ed)?|inlin(?:e|ed)|split(?: up)?)\b"),
    ),
    "feature": (
        Rule(
            rf"{DONE}(?:add|implement|introduc|creat|build|ship|launch)(?:e|es|ed|ing|s)?\b"
            r"(?! (?:in|on|runs?|are|is|takes?|fails?|go|goes|needs?|must|should|happens?|times?)\b)"
        ),
        Rule(r"\bcan now\b|\bnow (?:supports?|has|have)\b", "can now|now support|now ha"),
        Rule(rf"{DONE}(?:built|new feature)\b"),
    ),
    "decision": (
        Rule(
            r"\b(?:agreed with [a-z]+ to|concluded that|resolved to|made up (?:my|our|his|her|their) minds?)\b",
            "agreed with|concluded that|resolved to|made up",
        ),
        Rule(
            r"\b(?:decid|decisions?\b(?! (?!to|on|about|that|not|of|by|for|was|were|is|are|has|had|came|fell)[a-z])"
            r"|chose|chosen|opted|settled on|agreed (?:to|on|that)|went with|going with"
            r"|turned down)",
            "decid|decision|chose|opted|settled on|agreed|went with|going with|turned down",
        ),
        Rule(
            r"^(?:final call|verdict)\b|^let's (?:stick|stay|go|use|keep)\b|^the plan is to\b|^we (?:won't|will not)\b"
            r"|^the \w+ stays\b|^we(?:'re| are) (?:dropping|moving|switching|keeping|staying|sticking|not)\b"
        ),
        Rule(
            r"\b(?:abandoned|scrapped|called off|shelved|off the table)\b",
            "abandoned|scrapped|called off|shelved|off the table",
        ),
        Rule(
            r"\b(?:voted|outvoted|ruled out|thrown out|picked|selected|rejected|approved|signed off)\b",
            "voted|ruled out|thrown out|picked|selected|rejected|approved|signed off",
        ),
        Rule(
            rf"\b(?:we|{NAME}) (?:will|'ll|shall|are going to) (?:use|go|keep|move|adopt|switch|drop|stay|support)\b",
            " will | 'll | shall | going to ",
        ),
        Rule(
            r"\b(?:instead of|in favou?r of|rather than|was dropped|were dropped|was replaced|replaced the)\b",
            "instead of|in favo|rather than|dropped|replaced",
        ),
        Rule(
            r"\b(?:will|is to|are to) be (?:published|used|kept|removed|moved|dropped|replaced|rewritten)\b",
            " be published| be used| be kept| be removed| be moved| be dropped| be replaced| be rewritten",
        ),
    ),
    "insight": (
        Rule(
            r"\b(?:lesson(?: learn(?:ed|t))?|insight|takeaway|in hindsight|in retrospect|the point is)\b",
            "lesson|insight|takeaway|hindsight|retrospect|the point is",
        ),
    ),
    "discovery": (
        Rule(rf"{DONE}(?:found|discover(?:s|ed)?|learn(?:ed|t)|reali[sz]ed?)\b"),
        Rule(
            r"\b(?:turn(?:s|ed) out|found out|it (?:appears|emerged|transpired) that|discovered that|apparently)\b",
            "turns out|turned out|found out| that|apparently",
        ),
    ),
    "change": (
        Rule(
            rf"{DONE}(?:chang|updat|adjust|alter|migrat|renam|upgrad|downgrad|bump|switch|mov|modif|tweak)(?:e|es"
            rf"|ed|ing|s|y|ied)?\b"
            r"(?! (?:to|in|of|on) [\w ]{1,40} (?:costs?|takes?|needs?|must|should|are|is|go|goes)\b)"
        ),
        Rule(
            r"\b(?:has|have|was|were) been (?:changed|updated|renamed|migrated)\b",
            "been changed|been updated|been renamed|been migrated",
        ),
        Rule(r"\bwas (?:raised|lowered|increased|reduced|set|cut) (?:from|to)\b", "was "),
    ),
    "identity": (
        Rule(r"^(?:my|(?:the )?user's|his|her) name(?:'s| is) (?-i:[A-Z])"),
        Rule(r"^(?:i am|i'm|(?:the )?user is) (?:an? )?(?:\w+ ){0,3}(?:vegetarian|vegan)\b|^i identify as\b"),
        Rule(
            rf"^(?:currently,? )?(?:i am|i'm|(?:the )?user is) (?:head of|(?:an?|the) (?!{NO_CALLING}\b)"
            rf"(?:[\w-]+ ){{0,3}}{CALLING})\b"
        ),
        Rule(
            r"^(?:my|(?:the )?user's) (?:(?:native|first) language|mother tongue|nationality|age|profession"
            r"|birthday) is\b"
        ),
        Rule(rf"^(?:i|he|she|(?:the )?user|{NAME}) works? (?:as|at|for)\b|^i live in\b|^i am from\b"),
        Rule(
            rf"^(?:i am|i'm|he's|he is|she's|she is|{NAME} is) (?:\d{{1,3}}(?: years|\.|,? and| now)|(?:left|"
            rf"right)-handed|colou?r-?blind|an? (?-i:[A-Z]))"
        ),
        Rule(r"^my job is\b|^people (?:know|call) me\b|^i go by\b|^as an? (?:[\w-]+ ){0,2}" + CALLING + r",? i\b"),
        Rule(rf"^{NAME} is (?:the )?(?:head|chief|director) of\b|^professor {NAME} "),
        Rule(r"\b(?:user|i) speaks? (?-i:[A-Z])", "user speak|i speak"),
        Rule(r"\bcall me\b|\bpronouns\b", "call me|pronouns"),
    ),
    "background": (
        Rule(
            rf"\b{WHO} (?:grew up|stud(?:y|ied)|graduated|used to (?:work|live|be)|majored|was (?:born|raised))\b",
            "grew up|stud|graduated|used to|majored|was born|was raised",
        ),
        Rule(
            r"\byears? of experience\b|\bhave been [\w ]+ for (?:\d+|two|three|four|five|six|seven|eight|nine|ten"
            r"|many) years\b",
            "of experience|have been ",
        ),
        Rule(
            r"\bworked (?:for|at|as) .{0,40}\byears\b|^before that,? (?:i|he|she)\b|\bbefore (?:i|he|she) (?:went|"
            r"became|joined)\b",
            "worked |before ",
        ),
    ),
    "relationship": (
        Rule(
            r"\b(?:reports to|married to|engaged to|(?:is|was) dating)\b"
            r"|\b(?:lives?|works?|sits?) (?:next door|(?:next to|across from|opposite|with) (?:me|us))\b",
            "reports to|married to|engaged to|dating|next |across |opposite |with ",
        ),
        Rule(
            rf"^{NAME} (?:mentors|coaches|supervises|manages) |^{NAME}'s {KIN}\b|^{NAME} is (?:one of )?our "
            r"(?:[\w-]+ )?(?:supplier|customer|client|partner|vendor|landlord|lawyer|accountant)s?\b"
        ),
        Rule(rf"^{NAME} and (?:i|{NAME}) (?:share|are married|went to|grew up|studied|work together|live together)\b"),
        Rule(r"^(?:the|our) [\w -]+ (?:depends on|belongs to|gets its [\w ]+ from|talks to|is part of)\b"),
        Rule(r"\bis (?:my|our) [\w-]+'s [\w-]+\b", "'s "),
        Rule(
            rf"\b(?:is|are|was|were) (?:my|our|his|her|their|[\w-]+'s) (?:[\w'-]+ ){{0,2}}{KIN}\b(?!['’`])", KIN_NEEDS
        ),
        Rule(rf"\b(?:is|was) the {KIN} of\b|\b(?:are|were|been) (?:good |best |old |close )?{KIN}\b", KIN_NEEDS),
        Rule(rf"\b(?:i|we|he|she|{NAME}) (?:have|has) {COUNTED} (?:[\w-]+ )?{KIN}\b", KIN_NEEDS),
        Rule(
            rf"^(?:my|our|(?:the )?user's|{NAME}'s) (?:[\w'-]+ )?(?:{KIN}|partner)(?:'s name)?"
            rf"(?: since [\w ]{{1,20}})? (?:is|are)\b"
        ),
    ),
    "contact": (
        Rule(r"[\w.+-]+@[\w-]+\.\w+", "@"),
        Rule(r"\b(?:phone|mobile|fax)(?: number)?\b[^.]{0,20}\+?\d[\d ()/-]{6,}", "phone|mobile|fax"),
    ),
    "invariant": (
        Rule(
            r"\binvariants?\b|\bmust (?:always|never) (?:be|equal|hold|stay|remain)\b|\bat all times\b",
            "invariant|must always|must never|at all times",
        ),
    ),
    "convention": (
        Rule(r"^(?:always|never|please|do not|don't|use|avoid|keep|write|run|name|put|prefix|make sure)\b"),
        Rule(r"^(?:all|any new|every|each|new) [\w' -]+ (?:must|should|needs?|gets?|goes?|has|have|is|are|use)\b"),
        Rule(
            r"^in this (?:repo|repository|project|codebase),? we\b"
            r"|^(?:nobody|no one) [a-z]+s\b.{0,60} \b(?:without|before|until|alone)\b"
        ),
        Rule(
            r"^(?:[\w'-]+ ){0,3}[\w'-]+s (?:belong|stay|live|(?:are|is) expected to|should) |"
            r"^(?:test )?data goes (?:in|to)"
            r"|^[\w' -]+ (?:come|comes|go|goes|belongs?) (?:in|into|from|under|through|to) [\w /]+, (?:not|never)\b"
        ),
        Rule(
            rf"^(?:[\w-]+ ){{0,2}}{THINGS} (?:start|begin|end|need|go|live|use|get (?:an?|the|one|two)|mention|follow"
            rf"|carry|name|(?:are|is) (?:always |never )?"
            rf"(?:named|written|called|prefixed|squashed|signed|reviewed|sorted|kept|tagged|merged))s?\b"
        ),
        Rule(
            r"\b(?:by convention|convention|style guide|our rule|house style|code style|coding standard)\b",
            "convention|style guide|our rule|house style|code style|coding standard",
        ),
        Rule(
            r"\b(?:must|should)(?: not|n't)? (?:contain|start|begin|end|use|have|include|follow|go|live|be (?:named"
            r"|written|called|squashed|signed|reviewed|merged|formatted|documented|tested|prefixed|kept))\b",
            "must|should",
        ),
        Rule(
            r"^(?:we|our team|the team)(?: always| never| usually| only)? (?!(?:have|had|are|were|will|need|got"
            r"|went|met|saw|made|sold|bought|spent|lost|won|ran|took|came|gave|share)\b)[a-z]+(?<!ed)\b"
        ),
    ),
    "trigger": (
        Rule(
            r"^when(?:ever)? (?:somebody|someone|the|an?|i)\b[^,]*, (?:always )?(?:bring|ask|tell|remind|mention|show"
            r"|say|call|send|write|check|notify|warn|alert|open|run|stop|start)\b"
        ),
    ),
    "pattern": (
        Rule(
            r"\b(?:every time|whenever|each time|keeps? (?:happening|failing|coming)|tends? to|over and over)\b",
            "every time|whenever|each time|keep|tend to|tends to|over and over",
        ),
        Rule(rf"^(?:he|she|they|{NAME}) (?:usually|often|mostly)\b"),
        Rule(rf"\bevery (?:{DAY}|morning|night|hour|week|month)\b", "every "),
    ),
    "observation": (
        Rule(
            r"\b(?:seem(?:s|ed)?|appears? to|looks? like|hardly ever|i noticed|went up)\b",
            "seem|appear|look|hardly ever|noticed|went ",
        ),
    ),
    "event": (
        Rule(
            rf"\bin (?:two|three|four|a few|\d+) (?:days|weeks|months)\b|\b(?:next|on) {DAY}\b(?! \w+s\b)|"
            rf"\bfrom \d+ to \d+ {MONTH}\b"
            rf"|\bat \d+(?::\d\d)? on {DAY}\b|^there was an? \b|^had (?:lunch|dinner|breakfast|coffee) with\b"
            r"|\b(?:this|yesterday) (?:morning|afternoon|evening)\b",
            "in |day|from |there was|had |morning|afternoon|evening",
        ),
        Rule(
            rf"\b{WHO} (?:met|visited|attended|travelled|traveled|flew|went|camped|moved|married|celebrated|spoke"
            rf"|gave)\b",
            " met| visited| attended| travel| flew| went| camped| moved| married| celebrated| spoke| gave",
        ),
        Rule(rf"\b{HAPPENED} (?:.{{0,60}} )??{THEN}", THEN_NEEDS),
        Rule(r"\b(?:happened|took place|was held)\b", "happened|took place|was held"),
        Rule(
            r"\b(?:yesterday|tomorrow|last (?:week|month|year|night|spring|summer|autumn|winter)|next (?:week|month"
            r"|year))\b(?!['’]s)",
            "yesterday|tomorrow|last |next ",
        ),
    ),
    "summary": (Rule(r"^(?:in short|to sum up|in summary|summary)\b"),),
    "note": (
        Rule(r"^(?:(?:an |some )?ideas?\b|interesting\b)"),
        Rule(
            r"^(?:(?:just a|a quick|random) (?:thought|note)|(?:rough |quick )?notes? (?:from|on|about|to self)"
            r"|nb|misc)\b"
        ),
    ),
}
