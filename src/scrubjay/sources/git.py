"""The history of a repository: each commit message becomes a memory of kind change."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryFile
from threading import Timer
from typing import NamedTuple

from scrubjay.errors import ScrubjayError
from scrubjay.files.git_folders import first_irregular
from scrubjay.project.identity import identify
from scrubjay.sources import Listed, Listing, Part, Reading, ReadOptions
from scrubjay.text.plural import counted
from scrubjay.types.documents import Document, Skipped, Source

__all__ = ["History", "open_source"]

MAX_COMMITS = 5_000
ONLY_THE_NEWEST = f"Only its newest {MAX_COMMITS:,} commits were read."
FIELDS = ("%H", "%an", "%aI", "%s", "%b")
END = "\0"  # never part of a message
# Options that override the user's own settings for the log.
LOG = ("log", "--no-merges", "--no-show-signature", "--no-mailmap", "--encoding=UTF-8", f"--max-count={MAX_COMMITS}")
FORMAT = f"--format={'%x00'.join(FIELDS)}%x00"
NO_COMMIT = 1  # git's exit code for a branch without a commit
WAIT_SECONDS, HEAD_SECONDS = 120, 3  # every search asks for the head
MAX_BYTES = 64_000_000  # of git's output
ERROR_BYTES = 1_000
PROGRAMS = ("git.exe", "git.cmd") if os.name == "nt" else ("git",)
# Set in a git hook: they name the hook's repository, not this one.
REPOSITORY_VARIABLES = {"GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY", "GIT_NAMESPACE"}
# Do not fetch missing objects: a repository's own settings may name any command for that.
NO_FETCHING = {"GIT_ALLOW_PROTOCOL": "", "GIT_NO_LAZY_FETCH": "1"}


def open_source(source: Source, options: ReadOptions) -> History:
    return History(source)


class History:
    """The commits of one repository, without merges."""

    chunking = "commits/1"
    keeps_deleted = True  # a change was made, even if its branch is deleted later

    def __init__(self, source: Source) -> None:
        self._source = source
        self._project = identify(Path(source.root))

    def list(self) -> Listing:
        self._check_files()
        result = self._run_git("rev-parse", "--verify", "--quiet", "HEAD", seconds=HEAD_SECONDS)
        if result.returncode == NO_COMMIT:
            return Listing([])  # nothing is committed yet
        head = self._output(result).strip()
        return Listing([Listed(self._source.name, self._source.root, 1, 0, hash=head)])

    def read(self, listed: Listed, before: Document | None) -> Iterator[Reading]:
        goes_on = before is not None and self._is_ancestor(before.hash, listed.hash)
        commits = f"{before.hash}..{listed.hash}" if before and goes_on else listed.hash
        log = self._git(*LOG, FORMAT, commits, "--")
        fields = iter(log.split(END))
        parts = [self._part(*commit) for commit in zip(*[fields] * len(FIELDS), strict=False)]
        document = Document(
            source=self._source.id,
            space=self._source.space,
            name=listed.name,
            path=listed.path,
            hash=listed.hash,
            mtime=listed.mtime,
            size=listed.size,
            chunking=self.chunking,
        )
        skipped = (Skipped(listed.path, ONLY_THE_NEWEST),) if len(parts) == MAX_COMMITS else ()
        yield Reading(document, parts[::-1], before, len(log.encode()), appends=True, goes_on=goes_on, skipped=skipped)

    def _part(self, commit: str, author: str, at: str, subject: str, body: str) -> Part:
        commit = commit.strip()
        subject = subject.strip() or commit[:12]
        fields = {
            "kind": "change",
            "title": subject[:300],
            "source": f"commit:{commit}",
            "actor": author[:200] or None,
            "happened_at": at,
            "project": self._project,
            "client": "git",
            "trust": "external",
        }
        return Part(f"{subject}\n\n{body.strip()}".strip(), fields)

    def _is_ancestor(self, old: str, new: str) -> bool:
        return self._run_git("merge-base", "--is-ancestor", old, new).returncode == 0

    def _git(self, *words: str) -> str:
        return self._output(self._run_git(*words))

    def _check_files(self) -> None:
        irregular = first_irregular(Path(self._source.root))
        if irregular is not None:
            raise ScrubjayError(f"{irregular} is not a regular file, so no history is read.")

    def _output(self, result: GitResult) -> str:
        if result.returncode:
            raise ScrubjayError(f"git says: {result.error.decode('utf-8', 'replace').strip()[:200]}")
        return result.output.decode("utf-8", "replace")

    def _run_git(self, *words: str, seconds: int = WAIT_SECONDS) -> GitResult:
        # A folder that only looks like a repository may have settings that run commands.
        settings = ("-c", "core.quotepath=off", "-c", "safe.bareRepository=explicit")
        command = [_program(), "-C", self._source.root, *settings, *words]
        inherited = {name: value for name, value in os.environ.items() if name not in REPOSITORY_VARIABLES}
        # Without this, git would use a repository in a folder above if this folder's .git is not one.
        only_here = {"GIT_CEILING_DIRECTORIES": str(Path(os.path.realpath(self._source.root)).parent)}
        return _run(command, inherited | NO_FETCHING | only_here, seconds)


def _program() -> str:
    """Where git is installed; never in the folder that a command runs in, which may hold a program of that name."""
    folders = filter(os.path.isabs, os.get_exec_path())
    paths = (os.path.join(folder, name) for folder in folders for name in PROGRAMS)
    found = next((path for path in paths if os.path.isfile(path) and os.access(path, os.X_OK)), None)
    if found is None:
        raise ScrubjayError("git is not installed, so no history can be read.")
    return found


class GitResult(NamedTuple):
    returncode: int
    output: bytes
    error: bytes


def _run(command: Sequence[str], environment: Mapping[str, str], seconds: int) -> GitResult:
    """Run git for a limited time, and read a limited amount of its output."""
    with (
        TemporaryFile() as errors,
        subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=errors, stdin=subprocess.DEVNULL, env=dict(environment)
        ) as process,
    ):
        timer = Timer(seconds, process.kill)
        timer.start()
        try:
            output = process.stdout.read(MAX_BYTES + 1) if process.stdout else b""
            if len(output) <= MAX_BYTES:
                process.wait()
            too_late = not timer.is_alive()
        finally:
            timer.cancel()
            process.kill()  # does nothing if it has ended
        if too_late:
            raise ScrubjayError(f"git did not answer within {seconds} seconds.")
        if len(output) > MAX_BYTES:
            raise ScrubjayError(f"git's output is larger than {counted(MAX_BYTES, 'byte')}.")
        errors.seek(0)
        return GitResult(process.wait(), output, errors.read(ERROR_BYTES))
