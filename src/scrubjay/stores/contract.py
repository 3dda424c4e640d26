"""What an engine must offer so that the one `Store` can be written over it, and what the store takes and gives.

To add an engine: a folder beside `sqlite/`, and its scheme in `open_store`. The store writes its SQL once: plain SQL,
and a few words that every engine understands.

- `:name` is a value; a list, tuple or set is given only to `in (:name)` and `each(:name)`.
- `each(:name)` is a table of the list's items, `each(column)` of those of a JSON array: `value`, and `key` from 0 on.
- `json_type` and `instr` are those of SQLite; `json_text` and `json_number` are its `json_extract`, each for a type.
- `a cross join b on …` is a join that reads `a` first.
- `settled()` is the number up to which no change can come into `events` any more.
- `indexed_memories` has the `memory` of each entry in the index of words.
- `pieces.vector`, and the tables of the indexes, are the engine's own; so are the triggers that write `events`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol

from scrubjay.text.tokenizer import Term
from scrubjay.types import Filter, Memory, Model, RankingFields

if TYPE_CHECKING:
    from scrubjay.stores.evidence.word_counts import WordCounts
    from scrubjay.types.documents import Document, SessionNotes
    from scrubjay.types.history import Step
    from scrubjay.types.reports import Check
    from scrubjay.types.vectors import Matrix, NewVectors

__all__ = [
    "NEWEST",
    "Background",
    "BeforeAdd",
    "CandidateRequest",
    "Candidates",
    "Engine",
    "Evidence",
    "EvidenceRequest",
    "Frequencies",
    "KeptRecord",
    "Look",
    "Nearest",
    "NewMemory",
    "NewVersion",
    "Outdated",
    "Presented",
    "Revision",
    "Rows",
    "Size",
    "SourceFile",
    "State",
    "Stored",
    "TextIndex",
    "Turn",
    "Use",
    "VectorIndex",
]

NEWEST = 2**63 - 1  # above every id
State = Literal["current", "building"]  # of the models that a store has vectors of


class TextIndex(Protocol):
    """Memories by the stems of their words, as one snapshot or transaction sees them."""

    def candidates(
        self, terms: Sequence[Term], filter: Filter, limit: int, least: int, quickly: bool = False
    ) -> list[int]:
        """The best memories that hold any term and pass, `quickly` by the rarest; fewer than `least` if no more do."""

    def frequencies(self, terms: Sequence[Term], spaces: Sequence[str]) -> Frequencies:
        """In how many memories of these spaces each term occurs, and how many memories there are."""


class VectorIndex(Protocol):
    """The vectors of memories, one for each piece, as one snapshot or transaction sees them."""

    def put(self, new: Sequence[NewVectors], model: int, searched: bool = True) -> None:
        """Store the vectors of memories that have none of that model; `searched` tells whether the model is in use."""

    def drop(self, memory: Memory) -> None:
        """Remove the vectors of a memory, of every model."""

    def note_current(self, memory: Memory, current: bool) -> None:
        """Take note that a memory was replaced, or is current again."""

    def nearest(self, vector: Matrix, model: int, filter: Filter, limit: int) -> Nearest:
        """The memories nearest in meaning that pass the filter, by exact cosine."""

    def cosines(self, vector: Matrix, model: int, ids: Iterable[int]) -> dict[int, float]:
        """The best cosine over its pieces, for each of these memories that has any."""

    def of(self, ids: Iterable[int], model: int) -> dict[int, Matrix]:
        """The vectors of these memories, in the order of their pieces."""


class Rows(Protocol):
    """Tables, as one snapshot or transaction sees them."""

    @property
    def text(self) -> TextIndex:
        """The index of words."""

    @property
    def vectors(self) -> VectorIndex:
        """The index of vectors."""

    def all(self, sql: str, /, **values: Any) -> list[Any]:
        """Every row that a statement gives, as tuples."""

    def one(self, sql: str, /, **values: Any) -> Any:
        """The first row that a statement gives, or None."""

    def run(self, sql: str, /, **values: Any) -> int:
        """Run a statement that changes rows; how many it changed."""

    def run_many(self, sql: str, rows: Iterable[Mapping[str, Any]], /) -> None:
        """Run a statement that changes rows, once for each of these values."""

    def insert(self, table: str, row: Mapping[str, Any], /) -> int:
        """Insert a row into a table whose key is `id`; its id."""


class Engine(Protocol):
    """One database, at the newest schema, shared by any number of threads and processes."""

    @property
    def url(self) -> str:
        """What it was opened by."""

    @property
    def read_only(self) -> bool:
        """Whether nothing can be written to it."""

    def reading(self, spaces: Collection[str] | None = None, may_lag: bool = False) -> AbstractContextManager[Rows]:
        """One snapshot of these spaces, or of all, perhaps without what others have just written; inside another block
        of the same thread, that block's."""

    def writing(self, spaces: Collection[str] | None = None, wait: bool = True) -> AbstractContextManager[Rows]:
        """One transaction, on disk when the block ends, or undone when it raises; without `wait`, Busy is raised.
        Other spaces may be hidden from it. Within another one of the same thread it is a part of that one."""

    def lock(self, name: str, wait_seconds: float = -1) -> AbstractContextManager[Any]:
        """Hold a named lock between processes; TimeoutError where it cannot be had in time, -1 waits for ever."""

    def size(self, table: str | None = None) -> Size:
        """How many bytes the database takes, or one of its tables."""

    def compact(self) -> bool:
        """Leave no byte of deleted rows in any file; False if that must be tried again later."""

    def check(self, looks: Sequence[Look], deep: bool, repair: bool, at: datetime) -> Check:
        """Look for damage to the database and its indexes, and with the store's own looks; repair what can be."""

    def files(self) -> list[Path]:
        """Every file and folder on disk that belongs to it."""

    def close(self) -> None:
        """Let go of it; what is asked afterwards raises StoreError."""


