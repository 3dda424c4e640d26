"""The official suites on the real server: conformance in both eras, the Inspector's rules, the bundle's manifest."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from bench.node import installed, program
from tests.support.served import PROGRAM, Served, serving

from proxy import with_token
from scrubjay.interfaces.mcp.tools import SETS, tools_of

ROOT = Path(__file__).parent.parent
CONFORMANCE = "@modelcontextprotocol/conformance/dist/index.js"
MCPB = "@anthropic-ai/mcpb/dist/cli/cli.js"
SECONDS = 600
ERAS = ("2025-11-25", "2026-07-28")
# What any server must pass; the rest needs fixtures by name.
GENERIC = {
    "2025-11-25": {
        "server-initialize", "ping", "completion-complete", "tools-list", "resources-list", "prompts-list",
        "server-sse-multiple-streams", "dns-rebinding-protection", "server-session-lifecycle",
    },
    "2026-07-28": {
        "completion-complete", "tools-list", "resources-list", "prompts-list", "server-sse-multiple-streams",
        "sep-2164-resource-not-found", "dns-rebinding-protection", "caching", "http-header-validation",
        "input-required-result-unsupported-methods", "input-required-result-ignore-extra-params",
    },
}  # fmt: skip
SUMMARY = re.compile(r"^(✓|✗) (\S+): (\d+) passed, (\d+) failed", re.MULTILINE)


@pytest.fixture(scope="module", autouse=True)
def packages() -> None:
    try:
        installed()
    except RuntimeError as missing:
        pytest.skip(str(missing))


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("served")) as one:
        yield one


def run(path: str, *words: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    command, environment = program(path, *words)
    return subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, env=environment, cwd=cwd)


@pytest.mark.parametrize("era", ERAS)
def test_the_conformance_suite_finds_what_is_expected_of_a_memory(served: Served, era: str, tmp_path: Path) -> None:
    found = suite(served, era, f"conformance-{era}.yml", tmp_path)
    assert {name for name in GENERIC[era] if not found.get(name)} == set()


@pytest.mark.parametrize("era", ERAS)
def test_the_conformance_suite_passes_whole_on_the_same_stack_with_its_fixtures(era: str, tmp_path: Path) -> None:
    with serving_fixtures(tmp_path) as stack:
        found = suite(stack, era, f"fixtures-{era}.yml", tmp_path)
    assert sum(found.values()) >= 30


def suite(served: Served, era: str, expected: str, folder: Path) -> dict[str, bool]:
    """Which scenarios pass; the suite itself fails on what is not expected, and on what is expected in vain."""
    secret = served.token(f"suite-{era}", scopes=["read", "write", "admin"])
    with with_token(served.url, secret) as url:
        known = ["--expected-failures", str(ROOT / "prove" / expected)]
        answer = run(CONFORMANCE, "server", "--url", url, "--requirements", era, "-o", str(folder / "out"), *known)
    print(answer.stdout[answer.stdout.find("=== SUMMARY") :])
    assert answer.returncode == 0, answer.stdout[-4000:]
    return {name: mark == "✓" for mark, name, _, _ in SUMMARY.findall(answer.stdout)}


@contextmanager
def serving_fixtures(folder: Path) -> Iterator[Served]:
    store, log = folder / "fixtures.db", folder / "log"
    words = [sys.executable, str(ROOT / "prove" / "fixtures.py"), str(store)]
    with log.open("w") as errors:
        process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=errors, text=True)
    try:
        assert process.stdout is not None
        yield Served(process, process.stdout.readline().split()[-1], store, log)
    finally:
        process.kill()
        process.communicate()


def inspector(*words: str) -> Any:
    answer = run("@modelcontextprotocol/inspector/clients/launcher/build/index.js", "--cli", *words)
    assert answer.returncode == 0, f"{answer.returncode} {answer.stdout} {answer.stderr}"
    return json.loads(answer.stdout)


def at_a_pipe(folder: Path) -> list[str]:
    """The Inspector hands no environment on by itself."""
    given = [f"SCRUBJAY_HOME={folder}", "SCRUBJAY_EMBEDDER=hashing"]
    words = [sys.executable, "-c", PROGRAM, "mcp", "--tools", "all"]
    return [*words, *(option for pair in given for option in ("-e", pair)), "--cwd", str(folder)]


@pytest.fixture(params=["pipe", "http"])
def target(request: pytest.FixtureRequest, served: Served, tmp_path: Path) -> list[str]:
    if request.param == "pipe":
        return at_a_pipe(tmp_path)
    secret = served.token(f"inspector-{tmp_path.name}", scopes=["read", "write", "admin"])
    return [served.url, "--transport", "http", "--header", f"Authorization: Bearer {secret}"]


def test_the_inspector_has_nothing_to_say_against_our_schemas(target: list[str]) -> None:
    tools = inspector(*target, "--method", "tools/list", "--strict")["tools"]
    assert len(tools) == len(tools_of(SETS)) > 20


def test_the_inspector_drives_the_life_of_a_memory(target: list[str]) -> None:
    def call(tool: str, **arguments: Any) -> str:
        pairs = [f"{name}={json.dumps(value)}" for name, value in arguments.items()]
        words = ["--method", "tools/call", "--tool-name", tool, "--tool-arg", *pairs]
        text: str = inspector(*target, *words)["content"][0]["text"]
        return text

    old = int(call("memory_add", text="The staging port is 8080", kind="fact").split()[1])
    assert f"[{old}]" in call("memory_search", query="staging port")
    assert "The staging port is 8080" in call("memory_get", ids=[old])
    new = int(call("memory_supersede", id=old, text="The staging port is 9090").split()[4])
    assert f"was [{old}]" in call("memory_history", id=new)
    assert call("memory_delete", id=new) == f"Deleted {new}."


def test_the_bundles_manifest_is_valid() -> None:
    answer = run(MCPB, "validate", str(ROOT / "packaging" / "mcpb" / "manifest.json"))
    assert answer.returncode == 0, answer.stdout + answer.stderr
