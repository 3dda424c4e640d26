"""Anthropic's memory tool (`memory_20250818`): the files that a model keeps under /memories are memories of a space.

The answers and errors are those of Anthropic's own implementation on disk. Folders are the paths of their files: one
without files is not there.
"""

from __future__ import annotations

import asyncio
import functools
import posixpath
from collections.abc import Callable
from typing import Any, Concatenate, ParamSpec

from anthropic.lib.tools import ToolError
from anthropic.tools.memory import BetaAbstractMemoryTool, BetaAsyncAbstractMemoryTool
from anthropic.types import beta

from scrubjay.adapters.named_texts import NamedTexts, NewText
from scrubjay.api import Scrubjay
from scrubjay.errors import ScrubjayError
from scrubjay.text.plural import counted
from scrubjay.types import Memory
from scrubjay.types.limits import SHORT_CHARACTERS

__all__ = ["AsyncMemoryTool", "MemoryTool"]

ROOT = "/memories"
MAX_LINES = 999_999
MAX_OCCURRENCES = 1_000  # that an error names the lines of
NUMBER_WIDTH = len(str(MAX_LINES))
DEPTH = 2  # of folders that are listed
AROUND = 2  # lines before and after a change that are shown
UNITS = "BKMG"

View = beta.BetaMemoryTool20250818ViewCommand
Create = beta.BetaMemoryTool20250818CreateCommand
StrReplace = beta.BetaMemoryTool20250818StrReplaceCommand
Insert = beta.BetaMemoryTool20250818InsertCommand
Delete = beta.BetaMemoryTool20250818DeleteCommand
Rename = beta.BetaMemoryTool20250818RenameCommand
P = ParamSpec("P")


def command(method: Callable[Concatenate[MemoryTool, P], str]) -> Callable[Concatenate[MemoryTool, P], str]:
    """A method that runs alone; what the memory refuses, such as a secret, is told to the model."""

    @functools.wraps(method)
    def run(tool: MemoryTool, /, *args: P.args, **options: P.kwargs) -> str:
        try:
            with tool.texts.alone():
                return method(tool, *args, **options)
        except ScrubjayError as problem:
            raise ToolError(str(problem)) from problem

    return run


