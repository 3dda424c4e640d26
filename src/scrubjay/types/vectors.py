"""Matrices whose rows are vectors, those of one memory, and the model they are of; arrays of other numbers.

This does not import numpy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix: TypeAlias = NDArray[np.float32]
    Numbers: TypeAlias = NDArray[np.float64]
else:
    Matrix: TypeAlias = Any
    Numbers: TypeAlias = Any

__all__ = ["Matrix", "Model", "NewVectors", "Numbers"]


class Model(NamedTuple):
    """The model that made a file's vectors. Vectors of different models are never compared."""

    spec: str  # opens the embedder again; includes the address if it is not the provider's own
    name: str
    dimensions: int
    recipe: str  # version of how a memory becomes the text that is embedded


class NewVectors(NamedTuple):
    """The vectors of a memory that has none yet: one for each of its pieces."""

    memory: int  # its id
    space: str
    is_current: bool
    vectors: Matrix
