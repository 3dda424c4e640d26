"""A person at a terminal: what only they may do, they confirm by typing a word that is shown there."""

from __future__ import annotations

import os
import secrets
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

from scrubjay import Invalid
from scrubjay.text.safe_text import one_line

__all__ = ["confirm", "is_shown_to_a_person"]

CONSONANTS, VOWELS = "bdfgklmnprstvz", "aeiou"
SYLLABLES = 4
NO_TERMINAL = "{} needs a person at a terminal, who confirms it by typing; nothing was changed."
OTHER_WORD = "That was not the word that was shown; nothing was changed."


def confirm(what: str, why: str) -> None:
    """Let a person type a random word at the terminal of this process, which neither a pipe nor a variable can."""
    word = "".join(secrets.choice(CONSONANTS) + secrets.choice(VOWELS) for _ in range(SYLLABLES))
    try:
        with _terminal() as (answers, questions):
            questions.write(f"{one_line(why)}\nType {word} to confirm, or anything else to leave it: ")
            questions.flush()
            typed = answers.readline().strip()
    except OSError:
        raise Invalid(NO_TERMINAL.format(what)) from None
    if typed != word:
        raise Invalid(OTHER_WORD)


def is_shown_to_a_person() -> bool:
    return sys.stdout is not None and sys.stdout.isatty()


@contextmanager
def _terminal() -> Iterator[tuple[TextIO, TextIO]]:
    """The terminal that controls this process, wherever its input and output lead."""
    reading, writing = ("CONIN$", "CONOUT$") if os.name == "nt" else ("/dev/tty", "/dev/tty")
    with (
        open(reading, encoding="utf-8", errors="replace") as answers,
        open(writing, "w", encoding="utf-8") as questions,
    ):
        yield answers, questions
