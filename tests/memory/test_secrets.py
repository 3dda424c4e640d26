"""Secrets at every door: refused with the words beside them, redacted on request, kept only by a person's own hand."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click
import pytest

import scrubjay
from scrubjay import Invalid, Scrubjay, ScrubjayError
from scrubjay.config import config_file, parse
from scrubjay.interfaces.cli.app import cli
from tests.support.clock import Clock
from tests.support.commands import Run
from tests.support.terminal import at_a_terminal, piped

SECRET = "ghp_" + "Zx9Cv8Bn7Mq6Ws5Ed4Rf" * 2
TOLD = f"The token for the build server is {SECRET}"
REDACTED = "The token for the build server is [redacted: GitHub token]"


def files_hold(folder: Path, *parts: str) -> list[Path]:
    """The files below a folder, of any kind, in whose bytes or names one of the parts stands."""
    files = [file for file in folder.rglob("*") if file.is_file()]
    return [file for file in files if any(part.encode() in file.read_bytes() + bytes(file) for part in parts)]


# Refusing and redacting

WRONG_NAMES: dict[str, Callable[[Any, str], object]] = {
    "a space": lambda jay, name: jay.lend(space=f"a b/{name}"),
    "a space to search": lambda jay, name: jay.search("kettle", spaces=[f"a b/{name}"]),
    "a source": lambda jay, name: jay.sources.remove(name),
    "a token": lambda jay, name: jay.tokens.create(f"a b/{name}"),
    "a token to revoke": lambda jay, name: jay.tokens.revoke(name),
    "a scope": lambda jay, name: jay.tokens.create("ann", scopes=[name]),
    "a session": lambda jay, name: jay.sessions.end(name),
    "a document": lambda jay, name: jay.excerpt(name),
    "a field": lambda jay, name: jay.add_many([{"text": "The kettle is blue", name: "a"}]),
    "a filter": lambda jay, name: jay.list(**{name: "a"}),
    "a word of a link": lambda jay, name: jay.link(1, 2, word=f"a b/{name}"),
    "an email address": lambda jay, name: jay.contacts.create(name="Ann", emails=[{"address": name}]),
    "a time": lambda jay, name: jay.add("The kettle is blue", happened_at=name),
    "a setting": lambda jay, name: parse(name, "off"),
    "a value of a setting": lambda jay, name: parse("trash.days", name),
}


@pytest.mark.parametrize("what", WRONG_NAMES)
@pytest.mark.parametrize("before", ["", "x" * 35 + " "])  # a name that is cut leaves no part of a secret either
def test_no_refusal_of_a_name_repeats_a_secret(jay: Scrubjay, what: str, before: str) -> None:
    with pytest.raises(ScrubjayError) as refusal:
        WRONG_NAMES[what](jay, before + SECRET)
    assert SECRET[:9] not in str(refusal.value)


def test_a_refusal_names_the_words_beside_the_secret_and_what_can_be_done(jay: Scrubjay) -> None:
    with pytest.raises(Invalid) as refusal:
        jay.add(TOLD)
    said = str(refusal.value)
    assert 'GitHub token, near "' in said and "the build server is" in said and SECRET not in said and "Zx9" not in said
    assert "--redact" in said and "--allow-secret" in said and "terminal" in said


def test_every_verb_that_stores_text_can_redact_it(jay: Scrubjay, path: Path) -> None:
    assert jay.add(TOLD, redact=True, context=TOLD).memory.text == REDACTED
    assert [one.memory.text for one in jay.add_many([{"text": f"Again: {TOLD}"}], redact=True)] == [
        f"Again: {REDACTED}"
    ]
    assert jay.supersede(1, f"New: {TOLD}", reason=TOLD, redact=True).memory.text == f"New: {REDACTED}"
    assert jay.update(2, context=TOLD, redact=True).context == REDACTED
    task = jay.tasks.create(f"Rotate: {TOLD}", note=TOLD, redact=True)
    assert (task.memory.text, task.note) == (f"Rotate: {REDACTED}", REDACTED)
    assert jay.tasks.update(task.memory.id, note=f"Still {TOLD}", redact=True).note == f"Still {REDACTED}"
    jay.sessions.start("s", client=TOLD, redact=True)
    jay.sessions.end("s", f"So {TOLD}", redact=True)
    assert files_hold(path.parent, SECRET) == []


def test_the_command_line_can_redact_everywhere(run: Run, home: Path) -> None:
    run("add", TOLD, "--redact", "--title", TOLD)
    run("supersede", "1", f"New: {TOLD}", "--redact")
    run("update", "2", "--context", TOLD, "--redact")
    run("tasks", "create", f"Rotate: {TOLD}", "--note", TOLD, "--redact")
    run("tasks", "update", "3", "--note", TOLD, "--redact")
    run("sessions", "start", "s", "--redact")
    run("sessions", "end", "s", "--summary", TOLD, "--redact")
    assert run("get", "1", "--json").json["memories"][0]["text"] == REDACTED
    assert files_hold(home, SECRET) == []
    assert run("tasks", "update", "3", "--redact").err.startswith("Error: Nothing to update")


@pytest.mark.parametrize(
    "metadata",
    [
        {"password": ["hunter2xyz!"]},
        {"password": [["hunter2xyz!"], {"old": "hunter2xyz!"}]},
        {"credentials": {"user": "ann", "value": "aB3dE5fG7hI9jK1lM2"}},
        {"deep": {"api_key": {"prod": ["aB3dE5fG7hI9jK1lM2"]}}},
        {"env": [{"name": "DB_PASSWORD", "value": "hunter2xyz!"}]},
        {"Key": "admin_password", "Value": "hunter2xyz!"},
        {"pin": {"password": 839201}},
        {"password": 839201.0},
        {"pins": [48213, 99321]},
        {"backup_codes": ["839201-hunter2"]},
        {"type": "password", "value": "hunter2xyz!"},
        {"Title": "Wifi password", "Content": "hunter2xyz!"},
        {"field": "pin", "value": "839201"},
        {"question": "What is the password of staging?", "answer": "hunter2xyz!"},
        {"command": ["psql", "--user", "ann", "--password", "hunter2xyz!"]},
        {"pairs": [["user", "ann"], ["password", "hunter2xyz!"]]},
    ],
)
def test_values_are_judged_with_the_keys_they_stand_under(jay: Scrubjay, metadata: dict[str, Any]) -> None:
    with pytest.raises(Invalid, match="looks like a secret"):
        jay.add("Settings", metadata=metadata)
    kept = str(jay.add("Settings", metadata=metadata, redact=True).memory.metadata)
    assert "[redacted: " in kept and not re.search("hunter2|aB3dE5|839201|48213", kept)


def test_keys_that_only_tell_about_secrets_hide_nothing(jay: Scrubjay) -> None:
    metadata = {"password": {"min_length": 8, "policy": "long"}, "tokens": [400, 80], "credentials": {"user": "ann"}}
    assert jay.add("Settings", metadata=metadata).memory.metadata == metadata


BARE = "kestrel2020"


@pytest.mark.parametrize(
    "fields",
    [
        {"title": "Database password"},
        {"subject": "wifi password"},
        {"context": "the password of the staging server"},
        {"tags": ["password"]},
        {"metadata": {"category": "password"}},
    ],
)
def test_a_text_is_judged_with_the_fields_that_stand_beside_it(jay: Scrubjay, fields: dict[str, Any]) -> None:
    with pytest.raises(Invalid, match="looks like a secret"):
        jay.add(BARE, **fields)
    assert jay.add(BARE, redact=True, **fields).memory.text == "[redacted: password]"


def test_a_field_is_judged_with_the_text_that_it_stands_beside(jay: Scrubjay) -> None:
    for refused in (
        lambda: jay.add("Database password", title=BARE),
        lambda: jay.tasks.create("Change the password of the wifi", note=BARE),
    ):
        with pytest.raises(Invalid, match="looks like a secret"):
            refused()
    memory = jay.add("Database password").memory
    task = jay.tasks.create("Change the password of the wifi").memory
    assert jay.update(memory.id, context=BARE, redact=True).context == "[redacted: password]"
    assert jay.tasks.update(task.id, note=BARE, redact=True).note == "[redacted: password]"


def test_fields_that_only_speak_of_secrets_hide_no_text(jay: Scrubjay) -> None:
    for title in ("Password reset", "How tokens are stored", "The password manager", "API keys"):
        assert jay.add(f"Ann looks after it since May, see wiki2. {title}", title=title).created
    assert jay.add("redis7", title="Where tokens are stored").created


# Every text field of every noun


def doors_of_python(folder: Path) -> Iterator[tuple[str, Callable[..., Any]]]:
    """Each way a text can come in, as a call that gives it a secret; each may be refused."""
    fields: dict[str, Any] = {
        "title": TOLD, "subject": TOLD, "context": TOLD, "tags": [TOLD], "metadata": {"a": [{"b": TOLD}], TOLD: 1},
        "source": TOLD, "client": TOLD, "actor": TOLD, "project": TOLD, "session": TOLD, "kind": SECRET,
    }  # fmt: skip
    for name, value in fields.items():
        own: Any = {name: value}
        yield f"add {name}", lambda jay, own=own: jay.add("Tea", **own)
        yield f"turn {name}", lambda jay, own=own: jay.add_turns("s", [{"text": "Tea", **own}])
        yield f"lend {name}", lambda jay, own=own: jay.lend(**own).add("Tea")
        yield f"redact {name}", lambda jay, own=own: jay.add("Tea", redact=True, **own)
        yield f"update {name}", lambda jay, own=own: jay.update(1, **own)
        yield f"task {name}", lambda jay, own=own: jay.tasks.create("Pay", **own)
    yield "add text", lambda jay: jay.add(TOLD)
    yield "add many", lambda jay: jay.add_many([{"text": "Milk"}, {"text": TOLD}])
    yield "turn text", lambda jay: jay.add_turns("s", [{"text": TOLD, "speaker": TOLD}])
    yield "private session", lambda jay: jay.add_turns("s", [{"text": "<private>x", "session": SECRET}])
    yield "session of turns", lambda jay: jay.add_turns(SECRET, [{"text": "Tea"}])
    yield "exchange", lambda jay: jay.add_exchange(TOLD, TOLD, session=SECRET, tags=[TOLD])
    yield "capture", lambda jay: jay.capture(TOLD, "codex", session=SECRET)
    yield "supersede", lambda jay: jay.supersede(1, TOLD)
    yield "reason", lambda jay: jay.supersede(1, "Coffee", reason=TOLD)
    yield "revert", lambda jay: jay.revert(1, reason=TOLD)
    yield "task note", lambda jay: jay.tasks.create("Pay", note=TOLD)
    yield "task scope", lambda jay: jay.tasks.create("Pay", scope=TOLD)
    yield "task update", lambda jay: jay.tasks.update(2, note=TOLD, scope=TOLD)
    yield "session", lambda jay: jay.sessions.start(SECRET)
    yield "session client", lambda jay: jay.sessions.start("s", client=TOLD)
    yield "summary", lambda jay: jay.sessions.end("s", TOLD)
    yield "actor of a step", lambda jay: jay.lend(actor=SECRET).supersede(1, "Cocoa")
    yield "actor of a revert", lambda jay: jay.lend(actor=SECRET).revert(1)
    yield "search", lambda jay: jay.search(TOLD, mode="keyword")
    yield "search turns", lambda jay: jay.search_turns(f"Tea {SECRET}")
    yield "context", lambda jay: jay.context(f"Tea {SECRET}", session=SECRET)
    yield "context at a start", lambda jay: jay.context(session=SECRET)
    yield "timeline", lambda jay: jay.timeline(query=f"Tea {SECRET}")
    yield "space", lambda jay: jay.lend(space=SECRET).add("Tea")
    yield "token", lambda jay: jay.tokens.create(SECRET)
    yield "token of a space", lambda jay: jay.tokens.create("t", spaces=[SECRET])
    yield "source name", lambda jay: jay.sources.add(folder, name=SECRET)
    yield "include", lambda jay: jay.sources.add(folder, include=[f"{SECRET}/*.md"])
    yield "exclude", lambda jay: jay.sources.add(folder, exclude=[f"{SECRET}/*.md"])
    yield "extract", lambda jay: jay.extract(f"I live in Rome. {TOLD}. I always drink tea in the morning.", rules=True)
    yield "extract session", lambda jay: jay.extract(session=SECRET, rules=True)


def secret_files(folder: Path) -> None:
    (folder / "notes").mkdir()
    (folder / "notes" / f"{SECRET}.md").write_text("Named like a key\n")
    (folder / "notes" / "a.md").write_text(
        f"---\ntitle: {TOLD}\ntags: [{SECRET}]\nk: {SECRET}\n---\n# {TOLD}\n{TOLD}\n"
    )
    (folder / "notes" / SECRET).mkdir()
    (folder / "notes" / SECRET / "b.md").write_text("In a folder named like a key\n")


def test_no_text_field_of_any_noun_brings_a_secret_to_the_disk(tmp_path: Path, clock: Clock) -> None:
    """Wherever a secret is given, it is in no byte of the database, its log, its vectors, locks or daily logs."""
    store, outside = tmp_path / "store", tmp_path / "outside"
    store.mkdir()
    outside.mkdir()
    secret_files(outside)
    config_file().parent.mkdir(parents=True)
    config_file().write_text(f'[log]\nfolder = "{store / "log"}"\n[context]\nlikelihood = 0.0\n')
    with scrubjay.open(store / "memory.db", embedder="hashing", project=SECRET, actor=SECRET, clock=clock) as jay:
        jay.add("Tea")
        jay.tasks.create("Water the plants")
        jay.sessions.start("s")
        jay.sources.add(outside / "notes", name="notes")
        skipped = [one.reason for one in jay.sync().skipped]
        assert skipped == ["Its name contains what is private or looks like a secret; rename it."] * 2
        for name, call in doors_of_python(outside):
            try:
                call(jay)
            except ScrubjayError:
                pass
            jay.stats()  # writes what was buffered
            assert files_hold(store, SECRET, SECRET[4:30]) == [], name
    assert files_hold(store, SECRET, SECRET[4:30]) == []


def text_options() -> Iterator[tuple[str, ...]]:
    """Every command with each of its options and arguments that takes a text, which is given a secret."""
    usual = {
        "add": ["Tea"],
        "update": ["1"],
        "supersede": ["1", "Coffee"],
        "turns": ["add"],
        "tasks": ["create", "Pay"],
    }
    usual |= {
        "config": ["store"],
        "sessions": ["start", "s"],
        "token": ["create", "t"],
        "revert": ["1"],
        "search": ["Tea"],
    }
    for name in cli.list_commands(click.Context(cli)):
        command = cli.get_command(click.Context(cli), name)
        assert command is not None
        for param in command.params if name not in NOT_STORING else ():
            if isinstance(param, click.Option) and not param.is_flag and param.name not in ("store", "metadata"):
                yield (name, *usual.get(name, []), param.opts[0], TOLD)
            elif isinstance(param, click.Argument):
                yield (name, *usual.get(name, []), TOLD)
    for verb in ("add", "end", "create", "update", "remove"):
        yield from ((group, verb, SECRET) for group in ("tasks", "sessions", "sources", "token"))


NOT_STORING = {"completion", "demo", "init", "watch", "mcp", "serve", "reindex", "capture"}


def test_no_option_of_any_command_brings_a_secret_to_the_disk(run: Run, home: Path) -> None:
    run("add", "Tea")
    for words in text_options():
        run(*words)
        assert files_hold(home, SECRET) == [], words
    run("capture", "codex", stdin=TOLD.encode())
    assert files_hold(home, SECRET) == []


def test_a_folder_named_like_a_secret_is_no_source(jay: Scrubjay, tmp_path: Path) -> None:
    (tmp_path / SECRET).mkdir()
    with pytest.raises(Invalid, match="The path of a source cannot hold what looks like a secret"):
        jay.sources.add(tmp_path / SECRET)
    assert jay.sources.list() == []


# Kept by a person's own hand


def test_a_text_kept_with_its_secret_is_in_no_answer(jay: Scrubjay, path: Path, tmp_path: Path) -> None:
    config_file().parent.mkdir(parents=True, exist_ok=True)
    added = jay.add(TOLD, kind="preference", subject="build", allow_secret=True)
    jay.add("The build server is in the cellar", subject="build")
    assert added.memory.text == REDACTED
    assert [(one.id, one.text) for one in jay.secrets()] == [(added.memory.id, TOLD)]
    answers = [
        jay.get(1), jay.get_many([1, 2]), jay.list(), jay.search("token build server"), jay.context("build server"),
        jay.context(), jay.timeline(since="2000-01-01"), jay.timeline(query="build server"), jay.subjects(),
        jay.search("build", mode="vector"), jay.list(include_superseded=True),
    ]  # fmt: skip
    assert SECRET not in str([*answers, jay.history(1), jay.conflicts()])
    assert jay.get(1) is None and [memory.id for memory in jay.list()] == [2]
    assert [hit.memory.id for hit in jay.search("token build server")] == [2]
    assert [memory.id for memory in jay.context("build server").memories + jay.context().memories] in ([2], [])
    assert jay.lend(space="other").secrets() == []
    jay.delete(1)
    assert jay.secrets() == []


def test_what_is_kept_with_its_secret_is_neither_logged_nor_sent_to_a_model(path: Path, tmp_path: Path) -> None:
    config_file().parent.mkdir(parents=True, exist_ok=True)
    config_file().write_text(f'[log]\nfolder = "{tmp_path / "log"}"\n')
    seen: list[str] = []

    class Listening:
        model, dimensions = "listening", 4

        def embed(self, texts: Any, query: bool = False) -> Any:
            seen.extend(texts)
            return [[1.0, 0.0, 0.0, 0.0] for _ in texts]

    with scrubjay.open(path, embedder=Listening()) as jay:
        jay.add("Tea")
        jay.add(TOLD, allow_secret=True)
        jay.supersede(1, f"Tea, and {TOLD}", allow_secret=True)
        jay.reindex(Listening())
        assert [one.text for one in jay.secrets()] == [TOLD, f"Tea, and {TOLD}"]
    log = "".join(file.read_text() for file in (tmp_path / "log").iterdir())
    assert "Tea" in log and "token" not in log and seen and SECRET not in " ".join(seen)


class Listening:
    """An embedder that keeps what it is asked."""

    model, dimensions = "listening", 4

    def __init__(self, asked: list[str]) -> None:
        self._asked = asked

    def embed(self, texts: Any, query: bool = False) -> Any:
        self._asked.extend(texts if query else ())
        return [[1.0, 0.0, 0.0, 0.0] for _ in texts]


def test_neither_a_secret_nor_a_private_part_of_a_question_is_given_to_a_model(path: Path) -> None:
    asked: list[str] = []
    with scrubjay.open(path, embedder=Listening(asked)) as jay:
        jay.add("Tea is ready")
        question = f"Is tea ready <private>for the doctor</private>? {TOLD}"
        for ask in (jay.search, jay.search_turns, jay.context):
            ask(question)
        jay.search_many([question, "<private>the doctor</private>"])
    assert asked and set(asked) == {f"Is tea ready ? {REDACTED}"}


def test_nor_is_what_a_question_closes_as_private_and_an_earlier_one_has_opened(path: Path) -> None:
    asked: list[str] = []
    with scrubjay.open(path, embedder=Listening(asked)) as jay:
        jay.add("Tea is ready")
        for ask in (jay.search, jay.search_turns, jay.context):
            ask("It is for the doctor </private> Is tea ready?")
        jay.add("The kettle is blue")  # what was asked is logged with the next write
        logged = {use.query for use in jay.accesses()}
    assert asked and {text.strip() for text in asked} == {"Is tea ready?"}
    assert not [query for query in logged if query and "doctor" in query]


def test_a_second_secret_under_the_same_words_takes_the_place_of_the_first_and_says_so(jay: Scrubjay) -> None:
    jay.add(TOLD, allow_secret=True)
    other = TOLD.replace("Zx9", "Yy8")
    assert "held another secret" in jay.add(other, allow_secret=True).notes[0]
    assert [one.text for one in jay.secrets()] == [other]


def test_a_text_without_a_secret_needs_no_leave(jay: Scrubjay) -> None:
    jay.add("Tea is hot", allow_secret=True)
    assert jay.secrets() == [] and [memory.text for memory in jay.list()] == ["Tea is hot"]
    with pytest.raises(Invalid, match="looks like a secret"):
        jay.add(TOLD, allow_secret=True, title=TOLD)  # only the text may hold one


# At a terminal

posix = pytest.mark.skipif(os.name == "nt", reason="needs a pseudo-terminal")


@posix
def test_a_person_at_a_terminal_keeps_a_secret_by_typing_the_word_shown(place: Path) -> None:
    added = at_a_terminal("add", TOLD, "--allow-secret")
    assert added.code == 0 and "the build server is" in added
    assert TOLD in at_a_terminal("get", "1")
    assert "[redacted" in at_a_terminal("list", "--secrets")
    told = piped("get", "1")
    assert told.returncode == 3 and "shown only at a terminal" in told.stderr and SECRET not in told.stdout
    assert piped("list", "--secrets").returncode == 2


@posix
def test_nothing_is_kept_when_another_word_is_typed(place: Path, home: Path) -> None:
    answer = at_a_terminal("add", TOLD, "--allow-secret", typed=lambda word: b"yes")
    assert answer.code == 2 and "not the word" in answer and files_hold(home, SECRET) == []


@posix
def test_a_flag_and_a_pipe_keep_no_secret(place: Path, home: Path) -> None:
    for words, input in ((("add", TOLD, "--allow-secret"), "yes\n" * 50), (("add", "-", "--allow-secret"), TOLD)):
        done = piped(*words, input=input)
        assert (
            done.returncode == 2
            and "must be confirmed by a person at a terminal" in done.stderr
            and SECRET not in done.stderr
        )
    assert files_hold(home, SECRET) == []


@posix
def test_the_guard_is_switched_off_at_a_terminal_only(place: Path) -> None:
    done = piped("config", "guard.secrets", "off", input="yes\n")
    assert done.returncode == 2 and "must be confirmed by a person at a terminal" in done.stderr
    refused = piped("add", TOLD, SCRUBJAY_GUARD_SECRETS="off")
    assert refused.returncode == 2 and "cannot turn the guard off" in refused.stderr
    assert at_a_terminal("config", "guard.secrets", "off").code == 0
    assert 'secrets = "off"' in config_file().read_text()


def test_redact_and_allow_secret_exclude_each_other(run: Run) -> None:
    assert "not both" in run("add", TOLD, "--redact", "--allow-secret").err
