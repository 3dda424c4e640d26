"""What does not come in one piece, from a server: changes as they come, exports and imports."""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest

import scrubjay
from scrubjay import Invalid, Scrubjay
from scrubjay.errors import StoreError
from scrubjay.remote import connection, streams
from scrubjay.remote.connection import Connection
from tests.support.api_server import serving_here
from tests.support.clock import Clock

ALL = ("read", "write", "admin")


@pytest.fixture
def local(path: Path, clock: Clock) -> Iterator[Scrubjay]:
    with scrubjay.open(path, embedder="hashing", clock=clock) as jay:
        yield jay


@pytest.fixture
def secret(local: Scrubjay) -> str:
    return local.tokens.create("ann", all_spaces=True, scopes=ALL)[1]


@pytest.fixture
def remote(local: Scrubjay, secret: str) -> Iterator[Scrubjay]:
    with serving_here(local) as url, scrubjay.open(url, token=secret) as jay:
        yield jay


@pytest.mark.every_store
def test_changes_of_a_server_are_those_of_the_file(local: Scrubjay, remote: Scrubjay) -> None:
    begin = remote.events(follow=False).last
    assert begin == local.events(follow=False).last
    local.add("The garden needs water", kind="fact")
    local.lend(space="other").add("Elsewhere")
    remote.update(1, tags=["home"])
    for options in ({}, {"spaces": ["default", "other"]}):
        here, there = (list(jay.events(after=begin, follow=False, **options)) for jay in (local, remote))
        assert here == there and len(here) == 2 + bool(options)
    with pytest.raises(Invalid, match="not the id of a change"):
        remote.events(after="yesterday")


def test_a_follower_goes_on_when_the_server_was_away_and_ends_when_closed(local: Scrubjay, secret: str) -> None:
    seen: list[int | None] = []
    with serving_here(local) as url:
        port = int(url.rsplit(":", 1)[1])
        jay = scrubjay.open(url, token=secret)
        changes = jay.events()
        thread = Thread(target=lambda: seen.extend(change.memory for change in changes))
        thread.start()
        first = local.add("While it listens").memory.id
        while not seen:
            thread.join(timeout=0.01)
    second = local.add("While the server is away").memory.id
    with serving_here(local, port):
        while len(seen) < 2:
            thread.join(timeout=0.01)
        changes.close()
        local.add("It is told no more")
        thread.join(timeout=20)
    assert not thread.is_alive() and seen[:2] == [first, second]
    jay.close()


def test_a_server_that_ends_each_stream_at_once_is_asked_again_after_a_pause(
    remote: Scrubjay, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = list[str]()

    def ends_at_once(*_: Any) -> Iterator[Any]:
        steps.append("asked")
        assert len(steps) < 6
        yield from ()

    class Closed(Event):
        def wait(self, timeout: float | None = None) -> bool:
            steps.append("pause")
            if len(steps) == 6:
                changes.close()
            return self.is_set()

    changes = remote.events()
    monkeypatch.setattr(streams, "_listen", ends_at_once)
    changes._closed.__class__ = Closed
    assert list(changes) == [] and steps == ["asked", "pause"] * 3


def test_an_export_of_a_server_is_that_of_the_file(local: Scrubjay, remote: Scrubjay, tmp_path: Path) -> None:
    local.add("The garden needs water", kind="fact", tags=["home"])
    local.lend(space="other").add("Elsewhere")
    for options in ({}, {"vectors": True, "all_spaces": True}, {"tags": ["home"]}):
        here, there, opened = tmp_path / "here.jsonl", tmp_path / "there.jsonl", BytesIO()
        reports: list[Any] = [local.export(here, **options), remote.export(there, **options)]
        assert reports[0].sha256 == reports[1].sha256 and reports[1].file == str(there)
        assert remote.export(opened, **options).memories == reports[0].memories
        assert here.read_bytes() == there.read_bytes() == opened.getvalue()
    assert "export fetched with token ann" in " ".join(local.forget(1).certificate.still_held)  # type: ignore[union-attr]


def test_a_broken_download_writes_nothing(remote: Scrubjay, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    remote.add("The garden needs water", kind="fact")
    kept = tmp_path / "export.jsonl"
    kept.write_text("as it was")
    written = streams._written
    monkeypatch.setattr(streams, "_written", lambda parts, file: written([b"".join(parts)[:-70]], file))
    with pytest.raises(StoreError, match="nothing was written"):
        remote.export(kept)
    assert kept.read_text() == "as it was" and [*tmp_path.glob(".*tmp")] == []


def test_an_import_is_that_of_the_file(local: Scrubjay, remote: Scrubjay, tmp_path: Path, clock: Clock) -> None:
    file = tmp_path / "other.jsonl"
    with scrubjay.open(tmp_path / "other.db", embedder="hashing", clock=clock) as other:
        other.add_many([{"text": f"Note {number}"} for number in range(700)])
        other.export(file)
    tried = remote.import_file(file, dry_run=True)
    assert tried.dry_run and tried.added["memory"] == 700 and local.stats().memories == 0
    assert remote.import_file(file).added["memory"] == 700 == local.stats().memories
    assert remote.import_file(file).known["memory"] == 700
    (tmp_path / "CLAUDE.md").write_text("# Rules\n\n- Always use tabs in this project\n")
    assert remote.import_file(tmp_path / "CLAUDE.md").format == "instructions"


def test_a_broken_upload_leaves_nothing(
    local: Scrubjay, remote: Scrubjay, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "export.jsonl"
    with scrubjay.open(tmp_path / "other.db", embedder="hashing") as other:
        other.add_many([{"text": f"Note {number}"} for number in range(100)])
        other.export(file)
    whole = file.read_bytes()
    monkeypatch.setattr(connection, "WAITS", ())

    def broken(opened: Any) -> Iterator[bytes]:
        yield whole[:1000]
        raise OSError("the cable was pulled")

    with monkeypatch.context() as patch:
        patch.setattr(connection, "_parts", broken)
        with pytest.raises(Invalid):
            remote.import_file(file)
    file.write_bytes(whole[:-200])
    with pytest.raises(Invalid, match="cut off"):
        remote.import_file(file)
    with pytest.raises(Invalid, match="is a folder, which is not sent"):
        remote.import_file(tmp_path)
    with pytest.raises(Invalid, match="neither an export") as refused:
        (tmp_path / "strange.txt").write_text("nobody knows this")
        remote.import_file(tmp_path / "strange.txt")
    assert "strange.txt is neither" in str(refused.value) and "/scrubjay-" not in str(refused.value)
    assert local.stats().memories == 0 and local.check(deep=True).problems == []


def test_a_token_is_not_made_twice_when_the_connection_breaks(
    local: Scrubjay, remote: Scrubjay, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    once = Connection._once

    def broken(self: Connection, method: str, path: str, sent: Any) -> Any:
        asked.append(path)
        once(self, method, path, sent)
        raise StoreError("the cable was pulled")

    monkeypatch.setattr(Connection, "_once", broken)
    monkeypatch.setattr(connection, "WAITS", (0.0, 0.0))
    with pytest.raises(StoreError):
        remote.tokens.create("laptop")
    with pytest.raises(StoreError):
        remote.add("Added once, though it is sent three times")
    assert asked == ["/api/v1/tokens", *["/api/v1/memories"] * 3]
    assert [token.name for token in local.tokens.list()] == ["laptop", "ann"] and local.stats().memories == 1
