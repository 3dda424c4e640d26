"""Opening a memory: which file, whose space, and with which settings."""

from __future__ import annotations

from pathlib import Path

from scrubjay import config
from scrubjay.arguments import space_name
from scrubjay.embedders import Embedder
from scrubjay.errors import Damaged, NotAStore
from scrubjay.jay import Scrubjay
from scrubjay.stores import open_store
from scrubjay.times import Clock, now
from scrubjay.types import Check, Trust

__all__ = ["open", "repair"]


def open(
    path: str | Path | None = None,
    *,
    space: str | None = None,
    project: str | None = None,
    embedder: str | Embedder | None = None,
    folder: Path | None = None,
    trust: Trust = "user",
    actor: str | None = None,
    clock: Clock = now,
) -> Scrubjay:
    """Open a memory, making it if it is new. Without a path: the one in the user's data folder.

    With a folder: the project-local one of the folder it lies in, if `scrubjay init` made one there.
    """
    settings = config.load(folder)
    url = str(path or config.store_path(settings))
    chosen = space_name(space or settings.get("space"))
    store = open_store(url)
    try:
        return Scrubjay(
            store, embedder, space=chosen, project=project, trust=trust, actor=actor, clock=clock, settings=settings
        )
    except BaseException:
        store.close()
        raise


def repair(path: str | Path | None = None, *, folder: Path | None = None, clock: Clock = now) -> Check:
    """Mend a memory, also one that cannot be opened any more: a new file gets all that can be read of the old one.

    The old file is kept beside it; the report says where, and which memories are missing.
    """
    settings = config.load(folder)
    url = str(path or config.store_path(settings))
    try:
        with open(url, folder=folder, clock=clock) as jay:
            return jay.check(deep=True, repair=True)
    except (Damaged, NotAStore):
        from scrubjay.stores.salvage import salvage

        salvaged = salvage(Path(url), clock())
    with open(url, folder=folder, clock=clock) as jay:
        after = jay.check(deep=True, repair=True)
    return Check([*salvaged.missing(), *after.problems], [*salvaged.mended(), *after.repaired])
