"""A sentence model of the user's own: a folder with `model.onnx` and `tokenizer.json`, read on this machine."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from scrubjay.errors import EmbedderUnavailable, Invalid
from scrubjay.models.embedders.bundled import import_quietly
from scrubjay.models.embedders.prefixes import prefixes
from scrubjay.models.embedders.windows import pieces

if TYPE_CHECKING:
    from scrubjay.types.vectors import Matrix

__all__ = ["Onnx", "connect"]

BATCH_TEXTS = 8
WINDOW_TOKENS = 512
LOOKED_AT_BYTES = 65_536  # of either end of the weights: enough to tell two models apart, and quick


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

        before, after = prefixes(self.folder.name)
        rows = [
            self._run([(before if query else after) + text for text in texts[start : start + BATCH_TEXTS]])
            for start in range(0, len(texts), BATCH_TEXTS)
        ]
        self.dimensions = self.dimensions or (rows[0].shape[1] if rows else 0)
        return np.concatenate(rows) if rows else np.zeros((0, self.dimensions), np.float32)

    def pieces(self, text: str) -> list[str]:
        return pieces(text, self.folder.name, WINDOW_TOKENS)

    def _run(self, texts: Sequence[str]) -> Matrix:
        """Vectors of length 1: the model's own, or the mean over the tokens where it gives one for each."""
        import numpy as np

        tokenizer, session = self._load()
        read = tokenizer.encode_batch([text.encode("utf-8", "replace").decode() for text in texts])
        wanted = {each.name for each in session.get_inputs()}
        mask = np.array([each.attention_mask for each in read], np.int64)
        given = {
            "input_ids": np.array([each.ids for each in read], np.int64),
            "attention_mask": mask,
            "token_type_ids": np.array([each.type_ids for each in read], np.int64),
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
    path = Path(folder).expanduser().absolute()
    for name in ("model.onnx", "tokenizer.json"):
        if not (path / name).is_file():
            raise Invalid(f"{path} holds no {name}; an ONNX embedder is a folder with model.onnx and tokenizer.json.")
    return Onnx(path, f"{path.name}/{_mark(path / 'model.onnx')}", dimensions, Lock())


def _mark(weights: Path) -> str:
    """Tells one model from another that was put in its place."""
    size = weights.stat().st_size
    with weights.open("rb") as file:
        head = file.read(LOOKED_AT_BYTES)
        file.seek(max(0, size - LOOKED_AT_BYTES))
        return hashlib.blake2b(head + file.read() + str(size).encode(), digest_size=6).hexdigest()


def _opened(folder: Path) -> Any:
    try:
        from tokenizers import Tokenizer

        onnxruntime = import_quietly()
        tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        tokenizer.enable_truncation(WINDOW_TOKENS)
        tokenizer.enable_padding()
        options = onnxruntime.SessionOptions()
        # Weights may be stored in 8 bits, but are reckoned with in 32: else a vector depends on its batch.
        options.add_session_config_entry("session.disable_quant_qdq", "1")
        session = onnxruntime.InferenceSession(str(folder / "model.onnx"), options, providers=["CPUExecutionProvider"])
        return tokenizer, session
    except Exception as problem:  # whatever is wrong with somebody's model, words still answer
        raise EmbedderUnavailable(f"The model in {folder} cannot be loaded: {problem}") from problem
