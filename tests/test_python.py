"""What a Python developer meets: signatures, short representations, chat messages, and clear errors."""

from __future__ import annotations

import inspect
import pydoc
from typing import Any

import pytest

import scrubjay
from scrubjay import Invalid, Scrubjay
from scrubjay.memory.fields import FIELDS
from scrubjay.memory.filters import FILTERS


def test_help_shows_every_keyword() -> None:
    assert set(FIELDS) <= set(inspect.signature(Scrubjay.add).parameters)
    assert set(FILTERS) | {"limit", "mode", "spaces"} <= set(inspect.signature(Scrubjay.search).parameters)
    assert "kind: str | None = None" in pydoc.render_doc(Scrubjay.add)
    for name, method in inspect.getmembers(Scrubjay, inspect.isfunction):
        kinds = {parameter.kind for parameter in inspect.signature(method).parameters.values()}
        assert name.startswith("__") or inspect.Parameter.VAR_KEYWORD not in kinds


def test_representations_are_short(jay: Scrubjay) -> None:
    added = jay.add("The heron is blue. " * 100, kind="fact")
    assert repr(added.memory).startswith("Memory(1, 'fact', 'The heron is blue.") and len(repr(added)) < 250
    assert repr(jay.search("heron")).startswith("Results([Hit(0.") and len(repr(jay.search("heron"))) < 250
    assert repr(jay).startswith("<Scrubjay '") and repr(jay).endswith("memory.db', space 'default'>")


def test_turns_may_be_chat_messages(jay: Scrubjay) -> None:
    parts: list[dict[str, Any]] = [
        {"type": "text", "text": "Eight o'clock"},
        {"type": "image_url", "image_url": {"url": "x"}},
    ]
    jay.add_turns("s", [{"role": "user", "content": "When?"}, {"role": "assistant", "content": parts}])
    assert [(turn.speaker, turn.text) for turn in jay.sessions.turns("s")] == [
        ("user", "When?"),
        ("assistant", "Eight o'clock"),
    ]


@pytest.mark.parametrize(
    "turn",
    [{"role": "user"}, {"content": "x"}, {"role": "u", "content": "x", "text": "y"}, {"role": "u", "content": 7}],
)
def test_a_chat_message_that_is_none_is_refused(jay: Scrubjay, turn: Any) -> None:
    with pytest.raises(Invalid, match="turn"):
        jay.add_turns("s", [turn])
    assert jay.list() == []


def test_a_verb_without_an_open_memory_says_what_to_do() -> None:
    with pytest.raises(TypeError, match=r"with scrubjay\.open\(\) as jay: jay\.search\(…\)"):
        scrubjay.search("theme")  # type: ignore[operator]
    with pytest.raises(AttributeError, match=r"no attribute 'add'; it belongs to an open memory: .* jay\.add\(…\)"):
        scrubjay.add("theme")  # type: ignore[attr-defined]
    with pytest.raises(AttributeError, match=r"no attribute 'colour'$"):
        scrubjay.colour  # type: ignore[attr-defined]  # noqa: B018
