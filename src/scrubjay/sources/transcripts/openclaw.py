"""OpenClaw and Gimli: `agents/*/sessions/*.jsonl`, and `openclaw agent --json`.

A transcript is a tree of entries; they are told in the order of writing, whichever branch was left.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from scrubjay.sources.transcripts.messages import blocks, cut, string, tell, told_before, words
from scrubjay.sources.transcripts.parser import Record, Talk, Turn

__all__ = ["Transcript"]

INJECTED = ("system-reminder", "relevant-memories", "relevant_memories")
# A chat's message comes with facts about the chat, its sender and what it replies to.
# None of these reads beyond where the next one could begin: the time must grow with the length, not its square.
ABOUT = re.compile(
    r"^[^\n]{1,80}\(untrusted[^)\n]*\):\s*+```json(?:(?!\n```|\(untrusted).){0,20000}+\n```\s*+",
    re.DOTALL | re.MULTILINE,
)
EVENT = re.compile(r"^System: \[[^\]\n]*\][^\n]*\n?", re.MULTILINE)
MESSAGE_ID = re.compile(r"^\[message_id: [^\]\n]*\]\s*", re.MULTILINE)
STAMP = re.compile(r"^\[[^\]\n]{0,120}\d{4}-\d\d-\d\d[^\]\n]{0,60}\]\s*")
WRITTEN_BY_THE_GATEWAY = ("A new session was started via /new or /reset.", "Read HEARTBEAT.md")
DIRECTIVE = re.compile(r"\[\[\s*(?:reply_to|audio_as_voice)[^\[\]\n]*\]\]\s*")
MIRROR = "delivery-mirror"  # in place of a model: a copy of what was delivered, often of an answer just written
SILENT = {"NO_REPLY", "HEARTBEAT_OK"}


class Transcript:
    def __init__(self, talk: Talk) -> None:
        self.talk = talk

    def read(self, record: Record) -> Iterable[Turn]:
        if record.get("type") == "session":
            self.talk.session = string(record.get("id")) or self.talk.session
            self.talk.cwd = string(record.get("cwd")) or self.talk.cwd
        message = record.get("message")
        if record.get("type") != "message" or not isinstance(message, dict):
            return self._printed(record)
        said, at = words(message.get("content")), record.get("timestamp") or message.get("timestamp")
        match message.get("role"):
            case "user":
                return tell(self.talk, "user", _typed(said), at, record.get("id"))
            case "assistant":
                return self._assistant(message, _answered(said), at, record.get("id"))
        return []

    def end(self) -> Iterable[Turn]:
        return []

    def _assistant(self, message: Record, said: str, at: Any, id: Any) -> list[Turn]:
        known = told_before(self.talk, "said", said)
        return [] if known and message.get("model") == MIRROR else tell(self.talk, "assistant", said, at, id)

    def _printed(self, record: Record) -> list[Turn]:
        result = record.get("result")
        printed = result if isinstance(result, dict) else record
        if record.get("type") is not None or not isinstance(printed.get("payloads"), list):
            return []
        answers = (_answered(words(payload)) for payload in blocks(printed["payloads"]))
        return [turn for answer in answers for turn in tell(self.talk, "assistant", answer, None)]


def _typed(text: str) -> str:
    text = MESSAGE_ID.sub("", EVENT.sub("", ABOUT.sub("", cut(text, INJECTED)))).strip()
    text = STAMP.sub("", text)
    return "" if text.startswith(WRITTEN_BY_THE_GATEWAY) else text


def _answered(text: str) -> str:
    text = DIRECTIVE.sub("", text).strip()
    return "" if text in SILENT else text
