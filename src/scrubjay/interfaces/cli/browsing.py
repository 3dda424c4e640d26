"""Commands that show which names there are: spaces, subjects, kinds, tags."""

from __future__ import annotations

from collections.abc import Mapping

from scrubjay import Scrubjay
from scrubjay.interfaces import answer_dicts, formatting
from scrubjay.interfaces.cli.app import Screen, memory_command
from scrubjay.text.kinds import KNOWN

__all__: list[str] = []


@memory_command("spaces")
def spaces(jay: Scrubjay, screen: Screen) -> None:
    """List the spaces of this memory, and how many memories each has.

    \b
    scrubjay spaces
    scrubjay search "deploy" --in-space work --in-space team
    """
    _show(screen, "space", jay.spaces())


@memory_command("subjects")
def subjects(jay: Scrubjay, screen: Screen) -> None:
    """List what memories are about, and how many are about each.

    \b
    scrubjay subjects
    scrubjay list --subject user
    """
    _show(screen, "subject", jay.subjects())


@memory_command("tags")
def tags(jay: Scrubjay, screen: Screen) -> None:
    """List the tags of memories, and how many have each.

    \b
    scrubjay tags
    scrubjay list --tag ui
    """
    _show(screen, "tag", jay.tags())


@memory_command("kinds")
def kinds(jay: Scrubjay, screen: Screen) -> None:
    """List the kinds of memories, and how many there are of each.

    The built-in kinds come with what they are for.

    Any other lower-case word can be a kind, too.

    \b
    scrubjay kinds
    """
    counts = jay.kinds()
    data = answer_dicts.counts_list("kind", {**counts, **{kind: 0 for kind in KNOWN if kind not in counts}})
    rows = [[one["kind"], f"{one['memories']:,}", one["what"] or "your own kind"] for one in data]
    screen.show({"kinds": data}, formatting.table(["kind", "memories", "what it is"], rows))


def _show(screen: Screen, what: str, counts: Mapping[str, int]) -> None:
    rows = [[f"{number:,}", name] for name, number in counts.items()]
    text = formatting.table(["memories", what], rows) or f"No memory has a {what} yet."
    screen.show({f"{what}s": answer_dicts.counts_list(what, counts)}, text)
