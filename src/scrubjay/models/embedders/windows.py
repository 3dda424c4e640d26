"""How much goes out at once: a piece fits what its model reads, a batch what its provider takes; both in tokens.

Nobody but the server has its tokenizer, so tokens are estimated, and rather too many than too few.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import ceil
from string import ascii_letters

from scrubjay.models.embedders.prefixes import prefixes

__all__ = ["Batch", "batch_of", "batches", "pieces", "tokens", "window"]

# A token has three letters of English or fewer, one digit or sign, and two bytes of any other script.
SIXTHS_OF_A_TOKEN = bytes(2 if chr(byte) in f"{ascii_letters} " else 6 if byte < 128 else 3 for byte in range(256))
MARKS_TOKENS = 2  # that a model sets around each text

LARGEST_WINDOW = 2_048  # a longer text is better found by its parts, also where a model could read more
# Part of a model's name, and the tokens that it reads. The first that fits holds.
WINDOWS = {
    r"paraphrase-.*minilm": 128,
    r"all-minilm": 256,
    r"all-mpnet": 384,
    r"bge-(small|base|large)|(^|[/_-])e5-(small|base|large)|gte-(small|base|large)$|mxbai-embed-large": 512,
    r"arctic-embed(?!.*(2\.0|2$|v2|long))": 512,
}
OVERLAP = 0.1  # of a piece
PLACES_TO_CUT = (b"\n\n", b"\n", b". ", "。".encode(), b" ")


@dataclass(frozen=True, slots=True)
class Batch:
    """What goes into one request, at the most."""

    texts: int
    tokens: int


# Far inside what is documented (OpenAI takes 2,048 texts with 300,000 tokens, Gemini 100 texts), since the smallest
# accounts may send only some 30,000 tokens a minute, and text-embeddings-inference takes 32 texts with 16,384.
BATCHES = {"openai": Batch(256, 30_000), "gemini": Batch(100, 20_000)}
USUAL_BATCH = Batch(32, 16_000)


def tokens(text: str) -> int:
    return ceil(sum(_weighed(_encoded(text))) / 6)


def window(model: str) -> int:
    """The tokens of one text that a model reads, as far as that is known by its name."""
    name = model.lower()
    return next((most for part, most in WINDOWS.items() if re.search(part, name)), LARGEST_WINDOW)


def batch_of(provider: str) -> Batch:
    return BATCHES.get(provider, USUAL_BATCH)


def batches(texts: Sequence[str], most: Batch) -> Iterator[list[str]]:
    """The texts in their order, as few batches as that allows."""
    batch: list[str] = []
    size = 0
    for text in texts:
        length = tokens(text) + MARKS_TOKENS
        if batch and (len(batch) == most.texts or size + length > most.tokens):
            yield batch
            batch, size = [], 0
        batch.append(text)
        size += length
    if batch:
        yield batch


def pieces(text: str, model: str, most: int = LARGEST_WINDOW) -> list[str]:
    """The text itself if the model reads it whole, else overlapping parts that together cover it."""
    _, prefix = prefixes(model)
    room = (min(window(model), most) - MARKS_TOKENS - tokens(prefix)) * 6
    data = _encoded(text)
    sizes = [0, *accumulate(_weighed(data))]
    found, start = [], 0
    while sizes[-1] - sizes[start] > room:
        edge = bisect_right(sizes, sizes[start] + room) - 1
        end = start + _best_cut(data[start:edge])
        found.append(data[start:end])
        start = max(end - int((edge - start) * OVERLAP), start + 1)
    return [part.decode("utf-8", "ignore") for part in (*found, data[start:])]


def _best_cut(view: bytes) -> int:
    """After the last paragraph, line, sentence or word that ends in the second half."""
    ends = (view.rfind(place) + len(place) for place in PLACES_TO_CUT)
    return next((end for end in ends if end > len(view) // 2), len(view))


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "replace")


def _weighed(data: bytes) -> bytes:
    return data.translate(SIXTHS_OF_A_TOKEN)
