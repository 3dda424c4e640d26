"""Transcripts of agent clients: exactly what a person would call the conversation, whatever else is in the file."""

from __future__ import annotations

import io
import json
import tracemalloc
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from scrubjay import Invalid
from scrubjay.sources import transcripts
from scrubjay.sources.transcripts import (
    CLIENTS,
    ConversationState,
    ParsedTurns,
    Parser,
    captured,
    guess,
    locations,
    open_parser,
    read,
    unpacked,
)
from scrubjay.text.fence import fenced

DATA = Path(__file__).parents[1] / "data" / "transcripts"
FENCE = fenced(["[7] fact: Ann grows beans"])
MEGABYTE = 2**20

CONVERSATIONS = {
    "claude-code": [
        ("user", "When do I sow tomatoes?"),
        ("assistant", "Let me look at your notes."),
        ("assistant", "Sow them after the last frost."),
        ("user", "/plant beans by the wall"),
        ("user", "Ça gèle encore? 🌱"),
        ("assistant", "Not before Friday.\n<system-reminder> is a tag that I may mention."),
        ("user", "Thanks.\n\nAnd the peas?"),
        ("user", "Peas can wait, by the way."),
        ("user", "Always use metric units"),
        ("assistant", "Noted."),
    ],
    "codex": [
        ("user", "What do tomatoes want?\n<environment_context>my own words</environment_context>"),
        ("assistant", "They want sun and six hours of it."),
        ("user", "Und wann gießen? 🚿"),
        ("assistant", "In the morning."),
    ],
    "gemini": [
        ("user", "When do I prune the vine?"),
        ("assistant", "In winter, while it sleeps."),
        ("user", "Look at @notes.txt"),
        ("user", "/prune the old branches"),
        ("user", "Und die Reben im Norden? 🍇"),
        ("assistant", "Later than those in the south."),
    ],
    "cursor": [
        ("user", "How deep do I plant garlic?"),
        ("assistant", "Let me see."),
        ("assistant", "Five centimetres. 🧄"),
        ("user", "And onions?"),
        ("assistant", "Shallower."),
    ],
    "openclaw": [
        ("assistant", "Hello Ann."),
        ("user", "Is the well full?"),
        ("assistant", "Let me check."),
        ("assistant", "It is four fifths full. 💧"),
        ("assistant", "I also told Ben."),
        ("user", "And the tank?"),
        ("assistant", "Empty."),
    ],
}
STREAMS = {
    "claude-code.stream.jsonl": [
        ("user", "When do I sow tomatoes?"),
        ("assistant", "Let me look."),
        ("assistant", "Sow them after the last frost."),
    ],
    "codex.stream.jsonl": [("assistant", "I looked."), ("assistant", "They want sun.")],
    "gemini.stream.jsonl": [
        ("user", "When do I prune the vine?"),
        ("assistant", "Let me look."),
        ("assistant", "In winter, while it sleeps."),
    ],
    "cursor.stream.jsonl": [
        ("user", "How deep do I plant garlic?"),
        ("assistant", "Let me look."),
        ("assistant", "Five centimetres deep."),
    ],
    "cursor.partial.jsonl": [
        ("user", "How deep do I plant garlic?"),
        ("assistant", "Let me look."),
        ("assistant", "Five centimetres deep."),
    ],
}
FILES = [*(f"{client}.jsonl" for client in CLIENTS), *STREAMS]

WRITTEN = [
    line for name in FILES for line in (DATA / name).read_text(encoding="utf-8").splitlines() if line.startswith("{")
]

clients = pytest.mark.parametrize("client", CLIENTS)
scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(), max_size=20)
values = scalars | st.lists(scalars, max_size=3) | st.dictionaries(st.sampled_from(["type", "text", "x"]), scalars)


@st.composite
def spoiled(draw: st.DrawFn) -> dict[str, Any]:
    """A record as a client writes it, with something else somewhere inside."""
    record: dict[str, Any] = json.loads(draw(st.sampled_from(WRITTEN)))
    place: Any = record
    while True:
        key = draw(st.sampled_from(sorted(place) if isinstance(place, dict) else range(len(place))))
        inner = place[key]
        if not inner or not isinstance(inner, dict | list) or draw(st.booleans()):
            place[key] = draw(values)
            return record
        place = inner


