"""Numbers and nouns agree, and no sentence of ours counts by itself."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import scrubjay
from scrubjay.text.plural import counted, singular_or_plural
from tests.support.commands import Run

SOURCES = sorted(Path(scrubjay.__file__).parent.rglob("*.py"))
PLURAL = re.compile(r"^ (?:more |weaker |other )*[a-z]{3,}s\b(?! in\b| as\b)")
# What is a plural by its nature, or a number that is never one.
FIXED = {
    "ms",
    "seconds",
    "thus",
    "is",
    "was",
    "has",
    "this",
    "holds",
    "replaces",
    "lies",
    "commits",
    "characters",
    "passages",
}


def test_a_number_goes_with_its_noun() -> None:
    assert [counted(number, "turn") for number in (0, 1, 2, 1200)] == ["0 turns", "1 turn", "2 turns", "1,200 turns"]
    assert [counted(number, "memory") for number in (1, 2)] == ["1 memory", "2 memories"]
    assert counted(2, "weaker match") == "2 weaker matches" and counted(1, "tool call") == "1 tool call"
    assert [singular_or_plural(number, "is", "are") for number in (0, 1, 2)] == ["are", "is", "are"]


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_no_message_counts_by_itself(path: Path) -> None:
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        for value, after in zip(node.values, node.values[1:], strict=False) if isinstance(node, ast.JoinedStr) else ():
            said = after.value if isinstance(after, ast.Constant) else ""
            if isinstance(value, ast.FormattedValue) and _is_a_number(value) and (noun := PLURAL.match(str(said))):
                found += [] if noun[0].split()[-1] in FIXED else [f"{ast.unparse(value)}{noun[0]}"]
    assert found == []


def _is_a_number(value: ast.FormattedValue) -> bool:
    """As far as names tell: a length, a count, or something written with a separator for thousands."""
    shown = ast.unparse(value.value)
    return shown.startswith(("len(", "sum(")) or bool(value.format_spec) or bool(re.search(COUNTS, shown))


COUNTS = (
    r"(?:count|number|turns|times|left|remaining|behind|documents|memories|removed|read|quarantined|waiting|folded)$"
)


def test_answers_about_one_thing_speak_of_one(run: Run) -> None:
    run("turns", "add", "--user", "Which port?", "--agent", "8080", "--session", "review")
    assert run("sessions", "end", "review").out == "Session review has ended: 2 turns\n"
    assert run("sessions", "start", "new").out == "Session new is active: 0 turns\n"
    assert run("capture", "--client", "gemini", stdin=b"Six hours of sun.").out == "Remembered 1 turn.\n"
    assert "3 memories have no vector yet." in run("status").out
