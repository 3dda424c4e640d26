"""Remembering: what is stored, what is recognised, and what is refused."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import scrubjay
from scrubjay import Invalid, Scrubjay
from scrubjay.errors import EmbedderUnavailable
from scrubjay.models.embedders.hashing import Hashing
from scrubjay.types.vectors import Matrix
from tests.support.clock import Clock

Reopen = Callable[..., Scrubjay]


def test_every_field_that_is_given_comes_back(jay: Scrubjay, clock: Clock) -> None:
    given = {
        "kind": "preference",
        "subject": "user",
        "title": "Theme",
        "context": "said on the phone",
        "tags": ["ui", "theme"],
        "metadata": {"ticket": 7, "nested": {"a": [1, None]}},
        "source": "mcp",
        "client": "codex",
        "actor": "ann",
        "trust": "agent",
        "importance": 9,
        "confidence": 0.5,
        "happened_at": datetime(2026, 4, 1, tzinfo=UTC),
        "expires_at": datetime(2027, 4, 1, tzinfo=UTC),
        "project": "example.org/a/b",
        "session": "s1",
    }
    id = jay.add("User prefers dark mode", **given).memory.id  # type: ignore[arg-type]
    stored = jay.get(id)
    assert stored is not None
    assert {name: getattr(stored, name) for name in given} == {**given, "tags": ("ui", "theme")}
    assert (stored.created_at, stored.updated_at, stored.superseded_by) == (clock.now, clock.now, None)


def test_a_title_is_made_of_the_first_words(jay: Scrubjay) -> None:
    text = "Releases go out on Thursday afternoons because " + "reasons and " * 20
    title = jay.add(text).memory.title
    assert title.endswith("…") and len(title) <= 80
    assert text.startswith(title[:-1])


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Fixed the login redirect", "bugfix"),
        ("Crashes when the disk is full", "failure_mode"),
        ("Added a dark theme", "feature"),
        ("Implementing single sign-on", "feature"),
        ("Refactored the parser", "refactor"),
        ("We decided to use PostgreSQL", "decision"),
        ("Chose blue over green", "decision"),
        ("Discovered that the cache is never cleared", "discovery"),
        ("Updated the port to 8080", "change"),
        ("The sky is clear over Lisbon", "fact"),
        ("A fixture is no repair, an address no addition", "fact"),
        ("I prefer tabs over spaces", "preference"),
        ("We deploy on Thursdays", "convention"),
        ("Never commit to main", "convention"),
        ("Her name is on the list of the choir", "fact"),
        ("My name is Ann", "identity"),
        ("Ann grew up in Lisbon", "background"),
        ("Ben is Ann's brother", "relationship"),
        ("Reach the desk at desk@example.org", "contact"),
        ("The build fails when DNS is down", "failure_mode"),
        ("We went to Porto last week", "event"),
        ("The sum of a ledger must always be zero", "invariant"),
        ("I still have to water the plants", "task"),
        ("Buy bread before the shops close on Saturday", "task"),
        ("I have to be alone to think", "fact"),
        ("Ann has three cousins", "relationship"),
        ("The bridge opened on 4 May", "event"),
        ("The bridge is closed on Mondays", "fact"),
        ("I'm the organist of the parish", "identity"),
        ("I'm eager to hear more", "fact"),
        ("Table names are written in lower case", "convention"),
        ("Rough notes from the call", "note"),
    ],
)
def test_a_kind_is_told_from_the_words_when_none_is_given(jay: Scrubjay, text: str, kind: str) -> None:
    assert jay.add(text).memory.kind == kind


def test_a_kind_that_looks_misspelt_is_asked_about_the_first_time(jay: Scrubjay) -> None:
    asked = "No other memory here has the kind 'preferance'; did you mean 'preference'?"
    assert asked in jay.add("Likes tea", kind="preferance").notes
    assert asked not in jay.add("Likes rye bread", kind="preferance").notes  # which was meant, it seems
    many = jay.add_many([{"text": "Ann rows", "kind": "decison"}, {"text": "Ben swims", "kind": "decison"}])
    assert [any("'decision'?" in note for note in one.notes) for one in many] == [True, False]
    replaced = jay.supersede(many[0].memory.id, "Ann sails", kind="conventon")
    assert any("'convention'?" in note for note in replaced.notes)
    for kind in ("lesson", "decision"):  # a word of the user's own, and a known one
        assert not any("the kind" in note for note in jay.add(f"A new {kind}", kind=kind).notes)


def test_the_same_thing_said_twice_is_one_memory(jay: Scrubjay, clock: Clock) -> None:
    first = jay.add("User likes café", kind="fact", tags=["a"], metadata={"x": 1, "y": 1}, trust="agent")
    clock.pass_(hours=1)
    again = jay.add("User  likes\ncafe\u0301", kind="fact", tags=["b"], metadata={"y": 2}, trust="user")
    assert (first.created, again.created) == (True, False)
    assert again.memory.id == first.memory.id
    assert again.memory.text == "User likes café"
    assert again.memory.tags == ("a", "b")
    assert again.memory.metadata == {"x": 1, "y": 2}
    assert again.memory.trust == "user"
    assert again.memory.updated_at == clock.now


@pytest.mark.parametrize("other", [{"kind": "note"}, {"subject": "team"}])
def test_the_same_text_of_another_kind_or_subject_is_another_memory(jay: Scrubjay, other: dict[str, Any]) -> None:
    jay.add("Likes tea", kind="fact", subject="user")
    assert jay.add("Likes tea", **{"kind": "fact", "subject": "user", **other}).created


def test_what_was_replaced_or_has_expired_and_is_said_again_is_new(jay: Scrubjay, clock: Clock) -> None:
    first = jay.add("Likes tea", kind="fact").memory
    jay.supersede(first.id, "Likes coffee")
    assert jay.add("Likes tea", kind="fact").created
    jay.add("Meeting at noon", kind="event", expires_at=clock.now + timedelta(hours=1))
    clock.pass_(hours=2)
    assert jay.add("Meeting at noon", kind="event").created


def test_many_are_added_in_order_with_duplicates_recognised(jay: Scrubjay) -> None:
    seen: list[tuple[int, int]] = []
    items = [{"text": "one"}, {"text": "two", "kind": "fact"}, {"text": "one"}]
    added = jay.add_many(items, progress=lambda done, total: seen.append((done, total)))
    assert [one.memory.text for one in added] == ["one", "two", "one"]
    assert [one.created for one in added] == [True, True, False]
    assert seen[-1][0] == seen[-1][1]


def test_one_bad_item_among_many_stores_none(jay: Scrubjay) -> None:
    with pytest.raises(Invalid):
        jay.add_many([{"text": "good"}, {"text": "  "}])
    assert jay.list() == []


def test_turns_keep_their_order_and_later_ones_are_appended(jay: Scrubjay, clock: Clock) -> None:
    jay.add_turns("s1", [{"speaker": "Ann", "text": "Hi"}, {"speaker": "Bob", "text": "Hi"}])
    more = jay.add_turns("s1", [{"speaker": "Ann", "text": "Hi", "metadata": {"mood": "gay"}}])
    assert [turn.memory.position for turn in more] == [2]
    assert more[0].created and more[0].memory.kind == "turn" and more[0].memory.session == "s1"
    assert len(jay.list(session="s1")) == 3


def test_a_position_that_no_next_one_could_follow_is_refused(jay: Scrubjay) -> None:
    for position in (2**31, 2**63 - 1, 2**63, 10**5_000, -1, True):
        with pytest.raises(Invalid, match="position must be a whole number from 0 to 2147483647"):
            jay.add_turns("s1", [{"speaker": "Ann", "text": "Hi", "position": position}])
    jay.add_turns("s1", [{"speaker": "Ann", "text": "Hi", "position": 2**31 - 1}, {"speaker": "Ben", "text": "Hello"}])
    assert [turn.text for turn in jay.sessions.turns("s1")] == ["Hi", "Hello"]
    assert len(jay.excerpt(1).memories) == 2 and jay.check(deep=True).problems == []


def test_a_turn_given_with_its_position_is_stored_once(jay: Scrubjay) -> None:
    for _ in range(2):
        jay.add_turns("s1", [{"speaker": "Ann", "text": "Hi", "position": 0}])
    assert len(jay.list(session="s1")) == 1


BAD_FIELDS: list[tuple[dict[str, Any], str]] = [
    ({"importance": 11}, "1 to 10"),
    ({"importance": True}, "1 to 10"),
    ({"confidence": float("nan")}, "0 to 1"),
    ({"confidence": -0.1}, "0 to 1"),
    ({"confidence": 10**400}, "0 to 1"),
    ({"metadata": [1]}, "JSON object"),
    ({"metadata": {"a": float("nan")}}, "plain JSON"),
    ({"metadata": {"a": object()}}, "plain JSON"),
    ({"tags": "ui"}, "list of words"),
    ({"tags": [""]}, "A tag"),
    ({"kind": "Two Words"}, "no kind"),
    ({"trust": "god"}, "trust must be"),
    ({"expires_at": datetime(2020, 1, 1, tzinfo=UTC)}, "past"),
    ({"expires_at": datetime(2030, 1, 1)}, "no time zone"),
    ({"happened_at": datetime(2026, 1, 1)}, "no time zone"),
    ({"happened_at": "yesterday-ish"}, "not a date"),
    ({"title": "x" * 501}, "title must be"),
    ({"colour": "red"}, "no field 'colour'"),
]


@pytest.mark.parametrize(("fields", "sentence"), BAD_FIELDS, ids=[sentence for _, sentence in BAD_FIELDS])
def test_a_bad_field_is_one_sentence_and_changes_nothing(jay: Scrubjay, fields: dict[str, Any], sentence: str) -> None:
    with pytest.raises(Invalid, match=sentence):
        jay.add("Fine text", **fields)
    assert jay.list() == []


@pytest.mark.parametrize("text", ["", "  \n\t", None, 7, "half a \ud800 character", "x" * 1_000_001])
def test_a_text_that_says_nothing_or_is_none_is_refused(jay: Scrubjay, text: Any) -> None:
    with pytest.raises(Invalid):
        jay.add(text)
    assert jay.list() == []


@pytest.mark.parametrize("space", ["a/b", "", "a b", ".hidden", "x" * 101, "a\0b"])
def test_a_space_needs_a_plain_name(path: Any, space: str) -> None:
    if space:
        with pytest.raises(Invalid, match="no name for a space"):
            scrubjay.open(path, space=space)


def test_a_date_alone_is_its_whole_local_day(jay: Scrubjay) -> None:
    jay.add("Talked about it", happened_at=datetime(2026, 3, 5, 18).astimezone())
    day = date(2026, 3, 5)
    assert len(jay.list(since=day, until=day)) == 1
    assert jay.list(since=day + timedelta(days=1)) == jay.list(until=day - timedelta(days=1)) == []


@given(st.text(min_size=1).filter(str.strip))
def test_any_text_comes_back_byte_for_byte(text: str) -> None:
    with scrubjay.open(":memory:", embedder="none") as jay:
        stored = jay.add(text).memory
        assert jay.get(stored.id) == stored
        assert stored.text == text
        assert jay.check(deep=True).problems == []


class Unreliable(Hashing):
    """Fails for texts that mention poison, and altogether while it is down."""

    down = False

    def embed(self, texts: Sequence[str], query: bool = False) -> Matrix:
        if self.down:
            raise EmbedderUnavailable("The embedder is on holiday.")
        if any("poison" in text for text in texts):
            raise RuntimeError("cannot read poison")
        return super().embed(texts, query)


def test_a_memory_is_stored_when_the_embedder_fails_and_backfilled_later(path: Any) -> None:
    embedder = Unreliable()
    with scrubjay.open(path, embedder=embedder) as jay:
        embedder.down = True
        added = jay.add("Heron-2 is the staging server")
        assert added.created and "without a vector" in added.notes[0] and "holiday" in added.notes[0]
        assert jay.stats().without_vector == 1
        assert jay.search("heron")[0].memory.id == added.memory.id
        embedder.down = False
        assert jay.backfill().embedded == 1
        assert jay.search("staging server", mode="vector")[0].memory.id == added.memory.id


def test_one_bad_text_does_not_keep_the_others_from_being_embedded(path: Any) -> None:
    with scrubjay.open(path, embedder=Unreliable()) as jay:
        added = jay.add_many([{"text": f"memory {number}"} for number in range(9)] + [{"text": "poison"}])
        assert [bool(one.notes) for one in added] == [False] * 9 + [True]
        assert "cannot read poison" in added[-1].notes[0] and "--retry" in added[-1].notes[0]
        assert (jay.stats().without_vector, jay.stats().quarantined) == (1, 1)


def test_what_is_refused_is_set_aside_until_it_is_tried_again(path: Any, reopen: Reopen) -> None:
    with reopen(embedder="none") as plain:
        plain.add_many([{"text": f"memory {number}"} for number in range(9)] + [{"text": "poison"}])
    embedder = Unreliable()
    with scrubjay.open(path, embedder=embedder) as jay:
        filled = jay.backfill(batch=3)
        assert (filled.embedded, filled.failed, filled.remaining, filled.quarantined) == (9, (10,), 0, 1)
        assert jay.backfill().failed == ()  # nobody asks again by himself
        assert jay.backfill(retry=True).failed == (10,)
        (set_aside,) = jay.status().quarantined
        assert (set_aside.memory, set_aside.reason, set_aside.times) == (10, "cannot read poison", 2)
        embedder.embed = Hashing().embed  # type: ignore[method-assign]
        assert jay.backfill(retry=True).embedded == 1
        assert jay.status().quarantined == () and jay.stats().without_vector == 0


def test_an_embedder_that_refuses_everything_is_broken_and_nothing_is_set_aside(path: Any) -> None:
    with scrubjay.open(path, embedder=Unreliable()) as jay:
        jay.add("Heron-2 is the staging server")

    class Broken(Unreliable):
        def embed(self, texts: Sequence[str], query: bool = False) -> Matrix:
            raise ValueError("out of order")

    with scrubjay.open(path, embedder=Broken()) as jay:
        added = jay.add_many([{"text": "one"}, {"text": "two"}])
        assert all("out of order" in one.notes[0] for one in added)
        assert (jay.stats().without_vector, jay.stats().quarantined) == (2, 0)
        with pytest.raises(EmbedderUnavailable, match="out of order"):
            jay.backfill()


def test_the_same_text_of_several_memories_is_embedded_once(path: Any) -> None:
    seen: list[str] = []

    class Watched(Hashing):
        def embed(self, texts: Sequence[str], query: bool = False) -> Matrix:
            seen.extend(texts)
            return super().embed(texts, query)

    with scrubjay.open(path, embedder=Watched()) as jay:
        jay.add_many([{"text": text, "kind": kind} for kind in ("fact", "note") for text in ("one", "two")])
        assert sorted(seen) == ["one", "two"] and jay.stats().without_vector == 0


@pytest.mark.sqlite
def test_what_was_embedded_before_is_not_embedded_again(path: Any) -> None:
    with scrubjay.open(path, embedder=Unreliable()) as jay:
        jay.add("memory one", kind="fact")
        with scrubjay.open(path, embedder=Unreliable(), space="other") as other:
            embedder = Unreliable()
            embedder.down = True
        other = scrubjay.open(path, embedder=embedder, space="other")
        assert other.add("memory one").notes == ()  # while it is away
        assert other.stats().without_vector == 0
        assert (other.stats().cache.hits, other.stats().cache.misses) == (1, 1)
        other.close()


def test_an_update_of_the_title_while_the_embedder_is_away_leaves_no_stale_vector(path: Any) -> None:
    embedder = Unreliable()
    with scrubjay.open(path, embedder=embedder) as jay:
        id = jay.add("Heron-2 is the staging server").memory.id
        embedder.down = True
        jay.update(id, title="Servers")
        assert jay.stats().without_vector == 1
        embedder.down = False
        assert jay.backfill().embedded == 1


def test_a_backfill_fills_in_what_was_stored_without_an_embedder(jay: Scrubjay, reopen: Reopen) -> None:
    with reopen(embedder="none") as plain:
        plain.add_many([{"text": f"memory number {number}"} for number in range(120)])
    progress: list[tuple[int, int]] = []
    assert jay.backfill(progress=lambda *step: progress.append(step)).embedded == 120
    assert progress[-1] == (120, 120)
    assert jay.backfill().embedded == jay.stats().without_vector == 0


def test_what_is_added_without_a_kind_does_not_fade(jay: Scrubjay, clock: Clock) -> None:
    jay.add("The ferry is called Heron")
    before = jay.search("ferry")[0].score
    clock.pass_(days=3650)
    assert jay.search("ferry")[0].score == pytest.approx(before)
