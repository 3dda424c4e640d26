"""What a request gets that cannot be answered: a problem of RFC 9457, with the sentence that every door has."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus

from starlette.responses import JSONResponse

from scrubjay import errors
from scrubjay.errors import ScrubjayError
from scrubjay.interfaces.http.answers import LATER, RETRY_LATER

__all__ = ["Refused", "problem_of", "refusal_as_problem", "refused"]

MEDIA_TYPE = "application/problem+json"
TYPE = "urn:scrubjay:"
PLAIN = "about:blank"  # RFC 9457's word for a problem that its status tells
ALSO_OF_A_MEMORY: dict[int, type[ScrubjayError]] = {
    400: errors.Invalid,
    500: errors.ScrubjayError,
    LATER: errors.StoreError,
}
# The first that fits.
STATUS: dict[type[ScrubjayError], int] = {
    errors.Invalid: 400,
    errors.NotFound: 404,
    errors.ReadOnly: 409,
    errors.EmbedderUnavailable: LATER,
    errors.EmbedderError: 409,
    errors.GeneratorUnavailable: LATER,
    errors.Unreadable: LATER,
    errors.GeneratorError: 409,
    errors.StoreError: LATER,
}


class Refused(ScrubjayError):
    """This request cannot be answered."""

    def __init__(self, status: int, sentence: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(sentence)
        self.status, self.headers = status, headers or {}


def problem_of(error: ScrubjayError, sentence: str) -> JSONResponse:
    if isinstance(error, Refused):
        return refused(error.status, sentence, error.headers)
    status = next((code for kind, code in STATUS.items() if isinstance(error, kind)), 500)
    return _problem(status, sentence, RETRY_LATER if status == LATER else {}, type(error))


def refusal_as_problem(status: int, sentence: str, headers: Mapping[str, str] | None = None) -> JSONResponse:
    """A refusal before the request was read: for want of a token, of access to a space, or of a memory to ask."""
    return refused(status, sentence, {"Connection": "close", **(headers or {})})


def refused(status: int, sentence: str, headers: Mapping[str, str] | None = None) -> JSONResponse:
    """By the name that HTTP has for it, or by that of an error of Python which says the same."""
    return _problem(status, sentence, headers, ALSO_OF_A_MEMORY.get(status))


def _problem(
    status: int, sentence: str, headers: Mapping[str, str] | None, kind: type[ScrubjayError] | None
) -> JSONResponse:
    named = (
        {"type": TYPE + kind.__name__, "title": kind.__doc__}
        if kind
        else {"type": PLAIN, "title": HTTPStatus(status).phrase}
    )
    return JSONResponse({**named, "status": status, "detail": sentence}, status, headers, MEDIA_TYPE)
