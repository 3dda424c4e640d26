"""Which sources there are after a sync that went well, failed or was interrupted, and what is said meanwhile."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import scrubjay
from scrubjay import Scrubjay
from scrubjay.errors import Invalid
from scrubjay.interfaces.cli.shared.progress import Stages
from tests.support.commands import Run
from tests.support.conversations import claude
from tests.support.notes import lock_held, passages, synced, texts, write
from tests.support.processes import PATIENCE_SECONDS


@pytest.fixture
def notes(place: Path) -> Path:
    for name in ("a", "b", "c"):
        write(place / "notes" / f"{name}.md", f"The note {name}.\n")
    write(place / "notes" / "d.txt", "The note d.\n")
    return place / "notes"


def sources(run: Run) -> dict[str, list[str]]:
    return {source["name"]: source["include"] for source in run("sources", "--json").json["sources"]}


def documents(run: Run) -> int:
    return sum(level["documents"] for level in run("status", "--json").json["sources"])


# Widening


@pytest.mark.parametrize("file", ["notes/a.md", "notes/d.txt"])
def test_a_folder_given_after_one_of_its_files_is_read_whole(run: Run, notes: Path, file: str) -> None:
    run("sync", file)
    assert documents(run) == 1
    run("sync", "notes")
    assert documents(run) == (3 if file.endswith(".md") else 4)
    run("sync")
    assert documents(run) == (3 if file.endswith(".md") else 4)


def test_a_folder_given_after_its_memory_files_is_read_whole(run: Run, notes: Path, place: Path) -> None:
    write(place / "MEMORY.md", "Remember the milk.\n")
    run("sync")
    assert documents(run) == 1
    run("sync", ".")
    assert documents(run) == 4


def test_patterns_that_were_given_are_kept_when_the_folder_is_given_again(run: Run, notes: Path) -> None:
    run("sync", "notes", "--include", "[ab].md")
    run("sync", "notes")
    assert sources(run) == {"notes": ["[ab].md"]} and documents(run) == 2


def test_a_transcript_given_first_does_not_narrow_its_folder(run: Run, home: Path) -> None:
    path = claude(home, "When do I sow?", "In May.")
    other = path.with_name("other.jsonl")
    other.write_text(path.read_text().replace('"talk"', '"other"').replace("sow", "reap"))
    run("sync", str(path))
    assert documents(run) == 1
    run("sync", str(path.parent), "--client", "claude-code")
    assert documents(run) == 2


# Patterns


@pytest.mark.parametrize("option", ["--include", "--exclude"])
@pytest.mark.parametrize("pattern", ["[", "a[b", "[z-a]", "\\", "#notes", "/", " ", "../**", "a/../b.md", "x" * 1_001])
def test_a_pattern_that_means_nothing_is_refused_and_removes_nothing(
    run: Run, notes: Path, option: str, pattern: str
) -> None:
    run("sync", "notes")
    before = sources(run)
    done = run("sync", "notes", option, pattern)
    assert done.code == 2 and "pattern" in done.err
    assert (sources(run), documents(run)) == (before, 3)


def test_patterns_that_only_take_away_choose_nothing_and_are_refused(jay: Scrubjay, tmp_path: Path) -> None:
    with pytest.raises(Invalid, match="only exclude"):
        jay.sources.add(tmp_path, include=["!a.md"])
    assert jay.sources.list() == []


# Only on success


def test_what_fails_leaves_no_source_behind(run: Run, notes: Path, place: Path) -> None:
    for words in (
        ("notes", "nowhere"), ("notes", "--agents"), ("notes", "--git"), ("notes", "--include", "["),
        ("notes", "notes/a.md", "--client", "codex", "nowhere"),
    ):  # fmt: skip
        assert run("sync", *words).code == 2, words
        assert sources(run) == {} and run("stats", "--json").json["memories"] == 0, words


def test_what_fails_changes_no_source_that_was_there(run: Run, notes: Path) -> None:
    run("sync", "notes")
    before = sources(run)
    assert run("sync", "notes", "--include", "*.txt", "nowhere").code == 2
    assert (sources(run), documents(run)) == (before, 3)


def test_what_fails_takes_back_nothing_that_somebody_else_took_up_meanwhile(notes: Path, tmp_path: Path) -> None:
    write(notes / "more" / "e.md", "The note e.\n")
    write(notes / "sub" / "f.md", "The note f.\n")
    with scrubjay.open(tmp_path / "x.db", embedder="none") as one, scrubjay.open(tmp_path / "x.db") as other:
        with pytest.raises(RuntimeError), one.sources.taken_back_on_failure() as sources:
            sources.add(notes / "more")
            other.sources.add(notes / "sub", name="theirs")
            other.sync("theirs")
            raise RuntimeError("mine has failed")
        assert [source.name for source in one.sources.list()] == ["theirs"]
        assert one.list(kinds=["passage"])


def test_agents_that_are_not_agreed_to_leave_the_folder_out_as_well(run: Run, notes: Path, home: Path) -> None:
    claude(home, "When do I sow?", "In May.")
    assert run("sync", "notes", "--agents").code == 2 and sources(run) == {}
    assert run("sync", "notes", "--agents", "--yes").code == 0 and set(sources(run)) == {"notes", "claude-code"}


def test_a_sync_that_breaks_off_leaves_no_source_behind(run: Run, notes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("scrubjay.sources.sync.SyncRun.update", broken)
    assert run("sync", "notes").code == 1 and sources(run) == {}


def test_a_source_that_cannot_be_reached_is_no_success_and_loses_nothing(run: Run, notes: Path, place: Path) -> None:
    write(place / "other" / "e.md", "The note e.\n")
    run("sync", "notes", "other")
    notes.rename(place / "away")
    write(place / "other" / "f.md", "The note f.\n")
    done = run("sync")
    assert done.code == 1 and "does not exist. Its memories are kept" in done.out
    assert "Read 1 document" in done.out and documents(run) == 5
    assert run("sync", "--json").json["unread"][0][0] == "notes"


# Hidden names


def test_hidden_files_are_counted_and_it_is_said_how_to_read_them(run: Run, notes: Path) -> None:
    for name in (".github/x.md", ".y.md", "sub/.z.md", ".git/w.md", ".pic.png"):
        write(notes / name, f"The note {name}.\n")
    done = run("sync", "notes")
    assert "3 hidden files and folders were skipped" in done.err and "--include" in done.err
    assert run("sync", "--json").json["hidden"] == 3
    run("sync", "notes", "--include", "*.md", "--include", ".github/**/*.md")
    assert documents(run) == 4 and run("sync", "--json").json["hidden"] == 2
    run("sync", "notes", "--include", "*.md", "--include", ".*")
    assert documents(run) == 7 and run("sync", "--json").json["hidden"] == 0
    assert "hidden" not in run("sync").err


def test_a_hidden_name_gets_into_no_command(run: Run, notes: Path) -> None:
    write(notes / ".x'; touch pwned; '" / "a.md", "A note.\n")
    advice = run("sync", "notes").err.partition("name it: ")[2].splitlines()[0].removesuffix(".")
    assert shlex.split(advice) == ["--include", "*.md", "--include", ".x'; touch pwned; '/**/*.md"]


def test_a_hidden_file_that_is_given_is_read(run: Run, notes: Path) -> None:
    write(notes / ".y.md", "The hidden note.\n")
    run("sync", "notes/.y.md")
    assert documents(run) == 1 and "hidden note" in run("search", "hidden", "--full").out


def test_a_hidden_file_that_is_read_is_also_followed(jay: Scrubjay, tmp_path: Path) -> None:
    source = jay.sources.add(tmp_path, include=["*.md", ".notes/*.md"])
    assert jay.sources.touched([str(tmp_path / ".notes" / "a.md")]) == [source.name]
    assert jay.sources.touched([str(tmp_path / ".other" / "a.md")]) == []


# MEMORY.md


def test_memory_files_are_taken_up_beside_other_sources(run: Run, notes: Path, place: Path) -> None:
    subprocess.run(["git", "init", "-q", place], check=True, capture_output=True)
    run("sync", "--git")
    write(place / "MEMORY.md", "Remember the milk.\n")
    done = run("sync")
    assert "are now a source" in done.err and "work/MEMORY.md" in run("search", "milk").out
    assert "are now a source" not in run("sync").err


@pytest.mark.parametrize("first", ["a.md", "CLAUDE.md"])
def test_memory_files_are_taken_up_beside_a_single_file_of_the_same_folder(run: Run, place: Path, first: str) -> None:
    write(place / first, "Water the tomatoes.\n")
    write(place / "other.md", "Nobody asked for this.\n")
    run("sync", first)
    write(place / "MEMORY.md", "Remember the milk.\n")
    assert "are now a source" in run("sync").err and list(sources(run)) == ["work"]
    listed = run("list").out
    assert "work/MEMORY.md" in listed and f"work/{first}" in listed and "other.md" not in listed
    assert "are now a source" not in run("sync").err


def test_memory_files_are_not_added_to_patterns_that_somebody_chose(run: Run, place: Path) -> None:
    write(place / "garden.txt", "Water the tomatoes.\n")
    write(place / "MEMORY.md", "Remember the milk.\n")
    run("sync", ".", "--include", "*.txt")
    assert "are now a source" not in run("sync").err and "MEMORY" not in run("list").out


def test_memory_files_that_a_source_has_read_make_no_other(
    run: Run, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(place / "garden" / "MEMORY.md", "Remember the milk.\n")
    run("sync", ".")
    monkeypatch.chdir(place / "garden")
    run("sync")
    assert list(sources(run)) == ["work"]


# What is said meanwhile


def test_without_a_terminal_each_stage_says_how_far_it_is(run: Run, notes: Path) -> None:
    assert run("sync", "notes").err.splitlines() == ["Reading: 1 of 3 documents.", "Reading: 3 of 3 documents."]
    assert run("sync", "--force", "--json").err == ""


def test_without_a_terminal_a_long_stage_says_so_now_and_then(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = iter(range(0, 1_000, 4))
    monkeypatch.setattr("scrubjay.interfaces.cli.shared.progress.monotonic", lambda: float(next(now)))
    shown = Stages(quiet=False)
    reading = shown.of("Reading", "document")
    for done in range(1, 8):
        reading(done, 7)
    told = capsys.readouterr().err.splitlines()
    assert told[0] == "Reading: 1 of 7 documents." and told[-1] == "Reading: 7 of 7 documents." and 2 < len(told) < 7


def test_on_a_terminal_one_bar_ends_before_the_next_begins(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    shown = Stages(quiet=False)
    reading, embedding = shown.of("Reading", "documents"), shown.of("Embedding", "texts")
    for bar in (reading, embedding):
        for done in range(1, 4):
            bar(done, 3)
    shown.close()
    drawn = capsys.readouterr().err
    first, _, second = drawn.partition("\n")
    assert "Reading documents" in first and "3/3" in first and "Embedding" not in first
    assert "Embedding texts" in second and "3/3" in second and "Reading" not in second


SLOW = """
import signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # also if the tests were started in the background
from scrubjay.sources.markdown import reader
real = reader.Files.read
def slow(self, listed, before):
    yield from real(self, listed, before)
    if listed.name.endswith("c.md"):
        print("waiting", flush=True)
        time.sleep(60)
