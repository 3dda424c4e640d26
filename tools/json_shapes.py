"""The generated part of docs/reference/json.md, from the declarations of the shapes and the data types themselves."""

from __future__ import annotations

from collections.abc import Iterator

from scrubjay.interfaces.shapes import ANSWERS, MADE, NOUNS, Shape, shape_of

__all__ = ["answer", "answers", "nouns"]


def answers() -> str:
    rows = [f"| `{command}` | {answer(given)} |" for command, given in ANSWERS.items()]
    return "\n".join(["| command with `--json` | answer |", "|---|---|", *rows, ""])


def nouns() -> str:
    return "\n".join([*_declared(), *_made()])


def answer(given: str | Shape) -> str:
    """A noun, or what stands at each key."""
    if isinstance(given, str):
        return f"[{given}](#{given.replace(' ', '-')})"
    return ", ".join(f"`{key}`: {what}" for key, what in given.items())


def _declared() -> Iterator[str]:
    for noun, (kind, _) in NOUNS.items():
        yield from _noun(noun, f"`{kind.__name__}` in Python.\n")


def _made() -> Iterator[str]:
    for noun in MADE:
        yield from _noun(noun)


def _noun(noun: str, *about: str) -> Iterator[str]:
    yield f"### {noun}\n"
    yield from about
    yield from (f"- `{key}`: {what}" for key, what in shape_of(noun).items())
    yield ""
