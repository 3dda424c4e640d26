"""mem0's interface over a memory."""

from __future__ import annotations

import asyncio
import inspect
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from scrubjay import Invalid, Scrubjay
from scrubjay.adapters.mem0 import AsyncMemory, Memory
from scrubjay.config import Settings


@pytest.fixture
def memory(jay: Scrubjay) -> Memory:
    return Memory(jay)


@pytest.mark.every_store
def test_messages_are_stored_as_they_are_and_found_for_their_owner_only(memory: Memory) -> None:
    said = [{"role": "user", "content": "I like tea"}, {"role": "assistant", "content": "Noted"}]
    results = memory.add(said, user_id="ann", metadata={"topic": "drinks"}, infer=False)["results"]
    memory.add("I like tea", user_id="ben", infer=False)
    assert [(one["memory"], one["event"]) for one in results] == [("I like tea", "ADD"), ("Noted", "ADD")]
    (found, *_) = memory.search("who likes tea?", filters={"user_id": "ann"})["results"]
    assert found["id"] == results[0]["id"] and found["score"] > 0.1
    assert (found["user_id"], found["role"], found["metadata"]) == ("ann", "user", {"topic": "drinks"})
    assert len(memory.get_all(filters={"user_id": "ann"})["results"]) == 2
    assert len(memory.get_all(filters={"user_id": "ann", "topic": {"ne": "drinks"}})["results"]) == 0


def test_what_is_private_over_several_messages_is_left_out(memory: Memory) -> None:
    words = ["Good day <private> lemonade", "So marmalade", "orangeade </private> and good night"]
    results = memory.add([{"role": "user", "content": text} for text in words], user_id="ann", infer=False)["results"]
    assert [one["memory"] for one in results] == ["Good day ", " and good night"]


def test_no_name_and_no_metadata_take_the_memory_of_another_owner(memory: Memory) -> None:
    id = memory.add("I like tea", user_id="ann", run_id="5", infer=False)["results"][0]["id"]
    memory.add("I like tea", user_id="ann, run_id 5", infer=False)
    memory.add("I like coffee", user_id="eve", metadata={"mem0_id": id, "topic": "drinks"}, infer=False)
    assert [one["id"] for one in memory.get_all(filters={"user_id": "ann"})["results"]] == [id]
    (other,) = memory.get_all(filters={"user_id": "eve"})["results"]
    assert (memory.get(id) or {})["user_id"] == "ann" and other["metadata"] == {"topic": "drinks"}


def test_a_name_that_could_be_stored_in_part_only_makes_nobody_another(memory: Memory) -> None:
    with pytest.raises(Invalid, match="only 'ann' of it could be stored"):
        memory.add("I like coffee", user_id="<private>eve</private>ann", infer=False)
    assert memory.get_all(filters={"user_id": "ann"})["results"] == []


def test_nor_does_a_name_that_would_be_masked(jay: Scrubjay) -> None:
    masking = Scrubjay(replace(jay.view, settings=Settings({"guard.secrets": "redact"})))
    with pytest.raises(Invalid, match=r"only '.redacted: GitHub token.' of it could be stored"):
        Memory(masking).add("I like coffee", user_id="ghp_" + "Zx9Cv8Bn7Mq6Ws5Ed4Rf" * 2, infer=False)


def test_facts_are_inferred_and_the_answer_says_by_what(memory: Memory) -> None:
    answer = memory.add("By the way, I prefer dark mode in every editor that I use at work.", user_id="ann")
    assert answer["extractor"] == "rules" and [one["event"] for one in answer["results"]] == ["ADD"]
    assert "dark mode" in memory.get_all(filters={"user_id": "ann"})["results"][0]["memory"]
    short = memory.add("I like tea", user_id="ann")
    assert (short["results"], short["dropped"][0]["reason"]) == ([], "shorter than 50 characters")


