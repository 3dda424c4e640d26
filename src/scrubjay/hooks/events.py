"""What clients send to their hooks, read into one form, and answers in each client's own words.

Clients name the same few events differently; an unknown one is left alone. To add a client's event: `MEANINGS`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from scrubjay.errors import Invalid
from scrubjay.sources.transcripts.messages import as_string, without_tags
from scrubjay.text.fence import unfenced
from scrubjay.text.secret_scan.quoting import quoted

__all__ = ["CLIENTS", "Meaning", "Request", "answer", "may_be_told", "meaning_of", "parse"]

Meaning = Literal["start", "prompt", "turns", "compacted", "end"]

CLIENTS = ("claude-code", "codex", "gemini", "cursor", "vscode", "windsurf", "opencode")
# The names of events without case, dots, dashes and underscores.
MEANINGS: dict[str, Meaning] = {
    "sessionstart": "start",
    "sessioncreated": "start",
    "userpromptsubmit": "prompt",
    "userpromptsubmitted": "prompt",
    "beforesubmitprompt": "prompt",
    "beforeagent": "prompt",
    "preuserprompt": "prompt",
    "chatmessage": "prompt",
    "stop": "turns",
    "afteragent": "turns",
    "afteragentresponse": "turns",
    "postcascaderesponse": "turns",
    "sessionidle": "turns",
    "precompact": "turns",
    "precompress": "turns",
    "postcompact": "compacted",
    "sessioncompacted": "compacted",
    "sessionend": "end",
    "sessiondeleted": "end",
}
NAMES = ("hook_event_name", "hookEventName", "agent_action_name", "event")
SESSIONS = ("session_id", "sessionId", "conversation_id", "trajectory_id", "sessionID")
ANSWERS = ("response", "text", "prompt_response", "last_assistant_message")
# These clients write no transcript that we read: what their events carry is all there is.
WITHOUT_TRANSCRIPT = ("windsurf", "opencode", "vscode")
INJECTED = ("hook_context", "session_context", "system-reminder")


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One event of a client."""

    client: str
    event: str  # as the client names it
    meaning: Meaning
    folder: str  # where the agent works
    session: str | None = None
    transcript: str | None = None
    prompt: str = ""
    summary: str = ""  # of what was compacted
    was_compacted: bool = False  # the agent no longer has what it was told before
    is_aside: bool = False  # an agent was started by an agent
    is_headless: bool = False  # no person is there
    turns: tuple[tuple[str, str], ...] = ()  # speaker and text, where there is no transcript


def parse(given: Mapping[str, str], sent: bytes) -> Request:
    """Read what `scrubjay hook` was given; raises Invalid for what is no event of a known client."""
    client = given["client"]
    if client not in CLIENTS:
        raise Invalid(f"There is no client {quoted(client)} with hooks; there are {', '.join(CLIENTS)}.")
    fields = _object(sent)
    event = _first(fields, NAMES) or given["event"]
    meaning = meaning_of(event)
    if meaning is None:
        raise Invalid(f"The event {quoted(event)} of {client} is of no use here.")
    return Request(
        client=client,
        event=event,
        meaning=meaning,
        folder=_folder(fields) or given["folder"],
        session=_first(fields, SESSIONS),
        transcript=None if client in WITHOUT_TRANSCRIPT else as_string(fields.get("transcript_path")),
        prompt=_prompt(fields),
        summary=as_string(fields.get("compact_summary")) or "",
        was_compacted=meaning == "start" and fields.get("source") in ("compact", "clear"),
        is_aside=bool(fields.get("agent_id")),
        is_headless=bool(given["headless"]),
        turns=_turns(client, meaning, fields),
    )


def meaning_of(event: str) -> Meaning | None:
    """What a client's event means; None for one that is of no use here."""
    return MEANINGS.get("".join(filter(str.isalnum, event)).lower())


def may_be_told(client: str, meaning: Meaning) -> bool:
    """Whether a client takes text from a hook at this event."""
    if client == "cursor":
        return meaning == "start"
    return client != "windsurf" and meaning in ("start", "prompt")


def answer(request: Request, text: str) -> str:
    """What to print, so that the client gives this text to its agent; nothing for an empty text."""
    if not text:
        return ""
    if request.client == "cursor":
        return json.dumps({"additional_context": text})
    return json.dumps({"hookSpecificOutput": {"hookEventName": request.event, "additionalContext": text}})


def _object(sent: bytes) -> dict[str, Any]:
    try:
        fields = json.loads(sent.decode("utf-8", "replace")) if sent else {}
    except (ValueError, RecursionError):
        raise Invalid("What the client sent is not JSON.") from None
    if not isinstance(fields, dict):
        raise Invalid("What the client sent is not a JSON object.")
    return fields


def _first(fields: Mapping[str, Any], names: Sequence[str]) -> str | None:
    return next((found for name in names if (found := as_string(fields.get(name)))), None)


def _folder(fields: Mapping[str, Any]) -> str | None:
    roots = fields.get("workspace_roots")
    first = roots[0] if isinstance(roots, list) and roots else None
    return as_string(fields.get("cwd")) or as_string(first)


def _details(fields: Mapping[str, Any]) -> Mapping[str, Any]:
    details = fields.get("tool_info")
    return details if isinstance(details, dict) else fields


def _prompt(fields: Mapping[str, Any]) -> str:
    """What the user typed, without what hooks have added to it before."""
    typed = _first(_details(fields), ("prompt", "user_prompt"))
    return unfenced(without_tags(typed, INJECTED)).strip() if typed else ""


def _turns(client: str, meaning: Meaning, fields: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    if client not in WITHOUT_TRANSCRIPT and not (client == "cursor" and not fields.get("transcript_path")):
        return ()
    if meaning == "prompt":
        return (("user", _prompt(fields)),) if _prompt(fields) else ()
    answered = _first(_details(fields), ANSWERS) if meaning == "turns" else None
    return (("assistant", answered),) if answered else ()
