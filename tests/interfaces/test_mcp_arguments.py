"""The arguments of tools: a model may give numbers, lists and objects as text; what is wrong is one sentence."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from mcp.server.mcpserver.utilities.func_metadata import func_metadata
from pydantic import BeforeValidator, ValidationError

from scrubjay import Invalid
from scrubjay.interfaces.mcp.arguments import arguments_of
from scrubjay.interfaces.mcp.tools import SETS, tools_of

Colour = Literal["red", "green"]


def sample(
    jay: object, text: str, whole: int, share: float, flag: bool, ids: list[int], words: list[str],
    items: list[dict[str, Any]], colour: Colour, about: dict[str, Any], subject: str | None = None,
    id: int | None = None, part: float | None = None, tags: list[str] | None = None, limit: int = 10,
    shade: Colour | Literal["blue"] | None = None,
) -> str:  # fmt: skip
    """Every type that tools use."""
    return ""


def _listed(value: Any) -> Any:
    return [value] if isinstance(value, str | int) else value


def as_pydantic(
    jay: object, text: str, whole: int, share: float, flag: bool, ids: Annotated[list[int], BeforeValidator(_listed)],
    words: Annotated[list[str], BeforeValidator(_listed)], items: list[dict[str, Any]], colour: Colour,
    about: dict[str, Any], subject: str | None = None, id: int | None = None, part: float | None = None,
    tags: Annotated[list[str], BeforeValidator(_listed)] | None = None, limit: int = 10,
    shade: Colour | Literal["blue"] | None = None,
) -> str:  # fmt: skip
    """The same for the validator of the SDK, which takes one value for a list only if it is told so."""
    return ""


RIGHT = {
    "text": "x", "whole": 1, "share": 0.5, "flag": True, "ids": [1], "words": ["a"], "items": [{}], "colour": "red",
    "about": {},
}  # fmt: skip
SDK = func_metadata(as_pydantic, skip_names=["jay"], structured_output=False)
OURS = arguments_of(sample)

numbers = st.integers() | st.floats() | st.integers(-(10**25), 10**25)
texts = st.sampled_from(
    ["", "x", "red", "blue", "true", "NO", "On", "null", " 7 ", "+7", "-7", "007", "7.0", "7.", "7.5", "1_000", "1__0",
     "_1", "1e3", "1E400", "inf", "-Infinity", "nan", "٣", "0x10", "--7", "+-7", "7 7", '"7"', "[]", "[1, 2]", '["a"]',
     '[{"a": 1}]', "{}", '{"a": null}', "[1", "\n7\n", "½", "." ]
)  # fmt: skip
scalars = st.none() | st.booleans() | numbers | texts | st.text(max_size=5)
values = scalars | st.lists(scalars, max_size=3) | st.dictionaries(st.text(max_size=3), scalars, max_size=2)


def by_sdk(name: str, value: Any) -> Any:
    """What the SDK makes of a value, or the argument that it complains about."""
    try:
        return SDK.validate_arguments({**RIGHT, name: value})
    except ValidationError as wrong:
        return str(wrong.errors()[0]["loc"][0])


def by_us(name: str, value: Any) -> Any:
    try:
        return OURS.check({**RIGHT, name: value})
    except Invalid as wrong:
        return str(wrong).split(" must be ")[0]


def is_json_for_a_text(name: str, value: Any) -> bool:
    """The SDK makes an object of a text that looks like one, even where a text is asked for; we leave it as it is."""
    kind = OURS.schema["properties"][name]["type"]
    return isinstance(value, str) and kind == "string" and value[:1] in ("[", "{")


@given(st.sampled_from(list(OURS.schema["properties"])), values)
@example("whole", "9" * 5_000)
@example("whole", 1e30)
@example("share", 10**400)
@example("ids", [True, "7", 7.0])
@example("words", "null")
@example("tags", " null ")
@settings(max_examples=500)
def test_values_are_taken_as_the_sdk_takes_them(name: str, value: Any) -> None:
    if not is_json_for_a_text(name, value):
        assert repr(by_us(name, value)) == repr(by_sdk(name, value))


def test_a_text_that_looks_like_json_stays_a_text() -> None:
    assert OURS.check({**RIGHT, "subject": '["a"]'})["subject"] == '["a"]'
    assert OURS.check({**RIGHT, "text": "null"})["text"] == "null"


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"whole": "many"}, "whole must be a whole number."),
        ({"share": None}, "share must be a number."),
        ({"flag": "perhaps"}, "flag must be true or false."),
        ({"ids": ["x"]}, "ids must be a list, each a whole number."),
        ({"items": "x"}, "items must be a list, each an object."),
        ({"about": "x"}, "about must be an object."),
        ({"text": 5}, "text must be text."),
        ({"colour": "pink"}, "colour must be one of red, green."),
        ({"shade": "pink"}, "shade must be one of red, green, blue."),
        ({"colour": "pink", "whole": "x"}, "whole must be a whole number."),
    ],
)
def test_what_is_wrong_is_one_sentence(given: dict[str, Any], sentence: str) -> None:
    with pytest.raises(Invalid) as refused:
        OURS.check({**RIGHT, **given})
    assert str(refused.value) == sentence


def test_a_missing_and_an_unknown_argument() -> None:
    with pytest.raises(Invalid, match=r"^sample needs the argument text\.$"):
        OURS.check({})
    with pytest.raises(Invalid, match=r"^sample has no argument 'other'; it has text, whole, "):
        OURS.check({**RIGHT, "other": 1})


def test_the_schema_of_each_tool_says_all_that_it_takes() -> None:
    for tool in tools_of(SETS):
        told = json.dumps(tool.listed)
        assert '"title"' not in told and "anyOf" not in told and '"default"' not in told
    assert OURS.schema["properties"]["shade"] == {"enum": ["red", "green", "blue"], "type": "string"}
    assert OURS.schema["required"] == list(RIGHT)
