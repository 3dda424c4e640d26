"""Which settings a project may have."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from scrubjay import config
from tests.support.commands import Run
from tests.support.projects import local, write_settings

PERSONAL = [key for key in config.KEYS if not config.is_for_projects(key)]


def test_what_could_leak_run_move_or_weaken_is_the_users_alone() -> None:
    assert {
        "store", "embedder", "generator", "keys.embedder", "keys.generator", "generation.budget", "guard.secrets",
        "log.folder", "limits.memories", "limits.bytes", "cache.bytes", "sync.max_file_bytes",
    } <= set(PERSONAL)  # fmt: skip


@pytest.mark.parametrize("key", PERSONAL)
def test_a_setting_that_is_the_users_alone_is_refused_before_it_is_written(run: Run, own: Path, key: str) -> None:
    about = config.KEYS[key]
    value = about.choices[-1] if about.choices else "7"
    refused = run("config", "--local", key, value)
    assert refused.code == 2 and f"{key} cannot be set for a project" in refused.err
    assert not local(own, config.CONFIG_FILE).exists() and run("list").err == ""


@pytest.mark.parametrize("key", PERSONAL)
def test_a_setting_that_is_the_users_alone_is_left_out_of_a_projects_file_with_a_sentence(
    run: Run, own: Path, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    about = config.KEYS[key]
    value = json.dumps(about.choices[-1] if about.choices else {str: "x", bool: True}.get(about.kind, 7))
    write_settings(own, f"{key} = {value}\nsearch.limit = 3\n")
    monkeypatch.delenv("SCRUBJAY_EMBEDDER")
    run("trust")
    settings = config.load(own / ".scrubjay")
    assert settings.get(key) == (str(local(own)) if key == "store" else about.default)
    assert settings.get("search.limit") == 3
    write_settings(own, f"spaces.default.{key} = {value}\nsearch.limit = 3\n")
    run("trust")
    answer = run("list")
    assert answer.code == 0 and f"Note: {key} in the project's .scrubjay/config.toml is ignored" in answer.err


@pytest.mark.parametrize(
    "wrong",
    [
        'guard.secrets = "x"', "embedder = 5", "keys = 3", "nosuch.key = 1", "nosuch = 1", "search = 3", "folders = 3",
        "spaces = 3", "spaces.work = 3", 'spaces.work.guard.secrets = "x"',
    ],
)  # fmt: skip
def test_nor_does_a_wrong_value_of_such_a_setting_end_every_command(run: Run, own: Path, wrong: str) -> None:
    write_settings(own, f"{wrong}\n")
    run("trust")
    answer = run("list")
    assert answer.code == 0 and "in the project's .scrubjay/config.toml is ignored" in answer.err


def test_a_project_has_no_say_in_whose_memory_of_the_user_is_read(run: Run, own: Path, tmp_path: Path) -> None:
    assert "space cannot be set for a project" in run("config", "--local", "space", "secret").err
    write_settings(own, f'space = "secret"\n[folders."{own}"]\nspace = "secret"\n')
    run("trust")
    answer = run("stats", "--json")
    assert answer.json["space"] == "default"
    assert "space in the project's" in answer.err and "folders in the project's" in answer.err
    assert run("stats", "--json", "--space", "work").json["space"] == "work"


def test_settings_of_a_project_that_is_not_trusted_are_not_written(run: Run, clone: Path) -> None:
    refused = run("config", "--local", "search.limit", "3")
    assert refused.code == 2 and not local(clone, config.CONFIG_FILE).exists()
