"""Requests that carry a key, so that one which is sent again is answered again, and not done again."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import NamedTuple

from scrubjay.stores.columns import instant
from scrubjay.stores.contract import Engine, Rows

__all__ = ["KnownRequest", "Requests", "forget_answers"]

KEPT = timedelta(days=1)


class KnownRequest(NamedTuple):
    """A request that came before."""

    asked: bytes  # digest of what was asked
    answer: bytes | None  # None: it is being answered, or the process that did so has ended


class Requests:
    """The keyed requests of the last day."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def begin(self, key: bytes, asked: bytes, at: datetime) -> KnownRequest | None:
        """Take note of a request; of one that is known, what is known of it."""
        with self._engine.writing(()) as rows:
            rows.run("delete from requests where at < :before", before=instant(at - KEPT))
            row = rows.one("select asked, answer from requests where key = :key", key=key)
            if row is None:
                rows.run(
                    "insert into requests (key, asked, at) values (:key, :asked, :at)",
                    key=key, asked=asked, at=instant(at),
                )  # fmt: skip
                return None
        return KnownRequest(bytes(row[0]), None if row[1] is None else bytes(row[1]))

    def end(self, key: bytes, answer: bytes) -> None:
        with self._engine.writing(()) as rows:
            rows.run("update requests set answer = :answer where key = :key", answer=answer, key=key)

    def drop(self, key: bytes) -> None:
        """It failed, and changed nothing: it may be sent again."""
        with self._engine.writing(()) as rows:
            rows.run("delete from requests where key = :key", key=key)


def forget_answers(rows: Rows) -> None:
    """Answers may tell of memories that are erased."""
    rows.run("delete from requests")
