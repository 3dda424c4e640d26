"""Formats answers: aligned text for people, JSON for programs."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from scrubjay.dates.timestamps import in_local_time
from scrubjay.dates.timestamps import local_day as day
from scrubjay.interfaces.marks import cited_dict, linked_lines, marks
from scrubjay.interfaces.table import GAP, name_value_lines, table, terminal_width
from scrubjay.search.explain import because, overall
from scrubjay.text.plural import counted, singular_or_plural
from scrubjay.text.safe_text import escaped, indented, one_line, visible
from scrubjay.types import Added, Cited, Hit, Link, Memory, Results
from scrubjay.types.memories import Citation

if TYPE_CHECKING:  # most processes never need them
    from scrubjay.types.agents import Event, Session
    from scrubjay.types.documents import Excerpt, Skipped, Status, Synced
    from scrubjay.types.models import Job, Provider

__all__ = [
    "NO_SOURCE",
    "added_dict",
    "added_line",
    "as_json",
    "conversation",
    "day",
    "event_row",
    "excerpt",
    "headline",
    "hits",
    "joined_ids",
    "linked_dict",
    "location",
    "marks",
    "memory_card",
    "memory_dict",
    "memory_rows",
    "provider_line",
    "replacing",
    "results_dict",
    "sessions_left",
    "short_dict",
    "status",
    "synced",
    "table",
    "to_dict",
    "to_json",
    "turn_hits",
    "without_vector",
]

SHOWN_IF_ZERO = ("confidence", "position")
INDENT = "    "
NO_SOURCE = "There is no source yet; `scrubjay sync FOLDER` adds one."
LEAST_SNIPPET = 40  # characters, however narrow the terminal is


def as_json(value: Any) -> str:
    return escaped(json.dumps(value, ensure_ascii=False, indent=2))


def joined_ids(ids: Iterable[int]) -> str:
    return ", ".join(map(str, ids))


def memory_dict(memory: Memory) -> dict[str, Any]:
    return {field.name: to_json(getattr(memory, field.name)) for field in fields(memory)}


def short_dict(hit: Hit) -> dict[str, Any]:
    """A hit in short, to choose from; `get` has the full text."""
    memory = hit.memory
    return {
        "id": memory.id,
        "space": memory.space,
        "kind": memory.kind,
        "title": memory.title,
        "date": day(memory.happened_at),
        "document": memory.document,
        "lines": to_json(memory.lines),
        **_of_hit(hit),
    }


def _of_hit(hit: Hit) -> dict[str, Any]:
    """What a hit has besides its memory; `confidence` alone would be the memory's own."""
    return {
        "score": round(hit.score, 4),
        "hit_confidence": None if hit.confidence is None else round(hit.confidence, 3),
        "likely": hit.likely,
        "snippet": hit.snippet(),
        "also": list(hit.also),
        "corrected_by": hit.corrected_by,
        "in_place_of": hit.in_place_of,
        "citations": [cited_dict(one) for one in hit.citations],
        "linked": [linked_dict(one) for one in hit.linked],
    }


def results_dict(results: Results, full: bool, explain: bool = False) -> dict[str, Any]:
    found = [_full(hit) if full else short_dict(hit) for hit in results]
    about = {"tiers": list(results.tiers), "notes": list(results.notes), "doubtful": results.doubtful}
    if not explain:
        return {"results": found, **about}
    explained = [{**shown, "because": because(hit, results)} for shown, hit in zip(found, results, strict=True)]
    return {"results": explained, **about, "because": overall(results)}


def hits(results: Results, full: bool = False, explain: bool = False) -> str:
    """A line for each hit, or its full text, the likely ones first; with `explain` also why each was found."""
    if not results:
        return "Nothing found."
    found = sorted(results, key=lambda hit: not hit.likely)
    if full:
        heads, shown, gap = [], [_whole(hit) for hit in found], "\n\n"
    else:
        head, *shown = _hit_table(found).split("\n")
        heads, gap = [head], "\n"
    shown = [one + linked_lines(hit) for one, hit in zip(shown, found, strict=True)]
    if explain:
        heads.insert(0, " ".join(overall(results)))
        shown = [f"{one}\n{_paragraph(because(hit, results))}" for one, hit in zip(shown, found, strict=True)]
    return gap.join([*heads, *_divided(shown, results)])


