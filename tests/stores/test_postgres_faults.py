"""Faults of a PostgreSQL server: one sentence, nothing lost and nothing twice, and going on by itself."""

from __future__ import annotations

import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import Any

import psycopg
import pytest

import scrubjay
from scrubjay.errors import Busy, ConnectionLost, Invalid, StoreError
from scrubjay.stores import Store, open_store
from scrubjay.stores.contract import NewMemory
from scrubjay.stores.postgres import pool
from scrubjay.stores.postgres.connections import Connections
from tests.support.postgres_server import QUICK, Databases, DatabaseServer, database_server, standby_server
from tests.support.stored import NOW, SPACE, by_meaning, everything, made, put, step, vectors

AWAY: dict[str, str] = {
    "nobody listens": "postgresql://ann:hunter22@127.0.0.1:1/jay",
    "a secret in the query": "postgresql://127.0.0.1:1/jay?user=ann&password=hunter22",
    "no such option": "postgresql://ann:hunter22@127.0.0.1:1/jay?nonsense=1",
}


@pytest.mark.parametrize("url", AWAY.values(), ids=AWAY.keys())
def test_a_server_that_is_away_is_one_sentence_without_the_password(url: str) -> None:
    with pytest.raises((StoreError, Invalid)) as problem:
        scrubjay.open(url)
    assert "hunter22" not in repr(problem.value) and "127.0.0.1:1/jay" in str(problem.value)
    assert "\n" not in str(problem.value)


@pytest.mark.parametrize("password", ["hunt/er22", "hunt@er22", "hunt er22", "hunt@e/er22"])
def test_of_a_password_that_is_not_encoded_no_part_is_shown(password: str) -> None:
    with pytest.raises(Invalid, match="%40 for @") as problem:
        scrubjay.open(f"postgresql://ann:{password}@127.0.0.1:1/jay")
    assert "hunt" not in str(problem.value) and "er22" not in str(problem.value)


def test_the_address_is_shown_without_its_password(database: str) -> None:
    url = database.replace("postgres@", "postgres:hunter22@")
    with scrubjay.open(url, embedder="none") as jay:
        assert "hunter22" not in f"{jay!r} {jay.address} {jay.stats()}" and "***" in jay.address
        with pytest.raises(Invalid, match="pg_dump"):
            jay.backup("copy.db")


def test_after_a_restart_of_the_server_the_store_goes_on_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    with database_server(**QUICK) as server:
        server.ask("create database jay")
        with closing(open_store(server.url("jay"))) as store:
            put(store, "One", vectors(0))
            server.stop(signal.SIGINT)
            with monkeypatch.context() as patch, pytest.raises(StoreError, match="cannot be reached"):
                patch.setattr(pool, "AWAY_SECONDS", 0)
                store.memories.spaces()
            starting = threading.Thread(target=server.start)
            starting.start()
            assert put(store, "Two", vectors(1)).id and set(by_meaning(store, 1)) == {1, 2}  # waits for it
            starting.join()


def test_a_server_that_is_away_is_waited_for_once_and_not_by_each_call(monkeypatch: pytest.MonkeyPatch) -> None:
    pauses, waited, pause = list[float](), list[int](), time.sleep

    def noted(seconds: float) -> None:
        pauses.append(seconds)
        pause(seconds)

    with database_server(**QUICK) as server:
        server.ask("create database jay")
        with closing(open_store(server.url("jay"))) as store:
            put(store, "One", vectors(0))
            server.stop(signal.SIGINT)
            with monkeypatch.context() as patch:
                patch.setattr(pool, "AWAY_SECONDS", 1)
                patch.setattr(time, "sleep", noted)
                for _ in range(3):
                    with pytest.raises(StoreError, match="cannot be reached"):
                        store.memories.spaces()
                    waited.append(len(pauses))
            assert waited[0] and waited == [waited[0]] * 3
            server.start()
            assert put(store, "Two", vectors(1)).id == 2


