"""What of a memory is embedded, and the vectors that come of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from threading import Thread
from typing import TYPE_CHECKING, NamedTuple

from scrubjay.errors import EmbedderError, EmbedderMismatch, EmbedderUnavailable, Invalid
from scrubjay.models.embedders import AUTO, BUNDLED, DEFAULT, NONE, Embedder, close, cut, open_embedder, served
from scrubjay.models.providers import Access
from scrubjay.stores import Store
from scrubjay.types import Memory, limits
from scrubjay.types.models import Model

if TYPE_CHECKING:
    from scrubjay.types.vectors import Matrix

__all__ = [
    "Choice",
    "Embedded",
    "Progress",
    "embed_memories",
    "embed_query",
    "is_same_model",
    "model_of",
    "pieces_of",
    "stacked",
]

Progress = Callable[[int, int], None]

CUSTOM = "custom"  # an embedder that was given as an object: no name opens it again
RECIPE = "title+text/2"  # changes whenever `embedded_text` or the cutting into pieces does
TEXTS_AT_ONCE = 512
LOADING = "the language model is still being loaded."
PROBE = "Does this model answer?"
GAVE_WAY = "{} This new file's model is {} instead; `scrubjay reindex --embedder {}` changes that."
NOT_NAMED = (
    "this file's vectors were made by {}, which your settings do not name: nothing is sent to it, and nothing of it"
    " is opened, until you say so with `scrubjay config embedder {}`; `scrubjay reindex` changes to the bundled model."
)
# Names in a file are anybody's, and people paste them into a shell.
SAFE_IN_A_SHELL = re.compile(r"[\w./:#@+-]{1,200}", re.ASCII)
UNUSUAL_IN_A_NAME = re.compile(r"[^\w ./:#@+-]", re.ASCII)
NAME_CHARACTERS = 100


class Embedded(NamedTuple):
    """What became of texts: a matrix of pieces for each, why some were refused, and why the rest must wait."""

    rows: Sequence[Matrix | None]
    refused: Mapping[int, str]  # by place
    away: EmbedderUnavailable | None = None

    @property
    def problem(self) -> str | None:
        return str(self.away) if self.away else next(iter(self.refused.values()), None)


def model_of(embedder: Embedder, spec: str) -> Model:
    return Model(spec, embedder.model, embedder.dimensions, RECIPE)


def embedded_text(memory: Memory) -> str:
    title, said = memory.given_title, memory.said[: limits.EMBEDDED_CHARACTERS]
    return f"{title}\n{said}" if title else said


def pieces_of(embedder: Embedder, memory: Memory) -> list[str]:
    return cut(embedder, embedded_text(memory))


def embed_query(embedder: Embedder, texts: Sequence[str]) -> Matrix:
    return _checked(embedder, texts, query=True)


def embed_memories(embedder: Embedder, memories: Sequence[Memory], progress: Progress | None = None) -> Embedded:
    """Embed what can be. An embedder that goes away meanwhile does not take with it what it has done."""
    try:
        pieces = [pieces_of(embedder, memory) for memory in memories]
    except EmbedderUnavailable as problem:
        return Embedded([None] * len(memories), {}, problem)
    flat = [(owner, number) for owner, own in enumerate(pieces) for number in range(len(own))]
    flat.sort(key=lambda at: len(pieces[at[0]][at[1]]))  # texts of like length embed fastest together
    run = Run(embedder)
    for start in range(0, len(flat), TEXTS_AT_ONCE):
        batch = flat[start : start + TEXTS_AT_ONCE]
        try:
            run.embed(batch, [pieces[owner][number] for owner, number in batch])
        except EmbedderUnavailable as problem:
            run.away = problem
            break
        if progress:
            progress(start + len(batch), len(flat))
    rows = [stacked([run.rows.get((owner, number)) for number in range(len(own))]) for owner, own in enumerate(pieces)]
    return Embedded(rows, {owner: reason for (owner, _), reason in run.refused.items()}, run.away)


class Run:
    """One run over many texts."""

    def __init__(self, embedder: Embedder) -> None:
        self.rows: dict[tuple[int, int], Matrix] = {}
        self.refused: dict[tuple[int, int], str] = {}
        self.away: EmbedderUnavailable | None = None
        self._embedder = embedder
        self._answers = False  # it has embedded something: what it refuses now is the text's fault

    def embed(self, places: Sequence[tuple[int, int]], texts: Sequence[str]) -> None:
        """Embed all, or halve until the text that cannot be embedded stands alone."""
        try:
            self.rows |= zip(places, _checked(self._embedder, texts), strict=True)
            self._answers = True
            return
        except EmbedderUnavailable:
            raise
        except Exception as problem:  # an embedder is anybody's code: whatever it raises must not lose a memory
            self._answers = self._answers or _answers(self._embedder)
            if len(texts) == 1:
                self.refused[places[0]] = f"{problem}" or type(problem).__name__
                return
        middle = len(texts) // 2
        self.embed(places[:middle], texts[:middle])
        self.embed(places[middle:], texts[middle:])


def _answers(embedder: Embedder, patient: bool = False) -> bool:
    """Make sure that an embedder which refuses texts does embed others: else it is the embedder that is broken."""
    try:
        _checked(embedder, [PROBE], query=not patient)
    except EmbedderUnavailable:
        raise
    except Exception as problem:
        raise EmbedderUnavailable(f"{problem}" or type(problem).__name__) from problem
    return True


def _checked(embedder: Embedder, texts: Sequence[str], query: bool = False) -> Matrix:
    embedded = embedder.embed(texts, query=query)
    import numpy as np  # not before: the bundled model is loaded beside that

    rows = np.asarray(embedded, dtype=np.float32)
    if rows.shape != (len(texts), embedder.dimensions) or not np.isfinite(rows).all():
        raise EmbedderError(f"The embedder {embedder.model!r} gave vectors of the wrong shape or with no numbers.")
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    unit: Matrix = np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0)
    return unit


def stacked(rows: Sequence[Matrix | None]) -> Matrix | None:
    """The vectors of a text's pieces, if none is missing."""
    import numpy as np

    return None if any(row is None for row in rows) else np.stack([row for row in rows if row is not None])


