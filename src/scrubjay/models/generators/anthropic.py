"""Anthropic's wire format for text; an answer with a schema is requested as the input of a tool."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from scrubjay.models.generators.served import MAX_TOKENS, Schema, ServedGenerator, TextFormat
from scrubjay.models.providers import Credentials, Endpoint

__all__ = ["connect"]

VERSION = "2023-06-01"
TOOL = "answer"


def connect(endpoint: Endpoint, credentials: Credentials) -> ServedGenerator:
    return ServedGenerator(endpoint, credentials, FORMAT)


def _body(model: str, prompt: str, schema: Schema | None) -> Mapping[str, Any]:
    body: dict[str, Any] = {
        "model": model,
        "max_tokens": MAX_TOKENS,
        "messages": [{"role": "user", "content": prompt}],
    }
    if schema is not None:
        body["tools"] = [{"name": TOOL, "description": "Give the answer.", "input_schema": schema}]
        body["tool_choice"] = {"type": "tool", "name": TOOL}
    return body


def _text(answer: Any) -> str:
    parts = [
        json.dumps(part["input"]) if part["type"] == "tool_use" else part.get("text", "") for part in answer["content"]
    ]
    return "".join(parts)


def _headers(key: str | None) -> Mapping[str, str]:
    return {"anthropic-version": VERSION, **({"x-api-key": key} if key else {})}


FORMAT = TextFormat(
    lambda model: "/messages",
    _body,
    _text,
    lambda answer: (answer["usage"]["input_tokens"], answer["usage"]["output_tokens"]),
    _headers,
)
