"""The kind of a memory nobody gave one: told from the words people use for it."""

from __future__ import annotations

import re

__all__ = ["KNOWN", "kind_of"]

# The kinds that mean something to Scrubjay; any other lower-case word is as good.
KNOWN = (
    "fact preference identity background pattern relationship contact project event insight discovery observation "
    "decision change bugfix feature refactor convention invariant failure_mode trigger note task summary turn passage"
).split()

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
