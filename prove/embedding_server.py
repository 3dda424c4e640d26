"""A real OpenAI-compatible embedding server: LitServe from the registry, serving the bundled model."""

from __future__ import annotations

import sys
from typing import Any

import litserve
import litserve.server

from scrubjay.models.embedders.bundled import connect

__all__ = ["Serving"]


class Serving(litserve.LitAPI):  # type: ignore[misc]
    """What LitServe asks for: load, and embed what its own wire format has read."""

    def setup(self, device: str) -> None:
        self.model = connect()

    def predict(self, texts: Any) -> list[list[float]]:
        asked = [texts] if isinstance(texts, str) else list(texts)
        vectors: list[list[float]] = self.model.embed(asked).tolist()
        return vectors

    def encode_response(self, output: list[list[float]]) -> dict[str, Any]:
        return {"embeddings": output}


if __name__ == "__main__":
    # It would take the MCP SDK that is installed here for an older one, and fall over it.
    litserve.server._MCP_AVAILABLE = False
    server = litserve.LitServer(Serving(spec=litserve.OpenAIEmbeddingSpec()), accelerator="cpu", workers_per_device=1)
    server.run(host="127.0.0.1", port=int(sys.argv[1]), generate_client_file=False, log_level="warning")
