"""Confirmation by a person: they type a random word that is shown at their terminal."""

from __future__ import annotations

import os
import secrets
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

from scrubjay import Invalid
from scrubjay.text.safe_text import one_line

__all__ = ["confirm", "is_output_a_terminal"]

CONSONANTS, VOWELS = "bdfgklmnprstvz", "aeiou"
SYLLABLES = 4
NO_TERMINAL = "{} must be confirmed by a person at a terminal; nothing was changed."
OTHER_WORD = "That was not the word that was shown; nothing was changed."


def confirm(what: str, why: str) -> None:
    """Ask a person to type a random word at this process's terminal; a pipe or a variable cannot answer."""
    word = "".join(secrets.choice(CONSONANTS) + secrets.choice(VOWELS) for _ in range(SYLLABLES))
    try:
        with _terminal() as (answers, questions):
            questions.write(f"{one_line(why)}\nType {word} to confirm, or anything else to cancel: ")
            questions.flush()
            typed = answers.readline().strip()
    except OSError:
        raise Invalid(NO_TERMINAL.format(what)) from None
    if typed != word:
        raise Invalid(OTHER_WORD)


def is_output_a_terminal() -> bool:
    return sys.stdout is not None and sys.stdout.isatty()


@contextmanager
def _terminal() -> Iterator[tuple[TextIO, TextIO]]:
    """The terminal of this process, even if its input and output are redirected."""
    reading, writing = ("CONIN$", "CONOUT$") if os.name == "nt" else ("/dev/tty", "/dev/tty")
    with (
        open(reading, encoding="utf-8", errors="replace") as answers,
        open(writing, "w", encoding="utf-8") as questions,
    ):
        yield answers, questions