class Frequencies(NamedTuple):
    """In how many memories each term occurs, of how many."""

    of_terms: list[int]
    memories: int


class Size(NamedTuple):
    """Bytes: with what is unused, and without."""

    on_disk: int
    in_use: int


class Look(NamedTuple):
    """One rule that a check looks after: sentences about what breaks it, and how to mend all of that."""

    find: Callable[[Rows], list[str]]
    mend: Callable[[Rows], object] | None = None
    deep: bool = False  # slow: only when a deep check is asked for


class Turn(NamedTuple):
    """Where a turn was said: its conversation, and who is at which place before (-1, …) and after it (1, …)."""

    session: str
    beside: dict[int, int]


class Background(NamedTuple):
    """The cosines of a question with memories that were not chosen for it: mean, deviation, and how many."""

    mean: float
    deviation: float
    size: int


class Nearest(NamedTuple):
    """Cosines by memory, and a note for the user if they were computed the slow way."""

    cosines: Mapping[int, float]
    note: str | None = None


class CandidateRequest(NamedTuple):
    """Which memories to propose."""

    filter: Filter
    limit: int  # by word, and by meaning
    text: str | None = None  # None: not by word
    vector: Matrix | None = None  # None: not by meaning
    at_least: int = 0  # by word: look at commoner words, too, if fewer were found
    newest: Filter | None = None  # also the newest of these, whatever they say
    newest_limit: int = 0
    without_kinds: Collection[str] = ()
    times: Sequence[CandidateRequest] = ()  # also the candidates of the first of these requests that finds any
    replaced: int = 0  # also, by word, so many that were replaced, each with what is current in its place


class Candidates(NamedTuple):
    """Ids by word, the best first; cosines by id; and what to say about the way they were found."""

    by_word: tuple[int, ...] = ()
    cosines: Mapping[int, float] | None = None  # None where meaning was not asked
    notes: tuple[str, ...] = ()
    time: int | None = None  # which of the request's `times` found some of them
    replaced: Mapping[int, int] = MappingProxyType({})  # ids of replaced memories, and of what is current instead

    def __bool__(self) -> bool:
        return bool(self.by_word or self.cosines)

    def with_more(self, more: Candidates) -> Candidates:
        found = None if self.cosines is None else {**(more.cosines or {}), **self.cosines}
        return self._replace(by_word=tuple(dict.fromkeys(self.by_word + more.by_word)), cosines=found)


class EvidenceRequest(NamedTuple):
    """What to read about candidates."""

    ids: Collection[int]
    filter: Filter
    text: str | None = None  # None: count no words
    vector: Matrix | None = None  # None: no further cosines
    cosines: Mapping[int, float] | None = None  # those known already; None where meaning was not asked
    neighbours_of: Sequence[int] | None = None  # whose neighbours become candidates; None: read no conversations
    short_turn_words: int = 0  # up to here a turn is compared with the one before
    with_texts: bool = False


