"""The plugins in the repository are the generated ones, and every hook in them means something."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest
from tools.make_plugins import ROOT, plugin_files

from scrubjay.clients import NAMES, is_our_hook, load
from scrubjay.hooks.events import meaning_of

FILES = plugin_files()


@pytest.mark.parametrize("name", FILES)
def test_a_plugins_file_is_the_generated_one(name: str) -> None:
    """`make docs` writes them."""
    assert (ROOT / name).read_text(encoding="utf-8") == FILES[name]


def test_no_other_files_are_in_the_plugins() -> None:
    found = {path.relative_to(ROOT).as_posix() for path in (ROOT / "plugins").rglob("*") if path.is_file()}
    assert found == {name for name in FILES if name.startswith("plugins/")}


@pytest.mark.parametrize("name", [name for name in FILES if name.endswith(("json", "toml"))])
def test_a_plugins_file_can_be_read(name: str) -> None:
    value = (tomllib if name.endswith("toml") else json).loads(FILES[name])
    for groups in value.get("hooks", {}).values() if name.endswith("hooks.json") else ():
        assert is_our_hook(groups[0])


@pytest.mark.parametrize("client", [name for name in NAMES if load(name).events])
def test_every_hook_that_is_installed_means_something(client: str) -> None:
    for event in load(client).events:
        assert meaning_of(event)


def test_the_opencode_plugin_is_a_page_and_calls_only_known_events() -> None:
    text = Path(ROOT / "plugins/opencode/scrubjay.js").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 80
    assert set(load("opencode").events) == set(re.findall(r'"((?:session|chat)\.\w+)"', text))
