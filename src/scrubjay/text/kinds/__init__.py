"""The kinds of memories, and a guess from its words for a memory that was given no kind."""

from __future__ import annotations

import re
from functools import cache

from scrubjay.text.kinds.rules import RULES

__all__ = ["DEFAULT_KIND", "DESCRIPTIONS", "KNOWN", "SCANNED_CHARACTERS", "kind_of"]

# The kinds that Scrubjay knows, and what each is for. Any other lower-case word is allowed, too.
DESCRIPTIONS = {
    "fact": "something that is true; the kind of a text that fits no other",
    "preference": "what somebody likes or wants; part of the context at a session's start",
    "identity": "who somebody is; part of the context at a session's start",
    "background": "what somebody has done or been through",
    "pattern": "what happens again and again",
    "relationship": "how people or things are related",
    "contact": "how to reach somebody: `scrubjay contacts`",
    "project": "what some work is about: `scrubjay projects`",
    "profile": "what is known about the person a space belongs to: `scrubjay profile`",
    "skill": "what an agent knows how to do: `scrubjay skills`",
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

DEFAULT_KIND = "fact"
SCANNED_CHARACTERS = 500  # what a text is, its beginning tells
SPECIAL_CASES = str.maketrans("\u0130\u0131\u017f", "iis")  # what `re` takes for an i or an s, and `lower` does not


@cache
def _rules() -> list[tuple[str, re.Pattern[str], frozenset[str]]]:
    """The rules, compiled when the first memory without a kind is added."""
    return [
        (kind, re.compile(rule.pattern, re.IGNORECASE), frozenset(filter(None, rule.needs.split("|"))))
        for kind, rules in RULES.items()
        for rule in rules
    ]


@cache
def _needed() -> list[str]:
    return sorted({word for _, _, needs in _rules() for word in needs})


def kind_of(text: str) -> str:
    """The kind that a person would give a text, as far as its words tell; else a fact."""
    beginning = " ".join(text[:SCANNED_CHARACTERS].split())
    lower = beginning.translate(SPECIAL_CASES).lower()
    held = {word for word in _needed() if word in lower}
    for kind, pattern, needs in _rules():
        if (not needs or not needs.isdisjoint(held)) and pattern.search(beginning):
            return kind
    return DEFAULT_KIND