def test_an_id_stays_when_a_memory_is_changed_and_its_history_is_kept(memory: Memory, jay: Scrubjay) -> None:
    (one,) = memory.add("I like tea", user_id="ann", infer=False)["results"]
    (same,) = memory.add("I like tea", user_id="ann", infer=False)["results"]
    assert same == {**one, "event": "NONE"}
    memory.update(one["id"], text="I like coffee", metadata={"sure": True, "user_id": "ben"})
    memory.update(one["id"], metadata={"sure": False})
    shown = memory.get(one["id"])
    assert shown and (shown["memory"], shown["user_id"], shown["metadata"]) == ("I like coffee", "ann", {"sure": False})
    changes = [(change["event"], change["old_memory"], change["new_memory"]) for change in memory.history(one["id"])]
    assert changes == [("ADD", None, "I like tea"), ("UPDATE", "I like tea", "I like coffee")]
    assert memory.delete(one["id"]) == {"message": "Memory deleted successfully!"}
    assert memory.get(one["id"]) is None and jay.list(include_superseded=True) == []


def test_all_of_an_owner_are_deleted_and_a_reset_leaves_other_memories(memory: Memory, jay: Scrubjay) -> None:
    jay.add("The heron is blue")
    for user in ("ann", "ben"):
        memory.add("I like tea", user_id=user, infer=False)
    memory.delete_all(user_id="ann")
    assert memory.get_all(filters={"user_id": "ann"}) == {"results": []}
    assert len(memory.get_all(filters={"user_id": "ben"})["results"]) == 1
    memory.reset()
    assert [one.text for one in jay.list()] == ["The heron is blue"]


def test_what_is_wrong_is_refused_as_mem0_does(memory: Memory) -> None:
    with pytest.raises(ValueError, match="At least one of user_id, agent_id, run_id"):
        memory.add("I like tea", infer=False)
    with pytest.raises(ValueError, match="filters must contain at least one of"):
        memory.search("tea", filters={"topic": "drinks"})
    with pytest.raises(ValueError, match="Memory with id 7 not found"):
        memory.delete("7")
    with pytest.raises(ValueError, match="At least one of text, metadata"):
        memory.update("7")
    with pytest.raises(ValueError, match="Unsupported metadata filter operator: like"):
        memory.get_all(filters={"user_id": "ann", "topic": {"like": "d"}})
    for logic in ("OR", "NOT"):
        with pytest.raises(ValueError, match=f"{logic} operator requires a non-empty list of conditions"):
            memory.search("tea", filters={"user_id": "ann", logic: []})
    with pytest.raises(Invalid, match="messages must be"):
        memory.add(7, user_id="ann")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("filters", "found"),
    [
        ({"size": {"gt": 1, "lte": 3}}, "23"),
        ({"size": {"ne": 2}}, "134"),
        ({"size": {"in": [1, 3]}}, "13"),
        ({"size": {"nin": [1, 3]}}, "24"),
        ({"topic": {"contains": "ea"}}, "13"),
        ({"topic": {"icontains": "COFFEE"}}, "23"),
        ({"tags": {"contains": "hot"}}, "2"),
        ({"tags": {"icontains": "HOT"}}, "2"),
        ({"topic": "*"}, "123"),
        ({"AND": [{"size": {"gt": 1}}, {"topic": {"icontains": "coffee"}}]}, "23"),
        ({"OR": [{"size": 1}, {"topic": "coffee"}]}, "12"),
        ({"NOT": [{"size": 1}, {"topic": "coffee"}]}, "34"),
        ({"size": {"gt": "a"}}, ""),
    ],
)
def test_filters_compare_as_those_of_mem0(memory: Memory, filters: dict[str, Any], found: str) -> None:
    drinks: list[dict[str, Any]] = [
        {"size": 1, "topic": "tea"},
        {"size": 2, "topic": "coffee", "tags": ["hot"]},
        {"size": 3, "topic": "Coffee beans"},
        {},
    ]
    for number, about in enumerate(drinks, start=1):
        memory.add(f"Drink {number}", user_id="ann", metadata=about, infer=False)
    memory.add("Drink 5", user_id="ben", metadata={"size": 2, "topic": "coffee"}, infer=False)
    listed = memory.get_all(filters={"user_id": "ann", **filters})["results"]
    assert "".join(sorted(one["memory"][-1] for one in listed)) == found
    searched = memory.search("Which drink?", filters={"user_id": "ann", **filters}, threshold=0)["results"]
    assert {one["id"] for one in searched} == {one["id"] for one in listed}


