"""What comes in by one door: guarded, trusted as far as the door is, and marked with who brought it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from scrubjay.dates.timestamps import Clock
from scrubjay.memory.fields import Fields, admitted, compose, masked, short_text
from scrubjay.types import Memory, Trust, trust

__all__ = ["Composer"]


@dataclass(frozen=True, slots=True)
class Composer:
    """Makes memories of what a caller gives; they are not stored yet."""

    space: str
    project: str | None
    trust: Trust  # of what comes in by this door
    actor: str | None  # who writes here, as the history tells it
    clock: Clock
    secrets: str  # what to do with them: refuse, redact or off
    signed: Mapping[str, Any] = field(default_factory=dict)  # what is said of all that comes in by this door
    cut_trust: Trust = "user"  # the most that anything cut from a source is trusted

    def __post_init__(self) -> None:
        """Who writes here and what the work is about come from a client or a folder, and are stored with much else."""
        for name in ("actor", "project"):
            object.__setattr__(self, name, admitted(getattr(self, name), "redact") or None)

    def lent(self, space: str, signed: Fields) -> Composer:
        """The same for other hands, which say who they are."""
        trust, actor = signed.get("trust", self.trust), signed.get("actor", self.actor)
        return replace(self, space=space, trust=trust, actor=actor, signed=signed)

    def compose(
        self, text: str, fields: Mapping[str, Any], turn: bool = False, redact: bool = False, allow_secret: bool = False
    ) -> Memory:
        """With `allow_secret`, only the text is redacted: the caller keeps it elsewhere as it is."""
        given = {"project": self.project, "actor": self.actor, **self.signed, **fields}
        given["trust"] = trust.allowed(self.trust, given.get("trust"))
        secrets, in_text = self._policy(redact), "redact" if allow_secret else None
        return compose(text, self.space, self.clock(), given, turn=turn, secrets=secrets, secrets_in_text=in_text)

    def compose_cut(self, text: str, fields: Mapping[str, Any]) -> Memory:
        """What is cut from a source says itself how far it is to be trusted, within what the store allows."""
        turn = fields.get("kind") == "turn"
        known = {**fields, "trust": trust.lower(fields.get("trust", self.cut_trust), self.cut_trust)}
        return compose(text, self.space, self.clock(), known, turn=turn, secrets=self._where_nobody_is_refused)

    def admit(self, value: Any, redact: bool = False) -> Any:
        return admitted(value, self._policy(redact))

    def shown(self, text: str) -> str:
        """A document that was never guarded, as it may be shown."""
        return masked(text, self.secrets)

    def reason(self, reason: str | None, redact: bool = False) -> str | None:
        return None if reason is None else self.admit(short_text("reason", reason), redact) or None

    def _policy(self, redact: bool) -> str:
        return "redact" if redact else self.secrets

    @property
    def _where_nobody_is_refused(self) -> str:
        return "redact" if self.secrets == "refuse" else self.secrets
