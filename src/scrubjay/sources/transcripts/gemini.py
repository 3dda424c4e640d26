"""Gemini CLI: `~/.gemini/tmp/*/chats/session-*.jsonl` (once `.json`), and `--output-format stream-json` (or json)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from scrubjay.sources.transcripts.messages import cut, hear, string, tell, tell_saying, words
from scrubjay.sources.transcripts.parser import Record, Talk, Turn

__all__ = ["Transcript"]

INJECTED = ("session_context", "hook_context", "state_snapshot", "system-reminder")
REFERENCED = "--- Content from referenced files ---"
WORKSPACE = re.compile(r"\*\*Workspace Directories:\*\*[^\S\n]*+\n\s*+- (.+)")
COMMAND = re.compile(r"[/?][\w:-]*")
SPEAKERS = {"user": "user", "gemini": "assistant"}


class Transcript:
    def __init__(self, talk: Talk) -> None:
        self.talk = talk

    def read(self, record: Record) -> Iterable[Turn]:
        self.talk.session = string(record.get("sessionId")) or string(record.get("session_id")) or self.talk.session
        if "sessionId" in record and record.get("kind") == "subagent":
            self.talk.aside = True
        if self.talk.aside:
            return []
        if "$set" in record:
            return self._patch(record["$set"])
        if isinstance(record.get("messages"), list):  # the whole session, as it was written until 2026
            return [
                turn for message in record["messages"] if isinstance(message, dict) for turn in self._message(message)
            ]
        if "id" in record:
            return self._message(record)
        return self._printed(record)

    def end(self) -> Iterable[Turn]:
        return tell_saying(self.talk)

    def _patch(self, change: Any) -> list[Turn]:
        """History as it is sent from here on: each message in it was written before, or is a summary of some."""
        messages = change.get("messages") if isinstance(change, dict) else None
        for message in messages if isinstance(messages, list) else []:
            found = WORKSPACE.search(words(message.get("content"))) if isinstance(message, dict) else None
            if found and not self.talk.cwd:
                self.talk.cwd = string(found[1].strip())
        return []

    def _message(self, message: Record) -> list[Turn]:
        kind = message.get("type")
        speaker = SPEAKERS.get(kind) if isinstance(kind, str) else None
        if speaker is None:
            return []
        said = words(message.get("displayContent")) or words(message.get("content"))
        if speaker == "user":
            said = _typed(said)
        whole = tell(self.talk, speaker, said, message.get("timestamp"), message.get("id"))
        return [*tell_saying(self.talk), *whole]

    def _printed(self, record: Record) -> list[Turn]:
        match record.get("type"):
            case "message":
                return self._said(record)
            case "tool_use" | "result":
                return tell_saying(self.talk)
            case None if isinstance(record.get("response"), str):
                return [*tell_saying(self.talk), *tell(self.talk, "assistant", record["response"], None)]
        return []

    def _said(self, record: Record) -> list[Turn]:
        content, at = words(record.get("content")), record.get("timestamp")
        if record.get("role") == "user":
            return [*tell_saying(self.talk), *tell(self.talk, "user", _typed(content), at)]
        if record.get("role") != "assistant":
            return []
        if not record.get("delta"):
            return [*tell_saying(self.talk), *tell(self.talk, "assistant", content, at)]
        hear(self.talk, content, at)
        return []


def _typed(text: str) -> str:
    """A person's words, without files pulled in by `@`; a command alone is a push of a button."""
    text = cut(text, INJECTED).split(REFERENCED, 1)[0].strip()
    return "" if COMMAND.fullmatch(text) else text
