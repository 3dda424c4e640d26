"""`scrubjay serve` as it meets the world: who is let in, who is not, and what happens under load."""

from __future__ import annotations

import json
import secrets
import signal
import socket
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, MCPError

import scrubjay
from scrubjay.interfaces.http.access import MAX_FAILURES, WINDOW, FailedAttempts
from tests.support.clock import Clock
from tests.support.examples import thorough
from tests.support.life import live, said
from tests.support.served import PROGRAM, Served, asked, client_of, serving
from tests.support.worker_processes import until

MEGABYTE = 1024 * 1024
CLIENTS = 64 if thorough() else 12
EACH = 3
INITIALIZE = json.dumps(
    {
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
    }
)  # fmt: skip


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("served")) as one:
        yield one


@pytest.fixture
def own(tmp_path: Path) -> Iterator[Served]:
    """A server of the test's own, since the test spoils it."""
    with serving(tmp_path) as one:
        yield one


def count(served: Served, space: str = "default") -> int:
    with scrubjay.open(served.store, space=space) as jay:
        return jay.stats().memories


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_the_sdks_client_drives_the_life_of_a_memory(served: Served, mode: str) -> None:
    secret = served.token(f"life-{mode}")

    async def play() -> None:
        async with client_of(served, secret, mode) as client:
            await live(client)

    anyio.run(play)


def test_what_comes_in_is_signed_with_the_token(served: Served) -> None:
    secret = served.token("signer", spaces=["signed"])

    async def play() -> None:
        async with client_of(served, secret) as client:
            await said(client, "memory_add", text="Kept for later")

    anyio.run(play)
    with scrubjay.open(served.store, space="signed") as jay:
        (memory,) = jay.list()
    assert (memory.actor, memory.source, memory.trust, memory.client) == ("signer", "mcp", "agent", "mcp")
    assert memory.project is None


def test_a_token_of_several_spaces_picks_one_and_no_foreign_one(served: Served) -> None:
    secret = served.token("several", spaces=["red", "blue"])

    async def play() -> None:
        for space in (None, "blue"):
            async with client_of(served, secret, space=space) as client:
                await said(client, "memory_add", text=f"Added to {space}")
        with pytest.raises(Exception):  # noqa: B017 - what a client makes of a 403 is its own affair
            async with client_of(served, secret, space="default") as client:
                await said(client, "memory_add", text="Never")

    before = count(served)
    anyio.run(play)
    assert (count(served, "red"), count(served, "blue"), count(served)) == (1, 1, before)
    refused = asked(served, body=INITIALIZE, Authorization=f"Bearer {secret}", X_Scrubjay_Space="default")
    assert refused.status == 403 and "it is for red, blue" in refused.body


def test_other_spaces_cannot_be_seen(served: Served) -> None:
    with scrubjay.open(served.store, space="hidden") as jay:
        id = jay.add("A thing of somebody else", subject="their thing").memory.id
    secret = served.token("outsider", spaces=["outside"])

    async def play() -> None:
        async with client_of(served, secret) as client:
            for tool in ("memory_get", "memory_delete", "memory_timeline", "memory_history"):
                arguments: dict[str, Any] = {"ids": [id]} if tool == "memory_get" else {"id": id}
                assert "There is no memory" in await said(client, tool, **arguments)
            assert await said(client, "memory_search", query="thing of somebody") == "Nothing found."
            for uri in (f"scrubjay://memory/{id}", "scrubjay://space/hidden/startup"):
                with pytest.raises(MCPError, match="There is no"):
                    await client.read_resource(uri)

    anyio.run(play)
    assert count(served, "hidden") == 1


def test_scopes_hold(served: Served) -> None:
    reader = served.token("reader", scopes=["read"])
    writer = served.token("writer", scopes=["write"])

    async def play() -> None:
        async with client_of(served, reader) as client:
            assert "it has the scope read, not write" in await said(client, "memory_add", text="Never stored")
            assert "not admin" in await said(client, "memory_cleanup", force=True)
            assert not (await said(client, "memory_search", query="x")).startswith("Error")
        async with client_of(served, writer) as client:
            assert "not read" in await said(client, "memory_search", query="x")
            with pytest.raises(MCPError, match="not read"):
                await client.read_resource("scrubjay://memory/startup")
            with pytest.raises(MCPError, match="not read"):
                await client.get_prompt("recall", {"topic": "x"})

    before = count(served)
    anyio.run(play)
    assert count(served) == before


