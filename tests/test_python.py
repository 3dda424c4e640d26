"""What a Python developer meets: signatures, short representations, chat messages, and clear errors."""

from __future__ import annotations

import inspect
import pydoc
import re
from collections.abc import Callable
from pathlib import Path
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


OPEN: Any = scrubjay.open  # called as a type checker would not let it
WRONG: dict[str, Callable[[Any, Path], object]] = {
    "kinds must be a list": lambda jay, place: jay.search("x", kinds=5),
    "weights must be an object": lambda jay, place: jay.search("x", weights=5),
    "spaces must be a list": lambda jay, place: jay.search("x", spaces=5),
    "sources must be a list": lambda jay, place: jay.list(sources=5),
    "statuses must be a list": lambda jay, place: jay.tasks.list(statuses=5),
    "ids must be a list": lambda jay, place: jay.get_many(5),
    "queries must be a list, not 5": lambda jay, place: jay.search_many(5),
    "queries must be a list, not 'abc'": lambda jay, place: jay.search_many("abc"),
    "message must be text": lambda jay, place: jay.context(5),
    "[1] is no memory's id": lambda jay, place: jay.delete([1]),
    "turns must be a list": lambda jay, place: jay.add_turns("s", 5),
    "items must be a list": lambda jay, place: jay.add_many(5),
    "items must be a list, not 7": lambda jay, place: jay.add_each(7),
    "output must be text": lambda jay, place: jay.capture(5, "gemini"),
    "session must be text": lambda jay, place: jay.extract(session=5),
    "A setting has a name": lambda jay, place: jay.setting(5),
    "plan must be what": lambda jay, place: jay.apply({"changes": []}),
    "embedder must be a name": lambda jay, place: jay.reindex(5),
    "file must be a path, not 5": lambda jay, place: jay.export(5),
    "file must be a path, not 6": lambda jay, place: jay.import_file(6),
    "file must be a path, not 7": lambda jay, place: jay.backup(7),
    "file must be a path, not 8": lambda jay, place: jay.export_csv(8),
    "folder must be a path": lambda jay, place: jay.export_markdown(5),
    "kind must be one of files": lambda jay, place: jay.sources.add(place, kind="nope"),
    "path must be a path": lambda jay, place: jay.sources.add(5),
    "scopes must be a list": lambda jay, place: jay.tokens.create("x", scopes=5),
    "trust must be user, agent or external, not 'god'": lambda jay, place: jay.lend(trust="god"),
    "trust must be user, agent or external, not 'you'": lambda jay, place: OPEN(place / "m.db", trust="you"),
    "actor must be text": lambda jay, place: jay.lend(actor=5),
    "named by its path": lambda jay, place: OPEN(5),
}


@pytest.mark.parametrize("sentence", WRONG)
def test_an_argument_of_another_type_is_refused_with_one_sentence(jay: Scrubjay, tmp_path: Path, sentence: str) -> None:
    with pytest.raises(Invalid, match=re.escape(sentence)):
        WRONG[sentence](jay, tmp_path)
    assert jay.list() == []
