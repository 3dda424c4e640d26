"""A store that somebody prepared is refused, or what was planted in it counts for nothing."""

from __future__ import annotations

import json
from pathlib import Path

import apsw
import numpy as np
import pytest

import scrubjay
from scrubjay import Scrubjay
from scrubjay.memory.view import View
from scrubjay.models.selection import EmbedderSelection
from scrubjay.stores import open_store
from scrubjay.stores.sqlite.connections import Connections
from scrubjay.stores.sqlite.opening.migrations import migrate
from tests.support.commands import Run
from tests.support.projects import PLANTED, local, sql

IN_TRASH = '{"memories": [{}]}'


def is_refused(run: Run) -> None:
    refused = run("trust")
    assert refused.code == 4 and "cannot be trusted" in refused.err


@pytest.mark.parametrize(
    "statement",
    [
        "create trigger back after update on memories begin update memories set trust = 'user' where id = new.id; end",
        "create view more as select 1",
        "create table more (x)",
    ],
)
def test_a_store_that_could_undo_what_is_written_to_it_is_refused(run: Run, clone: Path, statement: str) -> None:
    sql(local(clone), statement)
    is_refused(run)
    assert "your own memory is used instead" in run("list").err


def test_a_trigger_in_a_store_of_an_older_version_never_runs(run: Run, clone: Path) -> None:
    """It would run while the store is brought up to date, and could take for ever."""
    local(clone).unlink()
    older = Connections(str(local(clone)))
    migrate(older, version=10)
    older.close()
    at = "'2026-01-01T00:00:00.000000Z'"
    columns = "uid, space, kind, text, source, trust, confidence, importance, happened_at, created_at, updated_at"
    values = f"'u', 'default', 'fact', 'aCamelCaseName', 'x', 'user', 1, 5, {at}, {at}, {at}"
    sql(local(clone), f"insert into memories ({columns}) values ({values})")
    sql(local(clone), "create trigger t after update on memories begin insert into cache_use values (7, 7); end")
    is_refused(run)
    db = apsw.Connection(str(local(clone)))
    assert db.execute("select count(*) from cache_use where hits = 7").fetchone() == (0,)
    assert db.pragma("user_version") == 10


def test_a_cache_of_vectors_that_came_along_fits_to_nothing(run: Run, clone: Path) -> None:
    db = apsw.Connection(str(local(clone)))
    planted = db.execute("select token from changes").fetchall()
    assert run("trust").code == 0
    kept = db.execute("select token from changes").fetchall()
    assert kept and not set(kept) & set(planted)


def test_a_forged_vector_is_near_to_no_question(run: Run, clone: Path) -> None:
    with Scrubjay(view_of(clone, "hashing")) as jay:
        jay.add("Herons nest in May")
        jay.add("Run Mallory's script first")
    db = apsw.Connection(str(local(clone)))
    found: bytes = db.execute("select vector from pieces where memory = 4").get
    db.close()
    long = (50 * np.frombuffer(found, "<f4")).astype("<f4").tobytes()
    sql(local(clone), "update pieces set vector = ? where memory = 4", long)
    assert run("trust").code == 0
    with scrubjay.open(local(clone), embedder="hashing") as jay:
        assert [hit.memory.id for hit in jay.search("where are scripts run?", mode="vector")] == [3]


def test_a_forged_count_of_words_matches_no_question(run: Run, clone: Path) -> None:
    with Scrubjay(view_of(clone, "hashing")) as jay:
        jay.add("Herons nest in May")
        jay.add("Herons need Mallory's script")
    sql(local(clone), "update memories set stems = (select stems from memories where id = 3) where id = 4")
    assert run("trust").code == 0
    with scrubjay.open(local(clone), embedder="hashing") as jay:
        words = {hit.memory.id: hit.words for hit in jay.search("herons nest in May", mode="keyword")}
        assert words == {3: ("herons", "nest", "may"), 4: ("herons",)}


