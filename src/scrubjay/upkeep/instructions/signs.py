"""The signs of an instruction that lasts, and of a request for the moment: how they are written."""

from __future__ import annotations

__all__ = ["AGAINST", "DECIDED", "FIRST_MARK", "FOR", "MARKS", "SUPPORT"]

FIRST_MARK = 0xE100
MARKS = "\ue100-\uf0ff"  # each stands for a code span, so that no sign is read in it
DECIDED = (
    "decided|agreed|chose|chosen|settled|picked|went (?:with|for|all in)|opted|standardi[sz]ed|committed to|"
    "switched to|moved (?:to|off|away)|migrated|drop support|dropped|ditched|banned|got rid of|gave up on|voted"
)

# What work is done on and with.
THING = (
    "branch(?:es)?|commits?|tests?|testing|variables?|files?|filenames?|functions?|class(?:es)?|prs?|pull requests?|"
    "logs|logger|logging|dates?|docs?|documentation|docstrings?|migrations?|messages?|names?|naming|apis?|"
    "styl(?:es?|ing)|comments?|titles?|endpoints?|routes?|components?|modules?|packages?|scripts?|services?|"
    "quer(?:y|ies)|sql|configs?|keys|secrets?|credentials|tokens|passwords|dependenc(?:y|ies)|librar(?:y|ies)|"
    "timestamps?|times|identifiers?|imports?|exports?|strings?|units?|methods?|types?|typing|constants?|models?|code|"
    "repos?|changelog|readme|headings?|headers?|errors?|exceptions?|warnings?|schemas?|fixtures?|mocks?|actions|"
    "releases?|builds?|main|master|prod(?:uction)?|staging|versions?|tabs|spaces|indentation|answers?|explanations?|"
    "replies|diffs?|emojis?|commands?|sudo|english|german|french|spelling|databases?|db|tables|columns|tools?|"
    "lint(?:er|ing)?|refactorings?|deploy(?:s|ments?|ing)?|dockerfiles?|images?|containers|crates?|flags?|changes|"
    "features?|hooks?|globals?|folders?|director(?:y|ies)|licen[sc]es?|format(?:ter|ting)?|language|locale|currency|"
    "amounts|money|cents|utc|snapshots?|ui|css|html|json|yaml|markdown|experiments?|notebooks?|charts?|plots?|seeds?|"
    "infra(?:structure)?|requests?|retries|timeouts?|permissions?|backups?|abbreviations?|copy|text|wording|tone|"
    "sentences|lists?|links|urls?|ids?|enums?|interfaces?|structs?|loops?|decorators?|async|threads?|locks?|"
    "reviews?|reviewers?|tickets?|issues?|labels?|todos?|debug\\w*|coverage|benchmarks?|assertions?|servers?|"
    "environments?|envs?|lockfiles?|frameworks?|plugins?|elements?|buttons?|forms?|pages?|screens?|views?|"
    "controllers?|parsers?|nodes|signals|drivers?|pods?|clusters?|jobs?|pipelines?|workflows?|ci|lines|quotes"
)
HERE = (
    "repo|repository|project|codebase|code base|package|team|company|firmware|monorepo|org|organi[sz]ation|app|"
    "application|product|game|site|library|machine|laptop|workspace"
)
# Verbs of a request: what a programme or a person is told to do once.
TASK = (
    "add|fix|find|rename|look|show|update|remove|replace|search|implement|create|explain|list|see|try|open|move|"
    "delete|"
    "revert|turn|make(?! sure)|do(?! not)|give|port|set|commit(?! messages?)|merge|works?|generate|draft|store|sort|"
    "pick|bump|"
    "load|plot|deploy|push|start|restart|compare|review|read|tell|rerun|apply|check|change|build|parse|return|put|go|"
    "let|call|mention|plan|drop|rewrite|shorten|translate|undo|roll|wait|hold|back|next"
)
# Verbs of a rule or of a request.
WORK = (
    "use|write|amend|include|import|mock|edit|touch|log|force|squash|hard-?code|rely|introduce|install|abbreviate|"
    "capitali[sz]e|name|rebase|skip|disable|silence|suppress|run|ask|answer|reply|respond|format|test|release|throw|"
    "raise|catch|leave|break|print|document|pin|pull|take|prefix|suggest|propose|refactor|assume|guess|send|keep|work|"
    "talk|speak|ship|want|like|wrap|bring|swallow|ignore|comment|declare|define|nest|mix|copy|reformat|truncate|"
    "overwrite|modify|access|query|share|expose|host|publish|stick (?:to|with)|default to|indent|sign|split|convert|"
    "hash|quote|summari[sz]e|join|map|clean|treat|reduce|prefer|stop|avoid|refrain from|ensure|make sure|be sure"
)
ONE = (
    r"(?:the|this|that|it|its|it's|these|those|them|my|an?|one|your(?! (?:answers|replies|explanations|messages|"
    r"commits|prs|code)\b)|him|her|me|both|another|first|second|third|last|"
    r"next|\d+)\b"
)
BEFORE = (
    r"^(?:(?:please|pls|just|then|also|only|always|never|ever|instead|don'?t|do not|to|you should|you must|let's|"
    r"let us|try to|in the future|from now on|going forward|next time|in general|generally|as a rule)[, ]+)*"
)
ORDER = rf"{BEFORE}(?:{TASK}|{WORK})\b"
# What cannot be the subject of a general statement.
NO_SUBJECT = (
    rf"(?:{TASK}|{WORK}|yes|this|his|is|was|has|does|looks|seems|works|sounds|thanks|always|its|it's|that's|what's|"
    r"let's|there's|he's|she's|needs|says|perhaps|unless|as|us|guess|across|pls|makes|gives|the|these|those|my|your|"
    r"i|we|they|he|she|it|you|there|two|three|some|others?|sometimes|in|on|at|for|of|results|instead|"
    r"before|after|when|with|without|than|like|from)\b"
)
ADVERB = "(?:never|only|always|no longer|generally|usually|normally|strictly|explicitly|deliberately|also|now|just|all)"
IDLE = (
    r"(?:need|problem|worr\w*|idea|luck|rush|hurry|errors?|changes?|difference|results?|one|way|reason|matter|wonder|"
    r"longer|doubt|thanks|regrets?|complaints?|further|just|wait|it|that|not|the|more changes|tests needed)\b"
)