def _divided(shown: Sequence[str], results: Results) -> list[str]:
    """The likely ones, which stand first, and the others below a line."""
    number = len(results.likely)
    return [*shown[:number], "--- less likely ---", *shown[number:]] if 0 < number < len(shown) else list(shown)


def _whole(hit: Hit) -> str:
    place = f"{location(hit.memory)}  " if hit.memory.lines else ""
    head = f"{hit.memory.id}  {hit.score:.2f}  {one_line(hit.memory.kind)}  {place}{marks(hit)}".rstrip()
    return f"{head}\n{indented(hit.memory.text)}"


def _hit_table(results: Sequence[Hit]) -> str:
    """A row for each hit; those of several spaces say whose they are."""
    spaces = len({hit.memory.space for hit in results}) > 1
    heads = ["id", "score", *(["space"] if spaces else []), "kind", "date", "text"]
    return table(heads, [_hit_row(hit, spaces) for hit in results])


def _hit_row(hit: Hit, with_space: bool) -> list[str]:
    memory = hit.memory
    *rest, before = _kind_date_title(memory, "")
    shown = [str(memory.id), f"{hit.score:.2f}", *([memory.space] if with_space else []), *rest]
    before = marks(hit) + before
    room = terminal_width() - sum(map(len, shown)) - len(GAP) * len(shown) - len(before)
    return [*shown, before + headline(hit, max(room, LEAST_SNIPPET))]


def headline(hit: Hit, most: int) -> str:
    """The title that a memory was given, if any, and the part of its text around the question's words."""
    title = f"{hit.memory.given_title}: " if hit.memory.given_title else ""
    return one_line(title + hit.snippet(max(most - len(title), LEAST_SNIPPET)))


def _paragraph(sentences: Iterable[str]) -> str:
    return textwrap.fill(
        one_line(" ".join(sentences)), terminal_width(), initial_indent=INDENT, subsequent_indent=INDENT
    )


def memory_rows(memories: Iterable[Memory], marked: bool = True) -> list[list[str]]:
    """A row for each; where a replaced one is to be `marked`, that stands before its title."""
    rows = ((memory, _kind_date_title(memory)) for memory in memories)
    return [[str(one.id), *about, (one.replaced_mark if marked else "") + title] for one, (*about, title) in rows]


def turn_hits(results: Results) -> str:
    """The turns that were found, each with the turns around it, the likely ones first."""
    shown = [_turn_hit(hit) for hit in sorted(results, key=lambda hit: not hit.likely)]
    return "\n\n".join(_divided(shown, results)) or "Nothing found."


def _turn_hit(hit: Hit) -> str:
    turns = sorted((hit.memory, *hit.neighbours), key=lambda turn: (turn.position or 0, turn.id))
    about = f"{hit.memory.id}  {hit.score:.2f}  {day(hit.memory.happened_at)}  session {one_line(hit.memory.session)}"
    about += f"  {marks(hit)}".rstrip()
    return "\n".join([about, *(_turn_line(turn, turn.id == hit.memory.id) for turn in turns)])


def _turn_line(turn: Memory, found: bool) -> str:
    mark = "" if found else turn.replaced_mark  # of what was found, the line above says so
    return f"{'▶' if found else ' '} " + one_line(f"{mark}{turn.speaker or 'someone'}: {turn.title}")


def added_dict(added: Added) -> dict[str, Any]:
    return {
        "id": added.memory.id,
        "created": added.created,
        "memory": memory_dict(added.memory),
        "replaced": list(added.replaced),
        "similar": [short_dict(hit) for hit in added.similar],
        "notes": list(added.notes),
    }


