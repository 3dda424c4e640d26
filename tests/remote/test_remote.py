"""The memory of a server is used as a local one is: the same calls, types, answers and errors."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from http.server import HTTPServer, SimpleHTTPRequestHandler
from itertools import permutations
from pathlib import Path
from threading import Thread
from typing import Any

import httpx
import pytest

import scrubjay
from scrubjay import Invalid, NotFound, Scrubjay, ScrubjayError
from scrubjay.errors import StoreError
from scrubjay.interfaces.exact_json import exact
from scrubjay.remote.answers import read_answer
from scrubjay.remote.verbs import LOCAL, PARTS, VERBS, class_of
from scrubjay.types import limits
from tests.support.api_server import serving_here
from tests.support.clock import Clock

ALL = ("read", "write", "admin")
OF_USES = ("shown_count", "used_count", "used_at", "score", "why", "confidence")
Pair = tuple[Scrubjay, Scrubjay]


@pytest.fixture
def local(path: Path, clock: Clock) -> Iterator[Scrubjay]:
    with scrubjay.open(path, embedder="hashing", clock=clock) as jay:
        yield jay


@pytest.fixture
def remote(local: Scrubjay) -> Iterator[Scrubjay]:
    _, secret = local.tokens.create("ann", all_spaces=True, scopes=ALL)
    with serving_here(local) as url, scrubjay.open(url, token=secret) as jay:
        yield jay


def test_more_queries_than_one_request_takes_are_asked_in_several(local: Scrubjay, remote: Scrubjay) -> None:
    local.add("The heron stands in the garden.")
    answers = remote.search_many(["garden"] * 301 + ["heron " * 10_000], limit=1)
    assert [len(results) for results in answers] == [1] * 302
    assert len(remote.search_many(["garden"] * 11, limit=1_000)) == 11
    with pytest.raises(Invalid):
        remote.search_many([7])  # type: ignore[list-item]


def test_more_texts_than_one_request_takes_are_sent_in_several_each_by_itself(
    remote: Scrubjay, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "ITEMS", 7)
    monkeypatch.setattr(limits, "ITEMS_CHARACTERS", 300)
    items = [{"text": f"The heron {number}"} for number in range(20)]
    items[9:9] = [{"text": ""}, {"text": "stands by the pond " * 100}]
    outcomes = remote.add_each(items)
    assert [isinstance(one, ScrubjayError) for one in outcomes] == [number == 9 for number in range(22)]
    assert len(remote.list(limit=None)) == 21
    with pytest.raises(Invalid, match=r"items has 1,0\d\d characters, and one request takes 300 at most; send it in"):
        remote.add_many([{"text": "The heron stands by the pond " * 7}] * 5)
    assert len(remote.list(limit=None)) == 21


def test_where_a_later_request_fails_what_was_stored_before_is_told(
    remote: Scrubjay, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "ITEMS", 3)
    items: list[dict[str, object]] = [{"text": f"The heron {number}"} for number in range(8)]
    items[4]["happened_at"] = datetime(2026, 1, 1)  # without a zone: it cannot be sent
    outcomes = remote.add_each(items)
    assert [isinstance(one, ScrubjayError) for one in outcomes] == [False] * 3 + [True] * 5
    assert "has no time zone" in str(outcomes[7]) and len(remote.list(limit=None)) == 3
    with pytest.raises(Invalid, match="has no time zone"):
        remote.add_each(items[4:])


def test_a_time_without_a_zone_is_refused_there_as_here(local: Scrubjay, remote: Scrubjay) -> None:
    naive = datetime(2026, 1, 1)
    calls: list[Callable[[Scrubjay], object]] = [
        lambda jay: jay.search("tea", since=naive),
        lambda jay: jay.list(until=naive),
        lambda jay: jay.add("Ann likes tea", happened_at=naive),
        lambda jay: jay.add_many([{"text": "Ann likes tea", "expires_at": naive}]),
        lambda jay: jay.add_turns("s", [{"text": "Ann likes tea", "happened_at": naive}]),
        lambda jay: jay.update(1, expires_at=naive),
        lambda jay: jay.timeline(since=naive),
        lambda jay: jay.tasks.create("Buy tea", due=naive),
    ]
    local.add("Ann likes coffee")
    for call in calls:
        refused = []
        for jay in (local, remote):
            with pytest.raises(Invalid, match="has no time zone") as error:
                call(jay)
            refused.append(str(error.value))
        assert refused[0] == refused[1]


def test_each_reason_why_a_method_is_not_offered_can_be_read_alone(remote: Scrubjay) -> None:
    assert all(len(reason.split()) >= 4 for reason in LOCAL.values())
    with pytest.raises(Invalid, match="it writes a file on the machine that it runs on"):
        remote.backup("copy.db")


def public(owner: type) -> set[str]:
    return {name for name, _ in inspect.getmembers(owner, inspect.isfunction) if not name.startswith("_")}


def test_every_method_is_offered_over_http_or_says_why_not() -> None:
    named = {verb.name for verb in VERBS} | set(LOCAL)
    ours = public(Scrubjay) | {f"{part}.{name}" for part in PARTS for name in public(class_of(part))}
    assert ours == named


def test_every_group_of_methods_is_known() -> None:
    groups = {name for name, value in vars(Scrubjay).items() if isinstance(value, property)}
    assert groups - {"view", "address", "space", "project", "trust", "actor"} == set(PARTS)


def read_everything(jay: Scrubjay) -> dict[str, Any]:
    """What can be asked of a memory; the same answers wherever it is."""
    return {
        "get": jay.get(1),
        "get_many": jay.get_many([2, 1, 99]),
        "list": jay.list(limit=3, kinds=["fact", "preference", "turn"]),
        "history": (jay.history(3), jay.history(1)),
        "search": jay.search("dark or light mode", limit=1),
        "search_many": jay.search_many(["garden", "light mode"], limit=1),
        "search_turns": jay.search_turns("tomatoes"),
        "excerpt": jay.excerpt(5, around=1),
        "context": jay.context(),
        "timeline": jay.timeline(1),
        "span": jay.timeline(since=datetime(2020, 1, 1, tzinfo=UTC), limit=4),
        "conflicts": jay.conflicts(),
        "names": (jay.spaces(), jay.kinds(), jay.subjects(), jay.tags()),
        "notes": jay.filter_notes(kinds=["prefrence"]),
        "sessions": (jay.sessions.list(), jay.sessions.get("talk"), jay.sessions.turns("talk")),
        "tasks": (jay.tasks.list(), jay.tasks.get(7)),
        "links": (jay.links(1), jay.search("garden water", limit=1, expand=1)),
        "profile": (jay.profile.get(), jay.profile.get("name"), jay.profile.history(), jay.profile.diff(1, 2)),
        "contacts": (jay.contacts.list(), jay.contacts.get("bob@example.org"), jay.contacts.get(99)),
        "projects": (jay.projects.list(), jay.projects.sources("app"), jay.projects.here()),
        "skills": (jay.skills.list(), jay.skills.get("tidy"), jay.skills.due()),
        "trash": jay.trash.list(),
        "tokens": [token.name for token in jay.tokens.list()],
        "status": jay.status(),
        "check": jay.check(),
        "cleanup": jay.cleanup(dry_run=True),
    }


def fill(jay: Scrubjay) -> None:
    jay.add("The garden needs water", kind="fact", subject="garden", tags=["home"], metadata={"beds": [1, 2]})
    jay.add("The garden needs no water", kind="fact", subject="garden", importance=9, confidence=0.5)
    old = jay.add("User prefers dark mode", kind="preference", subject="user", expires_at="2035-01-01").memory
    jay.supersede(old.id, "User prefers light mode", reason="new office")
    jay.add_turns("talk", [{"speaker": "Ann", "text": "I planted tomatoes"}, {"role": "user", "content": "Good"}])
    jay.tasks.create("Renew the passport", due="2035-05-05", priority="high", note="at the town hall")
    jay.delete(jay.add("A thought to forget").memory.id)
    jay.link(1, 2, "depends_on")
    jay.profile.set("name", "Ann", reason="she said so")
    jay.profile.merge({"preferences": {"tools": ["uv"]}})
    bob = jay.contacts.create(name="Bob", email="bob@example.org", type="work")
    jay.projects.create(name="app", primary_contact=bob.id, participants=["bob@example.org"])
    jay.projects.set_source("app", "tracker", external_id="APP-1", status="ok")
    jay.skills.create(name="tidy", instructions="Tidy up", trigger="cron", schedule="0 9 * * 1")


@pytest.mark.every_store
def test_every_answer_is_the_same_as_that_of_the_file(local: Scrubjay, remote: Scrubjay) -> None:
    fill(remote)
    here, there = read_everything(local), read_everything(remote)
    for question, answer in here.items():
        assert detailed(there[question]) == detailed(answer), question


def detailed(answer: Any) -> str:
    """Every field, where the short form shows few; but for uses, and scores, which they lift: reading is a use."""
    if is_dataclass(answer):
        names = [field.name for field in fields(answer) if field.name not in OF_USES]
        inside = ", ".join(f"{name}={detailed(getattr(answer, name))}" for name in names)
        return f"{type(answer).__name__}({inside})"
    if isinstance(answer, list | tuple):
        return f"{type(answer).__name__}[{', '.join(map(detailed, answer))}]"
    return repr(answer)


def test_results_come_back_to_the_last_digit(local: Scrubjay) -> None:
    fill(local)
    verb = next(verb for verb in VERBS if verb.name == "search")
    for query in ("dark or light mode", "tomatoes", "garden water", "?", "nothing of that"):
        found = local.search(query)
        assert read_answer(verb, json.loads(json.dumps(exact(found)))) == found


CHANGES: list[Callable[[Scrubjay], Any]] = [
    lambda jay: jay.add("Tea at five", kind="fact", happened_at=datetime(2025, 5, 5, 5, 5, 5, 123456, UTC)),
    lambda jay: jay.add("The garden needs water", kind="fact", subject="garden"),
    lambda jay: jay.add_many([{"text": "One"}, {"text": "Two", "tags": ["x"]}]),
    lambda jay: jay.add_each([{"text": "Three"}, {"text": ""}]),
    lambda jay: jay.add_exchange("Hello", "Good morning", session="talk"),
    lambda jay: jay.update(1, tags=["a", "b"], metadata={"beds": None}),
    lambda jay: jay.confirm(1),
    lambda jay: jay.revert(4),
    lambda jay: jay.undelete(8),
    lambda jay: jay.sessions.end("talk", "We talked about the garden"),
    lambda jay: jay.tasks.update(7, status="completed"),
    lambda jay: jay.dismiss(1, 2),
    lambda jay: jay.unlink(1, 2),
    lambda jay: jay.rate(1, helpful=True),
    lambda jay: jay.contacts.update("bob@example.org", role="designer", reason="promoted"),
    lambda jay: jay.profile.rollback(1),
    lambda jay: jay.skills.ran("tidy", "ok", summary="All tidy"),
    lambda jay: jay.projects.delete("app"),
    lambda jay: jay.extract("I prefer tea over coffee.", rules=True),
]


@pytest.mark.parametrize("number", range(len(CHANGES)))
def test_every_change_gives_what_it_gives_on_a_file(tmp_path: Path, clock: Clock, number: int) -> None:
    answers = []
    for name in ("file", "server"):
        with scrubjay.open(tmp_path / f"{name}.db", embedder="hashing", clock=clock) as jay:
            _, secret = jay.tokens.create("ann", all_spaces=True, scopes=ALL)
            mine = jay.lend(source="api", client="scrubjay", actor="ann")
            fill(mine)
            if name == "file":
                answers.append(detailed(CHANGES[number](mine)))
                continue
            with serving_here(jay) as url, scrubjay.open(url, token=secret) as there:
                answers.append(detailed(CHANGES[number](there)))
    assert _without_random_names(answers[0]) == _without_random_names(answers[1])


def _without_random_names(answer: str) -> str:
    return re.sub(r"uid='[0-9a-f]+'", "", answer)


WRONG: list[tuple[type[ScrubjayError], Callable[[Scrubjay], Any]]] = [
    (Invalid, lambda jay: jay.add("")),
    (Invalid, lambda jay: jay.add("x", importance=11)),
    (Invalid, lambda jay: jay.add("AKIAQ7ZX2MPLWHD6KTVB is the key, password: hunter2-Xq9!")),
    (Invalid, lambda jay: jay.capture(b"\xff\xfe\x00", "gemini")),
    (NotFound, lambda jay: jay.update(99, tags=["x"])),
    (NotFound, lambda jay: jay.delete(1, 99)),
    (NotFound, lambda jay: jay.sessions.get("nobody")),
    (NotFound, lambda jay: jay.contacts.update("Nobody", role="x")),
    (Invalid, lambda jay: jay.contacts.create(name="Bob too", email="bob@example.org")),
    (Invalid, lambda jay: jay.skills.create(name="x", instructions="y", trigger="cron", schedule="soon")),
    (Invalid, lambda jay: jay.search("x", since="not a date at all")),
    (Invalid, lambda jay: jay.tasks.update(7, priority="soon")),  # type: ignore[arg-type]
]


@pytest.mark.parametrize("number", range(len(WRONG)))
def test_every_error_is_the_one_of_a_file(local: Scrubjay, remote: Scrubjay, number: int) -> None:
    fill(remote)
    expected, call = WRONG[number]
    with pytest.raises(expected):
        call(local)
    with pytest.raises(expected):
        call(remote)


def test_citations_are_those_of_the_machine_that_holds_the_memory(tmp_path: Path, clock: Clock) -> None:
    (tmp_path / "auth.py").write_text("def login():\n    return 3\n")
    with scrubjay.open(tmp_path / "memory.db", embedder="hashing", clock=clock, folder=tmp_path) as owner:
        owner.add("A login is tried three times", cites=["auth.py:1-2"])
        _, secret = owner.tokens.create("ann", all_spaces=True, scopes=ALL)
        served = Scrubjay(replace(owner.view, folder=None))  # as `serve` does
        with serving_here(served) as url, scrubjay.open(url, token=secret) as remote:
            assert [str(one) for one in remote.citations(1)] == ["auth.py:1-2 FRESH"]
            (tmp_path / "auth.py").write_text("def login():\n    return 4\n")
            assert [one.state for one in remote.citations(1)] == ["STALE"]
            assert [one.state for one in remote.search("login", limit=1)[0].citations] == ["STALE"]
            assert remote.citations(1)[0].citation.root == ""
            with pytest.raises(Invalid, match="Nothing can be cited here"):
                remote.add("Another", cites=["auth.py:1-2"])
            with pytest.raises(NotFound):
                remote.citations(99)


def test_a_missing_memory_is_none_and_another_space_is_apart(remote: Scrubjay) -> None:
    assert remote.get(1) is None
    team = remote.lend(space="team")
    shared = team.add("The release is on Friday", kind="fact").memory
    assert shared.space == "team" and remote.get(shared.id) is None
    assert [hit.memory.space for hit in remote.search("release", spaces=["default", "team"])] == ["team"]
    assert remote.space == "default" and team.space == "team"


def test_what_is_signed_when_it_is_made_is_not_signed_again_when_it_is_changed(remote: Scrubjay) -> None:
    lent = remote.lend(source="notes", client="editor")
    made = lent.add("The release is on Friday", kind="fact").memory
    assert (made.source, made.client) == ("notes", "editor")
    assert lent.update(made.id, tags=["release"]).tags == ("release",)


@pytest.mark.every_store
def test_what_a_token_writes_is_signed_with_its_name_and_nobody_elses(local: Scrubjay, remote: Scrubjay) -> None:
    remote.add("Signed", kind="fact")
    remote.add_many([{"text": "Signed for another", "actor": "bob"}])
    assert {memory.actor for memory in local.list()} == {"ann"}


def test_trust_of_the_user_needs_a_token_for_administration(local: Scrubjay) -> None:
    _, secret = local.tokens.create("agent", scopes=["read", "write"])
    with serving_here(local) as url, scrubjay.open(url, token=secret) as jay:
        assert jay.add("It says so", kind="fact").memory.trust == "agent"
        with pytest.raises(Invalid, match="can only be given by the user"):
            jay.add("I am the user", kind="fact", trust="user")


@pytest.mark.parametrize(
    "call",
    [
        lambda jay: jay.sources.add("/etc"),
        lambda jay: jay.view,
        lambda jay: jay.add("x", allow_secret=True),
        lambda jay: jay.check(repair=True),
    ],
)
def test_what_a_server_does_not_do_is_said(remote: Scrubjay, call: Callable[[Scrubjay], Any]) -> None:
    with pytest.raises(Invalid, match="not possible on the memory of a server"):
        call(remote)


def test_a_server_that_is_away_is_one_sentence() -> None:
    with pytest.raises(StoreError, match=r"does not answer.*is `scrubjay serve` running there\?"):
        scrubjay.open("http://127.0.0.1:9", token="scrubjay_x").add("x")


def test_a_broken_connection_is_tried_again_and_a_change_is_made_once(
    local: Scrubjay, remote: Scrubjay, monkeypatch: pytest.MonkeyPatch
) -> None:
    send, tries = httpx.Client.send, []

    def breaks_after_the_first(self: httpx.Client, *args: Any, **options: Any) -> httpx.Response:
        answer = send(self, *args, **options)
        tries.append(answer)
        if len(tries) == 1:
            raise httpx.ReadError("the connection broke")
        return answer

    monkeypatch.setattr(httpx.Client, "send", breaks_after_the_first)
    monkeypatch.setattr("scrubjay.remote.connection.WAITS", (0.0, 0.0))
    remote.add_turns("talk", [{"speaker": "Ann", "text": "Once"}])
    assert len(tries) == 2 and [turn.text for turn in local.sessions.turns("talk")] == ["Once"]


def test_a_token_is_needed_and_is_not_sent_unencrypted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SCRUBJAY_TOKEN", raising=False)
    with pytest.raises(Invalid, match="A server needs a token"):
        scrubjay.open("http://127.0.0.1:9")
    with pytest.raises(Invalid, match="That is no token"):
        scrubjay.open("http://127.0.0.1:9", token="scrubjay_…")
    with pytest.raises(Invalid, match="unencrypted; use https"):
        scrubjay.open("http://memory.example.org", token="scrubjay_x")


def test_something_else_that_listens_there_is_told_from_a_server(tmp_path: Path) -> None:
    with HTTPServer(("127.0.0.1", 0), partial(SimpleHTTPRequestHandler, directory=tmp_path)) as other:
        Thread(target=other.serve_forever, daemon=True).start()
        with pytest.raises(StoreError, match="is not a Scrubjay server: it answered with 404"):
            scrubjay.open(f"http://127.0.0.1:{other.server_port}", token="scrubjay_x").stats()
        other.shutdown()


def test_a_revoked_token_says_so(local: Scrubjay, remote: Scrubjay) -> None:
    local.tokens.revoke("ann")
    with pytest.raises(Invalid, match="unknown, revoked or expired"):
        remote.stats()


def test_old_memories_keep_their_times(remote: Scrubjay, clock: Clock) -> None:
    moment = clock.now - timedelta(days=400, microseconds=7)
    assert remote.add("Long ago", kind="fact", happened_at=moment).memory.happened_at == moment


@pytest.mark.parametrize("name", ["..", ".", ""])
def test_a_name_that_would_lead_to_another_request_is_refused(local: Scrubjay, remote: Scrubjay, name: str) -> None:
    remote.projects.create(name="Bird")
    asked: list[Callable[[], object]] = [
        lambda: remote.projects.remove_source("Bird", name),  # `..` asked for the whole project to be deleted
        lambda: remote.projects.delete(name),
        lambda: remote.sessions.end(name),
        lambda: remote.tokens.revoke(name),
    ]
    for ask in asked:
        with pytest.raises(Invalid):
            ask()
    assert [one.name for one in local.projects.list()] == ["Bird"]


def test_a_slash_in_a_name_leads_to_no_other_request_either(local: Scrubjay, remote: Scrubjay) -> None:
    remote.projects.create(name="Bird")
    remote.projects.set_source("Bird", "jira")
    with pytest.raises(NotFound):
        remote.projects.delete("Bird/sources/jira")  # asked for that source of Bird to be removed
    assert [source.system for source in local.projects.sources("Bird")] == ["jira"]
    remote.add_turns("desk/turns", [{"speaker": "Ann", "text": "Herons 100%25 eat fish"}])
    assert remote.sessions.get("desk/turns").name == "desk/turns"
    remote.projects.create(name="Ann/Bob ö%2F")
    assert remote.projects.delete("Ann/Bob ö%2F").name == "Ann/Bob ö%2F"


def test_a_record_that_is_called_like_a_request_is_found(remote: Scrubjay) -> None:
    for name in ("here", "sources"):
        remote.projects.create(name=name)
        project = remote.projects.get(name)
        assert project and project.name == name
    remote.skills.create(name="due", description="What is due", instructions="Look it up.")
    skill = remote.skills.get("due")
    assert skill and skill.name == "due"


def test_no_request_has_a_word_where_another_has_a_name() -> None:
    for one, other in permutations(VERBS, 2):
        own, its = one.path.split("/"), other.path.split("/")
        if one.method == other.method and len(own) == len(its):
            apart = [pair for pair in zip(own, its, strict=True) if pair[0] != pair[1]]
            names = [part for part in its if part.startswith("{") and part not in ("{id}", "{ids}")]
            assert not all(part in names and not word.startswith("{") for word, part in apart), (one.path, other.path)
