"""The HTTP API as a program uses it: who may ask what, pages, changes that must not cross, and problems."""

from __future__ import annotations

import json
from collections.abc import Iterator
from http import HTTPStatus
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

import scrubjay
from scrubjay import Scrubjay
from scrubjay.interfaces.http.api.openapi import description
from scrubjay.interfaces.http.app import make_app
from scrubjay.interfaces.mcp.opener import Opener
from scrubjay.interfaces.mcp.server import make_server
from scrubjay.remote.verbs import PREFIX, VERBS, Verb
from scrubjay.types import limits
from tests.support.clock import Clock

FOREIGN = "foreigncanary"
PATHS = {"id": "1", "ids": "1", "name": "talk", "session": "talk", "of": "1", "system": "tracker", "to": "2"}
BODIES: dict[str, dict[str, Any]] = {
    "add": {"text": "x"},
    "add_many": {"items": [{"text": "x"}]},
    "add_each": {"items": [{"text": "x"}]},
    "get_many": {"ids": [1]},
    "search": {"query": "foreign canary"},
    "search_many": {"queries": ["foreign canary"]},
    "search_turns": {"query": "foreign canary"},
    "excerpt": {"of": 1},
    "dismiss": {"older": 1, "newer": 2},
    "add_turns": {"turns": [{"text": "x"}]},
    "add_exchange": {"user": "x", "agent": "y"},
    "capture": {"output": "x", "client": "codex"},
    "tasks.create": {"text": "x"},
    "apply": {"plan": {"changes": []}},
    "tokens.create": {"name": "x"},
    "link": {"to": 2},
    "rate": {"helpful": True},
    "profile.set": {"path": "name", "value": "Ann"},
    "profile.unset": {"path": "name"},
    "profile.merge": {"data": {"name": "Ann"}},
    "profile.rollback": {"version": 1},
    "contacts.create": {"name": "Bob"},
    "contacts.rollback": {"version": 1},
    "projects.create": {"name": "app"},
    "projects.rollback": {"version": 1},
    "projects.set_source": {"system": "tracker"},
    "skills.create": {"name": "tidy", "instructions": "Tidy up"},
    "skills.rollback": {"version": 1},
    "skills.ran": {"status": "ok"},
}


@pytest.fixture
def jay(path: Path, clock: Clock) -> Iterator[Scrubjay]:
    with scrubjay.open(path, embedder="hashing", clock=clock) as jay:
        jay.add("The garden needs water", kind="fact")
        jay.add_turns("talk", [{"speaker": "Ann", "text": "Good morning"}])
        jay.lend(space="other").add(f"A foreign canary {FOREIGN}", kind="fact", subject=FOREIGN, tags=[FOREIGN])
        yield jay


@pytest.fixture
def client(jay: Scrubjay) -> Iterator[TestClient]:
    app = make_app(make_server(Opener(lambda: jay)), jay.tokens.verify)
    with TestClient(app, base_url="http://localhost", raise_server_exceptions=False) as client:
        yield client


def bearer(jay: Scrubjay, name: str = "me", **options: Any) -> dict[str, str]:
    return {"Authorization": f"Bearer {jay.tokens.create(name, **options)[1]}"}


def ask(client: TestClient, verb: Verb, headers: dict[str, str], **more: Any) -> Any:
    body: Any = {"json": {**BODIES.get(verb.name, {}), **more}} if verb.has_body else {"params": more}
    if verb.stream == "events":
        body = {"params": {**more, "follow": "false"}}
    return client.request(verb.method, PREFIX + verb.path.format(**PATHS), headers=headers, **body)


def test_no_verb_answers_without_a_token_or_with_a_revoked_one(client: TestClient, jay: Scrubjay, clock: Clock) -> None:
    gone = bearer(jay, "gone", all_spaces=True, scopes=["read", "write", "admin"])
    jay.tokens.revoke("gone")
    for verb in VERBS:
        for headers in ({}, {"Authorization": "Bearer scrubjay_wrong"}, gone):
            answer = ask(client, verb, headers)
            assert answer.status_code == 401, verb.name
            assert answer.headers["content-type"] == "application/problem+json"
        clock.pass_(minutes=2)  # only so many wrong guesses are answered in a minute


