"""Files of other programs: recognised by what stands in them, added once, and no more trusted than they are."""

from __future__ import annotations

import contextlib
import copy
import gzip
import hashlib
import json
import os
import random
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import apsw
import pytest

import scrubjay
from scrubjay import Invalid, Scrubjay
from tests.support.notes import TOKEN

DATA = Path(__file__).parents[1] / "data/peers"
DAY = "2026-03-04T05:06:07+00:00"
CONVERSATIONS: dict[str, Any] = {
    "chatgpt": [
        {
            "id": "c1", "title": "Ports", "current_node": "b",
            "mapping": {
                "root": {"message": None, "parent": None},
                "a": {"parent": "root", "message": {"author": {"role": "user"}, "create_time": 1_772_600_000.5,
                    "content": {"content_type": "text", "parts": ["Which port?"]}}},
                "other": {"parent": "root", "message": {"author": {"role": "user"}, "content": {"parts": ["Edited"]}}},
                "b": {"parent": "a", "message": {"author": {"role": "assistant"}, "create_time": 1_772_600_001,
                    "content": {"content_type": "text", "parts": ["Port 8080", {"asset_pointer": "x"}]}}},
            },
        }
    ],
    "claude": [
        {
            "uuid": "c1", "name": "Ports", "created_at": DAY,
            "chat_messages": [
                {"uuid": "m1", "sender": "human", "text": "Which port?", "created_at": DAY},
                {"uuid": "m2", "sender": "assistant", "text": "Port 8080", "created_at": DAY},
            ],
        }
    ],
}  # fmt: skip
JSON: dict[str, tuple[Any, list[tuple[str, str, str | None]]]] = {
    "mem0": (
        {"results": [{"id": "7", "memory": "Likes tea", "hash": "x", "metadata": {"a": 1}, "user_id": "ann",
            "created_at": DAY, "updated_at": None, "categories": ["food"]}]},
        [("fact", "Likes tea", None)],
    ),
    "langgraph": (
        [{"namespace": ["users", "ann"], "key": "k", "value": {"text": "Likes tea", "n": 1}, "created_at": DAY}],
        [("fact", "Likes tea", "ann")],
    ),
    "memstore": (
        {"version": 1, "exported_at": DAY, "facts": [
            {"id": 1, "namespace": "n", "content": "Port 1", "subject": "port", "category": "note", "kind": "decision",
                "superseded_by": 2, "superseded_at": DAY, "created_at": DAY, "confirmed_count": 3},
            {"id": 2, "namespace": "n", "content": "Port 2", "subject": "port", "category": "note", "kind": "decision",
                "created_at": DAY}]},
        [("decision", "Port 2", "port")],
    ),
    "memorizer": (
        [{"id": 1, "agent_id": "a", "fact": "Likes tea", "category": "preference", "confidence": 1, "created_at": DAY}],
        [("preference", "Likes tea", None)],
    ),
    "rulebook": (
        [{"id": "x", "type": "bugfix", "title": "Crash", "content": "Fixed the crash", "tags": "a;b",
            "createdAt": 1_772_600_000_000}],
        [("bugfix", "Fixed the crash", None)],
    ),
}  # fmt: skip
TABLES: dict[str, tuple[str, list[str], list[tuple[str, str]]]] = {
    "claude-mem": (
        "create table observations (id integer primary key, memory_session_id text, project text, text text, type text,"
        " title text, subtitle text, facts text, narrative text, concepts text, created_at text, created_at_epoch int);"
        "create table session_summaries (id integer primary key, project text, request text, learned text,"
        " created_at text)",
        [
            "insert into observations values (1, 's', 'p', null, 'bugfix', 'Crash', 'of the port', '[\"It was nil\"]',"
            " 'Fixed the crash', '[\"gotcha\"]', null, 1772600000000)",
            f"insert into session_summaries values (1, 'p', 'Fix it', 'Ports differ', '{DAY}')",
        ],
        [("bugfix", "Fixed the crash\nIt was nil"), ("summary", "Request: Fix it\nLearned: Ports differ")],
    ),
    "mcp-memory-service": (
        "create table memories (id integer primary key, content_hash text unique not null, content text not null,"
        " tags text, memory_type text, metadata text, created_at real, updated_at real, created_at_iso text,"
        " updated_at_iso text, deleted_at real)",
        [
            "insert into memories values (1, 'h1', 'Likes tea', 'a,b', 'preference', '{\"n\": 1}', 1772600000.5,"
            " 1772600000.5, null, null, null)",
            "insert into memories values (2, 'h2', 'Deleted', '', 'note', '{}', 1, 1, null, null, 5)",
        ],
        [("preference", "Likes tea")],
    ),
    "langgraph": (
        "create table store (prefix text, key text, value text, created_at text, updated_at text)",
        [f"insert into store values ('users.ann', 'k', '{{\"text\": \"Likes tea\"}}', '{DAY}', '{DAY}')"],
        [("fact", "Likes tea")],
    ),
    "matrioshka-brain": (
        "create table memory_entries (id integer primary key, content text, content_hash text, entry_type text,"
        " source text, context text, confidence real, importance integer, tags text, created_at integer,"
        " updated_at integer, expires_at integer)",
        ["insert into memory_entries values (1, 'Likes tea', 'h', 'preference', 'manual', 'at noon', 0.9, 7, '[\"a\"]',"
         " 1772600000000, 1772600000000, null)"],
        [("preference", "Likes tea")],
    ),
    "memorizer": (
        "create table facts (id integer primary key, agent_id text, fact text, category text, confidence real,"
        " created_at text);"
        "create table conversations (id integer primary key, agent_id text, session_id text, user_message text,"
        " agent_response text, tags text, created_at text)",
        [f"insert into facts values (1, 'a', 'Likes tea', 'preference', 0.8, '{DAY}')",
         f"insert into conversations values (1, 'a', 's', 'Which port?', '8080', null, '{DAY}')"],
        [("preference", "Likes tea"), ("note", "User: Which port?\n\nAgent: 8080")],
    ),
    "openclaw": (
        "create table chunks (id text primary key, path text, source text, start_line integer, end_line integer,"
        " hash text, model text, text text, embedding text, updated_at integer)",
        ["insert into chunks values ('c', 'MEMORY.md', 'memory', 1, 2, 'h', 'm', 'Likes tea', '[]', 1772600000000)"],
        [("note", "Likes tea")],
    ),
    "memstore": (
        "create table memstore_facts (id integer primary key, namespace text, content text, subject text,"
        " category text, kind text, metadata text, superseded_by integer, superseded_at text, created_at text)",
        ["insert into memstore_facts values (1, 'n', 'Port 2', 'port', 'note', 'decision', '{}', null, null,"
         f" '{DAY}')"],
        [("decision", "Port 2")],
    ),
    "rulebook": (
        "create table memories (id text primary key, type text, title text, content text, project text, tags text,"
        " created_at integer, updated_at integer)",
        ["insert into memories values ('x', 'decision', 'Port', 'Port 2', 'p', '[\"a\"]', 1772600000000,"
         " 1772600000000)"],
        [("decision", "Port 2")],
    ),
}  # fmt: skip


