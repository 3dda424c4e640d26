"""Copying one memory into another with everything, and comparing both at the end."""

from __future__ import annotations

import hashlib
import tempfile
from pathlib import Path

from scrubjay.errors import Damaged, Invalid
from scrubjay.memory.view import View
from scrubjay.portable.export import encoded, export, note_copy
from scrubjay.portable.import_export import import_export
from scrubjay.stores.transfer.outgoing import Selection
from scrubjay.types.reports import Moved

__all__ = ["compared", "copy_whole", "merge_into", "refuse_same"]

DIFFERENT = "{} does not hold all that {} holds ({} of {} lines are missing); {} is as it was."
LEFT = "The trash, texts kept with their secret, tokens and logs of {} were left behind"
WITHOUT = LEFT + ": {} held memories before."
BY_LINES = LEFT + ", as they are in every export."


def copy_whole(source: View, target: Path) -> None:
    """Copy a store to a new file: every row of it."""
    from scrubjay.stores.sqlite.copying import copy

    try:
        copy(source.store.path, target)
    except OSError as problem:
        raise Invalid(f"{target} cannot be written: {problem.strerror}.") from None


def merge_into(source: View, target: View) -> None:
    """Merge every space of a store into another one, by an export that nobody else sees."""
    with tempfile.TemporaryFile() as file:  # private, and without a name
        export(source, file, {}, vectors=True, all_spaces=True)
        file.seek(0)
        import_export(
            target, file, dry_run=False, trust_file=False, all_spaces=True, redact=False, progress=None
        )  # fmt: skip


def compared(source: View, target: View, merged: bool, by_lines: bool = False) -> Moved:
    """Raise Damaged unless the target has every memory of the source; of a whole copy, every line.

    A copy that was made `by_lines` has what an export has.
    """
    ours, theirs = _digests(source, merged), _digests(target, merged)
    missing = ours - theirs
    if missing or (not merged and ours != theirs):
        names = (target.store.path, source.store.path)
        raise Damaged(DIFFERENT.format(*names, len(missing), len(ours), names[1]))
    _note_each_other(source, target)
    spaces = source.store.memories.spaces()
    memories = source.store.transfer.count(Selection(spaces))
    notes = (WITHOUT.format(source.store.path, target.store.path),) if merged else ()
    notes = (BY_LINES.format(source.store.path),) if by_lines else notes
    return Moved(
        source=source.store.path, target=target.store.path, memories=memories, lines=len(ours), merged=merged,
        notes=notes,
    )  # fmt: skip


def _note_each_other(source: View, target: View) -> None:
    """Whoever forgets something in one of the two is told of the other."""
    for one, other in ((source, target), (target, source)):
        where = other.store.path
        note_copy(one, one.allowed(where if "://" in where else str(Path(where).absolute()), redact=True), True)


def refuse_same(source: str, target: str) -> None:
    if Path(target).exists() and Path(source).samefile(target):
        raise Invalid("FROM and TO are the same memory.")


def _digests(view: View, merged: bool) -> set[bytes]:
    """What an export says, line by line. Merged into another memory, a version may give way to a newer one."""
    with view.store.snapshot():
        lines = view.store.transfer.lines(Selection(view.store.memories.spaces(), None, not merged))
        if merged:
            return {bytes.fromhex(line["uid"]) for line in lines if line["type"] == "memory"}
        return {hashlib.sha256(encoded(line)).digest() for line in lines}