def test_a_verb_needs_its_scopes(client: TestClient, jay: Scrubjay) -> None:
    tokens = {scope: bearer(jay, scope, all_spaces=True, scopes=[scope]) for scope in ("read", "write", "admin")}
    for verb in VERBS:
        for scope, token in tokens.items():
            answer = ask(client, verb, token)
            assert (answer.status_code == 403) == (set(verb.scopes) != {scope}), (verb.name, scope, answer.text)


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb.name)
def test_a_token_of_one_space_finds_nothing_of_another(client: TestClient, jay: Scrubjay, verb: Verb) -> None:
    me = bearer(jay, scopes=["read", "write", "admin"])
    answer = ask(client, verb, me)
    assert FOREIGN not in answer.text and answer.status_code != 500
    if "spaces" in _arguments(verb):
        asked = ask(client, verb, me, spaces=["default", "other"])
        assert FOREIGN not in asked.text and asked.status_code in (403, 404)
    assert ask(client, verb, {**me, "X-Scrubjay-Space": "other"}).status_code == 403


def _arguments(verb: Verb) -> set[str]:
    operation = description()["paths"][verb.path][verb.method.lower()]
    body = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
    return {*body.get("properties", ()), *(one["name"] for one in operation["parameters"])}


def test_other_hosts_and_origins_are_refused(client: TestClient, jay: Scrubjay) -> None:
    me = bearer(jay, all_spaces=True, scopes=["read", "write", "admin"])
    for verb in VERBS:
        for header in ({"Host": "evil.example"}, {"Origin": "http://evil.example"}):
            assert ask(client, verb, me | header).status_code in (403, 421), (verb.name, header)


def test_who_may_only_write_gets_ids_and_nothing_else(client: TestClient, jay: Scrubjay) -> None:
    me = bearer(jay, scopes=["write"])
    added = client.post(f"{PREFIX}/memories", json={"text": "The garden needs rain"}, headers=me).json()
    assert list(added) == ["ids"] and len(added["ids"]) == 1
    changed = client.patch(f"{PREFIX}/memories/1", json={"tags": ["x"]}, headers=me)
    assert changed.json() == {"ids": [1]} and "etag" not in changed.headers


@pytest.mark.every_store
def test_pages_do_not_shift_when_something_comes_in(client: TestClient, jay: Scrubjay, clock: Clock) -> None:
    for number in range(7):
        clock.pass_(seconds=1)
        jay.add(f"Note {number}", kind="note")
    me, seen, cursor = bearer(jay), [], ""
    for page in range(4):
        clock.pass_(seconds=1)
        jay.add(f"New {page}", kind="note")
        asked: Any = {"limit": 3, "kinds": "note", **({"cursor": cursor} if cursor else {})}
        answer = client.get(f"{PREFIX}/memories", params=asked, headers=me).json()
        seen += [memory["text"] for memory in answer["memories"]]
        cursor = answer["next"] or ""
        if not cursor:
            break
    assert seen == ["New 0", *(f"Note {number}" for number in reversed(range(7)))]
    assert client.get(f"{PREFIX}/memories", params={"cursor": "made up"}, headers=me).status_code == 400


@pytest.mark.every_store
def test_a_change_of_what_somebody_else_has_changed_is_refused(client: TestClient, jay: Scrubjay) -> None:
    me = bearer(jay)
    tag = client.get(f"{PREFIX}/memories/1", headers=me).headers["etag"]
    client.get(f"{PREFIX}/memories/1", headers=me)  # to read is no change
    first = client.patch(f"{PREFIX}/memories/1", json={"tags": ["mine"]}, headers=me | {"If-Match": tag})
    second = client.patch(f"{PREFIX}/memories/1", json={"tags": ["theirs"]}, headers=me | {"If-Match": tag})
    assert (first.status_code, second.status_code) == (200, 412)
    third = client.patch(f"{PREFIX}/memories/1", json={}, headers=me | {"If-Match": first.headers["etag"]})
    memory = jay.get(1)
    assert third.status_code == 200 and memory is not None and memory.tags == ("mine",)


