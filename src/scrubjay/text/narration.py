"""Narration: what an agent says while it works ("Let me run the linter again"), which nobody looks for later."""

from __future__ import annotations

import re

__all__ = ["NARRATION", "is_narration"]

NARRATION = "narration"  # the tag of such turns
MAX_CHARACTERS = 240
WORDS = (
    "ok okay good great perfect excellent nice right alright now next first then finally so and but hmm wait actually"
    " also done sure yes"
)
OPENERS = rf"(?:(?:{WORDS.replace(' ', '|')})\b[\s,.!:–—-]*)*"
DOING = (
    r"(?:let me|let's|i'll|i will|i'm going to|i am going to|i need to|i should|i'm now|now i|time to|going to|"
    r"(?:check|runn|look|read|search|try|fix|updat|add|creat|verify|test|build|clean|commit|install|writ)ing)\b"
)
PASSED = r"(?:all |the )*(?:\d+ )?(?:tests?|checks?|linter|build|types?) (?:\w+ )?(?:now )?pass(?:es|ed)?"
ANNOUNCES = re.compile(rf"{OPENERS}{DOING}", re.IGNORECASE)
ONLY_A_NOD = re.compile(rf"{OPENERS}(?:{PASSED})?[\s.!:✅]*", re.IGNORECASE)
# What tells why, or what was found, is worth keeping.
TELLS = re.compile(
    r"\b(?:because|since|instead of|rather than|the (?:problem|cause|reason|issue|bug) (?:is|was))\b|\?", re.IGNORECASE
)


def is_narration(text: str) -> bool:
    """Whether an agent's turn only announces what it does next, or that a step is done."""
    said = text.strip().replace("’", "'")
    if not said or len(said) > MAX_CHARACTERS or "\n\n" in said or TELLS.search(said):
        return False
    return ANNOUNCES.match(said) is not None or ONLY_A_NOD.fullmatch(said) is not None
