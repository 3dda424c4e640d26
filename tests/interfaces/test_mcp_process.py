"""`scrubjay mcp` as its clients start it: a process at a pipe, from the first byte to its end."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, StdioServerParameters

import scrubjay
from tests.support.life import said

SDK = ("mcp", "mcp_types", "pydantic", "anyio")  # which takes most of a second to import, and only HTTP needs
HEAVY = ("numpy", "apsw", "onnxruntime", "tokenizers", *SDK)
SECONDS = 30
PROGRAM = "from scrubjay.interfaces.cli import program; program()"
# Tells of each heavy package that is imported, and when the memory is first opened; that does not begin by itself here.
SPY = f"""
import sys
from scrubjay.interfaces.mcp import opener, stdio
opener.HEAD_START_SECONDS = 600
def opened(*where, real=stdio.opened):
    print("called", file=sys.stderr, flush=True)
    return real(*where)
stdio.opened = opened
class Spy:
    def find_spec(self, name, path=None, target=None):
        if name in {HEAVY!r}:
            print("imported", name, file=sys.stderr, flush=True)
sys.meta_path.insert(0, Spy())
sys.argv = ["scrubjay", "mcp"]
{PROGRAM}
"""
PARENT = """
import subprocess, sys, time
child = subprocess.Popen(sys.argv[1:], stdin=sys.stdin, stdout=sys.stdout)
print(child.pid, file=sys.stderr, flush=True)
time.sleep(600)
"""
INITIALIZE = {
    "jsonrpc": "2.0", "id": 1, "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
}  # fmt: skip
INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}
LIST = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}


def command(code: str = PROGRAM, *words: str) -> list[str]:
    return [sys.executable, "-c", code, *words]


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@contextmanager
def server(words: list[str]) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, bufsize=1
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def send(process: subprocess.Popen[str], *messages: dict[str, Any]) -> None:
    assert process.stdin is not None
    process.stdin.write("".join(f"{json.dumps(message)}\n" for message in messages))
    process.stdin.flush()


def receive(process: subprocess.Popen[str]) -> Any:
    assert process.stdout is not None
    return json.loads(process.stdout.readline())


def call(id: int, tool: str, **arguments: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}


def test_nothing_heavy_is_imported_for_the_handshake_and_the_list_of_tools() -> None:
    with server(command(SPY)) as process:
        send(process, INITIALIZE)
        assert receive(process)["result"]["serverInfo"]["name"] == "scrubjay"
        send(process, INITIALIZED, LIST)
        assert len(receive(process)["result"]["tools"]) == 9
        send(process, call(3, "memory_search", query="x", wrong=True))  # refused before the memory is needed
        assert receive(process)["result"]["isError"]
        send(process, call(4, "memory_search", query="x"))
        assert not receive(process)["result"].get("isError")
        _, errors = process.communicate(timeout=SECONDS)
    assert errors.split()[:3] == ["called", "imported", "apsw"]
    assert not {*SDK} & {*errors.split()}


def test_every_line_on_stdout_is_a_message_and_it_ends_with_its_input(place: Path) -> None:
    with server(command(PROGRAM, "mcp", "--tools", "all")) as process:
        send(process, INITIALIZE)
        receive(process)
        send(process, INITIALIZED, LIST, call(3, "memory_add", text="Kept"), call(4, "memory_stats"))
        answers = {answer["id"]: answer for answer in (receive(process) for _ in range(3))}
        assert not answers[3]["result"].get("isError")
        out, errors = process.communicate(timeout=SECONDS)
    assert out == "" and errors == ""
    assert process.returncode == 0
    with scrubjay.open() as jay:
        assert [memory.text for memory in jay.list()] == ["Kept"]


def test_garbage_on_stdin_is_survived() -> None:
    with server(command(PROGRAM, "mcp")) as process:
        assert process.stdin is not None
        process.stdin.write("this is no JSON\n{}\n")
        send(process, INITIALIZE)
        assert [receive(process)["id"] for _ in range(3)] == [None, None, 1]


def test_turns_that_are_sent_without_waiting_are_stored_in_order_and_a_private_part_is_closed_after_it_was_opened(
    tmp_path: Path,
) -> None:
    said = [
        "The heron nests <private>here",
        "in the CANARY reeds",
        "by the CANARY lake</private> in spring",
        "and in May",
    ]
    asked = [
        call(10 * day + number, "session_turns", session=f"day-{day}", turns=[{"speaker": "user", "text": text}])
        for day in range(1, 9)
        for number, text in enumerate(said)
    ]
    words = command(PROGRAM, "mcp", "--tools", "sessions", "--store", str(tmp_path / "memory.db"))
    lines = "".join(json.dumps(message) + "\n" for message in (INITIALIZE, INITIALIZED, *asked))
    subprocess.run(words, input=lines, text=True, capture_output=True, check=True, timeout=SECONDS)
    with scrubjay.open(tmp_path / "memory.db") as jay:
        for day in range(1, 9):
            assert [turn.text.strip() for turn in jay.sessions.turns(f"day-{day}")] == [
                "The heron nests", "in spring", "and in May",
            ]  # fmt: skip


def test_what_other_code_prints_or_reads_does_not_touch_the_messages() -> None:
    stray = """
