"""Commands that connect memories."""

from scrubjay.interfaces.cli.connecting import commands

__all__ = ["commands"]
