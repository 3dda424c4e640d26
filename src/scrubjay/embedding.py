"""What of a memory is embedded, and the vectors that come of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from threading import Thread
from typing import TYPE_CHECKING

from scrubjay.embedders import NONE, Embedder, cut, open_embedder
from scrubjay.errors import EmbedderError, EmbedderMismatch, EmbedderUnavailable, Invalid
from scrubjay.stores import Store
from scrubjay.types import Memory, Model

if TYPE_CHECKING:
    from scrubjay.embedders import Matrix

__all__ = ["Choice", "Progress", "embed_memories", "embed_query", "model_of", "opened_embedder", "opened_with_model"]

Progress = Callable[[int, int], None]

CUSTOM = "custom"  # an embedder that was given as an object: no name opens it again
RECIPE = "title+text/1"  # changes whenever `embedded_text` or the cutting into pieces does
TEXTS_AT_ONCE = 512
LOADING = "the language model is still being loaded."


def model_of(embedder: Embedder, spec: str) -> Model:
    return Model(spec, embedder.model, embedder.dimensions, RECIPE)


def embedded_text(memory: Memory) -> str:
    title = memory.given_title
    return f"{title}\n{memory.text}" if title else memory.text


def embed_query(embedder: Embedder, texts: Sequence[str]) -> Matrix:
    return _checked(embedder, texts, query=True)


def embed_memories(
    embedder: Embedder, memories: Sequence[Memory], progress: Progress | None = None
) -> tuple[list[Matrix | None], str | None]:
    """A matrix of pieces for each memory, None where its text was refused, and the last reason for that."""
    pieces = [cut(embedder, embedded_text(memory)) for memory in memories]
    flat = [(owner, number) for owner, own in enumerate(pieces) for number in range(len(own))]
    flat.sort(key=lambda at: len(pieces[at[0]][at[1]]))  # texts of like length embed fastest together
    found: dict[tuple[int, int], Matrix] = {}
    problem = None
    for start in range(0, len(flat), TEXTS_AT_ONCE):
        batch = flat[start : start + TEXTS_AT_ONCE]
        rows, failure = _embed_what_works(embedder, [pieces[owner][number] for owner, number in batch])
        found |= {at: row for at, row in zip(batch, rows, strict=True) if row is not None}
        problem = failure or problem
        if progress:
            progress(start + len(batch), len(flat))
    return [_stack(found, owner, len(own)) for owner, own in enumerate(pieces)], problem


def _embed_what_works(embedder: Embedder, texts: Sequence[str]) -> tuple[list[Matrix | None], str | None]:
    """Embed all, or halve until the text that cannot be embedded stands alone."""
    try:
        return list(_checked(embedder, texts)), None
    except EmbedderUnavailable:
        raise
    except Exception as problem:  # an embedder is anybody's code: whatever it raises must not lose a memory
        if len(texts) == 1:
            return [None], f"{problem}" or type(problem).__name__
    middle = len(texts) // 2
    left, first = _embed_what_works(embedder, texts[:middle])
    right, second = _embed_what_works(embedder, texts[middle:])
    return left + right, second or first


def _checked(embedder: Embedder, texts: Sequence[str], query: bool = False) -> Matrix:
    import numpy as np

    rows = np.asarray(embedder.embed(texts, query=query), dtype=np.float32)
    if rows.shape != (len(texts), embedder.dimensions) or not np.isfinite(rows).all():
        raise EmbedderError(f"The embedder {embedder.model!r} gave vectors of the wrong shape or with no numbers.")
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    unit: Matrix = np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0)
    return unit


def _stack(found: dict[tuple[int, int], Matrix], owner: int, pieces: int) -> Matrix | None:
    import numpy as np

    rows = [found.get((owner, number)) for number in range(pieces)]
    return None if any(row is None for row in rows) else np.stack([row for row in rows if row is not None])


class Choice:
    """The embedder in use: the one that was named, else the file's own, else the default of a new file."""

    def __init__(self, store: Store, named: str | Embedder | None, usual: str) -> None:
        self._store = store
        self._usual = usual
        self._loading: Thread | None = None
        self.use(named)

    def use(self, named: str | Embedder | None) -> None:
        stored = self._store.model()
        chosen = named if named is not None else stored.spec if stored else self._usual
        self.embedder: Embedder | None = None
        self.model: Model | None = None
        self.why_not = "no embedder is set (`none`)."
        self.wanted = chosen != NONE
        if chosen == CUSTOM:
            self.why_not = f"this file's vectors were made by {stored and stored.name!r}; pass it as embedder=."
            return
        opened, spec = opened_embedder(chosen)
        if opened is None:
            return
        model = model_of(opened, spec)
        if stored is not None and model != stored:
            if named is not None:
                raise EmbedderMismatch(_mismatch(stored, model))
            self.why_not = _mismatch(stored, model)
            return
        self.embedder, self.model = opened, model

    def warm_up(self) -> None:
        """Load the model beside everything else; until that is done, questions are answered by words."""
        load: Callable[[], object] | None = getattr(self.embedder, "load", None)
        if load is not None:
            self._loading = Thread(target=_tried, args=(load,), daemon=True)
            self._loading.start()

    def at_hand(self) -> tuple[Embedder | None, str]:
        """The embedder for a question, or None and why: one that is just being loaded is not waited for."""
        if self._loading is not None and self._loading.is_alive():
            return None, LOADING
        return self.embedder, self.why_not

    def keep_up(self) -> Choice:
        """Follow the file if another process has moved it to another embedder."""
        if self.model is not None and self._store.model() not in (None, self.model):
            self.use(None)
        return self


def opened_embedder(embedder: str | Embedder) -> tuple[Embedder | None, str]:
    """An embedder and the name that opens it again."""
    if isinstance(embedder, str):
        return open_embedder(embedder), embedder
    return embedder, CUSTOM


def opened_with_model(embedder: str | Embedder) -> tuple[Embedder, Model]:
    """An embedder that must be one, and what is stored of it beside its vectors."""
    opened, spec = opened_embedder(embedder)
    if opened is None:
        raise Invalid("A file cannot be reindexed with no embedder; name one, e.g. local.")
    return opened, model_of(opened, spec)


def _tried(load: Callable[[], object]) -> None:
    with suppress(EmbedderError):  # whoever needs it next tries again, and is told
        load()


def _mismatch(stored: Model, model: Model) -> str:
    return (
        f"This file's vectors were made by {stored.name} ({stored.recipe}), not by {model.name} ({model.recipe});"
        f" `scrubjay reindex --embedder {model.spec}` re-embeds them."
    )
