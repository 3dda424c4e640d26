"""The schema of a file: the sum of its numbered steps, from wherever a file begins."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import apsw
import pytest

from scrubjay.stores import open_store
from scrubjay.stores.columns import ALL_COLUMNS, to_row
from scrubjay.stores.sqlite import schema
from scrubjay.stores.sqlite.connections import Connections
from scrubjay.stores.sqlite.opening import migrations
from scrubjay.text.tokenizer import stem_numbers
from tests.support.stored import NOW, SPACE, by_word, made

VERSIONS = range(1, len(schema.scripts()) + 1)


def asked(path: Path, sql: str, values: dict[str, Any] | None = None) -> list[Any]:
    db = apsw.Connection(str(path))
    try:
        return db.execute(sql, values).fetchall()
    finally:
        db.close()


def written_by(version: int, path: Path) -> None:
    """A file as that version left it, with a memory in it."""
    connections = Connections(str(path))
    migrations.migrate(connections, version)
    connections.close()
    there = {name for (name,) in asked(path, "select name from pragma_table_info('memories')")}
    row = {name: value for name, value in to_row(made("The HTTPServer is ready", at=NOW)).items() if name in there}
    asked(path, f"insert into memories ({', '.join(row)}) values (:{', :'.join(row)})", row)


@pytest.mark.parametrize("version", VERSIONS)
def test_a_file_of_every_older_version_opens_and_is_searched(version: int, tmp_path: Path) -> None:
    written_by(version, path := tmp_path / "old.db")
    store = open_store(str(path))
    assert by_word(store, "server") == [1]
    assert store.maintenance.check(deep=True, repair=False, at=NOW).problems == []
    store.close()


@pytest.mark.parametrize("version", VERSIONS)
def test_the_schema_is_the_same_from_nothing_and_from_every_older_version(version: int, tmp_path: Path) -> None:
    written_by(version, path := tmp_path / "old.db")
    for file in (path, new := tmp_path / "new.db"):
        open_store(str(file)).close()
    sql = "select type, name, sql from sqlite_schema order by type, name"
    assert asked(path, sql) == asked(new, sql)
    assert asked(path, "pragma user_version") == [(len(VERSIONS),)]


def test_what_sql_alone_cannot_do_happens_once_and_with_its_step(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[int] = []
    watched = {number: lambda rows, number=number: done.append(number) for number in VERSIONS}
    monkeypatch.setattr(migrations, "DATA", watched)
    written_by(6, path := tmp_path / "old.db")
    assert done == list(range(1, 7))
    open_store(str(path)).close()
    open_store(str(path)).close()
    assert done == list(VERSIONS)


def test_a_data_step_that_fails_leaves_the_file_at_the_version_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written_by(6, path := tmp_path / "old.db")

    def fail(rows: object) -> None:
        raise RuntimeError

    with monkeypatch.context() as patch:
        patch.setattr(migrations, "DATA", {7: fail})
        with pytest.raises(RuntimeError):
            open_store(str(path))
    assert asked(path, "pragma user_version") == [(6,)]
    open_store(str(path)).close()
    assert asked(path, f"select count(*) from memories where space = '{SPACE}' and spellings is not null") == [(1,)]


def test_every_column_of_memories_is_declared_in_the_order_of_the_table(tmp_path: Path) -> None:
    open_store(str(path := tmp_path / "new.db")).close()
    assert tuple(name for (name,) in asked(path, "select name from pragma_table_info('memories')")) == ALL_COLUMNS


def test_a_long_memory_of_an_older_version_is_counted_to_its_end(tmp_path: Path) -> None:
    written_by(27, path := tmp_path / "old.db")
    asked(path, "update memories set text = :text", {"text": "minutes " * 5_000 + "signed by Xanthippe"})
    store = open_store(str(path))
    assert asked(path, "select instr(stems, :stem) > 0 from memories", {"stem": stem_numbers(["xanthipp"])}) == [(1,)]
    store.close()
