"""Whether the memory in a project's folder may be used: only if the user said so, and it is still what they meant.

A repository that somebody cloned may bring a `.scrubjay/` along. What the user said about such folders is kept in the
user's own data folder, with the path, the owner, and what tells that the files have not been replaced since.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import stat
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from pathlib import Path

from scrubjay import config
from scrubjay.dates.timestamps import Clock, now
from scrubjay.errors import Invalid, ScrubjayError
from scrubjay.files import private_files, regular_files
from scrubjay.files.file_identity import identity
from scrubjay.project.identity import above

__all__ = [
    "WHAT_IT_MEANS",
    "Answer",
    "Project",
    "answers",
    "at",
    "distrust",
    "find",
    "note_settings",
    "note_store",
    "of_store",
    "take_over",
    "trust",
]

ANSWERS_FILE = "projects.json"
SIDECARS = ("-wal", "-shm", "-journal")
OTHERS = 0o077
WRITABLE_BY_OTHERS = 0o022
PLAIN_PATH = re.compile(r"[\w ./~@+-]+", re.ASCII)

UNKNOWN = "{path} came with this project, or was made elsewhere, and you have not said that it may be used"
REFUSED = "you have said that {path} is not to be used"
REPLACED = "{path} is not the memory that you trusted: its file was replaced or cannot be read"
NEW_SETTINGS = "the settings in {path} have changed since you trusted it"
LINK = "{path} is no plain folder with plain files: it is, or holds, a link or something stranger"
UNREADABLE = "{path} cannot be read"
OWNER = "{path}, or a file in it, belongs to another user"
WRITABLE = "other users may write to {path}, or to a file in it"
HOW_TO_TRUST = "`scrubjay trust {path}` has it used"
HOW_TO_CLOSE = "`chmod -R go-w {path}` closes it; look through it before you trust it"
HOW_TO_MAKE = "remove it; `scrubjay init` makes one that is yours"
INSTEAD = "{}; your own memory is used instead ({})."
WHAT_IT_MEANS = "An agent would be told what it holds, as text from outside (trust external); nothing of yours is sent."


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What the user said about one project's memory, and what it looked like then."""

    path: str
    owner: int
    trusted: bool
    at: str
    file: str = ""  # its identity
    mark: str = ""  # in the file itself
    settings: str = ""  # the digest of its config.toml
    made_here: bool = False  # or taken over since: its contents are as good as the user's own


@dataclass(frozen=True, slots=True)
class Project:
    """The memory in a project's folder. With a reason, it is not used."""

    folder: Path  # the real one, named .scrubjay
    answer: Answer | None
    reason: str = ""
    remedy: str = ""
    may_ask: bool = False  # whether a yes of the user would change anything
    is_refused: bool = False  # the user has said no

    @property
    def is_trusted(self) -> bool:
        return not self.reason

    @property
    def may_be_repaired(self) -> bool:
        """Whether it is used, or would be if its file could still be read."""
        said = self.answer
        if self.is_trusted or said is None or not said.trusted or not self.may_ask:
            return self.is_trusted
        return said.file == _identity(self.folder) and not _is_another_store(self.folder, said)

    @property
    def is_foreign(self) -> bool:
        return self.answer is None or not self.answer.made_here

    @property
    def root(self) -> Path:
        return self.folder.parent

    @property
    def store(self) -> Path:
        return self.folder / config.STORE_FILE

    @property
    def is_new(self) -> bool:
        """Whether there is nothing in it yet that anybody could have planted."""
        return not any(_files(self.folder))

    @property
    def note(self) -> str:
        """The sentence that tells why another memory is used; none where this one is."""
        return INSTEAD.format(_sentence(self.reason), self.remedy) if self.reason else ""

    @property
    def refusal(self) -> str:
        """The same where this one was asked for by name."""
        return f"{_sentence(self.reason)}; {self.remedy}."


def find(folder: Path) -> Project | None:
    """The memory of the project that a folder lies in."""
    found = above(folder.absolute(), config.LOCAL_FOLDER)
    return None if found is None or _is_the_users_own(found) else at(found)


def of_store(path: str) -> Project | None:
    """The project whose memory this file is, or will be."""
    file = Path(os.path.realpath(path))
    in_project = file.name == config.STORE_FILE and file.parent.name == config.LOCAL_FOLDER
    return at(file.parent) if in_project and not _is_the_users_own(file.parent) else None


