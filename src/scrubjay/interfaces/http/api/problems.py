"""What a request gets that cannot be answered: a problem of RFC 9457, with the sentence that every door has."""

from __future__ import annotations

from collections.abc import Mapping

from starlette.responses import JSONResponse

from scrubjay import errors
from scrubjay.errors import ScrubjayError
from scrubjay.interfaces.http.answers import LATER, RETRY_LATER

__all__ = ["Refused", "problem", "problem_of", "refusal_as_problem"]

MEDIA_TYPE = "application/problem+json"
TYPE = "urn:scrubjay:"
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

    def __init__(
        self, status: int, sentence: str, headers: Mapping[str, str] | None = None, name: str = "Invalid"
    ) -> None:
        super().__init__(sentence)
        self.status, self.headers, self.name = status, headers or {}, name


def problem_of(error: ScrubjayError, sentence: str) -> JSONResponse:
    if isinstance(error, Refused):
        return problem(error.status, error.name, sentence, error.headers)
    status = next((code for kind, code in STATUS.items() if isinstance(error, kind)), 500)
    return problem(status, type(error).__name__, sentence, RETRY_LATER if status == LATER else {})


def refusal_as_problem(status: int, sentence: str, headers: Mapping[str, str] | None = None) -> JSONResponse:
    """A refusal before the request was read: for want of a token, of access to a space, or of a memory to ask."""
    return problem(
        status, "StoreError" if status == LATER else "Invalid", sentence, {"Connection": "close", **(headers or {})}
    )


def problem(status: int, name: str, sentence: str, headers: Mapping[str, str] | None = None) -> JSONResponse:
    about = {"type": TYPE + name, "title": (getattr(errors, name).__doc__ or ""), "status": status, "detail": sentence}
    return JSONResponse(about, status, headers, MEDIA_TYPE)
