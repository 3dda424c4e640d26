"""Rules are compiled when they are first needed: most texts need few of them."""

from __future__ import annotations

import re
from functools import cache

__all__ = ["Found", "compiled"]

Found = tuple[str, int, int]  # the kind of a secret, where it starts and where it ends


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.ASCII)
