"""`python -m scrubjay` is the command `scrubjay`."""

from scrubjay.doors.cli import program

__all__: list[str] = []

program()
