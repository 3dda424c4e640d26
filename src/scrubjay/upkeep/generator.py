"""The generator that the settings name, as long as it is needed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from scrubjay.memory.view import View
from scrubjay.models.generation import BudgetedGenerator

__all__ = ["configured_writer"]


@contextmanager
def configured_writer(view: View) -> Iterator[BudgetedGenerator]:
    names = ("generator", "keys.generator", "generation.budget")
    spec, key_command, budget = (view.setting(name) for name in names)
    writer = BudgetedGenerator(view.store.ledger, spec, key_command, budget, view.clock)
    try:
        yield writer
    finally:
        writer.close()