def trust(folder: Path, *, clock: Clock = now) -> Project:
    """Have the memory in this `.scrubjay` folder used from now on; one that is not there is made."""
    before = at(folder)
    if before.is_trusted:
        return before
    if not before.may_ask:
        raise Invalid(before.refusal)
    said = before.answer
    if said is None or not _is_the_same_store(before.folder, said):
        said = _adopted(before, clock)
    private_files.check([before.folder, *_files(before.folder)], repair=True)
    _keep(replace(said, trusted=True, at=_moment(clock), settings=_settings(before.folder)))
    return at(before.folder)


def distrust(folder: Path, *, clock: Clock = now) -> Answer:
    """Have the memory in this `.scrubjay` folder not used, and not ask about it again until it changes."""
    found = at(folder)
    known = found.answer if found.answer and _is_the_same_store(found.folder, found.answer) else None
    said = known or _answer(found.folder, clock)
    said = replace(said, trusted=False, at=_moment(clock), settings=_settings(found.folder))
    _keep(said)
    return said


def take_over(folder: Path, *, clock: Clock = now) -> int:
    """Take what is in a trusted project's memory for the user's own: it gets back the trust that it came with."""
    found = trust(folder, clock=clock)
    if found.answer is None or found.answer.made_here:
        return 0
    from scrubjay.stores.sqlite.adoption import take_over

    changed = take_over(str(found.store))
    _keep(replace(found.answer, made_here=True))
    return changed


def note_settings(folder: Path) -> None:
    """The user changed a trusted project's settings: they are still trusted."""
    said = _said(folder)
    if said is not None:
        _keep(replace(said, settings=_settings(folder)))


def note_store(project: Project, damaged: Path | None = None) -> None:
    """A repair has put another file in the place of the trusted one: it is still trusted.

    If it was made from a damaged file without our mark, somebody else may have put that there: the contents count as
    somebody else's.
    """
    from scrubjay.stores.sqlite.adoption import adopt
    from scrubjay.stores.sqlite.marked_logs import holds

    said = project.answer
    if said is not None and said.trusted and said.file != _identity(project.folder):
        ours = damaged is None or any(holds(Path(f"{damaged}{suffix}"), said.mark) for suffix in ("", "-wal"))
        mark = adopt(str(project.store), now(), foreign=not ours)
        _keep(replace(said, mark=mark, file=_identity(project.folder), made_here=said.made_here and ours))


def answers() -> list[Answer]:
    """All that the user has said; a file that cannot be read counts as nothing said."""
    try:
        kept = json.loads(_answers_file().read_text(encoding="utf-8"))
        return [Answer(**one) for one in kept]
    except (OSError, ValueError, TypeError):
        return []


def at(folder: Path) -> Project:
    """The memory in this `.scrubjay` folder, which need not be there yet; what nobody may say yes to comes first."""
    real = folder.absolute().parent.resolve() / folder.name
    said, shown = _said(real), _shown(real)
    if reason := _danger(real):
        remedy = HOW_TO_CLOSE if reason == WRITABLE else HOW_TO_MAKE
        return Project(real, said, reason.format(path=shown), remedy.format(path=shown))
    reason = _doubt(real, said)
    remedy = HOW_TO_TRUST.format(path=shown) if reason else ""
    return Project(real, said, reason.format(path=shown), remedy, bool(reason), reason == REFUSED)


def _danger(folder: Path) -> str:
    try:
        own = [_danger_of(folder, stat.S_ISDIR)] if folder.exists() or folder.is_symlink() else []
        inside = [] if any(own) else (_danger_of(path, _is_plain) for path in _files(folder))
        return next((danger for danger in (*own, *inside) if danger), "")
    except OSError:
        return UNREADABLE


def _danger_of(path: Path, is_right: Callable[[int], bool]) -> str:
    try:
        found = path.lstat()
    except FileNotFoundError:
        return ""
    if not is_right(found.st_mode):
        return LINK
    if os.name != "posix":
        return ""
    return OWNER if found.st_uid != os.geteuid() else WRITABLE if found.st_mode & WRITABLE_BY_OTHERS else ""


def _is_plain(mode: int) -> bool:
    return stat.S_ISREG(mode) or stat.S_ISDIR(mode)


