"""Clients that never finish, that come in thousands, or that fill the log: those who behave are served meanwhile."""

from __future__ import annotations

import json
import logging
import socket
import stat
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from http.client import HTTPConnection
from pathlib import Path
from threading import Event, Thread

import pytest
import uvicorn
from starlette.types import ASGIApp, Receive, Scope, Send

import scrubjay
from scrubjay.agents.logins import Logins
from scrubjay.interfaces.http import log
from scrubjay.interfaces.http.access import MAX_FAILURES, MAX_FAILURES_PER_ADDRESS
from scrubjay.interfaces.http.app import make_app
from scrubjay.interfaces.http.connections import READ_BYTES, Connection, ConnectionLimits
from scrubjay.interfaces.http.serving import Address, listen, raise_file_limit, settings
from scrubjay.interfaces.mcp.opener import Opener
from scrubjay.interfaces.mcp.server import make_server
from tests.support.worker_processes import until

INITIALIZE = json.dumps(
    {
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
    }
)  # fmt: skip
FEW = 20
PATIENT = ConnectionLimits(header_seconds=60, body_seconds=60, connections=FEW)
QUICK = ConnectionLimits(header_seconds=0.5, body_seconds=0.5, reading_seconds=0.5)
FAIR = ConnectionLimits(header_seconds=2, body_seconds=2)  # enough for a whole request on a busy machine


@pytest.fixture
def jay(path: Path) -> Iterator[scrubjay.Scrubjay]:
    with scrubjay.open(path, embedder="hashing") as opened:
        yield opened


@contextmanager
def serving(jay: scrubjay.Scrubjay, limits: ConnectionLimits) -> Iterator[int]:
    """The memory's server in a thread of this process, at its port."""
    with running(make_app(make_server(Opener(lambda: jay)), jay.tokens.verify), limits) as port:
        yield port


