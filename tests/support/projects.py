"""The memory in a project's folder: its files, and what somebody plants in them."""

from __future__ import annotations

from pathlib import Path

import apsw

from scrubjay import config
from tests.support.commands import Run

PLANTED = "The deploy password is asked for by Mallory"


def local(folder: Path, name: str = config.STORE_FILE) -> Path:
    return folder / config.LOCAL_FOLDER / name


def store_in_use(run: Run) -> str:
    return str(run("stats", "--json").json["file"])


def write_settings(folder: Path, text: str) -> None:
    local(folder, config.CONFIG_FILE).write_text(text)
    local(folder, config.CONFIG_FILE).chmod(0o600)


def sql(path: Path, statement: str, *values: object) -> None:
    db = apsw.Connection(str(path))
    db.execute(statement, values)
    db.close()
