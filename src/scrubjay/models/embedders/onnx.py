"""The user's own sentence model: a folder with `model.onnx` and `tokenizer.json`. It runs on this machine."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from scrubjay.errors import EmbedderUnavailable, Invalid
from scrubjay.models.embedders.bundled import import_without_telemetry
from scrubjay.models.embedders.prefixes import prefixes
from scrubjay.models.embedders.windows import pieces

if TYPE_CHECKING:
    from scrubjay.types.vectors import Matrix

__all__ = ["Onnx", "connect"]

BATCH_TEXTS = 8
WINDOW_TOKENS = 512
HASHED_BYTES = 65_536  # at the start and at the end of the weights: enough to distinguish two models, and fast


@dataclass(slots=True, repr=False)
class Onnx:
    """Embeds with the model in a folder. May be shared between threads."""

    folder: Path
    model: str
    dimensions: int
    _lock: Any
    _engine: Any = None

    def embed(self, texts: Sequence[str], query: bool = False) -> Matrix:
        import numpy as np

        for_query, for_document = prefixes(self.folder.name)
        prefix = for_query if query else for_document
        rows = [
            self._run([prefix + text for text in texts[start : start + BATCH_TEXTS]])
            for start in range(0, len(texts), BATCH_TEXTS)
        ]
        self.dimensions = self.dimensions or (rows[0].shape[1] if rows else 0)
        return np.concatenate(rows) if rows else np.zeros((0, self.dimensions), np.float32)

    def pieces(self, text: str) -> list[str]:
        return pieces(text, self.folder.name, WINDOW_TOKENS)

    def _run(self, texts: Sequence[str]) -> Matrix:
        """Vectors of length 1: the model's own, or the mean over the tokens if it returns one vector per token."""
        import numpy as np

        tokenizer, session = self._load()
        encodings = tokenizer.encode_batch([text.encode("utf-8", "replace").decode() for text in texts])
        wanted = {each.name for each in session.get_inputs()}
        mask = np.array([each.attention_mask for each in encodings], np.int64)
        given = {
            "input_ids": np.array([each.ids for each in encodings], np.int64),
            "attention_mask": mask,
            "token_type_ids": np.array([each.type_ids for each in encodings], np.int64),
        }
        made: Any = session.run(None, {name: value for name, value in given.items() if name in wanted})[0]
        if made.ndim == 3:
            shares = mask[:, :, None] / np.maximum(mask.sum(axis=1), 1)[:, None, None]
            made = (made * shares).sum(axis=1)
        lengths = np.linalg.norm(made, axis=1, keepdims=True)
        unit: Matrix = np.divide(made, lengths, out=np.zeros_like(made), where=lengths > 0).astype(np.float32)
        return unit

    def _load(self) -> Any:
        with self._lock:
            if self._engine is None:
                self._engine = _opened(self.folder)
        return self._engine


def connect(folder: str, dimensions: int = 0) -> Onnx:
    path = Path(folder).expanduser()
    if not path.is_absolute():  # it would be another model in every folder, in a cloned one somebody else's
        raise Invalid(f"The folder of an ONNX model must be an absolute path, not {folder[:100]!r}.")
    for name in ("model.onnx", "tokenizer.json"):
        if not (path / name).is_file():
            raise Invalid(f"{path} has no {name}; an ONNX embedder is a folder with model.onnx and tokenizer.json.")
    return Onnx(path, f"{path.name}/{_fingerprint(path / 'model.onnx')}", dimensions, Lock())


def _fingerprint(weights: Path) -> str:
    """Changes if another model is put into the same folder."""
    size = weights.stat().st_size
    with weights.open("rb") as file:
        head = file.read(HASHED_BYTES)
        file.seek(max(0, size - HASHED_BYTES))
        return hashlib.blake2b(head + file.read() + str(size).encode(), digest_size=6).hexdigest()


def _opened(folder: Path) -> Any:
    try:
        from tokenizers import Tokenizer

        onnxruntime = import_without_telemetry()
        tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        tokenizer.enable_truncation(WINDOW_TOKENS)
        tokenizer.enable_padding()
        options = onnxruntime.SessionOptions()
        # Compute in 32 bits even if the weights are stored in 8: otherwise a vector depends on the batch it was in.
        options.add_session_config_entry("session.disable_quant_qdq", "1")
        session = onnxruntime.InferenceSession(str(folder / "model.onnx"), options, providers=["CPUExecutionProvider"])
        return tokenizer, session
    except Exception as problem:  # whatever is wrong with the user's model, search by words must still work
        raise EmbedderUnavailable(f"The model in {folder} cannot be loaded: {problem}") from problem