@contextmanager
def running(app: ASGIApp, limits: ConnectionLimits) -> Iterator[int]:
    own = type("Own", (Connection,), {"limits": limits})
    listening, address = listen(Address("127.0.0.1", 0))
    server = uvicorn.Server(settings(app, own))
    thread = Thread(target=server.run, args=([listening],), daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    try:
        yield address.port
    finally:
        server.should_exit = True
        thread.join(30)


def begun(port: int, words: str) -> socket.socket:
    """A connection on which some of a request was sent."""
    connection = socket.create_connection(("127.0.0.1", port), timeout=20)
    connection.sendall(words.encode())
    return connection


def status_of(port: int, secret: str | None, body: str = INITIALIZE) -> int:
    connection = HTTPConnection("127.0.0.1", port, timeout=20)
    headers = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
    connection.request("POST", "/mcp", body, headers | ({"Authorization": f"Bearer {secret}"} if secret else {}))
    answer = connection.getresponse()
    answer.read()
    connection.close()
    return answer.status


def wrong(number: int, beginning: str = "AAAA") -> str:
    return f"scrubjay_{beginning}{number:039d}"


def test_a_half_sent_header_is_given_up(jay: scrubjay.Scrubjay) -> None:
    with serving(jay, QUICK) as port:
        for words in ("", "POST /mcp HTT", "POST /mcp HTTP/1.1\r\nHost: localhost\r\nX: "):
            with begun(port, words) as connection:
                assert _end_of(connection) == b""


def test_a_header_that_comes_in_drops_is_given_up_too(jay: scrubjay.Scrubjay) -> None:
    with serving(jay, QUICK) as port, begun(port, "GET /healthz HTTP/1.1\r\nHost: localhost\r\n") as connection:
        with pytest.raises(OSError):
            for number in range(1_000):
                connection.sendall(f"X-{number}: x\r\n".encode())
                time.sleep(0.01)


def test_a_half_sent_body_is_given_up_and_changes_nothing(
    jay: scrubjay.Scrubjay, caplog: pytest.LogCaptureFixture
) -> None:
    _, secret = jay.tokens.create("slow")
    head = f"POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {secret}\r\nContent-Length: 500\r\n\r\n"
    with serving(jay, FAIR) as port:
        with begun(port, head + '{"jsonrpc": ') as connection:
            assert _end_of(connection) == b""
        assert status_of(port, secret) == 200
    assert not any(record.exc_info for record in caplog.records)


@pytest.mark.parametrize("address", ["/login", "/logout", "/tasks", "/api/v1/search"])
def test_who_goes_away_while_they_send_is_no_failure_of_the_server(
    jay: scrubjay.Scrubjay, caplog: pytest.LogCaptureFixture, address: str
) -> None:
    caplog.set_level(logging.INFO)
    _, secret = jay.tokens.create("leaver")
    login = Logins(jay.view).by_token(secret)
    with serving(jay, PATIENT) as port:
        head = (
            f"POST {address} HTTP/1.1\r\nHost: localhost:{port}\r\nAuthorization: Bearer {secret}\r\n"
            f"Cookie: scrubjay-{port}={login}\r\nContent-Type: application/x-www-form-urlencoded\r\n"
            "Content-Length: 500\r\n\r\n"
        )
        begun(port, head + "token=a").close()
        until(lambda: any(f"POST {address} " in record.getMessage() for record in caplog.records))
    assert not any(record.exc_info or f"{address} 500" in record.getMessage() for record in caplog.records)


def test_the_second_request_of_a_connection_has_its_time_too(jay: scrubjay.Scrubjay) -> None:
    ask = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
    with serving(jay, FAIR) as port:
        with begun(port, ask) as connection:
            assert b'"ok"' in _answer(connection)
            connection.sendall(ask[:20].encode())
            assert _end_of(connection) == b""
        with begun(port, ask) as connection:
            for _ in range(3):
                assert b'"ok"' in _answer(connection)
                connection.sendall(ask.encode())


def test_half_sent_requests_do_not_keep_out_those_who_send_whole_ones(jay: scrubjay.Scrubjay) -> None:
    _, secret = jay.tokens.create("laptop")
    with serving(jay, PATIENT) as port, ExitStack() as held:
        for number in range(3 * FEW):
            words = ("", "POST /mcp HTT", "POST /mcp HTTP/1.1\r\nHost: localhost\r\n")[number % 3]
            held.enter_context(begun(port, words))
            if number % 10 == 0:
                assert status_of(port, secret) == 200
        assert status_of(port, secret) == 200


def test_one_token_with_many_streams_does_not_keep_out_the_others(jay: scrubjay.Scrubjay) -> None:
    _, guest = jay.tokens.create("guest", scopes=["write"])
    _, laptop = jay.tokens.create("laptop")
    about = {"protocolVersion": "2026-07-28", "clientInfo": {"name": "t", "version": "1"}, "clientCapabilities": {}}
    meta = {f"io.modelcontextprotocol/{name}": value for name, value in about.items()}
    params = {"notifications": {"toolsListChanged": True}, "_meta": meta}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "subscriptions/listen", "params": params})
    head = (
        f"POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {guest}\r\nContent-Length: {len(body)}\r\n"
        "Accept: application/json, text/event-stream\r\nContent-Type: application/json\r\n"
        "Mcp-Protocol-Version: 2026-07-28\r\nMcp-Method: subscriptions/listen\r\n\r\n"
    )
    app = make_app(make_server(Opener(lambda: jay)), jay.tokens.verify, most_requests_per_token=FEW // 2)
    with running(app, PATIENT) as port, ExitStack() as held:
        began = [held.enter_context(begun(port, head + body)).recv(20) for _ in range(2 * FEW)]
        assert began == [b"HTTP/1.1 200 OK\r\ndat"] * (FEW // 2) + [b"HTTP/1.1 429 Too Man"] * (2 * FEW - FEW // 2)
        assert status_of(port, laptop) == 200


def test_one_token_with_many_half_sent_bodies_does_not_keep_out_the_others(jay: scrubjay.Scrubjay) -> None:
    _, guest = jay.tokens.create("guest", scopes=["write"])
    _, laptop = jay.tokens.create("laptop")
    head = f"POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {guest}\r\nContent-Length: 500\r\n\r\n{{"
    with serving(jay, PATIENT) as port, ExitStack() as held:
        for number in range(3 * FEW):
            held.enter_context(begun(port, head))
            if number % 10 == 9:
                time.sleep(0.1)
                assert status_of(port, laptop) == 200


def test_the_connection_that_waited_longest_makes_room(jay: scrubjay.Scrubjay) -> None:
    with serving(jay, PATIENT) as port, ExitStack() as held:
        first = held.enter_context(begun(port, "GET"))
        others = [held.enter_context(begun(port, "GET")) for _ in range(FEW)]
        assert _end_of(first) == b""
        others[-1].sendall(b" /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert b'"ok"' in _answer(others[-1])


def test_a_body_in_chunks_of_one_byte_is_read_little_by_little(
    jay: scrubjay.Scrubjay, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each chunk takes time to parse, and between two parts the other clients are answered."""
    _, secret = jay.tokens.create("drops")
    sizes, receive = list[int](), Connection.data_received

    def noted(self: Connection, data: bytes) -> None:
        sizes.append(len(data))
        receive(self, data)

    monkeypatch.setattr(Connection, "data_received", noted)
    body = json.dumps({"text": "The bird sings at nine."})
    chunks = "".join(f"1\r\n{sign}\r\n" for sign in body + " " * 50_000) + "0\r\n\r\n"
    head = f"POST /api/v1/memories HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {secret}\r\n"
    head += "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
    with serving(jay, PATIENT) as port, begun(port, head + chunks) as connection:
        assert b" 200 OK" in _answer(connection)
    assert sum(sizes) == len(head + chunks)
    assert max(sizes) <= READ_BYTES


def test_a_request_that_says_its_length_in_two_ways_is_refused_and_nothing_after_it_is_read(
    jay: scrubjay.Scrubjay,
) -> None:
    next_one = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
    for path in ("/api/v1/search", "/mcp", "/login"):
        head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n"
        with serving(jay, FAIR) as port, begun(port, f"{head}0\r\n\r\n{next_one}") as connection:
            answer = _end_of(connection)
        assert answer.startswith(b"HTTP/1.1 400 ") and answer.count(b"HTTP/1.1") == 1


def test_a_client_that_does_not_read_its_answer_is_given_up() -> None:
    ended = Event()

    async def talkative(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await receive()
            return await send({"type": "lifespan.startup.complete"})
        await send({"type": "http.response.start", "status": 200, "headers": []})
        for _ in range(100):
            await send({"type": "http.response.body", "body": b"x" * 1_000_000, "more_body": True})
        ended.set()

    with running(talkative, QUICK) as port, begun(port, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"):
        assert ended.wait(20)


def test_the_server_may_open_more_files_than_it_has_connections() -> None:
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = before[1] if before[1] != resource.RLIM_INFINITY else 10_000
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (256, before[1]))
        raise_file_limit(2048)
        assert resource.getrlimit(resource.RLIMIT_NOFILE) == (min(2048, most), before[1])
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


def test_missing_tokens_lock_nobody_out_and_are_not_counted(jay: scrubjay.Scrubjay) -> None:
    _, secret = jay.tokens.create("laptop")
    with serving(jay, ConnectionLimits()) as port:
        assert {status_of(port, None) for _ in range(MAX_FAILURES_PER_ADDRESS + 5)} == {401}
        assert status_of(port, secret) == 200
        assert status_of(port, wrong(0)) == 401


def test_wrong_tokens_lock_out_no_right_one_even_if_it_begins_alike(jay: scrubjay.Scrubjay) -> None:
    _, secret = jay.tokens.create("laptop")
    own = secret.removeprefix("scrubjay_")[:4]
    with serving(jay, ConnectionLimits()) as port:
        guessed = [status_of(port, wrong(number, own)) for number in range(MAX_FAILURES + 3)]
        assert guessed == [401] * MAX_FAILURES + [429] * 3
        assert status_of(port, wrong(0, "BBBB")) == 401  # its owner learns what is wrong with it
        assert status_of(port, secret) == 200
        sprayed = [status_of(port, wrong(0, f"C{n:03d}")) for n in range(MAX_FAILURES_PER_ADDRESS)]
        assert sprayed[-1] == 429
        assert status_of(port, secret) == 200


def test_lines_that_repeat_are_counted_instead_of_written() -> None:
    now = 0.0
    limited = log.RepeatFilter(lambda: now)

    def written(sort: str, times: int) -> list[str]:
        made = [logging.makeLogRecord({"msg": "%s", "args": ("a line",), "group": sort}) for _ in range(times)]
        return [record.getMessage() for record in made if limited.filter(record)]

    assert written("refused", 1_000) == ["a line"] * log.LINES_PER_MINUTE
    assert written("let in", 1) == ["a line"]
    now += 60
    assert written("refused", 2) == [f"a line ({1_000 - log.LINES_PER_MINUTE} lines like this were left out)", "a line"]


def test_the_log_holds_no_secret_and_nothing_private_of_a_path(
    jay: scrubjay.Scrubjay, tmp_path: Path, own_logging: None
) -> None:
    log.log_to(tmp_path / "log")
    _, secret = jay.tokens.create("ann")
    with serving(jay, ConnectionLimits()) as port:
        for name in ("a%20%3Cprivate%3Ediary%3C%2Fprivate%3E", "diary%3C%2Fprivate%3E", f"a%20ghp_{'x8K2' * 9}"):
            connection = HTTPConnection("127.0.0.1", port, timeout=20)
            with closing(connection):
                connection.request("GET", f"/api/v1/sessions/{name}", headers={"Authorization": f"Bearer {secret}"})
                assert b"NotFound" in connection.getresponse().read()
    written = (tmp_path / "log").read_text()
    assert written.count("/api/v1/sessions/a ") == 2 and "diary" not in written and "ghp_" not in written


def test_a_flood_writes_few_lines(jay: scrubjay.Scrubjay, tmp_path: Path, own_logging: None) -> None:
    file = tmp_path / "log"
    log.log_to(file)
    with serving(jay, ConnectionLimits()) as port:
        for _ in range(3 * log.LINES_PER_MINUTE):
            status_of(port, None)
            with begun(port, "nonsense\r\n\r\n") as connection:
                _end_of(connection)
    lines = file.read_text().splitlines()
    assert sum(" 401 " in line for line in lines) == log.LINES_PER_MINUTE
    assert sum("Invalid HTTP request" in line for line in lines) == log.LINES_PER_MINUTE
    assert len(lines) == 2 * log.LINES_PER_MINUTE


def test_the_log_file_is_private_and_of_limited_size(
    tmp_path: Path, own_logging: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log, "FILE_BYTES", 2_000)
    file = tmp_path / "log"
    log.log_to(file)
    for number in range(500):
        log.access.info("A line of some length, by which a file fills up", extra={"group": number})
    files = sorted({*tmp_path.glob("log*")} - {tmp_path / "log.lock"})
    assert len(files) == 1 + log.OLD_FILES
    assert all(one.stat().st_size <= 2_000 and stat.S_IMODE(one.stat().st_mode) == 0o600 for one in files)


def test_a_log_that_cannot_be_written_is_one_sentence(tmp_path: Path, own_logging: None) -> None:
    with pytest.raises(scrubjay.Invalid, match=r"Cannot write the log .*: no such file or directory; name another"):
        log.log_to(tmp_path / "missing" / "log")


@pytest.fixture
def own_logging() -> Iterator[None]:
    """Give the root logger back as it was."""
    root = logging.getLogger()
    before, level = list(root.handlers), root.level
    for handler in before:
        root.removeHandler(handler)
    yield
    for handler in list(root.handlers):
        root.removeHandler(handler)
        handler.close()
    for handler in before:
        root.addHandler(handler)
    root.setLevel(level)


def _end_of(connection: socket.socket) -> bytes:
    """What is still sent before the server closes; a connection that is cut off sends nothing."""
    received = b""
    try:
        while part := connection.recv(65_536):
            received += part
    except ConnectionResetError:
        pass
    return received


def _answer(connection: socket.socket) -> bytes:
    received = b""
    while b"\r\n\r\n" not in received or not received.endswith(b"}"):
        received += connection.recv(65_536) or pytest.fail("closed too early")
    return received
