"""The real clients by npm, and how to ask each of them offline, against a model on this machine."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from mock_llm import Model
from scrubjay.sources.transcripts import ParsedTurns, captured, locations

__all__ = ["CLAUDE_CODE", "CODEX", "GEMINI", "MODULES", "Client", "Desk", "alone", "install_clients", "run", "write"]

CACHE = Path(tempfile.gettempdir()) / "scrubjay-clients"
MODULES = CACHE / "node_modules"
PACKAGES = ("@anthropic-ai/claude-code@2.1.325", "@openai/codex@0.166.0", "@google/gemini-cli@0.61.0", "node@26")
INSTALL_SECONDS, RUN_SECONDS = 900, 180


@dataclass(frozen=True)
class Client:
    """How to ask one client, and what it needs in its home."""

    name: str
    program: tuple[str, ...]
    first: tuple[str, ...]
    again: tuple[str, ...]
    tool: str
    arguments: Callable[[Path], Mapping[str, Any]]
    environment: Callable[[str], Mapping[str, str]]
    prepare: Callable[[Path, str, str], None]
    prompt_on_stdin: bool = False


def hooked(event: str, hook: str, **more: Any) -> dict[str, Any]:
    """Settings with this hook; none for an empty one."""
    return {"hooks": {event: [{"hooks": [{"type": "command", "command": hook, **more}]}]}} if hook else {}


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def prepare_claude_code(home: Path, url: str, hook: str) -> None:
    write(home / ".claude" / "settings.json", json.dumps(hooked("UserPromptSubmit", hook)))


def prepare_codex(home: Path, url: str, hook: str) -> None:
    provider = f'[model_providers.mock]\nname = "mock"\nbase_url = "{url}/v1"\nwire_api = "responses"\n'
    write(home / ".codex" / "config.toml", f'model = "mock"\nmodel_provider = "mock"\n{provider}')
    write(home / ".codex" / "hooks.json", json.dumps(hooked("UserPromptSubmit", hook)))


def prepare_gemini(home: Path, url: str, hook: str) -> None:
    settings = {"security": {"auth": {"selectedType": "gemini-api-key"}}, **hooked("BeforeAgent", hook, name="recall")}
    write(home / ".gemini" / "settings.json", json.dumps(settings))


CLAUDE_CODE = Client(
    name="claude-code",
    program=(str(MODULES / ".bin" / "claude"), "-p", "--verbose", "--output-format=stream-json"),
    first=("--input-format=stream-json", "--replay-user-messages"),
    again=("--input-format=stream-json", "--continue"),
    tool="Read",
    arguments=lambda folder: {"file_path": str(folder / "seeds.txt")},
    environment=lambda url: {
        "ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": "none", "DISABLE_TELEMETRY": "1", "DISABLE_AUTOUPDATER": "1",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    },
    prepare=prepare_claude_code,
    prompt_on_stdin=True,
)  # fmt: skip
CODEX = Client(
    name="codex",
    program=(str(MODULES / ".bin" / "codex"), "exec", "--skip-git-repo-check", "--dangerously-bypass-hook-trust"),
    first=("--json",),
    again=("resume", "--last", "--json"),
    tool="exec_command",
    arguments=lambda folder: {"cmd": "cat seeds.txt"},
    environment=lambda url: {},
    prepare=prepare_codex,
)
GEMINI = Client(
    name="gemini",
    program=(str(MODULES / "node" / "bin" / "node"), str(MODULES / "@google" / "gemini-cli" / "bundle" / "gemini.js")),
    first=("-m", "gemini-2.5-flash", "--output-format=stream-json", "-p"),
    again=("-m", "gemini-2.5-flash", "--output-format=stream-json", "--resume=latest", "-p"),
    tool="read_file",
    arguments=lambda folder: {"file_path": str(folder / "seeds.txt")},
    environment=lambda url: {
        "GEMINI_API_KEY": "none", "GOOGLE_GEMINI_BASE_URL": url, "GEMINI_CLI_TRUST_WORKSPACE": "true",
    },
    prepare=prepare_gemini,
)  # fmt: skip


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Several test processes may find the packages missing; one installs them in this folder."""
    folder.mkdir(exist_ok=True)
    with open(folder / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def install_clients() -> None:
    """Install the clients once for all tests; skip the test where that is not possible."""
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("the clients are npm packages, and there is no npm here")
    mark = CACHE / "installed.txt"
    with alone(CACHE):
        if mark.exists() and mark.read_text() == " ".join(PACKAGES):
            return
        command = [npm, "install", "--prefix", str(CACHE), "--no-audit", "--no-fund", *PACKAGES]
        try:
            done = run(command, CACHE, os.environ, seconds=INSTALL_SECONDS)
        except subprocess.TimeoutExpired:
            pytest.skip(f"npm did not install the clients within {INSTALL_SECONDS} s")
        if done.returncode:
            pytest.skip(f"npm cannot install the clients: {done.stderr.decode()[-500:]}")
        mark.write_text(" ".join(PACKAGES))


def run(
    command: list[str], folder: Path, environ: Mapping[str, str], stdin: bytes = b"", seconds: int = RUN_SECONDS
) -> subprocess.CompletedProcess[bytes]:
    """Run a program that may start others, and leave none of them behind."""
    with subprocess.Popen(
        command, cwd=folder, env=environ, start_new_session=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as process:  # fmt: skip
        try:
            out, err = process.communicate(stdin, timeout=seconds)
        finally:
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
    return subprocess.CompletedProcess(command, process.returncode, out, err)


@dataclass
class Desk:
    """A home of its own, a folder to work in, and a model that answers on this machine."""

    client: Client
    home: Path
    model: Model
    url: str

    @property
    def folder(self) -> Path:
        return self.home / "garden"

    def ask(self, prompt: str, how: tuple[str, ...]) -> ParsedTurns:
        self.model.called = False
        command = [*self.client.program, *how]
        if not self.client.prompt_on_stdin:
            command.append(prompt)
        message = {"type": "user", "message": {"role": "user", "content": prompt}}
        stdin = json.dumps(message).encode() + b"\n" if self.client.prompt_on_stdin else b""
        done = run(command, self.folder, self.environ(), stdin)
        assert done.returncode == 0, done.stderr.decode()[-2000:]
        return captured(done.stdout, self.client.name)

    def transcripts(self) -> list[Path]:
        place = next(place for place in locations(self.home, {}) if place.client == self.client.name)
        return sorted({path for pattern in place.patterns for path in place.root.glob(pattern)})

    def environ(self) -> dict[str, str]:
        path = f"{MODULES / 'node' / 'bin'}:/usr/local/bin:/usr/bin:/bin"
        nowhere = {name: "http://127.0.0.1:9" for name in ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy")}
        here = {"NO_PROXY": "127.0.0.1,localhost", "no_proxy": "127.0.0.1,localhost"}
        return {
            "HOME": str(self.home),
            "PATH": path,
            "LANG": "C.UTF-8",
            **nowhere,
            **here,
            **self.client.environment(self.url),
        }
