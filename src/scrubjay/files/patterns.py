"""Patterns as in .gitignore: which are valid, and matching in time linear in the length of a name."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING

from scrubjay.errors import Invalid

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec
    from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

__all__ = [
    "MAX_PATTERNS",
    "anchored",
    "checked",
    "compiled",
    "hidden_names",
    "is_meant_as_pattern",
    "leads_into",
    "usable",
]

MAX_CHARACTERS = 1_000  # of one pattern
MAX_PATTERNS = 5_000  # of one source: each one takes time to compile, and again for every name
WILDCARD = re.compile(r"[*?\[\\]")
# `*` as pathspec writes it, and the text up to the next `*` in the same name. If this text matches at one position, a
# later position cannot help, so none is tried: each star would otherwise multiply the time by the length of the name.
STAR = r"\[\^/\]\*"
STAR_BEFORE_STAR = re.compile(rf"{STAR}((?:(?!{STAR})(?:\[\^/\]|[^/]))*)(?={STAR})")
# The same for `**`, which pathspec writes so at the beginning of a pattern and between two names.
LEADING_FOLDERS, FOLDERS_BETWEEN, FEWEST_FOLDERS = "^(?:.+/)?", "(?:/.+)?/", "(?:[^/]+/)*?"


def checked(patterns: Sequence[str], name: str) -> tuple[str, ...]:
    """Patterns from a caller, if all of them are valid and at least one selects files."""
    for pattern in patterns:
        if _pattern(pattern) is None or ".." in pattern.split("/"):  # no file of the source has such a name
            raise Invalid(f"{pattern[:100]!r} is not a pattern to {name}; write it as in .gitignore, e.g. 'a/**/*.md'.")
    if patterns and all(pattern.startswith("!") for pattern in patterns):
        raise Invalid(f"The patterns to {name} only exclude; give one that does not begin with !, e.g. '*.md'.")
    return tuple(patterns)


def compiled(lines: Iterable[str]) -> GitIgnoreSpec:
    """One matcher for all of these lines; comments and invalid lines are ignored, as in git."""
    from pathspec import GitIgnoreSpec

    first = islice(lines, MAX_PATTERNS)
    return GitIgnoreSpec(pattern for line in first if (pattern := _pattern(line)) is not None)


def anchored(patterns: Iterable[str]) -> tuple[Sequence[str], ...]:
    """The parts of patterns that begin at the root, as `/notes/*.md` does; empty if one of them may match anywhere."""
    given = [pattern.rstrip("/") for pattern in patterns if not pattern.startswith("!")]
    parts = tuple(pattern.lstrip("/").split("/") for pattern in given)
    return parts if all("/" in pattern for pattern in given) else ()


def leads_into(anchored: Iterable[Sequence[str]], folder: str) -> bool:
    """Whether one of such patterns may match something in this folder, a path below the root."""
    names = folder.split("/")
    return any(_begins_with(parts, names) for parts in anchored)


def _begins_with(parts: Sequence[str], names: Sequence[str]) -> bool:
    for part, name in zip(parts, names, strict=False):
        if part == "**":
            return True
        if part != name and not WILDCARD.search(part):
            return False
    return True


def is_meant_as_pattern(line: str) -> bool:
    """Whether a line of a .gitignore is neither blank nor a comment."""
    return bool(line.strip()) and not line.startswith("#")


def usable(line: str) -> bool:
    """Whether a line that is not a comment and not blank is a valid pattern."""
    return _pattern(line) is not None


def hidden_names(patterns: Iterable[str]) -> GitIgnoreSpec:
    """A matcher for the names beginning with a dot that patterns name: as in a shell, `*` matches none, `.*` all."""
    parts = (part for pattern in patterns if not pattern.startswith("!") for part in pattern.split("/"))
    names = (part.removeprefix("\\") for part in parts)
    return compiled(name for name in names if name.startswith("."))


@lru_cache(MAX_PATTERNS)  # the same line is often compiled twice, and is in many files
def _pattern(line: str) -> GitIgnoreSpecPattern | None:
    from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

    if len(line) > MAX_CHARACTERS:
        return None
    try:
        expression, include = GitIgnoreSpecPattern.pattern_to_regex(line)
        return GitIgnoreSpecPattern(_linear(expression), include) if expression is not None else None
    except (ValueError, re.error):  # e.g. a trailing backslash, or a range whose end is before its start
        return None


def _linear(expression: str) -> re.Pattern[str]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # a later Python may read `[[` differently
        return re.compile(_linear_in_folders(STAR_BEFORE_STAR.sub(r"(?>[^/]*?\1)", expression)))


def _linear_in_folders(expression: str) -> str:
    """Each part before a `**` is matched where it first can be, and at no later place."""
    first, *others = expression.split(FOLDERS_BETWEEN)
    begins = first.startswith(LEADING_FOLDERS)
    parts = [first.removeprefix(LEADING_FOLDERS if begins else ""), *(FEWEST_FOLDERS + part for part in others)]
    parts[0] = f"^{FEWEST_FOLDERS}{parts[0]}" if begins else parts[0]
    return "".join([*(f"(?>{part}/)" for part in parts[:-1]), parts[-1]])
