"""Matrices whose rows are vectors, and those of one memory; importing this does not import numpy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix: TypeAlias = NDArray[np.float32]
else:
    Matrix: TypeAlias = Any

__all__ = ["Matrix", "NewVectors"]


class NewVectors(NamedTuple):
    """The vectors of a memory that has none yet: one for each of its pieces."""

    memory: int  # its id
    space: str
    is_current: bool
    vectors: Matrix
