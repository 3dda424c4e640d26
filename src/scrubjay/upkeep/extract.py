"""Memories from conversations: found in what was said, checked, and stored like anything that an agent adds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from scrubjay.errors import BudgetSpent, GeneratorError, GeneratorUnavailable, Invalid, Unreadable
from scrubjay.memory.add import add_extracted
from scrubjay.memory.arguments import short_text
from scrubjay.memory.revise import confirm
from scrubjay.memory.view import View
from scrubjay.models.embedding import Progress
from scrubjay.models.generation import BudgetedGenerator, configured_generator
from scrubjay.text.plural import counted
from scrubjay.types import Added, Filter, Memory, trust
from scrubjay.types.memories import HEADLESS, PENDING
from scrubjay.upkeep.extract_prompt import Candidate, Found, by_model, by_rules

__all__ = ["Dropped", "Extracted", "extract"]

NOBODY_THERE = "a program asked, and no person was there"
MOST_REFUSALS = 3  # in a row, before any session was taken: then the sessions are not at fault


@dataclass(frozen=True, slots=True)
class Dropped:
    """Something that was extracted but not stored, and why."""

    text: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Extracted:
    """What an extraction found, and what became of it."""

    memories: tuple[Memory, ...] = ()  # stored, or with `dry_run` what would be: those have no id
    added: tuple[Added, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    sessions: int = 0  # that were read
    remaining: int = 0  # sessions that are not read yet
    tokens: int = 0
    extractor: str = ""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Limits:
    """How many memories a conversation gives, how sure each must be, and how short a conversation is skipped."""

    most: int
    min_confidence: float
    min_characters: int


def extract(
    view: View, text: str | None, session: str | None, *, again: bool = False, rules: bool = False,
    dry_run: bool = False, ended: bool = False, progress: Progress | None = None,
) -> Extracted:  # fmt: skip
    """Memories from a text, from a session, or else from all sessions that have something new, or `ended` with it."""
    if text is not None and session is not None:
        raise Invalid("Give extract a text or a session, not both.")
    session = None if session is None else short_text("session", session)
    with configured_generator(view.store.ledger, view.setting, view.clock) as writer:
        run = Extraction(view, writer, rules, dry_run)
        if text is not None:
            return run.of_text(text)
        return run.of_all(ended, progress) if session is None else run.of_session(session, again)


class Extraction:
    """Extracts memories from conversations of one space."""

    def __init__(self, view: View, writer: BudgetedGenerator, rules: bool, dry_run: bool) -> None:
        self._view = view
        self._ledger = view.store.ledger
        self._now = view.clock()
        self._limits = Limits(
            *(view.setting(f"extract.{name}") for name in ("most", "min_confidence", "min_characters"))
        )
        self._writer = writer
        self._by_rules = rules or not writer.spec
        self._dry_run = dry_run

    def of_text(self, text: str) -> Extracted:
        said = self._view.new_source_memory(text, {"kind": "turn", "speaker": "user"})
        return self._stored(self._extracted([said], "extract"), lambda: None)

    def of_session(self, session: str, again: bool = False) -> Extracted:
        """From the new turns of a session, or from all of them."""
        space = self._view.space
        self._view.store.sessions.get(space, session, self._view.clock())
        turns = self._turns(session, -1 if again else self._ledger.extracted_to(space, session))
        if not turns:
            return Extracted(extractor=self._name)
        found = self._extracted(turns, f"extract:{session}", session)
        done = self._stored(found, lambda: self._mark(session, turns, found.extractor))
        return replace(done, sessions=1)

    def of_all(self, ended: bool = False, progress: Progress | None = None) -> Extracted:
        """From all sessions that have something new, the oldest first; if stopped, the next call continues."""
        waiting = [name for name in self._ledger.unextracted(self._view.space) if not ended or self._has_ended(name)]
        done = Extracted(extractor=self._name)
        refused: dict[str, str] = {}
        for number, session in enumerate(waiting, start=1):
            try:
                done = _joined(done, self.of_session(session))
            except (GeneratorUnavailable, BudgetSpent) as problem:
                done = replace(done, notes=(*done.notes, str(problem)))
                break
            except GeneratorError as problem:
                refused[session] = str(problem)
                if not done.sessions and len(refused) == MOST_REFUSALS:
                    break
            if progress:
                progress(number, len(waiting))
        return self._ended(done, refused)

    def _ended(self, done: Extracted, refused: Mapping[str, str]) -> Extracted:
        """If the model took other sessions, those that it refused are not tried again; else the model is at fault."""
        if done.sessions:
            for session, reason in refused.items():
                if not self._dry_run:
                    self._mark(session, self._turns(session, -1), done.extractor)
                done = replace(done, dropped=(*done.dropped, Dropped(f"session {session}", reason)))
        elif refused:
            done = replace(done, notes=(*done.notes, *list(refused.values())[:1]))
        return replace(done, remaining=len(self._ledger.unextracted(self._view.space)))

    def _has_ended(self, session: str) -> bool:
        return self._view.store.sessions.get(self._view.space, session, self._now).ended_at is not None

    @property
    def _name(self) -> str:
        return "rules" if self._by_rules else str(self._writer.spec)

    def _turns(self, session: str, after: int) -> list[Memory]:
        said = Filter(spaces=(self._view.space,), now=self._now, session=session, kinds=("turn",))
        turns = [turn for turn in self._view.store.memories.newest(said, None) if (turn.position or 0) > after]
        return sorted(turns, key=lambda turn: (turn.position or 0, turn.id))

    def _mark(self, session: str, turns: Sequence[Memory], extractor: str) -> None:
        last = max(turn.position or 0 for turn in turns)
        self._ledger.mark_extracted(self._view.space, session, last, extractor, self._now)

    def _extracted(self, turns: Sequence[Memory], source: str, session: str | None = None) -> Extracted:
        said = [turn for turn in turns if HEADLESS not in turn.tags]
        size, least = sum(len(turn.text) for turn in said), self._limits.min_characters
        if size < least:
            why = f"shorter than {counted(least, 'character')}" if said else NOBODY_THERE
            return Extracted(dropped=(Dropped(turns[0].title, why),), extractor=self._name)
        try:
            found = self._find(said)
        except Unreadable as problem:
            return Extracted(dropped=(Dropped(turns[0].title, str(problem)),), extractor=self._name)
        memories, dropped = self._chosen(found, source, session)
        return Extracted(
            memories=tuple(memories),
            dropped=tuple(dropped),
            tokens=found.tokens,
            extractor=found.extractor,
            notes=found.notes,
        )

    def _stored(self, done: Extracted, mark: Callable[[], None]) -> Extracted:
        """What was extracted, stored unless it was known, together with the mark that says so."""
        if self._dry_run:
            return done
        stored = add_extracted(self._view, done.memories, mark)
        fresh = tuple(added for added in stored if added.created)
        self._confirm_repeated(done.memories, stored)
        pairs = zip(done.memories, stored, strict=True)
        known = [Dropped(memory.text, f"already known, as {one.memory.id}") for memory, one in pairs if not one.created]
        memories = tuple(added.memory for added in fresh)
        return replace(done, memories=memories, added=fresh, dropped=(*done.dropped, *known))

    def _confirm_repeated(self, found: Sequence[Memory], stored: Sequence[Added]) -> None:
        """What was learnt from another session, and is said again, is no misunderstanding."""
        for memory, added in zip(found, stored, strict=True):
            known = added.memory
            if not added.created and known.is_pending and memory.session not in (None, known.session):
                confirm(self._view, known.id)

    def _find(self, turns: Sequence[Memory]) -> Found:
        return by_rules(turns) if self._by_rules else by_model(turns, self._writer, self._limits.most)

    def _chosen(self, found: Found, source: str, session: str | None) -> tuple[list[Memory], list[Dropped]]:
        """The few of highest confidence that may be stored; of equals the later, because it was said last."""
        dropped: list[Dropped] = []
        memories: list[Memory] = []
        ranked = sorted(enumerate(found.candidates), key=lambda pair: (-pair[1].confidence, -pair[0]))
        for _, candidate in ranked:
            if candidate.confidence < self._limits.min_confidence:
                dropped.append(Dropped(candidate.text, f"confidence {candidate.confidence:.2f}"))
            elif len(memories) == self._limits.most:
                dropped.append(Dropped(candidate.text, f"beyond the {self._limits.most} surest"))
            else:
                try:
                    fields = _fields(candidate, found.extractor, source, session)
                    fields["trust"] = trust.lower(self._view.trust, "agent")
                    memories.append(self._view.new_memory(candidate.text, fields))
                except Invalid as problem:
                    dropped.append(Dropped("(withheld)", str(problem)))
        return memories, dropped


def _fields(candidate: Candidate, extractor: str, source: str, session: str | None) -> dict[str, Any]:
    own: dict[str, Any] = {"project": candidate.project} if candidate.project else {}
    return {
        **own,
        "tags": [PENDING] if candidate.is_pending else [],
        "kind": candidate.kind,
        "subject": candidate.subject,
        "confidence": candidate.confidence,
        "happened_at": candidate.happened_at,
        "source": source,
        "session": session,
        "metadata": {"extractor": extractor, "turns": [id for id in candidate.turns if id]},
    }


def _joined(one: Extracted, other: Extracted) -> Extracted:
    return Extracted(
        memories=one.memories + other.memories,
        added=one.added + other.added,
        dropped=one.dropped + other.dropped,
        sessions=one.sessions + other.sessions,
        tokens=one.tokens + other.tokens,
        extractor=one.extractor,
        notes=one.notes + other.notes,
    )
