"""What an agent is told at a session's start and for a message: memories, within a token budget, fenced as data.

What every MCP client is told about the server itself is in interfaces/mcp/replies.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import replace
from typing import Any

from scrubjay.agents.session_start import Candidate, start_candidates
from scrubjay.dates.timestamps import local_day
from scrubjay.memory.arguments import count
from scrubjay.memory.filters import SearchOptions
from scrubjay.memory.view import View
from scrubjay.models.selection import EmbedderSelection
from scrubjay.search.query import search_many
from scrubjay.stores import Use
from scrubjay.text.fence import defused, fenced
from scrubjay.text.safe_text import one_line
from scrubjay.text.snippet import snippet
from scrubjay.text.word_lists import PLEASANTRIES
from scrubjay.text.words import content_words
from scrubjay.types import Conflict, Context, Filter, Hit, Memory

__all__ = ["compose", "context", "find_context", "note_context", "recent"]

LENGTHS = (400, 80)  # characters that are shown of a memory: the longer if it fits, else the shorter
FOR_A_MESSAGE, AT_A_START = 5, 20  # how many memories are shown, if no setting says so
TOLD, SAID, LOADS = "told before in this session", "said in this session", "the client loads it itself"
BEYOND, OTHERS = "beyond the budget of tokens", "instructions of another project"
OWN_TURNS = 20  # of the session itself, which may be found before anything else
# Files that a client gives to its agent by itself, by the beginning of the client's name.
LOADED = {"claude": ("CLAUDE.md", "CLAUDE.local.md"), "codex": ("AGENTS.md",), "gemini": ("GEMINI.md",),
          "opencode": ("AGENTS.md",), "cursor": ("AGENTS.md",)}  # fmt: skip
INSTRUCTIONS = {name for names in LOADED.values() for name in names}
CLAUDE_MEMORY = "/memory/"  # a folder of notes that Claude Code writes and reads itself


def context(view: View, message: str | None, tokens: int | None, session: str | None) -> Context:
    """The context for a message, or without one for the start of a session; a session is shown nothing twice."""
    shown = find_context(view, message, tokens, session)
    note_context(view, session, shown)
    return shown


def note_context(view: View, session: str | None, shown: Context) -> None:
    """Take note of what an agent was shown; not of the message, which may be in a private part of a conversation."""
    now, ids = view.clock(), [memory.id for memory in shown.memories]
    if session and ids:
        view.store.sessions.note_shown(view.space, view.session_name(session), ids, now)
    view.store.uses.note(Use(id, now, "context") for id in ids)


def find_context(view: View, message: str | None, tokens: int | None, session: str | None) -> Context:
    """The same, without taking note of it: nothing is written, so that no other writer is waited for."""
    session = None if session is None else view.session_name(session)
    budget = count("tokens", view.setting("context.tokens") if tokens is None else tokens)
    told = view.store.sessions.shown(view.space, session) if session else set()
    left_out = told | set(view.store.withheld.secrets([view.space]))
    filter = view.filter()
    if message is None:
        candidates = list(start_candidates(view, filter, session))
        held_back = {memory.id: TOLD for memory, _ in candidates if memory.id in told}
    else:
        candidates, held_back = _for_a_message(view, message, session, told)
    words = sorted(content_words(message)) if message else ()
    most = _most(view, AT_A_START if message is None else FOR_A_MESSAGE)
    shown = _shown(view, filter, budget, candidates, left_out, words, most)
    given = {memory.id for memory in shown.memories}
    beyond = {memory.id: BEYOND for memory, _ in candidates if memory.id not in given | left_out}
    return replace(shown, held_back=held_back | beyond)


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
    fresh = [
        (memory, _with_conflict(memory, remark, conflicts))
        for memory, remark in candidates
        if memory.id not in left_out
    ]
    return compose(fresh[:most], _token_counter(view.selection), budget, words)


def compose(
    candidates: Iterable[Candidate], count: Callable[[str], int], budget: int, words: Sequence[str] = ()
) -> Context:
    """As many memories as fit into the budget, in the given order; `count` counts the tokens of a text.

    Of a long one, the part around the words is shown.
    """
    lines: list[str] = []
    kept: list[Memory] = []
    for memory, remark in candidates:
        for length in LENGTHS:
            text = _line(memory, remark, length, words)
            if count(fenced([*lines, text])) <= budget:
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
    view: View, message: str, session: str | None, told: Set[int]
) -> tuple[list[Candidate], dict[int, str]]:  # fmt: skip
    """What is likely to answer the message, the most relevant first; and what would, but is held back, and why."""
    if content_words(message) <= PLEASANTRIES:
        return [], {}
    most, least = _most(view, FOR_A_MESSAGE), view.setting("context.likelihood")
    options: SearchOptions = {"limit": most + len(told) + (OWN_TURNS if session else 1)}
    (found,) = search_many(view, [message], options, log_text=False)
    hits = [hit for hit in found if (hit.likely if least is None else (hit.confidence or 0.0) >= least)]
    held_back = {hit.memory.id: why for hit in hits if (why := _why_held_back(view, session, told, hit.memory))}
    fresh = [hit for hit in hits if hit.memory.id not in held_back]
    return [(hit.memory, _correction(hit)) for hit in fresh[:most]], held_back


def _why_held_back(view: View, session: str | None, told: Set[int], memory: Memory) -> str:
    """Why an agent is not told this: it has it already, or it is not meant for it; empty if it is told."""
    if memory.id in told:
        return TOLD
    if memory.kind == "turn" and session is not None and memory.session == session:
        return SAID
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
    return memory.kind == "passage" and name in INSTRUCTIONS and memory.project not in (None, view.project)


def _correction(hit: Hit) -> str:
    return f"corrected by {hit.corrected_by}" if hit.corrected_by else ""


def _with_conflict(memory: Memory, remark: str, conflicts: Mapping[int, Conflict]) -> str:
    conflict = conflicts.get(memory.id)
    if conflict is None:
        return remark
    other = conflict.older if conflict.newer.id == memory.id else conflict.newer
    return f"{remark}; may contradict {other.id}".removeprefix("; ")


def _line(memory: Memory, remark: str, length: int, words: Sequence[str]) -> str:
    text = snippet(defused(memory.text), words, length)
    place = f" {memory.document}:{memory.lines[0]}-{memory.lines[1]}" if memory.document and memory.lines else ""
    about = f"{memory.kind} {local_day(memory.happened_at)}{place}{f' ({remark})' if remark else ''}"
    return f"[{memory.id}] {one_line(about)}: {text}"
