"""Nothing needs a call that only POSIX has: every such call has another way, tried here by pretending."""

from __future__ import annotations

import ast
import os
import socket
import sys
from pathlib import Path

import pytest

import scrubjay
from scrubjay.files import drafts, file_identity, private_files, regular_files
from scrubjay.hooks import local_socket
from scrubjay.interfaces.cli.shared import terminal
from scrubjay.interfaces.http.serving import raise_file_limit
from scrubjay.project import trust

PACKAGE = Path(scrubjay.__file__).parent
POSIX_ONLY = {"fcntl", "grp", "posix", "pty", "pwd", "resource", "syslog", "termios", "tty"}
# Names of `os` and `signal` that Windows lacks; each use of one must be behind a check of the platform.
NOT_ON_WINDOWS = set(
    "chown fork forkpty getegid geteuid getgid getgroups getuid killpg lchown mkfifo nice openpty setsid setuid sync"
    " SIGHUP SIGKILL SIGUSR1 SIGUSR2 SIGALRM O_NOFOLLOW O_NONBLOCK O_CLOEXEC AF_UNIX".split()
)
MODULES = ("os", "signal", "socket", "_socket")
# Where they are used, each after such a check: the tests below take the other way.
CHECKED = {"hooks/listener.py", "hooks/local_socket.py", "project/trust.py"}


def test_no_module_imports_what_only_posix_has_when_it_is_loaded() -> None:
    for path in PACKAGE.rglob("*.py"):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            names += [one.name for one in node.names] if isinstance(node, ast.Import) else []
            assert not POSIX_ONLY & set(names), path


def test_names_that_windows_lacks_are_used_only_where_the_platform_is_checked() -> None:
    used = {
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute) and node.attr in NOT_ON_WINDOWS
        if isinstance(node.value, ast.Name) and node.value.id in MODULES
    }
    assert used <= CHECKED


def test_files_are_written_and_kept_apart_without_permissions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "a"
    private_files.write(file, b"x")
    file.chmod(0o644)
    monkeypatch.setattr(os, "name", "nt")
    assert private_files.open_to_others([file]) == []
    assert trust._unsafe_reason_of(file, lambda mode: True) == ""


def test_files_are_read_without_the_flags_of_posix(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(regular_files, "NON_BLOCKING", 0)
    monkeypatch.setattr(regular_files, "NO_LINK", 0)
    (tmp_path / "a").write_bytes(b"x")
    assert regular_files.read_bytes(tmp_path / "a", 10) == b"x"


@pytest.mark.parametrize("platform", ["win32", "darwin"])
def test_a_file_is_known_again_on_other_systems(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, platform: str) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    assert file_identity._generation(tmp_path) == 0


def test_no_process_is_ended_to_see_whether_it_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setattr(os, "kill", lambda *_: pytest.fail("signal 0 ends a process on Windows"))
    assert not drafts.is_running(os.getpid())


def test_the_limit_of_open_files_is_left_alone_where_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "resource", None)
    raise_file_limit(100)


def test_a_person_is_asked_at_the_console_of_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []

    def open_(name: str, *rest: object, **options: object) -> object:
        opened.append(name)
        raise OSError

    monkeypatch.setattr("builtins.open", open_)
    monkeypatch.setattr(os, "name", "nt")
    with pytest.raises(scrubjay.Invalid):
        terminal.confirm("x", "y")
    assert opened == ["CONIN$"]


def test_hooks_do_without_sockets_of_unix(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(socket, "SO_PEERCRED", raising=False)
    monkeypatch.setattr(sys, "platform", "win32")
    with socket.socket() as one:
        assert not local_socket.is_same_user(one)
