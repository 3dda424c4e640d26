"""The bundle's entry point, for a host that does not run uvx: the same server, at standard input and output."""

from __future__ import annotations

import sys

from scrubjay.interfaces.cli import program

if __name__ == "__main__":
    sys.argv[1:1] = ["mcp"]
    program()
