"""Transcripts of conversations, as clients write them, and the turns that were read from them."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from scrubjay import Scrubjay
from scrubjay.types import Memory

__all__ = ["BEGUN", "claude", "said", "sayings", "talk", "turns"]


BEGUN = datetime(2026, 5, 1, 10, tzinfo=UTC)


def said(number: int, text: str, session: str = "s1", speaker: str = "user", cwd: str = "/home/ann/garden") -> bytes:
    """A line as Claude Code writes it."""
    content: Any = text if speaker == "user" else [{"type": "text", "text": text}]
    record = {
        "type": speaker,
        "message": {"role": speaker, "content": content},
        "uuid": f"u-{number}",
        "timestamp": (BEGUN + timedelta(seconds=number)).isoformat(),
        "sessionId": session,
        "cwd": cwd,
    }
    return json.dumps(record).encode() + b"\n"


def sayings(*numbers: int) -> list[str]:
    return [f"Saying {number} of {'apples' if number % 2 else 'pears'}" for number in numbers]


def talk(count: int, session: str = "s1", first: int = 0) -> bytes:
    """Question and answer in turn."""
    numbers = range(first, first + count)
    speakers = ("user", "assistant")
    return b"".join(said(number, sayings(number)[0], session, speakers[number % 2]) for number in numbers)


def turns(jay: Scrubjay, session: str | None = None) -> list[Memory]:
    found = [turn for turn in jay.list(kinds=["turn"]) if session in (None, turn.session)]
    return sorted(found, key=lambda turn: (turn.session or "", turn.position or 0))


def claude(home: Path, *texts: str) -> Path:
    """A conversation where Claude Code would leave it."""
    path = home / ".claude" / "projects" / "-garden" / "talk.jsonl"
    path.parent.mkdir(parents=True)
    sides = ("user", "assistant")
    records = [
        {
            "type": sides[number % 2], "uuid": f"u{number}", "sessionId": "talk", "cwd": "/garden",
            "timestamp": f"2026-05-01T10:00:0{number}Z", "message": {"role": sides[number % 2], "content": text},
        }
        for number, text in enumerate(texts)
    ]  # fmt: skip
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path
