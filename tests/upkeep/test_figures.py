"""Figures of one space, the log of uses, and whether models answer: at every door, and nothing of another space."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import apsw
import pytest

import scrubjay
from scrubjay import NotFound, Scrubjay, ScrubjayError
from scrubjay.models import http
from scrubjay.models.http import Timing
from tests.support.api_server import serving_here
from tests.support.clock import Clock
from tests.support.commands import Run
from tests.support.model_server import ModelServer, running

Reopen = Callable[..., Scrubjay]


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with running() as state:
        yield state


@pytest.fixture(autouse=True)
def impatience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "DEFAULT_TIMING", Timing(wait=lambda stopped, seconds: False))


def test_stats_have_averages_of_the_current_memories(jay: Scrubjay) -> None:
    assert (jay.stats().average_importance, jay.stats().average_confidence) == (None, None)
    jay.add("Ann has a cat", importance=9, confidence=0.5)
    old = jay.add("Ann has a dog", importance=1, confidence=0.1).memory.id
    jay.supersede(old, "Ann has two dogs", importance=4, confidence=1.0)
    assert (jay.stats().average_importance, jay.stats().average_confidence) == (6.5, 0.75)


def test_stats_tell_of_sessions_and_when_they_began(jay: Scrubjay, clock: Clock) -> None:
    first = clock()
    jay.add_exchange("Where is the cat?", "In the garden", session="one")
    clock.now += timedelta(days=1)
    jay.sessions.start("two")
    stats = jay.stats()
    assert (stats.sessions, stats.oldest_session, stats.newest_session) == (2, first, clock())


def test_stats_tell_how_much_of_each_limit_is_used(reopen: Reopen, monkeypatch: pytest.MonkeyPatch) -> None:
    with reopen(embedder="none") as jay:
        assert jay.stats().limits == ()
    monkeypatch.setenv("SCRUBJAY_LIMITS_MEMORIES", "4")
    monkeypatch.setenv("SCRUBJAY_LIMITS_BYTES", "1000000000")
    with reopen(embedder="none") as jay:
        jay.add_many([{"text": f"Thing {number}", "kind": "fact"} for number in range(3)])
        memories, size = jay.stats().limits
    assert (memories.setting, memories.used, memories.most, memories.share) == ("limits.memories", 3, 4, 0.75)
    assert (size.setting, size.most) == ("limits.bytes", 10**9) and 0 < size.used < 10**9


def test_stats_say_how_a_memory_can_be_searched_and_why_not(reopen: Reopen) -> None:
    with reopen(embedder="none") as jay:
        jay.add("Ann has a cat")
        stats = jay.stats()
        assert stats.search_modes["keyword"] == "available"
        assert stats.search_modes["vector"] == "no embedder is set (`none`)."
        assert stats.search_modes["hybrid"] == "searches by words alone: no embedder is set (`none`)."
        assert stats.health == {"words": "good", "vectors": "none"}
    with reopen(embedder="hashing") as jay:
        assert "no memory has a vector yet" in jay.stats().search_modes["vector"]
        jay.backfill()
        assert set(jay.stats().search_modes.values()) == {"available"}
        assert jay.stats().health == {"words": "good", "vectors": "good"}
    with reopen(embedder="none") as jay:
        jay.add("Ann has a dog")
        assert (jay.stats().health["vectors"], jay.stats().without_vector) == ("incomplete", 1)


def test_stats_notice_memories_that_the_index_of_words_lacks(jay: Scrubjay, path: Path) -> None:
    jay.add("Ann has a cat")
    with apsw.Connection(str(path)) as db:
        db.execute("delete from words_docsize")
    assert (jay.stats().health["words"], jay.stats().without_words) == ("incomplete", 1)


def test_no_figure_of_a_space_depends_on_another(jay: Scrubjay, path: Path, reopen: Reopen) -> None:
    jay.add("Ann has a cat", importance=3)
    jay.get(1)
    jay.add_exchange("Where is it?", "Here", session="one")

    def own() -> dict[str, object]:
        whole_file = {"spaces", "file_bytes", "cache"}
        stats = jay.stats()
        return {name: getattr(stats, name) for name in stats.__slots__ if name not in whole_file}

    before, log = own(), jay.accesses()
    with reopen(space="other", embedder="hashing") as other:
        other.add_many([{"text": f"Thing {number}", "importance": 9} for number in range(20)])
        other.add_exchange("Who?", "Ben", session="two")
        other.search("thing")
        assert {one.verb for one in other.accesses()} == {"search"}
    assert (own(), jay.accesses()) == (before, log)


def test_the_log_of_uses_is_read_newest_first_and_by_memory(jay: Scrubjay, clock: Clock) -> None:
    jay.add("Ann has a cat")
    jay.add("Ben has a dog")
    jay.get(2)
    clock.now += timedelta(minutes=1)
    jay.search("cat", limit=1)
    first, second = jay.accesses()
    assert (first.memory, first.verb, first.query, first.at) == (1, "search", "cat", clock())
    assert first.score is not None
    assert (second.memory, second.verb, second.score, second.query) == (2, "get", None, None)
    assert jay.accesses(2) == [second] and jay.accesses(limit=1) == [first]
    with pytest.raises(NotFound):
        jay.accesses(99)
    with pytest.raises(NotFound):
        jay.lend(space="other").accesses(1)
    assert jay.lend(space="other").accesses() == []


def test_a_secret_that_was_searched_for_is_not_in_the_log(jay: Scrubjay) -> None:
    jay.add("Ann has a cat")
    jay.search("cat ghp_" + "a1B2" * 9)
    assert "ghp_" not in str(jay.accesses())


def test_figures_and_uses_come_over_http(jay: Scrubjay) -> None:
    jay.add("Ann has a cat")
    jay.get(1)
    _, secret = jay.tokens.create("desk", all_spaces=True, scopes=["read", "write", "admin"])
    _, reading = jay.tokens.create("reader", scopes=["read"])
    with serving_here(jay) as url, scrubjay.open(url, token=secret) as remote:
        assert remote.accesses(1) == jay.accesses(1) and remote.stats().search_modes == jay.stats().search_modes
        assert [one.role for one in remote.providers()] == ["embedder", "generator"]
        assert remote.cleanup() == [] and remote.cleanup().notes == ()
        with scrubjay.open(url, token=reading) as reader:
            for refused in (reader.accesses, reader.providers):
                with pytest.raises(ScrubjayError, match="scope"):
                    refused()


def test_the_command_line_shows_figures_and_uses(run: Run) -> None:
    run("add", "Ann has a cat", "--importance", "8")
    run("search", "cat")
    stats = run("stats").out
    assert "average importance" in stats and "keyword available" in stats and "words good" in stats
    assert "[1] search" in run("accesses").out and "Nothing was used" in run("accesses", "--space", "other").out
    assert run("accesses", "1", "--json").json["accesses"][0]["query"] == "cat"
    assert run("accesses", "99").code == 3


def test_models_say_whether_they_answer_how_fast_and_with_what(
    path: Path, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCRUBJAY_GENERATOR", f"openai-compatible:{server.url}/v1#writer")
    server.says = ["yes"]
    with scrubjay.open(path, embedder=f"ollama:{server.url}#all-minilm") as jay:
        jay.add("Ann saw a heron")
        server.asked.clear()
        embedder, generator = jay.providers()
        assert (embedder.role, embedder.state, embedder.model, embedder.dimensions) == (
            "embedder", "answers", "all-minilm", 256)  # fmt: skip
        assert (generator.role, generator.state) == ("generator", "answers") and "writer" in str(generator.model)
        assert isinstance(embedder.ms, int) and isinstance(generator.ms, int)
        assert jay.stats().generation.tokens > 0, "what the generator is asked counts in its budget"
        assert not any("heron" in str(body) for _, _, body in server.asked), "no text of the user is sent"
        server.always = "500"
        assert [(one.state, bool(one.problem)) for one in jay.providers()] == [("fails", True), ("fails", True)]


def test_a_model_that_is_not_set_is_not_asked(reopen: Reopen) -> None:
    with reopen(embedder="none") as jay:
        assert [(one.state, one.name, one.ms) for one in jay.providers()] == [("not set", None, None)] * 2


def test_status_deep_asks_the_models_and_status_alone_does_not(
    run: Run, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCRUBJAY_GENERATOR", f"openai-compatible:{server.url}/v1#writer")
    server.says = ["yes"]
    run("add", "Ann has a cat")
    run("status")
    assert server.asked == []
    answer = run("status", "--deep").out
    assert "The generator" in answer and "answers in" in answer and "embedder: no embedder is set" in answer
    server.always = "500"
    assert "does not answer" in run("status", "--deep").out


def test_jobs_under_way_are_listed(path: Path, server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCRUBJAY_EMBEDDER_KEY", "sk-scrubjay0test0key")
    with scrubjay.open(path, embedder="none") as jay:
        jay.add("Ann has a cat")
    with scrubjay.open(path, embedder=f"openai:{server.url}/v1#text-embedding-3-small") as jay:
        jay.backfill()
    with scrubjay.open(path, embedder="none") as jay:
        jay.add("Ben has a dog")
    with scrubjay.open(path, embedder=f"openai:{server.url}/v1#text-embedding-3-small") as jay:
        assert jay.status().jobs == ()
        assert jay.backfill(job=True).jobs == 1
        (job,) = jay.status().jobs
        assert job.id and job.failed is None
