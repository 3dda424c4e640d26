"""The architecture is a test: each room knows only the rooms below it, and no file grows out of sight."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import scrubjay

PACKAGE = Path(scrubjay.__file__).parent
MODULES = sorted(PACKAGE.rglob("*.py"))
LINES = 400

# From the ground up: a room may import itself and whatever stands on an earlier line.
FLOORS = [
    {"counting", "safe_text"},
    {"errors", "fence", "grants", "models", "days", "private_files", "regular_files", "revisions", "withheld"},
    {
        "providers",
        "types",
        "words",
        "kinds",
        "project",
        "git_folders",
        "guard",
        "chunking",
        "statements",
        "absolute_dates",
        "limits",
    },
    {"wire", "languages", "ranking"},
    {
        "times",
        "config",
        "embedders",
        "generators",
        "trust",
        "updates",
        "daily_log",
        "arguments",
        "timeline",
        "documents",
        "translating",
    },
    {"merging"},
    {"stores", "front_matter", "when"},
    {"time_phrases"},
    {"filters", "fields", "private_turns"},
    {
        "embedding",
        "generating",
        "related",
        "folding",
        "explaining",
        "scoring",
        "sources",
        "composing",
        "freshness",
        "project_trust",
    },
    {"doubt", "landmarks", "then", "suggestions"},
    {
        "add",
        "search",
        "upkeep",
        "context",
        "tasks",
        "sessions",
        "places",
        "excerpts",
        "capture",
        "drawing",
        "synthesise",
        "tokens",
        "trash",
    },
    {"lineage", "sync", "asking", "extract", "jobs"},
    {"care"},
    {"jay"},
    {"opening"},
    {"scrubjay"},
    {"doors"},
    {"__main__"},
]


def room(module: str) -> str:
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else "scrubjay"


def floor(name: str) -> int:
    return next(number for number, rooms in enumerate(FLOORS) if name in rooms)


def module_name(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported(path: Path) -> set[str]:
    """The rooms that a module imports, wherever in the file."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {room(name.name) for name in node.names if name.name.split(".")[0] == "scrubjay"}
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "scrubjay":
            found |= (
                {room(node.module or "")} if node.module != "scrubjay" else {_owner(name.name) for name in node.names}
            )
    return found


def _owner(name: str) -> str:
    """`from scrubjay import stores` imports a room, `from scrubjay import Memory` the front page."""
    return name if any(name in rooms for rooms in FLOORS) else "scrubjay"


@pytest.mark.parametrize("path", MODULES, ids=module_name)
def test_each_room_knows_only_the_rooms_below_it(path: Path) -> None:
    own = room(module_name(path))
    assert {name for name in imported(path) - {own} if floor(name) >= floor(own)} == set()


@pytest.mark.parametrize("path", MODULES, ids=module_name)
def test_files_stay_short_and_say_what_they_are_for(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= LINES
    assert ast.get_docstring(ast.parse(text))


def test_every_public_name_can_be_had() -> None:
    assert scrubjay.__all__ == sorted(scrubjay.__all__)
    for name in scrubjay.__all__:
        assert getattr(scrubjay, name).__module__.startswith("scrubjay.")
    with pytest.raises(AttributeError, match="no attribute 'close'"):
        getattr(scrubjay, "close")  # noqa: B009
