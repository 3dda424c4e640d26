"""Models of other libraries that are on this machine already; nothing is downloaded."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib.util import find_spec
from threading import Lock
from typing import TYPE_CHECKING, Any

from scrubjay.errors import EmbedderUnavailable, MissingExtra
from scrubjay.models.embedders.windows import pieces

if TYPE_CHECKING:
    from scrubjay.types.vectors import Matrix

__all__ = ["Library", "installed"]

Load = Callable[[str], Any]
Ask = Callable[[Any, str, list[str], bool], Any]  # the loaded model, its name, texts, whether they are questions


class Library:
    """Embeds with a model of another library; it is loaded for the first text."""

    def __init__(self, library: str, name: str, dimensions: int, load: Load, ask: Ask) -> None:
        self.model = f"{library} {name}"
        self.dimensions = dimensions
        self._library = library
        self._name = name
        self._load = load
        self._ask = ask
        self._lock = Lock()
        self._loaded: Any = None

    def embed(self, texts: Sequence[str], query: bool = False) -> Matrix:
        import numpy as np

        rows = np.asarray(self._ask(self._opened(), self._name, list(texts), query), np.float32)
        self.dimensions = self.dimensions or (rows.shape[1] if len(rows) else 0)
        return rows.reshape(len(texts), self.dimensions)

    def pieces(self, text: str) -> list[str]:
        return pieces(text, self._name)

    def _opened(self) -> Any:
        with self._lock:
            if self._loaded is None:
                try:
                    self._loaded = self._load(self._name)
                except Exception as problem:
                    raise EmbedderUnavailable(f"{self._library} cannot load {self._name!r}: {problem}") from problem
        return self._loaded


def installed(library: str) -> None:
    """Raise an error that says what to install if the library is missing."""
    if find_spec(library.replace("-", "_")) is None:
        raise MissingExtra(f"{library}'s models need `pip install 'scrubjay[{library}]'`.")