records = spoiled() | st.dictionaries(st.text(max_size=5), values, max_size=4)


def said(told: ParsedTurns) -> list[tuple[str, str]]:
    return [(turn.speaker, turn.text) for turn in told.turns if turn.kind == "turn"]


def client_of(name: str) -> str:
    return name.split(".")[0]


def transcript(client: str) -> bytes:
    return (DATA / f"{client}.jsonl").read_bytes()


def lines(*records: Any) -> bytes:
    return "".join(f"{json.dumps(record)}\n" for record in records).encode()


def typed(client: str, text: str, id: str = "1") -> dict[str, Any]:
    """A user's message as that client writes it."""
    content = [{"type": "text", "text": text}]
    written: dict[str, dict[str, Any]] = {
        "claude-code": {"type": "user", "uuid": id, "message": {"role": "user", "content": content}},
        "codex": {
            "type": "response_item",
            "payload": {"type": "message", "id": id, "role": "user", "content": content},
        },
        "gemini": {"id": id, "type": "user", "content": content},
        "cursor": {"role": "user", "message": {"content": content}},
        "openclaw": {"type": "message", "id": id, "message": {"role": "user", "content": content}},
    }
    return written[client]


def heard(client: str, text: str) -> list[tuple[str, str]]:
    return said(read(lines(typed(client, text)), open_parser(client)))


@clients
def test_the_conversation_is_told_and_nothing_else(client: str) -> None:
    data = transcript(client)
    told = read(data, open_parser(client))
    assert said(told) == CONVERSATIONS[client]
    assert (told.consumed, told.bad) == (len(data), 1)


@pytest.mark.parametrize("name", STREAMS)
def test_a_run_without_a_screen_tells_the_same_and_never_twice(name: str) -> None:
    told = captured((DATA / name).read_bytes(), client_of(name))
    assert said(told) == STREAMS[name]
    assert told.bad == 0


def test_a_turn_knows_when_and_where_it_was_said() -> None:
    first, *_, last = read(transcript("claude-code"), open_parser("claude-code")).turns
    assert first.at == datetime(2026, 5, 1, 10, 0, 2, tzinfo=UTC)
    assert (first.session, first.cwd) == ("1b2c7a90-0000-4000-8000-000000000001", "/home/ann/garden")
    assert last.cwd == "/home/ann/garden/shed"


@pytest.mark.parametrize(
    ("client", "session", "cwd"),
    [
        ("codex", "019a0000-0000-7000-8000-000000000002", "/home/ann/garden/beds"),
        ("gemini", "46d1c99e-0000-4000-8000-000000000003", "/home/ann/garden"),
        ("openclaw", "9e97e983-0000-4000-8000-000000000005", "/home/ann/.openclaw/workspace"),
        ("cursor", None, None),
    ],
)
def test_session_and_folder_are_those_of_the_file(client: str, session: str | None, cwd: str | None) -> None:
    turns = read(transcript(client), open_parser(client)).turns
    assert {(turn.session, turn.cwd) for turn in turns} == {(session, cwd)}
    assert all(turn.at is None if client == "cursor" else turn.at and turn.at.tzinfo is UTC for turn in turns)


def test_what_an_agent_asks_an_agent_is_not_told() -> None:
    assert read((DATA / "codex-subagent.jsonl").read_bytes(), open_parser("codex")).turns == ()
    header = {"sessionId": "s", "projectHash": "p", "kind": "subagent"}
    assert read(lines(header, typed("gemini", "Count the pots")), open_parser("gemini")).turns == ()


def test_the_codex_of_2025_wrote_its_messages_bare() -> None:
    told = read((DATA / "codex-2025.jsonl").read_bytes(), open_parser("codex"))
    assert said(told) == [("user", "Is basil hardy?"), ("assistant", "No, it dies at the first frost.")]
    assert told.turns[0].session == "019a0000-0000-7000-8000-000000000002"


