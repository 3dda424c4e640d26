"""Whether an embedder or a generator answers. Each is asked one fixed sentence: nothing of the user is sent."""

from __future__ import annotations

import time
from collections.abc import Callable

from scrubjay.errors import ScrubjayError
from scrubjay.models.embedding import make_sure_it_answers
from scrubjay.models.generation import NO_GENERATOR, BudgetedGenerator
from scrubjay.models.selection import EmbedderSelection
from scrubjay.types.models import Provider

__all__ = ["ask_embedder", "ask_generator"]

PROBE = "Answer with the word yes."


def ask_embedder(selection: EmbedderSelection) -> Provider:
    embedder = selection.embedder
    if embedder is None:
        state = "fails" if selection.is_wanted else "not set"
        return Provider("embedder", selection.spec, state=state, problem=selection.why_none)
    ms, problem = _timed(lambda: make_sure_it_answers(embedder, query=True))
    return Provider(
        "embedder", selection.spec, embedder.model, embedder.dimensions or None, _state(problem), ms, problem
    )  # fmt: skip


def ask_generator(generator: BudgetedGenerator) -> Provider:
    """Its few tokens count in the budget."""
    if not generator.spec:
        return Provider("generator", None, state="not set", problem=NO_GENERATOR)
    ms, problem = _timed(lambda: generator.generate(PROBE))
    return Provider("generator", generator.spec, generator.model, None, _state(problem), ms, problem)


def _timed(ask: Callable[[], object]) -> tuple[int, str]:
    """How many milliseconds an answer took, and what went wrong."""
    started, problem = time.monotonic(), ""
    try:
        ask()
    except ScrubjayError as failed:
        problem = str(failed)
    return round((time.monotonic() - started) * 1000), problem


def _state(problem: str) -> str:
    return "fails" if problem else "answers"
