"""What a transcript tells about a session besides its turns (title, changed files, links) is guarded as they are."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from scrubjay import Scrubjay
from scrubjay.sources.transcripts import reader
from tests.support.contents import files_hold

TOLD = ("plumtitle", "plumfile", "plumlink")
SECRET = "ghp_aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5"


def turn(number: int, speaker: str, text: str, *tools: dict[str, Any], cwd: str = "/work/app") -> dict[str, Any]:
    content = [*([{"type": "text", "text": text}] if text else []), *tools]
    about = {"type": speaker, "sessionId": "s1", "uuid": str(number), "cwd": cwd}
    return {**about, "timestamp": f"2026-05-01T10:00:0{number}Z", "message": {"role": speaker, "content": content}}


def edit(file: str) -> dict[str, Any]:
    return {"type": "tool_use", "id": file, "name": "Edit", "input": {"file_path": f"/work/app/{file}.py"}}


def title(text: str) -> dict[str, Any]:
    return {"type": "ai-title", "sessionId": "s1", "aiTitle": text}


LINK = {"type": "pr-link", "sessionId": "s1", "prUrl": "https://example.org/plumlink/7"}
SAID = [turn(1, "user", "Plant a tree"), turn(2, "assistant", "Done", edit("plumfile")), title("The plumtitle"), LINK]


@pytest.fixture
def transcript(tmp_path: Path, jay: Scrubjay) -> Path:
    folder = tmp_path / "logs"
    folder.mkdir()
    jay.sources.add(folder, kind="transcripts", name="logs", client="claude-code")
    return folder / "s1.jsonl"


def write(file: Path, *records: dict[str, Any]) -> None:
    with file.open("a") as opened:
        opened.writelines(f"{json.dumps(record)}\n" for record in records)


def test_what_was_deleted_is_not_told_by_the_title_that_a_client_made_of_it(jay: Scrubjay, transcript: Path) -> None:
    write(transcript, *SAID)
    jay.sync()
    assert jay.sessions.get("s1").title == "The plumtitle"
    jay.delete(jay.sessions.turns("s1")[0].id)
    assert "plumtitle" not in str(jay.sessions.list()) + jay.context().text
    jay.sync(force=True)
    assert "plumtitle" not in str(jay.sessions.list()) and jay.sessions.get("s1").files


@pytest.mark.parametrize("event", ["forced", "renamed", "copied", "shortened", "touched"])
def test_a_tool_call_is_counted_once_however_often_its_transcript_is_read(
    jay: Scrubjay, transcript: Path, event: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reader, "STRETCH_BYTES", 300)  # so that it is read in several parts
    write(transcript, *SAID, turn(3, "assistant", "More", edit("a"), edit("b")))
    jay.sync()
    assert jay.sessions.get("s1").tool_calls == 3
    whole = transcript.read_bytes()
    if event == "renamed":
        transcript = transcript.rename(transcript.with_name("other.jsonl"))
    if event == "copied":
        transcript.with_name("copy.jsonl").write_bytes(whole)
    if event == "shortened":
        transcript.write_bytes(whole.splitlines(keepends=True)[0])
        jay.sync()
        transcript.write_bytes(whole)
    if event == "touched":
        os.utime(transcript, (1_800_000_000, 1_800_000_000))
    jay.sync(force=event == "forced")
    assert jay.sessions.get("s1").tool_calls == 3
    write(transcript, turn(4, "assistant", "And more", edit("c")))
    jay.sync()
    assert jay.sessions.get("s1").tool_calls == 4


def test_the_tool_calls_of_an_agent_that_works_for_another_are_counted_too(jay: Scrubjay, transcript: Path) -> None:
    write(transcript, *SAID)
    write(transcript.with_name("agent.jsonl"), turn(5, "user", "Dig a hole"), turn(6, "assistant", "Dug", edit("hole")))
    jay.sync()
    assert jay.sessions.get("s1").tool_calls == 2


def test_nothing_is_told_of_a_session_whose_turns_are_in_the_trash(jay: Scrubjay, transcript: Path) -> None:
    write(transcript, *SAID)
    jay.sync()
    turns = [turn.id for turn in jay.sessions.turns("s1")]
    for id in turns:
        jay.delete(id)
    assert jay.sessions.list(file="plumfile.py") == []
    assert "plum" not in str([*jay.sessions.list(), jay.sessions.get("s1")])
    jay.undelete(turns[0])
    assert jay.sessions.list(file="plumfile.py") != []


def test_what_is_known_of_a_session_is_erased_with_its_turns(jay: Scrubjay, path: Path, transcript: Path) -> None:
    write(transcript, *SAID)
    jay.sync()
    assert files_hold(path, *TOLD) != []
    for turn in jay.sessions.turns("s1"):
        jay.delete(turn.id)
    jay.trash.empty()
    assert files_hold(path, *TOLD) == []


def test_what_is_known_of_a_session_is_erased_with_its_source(jay: Scrubjay, path: Path, transcript: Path) -> None:
    write(transcript, *SAID)
    jay.sync()
    jay.sources.remove("logs")
    assert files_hold(path, *TOLD) == []


def test_what_happens_while_something_is_private_is_not_noted(jay: Scrubjay, path: Path, transcript: Path) -> None:
    opened, closed = turn(1, "user", "Good day <private>"), turn(3, "user", "</private> Good night")
    write(transcript, opened, turn(2, "assistant", "Yes", edit("plumfile")), title("The plumtitle"), LINK)
    jay.sync()
    write(transcript, closed, turn(4, "assistant", "Sleep well", edit("pillow")))
    jay.sync()
    write(transcript, turn(5, "assistant", "", edit("blanket")), title("The plumtitle again"))
    jay.sync()
    assert jay.sessions.get("s1").files == ("/work/app/blanket.py",)
    assert files_hold(path, *TOLD) == []


@pytest.mark.parametrize("goes", [1, 3])  # readings
def test_no_summary_of_a_client_tells_what_is_private(
    jay: Scrubjay, path: Path, transcript: Path, goes: int
) -> None:  # fmt: skip
    summary = {**turn(2, "user", "They spoke of a plumtitle"), "isCompactSummary": True}
    for record in (turn(1, "user", "Good day <private>plumtitle</private>"), summary, turn(3, "user", "Good night")):
        write(transcript, record)
        if goes == 3:
            jay.sync()
    jay.sync()
    assert [one.kind for one in jay.list()] == ["turn", "turn"] and files_hold(path, *TOLD) == []


def test_what_happens_in_a_folder_that_is_excluded_is_not_noted(
    jay: Scrubjay, path: Path, transcript: Path, tmp_path: Path
) -> None:
    (tmp_path / "hidden").mkdir()
    (tmp_path / "hidden" / ".scrubjay-ignore").touch()
    cwd = str(tmp_path / "hidden")
    write(transcript, turn(1, "user", "Good day"))
    jay.sync()
    write(transcript, turn(2, "assistant", "", edit("plumfile"), cwd=cwd), title("The plumtitle"), LINK)
    jay.sync()
    assert files_hold(path, *TOLD) == []


@pytest.mark.parametrize("before", range(160, 200, 9))
def test_no_part_of_a_secret_is_left_where_a_title_is_cut(
    jay: Scrubjay, path: Path, transcript: Path, before: int
) -> None:
    write(transcript, *SAID, title("x" * (before - 1) + " " + SECRET))
    jay.sync()
    assert files_hold(path, SECRET[:12]) == [] and files_hold(path, "x" * 50) != []
