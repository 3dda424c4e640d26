"""`scrubjay install` in the real clients: a fact told in one is known in the next, and every byte comes back."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from mock_llm import Model, serving
from real_clients import CLAUDE_CODE, CODEX, GEMINI, MODULES, Client, Desk, install_clients, run, write

ROOT = Path(__file__).parent.parent
SCRUBJAY = str(Path(sys.executable).parent / "scrubjay")
CLIENTS = (CLAUDE_CODE, CODEX, GEMINI)
SETTINGS = (".claude.json", ".claude/settings.json", ".codex/config.toml", ".codex/hooks.json", ".gemini/settings.json")
ANSWER = "All right."
SECONDS = 120

FACT = "By the way, our staging server is called heron and runs in Lisbon."
QUESTION = "Which name does our staging server have?"
NEEDS_NOTHING = "Thank you, that is all."


@pytest.fixture(scope="module", autouse=True)
def installed() -> None:
    install_clients()


@dataclass
class Person:
    """One home with every client in it, and one model that all of them ask."""

    home: Path
    model: Model
    url: str

    def desk(self, client: Client) -> Desk:
        return Desk(client, self.home, self.model, self.url)

    def scrubjay(self, *words: str) -> str:
        environ = {**self.desk(CODEX).environ(), "GEMINI_API_KEY": ""}
        done = run([SCRUBJAY, *words], self.home / "garden", environ)
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout.decode()

    def ask(self, client: Client, prompt: str) -> str:
        """A new session in a client; everything that the model was sent in it."""
        self.model.asked.clear()
        self.desk(client).ask(prompt, client.first)
        return json.dumps(self.model.asked)

    def settings(self) -> dict[str, bytes | None]:
        paths = {name: self.home / name for name in SETTINGS}
        return {name: path.read_bytes() if path.exists() else None for name, path in paths.items()}

    def hook_log(self) -> list[dict[str, Any]]:
        path = self.home / ".local/share/scrubjay/hooks.log"
        return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.fixture
def person(tmp_path: Path) -> Iterator[Person]:
    home = tmp_path / "person"
    (home / "garden").mkdir(parents=True)
    model = Model(ANSWER, "", {})
    with serving(model) as url:
        for client in CLIENTS:
            client.prepare(home, url, "")
        write(home / ".claude.json", '{\n\t"theme": "dark",\n\t"mcpServers": {}\n}')
        person = Person(home, model, url)
        person.scrubjay("config", "hooks.deadline", str(SECONDS))  # these machines do much else meanwhile
        yield person


def test_uninstalling_gives_back_the_same_bytes(person: Person) -> None:
    before = person.settings()
    person.scrubjay("install", "claude-code", "codex", "gemini")
    assert all(b"scrubjay" in (data or b"") for data in person.settings().values())
    person.scrubjay("uninstall")
    assert person.settings() == before


def test_a_fact_told_in_one_client_is_known_in_the_next_session_of_another(person: Person) -> None:
    before = person.settings()
    person.scrubjay("install", "claude-code", "codex", "gemini")
    assert "heron" not in person.ask(CLAUDE_CODE, QUESTION)
    person.ask(CLAUDE_CODE, FACT)
    for client in (GEMINI, CODEX, CLAUDE_CODE):
        sent = person.ask(client, QUESTION)
        assert "heron and runs in Lisbon" in sent, (client.name, person.hook_log())
    person.ask(CODEX, NEEDS_NOTHING)
    prompts = [line for line in person.hook_log() if line["event"] == "UserPromptSubmit"]
    assert (prompts[-1]["client"], prompts[-1]["outcome"]) == ("codex", "nothing")
    assert {line["outcome"] for line in person.hook_log()} <= {"told", "nothing", "captured", "skipped"}
    person.scrubjay("uninstall")
    after = person.settings()
    assert b"scrubjay" not in b"".join(data or b"" for data in after.values())
    theirs = (".claude.json", ".gemini/settings.json", ".codex/config.toml")  # which the clients themselves write to
    assert {name: data for name, data in after.items() if name not in theirs} == {
        name: data for name, data in before.items() if name not in theirs
    }


def accepted(home: Path, *command: str, answers: bytes = b"") -> str:
    """What a client's own program says about our plugin, if it accepts it."""
    environ: Mapping[str, str] = {
        **Desk(CLAUDE_CODE, home, Model(ANSWER, "", {}), "http://127.0.0.1:9").environ(),
        "GEMINI_CLI_TRUST_WORKSPACE": "true",
    }
    home.mkdir(exist_ok=True)
    done = run(list(command), home, environ, answers)
    assert done.returncode == 0, (done.stdout + done.stderr).decode()[-2000:]
    return (done.stdout + done.stderr).decode()


def test_claude_code_accepts_our_plugin(tmp_path: Path) -> None:
    claude, home = str(MODULES / ".bin" / "claude"), tmp_path / "person"
    for path in (ROOT, ROOT / "plugins" / "claude-code"):
        accepted(home, claude, "plugin", "validate", "--strict", str(path))
    accepted(home, claude, "plugin", "marketplace", "add", str(ROOT))
    accepted(home, claude, "plugin", "install", "scrubjay@scrubjay")
    assert "scrubjay@scrubjay" in accepted(home, claude, "plugin", "list")


def test_codex_accepts_our_plugin(tmp_path: Path) -> None:
    codex, home = str(MODULES / ".bin" / "codex"), tmp_path / "person"
    accepted(home, codex, "plugin", "marketplace", "add", str(ROOT))
    accepted(home, codex, "plugin", "add", "scrubjay@scrubjay")
    assert "installed, enabled" in accepted(home, codex, "plugin", "list")


def test_gemini_cli_accepts_our_extension(tmp_path: Path) -> None:
    gemini, home = GEMINI.program, tmp_path / "person"
    extension = str(ROOT / "plugins" / "gemini")
    accepted(home, *gemini, "extensions", "validate", extension)
    accepted(home, *gemini, "extensions", "install", extension, "--consent", answers=b"y\ny\n")
    listed = accepted(home, *gemini, "extensions", "list")
    assert "scrubjay (" in listed
    assert "Agent skills:" in listed
