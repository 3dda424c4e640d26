"""Commands that keep knowledge straight: conflicts, tasks, sessions."""

from __future__ import annotations

from typing import Any

import click

from scrubjay import Invalid, Scrubjay, Session, Task
from scrubjay.doors import render
from scrubjay.doors.cli.app import Screen, memory_command, read_text

__all__: list[str] = []

STATUSES = ["pending", "in_progress", "completed", "cancelled"]
PRIORITIES = ["high", "normal", "low"]


@memory_command("conflicts")
@click.option("--dismiss", type=(int, int), metavar="OLDER NEWER", help="Say that these two do not contradict.")
def conflicts(jay: Scrubjay, screen: Screen, dismiss: tuple[int, int] | None) -> None:
    """List pairs that seem to contradict each other; settle one with `supersede`, or dismiss it.

    \b
    scrubjay conflicts
    scrubjay conflicts --dismiss 7 9
    """
    if dismiss:
        jay.dismiss(*dismiss)
    pairs = jay.conflicts()
    rows = [
        [str(pair.older.id), str(pair.newer.id), f"{pair.score:.2f}", f"{pair.older.title} / {pair.newer.title}"]
        for pair in pairs
    ]
    text = render.columns(["older", "newer", "score", "what they say"], rows) or "There is no open conflict."
    screen.show({"conflicts": [render.plain(pair) for pair in pairs]}, text)


@memory_command("tasks", creates=True)
@click.argument("verb", type=click.Choice(["list", "create", "update"]), default="list")
@click.argument("words", nargs=-1)
@click.option("--scope", help="Whose task it is.  [default: user]")
@click.option("--status", type=click.Choice(STATUSES), help="Where it stands; for list, only these.")
@click.option("--priority", type=click.Choice(PRIORITIES))
@click.option("--due", metavar="WHEN", help="Until when; for list, due by then.")
@click.option("--note", help="A remark on how it goes.")
@click.option("--project", help="What work it is about.")
@click.option("--all", "everything", is_flag=True, help="For list: finished ones too.")
def tasks(jay: Scrubjay, screen: Screen, verb: str, words: tuple[str, ...], everything: bool, **given: Any) -> None:
    """List, create or update tasks.

    \b
    scrubjay tasks create "Renew the certificate" --due 2027-01-31 --priority high
    scrubjay tasks update 7 --status completed --note "done by Ann"
    scrubjay tasks
    """
    asked = {name: value for name, value in given.items() if value is not None}
    if verb == "create":
        _show_task(screen, jay.tasks.create(read_text(words, None), **asked))
    elif verb == "update":
        _show_task(screen, jay.tasks.update(_number(words), **asked))
    else:
        if everything or "status" in asked:
            asked["statuses"] = () if everything else (asked.pop("status"),)
        if "due" in asked:
            asked["due_before"] = asked.pop("due")
        _show_tasks(screen, jay.tasks.list(**asked))


@memory_command("sessions", creates=True)
@click.argument("verb", type=click.Choice(["list", "start", "end"]), default="list")
@click.argument("name", required=False)
@click.option("--summary", help="For end: what it came to; this becomes a memory.")
@click.option("--client", help="For start: which program runs it.")
@click.option("--active", is_flag=True, help="For list: only those that go on.")
def sessions(
    jay: Scrubjay, screen: Screen, verb: str, name: str | None, summary: str | None, client: str | None, active: bool
) -> None:
    """List sessions, or start and end one.

    \b
    scrubjay sessions start review --client codex
    scrubjay sessions end review --summary "Agreed on the new schema"
    """
    if verb == "start":
        _show_session(screen, jay.sessions.start(name, client=client))
    elif verb == "end":
        if name is None:
            raise Invalid("Name the session to end, e.g. `scrubjay sessions end review`.")
        _show_session(screen, jay.sessions.end(name, summary))
    else:
        _show_sessions(screen, jay.sessions.list(active=True if active else None))


def _number(words: tuple[str, ...]) -> int:
    if len(words) != 1 or not words[0].isdecimal():
        raise Invalid("Name the task by its id, e.g. `scrubjay tasks update 7 --status completed`.")
    return int(words[0])


def _show_task(screen: Screen, task: Task) -> None:
    screen.show(render.plain(task), f"Task {task.memory.id} is {task.status.replace('_', ' ')}: {task.memory.title}")


def _show_tasks(screen: Screen, found: list[Task]) -> None:
    rows = [
        [
            str(task.memory.id), task.status, task.priority, f"{task.due.astimezone():%Y-%m-%d}" if task.due else "",
            task.scope, task.memory.title,
        ]
        for task in found
    ]  # fmt: skip
    text = render.columns(["id", "status", "priority", "due", "scope", "task"], rows) or "There is nothing to do."
    screen.show({"tasks": [render.plain(task) for task in found]}, text)


def _show_session(screen: Screen, session: Session) -> None:
    state = "goes on" if session.ended_at is None else "has ended"
    screen.show(render.plain(session), f"Session {session.name} {state}: {session.turns} turns")


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
    text = render.columns(heads, rows) or "There is no session."
    screen.show({"sessions": [render.plain(session) for session in found]}, text)
