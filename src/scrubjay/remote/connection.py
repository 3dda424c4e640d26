"""Requests to a server: one pool of connections, retries of what is safe to repeat, and errors in sentences."""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date, datetime
from functools import partial
from types import NoneType
from typing import TYPE_CHECKING, Any, BinaryIO, get_args
from urllib.parse import quote, urlsplit

from scrubjay.dates.timestamps import in_utc
from scrubjay.errors import Invalid, NotFound, ScrubjayError, StoreError
from scrubjay.models.connections import Connections
from scrubjay.models.providers import AUTHORITY, is_this_machine
from scrubjay.remote.answers import WrongAnswer, error_of, read_answer, read_json
from scrubjay.remote.verbs import PREFIX, Verb, return_type

if TYPE_CHECKING:
    import httpx

__all__ = ["Connection"]

TOKEN_VARIABLE = "SCRUBJAY_TOKEN"
SECONDS, CONNECT_SECONDS = 120.0, 10.0
WHOLE_SECONDS = 600.0  # of one exchange, however slowly it comes in
MAX_BYTES = 512_000_000
SHORT_BYTES = 10_000_000  # of an error, or of a report about a file
PART_BYTES = 256 * 1024  # of a file
WAITS = (0.3, 1.0)  # seconds, before it is asked again
PLAIN_ADDRESS = re.compile(r"https?:[^\s?#\x00-\x1f\x7f-\U0010ffff]+")
STEPS_IN_A_PATH = ("", ".", "..")
TYPE = "urn:scrubjay:"
NO_TOKEN = (
    f"A server needs a token: give token=…, or set {TOKEN_VARIABLE}; `scrubjay token create NAME` makes one there."
)
NOT_A_TOKEN = "That is no token: one begins with scrubjay_, and has letters, digits, - and _ behind it."
NO_ADDRESS = "A server's address is https://HOST or https://HOST:PORT, with no user name and no ? or # in it."
NOT_TEXT = "This output is not UTF-8 text; convert it first, e.g. with iconv."
TOO_LATE = "{} took too long to send its answer."
TOO_MUCH = "{} sent more than {} MB and was cut off."
COMPRESSED = "{} sent a compressed answer, which it was not asked for and which could be of any size."
NO_NAME = "{!r} names nothing that a server can be asked for."
NOT_PRIVATE = "{} is not this machine, and http:// would send the token and your memories unencrypted; use https://."


