"""The arguments of a request, from its path, its query or its JSON, checked by the types of the method it calls."""

from __future__ import annotations

import builtins
import inspect
import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, get_args, get_origin, is_typeddict
from urllib.parse import unquote

from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model
from starlette.requests import Request

from scrubjay.errors import Invalid
from scrubjay.remote.verbs import Verb, parameters_of, type_of
from scrubjay.text.secret_scan.quoting import quoted, shown
from scrubjay.types.limits import ANSWER_ITEMS, check_items, check_queries, is_id

__all__ = ["CURSOR", "model_of", "read_arguments", "takes_cursor"]

CURSOR = "cursor"


async def read_arguments(verb: Verb, request: Request) -> dict[str, Any]:
    """The arguments that were given, by name. Raises `Invalid` with one sentence for what is wrong."""
    given = _path(verb, request) | (await _body(request) if verb.has_body else _query(verb, request))
    for name, value in given.items():
        if isinstance(value, list):
            check_items(shown(name), value)
    try:
        checked = model_of(verb).model_validate(given)
    except ValidationError as wrong:
        raise Invalid(_sentence(verb, wrong)) from None
    found = {name: getattr(checked, name) for name in checked.model_fields_set}
    asked = found.get("limit")
    if isinstance(asked, int) and asked > ANSWER_ITEMS:
        raise Invalid(f"limit is {asked:,}; one request is answered with {ANSWER_ITEMS:,} at most.")
    check_queries(found.get("queries", ()), asked)
    return found


@cache
def model_of(verb: Verb) -> type[BaseModel]:
    """The arguments of a verb as a model, from which the description is made, too."""
    fields: dict[str, Any] = {
        name: (_json_type(type_of(verb.name, about)), _default(about))
        for name, about in parameters_of(verb.name).items()
    }
    if verb.stream == "upload":
        fields["file"] = (str, Field(default="import", description="The name of the file that is sent."))
    if takes_cursor(verb):
        fields[CURSOR] = (str, Field(default="", description="The `next` of the page before."))
    return create_model(_title(verb), __config__=ConfigDict(extra="forbid"), **fields)


def takes_cursor(verb: Verb) -> bool:
    return not isinstance(verb.answer, str) and "next" in verb.answer


def _title(verb: Verb) -> str:
    return "".join(part.title() for part in verb.name.replace(".", "_").split("_")) + "Arguments"


def _json_type(hint: Any) -> Any:
    """What stands for a type in JSON: bytes are text; the method itself checks the keys of objects."""
    if hint in (str | bytes, str | Path):
        return str
    (item,) = get_args(hint) if get_origin(hint) is Sequence else (hint,)
    return Sequence[Mapping[str, Any]] if any(map(is_typeddict, get_args(item))) else hint


def _default(about: inspect.Parameter) -> Any:
    if about.kind is about.VAR_POSITIONAL:
        return Field(default_factory=builtins.list)
    return ... if about.default is about.empty else about.default


def _path(verb: Verb, request: Request) -> dict[str, Any]:
    """The arguments in the path; `ids` are separated by commas."""
    given: dict[str, Any] = {name: unquote(request.path_params[name]) for name in verb.in_path}
    several = {"ids": given["ids"].split(",")} if "ids" in given else {}
    record = {"of": int(given["of"])} if is_id(given.get("of", "")) else {}  # else it is a name
    return given | several | record


def _query(verb: Verb, request: Request) -> dict[str, Any]:
    """A list is a name that is repeated, an object is JSON."""
    given: dict[str, Any] = {}
    known = parameters_of(verb.name)
    for name in request.query_params:
        values = request.query_params.getlist(name)
        hint = type_of(verb.name, known[name]) if name in known else str
        if _is_list(hint):
            given[name] = values
        elif len(values) > 1:
            raise Invalid(f"{shown(name)} is given more than once; give it once.")
        else:
            given[name] = _json(values[0].encode(), name) if _holds(hint, Mapping) else values[0]
    return given


def _is_list(hint: Any) -> bool:
    return _holds(hint, Sequence) or _holds(hint, builtins.list)


def _holds(hint: Any, origin: Any) -> bool:
    """Whether a type, or one of several alternatives, is of that origin."""
    return get_origin(hint) is origin or any(get_origin(one) is origin for one in get_args(hint))


async def _body(request: Request) -> dict[str, Any]:
    body = await request.body()
    found = _json(body, "The request") if body.strip() else {}
    if not isinstance(found, dict):
        raise Invalid("The request must be a JSON object with the arguments by name.")
    return found


def _json(text: bytes, what: str) -> Any:
    try:
        return json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        raise Invalid(f"{shown(what)} is not valid JSON.") from None


def _refuse_constant(name: str) -> None:
    raise ValueError(name)  # NaN and Infinity are not JSON


def _sentence(verb: Verb, wrong: ValidationError) -> str:
    problems = wrong.errors(include_url=False, include_input=False, include_context=False)
    problem = next((one for one in problems if one["type"] == "extra_forbidden"), problems[0])
    name, known = shown(str(problem["loc"][0])), [*model_of(verb).model_fields]
    if problem["type"] == "extra_forbidden":
        return f"{verb.name} has no argument {quoted(name)}; it has {', '.join(known) or 'none'}."
    if problem["type"] == "missing" and len(problem["loc"]) == 1:
        return f"{verb.name} needs the argument {name}."
    return f"{name} is not valid: {problem['msg'][0].lower()}{problem['msg'][1:]}."