def test_wrong_missing_and_revoked_tokens_are_refused_and_not_logged(own: Served) -> None:
    revoked = own.token("gone")
    with scrubjay.open(own.store) as jay:
        jay.tokens.revoke("gone")
    wrong = f"scrubjay_{secrets.token_urlsafe(32)}"
    for given in (None, "Bearer", f"Bearer {wrong}", f"Bearer {revoked}", f"Basic {revoked}", revoked):
        answer = asked(own, body=INITIALIZE, Authorization=given)
        assert answer.status == 401 and answer.headers["www-authenticate"] == "Bearer"
        assert "scrubjay token create" in json.loads(answer.body)["error"]
    assert asked(own, body=INITIALIZE, path=f"/mcp/{wrong}?token={wrong}").status == 404
    log = own.log.read_text()
    assert "POST /mcp 401" in log and wrong not in log and revoked not in log


def test_a_token_that_is_revoked_while_it_is_used_is_refused_at_once(served: Served) -> None:
    secret = served.token("soon-gone")
    assert asked(served, body=INITIALIZE, Authorization=f"Bearer {secret}").status == 200
    with scrubjay.open(served.store) as jay:
        jay.tokens.revoke("soon-gone")
    assert asked(served, body=INITIALIZE, Authorization=f"Bearer {secret}").status == 401


def test_guesses_are_bounded_but_those_who_have_a_token_go_on(own: Served) -> None:
    known, late = own.token("known"), own.token("late")
    assert asked(own, body=INITIALIZE, Authorization=f"Bearer {known}").status == 200
    guesses = [asked(own, body=INITIALIZE, Authorization=f"Bearer guess-{n}") for n in range(MAX_FAILURES + 3)]
    assert [guess.status for guess in guesses] == [401] * MAX_FAILURES + [429] * 3
    assert 0 < int(guesses[-1].headers["retry-after"]) <= WINDOW.total_seconds() + 1
    for secret in (known, late):
        assert asked(own, body=INITIALIZE, Authorization=f"Bearer {secret}").status == 200


def test_failures_are_forgotten_in_time_and_known_to_every_process(jay: scrubjay.Scrubjay, clock: Clock) -> None:
    with scrubjay.open(jay.address, embedder="none", clock=clock) as other:
        failures, elsewhere = FailedAttempts(lambda: jay), FailedAttempts(lambda: other)
        for number in range(MAX_FAILURES):
            assert (failures, elsewhere)[number % 2].wait("a", "guess") == 0
            clock.pass_(seconds=1)
        assert failures.wait("a", "guess") > 0 and elsewhere.wait("a", "guess") > 0 and failures.wait("b", "guess") == 0
        clock.pass_(seconds=WINDOW.total_seconds())
        assert elsewhere.wait("a", "guess") == 0


@pytest.mark.parametrize(
    "host", ["evil.example.com", "evil.example.com:8377", "127.0.0.1.evil.com", "[::", "", "a@localhost.evil"]
)
def test_hostile_hosts_are_refused(served: Served, host: str) -> None:
    assert asked(served, "GET", "/healthz", Host=host).status in (400, 421)
    assert asked(served, body=INITIALIZE, Host=host).status in (400, 421)


@pytest.mark.parametrize(
    "origin", ["http://evil.example.com", "null", "http://localhost.evil.com", "http://[::", "file://"]
)
def test_hostile_origins_are_refused(served: Served, origin: str) -> None:
    secret = served.token(f"origin-{abs(hash(origin))}")
    answer = asked(served, body=INITIALIZE, Origin=origin, Authorization=f"Bearer {secret}")
    assert answer.status == 403


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:1", "127.0.0.1", "[::1]:8377"])
def test_this_machine_is_known_by_its_names(served: Served, host: str) -> None:
    assert asked(served, "GET", "/healthz", Host=host, Origin="http://localhost:3000").status == 200