def test_an_old_gemini_session_is_one_object_and_is_read_from_its_start_again() -> None:
    data, parser = (DATA / "gemini.json").read_bytes(), open_parser("gemini")
    assert read(data[:200], parser) == ParsedTurns((), 0, 1)
    told = read(data, parser)
    assert said(told) == [("user", "Is rosemary hardy?"), ("assistant", "Mostly.")]
    assert (told.consumed, told.bad) == (0, 0)
    grown = json.loads(data)
    grown["messages"].append({"id": "c", "type": "user", "content": "And thyme?"})
    assert said(read(json.dumps(grown, indent=2).encode(), parser)) == [("user", "And thyme?")]


@clients
@pytest.mark.parametrize("text", ["{}", "{}\n\nAnd the peas?", "Before. {}", "{}{}", "{}\n{} After."])
def test_what_scrubjay_recalled_is_never_heard_again(client: str, text: str) -> None:
    filled = text.replace("{}", FENCE)
    expected = text.replace("{}", "").strip()
    assert heard(client, filled) == ([("user", expected)] if expected else [])


@clients
def test_a_recall_with_escaped_brackets_is_a_recall(client: str) -> None:
    escaped = FENCE.replace("<", "&lt;").replace(">", "&gt;")
    assert heard(client, f"And the peas?\n{escaped}") == [("user", "And the peas?")]


@clients
def test_a_recall_that_was_cut_off_takes_the_rest_with_it(client: str) -> None:
    assert heard(client, "And the peas?\n" + FENCE[:60]) == [("user", "And the peas?")]


def test_an_assistant_that_repeats_a_recall_is_told_without_it() -> None:
    record = {"type": "assistant", "message": {"content": f"You said:\n{FENCE}\nSo beans."}}
    assert said(read(lines(record), open_parser("claude-code"))) == [("assistant", "You said:\n\nSo beans.")]


@pytest.mark.parametrize("client", [client for client in CLIENTS if client != "cursor"])  # whose records have no ids
def test_a_record_written_twice_is_told_once(client: str) -> None:
    one, other = typed(client, "Hello", "1"), typed(client, "Hello", "2")
    assert said(read(lines(one, one, other), open_parser(client))) == [("user", "Hello"), ("user", "Hello")]


def test_what_is_remembered_of_a_long_transcript_is_bounded() -> None:
    parser = open_parser("claude-code")
    many = lines(*(typed("claude-code", f"Pot {number}", str(number)) for number in range(5000)))
    assert len(read(many, parser).turns) == 5000
    assert len(json.dumps(parser.state.to_json())) < 50_000
    assert read(lines(typed("claude-code", "Pot 4999", "4999")), parser).turns == ()


@clients
def test_a_half_written_last_line_waits_for_its_end(client: str) -> None:
    data, parser = transcript(client), open_parser(client)
    half = data[: data.rindex(b"\n", 0, -1) + 5]
    first = read(half, parser)
    assert first.consumed == len(half) - 4
    assert read(data[first.consumed :], parser).consumed == len(data) - first.consumed


@clients
def test_a_last_line_that_lacks_only_its_end_is_told(client: str) -> None:
    data = lines(typed(client, "Hello")).rstrip()
    parser = open_parser(client)
    assert read(data, parser) == ParsedTurns(read(data, open_parser(client)).turns, len(data), 0)
    assert read(b"\n", parser) == ParsedTurns((), 1, 0)


def test_records_that_a_crash_ran_together_are_all_told() -> None:
    data = (
        lines(typed("cursor", "One")).rstrip()
        + lines(typed("cursor", "Two"))
        + b"\0\0\0"
        + lines(typed("cursor", "Three"))
    )
    told = read(data, open_parser("cursor"))
    assert said(told) == [("user", "One"), ("user", "Two"), ("user", "Three")]
    assert told.bad == 0


@pytest.mark.parametrize(
    "line",
    [
        b"[1]",
        b"7",
        b'"text"',
        b"null",
        b"{",
        b'{"a": }',
        b"\xff\xfe\x00",
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b'{"a": ' + b"9" * 10_000 + b"}",
    ],
    ids=lambda line: repr(line[:12]),
)
def test_a_line_that_is_no_record_is_counted_and_passed_over(line: bytes) -> None:
    hello = lines(typed("cursor", "Hello"))
    told = read(hello + line + b"\n\n  \r\n" + hello, open_parser("cursor"))
    assert said(told) == [("user", "Hello")] * 2
    assert told.bad == 1


