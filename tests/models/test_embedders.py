"""Every embedder keeps one contract; the bundled model also stays true to its original."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from threading import Barrier
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scrubjay.errors import EmbedderUnavailable, Invalid, MissingExtra
from scrubjay.models import embedders
from scrubjay.models.embedders import Embedder, bundled, cut, hashing, open_embedder
from scrubjay.types.vectors import Matrix
from tests.support.examples import examples

GOLDEN = Path(__file__).parents[1] / "data/minilm_fp32.json"
LEAST_COSINE = 0.995
MEGABYTE = 1_000_000

TEXTS = [
    "User prefers dark mode",
    "tea",
    "We moved the deploy window from Friday to Tuesday because nobody is there to roll back at the weekend.",
    "東京の天気は明日から雨になるそうです。",
    "def median(values): return sorted(values)[len(values) // 2]",
    "Où est passée la clé du garage ?",
    "회의는 다음 주 화요일 오후 세 시에 시작합니다.",
    "🎉 shipped 2.0",
    "ERROR worker-7 lost its lease; requeued 42 jobs " * 30,
]
ODD_TEXTS = {
    "empty": "",
    "blank": " \t\n",
    "nul": "\0",
    "nul inside": "dark\0mode",
    "lone surrogate": "dark \ud800 mode",
    "only surrogates": "\udfff\ud800",
    "special tokens": "[CLS] [SEP] [MASK] [PAD]",
    "emoji": "👩‍👩‍👧‍👦",
    "accents on nothing": "\u0301" * 300,
    "megabyte of words": "dark mode " * (MEGABYTE // 10),
    "megabyte word": "x" * MEGABYTE,
    "megabyte of blanks": " " * MEGABYTE,
}

any_text = st.text(st.characters(), max_size=400)
long_text = st.lists(
    st.sampled_from(
        ["dark", "mode ", ". ", "\n\n", "東京", "회의는 ", "x" * 120, " " * 90, "\0", "\ud800", "é", "[SEP]"]
    ),
    min_size=100,
    max_size=900,
).map("".join)


@pytest.fixture(params=["local", "hashing"])
def embedder(request: pytest.FixtureRequest) -> Embedder:
    opened = open_embedder(request.param)
    assert opened is not None
    return opened


@pytest.fixture
def model() -> bundled.Local:
    return bundled.connect()


def lengths(vectors: Matrix) -> list[float]:
    return [float(length) for length in np.linalg.norm(vectors, axis=1)]


def python(program: str, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


# The contract


def test_each_text_becomes_one_row_of_length_one(embedder: Embedder) -> None:
    vectors = embedder.embed(TEXTS)
    assert vectors.shape == (len(TEXTS), embedder.dimensions)
    assert vectors.dtype == np.float32
    assert lengths(vectors) == pytest.approx([1] * len(TEXTS), abs=1e-5)


def test_a_text_has_the_same_vector_alone_and_in_any_company(embedder: Embedder) -> None:
    alone = np.concatenate([embedder.embed([text]) for text in TEXTS])
    assert np.abs(embedder.embed(TEXTS) - alone).max() < 1e-5
    assert np.abs(embedder.embed(TEXTS[::-1]) - alone[::-1]).max() < 1e-5


def test_the_same_texts_give_the_same_vectors_again(embedder: Embedder) -> None:
    assert (embedder.embed(TEXTS) == embedder.embed(TEXTS)).all()


def test_no_texts_give_no_rows(embedder: Embedder) -> None:
    assert embedder.embed([]).shape == (0, embedder.dimensions)


@pytest.mark.parametrize("text", ODD_TEXTS.values(), ids=ODD_TEXTS.keys())
def test_odd_texts_are_embedded_too(embedder: Embedder, text: str) -> None:
    (length,) = lengths(embedder.embed([text], query=True))
    assert length == pytest.approx(1, abs=1e-5) or length == 0


@pytest.mark.parametrize("name", ["local", "hashing"])
@settings(max_examples=examples(60))
@given(texts=st.lists(any_text, max_size=5))
def test_any_text_has_a_vector(name: str, texts: list[str]) -> None:
    opened = open_embedder(name)
    assert opened is not None
    vectors = opened.embed(texts)
    assert vectors.shape == (len(texts), opened.dimensions)
    assert all(length == pytest.approx(1, abs=1e-5) or length == 0 for length in lengths(vectors))


@pytest.mark.parametrize("text", ODD_TEXTS.values(), ids=ODD_TEXTS.keys())
def test_odd_texts_are_cut_too(embedder: Embedder, text: str) -> None:
    assert "".join(cut(embedder, text)).count("dark") >= text.count("dark")


def test_a_text_of_any_size_is_tokenised_in_bounded_views(
    model: bundled.Local, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[int] = []

    def encode(text: str) -> Any:
        read.append(len(text))
        return whole(text)

    whole = model._encode
    monkeypatch.setattr(model, "_encode", encode)
    model.pieces("dark mode " * (MEGABYTE // 10))
    assert max(read) <= bundled.TOKENIZED_CHARACTERS and sum(read) < 2 * MEGABYTE


# Opening


def test_an_unknown_name_is_refused_with_the_names_there_are() -> None:
    with pytest.raises(Invalid, match="local, hashing, none"):
        open_embedder("word2vec")


def test_none_is_no_embedder() -> None:
    assert open_embedder("none") is None


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(embedders.BUNDLED, "hashing", "scrubjay_of_the_future")
    with pytest.raises(MissingExtra, match="scrubjay_of_the_future"):
        open_embedder("hashing")


@pytest.mark.parametrize("name", ["local", "hashing"])
def test_opening_an_embedder_imports_nothing_heavy(name: str) -> None:
    program = f"""
