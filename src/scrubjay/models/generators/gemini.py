"""Gemini's wire format for text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from scrubjay.models.generators.served import MAX_TOKENS, Schema, ServedGenerator, TextFormat
from scrubjay.models.http import google_key
from scrubjay.models.providers import Credentials, Endpoint

__all__ = ["connect"]


def connect(endpoint: Endpoint, credentials: Credentials) -> ServedGenerator:
    return ServedGenerator(endpoint, credentials, FORMAT)


def _body(model: str, prompt: str, schema: Schema | None) -> Mapping[str, Any]:
    config: dict[str, Any] = {"maxOutputTokens": MAX_TOKENS}
    if schema is not None:
        config |= {"responseMimeType": "application/json", "responseJsonSchema": schema}
    return {"contents": [{"role": "user", "parts": [{"text": prompt}]}], "generationConfig": config}


def _text(answer: Any) -> str:
    parts = answer["candidates"][0]["content"]["parts"]
    return "".join(part.get("text", "") for part in parts)


def _tokens(answer: Any) -> tuple[Any, Any]:
    used = answer["usageMetadata"]
    return used["promptTokenCount"], used.get("candidatesTokenCount", 0)


FORMAT = TextFormat(
    lambda model: f"/models/{quote(model, safe='')}:generateContent",
    _body,
    _text,
    _tokens,
    google_key,
)
