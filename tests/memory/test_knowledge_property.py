"""Random histories against a plain model: by one process step by step, and by several at once."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, get_args

import apsw
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

import scrubjay
from scrubjay import Invalid, NotFound, Scrubjay
from scrubjay.types import TRUST, Mode, Trust
from scrubjay.upkeep.synthesise import Change, Plan
from tests.support.clock import Clock
from tests.support.examples import examples
from tests.support.processes import CONTEXT, PATIENCE_SECONDS, together

SPACES = ("home", "work")
TEXTS = tuple(f"The lamp is {colour}" for colour in "red green blue white black amber".split())
EVERYTHING = "lamp"
MOST = 1_000


@dataclass
class Fact:
    id: int
    space: str
    text: str
    happened: datetime
    expires: datetime | None
    trust: Trust = "user"
    confirmed: int = 0


@dataclass
class Link:
    """A step as a reader of the documentation would note it down."""

    old: int
    new: int | None
    effective: datetime
    whole: bool  # one end came only by this step: undoing it takes that end away again
    undone: datetime | None = None
    loose: bool = False  # undone, and both ends stay
    change: int = 0  # links of one change are undone together
    undoes: int | None = None  # the change that this one undid
    same: bool = False  # one would have been current again, and the other said the same


class Model:
    """What is known, in plain lists."""

    def __init__(self) -> None:
        self.facts: dict[int, Fact] = {}
        self.links: list[Link] = []

    def standing(self, *, old: int | None = None, new: int | None = None) -> Link | None:
        found = [each for each in self.links if each.undone is None and (each.old == old or (new and each.new == new))]
        return found[-1] if found else None

    def is_shown(self, id: int, now: datetime) -> bool:
        return id in self.facts and (self.facts[id].expires is None or self.facts[id].expires > now)  # type: ignore[operator]

    def current(self, space: str, now: datetime) -> set[int]:
        return {
            id for id in self.facts
            if self.facts[id].space == space and self.is_shown(id, now) and not self.standing(old=id)
        }  # fmt: skip

    def at(self, space: str, then: datetime) -> set[int]:
        """Current then: it had happened, and no step that stood then had replaced it."""
        replaced = {
            link.old for link in self.links
            if link.effective <= then and (link.undone is None or link.undone > then)
        }  # fmt: skip
        happened = {id for id, fact in self.facts.items() if fact.happened <= then and fact.space == space}
        return {id for id in happened - replaced if self.is_shown(id, then)}

    def same(self, space: str, text: str, now: datetime) -> int | None:
        return min((id for id in self.current(space, now) if self.facts[id].text == text), default=None)

    def replace(self, olds: Iterable[int], new: int, made: bool) -> None:
        change = self.next_change()
        self.links += [Link(old, new, self.facts[new].happened, made, change=change) for old in olds]

    def next_change(self) -> int:
        return 1 + max((link.change for link in self.links), default=0)

    def revert(self, link: Link, now: datetime) -> None:
        """Undo a change whole: by the opposite steps, or by taking those again that it had undone."""
        undone = [each for each in self.links if each.change == link.change and each.undone is None]
        for each in undone:
            each.undone, each.loose = now, True
        change, first = self.next_change(), undone[0]
        if link.undoes is None:
            opposite = [Link(each.new, each.old, now, True) for each in undone if each.whole and each.new is not None]
            undoes = link.change
        else:
            before = [each for each in self.links if each.change == link.undoes and not each.same]
            opposite, undoes = [Link(each.old, each.new, now, each.whole) for each in before], None
        for each in opposite:
            if self.may_be_taken(each, first):
                self.links.append(replace(each, change=change, undoes=undoes))
                for one in undone:
                    one.loose = one.loose and (one.new, one.old) != (each.old, each.new)
        self.keep_one_of_each([each.old for each in undone], now, change, undoes)

    def is_built_upon(self, link: Link) -> bool:
        """Whether what a change made was itself replaced since."""
        made = [each.new for each in self.links if each.change == link.change and each.undone is None and each.whole]
        onward = [self.standing(old=id) for id in made if id is not None]
        return any(each is not None and each.change != link.change for each in onward)

    def may_be_taken(self, link: Link, since: Link) -> bool:
        """Both ends are current, and nothing else was merged into the one that is to go."""
        later = self.links[self.links.index(since) + 1 :]
        merged = any(each.new == link.old and each.undone is None and not each.whole for each in later)
        ends = [link.old] if link.new is None else [link.old, link.new]
        return not merged and not any(self.standing(old=id) for id in ends)

    def keep_one_of_each(self, restored: Sequence[int], now: datetime, change: int, undoes: int | None) -> None:
        for id in restored:
            space = self.facts[id].space
            current = self.current(space, now)
            twins = [other for other in current - {id} if self.facts[other].text == self.facts[id].text]
            if id in current and twins:
                goes, stays = (twins[0], id) if self.lasts(id) > self.lasts(twins[0]) else (id, twins[0])
                self.links.append(Link(goes, stays, now, False, change=change, undoes=undoes, same=True))

    def lasts(self, id: int) -> tuple[int, datetime]:
        fact = self.facts[id]
        return TRUST.index(fact.trust), fact.expires or datetime.max.replace(tzinfo=UTC)

    def delete(self, id: int) -> None:
        onward = self.standing(old=id)
        self.links = [link for link in self.links if link.old != id]
        for link in (each for each in self.links if each.new == id):
            link.new = onward.new if onward and onward.new != link.old else None
            link.whole = link.whole and (onward is None or onward.whole)
        del self.facts[id]

    def chains(self) -> Iterator[set[int]]:
        left = set(self.facts)
        while left:
            chain, edge = set[int](), {min(left)}
            while edge:
                chain |= edge
                pairs = [{link.old, link.new} for link in self.links if link.new is not None]
                edge = {id for pair in pairs if pair & chain for id in pair if id is not None} - chain
            left -= chain
            yield chain


class Knowledge(RuleBasedStateMachine):
    """Anything that can be done to memories, in any order, in two spaces of one file."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.clock = Clock()
        path = Path(self.folder.name) / "memory.db"
        self.jays = {space: scrubjay.open(path, space=space, embedder="hashing", clock=self.clock) for space in SPACES}
        self.model = Model()
        self.moments = [self.clock.now]

    def teardown(self) -> None:
        try:
            for space in SPACES:
                self._agree_about_the_past(space)
            assert self.jays["home"].check(deep=True).problems == []
            assert self._superseded() == {link.old for link in self.model.links if link.undone is None}
        finally:
            for jay in self.jays.values():
                jay.close()
            self.folder.cleanup()

    def pick(self, number: int) -> int:
        ids = sorted(self.model.facts)
        return ids[number % len(ids)]

    @rule(minutes=st.integers(1, 3_000))
    def time_passes(self, minutes: int) -> None:
        self.clock.pass_(minutes=minutes)
        self.moments.append(self.clock.now)

    @rule(
        space=st.sampled_from(SPACES),
        text=st.sampled_from(TEXTS),
        ago=st.integers(0, 60),
        left=st.integers(0, 90),
        trust=st.sampled_from(["user", "agent", "agent"]),
    )
    def add(self, space: str, text: str, ago: int, left: int, trust: Trust) -> None:
        happened = self.clock.now - timedelta(hours=ago)
        expires = self.clock.now + timedelta(hours=left) if left > 60 else None
        known = self.model.same(space, text, self.clock.now)
        added = self.jays[space].add(text, kind="fact", happened_at=happened, expires_at=expires, trust=trust)
        assert added.created == (known is None) and added.memory.id == (known or added.memory.id)
        if added.created:
            self.model.facts[added.memory.id] = Fact(added.memory.id, space, text, happened, expires, trust)
            self.moments.append(happened)
        elif trust == "user" or self.model.facts[added.memory.id].trust == "agent":
            fact = self.model.facts[added.memory.id]
            fact.trust, fact.expires = trust, expires or fact.expires

    @precondition(lambda self: self.model.facts)
    @rule(number=st.integers(0, 50), space=st.sampled_from(SPACES), text=st.sampled_from(TEXTS))
    def supersede_by_text(self, number: int, space: str, text: str) -> None:
        old, now = self.pick(number), self.clock.now
        known = self.model.same(space, text, now)
        seen = self.model.facts[old].space == space and self.model.is_shown(old, now)
        if not seen or self.model.standing(old=old) or known == old:
            self._refused(space, "supersede", old, text)
            return
        added = self.jays[space].supersede(old, text)
        if added.created:
            self.model.facts[added.memory.id] = Fact(added.memory.id, space, text, now, None)
        assert added.created == (known is None)
        self.model.facts[added.memory.id].trust = "user"
        self.model.replace([old], added.memory.id, made=added.created)

    @precondition(lambda self: len(self.model.facts) > 1)
    @rule(numbers=st.lists(st.integers(0, 50), min_size=2, max_size=4), space=st.sampled_from(SPACES))
    def merge_into_one(self, numbers: list[int], space: str) -> None:
        into, *olds = map(self.pick, numbers)
        for old in olds:
            if {old, into} <= self.model.current(space, self.clock.now) and old != into:
                self.jays[space].supersede(old, by=into)
                self.model.replace([old], into, made=False)
            else:
                self._refused(space, "supersede", old, by=into)

    @precondition(lambda self: len(self.model.facts) > 1)
    @rule(numbers=st.lists(st.integers(0, 50), min_size=2, max_size=4), text=st.sampled_from(TEXTS))
    def merge_into_a_text(self, numbers: list[int], text: str) -> None:
        ids = tuple(dict.fromkeys(map(self.pick, numbers)))
        space = self.model.facts[ids[0]].space
        jay, known = self.jays[space], self.model.same(space, text, self.clock.now)
        made = jay.apply(Plan((Change("merge", ids, text, "alike"),))).changes
        current = self.model.current(space, self.clock.now)
        assert bool(made) == (
            len(ids) > 1 and set(ids) <= current and all(self.model.facts[id].trust == "agent" for id in ids)
        )
        if made:
            (new,) = {memory.id for memory in jay.list() if memory.text == text}
            if known is None:
                self.model.facts[new] = Fact(new, space, text, self.clock.now, None, "agent")
            self.model.replace([id for id in ids if id != new], new, made=known is None)

    @precondition(lambda self: self.model.facts)
    @rule(number=st.integers(0, 50), space=st.sampled_from(SPACES))
    def revert(self, number: int, space: str) -> None:
        id = self.pick(number)
        link = self.model.standing(old=id) or self.model.standing(new=id)
        if self.model.facts[id].space != space or link is None or self.model.is_built_upon(link):
            self._refused(space, "revert", id)
            return
        undone = self.jays[space].revert(id, reason="a slip")
        assert (undone.old, undone.new, undone.undone_reason) == (link.old, link.new, "a slip")
        self.model.revert(link, self.clock.now)

    @precondition(lambda self: self.model.facts)
    @rule(number=st.integers(0, 50))
    def confirm(self, number: int) -> None:
        id = self.pick(number)
        if self.model.is_shown(id, self.clock.now):
            self.model.facts[id].confirmed += 1
            assert self.jays[self.model.facts[id].space].confirm(id).confirmed_count == self.model.facts[id].confirmed

    @precondition(lambda self: len(self.model.facts) > 3)
    @rule(number=st.integers(0, 50))
    def delete(self, number: int) -> None:
        id = self.pick(number)
        other = next(space for space in SPACES if space != self.model.facts[id].space)
        self._refused(other, "delete", id)
        self.jays[self.model.facts[id].space].delete(id)
        self.model.delete(id)

    @precondition(lambda self: len(self.model.facts) > 3)
    @rule(numbers=st.lists(st.integers(0, 50), min_size=1, max_size=4), order=st.permutations(range(4)))
    def delete_and_take_back(self, numbers: list[int], order: list[int]) -> None:
        """Whatever the order, all is as it was."""
        shown = [id for id in map(self.pick, numbers) if self.model.is_shown(id, self.clock.now)]
        gone = list(dict.fromkeys(shown))
        for id in gone:
            self.jays[self.model.facts[id].space].delete(id)
        for id in (gone[place] for place in order if place < len(gone)):
            self.jays[self.model.facts[id].space].undelete(id)

    @rule()
    def cleanup(self) -> None:
        for space, jay in self.jays.items():
            gone = {evicted.memory.id for evicted in jay.cleanup()}
            facts = self.model.facts.values()
            assert gone == {
                fact.id for fact in facts if fact.space == space and not self.model.is_shown(fact.id, self.clock.now)
            }
            for id in sorted(gone):
                self.model.delete(id)

    @invariant()
    def what_is_current_agrees(self) -> None:
        for space, jay in self.jays.items():
            current = self.model.current(space, self.clock.now)
            assert {memory.id for memory in jay.list()} == current
            assert {hit.memory.id for hit in jay.search(EVERYTHING, limit=MOST)} == current
            assert {memory.id for memory in jay.get_many(sorted(self.model.facts))} == {
                id for id in self.model.facts
                if self.model.facts[id].space == space and self.model.is_shown(id, self.clock.now)
            }  # fmt: skip

    @invariant()
    def no_two_current_memories_say_the_same(self) -> None:
        for jay in self.jays.values():
            texts = [memory.text for memory in jay.list()]
            assert len(set(texts)) == len(texts)

    @invariant()
    def every_chain_is_whole(self) -> None:
        for chain in self.model.chains():
            links = [link for link in self.model.links if link.old in chain]
            assert_one_end(chain, links)
            jay = self.jays[self.model.facts[min(chain)].space]
            for id in chain:
                told = jay.history(id)
                assert {memory.id for memory in told} == chain
                assert [(step.old, step.new) for step in told.steps] == [(link.old, link.new) for link in links]
                assert all(step.old != step.new for step in told.steps)

    def _agree_about_the_past(self, space: str) -> None:
        for then in {moment + timedelta(seconds=shift) for moment in self.moments[-12:] for shift in (0, 1)}:
            expected = self.model.at(space, then)
            assert {memory.id for memory in self.jays[space].list(as_of=then)} == expected
            for mode in get_args(Mode):
                hits = self.jays[space].search(EVERYTHING, as_of=then, limit=MOST, mode=mode)
                assert _found(hits) == expected

    def _superseded(self) -> set[int]:
        path = Path(self.folder.name) / "memory.db"
        with closing(apsw.Connection(str(path))) as db:
            return {id for (id,) in db.execute("select id from memories where superseded_at is not null")}

    def _refused(self, space: str, verb: str, *given: Any, **named: Any) -> None:
        try:
            getattr(self.jays[space], verb)(*given, **named)
        except (Invalid, NotFound):
            return
        raise AssertionError(f"{verb} {given} {named} was not refused in {space}")


