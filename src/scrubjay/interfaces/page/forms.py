"""Forms as they come in: never more than a page takes, whatever the header says of their length."""

from __future__ import annotations

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.types import Message

from scrubjay.errors import ScrubjayError
from scrubjay.text.plural import counted
from scrubjay.types.limits import is_id

__all__ = ["TooLarge", "read_form"]


class TooLarge(ScrubjayError):
    """More was sent than the page takes."""


async def read_form(request: Request, most_bytes: int) -> FormData:
    """The form of a request. Its bytes are counted: a body in chunks may be longer than the header says."""
    refused = TooLarge(f"A form may have at most {counted(most_bytes, 'byte')}.")
    given = request.headers.get("content-length", "")
    if not is_id(given) or int(given) > most_bytes:
        raise refused
    left = most_bytes

    async def bounded() -> Message:
        nonlocal left
        message = await request.receive()
        left -= len(message.get("body", b""))
        if left < 0:
            raise refused
        return message

    return await Request(request.scope, bounded).form()
