"""The door's checks in this process: what each of them lets through, and what it says."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

import scrubjay
from scrubjay.interfaces.http import sessions
from scrubjay.interfaces.http.app import make_app
from scrubjay.interfaces.http.serving import Address, listen
from scrubjay.interfaces.mcp.opener import Opener
from scrubjay.interfaces.mcp.server import make_server

INITIALIZE = {
    "jsonrpc": "2.0", "id": 1, "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
}  # fmt: skip
LIST_TOOLS = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}
ACCEPT = {"Accept": "application/json, text/event-stream"}


@pytest.fixture
def jay(path: Path) -> Iterator[scrubjay.Scrubjay]:
    with scrubjay.open(path, embedder="hashing") as opened:
        yield opened


@pytest.fixture
def door(jay: scrubjay.Scrubjay) -> Iterator[TestClient]:
    app = make_app(make_server(Opener(lambda: jay)), jay.tokens.verify, ["memory.example.org"])
    with TestClient(app, base_url="http://localhost") as client:
        yield client


def test_health_needs_no_token_but_a_known_name(door: TestClient) -> None:
    assert door.get("/healthz").json() == {"status": "ok", "version": scrubjay.__version__}
    assert door.get("/healthz", headers={"Host": "memory.example.org"}).status_code == 200
    assert door.get("/healthz", headers={"Host": "evil.example.org"}).status_code == 421
    assert door.get("/healthz", headers={"Origin": "http://evil.example.org"}).status_code == 403
    assert door.get("/elsewhere").status_code == 404


def test_a_token_opens_its_spaces_and_no_other(
    door: TestClient, jay: scrubjay.Scrubjay, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", "scrubjay.access")
    _, secret = jay.tokens.create("laptop", spaces=["work", "home"])

    def begin(**headers: Any) -> int:
        return door.post("/mcp", json=INITIALIZE, headers={**ACCEPT, **headers}).status_code

    assert begin() == 401
    assert begin(Authorization="Bearer wrong") == 401
    assert begin(Authorization=f"Bearer {secret}") == 200
    assert begin(Authorization=f"Bearer {secret}", **{"X-Scrubjay-Space": "home"}) == 200
    assert begin(Authorization=f"Bearer {secret}", **{"X-Scrubjay-Space": "default"}) == 403
    assert begin(Authorization=f"Bearer {secret}", **{"X-Scrubjay-Space": " home "}) == 200
    twice = [("Authorization", f"Bearer {secret}"), ("X-Scrubjay-Space", "home"), ("X-Scrubjay-Space", "work")]
    assert door.post("/mcp", json=INITIALIZE, headers=[*ACCEPT.items(), *twice]).status_code == 400
    assert begin(Authorization=f"Bearer {secret}", **{"X-Scrubjay-Space": " "}) == 400
    log = caplog.text
    assert "POST /mcp 200" in log and "token laptop" in log and secret not in log


def ended(door: TestClient, headers: dict[str, str]) -> bool:
    return door.post("/mcp", json=LIST_TOOLS, headers=headers).status_code == 404


def test_a_session_ends_when_it_is_not_used(jay: scrubjay.Scrubjay, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions, "IDLE_SECONDS", 0.2)
    _, secret = jay.tokens.create("laptop")
    app = make_app(make_server(Opener(lambda: jay)), jay.tokens.verify)
    with TestClient(app, base_url="http://localhost") as door:
        headers = {**ACCEPT, "Authorization": f"Bearer {secret}"}
        begun = door.post("/mcp", json=INITIALIZE, headers=headers)
        named = {**headers, "Mcp-Session-Id": begun.headers["mcp-session-id"]}
        for number in range(1, 20):
            time.sleep(0.3 * number)  # longer each time: to ask is to use it
            if ended(door, named):
                return
    pytest.fail("the session did not end")


def test_no_token_may_take_all_sessions(door: TestClient, jay: scrubjay.Scrubjay) -> None:
    greedy, modest = (jay.tokens.create(name)[1] for name in ("greedy", "modest"))

    def begin(secret: str) -> Any:
        return door.post("/mcp", json=INITIALIZE, headers={**ACCEPT, "Authorization": f"Bearer {secret}"})

    begun = [begin(greedy) for _ in range(sessions.MAX_SESSIONS_PER_TOKEN)]
    assert {answer.status_code for answer in begun} == {200}
    refused = begin(greedy)
    assert refused.status_code == 503 and "end one of them" in refused.json()["error"]
    assert begin(modest).status_code == 200
    own = {**ACCEPT, "Authorization": f"Bearer {greedy}", "Mcp-Session-Id": begun[0].headers["mcp-session-id"]}
    assert door.post("/mcp", json=LIST_TOOLS, headers=own).status_code == 200
    assert door.delete("/mcp", headers=own).status_code == 200
    assert begin(greedy).status_code == 200


def test_sessions_that_were_not_used_are_not_counted_for_ever() -> None:
    now = 0.0
    counted = sessions.LimitSessions(lambda *_: None, clock=lambda: now)  # type: ignore[arg-type]
    answer = {"status": 200, "headers": [(b"mcp-session-id", b"one")]}
    counted._note(counted._open("laptop"), "POST", answer)
    assert len(counted._open("laptop")) == 1
    now += sessions.IDLE_SECONDS + 1
    assert len(counted._open("laptop")) == 0


def test_a_free_port_is_taken_and_a_taken_one_refused() -> None:
    listening, address = listen(Address("127.0.0.1", 0))
    with listening:
        assert address.url == f"http://127.0.0.1:{address.port}/mcp"
        with pytest.raises(scrubjay.Invalid, match="address already in use"):
            listen(address)
    with pytest.raises(scrubjay.Invalid, match=r"Cannot listen at no\.such"):
        listen(Address("no.such.host.invalid", 0))
    assert Address("::1", 8377).url == "http://[::1]:8377/mcp"