def again_changes_nothing(jay: Scrubjay, file: Path) -> None:
    report = jay.import_file(file)
    assert (report.added, report.changed, report.left_out) == ({}, {}, {})


@pytest.mark.parametrize("program", JSON)
def test_json_of_others(jay: Scrubjay, tmp_path: Path, program: str) -> None:
    data, expected = JSON[program]
    file = tmp_path / "file.json"
    file.write_text(json.dumps(data))
    report = jay.import_file(file)
    assert report.format == program
    found = jay.list()
    assert [(memory.kind, memory.text, memory.subject) for memory in found] == expected
    assert {memory.trust for memory in found} == {"external"} and found[0].source == f"import:{program}"
    assert f"{found[0].happened_at:%Y-%m}" == "2026-03"
    again_changes_nothing(jay, file)
    assert jay.check(deep=True).problems == []


@pytest.mark.parametrize("program", TABLES)
def test_sqlite_files_of_others(jay: Scrubjay, tmp_path: Path, program: str) -> None:
    schema, rows, expected = TABLES[program]
    file = tmp_path / "file.db"
    db = apsw.Connection(str(file))
    for statement in (*schema.split(";"), *rows):
        db.execute(statement)
    db.close()
    before = file.read_bytes()
    assert jay.import_file(file).format == program
    assert [(memory.kind, memory.text) for memory in reversed(jay.list())] == expected
    again_changes_nothing(jay, file)
    assert file.read_bytes() == before


