"""Conversations from the account exports of ChatGPT and Claude: their turns, in order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from scrubjay.portable.formats.items import Item, brief, moment
from scrubjay.text.secret_scan.private_tags import public_parts

__all__ = ["read_conversations", "recognised"]

Conversations = Sequence[Mapping[str, Any]]
SPEAKERS = {"human": "user", "user": "user", "assistant": "assistant"}
MOST_TURNS = 100_000  # of one conversation


def recognised(data: Any) -> str | None:
    if not isinstance(data, list) or not data or not all(isinstance(one, Mapping) for one in data):
        return None
    if all(isinstance(one.get("mapping"), Mapping) for one in data):
        return "chatgpt"
    return "claude" if all(isinstance(one.get("chat_messages"), list) for one in data) else None


def read_conversations(data: Conversations, name: str) -> Iterator[Item]:
    for conversation in data:
        turns = [*(_chatgpt(conversation) if name == "chatgpt" else _claude(conversation))]
        public = public_parts([text for _, _, text, _ in turns])
        session = str(conversation.get("id") or conversation.get("conversation_id") or conversation.get("uuid") or "")
        hides = any(text != said for text, (_, _, said, _) in zip(public, turns, strict=True))
        title = "" if hides else str(conversation.get("title") or conversation.get("name") or "")  # it may tell it
        for position, ((key, speaker, _, at), text) in enumerate(zip(turns, public, strict=True)):
            if not text.strip():
                continue
            yield Item(
                key=f"{session}\0{key}",
                text=text,
                at=moment(at),
                session=brief(f"{name}:{session}"),
                speaker=speaker,
                position=position,
                fields={"metadata": {"conversation": brief(title)} if title else {}},
            )


def _chatgpt(conversation: Mapping[str, Any]) -> Iterator[tuple[str, str, str, Any]]:
    """The branch that was shown last, from its first message on."""
    nodes = conversation["mapping"]
    at, branch, seen = conversation.get("current_node"), [], set[str]()
    while isinstance(at, str) and at in nodes and at not in seen and len(seen) < MOST_TURNS:
        seen.add(at)
        node = nodes[at] if isinstance(nodes[at], Mapping) else {}
        branch.append((at, node.get("message")))
        at = node.get("parent")
    for key, message in reversed(branch):
        if isinstance(message, Mapping):
            author, content = message.get("author"), message.get("content")
            speaker = SPEAKERS.get(str(author.get("role"))) if isinstance(author, Mapping) else None
            parts = content.get("parts") if isinstance(content, Mapping) else None
            said = parts if isinstance(parts, list) else []
            text = "\n\n".join(part for part in said if isinstance(part, str) and part.strip())
            if speaker and text:
                yield key, speaker, text, message.get("create_time")


def _claude(conversation: Mapping[str, Any]) -> Iterator[tuple[str, str, str, Any]]:
    for number, message in enumerate(conversation["chat_messages"]):
        if isinstance(message, Mapping):
            speaker, text = SPEAKERS.get(str(message.get("sender"))), message.get("text")
            if speaker and isinstance(text, str) and text.strip():
                yield str(message.get("uuid") or number), speaker, text, message.get("created_at")