def test_a_server_that_is_away_is_waited_for_again_if_nobody_has_asked_for_long(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It may have been back meanwhile, and be away for another time."""
    pauses, pause, clock = list[float](), time.sleep, time.monotonic

    def noted(seconds: float) -> None:
        pauses.append(seconds)
        pause(seconds)

    with database_server(**QUICK) as server:
        server.ask("create database jay")
        with closing(open_store(server.url("jay"))) as store:
            put(store, "One", vectors(0))
            server.stop(signal.SIGINT)
            monkeypatch.setattr(pool, "AWAY_SECONDS", 1)
            monkeypatch.setattr(time, "sleep", noted)
            for hour in range(2):
                monkeypatch.setattr(time, "monotonic", lambda hour=hour: clock() + hour * 3600)
                with pytest.raises(StoreError, match="cannot be reached"):
                    store.memories.spaces()
                assert pauses
                pauses.clear()


@pytest.fixture
def silent() -> Iterator[str]:
    """The address of a host that lets every packet vanish: whoever connects waits until the timeout."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield f"postgresql://ann:hunter22@127.0.0.1:{listening.getsockname()[1]}/jay?connect_timeout=2"


def test_a_host_that_drops_packets_is_waited_for_once_and_then_calls_fail_at_once(
    silent: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, connect = list[float](), psycopg.connect

    def noted(**settings: Any) -> Any:
        asked.append(time.monotonic())
        return connect(**settings)

    monkeypatch.setattr(psycopg, "connect", noted)
    for _ in range(3):
        with pytest.raises(StoreError, match=r"cannot be reached \(.+\); start the server") as problem:
            scrubjay.open(silent)
        assert "hunter22" not in str(problem.value)
    assert len(asked) == 1 and "it has not answered just now, and is asked again in 30 s" in str(problem.value)
    clock = time.monotonic
    monkeypatch.setattr(time, "monotonic", lambda: clock() + pool.REST_SECONDS)
    with pytest.raises(StoreError, match="timeout"):
        scrubjay.open(silent)
    assert len(asked) == 2


def test_a_host_that_has_answered_before_and_drops_packets_is_waited_for_once_too(
    database: str, silent: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, connect = list[float](), psycopg.connect

    def to_silence(**settings: Any) -> Any:
        asked.append(time.monotonic())
        return connect(silent)

    with closing(open_store(database)) as store:
        put(store, "Tea")
        cut(database)
        with monkeypatch.context() as patch:
            patch.setattr(pool, "AWAY_SECONDS", 1)
            patch.setattr(psycopg, "connect", to_silence)
            for _ in range(3):
                with pytest.raises(StoreError, match="cannot be reached"):
                    store.memories.spaces()
            waited = len(asked)
            assert waited <= 2
            with pytest.raises(StoreError, match="has not answered just now"):
                store.memories.spaces()
            assert len(asked) == waited
        clock = time.monotonic
        monkeypatch.setattr(time, "monotonic", lambda: clock() + pool.REST_SECONDS)
        assert put(store, "Coffee").id == 2


def cut(database: str) -> None:
    """Let the server end every other connection to a database, as an administrator would."""
    others = "datname = current_database() and pid <> pg_backend_pid()"
    with psycopg.connect(database) as db:
        db.execute(f"select pg_terminate_backend(pid, 10000) from pg_stat_activity where {others}")


@contextmanager
def acknowledgement_lost(times: int = 1) -> Iterator[None]:
    """What is committed is there, but who has committed it is not told."""
    really, left = Connections._commit, [times]

    def commit(self: Connections, connection: psycopg.Connection[Any]) -> None:
        really(self, connection)
        if left[0]:
            left[0] -= 1
            raise ConnectionLost(may_be_done=True)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Connections, "_commit", commit)
        yield


@pytest.fixture
def store(database: str) -> Iterator[Store]:
    with closing(open_store(database)) as opened:
        yield opened


def test_a_search_that_loses_its_connection_is_made_again(database: str, store: Store) -> None:
    put(store, "Tea")
    asked: list[int] = []

    def answer(snapshot: Any) -> Any:
        asked.append(len(asked))
        if len(asked) == 1:
            cut(database)
        return snapshot.memories([1], [SPACE], NOW)[1].text

    assert store.search.answer([SPACE], answer) == "Tea" and asked == [0, 1]


def test_an_add_that_loses_its_connection_is_stored_once(database: str, store: Store) -> None:
    tries: list[int] = []

    def then(_: object) -> None:
        tries.append(len(tries))
        if len(tries) == 1:
            cut(database)

    (stored,) = store.memories.put([NewMemory(made("Tea"))], None, then)
    assert stored.created and tries == [0, 1]
    assert [memory.uid for memory in store.memories.newest(everything(), None)] == [stored.memory.uid]


def test_an_add_that_was_stored_unheard_is_not_stored_twice(store: Store) -> None:
    old, known = put(store, "Coffee"), put(store, "Water")
    new = [NewMemory(made("Tea"), supersedes=step(old.id)), NewMemory(made("Water")), NewMemory(made("Milk"))]
    with acknowledgement_lost():
        tea, water, milk = store.memories.put(new, None)
    assert [tea.created, water.created, milk.created] == [True, False, True] and water.memory.id == known.id
    assert tea.replaced is not None and tea.replaced.superseded_by == tea.memory.id
    assert len(store.memories.newest(everything(), None)) == 3


def test_what_cannot_be_done_twice_is_left_to_who_has_asked(store: Store) -> None:
    old, new = put(store, "Coffee"), put(store, "Tea")
    with acknowledgement_lost(), pytest.raises(ConnectionLost):
        store.revisions.link(old.id, new.id, [SPACE], step(old.id))


def test_a_call_within_a_larger_transaction_is_not_made_again_alone(database: str, store: Store) -> None:
    def write(fail: Callable[[], object]) -> None:
        with store.transaction([SPACE]):
            put(store, "Milk")
            fail()
            put(store, "Water")

    with pytest.raises(ConnectionLost):
        write(lambda: cut(database))
    assert store.memories.newest(everything(), None) == [] and put(store, "Milk").id


def test_a_statement_that_takes_too_long_is_one_sentence(store: Store) -> None:
    with pytest.raises(StoreError, match="took too long"), store._engine.reading() as rows:
        rows.all("select set_config('statement_timeout', '1', true)")
        rows.all("select pg_sleep(10)")


def test_a_lock_that_is_not_had_in_time_is_one_sentence(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(pool.TIMEOUTS, "lock_timeout", 0.1)
    with closing(open_store(database)) as store, closing(open_store(database)) as other:
        with other._engine.writing([SPACE]), pytest.raises(Busy):
            store.memories.put([NewMemory(made("Tea"))], None)


def test_of_several_hosts_the_one_that_takes_writes_is_used(databases: Databases, database: str) -> None:
    folder = databases.server.folder
    url = database.replace(f"host={folder}", f"host=/nowhere,{folder}")
    with closing(open_store(url)) as store:
        put(store, "Tea")
        cut(database)
        assert put(store, "Coffee").id == 2


@pytest.fixture(scope="module")
def standby(databases: Databases) -> Iterator[DatabaseServer]:
    with standby_server(databases.server, "standby", **QUICK) as server:
        yield server


def test_searches_are_read_from_a_standby_that_has_ones_own_writes(database: str, standby: DatabaseServer) -> None:
    with closing(open_store(f"{database}&replica={standby.folder}")) as store, closing(open_store(database)) as other:
        put(store, "Tea")
        wait_for(lambda: served_by_standby(store))
        assert not served_by_standby(other)
        standby.ask("select pg_wal_replay_pause()")
        wait_for(lambda: standby.ask("select pg_get_wal_replay_pause_state()") == [("paused",)])
        try:
            put(store, "Coffee")
            assert not served_by_standby(store) and found(store, 2) == "Coffee"  # one's own write is not missed
        finally:
            standby.ask("select pg_wal_replay_resume()")
        wait_for(lambda: served_by_standby(store))
        assert found(store, 2) == "Coffee"
        name = database.partition("?")[0].rpartition("/")[2]
        standby.ask(f"select pg_terminate_backend(pid, 10000) from pg_stat_activity where datname = '{name}'")
        assert found(store, 1) == "Tea" and not served_by_standby(store)  # asked again, of the primary


@pytest.mark.parametrize("replica", ["/nowhere", "127.0.0.1:1"])
def test_a_standby_that_is_away_is_not_missed(database: str, replica: str) -> None:
    with closing(open_store(f"{database}&replica={replica}")) as store:
        put(store, "Tea")
        assert found(store, 1) == "Tea"


def test_a_standby_without_a_name_is_refused(database: str) -> None:
    for wrong in ("", "host:"):
        with pytest.raises(Invalid, match="replica=host"):
            open_store(f"{database}&replica={wrong}")


def found(store: Store, id: int) -> str:
    return str(store.search.answer([SPACE], lambda snapshot: snapshot.memories([id], [SPACE], NOW)[id].text))


def served_by_standby(store: Store) -> bool:
    return bool(store.search.answer([SPACE], lambda snapshot: snapshot._rows.one("select pg_is_in_recovery()")[0]))


def wait_for(condition: Callable[[], bool]) -> None:
    until = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.02)
