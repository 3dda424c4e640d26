"""What is withheld from every answer: texts that hold a secret, and private parts that are not closed yet."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from scrubjay.stores.agents.sessions import names_of
from scrubjay.stores.contract import Engine
from scrubjay.stores.deletions.tombstones import own_mark

__all__ = ["PrivatePart", "Withheld"]

KEEP = (
    "insert into secrets (memory, text) values (:memory, :text) on conflict (memory) do update set text = excluded.text"
)
SECRETS = """
    select s.memory, s.text from secrets s cross join memories m on m.id = s.memory
    where m.space in (:spaces) order by s.memory
"""
PRIVATE = "select depth, position from private_parts where space = :space and session in (:names)"
OPENED = """
    insert into private_parts (space, session, depth, position) values (:space, :session, :depth, :position)
"""
MARK_CHARACTERS = 12
CLOSED = "delete from private_parts where space = :space and session in (:names)"


class PrivatePart(NamedTuple):
    """How many <private> tags are open in a conversation, and the position of the turn that opened the first one."""

    depth: int = 0
    position: int | None = None


class Withheld:
    """Texts and parts of conversations that no answer has."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def keep_secret(self, memory: int, space: str, text: str) -> None:
        """Keep the text of a memory as it is; the memory itself is redacted."""
        with self._engine.writing([space]) as rows:
            rows.run(KEEP, memory=memory, text=text)

    def secrets(self, spaces: Sequence[str]) -> dict[int, str]:
        """Such texts, by memory."""
        with self._engine.reading(spaces) as rows:
            return dict(rows.all(SECRETS, spaces=list(spaces)))

    def mark(self, text: str) -> str:
        """A keyed hash: it tells one text from another, and tells neither."""
        with self._engine.reading(()) as rows:
            return own_mark(rows, text).hex()[:MARK_CHARACTERS]

    def private(self, space: str, session: str) -> PrivatePart:
        with self._engine.reading([space]) as rows:
            row = rows.one(PRIVATE, space=space, names=names_of(rows, session))
            return PrivatePart(*row) if row else PrivatePart()

    def put_private(self, space: str, session: str, part: PrivatePart) -> None:
        with self._engine.writing([space]) as rows:
            rows.run(CLOSED, space=space, names=names_of(rows, session))
            if part.depth:
                rows.run(OPENED, space=space, session=session, **part._asdict())
