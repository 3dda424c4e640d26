"""Whether the memory in a project's folder may be used: only if the user has trusted it, and it is still the same.

A cloned repository may contain a `.scrubjay/` folder. The user's answers about such folders are stored in the user's
own data folder, with the path, the owner, and what is needed to see whether the files were replaced since.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import stat
from collections.abc import Callable, Iterator
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

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
    "note_restored",
    "note_settings",
    "note_store",
    "of_store",
    "take_over",
    "trust",
]

ANSWERS_FILE = "projects.json"
MOST_BYTES = 10_000_000  # of the answers
SIDECARS = ("-wal", "-shm", "-journal")
OTHERS = 0o077
WRITABLE_BY_OTHERS = 0o022
PLAIN_PATH = re.compile(r"[\w ./~@+-]+", re.ASCII)

UNKNOWN = "{path} came with this project, or was made elsewhere, and you have not trusted it"
REFUSED = "you have distrusted {path}"
REPLACED = "{path} is not the memory that you trusted: its file was replaced or cannot be read"
NEW_SETTINGS = "the settings in {path} have changed since you trusted it"
LINK = "{path} is, or contains, a link or a special file"
UNREADABLE = "{path} cannot be read"
OWNER = "{path}, or a file in it, belongs to another user"
WRITABLE = "other users may write to {path}, or to a file in it"
HOW_TO_TRUST = "to use it: `scrubjay trust {path}`"
HOW_TO_CLOSE = "`chmod -R go-w {path}` prevents that; check its contents before you trust it"
HOW_TO_MAKE = "remove it, and create your own with `scrubjay init`"
NOT_USED = "{}; your own memory is used instead ({})."
WHAT_IT_MEANS = "Agents would see its memories, as text from outside (trust external); nothing of yours is sent."


class Answer(NamedTuple):
    """The user's answer about one project's memory, and the state of that memory at the time."""

    path: str
    owner: int
    trusted: bool
    at: str
    file: str = ""  # its identity
    mark: str = ""  # stored in the file itself
    settings: str = ""  # the digest of its config.toml
    made_here: bool = False  # or taken over since: its contents are trusted like the user's own


class Project(NamedTuple):
    """The memory in a project's folder. If there is a reason, it is not used."""

    folder: Path  # the real one, named .scrubjay
    answer: Answer | None
    reason: str = ""
    remedy: str = ""
    may_ask: bool = False  # whether the user may trust it
    is_refused: bool = False  # the user has distrusted it

    @property
    def is_trusted(self) -> bool:
        return not self.reason

    @property
    def may_be_repaired(self) -> bool:
        """Whether it is used, or would be if its file could still be read."""
        answer = self.answer
        if self.is_trusted or answer is None or not answer.trusted or not self.may_ask:
            return self.is_trusted
        return answer.file == _identity(self.folder) and not _is_another_store(self.folder, answer)

    @property
    def is_foreign(self) -> bool:
        return self.answer is None or not self.answer.made_here

    @property
    def root(self) -> Path:
        return self.folder.parent

    @property
    def shown(self) -> str:
        """Its folder, for a command to paste."""
        return _shown(self.folder)

    @property
    def store(self) -> Path:
        return self.folder / config.STORE_FILE

    @property
    def is_new(self) -> bool:
        """Whether it is empty, so that nobody else can have put anything there."""
        return not any(_files(self.folder))

    @property
    def note(self) -> str:
        """Why the user's own memory is used instead; empty if this one is used."""
        return NOT_USED.format(_sentence(self.reason), self.remedy) if self.reason else ""

    @property
    def refusal(self) -> str:
        """The same for a request that named this memory."""
        return f"{_sentence(self.reason)}; {self.remedy}."


def find(folder: Path) -> Project | None:
    """The memory of the project that a folder belongs to."""
    found = above(folder.absolute(), config.LOCAL_FOLDER)
    return None if found is None or _is_the_users_own(found) else at(found)


def of_store(path: str) -> Project | None:
    """The project whose memory this file is, or will be."""
    file = Path(os.path.realpath(path))
    in_project = file.name == config.STORE_FILE and file.parent.name == config.LOCAL_FOLDER
    return at(file.parent) if in_project and not _is_the_users_own(file.parent) else None


def trust(folder: Path, *, clock: Clock = now) -> Project:
    """Use the memory in this `.scrubjay` folder from now on; it is created if it does not exist."""
    before = at(folder)
    if before.is_trusted:
        return before
    if not before.may_ask:
        raise Invalid(before.refusal)
    answer = before.answer
    if answer is None or not _is_the_same_store(before.folder, answer):
        answer = _adopt(before, clock)
    private_files.check([before.folder, *_files(before.folder)], repair=True)
    _save(answer._replace(trusted=True, at=_moment(clock), settings=_settings(before.folder)))
    return at(before.folder)


