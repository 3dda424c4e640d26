"""LangGraph's store over a memory: every operation, beside LangGraph's own store and in a real graph."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any, TypedDict, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.embeddings import Embeddings
from langgraph.graph import END, START, StateGraph
from langgraph.store.base import BaseStore, GetOp, IndexConfig, ListNamespacesOp, MatchCondition, PutOp, SearchOp
from langgraph.store.base.embed import ensure_embeddings
from langgraph.store.memory import InMemoryStore

import scrubjay
from scrubjay import Invalid, Scrubjay
from scrubjay.adapters.langgraph import AsyncScrubjayStore, IndexEmbedder, ScrubjayStore
from tests.support.clock import Clock
from tests.support.processes import until

LABELS = st.sampled_from(["a", "b", "*", "a/b", "é", "A"])
NAMESPACES = st.lists(LABELS, min_size=1, max_size=3).map(tuple)
KEYS = st.sampled_from(["k", "K", "", "a/b", " "])
LEAVES = st.none() | st.booleans() | st.integers(-9, 9) | st.text("ab \n", max_size=4)
VALUES = st.dictionaries(st.sampled_from(["x", "y", "z w"]), st.recursive(LEAVES, st.lists, max_leaves=3), max_size=3)
CONDITIONS = st.builds(
    MatchCondition, match_type=st.sampled_from(["prefix", "suffix"]), path=st.lists(LABELS, max_size=2).map(tuple)
)
FILTERS = st.none() | st.dictionaries(st.sampled_from(["x", "y"]), LEAVES, max_size=2)
OPERATIONS = st.one_of(
    st.builds(lambda namespace, key, value: PutOp(namespace, key, value), NAMESPACES, KEYS, st.none() | VALUES),
    st.builds(lambda namespace, key: GetOp(namespace, key), NAMESPACES, KEYS),
    st.builds(lambda prefix, filter: SearchOp(prefix, filter, 100), NAMESPACES | st.just(()), FILTERS),
    st.builds(
        ListNamespacesOp, match_conditions=st.lists(CONDITIONS, max_size=2), max_depth=st.none() | st.integers(1, 3),
        limit=st.integers(1, 9), offset=st.integers(0, 2),
    ),
)  # fmt: skip


@pytest.fixture
def store(jay: Scrubjay) -> ScrubjayStore:
    return ScrubjayStore(jay)


def plain(result: Any) -> Any:
    """Without times, and without the order of a search, which LangGraph leaves open."""
    if isinstance(result, list):
        return sorted(repr(plain(one)) for one in result)
    return (result.namespace, result.key, result.value) if hasattr(result, "namespace") else result


@settings(max_examples=12)
@given(st.lists(st.lists(OPERATIONS, max_size=4), max_size=6))
def test_every_batch_gives_what_langgraphs_own_store_gives(batches: list[list[Any]]) -> None:
    with scrubjay.open(":memory:", embedder="none") as jay:
        ours, reference = ScrubjayStore(jay), InMemoryStore()
        for operations in batches:
            puts = [one for one in operations if isinstance(one, PutOp)]
            expected = [plain(found) for one in operations if one not in puts for found in asked(reference, [one])]
            asked(reference, puts)
            found = zip(operations, map(plain, ours.batch(operations)), strict=True)
            assert [result for one, result in found if one not in puts] == expected


def asked(reference: InMemoryStore, operations: list[Any]) -> list[Any]:
    """Its results; it keeps namespaces that have no item (any more), and lists them."""
    results = reference.batch(operations)
    for namespace in [name for name, items in reference._data.items() if not items]:
        del reference._data[namespace]
    return results


NAMES = st.text(min_size=1, max_size=9)  # the guard leaves out what has an empty name
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=20), lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner), max_leaves=9,
)  # fmt: skip


@settings(max_examples=12)
@given(st.dictionaries(NAMES, ANYTHING, max_size=4))
def test_a_value_comes_back_as_it_was_put(value: dict[str, Any]) -> None:
    with scrubjay.open(":memory:", embedder="none") as jay:
        store = ScrubjayStore(jay)
        store.put(("users", "ann"), "k", value)
        item = store.get(("users", "ann"), "k")
        assert item and item.value == value


def test_a_long_value_comes_back_too(store: ScrubjayStore) -> None:
    value = {"text": "The heron is blue. \n" * 1_200, "deep": [[[["x"]]]]}
    store.put(("docs",), "long", value)
    item = store.get(("docs",), "long")
    assert item and item.value == value
    assert [found.key for found in store.search(("docs",), query="heron")] == ["long"]


@pytest.mark.every_store
def test_items_are_found_by_meaning_below_a_namespace_only(store: ScrubjayStore) -> None:
    store.put(("users", "ann"), "theme", {"text": "prefers dark mode"})
    store.put(("users", "anna"), "theme", {"text": "prefers dark mode"})
    store.put(("users", "ann"), "food", {"text": "likes pizza"})
    store.put(("users", "ann"), "hidden", {"text": "dark mode of the cellar"}, index=False)
    found = store.search(("users", "ann"), query="dark mode")
    assert [item.key for item in found] == ["theme", "food", "hidden"] or found[0].key == "theme"
    assert found[0].score and {item.key: item.score for item in found}["hidden"] is None
    assert {item.namespace for item in found} == {("users", "ann")}
    assert [item.key for item in store.search(("users", "ann"), query="dark mode", filter={"text": "likes pizza"})] == [
        "food"
    ]


def test_the_score_is_the_cosine_to_the_nearest_field(jay: Scrubjay) -> None:
    store = ScrubjayStore(jay, fields=["title", "notes[*]"])
    store.put(("d",), "one", {"title": "a blue heron", "notes": ["cooking pasta", "tax returns"]})
    store.put(("d",), "two", {"title": "the tax office", "notes": []})
    for query in ("a blue heron", "cooking pasta", "tax returns"):
        first, second = store.search(("d",), query=query)
        assert first.key == "one" and first.score == pytest.approx(1, abs=1e-3)
        assert second.score is not None and second.score < 0.95
    assert [hit.memory.metadata["item"] for hit in jay.search("cooking pasta", limit=1)] == ["one"]


@pytest.mark.parametrize("embedder", ["hashing", "none"])
def test_more_items_than_a_search_shows_are_filtered(monkeypatch: pytest.MonkeyPatch, embedder: str) -> None:
    monkeypatch.setattr("scrubjay.search.query.MAX_RESULTS", 10)
    monkeypatch.setattr("scrubjay.adapters.named_texts.MAX_RESULTS", 10)
    with scrubjay.open(":memory:", embedder=embedder) as jay:
        store = ScrubjayStore(jay)
        store.batch([PutOp(("n",), str(number), {"text": "tea", "number": number}) for number in range(12)])
        assert [one.key for one in store.search(("n",), query="tea", filter={"number": 7})] == ["7"]
        assert len(store.search(("n",), query="tea", limit=12)) == 12


@pytest.mark.parametrize("embedder", ["hashing", "none"])
def test_a_blank_query_is_no_error(embedder: str) -> None:
    with scrubjay.open(":memory:", embedder=embedder) as jay:
        store = ScrubjayStore(jay)
        store.put(("n",), "one", {"text": "tea"})
        assert [item.key for item in store.search(("n",), query=" ")] == ["one"]


def test_only_the_named_fields_are_searched(jay: Scrubjay, store: ScrubjayStore) -> None:
    store.put(("d",), "one", {"title": "A heron", "body": "pizza"}, index=["title"])
    store.put(("d",), "two", {"parts": [{"t": "pizza"}, {"t": "tea"}]}, index=["parts[*].t"])
    assert [hit.memory.text for hit in jay.search("pizza", mode="keyword")] == ["pizza\n\f\ntea"]
    assert next(item.key for item in ScrubjayStore(jay, fields=["title"]).search(("d",), query="pizza")) == "two"


def test_an_item_is_updated_in_place_and_keeps_its_history(jay: Scrubjay, store: ScrubjayStore, clock: Clock) -> None:
    store.put(("users",), "ann", {"theme": "dark"})
    clock.pass_(seconds=60)
    store.put(("users",), "ann", {"theme": "light"})
    item = store.get(("users",), "ann")
    assert item and item.value == {"theme": "light"} and (item.updated_at - item.created_at).total_seconds() == 60
    (memory,) = jay.list()
    assert [version.metadata["value"] for version in jay.history(memory.id)] == [{"theme": "dark"}, {"theme": "light"}]
    store.delete(("users",), "ann")
    assert store.get(("users",), "ann") is None and jay.list(include_superseded=True) == []


def test_items_expire_and_reading_them_puts_that_off(jay: Scrubjay, clock: Clock) -> None:
    store = ScrubjayStore(jay, ttl={"default_ttl": 10, "refresh_on_read": True})
    for key in ("read", "peeked", "left"):
        store.put(("s",), key, {"x": key})
    store.put(("s",), "kept", {"x": "kept"}, ttl=None)
    clock.pass_(minutes=6)
    assert store.get(("s",), "read") and store.get(("s",), "peeked", refresh_ttl=False)
    clock.pass_(minutes=6)
    assert sorted(item.key for item in store.search(("s",))) == ["kept", "read"]


def test_a_read_moves_no_expiry_unless_that_is_asked_for(jay: Scrubjay, clock: Clock) -> None:
    store = ScrubjayStore(jay, ttl={"default_ttl": 10})
    store.put(("s",), "read", {"x": 1})
    store.put(("s",), "refreshed", {"x": 1})
    clock.pass_(minutes=6)
    assert store.get(("s",), "read") and store.get(("s",), "refreshed", refresh_ttl=True)
    clock.pass_(minutes=6)
    assert [item.key for item in store.search(("s",))] == ["refreshed"]


def test_a_sweep_counts_the_items_that_expired_and_leaves_other_memories(jay: Scrubjay, clock: Clock) -> None:
    store = ScrubjayStore(jay)
    store.put(("s",), "gone", {"x": 1}, ttl=1)
    store.put(("s",), "gone", {"x": 2}, ttl=1)
    store.put(("s",), "kept", {"x": 1})
    jay.add("The heron is blue", expires_at=clock() + timedelta(seconds=1))
    assert store.sweep_ttl() == 0
    clock.pass_(minutes=2)
    assert store.sweep_ttl() == 1 and store.sweep_ttl() == 0
    assert [evicted.memory.text for evicted in jay.cleanup()] == ["The heron is blue"]


def test_a_sweeper_runs_until_it_is_stopped(jay: Scrubjay, clock: Clock) -> None:
    store = ScrubjayStore(jay, ttl=cast(Any, {"default_ttl": 1, "sweep_interval_minutes": 0.0001}))
    store.put(("s",), "gone", {"x": 1})
    clock.pass_(minutes=2)
    ended = store.start_ttl_sweeper()
    until(lambda: not jay.view.store.maintenance.expired(jay.space, clock()))
    assert store.stop_ttl_sweeper() and ended.result(timeout=5) is None
    assert store.stop_ttl_sweeper()


def test_other_memories_and_spaces_are_no_items(jay: Scrubjay, store: ScrubjayStore) -> None:
    jay.add("The heron is blue", subject="a/k", metadata={"label0": "a", "depth": 1, "item": "k"})
    assert store.get(("a",), "k") is None and store.list_namespaces() == [] and store.search((), query="heron") == []
    ScrubjayStore(jay.lend(space="other")).put(("a",), "k", {"x": 1})
    assert store.get(("a",), "k") is None


def test_a_secret_and_a_value_that_is_no_json_are_refused(jay: Scrubjay, store: ScrubjayStore) -> None:
    with pytest.raises(Invalid, match="looks like a secret"):
        store.put(("a",), "k", {"password": "hunter2xkcd99"})
    with pytest.raises(Invalid, match="plain JSON"):
        store.put(("a",), "k", {"x": object()})
    with pytest.raises(ValueError, match="Invalid filter key"):
        store.put(("a",), "k", {"x": 1})
        store.search(("a",), filter={"x' or 1": 1})
    assert len(jay.list()) == 1


def test_a_label_that_could_be_stored_in_part_only_is_not_another(jay: Scrubjay, store: ScrubjayStore) -> None:
    for namespace, key in ((("<private>eve</private>ann",), "k"), (("ann",), "<private>x</private>k")):
        with pytest.raises(Invalid, match="of it could be stored"):
            store.put(namespace, key, {"x": 1})
    assert jay.list() == []


class State(TypedDict):
    user: str
    said: str
    known: list[str]


def test_a_real_graph_remembers_across_threads(jay: Scrubjay) -> None:
    def remember(state: State, *, store: BaseStore) -> dict[str, Any]:
        known = [item.value["text"] for item in store.search(("users", state["user"]), query=state["said"])]
        store.put(("users", state["user"]), state["said"], {"text": state["said"]})
        return {"known": known}

    graph = StateGraph(State)
    graph.add_node("remember", remember)
    graph.add_edge(START, "remember")
    graph.add_edge("remember", END)
    compiled = graph.compile(store=ScrubjayStore(jay))

    async def story() -> None:
        first = await compiled.ainvoke({"user": "ann", "said": "I like tea", "known": []})
        second = compiled.invoke({"user": "ann", "said": "Which tea?", "known": []})
        other = await compiled.ainvoke({"user": "ben", "said": "Which tea?", "known": []})
        assert (first["known"], second["known"], other["known"]) == ([], ["I like tea"], [])

    asyncio.run(story())


@pytest.mark.every_store
def test_an_item_that_two_programs_put_at_once_is_one_item(jay: Scrubjay) -> None:
    with scrubjay.open(jay.address, embedder="none") as other:
        stores = [ScrubjayStore(jay), ScrubjayStore(other)]

        async def story() -> None:
            puts = (stores[number % 2].aput(("n",), "k", {"x": number}) for number in range(12))
            await asyncio.gather(*puts)

        asyncio.run(story())
        assert len(stores[0].search(("n",))) == 1
        stores[1].delete(("n",), "k")
        assert stores[0].search(("n",)) == []


def test_what_is_awaited_at_the_same_time_is_one_batch(jay: Scrubjay) -> None:
    async def story() -> None:
        store = AsyncScrubjayStore(jay, fields=["text"], ttl={"default_ttl": 60})
        await asyncio.gather(*(store.aput(("n",), str(number), {"text": f"tea {number}"}) for number in range(20)))
        found = await asyncio.gather(*(store.aget(("n",), str(number)) for number in range(20)))
        assert [item and item.value["text"] for item in found] == [f"tea {number}" for number in range(20)]
        (best, *_) = await store.asearch(("n",), query="tea 7")
        assert best.key == "7"
        with pytest.raises(asyncio.InvalidStateError):
            store.get(("n",), "7")
        assert await store.sweep_ttl() == 0
        ended = await store.start_ttl_sweeper()
        assert await store.stop_ttl_sweeper()
        await ended

    asyncio.run(story())
    assert {memory.expires_at for memory in jay.list()} != {None}


def test_concurrent_puts_and_searches_lose_nothing(store: ScrubjayStore) -> None:
    async def story() -> None:
        await asyncio.gather(*(store.aput(("n", str(number % 3)), str(number), {"x": number}) for number in range(30)))
        assert len(await store.asearch(("n",), limit=100)) == 30
        assert await store.alist_namespaces(prefix=("n",)) == [("n", "0"), ("n", "1"), ("n", "2")]
        await asyncio.gather(*(store.adelete(("n", str(number % 3)), str(number)) for number in range(30)))
        assert await store.asearch(("n",)) == []

    asyncio.run(story())


def letters(texts: Sequence[str]) -> list[list[float]]:
    return [[text.lower().count(letter) + 0.1 for letter in "abcdefghij"] for text in texts]


class Letters(Embeddings):
    """As a model of LangChain: questions and texts have methods of their own."""

    model = "letters/1"

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return letters(texts)

    def embed_query(self, text: str) -> list[float]:
        return letters([text])[0]


@pytest.mark.parametrize(("embed", "name"), [(letters, "letters"), (Letters(), "letters/1")])
def test_what_an_index_embeds_with_may_be_the_memorys_embedder(path: Path, embed: Any, name: str) -> None:
    embedder = IndexEmbedder({"dims": 10, "embed": embed, "fields": ["text"]})
    with scrubjay.open(path, embedder=embedder) as jay:
        store = ScrubjayStore(jay, fields=["text"])
        store.put(("d",), "one", {"text": "aaaa bb"})
        store.put(("d",), "two", {"text": "jjjj ii"})
        found = store.search(("d",), query="jiji")
        assert [item.key for item in found] == ["two", "one"]
        asked, (near, far) = letters(["jiji"])[0], letters(["jjjj ii", "aaaa bb"])
        assert [item.score for item in found] == pytest.approx([cosine(asked, near), cosine(asked, far)], abs=1e-5)
        assert jay.stats().model == name
    with scrubjay.open(path) as jay:
        assert any("custom" in note or name in note for note in jay.search("jiji").notes)


def test_a_store_tells_what_it_is_searched_with(path: Path) -> None:
    own = IndexEmbedder({"dims": 10, "embed": letters, "fields": ["text"]})
    with scrubjay.open(path, embedder=own) as jay:
        assert ScrubjayStore(jay, fields=["text"]).index_config == {"dims": 10, "embed": letters, "fields": ["text"]}
    with scrubjay.open(":memory:", embedder="none") as jay:
        assert ScrubjayStore(jay).index_config is None

    async def asynchronous(jay: Scrubjay) -> IndexConfig | None:
        return AsyncScrubjayStore(jay).index_config

    with scrubjay.open(":memory:", embedder="hashing") as jay:
        for told in (ScrubjayStore(jay).index_config, asyncio.run(asynchronous(jay))):
            assert told is not None and told["fields"] == ["$"]
            (vector,) = ensure_embeddings(told["embed"]).embed_documents(["heron"])
            assert len(vector) == told["dims"]


def cosine(one: list[float], other: list[float]) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True)) / (math.hypot(*one) * math.hypot(*other))


def test_an_index_that_must_be_awaited_is_said_and_loses_nothing(path: Path) -> None:
    async def embed(texts: list[str]) -> list[list[float]]:
        return letters(texts)

    index = cast("IndexConfig", {"dims": 10, "embed": embed})
    with scrubjay.open(path, embedder=IndexEmbedder(index)) as jay:
        ScrubjayStore(jay).put(("d",), "one", {"text": "aaaa bb"})
        assert ScrubjayStore(jay).get(("d",), "one") is not None
        assert any("async function" in note for note in jay.search("aaaa").notes)


def test_a_synced_folder_of_its_name_has_no_items(jay: Scrubjay, store: ScrubjayStore, tmp_path: Path) -> None:
    (tmp_path / "langgraph").mkdir()
    (tmp_path / "langgraph" / "a.md").write_text(
        "---\nlabel0: a\ndepth: 1\nitem: k\nvalue: {x: forged}\n---\nForged words"
    )
    (tmp_path / "langgraph" / "b.md").write_text("No item at all")
    jay.sources.add(tmp_path / "langgraph")
    jay.sync()
    store.put(("a",), "k", {"x": "mine"})
    assert [one.value for one in store.search(("a",), query="forged words")] == [{"x": "mine"}]
    assert [one.value for one in store.search((), limit=1)] == [{"x": "mine"}]
    assert store.list_namespaces() == [("a",)]


@pytest.mark.parametrize(
    "more",
    [
        {"created": 7}, {"created": "soon"}, {"depth": "one"}, {"depth": 10**9}, {"label0": 7}, {"item": None},
        {"ttl": "long"}, {"value": [1]}, {"depth": None},
    ],
)  # fmt: skip
def test_metadata_of_somebody_else_end_no_operation(jay: Scrubjay, store: ScrubjayStore, more: dict[str, Any]) -> None:
    store.put(("a",), "k", {"text": "The kettle is blue"})
    (own,) = jay.list()
    same: dict[str, Any] = {"source": own.source, "kind": own.kind, "subject": own.subject, "trust": "external"}
    jay.add("The kettle is red", metadata={**own.metadata, **more}, expires_at="2090-01-01", **same)
    for found in (store.search(("a",)), store.search(("a",), query="kettle"), [store.get(("a",), "k")]):
        assert [one and one.value for one in found] == [{"text": "The kettle is blue"}]
    assert store.list_namespaces() == [("a",)]
