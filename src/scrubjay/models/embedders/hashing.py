"""Vectors from spelling alone, without a model: words and their trigrams, hashed into 256 dimensions.

For tests, and for machines that cannot run the bundled model: it finds similar spelling, not similar meaning.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING
from unicodedata import normalize

if TYPE_CHECKING:
    from scrubjay.types.vectors import Matrix

__all__ = ["Hashing", "connect"]

WORDS = re.compile(r"\w+")
DIMENSIONS = 256
FNV_OFFSET, FNV_PRIME, FNV_MASK = 0xCBF29CE484222325, 0x100000001B3, 0xFFFFFFFFFFFFFFFF


class Hashing:
    """Embeds by feature hashing. A text without a letter or digit has no direction: its row is all zeros."""

    model = f"hashing/{DIMENSIONS}"
    dimensions = DIMENSIONS

    def embed(self, texts: Sequence[str], query: bool = False) -> Matrix:
        import numpy as np

        vectors = np.zeros((len(texts), DIMENSIONS), np.float32)
        for row, text in zip(vectors, texts, strict=True):
            for feature, count in Counter(features(text)).items():
                dimension, sign = hashed(feature)
                row[dimension] += sign * (1 + math.log(count))
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        np.divide(vectors, lengths, out=vectors, where=lengths > 0)
        return vectors


def features(text: str) -> Iterator[str]:
    """Each word and its trigrams; these match other forms of a word, and parts of texts without spaces."""
    for word in WORDS.findall(normalize("NFKC", text).lower()):
        yield word
        padded = f" {word} "
        yield from (padded[start : start + 3] for start in range(len(padded) - 2))


@lru_cache(maxsize=1 << 16)
def hashed(feature: str) -> tuple[int, int]:
    """The dimension and sign of a feature, by FNV-1a: unlike Python's hash it is the same in every process."""
    value = FNV_OFFSET
    for byte in feature.encode():
        value = (value ^ byte) * FNV_PRIME & FNV_MASK
    return (value >> 1) % DIMENSIONS, 1 if value & 1 else -1


def connect() -> Hashing:
    return Hashing()
