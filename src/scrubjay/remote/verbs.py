"""Every verb of the Python surface as an HTTP request. Server, client and description are made from this one table.

To add a verb: a row in `VERBS`. Its arguments are those of the method, with the same names and types: those in the path
as its braces say, the others in the query of a GET or DELETE, else in a JSON object. No word stands where the path of
another request has a name, which may be that word. A method that is not offered over HTTP stands in `LOCAL`, with the
reason.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from types import GenericAlias
from typing import Any, Literal, get_args

from scrubjay.api import Scrubjay
from scrubjay.types.tokens import Scope

__all__ = [
    "LOCAL",
    "LOCAL_ARGUMENTS",
    "PARTS",
    "PREFIX",
    "VERBS",
    "Verb",
    "class_of",
    "function_of",
    "parameters_of",
    "return_type",
    "type_of",
]

PREFIX = "/api/v1"
READ: tuple[Scope, ...] = ("read",)
WRITE: tuple[Scope, ...] = ("write",)
READ_WRITE: tuple[Scope, ...] = ("read", "write")  # its errors tell what is there
ADMIN: tuple[Scope, ...] = ("admin",)
# Arguments that make sense only where the memory is: a progress bar, a secret that is typed at a terminal.
# The token says who acts.
LOCAL_ARGUMENTS = frozenset({"self", "progress", "reading", "embedding", "allow_secret", "repair", "job", "actor"})
# Groups of methods, each with its class.
PARTS = {
    "tasks": "agents.tasks.Tasks",
    "sessions": "agents.sessions.Sessions",
    "sources": "sources.registry.Sources",
    "trash": "memory.trash.Trash",
    "tokens": "agents.tokens.Tokens",
    "profile": "records.Profile",
    "contacts": "records.Contacts",
    "projects": "records.Projects",
    "skills": "records.Skills",
}
# Names of types that the modules of these methods import for type checkers only.
TYPES = {
    "Changes": "agents.events.Changes",
    "Exported": "types.reports.Exported",
    "Imported": "types.reports.Imported",
    "Extracted": "upkeep.extract.Extracted",
    "Plan": "upkeep.synthesise.Plan",
    "Applied": "upkeep.synthesise.Applied",
    "Provider": "types.models.Provider",
    "Access": "types.reports.Access",
    "Check": "types.reports.Check",
    "Cleaned": "types.reports.Cleaned",
    "Stats": "types.reports.Stats",
    "Activity": "types.agents.Activity",
    "Context": "types.agents.Context",
    "Event": "types.agents.Event",
    "Session": "types.agents.Session",
    "Task": "types.agents.Task",
    "Excerpt": "types.documents.Excerpt",
    "Status": "types.documents.Status",
    "Synced": "types.documents.Synced",
    "Conflict": "types.history.Conflict",
    "History": "types.history.History",
    "Reverted": "types.history.Reverted",
    "Filled": "types.models.Filled",
}
# Arguments that are not sent, because they are the answer itself, or belong to a folder.
NOT_SENT = {"export": {"file"}, "import_file": {"prune"}}
IN_PATH = re.compile(r"\{(\w+)\}")

Shape = Mapping[str, str]
Stream = Literal["", "events", "download", "upload"]


@dataclass(frozen=True, slots=True, eq=False)
class Verb:
    """One method, and the request that calls it."""

    name: str  # of the method, e.g. "add", or "tasks.create"
    method: str
    path: str
    scopes: tuple[Scope, ...]
    answer: str | Shape  # a noun, or what stands at each key of the answer
    whole_file: bool = False  # it is about all spaces, and for tokens of all spaces only
    stream: Stream = ""  # what does not come in one piece: changes as they come, the file of an answer or of a request

    @property
    def in_path(self) -> tuple[str, ...]:
        return tuple(IN_PATH.findall(self.path))

    @property
    def has_body(self) -> bool:
        """Whether its arguments are in the body."""
        return self.method in ("POST", "PATCH") and not self.stream

    @property
    def writes(self) -> bool:
        return "write" in self.scopes or "admin" in self.scopes

    @property
    def is_kept(self) -> bool:
        """Whether its answer is kept for a request that is sent again; one with a secret is not, nor is a file."""
        return self.writes and "secret" not in self.answer and not self.stream

    @property
    def answers_with_deleted(self) -> bool:
        """Whether its answer says what it has deleted itself."""
        return self.method == "DELETE" or self.name == "cleanup"

    @property
    def may_be_repeated(self) -> bool:
        """Whether it may be sent again when the connection broke: to import again changes nothing."""
        return self.is_kept or not self.writes or bool(self.stream)


def _records(part: str, noun: str) -> tuple[Verb, ...]:
    """The verbs that all records have."""
    one = f"/{part}/{{of}}"
    return (
        Verb(f"{part}.list", "GET", f"/{part}", READ, {part: f"[{noun}]"}),
        Verb(f"{part}.create", "POST", f"/{part}", WRITE, noun),
        Verb(f"{part}.get", "GET", one, READ, noun),
        Verb(f"{part}.update", "PATCH", one, READ_WRITE, noun),
        Verb(f"{part}.delete", "DELETE", one, READ_WRITE, noun),
        Verb(f"{part}.history", "GET", f"{one}/history", READ, {"versions": "[version]"}),
        Verb(f"{part}.diff", "GET", f"{one}/diff", READ, {"differences": "[difference]"}),
        Verb(f"{part}.rollback", "POST", f"{one}/rollback", READ_WRITE, noun),
    )


ADDED_LIST = {"added": "[full added]"}
HISTORY = {"memories": "[memory]", "steps": "[step]", "edits": "[edit]", "links": "[link]"}
VERBS = (
    Verb("add", "POST", "/memories", WRITE, "full added"),
    Verb("add_many", "POST", "/memories/batch", WRITE, ADDED_LIST),
    Verb("add_each", "POST", "/memories/each", WRITE, {"outcomes": "[full added or refused]"}),
    Verb("list", "GET", "/memories", READ, {"memories": "[memory]", "next": "text or null"}),
    Verb("get", "GET", "/memories/{id}", READ, "memory"),
    Verb("get_many", "POST", "/memories/get", READ, {"memories": "[memory]"}),
    Verb("update", "PATCH", "/memories/{id}", WRITE, "memory"),
    Verb("supersede", "POST", "/memories/{id}/supersede", WRITE, "full added"),
    Verb("revert", "POST", "/memories/{id}/revert", WRITE, "reverted"),
    Verb("confirm", "POST", "/memories/{id}/confirm", WRITE, "memory"),
    Verb("delete", "DELETE", "/memories/{ids}", WRITE, {"deleted": "[id]"}),
    Verb("undelete", "POST", "/memories/{id}/undelete", WRITE, "memory"),
    Verb("link", "POST", "/memories/{id}/links", ("read", "write"), "link"),
    Verb("unlink", "DELETE", "/memories/{id}/links/{to}", WRITE, {"unlinked": "number"}),
    Verb("links", "GET", "/memories/{id}/links", READ, {"links": "[link]"}),
    Verb("rate", "POST", "/memories/{id}/rate", WRITE, "memory"),
    Verb("citations", "GET", "/memories/{id}/citations", READ, {"citations": "[cited]"}),
    Verb("history", "GET", "/history", READ, HISTORY),
    Verb("search", "POST", "/search", READ, "full results"),
    Verb("search_many", "POST", "/search/many", READ, {"answers": "[full results]"}),
    Verb("search_turns", "POST", "/search/turns", READ, "full results"),
    Verb("context", "POST", "/context", READ, "full context"),
    Verb("excerpt", "POST", "/excerpt", READ, "excerpt"),
    Verb("timeline", "GET", "/timeline", READ, {"events": "[event]"}),
    Verb("conflicts", "GET", "/conflicts", READ, {"conflicts": "[conflict]"}),
    Verb("dismiss", "POST", "/conflicts/dismiss", READ_WRITE, {}),
    Verb("activity", "GET", "/activity", ("read", "admin"), {"activity": "[activity]"}),
    Verb("events", "GET", "/events", READ, "memory change", stream="events"),
    Verb("spaces", "GET", "/spaces", READ, {"spaces": "[space]"}),
    Verb("kinds", "GET", "/kinds", READ, {"kinds": "[kind]"}),
    Verb("subjects", "GET", "/subjects", READ, {"subjects": "[subject]"}),
    Verb("tags", "GET", "/tags", READ, {"tags": "[tag]"}),
    Verb("filter_notes", "GET", "/filter-notes", READ, {"notes": "[text]"}),
    Verb("add_turns", "POST", "/sessions/{session}/turns", WRITE, ADDED_LIST),
    Verb("add_exchange", "POST", "/exchanges", WRITE, ADDED_LIST),
    Verb("capture", "POST", "/captures", WRITE, ADDED_LIST),
    Verb("sessions.list", "GET", "/sessions", READ, {"sessions": "[session]"}),
    Verb("sessions.start", "POST", "/sessions", WRITE, "session"),
    Verb("sessions.get", "GET", "/sessions/{name}", READ, "session"),
    Verb("sessions.end", "POST", "/sessions/{name}/end", WRITE, "session"),
    Verb("sessions.count", "POST", "/sessions/{name}/count", WRITE, "session"),
    Verb("sessions.turns", "GET", "/sessions/{name}/turns", READ, {"turns": "[memory]"}),
    Verb("tasks.list", "GET", "/tasks", READ, {"tasks": "[task]"}),
    Verb("tasks.create", "POST", "/tasks", WRITE, "task"),
    Verb("tasks.get", "GET", "/tasks/{id}", READ, "task"),
    Verb("tasks.update", "PATCH", "/tasks/{id}", WRITE, "task"),
    Verb("sources.list", "GET", "/sources", READ, {"sources": "[source]"}),
    Verb("sources.remove", "DELETE", "/sources/{name}", ADMIN, "changed"),
    Verb("sync", "POST", "/sync", READ_WRITE, "synced"),
    Verb("status", "GET", "/status", READ, "status"),
    Verb("providers", "GET", "/providers", ADMIN, {"providers": "[provider]"}, whole_file=True),
    Verb("extract", "POST", "/extract", READ_WRITE, "extracted"),
    Verb("synthesise", "POST", "/synthesise", ("read", "admin"), "plan"),
    Verb("apply", "POST", "/synthesise/apply", ("read", "admin"), "applied"),
    Verb("stats", "GET", "/stats", READ, "stats"),
    Verb("check", "POST", "/check", ADMIN, "check", whole_file=True),
    Verb("accesses", "GET", "/accesses", ("read", "admin"), {"accesses": "[access]"}),
    Verb("cleanup", "POST", "/cleanup", ("read", "admin"), {"removed": "[evicted]", "notes": "[text]"}),
    Verb("backfill", "POST", "/backfill", ADMIN, "filled", whole_file=True),
    Verb("export", "GET", "/export", ("read", "admin"), "exported", stream="download"),
    Verb("import_file", "POST", "/import", ("read", "write", "admin"), "imported", stream="upload"),
    Verb("trash.list", "GET", "/trash", ("read", "admin"), {"trash": "[trashed]"}),
    Verb("trash.empty", "POST", "/trash/empty", ADMIN, {"erased": "number"}),
    Verb("profile.get", "GET", "/profile", READ, {"value": "any"}),
    Verb("profile.set", "POST", "/profile/set", READ_WRITE, "version"),
    Verb("profile.unset", "POST", "/profile/unset", READ_WRITE, "version"),
    Verb("profile.merge", "POST", "/profile/merge", READ_WRITE, "version"),
    Verb("profile.history", "GET", "/profile/history", READ, {"versions": "[version]"}),
    Verb("profile.diff", "GET", "/profile/diff", READ, {"differences": "[difference]"}),
    Verb("profile.rollback", "POST", "/profile/rollback", READ_WRITE, "version"),
    *_records("contacts", "contact"),
    Verb("projects.here", "GET", "/projects-here", READ, "project record"),
    Verb("projects.sources", "GET", "/projects-sources", READ, {"sources": "[project source]"}),
    *_records("projects", "project record"),
    Verb("projects.set_source", "POST", "/projects/{of}/sources", READ_WRITE, "project source"),
    Verb("projects.remove_source", "DELETE", "/projects/{of}/sources/{system}", READ_WRITE, "project record"),
    Verb("skills.due", "GET", "/skills-due", READ, {"skills": "[skill]"}),
    *_records("skills", "skill"),
    Verb("skills.ran", "POST", "/skills/{of}/ran", READ_WRITE, "skill"),
    Verb("tokens.list", "GET", "/tokens", ADMIN, {"tokens": "[token]"}, whole_file=True),
    Verb("tokens.create", "POST", "/tokens", ADMIN, {"token": "token", "secret": "text"}, whole_file=True),
    Verb("tokens.revoke", "DELETE", "/tokens/{name}", ADMIN, "token", whole_file=True),
)
WRITES_THERE = "it writes a file on the machine that it runs on"
FOLDER_THERE = "a source is a folder of the server's machine: `scrubjay sync FOLDER` there"
BY_ITSELF = "the server does so by itself"
# Methods that are not offered over HTTP, each with the reason.
LOCAL = {
    "close": "it ends the use of a memory, here as there",
    "lend": "the token and the headers of a request say who asks",
    "warm_up": "a server has loaded its model",
    "setting": "settings belong to the machine that they are read on",
    "secrets": "those of a server are shown at its own terminal only",
    "sync_on": "a server syncs by its own settings",
    "reindex": "it takes long, and is for whoever runs the server: `scrubjay reindex`",
    "export_csv": WRITES_THERE,
    "export_markdown": WRITES_THERE,
    "backup": WRITES_THERE,
    "backup_daily": WRITES_THERE,
    "forget": "what cannot be taken back is decided where the memory is: `scrubjay forget` there",
    "sources.add": FOLDER_THERE,
    "sources.add_memory_files": FOLDER_THERE,
    "sources.add_instruction_files": FOLDER_THERE,
    "sources.add_place": FOLDER_THERE,
    "sources.found": FOLDER_THERE,
    "sources.named": "`sources.list` has them all",
    "sources.touched": "it serves watching, which the server does",
    "sources.taken_back_on_failure": "it is part of adding a source",
    "skills.read": "it reads a file of the machine that it runs on",
    "skills.write": WRITES_THERE,
    "trash.erase_due": BY_ITSELF,
    "trash.erase_traces": BY_ITSELF,
    "trash.erase_due_unasked": BY_ITSELF,
    "tokens.verify": "the server does so for each request",
}


def class_of(part: str) -> type[Any]:
    """The class of a group of methods; without a name, that of the memory itself."""
    found: type[Any] = _named(PARTS[part]) if part else Scrubjay
    return found


def function_of(name: str) -> Callable[..., Any]:
    """The method of that name."""
    part, _, own = name.rpartition(".")
    found: Callable[..., Any] = getattr(class_of(part), own)
    return found


@cache
def parameters_of(name: str) -> Mapping[str, inspect.Parameter]:
    """The arguments of a method that a request may carry."""
    known = inspect.signature(function_of(name)).parameters
    left_out = LOCAL_ARGUMENTS | NOT_SENT.get(name, set())
    return {argument: about for argument, about in known.items() if argument not in left_out}


def type_of(name: str, parameter: inspect.Parameter) -> Any:
    """The type of one argument; of `*ids: int`, the type of all together."""
    found = _evaluated(name, parameter.annotation)
    return GenericAlias(list, (found,)) if parameter.kind is parameter.VAR_POSITIONAL else found


@cache
def return_type(name: str) -> Any:
    """What a method returns."""
    return _evaluated(name, function_of(name).__annotations__["return"])


def _evaluated(name: str, annotation: Any) -> Any:
    if not isinstance(annotation, str):
        return annotation
    module = vars(sys.modules[function_of(name).__module__])
    only_checked = {short: _named(path) for short, path in TYPES.items() if short in annotation}
    return eval(annotation, {**only_checked, **module, **_record_type(name)})  # the annotation of our own code


def _record_type(name: str) -> dict[str, Any]:
    """What `R` stands for in the methods that all records have."""
    bases = getattr(class_of(name.rpartition(".")[0]), "__orig_bases__", ())
    return {"R": get_args(bases[0])[0]} if bases else {}


def _named(path: str) -> Any:
    module, _, name = path.rpartition(".")
    return getattr(import_module(f"scrubjay.{module}"), name)
