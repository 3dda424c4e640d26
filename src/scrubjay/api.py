"""Scrubjay: the object that callers hold. Each method is one call of a function that works on its view."""

from __future__ import annotations

import builtins
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Unpack

from scrubjay.agents import activity
from scrubjay.agents.automatic import after_adding, after_sync, after_turns
from scrubjay.dates.timestamps import Moment
from scrubjay.errors import ScrubjayError
from scrubjay.memory import add, revise, withheld
from scrubjay.memory.arguments import count, memory_id
from scrubjay.memory.connections.methods import Connecting
from scrubjay.memory.fields import ChatTurn, Fields, TurnFields, UpdatableFields, with_full_signatures
from scrubjay.memory.filters import Filters, SearchOptions, unmatched
from scrubjay.memory.trash import Trash
from scrubjay.memory.view import View
from scrubjay.models.embedding import Progress
from scrubjay.portable.methods import Moving
from scrubjay.search.query import search_many
from scrubjay.sources.staleness import Staleness
from scrubjay.types import Added, Memory, Results, Trust
from scrubjay.upkeep.methods import Upkeep

if TYPE_CHECKING:  # modules that most processes never need are imported by the methods that need them
    from scrubjay.agents.events import Changes
    from scrubjay.agents.sessions import Sessions
    from scrubjay.agents.tasks import Tasks
    from scrubjay.agents.tokens import Tokens
    from scrubjay.records import Contacts, Profile, Projects, Skills
    from scrubjay.sources.registry import Sources
    from scrubjay.types.agents import Activity, Context, Event
    from scrubjay.types.documents import Excerpt, Status, Synced
    from scrubjay.types.history import Conflict, History, Reverted

__all__ = ["Scrubjay"]


