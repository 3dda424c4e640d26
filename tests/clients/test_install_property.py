"""Whatever settings a person has: installing and uninstalling gives back the same bytes."""

from __future__ import annotations

import os
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scrubjay import Invalid
from scrubjay.clients import NAMES, OwnFile, Place, Server, Setting, load
from scrubjay.clients.install import apply, plan_install, plan_uninstall, settings_of
from scrubjay.clients.settings import json_edits, toml_edits
from scrubjay.clients.settings.edits import entry_value
from tests.support.client_settings import JSON_FILES, TOML_FILES, json_texts, odd_bytes, toml_texts

PROGRAM = ("/opt/my apps/scrubjay",)
SERVER = Server((*PROGRAM, "mcp"))
# Each example writes a dozen files to the disk.
FEWER = settings(max_examples=settings.default.max_examples // 5 if settings.default else 20)


@pytest.fixture(params=NAMES)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def place() -> Place:
    """The same folder for each example, which leaves it as it found it: making new ones takes most of the time."""
    return Place(Path(os.environ["HOME"], "ann"), {}, "linux")


def files(name: str, where: Place) -> list[Path]:
    written = settings_of(load(name), where, SERVER, PROGRAM)
    return list(dict.fromkeys(one.file for one in written if isinstance(one, Setting)))


def install(name: str, where: Place) -> None:
    client = load(name)
    apply(plan_install(client, settings_of(client, where, SERVER, PROGRAM)))


def uninstall(name: str, where: Place) -> None:
    apply(plan_uninstall(load(name), where))


def data_of(path: Path) -> Any:
    text = path.read_bytes().decode()
    return deepcopy((toml_edits if path.suffix == ".toml" else json_edits).data(text))


def check_installed(name: str, where: Place) -> None:
    for one in settings_of(load(name), where, SERVER, PROGRAM):
        if isinstance(one, OwnFile):
            assert one.file.read_text() == one.text
        else:
            found = entry_value(data_of(one.file), one.entry)
            assert found is not None
            assert str(PROGRAM[0]) in str(found) or one.entry.is_shared


def everything(where: Place) -> dict[str, bytes | None]:
    return {str(path): path.read_bytes() if path.is_file() else None for path in sorted(where.home.rglob("*"))}


@FEWER
@given(text=json_texts, toml=toml_texts, ends=st.sampled_from(["\n", "\r\n"]), has_mark=st.booleans())
def test_installing_and_uninstalling_gives_back_the_same_bytes(
    name: str, text: str, toml: str, ends: str, has_mark: bool
) -> None:
    where = place()
    for path in files(name, where):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(odd_bytes(toml if path.suffix == ".toml" else text, ends, has_mark))
    before = everything(where)
    try:
        install(name, where)
    except Invalid as refused:  # e.g. a number where the servers should be
        assert " is not " in str(refused)
        assert everything(where) == before
        return
    check_installed(name, where)
    once = everything(where)
    install(name, where)
    assert everything(where) == once
    uninstall(name, where)
    assert everything(where) == before


@FEWER
@given(text=json_texts, toml=toml_texts, ends=st.sampled_from(["\n", "\r\n"]))
def test_what_others_change_in_between_stays_and_so_do_their_comments(
    name: str, text: str, toml: str, ends: str
) -> None:
    where = place()
    for path in files(name, where):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(odd_bytes(toml if path.suffix == ".toml" else text, ends, False))
    before = {path: data_of(path) for path in files(name, where)}
    try:
        install(name, where)
    except Invalid:
        return
    for path in files(name, where):
        format = toml_edits if path.suffix == ".toml" else json_edits
        path.write_bytes(format.add(path.read_bytes().decode(), (), "added by another", 7).encode())
    uninstall(name, where)
    for path, data in before.items():
        left = data_of(path)
        assert left.pop("added by another") == 7
        assert without_empty(left) == without_empty(data)
        assert text.count("note") == path.read_bytes().decode().count("note") or path.suffix == ".toml"


def without_empty(data: Any) -> Any:
    """The data without empty objects and lists, which are removed and made as needed, and without `version`."""
    if isinstance(data, dict):
        kept = {key: without_empty(value) for key, value in data.items() if key != "version"}
        return {key: value for key, value in kept.items() if value not in ({}, [])}
    return [without_empty(value) for value in data] if isinstance(data, list) else data


@pytest.mark.parametrize("kind", [*JSON_FILES, *TOML_FILES])
def test_real_settings_survive(kind: str) -> None:
    """The settings that people have, one by one, in whichever client may have them."""
    is_toml = kind in TOML_FILES and kind not in JSON_FILES
    for name in ("codex",) if is_toml else NAMES:
        where = place()
        for path in files(name, where):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(TOML_FILES.get(kind, "") if path.suffix == ".toml" else JSON_FILES.get(kind, ""))
        before = everything(where)
        install(name, where)
        check_installed(name, where)
        uninstall(name, where)
        assert everything(where) == before
