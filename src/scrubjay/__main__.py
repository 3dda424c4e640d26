"""`python -m scrubjay` is the command `scrubjay`."""

from scrubjay.interfaces.cli import program

__all__: list[str] = []

program()