class MemoryTool(BetaAbstractMemoryTool):
    """The memory tool over a memory; give it to `client.beta.messages.tool_runner(tools=[…])`."""

    def __init__(self, jay: Scrubjay, **options: Any) -> None:
        super().__init__(**options)
        self.texts = NamedTexts(jay, "anthropic")

    @command
    def view(self, command: View) -> str:
        path = _checked(command.path)
        if (file := self._file(path)) is not None:
            return _numbered_view(command, self.texts.text_of(file))
        below = self._below(path)
        if not below and path != ROOT:
            raise ToolError(f"The path {command.path} does not exist. Please provide a valid path.")
        head = f"Here're the files and directories up to {DEPTH} levels deep in {command.path}, excluding hidden items:"
        sizes = _sizes({_path(file).removeprefix(path): len(self.texts.text_of(file).encode()) for file in below})
        return "\n".join([head, *(f"{_readable(size)}\t{command.path}{name}" for name, size in sizes.items())])

    @command
    def create(self, command: Create) -> str:
        path = _checked(command.path)
        if path == ROOT or self._file(path) or self._below(path):
            raise ToolError(f"File {command.path} already exists")
        self._refuse_file_as_folder(path)
        self._put(None, path, command.file_text)
        return f"File created successfully at: {command.path}"

    @command
    def str_replace(self, command: StrReplace) -> str:
        file = self._existing(command.path)
        text, old = self.texts.text_of(file), command.old_str
        count, found = text.count(old), _lines_with(text, old)
        if not count:
            raise ToolError(f"No replacement was performed, old_str `{old}` did not appear verbatim in {command.path}.")
        if count > 1:
            raise ToolError(
                f"No replacement was performed. Multiple occurrences of old_str `{old}` in lines:"
                f" {', '.join(map(str, found))}. Please ensure it is unique"
            )
        stored = self._put(file, _path(file), text.replace(old, command.new_str))
        first = max(1, found[0] - AROUND)
        lines = self.texts.text_of(stored).split("\n")[first - 1 : found[0] + AROUND]
        head = "The memory file has been edited. Here is the snippet showing the change (with line numbers):"
        return f"{head}\n{_numbered(lines, first)}"

    @command
    def insert(self, command: Insert) -> str:
        file = self._existing(command.path)
        before = self.texts.text_of(file)
        lines = before.removesuffix("\n").split("\n") if before else []
        if not 0 <= command.insert_line <= len(lines):
            raise ToolError(
                f"Invalid `insert_line` parameter: {command.insert_line}. It should be within the range"
                f" [0, {len(lines)}]."
            )
        lines.insert(command.insert_line, command.insert_text.rstrip("\n"))
        text = "\n".join(lines)
        self._put(file, _path(file), text if text.endswith("\n") else f"{text}\n")
        return f"The file {command.path} has been edited."

    @command
    def delete(self, command: Delete) -> str:
        path = _checked(command.path)
        if path == ROOT:
            raise ToolError(f"Cannot delete the {ROOT} directory itself")
        self.texts.delete(self._files(path) or _missing(command.path))
        return f"Successfully deleted {command.path}"

    @command
    def rename(self, command: Rename) -> str:
        old, new = _checked(command.old_path), _checked(command.new_path)
        if old == ROOT:
            raise ToolError(f"Cannot rename the {ROOT} directory itself")
        if new == ROOT or self._files(new):
            raise ToolError(f"The destination {command.new_path} already exists")
        if new.startswith(f"{old}/"):
            raise ToolError(f"Cannot rename {command.old_path} to a path inside itself")
        moving = self._files(old) or _missing(command.old_path)
        self._refuse_file_as_folder(new)
        self.texts.jay.view.whole_names([new])
        with self.texts.jay.view.store.transaction():
            for file in moving:
                name = new + _path(file).removeprefix(old)
                self.texts.jay.update(file.id, subject=name, title=name, metadata={"path": name})
        return f"Successfully renamed {command.old_path} to {command.new_path}"

    @command
    def clear_all_memory(self) -> str:
        self.texts.delete(self.texts.all())
        return "All memory cleared"

    def _put(self, old: Memory | None, path: str, text: str) -> Memory:
        return self.texts.put([NewText(old, path, text, {"path": path}, {"title": path})])[0]

    def _file(self, path: str) -> Memory | None:
        return self.texts.find(path, {"path": path})

    def _below(self, path: str) -> list[Memory]:
        found = [file for file in self.texts.all() if _path(file).startswith(f"{path}/")]
        return sorted(found, key=_path)

    def _files(self, path: str) -> list[Memory]:
        """The file of that path, or those of the folder."""
        file = self._file(path)
        return [file] if file is not None else self._below(path)

    def _existing(self, shown: str) -> Memory:
        path = _checked(shown)
        if (file := self._file(path)) is not None:
            return file
        if path == ROOT or self._below(path):
            raise ToolError(f"The path {shown} is not a file.")
        raise ToolError(f"The path {shown} does not exist. Please provide a valid path.")

    def _refuse_file_as_folder(self, path: str) -> None:
        while (path := posixpath.dirname(path)) != ROOT:
            if self._file(path):
                raise ToolError(f"The path {path} is a file, not a directory.")


