"""Completion of names in the shell: those that the memory has, without creating, changing or asking anything."""

from __future__ import annotations

import os
import re
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

# Bash puts a reply into the command line as it is: names are quoted for it below, not by its `printf %q`, which writes
# $'…' where the locale lacks a letter, and a command in that would be run between double quotes.
BASH = """\
%(complete_func)s() {
    local IFS=$'\\n' line
    while read -r line; do
        case ${line%%%%,*} in
            dir) compopt -o dirnames ;;
            file) compopt -o default ;;
            plain) COMPREPLY+=("${line#*,}") ;;
        esac
    done < <(env COMP_WORDS="${COMP_WORDS[*]}" COMP_CWORD=$COMP_CWORD %(complete_var)s=bash_complete "$1")
}
complete -o nosort -F %(complete_func)s %(prog_name)s
"""
# In whatever quotes a name stands, with a backslash before each sign nothing of it is run.
ANYWHERE = re.compile(r"([^\w@%+=:,./-])")
IN_DOUBLE_QUOTES = re.compile(r'([$`"\\])')

Complete = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]


@add_completion_class
class QuotingBash(BashComplete):
    """Completion for Bash; the other shells quote what they are given."""

    source_template = BASH

    def format_completion(self, item: CompletionItem) -> str:
        words, number = os.environ["COMP_WORDS"].split("\n"), int(os.environ["COMP_CWORD"])
        return f"{item.type},{_quoted(str(item.value), ''.join(words[number : number + 1]))}"


def _quoted(name: str, word: str) -> str:
    """A name as Bash reads it in the place of a word that is being typed, in which a quotation mark may be open."""
    opened = word[:1] if word.count(word[:1]) == 1 else ""
    if opened == "'":
        return name.replace("'", "'\\''")
    return (IN_DOUBLE_QUOTES if opened == '"' else ANYWHERE).sub(r"\\\1", name)


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