def assert_one_end(chain: set[int], links: Sequence[Link]) -> None:
    """One current end, unless it was deleted, or a link between two that stand by themselves was undone."""
    onward = {link.old: link.new for link in links if link.undone is None}
    ends = chain - set(onward)
    assert len(ends) <= 1 + sum(link.loose for link in links)
    assert ends or None in onward.values()
    for id in chain:
        walked = [id]
        while (after := onward.get(walked[-1])) is not None:
            assert after not in walked, "a cycle"
            walked.append(after)


TestKnowledge = Knowledge.TestCase
TestKnowledge.settings = settings(max_examples=examples(6, searched=200), stateful_step_count=25)


def _at_random(number: int, path: Path, barrier: Any, count: int) -> int:
    """Do anything to anything; what another process made impossible is refused with a sentence, and that is all."""
    chance = random.Random(number)
    jays = [scrubjay.open(path, space=space, embedder="hashing", actor=f"process {number}") for space in SPACES]
    done = 0
    barrier.wait(PATIENCE_SECONDS)
    for _ in range(count):
        with suppress(Invalid, NotFound):
            _anything(chance, chance.choice(jays))
            done += 1
    for jay in jays:
        jay.close()
    return done


def _anything(chance: random.Random, jay: Scrubjay) -> None:
    ids = [memory.id for memory in jay.list(include_superseded=True, limit=20)] or [1]
    one, other = chance.choice(ids), chance.choice(ids)
    verb = chance.choice(("add", "add", "replace", "replace", "auto", "merge", "revert", "revert", "confirm", "delete"))
    verb = "cleanup" if chance.random() < 0.04 else verb
    text = f"{chance.choice(TEXTS)} {chance.randrange(4)}"
    soon = datetime.now(UTC) + timedelta(seconds=0.2)
    if verb == "add":
        jay.add(text, kind="fact", subject="lamp", expires_at=soon if chance.random() < 0.3 else None)
    elif verb == "cleanup":
        jay.cleanup()
    elif verb == "auto":
        jay.add(text, kind="fact", subject="lamp", auto_supersede=True)
    elif verb == "replace":
        jay.supersede(one, text)
    elif verb == "merge":
        jay.supersede(one, by=other)
    else:
        getattr(jay, verb)(one)
    if chance.random() < 0.2:
        jay.context(text, session=f"session {chance.randrange(3)}")


