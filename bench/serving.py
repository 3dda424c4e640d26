"""What an MCP server costs its client: to start, to list its tools, to add and to search: `python -m bench.serving`."""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import scrubjay
from bench import report
from bench.corpus import COMMON, THINGS, notes
from bench.node import MODULES, installed
from bench.report import Row, Table
from bench.timing import Seconds, milliseconds, ratio, take_turns
from bench.workroom import workroom

OURS, BARE, RIVAL = "scrubjay mcp", "bare SDK, one tool", "server-memory"
SIZES = "1000,20000"
TRIVIAL = """
from mcp.server import MCPServer
server = MCPServer("bare")
@server.tool()
def echo(text: str) -> str:
    "Say it again."
    return text
server.run("stdio")
"""
INITIALIZE = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "bench", "version": "1"},
}
AIMED_RATIO, AIMED_BYTES = 0.3, 4096


@dataclass
class Client:
    """A client that does no more than the protocol asks for."""

    command: Sequence[str]
    environment: Mapping[str, str] = field(default_factory=dict)

    def __enter__(self) -> Client:
        given = {**os.environ, **self.environment}
        self._asked = 0
        self._process = subprocess.Popen(
            self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=given
        )
        return self

    def __exit__(self, *problem: object) -> None:
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait(30)
        self._process.stdout.close()

    def handshake(self) -> str:
        """Shake hands and ask for the tools; the answer, as it came."""
        self.ask("initialize", INITIALIZE)
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return self.ask("tools/list", {})

    def call(self, tool: str, arguments: Mapping[str, Any]) -> str:
        answer = self.ask("tools/call", {"name": tool, "arguments": arguments})
        if json.loads(answer).get("result", {}).get("isError", "error" in json.loads(answer)):
            raise RuntimeError(answer[:500])
        return answer

    def ask(self, method: str, params: Mapping[str, Any]) -> str:
        assert self._process.stdout is not None
        self._asked += 1
        self._send({"jsonrpc": "2.0", "id": self._asked, "method": method, "params": params})
        while "id" not in json.loads(line := self._process.stdout.readline()):
            pass
        return line.rstrip("\n")

    def _send(self, message: Mapping[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message) + "\n")
        self._process.stdin.flush()


def main() -> None:
    options = _options()
    tables = []
    with workroom() as folder:
        servers = _servers(folder)
        tables.append(_starts(servers, options.runs))
        tables.append(_calls(folder, [int(size) for size in options.sizes.split(",")], options.calls))
    text = "\n".join(map(report.markdown, tables))
    print(text)
    if options.docs:
        machine = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
        about = f"Measured by `python -m bench.serving --docs` on {machine}."
        (report.FIGURES / "mcp.md").write_text(f"# The MCP server\n\n{about}\n\n{text}", encoding="utf-8")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--docs", action="store_true", help="write docs/figures/mcp.md")
    parser.add_argument("--sizes", default=SIZES, help="how many memories, with commas")
    parser.add_argument("--runs", type=int, default=11, help="starts of each server")
    parser.add_argument("--calls", type=int, default=30, help="adds and searches of each server")
    return parser.parse_args()


def _servers(folder: Path) -> dict[str, Client]:
    return {
        OURS: Client([_scrubjay(), "mcp", "--store", str(folder / "start.db")]),
        BARE: Client([sys.executable, "-c", TRIVIAL]),
        RIVAL: _rival(folder / "start.jsonl"),
    }


def _scrubjay() -> str:
    return str(Path(sys.executable).with_name("scrubjay"))


def _rival(file: Path) -> Client:
    installed()
    script = MODULES / "@modelcontextprotocol" / "server-memory" / "dist" / "index.js"
    node = MODULES / "node" / "bin" / "node"
    return Client([str(node), str(script)], {"MEMORY_FILE_PATH": str(file)})


