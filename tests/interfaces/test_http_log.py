"""The server's log: what a line holds of a request, what it costs, and where it may be written."""

from __future__ import annotations

import logging
from io import StringIO

import anyio
import pytest
from starlette.types import Message, Receive, Scope, Send

from scrubjay.interfaces.http import log
from scrubjay.text.secret_scan import redact


@pytest.fixture
def lines(monkeypatch: pytest.MonkeyPatch) -> StringIO:
    written = StringIO()
    handler = logging.StreamHandler(written)
    handler.addFilter(log.RepeatFilter())
    logger = logging.Logger("access")  # to this one pytest adds no handler of its own, which writes every line
    logger.addHandler(handler)
    monkeypatch.setattr(log, "access", logger)
    return written


@pytest.fixture
def looked_through(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts in which secrets were looked for."""
    texts: list[str] = []

    def redacted(text: str) -> str:
        texts.append(text)
        return redact(text)

    monkeypatch.setattr(log, "redact", redacted)
    return texts


def request(path: str, method: str = "GET") -> None:
    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 404})

    async def receive() -> Message:
        return {"type": "http.request"}

    async def send(message: Message) -> None:
        pass

    anyio.run(log.AccessLog(app), {"type": "http", "method": method, "path": path}, receive, send)


def test_secrets_are_looked_for_only_in_lines_that_are_written(lines: StringIO, looked_through: list[str]) -> None:
    for number in range(3 * log.LINES_PER_MINUTE):
        request(f"/api/v1/{number}")
    assert len(lines.getvalue().splitlines()) == len(looked_through) == log.LINES_PER_MINUTE


def test_of_a_very_long_path_only_its_length_is_logged(lines: StringIO, looked_through: list[str]) -> None:
    request("/" + "diary" * 12_000 + "</private>")
    assert " GET (a path of 60,011 characters) 404 " in lines.getvalue() and not looked_through


def test_a_method_is_logged_only_if_it_is_one(lines: StringIO) -> None:
    request("/", "DELETE")
    request("/", "ghp_" + "x8K2" * 9)
    assert [line.split()[1] for line in lines.getvalue().splitlines()] == ["DELETE", "(other"]
    assert "ghp_" not in lines.getvalue()
