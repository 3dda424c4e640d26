"""Real frameworks and a model on the loopback: what one process remembers, another one recalls."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.support.scripted_model import run_program, scripted_model

ANTHROPIC = """
import sys
import anthropic, scrubjay

client = anthropic.Anthropic()
with scrubjay.open("memory.db") as jay:
    tools = scrubjay.tools("anthropic", jay)
    messages = [{"role": "user", "content": sys.argv[1]}]
    while True:
        reply = client.messages.create(model="m", max_tokens=9, messages=messages, tools=tools)
        messages.append({"role": "assistant", "content": reply.content})
        calls = [block for block in reply.content if block.type == "tool_use"]
        if not calls:
            break
        results = [{"type": "tool_result", "tool_use_id": c.id, "content": tools.run(c.name, c.input)} for c in calls]
        messages.append({"role": "user", "content": results})
"""
OPENAI = """
import sys
import openai, scrubjay

client = openai.OpenAI()
with scrubjay.open("memory.db") as jay:
    tools = scrubjay.tools("openai", jay)
    messages = [{"role": "user", "content": sys.argv[1]}]
    while True:
        reply = client.chat.completions.create(model="m", messages=messages, tools=tools).choices[0].message
        messages.append(reply)
        if not reply.tool_calls:
            break
        for call in reply.tool_calls:
            answer = tools.run(call.function.name, call.function.arguments)
            messages.append({"role": "tool", "tool_call_id": call.id, "content": answer})
"""
RESPONSES = """
import sys
import openai, scrubjay

client = openai.OpenAI()
with scrubjay.open("memory.db") as jay:
    tools = scrubjay.tools("openai-responses", jay)
    items = [{"role": "user", "content": sys.argv[1]}]
    while True:
        reply = client.responses.create(model="m", input=items, tools=tools)
        items += reply.output
        calls = [item for item in reply.output if item.type == "function_call"]
        if not calls:
            break
        for call in calls:
            answer = tools.run(call.name, call.arguments)
            items.append({"type": "function_call_output", "call_id": call.call_id, "output": answer})
"""
MEMORY_TOOL = """
import sys
import anthropic, scrubjay
from scrubjay.adapters.anthropic import MemoryTool

with scrubjay.open("memory.db") as jay:
    messages = [{"role": "user", "content": sys.argv[1]}]
    client = anthropic.Anthropic()
    client.beta.messages.tool_runner(model="m", max_tokens=9, tools=[MemoryTool(jay)], messages=messages).until_done()
"""
GRAPH = """
import sys
from typing import TypedDict
from langgraph.graph import END, START, StateGraph
from langgraph.store.base import BaseStore
import scrubjay
from scrubjay.adapters.langgraph import ScrubjayStore

class State(TypedDict):
    said: str
    known: list[str]

def remember(state: State, *, store: BaseStore) -> dict:
    known = [item.value["text"] for item in store.search(("users", "ann"), query=state["said"])]
    store.put(("users", "ann"), state["said"], {"text": state["said"]})
    return {"known": known}

with scrubjay.open("memory.db") as jay:
    graph = StateGraph(State).add_node("remember", remember).add_edge(START, "remember").add_edge("remember", END)
    print(graph.compile(store=ScrubjayStore(jay)).invoke({"said": sys.argv[1], "known": []})["known"])
"""
AGENT = """
import sys
from agents import Agent, Runner
import scrubjay
from scrubjay.adapters.openai_agents import ScrubjaySession, memory_tools

with scrubjay.open("memory.db") as jay:
    agent = Agent(name="A", model="m", tools=memory_tools(jay))
    print(Runner.run_sync(agent, sys.argv[1], session=ScrubjaySession("ann-1", jay)).final_output)
"""


@pytest.mark.parametrize("program", [ANTHROPIC, OPENAI, RESPONSES], ids=["anthropic", "openai", "responses"])
def test_a_real_client_remembers_in_one_process_and_recalls_in_another(program: str, tmp_path: Path) -> None:
    with scripted_model(("memory_add", {"text": "User prefers dark mode"})) as model:
        run_program(program, model, tmp_path, "I prefer dark mode.")
        assert "Remembered 1 (preference)" in json.dumps(model.asked[1])
    with scripted_model(("memory_search", {"query": "which theme: dark mode?"})) as model:
        run_program(program, model, tmp_path, "Which theme do I prefer?")
        assert "User prefers dark mode" in json.dumps(model.asked[1])


def test_files_of_the_memory_tool_are_there_in_another_process(tmp_path: Path) -> None:
    create = {"command": "create", "path": "/memories/user.md", "file_text": "prefers dark mode"}
    with scripted_model(("memory", create)) as model:
        run_program(MEMORY_TOOL, model, tmp_path, "I prefer dark mode.")
        assert "File created successfully" in json.dumps(model.asked[1])
    with scripted_model(("memory", {"command": "view", "path": "/memories/user.md"})) as model:
        run_program(MEMORY_TOOL, model, tmp_path, "Which theme do I prefer?")
        assert "prefers dark mode" in json.dumps(model.asked[1])


def test_a_graph_of_langgraph_recalls_in_another_process(tmp_path: Path) -> None:
    with scripted_model() as model:
        assert run_program(GRAPH, model, tmp_path, "I prefer dark mode") == "[]\n"
        assert run_program(GRAPH, model, tmp_path, "Which mode do I prefer?") == "['I prefer dark mode']\n"


def test_a_session_of_the_agents_sdk_continues_in_another_process(tmp_path: Path) -> None:
    with scripted_model(("memory_add", {"text": "User prefers dark mode"}), "Noted.") as model:
        assert run_program(AGENT, model, tmp_path, "I prefer dark mode.") == "Noted.\n"
    with scripted_model(("memory_search", {"query": "dark mode"}), "Dark mode.") as model:
        assert run_program(AGENT, model, tmp_path, "Which theme?") == "Dark mode.\n"
        assert "I prefer dark mode." in json.dumps(model.asked[0]["input"])
        assert "User prefers dark mode" in json.dumps(model.asked[1]["input"])
