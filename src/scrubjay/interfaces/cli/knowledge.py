"""Commands for conflicts, tasks and sessions."""

from __future__ import annotations

from typing import Any, cast

import click

from scrubjay import Invalid, Scrubjay, Session, Task
from scrubjay.dates.timestamps import in_local_time
from scrubjay.interfaces import formatting
from scrubjay.interfaces.cli.app import Screen, matching_options, memory_command, read_text, sync_on
from scrubjay.interfaces.cli.shared.completion import completing
from scrubjay.text.plural import counted
from scrubjay.types.limits import is_id

__all__: list[str] = []

STATUSES = ["pending", "in_progress", "completed", "cancelled"]
PRIORITIES = ["high", "normal", "low"]
TASK_OPTIONS = {
    "list": ("scope", "status", "priority", "due", "project", "everything"),
    "create": ("scope", "priority", "due", "note", "project", "redact"),
    "update": ("scope", "status", "priority", "due", "note", "clear", "redact"),
}
SESSION_OPTIONS = {
    "list": ("active", "file"),
    "start": ("client", "redact"),
    "end": ("summary", "redact"),
    "export": (),
}
REDACT = click.option("--redact", is_flag=True, help="Replace what looks like a secret instead of refusing it.")


@memory_command("conflicts")
@click.option(
    "--dismiss", type=(int, int), metavar="OLDER NEWER", help="Mark these two as not contradicting each other."
)
@click.option("--undo", is_flag=True, help="With --dismiss: they are to be decided after all.")
def conflicts(jay: Scrubjay, screen: Screen, dismiss: tuple[int, int] | None, undo: bool) -> None:
    """List memories that seem to contradict each other.

    Resolve a pair with `supersede`, or dismiss it.

    \b
    scrubjay conflicts
    scrubjay supersede 7 --by 9
    scrubjay conflicts --dismiss 7 9
    """
    if undo and not dismiss:
        raise Invalid("--undo belongs to --dismiss, e.g. `scrubjay conflicts --dismiss 7 9 --undo`.")
    if dismiss:
        jay.dismiss(*dismiss, undo=undo)
    pairs = jay.conflicts()
    rows = [
        [str(pair.older.id), str(pair.newer.id), f"{pair.score:.2f}", f"{pair.older.title} / {pair.newer.title}"]
        for pair in pairs
    ]
    text = formatting.table(["older", "newer", "score", "what they say"], rows) or "There are no open conflicts."
    screen.show({"conflicts": [formatting.to_dict(pair) for pair in pairs]}, text)


@memory_command("tasks", creates="create")
@click.argument("verb", type=click.Choice(["list", "create", "update"]), default="list")
@click.argument("words", nargs=-1)
@click.option("--scope", help="Whose task it is.  [default: user]")
@click.option("--status", type=click.Choice(STATUSES), help="The task's status; for list, only these.")
@click.option("--priority", type=click.Choice(PRIORITIES), help="How urgent it is.  [default: normal]")
@click.option("--due", metavar="WHEN", help='The due date: a date, "next friday", …; for list, due by then.')
@click.option("--note", help="A note on its progress.")
@click.option("--project", help="The project it belongs to.")
@click.option("--clear", multiple=True, type=click.Choice(["due", "note"]), help="For update: empty this field.")
@click.option("--all", "everything", is_flag=True, help="For list: finished ones too.")
@REDACT
def tasks(jay: Scrubjay, screen: Screen, verb: str, words: tuple[str, ...], **given: Any) -> None:
    """List, create or update tasks.

    The list shows the open ones, the most urgent first.

    A pending task can be started, completed or cancelled; a finished one can only become pending again.

    \b
    scrubjay tasks create "Renew the certificate" --due 2027-01-31 --priority high
    scrubjay tasks update 7 --status completed --note "done by Ann"
    scrubjay tasks
    """
    asked = matching_options(f"tasks {verb}", given, TASK_OPTIONS[verb])
    if verb == "create":
        _show_task(screen, jay.tasks.create(read_text(words, None), **asked))
    elif verb == "update":
        _show_task(screen, _updated(jay, words, asked))
    else:
        wanted = _list_arguments(words, asked)
        only_open = "statuses" not in wanted
        _show_tasks(screen, jay.tasks.list(**wanted), f"There are no {'open ' if only_open else ''}tasks.")


