"""The conversation in what a client printed as plain text: without its thoughts, tool calls and status lines.

Clients print these around the answer when they are told to be verbose, or when both of their outputs go into one file.
Only whole lines in a client's own form are left out, and none inside a code block, because an answer may speak of them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator

from scrubjay.errors import Invalid
from scrubjay.sources.transcripts.messages import to_turns, without_tags
from scrubjay.sources.transcripts.parser import ConversationState, Turn

__all__ = ["plain_turns"]

NOT_TEXT = "This output is not UTF-8 text; convert it first, e.g. with iconv."
COLOUR = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
THOUGHTS = ("thinking", "think")  # elements in which some models print what they think
CODE_BLOCK = ("```", "~~~")
HALF_RECORD = re.compile(r'^[\[{]\s*["{]', re.MULTILINE)  # where JSON may begin that was cut off
HALF_VALUE = re.compile(r"t?r?u?|f?a?l?s?|n?u?l?|[-.eE+]*")  # of a word or a number, or nothing at all
AT_END = ("Unterminated string", "Invalid \\", "Invalid control")  # errors of JSON that name the place where they began

VERBS = "thinking|processing|loading|working|reading|writing|analy[sz]ing|searching|running|executing|planning|waiting"
STATUS = re.compile(
    rf"""(?ix)
    (?:{VERBS})\b [^.!?…]{{0,80}} (?:\.\.\.|…) \s* (?:\(.*\))?    # Thinking...  Reading the file…
    | \.{{3,}} | …
    | [✻✽✶✳✢✺∴⏳⌛🤔💭\u2800-\u28ff]\ufe0f? \s* \S.*              # a spinner and what it says
    | thought\ for\ \d+.*
    | [✓✔✅☑]\ufe0f? \s* (?:task\ |all\ )? (?:completed?|done|finished|success\w*)\b .*
    | [✗✘❌✖]\ufe0f? \s* (?:error|fail(?:ed|ure))\b .*
    | (?:error|failed): \s .*
    | loaded\ cached\ credentials\. | data\ collection\ is\ disabled\. | flushing\ log\ events\ to\ clearcut\.
    | \[(?:startup|debug|info|warn(?:ing)?|error)\] .* | mcp\ stderr\ \(.*
    """
)
TOOL = re.compile(
    r"""(?x)
    (?:🔧|🛠|🔨|⚙)\ufe0f? .*
    | [⏺●] \s* [A-Z]\w* \( .*                                     # ⏺ Bash(ls)
    | (?:Tool(?:\ (?:call|use|result))?|Executing): \s* .*
    """
)
RESULT = "⎿"  # before what a tool has answered
ENDED = re.compile(r"(?i)(?:done|completed?)[.!]?")  # a status if there is an answer, else the answer
BULLET = re.compile(r"[⏺●]\s+")  # before an answer

CODEX = re.compile(r"OpenAI Codex v\S+")
CODEX_SESSION = re.compile(r"(?m)^session id: (\S+)$")
CODEX_PART = re.compile(
    r"user|codex|thinking|exec|tool .*|mcp(?: startup)?: .*|file update:?|apply_patch\(.*|tokens used"
)
DECODER = json.JSONDecoder(strict=False)
RULE = "--------"  # around the settings that Codex prints first


def plain_turns(data: bytes) -> list[Turn]:
    """The turns in the plain text that a client printed. Raises `Invalid` for what is no text."""
    try:
        text = COLOUR.sub("", data.decode("utf-8-sig")).replace("\r\n", "\n")
    except UnicodeDecodeError:
        raise Invalid(NOT_TEXT) from None
    state = ConversationState()
    if CODEX.match(text.lstrip()):
        found = CODEX_SESSION.search(text)
        state.session = found[1] if found else None
        return [turn for speaker, said in _codex(text) for turn in to_turns(state, speaker, said, None)]
    return to_turns(state, "assistant", _answer(_without_half_record(text)), None)


def _without_half_record(text: str) -> str:
    """The text up to JSON that was cut off, as it is where a stream ended in the middle of a record.

    It begins where the output does, or at the last line that could begin it: what is inside of it is indented.
    """
    text = text.rstrip()
    starts = [found.start() for found in HALF_RECORD.finditer(text)]
    return next((text[:start] for start in starts[:1] + starts[-1:] if _is_cut_off(text[start:])), text)


def _is_cut_off(text: str) -> bool:
    """Whether this is the beginning of an object or a list, valid up to where it ends too early."""
    try:
        DECODER.raw_decode(text)
    except json.JSONDecodeError as problem:
        return problem.msg.startswith(AT_END) or bool(HALF_VALUE.fullmatch(text, problem.pos))
    except RecursionError:
        return True
    return False


def _answer(text: str) -> str:
    """What is left without thoughts, tool calls and status lines."""
    lines = list(_told(without_tags(text, THOUGHTS).split("\n")))
    said = [line for line in lines if line.strip()]
    if len(said) > 1 and ENDED.fullmatch(said[-1].strip()):
        lines = lines[: len(lines) - lines[::-1].index(said[-1]) - 1]
    return "\n".join(lines)


def _told(lines: Iterable[str]) -> Iterator[str]:
    """The lines of the answer. Indented lines after a thought or a tool call belong to it."""
    in_code = in_aside = False
    for line in lines:
        if line.lstrip().startswith(CODE_BLOCK) and not in_aside:
            in_code = not in_code
        if in_code:
            yield line
            continue
        is_tool = TOOL.fullmatch(line) or line.lstrip().startswith(RESULT)
        if is_tool or STATUS.fullmatch(line.strip()):
            in_aside = True
        elif not (in_aside and (not line.strip() or line.startswith("  "))):
            in_aside = False
            yield BULLET.sub("", line, count=1)


def _codex(text: str) -> Iterator[tuple[str, str]]:
    """What Codex prints has a heading above each part; the last answer may come again after the count of tokens."""
    part, lines, last = "", list[str](), ""
    for line in [*text.partition(RULE)[2].partition(RULE)[2].split("\n"), "exec"]:
        if not CODEX_PART.fullmatch(line):
            lines.append(line)
            continue
        said = "\n".join(lines[1:] if part == "tokens used" else lines).strip()
        if part in ("user", "codex", "tokens used") and said and said != last:
            yield ("user" if part == "user" else "assistant"), said
            last = said
        part, lines = line, []
