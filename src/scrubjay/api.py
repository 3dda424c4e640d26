"""Scrubjay: the object callers hold. It joins a store and an embedder, and decides nothing."""

from __future__ import annotations

import builtins
from collections.abc import Collection, Mapping, Sequence
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Unpack, cast

from scrubjay import config
from scrubjay.agents import context, timeline
from scrubjay.agents.sessions import Sessions
from scrubjay.agents.tasks import Tasks
from scrubjay.care import Care
from scrubjay.dates.timestamps import Clock, Moment, now
from scrubjay.errors import Invalid, NotFound
from scrubjay.memory import revise, suggestions
from scrubjay.memory.add import add, add_one
from scrubjay.memory.arguments import apart, count, memory_id, named, space_name
from scrubjay.memory.fields import Fields, TurnFields, short_text
from scrubjay.memory.filters import Asked, Filters
from scrubjay.memory.private_turns import Said, add_public
from scrubjay.memory.view import Composer
from scrubjay.models.embedders import Embedder
from scrubjay.models.embedding import Choice, Progress
from scrubjay.search.pipeline import search_many
from scrubjay.search.query import Asker
from scrubjay.sources.staleness import Freshness
from scrubjay.stores import Store, Use
from scrubjay.types import (
    TRUST,
    Added,
    Conflict,
    Context,
    Event,
    History,
    Memory,
    Results,
    Reverted,
    Step,
    Trust,
    trust,
)
from scrubjay.types.documents import Excerpt

if TYPE_CHECKING:  # rooms that most processes never enter are imported by the methods that lead there
    from scrubjay.upkeep.synthesise import Applied, Plan

__all__ = ["Scrubjay"]


