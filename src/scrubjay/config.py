"""Settings: defaults, then the file, then the environment, then what a caller gives."""

from __future__ import annotations

import os
import re
import reprlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, get_args

from scrubjay.errors import Invalid, StoreError
from scrubjay.files import private_files, regular_files
from scrubjay.files.toml import read_toml
from scrubjay.types import DEFAULT_SPACE, Fusion, Mode
from scrubjay.types.queries import WEIGHTS

__all__ = [
    "CONFIG_FILE",
    "KEYS",
    "LOCAL_FOLDER",
    "STORE_FILE",
    "Settings",
    "config_file",
    "is_for_projects",
    "is_own_folder",
    "known",
    "load",
    "parse",
    "store_path",
]

MOST_BYTES = 1_000_000  # of a file of settings
LOCAL_FOLDER = ".scrubjay"
CONFIG_FILE = "config.toml"
DECAY = "decay."
VARIABLE = "SCRUBJAY_"
HALF_LIFE = "SCRUBJAY_DECAY_"  # of any kind
OTHER_VARIABLES = {"SCRUBJAY_HOME", "SCRUBJAY_EMBEDDER_KEY", "SCRUBJAY_GENERATOR_KEY", "SCRUBJAY_TOKEN"}
BOOLEANS = {"true": True, "false": False, "on": True, "off": False, "yes": True, "no": False, "1": True, "0": False}
TYPES = {str: "text", int: "a whole number", float: "a number", bool: "true or false"}
POLICIES = ("refuse", "redact", "off")
# What a project's own settings may say; a setting that is not named here is the user's alone.
FOR_PROJECTS = (
    "space",
    "search.",
    "context.",
    "decay.",
    "chunking.",
    "extract.",
    "sync.on_",
    "sync.watch",
    "sync.debounce_ms",
    "sync.interval_minutes",
    "sync.transcript_",
)
LEFT_OUT = (
    f"{{0}} in the project's {LOCAL_FOLDER}/{CONFIG_FILE} is not used; `scrubjay config {{0}} …` sets it for you."
)
STORE_FILE = "memory.db"


@dataclass(frozen=True, slots=True)
class Key:
    """A setting: its type, what holds without it, what it is for, and what it may be."""

    kind: type
    default: Any
    what: str
    choices: tuple[str, ...] = ()
    least: float = 0.0
    most: float = 1e9
    per_space: bool = False


