"""Written by `python -m tools.make_async_stub`. What the methods of an awaited memory take and give."""

import builtins
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, BinaryIO, Literal, TextIO, Unpack

from scrubjay.agents.tasks import TaskFields
from scrubjay.dates.timestamps import Clock, Moment
from scrubjay.errors import ScrubjayError
from scrubjay.memory.fields import ChatTurn, Fields, TurnFields, UpdatableFields
from scrubjay.memory.filters import Filters, SearchOptions
from scrubjay.memory.trash import Trashed
from scrubjay.memory.view import View
from scrubjay.models.embedders import Embedder
from scrubjay.models.embedding import Progress
from scrubjay.records.contacts import Contact
from scrubjay.records.fields import (
    ContactFields,
    ContactType,
    Outcome,
    ProjectFields,
    ProjectStatus,
    ProjectType,
    SkillFields,
    Trigger,
)
from scrubjay.records.nested.differences import Difference
from scrubjay.records.projects import Project, ProjectSource
from scrubjay.records.skills import Skill
from scrubjay.records.versions import Version
from scrubjay.types import Added, Cited, Link, Memory, Results, Trust
from scrubjay.types.agents import Activity, Context, Event, Priority, Session, Status, Task
from scrubjay.types.documents import Changed, Excerpt, Place, Source, SourceKind, Synced
from scrubjay.types.documents import Status as DocumentsStatus
from scrubjay.types.history import Conflict, History, MemoryChange, Reverted
from scrubjay.types.models import Filled, Provider
from scrubjay.types.reports import Access, BackedUp, Check, Cleaned, Exported, Forgotten, Imported, Stats
from scrubjay.types.tokens import Token
from scrubjay.upkeep.extract import Extracted
from scrubjay.upkeep.synthesise import Applied, Plan

__all__ = ["AsyncChanges", "AsyncScrubjay", "aopen", "has_methods_to_await", "in_thread"]

def has_methods_to_await(value: object) -> bool: ...
async def in_thread(workers: ThreadPoolExecutor, call: Callable[[], Any]) -> Any: ...

class AsyncChanges:
    last: str

    def __aiter__(self) -> AsyncChanges: ...
    async def __anext__(self) -> MemoryChange: ...
    def close(self) -> None: ...

class _AsyncContacts:
    """The contacts of one space. Each change is a version."""

    async def create(
        self, *, reason: str | None = None, redact: bool = False, **fields: Unpack[ContactFields]
    ) -> Contact:
        """Remember a person. A name is needed; no other contact of the space may have the same email."""

    async def update(
        self, of: int | str, *, reason: str | None = None, redact: bool = False, **fields: Unpack[ContactFields]
    ) -> Contact:
        """Change fields; None empties one."""

    async def list(
        self,
        *,
        name: str | None = None,
        email: str | None = None,
        company: str | None = None,
        type: ContactType | None = None,
        limit: int = 50,
    ) -> builtins.list[Contact]:
        """By name; of the filters, a part of the name is enough."""

    async def get(self, of: int | str) -> Contact | None:
        """One of them, or None where there is none; the id of a memory that was found leads to its record."""

    async def delete(self, of: int | str) -> Contact:
        """Move it to the trash, with all its versions; `undelete` with its id takes it out again."""

    async def history(self, of: int | str) -> builtins.list[Version]:
        """Every version, the oldest first."""

    async def diff(self, of: int | str, first: int, second: int | None = None) -> builtins.list[Difference]:
        """What a version changed; with a second one, what differs between the two."""

    async def rollback(self, of: int | str, version: int, *, reason: str | None = None) -> Contact:
        """Let it be as it was in a version; that is a new version itself."""

