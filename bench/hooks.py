"""What a hook costs the person who waits for it, and what the rules for instructions find: `python -m bench.hooks`."""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import scrubjay
from bench import report
from bench.corpus import notes
from bench.report import Row, Table
from bench.sets import FOLDER, read_set
from bench.timing import milliseconds, ratio, take_turns
from scrubjay.hooks.listener import Listener
from scrubjay.upkeep.extract_prompt import NOT_A_PERSON
from scrubjay.upkeep.instructions import FITTED, Weights, instructions

MEMORIES, RUNS = 10_000, 15
QUESTION = "when is the budget meeting with Ann"
PAGE = report.FIGURES / "hooks.md"
OTHERS = "beam_100K"
WHENEVER = re.compile(r"\b(?:always|never)\b[^.?!]*\bwhen i ask", re.I)
LABELS = "instructions.json"
SESSIONS = {
    "first": "instruction_sessions.json",
    "open": "instruction_sessions_dev.json",
    "others": "instruction_sessions_unseen.json",
    "fresh": "instruction_sessions_fresh.json",
    "blind": "instruction_sessions_blind.json",
    "everyday": "instruction_sessions_everyday.json",
    "later": "instruction_sessions_later.json",
    "firms": "instruction_sessions_firms.json",
    "scholars": "instruction_sessions_scholars.json",
    "engineers": "instruction_sessions_engineers.json",
    "startups": "instruction_sessions_startups.json",
    "offices": "instruction_sessions_offices.json",
    "leads": "instruction_sessions_leads.json",
    "makers": "instruction_sessions_makers.json",
    "teams": "instruction_sessions_teams.json",
    "professions": "instruction_sessions_professions.json",
    "freelancers": "instruction_sessions_freelancers.json",
    "industries": "instruction_sessions_industries.json",
}
INTRODUCTION = "# Hooks, measured\n\nWritten by `python -m bench.hooks --docs`.\n"
TIMES_NOTE = f"""A prompt in a memory of {MEMORIES:,} notes, from the start of the process to its end; medians of {RUNS}
runs in turns, in one run. Bounds: with a server running at most 3 times `python -c pass`, without one at most 1.3 times
`scrubjay search`."""
LEARNT_NOTE = """Messages that were labelled by hand. By now the misses of all of them were looked at, so expect less
elsewhere. `pairs` are messages that are hard to tell apart: a rule, and a request for the moment in much the same
words. The attacks are messages with pasted, quoted or printed text that looks like an instruction: each
that yields anything counts as wrong. Of the sessions that others wrote,
only what they say of the form "always … when I ask about …" counts as an instruction."""
SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n")
LEARNT = "Instructions that are learnt by rules"
Session = dict[str, Any]


class Judged(NamedTuple):
    """How many instructions there are in sessions, and what the rules learn."""

    there: int
    learnt: int
    precision: float
    recall: float
    from_attacks: int


Learnt = tuple[str, int, str]  # session, number of the message, the memory
Told = tuple[str, int, list[str]]  # session, number of the message, the words that tell the instruction


def main() -> None:
    options = _options()
    text = report.markdown(learnt())
    waited = _times_on_page() if options.learnt else report.markdown(times(options.memories, options.runs))
    print(f"{waited}\n{text}")
    if options.docs:
        PAGE.write_text(f"{INTRODUCTION}\n{waited}\n{text}", encoding="utf-8")


def _times_on_page() -> str:
    """The times as they were measured before: they mean nothing on a machine that is busy."""
    page = PAGE.read_text(encoding="utf-8").removeprefix(f"{INTRODUCTION}\n")
    return page[: page.index(f"\n### {LEARNT}")]


def times(memories: int, runs: int) -> Table:
    program = str(Path(sys.executable).with_name("scrubjay"))
    with _home(memories) as jay:
        listener = Listener(jay)
        hook = [program, "hook", "claude-code"]
        actions: dict[str, Callable[[int], object]] = {
            "python -c pass": lambda turn: _run([sys.executable, "-c", "pass"]),
            "scrubjay search": lambda turn: _run([program, "search", QUESTION]),
            "hook, a server running": lambda turn: _with_server(listener, hook, turn),
            "hook, alone": lambda turn: _run(hook, _prompt(f"alone-{turn}")),
            "hook, alone, words only": lambda turn: _run(hook, _prompt(f"words-{turn}"), SCRUBJAY_HOOKS_WAIT="0"),
        }
        taken = take_turns(actions, range(runs))
    least, search = taken["python -c pass"], taken["scrubjay search"]
    rows: list[Row] = [
        {"command": name, "ms": milliseconds(own), "/ python -c pass": ratio(own, least),
         "/ scrubjay search": ratio(own, search)}
        for name, own in taken.items()
    ]  # fmt: skip
    return Table("A hook at a prompt", TIMES_NOTE, rows)