@pytest.mark.every_store
def test_a_request_that_is_sent_again_with_its_key_is_not_done_again(client: TestClient, jay: Scrubjay) -> None:
    me = bearer(jay) | {"Idempotency-Key": "a1"}
    turns = {"turns": [{"speaker": "Ann", "text": "Good evening"}]}
    path = f"{PREFIX}/sessions/talk/turns"
    first, again = (client.post(path, json=turns, headers=me) for _ in range(2))
    assert first.json() == again.json() and again.headers["idempotency-replayed"] == "true"
    assert [turn.text for turn in jay.sessions.turns("talk")] == ["Good morning", "Good evening"]
    other = client.post(path, json={"turns": []}, headers=me)
    assert other.status_code == 422 and "take a new one" in other.json()["detail"]
    theirs = client.post(path, json=turns, headers=bearer(jay, "they") | {"Idempotency-Key": "a1"})
    assert theirs.status_code == 200 and len(jay.sessions.turns("talk")) == 3  # the key of another token


def test_a_keyed_request_that_failed_may_be_sent_again_and_one_under_way_waits(
    client: TestClient, jay: Scrubjay, monkeypatch: pytest.MonkeyPatch
) -> None:
    me = bearer(jay) | {"Idempotency-Key": "b2"}
    assert client.patch(f"{PREFIX}/memories/99", json={"tags": ["x"]}, headers=me).status_code == 404
    assert client.patch(f"{PREFIX}/memories/99", json={"tags": ["x"]}, headers=me).status_code == 404
    monkeypatch.setattr(jay.view.store.requests, "end", lambda *_: None)  # as if the process had ended before
    assert client.post(f"{PREFIX}/memories", json={"text": "x"}, headers=me).status_code == 200
    under_way = client.post(f"{PREFIX}/memories", json={"text": "x"}, headers=me)
    assert under_way.status_code == 409 and under_way.headers["retry-after"] == "1"


def test_kept_answers_are_erased_with_what_they_tell(client: TestClient, jay: Scrubjay, tmp_path: Path) -> None:
    me = bearer(jay) | {"Idempotency-Key": "c3"}
    added = client.post(f"{PREFIX}/memories", json={"text": "The canaryanswer sings"}, headers=me).json()
    jay.delete(added["id"])
    jay.trash.empty()
    jay.close()
    assert not any(b"canaryanswer" in path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())


