"""What a hook does with a memory: tell what is needed now, and keep what was said.

What is told is chosen in agents/context.py.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from scrubjay.agents.automatic import after_adding, clean_daily, extract_session, learns_from
from scrubjay.agents.context import find_context, note_context
from scrubjay.agents.sessions import end_session
from scrubjay.api import Scrubjay
from scrubjay.errors import Invalid, NotFound
from scrubjay.hooks.events import Request, answer, may_be_told
from scrubjay.memory.fields import ChatTurn, TurnFields
from scrubjay.memory.view import View
from scrubjay.memory.withheld import open_parts
from scrubjay.opening import SERVER
from scrubjay.project.identity import IGNORE_FILE, above, identify, is_excluded
from scrubjay.sources.one_transcript import capture_file, embed_captured, open_private_parts
from scrubjay.sources.registry import Sources
from scrubjay.sources.sent_transcript import last_public_lines
from scrubjay.sources.sync import sync
from scrubjay.sources.transcripts.capture import capture_summary, capture_turns
from scrubjay.text.secret_scan.private_tags import public_message
from scrubjay.types.agents import Context

__all__ = ["Outcome", "about", "do"]

EXCLUDED = f"A {IGNORE_FILE} says that nothing of this folder is to be kept or told."
ASIDE = "An agent started this agent: it is told nothing, and nothing is kept."
NOTHING = "Nothing that is known is likely to help."
ALL_HELD_BACK = "The agent has all that would help."
MOST_HELD_BACK = 10  # in the log
SENT_BYTES = 3_000_000  # of a transcript, to a server that takes requests of 4 MB
NOT_TOLD = "This client takes no text at this event."
PRIVATE = "The prompt is in a private part: it is not looked up."
NO_PROMPT = "The event has no prompt in it that is text: nothing is looked up."
NO_FOLDER = "The client named no folder that exists."


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What came of an event: what to print, and what the log says."""

    outcome: str  # told, nothing, captured or skipped
    reason: str = ""
    output: str = ""
    memories: tuple[int, ...] = ()  # that the agent was given
    tokens: int = 0
    held_back: Mapping[int, str] = field(default_factory=dict)  # what it was not given, and why
    turns: int = 0  # that were stored
    place: Mapping[str, str | None] = field(default_factory=dict)  # project, space and store
    noting: Callable[[], object] | None = None  # what is written once the answer is given: it may wait for a writer
    later: Callable[[], object] | None = None  # what nobody need wait for

    def fields(self) -> dict[str, Any]:
        held_back = {str(id): why for id, why in list(self.held_back.items())[:MOST_HELD_BACK]}
        shown = {
            "memories": list(self.memories), "tokens": self.tokens, "held_back": held_back, "turns": self.turns,
        }  # fmt: skip
        kept = {name: value for name, value in shown.items() if value}
        return {"outcome": self.outcome, "reason": self.reason, "output": self.output, **self.place, **kept}


def about(request: Request) -> dict[str, Any]:
    """What the log says about an event, whatever comes of it."""
    shown = {"event": request.event, "session": request.session, "headless": request.is_headless}
    return {name: value for name, value in shown.items() if value}


def do(request: Request, memory_of: Callable[[Path, str | None], Scrubjay]) -> Outcome:
    """Do what an event asks for, with the memory of the folder that the agent works in."""
    folder = Path(request.folder)
    if request.is_aside:
        return Outcome(outcome="skipped", reason=ASIDE)
    if not folder.is_absolute() or not folder.is_dir():
        return Outcome(outcome="skipped", reason=NO_FOLDER)
    if is_excluded(folder):
        return Outcome(outcome="skipped", reason=EXCLUDED)
    jay = memory_of(folder, identify(folder)).lend(trust="agent", actor=request.client, client=request.client)
    asks = request.meaning in ("start", "prompt")
    if jay.address.startswith(SERVER):
        done = _tell_by_server(jay, request) if asks else _send_to_server(jay, request)
    else:
        done = _tell(jay, request) if asks else _capture(jay, request)
    place = {"project": jay.project, "space": jay.space, "store": jay.address}
    return replace(done, place=place, reason=" ".join(filter(None, (done.reason, *jay.notes))))


def _tell(jay: Scrubjay, request: Request) -> Outcome:
    view = jay.view
    message = _looked_up(request, view)  # before the turn is stored: it may open or close a private part
    stored = _store_turns(view, request)
    noting = partial(_note_told, view, request)
    later = partial(jay.sync_on, "session_start") if request.meaning == "start" else None
    if message == "" or not may_be_told(request.client, request.meaning):
        outcome = "captured" if stored else "nothing"
        reason = _why_silent(request, message)
        return Outcome(outcome=outcome, reason=reason, turns=stored, noting=noting, later=later)
    if request.was_compacted and request.session:
        view.store.sessions.forget_shown(view.space, view.session_name(request.session))
    view.selection.wait_for_model(view.setting("hooks.wait"))
    found = find_context(view, message, None, request.session)
    if not found.text:
        why = ALL_HELD_BACK if found.held_back else NOTHING
        return Outcome(
            outcome="nothing", reason=why, held_back=found.held_back, turns=stored, noting=noting, later=later
        )
    ids = tuple(memory.id for memory in found.memories)
    return Outcome(
        outcome="told", output=answer(request, found.text), memories=ids, tokens=found.tokens, turns=stored,
        held_back=found.held_back, noting=partial(noting, found), later=later,
    )  # fmt: skip


