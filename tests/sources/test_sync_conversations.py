"""Transcripts: what was said is remembered once, in order, however its file grows, moves or is copied."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import zstandard

import scrubjay
from scrubjay import Scrubjay
from scrubjay.sources import transcripts
from scrubjay.sources.transcripts import jsonl, reader
from scrubjay.sources.transcripts.parser import open_parser
from scrubjay.types import Memory
from scrubjay.types.documents import Synced
from tests.support.conversations import BEGUN, said, sayings, talk, turns
from tests.support.notes import TOKEN, state, write

DATA = Path(__file__).parents[1] / "data" / "transcripts"


def undated(*words: str) -> bytes:
    """Lines as Cursor writes them: without times."""
    return b"".join(
        json.dumps({"role": "user", "message": {"content": [{"type": "text", "text": text}]}}).encode() + b"\n"
        for text in words
    )


def texts(memories: Sequence[Memory]) -> list[str]:
    return [memory.text for memory in memories]


@pytest.fixture
def logs(tmp_path: Path, jay: Scrubjay) -> Path:
    folder = tmp_path / "logs"
    folder.mkdir()
    jay.sources.add(folder, kind="transcripts", name="logs")
    return folder


def test_turns_know_their_speaker_session_order_and_how_far_to_trust_them(jay: Scrubjay, logs: Path) -> None:
    write(logs / "s1.jsonl", talk(6))
    done = jay.sync()
    assert (done.changed.added, done.remaining) == (6, 0)
    found = turns(jay)
    assert texts(found) == sayings(*range(6)) and [turn.position for turn in found] == list(range(6))
    assert [turn.trust for turn in found] == ["user", "external"] * 3
    assert [turn.speaker for turn in found] == ["user", "assistant"] * 3
    assert {(turn.session, turn.source, turn.client) for turn in found} == {("s1", "session:s1", "claude-code")}
    assert found[3].happened_at == BEGUN + timedelta(seconds=3)
    around = jay.excerpt(found[3].id, around=1)
    assert texts(around.memories) == sayings(2, 3, 4)
    assert texts(list(jay.search_turns("saying 3 apples", limit=1)[0].neighbours)) == sayings(2, 4)


def test_in_a_chat_anybody_may_be_the_user(jay: Scrubjay, tmp_path: Path) -> None:
    write(tmp_path / "claws" / "s.jsonl", (DATA / "openclaw.jsonl").read_bytes())
    jay.sources.add(tmp_path / "claws", kind="transcripts", client="openclaw")
    jay.sync()
    assert {turn.speaker for turn in turns(jay)} == {"user", "assistant"}
    assert {turn.trust for turn in turns(jay)} == {"external"}


def test_the_project_is_that_of_the_folder_the_agent_worked_in(jay: Scrubjay, logs: Path, tmp_path: Path) -> None:
    work = tmp_path / "garden"
    (work / ".git").mkdir(parents=True)
    (work / "beds").mkdir()
    (work / ".git" / "config").write_text('[remote "origin"]\n\turl = git@example.com:ann/garden.git\n')
    write(logs / "s1.jsonl", said(1, "When do I sow?", cwd=str(work / "beds")) + said(2, "No more.", cwd="/no\0where"))
    jay.sync()
    assert [turn.project for turn in turns(jay)] == ["example.com/ann/garden", None]


def test_a_folder_that_excludes_itself_is_left_out_and_the_report_says_so(
    jay: Scrubjay, logs: Path, tmp_path: Path
) -> None:
    (tmp_path / "client-work" / "src").mkdir(parents=True)
    (tmp_path / "client-work" / ".scrubjay-ignore").touch()
    inside = said(1, "The launch is in May", cwd=str(tmp_path / "client-work" / "src"))
    write(logs / "s1.jsonl", inside + said(2, "I sow beans in June", cwd=str(tmp_path)))
    done = jay.sync()
    assert texts(turns(jay)) == ["I sow beans in June"]
    assert any(".scrubjay-ignore excludes the folder" in skipped.reason for skipped in done.skipped)


@pytest.mark.parametrize("name", ["claude-code", "codex", "cursor", "gemini", "openclaw"])
def test_each_client_is_known_by_what_it_writes(jay: Scrubjay, logs: Path, name: str) -> None:
    write(logs / "x.jsonl", (DATA / f"{name}.jsonl").read_bytes())
    write(logs / "strange.jsonl", b'{"what": "is this?"}\n')
    done = jay.sync()
    assert {turn.client for turn in turns(jay)} == {name}
    assert "not in the format of a known client" in next(
        s.reason for s in done.skipped if s.path.endswith("strange.jsonl")
    )


def test_what_is_appended_costs_in_proportion(jay: Scrubjay, logs: Path) -> None:
    file = write(logs / "s1.jsonl", talk(500))
    jay.sync()
    more = talk(2, first=500)
    write(file, file.read_bytes() + more)
    done = jay.sync()
    assert (done.bytes, done.changed.added, done.embedded) == (len(more), 2, 2)
    assert texts(turns(jay)) == sayings(*range(502))
    write(file, file.read_bytes())
    assert (jay.sync().bytes, jay.sync().read) == (0, 0)


@pytest.mark.parametrize("missing", [2, 30, 100, len(talk(1)) - 1])
def test_a_line_that_is_half_written_waits(jay: Scrubjay, logs: Path, missing: int) -> None:
    file = write(logs / "s1.jsonl", talk(3)[:-missing])
    assert jay.sync().skipped == ()
    assert texts(turns(jay)) == sayings(0, 1)
    write(file, talk(3))
    jay.sync()
    assert texts(turns(jay)) == sayings(0, 1, 2)


def test_a_last_line_without_its_end_is_told_once(jay: Scrubjay, logs: Path) -> None:
    file = write(logs / "s1.jsonl", talk(3).rstrip(b"\n"))
    jay.sync()
    assert texts(turns(jay)) == sayings(0, 1, 2)
    write(file, talk(4))
    assert jay.sync().skipped == ()
    assert texts(turns(jay)) == sayings(0, 1, 2, 3)


def test_bad_lines_are_told_and_do_no_harm(jay: Scrubjay, logs: Path) -> None:
    write(logs / "s1.jsonl", talk(1) + b'{"broken\n\xff\xfe\n[1, 2]\n' + b"{" * 5000 + b"\n" + talk(1, first=1))
    done = jay.sync()
    assert [skipped.reason for skipped in done.skipped] == ["4 of its lines are not records."]
    assert texts(turns(jay)) == sayings(0, 1)


def test_lines_longer_than_a_stretch_are_read(jay: Scrubjay, logs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "STRETCH_BYTES", 700)
    image = json.dumps({"type": "user", "sessionId": "s1", "uuid": "i", "message": {"content": "x" * 9000}})
    write(logs / "s1.jsonl", talk(5) + image.encode() + b"\n" + talk(5, first=5))
    jay.sync()
    assert [text for text in texts(turns(jay)) if len(text) < 100] == sayings(*range(10))
    assert jay.sync().read == 0


def test_a_run_that_stops_within_a_file_goes_on_there(
    jay: Scrubjay, logs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reader, "STRETCH_BYTES", 2_000)
    monkeypatch.setattr("scrubjay.sources.sync.MEMORIES_AT_ONCE", 5)
    file = write(logs / "s1.jsonl", talk(100))
    read = transcripts.read
    calls = iter(range(8))

    def failing(*given: Any) -> Any:
        next(calls)  # runs out, as a disk may
        return read(*given)

    with monkeypatch.context() as patched:
        patched.setattr(transcripts, "read", failing)
        done = jay.sync()
    assert len(done.skipped) == 1 and 0 < len(turns(jay)) < 100
    again = jay.sync()
    assert 0 < again.bytes < file.stat().st_size
    assert texts(turns(jay)) == sayings(*range(100))


def test_a_transcript_that_was_cut_short_starts_over(jay: Scrubjay, logs: Path) -> None:
    file = write(logs / "s1.jsonl", talk(10))
    jay.sync()
    write(file, talk(4))
    jay.sync()
    assert texts(turns(jay)) == sayings(*range(10))
    write(file, talk(4) + talk(1, first=10))
    jay.sync()
    assert texts(turns(jay)) == sayings(*range(11))


def test_a_transcript_that_was_rotated_starts_over(jay: Scrubjay, logs: Path) -> None:
    file = write(logs / "log.jsonl", talk(4))
    jay.sync()
    file.rename(logs / "log.jsonl.1")
    write(file, talk(6, session="s2", first=20))
    jay.sync()
    assert texts(turns(jay, "s1")) == sayings(*range(4))
    assert texts(turns(jay, "s2")) == sayings(*range(20, 26))


def test_the_same_words_said_again_are_said_again(jay: Scrubjay, logs: Path) -> None:
    file = write(logs / "s1.jsonl", said(1, "yes") + said(2, "yes") + said(3, "no") + said(4, "yes"))
    jay.sync()
    write(file, file.read_bytes() + said(5, "yes"))
    jay.sync()
    file.rename(logs / "moved.jsonl")
    write(logs / "moved.jsonl", (logs / "moved.jsonl").read_bytes() + said(6, "yes"))
    jay.sync()
    assert texts(turns(jay)) == ["yes", "yes", "no", "yes", "yes", "yes"]


@pytest.mark.parametrize("suffix", [".reset.2026-05-02T10-00-00", ".deleted.2026-05-02T10-00-00", ".zst", ".copy"])
def test_a_transcript_that_was_put_away_is_not_told_twice(jay: Scrubjay, logs: Path, suffix: str) -> None:
    file = write(logs / "s1.jsonl", talk(6))
    jay.sync()
    before = turns(jay)
    data = file.read_bytes()
    if suffix != ".copy":
        file.unlink()
    write(logs / f"s1.jsonl{suffix}", zstandard.compress(data) if suffix == ".zst" else data)
    done = jay.sync()
    assert (done.changed.added, done.embedded, done.skipped) == (0, 0, ())
    assert turns(jay) == before and jay.status().behind == 0


def test_a_packed_transcript_is_read(jay: Scrubjay, logs: Path) -> None:
    write(logs / "a.jsonl.zst", zstandard.compress(talk(4)))
    write(logs / "b.jsonl.zst", b"no such thing")
    done = jay.sync()
    assert texts(turns(jay)) == sayings(*range(4))
    assert "cannot be decompressed" in done.skipped[0].reason


def test_a_packed_transcript_beside_the_unpacked_one_is_not_told_twice(jay: Scrubjay, logs: Path) -> None:
    write(logs / "a.jsonl.zst", zstandard.compress(talk(4)))
    write(logs / "a.jsonl", talk(4))
    for _ in range(3):
        jay.sync()
    assert texts(turns(jay)) == sayings(*range(4))


def test_a_fork_tells_only_what_is_new_in_it(jay: Scrubjay, logs: Path) -> None:
    write(logs / "s1.jsonl", talk(4))
    jay.sync()
    write(logs / "s2.jsonl", talk(4, session="s2") + talk(2, session="s2", first=50))
    jay.sync()
    assert texts(turns(jay, "s1")) == sayings(*range(4))
    assert texts(turns(jay, "s2")) == sayings(50, 51)


def test_what_was_said_outlives_its_file(jay: Scrubjay, logs: Path) -> None:
    file = write(logs / "s1.jsonl", talk(4))
    jay.sync()
    file.unlink()
    done = jay.sync()
    assert (done.changed.removed, jay.status().behind) == (0, 0)
    assert texts(turns(jay)) == sayings(*range(4))
    assert jay.excerpt("logs/s1.jsonl", lines=2).text == f"user: {sayings(0)[0]}\nassistant: {sayings(1)[0]}"


def test_secrets_are_redacted(jay: Scrubjay, logs: Path) -> None:
    write(logs / "s1.jsonl", said(1, f"My token is {TOKEN}, keep it"))
    jay.sync()
    assert texts(turns(jay)) == ["My token is [redacted: GitHub token], keep it"]
    assert TOKEN not in jay.excerpt("logs/s1.jsonl").text


@pytest.mark.parametrize("event", ["grown", "reset", "copied", "forked", "cut", "packed"])
def test_a_deleted_turn_stays_deleted(jay: Scrubjay, logs: Path, event: str) -> None:
    file = write(logs / "s1.jsonl", talk(6))
    jay.sync()
    jay.delete(turns(jay)[2].id)
    match event:
        case "grown":
            write(file, talk(8))
        case "reset":
            file.rename(logs / "s1.jsonl.reset.2026")
        case "copied":
            write(logs / "copy.jsonl", talk(6))
        case "forked":
            write(logs / "s2.jsonl", talk(6, session="s2"))
        case "cut":
            write(file, talk(5))
        case "packed":
            file.rename(logs / "old")
            write(logs / "s1.jsonl.zst", zstandard.compress(talk(6)))
    jay.sync()
    jay.sync(force=True)
    assert sayings(2)[0] not in texts(turns(jay))
    assert len(turns(jay)) == (7 if event == "grown" else 5)


@pytest.mark.parametrize("event", ["written anew", "packed", "grown"])
def test_a_deleted_turn_without_a_time_stays_deleted(jay: Scrubjay, logs: Path, event: str) -> None:
    file = write(logs / "s1.jsonl", undated(*sayings(*range(6))))
    jay.sync()
    jay.delete(turns(jay)[2].id)
    match event:
        case "written anew":
            write(file, b"\n" + undated(*sayings(*range(6))))
        case "packed":
            file.unlink()
            write(logs / "s1.jsonl.zst", zstandard.compress(undated(*sayings(*range(6)))))
        case "grown":
            write(file, undated(*sayings(0, 1, 2, 3, 4, 5, 2)))
    jay.sync()
    said_again = sayings(2) if event == "grown" else []
    assert texts(turns(jay)) == [*sayings(0, 1, 3, 4, 5), *said_again]
    jay.sync(force=True)
    assert texts(turns(jay)) == [*sayings(0, 1, 3, 4, 5), *said_again]


def test_captured_and_synced_is_told_once(jay: Scrubjay, logs: Path) -> None:
    printed = said(0, "Where is the shed?") + said(1, f"Behind the house; its code is {TOKEN}.", speaker="assistant")
    assert len(jay.capture(printed, "claude-code")) == 2
    assert jay.capture(printed, "claude-code") == []
    write(logs / "s1.jsonl", printed + talk(1, first=2))
    jay.sync()
    assert len(turns(jay)) == 3
    assert jay.capture(printed + talk(1, first=2), "claude-code") == []
    assert len(jay.capture(talk(1, first=3), "claude-code")) == 1
    assert [turn.position for turn in turns(jay)] == [0, 1, 2, 3]


def test_undated_turns_stand_in_order_and_none_is_taken_for_another(jay: Scrubjay, logs: Path) -> None:
    words = ["hello there", "yes please", "yes please", "good bye"]
    file = logs / "one.jsonl"
    for name in ("one", "two"):  # written at the same instant, as from an archive
        (logs / f"{name}.jsonl").write_bytes(undated(*words))
        os.utime(logs / f"{name}.jsonl", (1_700_000_000, 1_700_000_000))
    jay.sync()
    assert texts(turns(jay, "one")) == texts(turns(jay, "two")) == words
    file.write_bytes(undated(*words, *words))
    os.utime(file, (1_700_000_001, 1_700_000_001))
    jay.sync()
    found = turns(jay, "one")
    assert texts(found) == words * 2
    assert [turn.happened_at for turn in found] == sorted(turn.happened_at for turn in found)


@pytest.mark.parametrize("left", [0, 1, 3])
def test_undated_turns_of_a_file_that_was_shorter_for_a_moment_are_told_once(
    jay: Scrubjay, logs: Path, left: int
) -> None:
    words = ["hello there", "yes please", "yes please", "good bye"]
    file = write(logs / "a.jsonl", undated(*words))
    jay.sync()
    for read in (left, left, 4):  # its client writes it anew, and a sync reads what there is of it
        file.write_bytes(undated(*words[:read]))
        os.utime(file, (1_700_000_000 + read, 1_700_000_000 + read))
        jay.sync()
    assert texts(turns(jay)) == words
    file.write_bytes(undated(*words, "yes please"))
    jay.sync()
    assert texts(turns(jay)) == [*words, "yes please"]


def test_undated_turns_of_a_file_written_just_now_are_from_now(jay: Scrubjay, logs: Path) -> None:
    (logs / "now.jsonl").write_bytes(undated("hello there"))
    jay.sync()
    (turn,) = turns(jay)
    assert abs(turn.happened_at.timestamp() - (logs / "now.jsonl").stat().st_mtime) < 1
    (logs / "then.jsonl").write_bytes(undated("hello there"))
    jay.sync()
    assert len(turns(jay)) == 2


def test_a_long_undated_transcript_that_was_put_away_is_not_told_twice(
    jay: Scrubjay, logs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reader, "STRETCH_BYTES", 500)
    begun = b'{"role": "user", "session_id": "s1", "message": {"content": "Hello"}}\n'
    file = write(logs / "a.jsonl", begun + undated(*(f"Word {number % 7}" for number in range(60))))
    jay.sync()
    before = turns(jay)
    assert len(before) == 61
    file.rename(logs / "a.jsonl.reset.2026")
    jay.sync()
    assert turns(jay) == before


def test_a_captured_turn_that_was_deleted_is_not_brought_back_by_its_transcript(jay: Scrubjay, logs: Path) -> None:
    jay.capture(talk(4), "claude-code")
    jay.delete(turns(jay)[2].id)
    write(logs / "s1.jsonl", talk(5))
    jay.sync()
    assert texts(turns(jay)) == sayings(0, 1, 3, 4)


@pytest.mark.parametrize("trash_days", ["0", "30"])
def test_a_captured_turn_that_was_deleted_is_not_brought_back_when_it_is_captured_again(
    jay: Scrubjay, monkeypatch: pytest.MonkeyPatch, trash_days: str
) -> None:
    monkeypatch.setenv("SCRUBJAY_TRASH_DAYS", trash_days)
    jay.capture(talk(4), "claude-code")
    jay.capture(undated("One", "Two"), "cursor", session="s2")
    gone = turns(jay, "s1")[2]
    jay.delete(gone.id, turns(jay, "s2")[0].id)
    jay.capture(talk(5), "claude-code")
    jay.capture(undated("One", "Two", "Three"), "cursor", session="s2")
    assert texts(turns(jay, "s1")) == sayings(0, 1, 3, 4) and texts(turns(jay, "s2")) == ["Two", "Three"]
    if trash_days == "30":
        assert texts([jay.undelete(gone.id)]) == sayings(2)


def test_an_exchange_is_two_turns_of_a_session(jay: Scrubjay) -> None:
    added = jay.add_exchange("Where is the shed?", "Behind the house.", session="s9", tags=["garden"])
    assert [(one.memory.speaker, one.memory.trust) for one in added] == [("user", "user"), ("assistant", "agent")]
    assert texts(turns(jay, "s9")) == ["Where is the shed?", "Behind the house."]
    jay.add_exchange("And the key?", "Under the mat.", session="s9")
    assert [turn.position for turn in turns(jay, "s9")] == [0, 1, 2, 3]
    assert len({one.memory.session for one in jay.add_exchange("Hi", "Hello")}) == 1


def test_reading_piece_by_piece_ends_as_reading_at_once(jay: Scrubjay, logs: Path, tmp_path: Path) -> None:
    whole = (DATA / "claude-code.jsonl").read_bytes() + (DATA / "codex.jsonl").read_bytes()[:0] + talk(5)
    file = logs / "s1.jsonl"
    for cut in range(0, len(whole), 997):
        write(file, whole[:cut])
        jay.sync()
    write(file, whole)
    jay.sync()
    with scrubjay.open(tmp_path / "fresh.db", embedder="hashing") as fresh:
        fresh.sources.add(logs, kind="transcripts", name="logs")
        done: Synced = fresh.sync()
        assert state(fresh) == state(jay) and done.changed.added == len(turns(jay))


# Reading again


def test_force_reads_a_transcript_from_its_start_again(jay: Scrubjay, logs: Path) -> None:
    data = talk(4)
    write(logs / "s1.jsonl", data)
    jay.sync()
    before = turns(jay)
    done = jay.sync(force=True)
    assert (done.read, done.bytes, done.changed.added) == (1, len(data), 0)
    assert [(turn.id, turn.text) for turn in turns(jay)] == [(turn.id, turn.text) for turn in before]


def test_a_wrong_client_is_corrected_by_naming_the_right_one(jay: Scrubjay, logs: Path) -> None:
    write(logs / "s1.jsonl", undated("Sow in May.", "Harvest in August."))
    jay.sources.add(logs, kind="transcripts", client="openclaw")
    write(logs / "s2.jsonl", talk(2, "s2"))
    jay.sync()
    jay.sources.add(logs, kind="transcripts", client="cursor")
    jay.sync()
    assert {turn.client for turn in turns(jay)} == {"cursor"}
    assert texts(turns(jay, "s1")) == ["Sow in May.", "Harvest in August."]


def test_a_wrong_client_is_said_in_one_sentence_with_the_command_that_corrects_it(jay: Scrubjay, logs: Path) -> None:
    for number in range(3):
        write(logs / f"s{number}.jsonl", talk(2, f"s{number}", first=2 * number))
    for wrong in ("codex", "cursor"):
        jay.sources.add(logs, kind="transcripts", client=wrong)
        (note,) = jay.sync().notes
        assert f"has conversations of claude-code, which were read as those of {wrong}" in note
        assert f"`scrubjay sync {logs} --client claude-code`" in note
    jay.sources.add(logs, kind="transcripts", client="claude-code")
    done = jay.sync()
    assert done.notes == () and len(turns(jay)) == 6


@pytest.mark.parametrize("name", ["claude-code", "codex", "codex-2025", "cursor", "gemini", "openclaw"])
def test_nothing_is_said_against_the_right_client(jay: Scrubjay, tmp_path: Path, name: str) -> None:
    write(tmp_path / "talks" / f"{name}.jsonl", (DATA / f"{name}.jsonl").read_bytes())
    jay.sources.add(tmp_path / "talks", kind="transcripts", client=name.removesuffix("-2025"))
    assert jay.sync().notes == () and turns(jay)


def test_what_was_misread_for_another_client_goes_and_what_was_said_stays(jay: Scrubjay, logs: Path) -> None:
    write(logs / "s1.jsonl", talk(4))
    jay.sources.add(logs, kind="transcripts", client="cursor")
    jay.sync()
    misread = turns(jay)
    assert misread and {turn.client for turn in misread} == {"cursor"}
    jay.sources.add(logs, kind="transcripts", client="claude-code")
    jay.sync()
    assert texts(turns(jay)) == sayings(0, 1, 2, 3)
    assert {(turn.client, turn.session) for turn in turns(jay)} == {("claude-code", "s1")}


def test_the_project_of_a_folder_that_is_gone_stays_known(jay: Scrubjay, logs: Path, tmp_path: Path) -> None:
    work = tmp_path / "garden"
    write(work / ".git" / "config", '[remote "origin"]\n\turl = git@example.com:ann/garden.git\n')
    write(logs / "s1.jsonl", said(1, "When do I sow?", cwd=str(work)))
    jay.sync()
    shutil.rmtree(work)
    with (logs / "s1.jsonl").open("ab") as file:
        file.write(said(2, "And when do I harvest?", cwd=str(work)))
    write(logs / "s2.jsonl", said(3, "Where was I?", session="s2", cwd="/long/gone"))
    jay.sync()
    jay.sync(force=True)
    projects = ["example.com/ann/garden", "example.com/ann/garden", "/long/gone"]
    assert [turn.project for turn in turns(jay)] == projects


def test_a_folder_that_is_told_relatively_is_no_project(jay: Scrubjay, logs: Path) -> None:
    write(logs / "s1.jsonl", said(1, "When do I sow?", cwd="."))
    jay.sync()
    assert [turn.project for turn in turns(jay)] == [None]


# Floods


def test_a_line_without_an_end_is_not_read_into_memory(
    jay: Scrubjay, logs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reader, "STRETCH_BYTES", 1_000)
    monkeypatch.setattr(reader, "MAX_BYTES", 8_000)
    write(logs / "s1.jsonl", talk(2) + b"x" * 100_000)
    write(logs / "s2.jsonl", talk(2, "s2", first=4))
    done = jay.sync()
    assert [Path(skipped.path).name for skipped in done.skipped] == ["s1.jsonl"]
    assert "longer than" in done.skipped[0].reason and texts(turns(jay)) == sayings(0, 1, 4, 5)


def test_a_packed_transcript_is_read_piece_by_piece(jay: Scrubjay, logs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "STRETCH_BYTES", 1_000)
    monkeypatch.setattr(reader, "MAX_BYTES", 8_000)
    write(logs / "s1.jsonl.zst", zstandard.ZstdCompressor().compress(talk(200)))
    write(logs / "bomb.jsonl.zst", zstandard.ZstdCompressor().compress(bytes(10_000_000)))
    done = jay.sync()
    assert texts(turns(jay)) == sayings(*range(200))
    assert [Path(skipped.path).name for skipped in done.skipped] == ["bomb.jsonl.zst"]
    assert jay.sync(force=True).changed.added == 0


def test_a_small_file_that_unpacks_to_very_much_is_left_out_early(jay: Scrubjay, logs: Path) -> None:
    write(logs / "bomb.jsonl.zst", zstandard.ZstdCompressor().compress(talk(2) + b"\n" * 40_000_000))
    (skipped,) = jay.sync().skipped
    assert skipped.reason == "This transcript is larger than 16 MB when decompressed."


def test_blank_lines_are_passed_over_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at: list[bytes] = []
    real = jsonl.records_in

    def records(line: bytes) -> tuple[list[dict[str, Any]], int]:
        looked_at.append(line)
        return real(line)

    monkeypatch.setattr(jsonl, "records_in", records)
    data = b"\n" * 1_000 + talk(2).replace(b"\n", b"\r\n\n\n") + b"\n" * 1_000
    told = jsonl.read(data, open_parser("claude-code"))
    assert len(told.turns) == 2 and told.consumed == len(data) and told.bad == 0
    assert len(looked_at) == talk(2).count(b"\n")
