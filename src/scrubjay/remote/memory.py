"""The memory of a server, with the methods of a local one: each sends the request that remote/verbs.py names."""

from __future__ import annotations

import builtins
import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any, BinaryIO, Unpack

from scrubjay import config
from scrubjay.agents.events import Changes
from scrubjay.api import Scrubjay
from scrubjay.errors import Invalid, ScrubjayError
from scrubjay.memory.arguments import several
from scrubjay.memory.fields import Fields
from scrubjay.memory.filters import Filters, SearchOptions
from scrubjay.memory.view import View
from scrubjay.models.embedding import Progress
from scrubjay.remote import streams
from scrubjay.remote.connection import Connection
from scrubjay.remote.verbs import LOCAL, LOCAL_ARGUMENTS, PARTS, VERBS, Verb, class_of, function_of, parameters_of
from scrubjay.types import Added, Memory, Results, Trust
from scrubjay.types.limits import parts_of, parts_of_items
from scrubjay.types.reports import Exported, Imported

__all__ = ["RemoteScrubjay", "open_server"]

HERE_ONLY = "{} is not possible on the memory of a server: {}."
SEARCH_MANY = next(verb for verb in VERBS if verb.name == "search_many")
ADD_EACH = next(verb for verb in VERBS if verb.name == "add_each")
UNHEARD = frozenset({"self", "progress", "reading", "embedding", "actor"})  # do no harm where nobody hears them


def _method(verb: Verb) -> Callable[..., Any]:
    function = function_of(verb.name)
    signature = inspect.signature(function)

    @functools.wraps(function)
    def call(self: _Caller, *args: Any, **options: Any) -> Any:
        known = {name: value for name, value in options.items() if name in signature.parameters}
        given = dict(signature.bind_partial(self, *args, **known).arguments)
        for name in LOCAL_ARGUMENTS - UNHEARD:
            if given.get(name):
                raise Invalid(HERE_ONLY.format(f"{verb.name}({name}=…)", "it is for whoever runs the server"))
        unknown = {name: value for name, value in options.items() if name not in known}  # the server says what it has
        sent = {name: value for name, value in given.items() if name in parameters_of(verb.name)}
        return self._ask(verb, sent | unknown)

    return call


def _refusal(name: str, reason: str) -> Callable[..., Any]:
    def refuse(self: Any, *args: Any, **options: Any) -> Any:
        raise Invalid(HERE_ONLY.format(name, reason))

    return refuse


def open_server(url: str, token: str | None, space: str | None, project: str | None) -> Scrubjay:
    """The memory of a server; without a space, the first that the token is for."""
    return RemoteScrubjay(Connection(url, token, space, project))


class _Caller:
    """Whatever sends requests over a connection."""

    _connection: Connection
    _defaults: Mapping[str, Any]

    def _ask(self, verb: Verb, arguments: dict[str, Any]) -> Any:
        takes = (
            parameters_of(verb.name) if verb.writes and verb.name != "update" else {}
        )  # of what is made, not changed
        defaults = {name: value for name, value in self._defaults.items() if name in takes and value is not None}
        return self._connection.call(verb, defaults | arguments)


def _methods(part: str) -> dict[str, Callable[..., Any]]:
    """The methods of a group, or without a name those of the memory itself."""
    start = f"{part}." if part else ""
    own = [verb for verb in VERBS if verb.name.rpartition(".")[0] == part]
    left_out = {name: reason for name, reason in LOCAL.items() if name.rpartition(".")[0] == part}
    refused = {name.removeprefix(start): _refusal(name, reason) for name, reason in left_out.items()}
    return refused | {verb.name.removeprefix(start): _method(verb) for verb in own}


@functools.cache
def _part(name: str) -> type:
    def begin(self: Any, connection: Connection, defaults: Mapping[str, Any]) -> None:
        self._connection, self._defaults = connection, defaults

    local, methods = class_of(name), _methods(name)
    if name == "sources":
        methods["taken_back_on_failure"] = nullcontext  # no source is added to a server from elsewhere
    return type(f"Remote{local.__name__}", (_Caller, local), {**methods, "__init__": begin})


