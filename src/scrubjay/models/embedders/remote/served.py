"""Embedding with a model on a server: texts are sent in batches, and the returned vectors are checked."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from scrubjay.errors import EmbedderError, EmbedderUnavailable
from scrubjay.models.embedders.prefixes import prefixes
from scrubjay.models.embedders.windows import batch_of, batches, pieces
from scrubjay.models.http import Headers, ModelClient
from scrubjay.models.providers import Credentials, Endpoint
from scrubjay.text.plural import counted

if TYPE_CHECKING:
    from scrubjay.types.vectors import Matrix

__all__ = ["RemoteEmbedder", "VectorFormat"]


@dataclass(frozen=True, slots=True)
class VectorFormat:
    """The request for vectors in a server's format, and where in its answer the vectors are."""

    path: Callable[[str], str]
    body: Callable[[str, Sequence[str], bool], Mapping[str, Any]]  # from model, texts, whether they are questions
    vectors: Callable[[Any], Sequence[Sequence[float]]]
    headers: Headers


@dataclass(slots=True, repr=False)
class RemoteEmbedder:
    """Embeds with a model on a server. May be shared between threads."""

    endpoint: Endpoint
    credentials: Credentials
    format: VectorFormat
    dimensions: int = 0
    client: ModelClient = field(init=False)

    def __post_init__(self) -> None:
        self.client = ModelClient(
            self.endpoint, self.credentials, self.format.headers, EmbedderUnavailable, EmbedderError
        )

    @property
    def model(self) -> str:
        return f"{self.endpoint.model}{' with prefixes/1' if any(prefixes(self.endpoint.model)) else ''}"

    def embed(self, texts: Sequence[str], query: bool = False) -> Matrix:
        import numpy as np

        for_query, for_document = prefixes(self.endpoint.model)
        prefix = for_query if query else for_document
        ready = [prefix + text for text in texts]
        parts = list(batches(ready, batch_of(self.endpoint.provider)))
        bodies = [self.format.body(self.endpoint.model, part, query) for part in parts]
        answers = self.client.post_all(self.format.path(self.endpoint.model), bodies, patient=not query)
        rows = [self._rows(answer, len(part)) for part, answer in zip(parts, answers, strict=True)]
        return np.concatenate(rows) if rows else np.zeros((0, self.dimensions), np.float32)

    def pieces(self, text: str) -> list[str]:
        return pieces(text, self.endpoint.model)

    def close(self) -> None:
        self.client.stop()

    def unit_rows(self, given: Any, count: int) -> Matrix:
        """The vectors of a server's answer, checked, and each scaled to length 1."""
        import numpy as np

        try:
            with np.errstate(over="ignore"):  # a number that is too large becomes infinite, which is refused below
                rows = np.asarray(given, dtype=np.float32)
        except (TypeError, ValueError, OverflowError):
            raise EmbedderError(self._no_vectors) from None
        if rows.ndim != 2 or len(rows) != count:
            raise EmbedderError(
                f"{self.endpoint} answered with {counted(len(rows), 'vector')} for {counted(count, 'text')}."
            )
        if not np.isfinite(rows).all():
            raise EmbedderError(f"{self.endpoint} answered with a vector with invalid numbers.")
        if self.dimensions and rows.shape[1] != self.dimensions:
            raise EmbedderError(f"{self.endpoint} answered with {rows.shape[1]} dimensions, not {self.dimensions}.")
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        if not lengths.all():
            raise EmbedderError(f"{self.endpoint} answered with a vector of length 0.")
        self.dimensions = rows.shape[1]
        unit: Matrix = rows / lengths
        return unit

    def _rows(self, answer: Any, count: int) -> Matrix:
        try:
            given = self.format.vectors(answer)
        except (KeyError, IndexError, TypeError, ValueError, AttributeError, OverflowError):
            raise EmbedderError(self._no_vectors) from None
        return self.unit_rows(given, count)

    @property
    def _no_vectors(self) -> str:
        return f"{self.endpoint} answered with something other than vectors."
