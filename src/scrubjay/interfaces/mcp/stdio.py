"""The MCP server at standard input and output: one JSON message in each line, several requests at a time.

Our own loop and not the SDK's, which takes most of a second to import; docs/decisions/0018-mcp.md has the figures.
"""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from logging import getLogger
from pathlib import Path
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any, BinaryIO

from scrubjay.interfaces.log_lines import log_to_stderr
from scrubjay.interfaces.mcp.catalog import make_catalog
from scrubjay.interfaces.mcp.opener import Opener
from scrubjay.interfaces.mcp.protocol import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    INVALID_REQUEST,
    OPENING,
    PARSE_ERROR,
    SUBSCRIPTION_KEY,
    RequestError,
    fits,
)
from scrubjay.interfaces.mcp.session import LISTEN, QUICK, Session

if TYPE_CHECKING:
    from scrubjay import Scrubjay

__all__ = ["Loop", "serve_stdio"]

PARENT_CHECK_SECONDS = 1.0
WORKERS = 40  # requests at a time
IN_ORDER = ("session_start", "session_turns", "session_end")  # one turn may open a private part that the next closes
MAX_DEPTH = 200  # of lists and objects within each other
MAX_DIGITS = 4_000  # of a whole number: Python reads few more
HALF_CHARACTER = re.compile(r"\\u[dD][89a-fA-F]")
MESSAGE = {"jsonrpc": {"2.0"}, "method": str, "params?": dict}
REQUEST = {**MESSAGE, "id": (str, int)}
NO_JSON = object()
WRONG_ID = "The id of a request must be a text, or a whole number that is not thousands of digits long."
NO_REQUEST = 'Send one object in each line: "jsonrpc": "2.0", an id, the name of a method, and an object as its params.'
ACKNOWLEDGED = "notifications/subscriptions/acknowledged"

Message = dict[str, Any]


def serve_stdio(store: str | None, space: str | None, sets: Sequence[str]) -> None:
    """Serve one client over standard input and output, until it or our parent process ends."""
    log_to_stderr()
    opener = Opener(lambda: opened(store, space), answers_hooks=True)
    Thread(target=_exit_with_parent, args=(os.getppid(),), daemon=True).start()
    Loop(opener, sets).run(*_private_streams())
    opener.close()


def opened(store: str | None, space: str | None) -> Scrubjay:
    import scrubjay
    from scrubjay.project.identity import identify

    here = Path.cwd()
    jay = scrubjay.open(store, space=space, project=identify(here), folder=here, trust="agent")
    for note in jay.notes:
        getLogger("scrubjay").warning("%s", note)
    return jay


@dataclass(slots=True, eq=False)
class Request:
    """A request that is being answered."""

    id: int | str
    method: str
    is_cancelled: bool = False

    @property
    def key(self) -> int | str:
        """The id by which it is cancelled; some clients make text of a number."""
        return _key(self.id)


class Loop:
    """Reads messages, and answers each request when it is done: what takes long does not delay the others.

    The turns of conversations are stored in the order in which they came.
    """

    def __init__(self, opener: Opener, sets: Sequence[str] = ("core",)) -> None:
        self._opener = opener
        self._session = Session(make_catalog(opener, sets))
        self._workers = ThreadPoolExecutor(WORKERS, thread_name_prefix="request")
        self._in_order = ThreadPoolExecutor(1, thread_name_prefix="conversation")
        self._running: dict[int | str, Request] = {}
        self._lock = Lock()

    def run(self, source: BinaryIO, target: BinaryIO) -> None:
        """Serve until the input ends; what was asked before is still answered."""
        self._target = target
        for line in source:
            message = _message(line)
            if problem := _problem(message):
                self._send({"jsonrpc": "2.0", "id": _id(message), "error": problem.shown})
            elif fits(message, MESSAGE):
                self._take(message)
        self._in_order.shutdown()
        self._workers.shutdown()

    def _take(self, message: Message) -> None:
        if message.get("id") is not None:
            self._answer(Request(message["id"], message["method"]), message.get("params"))
        else:
            self._notice(message["method"], message.get("params") or {})
        if message["method"] not in OPENING:
            self._opener.begin()

    def _answer(self, request: Request, params: Message | None) -> None:
        self._running[request.key] = request
        try:
            _refuse_deep(params)
            work = self._session.work(request.method, params)
        except RequestError as problem:
            self._finish(request, {"error": problem.shown})
            return
        if request.method == LISTEN:  # it ends when it is cancelled
            about = {"_meta": {SUBSCRIPTION_KEY: request.id}, "notifications": work()}
            self._send({"jsonrpc": "2.0", "method": ACKNOWLEDGED, "params": about})
        elif request.method in QUICK:
            self._finish(request, _outcome(work))
        else:
            of_conversation = request.method == "tools/call" and params and params["name"] in IN_ORDER
            (self._in_order if of_conversation else self._workers).submit(self._work, request, work)

    def _work(self, request: Request, work: Callable[[], Message]) -> None:
        if not request.is_cancelled:
            self._finish(request, _outcome(work))

    def _finish(self, request: Request, outcome: Message) -> None:
        if self._running.get(request.key) is request:  # another may have the same id
            self._running.pop(request.key, None)
        if not request.is_cancelled:
            self._send({"jsonrpc": "2.0", "id": request.id, **outcome})

    def _notice(self, method: str, params: Message) -> None:
        if method == "notifications/initialized":
            self._session.initialized()
        elif method == "notifications/cancelled" and fits(params, {"requestId": (str, int)}):
            if cancelled := self._running.pop(_key(params["requestId"]), None):
                cancelled.is_cancelled = True

    def _send(self, message: Message) -> None:
        line = json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode(errors="replace") + b"\n"
        with self._lock, suppress(BrokenPipeError):  # the client has gone; its input ends, too
            self._target.write(line)
            self._target.flush()


