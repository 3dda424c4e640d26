"""Gemini's wire format for text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from scrubjay.models.generators.served import MOST_TOKENS, Format, Schema, Served
from scrubjay.models.http import google_key
from scrubjay.models.providers import Access, Endpoint

__all__ = ["connect"]


def connect(endpoint: Endpoint, access: Access) -> Served:
    return Served(endpoint, access, FORMAT)


def _body(model: str, prompt: str, schema: Schema | None) -> Mapping[str, Any]:
    how: dict[str, Any] = {"maxOutputTokens": MOST_TOKENS}
    if schema is not None:
        how |= {"responseMimeType": "application/json", "responseJsonSchema": schema}
    return {"contents": [{"role": "user", "parts": [{"text": prompt}]}], "generationConfig": how}


def _text(answer: Any) -> str:
    parts = answer["candidates"][0]["content"]["parts"]
    return "".join(part.get("text", "") for part in parts)


def _tokens(answer: Any) -> tuple[Any, Any]:
    used = answer["usageMetadata"]
    return used["promptTokenCount"], used.get("candidatesTokenCount", 0)


FORMAT = Format(
    lambda model: f"/models/{quote(model, safe='')}:generateContent",
    _body,
    _text,
    _tokens,
    google_key,
)
