"""Links between an erased memory and one in the trash: their words are erased, too."""

from __future__ import annotations

import json
from contextlib import suppress

from scrubjay.errors import Damaged
from scrubjay.stores.contract import Rows
from scrubjay.stores.deletions.kept_rows import kept_from

__all__ = ["erase_links"]

WITH_LINKS = "select id, kept from trash where instr(kept, '\"links\": [{') > 0"
THERE = "select id from memories where id in (:ids) union all select id from trash where id in (:ids)"


def erase_links(rows: Rows) -> None:
    """Erase links that the trash keeps, whose other memory is neither stored nor in the trash any more."""
    for id, text in rows.all(WITH_LINKS):
        with suppress(Damaged, LookupError, TypeError, AttributeError):  # a repair says so
            kept = kept_from(text)
            ends = {link[end] for link in kept["links"] for end in ("source", "target")}
            there = {found for (found,) in rows.all(THERE, ids=list(ends))}
            left = [link for link in kept["links"] if {link["source"], link["target"]} <= there]
            if len(left) < len(kept["links"]):
                rows.run(
                    "update trash set kept = :kept where id = :id", kept=json.dumps({**kept, "links": left}), id=id
                )
