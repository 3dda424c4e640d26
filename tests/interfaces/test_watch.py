"""Following sources: what changes while a program runs on is found without being asked for."""

from __future__ import annotations

import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import scrubjay
from scrubjay import Scrubjay, ScrubjayError
from scrubjay.interfaces import watch
from scrubjay.interfaces.watch import follow
from scrubjay.types.documents import Synced
from tests.support.conversations import sayings, talk, turns
from tests.support.notes import passages, texts
from tests.support.processes import until, watching

PATIENCE_SECONDS = 60


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    return folder


@pytest.fixture(autouse=True)
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCRUBJAY_SYNC_DEBOUNCE_MS", "60")
    monkeypatch.setattr(watch, "TICK_MS", 100)


Reports = list[Synced | ScrubjayError]


@contextmanager
def following(path: Path, poll: bool = False) -> Iterator[Reports]:
    """Follow the sources in a thread of their own; what it reported."""
    stop, reports = threading.Event(), Reports()
    with scrubjay.open(path, embedder="hashing") as own:
        thread = threading.Thread(target=follow, args=(own, stop, reports.append, poll), daemon=True)
        thread.start()
        try:
            until(lambda: reports)
            yield reports
        finally:
            stop.set()
            thread.join(PATIENCE_SECONDS)
        assert not thread.is_alive()


def told(jay: Scrubjay) -> list[str]:
    return sorted(texts(passages(jay)))


@pytest.mark.parametrize("poll", [False, True])
def test_files_are_followed_as_they_come_change_and_go(jay: Scrubjay, path: Path, notes: Path, poll: bool) -> None:
    (notes / "a.md").write_text("Apples are red.\n")
    jay.sources.add(notes)
    with following(path, poll) as reports:
        assert told(jay) == ["Apples are red."]
        (notes / "b.md").write_text("Pears are green.\n")
        until(lambda: told(jay) == ["Apples are red.", "Pears are green."])
        (notes / "a.md").write_text("Apples are sweet.\n")
        until(lambda: told(jay) == ["Apples are sweet.", "Pears are green."])
        (notes / "b.md").rename(notes / "c.md")
        until(lambda: "notes/c.md" in {passage.document for passage in passages(jay)})
        (notes / "a.md").unlink()
        until(lambda: told(jay) == ["Pears are green."])
        (notes / "sub").mkdir()
        (notes / "sub" / "d.md").write_text("Plums are blue.\n")
        until(lambda: told(jay) == ["Pears are green.", "Plums are blue."])
        until(lambda: jay.status().without_vector == 0)
    assert not any(isinstance(report, ScrubjayError) for report in reports)
    assert jay.check(deep=True).problems == []


def test_transcripts_are_followed_as_they_grow(jay: Scrubjay, path: Path, tmp_path: Path) -> None:
    file = tmp_path / "logs" / "s1.jsonl"
    file.parent.mkdir()
    file.write_bytes(talk(2))
    jay.sources.add(file.parent, kind="transcripts")
    with following(path):
        for count in (3, 4, 7):
            with file.open("ab") as log:
                known = len(turns(jay))
                log.write(talk(count - known, first=known))
            until(lambda count=count: texts(turns(jay)) == sayings(*range(count)))  # type: ignore[misc]


def test_commits_are_followed(jay: Scrubjay, path: Path, tmp_path: Path) -> None:
    def commit(message: str) -> None:
        identity = ["-c", "user.name=Ann", "-c", "user.email=ann@example.com"]
        command = ["git", "-C", str(tmp_path / "shed"), *identity, "commit", "-q", "--allow-empty", "-m", message]
        subprocess.run(command, check=True, capture_output=True)

    subprocess.run(["git", "init", "-q", str(tmp_path / "shed")], check=True, capture_output=True)
    commit("Paint the shed")
    jay.sources.add(tmp_path / "shed", kind="git")
    with following(path):
        commit("Mow the lawn")
        until(lambda: {memory.text for memory in jay.list()} == {"Paint the shed", "Mow the lawn"})


def test_a_source_that_another_process_takes_up_is_followed_too(
    jay: Scrubjay, path: Path, notes: Path, tmp_path: Path
) -> None:
    with following(path):  # with no source at all
        jay.sources.add(notes)
        (notes / "a.md").write_text("Apples are red.\n")
        until(lambda: told(jay) == ["Apples are red."])
        other = tmp_path / "other"
        other.mkdir()
        jay.sources.add(other)
        time.sleep(0.3)
        (other / "b.md").write_text("Pears are green.\n")
        until(lambda: told(jay) == ["Apples are red.", "Pears are green."])
        jay.sources.remove("notes")
        (notes / "a.md").write_text("Apples are sweet.\n")
        (other / "c.md").write_text("Plums are blue.\n")
        until(lambda: told(jay) == ["Pears are green.", "Plums are blue."])