def learnt() -> Table:
    labelled = read_json(LABELS)
    rows: list[Row] = []
    for half in ("tuned", "held out", "pairs"):
        messages = [one for one in labelled["messages"] if one["half"] == half]
        found = [one for one in messages if instructions(one["text"])]
        right, there = sum(one["is_instruction"] for one in found), sum(one["is_instruction"] for one in messages)
        rows.append({"set": half, "messages": len(messages), "instructions": there, "found": len(found),
                     "right": right, "precision": right / len(found), "recall": right / there})  # fmt: skip
    rows += [_of_others()] if FOLDER.is_dir() else []
    wrong = sum(bool(instructions(text)) for text in labelled["attacks"])
    rows.append({"set": "attacks", "messages": len(labelled["attacks"]), "instructions": 0, "found": wrong, "right": 0})
    return Table(LEARNT, LEARNT_NOTE, rows)


def judge_sessions(sessions: Sequence[Session], weights: Weights = FITTED) -> Judged:
    there = [one for session in sessions for one in _told(session)]
    found = [
        (session["session"], place, one.text.casefold())
        for session in sessions
        for place, opens, text in user_turns(session)
        for one in instructions(text, opens=opens, weights=weights)
    ]
    right = sum(any(_tells(memory, one) for one in there) for memory in found)
    recalled = sum(any(_tells(memory, one) for memory in found) for one in there)
    attacks = {session["session"] for session in sessions if session.get("attack") or "attack" in session["session"]}
    from_attacks = sum(memory[0] in attacks for memory in found)
    return Judged(len(there), len(found), right / len(found), recalled / len(there), from_attacks)


def _told(session: Session) -> Iterator[Told]:
    """The instructions that are there, each with its words; one that is told in two sentences is two."""
    for one in session["instructions"]:
        sentences = SENTENCE_END.split(session["turns"][one["turn"]]["text"])
        parts = [[word for word in one["about"] if word in sentence] for sentence in sentences]
        in_one = one["about"] in parts or not all(any(word in part for part in parts) for word in one["about"])
        for words in [one["about"]] if in_one else filter(None, parts):
            yield session["session"], one["turn"], words


def user_turns(session: Session) -> Iterator[tuple[int, bool, str]]:
    """What the user said: its place in the session, whether it opens the session, and the text."""
    opens = True
    for place, turn in enumerate(session["turns"]):
        if turn["speaker"] == "user":
            yield place, opens, turn["text"]
            opens = False


def read_json(file: str) -> Any:
    return json.loads(Path(__file__).with_name(file).read_text(encoding="utf-8"))


def _tells(memory: Learnt, instruction: Told) -> bool:
    return memory[:2] == instruction[:2] and all(word.casefold() in memory[2] for word in instruction[2])


def _of_others() -> Row:
    said = said_by_others()
    found = [text for text in said if instructions(text)]
    right, there = sum(map(is_whenever, found)), sum(map(is_whenever, said))
    return {"set": OTHERS, "messages": len(said), "instructions": there, "found": len(found), "right": right,
            "precision": right / len(found), "recall": right / there}  # fmt: skip


def said_by_others() -> list[str]:
    """Conversations that other people wrote: what their users say."""
    documents = [document for scope in read_set(OTHERS).documents.values() for document in scope]
    return [one.text.split(": ", 1)[-1] for one in documents if (one.speaker or "user").lower() not in NOT_A_PERSON]


def is_whenever(text: str) -> bool:
    """Whether somebody tells an assistant what to do whenever they ask about something."""
    return bool(WHENEVER.search(text))


@contextmanager
def _home(memories: int) -> Iterator[scrubjay.Scrubjay]:
    """A memory in a folder of its own; near the root, because the names of sockets must be short."""
    with tempfile.TemporaryDirectory(prefix="sj") as folder:
        os.environ["SCRUBJAY_HOME"] = folder
        with scrubjay.open(embedder="local") as jay:
            jay.add_many([{"text": text, "kind": "fact"} for text in notes(memories, seed=4)])
            jay.search(QUESTION)
            yield jay


def _with_server(listener: Listener, command: Sequence[str], turn: int) -> None:
    listener.start()
    try:
        _run(command, _prompt(f"server-{turn}"))
    finally:
        listener.close()


def _prompt(session: str) -> str:
    return json.dumps(
        {"hook_event_name": "UserPromptSubmit", "session_id": session, "cwd": os.getcwd(), "prompt": QUESTION}
    )


def _run(line: Sequence[str], given: str = "", **variables: str) -> None:
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    subprocess.run(line, env=kept | variables, input=given, check=True, capture_output=True, text=True)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--memories", type=int, default=MEMORIES)
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--learnt", action="store_true", help="measure no times; the page keeps those that it has")
    parser.add_argument("--docs", action="store_true", help=f"write {PAGE.name} into docs/figures")
    return parser.parse_args()


if __name__ == "__main__":
    main()
