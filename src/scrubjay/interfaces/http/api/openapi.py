"""The description of the API as OpenAPI 3.1, made from the table of verbs and the shapes of the answers."""

from __future__ import annotations

import inspect
import re
from functools import cache
from typing import Any

from pydantic.json_schema import models_json_schema

import scrubjay
from scrubjay.interfaces.http.access import SPACE_HEADER
from scrubjay.interfaces.http.api.arguments import model_of
from scrubjay.interfaces.http.api.keys import KEY_HEADER
from scrubjay.interfaces.shapes import MADE, NOUNS, Shape, shape_of
from scrubjay.remote.verbs import PREFIX, VERBS, Verb, function_of

__all__ = ["description"]

REF = "#/components/schemas/"
PLAIN: dict[str, dict[str, Any]] = {
    "text": {"type": "string"},
    "number": {"type": "number"},
    "id": {"type": "integer"},
    "time": {"type": "string", "format": "date-time"},
    "day": {"type": "string", "format": "date"},
    "trust": {"enum": ["user", "agent", "external"]},
    "object": {"type": "object"},
    "any": {},
    "null": {"type": "null"},
    "true": {"const": True},
    "false": {"const": False},
    "first, last": {"type": "integer"},
}
PROBLEM = {
    "type": "object",
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
    },
    "required": ["type", "title", "status", "detail"],
}
FILE = {"required": True, "content": {"application/octet-stream": {}}}
STREAMS = {"events": "text/event-stream", "download": "application/x-ndjson"}
ONLY_IDS = {
    "type": "object",
    "properties": {"ids": {"type": "array", "items": {"type": "integer"}}},
    "required": ["ids"],
}