WRONG = [
    ("POST", "/memories", {"json": {"text": ""}}, 400, "The text is empty"),
    ("POST", "/memories", {"json": {"txt": "x"}}, 400, "add has no argument 'txt'; it has text, "),
    ("POST", "/memories", {"json": {}}, 400, "add needs the argument text"),
    (
        "PATCH",
        "/memories/1",
        {"json": {"colour": 1}},
        400,
        "update has no argument 'colour'; it has id, redact, kind, subject, title, context, tags, aliases, cites, "
        "paths, metadata, importance, confidence, expires_at, project.",
    ),
    (
        "PATCH",
        "/memories/1",
        {"json": {"source": "x"}},
        400,
        "update has no argument 'source'; it has id, redact, kind,",
    ),
    ("POST", "/memories", {"json": {"text": "x", "colour": 1}}, 400, "add has no argument 'colour'; it has text,"),
    ("POST", "/memories", {"json": {"text": "x", "importance": "much"}}, 400, "importance is not valid"),
    ("POST", "/memories", {"content": b"{"}, 400, "not valid JSON"),
    ("POST", "/memories", {"content": b'{"text": NaN}'}, 400, "not valid JSON"),
    ("POST", "/memories", {"content": b"[" * 100_000}, 400, "not valid JSON"),
    ("POST", "/memories", {"content": b"[1]"}, 400, "must be a JSON object"),
    ("POST", "/memories", {"content": b"\xff\xfe"}, 400, "not valid JSON"),
    ("POST", "/skills", {"content": b'{"name": "\\ud800", "instructions": "x"}'}, 400, "half a character"),
    ("POST", "/excerpt", {"content": b'{"of": "\\ud800"}'}, 400, "half a character"),
    ("GET", "/memories?limit=2&limit=3", {}, 400, "given more than once"),
    ("GET", "/memories?metadata=x", {}, 400, "metadata is not valid JSON"),
    ("GET", "/memories?limit=10001", {}, 400, "limit is 10,001; one request is answered with 10,000 at most"),
    ("GET", "/timeline?limit=1000000000", {}, 400, "one request is answered with 10,000 at most"),
    ("GET", "/sessions?limit=10001", {}, 400, "one request is answered with 10,000 at most"),
    ("POST", "/search/many", {"json": {"queries": ["x"] * 301}}, 400, "The queries of one request are at most 300"),
    (
        "POST",
        "/search/many",
        {"json": {"queries": ["x"] * 11, "limit": 1000}},
        400,
        "limit is 1,000 for each query, and the queries are 11",
    ),
    ("POST", "/search/many", {"json": {"queries": ["x" * 10_001] * 3}}, 400, "these are 3 with 30,003"),
    ("GET", "/memories/99", {}, 404, "There is no memory 99"),
    ("GET", "/memories/99999999999999999999", {}, 400, ""),
    ("DELETE", "/memories/1,99", {}, 404, "There is no memory 99"),
    ("PUT", "/memories", {}, 405, "does not take that method"),
    ("GET", "/nothing", {}, 404, "no such path"),
]


@pytest.mark.parametrize(("method", "route", "sent", "status", "sentence"), WRONG, ids=lambda value: str(value)[:30])
def test_what_is_wrong_is_a_problem_with_one_sentence(
    client: TestClient, jay: Scrubjay, method: str, route: str, sent: Any, status: int, sentence: str
) -> None:
    me = bearer(jay, scopes=["read", "write", "admin"])
    answer = client.request(method, PREFIX + route, headers=me, **sent)
    assert answer.status_code == status, answer.text
    problem = answer.json()
    assert answer.headers["content-type"] == "application/problem+json"
    assert problem["status"] == status and sentence in problem["detail"] and "\n" not in problem["detail"]


def test_the_title_of_a_problem_says_what_it_is(client: TestClient, jay: Scrubjay) -> None:
    me, writer = bearer(jay), bearer(jay, "writer", scopes=["write"])
    again = me | {"Idempotency-Key": "k"}
    client.post(f"{PREFIX}/memories", json={"text": "One"}, headers=again)
    answers = [
        client.get(f"{PREFIX}/kinds"),
        client.get(f"{PREFIX}/kinds", headers=writer),
        client.put(f"{PREFIX}/kinds", headers=me),
        client.patch(f"{PREFIX}/memories/1", json={"title": "x"}, headers=me | {"If-Match": '"0"'}),
        client.post(f"{PREFIX}/memories", json={"text": "Two"}, headers=again),
        client.get(f"{PREFIX}/nope", headers=me),
    ]
    told = [answer.json() for answer in answers]
    assert [problem["status"] for problem in told] == [401, 403, 405, 412, 422, 404]
    assert all((one["type"], one["title"]) == ("about:blank", HTTPStatus(one["status"]).phrase) for one in told)
    missing = client.get(f"{PREFIX}/memories/99", headers=me).json()
    assert (missing["type"], missing["title"]) == ("urn:scrubjay:NotFound", "There is no such memory in this space.")


