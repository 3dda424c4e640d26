"""Commands that keep knowledge straight: conflicts, tasks, sessions."""

from __future__ import annotations

from typing import Any, cast

import click

from scrubjay import Invalid, Scrubjay, Session, Task
from scrubjay.interfaces import formatting
from scrubjay.interfaces.cli.app import Screen, fitting, memory_command, read_text, sync_on
from scrubjay.text.plural import counted

__all__: list[str] = []

STATUSES = ["pending", "in_progress", "completed", "cancelled"]
PRIORITIES = ["high", "normal", "low"]
TASK_OPTIONS = {
    "list": ("scope", "status", "priority", "due", "project", "everything"),
    "create": ("scope", "priority", "due", "note", "project", "redact"),
    "update": ("scope", "status", "priority", "due", "note", "clear", "redact"),
}
SESSION_OPTIONS = {"list": ("active",), "start": ("client", "redact"), "end": ("summary", "redact"), "export": ()}
REDACT = click.option("--redact", is_flag=True, help="Replace what looks like a secret instead of refusing it.")


@memory_command("conflicts")
@click.option("--dismiss", type=(int, int), metavar="OLDER NEWER", help="Say that these two do not contradict.")
def conflicts(jay: Scrubjay, screen: Screen, dismiss: tuple[int, int] | None) -> None:
    """List pairs that seem to contradict each other; settle one with `supersede`, or dismiss it.

    \b
    scrubjay conflicts
    scrubjay supersede 7 --by 9
    scrubjay conflicts --dismiss 7 9
    """
    if dismiss:
        jay.dismiss(*dismiss)
    pairs = jay.conflicts()
    rows = [
        [str(pair.older.id), str(pair.newer.id), f"{pair.score:.2f}", f"{pair.older.title} / {pair.newer.title}"]
        for pair in pairs
    ]
    text = formatting.columns(["older", "newer", "score", "what they say"], rows) or "There is no open conflict."
    screen.show({"conflicts": [formatting.plain(pair) for pair in pairs]}, text)


@memory_command("tasks", creates="create")
@click.argument("verb", type=click.Choice(["list", "create", "update"]), default="list")
@click.argument("words", nargs=-1)
@click.option("--scope", help="Whose task it is.  [default: user]")
@click.option("--status", type=click.Choice(STATUSES), help="Where it stands; for list, only these.")
@click.option("--priority", type=click.Choice(PRIORITIES), help="How pressing it is.  [default: normal]")
@click.option("--due", metavar="WHEN", help='Until when: a date, "next friday", …; for list, due by then.')
@click.option("--note", help="A remark on how it goes.")
@click.option("--project", help="What work it is about.")
@click.option("--clear", multiple=True, type=click.Choice(["due", "note"]), help="For update: empty this field.")
@click.option("--all", "everything", is_flag=True, help="For list: finished ones too.")
@REDACT
def tasks(jay: Scrubjay, screen: Screen, verb: str, words: tuple[str, ...], **given: Any) -> None:
    """List, create or update tasks; the list has the open ones, the most pressing first.

    A pending task can begin, be completed or cancelled; a finished one can only become pending again.

    \b
    scrubjay tasks create "Renew the certificate" --due 2027-01-31 --priority high
    scrubjay tasks update 7 --status completed --note "done by Ann"
    scrubjay tasks
    """
    asked = fitting(f"tasks {verb}", given, TASK_OPTIONS[verb])
    if verb == "create":
        _show_task(screen, jay.tasks.create(read_text(words, None), **asked))
    elif verb == "update":
        _show_task(screen, _updated(jay, words, asked))
    else:
        _show_tasks(screen, jay.tasks.list(**_wanted(words, asked)))


@memory_command("sessions", creates="start")
@click.argument("verb", type=click.Choice(["list", "start", "end", "export"]), default="list")
@click.argument("name", required=False)
@click.option("--summary", help="For end: what it came to; this becomes a memory.")
@click.option("--client", help="For start: which program runs it.")
@click.option("--active", is_flag=True, help="For list: only those that go on.")
@REDACT
def sessions(jay: Scrubjay, screen: Screen, verb: str, name: str | None, **given: Any) -> None:
    """List sessions, start and end one, or export what was said in one as a page of Markdown.

    \b
    scrubjay sessions start review --client codex
    scrubjay sessions end review --summary "Agreed on the new schema"
    scrubjay sessions export review > review.md
    scrubjay sessions
    """
    asked = fitting(f"sessions {verb}", given, SESSION_OPTIONS[verb])
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
    id = _number(words)
    if not set(asked) - {"redact"}:
        raise Invalid("Nothing to update; give at least one option, e.g. --status completed.")
    cleared: dict[str, Any] = dict.fromkeys(asked.pop("clear", ()))
    if both := sorted(set(cleared) & set(asked)):
        raise Invalid(f"Give --{both[0]} or --clear {both[0]}, not both.")
    return jay.tasks.update(id, **{**asked, **cleared})


def _wanted(words: tuple[str, ...], asked: dict[str, Any]) -> dict[str, Any]:
    """What `jay.tasks.list` calls the options of the list."""
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


def _number(words: tuple[str, ...]) -> int:
    if len(words) != 1 or not words[0].isdecimal():
        raise Invalid("Name the task by its id, e.g. `scrubjay tasks update 7 --status completed`.")
    return int(words[0])


def _show_task(screen: Screen, task: Task) -> None:
    screen.line(
        formatting.plain(task), f"Task {task.memory.id} is {task.status.replace('_', ' ')}: {task.memory.title}"
    )
    screen.notes(task.notes)


def _show_tasks(screen: Screen, found: list[Task]) -> None:
    rows = [
        [
            str(task.memory.id), task.status, task.priority, f"{task.due.astimezone():%Y-%m-%d}" if task.due else "",
            task.scope, task.memory.title,
        ]
        for task in found
    ]  # fmt: skip
    text = formatting.columns(["id", "status", "priority", "due", "scope", "task"], rows) or "There is nothing to do."
    screen.show({"tasks": [formatting.plain(task) for task in found]}, text)


def _show_session(screen: Screen, session: Session) -> None:
    state = "goes on" if session.ended_at is None else "has ended"
    screen.line(formatting.plain(session), f"Session {session.name} {state}: {counted(session.turns, 'turn')}")


def _export(jay: Scrubjay, screen: Screen, name: str) -> None:
    session, said = jay.sessions.get(name), jay.sessions.turns(name)
    data = {"session": formatting.plain(session), "turns": [formatting.memory_dict(turn) for turn in said]}
    screen.show(data, formatting.conversation(session, said))


def _show_sessions(screen: Screen, found: list[Session]) -> None:
    rows = [
        [
            session.name, f"{session.started_at.astimezone():%Y-%m-%d %H:%M}",
            "goes on" if session.ended_at is None else f"{session.ended_at.astimezone():%Y-%m-%d %H:%M}",
            str(session.turns), str(session.tool_calls), session.client or "",
        ]
        for session in found
    ]  # fmt: skip
    heads = ["name", "started", "ended", "turns", "tool calls", "client"]
    text = formatting.columns(heads, rows) or "There is no session."
    screen.show({"sessions": [formatting.plain(session) for session in found]}, text)
