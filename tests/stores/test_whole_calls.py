"""A call that fails has changed nothing, whichever of its writes it was that failed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw
import pytest

import scrubjay
from scrubjay import Scrubjay
from scrubjay.errors import StoreError
from scrubjay.stores.sqlite.connections import Connections
from tests.support.clock import Clock

# Best effort: how often a memory was used, and what is only made from other rows.
UNIMPORTANT = "'accesses', 'cache_use', 'changes', 'vocabulary', 'cached', 'sqlite_sequence', 'told'"
Call = Callable[[Scrubjay], object]


@contextmanager
def full_from(commit: int) -> Iterator[list[int]]:
    """A disk on which there is no room from the nth commit on; what is yielded counts commits."""
    really, count = Connections._commit, [0]

    def fail_or_commit(self: Connections, connection: apsw.Connection) -> None:
        count[0] += 1
        if count[0] >= commit:
            raise apsw.FullError("database or disk is full")
        really(self, connection)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Connections, "_commit", fail_or_commit)
        yield count


def rows(path: Path) -> dict[str, list[Any]]:
    db = apsw.Connection(str(path))
    try:
        names = f"select name from sqlite_schema where type = 'table' and name not in ({UNIMPORTANT})"
        tables = [name for (name,) in db.execute(names) if not name.startswith("words")]
        return {name: sorted(map(repr, db.execute(f"select * from {name}"))) for name in tables}
    finally:
        db.close()


def filled(path: Path, clock: Clock) -> Scrubjay:
    jay = scrubjay.open(path, embedder="hashing", clock=clock)
    jay.add("The user prefers the dark theme", kind="preference", subject="user")
    jay.add("The lamp is red", kind="fact", subject="lamp")
    jay.supersede(2, "The lamp is green")
    jay.tasks.create("Buy a lamp", scope="home")
    jay.update(3, title="Lamps")
    jay.sessions.start("talk")
    jay.add_turns("talk", [{"speaker": "Ann", "text": "Which lamp? <private>The one of"}])
    jay.delete(jay.add("The door is open", kind="fact").memory.id)
    jay.add_turns("facts", [{"speaker": "user", "text": text} for text in ("I live in Rome.", "My name is Ann Lee.")])
    jay.contacts.create(name="Ann", email="ann@example.org")
    jay.projects.create(name="Orion")
    jay.skills.create(name="light", instructions="Light the lamp")
    clock.pass_(minutes=1)
    return jay


CALLS: dict[str, Call] = {
    "add with a conflict": lambda jay: jay.add("The user prefers the light theme", kind="preference", subject="user"),
    "add in the place of another": lambda jay: jay.add("The lamp is blue", kind="fact", supersedes=3),
    "add with a secret": lambda jay: jay.add("The password is hunter2Xk9qLm", kind="fact", allow_secret=True),
    "add what is known": lambda jay: jay.add("The lamp is green", kind="fact", subject="lamp", importance=9),
    "add many": lambda jay: jay.add_many([{"text": "One", "kind": "fact"}, {"text": "Two", "kind": "fact"}]),
    "open a private part": lambda jay: jay.add_turns("other", [{"text": "Well, <private>you know"}]),
    "close a private part": lambda jay: jay.add_turns("talk", [{"text": "Bob</private>, as I said"}]),
    "add an exchange": lambda jay: jay.add_exchange("Which lamp?", "The green one"),
    "create a task": lambda jay: jay.tasks.create("Sell a lamp", scope="shop", priority="high", note="soon"),
    "create a known task": lambda jay: jay.tasks.create("Buy a lamp", note="soon", tags=["lamp"]),
    "update a task": lambda jay: jay.tasks.update(4, status="completed"),
    "end a session": lambda jay: jay.sessions.end("talk", "We spoke of lamps"),
    "extract from a session": lambda jay: jay.extract(session="facts", rules=True),
    "supersede": lambda jay: jay.supersede(3, "The lamp is blue"),
    "supersede with a secret": lambda jay: jay.supersede(3, "The password is hunter2Xk9qLm", allow_secret=True),
    "revert an update": lambda jay: jay.revert(3),
    "update": lambda jay: jay.update(3, title="Of lamps", importance=9),
    "delete": lambda jay: jay.delete(1, 2),
    "undelete": lambda jay: jay.undelete(6),
    "set the profile": lambda jay: jay.profile.set("user_info.name", "Ann"),
    "create a contact": lambda jay: jay.contacts.create(name="Ben"),
    "update a contact": lambda jay: jay.contacts.update("ann@example.org", role="CTO", reason="new"),
    "delete a contact": lambda jay: jay.contacts.delete("ann@example.org"),
    "set the source of a project": lambda jay: jay.projects.set_source("Orion", "jira", status="ok"),
    "say how a skill ran": lambda jay: jay.skills.ran("light", "error", summary="no lamp"),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_call_that_fails_has_changed_nothing(path: Path, clock: Clock, name: str) -> None:
    with filled(path, clock) as jay, full_from(1) as commits:
        before = rows(path)
        for failing in range(1, 10):
            commits[0] = 1 - failing  # the commits before it succeed
            try:
                CALLS[name](jay)
            except StoreError:
                assert rows(path) == before
            else:
                break
        assert rows(path) != before and failing > 1


def test_on_a_full_disk_everything_can_be_read(path: Path, clock: Clock) -> None:
    with filled(path, clock) as jay, full_from(1):
        assert jay.search("lamp").hits and jay.context("lamp", session="yet another").memories
        assert jay.context(session="another").memories and jay.get(3) and jay.list() and jay.stats().memories
        assert jay.history(3).steps and jay.timeline() and jay.trash.list() and jay.tasks.list()


@pytest.mark.parametrize("days", ["0", "30"])
@pytest.mark.parametrize("commit", [1, 2])
def test_what_was_deleted_and_could_not_be_erased_is_said_to_be(
    path: Path, clock: Clock, commit: int, days: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first commit of an erasure deletes the rows, the second one rewrites the index of words."""
    monkeypatch.setenv("SCRUBJAY_TRASH_DAYS", days)
    with filled(path, clock) as jay:
        if days == "30":
            jay.delete(1)
        full = full_from(commit if days == "30" else commit + 1)
        with full, pytest.raises(StoreError, match=r"in no answer, but still in the file .* is full.* `scrubjay trash"):
            jay.trash.empty() if days == "30" else jay.delete(1)
        assert jay.get(1) is None
        jay.trash.empty()
    assert b"dark theme" not in path.read_bytes()
