"""A plugin for pytest: the Agents SDK's sessions in SQLite are ours, on the memory or the file that a test names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import agents.extensions.memory.encrypt_session  # keeps the SDK's own class, which it knows the inside of
import agents.memory.sqlite_session

import agents
import scrubjay
from scrubjay import Scrubjay
from scrubjay.adapters.openai_agents import ScrubjaySession

OPEN: dict[str, Scrubjay] = {}


def opened(place: str) -> Scrubjay:
    if place == ":memory:":
        return scrubjay.open(place, embedder="none")
    return OPEN.setdefault(place, OPEN.get(place) or scrubjay.open(place, embedder="none"))


class SwappedSession(ScrubjaySession):
    def __init__(self, session_id: str, db_path: str | Path = ":memory:", **options: Any) -> None:
        super().__init__(session_id, opened(str(db_path)), **options)
        self._place = str(db_path)

    def close(self) -> None:
        if self._place in OPEN:
            OPEN.pop(self._place).close()


for module in (agents, agents.memory, agents.memory.sqlite_session):
    module.SQLiteSession = SwappedSession  # type: ignore[attr-defined]
