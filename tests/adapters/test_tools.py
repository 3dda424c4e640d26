"""`scrubjay.tools`: the MCP tools for programs that call a model themselves."""

from __future__ import annotations

import json
from typing import Any, cast

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import scrubjay
from scrubjay import Invalid, Scrubjay
from scrubjay.adapters.tools import Api
from scrubjay.interfaces.mcp.opener import Opener
from scrubjay.interfaces.mcp.server import make_server
from scrubjay.interfaces.mcp.tools import chosen_sets


def parts(api: str, tool: dict[str, Any]) -> tuple[str, str, Any]:
    about = tool["function"] if api == "openai" else tool
    return about["name"], about["description"], about["input_schema" if api == "anthropic" else "parameters"]


@pytest.mark.parametrize("api", ["anthropic", "openai", "openai-responses"])
@pytest.mark.parametrize("sets", ["core", "core,tasks", "all"])
def test_the_tools_are_those_of_the_mcp_server(jay: Scrubjay, api: Api, sets: str) -> None:
    listed = anyio.run(make_server(Opener(lambda: jay), chosen_sets(sets)).list_tools)
    given = [parts(api, tool) for tool in scrubjay.tools(api, jay, sets=sets)]
    assert given == [(tool.name, tool.description, tool.input_schema) for tool in listed]


@pytest.mark.every_store
def test_what_a_model_asks_for_is_done_with_the_trust_of_an_agent(jay: Scrubjay) -> None:
    tools = scrubjay.tools("openai", jay)
    assert tools.run("memory_add", json.dumps({"text": "User prefers dark mode"})) == "Remembered 1 (preference)"
    assert "User prefers dark mode" in tools.run("memory_search", {"query": "dark mode"})
    memory = jay.get(1)
    assert memory and (memory.trust, memory.source, memory.client) == ("agent", "openai", "openai")


@pytest.mark.parametrize(
    "name, arguments, says",
    [
        ("memory_burn", {}, "There is no tool 'memory_burn'; there are memory_add, "),
        ("memory_add", {}, "memory_add needs the argument text."),
        ("memory_add", {"text": 7}, "text must be text."),
        ("memory_get", {"ids": [7]}, "There is no memory 7 in space 'default'."),
        ("memory_get", "[7]", "The arguments of a tool are a JSON object."),
        ("memory_get", "{", "The arguments of a tool are a JSON object."),
        ("memory_get", "[" * 200_000, "The arguments of a tool are a JSON object."),
    ],
)
def test_a_call_that_is_wrong_is_answered_with_a_sentence(jay: Scrubjay, name: str, arguments: Any, says: str) -> None:
    assert scrubjay.tools("anthropic", jay).run(name, arguments).startswith(f"Error: {says}")


def test_another_api_is_refused(jay: Scrubjay) -> None:
    with pytest.raises(Invalid, match="There are no tools for 'gemini'; there are some for anthropic, openai,"):
        scrubjay.tools(cast("Api", "gemini"), jay)


def test_without_a_memory_it_is_the_users_own() -> None:
    scrubjay.tools("anthropic").run("memory_add", {"text": "User prefers dark mode"})
    with scrubjay.open() as jay:
        assert [memory.text for memory in jay.list()] == ["User prefers dark mode"]


@settings(max_examples=30)
@given(st.text(min_size=1, max_size=200).filter(str.strip))
def test_a_text_is_kept_as_the_model_wrote_it(text: str) -> None:
    with scrubjay.open(":memory:", embedder="none") as jay:
        said = scrubjay.tools("openai", jay).run("memory_add", json.dumps({"text": text}))
        assert said.startswith("Error:") or [memory.text for memory in jay.list()] == [text]
