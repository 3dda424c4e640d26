"""Gemini CLI: `~/.gemini/tmp/*/chats/session-*.jsonl` (once `.json`), and `--output-format stream-json` (or json)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from scrubjay.sources.transcripts.messages import (
    add_piece,
    as_string,
    finish_pieces,
    message_text,
    note,
    seen_before,
    to_turns,
    without_tags,
)
from scrubjay.sources.transcripts.parser import ConversationState, Record, Turn

__all__ = ["Transcript"]

INJECTED = ("session_context", "hook_context", "state_snapshot", "system-reminder")
REFERENCED = "--- Content from referenced files ---"
WORKSPACE = re.compile(r"\*\*Workspace Directories:\*\*[^\S\n]*+\n\s*+- (.+)")
COMMAND = re.compile(r"[/?][\w:-]*")
CHANGING_TOOLS = ("write_file", "replace")
SPEAKERS = {"user": "user", "gemini": "assistant"}


class Transcript:
    def __init__(self, state: ConversationState) -> None:
        self.state = state

    def read(self, record: Record) -> Iterable[Turn]:
        self.state.session = (
            as_string(record.get("sessionId")) or as_string(record.get("session_id")) or self.state.session
        )
        if "sessionId" in record and record.get("kind") == "subagent":
            self.state.aside = True
        if self.state.aside:
            return []
        if "$set" in record:
            return self._patch(record["$set"])
        if isinstance(record.get("messages"), list):  # the whole session in one object, as until 2026
            return [
                turn for message in record["messages"] if isinstance(message, dict) for turn in self._message(message)
            ]
        if "id" in record:
            return self._message(record)
        return self._printed(record)

    def end(self) -> Iterable[Turn]:
        return finish_pieces(self.state)

    def _patch(self, change: Any) -> list[Turn]:
        """The history sent to the model from here on: its messages are not new, or are summaries."""
        messages = change.get("messages") if isinstance(change, dict) else None
        for message in messages if isinstance(messages, list) else []:
            found = WORKSPACE.search(message_text(message.get("content"))) if isinstance(message, dict) else None
            if found and not self.state.cwd:
                self.state.cwd = as_string(found[1].strip())
        return []

    def _message(self, message: Record) -> list[Turn]:
        kind = message.get("type")
        speaker = SPEAKERS.get(kind) if isinstance(kind, str) else None
        if speaker is None:
            return []
        text = message_text(message.get("displayContent")) or message_text(message.get("content"))
        if speaker == "user":
            text = _typed(text)
        self._note_tools(message.get("toolCalls"))
        whole = to_turns(self.state, speaker, text, message.get("timestamp"), message.get("id"))
        return [*finish_pieces(self.state), *whole]

    def _note_tools(self, calls: Any) -> None:
        for call in calls if isinstance(calls, list) else ():
            if isinstance(call, dict) and not seen_before(self.state, call.get("id"), "tool"):
                given = call.get("args") if call.get("name") in CHANGING_TOOLS else None
                path = as_string(given.get("file_path")) if isinstance(given, dict) else None
                note(self.state, tool_calls=1, files=[path] if path else [])

    def _printed(self, record: Record) -> list[Turn]:
        match record.get("type"):
            case "message":
                return self._streamed(record)
            case "tool_use" | "result":
                return finish_pieces(self.state)
            case None if isinstance(record.get("response"), str):
                return [*finish_pieces(self.state), *to_turns(self.state, "assistant", record["response"], None)]
        return []

    def _streamed(self, record: Record) -> list[Turn]:
        content, at = message_text(record.get("content")), record.get("timestamp")
        if record.get("role") == "user":
            return [*finish_pieces(self.state), *to_turns(self.state, "user", _typed(content), at)]
        if record.get("role") != "assistant":
            return []
        if not record.get("delta"):
            return [*finish_pieces(self.state), *to_turns(self.state, "assistant", content, at)]
        add_piece(self.state, content, at)
        return []


def _typed(text: str) -> str:
    """What the user typed, without files included by `@`; a command without arguments is not kept."""
    text = without_tags(text, INJECTED).split(REFERENCED, 1)[0].strip()
    return "" if COMMAND.fullmatch(text) else text