reader.Files.read = slow
from scrubjay.interfaces.cli import main
sys.argv = ["scrubjay", "sync", "notes"]
main()
"""


def test_an_interrupted_sync_keeps_what_was_read_and_says_that_it_goes_on(run: Run, notes: Path, place: Path) -> None:
    os.utime(notes / "c.md", (time.time() + 10, time.time() + 10))  # read last
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", SLOW], stdout=pipe, stderr=pipe, cwd=place, text=True) as child:
        assert child.stdout is not None and child.stdout.readline() == "waiting\n"
        child.send_signal(signal.SIGINT)
        _, err = child.communicate(timeout=PATIENCE_SECONDS)
    assert child.returncode == 130
    assert "Interrupted. What was read is kept; run `scrubjay sync` again to continue." in err
    assert documents(run) == 3 and list(sources(run)) == ["notes"]


def test_a_search_during_a_sync_says_that_it_is_under_way(jay: Scrubjay, path: Path, tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    write(folder / "a.md", "Apples are red.\n")
    synced(jay, folder)
    write(folder / "b.md", "Pears are green.\n")
    jay._staleness.forget()
    with lock_held(f"{path}.sync.lock"):
        (note,) = jay.search("apples").notes
        assert note.startswith("A sync is running") and "scrubjay sync" not in note
        assert jay.sync_on("session_start") is None
        assert jay.status().syncing
    jay._staleness.forget()
    assert "`scrubjay sync` updates it" in jay.search("apples").notes[0]
    assert jay.sync_on("session_start") is not None and texts(passages(jay)) == ["Apples are red.", "Pears are green."]


def test_json_tells_what_was_taken_up(run: Run, notes: Path) -> None:
    told = json.loads(run("sync", "notes", "--json").out)
    assert (told["read"], told["hidden"], told["unread"]) == (3, 0, [])


def test_a_folder_in_the_place_of_a_sources_name_is_refused_with_a_sentence(jay: Scrubjay, notes: Path) -> None:
    jay.sources.add(notes)
    for call in (jay.sync, jay.sources.remove):
        with pytest.raises(Invalid, match="by its name"):
            call(notes)  # type: ignore[arg-type]
    assert jay.sync("notes").changed.added == 3
