"""Markdown of other programs: notes of basic-memory, and instructions for agents (CLAUDE.md and the like)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from scrubjay.portable.formats.items import Item, brief, moment, strings
from scrubjay.sources.markdown.chunking import atx_level, heading_text
from scrubjay.sources.markdown.front_matter import split
from scrubjay.text.secret_scan import without_private

__all__ = ["INSTRUCTIONS", "is_note", "read_instructions", "read_note"]

INSTRUCTIONS = re.compile(r"(CLAUDE|AGENTS|GEMINI)(\.local)?\.md|\.cursorrules|.*\.mdc", re.IGNORECASE)
OBSERVATION = re.compile(r"- \[(?P<category>[^\[\]]{1,60})\] (?P<text>.+)")
RELATION = re.compile(r"- (?P<relation>[^\[\]]{1,60}) \[\[(?P<target>[^\[\]]{1,200})\]\]")
TAG = re.compile(r"(?<!\w)#([\w/-]+)")
BULLET = re.compile(r"(?P<indent> *)(?:[-*+]|\d{1,3}[.)]) +(?P<text>.+)")
FENCE = re.compile(r" {0,3}(```|~~~)")


def is_note(text: str) -> bool:
    """Whether this is a note of basic-memory: those have a permalink."""
    return "permalink" in split(text).values


def read_note(text: str, name: str) -> Iterator[Item]:
    """Observations and relations of a note, each by itself; and the text around them."""
    page = split(without_private(text))
    title = str(page.values.get("title") or Path(name).stem)
    key = str(page.values.get("permalink") or name)
    at = moment(page.values.get("created") or page.values.get("date"))
    rest = []
    for line in page.body.splitlines():
        if found := OBSERVATION.fullmatch(line.strip()):
            fields = {"kind": "observation", "subject": brief(title), "tags": strings(TAG.findall(found["text"])),
                "metadata": {"category": found["category"], "permalink": key}}  # fmt: skip
            yield Item(key=f"{key}\0{line.strip()}", text=TAG.sub(r"\1", found["text"]), fields=fields, at=at)
        elif found := RELATION.match(line.strip()):
            said = f"{title} {found['relation'].replace('_', ' ')} {found['target']}"
            metadata = {"permalink": key, **found.groupdict()}
            fields = {"kind": "relationship", "subject": brief(title), "metadata": metadata}
            yield Item(key=f"{key}\0{line.strip()}", text=said, fields=fields, at=at)
        elif not atx_level(line):
            rest.append(line)
    if said := "\n".join(rest).strip():
        fields = {"kind": "note", "subject": brief(title), "title": brief(title), "metadata": {"permalink": key}}
        yield Item(key=key, text=said, fields=fields, at=at)


def read_instructions(text: str, name: str) -> Iterator[Item]:
    """One statement each: a bullet with what is below it, or a paragraph. The headings above are its context."""
    above: list[str] = []
    for number, block in enumerate(_blocks(split(without_private(text)).body)):
        if level := atx_level(block):
            above = [*above[: level - 1], heading_text(block.strip()[level:])]
            continue
        metadata = {"file": name, "number": number}
        fields = {"kind": "convention", "context": " › ".join(above) or None, "metadata": metadata}
        yield Item(key=f"{name}\0{block}", text=block, fields=fields)


def _blocks(body: str) -> Iterator[str]:
    """Headings, bullets of the first level, paragraphs and fenced code, each as one text."""
    block: list[str] = []
    fenced = False
    for line in body.splitlines():
        fenced ^= bool(FENCE.match(line))
        bullet = None if fenced else BULLET.fullmatch(line)
        begins = bool(bullet and len(bullet["indent"]) < 2) or (not fenced and bool(atx_level(line)))
        ends = not line.strip() and not fenced
        if (begins or ends or (block and atx_level(block[0]))) and block:
            yield "\n".join(block)
            block = []
        if not ends:
            block.append(bullet["text"] if bullet and begins else line.rstrip())
    if block:
        yield "\n".join(block)