def test_what_is_private_over_several_turns_of_a_conversation_is_left_out(jay: Scrubjay, tmp_path: Path) -> None:
    words = ["Good day <private> lemonade", "So marmalade", "orangeade </private> and good night"]
    turns = [{"uuid": f"m{n}", "sender": "human", "text": text, "created_at": DAY} for n, text in enumerate(words)]
    file = tmp_path / "conversations.json"
    file.write_text(json.dumps([{"uuid": "c1", "name": "About marmalade", "chat_messages": turns}]))
    jay.import_file(file)
    kept = jay.sessions.turns("claude:c1")
    assert [(turn.text, turn.metadata) for turn in kept] == [("Good day ", {}), (" and good night", {})]


@pytest.mark.parametrize("program", CONVERSATIONS)
@pytest.mark.parametrize("archived", [False, True])
def test_conversations_of_accounts(jay: Scrubjay, tmp_path: Path, program: str, archived: bool) -> None:
    file, text = tmp_path / "conversations.json", json.dumps(CONVERSATIONS[program])
    file.write_text(text)
    if archived:
        with zipfile.ZipFile(file := tmp_path / "export.zip", "w") as archive:
            archive.writestr("account/conversations.json", text)
    assert jay.import_file(file).format == program
    turns = jay.list(session=f"{program}:c1")[::-1]
    assert [(turn.speaker, turn.text, turn.kind) for turn in turns] == [
        ("user", "Which port?", "turn"),
        ("assistant", "Port 8080", "turn"),
    ]
    assert [session.name for session in jay.sessions.list()] == [f"{program}:c1"]
    again_changes_nothing(jay, file)


def test_memories_that_mem0_lists(jay: Scrubjay) -> None:
    assert jay.import_file(DATA / "mem0.json").format == "mem0"
    assert {(memory.text, memory.metadata.get("run_id")) for memory in jay.list()} == {
        ("Ann prefers green tea over coffee", None),
        ("The deploy runs on Fridays", "r1"),
        ("Noted: Thursdays.", "r1"),
    }
    tea = next(memory for memory in jay.list() if "tea" in memory.text)
    assert tea.metadata == {"category": "food", "user_id": "ann", "role": "user"} and tea.trust == "external"
    assert f"{tea.happened_at:%Y-%m-%d}" == "2026-11-17"
    again_changes_nothing(jay, DATA / "mem0.json")


def test_a_file_that_mcp_memory_service_wrote(jay: Scrubjay, tmp_path: Path) -> None:
    file = tmp_path / "sqlite_vec.db"
    file.write_bytes(gzip.decompress((DATA / "mcp-memory-service.db.gz").read_bytes()))
    assert jay.import_file(file).format == "mcp-memory-service"
    assert {(memory.kind, memory.text, memory.tags, memory.confidence) for memory in jay.list()} == {
        ("observation", "Ann prefers green tea over coffee", ("food", "ann"), 1.0),
        ("decision", "The deploy runs on Fridays", ("deploy",), 1.0),
    }
    replaced = next(memory for memory in jay.list(include_superseded=True) if memory.superseded_at)
    assert replaced.text == "The deploy runs on Thursdays" and replaced.tags == ("deploy", "ops")
    again_changes_nothing(jay, file)