@cache
def description() -> dict[str, Any]:
    _, arguments = models_json_schema([(model_of(verb), "validation") for verb in VERBS], ref_template=REF + "{model}")
    nouns = {_key(noun): _shape(shape_of(noun)) for noun in (*NOUNS, *MADE)}
    return {
        "openapi": "3.1.0",
        "info": {"title": "Scrubjay", "version": scrubjay.__version__, "description": _ABOUT},
        "servers": [{"url": PREFIX}],
        "security": [{"token": []}],
        "paths": _paths(arguments["$defs"]),
        "components": {
            "schemas": {**_shared(arguments["$defs"]), **nouns, "problem": PROBLEM},
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


_ABOUT = (
    f"Every verb of the Python surface, with the same words. Without `{SPACE_HEADER}`, a token's first space is used."
    " A token that may not read gets only the ids of what it wrote."
)


_STREAMED = {
    "events": "Server-sent events: the data of each is a memory_change.",
    "download": "The file, a line of JSON for each part of it. X-Scrubjay-Report has an exported as JSON.",
}


def _shared(models: dict[str, Any]) -> dict[str, Any]:
    """What arguments are made of; the arguments themselves stand where they are taken."""
    own = {model_of(verb).__name__ for verb in VERBS}
    return {name: schema for name, schema in models.items() if name not in own}


def _paths(models: dict[str, Any]) -> dict[str, Any]:
    paths: dict[str, Any] = {}
    for verb in VERBS:
        paths.setdefault(verb.path, {})[verb.method.lower()] = _operation(verb, models)
    return paths


def _operation(verb: Verb, models: dict[str, Any]) -> dict[str, Any]:
    own = _without_null_defaults(models[model_of(verb).__name__])
    about = inspect.cleandoc(function_of(verb.name).__doc__ or "")
    body = {"requestBody": _body(verb, own)} if verb.has_body else {}
    body |= {"requestBody": FILE} if verb.stream == "upload" else {}
    return {
        "operationId": verb.name,
        "summary": about.partition("\n")[0],
        "description": f"{about}\n\nNeeds the scope {' and '.join(verb.scopes)}.".strip(),
        "tags": [verb.path.split("/")[1]],
        "parameters": [*_parameters(verb, own), *_headers(verb)],
        **body,
        "responses": {"200": _ok(verb), "default": _problem()},
    }


def _without_null_defaults(model: dict[str, Any]) -> dict[str, Any]:
    """None stands for what is not given, which needs no default; many arguments do not take null."""
    given = {
        name: {key: value for key, value in schema.items() if (key, value) != ("default", None)}
        for name, schema in model.get("properties", {}).items()
    }
    return {**model, "properties": given}


def _parameters(verb: Verb, model: dict[str, Any]) -> list[dict[str, Any]]:
    named = model.get("properties", {})
    in_path = [{"name": name, "in": "path", "required": True, "schema": _in_path(named[name])} for name in verb.in_path]
    if verb.has_body:
        return in_path
    required = model.get("required", ())
    return in_path + [
        {"name": name, "in": "query", "required": name in required, **_in_query(schema)}
        for name, schema in named.items()
        if name not in verb.in_path
    ]


def _in_path(schema: dict[str, Any]) -> dict[str, Any]:
    """Several values are separated by commas."""
    if schema.get("type") != "array":
        return schema
    return {"type": "string", "pattern": r"^\d+(,\d+)*$", "description": "Ids, separated by commas."}


def _in_query(schema: dict[str, Any]) -> dict[str, Any]:
    """An object is written as JSON."""
    kinds = {schema.get("type"), *(one.get("type") for one in schema.get("anyOf", ()))}
    return {"content": {"application/json": {"schema": schema}}} if "object" in kinds else {"schema": schema}


def _body(verb: Verb, model: dict[str, Any]) -> dict[str, Any]:
    properties = {name: about for name, about in model.get("properties", {}).items() if name not in verb.in_path}
    required = [name for name in model.get("required", ()) if name not in verb.in_path]
    schema = {"type": "object", "properties": properties, "additionalProperties": False}
    return {
        "required": bool(required),
        "content": {"application/json": {"schema": schema | ({"required": required} if required else {})}},
    }


def _headers(verb: Verb) -> list[dict[str, Any]]:
    text = {"type": "string"}
    given = [{"name": SPACE_HEADER, "in": "header", "schema": text, "description": "The space; the token's first."}]
    if verb.stream == "events":
        given.append({"name": "Last-Event-ID", "in": "header", "schema": text, "description": "Goes before after."})
    if verb.is_kept:
        given.append({"name": KEY_HEADER, "in": "header", "schema": text, "description": "Sent again, not done again."})
    if verb.writes and "id" in verb.in_path:
        given.append(
            {"name": "If-Match", "in": "header", "schema": text, "description": "The ETag of what is changed."}
        )
    return given


def _ok(verb: Verb) -> dict[str, Any]:
    if verb.stream in STREAMS:
        return {"description": _STREAMED[verb.stream], "content": {STREAMS[verb.stream]: {"schema": PLAIN["text"]}}}
    shape = _noun(verb.answer) if isinstance(verb.answer, str) else _shape(verb.answer)
    schema = {"anyOf": [shape, ONLY_IDS]} if verb.scopes == ("write",) else shape
    return {"description": "The answer.", "content": {"application/json": {"schema": schema}}}


def _problem() -> dict[str, Any]:
    return {
        "description": "Why it could not be answered.",
        "content": {"application/problem+json": {"schema": {"$ref": f"{REF}problem"}}},
    }


def _shape(shape: Shape) -> dict[str, Any]:
    properties = {name: _alternatives(words) for name, words in shape.items()}
    return {"type": "object", "properties": properties, "required": list(shape)}


def _alternatives(words: str) -> dict[str, Any]:
    """`[a or b]` is a list of either; `a or b` is either."""
    if words.startswith("[") and words.endswith("]") and "] or [" not in words:
        return {"type": "array", "items": _alternatives(words[1:-1])}
    parts = re.split(r" or (?![^\[]*\])", words)
    return _noun(parts[0]) if len(parts) == 1 else {"anyOf": [_alternatives(part) for part in parts]}


def _noun(word: str) -> dict[str, Any]:
    return PLAIN.get(word) or {"$ref": REF + _key(word)} if word != "any" else {}


def _key(noun: str) -> str:
    return noun.replace(" ", "_")
