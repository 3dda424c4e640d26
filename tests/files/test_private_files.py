"""Nobody but their owner may open the files of a memory, whatever the umask; and what is open already is said to be."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

import scrubjay
from scrubjay import Scrubjay, config
from scrubjay.clients.settings import files
from scrubjay.files import json_log, private_files
from tests.support.commands import Run

pytestmark = pytest.mark.skipif(os.name != "posix", reason="modes are POSIX's")


@pytest.fixture(params=[0o000, 0o022, 0o077, 0o777], ids=oct)
def umask(request: pytest.FixtureRequest) -> Iterator[int]:
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def modes(folder: Path) -> dict[str, int]:
    """Of everything below a folder, by name."""
    return {str(path.relative_to(folder)): mode(path) for path in sorted(folder.rglob("*"))}


def many(jay: Scrubjay) -> None:
    """Enough memories for the vectors to be saved beside the file, too."""
    jay.add_many([{"text": f"heron number {number}", "kind": "fact"} for number in range(300)])
    for _ in range(3):
        jay.search("heron")


def test_every_file_of_a_memory_is_private_while_it_is_open_and_after(
    home: Path, umask: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCRUBJAY_LOG_FOLDER", str(home / "log"))
    notes = home.parent / "notes"
    notes.mkdir()
    notes.chmod(0o755)
    (notes / "a.md").touch(0o644)
    (notes / "a.md").chmod(0o644)
    with scrubjay.open(embedder="hashing") as jay:
        many(jay)
        jay.sources.add(notes)
        jay.sync()
        open_now = modes(home)
    assert {"memory.db", "memory.db-wal", "memory.db-shm", "memory.db.vectors", "log"} <= set(open_now)
    assert "memory.db.sync.lock" in open_now
    assert any(name.endswith(".codes") for name in open_now) and any(name.endswith(".md") for name in open_now)
    for found in (open_now, modes(home)):
        assert {name: bits for name, bits in found.items() if bits not in (0o600, 0o700)} == {}
        assert found["memory.db"] == 0o600 and found["memory.db.vectors"] == found["log"] == 0o700
    assert mode(home) == 0o700


def test_settings_and_a_projects_memory_are_private(run: Run, place: Path, home: Path, umask: int) -> None:
    (place / "project").mkdir(mode=0o755)
    (place / "project").chmod(0o755)
    assert run("init", "project").code == 0
    assert run("config", "search.limit", "3").code == 0
    os.chdir(place / "project")
    assert run("config", "--local", "search.limit", "4").code == 0
    assert mode(home) == mode(place / "project/.scrubjay") == 0o700
    assert set(modes(place / "project/.scrubjay").values()) | set(modes(home).values()) == {0o600}
    assert mode(place / "project") == 0o755


def test_a_folder_that_is_the_users_is_left_as_it_is(tmp_path: Path, umask: int) -> None:
    folder = tmp_path / "shared"
    folder.mkdir()
    folder.chmod(0o755)
    with scrubjay.open(folder / "memory.db", embedder="hashing") as jay:
        jay.add("Ann likes tea")
        assert jay.check(repair=True).repaired == []
    assert mode(folder) == 0o755 and mode(folder / "memory.db") == 0o600


def test_a_link_that_leads_nowhere_yet_is_followed_to_a_private_file(tmp_path: Path) -> None:
    (tmp_path / "link.db").symlink_to(tmp_path / "real.db")
    with scrubjay.open(tmp_path / "link.db", embedder="none") as jay:
        jay.add("Ann likes tea")
    assert mode(tmp_path / "real.db") == 0o600


def test_files_open_to_others_are_told_of_by_status_and_closed_by_check(run: Run, home: Path) -> None:
    run("add", "Ann likes tea")
    assert run("check").out == "No problems found.\n" and "other users" not in run("status").out
    run("config", "search.limit", "3")
    (home / "memory.db").chmod(0o644)
    (home / "config.toml").chmod(0o640)
    home.chmod(0o755)
    assert "other users of this machine may open: 5; `scrubjay check --repair` closes them" in run("status").out
    assert "may open: 5" in run("status", "--json").json["warnings"][0]
    found = run("check")
    assert found.code == 0  # nothing is damaged
    assert f"may open {home / 'memory.db'} (mode 0644); `scrubjay check --repair` makes it private." in found.out
    assert mode(home / "memory.db") == 0o644
    assert run("check", "--repair").out.count("Repaired: Other users") == 5  # with the WAL and its index
    assert run("check").out == "No problems found.\n"
    assert (mode(home), mode(home / "memory.db"), mode(home / "config.toml")) == (0o700, 0o600, 0o600)


def test_what_a_repair_keeps_of_a_damaged_file_is_private(run: Run, home: Path) -> None:
    run("add", "Ann likes tea")
    store = home / "memory.db"
    store.write_bytes(store.read_bytes()[: 5 * 4096])
    store.chmod(0o644)
    assert "the old one is kept as" in run("check", "--repair").out
    assert {mode(path) for path in home.glob("memory.db*")} == {0o600}


def test_an_agent_is_told_that_files_are_open(path: Path) -> None:
    from scrubjay.interfaces.mcp import replies

    with scrubjay.open(path, embedder="none") as jay:
        path.chmod(0o666)
        assert "`scrubjay check --repair` closes them" in replies.status(jay.status())
        assert len(jay.check(repair=True).repaired) == 1
        assert jay.check().warnings == []
        assert jay.status().warnings == ()
    assert mode(path) == 0o600


def test_closing_keeps_a_read_only_file_read_only(path: Path) -> None:
    scrubjay.open(path, embedder="none").close()
    path.chmod(0o444)
    with scrubjay.open(path, embedder="none") as jay:
        assert jay.check(repair=True).warnings == []
    assert mode(path) == 0o400


def test_a_log_that_another_process_has_just_rotated_is_written_to_a_private_file(
    tmp_path: Path, umask: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(private_files, "create", lambda path: path.unlink(missing_ok=True))
    json_log.append(str(log := tmp_path / "hooks.log"), {"reason": "canary"})
    assert mode(log) & 0o077 == 0


def test_a_settings_file_that_is_a_link_stays_one(run: Run, home: Path, tmp_path: Path) -> None:
    home.mkdir()
    real = tmp_path / "dotfiles.toml"
    real.write_text("# mine\n")
    (home / config.CONFIG_FILE).symlink_to(real)
    run("config", "search.limit", "3")
    assert (home / config.CONFIG_FILE).is_symlink() and real.read_text().startswith("# mine\n")
    assert mode(real) == 0o600


def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "settings"
    private_files.write(path, b"old")

    def full(self: Path, target: Path) -> Path:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(OSError, match="No space"):
        private_files.write(path, b"new")
    assert path.read_text() == "old" and list(tmp_path.iterdir()) == [path]


def test_nothing_is_written_to_a_file_that_somebody_puts_in_the_place_of_the_draft(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    theirs = tmp_path / "theirs"
    theirs.touch()
    really_unlink = Path.unlink

    def unlink(self: Path, missing_ok: bool = False) -> None:
        really_unlink(self, missing_ok)
        self.symlink_to(theirs)

    monkeypatch.setattr(Path, "unlink", unlink)
    for write in (private_files.write, files.write):
        with pytest.raises(FileExistsError):
            write(tmp_path / "settings", b"private")
    assert theirs.read_bytes() == b""


def test_what_hooks_and_installations_keep_is_private_and_looked_at(run: Run, home: Path, umask: int) -> None:
    run("hook", "codex", stdin=b"no JSON")
    run("install", "codex", "--no-hooks")
    ours = [home / "hooks.log", home / "clients", *(home / "clients").iterdir()]
    assert len(ours) >= 4 and private_files.open_to_others([home, *ours]) == []
    for path in ours:
        path.chmod(0o755)
    with scrubjay.open(embedder="none") as jay:
        assert all(str(path) in " ".join(jay.check().warnings) for path in ours)
        jay.check(repair=True)
    assert private_files.open_to_others(ours) == []