import sys
from scrubjay.models.embedders import open_embedder
embedder = open_embedder({name!r})
assert embedder.model and embedder.dimensions
assert embedder.embed
print({{"numpy", "onnxruntime", "tokenizers"}} & set(sys.modules))
"""
    assert python(program) == "set()"


# The bundled model


def test_the_model_stays_true_to_the_original(model: bundled.Local) -> None:
    golden = json.loads(GOLDEN.read_text(encoding="utf-8"))
    original = np.stack([np.frombuffer(base64.b64decode(entry["vector"]), "<f2") for entry in golden]).astype(
        np.float32
    )
    ours = model.embed([entry["text"] for entry in golden])
    cosines = (ours * original).sum(axis=1) / np.linalg.norm(original, axis=1)
    worst = int(cosines.argmin())
    print(f"least cosine to fp32: {cosines[worst]:.5f}, of {golden[worst]['text'][:40]!r}")
    assert cosines[worst] >= LEAST_COSINE


def test_like_meanings_are_near_though_no_word_is_shared(model: bundled.Local) -> None:
    question, answer, other = model.embed(
        ["Which foods make Ann ill?", "She is allergic to peanuts", "The flight to Lisbon leaves at noon"]
    )
    assert question @ answer > question @ other + 0.2


def test_special_tokens_in_a_text_are_mere_letters(model: bundled.Local) -> None:
    assert model.tokens("[SEP]") == 3


def test_tokens_are_counted(model: bundled.Local) -> None:
    assert model.tokens("") == 0
    assert model.tokens("User prefers dark mode.") == 5
    assert model.tokens("x" * 4000) > 900


def test_only_the_window_of_a_text_is_read(model: bundled.Local) -> None:
    window = "word " * bundled.TEXT_TOKENS
    same, longer = model.embed([window, window + "peanuts and satay"])
    assert np.abs(same - longer).max() < 1e-5


def test_eight_threads_may_ask_first_at_once_and_load_one_model(monkeypatch: pytest.MonkeyPatch) -> None:
    loaded: list[bundled.Engine] = []

    def load(quick: bool) -> bundled.Engine:
        loaded.append(opened(quick))
        return loaded[-1]

    opened = bundled.open_engine
    monkeypatch.setattr(bundled, "open_engine", load)
    fresh, together = bundled.Local(), Barrier(8)

    def ask(number: int) -> Matrix:
        together.wait()
        return fresh.embed([TEXTS[number]])

    with ThreadPoolExecutor(8) as pool:
        answers = np.concatenate(list(pool.map(ask, range(8))))
    assert len(loaded) == 1
    assert np.abs(answers - fresh.embed(TEXTS[:8])).max() < 1e-5


def test_a_model_that_cannot_be_loaded_is_unavailable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bundled, "MODEL_FOLDER", tmp_path)
    with pytest.raises(EmbedderUnavailable, match="cannot be loaded"):
        bundled.Local().embed(["tea"])


def test_loading_the_model_leaves_no_telemetry_behind(tmp_path: Path) -> None:
    program = "from scrubjay.models.embedders import bundled; bundled.connect().embed(['tea'])"
    home = str(tmp_path)
    python(program, HOME=home, XDG_CACHE_HOME=home, XDG_DATA_HOME=home, LOCALAPPDATA=home, ORT_DISABLE_TELEMETRY="0")
    assert list(tmp_path.rglob("*")) == []


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_forked_child_embeds_and_ends() -> None:
    program = """
