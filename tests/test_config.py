"""Settings: where they come from, which of them wins, and what is said about one that makes no sense."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

import scrubjay
from scrubjay import Invalid, config
from scrubjay.config import Settings
from scrubjay.errors import StoreError
from scrubjay.interfaces.cli.app import cli
from scrubjay.project import trust as project_trust
from tests.support.commands import Run


@pytest.fixture(autouse=True)
def outside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with a memory of its own, as `scrubjay init` makes it; one stands in a folder below."""
    folder = tmp_path / "project"
    folder.mkdir()
    project_trust.trust(folder / config.LOCAL_FOLDER)
    below = folder / "src" / "deep"
    below.mkdir(parents=True)
    monkeypatch.chdir(below)
    return folder


def write_user(home: Path, text: str) -> Path:
    home.mkdir(exist_ok=True)
    path = home / config.CONFIG_FILE
    path.write_text(text)
    return path


def write_local(project: Path, text: str) -> Path:
    path = project / config.LOCAL_FOLDER / config.CONFIG_FILE
    path.write_text(text)
    path.chmod(0o600)
    project_trust.note_settings(path.parent)
    return path


def loaded(folder: Path | None = None) -> Settings:
    """The settings that hold in a folder."""
    found = project_trust.find(folder or Path.cwd())
    return config.load(found.folder if found and found.is_trusted else None)


# Order

USERS = 'space = "user"\nembedder = "none"\n[search]\nlimit = 2\nmode = "keyword"\n'


def test_without_any_file_there_are_defaults() -> None:
    assert loaded() == Settings()
    assert config.load().get("space") == "default"