def test_a_graph_that_server_memory_wrote(jay: Scrubjay) -> None:
    report = jay.import_file(DATA / "server-memory.jsonl")
    assert report.format == "server-memory"
    assert {(memory.kind, memory.subject, memory.text) for memory in jay.list()} >= {
        ("observation", "Alice", "Alice: likes green tea"),
        ("relationship", "Alice", "Alice works at Acme"),
    }
    again_changes_nothing(jay, DATA / "server-memory.jsonl")


def test_notes_of_basic_memory(jay: Scrubjay, tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes/Coffee.md").write_text(
        "---\ntitle: Coffee\ntype: note\npermalink: coffee\n---\n# Coffee\n\nHow we brew.\n\n"
        "- [method] Pour over is clearest #brewing\n- relates_to [[Tea]]\n"
    )
    assert jay.import_file(tmp_path / "notes").format == "basic-memory"
    assert {(memory.kind, memory.text, memory.tags) for memory in jay.list()} == {
        ("observation", "Pour over is clearest brewing", ("brewing",)),
        ("relationship", "Coffee relates to Tea", ()),
        ("note", "How we brew.", ()),
    }
    again_changes_nothing(jay, tmp_path / "notes")


def test_instructions_are_one_statement_each(jay: Scrubjay, tmp_path: Path) -> None:
    (tmp_path / "AGENTS.md").write_text(
        "# Project\n\nUse pnpm, never npm.\n\n## Tests\n\n- Run `make check`\n  - before each commit\n- No mocks\n"
    )
    assert jay.import_file(tmp_path / "AGENTS.md").format == "instructions"
    assert {(memory.text, memory.context, memory.kind) for memory in jay.list()} == {
        ("Use pnpm, never npm.", "Project", "convention"),
        ("Run `make check`\n  - before each commit", "Project › Tests", "convention"),
        ("No mocks", "Project › Tests", "convention"),
    }
    again_changes_nothing(jay, tmp_path / "AGENTS.md")


def test_what_is_known_is_not_added_and_what_was_deleted_stays_deleted(jay: Scrubjay, tmp_path: Path) -> None:
    jay.add("Likes tea", kind="fact")
    file = tmp_path / "file.json"
    file.write_text(json.dumps([{"id": "1", "memory": "Likes tea"}, {"id": "2", "memory": "Likes jam"}]))
    report = jay.import_file(file)
    assert (report.added, report.known) == ({"memory": 1}, {"memory": 1})
    jay.delete(2)
    assert jay.import_file(file).left_out == {"it was deleted here later": 1}


@pytest.mark.sqlite
def test_no_uid_confirms_a_guess_at_what_was_imported_and_forgotten(jay: Scrubjay, tmp_path: Path) -> None:
    file = tmp_path / "AGENTS.md"
    file.write_text("# Rules\n\n- Always greet Ann at noon\n- Use tabs in Makefiles\n")
    assert jay.import_file(file).added == {"memory": 2}
    with scrubjay.open(tmp_path / "other.db", embedder="none") as other:
        other.import_file(file)
        uids = [{memory.uid for memory in one.list()} for one in (jay, other)]
    assert uids[0].isdisjoint(uids[1])  # each has a key of its own
    jay.forget(*(memory.id for memory in jay.list()))
    jay.trash.empty()
    assert jay.import_file(file).left_out == {"it was deleted here later": 2}
    assert jay.list() == []


@pytest.mark.every_store
def test_what_was_imported_and_forgotten_stays_so_in_a_store_that_an_export_was_brought_to(
    jay: Scrubjay, tmp_path: Path
) -> None:
    file = tmp_path / "AGENTS.md"
    file.write_text("# Rules\n\n- Always greet Ann at noon\n- Use tabs in Makefiles\n")
    jay.import_file(file)
    jay.export(tmp_path / "before.jsonl")
    jay.forget(1)
    jay.export(tmp_path / "after.jsonl")
    for export, known in (("before", {"known": 2}), ("after", {"known": 1, "it was deleted here later": 1})):
        with scrubjay.open(tmp_path / f"{export}.db", embedder="none") as other:
            other.import_file(tmp_path / f"{export}.jsonl")
            uids = [memory.uid for memory in other.list()]
            again = other.import_file(file)
            assert {"known": again.known["memory"], **again.left_out} == known and again.added == {}
            assert [memory.uid for memory in other.list()] == uids


