"""`scrubjay doctor`: what it finds, what it says to do, and what it mends."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

import scrubjay
from scrubjay.doctor.disks import unsuitable_place
from scrubjay.files import json_log
from scrubjay.files.user_folders import hooks_log
from tests.support.commands import Answer, Run
from tests.support.served import serving


@pytest.fixture(autouse=True)
def machine(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home.mkdir(mode=0o700)
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(sys, "platform", "linux")


def about(answer: Answer, name: str) -> list[str]:
    """The lines about one thing, each with its state."""
    found: list[dict[str, Any]] = json.loads(answer.out)["findings"]
    return [f"{one['state']}: {one['text']} {one['remedy']}".strip() for one in found if one["about"] == name]


def test_a_machine_without_anything_has_nothing_wrong(run: Run, home: Path) -> None:
    answer = run("doctor")
    assert answer.code == 0
    assert "There is no memory at" in answer.out
    assert "Codex is not on this machine." in answer.out
    assert not (home / "memory.db").exists()


def test_a_memory_that_is_well_is_said_to_be(run: Run, home: Path) -> None:
    run("add", "Hello")
    answer = run("doctor", "--json")
    assert answer.code == 0
    assert about(answer, "memory") == [
        f"fine: {home}/memory.db opens: 1 memory.",
        "fine: No damage was found.",
        "fine: Only you may read its files.",
    ]


@pytest.mark.parametrize("name", ["scrubjay.py", "scrubjay/__init__.py"])
def test_a_file_of_ones_own_that_hides_the_package_is_wrong(run: Run, place: Path, name: str) -> None:
    (place / "scrubjay").mkdir()  # a folder of notes hides nothing
    assert run("doctor").code == 0
    (place / name).write_text("print('mine')")
    answer = run("doctor", "--json")
    hidden = place / name.split("/")[0]
    assert answer.code == 1
    assert about(answer, "memory")[0] == (
        f"wrong: {hidden} hides the package from `import scrubjay` in this folder. Rename it."
    )


def test_a_file_that_is_no_memory_is_wrong(run: Run, home: Path) -> None:
    (home / "memory.db").write_bytes(b"nonsense" * 1000)
    answer = run("doctor", "--json")
    assert answer.code == 1
    assert about(answer, "memory")[0].startswith("wrong: ")


def test_what_can_be_mended_safely_is_mended(run: Run, home: Path, place: Path) -> None:
    run("add", "Hello")
    (place / "notes").mkdir()
    (place / "notes/a.md").write_text("# One\n\nText.\n")
    run("sync", "notes")
    (place / "notes/a.md").write_text("# Two\n\nOther text, and longer.\n")
    (home / "memory.db").chmod(0o644)
    run("install", "cursor", "--no-mcp")
    (home / ".cursor/hooks.json").write_text(
        '{"version": 1, "hooks": {"stop": [{"command": "/old/scrubjay hook cursor"}]}}'
    )
    answer = run("doctor", "--json")
    assert answer.code == 1
    wrong = [line for name in ("memory", "cursor") for line in about(answer, name) if line.startswith("wrong")]
    assert [any(word in line for line in wrong) for word in ("sync", "may open", "5 of 5 hooks")] == [True] * 3
    assert run("doctor", "--fix").code == 0
    again = run("doctor", "--json")
    assert again.code == 0
    assert "fine: 5 hooks set up." in about(again, "cursor")


def test_memories_without_a_vector_are_counted_and_filled_in(
    run: Run, monkeypatch: pytest.MonkeyPatch, home: Path
) -> None:
    with scrubjay.open(embedder="hashing") as jay:
        jay.add("One")
    with scrubjay.open(embedder="none") as jay:
        jay.add("Two")
    monkeypatch.delenv("SCRUBJAY_EMBEDDER")
    lines = about(run("doctor", "--json"), "memory")
    assert "wrong: 1 memory cannot be found by meaning yet. `scrubjay backfill`" in lines
    run("doctor", "--fix")
    assert "fine: Every memory can be found by meaning." in about(run("doctor", "--json"), "memory")


def test_a_project_that_is_not_trusted_is_named(run: Run, place: Path) -> None:
    (place / ".scrubjay").mkdir()
    (place / ".scrubjay/memory.db").write_bytes(b"")
    lines = about(run("doctor", "--json"), "memory")
    assert any(line.startswith("note: ") and f"`scrubjay trust {place}/.scrubjay`" in line for line in lines)


def test_no_name_of_a_folder_is_run_with_a_command_that_is_proposed(
    run: Run, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = place / "$(touch run)" / ".scrubjay"
    folder.mkdir(parents=True)
    (folder / "memory.db").write_bytes(b"")
    monkeypatch.chdir(folder.parent)
    assert "scrubjay trust .scrubjay" in (shown := run("doctor").out) and "touch" not in shown


def test_the_server_that_a_client_would_start_is_started(run: Run, home: Path) -> None:
    run("install", "cursor", "--no-hooks")
    assert "fine: The MCP entry is right, and the server answers." in about(run("doctor", "--json"), "cursor")
    path = home / ".cursor/mcp.json"
    path.write_text(path.read_text().replace('"mcp"\n', '"mcp", "--tools", "nonsense"\n'))
    answer = run("doctor", "--json")
    assert answer.code == 1
    assert any("The MCP server does not answer: " in line and "nonsense" in line for line in about(answer, "cursor"))


def test_a_shared_server_is_asked_with_the_token_of_the_settings(run: Run, home: Path, tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        with scrubjay.open(server.store) as jay:
            _, secret = jay.tokens.create("laptop")
        run("install", "gemini", "--server", f"http://127.0.0.1:{server.port}", "--token", secret)
        assert about(run("doctor", "--json"), "gemini")[0].endswith("the server answers.")
        run("install", "gemini", "--server", f"http://127.0.0.1:{server.port}", "--token", "wrong")
        assert "the token is not valid there" in about(run("doctor", "--json"), "gemini")[0]
    assert about(run("doctor", "--json"), "gemini")[0].startswith("wrong: The MCP server does not answer")


def test_a_server_on_this_machine_is_asked_through_no_proxy_and_read_up_to_a_limit(
    run: Run, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with listening() as server, listening() as proxy:
        monkeypatch.setenv("HTTP_PROXY", proxy.url)
        run("install", "gemini", "--server", server.url, "--token", "plain-word")
        assert "it answers with status 200" in about(run("doctor", "--json"), "gemini")[0]
        assert "plain-word" in server.asked[0] and proxy.asked == [] and server.sent < 100_000_000


def test_an_entry_with_an_address_that_is_none_is_wrong(run: Run, home: Path) -> None:
    (home / ".gemini").mkdir()
    for entry in ({"httpUrl": 7}, {"httpUrl": "http://127.0.0.1:1", "headers": {"a": None}}, {"url": ["x"]}):
        (home / ".gemini" / "settings.json").write_text(json.dumps({"mcpServers": {"scrubjay": entry}}))
        answer = run("doctor", "--json")
        assert answer.code == 1 and "is not the one of this installation" in about(answer, "gemini")[0]


class Endless(ThreadingHTTPServer):
    """A server that notes what it is asked, and does not end its answers."""

    daemon_threads = True
    asked: list[str]
    sent = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class Flood(BaseHTTPRequestHandler):
    server: Endless

    def do_POST(self) -> None:
        self.server.asked.append(str(self.headers))
        self.send_response(200)
        self.end_headers()
        with suppress(OSError):
            for _ in range(1_000):
                self.wfile.write(b"x" * 1_000_000)
                self.server.sent += 1_000_000

    def log_message(self, format: str, *args: Any) -> None: ...


@contextmanager
def listening() -> Iterator[Endless]:
    with Endless(("127.0.0.1", 0), Flood) as server:
        server.asked = []
        Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        yield server
        server.shutdown()


def test_when_each_hook_last_ran_and_why_one_failed(run: Run, home: Path) -> None:
    run("install", "codex", "--no-mcp")
    assert any("No hook has run yet" in line and "/hooks" in line for line in about(run("doctor", "--json"), "codex"))
    line = {"client": "codex", "outcome": "told", "reason": "", "ms": 31}
    json_log.append(hooks_log(), {**line, "at": "2026-11-02T09:00:00Z", "event": "Stop", "outcome": "failed"})
    json_log.append(hooks_log(), {**line, "at": "2026-11-02T10:00:00Z", "event": "Stop"})
    failed = {**line, "outcome": "late", "reason": "It was not done in time.", "ms": 5000}
    json_log.append(hooks_log(), {**failed, "at": "2026-11-02T10:01:00Z", "event": "UserPromptSubmit"})
    lines = about(run("doctor", "--json"), "codex")
    assert "fine: Stop last ran 2026-11-02T10:00:00Z: told, 31 ms." in lines
    assert any("late, 5000 ms. It was not done in time." in line for line in lines)


def test_broken_settings_are_wrong_and_the_other_clients_are_still_looked_at(run: Run, home: Path) -> None:
    (home / ".claude.json").write_text("{")
    answer = run("doctor", "--json")
    assert answer.code == 1
    assert any(line.startswith("wrong: ") and ".claude.json" in line for line in about(answer, "claude-code"))
    assert about(answer, "opencode") == ["note: OpenCode is not on this machine."]


@pytest.mark.parametrize(
    ("folder", "place"),
    [
        ("Dropbox (Personal)", "in a folder that Dropbox syncs"),
        ("OneDrive - Company", "in a folder that OneDrive syncs"),
        ("com~apple~CloudDocs", "in a folder that iCloud syncs"),
        ("share", "on a network drive (nfs4)"),
        ("my dropbox notes", ""),
    ],
)
def test_synced_folders_and_network_drives_are_known(tmp_path: Path, folder: str, place: str) -> None:
    (tmp_path / folder).mkdir()
    mounts = tmp_path / "mounts"
    real = os.path.realpath(tmp_path)
    mounts.write_text(f"/dev/a / ext4 rw 0 0\nserver:/x {real}/share nfs4 rw 0 0\n")
    assert unsuitable_place(tmp_path / folder / "memory.db", mounts) == place