@memory_command("sessions", creates="start")
@click.argument("verb", type=click.Choice(["list", "start", "end", "export"]), default="list")
@click.argument("name", required=False, shell_complete=completing("session"))
@click.option("--summary", help="For end: a summary, which becomes a memory.")
@click.option("--client", help="For start: which program runs it.")
@click.option("--active", is_flag=True, help="For list: only active ones.")
@click.option("--file", metavar="PATH", help="For list: only those whose agent changed this file, e.g. auth.py.")
@REDACT
def sessions(jay: Scrubjay, screen: Screen, verb: str, name: str | None, **given: Any) -> None:
    """List sessions, start or end one, or export its conversation.

    \b
    scrubjay sessions start review --client codex
    scrubjay sessions end review --summary "Agreed on the new schema"
    scrubjay sessions export review > review.md
    scrubjay sessions --file auth.py
    """
    asked = matching_options(f"sessions {verb}", given, SESSION_OPTIONS[verb])
    if verb == "start":
        _show_session(screen, jay.sessions.start(name, **asked))
        sync_on(jay, "session_start")
    elif verb != "list" and name is None:
        raise Invalid(f"Name the session to {verb}, e.g. `scrubjay sessions {verb} review`.")
    elif verb == "end":
        _show_session(screen, jay.sessions.end(cast("str", name), **asked))
    elif verb == "export":
        _export(jay, screen, cast("str", name))
    elif name is not None:
        raise Invalid(f"`sessions list` takes no name; `scrubjay list --session {name}` shows what belongs to one.")
    else:
        _show_sessions(screen, jay.sessions.list(**asked))


def _updated(jay: Scrubjay, words: tuple[str, ...], asked: dict[str, Any]) -> Task:
    id = _task_id(words)
    if not set(asked) - {"redact"}:
        raise Invalid("Nothing to update; give at least one option, e.g. --status completed.")
    cleared: dict[str, Any] = dict.fromkeys(asked.pop("clear", ()))
    if both := sorted(set(cleared) & set(asked)):
        raise Invalid(f"Give --{both[0]} or --clear {both[0]}, not both.")
    return jay.tasks.update(id, **{**asked, **cleared})


def _list_arguments(words: tuple[str, ...], asked: dict[str, Any]) -> dict[str, Any]:
    """The options of the list as arguments of `jay.tasks.list`."""
    if words:
        raise Invalid("`tasks list` takes options only; find a task by its words with `scrubjay search --kind task`.")
    everything, status = asked.pop("everything", False), asked.pop("status", None)
    if everything and status:
        raise Invalid("Give --all or --status, not both.")
    if everything or status:
        asked["statuses"] = (status,) if status else ()
    if "due" in asked:
        asked["due_before"] = asked.pop("due")
    return asked


def _task_id(words: tuple[str, ...]) -> int:
    if len(words) != 1 or not is_id(words[0]):
        raise Invalid("Name the task by its id, e.g. `scrubjay tasks update 7 --status completed`.")
    return int(words[0])


def _show_task(screen: Screen, task: Task) -> None:
    screen.line(
        formatting.to_dict(task), f"Task {task.memory.id} is {task.status.replace('_', ' ')}: {task.memory.title}"
    )
    screen.notes(task.notes)


def _show_tasks(screen: Screen, found: list[Task], nothing: str) -> None:
    rows = [
        [
            str(task.memory.id), task.status, task.priority, f"{in_local_time(task.due):%Y-%m-%d}" if task.due else "",
            task.scope, task.memory.title,
        ]
        for task in found
    ]  # fmt: skip
    text = formatting.table(["id", "status", "priority", "due", "scope", "task"], rows) or nothing
    screen.show({"tasks": [formatting.to_dict(task) for task in found]}, text)


def _show_session(screen: Screen, session: Session) -> None:
    state = "is active" if session.ended_at is None else "has ended"
    screen.line(formatting.to_dict(session), f"Session {session.name} {state}: {counted(session.turns, 'turn')}")


def _export(jay: Scrubjay, screen: Screen, name: str) -> None:
    session, turns = jay.sessions.get(name), jay.sessions.turns(name)
    data = {"session": formatting.to_dict(session), "turns": [formatting.memory_dict(turn) for turn in turns]}
    screen.show(data, formatting.conversation(session, turns))


def _show_sessions(screen: Screen, found: list[Session]) -> None:
    rows = [
        [
            session.name, f"{in_local_time(session.started_at):%Y-%m-%d %H:%M}",
            "active" if session.ended_at is None else f"{in_local_time(session.ended_at):%Y-%m-%d %H:%M}",
            str(session.turns), str(session.tool_calls), session.client or "",
            session.title or "",
        ]
        for session in found
    ]  # fmt: skip
    heads = ["name", "started", "ended", "turns", "tool calls", "client", "title"]
    text = formatting.table(heads, rows) or "There are no sessions."
    screen.show({"sessions": [formatting.to_dict(session) for session in found]}, text)