def spoiled_everywhere(value: Any) -> Iterator[Any]:
    """The value with each part of it, however deep, in turn replaced by what no client writes there."""
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for place, part in parts:
        for other in (5, None, True, [], {}, [[]], {"a": []}, *spoiled_everywhere(part)):
            copy = value.copy()
            copy[place] = other
            yield copy


@pytest.mark.parametrize("client", CLIENTS)
def test_no_value_of_any_field_stops_the_reading(client: str) -> None:
    """One such line would keep the whole transcript from being read, now and later."""
    files = [file for name in FILES if client_of(name) == client and (file := DATA / name).exists()]
    records = [json.loads(line) for file in files for line in file.read_bytes().splitlines() if line[:1] == b"{"]
    call = {"id": "1", "name": "Edit", "args": {"file_path": "a"}, "input": {"file_path": "a"}, "type": "tool_use"}
    records += [
        {"type": "gemini", "id": "1", "toolCalls": [call]},
        {"type": "assistant", "message": {"content": [call]}},
    ]
    for record in records:
        for spoiled in spoiled_everywhere(record):
            parser = open_parser(client)
            assert all(isinstance(turn.text, str) for turn in (*parser.read(spoiled), *parser.end()))


@clients
def test_text_can_be_stored_whatever_a_client_wrote(client: str) -> None:
    assert heard(client, "a\0b \ud800c \ud83d\ude00 d\udfff") == [("user", "a\ufffdb \ufffdc 😀 d\ufffd")]
    raw = lines(typed(client, "caf?")).replace(b"caf?", b"caf\xe9")
    assert said(read(raw, open_parser(client))) == [("user", "caf\ufffd")]


def test_a_character_cut_in_two_by_a_stream_is_whole_again() -> None:
    pieces = [
        {"type": "message", "role": "assistant", "content": half, "delta": True} for half in ("\ud83c", "\udf31!")
    ]
    assert said(captured(lines({"type": "init", "session_id": "s"}, *pieces), "gemini")) == [("assistant", "🌱!")]


@clients
def test_a_huge_line_is_not_heavy(client: str) -> None:
    picture = json.dumps(
        {"type": "user", "message": {"content": [{"type": "tool_result", "content": "A" * 20 * MEGABYTE}]}}
    )
    data = lines(typed(client, "Hello")) + picture.encode() + b"\n" + lines(typed(client, "Bye", "2"))
    tracemalloc.start()
    told = read(data, open_parser(client))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert said(told) == [("user", "Hello"), ("user", "Bye")]
    assert peak < 4 * len(data)


@clients
def test_a_text_of_nothing_but_openings_comes_to_an_end(client: str) -> None:
    openings = (
        "<system-reminder> <user_query> <hook_context <environment_context> <memories> System: [ X (untrusted):\n"
        * 20_000
    )
    assert len(heard(client, openings)) == 1


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("What does <system-reminder> do?", "What does <system-reminder> do?"),
        ("Use <b>bold</b>", "Use <b>bold</b>"),
        ("Why is there <command-name>/x</command-name>?", "Why is there <command-name>/x</command-name>?"),
        ("He wrote [Request interrupted by user] there", "He wrote [Request interrupted by user] there"),
        ("<command-name>/model</command-name><command-args></command-args>", None),
        ("<task-notification>done</task-notification>", None),
        ("  \n ", None),
    ],
)
def test_claude_code_keeps_a_persons_own_words(text: str, kept: str | None) -> None:
    assert heard("claude-code", text) == ([("user", kept)] if kept else [])


def test_a_prompt_that_waited_in_a_queue_is_told_once() -> None:
    queued = {"type": "queued_command", "prompt": [{"type": "text", "text": "Beans too."}], "source_uuid": "q"}
    attached = {"type": "attachment", "uuid": "a", "attachment": queued}
    data = lines(attached, typed("claude-code", "Beans too.", "q"))
    assert said(read(data, open_parser("claude-code"))) == [("user", "Beans too.")]