class _AsyncProfile:
    """The profile of one space. Each change is a version, and none is lost."""

    async def get(self, path: str | None = None, *, version: int | None = None) -> Any:
        """All of it, or the value at a path such as `preferences.tools[0]`; as it is now, or as it was."""

    async def set(self, path: str, value: Any, *, reason: str | None = None, redact: bool = False) -> Version:
        """Put a value at a path. An index may be one past the end of its list."""

    async def unset(self, path: str, *, reason: str | None = None) -> Version:
        """Remove what is at a path."""

    async def merge(self, data: Mapping[str, Any], *, reason: str | None = None, redact: bool = False) -> Version:
        """Merge an object into it: objects are merged, null removes a key, any other value takes the place."""

    async def history(self) -> builtins.list[Version]:
        """Every version, the oldest first."""

    async def diff(self, first: int, second: int | None = None) -> builtins.list[Difference]:
        """What a version changed; with a second one, what differs between the two."""

    async def rollback(self, version: int, *, reason: str | None = None) -> Version:
        """Let it be as it was in a version; that is a new version itself."""

class _AsyncProjects:
    """The projects of one space. Each change is a version."""

    async def create(
        self, *, reason: str | None = None, redact: bool = False, **fields: Unpack[ProjectFields]
    ) -> Project:
        """Remember a project. A name is needed, and no other project of the space may have it."""

    async def update(
        self, of: int | str, *, reason: str | None = None, redact: bool = False, **fields: Unpack[ProjectFields]
    ) -> Project:
        """Change fields; None empties one."""

    async def here(self) -> Project | None:
        """The project whose repository the caller works in."""

    async def list(
        self,
        *,
        status: ProjectStatus | None = None,
        type: ProjectType | None = None,
        company: str | None = None,
        contact: int | str | None = None,
        priority: Priority | None = None,
        limit: int = 50,
    ) -> builtins.list[Project]:
        """By name; `contact` is the primary one, or a participant."""

    async def set_source(
        self,
        of: int | str,
        system: str,
        *,
        external_id: str | None = None,
        external_name: str | None = None,
        status: Outcome | None = None,
        checked_at: Moment | None = None,
        reason: str | None = None,
        redact: bool = False,
    ) -> ProjectSource:
        """Say which system holds a project, or how the last check of it went. What is not given stays as it is."""

    async def remove_source(self, of: int | str, system: str, *, reason: str | None = None) -> Project:
        """Say that a system does not hold a project any more."""

    async def sources(self, of: int | str | None = None, *, system: str | None = None) -> builtins.list[ProjectSource]:
        """Which systems hold projects: one, or all."""

    async def get(self, of: int | str) -> Project | None:
        """One of them, or None where there is none; the id of a memory that was found leads to its record."""

    async def delete(self, of: int | str) -> Project:
        """Move it to the trash, with all its versions; `undelete` with its id takes it out again."""

    async def history(self, of: int | str) -> builtins.list[Version]:
        """Every version, the oldest first."""

    async def diff(self, of: int | str, first: int, second: int | None = None) -> builtins.list[Difference]:
        """What a version changed; with a second one, what differs between the two."""

    async def rollback(self, of: int | str, version: int, *, reason: str | None = None) -> Project:
        """Let it be as it was in a version; that is a new version itself."""

class _AsyncSessions:
    """The sessions of one space."""

    async def start(self, name: str | None = None, *, client: str | None = None, redact: bool = False) -> Session:
        """Begin a session; one of that name that has begun already goes on."""

    async def end(self, name: str, summary: str | None = None, *, redact: bool = False) -> Session:
        """End a session; its summary becomes a memory of kind summary."""

    async def count(self, name: str, tool_calls: int = 1) -> Session:
        """Count tool calls of a session."""

    async def get(self, name: str) -> Session:
        """By its name, or by a beginning of it that no other session has."""

    async def turns(self, name: str) -> builtins.list[Memory]:
        """What was said in a session, in order; also what was corrected since."""

    async def list(
        self, *, active: bool | None = None, file: str | None = None, limit: int = 20
    ) -> builtins.list[Session]:
        """The newest first; with a file, e.g. auth.py or src/auth.py, only those whose agent changed it."""

