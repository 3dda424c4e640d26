"""Is each client set up: is it on this machine, are our entries right, does the server answer, do the hooks run?"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from scrubjay.clients import NAMES, Client, OwnFile, Place, Server, Setting, Written, load
from scrubjay.clients.install import apply, plan_install, settings_of
from scrubjay.clients.program import our_program
from scrubjay.clients.settings import files
from scrubjay.clients.settings.edits import entry_value
from scrubjay.clients.settings.formats import format_of, text_of
from scrubjay.clients.settings.jsonc import BrokenText
from scrubjay.doctor import Finding, failed, fine, note
from scrubjay.doctor.server import ask_command, ask_url
from scrubjay.errors import Invalid
from scrubjay.files import json_log
from scrubjay.files.user_folders import hooks_log
from scrubjay.text.plural import counted

__all__ = ["look_at_clients"]

FAILED = ("failed", "late")
URL_KEYS = ("url", "httpUrl", "serverUrl")
HEADER_KEYS = ("headers", "http_headers")


def look_at_clients(place: Place) -> Iterator[Finding]:
    """What is found about every client, for the user's own settings."""
    program, log = our_program(), _last_events()
    ask = cache(lambda command: ask_command(command, place.environ))
    for client in map(load, NAMES):
        try:
            yield from _look_at(client, place, program, log, ask)
        except Invalid as problem:
            yield failed(client.name, str(problem), "Correct that file, then `scrubjay doctor` again.")


def _look_at(
    client: Client, place: Place, program: Sequence[str], log: Mapping[tuple[str, str], Any], ask: Callable[..., str]
) -> Iterator[Finding]:
    server = Server((*program, "mcp"))
    mcp = settings_of(client, place, server, program, hooks=False)
    hooks = settings_of(client, place, server, program, mcp=False)
    installed = [_value(one) is not None for one in (*mcp, *hooks) if not _is_shared(one)]
    if not any(installed):
        is_here = client.is_here(place)
        found = f"{client.title} is not set up." if is_here else f"{client.title} is not on this machine."
        yield note(client.name, found, f"`scrubjay install {client.name}`" if is_here else "")
        return
    yield from (finding for one in mcp for finding in _mcp(client, one, ask))
    yield from _hooks(client, hooks)
    if any(_value(one) is not None for one in hooks if not _is_shared(one)):
        yield from _events(client, log)


def _mcp(client: Client, wanted: Written, ask: Callable[..., str]) -> Iterator[Finding]:
    assert isinstance(wanted, Setting)
    found = _value(wanted)
    install = f"`scrubjay install {client.name} --no-hooks`"
    if not isinstance(found, dict):
        yield note(client.name, f"{client.title} has no MCP server of ours.", install)
        return
    url = next((found[key] for key in URL_KEYS if key in found), None)
    headers: Any = next((found[key] for key in HEADER_KEYS if key in found), {})
    is_right = _are_texts(url, headers) if url else wanted.entry.merge(found, wanted.entry.value) == found
    if not is_right:
        text = f"The MCP entry in {wanted.file} is not the one of this installation."
        yield failed(client.name, text, install, lambda: apply(plan_install(client, [wanted])))
        return
    problem = ask_url(url, headers) if url else ask(tuple(_command(found)))
    if problem:
        remedy = f"`scrubjay install {client.name} --server {url} --token …`" if url else install
        yield failed(client.name, f"The MCP server does not answer: {problem}.", remedy)
    else:
        yield fine(client.name, "The MCP entry is right, and the server answers.")


def _are_texts(url: Any, headers: Any) -> bool:
    return isinstance(headers, dict) and all(isinstance(one, str) for one in (url, *headers.values()))


def _hooks(client: Client, wanted: Sequence[Written]) -> Iterator[Finding]:
    needed = [one for one in wanted if not _is_shared(one)]
    wrong = [one for one in needed if not _is_right(one)]
    there = [one for one in needed if _value(one) is not None]
    install = f"`scrubjay install {client.name} --no-mcp`"
    if needed and not there:
        yield note(client.name, "No hooks: it remembers and reminds only when asked to.", install)
    elif wrong:
        text = f"{len(wrong)} of {counted(len(needed), 'hook')} missing or of another installation."
        yield failed(client.name, text, install, lambda: apply(plan_install(client, wanted)))
    elif needed:
        yield fine(client.name, f"{counted(len(client.events), 'hook')} set up.")


def _events(client: Client, log: Mapping[tuple[str, str], Any]) -> Iterator[Finding]:
    """When each hook last ran; the last run of one that failed is something to look at."""
    for event in client.events:
        last = log.get((client.name, event))
        if last is None:
            continue
        text = f"{event} last ran {last.get('at', '')}: {last.get('outcome', '')}, {last.get('ms', 0)} ms."
        if last.get("outcome") in FAILED:
            yield note(client.name, f"{text} {last.get('reason', '')}".strip(), "`scrubjay activity` says more.")
        else:
            yield fine(client.name, text)
    if not any((client.name, event) in log for event in client.events):
        yield note(client.name, "No hook has run yet.", client.after_install or f"Start {client.title}.")


def _last_events() -> dict[tuple[str, str], Any]:
    """The newest line of the log for each client and event."""
    last: dict[tuple[str, str], Any] = {}
    for entry in json_log.newest_first(hooks_log()):
        last.setdefault((str(entry.get("client")), str(entry.get("event"))), entry)
    return last


def _value(wanted: Written) -> Any:
    """What the client's file has in the place of what we would write."""
    data = files.read(wanted.file)
    if data is None:
        return None
    if isinstance(wanted, OwnFile):
        return data.decode("utf-8", "replace")
    try:
        return entry_value(format_of(wanted.file).data(text_of(wanted.file, data)), wanted.entry)
    except BrokenText as problem:
        raise Invalid(f"{wanted.file} cannot be read ({problem}).") from None


def _is_right(wanted: Written) -> bool:
    expected = wanted.text if isinstance(wanted, OwnFile) else wanted.entry.value
    return bool(_value(wanted) == expected)


def _is_shared(wanted: Written) -> bool:
    return isinstance(wanted, Setting) and wanted.entry.is_shared


def _command(entry: Mapping[str, Any]) -> list[str]:
    command, arguments = entry.get("command"), entry.get("args", [])
    return [*([command] if isinstance(command, str) else command or []), *arguments]
