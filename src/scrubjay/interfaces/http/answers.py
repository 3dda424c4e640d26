"""Error answers of the HTTP interface: one sentence that says what to do."""

from __future__ import annotations

from collections.abc import Mapping

from starlette.responses import JSONResponse

__all__ = ["refusal"]


def refusal(status: int, sentence: str, headers: Mapping[str, str] | None = None) -> JSONResponse:
    return JSONResponse({"error": sentence}, status, {"Connection": "close", **(headers or {})})
