"""A store as a user has it after months: everything that the public methods make."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any, Literal

import scrubjay
from bench.quality.ours import read_ours
from bench.same.asking import Call
from bench.same.questions import Asked, calls
from bench.sets import NO_SCOPE, RetrievalSet

__all__ = ["OLD", "SUBJECTS", "make_old"]

TaskStatus = Literal["pending", "in_progress", "completed", "cancelled"]

OLD = "old"
SUBJECTS = ("staging server", "garden", "Nadia", "billing", "car")
SPACE, OTHER, PROJECT = "default", "work", "atlas"
START, NOW = datetime(2025, 11, 3, 9, tzinfo=UTC), datetime(2026, 5, 1, 12, tzinfo=UTC)
DAY = timedelta(days=1)
QUESTIONS = 60
READ = ("tasks.list", "sessions.list", "sources.list", "status", "tokens.list", "secrets")
KINDS = (
    *("fact", "preference", "identity", "background", "pattern", "relationship", "contact", "project", "event"),
    *("insight", "discovery", "observation", "decision", "change", "bugfix", "feature", "refactor", "convention"),
    *("invariant", "failure_mode", "trigger", "note", "recipe"),
)
TEXTS = (
    "The {subject} of {who} needs {thing} before {when}.",
    "{who} said that {thing} is what the {subject} lacks.",
    "Since {when}, {who} looks after the {subject} with {thing}.",
    "Never use {thing} for the {subject}; {who} found out why in {when}.",
    "{who} pays {number} euros for {thing}, because of the {subject}.",
)
PEOPLE = ("Nadia", "Tomas", "Leo", "Ines", "the landlord", "Dr. Okafor")
THINGS = ("a new battery", "the blue key", "PostgreSQL 16", "rain water", "a signed form", "port 8443", "oat milk")
TIMES = ("March", "the second week of June", "Christmas", "2026-04-12", "Monday", "the holidays")
# Pairs that contradict each other: subject, what was said first, what was said later.
CONTRADICTIONS = (
    ("staging server", "The staging server listens on port 8080.", "The staging server listens on port 9090."),
    ("billing", "Invoices are sent on the 1st of each month.", "Invoices are sent on the 15th of each month."),
    ("car", "The car is parked on level 2.", "The car is parked on level 4."),
    ("garden", "The garden is watered at six in the morning.", "The garden is watered at nine in the evening."),
)
NOTES = {
    "garden/beds.md": "---\ntitle: Garden beds\ntags: [red]\ndate: 2026-02-10\n---\n# Beds\n\nTomatoes stand in the"
    " south bed, beans along the fence.\n\n## Watering\n\nThe drip hose runs for twenty minutes every other day.\n",
    "server.md": "# Staging server\n\nIt runs Debian and is restarted on Sundays.\n\n## Backups\n\nBackups go to the"
    " second disk at three in the morning and are kept for thirty days.\n\n```sh\nrsync -a /srv /backup\n```\n",
    "people.md": "# People\n\n- Ines mends bicycles on Hill Street.\n- Dr. Okafor sees patients on Tuesdays.\n",
    "removed.md": "# Old plan\n\nThe shed was to be painted green.\n",
}
TURNS = (
    ("user", "Which port does the staging server use now?"),
    ("assistant", "It listens on port 9090 since the move."),
    ("user", "I prefer short answers. And remember that the drip hose leaks at the third tap."),
    ("assistant", "Noted: the drip hose leaks at the third tap."),
)
# Read by name in the public documentation of its issuer; it opens nothing.
EXAMPLE_SECRET = "The deploy key is AKIAIOSFODNN7EXAMPLE, kept in the vault."


class Life:
    """A clock that moves on with everything that is done."""

    def __init__(self) -> None:
        self.at = START

    def __call__(self) -> datetime:
        self.at = min(self.at + timedelta(minutes=53), NOW - DAY)
        return self.at


def make_old(store: Path) -> tuple[datetime, list[Call]]:
    """Fill the store, with folders beside it for its sources; when it is asked, and what."""
    random, given, clock = Random(OLD), read_ours(), Life()
    with scrubjay.open(store, space=SPACE, project=PROJECT, embedder="local", actor="nadia", clock=clock) as jay:
        ids = _remember(jay, given, random)
        _contradict(jay)
        _correct(jay, ids, random)
        _work(jay)
        _talk(jay, given)
        _sync(jay, store.parent, random)
        _share(jay, random)
        _throw_away(jay, random)
    return NOW, [*_asked(store, given, random)]


def _remember(jay: scrubjay.Scrubjay, given: RetrievalSet, random: Random) -> list[int]:
    own = [one for one in given.documents[NO_SCOPE] if not one.session]
    texts: list[dict[str, Any]] = [{"text": one.text, "kind": one.kind, "happened_at": one.date} for one in own]
    made = [{"text": _text(random), "kind": kind, **_fields(random)} for kind in KINDS for _ in range(6)]
    added = jay.add_many([*texts, *made])
    added += [jay.add(_text(random), **_fields(random)) for _ in range(20)]  # of a kind that is found by its words
    added.append(jay.add(texts[0]["text"], kind=texts[0]["kind"]))  # known already
    added.append(jay.add("Bring the car back before it is due.", expires_at=NOW - 5 * DAY))
    jay.add(EXAMPLE_SECRET, redact=True, subject="billing")
    jay.add(f"For the record: {EXAMPLE_SECRET}", allow_secret=True, subject="billing")
    return list(dict.fromkeys(one.memory.id for one in added))


def _text(random: Random) -> str:
    return random.choice(TEXTS).format(
        subject=random.choice(SUBJECTS),
        who=random.choice(PEOPLE),
        thing=random.choice(THINGS),
        when=random.choice(TIMES),
        number=random.randint(5, 900),
    )


def _fields(random: Random) -> dict[str, Any]:
    return {
        "subject": random.choice((None, *SUBJECTS)),
        "project": random.choice((None, PROJECT, "borealis")),
        "tags": random.sample(("red", "blue", "green"), random.randint(0, 2)),
        "metadata": {"size": random.randint(0, 10), "team": random.choice(("north", "south"))},
        "importance": random.randint(1, 10),
        "confidence": random.choice((0.4, 0.75, 0.9, 1.0)),
        "happened_at": START - random.randint(0, 700) * DAY,
        "trust": random.choice(("user", "user", "agent", "external")),
        "context": random.choice((None, "said on the phone")),
    }


def _contradict(jay: scrubjay.Scrubjay) -> None:
    for subject, before, _ in CONTRADICTIONS:
        jay.add(before, kind="fact", subject=subject)
    for number, (subject, _, after) in enumerate(CONTRADICTIONS):
        jay.add(after, kind="fact", subject=subject, auto_supersede=number == 3)
    if found := jay.conflicts():
        jay.dismiss(found[-1].older.id, found[-1].newer.id)


def _correct(jay: scrubjay.Scrubjay, ids: list[int], random: Random) -> None:
    some = random.sample(ids, 60)
    for memory in jay.get_many(some[:15]):
        new = jay.supersede(memory.id, f"{memory.text} As of spring, twice as often.", reason="it changed").memory
        if memory.id % 3 == 0:
            jay.supersede(new.id, f"{memory.text} As of May, no longer.", importance=8)
        if memory.id % 4 == 0:
            jay.revert(new.id, reason="too early")
    jay.supersede(some[15], by=some[16])
    jay.add("The blue key opens the shed.", supersedes=some[17])
    for memory in jay.get_many(some[20:30]):
        jay.confirm(memory.id)
        jay.add(f"{memory.text}!", kind=memory.kind)  # says nearly the same
    for id in some[25:45]:
        jay.update(id, title=f"Number {id}", tags=["red"], metadata={"team": None}, importance=9)
    jay.revert(some[44])
    jay.get_many(some[40:60])


def _work(jay: scrubjay.Scrubjay) -> None:
    statuses: tuple[TaskStatus, ...] = ("pending", "in_progress", "completed", "cancelled")
    for number in range(12):
        task = jay.tasks.create(
            f"Task {number}: order {THINGS[number % len(THINGS)]} for {PEOPLE[number % len(PEOPLE)]}.",
            priority=("high", "normal", "low")[number % 3],
            due=NOW + (number - 4) * DAY if number % 2 else None,
            note="ask first" if number % 5 == 0 else None,
            scope="agent" if number % 4 == 3 else "user",
        )
        if number % 4:
            jay.tasks.update(task.memory.id, status=statuses[number % 4])


def _talk(jay: scrubjay.Scrubjay, given: RetrievalSet) -> None:
    for one in given.documents[NO_SCOPE]:
        if one.session:
            jay.add_turns(one.session, [{"text": one.text, "speaker": one.speaker, "happened_at": one.date}])
    jay.sessions.start("morning", client="claude-code")
    for number in range(0, len(TURNS), 2):
        jay.add_exchange(TURNS[number][1], TURNS[number + 1][1], session="morning")
    jay.sessions.count("morning", 7)
    jay.context("Where does the drip hose leak?", session="morning")
    jay.sessions.end("morning", "Spoke about the staging server's port and the leaking drip hose.")
    jay.extract(session="morning", rules=True)
    jay.sessions.start("open", client="codex")
    jay.capture("\n".join(_lines("printed")), "claude-code", session="printed")
    first = jay.sessions.turns("morning")[0]
    jay.supersede(first.id, "The staging server's port is asked for again and again.")


def _sync(jay: scrubjay.Scrubjay, folder: Path, random: Random) -> None:
    notes, logs = folder / "notes", folder / "transcripts"
    weeks = (f"## Week {week}\n\n" + " ".join(_text(random) for _ in range(12)) for week in range(8))
    for name, text in {**NOTES, "diary.md": "# Diary\n\n" + "\n\n".join(weeks)}.items():
        path = notes / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    logs.mkdir(exist_ok=True)
    (logs / "evening.jsonl").write_text("\n".join(_lines("evening")) + "\n", encoding="utf-8")
    jay.sources.add(notes)
    jay.sources.add(logs, kind="transcripts", client="claude-code")
    jay.sync()
    (notes / "removed.md").unlink()
    (notes / "people.md").write_text(f"{NOTES['people.md']}- Leo has moved to Faro.\n", encoding="utf-8")
    jay.sync()


def _lines(session: str) -> Iterator[str]:
    for number, (speaker, text) in enumerate(TURNS):
        yield json.dumps(
            {
                "type": speaker,
                "sessionId": session,
                "session_id": session,
                "uuid": f"{session}-{number}",
                "timestamp": f"2026-03-0{number + 1}T18:00:00Z",
                "message": {"role": speaker, "content": f"{text} ({session})"},
            }
        )


def _share(jay: scrubjay.Scrubjay, random: Random) -> None:
    """Another space, other hands, and who may come in."""
    work = jay.lend(space=OTHER, trust="agent", actor="helper")
    work.add_many([{"text": _text(random), **_fields(random), "trust": "agent"} for _ in range(30)])
    for number in range(4):
        jay.tokens.create(f"laptop-{number}", spaces=[SPACE, OTHER][: number % 2 + 1], expires_at=NOW + 30 * DAY)
    jay.tokens.revoke("laptop-2")


def _throw_away(jay: scrubjay.Scrubjay, random: Random) -> None:
    some = random.sample([memory.id for memory in jay.list(kinds=["note", "recipe", "fact"])], 10)
    jay.delete(*some)
    jay.undelete(some[3])
    passage = jay.list(kinds=["passage"], limit=1)[0]
    jay.delete(passage.id)


def _asked(store: Path, given: RetrievalSet, random: Random) -> Iterator[Call]:
    own = [question.text for question in given.questions[NO_SCOPE]]
    about = [f"What does {who} say of the {subject}?" for who in PEOPLE for subject in SUBJECTS]
    texts = random.sample(own, QUESTIONS // 2) + random.sample(about, QUESTIONS // 2)
    with scrubjay.open(store, space=SPACE, embedder="local", clock=lambda: NOW) as jay:
        every = [memory.id for memory in jay.list(include_superseded=True)]
        others = [memory.id for memory in jay.list(spaces=[OTHER])]
        tasks, sessions = jay.tasks.list(statuses=()), jay.sessions.list()
        documents = sorted({memory.document for memory in jay.list() if memory.document})
    for space, project, ids in ((SPACE, PROJECT, every), (OTHER, None, others)):
        yield from calls(
            Asked(
                space=space, project=project, now=NOW, texts=texts if project else texts[-12:],
                ids=random.sample(ids, 12), earlier=START - 300 * DAY, later=START - 100 * DAY,
                other_space=OTHER if space == SPACE else SPACE, sessions=["morning", "printed"],
                speakers=["user", "Nadia"], subjects=SUBJECTS,
            )
        )  # fmt: skip
        yield from (Call("reading", space, method, project=project) for method in READ)
    yield Call("reading", SPACE, "tasks.list", {"statuses": []})
    yield Call("reading", SPACE, "check", {"deep": True})
    yield Call("reading", SPACE, "cleanup", {"dry_run": True})
    yield Call("reading", SPACE, "list", {"limit": 1_000, "include_superseded": True})
    yield from (Call("reading", SPACE, "history", positional=[id]) for id in every)
    yield from (Call("reading", SPACE, "excerpt", positional=[of]) for of in (*documents, *every[:60]))
    yield from (Call("reading", SPACE, "tasks.get", positional=[task.memory.id]) for task in tasks)
    for session in sessions:
        yield Call("reading", SPACE, "sessions.get", positional=[session.name])
        yield Call("reading", SPACE, "sessions.turns", positional=[session.name])
