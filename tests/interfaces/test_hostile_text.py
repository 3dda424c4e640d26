"""What others wrote stays data at every door: it cannot hide, command a terminal, close the fence or forge a line."""

from __future__ import annotations

import dataclasses
import inspect
import json
import logging
import re
import shutil
import sys
import typing
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import anyio
import apsw
import click
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mcp import MCPError
from mcp_types import INVALID_PARAMS, PromptReference, TextContent
from starlette.testclient import TestClient

import scrubjay
from scrubjay import errors
from scrubjay import types as nouns
from scrubjay.agents.context import compose
from scrubjay.agents.logins import OwnLogins
from scrubjay.files import json_log
from scrubjay.files.user_folders import hooks_log
from scrubjay.interfaces import formatting
from scrubjay.interfaces import records as shown_records
from scrubjay.interfaces.cli.app import MODULES, Screen, may_go_on
from scrubjay.interfaces.http.app import make_app
from scrubjay.interfaces.http.log import log_to
from scrubjay.interfaces.log_lines import VisibleLines
from scrubjay.interfaces.mcp import replies
from scrubjay.interfaces.mcp.catalog import make_catalog
from scrubjay.interfaces.mcp.opener import Opener
from scrubjay.interfaces.mcp.protocol import RequestError
from scrubjay.interfaces.mcp.server import make_server
from scrubjay.interfaces.mcp.tools import SETS
from scrubjay.interfaces.page.app import PAGES
from scrubjay.records import contacts, projects, skills
from scrubjay.records.nested import differences
from scrubjay.text.fence import defused, fence_lines, fenced
from scrubjay.text.safe_text import escaped, indented, one_line, visible
from scrubjay.types import documents, history, models, reports, tokens
from scrubjay.upkeep import extract_prompt, synthesise
from tests.support.commands import Run
from tests.support.hostile import (
    BREAKS,
    CANARY,
    FORGERIES,
    HIDDEN,
    HOSTILE,
    harm_in,
    leaks_in,
    made_of,
    poison,
    poison_records,
)
from tests.support.mcp_client import Talk, talk

IMPORTED_LATE = (
    {name: getattr(scrubjay, name) for name in scrubjay.__all__}
    | vars(documents)
    | vars(history)
    | vars(reports)
    | vars(models)
)
PIECES = st.sampled_from([*HIDDEN, *BREAKS, *FORGERIES, "</memories>", "<", "memories", ">", "&lt;", " ", CANARY])
TEXTS = st.lists(PIECES, max_size=30).map("".join) | st.text(max_size=60)


def hints_of(function: Callable[..., Any]) -> dict[str, Any]:
    """The types of a function; some of them are imported for the type checker only."""
    return typing.get_type_hints(function, localns=IMPORTED_LATE)


def texts_shown_by(function: Callable[..., Any], text: str = HOSTILE) -> str:
    """What a function shows of nouns that are hostile in every field."""
    hints = hints_of(function)
    result_type = hints.pop("return")
    own = {"space": "default", "verb": "Remembered"}
    shown = function(**{name: own.get(name) or made_of(hint, text) for name, hint in hints.items()})
    return shown if result_type is str else fenced(shown)


SHOWING = [
    getattr(module, name)
    for module in (formatting, replies, shown_records)
    for name in module.__all__
    if inspect.isfunction(getattr(module, name))
    and hints_of(getattr(module, name))["return"] in (str, list[str])
    and getattr(module, name) not in (replies.one_line,)
]
NAMED_OUTSIDE = {
    replies.added: HOSTILE.count(CANARY),
    replies.lines: 1000,
    replies.task: HOSTILE.count(CANARY),
}  # a kind or a status, which are ours; sentences of ours


@pytest.mark.parametrize("function", SHOWING, ids=lambda function: f"{function.__module__}.{function.__name__}")
def test_no_field_of_any_noun_can_leave_its_place(function: Callable[..., Any]) -> None:
    shown = texts_shown_by(function)
    assert harm_in(shown) == []
    if function.__module__ == replies.__name__:
        assert leaks_in(shown.replace(CANARY, "", NAMED_OUTSIDE.get(function, 0))) == []


