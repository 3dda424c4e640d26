"""docs/five-systems.md leaves out nothing of the five systems, and names only what there is."""

from __future__ import annotations

import json
import re
from operator import attrgetter
from pathlib import Path

import pytest

from scrubjay import Scrubjay
from scrubjay.config import KEYS
from scrubjay.interfaces.cli.app import MODULES
from scrubjay.interfaces.mcp.tools import SETS, tools_of
from scrubjay.remote.verbs import PARTS, class_of

TESTS = Path(__file__).parent
PAGE = (TESTS.parent / "docs/five-systems.md").read_text(encoding="utf-8")
THEIRS: dict[str, list[str]] = json.loads((TESTS / "data/five_systems.json").read_text(encoding="utf-8"))
# A row is: | theirs | here | shown by |
ROWS = [re.split(r"(?<!\\)\|", line)[1:4] for line in PAGE.splitlines() if line.startswith("| `")]
HERE = "\n".join(here for _, here, _ in ROWS)
NOT_TAKEN_OVER = "Not taken over: "


def part_of(system: str) -> str:
    return PAGE.partition(f"\n## {system}\n")[2].partition("\n## ")[0]


@pytest.mark.parametrize("system", THEIRS)
def test_nothing_of_a_system_is_without_a_row(system: str) -> None:
    first_columns = [line.split(" | ")[0] for line in part_of(system).splitlines() if line.startswith("| `")]
    rows = "\n".join(first_columns).replace("\\|", "|")
    assert [name for name in THEIRS[system] if f"`{name}`" not in rows] == []


def test_every_row_has_a_test_or_says_why_it_was_not_taken_over() -> None:
    assert len(ROWS) > 200
    bare = [
        theirs for theirs, here, shown in ROWS if "::test_" not in shown and not here.strip().startswith(NOT_TAKEN_OVER)
    ]
    assert bare == []
    assert all(
        len(here.strip()) > len(NOT_TAKEN_OVER) + 20 for _, here, _ in ROWS if here.strip().startswith(NOT_TAKEN_OVER)
    )


def test_every_test_that_is_named_exists() -> None:
    named = set(re.findall(r"`tests/((?:\w+/)*test_\w+\.py)::(test_\w+)`", PAGE))
    assert len(named) > 100
    missing = [pair for pair in named if f"def {pair[1]}(" not in (TESTS / pair[0]).read_text(encoding="utf-8")]
    assert missing == []


def test_every_command_setting_tool_and_method_that_is_named_exists() -> None:
    assert set(re.findall(r"`scrubjay ([a-z]+)", HERE)) <= set(MODULES)
    tables = {key.partition(".")[0] for key in KEYS if "." in key}
    named = {name for name in re.findall(r"`([a-z]+\.[a-z_]+)`", HERE) if name.partition(".")[0] in tables}
    assert len(named) > 25 and named <= set(KEYS)
    tools = {tool.name for tool in tools_of(SETS)}
    assert set(re.findall(r"`((?:memory|session)_[a-z_]+)`", HERE)) <= tools
    for name in set(re.findall(r"`jay\.([a-z_.]+)", HERE)):
        part, _, own = name.rstrip(".").rpartition(".")
        assert attrgetter(own)(class_of(part) if part in PARTS else Scrubjay), name
