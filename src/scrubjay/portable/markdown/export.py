"""A folder of Markdown that a person can read, keep in git and open in Obsidian: a page for each memory.

What is edited in it comes back by `import` (import_pages.py). The manifest says what was written.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from scrubjay.dates.timestamps import local_day
from scrubjay.errors import Invalid
from scrubjay.files import drafts, private_files, regular_files
from scrubjay.memory.arguments import file_path
from scrubjay.memory.view import View
from scrubjay.portable.export import note_file
from scrubjay.portable.markdown.manifest import Manifest, digest_of, has_manifest, read_manifest, write_manifest
from scrubjay.stores.columns import instant
from scrubjay.text.plural import counted
from scrubjay.text.safe_text import one_line
from scrubjay.types import Link, Memory

__all__ = ["FIELDS", "MEMORIES", "MOST_BYTES", "TASKS", "export_markdown", "page_of"]

MEMORIES = "memories"
TASKS = "tasks.md"
MOST_BYTES = 5_000_000  # of a page that was edited
FIELDS = ("title", "subject", "aliases", "context", "tags", "paths", "importance", "confidence", "project")  # editable
TIMES = ("happened_at", "created_at", "updated_at", "expires_at")
SHOWN = ("kind", *FIELDS, "cites", "source", "trust", *TIMES, "metadata")
NOT_IN_YAML = re.compile(r"[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
NOT_IN_NAMES = re.compile(r"[^\w -]+")
NAME_CHARACTERS = 60
DEVICE = re.compile(r"con|prn|aux|nul|(com|lpt)[0-9¹²³]", re.IGNORECASE)  # no file or folder of Windows has that name
IN_THE_WAY = "{} is not empty and is no Markdown export of yours; name another folder."
EDITED = "{} has {} with edits that are not imported yet ({}); `scrubjay import` it first, or name another folder."
LINK = "{} has a link in it, {}, which is not followed; name another folder."


def export_markdown(view: View, folder: str | Path, filters: Mapping[str, Any]) -> int:
    """Write the memories of a space as pages; how many. Passages are left out: they stand in files of their own."""
    root = file_path("folder", folder)
    try:
        before = _pages_before(root)
        asked = {**filters, "include_superseded": True}
        found = [one for one in reversed(view.newest(asked, None, None, 0)) if one.kind != "passage"]
        pages = {one.uid: _path(one) for one in found if one.kind != "turn"}
        texts = dict(_texts(view, found, pages))
        note_file(view, root)  # first: a part of it is a copy, too
        _write(root, texts, before)
        digests = {name: digest_of(text.encode()) for name, text in texts.items()}
        write_manifest(root, Manifest(view.space, digests, pages))
    except OSError as problem:
        raise Invalid(f"{folder} cannot be written: {problem.strerror}.") from None
    return len(found)


def _pages_before(root: Path) -> set[str]:
    """The pages of an earlier export to this folder, which may be replaced. Raises Invalid if an edit would be lost."""
    if not root.is_symlink() and (not root.exists() or (root.is_dir() and not any(root.iterdir()))):
        return set()
    if root.is_symlink() or not root.is_dir() or not has_manifest(root):
        raise Invalid(IN_THE_WAY.format(root))
    manifest = read_manifest(root)
    if not manifest.is_own:
        raise Invalid(IN_THE_WAY.format(root))
    if link := next((path for path in root.rglob("*") if path.is_symlink()), None):
        raise Invalid(LINK.format(root, link.relative_to(root)))
    if edited := sorted(_edited(root, manifest)):
        raise Invalid(EDITED.format(root, counted(len(edited), "page"), edited[0]))
    return set(manifest.pages)


def _edited(root: Path, manifest: Manifest) -> Iterator[str]:
    for path in (*(root / MEMORIES).rglob("*.md"), root / TASKS):
        name = path.relative_to(root).as_posix()
        if path.is_file() and digest_of(regular_files.read_bytes(path, MOST_BYTES)) != manifest.pages.get(name):
            yield name


def _texts(view: View, found: Sequence[Memory], pages: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    by_id = {one.id: one.uid for one in found}
    links = view.store.links.of_each([one.id for one in found if one.uid in pages])
    for one in found:
        if one.uid in pages:
            own = _links(links.get(one.id, []), by_id, pages)
            yield pages[one.uid], page_of(one, _successor(one, by_id, pages), own)
    yield from _days([one for one in found if one.kind == "turn"])
    if tasks := _tasks(view, pages):
        yield TASKS, tasks


def page_of(memory: Memory, successor: str | None = None, links: Sequence[str] = ()) -> str:
    """Front matter with the fields, and the text as it is. JSON is YAML, too."""
    values = {"uid": memory.uid} | {name: _plain(memory, name) for name in SHOWN}
    if successor:
        values["replaced_by"] = f"[[{Path(successor).stem}]]"
    values["links"] = list(links)
    lines = [f"{name}: {_quoted(value)}" for name, value in values.items() if value]
    return "\n".join(["---", *lines, "---", memory.text, ""])


def _quoted(value: Any) -> str:
    """JSON, with what YAML takes for the end of a line, or does not read, written as an escape."""
    shown = json.dumps(value, ensure_ascii=False)
    return NOT_IN_YAML.sub(lambda found: f"\\u{ord(found[0]):04x}", shown)


def _plain(memory: Memory, name: str) -> Any:
    value: Any = memory.given_title if name == "title" else getattr(memory, name)
    if name.endswith("_at"):
        return None if value is None else instant(value)
    if isinstance(value, tuple):
        return [str(item) for item in value]
    return dict(value) if isinstance(value, Mapping) else value


def _successor(memory: Memory, by_id: Mapping[int, str], pages: Mapping[str, str]) -> str | None:
    return pages.get(by_id.get(memory.superseded_by or 0, ""))


def _links(own: Sequence[Link], by_id: Mapping[int, str], pages: Mapping[str, str]) -> list[str]:
    """The links from a memory; those to it stand on the other page."""
    paths = [(link.word, pages.get(by_id.get(link.target, ""))) for link in own]
    return [f"{word} [[{Path(path).stem}]]" for word, path in paths if path]


def _path(memory: Memory) -> str:
    """In the folder, whatever the fields say: a file that somebody else made may have any kind or uid in it."""
    folder = f"{MEMORIES}/{_name(memory.kind)}/{_name(memory.subject or 'general')}"
    return f"{folder}/{_name(memory.title)}-{_name(memory.uid[:8])}.md"


def _name(text: str) -> str:
    """A name of a file or folder on every system."""
    name = NOT_IN_NAMES.sub("", text).strip(" -_")[:NAME_CHARACTERS].strip() or "untitled"
    return f"{name}_" if DEVICE.fullmatch(name) else name


def _days(turns: Sequence[Memory]) -> Iterator[tuple[str, str]]:
    """What was said, a page for each day; only to be read."""
    days: dict[str, dict[str, list[Memory]]] = {}
    for turn in turns:
        of_day = days.setdefault(local_day(turn.happened_at), {})
        of_day.setdefault(turn.session or "", []).append(turn)
    for day, sessions in days.items():
        parts = [f"# {day}"]
        for session, said in sessions.items():
            parts.append(f"## {one_line(session)}")
            parts += [f"**{one_line(turn.speaker or 'somebody')}**: {turn.text}" for turn in said]
        yield f"conversations/{day}.md", "\n\n".join(parts) + "\n"


def _tasks(view: View, pages: Mapping[str, str]) -> str:
    """Check boxes. The block id at the end of a line says which task it is."""
    now = view.clock()
    statuses = ("pending", "in_progress", "completed", "cancelled")
    wanted = {"statuses": statuses, "scope": None, "project": None, "priority": None, "due_before": None}
    found = [one for one in view.store.tasks.find(view.space, now, **wanted) if one.memory.uid in pages]
    lines = [
        f"- [{'x' if one.status in ('completed', 'cancelled') else ' '}] "
        f"[[{Path(pages[one.memory.uid]).stem}|{one_line(one.memory.title.replace('|', ' '))}]] ^{one.memory.uid}"
        for one in found
    ]
    return "\n".join(["# Tasks", "", *lines, ""]) if lines else ""


def _write(root: Path, texts: Mapping[str, str], before: set[str]) -> None:
    private_files.make_folder(root)  # also where there is nothing to write into it
    for name in before - set(texts):
        path = root / name
        if path.resolve().is_relative_to(root.resolve()):
            path.unlink(missing_ok=True)
    for folder in {(root / name).parent for name in texts}:
        private_files.make_folder(folder)
        drafts.remove_abandoned(folder)
    for name, text in texts.items():
        private_files.write(root / name, text.encode(), sweep=False)