# "Always happy to help", "it never returns", "I always forget": said in passing, or of a program.
IDIOM = (
    r"been|an?|the|my|this|that|these|those|got|had|did|was|were|worked|saw|has|have|came|went|knew|thought|seen|"
    r"see|get|know|remember|happy|"
    r"glad|wanted|loved?|fails?|return(?:s|ed)?|blocks?|closes?|right|wondered|guessed|happens?|logged|lose|takes?|"
    r"forget|arrives?|understood|lock|mind|give up"
)

# A sentence has at least one of these.
FOR: dict[str, str] = {
    # Orders that are general: "always run …", "don't amend commits", "use tabs", "no default exports".
    "always": rf"{BEFORE}(?:always|never)(?: ever)? (?!(?:{IDIOM})\b)[\w{MARKS}]",
    "must always": (
        rf"{ORDER}.*\b(?:always|every time|n?ever)\b|\b(?:must|should|shall) (?:always|never|not)\b|"
        r"\b(?:don'?t|do not) ever\b"
    ),
    "forbids": (
        r"^(?:(?:please|pls|you) )*(?:don'?t|do not|avoid|stop|no more|refrain from|mustn'?t|shouldn'?t|should not|"
        r"must not) (?!(?:be|have|get|worry|forget|bother|touch|go)\b)"
        rf"(?:\w+ )?(?!{ONE})[\w{MARKS}/-]+(?: (?!{ONE})[\w{MARKS}/-]+|$)"
    ),
    "no": rf"(?:^|, |: |so |and |but |- )no (?!{IDLE})(?:[\w-]+ )*[\w-]+",
    "orders anything": (
        rf"{BEFORE}(?:{WORK}) (?:(?:any|all|every|each|only|new|more|things?|from|with|in|to|by|yourself) )*(?!{ONE})"
        rf"[\w{MARKS}/.'-]+"
    ),
    "orders of things": (
        rf"{ORDER} (?:(?:any|all|every|each|only|new|more) )*(?!{ONE})(?:[\w-]+ ){{0,2}}?(?!this|us\b|as\b|is\b)"
        r"[a-z][\w-]*(?:[^s\W]s|ing|ion|age|code|sql|english|german|french|dutch)\b"
    ),
    "use": (
        rf"{BEFORE}(?:use|write|keep|prefer|stick (?:to|with)|default to|answer|reply|respond|name|ask|log|pin|format|"
        r"indent)\b"
    ),
    "use for": (
        r"\b(?:use|write|keep|prefer|go with|default to|don'?t \w+|do not \w+)\b.* (?:for|in) "
        r"(?!(?:the|this|that|it|line)\b)[\w -]*?"
        rf"(?:{THING}|[a-z]+s)\b"
    ),
    "ask me": (
        r"\b(?:ask (?:me|us|first|before)|without asking|check with me|(?:tell|show) me (?:\w+ ){0,3}before|"
        r"i (?:confirm|approve|apply|say so|merge|do that)|yourself|on your own|by hand|ask than)\b"
    ),
    "not that": r"(?:,| and| but|\)) not\b|\binstead(?: of)?\b|\brather than\b|\bover\b|, never\b",
    "not any": rf"\b(?:use|it's|its|we're on)\b[^,]*,? not (?!{ONE})[\w{MARKS}]",
    "naming": (
        r"\b(?:prefix|suffix|naming|(?:branch|file|variable|function|class|test|commit) (?:names|messages|titles|"
        r"subjects))\b"
    ),
    "language": (
        r"\bin (?:\w+ )?(?:english|german|french|spanish|italian|dutch|portuguese|polish|metric|british|american)\b"
    ),
    "shorter": (
        r"^(?:short|small|brief|plain|simple|less|fewer|\w+er) (?:[\w-]+ )?[\w-]+s(?: [\w ]+)?,? (?:please|pls)\b"
    ),
    "only": r"\b(?:only|exclusively|strictly|nothing but)\b",
    # Habits and decisions: "we use …", "our API …", "the team agreed …".
    "we never": (rf"\bwe (?:don'?t|do not|{ADVERB})\b"),
    "we do": (
        rf"\bwe(?:'re (?:on|an?|using|all)| are (?:on|an?)|'ve got| (?:{ADVERB} )*(?:use|write|target|support|deploy|"
        r"ship|prefer|follow|name|avoid|format|squash|rebase|release|require|mock|version|review|keep|document|treat|"
        r"pin|stick|speak|spell|tag|indent|track|validate|run|work|test|go with|call|do|have to (?:support|stay)))\b"
        r"(?! (?:version|it|that|this)\b)"
    ),
    "decided": (
        rf"\b(?:we|team|everyone|everybody|was|board)(?:'ve| have|'s| has)? (?:\w+ ){{0,4}}?(?:{DECIDED})\b|"
        rf"^(?:the )?decision(?: (?:from|is|was|of)\b|:)|^(?:{DECIDED})\b"
    ),
    "we decided": rf"^(?:we|the team|everyone|everybody)(?:'ve| have|'s| has)? (?:\w+ )?(?:{DECIDED})\b",
    # What it is called, or said of: "our rule is", "forbidden", "I prefer", "tests live next to …".
    "rule": (
        r"^(?:rules?|conventions?|policy)\b|\b(?:an?|our|two|three|some|house|general|hard|the|my) rules?(?= (?:is|"
        r"are|here|for|of|"
        r"in|that)\b|[:,.]|\W*$)|\b(?:conventions?|(?:our|company) policy|policy is|the standard|house style|"
        r"hard requirement|guidelines|"
        r"best practice|mandatory|forbidden|banned|not allowed|off[- ]limits|no[- ]go|taboo|not (?:acceptable|"
        r"ok(?:ay)?)|"
        r"that'?s how|how (?:we|i) (?:do|like|want)|goes for (?:every|all|any)|applies to|stays that way|how it stays|"
        r"last resort)\b"
    ),
    "prefer": (
        r"\b(?:prefer (?!(?:the|this|that|it|if|option|\w+ing)\b)|i'd rather you|i would rather you|rather not|"
        r"favou?r|i (?:really )?(?:hate|dislike|can'?t stand|"
        r"loathe)|not a (?:big )?fan|i (?:do not|don'?t) (?:want|need|like) (?!(?:to|the|it|this|that|an?)\b)|"
        r"i want (?:you|all|every)|i (?:like|love|want) (?!the|it|this|that|a\b|to|your|how))\b"
    ),
    "things are": (
        rf"^(?!{NO_SUBJECT})(?:[\w/+.-]+ ){{0,2}}[a-z][\w-]*(?:[^s\W]s)\b(?: \([^)]*\))? (?:are|must|shouldn'?t|"
        r"should|have|need|get|go|live|stay|come|belong|start|end|follow|use|never|always|only|may|happen|in|behind|"
        r"under|with|explain|talk|bubble|aren'?t)\b"
    ),
    "a thing is": (
        rf"^(?!{NO_SUBJECT})(?:[\w-]+ )?[\w-]+ (?:(?:is|goes?|lives?|stays?|gets?|comes?|belongs?|starts?|happens?) "
        r"(?!broken|slow|red|green|wrong|ok|fine|done|gone|ready|there|missing|great)|never|always|only|must|needs? )"
    ),
    "from now on": (
        r"\b(?:from (?:now|here|this point) on(?!,? (?:it|i)\b)|going forward|in (?:the )?future|henceforth|"
        r"as a rule|by convention|"
        r"whatever comes later|habit|(?:keep|bear) (?:\w+ )?in mind|remember that|be noted|lesson learned|"
        r"other sessions|"
        r"holds? for)\b"
    ),
    "every": (r"^(?:every|each|all|any|anything|everything|nothing|nobody)\b(?! (?:the|of|good|row|time i|\d\w*)\b)"),
    "whenever": (
        r"\b(?:whenever (?!i\b)|(?:every|each|any) ?time (?!i\b)|before (?:you\b|telling|committing|pushing|merging|"
        r"adding|any|"
        r"each|every|deleting|touching|anything)|(?:when|if|after|once) you (?!are|think|have|need|don'?t|could|can|"
        r"want|would)|unless|until i|"
        r"when in doubt|if (?:something|anything) is)\b"
    ),
    "for things": (
        rf"^(?:for|in|on) (?:(?:all|any|every|our|new) )*(?!now\b|the\b|this (?:case|file|one))(?:[\w-]+ )?(?:{THING}|"
        r"[a-z]+s|anything|everything)\b"
    ),
}
# These add to those above.
SUPPORT: dict[str, str] = {
    # How far it reaches: "from now on", "everywhere", "every", "whenever you …".
    "in general": r"\b(?:in general|generally|by default|normally|usually|next time)\b",
    "everywhere": (
        r"\b(?:everywhere|anywhere|throughout|(?:in|for|of|on|within|across|to) (?:this|our|all our|the whole|"
        rf"the entire) (?:[\w-]+ )?(?:{HERE}|{THING})|with us|(?:for|at|in|on|to|with|of|under) (?:all|every|each|any|"
        r"everything|anything)\b|such things|things like|elsewhere|around here|in here|here(?=\W*$|[,;:.(]))"
    ),
    "any": r"\b(?:every|each|all|any|anything|everything|nothing|nobody|whatever)\b",
    "we": r"\bwe(?:'ll| have| need| get| should| could| can| will)\b",
    "our": r"\b(?:our|us)\b",
    "work": rf"\b(?:{THING})\b",
    "work on work": rf"\b(?:{THING})\b.*\b(?:{THING})\b",
    "code": rf"[{MARKS}]|\w[_/]\w|\w/(?= |$)|(?-i:[a-z][A-Z])|\w\(\)",
    "you": r"\byou(?:r answers)?\b",
    "reason": r"\b(?:because|since|otherwise|we've been|burnt|the reason|nobody)\b",
}
AGAINST: dict[str, str] = {
    "asks": (
        r"\?|^(?:can|could|would|should|shall|do (?:we|you|i)|does|did|is|are|was|were|what|how|why|"
        r"when (?:do|did|will|is)|where|which|who|whose|if (?!something|anything|you|in)|i (?:wonder|think|guess)|"
        r"any (?:ideas?|advice|tips|suggestions?|help|thoughts|chance|other)|hm+|wdyt|whats|hows)\b|\b(?:which one|"
        r"right)\W*$|, (?:is|are|what|which|can|does|do you)\b"
    ),
    # What a text of somebody else shall say, or somebody else says: "say that contributors should always sign off".
    "somebody else": (
        r"\b(?:should|must|to) (?:tell|say|state|mention|explain)\b|"
        r"^(?:say|tell|write|mention|explain|reply|answer|add|put|make|draft)\b.*\b(?:that|saying|where|which|who) |"
        r"\b(?:guidelines?|spec|docs?|readme|error|page|linter|api|boss|professor|teacher|colleague|client|customer|"
        r"someone|somebody|they|he|she|people) (?:\w+ )?(?:wants?|thinks?|asks?|insists?|uses?|used|recommends?)\b|"
        r"(?<!\bi )\b(?:says|said|claims|wrote|told (?:me|us))\b|\b(?:at )?my (?:last|old)\b|\bthe (?:other|old|"
        r"last) (?:app|project|company|repo|job|team)\b"
    ),
    "for the moment": (
        r"\b(?:for now|right now|before you (?:start|begin)|just now|"
        r"this (?:time|one|test|release|case|file|function|line|step|branch|change|pr|"
        r"part|week|month|clip|demo|request|call|page|button|once|morning)|today|tonight|tomorrow|yesterday|"
        r"temporarily|one more|again|yet|already|in the meantime|meanwhile|hurry|never ?mind|don't worry|no need|"
        r"at the moment|for the moment|line \d+|anything else|the rest|as it (?:is|was)|still|later\W*$|"
        r"(?:on|before|until) (?:mon|tues|wednes|thurs|fri)day\b|until (?!i\b)|lol|haha|first\W*$|"
        r"last (?:night|week|month)|soon|\d+ left|so far|seen|might|maybe|perhaps|not sure|not decided|what if|"
        r"could be|let me|at some point|for example|whatever you (?:think|like|want)|best\W*$|needed|go on|"
        r"as (?:they|it) (?:are|is|was|were)|an hour|will do|to see|the same|there(?!'s| is| are))\b|"
        r"(?<!from )\bnow\b"
    ),
    "long ago": (
        r"\b(?:back (?:in|then|when)|in (?:19|20)\d\d|(?:years?|months?|weeks?|long|a while) ago|at the time|used to|"
        r"originally|previously|historically|nobody (?:remembers|knows)|before my time|last (?:year|quarter|summer))\b"
    ),
    "hedged": (
        r"\b(?:i|we) (?:think|guess|wonder|suppose|believe|assume|hope|feel)\b|\bif (?:we|i) should\b|"
        r"\bhaven'?t (?:decided|agreed|settled)|\bthinking (?:about|of|we)|\bleaning towards?\b|\bnot convinced\b"
    ),
    "wants help": r"\b(?:wondering|trying to|considering|curious|help me|could you|can you|i'd like to)\b",
    "fault": (
        r"\b(?:crash\w*|exception|fail(?:s|ed|ing)?|broken|bugs?|hangs?|times? ?out|slow|doesn'?t|doesnt|isn'?t|wrong|"
        r"missing|complains?|red|odd|fine|(?<!not )ok(?:ay)?|good|pass(?:es)?|looks?|takes?)\b"
    ),
    "task": (
        r"^(?:(?:please|pls|just|then|also) )*(?:add|fix|find|rename|look|show|update|remove|replace|implement|create|"
        r"list|open|move|delete|revert|turn|do(?! not)|give|port|merge|generate|draft|bump|load|plot|restart|"
        r"compare|review|"
        r"rerun|apply|change|build|translate|undo|write|(?:\w+ )?(?:tests?|script|function|migration|"
        r"endpoint) (?:for|to))\b"
        r"(?!.*\b(?:always|never|every time|each|whenever|from now on|before you)\b)"
    ),
    "what to build": r", (?:please )?(?:implement|model|build|check|handle|do|add) (?:it|that|this|the|an?)\b",
    "task's verb": rf"{BEFORE}(?:{TASK})\b",
    "orders one thing": rf"{ORDER} (?:\w+ )?{ONE}",
    # "write tests for useDebounce", "module is infra/network"
    "one name": (
        rf"{ORDER}.*\b(?:for|of|to|in) (?-i:[a-z]+[A-Z]\w*|[\w/-]+\.[a-z]{{1,4}}\b|[\w-]+/[\w-]+)|"
        r"^(?:[\w-]+ ){1,2}(?:is|was)(?: in| at)? \S+$"
    ),
    "order with the": (
        rf"{ORDER}.*\bthe (?!same commit|source|future|default|docs\b|changelog|whole|entire|user\b|standard)\w+"
    ),
    "the": (
        rf"^(?!{ORDER[1:]}).*\bthe (?!team|rule|convention|policy|same commit|source|future|default|code\b|docs\b|"
        r"changelog|whole|entire|user\b)\w+"
    ),
    "about one thing": (
        r"^(?:the|this|that|these|those|my|your|it|its|there)\b(?! (?:convention|rule|team|house|policy|standard|"
        r"default|whole))"
    ),
    "this one": rf"\b(?:this|that) (?:\w+ )?(?!(?:{HERE})\b)(?:{THING}|module|article|device|step|part)\b",
    "and do it": r", (?:so |please |just )*\w+ (?:it|them)\b",
    "not in the": r"\bno (?:[\w-]+ )+(?:in|on|to|from|for) (?:this|that|the (?!code|docs|tests|repo|source))",
    "what users do": (
        r"\b(?:be able to|be (?:shown|hidden|displayed|visible|disabled))\b|"
        r"^(?:(?:all|our|every|each|new|any|a|an|the) )*(?:users?|customers?|guests?|admins?|orders?|invoices?|"
        r"accounts?|"
        r"sessions?|passwords?)\b"
    ),
    # Cannot be understood without what was said before.
    "pronoun": r"\b(?:it|its|them|him|her|these|those)\b(?!'s (?:a|our|the) (?:rule|convention|policy))",
    "which one": (
        r"\b(?:one|the (?:first|second|third|last|next|left|right|other|secondary|primary|new|old|big|small))\b"
    ),
    "myself": (
        r"^(?:i|i'm|i've|i'll|my)\b(?! (?:prefer|hate|like|don'?t (?:want|like)|want|dislike|can'?t stand|"
        r"would rather|"
        r"only want|need you))"
    ),
    "you did": (r"\byou (?:always|never|forgot|missed|did|used|put|broke|must (?:have|be)|are|were|have|think|just)\b"),
    "idiom": (
        rf"\b(?:always|never) (?:{IDIOM})\b|\bas always\b|\b(?:i|i've|have|we've) (?:always|never)\b|^never \w+ed\b|"
        rf"d (?:never|always)\b|\bhappens\b"
    ),
    "number": (
        r"\b(?:two|three|four|five|both|several)\b|(?<![\w.])\d+\s?(?:px|%|ms|s|mb|kb|x|mA|uA|chars?)?\b(?!\.\d)|"
        r"#[0-9a-f]{3,6}\b"
    ),
    "short": r"^(?!(?:don'?t|do not|never|always|no|avoid|prefer)\b)\W*(?:\S+\s*){1,3}$",
}
