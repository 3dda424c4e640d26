"""A language model that is asked over three companies' interfaces, calls one tool and then says one sentence."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, TypeAlias
from uuid import uuid4

__all__ = ["Model", "serving"]

Events: TypeAlias = Iterable[Mapping[str, Any]]


@dataclass
class Model:
    """What it will say, the tool it will call first, and what it was asked."""

    answer: str
    tool: str
    arguments: Mapping[str, Any]
    asked: list[tuple[str, Any]] = field(default_factory=list)
    called: bool = False
    salt: str = field(default_factory=lambda: uuid4().hex)  # a resumed session must not meet an id again

    def answers(self, path: str, request: Any) -> Events:
        self.asked.append((path, request))
        calls = not self.called and self.tool in _tools(request)
        self.called = self.called or calls
        if path.startswith("/v1/messages"):
            return self._anthropic(calls)
        if path.startswith("/v1/responses"):
            return self._openai(calls)
        return self._google(calls)

    def _anthropic(self, calls: bool) -> Events:
        block: dict[str, Any]
        if calls:
            block = {"type": "tool_use", "id": f"toolu_{self.salt}", "name": self.tool, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(self.arguments)}
        else:
            block, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": self.answer}
        usage = {"input_tokens": 1, "output_tokens": 1}
        message: dict[str, Any] = {
            "id": f"msg_{self.salt}_{len(self.asked)}", "type": "message", "role": "assistant", "model": "mock",
            "content": [], "stop_reason": None, "stop_sequence": None, "usage": usage,
        }  # fmt: skip
        stop = {"stop_reason": "tool_use" if calls else "end_turn", "stop_sequence": None}
        yield {"type": "message_start", "message": message}
        yield {"type": "content_block_start", "index": 0, "content_block": block}
        yield {"type": "content_block_delta", "index": 0, "delta": delta}
        yield {"type": "content_block_stop", "index": 0}
        yield {"type": "message_delta", "delta": stop, "usage": usage}
        yield {"type": "message_stop"}

    def _openai(self, calls: bool) -> Events:
        item: dict[str, Any]
        if calls:
            item = {
                "type": "function_call", "id": f"fc_{self.salt}", "call_id": f"call_{self.salt}", "name": self.tool,
                "arguments": json.dumps(self.arguments),
            }  # fmt: skip
        else:
            content = [{"type": "output_text", "text": self.answer, "annotations": []}]
            item = {
                "type": "message",
                "id": f"msg_{self.salt}_{len(self.asked)}",
                "role": "assistant",
                "content": content,
            }
        usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
        response = {"id": f"resp_{len(self.asked)}", "object": "response"}
        yield {"type": "response.created", "response": {**response, "status": "in_progress"}}
        yield {"type": "response.output_item.done", "output_index": 0, "item": item}
        yield {"type": "response.completed", "response": {**response, "status": "completed", "usage": usage}}

    def _google(self, calls: bool) -> Events:
        part = {"functionCall": {"name": self.tool, "args": self.arguments}} if calls else {"text": self.answer}
        yield {
            "candidates": [{"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}],
            "usageMetadata": {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2},
        }


@contextmanager
def serving(model: Model) -> Iterator[str]:
    """The address of the model while it answers, on a port that the system chose."""

    class Door(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._send(b"{}", "application/json")

        do_HEAD = do_GET

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            if "countTokens" in self.path or "count_tokens" in self.path:
                self._send(b'{"totalTokens": 1, "input_tokens": 1}', "application/json")
                return
            events = list(model.answers(self.path, json.loads(body or b"{}")))
            if "generateContent" in self.path and "stream" not in self.path:
                self._send(json.dumps(events[0]).encode(), "application/json")
            else:
                self._send(b"".join(_event(event) for event in events), "text/event-stream")

        def _send(self, body: bytes, kind: str) -> None:
            self.send_response(200)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Door)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _event(event: Mapping[str, Any]) -> bytes:
    name = f"event: {event['type']}\n" if "type" in event else ""
    return f"{name}data: {json.dumps(event)}\n\n".encode()


def _tools(request: Any) -> set[str]:
    """The tools that the client offers, under whichever key."""
    offered = request.get("tools") or []
    declared = [one for tool in offered for one in tool.get("functionDeclarations", [tool])]
    return {tool.get("name", "") for tool in declared}
