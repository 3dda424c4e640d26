"""Completion of names in the shell: those that the memory has, without creating, changing or asking anything."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click
from click.shell_completion import BashComplete, CompletionItem, add_completion_class

from scrubjay import config
from scrubjay.project import trust as project_trust
from scrubjay.text.kinds import KNOWN

if TYPE_CHECKING:
    from scrubjay import Scrubjay

__all__ = ["NamedThing", "completing"]

NamedThing = Literal["space", "kind", "subject", "tag", "session", "source"]
MOST_SESSIONS = 200

# Bash puts a reply into the command line as it is: unquoted, a name such as `$(…)` would be run with the command.
BASH = """\
%(complete_func)s() {
    local IFS=$'\\n' type value
    while IFS=, read -r type value; do
        case $type in
            dir) compopt -o dirnames ;;
            file) compopt -o default ;;
            plain) printf -v value %%q "$value"; COMPREPLY+=("$value") ;;
        esac
    done < <(env COMP_WORDS="${COMP_WORDS[*]}" COMP_CWORD=$COMP_CWORD %(complete_var)s=bash_complete "$1")
}
complete -o nosort -F %(complete_func)s %(prog_name)s
"""

Complete = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]


@add_completion_class
class QuotingBash(BashComplete):
    """Completion for Bash; the other shells quote what they are given."""

    source_template = BASH


def completing(what: NamedThing) -> Complete:
    """What completes an option or argument that takes such a name."""

    def complete(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
        names: Iterable[str] = KNOWN if what == "kind" else ()
        with suppress(Exception):  # a shell shows no errors while somebody types
            names = dict.fromkeys([*_names(what, context), *names])
        return [CompletionItem(name) for name in names if name.startswith(incomplete) and name.isprintable()]

    return complete


def _names(what: NamedThing, context: click.Context) -> Iterable[str]:
    import scrubjay

    store, here = context.params.get("store"), Path.cwd()
    if not (Path(store) if store else _usual_file(here)).exists():
        return ()
    with scrubjay.open(store, space=context.params.get("space"), folder=here) as jay:
        return list(_of(jay, what))


def _usual_file(here: Path) -> Path:
    project = project_trust.find(here)
    named = config.load(project.folder if project and project.is_trusted else None).get("store")
    return Path(named).expanduser() if named else config.data_folder() / config.STORE_FILE


def _of(jay: Scrubjay, what: NamedThing) -> Iterable[str]:
    match what:
        case "space":
            return jay.spaces()
        case "kind":
            return jay.kinds()
        case "subject":
            return jay.subjects()
        case "tag":
            return jay.tags()
        case "session":
            return (session.name for session in jay.sessions.list(limit=MOST_SESSIONS))
        case "source":
            return (source.name for source in jay.sources.list())
