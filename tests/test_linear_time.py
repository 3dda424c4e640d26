"""Text of any kind is worked through in time that grows with its length: steps are counted, not seconds."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime
from importlib import import_module
from itertools import product
from pathlib import Path
from pkgutil import walk_packages
from types import FrameType
from typing import Any

import pytest

import scrubjay
from scrubjay.dates import absolute, questions
from scrubjay.files.patterns import compiled
from scrubjay.interfaces.mcp import replies
from scrubjay.models.embedders import windows
from scrubjay.project.identity import identify
from scrubjay.search import scores
from scrubjay.sources.markdown import chunking, front_matter
from scrubjay.sources.transcripts import jsonl, messages
from scrubjay.text import fence, kinds, safe_text, words
from scrubjay.upkeep import extract_rules
from tests.support.steps import steps_to_find_all

sre: Any = import_module("re._constants")
_parser: Any = import_module("re._parser")

# Tried once at one place of a text, or only on what is short: a sentence of 300 characters, a message of 1,000, a date
# of 100, a name, or what the user types at the command line.
BOUNDED = (
    "clients.OUR_HOOK", "files.patterns.STAR_BEFORE_STAR", "interfaces.cli.shared.options.COMPARISON",
    "memory.connections.citations.LINES", "portable.formats.markdown_files.BULLET",
    "portable.formats.markdown_files.INSTRUCTIONS", "portable.markdown.import_pages.SUCCESSOR",
    "project.identity.REMOTE", "project.identity.URL", "sources.markdown.chunking.LIST_ITEM",
    "sources.markdown.front_matter.SPACE_BEFORE_ZONE", "sources.transcripts.jsonl.SPACE",
    "sources.transcripts.messages.SPACE", "stores.postgres.", "upkeep.extract_rules.ADVERBS",
    "upkeep.extract_rules.AGREEING", "upkeep.extract_rules.ASKING", "upkeep.extract_rules.DANGLING",
    "upkeep.extract_rules.LEAD", "upkeep.extract_rules.PASSING", "upkeep.extract_rules.RULES",
    "upkeep.extract_rules.UNCHANGED", "upkeep.instructions.",
)  # fmt: skip
UNITS = (
    "a", "1", " ", "\n", ".", "-", "_", '"', "“", "„", "«", "»", "<", "`", "[", "!", "中", "…", "\x1b[", "a ", "a.",
    "aA", "111,", "111'", '"a', "```\n", "a\n", "<memories>", "< ", "<t ", "[[reply_to", "\\", "&amp;", "%25", ".'",
    "\n>", "\n ",
    "System: [", "X (untrusted):```json\n", "**Workspace Directories:**\n", "&lt;memories&gt;", ", ",
)  # fmt: skip
AFTER_BEGINNINGS = (" ", "a", "#", "a ", "//a:")
BEGINNINGS = {"sources.transcripts.gemini.WORKSPACE": "**Workspace Directories:**"}  # before what is repeated
FEW = 20


def patterns() -> Iterator[tuple[str, re.Pattern[str]]]:
    """All expressions of the package, each once: those in modules' variables, and those that are compiled when they
    are first used."""
    found: dict[tuple[str, int], str] = {}
    for module in walk_packages(scrubjay.__path__, "scrubjay."):
        if not module.name.endswith("__main__"):  # which runs a program
            for name, value in vars(import_module(module.name)).items():
                for known, pattern in _within(f"{module.name.removeprefix('scrubjay.')}.{name}", value):
                    found.setdefault((pattern.pattern, pattern.flags), known)
    yield from ((name, re.compile(*pattern)) for pattern, name in found.items())
    for name in ("HUMP", "CAMEL", "THOUSANDS", "JOINED", "QUOTED"):
        yield f"words.{name}", re.compile(getattr(words, name))
    yield "safe_text.PASSWORD", re.compile(safe_text.PASSWORD)
    yield from ((f"words.SIGNED {sign}", re.compile(pattern)) for sign, (pattern, _) in words.SIGNED.items())
    yield from (
        (f"questions.{name}", re.compile(getattr(questions, name), re.I)) for name in ("PAST", "PAST_OTHER", "PLANNED")
    )
    yield "scores.ASKED_OF_YOU", re.compile(scores.ASKED_OF_YOU)
    yield "messages.opening", messages._opening("t")


def _within(name: str, value: Any) -> Iterator[tuple[str, re.Pattern[str]]]:
    if isinstance(value, re.Pattern) and isinstance(value.pattern, str) and not name.startswith(BOUNDED):
        yield name, value
    elif isinstance(value, dict):
        for key, one in value.items():
            yield from _within(f"{name} {key}", one)
    elif isinstance(value, (list, tuple)):
        for number, one in enumerate(value):
            yield from _within(f"{name} {number}", one)


def repeats_without_limit(nodes: Any) -> bool:
    if isinstance(nodes, (list, tuple)) and len(nodes) == 3 and nodes[1] is sre.MAXREPEAT:
        return True
    inner = nodes if isinstance(nodes, (list, tuple, _parser.SubPattern)) else ()
    return any(repeats_without_limit(node) for node in inner)


def before_repeats(nodes: Any) -> Iterator[str]:
    """Texts after which a part of an expression is tried that repeats without a limit."""
    text = ""
    for operation, given in nodes:
        inner = given[3] if operation is sre.SUBPATTERN else ()
        if repeats_without_limit((operation, given)):
            yield text
            yield from (text + more for more in before_repeats(inner))
        text += shortest(operation, given)


def shortest(operation: Any, given: Any) -> str:
    """A short text that such a part of an expression matches; empty if that is not told easily."""
    if operation is sre.LITERAL:
        return chr(given)
    if operation is sre.IN:
        return next((chr(one if kind is sre.LITERAL else one[0]) for kind, one in given if kind in SPELLED), "a")
    if operation in (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT):
        return "".join(shortest(*node) for node in given[2] for _ in range(given[0]))
    if operation is sre.SUBPATTERN:
        return "".join(shortest(*node) for node in given[3])
    return "".join(shortest(*node) for node in given[1][0]) if operation is sre.BRANCH else ""


SPELLED = (sre.LITERAL, sre.RANGE)
RISKY = {name: pattern for name, pattern in patterns() if repeats_without_limit(_parser.parse(pattern.pattern))}


@pytest.mark.parametrize("name", RISKY)
def test_an_expression_takes_steps_in_proportion_to_the_text(name: str) -> None:
    beginning = BEGINNINGS.get(name, "")
    for unit in UNITS:
        assert_in_proportion(RISKY[name], beginning, unit)
    for begun in set(before_repeats(_parser.parse(RISKY[name].pattern, RISKY[name].flags))):
        for unit in AFTER_BEGINNINGS:
            assert_in_proportion(RISKY[name], begun, unit, "\0")


def assert_in_proportion(pattern: re.Pattern[str], beginning: str, unit: str, end: str = "") -> None:
    once = steps_to_find_all(pattern, beginning + unit * FEW + end)
    twice = steps_to_find_all(pattern, beginning + unit * FEW * 2 + end)
    assert twice <= 2.5 * once + 100, (beginning, unit, end)


def test_the_counting_matcher_tells_what_grows_with_the_square() -> None:
    quadratic = re.compile(r"\w+x")
    assert steps_to_find_all(quadratic, "a" * 200) > 3.5 * steps_to_find_all(quadratic, "a" * 100)


def test_a_message_of_many_blanks_takes_no_more_than_the_square_of_its_length() -> None:
    asked: re.Pattern[str] = vars(import_module("scrubjay.upkeep.instructions"))["ASKED"]
    for text in ("a" + " " * 200 + "b", " \n" * 5 + " " * 200, "a " * 100, "a" * 200):
        assert steps_to_find_all(asked, text) < 12 * len(text) ** 2


NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
FUNCTIONS: dict[str, Callable[[str], object]] = {
    "chunking": chunking.passages,
    "a heading's text": lambda text: chunking.passages(f"# {text}"),
    "front matter": lambda text: front_matter.split(f"---\n{text}\n---\nbody"),
    "tags": lambda text: front_matter.tags({"tags": text}),
    "a date": lambda text: front_matter.date({"date": f"2026{text}x"}),
    "statements": extract_rules.statements,
    "dates in statements": lambda text: absolute.with_absolute_dates(text, date(2026, 5, 1)),
    "times": lambda text: questions.times(text, NOW),
    "words that belong together": words.compound_phrases,
    "words of a mark": words.plain_words,
    "names": words.parts,
    "extra_spellings": words.extra_spellings,
    "fence": fence.unfenced,
    "no fence": fence.defused,
    "a fence": lambda text: fence.refenced(fence.fenced([text])),
    "kind": kinds.kind_of,
    "a terminal": safe_text.visible,
    "one line": replies.one_line,
    "pieces": lambda text: windows.pieces(text, "all-minilm"),
    "a turn": lambda text: messages.without_tags(f"{text}</system-reminder>", ["system-reminder"]),
    "records": lambda text: jsonl.records_in(text.encode()),
}


def lines_executed(function: Callable[[str], object], text: str) -> int:
    """How many lines of Python run; those of the expressions are counted above."""
    count = 0

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal count
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        function(text)
    finally:
        sys.settrace(before)
    return count


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_runs_lines_in_proportion_to_the_text(name: str) -> None:
    FUNCTIONS[name]("warm up")  # what is imported or compiled the first time
    for unit in (
        "a",
        " ",
        "\n",
        "中",
        "# a\n",
        "- a\n",
        "```\n",
        "a\n=\n",
        "|-\n",
        "a. ",
        "I like tea. ",
        "{}",
        "<t>",
        "<",
        "＜",
        "<é",
    ):
        once = lines_executed(FUNCTIONS[name], unit * (8_000 // len(unit)))
        twice = lines_executed(FUNCTIONS[name], unit * (16_000 // len(unit)))
        assert twice <= 2.5 * once + 500, unit


def test_of_brackets_that_repeat_each_is_not_looked_at_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at: list[str] = []
    is_named = fence._is_tag_named

    def noted(near: str, name: str) -> bool:
        looked_at.append(near)
        return is_named(near, name)

    monkeypatch.setattr(fence, "_is_tag_named", noted)
    letters = "<(ᐸ＜«&%=\\/>m.0 é\n\u0301:"
    for unit in (*letters, *map("".join, product(letters, repeat=2)), "&lt;", "%3c", "\\u003c"):
        looked_at.clear()
        fence.fenced([unit * 1_000])
        assert len(looked_at) < 100, unit


@pytest.mark.parametrize("bracket", [*"<＜«⟨", "<\n", "< ", "<(", "</", "<0"])
def test_brackets_with_no_letter_behind_them_run_no_lines(bracket: str) -> None:
    assert lines_executed(lambda text: fence.fenced([text]), bracket * 1_000) < 100


def test_an_address_of_a_repository_is_of_bounded_length(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "config").write_text(f'[remote "origin"]\n\turl = {"a@" * 500_000}\n')
    assert identify(tmp_path) == str(tmp_path)


def test_a_pattern_with_many_stars_takes_steps_in_proportion_to_the_name() -> None:
    for pattern in ("*a" * 12 + "b", "*a?*[ab]*" * 4 + "c", "a" + "*" * 9 + "b"):
        once, twice = (steps_to_find_all(expression_of(pattern), "a" * count) for count in (60, 120))
        assert twice <= 2.5 * once + 200, pattern


def test_a_pattern_with_many_double_stars_takes_steps_in_proportion_to_the_path() -> None:
    for pattern in ("**/a/**/a/**/a/b", "**/a" * 8 + "/b", "a/**/?/**/a*/**/b/", "**/*a*/**/*a*/**/*a*/b"):
        once, twice = (steps_to_find_all(expression_of(pattern), "a/" * count + "c") for count in (20, 40))
        assert twice <= 2.5 * once + 200, pattern


def expression_of(pattern: str) -> re.Pattern[str]:
    expression = next(iter(compiled([pattern]).patterns)).regex
    assert expression is not None
    return expression
