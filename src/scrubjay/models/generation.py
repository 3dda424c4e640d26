"""Generating text with the configured language model, within a budget of tokens a month."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from scrubjay.dates.timestamps import Clock
from scrubjay.errors import BudgetSpent, GeneratorError, Unreadable
from scrubjay.models.generators import Generated, Generator, estimated_tokens, open_generator
from scrubjay.models.providers import Credentials
from scrubjay.stores import Ledger

__all__ = ["NO_GENERATOR", "BudgetedGenerator", "configured_generator", "list_schema", "parse_json"]

NO_GENERATOR = "No generator is set; set one, for example with `scrubjay config generator ollama:llama3.2`."
SPENT = "This month's budget of {:,} tokens is spent ({:,} used so far); raise generation.budget to go on."
FENCE = re.compile(r"```(?:json)?\s*(.*?)(?:```|\Z)", re.DOTALL)
TRAILING_COMMA = re.compile(r",(\s*[\]}])")


def list_schema(name: str, item: Mapping[str, Any]) -> dict[str, Any]:
    """The JSON schema of an object with one list, whose items have exactly these fields."""
    items = {"type": "object", "properties": item, "required": list(item), "additionalProperties": False}
    return {
        "type": "object",
        "properties": {name: {"type": "array", "items": items}},
        "required": [name],
        "additionalProperties": False,
    }


class BudgetedGenerator:
    """The configured generator, within a monthly budget of tokens."""

    def __init__(
        self, ledger: Ledger, spec: str | None, credentials: Credentials, budget: int, clock: Clock
    ) -> None:  # fmt: skip
        self.spec = spec
        self._ledger = ledger
        self._credentials = credentials
        self._budget = budget
        self._clock = clock
        self._generator: Generator | None = None

    def generate(self, prompt: str, schema: Mapping[str, Any] | None = None) -> Generated:
        """Generate text and record the tokens. Raises if no generator is set or the budget is spent."""
        generator = self._opened()
        month = f"{self._clock():%Y-%m}"
        spent = self._ledger.spent(month).tokens
        if self._budget and spent + estimated_tokens(prompt) > self._budget:
            raise BudgetSpent(SPENT.format(self._budget, spent))
        written = generator.generate(prompt, schema)
        self._ledger.spend(month, generator.model, written.tokens_in, written.tokens_out)
        return written

    @property
    def model(self) -> str | None:
        """The model that writes; None until it was asked."""
        return self._generator.model if self._generator else None

    def close(self) -> None:
        if self._generator is not None:
            self._generator.close()

    def _opened(self) -> Generator:
        if not self.spec:
            raise GeneratorError(NO_GENERATOR)
        if self._generator is None:
            self._generator = open_generator(self.spec, self._credentials)
        return self._generator


@contextmanager
def configured_generator(ledger: Ledger, setting: Callable[[str], Any], clock: Clock) -> Iterator[BudgetedGenerator]:
    """The generator that the settings name, as long as it is needed."""
    credentials = Credentials("generator", setting("keys.generator"), setting("headers.generator"))
    opened = BudgetedGenerator(ledger, setting("generator"), credentials, setting("generation.budget"), clock)
    try:
        yield opened
    finally:
        opened.close()


def parse_json(text: str) -> Any:
    """The JSON in a model's answer, also if it is in a code fence or in prose, has trailing commas, or is cut off."""
    for part in (text, *FENCE.findall(text), *_braced(text)):
        for candidate in (part, without_comma := TRAILING_COMMA.sub(r"\1", part), _closed(without_comma)):
            try:
                found = json.loads(candidate)
            except (ValueError, RecursionError):
                continue
            if isinstance(found, dict | list):
                return found
    raise Unreadable()


def _braced(text: str) -> Iterator[str]:
    """The text from the first opening brace or bracket to the last closing one, and to the end of the text."""
    starts = [start for start in (text.find("{"), text.find("[")) if start >= 0]
    for start in sorted(starts):
        end = max(text.rfind("}"), text.rfind("]"))
        if end > start:
            yield text[start : end + 1]
        yield text[start:]


def _closed(text: str) -> str:
    """JSON that was cut off: up to the last complete item, with the open brackets closed."""
    complete, stack, quoted, escaped = 0, [], False, False
    still_open: list[str] = []
    for index, letter in enumerate(text):
        if quoted:
            quoted = escaped or letter != '"'
            escaped = letter == "\\" and not escaped
        elif letter == '"':
            quoted = True
        elif letter in "{[":
            stack.append("}" if letter == "{" else "]")
        elif letter in "}]" and stack:
            stack.pop()
            complete, still_open = index + 1, list(stack)
    return text[:complete] + "".join(reversed(still_open))