def _capture(jay: Scrubjay, request: Request) -> Outcome:
    """Store what is new in the conversation; at its end, end the session, too."""
    view = jay.view
    stored = _store_turns(view, request)
    if request.summary and request.session and not request.transcript:
        capture_summary(view, request.summary, request.client, request.session)
    if request.transcript:
        stored += capture_file(view, Path(request.transcript), request.client).added
    if request.meaning == "end" and request.session:
        with suppress(NotFound, Invalid):  # nothing was said in it
            end_session(view, request.session)
    ended = request.meaning == "end"
    learns = not request.is_headless and (learns_from(view, ended=ended) or (ended and view.setting("hooks.extract")))
    later = partial(_finish, view, request, request.session if learns else None) if stored or learns else None
    return Outcome(outcome="captured" if stored else "nothing", turns=stored, later=later)


def _tell_by_server(jay: Scrubjay, request: Request) -> Outcome:
    """The memory is a server's: it finds the context, and notes what this session was told."""
    noting = partial(_send_turns, jay, request)
    message = _looked_up(request, None)
    if message == "" or not may_be_told(request.client, request.meaning):
        return Outcome(outcome="nothing", reason=_why_silent(request, message), noting=noting)
    found = jay.context(message, session=request.session)
    if not found.text:
        why = ALL_HELD_BACK if found.held_back else NOTHING
        return Outcome(outcome="nothing", reason=why, held_back=found.held_back, noting=noting)
    ids = tuple(memory.id for memory in found.memories)
    return Outcome(
        outcome="told", output=answer(request, found.text), memories=ids, tokens=found.tokens,
        held_back=found.held_back, noting=noting,
    )  # fmt: skip


def _send_to_server(jay: Scrubjay, request: Request) -> Outcome:
    """Send the end of the conversation to a server, which stores the turns that it has not got yet."""
    stored = _send_turns(jay, request)
    said_so_far = last_public_lines(Path(request.transcript), request.client, SENT_BYTES) if request.transcript else ""
    if said_so_far:
        added = jay.capture(said_so_far, request.client, session=request.session)
        stored += sum(one.created for one in added)
    if request.meaning == "end" and request.session:
        with suppress(NotFound, Invalid):  # nothing was said in it
            jay.sessions.end(request.session)
    return Outcome(outcome="captured" if stored else "nothing", turns=stored)


def _finish(view: View, request: Request, learn_from: str | None) -> None:
    """Learn from a session, read what agents are told here, give vectors to what was stored; clean up, if set."""
    if learn_from is not None:
        extract_session(view, learn_from, rules=view.setting("auto.extract") == "off")
    _add_instructions(view, request)
    embed_captured(view)
    after_adding(view, None)
    clean_daily(view)


def _note_told(view: View, request: Request, found: Context | None = None) -> None:
    """Take note of what the agent was told; at a session's start, clean up once a day, if that is set."""
    if found:
        note_context(view, request.session, found)
    if request.meaning == "start":
        clean_daily(view)


def _add_instructions(view: View, request: Request) -> None:
    """Read CLAUDE.md and the like of the repository, and what Claude Code notes beside its transcripts, once."""
    sources, git = Sources(view), above(Path(request.folder), ".git")
    with suppress(Invalid):  # a project's memory reads only what lies in the project
        found = [sources.add_instruction_files(git.parent) if git else None]
        if request.client == "claude-code" and request.transcript:
            found.append(sources.add_memory_files(Path(request.transcript).parent))
        if names := [source.name for source in found if source]:
            sync(view, names)


def _store_turns(view: View, request: Request) -> int:
    if not request.turns or not request.session:
        return 0
    return len(capture_turns(view, request.turns, request.client, request.session))


def _send_turns(jay: Scrubjay, request: Request) -> int:
    if not request.turns or not request.session:
        return 0
    said: list[TurnFields | ChatTurn] = [{"speaker": speaker, "text": text} for speaker, text in request.turns]
    return len(jay.add_turns(request.session, said))


def _looked_up(request: Request, view: View | None) -> str | None:
    """What is looked up of a prompt: nothing that is in a private part, which an earlier prompt may have opened.

    Where there is no transcript, a server knows itself what was opened; None if the event is no prompt.
    """
    if request.meaning != "prompt" or not request.prompt:
        return "" if request.meaning == "prompt" else None
    depth = 0
    if request.transcript:
        depth = open_private_parts(view, Path(request.transcript), request.client)
    elif view and request.session:
        depth = open_parts(view, request.session)
    return public_message(request.prompt, depth).strip()


def _why_silent(request: Request, message: str | None) -> str:
    if message == "":
        return PRIVATE if request.prompt else NO_PROMPT
    return NOT_TOLD
