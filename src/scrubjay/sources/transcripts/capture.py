"""Store a conversation that an agent client printed instead of writing a transcript."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from scrubjay.errors import Invalid
from scrubjay.memory.add import add_new, add_without_private
from scrubjay.memory.arguments import whole_text
from scrubjay.memory.view import View
from scrubjay.memory.withheld import PublicTurns, TextAndFields, open_parts
from scrubjay.sources import transcripts
from scrubjay.sources.transcripts import Turn
from scrubjay.sources.transcripts.reader import fields_of, project_of
from scrubjay.text.fence import unfenced
from scrubjay.types import Added, Filter, Memory, documents, trust

__all__ = ["capture", "capture_summary", "capture_turns"]


def capture(view: View, output: str | bytes, client: str, session: str | None) -> list[Added]:
    """Store the turns of a conversation that a client has printed, as stream-json or plain text."""
    now = view.clock()
    public = PublicTurns(view, _turns(view, output, client, session, now))
    memories = public.memories(lambda text, fields, before: _signed(view, text, fields, before))
    return add_without_private(view, public, _not_stored_yet(view, memories, now))


def capture_turns(view: View, said: Sequence[tuple[str, str]], client: str, session: str) -> list[Added]:
    """Store what a client has told of a conversation, as speakers and texts; each call appends."""
    fields = {"session": session, "source": f"session:{session}", "happened_at": view.clock()}
    turns = [Turn(speaker, unfenced(text), None, session, None) for speaker, text in said]
    public = PublicTurns(
        view, [(turn.text, {**fields, **fields_of(turn, client, view.project)}) for turn in turns if turn.text.strip()]
    )
    # A hook of this user's own client tells what the user typed.
    return add_without_private(view, public, public.memories(view.new_source_memory))


def capture_summary(view: View, text: str, client: str, session: str) -> None:
    """Store a client's own summary of a conversation that it has compacted, where no transcript has it.

    None while a private part is open, which it would tell.
    """
    if open_parts(view, session):
        return
    fields = {"kind": "summary", "session": session, "source": f"session:{session}", "trust": "external"}
    add_new(view, [view.new_source_memory(text, {**fields, "client": client, "project": view.project})])
    view.store.sessions.note_summary(view.space, view.session_name(session))


def _signed(view: View, text: str, fields: Mapping[str, Any], said_before: Sequence[str]) -> Memory:
    """A turn, not stored yet, with the caller's name and at most its trust: nobody speaks for the user but the user."""
    most = trust.lower(fields["trust"], view.trust)
    return view.new_source_memory(text, {**fields, "actor": view.actor, "trust": most}, said_before)


def _turns(
    view: View, output: str | bytes, client: str, session: str | None, now: datetime
) -> list[TextAndFields]:  # fmt: skip
    """The turns in the output; without a session name, they get a new session."""
    data = output if isinstance(output, bytes) else whole_text("output", output).encode()
    conversation = transcripts.captured(data, client)
    if not conversation.turns:
        raise Invalid("There is no conversation in this; give the output of the client, e.g. its stream-json.")
    session_name = session or os.urandom(6).hex()
    defaults = {"session": session_name, "source": f"session:{session_name}", "happened_at": now}
    chosen = {"session": session, "source": f"session:{session}"} if session else {}
    folders = {turn.cwd for turn in conversation.turns}
    projects = {cwd: view.project if view.is_remote else project_of(cwd) for cwd in folders}
    return [
        (turn.text, {**defaults, **fields_of(turn, client, projects[turn.cwd]), **chosen})
        for turn in conversation.turns
    ]


def _not_stored_yet(view: View, turns: Sequence[Memory], now: datetime) -> list[Memory]:
    """The turns that are new: the client may have written them to a transcript that was synced, or send them again."""
    known: list[Memory] = []
    for session in {turn.session for turn in turns}:
        filter = Filter(spaces=(view.space,), now=now, session=session, kinds=("turn",), include_superseded=True)
        known += view.store.memories.newest(filter, None)
    return documents.not_yet_stored(view.store.documents.not_deleted(view.space, turns, now), known)
