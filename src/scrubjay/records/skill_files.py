"""A skill as a SKILL.md: its name, description and tools as front matter, its instructions as the text below.

What other programs do not know of stands under `metadata`, each key beginning with `scrubjay-`, as text or JSON.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from scrubjay.errors import Invalid
from scrubjay.files import private_files, regular_files
from scrubjay.sources.markdown import front_matter

__all__ = ["FILE_NAME", "page", "parsed", "read", "write"]

FILE_NAME = "SKILL.md"
MOST_BYTES = 1_000_000
PREFIX = "scrubjay-"
TEXTS = ("trigger", "schedule", "timezone", "at", "event")  # all others are JSON
KEPT = (
    *TEXTS, "interval_minutes", "plan", "max_steps", "notify_on_completion", "notify_interval_minutes", "enabled",
)  # fmt: skip
LINE_ENDS = re.compile("[\x85\u2028\u2029]")  # for YAML only, which would make blanks of them
NO_SKILL = "{} is no SKILL.md: it begins with a line ---, then `name: …`, then another line ---, then instructions."


def read(path: Path) -> dict[str, Any]:
    """The fields of the skill in a file, or in a folder's SKILL.md."""
    file = path / FILE_NAME if path.is_dir() else path
    try:
        return parsed(regular_files.read_text(file, MOST_BYTES, follow=True), file.name)
    except UnicodeDecodeError:
        raise Invalid(f"{file.name} is not UTF-8 text; convert it first.") from None
    except OSError as problem:
        raise Invalid(f"{file} cannot be read: {problem.strerror or problem}.") from None


def write(data: Mapping[str, Any], path: Path, overwrite: bool) -> Path:
    """Write a skill's file, in a new folder if need be; one that is there stays, unless it may be overwritten."""
    file = path / FILE_NAME if path.is_dir() else path
    if file.exists() and not overwrite:
        raise Invalid(f"{file} is there already; give another path, or overwrite it.")
    try:
        private_files.make_folder(file.parent)
        private_files.write_users_file(file, page(data).encode())
    except OSError as problem:
        raise Invalid(f"{file} cannot be written: {problem.strerror or problem}.") from None
    return file


def page(data: Mapping[str, Any]) -> str:
    """A skill as the text of its file."""
    import yaml

    head: dict[str, Any] = {"name": data["name"], "description": data["description"]}
    head |= {"allowed-tools": list(data["required_tools"])} if data["required_tools"] else {}
    own = {name: data[name] for name in KEPT if data.get(name) not in (None, [])}
    head["metadata"] = {
        f"{PREFIX}{name.replace('_', '-')}": value if name in TEXTS else json.dumps(value, ensure_ascii=False)
        for name, value in own.items()
    }
    shown = {key: value for key, value in head.items() if value is not None}
    as_it_is = not LINE_ENDS.search(json.dumps(shown, ensure_ascii=False))
    front = yaml.safe_dump(shown, allow_unicode=as_it_is, sort_keys=False, width=10_000)
    return f"---\n{front}---\n\n{data['instructions']}\n"


def parsed(text: str, name: str = FILE_NAME) -> dict[str, Any]:
    """The fields of the skill that a file's text tells."""
    found = front_matter.split(text)
    values = found.values
    if not isinstance(values.get("name"), str) or not found.body.strip():
        raise Invalid(NO_SKILL.format(name))
    fields: dict[str, Any] = {"name": values["name"], "instructions": found.body.strip()}
    fields["description"] = values.get("description")
    fields["required_tools"] = _tools(values.get("allowed-tools"))
    metadata = values.get("metadata")
    return fields | (_own(metadata, name) if isinstance(metadata, dict) else {})


def _tools(given: Any) -> list[str]:
    """A list, or text separated by commas or spaces, as other programs write it."""
    if isinstance(given, str):
        return [tool.strip() for tool in (given.split(",") if "," in given else given.split()) if tool.strip()]
    return list(map(str, given)) if isinstance(given, list) else []


def _own(metadata: Mapping[str, Any], file: str) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    for name in KEPT:
        value = metadata.get(f"{PREFIX}{name.replace('_', '-')}")
        if value is not None:
            fields[name] = str(value) if name in TEXTS else _json(value, name, file)
    return fields


def _json(value: Any, name: str, file: str) -> Any:
    try:
        return json.loads(value) if isinstance(value, str) else value
    except (ValueError, RecursionError):
        raise Invalid(f"{PREFIX}{name.replace('_', '-')} in {file} is no JSON.") from None
