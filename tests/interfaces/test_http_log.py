"""The server's log: what a line holds of a request, what it costs, and where it may be written."""

from __future__ import annotations

import logging
import os
import sys
from io import StringIO
from pathlib import Path

import anyio
import pytest
from starlette.types import Message, Receive, Scope, Send

from scrubjay.errors import Invalid
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
    whole = [text for text in looked_through if text.startswith("/")]
    assert len(lines.getvalue().splitlines()) == len(whole) == log.LINES_PER_MINUTE


def test_a_secret_in_a_path_that_goes_on_after_it_is_not_logged(lines: StringIO) -> None:
    request("/api/v1/sessions/the router password is Htt9pwcanq!x/turns", "POST")
    assert "Htt9pwcanq" not in lines.getvalue() and "/api/v1/sessions/" in lines.getvalue()


def test_of_a_very_long_path_only_its_length_is_logged(lines: StringIO, looked_through: list[str]) -> None:
    request("/" + "diary" * 12_000 + "</private>")
    assert " GET (a path of 60,011 characters) 404 " in lines.getvalue() and not looked_through


def test_a_method_is_logged_only_if_it_is_one(lines: StringIO) -> None:
    request("/", "DELETE")
    request("/", "ghp_" + "x8K2" * 9)
    assert [line.split()[1] for line in lines.getvalue().splitlines()] == ["DELETE", "(other"]
    assert "ghp_" not in lines.getvalue()


@pytest.mark.skipif(sys.platform == "win32", reason="has other pipes and links")
@pytest.mark.parametrize("wrong", ["pipe", "link", "folder"])
def test_a_log_is_written_to_no_pipe_and_through_no_link(tmp_path: Path, wrong: str) -> None:
    letter, file = tmp_path / "letter.txt", tmp_path / "log"
    letter.write_text("Dear Ann")
    {"pipe": os.mkfifo, "link": lambda path: path.symlink_to(letter), "folder": os.mkdir}[wrong](file)
    why = "it is a symbolic link, which is not followed" if wrong == "link" else "it is not a regular file"
    with pytest.raises(Invalid, match=f"^Cannot write the log {file}: {why}; name another file with --log.$"):
        log.log_to(file)
    assert letter.read_text() == "Dear Ann"


@pytest.mark.skipif(sys.platform == "win32", reason="a file that is open cannot be replaced there")
def test_a_log_that_was_replaced_by_a_link_or_a_pipe_stops_no_request(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logging, "raiseExceptions", False)  # else the reason is written to standard error
    letter, file = tmp_path / "letter.txt", tmp_path / "log"
    letter.write_text("Dear Ann")
    handler = log.PrivateFile(file)
    file.unlink()
    file.symlink_to(letter)
    handler.handle(logging.makeLogRecord({"msg": "a line"}))
    file.unlink()
    os.mkfifo(file)
    handler.handle(logging.makeLogRecord({"msg": "a line"}))
    file.unlink()
    handler.handle(logging.makeLogRecord({"msg": "another line"}))
    handler.close()
    assert (letter.read_text(), file.read_text()) == ("Dear Ann", "another line\n")
