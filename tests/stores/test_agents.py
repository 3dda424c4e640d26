"""The store's rules about agents: tasks, sessions, events, tokens, the ledger."""

from __future__ import annotations

import pytest

from scrubjay.errors import Invalid, NotFound
from scrubjay.stores import Store
from scrubjay.stores.agents.withheld import PrivatePart
from scrubjay.stores.contract import NewMemory
from scrubjay.types.agents import Session, Task
from scrubjay.types.models import Job
from scrubjay.types.tokens import Token
from tests.support.stored import NOW, SPACE, everything, later, made, put, step, vectors

ANY = {"statuses": (), "scope": None, "project": None, "priority": None, "due_before": None}


def tasks(store: Store, **wanted: object) -> list[str]:
    return [task.memory.text for task in store.tasks.find(SPACE, NOW, **{**ANY, **wanted})]


def test_a_memory_of_kind_task_stands_somewhere(store: Store) -> None:
    task = store.tasks.get(put(store, "Paint", kind="task").id, SPACE, NOW)
    assert (task.status, task.priority, task.scope, task.due) == ("pending", "normal", "user", None)
    with pytest.raises(NotFound, match="There is no task"):
        store.tasks.get(put(store, "Red").id, SPACE, NOW)


def test_tasks_are_found_the_most_pressing_first(store: Store) -> None:
    given: dict[str, dict[str, object]] = {"c": {}, "b": {"priority": "high"}, "a": {"due": later(5)}}
    for text, fields in given.items():
        store.tasks.begin(put(store, text, kind="task").id, SPACE, NOW, fields)
    assert tasks(store) == ["a", "b", "c"]
    assert tasks(store, due_before=later(6)) == ["a"] and tasks(store, priority="high") == ["b"]
    assert tasks(store, statuses=("completed",)) == []


def test_a_change_of_a_task_is_kept_and_undone(store: Store) -> None:
    id = put(store, "Paint", kind="task").id

    def done(task: Task) -> dict[str, str]:
        return {"status": "completed", "priority": task.priority}

    assert store.tasks.change(id, SPACE, later(1), done, "me").status == "completed"
    assert store.revisions.undo(id, [SPACE], later(2), None, None, "user").fields == ("task.status",)
    assert store.tasks.get(id, SPACE, NOW).status == "pending"


def test_a_task_that_is_worded_anew_stands_where_it_stood(store: Store) -> None:
    old = put(store, "Paint", kind="task")
    store.tasks.begin(old.id, SPACE, NOW, {"status": "in_progress"})
    task = NewMemory(made("Paint it", kind="task"), replaces=[step(old.id)])
    new = store.memories.put([task], None)[0].memory
    assert store.tasks.get(new.id, SPACE, NOW).status == "in_progress"


def test_a_session_begins_ends_and_is_resumed(store: Store) -> None:
    begun = store.sessions.begin(SPACE, "s", "p", "c", NOW)
    assert begun == Session(
        space=SPACE, name="s", project="p", client="c", started_at=NOW, ended_at=None, summary=None, turns=0,
        tool_calls=0,
    )  # fmt: skip
    assert store.sessions.count_tool_calls(SPACE, "s", 3).tool_calls == 3
    assert store.sessions.end(SPACE, "s", later(1), None).ended_at == later(1)
    assert store.sessions.find(SPACE, True, 5, NOW) == [] and len(store.sessions.find(SPACE, False, 5, NOW)) == 1
    assert store.sessions.begin(SPACE, "s", None, None, later(2)).ended_at is None
    with pytest.raises(NotFound, match="There is no session"):
        store.sessions.get(SPACE, "t", NOW)


def test_what_a_session_was_shown_is_remembered(store: Store) -> None:
    memory = put(store, "Tea")
    store.sessions.note_shown(SPACE, "s", [memory.id, 999], NOW)
    store.sessions.note_shown(SPACE, "s", [memory.id], later(1))
    assert store.sessions.shown(SPACE, "s") == {memory.id} and store.sessions.shown(SPACE, "t") == set()


