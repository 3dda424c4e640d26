"""Who may see which page, generated over every address: no login, another site, another space, too few scopes."""

from __future__ import annotations

import re
import socket
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.routing import Mount, Route
from starlette.testclient import TestClient

from scrubjay import Scrubjay
from scrubjay.agents.logins import OwnLogins
from scrubjay.interfaces.http.app import make_app
from scrubjay.interfaces.http.sessions import OpenRequests
from scrubjay.interfaces.mcp.opener import Opener
from scrubjay.interfaces.mcp.server import make_server
from scrubjay.interfaces.page.app import HEADERS, OPEN, PAGES, make_page
from scrubjay.interfaces.page.rendering import FOLDER
from scrubjay.interfaces.page.visits import Page, form_key

CANARY = "canary"
COOKIE = "scrubjay-http"


@pytest.fixture(scope="module")
def canary(jay: Scrubjay) -> dict[str, str]:
    """What another space has, by the names of the parts of addresses."""
    other = jay.lend(space="other")
    id = other.add(
        "The canary sings at dawn", kind="fact", subject="canary", tags=["canary"], project="canary"
    ).memory.id
    other.add("The canary sings at noon", kind="fact", subject="canary")
    other.add_turns("canary-talk", [{"speaker": "canary", "text": "A canary"}])
    other.tasks.create("Feed the canary", due=jay.view.clock())
    other.contacts.create(name="canary")
    return {
        "id": str(id),
        "name": "canary-talk",
        "subject": "canary",
        "project": "canary",
        "noun": "contacts",
        "of": str(id),
    }


def served(jay: Scrubjay, own: OwnLogins | None = None, scheme: str = "http", **options: Any) -> TestClient:
    app = make_app(make_server(Opener(lambda: jay)), jay.tokens.verify, own=own, **options)
    return TestClient(app, base_url=f"{scheme}://localhost", follow_redirects=False)


@pytest.fixture(scope="module")
def client(jay: Scrubjay, own: OwnLogins) -> Iterator[TestClient]:
    with served(jay, own) as client:
        yield client


def logged_in(client: TestClient, jay: Scrubjay, name: str, **options: Any) -> str:
    """Log in by a new token; returns the key of its forms."""
    _, secret = jay.tokens.create(name, **options)
    client.cookies.clear()
    assert client.post("/login", data={"token": secret}).status_code == 303
    return form_key(client.cookies[COOKIE])


def address(page: Page, values: dict[str, str]) -> str:
    return re.sub(r"\{(\w+)(:\w+)?\}", lambda part: values.get(part[1], "1"), page.path)


def asked(client: TestClient, page: Page, values: dict[str, str], key: str = "") -> Any:
    path = address(page, values)
    if page.method == "GET":
        return client.get(path, params={"q": CANARY} if path == "/search" else {})
    ids = {name: values["id"] for name in ("keep", "other", "older", "newer", "to", "source", "target")}
    return client.post(path, data={"key": key, "text": "Tweet", "title": "Tweet", "word": "relates_to", **ids})


def ids(page: Page) -> str:
    return f"{page.method} {page.path}"


@pytest.mark.parametrize("page", PAGES, ids=ids)
def test_every_page_but_the_open_ones_needs_a_login(client: TestClient, canary: dict[str, str], page: Page) -> None:
    client.cookies.clear()
    answer = asked(client, page, canary)
    assert answer.status_code == (303 if page.method == "GET" else 401)
    assert answer.headers.get("location", "/login").startswith("/login") and CANARY not in answer.text


@pytest.fixture(scope="module")
def revoked(client: TestClient, jay: Scrubjay) -> str:
    """The cookie of a login whose token was revoked since."""
    logged_in(client, jay, "revoked", scopes=["read", "write", "admin"], all_spaces=True)
    jay.tokens.revoke("revoked")
    return client.cookies[COOKIE]


