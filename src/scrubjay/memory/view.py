"""One space of a store, as one caller sees it. Every operation (add, search, …) is a function that takes a view."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from scrubjay.config import Settings
from scrubjay.dates import timestamps
from scrubjay.dates.timestamps import Clock
from scrubjay.errors import Invalid, NotFound
from scrubjay.memory import guard
from scrubjay.memory.arguments import memory_id, memory_text, several, short_text, space_name, whole_text
from scrubjay.memory.arguments import trust as checked_trust
from scrubjay.memory.connections import citations
from scrubjay.memory.fields import FIELDS, TURN_FIELDS, Fields, checked
from scrubjay.memory.filters import make_filter
from scrubjay.models.selection import EmbedderSelection
from scrubjay.stores import Store, Use
from scrubjay.text.kinds import KNOWN, kind_of
from scrubjay.text.secret_scan.quoting import quoted
from scrubjay.types import KINDS_CUT_FROM_A_SOURCE, Filter, Memory, Trust, first_words, limits, trust
from scrubjay.types.memories import Citation

if TYPE_CHECKING:
    from scrubjay.types.history import Step

__all__ = ["View"]

NOT_WHOLE = "A name cannot have a part that is private or looks like a secret: only {!r} of it could be stored."


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """What a caller sees and may do: frozen, and shared by all that works for this caller."""

    store: Store
    selection: EmbedderSelection
    space: str
    project: str | None = None  # what the work is about
    trust: Trust = "user"  # of what the caller adds
    actor: str | None = None  # who writes, as the history shows it
    clock: Clock = timestamps.now
    settings: Settings = field(default_factory=Settings)
    defaults: Mapping[str, Any] = field(default_factory=dict)  # fields of everything that the caller adds
    folder: Path | None = None  # where the work is; None: no file can be cited
    restores_only_own: bool = False  # of the trash: what somebody else has deleted is not for this caller
    source_trust: Trust = "user"  # the most trust of anything that is cut from a source

    def __post_init__(self) -> None:
        """Actor and project come from a client or a folder, and are stored with many memories: without secrets."""
        checked_trust(self.trust)
        for name in ("actor", "project"):
            if getattr(self, name) is not None:
                whole_text(name, getattr(self, name))
            object.__setattr__(self, name, guard.allowed(getattr(self, name), "redact") or None)

    def lend(self, space: str | None, defaults: Fields, restores_only_own: bool = False) -> View:
        """The view of another caller, who adds these fields to everything; who borrows gives no more than they have."""
        return replace(
            self,
            space=space_name(self.space if space is None else space),
            project=defaults.get("project", self.project),
            trust=defaults.get("trust", self.trust),
            actor=defaults.get("actor", self.actor),
            defaults=defaults,
            restores_only_own=self.restores_only_own or restores_only_own,
        )

    @property
    def is_remote(self) -> bool:
        """Whether the caller is on another machine, so that a folder it names is none of this one."""
        return self.defaults.get("source") == "api"

    @property
    def is_foreign(self) -> bool:
        """Whether somebody else made this memory: it came with a project, and the user has not taken it over."""
        return self.source_trust == "external"

    def setting(self, key: str) -> Any:
        """The value of a setting for this space."""
        return self.settings.get(key, self.space)

    # What comes in

    def new_memory(
        self, text: str, fields: Mapping[str, Any], *, turn: bool = False, redact: bool = False,
        allow_secret: bool = False, said_before: Sequence[str] = (),
    ) -> Memory:  # fmt: skip
        """A memory, not stored yet, of what the caller gave. Raises `Invalid` with a sentence for what is wrong.

        With `allow_secret`, the secrets in its text are masked whatever the policy: the caller keeps them elsewhere.
        A turn that was `said_before` this one may ask for the secret that this one tells.
        """
        signed = {"actor": self.defaults["actor"]} if "actor" in self.defaults else {}  # nobody signs for another
        given = {"project": self.project, "actor": self.actor, **self.defaults, **fields, **signed}
        given["trust"] = trust.allowed(self.trust, given.get("trust"))
        policy = self._policy(redact)
        return self._memory(text, given, turn, policy, "redact" if allow_secret else policy, said_before)

    def new_source_memory(self, text: str, fields: Mapping[str, Any], said_before: Sequence[str] = ()) -> Memory:
        """A memory, not stored yet, that is cut from a source; secrets are masked, because nobody can be asked."""
        most = self.source_trust
        given = {**fields, "trust": trust.lower(fields.get("trust", most), most)}
        policy = "redact" if self._policy() == "refuse" else self._policy()
        return self._memory(text, given, fields.get("kind") == "turn", policy, policy, said_before)

    def _memory(
        self, text: str, fields: Mapping[str, Any], turn: bool, policy: str, text_policy: str,
        said_before: Sequence[str],
    ) -> Memory:  # fmt: skip
        now, known = self.clock(), TURN_FIELDS if turn else FIELDS
        if unknown := sorted(set(fields) - set(known)):
            raise Invalid(f"A memory has no field {quoted(unknown[0])}; it has {', '.join(sorted(known))}.")
        given = {name: checked(name, value, now) for name, value in fields.items() if value is not None}
        kind = given.pop("kind", "turn" if turn else None)
        if policy != "off" and kind not in KNOWN:
            guard.allowed(kind, "refuse")
        if kind in KINDS_CUT_FROM_A_SOURCE and policy == "refuse":
            policy = text_policy = "redact"
        given = {name: kept for name, value in given.items() if (kept := self._kept(name, value, policy)) != ""}
        given |= {"cites": self.cited(given["cites"])} if "cites" in given else {}
        told_by = [*said_before, *guard.headings(given)]
        text = memory_text(guard.allowed_text(memory_text(text), text_policy, before=told_by))
        given = guard.allowed_beside(text, given, policy)
        return Memory(
            id=0,
            uid=os.urandom(16).hex(),
            space=self.space,
            text=text,
            kind=kind or kind_of(text),
            title=given.pop("title", None) or first_words(text),
            happened_at=given.pop("happened_at", now),
            created_at=now,
            updated_at=now,
            **given,
        )

    def cited(self, cites: Sequence[str | Citation]) -> tuple[Citation, ...]:
        """What a memory is to cite, as it is now."""
        return citations.take(self.folder, cites)

    def _kept(self, name: str, value: Any, policy: str) -> Any:
        """The part of a field that may be stored; project and actor of the view were looked at when it was made."""
        is_own = name in ("project", "actor") and value == getattr(self, name)
        if name == "session":
            return self._session(value, policy)
        return value if is_own or name == "trust" else guard.allowed(value, policy)

    def allowed(self, value: Any, redact: bool = False) -> Any:
        """The part of a value that may be stored; raises `Invalid` for a secret that is refused."""
        return guard.allowed(value, self._policy(redact))

    def allowed_together(self, fields: Mapping[str, Any], redact: bool = False) -> dict[str, Any]:
        """The fields of a memory with its text, each of which was allowed by itself: one may tell of another."""
        text = guard.allowed_text(fields["text"], self._policy(redact), "", guard.headings(fields))
        return self.allowed_beside(text, {**fields, "text": text}, redact)

    def allowed_beside(self, text: str, fields: Mapping[str, Any], redact: bool = False) -> dict[str, Any]:
        """Fields that were allowed by themselves, beside the text of their memory."""
        return guard.allowed_beside(text, fields, self._policy(redact))

    def whole_names(self, names: Sequence[str]) -> None:
        """Raises `Invalid` for a name of which only a part could be stored: that part may be the name of another."""
        if wrong := next((name for name in names if self.allowed(name) != name), None):
            raise Invalid(NOT_WHOLE.format(self.allowed(wrong, redact=True)))

    def masked(self, document: str) -> str:
        """A document that was not scanned for secrets yet, as it may be shown."""
        return guard.masked(document, self._policy())

    def session_name(self, name: str) -> str:
        """The name of a session as it is stored: secrets in it are masked."""
        return self.stored_session(short_text("session", name), redact=True)

    def stored_session(self, name: str, redact: bool = False) -> str:
        """The same of a name of any length; raises `Invalid` for a secret that is refused."""
        return self._session(name, self._policy(redact))

    def _session(self, name: str, policy: str) -> str:
        """A name that was masked gets a mark of its own: else two conversations would be taken for one."""
        public = str(guard.allowed(name, policy))
        return f"{public} {self.store.withheld.mark(name)}" if public not in ("", name) else public

    def _policy(self, redact: bool = False) -> str:
        """What to do with secrets: refuse, redact or off."""
        return "redact" if redact else str(self.setting("guard.secrets"))

    # What is seen

    def spaces(self, spaces: Sequence[str] | None) -> list[str]:
        """The spaces that a caller names; without any, this one."""
        if spaces is None:
            return [self.space]
        named = [space_name(space) for space in ([spaces] if isinstance(spaces, str) else several("spaces", spaces))]
        if not named:
            raise Invalid("spaces is empty; name at least one, or leave it out.")
        if len(named) > limits.SPACES:  # each is searched by itself
            raise Invalid(f"spaces may name at most {limits.SPACES}, not {len(named):,}.")
        return named

    def filter(self, filters: Mapping[str, Any] | None = None, spaces: Sequence[str] | None = None) -> Filter:
        return make_filter(self.spaces(spaces), self.clock(), filters or {})

    def existing(self, id: int) -> Memory:
        """The memory of that id; raises `NotFound` if this space has none."""
        found = self.store.memories.get([memory_id(id)], [self.space], self.clock())
        if not found:
            raise NotFound(f"There is no memory {id} in space {self.space!r}.")
        return found[id]

    def get(self, ids: Sequence[int], spaces: Sequence[str] | None = None) -> list[Memory]:
        """The memories that exist, in the given order, without those that were kept with a secret."""
        now, seen = self.clock(), self.spaces(spaces)
        wanted = [memory_id(id) for id in several("ids", ids)]
        found = self.store.memories.get(wanted, seen, now)
        for id in self.store.withheld.secrets(seen):
            found.pop(id, None)
        self.store.uses.note(Use(id, memory.space, now, "get") for id, memory in found.items())
        return [found[id] for id in wanted if id in found]

    def newest(
        self, filters: Mapping[str, Any], spaces: Sequence[str] | None, limit: int | None, offset: int
    ) -> list[Memory]:
        """The newest first. Of a session, all turns: also those that were corrected since."""
        filter = self.filter(filters, spaces)
        all_turns = replace(filter, replaced_turns=filter.session is not None, without_narration=False)
        return self.store.memories.newest(all_turns, limit, offset)

    def space_counts(self) -> dict[str, int]:
        """The spaces of the file, and how many current memories each has, the most first."""
        named = self.store.memories.spaces()
        counts = self.store.memories.counts("space", make_filter(named, self.clock(), {})) if named else {}
        return {**counts, **{space: 0 for space in named if space not in counts}}

    def counts(self, name: Literal["kind", "subject", "project", "tag"]) -> dict[str, int]:
        """Which kinds, subjects, projects or tags the current memories have, and how many have each, the most first."""
        return self.store.memories.counts(name, self.filter())

    # What changes

    def step(self, old: int, reason: str | None = None, redact: bool = False) -> Step:
        """The record of a change of this caller, now."""
        from scrubjay.types.history import Step  # few processes need it

        now = self.clock()
        why = self.reason(reason, redact)
        return Step(old=old, new=None, at=now, effective_at=now, actor=self.actor, reason=why)

    def reason(self, reason: str | None, redact: bool = False) -> str | None:
        return None if reason is None else self.allowed(short_text("reason", reason), redact) or None
