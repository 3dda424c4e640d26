"""Error answers of the HTTP interface: one sentence that says what to do."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from starlette.responses import JSONResponse, Response

__all__ = ["LATER", "RETRY_LATER", "Refuse", "refusal"]

LATER = 503  # it may be over when it is asked again
RETRY_LATER = {"Retry-After": "5"}  # seconds

Refuse = Callable[[int, str, Mapping[str, str] | None], Response]  # of a status, a sentence and headers


def refusal(status: int, sentence: str, headers: Mapping[str, str] | None = None) -> JSONResponse:
    return JSONResponse({"error": sentence}, status, {"Connection": "close", **(headers or {})})
