"""Sources through the command line, as a person uses them."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.support.commands import Run
from tests.support.conversations import claude

DEPLOY = "# Deploys\n\nWe ship on Thursdays.\n\n## Rollback\n\nPress the blue button.\n"


@pytest.fixture
def notes(place: Path) -> Path:
    folder = place / "notes"
    folder.mkdir()
    (folder / "deploy.md").write_text(DEPLOY)
    return folder


def test_a_folder_is_taken_up_searched_and_read_around(run: Run, notes: Path) -> None:
    done = run("sync", "notes")
    assert (done.code, done.out) == (0, "Read 1 document, 0 unchanged; 1 added, 0 removed; 1 without a vector.\n")
    assert "notes/deploy.md:1-7  Deploys" in run("search", "blue button").out
    assert run("get", "1", "--around", "1").out.splitlines()[0] == "notes/deploy.md, lines 1 to 7 of 7"
    assert run("get", "notes/deploy.md", "--from", "3", "--lines", "1").out.splitlines()[1:] == [
        "3  We ship on Thursdays."
    ]
    assert run("sync").out == "Read 0 documents, 1 unchanged; 1 without a vector.\n"


def test_json_tells_the_same_of_a_sync(run: Run, notes: Path) -> None:
    done = run("sync", "notes", "--json").json
    assert (done["read"], done["changed"], done["skipped"]) == (1, {"added": 1, "kept": 0, "removed": 0}, [])
    hit = run("search", "button", "--json").json["results"][0]
    assert (hit["document"], hit["lines"]) == ("notes/deploy.md", [1, 7])
    (excerpt,) = run("get", "notes/deploy.md", "--json").json["excerpts"]
    assert (excerpt["first"], excerpt["last"], excerpt["total"]) == (1, 7, 7)


def test_status_tells_what_is_behind(run: Run, notes: Path) -> None:
    assert run("status").out == "There is no source yet; `scrubjay sync FOLDER` adds one.\n"
    run("sync", "notes")
    (notes / "new.md").write_text("something else")
    (notes / "deploy.md").write_text(DEPLOY + "\nAnd call Ann.\n")
    (level,) = run("status", "--json").json["sources"]
    assert (level["new"], level["changed"], level["gone"]) == (1, 1, 0)
    assert "2 documents have changed" in run("search", "ship").err
    (notes / "deploy.md").unlink()
    assert run("status", "--json").json["behind"] == 2


def test_what_is_left_out_is_named(run: Run, notes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCRUBJAY_SYNC_MAX_FILE_BYTES", "100")
    (notes / "long.md").write_text("long " * 100)
    out = run("sync", "notes").out
    assert f"Skipped {notes / 'long.md'}: It has 500 bytes; the limit is 100" in out


def test_without_a_folder_the_memory_files_of_this_one_are_taken_up(run: Run, place: Path) -> None:
    nothing = run("sync")
    assert nothing.code == 2 and "There is nothing to sync yet" in nothing.err
    (place / "memory").mkdir()
    (place / "memory" / "ann.md").write_text("Ann likes tea")
    (place / "other.md").write_text("not a memory")
    assert run("sync", "--json").json["read"] == 1
    assert "memory/ann.md" in run("search", "tea").out


def test_patterns_choose_the_files(run: Run, notes: Path) -> None:
    (notes / "drafts").mkdir()
    (notes / "drafts" / "idea.md").write_text("an idea")
    (notes / "list.txt").write_text("a list")
    run("sync", "notes", "--include", "*.txt", "--include", "*.md", "--exclude", "drafts/")
    (source,) = run("sources", "--json").json["sources"]
    assert (source["include"], source["exclude"]) == (["*.txt", "*.md"], ["drafts/"])
    assert run("status", "--json").json["sources"][0]["documents"] == 2


def test_a_source_can_be_forgotten(run: Run, notes: Path) -> None:
    run("sync", "notes")
    assert run("sources", "remove", "notes").out == "Removed notes and its 1 memory.\n"
    assert (
        run("sources").out == "There is no source yet; `scrubjay sync FOLDER` adds one.\n"
        and run("list").out == "Nothing found.\n"
    )
    assert (notes / "deploy.md").read_text() == DEPLOY
    assert run("sources", "remove", "notes").code == 3
    assert "Name the source" in run("sources", "remove").err
    assert "takes no name" in run("sources", "list", "notes").err


def test_what_is_about_a_folder_is_refused_without_one(run: Run, place: Path) -> None:
    (place / "MEMORY.md").write_text("Ann likes tea")
    for option, value in (("client", "codex"), ("include", "*.txt"), ("exclude", "drafts/")):
        for with_it in ([], ["--agents", "--yes"], ["--git"]):
            refused = run("sync", f"--{option}", value, *with_it)
            assert refused.code == 2 and f"`scrubjay sync FOLDER --{option}`" in refused.err
    assert "`scrubjay sync FOLDER --ignored`" in run("sync", "--ignored").err


def test_agents_are_shown_before_their_conversations_are_read(run: Run, home: Path) -> None:
    for asked in (["--agents"], [".", "--agents", "--client", "codex"]):
        refused = run("sync", *asked).err
        assert "No conversations were found" in refused and "`scrubjay sync FOLDER --client NAME`" in refused
    claude(home, "Which port is it?", "It is 8080.")
    shown = run("sync", "--agents")
    assert shown.code == 2 and "claude-code" in shown.out and "give --yes" in shown.err
    assert run("sources").out == "There is no source yet; `scrubjay sync FOLDER` adds one.\n"
    done = run("sync", "--agents", "--yes", "--json").json
    assert done["changed"]["added"] == 2
    assert run("sync", "--agents", "--json").json["read"] == 0


def test_turns_are_found_with_those_around_them(run: Run, home: Path) -> None:
    claude(home, "Which port is it?", "It is 8080.", "Thanks")
    run("sync", "--agents", "--yes")
    found = run("turns", "search", "8080", "--speaker", "assistant").out.splitlines()
    assert found[0].endswith("session talk")
    assert found[1:] == ["  user: Which port is it?", "▶ assistant: It is 8080.", "  user: Thanks"]
    assert run("turns", "search", "8080", "--until", "2026-04-01").out == "Nothing found.\n"


def test_a_corrected_turn_is_marked_wherever_its_text_is_shown(run: Run) -> None:
    run("turns", "add", "--user", "Which port does staging use?", "--agent", "It is 9090", "--session", "review")
    run("supersede", "2", "Staging uses port 7070")
    assert "  (replaced by 3) assistant: It is 9090" in run("turns", "search", "staging port").out.splitlines()
    around = run("get", "1", "--around", "1")
    assert "[2] (replaced by 3) assistant: It is 9090" in around.out.splitlines()
    told = run("get", "1", "--around", "1", "--json").json["excerpts"][0]["text"]
    assert told == "user: Which port does staging use?\n\n(replaced by 3) assistant: It is 9090"
    for command in (["list", "--session", "review"], ["list", "--include-superseded"], ["timeline", "1"], ["timeline"]):
        (shown,) = [line for line in run(*command).out.splitlines() if "It is 9090" in line]
        assert "(replaced by 3)" in shown, command
    assert "(replaced by 3)" not in run("history", "2").out


def test_turns_that_are_less_likely_stand_below_a_line(run: Run) -> None:
    run("turns", "add", "--user", "Which port does staging use?", "--agent", "It is 9090.", "--session", "review")
    run("turns", "add", "--user", "My cat likes the port", "--agent", "Fish is healthy.", "--session", "review")
    above, line, below = run("turns", "search", "which port does staging use").out.partition("--- less likely ---")
    assert "▶ user: Which port" in above and line
    assert "▶ user: My cat" in below and "▶ user: Which port" not in below


def test_an_exchange_is_remembered_as_two_turns(run: Run) -> None:
    added = run(
        "turns", "add", "--user", "Which port?", "--agent", "8080", "--session", "review", "--tag", "infra", "--json"
    )
    sides = [(turn["speaker"], turn["text"], turn["trust"], turn["tags"]) for turn in added.json["turns"]]
    assert sides == [("user", "Which port?", "user", ["infra"]), ("assistant", "8080", "agent", ["infra"])]
    assert "session" in run("turns", "add", "--user", "a", "--agent", "b").out
    assert "Give both sides" in run("turns", "add", "--user", "a").err
    assert "cannot be used with `turns add`" in run("turns", "add", "--user", "a", "--agent", "b", "--limit", "3").err


def test_a_session_is_exported_as_a_page(run: Run) -> None:
    run("turns", "add", "--user", "Which port?", "--agent", "8080", "--session", "review")
    page = run("sessions", "export", "review").out
    assert page.startswith("# review\n") and page.index("**user**") < page.index("Which port?") < page.index("8080")
    assert [turn["text"] for turn in run("sessions", "export", "review", "--json").json["turns"]] == [
        "Which port?",
        "8080",
    ]
    assert run("sessions", "export", "other").code == 3
    assert "Name the session to export" in run("sessions", "export").err


def test_what_a_headless_run_prints_is_captured_once(run: Run) -> None:
    lines = [
        {"type": "init", "session_id": "s1"},
        {"type": "message", "role": "user", "content": "hello"},
        {"type": "message", "role": "assistant", "content": "good day", "delta": True},
        {"type": "result", "status": "success"},
    ]
    stream = "\n".join(map(json.dumps, lines)).encode()
    assert run("capture", "--client", "gemini", stdin=stream).out == "Remembered 2 turns.\n"
    assert run("capture", "--client", "gemini", stdin=stream).out == "Nothing new: all of it was stored before.\n"
    assert (
        run("capture", "--client", "gemini", "--session", "s2", stdin=b"Just an answer.").out == "Remembered 1 turn.\n"
    )
    assert "There is no conversation in this" in run("capture", "--client", "codex", stdin=b"  \n").err
    assert run("capture", "--client", "nobody").code == 2


def test_commits_are_remembered_with_their_reasons(run: Run, place: Path) -> None:
    def git(*words: str) -> None:
        identity = ("-c", "user.name=Ann", "-c", "user.email=ann@example.org")
        subprocess.run(["git", "-C", str(place), *identity, *words], check=True, capture_output=True)

    assert "is not in a git repository" in run("sync", "--git").err
    git("init", "-q")
    git("commit", "-q", "--allow-empty", "-m", "Use port 8080\n\nBecause 80 needs root.")
    assert run("sync", "--git", "--json").json["changed"]["added"] == 1
    (change,) = run("list", "--kind", "change", "--json").json["memories"]
    assert change["text"] == "Use port 8080\n\nBecause 80 needs root." and change["source"].startswith("commit:")
    git("commit", "-q", "--allow-empty", "-m", "Use port 9090")
    assert run("sync", "--json").json["changed"]["added"] == 1


@pytest.mark.parametrize(
    "name", ["../../etc/passwd", "/etc/passwd", "notes/../../etc/passwd", "notes", "", "notes/x\x00y"]
)
def test_no_name_leads_out_of_a_source(run: Run, notes: Path, name: str) -> None:
    run("sync", "notes")
    answer = run("get", name)
    assert answer.code == 3 and "There is no document" in answer.err and "root:" not in answer.out


def test_options_that_make_no_sense_are_refused(run: Run, notes: Path) -> None:
    run("sync", "notes")
    assert "need a document's name" in run("get", "1", "--lines", "3").err
    assert "there is nothing at 99" in run("get", "notes/deploy.md", "--from", "99").err
    assert "There is no folder or file" in run("sync", "nowhere").err


def test_a_search_answers_first_and_then_brings_the_sources_level(
    run: Run, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("sync", "notes")
    monkeypatch.setenv("SCRUBJAY_SYNC_ON_SEARCH", "true")
    (notes / "tea.md").write_text("Ann likes tea")
    first = run("search", "tea")
    assert "tea.md" not in first.out and "out of date" in first.err
    assert "tea.md" in run("search", "tea").out


def test_a_session_that_starts_brings_the_sources_level(run: Run, notes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run("sync", "notes")
    (notes / "tea.md").write_text("Ann likes tea")
    monkeypatch.setenv("SCRUBJAY_SYNC_ON_SESSION_START", "off")
    run("sessions", "start", "one")
    assert run("status", "--json").json["behind"] == 1
    monkeypatch.delenv("SCRUBJAY_SYNC_ON_SESSION_START")
    run("sessions", "start", "two")
    assert run("status", "--json").json["behind"] == 0
