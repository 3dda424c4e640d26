"""The sentence model inside the package, all-MiniLM-L6-v2. It runs offline on the CPU.

Heavy imports and the weights are loaded when the first text is embedded.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any, NamedTuple

from scrubjay.errors import EmbedderUnavailable

if TYPE_CHECKING:
    from scrubjay.types.vectors import Matrix

__all__ = ["Local", "connect"]

MODEL_FOLDER = Path(__file__).parent / "minilm"

WINDOW_TOKENS = 256  # what the model was trained to read, [CLS] and [SEP] included
TEXT_TOKENS = WINDOW_TOKENS - 2
PIECE_TOKENS = 240
OVERLAP_TOKENS = 32
TOKENIZED_CHARACTERS = 8192  # at once: bounds the cost of a very long text
UNKNOWN, SEPARATOR = 100, 102

BATCH_TEXTS = 8
MAX_THREADS = 4

CHARACTERS_PER_TOKEN = 4
STOPS, FULL_STOPS = ".!?", "。！？"
SENTENCE, SPACE, WORD = 2, 1, 0  # what ends at a cut; a higher number is a better place to cut


class Engine(NamedTuple):
    """The loaded model: text to tokens, tokens to vectors."""

    tokenizer: Any
    session: Any


class Local:
    """Embeds with the bundled model; may be shared between threads."""

    model = "all-MiniLM-L6-v2/int8"
    dimensions = 384

    def __init__(self) -> None:
        self.quick = False  # load fast and answer slower: for a process that embeds only once
        self._lock = Lock()
        self._engine: Engine | None = None

    def embed(self, texts: Sequence[str], query: bool = False) -> Matrix:
        """One row of length 1 per text; a text longer than the window is cut off."""
        self.load()  # before numpy: loading imports numpy, too, while another thread reads the vocabulary
        import numpy as np

        vectors = np.empty((len(texts), self.dimensions), np.float32)
        tokens = [self._read(text) for text in texts]
        order = sorted(range(len(texts)), key=lambda number: len(tokens[number]))
        batches = [order[start : start + BATCH_TEXTS] for start in range(0, len(order), BATCH_TEXTS)]
        found = self._run_all([[tokens[number] for number in batch] for batch in batches])
        for batch, rows in zip(batches, found, strict=True):
            vectors[batch] = rows
        return vectors

    def pieces(self, text: str) -> list[str]:
        """The text itself if it fits the window, else overlapping parts that together cover it."""
        if len(text) <= TEXT_TOKENS and len(readable(text).encode()) <= TEXT_TOKENS:  # a token has at least one byte
            return [text]
        return [text[start:end] for start, end in self._spans(text)]

    def tokens(self, text: str) -> int:
        """The number of tokens of a text, accurate enough for another language model's budget."""
        encoding = self._encode(text)
        # A word of over 100 letters is one unknown token here, but many tokens for the model that will read it.
        spans: list[tuple[int, int]] = encoding.offsets
        unknown = [span for id, span in zip(encoding.ids, spans, strict=True) if id == UNKNOWN]
        return len(spans) + sum((end - start) // CHARACTERS_PER_TOKEN for start, end in unknown)

    def load(self) -> Engine:
        """Load the model if it is not loaded yet. A caller may do so early, to save time later."""
        if self._engine is None:
            with self._lock:
                if self._engine is None:
                    self._engine = open_engine(self.quick)
        return self._engine

    def abandon(self) -> None:
        """Called in a forked child: keep the old session alive, since ending it would wait forever for threads that
        exist only in the parent."""
        if self._engine is not None:
            import ctypes

            ctypes.pythonapi.Py_IncRef(ctypes.py_object(self._engine))
        self._lock, self._engine = Lock(), None

    def _encode(self, text: str) -> Any:
        return self.load().tokenizer.encode(readable(text), add_special_tokens=False)

    def _read(self, text: str) -> list[int]:
        ids: list[int] = self.load().tokenizer.encode(readable(text[:TOKENIZED_CHARACTERS])).ids
        return ids if len(ids) <= WINDOW_TOKENS else [*ids[: WINDOW_TOKENS - 1], SEPARATOR]

    def _run_all(self, batches: Sequence[Sequence[Sequence[int]]]) -> list[Matrix]:
        """Several batches side by side: each processor has its own, which is faster than to share one."""
        if len(batches) < 2:
            return [self._run(batch) for batch in batches]
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(min(MAX_THREADS, os.cpu_count() or 1, len(batches))) as threads:
            return list(threads.map(self._run, batches))

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
        """Start and end of each piece. The text is tokenized in sections of bounded size."""
        start = 0
        while start < len(text):
            section = text[start : start + TOKENIZED_CHARACTERS]
            spans = divide(section, self._encode(section))
            # The section's end cut its last piece short, so the next section starts with that piece.
            repeat_last = len(spans) > 1 and start + len(section) < len(text)
            advance = spans.pop()[0] if repeat_last else len(section)
            yield from ((start + first, start + end) for first, end in spans)
            start += advance


def readable(text: str) -> str:
    """The text with a question mark for each lone surrogate, which tokenizers reject."""
    return text.encode("utf-8", "replace").decode()


def divide(text: str, encoding: Any) -> list[tuple[int, int]]:
    """Cut between words only, so that each piece has the same tokens alone as in the whole text."""
    words, offsets = encoding.word_ids, encoding.offsets

    def worth(number: int) -> int:
        return worth_of_cut(text, offsets[number - 1][1], offsets[number][0])

    def starts(first: int, last: int) -> list[int]:
        return [number for number in range(first, last) if words[number] != words[number - 1]]

    spans, first, start = [], 0, 0
    while len(offsets) - first > TEXT_TOKENS:
        # A word has at most 100 tokens, so the second half of a piece always contains a place to cut.
        last = max(starts(first + PIECE_TOKENS // 2, first + PIECE_TOKENS + 1), key=lambda n: (worth(n), n))
        spans.append((start, offsets[last][0]))
        first = max(starts(last - OVERLAP_TOKENS, last), key=lambda n: (worth(n), -n), default=last)
        start = offsets[first][0]
    return [*spans, (start, len(text))]


def worth_of_cut(text: str, end: int, start: int) -> int:
    """How good it is to cut between the end of one token and the start of the next."""
    gap = text[end:start]
    if "\n" in gap or text[end - 1] in FULL_STOPS or (gap and text[end - 1] in STOPS):
        return SENTENCE
    return SPACE if gap else WORD


class BackgroundResult(Thread):
    """Runs a function in another thread, and returns its result when asked."""

    def __init__(self, make: Callable[[], Any]) -> None:
        super().__init__(daemon=True)
        self._make = make
        self._value: Any = None
        self._problem: Exception | None = None
        self.start()

    def run(self) -> None:
        try:
            self._value = self._make()
        except Exception as problem:
            self._problem = problem

    def result(self) -> Any:
        self.join()
        if self._problem is not None:
            raise self._problem
        return self._value


def open_engine(quick: bool) -> Engine:
    try:
        tokenizer = BackgroundResult(open_tokenizer)
        session = open_session(quick)
        return Engine(tokenizer.result(), session)
    except Exception as problem:
        raise EmbedderUnavailable(f"The bundled language model cannot be loaded: {problem}") from problem


@cache
def open_tokenizer() -> Any:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(MODEL_FOLDER / "tokenizer.json"))
    tokenizer.encode_special_tokens = True  # "[SEP]" in a text is plain text, not a special token
    return tokenizer


def open_session(quick: bool) -> Any:
    onnxruntime = import_without_telemetry()
    options = onnxruntime.SessionOptions()
    # The graph is already fused; the remaining optimisation converts the int8 weights to fp32 at load time. Without it
    # (`quick`) the session loads much faster and each text takes a little longer: better for a single text.
    levels = onnxruntime.GraphOptimizationLevel
    options.graph_optimization_level = levels.ORT_DISABLE_ALL if quick else levels.ORT_ENABLE_BASIC
    options.add_session_config_entry("session.disable_quant_qdq", "1")
    options.intra_op_num_threads = 1  # the caller's: a question is short, and of many texts each thread has its own
    options.log_severity_level = 3
    # Resolved, because onnxruntime looks for the weights in the folder of the given path, even if that is a link.
    path = (MODEL_FOLDER / "model.onnx").resolve()
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def import_without_telemetry() -> Any:
    """Import onnxruntime without its telemetry, which its official builds send to Microsoft by default."""
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"  # only read during the import
    import onnxruntime

    onnxruntime.disable_telemetry_events()  # in case it was imported before, and for tracing on Windows
    return onnxruntime


shared = Local()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=shared.abandon)


def connect() -> Local:
    """The one instance of this process: the loaded model takes over 100 MB."""
    return shared