def test_several_processes_that_change_everything_at_once_leave_whole_chains(path: Path) -> None:
    processes, start = 4, datetime.now(UTC)
    done = together(_at_random, processes, path, CONTEXT.Barrier(processes), 40)
    assert sum(done) > processes * 10
    for space in SPACES:
        with scrubjay.open(path, space=space, clock=lambda: start) as jay:  # when nothing had expired yet
            _assert_whole(jay, start, _merged_and_deleted(path))
            jay.backfill()  # a text that was known when it was to be embedded, and deleted meanwhile, has no vector
            assert jay.check(deep=True).problems == []
    with closing(apsw.Connection(str(path))) as db:
        strangers = "select count(*) from steps s join memories o on o.id = s.old join memories n on n.id = s.new"
        assert db.execute(f"{strangers} where o.space <> n.space").get == 0


def _found(hits: Iterable[scrubjay.Hit]) -> set[int]:
    """What is shown, and what is folded into it."""
    return {id for hit in hits for id in (hit.memory.id, *hit.also)}


def _merged_and_deleted(path: Path) -> set[int]:
    """Into which memories one was merged that was deleted since: the step went with it."""
    with closing(apsw.Connection(str(path))) as db:
        return {new for (new,) in db.execute("select new from trash_steps where created = 0")}


