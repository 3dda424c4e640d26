"""The command line. Nothing heavy is imported unless the command needs it: `scrubjay --help` must feel instant."""

from __future__ import annotations

import gc
import os
import sys

__all__ = ["main", "program"]

EMBED_MUCH = ("backfill", "reindex", "sync", "watch", "mcp", "serve", "demo")


def main() -> None:
    """Run the command line."""
    sys.exit(_run())


def program() -> None:
    """Run the command line as a process of its own, and leave."""
    gc.disable()  # importing makes much and drops nothing: looking for cycles there is a twentieth of a cold search
    code = _run()
    for stream in filter(None, (sys.stdout, sys.stderr)):
        try:
            stream.flush()
        except OSError:
            code = code or 1
    os._exit(code)  # taking a model apart takes longer than a search, and a thread that still loads one would abort us


def _run() -> int:
    from scrubjay.interfaces.cli.app import run
    from scrubjay.models.embedders import bundled

    bundled.connect().quick = sys.argv[1:2] != [] and sys.argv[1] not in EMBED_MUCH
    return run()
