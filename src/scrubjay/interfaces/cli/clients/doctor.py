"""The command doctor."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

import click

from scrubjay.clients import Place
from scrubjay.doctor import Finding
from scrubjay.doctor.clients import look_at_clients
from scrubjay.doctor.memory import look_at_memory
from scrubjay.interfaces.cli.app import Screen, command, space_option, store_option
from scrubjay.text.safe_text import one_line

__all__: list[str] = []

MARKS = {"fine": "ok   ", "note": "note ", "wrong": "WRONG", "fixed": "fixed"}


@command("doctor")
@click.option("--fix", is_flag=True, help="Mend what can be mended safely: entries, missing vectors, modes of files.")
@space_option
@store_option
def doctor(screen: Screen, store: str | None, space: str | None, fix: bool) -> None:
    """Look for what is wrong with the memory and with each client.

    Exits with 1 if something is wrong.

    Each line that is not ok says what to do.

    \b
    scrubjay doctor
    scrubjay doctor --fix
    """
    looked = chain(look_at_memory(store, space, Path.cwd()), look_at_clients(Place.here()))
    found = [_fixed(finding) if fix else finding for finding in looked]
    screen.show({"findings": [_dict(finding) for finding in found]}, "\n".join(map(_line, found)))
    if any(finding.state == "wrong" for finding in found):
        click.get_current_context().exit(1)


def _fixed(finding: Finding) -> Finding:
    """The finding after its remedy, if that is safe; called while the memory that it is about is still open."""
    if finding.fix is None:
        return finding
    finding.fix()
    return replace(finding, state="fixed")


def _dict(finding: Finding) -> dict[str, Any]:
    return {"about": finding.about, "state": finding.state, "text": finding.text, "remedy": finding.remedy}


def _line(finding: Finding) -> str:
    remedy = f" → {finding.remedy}" if finding.remedy and finding.state != "fixed" else ""
    return f"{MARKS[finding.state]}  {finding.about}: {one_line(finding.text + remedy)}"
