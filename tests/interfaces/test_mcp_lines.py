"""The same lines to our loop and to the SDK's server: both answer the same, whatever they are sent."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from mcp_types import version
from mcp_types.methods import CACHEABLE_METHODS

import scrubjay
from scrubjay.interfaces.mcp import protocol
from scrubjay.interfaces.mcp.opener import Opener
from tests.support.mcp_client import DOORS, Lines, lines, serving

CLIENT = {"name": "t", "version": "1"}
VERSION, CAPABILITIES, INFO = protocol.VERSION_KEY, protocol.CAPABILITIES_KEY, protocol.CLIENT_KEY
ENVELOPE = {VERSION: "2026-07-28", CAPABILITIES: {}, INFO: CLIENT}
REF = {"type": "ref/prompt", "name": "recall"}
ARGUMENT = {"name": "topic", "value": "a"}
HELLO = {"protocolVersion": "2025-11-25", "capabilities": {"roots": {"listChanged": True}}, "clientInfo": CLIENT}
INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}

Story = Callable[[Lines], None]
Request = dict[str, Any]


def request(id: Any, method: str, **params: Any) -> Request:
    return {"jsonrpc": "2.0", "id": id, "method": method, "params": params}


def modern(id: Any, method: str, **params: Any) -> Request:
    return request(id, method, _meta=ENVELOPE, **params)


def cancelled(id: Any) -> Request:
    return {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}}


@pytest.fixture(autouse=True)
def nothing_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCRUBJAY_SYNC_WATCH", "off")


@pytest.fixture
def compare(tmp_path: Path) -> Callable[[Story], list[Any]]:
    """Tell both servers the same story, each with a memory of its own; their answers, which must be the same."""

    def run(story: Story) -> list[Any]:
        heard = []
        for door in DOORS:
            with lines(tmp_path / f"{door}.db", door) as wire:
                story(wire)
                heard.append(wire.end())
        ours, theirs = heard
        assert ours == theirs
        return ours

    return run


# Everything that clients ask for, right and wrong, after the handshake or with an envelope.
ASKED: list[tuple[str, dict[str, Any]]] = [
    ("tools/list", {}),
    ("tools/list", {"cursor": "x"}),
    ("tools/list", {"cursor": 5}),
    ("tools/list", {"cursor": None}),
    ("tools/call", {"name": "memory_add", "arguments": {"text": "Ann likes tea", "subject": "Ann", "tags": "tea"}}),
    ("tools/call", {"name": "memory_add", "arguments": {"text": "x", "importance": 99}}),
    ("tools/call", {"name": "memory_search", "arguments": {"query": "tea", "limit": "3"}}),
    ("tools/call", {"name": "memory_get", "arguments": {"ids": "[1, 7]"}}),
    ("tools/call", {"name": "memory_get", "arguments": {"ids": 7}}),
    ("tools/call", {"name": "memory_get", "arguments": {"ids": {}}}),
    ("tools/call", {"name": "memory_context", "arguments": None}),
    ("tools/call", {"name": "memory_context", "arguments": {"unknown": 1}}),
    ("tools/call", {"name": "memory_add"}),
    ("tools/call", {"name": "memory_add", "arguments": []}),
    ("tools/call", {"name": "no_such_tool", "arguments": {}}),
    ("tools/call", {"name": 5}),
    ("tools/call", {"name": "memory_context", "requestState": "forged"}),
    ("tools/call", {}),
    ("resources/list", {}),
    ("resources/templates/list", {}),
    ("resources/read", {"uri": "scrubjay://memory/startup"}),
    ("resources/read", {"uri": "scrubjay://memory/1"}),
    ("resources/read", {"uri": "scrubjay://memory/99"}),
    ("resources/read", {"uri": "scrubjay://space/work/startup"}),
    ("resources/read", {"uri": "scrubjay://space/not%20a%20name/startup"}),
    ("resources/read", {"uri": "scrubjay://elsewhere"}),
    ("resources/read", {"uri": "file:///etc/passwd"}),
    ("resources/read", {}),
    ("prompts/list", {}),
    ("prompts/get", {"name": "remember"}),
    ("prompts/get", {"name": "recall", "arguments": {"topic": "tea"}}),
    ("prompts/get", {"name": "recall", "arguments": {"topic": 5}}),
    ("prompts/get", {"name": "recall", "arguments": {"topic": "tea", "more": "x"}}),
    ("prompts/get", {"name": "recall"}),
    ("prompts/get", {"name": "no such prompt"}),
    ("completion/complete", {"ref": REF, "argument": ARGUMENT}),
    ("completion/complete", {"ref": REF, "argument": {"name": "unknown", "value": ""}}),
    ("completion/complete", {"ref": {"type": "ref/other"}, "argument": ARGUMENT}),
    ("completion/complete", {"ref": REF, "argument": {"name": "topic"}}),
    ("completion/complete", {"ref": REF, "argument": ARGUMENT, "context": {"arguments": {"a": 1}}}),
    ("ping", {}),
    ("logging/setLevel", {"level": "debug"}),
    ("logging/setLevel", {"level": "loud"}),
    ("resources/subscribe", {"uri": "scrubjay://memory/1"}),
    ("resources/subscribe", {}),
    ("server/discover", {}),
    ("sampling/createMessage", {}),
    ("tasks/list", {}),
    ("no/such/method", {}),
]  # fmt: skip


@pytest.mark.parametrize("asked", version.HANDSHAKE_PROTOCOL_VERSIONS)
def test_every_request_after_a_handshake(asked: str, compare: Callable[[Story], list[Any]]) -> None:
    def story(wire: Lines) -> None:
        wire.ask(request(0, "initialize", **{**HELLO, "protocolVersion": asked}))
        wire.say(INITIALIZED)
        for id, (method, params) in enumerate(ASKED, start=1):
            wire.ask(request(id, method, **params))

    answers = compare(story)
    assert answers[0]["result"]["protocolVersion"] == asked
    assert len(answers) == len(ASKED) + 1


def test_every_request_with_an_envelope(compare: Callable[[Story], list[Any]]) -> None:
    def story(wire: Lines) -> None:
        wire.ask(modern("hello", "server/discover"))
        for id, (method, params) in enumerate(ASKED):
            wire.ask(modern(id, method, **params))

    assert len(compare(story)) == len(ASKED) + 1


# A call whose `_meta` asks for the answer's data, or only seems to.
CALLED: list[tuple[str, Any, dict[str, Any]]] = [
    ("memory_add", True, {"text": "Ann likes tea", "subject": "Ann", "importance": 99}),
    ("memory_search", True, {"query": "tea"}),
    ("memory_context", True, {}),
    ("memory_names", True, {"of": "spaces"}),
    ("memory_get", True, {"ids": [7]}),
    ("no_such_tool", True, {}),
    ("memory_context", False, {}),
    ("memory_context", None, {}),
    ("memory_context", 1, {}),
    ("memory_context", "true", {}),
    ("memory_context", [], {}),
]


def json_asked(call: Callable[..., Request], meta: dict[str, Any]) -> list[Request]:
    return [
        {**request, "params": {**request["params"], "_meta": {**meta, protocol.JSON_KEY: asks}}}
        for id, (tool, asks, arguments) in enumerate(CALLED, start=1)
        for request in [call(id, "tools/call", name=tool, arguments=arguments)]
    ]


@pytest.mark.parametrize("asked", version.HANDSHAKE_PROTOCOL_VERSIONS)
def test_data_that_are_asked_for_after_a_handshake(asked: str, compare: Callable[[Story], list[Any]]) -> None:
    def story(wire: Lines) -> None:
        wire.ask(request(0, "initialize", **{**HELLO, "protocolVersion": asked}))
        wire.say(INITIALIZED)
        for line in json_asked(request, {}):
            wire.ask(line)

    given = ["structuredContent" in answer["result"] for answer in compare(story)[1:]]
    assert given == [True] * 5 + [False] * 6


def test_data_that_are_asked_for_with_an_envelope(compare: Callable[[Story], list[Any]]) -> None:
    def story(wire: Lines) -> None:
        wire.ask(modern("hello", "server/discover"))
        for line in json_asked(modern, ENVELOPE):
            wire.ask(line)

    assert ["structuredContent" in answer["result"] for answer in compare(story)[1:]] == [True] * 5 + [False] * 6


def test_what_stands_in_for_parameters(compare: Callable[[Story], list[Any]]) -> None:
    def story(wire: Lines) -> None:
        wire.ask({"jsonrpc": "2.0", "id": "a", "method": "initialize"})
        wire.ask({"jsonrpc": "2.0", "id": "b", "method": "initialize", "params": None})
        for wrong in ({"capabilities": 5}, {"clientInfo": {"name": "t"}}, {"protocolVersion": 5}):
            wire.ask(request("c", "initialize", **{**HELLO, **wrong}))
        wire.ask(request("d", "initialize", **{**HELLO, "protocolVersion": "1999-01-01"}))
        wire.ask({"jsonrpc": "2.0", "id": "e", "method": "tools/list"})
        wire.ask({"jsonrpc": "2.0", "id": "f", "method": "tools/list", "params": None})
        wire.ask({"jsonrpc": "2.0", "id": "g", "method": "ping", "params": None, "more": [1, 2]})
        metas: list[Any] = [{"progressToken": 5}, {"progressToken": "5"}, {"other": {}}, 5, None]
        for meta in metas:
            wire.ask(request("h", "ping", _meta=meta))

    compare(story)


def test_what_the_server_does_not_read_is_not_checked(path: Path) -> None:
    """Here the SDK is stricter: capabilities of the client, tokens for progress, answers to questions of the server."""
    with lines(path) as wire:
        assert "result" in wire.ask(request(1, "initialize", **{**HELLO, "capabilities": {"roots": "all"}}))
        assert "result" in wire.ask(request(2, "tools/list", _meta={"progressToken": {}}))
        told = wire.ask(request(3, "tools/call", name="memory_context", arguments={}, inputResponses=5))
        assert not told["result"]["isError"]


def test_a_request_with_half_a_character_is_answered(path: Path) -> None:
    """The SDK leaves it out, and the client waits in vain."""
    half = {"name": "memory_add", "arguments": {"text": "Tea \ud83d"}}
    with lines(path) as wire:
        wire.ask(request(0, "initialize", **HELLO))
        added = wire.ask(json.dumps(request(1, "tools/call", **half)).encode())
        assert "Remembered 1" in added["result"]["content"][0]["text"]
        got = wire.ask(request(2, "tools/call", name="memory_get", arguments={"ids": [1]}))
        assert "Tea \N{REPLACEMENT CHARACTER}" in got["result"]["content"][0]["text"]


def test_a_request_with_a_very_long_number_or_nested_very_deeply_is_answered(path: Path) -> None:
    """The same holds for these."""
    with lines(path) as wire:
        wire.ask(request(0, "initialize", **HELLO))
        call = b'{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"memory_add","arguments":%s}}'
        long = wire.ask(call % (1, b'{"text":"Tea","importance":' + b"9" * 5_000 + b"}"))
        assert "importance must be a whole number" in long["result"]["content"][0]["text"]
        long = wire.ask(call % (2, b'{"text":"Tea \\ud83d","metadata":{"a":' + b"9" * 5_000 + b"}}"))
        assert "metadata must be plain JSON" in long["result"]["content"][0]["text"]
        deep = wire.ask(call % (3, b'{"text":"Tea","metadata":{"a":' + b"[" * 300 + b"]" * 300 + b"}}"))
        assert deep["error"]["code"] == -32602 and "nested too deeply" in deep["error"]["message"]


def test_before_the_handshake_only_ping_is_answered(compare: Callable[[Story], list[Any]]) -> None:
    def story(wire: Lines) -> None:
        wire.ask(request(1, "tools/list"))
        wire.ask(request(2, "ping"))
        wire.ask(request(3, "no/such/method"))
        wire.ask(request(4, "tools/call"))
        wire.ask(modern(5, "tools/list"))
        wire.say(INITIALIZED)
        wire.ask(request(6, "prompts/list"))
        wire.ask(request(7, "initialize", **HELLO))
        wire.ask(request(8, "initialize", **HELLO))

    assert ["error" in answer for answer in compare(story)] == [True, False, True, True, True, False, False, False]


def test_a_wrong_envelope_and_the_wrong_era(compare: Callable[[Story], list[Any]]) -> None:
    def story(wire: Lines) -> None:
        wire.say(INITIALIZED)
        wire.ask(request(0, "tools/list", _meta={VERSION: "2030-01-01"}))
        envelopes: list[Any] = [
            {}, 5, None, {VERSION: "2026-07-28"}, {CAPABILITIES: {}}, {**ENVELOPE, VERSION: "2025-11-25"},
            {**ENVELOPE, VERSION: 5}, {**ENVELOPE, CAPABILITIES: 5}, {**ENVELOPE, INFO: 5}, {**ENVELOPE, INFO: {}},
            {VERSION: "2026-07-28", CAPABILITIES: {}}, {**ENVELOPE, "progressToken": 1}, {**ENVELOPE, "more": 1},
        ]  # fmt: skip
        for id, envelope in enumerate(envelopes, start=1):
            wire.ask(request(id, "prompts/list", _meta=envelope))
        wire.ask({"jsonrpc": "2.0", "id": "x", "method": "tools/list"})
        wire.ask(request("y", "initialize", **HELLO))
        wire.ask(request("z", "initialize"))

    compare(story)


def test_a_subscription_is_acknowledged_and_ends_when_cancelled(compare: Callable[[Story], list[Any]]) -> None:
    def story(wire: Lines) -> None:
        wanted = {
            "toolsListChanged": True,
            "promptsListChanged": False,
            "resourceSubscriptions": ["scrubjay://memory/1"],
        }
        wire.ask(modern(1, "subscriptions/listen", notifications=wanted))
        wire.ask(modern(2, "subscriptions/listen", notifications={"resourceSubscriptions": []}))
        wire.ask(modern(3, "subscriptions/listen", notifications={"toolsListChanged": "loud"}))
        wire.ask(modern(4, "subscriptions/listen"))
        wire.say(cancelled(1))
        wire.say(cancelled("2"))
        wire.ask(modern(5, "prompts/list"))

    assert [answer.get("id") for answer in compare(story)] == [None, None, 3, 4, 5]


LEFT_OUT: list[bytes] = [  # empty lines, answers and notifications
    b"",
    b'{"jsonrpc":"2.0","id":7,"result":{}}',
    b'{"jsonrpc":"2.0","id":7,"error":{"code":1,"message":"x"}}',
    b'{"jsonrpc":"2.0","id":null,"method":"ping"}',
    b'{"jsonrpc":"2.0","method":5}',
    b'{"method":"ping"}',
    json.dumps(cancelled(99)).encode(),
    json.dumps(cancelled([])).encode(),
    b'{"jsonrpc":"2.0","method":"notifications/cancelled"}',
    b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":' + b"9" * 5_000 + b"}}",
    b'{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}',
    b'{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}',
    b'{"jsonrpc":"2.0","method":"no/such/notification","params":{"x":1}}',
]
NO_JSON: list[bytes] = [
    b"this is no JSON",
    b'{"jsonrpc":"2.0","id":7,"method":"ping"',
    b'{"jsonrpc":"2.0","id":7,"method":"ping","params":{"deep":' + b"[" * 100_000,
    b"\x00\x01\xff\xfe" * 1_000,
    b"x" * 5_000_000,
    b'\xef\xbb\xbf{"jsonrpc":"2.0","id":7,"method":"ping"}',
]
NO_REQUEST: list[tuple[bytes, int | None]] = [  # and the id that the answer has
    (b"{}", None),
    (b"[]", None),
    (b"5", None),
    (b'"ping"', None),
    (b'{"jsonrpc":"1.0","id":7,"method":"ping"}', 7),
    (b'{"id":7,"method":"ping"}', 7),
    (b'{"jsonrpc":"2.0","id":7}', 7),
    (b'{"jsonrpc":"2.0","id":7,"method":5}', 7),
    (b'{"jsonrpc":"2.0","id":7,"method":"ping","params":[]}', 7),
    (b'{"jsonrpc":"2.0","id":7,"method":"ping","params":"x"}', 7),
    (b'{"jsonrpc":"2.0","id":7.5,"method":"ping"}', None),
    (b'{"jsonrpc":"2.0","id":true,"method":"ping"}', None),
    (b'{"jsonrpc":"2.0","id":[7],"method":"ping"}', None),
    (b'{"jsonrpc":"2.0","id":' + b"9" * 5_000 + b',"method":"ping"}', None),
    (b'{"jsonrpc":"2.0","id":1e999,"method":"ping"}', None),
    (
        b'[{"jsonrpc":"2.0","id":7,"method":"ping"},{"jsonrpc":"2.0","id":8,"method":"ping"}]',
        None,
    ),
]


def test_what_asks_for_nothing_is_left_out_and_the_next_request_answered(compare: Callable[[Story], list[Any]]) -> None:
    def story(wire: Lines) -> None:
        wire.ask(request(0, "initialize", **HELLO))
        for id, line in enumerate(LEFT_OUT, start=1000):
            wire.say(line)
            wire.ask(request(id, "ping"))

    assert [answer["id"] for answer in compare(story)] == [0, *range(1000, 1000 + len(LEFT_OUT))]


def test_a_line_for_whose_answer_a_client_may_wait_is_answered(path: Path) -> None:
    """The SDK leaves these out, too; over HTTP it answers them."""
    with lines(path) as wire:
        wire.ask(request(0, "initialize", **HELLO))
        for line, id, code in [*((line, None, -32700) for line in NO_JSON), *((*one, -32600) for one in NO_REQUEST)]:
            answer = wire.ask(line)
            assert (answer["id"], answer["error"]["code"]) == (id, code), line[:80]
        assert wire.ask(request(1, "ping"))["result"] == {}


def test_odd_lines_that_are_requests_all_the_same(compare: Callable[[Story], list[Any]]) -> None:
    def story(wire: Lines) -> None:
        wire.ask(request(0, "initialize", **HELLO))
        wire.ask(b'{"jsonrpc":"2.0","id":1,"method":"ping","more":"\xff\xfe"}')  # bytes that are no UTF-8
        wire.ask(b' \t{"jsonrpc":"2.0","id":2,"method":"ping"} \r')
        wire.ask(b'{"jsonrpc":"2.0","id":3,"id":4,"method":"ping"}')
        wire.ask(request(-5, "ping"))
        wire.ask(request(2**60, "ping"))
        wire.ask(request("", "ping"))
        wire.ask(request("ü\u0000 \U0001f426", "ping"))
        wire.ask(b'{"jsonrpc":"2.0","id":"\\ud83d\\udc26","method":"ping"}')
        wire.ask(request(6, "ping"))
        wire.ask(request(6, "ping"))  # an id again
        wire.ask(request(7, "tools/call", name="memory_add", arguments={"text": "x" * 5_000_000}))
        wire.ask(
            request(
                8, "tools/call", name="memory_add", arguments={"text": "A \u2028 line\nbreak \u0007 and \U0001f426"}
            )
        )
        wire.ask(request(9, "tools/call", name="memory_get", arguments={"ids": [1]}))

    compare(story)


# Requests that are answered at once, with parameters that make sense or not.
METHODS = st.sampled_from(
    ["ping", "tools/list", "tools/call", "prompts/list", "prompts/get", "resources/list", "resources/subscribe",
     "logging/setLevel", "server/discover", "initialize", "other"]
)  # fmt: skip
NAMES = st.sampled_from(["name", "arguments", "cursor", "uri", "level", "requestState", "_meta", VERSION])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.just(1.5) | st.sampled_from(["x", "debug", "2026-07-28"]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=6,
)


PARAMS = st.none() | st.dictionaries(NAMES, VALUES, max_size=3)


@given(shakes_hands=st.booleans(), asked=st.lists(st.tuples(METHODS, PARAMS), min_size=20, max_size=40))
@settings(max_examples=10, phases=[Phase.generate])  # the difference is plain from the answers
def test_whatever_the_parameters_are(
    shakes_hands: bool, asked: list[tuple[str, Any]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    heard = []
    for door in DOORS:
        with lines(tmp_path_factory.mktemp("memory") / "m.db", door) as wire:
            wire.ask(request("first", "initialize", **HELLO) if shakes_hands else modern("first", "server/discover"))
            for id, (method, params) in enumerate(asked):
                wire.say({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
                wire.ask_until_answered(modern(f"after {id}", "no/such/method"))
            heard.append(sorted(wire.end(), key=str))
    assert heard[0] == heard[1]


def test_our_words_for_the_protocol_are_those_of_the_sdk() -> None:
    assert protocol.HANDSHAKE_VERSIONS == version.HANDSHAKE_PROTOCOL_VERSIONS
    assert protocol.MODERN_VERSIONS == version.MODERN_PROTOCOL_VERSIONS
    assert protocol.CACHEABLE == CACHEABLE_METHODS


@pytest.mark.parametrize("door", DOORS)
def test_a_cancelled_call_is_finished_and_not_answered_and_delays_no_other(door: Any, path: Path) -> None:
    gate, asked = Event(), Event()

    def slowly() -> scrubjay.Scrubjay:
        asked.set()
        assert gate.wait(30)
        return scrubjay.open(path, embedder="hashing", trust="agent")

    opener = Opener(slowly)
    with serving(door, opener, ("core",)) as (target, source):
        wire = Lines(target, source)
        wire.ask(request(0, "initialize", **HELLO))
        wire.say(request(1, "tools/call", name="memory_add", arguments={"text": "Kept all the same"}))
        assert asked.wait(30)
        wire.say(request("2", "tools/call", name="memory_context", arguments={}))
        assert wire.ask(request(3, "ping"))["id"] == 3
        wire.say(cancelled("1"))
        assert wire.ask(request(4, "tools/list"))["id"] == 4
        gate.set()
        wire.ask_until_answered(request(5, "tools/call", name="memory_context", arguments={}))
        wire.ask_until_answered(request(6, "tools/call", name="memory_context", arguments={}))
        wire.wait_for("2")  # the SDK's server drops what it has not answered when the input ends
        assert {answer["id"] for answer in wire.end()} == {0, 3, 4, "2", 5, 6}
    with scrubjay.open(path) as jay:
        assert [memory.text for memory in jay.list()] == ["Kept all the same"]
    opener.close()


def test_what_was_asked_before_the_end_of_the_input_is_answered(path: Path) -> None:
    with lines(path) as wire:
        wire.say(request(0, "initialize", **HELLO))
        for id in range(1, 20):
            wire.say(request(id, "tools/call", name="memory_add", arguments={"text": f"Number {id}"}))
        assert {answer["id"] for answer in wire.end()} == set(range(20))


def test_a_memory_that_cannot_be_opened_is_one_sentence_in_every_answer(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("no memory at all, but a text that somebody wrote " * 50)
    with lines(tmp_path / "notes.txt") as wire:
        wire.ask(request(0, "initialize", **HELLO))
        for method, params in (
            ("tools/call", {"name": "memory_context"}),
            ("resources/read", {"uri": "scrubjay://memory/1"}),
            ("prompts/get", {"name": "recall", "arguments": {"topic": "x"}}),
            ("completion/complete", {"ref": REF, "argument": {"name": "topic", "value": ""}}),
        ):
            answer = wire.ask(request(1, method, **params))
            said = answer["error"]["message"] if "error" in answer else answer["result"]["content"][0]["text"]
            assert "notes.txt" in said and "Traceback" not in said and "\n" not in said