import os, sys
from scrubjay.models.embedders import bundled
model = bundled.connect()
model.embed(["tea"])
child = os.fork()
if not child:
    sys.exit(0 if model.embed(["tea"]).shape == (1, 384) else 1)
print(os.waitpid(child, 0)[1])
"""
    assert python(program, PYTHONWARNINGS="ignore") == "0"


# Pieces


def covers(text: str, pieces: list[str]) -> bool:
    """Whether the pieces, in order, are parts of the text that leave nothing of it out."""
    reached = 0
    for piece in pieces:
        found = text.rfind(piece, 0, reached + len(piece))
        if found < 0:
            return False
        reached = max(reached, found + len(piece))
    return reached == len(text)


def test_a_text_within_the_window_is_one_piece(model: bundled.Local) -> None:
    for text in ("", "tea", "word " * bundled.TEXT_TOKENS):
        assert model.pieces(text) == [text]


def test_a_long_text_becomes_overlapping_pieces(model: bundled.Local) -> None:
    text = " ".join(f"Number {number} is followed by another." for number in range(200))
    pieces = model.pieces(text)
    assert len(pieces) > 5
    assert covers(text, pieces)
    assert all(model.tokens(piece) <= bundled.TEXT_TOKENS for piece in pieces)
    for before, after in pairwise(pieces):
        assert before.rfind(after[:30]) > len(before) / 2


def test_pieces_are_cut_where_a_sentence_ends(model: bundled.Local) -> None:
    text = " ".join(f"Sentence {number} has an end." for number in range(300))
    pieces = model.pieces(text)
    assert all(piece.startswith("Sentence") for piece in pieces)
    assert all(piece.rstrip().endswith("end.") for piece in pieces)


def test_pieces_of_unspaced_text_are_cut_at_its_full_stops(model: bundled.Local) -> None:
    pieces = model.pieces("東京の天気は明日から雨になるそうです。" * 60)
    assert all(piece.startswith("東京") and piece.endswith("です。") for piece in pieces)


@settings(max_examples=examples(60))
@given(text=st.one_of(long_text, any_text))
def test_pieces_cover_any_text_and_each_fits_the_window(text: str) -> None:
    model = bundled.connect()
    pieces = model.pieces(text)
    assert covers(text, pieces)
    for piece in pieces:
        assert len(model.load().tokenizer.encode(bundled.readable(piece)).ids) <= bundled.WINDOW_TOKENS


# Hashing


def test_hashes_are_those_of_fnv() -> None:
    known = 0xAF63DC4C8601EC8C  # FNV-1a, 64 bits, of "a"
    assert hashing.hashed("a") == ((known >> 1) % 256, -1)


def test_like_spellings_are_near_and_unlike_ones_are_not() -> None:
    near, same, far = hashing.connect().embed(["Migrating the database", "database MIGRATION", "a cup of tea"])
    assert near @ same > 0.5
    assert abs(near @ far) < 0.3


def test_a_text_without_letters_has_no_direction() -> None:
    assert not hashing.connect().embed(["?! …"]).any()
