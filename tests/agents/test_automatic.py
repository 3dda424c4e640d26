"""What a memory does by itself, if that is set: extraction and cleanup. The activity tells of it; no call fails."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from scrubjay import Scrubjay
from scrubjay.models import http
from scrubjay.models.http import Timing
from tests.support.clock import Clock
from tests.support.model_server import ModelServer, running

Reopen = Callable[..., Scrubjay]
SAID = "I prefer tabs over spaces in every file that I write, and I live in Lisbon."
BAKER = "I work at Initech as a baker. It is a long way to go there."
ANSWER = '{"memories": [{"text": "Ben owns a red boat", "subject": "Ben", "kind": "fact", "confidence": 0.9}]}'


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with running() as state:
        yield state


@pytest.fixture(autouse=True)
def impatience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "DEFAULT_TIMING", Timing(wait=lambda stopped, seconds: False))


def set_to(monkeypatch: pytest.MonkeyPatch, **values: str) -> None:
    for name, value in values.items():
        monkeypatch.setenv(f"SCRUBJAY_{name.upper()}", value)


def learnt(jay: Scrubjay) -> set[str]:
    return {memory.text for memory in jay.list() if memory.kind != "turn"}


def done(jay: Scrubjay, event: str) -> list[tuple[str, str]]:
    return [(one.outcome, one.reason) for one in jay.activity(limit=100) if one.event == event]


def test_nothing_happens_by_itself_unless_it_is_set(jay: Scrubjay) -> None:
    jay.add_exchange(SAID, "Noted.", session="one")
    jay.sessions.end("one")
    assert learnt(jay) == set() and jay.activity() == []


@pytest.mark.parametrize("when", ["turns", "session_end"])
def test_a_conversation_that_is_stored_or_ends_becomes_memories_if_that_is_set(
    reopen: Reopen, monkeypatch: pytest.MonkeyPatch, when: str
) -> None:
    set_to(monkeypatch, auto_extract=when)
    with reopen(embedder="none") as jay:
        jay.add_exchange(SAID, "Noted.", session="one")
        assert bool(learnt(jay)) == (when == "turns")
        jay.sessions.end("one")
        assert any("tabs" in text for text in learnt(jay))
        (one,) = [one for one in jay.activity() if one.event == "extract"]
        assert (one.client, one.outcome, one.session, len(one.memories)) == (
            "scrubjay",
            "extracted",
            "one",
            len(learnt(jay)),
        )


def test_captured_output_and_turns_are_gone_through_too(reopen: Reopen, monkeypatch: pytest.MonkeyPatch) -> None:
    set_to(monkeypatch, auto_extract="turns")
    with reopen(embedder="none") as jay:
        jay.add_turns("one", [{"speaker": "user", "text": SAID}])
        assert learnt(jay)
        before = learnt(jay)
        said = {"role": "user", "content": BAKER}
        jay.capture(json.dumps({"type": "user", "session_id": "two", "message": said}), "claude-code")
        assert len(learnt(jay)) > len(before)


def test_the_generator_is_asked_only_if_that_is_set_and_within_its_budget(
    reopen: Reopen, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.says = [ANSWER]
    set_to(monkeypatch, auto_extract="turns", generator=f"openai-compatible:{server.url}/v1#writer")
    with reopen(embedder="none") as jay:
        jay.add_exchange(SAID, "Noted.", session="one")
        assert server.asked == []
    set_to(monkeypatch, auto_extractor="generator")
    with reopen(embedder="none") as jay:
        jay.add_exchange(SAID, "Noted.", session="two")
        assert "Ben owns a red boat" in learnt(jay) and len(server.asked) == 1
    set_to(monkeypatch, generation_budget="1")
    with reopen(embedder="none") as jay:
        assert len(jay.add_exchange(SAID, "Noted.", session="three")) == 2
        assert len(server.asked) == 1 and done(jay, "extract")[0][0] == "failed"
        assert "budget" in done(jay, "extract")[0][1]


def test_a_generator_that_fails_or_is_not_set_fails_no_call(
    reopen: Reopen, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_to(monkeypatch, auto_extract="turns", auto_extractor="generator")
    with reopen(embedder="none") as jay:
        jay.add_exchange(SAID, "Noted.", session="one")
        assert "rules were used" in done(jay, "extract")[0][1] and learnt(jay)
    server.always = "500"
    set_to(monkeypatch, generator=f"openai-compatible:{server.url}/v1#writer")
    with reopen(embedder="none") as jay:
        assert len(jay.add_exchange(SAID, "Noted.", session="two")) == 2
        assert done(jay, "extract")[0][0] == "failed"


def test_a_limit_that_is_passed_is_cleaned_up_and_the_activity_says_so(
    reopen: Reopen, monkeypatch: pytest.MonkeyPatch, clock: Clock
) -> None:
    set_to(monkeypatch, auto_cleanup="true", limits_memories="10")
    with reopen(embedder="none") as jay:
        for number in range(11):
            clock.now += timedelta(seconds=1)
            jay.add(f"Thing {number}", kind="fact")
        assert jay.stats().memories == 8
        (one,) = [one for one in jay.activity() if one.event == "cleanup"]
        assert (one.client, one.outcome, one.memories) == ("scrubjay", "cleaned up", (1, 2, 3))
        assert jay.undelete(1).text == "Thing 0"


def test_what_may_not_be_evicted_leaves_the_limit_exceeded_and_that_is_said(
    reopen: Reopen, monkeypatch: pytest.MonkeyPatch, clock: Clock
) -> None:
    set_to(monkeypatch, auto_cleanup="true", limits_memories="2")
    with reopen(embedder="none") as jay:
        jay.add_many([{"text": f"We decided {number}", "kind": "decision"} for number in range(4)])
        assert jay.stats().memories == 4
        ((outcome, reason),) = done(jay, "cleanup")
        assert outcome == "still over" and "limits.memories is exceeded: 4 of 2" in reason
        assert "limits.memories is exceeded" in jay.cleanup(dry_run=True).notes[0]
        jay.add("We decided 5", kind="decision")
        assert len(done(jay, "cleanup")) == 1, "it is not tried again at once"
        clock.now += timedelta(hours=2)
        jay.add("We decided 6", kind="decision")
        assert len(done(jay, "cleanup")) == 2


def test_what_an_agent_adds_evicts_nothing_that_the_user_told(reopen: Reopen, monkeypatch: pytest.MonkeyPatch) -> None:
    set_to(monkeypatch, auto_cleanup="true", limits_memories="3")
    with reopen(embedder="none") as jay:
        jay.add_many([{"text": f"Thing {number}", "kind": "fact"} for number in range(3)])
        agent = jay.lend(trust="agent")
        agent.add_many([{"text": f"Other {number}", "kind": "fact"} for number in range(5)])
        assert {memory.text for memory in jay.list()} == {"Thing 0", "Thing 1", "Thing 2"}


def test_the_first_session_of_a_day_cleans_up_once(
    reopen: Reopen, monkeypatch: pytest.MonkeyPatch, clock: Clock
) -> None:
    set_to(monkeypatch, auto_cleanup="true")
    with reopen(embedder="none") as jay:
        jay.add("Soon over", kind="fact", expires_at=clock() + timedelta(hours=1))
        jay.sessions.start("one")
        assert [outcome for outcome, _ in done(jay, "cleanup")] == ["nothing"]
        clock.now += timedelta(hours=2)
        jay.sessions.start("two")
        assert len(done(jay, "cleanup")) == 1
        clock.now += timedelta(days=1)
        jay.context()
        assert [outcome for outcome, _ in done(jay, "cleanup")] == ["cleaned up", "nothing"]
        assert jay.stats().expired == 0
        jay.lend(space="other").sessions.start("three")
        assert len(done(jay, "cleanup")) == 2, "each space has its own"


def said(session: str, text: str, **fields: str) -> str:
    record = {"type": "user", "sessionId": session, "uuid": f"{session} {text}", **fields, "message": {"content": text}}
    return json.dumps(record) + "\n"


@pytest.fixture
def talks(tmp_path: Path) -> Path:
    folder = tmp_path / "talks"
    folder.mkdir()
    return folder


def follow(jay: Scrubjay, folder: Path) -> None:
    jay.sources.add(folder, kind="transcripts", client="claude-code")


def test_what_a_sync_reads_of_conversations_is_gone_through_once(
    reopen: Reopen, monkeypatch: pytest.MonkeyPatch, talks: Path
) -> None:
    (talks / "one.jsonl").write_text(said("one", SAID))
    (talks / "two.jsonl").write_text(said("two", BAKER))
    with reopen(embedder="none") as jay:
        follow(jay, talks)
        jay.sync()
        assert learnt(jay) == set() and jay.activity() == [], "unless it is set"
    set_to(monkeypatch, auto_extract="turns")
    with reopen(embedder="none") as jay:
        jay.sync()
        assert any("tabs" in text for text in learnt(jay)) and any("Initech" in text for text in learnt(jay))
        (one,) = [one for one in jay.activity() if one.event == "extract"]
        assert (one.client, one.outcome, one.session) == ("scrubjay", "extracted", None)
        assert len(one.memories) == len(learnt(jay))
        before = learnt(jay)
        jay.sync()
        assert learnt(jay) == before and len(done(jay, "extract")) == 1
        with (talks / "one.jsonl").open("a") as file:
            file.write(said("one", "I moved house. I live in Porto since the first of March of this year."))
        jay.sync()
        assert any("Porto" in text for text in learnt(jay)) and len(done(jay, "extract")) == 2


def test_a_conversation_that_goes_on_is_gone_through_by_the_first_sync_after_its_end(
    reopen: Reopen, monkeypatch: pytest.MonkeyPatch, clock: Clock, talks: Path
) -> None:
    set_to(monkeypatch, auto_extract="session_end")
    (talks / "one.jsonl").write_text(said("one", SAID, timestamp=clock().isoformat()))
    with reopen(embedder="none") as jay:
        follow(jay, talks)
        jay.sync()
        assert len(jay.list(kinds=["turn"])) == 1 and learnt(jay) == set()
        clock.now += timedelta(days=1)
        jay.sync()
        assert any("tabs" in text for text in learnt(jay))


def test_a_generator_that_does_not_answer_fails_no_sync_and_is_not_asked_again_at_once(
    reopen: Reopen, server: ModelServer, monkeypatch: pytest.MonkeyPatch, clock: Clock, talks: Path
) -> None:
    server.always = "500"
    set_to(monkeypatch, auto_extract="turns", auto_extractor="generator")
    set_to(monkeypatch, generator=f"openai-compatible:{server.url}/v1#writer")
    for name in ("one", "two", "three", "four", "five"):
        (talks / f"{name}.jsonl").write_text(said(name, SAID))
    with reopen(embedder="none") as jay:
        follow(jay, talks)
        assert jay.sync().changed.added == 5
        assert [outcome for outcome, _ in done(jay, "extract")] == ["failed"]
        asked = len(server.asked)
        jay.sync()
        assert len(server.asked) == asked and len(done(jay, "extract")) == 1
        server.always, server.says = "", [ANSWER] * 5
        clock.now += timedelta(hours=2)
        jay.sync()
        assert "Ben owns a red boat" in learnt(jay) and done(jay, "extract")[0][0] == "extracted"


def test_nothing_is_learnt_from_what_a_program_asked(
    reopen: Reopen, monkeypatch: pytest.MonkeyPatch, talks: Path
) -> None:
    set_to(monkeypatch, auto_extract="turns")
    (talks / "one.jsonl").write_text(said("one", SAID, entrypoint="sdk-cli"))
    (talks / "two.jsonl").write_text(said("two", BAKER, entrypoint="cli"))
    with reopen(embedder="none") as jay:
        follow(jay, talks)
        jay.sync()
        (turn,) = jay.sessions.turns("one")
        assert turn.tags == ("headless",) and not any("tabs" in text for text in learnt(jay))
        assert any("Initech" in text for text in learnt(jay))
        assert "no person was there" in jay.extract(session="one", again=True).dropped[0].reason