class _AsyncSkills:
    """The skills of one space. Each change is a version; runs are not."""

    async def create(self, *, reason: str | None = None, redact: bool = False, **fields: Unpack[SkillFields]) -> Skill:
        """Remember a skill. A name and instructions are needed; the one that has this name already stays as it is."""

    async def update(
        self, of: int | str, *, reason: str | None = None, redact: bool = False, **fields: Unpack[SkillFields]
    ) -> Skill:
        """Change fields; None empties one."""

    async def list(
        self, *, enabled: bool | None = None, trigger: Trigger | None = None, limit: int = 50
    ) -> builtins.list[Skill]:
        """By name."""

    async def due(self) -> builtins.list[Skill]:
        """Those that should run now, the longest due first. Whoever runs one tells it with `ran`."""

    async def ran(
        self,
        of: int | str,
        status: Outcome = "ok",
        *,
        summary: str | None = None,
        at: Moment | None = None,
        notified: bool = False,
        redact: bool = False,
    ) -> Skill:
        """Say how a run went, and whether the user was told of it."""

    async def read(self, path: str | Path) -> Skill:
        """Take in a SKILL.md, or the folder that holds one: a new skill, or the next version of the one of its name.

        What a file says is trusted as any file is: external.
        """

    async def write(self, of: int | str, path: str | Path, *, overwrite: bool = False) -> Path:
        """Write a skill as a SKILL.md, at a path or in a folder; returns where it is."""

    async def get(self, of: int | str) -> Skill | None:
        """One of them, or None where there is none; the id of a memory that was found leads to its record."""

    async def delete(self, of: int | str) -> Skill:
        """Move it to the trash, with all its versions; `undelete` with its id takes it out again."""

    async def history(self, of: int | str) -> builtins.list[Version]:
        """Every version, the oldest first."""

    async def diff(self, of: int | str, first: int, second: int | None = None) -> builtins.list[Difference]:
        """What a version changed; with a second one, what differs between the two."""

    async def rollback(self, of: int | str, version: int, *, reason: str | None = None) -> Skill:
        """Let it be as it was in a version; that is a new version itself."""

class _AsyncSources:
    """The sources of one space."""

    async def list(self) -> list[Source]: ...
    async def add(
        self,
        path: str | Path,
        *,
        kind: SourceKind = "files",
        include: Sequence[str] = ...,
        exclude: Sequence[str] = ...,
        ignored: bool = False,
        client: str | None = None,
        name: str | None = None,
    ) -> Source:
        """Register a folder or a file; `sync` then reads it. One that is registered already is updated."""

    async def add_memory_files(self, folder: Path) -> Source | None:
        """Register MEMORY.md, memory.md and memory/ of a folder, if any of them is in no source yet."""

    async def add_instruction_files(self, folder: Path) -> Source | None:
        """Register what agents are told in a repository, CLAUDE.md, AGENTS.md and GEMINI.md, in the same way."""

    async def add_place(self, place: Place) -> Source:
        """Register the transcripts of a client."""

    async def found(self) -> builtins.list[Place]:
        """Where agent clients keep transcripts on this machine."""

    async def remove(self, name: str) -> Changed:
        """Remove a source and the memories that came from it; the files themselves stay."""

    async def named(self, name: str) -> Source: ...
    async def touched(self, paths: Sequence[str], least_bytes: int = 0, least_lines: int = 0) -> builtins.list[str]:
        """The sources that these changed files belong to; a transcript only once it has grown enough."""

class _AsyncTasks:
    """The tasks of one space."""

    async def create(
        self,
        text: str,
        *,
        scope: str | None = None,
        priority: Priority | None = None,
        due: Moment | None = None,
        note: str | None = None,
        redact: bool = False,
        **fields: Unpack[Fields],
    ) -> Task:
        """Remember something to be done; scope is "user" and priority "normal" unless given.

        A task that is known already keeps what it has: only a due date and a note that it lacks are filled in. If it
        was completed or cancelled, it begins again. The `notes` of the returned task say what was not taken over.
        """

    async def get(self, id: int) -> Task: ...
    async def update(self, id: int, *, redact: bool = False, **state: Unpack[TaskFields]) -> Task:
        """Change the state of a task."""

    async def list(
        self,
        *,
        scope: str | None = None,
        statuses: Sequence[Status] = ...,
        project: str | None = None,
        priority: Priority | None = None,
        due_before: Moment | None = None,
    ) -> list[Task]:
        """The most pressing first; `statuses=()` for all."""

