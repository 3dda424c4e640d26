"""Opening a memory: which file, whose space, and with which settings."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from scrubjay import config
from scrubjay.api import Scrubjay
from scrubjay.dates.timestamps import Clock, now
from scrubjay.errors import Damaged, Invalid, NotAStore, ScrubjayError
from scrubjay.memory.arguments import space_name
from scrubjay.memory.view import View
from scrubjay.models.embedders import AUTO, NONE, Embedder, check_name
from scrubjay.models.selection import EmbedderSelection, is_same_model
from scrubjay.project import trust as project_trust
from scrubjay.project.trust import Project
from scrubjay.stores import Store, open_store
from scrubjay.text.fence import QuotingNote
from scrubjay.text.safe_text import without_password
from scrubjay.text.secret_scan.quoting import quoted
from scrubjay.types import DEFAULT_SPACE, Trust

if TYPE_CHECKING:  # most processes never need them
    from scrubjay.types.reports import Check, Moved, Restored

__all__ = ["SERVER", "move", "open", "repair", "restore", "share"]

SERVER = ("http://", "https://")  # an address begins with one of these
DATABASE = "://"  # what else has this in it is the address of one
OTHER_MODEL = (
    "SCRUBJAY_EMBEDDER is {0}, but the vectors of this file were made by another model, which is used;"
    " `scrubjay reindex --embedder {0}` changes that."
)
FOREIGN = "{} came with a project; take it over first (`scrubjay trust --take-over`), or export and import it."
NOT_OF_THE_PROJECT = (
    "{} is no backup of this project's memory as it was when you trusted it: all tokens are revoked, and its memories"
    " count as external until you take them over (`scrubjay trust {} --take-over`)."
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
    token: str | None = None,
    clock: Clock = now,
) -> Scrubjay:
    """Open a memory, making it if it is new. Without a path: the one in the user's data folder.

    With a folder: the one of the project that it lies in, if the user has trusted it (`scrubjay init` does); `notes`
    of what is opened say so if not. With the address of a server (https://…) and a token: the memory of that server.
    """
    found = _find(path, space, folder)
    if found.url.startswith(SERVER):
        from scrubjay.remote.memory import open_server

        named = found.space if space is not None or found.space != DEFAULT_SPACE else None
        return open_server(found.url, token, named, project)
    signed = {"project": project, "trust": trust, "actor": actor, "clock": clock, "folder": _work_folder(folder)}
    return _open_file(found, embedder, signed)


def _open_file(found: Found, embedder: str | Embedder | None, signed: Mapping[str, Any]) -> Scrubjay:
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
            settings=settings,
            source_trust="external" if local and local.is_foreign else "user",
            **signed,
        )
        return Scrubjay(view, (*notes, *(_outside(store) if local else ())))
    except BaseException:
        store.close()
        raise


def share(jay: Scrubjay, folder: Path, project: str | None) -> Scrubjay | None:
    """An open memory for work in another folder, with the settings that hold there; None if another one is used there.

    It is closed with the first one.
    """
    found = _find(None, None, folder)
    if jay.address.startswith(SERVER) or found.url.startswith(SERVER):
        return None
    if os.path.realpath(without_password(found.url)) != os.path.realpath(jay.view.store.path):
        return None
    view = replace(jay.view, space=found.space, settings=found.settings, project=project, folder=folder)
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


def restore(
    file: str | Path, path: str | Path | None = None, *, folder: Path | None = None, clock: Clock = now
) -> Restored:  # fmt: skip
    """Put a backup in the place of a memory; what the memory holds now is kept in a file beside it."""
    from scrubjay.portable.backup import note_restored, restore

    url = _find(path, None, folder).url
    _of_a_project(str(file))
    local = _of_a_project(url)
    restored = restore(file, url, clock())
    if local and _is_of_another_memory(local, restored, clock):
        restored = replace(restored, notes=(*restored.notes, NOT_OF_THE_PROJECT.format(file, local.shown)))
    with open(url, embedder="none", clock=clock) as jay:
        note_restored(jay.view, restored)
    return restored


def _is_of_another_memory(local: Project, restored: Restored, clock: Clock) -> bool:
    """Whether a project's memory now holds another one, as external; what cannot be trusted is taken out again."""
    from scrubjay.stores.sqlite.copying import put_back

    try:
        return project_trust.note_restored(local, clock=clock)
    except ScrubjayError:
        if restored.kept is not None:
            put_back(Path(restored.kept), restored.store)
        raise


def move(source: str | Path, target: str | Path, *, clock: Clock = now) -> Moved:
    """Copy one memory into another with everything, compare both, and leave the first one as it is.

    Either may be a file or the address of a database; what was broken off is gone on with when it is done again.
    """
    from scrubjay.portable.move import compared, copy_whole, merge_into, refuse_same

    if DATABASE in f"{source} {target}":
        return _move_by_export(_named(source), _named(target), clock)
    if not Path(source).exists():
        raise Invalid(f"There is no memory at {source}.")
    refuse_same(_named(source), _named(target))
    is_new = not Path(target).exists()
    with open(source, clock=clock) as old:
        _refuse_foreign(old.view)
        if is_new:
            copy_whole(old.view, Path(target))
        with open(target, clock=clock) as new:
            if not is_new:
                merge_into(old.view, new.view)
            return compared(old.view, new.view, merged=not is_new)


def _move_by_export(source: str, target: str, clock: Clock) -> Moved:
    """Between a file and a database, or two databases: they have no rows in common, but the same lines."""
    from scrubjay.portable.move import compared, merge_into

    if DATABASE not in source and not Path(source).exists():
        raise Invalid(f"There is no memory at {source}.")
    if source == target:
        raise Invalid("FROM and TO are the same memory.")
    with open(source, clock=clock) as old, open(target, clock=clock) as new:
        _refuse_foreign(old.view)
        is_new = not new.view.store.memories.spaces()
        merge_into(old.view, new.view)
        return compared(old.view, new.view, merged=not is_new, by_lines=True)


def _refuse_foreign(source: View) -> None:
    """Its sources would be read anywhere, and what they hold would be trusted, as soon as it is no project's memory."""
    if source.is_foreign:
        raise Invalid(FOREIGN.format(source.store.path))


class Found(NamedTuple):
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
        notes = (*notes, QuotingNote(found.note))  # a folder may have any name
    return Found(url, space_name(settings.get("space") if space is None else space), settings, notes)


def _repaired(url: str, local: Project | None, clock: Clock) -> Check:
    if local is None or local.is_trusted:  # else its file cannot be read, which is how a trusted one is known
        with suppress(Damaged, NotAStore), open(url, clock=clock) as jay:
            return jay.check(deep=True, repair=True)
    from scrubjay.stores.sqlite.repair.salvage import salvage
    from scrubjay.types.reports import Check

    salvaged = salvage(Path(url), clock())
    if local:
        project_trust.note_store(local, salvaged.aside)
    with open(url, clock=clock) as jay:
        after = jay.check(deep=True, repair=True)
    return Check([*salvaged.missing(), *after.problems], [*salvaged.mended(), *after.repaired], after.warnings)


def _work_folder(folder: Path | None) -> Path | None:
    """Where the work is: as given, else where this process runs, unless that is no more."""
    try:
        return folder or Path.cwd()
    except OSError:
        return None


def _named(path: str | Path) -> str:
    if not str(path):
        raise Invalid("An empty name is no memory's file; give a path, or none for your own memory.")
    if not isinstance(path, str | Path):
        raise Invalid(f"A memory's file is named by its path, not by {quoted(path)}.")
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
    check_name(named)
    return (NONE, ()) if named == NONE else (None, (OTHER_MODEL.format(named),))


def _outside(store: Store) -> tuple[str, ...]:
    outside = store.documents.count_outside()
    return (OUTSIDE.format(outside),) if outside else ()
