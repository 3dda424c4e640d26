"""What a server answered, as the objects that a local memory returns."""

from __future__ import annotations

import json
import types
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import UTC, datetime
from functools import cache
from math import isfinite
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from scrubjay import errors
from scrubjay.errors import ScrubjayError, StoreError
from scrubjay.remote.verbs import Verb, return_type
from scrubjay.text.fence import QuotingNote, refenced
from scrubjay.types import Hit, Memory, Results
from scrubjay.types.agents import Context
from scrubjay.types.history import MemoryChange
from scrubjay.types.limits import LARGEST_INTEGER

__all__ = ["WrongAnswer", "error_of", "read_answer", "read_change", "read_json"]

NO_ANSWER = "The server's answer to {} is not one of Scrubjay; is it of another version?"
PLAIN = (str, int, float, bool)
NOTES = ("notes", "remarks", "warnings")
NO_VALUE = (types.NoneType, ScrubjayError)
UNLIKE = (KeyError, TypeError, ValueError, AttributeError, IndexError, OverflowError, RecursionError)


class WrongAnswer(StoreError):
    """The server does not answer as ours does; to ask again would not help."""


def read_answer(verb: Verb, answer: Mapping[str, Any]) -> Any:
    """What the method returns, of what the server answered to it. Raises `WrongAnswer` for what is no such answer."""
    try:
        return _read_answer(verb, answer)
    except UNLIKE:
        raise WrongAnswer(NO_ANSWER.format(verb.name)) from None


def read_json(data: str | bytes) -> Any:
    """JSON of a server; raises ValueError or RecursionError for what is none. A number without an end is none."""
    return json.loads(data, parse_float=_finite, parse_constant=_finite)


def _finite(number: str) -> float:
    found = float(number)
    if not isfinite(found):
        raise ValueError
    return found


def read_change(line: str) -> MemoryChange:
    """One change of a stream of them. Raises `WrongAnswer` for what is none."""
    try:
        change: MemoryChange = _read(MemoryChange, read_json(line))
    except UNLIKE:
        raise WrongAnswer(NO_ANSWER.format("events")) from None
    return change


def _read_answer(verb: Verb, answer: Mapping[str, Any]) -> Any:
    expected = return_type(verb.name)
    if expected is None:
        return None
    if isinstance(verb.answer, str):
        return _read(expected, answer)
    parts = [answer.get(key) for key in verb.answer if key != "next"]
    if get_origin(expected) is tuple:
        return tuple(_read(hint, part) for hint, part in zip(get_args(expected), parts, strict=True))
    if expected is Any:
        return parts[0]
    if get_origin(expected) is dict:
        key = _singular(verb)
        return {_plain(str, count[key]): _plain(int, count["memories"]) for count in parts[0] or ()}
    if verb.name == "filter_notes":
        return list(_notes(parts[0]))
    return _read(expected, answer if is_dataclass(expected) else parts[0])


def error_of(name: str, sentence: str) -> ScrubjayError:
    """The error of that name, as a local memory would raise it."""
    found: type[ScrubjayError] = getattr(errors, name) if name in errors.__all__ else ScrubjayError
    return found(sentence)


def _singular(verb: Verb) -> str:
    return next(iter(verb.answer)).removesuffix("s")


def _read(hint: Any, value: Any) -> Any:
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        if ScrubjayError in arguments and "error" in value:
            return error_of(value["type"], value["error"])
        return None if value is None else _either([one for one in arguments if one not in NO_VALUE], value)
    if hint is datetime:
        return _moment(value)
    if origin is tuple and Ellipsis not in arguments:
        return tuple(_read(one, part) for one, part in zip(arguments, value, strict=True))
    if origin in (tuple, list):
        items = [_read(arguments[0], item) for item in value]
        return tuple(items) if origin is tuple else items
    if origin in (Mapping, dict):
        name, item = arguments
        return {int(key) if name is int else key: _read(item, one) for key, one in value.items()}  # text in JSON
    return _object(hint, value) if is_dataclass(hint) else _plain(hint, value)


def _plain(hint: Any, value: Any) -> Any:
    """A value that is of its type: what is printed as a number must be one."""
    right = value in get_args(hint) if get_origin(hint) is Literal else _is_a(hint, value)
    if not right:
        raise TypeError
    return value


def _is_a(hint: Any, value: Any) -> bool:
    if type(value) is int and abs(value) > LARGEST_INTEGER:  # no memory has one, and no text is made of a longer one
        return False
    if hint is float:
        return isinstance(value, int | float) and not isinstance(value, bool)
    return type(value) is hint if hint in PLAIN else isinstance(value, get_origin(hint) or object)


def _either(hints: list[Any], value: Any) -> Any:
    fitting = next((one for one in hints if one in PLAIN and _is_a(one, value)), hints[0])
    return _read(fitting, value)


def _moment(value: Any) -> datetime:
    found = datetime.fromisoformat(value)
    if found.tzinfo is None:
        raise ValueError
    return found.astimezone(UTC)  # as a local memory has it; raises where the calendar has no such day there


def _notes(notes: Any) -> tuple[str, ...]:
    """What a server says may quote a memory."""
    return tuple(QuotingNote(_plain(str, note)) for note in notes)


def _object(kind: Any, value: Mapping[str, Any]) -> Any:
    if kind is Results:
        hits = tuple(_hit(hit) for hit in value["results"])
        tiers, words = (_read(tuple[str, ...], value[name]) for name in ("tiers", "words"))
        return Results(hits, tiers, _notes(value["notes"]), words)
    if kind is Hit:
        return _hit(value)
    own = {name: _read(hint, value[name]) for name, hint in _hints(kind).items() if name in value}
    if kind is Context:  # an agent is given it as it is
        own["text"] = refenced(own["text"])
    return kind(**own | {name: _notes(own[name]) for name in NOTES if isinstance(own.get(name), tuple)})


def _hit(value: Mapping[str, Any]) -> Hit:
    own = {name: _read(hint, value[name]) for name, hint in _hints(Hit).items() if name in value}
    own |= {"memory": _object(Memory, value), "confidence": _read(_hints(Hit)["confidence"], value["hit_confidence"])}
    return Hit(**own)


@cache
def _hints(kind: type) -> dict[str, Any]:
    known = get_type_hints(kind)
    return {field.name: known[field.name] for field in fields(kind) if field.init}
