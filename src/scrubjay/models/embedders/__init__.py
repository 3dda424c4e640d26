"""Embedders turn texts into vectors. This page is their contract; each is imported only when named."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from scrubjay.errors import Invalid, MissingExtra
from scrubjay.models.providers import Access, Endpoint, endpoint

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix: TypeAlias = NDArray[np.float32]
else:
    Matrix: TypeAlias = Any

__all__ = ["AUTO", "BUNDLED", "DEFAULT", "NONE", "Embedder", "Matrix", "close", "cut", "open_embedder", "served"]

AUTO = "auto"
DEFAULT = "local"
NONE = "none"
# Each by its name: with no model to choose, with a model of the user's own, and with one that a server has.
BUNDLED = {"local": "scrubjay.models.embedders.bundled", "hashing": "scrubjay.models.embedders.hashing"}
OWN = {
    "onnx": "scrubjay.models.embedders.onnx",
    "fastembed": "scrubjay.models.embedders.fastembed",
    "sentence-transformers": "scrubjay.models.embedders.sentence_transformers",
}
SERVED = {
    "ollama": "scrubjay.models.embedders.remote.ollama",
    "lmstudio": "scrubjay.models.embedders.remote.openai",
    "openai": "scrubjay.models.embedders.remote.openai",
    "gemini": "scrubjay.models.embedders.remote.gemini",
    "groq": "scrubjay.models.embedders.remote.openai",
    "openai-compatible": "scrubjay.models.embedders.remote.openai",
}
NAMES = [*BUNDLED, NONE, *(f"{name}:…" for name in (*SERVED, *OWN))]


class Embedder(Protocol):
    """Turns texts into unit vectors of one length.

    One whose model reads only so many tokens may also have `pieces(text) -> list[str]`:
    the parts, each inside its window, that together cover a long text. One that holds
    connections may have `close()`.
    """

    @property
    def model(self) -> str:
        """Stored beside the vectors; another model means a reindex."""

    @property
    def dimensions(self) -> int:
        """The length of its vectors; 0 while a model that is elsewhere has not yet answered."""

    def embed(self, texts: Sequence[str], query: bool = False) -> Matrix:
        """One row per text, of length 1. Raises `EmbedderUnavailable` when it cannot answer."""


def open_embedder(name: str, access: Access | None = None, dimensions: int = 0) -> Embedder | None:
    """Open the embedder of that name; `none` is no embedder at all. No network is needed for that.

    Where it is known how long the vectors of a remote model are, others will be refused.
    """
    if name == NONE:
        return None
    kind, _, model = name.partition(":")
    if name in BUNDLED:
        opened = _module(name, BUNDLED[name]).connect()
    elif kind in OWN and model:
        opened = _module(name, OWN[kind]).connect(model, dimensions)
    elif kind in SERVED and model:
        opened = _module(name, SERVED[kind]).connect(endpoint(name), access or Access(), dimensions)
    else:
        raise Invalid(f"There is no embedder {name!r}; use one of {', '.join(NAMES)}.")
    embedder: Embedder = opened
    return embedder


def served(name: str) -> Endpoint | None:
    """Where a named embedder's texts go, if they go anywhere."""
    return endpoint(name) if name.partition(":")[0] in SERVED else None


def cut(embedder: Embedder, text: str) -> list[str]:
    """The pieces of a text that this embedder sees whole."""
    pieces: Callable[[str], list[str]] | None = getattr(embedder, "pieces", None)
    return pieces(text) if pieces else [text]


def close(embedder: Embedder | None) -> None:
    closing: Callable[[], None] | None = getattr(embedder, "close", None)
    if closing:
        closing()


def _module(name: str, path: str) -> Any:
    try:
        return import_module(path)
    except ImportError as missing:
        raise MissingExtra(f"The embedder {name!r} needs the package {missing.name!r}.") from missing