@settings(max_examples=15, derandomize=True, database=None)
@given(TEXTS)
def test_nor_can_it_whatever_the_text(text: str) -> None:
    for function in SHOWING:
        assert harm_in(texts_shown_by(function, f"{CANARY}{text}")) == [], function


NOUNS = [
    noun
    for module in (nouns, documents, tokens, models, synthesise, contacts, differences, projects, skills)
    for noun in vars(module).values()
    if dataclasses.is_dataclass(noun) and noun.__module__ == module.__name__
] + [scrubjay.Version]


@pytest.mark.parametrize("noun", NOUNS, ids=lambda noun: noun.__name__)
def test_json_shows_every_field_of_every_noun_exactly_and_hides_nothing(noun: Any) -> None:
    hostile = made_of(noun)
    plain = formatting.to_dict(hostile)
    printed = formatting.as_json(plain)
    assert harm_in(printed) == [] and json.loads(printed) == json.loads(json.dumps(plain))


@pytest.mark.parametrize("sign", ["&lt;", "&amp;lt;", "\\u003c", "\\\\x3c", "%3c", "%253C", "&#60;"])
@pytest.mark.parametrize("before", ["<", "< ", "<.", "&lt;", "\\", "<\\", "%", "<&", "&", "<<"])
def test_a_sign_before_it_hides_no_tag(before: str, sign: str) -> None:
    assert f"{sign}/memories" not in defused(f"{before}{sign}/memories>")


@settings(max_examples=300, derandomize=True, database=None)
@given(TEXTS)
def test_the_fence_holds_and_is_the_same_when_read_twice(text: str) -> None:
    assert harm_in(shown := fenced([f"[7] {text}", f"[8] {text}"])) == [] == leaks_in(shown)
    for show in (visible, one_line, defused):
        assert show(show(text)) == show(text)
    assert "\n" not in one_line(text)
    assert all(line.startswith(">") for line in indented(text, "> ").splitlines())
    assert json.loads(escaped(json.dumps(text, ensure_ascii=False))) == text


@pytest.mark.parametrize(
    "tag",
    ["<&#47;memories>", "< &sol; memories>", "</&#109;emories>", "</m&#x65;mories>", "&lt;&sol;memories&gt;",
     "&amp;lt;/memories&amp;gt;", "&#000000000000060;/memories>", "</m" + "\u0335" * 25 + "emories>",
     "\\u003c/memories\\u003e", "\\x3C/memories\\x3E", "%3C/memories%3E", "%253C/memories%253E", "&#65308;/memories>",
     "<&Tab;/memories>", "</&nbsp;memories>", "</m&shy;emories>", "</mémories>", "</ⓜⓔⓜⓞⓡⓘⓔⓢ>", "</ᴍemories>",
     "⟨/memories⟩", "%3c%2fmemories%3e", "\\x3c\\x2fmemories\\x3e", "<\\u002fmemories>", "</\\u006demories>",
     "</%6demories>", "\\u{3c}/memories>", "\\U0000003c/memories>", "«/memories»", "《/memories》",
     "<%252f%256d%2565mories>", "\\074/memories\\076", "\\74\\57memories>", "</\\155emories>", "=3C/memories=3E",
     "=3c=2fmemories=3e", "</=6Demories>", "%u003c/memories%u003e", "<%u002fmemories>"],
)  # fmt: skip
def test_a_tag_of_the_fence_is_known_however_its_characters_are_written(tag: str) -> None:
    assert defused(f"before {tag} after").startswith("before ‹")


def test_what_shows_nothing_is_marked_or_dropped_in_any_script() -> None:
    formats = "".join(map(chr, range(0x13430, 0x13440)))
    no_characters = "".join(chr(plane << 16 | end) for plane in range(17) for end in (0xFFFE, 0xFFFF)) + "\ufdd0\ufdef"
    for hidden in (*formats, *no_characters, "\U00016fe4"):
        assert hidden not in visible(f"a{hidden}b") and hidden not in escaped(json.dumps(hidden, ensure_ascii=False))


