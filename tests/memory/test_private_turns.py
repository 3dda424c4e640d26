"""Private parts of conversations: opened in one turn, closed in a later one, and left out in between."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import apsw
import pytest

import scrubjay
from scrubjay import Scrubjay
from scrubjay.text.secret_scan.private_tags import public_message, public_part, without_private
from tests.support.contents import files_hold

HIDDEN = ("lemonade", "marmalade", "orangeade")
SAID = [
    {"speaker": "user", "text": "Good day <private> lemonade"},
    {"speaker": "assistant", "text": "So marmalade it is"},
    {"speaker": "user", "text": "orangeade </private> and good night"},
    {"speaker": "assistant", "text": "Sleep well"},
]
KEPT = ["Good day ", " and good night", "Sleep well"]


def texts(jay: Scrubjay, session: str = "s") -> list[str]:
    return [turn.text for turn in jay.sessions.turns(session)]


@pytest.mark.parametrize("goes", [1, 2, 3, 4], ids=lambda goes: f"{goes}-turns-a-call")
def test_what_stands_between_turns_is_left_out_however_they_come(
    path: Path, reopen: Callable[..., Scrubjay], goes: int
) -> None:
    for start in range(0, len(SAID), goes):
        with reopen(embedder="hashing") as jay:  # each call may be another process
            jay.add_turns("s", SAID[start : start + goes])  # type: ignore[arg-type]
    with reopen(embedder="hashing") as jay:
        assert texts(jay) == KEPT
        assert [turn.position for turn in jay.sessions.turns("s")] == [0, 1, 2]
    assert files_hold(path, *HIDDEN) == []


def test_turns_with_positions_that_are_sent_again_end_the_same(jay: Scrubjay, path: Path) -> None:
    numbered: list[Any] = [{**turn, "position": place} for place, turn in enumerate(SAID)]
    for known in range(1, len(numbered) + 1):
        jay.add_turns("s", numbered[:known])
    assert [(turn.position, turn.text) for turn in jay.sessions.turns("s")] == list(zip((0, 2, 3), KEPT, strict=True))
    assert files_hold(path, *HIDDEN) == []


def test_a_private_part_of_one_session_hides_nothing_of_another(jay: Scrubjay) -> None:
    jay.add_turns("s", [{"text": "<private>a"}])
    jay.add_turns("t", [{"text": "Tea is ready"}])
    assert jay.lend(space="other").add_turns("s", [{"text": "Soup is ready"}])[0].memory.text == "Soup is ready"
    assert texts(jay, "t") == ["Tea is ready"]


def test_turns_that_were_refused_open_nothing(jay: Scrubjay) -> None:
    with pytest.raises(scrubjay.Invalid):
        jay.add_turns("s", [{"text": "Now <private>a", "importance": 99}])
    jay.add_turns("s", [{"text": "Tea is ready"}])
    assert texts(jay) == ["Tea is ready"]


def test_captured_output_goes_on_privately_too(jay: Scrubjay, path: Path) -> None:
    for said in SAID:
        record = {"type": said["speaker"], "session_id": "s", "message": {"content": said["text"]}}
        jay.capture(json.dumps(record), "claude-code", session="s")
    assert texts(jay) == KEPT and files_hold(path, *HIDDEN) == []


def test_a_private_part_of_the_name_of_a_captured_session_is_nowhere(jay: Scrubjay, path: Path) -> None:
    jay.capture("Good day <private> lemonade", "codex", session="talk <private>marmalade</private>")
    assert files_hold(path, *HIDDEN) == []


def transcript(turns: list[dict[str, str]]) -> list[bytes]:
    return [
        json.dumps(
            {
                "type": turn["speaker"], "sessionId": "s", "uuid": f"u{place}", "message": {"content": turn["text"]},
                "timestamp": f"2026-05-01T12:00:{place:02}Z",
            }
        ).encode() + b"\n"
        for place, turn in enumerate(turns)
    ]  # fmt: skip


@pytest.mark.parametrize("goes", [1, 2, 4])
def test_a_transcript_is_read_privately_however_it_grows(
    path: Path, tmp_path: Path, reopen: Callable[..., Scrubjay], goes: int
) -> None:
    file = tmp_path / "logs" / "s.jsonl"
    file.parent.mkdir()
    lines, notes = transcript(SAID), []
    for end in range(goes, len(lines) + 1, goes):
        file.write_bytes(b"".join(lines[:end]))
        with reopen(embedder="hashing") as jay:
            jay.sources.add(file.parent, kind="transcripts", client="claude-code")
            notes += [skipped.reason for skipped in jay.sync().skipped]
    with reopen(embedder="hashing") as jay:
        assert texts(jay) == [text.strip() for text in KEPT]
    assert files_hold(path, *HIDDEN) == []
    assert notes == (["Turns skipped because a <private> tag before them is not closed: 1."] if goes < 4 else [])


@pytest.mark.parametrize("client", ["gemini", "cursor"])
def test_a_half_streamed_answer_is_never_stored_and_told_once(
    path: Path, tmp_path: Path, reopen: Callable[..., Scrubjay], client: str
) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2
    file = tmp_path / "logs" / "s.jsonl"
    file.parent.mkdir()
    pieces = ["Use ", secret[:20], secret[20:], " for the build"]
    if client == "gemini":
        heard: list[Any] = [{"type": "message", "role": "assistant", "delta": True, "content": one} for one in pieces]
        end: Any = {"type": "result"}
    else:
        heard = [{"type": "assistant", "timestamp_ms": 1, "message": {"content": one}} for one in pieces]
        end = {"type": "tool_call"}
    lines = [json.dumps(record).encode() + b"\n" for record in [*heard, end]]
    for written in range(1, len(lines) + 1):
        file.write_bytes(b"".join(lines[:written]))
        with reopen(embedder="hashing") as jay:
            jay.sources.add(file.parent, kind="transcripts", client=client)
            jay.sync()
        assert files_hold(path, secret, secret[:20], secret[20:]) == []
    with reopen(embedder="hashing") as jay:
        assert texts(jay) == ["Use [redacted: GitHub token] for the build"]


def test_a_secret_in_the_folder_of_a_session_is_not_kept_in_its_state(
    path: Path, tmp_path: Path, reopen: Callable[..., Scrubjay]
) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2
    file = tmp_path / "logs" / "s.jsonl"
    file.parent.mkdir()
    record = {"type": "user", "sessionId": secret, "cwd": f"/home/ann/{secret}", "message": {"content": "Hello"}}
    for _ in range(2):
        file.write_bytes((file.read_bytes() if file.exists() else b"") + json.dumps(record).encode() + b"\n")
        with reopen(embedder="hashing") as jay:
            jay.sources.add(file.parent, kind="transcripts", client="claude-code")
            jay.sync()
            (session,) = {turn.session for turn in jay.list(kinds=["turn"])}
            assert session is not None and session.startswith("[redacted: GitHub token] ")
    assert files_hold(path, secret) == []


def test_sessions_whose_names_are_masked_are_not_taken_for_one(jay: Scrubjay) -> None:
    tokens = ["ghp_" + text * 2 for text in ("a1B2c3D4e5F6g7H8i9J0", "k1L2m3N4o5P6q7R8s9T0")]
    for token in tokens * 2:
        jay.add_turns(token, [{"speaker": "Ann", "text": f"I am {tokens.index(token)}"}])
    stored = [jay.view.session_name(token) for token in tokens]
    assert [[turn.text for turn in jay.sessions.turns(name)] for name in stored] == [["I am 0"] * 2, ["I am 1"] * 2]
    assert [jay.view.session_name(name) for name in stored] == stored


@pytest.mark.parametrize(
    "text",
    [
        "a &lt;private&gt;b&lt;/private&gt; c",
        "a &LT;private&GT;b&#60;/private&#62; c",
        "a &#x3C;private&#x3e;b&#x003c;/private&#x3E; c",
        r"a \u003cprivate\u003eb\u003c/private\u003e c",
        r"a \x3Cprivate\x3Eb\x3C\/private\x3E c",
        "a %3Cprivate%3Eb%3C%2Fprivate%3E c",
        r"a <private\>b<\/private\> c",
        "a <private>b&lt;/private&gt; c",
        "a &amp;lt;private&amp;gt;b&amp;lt;/private&amp;gt; c",
        "a %253Cprivate%253Eb%253C/private%253E c",
        "a ＜ＰＲＩＶＡＴＥ＞b＜／ｐｒｉｖａｔｅ＞ c",
        "a <private\xa0>b</private\u200b> c",
        "a <\ufeffpri\u200bv\xadate>b</priv\u2060ate> c",
    ],
)
def test_brackets_that_were_escaped_on_the_way_count(text: str) -> None:
    assert without_private(text) == "a  c"


def test_a_text_may_begin_and_end_inside_private_parts() -> None:
    assert public_part("a</private>b<private>c", 1) == ("b", 1)
    assert public_part("a</private>b", 2) == ("", 1)
    assert public_part("a<private>b<private>c", 0) == ("a", 2)
    assert public_part("a</private>b", 0) == ("a</private>b", 0)


def test_a_private_part_that_was_closed_leaves_nothing_behind(path: Path, reopen: Callable[..., Scrubjay]) -> None:
    with reopen(embedder="hashing") as jay:
        jay.add_turns("s", [{"text": "<private>a"}])
        jay.add_turns("s", [{"text": "b</private>c"}])
    with closing(apsw.Connection(str(path))) as db:
        assert db.execute("select count(*) from private_parts").fetchall() == [(0,)]


def test_a_message_is_not_looked_up_while_its_session_has_a_private_part_open(jay: Scrubjay) -> None:
    jay.add("Lemonade is in the cellar")
    jay.add_turns("s", [{"text": "<private> lemonade"}])
    assert jay.context("Where is the lemonade?").memories
    assert not jay.context("Where is the lemonade?", session="s").memories
    assert jay.context("that was all </private> Where is the lemonade?", session="s").memories


def test_a_closing_tag_ends_what_was_open_even_if_nobody_has_told_us() -> None:
    assert public_message("plum </private> tea <private>plum</private> cake <private> plum", 0) == " tea  cake "
    assert public_message("plum </private> plum </private> tea", 0) == " tea"
    assert public_message("tea <private/> cake", 0) == "tea  cake"
    assert public_message("plum", 1) == ""


LISTS: list[tuple[Any, Any]] = [
    (["tea", "<private>", "lemonade", "</private>", "milk"], ["tea", "milk"]),
    (["for <private>a", "lemonade", 17, "b</private> him"], ["for ", " him"]),
    (["tea", "<private>lemonade", {"marmalade": ["orangeade"]}], ["tea", {}]),
    ([["<private>", "lemonade"], "marmalade", ["</private>", "tea"]], [[], ["tea"]]),
    (
        [{"text": "a<private>"}, {"text": "lemonade"}, {"text": "</private>b"}],
        [{"text": "a"}, {}, {}],
    ),
]


@pytest.mark.parametrize(("given", "kept"), LISTS)
def test_a_private_part_that_one_item_of_a_list_opens_goes_on_to_the_item_that_closes_it(
    jay: Scrubjay, path: Path, given: Any, kept: Any
) -> None:
    memory = jay.add("Tea", metadata={"list": given, "after": "kept"}).memory
    assert memory.metadata == {"list": kept, "after": "kept"}
    assert jay.update(memory.id, metadata={"again": given}).metadata["again"] == kept
    jay.profile.set("drinks", given)
    assert jay.profile.get("drinks") == kept
    assert files_hold(path, *HIDDEN) == []


def test_nor_is_a_private_tag_or_alias_stored(jay: Scrubjay, path: Path) -> None:
    given = ["tea", "<private>", "lemonade", "</private>"]
    memory = jay.add("Tea", tags=given, aliases=given).memory
    assert (memory.tags, memory.aliases) == (("tea",), ("tea",))
    assert jay.update(memory.id, tags=["milk", *given[1:]]).tags == ("milk",)
    assert files_hold(path, *HIDDEN) == []


ASKED = [
    {"speaker": "user", "text": "I cannot get into the server. What is the password of staging?"},
    {"speaker": "assistant", "text": "kestrel2020"},
    {"speaker": "user", "text": "kestrel2020 is no place, I think"},
]


@pytest.mark.parametrize("goes", [1, 2, 3], ids=lambda goes: f"{goes}-turns-a-call")
def test_the_bare_answer_to_a_question_for_a_secret_is_masked(path: Path, jay: Scrubjay, goes: int) -> None:
    for start in range(0, len(ASKED), goes):
        jay.add_turns("s", ASKED[start : start + goes])  # type: ignore[arg-type]
    masked = "[redacted: password]"
    assert texts(jay) == [ASKED[0]["text"], masked, f"{masked} is no place, I think"]
    jay.add_turns("s", [{**ASKED[1], "position": 1}])  # type: ignore[list-item]  # sent again by itself
    assert texts(jay)[1] == "[redacted: password]"


def test_the_bare_answer_in_a_transcript_is_masked_however_it_grows(jay: Scrubjay, tmp_path: Path) -> None:
    file = tmp_path / "projects" / "s.jsonl"
    file.parent.mkdir()
    record = {"sessionId": "s", "timestamp": "2026-05-01T10:00:00Z", "cwd": str(tmp_path)}
    for number, (speaker, text) in enumerate((("user", ASKED[0]["text"]), ("assistant", ASKED[1]["text"]))):
        said = {"type": speaker, "uuid": str(number), "message": {"role": speaker, "content": text}}
        with file.open("a") as lines:
            lines.write(json.dumps(record | said) + "\n")
        if not number:
            jay.sources.add(file.parent, kind="transcripts", client="claude-code")
        jay.sync()
    assert texts(jay) == [ASKED[0]["text"], "[redacted: password]"]
