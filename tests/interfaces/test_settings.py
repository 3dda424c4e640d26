"""Settings at the command line: set, unset, where they come from, and those of one space."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

import scrubjay
from scrubjay import Invalid, config
from scrubjay.interfaces.http.log import log_to
from scrubjay.models.providers import Credentials
from tests.support.commands import Run


def test_a_setting_that_is_unset_has_its_default_again(run: Run, home: Path) -> None:
    run("config", "search.limit", "5")
    run("config", "spaces.work.search.limit", "7")
    assert run("config", "unset", "search.limit").out.startswith("Unset search.limit in ")
    assert run("config", "search.limit").out == "10\n" and run("config", "spaces.work.search.limit").out == "7\n"
    run("config", "unset", "spaces.work.search.limit")
    assert (home / "config.toml").read_text().strip() == ""
    again = run("config", "unset", "search.limit")
    assert again.code == 2 and "is not set in" in again.err
    assert "did you mean 'search.limit'?" in run("config", "unset", "serch.limit").err
    assert "Name the setting" in run("config", "unset").err


def test_a_kind_that_is_misspelt_in_a_setting_is_asked_about(run: Run) -> None:
    note = "No memory here has the kind 'fcat'; did you mean 'fact'?"
    assert note in run("config", "decay.fcat", "3").err
    assert note in run("config", "spaces.work.decay.fcat", "3").err
    for key in ("decay.fact", "decay.zebra", "search.limit"):
        assert "Note" not in run("config", key, "3").err
    run("add", "A cat of our own sort", "--kind", "fcat")
    assert "Note" not in run("config", "decay.fcat", "4").err


def test_comments_and_other_settings_stay(run: Run, home: Path) -> None:
    home.mkdir()
    (home / "config.toml").write_text("# mine\n[search]\nlimit = 5  # few\nmode = 'keyword'\n")
    run("config", "unset", "search.limit")
    assert (home / "config.toml").read_text() == "# mine\n[search]\nmode = 'keyword'\n"


def test_a_negative_number_is_a_value_and_a_misspelt_option_is_not(run: Run) -> None:
    assert "search.keyword_weight must be between 0 and" in run("config", "search.keyword_weight", "-1").err
    assert "No such option '--orign'" in run("config", "--orign").err


def test_each_value_says_where_it_comes_from(run: Run, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run("config", "search.limit", "5")
    run("config", "spaces.work.search.mode", "keyword")
    monkeypatch.setenv("SCRUBJAY_CONTEXT_TOKENS", "300")
    file = str(home / "config.toml")
    listed = {one["key"]: one for one in run("config", "--origin", "--json").json["settings"]}
    assert (listed["search.limit"]["value"], listed["search.limit"]["origin"]) == (5, file)
    assert listed["context.tokens"]["origin"] == "SCRUBJAY_CONTEXT_TOKENS"
    assert listed["search.mode"]["origin"] == "default" and set(listed) == set(config.KEYS)
    assert run("config", "spaces.work.search.mode", "--origin").out == f"keyword (from {file})\n"
    assert all(one["what"] for one in listed.values())


def test_a_project_is_an_origin_too(run: Run, place: Path) -> None:
    run("init")
    run("config", "search.limit", "3", "--local")
    told = run("config", "search.limit", "--origin", "--json").json
    assert (told["value"], told["origin"]) == (3, str(place / ".scrubjay" / "config.toml"))
    run("config", "unset", "search.limit", "--local")
    assert run("config", "search.limit").out == "10\n"


def test_the_guard_of_a_space_can_only_be_stricter(
    run: Run, home: Path, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("config", "guard.secrets", "redact")
    refused = run("config", "spaces.work.guard.secrets", "off")
    assert refused.code == 2 and "can only be stricter than the general one, which is redact" in refused.err
    run("config", "spaces.work.guard.secrets", "refuse")
    secret = "The token is ghp_" + "Zx9Cv8Bn7Mq6Ws5Ed4Rf" * 2
    with scrubjay.open(path, embedder="none") as jay:
        assert "[redacted" in jay.add(secret).memory.text
    with scrubjay.open(path, embedder="none", space="work") as work, pytest.raises(Invalid):
        work.add(secret)
    (home / "config.toml").write_text('[spaces.work.guard]\nsecrets = "off"\n')
    assert config.load().get("guard.secrets", "work") == "refuse"
    (home / "config.toml").write_text('[spaces.work.guard]\nsecrets = "refuse"\n')
    monkeypatch.setenv("SCRUBJAY_GUARD_SECRETS", "redact")
    assert config.load().get("guard.secrets", "work") == "refuse"


@pytest.mark.parametrize("key", ["extract.most", "limits.memories", "trash.days", "sync.on_search", "hooks.extract"])
def test_what_makes_sense_for_one_agent_can_be_set_for_one_space(run: Run, key: str) -> None:
    value = "on" if config.KEYS[key].kind is bool else "7"
    assert run("config", f"spaces.a.b.{key}", value).code == 0
    assert config.load().get(key, "a.b") in (7, True) and config.load().get(key) == config.KEYS[key].default


def test_the_level_of_the_log_is_a_setting(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    root = logging.getLogger()
    monkeypatch.setattr(root, "handlers", [])
    level = root.level
    monkeypatch.setenv("SCRUBJAY_LOG_LEVEL", "debug")
    try:
        log_to(tmp_path / "log")
        assert root.level == logging.DEBUG
        monkeypatch.setenv("SCRUBJAY_LOG_LEVEL", "loud")
        with pytest.raises(Invalid, match=r"log\.level .* must be one of debug, info, warning, error"):
            log_to(None)
    finally:
        for handler in root.handlers:
            handler.close()
        root.setLevel(level)


def test_extra_headers_are_read_and_checked() -> None:
    made = Credentials("embedder", None, "X-Title: my notes; X-Team: ops;")
    assert made.extra_headers() == {"x-title": "my notes", "x-team": "ops"}
    assert Credentials().extra_headers() == {}
    for wrong in ("X-Title", "X Title: a", "X-Title: a\nb"):
        with pytest.raises(Invalid, match=r"headers\.embedder must be written as"):
            Credentials("embedder", None, wrong).extra_headers()


@pytest.mark.parametrize(
    "store",
    [
        "postgresql://ann:hunter22@host/jay",
        "postgresql://ann:hunter22/hunter22@hunter22@host/jay?user=a@b",
        "postgresql://host:5432/jay?user=a@b&password=hunter22",
        "postgresql://ann:hunter22?hunter22@host/jay",
    ],
)
def test_the_address_of_a_database_is_shown_without_its_password(
    run: Run, monkeypatch: pytest.MonkeyPatch, store: str
) -> None:
    monkeypatch.setenv("SCRUBJAY_STORE", store)
    for asked in (["config"], ["config", "store"], ["config", "--origin", "--json"]):
        shown = run(*asked).out
        assert "hunter22" not in shown and "***" in shown and "host" in shown


@pytest.mark.parametrize("setting", ["embedder", "generator"])
def test_the_name_of_a_model_that_is_none_is_refused_before_it_is_written(run: Run, home: Path, setting: str) -> None:
    for wrong in ("nonne", "olama:x", "ollama", "openai-compatible:x", "openai:http://me:key@host/v1#x"):
        refused = run("config", setting, wrong)
        assert refused.code == 2 and refused.err.startswith("Error: "), wrong
        assert not (home / "config.toml").exists()
    assert f"There is no {setting} 'nonne'; use one of " in run("config", setting, "nonne").err
    assert run("config", setting, "ollama:x").code == 0


def test_names_that_every_embedder_has_are_accepted(run: Run) -> None:
    for name in ("auto", "none", "local", "hashing", "onnx:/models/mine"):
        assert run("config", "embedder", name).code == 0


def test_a_misspelt_embedder_in_the_environment_is_refused_for_a_file_that_has_one(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCRUBJAY_EMBEDDER", "hashing")
    run("add", "Ann likes tea")
    monkeypatch.setenv("SCRUBJAY_EMBEDDER", "nonne")
    refused = run("list")
    assert refused.code == 2 and "There is no embedder 'nonne'; use one of " in refused.err