# `scrubjay config`, the environment's names and the reference are all made from this.
KEYS: dict[str, Key] = {
    "store": Key(str, None, "the memory's file; by default `memory.db` in the data folder"),
    "space": Key(str, DEFAULT_SPACE, "whose memory is read and written"),
    "embedder": Key(
        str, None, "what makes the vectors of a new file: local (the default), none, or e.g. ollama:nomic-embed-text"
    ),
    "generator": Key(str, None, "the model that writes, for extract and synthesise; none by default"),
    "keys.embedder": Key(str, None, "a command that prints the embedder's key, e.g. `pass openai`"),
    "keys.generator": Key(str, None, "the same for the generator's"),
    "generation.budget": Key(int, 500_000, "how many tokens it may read and write in a month; 0 for any number"),
    "extract.most": Key(int, 3, "how many memories are drawn from a conversation", least=1, most=100),
    "extract.min_confidence": Key(float, 0.7, "what is less sure is dropped", most=1),
    "extract.min_characters": Key(int, 50, "shorter conversations are skipped", most=1_000_000),
    "search.limit": Key(int, 10, "how many results a search gives", least=1, most=1000, per_space=True),
    "search.mode": Key(str, "hybrid", "hybrid, keyword or vector", get_args(Mode), per_space=True),
    "search.fusion": Key(str, "sum", "how signals are joined: sum or rrf", get_args(Fusion), per_space=True),
    "search.keyword_weight": Key(float, WEIGHTS["keyword"], "how much words count", per_space=True),
    "search.vector_weight": Key(float, WEIGHTS["vector"], "how much meaning counts", per_space=True),
    "search.min_score": Key(float, 0.0, "results below this are hidden, and said to be", most=1, per_space=True),
    "search.source_share": Key(
        float,
        0.5,
        "how much of the results files and conversations may take while there are memories that answer, too",
        most=1,
        per_space=True,
    ),
    "context.memories": Key(int, 5, "how many memories an agent is told at a time", most=1000, per_space=True),
    "context.tokens": Key(int, 500, "how many tokens they may take", most=1_000_000, per_space=True),
    "context.min_score": Key(float, 0.3, "weaker matches are not told", most=1, per_space=True),
    "decay.note": Key(float, 30.0, "days until a note counts half; 0 for never", per_space=True),
    "decay.observation": Key(float, 30.0, "the same for an observation; any kind may be named", per_space=True),
    "chunking.tokens": Key(int, 400, "about how many tokens a passage of a file has", least=50, most=100_000),
    "chunking.overlap": Key(int, 80, "how many of them it shares with the passage before", most=50_000),
    "sync.on_session_start": Key(bool, True, "bring the sources level when a session starts"),
    "sync.on_search": Key(bool, False, "bring them level after a search that found them changed"),
    "sync.watch": Key(bool, True, "follow changes of files in programs that run on, such as `scrubjay watch`"),
    "sync.debounce_ms": Key(int, 1_500, "how long files must rest before they are read", most=600_000),
    "sync.interval_minutes": Key(int, 0, "how often such a program looks anyway; 0 for never", most=100_000),
    "sync.transcript_bytes": Key(int, 0, "a watched transcript is read once it grew by so much", most=1e12),
    "sync.transcript_messages": Key(int, 0, "or by so many lines; with both 0, whenever it grew"),
    "sync.max_file_bytes": Key(int, 1_000_000, "larger files are left out, and said to be", most=1e9),
    "sync.cache_days": Key(int, 30, "how long `cleanup` keeps vectors of text that has left its file", most=100_000),
    "cache.bytes": Key(int, 100_000_000, "how large the vectors kept of text not in use may grow", most=1e12),
    "limits.memories": Key(int, 0, "how many memories `cleanup` leaves in a space; 0 for any number"),
    "limits.bytes": Key(int, 0, "how large `cleanup` leaves the file; 0 for any size", most=1e15),
    "trash.days": Key(int, 30, "how long deleted memories can be taken back; 0 to erase them at once", most=100_000),
    "guard.secrets": Key(
        str, "refuse", "what to do with secrets: refuse, redact or off (asks at a terminal)", POLICIES
    ),
    "log.folder": Key(str, None, "where to write a Markdown file a day of what was remembered; nowhere by default"),
}


@dataclass(frozen=True, slots=True)
class Settings:
    """What was set, by key, and what each space overrides; the rest is as in `KEYS`."""

    values: Mapping[str, Any] = field(default_factory=dict)
    spaces: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()  # what was left out, and why

    def get(self, key: str, space: str = "") -> Any:
        return {**self.values, **self.spaces.get(space, {})}.get(key, _key(key, "settings").default)

    def half_lives(self, space: str) -> dict[str, float]:
        """In days, by kind, of the kinds that fade."""
        fading = {key: self.get(key, space) for key in KEYS if key.startswith(DECAY)}
        given = {**self.values, **self.spaces.get(space, {})}
        fading |= {key: value for key, value in given.items() if key.startswith(DECAY)}
        return {key.removeprefix(DECAY): days for key, days in fading.items() if days}


def load(project: Path | None = None, *, other_store: bool = False) -> Settings:
    """The user's settings, with those of a project that the user trusts over them; `project` is its `.scrubjay`.

    Where another store than the project's is used, the project has no say in whose memory is read there.
    """
    settings, given = _with_file(Settings(), config_file()), _environment()
    _refuse_weaker(given, settings)
    if project:
        own_space = settings.values.get("space")
        settings = _over(settings, {"store": str(project / STORE_FILE)}, {})
        settings = _with_file(settings, project / CONFIG_FILE, of_a_project=True)
        if other_store or "store" in given:
            settings = _over(settings, {"space": own_space or DEFAULT_SPACE}, {})
    return _over(settings, given, dict.fromkeys(settings.spaces, given))


