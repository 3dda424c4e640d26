"""Settings: defaults, overridden by the file, then the environment, then the caller's arguments.

To add a setting: a line in keys.py.
"""

from __future__ import annotations

import os
import re
import reprlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any

from scrubjay.config.keys import KEYS, POLICIES, Key
from scrubjay.errors import Invalid, StoreError
from scrubjay.files import private_files, regular_files, user_folders
from scrubjay.files.toml import read_toml
from scrubjay.text.nearest import nearest
from scrubjay.text.secret_scan.quoting import quoted

__all__ = [
    "CONFIG_FILE",
    "DECAY",
    "GUARD",
    "KEYS",
    "LOCAL_FOLDER",
    "STORE_FILE",
    "Settings",
    "config_file",
    "data_folder",
    "is_for_folders",
    "is_for_projects",
    "is_own_folder",
    "known",
    "load",
    "meaning",
    "parse",
    "refuse_looser_guard",
    "store_path",
]

MAX_BYTES = 1_000_000  # of a settings file
LOCAL_FOLDER = ".scrubjay"
CONFIG_FILE = "config.toml"
TABLES = {key.partition(".")[0] for key in KEYS if "." in key}
DECAY = "decay."
DECAY_OF_ANY_KIND = "days in which a memory of this kind fades halfway; 0 for never"
VARIABLE_PREFIX = "SCRUBJAY_"
DECAY_VARIABLE = "SCRUBJAY_DECAY_"  # followed by any kind
OTHER_VARIABLES = {"SCRUBJAY_HOME", "SCRUBJAY_EMBEDDER_KEY", "SCRUBJAY_GENERATOR_KEY", "SCRUBJAY_TOKEN"}
BOOLEANS = {"true": True, "false": False, "on": True, "off": False, "yes": True, "no": False, "1": True, "0": False}
TYPES = {str: "text", int: "a whole number", float: "a number", bool: "true or false"}
GUARD = "guard.secrets"
SIMILAR = 0.5  # difflib's ratio: 0.59 for 'serch' and 'search.limit', 0.42 for 'nokey' and 'context.tokens'
# The settings that a project may set; all others only the user may set.
PROJECT_KEYS = (
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
IGNORED = (
    f"{{0}} in the project's {LOCAL_FOLDER}/{CONFIG_FILE} is ignored; `scrubjay config {{0}} …` sets it for yourself."
)
NO_SETTING = f"{{}} in the project's {LOCAL_FOLDER}/{CONFIG_FILE} is ignored: there is no such setting."
MOST_NOTES = 20
NOT_KEYS = ("folders", "spaces")  # tables of settings
STORE_FILE = "memory.db"


@dataclass(frozen=True, slots=True)
class Settings:
    """The values that were set, by key, and those of single spaces; the defaults are in `KEYS`."""

    values: Mapping[str, Any] = field(default_factory=dict)
    spaces: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    folders: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # the user's own, for all below a folder
    notes: tuple[str, ...] = ()  # settings that were ignored, and why
    origins: Mapping[str, str] = field(
        default_factory=dict, compare=False
    )  # where each value was set; of a space: spaces.NAME.KEY

    def get(self, key: str, space: str = "") -> Any:
        return {**self.values, **self.spaces.get(space, {})}.get(key, _key(key, "").default)

    def origin(self, key: str, space: str = "") -> str:
        """Where a value comes from: a file, a variable of the environment, or `default`."""
        own = self.origins.get(f"spaces.{space}.{key}") if space else None
        return own or self.origins.get(key, "default")

    def half_lives(self, space: str) -> dict[str, float]:
        """Days by kind, for the kinds whose weight decreases."""
        decaying = {key: self.get(key, space) for key in KEYS if key.startswith(DECAY)}
        given = {**self.values, **self.spaces.get(space, {})}
        decaying |= {key: value for key, value in given.items() if key.startswith(DECAY)}
        return {key.removeprefix(DECAY): days for key, days in decaying.items() if days}


def load(project: Path | None = None, *, folder: Path | None = None) -> Settings:
    """The user's settings, overridden by those of a trusted project, then by the user's own for this folder.

    `project` is the project's `.scrubjay` folder.
    """
    settings, given = _with_file(Settings(), config_file()), _environment()
    _refuse_guard_off(given, settings)
    guards = {space: own[GUARD] for space, own in settings.spaces.items() if GUARD in own}
    if project:
        settings = _merged(settings, {"store": str(project / STORE_FILE)}, {}, str(project))
        settings = _with_file(settings, project / CONFIG_FILE, is_project=True)
    for own in _of_folder(settings, folder) if folder else ():
        settings = _merged(settings, own, {}, str(config_file()))
    for key, value in given.items():
        one = {key: value}
        settings = _merged(settings, one, {space: one for space in settings.spaces}, _variable(key))
    return _with_strict_guards(settings, before=guards)


def is_for_folders(key: str) -> bool:
    """Whether the user may set this for one folder."""
    return key == "space" or is_for_projects(key)


def is_for_projects(key: str) -> bool:
    """Whether a project may set this. The others could run a command, send or move texts, spend money, delete memories,
    or turn a protection off."""
    return key.startswith(PROJECT_KEYS)


def store_path(settings: Settings) -> str:
    """The memory's file, or its URL; the default folder is created if it does not exist."""
    if store := settings.get("store"):
        return str(store) if "://" in store else str(Path(store).expanduser())
    folder = data_folder()
    try:
        private_files.make_folder(folder)
    except OSError as problem:
        raise StoreError(f"{folder} cannot be created ({problem.strerror}); set SCRUBJAY_HOME to another.") from None
    return str(folder / STORE_FILE)


def data_folder() -> Path:
    return Path(user_folders.data_folder())


def is_own_folder(folder: Path) -> bool:
    """Whether a folder contains only Scrubjay's files."""
    return folder.name == LOCAL_FOLDER or folder == data_folder().absolute()


def config_file() -> Path:
    return Path(user_folders.config_folder(), CONFIG_FILE)


def parse(key: str, text: str, where: str = "") -> Any:
    """A setting's value from text, as in the environment and in `scrubjay config`."""
    kind = _key(key, where).kind
    if kind is bool:
        return valid(key, BOOLEANS.get(text.strip().lower(), text), where)
    try:
        return valid(key, kind(text), where)
    except ValueError:
        raise Invalid(f"{key} must be {TYPES[kind]}, not {quoted(text)}.") from None


def known(key: str, where: str = "") -> str:
    if not isinstance(key, str):
        raise Invalid(f"A setting has a name, which is text, not {quoted(key)}.")
    if _is_key(key):
        return key
    meant = nearest(key, KEYS, SIMILAR)
    end = f"did you mean {meant!r}?" if meant else "`scrubjay config` lists them."
    raise Invalid(f"There is no setting {quoted(key)}{_in(where)}; {end}")


def _is_key(key: str) -> bool:
    return key in KEYS or bool(re.fullmatch(rf"{DECAY}[a-z][a-z0-9_-]*", key))


def meaning(key: str) -> str:
    """What a setting means, in a few words."""
    return KEYS[key].what if key in KEYS else DECAY_OF_ANY_KIND


def valid(name: str, value: Any, where: str) -> Any:
    key = _key(name, where)
    accepted: Any = (int, float) if key.kind is float else key.kind
    if isinstance(value, bool) is not (key.kind is bool) or not isinstance(value, accepted):
        raise Invalid(f"{name}{_in(where)} must be {TYPES[key.kind]}, not {_shown(value)}.")
    if key.choices and value not in key.choices:
        raise Invalid(f"{name}{_in(where)} must be one of {', '.join(key.choices)}, not {_shown(value)}.")
    if key.kind in (int, float) and not key.least <= value <= key.most:
        raise Invalid(f"{name}{_in(where)} must be between {key.least:g} and {key.most:g}, not {_shown(value)}.")
    return value


def _in(where: str) -> str:
    """The file that a sentence is about; nothing, if a value was just typed."""
    return f" in {where}" if where else ""


def _shown(value: Any) -> str:
    try:
        return reprlib.repr(value)  # short, however long or deep it is
    except ValueError:
        return "a number with very many digits"


def _key(name: str, where: str) -> Key:
    """The declaration of a setting; `decay.KIND` is valid for every kind."""
    return KEYS.get(known(name, where), KEYS["decay.note"])


def _with_file(settings: Settings, path: Path, is_project: bool = False) -> Settings:
    try:
        # The user's own settings may be a link; a project's may come from a stranger.
        text = regular_files.read_bytes(path, MAX_BYTES, follow=not is_project)
    except (FileNotFoundError, NotADirectoryError):
        return settings
    except OSError as problem:
        raise Invalid(f"{path} cannot be read: {problem.strerror}.") from None
    try:
        tree = read_toml(text.decode("utf-8"))
    except ValueError as problem:
        raise Invalid(f"{path} is not valid TOML: {problem}.") from None
    notes = _drop_personal(tree) if is_project else ()
    spaces, folders = (_table(tree.pop(name, {}), name, str(path)) for name in ("spaces", "folders"))
    values = _flat(tree, str(path))
    of_spaces = {space: _flat(_table(own, f"spaces.{space}", str(path)), str(path)) for space, own in spaces.items()}
    of_folders = {name: _flat(_table(own, f"folders.{name}", str(path)), str(path)) for name, own in folders.items()}
    if "store" in values and "://" not in values["store"]:
        values["store"] = str(path.parent / Path(values["store"]).expanduser())
    for space, own in of_spaces.items():
        _refuse_not_per_space(space, own, str(path))
    _refuse_not_per_folder(of_folders, str(path))
    merged = _merged(settings, values, of_spaces, str(path))
    return replace(merged, folders={**settings.folders, **of_folders}, notes=settings.notes + notes)


def _refuse_guard_off(given: Mapping[str, Any], settings: Settings) -> None:
    """An agent controls its own environment: that may make the guard stricter, but not turn it off."""
    if given.get("guard.secrets") == "off" != settings.get("guard.secrets"):
        how = "`scrubjay config guard.secrets off` does, and asks at a terminal"
        raise Invalid(f"SCRUBJAY_GUARD_SECRETS cannot turn the guard off; {how}.")


def refuse_looser_guard(settings: Settings, space: str, policy: str) -> None:
    """The guard of a space can only be stricter than the general one."""
    general = settings.get(GUARD)
    if space and POLICIES.index(policy) > POLICIES.index(general):
        raise Invalid(f"The guard of a space can only be stricter than the general one, which is {general}.")


def _with_strict_guards(settings: Settings, before: Mapping[str, str]) -> Settings:
    """The guard of a space can only be stricter than the general one, whatever a file or the environment says."""
    general = settings.get(GUARD)
    strict = {space: {GUARD: min(own, general, key=POLICIES.index)} for space, own in before.items()}
    both = {space: {**settings.spaces[space], **own} for space, own in strict.items()}
    return replace(settings, spaces={**settings.spaces, **both})


def _environment() -> dict[str, Any]:
    """Settings from the environment; an unknown SCRUBJAY_ variable is refused as a misspelling."""
    kinds = [name.removeprefix(DECAY_VARIABLE).lower() for name in os.environ if name.startswith(DECAY_VARIABLE)]
    names = {_variable(key): key for key in (*KEYS, *(DECAY + kind for kind in kinds))}
    given = {name: text for name, text in os.environ.items() if name.startswith(VARIABLE_PREFIX) and text}
    for name in given.keys() - names.keys() - OTHER_VARIABLES:
        own = [one.removeprefix(VARIABLE_PREFIX) for one in (*names, *OTHER_VARIABLES)]
        meant = nearest(name.removeprefix(VARIABLE_PREFIX), own, SIMILAR)
        end = f"did you mean {VARIABLE_PREFIX}{meant}?" if meant else "`scrubjay config` lists the settings."
        raise Invalid(f"There is no variable {name}; {end}")
    values = {names[name]: parse(names[name], text, "the environment") for name, text in given.items() if name in names}
    _refuse_relative(values.get("store"))
    return values


def _refuse_relative(store: str | None) -> None:
    """A relative path would mean a different file in every folder, in a cloned folder a file of somebody else."""
    if store and "://" not in store and not Path(store).expanduser().is_absolute():
        raise Invalid(f"SCRUBJAY_STORE must be an absolute path, not {_shown(store)}.")


def _variable(key: str) -> str:
    return f"{VARIABLE_PREFIX}{key.replace('.', '_').upper()}"


def _merged(
    settings: Settings, values: Mapping[str, Any], spaces: Mapping[str, Mapping[str, Any]], origin: str
) -> Settings:
    both = {space: {**settings.spaces.get(space, {}), **own} for space, own in spaces.items()}
    names = [*values, *(f"spaces.{space}.{key}" for space, own in spaces.items() for key in own)]
    return replace(
        settings,
        values={**settings.values, **values},
        spaces={**settings.spaces, **both},
        origins={**settings.origins, **dict.fromkeys(names, origin)},
    )


def _drop_personal(tree: dict[str, Any]) -> tuple[str, ...]:
    """Remove from a project's settings those that only the user may set, whatever they are; returns a note for each."""
    dropped = ["folders"] if tree.pop("folders", None) else []
    spaces = tree.get("spaces", {})
    if not isinstance(spaces, dict) or not all(isinstance(own, dict) for own in spaces.values()):
        tree["spaces"] = spaces = {}
        dropped.append("spaces")
    for table in (tree, *spaces.values()):
        dropped += _drop_personal_of(table)
    return tuple(map(_ignored, islice(dict.fromkeys(dropped), MOST_NOTES)))


def _ignored(key: str) -> str:
    known_here = _is_key(key) or key in NOT_KEYS
    return IGNORED.format(key) if known_here else NO_SETTING.format(quoted(key))


def _drop_personal_of(table: dict[str, Any]) -> list[str]:
    dropped = []
    for name, value in list(table.items()):
        if isinstance(value, dict) and name in TABLES:
            personal = {key: None for key in value if not is_for_projects(f"{name}.{key}")}
            dropped += [f"{name}.{key}" for key in personal]
            table[name] = {key: own for key, own in value.items() if key not in personal}
        elif name != "spaces" and not is_for_projects(name):
            dropped.append(name)
            del table[name]
    return dropped


def _of_folder(settings: Settings, folder: Path) -> list[Mapping[str, Any]]:
    """The user's own settings for the folders that this one lies in, the outermost first."""
    here = Path(os.path.realpath(folder))
    named = [(os.path.realpath(Path(name).expanduser()), own) for name, own in settings.folders.items()]
    return [own for path, own in sorted(named, key=lambda one: len(one[0])) if here.is_relative_to(path)]


def _refuse_not_per_folder(folders: Mapping[str, Mapping[str, Any]], where: str) -> None:
    for folder, own in folders.items():
        if not Path(folder).expanduser().is_absolute():
            raise Invalid(f"folders.{folder} in {where} must be an absolute path, or begin with ~.")
        for key in own:
            if not is_for_folders(key):
                raise Invalid(f"{key} in {where} cannot be set for one folder ({folder!r}).")


def _refuse_not_per_space(space: str, values: Mapping[str, Any], where: str) -> None:
    for key in values:
        if not _key(key, where).per_space:
            raise Invalid(f"{key} in {where} cannot be set for one space ({space!r}).")


def _flat(tree: Mapping[str, Any], where: str) -> dict[str, Any]:
    """{"search": {"limit": 5}} as {"search.limit": 5}, each key known and each value valid."""
    flat = {}
    for name, value in tree.items():
        below = _table(value, name, where) if name in TABLES else {"": value}
        flat.update({f"{name}.{key}".rstrip("."): each for key, each in below.items()})
    return {key: valid(key, value, where) for key, value in flat.items()}


def _table(given: Any, name: str, where: str) -> dict[str, Any]:
    if not isinstance(given, dict):
        raise Invalid(f"{name}{_in(where)} must be a table of settings.")
    return given