def test_all_that_was_asked_at_once_in_cursor_is_told() -> None:
    asked = "<user_query>\nGarlic?\n</user_query><x>y</x><user_query>Onions <user_query>?</user_query>"
    assert heard("cursor", asked) == [("user", "Garlic?\n\nOnions <user_query>?")]


def test_messages_that_follow_each_other_in_a_stream_stay_apart() -> None:
    def piece(text: str) -> dict[str, Any]:
        return {"type": "assistant", "session_id": "s", "message": {"content": text}}

    assert said(captured(lines(piece("One."), piece("Two.")), "cursor")) == [
        ("assistant", "One."),
        ("assistant", "Two."),
    ]
    whole = [{"type": "message", "role": role, "content": role} for role in ("system", "assistant", "assistant")]
    assert said(captured(lines(*whole), "gemini")) == [("assistant", "assistant")] * 2


@pytest.mark.parametrize(
    ("written", "at"),
    [
        ("2026-05-01T12:00:00+02:00", datetime(2026, 5, 1, 10, tzinfo=UTC)),
        ("2026-05-01T10:00:00", datetime(2026, 5, 1, 10, tzinfo=UTC)),
        (1777629600, datetime(2026, 5, 1, 10, tzinfo=UTC)),
        (1777629600000.0, datetime(2026, 5, 1, 10, tzinfo=UTC)),
        ("yesterday", None),
        ("0001-01-01T00:00:00+14:00", None),
        (10**400, None),
        (float("nan"), None),
        (True, None),
        ([], None),
    ],
    ids=lambda value: str(value)[:25],
)
def test_a_time_is_read_as_clients_write_it(written: Any, at: datetime | None) -> None:
    (turn,) = open_parser("claude-code").read({**typed("claude-code", "Hello"), "timestamp": written})
    assert turn.at == at


def test_an_answer_printed_as_one_object_is_told() -> None:
    claude = {"type": "result", "is_error": False, "num_turns": 1, "result": "Sun.", "session_id": "s"}
    assert said(captured(json.dumps(claude).encode(), "claude-code")) == [("assistant", "Sun.")]
    assert said(captured(json.dumps([{"type": "system", "session_id": "s"}, claude]).encode(), "claude-code")) == [
        ("assistant", "Sun.")
    ]
    gemini = json.dumps({"session_id": "s", "response": "Sun.", "stats": {}}, indent=2)
    assert said(captured(gemini.encode(), "gemini")) == [("assistant", "Sun.")]
    openclaw = {"runId": "r", "status": "ok", "result": {"payloads": [{"text": "Sun.", "mediaUrl": None}], "meta": {}}}
    assert said(captured(json.dumps(openclaw).encode(), "openclaw")) == [("assistant", "Sun.")]


@pytest.mark.parametrize(
    "result",
    [
        {"type": "result", "is_error": True, "num_turns": 1, "result": "API Error", "session_id": "s"},
        {"type": "result", "is_error": False, "num_turns": 0, "result": "Total cost: 0", "session_id": "s"},
    ],
)
def test_what_claude_code_prints_without_a_model_is_no_answer(result: dict[str, Any]) -> None:
    assert captured(lines(result), "claude-code").turns == ()


@clients
def test_plain_output_is_one_answer(client: str) -> None:
    told = captured(b"\x1b[1mTomatoes\x1b[0m want sun.\nSix hours of it.\n", client)
    assert said(told) == [("assistant", "Tomatoes want sun.\nSix hours of it.")]
    assert said(captured(b'{"answer": 42}\n', client)) == [("assistant", '{"answer": 42}')]
    assert captured(b"", client).turns == ()


def test_warnings_between_the_records_of_a_stream_are_passed_over() -> None:
    told = captured(b"Warning: slow\n" + (DATA / "codex.stream.jsonl").read_bytes(), "codex")
    assert said(told) == STREAMS["codex.stream.jsonl"]
    assert told.bad == 1


def test_a_stream_that_ends_in_the_middle_tells_what_was_heard() -> None:
    data = (DATA / "cursor.partial.jsonl").read_bytes().splitlines(keepends=True)
    assert said(captured(b"".join(data[:4]), "cursor"))[-1] == ("assistant", "Let me look.")