def test_events_are_told_the_newest_first(store: Store) -> None:
    old, new = put(store, "Red"), put(store, "Blue", at=later(1))
    store.sessions.begin(SPACE, "s", None, None, later(2))
    store.revisions.link(old.id, new.id, [SPACE], step(old.id, later(3)))
    events = store.sessions.events(everything(include_superseded=True), SPACE, 10, False)
    assert [event.what for event in events][:2] == ["replaced", "session started"]
    only = store.sessions.events(everything(include_superseded=True), SPACE, 1, True)
    assert [event.at for event in only] == [later(1)]


def test_private_parts_stay_open_until_they_are_closed(store: Store) -> None:
    assert store.withheld.private(SPACE, "s") == PrivatePart()
    store.withheld.put_private(SPACE, "s", PrivatePart(2, 7))
    assert store.withheld.private(SPACE, "s") == PrivatePart(2, 7)
    store.withheld.put_private(SPACE, "s", PrivatePart())
    assert store.withheld.private(SPACE, "s") == PrivatePart()


def test_a_token_is_found_by_its_digest_and_can_be_revoked(store: Store) -> None:
    token = Token(name="t", spaces=("a",), scopes=("read",), created_at=NOW)
    store.tokens.put(token, b"digest")
    with pytest.raises(Invalid, match="already"):
        store.tokens.put(token, b"other")
    store.tokens.note("t", later(1))
    found = store.tokens.get(b"digest")
    assert found is not None and found[0].last_used_at == later(1) and found[1] == b"digest"
    assert store.tokens.revoke("t", later(2)).revoked_at == later(2)
    with pytest.raises(NotFound):
        store.tokens.revoke("t", later(2))
    store.tokens.put(token, b"new")
    assert len(store.tokens.all()) == 2


def test_what_a_model_refuses_is_quarantined_and_counted(store: Store) -> None:
    put(store, "One", vectors(0))
    memory = put(store, "Two")
    store.ledger.quarantine("current", {memory.id: "too odd", 999: "gone"}, NOW)
    store.ledger.quarantine("current", {memory.id: "still odd"}, later(1))
    ((id, reason, times, at),) = [
        (one.memory, one.reason, one.times, one.at) for one in store.ledger.quarantined(SPACE)
    ]
    assert (id, reason, times, at) == (memory.id, "still odd", 2, later(1))
    assert store.vectors.count_pending("current") == 0 and store.vectors.count_pending("current", refused=True) == 1


def test_the_ledger_adds_up(store: Store) -> None:
    store.ledger.spend("2026-05", "m", 1, 2)
    store.ledger.spend("2026-05", "m", 10, 20)
    store.ledger.spend("2026-05", "n", 100, 200)
    assert store.ledger.spent("2026-05").tokens == 333 and store.ledger.spent("2026-06").tokens == 0


def test_jobs_are_kept_until_they_end(store: Store) -> None:
    store.ledger.put_job("spec", Job("1", NOW))
    store.ledger.put_job("spec", Job("1", NOW, "lost"))
    store.ledger.put_job("spec", Job("2", later(1)))
    assert store.ledger.jobs("spec") == [Job("1", NOW, "lost"), Job("2", later(1))] and store.ledger.jobs("x") == []
    store.ledger.end_job("spec", "1")
    assert [job.id for job in store.ledger.jobs("spec")] == ["2"]


def test_how_far_a_conversation_was_gone_through_never_goes_back(store: Store) -> None:
    for text in ("a", "b", "c"):
        put(store, text, kind="turn", session="s")
    assert store.ledger.unextracted(SPACE) == ["s"] and store.ledger.extracted_to(SPACE, "s") == -1
    store.ledger.mark_extracted(SPACE, "s", 2, "rules", NOW)
    store.ledger.mark_extracted(SPACE, "s", 1, "rules", NOW)
    assert store.ledger.unextracted(SPACE) == [] and store.ledger.extracted_to(SPACE, "s") == 2