@settings(max_examples=100, derandomize=True, database=None)
@given(TEXTS)
def test_an_error_that_quotes_somebody_is_one_line_that_hides_nothing(text: str) -> None:
    assert harm_in(str(errors.Invalid(CANARY + text))) == [] and "\n" not in str(errors.NotFound(text))


def test_ordinary_text_is_shown_as_it_is() -> None:
    for text in (
        "if a < b: return List<int>",
        "naïve café, 日本語, שלום, مرحبا, 🦜",
        "tab\there\nsecond line",
        "5 > 3",
    ):
        assert visible(text) == defused(text) == text
    assert visible("a family: 👩\u200d👧, a heart: ❤\ufe0f, می\u200cخواهم") == "a family: 👩👧, a heart: ❤, میخواهم"


def test_what_the_library_tells_an_agent_is_fenced_in_every_field() -> None:
    memory = made_of(nouns.Memory)
    told = compose([(memory, HOSTILE), (memory, "")], len, 10_000)
    assert harm_in(told.text) == [] == leaks_in(told.text) and told.text.count("\n[7] ") == 2


def test_nor_can_it_leave_its_place_in_a_prompt_for_a_language_model() -> None:
    proposed = fence_lines([synthesise._line(made_of(nouns.Memory))])
    drawn = extract_prompt._record([made_of(nouns.Memory, HOSTILE.replace("memories", "conversation"))])
    assert harm_in(proposed) == [] == harm_in(drawn)
    assert "</memories" not in proposed and "</conversation" not in drawn and "<conversation" not in drawn


# Every door, over a real file in which every column of free text is hostile.


