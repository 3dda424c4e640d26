"""What is withheld from every answer: private parts of conversations, and texts that are kept with their secret."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from scrubjay.memory.view import View
from scrubjay.stores import Stored
from scrubjay.stores.agents.withheld import PrivatePart
from scrubjay.text.secret_scan.private_tags import public_message, public_part, without_private
from scrubjay.text.secret_scan.scan import SHORT_CHARACTERS
from scrubjay.types import Added, Memory

__all__ = ["PublicTurns", "Secret", "TextAndFields", "last_said", "open_parts", "said_publicly", "secrets"]

TextAndFields = tuple[str, Mapping[str, Any]]

LAST_TURNS = 3
OTHER_SECRET = "Memory {} held another secret under the same words; this one has taken its place."


def secrets(view: View) -> list[Memory]:
    """Memories that were added with `allow_secret`, with their texts as they were given."""
    texts = view.store.withheld.secrets([view.space])
    found = view.store.memories.get(list(texts), [view.space], view.clock())
    return [replace(found[id], text=text) for id, text in texts.items() if id in found]


def open_parts(view: View, session: str) -> int:
    """How many <private> tags are open in a conversation whose turns were given to us one by one."""
    return view.store.withheld.private(view.space, view.session_name(session)).depth


def said_publicly(view: View, message: str, session: str) -> str:
    """What may be looked up of a message: a private part that its conversation has opened goes on in it."""
    return public_message(message, open_parts(view, session))


class Secret:
    """A text with its secret, as it was given. It is kept where no answer and no log has it."""

    def __init__(self, view: View, given: str) -> None:
        self._view = view
        self._text = self._before = without_private(given)

    def keep(self, stored: Sequence[Stored]) -> None:
        withheld, id = self._view.store.withheld, stored[0].memory.id
        self._before = withheld.secrets([self._view.space]).get(id, self._text)
        withheld.keep_secret(id, self._view.space, self._text)

    def noted(self, added: Added) -> Added:
        """Say so if the memory was kept with another secret before."""
        if self._before == self._text:
            return added
        return replace(added, notes=(*added.notes, OTHER_SECRET.format(added.memory.id)))


def last_said(view: View, text: Any, session: Any) -> list[str]:
    """The last turns of a conversation that goes on, in order; only a short text can be an answer to one of them.

    Several, as the turn itself may be stored already, and is sent again.
    """
    if not isinstance(session, str) or not isinstance(text, str) or len(text) > SHORT_CHARACTERS:
        return []
    of_session = view.filter({"session": view.session_name(session), "kinds": ["turn"]})
    return [turn.text for turn in reversed(view.store.memories.newest(of_session, LAST_TURNS))]


class PublicTurns:
    """The turns of conversations without what is private in them.

    A <private> that one turn opens lasts until a later turn closes it, even if that comes in a later call: the store
    remembers the private parts that are open.
    """

    def __init__(self, view: View, turns: Iterable[TextAndFields]) -> None:
        self.kept: list[TextAndFields] = []  # the turns of which something may be stored
        self._view = view
        self._before: dict[str, PrivatePart] = {}  # by session
        self._after: dict[str, PrivatePart] = {}
        for text, fields in turns:
            if isinstance(text, str):
                self._take(text, fields)
            else:
                self.kept.append((text, fields))  # it will be refused as no text

    def _take(self, text: str, fields: Mapping[str, Any]) -> None:
        session, position = self._view.session_name(fields["session"]), fields.get("position")
        part = self._part(session, position)
        public, depth = public_part(text, part.depth)
        self._after[session] = PrivatePart(depth, (part.position if part.depth else position) if depth else None)
        if public.strip() or not text.strip():
            self.kept.append((public, fields))

    def _part(self, session: str, position: Any) -> PrivatePart:
        if session not in self._after:
            part = self._view.store.withheld.private(self._view.space, session)
            again = isinstance(position, int) and part.position is not None and position <= part.position
            self._before[session], self._after[session] = part, PrivatePart() if again else part
        return self._after[session]

    def memories(self, make: Callable[[str, Mapping[str, Any], Sequence[str]], Memory]) -> list[Memory]:
        """What is made of each turn: its text, its fields, and what was said before it, which may tell a secret."""
        made, said = [], dict[str, list[str]]()
        for text, fields in self.kept:
            session = fields.get("session", "")
            before = said.get(session) or last_said(self._view, text, session)
            made.append(make(text, fields, before))
            said[session] = [*before, text][-LAST_TURNS:]  # as many as if each turn came by itself
        return made

    def note(self, _: Sequence[Stored]) -> None:
        """Remember which private parts are open now. Call this in the transaction that stores the turns."""
        for session, part in self._after.items():
            if part != self._before[session]:
                self._view.store.withheld.put_private(self._view.space, session, part)
