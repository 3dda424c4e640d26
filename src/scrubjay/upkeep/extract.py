"""Conversations to memories: drawn from what was said, checked, and stored like anything an agent tells."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from scrubjay.errors import BudgetSpent, GeneratorError, GeneratorUnavailable, Invalid, Unreadable
from scrubjay.memory.add import add_drawn
from scrubjay.memory.view import Composer
from scrubjay.models.embedding import Choice, Progress
from scrubjay.models.generation import Writer, writer
from scrubjay.stores import Store
from scrubjay.text.plural import counted
from scrubjay.types import Added, Filter, Memory, trust
from scrubjay.upkeep.extract_prompt import Candidate, Drawing, by_model, by_rules

__all__ = ["Dropped", "Extracted", "Extraction", "Limits", "extraction"]

REFUSALS = 3  # in a row, before anything was taken: then it is not the sessions' fault


@dataclass(frozen=True, slots=True)
class Dropped:
    """Something that was drawn but not stored, and why."""

    text: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Extracted:
    """What an extraction found, and what became of it."""

    memories: tuple[Memory, ...] = ()  # stored, or with `dry_run` what would be: those have no id
    added: tuple[Added, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    sessions: int = 0  # gone through
    remaining: int = 0  # sessions that still are to be gone through
    tokens: int = 0
    extractor: str = ""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Limits:
    """How much is drawn from a conversation, and how sure it must be."""

    most: int = 3
    min_confidence: float = 0.7
    min_characters: int = 50


@dataclass(frozen=True, slots=True)
class Extraction:
    """Draws memories from conversations of one space."""

    store: Store
    choice: Choice
    composer: Composer
    writer: Writer
    now: datetime
    limits: Limits = field(default_factory=Limits)
    rules: bool = False  # also where a generator is configured
    dry_run: bool = False

    def of(
        self, text: str | None, session: str | None, again: bool = False, progress: Progress | None = None
    ) -> Extracted:
        """From a text, or from a session, or else from all sessions that have something new."""
        if text is not None and session is not None:
            raise Invalid("Give extract a text or a session, not both.")
        if text is not None:
            return self.of_text(text)
        return self.of_all(progress) if session is None else self.of_session(session, again)

    def of_text(self, text: str) -> Extracted:
        said = self.composer.compose_cut(text, {"kind": "turn", "speaker": "user"})
        return self._extracted([said], "extract")

    def of_session(self, session: str, again: bool = False) -> Extracted:
        """What is new in a session, or all of it."""
        self.store.sessions.get(self.composer.space, session)
        turns = self._turns(session, -1 if again else self.store.ledger.extracted_to(self.composer.space, session))
        if not turns:
            return Extracted(extractor=self._name)
        done = self._extracted(turns, f"extract:{session}", session)
        self._mark(session, turns, done.extractor)
        return replace(done, sessions=1)

    def of_all(self, progress: Progress | None = None) -> Extracted:
        """All sessions that have something new, the oldest first. Stopped halfway, it goes on where it was."""
        waiting = self.store.ledger.unextracted(self.composer.space)
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
                if not done.sessions and len(refused) == REFUSALS:
                    break
            if progress:
                progress(number, len(waiting))
        return self._ended(done, refused)

    def _ended(self, done: Extracted, refused: Mapping[str, str]) -> Extracted:
        """A model that went through other sessions will not take these; one that took none is itself the matter."""
        if done.sessions:
            for session, reason in refused.items():
                self._mark(session, self._turns(session, -1), done.extractor)
                done = replace(done, dropped=(*done.dropped, Dropped(f"session {session}", reason)))
        elif refused:
            done = replace(done, notes=(*done.notes, *list(refused.values())[:1]))
        return replace(done, remaining=len(self.store.ledger.unextracted(self.composer.space)))

    @property
    def _name(self) -> str:
        return "rules" if self.rules or not self.writer.spec else self.writer.spec

    def _turns(self, session: str, after: int) -> list[Memory]:
        said = Filter(spaces=(self.composer.space,), now=self.now, session=session, kinds=("turn",))
        turns = [turn for turn in self.store.memories.newest(said, None) if (turn.position or 0) > after]
        return sorted(turns, key=lambda turn: (turn.position or 0, turn.id))

    def _mark(self, session: str, turns: Sequence[Memory], extractor: str) -> None:
        if not self.dry_run:
            last = max(turn.position or 0 for turn in turns)
            self.store.ledger.mark_extracted(self.composer.space, session, last, extractor, self.now)

    def _extracted(self, turns: Sequence[Memory], source: str, session: str | None = None) -> Extracted:
        size = sum(len(turn.text) for turn in turns)
        if size < self.limits.min_characters:
            short = Dropped(turns[0].title, f"shorter than {counted(self.limits.min_characters, 'character')}")
            return Extracted(dropped=(short,), extractor=self._name)
        try:
            drawing = self._draw(turns)
        except Unreadable as problem:
            return Extracted(dropped=(Dropped(turns[0].title, str(problem)),), extractor=self._name)
        memories, dropped = self._chosen(drawing, source, session)
        done = Extracted(
            memories=tuple(memories),
            dropped=tuple(dropped),
            tokens=drawing.tokens,
            extractor=drawing.extractor,
            notes=drawing.notes,
        )
        return done if self.dry_run else self._stored(done)

    def _stored(self, done: Extracted) -> Extracted:
        """What was drawn, stored as far as it was not known."""
        stored = add_drawn(self.store, self.choice, done.memories)
        fresh = tuple(added for added in stored if added.created)
        pairs = zip(done.memories, stored, strict=True)
        known = [Dropped(memory.text, f"already known, as {one.memory.id}") for memory, one in pairs if not one.created]
        memories = tuple(added.memory for added in fresh)
        return replace(done, memories=memories, added=fresh, dropped=(*done.dropped, *known))

    def _draw(self, turns: Sequence[Memory]) -> Drawing:
        if self.rules or not self.writer.spec:
            return by_rules(turns)
        return by_model(turns, self.writer, self.limits.most)

    def _chosen(self, drawing: Drawing, source: str, session: str | None) -> tuple[list[Memory], list[Dropped]]:
        """The surest few that may be stored; of equals the later, which was said last."""
        dropped: list[Dropped] = []
        memories: list[Memory] = []
        ranked = sorted(enumerate(drawing.candidates), key=lambda pair: (-pair[1].confidence, -pair[0]))
        for _, candidate in ranked:
            if candidate.confidence < self.limits.min_confidence:
                dropped.append(Dropped(candidate.text, f"confidence {candidate.confidence:.2f}"))
            elif len(memories) == self.limits.most:
                dropped.append(Dropped(candidate.text, f"beyond the {self.limits.most} surest"))
            else:
                try:
                    fields = _fields(candidate, drawing, source, session)
                    fields["trust"] = trust.lower(self.composer.trust, "agent")
                    memories.append(self.composer.compose(candidate.text, fields))
                except Invalid as problem:
                    dropped.append(Dropped("(withheld)", str(problem)))
        return memories, dropped


@contextmanager
def extraction(
    store: Store, choice: Choice, composer: Composer, setting: Callable[[str], Any], *,
    rules: bool = False, dry_run: bool = False,
) -> Iterator[Extraction]:  # fmt: skip
    """As the settings have it."""
    limits = Limits(*(setting(f"extract.{name}") for name in ("most", "min_confidence", "min_characters")))
    with writer(store.ledger, setting, composer.clock) as writing:
        yield Extraction(store, choice, composer, writing, composer.clock(), limits, rules, dry_run)


def _fields(candidate: Candidate, drawing: Drawing, source: str, session: str | None) -> dict[str, Any]:
    return {
        "kind": candidate.kind,
        "subject": candidate.subject,
        "confidence": candidate.confidence,
        "happened_at": candidate.happened_at,
        "source": source,
        "session": session,
        "metadata": {"extractor": drawing.extractor, "turns": [id for id in candidate.turns if id]},
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