def test_each_source_wins_over_the_one_before(home: Path, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def space() -> str:
        with scrubjay.open(embedder="none", folder=Path.cwd()) as jay:
            return jay.space

    assert space() == "default"
    write_user(home, USERS)
    assert space() == "user"
    write_local(project, "[search]\nlimit = 3\n")
    write_user(home, f'{USERS}[folders."{project}"]\nspace = "folder"\n')
    assert space() == "folder"
    monkeypatch.setenv("SCRUBJAY_SPACE", "environment")
    assert space() == "environment"
    assert scrubjay.open(":memory:", embedder="none", space="flag").space == "flag"
    settings = loaded()
    assert [settings.get(key) for key in ("embedder", "search.limit", "search.mode")] == ["none", 3, "keyword"]


def test_a_limit_may_come_from_anywhere(home: Path, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def found(limit: int | None = None) -> int:
        with scrubjay.open(path, embedder="none", folder=Path.cwd()) as jay:
            return len(jay.search("heron", limit=limit))

    path = project / "memory.db"
    with scrubjay.open(path, embedder="none") as jay:
        jay.add_many([{"text": f"heron {number}"} for number in range(12)])
    assert found() == 10
    write_user(home, "[search]\nlimit = 2\n")
    assert found() == 2
    write_local(project, "[search]\nlimit = 3\n")
    assert found() == 3
    monkeypatch.setenv("SCRUBJAY_SEARCH_LIMIT", "4")
    assert found() == 4
    assert found(limit=5) == 5


def test_the_environment_may_hold_every_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    given = {name: key.choices[1] if key.choices else max(int(key.least), 1) for name, key in config.KEYS.items()}
    given["store"] = "/memory.db"
    for name, value in given.items():
        monkeypatch.setenv(f"SCRUBJAY_{name.replace('.', '_').upper()}", str(value))
    settings = config.load()
    for name, key in config.KEYS.items():
        assert settings.get(name) == key.kind(given[name])


def test_the_environment_makes_the_guard_stricter_but_cannot_switch_it_off(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCRUBJAY_GUARD_SECRETS", "off")
    with pytest.raises(Invalid, match=r"cannot turn the guard off; `scrubjay config guard\.secrets off` does"):
        config.load()
    write_user(home, '[guard]\nsecrets = "off"\n')
    assert config.load().get("guard.secrets") == "off"
    monkeypatch.setenv("SCRUBJAY_GUARD_SECRETS", "refuse")
    assert config.load().get("guard.secrets") == "refuse"


def test_a_switch_is_true_or_false(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_user(home, "[sync]\nwatch = false\n")
    assert config.load().get("sync.watch") is False
    for text, meant in (("on", True), ("No", False), ("1", True), ("false", False)):
        monkeypatch.setenv("SCRUBJAY_SYNC_WATCH", text)
        assert config.load().get("sync.watch") is meant
    monkeypatch.setenv("SCRUBJAY_SYNC_WATCH", "perhaps")
    with pytest.raises(Invalid, match=r"sync\.watch in the environment must be true or false, not 'perhaps'"):
        config.load()


def test_an_empty_variable_is_none_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCRUBJAY_SPACE", "")
    assert config.load() == Settings()


def test_what_the_user_sets_for_a_folder_holds_in_it_and_below(home: Path, project: Path, tmp_path: Path) -> None:
    (project / "deep" / "er").mkdir(parents=True)
    write_user(
        home,
        f'space = "mine"\n[folders."{project}"]\nspace = "outer"\nsearch.limit = 4\n'
        f'[folders."{project}/deep"]\nspace = "inner"\n',
    )
    at = {path: config.load(folder=project / path) for path in ("", "deep", "deep/er")}
    assert [settings.get("space") for settings in at.values()] == ["outer", "inner", "inner"]
    assert at["deep/er"].get("search.limit") == 4
    assert config.load(folder=tmp_path).get("space") == "mine"
    assert config.load(folder=Path(f"{project}-other")).get("space") == "mine"


def test_a_folder_is_set_by_the_command(run: Run, home: Path, place: Path) -> None:
    assert run("config", "space", "work", "--folder", ".").code == 0
    assert run("stats", "--json").json["space"] == "work"
    assert "cannot be set for one folder" in run("config", "guard.secrets", "redact", "--folder", ".").err
    assert "--folder needs a setting and a value" in run("config", "space", "--folder", ".").err


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[folders."work"]\nspace = "x"', "folders.work in .* must be an absolute path"),
        ('[folders."/work"]\ngenerator = "x"', "generator in .* cannot be set for one folder"),
        ("folders = 3", "folders in .* must be a table"),
    ],
)
def test_a_folder_that_is_set_wrongly_is_refused(home: Path, text: str, message: str) -> None:
    write_user(home, text)
    with pytest.raises(Invalid, match=message):
        config.load()


def test_a_space_may_search_in_its_own_way(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_user(home, '[search]\nlimit = 2\nmode = "keyword"\n[spaces.work.search]\nlimit = 9\n')
    settings = config.load()
    assert (settings.get("search.limit", "work"), settings.get("search.mode", "work")) == (9, "keyword")
    assert (settings.get("search.limit", "home"), settings.get("search.mode", "home")) == (2, "keyword")
    monkeypatch.setenv("SCRUBJAY_SEARCH_LIMIT", "4")
    assert config.load().get("search.limit", "work") == 4


def test_a_project_adds_to_what_the_user_set_for_a_space(home: Path, project: Path) -> None:
    write_user(home, '[spaces.work.search]\nlimit = 9\nmode = "keyword"\n')
    write_local(project, "[spaces.work.search]\nlimit = 8\n[spaces.play.search]\nlimit = 1\n")
    settings = loaded()
    assert (settings.get("search.limit", "work"), settings.get("search.mode", "work")) == (8, "keyword")
    assert (settings.get("search.limit", "play"), settings.get("search.mode", "play")) == (1, "hybrid")


# Places


def test_a_memory_without_a_path_lies_in_the_data_folder(home: Path) -> None:
    with scrubjay.open(embedder="none") as jay:
        jay.add("Hello")
        assert jay.stats().file == str(home / "memory.db")
    assert (home / "memory.db").exists()


def test_the_usual_folders_are_below_the_home(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SCRUBJAY_HOME")
    for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    assert config.config_file().is_relative_to(home)
    assert Path(config.store_path(Settings())).is_relative_to(home)


@pytest.mark.skipif(sys.platform != "linux", reason="the folders of XDG are those of Linux")
def test_a_usual_folder_that_is_another_in_every_folder_is_ignored(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SCRUBJAY_HOME")
    for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, "config")
    assert config.config_file().is_relative_to(home)
    assert Path(config.store_path(Settings())).is_relative_to(home)


def test_a_projects_memory_is_used_from_any_folder_below_and_from_nowhere_else(project: Path, tmp_path: Path) -> None:
    local = str(project / config.LOCAL_FOLDER / config.STORE_FILE)
    assert loaded().get("store") == local
    assert loaded(project).get("store") == local
    assert loaded(tmp_path).get("store") is None
    assert config.load().get("store") is None


def test_a_store_that_was_named_wins_over_the_projects(
    home: Path, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_user(home, 'store = "/tmp/users.db"')
    assert loaded().get("store") == str(project / config.LOCAL_FOLDER / config.STORE_FILE)
    monkeypatch.setenv("SCRUBJAY_STORE", str(tmp_path / "named.db"))
    with scrubjay.open(embedder="none", folder=Path.cwd()) as jay:
        assert jay.stats().file == str(tmp_path / "named.db")
    with scrubjay.open(tmp_path / "given.db", embedder="none", folder=Path.cwd()) as jay:
        assert jay.stats().file == str(tmp_path / "given.db")


def test_a_tilde_is_the_home(home: Path) -> None:
    assert config.store_path(Settings({"store": "~/memory.db"})) == str(home / "memory.db")


def test_an_address_is_not_taken_for_a_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCRUBJAY_STORE", "oracle://localhost/memory")
    with pytest.raises(Invalid, match="no store for oracle://"):
        scrubjay.open()


def test_a_data_folder_that_cannot_be_made_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCRUBJAY_HOME", "/dev/null/below")
    with pytest.raises(StoreError, match="set SCRUBJAY_HOME to another"):
        scrubjay.open()


# What is refused


BAD_FILES = [
    ('spaec = "x"', "no setting 'spaec' .* did you mean 'space'"),
    ("[serch]\nlimit = 3", "no setting 'serch' .* did you mean"),
    ("[search]\nlimt = 3", "no setting 'search.limt' .* did you mean 'search.limit'"),
    ("[spaces.work.search]\nlimt = 3", "did you mean 'search.limit'"),
    ("[spaces.work]\nspace = 'x'", "space in .* cannot be set for one space"),
    ("[search]\nlimit = '3'", "search.limit in .* must be a whole number, not '3'"),
    ("[search]\nlimit = true", "must be a whole number, not True"),
    ("[search]\nlimit = 2.5", "must be a whole number, not 2.5"),
    ("[search]\nmin_score = 'low'", "must be a number"),
    ("space = 3", "space in .* must be text"),
    ("[search]\nlimit = 0", "search.limit in .* must be between 1 and 1000, not 0"),
    ("[search]\nmode = 'telepathy'", "must be one of hybrid, keyword, vector"),
    ("search = 3", "search in .* must be a table"),
    ("spaces = 3", "spaces in .* must be a table"),
    ("spaces.work = 3", "spaces.work in .* must be a table"),
    ("[spaces.work]\nsearch = []", "search in .* must be a table"),
    ("space = ", "is not valid TOML"),
    ("[search\nlimit = 3", "is not valid TOML"),
    ('space = "a"\nspace = "b"', "is not valid TOML"),
    ("search.limit = " + "1" * 5_000, "is not valid TOML"),
    ("search.limit = 0x" + "f" * 5_000, "not a number with very many digits"),
    ("space" + ".a" * 900 + " = 1", "space in .* must be text"),
    ("space = " + "[" * 20_000, "is not valid TOML: it is nested too deeply"),
    (
        "a." * 100_000 + "b = 1",
        "is not valid TOML: it is too large, or its names have too many dots",
    ),  # else it takes minutes
]


@pytest.mark.parametrize(("text", "sentence"), BAD_FILES, ids=[text[:30] for text, _ in BAD_FILES])
def test_a_file_that_makes_no_sense_is_named_with_what_is_wrong(home: Path, text: str, sentence: str) -> None:
    path = write_user(home, text)
    with pytest.raises(Invalid, match=sentence) as refusal:
        config.load()
    assert str(path) in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_a_projects_file_is_checked_too(project: Path) -> None:
    path = write_local(project, "[search]\nlimt = 3")
    with pytest.raises(Invalid, match=r"did you mean 'search\.limit'") as refusal:
        loaded()
    assert str(path) in str(refusal.value)


def test_a_file_that_is_no_text_is_refused(home: Path) -> None:
    write_user(home, "").write_bytes(b"\xff\xfe")
    with pytest.raises(Invalid, match="not valid TOML"):
        config.load()


def test_whole_numbers_do_for_fractions(home: Path) -> None:
    write_user(home, "[search]\nmin_score = 0\nkeyword_weight = 2\n")
    assert config.load().values == {"search.min_score": 0, "search.keyword_weight": 2}


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("SEARCH_LIMIT", "many", "search.limit must be a whole number, not 'many'"),
        ("SEARCH_LIMIT", "2.5", "search.limit must be a whole number"),
        ("SEARCH_MIN_SCORE", "low", "search.min_score must be a number"),
    ],
)
def test_a_bad_variable_is_refused(monkeypatch: pytest.MonkeyPatch, name: str, value: str, sentence: str) -> None:
    monkeypatch.setenv(f"SCRUBJAY_{name}", value)
    with pytest.raises(Invalid, match=sentence):
        config.load()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("SPACE", "a/b"),
        ("EMBEDDER", "telepathy"),
        ("SEARCH_LIMIT", "0"),
        ("SEARCH_MODE", "telepathy"),
        ("SEARCH_FUSION", "cold"),
        ("SEARCH_KEYWORD_WEIGHT", "nan"),
        ("SEARCH_VECTOR_WEIGHT", "-1"),
        ("SEARCH_MIN_SCORE", "1.5"),
    ],
)
def test_a_value_out_of_bounds_is_refused_when_it_is_used(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv("SCRUBJAY_EMBEDDER", "none")
    monkeypatch.setenv(f"SCRUBJAY_{name}", value)
    with pytest.raises(Invalid), scrubjay.open(":memory:") as jay:
        jay.search("x")


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("SCRUBJAY_SEARCH_LIMT", "SCRUBJAY_SEARCH_LIMIT"),
        ("SCRUBJAY_STOER", "SCRUBJAY_STORE"),
        ("SCRUBJAY_EMBEDER", "SCRUBJAY_EMBEDDER"),
        ("SCRUBJAY_GUARD", "SCRUBJAY_GUARD_SECRETS"),
        ("SCRUBJAY_HOEM", "SCRUBJAY_HOME"),
    ],
)
def test_a_misspelt_variable_is_refused_with_the_nearest_name(
    monkeypatch: pytest.MonkeyPatch, name: str, near: str
) -> None:
    monkeypatch.setenv(name, "x")
    with pytest.raises(Invalid, match=f"no variable {name}; did you mean {near}"):
        scrubjay.open(":memory:")


