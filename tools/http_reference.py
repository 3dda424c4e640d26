"""Writes the reference of the HTTP API from its table of verbs: run by cog (`make docs`)."""

from __future__ import annotations

import inspect

from scrubjay.interfaces.http.api.arguments import model_of
from scrubjay.remote.verbs import LOCAL, PREFIX, VERBS, Verb, function_of

__all__ = ["left_out", "routes"]


def routes() -> str:
    """A table of every verb: its request, what it needs, what it answers."""
    rows = [_row(verb) for verb in VERBS]
    head = "| in Python | request | arguments | scope | answer |\n|---|---|---|---|---|"
    return "\n".join([head, *rows]) + "\n"


def left_out() -> str:
    """What is not offered, and why."""
    first = {reason: name for name, reason in reversed(LOCAL.items()) if reason != "likewise"}
    return "\n".join(f"- `{name}`: {reason}." for reason, name in reversed(first.items())) + "\n"


def _row(verb: Verb) -> str:
    named = [name for name in model_of(verb).model_fields if name not in verb.in_path]
    arguments = ", ".join(f"`{name}`" for name in named[:6]) + (", …" if len(named) > 6 else "")
    scopes = " and ".join(verb.scopes) + (", all spaces" if verb.whole_file else "")
    about = (inspect.getdoc(function_of(verb.name)) or "").partition("\n")[0].replace("|", "\\|")
    return (
        f"| `{verb.name}` | `{verb.method} {PREFIX}{verb.path}` | {arguments} | {scopes} | {_answer(verb)}: {about} |"
    )


def _answer(verb: Verb) -> str:
    if isinstance(verb.answer, str):
        return f"[{verb.answer}](json.md#{verb.answer.replace(' ', '-')})"
    return "; ".join(f"`{key}`: {noun}" for key, noun in verb.answer.items()) or "`{}`"
