"""Cursor: `~/.cursor/projects/*/agent-transcripts/*/*.jsonl`, and `cursor-agent -p --output-format stream-json`."""

from __future__ import annotations

from collections.abc import Iterable

from scrubjay.sources.transcripts.messages import (
    add_piece,
    as_string,
    finish_pieces,
    message_text,
    tag_content,
    to_turns,
    without_tags,
)
from scrubjay.sources.transcripts.parser import ConversationState, Record, Turn

__all__ = ["Transcript"]

INJECTED = (
    "system_reminder", "system-reminder", "attached_files", "open_and_recently_viewed_files", "additional_data",
)  # fmt: skip
WRITTEN_BY_THE_CLIENT = "<user_info>"
HIDDEN_THOUGHT = "[REDACTED]"


class Transcript:
    def __init__(self, state: ConversationState) -> None:
        self.state = state

    def read(self, record: Record) -> Iterable[Turn]:
        self.state.session = as_string(record.get("session_id")) or self.state.session
        self.state.cwd = as_string(record.get("cwd")) or self.state.cwd
        match record.get("type", record.get("role")):
            case "user":
                return [*finish_pieces(self.state), *to_turns(self.state, "user", _typed(_text(record)), None)]
            case "assistant" if "role" in record:
                whole = to_turns(self.state, "assistant", _text(record).replace(HIDDEN_THOUGHT, ""), None)
                return [*finish_pieces(self.state), *whole]
            case "assistant":
                return self._answer_piece(record)
            case "tool_call":
                return finish_pieces(self.state)
            case "result":
                return self._result(record)
        return []

    def end(self) -> Iterable[Turn]:
        return finish_pieces(self.state)

    def _answer_piece(self, record: Record) -> list[Turn]:
        """A piece has a time and no call id; the whole answer, which repeats the pieces, has a call id or no time."""
        text, at = _text(record), record.get("timestamp_ms")
        if at is not None and "model_call_id" not in record:
            self.state.partial = True
            add_piece(self.state, text, at)
            return []
        if self.state.partial:
            return finish_pieces(self.state)
        extends = text.startswith("".join(self.state.pieces))
        turns = [] if extends else finish_pieces(self.state)
        self.state.pieces = [text]
        return turns

    def _result(self, record: Record) -> list[Turn]:
        """The whole answer again; only needed if it was not printed before."""
        turns = finish_pieces(self.state)
        answer = record.get("result")
        if turns or self.state.answered or record.get("is_error") or not isinstance(answer, str):
            return turns
        return to_turns(self.state, "assistant", answer, None)


def _text(record: Record) -> str:
    message = record.get("message")
    return message_text(message.get("content") if isinstance(message, dict) else message)


def _typed(text: str) -> str:
    asked = tag_content(text, "user_query")
    if asked is not None:
        return asked
    return "" if text.lstrip().startswith(WRITTEN_BY_THE_CLIENT) else without_tags(text, INJECTED)