@pytest.mark.parametrize("page", PAGES, ids=ids)
def test_a_login_ends_with_its_token(client: TestClient, canary: dict[str, str], revoked: str, page: Page) -> None:
    client.cookies.clear()
    client.cookies.set(COOKIE, revoked)
    answer = asked(client, page, canary, form_key(revoked))
    assert answer.status_code == (303 if page.method == "GET" else 401) and CANARY not in answer.text


@pytest.mark.parametrize("path", [*(page.path for page in PAGES), "/login", "/logout", "/static/page.css"])
def test_other_hosts_and_origins_are_refused(client: TestClient, canary: dict[str, str], path: str) -> None:
    address = re.sub(r"\{(\w+)(:\w+)?\}", "1", path)
    for header in ({"Host": "evil.example"}, {"Origin": "http://evil.example"}):
        for method in ("GET", "POST"):
            assert client.request(method, address, headers=header).status_code in (403, 421)


def test_no_address_is_left_out_of_these_tests(jay: Scrubjay) -> None:
    routes = [
        route
        for route in make_page(Opener(lambda: jay), OpenRequests(), None).routes
        if isinstance(route, Route | Mount)
    ]
    assert {route.path for route in routes} == {page.path for page in PAGES} | set(OPEN)


@pytest.fixture(scope="module")
def one_space(client: TestClient, jay: Scrubjay) -> tuple[str, str]:
    """The key and the cookie of a login that is for one space only."""
    key = logged_in(client, jay, "one-space", spaces=["default"], scopes=["read", "write", "admin"])
    return key, client.cookies[COOKIE]


@pytest.mark.parametrize("page", PAGES, ids=ids)
def test_a_login_of_one_space_sees_and_changes_nothing_of_another(
    client: TestClient, jay: Scrubjay, canary: dict[str, str], one_space: tuple[str, str], page: Page
) -> None:
    key, cookie = one_space
    before = jay.lend(space="other").list()
    client.cookies.clear()
    client.cookies.set(COOKIE, cookie)
    client.cookies.set(f"{COOKIE}-space", "other")
    answer = asked(client, page, canary, key)
    assert answer.status_code < 500
    shown = answer.text.replace(f'value="{CANARY}"', "").replace(f"<title>{CANARY} · Search", "")
    assert "canary sings" not in shown and "Feed the canary" not in shown and "A canary" not in shown
    assert jay.lend(space="other").list() == before


@pytest.mark.parametrize("page", [page for page in PAGES if page.method == "POST"], ids=ids)
def test_a_form_of_another_site_changes_nothing(
    client: TestClient, canary: dict[str, str], one_space: tuple[str, str], page: Page
) -> None:
    client.cookies.clear()
    client.cookies.set(COOKIE, one_space[1])
    for key in ("", "0" * 64):
        refused = asked(client, page, canary, key)
        assert refused.status_code in (400, 403)  # 403: what this login may not do at all
    foreign = client.post(address(page, canary), data={"key": one_space[0]}, headers={"Origin": "http://evil.example"})
    assert foreign.status_code == 403


@pytest.mark.parametrize("scope", ["read", "write", "admin", "user"])
def test_a_login_does_what_its_token_may(client: TestClient, jay: Scrubjay, scope: str) -> None:
    key = logged_in(client, jay, f"only-{scope}", scopes=[scope], spaces=["default"])
    for page in PAGES:
        answer = asked(client, page, {"id": "1"}, key)
        allowed = set(page.scopes) <= {scope} and not page.whole_file and not page.own
        assert (answer.status_code == 403) != allowed, page.path


def test_what_concerns_the_machine_is_for_whoever_runs_the_program(client: TestClient, jay: Scrubjay) -> None:
    key = logged_in(client, jay, "admin", scopes=["read", "write", "admin"], all_spaces=True)
    for page in (page for page in PAGES if page.own):
        assert asked(client, page, {"id": "1"}, key).status_code == 403
    assert str(jay.address) not in client.get("/").text


