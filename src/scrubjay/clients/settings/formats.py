"""The format of a settings file, and its text."""

from __future__ import annotations

from pathlib import Path

from scrubjay.clients.settings import json_edits, toml_edits
from scrubjay.clients.settings.edits import Format
from scrubjay.errors import Invalid

__all__ = ["format_of", "text_of"]


def format_of(path: Path) -> Format:
    return toml_edits if path.suffix == ".toml" else json_edits


def text_of(path: Path, data: bytes | None) -> str:
    """The text of a file; empty if there is none."""
    try:
        return (data or b"").decode("utf-8")
    except UnicodeDecodeError:
        raise Invalid(f"{path} is not UTF-8 text; nothing was changed.") from None