def test_a_name_that_is_allowed_is_known_and_the_log_may_be_a_file(tmp_path: Path) -> None:
    log = tmp_path / "requests.log"
    with serving(tmp_path, "--allow-host", "memory.example.org", "--log", str(log)) as named:
        assert asked(named, "GET", "/healthz", Host="memory.example.org:80").status == 200
        assert asked(named, "GET", "/healthz", Host="example.org").status == 421
        assert asked(named, "GET", "/elsewhere").status == 404  # a line is written after its answer
        until(lambda: all(line in log.read_text() for line in ("GET /healthz 200", "GET /healthz 421")))
        assert named.log.read_text() == "" and stat.S_IMODE(log.stat().st_mode) == 0o600
    with scrubjay.open(named.store, embedder="none") as jay:
        jay.sessions.start("about plums")
        done = jay.forget(session="about plums").certificate
    assert done is not None and done.still_held[0].startswith(f"log {log} of `scrubjay serve`")


def test_too_much_and_nonsense_are_refused_and_change_nothing(served: Served) -> None:
    secret = served.token("sender")
    before = count(served)

    def sent(body: bytes | str, **headers: str) -> int:
        return asked(served, body=body, Authorization=f"Bearer {secret}", **headers).status

    large = asked(served, body=b"x" * 10 * MEGABYTE, Authorization=f"Bearer {secret}")
    assert (large.status, "larger than 4,194,304 bytes" in json.loads(large.body)["error"]) == (413, True)
    assert sent(f'{{"jsonrpc": "2.0", "id": 1, "method": "{"x" * 5 * MEGABYTE}"}}') == 413
    for nonsense in (
        "",
        "no JSON",
        "[]",
        "{",
        '{"jsonrpc": "1.0"}',
        "[" * 100_000,
        '"\ud800"'.encode("utf-8", "surrogatepass"),
    ):
        assert sent(nonsense) == 400
    assert sent(INITIALIZE, Mcp_Session_Id="unknown") == 404
    assert sent(INITIALIZE, Content_Type="text/plain") == 400
    assert asked(served, "GET", "/").status == 303  # to the login of the page
    assert asked(served, "GET", "/healthz").status == 200
    assert count(served) == before


def test_a_session_belongs_to_the_token_that_began_it(served: Served) -> None:
    mine, theirs = served.token("mine"), served.token("theirs")
    begun = asked(served, body=INITIALIZE, Authorization=f"Bearer {mine}")
    listing = json.dumps({"jsonrpc": "2.0", "id": 2, "method": "tools/list"})
    session = begun.headers["mcp-session-id"]
    assert asked(served, body=listing, Authorization=f"Bearer {theirs}", Mcp_Session_Id=session).status == 404
    assert asked(served, body=listing, Authorization=f"Bearer {mine}", Mcp_Session_Id=session).status == 200


@pytest.mark.thorough
def test_many_clients_at_once_lose_nothing(own: Served) -> None:
    secret = own.token("many")
    texts: list[str] = []

    async def one(number: int) -> None:
        async with client_of(own, secret, ("legacy", "auto")[number % 2]) as client:
            for turn in range(EACH):
                text = f"Client {number} says {turn}"
                assert "Remembered" in await said(client, "memory_add", text=text, kind="fact")
                texts.append(text)
                assert "[" in await said(client, "memory_search", query=text, limit=3)

    async def play() -> None:
        async with anyio.create_task_group() as clients:
            for number in range(CLIENTS):
                clients.start_soon(one, number)

    anyio.run(play)
    with scrubjay.open(own.store) as jay:
        assert sorted(memory.text for memory in jay.list()) == sorted(texts)
        assert len(texts) == CLIENTS * EACH and jay.check(deep=True).problems == []


def test_what_was_acknowledged_survives_a_kill(own: Served) -> None:
    secret = own.token("victim")
    acknowledged: list[str] = []

    async def add(client: Client, number: int) -> None:
        for turn in range(10_000):
            text = f"Writer {number} wrote {turn}"
            assert "Remembered" in await said(client, "memory_add", text=text, kind="fact")
            acknowledged.append(text)

    async def write(number: int) -> None:
        try:
            async with client_of(own, secret) as client:
                await add(client, number)
        except Exception:
            assert own.process.poll() is not None or len(acknowledged) >= 100

    async def play() -> None:
        with anyio.move_on_after(120):
            async with anyio.create_task_group() as writers:
                for number in range(8):
                    writers.start_soon(write, number)
                while len(acknowledged) < 100:
                    await anyio.sleep(0.01)
                own.process.send_signal(signal.SIGKILL)
                await anyio.sleep(0.5)
                writers.cancel_scope.cancel()

    anyio.run(play)
    with scrubjay.open(own.store) as jay:
        assert set(acknowledged) <= {memory.text for memory in jay.list()}
        assert jay.check(deep=True).problems == []


