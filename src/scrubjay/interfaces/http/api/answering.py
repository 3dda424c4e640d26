"""One request: whether its caller may ask, the call of the method, and the answer in JSON."""

from __future__ import annotations

import base64
import binascii
import hashlib
import inspect
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from datetime import datetime
from operator import attrgetter
from typing import Any

from anyio import CapacityLimiter
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import Response

from scrubjay import Memory, NotFound, Scrubjay
from scrubjay.errors import Invalid
from scrubjay.interfaces.answer_dicts import counts_list
from scrubjay.interfaces.exact_json import exact
from scrubjay.interfaces.http.api.arguments import CURSOR, takes_cursor
from scrubjay.interfaces.http.api.problems import Refused
from scrubjay.interfaces.mcp.callers import Caller
from scrubjay.interfaces.seen import ids_in, need_whole_name, seen
from scrubjay.remote.verbs import Verb, parameters_of
from scrubjay.text.safe_text import escaped
from scrubjay.text.secret_scan.quoting import shown
from scrubjay.types import limits

__all__ = ["Answer", "Asked", "answer_to", "check_spaces", "etag_of", "refuse_unless_allowed"]

PAGE = 50
QUERIES_AT_ONCE = 10  # after so many it is looked how large their answer has become
TOO_LARGE = "This answer has more than {:,} characters; ask for less at once."
COUNTED = ("spaces", "kinds", "subjects", "tags")
USES = ("used_count", "used_at")  # change when a memory is read
ALL_SPACES = "This token may not do that: it needs to be for all spaces."
CHANGED = "The memory was changed since: it is not as If-Match says. Read it again."


@dataclass(frozen=True, slots=True)
class Answer:
    """The JSON of an answer, and its headers."""

    body: bytes
    headers: Mapping[str, str]

    def response(self) -> Response:
        return Response(self.body, 200, dict(self.headers), "application/json")


@dataclass(frozen=True, slots=True)
class Asked:
    """A request that may be answered: who asks what, with which arguments."""

    verb: Verb
    who: Caller
    memory: Callable[[], Scrubjay]  # as this caller sees it; it may have to be opened first
    arguments: dict[str, Any]
    request: Request
    threads: CapacityLimiter


def answer_to(verb: Verb, who: Caller, jay: Scrubjay, arguments: dict[str, Any], headers: Headers) -> Answer:
    """Call the method that a request names. Raises a `ScrubjayError` with a sentence for what is wrong."""
    if arguments.get("curate") and not who.may("write"):  # it spends what the generator may cost
        raise Refused(403, "This token may not do that: it needs the scope read and write.")
    if verb.name in ("sessions.end", "sessions.count"):
        need_whole_name(who, jay, arguments["name"])
    page = _page(verb, arguments, jay)
    if "if-match" in headers and "id" in verb.in_path:
        with jay.view.store.transaction():  # so that nobody changes it between the look and the change
            _refuse_if_changed(jay, arguments["id"], headers["if-match"])
            value = _call(verb, jay, arguments)
    else:
        value = _call(verb, jay, arguments)
    if value is None and isinstance(verb.answer, str):
        asked = ", ".join(shown(str(arguments[name])) for name in verb.in_path)
        raise NotFound(f"There is no {verb.answer} {asked} in space {jay.space!r}.")
    told = _in_json(verb, seen(value, who, jay), arguments, who, page)
    own = {"ETag": etag_of(value)} if isinstance(value, Memory) and who.may("read") else {}
    if not who.may("read") and verb.scopes == ("write",):
        told = {"ids": ids_in(told)}
    return Answer(escaped(json.dumps(told, ensure_ascii=False, allow_nan=False)).encode(), own)


def etag_of(memory: Memory) -> str:
    """Changes with the memory, and not when it is only read."""
    fields = {name: value for name, value in exact(memory).items() if name not in USES}
    return f'"{hashlib.blake2b(json.dumps(fields, sort_keys=True).encode(), digest_size=12).hexdigest()}"'


def refuse_unless_allowed(verb: Verb, who: Caller) -> None:
    if not who.may(*verb.scopes):
        raise Refused(403, f"This token may not do that: it needs the scope {' and '.join(verb.scopes)}.")
    if verb.whole_file and not who.sees_all_spaces:
        raise Refused(403, ALL_SPACES)


def check_spaces(verb: Verb, who: Caller, arguments: Mapping[str, Any]) -> None:
    """Refuse spaces that a token is not for; those that a new token is for are no question of access."""
    if verb.whole_file:
        return
    who.need_spaces(*arguments.get("spaces") or ())
    if arguments.get("all_spaces") and not who.sees_all_spaces:
        raise Refused(403, ALL_SPACES)


