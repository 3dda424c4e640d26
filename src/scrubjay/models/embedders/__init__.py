"""Embedders turn texts into vectors. This module is their contract; each one is imported only when it is named."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from scrubjay.errors import Invalid, MissingExtra
from scrubjay.models.providers import Credentials, Endpoint, endpoint
from scrubjay.text.secret_scan.quoting import quoted

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix: TypeAlias = NDArray[np.float32]
else:
    Matrix: TypeAlias = Any

__all__ = [
    "AUTO",
    "BUNDLED",
    "DEFAULT",
    "NONE",
    "Embedder",
    "Matrix",
    "check_name",
    "close",
    "cut",
    "open_embedder",
    "served",
]

AUTO = "auto"
DEFAULT = "local"
NONE = "none"
# Three sorts of embedders: with a fixed model, with a model on the user's disk, and with a model on a server.
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

    Optional: `pieces(text) -> list[str]` for a model with a limited window, which returns parts that fit the
    window and together cover the text; and `close()` for an embedder that holds connections.
    """

    @property
    def model(self) -> str:
        """The model's name, stored with the vectors; a file needs a reindex to change it."""

    @property
    def dimensions(self) -> int:
        """The length of its vectors; 0 until a remote model has answered once."""

    def embed(self, texts: Sequence[str], query: bool = False) -> Matrix:
        """One row per text, of length 1. Raises `EmbedderUnavailable` when it cannot answer."""


def open_embedder(name: str, credentials: Credentials | None = None, dimensions: int = 0) -> Embedder | None:
    """Open the embedder of that name, or return None for `none`. This uses no network.

    If `dimensions` is given, vectors of another length will be refused.
    """
    if name == NONE:
        return None
    check_name(name)
    kind, _, model = name.partition(":")
    if name in BUNDLED:
        opened = _module(name, BUNDLED[name]).connect()
    elif kind in OWN:
        opened = _module(name, OWN[kind]).connect(model, dimensions)
    else:
        opened = _module(name, SERVED[kind]).connect(endpoint(name), credentials or Credentials(), dimensions)
    embedder: Embedder = opened
    return embedder


def check_name(name: str) -> None:
    """Refuse what names no embedder, without opening one."""
    kind, _, model = name.partition(":")
    if served(name) is None and name not in (*BUNDLED, NONE) and not (kind in OWN and model):
        raise Invalid(f"There is no embedder {quoted(name)}; use one of {', '.join(NAMES)}.")


def served(name: str) -> Endpoint | None:
    """The server that a named embedder sends its texts to; None if it has none."""
    return endpoint(name) if name.partition(":")[0] in SERVED else None


def cut(embedder: Embedder, text: str) -> list[str]:
    """The text split into pieces that each fit the embedder's window."""
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
