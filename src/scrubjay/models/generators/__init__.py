"""Generators are language models that write text. This module is their contract; each is imported only when named."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Protocol

from scrubjay.errors import Invalid
from scrubjay.models.providers import Credentials, endpoint
from scrubjay.text.secret_scan.quoting import quoted

__all__ = ["Generated", "Generator", "check_name", "estimated_tokens", "open_generator"]

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
    """The text that a model wrote, and the tokens it used."""

    text: str
    tokens_in: int
    tokens_out: int


class Generator(Protocol):
    """Writes an answer to a prompt."""

    @property
    def model(self) -> str: ...

    def generate(self, prompt: str, schema: Mapping[str, Any] | None = None) -> Generated:
        """Write text; with a schema, JSON of that shape if the model supports it. Raises `GeneratorUnavailable`."""

    def close(self) -> None: ...


def estimated_tokens(text: str) -> int:
    """An estimate for budgets: before a request, and for servers that do not report tokens."""
    return len(text) // CHARACTERS_PER_TOKEN + 1


def open_generator(name: str, credentials: Credentials | None = None) -> Generator:
    """Open the generator of that name. This uses no network."""
    check_name(name)
    module = import_module(MODULES[name.partition(":")[0]])
    opened: Generator = module.connect(endpoint(name), credentials or Credentials("generator"))
    return opened


def check_name(name: str) -> None:
    """Refuse what names no generator, without opening one."""
    if name.partition(":")[0] not in MODULES:
        raise Invalid(f"There is no generator {quoted(name)}; use one of {', '.join(f'{each}:…' for each in MODULES)}.")
    endpoint(name)
