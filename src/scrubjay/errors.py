"""Every error a caller can meet: one tree, and the docstring of each is its message.

ScrubjayError
├── Invalid             what was asked makes no sense: the sentence says what would
├── NotFound            no such memory in this space
├── StoreError          the file
│   ├── NotAStore
│   ├── NewerStore
│   ├── Damaged
│   ├── ReadOnly
│   └── Busy
├── EmbedderError       the model that makes vectors
│   ├── EmbedderMismatch
│   ├── EmbedderUnavailable
│   └── MissingExtra
└── GeneratorError      the model that writes
    ├── GeneratorUnavailable
    ├── BudgetSpent
    └── Unreadable
"""

from scrubjay.text.safe_text import one_line

__all__ = [
    "BudgetSpent",
    "Busy",
    "Damaged",
    "EmbedderError",
    "EmbedderMismatch",
    "EmbedderUnavailable",
    "GeneratorError",
    "GeneratorUnavailable",
    "Invalid",
    "MissingExtra",
    "NewerStore",
    "NotAStore",
    "NotFound",
    "ReadOnly",
    "ScrubjayError",
    "StoreError",
    "Unreadable",
]

LONGEST_SENTENCE = 2_000  # characters: a sentence may repeat what was given, which may be of any length


class ScrubjayError(Exception):
    """Scrubjay could not do that."""

    exit_code = 1

    def __init__(self, detail: str = "") -> None:
        cut = f"{detail[:LONGEST_SENTENCE]}…" if len(detail) > LONGEST_SENTENCE else detail
        # A message may quote what somebody else wrote: a name, a path, an answer from a server.
        super().__init__(one_line(cut or type(self).__doc__))


class Invalid(ScrubjayError):
    """That input is not valid."""

    exit_code = 2


class NotFound(ScrubjayError):
    """There is no such memory in this space."""

    exit_code = 3


class StoreError(ScrubjayError):
    """The memory's file cannot be used."""

    exit_code = 4


class NotAStore(StoreError):
    """This file is not a Scrubjay memory."""


class NewerStore(StoreError):
    """This file was written by a newer Scrubjay; upgrade with `pip install -U scrubjay`."""


class Damaged(StoreError):
    """This file is damaged; restore a backup, or run `scrubjay check --repair`."""


class ReadOnly(StoreError):
    """This memory is read-only: it can be searched but not changed."""


class Busy(StoreError):
    """Another process has been writing to this file for minutes; stop it, or try again."""


class EmbedderError(ScrubjayError):
    """The embedder cannot be used."""

    exit_code = 5


class EmbedderMismatch(EmbedderError):
    """This file's vectors were made by another embedder; `scrubjay reindex` re-embeds them."""


class EmbedderUnavailable(EmbedderError):
    """The embedder does not answer right now."""


class MissingExtra(EmbedderError):
    """A package this embedder needs is not installed."""


class GeneratorError(ScrubjayError):
    """The generator cannot be used."""

    exit_code = 5


class GeneratorUnavailable(GeneratorError):
    """The generator does not answer right now."""


class BudgetSpent(GeneratorError):
    """This month's tokens are spent; `scrubjay config generation.budget` says how many there are."""


class Unreadable(GeneratorError):
    """The model's answer could not be read."""