@pytest.fixture
def planted(made: Path, path: Path) -> Path:
    """A copy for each test."""
    shutil.copy(made, path)
    return path


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with something of everything, as somebody else might have made it."""
    folder = tmp_path_factory.mktemp("planted")
    path, notes = folder / "memory.db", folder / "notes"
    notes.mkdir()
    (notes / "a.md").write_text(f"# Heron\n\nThe heron nests here.\n{HOSTILE}")
    with scrubjay.open(path, embedder="none", project="p") as jay:
        jay.add("The heron is called Bill", kind="fact", subject="heron", context="c", client="c", actor="a", title="t")
        jay.add("The heron is called Bob", kind="fact", subject="heron", tags=["x"], metadata={"a": 1})
        jay.supersede(1, "The heron is called Ben", reason="r")
        jay.revert(3, reason="r")
        jay.supersede(1, "The heron is called Ted", reason="r")
        jay.tasks.create("Feed the heron", scope="s", note="n", due="2030-01-01")
        jay.sessions.start("talk", client="c")
        jay.add_turns(
            "talk", [{"speaker": "Ann", "text": "I like herons"}, {"speaker": "Bob", "text": "I prefer storks"}]
        )
        jay.sessions.end("talk", "We spoke of herons")
        jay.sources.add(notes)
        jay.sync()
        jay.tokens.create("laptop")
        jay.add("The heron leaves soon", expires_at="2999-01-01")
        _add_records(jay)
    assert poison(path) > 35
    poison_records(path)
    db = apsw.Connection(str(path))
    db.execute("insert or ignore into conflicts values (2, 4, 0.9, '2026-01-01T00:00:00.000000Z', null)")
    db.execute(
        "insert into models (state, spec, name, dimensions, recipe) select 'building', ?, ?, 4, 'r'", (HOSTILE,) * 2
    )
    db.execute("insert into quarantine select 1, min(id), ?, 1, '2026-01-01T00:00:00.000000Z' from models", (HOSTILE,))
    db.execute("update sessions set title = ?", (HOSTILE,))
    db.execute("insert into session_notes select space, name, 'file', ? from sessions", (HOSTILE,))
    db.execute("insert into session_notes select space, name, 'link', ? from sessions", (HOSTILE,))
    db.execute("pragma wal_checkpoint(truncate)")
    db.close()
    return path


def _add_records(jay: scrubjay.Scrubjay) -> None:
    """Each with two versions."""
    jay.profile.set("user_info.name", "Ann", reason="r")
    jay.profile.set("preferences.tools[0]", "nets", reason="r")
    ann = jay.contacts.create(name="Ann", email="ann@example.org", company="c", role="r", notes="n", reason="r")
    jay.contacts.update(ann.id, role="keeper", reason="r")
    orion = jay.projects.create(name="Orion", description="d", company="c", repository=".", primary_contact=ann.id)
    jay.projects.set_source(orion.id, "jira", external_id="O", external_name="o", status="ok")
    skill = jay.skills.create(
        name="Feeding", instructions="Feed it", description="d", interval_minutes=5, required_tools=["hands"],
        plan=[{"id": "a", "tool": "hands"}],
    )  # fmt: skip
    jay.skills.ran(skill.id, summary="s")
    jay.skills.update(skill.id, instructions="Feed it well", reason="r")


PROFILE, CONTACT, PROJECT, SKILL = "13", "15", "17", "19"  # ids of the records above
WITHOUT_NULL = HOSTILE.replace("\0", "")
PLAN = json.dumps({"changes": [{"verb": "delete", "ids": [4], "text": "", "reason": HOSTILE}, {"verb": HOSTILE}]})
SESSION, SOURCE, TOKEN = f"talk{HOSTILE}", f"notes{HOSTILE}", f"laptop{HOSTILE}"
COMMANDS: dict[str, list[list[str]]] = {
    "search": [["heron"], ["heron", "--full"], ["heron", "--explain"], ["heron", "--kind", HOSTILE.strip()]],
    "turns": [["search", "herons"], ["add", "--user", HOSTILE, "--agent", HOSTILE, "--session", "x"]],
    "get": [["1", "2", "4", "5", "6", "8"], ["6", "--around", "2"], ["9", "--around", "2"], [HOSTILE]],
    "list": [[], ["--kind", HOSTILE], ["--subject", f"heron{HOSTILE}"]],
    "history": [["1"], ["--subject", f"heron{HOSTILE}"], [HOSTILE]],
    "timeline": [[], ["1"], ["--since", HOSTILE]],
    "context": [[], ["heron"], ["heron", "--session", HOSTILE]],
    "status": [[]],
    "kinds": [[]],
    "sources": [[], ["remove", HOSTILE], ["remove", SOURCE]],
    "sync": [[], ["--include", WITHOUT_NULL, WITHOUT_NULL]],
    "conflicts": [[], ["--dismiss", "2", "4"]],
    "tasks": [["list"], ["update", "5", "--note", HOSTILE], ["create", HOSTILE, "--scope", HOSTILE], [HOSTILE]],
    "sessions": [
        ["list"],
        ["list", "--file", HOSTILE],
        ["export", SESSION],
        ["end", SESSION],
        ["start", HOSTILE],
        ["export", HOSTILE],
    ],
    "profile": [
        [],
        ["set", "a.b", HOSTILE, "--reason", HOSTILE],
        ["set", HOSTILE, HOSTILE],
        ["history"],
        ["diff", "1", "2"],
        ["unset", HOSTILE],
        ["merge", HOSTILE],
        ["rollback", "1", "--reason", HOSTILE],
    ],
    "contacts": [
        [],
        ["get", CONTACT],
        ["get", HOSTILE],
        ["history", CONTACT],
        ["diff", CONTACT, "1", "2"],
        ["create", "Ben", "--email", HOSTILE],
        ["create", "Ben", "--notes", HOSTILE],
        ["rollback", CONTACT, "1"],
        ["delete", CONTACT],
    ],
    "projects": [
        [],
        ["get", PROJECT],
        ["sources"],
        ["history", PROJECT],
        ["diff", PROJECT, "1", "2"],
        ["create", "Vega", "--description", HOSTILE, "--contact", HOSTILE],
        ["set-source", PROJECT, HOSTILE],
        ["remove-source", PROJECT, HOSTILE],
    ],
    "skills": [
        [],
        ["due"],
        ["get", SKILL],
        ["history", SKILL],
        ["diff", SKILL, "1", "2"],
        ["create", "x", "--instructions", HOSTILE, "--schedule", HOSTILE],
        ["write", SKILL, "SKILL.md"],
        ["read", "SKILL.md"],
        ["read", WITHOUT_NULL],
        ["ran", SKILL, "--summary", HOSTILE],
    ],
    "extract": [[HOSTILE, "--dry-run"], ["--session", SESSION, "--again", "--rules"], ["--session", HOSTILE]],
    "synthesise": [["--apply", "plan.json"], []],
    "stats": [[]],
    "accesses": [[], ["1"], [HOSTILE]],
    "check": [[], ["--deep"]],
    "cleanup": [["--dry-run"]],
    "backfill": [[]],
    "reindex": [["--embedder", WITHOUT_NULL]],
    "activity": [[], ["--session", HOSTILE]],
    "events": [[], ["--after", HOSTILE]],
    "token": [["list"], ["revoke", TOKEN], ["revoke", HOSTILE], ["create", HOSTILE]],
    "add": [["The heron is called Bil"], [HOSTILE, "--subject", HOSTILE, "--title", HOSTILE], ["x", "--kind", HOSTILE]],
    "update": [["2", "--title", HOSTILE], ["2", "--metadata", HOSTILE]],
    "supersede": [["2", HOSTILE, "--reason", HOSTILE]],
    "revert": [["1", "--reason", HOSTILE]],
    "confirm": [["2"]],
    "link": [["1", "2", HOSTILE], ["1", HOSTILE]],
    "links": [["1"], [HOSTILE]],
    "citations": [["1"], [HOSTILE]],
    "unlink": [["1", "2"], ["1", "2", HOSTILE]],
    "rate": [["1", "--helpful", "--session", HOSTILE], [HOSTILE, "--helpful"]],
    "delete": [["2"], [HOSTILE]],
    "trash": [[]],
    "undelete": [["2"], [HOSTILE]],
    "config": [
        [],
        ["search.limit", HOSTILE],
        [HOSTILE],
        [HOSTILE, "5"],
        ["log.folder", WITHOUT_NULL],
        [],
        ["log.folder"],
    ],
    "spaces": [[]],
    "export": [["--csv", "-"], ["--csv", WITHOUT_NULL], [WITHOUT_NULL], ["all.jsonl"]],
    "import": [["all.jsonl"], [HOSTILE], ["plan.json"]],
    "backup": [["copy.db"], [WITHOUT_NULL]],
    "restore": [[WITHOUT_NULL, "--force"], ["plan.json", "--force"]],
    "move": [[WITHOUT_NULL, "x.db"]],
    "forget": [["1", "--dry-run"], ["--query", "heron", "--force"], ["--subject", HOSTILE, "--force"]],
    "subjects": [[]],
    "tags": [[]],
    "capture": [["plan.json", "--client", "gemini", "--session", HOSTILE]],
    "init": [[WITHOUT_NULL]],
    "trust": [["--list"], [WITHOUT_NULL]],
    "distrust": [[WITHOUT_NULL]],
}
WITHOUT_MEMORIES = {"watch", "mcp", "serve", "page", "hook", "completion", "demo", "install", "uninstall", "doctor"}


def test_what_a_server_logs_hides_nothing() -> None:
    record = logging.LogRecord("x", logging.WARNING, "", 0, "%s", (HOSTILE,), None)
    assert harm_in(VisibleLines("%(levelname)s: %(message)s").format(record).replace("\n", " ")) == []


def test_nor_does_what_a_server_of_the_network_logs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = logging.getLogger()
    monkeypatch.setattr(root, "handlers", [])
    log_to(file := tmp_path / "log")
    logging.getLogger("mcp").warning("%s", HOSTILE)
    root.handlers[0].close()
    assert CANARY in (logged := file.read_text()) and harm_in(logged.replace("\n", " ")) == []


def test_a_question_that_quotes_the_name_of_a_file_is_one_line_that_hides_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[str] = []
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(isatty=lambda: True))
    monkeypatch.setattr(click, "confirm", lambda question, **options: asked.append(question))
    may_go_on(Screen(False), f"Let the memory hold what {HOSTILE} holds?")
    assert harm_in(asked[0]) == [] and "\n" not in asked[0]


@pytest.mark.parametrize("uri", ["scrubjay://", "scrubjay://space/", "scrubjay://memory/", ""])
def test_an_unknown_resource_is_named_in_one_line_that_hides_nothing(path: Path, uri: str) -> None:
    with scrubjay.open(path, embedder="none") as jay, pytest.raises(RequestError) as refused:
        make_catalog(Opener(lambda: jay), ["core"]).read_resource(f"{uri}{HOSTILE}/startup")
    assert harm_in(str(refused.value)) == [] == leaks_in(str(refused.value).replace(CANARY, ""))
    assert "\n" not in str(refused.value)


def test_every_command_is_tried() -> None:
    assert set(COMMANDS) | WITHOUT_MEMORIES == set(MODULES)


@pytest.mark.parametrize("command", COMMANDS)
def test_no_command_shows_more_than_text(run: Run, planted: Path, place: Path, command: str) -> None:
    (place / "plan.json").write_text(PLAN)
    _log_hostile_hook(planted)
    where = [] if command in ("config", "init", "trust", "distrust", "move") else ["--store", str(planted)]
    for words in COMMANDS[command]:
        for how in ([], ["--json"]):
            answer = run(command, *words, *where, *how)
            assert harm_in(answer.out) == [] == harm_in(answer.err), (words, how)
            assert "Traceback" not in answer.err, words


def _log_hostile_hook(store: Path) -> None:
    texts = dict.fromkeys(("client", "event", "outcome", "reason", "session", "project"), HOSTILE)
    Path(hooks_log()).parent.mkdir(exist_ok=True)
    entry = {
        "at": "2026-05-01T10:00:00Z",
        "ms": 3,
        "space": "default",
        "store": str(store),
        "held_back": {"3": HOSTILE},
    }
    json_log.append(hooks_log(), {**texts, **entry})


TOOLS: dict[str, list[dict[str, Any]]] = {
    "memory_add": [{"text": "The heron is called Bil", "subject": f"heron{HOSTILE}"}],
    "memory_add_many": [{"items": [{"text": "The heron is called Bob", "subject": f"heron{HOSTILE}"}, {"x": HOSTILE}]}],
    "memory_search": [{"query": "heron"}, {"query": "heron", "explain": True}, {"query": "storks"}],
    "memory_get": [{"ids": [1, 2, 4, 5, 6, 8, 9]}, {"ids": [6, 9], "around": 3}],
    "memory_timeline": [{}, {"id": 1}],
    "memory_update": [{"id": 2, "confirm": True}],
    "memory_supersede": [{"id": 2, "text": "The heron is called Rob"}],
    "memory_delete": [{"id": 4}],
    "memory_context": [{}, {"message": "heron"}],
    "memory_list": [{}, {"subject": f"heron{HOSTILE}"}],
    "memory_names": [{"of": "subjects"}, {"of": "tags"}, {"of": "kinds"}, {"of": "sessions"}, {"of": "sources"}],
    "memory_history": [{"id": 1}, {"subject": f"heron{HOSTILE}"}],
    "memory_revert": [{"id": 1}],
    "memory_undelete": [{"id": 2}],
    "memory_conflicts": [{}],
    "memory_link": [{"id": 1, "to": 2, "word": HOSTILE}],
    "memory_links": [{"id": 1}],
    "memory_unlink": [{"id": 1, "to": 2}],
    "memory_rate": [{"id": 1, "helpful": True, "session": HOSTILE}],
    "memory_connect": [{"id": 1, "aliases": [HOSTILE], "paths": [HOSTILE]}],
    "memory_files": [{"files": [HOSTILE]}],
    "task_create": [{"text": "Feed the stork"}],
    "task_update": [{"id": 5, "status": "in_progress"}],
    "task_list": [{}, {"status": "all"}],
    "session_start": [{}],
    "session_list": [{}, {"file": HOSTILE}],
    "session_end": [{"session": SESSION}],
    "session_turns": [{"session": "new", "turns": [{"speaker": "x", "text": "y"}]}],
    "profile_get": [{}, {"path": HOSTILE}, {"version": 1}],
    "profile_set": [{"path": "a.b", "value": HOSTILE}],
    "profile_unset": [{"path": HOSTILE}],
    "profile_merge": [{"data": {"a": HOSTILE}}],
    "profile_history": [{}, {"first": 1}, {"first": 1, "second": 2}],
    "profile_rollback": [{"version": 1}],
    "contact_create": [{"name": "Ben"}],
    "contact_update": [{"contact": int(CONTACT), "fields": {"role": "feeder"}}],
    "contact_list": [{}],
    "project_create": [{"name": "Vega"}],
    "project_update": [{"project": int(PROJECT), "fields": {"priority": "low"}}],
    "project_list": [{}, {"contact": int(CONTACT)}],
    "project_set_source": [{"project": int(PROJECT), "system": "github"}],
    "project_remove_source": [{"project": int(PROJECT), "system": "github"}],
    "project_sources": [{}],
    "skill_create": [{"name": "Watching", "instructions": "Look"}],
    "skill_update": [{"skill": int(SKILL), "fields": {"max_steps": 5}}],
    "skill_list": [{}, {"due": True}],
    "skill_ran": [{"skill": int(SKILL), "summary": HOSTILE}],
    "record_get": [{"id": int(CONTACT)}, {"id": int(PROJECT)}, {"id": int(SKILL)}, {"id": int(PROFILE)}, {"id": 1}],
    "record_history": [{"id": int(CONTACT)}, {"id": int(SKILL), "first": 1}],
    "record_rollback": [{"id": int(CONTACT), "version": 1}],
    "record_delete": [{"id": int(CONTACT)}],
    "memory_sync": [{}],
    "memory_status": [{}],
    "memory_stats": [{}],
    "memory_curate": [{"task": "the heron"}],
    "memory_providers": [{}],
    "memory_accesses": [{}, {"id": 1}],
    "memory_activity": [{}],
    "memory_cleanup": [{}],
    "memory_backfill": [{}],
    "memory_extract": [{"session": SESSION, "dry_run": True}],
    "memory_synthesise": [{}],
}


FORM_VALUES = re.compile(r"<textarea.*?</textarea>|<(?:input|option)[^>]*>", re.DOTALL)  # sent back as they are
ADDRESSES = [
    *(page.path for page in PAGES if page.method == "GET" and "{" not in page.path and "export" not in page.path),
    "/search?q=heron",
    *(f"/memories/{id}{part}" for id in (1, 2, 4, 6, 9) for part in ("", "/around", "/correct", "/forget")),
    *(f"/records/{noun}{part}" for noun in ("contacts/12", "projects/14", "skills/16") for part in ("", "/change")),
]


def test_no_page_shows_more_than_text(planted: Path) -> None:
    with scrubjay.open(planted, embedder="none") as jay:
        own = OwnLogins(jay.view)
        app = make_app(make_server(Opener(lambda: jay)), jay.tokens.verify, own=own)
        with TestClient(app, base_url="http://localhost") as client:
            client.get("/login", params={"code": own.link()})
            shown = {path: client.get(path) for path in ADDRESSES}
    for path, answer in shown.items():
        text = FORM_VALUES.sub("", answer.text).replace("\n", " ")  # in HTML, a line ends nothing
        assert answer.status_code == 200 and harm_in(text) == [], path
    assert sum(CANARY in answer.text for answer in shown.values()) > len(ADDRESSES) / 2


OVER_HTTP = ("memories", "memories/1", "timeline", "kinds", "sessions", "tasks", "sources", "stats", "contacts/12")


def test_json_of_the_server_is_exact_and_hides_nothing(planted: Path) -> None:
    with scrubjay.open(planted, embedder="none") as jay:
        _, secret = jay.tokens.create("reader", scopes=["read", "admin"], all_spaces=True)
        app = make_app(make_server(Opener(lambda: jay)), jay.tokens.verify)
        with TestClient(app, base_url="http://localhost", headers={"Authorization": f"Bearer {secret}"}) as client:
            shown = {name: client.get(f"/api/v1/{name}") for name in OVER_HTTP}
        assert shown["memories/1"].json()["text"] == jay.get(1).text  # type: ignore[union-attr]
    for name, answer in shown.items():
        assert CANARY in answer.text and harm_in(answer.text) == [], name


NEARLY = "the deploy pipeline of the billing service"  # asked about; the memory's subject has a few words more


def test_a_note_that_quotes_a_memory_or_a_file_name_stands_in_the_fence(path: Path, tmp_path: Path) -> None:
    planted, notes = f"{NEARLY}, {CANARY}", tmp_path / "notes"
    notes.mkdir()
    (notes / f".{CANARY} run it.md").write_text("Hidden")
    with scrubjay.open(path, embedder="none") as jay:
        fields = {"subject": planted, "tags": [planted], "project": planted, "source": planted, "trust": "external"}
        jay.add("The pipeline is green", kind=f"{CANARY}-kind", **typing.cast("Any", fields))
        jay.sources.add(notes)
    asked: list[tuple[str, dict[str, Any]]] = [
        ("memory_search", {"query": "x", "subject": NEARLY}),
        ("memory_search", {"query": "x", "tags": [NEARLY]}),
        ("memory_search", {"query": "x", "project": NEARLY}),
        ("memory_search", {"query": "x", "sources": [NEARLY]}),
        ("memory_search", {"query": "pipeline", "kinds": ["cnary-kind"]}),
        ("memory_timeline", {"kinds": ["cnary-kind"]}),
        ("memory_list", {"subject": NEARLY}),
        ("memory_history", {"subject": NEARLY}),
        ("memory_sync", {}),
    ]

    async def play() -> None:
        async with talk(path, sets=SETS) as talking:
            for name, arguments in asked:
                answer = await talking.call(name, **arguments)
                assert CANARY in answer and leaks_in(answer) == [], (name, arguments)

    anyio.run(play)


ERROR_CHARACTERS = 300  # an error may quote a little
OWN_WORDS = {"session_end"}  # what the caller has just said itself stands outside of the fence, on one line


def test_no_tool_resource_or_prompt_lets_memories_out_of_their_fence(planted: Path) -> None:
    _log_hostile_hook(planted)

    async def play() -> None:
        async with talk(planted, sets=SETS) as talking:
            listed = {tool.name for tool in (await talking.client.list_tools()).tools}
            assert listed == set(TOOLS)
            for name, calls in TOOLS.items():
                for arguments in calls:
                    await _try(talking, name, arguments)
            await _try_reading(talking)

    anyio.run(play)


async def _try(talking: Talk, name: str, arguments: dict[str, Any]) -> None:
    answer = await talking.client.call_tool(name, arguments)
    (block,) = answer.content
    assert isinstance(block, TextContent)
    assert harm_in(block.text) == [], (name, arguments)
    if answer.is_error:
        assert len(block.text) < ERROR_CHARACTERS and "\n" not in block.text
    elif name not in OWN_WORDS:
        assert leaks_in(block.text) == [], (name, arguments)
    misused = await talking.client.call_tool(name, {HOSTILE: HOSTILE, **{key: HOSTILE for key in arguments}})
    assert misused.is_error and all(harm_in(getattr(one, "text", "")) == [] for one in misused.content)


async def _try_reading(talking: Talk) -> None:
    for uri in ("scrubjay://memory/1", "scrubjay://memory/9", "scrubjay://memory/startup"):
        (page,) = (await talking.client.read_resource(uri)).contents
        text = typing.cast("Any", page).text
        assert CANARY in text and harm_in(text) == [] == leaks_in(text)
    prompt = await talking.client.get_prompt("recall", {"topic": "heron"})
    (message,) = prompt.messages
    assert isinstance(message.content, TextContent)
    assert harm_in(message.content.text) == [] == leaks_in(message.content.text)
    for name in (HOSTILE, "recall"):
        with pytest.raises(MCPError) as refused:
            await talking.client.get_prompt(name, {})
        assert refused.value.error.code == INVALID_PARAMS and harm_in(refused.value.error.message) == []
    unknown = await talking.client.call_tool(HOSTILE, {})
    assert unknown.is_error and harm_in(getattr(unknown.content[0], "text", "")) == []
    topics = await talking.client.complete(PromptReference(name="recall"), {"name": "topic", "value": ""})
    assert all(harm_in(value) == [] for value in topics.completion.values)