def _starts(servers: Mapping[str, Client], runs: int) -> Table:
    """The servers take turns; a first start of each only warms the disk."""
    listed = {name: _start(client)[0] for name, client in servers.items()}
    names = list(servers)
    taken: dict[str, Seconds] = {name: [] for name in names}
    for turn in range(runs):
        first = turn % len(names)
        for name in names[first:] + names[:first]:
            taken[name].append(_start(servers[name])[1])
    rows: list[Row] = [
        {
            "server": name,
            "start to tools/list, ms": milliseconds(taken[name]),
            "beside the bare SDK": ratio(taken[name], taken[BARE]),
            "tools": len(json.loads(listed[name])["result"]["tools"]),
            "tools/list, bytes": len(json.dumps(json.loads(listed[name])["result"], separators=(",", ":"))),
        }
        for name in servers
    ]
    note = (
        f"From the start of the process, through the handshake, to the list of tools; {runs} runs in turn. Aimed at: at"
        f" most {AIMED_RATIO} times the bare SDK, and {AIMED_BYTES:,} bytes."
    )
    return Table("Start", note, rows)


def _start(client: Client) -> tuple[str, float]:
    """The list of tools, and how long it took; ending the process is not part of that."""
    began = time.perf_counter()
    with client:
        listed = client.handshake()
        return listed, time.perf_counter() - began


def _calls(folder: Path, sizes: Sequence[int], calls: int) -> Table:
    rows = [row for size in sizes for row in _calls_at(folder, size, calls)]
    note = (
        "The same texts in both; each question is one word that occurs in them, since server-memory finds only what"
        f" stands there literally. Medians of {calls} calls in turn, the language model included."
    )
    return Table("Adding and searching", note, rows)


def _calls_at(folder: Path, size: int, calls: int) -> list[Row]:
    texts = notes(size, seed=5)
    ours, rivals = folder / f"{size}.db", folder / f"{size}.jsonl"
    with scrubjay.open(ours, embedder="local") as jay:
        jay.add_many([{"text": text, "kind": "fact"} for text in texts])
    rivals.write_text("\n".join(json.dumps(_entity(number, text)) for number, text in enumerate(texts)))
    with ExitStack() as stack:
        clients = {
            OURS: stack.enter_context(Client([_scrubjay(), "mcp", "--store", str(ours)])),
            RIVAL: stack.enter_context(_rival(rivals)),
        }
        for name, client in clients.items():
            client.handshake()
            ADD[name](client, -1)
            SEARCH[name](client, 0)
        added = take_turns({name: partial(ADD[name], client) for name, client in clients.items()}, range(calls))
        sought = take_turns({name: partial(SEARCH[name], client) for name, client in clients.items()}, range(calls))
        answers = {name: SEARCH[name](client, 0) for name, client in clients.items()}
    return [
        {
            "memories": size,
            "server": name,
            "add, ms": milliseconds(added[name]),
            "search, ms": milliseconds(sought[name]),
            "search result, bytes": len(answers[name].encode()),
        }
        for name in clients
    ]


def _entity(number: int, text: str) -> dict[str, Any]:
    return {"type": "entity", "name": f"note {number}", "entityType": "note", "observations": [text]}


def _text(turn: int) -> str:
    return f"Benchmark note {turn}: the {COMMON[turn % 50]} of run {turn} was kept"


def _question(turn: int) -> str:
    return COMMON[len(COMMON) - THINGS + turn % THINGS]


def _add_ours(client: Client, turn: int) -> str:
    return client.call("memory_add", {"text": _text(turn), "kind": "fact"})


def _add_rival(client: Client, turn: int) -> str:
    entity = {"name": f"bench {turn}", "entityType": "note", "observations": [_text(turn)]}
    return client.call("create_entities", {"entities": [entity]})


def _search_ours(client: Client, turn: int) -> str:
    return client.call("memory_search", {"query": _question(turn)})


def _search_rival(client: Client, turn: int) -> str:
    return client.call("search_nodes", {"query": _question(turn)})


ADD = {OURS: _add_ours, RIVAL: _add_rival}
SEARCH = {OURS: _search_ours, RIVAL: _search_rival}


if __name__ == "__main__":
    main()
