"""Generating text with a model on a server."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from scrubjay.errors import GeneratorError, GeneratorUnavailable
from scrubjay.models.generators import Generated, estimated_tokens
from scrubjay.models.http import Headers, ModelClient
from scrubjay.models.providers import Credentials, Endpoint

__all__ = ["MAX_TOKENS", "Schema", "ServedGenerator", "TextFormat"]

Schema = Mapping[str, Any]
MAX_TOKENS = 2_000  # of an answer
MOST_REPORTED = 10_000_000  # tokens of one request; no model reads as many


@dataclass(frozen=True, slots=True)
class TextFormat:
    """The request for text in a server's format, and where in its answer the text and the token counts are."""

    path: Callable[[str], str]
    body: Callable[[str, str, Schema | None], Mapping[str, Any]]  # from model, prompt, schema of the answer
    text: Callable[[Any], str]
    tokens: Callable[[Any], tuple[Any, Any]]  # tokens read, tokens written
    headers: Headers


@dataclass(slots=True, repr=False)
class ServedGenerator:
    """Writes with a model on a server. May be shared between threads."""

    endpoint: Endpoint
    credentials: Credentials
    format: TextFormat
    client: ModelClient = field(init=False)

    def __post_init__(self) -> None:
        self.client = ModelClient(
            self.endpoint, self.credentials, self.format.headers, GeneratorUnavailable, GeneratorError
        )

    @property
    def model(self) -> str:
        return self.endpoint.spec

    def generate(self, prompt: str, schema: Schema | None = None) -> Generated:
        try:
            return self._generated(prompt, schema)
        except GeneratorUnavailable:
            raise
        except GeneratorError:
            if schema is None:
                raise
        return self._generated(prompt, None)  # not every model supports a schema; the prompt describes the shape, too

    def close(self) -> None:
        self.client.stop()

    def _generated(self, prompt: str, schema: Schema | None) -> Generated:
        model = self.endpoint.model
        answer = self.client.post(self.format.path(model), self.format.body(model, prompt, schema))
        try:
            text = self.format.text(answer)
        except (KeyError, IndexError, TypeError, AttributeError):
            raise GeneratorError(f"{self.endpoint} answered with something other than text.") from None
        if not isinstance(text, str):
            raise GeneratorError(f"{self.endpoint} answered with something other than text.")
        return Generated(text, *self._tokens(answer, prompt, text))

    def _tokens(self, answer: Any, prompt: str, text: str) -> tuple[int, int]:
        """Tokens as the server reports them; estimated if it does not, or reports what cannot be."""
        estimated = estimated_tokens(prompt), estimated_tokens(text)
        try:
            read, written = (int(count or 0) for count in self.format.tokens(answer))
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
            return estimated
        possible = range(1, MOST_REPORTED)
        return read if read in possible else estimated[0], written if written in possible else estimated[1]