@with_full_signatures
class Scrubjay(Upkeep, Moving, Connecting):
    """One memory, seen from one space. Safe to use from several threads."""

    def __init__(self, view: View, notes: tuple[str, ...] = (), staleness: Staleness | None = None) -> None:
        super().__init__(view)
        self.notes = notes  # about how it was opened; searches repeat them
        self._staleness = staleness or Staleness(view)

    def __repr__(self) -> str:
        return f"<Scrubjay {self._view.store.path!r}, space {self.space!r}>"

    def __enter__(self) -> Scrubjay:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        self._view.selection.close()
        self._view.store.close()

    @property
    def view(self) -> View:
        """What this caller sees and may do."""
        return self._view

    @property
    def address(self) -> str:
        """The path of the memory's file; of a server's memory, its URL."""
        return self._view.store.path

    @property
    def space(self) -> str:
        """The space that is read and written."""
        return self._view.space

    @property
    def project(self) -> str | None:
        """What the work is about: its memories rank higher, and new ones belong to it."""
        return self._view.project

    @property
    def trust(self) -> Trust:
        """The trust of what is added."""
        return self._view.trust

    @property
    def actor(self) -> str | None:
        """Who writes, as the history shows it."""
        return self._view.actor

    def lend(self, *, space: str | None = None, restores_only_own: bool = False, **signed: Unpack[Fields]) -> Scrubjay:
        """The same memory for another caller: in that space, and with these fields on everything that is added.

        With `restores_only_own`, that caller takes out of the trash only what it has deleted itself, by its `actor`.
        """
        view = self._view.lend(space, signed, restores_only_own)
        return Scrubjay(view, self.notes, self._staleness if view.space == self.space else None)

    def warm_up(self) -> None:
        """Load the language model in the background; until it is there, searches answer by words and say so."""
        self._view.selection.warm_up()

    def setting(self, key: str) -> Any:
        """The value of a setting for this space."""
        return self._view.setting(key)

    # Writing

    def add(
        self, text: str, *, supersedes: int | None = None, auto_supersede: bool = False, redact: bool = False,
        allow_secret: bool = False, **fields: Unpack[Fields],
    ) -> Added:  # fmt: skip
        """Remember a text. A known text is not stored twice: `created` is False, `notes` say what was taken over.

        With `auto_supersede`, a current memory of the same subject that says the same with another value is
        replaced, unless it is more trusted. With `redact`, secrets are masked instead of refused. With
        `allow_secret`, the text is kept unchanged where only `secrets` shows it.
        """
        old = None if supersedes is None else memory_id(supersedes)
        added = add.add(
            self._view, text, fields, supersedes=old, auto_supersede=auto_supersede, redact=redact,
            allow_secret=allow_secret,
        )  # fmt: skip
        return after_adding(self._view, added)

    def add_many(
        self, items: Sequence[Mapping[str, Any]], *, redact: bool = False, progress: Progress | None = None
    ) -> builtins.list[Added]:
        """Remember many texts at once: one embedding pass, one transaction, all or nothing."""
        return after_adding(self._view, add.add_many(self._view, items, redact=redact, progress=progress))

    def add_each(
        self, items: Sequence[Mapping[str, Any]], *, redact: bool = False, progress: Progress | None = None
    ) -> builtins.list[Added | ScrubjayError]:
        """Remember many texts, each by itself: in the place of one that is refused, the error that says why."""
        return after_adding(self._view, add.add_each(self._view, items, redact=redact, progress=progress))

    def add_turns(
        self, session: str, turns: Sequence[TurnFields | ChatTurn], *, progress: Progress | None = None
    ) -> builtins.list[Added]:
        """Remember what was said in a session, in order; called again, it appends. A <private> lasts until closed."""
        return after_turns(self._view, [session], add.add_turns(self._view, session, turns, progress))

    def add_exchange(
        self, user: str, agent: str, *, session: str | None = None, tags: Sequence[str] = ()
    ) -> builtins.list[Added]:
        """Remember what a user said and what the agent answered, as two turns of a session."""
        from scrubjay.agents.sessions import add_exchange

        added = add_exchange(self._view, user, agent, session, tags)
        return after_turns(self._view, [one.memory.session for one in added], added)

    def capture(self, output: str | bytes, client: str, *, session: str | None = None) -> builtins.list[Added]:
        """Remember the conversation that a client printed, as stream-json or plain text."""
        from scrubjay.sources.transcripts.capture import capture

        added = capture(self._view, output, client, session)
        return after_turns(self._view, [one.memory.session for one in added], added)

    def update(self, id: int, *, redact: bool = False, **fields: Unpack[UpdatableFields]) -> Memory:
        """Change what is not text: tags, metadata (a None deletes its key), importance, title, expiry, …"""
        return revise.update(self._view, id, fields, redact=redact)

    def supersede(
        self, id: int, text: str | None = None, *, by: int | None = None, reason: str | None = None,
        redact: bool = False, allow_secret: bool = False, **fields: Unpack[Fields],
    ) -> Added:  # fmt: skip
        """Replace a memory by a new text, or by another memory; the old one stays in the history."""
        return revise.supersede(self._view, id, text, by, reason, fields, redact=redact, allow_secret=allow_secret)

    def revert(self, id: int, *, reason: str | None = None) -> Reverted:
        """Undo the last change of a memory: a replacement, a merge (as a whole) or an update. The history shows all."""
        return revise.revert(self._view, id, reason)

    def confirm(self, id: int, *, undo: bool = False) -> Memory:
        """Say that a memory still holds; it ranks a little higher for it."""
        return revise.confirm(self._view, id, undo)

    def dismiss(self, older: int, newer: int, *, undo: bool = False) -> None:
        """Say that two memories do not contradict each other; with undo, that this is to be decided after all."""
        revise.dismiss(self._view, older, newer, undo)

    def delete(self, *ids: int) -> None:
        """Delete memories: all, or none if one is missing. For `trash.days` days, `undelete` restores them."""
        revise.delete(self._view, ids)

    def undelete(self, id: int) -> Memory:
        """Take a memory out of the trash, a record with all its versions. Its trust is at most that of the caller."""
        return revise.undelete(self._view, id)

    @property
    def tasks(self) -> Tasks:
        """Things to be done."""
        from scrubjay.agents.tasks import Tasks

        return Tasks(self._view)

    @property
    def sessions(self) -> Sessions:
        """Runs of an agent."""
        from scrubjay.agents.sessions import Sessions

        return Sessions(self._view)

    @property
    def trash(self) -> Trash:
        """What was deleted and can still be restored."""
        return Trash(self._view)

    @property
    def profile(self) -> Profile:
        """What is known about the person whose space this is."""
        from scrubjay.records import Profile

        return Profile(self._view)

    @property
    def contacts(self) -> Contacts:
        """People."""
        from scrubjay.records import Contacts

        return Contacts(self._view)

    @property
    def projects(self) -> Projects:
        """What is worked on."""
        from scrubjay.records import Projects

        return Projects(self._view)

    @property
    def skills(self) -> Skills:
        """What an agent knows how to do."""
        from scrubjay.records import Skills

        return Skills(self._view)

    # Reading

    def search(self, query: str, **asked: Unpack[SearchOptions]) -> Results:
        """Find memories by word and by meaning, best first. Any text is a valid query."""
        return self.search_many([query], **asked)[0]

    def search_many(self, queries: Sequence[str], **asked: Unpack[SearchOptions]) -> builtins.list[Results]:
        """Answer several questions with one embedding pass."""
        return search_many(self._view, queries, asked, (*self.notes, *self._staleness.notes()))

    def search_turns(self, query: str, **asked: Unpack[SearchOptions]) -> Results:
        """Find what was said in conversations, each turn with those around it."""
        asked["kinds"] = ["turn"]
        return self.search(query, **asked)

    def context(
        self, message: str | None = None, tokens: int | None = None, *, session: str | None = None,
        files: Sequence[str] | None = None, curate: bool = False,
    ) -> Context:  # fmt: skip
        """What an agent should know now: for a message, for files at hand, or without either at a session's start.

        With `curate`, the generator chooses among what is likely to help with the message, and says why.
        """
        from scrubjay.agents.context import context

        return context(self._view, message, tokens, session, files, curate)

    def get(self, id: int, *, spaces: Sequence[str] | None = None) -> Memory | None:
        """One memory, or None where there is none of that id in this space."""
        return next(iter(self.get_many([id], spaces=spaces)), None)

    def get_many(self, ids: Sequence[int], *, spaces: Sequence[str] | None = None) -> builtins.list[Memory]:
        """The memories that exist, in the given order."""
        return self._view.get(ids, spaces)

    def secrets(self) -> builtins.list[Memory]:
        """Memories that were added with `allow_secret`, with their original texts. No other answer has them."""
        return withheld.secrets(self._view)

    def excerpt(self, of: int | str, *, start: int = 1, lines: int | None = None, around: int = 10) -> Excerpt:
        """What stands around a passage or a turn, by id; or some lines of a document, by name."""
        from scrubjay.sources.excerpts import excerpt

        return excerpt(self._view, of, start, lines, around)

    def list(
        self, *, limit: int | None = None, offset: int = 0, spaces: Sequence[str] | None = None,
        **filters: Unpack[Filters],
    ) -> builtins.list[Memory]:  # fmt: skip
        """The newest first. Of a session, all turns: also those that were corrected since."""
        most = None if limit is None else count("limit", limit)
        return self._view.newest(filters, spaces, most, count("offset", offset))

    def history(self, id: int | None = None, *, subject: str | None = None) -> History:
        """What a memory replaced and was replaced by, or all memories of a subject: oldest first, with the steps."""
        return revise.history(self._view, id, subject)

    def conflicts(self) -> builtins.list[Conflict]:
        """Pairs of current memories that seem to contradict each other; a supersede or `dismiss` settles one."""
        return self._view.store.conflicts.open(self.space, self._view.clock())

    def timeline(
        self, id: int | None = None, window: int = 5, *, since: Moment | None = None, until: Moment | None = None,
        kinds: Sequence[str] = (), query: str | None = None, limit: int = 50,
    ) -> builtins.list[Event]:  # fmt: skip
        """What happened around a memory, oldest first; or in a span of time, newest first."""
        from scrubjay.agents.timeline import timeline

        return timeline(self._view, id, window, since, until, kinds, query, limit)

    def activity(self, *, session: str | None = None, limit: int = 20) -> builtins.list[Activity]:
        """What the hooks of agent clients did here, the newest first."""
        return activity.activity(self._view, session, limit)

    def events(
        self, *, after: str | None = None, spaces: Sequence[str] | None = None, follow: bool = True
    ) -> Changes:  # fmt: skip
        """Changes of memories as they come, whoever makes them; `after` a change that was seen, or from now on.

        It goes on until it is closed; without `follow`, until the last change that there is. A change "missed" says
        that the log does not go back as far as `after`: read anew what you keep.
        """
        from scrubjay.agents.events import events

        return events(self._view, after, spaces, follow)

    def spaces(self) -> dict[str, int]:
        """The spaces of this file, and how many current memories each has, the most first."""
        return self._view.space_counts()

    def kinds(self) -> dict[str, int]:
        """Which kinds of memories this space has, and how many of each, the most first."""
        return self._view.counts("kind")

    def subjects(self) -> dict[str, int]:
        """What this space's memories are about, and how many are about each, the most first."""
        return self._view.counts("subject")

    def tags(self) -> dict[str, int]:
        """Which tags this space's memories have, and how many have each, the most first."""
        return self._view.counts("tag")

    def filter_notes(self, *, spaces: Sequence[str] = (), **filters: Unpack[Filters]) -> builtins.list[str]:
        """A sentence for each name in a filter that no memory here has, with a name that may have been meant."""
        return unmatched(self._view.store, self._view.filter(filters), self._view.spaces(spaces) if spaces else ())

    # Sources

    @property
    def sources(self) -> Sources:
        """The sources of this space: folders, transcripts and git histories that `sync` reads."""
        from scrubjay.sources.registry import Sources

        return Sources(self._view)

    def sync(
        self, *names: str, force: bool = False, reading: Progress | None = None, embedding: Progress | None = None
    ) -> Synced:
        """Read what has changed in these sources, or in all, and embed what is new."""
        from scrubjay.sources.sync import sync

        try:
            done = sync(self._view, names, force=force, reading=reading, embedding=embedding)
            return after_sync(self._view, done)
        finally:
            self._staleness.forget()

    def sync_on(self, event: Literal["search", "session_start"]) -> Synced | None:
        """Sync if the sources have changed and the settings say so for this event."""
        return self.sync() if self.setting(f"sync.on_{event}") and self._staleness.is_behind() else None

    def status(self) -> Status:
        """How far the space is behind its sources."""
        from scrubjay.sources.sync import status

        return status(self._view)

    @property
    def tokens(self) -> Tokens:
        """Who has access over the network."""
        from scrubjay.agents.tokens import Tokens

        return Tokens(self._view)