class Evidence(NamedTuple):
    """What the store knows about candidates. `ids` are those asked for and the neighbours that became candidates."""

    ids: Collection[int]
    fields: Mapping[int, RankingFields]
    turns: Mapping[int, Turn]
    words: WordCounts | None
    cosines: Mapping[int, float]
    pieces: Mapping[int, int]  # vectors of each text
    previous: Mapping[int, tuple[int, float]]  # of a short turn: the short turn before it, and the cosine of the two
    texts: Mapping[int, str]
    memories: int  # in the spaces that are searched
    background: Background | None  # None where meaning was not asked


class SourceFile(NamedTuple):
    """The file that a passage or a turn was cut from, as it was when it was last read."""

    name: str
    path: str
    root: str  # of its source
    size: int
    mtime: int  # nanoseconds


class Presented(NamedTuple):
    """Memories to show, and their files; of turns also their neighbours, and replaced memories with their words."""

    memories: Mapping[int, Memory]
    neighbours: Mapping[int, Sequence[Memory]]
    replaced: Mapping[int, Sequence[tuple[Memory, Memory]]]  # each with the memory that replaced it
    sources: Mapping[int, SourceFile] = MappingProxyType({})


class BeforeAdd(NamedTuple):
    """What must be known before memories are added: read in one snapshot."""

    model: Model | None  # of the vectors that the store has
    known: Sequence[Memory | None]  # for each, the current memory that already says the same
    vectors: Mapping[bytes, Matrix]  # by digest, of texts that were embedded before


class NewMemory(NamedTuple):
    """A memory to store, with all that follows from it."""

    memory: Memory
    vectors: Matrix | None = None
    given: Collection[str] = ()  # the names of the fields that the caller gave
    replaces: Sequence[Step] = ()  # it takes the place of these, or nothing is stored
    supersedes: Step | None = None  # it takes the place of this one, or the answer says why not
    # If the memory was not known already:
    retires: Step | None = None  # it takes the place of this one if that is still current
    conflicts: Mapping[int, float] = MappingProxyType({})  # scores of the memories that it contradicts, by id
    refused: str | None = None  # why the embedder made no vectors of it: it is quarantined
    version: NewVersion | None = None  # of a record, that it tells


class NewVersion(NamedTuple):
    """A version of a record, to store with the memory that tells it."""

    record: str  # the same in all its versions
    noun: str
    key: str | None  # that no other current record of the noun has
    data: Mapping[str, Any]
    at: datetime
    actor: str | None
    reason: str | None
    after: str | None  # the uid of the version that it was made from; None: of none
    change_state: Callable[[Mapping[str, Any]], Mapping[str, Any]] | None = None


class KeptRecord(NamedTuple):
    """A version of a record, and the memory that tells it."""

    id: int  # of the memory that told its first version: the record's own
    record: str
    noun: str
    uid: str  # of the version
    version: int
    memory: Memory
    key: str | None
    data: Mapping[str, Any]
    state: Mapping[str, Any]
    at: datetime
    actor: str | None
    reason: str | None
    created_at: datetime  # of the first version


class Outdated(Exception):
    """A version was made from one that does not hold any more; make it again."""


class Stored(NamedTuple):
    """What became of one memory that was added."""

    memory: Memory
    created: bool  # False if it was known
    replaced: Memory | None = None  # the one that it was to supersede, and has
    problem: str | None = None  # why it did not supersede that
    retired: bool = False  # whether it has retired the one that it was to retire


class Use(NamedTuple):
    """One use of a memory."""

    memory: int
    space: str
    at: datetime
    verb: str
    score: float | None = None
    query: str | None = None


class Revision(NamedTuple):
    """What a document, and the memories cut from it, are to become."""

    document: Document
    memories: Sequence[Memory]
    before: Document | None  # as it was when the reading began; under another name, it was renamed
    appends: bool = False  # add to its memories, instead of taking their place
    goes_on: bool = False  # after where it was read to before: nothing in it can be known already
    dated: bool = True  # the times of its memories are those at which they were said
    notes: Sequence[SessionNotes] = ()
