"""Former names of documents, by which an older export may bring what was deleted of them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from scrubjay.stores.columns import object_from
from scrubjay.stores.contract import Rows

if TYPE_CHECKING:
    from scrubjay.types.documents import Document

__all__ = ["names_since", "with_former_names"]

FORMERLY = "formerly"  # in the state of a document
RENAMED = "select name, state from documents where space = :space and instr(state, :key) > 0"


def with_former_names(document: Document, stored: Document | None) -> Document:
    names = [*_former_names(stored.state), stored.name] if stored else []
    former = [name for name in dict.fromkeys(names) if name != document.name]
    return replace(document, state={**document.state, FORMERLY: former}) if former else document


def names_since(rows: Rows, space: str, former: str) -> list[str]:
    """The names that documents which were called so have now."""
    found = rows.all(RENAMED, space=space, key=json.dumps(FORMERLY))
    return [name for name, state in found if former in _former_names(object_from(state))]


def _former_names(state: Mapping[str, Any]) -> list[str]:
    told = state.get(FORMERLY)
    return [name for name in told if isinstance(name, str)] if isinstance(told, list) else []
