"""Batch jobs as OpenAI and Gemini take them: handed in by one process, fetched by another, given up after failures."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

import scrubjay
from scrubjay import Invalid
from scrubjay.errors import EmbedderUnavailable
from scrubjay.upkeep import batch_jobs
from tests.support.clock import Clock
from tests.support.model_server import ModelServer, running

SPECS = {
    "openai": "openai:{url}/v1#text-embedding-3-small",
    "gemini": "gemini:{url}/v1beta#gemini-embedding-001",
}
ENDS = {"openai": "failed", "gemini": "BATCH_STATE_FAILED"}
PROBE = ["Does this model answer?"]
TEXTS = [f"memory number {number}" for number in range(25)]


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with running() as state:
        yield state


@pytest.fixture(params=SPECS)
def spec(request: pytest.FixtureRequest, server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("SCRUBJAY_EMBEDDER_KEY", "sk-scrubjay0test0key")
    return SPECS[request.param].format(url=server.url)


@pytest.fixture
def filled(path: Path) -> Path:
    """A file with memories that have no vectors."""
    with scrubjay.open(path, embedder="none") as jay:
        jay.add_many([{"text": text} for text in TEXTS])
    return path


def opened(path: Path, spec: str, clock: Clock | None = None) -> scrubjay.Scrubjay:
    return scrubjay.open(path, embedder=spec, clock=clock) if clock else scrubjay.open(path, embedder=spec)


def test_what_one_process_hands_in_another_fetches(filled: Path, spec: str, server: ModelServer) -> None:
    with opened(filled, spec) as jay:
        handed = jay.backfill(job=True)
        assert (handed.embedded, handed.remaining, handed.jobs) == (0, 25, 1)
    with opened(filled, spec) as jay:
        assert jay.backfill(job=True).jobs == 1  # not done yet, and not handed in again
        assert [sorted(texts) for texts in server.desk.texts] == [sorted(TEXTS)]
        server.desk.done = True
        fetched = jay.backfill(job=True)
        assert (fetched.embedded, fetched.remaining, fetched.jobs) == (25, 0, 0)
        assert jay.search("memory number 7", mode="vector")[0].memory.text == "memory number 7"
        assert jay.check(deep=True).problems == []
    assert server.texts == [*PROBE, "memory number 7"]  # how long vectors are, and what was searched for


def test_nothing_is_left_with_the_provider(filled: Path, spec: str, server: ModelServer) -> None:
    with opened(filled, spec) as jay:
        jay.backfill(job=True)
        server.desk.done = True
        jay.backfill(job=True)
    assert server.desk.files == {}
    assert spec.startswith("openai") or server.desk.jobs == {}


def test_a_job_is_bounded_and_the_rest_is_handed_in_later(
    filled: Path, spec: str, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batch_jobs, "PIECES_OF_A_JOB", 5)
    monkeypatch.setattr(batch_jobs, "JOBS_AT_ONCE", 3)
    with opened(filled, spec) as jay:
        assert jay.backfill(job=True).jobs == 3
        assert [len(texts) for texts in server.desk.texts] == [5, 5, 5]
        server.desk.done = True
        again = jay.backfill(job=True)
        assert (again.embedded, again.remaining, again.jobs) == (15, 10, 2)
        assert jay.backfill(job=True).remaining == 0


def test_a_text_is_never_divided_between_jobs(
    path: Path, spec: str, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batch_jobs, "PIECES_OF_A_JOB", 4)
    with scrubjay.open(path, embedder="none") as jay:
        jay.add_many([{"text": f"Heron {number} waits at the river. " * 500} for number in range(5)])
    with opened(path, spec) as jay:
        assert jay.backfill(job=True).jobs == 5
        server.desk.done = True
        fetched = jay.backfill(job=True)
        assert (fetched.embedded, fetched.texts, fetched.remaining) == (5, 5, 0)


def test_what_changed_meanwhile_finds_no_vector(filled: Path, spec: str, server: ModelServer) -> None:
    with opened(filled, spec) as jay:
        jay.backfill(job=True)
        jay.delete(1)
        server.desk.done = True
        assert jay.backfill(job=True).embedded == 24


def test_long_texts_go_out_in_pieces_and_equal_ones_once(path: Path, spec: str, server: ModelServer) -> None:
    long = "Herons wait at the river. " * 600
    with scrubjay.open(path, embedder="none") as jay:
        jay.add_many([{"text": long, "kind": "fact"}])
    with scrubjay.open(path, embedder="none", space="other") as jay:
        jay.add_many([{"text": long, "kind": "fact"}])
    with opened(path, spec) as jay:
        jay.backfill(job=True)
        (handed,) = server.desk.texts
        assert len(handed) > 1 and all(piece in long for piece in handed)
        server.desk.done = True
        assert jay.backfill(job=True).embedded == 2


def test_a_text_that_a_job_refuses_is_set_aside(filled: Path, spec: str, server: ModelServer) -> None:
    with opened(filled, spec) as jay:
        jay.backfill(job=True)
        server.desk.done, server.desk.refuses = True, "number 13"
        fetched = jay.backfill(job=True)
        assert (fetched.embedded, len(fetched.failed), fetched.remaining) == (24, 1, 0)
        assert [one.reason for one in jay.status().quarantined] == ["this text is not valid"]


def test_after_two_jobs_that_failed_requests_are_made_as_usual(filled: Path, spec: str, server: ModelServer) -> None:
    with opened(filled, spec) as jay:
        jay.backfill(job=True)
        server.desk.ends_as = ENDS[spec.partition(":")[0]]
        assert jay.backfill(job=True).jobs == 1 and server.desk.handed == 2
        last = jay.backfill(job=True)
        assert (last.embedded, last.remaining, last.jobs) == (25, 0, 0)
    assert sorted(server.texts) == sorted(PROBE + TEXTS)
    assert server.desk.files == {}


def test_a_provider_that_takes_no_jobs_is_asked_as_usual(filled: Path, spec: str, server: ModelServer) -> None:
    server.desk.takes = False
    with opened(filled, spec) as jay:
        assert jay.backfill(job=True).embedded == 25


def test_a_job_that_refuses_every_text_sets_nothing_aside(filled: Path, spec: str, server: ModelServer) -> None:
    with opened(filled, spec) as jay:
        jay.backfill(job=True)
        server.desk.done, server.desk.refuses = True, "memory"
        assert jay.backfill(job=True).jobs == 1
        assert jay.status().quarantined == ()


def test_a_job_that_is_overdue_has_failed(filled: Path, spec: str, server: ModelServer, clock: Clock) -> None:
    with opened(filled, spec, clock) as jay:
        jay.backfill(job=True)
        clock.now += timedelta(days=4)
        assert jay.backfill(job=True).jobs == 1
        assert server.desk.handed == 2


def test_a_provider_that_is_away_keeps_the_job(filled: Path, spec: str, server: ModelServer) -> None:
    with opened(filled, spec) as jay:
        jay.backfill(job=True)
        server.desk.away = True
        with pytest.raises(EmbedderUnavailable):
            jay.backfill(job=True)
        server.desk.done, server.desk.away = True, False
        assert jay.backfill(job=True).embedded == 25


def test_an_embedder_that_takes_no_jobs_says_so(filled: Path) -> None:
    with scrubjay.open(filled, embedder="hashing") as jay, pytest.raises(Invalid, match="only with openai and gemini"):
        jay.backfill(job=True)


def test_a_job_is_no_retry(filled: Path) -> None:
    with scrubjay.open(filled, embedder="hashing") as jay, pytest.raises(Invalid, match="retry or job, not both"):
        jay.backfill(job=True, retry=True)