class Choice:
    """The embedder in use: the one that was named, else the file's own, else what is set for a new file."""

    def __init__(
        self,
        store: Store,
        named: str | Embedder | None = None,
        usual: str | None = None,
        key_command: str | None = None,
    ) -> None:
        self._store = store
        self._usual = usual if usual != AUTO else None
        self._access = Access("embedder", key_command)
        self._named_by_the_user = _names(self._usual)
        self._spec = CUSTOM
        self._loading: Thread | None = None
        self.use(named)

    def use(self, named: str | Embedder | None) -> None:
        named = None if isinstance(named, str) and named == AUTO else named
        stored = self._store.vectors.model()
        chosen = named if named is not None else stored.spec if stored else self._usual or DEFAULT
        if isinstance(named, str):
            self._named_by_the_user |= _names(named)
        self.close()
        self.embedder: Embedder | None = None
        self._note: str | None = None
        self.why_not = "no embedder is set (`none`)."
        self.wanted = chosen != NONE
        self._spec = CUSTOM
        self._gives_way = named is None and stored is None
        if isinstance(chosen, str):
            self._open(chosen, stored, named is not None)
        else:
            self._take(chosen, CUSTOM, stored, True)

    def _open(self, spec: str, stored: Model | None, named: bool) -> None:
        if spec == CUSTOM:
            name = _shown(stored.name) if stored else CUSTOM
            self.why_not = f"this file's vectors were made by {name!r}; pass it as embedder=."
            return
        # A file is anybody's: it must not send texts or a key anywhere, or have a model opened from any folder.
        if spec not in BUNDLED and spec != NONE and not _names(spec) & self._named_by_the_user:
            typed = spec if SAFE_IN_A_SHELL.fullmatch(spec) else "NAME"
            self.why_not = NOT_NAMED.format(_shown(spec), typed)
            return
        try:
            place = served(spec)
            spec = place.spec if place else spec
            known = stored.dimensions if stored and stored.spec == spec else 0
            opened = open_embedder(spec, self._access, known)
        except (EmbedderError, Invalid) as problem:
            if named or stored is None:
                raise
            self.why_not = str(problem)
            return
        if opened is not None:
            self._take(opened, spec, stored, named)

    def _take(self, opened: Embedder, spec: str, stored: Model | None, named: bool) -> None:
        model = model_of(opened, spec)
        if stored is not None and model != stored:
            if named:
                raise EmbedderMismatch(_mismatch(stored, model))
            self.why_not = _mismatch(stored, model)
            return
        self.embedder, self._spec = opened, spec

    @property
    def model(self) -> Model | None:
        """What is stored beside its vectors; None before a model that is elsewhere has first answered."""
        if self.embedder is None or not self.embedder.dimensions:
            return None
        return model_of(self.embedder, self._spec)

    def settled(self) -> Choice:
        """Make sure of a new file's model: what is only set, and does not answer now, gives way to the local one."""
        if self.embedder is None or self.embedder.dimensions:
            return self
        try:
            _answers(self.embedder, patient=True)  # a local server may have to load the model first
        except EmbedderUnavailable as away:
            if not self._gives_way:
                raise
            close(self.embedder)
            self._note = GAVE_WAY.format(away, DEFAULT, self._spec)
            self.embedder, self._spec = open_embedder(DEFAULT), DEFAULT
        return self

    def news(self) -> str | None:
        """What there is to say about the choice, once."""
        told, self._note = self._note, None
        return told

    def warm_up(self) -> None:
        """Load the model beside everything else; until that is done, questions are answered by words."""
        load: Callable[[], object] | None = getattr(self.embedder, "load", None)
        if load is not None:
            import_module("numpy")  # here and whole: two threads that import it at once trip over its halves
            self._loading = Thread(target=_tried, args=(load,), daemon=True)
            self._loading.start()

    def at_hand(self) -> tuple[Embedder | None, str]:
        """The embedder for a question, or None and why: one that is just being loaded is not waited for."""
        if self._loading is not None and self._loading.is_alive():
            return None, LOADING
        return self.embedder, self.why_not

    def keep_up(self) -> Choice:
        """Follow the file if another process has moved it to another embedder."""
        stored = self._store.vectors.model()
        if self.embedder is not None and stored is not None and stored != (self.model or stored):
            self.use(None)
        return self

    def close(self) -> None:
        if self._spec != CUSTOM:  # that one is its owner's to close
            close(self.embedder)

    @contextmanager
    def another(self, named: str | Embedder) -> Iterator[tuple[Embedder, Model]]:
        """An embedder to move to, and what will be stored of it."""
        place = served(named) if isinstance(named, str) else None
        spec = place.spec if place else named if isinstance(named, str) else CUSTOM
        opened = open_embedder(spec, self._access) if isinstance(named, str) else named
        if opened is None:
            raise Invalid("A file cannot be reindexed with no embedder; name one, e.g. local.")
        try:
            if not opened.dimensions:
                _answers(opened, patient=True)
            yield opened, model_of(opened, spec)
        finally:
            if spec != CUSTOM:
                close(opened)


def _names(spec: str | None) -> set[str]:
    """A model's name as it would be stored; one that leads nowhere is told of when it is used."""
    with suppress(Invalid):
        place = served(spec) if spec else None
        return {place.spec if place else spec} if spec else set()
    return {spec} if spec else set()


def is_same_model(one: str, other: str) -> bool:
    """Whether two names of embedders lead to the same."""
    return bool(_names(one) & _names(other))


def _shown(name: str) -> str:
    """A name from a file, in a sentence of ours."""
    return UNUSUAL_IN_A_NAME.sub("?", name)[:NAME_CHARACTERS]


def _tried(load: Callable[[], object]) -> None:
    with suppress(EmbedderError):  # whoever needs it next tries again, and is told
        load()


def _mismatch(stored: Model, model: Model) -> str:
    theirs = f"{_shown(stored.name)} ({_shown(stored.recipe)})"
    return (
        f"This file's vectors were made by {theirs}, not by {model.name} ({model.recipe});"
        f" `scrubjay reindex --embedder {model.spec}` re-embeds them."
    )
