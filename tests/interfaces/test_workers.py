"""Several processes that serve one memory: they share what the store keeps, and a killed one takes nothing along."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator

import httpx
import pytest

import scrubjay
from tests.support.served import Served, serving
from tests.support.worker_processes import is_up, until, workers

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
SECONDS = 30


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("served"), "--workers", "2") as served:
        until(lambda: len(workers(served)) == 2 and is_up(served))
        yield served
        served.process.terminate()
        assert served.process.wait(SECONDS) == 0


def test_keys_tokens_and_wrong_guesses_are_known_to_every_worker(served: Served) -> None:
    me = {"Authorization": f"Bearer {served.token('keys')}", "Idempotency-Key": "k1"}
    url = f"http://127.0.0.1:{served.port}/api/v1/sessions/talk/turns"
    body = {"turns": [{"speaker": "Ann", "text": "Said once"}]}
    answers = [
        httpx.post(url, json=body, headers=me, timeout=SECONDS) for _ in range(8)
    ]  # each over its own connection
    assert {answer.status_code for answer in answers} == {200} and len({answer.text for answer in answers}) == 1
    wrong = {"Authorization": "Bearer scrubjay_" + "A" * 43}
    kinds = f"http://127.0.0.1:{served.port}/api/v1/kinds"
    guesses = [httpx.get(kinds, headers=wrong, timeout=SECONDS).status_code for _ in range(13)]
    assert guesses == [401] * 10 + [429] * 3
    with scrubjay.open(served.store) as jay:
        assert [turn.text for turn in jay.sessions.turns("talk")] == ["Said once"]
        jay.tokens.revoke("keys")
    assert {httpx.post(url, json=body, headers=me, timeout=SECONDS).status_code for _ in range(4)} == {401}


def test_a_killed_worker_loses_nothing_acknowledged_and_is_replaced(served: Served) -> None:
    kept, before = [], workers(served)
    with scrubjay.open(f"http://127.0.0.1:{served.port}", token=served.token("load", all_spaces=True)) as jay:
        changes = jay.events()
        for number in range(30):
            kept.append(jay.add(f"Acknowledged {number}", kind="fact").memory.id)
            if number == 10:
                os.kill(min(before), signal.SIGKILL)
        assert [next(changes).memory for _ in kept] == kept
        changes.close()
        assert {memory.id for memory in jay.list(limit=100)} >= set(kept)
    until(lambda: len(workers(served)) == 2 and min(before) not in workers(served))


def test_figures_are_those_of_all_workers(served: Served) -> None:
    every = {"Authorization": f"Bearer {served.token('figures', all_spaces=True, scopes=['read', 'admin'])}"}

    def counted() -> int:
        told = httpx.get(f"http://127.0.0.1:{served.port}/metrics", headers=every, timeout=SECONDS).text
        return sum(int(line.split()[-1]) for line in told.splitlines() if 'door="healthz",status="200"' in line)

    asked, before = 6, counted()
    for _ in range(asked):
        httpx.get(f"http://127.0.0.1:{served.port}/healthz", timeout=SECONDS)
    until(lambda: counted() == before + asked)  # each worker writes its counts a second later
