"""Codex: `~/.codex/sessions/**/rollout-*.jsonl` (or `.zst`), and `codex exec --json`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from scrubjay.sources.transcripts.messages import blocks, cut, string, tell, text_of, words
from scrubjay.sources.transcripts.parser import Record, Talk, Turn

__all__ = ["Transcript"]

INJECTED = (
    "environment_context", "user_instructions", "turn_aborted", "user_shell_command", "subagent_notification",
    "codex_internal_context", "hook_prompt", "recommended_plugins",
)  # fmt: skip
WRITTEN_BY_THE_CLIENT = ("# AGENTS.md instructions", "<permissions instructions>", "<skill>", "<user_action>")
REQUEST = "## My request for Codex:"  # below what an editor tells about its open files
CITATION = ("oai-mem-citation",)
NOT_FROM_A_PERSON = {"subagent", "internal", "memory_consolidation", "guardian_review"}


class Transcript:
    def __init__(self, talk: Talk) -> None:
        self.talk = talk

    def read(self, record: Record) -> Iterable[Turn]:
        payload = record.get("payload")
        match record.get("type"):
            case "session_meta" if isinstance(payload, dict):
                self._begin(payload)
            case "turn_context" if isinstance(payload, dict):
                self.talk.cwd = string(payload.get("cwd")) or self.talk.cwd
            case "response_item" if isinstance(payload, dict) and payload.get("type") == "message":
                return self._message(payload, record.get("timestamp"))
            case "message":  # until 2025 the payload was the record
                return self._message(record, record.get("timestamp"))
            case None if "instructions" in record:
                self.talk.session = string(record.get("id"))
            case "thread.started":
                self.talk.session = string(record.get("thread_id")) or self.talk.session
            case "item.completed":
                return self._printed(record.get("item"))
        return []

    def end(self) -> Iterable[Turn]:
        return []

    def _begin(self, payload: Record) -> None:
        if self.talk.session is None:  # a fork goes on with a copy of its origin's lines, that line too
            self.talk.session = string(payload.get("id"))
            self.talk.cwd = string(payload.get("cwd"))
            self.talk.aside = _among_agents(payload.get("source")) or _among_agents(payload.get("thread_source"))

    def _message(self, payload: Record, at: Any) -> list[Turn]:
        if self.talk.aside:
            return []
        role = payload.get("role")
        passed = payload.get("internal_chat_message_metadata_passthrough")
        passed = passed if isinstance(passed, dict) else {}
        identity = payload.get("id") or at, passed.get("turn_id"), role
        if role == "user":
            return tell(self.talk, "user", _typed(payload, passed.get("content_item_kinds")), at, *identity)
        if role == "assistant":
            return tell(self.talk, "assistant", cut(words(payload.get("content")), CITATION), at, *identity)
        return []

    def _printed(self, item: Any) -> list[Turn]:
        if not isinstance(item, dict) or item.get("type") != "agent_message":
            return []
        said = item.get("text")
        return tell(self.talk, "assistant", said if isinstance(said, str) else "", None)


def _among_agents(source: Any) -> bool:
    """Whether an agent, not a person, began this: said as a word, or as a key with details."""
    return bool(NOT_FROM_A_PERSON & (source.keys() if isinstance(source, dict) else {string(source)}))


def _typed(payload: Record, kinds: Any) -> str:
    """Of the blocks in the user's name, those that the user typed; since 2026 each says what it is."""
    content = blocks(payload.get("content"))
    if isinstance(kinds, list) and len(kinds) == len(content):
        texts = [text_of(block) for block, kind in zip(content, kinds, strict=True) if kind == "user.text"]
    else:
        texts = [_own(text_of(block)) for block in content]
    return "\n".join(filter(None, texts)).split(REQUEST, 1)[-1]


def _own(text: str) -> str:
    if text.lstrip().startswith(WRITTEN_BY_THE_CLIENT):
        return ""
    return cut(text, INJECTED)
