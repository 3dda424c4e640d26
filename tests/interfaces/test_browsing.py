"""Looking around: which names there are, by every door, and what a result shows of its text."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import anyio
import click
import pytest

import scrubjay
from scrubjay.interfaces.cli.app import cli
from scrubjay.interfaces.cli.shared.completion import NamedThing, _quoted, completing
from tests.support.commands import Run
from tests.support.mcp_client import talk

FILLER = "Nothing of interest is said in this sentence. " * 10


@pytest.fixture
def stocked(jay: scrubjay.Scrubjay, path: Path, monkeypatch: pytest.MonkeyPatch) -> scrubjay.Scrubjay:
    jay.add("Ann likes herons", kind="preference", subject="Ann", tags=["birds", "people"])
    jay.add("Ann has seen a wren", kind="event", subject="Ann", tags=["birds"])
    jay.add_turns("morning talk", [{"speaker": "Ann", "text": "Herons again"}])
    jay.lend(space="work").add("The heron server is down", subject="heron")
    monkeypatch.setenv("SCRUBJAY_STORE", str(path))
    monkeypatch.setenv("SCRUBJAY_EMBEDDER", "hashing")
    return jay


def test_names_are_counted_the_most_frequent_first(stocked: scrubjay.Scrubjay) -> None:
    assert stocked.spaces() == {"default": 3, "work": 1}
    assert list(stocked.subjects().items()) == [("Ann", 2)]
    assert list(stocked.tags().items()) == [("birds", 2), ("people", 1)]
    assert stocked.kinds() == {"event": 1, "preference": 1, "turn": 1}
    stocked.delete(1)
    assert stocked.tags() == {"birds": 1}


def test_the_command_line_lists_them(stocked: scrubjay.Scrubjay, run: Run) -> None:
    assert run("spaces").out.splitlines() == ["memories  space", "3         default", "1         work"]
    assert run("tags", "--json").json == {
        "tags": [{"tag": "birds", "memories": 2}, {"tag": "people", "memories": 1}]
    }  # fmt: skip
    assert run("subjects", "--space", "work", "--json").json == {"subjects": [{"subject": "heron", "memories": 1}]}
    assert run("tags", "--space", "work").out == "No memory has a tag yet.\n"


def test_an_agent_lists_them(stocked: scrubjay.Scrubjay, path: Path, tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes/a.md").write_text("Tea at four")
    stocked.sources.add(tmp_path / "notes")
    stocked.sync()

    async def play() -> None:
        async with talk(path) as talking:
            shown = {
                "spaces": "work: 1", "subjects": "Ann: 2", "tags": "birds: 2", "kinds": "event: 1",
                "sessions": "morning talk: 1", "sources": "notes: 1",
            }  # fmt: skip
            for of, line in shown.items():
                assert line in (await talking.call("memory_names", of=of)).splitlines()

    anyio.run(play)


@pytest.mark.parametrize(
    ("what", "typed", "offered"),
    [
        ("space", "w", ["work"]),
        ("subject", "", ["Ann"]),
        ("tag", "b", ["birds"]),
        ("session", "m", ["morning talk"]),
        ("kind", "pre", ["preference"]),
        ("source", "", []),
    ],
)
def test_the_shell_is_told_the_names_that_there_are(
    stocked: scrubjay.Scrubjay, what: NamedThing, typed: str, offered: list[str]
) -> None:
    command = click.Command("list")
    found = completing(what)(click.Context(command), click.Option(["--x"]), typed)
    assert [item.value for item in found] == offered


def test_completing_creates_nothing(home: Path) -> None:
    context = click.Context(click.Command("list"))
    assert completing("tag")(context, click.Option(["--tag"]), "") == []
    assert not home.exists()


SHELL_WORDS = [
    "$(touch run)",
    "`touch run`",
    "a b;touch run",
    "a' \"b",
    "*",
    "Zoë & co",
    "c\\d",
    "e,f,",
    "~",
    "-g!",
    "é$(touch run)",
]


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
@pytest.mark.parametrize("locale", ["C", "C.UTF-8"])
@pytest.mark.parametrize("opened", ["", '"', "'"])
def test_no_name_is_run_or_read_otherwise_when_bash_completes_it(
    stocked: scrubjay.Scrubjay, run: Run, place: Path, opened: str, locale: str
) -> None:
    stocked.add("Names that a shell would read as commands", tags=SHELL_WORDS)
    program = place / "scrubjay"
    program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m scrubjay "$@"\n')
    program.chmod(0o700)
    (place / "file").touch()
    told = f"COMP_WORDS=(scrubjay list --tag {shlex.quote(opened)}); COMP_CWORD=3; _scrubjay_completion ./scrubjay"
    typed = 'for word in "${COMPREPLY[@]}"; do eval "printf \'%s\\n\' $0$word$0"; done'
    script = "\n".join([run("completion", "bash").out, told, typed])
    command = ["env", f"LC_ALL={locale}", "bash", "--norc", "-c", script, opened]
    answer = subprocess.run(command, capture_output=True, encoding="utf-8", timeout=60, check=True)
    assert set(answer.stdout.splitlines()) == {*SHELL_WORDS, "birds", "people"}
    assert not (place / "run").exists()


def test_nor_after_a_quotation_mark_that_is_closed_again_or_stands_within_the_word() -> None:
    for word in ('"a"', "'a'", 'a"', "a'", '"a\\"'):
        assert _quoted("a; $(b)", word) == r"a\;\ \$\(b\)"


def test_every_option_that_takes_a_name_completes_it() -> None:
    context = click.Context(cli)
    for command, flag in [("search", "--tag"), ("list", "--source"), ("add", "--subject"), ("add", "--space")]:
        found = cli.get_command(context, command)
        assert found is not None
        option = next(option for option in found.params if flag in option.opts)
        assert option._custom_shell_complete is not None


def test_a_misspelt_command_space_source_or_session_is_answered_with_the_nearest(
    stocked: scrubjay.Scrubjay, run: Run, tmp_path: Path
) -> None:
    assert run("serach", "x").err == "Error: No such command 'serach'. Did you mean 'search'?\n"
    assert "There is no memory in space 'wrok'; did you mean 'work'?" in run("list", "--space", "wrok").err
    assert "in space 'wrok'; did you mean 'work'?" in run("search", "heron", "--in-space", "wrok").err
    assert stocked.search("heron", spaces=["wrok", "work"]).notes[-1].endswith("did you mean 'work'?")
    assert "did you mean 'morning talk'?" in run("sessions", "export", "mornin talk").err
    (tmp_path / "notes").mkdir()
    stocked.sources.add(tmp_path / "notes")
    assert "did you mean 'notes'?" in run("sources", "remove", "note").err
    assert run("add", "A new one", "--space", "wrok").err == ""


def test_hits_of_several_spaces_say_whose_they_are(stocked: scrubjay.Scrubjay, run: Run) -> None:
    answer = run("search", "heron", "--in-space", "default", "--in-space", "work")
    assert "space" in answer.out.splitlines()[0].split()
    assert any(line.split()[2] == "work" for line in answer.out.splitlines())
    assert "space" not in run("search", "heron").out.splitlines()[0].split()
    both = run("search", "heron", "--in-space", "default", "--in-space", "work", "--json").json["results"]
    assert {hit["space"] for hit in both} == {"default", "work"}


def test_a_search_takes_a_sources_name_or_a_folder_in_it(jay: scrubjay.Scrubjay, tmp_path: Path) -> None:
    for name in ("notes/ops/a.md", "notes/home/b.md", "other/ops/c.md"):
        file = tmp_path / name
        file.parent.mkdir(parents=True)
        file.write_text(f"The heron of {name}")
    for source in ("notes", "other"):
        jay.sources.add(tmp_path / source)
    jay.sync()

    def found(*sources: str) -> set[str | None]:
        return {hit.memory.document for hit in jay.search("heron", sources=sources)}

    assert found("notes") == {"notes/ops/a.md", "notes/home/b.md"}
    assert found("notes/ops") == {"notes/ops/a.md"}
    assert found("notes/ops/a.md") == found("file:notes/ops/a.md") == {"notes/ops/a.md"}
    assert found("note") == set() and len(found("file")) == 3
    assert jay.filter_notes(sources=["notes/op"])[0].endswith("did you mean 'notes/ops'?")
    assert jay.filter_notes(sources=["notes", "notes/ops", "file"]) == []


def test_a_repository_is_a_source_by_name(jay: scrubjay.Scrubjay, tmp_path: Path) -> None:
    git = ["git", "-C", str(tmp_path), "-c", "user.name=Ann", "-c", "user.email=ann@example.org"]
    subprocess.run([*git, "init", "-q"], check=True)
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "The heron is blue"], check=True)
    name = jay.sources.add(tmp_path, kind="git").name
    jay.sync()
    assert len(jay.search("heron", sources=[name])) == 1


def test_a_result_shows_the_text_around_the_match_and_its_place(
    jay: scrubjay.Scrubjay, path: Path, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes/a.md").write_text(f"# Ops\n\n{FILLER}The heron port is 8080. {FILLER}")
    jay.sources.add(tmp_path / "notes")
    jay.sync()
    assert "The heron port is 8080" in jay.search("heron port")[0].snippet(60)
    monkeypatch.setenv("SCRUBJAY_STORE", str(path))
    shown = run("search", "heron port").out
    assert "notes/a.md:1-3" in shown and "The heron port is 8080" in shown
    assert "notes/a.md:1-3" in run("search", "heron port", "--full").out
    assert "The heron port is 8080" in run("search", "heron port", "--json").json["results"][0]["snippet"]

    async def play() -> None:
        async with talk(path) as talking:
            answer = await talking.call("memory_search", query="heron port")
            assert "notes/a.md:1-3 " in answer and "The heron port is 8080" in answer

    anyio.run(play)
