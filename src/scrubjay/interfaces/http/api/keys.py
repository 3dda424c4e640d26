"""Requests with an `Idempotency-Key`: sent again, they get the same answer, and nothing is done twice."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from scrubjay import Scrubjay
from scrubjay.interfaces.http.api.answering import Answer
from scrubjay.interfaces.http.api.problems import Refused
from scrubjay.interfaces.mcp.callers import Caller
from scrubjay.remote.verbs import Verb

__all__ = ["KEY_HEADER", "answered_once"]

KEY_HEADER = "Idempotency-Key"
KEY_CHARACTERS = 255
REPLAYED = {"Idempotency-Replayed": "true"}
WRONG_KEY = f"{KEY_HEADER} must have 1 to {KEY_CHARACTERS} characters."
OTHER_REQUEST = f"This {KEY_HEADER} was sent with another request; take a new one."
DELETED_SINCE = (
    f"The request with this {KEY_HEADER} was done before; what it was answered with is not told again, because a memory"
    " in it was deleted since."
)
STILL_RUNNING = (
    f"The request with this {KEY_HEADER} is being answered. If this goes on for minutes, the server was stopped in the"
    " midst of it: look whether it was done before you send it with another key."
)


def answered_once(
    key: str, verb: Verb, who: Caller, jay: Scrubjay, arguments: Mapping[str, Any], answer: Callable[[], Answer]
) -> Answer:
    """The answer, or the one that the same request got before from the same token with the same scopes."""
    if not 1 <= len(key) <= KEY_CHARACTERS:
        raise Refused(400, WRONG_KEY)
    requests = jay.view.store.requests
    token, scopes = (who.grant.token, " ".join(who.grant.scopes)) if who.grant else ("", "")
    name = _digest(token, scopes, jay.space, key)
    asked = _digest(verb.name, json.dumps(arguments, sort_keys=True, default=str))
    known = requests.begin(name, asked, jay.view.clock())
    if known is None:
        return _first(name, requests, answer)
    if known.asked != asked:
        raise Refused(422, OTHER_REQUEST)
    if known.answer is None:
        raise Refused(409, STILL_RUNNING, {"Retry-After": "1"})
    if not verb.answers_with_deleted and _tells_of_deleted(json.loads(known.answer), jay):
        raise Refused(410, DELETED_SINCE)
    return Answer(known.answer, REPLAYED)


def _first(name: bytes, requests: Any, answer: Callable[[], Answer]) -> Answer:
    try:
        given = answer()
    except Exception:
        requests.drop(name)
        raise
    requests.end(name, given.body)
    return given


def _tells_of_deleted(answer: Any, jay: Scrubjay) -> bool:
    ids = sorted(set(_told_ids(answer)))
    return len(jay.view.store.memories.get(ids, [jay.space], jay.view.clock())) < len(ids)


def _told_ids(answer: Any) -> Iterator[int]:
    """The ids of the memories that an answer tells of: by themselves, by a link, or by a record."""
    match answer:
        case {"uid": str(), "id": int(id)}:
            yield id
            yield from _told_ids(
                [answer.get("neighbours"), answer.get("linked")]
            )  # its metadata may look like anything
        case {"source": int(source), "target": int(target)}:
            yield from (source, target)
        case {"memory": int(id)}:
            yield id
        case Mapping():
            yield from _told_ids([*answer.values()])
        case [*parts]:
            for part in parts:
                yield from _told_ids(part)


def _digest(*parts: str) -> bytes:
    return hashlib.blake2b("\0".join(parts).encode(), digest_size=16).digest()
