"""What people and programs are shown: aligned lines for the one, JSON for the other."""

from __future__ import annotations

import json
import shutil
import textwrap
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import datetime
from itertools import accumulate
from typing import Any

from scrubjay.search.explain import because, overall
from scrubjay.text.plural import counted, singular_or_plural
from scrubjay.text.safe_text import escaped, indented, one_line, visible
from scrubjay.types import Added, Edit, Event, History, Hit, Memory, Results, Reverted, Session, Stats, Step
from scrubjay.types.documents import Excerpt, Skipped, Status, Synced

__all__ = [
    "added_line",
    "as_json",
    "columns",
    "compact",
    "conversation",
    "day",
    "enumerated",
    "event_row",
    "excerpt",
    "figures",
    "history",
    "hits",
    "marks",
    "memory_card",
    "memory_dict",
    "memory_rows",
    "place",
    "plain",
    "results_dict",
    "reverted",
    "said",
    "sessions_left",
    "stats_dict",
    "status",
    "step_line",
    "synced",
    "without_vector",
]

WIDEST = 120
TELLING_ZEROS = ("confidence", "position")
GAP = "  "
INDENT = "    "


def as_json(value: Any) -> str:
    return escaped(json.dumps(value, ensure_ascii=False, indent=2))


def enumerated(ids: Iterable[int]) -> str:
    return ", ".join(map(str, ids))


def memory_dict(memory: Memory) -> dict[str, Any]:
    return {field.name: _plain(getattr(memory, field.name)) for field in fields(memory)}


def compact(hit: Hit) -> dict[str, Any]:
    """Enough to choose by; the text is had by id."""
    memory = hit.memory
    place = {"document": memory.document, "lines": list(memory.lines)} if memory.document and memory.lines else {}
    return {
        "id": memory.id,
        "title": memory.title,
        "kind": memory.kind,
        "score": round(hit.score, 4),
        "date": day(memory.happened_at),
        **place,
        **_said_of(hit),
    }


def _said_of(hit: Hit) -> dict[str, Any]:
    """What only some hits have."""
    sure = {} if hit.confidence is None else {"hit_confidence": round(hit.confidence, 3)}  # the memory has one, too
    return {**sure, **({"also": list(hit.also)} if hit.also else {})}


def results_dict(results: Results, full: bool, explain: bool = False) -> dict[str, Any]:
    found = [_full(hit) if full else compact(hit) for hit in results]
    about = {"tiers": list(results.tiers), "notes": list(results.notes), "doubtful": results.doubtful}
    if not explain:
        return {"results": found, **about}
    told = [{**shown, "because": because(hit, results)} for shown, hit in zip(found, results, strict=True)]
    return {"results": told, **about, "because": overall(results)}


def hits(results: Results, full: bool = False, explain: bool = False) -> str:
    """A line for each hit, or its whole text; with why it was found below it, and above all what holds for them all."""
    if not results:
        return "Nothing found."
    if full:
        heads, shown, gap = [], [_whole(hit) for hit in results], "\n\n"
    else:
        head, *shown = columns(["id", "score", "kind", "date", "title"], _hit_rows(results)).split("\n")
        heads, gap = [head], "\n"
    if explain:
        heads.insert(0, " ".join(overall(results)))
        shown = [f"{one}\n{_sentences(because(hit, results))}" for one, hit in zip(shown, results, strict=True)]
    return gap.join([*heads, *shown])


def _whole(hit: Hit) -> str:
    head = f"{hit.memory.id}  {hit.score:.2f}  {one_line(hit.memory.kind)}  {marks(hit)}".rstrip()
    return f"{head}\n{indented(hit.memory.text)}"


def _hit_rows(results: Iterable[Hit]) -> list[list[str]]:
    rows = []
    for hit in results:
        *rest, title = _kind_date_title(hit.memory)
        rows.append([str(hit.memory.id), f"{hit.score:.2f}", *rest, marks(hit) + title])
    return rows


def marks(hit: Hit) -> str:
    """What to know of a hit before its title is read."""
    memory = hit.memory
    replaced = f"(replaced by {memory.superseded_by or 'something deleted'}) " if memory.superseded_at else ""
    corrected = f"(corrected by {hit.corrected_by}) " if hit.corrected_by else ""
    return replaced + corrected + (f"(+{len(hit.also)} alike) " if hit.also else "")


def _sentences(told: Iterable[str]) -> str:
    return textwrap.fill(one_line(" ".join(told)), _room(), initial_indent=INDENT, subsequent_indent=INDENT)


def memory_rows(memories: Iterable[Memory]) -> list[list[str]]:
    return [[str(memory.id), *_kind_date_title(memory)] for memory in memories]


def said(hit: Hit) -> str:
    """A turn that was found, between those around it."""
    turns = sorted((hit.memory, *hit.neighbours), key=lambda turn: (turn.position or 0, turn.id))
    about = f"{hit.memory.id}  {hit.score:.2f}  {day(hit.memory.happened_at)}  session {one_line(hit.memory.session)}"
    about += f"  {marks(hit)}".rstrip()
    return "\n".join([about, *(_said_line(turn, turn.id == hit.memory.id) for turn in turns)])


