"""Settings: defaults, then the file, then the environment, then what a caller gives."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from scrubjay.errors import Invalid, StoreError
from scrubjay.project import above
from scrubjay.types import DEFAULT_SPACE

__all__ = [
    "CONFIG_FILE",
    "KEYS",
    "LOCAL_FOLDER",
    "STORE_FILE",
    "Settings",
    "config_file",
    "known",
    "load",
    "local_folder",
    "parse",
    "store_path",
]

LOCAL_FOLDER = ".scrubjay"
STORE_FILE = "memory.db"
CONFIG_FILE = "config.toml"

# Every setting: its type and what it is for. `scrubjay config` and the reference are made from this.
KEYS: dict[str, tuple[type, str]] = {
    "store": (str, "the memory's file; by default `memory.db` in the data folder"),
    "space": (str, "whose memory is read and written"),
    "embedder": (str, "what makes the vectors of a new file: local, hashing or none"),
    "search.limit": (int, "how many results a search gives"),
    "search.mode": (str, "hybrid, keyword or vector"),
    "search.fusion": (str, "how signals are joined: sum (weighted) or rrf (by rank)"),
    "search.keyword_weight": (float, "how much words count"),
    "search.vector_weight": (float, "how much meaning counts"),
    "search.min_score": (float, "results below this are hidden, and said to be"),
}


@dataclass(frozen=True, slots=True)
class Settings:
    store: str | None = None
    space: str = DEFAULT_SPACE
    embedder: str | None = None
    search: Mapping[str, Any] = field(default_factory=dict)
    spaces: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def search_in(self, space: str) -> dict[str, Any]:
        """The search settings, with what `[spaces.NAME.search]` overrides."""
        return {**self.search, **self.spaces.get(space, {})}


def load(folder: Path | None = None) -> Settings:
    """The user's settings, with a project's own over them where `folder` lies in one."""
    local = local_folder(folder) if folder else None
    settings = _with_file(Settings(), config_file())
    if local:
        settings = _with_file(replace(settings, store=str(local / STORE_FILE)), local / CONFIG_FILE)
    given = _environment()
    in_each_space = {space: {"search": given.get("search", {})} for space in settings.spaces}
    return _over(settings, {**given, "spaces": in_each_space}, "the environment")


def store_path(settings: Settings) -> str:
    """The memory's file, or its URL; the default folder is made if it is not there."""
    if settings.store:
        return settings.store if "://" in settings.store else str(Path(settings.store).expanduser())
    folder = data_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise StoreError(f"{folder} cannot be made ({problem.strerror}); set SCRUBJAY_HOME to another folder.") from None
    return str(folder / STORE_FILE)


def home() -> Path | None:
    given = os.environ.get("SCRUBJAY_HOME")
    return Path(given).expanduser() if given else None


def data_folder() -> Path:
    from platformdirs import user_data_path

    return home() or user_data_path("scrubjay", appauthor=False)


def config_file() -> Path:
    from platformdirs import user_config_path

    return (home() or user_config_path("scrubjay", appauthor=False)) / CONFIG_FILE


def local_folder(folder: Path) -> Path | None:
    """The project-local store that this folder lies in."""
    return above(folder.absolute(), LOCAL_FOLDER)


def parse(key: str, text: str) -> Any:
    """A setting's value from text, as the environment and `config set` give it."""
    kind, _ = KEYS[known(key)]
    try:
        return kind(text)
    except ValueError:
        raise Invalid(f"{key} must be {'a number' if kind is float else 'a whole number'}, not {text!r}.") from None


def known(key: str, where: str = "settings") -> str:
    if key in KEYS:
        return key
    near = get_close_matches(key, KEYS, n=1, cutoff=0.0)[0]
    raise Invalid(f"There is no setting {key!r} in {where}; did you mean {near!r}?")


def _with_file(settings: Settings, path: Path) -> Settings:
    if not path.is_file():
        return settings
    try:
        tree = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as problem:
        raise Invalid(f"{path} is not valid TOML: {problem}.") from None
    return _over(settings, tree, str(path))


def _environment() -> dict[str, Any]:
    tree: dict[str, Any] = {}
    for key in KEYS:
        text = os.environ.get(f"SCRUBJAY_{key.replace('.', '_').upper()}")
        if text:
            room, _, name = key.rpartition(".")
            (tree.setdefault(room, {}) if room else tree)[name] = parse(key, text)
    return tree


def _over(settings: Settings, tree: Mapping[str, Any], where: str) -> Settings:
    spaces = dict(settings.spaces)
    for space, own in _table(tree.get("spaces", {}), "spaces", where).items():
        table = _table(own, f"spaces.{space}", where)
        if unknown := set(table) - {"search"}:
            raise Invalid(f"There is no setting {f'spaces.{space}.{min(unknown)}'!r} in {where}; a space has `search`.")
        spaces[space] = {**spaces.get(space, {}), **_checked(table.get("search", {}), "search.", where)}
    plain = {name: value for name, value in tree.items() if name not in ("search", "spaces")}
    search = {**settings.search, **_checked(tree.get("search", {}), "search.", where)}
    return replace(settings, **_checked(plain, "", where), search=search, spaces=spaces)


def _checked(given: Any, prefix: str, where: str) -> dict[str, Any]:
    checked = {}
    for name, value in _table(given, prefix, where).items():
        kind, _ = KEYS[known(prefix + name, where)]
        accepted = (int, float) if kind is float else kind
        if isinstance(value, bool) or not isinstance(value, accepted):
            raise Invalid(f"{prefix + name} in {where} must be of type {kind.__name__}, not {value!r}.")
        checked[name] = value
    return checked


def _table(given: Any, name: str, where: str) -> dict[str, Any]:
    if not isinstance(given, dict):
        raise Invalid(f"{name.rstrip('.')} in {where} must be a table of settings.")
    return given
