"""The command line, through the door a user uses: what it prints, where, and what it exits with."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
import unicodedata
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import apsw
import click
import pytest

import scrubjay
from scrubjay.interfaces import formatting
from scrubjay.interfaces.cli.app import MODULES, cli
from scrubjay.interfaces.shapes import shape_of
from scrubjay.types import Hit, Results
from tests.support.commands import Answer, Run
from tests.support.hostile import made_of

PROGRAM = (sys.executable, "-c", "from scrubjay.interfaces.cli import main; main()")

pytestmark = pytest.mark.usefixtures("place")


def start(
    *words: str, environment: Mapping[str, str] | None = None, **options: Any
) -> subprocess.CompletedProcess[Any]:
    """Run a command in a process of its own."""
    return subprocess.run(
        [*PROGRAM, *words], env={**os.environ, **(environment or {})}, timeout=60, check=False, **options
    )


def ids(answer: Answer) -> list[int]:
    return [item["id"] for item in _listed(answer.json)]


def _listed(data: Any) -> list[Any]:
    events = [event["memory"] for event in data.get("events", [])]
    return list(data.get("memories") or data.get("results") or events)


def lines(answer: Answer) -> list[list[str]]:
    return [line.split() for line in answer.out.splitlines()]


# Remembering


def test_words_become_one_text(run: Run) -> None:
    answer = run("add", "User", "prefers dark mode", "--kind", "preference")
    assert answer == Answer(0, "Remembered 1 (preference) User prefers dark mode\n", "")
    assert run("add", "User prefers dark mode", "--kind", "preference").out.startswith("Already known: 1 ")


def test_a_dash_reads_standard_input(run: Run) -> None:
    run("add", "-", stdin="Grüße\n  aus Köln 🦜\n".encode())
    assert run("get", "1", "--json").json["memories"][0]["text"] == "Grüße\n  aus Köln 🦜"


def test_a_file_is_read_without_the_mark_that_some_editors_begin_it_with(run: Run, place: Path) -> None:
    (place / "note.txt").write_bytes(b"\xef\xbb\xbfTea at four\r\nor five\n")
    run("add", "--file", "note.txt")
    assert run("get", "1", "--json").json["memories"][0]["text"] == "Tea at four\r\nor five"


def test_input_that_is_not_utf8_is_refused(run: Run, place: Path) -> None:
    (place / "latin.txt").write_bytes("Grüße".encode("latin-1"))
    for answer in (run("add", "-", stdin=b"\xff\xfe"), run("add", "--file", "latin.txt")):
        assert answer.code == 2 and "not UTF-8" in answer.err
    assert ids(run("list", "--json")) == []


@pytest.mark.parametrize("words", [[], ["words", "--file", "a"], ["-", "--file", "a"]], ids=str)
def test_a_text_comes_from_exactly_one_place(run: Run, place: Path, words: list[str]) -> None:
    (place / "a").write_text("text")
    answer = run("add", *words, stdin=b"text")
    assert answer.code == 2 and "in one way" in answer.err


def test_every_field_can_be_given(run: Run) -> None:
    fields = (
        "--kind event --subject user --title Party --context garden --tag a --tag b --importance 9 --confidence 0 "
        "--project p --source mail --session s --happened 2026-03-01T12:00Z --expires 2999-01-01 --trust agent"
    )
    memory = run("add", "Big party", *fields.split(), "--metadata", '{"guests": 7}', "--json").json["memory"]
    assert (memory["kind"], memory["subject"], memory["title"], memory["context"]) == (
        "event", "user", "Party", "garden",
    )  # fmt: skip
    assert (memory["tags"], memory["metadata"]) == (["a", "b"], {"guests": 7})
    assert (memory["importance"], memory["confidence"], memory["trust"]) == (9, 0, "agent")
    assert (memory["project"], memory["source"], memory["session"]) == ("p", "mail", "s")
    assert memory["happened_at"] == "2026-03-01T12:00:00Z"
    assert ["confidence", "0.0"] in lines(run("get", "1"))


def test_update_changes_all_but_the_text(run: Run) -> None:
    run("add", "Dark mode", "--metadata", '{"a": 1, "b": 2}')
    answer = run("update", "1", "--tag", "ui", "--importance", "8", "--title", "Theme", "--metadata", '{"a": null}')
    assert answer == Answer(0, "Updated tags, importance, title, metadata of 1: Theme\n", "")
    memory = run("get", "1", "--json").json["memories"][0]
    assert (memory["text"], memory["tags"], memory["metadata"]) == ("Dark mode", ["ui"], {"b": 2})
    assert "Nothing to update" in run("update", "1").err


@pytest.mark.every_store
def test_supersede_puts_a_text_or_another_memory_in_the_place_of_one(run: Run, place: Path) -> None:
    run("add", "Dark mode", "--kind", "preference")
    assert run("supersede", "1", "Light", "mode").out == "2 replaces 1: Light mode\n"
    run("add", "Blue mode", "--kind", "preference")
    assert run("supersede", "2", "--by", "3").out == "3 replaces 2: Blue mode\n"
    (place / "text").write_text("Green mode\n")
    assert run("supersede", "3", "--file", "text", "--json").json["replaced"] == [3]
    assert ids(run("list", "--json")) == [4]
    assert ids(run("list", "--include-superseded", "--json")) == [4, 3, 2, 1]
    assert [line[0] for line in lines(run("history", "4"))[1:]] == ["was", "was", "was", "is", "2", "3", "4"]


def test_add_may_replace_and_says_when_there_was_nothing_to_replace(run: Run) -> None:
    run("add", "Dark mode")
    assert run("add", "Light mode", "--supersedes", "1").err == ""
    answer = run("add", "Blue mode", "--supersedes", "77")
    assert answer.code == 0 and "Replaces nothing" in answer.err and answer.out.startswith("Remembered 3")
    assert ids(run("list", "--json")) == [3, 2]


def test_confirm_counts(run: Run) -> None:
    run("add", "Dark mode")
    run("confirm", "1")
    assert run("confirm", "1", "--json").json["confirmed_count"] == 2


@pytest.mark.every_store
def test_delete_deletes_all_or_nothing(run: Run) -> None:
    for text in ("one", "two", "three"):
        run("add", text)
    refusal = "Error: There is no memory 77, 78 in space 'default'.\n"
    assert run("delete", "1", "77", "3", "78") == Answer(3, "", refusal)
    assert run("delete", "0", "2").code != 0
    assert ids(run("list", "--json")) == [3, 2, 1]
    assert run("delete", "1", "3", "3") == Answer(0, "Deleted 1, 3\n", "")
    assert run("delete", "2", "--json").json == {"deleted": [2]}


# Recalling


def test_search_prints_a_table_and_says_on_the_other_stream_what_is_weak(run: Run) -> None:
    run("add", "The staging server is called heron-2", "--kind", "fact", "--happened", "2026-03-01")
    head, row = run("search", "staging", "server").out.splitlines()
    assert head.split() == ["id", "score", "kind", "date", "text"]
    assert row.split()[0] == "1" and row.endswith("fact  2026-03-01  The staging server is called heron-2")
    assert run("search", "heron").err == "Note: Searched by words only: no embedder is set (`none`).\n"
    assert run("search", "heron", "--mode", "keyword").err == ""
    assert run("search", "walrus", "--mode", "keyword") == Answer(0, "Nothing found.\n", "")


@pytest.mark.every_store
def test_search_can_be_short_full_or_explained(run: Run) -> None:
    text = "The staging server is called heron-2.\n" + "It is old. " * 30
    run("add", text)
    short = run("search", "heron", "--json").json["results"][0]
    assert set(short) == set(shape_of("short hit"))
    full = run("search", "heron", "--json", "--full").json["results"][0]
    assert full["text"] == text and full["why"]["keyword"] > 0
    assert text.replace("\n", "\n  ") in run("search", "heron", "--full").out
    for how in ((), ("--full",)):
        assert "Has your word: heron (0." in run("search", "heron", "--explain", *how).out


@pytest.mark.parametrize("mode", ["hybrid", "keyword", "vector"])
@pytest.mark.parametrize("fusion", ["sum", "rrf"])
def test_every_mode_answers(run: Run, monkeypatch: pytest.MonkeyPatch, mode: str, fusion: str) -> None:
    monkeypatch.setenv("SCRUBJAY_EMBEDDER", "hashing")
    run("add", "Bananas are yellow")
    run("add", "The staging server is called heron-2")
    answer = run("search", "staging", "server", "--mode", mode, "--fusion", fusion, "--limit", "1", "--json")
    assert ids(answer) == [2] and answer.err == ""


ODD_QUERIES = [
    '"', '"heron', "'heron'", "heron AND", "OR", "NOT heron", "NEAR(heron, 2)", "heron*", "*", "title:heron", "^heron",
    "(", "heron)", "{}", "heron; drop table memories; --", "%", "_", "🦜", "👩‍👩‍👧", "…", "e\u0301", "", "   ", "\n",
    "\\", "heron" * 2000,
]  # fmt: skip


@pytest.mark.parametrize("query", ODD_QUERIES, ids=lambda query: ascii(query[:30]))
def test_any_text_is_a_query(run: Run, query: str) -> None:
    run("add", "A heron and a 🦜 are 100% birds")
    assert run("search", query).code == 0
    assert ids(run("list", "--json")) == [1]


def test_a_query_may_begin_with_a_dash(run: Run) -> None:
    run("add", "Call it with --force")
    assert ids(run("search", "--json", "--", "--force")) == [1]
    assert ids(run("search", "-", "--json", stdin=b"--force\n")) == [1]


def test_get_shows_memories_whole_in_the_order_asked_for(run: Run) -> None:
    run("add", "First\n\n  verse", "--tag", "song", "--metadata", '{"page": 7}')
    run("add", "Second verse")
    out = run("get", "2", "1").out
    assert out.index("  Second verse\n") < out.index("  First\n\n    verse\n")
    shown = lines(run("get", "1"))
    assert ["tags", "song"] in shown and ["metadata", "page", "7"] in shown


def test_get_prints_what_it_finds_and_exits_with_3_for_what_it_does_not(run: Run) -> None:
    run("add", "There")
    answer = run("get", "9", "1", "8")
    assert answer.code == 3 and "There\n" in answer.out
    assert answer.err == "Error: There is no memory 8, 9 in space 'default'.\n"
    assert run("get", "9") == Answer(3, "", "Error: There is no memory 9 in space 'default'.\n")
    assert ids(run("get", "9", "1", "--json")) == [1]


def test_list_is_newest_first_and_can_be_paged(run: Run) -> None:
    with scrubjay.open() as jay:
        jay.add_many([{"text": f"number {number}"} for number in range(25)])
    assert ids(run("list", "--json")) == list(range(25, 5, -1))
    assert ids(run("list", "-n", "2", "--offset", "3", "--json")) == [22, 21]
    assert len(ids(run("list", "--limit", "0", "--json"))) == 25


FILTERS = [
    ["--kind", "Fact"],
    ["--kind", "fact", "--kind", "task"],
    ["--subject", "user"],
    ["--project", "p"],
    ["--session", "s"],
    ["--tag", "ui", "--tag", "other"],
    ["--metadata", "size>=10"],
    ["--metadata", "size>9", "--metadata", "size<11"],
    ["--metadata", "size != 3"],
    ["--metadata", "name=Ann=Bo"],
    ["--metadata", "done=true"],
    ["--metadata", "nothing=null", "--metadata", "size=10"],
    ["--since", "2026-05-01"],
    ["--since", "2026-05-01", "--until", "2026-05-01"],
    ["--source", "file"],
    ["--min-importance", "6"],
    ["--min-confidence", "0.95"],
]


@pytest.mark.parametrize("options", FILTERS, ids=" ".join)
def test_filters_narrow_both_list_and_search(run: Run, options: list[str]) -> None:
    wanted = (
        "--kind fact --subject user --project p --session s --tag ui --importance 7 --confidence 1 "
        "--source file:a.md --happened 2026-05-01T12:00"
    )
    run("add", "wanted bird", *wanted.split(), "--metadata", '{"size": 10, "name": "Ann=Bo", "done": true}')
    other = "--kind note --subject team --confidence 0.9 --source filed --happened 2026-04-30T23:59 --metadata"
    run("add", "other bird", *other.split(), '{"size": 3, "name": "Bo", "done": 1}')
    assert ids(run("list", "--json", *options)) == [1]
    assert ids(run("search", "bird", "--json", *options)) == [1]


def test_timeline_shows_what_was_before_and_after(run: Run) -> None:
    for day in (3, 1, 2, 5, 4):
        run("add", f"day {day}", "--happened", f"2026-03-0{day}")
    shown = lines(run("timeline", "1", "--window", "1"))[1:]
    assert [line[-1] for line in shown] == ["2", "3", "4"]
    assert [line[0] == "▶" for line in shown] == [False, True, False]


def test_dates_are_those_of_the_reader_and_the_ends_of_the_calendar_can_be_shown() -> None:
    zone = {"TZ": "EST5"}
    start("add", "late tea", "--happened", "2026-01-01T23:00", environment=zone, capture_output=True)
    start("add", "first tea", "--happened", "0001-01-01T00:00Z", environment=zone, capture_output=True)
    listed = start("list", environment=zone, capture_output=True, text=True)
    assert [line.split()[2] for line in listed.stdout.splitlines()[1:]] == ["0001-01-01", "2026-01-01"]
    found = start("search", "late", "--json", environment=zone, capture_output=True, text=True)
    assert json.loads(found.stdout)["results"][0]["date"] == "2026-01-01"


# Looking after


@pytest.mark.sqlite
def test_stats_are_figures_of_one_space(run: Run, home: Path) -> None:
    run("add", "here")
    run("add", "there", "--space", "work")
    figures = run("stats", "--json").json
    assert (figures["memories"], figures["spaces"], figures["without_vector"]) == (1, 2, 1)
    assert figures["file"] == str(home / "memory.db")
    assert ["memories", "1"] in lines(run("stats"))


@pytest.mark.sqlite
def test_check_exits_with_1_when_there_is_damage_and_repairs_it(run: Run, home: Path) -> None:
    run("add", "A heron")
    assert run("check", "--deep") == Answer(0, "No problems found.\n", "")
    with apsw.Connection(str(home / "memory.db")) as database:
        database.execute("insert into words (words) values ('delete-all')")
    assert run("check").code == 0
    broken = run("check", "--deep", "--json")
    assert broken.code == 1 and len(broken.json["problems"]) == 1
    mended = run("check", "--deep", "--repair")
    assert mended.code == 0 and mended.out.startswith("Repaired: ")
    assert ids(run("search", "heron", "--json")) == [1]


def test_under_json_what_is_said_of_the_opening_is_json(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCRUBJAY_EMBEDDER", "hashing")
    run("add", "one")
    monkeypatch.setenv("SCRUBJAY_EMBEDDER", "local")
    for words in (["list"], ["get", "99"], ["token", "list"], ["check"]):
        assert run(*words).err.startswith("Note: SCRUBJAY_EMBEDDER is local")
        first, *rest = run(*words, "--json").err.splitlines()
        assert json.loads(first)["note"].startswith("SCRUBJAY_EMBEDDER is local") and all(map(json.loads, rest))


def test_backfill_and_reindex_make_vectors(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    run("add", "one")
    run("add", "two")
    assert run("backfill").code == 5
    monkeypatch.setenv("SCRUBJAY_EMBEDDER", "hashing")
    progress = "Embedding: 1 of 2 texts.\nEmbedding: 2 of 2 texts.\n"
    assert run("backfill", "--batch", "1") == Answer(0, "Embedded 2, 0 remaining.\n", progress)
    assert run("reindex", "--embedder", "hashing", "--json").json == {
        "embedded": 2,
        "failed": [],
        "remaining": 0,
        "texts": 2,
        "quarantined": 0,
        "jobs": 0,
    }
    assert "Batch jobs work only with openai and gemini" in run("backfill", "--job").err
    assert run("stats", "--json").json["without_vector"] == 0


# Setting up


@pytest.mark.sqlite
def test_config_lists_gets_and_sets(run: Run, home: Path) -> None:
    assert "search.limit" in run("config").out
    assert run("config", "search.limit").out == "10\n"
    assert run("config", "store").out == "(default)\n"
    assert run("config", "search.limit", "3").out == f"Set search.limit to 3 in {home / 'config.toml'}\n"
    assert run("config", "search.limit") == Answer(0, "3\n", "")
    assert run("config", "spaces.my.team.search.limit", "7", "--json").json["value"] == 7
    assert run("config", "spaces.my.team.search.limit").out == "7\n"
    assert run("config", "spaces.search.search.limit", "2").code == 0
    assert run("config", "spaces.search.search.limit").out == "2\n"
    assert run("config", "search.limit", "--json").json["value"] == 3


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["serch.limit"], "did you mean 'search.limit'"),
        (["stroe", "x"], "did you mean 'store'"),
        (["nokey"], "There is no setting 'nokey'; `scrubjay config` lists them."),
        (["spaces.work.search.lmit", "3"], "did you mean 'search.limit'"),
        (["search.limit", "many"], "must be a whole number"),
        (["search.min_score", "high"], "must be a number"),
        (["search.limit", "3", "--local"], "run `scrubjay init` first"),
    ],
)
def test_config_refuses_what_it_does_not_know(run: Run, home: Path, words: list[str], sentence: str) -> None:
    answer = run("config", *words)
    assert answer.code == 2 and sentence in answer.err
    assert not (home / "config.toml").exists()


@pytest.mark.sqlite
def test_init_gives_a_project_its_own_memory(
    run: Run, home: Path, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deep = place / "project" / "a" / "b"
    deep.mkdir(parents=True)
    assert run("init", "project").out.startswith("Created a memory for this project: ")
    monkeypatch.chdir(deep)
    run("add", "inside")
    assert run("stats", "--json").json["file"] == str(place / "project" / ".scrubjay" / "memory.db")
    assert run("config", "search.limit", "3", "--local").code == 0
    assert (place / "project" / ".scrubjay" / "config.toml").exists()
    monkeypatch.chdir(place)
    assert ids(run("list", "--json")) == []
    assert run("init", "project", "--json").json["created"] is False
    assert ids(run("list", "--json", "--store", "project/.scrubjay/memory.db")) == [1]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (None, b".scrubjay/\n"),
        (b"", b".scrubjay/\n"),
        (b"*.pyc", b"*.pyc\n.scrubjay/\n"),
        (b"a\r\nb\r\n", b"a\r\nb\r\n.scrubjay/\n"),
        (b"a\n.scrubjay/\nb\n", b"a\n.scrubjay/\nb\n"),
        (b"# not .scrubjay/ yet\n", b"# not .scrubjay/ yet\n.scrubjay/\n"),
        (b"\xff\xfe\n", b"\xff\xfe\n.scrubjay/\n"),
    ],
)
def test_init_is_ignored_by_git_once(run: Run, place: Path, before: bytes | None, after: bytes) -> None:
    if before is not None:
        (place / ".gitignore").write_bytes(before)
    for _ in range(2):
        assert run("init").code == 0
    assert (place / ".gitignore").read_bytes() == after


def test_the_demonstration_leaves_nothing_behind(run: Run, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCRUBJAY_EMBEDDER", "hashing")
    answer = run("demo")
    assert answer.code == 0 and "$ scrubjay history" in answer.out and answer.err == ""
    assert not home.exists()


def test_the_demonstration_says_when_it_cannot_find_by_meaning(run: Run) -> None:
    assert "Note: Searched by words only" in run("demo").out


@pytest.mark.parametrize(("shell", "word"), [("bash", "complete "), ("zsh", "#compdef"), ("fish", "complete ")])
def test_completion_prints_a_script(run: Run, shell: str, word: str) -> None:
    script = run("completion", shell).out
    assert word in script and f"_SCRUBJAY_COMPLETE={shell}_complete" in script


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("scrubjay sea", {"search"}),
        ("scrubjay add --kind pre", {"preference"}),
        ("scrubjay search --mode ", {"hybrid", "keyword", "vector"}),
    ],
)
def test_the_shell_is_told_what_may_follow(typed: str, offered: set[str]) -> None:
    words = typed.split(" ")
    asked = {"_SCRUBJAY_COMPLETE": "bash_complete", "COMP_WORDS": typed, "COMP_CWORD": str(len(words) - 1)}
    answer = start(environment=asked, capture_output=True, text=True)
    assert {line.removeprefix("plain,") for line in answer.stdout.split()} == offered


# Every command


EXAMPLES = {
    "add": ["a third"],
    "update": ["1", "--tag", "ui"],
    "supersede": ["1", "another"],
    "revert": ["3"],
    "confirm": ["1"],
    "link": ["1", "2"],
    "unlink": ["1", "3"],
    "links": ["1"],
    "citations": ["1"],
    "rate": ["1", "--helpful"],
    "delete": ["1"],
    "undelete": ["4"],
    "search": ["first"],
    "turns": ["search", "first"],
    "sync": [".", "--include", "*.txt"],
    "status": [],
    "profile": ["set", "name", '"Ann"'],
    "contacts": [],
    "projects": [],
    "skills": [],
    "sources": [],
    "capture": ["answer.txt", "--client", "gemini"],
    "get": ["1"],
    "list": [],
    "history": ["1"],
    "timeline": ["1"],
    "context": ["first"],
    "kinds": [],
    "spaces": [],
    "export": ["memories.jsonl"],
    "import": ["other.jsonl"],
    "backup": ["copy.db"],
    "restore": ["kept.db", "--force"],
    "move": ["kept.db", "moved.db"],
    "forget": ["1", "--force"],
    "subjects": [],
    "tags": [],
    "conflicts": [],
    "tasks": [],
    "sessions": [],
    "extract": ["I prefer tabs over spaces in all the files that I write"],
    "synthesise": ["--kind", "rarity"],  # of which there are none: no generator need be asked
    "cleanup": [],
    "trash": [],
    "stats": [],
    "accesses": [],
    "check": ["--deep", "--repair"],
    "backfill": [],
    "reindex": ["--embedder", "hashing"],
    "token": [],
    "init": [],
    "trust": ["--list"],
    "distrust": ["project"],
    "config": [],
    "completion": ["zsh"],
    "demo": [],
    "activity": [],
    "events": [],
    "install": ["cursor", "--dry-run"],
    "uninstall": ["cursor", "--dry-run"],
    "doctor": [],
}


ANSWERS_IN_OTHER_WORDS = (
    "watch",
    "mcp",
    "serve",
    "page",
    "hook",
)  # the first four go on; a hook speaks as its client does


OF_FILES = ("backup", "restore", "move")


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.sqlite] if name in OF_FILES else [])
        for name in MODULES
        if name not in ANSWERS_IN_OTHER_WORDS
    ],
)
def test_every_command_prints_json(run: Run, place: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv("SCRUBJAY_EMBEDDER", "hashing")
    (place / "answer.txt").write_text("the answer is 42")
    run("add", "the first")
    run("add", "the second")
    run("add", "the second half", "--supersedes", "2")
    (place / "project").mkdir()
    run("init", "project")
    run("link", "1", "3")
    run("add", "the deleted one")
    run("delete", "4")
    run("export", "other.jsonl")
    run("backup", "kept.db")
    answer = run(name, *EXAMPLES[name], "--json")
    assert answer.code == 0 or (name, answer.code) == ("doctor", 1)  # which found something to do
    of_files = ("VACUUM FULL", "by chance")  # a server's, or a file that has the words "the first" in its schema
    assert answer.err == "" or (name == "forget" and any(words in answer.err for words in of_files))
    assert isinstance(answer.json, dict)


@pytest.mark.parametrize("name", MODULES)
def test_every_command_has_help_with_an_example(run: Run, name: str) -> None:
    answer = run(name, "--help")
    assert answer.code == 0 and f"scrubjay {name}" in answer.out.split("\n", 1)[1]
    command = cli.commands[name]
    assert command.get_short_help_str()
    described = [option for option in command.params if isinstance(option, click.Option)]
    assert [option.name for option in described if not option.help] == []


def test_help_says_what_a_field_has_that_is_not_given(run: Run) -> None:
    said = {name: " ".join(run(name, "--help").out.split()) for name in ("add", "supersede", "update")}
    assert "--kind TEXT What sort of memory; told from the text if not given." in said["add"]
    assert "--kind TEXT What sort of memory; taken over if not given." in said["supersede"]
    assert "--kind TEXT What sort of memory." in said["update"] and "not given" not in said["update"]
    run("add", "Ann is the lead", "--kind", "note", "--project", "bird", "--importance", "7")
    replaced = run("supersede", "1", "Ben is the lead", "--json").json["memory"]
    assert (replaced["kind"], replaced["project"], replaced["importance"]) == ("note", "bird", 7)


def test_help_names_the_setting_where_that_is_the_default(run: Run) -> None:
    for command, setting, option in (
        ("search", "search.limit", "-n, --limit"), ("turns", "search.limit", "-n, --limit"),
        ("context", "context.tokens", "--tokens"),
    ):  # fmt: skip
        said = " ".join(run(command, "--help").out.split())
        assert f"[default: the setting {setting}]" in said.split(f"{option} ", 2)[-1][:90]


def test_every_command_stands_under_a_heading(run: Run) -> None:
    context = click.Context(cli)
    assert all(cli.get_command(context, name) for name in MODULES) and set(MODULES) == set(cli.commands)
    assert run("-h").out == run("--help").out
    assert "..." not in run("--help").out.split("\n", 1)[1]  # no line of the list is cut
    assert run("--version").out == f"scrubjay, version {scrubjay.__version__}\n"
    assert "Remember:" in run().err


# What is refused


HUGE = "9" * 30
REFUSED = [
    ["add", ""],
    ["add", " \n\t "],
    ["add", "-"],
    ["add", "x", "--importance", "11"],
    ["add", "x", "--importance", "high"],
    ["add", "x", "--confidence", "nan"],
    ["add", "x", "--confidence", "1.1"],
    ["add", "x", "--metadata", "[1]"],
    ["add", "x", "--metadata", "null"],
    ["add", "x", "--metadata", "{'a': 1}"],
    ["add", "x", "--metadata", '{"a": NaN}'],
    ["add", "x", "--metadata", '{"a": "\\ud800"}'],
    ["add", "x", "--metadata", "[" * 100_000],
    ["add", "x", "--metadata", '{"a": ' + "9" * 5000 + "}"],
    ["add", "x", "--space", "a/b"],
    ["add", "x", "--kind", "Two Words"],
    ["add", "x", "--tag", ""],
    ["add", "x", "--title", " "],
    ["add", "x", "--trust", "god"],
    ["add", "x", "--expires", "2020-01-01"],
    ["add", "x", "--expires", "9999-12-31"],
    ["add", "x", "--happened", "yesterday-ish"],
    ["add", "x", "--happened", "0001-01-01"],
    ["add", "half a \udcff character"],
    ["add", "x", "--supersedes", HUGE],
    ["add", "--file", "missing.txt"],
    ["add", "--file", "."],
    ["add", "x", "--colour", "red"],
    ["get", "seven"],
    ["get", "0"],
    ["get", HUGE],
    ["get"],
    ["search"],
    ["search", "x", "--mode", "telepathy"],
    ["search", "x", "--limit", "0"],
    ["search", "x", "--limit", "1001"],
    ["search", "x", "--min-score", "nan"],
    ["search", "x", "--since", "no date"],
    ["search", "x", "--since", ""],
    ["search", "x", "--until", "2026-02-30"],
    ["search", "x", "--until", "9999-12-31"],
    ["search", "x", "--metadata", "size"],
    ["search", "x", "--metadata", "a=[1]"],
    ["search", "x", "--metadata", "a>true"],
    ["search", "x", "--metadata", "a!=1", "--metadata", "a!=2"],
    ["search", "x", "--in-space", "a b"],
    ["list", "--limit", "-1"],
    ["list", "--offset", "-1"],
    ["list", "--limit", HUGE],
    ["list", "--offset", HUGE],
    ["list", "--min-importance", HUGE],
    ["list", "--min-confidence", "nan"],
    ["list", "--metadata", f"a={HUGE}"],
    ["list", "--metadata", 'a="\\ud800"'],
    ["list", "--subject", "half a \udcff character"],
    ["list", "--store", "."],
    ["list", "--store", "missing/memory.db"],
    ["list", "--store", "postgresql://localhost/x"],
    ["update", "1"],
    ["update", "1", "--importance", "0"],
    ["update", "77", "--tag", "x"],
    ["supersede", "1"],
    ["supersede", "1", "x", "--by", "2"],
    ["supersede", "1", "--by", "2", "--tag", "x"],
    ["supersede", "1", "--by", "1"],
    ["supersede", "1", "--by", "77"],
    ["supersede", "1", " "],
    ["supersede", "77", "x"],
    ["history", "77"],
    ["timeline", "77"],
    ["timeline", "1", "--window", "-1"],
    ["timeline", "1", "--window", HUGE],
    ["confirm", "77"],
    ["delete", "seven", "1"],
    ["backfill"],
    ["reindex", "--embedder", "telepathy"],
    ["reindex", "--embedder", "none"],
    ["init", "missing"],
    ["init", "/dev/null"],
    ["completion", "tcsh"],
    ["sarch"],
]


@pytest.mark.parametrize("words", REFUSED, ids=lambda words: ascii(" ".join(words)[:60]))
def test_bad_input_is_one_sentence_and_changes_nothing(run: Run, words: list[str]) -> None:
    with scrubjay.open() as jay:
        jay.add_many([{"text": "first"}, {"text": "second"}])
    before = run("list", "--include-superseded", "--json").out
    answer = run(*words)
    assert answer.code != 0 and answer.out == ""
    assert answer.err.startswith("Error: ") and answer.err.endswith((".\n", "?\n"))
    assert answer.err.count("\n") == 1 and len(answer.err) < 400
    assert run("list", "--include-superseded", "--json").out == before


@pytest.mark.sqlite
@pytest.mark.parametrize("home", ["/dev/null", "/dev/null/below"])
def test_a_home_that_cannot_be_made_is_one_sentence(run: Run, monkeypatch: pytest.MonkeyPatch, home: str) -> None:
    monkeypatch.setenv("SCRUBJAY_HOME", home)
    assert run("list") == Answer(4, "", run("list").err)
    assert "set SCRUBJAY_HOME" in run("list").err
    assert run("config", "space", "work").err.startswith("Error: ")


def test_a_broken_repository_around_it_stops_nobody(run: Run, place: Path) -> None:
    (place / ".git").write_bytes(b"gitdir: a\0b")
    assert run("add", "still here").code == 0


# Processes


def test_a_process_exits_with_the_code_and_no_traceback() -> None:
    for words, stdin, code in ((["add", "-"], b"\xff", 2), (["get", "7"], b"", 3), (["add", "fine"], b"", 0)):
        answer = start(*words, input=stdin, capture_output=True)
        assert answer.returncode == code
        assert b"Traceback" not in answer.stderr and answer.stderr.count(b"\n") == (code > 0)


def test_closed_and_full_streams_are_no_traceback(run: Run) -> None:
    run("add", "Something to print")
    program = " ".join(f"'{part}'" for part in PROGRAM)
    for command, code in ((f"{program} add - <&-", 2), (f"{program} list >&-", 0), (f"{program} list >/dev/full", 1)):
        answer = subprocess.run(["sh", "-c", command], capture_output=True, timeout=60, check=False)
        assert answer.returncode == code and b"Traceback" not in answer.stderr


def test_a_reader_that_goes_away_is_no_error(run: Run) -> None:
    run("add", "Something to print")
    gone, writable = os.pipe()
    os.close(gone)
    answer = start("list", stdout=writable, stderr=subprocess.PIPE)
    os.close(writable)
    assert answer.stderr == b""


# Errors for programs


@pytest.mark.parametrize(
    ("words", "type_", "code"),
    [
        (["search"], "MissingParameter", 2),
        (["serch", "x"], "NoSuchCommand", 2),
        (["list", "--limt", "5"], "NoSuchOption", 2),
        (["list", "--limit", "many"], "BadParameter", 2),
        (["tasks", "destroy"], "BadParameter", 2),
        (["list", "--since", "soonish"], "Invalid", 2),
        (["get", "99"], "NotFound", 3),
        (["list", "--store", "missing.db"], "Invalid", 2),
        (["check", "--store", "not-a-store"], "NotAStore", 4),
        (["sync", "missing-folder"], "Invalid", 2),
        (["config", "no.such"], "Invalid", 2),
        (["token", "create"], "Invalid", 2),
    ],
)
def test_under_json_every_error_is_a_json_object_on_the_error_stream(
    run: Run, place: Path, words: list[str], type_: str, code: int
) -> None:
    (place / "not-a-store").write_bytes(b"x" * 8192)
    run("add", "something")
    answer = run(*words, "--json")
    error = json.loads(answer.err)
    assert set(error) == {"error", "type", "exit_code"} and answer.err.count("\n") == 1
    assert answer.code == error["exit_code"] == code and error["type"] == type_
    assert f"Error: {error['error']}\n" == run(*words).err
    assert answer.out == "" or json.loads(answer.out)


@pytest.mark.parametrize("how", [(), ("--json",)])
def test_what_nobody_expected_is_one_sentence_too(
    run: Run, monkeypatch: pytest.MonkeyPatch, how: tuple[str, ...]
) -> None:
    def fail(*arguments: object, **named: object) -> None:
        raise RuntimeError("broken\x1b[2J\ninside")

    run("add", "something")
    monkeypatch.setattr(scrubjay.Scrubjay, "stats", fail)
    answer = run("stats", *how)
    assert answer.code == 1 and answer.out == "" and "\x1b" not in answer.err
    last = answer.err.splitlines()[-1]
    sentence = json.loads(last)["error"] if how else last
    assert "(RuntimeError: broken�[2J inside); please report it" in sentence
    assert not how or len(answer.err.splitlines()) == 1


def test_after_two_dashes_json_is_a_word_like_any_other(run: Run) -> None:
    run("add", "something")
    assert run("get", "--", "--json").err.startswith("Error: ")


def test_the_confidence_of_a_hit_and_of_its_memory_are_both_told(
    run: Run, monkeypatch: pytest.MonkeyPatch, path: Path
) -> None:
    monkeypatch.setenv("SCRUBJAY_EMBEDDER", "hashing")
    run("add", "The staging server is called heron", "--confidence", "0.4")
    (full,) = run("search", "staging heron", "--full", "--json").json["results"]
    (short,) = run("search", "staging heron", "--json").json["results"]
    assert full["confidence"] == 0.4 and full["hit_confidence"] == short["hit_confidence"]
    assert "confidence" not in short


def test_nothing_said_of_a_hit_hides_a_field_of_its_memory() -> None:
    hit = made_of(Hit)
    (shown,) = formatting.results_dict(Results((hit,)), full=True, explain=True)["results"]
    assert formatting.memory_dict(hit.memory).items() <= shown.items()


# The terminal


EVIL = "red \x1b[31m title \x1b]0;pwned\x07 clear \x9b2J back \u202e turned\rover"


def on_a_terminal(*words: str) -> str:
    """What a terminal is sent."""
    ours, theirs = pty.openpty()
    answer = start(*words, stdout=theirs, stderr=subprocess.PIPE)
    os.close(theirs)
    assert answer.returncode == 0
    sent = b""
    try:
        while part := os.read(ours, 65536):
            sent += part
    except OSError:  # Linux says so when the other side is closed
        pass
    os.close(ours)
    return sent.decode().replace("\r\n", "\n")


@pytest.mark.parametrize(
    "words",
    [["list"], ["get", "1"], ["search", "red", "--full"], ["get", "1", "--json"], ["update", "1", "--tag", "x"]],
)
def test_no_memory_can_command_the_terminal(run: Run, words: list[str]) -> None:
    run("add", EVIL, "--title", EVIL, "--context", EVIL, "--tag", EVIL, "--metadata", json.dumps({"k\x1b": EVIL}))
    sent = on_a_terminal(*words)
    assert "red" in sent
    assert [character for character in sent if character != "\n" and not character.isprintable()] == []
    assert EVIL == run("get", "1", "--json").json["memories"][0]["text"]


def cells(text: str) -> int:
    wide = sum(unicodedata.east_asian_width(character) in "WF" for character in text)
    return len(unicodedata.normalize("NFC", text)) + wide


def test_tables_stay_aligned_whatever_is_in_them() -> None:
    first = ["plain", "日本語", "🦜🦜", "cafe\u0301", "tab\tand\nline", ""]
    head, *rows = formatting.table(["one", "two"], [[cell, "here"] for cell in first]).splitlines()
    assert len(rows) == len(first)
    assert {cells(row[: row.index("here")]) for row in rows} == {head.index("two")}


@pytest.mark.parametrize("title", ["很" * 200, "🦜" * 200, "e\u0301" * 200, "word " * 90])
def test_long_titles_are_cut_at_the_edge_of_the_terminal(run: Run, title: str) -> None:
    run("add", "text", "--title", title)
    _, row = run("list").out.splitlines()
    assert row.endswith("…") and 95 <= cells(row) <= 100


# Spaces


@pytest.mark.every_store
def test_no_command_sees_into_another_space(run: Run) -> None:
    run("add", "secret heron", "--space", "a", "--kind", "fact")
    mine = run("add", "my own heron", "--space", "b", "--json").json["id"]
    before = run("get", "1", "--space", "a", "--json").json
    assert ids(run("search", "secret heron", "--space", "b", "--json")) == [mine]
    assert ids(run("list", "--space", "b", "--include-superseded", "--json")) == [mine]
    assert ids(run("timeline", str(mine), "--space", "b", "--json")) == [mine]
    assert ids(run("history", str(mine), "--space", "b", "--json")) == [mine]
    for words in (
        ["get", "1"],
        ["history", "1"],
        ["timeline", "1"],
        ["update", "1", "--tag", "x"],
        ["confirm", "1"],
        ["delete", "1"],
        ["supersede", "1", "gone"],
        ["supersede", "1", "--by", str(mine)],
        ["supersede", str(mine), "--by", "1"],
    ):
        answer = run(*words, "--space", "b")
        assert (answer.code, answer.out) == (3, "") and "no memory 1 in space 'b'" in answer.err
    assert "Replaces nothing" in run("add", "new heron", "--space", "b", "--supersedes", "1").err
    assert run("add", "secret heron", "--space", "b", "--kind", "fact").out.startswith("Remembered")
    after = run("get", "1", "--space", "a", "--json").json
    assert {**after["memories"][0], "used_count": 0, "used_at": None} == before["memories"][0]


def test_several_spaces_are_searched_when_they_are_named(run: Run) -> None:
    run("add", "grey heron", "--space", "a")
    run("add", "white heron", "--space", "b")
    assert set(ids(run("search", "heron", "--in-space", "a", "--in-space", "b", "--json"))) == {1, 2}


def test_a_field_is_emptied_by_name(run: Run) -> None:
    run("add", "Meeting at noon", "--tag", "work", "--subject", "team", "--expires", "2999-01-01")
    run("update", "1", "--clear", "tags", "--clear", "expires", "--subject", "user")
    (memory,) = json.loads(run("get", "1", "--json").out)["memories"]
    assert (memory["tags"], memory["expires_at"], memory["subject"]) == ([], None, "user")


def test_reading_a_file_that_is_not_there_does_not_make_it(run: Run, tmp_path: Path) -> None:
    typo = tmp_path / "typo.db"
    answer = run("list", "--store", str(typo))
    assert answer.code == 2 and "There is no memory at" in answer.err
    assert not typo.exists()


@pytest.mark.parametrize(
    "words",
    [
        ["get", "9" * 5_000],
        ["get", "9" * 5_000, "--around", "1"],
        ["tasks", "update", "9" * 5_000, "--status", "completed"],
        ["contacts", "get", "9" * 5_000],
        ["contacts", "rollback", "1", "9" * 5_000],
        ["projects", "create", "Orion", "--contact", "9" * 5_000],
    ],
    ids=lambda words: " ".join(words[:2])[:20],
)
def test_an_id_of_thousands_of_digits_is_one_sentence(run: Run, words: list[str]) -> None:
    run("add", "Tea at four")
    answer = run(*words)
    assert answer.code != 0 and answer.err.count("\n") == 1 and "Unexpected" not in answer.err
