"""Answers in JSON with nothing shortened, as the HTTP API sends them; `remote/answers.py` reads them back.

The keys are those of the command line's JSON (shapes.py); times have their microseconds, and numbers all digits.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import datetime
from typing import Any

from scrubjay.errors import ScrubjayError
from scrubjay.interfaces.formatting import linked_dict
from scrubjay.interfaces.marks import cited_dict
from scrubjay.interfaces.shapes import NOUNS
from scrubjay.types import Added, Hit, Results
from scrubjay.types.answers import Cited, Link
from scrubjay.types.memories import Citation

__all__ = ["exact"]

MORE = {kind: tuple(more) for kind, more in NOUNS.values() if more}  # keys that are properties, not fields


def exact(value: Any) -> Any:
    """Any value that a method returns, in JSON types."""
    match value:
        case Results():
            about = {"tiers": list(value.tiers), "notes": list(value.notes), "doubtful": value.doubtful}
            return {"results": [exact(hit) for hit in value], **about, "words": list(value.words)}
        case Hit():
            return _hit(value)
        case Added():
            return {"id": value.memory.id, **_fields(value)}
        case Link():
            return {**linked_dict(value), **_fields(value)}
        case Cited():
            return {**cited_dict(value), "citation": exact(value.citation)}
        case Citation():  # where its folder lies on the server is not told
            return {"what": value.what, "lines": exact(value.lines)}
        case ScrubjayError():
            return {"error": str(value), "type": type(value).__name__}
        case datetime():
            return value.isoformat().replace("+00:00", "Z")
        case Mapping():
            return dict(value)
        case tuple() | list():
            return [exact(item) for item in value]
    return _fields(value) if is_dataclass(value) else value


def _fields(value: Any) -> dict[str, Any]:
    names = [*(field.name for field in fields(value)), *MORE.get(type(value), ())]
    return {name: exact(getattr(value, name)) for name in names}


def _hit(hit: Hit) -> dict[str, Any]:
    """The memory's fields and those of the hit in one object; `confidence` is the memory's own."""
    of_hit = _fields(hit)
    memory, confidence = of_hit.pop("memory"), of_hit.pop("confidence")
    return {**memory, **of_hit, "hit_confidence": confidence, "snippet": hit.snippet()}
