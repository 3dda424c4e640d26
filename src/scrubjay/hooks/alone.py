"""A hook that does its work itself, because no server of the memory is running."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from scrubjay.api import Scrubjay
from scrubjay.hooks.events import parse
from scrubjay.hooks.work import about, do
from scrubjay.opening import SERVER
from scrubjay.opening import open as open_memory

if TYPE_CHECKING:
    from scrubjay.hooks.command import Hook

__all__ = ["work_alone"]


def work_alone(fields: Mapping[str, str], data: bytes, hook: Hook) -> None:
    """Open the memory and do the work; `hook` is told the answer as soon as there is one."""
    request = parse(fields, data)
    hook.entry |= about(request)
    with ExitStack() as opened:

        def memory_of(folder: Path, project: str | None) -> Scrubjay:
            jay = opened.enter_context(open_memory(project=project, folder=folder, trust="agent"))
            if request.meaning in ("start", "prompt") and not jay.address.startswith(SERVER):
                jay.view.selection.begin_loading(jay.setting("hooks.wait"))
            return jay

        done = do(request, memory_of)
        hook.take(done.fields())
        if done.noting:
            done.noting()
        if done.later and request.meaning not in ("start", "prompt"):  # there a person waits for the end of the process
            done.later()
