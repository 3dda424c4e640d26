"""The command line. Nothing heavy is imported here: `scrubjay --help` must feel instant."""

from scrubjay.doors.cli import care, recall, remember, setup
from scrubjay.doors.cli.app import cli, main

__all__ = ["care", "cli", "main", "recall", "remember", "setup"]