@pytest.mark.sqlite
def test_an_import_finds_what_an_older_version_has_imported(jay: Scrubjay, path: Path, tmp_path: Path) -> None:
    file = tmp_path / "AGENTS.md"
    file.write_text("# Rules\n\n- Always greet Ann at noon\n- Use tabs in Makefiles\n")
    jay.import_file(file)
    jay.close()
    db = apsw.Connection(str(path))
    for id, space, text in db.execute("select id, space, text from memories").fetchall():
        plain = hashlib.blake2b(f"instructions\0{space}\0AGENTS.md\0{text}".encode(), digest_size=16).hexdigest()
        db.execute("update memories set uid = ? where id = ?", (plain, id))
    db.close()
    with scrubjay.open(path, embedder="none") as again:
        before = [memory.uid for memory in again.list()]
        assert again.import_file(file).known == {"memory": 2}
        assert [memory.uid for memory in again.list()] == before
        again.forget(1)
        assert again.import_file(file).left_out == {"it was deleted here later": 1}


def test_secrets_of_others_are_left_out(jay: Scrubjay, tmp_path: Path) -> None:
    file = tmp_path / "file.json"
    file.write_text(json.dumps([{"id": "1", "memory": "The db password is hunter2heron!"}]))
    assert jay.import_file(file).left_out == {"it holds what looks like a secret; --redact masks it": 1}
    assert jay.import_file(file, redact=True).added == {"memory": 1}


def test_no_part_of_a_secret_is_left_where_a_name_of_others_is_cut(jay: Scrubjay, tmp_path: Path) -> None:
    title, tag = "word " * 97 + TOKEN, "word-" * 18 + TOKEN
    (tmp_path / "note.md").write_text(
        f"---\ntitle: {title}\npermalink: coffee\n---\nHow we brew.\n\n- [method] Pour over #{tag}\n- likes [[Tea]]\n"
    )
    turns = [{"uuid": "1", "sender": "human", "text": "Good morning", "created_at": "2026-01-01T10:00:00Z"}]
    conversation = {"uuid": "word-" * 97 + TOKEN, "name": title, "chat_messages": turns}
    (tmp_path / "conversations.json").write_text(json.dumps([conversation]))
    (tmp_path / "mem0.json").write_text(json.dumps([{"id": "1", "memory": "Likes tea", "categories": [tag]}]))
    for name in ("note.md", "conversations.json", "mem0.json"):
        jay.import_file(tmp_path / name, redact=True)
    kept = [repr((memory.title, memory.subject, memory.tags, memory.session, memory.metadata)) for memory in jay.list()]
    assert len(kept) == 5 and TOKEN[:8] not in "".join(kept)


def test_what_is_private_over_several_lines_of_a_page_is_left_out(jay: Scrubjay, tmp_path: Path) -> None:
    lines = "- [method] Pour over\n<private>\n- [ward] In hospital\n- visits [[Hospital]]\n</private>\n"
    (tmp_path / "note.md").write_text(f"---\ntitle: Coffee\npermalink: coffee\n---\n{lines}")
    (tmp_path / "AGENTS.md").write_text("- No mocks\n\n<private>\n\n- In hospital\n\n</private>\n")
    for name in ("note.md", "AGENTS.md"):
        jay.import_file(tmp_path / name)
    assert {memory.text for memory in jay.list()} == {"Pour over", "No mocks"}