def distrust(folder: Path, *, clock: Clock = now) -> Answer:
    """Do not use the memory in this `.scrubjay` folder, and do not ask again until it changes."""
    found = at(folder)
    known = found.answer if found.answer and _is_the_same_store(found.folder, found.answer) else None
    answer = known or _new_answer(found.folder, clock)
    answer = answer._replace(trusted=False, at=_moment(clock), settings=_settings(found.folder))
    _save(answer)
    return answer


def take_over(folder: Path, *, clock: Clock = now) -> int:
    """Treat a trusted project's memories as the user's own: restore their original trust. Returns how many changed."""
    found = trust(folder, clock=clock)
    if found.answer is None or found.answer.made_here:
        return 0
    from scrubjay.stores.sqlite.adoption import take_over

    changed = take_over(str(found.store))
    _save(found.answer._replace(made_here=True))
    return changed


def note_settings(folder: Path) -> None:
    """The user changed a trusted project's settings: they are still trusted."""
    answer = _answer_for(folder)
    if answer is not None:
        _save(answer._replace(settings=_settings(folder)))


def note_store(project: Project, damaged: Path | None = None) -> None:
    """A repair has replaced the trusted file: the new one is trusted, too.

    If the damaged file does not have our mark, somebody else may have put it there: its contents count as external.
    """
    from scrubjay.stores.sqlite.opening.marked_logs import holds

    answer = project.answer
    if answer is not None and answer.trusted and answer.file != _identity(project.folder):
        ours = damaged is None or any(holds(Path(f"{damaged}{suffix}"), answer.mark) for suffix in ("", "-wal"))
        mark = _marked(project, now, foreign=not ours)
        _save(answer._replace(mark=mark, file=_identity(project.folder), made_here=answer.made_here and ours))


def note_restored(project: Project, *, clock: Clock = now) -> bool:
    """A backup was put in the place of the trusted memory. One without our mark counts as somebody else's; returns
    whether it has none."""
    from scrubjay.stores.sqlite.adoption import marked

    answer = project.answer
    if answer is None or marked(str(project.store), answer.mark):
        return False
    mark = _marked(project, clock, foreign=True)
    _save(answer._replace(mark=mark, file=_identity(project.folder), made_here=False))
    return True


def answers() -> list[Answer]:
    """All answers of the user; a file that cannot be read counts as empty."""
    try:
        stored = json.loads(regular_files.read_text(_answers_file(), MOST_BYTES, follow=True))
        return [Answer(**one) for one in stored]
    except (OSError, ValueError, TypeError):
        return []


def at(folder: Path) -> Project:
    """The memory in this `.scrubjay` folder, which may not exist yet; unsafe files are checked first."""
    real = folder.absolute().parent.resolve() / folder.name
    answer, shown = _answer_for(real), _shown(real)
    if reason := _unsafe_reason(real):
        remedy = HOW_TO_CLOSE if reason == WRITABLE else HOW_TO_MAKE
        return Project(real, answer, reason.format(path=shown), remedy.format(path=shown))
    reason = _untrusted_reason(real, answer)
    remedy = HOW_TO_TRUST.format(path=shown) if reason else ""
    return Project(real, answer, reason.format(path=shown), remedy, bool(reason), reason == REFUSED)


def _unsafe_reason(folder: Path) -> str:
    try:
        own = [_unsafe_reason_of(folder, stat.S_ISDIR)] if folder.exists() or folder.is_symlink() else []
        inside = [] if any(own) else (_unsafe_reason_of(path, _is_plain) for path in _files(folder))
        return next((reason for reason in (*own, *inside) if reason), "")
    except OSError:
        return UNREADABLE


def _unsafe_reason_of(path: Path, is_right: Callable[[int], bool]) -> str:
    try:
        found = path.lstat()
    except FileNotFoundError:
        return ""
    if not is_right(found.st_mode) or (stat.S_ISREG(found.st_mode) and found.st_nlink > 1):
        return LINK
    if os.name != "posix":
        return ""
    return OWNER if found.st_uid != os.geteuid() else WRITABLE if found.st_mode & WRITABLE_BY_OTHERS else ""


def _is_plain(mode: int) -> bool:
    return stat.S_ISREG(mode) or stat.S_ISDIR(mode)


def _untrusted_reason(folder: Path, answer: Answer | None) -> str:
    if answer is None:
        return UNKNOWN
    if not answer.trusted:
        return REFUSED if answer.file == _identity(folder) and answer.settings == _settings(folder) else UNKNOWN
    if not _is_the_same_store(folder, answer):
        return REPLACED
    return NEW_SETTINGS if answer.settings != _settings(folder) else ""