class RemoteScrubjay(_Caller, Scrubjay):
    """One memory of a server, seen from one space."""

    def __init__(self, connection: Connection, defaults: Mapping[str, Any] | None = None) -> None:
        self._connection, self._defaults = connection, defaults or {}
        self.notes = ()

    def __repr__(self) -> str:
        return f"<Scrubjay {self._connection.url!r}, space {self._connection.space or 'of the token'!r}>"

    def close(self) -> None:
        self._connection.close()

    @property
    def view(self) -> View:
        raise Invalid(HERE_ONLY.format("That", "its rows are on the server's machine"))

    @property
    def address(self) -> str:
        return self._connection.url

    @property
    def space(self) -> str:
        if self._connection.space is None:
            self._connection.space = self.stats().space
        return self._connection.space

    @property
    def project(self) -> str | None:
        return self._connection.project

    @property
    def trust(self) -> Trust:
        found: Trust = self._defaults.get("trust", "agent")
        return found

    @property
    def actor(self) -> str | None:
        return None  # the token's name, which the server knows

    def lend(
        self, *, space: str | None = None, restores_only_own: bool = False, **signed: Unpack[Fields]
    ) -> Scrubjay:  # what its token may restore, the server knows
        return RemoteScrubjay(self._connection.with_space(space, signed.get("project")), signed)

    def search_many(self, queries: Sequence[str], **asked: Unpack[SearchOptions]) -> builtins.list[Results]:
        """As many at once as one request takes."""
        limit = asked.get("limit")
        parts = parts_of(several("queries", queries), limit if isinstance(limit, int) else None)
        return [found for part in parts for found in self._ask(SEARCH_MANY, {"queries": part, **asked})]

    def add_each(
        self, items: Sequence[Mapping[str, Any]], *, redact: bool = False, progress: Progress | None = None
    ) -> builtins.list[Added | ScrubjayError]:
        """As many at once as one request takes. If one fails after others were answered, that is the outcome of its
        items and of those behind them, which are not sent."""
        whole = several("items", items)
        outcomes: builtins.list[Added | ScrubjayError] = []
        for part in parts_of_items(whole):
            try:
                outcomes += self._ask(ADD_EACH, {"items": part, "redact": redact})
            except ScrubjayError as problem:
                if not outcomes:
                    raise
                return [*outcomes, *(problem for _ in whole[len(outcomes) :])]
        return outcomes

    def events(
        self, *, after: str | None = None, spaces: Sequence[str] | None = None, follow: bool = True
    ) -> Changes:  # fmt: skip
        asked = {"after": after, "spaces": spaces, "follow": follow}
        return streams.events(self._connection, {name: value for name, value in asked.items() if value is not None})

    def export(
        self, file: str | Path | BinaryIO, *, vectors: bool = False, all_spaces: bool = False,
        progress: Progress | None = None, **filters: Unpack[Filters],
    ) -> Exported:  # fmt: skip
        return streams.export(self._connection, file, {**filters, "vectors": vectors, "all_spaces": all_spaces})

    def import_file(
        self, file: str | Path, *, dry_run: bool = False, trust_file: bool = False, all_spaces: bool = False,
        redact: bool = False, prune: bool = False, progress: Progress | None = None,
    ) -> Imported:  # fmt: skip
        if prune:
            raise Invalid(HERE_ONLY.format("import_file(prune=…)", "it is for a folder where the memory is"))
        asked = {"dry_run": dry_run, "trust_file": trust_file, "all_spaces": all_spaces, "redact": redact}
        return streams.import_file(self._connection, Path(file).expanduser(), asked)

    def warm_up(self) -> None:
        """A server has loaded its model."""

    def setting(self, key: str) -> Any:
        return config.load().get(key, self.space)

    def sync_on(self, event: str) -> None:
        """A server syncs by its own settings."""

    def secrets(self) -> list[Memory]:
        """None: those of a server are shown at its own terminal only."""
        return []


def _complete(remote: type[RemoteScrubjay]) -> None:
    """Give it every method of a local memory that it does not have itself."""
    for name, method in _methods("").items():
        if name not in vars(remote):
            setattr(remote, name, method)
    for part in PARTS:
        setattr(remote, part, property(functools.partial(_part_of, part)))


def _part_of(part: str, memory: RemoteScrubjay) -> Any:
    return _part(part)(memory._connection, memory._defaults)


_complete(RemoteScrubjay)
