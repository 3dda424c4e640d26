"""Questions as a caller asks them, completed by the settings of the space they are asked in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scrubjay.config import Settings
from scrubjay.dates.timestamps import Clock
from scrubjay.errors import Invalid
from scrubjay.memory.arguments import space_name
from scrubjay.memory.filters import Asked, Filters, make_filter
from scrubjay.search.pipeline import make_query
from scrubjay.types import Filter, Query

__all__ = ["Asker"]

HOW = frozenset(Asked.__annotations__) - frozenset(Filters.__annotations__)  # a question is to be answered


@dataclass(frozen=True, slots=True)
class Asker:
    """Makes questions and filters for one space."""

    space: str
    project: str | None
    clock: Clock
    settings: Settings

    def questions(self, texts: Sequence[str], asked: Mapping[str, Any]) -> list[Query]:
        narrowing = {name: value for name, value in asked.items() if name not in HOW}
        filter = self.filter(asked.get("spaces"), narrowing)
        chosen = {name: asked.get(name) for name in ("limit", "mode", "fusion", "min_score")}
        usual = {name: self._setting(name) for name, value in chosen.items() if value is None}
        weights = {name: self._setting(f"{name}_weight") for name in ("keyword", "vector")}
        how = {
            **chosen,
            **usual,
            "weights": {**weights, **(asked.get("weights") or {})},
            "project": self.project,
            "half_lives": self.settings.half_lives(self.space),
            "source_share": self._setting("source_share"),
        }
        return [make_query(text, filter=filter, **how) for text in texts]

    def filter(self, spaces: Sequence[str] | None = None, filters: Mapping[str, Any] | None = None) -> Filter:
        return make_filter(self.spaces(spaces), self.clock(), filters or {})

    def spaces(self, spaces: Sequence[str] | None) -> list[str]:
        if spaces is None:
            return [self.space]
        named = [space_name(space) for space in ([spaces] if isinstance(spaces, str) else spaces)]
        if not named:
            raise Invalid("spaces is empty; name at least one, or leave it out.")
        return named

    def _setting(self, name: str) -> Any:
        return self.settings.get(f"search.{name}", self.space)
