"""The docs and the command line tell of the same commands."""

from __future__ import annotations

import re
from pathlib import Path

import click
import pytest

from scrubjay.interfaces.cli.app import MODULES, cli

ROOT = Path(__file__).parent.parent
REFERENCE = ROOT / "docs" / "reference" / "cli.md"
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]

HEADING = re.compile(r"^#+ .*$", re.MULTILINE)
EXAMPLE = re.compile(r"^(?:\$ )?scrubjay (?P<command>[a-z]\S*)", re.MULTILINE)


def read(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.exists() else ""


@pytest.mark.parametrize("name", MODULES)
def test_every_command_has_a_section_in_the_reference(name: str) -> None:
    headings = [re.findall(r"[\w-]+", heading) for heading in HEADING.findall(read(REFERENCE))]
    assert any(name in heading for heading in headings), f"{REFERENCE.relative_to(ROOT)} has no section on {name}"


@pytest.mark.parametrize("name", MODULES)
def test_every_option_is_in_the_reference(name: str) -> None:
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    options = {flag for option in command.params for flag in option.opts if flag.startswith("--")}
    missing = {flag for flag in options if not re.search(rf"{flag}\b", read(REFERENCE))}
    assert missing == set()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_no_page_shows_a_command_that_does_not_exist(page: Path) -> None:
    assert set(EXAMPLE.findall(read(page))) <= set(MODULES)


@pytest.mark.parametrize("page", ["docs/faults.md", "docs/security.md"])
def test_every_test_that_a_page_names_exists(page: str) -> None:
    named = re.findall(r"`tests/((?:\w+/)*test_\w+\.py)::(test_\w+)`", read(ROOT / page))
    assert len(named) > 15
    assert [pair for pair in named if f"def {pair[1]}(" not in read(ROOT / "tests" / pair[0])] == []


@pytest.mark.parametrize(
    "page", [ROOT / "SECURITY.md", ROOT / "CHANGELOG.md", *PAGES], ids=lambda page: str(page.relative_to(ROOT))
)
def test_every_link_leads_to_a_page_and_a_heading_that_exist(page: Path) -> None:
    links = re.findall(r"\]\((?!https?:)([^)#\s]*)#?([^)\s]*)\)", read(page))
    assert [link for link in links if not leads_somewhere(page, *link)] == []


def leads_somewhere(page: Path, name: str, heading: str) -> bool:
    target = page.parent / name if name else page
    return target.exists() and (
        not heading or heading in set(map(anchor, re.findall(r"^#+ (.*)$", read(target), re.M)))
    )


def anchor(heading: str) -> str:
    """What a heading is called in a link."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def test_the_architecture_page_names_every_room_and_stays_short() -> None:
    page = read(ROOT / "docs/architecture.md")
    assert len(page.splitlines()) <= 150 and page.count("```mermaid") == 2
    package = ROOT / "src/scrubjay"
    rooms = {path.stem for path in package.glob("*.py")} | {path.parent.name for path in package.glob("*/__init__.py")}
    table = page.partition("## Rooms")[2].partition("\n## ")[0]
    assert sorted(rooms - {"__init__", "__main__"} - set(re.findall(r"\w+", table))) == []


def test_every_file_that_the_architecture_page_names_exists() -> None:
    named = re.findall(r"`([\w/]+/[\w.]*)`", read(ROOT / "docs/architecture.md"))
    places = [ROOT / "src/scrubjay", ROOT]
    assert [name for name in named if not any((place / name).exists() for place in places)] == []


def test_every_decision_is_listed_and_says_why() -> None:
    pages = sorted((ROOT / "docs/decisions").glob("*.md"))
    assert [page.name for page in pages if page.name not in read(ROOT / "docs/design.md")] == []
    for page in pages:
        assert re.findall("^## (.*)$", read(page), re.M)[:1] == ["Context"]
        assert "## What would change it" in read(page)
