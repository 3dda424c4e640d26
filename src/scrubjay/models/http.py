"""HTTP client for model servers: retries, time and size limits, and a circuit breaker for repeated failures."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from random import uniform
from threading import BoundedSemaphore, Event, Lock
from time import monotonic
from typing import TYPE_CHECKING, Any

from scrubjay.errors import ScrubjayError
from scrubjay.models.connections import Connections
from scrubjay.models.providers import Credentials, Endpoint
from scrubjay.text.secret_scan import redact

if TYPE_CHECKING:
    import httpx

__all__ = ["CircuitBreaker", "Headers", "ModelClient", "Timing", "bearer", "google_key"]

ATTEMPTS = 4
AT_ONCE = 4
MAX_BYTES = 64_000_000
MESSAGE_CHARACTERS = 200
CONNECT_SECONDS = 10.0
REMOTE_SECONDS, LOCAL_SECONDS = 60.0, 300.0  # a local server may have to load the model first
QUESTION_SECONDS = 20.0  # a user is waiting, and search by words can answer instead
MAX_RETRY_AFTER_SECONDS = 60.0  # a longer Retry-After is respected, but not waited for: the circuit opens
TEXT_REFUSED = {400, 413, 422}  # one text of the batch is at fault; halving the batch finds it
TRANSIENT = {408, 425, 429, 500, 502, 503, 504, 529}
NO_CONNECTION = "no connection"
SPARE_SECONDS = 1.0  # a server that says nothing is given up without cutting the connections of others
TOO_LATE = "took too long to send its answer."
COMPRESSED = "sent a compressed answer, which it was not asked for and which could be of any size."
MAYBE_TEXT_REFUSED = 500  # some servers crash on one text; halving the batch finds it

Headers = Callable[[str | None], Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class Timing:
    """Clock, waiting and delays; tests use their own."""

    clock: Callable[[], float] = monotonic
    wait: Callable[[Event, float], bool] = Event.wait
    backoff_seconds: float = 0.5
    max_backoff_seconds: float = 8.0
    pause_seconds: float = 15.0
    max_pause_seconds: float = 300.0


DEFAULT_TIMING = Timing()


class Failure(Exception):
    """One request that failed."""

    def __init__(self, message: str, *, status: int = 0, retry: bool = False, after: float = 0.0) -> None:
        super().__init__(message)
        self.status = status  # 0: there was no HTTP answer
        self.retry = retry
        self.after = after  # seconds that Retry-After asks for


@dataclass(frozen=True, slots=True)
class Request:
    """A request to a server, and how to read the answer."""

    method: str
    path: str
    sent: Mapping[str, Any] = field(default_factory=dict)  # keyword arguments for httpx
    read: Callable[[bytes], Any] = json.loads


class CircuitBreaker:
    """After several failures in a row, no requests for a while; then one trial request, and if it works all others."""

    FAILURES = 4

    def __init__(self, timing: Timing) -> None:
        self._timing = timing
        self._lock = Lock()
        self._failures = 0
        self._until = 0.0
        self._seconds = timing.pause_seconds

    def seconds_left(self, trial_seconds: float) -> float:
        """Seconds until a request is allowed. 0 allows this caller; others wait for the answer to a trial."""
        with self._lock:
            now = self._timing.clock()
            if self._failures < self.FAILURES:
                return 0.0
            if now < self._until:
                return self._until - now
            self._until = now + trial_seconds
            return 0.0

    def succeeded(self) -> None:
        with self._lock:
            self._failures, self._seconds = 0, self._timing.pause_seconds

    def failed(self, least_seconds: float = 0.0) -> None:
        with self._lock:
            self._failures += 1
            if least_seconds > MAX_RETRY_AFTER_SECONDS:
                self._failures = max(self._failures, self.FAILURES)
            if self._failures >= self.FAILURES:
                seconds = max(self._seconds, least_seconds)
                self._until = self._timing.clock() + min(seconds, 3600.0)
                self._seconds = min(self._seconds * 2, self._timing.max_pause_seconds)

    @property
    def is_open(self) -> bool:
        return self._failures >= self.FAILURES


@dataclass(slots=True, repr=False)  # a key must not be seen in a traceback
class ModelClient:
    """The client for one model server. May be shared between threads."""

    endpoint: Endpoint
    credentials: Credentials
    headers: Headers
    unavailable: type[ScrubjayError]  # raised when the server does not answer
    refused: type[ScrubjayError]  # raised when the server refuses the text
    timing: Timing = field(default_factory=lambda: DEFAULT_TIMING)
    _lock: Lock = field(default_factory=Lock)
    _slots: BoundedSemaphore = field(default_factory=lambda: BoundedSemaphore(AT_ONCE))
    _stopped: Event = field(default_factory=Event)
    _client: httpx.Client | None = None
    _connections: Connections = field(default_factory=Connections)
    _key: str | None = None
    _breaker: CircuitBreaker = field(init=False)
    _has_answered: bool = False

    def __post_init__(self) -> None:
        self._breaker = CircuitBreaker(self.timing)

    def post(self, path: str, body: Mapping[str, Any], *, patient: bool = True) -> Any:
        """Send one request and return the JSON answer. If `patient`, retry while the server is busy or restarting."""
        return self._send(Request("POST", path, {"content": json.dumps(body).encode()}), patient)

    def upload(self, path: str, name: str, content: bytes, **fields: str) -> Any:
        """Upload a file as a multipart form and return the JSON answer."""
        return self._send(Request("POST", path, {"files": {"file": (name, content)}, "data": fields}))

    def get(self, path: str) -> Any:
        return self._send(Request("GET", path))

    def lines(self, path: str) -> list[Any]:
        """Fetch a file of JSON lines."""
        found: list[Any] = self._send(Request("GET", path, read=_json_lines))
        return found

    def delete(self, path: str) -> None:
        self._send(Request("DELETE", path, read=len))

    def _send(self, request: Request, patient: bool = True) -> Any:
        with self._slots if patient else nullcontext():  # a question does not wait for batches
            for attempt in range(ATTEMPTS):
                self._admit(patient)
                try:
                    answer = self._attempt(request, self._timeout(patient))
                except Failure as failure:
                    self._record(failure, patient)
                    if not (patient and failure.retry) or attempt == ATTEMPTS - 1 or self._breaker.is_open:
                        raise self._error(failure) from None
                    self._wait(attempt, failure.after)
                else:
                    self._breaker.succeeded()
                    return answer
        raise AssertionError("the last attempt returns or raises")

    def post_all(self, path: str, bodies: Sequence[Mapping[str, Any]], *, patient: bool = True) -> list[Any]:
        """Send several requests, a few at a time; answers in order."""
        if len(bodies) <= 1 or self._breaker.is_open:  # send one first, to see whether the server is back
            first = [self.post(path, body, patient=patient) for body in bodies[:1]]
            return first + self.post_all(path, bodies[1:], patient=patient) if bodies[1:] else first
        pool = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="scrubjay-client")
        try:
            return list(pool.map(lambda body: self.post(path, body, patient=patient), bodies))
        except KeyboardInterrupt:
            self.stop()
            raise
        finally:
            pool.shutdown(wait=True, cancel_futures=True)

    def stop(self) -> None:
        """Cancel waiting requests and close the connections. The client may be used again."""
        self._stopped.set()
        with self._lock:
            client, self._client = self._client, None
        if client is not None:
            client.close()
        self._stopped = Event()

    def safe_message(self, message: str) -> str:
        """A server's message, shortened, without the key or anything that looks like a secret."""
        known = message.replace(self._key, "[key]") if self._key else message
        return " ".join(redact(known).split())[:MESSAGE_CHARACTERS].rstrip(" .")

    def _admit(self, patient: bool) -> None:
        left = self._breaker.seconds_left(self._timeout(patient))
        if left:
            raise self.unavailable(
                f"{self.endpoint} did not answer {CircuitBreaker.FAILURES} times; it is tried again in {left:.0f} s."
            )

    def _record(self, failure: Failure, patient: bool) -> None:
        """Count a failure in the circuit breaker, unless the server works and only refused the text."""
        if failure.status in TEXT_REFUSED or (failure.status == MAYBE_TEXT_REFUSED and patient):
            return
        if failure.status == 401:
            self._key = None  # look it up again: it may have been changed
        self._breaker.failed(failure.after)

    def _error(self, failure: Failure) -> ScrubjayError:
        message = f"{self.endpoint} {failure}"
        text_refused = failure.status in TEXT_REFUSED | {MAYBE_TEXT_REFUSED}
        return self.refused(message) if text_refused else self.unavailable(message)

    def _wait(self, attempt: int, retry_after: float) -> None:
        longest = min(self.timing.backoff_seconds * 2**attempt, self.timing.max_backoff_seconds)
        if self.timing.wait(self._stopped, max(retry_after, uniform(longest / 2, longest))):
            raise self.unavailable(f"{self.endpoint} was not asked again: the work was stopped.")

    def _timeout(self, patient: bool) -> float:
        if not patient:
            return QUESTION_SECONDS
        return REMOTE_SECONDS if self.endpoint.leaves_the_machine else LOCAL_SECONDS

    def _attempt(self, request: Request, seconds: float) -> Any:
        import httpx

        own = {"accept-encoding": "identity", **self.headers(self._known_key())}
        headers = {**self.credentials.extra_headers(), **own}  # the settings cannot replace what a provider needs
        headers |= {"content-type": "application/json"} if "content" in request.sent else {}
        timeout = httpx.Timeout(seconds, connect=min(seconds, CONNECT_SECONDS))
        sent = {"headers": headers, "timeout": timeout, "extensions": self._connections.extensions, **request.sent}
        deadline = monotonic() + seconds
        try:
            with (
                self._connections.at_most(seconds + SPARE_SECONDS),
                self._opened().stream(request.method, f"{self.endpoint.url}{request.path}", **sent) as response,
            ):
                data = self._read(response, self.timing.clock() + seconds)
        except (httpx.HTTPError, httpx.InvalidURL, RuntimeError) as problem:  # RuntimeError: the client was closed
            why = TOO_LATE if monotonic() > deadline else f"does not answer ({_kind(problem)})."
            raise Failure(why, retry=self._may_recover(problem)) from None
        self._has_answered = True
        if not response.is_success:
            raise self._failure(response, data)
        try:
            return request.read(data)
        except (ValueError, RecursionError):
            raise Failure("answered with something other than JSON.", status=MAYBE_TEXT_REFUSED) from None

    def _may_recover(self, problem: Exception) -> bool:
        """False for a server on this machine that refuses connections and never answered: it was not started."""
        return self.endpoint.leaves_the_machine or self._has_answered or _kind(problem) != NO_CONNECTION

    def _read(self, response: httpx.Response, deadline: float) -> bytes:
        if response.headers.get("content-encoding", "identity").strip().lower() != "identity":
            raise Failure(COMPRESSED, status=MAYBE_TEXT_REFUSED)
        data = bytearray()
        for part in response.iter_raw():
            data += part
            if len(data) > MAX_BYTES:
                raise Failure(f"sent more than {MAX_BYTES // 1_000_000} MB and was cut off.", status=MAYBE_TEXT_REFUSED)
            if self.timing.clock() > deadline:
                raise Failure(TOO_LATE, retry=True)
        return bytes(data)

    def _failure(self, response: httpx.Response, data: bytes) -> Failure:
        status = response.status_code
        if status in (401, 403):
            return Failure(
                f"did not accept the key (HTTP {status}); set {self.credentials.where(self.endpoint)}.", status=status
            )
        reason = self.safe_message(_message(data))
        message = f"answered HTTP {status}{f': {reason}' if reason else ''}."
        return Failure(message, status=status, retry=status in TRANSIENT, after=_retry_after(response))

    def _known_key(self) -> str | None:
        if self._key is None:
            self._key = self.credentials.key(self.endpoint)
        return self._key

    def _opened(self) -> httpx.Client:
        import httpx

        with self._lock:
            if self._client is None:
                # A proxy of the environment is used only for servers on other machines.
                remote = self.endpoint.leaves_the_machine
                limits = httpx.Limits(max_connections=2 * AT_ONCE)
                # Redirects are not followed: text and key are meant for the configured endpoint only.
                self._client = httpx.Client(trust_env=remote, limits=limits, follow_redirects=False)
            return self._client


