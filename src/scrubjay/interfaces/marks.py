"""The marks before a hit's title: what was replaced, corrected or asked for instead, and what it cites."""

from __future__ import annotations

from typing import Any

from scrubjay.text.safe_text import one_line
from scrubjay.types import Cited, Hit, Link

__all__ = ["cited_dict", "link_line", "linked_lines", "marks"]

SHOWN_CITATIONS = 3


def marks(hit: Hit) -> str:
    """Replaced, corrected, asked for by what it replaced, similar hits, citations."""
    memory = hit.memory
    corrected = f"(corrected by {hit.corrected_by}) " if hit.corrected_by else ""
    corrected += f"(in place of {hit.in_place_of}) " if hit.in_place_of else ""
    alike = f"(+{len(hit.also)} alike) " if hit.also else ""
    return memory.replaced_mark + corrected + alike + "".join(f"({one_line(str(one))}) " for one in _worth_showing(hit))


def cited_dict(one: Cited) -> dict[str, Any]:
    return {"cites": str(one.citation), "state": one.state, "detail": one.detail}


def link_line(link: Link) -> str:
    """A link on one line: from, word, to, and what stands at the other end."""
    other = f": [{link.memory.id}] {link.memory.title}" if link.memory else ""
    return one_line(f"{link.source} {link.word} {link.target}{other}")


def linked_lines(hit: Hit) -> str:
    """What is linked to a hit, each on a line of its own below it."""
    return "".join(f"\n    {link_line(link)}" for link in hit.linked)


def _worth_showing(hit: Hit) -> list[Cited]:
    """What a hit cites; and what it was cut from only if that is not as it was."""
    return [one for one in hit.citations if one.citation.root or one.state != "FRESH"][:SHOWN_CITATIONS]
