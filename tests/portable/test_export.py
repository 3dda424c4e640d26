"""Exports: without loss, the same bytes every time, and described by a schema."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import apsw
import jsonschema  # type: ignore[import-untyped]
import pytest
from hypothesis import given, settings

import scrubjay
from scrubjay import Invalid, Scrubjay
from scrubjay.portable.lines.json_schema import json_schema
from scrubjay.stores.transfer.tables import EDIT, LEFT_OUT, MEMORY, STEP, TABLES, TASK
from tests.support.clock import Clock
from tests.support.commands import Run
from tests.support.random_life import choices, corrections, live, revise

ROOT = Path(__file__).parents[2]
INTERNAL = ("words", "vocabulary", "sqlite_")


def lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text().splitlines()]


def stocked(jay: Scrubjay, folder: Path) -> None:
    """Something of every sort that an export has."""
    (folder / "notes").mkdir()
    (folder / "notes/a.md").write_text("# Herons\n\nThe heron of the notes stands by the pond all day long.\n")
    first = jay.add("The heron port is 8080", kind="fact", subject="heron", tags=["bird"], metadata={"a": [1]}).memory
    jay.supersede(first.id, "The heron port is 9090", reason="moved")
    jay.add("The kettle is blue", kind="fact", subject="kettle")
    jay.add("The kettle is green", kind="fact", subject="kettle", expires_at="2026-12-01")
    jay.update(3, tags=["seen"])
    jay.link(3, 4, "depends_on")
    jay.tasks.create("Feed the heron", due="2026-06-01")
    jay.tasks.update(5, status="in_progress")
    jay.add_turns("talk", [{"speaker": "Ann", "text": "Where is it? <private>unclosed"}])
    jay.sources.add(folder / "notes")
    jay.sync()
    passage = next(memory for memory in jay.list(kinds=["passage"]))
    jay.delete(passage.id)
    jay.context("heron", session="talk")


def test_every_table_and_column_is_exported_or_left_out_for_a_reason(path: Path, jay: Scrubjay) -> None:
    db = apsw.Connection(str(path))
    tables = [name for (name,) in db.execute("select name from sqlite_schema where type = 'table'")]
    declared = {table.name: {*table.fields, *table.left_out} for table in (MEMORY, STEP, EDIT, TASK, *TABLES)}
    for table in tables:
        if table.startswith(INTERNAL) or LEFT_OUT.get(table):
            continue
        assert table in declared, f"{table}: declare it in stores/transfer/tables.py, or say there why it is left out"
        columns = {name for (_, name, *_) in db.execute(f"pragma table_info({table})")}
        assert columns <= declared[table], f"{table}: declare these columns in stores/transfer/tables.py"
    db.close()


def test_every_line_fits_the_published_schema(jay: Scrubjay, tmp_path: Path) -> None:
    stocked(jay, tmp_path)
    jay.export(tmp_path / "all.jsonl", vectors=True, all_spaces=True)
    schema = jsonschema.Draft202012Validator(json_schema())
    found = lines(tmp_path / "all.jsonl")
    for line in found:
        schema.validate(line)
    declared = {table.line for table in (MEMORY, STEP, EDIT, *TABLES)} - {
        "extraction",
        "forgotten_name",
        "session_note",
        "told",
        "record",
    }
    assert {line["type"] for line in found} >= declared


def test_the_published_schema_is_that_of_the_program() -> None:
    published = (ROOT / "docs/reference/export.schema.json").read_text()
    assert json.loads(published) == json_schema(), "write it with `python -m tools.export_schema`"


def test_an_export_has_no_row_ids_and_its_digest_at_the_end(jay: Scrubjay, tmp_path: Path) -> None:
    stocked(jay, tmp_path)
    written = jay.export(tmp_path / "all.jsonl")
    *content, end = (tmp_path / "all.jsonl").read_bytes().splitlines(keepends=True)
    assert json.loads(end)["sha256"] == hashlib.sha256(b"".join(content)).hexdigest() == written.sha256
    memories = [line for line in map(json.loads, content) if line["type"] == "memory"]
    assert len(memories) == written.memories and not any("id" in line for line in memories)


def test_two_exports_have_the_same_bytes(jay: Scrubjay, tmp_path: Path, clock: Clock) -> None:
    stocked(jay, tmp_path)
    jay.export(tmp_path / "one.jsonl", vectors=True)
    clock.pass_(days=2)
    jay.export(tmp_path / "two.jsonl", vectors=True)
    assert (tmp_path / "one.jsonl").read_bytes() == (tmp_path / "two.jsonl").read_bytes()


def test_a_filtered_export_has_memories_with_their_history_only(jay: Scrubjay, tmp_path: Path) -> None:
    stocked(jay, tmp_path)
    jay.export(tmp_path / "part.jsonl", subject="heron")
    found = lines(tmp_path / "part.jsonl")
    assert [line["type"] for line in found] == ["header", "memory", "memory", "step", "end"]
    assert found[0]["part"] is True


def test_what_was_deleted_or_kept_secret_is_in_no_export(jay: Scrubjay, tmp_path: Path) -> None:
    jay.delete(jay.add("The flamingo is called Otto").memory.id)
    jay.add("The password of the heron is hunter2heron", allow_secret=True)
    written = jay.export(tmp_path / "all.jsonl")
    text = (tmp_path / "all.jsonl").read_text()
    assert "flamingo" not in text and "hunter2heron" not in text
    assert written.notes == ("1 memory kept with a secret: redacted in the export.",)


def test_one_space_is_exported_unless_all_are_asked_for(path: Path, jay: Scrubjay, tmp_path: Path) -> None:
    jay.add("The kettle is blue")
    with scrubjay.open(path, space="work") as work:
        work.add("The heron is grey")
    jay.export(tmp_path / "one.jsonl")
    assert "heron" not in (tmp_path / "one.jsonl").read_text()
    jay.export(tmp_path / "all.jsonl", all_spaces=True)
    assert lines(tmp_path / "all.jsonl")[0]["spaces"] == ["default", "work"]


def test_an_export_is_private_and_written_whole_or_not_at_all(jay: Scrubjay, tmp_path: Path) -> None:
    jay.add("The kettle is blue")
    jay.export(tmp_path / "all.jsonl")
    assert (tmp_path / "all.jsonl").stat().st_mode & 0o777 == 0o600
    before = (tmp_path / "all.jsonl").read_bytes()

    def stop(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        jay.export(tmp_path / "all.jsonl", progress=stop)
    assert (tmp_path / "all.jsonl").read_bytes() == before
    assert [file.name for file in tmp_path.glob(".all*")] == []
    (tmp_path / "link").symlink_to(tmp_path / "all.jsonl")
    with pytest.raises(Invalid, match="symbolic link"):
        jay.export(tmp_path / "link")
    with pytest.raises(Invalid, match="cannot be written"):
        jay.export(tmp_path / "nowhere" / "all.jsonl")


def test_the_command_asks_for_one_file(run: Run) -> None:
    run("add", "The kettle is blue")
    assert "Name the file to write" in run("export").err
    assert run("export", "a.jsonl").out == "Wrote 1 memory to a.jsonl\n"
    assert "leave --vectors" in run("export", "--csv", "a.csv", "--vectors").err


@settings(max_examples=12)
@given(chosen=choices)
def test_export_import_export_gives_the_same_bytes(chosen: list[tuple[int, int, int]], tmp_path_factory: Any) -> None:
    folder, clock = tmp_path_factory.mktemp("round"), Clock()
    with scrubjay.open(folder / "a.db", embedder="hashing", clock=clock) as one:
        live(one, clock, chosen)
        one.export(folder / "a.jsonl", vectors=True)
    with scrubjay.open(folder / "b.db", embedder="hashing", clock=clock) as two:
        report = two.import_file(folder / "a.jsonl")
        two.export(folder / "b.jsonl", vectors=True)
        assert two.check(deep=True).problems == []
        assert report.left_out == {} and report.trusted
        again = two.import_file(folder / "a.jsonl")
        assert (again.added, again.changed, again.left_out) == ({}, {}, {})
        two.export(folder / "c.jsonl", vectors=True)
    assert (folder / "a.jsonl").read_bytes() == (folder / "b.jsonl").read_bytes()
    assert (folder / "b.jsonl").read_bytes() == (folder / "c.jsonl").read_bytes()


@settings(max_examples=30)
@given(chosen=corrections)
def test_a_memory_made_from_an_export_has_the_same_current_memories_and_the_same_history(
    chosen: list[tuple[str, int]], tmp_path_factory: Any
) -> None:
    folder, clock = tmp_path_factory.mktemp("corrected"), Clock()
    with (
        scrubjay.open(folder / "a.db", embedder="none", clock=clock) as one,
        scrubjay.open(folder / "b.db", embedder="none", clock=clock) as two,
    ):
        revise(one, clock, chosen)
        one.export(folder / "a.jsonl")
        two.import_file(folder / "a.jsonl")
        assert known_history(one) == known_history(two)
        two.export(folder / "b.jsonl")
    assert (folder / "a.jsonl").read_bytes() == (folder / "b.jsonl").read_bytes()


def test_what_undid_a_deleted_change_says_so_and_is_the_same_after_an_import(
    jay: Scrubjay, tmp_path: Path, clock: Clock
) -> None:
    for colour in ("red", "blue"):
        old = jay.add(f"The lamp is {colour}", kind="fact").memory.id
        jay.revert(jay.supersede(old, f"The lamp is {colour}ish").memory.id)
        jay.delete(old)
    jay.export(tmp_path / "a")
    steps = [line for line in map(json.loads, (tmp_path / "a").read_text().splitlines()) if line["type"] == "step"]
    assert [step["undoes"] for step in steps] == [0, 0]
    with scrubjay.open(tmp_path / "other.db", embedder="none", clock=clock) as other:
        other.import_file(tmp_path / "a")
        other.export(tmp_path / "b")
        assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_what_was_a_task_is_one_again_after_an_import_when_that_is_undone(
    jay: Scrubjay, tmp_path: Path, clock: Clock
) -> None:
    task = jay.tasks.create("Paint the lamp", priority="high").memory.id
    jay.update(task, kind="fact")
    jay.export(tmp_path / "a")
    with scrubjay.open(tmp_path / "other.db", embedder="none", clock=clock) as other:
        other.import_file(tmp_path / "a")
        other.export(tmp_path / "b")
        assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
        other.revert(other.list()[0].id)
        assert other.tasks.list()[0].priority == "high"


def known_history(jay: Scrubjay) -> dict[str, Any]:
    """By uid, which memories are current and what became of each."""
    memories = {memory.id: memory for memory in jay.list(include_superseded=True)}
    uids: dict[int | None, str] = {id: memory.uid for id, memory in memories.items()}
    current = {memory.uid for memory in jay.list()}
    steps = {
        (uids[step.old], uids.get(step.new), step.at, step.created, step.same, step.undone_at, step.reason)
        for id in memories
        for step in jay.history(id).steps
    }
    return {"current": current, "text": {one.uid: one.text for one in memories.values()}, "steps": steps}
