"""Places of deleted turns in their conversations: they are kept free, so that the turns can come back."""

from __future__ import annotations

from contextlib import suppress

from scrubjay.errors import Damaged
from scrubjay.stores.columns import object_from
from scrubjay.stores.contract import Rows

__all__ = ["last_place_in_trash"]

IS_KNOWN = "select 1 from sessions where space = :space and name = :session"
DELETED = "select kept from trash where space = :space and id > :id"


def last_place_in_trash(rows: Rows, space: str, session: str | None, after: int) -> int:
    """The last place that a deleted turn of a session has, of those that came after a turn that is there; or -1."""
    places = [-1]
    deleted = rows.all(DELETED, space=space, id=after) if rows.one(IS_KNOWN, space=space, session=session) else []
    for (kept,) in deleted:
        with suppress(Damaged, LookupError, TypeError):  # a repair says so
            memory = object_from(kept)["memories"][0]
            places += [memory["position"]] if memory["session"] == session else []
    return max(place for place in places if isinstance(place, int))
