"""What a user typed of a message: not what is pasted, quoted, printed or shown, which may be somebody else's."""

from __future__ import annotations

import re
from itertools import takewhile

__all__ = ["CUT", "own_words"]

# Longer messages are mostly pasted.
MAX_CHARACTERS, MAX_LINES = 1_000, 12
QUOTES = '"“'
CUT = "\ue002"  # stands for what was left out of a sentence, or behind it: such a sentence is not the user's alone
# A name in angle brackets that is a part of the sentence: `feature/<ticket>`, "never <br>.", "deploy <env> and". At the
# start of a line, before its end, before a new sentence or after "this" it may be an element whose end was not pasted.
NAME = r"<\w[\w .:/|@-]*>"
NAMED = (
    rf"(?:(?<=[\w/=(\[{{,|`-])|(?<=>[.@])){NAME}|(?<=\S ){NAME}(?=[,;.!?()`]|\s*\Z)|"
    rf"(?<=[^\s:] )(?<!\bthis )(?<!\bthese ){NAME}(?= [a-z])"
)
# What is shown, not said: code, quotations, elements, long quotes, lines of logs, diffs and lists of names.
SHOWN = re.compile(
    rf"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)|<(\w[\w-]*)[^<>]*>.*?</\1>|(?!{NAMED})<\w[^<>]*>.*|"
    r"[\"“][^\"”\n]*\s[^\"”\n]*\s[^\"”\n]*[\"”]",
    re.S,
)
SHOWN_LINE = re.compile(
    r"(?: {3,}|\t)\S|\s*(?:[>|+$%#]|//|/\*|- |\S+:\d+:|at \S+\(|"
    r"(?!rules?\b|conventions?\b|naming\b|remember\b)\w+: |\[|\d{2,4}[-:/]\d\d|Traceback|File \")",
    re.I,
)
# "The page says: …", "here is the README:", "paste from slack": what follows is somebody else's.
INTRODUCES = re.compile(
    r"\b(?:says?|said|reads?|wrote|writes|prints?|printed|shows?|contains?|output|logs?|lines?|error|message|email|"
    r"mail|"
    r"readme|docs?|page|issue|comment|prompt|text|paste[ds]?|following|below|translate|review|summari[sz]e|"
    r"quote|here(?:'s| is| are)|agents\.md|claude\.md|slack|diff)\b[^.!?\n:]*(?::|\n)|"
    r"(?<!for )\b(?:this|these)(?! (?:repo|project|team|codebase)\b)(?: [\w.]+){0,3}:|\b(?:this|these)\b[^\n]*\n|"
    r"\?\s*\n\s*\n",
    re.I,
)
# "<a text>, what do you think of it?": the text before the question may be somebody else's.
ASKED_ABOUT = re.compile(r"\n\s*\n[^\n]*\b(?:this|that|these|it|above)\b[^\n]*\?\s*$", re.I)


def own_words(text: str) -> str:
    """What the user says: without what is only shown, and without all that follows where such a thing begins."""
    if len(text) > MAX_CHARACTERS or text.strip().count("\n") >= MAX_LINES or ASKED_ABOUT.search(text):
        return ""
    own = SHOWN.sub(_instead, text.replace("’", "'"))
    lines = own.split("\n")
    own = "\n".join(takewhile(lambda line: not SHOWN_LINE.match(line), lines))
    introduced = next((found for found in INTRODUCES.finditer(own) if _goes_on(own, found)), None)
    return own[: introduced.start()] + CUT if introduced else own


def _instead(shown: re.Match[str]) -> str:
    """Code and whole elements stand between sentences; a quotation or what breaks off may stand within one."""
    breaks_off = shown[0].startswith("<") and shown[1] is None
    return CUT if breaks_off or shown[0][0] in QUOTES else "\n"


def _goes_on(text: str, introduced: re.Match[str]) -> bool:
    """Whether something stands behind the words that introduce it."""
    ends = introduced[0].rstrip()
    return (ends.endswith(":") or introduced[0].endswith("\n")) and bool(text[introduced.end() :].strip())
