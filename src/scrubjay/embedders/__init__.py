"""Embedders turn texts into vectors. This page is their contract; each is imported only when named."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from scrubjay.errors import Invalid, MissingExtra

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix: TypeAlias = NDArray[np.float32]
else:
    Matrix: TypeAlias = Any

__all__ = ["DEFAULT", "NONE", "Embedder", "Matrix", "cut", "open_embedder"]

DEFAULT = "local"
NONE = "none"
MODULES = {"local": "scrubjay.embedders.local", "hashing": "scrubjay.embedders.hashing"}


class Embedder(Protocol):
    """Turns texts into unit vectors of one length.

    One whose model reads only so many tokens may also have `pieces(text) -> list[str]`:
    the parts, each inside its window, that together cover a long text.
    """

    @property
    def model(self) -> str:
        """Stored beside the vectors; another model means a reindex."""

    @property
    def dimensions(self) -> int: ...

    def embed(self, texts: Sequence[str], query: bool = False) -> Matrix:
        """One row per text, of length 1. Raises `EmbedderUnavailable` when it cannot answer."""


def open_embedder(name: str) -> Embedder | None:
    """Open the embedder of that name; `none` is no embedder at all."""
    if name == NONE:
        return None
    if name not in MODULES:
        raise Invalid(f"There is no embedder {name!r}; use one of {', '.join([*MODULES, NONE])}.")
    try:
        module = import_module(MODULES[name])
    except ImportError as missing:
        raise MissingExtra(f"The embedder {name!r} needs the package {missing.name!r}.") from missing
    opened: Embedder = module.connect()
    return opened


def cut(embedder: Embedder, text: str) -> list[str]:
    """The pieces of a text that this embedder sees whole."""
    pieces: Callable[[str], list[str]] | None = getattr(embedder, "pieces", None)
    return pieces(text) if pieces else [text]
