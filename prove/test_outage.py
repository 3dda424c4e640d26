"""Providers at full size: one that dies halfway through thousands of adds, and a real server from the registry."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event

import numpy as np
import pytest
from tests.support.model_server import running

import scrubjay
from scrubjay.errors import EmbedderUnavailable
from scrubjay.models import http
from scrubjay.models.embedders import open_embedder
from scrubjay.models.http import Timing

ADDS = 5_000
SECONDS_TO_START = 60
TEXTS = [
    "User prefers dark mode",
    "tea",
    "東京の天気は明日から雨になるそうです。",
    "ERROR worker-7 lost its lease " * 9,
]


@pytest.fixture
def hours(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """A clock that is set by hand, and waits that take no time."""
    now = [0.0]

    def wait(stopped: Event, seconds: float) -> bool:
        now[0] += seconds
        return stopped.is_set()

    monkeypatch.setattr(http, "DEFAULT_TIMING", Timing(clock=lambda: now[0], wait=wait))
    return now


def test_a_provider_that_dies_halfway_through_thousands_of_adds_costs_nothing(path: Path, hours: list[float]) -> None:
    texts = [f"memory number {number} of the long day" for number in range(ADDS)]
    with running() as server, scrubjay.open(path, embedder=f"openai-compatible:{server.url}/v1#all-minilm") as jay:
        for number, text in enumerate(texts):
            server.always = "cut" if number >= ADDS // 2 else ""
            jay.add(text, kind="fact")
        assert (jay.stats().memories, jay.stats().without_vector) == (ADDS, ADDS // 2)
        with pytest.raises(EmbedderUnavailable):
            jay.backfill()
        server.always, embedded = "", len(server.texts)
        hours[0] += 3_600
        filled = jay.backfill(batch=200)
        assert (filled.embedded, filled.remaining, filled.quarantined) == (ADDS // 2, 0, 0)
        assert sorted(server.texts[embedded:]) == sorted(texts[ADDS // 2 :])
        assert jay.backfill().embedded == 0 and jay.check(deep=True).problems == []
        assert jay.search(texts[-1], mode="vector")[0].memory.text == texts[-1]


@contextmanager
def litserve() -> Iterator[str]:
    """LitServe on a port that the system chose."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "prove.embedding_server", str(port)]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        until = time.monotonic() + SECONDS_TO_START
        while time.monotonic() < until and server.poll() is None:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.2)
        yield f"openai-compatible:http://127.0.0.1:{port}/v1#all-MiniLM-L6-v2"
    finally:
        os.killpg(server.pid, signal.SIGKILL)  # its workers, too: they outlive it otherwise
        server.wait(timeout=30)


def test_a_real_server_gives_the_vectors_of_its_model(path: Path) -> None:
    local = open_embedder("local")
    assert local is not None
    with litserve() as spec:
        embedder = open_embedder(spec)
        assert embedder is not None
        served = embedder.embed(TEXTS)
        assert served.shape == (len(TEXTS), 384) and np.abs(served - local.embed(TEXTS)).max() < 1e-5
        many = [f"memory number {number}" for number in range(300)]
        assert np.abs(embedder.embed(many) - local.embed(many)).max() < 1e-5
        with scrubjay.open(path, embedder=spec) as jay:
            jay.add_many([{"text": text} for text in TEXTS])
            assert jay.search("which theme?", mode="vector")[0].memory.text == TEXTS[0]
        embedder.close()  # type: ignore[attr-defined]
