"""OpenClaw and Gimli: `agents/*/sessions/*.jsonl`, and `openclaw agent --json`.

A transcript is a tree of entries; all of its branches are read, in the order of writing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from scrubjay.sources.transcripts.messages import (
    as_string,
    blocks,
    knows_text,
    message_text,
    remember_text,
    to_turns,
    without_tags,
)
from scrubjay.sources.transcripts.parser import ConversationState, Record, Turn

__all__ = ["Transcript"]

INJECTED = ("system-reminder", "relevant-memories", "relevant_memories")
# A chat's message comes with facts about the chat, its sender and what it replies to.
# No match reads beyond where the next one could begin, so that the time stays linear in the length.
ABOUT = re.compile(
    r"^[^\n]{1,80}\(untrusted[^)\n]*\):\s*+```json(?:(?!\n```|\(untrusted).){0,20000}+\n```\s*+",
    re.DOTALL | re.MULTILINE,
)
EVENT = re.compile(r"^System: \[[^\]\n]*\][^\n]*\n?", re.MULTILINE)
MESSAGE_ID = re.compile(r"^\[message_id: [^\]\n]*\]\s*", re.MULTILINE)
STAMP = re.compile(r"^\[[^\]\n]{0,120}\d{4}-\d\d-\d\d[^\]\n]{0,60}\]\s*")
WRITTEN_BY_THE_GATEWAY = ("A new session was started via /new or /reset.", "Read HEARTBEAT.md")
DIRECTIVE = re.compile(r"\[\[\s*(?:reply_to|audio_as_voice)[^\[\]\n]*\]\]\s*")
MIRROR = "delivery-mirror"  # as the model: a copy of what was delivered, often of the answer before
SILENT = {"NO_REPLY", "HEARTBEAT_OK"}


class Transcript:
    def __init__(self, state: ConversationState) -> None:
        self.state = state

    def read(self, record: Record) -> Iterable[Turn]:
        if record.get("type") == "session":
            self.state.session = as_string(record.get("id")) or self.state.session
            self.state.cwd = as_string(record.get("cwd")) or self.state.cwd
        message = record.get("message")
        if record.get("type") != "message" or not isinstance(message, dict):
            return self._printed(record)
        text, at = message_text(message.get("content")), record.get("timestamp") or message.get("timestamp")
        match message.get("role"):
            case "user":
                return to_turns(self.state, "user", _typed(text), at, record.get("id"))
            case "assistant":
                return self._assistant(message, _answer(text), at, record.get("id"))
        return []

    def end(self) -> Iterable[Turn]:
        return []

    def _assistant(self, message: Record, text: str, at: Any, id: Any) -> list[Turn]:
        known = knows_text(self.state, "said", text)
        remember_text(self.state, "said", text)
        return [] if known and message.get("model") == MIRROR else to_turns(self.state, "assistant", text, at, id)

    def _printed(self, record: Record) -> list[Turn]:
        result = record.get("result")
        printed = result if isinstance(result, dict) else record
        if record.get("type") is not None or not isinstance(printed.get("payloads"), list):
            return []
        answers = (_answer(message_text(payload)) for payload in blocks(printed["payloads"]))
        return [turn for answer in answers for turn in to_turns(self.state, "assistant", answer, None)]


def _typed(text: str) -> str:
    text = MESSAGE_ID.sub("", EVENT.sub("", ABOUT.sub("", without_tags(text, INJECTED)))).strip()
    text = STAMP.sub("", text)
    return "" if text.startswith(WRITTEN_BY_THE_GATEWAY) else text


def _answer(text: str) -> str:
    text = DIRECTIVE.sub("", text).strip()
    return "" if text in SILENT else text
