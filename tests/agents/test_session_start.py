"""At the start of a session an agent gets what is curated and important first, then the last sessions."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import scrubjay
from scrubjay import Scrubjay
from scrubjay.agents import context
from scrubjay.text import fence
from tests.support.clock import Clock


def test_what_is_curated_and_important_for_the_project_comes_first(reopen: Callable[..., Scrubjay]) -> None:
    with reopen(embedder="hashing", project="app") as jay:
        jay.add_turns("s0", [{"speaker": "user", "text": "Please fix the login"}])
        jay.add("Deploys need a ticket", kind="note", importance=9, project="app")
        jay.add("The other one needs none", kind="note", importance=9, project="other")
        jay.add("Ann lives in Bern", kind="fact", subject="user", project="other")
        jay.add("We use pnpm", kind="convention", project="app")
        jay.add("User prefers tabs", kind="preference")
        jay.add("Herons eat fish", kind="fact")
        told = [memory.text for memory in jay.context(tokens=2000).memories]
    assert told == [
        "Deploys need a ticket", "User prefers tabs", "We use pnpm", "Ann lives in Bern", "Please fix the login",
    ]  # fmt: skip


def test_the_last_sessions_are_told_by_title_and_summary_but_not_the_one_that_starts(
    reopen: Callable[..., Scrubjay], clock: Clock
) -> None:
    with reopen(embedder="hashing", project="app") as jay:
        for name in ("first", "second", "third", "fourth", "now"):
            jay.add_turns(name, [{"speaker": "user", "text": f"Work on the {name} thing"}])
            clock.pass_(hours=1)
            if name == "fourth":
                jay.sessions.end(name, "The schema is agreed")
        context = jay.context(tokens=2000, session="now")
    assert [memory.text for memory in context.memories] == [
        "The schema is agreed", "Work on the third thing", "Work on the second thing",
    ]  # fmt: skip
    assert "(last session “Work on the fourth thing”): The schema is agreed" in context.text


def test_what_was_learnt_from_one_session_waits_until_it_is_confirmed(jay: Scrubjay) -> None:
    learnt = jay.add("Use pnpm", kind="convention", tags=["pending"]).memory.id
    assert jay.context().memories == ()
    jay.confirm(learnt)
    assert [memory.id for memory in jay.context().memories] == [learnt]


def test_a_prompt_is_not_answered_with_what_was_said_in_the_same_session(jay: Scrubjay) -> None:
    jay.add_turns("now", [{"speaker": "user", "text": f"The heron fishes at dawn, {n}"} for n in range(10)])
    jay.add("The heron fishes at dawn in Bern")
    jay.add_many([{"text": f"Ann plays the cello in hall {n}"} for n in range(20)])
    assert [one.text for one in jay.context("When does the heron fish?", session="now").memories] == [
        "The heron fishes at dawn in Bern"
    ]


@pytest.mark.parametrize(
    ("said", "is_told"),
    [
        ("When does the heron fish?", False),
        ("Hi! When does the heron fish?", False),
        ("when does the heron fish", False),
        ("When does the heron fish? It fishes at dawn.", True),
        ("The heron fishes at dawn, right?", True),
    ],
)
def test_what_was_only_asked_is_not_told_as_if_it_were_known(jay: Scrubjay, said: str, is_told: bool) -> None:
    jay.add_many([{"text": f"Ann plays the cello in hall {n}"} for n in range(20)])
    jay.add_turns("then", [{"speaker": "user", "text": said}])
    told = jay.context("When does the heron fish?", session="now")
    assert [one.text for one in told.memories] == ([said] if is_told else [])
    assert list(told.held_back.values()) == ([] if is_told else ["only a question"])
    assert said in [hit.memory.text for hit in jay.search("When does the heron fish?")]


def test_the_last_session_is_told_by_what_the_user_said_and_not_only_asked(jay: Scrubjay) -> None:
    jay.add_turns("then", [{"speaker": "user", "text": text} for text in ("Where is it?", "The heron fishes at dawn")])
    assert [one.text for one in jay.context(session="now").memories] == ["The heron fishes at dawn"]
    jay.add_turns("other", [{"speaker": "user", "text": "Where was it?"}])
    assert "Where was it?" in jay.context().text


def test_a_client_is_not_told_what_it_loads_itself(jay: Scrubjay, tmp_path: Path) -> None:
    (tmp_path / "CLAUDE.md").write_text("The heron fishes at dawn.")
    jay.sources.add(tmp_path)
    jay.sync()
    assert jay.lend(client="codex").context("When does the heron fish?").memories
    assert not jay.lend(client="claude-code").context("When does the heron fish?").memories


def test_of_a_long_memory_the_part_around_the_question_is_told(jay: Scrubjay) -> None:
    jay.add_many([{"text": f"Ann plays the cello in hall {n}"} for n in range(20)])
    jay.add(f"{'The weather was fair. ' * 30} The heron fishes at dawn. {'It rained later on. ' * 30}")
    told = next(line for line in jay.context("When does the heron fish?").text.splitlines() if "heron" in line)
    assert "The heron fishes at dawn." in told and len(told) < 500


@pytest.mark.parametrize("message", ["Thank you, that is all.", "ok great, thanks!", "Hello!", "yes please do it"])
def test_a_message_that_asks_for_nothing_is_answered_with_nothing(jay: Scrubjay, message: str) -> None:
    jay.add_turns("then", [{"speaker": "assistant", "text": f"All right. {message}"}])
    assert jay.context(message).memories == ()


def test_the_number_of_memories_that_is_set_holds_at_a_start_too(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def told() -> int:
        with scrubjay.open(path, embedder="hashing") as jay:
            return len(jay.context(tokens=5000).memories)

    with scrubjay.open(path, embedder="hashing") as jay:
        jay.add_many([{"text": f"Prefers tea of sort {n}", "kind": "preference"} for n in range(30)])
    assert told() == 20
    monkeypatch.setenv("SCRUBJAY_CONTEXT_MEMORIES", "3")
    assert told() == 3


def test_the_profile_comes_first_and_takes_at_most_half_of_the_budget(jay: Scrubjay) -> None:
    jay.tasks.create("Feed the heron")
    jay.profile.set("user_info.name", "Ann")
    jay.profile.set("preferences.working_style", "quiet mornings " * 200)
    told = jay.context(tokens=400)
    assert [memory.kind for memory in told.memories] == ["profile", "task"]
    assert "user_info.name: Ann" in told.text and told.tokens <= 400
    (profile, *_) = told.text.split("\n[")[1:]
    assert 80 < len(profile) < len(jay.get(told.memories[0].id).text)  # type: ignore[union-attr]


def test_a_profile_for_which_there_is_no_room_is_left_out(jay: Scrubjay) -> None:
    jay.profile.set("preferences.working_style", "quiet mornings " * 200)
    jay.add("User prefers tabs", kind="preference")
    told = jay.context(tokens=100)
    assert [memory.kind for memory in told.memories] == ["preference"]
    assert list(told.held_back.values()) == ["beyond the budget of tokens"]


def test_a_budget_in_which_nothing_fits_is_said(jay: Scrubjay) -> None:
    jay.add("Releases are cut from the main branch by whoever is on duty", kind="convention")
    shown = jay.context(tokens=20)
    assert not shown.memories
    assert shown.notes == ("1 memory would be shown, but none fits into 20 tokens; allow more tokens.",)
    assert jay.context(tokens=0).notes == () == jay.context(tokens=500).notes


def test_of_a_long_memory_only_what_is_told_is_looked_through_for_tags(
    jay: Scrubjay, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[str] = []

    def noted(text: str) -> str:
        seen.append(text)
        return fence.defused(text)

    monkeypatch.setattr(context, "defused", noted)
    jay.add("We deploy on Fridays. " + "\uff1c" * 200_000, kind="preference")
    assert "Fridays" in jay.context("when do we deploy?").text
    assert seen and max(map(len, seen)) < 10_000