class _AsyncTokens:
    """The tokens of one file. One that is made without naming a space is for the space it is made in."""

    async def create(
        self,
        name: str,
        *,
        spaces: Sequence[str] = ...,
        all_spaces: bool = False,
        scopes: Sequence[str] = ...,
        expires_at: Moment | None = None,
    ) -> tuple[Token, str]:
        """A token for these spaces, or for all, and its secret, which is never shown again."""

    async def list(self) -> list[Token]:
        """The newest first, revoked ones too."""

    async def revoke(self, name: str) -> Token:
        """End the access of a token, for good."""

    async def verify(self, secret: str) -> Token | None:
        """The token with this secret, unless it was revoked or has expired."""

class _AsyncTrash:
    """Deleted memories of one space."""

    @property
    def days(self) -> int:
        """How many days a deleted memory can be restored: the setting `trash.days`."""

    async def list(self) -> builtins.list[Trashed]:
        """The last deleted first."""

    async def empty(self) -> int:
        """Erase all of it now. Returns how many memories that were."""

    async def erase_due(self) -> int:
        """Erase what was deleted longer ago than the setting `trash.days`, in every space of the file."""

    async def erase_traces(self) -> None:
        """Erase what is left of texts that were forgotten without going through the trash, where it is quick."""

    async def erase_due_unasked(self) -> None:
        """The same at most once a day, and only where it is quick. If it fails, a later call tries again."""