def _said_line(turn: Memory, found: bool) -> str:
    return f"{'▶' if found else ' '} " + one_line(f"{turn.speaker or 'someone'}: {turn.title}")


def added_line(added: Added) -> str:
    verb = "Remembered" if added.created else "Already known:"
    return one_line(f"{verb} {added.memory.id} ({added.memory.kind}) {added.memory.title}")


def memory_card(memory: Memory) -> str:
    """Everything about a memory that is not empty, then its text."""
    shown = {name: value for name, value in memory_dict(memory).items() if name not in ("text", "uid")}
    shown = {name: value for name, value in shown.items() if value or (value == 0 and name in TELLING_ZEROS)}
    if memory.happened_at == memory.created_at:
        del shown["happened_at"]
    if memory.updated_at == memory.created_at:
        del shown["updated_at"]
    return f"{figures(shown)}\n\n{indented(memory.text)}"


def figures(values: Mapping[str, Any]) -> str:
    names = {one_line(name.replace("_", " ")): value for name, value in values.items()}
    width = max(map(len, names), default=0)
    return "\n".join(f"{name:<{width}}{GAP}{one_line(_short(value))}" for name, value in names.items())


def columns(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table as wide as the terminal; only the last column is cut."""
    if not rows:
        return ""
    widths = [max(_width(_cell(text)) for text in column) for column in zip(heads, *rows, strict=True)]
    widths[-1] = max(20, _room() - sum(widths[:-1]) - len(GAP) * (len(widths) - 1))
    return "\n".join(_line(cells, widths) for cells in (heads, *rows))


def _room() -> int:
    return min(shutil.get_terminal_size((WIDEST, 24)).columns, WIDEST)


def plain(noun: Any) -> dict[str, Any]:
    """Any of our nouns, with its nouns inside, as JSON has it."""
    return {field.name: _plain(getattr(noun, field.name)) for field in fields(noun)}


def history(told: History) -> str:
    """What holds and what held, then each step from the one to the other, and each update."""
    rows = [
        ["was" if memory.superseded_at else "is", *row] for memory, row in zip(told, memory_rows(told), strict=True)
    ]
    table = columns(["", "id", "kind", "date", "title"], rows)
    return "\n".join([table, *map(step_line, told.steps), *map(edit_line, told.edits)])


def step_line(step: Step) -> str:
    reason = f", {step.reason}" if step.reason else ""
    line = f"{step.new or 'something deleted'} replaced {step.old} on {day(step.at)}{reason}"
    if step.undone_at is not None:
        line += f"; undone on {day(step.undone_at)}{f', {step.undone_reason}' if step.undone_reason else ''}"
    return one_line(line)


def edit_line(edit: Edit) -> str:
    who = f" by {edit.actor}" if edit.actor else ""
    line = f"{edit.memory} was updated on {day(edit.at)}{who}: {', '.join(edit.fields)}"
    if edit.undone_at is not None:
        line += f"; undone on {day(edit.undone_at)}{f', {edit.undone_reason}' if edit.undone_reason else ''}"
    return one_line(line)


def reverted(undone: Reverted) -> str:
    """What `revert` did, in a sentence."""
    if undone.fields:
        return one_line(f"{undone.old} is as it was before its last update: {', '.join(undone.fields)}")
    new = undone.new or "something deleted"
    if not undone.restored:
        return f"The step by which {new} replaced {undone.old} is undone"
    holds, them = ("holds", "it") if len(undone.restored) == 1 else ("hold", "them")
    return f"{enumerated(undone.restored)} {holds} again; that {new} replaced {them} is undone"


def event_row(event: Event) -> list[str]:
    when = f"{event.at.astimezone():%Y-%m-%d %H:%M}"
    if event.memory is None:
        return [when, event.what, "", event.detail]
    return [when, event.memory.kind, str(event.memory.id), event.memory.title]


def synced(done: Synced) -> str:
    """What a sync did, in a line, and what it left out."""
    changed = done.changed
    told = [f"Read {counted(done.read, 'document')}, {done.unchanged:,} unchanged"]
    told += [f"{changed.added} added, {changed.removed} removed"] if changed.added or changed.removed else []
    told += [f"{done.embedded} embedded"] if done.embedded else []
    told += [f"{done.remaining} without a vector"] if done.remaining else []
    return "\n".join(["; ".join(told) + ".", *map(_left_out, done.skipped)])


def _left_out(one: Skipped) -> str:
    return one_line(f"Left out {one.path}: {one.reason}")


def status(found: Status) -> str:
    rows = [
        [
            level.source.name, level.source.kind, str(level.documents), str(level.memories), str(level.behind),
            f"{level.source.synced_at.astimezone():%Y-%m-%d %H:%M}" if level.source.synced_at else "never",
            level.source.root,
        ]
        for level in found.sources
    ]  # fmt: skip
    table = columns(["source", "kind", "documents", "memories", "behind", "synced", "folder"], rows)
    skipped = [_left_out(one) for level in found.sources for one in level.skipped]
    refused = [
        one_line(f"The embedder refuses {one.memory} ({counted(one.times, 'time')}): {one.reason}")
        for one in found.quarantined
    ]
    state = "A sync is running." if found.syncing else "" if found.behind or found.without_vector else "All is level."
    lines = [
        table or "There is no source yet; `scrubjay sync FOLDER` takes one up.",
        *skipped,
        without_vector(found),
        *refused,
        state,
        *map(one_line, found.warnings),
    ]
    return "\n".join(line for line in lines if line)


def without_vector(found: Status) -> str:
    """How many memories cannot be found by meaning yet; nothing if all can."""
    number = found.without_vector
    return f"{counted(number, 'memory')} {singular_or_plural(number, 'has', 'have')} no vector yet." if number else ""


def sessions_left(number: int) -> str:
    return f"{counted(number, 'session')} {singular_or_plural(number, 'remains', 'remain')}."


def excerpt(found: Excerpt) -> str:
    """A stretch of a document with its line numbers, or of a conversation."""
    if found.memories:
        return "\n\n".join(map(_turn, found.memories))
    width = len(str(found.last))
    lines = (visible(line).replace("\n", " ") for line in found.text.split("\n"))
    numbered = [f"{number:>{width}}  {line}" for number, line in enumerate(lines, start=found.first)]
    total = f" of {found.total}" if found.total else ""
    return "\n".join([f"{one_line(found.document)}, lines {found.first} to {found.last}{total}", *numbered])


def _turn(turn: Memory) -> str:
    """Its id, who said it and what; only the first line begins at the margin."""
    said = indented(turn.text, INDENT).strip()
    return f"[{turn.id}] {one_line(turn.speaker or 'someone')}: {said}"


def conversation(session: Session, turns: Iterable[Memory]) -> str:
    """A session as a page of Markdown."""
    about = [f"# {one_line(session.name)}", f"{session.started_at.astimezone():%Y-%m-%d %H:%M}"]
    about[1] += "".join(f" · {one_line(part)}" for part in (session.client, session.project) if part)
    return "\n\n".join([*about, *map(_quoted_turn, turns)])


def _quoted_turn(turn: Memory) -> str:
    corrected = f" · corrected by {turn.superseded_by or 'something deleted'}" if turn.superseded_at else ""
    head = f"**{one_line(turn.speaker or 'someone')}** · {turn.happened_at.astimezone():%H:%M}{corrected}"
    return f"{head}\n\n{indented(turn.text, '> ')}"


def stats_dict(stats: Stats) -> dict[str, Any]:
    shown = {field.name: _plain(getattr(stats, field.name)) for field in fields(stats)}
    shown["cache"]["rate"] = round(stats.cache.rate, 3)
    return shown


def _full(hit: Hit) -> dict[str, Any]:
    neighbours = [memory_dict(memory) for memory in hit.neighbours]
    why = {name: round(share, 4) for name, share in hit.why.items()}
    extra = {**({"corrected_by": hit.corrected_by} if hit.corrected_by else {}), **_said_of(hit)}
    found = {"score": round(hit.score, 4), "why": why, "words": list(hit.words), "neighbours": neighbours}
    return {**memory_dict(hit.memory), **extra, **found}


def _kind_date_title(memory: Memory) -> list[str]:
    speaker = f"{memory.speaker}: " if memory.speaker else ""
    where = f"{place(memory)}  " if memory.lines else ""
    return [memory.kind, day(memory.happened_at), where + speaker + memory.title]


def place(memory: Memory) -> str:
    """Where in its document a passage stands."""
    first, last = memory.lines or (0, 0)
    return f"{one_line(memory.document)}:{first}-{last}"


def day(moment: datetime) -> str:
    """The local date; the first and the last day of the calendar have none in some places."""
    try:
        return moment.astimezone().date().isoformat()
    except (OverflowError, ValueError):
        return moment.date().isoformat()


def _plain(value: Any) -> Any:
    if is_dataclass(value):
        return plain(value)
    if isinstance(value, datetime):
        return value.isoformat().replace("+00:00", "Z")
    if isinstance(value, Mapping):
        return dict(value)
    return [_plain(item) for item in value] if isinstance(value, tuple) else value


def _short(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key} {item}" for key, item in value.items())
    if value is None:
        return "none"
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    padded = (_fit(cell, width) for cell, width in zip(cells, widths, strict=True))
    return GAP.join(padded).rstrip()


def _fit(text: str, width: int) -> str:
    clean = _cell(text)
    if _width(clean) > width:
        ends = enumerate(accumulate(map(_cells, clean)))
        clean = clean[: next(place for place, end in ends if end > width - 1)] + "…"
    return clean + " " * (width - _width(clean))


def _cell(text: str) -> str:
    """Text on one line; unlike elsewhere, blanks stay as they are: two of them part what stands in one cell."""
    return visible(text).replace("\n", " ").replace("\t", " ")


def _width(text: str) -> int:
    return sum(map(_cells, text))


def _cells(character: str) -> int:
    """What a character takes on a terminal: two in East Asian scripts, none if it sits on another."""
    if unicodedata.category(character) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