def test_what_a_source_holds_already_is_read_when_it_is_taken_up(jay: Scrubjay, path: Path, notes: Path) -> None:
    (notes / "a.md").write_text("Apples are red.\n")
    with following(path):
        jay.sources.add(notes)
        until(lambda: told(jay) == ["Apples are red."])


def test_a_folder_that_vanishes_is_no_end(jay: Scrubjay, path: Path, notes: Path, tmp_path: Path) -> None:
    (notes / "a.md").write_text("Apples are red.\n")
    other = tmp_path / "other"
    other.mkdir()
    jay.sources.add(notes)
    jay.sources.add(other)
    with following(path):
        notes.rename(tmp_path / "unmounted")
        (other / "b.md").write_text("Pears are green.\n")
        until(lambda: told(jay) == ["Apples are red.", "Pears are green."])
        (tmp_path / "unmounted").rename(notes)
        time.sleep(0.3)
        (notes / "c.md").write_text("Plums are blue.\n")
        until(lambda: told(jay) == ["Apples are red.", "Pears are green.", "Plums are blue."])


def test_a_failure_is_told_and_does_not_end_it(
    jay: Scrubjay, path: Path, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    jay.sources.add(notes)
    with following(path) as reports:
        sync = Scrubjay.sync

        def failing(self: Scrubjay, *names: str, **how: Any) -> Synced:
            raise ScrubjayError("The disk is full.")

        monkeypatch.setattr(Scrubjay, "sync", failing)
        (notes / "a.md").write_text("Apples are red.\n")
        until(lambda: any(isinstance(report, ScrubjayError) for report in reports))
        monkeypatch.setattr(Scrubjay, "sync", sync)
        (notes / "b.md").write_text("Pears are green.\n")
        until(lambda: told(jay) == ["Apples are red.", "Pears are green."])


def test_files_that_do_not_matter_wake_nobody(jay: Scrubjay, path: Path, notes: Path) -> None:
    (notes / ".obsidian").mkdir()
    jay.sources.add(notes)
    with following(path) as reports:
        until(lambda: len(reports) == 2)  # before, and once it is told of changes
        (notes / ".obsidian" / "workspace.md").write_text("{}")
        time.sleep(0.4)
        assert len(reports) == 2


def test_a_small_growth_of_a_transcript_waits(
    jay: Scrubjay, path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCRUBJAY_SYNC_TRANSCRIPT_MESSAGES", "3")
    monkeypatch.setenv("SCRUBJAY_SYNC_TRANSCRIPT_BYTES", "5000")
    file = tmp_path / "logs" / "s1.jsonl"
    file.parent.mkdir()
    file.write_bytes(talk(2))
    jay.sources.add(file.parent, kind="transcripts", name="logs")
    jay.sync()
    with following(path) as reports:
        until(lambda: len(reports) == 2)
        with file.open("ab") as log:
            log.write(talk(2, first=2))
        time.sleep(0.4)
        assert len(reports) == 2
        with file.open("ab") as log:
            log.write(talk(1, first=4))
        until(lambda: texts(turns(jay)) == sayings(*range(5)))
    assert jay.sources.touched([str(file)], 5000, 3) == []
    file.write_bytes(file.read_bytes() + b" " * 6000)
    assert jay.sources.touched([str(file)], 5000, 3) == ["logs"]
    assert jay.sources.touched([str(tmp_path / "logs-too" / "x.jsonl")]) == []


def test_it_looks_anyway_from_time_to_time(
    jay: Scrubjay, path: Path, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCRUBJAY_SYNC_INTERVAL_MINUTES", "1")
    jay.sources.add(notes)
    hours = iter(range(10**6))
    monkeypatch.setattr(watch, "monotonic", lambda: next(hours) * 3600.0)
    with following(path) as reports:
        until(lambda: len(reports) > 3)


@pytest.mark.parametrize("by", [signal.SIGTERM, signal.SIGINT])
def test_a_process_that_watches_ends_well_when_it_is_told_to(
    jay: Scrubjay, path: Path, notes: Path, by: signal.Signals
) -> None:
    (notes / "a.md").write_text("Apples are red.\n")
    jay.sources.add(notes)
    with watching(path) as child:
        until(lambda: told(jay) == ["Apples are red."])
        (notes / "b.md").write_text("Pears are green.\n")
        until(lambda: told(jay) == ["Apples are red.", "Pears are green."])
        child.send_signal(by)
        out, err = child.communicate(timeout=PATIENCE_SECONDS)
        assert child.returncode == 0, err
        assert "Traceback" not in out + err and "Watching 1 source." in err
