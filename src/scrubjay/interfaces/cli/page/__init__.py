"""The command that opens the page."""

from scrubjay.interfaces.cli.page import command

__all__ = ["command"]
