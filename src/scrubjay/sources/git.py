"""The history of a repository: each commit message becomes a memory of kind change."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from scrubjay.errors import ScrubjayError
from scrubjay.files.git_folders import first_irregular
from scrubjay.memory.guard import shortened
from scrubjay.project.git import GitResult, run_git
from scrubjay.project.identity import identify
from scrubjay.sources import Listed, Listing, Part, Reading, ReadOptions
from scrubjay.types.documents import Document, Skipped, Source

__all__ = ["History", "open_source"]

MAX_COMMITS = 5_000
ONLY_THE_NEWEST = f"Only its newest {MAX_COMMITS:,} commits were read."
FIELDS = ("%H", "%an", "%aI", "%s", "%b")
END = "\0"  # never part of a message
# Options that override the user's own settings for the log.
LOG = ("log", "--no-merges", "--no-show-signature", "--no-mailmap", "--encoding=UTF-8", f"--max-count={MAX_COMMITS}")
FORMAT = f"--format={'%x00'.join(FIELDS)}%x00"
TITLE_CHARACTERS, AUTHOR_CHARACTERS = 300, 200
NO_COMMIT = 1  # git's exit code for a branch without a commit
WAIT_SECONDS, HEAD_SECONDS = 120, 3  # every search asks for the head


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
            "title": shortened(subject, TITLE_CHARACTERS),
            "source": f"commit:{commit}",
            "actor": shortened(author, AUTHOR_CHARACTERS) or None,
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

    def _run_git(self, *words: str, seconds: int | None = None) -> GitResult:
        return run_git(Path(self._source.root), words, WAIT_SECONDS if seconds is None else seconds)
