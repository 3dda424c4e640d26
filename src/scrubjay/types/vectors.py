"""The type of a matrix whose rows are vectors; importing this does not import numpy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix: TypeAlias = NDArray[np.float32]
else:
    Matrix: TypeAlias = Any

__all__ = ["Matrix"]
