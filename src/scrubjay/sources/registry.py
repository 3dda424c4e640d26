"""The sources of a space: folders, transcripts and git histories that `sync` reads."""

from __future__ import annotations

import builtins
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from scrubjay.errors import Invalid, NotFound, ScrubjayError
from scrubjay.files import patterns, regular_files
from scrubjay.memory.arguments import file_path, one_of, short_text
from scrubjay.memory.guard import name_without_secret
from scrubjay.memory.trash import Trash
from scrubjay.memory.view import View
from scrubjay.project.identity import above
from scrubjay.sources import transcripts
from scrubjay.sources.walk import list_files
from scrubjay.text.nearest import did_you_mean, nearest
from scrubjay.text.secret_scan.quoting import quoted
from scrubjay.types.documents import Changed, Place, Source, SourceKind

__all__ = ["Sources"]

MEMORY_NAMES = ("MEMORY.md", "memory.md", "memory")
MEMORY_FILES = ("/MEMORY.md", "/memory.md", "/memory/**/*.md")
INSTRUCTION_NAMES = ("CLAUDE.md", "AGENTS.md", "GEMINI.md")
SINGLE_FILE = re.compile(r"/(?:\\.|[^\\*?\[/])+")  # as written by `_literal`
DEFAULT_PATTERNS: dict[SourceKind, tuple[str, ...]] = {
    "files": ("*.md", "*.markdown"),
    "transcripts": ("*.jsonl", "*.jsonl.*"),
    "git": (),
}
ANY_SIZE = 2**62
NOT_BY_FOLDER = "A source is called by its name, a text, not {!r}; `sources.add` takes a folder and gives its name."
MAX_COUNTED = 10_000_000  # bytes


class Sources:
    """The sources of one space."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._store = view.store
        self._space = view.space
        self._added: builtins.list[tuple[Source, Source | None]] = []  # each with what it was before

    def list(self) -> list[Source]:
        return self._store.documents.sources(self._space)

    def add(
        self,
        path: str | Path,
        *,
        kind: SourceKind = "files",
        include: Sequence[str] = (),
        exclude: Sequence[str] = (),
        ignored: bool = False,
        client: str | None = None,
        name: str | None = None,
    ) -> Source:
        """Register a folder or a file; `sync` then reads it. One that is registered already is updated."""
        root, only = _root(file_path("path", path), one_of("kind", kind, SourceKind))
        if client is not None:
            transcripts.open_parser(client)
        same = next((source for source in self.list() if (source.root, source.kind) == (str(root), kind)), None)
        kept = same.include if same else ()
        wanted = (*kept, *only) if only else _patterns("include", include) or _widened(kept, kind)
        source = Source(
            space=self._space,
            kind=kind,
            name=self._name(name, same, root, kind),
            root=str(root),
            include=tuple(dict.fromkeys(wanted)),
            exclude=_patterns("exclude", exclude) or (same.exclude if same else ()),
            ignored=ignored or kind != "files" or (same is not None and same.ignored),
            client=client or (same.client if same else None),
        )
        stored = self._store.documents.put_source(source)
        self._added.append((stored, same))
        return stored

    def add_memory_files(self, folder: Path) -> Source | None:
        """Register MEMORY.md, memory.md and memory/ of a folder, if any of them is in no source yet."""
        return self._add_named(folder, MEMORY_NAMES, MEMORY_FILES)

    def add_instruction_files(self, folder: Path) -> Source | None:
        """Register what agents are told in a repository, CLAUDE.md, AGENTS.md and GEMINI.md, in the same way."""
        return self._add_named(folder, INSTRUCTION_NAMES, tuple(f"/{name}" for name in INSTRUCTION_NAMES))

    def _add_named(self, folder: Path, names: Sequence[str], include: Sequence[str]) -> Source | None:
        real = os.path.realpath(folder)
        known = self._store.documents.owners(self._space)
        found = [path for name in names if os.path.exists(path := os.path.join(real, name))]
        fresh = [path for path in found if not any(f"{one}/".startswith(f"{path}/") for one in known)]
        same = next((source for source in self.list() if (source.root, source.kind) == (real, "files")), None)
        kept = same.include if same else ()
        if not fresh or not _are_single_files(kept) or set(include) <= set(kept):
            return None
        return self.add(folder, include=(*kept, *include))

    @contextmanager
    def taken_back_on_failure(self) -> Iterator[Sources]:
        """If the block fails, remove the sources it has added and change back those it has changed.

        Only what was added through the object that this gives is taken back; other processes may add sources meanwhile.
        An interruption is not a failure: a later sync continues.
        """
        self._added.clear()
        try:
            yield self
        except Exception:
            for source, before in reversed(self._added):
                if before:
                    self._store.documents.put_source(before)
                else:
                    self._store.documents.drop_source(source, self._view.clock())
            raise

    def add_place(self, place: Place) -> Source:
        """Register the transcripts of a client."""
        return self.add(place.root, kind="transcripts", include=place.include, client=place.client, name=place.client)

    def found(self) -> builtins.list[Place]:
        """Where agent clients keep transcripts on this machine."""
        known = transcripts.locations(Path.home(), os.environ)
        return [place for found in known if (place := self._place(found)) and place.documents]

    def remove(self, name: str) -> Changed:
        """Remove a source and the memories that came from it; the files themselves stay."""
        removed = self._store.documents.drop_source(self.named(name), self._view.clock())
        Trash(self._view).erase_traces()
        return removed

    def named(self, name: str) -> Source:
        if not isinstance(name, str):
            raise Invalid(NOT_BY_FOLDER.format(name))
        source = next((source for source in self.list() if source.name == name), None)
        if source is None:
            known = [source.name for source in self.list()]
            hint = (
                did_you_mean(name, known) if nearest(name, known) else f"; there are: {', '.join(known) or 'none yet'}."
            )
            raise NotFound(f"There is no source {quoted(name)} in space {self._space!r}{hint}")
        return source

    def touched(self, paths: Sequence[str], least_bytes: int = 0, least_lines: int = 0) -> builtins.list[str]:
        """The sources that these changed files belong to; a transcript only once it has grown enough."""
        return [source.name for source in self.list() if self._is_touched(source, paths, least_bytes, least_lines)]

    def _is_touched(self, source: Source, paths: Sequence[str], least_bytes: int, least_lines: int) -> bool:
        own = [path for path in paths if Path(path).is_relative_to(source.root) and _is_visible(source, path)]
        if source.kind != "transcripts" or not own or not (least_bytes or least_lines):
            return bool(own)
        read = {document.path: document.offset for document in self._store.documents.of(source)}
        return any(_has_grown(path, read.get(path, 0), least_bytes, least_lines) for path in own)

    def _place(self, found: transcripts.Location) -> Place | None:
        if not found.root.is_dir():
            return None
        source = Source(
            space=self._space, kind="transcripts", name=found.client, root=str(found.root), include=found.patterns,
            ignored=True, client=found.client,
        )  # fmt: skip
        try:
            documents = list_files(source, ANY_SIZE).documents
        except ScrubjayError:
            return None
        size = sum(listed.size for listed in documents)
        return Place(found.client, str(found.root), found.patterns, len(documents), size)

    def _name(self, given: str | None, same: Source | None, root: Path, kind: SourceKind) -> str:
        """The given name; else the folder's own, with parent folders in front until it is unique."""
        taken = [source.name for source in self.list() if source != same]
        if given and _clashes(given, taken):
            raise Invalid(f"The name {quoted(given)} overlaps with that of another source; choose another.")
        if same and given not in (None, same.name):
            raise Invalid(f"{root} is already the source {same.name!r}; remove that first.")
        if given or same:
            return name_without_secret("A source's name", short_text("A source's name", given or (same and same.name)))
        parts = [part for part in root.parts if part != root.anchor] or ["root"]
        suffix = "" if kind == "files" else f"-{kind}"
        names = ["/".join(parts[-length:]) + suffix for length in range(1, len(parts) + 1)]
        return next((name for name in names if not _clashes(name, taken)), f"{names[-1]}-{len(taken)}")