@pytest.mark.parametrize("name", FILES)
def test_a_file_read_in_two_goes_tells_the_same(name: str) -> None:
    data, client = (DATA / name).read_bytes(), client_of(name)
    whole = read(data, open_parser(client))
    for place in range(0, len(data), 1 + len(data) // 300):
        assert in_two_goes(data, place, client) == whole.turns


@given(st.lists(records | values, max_size=6), st.data(), st.sampled_from(CLIENTS))
def test_any_records_read_in_two_goes_tell_the_same(given: list[Any], draw: st.DataObject, client: str) -> None:
    data = b"".join(lines(one) if draw.draw(st.booleans()) else json.dumps(one).encode() for one in given)
    place = draw.draw(st.integers(0, len(data)))
    assert in_two_goes(data, place, client) == read(data, open_parser(client)).turns


@given(st.binary(max_size=200) | st.text('{}[]",:a1 \n').map(str.encode), st.data(), st.sampled_from(CLIENTS))
def test_any_bytes_are_a_file(data: bytes, draw: st.DataObject, client: str) -> None:
    told = read(data, open_parser(client))
    assert 0 <= told.consumed <= len(data)
    assert in_two_goes(data, draw.draw(st.integers(0, len(data))), client) == told.turns
    with suppress(Invalid):
        captured(data, client)
    guess(Path("notes.txt"), data)


@given(st.lists(records, max_size=5), st.sampled_from(CLIENTS))
def test_any_object_is_a_record(given: list[dict[str, Any]], client: str) -> None:
    parser = open_parser(client)
    turns = [turn for record in given for turn in parser.read(record)]
    for turn in [*turns, *parser.end()]:
        assert turn.speaker in ("user", "assistant")
        assert turn.text == turn.text.strip() != ""
        assert "\0" not in turn.text
        f"{turn.text}{turn.session}{turn.cwd}".encode()
    said_by_now = replace(parser.state, pieces=[], pieces_at=None, notes={})  # notes are handed on with the turns
    assert ConversationState.from_json(json.loads(json.dumps(parser.state.to_json()))) == said_by_now


def in_two_goes(data: bytes, place: int, client: str) -> tuple[Any, ...]:
    """Read up to a place and, as another process would, the rest."""
    parser = open_parser(client)
    first = read(data[:place], parser)
    later: Parser = open_parser(client, ConversationState.from_json(json.loads(json.dumps(parser.state.to_json()))))
    return first.turns + read(data[first.consumed :], later).turns


def test_a_talk_of_another_version_is_taken_as_far_as_it_is_known() -> None:
    assert ConversationState.from_json({"session": "s", "of_tomorrow": 7}) == ConversationState(session="s")


@pytest.mark.parametrize("name", [*FILES[:5], "codex-subagent.jsonl"])
def test_who_wrote_a_transcript_is_seen_in_its_lines(name: str) -> None:
    assert guess(Path("a.jsonl"), (DATA / name).read_bytes()[:4096]) == client_of(name).removesuffix("-subagent")


def test_who_wrote_it_is_seen_even_where_the_first_record_is_longer_than_what_is_looked_at() -> None:
    meta = {"timestamp": "2026-05-01", "type": "session_meta", "payload": {"id": "x", "base_instructions": "A" * 9000}}
    assert guess(Path("a.jsonl"), lines(meta)[:4096]) == "codex"
    assert guess(Path("a.json"), (DATA / "gemini.json").read_bytes()[:200]) == "gemini"


@pytest.mark.parametrize(
    ("path", "client"),
    [
        (".claude/projects/-home-ann-garden/1b2c.jsonl", "claude-code"),
        (".codex/sessions/2026/05/01/rollout-2026-05-01T11-00-00-019a.jsonl.zst", "codex"),
        (".gemini/tmp/garden/chats/session-2026-05-01T12-00-46d1.jsonl", "gemini"),
        (".cursor/projects/home-ann-garden/agent-transcripts/c7d0/c7d0.jsonl", "cursor"),
        (".openclaw/agents/main/sessions/9e97-topic-3.jsonl.reset.2026-05-01", "openclaw"),
        ("notes/garden.jsonl", None),
    ],
)
def test_where_the_lines_say_nothing_the_path_does(path: str, client: str | None) -> None:
    assert guess(Path("/home/ann") / path, b"\x28\xb5\x2f\xfd") == client


def test_the_usual_places_are_below_the_home() -> None:
    found = {(place.client, place.root.as_posix()) for place in locations(Path("/home/ann"), {})}
    assert found >= {
        ("claude-code", "/home/ann/.claude/projects"),
        ("codex", "/home/ann/.codex"),
        ("gemini", "/home/ann/.gemini/tmp"),
        ("cursor", "/home/ann/.cursor/projects"),
        ("openclaw", "/home/ann/.openclaw"),
        ("openclaw", "/home/ann/.gimli"),
    }


@pytest.mark.parametrize(
    ("variable", "client", "root"),
    [
        ("CLAUDE_CONFIG_DIR", "claude-code", "/srv/x/projects"),
        ("CODEX_HOME", "codex", "/srv/x"),
        ("GEMINI_CLI_HOME", "gemini", "/srv/x/.gemini/tmp"),
        ("OPENCLAW_STATE_DIR", "openclaw", "/srv/x"),
        ("GIMLI_STATE_DIR", "openclaw", "/srv/x"),
        ("OPENCLAW_HOME", "openclaw", "/srv/x/.openclaw"),
    ],
)
def test_a_clients_own_setting_moves_its_place(variable: str, client: str, root: str) -> None:
    found = locations(Path("/home/ann"), {variable: "/srv/x"})
    assert (client, root) in {(place.client, place.root.as_posix()) for place in found}


@pytest.mark.parametrize(
    ("client", "path"),
    [
        ("claude-code", "-home-ann-garden/1b2c.jsonl"),
        ("codex", "sessions/2026/05/01/rollout-2026-05-01T11-00-00-019a.jsonl"),
        ("codex", "archived_sessions/rollout-2026-05-01T11-00-00-019a.jsonl.zst"),
        ("gemini", "garden/chats/session-2025-11-01T12-00-46d1.json"),
        ("cursor", "home-ann-garden/agent-transcripts/c7d0/c7d0.jsonl"),
        ("openclaw", "agents/main/sessions/9e97-topic-3.jsonl"),
        ("openclaw", "agents/main/sessions/9e97.jsonl.deleted.2026-05-01T13-00-00Z"),
    ],
)
def test_the_patterns_of_a_place_find_its_transcripts(tmp_path: Path, client: str, path: str) -> None:
    place = next(place for place in locations(tmp_path, {}) if place.client == client)
    written = place.root / path
    written.parent.mkdir(parents=True)
    written.touch()
    assert written in {found for pattern in place.patterns for found in place.root.glob(pattern)}


def test_a_compressed_transcript_is_unpacked() -> None:
    data = transcript("codex")
    packed = zstandard.ZstdCompressor().compress(data[:1000]) + zstandard.ZstdCompressor().compress(data[1000:])
    assert whole(packed) == data


def whole(packed: bytes) -> bytes:
    with unpacked(io.BytesIO(packed)) as file:
        return b"".join(iter(lambda: file.read(MEGABYTE), b""))


def test_what_unpacks_to_too_much_or_not_at_all_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scrubjay.sources.transcripts.jsonl.UNPACKED_BYTES", MEGABYTE)
    with pytest.raises(Invalid, match="larger than 1 MB"):
        whole(zstandard.ZstdCompressor().compress(bytes(50 * MEGABYTE)))
    with pytest.raises(Invalid, match="cannot be decompressed"):
        whole(b"no frame")


def test_what_would_need_too_much_memory_to_unpack_is_refused() -> None:
    wide = zstandard.ZstdCompressionParameters(window_log=26, enable_ldm=True)
    compressor = zstandard.ZstdCompressor(compression_params=wide).compressobj()  # which does not tell the size
    packed = compressor.compress(bytes(100)) + compressor.flush()
    with pytest.raises(Invalid, match=r"cannot be decompressed: .*memory"):
        whole(packed)


def test_an_unknown_client_is_told_the_known_ones() -> None:
    with pytest.raises(Invalid, match=r"no client 'emacs'.*claude-code, codex, gemini, cursor, openclaw"):
        open_parser("emacs")
    assert transcripts.VERSION >= 1
