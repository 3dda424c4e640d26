"""How alike words are, "car" and "vehicle" for example: by the vectors that the bundled model starts from, one for
each token. They are read from its weights, whichever model embeds the memories."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from itertools import chain
from typing import TYPE_CHECKING

from scrubjay.models.embedders.bundled import MODEL_FOLDER, Local, open_tokenizer, readable
from scrubjay.text.words import WORD

if TYPE_CHECKING:
    from scrubjay.types.vectors import Matrix

__all__ = ["nearest_in_texts"]

TOKENS = 30_522
READ_CHARACTERS = 1_000  # of each text, so that long texts do not slow a search
# From so many multiplications on, numpy wakes a thread for each processor, which takes longer than these.
MULTIPLIED_AT_ONCE = 2**18


def nearest_in_texts(words: Sequence[str], texts: Sequence[str]) -> list[list[float]]:
    """For each text, how alike each of the words is to the nearest word of the text, from 0 to 1."""
    import numpy as np

    asked = [_tokens_of(word) for word in words]
    told = [_all_tokens(set(WORD.findall(text[:READ_CHARACTERS]))) for text in texts]
    lengths = [len(own) for own in asked]
    shares = np.repeat(np.eye(len(asked)), lengths, axis=0) / np.maximum(lengths, 1)  # of each token in its word
    means: list[list[float]] = np.minimum(_best_products(_all_tokens(words), told) @ shares, 1.0).tolist()
    return means


def _best_products(asked: Sequence[int], told: Sequence[Sequence[int]]) -> Matrix:
    """For each of the texts that were told, the best product of each token that was asked, from 0 on."""
    import numpy as np

    best = np.zeros((len(told), len(asked)), dtype=np.float32)
    held = [number for number, tokens in enumerate(told) if tokens]
    if held and asked:
        different, places = np.unique(np.concatenate([told[number] for number in held]), return_inverse=True)
        starts = np.cumsum([0, *(len(told[number]) for number in held[:-1])])
        best[held] = np.maximum.reduceat(_likeness(different.tolist(), asked)[places], starts)
    return np.maximum(best, 0.0)


def _likeness(tokens: Sequence[int], others: Sequence[int]) -> Matrix:
    """The cosine of the vectors of each token and each of the others."""
    import numpy as np

    (rows, lengths), (asked, asked_lengths) = _vectors(tokens), _vectors(others)
    at_once = MULTIPLIED_AT_ONCE // asked.size + 1
    products = np.concatenate([rows[start : start + at_once] @ asked.T for start in range(0, len(rows), at_once)])
    products /= lengths[:, None] * asked_lengths
    return products


def _all_tokens(words: Iterable[str]) -> list[int]:
    return list(chain.from_iterable(map(_tokens_of, words)))


@lru_cache(maxsize=20_000)
def _tokens_of(word: str) -> tuple[int, ...]:
    """The model's tokens of a word; most words are one, and to look that up is quicker than to cut the word."""
    tokenizer = open_tokenizer()
    whole = tokenizer.token_to_id(word.lower()) if word.isascii() and word.isalnum() else None
    return tuple(tokenizer.encode(readable(word), add_special_tokens=False).ids) if whole is None else (whole,)


def _vectors(tokens: Sequence[int]) -> tuple[Matrix, Matrix]:
    """The vector of each token, and its length, at least 1."""
    import numpy as np

    rows: Matrix = _table()[tokens].astype(np.float32)
    return rows, np.maximum(np.sqrt(np.einsum("ij,ij->i", rows, rows)), 1.0)


@cache
def _table() -> Matrix:
    """The vectors stand first in the weights. They are read where they are, as they are needed."""
    import numpy as np

    weights = np.memmap(MODEL_FOLDER / "model.weights", np.int8, "r", shape=(TOKENS, Local.dimensions))
    return np.asarray(weights)  # a memmap takes longer to select from