def _kind(problem: Exception) -> str:
    names = {"ConnectError": NO_CONNECTION, "ReadTimeout": "timed out", "ConnectTimeout": "timed out"}
    return names.get(type(problem).__name__, "the connection broke")


def _json_lines(data: bytes) -> list[Any]:
    return [json.loads(line) for line in data.splitlines() if line.strip()]


def _message(data: bytes) -> str:
    """The message in a JSON error, in the fields that providers use; empty for anything else, such as a web page."""
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        return ""
    for name in ("error", "message", "detail"):
        if isinstance(found, dict) and name in found:
            found = found[name]
    return found if isinstance(found, str) else ""


def _retry_after(response: httpx.Response) -> float:
    """The seconds of a Retry-After header, which may be a number or a date; 0 if there is none."""
    given = response.headers.get("retry-after", "")
    try:
        return max(0.0, float(given))
    except ValueError:
        pass
    try:
        return max(0.0, (parsedate_to_datetime(given) - datetime.now(UTC)).total_seconds())
    except (ValueError, TypeError):
        return 0.0


def bearer(key: str | None) -> Mapping[str, str]:
    """The header with the key for OpenAI and compatible servers."""
    return {"authorization": f"Bearer {key}"} if key else {}


def google_key(key: str | None) -> Mapping[str, str]:
    return {"x-goog-api-key": key} if key else {}
