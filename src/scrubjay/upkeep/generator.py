"""The generator that the settings name, as long as it is needed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from scrubjay.memory.view import View
from scrubjay.models.generation import BudgetedGenerator
from scrubjay.models.providers import Credentials

__all__ = ["configured_writer"]


@contextmanager
def configured_writer(view: View) -> Iterator[BudgetedGenerator]:
    credentials = Credentials("generator", view.setting("keys.generator"), view.setting("headers.generator"))
    spec, budget = view.setting("generator"), view.setting("generation.budget")
    writer = BudgetedGenerator(view.store.ledger, spec, credentials, budget, view.clock)
    try:
        yield writer
    finally:
        writer.close()
