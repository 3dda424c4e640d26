"""Templates become pages here. Every value is escaped, and what is hidden in it is shown or dropped; what is markup is
made of escaped parts, in this file only. A form that must send a value back as it is takes `value|e`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape
from starlette.responses import HTMLResponse

from scrubjay.dates.timestamps import in_local_time
from scrubjay.interfaces.page import words
from scrubjay.text.plural import counted
from scrubjay.text.safe_text import visible
from scrubjay.text.tokenizer import stem_places, stems_of

__all__ = ["html"]

FOLDER = Path(__file__).parent / "templates"
LINK = re.compile(r"https?://[^\s<>\"'`]+[^\s<>\"'`.,;:!?)\]}]")
BLOCK_LINES = 100
STEPS_IN_A_PATH = {".", ".."}
OUTSIDE = Markup('<a class="outside" href="{}" rel="noopener noreferrer nofollow external" target="_blank">{}</a>')


def html(template: str, status: int = 200, **values: Any) -> HTMLResponse:
    return HTMLResponse(_environment().get_template(template).render(**values), status)


@cache
def _environment() -> Environment:
    made = Environment(
        loader=FileSystemLoader(FOLDER), autoescape=True, undefined=StrictUndefined, trim_blocks=True,
        lstrip_blocks=True, finalize=_shown,
    )  # fmt: skip
    made.filters |= {
        "when": when, "day": day, "clock": clock, "linked": linked, "marked": marked, "counted": counted,
        "blocks": blocks, "bytes": words.size, "client_title": words.client_title, "page_of": page_of,
    }  # fmt: skip
    made.globals |= {"provenance": words.provenance, "client_title": words.client_title, "about_kind": words.about_kind}
    return made


def _shown(value: Any) -> Any:
    return value if hasattr(value, "__html__") else visible(str(value))


def when(moment: datetime) -> Markup:
    return _time(moment, f"{in_local_time(moment).day} {in_local_time(moment):%b %Y, %H:%M}")


def day(moment: datetime) -> Markup:
    return _time(moment, f"{in_local_time(moment).day} {in_local_time(moment):%b %Y}")


def clock(moment: datetime) -> Markup:
    return _time(moment, f"{in_local_time(moment):%H:%M}")


def _time(moment: datetime, shown: str) -> Markup:
    return Markup('<time datetime="{}">{}</time>').format(moment.isoformat(timespec="seconds"), shown)


def linked(text: str) -> Markup:
    """A text whose web addresses can be followed; each is marked as leading outside."""
    parts, end, text = [], 0, visible(text)
    for found in LINK.finditer(text):
        parts += [escape(text[end : found.start()]), OUTSIDE.format(found[0], found[0])]
        end = found.end()
    return Markup("").join([*parts, escape(text[end:])])


def page_of(name: str, folder: str, **query: object) -> str:
    """The address of the page of a name. A browser resolves `..` in a path, however it is written, so such a name
    stands in the query."""
    if STEPS_IN_A_PATH & set(name.split("/")):
        path, query = f"{folder}/", {"name": name, **query}
    else:
        path = f"{folder}/{quote(name)}"
    return f"{path}?{urlencode(query)}" if query else path


def blocks(text: str) -> Iterable[str]:
    """A long text in parts, so that a browser lays out only those in view."""
    lines = text.split("\n")
    return ("\n".join(lines[start : start + BLOCK_LINES]) for start in range(0, len(lines), BLOCK_LINES))


def marked(text: str, asked: Sequence[str]) -> Markup:
    """A text with the words of the question marked; they are compared by their stems."""
    stems = {stem for word in asked for stem in stems_of(word)}
    parts, end, text = [], 0, visible(text)
    for first, last, stem in stem_places(text):
        if stem in stems and first >= end:
            parts += [escape(text[end:first]), Markup("<mark>{}</mark>").format(text[first:last])]
            end = last
    return Markup("").join([*parts, escape(text[end:])])
