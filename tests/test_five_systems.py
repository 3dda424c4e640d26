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
DOCUMENTS = sorted((TESTS.parents[1] / "shared" / "seeds").glob("*.txt"))  # one for each system, in the same order
CODE = re.compile(r"^ *```(\w*)\n(.*?)^ *```$", re.M | re.S)
COLUMN = re.compile(
    r"^\s*(?:CREATE (?:VIRTUAL )?TABLE )?(\w+)(?: (?:TEXT|INTEGER|REAL|float\b|FLOAT\b)| \(| USING)", re.M
)
KEY = re.compile(r"(?:^|[{;,]) *(\w+)\??: ", re.M)
# What is not for a user of theirs: source code, functions and types, SQL, and examples of what somebody may ask.
INSIDE = re.compile(
    r".*\.ts|[\w.]+\(.*\)|(?:INSERT|UPDATE|DELETE|LEFT JOIN|WHERE|PRAGMA)\b.*|.* === .*|importance DESC|a[idu]"
    r"|BigInt|Number|lastLogDate|Map<.*>|recursive: true|@mcp/shared/Embeddings|vectorWeight × .*"
    r"|MemoryIndexManager|\$\{agentId\}:.*|UpdateMetadata|(?:New)?SQLiteStore|http\.Client|matthew commit style"
)
# The same name said in other words, or a value of one.
ALSO = {
    "~/.mudpuppy/workspace/memory/YYYY-MM-DD.md": "workspace/memory/YYYY-MM-DD.md",
    "source: 'file-index'": "file-index",
    "entryType: 'fact'": "entry_type",
    'surface="startup"': "surface",
    'metadata.surface = "startup"': "surface",
    'metadata.kind = "task"': "kind",
}


def part_of(system: str) -> str:
    return PAGE.partition(f"\n## {system}\n")[2].partition("\n## ")[0]


def names_with_a_row(system: str) -> str:
    first_columns = [line.split(" | ")[0] for line in part_of(system).splitlines() if line.startswith("| `")]
    return "\n".join(first_columns).replace("\\|", "|")


def names_in(document: str) -> set[str]:
    """What is marked as a name; in examples of code, the tables and columns of SQL, and the keys of settings."""
    found = set(re.findall(r"`([^`\n]+)`", CODE.sub("", document)))
    for language, code in CODE.findall(document):
        if language == "sql":
            found |= set(COLUMN.findall(code))
        elif language in ("typescript", "yaml"):
            found |= set(KEY.findall(code))
    return {ALSO.get(name, name) for name in found if not INSIDE.fullmatch(name)}


@pytest.mark.parametrize("system", THEIRS)
def test_nothing_of_a_system_is_without_a_row(system: str) -> None:
    rows = names_with_a_row(system)
    assert [name for name in THEIRS[system] if f"`{name}`" not in rows] == []


@pytest.mark.skipif(not DOCUMENTS, reason="the documents of the five systems are not beside the repository")
@pytest.mark.parametrize("system", THEIRS)
def test_nothing_in_the_document_of_a_system_is_without_a_row(system: str) -> None:
    rows, document = names_with_a_row(system), DOCUMENTS[list(THEIRS).index(system)].read_text(encoding="utf-8")
    found = names_in(document)
    assert len(found) > 5
    assert sorted(name for name in found if not re.search(rf"(?<!\w){re.escape(name)}(?!\w)", rows)) == []


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
