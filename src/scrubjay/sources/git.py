"""The history of a repository: what its commits say becomes memories of kind change."""

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
from scrubjay.sources import Cutting, Listed, Listing, Part, Reading
from scrubjay.text.plural import counted
from scrubjay.types.documents import Document, Skipped, Source

__all__ = ["History", "open_source"]

MOST_COMMITS = 5_000
ONLY_THE_NEWEST = f"Only its newest {MOST_COMMITS:,} commits were read."
FIELDS = ("%H", "%an", "%aI", "%s", "%b")
END = "\0"  # the one character that is in no message
# Whatever the user's own settings say about how a log looks.
LOG = ("log", "--no-merges", "--no-show-signature", "--no-mailmap", "--encoding=UTF-8", f"--max-count={MOST_COMMITS}")
FORMAT = f"--format={'%x00'.join(FIELDS)}%x00"
UNBORN = 1  # what git exits with where a branch has no commit
WAIT_SECONDS, LOOK_SECONDS = 120, 3  # every search looks
MOST_BYTES = 64_000_000  # of what git may answer
ERROR_BYTES = 1_000
# In a hook these name the repository that it runs for.
ELSEWHERE = {"GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY", "GIT_NAMESPACE"}
# What is missing in a repository would be fetched, with whatever command its own settings name for that.
NO_FETCHING = {"GIT_ALLOW_PROTOCOL": "", "GIT_NO_LAZY_FETCH": "1"}


def open_source(source: Source, cutting: Cutting) -> History:
    return History(source)


class History:
    """The commits of one repository, merges left out."""

    chunking = "commits/1"
    keeps_the_gone = True  # what was changed was changed, also if the branch is gone

    def __init__(self, source: Source) -> None:
        self._source = source
        self._project = identify(Path(source.root))

    def list(self) -> Listing:
        self._check_files()
        asked = self._asked("rev-parse", "--verify", "--quiet", "HEAD", seconds=LOOK_SECONDS)
        if asked.returncode == UNBORN:
            return Listing([])  # nothing is committed yet
        head = self._answer(asked).strip()
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
        cut = (Skipped(listed.path, ONLY_THE_NEWEST),) if len(parts) == MOST_COMMITS else ()
        yield Reading(document, parts[::-1], before, len(log.encode()), appends=True, goes_on=goes_on, skipped=cut)

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
        return self._asked("merge-base", "--is-ancestor", old, new).returncode == 0

    def _git(self, *words: str) -> str:
        return self._answer(self._asked(*words))

    def _check_files(self) -> None:
        irregular = first_irregular(Path(self._source.root))
        if irregular is not None:
            raise ScrubjayError(f"{irregular} is not a regular file, so no history is read.")

    def _answer(self, done: Answer) -> str:
        if done.returncode:
            raise ScrubjayError(f"git says: {done.error.decode('utf-8', 'replace').strip()[:200]}")
        return done.output.decode("utf-8", "replace")

    def _asked(self, *words: str, seconds: int = WAIT_SECONDS) -> Answer:
        # A folder that only looks like a repository may come with settings that run commands.
        settings = ("-c", "core.quotepath=off", "-c", "safe.bareRepository=explicit")
        command = ["git", "-C", self._source.root, *settings, *words]
        here = {name: value for name, value in os.environ.items() if name not in ELSEWHERE}
        # Only this folder is meant: where its .git is no repository, git would take one in a folder above.
        only_here = {"GIT_CEILING_DIRECTORIES": str(Path(os.path.realpath(self._source.root)).parent)}
        try:
            return _run(command, here | NO_FETCHING | only_here, seconds)
        except FileNotFoundError:
            raise ScrubjayError("git is not installed, so no history can be read.") from None


class Answer(NamedTuple):
    returncode: int
    output: bytes
    error: bytes


def _run(command: Sequence[str], environment: Mapping[str, str], seconds: int) -> Answer:
    """Run git for a limited time, and read no more of its answer than fits in memory."""
    with (
        TemporaryFile() as errors,
        subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=errors, stdin=subprocess.DEVNULL, env=dict(environment)
        ) as process,
    ):
        timer = Timer(seconds, process.kill)
        timer.start()
        try:
            output = process.stdout.read(MOST_BYTES + 1) if process.stdout else b""
            if len(output) <= MOST_BYTES:
                process.wait()
            too_late = not timer.is_alive()
        finally:
            timer.cancel()
            process.kill()  # does nothing to one that has ended
        if too_late:
            raise ScrubjayError(f"git did not answer within {seconds} seconds.")
        if len(output) > MOST_BYTES:
            raise ScrubjayError(f"git's answer is larger than {counted(MOST_BYTES, 'byte')}.")
        errors.seek(0)
        return Answer(process.wait(), output, errors.read(ERROR_BYTES))
