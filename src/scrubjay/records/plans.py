"""The execution plan of a skill: steps that use tools, each after those that it depends on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from graphlib import CycleError, TopologicalSorter
from typing import Any

from scrubjay.errors import Invalid
from scrubjay.memory.arguments import short_text
from scrubjay.records.checks import plain_json
from scrubjay.text.secret_scan.quoting import quoted

__all__ = ["checked_plan"]

MOST_STEPS = 100
STEP = {"id", "tool", "parameters", "depends_on"}
EXAMPLE = 'e.g. {"id": "a", "tool": "fetch", "parameters": {}, "depends_on": []}'


def checked_plan(name: str, value: Any, now: datetime) -> list[dict[str, Any]]:
    """The steps in the given order. They depend only on each other, and not in a circle."""
    if isinstance(value, str | Mapping) or not isinstance(value, Sequence) or len(value) > MOST_STEPS:
        raise Invalid(f"{name} must be a list of at most {MOST_STEPS} steps, {EXAMPLE}.")
    steps = [_step(plain_json(name, one)) for one in value]
    ids = [step["id"] for step in steps]
    if twice := sorted({id for id in ids if ids.count(id) > 1}):
        raise Invalid(f"There are two steps {quoted(twice[0])} in the plan; each needs an id of its own.")
    for step in steps:
        if unknown := sorted(set(step["depends_on"]) - set(ids)):
            raise Invalid(f"Step {quoted(step['id'])} depends on {quoted(unknown[0])}, which is no step of the plan.")
    _refuse_circle({step["id"]: step["depends_on"] for step in steps})
    return steps


def _step(given: Any) -> dict[str, Any]:
    if not isinstance(given, dict) or not {"id", "tool"} <= set(given) <= STEP:
        raise Invalid(f"A step is an object with id, tool, parameters and depends_on, {EXAMPLE}.")
    parameters, depends_on = given.get("parameters") or {}, given.get("depends_on") or []
    if not isinstance(parameters, dict) or not isinstance(depends_on, list):
        raise Invalid("The parameters of a step are an object, and depends_on is a list of ids.")
    return {
        "id": short_text("The id of a step", given["id"]),
        "tool": short_text("The tool of a step", given["tool"]),
        "parameters": parameters,
        "depends_on": [short_text("Each of depends_on", one) for one in depends_on],
    }


def _refuse_circle(needs: Mapping[str, Sequence[str]]) -> None:
    try:
        TopologicalSorter(needs).prepare()
    except CycleError as circle:
        raise Invalid(f"The steps depend on each other in a circle: {' → '.join(circle.args[1])}.") from None
