"""Google's ADK: a memory service, beside the one of ADK itself."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import Any

import pytest
from google.adk.agents import LlmAgent
from google.adk.events import Event
from google.adk.memory import InMemoryMemoryService
from google.adk.memory.memory_entry import MemoryEntry
from google.adk.models import BaseLlm, LlmRequest, LlmResponse
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService, Session
from google.adk.tools import load_memory
from google.genai import types

from scrubjay import Invalid, Scrubjay
from scrubjay.adapters.google_adk import ScrubjayMemoryService

ANN: dict[str, Any] = {"app_name": "app", "user_id": "ann"}
BEN: dict[str, Any] = {**ANN, "user_id": "ben"}


def said(text: str, id: str, author: str = "user") -> Event:
    role = "user" if author == "user" else "model"
    return Event(id=id, author=author, timestamp=1e9, content=types.Content(role=role, parts=[types.Part(text=text)]))


def session(owner: dict[str, Any], id: str, *events: Event) -> Session:
    return Session(id=id, events=list(events), **owner)


@pytest.fixture(params=["ours", "reference"])
def service(request: pytest.FixtureRequest, jay: Scrubjay) -> Any:
    return ScrubjayMemoryService(jay) if request.param == "ours" else InMemoryMemoryService()


@pytest.mark.every_store
def test_a_session_is_found_for_its_user_only_and_kept_once(service: Any) -> None:
    async def story() -> None:
        first, call = said("My dog is called Rex", "e1"), Event(id="e2", author="agent")
        await service.add_session_to_memory(session(ANN, "s", first, call))
        await service.add_session_to_memory(session(BEN, "s", said("I have no dog", "e3")))
        await service.add_session_to_memory(session(ANN, "s", first, call, said("Rex is a nice name", "e4", "agent")))
        await service.add_events_to_memory(**ANN, events=[first], session_id="s")
        found = (await service.search_memory(**ANN, query="What is my dog Rex called?")).memories
        assert {(one.id, one.author, one.content.role) for one in found} == {
            ("e1", "user", "user"),
            ("e4", "agent", "model"),
        }
        assert found[0].content == first.content and str(found[0].timestamp).startswith("2001-09-0")
        assert (await service.search_memory(**ANN, query="")).memories == []

    asyncio.run(story())


def test_what_is_deleted_is_not_added_again_with_its_session(service: Any) -> None:
    async def story() -> None:
        both = session(ANN, "s", said("My dog is called Rex", "e1"), said("My dog Rex is old", "e2"))
        await service.add_session_to_memory(both)
        await service.delete_memory(**BEN, memory_id="e1")
        await service.delete_memory(**ANN, memory_id=None)
        assert len((await service.search_memory(**ANN, query="dog Rex")).memories) == 2
        await service.delete_memory(**ANN, memory_id="e1")
        await service.add_session_to_memory(both)
        assert [one.id for one in (await service.search_memory(**ANN, query="dog Rex")).memories] == ["e2"]

    asyncio.run(story())


def test_nor_is_what_has_left_the_trash(jay: Scrubjay) -> None:
    async def story() -> None:
        service = ScrubjayMemoryService(jay)
        both = session(ANN, "s", said("My dog is called Rex", "e1"), said("My dog Rex is old", "e2"))
        await service.add_session_to_memory(both)
        await service.delete_memory(**ANN, memory_id="e1")
        jay.trash.empty()
        await service.add_session_to_memory(both)
        assert [one.id for one in (await service.search_memory(**ANN, query="dog Rex")).memories] == ["e2"]

    asyncio.run(story())


@pytest.mark.parametrize("whole", [True, False])
def test_what_is_private_over_several_events_stays_so_when_a_session_is_added_again(jay: Scrubjay, whole: bool) -> None:
    words = ["Good day <private> lemonade", "So marmalade", "orangeade </private> and good night", "Sleep well"]
    events = [said(text, f"e{place}") for place, text in enumerate(words)]
    for place, event in enumerate(events):
        event.timestamp += place

    async def story() -> None:
        service = ScrubjayMemoryService(jay)
        for end in range(1, len(events) + 1):
            await service.add_session_to_memory(session(ANN, "s", *events[0 if whole else end - 1 : end]))
        jay.delete(*(turn.id for turn in jay.list() if "night" in turn.text))
        await service.add_session_to_memory(session(ANN, "s", *events))
        await service.add_session_to_memory(session(ANN, "s", *events))
        assert sorted(turn.text for turn in jay.list()) == ["Good day ", "Sleep well"]

    asyncio.run(story())


def test_memories_are_added_directly_and_the_same_words_of_two_users_are_two(jay: Scrubjay) -> None:
    async def story() -> None:
        service = ScrubjayMemoryService(jay)
        words = types.Content(parts=[types.Part(text="My dog is called Rex")])
        entry = MemoryEntry(content=words, author="ann", custom_metadata={"topic": "pets"})
        for owner in (ANN, ANN, BEN):
            await service.add_memory(**owner, memories=[entry])
        assert len(jay.list()) == 2
        (found,) = (await service.search_memory(**ANN, query="What is my dog called?")).memories
        assert (found.content, found.author, found.custom_metadata) == (words, "ann", {"topic": "pets"})
        await service.delete_memory(**ANN, memory_id=found.id)

    asyncio.run(story())
    assert [memory.metadata["user_id"] for memory in jay.list()] == ["ben"]


@pytest.mark.parametrize("more", [{}, {"adk_id": 7}, {"adk_id": [1]}, {"adk_id": "a", "role": 7, "author": {"a": 1}}])
def test_metadata_of_somebody_else_stop_no_search(jay: Scrubjay, more: dict[str, Any]) -> None:
    jay.add("My dog is called Rex", tags=["google-adk"], metadata={**ANN, **more}, trust="external")
    found = asyncio.run(ScrubjayMemoryService(jay).search_memory(**ANN, query="What is my dog Rex called?"))
    assert [(one.content.parts or [])[0].text for one in found.memories] == ["My dog is called Rex"]


def test_a_slash_in_a_name_makes_no_two_owners_one(jay: Scrubjay) -> None:
    async def story() -> None:
        service = ScrubjayMemoryService(jay)
        entry = MemoryEntry(content=types.Content(parts=[types.Part(text="My dog is called Rex")]))
        for app, user in (("app", "eu/ann"), ("app/eu", "ann")):
            await service.add_memory(app_name=app, user_id=user, memories=[entry])
            await service.add_session_to_memory(session({"app_name": app, "user_id": user}, "s", said("Hello", "e1")))

    asyncio.run(story())
    assert sorted(memory.metadata["user_id"] for memory in jay.list()) == ["ann", "ann", "eu/ann", "eu/ann"]


def test_a_name_that_could_be_stored_in_part_only_makes_nobody_another(jay: Scrubjay) -> None:
    async def story() -> None:
        service, eve = ScrubjayMemoryService(jay), {**ANN, "user_id": "<private>eve</private>ann"}
        entry = MemoryEntry(content=types.Content(parts=[types.Part(text="My dog is called Rex")]))
        with pytest.raises(Invalid, match="only 'ann' of it could be stored"):
            await service.add_memory(**eve, memories=[entry])
        with pytest.raises(Invalid, match="only 'ann' of it could be stored"):
            await service.add_session_to_memory(session(eve, "s", said("My dog is called Rex", "e1")))

    asyncio.run(story())
    assert jay.list() == []


class Scripted(BaseLlm):
    says: list[Any]

    async def generate_content_async(self, request: LlmRequest, stream: bool = False) -> AsyncGenerator[Any, None]:
        yield LlmResponse(content=types.Content(role="model", parts=[self.says.pop(0)]))


def test_an_agent_loads_what_an_earlier_session_said(jay: Scrubjay) -> None:
    async def story() -> list[Event]:
        service, sessions = ScrubjayMemoryService(jay), InMemorySessionService()
        await service.add_session_to_memory(session(ANN, "s", said("My dog is called Rex", "e1")))
        look = types.FunctionCall(name="load_memory", args={"query": "What is my dog called?"})
        model = Scripted(model="m", says=[types.Part(function_call=look), types.Part(text="Rex.")])
        agent = LlmAgent(name="helper", model=model, tools=[load_memory])
        runner = Runner(agent=agent, app_name="app", session_service=sessions, memory_service=service)
        later = await sessions.create_session(**ANN)
        asks = types.Content(role="user", parts=[types.Part(text="What is my dog called?")])
        return [event async for event in runner.run_async(user_id="ann", session_id=later.id, new_message=asks)]

    (_, answer, reply) = [event.content.parts[0] for event in asyncio.run(story()) if event.content]
    (found,) = answer.function_response.response["result"].memories
    assert (found.content.parts[0].text, reply.text) == ("My dog is called Rex", "Rex.")
