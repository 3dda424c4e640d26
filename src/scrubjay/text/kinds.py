"""The kinds of memories, and the kind of one that was given none: told from the words people use for it."""

from __future__ import annotations

import re

__all__ = ["DESCRIPTIONS", "KNOWN", "kind_of"]

# The kinds that mean something to Scrubjay, with what each is for; any other lower-case word is as good.
DESCRIPTIONS = {
    "fact": "something that is so",
    "preference": "what somebody likes or wants; told to an agent at a session's start",
    "identity": "who somebody is; told to an agent at a session's start",
    "background": "what somebody has done or been through",
    "pattern": "what happens again and again",
    "relationship": "how people or things stand to each other",
    "contact": "how to reach somebody",
    "project": "what some work is about",
    "event": "something that happened, or will",
    "insight": "a conclusion",
    "discovery": "something that was found out",
    "observation": "something that was noticed; what a text is called that fits no other kind",
    "decision": "what was decided, and why; of a project, told at a session's start",
    "change": "what was changed",
    "bugfix": "a fault and how it was mended",
    "feature": "something that was added",
    "refactor": "code that was put in another shape",
    "convention": "how things are done; of a project, told at a session's start",
    "invariant": "what must always hold; of a project, told at a session's start",
    "failure_mode": "a way in which something goes wrong",
    "trigger": "what sets something off",
    "note": "a remark; it counts less as it gets older",
    "task": "something to be done: `scrubjay tasks`",
    "summary": "how a session ended: `scrubjay sessions end`",
    "turn": "what was said in a conversation: `scrubjay turns`",
    "passage": "a part of a file: `scrubjay sync`",
}
KNOWN = tuple(DESCRIPTIONS)

# The first rule that matches wins. Each word also matches with its plain endings: fix, fixes, fixed, fixing.
RULES = {
    "bugfix": "fix bug crash failure broken patch regression hotfix bugfix",
    "feature": "add feature implement introduce create",
    "refactor": "refactor restructure reorganize reorganise cleanup simplify simplifies simplified",
    "decision": "decide decision choose chose chosen pick select agree agreed",
    "discovery": "found discover learn learnt realize realise notice insight",
    "change": "change update modify modifies modified adjust tweak alter migrate rename",
}
OTHERWISE = "observation"
LOOKED_AT = 10_000  # characters of a text


def _pattern(words: str) -> re.Pattern[str]:
    forms = "|".join(f"{word[:-1]}(?:e|es|ed|ing)" if word.endswith("e") else word for word in words.split())
    return re.compile(rf"\b(?:{forms})(?:s|es|ed|ing)?\b", re.IGNORECASE)


PATTERNS = {kind: _pattern(words) for kind, words in RULES.items()}


def kind_of(text: str) -> str:
    beginning = text[:LOOKED_AT]
    return next((kind for kind, pattern in PATTERNS.items() if pattern.search(beginning)), OTHERWISE)
