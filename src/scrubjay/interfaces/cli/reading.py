"""Commands that read memories: search, turns, get, list, history, timeline, context."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from scrubjay import Invalid, NotFound, Scrubjay
from scrubjay.interfaces import answer_dicts, changes, formatting
from scrubjay.interfaces.cli.app import Screen, matching_options, memory_command, read_text, sync_on
from scrubjay.interfaces.cli.shared import terminal
from scrubjay.interfaces.cli.shared.completion import completing
from scrubjay.interfaces.cli.shared.options import filter_options, given_filters
from scrubjay.types.limits import is_id

if TYPE_CHECKING:
    from scrubjay import Excerpt

__all__: list[str] = []

TURN_OPTIONS = {
    "search": ("session", "speaker", "since", "until", "limit", "tags"),
    "add": ("user", "agent", "session", "tags"),
}
NAMED_FILTERS = ("kinds", "subject", "project", "session", "speaker", "tags", "sources")


@memory_command("search")
@click.argument("query", nargs=-1, required=True)
@click.option("--limit", "-n", type=int, help="How many results.  [default: the setting search.limit]")
@click.option("--mode", type=click.Choice(["hybrid", "keyword", "vector"]), help="By word, by meaning, or both.")
@click.option("--fusion", type=click.Choice(["sum", "rrf"]), help="How the two scores are combined.")
@click.option("--min-score", type=float, metavar="0..1", help="Hide weaker results.")
@click.option("--likely", is_flag=True, help="Only the results that are likely to answer.")
@click.option(
    "--in-space",
    "spaces",
    multiple=True,
    metavar="NAME",
    help="Search this space; may be repeated.",
    shell_complete=completing("space"),
)
@click.option("--expand", type=int, metavar="N", help="Also what is linked to the results, up to N links away.")
@click.option("--full", is_flag=True, help="Full texts instead of titles.")
@click.option("--explain", is_flag=True, help="Explain why each was found.")
@filter_options
def search(
    jay: Scrubjay, screen: Screen, query: tuple[str, ...], full: bool, explain: bool, spaces: tuple[str, ...],
    **asked: Any,
) -> None:  # fmt: skip
    """Find memories by word and by meaning.

    \b
    scrubjay search "what theme does the user like?"
    scrubjay search "what did we decide last week?"
    scrubjay search deploy --kind decision --since 2026-01-01 --explain
    scrubjay search "which port?" --as-of 2026-06-30
    """
    results = jay.search(read_text(query, None), spaces=spaces or None, **given_filters(asked))
    screen.show(formatting.results_dict(results, full or explain, explain), formatting.hits(results, full, explain))
    screen.notes(results.notes)
    sync_on(jay, "search")


@memory_command("turns", creates="add")
@click.argument("verb", type=click.Choice(["search", "add"]))
@click.argument("query", nargs=-1)
@click.option("--user", help="For add: what the user said.")
@click.option("--agent", help="For add: what the agent answered.")
@click.option("--tag", "tags", multiple=True, metavar="WORD", help="A tag; may be repeated.")
@click.option(
    "--session", help="Only in this session; for add, the session it belongs to.", shell_complete=completing("session")
)
@click.option("--speaker", help="Only from this speaker: user, assistant or a name.")
@click.option("--since", metavar="WHEN", help='From this time on: a date, "last week", …')
@click.option("--until", metavar="WHEN", help='Up to this time: a date, "yesterday", …')
@click.option("--limit", "-n", type=int, help="How many turns.  [default: the setting search.limit]")
def turns(jay: Scrubjay, screen: Screen, verb: str, query: tuple[str, ...], **given: Any) -> None:
    """Find what was said in conversations, or remember an exchange.

    \b
    scrubjay turns search "which port did we choose?" --speaker user --since 2026-11-01
    scrubjay turns add --user "Which port?" --agent "8080, as agreed" --session review
    """
    asked = matching_options(f"turns {verb}", given, TURN_OPTIONS[verb])
    if verb == "search":
        results = jay.search_turns(read_text(query, None), **asked)
        screen.show(formatting.results_dict(results, True), formatting.turn_hits(results))
        screen.notes(results.notes)
        return
    if query or "user" not in asked or "agent" not in asked:
        raise Invalid("Give both sides of the exchange: --user TEXT --agent TEXT.")
    added = jay.add_exchange(asked.pop("user"), asked.pop("agent"), **asked)
    stored = f"Remembered {formatting.joined_ids(one.memory.id for one in added)} in session "
    text = stored + str(added[0].memory.session) if added else "Remembered nothing: all of it is private."
    screen.line({"turns": [formatting.memory_dict(one.memory) for one in added]}, text)


@memory_command("get")
@click.argument("names", metavar="ID|DOCUMENT...", nargs=-1, required=True)
@click.option("--around", type=int, metavar="LINES", help="Also show this many lines, or turns, before and after.")
@click.option("--from", "start", type=int, metavar="LINE", help="Of a document: start at this line.  [default: 1]")
@click.option("--lines", type=int, help="Of a document: how many lines.  [default: 200]")
def get(
    jay: Scrubjay, screen: Screen, names: tuple[str, ...], around: int | None, start: int | None, lines: int | None
) -> None:
    """Show memories in full, by id.

    Or the text around them, or some lines of a document, by name.

    \b
    scrubjay get 7 9
    scrubjay get 7 --around 20
    scrubjay get notes/deploy.md --from 10 --lines 30
    """
    ids = [int(name) for name in names if is_id(name)]
    if len(ids) < len(names) or around is not None:
        found = [_excerpt(jay, name, around, start, lines) for name in names]
        screen.show(
            {"excerpts": [formatting.to_dict(one) for one in found]}, "\n\n".join(map(formatting.excerpt, found))
        )
        return
    if start is not None or lines is not None:
        raise Invalid("--from and --lines need a document's name; with a memory's id, use --around.")
    secrets = {memory.id: memory for memory in jay.secrets()}
    shown = secrets if terminal.is_output_a_terminal() else {}
    found_by_id = {**shown, **{memory.id: memory for memory in jay.get_many(ids)}}
    memories = [found_by_id[id] for id in ids if id in found_by_id]
    cards = [formatting.memory_card(one, jay.citations(one.id) if one.cites else ()) for one in memories]
    text = f"\n\n{'─' * 40}\n".join(cards)
    if memories or screen.json:
        screen.show({"memories": [formatting.memory_dict(memory) for memory in memories]}, text)
    if missing := set(ids) - {memory.id for memory in memories}:
        raise NotFound(_why_missing(jay, missing, missing & set(secrets)))


def _why_missing(jay: Scrubjay, missing: set[int], hidden: set[int]) -> str:
    if hidden:
        return f"Memory {formatting.joined_ids(sorted(hidden))} contains a secret, so it is shown only at a terminal."
    return f"There is no memory {formatting.joined_ids(sorted(missing))} in space {jay.space!r}."


def _excerpt(jay: Scrubjay, name: str, around: int | None, start: int | None, lines: int | None) -> Excerpt:
    if is_id(name):
        return jay.excerpt(int(name)) if around is None else jay.excerpt(int(name), around=around)
    return jay.excerpt(name, start=1 if start is None else start, lines=lines)


@memory_command("list")
@click.option("--limit", "-n", type=int, default=20, show_default=True, help="How many; 0 for all.")
@click.option("--offset", type=int, default=0, help="How many to skip.")
@click.option("--secrets", is_flag=True, help="Instead, those that were stored with a secret; only at a terminal.")
@filter_options
def list_(jay: Scrubjay, screen: Screen, limit: int, offset: int, secrets: bool, **filters: Any) -> None:
    """List memories, the newest first.

    \b
    scrubjay list --kind preference --limit 5
    """
    if secrets and (any(given_filters(filters).values()) or not terminal.is_output_a_terminal()):
        raise Invalid("--secrets lists all of them, only at a terminal; give no filter, and do not pipe it.")
    memories = jay.secrets() if secrets else jay.list(limit=limit or None, offset=offset, **given_filters(filters))
    text = formatting.table(["id", "kind", "date", "title"], formatting.memory_rows(memories)) or "Nothing found."
    named = ("kinds",) if memories else NAMED_FILTERS
    notes = jay.filter_notes(**{name: value for name, value in given_filters(filters).items() if name in named})
    screen.show({"memories": [formatting.memory_dict(memory) for memory in memories], "notes": notes}, text)
    screen.notes(notes)


@memory_command("history")
@click.argument("id", type=int, required=False)
@click.option("--subject", help="All that was ever known about this, instead of one memory.")
def history(jay: Scrubjay, screen: Screen, id: int | None, subject: str | None) -> None:
    """Show how a memory, or what is known of a subject, has changed.

    That is what it replaced and what replaced it, its updates and its links.

    \b
    scrubjay history 7
    scrubjay history --subject user
    """
    found = jay.history(id, subject=subject)
    screen.show(formatting.to_dict(found), changes.history(found) or "Nothing found.")
    screen.notes([] if found or subject is None else jay.filter_notes(subject=subject))


@memory_command("timeline")
@click.argument("id", type=int, required=False)
@click.option("--window", type=int, help="How many before and after a memory.  [default: 5]")
@click.option("--since", metavar="WHEN", help='From this time on: a date, "last week", …')
@click.option("--until", metavar="WHEN", help='Up to this time: a date, "yesterday", …')
@click.option("--kind", "kinds", multiple=True, shell_complete=completing("kind"), help="Only this; may be repeated.")
@click.option("--query", help="Only what matches this search.")
@click.option("--limit", "-n", type=int, help="How many events.  [default: 50]")
def timeline(jay: Scrubjay, screen: Screen, id: int | None, **asked: Any) -> None:
    """Show what happened around a memory, or in a period of time.

    \b
    scrubjay timeline 7 --window 3
    scrubjay timeline --since 2026-11-01 --kind decision
    """
    allowed = ("since", "until", "kinds", "query", "limit") if id is None else ("window",)
    given = matching_options("timeline" if id is None else f"timeline {id}", asked, allowed)
    events = jay.timeline(id, **given)
    rows = [["▶" if id is not None and event.id == id else "", *formatting.event_row(event)] for event in events]
    text = formatting.table(["", "when", "what", "id", "title"], rows) or "Nothing found."
    notes = jay.filter_notes(kinds=given["kinds"]) if "kinds" in given else []
    screen.show({"events": [formatting.to_dict(event) for event in events], "notes": notes}, text)
    screen.notes(notes)


@memory_command("context")
@click.argument("message", nargs=-1)
@click.option("--tokens", type=int, help="The maximum length.  [default: the setting context.tokens]")
@click.option("--session", help="Leave out what this session was shown before.")
@click.option("--file", "files", multiple=True, metavar="PATH", help="What belongs to this file; may be repeated.")
@click.option("--curate", is_flag=True, help="Let the generator choose among what is likely to help, and say why.")
def context(
    jay: Scrubjay, screen: Screen, message: tuple[str, ...], tokens: int | None, session: str | None,
    files: tuple[str, ...], curate: bool,
) -> None:  # fmt: skip
    """Show what an agent should know, within a budget of tokens.

    For a message, for files at hand, or without either at a session's start.

    \b
    scrubjay context
    scrubjay context "which database do we use?" --tokens 300
    """
    asked = read_text(message, None) if message else None
    found = jay.context(asked, tokens, session=session, files=files or None, curate=curate)
    screen.show(answer_dicts.context_dict(found), found.text or "There is nothing to show.")
    screen.notes(found.notes)
    if not message and not files:
        sync_on(jay, "session_start")
