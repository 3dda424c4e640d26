"""The sentence model inside the package, all-MiniLM-L6-v2: on this machine's processor, offline.

Nothing heavy is imported and no weight is read before the first text needs it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any, NamedTuple

from scrubjay.errors import EmbedderUnavailable

if TYPE_CHECKING:
    from scrubjay.types.vectors import Matrix

__all__ = ["Local", "connect"]

HOME = Path(__file__).parent / "minilm"

WINDOW_TOKENS = 256  # what the model was trained to read, [CLS] and [SEP] included
ROOM_TOKENS = WINDOW_TOKENS - 2
PIECE_TOKENS = 240
OVERLAP_TOKENS = 32
VIEW_CHARACTERS = 8192  # tokenised at once: bounds the cost of a text of any size
UNKNOWN, SEPARATOR = 100, 102

BATCH_TEXTS = 8
MOST_THREADS = 4

CHARACTERS_PER_TOKEN = 4
STOPS, FULL_STOPS = ".!?", "。！？"
SENTENCE, SPACE, WORD = 2, 1, 0  # what ends at a cut: the higher, the better a place


class Engine(NamedTuple):
    """What was loaded: text to tokens, tokens to vectors."""

    tokenizer: Any
    session: Any


class Local:
    """Embeds with the bundled model; may be shared between threads."""

    model = "all-MiniLM-L6-v2/int8"
    dimensions = 384

    def __init__(self) -> None:
        self.quick = False  # to load rather than to answer: for a process that embeds but once
        self._lock = Lock()
        self._engine: Engine | None = None

    def embed(self, texts: Sequence[str], query: bool = False) -> Matrix:
        """One row per text, of length 1; of a long text, what fits the window."""
        self.load()  # before numpy is imported, since that is done beside it
        import numpy as np

        vectors = np.empty((len(texts), self.dimensions), np.float32)
        tokens = [self._read(text) for text in texts]
        order = sorted(range(len(texts)), key=lambda number: len(tokens[number]))
        for start in range(0, len(order), BATCH_TEXTS):
            batch = order[start : start + BATCH_TEXTS]
            vectors[batch] = self._run([tokens[number] for number in batch])
        return vectors

    def pieces(self, text: str) -> list[str]:
        """The text itself if the model sees it whole, else overlapping parts that together cover it."""
        if len(text) <= ROOM_TOKENS and len(readable(text).encode()) <= ROOM_TOKENS:  # a token is at least a byte
            return [text]
        return [text[start:end] for start, end in self._spans(text)]

    def tokens(self, text: str) -> int:
        """Count a text's tokens, near enough for another language model's budget."""
        encoding = self._encode(text)
        # A word of over 100 letters is one unknown token here, but many to the model that will read it.
        spans: list[tuple[int, int]] = encoding.offsets
        unknown = [span for id, span in zip(encoding.ids, spans, strict=True) if id == UNKNOWN]
        return len(spans) + sum((end - start) // CHARACTERS_PER_TOKEN for start, end in unknown)

    def load(self) -> Engine:
        """Load the model unless it is loaded already; a caller with time to spare may do so early."""
        if self._engine is None:
            with self._lock:
                if self._engine is None:
                    self._engine = open_engine(self.quick)
        return self._engine

    def abandon(self) -> None:
        """In a forked child: the session's threads stayed behind, and ending it would wait for them for ever."""
        if self._engine is not None:
            import ctypes

            ctypes.pythonapi.Py_IncRef(ctypes.py_object(self._engine))
        self._lock, self._engine = Lock(), None

    def _encode(self, text: str) -> Any:
        return self.load().tokenizer.encode(readable(text), add_special_tokens=False)

    def _read(self, text: str) -> list[int]:
        ids: list[int] = self.load().tokenizer.encode(readable(text[:VIEW_CHARACTERS])).ids
        return ids if len(ids) <= WINDOW_TOKENS else [*ids[: WINDOW_TOKENS - 1], SEPARATOR]

    def _run(self, batch: Sequence[Sequence[int]]) -> Matrix:
        import numpy as np

        ids = np.zeros((len(batch), max(map(len, batch))), np.int64)
        mask = np.zeros_like(ids)
        for row, tokens in enumerate(batch):
            ids[row, : len(tokens)] = tokens
            mask[row, : len(tokens)] = 1
        vectors: Matrix = self.load().session.run(None, {"input_ids": ids, "attention_mask": mask})[0]
        return vectors

    def _spans(self, text: str) -> Iterator[tuple[int, int]]:
        """Where each piece begins and ends, found by looking at one bounded view after another."""
        start = 0
        while start < len(text):
            view = text[start : start + VIEW_CHARACTERS]
            spans = divide(view, self._encode(view))
            # The view's edge cut its last piece short, so the next view begins with that piece.
            again = len(spans) > 1 and start + len(view) < len(text)
            advance = spans.pop()[0] if again else len(view)
            yield from ((start + first, start + end) for first, end in spans)
            start += advance