def added_line(added: Added) -> str:
    verb = "Remembered" if added.created else "Already known:"
    return one_line(f"{verb} {added.memory.id} ({added.memory.kind}{replacing(added)}) {added.memory.title}")


def replacing(added: Added) -> str:
    """The end of a clause that says what was replaced; empty if nothing was."""
    return f", replaces {joined_ids(added.replaced)}" if added.replaced else ""


def memory_card(memory: Memory, cited: Sequence[Cited] = ()) -> str:
    """All fields of a memory that are not empty, then its text."""
    shown = {name: value for name, value in memory_dict(memory).items() if name not in ("text", "uid")}
    shown |= {"cites": list(map(str, cited))} if cited else {}
    shown = {name: value for name, value in shown.items() if value or (value == 0 and name in SHOWN_IF_ZERO)}
    if memory.happened_at == memory.created_at:
        del shown["happened_at"]
    if memory.updated_at == memory.created_at:
        del shown["updated_at"]
    return f"{name_value_lines(shown)}\n\n{indented(memory.text)}"


def to_dict(value: Any) -> dict[str, Any]:
    """Any of our dataclasses, with those inside, in JSON types."""
    return {field.name: to_json(getattr(value, field.name)) for field in fields(value)}


def linked_dict(link: Link) -> dict[str, Any]:
    """A link, and of the memory at its other end what a list of links shows."""
    own, other = to_dict(replace(link, memory=None)), link.memory
    del own["memory"]
    shown = ("id", "kind", "title")
    return {**own, **{name: getattr(other, name) if other else None for name in shown}}


def event_row(event: Event) -> list[str]:
    when = f"{in_local_time(event.at):%Y-%m-%d %H:%M}"
    if event.memory is None:
        return [when, event.what, "", event.detail]
    detail = f" ({event.detail})" if event.detail else ""
    return [when, event.kind, str(event.memory.id), event.replaced_mark + event.memory.title + detail]


def synced(done: Synced) -> str:
    """What a sync did, in one line, and what it skipped."""
    changed = done.changed
    parts = [f"Read {counted(done.read, 'document')}, {done.unchanged:,} unchanged"]
    parts += [f"{changed.added} added, {changed.removed} removed"] if changed.added or changed.removed else []
    parts += [f"{done.embedded} embedded"] if done.embedded else []
    parts += [f"{done.remaining} without a vector"] if done.remaining else []
    return "\n".join(["; ".join(parts) + ".", *map(_skipped_line, done.skipped)])


def provider_line(one: Provider) -> str:
    """Whether an embedder or a generator answered."""
    size = f", {one.dimensions} dimensions" if one.dimensions else ""
    what = f"{one.role} {one.model or one.name or ''}".rstrip()
    if one.state == "answers":
        return one_line(f"The {what} answers in {one.ms:,} ms{size}.")
    return one_line(f"The {what}{size} does not answer: {one.problem}" if one.name else f"{one.role}: {one.problem}")


def _job_line(job: Job) -> str:
    state = f"has failed: {job.failed}" if job.failed else "is under way; `scrubjay backfill --job` fetches it."
    return one_line(f"The batch job {job.id} of {in_local_time(job.at):%Y-%m-%d %H:%M} {state}")


def _skipped_line(one: Skipped) -> str:
    return one_line(f"Skipped {one.path}: {one.reason}")


def status(found: Status) -> str:
    rows = [
        [
            one.source.name, one.source.kind, str(one.documents), str(one.memories), str(one.behind),
            f"{in_local_time(one.source.synced_at):%Y-%m-%d %H:%M}" if one.source.synced_at else "never",
            one.source.root,
        ]
        for one in found.sources
    ]  # fmt: skip
    sources = table(["source", "kind", "documents", "memories", "out of date", "synced", "folder"], rows)
    skipped = [_skipped_line(one) for source in found.sources for one in source.skipped]
    refused = [
        one_line(f"The embedder refuses {one.memory} ({counted(one.times, 'time')}): {one.reason}")
        for one in found.quarantined
    ]
    is_level = found.sources and not found.behind and not found.without_vector
    state = "A sync is running." if found.syncing else "Up to date." if is_level else ""
    lines = [
        sources or NO_SOURCE,
        *skipped,
        without_vector(found),
        *refused,
        *map(_job_line, found.jobs),
        state,
        *map(one_line, found.warnings),
    ]
    return "\n".join(line for line in lines if line)


