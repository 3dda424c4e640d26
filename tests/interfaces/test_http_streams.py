"""Server-sent events and files over HTTP, as any client sees them; and a server that ends at once."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import httpx
import pytest

import scrubjay
from scrubjay import Scrubjay
from scrubjay.interfaces.http.lengths import BODY_BYTES
from tests.support.api_server import serving_here
from tests.support.clock import Clock
from tests.support.exports import as_export


@pytest.fixture
def jay(tmp_path: Path, clock: Clock) -> Iterator[Scrubjay]:
    with scrubjay.open(tmp_path / "memory.db", embedder="hashing", clock=clock) as jay:
        yield jay


def bearer(jay: Scrubjay, name: str, **options: object) -> dict[str, str]:
    return {"Authorization": f"Bearer {jay.tokens.create(name, **options)[1]}"}  # type: ignore[arg-type]


def messages(response: httpx.Response) -> Iterator[dict[str, str]]:
    """Each server-sent event by the names of its lines; a comment is an empty one."""
    found: dict[str, str] = {}
    for line in response.iter_lines():
        if line:
            name, _, value = line.partition(":")
            found[name] = value.strip()
        else:
            yield {name: value for name, value in found.items() if name}
            found = {}


def test_a_listener_is_told_at_once_and_goes_on_after_a_break(jay: Scrubjay) -> None:
    with serving_here(jay) as url:
        me = bearer(jay, "me")
        with httpx.stream("GET", f"{url}/api/v1/events", headers=me, timeout=30) as response:
            assert response.headers["content-type"].startswith("text/event-stream")
            told = messages(response)
            begin = next(told)["id"]
            jay.lend(space="other").add("Not for this token")
            jay.add("The garden needs water", kind="fact")
            first = next(told)
            assert json.loads(first["data"]) == {
                "id": first["id"], "memory": 2, "change": "added", "space": "default",
            }  # fmt: skip
        jay.add("While nobody listened")
        for after, memories in ((first["id"], [3]), (begin, [2, 3])):
            headers = me | {"Last-Event-ID": after}
            with httpx.stream("GET", f"{url}/api/v1/events", headers=headers, timeout=30) as response:
                told = messages(response)
                next(told)
                assert [json.loads(next(told)["data"])["memory"] for _ in memories] == memories


def test_a_listener_whose_token_is_revoked_is_told_no_more(jay: Scrubjay) -> None:
    with serving_here(jay) as url:
        me = bearer(jay, "me")
        with httpx.stream("GET", f"{url}/api/v1/events", headers=me, timeout=30) as response:
            told = messages(response)
            next(told)
            jay.tokens.revoke("me")
            jay.add("After it was revoked")
            assert list(told) == []


def test_a_listener_hears_no_more_where_the_file_went_away_and_the_log_says_so_in_a_line(
    jay: Scrubjay, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with serving_here(jay) as url:
        me = bearer(jay, "me")
        with httpx.stream("GET", f"{url}/api/v1/events", headers=me, timeout=30) as response:
            told = messages(response)
            next(told)
            jay.add("The kettle is blue")  # so that the log of changes was looked at
            next(told)
            (tmp_path / "memory.db").rename(tmp_path / "elsewhere.db")
            assert list(told) == []
        (tmp_path / "elsewhere.db").rename(tmp_path / "memory.db")
    assert "was moved, deleted or replaced" in caplog.text and "Traceback" not in caplog.text


def test_listeners_do_not_keep_a_server_from_ending(jay: Scrubjay) -> None:
    with serving_here(jay) as url:
        me = bearer(jay, "me")
        held = [httpx.Client(headers=me, timeout=30).stream("GET", f"{url}/api/v1/events") for _ in range(3)]
        responses = [stream.__enter__() for stream in held]
        told = [messages(response) for response in responses]
        assert all(next(one)["id"] for one in told)
        began = time.monotonic()
    assert time.monotonic() - began < 20  # 30 seconds is what other answers may take
    for one in told:
        with pytest.raises(httpx.HTTPError):
            list(one)


def test_a_half_sent_import_changes_nothing_and_leaves_no_file(
    jay: Scrubjay, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(uploads := tmp_path / "uploads"))
    uploads.mkdir()
    me = bearer(jay, "me", scopes=["read", "write", "admin"])["Authorization"]
    with serving_here(jay) as url:
        port = int(url.rsplit(":", 1)[1])
        with closing(socket.create_connection(("127.0.0.1", port))) as half:
            named = f"Host: localhost\r\nAuthorization: {me}\r\nContent-Length: 5000\r\n"
            head = f"POST /api/v1/import HTTP/1.1\r\n{named}\r\n"
            half.sendall(head.encode() + b'{"type": "header", "format": "scrubjay-export"')
            while not [*uploads.rglob("import")]:
                time.sleep(0.01)
        while [*uploads.iterdir()]:
            time.sleep(0.01)
    assert jay.stats().memories == 0


def test_an_import_of_any_size_is_taken_and_other_bodies_stay_limited(jay: Scrubjay, tmp_path: Path) -> None:
    with scrubjay.open(tmp_path / "other.db", embedder="none") as other:
        other.add_many([{"text": f"Number {number}"} for number in range(50)])
        other.export(tmp_path / "small.jsonl")
    lines = [json.loads(line) for line in (tmp_path / "small.jsonl").read_text().splitlines()]
    large = as_export([line for line in lines if line["type"] == "memory"], blanks=BODY_BYTES // 50)
    assert len(large) > BODY_BYTES
    me = bearer(jay, "me", scopes=["read", "write", "admin"])
    some = bearer(jay, "some", scopes=["read", "write"])
    with serving_here(jay) as url:
        assert httpx.post(f"{url}/api/v1/memories", content=large, headers=me, timeout=30).status_code == 413
        assert httpx.post(f"{url}/api/v1/import", content=b"x", headers=some, timeout=30).status_code == 403
        for name in ("../x", "\N{GRINNING FACE}" * 100):
            named = httpx.post(f"{url}/api/v1/import", params={"file": name}, content=b"x", headers=me, timeout=30)
            assert named.status_code == 400 and "no folder" in named.text
        every = httpx.get(f"{url}/api/v1/export", params={"all_spaces": "true"}, headers=me, timeout=30)
        assert every.status_code == 403 and "all spaces" in every.text
        sent = httpx.post(f"{url}/api/v1/import", params={"dry_run": "true"}, content=large, headers=me, timeout=60)
        assert sent.json()["added"] == {"memory": 50}, sent.text


def test_a_file_that_is_sent_names_no_folder_of_the_server_to_be_read(jay: Scrubjay, tmp_path: Path) -> None:
    (folder := tmp_path / "private").mkdir()
    (folder / "plans.md").write_text("The key lies under the blue stone.")
    source = {
        "type": "source", "space": "default", "kind": "files", "name": "plans", "root": str(folder),
        "include": ["*.md"], "exclude": [], "ignored": False,
    }  # fmt: skip
    me = bearer(jay, "me", scopes=["read", "write", "admin"])
    with serving_here(jay) as url:
        asked = {"trust_file": "true"}
        sent = httpx.post(f"{url}/api/v1/import", params=asked, content=as_export([source]), headers=me, timeout=30)
        assert sent.status_code == 200 and sent.json()["added"] == {} and sum(sent.json()["left_out"].values()) == 1
        assert httpx.post(f"{url}/api/v1/sync", json={}, headers=me, timeout=30).json()["read"] == 0
    assert jay.sources.list() == [] and jay.stats().memories == 0


def test_a_file_that_is_sent_to_one_space_changes_no_memory_of_another(jay: Scrubjay) -> None:
    mine, other = jay.add("My own"), jay.lend(space="other").add("Of the others")
    step = {
        "type": "step", "old": other.memory.uid, "new": mine.memory.uid, "at": "2026-01-01T00:00:00.000000Z",
        "effective_at": "2026-01-01T00:00:00.000000Z", "change": 1, "created": False, "same": False,
    }  # fmt: skip
    me = bearer(jay, "me", scopes=["read", "write", "admin"], spaces=["default"])
    with serving_here(jay) as url:
        asked = {"trust_file": "true"}
        sent = httpx.post(f"{url}/api/v1/import", params=asked, content=as_export([step]), headers=me, timeout=30)
        assert sent.status_code == 200 and sent.json()["added"] == {}, sent.text
    found = jay.lend(space="other").get(other.memory.id)
    assert found is not None and found.superseded_at is None
