"""Generating text with the configured language model, within a budget of tokens a month."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from scrubjay.dates.timestamps import Clock
from scrubjay.errors import BudgetSpent, GeneratorError, Unreadable
from scrubjay.models.generators import Generated, Generator, guessed_tokens, open_generator
from scrubjay.models.providers import Access
from scrubjay.stores import Ledger

__all__ = ["Writer", "list_of", "parsed"]

OFF = "No generator is set; `scrubjay config generator ollama:llama3.2` would set one, for example."
SPENT = "This month's budget of {:,} tokens is spent ({:,} so far); generation.budget sets another."
FENCE = re.compile(r"```(?:json)?\s*(.*?)(?:```|\Z)", re.DOTALL)
TRAILING = re.compile(r",(\s*[\]}])")


def list_of(name: str, item: Mapping[str, Any]) -> dict[str, Any]:
    """The JSON schema of an object with one list in it, whose items have just these fields."""
    items = {"type": "object", "properties": item, "required": list(item), "additionalProperties": False}
    return {
        "type": "object",
        "properties": {name: {"type": "array", "items": items}},
        "required": [name],
        "additionalProperties": False,
    }


class Writer:
    """The generator that is configured, with its budget."""

    def __init__(self, ledger: Ledger, spec: str | None, key_command: str | None, budget: int, clock: Clock) -> None:
        self.spec = spec
        self._ledger = ledger
        self._access = Access("generator", key_command)
        self._budget = budget
        self._clock = clock
        self._generator: Generator | None = None

    def generate(self, prompt: str, schema: Mapping[str, Any] | None = None) -> Generated:
        """Write, and count what it takes; refused when there is no generator, or no budget left for the prompt."""
        generator = self._opened()
        month = f"{self._clock():%Y-%m}"
        spent = self._ledger.spent(month).tokens
        if self._budget and spent + guessed_tokens(prompt) > self._budget:
            raise BudgetSpent(SPENT.format(self._budget, spent))
        written = generator.generate(prompt, schema)
        self._ledger.spend(month, generator.model, written.tokens_in, written.tokens_out)
        return written

    def close(self) -> None:
        if self._generator is not None:
            self._generator.close()

    def _opened(self) -> Generator:
        if not self.spec:
            raise GeneratorError(OFF)
        if self._generator is None:
            self._generator = open_generator(self.spec, self._access)
        return self._generator


def parsed(text: str) -> Any:
    """The JSON in what a model wrote: bare, fenced, with prose around it, with commas too many, or cut off."""
    for part in (text, *FENCE.findall(text), *_braced(text)):
        for candidate in (part, TRAILING.sub(r"\1", part), _closed(TRAILING.sub(r"\1", part))):
            try:
                found = json.loads(candidate)
            except (ValueError, RecursionError):
                continue
            if isinstance(found, dict | list):
                return found
    raise Unreadable()


def _braced(text: str) -> Iterator[str]:
    """From the first brace or bracket on: to the last that closes, and to the end."""
    starts = [place for place in (text.find("{"), text.find("[")) if place >= 0]
    for start in sorted(starts):
        end = max(text.rfind("}"), text.rfind("]"))
        if end > start:
            yield text[start : end + 1]
        yield text[start:]


def _closed(text: str) -> str:
    """What was cut off, up to the last whole item, with everything closed that is open there."""
    whole, stack, quoted, escaped = 0, [], False, False
    open_at_whole: list[str] = []
    for place, letter in enumerate(text):
        if quoted:
            quoted = escaped or letter != '"'
            escaped = letter == "\\" and not escaped
        elif letter == '"':
            quoted = True
        elif letter in "{[":
            stack.append("}" if letter == "{" else "]")
        elif letter in "}]" and stack:
            stack.pop()
            whole, open_at_whole = place + 1, list(stack)
    return text[:whole] + "".join(reversed(open_at_whole))
