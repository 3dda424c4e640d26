"""The user's own folders: where the memory and the settings are, unless they are named.

Kept small: a hook reads it at every prompt, before anything else.
"""

from __future__ import annotations

import os
import sys

__all__ = ["config_folder", "data_folder", "home", "hooks_log"]

HOOKS_LOG = "hooks.log"


def home() -> str | None:
    """SCRUBJAY_HOME: one folder for all, instead of those that the system has for programs."""
    given = os.environ.get("SCRUBJAY_HOME")
    folder = os.path.expanduser(given) if given else None
    if folder and not os.path.isabs(folder):  # a relative path could name a folder in a cloned repository
        from scrubjay.errors import Invalid

        raise Invalid(f"SCRUBJAY_HOME must be an absolute path, not {given!r}.")
    return folder


def data_folder() -> str:
    if own := home():
        return own
    if _follows_xdg():
        return _xdg("XDG_DATA_HOME", "~/.local/share")
    from platformdirs import user_data_dir

    return user_data_dir("scrubjay", appauthor=False)


def config_folder() -> str:
    if own := home():
        return own
    if _follows_xdg():
        return _xdg("XDG_CONFIG_HOME", "~/.config")
    from platformdirs import user_config_dir

    return user_config_dir("scrubjay", appauthor=False)


def hooks_log() -> str:
    """The log of what the hooks of agent clients did."""
    return os.path.join(data_folder(), HOOKS_LOG)


def _follows_xdg() -> bool:
    """Whether the folders are those of the XDG standard; asking platformdirs for them takes longer than a hook may."""
    return sys.platform == "linux" and "ANDROID_DATA" not in os.environ


def _xdg(variable: str, default: str) -> str:
    """The standard says that a relative path is to be ignored; it could name a folder in a cloned repository."""
    given = os.environ.get(variable, "").strip()
    return os.path.join(given if os.path.isabs(given) else os.path.expanduser(default), "scrubjay")
