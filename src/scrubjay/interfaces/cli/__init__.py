"""The command line. Modules are imported only when a command needs them, so that `scrubjay --help` is fast."""

from __future__ import annotations

import gc
import os
import sys

__all__ = ["main", "program"]

HOOK = "hook"  # clients wait for it at every prompt: it does without click
EMBED_MUCH = ("backfill", "reindex", "sync", "watch", "mcp", "serve", "demo")


def main() -> None:
    """Run the command line."""
    sys.exit(_run())


def program() -> None:
    """Run the command line as its own process, and exit."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # numpy starts a thread for each processor, and we need none
    gc.disable()  # imports free nothing: collecting garbage there takes 5 % of a cold search
    code = _run()
    for stream in filter(None, (sys.stdout, sys.stderr)):
        try:
            stream.flush()
        except OSError:
            code = code or 1
    # Freeing a model takes longer than a search, and a thread that still loads one would abort the process.
    os._exit(code)


def _run() -> int:
    if sys.argv[1:2] == [HOOK] and not {"-h", "--help"} & set(sys.argv):
        from scrubjay.hooks.command import run as run_hook

        return run_hook(sys.argv[2:])
    from scrubjay.interfaces.cli.app import run
    from scrubjay.models.embedders import bundled

    bundled.connect().quick = sys.argv[1:2] != [] and sys.argv[1] not in EMBED_MUCH
    return run()
