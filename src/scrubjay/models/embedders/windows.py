"""Sizes of requests in tokens: a piece fits the model's window, a batch fits the provider's limit.

Only the server has its tokenizer, so tokens are estimated, and rather too many than too few.
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

# The estimate: three English letters, one digit or sign, or two bytes of any other script make one token.
SIXTHS_OF_A_TOKEN = bytes(2 if chr(byte) in f"{ascii_letters} " else 6 if byte < 128 else 3 for byte in range(256))
SPECIAL_TOKENS = 2  # that a model adds to each text, such as [CLS] and [SEP]

LARGEST_WINDOW = 2_048  # a longer text is found better by its parts, even if a model could read more
# Pattern of the model's name: tokens that it reads. The first match wins.
WINDOWS = {
    r"paraphrase-.*minilm": 128,
    r"all-minilm": 256,
    r"all-mpnet": 384,
    r"bge-(small|base|large)|(^|[/_-])e5-(small|base|large)|gte-(small|base|large)$|mxbai-embed-large": 512,
    r"arctic-embed(?!.*(2\.0|2$|v2|long))": 512,
}
OVERLAP = 0.1  # share of a piece that the next one repeats
SEPARATORS = (b"\n\n", b"\n", b". ", "。".encode(), b" ")


@dataclass(frozen=True, slots=True)
class Batch:
    """The most that goes into one request."""

    texts: int
    tokens: int


# Far below the documented limits (OpenAI 2,048 texts and 300,000 tokens, Gemini 100 texts): the smallest accounts may
# send only some 30,000 tokens a minute, and text-embeddings-inference takes 32 texts and 16,384 tokens.
BATCHES = {"openai": Batch(256, 30_000), "gemini": Batch(100, 20_000)}
DEFAULT_BATCH = Batch(32, 16_000)


def tokens(text: str) -> int:
    return ceil(sum(_token_sixths(_encoded(text))) / 6)


def window(model: str) -> int:
    """How many tokens of a text a model reads, guessed from its name."""
    name = model.lower()
    return next((tokens for pattern, tokens in WINDOWS.items() if re.search(pattern, name)), LARGEST_WINDOW)


def batch_of(provider: str) -> Batch:
    return BATCHES.get(provider, DEFAULT_BATCH)


def batches(texts: Sequence[str], most: Batch) -> Iterator[list[str]]:
    """The texts in their order, in as few batches as possible."""
    batch: list[str] = []
    size = 0
    for text in texts:
        length = tokens(text) + SPECIAL_TOKENS
        if batch and (len(batch) == most.texts or size + length > most.tokens):
            yield batch
            batch, size = [], 0
        batch.append(text)
        size += length
    if batch:
        yield batch


def pieces(text: str, model: str, most: int = LARGEST_WINDOW) -> list[str]:
    """The text itself if it fits the model's window, else overlapping parts that together cover it."""
    _, prefix = prefixes(model)
    room = (min(window(model), most) - SPECIAL_TOKENS - tokens(prefix)) * 6
    data = _encoded(text)
    sizes = [0, *accumulate(_token_sixths(data))]
    found, start = [], 0
    while sizes[-1] - sizes[start] > room:
        edge = bisect_right(sizes, sizes[start] + room) - 1
        end = start + _best_cut(data[start:edge])
        found.append(data[start:end])
        start = max(end - int((edge - start) * OVERLAP), start + 1)
    return [part.decode("utf-8", "ignore") for part in (*found, data[start:])]


def _best_cut(data: bytes) -> int:
    """The end of the last paragraph, line, sentence or word in the second half."""
    ends = (data.rfind(separator) + len(separator) for separator in SEPARATORS)
    return next((end for end in ends if end > len(data) // 2), len(data))


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "replace")


def _token_sixths(data: bytes) -> bytes:
    return data.translate(SIXTHS_OF_A_TOKEN)