import os, sys
from scrubjay.interfaces.mcp import stdio
def opened(*where, real=stdio.opened):
    print("stray", flush=True)
    os.system("cat; echo from a child")
    return real(*where)
stdio.opened = opened
"""
    with server(command(stray + PROGRAM, "mcp")) as process:
        send(process, INITIALIZE)
        receive(process)
        send(process, call(2, "memory_context"))
        assert receive(process)["id"] == 2
        send(process, LIST)
        assert len(receive(process)["result"]["tools"]) == 9
        out, errors = process.communicate(timeout=SECONDS)
    assert out == "" and errors == "stray\nfrom a child\n"


def test_it_ends_when_its_parent_is_killed_even_if_the_pipe_stays_open() -> None:
    with server(command(PARENT, *command(PROGRAM, "mcp"))) as parent:
        assert parent.stderr is not None
        child = int(parent.stderr.readline())
        send(parent, INITIALIZE)
        receive(parent)
        parent.send_signal(signal.SIGKILL)
        parent.wait(SECONDS)
        assert ended(child)  # while this process still holds the other end of its input


def test_it_ends_when_its_input_closes_while_the_model_is_loading() -> None:
    slowly = "import time; from scrubjay.models.embedders import bundled as model;"
    slowly += "model.open_engine = lambda quick: time.sleep(600);"
    with server(command(slowly + PROGRAM, "mcp")) as process:
        send(process, INITIALIZE)
        receive(process)
        send(process, INITIALIZED, call(2, "memory_search", query="x"))
        assert "by words only" in receive(process)["result"]["content"][0]["text"]
        process.communicate(timeout=SECONDS)
    assert process.returncode == 0


@pytest.mark.parametrize("words", [("--tools", "every"), ("--space", "not a name")])
def test_what_cannot_be_served_is_said_at_once(words: tuple[str, ...]) -> None:
    answer = subprocess.run(command(PROGRAM, "mcp", *words), capture_output=True, text=True, timeout=SECONDS)
    assert answer.returncode == 2 and answer.stderr.startswith("Error: ") and answer.stdout == ""


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_the_sdks_client_drives_the_life_of_a_memory(mode: str, place: Path) -> None:
    from tests.support.life import live

    async def play() -> None:
        words = ["-c", PROGRAM, "mcp", "--tools", "core,knowledge", "--space", "work"]
        environment = {**os.environ, "SCRUBJAY_EMBEDDER": "hashing"}
        parameters = StdioServerParameters(command=sys.executable, args=words, env=environment, cwd=place)
        async with Client(parameters, mode=mode) as client:
            await live(client)

    anyio.run(play)


def ended(process: int) -> bool:
    """Whether a process is gone, or will be soon."""
    for _ in range(SECONDS * 10):
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            return True
        if Path(f"/proc/{process}/stat").exists() and " Z " in Path(f"/proc/{process}/stat").read_text():
            return True
        time.sleep(0.1)
    os.kill(process, signal.SIGKILL)
    return False


def test_a_server_follows_its_sources_for_as_long_as_it_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    with scrubjay.open(tmp_path / "memory.db", embedder="none") as jay:
        jay.sources.add(notes)
    monkeypatch.setenv("SCRUBJAY_SYNC_DEBOUNCE_MS", "50")
    words = command(PROGRAM, "mcp", "--store", str(tmp_path / "memory.db"))[1:]

    async def drive() -> str:
        started = StdioServerParameters(command=sys.executable, args=words, env=dict(os.environ), cwd=tmp_path)
        async with Client(started) as client:
            await said(client, "memory_context")
            (notes / "tea.md").write_text("Ann drinks oolong")
            for _ in range(SECONDS * 10):
                found = await said(client, "memory_search", query="oolong")
                if "tea.md" in found:
                    return found
                await anyio.sleep(0.1)
        return "nothing"

    assert "notes/tea.md:1-1" in anyio.run(drive)