class Connection:
    """One server, as one token sees it."""

    def __init__(self, url: str, token: str | None, space: str | None, project: str | None) -> None:
        self.url = url.rstrip("/")
        host = _host(self.url)
        if self.url.startswith("http://") and not is_this_machine(host):
            raise Invalid(NOT_PRIVATE.format(host))
        self._token = token or os.environ.get(TOKEN_VARIABLE)
        if not self._token:
            raise Invalid(NO_TOKEN)
        if not self._token.isascii() or not self._token.isprintable():
            raise Invalid(NOT_A_TOKEN)
        self.space, self.project = space, project
        self._client: httpx.Client | None = None
        self._connections = Connections()

    def call(self, verb: Verb, arguments: Mapping[str, Any]) -> Any:
        """What the method returns. Raises the error that a local memory would."""
        path = PREFIX + verb.path.format(**{name: _in_path(arguments[name]) for name in verb.in_path})
        rest = {name: value for name, value in arguments.items() if name not in verb.in_path}
        sent = {"json": _in_json(rest)} if verb.has_body else {"params": _in_query(rest)}
        headers = {"Idempotency-Key": os.urandom(16).hex()} if verb.is_kept else {}
        once = partial(self._once, verb.method, path, sent | {"headers": self._headers() | headers})
        try:
            return read_answer(verb, _repeated(once) if verb.may_be_repeated else once())
        except NotFound:
            if NoneType in get_args(return_type(verb.name)):
                return None
            raise

    def send_file(self, verb: Verb, arguments: Mapping[str, Any], file: BinaryIO, headers: Mapping[str, str]) -> Any:
        """Send a file, which is read as it is sent, and return what the method does."""
        sent = {"params": _in_query(arguments), "headers": {**self._headers(), **headers}}

        def once() -> dict[str, Any]:
            file.seek(0)
            with self.streamed(verb.method, PREFIX + verb.path, {**sent, "content": _parts(file)}) as response:
                return self._read(response, self._received(response, SHORT_BYTES))

        return read_answer(verb, _repeated(once))

    @contextmanager
    def get_stream(self, verb: Verb, arguments: Mapping[str, Any]) -> Iterator[httpx.Response]:
        """An answer that is read as it comes, for as long as it goes on. Raises what is no such answer."""
        sent = {"params": _in_query(arguments), "headers": self._headers()}
        with self.streamed(verb.method, PREFIX + verb.path, sent) as response:
            self._refuse_compressed(response)
            if not response.is_success:
                self._read(response, self._received(response, SHORT_BYTES))
            yield response

    @contextmanager
    def streamed(self, method: str, path: str, sent: Mapping[str, Any]) -> Iterator[httpx.Response]:
        import httpx

        asked = {"extensions": self._connections.extensions, **sent}
        try:
            with self._pool().stream(method, self.url + path, **asked) as response:
                yield response
        except httpx.TimeoutException:
            raise StoreError(f"{self.url} has not answered for {SECONDS:.0f} seconds; try again.") from None
        except (httpx.HTTPError, httpx.InvalidURL) as problem:
            why = type(problem).__name__
            raise StoreError(f"{self.url} does not answer ({why}); is `scrubjay serve` running there?") from None

    def close(self) -> None:
        if self._client is not None:
            self._client.close()

    def with_space(self, space: str | None, project: str | None) -> Connection:
        """The same server for another space; the pool is shared."""
        other = Connection(self.url, self._token, space or self.space, project or self.project)
        other._client, other._connections = self._pool(), self._connections
        return other

    def _once(self, method: str, path: str, sent: Mapping[str, Any]) -> dict[str, Any]:
        deadline = time.monotonic() + WHOLE_SECONDS
        try:
            with self._connections.at_most(WHOLE_SECONDS), self.streamed(method, path, sent) as response:
                data = self._received(response, MAX_BYTES)
        except WrongAnswer:
            raise
        except StoreError:
            self._refuse_if_late(deadline)
            raise
        self._refuse_if_late(deadline)
        return self._read(response, data)

    def _refuse_if_late(self, deadline: float) -> None:
        """An answer that was cut when its time was over may look like a whole one."""
        if time.monotonic() >= deadline:
            raise WrongAnswer(TOO_LATE.format(self.url))

    def _received(self, response: httpx.Response, most_bytes: int) -> bytes:
        self._refuse_compressed(response)
        return b"".join(self.limited(response, most_bytes))

    def limited(self, response: httpx.Response, most_bytes: int) -> Iterator[bytes]:
        """The parts of an answer that has an end. Time counts while they are waited for, not while they are used."""
        size, waited, since = 0, 0.0, time.monotonic()
        for part in response.iter_raw():
            size += len(part)
            waited += time.monotonic() - since
            if size > most_bytes:
                raise WrongAnswer(TOO_MUCH.format(self.url, most_bytes // 1_000_000))
            if waited >= WHOLE_SECONDS:
                raise WrongAnswer(TOO_LATE.format(self.url))
            yield part
            since = time.monotonic()

    def _refuse_compressed(self, response: httpx.Response) -> None:
        """What is compressed could be of any size, and was not asked for."""
        if response.headers.get("content-encoding", "identity").strip().lower() != "identity":
            raise WrongAnswer(COMPRESSED.format(self.url))

    def _read(self, response: httpx.Response, data: bytes) -> dict[str, Any]:
        try:
            answer = read_json(data)
        except (ValueError, RecursionError):
            answer = None
        if isinstance(answer, dict):
            if response.is_success:
                return answer
            raise _error(response.status_code, answer)
        # A proxy answers so for a server that is just starting.
        error = StoreError if response.is_server_error else WrongAnswer
        raise error(f"{self.url} is not a Scrubjay server: it answered with {response.status_code}.")

    def _headers(self) -> dict[str, str]:
        own = {"Authorization": f"Bearer {self._token}", "User-Agent": "scrubjay", "Accept-Encoding": "identity"}
        named = {"X-Scrubjay-Space": self.space, "X-Scrubjay-Project": self.project}
        return own | {name: value for name, value in named.items() if value}

    def _pool(self) -> httpx.Client:
        if self._client is None:
            import httpx

            # A proxy of the environment is used only for servers on other machines.
            away = not is_this_machine(_host(self.url))
            timeout = httpx.Timeout(SECONDS, connect=CONNECT_SECONDS)
            self._client = httpx.Client(trust_env=away, timeout=timeout, follow_redirects=False)
        return self._client


def _repeated(once: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """Ask, and ask again if the connection breaks: with its key, a change that was made is not made again."""
    for wait in WAITS:
        try:
            return once()
        except WrongAnswer:
            raise
        except StoreError:
            time.sleep(wait)
    return once()


def _parts(file: BinaryIO) -> Iterator[bytes]:
    while part := file.read(PART_BYTES):
        yield part


def _host(url: str) -> str:
    """The host of a server's address; one that two programs could read differently is refused."""
    try:
        parts = urlsplit(url)
    except ValueError:
        raise Invalid(NO_ADDRESS) from None
    if not PLAIN_ADDRESS.fullmatch(url) or not AUTHORITY.fullmatch(parts.netloc):
        raise Invalid(NO_ADDRESS)
    return parts.hostname or ""


def _error(status: int, answer: Mapping[str, Any]) -> ScrubjayError:
    sentence = str(answer.get("detail") or answer.get("error") or f"The server answered with {status}.")
    kind = str(answer.get("type", ""))
    return error_of(kind.removeprefix(TYPE), sentence) if kind.startswith(TYPE) else Invalid(sentence)


def _in_path(value: Any) -> str:
    """One part of a path. `..` would lead to another one, and so to another request, however it is written."""
    parts = value if isinstance(value, Sequence) and not isinstance(value, str) else [value]
    if any(str(part) in STEPS_IN_A_PATH for part in parts):
        raise Invalid(NO_NAME.format(value))
    return ",".join(quote(str(part), safe="") for part in parts)


def _in_query(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Objects as JSON; lists are repeated."""
    found = {name: _in_json(value, name) for name, value in arguments.items() if value is not None}
    return {name: json.dumps(value) if isinstance(value, dict) else value for name, value in found.items()}


def _text(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise Invalid(NOT_TEXT) from None


def _in_json(value: Any, name: str = "A time") -> Any:
    if isinstance(value, datetime):  # as text, one without a zone would mean the local time of the server
        return in_utc(value, name).isoformat()
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, bytes):
        return _text(value)
    if isinstance(value, Mapping):
        return {name: _in_json(item, str(name)) for name, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_in_json(item, name) for item in value]
    return value
