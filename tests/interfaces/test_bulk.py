"""Many memories at once: lines of JSON in, each with its own outcome; a table for spreadsheets out."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import scrubjay
from scrubjay import Added, Invalid
from tests.support.commands import Run
from tests.support.examples import examples

SECRET = "ghp_" + "Zx9Cv8Bn7Mq6Ws5Ed4Rf" * 2
LINES = [
    json.dumps({"text": "Herons fish at dawn", "kind": "fact", "tags": ["birds"]}),
    "not JSON at all",
    "",
    "[1]",
    json.dumps({"text": "The token is " + SECRET}),
    json.dumps({"text": "Wrens sing", "colour": "brown"}),
    json.dumps({"text": "Herons fish at dawn", "kind": "fact"}),
    json.dumps({"text": "Seen by Ann", "happened_at": "2026-03-01", "metadata": {"n": 1}}),
]


def test_each_of_many_has_its_own_outcome(jay: scrubjay.Scrubjay) -> None:
    first, second, third, fourth = jay.add_each([{"text": "One"}, {"text": ""}, {"kind": "fact"}, {"text": "One"}])
    assert isinstance(first, Added) and first.created
    assert isinstance(second, Invalid) and isinstance(third, Invalid) and '"text"' in str(third)
    assert isinstance(fourth, Added) and not fourth.created
    assert [memory.text for memory in jay.list()] == ["One"]


def test_one_that_the_store_refuses_does_not_stop_the_others(jay: scrubjay.Scrubjay) -> None:
    jay.add("Known", kind="fact", tags=[f"t{number}" for number in range(60)])
    known = {"text": "Known", "kind": "fact", "tags": [f"u{number}" for number in range(60)]}
    refused, added = jay.add_each([known, {"text": "Another"}])
    assert isinstance(refused, Invalid) and "tags" in str(refused)
    assert isinstance(added, Added) and added.created


def test_lines_from_a_file_are_remembered_and_those_refused_are_named(run: Run, place: Path) -> None:
    (place / "memories.jsonl").write_text("\n".join(LINES))
    answer = run("add", "--jsonl", "memories.jsonl", "--tag", "imported")
    assert answer.code == 1 and answer.out == "Remembered 2; 1 already known, 4 refused.\n"
    assert SECRET not in answer.err
    for said in (
        "Line 2 was refused: It is not JSON.",
        "Line 4 was refused: Each item must be an object",
        "no field 'colour'",
    ):
        assert said in answer.err
    listed = run("list", "--json").json["memories"]
    assert [memory["tags"] for memory in listed] == [["imported"], ["birds", "imported"]]
    assert listed[0]["happened_at"].startswith("2026-03-01") and listed[0]["metadata"] == {"n": 1}


def test_lines_from_standard_input_with_json(run: Run) -> None:
    answer = run("add", "--jsonl", "-", "--redact", "--json", stdin="\n".join(LINES).encode())
    told = answer.json
    assert (told["created"], told["known"], told["refused"]) == (3, 1, 3)
    assert [one["line"] for one in told["outcomes"]] == [1, 2, 4, 5, 6, 7, 8]
    assert told["outcomes"][0]["memory"]["text"] == "Herons fish at dawn"
    assert told["outcomes"][1]["type"] == "Invalid"


@pytest.mark.parametrize("words", [["text"], ["--supersedes", "1"], ["--auto-supersede"]])
def test_what_belongs_to_one_text_is_refused_with_many(run: Run, words: list[str]) -> None:
    answer = run("add", "--jsonl", "-", *words, stdin=b"{}")
    assert answer.code == 2 and "--jsonl takes --redact and fields for all" in answer.err


def test_a_table_has_a_row_for_each_memory_and_a_column_for_each_field(run: Run, place: Path) -> None:
    run("add", "=SUM(A1:A9)", "--kind", "note")
    run("add", 'Two\nlines, with a "quote"', "--tag", "a", "--tag", "b", "--metadata", '{"n": 1}')
    assert run("export", "--csv", "memories.csv").out == "Wrote 2 memories to memories.csv\n"
    data = (place / "memories.csv").read_bytes()
    assert data.startswith(b"\xef\xbb\xbf")
    first, second = csv.DictReader(io.StringIO(data.decode("utf-8-sig"), newline=""))
    assert first["text"] == "'=SUM(A1:A9)" and first["id"] == "1"
    assert second["text"] == 'Two\nlines, with a "quote"' and second["tags"] == "a, b"
    assert second["metadata"] == '{"n": 1}'
    assert run("export", "--csv", "-", "--kind", "note").out.count("\n") == 2
    assert "did you mean 'note'?" in run("export", "--csv", "-", "--kind", "not").err


def test_a_table_is_written_through_no_link(run: Run, place: Path, tmp_path: Path) -> None:
    aim = tmp_path / "precious"
    aim.write_text("mine")
    (place / "memories.csv").symlink_to(aim)
    answer = run("export", "--csv", "memories.csv")
    assert answer.code == 2 and "is a symbolic link" in answer.err and aim.read_text() == "mine"


def test_a_secret_that_was_kept_is_not_in_the_table(jay: scrubjay.Scrubjay) -> None:
    jay.add(f"The token is {SECRET}", allow_secret=True)
    assert jay.export_csv(table := io.StringIO()) == 0 and SECRET not in table.getvalue()


@given(st.lists(st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1).filter(str.strip), max_size=5))
@settings(max_examples=examples(30, searched=1_000))
def test_every_text_comes_back_from_the_table(tmp_path_factory: pytest.TempPathFactory, texts: list[str]) -> None:
    with scrubjay.open(tmp_path_factory.mktemp("m") / "m.db", embedder="none") as jay:
        stored = [one.memory.text for one in jay.add_each([{"text": text} for text in texts]) if isinstance(one, Added)]
        table = io.StringIO(newline="")
        jay.export_csv(table)
        read = csv.DictReader(io.StringIO(table.getvalue(), newline=""))
    cells = [row["text"] for row in read]
    assert [cell.removeprefix("'") for cell in cells] == [text.removeprefix("'") for text in dict.fromkeys(stored)]


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "＝", "＋", "－", "＠", "\n=", "\t="])
def test_no_field_of_an_exported_table_is_run_as_a_formula(jay: scrubjay.Scrubjay, start: str) -> None:
    formula = f"{start}HYPERLINK(A1)"
    jay.add(formula, subject=formula, title=formula, context=formula, tags=[formula, "b"], actor=formula)
    jay.export_csv(table := io.StringIO())
    (row,) = csv.DictReader(io.StringIO(table.getvalue(), newline=""))
    assert [name for name, cell in row.items() if cell.lstrip().startswith(tuple("=+-@＝＋－＠"))] == []
    assert row["tags"].startswith("'")
