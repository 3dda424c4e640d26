"""Dot paths into nested JSON: `preferences.tools[0]`; a key that is no plain word is written `["a key"]`.

No function here changes what it is given: each returns a new value.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from scrubjay.errors import Invalid, NotFound
from scrubjay.text.nearest import did_you_mean
from scrubjay.text.secret_scan.quoting import quoted

__all__ = ["Step", "at", "leaves", "merged", "parsed", "with_value", "without", "written"]

Step = str | int  # a key of an object, or an index of a list

PLAIN = r'[^.\[\]"\\\s](?:[^.\[\]"\\\r\n\t]*[^.\[\]"\\\s])?'
STEP = re.compile(rf'\.?(?P<key>{PLAIN})|\[(?P<index>\d{{1,6}})\]|\[(?P<quoted>"(?:[^"\\]|\\.)*")\]', re.DOTALL)
EXAMPLE = "write e.g. preferences.tools[0]"
LONGEST_PATH, MOST_STEPS = 1_000, 20


def parsed(path: Any) -> tuple[Step, ...]:
    """The steps of a path, the outermost first."""
    if not isinstance(path, str) or not path or len(path) > LONGEST_PATH:
        raise Invalid(f"A path is text of 1 to {LONGEST_PATH:,} characters; {EXAMPLE}.")
    steps: list[Step] = []
    place = 0
    while place < len(path):
        found = STEP.match(path, place)
        if found is None or (found["key"] is not None and (path[place] == ".") == (place == 0)):
            raise Invalid(f"{quoted(path)} is no path; {EXAMPLE}.")
        steps.append(_step(found, path))
        place = found.end()
    if len(steps) > MOST_STEPS:
        raise Invalid(f"A path has at most {MOST_STEPS} steps.")
    if isinstance(steps[0], int):
        raise Invalid(f"A path begins with a key, not with an index; {EXAMPLE}.")
    return tuple(steps)


def _step(found: re.Match[str], path: str) -> Step:
    if found["key"] is not None:
        return found["key"]
    if found["index"] is not None:
        return int(found["index"])
    try:
        return str(json.loads(found["quoted"], strict=False))
    except ValueError:
        raise Invalid(f"{quoted(path)} is no path; {EXAMPLE}.") from None


def written(steps: tuple[Step, ...]) -> str:
    """A path as text."""
    parts = [_written(step) for step in steps]
    return "".join(parts).removeprefix(".")


def _written(step: Step) -> str:
    if isinstance(step, int):
        return f"[{step}]"
    return f".{step}" if re.fullmatch(PLAIN, step) else f"[{json.dumps(step, ensure_ascii=False)}]"


def at(data: Any, steps: tuple[Step, ...]) -> Any:
    """The value at a path; NotFound if there is none."""
    for place, step in enumerate(steps):
        if not _has(data, step):
            raise NotFound(_unknown(data, steps[: place + 1]))
        data = data[step]
    return data


def with_value(data: Any, steps: tuple[Step, ...], value: Any, done: tuple[Step, ...] = ()) -> Any:
    """The data with a value at a path. Objects and lists on the way are made; an index may be one past the end."""
    if not steps:
        return value
    step, *rest = steps
    data = ([] if isinstance(step, int) else {}) if data is None else data
    inner = data[step] if _has(data, step) else None
    after = with_value(inner, tuple(rest), value, (*done, step))
    if isinstance(step, int) and isinstance(data, list) and step <= len(data):
        return [*data[:step], after, *data[step + 1 :]]
    if isinstance(step, str) and isinstance(data, dict):
        return {**data, step: after}
    raise Invalid(_misfit(data, step, done))


def without(data: Any, steps: tuple[Step, ...]) -> Any:
    """The data without what is at a path; NotFound if nothing is."""
    at(data, steps)
    return _without(data, steps)


def _without(data: Any, steps: tuple[Step, ...]) -> Any:
    step, *rest = steps
    if not rest:
        return (
            [*data[:step], *data[step + 1 :]]
            if isinstance(step, int)
            else {key: value for key, value in data.items() if key != step}
        )
    inner = _without(data[step], tuple(rest))
    return [*data[:step], inner, *data[step + 1 :]] if isinstance(step, int) else {**data, step: inner}


def merged(data: Any, patch: Any) -> Any:
    """The data with those of a patch: objects are merged, null removes a key, all else takes the place (RFC 7386)."""
    if not isinstance(patch, dict):
        return patch
    kept = dict(data) if isinstance(data, dict) else {}
    for key, value in patch.items():
        if value is None:
            kept.pop(key, None)
        else:
            kept[key] = merged(kept.get(key), value)
    return kept


def leaves(data: Any, before: tuple[Step, ...] = ()) -> Iterator[tuple[tuple[Step, ...], Any]]:
    """Every value that holds no others, with its path; an empty object or list is one."""
    inner = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    if not inner or not data:
        yield before, data
        return
    for step, value in inner:
        yield from leaves(value, (*before, step))


def _has(data: Any, step: Step) -> bool:
    if isinstance(step, int):
        return isinstance(data, list) and step < len(data)
    return isinstance(data, dict) and step in data


def _unknown(data: Any, steps: tuple[Step, ...]) -> str:
    last = steps[-1]
    known = list(data) if isinstance(data, dict) else []
    end = did_you_mean(last, known) if isinstance(last, str) else "."
    return f"There is nothing at {quoted(written(steps))}{end}"


def _misfit(data: Any, step: Step, done: tuple[Step, ...]) -> str:
    where = written(done) or "the top"
    if isinstance(data, list):
        return f"{where} is a list of {len(data)}; give an index from 0 to {len(data)}."
    kind = "an object; give a key" if isinstance(data, dict) else "a single value; set that itself"
    return f"{where} is {kind}, not {quoted(written((step,)))}."
