"""Fixtures: a memory in a temporary folder, a clock that is set by hand, and never the user's home."""

from __future__ import annotations

import io
import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import cast

import apsw
import pytest
from hypothesis import HealthCheck, settings

import scrubjay
from scrubjay.interfaces.cli import main
from tests.support.address import Address, refuse_as_file
from tests.support.clock import Clock
from tests.support.commands import Answer, Run
from tests.support.postgres_server import QUICK, Databases, database_server

TESTS = Path(__file__).parent
STORES = ("sqlite", "postgres")
os.environ["TZ"] = "UTC"  # dates are shown in local time: the same on every machine
time.tzset()

HEALTH = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
# `make test` tries the same examples on every run; `make prove` searches at random, with many more.
settings.register_profile("same", deadline=None, database=None, suppress_health_check=HEALTH, derandomize=True)
settings.register_profile(
    "random", deadline=None, database=None, suppress_health_check=HEALTH, max_examples=1_000, print_blob=True
)
settings.load_profile("same")


# Files whose tests take ten seconds or more together, by `pytest --durations=0`: `make check` leaves them out.
SLOW = """
    clients/install_property doctor/doctor
    interfaces/cli interfaces/cli_knowledge interfaces/hostile_text interfaces/http interfaces/mcp
    interfaces/mcp_process interfaces/scopes interfaces/watch laziness memory/knowledge
    memory/knowledge_property memory/secrets memory/trash models/embedders models/providers pages project/trust
    portable/export portable/import portable/forget search/confidence search/search sources/chunking sources/sync
    sources/sync_conversations sources/sync_sources
    stores/faults stores/files stores/planted_values stores/processes stores/vector_cache text/secret_scan
    text/words types/limits
""".split()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--store", choices=STORES, default="sqlite", help="where the memories of the tests are kept")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test that is marked for it is run on each store."""
    if metafunc.definition.get_closest_marker("every_store") and metafunc.config.getoption("--store") == "sqlite":
        metafunc.parametrize("kept_in", STORES, indirect=True)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        if config.getoption("--store") == "postgres" and item.get_closest_marker("sqlite"):
            item.add_marker(pytest.mark.skip(reason="about SQLite"))
        name = item.path.relative_to(TESTS).with_suffix("").as_posix() if item.path.is_relative_to(TESTS) else ""
        if name.replace("test_", "", 1) in SLOW:
            item.add_marker("slow")


def pytest_report_header() -> str:
    return f"scrubjay {scrubjay.__version__}, SQLite {apsw.sqlite_lib_version()}"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of the test's own: settings and the default memory lie below it."""
    for name in [name for name in os.environ if name.startswith("SCRUBJAY_")]:
        monkeypatch.delenv(name)
    folder = tmp_path / "home"
    monkeypatch.setenv("SCRUBJAY_HOME", str(folder))
    monkeypatch.setenv("HOME", str(folder))
    return folder


@pytest.fixture(scope="session")
def databases() -> Iterator[Databases]:
    """A server of PostgreSQL for all tests of this process."""
    with database_server(**QUICK) as server:
        yield Databases(server)


@pytest.fixture
def database(databases: Databases) -> Iterator[str]:
    """The address of a database of one's own."""
    with databases.lent() as url:
        yield url


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def kept_in(request: pytest.FixtureRequest) -> str:
    """The store of a test: `sqlite` or `postgres`."""
    return str(getattr(request, "param", request.config.getoption("--store")))


@pytest.fixture
def path(request: pytest.FixtureRequest, kept_in: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    if kept_in == "postgres":
        refuse_as_file(monkeypatch)
        return cast("Path", Address(request.getfixturevalue("database")))
    return tmp_path / "memory.db"


@pytest.fixture
def jay(path: Path, clock: Clock) -> Iterator[scrubjay.Scrubjay]:
    """A memory with the small embedder: enough for all that is not about meaning."""
    with scrubjay.open(path, embedder="hashing", clock=clock) as opened:
        yield opened


@pytest.fixture
def reopen(path: Path, clock: Clock) -> Callable[..., scrubjay.Scrubjay]:
    """Open the same file again, as another process would."""

    def open_again(**options: object) -> scrubjay.Scrubjay:
        return scrubjay.open(path, **{"clock": clock, **options})  # type: ignore[arg-type]

    return open_again


@pytest.fixture
def place(request: pytest.FixtureRequest, kept_in: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder outside of any repository, a terminal of known width, and no language model to load."""
    folder = tmp_path / "work"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("SCRUBJAY_EMBEDDER", "none")
    if kept_in == "postgres":
        monkeypatch.setenv("SCRUBJAY_STORE", request.getfixturevalue("database"))
    return folder


@pytest.fixture
def run(place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command in this process, as its program would."""

    def call(*words: str, stdin: bytes = b"") -> Answer:
        monkeypatch.setattr(sys, "argv", ["scrubjay", *words])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        with pytest.raises(SystemExit) as end:
            main()
        code = end.value.code or 0
        assert isinstance(code, int)
        return Answer(code, *capsys.readouterr())

    return call
