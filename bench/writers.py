"""Searching while another process writes: one writer per engine, let loose only while its own engine is asked."""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from itertools import count
from pathlib import Path
from typing import Any

from bench.corpus import Corpus, Memory, Precomputed, sentences
from bench.engines import Engine, open_engine
from bench.report import Row
from bench.searching import MODES, ask, narrowings, searches, timing_row
from bench.timing import Seconds, take_turns

__all__ = ["search_times_while_written"]

BLOCK = 10  # questions asked before it is the other engine's turn
SETTLE_SECONDS = 0.1
NEW_TEXTS = 1_000


class Writer:
    """A process that adds memories one at a time, while it may."""

    def __init__(self, name: str, path: Path) -> None:
        spawn = multiprocessing.get_context("spawn")  # a fork would share the parent's open files
        self._may_write, self._stop = spawn.Event(), spawn.Event()
        self._written, self._seconds = spawn.Value("q", 0), 0.0
        signals = (self._may_write, self._stop, self._written)
        self._process = spawn.Process(target=_write, args=(name, path, *signals), daemon=True)
        self._process.start()

    @contextmanager
    def writing(self) -> Iterator[None]:
        start = time.perf_counter()
        self._may_write.set()
        time.sleep(SETTLE_SECONDS)
        yield
        self._seconds += time.perf_counter() - start
        self._may_write.clear()
        time.sleep(SETTLE_SECONDS)

    def adds_per_second(self) -> float:
        return int(self._written.value) / self._seconds

    def stop(self) -> None:
        self._stop.set()
        self._may_write.set()
        self._process.join()

    def wait_until_ready(self) -> None:
        """Until it has written something: opening a large file takes a moment."""
        self._may_write.set()
        while not self._written.value and self._process.is_alive():
            time.sleep(SETTLE_SECONDS)
        self._may_write.clear()
        time.sleep(SETTLE_SECONDS)
        self._written.value = 0


def search_times_while_written(
    engines: Mapping[str, Engine], paths: Mapping[str, Path], corpus: Corpus, embedder: Precomputed, asked: int
) -> list[Row]:
    """One row per mode; it leaves the files with more memories than before."""
    narrowing = narrowings(corpus)["whole space"]
    rows = []
    with _writers({name: paths[name] for name in engines}) as writers:
        for mode in MODES:
            taken: dict[str, Seconds] = {name: [] for name in engines}
            search = searches(engines, mode, narrowing)
            for start in range(0, asked, BLOCK):
                texts = ask(corpus, embedder, min(BLOCK, asked - start))
                for name in engines:
                    with writers[name].writing():
                        taken[name] += take_turns({name: search[name]}, texts)[name]
            rows.append(timing_row(len(corpus), "whole space", mode, taken))
            rates = {f"{name} adds/s": writer.adds_per_second() for name, writer in writers.items()}
    return [{**row, **rates} for row in rows]


@contextmanager
def _writers(paths: Mapping[str, Path]) -> Iterator[dict[str, Writer]]:
    with ExitStack() as stack:
        writers = {name: Writer(name, path) for name, path in paths.items()}
        for writer in writers.values():
            stack.callback(writer.stop)
            writer.wait_until_ready()
        yield writers


def _write(name: str, path: Path, may_write: Any, stop: Any, written: Any) -> None:
    engine = open_engine(name, path, Precomputed())
    texts = sentences(NEW_TEXTS, seed=7)
    for number in count():
        may_write.wait()
        if stop.is_set():
            break
        engine.add([Memory(f"{texts[number % NEW_TEXTS]} {number}", "large", "fact", None)])
        written.value += 1
    engine.close()