class AsyncMemoryTool(BetaAsyncAbstractMemoryTool):
    """The same for an asynchronous client; the memory is read and written in worker threads."""

    def __init__(self, jay: Scrubjay, **options: Any) -> None:
        super().__init__(**options)
        self._tool = MemoryTool(jay)

    async def view(self, command: View) -> str:
        return await asyncio.to_thread(self._tool.view, command)

    async def create(self, command: Create) -> str:
        return await asyncio.to_thread(self._tool.create, command)

    async def str_replace(self, command: StrReplace) -> str:
        return await asyncio.to_thread(self._tool.str_replace, command)

    async def insert(self, command: Insert) -> str:
        return await asyncio.to_thread(self._tool.insert, command)

    async def delete(self, command: Delete) -> str:
        return await asyncio.to_thread(self._tool.delete, command)

    async def rename(self, command: Rename) -> str:
        return await asyncio.to_thread(self._tool.rename, command)

    async def clear_all_memory(self) -> str:
        return await asyncio.to_thread(self._tool.clear_all_memory)


def _checked(path: str) -> str:
    """The path without `.`, `..` and repeated slashes; raises ToolError if it does not lie below /memories."""
    if path != ROOT and not path.startswith(f"{ROOT}/"):
        raise ToolError(f"Path must start with {ROOT}, got: {path}")
    found = posixpath.normpath(path)
    if found != ROOT and not found.startswith(f"{ROOT}/"):
        raise ToolError(f"Path {path} would escape {ROOT} directory")
    if len(found) > SHORT_CHARACTERS:
        raise ToolError(f"Path {path[:40]}… is longer than {counted(SHORT_CHARACTERS, 'character')}")
    if not found.isprintable():
        raise ToolError(f"Path {path!r} has a control character")
    return found


def _missing(path: str) -> list[Memory]:
    raise ToolError(f"The path {path} does not exist")


def _path(file: Memory) -> str:
    """Empty for what an import brought that is no file of the tool: no model could have named it."""
    path = file.metadata.get("path")
    return path if isinstance(path, str) and path.isprintable() else ""


def _numbered_view(command: View, text: str) -> str:
    lines, first = text.split("\n"), 1
    if len(lines) > MAX_LINES:
        raise ToolError(f"File {command.path} exceeds maximum line limit of {counted(MAX_LINES, 'line')}.")
    if command.view_range and len(command.view_range) == 2:
        start, end = command.view_range
        first = max(1, start)
        lines = lines[first - 1 : None if end == -1 else end]
    return f"Here's the content of {command.path} with line numbers:\n{_numbered(lines, first)}"


def _numbered(lines: list[str], first: int) -> str:
    return "\n".join(f"{number:>{NUMBER_WIDTH}}\t{line}" for number, line in enumerate(lines, start=first))


def _lines_with(text: str, wanted: str) -> list[int]:
    """The line of each occurrence, also of those that overlap; of very many, the first."""
    lines: list[int] = []
    line, counted_to, start = 1, 0, text.find(wanted)
    while start >= 0 and len(lines) < MAX_OCCURRENCES:
        line += text.count("\n", counted_to, start)
        lines.append(line)
        counted_to, start = start, text.find(wanted, start + 1)
    return lines


def _sizes(files: dict[str, int]) -> dict[str, int]:
    """By name, as a sorted tree, the size of each file and folder that is listed: a folder has that of its files."""
    sizes: dict[tuple[str, ...], int] = {(): 0}
    for name, size in files.items():
        *folders, _ = parts = tuple(name.split("/")[1:])
        for depth in range(len(parts) + 1):
            key = (*parts[:depth], "") if 0 < depth <= len(folders) else parts[:depth]  # ends with a slash
            sizes[key] = sizes.get(key, 0) + size
    listed = [parts for parts in sorted(sizes) if len([part for part in parts if part]) <= DEPTH]
    return {"/".join(("", *parts)): sizes[parts] for parts in listed if not any(part.startswith(".") for part in parts)}


def _readable(size: int) -> str:
    power = min(max(size.bit_length() - 1, 0) // 10, len(UNITS) - 1)
    value = size / 1024**power
    return f"{value:.0f}{UNITS[power]}" if value == int(value) else f"{value:.1f}{UNITS[power]}"
