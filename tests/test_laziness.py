"""Quick commands stay quick: nothing heavy is imported before a text must be embedded."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import scrubjay

HEAVY = {
    "numpy",
    "onnxruntime",
    "tokenizers",
    "mcp",
    "mcp_types",
    "pydantic",
    "starlette",
    "uvicorn",
    "anyio",
    "httpx",
    "jinja2",
}
NOT_SEARCHED = {f"scrubjay.types.{name}" for name in ("agents", "documents", "history", "models", "reports", "tokens")}
PROBE = f"""
import sys
try:
    exec(sys.argv.pop(1))
finally:
    print(*sorted({HEAVY | NOT_SEARCHED!r} & sys.modules.keys()), file=sys.stderr)
"""
PROGRAM = "from scrubjay.interfaces.cli import main; main()"


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def imported(statement: str, *words: str) -> set[str]:
    """The heavy packages that are there after running a statement in a new process."""
    return loaded(statement, *words) & HEAVY


def loaded(statement: str, *words: str) -> set[str]:
    """The same, and the modules of ours that a search does not need."""
    command = [sys.executable, "-c", PROBE, statement, *words]
    answer = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    return set(answer.stderr.splitlines()[-1].split())


def test_the_package_itself_is_light() -> None:
    assert imported("import scrubjay") == set()


@pytest.mark.parametrize(
    "words",
    [
        "--help",
        "--version",
        "search --help",
        "stats",
        "list",
        "get 1",
        "history 1",
        "timeline 1",
        "confirm 1",
        "update 1 --tag ui",
        "check",
        "config",
        "config search.limit 5",
        "completion zsh",
        "mcp --help",
        "serve --help",
        "page --help",
        "token",
    ],
)
def test_a_command_that_embeds_nothing_imports_nothing_heavy(words: str) -> None:
    with scrubjay.open(embedder="hashing") as jay:
        jay.add("User prefers dark mode")
    assert imported(PROGRAM, *words.split()) == set()


def test_a_search_by_words_counts_them_with_numpy_and_loads_no_model() -> None:
    with scrubjay.open(embedder="hashing") as jay:
        jay.add("User prefers dark mode")
    assert imported(PROGRAM, "search", "--mode", "keyword", "dark") == {"numpy"}


@pytest.mark.parametrize("words", ["add Hello", "search Hello", "list", "supersede 1 Hello"])
def test_without_an_embedder_nothing_does(monkeypatch: pytest.MonkeyPatch, words: str) -> None:
    monkeypatch.setenv("SCRUBJAY_EMBEDDER", "none")
    with scrubjay.open() as jay:
        jay.add("Good day")
    assert imported(PROGRAM, *words.split()) == set()


def test_a_new_memory_with_the_bundled_model_is_opened_without_loading_it() -> None:
    assert imported(PROGRAM, "stats") == set()
    assert imported("import scrubjay; scrubjay.open(embedder='local').list()") == set()


def test_what_is_embedded_does_import_something_heavy() -> None:
    assert "numpy" in imported("import scrubjay; scrubjay.open(embedder='hashing').add('Hello')")


def test_a_search_makes_no_type_that_it_does_not_need() -> None:
    with scrubjay.open(embedder="hashing") as jay:
        jay.add("User prefers dark mode")
    assert loaded(PROGRAM, "search", "dark") & NOT_SEARCHED == set()
    assert "scrubjay.types.history" in loaded(PROGRAM, "history", "1")
