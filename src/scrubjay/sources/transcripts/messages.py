"""The text of a message: taken from its blocks, without what clients and Scrubjay have added around it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from hashlib import blake2b
from typing import Any

from scrubjay.sources.transcripts.parser import ConversationState, Turn
from scrubjay.text.fence import unfenced
from scrubjay.text.secret_scan import redact
from scrubjay.text.secret_scan.private_tags import public_message
from scrubjay.types.documents import SessionNotes

__all__ = [
    "add_piece",
    "as_string",
    "blocks",
    "finish_pieces",
    "forget_text",
    "knows_text",
    "message_text",
    "note",
    "parse_time",
    "remember_text",
    "seen_before",
    "tag_content",
    "text_of",
    "to_summary",
    "to_turns",
    "without_tags",
]

MAX_SEEN = 2048  # records
MAX_FILES = 500  # that are noted of one reading
TITLE_CHARACTERS = 5_000  # at first: it is cut to its length only after its secrets were redacted
NAME_CHARACTERS = 4_096  # no file has a longer one
MILLISECONDS_FROM = 10**11  # a larger number is milliseconds: as seconds it would be after the year 5138
TEXT_BLOCKS = {None, "text", "Text", "input_text", "output_text"}

# Neither a lone surrogate nor a zero byte can be stored.
UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


def to_turns(state: ConversationState, speaker: str, text: str, at: Any, *identity: Any) -> list[Turn]:
    """One turn; none if no text is left, or if the same record was read before."""
    clean = _storable(unfenced(text)).strip()
    if not clean or seen_before(state, *identity):
        return []
    state.answered = speaker == "assistant"
    return [Turn(speaker, clean, parse_time(at), state.session, state.cwd, headless=state.headless)]


def to_summary(state: ConversationState, text: str, at: Any, *identity: Any) -> list[Turn]:
    """The client's own summary of what it has compacted; none if it was read before."""
    clean = _storable(unfenced(text)).strip()
    if not clean or seen_before(state, *identity):
        return []
    return [Turn("assistant", clean, parse_time(at), state.session, state.cwd, "summary")]


def note(
    state: ConversationState, *, title: str | None = None, tool_calls: int = 0, files: Iterable[str] = (),
    links: Iterable[str] = (),
) -> None:  # fmt: skip
    """Keep what a record tells about the session."""
    if state.session is None:
        return
    known = state.notes.get(state.session) or SessionNotes(session=state.session)
    state.notes[state.session] = SessionNotes(
        session=state.session,
        title=title[:TITLE_CHARACTERS] if title else known.title,
        tool_calls=known.tool_calls + tool_calls,
        files=_names(known.files, files),
        links=_names(known.links, links),
        folders=_names(known.folders, filter(None, [state.cwd])),
    )


def _names(known: Iterable[str], more: Iterable[str]) -> tuple[str, ...]:
    fitting = (name for name in more if len(name) <= NAME_CHARACTERS)
    return tuple(dict.fromkeys((*known, *fitting)))[:MAX_FILES]


def add_piece(state: ConversationState, piece: str, at: Any) -> None:
    """Keep a piece of an answer that is not complete yet."""
    state.pieces.append(piece)
    if state.pieces_at is None and isinstance(at, str | int | float):
        state.pieces_at = at


def finish_pieces(state: ConversationState) -> list[Turn]:
    """The pieces kept so far, as one turn of the assistant."""
    text, at = "".join(state.pieces), state.pieces_at
    state.pieces, state.pieces_at = [], None
    return to_turns(state, "assistant", text, at)


def blocks(content: Any) -> list[Any]:
    """The blocks of a message, whose content may be plain text, one block or several."""
    if content is None:
        return []
    return content if isinstance(content, list) else [content]


def text_of(block: Any) -> str:
    """The text of a block; empty for a tool's call or result, an image or a thought."""
    text = block.get("text") if isinstance(block, dict) and _is_text(block) else block
    return unfenced(text) if isinstance(text, str) else ""


def message_text(content: Any) -> str:
    return "\n".join(text for text in map(text_of, blocks(content)) if text)


def without_tags(text: str, tags: Iterable[str]) -> str:
    """The text without the elements of these names; a tag that is never closed was typed by the user, and stays."""
    for tag in tags:
        if f"</{tag}>" in text:
            text = _cut_between(text, _opening(tag), re.compile(f"</{re.escape(tag)}>"))
    return text


def tag_content(text: str, tag: str) -> str | None:
    """The text inside the elements of this name; None if there are none."""
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


def parse_time(given: Any) -> datetime | None:
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


def as_string(given: Any) -> str | None:
    """A name or a path as storable text; None if it is empty or not a string."""
    return _storable(given) if isinstance(given, str) and given else None


def seen_before(state: ConversationState, *identity: Any) -> bool:
    """Whether a record of this identity was read before; it is remembered. Without an identity: never."""
    if not identity or not isinstance(identity[0], str):
        return False
    key = _key(state, identity)
    if key in state.seen:
        return True
    state.seen[key] = None
    if len(state.seen) > MAX_SEEN:
        del state.seen[next(iter(state.seen))]
    return False


def remember_text(state: ConversationState, what: str, text: str) -> None:
    """Remember that this was said, by a hash of which nothing secret or private can be guessed."""
    seen_before(state, what, _length(text) if state.private else _public(text))


def knows_text(state: ConversationState, what: str, text: str) -> bool:
    return any(_key(state, (what, form)) in state.seen for form in _forms(text))


def forget_text(state: ConversationState, what: str, text: str) -> bool:
    """Whether this text was remembered; it is no longer."""
    for form in _forms(text):
        if (key := _key(state, (what, form))) in state.seen:
            del state.seen[key]
            return True
    return False


def _forms(text: str) -> Iterator[str]:
    """As what a text may have been remembered, whether it was said in a private part or not."""
    yield text  # older versions did not redact it
    yield _length(text)
    yield _public(text)


def _length(text: str) -> str:
    return f"{len(text)} characters"


def _public(text: str) -> str:
    return redact(public_message(text, 0))


def _key(state: ConversationState, identity: Iterable[Any]) -> str:
    whole = "\n".join(part for part in identity if isinstance(part, str))
    return state.keyed(blake2b(whole.encode("utf-8", "replace"), digest_size=6).hexdigest())


def _cut_between(text: str, opening: re.Pattern[str], closing: re.Pattern[str]) -> str:
    """The text without what is between the two; in one pass, because a pasted text may have any number of openings."""
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
    whole = text.encode("utf-16", "surrogatepass").decode(
        "utf-16", "replace"
    )  # joins surrogates that came in two pieces
    return whole.replace("\0", "\ufffd")


def _is_text(block: dict[str, Any]) -> bool:
    kind = block.get("type")
    return (kind is None or isinstance(kind, str)) and kind in TEXT_BLOCKS and not block.get("thought")
