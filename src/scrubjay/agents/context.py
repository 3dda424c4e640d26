"""What an agent is told at a session's start and for a message: memories, within a token budget, fenced as data.

What every MCP client is told about the server itself is in interfaces/mcp/replies.py.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrubjay.agents.automatic import clean_daily
from scrubjay.agents.file_context import file_candidates
from scrubjay.agents.session_start import Candidate, start_candidates
from scrubjay.dates.timestamps import local_day
from scrubjay.errors import Invalid
from scrubjay.memory.arguments import count, whole_text
from scrubjay.memory.connections.freshness import citing
from scrubjay.memory.filters import SearchOptions
from scrubjay.memory.view import View
from scrubjay.memory.withheld import said_publicly
from scrubjay.models.selection import EmbedderSelection
from scrubjay.project.identity import above
from scrubjay.search.query import search_many
from scrubjay.stores import Use
from scrubjay.text.fence import defused, fence_lines, fenced
from scrubjay.text.narration import only_asks
from scrubjay.text.plural import counted
from scrubjay.text.safe_text import one_line, visible
from scrubjay.text.snippet import snippet
from scrubjay.text.word_lists import PLEASANTRIES
from scrubjay.text.words import content_words
from scrubjay.types import Filter, Hit, Memory

if TYPE_CHECKING:
    from scrubjay.types.agents import Context
    from scrubjay.types.history import Conflict

__all__ = ["compose", "context", "find_context", "note_context", "recent"]

LENGTHS = (400, 80)  # characters that are shown of a memory: the longer if it fits, else the shorter
PROFILE_LENGTHS = (1_600, 800, 400, 80)  # of the profile: the longest that takes at most half of the budget
FOR_A_MESSAGE, AT_A_START = 5, 20  # how many memories are shown, if no setting says so
OFFERED = 20  # to a generator that chooses among them
TOLD, SAID, LOADS = "told before in this session", "said in this session", "the client loads it itself"
BEYOND, OTHERS = "beyond the budget of tokens", "instructions of another project"
NOTHING_FITS = "{} would be shown, but none fits into {}; allow more tokens."
NOT_CHOSEN = "not chosen for the task"
ASKED = "only a question"
OWN_TURNS = 20  # of the session itself, which may be found before anything else
QUESTIONS = 5  # of other sessions, which may be found before what answers them
# Files that a client gives to its agent by itself, by the beginning of the client's name.
LOADED = {"claude": ("CLAUDE.md", "CLAUDE.local.md"), "codex": ("AGENTS.md",), "gemini": ("GEMINI.md",),
          "opencode": ("AGENTS.md",), "cursor": ("AGENTS.md",)}  # fmt: skip
INSTRUCTIONS = {name for names in LOADED.values() for name in names}
CLAUDE_MEMORY = "/memory/"  # a folder of notes that Claude Code writes and reads itself


def context(
    view: View, message: str | None, tokens: int | None, session: str | None, files: Sequence[str] | None = None,
    curate: bool = False,
) -> Context:  # fmt: skip
    """The context for a message, or without one for the start of a session; a session is shown nothing twice."""
    message = None if message is None else whole_text("message", message)
    if curate and not message:
        raise Invalid("Nothing to choose for; give a message with curate, which says what the task is.")
    public = said_publicly(view, message, session) if message and session else message
    shown = find_context(view, public, tokens, session, files, curate)
    note_context(view, session, shown)
    if message is None and files is None:
        clean_daily(view)
    return shown


def note_context(view: View, session: str | None, shown: Context) -> None:
    """Take note of what an agent was shown; not of the message, which may be in a private part of a conversation."""
    now, ids = view.clock(), [memory.id for memory in shown.memories]
    if session and ids:
        view.store.sessions.note_shown(view.space, view.session_name(session), ids, now)
    view.store.uses.note(Use(memory.id, memory.space, now, "context") for memory in shown.memories)


def find_context(
    view: View, message: str | None, tokens: int | None, session: str | None, files: Sequence[str] | None = None,
    curate: bool = False,
) -> Context:  # fmt: skip
    """The same, without taking note of it: nothing is written, so that no other writer is waited for."""
    session = None if session is None else view.session_name(session)
    budget = count("tokens", view.setting("context.tokens") if tokens is None else tokens)
    told = view.store.sessions.shown(view.space, session) if session else set()
    left_out = told | set(view.store.withheld.secrets([view.space]))
    filter = view.filter()
    likely = OFFERED if curate else _most(view, FOR_A_MESSAGE)
    if files is not None:
        candidates, held_back = _for_files(view, files, message, session, told, likely)
    elif message is None:
        candidates = list(start_candidates(view, filter, session))
        held_back = {memory.id: TOLD for memory, _ in candidates if memory.id in told}
    else:
        candidates, held_back = _for_a_message(view, message, session, told, likely)
    notes: tuple[str, ...] = ()
    why: dict[int, str] = {}
    if curate and message:
        offered = [one for one in candidates if one[0].id not in left_out][:OFFERED]
        candidates, why, notes = _curated(view, message, offered)
        chosen = {memory.id for memory, _ in candidates}
        held_back |= {memory.id: NOT_CHOSEN for memory, _ in offered if memory.id not in chosen}
    words = sorted(content_words(message)) if message else ()
    most = _most(view, FOR_A_MESSAGE if message is not None and files is None else AT_A_START)
    shown = _shown(view, filter, budget, candidates, left_out, words, most)
    given = {memory.id for memory in shown.memories}
    beyond = {memory.id: BEYOND for memory, _ in candidates if memory.id not in given | left_out}
    if beyond and not given and most and budget:
        notes += (NOTHING_FITS.format(counted(len(beyond), "memory"), counted(budget, "token")),)
    return replace(shown, held_back=held_back | beyond, why={id: why[id] for id in given if id in why}, notes=notes)


def _curated(
    view: View, task: str, offered: Sequence[Candidate]
) -> tuple[list[Candidate], dict[int, str], tuple[str, ...]]:
    from scrubjay.agents.curating import curate  # most processes never need it

    done = curate(view, task, offered)
    return list(done.candidates), done.why, done.notes


def _most(view: View, usual: int) -> int:
    """How many memories may be shown: as the setting says, or the usual number."""
    given = view.setting("context.memories")
    return usual if given is None else int(given)


def _shown(
    view: View, filter: Filter, budget: int, candidates: Iterable[Candidate], left_out: Set[int],
    words: Sequence[str], most: int,
) -> Context:  # fmt: skip
    conflicts = {
        memory.id: conflict
        for conflict in view.store.conflicts.open(view.space, filter.now)
        for memory in (conflict.older, conflict.newer)
    }
    cite = citing(view)
    fresh = [(memory, remark) for memory, remark in candidates if memory.id not in left_out][:most]
    told = [
        (memory, _joined(_with_conflict(memory, remark, conflicts), *cite(memory, None))) for memory, remark in fresh
    ]
    return compose(told, _token_counter(view.selection), budget, words)


def compose(
    candidates: Iterable[Candidate], count: Callable[[str], int], budget: int, words: Sequence[str] = ()
) -> Context:
    """As many memories as fit into the budget, in the given order; `count` counts the tokens of a text.

    Of a long one, the part around the words is shown.
    """
    from scrubjay.types.agents import Context

    lines: list[str] = []
    kept: list[Memory] = []
    used = count(fenced([]))
    for memory, remark in candidates:
        is_profile = memory.kind == "profile"
        for length in PROFILE_LENGTHS if is_profile else LENGTHS:
            text = _line(memory, remark, length, words)
            tokens = count(fence_lines([text]) + "\n")
            if used + tokens <= (budget // 2 if is_profile else budget):
                used += tokens
                lines.append(text)
                kept.append(memory)
                break
    text = fenced(lines) if lines else ""
    return Context(text, tuple(kept), count(text) if text else 0)


def recent(messages: Sequence[Any], keep: int = 10) -> tuple[Sequence[Any], Sequence[Any]]:
    """What to summarise and what to keep when a conversation is compacted; it is kept from a user's message on."""
    cut = max(len(messages) - keep, 0)
    if 0 < cut < len(messages):
        cut = next((index for index in range(cut, 0, -1) if _is_by_the_user(messages[index])), cut)
    return messages[:cut], messages[cut:]


