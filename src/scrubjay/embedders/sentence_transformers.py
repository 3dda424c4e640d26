"""A model that the user's sentence-transformers has; only what is on this machine already, nothing is fetched."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from threading import Lock
from typing import TYPE_CHECKING, Any

from scrubjay.embedders.prefixes import prefixes
from scrubjay.embedders.remote import pieces
from scrubjay.errors import EmbedderUnavailable, MissingExtra

if TYPE_CHECKING:
    from scrubjay.embedders import Matrix

__all__ = ["SentenceTransformers", "connect"]


class SentenceTransformers:
    """Embeds with sentence-transformers, by a model's name or its folder."""

    def __init__(self, name: str, dimensions: int) -> None:
        self.name = name
        self.model = f"sentence-transformers {name}"
        self.dimensions = dimensions
        self._lock = Lock()
        self._loaded: Any = None

    def embed(self, texts: Sequence[str], query: bool = False) -> Matrix:
        import numpy as np

        before, after = prefixes(self.name)
        ready = [(before if query else after) + text for text in texts]
        rows = np.asarray(self._load().encode(ready, normalize_embeddings=True), np.float32)
        self.dimensions = self.dimensions or (rows.shape[1] if len(rows) else 0)
        return rows.reshape(len(texts), self.dimensions)

    def pieces(self, text: str) -> list[str]:
        return pieces(text)

    def _load(self) -> Any:
        with self._lock:
            if self._loaded is None:
                try:
                    from sentence_transformers import SentenceTransformer

                    self._loaded = SentenceTransformer(self.name, local_files_only=True)
                except Exception as problem:
                    raise EmbedderUnavailable(
                        f"sentence-transformers cannot load {self.name!r}: {problem}"
                    ) from problem
        return self._loaded


def connect(name: str, dimensions: int = 0) -> SentenceTransformers:
    if find_spec("sentence_transformers") is None:
        raise MissingExtra("sentence-transformers' models need `pip install 'scrubjay[sentence-transformers]'`.")
    return SentenceTransformers(name, dimensions)
