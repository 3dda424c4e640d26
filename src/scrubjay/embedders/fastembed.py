"""A model that the user's fastembed has; only what is on this machine already, nothing is fetched."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from threading import Lock
from typing import TYPE_CHECKING, Any

from scrubjay.embedders.local import import_quietly
from scrubjay.embedders.remote import pieces
from scrubjay.errors import EmbedderUnavailable, MissingExtra

if TYPE_CHECKING:
    from scrubjay.embedders import Matrix

__all__ = ["Fastembed", "connect"]


class Fastembed:
    """Embeds with fastembed, which knows by itself what its models want before a question."""

    def __init__(self, name: str, dimensions: int) -> None:
        self.name = name
        self.model = f"fastembed {name}"
        self.dimensions = dimensions
        self._lock = Lock()
        self._loaded: Any = None

    def embed(self, texts: Sequence[str], query: bool = False) -> Matrix:
        import numpy as np

        model = self._load()
        rows = list(model.query_embed(list(texts)) if query else model.embed(list(texts)))
        self.dimensions = self.dimensions or (len(rows[0]) if rows else 0)
        return np.array(rows, np.float32).reshape(len(rows), self.dimensions)

    def pieces(self, text: str) -> list[str]:
        return pieces(text)

    def _load(self) -> Any:
        with self._lock:
            if self._loaded is None:
                try:
                    import_quietly()  # what fastembed reckons with
                    from fastembed import TextEmbedding

                    self._loaded = TextEmbedding(self.name, local_files_only=True)
                except Exception as problem:
                    raise EmbedderUnavailable(f"fastembed cannot load {self.name!r}: {problem}") from problem
        return self._loaded


def connect(name: str, dimensions: int = 0) -> Fastembed:
    if find_spec("fastembed") is None:
        raise MissingExtra("fastembed's models need `pip install 'scrubjay[fastembed]'`.")
    return Fastembed(name, dimensions)
