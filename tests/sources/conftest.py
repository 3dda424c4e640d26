"""Fixtures of what is synced."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    """An empty folder for notes."""
    folder = tmp_path / "notes"
    folder.mkdir()
    return folder
