"""The same fixtures as the tests."""

from tests.conftest import clock, home, jay, path, reopen

__all__ = ["clock", "home", "jay", "path", "reopen"]