def _outcome(work: Callable[[], Message]) -> Message:
    try:
        return {"result": work()}
    except RequestError as problem:
        return {"error": problem.shown}
    except Exception:
        getLogger("scrubjay").exception("A request failed")
        return {"error": RequestError(INTERNAL_ERROR, "Internal server error").shown}


def _message(line: bytes) -> Any:
    """What a line says: None if it is empty, and `NO_JSON` if it cannot be read."""
    text = line.decode(errors="replace")
    if not text.strip():
        return None
    try:
        return _parsed(_with_whole_characters(text) if HALF_CHARACTER.search(text) else text)
    except (ValueError, RecursionError):
        return NO_JSON


def _problem(message: Any) -> RequestError | None:
    """What is wrong with a line. A client may wait for an answer to it, unless it is a notification or an answer."""
    if message is NO_JSON:
        return RequestError(PARSE_ERROR, "This line cannot be read as JSON.")
    if message is None or (isinstance(message, dict) and not _asks(message)) or fits(message, REQUEST):
        return None
    if isinstance(message, dict) and "id" in message and _id(message) is None:
        return RequestError(INVALID_REQUEST, WRONG_ID)
    return RequestError(INVALID_REQUEST, NO_REQUEST)


def _asks(message: Message) -> bool:
    if "method" in message:
        return message.get("id") is not None
    return "result" not in message and "error" not in message


def _id(message: Any) -> int | str | None:
    id = message.get("id") if isinstance(message, dict) else None
    return id if fits(id, (str, int)) else None


def _parsed(text: str) -> Any:
    """The JSON of a line. A request that is not answered would be waited for: so a number may have any length."""
    return json.loads(text, parse_int=_number)


def _number(digits: str) -> int | float:
    return int(digits) if len(digits) <= MAX_DIGITS else float(digits)


def _with_whole_characters(text: str) -> str:
    """JSON without halves of characters, which a client may write when it has cut a text: as with bytes that are none.

    This is for the same reason.
    """
    halves = json.dumps(_parsed(text), ensure_ascii=False)
    return halves.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _refuse_deep(params: Message | None) -> None:
    level: Sequence[Any] = [params]
    for _ in range(MAX_DEPTH):
        level = [one for each in level if isinstance(each, list | dict) for one in _inside(each)]
        if not level:
            return
    raise RequestError(INVALID_PARAMS, "The parameters are nested too deeply; make them flatter.")


def _inside(value: list[Any] | dict[str, Any]) -> Sequence[Any]:
    return list(value.values()) if isinstance(value, dict) else value


def _key(id: int | str) -> int | str:
    try:
        return int(id)
    except ValueError:
        return id


def _private_streams() -> tuple[BinaryIO, BinaryIO]:
    """Copies of standard input and output for us alone: other code that prints does so to standard error."""
    source, target = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    try:
        os.dup2(2, 1)
    except OSError:  # there is no standard error
        os.dup2(nothing, 1)
    os.close(nothing)
    return os.fdopen(source, "rb"), os.fdopen(target, "wb")


def _exit_with_parent(parent: int) -> None:
    """If a client is killed, another process may keep its end of the pipe open, and the input never ends."""
    while os.getppid() == parent:
        time.sleep(PARENT_CHECK_SECONDS)
    os._exit(0)  # every acknowledged write is on disk
