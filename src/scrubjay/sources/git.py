"""The history of a repository: what its commits say becomes memories of kind change."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

from scrubjay.documents import Document, Skipped, Source
from scrubjay.errors import ScrubjayError
from scrubjay.project import identify
from scrubjay.sources import Cutting, Listed, Listing, Part, Reading

__all__ = ["History", "open_source"]

MOST_COMMITS = 5_000
ONLY_THE_NEWEST = f"Only its newest {MOST_COMMITS:,} commits were read."
FIELDS = ("%H", "%an", "%aI", "%s", "%b")
END = "\0"  # the one character that is in no message
# Whatever the user's own settings say about how a log looks.
LOG = ("log", "--no-merges", "--no-show-signature", "--encoding=UTF-8", f"--max-count={MOST_COMMITS}")
FORMAT = f"--format={'%x00'.join(FIELDS)}%x00"
UNBORN = 1  # what git exits with where a branch has no commit
WAIT_SECONDS = 120
# In a hook these name the repository that it runs for.
ELSEWHERE = {"GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY", "GIT_NAMESPACE"}


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
        asked = self._asked("rev-parse", "--verify", "--quiet", "HEAD")
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

    def _answer(self, done: subprocess.CompletedProcess[bytes]) -> str:
        if done.returncode:
            raise ScrubjayError(f"git says: {done.stderr.decode('utf-8', 'replace').strip()[:200]}")
        return done.stdout.decode("utf-8", "replace")

    def _asked(self, *words: str) -> subprocess.CompletedProcess[bytes]:
        # A folder that only looks like a repository may come with settings that run commands.
        settings = ("-c", "core.quotepath=off", "-c", "safe.bareRepository=explicit")
        command = ["git", "-C", self._source.root, *settings, *words]
        here = {name: value for name, value in os.environ.items() if name not in ELSEWHERE}
        try:
            return subprocess.run(
                command, capture_output=True, timeout=WAIT_SECONDS, stdin=subprocess.DEVNULL, env=here
            )
        except FileNotFoundError:
            raise ScrubjayError("git is not installed, so no history can be read.") from None
        except subprocess.TimeoutExpired:
            raise ScrubjayError(f"git did not answer within {WAIT_SECONDS} seconds.") from None
