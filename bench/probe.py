"""A process of its own that opens one engine's file, asks it, and prints what that took: `python -m bench.probe`."""

from __future__ import annotations

import json
import re
import sys
import time
from pathlib import Path

__all__ = ["main"]

QUESTION = "what did we say about the garden meeting and the price of coffee"
ASKED = 20


def main(name: str, path: str) -> None:
    start = time.perf_counter()
    from bench.corpus import Precomputed
    from bench.engines import Narrowing, open_engine

    engine = open_engine(name, Path(path), Precomputed())
    engine.search(QUESTION, "hybrid", Narrowing())
    first = time.perf_counter() - start
    for number in range(ASKED):
        engine.search(f"{QUESTION} {number}", "hybrid", Narrowing())
    print(json.dumps({"first": first, "peak_bytes": peak_bytes()}))
    engine.close()


def peak_bytes() -> int:
    """The most memory this process has had; `getrusage` would count its parent's too, from before the exec."""
    status = Path("/proc/self/status")
    if status.exists():
        (kilobytes,) = re.findall(r"VmHWM:\s+(\d+) kB", status.read_text())
        return int(kilobytes) * 1024
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


if __name__ == "__main__":
    main(*sys.argv[1:])
