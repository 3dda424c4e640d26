"""README, quickstart and guides do what they show: their commands are run, and so are their programs."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from datetime import UTC, date, datetime
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

import click
import pytest
from tools.terminal import REFUSED, Terminal

import scrubjay
from scrubjay.interfaces.cli.app import MODULES, cli
from scrubjay.models.embedders.hashing import connect
from tests.support.scripted_model import scripted_model

ROOT = Path(__file__).parent.parent
GUIDES = [f"docs/guides/{path.name}" for path in sorted((ROOT / "docs/guides").glob("*.md"))]
ADAPTERS = [f"docs/adapters/{path.name}" for path in sorted((ROOT / "docs/adapters").glob("*.md"))]
PAGES = ["README.md", "docs/quickstart.md", *GUIDES, "docs/providers.md", *ADAPTERS]
EACH_SECTION_ALONE = GUIDES  # as their index says
RUN_ON = ("serve", "page", "watch", "mcp")  # until they are stopped: tests of their own start them


class Block(NamedTuple):
    page: str
    line: int
    section: int
    text: str

    @property
    def name(self) -> str:
        return f"{self.page}:{self.line}"


def blocks(language: str) -> Iterator[Block]:
    for page in PAGES:
        text = (ROOT / page).read_text(encoding="utf-8")
        for found in re.finditer(rf"^```{language}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE):
            before = text[: found.start()]
            section = len(re.findall(r"^## ", before, re.MULTILINE)) if page in EACH_SECTION_ALONE else 0
            yield Block(page, before.count("\n") + 1, section, found[1])


def steps(block: Block) -> Iterator[tuple[str, str]]:
    """Each command of a block, which may have several lines, and what is shown below it."""
    for part in re.split(r"^(?=\$ |# \d{4}-)", block.text, flags=re.MULTILINE):
        lines = part.removeprefix("$ ").splitlines()
        count = next((number for number in range(1, len(lines) + 1) if is_whole("\n".join(lines[:number]))), 0)
        if count:
            yield "\n".join(lines[:count]), "\n".join(lines[count:]).strip()


def is_whole(command: str) -> bool:
    return command.count('"') % 2 == 0


def shows_output(block: Block) -> bool:
    return any(shown for _, shown in steps(block)) and not block.text.startswith(
        tuple(f"$ scrubjay {on}" for on in RUN_ON)
    )


SHOWN = [block for block in blocks("console") if shows_output(block)]
ASKED = [block for block in blocks("console") if not shows_output(block)]


@pytest.mark.parametrize("place", sorted({(block.page, block.section) for block in SHOWN}), ids=str)
def test_commands_print_what_the_page_shows(place: tuple[str, int], tmp_path: Path) -> None:
    terminal = Terminal(home=tmp_path)
    for block in (block for block in SHOWN if (block.page, block.section) == place):
        for command, shown in steps(block):
            refused = f" {REFUSED}" if "Error: " in shown else ""
            printed = terminal.show(command + refused).removeprefix("$ ").removeprefix(command).strip()
            assert printed == shown, f"{block.name}: {command}"


@pytest.mark.parametrize("block", ASKED, ids=lambda block: block.name)
def test_commands_that_show_no_output_are_understood(
    block: Block, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "notes").mkdir()
    (tmp_path / "plan.json").write_text("{}")
    (tmp_path / "memories.jsonl").write_text("{}")
    (tmp_path / "src" / "bird").mkdir(parents=True)
    for command, _ in steps(block):
        for name, arguments in scrubjay_calls(command):
            found = cli.get_command(click.Context(cli), name)
            assert found is not None, f"{block.name}: {command}"
            found.make_context(name, arguments)


def scrubjay_calls(command: str) -> Iterator[tuple[str, list[str]]]:
    """The calls of `scrubjay` in a line of a shell, with their arguments."""
    lexer = shlex.shlex(command, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    for is_operator, words in groupby(lexer, lambda word: set(word) <= set("|>&")):
        call = [str(Path(word).expanduser()) for word in words]
        if not is_operator and call[0] == "scrubjay":
            yield call[1], call[2:]


@pytest.mark.parametrize("block", [*blocks("python")], ids=lambda block: block.name)
def test_programs_run(block: Block, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a program does not open a memory itself, `jay` is one with a few memories, as the page says."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "deploy.md").write_text("# Deploys\n\nThe blue button undoes a release.\n")
    with scrubjay.open(tmp_path / "opened.db") as jay, scripted_model() as model:
        for name, value in model.environment().items():  # the programs of adapters ask a model
            monkeypatch.setenv(name, value)
        jay.add_many([{"text": f"The port of service {number} is {9000 + number}"} for number in range(1, 11)])
        names = {"scrubjay": scrubjay, "jay": jay, "date": date, "when": datetime.now(UTC), "mine": connect()}
        exec(compile(block.text, block.name, "exec"), names)


@pytest.mark.parametrize("name", [name for name in MODULES if name not in ("mcp", "serve", "page", "hook")])
def test_every_command_but_the_servers_and_hooks_prints_json_on_request(name: str) -> None:
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    assert "--json" in {flag for option in command.params for flag in option.opts}
