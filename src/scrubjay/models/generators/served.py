"""Models that a server has: a prompt goes out, text comes back with what it took."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from scrubjay.errors import GeneratorError, GeneratorUnavailable
from scrubjay.models.generators import Generated, guessed_tokens
from scrubjay.models.http import Headers, Wire
from scrubjay.models.providers import Access, Endpoint

__all__ = ["MOST_TOKENS", "Format", "Schema", "Served"]

Schema = Mapping[str, Any]
MOST_TOKENS = 2_000  # of an answer


@dataclass(frozen=True, slots=True)
class Format:
    """How a server wants to be asked for text, and where in its answer it is."""

    path: Callable[[str], str]
    body: Callable[[str, str, Schema | None], Mapping[str, Any]]  # model, prompt, the shape of the answer
    text: Callable[[Any], str]
    tokens: Callable[[Any], tuple[Any, Any]]  # read and written
    headers: Headers


@dataclass(slots=True, repr=False)
class Served:
    """Writes with a model that a server has. May be shared between threads."""

    endpoint: Endpoint
    access: Access
    format: Format
    wire: Wire = field(init=False)

    def __post_init__(self) -> None:
        self.wire = Wire(self.endpoint, self.access, self.format.headers, GeneratorUnavailable, GeneratorError)

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
        return self._generated(prompt, None)  # not every model can keep to a schema; the prompt describes it, too

    def close(self) -> None:
        self.wire.stop()

    def _generated(self, prompt: str, schema: Schema | None) -> Generated:
        model = self.endpoint.model
        answer = self.wire.post(self.format.path(model), self.format.body(model, prompt, schema))
        try:
            text = self.format.text(answer)
        except (KeyError, IndexError, TypeError):
            raise GeneratorError(f"{self.endpoint} answered with something other than text.") from None
        if not isinstance(text, str):
            raise GeneratorError(f"{self.endpoint} answered with something other than text.")
        return Generated(text, *self._tokens(answer, prompt, text))

    def _tokens(self, answer: Any, prompt: str, text: str) -> tuple[int, int]:
        """As the server counts them; where it does not, as they are guessed."""
        guessed = guessed_tokens(prompt), guessed_tokens(text)
        try:
            read, written = self.format.tokens(answer)
            return int(read or guessed[0]), int(written or guessed[1])
        except (KeyError, TypeError, ValueError):
            return guessed