def test_foreign_and_broken_files_get_one_sentence(jay: Scrubjay, tmp_path: Path) -> None:
    files = {
        "a.json": "{}", "b.json": '[{"x": 1}]', "c.json": "[" * 100_000, "d.txt": "Dear Ann", "e.zip": "PKx",
        "f.json": '[{"id": "1", "memory": "x"}, 7]', "g.db": "SQLite format 3\0" + "x" * 200,
    }  # fmt: skip
    for name, text in files.items():
        (tmp_path / name).write_text(text)
        with pytest.raises(Invalid, match="nothing was imported"):
            jay.import_file(tmp_path / name)
    with pytest.raises(Invalid, match="nothing was imported"):
        jay.import_file(tmp_path)
    assert jay.list() == []


@pytest.mark.parametrize("packing", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_an_archive_that_is_damaged_inside_gets_one_sentence(jay: Scrubjay, tmp_path: Path, packing: int) -> None:
    file = tmp_path / "export.zip"
    with zipfile.ZipFile(file, "w", packing) as archive:
        archive.writestr("conversations.json", random.Random(1).randbytes(900).hex())
    data = file.read_bytes()
    file.write_bytes(data[:150] + bytes(sign ^ 0x5A for sign in data[150:400]) + data[400:])
    with pytest.raises(Invalid, match=r"is a damaged archive .*; nothing was imported"):
        jay.import_file(file)
    assert jay.list() == []


def with_all_rows_again_and_again(data: bytes, size: int) -> bytes:
    """The file of one table whose pages lead to the next one in every place: few bytes with millions of rows."""
    pages = [bytearray(data[start : start + size]) for start in range(0, len(data), size)]
    inner, leaf = (max((page for page in pages[1:] if page[0] == kind), key=lambda page: page[4]) for kind in (5, 13))
    levels = [bytearray(inner) for _ in range(4)]
    for number, page in enumerate(levels, start=3):
        cells = [int.from_bytes(page[place : place + 2]) for place in range(12, 12 + 2 * page[4], 2)]
        for place in (8, *cells):
            page[place : place + 4] = number.to_bytes(4)
    pages[0][28:40] = (len(levels) + 2).to_bytes(4) + bytes(8)
    return b"".join([pages[0], *levels, leaf])


def test_a_file_that_cannot_be_read_whole_leaves_nothing(jay: Scrubjay, tmp_path: Path) -> None:
    file = tmp_path / "file.db"
    with contextlib.closing(apsw.Connection(str(file))) as db:
        db.pragma("page_size", 512)
        db.execute("create table memories (content_hash text, content text, tags text, memory_type text)")
        rows = [(f"{number}", f"Likes tea {number}", "", "fact") for number in range(2_000)]
        db.executemany("insert into memories values (?, ?, ?, ?)", rows)
    whole = file.read_bytes()
    assert jay.lend(space="other").import_file(file).added == {"memory": 2_000}
    damaged = whole[: len(whole) // 2] + bytes(512) + whole[len(whole) // 2 + 512 :]
    for hostile in (damaged, with_all_rows_again_and_again(whole, 512)):
        file.write_bytes(hostile)
        with pytest.raises(Invalid, match="nothing was imported"):
            jay.import_file(file)
        assert jay.list() == []


MEMORIES = "create table memories (content_hash text, content text, tags text, memory_type text)"


def other_file(file: Path, *statements: str) -> Path:
    with contextlib.closing(apsw.Connection(str(file))) as db:
        for statement in (MEMORIES, "insert into memories values ('a', 'Likes tea', '', 'fact')", *statements):
            db.execute(statement)
    return file


@pytest.mark.parametrize("beside", ["-journal", "-wal", "-shm"])
def test_a_pipe_beside_a_file_is_not_waited_for(jay: Scrubjay, tmp_path: Path, beside: str) -> None:
    file = other_file(tmp_path / "file.db", "pragma journal_mode = wal")
    os.mkfifo(f"{file}{beside}")
    with pytest.raises(Invalid, match="nothing was imported"):
        jay.import_file(file)


def test_rows_that_lack_most_of_their_columns_are_not_read_as_wide_ones(jay: Scrubjay, tmp_path: Path) -> None:
    wide = MEMORIES.replace(")", "".join(f", c{number}" for number in range(1_900)) + ")")
    rows = "with recursive n(n) as (select 1 union all select n + 1 from n limit 500) select n, 'tea ' || n, '' from n"
    rows = f"insert into memories (content_hash, content, tags) {rows}"
    hostile = ("pragma writable_schema = on", f"update sqlite_schema set sql = '{wide}' where name = 'memories'")
    assert jay.import_file(other_file(tmp_path / "narrow.db", rows), dry_run=True).added == {"memory": 501}
    with pytest.raises(Invalid, match="more rows than there is room for"):
        jay.import_file(other_file(tmp_path / "file.db", rows, *hostile))


def test_a_virtual_table_is_known_however_its_statement_is_written(jay: Scrubjay, tmp_path: Path) -> None:
    hostile = (
        "drop table memories",
        "create virtual table memories using fts5(content_hash, content, tags, memory_type)",
        "pragma writable_schema = on",
        "update sqlite_schema set sql = replace(sql, ' virtual', '  virtual') where name = 'memories'",
    )
    with pytest.raises(Invalid, match="nor a file of a program that it knows"):
        jay.import_file(other_file(tmp_path / "file.db", *hostile))


ODD: list[Any] = [
    None, True, 7, 1e308, "", "task", "turn", "2026-13-45", "9999-12-31T23:59:59+00:00", "9999-12-31T23:59:59-14:00",
    "x" * 600, [], {}, [None], {"a": {"": 1}}, [["x"]],
]  # fmt: skip


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where something stands in a JSON value."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in inner:
        yield (*path, key)
        yield from places(item, (*path, key))


def with_value(value: Any, path: tuple[Any, ...], odd: Any) -> Any:
    changed = copy.deepcopy(value)
    inside = changed
    for key in path[:-1]:
        inside = inside[key]
    inside[path[-1]] = odd
    return changed


GRAPH = [
    {"type": "entity", "name": "Ann", "entityType": "person", "observations": ["likes tea", "lives in Lyon"]},
    {"type": "relation", "from": "Ann", "to": "Acme", "relationType": "works_at"},
]


@pytest.mark.parametrize("odd", ODD, ids=repr)
def test_so_is_one_in_a_graph_of_server_memory(tmp_path: Path, odd: Any) -> None:
    file = tmp_path / "memory.jsonl"
    with scrubjay.open(":memory:", embedder="none") as jay:
        for path in places(GRAPH):
            if path[1:]:
                file.write_text("\n".join(map(json.dumps, with_value(GRAPH, path, odd))))
                with contextlib.suppress(Invalid):
                    jay.import_file(file)


@pytest.mark.parametrize("program", [*CONVERSATIONS, *JSON])
def test_a_value_of_any_type_in_any_place_is_read_or_refused_with_a_sentence(tmp_path: Path, program: str) -> None:
    whole = CONVERSATIONS[program] if program in CONVERSATIONS else JSON[program][0]
    file = tmp_path / "file.json"
    with scrubjay.open(":memory:", embedder="none") as jay:
        for number, path in enumerate(places(whole)):
            space = jay.lend(space=f"n{number}")
            file.write_text(json.dumps(with_value(whole, path, ODD[number % len(ODD)])))
            with contextlib.suppress(Invalid):
                space.import_file(file)
                again = space.import_file(file)
                assert (again.added, again.changed) == ({}, {})


def test_a_task_of_another_program_is_a_task_here(jay: Scrubjay, tmp_path: Path) -> None:
    facts, _ = JSON["memstore"]
    (tmp_path / "file.json").write_text(json.dumps(with_value(facts, ("facts", 1, "kind"), "task")))
    jay.import_file(tmp_path / "file.json")
    assert [task.memory.text for task in jay.tasks.list()] == ["Port 2"]
