"""What is said in conversations and tells nothing later: an agent's narration ("Let me run the linter again"), and
mere questions."""

from __future__ import annotations

import re

__all__ = ["is_narration", "only_asks"]

MAX_CHARACTERS = 240
WORDS = (
    "ok okay good great perfect excellent nice right alright now next first then finally so and but hmm wait actually"
    " also done sure yes understood noted"
)
OPENERS = rf"(?:(?:{WORDS.replace(' ', '|')})\b[\s,.!:–—-]*)*"
DOING = (
    r"(?:let me|let's|i'll|i will|i'm going to|i am going to|i need to|i should|i'm now|now i|time to|going to|"
    r"(?:check|runn|look|read|search|try|fix|updat|add|creat|verify|test|build|clean|commit|install|writ)ing)\b"
)
PASSED = r"(?:all |the )*(?:\d+ )?(?:tests?|checks?|linter|build|types?) (?:\w+ )?(?:now )?pass(?:es|ed)?"
# These are compiled when they are first used: most processes need none of them.
ANNOUNCES = rf"(?i){OPENERS}{DOING}"
ONLY_A_NOD = rf"(?i){OPENERS}(?:{PASSED})?[\s.!:✅]*"
# What tells why, or what was found, is worth keeping.
TELLS = r"(?i)\b(?:because|since|instead of|rather than|the (?:problem|cause|reason|issue|bug) (?:is|was))\b|\?"

SENTENCE = r"[^.!?\n]*[^\s.!?][^.!?\n]*[.!?]*"
ASKS = (
    rf"(?i){OPENERS}(?:how|what|when|where|which|who|whose|why)"
    r" (?:do|does|did|is|are|was|were|can|could|should|will|would|to|about|many|much|often|long)\b[^,;:]*"
)
GREETINGS = f"hi hey hello please thanks morning {WORDS}"
GREETS = rf"(?i)(?:{GREETINGS.replace(' ', '|')})[\s\w]{{0,12}}[.!]*"


def is_narration(text: str) -> bool:
    """Whether an agent's turn only announces what it does next, or that a step is done."""
    said = text.strip().replace("’", "'")
    if not said or len(said) > MAX_CHARACTERS or "\n\n" in said or re.search(TELLS, said):
        return False
    return re.match(ANNOUNCES, said) is not None or re.fullmatch(ONLY_A_NOD, said) is not None


def only_asks(text: str) -> bool:
    """Whether a turn is nothing but a question: what is asked is not what is known."""
    said = text.strip()
    if len(said) > MAX_CHARACTERS:
        return False
    sentences = [one.strip() for one in re.findall(SENTENCE, said)]
    asked = [one for one in sentences if not re.fullmatch(GREETS, one)]
    return bool(asked) and all(re.fullmatch(ASKS, one) or (one.endswith("?") and "," not in one) for one in asked)
