"""The address of a database, where a test expects the path of a file."""

from __future__ import annotations

from typing import Any, NoReturn

import apsw
import pytest

__all__ = ["Address", "refuse_as_file"]


def _skip() -> NoReturn:
    pytest.skip("about the file of SQLite")


class Address(str):
    """A test that takes it for a path is about the file itself, and is left out with `--store=postgres`."""

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):
            raise AttributeError(name)
        _skip()

    def __truediv__(self, name: str) -> NoReturn:
        _skip()


def refuse_as_file(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave out a test that looks into the database with SQLite, too."""
    opened = apsw.Connection

    class Connection(opened):  # type: ignore[misc, valid-type]
        def __init__(self, filename: str, *options: Any, **named: Any) -> None:
            if str(filename).startswith("postgresql:"):
                _skip()
            super().__init__(filename, *options, **named)

    monkeypatch.setattr(apsw, "Connection", Connection)
