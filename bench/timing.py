"""Clocks: rivals take turns on the same work, so that a noisy machine disturbs all alike."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from statistics import median
from typing import TypeVar

import numpy as np

__all__ = ["Seconds", "milliseconds", "ratio", "seconds", "take_turns"]

Seconds = list[float]
Item = TypeVar("Item")


def seconds(action: Callable[[], object]) -> float:
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def take_turns(actions: Mapping[str, Callable[[Item], object]], items: Sequence[Item]) -> dict[str, Seconds]:
    """Time each action on each item, changing who goes first from one item to the next."""
    taken: dict[str, Seconds] = {name: [] for name in actions}
    names = list(actions)
    for turn, item in enumerate(items):
        first = turn % len(names)
        for name in names[first:] + names[:first]:
            start = time.perf_counter()
            actions[name](item)
            taken[name].append(time.perf_counter() - start)
    return taken


def milliseconds(taken: Seconds, percent: int = 50) -> float:
    return float(np.percentile(taken, percent)) * 1000


def ratio(one: Seconds, other: Seconds) -> float:
    """How many times as long the one takes, by the median."""
    return median(one) / median(other)
