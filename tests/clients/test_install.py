"""`scrubjay install` and `uninstall`: what is written where, what stays, and what is refused."""

from __future__ import annotations

import errno
import json
import os
import shlex
import stat
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from scrubjay.clients import NAMES, Place, load
from scrubjay.clients.program import hook_command, our_program
from scrubjay.clients.settings import files
from scrubjay.errors import Invalid
from tests.support.commands import Run


@pytest.fixture(autouse=True)
def machine(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home with no client in it, on Linux, and no program in the path."""
    home.mkdir()
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(sys, "platform", "linux")
    for variable in ("XDG_CONFIG_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CLI_HOME"):
        monkeypatch.delenv(variable, raising=False)
    return home


def read(path: Path) -> Any:
    return json.loads(path.read_text())


def snapshot(folder: Path) -> dict[str, bytes | None]:
    found = {str(path): path.read_bytes() if path.is_file() else None for path in sorted(folder.rglob("*"))}
    return {name: data for name, data in found.items() if "/clients" not in name}


def test_the_mcp_entry_and_the_hooks_are_in_the_clients_own_files(run: Run, home: Path) -> None:
    answer = run("install", *NAMES)
    assert answer.code == 0, answer.err
    (program,) = our_program()
    assert read(home / ".claude.json")["mcpServers"]["scrubjay"]["command"] == program
    assert tomllib.loads((home / ".codex/config.toml").read_text())["mcp_servers"]["scrubjay"]["args"] == ["mcp"]
    assert read(home / ".gemini/settings.json")["mcpServers"]["scrubjay"]["command"] == program
    assert read(home / ".cursor/mcp.json")["mcpServers"]["scrubjay"]["args"] == ["mcp"]
    assert read(home / ".config/Code/User/mcp.json")["servers"]["scrubjay"]["type"] == "stdio"
    assert read(home / ".config/Claude/claude_desktop_config.json")["mcpServers"]["scrubjay"]["args"] == ["mcp"]
    assert read(home / ".codeium/windsurf/mcp_config.json")["mcpServers"]["scrubjay"]["command"] == program
    assert read(home / ".config/opencode/opencode.json")["mcp"]["scrubjay"]["command"] == [program, "mcp"]
    for client, file in {
        "claude-code": ".claude/settings.json", "codex": ".codex/hooks.json", "gemini": ".gemini/settings.json",
        "cursor": ".cursor/hooks.json", "windsurf": ".codeium/windsurf/hooks.json",
    }.items():  # fmt: skip
        hooks = read(home / file)["hooks"]
        assert tuple(hooks) == load(client).events
        assert all(f"{program} hook {client}" in json.dumps(hook) for hook in hooks.values())
    assert program in (home / ".config/opencode/plugins/scrubjay.js").read_text()


def test_uninstalling_leaves_a_machine_as_it_was(run: Run, home: Path) -> None:
    before = snapshot(home)
    run("install", *NAMES)
    assert run("uninstall").code == 0
    assert snapshot(home) == before
    assert run("uninstall").out == "There is nothing of Scrubjay to take out.\n"


def test_without_a_name_it_says_which_clients_are_here(run: Run, home: Path) -> None:
    assert "No client was found" in run("install").err
    (home / ".codex").mkdir()
    answer = run("install")
    assert (answer.code, "`scrubjay install codex`" in answer.err) == (2, True)


def test_an_unknown_client_is_refused(run: Run) -> None:
    answer = run("install", "emacs")
    assert answer.code == 2
    assert "There is no client 'emacs'; known are claude-code," in answer.err


def test_a_dry_run_shows_each_change_and_makes_none(run: Run, home: Path) -> None:
    (home / ".cursor").mkdir()
    (home / ".cursor/mcp.json").write_text('{\n  "mcpServers": {}\n}\n')
    before = snapshot(home)
    answer = run("install", "cursor", "--dry-run")
    assert '+    "scrubjay": {' in answer.out
    assert f"+++ {home}/.cursor/hooks.json" in answer.out
    assert snapshot(home) == before
    shown = json.loads(run("install", "cursor", "--dry-run", "--json").out)
    assert [file["changed"] for file in shown["clients"][0]["files"]] == [True, True]


def test_broken_settings_of_one_client_keep_all_of_them_unchanged(run: Run, home: Path) -> None:
    (home / ".gemini").mkdir()
    (home / ".gemini/settings.json").write_text('{"theme": }')
    before = snapshot(home)
    answer = run("install", "codex", "gemini")
    assert answer.code == 2
    assert "settings.json cannot be changed (line 1, column 11: '}' is not expected there)" in answer.err
    assert snapshot(home) == before


@pytest.mark.parametrize("name", ["mcp.json", "."])
def test_read_only_settings_are_left_alone(run: Run, home: Path, name: str) -> None:
    (home / ".cursor").mkdir()
    (home / ".cursor/mcp.json").write_text("{}")
    (home / ".cursor" / name).chmod(0o555 if name == "." else 0o444)
    before = snapshot(home)
    answer = run("install", "cursor")
    (home / ".cursor" / name).chmod(0o755)
    assert answer.code == 2
    assert "read-only" in answer.err
    assert snapshot(home) == before


def test_a_file_that_is_not_text_is_left_alone(run: Run, home: Path) -> None:
    (home / ".claude.json").write_bytes(b"\xff\xfe{")
    assert "is not UTF-8 text; nothing was changed" in run("install", "claude-code").err
    assert (home / ".claude.json").read_bytes() == b"\xff\xfe{"


def test_a_link_stays_a_link_and_the_mode_stays(run: Run, home: Path, tmp_path: Path) -> None:
    real = tmp_path / "dotfiles.json"
    real.write_text('{"theme": "dark"}')
    real.chmod(0o640)
    (home / ".gemini").mkdir()
    (home / ".gemini/settings.json").symlink_to(real)
    run("install", "gemini")
    assert "scrubjay" in real.read_text()
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    run("uninstall", "gemini")
    assert (home / ".gemini/settings.json").is_symlink()
    assert real.read_text() == '{"theme": "dark"}'


def test_a_new_file_and_the_copy_of_an_old_one_are_private(run: Run, home: Path) -> None:
    (home / ".claude.json").write_text('{"key": 1}')
    run("install", "claude-code")
    written = [home / ".claude/settings.json", *(home / "clients").iterdir()]
    assert len(written) == 4
    assert {stat.S_IMODE(path.stat().st_mode) for path in written if path.name != "lock"} == {0o600}
    run("uninstall", "claude-code")
    assert "key" not in "".join(path.read_text() for path in (home / "clients").iterdir())


def test_an_entry_of_another_installation_is_brought_up_to_date(run: Run, home: Path) -> None:
    old = {"command": "/old/scrubjay", "args": ["mcp", "--space", "work"], "env": {"A": "1"}}
    (home / ".cursor").mkdir()
    (home / ".cursor/mcp.json").write_text(json.dumps({"mcpServers": {"scrubjay": old}}))
    group = {"hooks": {"stop": [{"command": "/old/scrubjay hook cursor"}, {"command": "mine.sh"}]}}
    (home / ".cursor/hooks.json").write_text(json.dumps(group))
    run("install", "cursor")
    (program,) = our_program()
    entry = read(home / ".cursor/mcp.json")["mcpServers"]["scrubjay"]
    assert entry == {"command": program, "args": ["mcp", "--space", "work"], "env": {"A": "1"}}
    assert read(home / ".cursor/hooks.json")["hooks"]["stop"] == [
        {"command": f"{program} hook cursor"}, {"command": "mine.sh"},
    ]  # fmt: skip


def test_our_hook_in_a_group_of_somebody_elses_is_taken_out_and_theirs_stays(run: Run, home: Path) -> None:
    run("install", "claude-code", "--no-mcp")
    path = home / ".claude/settings.json"
    settings = read(path)
    theirs = {"type": "command", "command": "mine.sh"}
    settings["hooks"]["Stop"][0]["hooks"].append(theirs)
    path.write_text(json.dumps(settings))
    run("uninstall", "claude-code")
    assert read(path) == {"hooks": {"Stop": [{"hooks": [theirs]}]}}


def test_mcp_or_hooks_alone(run: Run, home: Path) -> None:
    run("install", "codex", "--no-hooks")
    assert not (home / ".codex/hooks.json").exists()
    run("uninstall", "codex")
    run("install", "codex", "--no-mcp")
    assert [path.name for path in (home / ".codex").iterdir()] == ["hooks.json"]
    assert "nothing to install" in run("install", "codex", "--no-mcp", "--no-hooks").err


def test_a_token_is_put_into_no_file_that_others_may_read(run: Run, home: Path) -> None:
    home.mkdir(exist_ok=True)
    (settings := home / ".claude.json").write_text("{}")
    settings.chmod(0o644)
    run("install", "claude-code")
    assert settings.stat().st_mode & 0o777 == 0o644
    run("install", "claude-code", "--server", "https://memory.example.org", "--token", "not-a-real-token")
    assert settings.stat().st_mode & 0o777 == 0o600


def test_a_shared_server_instead_of_this_machine(run: Run, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    url, token = "https://memory.example.org", "not-a-real-token"
    assert run("install", "claude-code", "codex", "gemini", "--server", url, "--token", token).code == 0
    header = {"Authorization": f"Bearer {token}"}
    expected = {"type": "http", "url": f"{url}/mcp", "headers": header}
    assert read(home / ".claude.json")["mcpServers"]["scrubjay"] == expected
    assert tomllib.loads((home / ".codex/config.toml").read_text())["mcp_servers"]["scrubjay"]["http_headers"] == header
    assert read(home / ".gemini/settings.json")["mcpServers"]["scrubjay"]["httpUrl"] == f"{url}/mcp"
    assert "hooks" not in read(home / ".gemini/settings.json")
    assert "leave out --hooks" in run("install", "codex", "--server", url, "--hooks").err
    assert "cannot be given a server's address" in run("install", "claude-desktop", "--server", url).err
    assert "does not belong there" in run("install", "codex", "--server", url, "--token", "x", "--scope", "project").err
    assert "is not the address of a server" in run("install", "codex", "--server", "memory").err
    assert "--token needs --server" in run("install", "codex", "--token", "x").err


def test_a_projects_settings_are_in_its_root(run: Run, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (place / ".git").mkdir()
    (place / "src").mkdir()
    monkeypatch.chdir(place / "src")
    before = snapshot(place)
    assert run("install", "claude-code", "vscode", "cursor", "--scope", "project").code == 0
    assert {".mcp.json", ".vscode", ".cursor", ".claude"} <= {path.name for path in place.iterdir()}
    assert "has no settings for a project" in run("install", "claude-desktop", "--scope", "project").err
    run("uninstall", "--scope", "project")
    assert snapshot(place) == before


@pytest.mark.parametrize("name", [".mcp.json", ".claude"])
@pytest.mark.parametrize("command", ["install", "uninstall"])
def test_a_projects_settings_are_written_through_no_link(
    run: Run, home: Path, place: Path, name: str, command: str
) -> None:
    (home / "precious").mkdir()
    for file in ("mcp.json", "settings.local.json"):
        (home / "precious" / file).write_text('{"mcpServers": {"scrubjay": {"command": "mine"}}}')
    (place / name).symlink_to(home / "precious" / ("mcp.json" if name == ".mcp.json" else ""))
    before = snapshot(home)
    answer = run(command, "claude-code", "--scope", "project")
    assert answer.code == 2 and f"{place / name} is a symbolic link" in answer.err
    assert snapshot(home) == before


@pytest.mark.parametrize(("client", "file"), [("claude-code", ".mcp.json"), ("cursor", ".cursor/mcp.json")])
def test_nothing_that_a_project_says_about_our_server_is_kept(run: Run, place: Path, client: str, file: str) -> None:
    (place / file).parent.mkdir(exist_ok=True)
    theirs = {"command": "x", "args": ["mcp", "--store", "/theirs.db"], "env": {"SCRUBJAY_EMBEDDER": "theirs"}}
    (place / file).write_text(json.dumps({"mcpServers": {"scrubjay": theirs}}))
    assert run("install", client, "--scope", "project", "--no-hooks").code == 0
    assert read(place / file)["mcpServers"]["scrubjay"]["args"][-1] == "mcp"
    assert "theirs" not in (place / file).read_text()


def test_settings_that_would_take_long_to_change_are_refused(run: Run, place: Path) -> None:
    hook = {"hooks": [{"type": "command", "command": "/theirs/scrubjay hook claude-code"}]}
    (place / ".claude").mkdir()
    (place / ".claude" / "settings.local.json").write_text(json.dumps({"hooks": {"Stop": [hook] * 51}}))
    for command in ("install", "uninstall"):
        answer = run(command, "claude-code", "--scope", "project")
        assert answer.code == 2 and "more than 50 entries of ours" in answer.err and not (place / ".mcp.json").exists()


def test_a_number_of_too_many_digits_is_said_in_one_sentence(run: Run, home: Path) -> None:
    (home / ".codex").mkdir()
    (home / ".codex" / "config.toml").write_text("x = " + "9" * 5_000)
    answer = run("install", "codex")
    assert answer.code == 2 and "config.toml cannot be changed" in answer.err


@pytest.mark.parametrize(
    "text", ["a." * 100_000 + "b = 1", "[" + "a." * 999 + "a]\n" + "b = 1\n" * 9_999], ids=["key", "table"]
)
def test_names_with_very_many_dots_are_refused_at_once(run: Run, home: Path, text: str) -> None:
    (home / ".codex").mkdir()
    (home / ".codex" / "config.toml").write_text(text)
    answer = run("install", "codex")
    assert answer.code == 2 and "too many dots" in answer.err


def test_a_dry_run_shows_no_token_and_no_key_beside_it(run: Run, home: Path) -> None:
    url, key = "https://memory.example.org", "ghp_aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5"
    (home / ".codex").mkdir()
    (home / ".codex" / "config.toml").write_text(f'[mcp_servers.other.env]\nGITHUB_TOKEN = "{key}"\n')
    for option in ((), ("--json",)):
        shown = run(
            "install", "claude-code", "codex", "--server", url, "--token", "plain-word", "--dry-run", *option
        ).out
        assert url in shown and "plain-word" not in shown and key not in shown


def test_somebody_elses_file_of_our_name_is_not_overwritten(run: Run, home: Path) -> None:
    theirs = home / ".config/opencode/plugins/scrubjay.js"
    theirs.parent.mkdir(parents=True)
    theirs.write_text("// mine\n")
    assert "was not written by Scrubjay" in run("install", "opencode").err
    run("uninstall", "opencode")
    assert theirs.read_text() == "// mine\n"


def test_settings_are_where_each_system_keeps_them() -> None:
    home = Path("/home/ann")
    files = {
        system: load("vscode").folders(Place(home, {"APPDATA": "/home/ann/Roaming"}, system))
        for system in ("linux", "darwin", "win32")
    }
    assert [str(next(iter(found))) for found in files.values()] == [
        "/home/ann/.config/Code", "/home/ann/Library/Application Support/Code", "/home/ann/Roaming/Code",
    ]  # fmt: skip


def test_the_command_is_absolute_and_quoted_for_a_shell(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert os.path.isabs(our_program()[0])
    assert shlex.split(hook_command(("/my apps/scrubjay",), "codex")) == ["/my apps/scrubjay", "hook", "codex"]
    windows = hook_command(("C:\\My Apps\\scrubjay.exe",), "codex", "nt")
    assert windows == '"C:/My Apps/scrubjay.exe" hook codex'
    monkeypatch.setattr("sysconfig.get_path", lambda *names: str(tmp_path))
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python3"))
    assert our_program() == (str(tmp_path / "python3"), "-P", "-m", "scrubjay")
    monkeypatch.setattr(sys, "prefix", "/home/ann/.cache/uv/archive-v0/x1")
    with pytest.raises(Invalid, match="uv tool install"):
        our_program()


def test_at_a_terminal_it_asks_about_each_client_that_is_here(
    run: Run, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scrubjay.interfaces.cli.clients.install.is_interactive", lambda: True)
    (home / ".codex").mkdir()
    (home / ".gemini").mkdir()
    answer = run("install", stdin=b"n\ny\n")
    assert "On this machine: Codex, Gemini CLI" in answer.err
    assert answer.out.startswith("Gemini CLI: installed.")
    assert not list((home / ".codex").iterdir())
    assert "No client was chosen; nothing was changed." in run("install", stdin=b"n\nn\n").err


def test_a_disk_that_is_full_leaves_no_half_of_it(run: Run, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (home / ".claude.json").write_text('{"a": 1}')
    before = snapshot(home)
    really_write = files.write

    def write(path: Path, data: bytes, **options: bool) -> None:
        if path.name == "settings.json":
            raise OSError(errno.ENOSPC, "No space left on device")
        really_write(path, data, **options)

    monkeypatch.setattr(files, "write", write)
    answer = run("install", "claude-code")
    assert answer.code == 1
    assert "settings.json cannot be written: No space left on device; nothing was changed." in answer.err
    assert snapshot(home) == before
    monkeypatch.undo()


def test_another_installation_after_somebodys_edit_still_gives_back_what_is_theirs(run: Run, home: Path) -> None:
    path = home / ".claude.json"
    path.write_text('{\n  "a": 1 // one\n}\n')
    run("install", "claude-code", "--no-hooks")
    path.write_text(path.read_text().replace("one", "two").replace(our_program()[0], "/old/scrubjay"))
    run("install", "claude-code", "--no-hooks")
    assert our_program()[0] in path.read_text()
    run("uninstall", "claude-code")
    assert path.read_text() == '{\n  "a": 1 // two\n}\n'


def test_two_at_once_do_not_lose_each_others_copies(home: Path) -> None:
    (home / ".claude.json").write_text('{"a": 1}')
    program = "from scrubjay.interfaces.cli import main; main()"
    commands = [[sys.executable, "-c", program, "install", name] for name in ("claude-code", "codex", "gemini")]
    for process in [subprocess.Popen(command, stdout=subprocess.DEVNULL) for command in commands]:
        assert process.wait(60) == 0
    installed = read(home / "clients" / "installed.json")
    assert {entry["client"] for entry in installed.values()} == {"claude-code", "codex", "gemini"}
    assert len(installed) == 5


def test_tables_of_toml_stay_where_they_are(run: Run, home: Path) -> None:
    before = '[mcp_servers.a]\ncommand = "a"\n\n[[p]]\nn = 1\n\n[mcp_servers.b] # the other\ncommand = "b"\n'
    (home / ".codex").mkdir()
    (home / ".codex/config.toml").write_text(before)
    run("install", "codex")
    after = (home / ".codex/config.toml").read_text()
    assert after.startswith(before)
    (home / ".codex/config.toml").write_text(f"{after}\n[mine]\nx = 1\n")
    run("uninstall", "codex")
    assert (home / ".codex/config.toml").read_text() == f"{before}\n[mine]\nx = 1\n"
