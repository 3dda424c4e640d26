"""The real fastembed, with the bundled model laid out as its cache would have it: nothing is fetched."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import fastembed
import pytest
from fastembed.common.model_description import ModelSource, PoolingType

import scrubjay
from scrubjay.errors import EmbedderUnavailable
from scrubjay.models.embedders import Embedder, open_embedder

BUNDLED = Path(scrubjay.__file__).parent / "models/embedders/minilm"
MODEL, REVISION = "scrubjay/all-minilm", "0" * 40
TEXTS = [
    "User prefers dark mode",
    "tea",
    "東京の天気は明日から雨になるそうです。",
    "ERROR worker-7 lost its lease " * 9,
]


@pytest.fixture(scope="session", autouse=True)
def known() -> None:
    """fastembed is told of a model that it does not have: one that gives whole vectors."""
    fastembed.TextEmbedding.add_custom_model(
        MODEL, PoolingType.DISABLED, normalization=True, sources=ModelSource(hf=MODEL), dim=384, model_file="model.onnx"
    )


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("FASTEMBED_CACHE_PATH", str(tmp_path))
    return tmp_path


@pytest.fixture
def downloaded(cache: Path) -> None:
    """What a download would have left behind."""
    home = cache / f"models--{MODEL.replace('/', '--')}"
    files = home / "snapshots" / REVISION
    files.mkdir(parents=True)
    for name in ("model.onnx", "model.weights", "tokenizer.json"):
        shutil.copy(BUNDLED / name, files)
    (files / "tokenizer_config.json").write_text(json.dumps({"model_max_length": 256, "pad_token": "[PAD]"}))
    (home / "refs").mkdir()
    (home / "refs/main").write_text(REVISION)


def opened(name: str) -> Embedder:
    embedder = open_embedder(name)
    assert embedder is not None
    return embedder


@pytest.mark.usefixtures("downloaded")
def test_fastembed_gives_the_vectors_of_its_model() -> None:
    embedder, local = opened(f"fastembed:{MODEL}"), opened("local")
    for query in (False, True):
        cosines = (embedder.embed(TEXTS, query) * local.embed(TEXTS, query)).sum(axis=1)
        print(f"least cosine: {cosines.min():.4f}")
        assert cosines.min() >= 0.99
    assert embedder.dimensions == 384 and embedder.embed([]).shape == (0, 384)


@pytest.mark.usefixtures("downloaded")
def test_a_memory_is_kept_with_fastembed_and_found_again(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with scrubjay.open(path, embedder=f"fastembed:{MODEL}") as jay:
        jay.add_many([{"text": text} for text in TEXTS])
    monkeypatch.setenv("SCRUBJAY_EMBEDDER", f"fastembed:{MODEL}")
    with scrubjay.open(path) as jay:
        assert jay.search("which theme?", mode="vector")[0].memory.text == TEXTS[0]
        long = jay.add("Herons wait at the river. " * 400 + "The key is under the mat. " * 20).memory.id
        assert jay.search("where is the key?", mode="vector")[0].memory.id == long


def test_a_model_that_was_never_downloaded_is_not_fetched(path: Path) -> None:
    with pytest.raises(EmbedderUnavailable, match="fastembed cannot load"):
        opened(f"fastembed:{MODEL}").embed(TEXTS)
    with scrubjay.open(path, embedder=f"fastembed:{MODEL}") as jay:
        assert "Stored without a vector" in jay.add("User prefers dark mode").notes[0]