def _is_by_the_user(message: Any) -> bool:
    role = message.get("role") if isinstance(message, Mapping) else None
    return role is None or role in ("user", "human")


def _token_counter(selection: EmbedderSelection) -> Callable[[str], int]:
    """The model's own tokenizer; without one, one token for two bytes, which is surely enough."""
    tokens: Callable[[str], int] | None = getattr(selection.for_queries()[0], "tokens", None)
    return tokens or (lambda text: (len(text.encode()) + 1) // 2)


def _for_a_message(
    view: View, message: str, session: str | None, told: Set[int], most: int
) -> tuple[list[Candidate], dict[int, str]]:  # fmt: skip
    """What is likely to answer the message, the most relevant first; and what would, but is held back, and why."""
    if content_words(message) <= PLEASANTRIES:
        return [], {}
    least = view.setting("context.likelihood")
    options: SearchOptions = {"limit": most + len(told) + QUESTIONS + (OWN_TURNS if session else 1)}
    (found,) = search_many(view, [message], options, log_text=False)
    hits = [hit for hit in found if (hit.likely if least is None else (hit.confidence or 0.0) >= least)]
    held_back = {hit.memory.id: why for hit in hits if (why := _why_held_back(view, session, told, hit.memory))}
    fresh = [hit for hit in hits if hit.memory.id not in held_back]
    return [(hit.memory, _remark(hit)) for hit in fresh[:most]], held_back


def _for_files(
    view: View, files: Sequence[str], message: str | None, session: str | None, told: Set[int], most: int
) -> tuple[list[Candidate], dict[int, str]]:
    """What belongs to the files at hand, and then what answers the message."""
    of_files = file_candidates(view, files)
    others, held_back = _for_a_message(view, message, session, told, most) if message else ([], {})
    known = {memory.id for memory, _ in of_files}
    held_back |= {id: TOLD for id in known & told}
    return [*of_files, *(one for one in others if one[0].id not in known)], held_back


def _why_held_back(view: View, session: str | None, told: Set[int], memory: Memory) -> str:
    """Why an agent is not told this: it has it already, or it is not meant for it; empty if it is told."""
    if memory.id in told:
        return TOLD
    if memory.kind == "turn" and session is not None and memory.session == session:
        return SAID
    if memory.kind == "turn" and only_asks(memory.text):
        return ASKED
    if _is_for_another_project(view, memory):
        return OTHERS
    return LOADS if _is_loaded_by_client(view, memory) else ""


def _is_loaded_by_client(view: View, memory: Memory) -> bool:
    client, document = str(view.defaults.get("client") or ""), memory.document or ""
    names = next((names for begin, names in LOADED.items() if client.startswith(begin)), ())
    is_claudes = client.startswith("claude") and CLAUDE_MEMORY in document and memory.kind == "passage"
    return is_claudes or document.rpartition("/")[2] in names


def _is_for_another_project(view: View, memory: Memory) -> bool:
    """Whether it was cut from what some repository, perhaps a stranger's, tells the agents that work in it."""
    name = (memory.document or "").rpartition("/")[2]
    if memory.kind != "passage" or name not in INSTRUCTIONS or memory.project is None:
        return False
    return memory.project != view.project or not _is_in_the_same_clone(view, memory)


def _is_in_the_same_clone(view: View, memory: Memory) -> bool:
    """A repository's settings may name any origin, so that its project alone does not tell whose words these are."""
    document = view.store.documents.named(memory.space, memory.document or "") if view.folder else None
    if document is None or view.folder is None:
        return True
    here, there = (above(Path(os.path.realpath(path)), ".git") for path in (view.folder, document.path))
    return here == there


def _joined(*remarks: object) -> str:
    return "; ".join(remark for remark in map(str, remarks) if remark)


def _remark(hit: Hit) -> str:
    """What to know about a hit besides its text; what the memory itself cites is told with any memory."""
    corrected = f"corrected by {hit.corrected_by}" if hit.corrected_by else ""
    instead = f"in place of {hit.in_place_of}" if hit.in_place_of else ""
    changed = [one for one in hit.citations if not one.citation.root and one.state != "FRESH"]
    return _joined(corrected, instead, *changed)


def _with_conflict(memory: Memory, remark: str, conflicts: Mapping[int, Conflict]) -> str:
    conflict = conflicts.get(memory.id)
    if conflict is None:
        return remark
    other = conflict.older if conflict.newer.id == memory.id else conflict.newer
    return f"{remark}; may contradict {other.id}".removeprefix("; ")


def _line(memory: Memory, remark: str, length: int, words: Sequence[str]) -> str:
    whole = memory.text.replace("\n", "; ") if memory.kind == "profile" else memory.text
    text = defused(snippet(visible(whole), words, length))  # in this order: a text may have a million brackets
    place = f" {memory.document}:{memory.lines[0]}-{memory.lines[1]}" if memory.document and memory.lines else ""
    about = f"{memory.kind} {local_day(memory.happened_at)}{place}{f' ({remark})' if remark else ''}"
    return f"[{memory.id}] {one_line(about)}: {text}"
