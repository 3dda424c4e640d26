"""Which text of a memory is embedded, and how texts become vectors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from scrubjay.errors import EmbedderError, EmbedderUnavailable
from scrubjay.models.embedders import Embedder, cut
from scrubjay.types import Memory, Model, limits

if TYPE_CHECKING:
    from scrubjay.types.vectors import Matrix

__all__ = [
    "PAGE_BREAK",
    "Embedded",
    "Progress",
    "embed_memories",
    "embed_query",
    "embedded_text",
    "make_sure_it_answers",
    "model_of",
    "pieces_of",
    "stacked",
]

Progress = Callable[[int, int], None]  # called with how many are done, and of how many

RECIPE = "title+text/3"  # must change whenever `embedded_text` or the cutting into pieces does
PAGE_BREAK = "\f"  # what stands on two pages is never in one piece
TEXTS_AT_ONCE = 512
PROBE = "Does this model answer?"


class Embedded(NamedTuple):
    """The vectors of each text (one per piece), why some texts were refused, and why the others must wait."""

    vectors: Sequence[Matrix | None]
    refused: Mapping[int, str]  # by index of the text
    unavailable: EmbedderUnavailable | None = None


def model_of(embedder: Embedder, spec: str) -> Model:
    return Model(spec, embedder.model, embedder.dimensions, RECIPE)


def embedded_text(memory: Memory) -> str:
    title, said = memory.given_title, memory.said[: limits.EMBEDDED_CHARACTERS]
    return f"{title}\n{said}" if title else said


def pieces_of(embedder: Embedder, memory: Memory) -> list[str]:
    text = embedded_text(memory)
    if PAGE_BREAK not in text:
        return cut(embedder, text)
    pages = [page.strip() for page in text.split(PAGE_BREAK) if page.strip()]
    return [piece for page in pages or [text] for piece in cut(embedder, page)]


def embed_query(embedder: Embedder, texts: Sequence[str]) -> Matrix:
    return _unit_vectors(embedder, texts, query=True)


def embed_memories(embedder: Embedder, memories: Sequence[Memory], progress: Progress | None = None) -> Embedded:
    """Embed what can be embedded. If the embedder becomes unavailable, the vectors made so far are kept."""
    try:
        pieces = [pieces_of(embedder, memory) for memory in memories]
    except EmbedderUnavailable as problem:
        return Embedded([None] * len(memories), {}, problem)
    texts = sorted({piece for own in pieces for piece in own}, key=_length)  # each once; of similar length together
    done = EmbeddingPass(embedder)
    for start in range(0, len(texts), TEXTS_AT_ONCE):
        try:
            done.embed(texts[start : start + TEXTS_AT_ONCE])
        except EmbedderUnavailable as problem:
            done.unavailable = problem
            break
        if progress:
            progress(min(start + TEXTS_AT_ONCE, len(texts)), len(texts))
    vectors = [stacked([done.vectors.get(piece) for piece in own]) for own in pieces]
    refused = {owner: done.refused[piece] for owner, own in enumerate(pieces) for piece in own if piece in done.refused}
    return Embedded(vectors, refused, done.unavailable)


def _length(text: str) -> tuple[int, str]:
    return len(text), text


class EmbeddingPass:
    """One pass over many different texts."""

    def __init__(self, embedder: Embedder) -> None:
        self.vectors: dict[str, Matrix] = {}
        self.refused: dict[str, str] = {}
        self.unavailable: EmbedderUnavailable | None = None
        self._embedder = embedder
        self._answers = False  # once it has embedded something, a refusal is the fault of the text

    def embed(self, texts: Sequence[str]) -> None:
        """Embed all texts; if that fails, halve the batch until the text that cannot be embedded is alone."""
        try:
            self.vectors |= zip(texts, _unit_vectors(self._embedder, texts), strict=True)
            self._answers = True
            return
        except EmbedderUnavailable:
            raise
        except Exception as problem:  # an embedder may be the user's own code: no error of it may lose a memory
            if not self._answers:
                make_sure_it_answers(self._embedder, query=True)
                self._answers = True
            if len(texts) == 1:
                self.refused[texts[0]] = f"{problem}" or type(problem).__name__
                return
        middle = len(texts) // 2
        self.embed(texts[:middle])
        self.embed(texts[middle:])


def make_sure_it_answers(embedder: Embedder, *, query: bool) -> None:
    """Embed a probe. If even that fails, the embedder is broken, not the text that it refused before.

    A query has a short time limit; anything else waits until a local server has loaded the model.
    """
    try:
        _unit_vectors(embedder, [PROBE], query=query)
    except EmbedderUnavailable:
        raise
    except Exception as problem:
        raise EmbedderUnavailable(f"{problem}" or type(problem).__name__) from problem


def _unit_vectors(embedder: Embedder, texts: Sequence[str], query: bool = False) -> Matrix:
    embedded = embedder.embed(texts, query=query)
    import numpy as np  # imported after the model is loaded: that imports numpy, too, in parallel

    rows = np.asarray(embedded, dtype=np.float32)
    if rows.shape != (len(texts), embedder.dimensions) or not np.isfinite(rows).all():
        raise EmbedderError(f"The embedder {embedder.model!r} gave vectors of the wrong shape or with invalid numbers.")
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    unit: Matrix = np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0)
    return unit


def stacked(pieces: Sequence[Matrix | None]) -> Matrix | None:
    """The vectors of a text's pieces as one matrix; None if one is missing."""
    import numpy as np

    return None if any(piece is None for piece in pieces) else np.stack([one for one in pieces if one is not None])
