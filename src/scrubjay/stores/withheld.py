"""What is withheld from every answer: texts that hold a secret, and private parts that are not closed yet."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from scrubjay.stores.sqlite.engine import Connections
from scrubjay.types.withheld import PrivatePart

__all__ = ["Withheld"]

KEEP = "insert into secrets (memory, text) values (?, ?) on conflict (memory) do update set text = excluded.text"
SECRETS = """
    select s.memory, s.text from secrets s join memories m on m.id = s.memory
    where m.space in (select value from json_each(?)) order by s.memory
"""
PRIVATE = "select depth, position from private_parts where space = ? and session = ?"
OPENED = """
    insert into private_parts (space, session, depth, position) values (?, ?, ?, ?)
    on conflict (space, session) do update set depth = excluded.depth, position = excluded.position
"""
CLOSED = "delete from private_parts where space = ? and session = ?"


class Withheld:
    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    def keep_secret(self, memory: int, text: str) -> None:
        with self._connections.writing() as db:
            db.execute(KEEP, (memory, text))

    def secrets(self, spaces: Sequence[str]) -> dict[int, str]:
        with self._connections.reading() as db:
            rows: list[Any] = db.execute(SECRETS, (json.dumps(list(spaces)),)).fetchall()
            return dict(rows)

    def private(self, space: str, session: str) -> PrivatePart:
        with self._connections.reading() as db:
            row = db.execute(PRIVATE, (space, session)).fetchone()
            return PrivatePart(*row) if row else PrivatePart()

    def put_private(self, space: str, session: str, part: PrivatePart) -> None:
        with self._connections.writing() as db:
            if part.depth:
                db.execute(OPENED, (space, session, *part))
            else:
                db.execute(CLOSED, (space, session))
