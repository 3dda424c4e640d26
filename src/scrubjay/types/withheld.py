"""What is withheld from every answer: texts that hold a secret, and private parts that are not closed yet."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

__all__ = ["PrivatePart", "Withheld"]


class PrivatePart(NamedTuple):
    """In how many private parts a conversation is, and the position of the turn that opened the first, if given."""

    depth: int = 0
    position: int | None = None


class Withheld(Protocol):
    """How a store keeps it."""

    def keep_secret(self, memory: int, text: str) -> None:
        """Keep the text of a memory as it is; the memory itself is redacted."""

    def secrets(self, spaces: Sequence[str]) -> dict[int, str]:
        """Such texts, by memory."""

    def private(self, space: str, session: str) -> PrivatePart: ...

    def put_private(self, space: str, session: str, part: PrivatePart) -> None: ...