def is_for_projects(key: str) -> bool:
    """Whether a project may have this setting. All others are the user's: they could run a command, send or move
    texts, spend money, delete memories, or switch a protection off."""
    return key.startswith(FOR_PROJECTS)


def store_path(settings: Settings) -> str:
    """The memory's file, or its URL; the default folder is made if it is not there."""
    if store := settings.get("store"):
        return str(store) if "://" in store else str(Path(store).expanduser())
    folder = data_folder()
    try:
        private_files.make_folder(folder)
    except OSError as problem:
        raise StoreError(f"{folder} cannot be made ({problem.strerror}); set SCRUBJAY_HOME to another.") from None
    return str(folder / STORE_FILE)


def home() -> Path | None:
    given = os.environ.get("SCRUBJAY_HOME")
    folder = Path(given).expanduser() if given else None
    if folder and not folder.is_absolute():  # in each folder another, and in a cloned one somebody else's
        raise Invalid(f"SCRUBJAY_HOME must be an absolute path, not {given!r}.")
    return folder


def data_folder() -> Path:
    from platformdirs import user_data_path

    return home() or user_data_path("scrubjay", appauthor=False)


def is_own_folder(folder: Path) -> bool:
    """Whether a folder is there for Scrubjay's files alone."""
    return folder.name == LOCAL_FOLDER or folder == data_folder().absolute()


def config_file() -> Path:
    from platformdirs import user_config_path

    return (home() or user_config_path("scrubjay", appauthor=False)) / CONFIG_FILE


def parse(key: str, text: str, where: str = "settings") -> Any:
    """A setting's value from text, as the environment and `config` give it."""
    kind = _key(key, where).kind
    if kind is bool:
        return valid(key, BOOLEANS.get(text.strip().lower(), text), where)
    try:
        return valid(key, kind(text), where)
    except ValueError:
        raise Invalid(f"{key} must be {TYPES[kind]}, not {text!r}.") from None


def known(key: str, where: str = "settings") -> str:
    if key in KEYS or re.fullmatch(rf"{DECAY}[a-z][a-z0-9_-]*", key):
        return key
    raise Invalid(f"There is no setting {key!r} in {where}; did you mean {_nearest(key, KEYS)!r}?")


def valid(name: str, value: Any, where: str) -> Any:
    key = _key(name, where)
    accepted: Any = (int, float) if key.kind is float else key.kind
    if isinstance(value, bool) is not (key.kind is bool) or not isinstance(value, accepted):
        raise Invalid(f"{name} in {where} must be {TYPES[key.kind]}, not {_shown(value)}.")
    if key.choices and value not in key.choices:
        raise Invalid(f"{name} in {where} must be one of {', '.join(key.choices)}, not {_shown(value)}.")
    if key.kind in (int, float) and not key.least <= value <= key.most:
        raise Invalid(f"{name} in {where} must lie between {key.least:g} and {key.most:g}, not {_shown(value)}.")
    return value


def _shown(value: Any) -> str:
    try:
        return reprlib.repr(value)  # short, however long or deep it is
    except ValueError:
        return "a number with very many digits"


def _key(name: str, where: str) -> Key:
    """The key itself; every kind may have a half-life."""
    return KEYS.get(known(name, where), KEYS["decay.note"])


