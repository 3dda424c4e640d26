"""Private parts of a conversation: what one turn opens holds until a later turn closes it, be it in a later call."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from scrubjay.text.secret_scan import redact
from scrubjay.text.secret_scan.private_tags import public_part
from scrubjay.types import Added, Memory
from scrubjay.types.withheld import PrivatePart, Withheld

__all__ = ["Said", "add_public"]

Said = tuple[str, Mapping[str, Any]]


def add_public(
    withheld: Withheld,
    space: str,
    said: Iterable[Said],
    compose: Callable[[Sequence[Said]], Sequence[Memory]],
    add: Callable[[Sequence[Memory]], list[Added]],
) -> list[Added]:
    """Add turns without what is private in them and between them."""
    public = PublicTurns(withheld, space)
    memories = compose(public.take(said))
    public.note(opened=True)
    added = add(memories)
    public.note(opened=False)
    return added


@dataclass(slots=True)
class PublicTurns:
    """Takes turns of one space in order; `kept` are those of which something may be stored."""

    withheld: Withheld
    space: str
    kept: list[Said] = field(default_factory=list)
    _begun: dict[str, PrivatePart] = field(default_factory=dict)
    _now: dict[str, PrivatePart] = field(default_factory=dict)

    def take(self, said: Iterable[Said]) -> list[Said]:
        for text, fields in said:
            if isinstance(text, str):
                self._take(text, fields)
            else:
                self.kept.append((text, fields))  # refused by a sentence of its own
        return self.kept

    def _take(self, text: str, fields: Mapping[str, Any]) -> None:
        session, position = redact(str(fields["session"])), fields.get("position")
        part = self._part(session, position)
        public, depth = public_part(text, part.depth)
        self._now[session] = PrivatePart(depth, (part.position if part.depth else position) if depth else None)
        if public.strip() or not text.strip():
            self.kept.append((public, fields))

    def _part(self, session: str, position: Any) -> PrivatePart:
        if session not in self._now:
            part = self.withheld.private(self.space, session)
            again = isinstance(position, int) and part.position is not None and position <= part.position
            self._begun[session], self._now[session] = part, PrivatePart() if again else part
        return self._now[session]

    def note(self, opened: bool) -> None:
        """Remember private parts that were opened, before the turns are stored; those that were closed, after.

        So nothing private is stored, whenever the process is killed.
        """
        for session, part in self._now.items():
            if part != self._begun[session] and bool(part.depth) is opened:
                self.withheld.put_private(self.space, session, part)