class Scrubjay(Care):
    """One memory, seen from one space. Safe to use from several threads."""

    def __init__(
        self,
        store: Store,
        embedder: str | Embedder | None = None,
        *,
        space: str,
        project: str | None = None,
        trust: Trust = "user",
        actor: str | None = None,
        clock: Clock = now,
        settings: config.Settings | None = None,
        cut_trust: Trust = "user",
        notes: tuple[str, ...] = (),
    ) -> None:
        self.space = space
        self.trust = trust
        self._store = store
        self._clock = clock
        self._settings = settings or config.Settings()
        self.notes = notes  # about how it was opened; searches repeat them
        secrets = self.setting("guard.secrets")
        self._composer = Composer(space, project, trust, actor, clock, secrets, cut_trust=cut_trust)
        self.project, self.actor = project, self._composer.actor
        self._asker = Asker(space, project, clock, self._settings)
        self._choice = Choice(store, embedder, self.setting("embedder"), self.setting("keys.embedder"))
        self._freshness = self._fresh()

    def __enter__(self) -> Scrubjay:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        self._choice.close()
        self._store.close()

    def lend(self, *, space: str | None = None, **signed: Unpack[Fields]) -> Scrubjay:
        """The same memory in other hands: seen from that space, with these fields on all that comes in."""
        other = copy(self)
        other.space = space_name(self.space if space is None else space)
        other._composer = self._composer.lent(other.space, signed)
        other.trust, other.actor = other._composer.trust, other._composer.actor
        if other.space != self.space:
            other._asker = replace(self._asker, space=other.space)
            other._freshness = other._fresh()
        return other

    def warm_up(self) -> None:
        """Load the language model in the background; until it is there, searches answer by words and say so."""
        self._choice.warm_up()

    # Writing

    def add(
        self, text: str, *, supersedes: int | None = None, auto_supersede: bool = False, redact: bool = False,
        allow_secret: bool = False, **fields: Unpack[Fields],
    ) -> Added:  # fmt: skip
        """Remember a text. One that is known is not stored twice: `created` is False, `notes` say what was taken.

        With `auto_supersede`, a current memory of the same subject that says the same with another value is
        replaced, unless it is more trusted. With `redact`, secrets are replaced by what they are instead of being
        refused. With `allow_secret`, the text is kept as it is where no answer has it, only `secrets`.
        """
        memory = self._composer.compose(text, fields, redact=redact, allow_secret=allow_secret)
        old = None if supersedes is None else memory_id(supersedes)
        automatic = auto_supersede and old is None
        choice = self._choice.keep_up()
        added = add_one(
            self._store, choice, memory, auto_supersede=automatic, apart_from=old, given=named(fields)
        )  # fmt: skip
        added = self._finished(added, memory, text if allow_secret else None)
        return added if old is None else revise.linked(self._store, old, added, self._step(old), self.trust)

    def add_many(
        self, items: Sequence[Mapping[str, Any]], *, redact: bool = False, progress: Progress | None = None
    ) -> builtins.list[Added]:
        """Remember many texts at once: one embedding pass, one transaction, all or nothing."""
        pairs = [apart(item) for item in items]
        given = [named(fields) for _, fields in pairs]
        memories = [self._composer.compose(text, fields, redact=redact) for text, fields in pairs]
        return self._add(memories, progress, given)

    def add_turns(
        self, session: str, turns: Sequence[TurnFields], *, progress: Progress | None = None
    ) -> builtins.list[Added]:
        """Remember what was said in a session, in order; called again, it appends.

        A <private> that one turn opens holds until a later one, here or in a later call, closes it.
        """
        name = self._composer.admit(short_text("session", session), redact=True)
        shared = {"source": f"session:{name}", "session": name}
        given = [(text, {**shared, **own}) for text, own in map(apart, turns)]
        names: builtins.list[Collection[str]] = []

        def compose(said: Sequence[Said]) -> builtins.list[Memory]:
            names.extend(named(fields) for _, fields in said)
            return [self._composer.compose(*turn, turn=True) for turn in said]

        def add(turns: Sequence[Memory]) -> builtins.list[Added]:
            return self._add(turns, progress, names)

        return add_public(self._store.withheld, self.space, given, compose, add)

    def add_exchange(
        self, user: str, agent: str, *, session: str | None = None, tags: Sequence[str] = ()
    ) -> builtins.list[Added]:
        """Remember what a user said and what the agent answered, as two turns of a session."""
        answered: TurnFields = {"text": agent, "speaker": "assistant", "tags": tags}
        answered["trust"] = trust.lower(self.trust, "agent")
        name = session or self.sessions.start().name
        return self.add_turns(name, [{"text": user, "speaker": "user", "tags": tags}, answered])

    def capture(self, output: str | bytes, client: str, *, session: str | None = None) -> builtins.list[Added]:
        """Remember the conversation that a client printed, as stream-json or plain text."""
        from scrubjay.sources.transcripts import capture

        at = self._clock()

        def compose(said: Sequence[Said]) -> builtins.list[Memory]:
            memories = [self._composer.compose_cut(*turn) for turn in said]
            return capture.unsaid(self._store, self.space, memories, at)

        said = capture.turns(output, client, session, at)
        return add_public(self._store.withheld, self.space, said, compose, self._add)

    def update(self, id: int, *, redact: bool = False, **fields: Unpack[Fields]) -> Memory:
        """Change what is not text: tags, metadata (a None deletes its key), importance, title, expiry, …"""
        given = self._composer.admit(dict(fields), redact)
        embedder = self._choice.keep_up().embedder
        return revise.update(self._store, embedder, self._existing(id), given, self._clock(), self.actor)

    def supersede(
        self,
        id: int,
        text: str | None = None,
        *,
        by: int | None = None,
        reason: str | None = None,
        redact: bool = False,
        allow_secret: bool = False,
        **fields: Unpack[Fields],
    ) -> Added:
        """Put a new text, or another memory, in the place of one; the old one stays in the history."""
        if (text is None) == (by is None):
            raise Invalid("Give either a new text, or (by) the memory that takes its place.")
        if by is not None and fields:
            raise Invalid("The memory that takes its place stays as it is; change it with update.")
        if by is None:
            return self._replace([id], cast("str", text), reason, fields, redact, allow_secret)
        old = self._existing(id)
        self._store.revisions.link(id, memory_id(by), [self.space], self._step(id, reason, redact))
        return revise.warned(Added(self._existing(by), created=False), old, self.trust)

    def revert(self, id: int, *, reason: str | None = None) -> Reverted:
        """Undo what was last done to a memory: that it was replaced, replaced others, or was updated.

        A change of several memories at once, such as a merge, is undone whole. The history tells all of it.
        """
        why = self._composer.reason(reason)
        undone = self._store.revisions.undo(memory_id(id), [self.space], self._clock(), self.actor, why, self.trust)
        if "title" in undone.fields:
            revise.embed_again(self._store, self._choice.keep_up(), self._existing(undone.old))
        return undone

    def confirm(self, id: int) -> Memory:
        """Say that a memory still holds; it ranks a little higher for it."""
        return revise.confirm(self._store, memory_id(id), self.space, self._clock())

    def dismiss(self, older: int, newer: int) -> None:
        """Say that two memories do not contradict each other."""
        self._store.conflicts.dismiss(memory_id(older), memory_id(newer), self.space, self._clock())

    def delete(self, *ids: int) -> None:
        """Delete memories: all of them, or none if one is not there.

        They are in no answer any more; for the days that are set, `undelete` takes them back.
        """
        if not ids:
            raise Invalid("Name at least one memory to delete, by its id.")
        self._store.trash.put([memory_id(id) for id in dict.fromkeys(ids)], [self.space], self._clock())
        if not self.trash.days:
            self.trash.erase_due()

    def undelete(self, id: int) -> Memory:
        """Take a memory out of the trash. Its trust is at most that of the caller."""
        return self._store.trash.take_out(memory_id(id), [self.space], self._clock(), self.trust)

    @property
    def tasks(self) -> Tasks:
        """Things to be done."""
        return Tasks(self._store, self.space, self._clock, self.add, self._composer.admit, self.trust, self.actor)

    @property
    def sessions(self) -> Sessions:
        """Runs of an agent."""
        return Sessions(self._store, self.space, self._composer.project, self._clock, self.add, self._composer.admit)

    def apply(self, plan: Plan) -> Applied:
        """Make the changes of a plan, as far as they still may be made; `revert` undoes any of them."""
        from scrubjay.upkeep.synthesise import Application

        return Application(self._store, self.space, self._clock(), self._replace, self._step).make(plan)

    # Reading

    def search(self, query: str, **asked: Unpack[Asked]) -> Results:
        """Find memories by word and by meaning, best first. Any text is a valid query."""
        return self.search_many([query], **asked)[0]

    def search_many(self, queries: Sequence[str], **asked: Unpack[Asked]) -> builtins.list[Results]:
        """Answer several questions with one embedding pass."""
        return self._search(queries, asked)

    def search_turns(self, query: str, **asked: Unpack[Asked]) -> Results:
        """Find what was said in conversations, each turn with those around it."""
        asked["kinds"] = ["turn"]
        return self.search(query, **asked)

    def context(self, message: str | None = None, tokens: int | None = None, *, session: str | None = None) -> Context:
        """What an agent should be told now: for a message, or without one at a session's start."""
        session = None if session is None else self._composer.admit(short_text("session", session), redact=True)
        budget = count("tokens", self.setting("context.tokens") if tokens is None else tokens)
        known = set(self._store.withheld.secrets([self.space]))
        known |= self._store.sessions.shown(self.space, session) if session else set()
        filter = self._asker.filter()
        if message is None:
            candidates = context.at_a_start(self._store, filter, self.project)
        else:
            most = self.setting("context.memories")
            asked: Asked = {"limit": most + len(known) + 1, "min_score": self.setting("context.min_score")}
            (hits,) = self._search([message], asked, in_full=True)
            candidates = context.for_a_message(hits, known, most)
        told = context.tell(self._store, self._choice, filter, budget, candidates, known, session)
        self._store.uses.note(context.uses(told, message, filter.now))
        return told

    def get(self, id: int, *, spaces: Sequence[str] | None = None) -> Memory | None:
        """One memory, or None where there is none of that id in this space."""
        return next(iter(self.get_many([id], spaces=spaces)), None)

    def get_many(self, ids: Sequence[int], *, spaces: Sequence[str] | None = None) -> builtins.list[Memory]:
        """The memories that exist, in the order asked for."""
        at = self._clock()
        seen = self._asker.spaces(spaces)
        found = self._store.memories.get([memory_id(id) for id in ids], seen, at)
        for id in self._store.withheld.secrets(seen):
            found.pop(id, None)
        self._store.uses.note(Use(id, at, "get") for id in found)
        return [found[id] for id in ids if id in found]

    def excerpt(self, of: int | str, *, start: int = 1, lines: int | None = None, around: int = 10) -> Excerpt:
        """What stands around a passage or a turn, by id; or some lines of a document, by name."""
        from scrubjay.sources import excerpts

        how = self._composer.shown, self.setting("sync.max_file_bytes")
        if isinstance(of, str):
            return excerpts.of_document(self._store, self.space, of, count("start", start), lines, *how)
        memory, window = self._existing(of), count("around", around)
        return excerpts.around(self._store, memory, window, self._clock(), *how)

    def list(
        self, *, limit: int | None = None, offset: int = 0, spaces: Sequence[str] | None = None,
        **filters: Unpack[Filters],
    ) -> builtins.list[Memory]:  # fmt: skip
        """The newest first. Of a session, its turns are all there, also those that were corrected since."""
        page = None if limit is None else count("limit", limit)
        filter = self._asker.filter(spaces, filters)
        whole = replace(filter, replaced_turns=filter.session is not None)
        return self._store.memories.newest(whole, page, count("offset", offset))

    def history(self, id: int | None = None, *, subject: str | None = None) -> History:
        """How a memory came to say what it says, or all that was known of a subject: oldest first, with the steps."""
        if (id is None) == (subject is None):
            raise Invalid("Give history either an id or a subject.")
        if subject is not None:
            return self._store.revisions.of_subject(short_text("subject", subject), self.space)
        return self._store.revisions.chain(memory_id(id), [self.space])

    def conflicts(self) -> builtins.list[Conflict]:
        """Pairs of current memories that seem to contradict each other; a supersede or `dismiss` settles one."""
        return self._store.conflicts.open(self.space, self._clock())

    def timeline(
        self, id: int | None = None, window: int = 5, *, since: Moment | None = None, until: Moment | None = None,
        kinds: Sequence[str] = (), query: str | None = None, limit: int = 50,
    ) -> builtins.list[Event]:  # fmt: skip
        """What happened around a memory, oldest first; or in a stretch of time, newest first."""
        if id is not None and (since or until or kinds or query):
            raise Invalid(
                "A timeline is around a memory (id, window) or of a time (since, until, kinds, query), not both."
            )
        if id is not None:
            filter = replace(self._asker.filter(), replaced_turns=True)
            around = self._store.memories.around(memory_id(id), filter, count("window", window))
            return [Event.of(memory) for memory in around]
        filter = self._asker.filter(None, {"since": since, "until": until, "kinds": kinds, "include_superseded": True})
        events = self._store.sessions.events(filter, self.space, count("limit", limit), bool(kinds))
        if query is None:
            return events
        asked: Asked = {"limit": max(limit, 1), "since": since, "until": until, "kinds": kinds}
        (hits,) = self._search([query], {**asked, "include_superseded": True}, in_full=True)
        alike = self._store.memories.get([id for hit in hits for id in hit.also], filter.spaces, filter.now)
        return timeline.answering(query, [*(hit.memory for hit in hits), *alike.values()], events)

    # Joining

    def _search(self, queries: Sequence[str], asked: Asked, in_full: bool = False) -> builtins.list[Results]:
        ready = self._asker.questions(queries, asked)
        notes = (*self.notes, *self._freshness.notes())
        found = search_many(self._store, self._choice.keep_up(), ready, notes, in_full)
        return [suggestions.noted(self._store, query.filter, one) for query, one in zip(ready, found, strict=True)]

    def _add(
        self, memories: Sequence[Memory], progress: Progress | None = None, given: Sequence[Collection[str]] = ()
    ) -> builtins.list[Added]:
        return self._logged(add(self._store, self._choice.keep_up(), memories, progress, given))

    def _replace(
        self, ids: Sequence[int], text: str, reason: str | None, fields: Fields,
        redact: bool = False, allow_secret: bool = False,
    ) -> Added:  # fmt: skip
        """Put one new text in the place of memories, as one change; it inherits from the first."""
        olds = [self._existing(id) for id in ids]
        given = revise.inherited(olds[0], fields)
        memory = self._composer.compose(text, given, redact=redact, allow_secret=allow_secret)
        steps = [self._step(old.id, reason, redact) for old in olds]
        added = add_one(self._store, self._choice.keep_up(), memory, replaces=steps, given=named(fields))
        added = self._finished(added, memory, text if allow_secret else None)
        return revise.warned(added, max(olds, key=lambda old: TRUST.index(old.trust)), self.trust)

    def _fresh(self) -> Freshness:
        return Freshness(self._store, self.space, self.status, lambda: self._choice.embedder is not None)

    def _step(self, old: int, reason: str | None = None, redact: bool = False) -> Step:
        at = self._clock()
        why = self._composer.reason(reason, redact)
        return Step(old=old, new=None, at=at, effective_at=at, actor=self.actor, reason=why)

    def _existing(self, id: int) -> Memory:
        found = self._store.memories.get([memory_id(id)], [self.space], self._clock())
        if not found:
            raise NotFound(f"There is no memory {id} in space {self.space!r}.")
        return found[id]