def _with_file(settings: Settings, path: Path, of_a_project: bool = False) -> Settings:
    try:
        # People link their own settings from elsewhere; a project's settings may be a stranger's.
        text = regular_files.read_bytes(path, MOST_BYTES, follow=not of_a_project)
    except (FileNotFoundError, NotADirectoryError):
        return settings
    except OSError as problem:
        raise Invalid(f"{path} cannot be read: {problem.strerror}.") from None
    try:
        tree = read_toml(text.decode("utf-8"))
    except ValueError as problem:
        raise Invalid(f"{path} is not valid TOML: {problem}.") from None
    spaces = _table(tree.pop("spaces", {}), "spaces", str(path))
    values = _flat(tree, str(path))
    of_spaces = {space: _flat(_table(own, f"spaces.{space}", str(path)), str(path)) for space, own in spaces.items()}
    notes = _left_out([values, *of_spaces.values()]) if of_a_project else ()
    if "store" in values and "://" not in values["store"]:
        values["store"] = str(path.parent / Path(values["store"]).expanduser())
    for space, own in of_spaces.items():
        _refuse_of_one_space(space, own, str(path))
    return replace(_over(settings, values, of_spaces), notes=settings.notes + notes)


def _refuse_weaker(given: Mapping[str, Any], settings: Settings) -> None:
    """An agent sets its own environment: that may make the guard stricter, not switch it off."""
    if given.get("guard.secrets") == "off" != settings.get("guard.secrets"):
        how = "`scrubjay config guard.secrets off` does, and asks at a terminal"
        raise Invalid(f"SCRUBJAY_GUARD_SECRETS cannot switch the guard off; {how}.")


def _environment() -> dict[str, Any]:
    """What the environment sets; a variable of ours that sets nothing is misspelt, and refused."""
    kinds = [name.removeprefix(HALF_LIFE).lower() for name in os.environ if name.startswith(HALF_LIFE)]
    names = {f"{VARIABLE}{key.replace('.', '_').upper()}": key for key in (*KEYS, *(DECAY + kind for kind in kinds))}
    given = {name: text for name, text in os.environ.items() if name.startswith(VARIABLE) and text}
    for name in given.keys() - names.keys() - OTHER_VARIABLES:
        raise Invalid(f"There is no variable {name}; did you mean {_nearest(name, [*names, *OTHER_VARIABLES])}?")
    values = {names[name]: parse(names[name], text, "the environment") for name, text in given.items() if name in names}
    _refuse_relative(values.get("store"))
    return values


def _refuse_relative(store: str | None) -> None:
    """It would be another file in each folder, and in a cloned one somebody else's."""
    if store and "://" not in store and not Path(store).expanduser().is_absolute():
        raise Invalid(f"SCRUBJAY_STORE must be an absolute path, not {_shown(store)}.")


def _nearest(word: str, known: Iterable[str]) -> str:
    from difflib import get_close_matches

    return get_close_matches(word, known, n=1, cutoff=0.0)[0]


def _over(settings: Settings, values: Mapping[str, Any], spaces: Mapping[str, Mapping[str, Any]]) -> Settings:
    both = {space: {**settings.spaces.get(space, {}), **own} for space, own in spaces.items()}
    return Settings({**settings.values, **values}, {**settings.spaces, **both}, settings.notes)


def _left_out(tables: Sequence[dict[str, Any]]) -> tuple[str, ...]:
    """Take out of a project's settings what is the user's alone, and say so; the rest holds."""
    personal = dict.fromkeys(key for table in tables for key in table if not is_for_projects(key))
    for table in tables:
        for key in personal:
            table.pop(key, None)
    return tuple(LEFT_OUT.format(key) for key in personal)


def _refuse_of_one_space(space: str, values: Mapping[str, Any], where: str) -> None:
    for key in values:
        if not _key(key, where).per_space:
            raise Invalid(f"{key} in {where} cannot be set for one space ({space!r}).")


def _flat(tree: Mapping[str, Any], where: str) -> dict[str, Any]:
    """{"search": {"limit": 5}} as {"search.limit": 5}, each key known and each value valid."""
    rooms = {key.partition(".")[0] for key in KEYS if "." in key}
    flat = {}
    for name, value in tree.items():
        below = _table(value, name, where) if name in rooms else {"": value}
        flat.update({f"{name}.{key}".rstrip("."): each for key, each in below.items()})
    return {key: valid(key, value, where) for key, value in flat.items()}


def _table(given: Any, name: str, where: str) -> dict[str, Any]:
    if not isinstance(given, dict):
        raise Invalid(f"{name} in {where} must be a table of settings.")
    return given
