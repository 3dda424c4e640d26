"""How the servers log: plain lines that are safe to read at a terminal."""

from __future__ import annotations

import logging
import sys

from scrubjay import config
from scrubjay.text.safe_text import visible

__all__ = ["VisibleLines", "log_to_stderr"]


def log_to_stderr() -> None:
    """Plain lines of the level that is set."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(VisibleLines("%(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=config.load().get("log.level").upper(), handlers=[handler])


class VisibleLines(logging.Formatter):
    """Escapes control characters: a log line may quote a memory, and be read at a terminal."""

    def format(self, record: logging.LogRecord) -> str:
        return visible(super().format(record))