def without_vector(found: Status) -> str:
    """How many memories cannot be found by meaning yet; empty if there are none."""
    number = found.without_vector
    return f"{counted(number, 'memory')} {singular_or_plural(number, 'has', 'have')} no vector yet." if number else ""


def sessions_left(number: int) -> str:
    return f"{counted(number, 'session')} {singular_or_plural(number, 'remains', 'remain')}."


def excerpt(found: Excerpt) -> str:
    """Some lines of a document with their numbers, or some turns of a conversation."""
    if found.memories:
        return "\n\n".join(map(_turn, found.memories))
    width = len(str(found.last))
    lines = (visible(line).replace("\n", " ") for line in found.text.split("\n"))
    numbered = [f"{number:>{width}}  {line}" for number, line in enumerate(lines, start=found.first)]
    total = f" of {found.total}" if found.total else ""
    return "\n".join([f"{one_line(found.document)}, lines {found.first} to {found.last}{total}", *numbered])


def _turn(turn: Memory) -> str:
    """Id, speaker and text; all lines but the first are indented, so that a text cannot imitate a new turn."""
    text = indented(turn.text, INDENT).strip()
    return f"[{turn.id}] {turn.replaced_mark}{one_line(turn.speaker or 'someone')}: {text}"


def conversation(session: Session, turns: Iterable[Memory]) -> str:
    """A session as a page of Markdown."""
    about = [f"# {one_line(session.name)}", f"{in_local_time(session.started_at):%Y-%m-%d %H:%M}"]
    about[1] += "".join(f" · {one_line(part)}" for part in (session.client, session.project) if part)
    return "\n\n".join([*about, *map(_quoted_turn, turns)])


def _quoted_turn(turn: Memory) -> str:
    corrected = f" · corrected by {turn.superseded_by or 'something deleted'}" if turn.superseded_at else ""
    head = f"**{one_line(turn.speaker or 'someone')}** · {in_local_time(turn.happened_at):%H:%M}{corrected}"
    return f"{head}\n\n{indented(turn.text, '> ')}"


def _full(hit: Hit) -> dict[str, Any]:
    why = {name: round(share, 4) for name, share in hit.why.items()}
    found = {"why": why, "words": list(hit.words), "neighbours": [memory_dict(memory) for memory in hit.neighbours]}
    return {**memory_dict(hit.memory), **_of_hit(hit), **found}


def _kind_date_title(memory: Memory, title: str | None = None) -> list[str]:
    speaker = f"{memory.speaker}: " if memory.speaker else ""
    where = f"{location(memory)}  " if memory.lines else ""
    return [memory.kind, day(memory.happened_at), where + speaker + (memory.title if title is None else title)]


def location(memory: Memory) -> str:
    """The document and the lines of a passage."""
    first, last = memory.lines or (0, 0)
    return f"{one_line(memory.document)}:{first}-{last}"


def to_json(value: Any) -> Any:
    """Any value of an answer in JSON types; nouns in the shapes of shapes.py."""
    match value:
        case Results():
            return results_dict(value, full=False)
        case Added():
            return added_dict(value)
        case Link():
            return linked_dict(value)
        case Cited():
            return cited_dict(value)
        case Citation():
            return str(value)
        case datetime():
            return value.isoformat(timespec="seconds").replace("+00:00", "Z")
        case Mapping():
            return {str(key): to_json(item) for key, item in value.items()}
        case tuple() | list():
            return [to_json(item) for item in value]
    return to_dict(value) if is_dataclass(value) else value
