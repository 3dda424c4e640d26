"""A place to measure in: a temporary folder, with the user's own settings and memories out of reach."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["workroom"]


@contextmanager
def workroom() -> Iterator[Path]:
    for name in [name for name in os.environ if name.startswith("SCRUBJAY_")]:
        del os.environ[name]
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # what is installed has been compiled; what is edited must be too
    with tempfile.TemporaryDirectory(prefix="scrubjay-bench-") as folder:
        os.environ["SCRUBJAY_HOME"] = folder
        yield Path(folder)
