"""How alike words are, "car" and "vehicle" for example: by the vectors that the bundled model starts from, one for
each token. They are read from its weights, whichever model embeds the memories."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from itertools import islice
from typing import TYPE_CHECKING

from scrubjay.models.embedders.bundled import MODEL_FOLDER, Local, open_tokenizer, readable
from scrubjay.text.words import WORD

if TYPE_CHECKING:
    from scrubjay.types.vectors import Matrix

__all__ = ["nearest_in_texts"]

TOKENS = 30_522
READ_CHARACTERS = 1_000  # of each text, so that long texts do not slow a search


def nearest_in_texts(words: Sequence[str], texts: Sequence[str]) -> list[list[float]]:
    """For each text, how alike each of the words is to the nearest word of the text, from 0 to 1."""
    asked = [_tokens_of(word) for word in words]
    told = [{token for word in WORD.findall(text[:READ_CHARACTERS]) for token in _tokens_of(word)} for text in texts]
    columns = {token: number for number, token in enumerate(set().union(*told))}
    alike = _unit_rows([token for tokens in asked for token in tokens]) @ _unit_rows(list(columns)).T
    found = []
    for tokens in told:
        best = iter(alike[:, [columns[token] for token in tokens]].max(axis=1, initial=0.0).tolist())
        found.append([_mean(list(islice(best, len(own)))) for own in asked])
    return found


def _mean(values: Sequence[float]) -> float:
    return min(sum(values) / len(values), 1.0) if values else 0.0


@lru_cache(maxsize=20_000)  # words are few, and the tokenizer takes longer than all else
def _tokens_of(word: str) -> tuple[int, ...]:
    return tuple(open_tokenizer().encode(readable(word), add_special_tokens=False).ids)


def _unit_rows(tokens: Sequence[int]) -> Matrix:
    import numpy as np

    rows = _table()[list(tokens)].astype(np.float32)
    unit: Matrix = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1.0)
    return unit


@cache
def _table() -> Matrix:
    """The vectors stand first in the weights. They are read where they are, as they are needed."""
    import numpy as np

    return np.memmap(MODEL_FOLDER / "model.weights", np.int8, "r", shape=(TOKENS, Local.dimensions))
