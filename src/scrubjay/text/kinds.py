"""The kinds of memories, and a guess from its words for a memory that was given no kind."""

from __future__ import annotations

import re

__all__ = ["DESCRIPTIONS", "KNOWN", "kind_of"]

# The kinds that Scrubjay knows, and what each is for. Any other lower-case word is allowed, too.
DESCRIPTIONS = {
    "fact": "something that is true",
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
    "observation": "something that was noticed; the kind of a text that fits no other",
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

# The first rule that matches wins. Each word also matches with regular endings: fix, fixes, fixed, fixing.
RULES = {
    "bugfix": "fix bug crash failure broken patch regression hotfix bugfix",
    "feature": "add feature implement introduce create",
    "refactor": "refactor restructure reorganize reorganise cleanup simplify simplifies simplified",
    "decision": "decide decision choose chose chosen pick select agree agreed",
    "discovery": "found discover learn learnt realize realise notice insight",
    "change": "change update modify modifies modified adjust tweak alter migrate rename",
}
DEFAULT_KIND = "observation"
SCANNED_CHARACTERS = 10_000  # from the beginning of a text


def _pattern(words: str) -> re.Pattern[str]:
    forms = "|".join(f"{word[:-1]}(?:e|es|ed|ing)" if word.endswith("e") else word for word in words.split())
    return re.compile(rf"\b(?:{forms})(?:s|es|ed|ing)?\b", re.IGNORECASE)


PATTERNS = {kind: _pattern(words) for kind, words in RULES.items()}


def kind_of(text: str) -> str:
    """The kind whose words the text contains."""
    beginning = text[:SCANNED_CHARACTERS]
    return next((kind for kind, pattern in PATTERNS.items() if pattern.search(beginning)), DEFAULT_KIND)
