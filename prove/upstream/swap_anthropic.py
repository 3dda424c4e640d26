"""A plugin for pytest: Anthropic's memory tools on disk are ours; the folder that the tests look at mirrors them."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anthropic.lib.tools._beta_builtin_memory_tool as builtin
from anyio import Path as AsyncPath

import scrubjay
from scrubjay.adapters.anthropic import AsyncMemoryTool, MemoryTool

COMMANDS = ("view", "create", "str_replace", "insert", "delete", "rename", "clear_all_memory")


class Mirror:
    """A folder with the files of a memory: what a test writes there is read, and what a command changes is written."""

    def __init__(self, tool: MemoryTool, base: str) -> None:
        self.tool, self.base, self.root = tool, Path(base), Path(base) / "memories"
        self.root.mkdir(parents=True, exist_ok=True)

    def read(self) -> None:
        for name, path in self._files().items():
            text, old = path.read_bytes().decode(), self.tool._file(name)
            if old is None or self.tool.texts.text_of(old) != text:
                self.tool._put(old, name, text)

    def write(self) -> None:
        for path in self._files().values():
            path.unlink()
        for folder in sorted(self.root.rglob("*"), reverse=True):
            if folder.is_dir() and not folder.is_symlink():
                folder.rmdir()
        for file in self.tool.texts.all():
            path = self.base / str(file.metadata["path"]).lstrip("/")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(self.tool.texts.text_of(file).encode())

    def _files(self) -> dict[str, Path]:
        paths = [path for path in self.root.rglob("*") if path.is_file() and not path.is_symlink()]
        return {f"/{path.relative_to(self.base)}": path for path in paths}


class SyncTool(MemoryTool):
    def __init__(self, base_path: str) -> None:
        super().__init__(scrubjay.open(":memory:", embedder="none"))
        self.base_path, self.mirror = base_path, Mirror(self, base_path)
        self.memory_root = self.mirror.root


class AsyncTool(AsyncMemoryTool):
    def __init__(self, base_path: str) -> None:
        super().__init__(scrubjay.open(":memory:", embedder="none"))
        self.base_path, self.mirror = base_path, Mirror(self._tool, base_path)
        self.memory_root = AsyncPath(self.mirror.root)


def mirrored(command: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(command)
    def run(tool: Any, *args: Any) -> Any:
        tool.mirror.read()
        try:
            return command(tool, *args)
        finally:
            tool.mirror.write()

    return run


def mirrored_async(command: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(command)
    async def run(tool: Any, *args: Any) -> Any:
        tool.mirror.read()
        try:
            return await command(tool, *args)
        finally:
            tool.mirror.write()

    return run


for name in COMMANDS:
    setattr(SyncTool, name, mirrored(getattr(MemoryTool, name)))
    setattr(AsyncTool, name, mirrored_async(getattr(AsyncMemoryTool, name)))
builtin.BetaLocalFilesystemMemoryTool = SyncTool  # type: ignore[assignment, misc]
builtin.BetaAsyncLocalFilesystemMemoryTool = AsyncTool  # type: ignore[assignment, misc]