class AsyncScrubjay:
    """One memory, seen from one space. Safe to use from several threads."""

    notes: tuple[str, ...]

    async def __aenter__(self) -> AsyncScrubjay: ...
    async def __aexit__(self, *error: object) -> None: ...
    async def close(self) -> None: ...
    @property
    def view(self) -> View:
        """What this caller sees and may do."""

    @property
    def address(self) -> str:
        """The path of the memory's file; of a server's memory, its URL."""

    @property
    def space(self) -> str:
        """The space that is read and written."""

    @property
    def project(self) -> str | None:
        """What the work is about: its memories rank higher, and new ones belong to it."""

    @property
    def trust(self) -> Trust:
        """The trust of what is added."""

    @property
    def actor(self) -> str | None:
        """Who writes, as the history shows it."""

    async def lend(
        self, *, space: str | None = None, restores_only_own: bool = False, **signed: Unpack[Fields]
    ) -> AsyncScrubjay:
        """The same memory for another caller: in that space, and with these fields on everything that is added.

        With `restores_only_own`, that caller takes out of the trash only what it has deleted itself, by its `actor`.
        """

    async def warm_up(self) -> None:
        """Load the language model in the background; until it is there, searches answer by words and say so."""

    async def setting(self, key: str) -> Any:
        """The value of a setting for this space."""

    async def add(
        self,
        text: str,
        *,
        supersedes: int | None = None,
        auto_supersede: bool = False,
        redact: bool = False,
        allow_secret: bool = False,
        **fields: Unpack[Fields],
    ) -> Added:
        """Remember a text. A known text is not stored twice: `created` is False, `notes` say what was taken over.

        With `auto_supersede`, a current memory of the same subject that says the same with another value is
        replaced, unless it is more trusted. With `redact`, secrets are masked instead of refused. With
        `allow_secret`, the text is kept unchanged where only `secrets` shows it.
        """

    async def add_many(
        self, items: Sequence[Mapping[str, Any]], *, redact: bool = False, progress: Progress | None = None
    ) -> builtins.list[Added]:
        """Remember many texts at once: one embedding pass, one transaction, all or nothing."""

    async def add_each(
        self, items: Sequence[Mapping[str, Any]], *, redact: bool = False, progress: Progress | None = None
    ) -> builtins.list[Added | ScrubjayError]:
        """Remember many texts, each by itself: in the place of one that is refused, the error that says why."""

    async def add_turns(
        self, session: str, turns: Sequence[TurnFields | ChatTurn], *, progress: Progress | None = None
    ) -> builtins.list[Added]:
        """Remember what was said in a session, in order; called again, it appends. A <private> lasts until closed."""

    async def add_exchange(
        self, user: str, agent: str, *, session: str | None = None, tags: Sequence[str] = ...
    ) -> builtins.list[Added]:
        """Remember what a user said and what the agent answered, as two turns of a session."""

    async def capture(self, output: str | bytes, client: str, *, session: str | None = None) -> builtins.list[Added]:
        """Remember the conversation that a client printed, as stream-json or plain text."""

    async def update(self, id: int, *, redact: bool = False, **fields: Unpack[UpdatableFields]) -> Memory:
        """Change what is not text: tags, metadata (a None deletes its key), importance, title, expiry, …"""

    async def supersede(
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
        """Replace a memory by a new text, or by another memory; the old one stays in the history."""

    async def revert(self, id: int, *, reason: str | None = None) -> Reverted:
        """Undo the last change of a memory: a replacement, a merge (as a whole) or an update. The history shows all."""

    async def confirm(self, id: int, *, undo: bool = False) -> Memory:
        """Say that a memory still holds; it ranks a little higher for it."""

    async def dismiss(self, older: int, newer: int, *, undo: bool = False) -> None:
        """Say that two memories do not contradict each other; with undo, that this is to be decided after all."""

    async def delete(self, *ids: int) -> None:
        """Delete memories: all, or none if one is missing. For `trash.days` days, `undelete` restores them."""

    async def undelete(self, id: int) -> Memory:
        """Take a memory out of the trash, a record with all its versions. Its trust is at most that of the caller."""

    @property
    def tasks(self) -> _AsyncTasks:
        """Things to be done."""

    @property
    def sessions(self) -> _AsyncSessions:
        """Runs of an agent."""

    @property
    def trash(self) -> _AsyncTrash:
        """What was deleted and can still be restored."""

    @property
    def profile(self) -> _AsyncProfile:
        """What is known about the person whose space this is."""

    @property
    def contacts(self) -> _AsyncContacts:
        """People."""

    @property
    def projects(self) -> _AsyncProjects:
        """What is worked on."""

    @property
    def skills(self) -> _AsyncSkills:
        """What an agent knows how to do."""

    async def search(self, query: str, **asked: Unpack[SearchOptions]) -> Results:
        """Find memories by word and by meaning, best first. Any text is a valid query."""

    async def search_many(self, queries: Sequence[str], **asked: Unpack[SearchOptions]) -> builtins.list[Results]:
        """Answer several questions with one embedding pass."""

    async def search_turns(self, query: str, **asked: Unpack[SearchOptions]) -> Results:
        """Find what was said in conversations, each turn with those around it."""

    async def context(
        self,
        message: str | None = None,
        tokens: int | None = None,
        *,
        session: str | None = None,
        files: Sequence[str] | None = None,
        curate: bool = False,
    ) -> Context:
        """What an agent should know now: for a message, for files at hand, or without either at a session's start.

        With `curate`, the generator chooses among what is likely to help with the message, and says why.
        """

    async def get(self, id: int, *, spaces: Sequence[str] | None = None) -> Memory | None:
        """One memory, or None where there is none of that id in this space."""

    async def get_many(self, ids: Sequence[int], *, spaces: Sequence[str] | None = None) -> builtins.list[Memory]:
        """The memories that exist, in the given order."""

    async def secrets(self) -> builtins.list[Memory]:
        """Memories that were added with `allow_secret`, with their original texts. No other answer has them."""

    async def excerpt(self, of: int | str, *, start: int = 1, lines: int | None = None, around: int = 10) -> Excerpt:
        """What stands around a passage or a turn, by id; or some lines of a document, by name."""

    async def list(
        self,
        *,
        limit: int | None = None,
        offset: int = 0,
        spaces: Sequence[str] | None = None,
        **filters: Unpack[Filters],
    ) -> builtins.list[Memory]:
        """The newest first. Of a session, all turns: also those that were corrected since."""

    async def history(self, id: int | None = None, *, subject: str | None = None) -> History:
        """What a memory replaced and was replaced by, or all memories of a subject: oldest first, with the steps."""

    async def conflicts(self) -> builtins.list[Conflict]:
        """Pairs of current memories that seem to contradict each other; a supersede or `dismiss` settles one."""

    async def timeline(
        self,
        id: int | None = None,
        window: int = 5,
        *,
        since: Moment | None = None,
        until: Moment | None = None,
        kinds: Sequence[str] = ...,
        query: str | None = None,
        limit: int = 50,
    ) -> builtins.list[Event]:
        """What happened around a memory, oldest first; or in a span of time, newest first."""

    async def activity(self, *, session: str | None = None, limit: int = 20) -> builtins.list[Activity]:
        """What the hooks of agent clients did here, the newest first."""

    async def events(
        self, *, after: str | None = None, spaces: Sequence[str] | None = None, follow: bool = True
    ) -> AsyncChanges:
        """Changes of memories as they come, whoever makes them; `after` a change that was seen, or from now on.

        It goes on until it is closed; without `follow`, until the last change that there is. A change "missed" says
        that the log does not go back as far as `after`: read anew what you keep.
        """

    async def spaces(self) -> dict[str, int]:
        """The spaces of this file, and how many current memories each has, the most first."""

    async def kinds(self) -> dict[str, int]:
        """Which kinds of memories this space has, and how many of each, the most first."""

    async def subjects(self) -> dict[str, int]:
        """What this space's memories are about, and how many are about each, the most first."""

    async def tags(self) -> dict[str, int]:
        """Which tags this space's memories have, and how many have each, the most first."""

    async def filter_notes(self, *, spaces: Sequence[str] = ..., **filters: Unpack[Filters]) -> builtins.list[str]:
        """A sentence for each name in a filter that no memory here has, with a name that may have been meant."""

    @property
    def sources(self) -> _AsyncSources:
        """The sources of this space: folders, transcripts and git histories that `sync` reads."""

    async def sync(
        self, *names: str, force: bool = False, reading: Progress | None = None, embedding: Progress | None = None
    ) -> Synced:
        """Read what has changed in these sources, or in all, and embed what is new."""

    async def sync_on(self, event: Literal["search", "session_start"]) -> Synced | None:
        """Sync if the sources have changed and the settings say so for this event."""

    async def status(self) -> DocumentsStatus:
        """How far the space is behind its sources."""

    @property
    def tokens(self) -> _AsyncTokens:
        """Who has access over the network."""

    async def stats(self) -> Stats:
        """How much there is, of which kinds, how much is used, and how it can be searched."""

    async def providers(self) -> builtins.list[Provider]:
        """Ask the embedder and the generator whether they answer, how fast, and with which model.

        Each is sent one fixed sentence; the few tokens of the generator count in its budget.
        """

    async def accesses(self, id: int | None = None, *, limit: int = 20) -> builtins.list[Access]:
        """The log of uses, the newest first: of one memory, or of the space."""

    async def check(self, deep: bool = False, repair: bool = False) -> Check:
        """Look for damage; `deep` compares every row with its words and vectors.
        With `repair`, it is repaired where possible; of damaged pages, what can be read is copied to a new file."""

    async def cleanup(self, dry_run: bool = False) -> Cleaned:
        """Move what has expired and, beyond the limits that are set, what is used least to the trash.
        What has been in the trash for longer than `trash.days` is erased."""

    async def backfill(
        self, batch: int = ..., progress: Progress | None = None, *, retry: bool = False, job: bool = False
    ) -> Filled:
        """Give a vector to each memory that has none yet; with `retry`, also to those that were refused.
        With `job`, a batch job is submitted to OpenAI or Gemini; a later call with `job` fetches its results."""

    async def reindex(self, embedder: str | Embedder = ..., progress: Progress | None = None) -> Filled:
        """Move the whole file to another embedder; the old vectors answer until the new ones are complete."""

    async def extract(
        self,
        text: str | None = None,
        *,
        session: str | None = None,
        again: bool = False,
        rules: bool = False,
        dry_run: bool = False,
        progress: Progress | None = None,
    ) -> Extracted:
        """Extract memories from a text, from a session, or from all sessions that have something new.

        This is done by the configured generator; without one, or with `rules`, by rules for plain English statements.
        """

    async def synthesise(self, **filters: Unpack[Filters]) -> Plan:
        """Let the generator propose merges, corrections and deletions; nothing is changed."""

    async def apply(self, plan: Plan) -> Applied:
        """Make the changes of a plan that are still allowed; `revert` undoes any of them."""

    async def export(
        self,
        file: str | Path | BinaryIO,
        *,
        vectors: bool = False,
        all_spaces: bool = False,
        progress: Progress | None = None,
        **filters: Unpack[Filters],
    ) -> Exported:
        """Write this space, or the memories in it that match, to one file that `import_file` reads, without loss."""

    async def export_markdown(self, folder: str | Path, **filters: Unpack[Filters]) -> int:
        """Write memories as pages of Markdown, to read and edit; `import_file` takes edits back. Returns how many."""

    async def import_file(
        self,
        file: str | Path,
        *,
        dry_run: bool = False,
        trust_file: bool = False,
        all_spaces: bool = False,
        redact: bool = False,
        prune: bool = False,
        progress: Progress | None = None,
    ) -> Imported:
        """Merge a file into this space: an export, or a file of another program. Again, it changes nothing.

        What is not from this user's own exports becomes `external`, unless the caller vouches for it (`trust_file`).
        Of a folder of Markdown, what was edited comes back; with `prune`, a removed page deletes its memory.
        """

    async def backup(self, file: str | Path) -> BackedUp:
        """Copy the whole memory, every space of it, to a file while others use it; the copy is checked."""

    async def backup_daily(self, folder: str | Path | None = None, *, keep: int = 7) -> BackedUp:
        """Make one backup a day in a folder (by default `backups` beside the memory), and keep the last ones."""

    async def forget(
        self,
        *ids: int,
        subject: str | None = None,
        session: str | None = None,
        since: Moment | None = None,
        until: Moment | None = None,
        sources: Sequence[str] = ...,
        query: str | None = None,
        derived: bool = False,
        dry_run: bool = False,
    ) -> Forgotten:
        """Erase memories for good, past the trash: all that match, current, replaced or deleted. It cannot be undone.

        With `derived`, also what replaced them, what they replaced, and what was extracted from them.
        """

    async def export_csv(self, file: str | Path | TextIO, **filters: Unpack[Filters]) -> int:
        """Write memories as a table for spreadsheets, the oldest first; returns how many."""

    async def link(self, id: int, to: int, word: str | None = None) -> Link:
        """Link a memory to another, by `relates_to` or a word such as `depends_on` or `part_of`."""

    async def unlink(self, id: int, to: int, word: str | None = None) -> int:
        """Take away the link of that word, or all links from a memory to another; returns how many."""

    async def links(self, id: int) -> builtins.list[Link]:
        """The links from and to a memory, and of those that it has replaced, each with the memory at the other end."""

    async def rate(self, id: int, *, helpful: bool, session: str | None = None) -> Memory:
        """Say whether a memory was of use. It ranks a little higher or lower for it, and is evicted later or sooner."""

    async def citations(self, id: int) -> builtins.list[Cited]:
        """What a memory cites: each FRESH, STALE (with what changed) or GONE, on the machine that holds the memory."""

async def aopen(
    path: str | Path | None = None,
    *,
    space: str | None = None,
    project: str | None = None,
    embedder: str | Embedder | None = None,
    folder: Path | None = None,
    trust: Trust = "user",
    actor: str | None = None,
    token: str | None = None,
    clock: Clock = ...,
) -> AsyncScrubjay:
    """Open a memory, making it if it is new. Without a path: the one in the user's data folder.

    With a folder: the one of the project that it lies in, if the user has trusted it (`scrubjay init` does); `notes`
    of what is opened say so if not. With the address of a server (https://…) and a token: the memory of that server.
    """
