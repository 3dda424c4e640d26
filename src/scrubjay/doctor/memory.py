"""Is the memory sound: does it open, is it undamaged, up to date, complete, private, and on a disk that suits it?"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import scrubjay
from scrubjay import config
from scrubjay.api import Scrubjay
from scrubjay.doctor import Finding, failed, fine, note
from scrubjay.doctor.disks import unsuitable_place
from scrubjay.errors import ScrubjayError
from scrubjay.project import trust as project_trust
from scrubjay.text.plural import counted

__all__ = ["look_at_memory"]

ABOUT = "memory"


def look_at_memory(store: str | None, space: str | None, folder: Path) -> Iterator[Finding]:
    """What is found about the memory that is used in this folder; a missing one is not made."""
    yield from _project(folder)
    yield from _hidden(folder)
    try:
        named = store or _default_path(folder)
        if "://" in named:  # of a server, or of a database
            with scrubjay.open(named, space=space) as jay:
                yield fine(ABOUT, f"{jay.address} answers: {counted(jay.stats().memories, 'memory')}.")
            return
        path = Path(named)
        if not path.exists():
            yield note(ABOUT, f"There is no memory at {path} yet.", "The first `scrubjay add`, or an agent, makes it.")
            return
        with scrubjay.open(store, space=space, folder=folder) as jay:
            yield fine(ABOUT, f"{path} opens: {counted(jay.stats().memories, 'memory')}.")
            yield from _opened(jay, path)
    except ScrubjayError as problem:
        yield failed(ABOUT, str(problem), "`scrubjay check` says more.")


def _default_path(folder: Path) -> str:
    found = project_trust.find(folder)
    return config.store_path(config.load(found.folder if found and found.is_trusted else None))


def _project(folder: Path) -> Iterator[Finding]:
    found = project_trust.find(folder)
    if found and not found.is_trusted:
        yield note(ABOUT, found.note)  # which says what to do, with a path that can be pasted


def _hidden(folder: Path) -> Iterator[Finding]:
    """A program's own folder comes first where Python looks for `import scrubjay`."""
    own = Path(scrubjay.__file__).parent
    for path in (folder / "scrubjay.py", folder / "scrubjay"):
        if (path.is_file() or (path / "__init__.py").is_file()) and path.resolve() != own.resolve():
            yield failed(ABOUT, f"{path} hides the package from `import scrubjay` in this folder.", "Rename it.")


def _opened(jay: Scrubjay, path: Path) -> Iterator[Finding]:
    yield from _sound(jay)
    yield from _up_to_date(jay)
    yield from _vectors(jay)
    if place := unsuitable_place(path):
        yield note(
            ABOUT, f"{path} is {place}: two machines that write to it may damage it.", "Keep it on a local disk."
        )


def _sound(jay: Scrubjay) -> Iterator[Finding]:
    """Damage is not repaired here: `check --repair` may have to leave something out, so a person should look first."""
    report = jay.check()
    for problem in report.problems:
        yield failed(ABOUT, problem, "`scrubjay check --repair`")
    if not report.problems:
        yield fine(ABOUT, "No damage was found.")
    close = None if report.problems else lambda: jay.check(repair=True)
    for warning in report.warnings:
        yield failed(ABOUT, warning, "`scrubjay check --repair`", close)
    if not report.warnings:
        yield fine(ABOUT, "Only you may read its files.")


def _up_to_date(jay: Scrubjay) -> Iterator[Finding]:
    status = jay.status()
    if status.behind:
        found = f"{counted(status.behind, 'file')} changed since the last sync."
        yield failed(ABOUT, found, "`scrubjay sync`", jay.sync)
    elif status.sources:
        yield fine(ABOUT, f"Up to date with {counted(len(status.sources), 'source')}.")


def _vectors(jay: Scrubjay) -> Iterator[Finding]:
    stats = jay.stats()
    refused, waiting = stats.quarantined, stats.without_vector - stats.quarantined
    if refused:
        yield note(ABOUT, f"The embedder refused {counted(refused, 'text')}.", "`scrubjay status` lists them.")
    if waiting and stats.model:
        found = f"{counted(waiting, 'memory')} cannot be found by meaning yet."
        yield failed(ABOUT, found, "`scrubjay backfill`", jay.backfill)
    elif stats.model:
        yield fine(ABOUT, "Every memory can be found by meaning." if not refused else "All others can be.")
