"""Syncs that are killed, that run beside each other, and that are large: slow, so not part of every test run."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest
from tests.support.conversations import talk
from tests.support.notes import Counting, section, state, write
from tests.support.processes import until, watching

import scrubjay
from scrubjay import Scrubjay

KILLS = 60
WORDS = ("plain", "fancy", "rare", "old", "new")
SYNC = """
import sys, scrubjay.sources.sync as syncing, scrubjay.sources.transcripts.reader as conversations
syncing.MEMORIES_AT_ONCE = 5  # many small transactions, so that a kill falls between or into them
conversations.STRETCH_BYTES = 3_000
sys.argv = ["scrubjay", "sync"]
from scrubjay.interfaces.cli import program
program()
"""


class World:
    """Files, transcripts and a history that change at random."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.chance = random.Random(seed)
        self.notes, self.logs, self.shed = folder / "notes", folder / "logs", folder / "shed"
        self.said = Counter[str]()
        for place in (self.notes, self.logs):
            place.mkdir()
        subprocess.run(["git", "init", "-q", str(self.shed)], check=True, capture_output=True)
        for number in range(30):
            self.edit(f"{number}.md")
        for name in ("s1", "s2", "s3"):
            self.say(name, 30)
        for _ in range(5):
            self.commit()

    def take_up(self, jay: Scrubjay) -> None:
        jay.sources.add(self.notes)
        jay.sources.add(self.logs, kind="transcripts")
        jay.sources.add(self.shed, kind="git")

    def edit(self, name: str) -> None:
        sections = (section(number, self.chance.choice(WORDS)) for number in range(self.chance.randint(1, 6)))
        write(self.notes / name, f"# {name}\n\n" + "".join(sections))

    def say(self, session: str, count: int) -> None:
        with (self.logs / f"{session}.jsonl").open("ab") as log:
            log.write(talk(count, session, hash_free(session) + self.said[session]))
        self.said[session] += count

    def commit(self) -> None:
        identity = ["-c", "user.name=Ann", "-c", "user.email=ann@example.com"]
        message = f"Step {self.chance.random()}"
        command = ["git", "-C", str(self.shed), *identity, "commit", "-q", "--allow-empty", "-m", message]
        subprocess.run(command, check=True, capture_output=True)

    def change(self) -> None:
        """Some of all that can happen between two syncs."""
        files = sorted(self.notes.iterdir())
        for file in self.chance.sample(files, min(6, len(files))):
            match self.chance.randint(0, 3):
                case 0:
                    file.unlink()
                case 1:
                    file.rename(self.notes / f"{self.chance.randint(0, 60)}.md")
                case _:
                    self.edit(file.name)
        for number in range(4):
            self.edit(f"{self.chance.randint(0, 40)}-{number}.md")
        self.say(self.chance.choice(["s1", "s2", "s3"]), self.chance.randint(1, 30))
        if self.chance.random() < 0.3:
            self.commit()


def hash_free(session: str) -> int:
    """So that no two sessions say the same at the same time."""
    return int(session[1:]) * 100_000


def prove_level(world: World, path: Path, fresh: Path) -> None:
    """Nothing is lost, doubled or left over: as if it had been read but once."""
    with scrubjay.open(path, embedder="hashing") as jay, scrubjay.open(fresh, embedder="hashing") as other:
        done = jay.sync()
        assert (done.remaining, done.skipped) == (0, ())
        world.take_up(other)
        other.sync()
        assert state(jay) == state(other)
        assert jay.check(deep=True).problems == []
        level = jay.status()
        assert (level.behind, level.without_vector) == (0, 0)
        uids = Counter(memory.uid for memory in jay.list())
        assert max(uids.values()) == 1


def test_a_sync_that_is_killed_at_any_moment_is_taken_up(path: Path, tmp_path: Path) -> None:
    world = World(tmp_path, 3)
    with scrubjay.open(path, embedder="hashing") as jay:
        world.take_up(jay)
    environment = os.environ | {"SCRUBJAY_EMBEDDER": "hashing", "SCRUBJAY_STORE": str(path)}
    killed = 0
    for round in range(KILLS):
        command = [sys.executable, "-c", SYNC]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment) as child:
            time.sleep(world.chance.uniform(0.15, 1.2))
            child.kill()
            _, err = child.communicate()
        killed += child.returncode == -signal.SIGKILL
        assert b"Traceback" not in err
        if world.chance.random() < 0.6:
            world.change()
        if round % 15 == 14:
            prove_level(world, path, tmp_path / f"fresh{round}.db")
    assert killed > KILLS / 4


def test_watchers_and_syncs_beside_each_other_lose_and_double_nothing(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World(tmp_path, 5)
    monkeypatch.setenv("SCRUBJAY_SYNC_DEBOUNCE_MS", "100")
    with scrubjay.open(path, embedder="hashing") as jay:
        world.take_up(jay)
        with watching(path) as one, watching(path, "--poll") as two:
            for round in range(25):
                world.change()
                if round % 4 == 0:
                    jay.sync()
                time.sleep(world.chance.uniform(0, 0.3))
            until(lambda: jay.status().behind == 0 and jay.status().without_vector == 0)
            for child in (one, two):
                child.send_signal(signal.SIGTERM)
                out, err = child.communicate(timeout=60)
                assert child.returncode == 0, out + err
                assert "Traceback" not in out + err
    prove_level(world, path, tmp_path / "fresh.db")


def test_a_vault_of_two_thousand_files_is_embedded_once(path: Path, tmp_path: Path) -> None:
    chance, notes, embedder = random.Random(7), tmp_path / "notes", Counting()
    for number in range(2000):
        own = "".join(section(part, f"word{number}x{part}") for part in range(chance.randint(1, 4)))
        write(notes / str(number % 40) / f"{number}.md", f"# Note\n\n{section(99, 'same')}{own}")
    with scrubjay.open(path, embedder=embedder) as jay:
        jay.sources.add(notes)
        first = jay.sync()
        assert first.read == 2000 and first.remaining == 0
        assert first.embedded == len(embedder.asked) == len(set(embedder.asked))
        assert len(jay.list()) > len(embedder.asked)  # the passage that all of them share was embedded once
        assert (again := jay.sync()).read == again.bytes == again.embedded == 0
        embedder.asked.clear()
        (notes / "0").rename(notes / "moved")
        file = notes / "7" / "7.md"
        write(file, file.read_text().replace("Of part 0 it tells", "Of part 0 we know", 1))
        (notes / "8" / "8.md").unlink()
        done = jay.sync()
        assert (done.embedded, len(embedder.asked)) == (1, 1)
        assert done.changed.added == 1
        assert jay.check(deep=True).problems == []