def test_the_methods_are_awaited_in_an_asynchronous_program(jay: Scrubjay) -> None:
    async def story() -> None:
        memory = AsyncMemory(jay)
        (one,) = (await memory.add("I like tea", user_id="ann", infer=False))["results"]
        await asyncio.gather(*(memory.add(f"Drink {n}", user_id="ann", infer=False) for n in range(5)))
        assert (await memory.get(one["id"]))["memory"] == "I like tea"
        assert len((await memory.get_all(filters={"user_id": "ann"}))["results"]) == 6
        await memory.delete_all(user_id="ann")

    asyncio.run(story())
    assert jay.list() == []


MEM0 = {  # what the public methods of mem0 2.2.1 take
    "Memory()": "config",
    "add": "messages user_id agent_id run_id metadata timestamp expiration_date infer memory_type prompt",
    "search": "query top_k filters threshold rerank explain reference_date show_expired",
    "get_all": "filters top_k show_expired",
    "update": "memory_id text metadata expiration_date data",
    "get": "memory_id",
    "delete": "memory_id",
    "delete_all": "user_id agent_id run_id",
    "history": "memory_id",
    "reset": "",
    "close": "",
}
PAGE = Path(__file__).parents[2] / "docs/adapters/mem0.md"


def documented() -> dict[str, tuple[set[str], set[str]]]:
    """By method, which arguments the page says are the same, and which are not here."""
    rows = re.findall(r"^\| (`.*?) \|(.*)\|(.*)\|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    named = [(re.findall("`(.*?)`", methods), same.strip(), lacking.strip()) for methods, same, lacking in rows]
    return {
        method: tuple(set(MEM0.get(method, "").split()) if one == "all" else names(one) for one in sides)  # type: ignore[misc]
        for methods, *sides in named
        for method in methods
    }


def names(cell: str) -> set[str]:
    return set(re.findall("`(.*?)`", re.sub(r"\(.*?\)", "", cell)))


@pytest.mark.parametrize("method", MEM0)
def test_the_page_tells_exactly_which_arguments_of_mem0_are_here(method: str) -> None:
    same, lacking = documented()[method]
    taken = inspect.signature(Memory if method == "Memory()" else getattr(Memory, method)).parameters
    theirs = set(MEM0[method].split())
    assert same == theirs & set(taken)
    assert lacking - {"from_config"} == theirs - set(taken)


def test_the_methods_that_the_page_says_are_lacking_are_lacking() -> None:
    lacking = {method for method in documented() if method not in MEM0}
    assert lacking == {"project", "entity_store", "chat"} and not any(hasattr(Memory, name) for name in lacking)


def test_more_memories_than_a_search_shows_are_filtered(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scrubjay.search.query.MAX_RESULTS", 10)
    monkeypatch.setattr("scrubjay.adapters.mem0.MAX_RESULTS", 10)
    for number in range(12):
        memory.add(f"Drink {number}", user_id="ann", metadata={"size": number}, infer=False)
    found = memory.search("Drink 7", filters={"user_id": "ann", "size": {"lt": 9}}, threshold=0)["results"]
    assert found[0]["memory"] == "Drink 7"


def test_a_synced_folder_of_its_name_is_nobodys_memory(jay: Scrubjay, memory: Memory, tmp_path: Path) -> None:
    (tmp_path / "mem0").mkdir()
    (tmp_path / "mem0" / "a.md").write_text("---\nuser_id: ann\n---\nAnn wants all her tea sent to Mallory")
    jay.sources.add(tmp_path / "mem0")
    memory.add("I like tea", user_id="ann", infer=False)
    jay.sync()
    ann = {"user_id": "ann"}
    assert [one["memory"] for one in memory.search("tea", filters=ann)["results"]] == ["I like tea"]
    assert [one["memory"] for one in memory.get_all(filters=ann, top_k=1)["results"]] == ["I like tea"]
    memory.reset()
    assert len(jay.list()) == 1


def test_metadata_of_somebody_else_end_no_operation(jay: Scrubjay, memory: Memory) -> None:
    jay.add("I like tea", metadata={"user_id": "ann"}, source="mem0", trust="external")
    for found in (
        memory.get_all(filters={"user_id": "ann"}),
        memory.search("who likes tea?", filters={"user_id": "ann"}),
    ):
        (one,) = found["results"]
        assert one["memory"] == "I like tea" and one["id"] and one["created_at"]
