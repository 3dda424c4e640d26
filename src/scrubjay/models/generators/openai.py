"""OpenAI's wire format for text, also used by LM Studio, Groq, vLLM, llama.cpp and many others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scrubjay.models.generators.served import Schema, ServedGenerator, TextFormat
from scrubjay.models.http import bearer
from scrubjay.models.providers import Credentials, Endpoint

__all__ = ["connect"]


def connect(endpoint: Endpoint, credentials: Credentials) -> ServedGenerator:
    return ServedGenerator(endpoint, credentials, FORMAT)


def _body(model: str, prompt: str, schema: Schema | None) -> Mapping[str, Any]:
    body: dict[str, Any] = {"model": model, "messages": [{"role": "user", "content": prompt}]}
    if schema is not None:
        shape = {"name": "answer", "strict": True, "schema": schema}
        body["response_format"] = {"type": "json_schema", "json_schema": shape}
    return body


FORMAT = TextFormat(
    lambda model: "/chat/completions",
    _body,
    lambda answer: str(answer["choices"][0]["message"]["content"] or ""),
    lambda answer: (answer["usage"]["prompt_tokens"], answer["usage"]["completion_tokens"]),
    bearer,
)
