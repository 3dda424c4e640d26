"""A file to import, as somebody else might write it."""

from __future__ import annotations

import hashlib
import json
from typing import Any

__all__ = ["as_export"]


def as_export(lines: list[dict[str, Any]], blanks: int = 0) -> bytes:
    """Lines as a file that nobody has signed, with so many blanks after each."""
    header = {"type": "header", "format": "scrubjay-export", "version": 1, "spaces": ["default"]}
    body = b"".join(json.dumps(line).encode() + b" " * blanks + b"\n" for line in [header, *lines])
    end = {"type": "end", "lines": 1 + len(lines), "sha256": hashlib.sha256(body).hexdigest()}
    return body + json.dumps(end).encode() + b"\n"
