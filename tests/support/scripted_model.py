"""A language model on this machine that says, over the interfaces of Anthropic and OpenAI, what it was told to say."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

__all__ = ["ScriptedModel", "run_program", "scripted_model"]

Says = str | tuple[str, dict[str, Any]]  # a sentence, or the name of a tool and its arguments
USAGE = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}


@dataclass
class ScriptedModel:
    """What it says, one reply for each request and then `Done.`, and what it was asked."""

    says: list[Says]
    asked: list[Any] = field(default_factory=list)
    url: str = ""

    def environment(self) -> dict[str, str]:
        """What the clients of both companies read."""
        keys = {"ANTHROPIC_API_KEY": "none", "OPENAI_API_KEY": "none", "OPENAI_AGENTS_DISABLE_TRACING": "1"}
        return {"ANTHROPIC_BASE_URL": self.url, "OPENAI_BASE_URL": f"{self.url}/v1", **keys}

    def reply(self, path: str, request: Any) -> dict[str, Any]:
        self.asked.append(request)
        says = self.says.pop(0) if self.says else "Done."
        number = len(self.asked)
        shape = {"/v1/messages": _anthropic, "/v1/responses": _responses, "/v1/chat/completions": _chat}
        return shape[path.partition("?")[0]](says, number)


def _anthropic(says: Says, number: int) -> dict[str, Any]:
    block: dict[str, Any] = {"type": "text", "text": says}
    if not isinstance(says, str):
        block = {"type": "tool_use", "id": f"toolu_{number}", "name": says[0], "input": says[1]}
    stop = "end_turn" if isinstance(says, str) else "tool_use"
    return {
        "id": f"msg_{number}", "type": "message", "role": "assistant", "model": "scripted", "content": [block],
        "stop_reason": stop, "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1},
    }  # fmt: skip


def _responses(says: Says, number: int) -> dict[str, Any]:
    text: list[Any] = [{"type": "output_text", "text": says, "annotations": []}]
    item: dict[str, Any] = {"type": "message", "id": f"msg_{number}", "role": "assistant", "status": "completed"}
    item["content"] = text
    if not isinstance(says, str):
        call = {"name": says[0], "arguments": json.dumps(says[1]), "call_id": f"call_{number}"}
        item = {"type": "function_call", "id": f"fc_{number}", "status": "completed", **call}
    details = {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
    return {
        "id": f"resp_{number}", "object": "response", "created_at": 0, "status": "completed", "model": "scripted",
        "output": [item], "parallel_tool_calls": True, "tool_choice": "auto", "tools": [], "usage": USAGE | details,
    }  # fmt: skip


def _chat(says: Says, number: int) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": says}
    if not isinstance(says, str):
        function = {"name": says[0], "arguments": json.dumps(says[1])}
        message = {"role": "assistant", "content": None}
        message["tool_calls"] = [{"id": f"call_{number}", "type": "function", "function": function}]
    choice = {"index": 0, "finish_reason": "stop" if isinstance(says, str) else "tool_calls", "message": message}
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    about = {"id": f"chat_{number}", "object": "chat.completion", "created": 0, "model": "scripted"}
    return {**about, "choices": [choice], "usage": usage}


@contextmanager
def scripted_model(*says: Says) -> Iterator[ScriptedModel]:
    model = ScriptedModel(list(says))

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["content-length"])))
            body = json.dumps(model.reply(self.path, request)).encode()
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        model.url = f"http://127.0.0.1:{server.server_port}"
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield model
        finally:
            server.shutdown()


def run_program(program: str, model: ScriptedModel, folder: Path, *words: str) -> str:
    """Run a program in a process of its own, which has this model and a home of its own; returns what it prints."""
    home = {"HOME": str(folder), "SCRUBJAY_HOME": str(folder / "home"), "SCRUBJAY_EMBEDDER": "hashing"}
    ran = subprocess.run(
        [sys.executable, "-c", program, *words], cwd=folder, env={**os.environ, **home, **model.environment()},
        capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    return ran.stdout