def test_a_body_beyond_the_limit_is_refused_and_a_crash_tells_nothing(
    client: TestClient, jay: Scrubjay, monkeypatch: pytest.MonkeyPatch
) -> None:
    me = bearer(jay)
    large = client.post(f"{PREFIX}/memories", content=b" " * 5_000_000, headers=me | {"X-Request-Id": "a-7"})
    assert (large.status_code, large.headers["content-type"]) == (413, "application/problem+json")
    assert large.headers["x-request-id"] == "a-7"
    assert large.json()["detail"] == "The body of this request is larger than 4,194,304 bytes; send less at once."
    monkeypatch.setattr(Scrubjay, "conflicts", lambda self: 1 / 0)
    crash = client.get(f"{PREFIX}/conflicts", headers=me)
    assert crash.status_code == 500 and "division" not in crash.text and "its log says why" in crash.text


def test_a_request_has_no_endless_lists(client: TestClient, jay: Scrubjay) -> None:
    body = {"items": [{"text": "x"}] * 10_001}
    answer = client.post(f"{PREFIX}/memories/batch", json=body, headers=bearer(jay))
    assert answer.status_code == 400 and "one request takes 10,000 at most" in answer.json()["detail"]


@pytest.mark.parametrize(
    ("route", "name", "item"),
    [
        ("/memories/batch", "items", {"text": "heron " * 100}),
        ("/memories/each", "items", {"text": "x", "metadata": {"seen": ["heron " * 100]}}),
        ("/sessions/s/turns", "turns", {"text": "heron " * 100}),
        ("/sessions/s/turns", "turns", {"role": "user", "content": [{"type": "text", "text": "heron " * 100}]}),
    ],
)
def test_no_request_has_more_texts_than_are_embedded_in_half_a_minute(
    client: TestClient, jay: Scrubjay, route: str, name: str, item: dict[str, Any]
) -> None:
    before = jay.list()
    answer = client.post(PREFIX + route, json={name: [item] * 900}, headers=bearer(jay))
    assert answer.status_code == 400 and answer.json()["detail"].startswith(f"{name} has 5")
    assert "one request takes 500,000 at most; send it in several requests" in answer.json()["detail"]
    assert jay.list() == before


def test_no_answer_is_larger_than_anybody_should_wait_for(
    client: TestClient, jay: Scrubjay, monkeypatch: pytest.MonkeyPatch
) -> None:
    jay.add_many([{"text": f"The heron {number} " + "stands by the pond " * 50} for number in range(20)])
    headers, asked = bearer(jay), {"queries": ["heron"] * 30}
    assert client.post(f"{PREFIX}/search/many", json=asked, headers=headers).status_code == 200
    monkeypatch.setattr(limits, "ANSWER_CHARACTERS", 15_000)
    searched: list[int] = []
    search_many = Scrubjay.search_many

    def counted(jay: Scrubjay, queries: list[str], **how: Any) -> Any:
        searched.append(len(queries))
        return search_many(jay, queries, **how)

    monkeypatch.setattr(Scrubjay, "search_many", counted)
    for answer in (
        client.post(f"{PREFIX}/search/many", json=asked, headers=headers),
        client.get(f"{PREFIX}/memories?limit=20", headers=headers),
    ):
        assert answer.status_code == 400
        assert "This answer has more than 15,000 characters; ask for less" in answer.json()["detail"]
    assert searched == [10]
    assert client.post(f"{PREFIX}/search", json={"query": "heron"}, headers=headers).status_code == 200


@pytest.mark.parametrize(
    "fields",
    [
        {"title": "heron " * 80}, {"context": "heron " * 80}, {"metadata": {"seen": "heron " * 80}},
        {"metadata": {"heron " * 80: 1}}, {"tags": ["heron" * 16 + str(number) for number in range(6)]},
        {"aliases": ["heron" * 16 + str(number) for number in range(6)]}, {"subject": "heron " * 80},
        {"paths": ["heron" * 30 + str(number) for number in range(4)]},
    ],
    ids=lambda fields: next(iter(fields)),
)  # fmt: skip
def test_the_bound_of_an_answer_counts_all_that_is_written_into_it(
    client: TestClient, jay: Scrubjay, monkeypatch: pytest.MonkeyPatch, fields: dict[str, Any]
) -> None:
    jay.add_many([{"text": f"The heron {number}", **fields} for number in range(20)])
    monkeypatch.setattr(limits, "ANSWER_CHARACTERS", 8_000)
    me = bearer(jay)
    for answer in (
        client.get(f"{PREFIX}/memories?limit=20", headers=me),
        client.post(f"{PREFIX}/search", json={"query": "heron", "limit": 20}, headers=me),
    ):
        assert answer.status_code == 400 and "more than 8,000 characters" in answer.json()["detail"]
    assert client.get(f"{PREFIX}/memories?limit=2", headers=me).status_code == 200


