"""The profile of a space: nested JSON about the person it belongs to."""

from __future__ import annotations

import builtins
from collections.abc import Mapping
from typing import Any

from scrubjay.errors import Invalid, NotFound
from scrubjay.memory.view import View
from scrubjay.records.checks import plain_json
from scrubjay.records.nested.differences import Difference
from scrubjay.records.nested.paths import at, merged, parsed, with_value, without
from scrubjay.records.texts import profile_text
from scrubjay.records.versions import Edit, Noun, Version, Versions, version_of
from scrubjay.types import limits

__all__ = ["EMPTY", "Profile"]

KEY = "profile"  # a space has one
EMPTY: Mapping[str, Any] = {
    "user_info": {"name": None, "background": None, "timezone": None, "current_role": None},
    "preferences": {"communication": None, "coding_languages": [], "tools": [], "working_style": None},
    "current_projects": [],
    "learned_patterns": [],
}
NOUN = Noun(
    name="profile",
    command="profile",
    text=profile_text,
    key=lambda data: KEY,
    subject=lambda data: "user",
    one_only=True,
)
NONE_YET = "The profile of space {!r} has no version {} yet; `profile set` writes the first."


class Profile:
    """The profile of one space. Each change is a version, and none is lost."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._versions = Versions(view, NOUN)

    def get(self, path: str | None = None, *, version: int | None = None) -> Any:
        """All of it, or the value at a path such as `preferences.tools[0]`; as it is now, or as it was."""
        data = self._data() if version is None else self._data_of(version)
        return data if path is None else at(data, parsed(path))

    def set(self, path: str, value: Any, *, reason: str | None = None, redact: bool = False) -> Version:
        """Put a value at a path. An index may be one past the end of its list."""
        steps = parsed(path)
        given = self._allowed({path: plain_json("value", value)}, redact)
        if path not in given:
            raise Invalid("A path cannot hold what is private or looks like a secret.")
        return self._change(lambda data: with_value(data, steps, given[path]), reason, redact)

    def unset(self, path: str, *, reason: str | None = None) -> Version:
        """Remove what is at a path."""
        steps = parsed(path)
        return self._change(lambda data: without(data, steps), reason)

    def merge(self, data: Mapping[str, Any], *, reason: str | None = None, redact: bool = False) -> Version:
        """Merge an object into it: objects are merged, null removes a key, any other value takes the place."""
        given = plain_json("data", data)
        if not isinstance(given, dict) or not given:
            raise Invalid('Give an object to merge, e.g. {"user_info": {"name": "Ann"}}.')
        allowed = self._allowed(given, redact)
        return self._change(lambda data: merged(data, allowed), reason, redact)

    def history(self) -> builtins.list[Version]:
        """Every version, the oldest first."""
        return self._versions.history(KEY) if self._versions.find(KEY) else []

    def diff(self, first: int, second: int | None = None) -> builtins.list[Difference]:
        """What a version changed; with a second one, what differs between the two."""
        self._data_of(first)
        return self._versions.diff(KEY, first, second)

    def rollback(self, version: int, *, reason: str | None = None) -> Version:
        """Let it be as it was in a version; that is a new version itself."""
        self._data_of(version)
        record, notes = self._versions.rollback(KEY, version, reason)
        return version_of(record, notes=notes)

    def _data(self) -> Mapping[str, Any]:
        found = self._versions.find(KEY)
        return found.data if found else plain_json("profile", EMPTY)

    def _data_of(self, version: int) -> Mapping[str, Any]:
        if self._versions.find(KEY) is None:
            raise NotFound(NONE_YET.format(self._view.space, version))
        return self._versions.data_of(KEY, version)

    def _allowed(self, given: Mapping[str, Any], redact: bool) -> Any:
        limits.check_record(NOUN.name, given)  # before it is scanned for secrets, which takes time
        return self._view.allowed(given, redact)

    def _change(self, edit: Edit, reason: str | None, redact: bool = False) -> Version:
        if self._versions.find(KEY) is None:
            try:
                record, notes = self._versions.create(edit(EMPTY), reason, redact)
                return version_of(record, notes=notes)
            except Invalid:
                if self._versions.find(KEY) is None:  # else another process has just written the first version
                    raise
        record, notes = self._versions.change(KEY, edit, reason, redact)
        return version_of(record, notes=notes)
