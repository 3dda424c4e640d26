"""A model server on this machine that speaks every provider's wire format, and fails in every way when told to."""

from __future__ import annotations

import json
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from scrubjay.models.embedders.hashing import Hashing
from tests.support.job_desk import JobDesk

__all__ = ["ModelServer", "running"]


@dataclass
class ModelServer:
    """What was asked, what is to go wrong next, and what a generator is to say."""

    url: str = ""
    asked: list[tuple[str, dict[str, str], Any]] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)  # the next requests, one each; "" for none
    always: str = ""  # what goes wrong with every request
    poison: str = ""  # a text that it falls over
    says: list[str] = field(default_factory=list)  # what a generator answers, one each; the last for ever
    retry_after: str = "7"
    hits: int = 0
    desk: JobDesk = field(default_factory=JobDesk)

    @property
    def texts(self) -> list[str]:
        """All texts that were embedded, in the order in which they came."""
        return [text for batch in self.batches for text in batch]

    @property
    def batches(self) -> list[list[str]]:
        """The same, as they came together."""
        return [texts for path, _, body in self.asked if (texts := texts_of(path, body))]


def texts_of(path: str, body: Any) -> list[str]:
    if path.endswith(":batchEmbedContents"):
        return [request["content"]["parts"][0]["text"] for request in body["requests"]]
    if path.endswith("/embeddings") or path == "/api/embed":
        return list(body["input"])
    return []


@contextmanager
def running() -> Iterator[ModelServer]:
    """A server on a port that the system chooses."""
    state = ModelServer()
    connections: list[socket.socket] = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = 65_536  # an answer in one packet: two would wait for each other

        def setup(self) -> None:
            super().setup()
            connections.append(self.connection)

        def do_POST(self) -> None:
            with suppress(ConnectionError):
                answer(state, self)

        do_GET = do_DELETE = do_POST

        def log_message(self, format: str, *args: Any) -> None:
            return

    class Quiet(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, request: Any, client_address: Any) -> None:
            return  # connections break here all the time, and are meant to

    server = Quiet(("127.0.0.1", 0), Handler)
    state.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield state
    finally:
        server.shutdown()
        server.server_close()
        for connection in connections:  # a server that has died serves nobody on
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        thread.join()


def answer(state: ModelServer, handler: BaseHTTPRequestHandler) -> None:
    data = handler.rfile.read(int(handler.headers.get("content-length") or 0))
    state.hits += 1
    if state.desk.knows(handler.path):
        reply(handler, *state.desk.answer(handler.command, handler.path, data))
        return
    body = json.loads(data)
    state.asked.append((handler.path, {key.lower(): value for key, value in handler.headers.items()}, body))
    fault = state.faults.pop(0) if state.faults else state.always
    texts = texts_of(handler.path, body)
    if state.poison and any(state.poison in text for text in texts):
        fault = "500"
    if fault in BEFORE:
        BEFORE[fault](state, handler)
        return
    found = embedded(handler.path, texts, fault) if texts else written(state, handler.path, body)
    reply(handler, 200, json.dumps(found).encode())


def embedded(path: str, texts: list[str], fault: str) -> Any:
    rows = Hashing().embed(texts).tolist()
    if fault == "wrong count":
        rows = rows[:-1]
    elif fault == "wrong dimensions":
        rows = [row[:100] for row in rows]
    elif fault == "ragged":
        rows = [rows[0][:3], *rows[1:]]
    elif fault == "nan":
        rows[0][0] = float("nan")
    elif fault == "zeros":
        rows[0] = [0.0] * len(rows[0])
    elif fault == "odd":
        return {"surprise": True}
    if path.endswith(":batchEmbedContents"):
        return {"embeddings": [{"values": row} for row in rows]}
    if path == "/api/embed":
        return {"model": "m", "embeddings": rows}
    data = [{"object": "embedding", "index": place, "embedding": row} for place, row in enumerate(rows)]
    return {"object": "list", "data": data[::-1], "usage": {"prompt_tokens": 1, "total_tokens": 1}}


def written(state: ModelServer, path: str, body: Any) -> Any:
    text = state.says.pop(0) if len(state.says) > 1 else state.says[0]
    if path.endswith(":generateContent"):
        return {
            "candidates": [{"content": {"parts": [{"text": text}]}}],
            "usageMetadata": {"promptTokenCount": 100, "candidatesTokenCount": 20},
        }
    if path == "/api/chat":
        return {"message": {"role": "assistant", "content": text}, "prompt_eval_count": 100, "eval_count": 20}
    if path.endswith("/messages"):
        content = (
            [{"type": "tool_use", "name": "answer", "input": json.loads(text)}]
            if "tools" in body
            else [{"type": "text", "text": text}]
        )
        return {"content": content, "usage": {"input_tokens": 100, "output_tokens": 20}}
    return {
        "choices": [{"message": {"role": "assistant", "content": text}}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 20},
    }


def reply(handler: BaseHTTPRequestHandler, status: int, data: bytes, **headers: str) -> None:
    handler.send_response(status)
    for name, value in headers.items():
        handler.send_header(name.replace("_", "-"), value)
    handler.send_header("content-length", str(len(data)))
    handler.end_headers()
    handler.wfile.write(data)


def status(code: int, message: str) -> Callable[[ModelServer, Any], None]:
    data = json.dumps({"error": {"message": message}}).encode()
    return lambda state, handler: reply(handler, code, data)


def busy(state: ModelServer, handler: Any) -> None:
    reply(handler, 429, b'{"error": "slow down"}', retry_after=state.retry_after)


def page(state: ModelServer, handler: Any) -> None:
    reply(handler, 502, b"<html><body><h1>Bad gateway</h1></body></html>", content_type="text/html")


def portal(state: ModelServer, handler: Any) -> None:
    reply(handler, 200, b"<html><body>Please sign in</body></html>", content_type="text/html")


def elsewhere(state: ModelServer, handler: Any) -> None:
    reply(handler, 307, b"", location="http://127.0.0.1:9/elsewhere")


def cut(state: ModelServer, handler: Any) -> None:
    """Break off in the middle of an answer, as a server that was killed does."""
    handler.send_response(200)
    handler.send_header("content-length", "100000")
    handler.end_headers()
    handler.wfile.write(b'{"data": [')
    handler.wfile.flush()
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    handler.connection.close()
    handler.close_connection = True


def slow(state: ModelServer, handler: Any) -> None:
    time.sleep(2)
    handler.close_connection = True


def endless(state: ModelServer, handler: Any) -> None:
    handler.send_response(200)
    handler.end_headers()
    handler.close_connection = True
    while True:
        handler.wfile.write(b"[" * 65_536)


def echo(state: ModelServer, handler: Any) -> None:
    """An error that repeats the key, as some servers are rude enough to do."""
    key = handler.headers.get("authorization") or handler.headers.get("x-goog-api-key") or ""
    key = key or handler.headers.get("x-api-key") or ""
    reply(handler, 400, json.dumps({"error": {"message": f"bad key {key}"}}).encode())


BEFORE: dict[str, Callable[[ModelServer, Any], None]] = {
    "400": status(400, "this input is not valid"),
    "401": status(401, "no"),
    "404": status(404, "model not found"),
    "500": status(500, "internal error"),
    "503": status(503, "loading"),
    "busy": busy,
    "page": page,
    "portal": portal,
    "elsewhere": elsewhere,
    "cut": cut,
    "slow": slow,
    "endless": endless,
    "echo": echo,
}