def test_a_revoked_token_ends_its_logins_and_logging_out_ends_one(client: TestClient, jay: Scrubjay) -> None:
    key = logged_in(client, jay, "brief")
    secret = client.cookies[COOKIE]
    assert client.get("/").status_code == 200
    assert client.post("/logout", data={"key": "wrong"}).status_code == 303
    client.cookies.set(COOKIE, secret)
    assert client.get("/").status_code == 200
    client.post("/logout", data={"key": key})
    client.cookies.set(COOKIE, secret)
    assert client.get("/").status_code == 303
    logged_in(client, jay, "brief-too")
    jay.tokens.revoke("brief-too")
    assert client.get("/").status_code == 303


def test_a_link_logs_in_once_and_only_for_some_minutes(client: TestClient, jay: Scrubjay, own: OwnLogins) -> None:
    client.cookies.clear()
    code = own.link()
    assert "set-cookie" not in client.head("/login", params={"code": code}).headers
    first = client.get("/login", params={"code": code})
    assert first.status_code == 303 and first.headers["location"] == "/"
    assert all(word in first.headers["set-cookie"] for word in ("HttpOnly", "SameSite=strict", "Path=/"))
    assert "Secure" not in first.headers["set-cookie"]
    assert client.get("/").status_code == 200
    client.cookies.clear()
    assert client.get("/login", params={"code": code}).status_code == 403
    passed = timedelta()
    later = OwnLogins(replace(jay.view, clock=lambda: jay.view.clock() + passed))
    codes = [later.link(), later.link()]
    secret = later.by_link(codes[0]) or ""
    passed = timedelta(minutes=11)
    assert later.by_link(codes[1]) is None and later.find(secret)
    passed = timedelta(hours=13)
    assert later.find(secret) is None


def test_a_login_by_a_link_ends_with_the_process_that_gave_it(
    client: TestClient, jay: Scrubjay, own: OwnLogins
) -> None:
    """However it ended: nothing of such a login is in the store, so that another process on it does not know it."""
    client.cookies.clear()
    client.get("/login", params={"code": own.link()})
    assert client.get("/").status_code == 200
    for other in (OwnLogins(jay.view), None):
        with served(jay, other) as elsewhere:
            elsewhere.cookies.set(COOKIE, client.cookies[COOKIE])
            assert elsewhere.get("/").status_code == 303
            assert elsewhere.get("/login", params={"code": own.link()}).status_code == 403


def test_who_runs_the_program_logs_out(client: TestClient, own: OwnLogins) -> None:
    client.cookies.clear()
    client.get("/login", params={"code": own.link()})
    secret = client.cookies[COOKIE]
    client.post("/logout", data={"key": form_key(secret)})
    client.cookies.set(COOKIE, secret)
    assert client.get("/").status_code == 303


def test_a_token_has_a_share_of_requests_on_the_page_too(jay: Scrubjay) -> None:
    with served(jay, most_requests_per_token=0) as client:
        logged_in(client, jay, "busy")
        refused = client.get("/")
    assert (refused.status_code, refused.headers["retry-after"]) == (429, "1")
    assert "try again" in refused.text


def test_over_tls_the_cookie_is_sent_over_tls_only(jay: Scrubjay, own: OwnLogins) -> None:
    with served(jay, own, "https") as client:
        given = client.get("/login", params={"code": own.link()}).headers["set-cookie"]
    assert "Secure" in given


def test_wrong_tokens_are_counted_and_the_login_leads_nowhere_else(client: TestClient, jay: Scrubjay) -> None:
    client.cookies.clear()
    _, secret = jay.tokens.create("elsewhere")
    for start in ("//evil.example", "/\\evil.example", "https://evil.example", "javascript:alert(1)"):
        assert client.post("/login", data={"token": secret, "next": start}).headers["location"] == "/"
    assert client.post("/login", data={"token": "wrong"}).status_code == 403
    wrong = "scrubjay_" + "x" * 43
    assert [client.post("/login", data={"token": wrong}).status_code for _ in range(12)][-1] == 429