@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGINT])
def test_it_finishes_what_runs_and_ends_with_0(own: Served, ending: signal.Signals) -> None:
    secret = own.token("late")
    answers: list[str] = []

    async def write(number: int) -> None:
        with suppress(Exception):  # once it has ended, nobody answers any more
            async with client_of(own, secret) as client:
                for turn in range(1_000):
                    text = f"Number {number}.{turn}"
                    if "Remembered" in await said(client, "memory_add", text=text, kind="fact"):
                        answers.append(text)

    async def play() -> None:
        with anyio.move_on_after(120):
            async with anyio.create_task_group() as writers:
                for number in range(4):
                    writers.start_soon(write, number)
                while len(answers) < 20:
                    await anyio.sleep(0.01)
                own.process.send_signal(ending)
                await anyio.to_thread.run_sync(own.process.wait, 30)
                writers.cancel_scope.cancel()

    anyio.run(play)
    assert own.process.returncode == 0
    with scrubjay.open(own.store) as jay:
        assert set(answers) == {memory.text for memory in jay.list()}  # what was begun was also answered
    assert "Traceback" not in own.log.read_text()


def test_an_open_stream_does_not_keep_it_alive(own: Served) -> None:
    secret = own.token("listener")

    async def play() -> None:
        async with client_of(own, secret, "legacy") as client:  # holds a stream open for notifications
            await said(client, "memory_search", query="x")
            await anyio.sleep(0.2)
            own.process.send_signal(signal.SIGTERM)
            await anyio.to_thread.run_sync(own.process.wait, 20)

    anyio.run(play)
    assert own.process.returncode == 0


def test_a_port_in_use_is_one_sentence(served: Served, tmp_path: Path) -> None:
    words = [sys.executable, "-c", PROGRAM, "serve", "--port", str(served.port), "--store", str(tmp_path / "m.db")]
    answer = subprocess.run(words, capture_output=True, text=True, timeout=30)
    assert answer.returncode == 2
    assert answer.stderr == (
        f"Error: Cannot listen at 127.0.0.1:{served.port}: address already in use;"
        " choose another with --port or --host.\n"
    )


def test_it_says_where_it_is_and_how_to_make_a_token(tmp_path: Path) -> None:
    with serving(tmp_path) as fresh:
        assert fresh.process.stdout is not None
        assert "There is no token yet; `scrubjay token create NAME --store" in fresh.process.stdout.readline()


def test_no_text_query_or_token_is_logged(served: Served) -> None:
    secret = served.token("quiet")

    async def play() -> None:
        async with client_of(served, secret) as client:
            await said(client, "memory_add", text="An unusual zyxwv text")
            await said(client, "memory_search", query="an unusual vwxyz query")
            await said(client, "memory_search", query="q", sinse="an unusual vwxyz argument")

    anyio.run(play)
    log = served.log.read_text()
    assert "token quiet" in log
    assert not any(word in log for word in ("zyxwv", "vwxyz", secret))


def test_blanks_around_a_headers_value_do_not_belong_to_it(served: Served) -> None:
    """Whichever parser of HTTP is installed: some hand the blanks on, and the token or the space would be another."""
    secret = served.token("blanks", spaces=["blank"])
    body = INITIALIZE.encode()
    head = (
        "POST /mcp HTTP/1.1\r\n"
        f"Host:  127.0.0.1:{served.port} \t\r\n"
        f"Authorization: \t Bearer {secret} \t \r\n"
        "X-Scrubjay-Space:   blank \t\r\n"
        "Accept: application/json, text/event-stream  \r\n"
        "Content-Type: application/json \t\r\n"
        "MCP-Protocol-Version: 2025-11-25  \r\n"
        f"Content-Length: {len(body)}\r\n"
        "Connection: close\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", served.port), timeout=30) as connection:
        connection.sendall(head.encode() + body)
        answer = b"".join(iter(lambda: connection.recv(4096), b""))
    assert answer.startswith(b"HTTP/1.1 200 "), answer
