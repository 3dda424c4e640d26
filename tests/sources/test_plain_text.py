"""Plain text that clients print: the answer is kept; thoughts, tool calls, status lines and half a record are not."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrubjay import Invalid, Scrubjay
from scrubjay.sources.transcripts import CLIENTS, captured

ANSWER = "Tomatoes want sun.\n\nSix hours of it:\n\n- in the morning\n- and at noon"
RECORD = {"type": "note", "message": {"content": [{"type": "text", "text": 'Sun, "six" hours\n'}]}, "n": [1, -2.5e3]}

VERBOSE = f"""\
Loaded cached credentials.
Thinking...
🔧 Read file: notes/garden.md
Executing: cat notes/garden.md
Processing your request…
{ANSWER}
✅ Task completed in 3 s
Done.
"""
CLAUDE_CODE = """\
✻ Thinking… (4s · 120 tokens · esc to interrupt)

  The user asks about tomatoes.
  I should look.

⏺ Bash(grep -n tomato notes/garden.md)
  ⎿  12: tomatoes: sun
     13: six hours

⏺ Tomatoes want sun.

  Six hours of it.
"""
CODEX = """\
OpenAI Codex v0.98.0 (research preview)
--------
workdir: /home/ann/garden
model: some-model
session id: 019a-42
--------
user
What do tomatoes want?
mcp startup: no servers

thinking
**Looking at the notes**
exec
bash -lc 'cat notes' in /home/ann/garden succeeded in 5ms:
tomatoes: sun
codex
I found it.
codex
Tomatoes want sun.
tokens used
1,234
Tomatoes want sun.
"""


def said(text: str | bytes, client: str = "claude-code") -> list[tuple[str, str]]:
    data = text.encode() if isinstance(text, str) else text
    return [(turn.speaker, turn.text) for turn in captured(data, client).turns]


@pytest.mark.parametrize("client", CLIENTS)
def test_thoughts_tools_and_status_lines_are_told_from_the_answer(client: str) -> None:
    assert said(VERBOSE, client) == [("assistant", ANSWER)]


def test_the_screen_of_claude_code_gives_its_answer() -> None:
    assert said(CLAUDE_CODE) == [("assistant", "Tomatoes want sun.\n\n  Six hours of it.")]


def test_what_codex_prints_has_the_prompt_the_answers_and_the_session() -> None:
    turns = captured(CODEX.encode(), "codex").turns
    assert [(turn.speaker, turn.text) for turn in turns] == [
        ("user", "What do tomatoes want?"),
        ("assistant", "I found it."),
        ("assistant", "Tomatoes want sun."),
    ]
    assert {turn.session for turn in turns} == {"019a-42"}


def test_what_a_model_prints_as_its_thoughts_is_left_out() -> None:
    assert said("<think>\nThe user wants sun.\n</think>\nSun.") == [("assistant", "Sun.")]


@pytest.mark.parametrize(
    "answer",
    [
        "Done.",
        "Thinking of beans: they want sun, too.",
        "Error handling is done in one place.",
        "The log says:\n```\nError: no sun\nThinking...\n🔧 Read\n```",
        "✅ Tests pass\n✅ Lint passes",
        "[1] The first source\n[2] The second source",
        "Use this:\n{\n  \"sun\": true\n}",
        '{"type": "object", "properties": {}}',
        '{"a": 1}\n{"a": 2}',
        "Complete the form.\nThen send it.",
        "Reading is fun.\nWriting, too.",
        "Tool use is a skill.",
    ],
)  # fmt: skip
def test_an_answer_that_only_looks_like_such_a_line_is_kept(answer: str) -> None:
    assert said(answer) == [("assistant", answer)]


@pytest.mark.parametrize(
    ("before", "indent"), [("", None), ("", 2), ("Sun.\n", None), ("Sun.\n", 2), ('{"type": "note"}\n', None)]
)
def test_half_a_json_line_is_not_a_turn(before: str, indent: int | None) -> None:
    whole = json.dumps(RECORD, indent=indent)
    kept = [("assistant", "Sun.")] if before.startswith("Sun") else []
    for length in range(6, len(whole)):
        assert said(before + whole[:length]) == kept, whole[:length]


@pytest.mark.parametrize("output", [b"\xff\xfe\x00", b"Sun \xc3(", bytes(range(256)), "half a \ud83c character"])
def test_bytes_that_are_no_text_are_refused(jay: Scrubjay, output: str | bytes) -> None:
    with pytest.raises(Invalid, match=r"not UTF-8 text|half a character"):
        jay.capture(output, "gemini")
    assert jay.stats().memories == 0


def test_only_status_lines_are_no_conversation(jay: Scrubjay) -> None:
    with pytest.raises(Invalid, match="no conversation"):
        jay.capture("Thinking...\n🔧 Read file: a.md\n", "gemini")


@given(st.text(alphabet='{}[]",:\\ntrue1-. \n🔧⏺✻`', max_size=60))
def test_any_text_has_an_answer_or_none(text: str) -> None:
    assert len(said(text)) <= 1
