"""How near a question is to memories that were not chosen for it: the measure of what a cosine says."""

from __future__ import annotations

from math import floor, log
from typing import TYPE_CHECKING, Any, NamedTuple

from scrubjay.stores.contract import Background, Rows

if TYPE_CHECKING:
    from scrubjay.types.vectors import Matrix

__all__ = ["Samples"]

# Evenly spaced between the first and about the last id of a space: the next current memory to each.
ENDS = "select min(id), max(id) from memories where space = :space and superseded_at is null"
SAMPLE = """
    select distinct (
        select m.id from memories m where m.space = :space and m.superseded_at is null and m.id >= i.value
        order by m.id limit 1
    ) from each(:points) i
"""
CURRENT = "select count(*) from memories where space in (:spaces) and superseded_at is null and id in (:ids)"
LATEST_EVENT = "select seq, token, seq <= settled() from events order by seq desc limit 1"
SAMPLED = 128  # memories, of all spaces together
# A larger space has another sample when it has grown by so much: the same one in each process, whenever it began.
STEP = 1.05
KEPT_SAMPLES = 32

Ends = tuple[tuple[int, int], ...]  # of each space the id where its sample begins, and how far that reaches


class _Sample(NamedTuple):
    ends: Ends
    ids: list[int]
    vectors: Matrix
    checked_at: Any  # the latest event when all of them were current; None if earlier ones could still come


class Samples:
    """Vectors of memories that were chosen for no question, kept as long as the spaces have about the same size."""

    def __init__(self) -> None:
        self._kept: dict[tuple[int, tuple[str, ...]], _Sample] = {}  # by model and spaces

    def background(self, rows: Rows, model: int, vector: Matrix, spaces: tuple[str, ...]) -> Background:
        """How near a question is to memories of these spaces that were not chosen for it."""
        vectors = self._vectors(rows, model, spaces)
        if not len(vectors) or vectors.shape[1] != len(vector):
            return Background(0.0, 0.0, 0)
        cosines = vectors @ vector
        return Background(float(cosines.mean()), float(cosines.std()), len(cosines))

    def _vectors(self, rows: Rows, model: int, spaces: tuple[str, ...]) -> Matrix:
        known, event = self._kept.pop((model, spaces), None), _latest_event(rows)
        if known is None or event is None or known.checked_at != event:
            known = _checked(rows, model, spaces, known)._replace(checked_at=event)
        self._kept[model, spaces] = known
        if len(self._kept) > KEPT_SAMPLES:
            self._kept.pop(next(iter(self._kept)), None)
        return known.vectors


def _latest_event(rows: Rows) -> Any:
    """The latest change of any memory; None if an earlier one may still come."""
    seq, token, is_settled = rows.one(LATEST_EVENT) or (0, 0, True)
    return (seq, token) if is_settled else None


def _checked(rows: Rows, model: int, spaces: tuple[str, ...], known: _Sample | None) -> _Sample:
    """The same sample, or another one if the spaces have grown or any of it is not current."""
    ends = tuple(_ends(rows, space) for space in spaces)
    if known and known.ends == ends and _are_current(rows, known.ids, spaces):
        return known
    return _sample(rows, model, spaces, ends)


def _ends(rows: Rows, space: str) -> tuple[int, int]:
    first, last = rows.one(ENDS, space=space)
    reach = (last or 0) - (first or 0)
    return first or 0, reach if reach <= SAMPLED else floor(STEP ** floor(log(reach, STEP)))


def _sample(rows: Rows, model: int, spaces: tuple[str, ...], ends: Ends) -> _Sample:
    import numpy as np

    each = max(SAMPLED // len(spaces), 2)
    ids = [id for space, own in zip(spaces, ends, strict=True) for id in _spread(rows, space, own, each)]
    found = rows.vectors.of(ids, model)
    return _Sample(ends, list(found), np.array([pieces[0] for pieces in found.values()], dtype=np.float32), None)


def _are_current(rows: Rows, ids: list[int], spaces: tuple[str, ...]) -> bool:
    """Whether all of them are still there: what was deleted must not shift any answer."""
    (count,) = rows.one(CURRENT, ids=ids, spaces=spaces)
    return bool(count == len(ids))


def _spread(rows: Rows, space: str, ends: tuple[int, int], count: int) -> list[int]:
    first, reach = ends
    points = [first + reach * number // (count - 1) for number in range(count)]
    return [id for (id,) in rows.all(SAMPLE, space=space, points=points) if id is not None]
