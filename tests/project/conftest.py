"""Projects with a memory in their folder: somebody else's, and the user's own."""

from __future__ import annotations

from pathlib import Path

import pytest

import scrubjay
from scrubjay import config
from scrubjay.project import trust as project_trust
from tests.support.commands import Run
from tests.support.projects import PLANTED


@pytest.fixture
def clone(place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository whose `.scrubjay` was made by somebody else; the test stands in a folder of it."""
    folder = place / "bird"
    (folder / "src").mkdir(parents=True)
    folder.chmod(0o755)
    with monkeypatch.context() as elsewhere:
        elsewhere.setenv("SCRUBJAY_HOME", str(tmp_path / "mallory"))
        local = project_trust.trust(folder / config.LOCAL_FOLDER)
        with scrubjay.open(local.store, embedder="none") as jay:
            jay.add(PLANTED, kind="fact", importance=10)
            jay.add("An agent wrote this", kind="note", trust="agent")
            jay.tokens.create("door", all_spaces=True)
    for path in (folder / ".scrubjay").iterdir():
        path.chmod(0o644)
    (folder / ".scrubjay").chmod(0o755)
    monkeypatch.chdir(folder / "src")
    return folder


@pytest.fixture
def own(place: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project of the user's own."""
    folder = place / "own"
    folder.mkdir()
    assert run("init", str(folder)).code == 0
    monkeypatch.chdir(folder)
    return folder
