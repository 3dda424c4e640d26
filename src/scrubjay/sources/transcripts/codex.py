"""Codex: `~/.codex/sessions/**/rollout-*.jsonl` (or `.zst`), and `codex exec --json`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from scrubjay.sources.transcripts.messages import (
    as_string,
    blocks,
    message_text,
    note,
    seen_before,
    text_of,
    to_summary,
    to_turns,
    without_tags,
)
from scrubjay.sources.transcripts.parser import ConversationState, Record, Turn

__all__ = ["Transcript"]

INJECTED = (
    "environment_context", "user_instructions", "turn_aborted", "user_shell_command", "subagent_notification",
    "codex_internal_context", "hook_prompt", "recommended_plugins",
)  # fmt: skip
WRITTEN_BY_THE_CLIENT = ("# AGENTS.md instructions", "<permissions instructions>", "<skill>", "<user_action>")
REQUEST = "## My request for Codex:"  # after what an editor says about its open files
CITATION = ("oai-mem-citation",)
TOOL_CALLS = {"function_call", "custom_tool_call", "local_shell_call"}
# In arguments that are JSON, a line ends with a written \n.
PATCHED = re.compile(r"\*\*\* (?:Add|Update|Delete) File: ([^\n\\]{1,500})")
AGENT_SOURCES = {"subagent", "internal", "memory_consolidation", "guardian_review"}


class Transcript:
    def __init__(self, state: ConversationState) -> None:
        self.state = state

    def read(self, record: Record) -> Iterable[Turn]:
        payload = record.get("payload")
        match record.get("type"):
            case "session_meta" if isinstance(payload, dict):
                self._begin(payload)
            case "turn_context" if isinstance(payload, dict):
                self.state.cwd = as_string(payload.get("cwd")) or self.state.cwd
            case "response_item" if isinstance(payload, dict) and payload.get("type") == "message":
                return self._message(payload, record.get("timestamp"))
            case "response_item" if isinstance(payload, dict):
                self._note_tool(payload)
            case "compacted" if isinstance(payload, dict) and isinstance(payload.get("message"), str):
                return to_summary(self.state, payload["message"], record.get("timestamp"), record.get("timestamp"))
            case "message":  # until 2025 the payload was the record
                return self._message(record, record.get("timestamp"))
            case None if "instructions" in record:
                self.state.session = as_string(record.get("id"))
            case "thread.started":
                self.state.session = as_string(record.get("thread_id")) or self.state.session
            case "item.completed":
                return self._printed(record.get("item"))
        return []

    def end(self) -> Iterable[Turn]:
        return []

    def _begin(self, payload: Record) -> None:
        if self.state.session is None:  # a fork begins with a copy of its origin's lines, including this one
            self.state.session = as_string(payload.get("id"))
            self.state.cwd = as_string(payload.get("cwd"))
            self.state.aside = _started_by_agent(payload.get("source")) or _started_by_agent(
                payload.get("thread_source")
            )

    def _note_tool(self, payload: Record) -> None:
        """Count a tool's call, and note the files that a patch changes."""
        kind = payload.get("type")
        if not isinstance(kind, str) or kind not in TOOL_CALLS or self.state.aside:
            return
        if not seen_before(self.state, payload.get("call_id"), "tool"):
            patch = as_string(payload.get("input")) or as_string(payload.get("arguments")) or ""
            note(self.state, tool_calls=1, files=(found.strip() for found in PATCHED.findall(patch)))

    def _message(self, payload: Record, at: Any) -> list[Turn]:
        if self.state.aside:
            return []
        role = payload.get("role")
        passed = payload.get("internal_chat_message_metadata_passthrough")
        passed = passed if isinstance(passed, dict) else {}
        identity = payload.get("id") or at, passed.get("turn_id"), role
        if role == "user":
            return to_turns(self.state, "user", _typed(payload, passed.get("content_item_kinds")), at, *identity)
        if role == "assistant":
            return to_turns(
                self.state, "assistant", without_tags(message_text(payload.get("content")), CITATION), at, *identity
            )
        return []

    def _printed(self, item: Any) -> list[Turn]:
        if not isinstance(item, dict) or item.get("type") != "agent_message":
            return []
        text = item.get("text")
        return to_turns(self.state, "assistant", text if isinstance(text, str) else "", None)


def _started_by_agent(source: Any) -> bool:
    """Whether an agent, not a person, started this; the source is a word, or an object with that word as a key."""
    return bool(AGENT_SOURCES & (source.keys() if isinstance(source, dict) else {as_string(source)}))


def _typed(payload: Record, kinds: Any) -> str:
    """Of the blocks with the role user, those that the user typed; since 2026 each block has a kind."""
    content = blocks(payload.get("content"))
    if isinstance(kinds, list) and len(kinds) == len(content):
        texts = [text_of(block) for block, kind in zip(content, kinds, strict=True) if kind == "user.text"]
    else:
        texts = [_without_injected(text_of(block)) for block in content]
    return "\n".join(filter(None, texts)).split(REQUEST, 1)[-1]


def _without_injected(text: str) -> str:
    if text.lstrip().startswith(WRITTEN_BY_THE_CLIENT):
        return ""
    return without_tags(text, INJECTED)
