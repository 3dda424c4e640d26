"""Selects the embedder: the one that the caller names, else the file's own, else the setting for new files."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from importlib import import_module
from threading import Thread

from scrubjay.errors import EmbedderError, EmbedderMismatch, EmbedderUnavailable, Invalid
from scrubjay.models import embedders, generators
from scrubjay.models.embedders import AUTO, BUNDLED, DEFAULT, NONE, Embedder, close, open_embedder, served
from scrubjay.models.embedding import make_sure_it_answers, model_of
from scrubjay.models.providers import Credentials
from scrubjay.stores import Store
from scrubjay.text.secret_scan.quoting import quoted
from scrubjay.types import Model

__all__ = ["EmbedderSelection", "check_setting", "is_same_model"]

CUSTOM = "custom"  # an embedder that was given as an object: no name opens it again
LOADING = "the language model is still being loaded."
FALLBACK = "{} This new file's model is {} instead; `scrubjay reindex --embedder {}` changes that."
NOT_NAMED = (
    "this file's vectors were made by {}, which your settings do not name, so it is neither opened nor sent anything;"
    " allow it with `scrubjay config embedder {}`, or change to the bundled model with `scrubjay reindex`."
)
# Names in a file are untrusted, and people paste commands from messages into a shell.
SAFE_IN_A_SHELL = re.compile(r"[\w./:#@+-]{1,200}", re.ASCII)
UNUSUAL_IN_A_NAME = re.compile(r"[^\w ./:#@+-]", re.ASCII)
NAME_CHARACTERS = 100


class EmbedderSelection:
    """The embedder of an open file, or why there is none."""

    def __init__(
        self,
        store: Store,
        named: str | Embedder | None = None,
        setting: str | None = None,
        key_command: str | None = None,
        headers: str | None = None,
    ) -> None:
        self._store = store
        self._setting = setting if setting != AUTO else None
        self._credentials = Credentials("embedder", key_command, headers)
        self._named_by_the_user = _names(self._setting)
        self._spec = CUSTOM
        self._loading: Thread | None = None
        self._by_words = False
        self.select(named)

    def select(self, named: str | Embedder | None) -> None:
        _refuse_what_makes_no_vectors(named)
        named = None if isinstance(named, str) and named == AUTO else named
        stored = self._store.vectors.model()
        chosen = named if named is not None else stored.spec if stored else self._setting or DEFAULT
        if isinstance(named, str):
            self._named_by_the_user |= _names(named)
        self.close()
        self.embedder: Embedder | None = None
        self._note: str | None = None
        self.why_none = "no embedder is set (`none`)."
        self.is_wanted = chosen != NONE
        self._spec = CUSTOM
        self._may_fall_back = named is None and stored is None
        if isinstance(chosen, str):
            self._open(chosen, stored, named is not None)
        else:
            self._take(chosen, CUSTOM, stored, True)

    def _open(self, spec: str, stored: Model | None, named: bool) -> None:
        if spec == CUSTOM:
            name = _shown(stored.name) if stored else CUSTOM
            self.why_none = f"this file's vectors were made by {name!r}; pass it as embedder=."
            return
        # The file is untrusted: it must not decide where texts and keys go, or from which folder a model is loaded.
        if spec not in BUNDLED and spec != NONE and not _names(spec) & self._named_by_the_user:
            typed = spec if SAFE_IN_A_SHELL.fullmatch(spec) else "NAME"
            self.why_none = NOT_NAMED.format(_shown(spec), typed)
            return
        try:
            endpoint = served(spec)
            spec = endpoint.spec if endpoint else spec
            dimensions = stored.dimensions if stored and stored.spec == spec else 0
            opened = open_embedder(spec, self._credentials, dimensions)
        except (EmbedderError, Invalid) as problem:
            if named or stored is None:
                raise
            self.why_none = str(problem)
            return
        if opened is not None:
            self._take(opened, spec, stored, named)

    def _take(self, opened: Embedder, spec: str, stored: Model | None, named: bool) -> None:
        model = model_of(opened, spec)
        if stored is not None and model != stored:
            if named:
                raise EmbedderMismatch(_mismatch(stored, model))
            self.why_none = _mismatch(stored, model)
            return
        self.embedder, self._spec = opened, spec

    @property
    def spec(self) -> str | None:
        """The name that opens the embedder; None where there is none."""
        return None if self.embedder is None else self._spec

    @property
    def model(self) -> Model | None:
        """The model to store with the vectors; None until a remote model has answered once."""
        if self.embedder is None or not self.embedder.dimensions:
            return None
        return model_of(self.embedder, self._spec)

    def ensure_model(self) -> EmbedderSelection:
        """Make sure that the model of a new file answers.

        If it comes from the settings and does not answer now, the bundled model is used instead.
        """
        if self.embedder is None or self.embedder.dimensions:
            return self
        try:
            make_sure_it_answers(self.embedder, query=False)
        except EmbedderUnavailable as problem:
            if not self._may_fall_back:
                raise
            close(self.embedder)
            self._note = FALLBACK.format(problem, DEFAULT, self._spec)
            self.embedder, self._spec = open_embedder(DEFAULT), DEFAULT
        return self

    def take_note(self) -> str | None:
        """A note for the user about the selection; returned only once."""
        note, self._note = self._note, None
        return note

    def warm_up(self) -> None:
        """Load the model in another thread; until that is done, queries are answered by words."""
        load: Callable[[], object] | None = getattr(self.embedder, "load", None)
        if load is not None:
            import_module("numpy")  # before the thread starts: two threads that import it at once can fail
            self._loading = Thread(target=_load, args=(load,), daemon=True)
            self._loading.start()

    def begin_loading(self, wait_seconds: float) -> None:
        """Load the model, or let its server answer, in another thread. With no time to wait, it is not begun at all.

        For a process that answers one query and ends: until it is done, and without it, queries are answered by words.
        """
        self._by_words = wait_seconds <= 0
        if self.embedder is None or self._by_words:
            return
        load = getattr(self.embedder, "load", None) or partial(make_sure_it_answers, self.embedder, query=True)
        self._loading = Thread(target=_load, args=(load,), daemon=True)
        self._loading.start()

    def wait_for_model(self, seconds: float) -> None:
        """Wait for a model that is being loaded, for at most this long."""
        if self._loading is not None:
            self._loading.join(seconds)

    def for_queries(self) -> tuple[Embedder | None, str]:
        """The embedder for a query, or None and why: a model that is still being loaded is not waited for."""
        if self._by_words or (self._loading is not None and self._loading.is_alive()):
            return None, LOADING
        return self.embedder, self.why_none

    def follow_store(self) -> EmbedderSelection:
        """Change the embedder if another process has moved the file to another one."""
        return self.follow(self._store.vectors.model())

    def follow(self, stored: Model | None) -> EmbedderSelection:
        """The same, if the caller has just read the model of the file."""
        if self.embedder is not None and stored is not None and stored != (self.model or stored):
            self.select(None)
        return self

    def close(self) -> None:
        if self._spec != CUSTOM:  # an embedder that was given as an object is closed by its owner
            close(self.embedder)

    @contextmanager
    def open_other(self, named: str | Embedder) -> Iterator[tuple[Embedder, Model]]:
        """Another embedder, to move the file to, and the model that will be stored."""
        _refuse_what_makes_no_vectors(named)
        endpoint = served(named) if isinstance(named, str) else None
        spec = endpoint.spec if endpoint else named if isinstance(named, str) else CUSTOM
        opened = open_embedder(spec, self._credentials) if isinstance(named, str) else named
        if opened is None:
            raise Invalid("A file cannot be reindexed with no embedder; name one, e.g. local.")
        try:
            if not opened.dimensions:
                make_sure_it_answers(opened, query=False)
            yield opened, model_of(opened, spec)
        finally:
            if spec != CUSTOM:
                close(opened)


def _refuse_what_makes_no_vectors(named: object) -> None:
    if not (named is None or isinstance(named, str) or hasattr(named, "dimensions")):
        raise Invalid(f"embedder must be a name, or an object that makes vectors, not {quoted(named)}.")


def check_setting(setting: str, name: str) -> None:
    """Refuse a name of a model, for the settings, that names none."""
    if setting == "embedder" and name != AUTO:
        embedders.check_name(name)
    if setting == "generator":
        generators.check_name(name)


def is_same_model(one: str, other: str) -> bool:
    """Whether two names mean the same embedder."""
    return bool(_names(one) & _names(other))


def _names(spec: str | None) -> set[str]:
    """A model's name as it would be stored; an invalid one is reported when it is used."""
    with suppress(Invalid):
        endpoint = served(spec) if spec else None
        return {endpoint.spec if endpoint else spec} if spec else set()
    return {spec} if spec else set()


def _shown(name: str) -> str:
    """A name from an untrusted file, safe to print in a message."""
    return UNUSUAL_IN_A_NAME.sub("?", name)[:NAME_CHARACTERS]


def _load(load: Callable[[], object]) -> None:
    with suppress(EmbedderError):  # the next caller that needs the model tries again and gets the error
        load()


def _mismatch(stored: Model, model: Model) -> str:
    theirs = f"{_shown(stored.name)} ({_shown(stored.recipe)})"
    return (
        f"This file's vectors were made by {theirs}, not by {model.name} ({model.recipe});"
        f" `scrubjay reindex --embedder {model.spec}` re-embeds them."
    )
