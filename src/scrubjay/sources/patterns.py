"""Patterns as in .gitignore: which of them can be used, and matching whose time grows with the name's length only."""

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

__all__ = ["MOST_PATTERNS", "checked", "compiled", "hidden_names", "says_something", "usable"]

MOST_CHARACTERS = 1_000  # of one pattern
MOST_PATTERNS = 5_000  # of one source: each takes time to compile, and again for every name
MOST_FOLDER_STARS = 3  # `**`: each more would multiply the time by the depth of a path
# `*` as pathspec writes it, with what follows up to the next `*` of the same name. The first place that fits is as good
# as any later one, so no other is tried: the time would otherwise be multiplied by a name's length for each star.
STAR = r"\[\^/\]\*"
STAR_BEFORE_STAR = re.compile(rf"{STAR}((?:(?!{STAR})(?:\[\^/\]|[^/]))*)(?={STAR})")


def checked(patterns: Sequence[str], name: str) -> tuple[str, ...]:
    """Patterns that somebody gave, if all can be used and they choose anything."""
    for pattern in patterns:
        if _pattern(pattern) is None:
            raise Invalid(f"{pattern[:100]!r} is no pattern to {name}; write it as in .gitignore, e.g. 'a/**/*.md'.")
    if patterns and all(pattern.startswith("!") for pattern in patterns):
        raise Invalid(f"The patterns to {name} only take away; give one that does not begin with !, e.g. '*.md'.")
    return tuple(patterns)


def compiled(lines: Iterable[str]) -> GitIgnoreSpec:
    """What these lines say together; comments and lines that are no pattern say nothing, as in git."""
    from pathspec import GitIgnoreSpec

    first = islice(lines, MOST_PATTERNS)
    return GitIgnoreSpec(pattern for line in first if (pattern := _pattern(line)) is not None)


def says_something(line: str) -> bool:
    """Whether a line of a .gitignore is meant to be a pattern."""
    return bool(line.strip()) and not line.startswith("#")


def usable(line: str) -> bool:
    """Whether a line that is meant to be a pattern is one."""
    return _pattern(line) is not None


def hidden_names(patterns: Iterable[str]) -> GitIgnoreSpec:
    """The names beginning with a dot that patterns ask for: as in a shell, `*` means none of them, `.*` all."""
    parts = (part for pattern in patterns if not pattern.startswith("!") for part in pattern.split("/"))
    names = (part.removeprefix("\\") for part in parts)
    return compiled(name for name in names if name.startswith("."))


@lru_cache(MOST_PATTERNS)  # a line may be asked for twice, and stand in many files
def _pattern(line: str) -> GitIgnoreSpecPattern | None:
    from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

    if len(line) > MOST_CHARACTERS or line.split("/").count("**") > MOST_FOLDER_STARS:
        return None
    try:
        expression, include = GitIgnoreSpecPattern.pattern_to_regex(line)
        return GitIgnoreSpecPattern(_linear(expression), include) if expression is not None else None
    except (ValueError, re.error):  # an escape of nothing, a range that ends before it begins
        return None


def _linear(expression: str) -> re.Pattern[str]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # Python may one day read `[[` otherwise
        return re.compile(STAR_BEFORE_STAR.sub(r"(?>[^/]*?\1)", expression))