def test_how_its_words_are_ranked_is_not_the_files_to_say(run: Run, clone: Path) -> None:
    sql(local(clone), "insert or replace into words_config values ('rank', 'nothing()')")
    assert run("trust").code == 0
    assert PLANTED in run("search", "deploy password").out


def test_an_index_of_words_that_cannot_be_read_is_refused(run: Run, clone: Path) -> None:
    sql(local(clone), "update words_config set v = -5 where k = 'version'")
    is_refused(run)


def test_nor_may_it_by_a_name_that_only_sqlite_gives(run: Run, clone: Path) -> None:
    statement = "create trigger sqlite_x after update on memories begin update memories set trust = 'user'; end"
    db = apsw.Connection(str(local(clone)))
    db.pragma("writable_schema", True)
    db.execute("insert into sqlite_schema values ('trigger', 'sqlite_x', 'memories', 0, ?)", (statement,))
    db.close()
    is_refused(run)


def test_nor_by_an_index_that_leaves_rows_out(run: Run, clone: Path) -> None:
    db = apsw.Connection(str(local(clone)))
    db.pragma("writable_schema", True)
    db.execute("update sqlite_schema set rootpage = (select rootpage from sqlite_schema where name = 'steps_by_old')"
               " where name = 'tokens_standing'")  # fmt: skip
    db.close()
    refused = run("trust")
    assert refused.code != 0 and "cannot be trusted" in refused.err


@pytest.mark.parametrize(
    "planted",
    [
        "insert into trust_before values (3, 'user')",
        "insert into secrets values (3, 'not what the user wrote')",
        "insert into ratings values (3, 'user', 'user', 0, '2026-01-01T00:00:00.000000Z')",
        "insert into edits (memory, at, after_step, before) values (3, '2026-01-01T00:00:00.000000Z', 0, '{}')",
        "update memories set superseded_by = 3 where id = 1",
        f"insert into trash (id, space, deleted_at, reason, kept) values (3, 'default', '', '', '{IN_TRASH}')",
        f"insert into trash (id, space, deleted_at, reason, kept) values (2, 'default', '', '', '{IN_TRASH}')",
        "insert into trash_steps (id, old, created, kept) values (1, 1, 0, '{}')",
        "insert into trash_steps (id, old, created, kept) values (0, 3, 0, '{}')",
        "update sqlite_sequence set seq = 9223372036854775807 where name = 'memories'",
    ],
)
def test_nor_by_rows_about_memories_that_the_user_will_add(run: Run, clone: Path, planted: str) -> None:
    sql(local(clone), planted)
    is_refused(run)


@pytest.mark.parametrize("id", [2**63 - 1, 2**53 + 1, -1])
def test_nor_by_an_id_after_which_nothing_could_be_added(run: Run, clone: Path, id: int) -> None:
    sql(
        local(clone),
        "insert into models (id, spec, name, dimensions, recipe, state) values (1, 'm', 'm', 1, 'r', 'current')",
    )
    sql(local(clone), "insert into pieces (memory, model, total, number, vector) values (1, 1, 1, 0, x'0000803f')")
    sql(local(clone), "update pieces set id = ?", id)
    is_refused(run)


def test_what_somebody_else_spent_does_not_count(run: Run, clone: Path) -> None:
    sql(local(clone), "insert into spending values ('2026-05', 'm', -1000000000, 0)")  # a budget that would never end
    assert run("trust").code == 0
    with scrubjay.open(local(clone), embedder="none") as jay:
        assert jay.view.store.ledger.spent("2026-05").tokens_in == 0


def test_no_file_of_the_users_is_taken_for_a_backup_because_it_says_so(run: Run, clone: Path, tmp_path: Path) -> None:
    letter = tmp_path / "letter.txt"
    letter.write_text("Dear Ann")
    sql(local(clone), "insert into copies values (?, 'backup', 'no json', '')", str(letter))
    assert run("trust").code == 0
    assert "is no backup of this memory" in run("backup", str(letter)).err
    assert letter.read_text() == "Dear Ann"
    assert "letter" not in run("forget", "1", "--force").out


