"""The arguments of a tool: their schema, read from the function's signature, and the check of what a model gives."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from inspect import Parameter, signature
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from scrubjay.errors import Invalid
from scrubjay.text.secret_scan.quoting import quoted

__all__ = ["Arguments", "Item", "arguments_of"]

Schema = dict[str, Any]

TYPES = {str: "string", int: "integer", float: "number", bool: "boolean"}
TYPE_NAMES = {
    "integer": "a whole number",
    "number": "a number",
    "string": "text",
    "object": "an object",
    "boolean": "true or false",
}
WHOLE = re.compile(r"[+-]?\d+(_\d+)*(\.0*)?", re.ASCII)
MAX_DIGITS = 4_300  # of a whole number in a text; Python reads no more
EXACT = 2.0**63  # a number with a fraction of 0 stands for a whole one below this
BOOLEANS = {
    **dict.fromkeys(("true", "t", "yes", "y", "on", "1"), True),
    **dict.fromkeys(("false", "f", "no", "n", "off", "0"), False),
}


Item = Annotated[Any, "object"]  # of a list of which each item is checked by itself, by the tool


class NotChecked(Schema):
    """A schema that is told to the model; the tool checks what is given."""


@dataclass(frozen=True, slots=True)
class Arguments:
    """The arguments of a tool; `check` raises one sentence if they are wrong."""

    tool: str
    schema: Schema
    defaults: Mapping[str, Any]

    def check(self, given: Mapping[str, Any]) -> dict[str, Any]:
        takes = self.schema["properties"]
        if unknown := sorted(set(given) - set(takes)):
            raise Invalid(f"{self.tool} has no argument {quoted(unknown[0])}; it has {', '.join(takes) or 'none'}.")
        return {name: self._value(name, given, about) for name, about in takes.items()}

    def _value(self, name: str, given: Mapping[str, Any], about: Schema) -> Any:
        if name not in given:
            if name not in self.defaults:
                raise Invalid(f"{self.tool} needs the argument {name}.")
            return self.defaults[name]
        may_be_null = name in self.defaults and self.defaults[name] is None
        if may_be_null and _parsed(given[name]) is None:
            return None
        try:
            return _converted(about, given[name])
        except (ValueError, OverflowError):
            raise Invalid(f"{name} must be {_type_in_words(about)}.") from None


@cache
def arguments_of(function: Callable[..., Any]) -> Arguments:
    """The arguments of a function `(jay, …)`; the first parameter is the memory."""
    kinds = get_type_hints(
        function, localns={"Scrubjay": object}, include_extras=True
    )  # imported only for type checkers
    parameters = dict(list(signature(function).parameters.items())[1:])
    defaults = {name: one.default for name, one in parameters.items() if one.default is not Parameter.empty}
    properties = {name: _schema(kinds[name]) for name in parameters}
    required = [name for name in parameters if name not in defaults]
    needs = {"required": required} if required else {}
    return Arguments(function.__name__, {"type": "object", "properties": properties, **needs}, defaults)


def _schema(kind: Any) -> Schema:
    """A short JSON schema: no title, no default, no null; a model does not need them."""
    origin, parts = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        choices = [_schema(part) for part in parts if part is not NoneType]
        return choices[0] if len(choices) == 1 else _enum([word for one in choices for word in one["enum"]])
    if origin is Annotated:
        return NotChecked(type=parts[1])
    if origin is Literal:
        return _enum(list(parts))
    if origin is list:
        return {"items": _schema(parts[0]), "type": "array"}
    if kind is Any:
        return {}
    return {"type": "object" if origin is dict else TYPES[kind]}


def _enum(words: list[str]) -> Schema:
    return {"enum": words, "type": "string"}


def _converted(about: Schema, value: Any) -> Any:
    """The value in the type that is asked for; models give numbers as text, JSON as text, and one value for a list."""
    if isinstance(about, NotChecked):
        return _parsed(value)
    if "enum" in about and value not in about["enum"]:
        raise ValueError
    match about.get("type"):
        case None:  # any value
            return _parsed(value)
        case "array":
            values = _parsed(value)
            values = [values] if isinstance(values, str | int) else _instance(values, list)
            return [_converted(about["items"], each) for each in values]
        case "object":
            return _instance(_parsed(value), dict)
        case "integer":
            return _whole_number(value)
        case "number":
            return float(_instance(value, (str, int, float)))
        case "boolean":
            return _boolean(value)
    return _instance(value, str)


def _instance(value: Any, kind: type | tuple[type, ...]) -> Any:
    if not isinstance(value, kind):
        raise ValueError
    return value


def _parsed(value: Any) -> Any:
    """The list, object or null that a text is the JSON of; else the value itself. Models write these as text, too."""
    if not isinstance(value, str):
        return value
    try:
        found = json.loads(value)
    except (ValueError, RecursionError):
        return value
    return found if found is None or isinstance(found, list | dict) else value


def _whole_number(value: Any) -> int:
    if isinstance(value, str):
        text = value.strip()
        if not WHOLE.fullmatch(text) or len(text) > MAX_DIGITS:
            raise ValueError
        return int(text.partition(".")[0])
    if isinstance(value, float) and not (value.is_integer() and abs(value) < EXACT):
        raise ValueError
    return int(_instance(value, (int, float)))


def _boolean(value: Any) -> bool:
    found = (
        BOOLEANS.get(value.lower())
        if isinstance(value, str)
        else {0: False, 1: True}.get(_instance(value, (int, float)))
    )
    if found is None:
        raise ValueError
    return found


def _type_in_words(about: Schema) -> str:
    if "enum" in about:
        return f"one of {', '.join(map(str, about['enum']))}"
    if about["type"] == "array":
        return f"a list, each {TYPE_NAMES[about['items']['type']]}"
    return TYPE_NAMES[about["type"]]
