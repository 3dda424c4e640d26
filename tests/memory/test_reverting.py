"""Undoing: a change comes apart whole, and two current memories never say the same."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from scrubjay import Invalid, Scrubjay
from scrubjay.upkeep.synthesise import Change, Plan
from tests.support.clock import Clock
from tests.support.commands import Run
from tests.support.contents import ids

Open = Callable[..., Scrubjay]


def current(jay: Scrubjay) -> set[int]:
    return set(ids(jay.list()))


def two_greens(jay: Scrubjay, **again: Any) -> tuple[int, int, int]:
    """Green, corrected to red; then green is said again."""
    green = jay.add("The lamp is green", kind="fact").memory.id
    red = jay.supersede(green, "The lamp is red").memory.id
    return green, red, jay.add("The lamp is green", kind="fact", **again).memory.id


# Beside an equal memory


@pytest.mark.parametrize("which", [0, 1])
def test_a_revert_beside_an_equal_memory_leaves_one_and_says_which(jay: Scrubjay, which: int) -> None:
    green, red, again = chain = two_greens(jay)
    undone = jay.revert(chain[which])
    assert (undone.old, undone.new) == (green, red)
    assert undone.restored == () and undone.notes == (f"{again} says the same as {green}, so only {again} is current.",)
    assert current(jay) == {again} == set(ids(jay.search("lamp")))
    assert set(ids(jay.history(green))) == {green, red, again}
    assert jay.check(deep=True).problems == []


@pytest.mark.parametrize("which", [0, 1, 2])
def test_such_a_revert_is_undone_by_another(jay: Scrubjay, clock: Clock, which: int) -> None:
    green, red, again = chain = two_greens(jay)
    for _ in range(3):
        clock.pass_(minutes=1)
        jay.revert(green)
        assert current(jay) == {again}
        clock.pass_(minutes=1)
        jay.revert(chain[which])
        assert current(jay) == {red, again}
        memory = jay.get(green)
        assert memory is not None and memory.superseded_by == red
    assert jay.check(deep=True).problems == []


def test_what_was_true_then_is_told_across_such_a_revert(jay: Scrubjay, clock: Clock) -> None:
    green, red, again = two_greens(jay)
    before = clock.now
    clock.pass_(hours=1)
    jay.revert(green)
    clock.pass_(hours=1)
    assert set(ids(jay.list(as_of=before))) == {red, again}
    assert set(ids(jay.list(as_of=clock.now))) == {again}


def test_of_two_equal_memories_the_more_trusted_one_stays(jay: Scrubjay) -> None:
    green, red, again = two_greens(jay, trust="agent")
    undone = jay.revert(red)
    assert undone.restored == (green,) and str(again) in undone.notes[0]
    assert current(jay) == {green}
    jay.revert(red)
    assert current(jay) == {red, again}


def test_of_two_equal_memories_the_one_that_lasts_longer_stays(jay: Scrubjay, clock: Clock) -> None:
    green, red, _ = two_greens(jay, expires_at=clock.now + timedelta(days=1))
    jay.revert(red)
    clock.pass_(days=2)
    assert current(jay) == {green}


def test_two_chains_that_come_back_to_the_same_are_one(jay: Scrubjay) -> None:
    green, _, again = two_greens(jay)
    blue = jay.supersede(again, "The lamp is blue").memory.id
    jay.revert(green)
    jay.revert(again)
    assert current(jay) == {green}
    jay.revert(again)
    assert current(jay) == {green, blue}


def test_undoing_a_link_to_another_memory_beside_an_equal_one(jay: Scrubjay) -> None:
    green = jay.add("The lamp is green", kind="fact").memory.id
    other = jay.add("All lamps are green", kind="fact").memory.id
    jay.supersede(green, by=other)
    again = jay.add("The lamp is green", kind="fact").memory.id
    jay.revert(green)
    assert current(jay) == {other, again}
    jay.revert(green)
    memory = jay.get(green)
    assert memory is not None and memory.superseded_by == other and current(jay) == {other, again}


def test_an_equal_memory_that_was_deleted_since_is_not_waited_for(jay: Scrubjay) -> None:
    green, red, again = two_greens(jay)
    jay.revert(green)
    jay.revert(green)
    jay.delete(again)
    jay.revert(green)
    assert current(jay) == {green}
    jay.revert(green)
    assert current(jay) == {red}


def test_the_title_of_a_memory_that_has_expired_since_is_put_back(jay: Scrubjay, clock: Clock) -> None:
    id = jay.add("Ann is away", kind="fact", expires_at=clock.now + timedelta(hours=1)).memory.id
    jay.update(id, title="Ann")
    clock.pass_(hours=2)
    assert jay.revert(id).fields == ("title",)


def test_a_turn_that_was_corrected_comes_back(jay: Scrubjay) -> None:
    turn = jay.add_turns("talk", [{"speaker": "Ann", "text": "The train leaves at five"}])[0].memory.id
    correction = jay.supersede(turn, "The train leaves at six").memory.id
    undone = jay.revert(turn)
    assert undone.restored == (turn,) and undone.notes == ()
    assert current(jay) == {turn} and jay.history(turn)[0].superseded_by is None
    jay.delete(turn)
    assert jay.undelete(turn).superseded_by is None
    jay.revert(turn)
    assert current(jay) == {correction} and jay.check(deep=True).problems == []


def test_a_task_comes_back_once(jay: Scrubjay) -> None:
    milk = jay.tasks.create("Buy milk").memory.id
    jay.supersede(milk, "Buy oat milk")
    again = jay.tasks.create("Buy milk", priority="high").memory.id
    jay.revert(milk)
    assert [(task.memory.id, task.priority) for task in jay.tasks.list()] == [(again, "high")]


def test_an_update_does_not_make_a_memory_equal_to_another(jay: Scrubjay) -> None:
    one = jay.add("It is green", kind="fact", subject="lamp").memory.id
    other = jay.add("It is green", kind="fact", subject="door").memory.id
    with pytest.raises(Invalid, match=f"Memory {one} says the same already"):
        jay.update(other, subject="lamp")
    memory = jay.get(other)
    assert memory is not None and memory.subject == "door"


def test_an_update_beside_an_expired_memory_is_no_repetition(jay: Scrubjay, clock: Clock) -> None:
    jay.add("Bob is away", kind="fact", subject="bob", expires_at=clock.now + timedelta(hours=1))
    jay.add("Bob is away", kind="fact", subject="robert")
    clock.pass_(days=1)
    assert jay.update(2, subject="bob").subject == "bob"


def test_an_expiry_that_is_undone_brings_back_no_repetition(jay: Scrubjay, clock: Clock) -> None:
    jay.add("Bob is away", kind="fact")
    jay.update(1, expires_at=clock.now + timedelta(hours=1))
    clock.pass_(days=1)
    assert jay.add("Bob is away", kind="fact").memory.id == 2
    with pytest.raises(Invalid, match="Memory 2 says the same already"):
        jay.revert(1)
    assert current(jay) == {2}


def test_the_command_line_says_which_of_two_equal_memories_stays(run: Run) -> None:
    run("add", "The lamp is green", "--kind", "fact")
    run("supersede", "1", "The lamp is red")
    run("add", "The lamp is green", "--kind", "fact")
    told = run("revert", "2")
    assert told.out == "2 no longer replaces 1.\n" and "only 3 is current" in told.err
    assert run("revert", "2").out == "Restored 2; 1 no longer replaces it.\n"


# Merges


def merged(jay: Scrubjay, text: str, *olds: str) -> tuple[list[int], int]:
    found = [jay.add(old, kind="fact", trust="agent").memory.id for old in olds]
    made = jay.apply(Plan((Change("merge", tuple(found), text, "alike"),)))
    assert made.notes == ()
    (new,) = (memory.id for memory in jay.list() if memory.text == text)
    return found, new


@pytest.mark.parametrize("which", [0, 1, 2, 3])
def test_a_merge_is_undone_whole_from_any_of_its_memories(jay: Scrubjay, which: int) -> None:
    olds, new = merged(jay, "User likes all tea", "User likes tea", "User drinks tea", "Tea is liked")
    assert current(jay) == {new}
    undone = jay.revert([*olds, new][which])
    assert undone.restored == tuple(olds) and current(jay) == set(olds)
    jay.revert(new)
    assert current(jay) == {new}
    assert jay.check(deep=True).problems == []


def test_a_merge_into_one_of_them_is_undone_whole(jay: Scrubjay) -> None:
    olds, new = merged(jay, "User likes tea", "User likes tea", "User drinks tea", "Tea is liked")
    assert new == olds[0] and current(jay) == {new}
    jay.revert(olds[2])
    assert current(jay) == set(olds)


def test_what_a_known_memory_took_over_with_a_merge_goes_with_it(jay: Scrubjay, clock: Clock) -> None:
    known = jay.add("User likes tea", kind="fact", tags=["drink"], metadata={"by": "Ann"}).memory
    for undone in (known.id, 2):
        old = jay.add("User drinks tea", kind="fact").memory
        clock.now += timedelta(minutes=1)
        jay.supersede(old.id, "User likes tea", tags=["hot"], metadata={"seen": True}, importance=9)
        assert current(jay) == {known.id}
        clock.now += timedelta(minutes=1)
        assert jay.revert(undone).notes == ("1 no longer has what it took over then: importance, tags, metadata.",)
        after = jay.get(known.id)
        assert after is not None and (after.tags, after.metadata, after.importance) == (("drink",), {"by": "Ann"}, 5)
        assert current(jay) == {known.id, old.id} and jay.check(deep=True).problems == []
    with pytest.raises(Invalid, match="nothing to revert"):
        jay.revert(known.id)


def test_what_was_updated_before_or_since_a_merge_stays_when_that_is_undone(jay: Scrubjay, clock: Clock) -> None:
    known = jay.add("User likes tea", kind="fact").memory.id
    old = jay.add("User drinks tea", kind="fact").memory.id
    jay.update(known, importance=9)
    clock.now += timedelta(minutes=1)
    jay.supersede(old, "User likes tea")
    assert jay.revert(known).notes == ()
    jay.supersede(old, "User likes tea", tags=["hot"])
    clock.now += timedelta(minutes=1)
    jay.update(known, tags=["hot", "green"])
    assert jay.revert(old).notes == ()
    memory = jay.get(known)
    assert memory is not None and (memory.importance, memory.tags) == (9, ("hot", "green"))


def test_trust_that_a_memory_gained_with_a_correction_goes_with_it(jay: Scrubjay) -> None:
    jay.add("The staging port is 9090", kind="fact", trust="external", tags=["ext"])
    jay.add("The staging port is 8080", kind="fact")
    jay.supersede(2, "The staging port is 9090", tags=["new"])
    assert jay.view.existing(1).trust == "user" and jay.history(1).edits[0].fields == ("trust", "tags")
    assert jay.revert(1).notes == ("1 no longer has what it took over then: trust, tags.",)
    assert (jay.view.existing(1).trust, jay.view.existing(1).tags) == ("external", ("ext",))


def test_so_does_trust_that_it_gained_with_a_merge(jay: Scrubjay) -> None:
    jay.add("The kettle is red", kind="fact", trust="external")
    for text in ("The kettle is reddish", "A red kettle it is"):
        jay.add(text, kind="fact", trust="agent")
    jay.apply(Plan((Change("merge", (2, 3), "The kettle is red", "alike"),)))
    assert jay.view.existing(1).trust == "agent"
    jay.revert(2)
    assert jay.view.existing(1).trust == "external"


def test_trust_of_a_text_that_was_only_said_again_stays(jay: Scrubjay) -> None:
    jay.add("The kettle is red", kind="fact", trust="agent")
    jay.add("The kettle is red", kind="fact")
    assert jay.view.existing(1).trust == "user" and jay.history(1).edits == ()


def test_an_agent_that_reverts_a_correction_of_the_users_takes_no_trust_from_a_memory(
    jay: Scrubjay, reopen: Open
) -> None:
    jay.add("The port is 9090", kind="fact", trust="external", tags=["ext"])
    jay.add("The port is 8080", kind="fact")
    jay.supersede(2, "The port is 9090", tags=["new"])
    with reopen(trust="agent") as agent:
        assert "1 keeps the trust user." in agent.revert(1).notes
    assert (jay.view.existing(1).trust, jay.view.existing(1).tags) == ("user", ("ext",))


def test_a_merge_that_cannot_be_made_whole_is_not_made_in_part(jay: Scrubjay) -> None:
    olds = [jay.add(text, kind="fact", trust="agent").memory.id for text in ("one tea", "two teas")]
    plan = Plan((Change("merge", (olds[0], olds[1], 99), "tea", "alike"),))
    assert jay.apply(plan).changes == () and current(jay) == set(olds)


# Updates


def test_an_update_by_an_agent_is_in_the_history_and_can_be_reverted(jay: Scrubjay, reopen: Open) -> None:
    id = jay.add("Port is 80", kind="fact", tags=["net"], metadata={"ticket": 7}, importance=8).memory.id
    before = jay.get(id)
    with reopen(trust="agent", actor="claude") as agent:
        agent.update(id, tags=["x"], metadata={"ticket": None}, importance=1, title="No port")
    (edit,) = jay.history(id).edits
    assert edit.actor == "claude" and set(edit.fields) == {"tags", "metadata", "importance", "title"}
    undone = jay.revert(id, reason="not asked for")
    assert undone.fields == edit.fields and undone.old == undone.new == id
    after = jay.get(id)
    assert before is not None and after is not None
    assert (after.tags, after.metadata, after.importance, after.title) == (("net",), {"ticket": 7}, 8, before.title)
    assert jay.history(id).edits[0].undone_reason == "not asked for"
    assert jay.check(deep=True).problems == []
    with pytest.raises(Invalid, match="nothing to revert"):
        jay.revert(id)


def test_the_last_thing_done_is_undone_first(jay: Scrubjay) -> None:
    old = jay.add("Port is 80", kind="fact").memory.id
    new = jay.supersede(old, "Port is 81").memory.id
    jay.update(new, importance=9)
    jay.update(new, importance=10)
    for expected in (9, 5):
        jay.revert(new)
        memory = jay.get(new)
        assert memory is not None and memory.importance == expected and current(jay) == {new}
    jay.revert(new)
    assert current(jay) == {old}


def test_what_was_replaced_comes_back_first_with_its_updates(jay: Scrubjay) -> None:
    old = jay.add("Port is 80", kind="fact").memory.id
    jay.supersede(old, "Port is 81")
    jay.update(old, importance=9)
    jay.revert(old)
    memory = jay.get(old)
    assert current(jay) == {old} and memory is not None and memory.importance == 9


def test_a_task_that_an_agent_changed_can_be_put_back(jay: Scrubjay, reopen: Open) -> None:
    task = jay.tasks.create("Buy milk", priority="high", scope="home").memory.id
    with reopen(trust="agent", actor="claude") as agent:
        changed = agent.tasks.update(task, status="completed", priority="low", note="done")
    assert changed.notes == (f"Memory {task} came from the user; `revert {task}` undoes this change.",)
    assert jay.history(task).edits[0].fields == ("task.status", "task.priority", "task.note")
    jay.revert(task)
    back = jay.tasks.get(task)
    assert (back.status, back.priority, back.note, back.scope) == ("pending", "high", None, "home")


def test_a_new_task_has_nothing_to_revert(jay: Scrubjay) -> None:
    with pytest.raises(Invalid, match="nothing to revert"):
        jay.revert(jay.tasks.create("Buy milk", priority="high").memory.id)


def test_what_an_agent_reverts_of_the_users_can_be_put_back(jay: Scrubjay, reopen: Open) -> None:
    task = jay.tasks.create("Buy milk").memory.id
    jay.tasks.update(task, priority="high")
    with reopen(trust="agent", actor="claude") as agent:
        undone = agent.revert(task)
    assert undone.notes == (f"Memory {task} came from the user; `revert {task}` undoes this change.",)
    assert jay.tasks.get(task).priority == "normal"
    jay.revert(task)
    assert jay.tasks.get(task).priority == "high"


def run_commands(jay: Scrubjay, note: str) -> None:
    """Do what a note says that undoes a change."""
    for command in re.findall("`([^`]*)`", note):
        verb, id, *by = command.split()
        if verb == "revert":
            jay.revert(int(id))
        else:
            jay.supersede(int(id), by=int(by[1]))


@pytest.mark.every_store
@pytest.mark.parametrize("tags", [[], ["hot"]])
@pytest.mark.parametrize("which", [0, 1])
def test_what_an_agent_is_told_after_it_has_reverted_a_merge_of_the_users_undoes_that(
    jay: Scrubjay, which: int, tags: list[str]
) -> None:
    known = jay.add("User likes tea", kind="fact", tags=["drink"]).memory.id
    old = jay.add("User drinks tea", kind="fact").memory.id
    jay.supersede(old, "User likes tea", tags=tags)
    before = jay.get(known)
    assert before is not None and before.tags == ("drink", *tags)
    *_, note = jay.lend(trust="agent", actor="claude").revert([known, old][which]).notes
    assert current(jay) == {known, old} and f"`supersede {old} --by {known}`" in note
    run_commands(jay, note)
    after = jay.get(known)
    assert current(jay) == {known} and after is not None and after.tags == before.tags
    assert jay.check(deep=True).problems == []


@pytest.mark.parametrize("which", [0, 1, 2, 3])
def test_who_is_less_trusted_is_told_what_undoes_the_revert_of_a_merge_into_a_new_text(
    jay: Scrubjay, which: int
) -> None:
    olds, new = merged(jay, "User likes all tea", "User likes tea", "User drinks tea", "Tea is liked")
    (note,) = jay.lend(trust="external").revert([*olds, new][which]).notes
    assert current(jay) == set(olds)
    run_commands(jay, note)
    assert current(jay) == {new} and jay.check(deep=True).problems == []


@pytest.mark.every_store
def test_a_merge_that_was_undone_is_undone_for_the_tags_of_a_memory_in_the_trash_too(jay: Scrubjay) -> None:
    known = jay.add("User likes tea", kind="fact", tags=["drink"]).memory.id
    olds = [jay.add(text, kind="fact").memory.id for text in ("User drinks tea", "Tea is liked")]
    for old, tag in zip(olds, ("hot", "green"), strict=True):
        jay.supersede(old, "User likes tea", tags=[tag])
    jay.delete(known)
    for old in reversed(olds):
        jay.revert(old)
    assert jay.undelete(known).tags == ("drink",)
    assert current(jay) == {known, *olds} and jay.check(deep=True).problems == []
    with pytest.raises(Invalid, match="nothing to revert"):
        jay.revert(known)