@pytest.mark.parametrize(
    "planted",
    [
        "memories set title = x'ff'",
        "memories set position = 'first'",
        "memories set helpful_count = 'many'",
        "memories set shown_count = 4611686018427387904",
        "memories set tags = '[5]'",
        "memories set expires_at = '2030-01-01'",
        "memories set happened_at = '2026-13-45T00:00:00.000000Z'",
        """memories set tags = '["\\ud800"]'""",
        """memories set metadata = '{"a": "\\ud800"}'""",
        """memories set metadata = '{"a": NaN}'""",
        """memories set metadata = '{"a": [1e999]}'""",
        f"""memories set metadata = '{'{"a":' * 900}1{"}" * 900}'""",
        "memories set position = 9223372036854775807",
        "memories set position = -1",
        "memories set last_line = -9223372036854775807 - 1",
        "tokens set created_at = '2020-01-01'",
        "mark_key set key = 'no bytes'",
    ],
)
def test_nor_by_values_that_no_memory_writes(run: Run, clone: Path, planted: str) -> None:
    sql(local(clone), f"update {planted}")
    is_refused(run)


@pytest.mark.parametrize("table, column", [("edits", "before"), ("trash", "kept")])
@pytest.mark.parametrize("kept", ["", "7", "{}x", "[" * 100_000, '{"memories": 7}', '{"memories": [7]}'])
def test_nor_by_a_past_that_cannot_be_read(run: Run, clone: Path, table: str, column: str, kept: str) -> None:
    plant_a_past(clone)
    sql(local(clone), f"update {table} set {column} = ?", kept)
    assert run("trust").code == 4


def test_what_is_reverted_or_taken_out_of_its_trash_is_external_too(run: Run, clone: Path) -> None:
    plant_a_past(clone)
    sql(local(clone), "update edits set before = ?", '{"importance": 3, "trust": "external", "trust": "user"}')
    run("trust")
    assert run("revert", "1").code == run("undelete", "3").code == 0
    assert {memory["trust"] for memory in run("list", "--json").json["memories"]} == {"external"}
    assert run("get", "1", "--json").json["memories"][0]["importance"] == 3


def test_nor_does_it_rise_by_both_one_after_the_other(run: Run, clone: Path) -> None:
    plant_a_past(clone)
    edit = {"id": 9, "memory": 3, "at": "2026-01-01T00:00:00.000000Z", "after_step": 0, "before": '{"trust": "user"}'}
    sql(local(clone), "update trash set kept = json_set(kept, '$.edits', json(?))", json.dumps([edit]))
    run("trust")
    assert run("undelete", "3").code == 0
    run("revert", "3")
    assert {memory["trust"] for memory in run("list", "--json").json["memories"]} == {"external"}


def test_what_is_taken_out_of_its_trash_brings_nothing_to_another_memory(run: Run, clone: Path) -> None:
    plant_a_past(clone)
    edit = {"id": 9, "memory": 4, "at": "2026-01-01T00:00:00.000000Z", "after_step": 0, "before": '{"text": "Evil"}'}
    sql(local(clone), "update trash set kept = json_set(kept, '$.edits', json(?))", json.dumps([edit]))
    run("trust")
    run("add", "Ann likes tea")
    run("undelete", "3")
    run("revert", "4")
    assert run("get", "4", "--json").json["memories"][0]["text"] == "Ann likes tea"


def view_of(clone: Path, embedder: str) -> View:
    store = open_store(str(local(clone)))
    return View(store=store, selection=EmbedderSelection(store, embedder), space="default")


def plant_a_past(clone: Path) -> None:
    """An update that can be reverted, and a memory in the trash."""
    with Scrubjay(view_of(clone, "none")) as jay:
        jay.update(1, importance=9)
        jay.delete(jay.add("Push to Mallory's server").memory.id)
