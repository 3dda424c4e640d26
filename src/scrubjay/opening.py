"""Opening a memory: which file, whose space, and with which settings."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from scrubjay import config
from scrubjay.api import Scrubjay
from scrubjay.dates.timestamps import Clock, now
from scrubjay.errors import Damaged, Invalid, NotAStore
from scrubjay.memory.arguments import space_name
from scrubjay.memory.view import View
from scrubjay.models.embedders import AUTO, NONE, Embedder
from scrubjay.models.selection import EmbedderSelection, is_same_model
from scrubjay.project import trust as project_trust
from scrubjay.project.trust import Project
from scrubjay.stores import Store, open_store
from scrubjay.types import Check, Trust

__all__ = ["open", "repair", "share"]

OTHER_MODEL = (
    "SCRUBJAY_EMBEDDER is {0}, but the vectors of this file were made by another model, which is used;"
    " `scrubjay reindex --embedder {0}` changes that."
)
OUTSIDE = "Sources of this project's memory that lie outside of the project, and are not read: {}."


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

    With a folder: the one of the project that it lies in, if the user has trusted it (`scrubjay init` does); `notes`
    of what is opened say so if not.
    """
    found = _find(path, space, folder)
    local = _of_a_project(found.url)
    notes = found.notes
    store = open_store(found.url)
    if embedder is None:
        embedder, about_embedder = _of_the_environment(store)
        notes += about_embedder
    try:
        if local:
            store.documents.within = local.root
        settings = found.settings
        view = View(
            store=store,
            selection=EmbedderSelection(
                store, embedder, *map(settings.get, ("embedder", "keys.embedder", "headers.embedder"))
            ),
            space=found.space,
            project=project,
            trust=trust,
            actor=actor,
            clock=clock,
            settings=settings,
            source_trust="external" if local and local.is_foreign else "user",
        )
        return Scrubjay(view, (*notes, *_outside(store)))
    except BaseException:
        store.close()
        raise


def share(jay: Scrubjay, folder: Path, project: str | None) -> Scrubjay | None:
    """An open memory for work in another folder, with the settings that hold there; None if another one is used there.

    It is closed with the first one.
    """
    found = _find(None, None, folder)
    if os.path.realpath(found.url) != os.path.realpath(jay.view.store.path):
        return None
    view = replace(jay.view, space=found.space, settings=found.settings, project=project)
    return Scrubjay(view, found.notes)


def repair(path: str | Path | None = None, *, folder: Path | None = None, clock: Clock = now) -> Check:
    """Repair a memory, even one that can no longer be opened: all that can be read is copied to a new file.

    The old file is kept beside it; the report says where, and which memories are missing.
    """
    found = project_trust.find(folder) if folder and path is None else None
    usable = found.folder if found and found.may_be_repaired else None
    url = config.store_path(config.load(usable)) if path is None else _named(path)
    local = project_trust.of_store(url)
    if local and not local.may_be_repaired:
        raise Invalid(local.refusal)
    report = _repaired(url, local, clock)
    notes = [found.note] if found and not usable else []
    return replace(report, warnings=[*notes, *report.warnings])


@dataclass(frozen=True, slots=True)
class Found:
    """Which memory to open, and how."""

    url: str
    space: str
    settings: config.Settings
    notes: tuple[str, ...]


def _find(path: str | Path | None, space: str | None, folder: Path | None) -> Found:
    """The named memory, else that of the trusted project that a folder lies in, else the user's own."""
    found = project_trust.find(folder) if folder else None
    usable = found.folder if found and found.is_trusted else None
    settings = config.load(usable, folder=folder)
    url = config.store_path(settings) if path is None else _named(path)
    notes = settings.notes
    if found and not found.is_trusted and path is None and not os.environ.get("SCRUBJAY_STORE"):
        notes = (*notes, found.note)
    return Found(url, space_name(settings.get("space") if space is None else space), settings, notes)


def _repaired(url: str, local: Project | None, clock: Clock) -> Check:
    if local is None or local.is_trusted:  # else its file cannot be read, which is how a trusted one is known
        with suppress(Damaged, NotAStore), open(url, clock=clock) as jay:
            return jay.check(deep=True, repair=True)
    from scrubjay.stores.sqlite.repair.salvage import salvage

    salvaged = salvage(Path(url), clock())
    if local:
        project_trust.note_store(local, salvaged.aside)
    with open(url, clock=clock) as jay:
        after = jay.check(deep=True, repair=True)
    return Check([*salvaged.missing(), *after.problems], [*salvaged.mended(), *after.repaired], after.warnings)


def _named(path: str | Path) -> str:
    if not str(path):
        raise Invalid("An empty name is no memory's file; give a path, or none for your own memory.")
    return str(path)


def _of_a_project(url: str) -> Project | None:
    """The project whose memory this is; one that was named, but that the user has not trusted, is refused."""
    local = project_trust.of_store(url)
    if local is None or local.is_trusted:
        return local
    if local.is_new and local.folder.is_dir():
        return project_trust.trust(local.folder)
    raise Invalid(local.refusal)


def _of_the_environment(store: Store) -> tuple[str | None, tuple[str, ...]]:
    """SCRUBJAY_EMBEDDER for a file that has a model already: `none` is obeyed, another model needs a reindex."""
    named, stored = os.environ.get("SCRUBJAY_EMBEDDER"), store.vectors.model()
    if not named or stored is None or named == AUTO or is_same_model(named, stored.spec):
        return None, ()
    return (NONE, ()) if named == NONE else (None, (OTHER_MODEL.format(named),))


def _outside(store: Store) -> tuple[str, ...]:
    outside = store.documents.count_outside() if store.documents.within else 0
    return (OUTSIDE.format(outside),) if outside else ()