@pytest.mark.parametrize("path", ["/", "/login", "/static/page.css", "/nowhere"])
def test_every_answer_says_what_a_browser_may_do(client: TestClient, path: str) -> None:
    client.cookies.clear()
    answer = client.get(path)
    assert {name: answer.headers[name] for name in HEADERS} == HEADERS
    assert "unsafe" not in answer.headers["content-security-policy"]


def test_no_template_has_a_script_or_a_style_of_its_own() -> None:
    for template in FOLDER.glob("*.html"):
        text = template.read_text()
        assert not re.search(r"<script(?![^>]*src=)|<style|\sstyle=|\son\w+=|javascript:|\|\s*safe\b", text), template


@pytest.mark.parametrize("path", ["/login", "/logout", "/memories", "/look-after/import"])
def test_a_form_longer_than_its_header_says_is_not_read_to_its_end(url: str, jay: Scrubjay, path: str) -> None:
    """It comes in chunks: of two lengths, the server believes the chunks."""
    if path == "/look-after/import":  # its limit is that of a file; a login that only reads may send nothing at all
        _, secret = jay.tokens.create("sends-nothing", scopes=["read"], spaces=["default"])
    else:
        _, secret = jay.tokens.create(f"sends-to{path.replace('/', '-')}", spaces=["default"])
    with httpx.Client(base_url=url, timeout=30) as client:
        client.post("/login", data={"token": secret})
        cookie = "; ".join(f"{name}={value}" for name, value in client.cookies.items())
    host, port = url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=20) as sent:
        kind = "Content-Type: multipart/form-data; boundary=b"
        length = "Content-Length: 10\r\nTransfer-Encoding: chunked"
        sent.sendall(
            f"POST {path} HTTP/1.1\r\nHost: {host}:{port}\r\nCookie: {cookie}\r\n{kind}\r\n{length}\r\n\r\n".encode()
        )
        part = b'--b\r\nContent-Disposition: form-data; name="f"; filename="f"\r\n\r\n' + b"x" * 1_000_000
        with pytest.raises(OSError):
            for _ in range(40):
                sent.sendall(b"%x\r\n%s\r\n" % (len(part), part))


def test_an_export_leaves_no_file_on_the_server(
    client: TestClient, jay: Scrubjay, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    logged_in(client, jay, "fetches", scopes=["read", "admin"], spaces=["default"])
    for part in ("bytes=0-9", "bytes=999999999-", "nonsense"):
        assert client.get("/look-after/export", headers={"Range": part}).text.startswith('{"type":"header"')
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["..", "€" * 100, "a\x00b"])
def test_a_file_of_any_name_is_taken_or_refused_in_words(client: TestClient, jay: Scrubjay, name: str) -> None:
    key = logged_in(client, jay, f"sends-{len(name)}", scopes=["read", "write", "admin"], spaces=["default"])
    sent = client.post("/look-after/import", data={"key": key}, files={"file": (name, b"words")})
    assert sent.status_code == 400
    assert client.post("/memories", data={"key": "é", "text": "words"}).status_code == 400


@pytest.mark.parametrize("content", [b"words", b"{", b"PK\x03\x04", b"SQLite format 3\x00", b"\xff"])
def test_a_refused_file_is_named_without_its_folder(client: TestClient, jay: Scrubjay, content: bytes) -> None:
    key = logged_in(client, jay, f"sends-{content.hex()}", scopes=["read", "write", "admin"], spaces=["default"])
    sent = client.post("/look-after/import", data={"key": key}, files={"file": ("mine.txt", content)})
    assert sent.status_code == 400 and "mine.txt" in sent.text
    assert tempfile.gettempdir() not in sent.text and "scrubjay-import" not in sent.text
