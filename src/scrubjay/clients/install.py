"""Installs into clients, and uninstalls: every change is planned first, then all are written, or none."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from scrubjay.clients import Client, OwnFile, Place, Server, Setting, Written
from scrubjay.clients.settings import files
from scrubjay.clients.settings.edits import Entry, has_others, with_entries, without_entries
from scrubjay.clients.settings.formats import format_of, text_of
from scrubjay.clients.settings.jsonc import BrokenText
from scrubjay.clients.settings.originals import Originals, locked
from scrubjay.errors import Invalid, ScrubjayError
from scrubjay.text.secret_scan import redact

__all__ = ["Change", "apply", "plan_install", "plan_uninstall", "settings_of"]

OWN_FILE_MARK = "// Written by `scrubjay install`"
ANY_PROGRAM = ("scrubjay",)
IS_A_LINK = "{} cannot be changed: {} is a symbolic link, which is not followed in a project. Nothing was changed."
TOKEN_MARK = b"Bearer "
TOKEN = re.compile(r"(\bBearer )[^\s\"']+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A file of a client before and after; None where there is no file."""

    client: str
    path: Path
    before: bytes | None
    after: bytes | None
    is_install: bool = False
    original: bytes | None = None  # for an installation: what uninstalling gives back

    @property
    def is_needed(self) -> bool:
        return self.before != self.after

    @property
    def adds_token(self) -> bool:
        return (self.after or b"").count(TOKEN_MARK) > (self.before or b"").count(TOKEN_MARK)

    def diff(self) -> str:
        """The change as a readable diff, without our token and other keys that stand near it."""
        old, new = (_without_keys((data or b"").decode("utf-8", "replace")) for data in (self.before, self.after))
        was, will_be = (str(self.path) if data is not None else "/dev/null" for data in (self.before, self.after))
        return "\n".join(difflib.unified_diff(old.splitlines(), new.splitlines(), was, will_be, lineterm=""))


def settings_of(
    client: Client, place: Place, server: Server, program: Sequence[str], *, mcp: bool = True, hooks: bool = True
) -> list[Written]:
    """What belongs into the client's files."""
    entry = client.mcp(place, server) if mcp else None
    written = [*([entry] if entry else []), *(client.hooks(place, client.name, program) if hooks else [])]
    return [_in_project(one, place.project) for one in written] if place.project else written


def plan_install(client: Client, wanted: Iterable[Written]) -> list[Change]:
    """The changes that put these settings in; raises if a file cannot be read or must not be written."""
    return _writable(_installing(client, path, written) for path, written in _by_file(wanted).items())


def plan_uninstall(client: Client, place: Place) -> list[Change]:
    """The changes that give each file back as it was, as far as nobody else has changed it since."""
    server = Server((*ANY_PROGRAM, "mcp"))
    wanted = settings_of(client, place, server, ANY_PROGRAM)
    return _writable(_uninstalling(client, path, written) for path, written in _by_file(wanted).items())


def apply(changes: Sequence[Change]) -> None:
    """Write all changes; if one cannot be written, those before it are taken back."""
    done: list[Change] = []
    with locked():
        for change in (change for change in changes if change.is_needed):
            try:
                _write(change)
            except OSError as problem:
                for written in reversed(done):
                    _put(written.path, written.before)
                reason = problem.strerror or problem
                raise ScrubjayError(f"{change.path} cannot be written: {reason}; nothing was changed.") from None
            done.append(change)
        Originals().forget([change.path for change in done if not change.is_install])


def _in_project(written: Written, project: Path) -> Written:
    """The same for a project, whose files may be a stranger's: no link is followed, and no option of theirs is kept."""
    below = [one for one in (written.file, *written.file.parents) if one != project and one.is_relative_to(project)]
    if link := next(filter(Path.is_symlink, below), None):
        raise Invalid(IS_A_LINK.format(written.file, link))
    if isinstance(written, OwnFile):
        return written
    return replace(written, entry=replace(written.entry, merge=lambda existing, ours: ours))


def _writable(planned: Iterable[Change]) -> list[Change]:
    changes = list(planned)
    for change in changes:
        if change.is_needed:
            files.refuse_read_only(change.path)
    return changes


def _by_file(wanted: Iterable[Written]) -> dict[Path, list[Written]]:
    grouped: dict[Path, list[Written]] = {}
    for written in wanted:
        grouped.setdefault(written.file.absolute(), []).append(written)
    return grouped


def _installing(client: Client, path: Path, wanted: Sequence[Written]) -> Change:
    before, originals = files.read(path), Originals()
    if originals.is_untouched(path, before):
        original = originals.content(path)
    elif originals.get(path):  # somebody has edited it since: ours is taken out of what they have now
        original = _uninstalling(client, path, wanted).after
    else:
        original = before
    after = _merged(path, before, wanted)
    return Change(client=client.name, path=path, before=before, after=after, is_install=True, original=original)


def _merged(path: Path, before: bytes | None, wanted: Sequence[Written]) -> bytes:
    if isinstance(own := wanted[0], OwnFile):
        _refuse_foreign(path, before)
        return own.text.encode()
    text, format = text_of(path, before), format_of(path)
    try:
        return with_entries(text, _entries(wanted), format).encode()
    except BrokenText as problem:
        raise _not_usable(path, problem) from None


def _uninstalling(client: Client, path: Path, wanted: Sequence[Written]) -> Change:
    before, originals = files.read(path), Originals()
    if before is None or originals.is_untouched(path, before):
        after = None if before is None else originals.content(path)
    elif isinstance(wanted[0], OwnFile):
        after = None if _is_ours(before) else before
    else:
        known = originals.get(path)
        after = _taken_out(path, before, _entries(wanted), originals.content(path), bool(known and not known.existed))
    return Change(client=client.name, path=path, before=before, after=after)


def _taken_out(
    path: Path, before: bytes, entries: Sequence[Entry], original: bytes | None, is_our_file: bool
) -> bytes | None:
    """The file without our entries; none if we made it and nothing else is in it."""
    text, format = text_of(path, before), format_of(path)
    try:
        known = format.data(text_of(path, original)) if original else None
        text = without_entries(text, entries, format, known)
        return None if is_our_file and not has_others(format.data(text), entries) else text.encode()
    except BrokenText as problem:
        raise _not_usable(path, problem) from None


def _write(change: Change) -> None:
    originals = Originals()
    if files.read(change.path) != change.before:
        raise Invalid(f"{change.path} was changed by another program just now; try again.")
    if change.is_install:
        assert change.after is not None
        made = [folder for folder in change.path.parents if not folder.exists()]
        originals.keep(change.path, change.original, change.after, change.client, made)
        files.write(change.path, change.after, private=change.adds_token)
        return
    _put(change.path, change.after)


def _put(path: Path, data: bytes | None) -> None:
    if data is None:
        files.remove(path)
    else:
        files.write(path, data)


def _without_keys(text: str) -> str:
    return redact(TOKEN.sub(r"\1…", text), lines=True)


def _entries(wanted: Sequence[Written]) -> list[Entry]:
    return [written.entry for written in wanted if isinstance(written, Setting)]


def _not_usable(path: Path, problem: BrokenText) -> Invalid:
    return Invalid(f"{path} cannot be changed ({problem}); correct it first. Nothing was changed.")


def _is_ours(data: bytes) -> bool:
    return data.decode("utf-8", "replace").startswith(OWN_FILE_MARK)


def _refuse_foreign(path: Path, before: bytes | None) -> None:
    if before is not None and not _is_ours(before):
        raise Invalid(f"{path} was not written by Scrubjay; move it away first. Nothing was changed.")