def _doubt(folder: Path, said: Answer | None) -> str:
    if said is None:
        return UNKNOWN
    if not said.trusted:
        return REFUSED if said.file == _identity(folder) and said.settings == _settings(folder) else UNKNOWN
    if not _is_the_same_store(folder, said):
        return REPLACED
    return NEW_SETTINGS if said.settings != _settings(folder) else ""


def _is_the_same_store(folder: Path, said: Answer) -> bool:
    """A pull that replaces the file brings another file, or lacks our mark; so does one that brings a log."""
    if not said.mark or said.file != _identity(folder) or _has_strange_sidecar(folder, said.mark):
        return False
    from scrubjay.stores.sqlite.adoption import marked

    try:
        return marked(str(folder / config.STORE_FILE), said.mark)
    except ScrubjayError:
        return False


def _is_another_store(folder: Path, said: Answer) -> bool:
    """Whether somebody has put another store, or another log, in the place of the one that was trusted; what cannot be
    read at all may be that one, damaged."""
    from scrubjay.stores.sqlite.adoption import marked

    if _has_strange_sidecar(folder, said.mark):
        return True
    try:
        return not marked(str(folder / config.STORE_FILE), said.mark)
    except ScrubjayError:
        return False


def _has_strange_sidecar(folder: Path, mark: str) -> bool:
    """SQLite gives the files beside a store the store's own mode, and a store of ours has no rollback journal; others
    were put there by something else."""
    from scrubjay.stores.sqlite.marked_logs import is_ours

    store = folder / config.STORE_FILE
    wider = OTHERS & ~private_files.mode(store)
    if any(private_files.mode(Path(f"{store}{suffix}")) & wider for suffix in SIDECARS):
        return True
    journal = Path(f"{store}-journal")
    return (journal.exists() and journal.stat().st_size > 0) or not is_ours(Path(f"{store}-wal"), mark)


def _files(folder: Path) -> Iterator[Path]:
    """All that is in it, and in its folder of vectors; nothing where there is no folder."""
    for path in folder.iterdir() if folder.is_dir() else ():
        yield path
        if path.name == f"{config.STORE_FILE}.vectors" and path.is_dir() and not path.is_symlink():
            yield from path.iterdir()


def _adopted(project: Project, clock: Clock) -> Answer:
    """Mark the store, which is made if it is not there; one that was there is somebody else's."""
    from scrubjay.stores.sqlite.adoption import adopt

    foreign = any(path.name.startswith(config.STORE_FILE) for path in _files(project.folder))
    private_files.make_folder(project.folder)
    mark = adopt(str(project.store), clock(), foreign)
    return _answer(project.folder, clock, mark, made_here=not foreign)


def _answer(folder: Path, clock: Clock, mark: str = "", made_here: bool = False) -> Answer:
    owner = folder.stat().st_uid
    at, file = _moment(clock), _identity(folder)
    return Answer(path=str(folder), owner=owner, trusted=False, at=at, file=file, mark=mark, made_here=made_here)


def _said(folder: Path) -> Answer | None:
    return next((one for one in answers() if one.path == str(folder)), None)


def _keep(said: Answer) -> None:
    others = [one for one in answers() if one.path != said.path]
    _write([*others, said])


def _write(kept: Sequence[Answer]) -> None:
    private_files.make_folder(_answers_file().parent)
    private_files.write(_answers_file(), json.dumps([asdict(one) for one in kept], indent=1).encode())


def _answers_file() -> Path:
    return config.data_folder() / ANSWERS_FILE


def _identity(folder: Path) -> str:
    return identity(folder / config.STORE_FILE)


def _settings(folder: Path) -> str:
    path = folder / config.CONFIG_FILE
    try:  # a pipe would be waited for, and a file may be larger than the memory of the machine
        return sha256(regular_files.read_bytes(path, config.MOST_BYTES)).hexdigest()
    except OSError:
        return ""


def _shown(path: Path) -> str:
    """For a sentence that an agent may read, and a command that a person may paste: a folder may be named anything."""
    return shlex.quote(str(path)) if PLAIN_PATH.fullmatch(str(path)) else config.LOCAL_FOLDER


def _is_the_users_own(folder: Path) -> bool:
    """The user's data folder may be named as a project's is."""
    return folder.resolve() == config.data_folder().resolve()


def _moment(clock: Clock) -> str:
    return clock().isoformat(timespec="seconds")


def _sentence(reason: str) -> str:
    return reason[:1].upper() + reason[1:]
