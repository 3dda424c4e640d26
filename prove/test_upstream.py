"""The frameworks' own tests, from their source packages, with only their stores swapped for ours.

Nothing of theirs is in this repository: they are downloaded, and run in an environment of their own. `pytest -s` prints
the counts that the docs give.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import tempfile
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import NamedTuple

import pytest

from real_clients import alone

ROOT = Path(__file__).parent.parent
CACHE = Path(tempfile.gettempdir()) / "scrubjay-upstream"
PYTHON = CACHE / "venv" / "bin" / "python"
SOURCES = {
    "anthropic": "2.9.0",
    "langgraph-checkpoint": "4.3.2",
    "langgraph-checkpoint-sqlite": "3.1.2",
    "openai-agents": "0.24.0",
}
PINNED = [f"{name}=={version}" for name, version in SOURCES.items()]
NEEDED = [*PINNED, "langgraph", "cryptography", "pytest", "pytest-asyncio", "pytest-mock"]
INSTALL_SECONDS, RUN_SECONDS = 900, 900


class Suite(NamedTuple):
    """Files of a package's own tests, and the tests in them that cannot hold of another store than theirs."""

    source: str
    swap: str
    files: tuple[str, ...]
    exceptions: frozenset[str]


ANTHROPIC = Suite(
    "anthropic-2.9.0", "swap_anthropic", ("tests/lib/tools/memory_tools/test_filesystem.py",),
    frozenset({  # symbolic links, and the modes of folders
        "test_mkdir_parents_not_world_writable_under_permissive_umask",
        "test_read_rejects_file_replaced_with_symlink_before_open",
        "test_read_rejects_symlink_created_after_validation",
        "test_symlink_validation_reject_creating_files_through_symlink_pointing_outside",
        "test_symlink_validation_reject_parent_directory_that_is_symlink_pointing_outside",
        "test_symlink_validation_reject_symlink_pointing_outside_memories",
        "test_validate_path_returns_resolved_path_not_symlink_target",
        "test_view_lists_symlinks_only_when_they_stay_inside_memories",
        "test_view_rejects_directory_symlink_created_after_validation",
    }),
)  # fmt: skip
LANGGRAPH = Suite("langgraph_checkpoint-4.3.2", "swap_langgraph", ("tests/test_store.py",), frozenset())
LANGGRAPH_SQLITE = Suite(
    "langgraph_checkpoint_sqlite-3.1.2", "swap_langgraph",
    ("tests/test_store.py", "tests/test_async_store.py", "tests/test_ttl.py"),
    frozenset({"test_vector_store_initialization"}),  # of test_store.py: asks the store's own connection for its tables
)  # fmt: skip
OPENAI_AGENTS = Suite(
    "openai_agents-0.24.0", "swap_openai_agents",
    ("tests/memory/test_session.py", "tests/memory/test_session_limit.py"),
    frozenset({  # the connections, locks and tables of the SDK's own class, and rows that SQL has damaged
        "test_sqlite_session_close_closes_worker_thread_connections",
        "test_sqlite_session_close_retries_quarantined_connection",
        "test_sqlite_session_closed_rejects_empty_add_items",
        "test_sqlite_session_closes_retired_connections_before_the_next_allocation",
        "test_sqlite_session_failed_add_items_releases_write_lock",
        "test_sqlite_session_failed_clear_session_rolls_back",
        "test_sqlite_session_failed_pop_item_releases_write_lock",
        "test_sqlite_session_file_lock_is_shared_across_instances",
        "test_sqlite_session_get_items_limit_skips_corrupt_newest_rows",
        "test_sqlite_session_get_items_session_settings_limit_skips_corrupt_rows",
        "test_sqlite_session_keeps_connections_of_live_worker_threads",
        "test_sqlite_session_pop_item_returns_none_after_dropping_only_corrupt_rows",
        "test_sqlite_session_pop_item_skips_corrupt_most_recent",
        "test_sqlite_session_post_commit_cancellation_propagates_after_known_outcome",
        "test_sqlite_session_reaps_connections_from_exited_worker_threads",
        "test_sqlite_session_rollback_failure_evicts_connection",
    }),
)  # fmt: skip
SUITES = (ANTHROPIC, LANGGRAPH, LANGGRAPH_SQLITE, OPENAI_AGENTS)


@pytest.fixture(scope="module", autouse=True)
def downloaded() -> None:
    """Once for all tests; they are skipped where that is not possible."""
    mark = CACHE / "installed.txt"
    with alone(CACHE):
        if mark.exists() and mark.read_text() == " ".join(NEEDED):
            return
        try:
            download()
        except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as problem:
            pytest.skip(f"pip cannot get the frameworks and their tests: {problem}")
        mark.write_text(" ".join(NEEDED))


def download() -> None:
    run([sys.executable, "-m", "venv", str(PYTHON.parent.parent)], INSTALL_SECONDS)
    pip = [str(PYTHON), "-m", "pip"]
    run([*pip, "install", "--quiet", "--editable", str(ROOT), *NEEDED], INSTALL_SECONDS)
    sources = ["--no-deps", "--no-binary", ",".join(SOURCES), "--dest", str(CACHE)]
    run([*pip, "download", *sources, *PINNED], INSTALL_SECONDS)
    for archive in CACHE.glob("*.tar.gz"):
        with tarfile.open(archive) as files:
            files.extractall(CACHE, filter="data")


def run(command: list[str], seconds: int) -> None:
    subprocess.run(command, check=True, capture_output=True, timeout=seconds)


def failed_and_all(suite: Suite, report: Path) -> tuple[set[str], int, int]:
    """The names of the tests that failed, without their parameters; how many that were, and how many were run."""
    command = [
        str(PYTHON), "-m", "pytest", "-c", "/dev/null", "--rootdir=.", "-o", "asyncio_mode=auto", "-p",
        "no:cacheprovider", "-p", suite.swap, f"--junitxml={report}", *suite.files,
    ]  # fmt: skip
    if suite is ANTHROPIC:
        command.append("--noconftest")  # it is for the tests of the client
    path = os.pathsep.join([str(Path(__file__).parent / "upstream"), str(ROOT / "src"), "."])
    environment = os.environ | {"PYTHONPATH": path, "OPENAI_API_KEY": "none"}
    answer = subprocess.run(
        command, cwd=CACHE / suite.source, env=environment, capture_output=True, text=True, timeout=RUN_SECONDS
    )
    assert report.exists(), answer.stdout[-4000:] + answer.stderr[-4000:]
    cases = [case for case in ElementTree.parse(report).iter("testcase") if case.find("skipped") is None]
    failed = [case for case in cases if case.find("failure") is not None or case.find("error") is not None]
    return {case.attrib["name"].partition("[")[0] for case in failed}, len(failed), len(cases)


@pytest.mark.parametrize("suite", SUITES, ids=lambda suite: suite.source)
def test_the_frameworks_own_tests_hold_of_our_stores(suite: Suite, tmp_path: Path) -> None:
    names, failed, count = failed_and_all(suite, tmp_path / "report.xml")
    print(f"{suite.source}: {count - failed} of {count} pass")
    assert names == suite.exceptions
