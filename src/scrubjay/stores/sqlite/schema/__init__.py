"""The schema as a series of numbered steps: an .sql file each, and what SQL alone cannot do, right after it.

A step is applied once, in order, in one transaction with its number. A step that was released is never changed.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import cache, partial
from pathlib import Path

from scrubjay.errors import Damaged
from scrubjay.stores.columns import AT_FIRST, NAMES, from_row, spellings
from scrubjay.stores.connections.names import relearn_all
from scrubjay.stores.contract import Rows
from scrubjay.stores.deletions.tombstones import key_document_hashes, key_old_marks
from scrubjay.stores.evidence.word_counts import make_stems_anew

__all__ = ["DATA", "scripts"]


@cache
def scripts() -> tuple[str, ...]:
    """What each step runs, the first first."""
    return tuple(path.read_text(encoding="utf-8") for path in sorted(Path(__file__).parent.glob("*.sql")))


def add_spellings(rows: Rows) -> None:
    """Give memories of an older version the column that 0007_spellings.sql adds."""
    spelt: list[dict[str, object]] = []
    columns = ", ".join(f"'{AT_FIRST[name]}'" if name in AT_FIRST else name for name in NAMES)
    for row in rows.all(f"select {columns} from memories where spellings is null"):
        with suppress(Damaged):  # `check --deep` names it; the others must not wait for its repair
            memory = from_row(row)
            spelt += [{"found": found, "id": memory.id}] if (found := spellings(memory)) else []
    rows.run_many("update memories set spellings = :found where id = :id", spelt)


DATA: dict[int, Callable[[Rows], None]] = {
    7: add_spellings,
    8: key_old_marks,  # with the key that 0008_trash.sql makes
    18: relearn_all,
    27: make_stems_anew,
    28: partial(make_stems_anew, only_long=True),
    29: key_document_hashes,
}
