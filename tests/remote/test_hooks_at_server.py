"""Hooks of agent clients where the memory is a server's: they tell, and keep what was said, as with a file."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import scrubjay
from scrubjay import Scrubjay
from scrubjay.hooks.events import parse
from scrubjay.hooks.work import PRIVATE, Outcome, do
from scrubjay.project.identity import IGNORE_FILE
from tests.support.api_server import serving_here
from tests.support.clock import Clock


@pytest.fixture
def local(path: Path, clock: Clock) -> Iterator[Scrubjay]:
    with scrubjay.open(path, embedder="hashing", clock=clock) as jay:
        yield jay


@pytest.fixture
def remote(local: Scrubjay) -> Iterator[Scrubjay]:
    _, secret = local.tokens.create("laptop", scopes=["read", "write"])
    with serving_here(local) as url, scrubjay.open(url, token=secret) as jay:
        yield jay


def hooked(jay: Scrubjay, event: str, folder: Path, client: str = "claude-code", **more: str) -> Outcome:
    about = {"hook_event_name": event, "cwd": str(folder), "session_id": "s1", **more}
    done = do(
        parse({"client": client, "event": "", "headless": ""}, json.dumps(about).encode()), lambda folder, project: jay
    )
    if done.noting:
        done.noting()
    return done


def said(number: int, text: str, speaker: str = "user") -> str:
    message = {"role": speaker, "content": text}
    at = f"2026-05-01T12:00:0{number}.000Z"
    return json.dumps({"type": speaker, "uuid": f"u{number}", "sessionId": "s1", "timestamp": at, "message": message})


def test_a_prompt_gets_what_it_needs_and_nothing_twice(local: Scrubjay, remote: Scrubjay, tmp_path: Path) -> None:
    local.add("The release is on Thursday", kind="decision")
    told = hooked(remote, "UserPromptSubmit", tmp_path, prompt="When is the release on Thursday?")
    assert told.outcome == "told" and "The release is on Thursday" in told.output and told.memories == (1,)
    again = hooked(remote, "UserPromptSubmit", tmp_path, prompt="When is the release on Thursday?")
    assert again.outcome == "nothing" and again.output == ""
    assert hooked(remote, "UserPromptSubmit", tmp_path, prompt="zebra crossing colours").outcome == "nothing"


@pytest.mark.every_store
def test_what_was_said_is_kept_once(local: Scrubjay, remote: Scrubjay, tmp_path: Path) -> None:
    transcript = tmp_path / "s1.jsonl"
    lines = [said(1, "Deploys run on Thursdays"), said(2, "Understood", "assistant")]
    transcript.write_text("\n".join(lines) + "\n")
    first = hooked(remote, "Stop", tmp_path, transcript_path=str(transcript))
    transcript.write_text("\n".join([*lines, said(3, "And never on Fridays")]) + "\n")
    second = hooked(remote, "Stop", tmp_path, transcript_path=str(transcript))
    third = hooked(remote, "SessionEnd", tmp_path, transcript_path=str(transcript))
    assert (first.turns, second.turns, third.turns) == (2, 1, 0)
    texts = [turn.text for turn in local.sessions.turns("s1")]
    assert texts == ["Deploys run on Thursdays", "Understood", "And never on Fridays"]
    assert local.sessions.get("s1").ended_at is not None


def test_what_the_user_said_is_the_users_by_a_token_of_the_users_own_programs(local: Scrubjay, tmp_path: Path) -> None:
    transcript = tmp_path / "s1.jsonl"
    transcript.write_text("\n".join([said(1, "Deploys run on Thursdays"), said(2, "Understood", "assistant")]) + "\n")
    _, secret = local.tokens.create("own", scopes=["read", "write", "user"])
    with serving_here(local) as url, scrubjay.open(url, token=secret) as own:
        hooked(own, "Stop", tmp_path, transcript_path=str(transcript))
    assert [(turn.speaker, turn.trust) for turn in local.sessions.turns("s1")] == [
        ("user", "user"),
        ("assistant", "external"),
    ]


def test_of_a_long_transcript_the_end_is_sent(local: Scrubjay, remote: Scrubjay, tmp_path: Path) -> None:
    transcript = tmp_path / "s1.jsonl"
    long = json.dumps({"type": "progress", "data": "x" * 1_000_000})
    transcript.write_text("\n".join([long] * 5 + [said(1, "The last words")]) + "\n")
    assert hooked(remote, "Stop", tmp_path, transcript_path=str(transcript)).turns == 1


@pytest.mark.parametrize("first", [1, 10])  # lines that there are when it is first sent
def test_nothing_private_is_sent_however_the_transcript_grows(
    local: Scrubjay, remote: Scrubjay, tmp_path: Path, first: int
) -> None:
    transcript = tmp_path / "s1.jsonl"
    long = [json.dumps({"type": "progress", "data": "x" * 500_000})] * 2
    lines = [
        said(1, "Tea at four"), *long, said(2, "<private> the doctor called"), *long, said(3, "diagnosis"), *long,
        said(4, "that was all </private>"), *long, said(5, "Back to <private>work</private> now"), *long,
    ]  # fmt: skip
    for end in range(first, len(lines) + 1):
        transcript.write_text("\n".join(lines[:end]) + "\n")
        hooked(remote, "Stop", tmp_path, transcript_path=str(transcript))
    assert [turn.text for turn in local.sessions.turns("s1")] == ["Tea at four", "Back to  now"]


def test_nothing_is_sent_from_a_folder_that_is_excluded(local: Scrubjay, remote: Scrubjay, tmp_path: Path) -> None:
    transcript, excluded = tmp_path / "s1.jsonl", tmp_path / "diary"
    excluded.mkdir()
    (excluded / IGNORE_FILE).touch()
    there = json.dumps({**json.loads(said(1, "Dear diary")), "cwd": str(excluded)})
    here = json.dumps({**json.loads(said(2, "Tea at four")), "cwd": str(tmp_path)})
    transcript.write_text(f"{there}\n{here}\n")
    hooked(remote, "Stop", tmp_path, transcript_path=str(transcript))
    assert [turn.text for turn in local.sessions.turns("s1")] == ["Tea at four"]


def test_no_private_prompt_is_looked_up_at_a_server(local: Scrubjay, remote: Scrubjay, tmp_path: Path) -> None:
    local.add("The release is on Thursday", kind="decision")
    transcript, asks = tmp_path / "s1.jsonl", "When is the release?"
    transcript.write_text(said(1, "<private> the doctor called") + "\n")
    inside = hooked(remote, "UserPromptSubmit", tmp_path, prompt=asks, transcript_path=str(transcript))
    assert inside.reason.startswith(PRIVATE) and not inside.output
    after = f"diagnosis </private> {asks}"
    assert hooked(remote, "UserPromptSubmit", tmp_path, prompt=after, transcript_path=str(transcript)).memories == (1,)


def test_an_answer_to_a_private_prompt_is_not_stored_at_a_server(
    local: Scrubjay, remote: Scrubjay, tmp_path: Path
) -> None:
    """Of a client that writes no transcript: the server must hear of the prompt that opens the part."""
    hooked(remote, "UserPromptSubmit", tmp_path, "opencode", prompt="<private> the doctor called")
    hooked(remote, "session.idle", tmp_path, "opencode", response="diagnosis")
    hooked(remote, "UserPromptSubmit", tmp_path, "opencode", prompt="that was all </private> Tea at four")
    assert [turn.text.strip() for turn in local.sessions.turns("s1")] == ["Tea at four"]


def test_no_summary_that_may_tell_what_is_private_is_sent(local: Scrubjay, remote: Scrubjay, tmp_path: Path) -> None:
    transcript = tmp_path / "s1.jsonl"
    summary = json.dumps({**json.loads(said(2, "The doctor called")), "isCompactSummary": True})
    transcript.write_text(
        "\n".join([said(1, "Tea <private>the doctor called</private>"), summary, said(3, "Cake")]) + "\n"
    )
    hooked(remote, "Stop", tmp_path, transcript_path=str(transcript))
    assert [memory.text.strip() for memory in local.list()] == ["Cake", "Tea"]