def test_no_name_is_guessed_for_a_variable_that_is_like_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCRUBJAY_XYZ", "x")
    with pytest.raises(Invalid, match="no variable SCRUBJAY_XYZ; `scrubjay config` lists the settings"):
        scrubjay.open(":memory:")


def test_variables_that_are_no_settings_are_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SCRUBJAY_TOKEN", "SCRUBJAY_EMBEDDER_KEY", "SCRUBJAY_GENERATOR_KEY", "_SCRUBJAY_COMPLETE"):
        monkeypatch.setenv(name, "x")
    assert config.load() == Settings()


def test_a_variable_that_cannot_be_obeyed_is_told_of(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with scrubjay.open(path, embedder="hashing") as jay:
        jay.add("Ann likes tea")
    monkeypatch.setenv("SCRUBJAY_EMBEDDER", "local")
    with scrubjay.open(path) as jay:
        (note,) = jay.search("tea").notes
        assert note.startswith("SCRUBJAY_EMBEDDER is local, but the vectors of this file were made by another model")
        assert "`scrubjay reindex --embedder local`" in note
    for same in ("hashing", "auto", ""):
        monkeypatch.setenv("SCRUBJAY_EMBEDDER", same)
        with scrubjay.open(path) as jay:
            assert jay.search("tea").notes == ()
    monkeypatch.setenv("SCRUBJAY_EMBEDDER", "none")
    with scrubjay.open(path) as jay:
        assert jay.search("tea").notes == ("Searched by words only: no embedder is set (`none`).",)


def test_an_empty_name_is_no_space_and_no_file(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with scrubjay.open(embedder="none") as jay:
        jay.add("Ann likes tea")
        with pytest.raises(Invalid, match="'' is no name for a space"):
            jay.lend(space="")
        with pytest.raises(Invalid, match="'' is no name for a space"):
            jay.search("tea", spaces=[""])
        with pytest.raises(Invalid, match="'' is no name for a space"):
            jay.tokens.create("laptop", spaces=[""])
    with pytest.raises(Invalid, match="'' is no name for a space"):
        scrubjay.open(space="")
    with pytest.raises(Invalid, match="An empty name is no memory's file"):
        scrubjay.open("")
    runner = CliRunner()
    for words in (
        ["list", "--space", ""], ["search", "tea", "--space", ""], ["mcp", "--space", ""], ["serve", "--space", ""],
        ["list", "--store", ""], ["serve", "--store", ""], ["mcp", "--store", ""],
        ["token", "create", "x", "--space", ""],
    ):  # fmt: skip
        assert isinstance(runner.invoke(cli, words).exception, Invalid), words


# Writing


def set_(*words: str) -> None:
    assert CliRunner().invoke(cli, ["config", *words], catch_exceptions=False).exit_code == 0


def test_setting_keeps_comments_and_order(home: Path) -> None:
    path = write_user(home, "# mine\n\n[search]   # how\nlimit=3 # three\n\n# the end\n")
    set_("search.limit", "4")
    set_("search.mode", "keyword")
    set_("space", "work")
    text = path.read_text()
    assert text.startswith("# mine\n") and 'space = "work"\n' in text.split("[search]")[0]
    assert "[search]   # how\nlimit=4 # three\n" in text
    assert "# the end" in text
    assert config.load() == Settings({"search.limit": 4, "search.mode": "keyword", "space": "work"})


@pytest.mark.parametrize(
    "before",
    [
        "",
        "search.limit = 3\n",
        "search = {limit = 3}\n",
        "[search]\nlimit = 3",
        "[spaces.work.search]\nlimit = 3\n",
        "[spaces]\nwork.search.limit = 3\n",
        "[spaces.work]\nsearch = {limit = 3}\n",
        "[spaces.play.search]\nlimit = 3\n[search]\nlimit = 3\n[spaces.work.search]\nlimit = 3\n",
    ],
)
def test_setting_works_in_a_file_of_any_shape(home: Path, before: str) -> None:
    write_user(home, before)
    set_("search.limit", "5")
    set_("spaces.work.search.limit", "6")
    set_("spaces.my.team.search.limit", "7")
    set_("embedder", "none")
    settings = config.load()
    assert settings.get("embedder") == "none"
    limits = [settings.get("search.limit", space) for space in ("default", "work", "my.team")]
    assert limits == [5, 6, 7]


def test_a_refused_setting_leaves_the_file_alone(home: Path) -> None:
    path = write_user(home, "# mine\n")
    runner = CliRunner()
    for words in (["search.limit", "many"], ["serch.limit", "3"], ["spaces.work.limit", "3"]):
        assert isinstance(runner.invoke(cli, ["config", *words]).exception, Invalid)
    assert path.read_text() == "# mine\n"
