"""Answers that are put together of several things, in JSON types: outcomes, what to know, counts, a status, figures."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from scrubjay.errors import ScrubjayError
from scrubjay.interfaces import formatting
from scrubjay.types import Added

if TYPE_CHECKING:  # most processes never need them
    from scrubjay.types.agents import Context
    from scrubjay.types.documents import Status
    from scrubjay.types.reports import Stats

__all__ = ["context_dict", "counts_list", "outcomes_dict", "stats_dict", "status_dict"]


def outcomes_dict(
    outcomes: Mapping[int, Added | ScrubjayError], sentence: Callable[[ScrubjayError], str] = str
) -> dict[str, Any]:
    """What became of each line of many, by its number: added, known, or refused with a sentence."""
    refused = {line: one for line, one in outcomes.items() if isinstance(one, ScrubjayError)}
    added = {line: one for line, one in outcomes.items() if isinstance(one, Added)}
    shown = {line: formatting.added_dict(one) for line, one in added.items()}
    shown |= {line: {"error": sentence(one), "type": type(one).__name__} for line, one in refused.items()}
    created = sum(one.created for one in added.values())
    about = {"created": created, "known": len(added) - created, "refused": len(refused)}
    return {"outcomes": [{"line": line, **shown[line]} for line in outcomes], **about}


def context_dict(found: Context) -> dict[str, Any]:
    about = {"text": found.text, "tokens": found.tokens, "ids": [memory.id for memory in found.memories]}
    return {**about, "why": {str(id): why for id, why in found.why.items()}, "notes": list(found.notes)}


def counts_list(noun: str, counts: Mapping[str, int]) -> list[dict[str, Any]]:
    """How many memories there are of each name: spaces, subjects, tags or kinds."""
    from scrubjay.text.kinds import DESCRIPTIONS  # few processes need them

    what = {name: {"what": DESCRIPTIONS.get(name)} if noun == "kind" else {} for name in counts}
    return [{noun: name, "memories": number, **what[name]} for name, number in counts.items()]


def status_dict(found: Status) -> dict[str, Any]:
    return formatting.to_dict(found) | {"behind": found.behind}


def stats_dict(stats: Stats) -> dict[str, Any]:
    shown = formatting.to_dict(stats)
    shown["cache"]["rate"] = round(stats.cache.rate, 3)
    return shown
