"""A text that is said again: what is taken over, what is not, and that the answer says so."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest

from scrubjay import Memory, NotFound, Scrubjay
from tests.support.clock import Clock
from tests.support.commands import Run
from tests.support.contents import ids

Open = Callable[..., Scrubjay]
TEXT = "Releases go out on Fridays"


@pytest.fixture
def agent(jay: Scrubjay, reopen: Open) -> Iterator[Scrubjay]:
    with reopen(trust="agent", actor="claude") as opened:
        yield opened


def kept(jay: Scrubjay, id: int) -> Memory:
    memory = jay.get(id)
    assert memory is not None
    return memory


def given(clock: Clock) -> dict[str, Any]:
    later = clock.now + timedelta(days=3)
    return {"title": "Releases", "context": "Asked in May", "importance": 9, "confidence": 0.4, "expires_at": later}


def test_what_is_given_again_is_taken_over_and_named(jay: Scrubjay, clock: Clock) -> None:
    first = jay.add(TEXT, kind="fact", importance=2)
    again = jay.add(TEXT, kind="fact", **given(clock))
    assert not again.created and again.memory.id == first.memory.id
    assert {name: getattr(again.memory, name) for name in given(clock)} == given(clock)
    assert again.notes == ("1 was known; changed as given: title, context, importance, confidence, expires_at.",)
    assert kept(jay, 1) == again.memory
    assert jay.search("Releases", mode="vector")[0].memory.title == "Releases"
    assert jay.check(deep=True).problems == []


def test_what_was_given_again_is_in_the_history_and_can_be_reverted(
    jay: Scrubjay, agent: Scrubjay, clock: Clock
) -> None:
    first = jay.add(TEXT, kind="fact", tags=["team"], metadata={"by": "Ann"}).memory
    agent.add(TEXT, kind="fact", tags=["urgent"], metadata={"seen": True})
    assert [(edit.actor, set(edit.fields)) for edit in jay.history(1).edits] == [("claude", {"tags", "metadata"})]
    assert set(jay.revert(1).fields) == {"tags", "metadata"}
    assert (kept(jay, 1).tags, kept(jay, 1).metadata) == (first.tags, first.metadata)
    jay.add(TEXT, kind="fact", **given(clock))
    jay.revert(1)
    assert {name: getattr(kept(jay, 1), name) for name in given(clock)} == {
        name: getattr(first, name) for name in given(clock)
    }
    assert jay.check(deep=True).problems == []


def test_saying_again_what_is_known_is_nothing_to_revert(jay: Scrubjay, agent: Scrubjay) -> None:
    agent.add(TEXT, kind="fact")
    assert jay.add(TEXT, kind="fact").memory.trust == "user" and jay.history(1).edits == ()


def test_what_is_not_given_again_stays(jay: Scrubjay, clock: Clock) -> None:
    jay.add(TEXT, kind="fact", **given(clock))
    again = jay.add(TEXT, kind="fact", importance=5)
    assert {name: getattr(again.memory, name) for name in given(clock)} == {**given(clock), "importance": 5}
    assert again.notes[0] == "1 was known; changed as given: importance."
    assert "still expires, on 2026-05-04" in again.notes[1]


def test_someone_less_trusted_adds_what_is_missing_and_changes_nothing(
    jay: Scrubjay, agent: Scrubjay, clock: Clock
) -> None:
    before = jay.add(TEXT, kind="fact", tags=["a"], metadata={"ticket": 7}).memory
    again = agent.add(TEXT, kind="fact", tags=["b"], metadata={"ticket": 8, "seen": 1}, **given(clock))
    assert {name: getattr(again.memory, name) for name in given(clock)} == {
        name: getattr(before, name) for name in given(clock)
    }
    assert (again.memory.tags, again.memory.metadata) == (("a", "b"), {"ticket": 7, "seen": 1})
    assert again.memory.trust == "user"
    refused = "title, context, importance, confidence, expires_at, metadata ticket"
    assert again.notes == (f"Not taken: {refused}. 1 came from the user; `update 1` changes it.",)


def test_someone_more_trusted_is_believed(jay: Scrubjay, agent: Scrubjay, clock: Clock) -> None:
    agent.add(TEXT, kind="fact", importance=1)
    again = jay.add(TEXT, kind="fact", **given(clock))
    assert (again.memory.trust, again.memory.importance) == ("user", 9)


def test_where_it_first_came_from_stays_and_is_said(jay: Scrubjay, clock: Clock) -> None:
    first = jay.add(TEXT, kind="fact", source="page:1", project="garden")
    again = jay.add(TEXT, kind="fact", source="page:2", project="kitchen", happened_at=clock.now - timedelta(days=9))
    assert (again.memory.source, again.memory.project, again.memory.happened_at) == ("page:1", "garden", clock.now)
    assert again.notes == ("Not taken: project, source, happened_at. 1 keeps what it had when it was first said.",)
    assert first.notes == ()


def test_many_at_once_are_merged_by_the_same_rules(jay: Scrubjay) -> None:
    one, two = jay.add_many([{"text": TEXT, "kind": "fact"}, {"text": TEXT, "kind": "fact", "importance": 9}])
    assert (one.created, two.created, two.memory.importance) == (True, False, 9)
    (turn,) = jay.add_turns("s", [{"text": "Hello", "position": 0}])
    (other,) = jay.add_turns("s", [{"text": "Goodbye", "position": 0}])
    assert other.memory.text == "Hello" and "Not taken: text" in other.notes[0] and turn.notes == ()


def test_replacing_by_a_known_text_follows_the_same_rules(jay: Scrubjay, agent: Scrubjay) -> None:
    known = jay.add(TEXT, kind="fact", importance=8).memory.id
    old = agent.add("Releases go out at noon", kind="fact", importance=2).memory.id
    added = agent.supersede(old, TEXT, importance=1)
    assert added.memory.id == known and added.memory.importance == 8 and "Not taken: importance" in added.notes[0]


def test_an_agent_that_replaces_one_memory_of_the_users_by_another_is_warned(jay: Scrubjay, agent: Scrubjay) -> None:
    for text in (TEXT, "Releases go out at noon", "Ann likes tea"):
        jay.add(text, kind="fact")
    assert jay.supersede(3, by=2).notes == ()
    jay.revert(3)
    warning = "Memory {0} came from the user; `revert {0}` undoes this change."
    assert agent.supersede(1, by=2).notes == (warning.format(1),)
    assert agent.supersede(3, "Releases go out at noon").notes[-1] == warning.format(3)


def test_the_command_line_says_what_was_not_taken(run: Run) -> None:
    run("add", TEXT, "--kind", "fact")
    told = run("add", TEXT, "--kind", "fact", "--importance", "9", "--trust", "agent")
    assert told.out.startswith("Already known: 1") and "Not taken: importance" in told.err


# Tasks


def life(task: Any) -> tuple[Any, ...]:
    return task.scope, task.priority, task.status, task.due, task.note, task.memory.project


def test_creating_a_known_task_rewrites_nothing_of_it(jay: Scrubjay, agent: Scrubjay, clock: Clock) -> None:
    due = clock.now + timedelta(days=1)
    first = jay.tasks.create("Buy milk", scope="ann", priority="high", due=due, note="two", project="home")
    other: dict[str, Any] = {
        "scope": "bob", "priority": "low", "due": due + timedelta(days=1), "note": "three", "project": "work"
    }  # fmt: skip
    for who in (jay, agent):
        again = who.tasks.create("Buy milk", **other)
        assert again.memory.id == first.memory.id and life(again) == life(first) == life(jay.tasks.get(1))
        told = " ".join(again.notes)
        assert "it keeps its scope, priority, due, note" in told and "Not taken: project" in told
        assert "`tasks update 1`" in told


def test_a_known_task_is_filled_in_by_its_like_and_not_by_someone_less_trusted(jay: Scrubjay, agent: Scrubjay) -> None:
    jay.tasks.create("Buy milk")
    assert agent.tasks.create("Buy milk", note="spam").note is None
    again = jay.tasks.create("Buy milk", note="two", priority="normal")
    assert again.note == "two" and again.notes == ()


def test_a_finished_task_begins_anew_for_its_like_only(jay: Scrubjay, agent: Scrubjay, clock: Clock) -> None:
    jay.tasks.create("Buy milk", scope="ann", priority="high")
    jay.tasks.update(1, status="completed")
    told = agent.tasks.create("Buy milk")
    assert told.status == "completed" and "`tasks update 1 --status pending` reopens it" in told.notes[-1]
    anew = jay.tasks.create("Buy milk", scope="bob", due=clock.now)
    assert (anew.status, anew.scope, anew.priority, anew.due) == ("pending", "ann", "high", clock.now)
    assert "keeps its scope" in anew.notes[-1]


def test_the_command_line_says_what_a_known_task_keeps(run: Run) -> None:
    run("tasks", "create", "Buy milk", "--priority", "high")
    told = run("tasks", "create", "Buy milk", "--priority", "low")
    assert told.out == "Task 1 is pending: Buy milk\n" and "keeps its priority" in told.err
    assert run("tasks", "--json").json["tasks"][0]["priority"] == "high"


# Deleting several


@pytest.mark.parametrize("wrong", [77, 0, "seven"])
def test_several_are_deleted_or_none(jay: Scrubjay, wrong: Any) -> None:
    one, two = (jay.add(text).memory.id for text in ("one", "two"))
    with pytest.raises(Exception, match=str(wrong)):
        jay.delete(one, wrong, two)
    assert set(ids(jay.list())) == {one, two}
    jay.delete(one, two, one)
    assert jay.list() == []


def test_a_memory_of_another_space_stops_a_deletion_whole(jay: Scrubjay) -> None:
    own, foreign = jay.add("one").memory.id, jay.lend(space="other").add("two").memory.id
    with pytest.raises(NotFound, match=f"no memory {foreign} in space 'default'"):
        jay.delete(own, foreign)
    assert ids(jay.list()) == [own]


# Turns


def test_a_turn_that_is_corrected_stays_in_its_conversation(jay: Scrubjay, run: Run) -> None:
    said = [{"speaker": "Ann", "text": "I moved to Lisbon in May."}, {"speaker": "Bob", "text": "How nice!"}]
    turn, other = ids(jay.add_turns("session-1", said))  # type: ignore[arg-type]
    new = jay.supersede(turn, "Ann lives in Porto since October.").memory
    assert ids(jay.sessions.turns("session-1")) == [turn, other]
    assert set(ids(jay.list(session="session-1"))) == {turn, other}
    assert turn in ids(jay.timeline(other))
    assert jay.sessions.get("session-1").turns == 2 and new.session is None
    assert turn not in ids(jay.search("where does Ann live?"))
    assert ids(jay.history(turn)) == [turn, new.id]
    neighbours = jay.search("How nice", kinds=["turn"])[0].neighbours
    assert ids(neighbours) == [turn]


def test_an_exported_conversation_marks_what_was_corrected(jay: Scrubjay, run: Run) -> None:
    (turn,) = ids(jay.add_turns("s", [{"speaker": "Ann", "text": "I live in Lisbon."}]))
    jay.supersede(turn, "Ann lives in Porto.")
    told = run("sessions", "export", "s", "--store", jay.stats().file)
    assert "I live in Lisbon." in told.out and f"corrected by {turn + 1}" in told.out


def test_a_session_whose_last_turn_was_corrected_is_not_drawn_from_for_ever(jay: Scrubjay) -> None:
    (turn,) = ids(jay.add_turns("s", [{"speaker": "user", "text": "I prefer tabs over spaces in every project."}]))
    jay.supersede(turn, "The user prefers spaces.")
    assert jay.extract(rules=True).remaining == 0
