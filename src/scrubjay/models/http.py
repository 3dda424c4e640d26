"""Talking to model servers: with patience, within bounds, and with a pause after repeated failures."""

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
from scrubjay.models.providers import Access, Endpoint
from scrubjay.text.secret_scan import redact

if TYPE_CHECKING:
    import httpx

__all__ = ["Headers", "Pause", "Timing", "Wire", "bearer", "google_key"]

ATTEMPTS = 4
AT_ONCE = 4
MOST_BYTES = 64_000_000
MESSAGE_CHARACTERS = 200
CONNECT_SECONDS = 10.0
REMOTE_SECONDS, LOCAL_SECONDS = 60.0, 300.0  # a local server may have to load the model first
QUESTION_SECONDS = 20.0  # somebody waits, and words can answer
MOST_ASKED_SECONDS = 60.0  # a longer Retry-After is kept to, but not waited for
FAULTS_OF_A_TEXT = {400, 413, 422}  # a batch with these is worth halving
TRANSIENT = {408, 425, 429, 500, 502, 503, 504, 529}
NO_CONNECTION = "no connection"
MAY_BE_A_TEXT = 500  # some servers fall over one text; which one, halving finds

Headers = Callable[[str | None], Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class Timing:
    """How time passes, and how one waits; tests have their own."""

    clock: Callable[[], float] = monotonic
    wait: Callable[[Event, float], bool] = Event.wait
    backoff_seconds: float = 0.5
    most_backoff_seconds: float = 8.0
    pause_seconds: float = 15.0
    most_pause_seconds: float = 300.0


USUAL = Timing()


class Failure(Exception):
    """One request that came to nothing."""

    def __init__(self, sentence: str, *, status: int = 0, again: bool = False, after: float = 0.0) -> None:
        super().__init__(sentence)
        self.status = status
        self.again = again
        self.after = after


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked of a server, and how its answer is read."""

    method: str
    path: str
    sent: Mapping[str, Any] = field(default_factory=dict)  # as httpx takes it
    read: Callable[[bytes], Any] = json.loads


class Pause:
    """A circuit breaker: after failures in a row nobody asks for a while; then one does, and the rest follow."""

    FAILURES = 4

    def __init__(self, timing: Timing) -> None:
        self._timing = timing
        self._lock = Lock()
        self._failures = 0
        self._until = 0.0
        self._seconds = timing.pause_seconds

    def left(self, trial_seconds: float) -> float:
        """Seconds until somebody may ask again; 0 lets this caller, and nobody else until it has an answer."""
        with self._lock:
            now = self._timing.clock()
            if self._failures < self.FAILURES:
                return 0.0
            if now < self._until:
                return self._until - now
            self._until = now + trial_seconds
            return 0.0

    def worked(self) -> None:
        with self._lock:
            self._failures, self._seconds = 0, self._timing.pause_seconds

    def failed(self, least_seconds: float = 0.0) -> None:
        with self._lock:
            self._failures += 1
            if least_seconds > MOST_ASKED_SECONDS:
                self._failures = max(self._failures, self.FAILURES)
            if self._failures >= self.FAILURES:
                seconds = max(self._seconds, least_seconds)
                self._until = self._timing.clock() + min(seconds, 3600.0)
                self._seconds = min(self._seconds * 2, self._timing.most_pause_seconds)

    @property
    def is_on(self) -> bool:
        return self._failures >= self.FAILURES


@dataclass(slots=True, repr=False)  # a key must not be seen in a traceback
class Wire:
    """The way to one model server. May be shared between threads."""

    endpoint: Endpoint
    access: Access
    headers: Headers
    away: type[ScrubjayError]  # raised when the server does not answer
    refused: type[ScrubjayError]  # raised when it answers that it cannot do this
    timing: Timing = field(default_factory=lambda: USUAL)
    _lock: Lock = field(default_factory=Lock)
    _turns: BoundedSemaphore = field(default_factory=lambda: BoundedSemaphore(AT_ONCE))
    _stopped: Event = field(default_factory=Event)
    _client: httpx.Client | None = None
    _key: str | None = None
    _pause: Pause = field(init=False)
    _has_answered: bool = False

    def __post_init__(self) -> None:
        self._pause = Pause(self.timing)

    def post(self, path: str, body: Mapping[str, Any], *, patient: bool = True) -> Any:
        """Send one request and give its JSON; a patient caller waits for a server that is busy or comes back."""
        return self._asked(Request("POST", path, {"content": json.dumps(body).encode()}), patient)

    def upload(self, path: str, name: str, content: bytes, **fields: str) -> Any:
        """Send a file as a form does, and give the JSON that is said to it."""
        return self._asked(Request("POST", path, {"files": {"file": (name, content)}, "data": fields}))

    def get(self, path: str) -> Any:
        return self._asked(Request("GET", path))

    def lines(self, path: str) -> list[Any]:
        """A file that has JSON in each line."""
        found: list[Any] = self._asked(Request("GET", path, read=_json_lines))
        return found

    def delete(self, path: str) -> None:
        self._asked(Request("DELETE", path, read=len))

    def _asked(self, request: Request, patient: bool = True) -> Any:
        with self._turns if patient else nullcontext():  # a question waits for no batch
            for attempt in range(ATTEMPTS):
                self._admit(patient)
                try:
                    answer = self._answer(request, self._seconds(patient))
                except Failure as failure:
                    self._judge(failure, patient)
                    if not (patient and failure.again) or attempt == ATTEMPTS - 1 or self._pause.is_on:
                        raise self._error(failure) from None
                    self._wait(attempt, failure.after)
                else:
                    self._pause.worked()
                    return answer
        raise AssertionError("the last attempt returns or raises")

    def post_all(self, path: str, bodies: Sequence[Mapping[str, Any]], *, patient: bool = True) -> list[Any]:
        """Send several requests, a few at a time; answers in order."""
        if len(bodies) <= 1 or self._pause.is_on:  # one goes ahead to see whether the server is back
            ahead = [self.post(path, body, patient=patient) for body in bodies[:1]]
            return ahead + self.post_all(path, bodies[1:], patient=patient) if bodies[1:] else ahead
        pool = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="scrubjay-wire")
        try:
            return list(pool.map(lambda body: self.post(path, body, patient=patient), bodies))
        except KeyboardInterrupt:
            self.stop()
            raise
        finally:
            pool.shutdown(wait=True, cancel_futures=True)

    def stop(self) -> None:
        """Give up what is under way: nobody waits on, and connections are closed. It may be used again."""
        self._stopped.set()
        with self._lock:
            client, self._client = self._client, None
        if client is not None:
            client.close()
        self._stopped = Event()

    def harmless(self, message: str) -> str:
        """What a server said, without the key, or anything else that looks like one."""
        known = message.replace(self._key, "[key]") if self._key else message
        return " ".join(redact(known).split())[:MESSAGE_CHARACTERS].rstrip(" .")

    def _admit(self, patient: bool) -> None:
        left = self._pause.left(self._seconds(patient))
        if left:
            raise self.away(
                f"{self.endpoint} did not answer {Pause.FAILURES} times; it is tried again in {left:.0f} s."
            )

    def _judge(self, failure: Failure, patient: bool) -> None:
        """A server that finds fault with a text is there; only one that is not there, or is too busy, counts."""
        if failure.status in FAULTS_OF_A_TEXT or (failure.status == MAY_BE_A_TEXT and patient):
            return
        if failure.status == 401:
            self._key = None  # it may have been changed meanwhile
        self._pause.failed(failure.after)

    def _error(self, failure: Failure) -> ScrubjayError:
        sentence = f"{self.endpoint} {failure}"
        return self.refused(sentence) if failure.status in FAULTS_OF_A_TEXT | {MAY_BE_A_TEXT} else self.away(sentence)

    def _wait(self, attempt: int, asked: float) -> None:
        longest = min(self.timing.backoff_seconds * 2**attempt, self.timing.most_backoff_seconds)
        if self.timing.wait(self._stopped, max(asked, uniform(longest / 2, longest))):
            raise self.away(f"{self.endpoint} was not asked again: the work was stopped.")

    def _seconds(self, patient: bool) -> float:
        if not patient:
            return QUESTION_SECONDS
        return REMOTE_SECONDS if self.endpoint.leaves_the_machine else LOCAL_SECONDS

    def _answer(self, request: Request, seconds: float) -> Any:
        import httpx

        headers = {"accept-encoding": "identity", **self.headers(self._known_key())}
        headers |= {"content-type": "application/json"} if "content" in request.sent else {}
        timeout = httpx.Timeout(seconds, connect=min(seconds, CONNECT_SECONDS))
        url = f"{self.endpoint.url}{request.path}"
        try:
            asked = self._opened().stream(request.method, url, headers=headers, timeout=timeout, **request.sent)
            with asked as response:
                data = self._read(response, self.timing.clock() + seconds)
        except (httpx.HTTPError, httpx.InvalidURL, RuntimeError) as problem:  # RuntimeError: the client was closed
            raise Failure(f"does not answer ({_kind(problem)}).", again=self._may_come(problem)) from None
        self._has_answered = True
        if not response.is_success:
            raise self._failure(response, data)
        try:
            return request.read(data)
        except (ValueError, RecursionError):
            raise Failure("answered with something other than JSON.", status=MAY_BE_A_TEXT) from None

    def _may_come(self, problem: Exception) -> bool:
        """A server on this machine that never answered, and has no port open, was not started: waiting is no use."""
        return self.endpoint.leaves_the_machine or self._has_answered or _kind(problem) != NO_CONNECTION

    def _read(self, response: httpx.Response, deadline: float) -> bytes:
        data = bytearray()
        for part in response.iter_bytes():
            data += part
            if len(data) > MOST_BYTES:
                raise Failure(f"sent more than {MOST_BYTES // 1_000_000} MB and was cut off.", status=MAY_BE_A_TEXT)
            if self.timing.clock() > deadline:
                raise Failure("took too long over its answer.", again=True)
        return bytes(data)

    def _failure(self, response: httpx.Response, data: bytes) -> Failure:
        status = response.status_code
        if status in (401, 403):
            return Failure(
                f"did not accept the key (HTTP {status}); set {self.access.where(self.endpoint)}.", status=status
            )
        said = self.harmless(_message(data))
        sentence = f"answered HTTP {status}{f': {said}' if said else ''}."
        return Failure(sentence, status=status, again=status in TRANSIENT, after=_asked_to_wait(response))

    def _known_key(self) -> str | None:
        if self._key is None:
            self._key = self.access.key(self.endpoint)
        return self._key

    def _opened(self) -> httpx.Client:
        import httpx

        with self._lock:
            if self._client is None:
                # A proxy that the environment names is for the outside world, not for this machine.
                outside = self.endpoint.leaves_the_machine
                limits = httpx.Limits(max_connections=2 * AT_ONCE)
                # A server that sends us elsewhere is not followed: text and key are for the endpoint that was named.
                self._client = httpx.Client(trust_env=outside, limits=limits, follow_redirects=False)
            return self._client


def _kind(problem: Exception) -> str:
    names = {"ConnectError": NO_CONNECTION, "ReadTimeout": "timed out", "ConnectTimeout": "timed out"}
    return names.get(type(problem).__name__, "the connection broke")


def _json_lines(data: bytes) -> list[Any]:
    return [json.loads(line) for line in data.splitlines() if line.strip()]


def _message(data: bytes) -> str:
    """What an error says of itself, in the places where providers put it; nothing of a web page."""
    try:
        said = json.loads(data)
    except (ValueError, RecursionError):
        return ""
    for name in ("error", "message", "detail"):
        if isinstance(said, dict) and name in said:
            said = said[name]
    return said if isinstance(said, str) else ""


def _asked_to_wait(response: httpx.Response) -> float:
    """Seconds that Retry-After asks for, given as such or as a date."""
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
    """The header in which OpenAI and those like it expect a key."""
    return {"authorization": f"Bearer {key}"} if key else {}


def google_key(key: str | None) -> Mapping[str, str]:
    return {"x-goog-api-key": key} if key else {}
