"""The architecture is a test: imports point one way through the rooms, and no file grows too long."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import scrubjay

PACKAGE = Path(scrubjay.__file__).parent
MODULES = sorted(PACKAGE.rglob("*.py"))
LINES = 400
FOLDERS = sorted({path.parent for path in MODULES} - {PACKAGE})
ROOT = PACKAGE.parents[1]
TESTS = sorted((ROOT / "tests").rglob("*.py"))

# From the ground up: a room may import itself and the rooms before it.
ROOMS = (
    "text errors files types dates config stores project models memory search upkeep sources agents records portable"
    " api remote opening async_api __init__ hooks clients doctor interfaces adapters __main__"
).split()


def module_name(path: Path) -> str:
    return ".".join(path.relative_to(PACKAGE).with_suffix("").parts)


def room(module: str) -> int:
    return ROOMS.index(module.split(".")[0])


def imported(path: Path) -> Iterator[str]:
    """The modules of ours that a module imports, wherever in the file."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (name.name.removeprefix("scrubjay.") for name in node.names if name.name.startswith("scrubjay."))
        elif isinstance(node, ast.ImportFrom) and node.module == "scrubjay":
            yield from (name.name if name.name in ROOMS else "__init__" for name in node.names)
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("scrubjay."):
            yield (node.module or "").removeprefix("scrubjay.")


@pytest.mark.parametrize("path", MODULES, ids=module_name)
def test_each_room_imports_only_rooms_before_it(path: Path) -> None:
    """The package itself is left out: it imports a name when it is first used, from whichever room."""
    own = module_name(path)
    assert own == "__init__" or {name for name in imported(path) if room(name) > room(own)} == set()


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_a_room_has_at_most_twelve_modules(folder: Path) -> None:
    assert len([path for path in folder.glob("*.py") if path.name != "__init__.py"]) <= 12


@pytest.mark.parametrize("path", MODULES, ids=module_name)
def test_files_stay_short_and_say_what_they_are_for(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= LINES
    assert ast.get_docstring(ast.parse(text))


def test_every_public_name_can_be_had() -> None:
    assert scrubjay.__all__ == sorted(scrubjay.__all__)
    for name in scrubjay.__all__:
        assert getattr(scrubjay, name).__module__.startswith("scrubjay.")
    with pytest.raises(AttributeError, match="no attribute 'close'"):
        getattr(scrubjay, "close")  # noqa: B009


@pytest.mark.parametrize("path", TESTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_no_test_imports_another_or_the_benchmarks(path: Path) -> None:
    """What tests share is in tests/support; only tests/bench, which tests the benchmarks, imports them."""
    allowed = ("tests.support", "bench") if path.parent.name == "bench" else ("tests.support",)
    tree = ast.parse(path.read_text(encoding="utf-8"))
    names = [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    ours = [name for name in names if name.split(".")[0] in ("tests", "bench", "prove", "conftest")]
    assert [name for name in ours if not name.startswith(allowed)] == []


def test_only_one_function_makes_a_time_local_which_some_days_of_the_calendar_cannot_be() -> None:
    """What people type, schedules and days that are counted from today check what they make themselves."""
    checked = {"dates/timestamps.py", "dates/questions.py", "dates/arguments.py", "records/schedules.py"}
    checked |= {"sources/markdown/front_matter.py", "interfaces/page/views/timeline.py"}
    making = {path.relative_to(PACKAGE).as_posix() for path in MODULES if ".astimezone()" in path.read_text("utf-8")}
    assert making == checked
