"""Cursor: `~/.cursor/projects/*/agent-transcripts/*/*.jsonl`, and `cursor-agent -p --output-format stream-json`."""

from __future__ import annotations

from collections.abc import Iterable

from scrubjay.sources.transcripts.messages import cut, hear, inside, string, tell, tell_saying, words
from scrubjay.sources.transcripts.parser import Record, Talk, Turn

__all__ = ["Transcript"]

INJECTED = (
    "system_reminder", "system-reminder", "attached_files", "open_and_recently_viewed_files", "additional_data",
)  # fmt: skip
WRITTEN_BY_THE_CLIENT = "<user_info>"
HIDDEN_THOUGHT = "[REDACTED]"


class Transcript:
    def __init__(self, talk: Talk) -> None:
        self.talk = talk

    def read(self, record: Record) -> Iterable[Turn]:
        self.talk.session = string(record.get("session_id")) or self.talk.session
        self.talk.cwd = string(record.get("cwd")) or self.talk.cwd
        match record.get("type", record.get("role")):
            case "user":
                return [*tell_saying(self.talk), *tell(self.talk, "user", _typed(_text(record)), None)]
            case "assistant" if "role" in record:
                whole = tell(self.talk, "assistant", _text(record).replace(HIDDEN_THOUGHT, ""), None)
                return [*tell_saying(self.talk), *whole]
            case "assistant":
                return self._heard(record)
            case "tool_call":
                return tell_saying(self.talk)
            case "result":
                return self._result(record)
        return []

    def end(self) -> Iterable[Turn]:
        return tell_saying(self.talk)

    def _heard(self, record: Record) -> list[Turn]:
        """Pieces have a time and no call; what repeats them as a whole has a call, or no time."""
        text, at = _text(record), record.get("timestamp_ms")
        if at is not None and "model_call_id" not in record:
            self.talk.partial = True
            hear(self.talk, text, at)
            return []
        if self.talk.partial:
            return tell_saying(self.talk)
        grown = text.startswith("".join(self.talk.saying))
        told = [] if grown else tell_saying(self.talk)
        self.talk.saying = [text]
        return told

    def _result(self, record: Record) -> list[Turn]:
        """All that was answered, again: news only where nothing else was printed."""
        told = tell_saying(self.talk)
        said = record.get("result")
        if told or self.talk.answered or record.get("is_error") or not isinstance(said, str):
            return told
        return tell(self.talk, "assistant", said, None)


def _text(record: Record) -> str:
    message = record.get("message")
    return words(message.get("content") if isinstance(message, dict) else message)


def _typed(text: str) -> str:
    asked = inside(text, "user_query")
    if asked is not None:
        return asked
    return "" if text.lstrip().startswith(WRITTEN_BY_THE_CLIENT) else cut(text, INJECTED)
