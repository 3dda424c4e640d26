"""The generated part of docs/reference/json.md, from the declarations of the shapes and the data types themselves."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import fields

from scrubjay.interfaces.shapes import ANSWERS, MADE, NOUNS

__all__ = ["answers", "nouns"]

JSON_TYPES = {
    "str": "text", "int": "number", "float": "number", "bool": "true or false", "datetime": "time",
    "Any": "any", "Trust": "user, agent or external", "Memory": "memory", "Hit": "hit", "Source": "source",
}  # fmt: skip


def answers() -> str:
    rows = [f"| `{command}` | {_answer(answer)} |" for command, answer in ANSWERS.items()]
    return "\n".join(["| command with `--json` | answer |", "|---|---|", *rows, ""])


def nouns() -> str:
    return "\n".join([*_declared(), *_made()])


def _answer(answer: str | Mapping[str, str]) -> str:
    if isinstance(answer, str):
        return f"[{answer}](#{answer.replace(' ', '-')})"
    return ", ".join(f"`{key}`: {what}" for key, what in answer.items())


def _declared() -> Iterator[str]:
    for noun, (kind, more) in NOUNS.items():
        yield f"### {noun}\n\n`scrubjay.{kind.__name__}` in Python.\n"
        yield from (f"- `{field.name}`: {_type(field.type)}" for field in fields(kind))
        yield from (f"- `{key}`" for key in more)
        yield ""


def _type(annotation: object) -> str:
    """A type of Python as it is in JSON."""
    text = str(annotation).replace("tuple[int, int]", "[first, last]").replace(" | None", " or null")
    for python, json in JSON_TYPES.items():
        text = re.sub(rf"\b{python}\b", json, text)
    return re.sub(r"(?:tuple|list|Sequence)\[(.*?)(?:, \.\.\.)?\]", r"[\1]", text)


def _made() -> Iterator[str]:
    for noun, keys in MADE.items():
        yield f"### {noun}\n"
        yield from (f"- `{key}`: {what}" for key, what in keys.items())
        yield ""