def _root(path: Path, kind: SourceKind) -> tuple[Path, tuple[str, ...]]:
    """The real folder of a source and, for a single file, the pattern that matches only that."""
    try:
        real = path.expanduser().resolve(strict=True)
        for part in real.parts:
            name_without_secret("The path of a source", part).encode()
    except UnicodeEncodeError:
        raise Invalid("The name of this folder, or of one above it, is not UTF-8; rename that first.") from None
    except (OSError, RuntimeError, ValueError):
        raise Invalid(f"There is no folder or file {path}; give one that exists.") from None
    if kind == "git":
        git = above(real, ".git")
        if git is None:
            raise Invalid(f"{path} is not in a git repository; give a folder that is.")
        return git.parent, ()
    return (real, ()) if real.is_dir() else (real.parent, (f"/{_literal(real.name)}",))


def _widened(kept: Sequence[str], kind: SourceKind) -> tuple[str, ...]:
    """The patterns of a folder given without any: those it had, unless they were only for single files."""
    return (*DEFAULT_PATTERNS[kind], *kept) if _are_single_files(kept) else tuple(kept)


def _are_single_files(include: Sequence[str]) -> bool:
    return all(pattern in MEMORY_FILES or SINGLE_FILE.fullmatch(pattern) for pattern in include)


def _clashes(name: str, taken: Sequence[str]) -> bool:
    """Whether documents of two sources could have the same name: sub/a.md of notes is a.md of notes/sub."""
    return any(f"{one}/".startswith(f"{name}/") or f"{name}/".startswith(f"{one}/") for one in taken)


def _is_visible(source: Source, path: str) -> bool:
    """Whether a change of this file matters; in a repository, only its logs do."""
    parts = Path(path).relative_to(source.root).parts
    if source.kind == "git":
        return parts[:2] == (".git", "logs")
    asked_for = patterns.hidden_names(source.include)
    return all(not part.startswith(".") or asked_for.match_file(part) for part in parts)


def _has_grown(path: str, offset: int, least_bytes: int, least_lines: int) -> bool:
    """Whether a file has at least this many unread bytes or lines; 0 means no limit of that kind."""
    try:
        with regular_files.open_to_read(path, follow=True) as file:
            file.seek(offset)
            grown = file.read(max(least_bytes, MAX_COUNTED))
    except OSError:
        return True
    return 0 < least_bytes <= len(grown) or 0 < least_lines <= grown.count(b"\n")


def _literal(name: str) -> str:
    return "".join(f"\\{letter}" if letter in "\\*?[]!# " else letter for letter in name)


def _patterns(name: str, given: Sequence[str]) -> tuple[str, ...]:
    if isinstance(given, str):
        raise Invalid(f'{name} must be a list of patterns, e.g. ["notes/**/*.md"].')
    what = f"A pattern to {name}"
    return patterns.checked([name_without_secret(what, short_text(what, pattern)) for pattern in given], name)