def _is_the_same_store(folder: Path, answer: Answer) -> bool:
    """If a pull replaces the file or adds a log, it is another file or our mark is missing."""
    if not answer.mark or answer.file != _identity(folder) or _has_unknown_sidecar(folder, answer.mark):
        return False
    from scrubjay.stores.sqlite.adoption import marked

    try:
        return marked(str(folder / config.STORE_FILE), answer.mark)
    except ScrubjayError:
        return False


def _is_another_store(folder: Path, answer: Answer) -> bool:
    """Whether the trusted store or its log was replaced; a file that cannot be read may be the trusted one, damaged."""
    from scrubjay.stores.sqlite.adoption import marked

    if _has_unknown_sidecar(folder, answer.mark):
        return True
    try:
        return not marked(str(folder / config.STORE_FILE), answer.mark)
    except ScrubjayError:
        return False


def _has_unknown_sidecar(folder: Path, mark: str) -> bool:
    """Whether a file next to the store was not made by SQLite for it: it has a wider mode than the store, is a rollback
    journal (we use none), or a log without our mark."""
    from scrubjay.stores.sqlite.opening.marked_logs import is_ours

    store = folder / config.STORE_FILE
    wider = OTHERS & ~private_files.mode(store)
    if any(private_files.mode(Path(f"{store}{suffix}")) & wider for suffix in SIDECARS):
        return True
    journal = Path(f"{store}-journal")
    return (journal.exists() and journal.stat().st_size > 0) or not is_ours(Path(f"{store}-wal"), mark)


def _files(folder: Path) -> Iterator[Path]:
    """All files in it and in its folder of vectors; none if it does not exist."""
    for path in folder.iterdir() if folder.is_dir() else ():
        yield path
        if path.name == f"{config.STORE_FILE}.vectors" and path.is_dir() and not path.is_symlink():
            yield from path.iterdir()


def _adopt(project: Project, clock: Clock) -> Answer:
    """Mark the store, which is created if it does not exist; an existing one counts as somebody else's."""
    foreign = any(path.name.startswith(config.STORE_FILE) for path in _files(project.folder))
    private_files.make_folder(project.folder)
    mark = _marked(project, clock, foreign)
    return _new_answer(project.folder, clock, mark, made_here=not foreign)


def _marked(project: Project, clock: Clock, foreign: bool) -> str:
    """Mark the store, and give the mark. One that somebody else made keeps no source outside of the project: it would
    be read as soon as the store is moved, or a backup of it is used, elsewhere."""
    from scrubjay.stores import open_store
    from scrubjay.stores.sqlite.adoption import adopt

    mark = adopt(str(project.store), clock(), foreign)
    if foreign:
        with closing(open_store(str(project.store))) as store:
            store.documents.within = project.root
            store.documents.drop_outside()
    return mark


def _new_answer(folder: Path, clock: Clock, mark: str = "", made_here: bool = False) -> Answer:
    owner = folder.stat().st_uid
    at, file = _moment(clock), _identity(folder)
    return Answer(path=str(folder), owner=owner, trusted=False, at=at, file=file, mark=mark, made_here=made_here)


def _answer_for(folder: Path) -> Answer | None:
    return next((one for one in answers() if one.path == str(folder)), None)


def _save(answer: Answer) -> None:
    """One process after the other: each keeps what another has answered meanwhile."""
    from filelock import FileLock  # most processes only read

    file = _answers_file()
    private_files.make_folder(file.parent)
    with FileLock(f"{file}.lock", mode=private_files.FILE_MODE):
        stored = [*(one for one in answers() if one.path != answer.path), answer]
        private_files.write(file, json.dumps([one._asdict() for one in stored], indent=1).encode())


def _answers_file() -> Path:
    return config.data_folder() / ANSWERS_FILE


def _identity(folder: Path) -> str:
    return identity(folder / config.STORE_FILE)


def _settings(folder: Path) -> str:
    path = folder / config.CONFIG_FILE
    try:  # refuses a pipe, which would block, and a huge file
        return sha256(regular_files.read_bytes(path, config.MAX_BYTES)).hexdigest()
    except OSError:
        return ""


def _shown(path: Path) -> str:
    """A path for messages to agents and commands to paste; a folder with an unusual name is not quoted."""
    return shlex.quote(str(path)) if PLAIN_PATH.fullmatch(str(path)) else config.LOCAL_FOLDER


def _is_the_users_own(folder: Path) -> bool:
    """Whether this is the user's data folder, which may be named .scrubjay, too."""
    return folder.resolve() == config.data_folder().resolve()


def _moment(clock: Clock) -> str:
    return clock().isoformat(timespec="seconds")


def _sentence(reason: str) -> str:
    return reason[:1].upper() + reason[1:]
