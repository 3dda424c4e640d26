"""The command line. Nothing heavy is imported unless the command needs it: `scrubjay --help` must feel instant."""

from __future__ import annotations

import os
import sys

__all__ = ["main"]

EMBED_MUCH = ("backfill", "reindex", "demo")


def main() -> None:
    """Run the command line, and leave."""
    from scrubjay.doors.cli.app import run
    from scrubjay.embedders import local

    local.connect().quick = sys.argv[1:2] != [] and sys.argv[1] not in EMBED_MUCH
    code = run()
    if "onnxruntime" in sys.modules:
        _leave(code)
    sys.exit(code)


def _leave(code: int) -> None:
    """Go without taking the model apart, which takes longer than a search."""
    for stream in filter(None, (sys.stdout, sys.stderr)):
        try:
            stream.flush()
        except OSError:
            code = code or 1
    os._exit(code)
