"""A life with every verb, the same on every store."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from scrubjay import Scrubjay
from tests.support.clock import Clock

__all__ = ["everyday"]


def everyday(jay: Scrubjay, clock: Clock) -> Iterator[Any]:
    """A life with every verb, and what is answered."""
    first = jay.add("Ann prefers dark roast coffee", kind="preference", subject="Ann", tags=["food"])
    jay.add_many([{"text": f"The deploy number {n} of getUserName went well", "kind": "event"} for n in range(5)])
    jay.add("我喜欢喝茶", kind="fact", metadata={"cups": 3, "hot": True, "who": "me"})
    jay.add_turns("talk", [{"speaker": "user", "text": "Which coffee?"}, {"speaker": "bot", "text": "Dark roast."}])
    clock.pass_(hours=1)
    yield [jay.add("Ann prefers dark roast coffee", kind="preference", subject="Ann").created]
    for mode in ("hybrid", "keyword", "vector"):
        yield [(hit.memory.id, round(hit.score, 4)) for hit in jay.search("which coffee does Ann prefer?", mode=mode)]
    yield [[hit.memory.id for hit in jay.search(words)] for words in ("喝茶", "user name", "deploys", "nothing of it")]
    yield [m.id for m in jay.list(metadata={"cups": {">": 2}})] + [m.id for m in jay.list(metadata={"who": "me"})]
    new = jay.supersede(first.memory.id, "Ann prefers light roast coffee").memory
    yield [hit.memory.id for hit in jay.search("roast coffee", include_superseded=True)]
    jay.update(new.id, tags=["drinks"], importance=9)
    jay.revert(new.id)
    yield (
        [(step.old, step.new, step.undone_at is None) for step in jay.history(new.id).steps],
        [m.tags for m in jay.get_many([new.id])],
    )
    jay.delete(3)
    yield [one.memory.id for one in jay.trash.list()], jay.get(3)
    yield jay.undelete(3).text, [hit.memory.id for hit in jay.search("deploy number 1", limit=2)]
    task = jay.tasks.create("Write the report", due=clock().date().isoformat(), priority="high")
    jay.tasks.update(task.memory.id, status="in_progress")
    yield [(one.memory.id, one.status, one.priority) for one in jay.tasks.list()]
    jay.link(1, 2, "depends_on")
    jay.rate(2, helpful=True, session="talk")
    yield [(link.source, link.target, link.word) for link in jay.links(2)], [m.helpful_count for m in jay.get_many([2])]
    jay.profile.set("preferences.tools[0]", "uv", reason="told")
    jay.contacts.create(name="Ann", email="ann@example.org")
    yield jay.profile.get(), [one.email for one in jay.contacts.list()], len(jay.profile.history())
    yield [event.what for event in jay.timeline()], [one.name for one in jay.sessions.list()]
    yield sorted(m.id for m in jay.context("coffee for Ann", tokens=300).memories)
    yield [memory.id for memory in jay.list(kinds=["event"])], jay.conflicts()
    stats = asdict(jay.stats())
    yield {name: stats[name] for name in ("memories", "superseded", "by_kind", "spaces", "without_vector", "model")}
    yield jay.check(deep=True).problems
