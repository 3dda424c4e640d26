"""What a token must not get by way of the API: trust, secrets, names, or a look at the server's folders."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from html import unescape
from pathlib import Path
from threading import Event
from typing import Any

import httpx
import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator
from openapi_spec_validator.validation.exceptions import OpenAPIValidationError
from starlette.testclient import TestClient

import scrubjay
from scrubjay import Scrubjay
from scrubjay.interfaces.http.api.openapi import description
from scrubjay.interfaces.http.api.routes import make_api
from scrubjay.interfaces.http.app import make_app
from scrubjay.interfaces.mcp.opener import Opener
from scrubjay.interfaces.mcp.server import make_server
from scrubjay.models.embedders.hashing import Hashing
from scrubjay.remote.verbs import PREFIX, VERBS
from tests.support.api_server import serving_here
from tests.support.clock import Clock


@pytest.fixture
def jay(tmp_path: Path, clock: Clock) -> Iterator[Scrubjay]:
    with scrubjay.open(tmp_path / "memory.db", embedder="hashing", clock=clock) as jay:
        yield jay


@pytest.fixture
def client(jay: Scrubjay) -> Iterator[TestClient]:
    app = make_app(make_server(Opener(lambda: jay)), jay.tokens.verify)
    with TestClient(app, base_url="http://localhost", raise_server_exceptions=False) as client:
        yield client


def bearer(jay: Scrubjay, name: str = "me", **options: Any) -> dict[str, str]:
    return {"Authorization": f"Bearer {jay.tokens.create(name, **options)[1]}"}


def printed(folder: Path) -> str:
    """What a client prints of a conversation in a folder."""
    said = {"role": "user", "content": "I always want tabs"}
    return json.dumps({"type": "user", "sessionId": "talk", "cwd": str(folder), "message": said})


SECONDS = 30
# Beside the verbs, which tests/interfaces/test_api.py asks one by one, and the pages of tests/interfaces/page.
OTHERS = (("GET", "/metrics"), ("POST", "/mcp"), ("GET", "/api/openapi.json"), ("GET", "/api/v1/none"))
FOR_ANYBODY = ("/healthz", "/readyz")
ELSEWHERE = ({"Host": "evil.example"}, {"Origin": "http://evil.example"})


def test_no_route_is_left_out_of_the_tests_of_access(jay: Scrubjay) -> None:
    opener = Opener(lambda: jay)
    doors = {route.path for route in make_app(make_server(opener), jay.tokens.verify).routes}  # type: ignore[attr-defined]
    assert doors == {*FOR_ANYBODY, "/metrics", "/mcp", "/api/{path:path}", ""}  # the last is the page
    api = {(method, route.path) for route in make_api(opener).routes for method in route.methods - {"HEAD"}}  # type: ignore[attr-defined]
    assert api == {(verb.method, PREFIX + verb.path) for verb in VERBS} | {("GET", "/api/openapi.json")}


@pytest.mark.parametrize("token", ["valid", "wrong"])
@pytest.mark.parametrize(("method", "path"), [*OTHERS, ("GET", f"{PREFIX}/stats"), ("GET", "/"), ("POST", "/login")])
def test_where_the_file_went_away_every_door_says_so_and_not_where_it_was(
    client: TestClient, jay: Scrubjay, tmp_path: Path, method: str, path: str, token: str, caplog: Any
) -> None:
    headers = bearer(jay) if token == "valid" else {"Authorization": f"Bearer scrubjay_abc_{'x' * 43}"}
    cookie = {"Cookie": f"scrubjay-http={'x' * 43}"} if path == "/" else {}
    data = {"token": headers["Authorization"].removeprefix("Bearer ")} if path == "/login" else None
    (tmp_path / "memory.db").rename(tmp_path / "elsewhere.db")
    answer = client.request(method, path, headers={**headers, **cookie}, data=data)
    (tmp_path / "elsewhere.db").rename(tmp_path / "memory.db")
    assert answer.status_code == 503, answer.text
    assert "The memory's file cannot be used." in unescape(answer.text) and str(tmp_path) not in answer.text
    assert "was moved, deleted or replaced" in caplog.text and "Traceback" not in caplog.text


@pytest.mark.parametrize(("method", "path"), OTHERS)
def test_other_routes_are_for_valid_tokens_and_known_hosts(
    client: TestClient, jay: Scrubjay, method: str, path: str
) -> None:
    gone = bearer(jay, "gone", scopes=["read", "write", "admin"], all_spaces=True)
    jay.tokens.revoke("gone")
    for headers in ({}, {"Authorization": "Bearer scrubjay_wrong"}, gone):
        assert client.request(method, path, headers=headers).status_code == 401
    valid = bearer(jay, scopes=["read", "write", "admin"], all_spaces=True)
    for header in ELSEWHERE:
        assert client.request(method, path, headers=valid | header).status_code in (403, 421)


@pytest.mark.parametrize("path", FOR_ANYBODY)
def test_monitors_need_no_token_but_a_known_host(client: TestClient, path: str) -> None:
    assert client.get(path).status_code == 200
    for header in ELSEWHERE:
        assert client.get(path, headers=header).status_code in (403, 421)


def test_the_description_is_valid() -> None:
    told = json.loads(json.dumps(description()))
    OpenAPIV31SpecValidator(told).validate()
    broken = json.loads(json.dumps(told).replace('"operationId": "add"', '"operationId": "list"'))
    with pytest.raises(OpenAPIValidationError):
        OpenAPIV31SpecValidator(broken).validate()


def test_a_request_does_not_wait_for_the_embedding_of_another(jay: Scrubjay, tmp_path: Path) -> None:
    begun, go_on = Event(), Event()

    class Slow(Hashing):
        """Waits, when it is to embed one text, until it is told to go on."""

        def embed(self, texts: Sequence[str], query: bool = False) -> Any:
            if any("slow" in text for text in texts):
                begun.set()
                assert go_on.wait(SECONDS)
            return super().embed(texts, query)

    with scrubjay.open(tmp_path / "slow.db", embedder=Slow()) as slow, serving_here(slow) as url:
        me = bearer(slow)
        with ThreadPoolExecutor() as threads, httpx.Client(base_url=url + PREFIX, headers=me, timeout=SECONDS) as asks:
            first = threads.submit(asks.post, "/memories", json={"text": "The slow one"})
            assert begun.wait(SECONDS)
            second = asks.post("/memories", json={"text": "The quick one"})
            found = asks.post("/search", json={"query": "quick"}).json()
            assert second.status_code == 200 and not first.done()
            assert [hit["text"] for hit in found["results"]] == ["The quick one"]
            go_on.set()
            assert first.result().status_code == 200


def test_a_captured_conversation_speaks_for_the_user_only_by_a_token_for_administration(
    client: TestClient, jay: Scrubjay, tmp_path: Path
) -> None:
    for scopes, trust in ((["read", "write"], "agent"), (["read", "write", "admin"], "user")):
        body = {"output": printed(tmp_path), "client": "claude-code", "session": trust}
        answer = client.post(f"{PREFIX}/captures", json=body, headers=bearer(jay, trust, scopes=scopes))
        (memory,) = [one["memory"] for one in answer.json()["added"]]
        assert (memory["trust"], memory["actor"]) == (trust, trust)


@pytest.mark.parametrize("scopes", [["write"], ["read", "write"], ["write", "user"], ["read", "write", "admin"]])
def test_a_token_restores_what_it_has_deleted_and_only_one_for_administration_what_others_have(
    client: TestClient, jay: Scrubjay, scopes: list[Any]
) -> None:
    mine, users, others, evicted = (jay.add(f"The heron counts {n} eggs").memory.id for n in "abcd")
    me, other = bearer(jay, "me", scopes=scopes), bearer(jay, "other", scopes=["read", "write"])
    client.delete(f"{PREFIX}/memories/{mine}", headers=me)
    client.delete(f"{PREFIX}/memories/{others}", headers=other)
    jay.delete(users)
    jay.view.store.trash.evict([evicted], jay.view.clock(), "limits.memories")
    told = {id: client.post(f"{PREFIX}/memories/{id}/undelete", headers=me) for id in (mine, users, others, evicted)}
    may = {id for id, answer in told.items() if answer.is_success}
    assert may == ({mine, users, others, evicted} if "admin" in scopes else {mine})
    told[999] = client.post(f"{PREFIX}/memories/999/undelete", headers=me)  # that was never there
    refused = {answer.text.replace(f"memory {id} ", "it ") for id, answer in told.items() if id not in may}
    assert len(refused) == 1 and "heron" not in refused.pop()  # nor is it told what lies there


def test_a_record_of_which_somebody_else_has_deleted_a_version_is_restored_by_administration_only(
    client: TestClient, jay: Scrubjay
) -> None:
    me = bearer(jay, "me", scopes=["read", "write"])
    first, second = (jay.contacts.create(name=name) for name in ("Ann", "Ben"))
    jay.contacts.delete(first.id)
    assert client.delete(f"{PREFIX}/contacts/{second.id}", headers=me).is_success
    answers = [client.post(f"{PREFIX}/memories/{one.memory}/undelete", headers=me) for one in (first, second)]
    assert [answer.status_code for answer in answers] == [404, 200]


def test_the_servers_own_folders_are_not_looked_at_for_a_conversation_from_elsewhere(
    client: TestClient, jay: Scrubjay, tmp_path: Path
) -> None:
    folder = tmp_path / "work"
    subprocess.run(["git", "init", "-q", folder], check=True)
    subprocess.run(["git", "-C", folder, "remote", "add", "origin", "https://example.org/ann/hidden.git"], check=True)
    me, body = bearer(jay), {"output": printed(folder), "client": "claude-code"}
    for headers, project in ((me, None), (me | {"X-Scrubjay-Project": "app"}, "app")):
        answer = client.post(f"{PREFIX}/captures", json={**body, "session": project or "none"}, headers=headers)
        assert [one["memory"]["project"] for one in answer.json()["added"]] == [project]
        assert "hidden" not in answer.text
    (local,) = jay.capture(printed(folder), "claude-code", session="here")
    assert local.memory.project == "example.org/ann/hidden"


def test_the_secret_of_a_token_is_in_no_kept_answer(client: TestClient, jay: Scrubjay, tmp_path: Path) -> None:
    admin = bearer(jay, scopes=["read", "write", "admin"], all_spaces=True) | {"Idempotency-Key": "a1"}
    made = client.post(f"{PREFIX}/tokens", json={"name": "laptop"}, headers=admin).json()
    jay.close()
    stored = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert made["secret"].encode() not in stored and b"laptop" in stored


def test_a_kept_answer_is_not_told_to_a_token_of_the_same_name_with_other_scopes(
    client: TestClient, jay: Scrubjay
) -> None:
    known = jay.add("The canary sings", kind="fact").memory.id
    path, key = f"{PREFIX}/memories/{known}", {"Idempotency-Key": "a1"}
    first = client.patch(path, json={"tags": ["x"]}, headers=bearer(jay) | key)
    assert "canary" in first.text
    jay.tokens.revoke("me")
    again = client.patch(path, json={"tags": ["x"]}, headers=bearer(jay, scopes=["write"]) | key)
    assert again.json() == {"ids": [known]}


def test_a_kept_answer_that_tells_of_something_deleted_is_not_told_again(client: TestClient, jay: Scrubjay) -> None:
    me = bearer(jay, scopes=["read", "write", "admin"])

    def sent(key: str, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        return client.request(method, f"{PREFIX}{path}", json=body, headers=me | {"Idempotency-Key": key})

    def sent_all() -> list[Any]:
        return [
            sent("a", "PATCH", "/memories/1", {"tags": ["x"]}),
            sent("b", "POST", "/memories", {"text": "The canary sings at night"}),
            sent("c", "POST", "/memories/2/links", {"to": 1}),
            sent("d", "POST", "/tasks", {"text": "Feed the canary"}),
            sent("e", "POST", "/contacts", {"name": "Canary Ann"}),
            sent("f", "PATCH", "/memories/2", {"metadata": {"memory": 1, "uid": "u", "id": 1}}),
        ]

    jay.add("The canary sings", title="Canary")
    jay.add("Ann is in Rome")
    first = sent_all()
    assert [one.status_code for one in first] == [200] * 6
    assert [one.json() for one in sent_all()] == [one.json() for one in first]
    ids = [memory.id for memory in jay.list() if "canary" in memory.text.lower()]
    deleted = sent("g", "DELETE", f"/memories/{','.join(map(str, ids))}")
    again = sent_all()
    assert [one.status_code for one in again] == [410] * 5 + [200]
    assert not any("anary" in one.text for one in again) and "was done before" in again[0].json()["detail"]
    assert sent("g", "DELETE", f"/memories/{','.join(map(str, ids))}").json() == deleted.json()
    assert len(jay.trash.list()) == len(ids) and len(jay.list()) == 1


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/contacts/{}"), ("GET", "/projects/{}"), ("GET", "/skills/{}"), ("POST", "/import?file={}"),
        ("GET", "/kinds?{}=1"), ("GET", "/memories?session=a&{}=1&{}=2"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("before", ["", "x" * 35])
def test_no_refusal_over_the_network_repeats_a_secret(
    client: TestClient, jay: Scrubjay, method: str, path: str, before: str
) -> None:
    me = bearer(jay, scopes=["read", "write", "admin"])
    secret = "ghp_" + "Zx9kQ2mW7pL4" * 3
    refused = client.request(method, PREFIX + path.replace("{}", f"{before} {secret}"), headers=me)
    assert refused.status_code in (400, 404) and "Zx9k" not in refused.text, refused.text


def test_who_may_only_write_learns_no_name_from_an_error(client: TestClient, jay: Scrubjay) -> None:
    me = bearer(jay, scopes=["write"])
    jay.add_turns("quarterly-canary", [{"speaker": "user", "text": "Good day"}])
    for guessed in ("quar", "quarterly-kanary"):
        for verb in ("end", "count"):
            refused = client.post(f"{PREFIX}/sessions/{guessed}/{verb}", json={}, headers=me)
            assert refused.status_code == 404 and "canary" not in refused.text
    assert client.post(f"{PREFIX}/sessions/quarterly-canary/end", json={}, headers=me).status_code == 200
    jay.profile.set("home.canary", "Rome")
    for path, body in (("unset", {"path": "home.kanary"}), ("set", {"path": "home.canary.x", "value": 1})):
        refused = client.post(f"{PREFIX}/profile/{path}", json=body, headers=me)
        assert refused.status_code == 403 and "canary" not in refused.text


def test_a_space_that_a_token_is_not_for_is_not_suggested(client: TestClient, jay: Scrubjay) -> None:
    jay.lend(space="merger-canary").add("The price is high", kind="fact")
    some = bearer(jay, "some", spaces=["default", "merger-kanary"])
    asked = client.post(f"{PREFIX}/search", json={"query": "price", "spaces": ["merger-kanary"]}, headers=some)
    noted = client.get(f"{PREFIX}/filter-notes", params={"spaces": "merger-kanary"}, headers=some)
    assert asked.status_code == noted.status_code == 200
    assert "canary" not in asked.text and "canary" not in noted.text
    every = bearer(jay, "every", all_spaces=True)
    noted = client.get(f"{PREFIX}/filter-notes", params={"spaces": "merger-kanary"}, headers=every)
    assert "did you mean 'merger-canary'" in noted.text


def test_where_the_file_lies_is_told_by_no_warning(client: TestClient, jay: Scrubjay, tmp_path: Path) -> None:
    (tmp_path / "memory.db").chmod(0o644)
    admin = bearer(jay, scopes=["read", "write", "admin"], all_spaces=True)
    told = client.post(f"{PREFIX}/check", json={}, headers=admin).text
    assert "may open memory.db" in told and "`scrubjay check --repair`" in told and str(tmp_path) not in told


def test_the_name_of_a_project_has_a_limit(client: TestClient, jay: Scrubjay) -> None:
    headers = bearer(jay) | {"X-Scrubjay-Project": "p" * 20_000}
    refused = client.post(f"{PREFIX}/sessions", json={"name": "talk"}, headers=headers)
    assert refused.status_code == 400 and "1 to 500 characters" in refused.text
