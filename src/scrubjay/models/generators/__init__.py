"""Generators are language models that write. This page is their contract; each is imported only when named."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Protocol

from scrubjay.errors import Invalid
from scrubjay.models.providers import Access, endpoint

__all__ = ["Generated", "Generator", "guessed_tokens", "open_generator"]

CHARACTERS_PER_TOKEN = 4
MODULES = {
    "ollama": "scrubjay.models.generators.ollama",
    "lmstudio": "scrubjay.models.generators.openai",
    "openai": "scrubjay.models.generators.openai",
    "openai-compatible": "scrubjay.models.generators.openai",
    "groq": "scrubjay.models.generators.openai",
    "anthropic": "scrubjay.models.generators.anthropic",
    "gemini": "scrubjay.models.generators.gemini",
}


@dataclass(frozen=True, slots=True)
class Generated:
    """What a model wrote, and what that took."""

    text: str
    tokens_in: int
    tokens_out: int


class Generator(Protocol):
    """Writes an answer to a prompt."""

    @property
    def model(self) -> str: ...

    def generate(self, prompt: str, schema: Mapping[str, Any] | None = None) -> Generated:
        """With a schema, JSON of that shape, as far as the model can. Raises `GeneratorUnavailable`."""

    def close(self) -> None: ...


def guessed_tokens(text: str) -> int:
    """For a budget, before a model has counted them, and where it does not."""
    return len(text) // CHARACTERS_PER_TOKEN + 1


def open_generator(name: str, access: Access | None = None) -> Generator:
    """Open the generator of that name. No network is needed for that."""
    kind = name.partition(":")[0]
    if kind not in MODULES:
        raise Invalid(f"There is no generator {name!r}; use one of {', '.join(f'{each}:…' for each in MODULES)}.")
    opened: Generator = import_module(MODULES[kind]).connect(endpoint(name), access or Access("generator"))
    return opened
