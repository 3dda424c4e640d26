"""The command that forgets for good: a preview, a question, and a certificate."""

from __future__ import annotations

from typing import Any

import click

from scrubjay import Invalid, Scrubjay
from scrubjay.interfaces import formatting
from scrubjay.interfaces.cli.app import Screen, may_go_on, memory_command
from scrubjay.text.plural import counted
from scrubjay.text.safe_text import one_line
from scrubjay.types.reports import Forgotten

__all__: list[str] = []

DERIVED = "Also what they replaced, what replaced them, what was extracted from them."


@memory_command("forget")
@click.argument("ids", nargs=-1, type=int)
@click.option("--subject", help="All about this.")
@click.option("--session", help="All of this session.")
@click.option("--since", metavar="WHEN", help="All from this time on.")
@click.option("--until", metavar="WHEN", help="All up to this time.")
@click.option("--source", "sources", multiple=True, help="All from this source, or a folder in it.")
@click.option("--query", metavar="WORDS", help="All in which these words stand, as they are written.")
@click.option("--derived", is_flag=True, help=DERIVED)
@click.option("--dry-run", is_flag=True, help="Only show what would be forgotten.")
@click.option("--force", is_flag=True, help="Do not ask; needed with --json, and without a terminal.")
def forget(jay: Scrubjay, screen: Screen, ids: tuple[int, ...], dry_run: bool, force: bool, **wanted: Any) -> None:
    """Erase memories for good, past the trash.

    They are erased from every table and file of the memory. This cannot be undone.

    It shows what would be forgotten and asks first. The certificate says what was removed and what still holds it, such
    as backups. A later sync or import does not bring it back.

    \b
    scrubjay forget 7
    scrubjay forget --subject "Ann" --derived --dry-run
    """
    planned = jay.forget(*ids, **wanted, dry_run=True)
    question = f"Forget {_what(planned)} for good?"
    if dry_run or not (planned.memories or planned.session):
        screen.show(_as_dict(planned), _preview(planned) or "There is nothing to forget.")
    elif force or may_go_on(screen, question, _preview(planned)):
        done = jay.forget(*ids, **wanted)
        screen.show(_as_dict(done), _certificate(done))
        screen.notes(done.certificate.notes if done.certificate else ())
    else:
        raise Invalid(f"Nothing was forgotten; {question[0].lower()}{question[1:-1]} without being asked with --force.")


def _what(planned: Forgotten) -> str:
    of_session = f"what is known of session {one_line(planned.session)}" if planned.session else ""
    memories = counted(len(planned.memories), "memory") if planned.memories or not of_session else ""
    return " and ".join(filter(None, (memories, of_session)))


def _preview(planned: Forgotten) -> str:
    rows = [[str(one.id), one.kind, one.title] for one in planned.memories]
    shown = formatting.table(["id", "kind", "title"], rows) if rows else ""
    others = [f"Came of it and would stay: {one.id} {one.title} (--derived forgets it, too)" for one in planned.derived]
    session = [f"Session {one_line(planned.session)}: its name, title and counts."] if planned.session else []
    return "\n".join([shown, *session, *map(one_line, others)]).strip()


def _certificate(done: Forgotten) -> str:
    certificate = done.certificate
    if certificate is None:
        return "Nothing was forgotten."
    ids = formatting.joined_ids([one.id for one in certificate.removed])
    lines = [f"Forgot {ids}: text, words, vectors, history, cached vectors and logged questions."] if ids else []
    if certificate.sessions:
        lines.append(f"Forgot {counted(certificate.sessions, 'session')}: name, title and counts.")
    if certificate.daily_log_lines:
        lines.append(f"Removed {counted(certificate.daily_log_lines, 'line')} of the daily log.")
    searched = counted(len(certificate.searched_files), "file")
    lines.append(f"Status: {certificate.status}; searched {searched} of the memory byte by byte.")
    return "\n".join([*lines, *(f"Still held by {one_line(one)}" for one in certificate.still_held)])


def _as_dict(done: Forgotten) -> dict[str, Any]:
    certificate = formatting.to_dict(done.certificate) if done.certificate else None
    ids = {"memories": [one.id for one in done.memories], "derived": [one.id for one in done.derived]}
    return {**ids, "session": done.session, "certificate": certificate}
