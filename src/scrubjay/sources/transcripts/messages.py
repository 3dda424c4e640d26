"""What was really said: text out of blocks, without what clients and Scrubjay put around a person's words."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, datetime
from hashlib import blake2b
from typing import Any

from scrubjay.sources.transcripts.parser import Talk, Turn
from scrubjay.text.fence import unfenced

__all__ = [
    "blocks",
    "cut",
    "hear",
    "inside",
    "moment",
    "string",
    "tell",
    "tell_saying",
    "text_of",
    "told_before",
    "words",
]

REMEMBERED = 2048  # records
MILLISECONDS_FROM = 10**11  # as seconds, a date in the year 5138
TEXT_BLOCKS = {None, "text", "Text", "input_text", "output_text"}

# Neither a lone half of a character pair nor a zero byte can be stored.
UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


def tell(talk: Talk, speaker: str, text: str, at: Any, *identity: Any) -> list[Turn]:
    """A turn, unless nothing is left of the text or the same record was told before."""
    said = _storable(unfenced(text)).strip()
    if not said or told_before(talk, *identity):
        return []
    talk.answered = speaker == "assistant"
    return [Turn(speaker, said, moment(at), talk.session, talk.cwd)]


def hear(talk: Talk, piece: str, at: Any) -> None:
    """A piece of what the assistant is saying."""
    talk.saying.append(piece)
    if talk.saying_at is None and isinstance(at, str | int | float):
        talk.saying_at = at


def tell_saying(talk: Talk) -> list[Turn]:
    """The pieces heard so far, as one turn of the assistant."""
    text, at = "".join(talk.saying), talk.saying_at
    talk.saying, talk.saying_at = [], None
    return tell(talk, "assistant", text, at)


def blocks(content: Any) -> list[Any]:
    """The blocks of a message, whose content may be plain text, one block or several."""
    if content is None:
        return []
    return content if isinstance(content, list) else [content]


def text_of(block: Any) -> str:
    """The text of a block; a tool's call or result, an image or a thought has none."""
    text = block.get("text") if isinstance(block, dict) and _is_text(block) else block
    return unfenced(text) if isinstance(text, str) else ""


def words(content: Any) -> str:
    return "\n".join(text for text in map(text_of, blocks(content)) if text)


def cut(text: str, tags: Iterable[str]) -> str:
    """The text without the elements of these names; one that is never closed is a person's own."""
    for tag in tags:
        if f"</{tag}>" in text:
            text = _cut_between(text, _opening(tag), re.compile(f"</{re.escape(tag)}>"))
    return text


def inside(text: str, tag: str) -> str | None:
    """What stands in the elements of this name, or None where there is none."""
    found, place = [], 0
    for opening in _opening(tag).finditer(text):
        if opening.start() < place:
            continue
        end = text.find(f"</{tag}>", opening.end())
        if end < 0:
            break
        found.append(text[opening.end() : end].strip())
        place = end
    return "\n\n".join(found) if found else None


def moment(given: Any) -> datetime | None:
    """A time as clients write it: ISO 8601, or seconds or milliseconds since 1970."""
    try:
        if isinstance(given, str):
            parsed = datetime.fromisoformat(given)
            return (parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)).astimezone(UTC)
        if isinstance(given, int | float) and not isinstance(given, bool):
            return datetime.fromtimestamp(given / 1000 if given > MILLISECONDS_FROM else given, UTC)
    except (ValueError, OverflowError, OSError):
        pass
    return None


def string(given: Any) -> str | None:
    """A name or a path, if it is one."""
    return _storable(given) if isinstance(given, str) and given else None


def told_before(talk: Talk, *identity: Any) -> bool:
    """Whether a record of this identity was met; if not, it is from now on. Without an identity none ever was."""
    if not identity or not isinstance(identity[0], str):
        return False
    whole = "\n".join(part for part in identity if isinstance(part, str))
    key = blake2b(whole.encode("utf-8", "replace"), digest_size=6).hexdigest()
    if key in talk.seen:
        return True
    talk.seen[key] = None
    if len(talk.seen) > REMEMBERED:
        del talk.seen[next(iter(talk.seen))]
    return False


def _cut_between(text: str, opening: re.Pattern[str], closing: re.Pattern[str]) -> str:
    """The text without what stands between; in one pass, as a pasted text may hold any number of openings."""
    kept, place = [], 0
    while (start := opening.search(text, place)) and (end := closing.search(text, start.end())):
        kept.append(text[place : start.start()])
        place = end.end()
    return "".join([*kept, text[place:]])


def _opening(tag: str) -> re.Pattern[str]:
    return re.compile(rf"<{re.escape(tag)}(?:\s[^<>]*)?>")


def _storable(text: str) -> str:
    if not UNSTORABLE.search(text):
        return text
    whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")  # joins halves that came in two pieces
    return whole.replace("\0", "\ufffd")


def _is_text(block: dict[str, Any]) -> bool:
    kind = block.get("type")
    return (kind is None or isinstance(kind, str)) and kind in TEXT_BLOCKS and not block.get("thought")