def _assert_whole(jay: Scrubjay, now: datetime, merged: set[int]) -> None:
    """The rows follow from the steps, and every chain is walked whole from each of its members."""
    memories = {memory.id: memory for memory in jay.list(include_superseded=True)}
    for id, memory in memories.items():
        told = jay.history(id)
        chain = {each.id for each in told}
        links = [
            Link(one.old, one.new, one.effective_at, one.created, one.undone_at, _may_leave_two(one, told, merged))
            for one in told.steps
        ]
        assert_one_end(chain, links)
        onward = {link.old: link.new for link in links if link.undone is None}
        assert (memory.superseded_at is not None) == (id in onward) and memory.superseded_by == onward.get(id)
        assert all({each.id for each in jay.history(other)} == chain for other in chain)
    steps = {step.id: step for id in memories for step in jay.history(id).steps}
    _assert_the_past(jay, memories, list(steps.values()), now)


def _may_leave_two(step: scrubjay.Step, told: scrubjay.History, merged: set[int]) -> bool:
    """Undoing it took away nothing that it had made: it made nothing, or another was merged into that since."""
    merged = merged | {each.new for each in told.steps if each.new is not None and not each.created}
    return step.undone_at is not None and (not step.created or step.new in merged)


def _assert_the_past(
    jay: Scrubjay, memories: dict[int, scrubjay.Memory], steps: list[scrubjay.Step], now: datetime
) -> None:
    model = Model()
    model.facts = {
        id: Fact(id, jay.space, memory.text, memory.happened_at, memory.expires_at) for id, memory in memories.items()
    }
    model.links = [Link(step.old, step.new, step.effective_at, step.created, step.undone_at) for step in steps]
    moments = sorted({moment for step in steps for moment in (step.effective_at, step.undone_at) if moment})
    for then in moments[:: max(len(moments) // 12, 1)]:
        assert {memory.id for memory in jay.list(as_of=then)} == model.at(jay.space, then)
        assert _found(jay.search(EVERYTHING, as_of=then, limit=MOST)) == model.at(jay.space, then)
    assert {memory.id for memory in jay.list()} == model.current(jay.space, now)