def _call(verb: Verb, jay: Scrubjay, arguments: Mapping[str, Any]) -> Any:
    """What the method gives, unless it is so large that nobody should wait for its JSON."""
    if verb.name != "search_many":
        value = _called(verb, jay, arguments)
        _room_after(value, limits.ANSWER_CHARACTERS)
        return value
    queries, found, room = arguments["queries"], list[Any](), limits.ANSWER_CHARACTERS
    for start in range(0, len(queries), QUERIES_AT_ONCE):
        part = _called(verb, jay, {**arguments, "queries": queries[start : start + QUERIES_AT_ONCE]})
        room = _room_after(part, room)
        found += part
    return found


def _room_after(value: Any, room: int) -> int:
    """How many characters an answer may still have; raises if it has too many already."""
    left = room - _characters(value)
    if left < 0:
        raise Invalid(TOO_LARGE.format(limits.ANSWER_CHARACTERS))
    return left


def _characters(value: Any) -> int:
    """Of all texts in an answer: those of memories, their titles, tags and metadata, names and notes."""
    if isinstance(value, str):
        return len(value)
    if is_dataclass(value):
        return sum(_characters(getattr(value, field.name)) for field in fields(value))
    if isinstance(value, Mapping):
        return sum(map(_characters, (*value.keys(), *value.values())))
    return sum(map(_characters, value)) if isinstance(value, list | tuple) else 0


def _called(verb: Verb, jay: Scrubjay, arguments: Mapping[str, Any]) -> Any:
    method: Any = attrgetter(verb.name)(jay)
    known = parameters_of(verb.name)
    several = [name for name in arguments if known[name].kind is inspect.Parameter.VAR_POSITIONAL]
    positional = arguments[several[0]] if several else ()
    return method(*positional, **{name: value for name, value in arguments.items() if name not in several})


def _refuse_if_changed(jay: Scrubjay, id: int, expected: str) -> None:
    found = jay.view.existing(id)
    if expected.strip() != "*" and etag_of(found) not in [tag.strip() for tag in expected.split(",")]:
        raise Refused(412, CHANGED)


# Pages


@dataclass(frozen=True, slots=True)
class Page:
    """Which part of a list is asked for. It is as of one moment, so that what comes in does not shift the pages."""

    as_of: datetime | str
    offset: int
    size: int

    def next(self, found: int) -> str | None:
        if found < self.size or not found:
            return None
        moment = self.as_of if isinstance(self.as_of, str) else self.as_of.isoformat()
        return base64.urlsafe_b64encode(f"{self.offset + found} {moment}".encode()).decode()


def _page(verb: Verb, arguments: dict[str, Any], jay: Scrubjay) -> Page | None:
    """Put the page into the arguments."""
    if not takes_cursor(verb):
        return None
    offset, as_of = arguments.get("offset", 0), arguments.get("as_of")
    if cursor := arguments.pop(CURSOR, ""):
        offset, as_of = _read_cursor(cursor)
    size = arguments.get("limit")
    page = Page(as_of or jay.view.clock(), offset, PAGE if size is None else size)
    arguments |= {"offset": page.offset, "limit": page.size}
    if cursor or arguments.get("as_of"):
        arguments["as_of"] = page.as_of
    return page


def _read_cursor(cursor: str) -> tuple[int, str]:
    try:
        offset, _, moment = base64.urlsafe_b64decode(cursor).decode().partition(" ")
        return int(offset), moment
    except (binascii.Error, ValueError):
        raise Invalid("That cursor is not one that this server gave; begin without one.") from None


# JSON


def _in_json(verb: Verb, value: Any, arguments: Mapping[str, Any], who: Caller, page: Page | None) -> dict[str, Any]:
    if isinstance(verb.answer, str):
        found: dict[str, Any] = exact(value)
        return found
    keys = list(verb.answer)
    if value is None:
        return {"deleted": arguments["ids"]} if keys == ["deleted"] else {}
    if page:
        return {keys[0]: exact(value), "next": page.next(len(value))}
    if keys[0] in COUNTED:
        counts = {name: number for name, number in value.items() if keys[0] != "spaces" or who.may_see(name)}
        return {keys[0]: counts_list(keys[0].removesuffix("s"), counts)}
    if isinstance(value, tuple):
        return dict(zip(keys, map(exact, value), strict=True))
    return exact(value) if len(keys) > 1 else {keys[0]: exact(value)}
