"""Every error that a caller can get. The docstring of each class is its default message.

ScrubjayError
├── Invalid             the input is not valid; the message says what would be
├── NotFound            no such memory in this space
├── StoreError          the memory's file cannot be used
│   ├── NotAStore
│   ├── NewerStore
│   ├── Damaged
│   ├── ReadOnly
│   ├── Busy
│   └── ConnectionLost
├── EmbedderError       the model that makes vectors cannot be used
│   ├── EmbedderMismatch
│   ├── EmbedderUnavailable
│   └── MissingExtra
└── GeneratorError      the model that writes text cannot be used
    ├── GeneratorUnavailable
    ├── BudgetSpent
    └── Unreadable
"""

from scrubjay.text.safe_text import one_line

__all__ = [
    "BudgetSpent",
    "Busy",
    "ConnectionLost",
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

MAX_MESSAGE_CHARACTERS = 2_000  # a message may quote input of any length


class ScrubjayError(Exception):
    """Scrubjay could not do that."""

    exit_code = 1

    def __init__(self, detail: str = "") -> None:
        too_long = len(detail) > MAX_MESSAGE_CHARACTERS
        shortened = f"{detail[:MAX_MESSAGE_CHARACTERS]}…" if too_long else detail
        # A message may quote untrusted text (a name, a path, a server's answer), so it is made safe to print.
        super().__init__(one_line(shortened or type(self).__doc__))


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


class ConnectionLost(StoreError):
    """The connection to the server was lost."""

    def __init__(self, detail: str = "", *, may_be_done: bool = False) -> None:
        super().__init__(detail)
        self.may_be_done = may_be_done  # it was lost while the server stored what it was told


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
