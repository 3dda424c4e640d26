"""Pydantic AI: the MCP tools in a real run of an agent."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from pydantic_ai import Agent, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

import scrubjay
from scrubjay import Scrubjay
from scrubjay.adapters.pydantic_ai import memory_toolset


def scripted(*says: Any) -> tuple[FunctionModel, list[Any]]:
    """A model that says one thing after the other, and what it was given each time."""
    left, asked = list(says), list[Any]()

    def reply(messages: Any, info: AgentInfo) -> ModelResponse:
        asked.append((messages, info))
        return ModelResponse(parts=[left.pop(0)])

    return FunctionModel(reply), asked


def run(agent: Agent[None, str], says: str) -> str:
    return str(asyncio.run(agent.run(says)).output)  # run_sync leaves an event loop open


@pytest.mark.every_store
def test_an_agent_remembers_in_one_run_and_recalls_in_the_next(jay: Scrubjay) -> None:
    model, _ = scripted(ToolCallPart("memory_add", {"text": "User prefers dark mode"}), TextPart("Noted."))
    assert run(Agent(model, toolsets=[memory_toolset(jay)]), "I prefer dark mode.") == "Noted."
    memory = jay.get(1)
    assert memory and (memory.text, memory.trust, memory.client) == ("User prefers dark mode", "agent", "pydantic-ai")
    model, asked = scripted(ToolCallPart("memory_search", {"query": "dark mode"}), TextPart("Dark mode."))
    run(Agent(model, toolsets=[memory_toolset(jay)]), "Which theme do I prefer?")
    assert "User prefers dark mode" in asked[1][0][-1].parts[0].content


def test_the_tools_are_those_of_mcp_and_a_wrong_call_is_told_to_the_model(jay: Scrubjay) -> None:
    model, asked = scripted(ToolCallPart("memory_search", {"limit": "many"}), TextPart("Done."))
    run(Agent(model, toolsets=[memory_toolset(jay, sets="core,tasks")]), "hello")
    given = [(tool.name, tool.description, tool.parameters_json_schema) for tool in asked[0][1].function_tools]
    wanted = [tool["function"] for tool in scrubjay.tools("openai", jay, sets="core,tasks")]
    assert given == [(tool["name"], tool["description"], tool["parameters"]) for tool in wanted]
    assert asked[1][0][-1].parts[0].content.startswith("Error: ")