def readable(text: str) -> str:
    """The text with a question mark for each lone surrogate, which no tokenizer takes."""
    return text.encode("utf-8", "replace").decode()


def divide(text: str, encoding: Any) -> list[tuple[int, int]]:
    """Cut between words only: then each piece has the very tokens that it has here."""
    words, offsets = encoding.word_ids, encoding.offsets

    def worth(number: int) -> int:
        return worth_of_cut(text, offsets[number - 1][1], offsets[number][0])

    def starts(first: int, last: int) -> list[int]:
        return [number for number in range(first, last) if words[number] != words[number - 1]]

    spans, first, start = [], 0, 0
    while len(offsets) - first > ROOM_TOKENS:
        # A word has at most 100 tokens, so the second half of a piece always has a place to cut.
        last = max(starts(first + PIECE_TOKENS // 2, first + PIECE_TOKENS + 1), key=lambda n: (worth(n), n))
        spans.append((start, offsets[last][0]))
        first = max(starts(last - OVERLAP_TOKENS, last), key=lambda n: (worth(n), -n), default=last)
        start = offsets[first][0]
    return [*spans, (start, len(text))]


def worth_of_cut(text: str, end: int, start: int) -> int:
    """How good a place to cut lies between a token's end and the next one's start."""
    gap = text[end:start]
    if "\n" in gap or text[end - 1] in FULL_STOPS or (gap and text[end - 1] in STOPS):
        return SENTENCE
    return SPACE if gap else WORD


class Beside(Thread):
    """Makes something on another processor, while the caller is busy with something else."""

    def __init__(self, make: Callable[[], Any]) -> None:
        super().__init__(daemon=True)
        self._make = make
        self._made: Any = None
        self._problem: Exception | None = None
        self.start()

    def run(self) -> None:
        try:
            self._made = self._make()
        except Exception as problem:
            self._problem = problem

    def made(self) -> Any:
        self.join()
        if self._problem is not None:
            raise self._problem
        return self._made


def open_engine(quick: bool) -> Engine:
    try:
        tokenizer = Beside(open_tokenizer)
        session = open_session(quick)
        return Engine(tokenizer.made(), session)
    except Exception as problem:
        raise EmbedderUnavailable(f"The bundled language model cannot be loaded: {problem}") from problem


def open_tokenizer() -> Any:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(HOME / "tokenizer.json"))
    tokenizer.encode_special_tokens = True  # "[SEP]" in a text is five letters, not the end of it
    return tokenizer


def open_session(quick: bool) -> Any:
    onnxruntime = import_quietly()
    options = onnxruntime.SessionOptions()
    # The graph is written fused already; all that is left is to make fp32 weights of the int8 ones, once. Unfolded
    # it is ready much sooner, and each question takes a little longer: better for a process that asks but one.
    levels = onnxruntime.GraphOptimizationLevel
    options.graph_optimization_level = levels.ORT_DISABLE_ALL if quick else levels.ORT_ENABLE_BASIC
    options.add_session_config_entry("session.disable_quant_qdq", "1")
    # Spinning saves 0.3 ms a question and burns 20 ms of a processor waiting for the next.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.intra_op_num_threads = min(MOST_THREADS, os.cpu_count() or 1)
    options.log_severity_level = 3
    place = (HOME / "model.onnx").resolve()  # the weights must lie beside the file itself, not beside a link to it
    return onnxruntime.InferenceSession(place, options, providers=["CPUExecutionProvider"])


def import_quietly() -> Any:
    """Import onnxruntime without its telemetry, which its official builds send to Microsoft by default."""
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"  # heeded only if set before the import
    import onnxruntime

    onnxruntime.disable_telemetry_events()  # for who had imported it before, and Windows' own tracing
    return onnxruntime


shared = Local()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=shared.abandon)


def connect() -> Local:
    """One for the whole process: loaded, it takes over 100 MB."""
    return shared
