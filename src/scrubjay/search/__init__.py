"""The read path: candidates by word and by meaning, signals, scores, and the results."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import NoReturn


class _Room(ModuleType):
    """`scrubjay.search(…)` is what many try first: it says what to call instead."""

    def __call__(self, *given: object, **named: object) -> NoReturn:
        raise TypeError("A search needs an open memory: with scrubjay.open() as jay: jay.search(…)")


sys.modules[__name__].__class__ = _Room