def test_every_answer_has_the_id_of_its_request(client: TestClient, jay: Scrubjay) -> None:
    me = bearer(jay)
    assert client.get(f"{PREFIX}/kinds", headers=me | {"X-Request-Id": "a-7"}).headers["x-request-id"] == "a-7"
    own = client.get(f"{PREFIX}/memories/99", headers=me | {"X-Request-Id": "x" * 100}).headers["x-request-id"]
    assert len(own) == 16
    refused = [
        client.get(f"{PREFIX}/kinds"),
        client.get(f"{PREFIX}/nope", headers=me),
        client.put(f"{PREFIX}/kinds", headers=me),
        client.get(f"{PREFIX}/kinds", headers=me | {"X-Scrubjay-Space": "other"}),
    ]
    assert [answer.status_code for answer in refused] == [401, 404, 405, 403]
    assert all(len(answer.headers["x-request-id"]) == 16 for answer in refused)


def test_long_answers_are_compressed_for_those_who_ask(client: TestClient, jay: Scrubjay) -> None:
    jay.add_many([{"text": f"The same words again and again, {number}"} for number in range(30)])
    answer = client.get(f"{PREFIX}/memories", headers=bearer(jay) | {"Accept-Encoding": "gzip"})
    assert answer.headers["content-encoding"] == "gzip" and len(answer.json()["memories"]) == 32


def test_the_project_at_hand_is_a_header(client: TestClient, jay: Scrubjay) -> None:
    me = bearer(jay) | {"X-Scrubjay-Project": "github.com/ann/app"}
    added = client.post(f"{PREFIX}/memories", json={"text": "Use pnpm"}, headers=me).json()
    assert added["memory"]["project"] == "github.com/ann/app"


def test_figures_are_for_who_administers_the_whole_file(client: TestClient, jay: Scrubjay) -> None:
    assert client.get("/metrics", headers=bearer(jay, "one", scopes=["admin"])).status_code == 403
    client.get(f"{PREFIX}/kinds", headers=bearer(jay, "two"))
    told = client.get("/metrics", headers=bearer(jay, "all", all_spaces=True, scopes=["admin"])).text
    assert 'scrubjay_requests_total{door="api",status="200"} 1' in told
    assert 'scrubjay_request_seconds_bucket{door="api",le="+Inf"} 1' in told


def test_a_memory_that_cannot_be_read_is_not_ready(client: TestClient, jay: Scrubjay) -> None:
    jay.close()
    assert client.get("/readyz").status_code == 503 and client.get("/healthz").status_code == 200


def test_the_description_has_every_verb_and_stands_alone() -> None:
    told = description()
    operations = {about["operationId"] for path in told["paths"].values() for about in path.values()}
    assert operations == {verb.name for verb in VERBS}
    named = set(told["components"]["schemas"])
    assert {one.rsplit("/", 1)[1] for one in _references(told)} <= named


def _references(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        yield from [value["$ref"]] if "$ref" in value else []
        yield from (found for item in value.values() for found in _references(item))
    elif isinstance(value, list):
        yield from (found for item in value for found in _references(item))


def test_texts_and_questions_are_in_no_log(client: TestClient, jay: Scrubjay, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level("INFO"):
        client.post(f"{PREFIX}/search", json={"query": "canaryquestion"}, headers=bearer(jay))
    assert "/api/v1/search 200" in caplog.text and "canaryquestion" not in caplog.text
    assert json.dumps(description())
