"""Vectors kept from run to run in the temporary folder, so that tuning need not embed again. Safe to delete."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import apsw
import numpy as np

from bench.corpus import Matrix

__all__ = ["Cached"]

BUSY_TIMEOUT_MS = 60_000
KEPT_AT_ONCE = 256  # texts: a run that is ended keeps what it has embedded
FILE = Path(tempfile.gettempdir()) / "scrubjay-bench-embeddings.db"


class Cached:
    """An embedder that remembers what it has embedded."""

    def __init__(self, embedder: Any, path: Path = FILE) -> None:
        self.model, self.dimensions = embedder.model, embedder.dimensions
        self.pieces = embedder.pieces
        self._embedder = embedder
        self._db = apsw.Connection(str(path))
        self._db.set_busy_timeout(BUSY_TIMEOUT_MS)  # several runs may share the file
        self._db.execute("pragma synchronous = off")
        self._db.execute("create table if not exists vectors (key blob unique, vector blob)")

    def embed(self, texts: Sequence[str], query: bool = False) -> Matrix:
        keys = [self._key(text, query) for text in texts]
        rows = [self._at(key) for key in keys]
        missing = [number for number, row in enumerate(rows) if row is None]
        for start in range(0, len(missing), KEPT_AT_ONCE):
            some = missing[start : start + KEPT_AT_ONCE]
            made = self._embedder.embed([texts[number] for number in some], query=query)
            with self._db:
                for number, row in zip(some, made, strict=True):
                    self._db.execute("insert or ignore into vectors values (?, ?)", (keys[number], row.tobytes()))
                    rows[number] = row
        return np.stack([row for row in rows if row is not None])

    def _at(self, key: bytes) -> Matrix | None:
        found = self._db.execute("select vector from vectors where key = ?", (key,)).fetchone()
        return np.frombuffer(found[0], dtype=np.float32) if found else None

    def _key(self, text: str, query: bool) -> bytes:
        return hashlib.blake2b(f"{self.model}\0{query}\0{text}".encode(), digest_size=16).digest()
