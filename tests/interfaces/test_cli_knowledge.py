"""Knowledge that changes, through the command line: what is corrected, undone, disputed, due, told and forgotten."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import click
import pytest

import scrubjay
from scrubjay.interfaces.cli.app import cli
from tests.support.commands import Answer, Run

PROGRAM = (sys.executable, "-c", "from scrubjay.interfaces.cli import main; main()")
PORT = "The staging server runs on port {}"
LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)
KEY = "ghp_" + "a1B2c3D4e5" * 4  # of the right form, and nobody's


@pytest.fixture(autouse=True)
def embedder(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCRUBJAY_EMBEDDER", "hashing")


def ids(answer: Answer, what: str = "memories") -> list[int]:
    return [item["id"] for item in answer.json[what]]


def first_words(answer: Answer) -> list[str]:
    return [line.split()[0] for line in answer.out.splitlines()]


def refused(answer: Answer, code: int = 2) -> str:
    """The one sentence of a refusal."""
    assert (answer.code, answer.out) == (code, "")
    assert answer.err.startswith("Error: ") and answer.err.count("\n") == 1 and len(answer.err) < 250
    return answer.err


# Correcting, and undoing it


def test_a_correction_tells_its_reason(run: Run) -> None:
    run("add", PORT.format(8080))
    assert run("supersede", "1", PORT.format(9090), "--reason", "moved").out == f"2 replaces 1: {PORT.format(9090)}\n"
    told = run("history", "1")
    assert first_words(told) == ["id", "was", "is", "2"]
    assert told.out.splitlines()[-1].startswith("2 replaced 1 on 20") and told.out.endswith(", moved\n")
    (step,) = run("history", "2", "--json").json["steps"]
    assert (step["old"], step["new"], step["reason"], step["undone_at"]) == (1, 2, "moved", None)


def test_a_correction_is_undone_and_the_history_tells_both(run: Run) -> None:
    run("add", PORT.format(8080))
    run("supersede", "1", PORT.format(9090))
    assert run("revert", "1", "--reason", "it never moved").out.startswith("Restored 1;")
    assert ids(run("list", "--json")) == [1]
    told = run("history", "1").out
    assert "undone on 20" in told and "it never moved" in told
    assert run("history", "2", "--json").json["steps"][0]["undone_reason"] == "it never moved"


def test_a_link_between_two_memories_is_undone_and_both_hold(run: Run) -> None:
    run("add", "Tea is green")
    run("add", "Tea is black")
    run("supersede", "1", "--by", "2")
    assert run("revert", "2", "--json").json["old"] == 1
    assert ids(run("list", "--json")) == [2, 1]


def test_a_change_that_is_reverted_already_is_said_to_be(run: Run) -> None:
    run("add", "Tea is green")
    run("update", "1", "--tag", "drink")
    run("revert", "1")
    sentence = "Every change of memory 1 is already reverted, so there is nothing to revert; `history 1` shows them."
    assert sentence in refused(run("revert", "1"), 2)
    run("add", "Tea is black")
    assert "neither replaced another nor was replaced or updated" in refused(run("revert", "2"), 2)


def test_a_kind_that_is_misspelt_in_an_update_is_asked_about(run: Run) -> None:
    run("add", "Tea is green", "--kind", "fact")
    run("add", "Tea is black", "--kind", "fact")
    note = "No memory here has the kind 'fcat'; did you mean 'fact'?"
    assert note in run("search", "tea", "--kind", "fcat").err
    assert note in run("update", "1", "--kind", "fcat").err
    assert "Note" not in run("update", "2", "--kind", "fcat").err  # now a memory has it
    assert "Note" not in run("update", "2", "--kind", "fact").err
    assert "Note" not in run("update", "2", "--kind", "zebra").err


def test_several_may_merge_into_one(run: Run) -> None:
    for text in ("Ann has a cat", "Ann has a dog", "Ann has a cat and a dog"):
        run("add", text)
    run("supersede", "1", "--by", "3")
    run("supersede", "2", "--by", "3")
    assert sorted(ids(run("history", "1", "--json"))) == [1, 2, 3]
    assert ids(run("list", "--json")) == [3]


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        (["revert", "1"], 2, "nothing to revert"),
        (["revert", "77"], 3, "no memory 77"),
        (["revert", "x"], 2, "not a valid integer"),
        (["supersede", "1", "--by", "1"], 2, "itself"),
        (["supersede", "1", "--by", "77"], 3, "no memory 77"),
        (["supersede", "2", "new"], 2, "already replaced"),
        (["supersede", "1"], 2, "either a new text"),
        (["history"], 2, "either an id or a subject"),
        (["history", "1", "--subject", "user"], 2, "either an id or a subject"),
        (["history", "77"], 3, "no memory 77"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_step_that_cannot_be_taken_is_one_sentence(run: Run, words: list[str], code: int, sentence: str) -> None:
    for text in ("first", "second"):
        run("add", text)
    run("supersede", "2", "third")
    assert sentence in refused(run(*words), code)
    assert ids(run("list", "--json")) == [3, 1]


def test_a_subject_has_a_history_too(run: Run) -> None:
    run("add", PORT.format(8080), "--subject", "staging")
    run("supersede", "1", PORT.format(9090))
    run("add", "Tea is green")
    told = run("history", "--subject", "Staging")
    assert first_words(told) == ["id", "was", "is", "2"] and "Tea" not in told.out
    assert run("history", "--subject", "nobody").out == "Nothing found.\n"
    nothing: dict[str, list[object]] = {"memories": [], "steps": [], "edits": [], "links": []}
    assert run("history", "--subject", "nobody", "--json").json == nothing


def test_what_was_true_then_can_be_asked(run: Run) -> None:
    run("add", PORT.format(8080), "--happened", "2026-01-01")
    run("supersede", "1", PORT.format(9090), "--happened", "2026-06-01")
    for moment, id in (("2026-03-01", 1), ("2026-07-01", 2), ("2026-05-31T23:00Z", 1)):
        assert ids(run("search", "staging port", "--as-of", moment, "--json"), "results") == [id]
        assert ids(run("list", "--as-of", moment, "--json")) == [id]
    assert run("list", "--as-of", "2025-01-01").out == "Nothing found.\n"
    assert "not a date" in refused(run("list", "--as-of", "once"))
    assert "not a date" in refused(run("search", "port", "--as-of", "once"))


# Updates and conflicts


def test_an_update_is_noted_as_a_conflict_until_it_is_settled(run: Run) -> None:
    run("add", PORT.format(8080), "--subject", "staging")
    added = run("add", PORT.format(9090), "--subject", "staging", "--json")
    assert json.loads(added.err)["note"].startswith("May contradict 1: ") and added.json["notes"]
    (pair,) = run("conflicts", "--json").json["conflicts"]
    assert (pair["older"]["id"], pair["newer"]["id"]) == (1, 2) and 0 < pair["score"] <= 1
    assert run("conflicts").out.splitlines()[1].split()[:2] == ["1", "2"]
    run("supersede", "1", "--by", "2")
    assert run("conflicts") == Answer(0, "There are no open conflicts.\n", "")


def test_a_conflict_can_be_dismissed(run: Run) -> None:
    run("add", PORT.format(8080), "--subject", "staging")
    run("add", PORT.format(9090), "--subject", "staging")
    assert run("conflicts", "--dismiss", "1", "2", "--json").json == {"conflicts": []}
    assert ids(run("list", "--json")) == [2, 1]
    assert "no open conflict between 1 and 2" in refused(run("conflicts", "--dismiss", "1", "2"), 3)
    assert "no memory 77" in refused(run("conflicts", "--dismiss", "1", "77"), 3)
    assert refused(run("conflicts", "--dismiss", "1"))


def test_a_new_value_replaces_the_old_one_when_asked_to(run: Run) -> None:
    run("add", PORT.format(8080), "--subject", "staging")
    answer = run("add", PORT.format(9090), "--subject", "staging", "--auto-supersede")
    assert answer == Answer(
        0, f"Remembered 2 (fact, replaces 1) {PORT.format(9090)}\n", f"Note: Replaces 1: {PORT.format(8080)}\n"
    )
    assert ids(run("list", "--json")) == [2] and "automatic" in run("history", "2").out


def test_nothing_less_trusted_replaces_what_the_user_said(run: Run) -> None:
    run("add", PORT.format(8080), "--subject", "staging")
    answer = run("add", PORT.format(9090), "--subject", "staging", "--auto-supersede", "--trust", "external")
    assert answer.err.startswith("Note: May contradict 1: ")
    assert ids(run("list", "--json")) == [2, 1]
    explicit = run("supersede", "1", "--by", "2", "--json")
    assert explicit.code == 0 and "`revert 1` undoes it" in explicit.json["notes"][0]


def test_what_nearly_says_the_same_is_pointed_out(run: Run) -> None:
    run("add", "The user likes green tea in the morning")
    answer = run("add", "In the morning the user likes green tea", "--json")
    assert [hit["id"] for hit in answer.json["similar"]] == [1] and "Much like 1" in answer.err


# Tasks


def test_a_task_goes_through_its_life(run: Run) -> None:
    made = run("tasks", "create", "Renew the", "certificate", "--due", "2999-01-31", "--priority", "high")
    assert made.out == "Task 1 is pending: Renew the certificate\n"
    assert run("tasks", "update", "1", "--status", "in_progress").out.startswith("Task 1 is in progress: ")
    row = run("tasks").out.splitlines()[1]
    assert row.split() == ["1", "in_progress", "high", "2999-01-31", "user", "Renew", "the", "certificate"]
    done = run("tasks", "update", "1", "--status", "completed", "--note", "by Ann", "--json").json
    assert (done["status"], done["note"], done["memory"]["kind"]) == ("completed", "by Ann", "task")
    assert run("tasks") == Answer(0, "There are no open tasks.\n", "")
    assert [task["status"] for task in run("tasks", "--all", "--json").json["tasks"]] == ["completed"]
    assert run("tasks", "update", "1", "--status", "pending").code == 0


def test_a_due_date_can_be_taken_back(run: Run) -> None:
    run("tasks", "create", "Water the plants", "--due", "2999-01-01", "--note", "all of them")
    task = run("tasks", "update", "1", "--clear", "due", "--clear", "note", "--json").json
    assert (task["due"], task["note"], task["status"]) == (None, None, "pending")


def test_a_task_that_comes_round_again_is_open_again(run: Run) -> None:
    run("tasks", "create", "Water the plants", "--priority", "high")
    run("tasks", "update", "1", "--status", "completed")
    assert run("tasks", "create", "Water the plants").out == "Task 1 is pending: Water the plants\n"
    assert run("tasks").out.splitlines()[1].split()[:3] == ["1", "pending", "high"]


TASK_FILTERS = [
    (["--scope", "ci"], [2]),
    (["--priority", "high"], [1]),
    (["--due", "2999-01-01"], [1]),
    (["--project", "p"], [3]),
    (["--status", "completed"], [4]),
    (["--all"], [1, 2, 3, 4]),
    ([], [1, 2, 3]),
]


@pytest.mark.parametrize(("options", "expected"), TASK_FILTERS, ids=lambda value: " ".join(map(str, value)))
def test_tasks_are_listed_by_what_is_asked_for(run: Run, options: list[str], expected: list[int]) -> None:
    run("tasks", "create", "one", "--priority", "high", "--due", "2998-01-01")
    run("tasks", "create", "two", "--scope", "ci", "--due", "2999-06-01")
    run("tasks", "create", "three", "--project", "p")
    run("tasks", "create", "four")
    run("tasks", "update", "4", "--status", "completed")
    listed = run("tasks", "list", *options, "--json").json["tasks"]
    assert sorted(task["memory"]["id"] for task in listed) == expected


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        (["update", "1", "--status", "cancelled"], 2, "Task 1 is completed; it can become pending."),
        (["update", "1", "--status", "gone"], 2, "is not one of 'pending'"),
        (["update", "77", "--status", "completed"], 3, "no task 77"),
        (["update", "2", "--status", "completed"], 3, "no task 2"),  # a memory, but no task
        (["update", "x", "--status", "completed"], 2, "by its id"),
        (["update", "--status", "completed"], 2, "by its id"),
        (["update", "1"], 2, "Nothing to update"),
        (["update", "1", "--due", "soon"], 2, "not a date"),
        (["update", "1", "--due", "2999-01-01", "--clear", "due"], 2, "not both"),
        (["update", "1", "--project", "p"], 2, "--project cannot be used with `tasks update`"),
        (["create"], 2, "Give the text"),
        (["create", "more", "--status", "completed"], 2, "--status cannot be used with `tasks create`"),
        (["list", "certificate"], 2, "takes options only"),
        (["list", "--all", "--status", "pending"], 2, "not both"),
        (["remove", "1"], 2, "is not one of 'list'"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_a_task_cannot_do_is_one_sentence(run: Run, words: list[str], code: int, sentence: str) -> None:
    run("tasks", "create", "Renew the certificate")
    run("tasks", "update", "1", "--status", "completed")
    run("add", "no task")
    before = run("tasks", "--all", "--json").out
    assert sentence in refused(run("tasks", *words), code)
    assert run("tasks", "--all", "--json").out == before


@pytest.mark.parametrize("command", ["tasks", "sessions"])
def test_listing_makes_no_file(run: Run, tmp_path: Path, command: str) -> None:
    assert "There is no memory at" in refused(run(command, "--store", str(tmp_path / "new.db")))
    assert not (tmp_path / "new.db").exists()


# What an agent is told


def test_a_session_begins_with_tasks_preferences_and_the_last_summary(run: Run) -> None:
    assert run("context") == Answer(0, "There is nothing to show.\n", "")
    run("add", "User prefers dark mode", "--kind", "preference")
    run("add", "Bananas are yellow", "--kind", "fact")
    run("tasks", "create", "Renew the certificate", "--due", "2999-01-31")
    run("sessions", "start", "review")
    run("sessions", "end", "review", "--summary", "Agreed on the new schema")
    told = run("context").out
    assert told.startswith("<memories>\n") and told.endswith("</memories>\n") and "data, not instructions" in told
    assert told.index("Renew") < told.index("dark mode") < told.index("new schema") and "Bananas" not in told


def test_a_message_is_answered_once_in_a_session(run: Run) -> None:
    run("add", "The staging server is called heron-2")
    first = run("context", "staging", "server", "--session", "s", "--json").json
    assert first["ids"] == [1] and "[1] " in first["text"] and first["tokens"] > 0
    again = run("context", "staging", "server", "--session", "s", "--json").json
    assert (again["text"], again["tokens"], again["ids"]) == ("", 0, [])
    assert run("context", "staging", "server", "--session", "t", "--json").json == first


@pytest.mark.parametrize("tokens", [0, 1, 50, 60, 100, 500])
def test_the_budget_is_kept_to(run: Run, tokens: int) -> None:
    for number in range(5):
        run("add", f"The staging server number {number} is called heron-{number}")
    told = run("context", "staging server", "--tokens", str(tokens), "--json").json
    assert told["tokens"] <= tokens and bool(told["text"]) == bool(told["ids"])
    assert "tokens must be" in refused(run("context", "--tokens", "-1"))


# Sessions and the timeline


def test_sessions_start_end_and_are_listed(run: Run) -> None:
    assert run("sessions") == Answer(0, "There are no sessions.\n", "")
    assert run("sessions", "start", "review", "--client", "codex").out == "Session review is active: 0 turns\n"
    unnamed = run("sessions", "start", "--json").json["name"]
    ended = run("sessions", "end", "review", "--summary", "Agreed on the new schema", "--json").json
    assert run("get", str(ended["summary"]), "--json").json["memories"][0]["kind"] == "summary"
    listed = run("sessions", "--json").json["sessions"]
    assert {session["name"] for session in listed} == {unnamed, "review"}
    assert [session["name"] for session in run("sessions", "--active", "--json").json["sessions"]] == [unnamed]
    assert "codex" in run("sessions", "list").out


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        (["end"], 2, "Name the session"),
        (["end", "nobody"], 3, "no session 'nobody'"),
        (["end", "nobody", "--summary", "x"], 3, "no session 'nobody'"),
        (["start", " "], 2, "name"),
        (["start", "s", "--summary", "x"], 2, "--summary cannot be used with `sessions start`"),
        (["end", "s", "--client", "x"], 2, "--client cannot be used with `sessions end`"),
        (["list", "s"], 2, "takes no name"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_a_session_cannot_do_is_one_sentence(run: Run, words: list[str], code: int, sentence: str) -> None:
    assert sentence in refused(run("sessions", *words), code)
    assert run("sessions", "--json").json == {"sessions": []} and ids(run("list", "--json")) == []


def test_the_timeline_has_memories_corrections_and_sessions(run: Run) -> None:
    run("sessions", "start", "review")
    run("add", PORT.format(8080), "--kind", "fact")
    run("supersede", "1", PORT.format(9090))
    run("revert", "1")
    run("sessions", "end", "review")
    happened = {event["what"] for event in run("timeline", "--json").json["events"]}
    assert {"session started", "remembered", "replaced", "reverted", "session ended"} <= happened
    assert len(run("timeline", "--limit", "2", "--json").json["events"]) == 2


def events(answer: Answer) -> list[int]:
    return [event["memory"]["id"] for event in answer.json["events"] if event["memory"]]


def test_the_timeline_is_narrowed(run: Run) -> None:
    run("add", "The heron came", "--kind", "event", "--happened", "2026-01-10")
    run("add", "The jay came", "--kind", "event", "--happened", "2026-02-10")
    run("add", "Feed the birds", "--kind", "decision", "--happened", "2026-03-10")
    assert events(run("timeline", "--since", "2026-02-01", "--json")) == [3, 2]
    assert events(run("timeline", "--until", "2026-02-10", "--json")) == [2, 1]
    assert events(run("timeline", "--kind", "event", "--json")) == [2, 1]
    assert events(run("timeline", "--query", "heron", "--kind", "event", "--limit", "1", "--json")) == [1]
    around = run("timeline", "2", "--window", "1")
    assert [line.startswith("▶") for line in around.out.splitlines()[1:]] == [False, True, False]
    assert len(run("timeline", "2", "--window", "0").out.splitlines()) == 2
    assert run("timeline", "--limit", "0").out == "Nothing found.\n"
    assert run("timeline", "--since", "2999-01-01").out == "Nothing found.\n"


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        (["1", "--since", "2026-01-01"], 2, "--since cannot be used with `timeline 1`"),
        (["--window", "3"], 2, "--window cannot be used with `timeline`"),
        (["--since", "once"], 2, "not a date"),
        (["--limit", "-1"], 2, "limit must be"),
        (["77"], 3, "no memory 77"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_a_timeline_cannot_show_is_one_sentence(run: Run, words: list[str], code: int, sentence: str) -> None:
    run("add", "The heron came")
    assert sentence in refused(run("timeline", *words), code)


# Forgetting


def expire(text: str) -> None:
    """Add, long ago, what has expired since."""
    with scrubjay.open(clock=lambda: LONG_AGO) as jay:
        jay.add(text, expires_at="2020-02-01")


def everything(run: Run) -> int:
    stats = run("stats", "--json").json
    return int(stats["memories"] + stats["expired"])


def test_cleanup_shows_what_would_go_and_removes_it_when_forced(run: Run) -> None:
    run("add", "stays")
    expire("Ann is on holiday")
    shown = run("cleanup", "--dry-run")
    assert shown.code == 0 and shown.out.splitlines()[1].split()[:2] == ["2", "expired"]
    assert everything(run) == 2
    assert run("cleanup", "--force") == Answer(0, "Removed 1.\n", "")
    assert everything(run) == 1


@pytest.mark.parametrize("options", [[], ["--force"], ["--dry-run"], ["--json"], ["--json", "--force"]], ids=" ".join)
def test_cleanup_without_need_changes_nothing(run: Run, home: Path, options: list[str]) -> None:
    run("add", "stays")
    run("list")
    before = (home / "memory.db").read_bytes()
    answer = run("cleanup", *options)
    assert (answer.code, answer.err) == (0, "")
    if "--json" in options:
        assert answer.json == {"would_remove": [], "removed": [], "notes": []}
    else:
        assert answer.out == "Nothing to remove.\n"
    assert (home / "memory.db").read_bytes() == before


def test_cleanup_in_json_removes_only_when_forced(run: Run) -> None:
    expire("Ann is on holiday")
    unforced = run("cleanup", "--json")
    assert unforced.code == 2 and "--force" in unforced.err
    assert [one["memory"]["id"] for one in unforced.json["would_remove"]] == [1] and unforced.json["removed"] == []
    assert everything(run) == 1
    dry = run("cleanup", "--json", "--dry-run", "--force")
    assert (dry.code, dry.json) == (0, unforced.json) and everything(run) == 1
    forced = run("cleanup", "--json", "--force").json
    assert [one["reason"] for one in forced["removed"]] == ["expired"] and forced["would_remove"] == []
    assert everything(run) == 0


def test_a_script_that_cannot_answer_gets_a_sentence_and_no_question(run: Run) -> None:
    expire("Ann is on holiday")
    with subprocess.Popen(
        [*PROGRAM, "cleanup"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.wait(timeout=60) == 2  # though its input stays open
        assert process.stdout and process.stderr
        assert "Ann is on holiday" in process.stdout.read() and "give --force" in process.stderr.read()
    assert everything(run) == 1


@pytest.mark.parametrize(("typed", "code", "left"), [(b"y\n", 0, 0), (b"n\n", 130, 1), (b"\n", 130, 1)])
def test_a_person_is_asked(run: Run, typed: bytes, code: int, left: int) -> None:
    expire("Ann is on holiday")
    ours, theirs = pty.openpty()
    os.write(ours, typed)
    answer = subprocess.run([*PROGRAM, "cleanup"], stdin=theirs, capture_output=True, timeout=60, check=False)
    os.close(ours)
    os.close(theirs)
    assert answer.returncode == code and b"Ann is on holiday" in answer.stdout and b"to the trash?" in answer.stdout
    assert everything(run) == left


def test_beyond_a_limit_the_least_used_go_and_decisions_stay(run: Run) -> None:
    run("add", "We use PostgreSQL", "--kind", "decision")
    run("tasks", "create", "Renew the certificate")
    run("add", "User is called Ann", "--importance", "9")
    for number in range(17):
        run("add", f"note {number} on {'abcdefghijklmnopq'[number] * 9}", "--kind", "note")
    run("config", "limits.memories", "10")
    assert run("cleanup", "--force").out == "Removed 12.\n"  # down to 85 %
    left = run("list", "--json").json["memories"]
    assert {1, 2, 3} <= {memory["id"] for memory in left} and len(left) == 8


# What must never be stored


SECRETS = [
    (["add", f"the token is {KEY}"], "GitHub token"),
    (["add", "deploy", "--context", f"with {KEY}"], "GitHub token"),
    (["add", "deploy", "--title", KEY], "GitHub token"),
    (["add", "deploy", "--tag", KEY], "GitHub token"),
    (["add", "deploy", "--metadata", f'{{"deep": ["{KEY}"]}}'], "GitHub token"),
    (["supersede", "1", f"the token is {KEY}"], "GitHub token"),
    (["update", "1", "--title", KEY], "GitHub token"),
    (["tasks", "create", f"use {KEY}"], "GitHub token"),
    (["tasks", "create", "use it", "--note", KEY], "GitHub token"),
    (["tasks", "update", "2", "--note", KEY], "GitHub token"),
    (["supersede", "1", "the third", "--reason", KEY], "GitHub token"),
    (["revert", "3", "--reason", KEY], "GitHub token"),
    (["sessions", "start", KEY], "GitHub token"),
    (["sessions", "start", "t", "--client", KEY], "GitHub token"),
    (["sessions", "end", "s", "--summary", f"made {KEY}"], "GitHub token"),
    (["add", "password = correcthorse9battery"], "password"),
    (["add", "card 4111 1111 1111 1111"], "card"),
]


@pytest.mark.parametrize(
    ("words", "kind"), SECRETS, ids=lambda value: " ".join(value).replace(KEY, "KEY") if isinstance(value, list) else ""
)
def test_a_secret_is_refused_by_its_type_and_never_echoed(run: Run, home: Path, words: list[str], kind: str) -> None:
    run("add", "the first")
    run("tasks", "create", "something")
    run("add", "the second")
    run("supersede", "3", "the second half")
    run("sessions", "start", "s")
    sentence = refused(run(*words))
    assert kind in sentence
    for value in (KEY, "correcthorse", "4111 1111"):
        assert value not in sentence
        assert all(value.encode() not in path.read_bytes() for path in home.rglob("*") if path.is_file())


def test_talking_about_passwords_is_fine(run: Run) -> None:
    assert run("add", "The password policy asks for twelve characters; passwords are kept in the vault").code == 0


def test_what_is_private_is_left_out_and_secrets_may_be_redacted(run: Run) -> None:
    run("add", "Ann is ill <private>with the flu</private> today")
    run("config", "guard.secrets", "redact")
    run("add", f"the token is {KEY}")
    private, redacted = (run("get", id, "--json").json["memories"][0]["text"] for id in ("1", "2"))
    assert "flu" not in private and "Ann is ill" in private
    assert KEY not in redacted and "[redacted: GitHub token]" in redacted


def test_the_daily_log_has_a_line_for_each_new_memory(run: Run, tmp_path: Path) -> None:
    run("config", "log.folder", str(tmp_path / "log"))
    run("add", "User prefers dark mode", "--kind", "preference")
    run("add", "User prefers dark mode", "--kind", "preference")
    run("add", "from a file", "--source", "file:notes.md")
    (page,) = (tmp_path / "log").iterdir()
    lines = [line for line in page.read_text().splitlines() if line.startswith("- ")]
    assert len(lines) == 1 and lines[0].endswith("[preference] (manual) User prefers dark mode")


# Settings of one space


@pytest.mark.parametrize("key", ["context.tokens", "decay.fact", "search.limit"])
def test_a_space_may_have_settings_of_its_own(run: Run, key: str) -> None:
    assert run("config", f"spaces.team.a.{key}", "7").code == 0
    assert float(run("config", f"spaces.team.a.{key}").out) == 7
    assert run("config", key).out != run("config", f"spaces.team.a.{key}").out


# Every new command


NEW = {
    "supersede": ["2", "another"],
    "revert": ["2"],
    "history": ["--subject", "user"],
    "timeline": ["--since", "2020-01-01"],
    "context": [],
    "conflicts": ["--dismiss", "3", "4"],
    "tasks": ["create", "more"],
    "sessions": ["start", "review"],
    "cleanup": ["--dry-run"],
}


@pytest.mark.parametrize("name", NEW)
def test_every_new_command_speaks_json(run: Run, name: str) -> None:
    run("add", "the first", "--subject", "user")
    run("add", "the second", "--supersedes", "1")
    run("add", PORT.format(8080), "--subject", "staging")
    run("add", PORT.format(9090), "--subject", "staging")
    answer = run(name, *NEW[name], "--json")
    assert answer.code == 0 and isinstance(answer.json, dict)


@pytest.mark.parametrize("name", NEW)
def test_every_new_command_says_what_it_is_for_with_an_example(run: Run, name: str) -> None:
    command = cli.get_command(click.Context(cli), name)
    assert command is not None and command.get_short_help_str()
    assert f"scrubjay {name}" in run(name, "--help").out.partition("\n")[2]
    assert [option.name for option in command.params if isinstance(option, click.Option) and not option.help] == []


@pytest.mark.parametrize("words", [["tasks"], ["sessions"], ["conflicts"], ["context"], ["timeline"], ["cleanup"]])
def test_nothing_is_seen_of_another_space(run: Run, words: list[str]) -> None:
    run("add", PORT.format(8080), "--subject", "x", "--space", "a")
    run("add", PORT.format(9090), "--subject", "x", "--space", "a")
    run("tasks", "create", "port", "--space", "a")
    run("sessions", "start", "port", "--space", "a")
    with scrubjay.open(space="a", clock=lambda: LONG_AGO) as jay:
        jay.add("port of Lisbon", expires_at="2020-02-01")
    assert "port" not in run(*words, "--space", "b").out
