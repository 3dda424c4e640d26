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
    sys.stdout.flush()
    sys.stderr.flush()
    if "onnxruntime" in sys.modules:
        os._exit(code)  # taking the model apart again would take longer than the search did
    sys.exit(code)
