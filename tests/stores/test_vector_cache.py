"""The cache of vectors beside the file: lost, damaged, foreign or stale, it never changes an answer."""

from __future__ import annotations

import multiprocessing
import random
import shutil
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import apsw
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import scrubjay
from scrubjay import Memory, Results, Scrubjay
from scrubjay.errors import EmbedderMismatch
from scrubjay.models.embedders.hashing import Hashing
from scrubjay.stores.sqlite import vector_index
from scrubjay.stores.sqlite.caches import vector_cache, vector_codes
from scrubjay.types.vectors import Matrix
from tests.support.examples import examples

CONTEXT = multiprocessing.get_context("spawn")
PATIENCE_SECONDS = 120
COUNT = 600
START = datetime(2026, 1, 1, tzinfo=UTC)
WORDS = "amber basalt cobalt copper flint garnet granite jade marble onyx opal pearl quartz ruby slate topaz".split()
KINDS = ("fact", "decision", "note")
SUBJECTS = ("user", "team", None)
QUESTIONS = ("amber marble in a crate", "crate 17 of quartz", "which ruby was polished", "nothing of the sort")


def item(number: int, chance: random.Random) -> dict[str, Any]:
    return {
        "text": f"Crate {number} holds {' and '.join(chance.sample(WORDS, 3))}",
        "kind": chance.choice(KINDS),
        "subject": chance.choice(SUBJECTS),
        "tags": chance.sample(WORDS, 2),
        "metadata": {"shelf": chance.randrange(12), "fragile": chance.random() < 0.1},
        "happened_at": START + timedelta(days=chance.randrange(100)),
        "importance": chance.randint(1, 10),
    }


def items(count: int, seed: int = 1) -> list[dict[str, Any]]:
    chance = random.Random(seed)
    return [item(number, chance) for number in range(count)]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A closed file of 600 memories in one space and 7 in another, with the caches of both searched."""
    folder = tmp_path_factory.mktemp("made")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SCRUBJAY_HOME", str(folder / "home"))
        patch.setattr(vector_index, "FEW_FOR_ONCE", 0)
        with scrubjay.open(folder / "memory.db", embedder="hashing") as jay:
            jay.add_many(items(COUNT))
            jay.search("crate", mode="vector")
        with scrubjay.open(folder / "memory.db", space="attic") as jay:
            jay.add_many(items(7, seed=2))
    return folder / "memory.db"


@pytest.fixture
def stored(made: Path, path: Path) -> Path:
    """A copy of that file for one test."""
    shutil.copy(made, path)
    shutil.copytree(f"{made}.vectors", f"{path}.vectors")
    return path


def cache_of(path: Path) -> Path:
    (cache,) = Path(f"{path}.vectors").glob("*.codes")
    return cache


@pytest.fixture(autouse=True)
def cache_from_the_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ask the cache at once, though a process that asks but once would do without it; and let nothing fade."""
    monkeypatch.setattr(vector_index, "FEW_FOR_ONCE", 0)
    for kind in ("NOTE", "OBSERVATION"):
        monkeypatch.setenv(f"SCRUBJAY_DECAY_{kind}", "0")


ALL_VECTORS = """
    select p.memory, p.vector from pieces p join memories m on m.id = p.memory
    where p.model = (select id from models where state = 'current')
    and m.space in (select value from json_each(?)) and (m.superseded_at is null or ?)
"""


def exact(path: Path, question: Matrix, spaces: str = '["default"]', superseded: bool = False) -> dict[int, float]:
    """The cosine of every memory, from the vectors in the file."""
    db = apsw.Connection(str(path))
    rows: list[Any] = db.execute(ALL_VECTORS, (spaces, superseded)).fetchall()
    db.close()
    return {memory: float(np.frombuffer(vector, dtype="<f4") @ question) for memory, vector in rows}


def same(results: Results, cosines: dict[int, float], limit: int) -> None:
    """As many as there are up to the limit, and the best of them, each with its own score."""
    best = sorted((max(cosine, 0.0) for cosine in cosines.values()), reverse=True)[:limit]
    assert [hit.score for hit in results] == pytest.approx(best, abs=1e-5)
    assert [hit.score for hit in results] == pytest.approx(
        [max(cosines[hit.memory.id], 0.0) for hit in results], abs=1e-5
    )


def answers_exactly(jay: Scrubjay, path: Path, embedder: Hashing | None = None) -> bool:
    for question in QUESTIONS:
        (vector,) = (embedder or Hashing()).embed([question], query=True)
        for limit in (1, 10, 40):
            results = jay.search(question, mode="vector", limit=limit)
            same(results, exact(path, vector), limit)
            assert results.notes == ()
    return True


def opened_answers_exactly(path: Path) -> bool:
    with scrubjay.open(path) as jay:
        return answers_exactly(jay, path)


# Damage


def test_a_cache_is_used_as_long_as_it_is_sound(stored: Path, builds: list[str]) -> None:
    assert opened_answers_exactly(stored)
    assert builds == []


def test_a_deleted_cache_is_made_anew(stored: Path, builds: list[str]) -> None:
    shutil.rmtree(f"{stored}.vectors")
    assert opened_answers_exactly(stored)
    assert builds == ["default"] and cache_of(stored).exists()


def spoil(path: Path, content: bytes, builds: Sequence[str]) -> None:
    """Put something else in the cache's place: it is noticed, and mended by the first search."""
    before = len(builds)
    cache_of(path).write_bytes(content)
    assert opened_answers_exactly(path)
    assert len(builds) == before + 1
    assert opened_answers_exactly(path)
    assert len(builds) == before + 1


def test_a_truncated_cache_is_made_anew(stored: Path, builds: list[str]) -> None:
    content = cache_of(stored).read_bytes()
    header = content.index(b"\n", 20)
    for length in (0, 1, 18, 19, 40, header, header + 1, header + 30, len(content) // 2, len(content) - 1):
        spoil(stored, content[:length], builds)


@pytest.mark.parametrize("content", [b"\n\n\n", b"scrubjay vectors 1\n[]\n", b"scrubjay vectors 1\n{}\n", bytes(5000)])
def test_garbage_in_the_cache_is_made_anew(stored: Path, builds: list[str], content: bytes) -> None:
    spoil(stored, content, builds)
    spoil(stored, random.Random(1).randbytes(50_000), builds)


def test_no_flipped_bit_changes_an_answer(stored: Path) -> None:
    content, chance = cache_of(stored).read_bytes(), random.Random(5)
    header = content.index(b"\n", 20)
    places = [*chance.sample(range(header), 20), *chance.sample(range(header, len(content)), 10)]
    (vector,) = Hashing().embed([QUESTIONS[0]])
    cosines = exact(stored, vector)
    for place in places:
        flipped = bytearray(content)
        flipped[place] ^= 1 << chance.randrange(8)
        cache_of(stored).write_bytes(flipped)
        with scrubjay.open(stored) as jay:
            results = jay.search(QUESTIONS[0], mode="vector", limit=10)
            same(results, cosines, 10)
            assert results.notes == ()


def test_the_cache_of_another_file_is_not_believed(stored: Path, tmp_path: Path, builds: list[str]) -> None:
    other = tmp_path / "other.db"
    with scrubjay.open(other, embedder="hashing") as jay:
        jay.add_many(items(COUNT, seed=9))
        jay.search("crate", mode="vector")
    spoil(stored, cache_of(other).read_bytes(), builds)


def test_the_cache_of_another_space_is_not_believed(stored: Path, builds: list[str]) -> None:
    ours = cache_of(stored)
    with scrubjay.open(stored, space="cellar") as jay:
        jay.add_many(items(300, seed=4))
        jay.search("crate", mode="vector")
    (theirs,) = set(ours.parent.glob("*.codes")) - {ours}
    shutil.copy(theirs, ours)
    builds.clear()
    assert opened_answers_exactly(stored)
    assert builds == ["default"]


@pytest.mark.parametrize("instead", ["a folder for the file", "a file for the folder", "a loop of links"])
def test_a_cache_that_can_be_neither_read_nor_written_is_done_without(stored: Path, instead: str) -> None:
    cache = cache_of(stored)
    if instead == "a folder for the file":
        cache.unlink()
        cache.mkdir()
    else:
        shutil.rmtree(cache.parent)
        cache.parent.touch() if instead == "a file for the folder" else cache.parent.symlink_to(cache.parent)
    for _ in range(2):
        assert opened_answers_exactly(stored)


def test_a_space_with_a_long_name_in_any_script_has_a_cache(path: Path, builds: list[str]) -> None:
    for _ in range(2):
        with scrubjay.open(path, embedder="hashing", space="書" * 100) as jay:
            jay.add_many(items(300))
            assert len(jay.search("crate", mode="vector")) == 10
    assert len(builds) == 1


def test_nothing_is_kept_of_spaces_that_are_only_named(stored: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    indexes: list[str] = []
    monkeypatch.setattr(vector_cache, "_build", lambda db, space, *rest: indexes.append(space))
    with scrubjay.open(stored, embedder="hashing") as jay:
        for _ in range(2):
            assert not jay.search("amber marble", spaces=[f"nobody-{number}" for number in range(100)])
            assert not jay.lend(space="none-of-mine").search("amber marble")
    assert indexes == []


def test_the_names_of_spaces_that_were_asked_are_not_kept_without_limit(
    stored: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vector_cache, "KEPT_NAMES", 10)
    cache = vector_cache.VectorCache(stored)
    for number in range(100):
        cache.was_asked(f"nobody-{number}")
    assert len(cache._asked) <= 10


def test_spaces_whose_names_differ_in_case_only_have_a_cache_each(path: Path, builds: list[str]) -> None:
    for _ in range(2):
        for space in ("Work", "work"):
            with scrubjay.open(path, embedder="hashing", space=space) as jay:
                jay.add_many(items(300))
                jay.search("crate", mode="vector")
    assert builds == ["Work", "work"]


def test_what_was_not_searched_when_the_cache_was_made_is_current_again(stored: Path, builds: list[str]) -> None:
    with scrubjay.open(stored) as jay:
        jay.supersede(3, "Crate 2 is empty")
    shutil.rmtree(f"{stored}.vectors")
    with scrubjay.open(stored) as jay:
        assert answers_exactly(jay, stored)
        jay.revert(3)
        assert answers_exactly(jay, stored)  # and says nothing of a failure
    assert builds == ["default"] * 2


# An older file


def test_a_restored_backup_is_noticed(stored: Path, tmp_path: Path) -> None:
    backup = tmp_path / "backup.db"
    shutil.copy(stored, backup)
    with scrubjay.open(stored) as jay:
        jay.add_many([{"text": f"Late crate {number} of quartz"} for number in range(300)])
        jay.supersede(1, "Crate 0 is empty")
        assert answers_exactly(jay, stored)
    shutil.copy(backup, stored)
    assert opened_answers_exactly(stored)


def test_a_restored_backup_with_a_history_of_equal_length_is_noticed(stored: Path, tmp_path: Path) -> None:
    backup = tmp_path / "backup.db"
    shutil.copy(stored, backup)
    lengths = set()
    for word in ("quartz", "marble"):
        shutil.copy(backup, stored)
        with scrubjay.open(stored) as jay:
            jay.add_many([{"text": f"Late crate {number} of {word} and amber"} for number in range(300)])
            assert answers_exactly(jay, stored)
            assert word in jay.search(f"Late crate 7 of {word} and amber", mode="vector")[0].memory.text
        db = apsw.Connection(str(stored))
        lengths.add(db.execute("select max(seq) from changes").get)
        db.close()
    assert len(lengths) == 1


# Following


def test_one_new_memory_is_followed_and_not_a_reason_to_build(stored: Path, builds: list[str]) -> None:
    with scrubjay.open(stored) as jay:
        for number in range(5):
            added = jay.add(f"Late crate {number} of obsidian").memory
            assert jay.search(f"Late crate {number} of obsidian", mode="vector")[0].memory.id == added.id
        jay.delete(added.id)
        jay.supersede(added.id - 1, "Late crate 3 was lost")
        assert answers_exactly(jay, stored)
    assert opened_answers_exactly(stored)
    assert builds == []


def test_use_counts_leave_the_cache_alone(stored: Path, builds: list[str]) -> None:
    cache = cache_of(stored)
    before = (cache.read_bytes(), cache.stat().st_mtime_ns)
    for _ in range(3):
        with scrubjay.open(stored) as jay:
            for question in QUESTIONS * 20:
                jay.search(question)
            jay.confirm(7)
            jay.update(8, metadata={"shelf": 3})
    assert (cache.read_bytes(), cache.stat().st_mtime_ns) == before
    assert builds == []


def test_a_cache_is_saved_again_once_much_has_changed(stored: Path, builds: list[str]) -> None:
    with scrubjay.open(stored) as jay:
        jay.add_many([{"text": f"Late crate {number}"} for number in range(300)])
        before = cache_of(stored).read_bytes()
        jay.search("crate", mode="vector")
    assert cache_of(stored).read_bytes() != before
    assert opened_answers_exactly(stored)
    assert builds == []


def test_what_another_scrubjay_does_is_followed(stored: Path, builds: list[str]) -> None:
    chance = random.Random(11)
    with scrubjay.open(stored) as jay, scrubjay.open(stored) as other:
        assert answers_exactly(jay, stored)
        ids = list(range(1, COUNT + 1))
        chance.shuffle(ids)
        for number in range(12):
            other.add(f"Late crate {number} of quartz and amber")
            other.delete(ids.pop())
            other.supersede(ids.pop(), f"Crate {number} was moved to the marble hall")
            other.supersede(ids.pop(), by=ids.pop())
            other.update(ids[-1], title=f"Amber {number}")
            if number % 4 == 3:
                assert answers_exactly(jay, stored)
        assert answers_exactly(other, stored)
    assert builds == []


def _change(path: Path) -> None:
    with scrubjay.open(path) as jay:
        jay.add_many([{"text": f"Late crate {number} of quartz and amber"} for number in range(280)])
        jay.delete(1)
        jay.supersede(2, "Crate 1 is empty")
        jay.search("crate", mode="vector")


def test_what_another_process_does_is_followed(stored: Path, builds: list[str]) -> None:
    with scrubjay.open(stored) as jay:
        assert answers_exactly(jay, stored)
        child = CONTEXT.Process(target=_change, args=(stored,))
        child.start()
        child.join(PATIENCE_SECONDS)
        child.kill()
        assert child.exitcode == 0
        assert answers_exactly(jay, stored)
        assert jay.search("Late crate 250 of quartz and amber", mode="vector", limit=1)[0].score > 0.99
    assert opened_answers_exactly(stored)
    assert builds == []


def test_a_change_of_more_pieces_than_any_memory_has_is_a_reason_to_build(stored: Path, builds: list[str]) -> None:
    """To follow it would take for ever: a file may claim any number."""
    db = apsw.Connection(str(stored))
    db.execute("insert into changes (space, verb, first_piece, last_piece) values ('default', 'remove', 1, 9000000)")
    db.close()
    assert opened_answers_exactly(stored)
    assert builds == ["default"]


def test_a_log_of_changes_that_was_pruned_is_a_reason_to_build(
    stored: Path, builds: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scrubjay.stores.sqlite.vector_index.KEPT_CHANGES", 20)
    monkeypatch.setattr("scrubjay.stores.sqlite.vector_index.PRUNED_EVERY", 1)
    with scrubjay.open(stored) as jay, scrubjay.open(stored) as other:
        assert answers_exactly(jay, stored)
        other.add_many([{"text": f"Late crate {number} of quartz"} for number in range(30)])
        assert answers_exactly(jay, stored)
    assert builds == ["default"]


# Filters


@pytest.fixture(params=["within reach of the cache", "beyond it"])
def reach(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "beyond it":
        monkeypatch.setattr(vector_index, "OVERFETCH", (1,))


@pytest.fixture
def filtered(stored: Path) -> Iterator[tuple[Scrubjay, Path, list[Memory]]]:
    with scrubjay.open(stored) as jay:
        yield jay, stored, jay.list()


shelf = st.tuples(st.sampled_from(["=", "!=", "<", "<=", ">", ">="]), st.integers(-1, 12))
day = st.integers(-1, 101).map(lambda days: START + timedelta(days=days))
Filters = st.fixed_dictionaries(
    {},
    optional={
        "kinds": st.lists(st.sampled_from([*KINDS, "event"]), min_size=1, max_size=2),
        "subject": st.sampled_from(["user", "team", "nobody"]),
        "tags": st.lists(st.sampled_from(WORDS), min_size=1, max_size=2),
        "shelf": shelf,
        "fragile": st.booleans(),
        "since": day,
        "until": day,
        "min_importance": st.integers(1, 10),
    },
)
COMPARE: dict[str, Callable[[int, int], bool]] = {
    "=": int.__eq__, "!=": int.__ne__, "<": int.__lt__, "<=": int.__le__, ">": int.__gt__, ">=": int.__ge__,
}  # fmt: skip


def passes(memory: Memory, wanted: dict[str, Any]) -> bool:
    tests: dict[str, Callable[[Any], bool]] = {
        "kinds": lambda kinds: memory.kind in kinds,
        "subject": lambda subject: memory.subject == subject,
        "tags": lambda tags: bool(set(memory.tags) & set(tags)),
        "shelf": lambda shelf: COMPARE[shelf[0]](memory.metadata["shelf"], shelf[1]),
        "fragile": lambda fragile: memory.metadata["fragile"] is fragile,
        "since": lambda since: memory.happened_at >= since,
        "until": lambda until: memory.happened_at <= until,
        "min_importance": lambda least: memory.importance >= least,
    }
    return all(tests[name](value) for name, value in wanted.items())


def as_asked(wanted: dict[str, Any]) -> dict[str, Any]:
    metadata = {"fragile": wanted["fragile"]} if "fragile" in wanted else {}
    if "shelf" in wanted:
        metadata["shelf"] = {wanted["shelf"][0]: wanted["shelf"][1]}
    plain = {name: value for name, value in wanted.items() if name not in ("shelf", "fragile")}
    return {**plain, "metadata": metadata} if metadata else plain


@pytest.mark.usefixtures("reach")
@settings(max_examples=examples(60))
@given(wanted=Filters, question=st.sampled_from(QUESTIONS), limit=st.sampled_from([1, 5, 30]))
def test_any_filter_gives_as_many_as_there_are_and_the_best_of_them(
    filtered: tuple[Scrubjay, Path, list[Memory]], wanted: dict[str, Any], question: str, limit: int
) -> None:
    assume("since" not in wanted or "until" not in wanted or wanted["since"] <= wanted["until"])
    jay, path, memories = filtered
    allowed = {memory.id for memory in memories if passes(memory, wanted)}
    (vector,) = Hashing().embed([question])
    cosines = {id: cosine for id, cosine in exact(path, vector).items() if id in allowed}
    same(jay.search(question, mode="vector", limit=limit, **as_asked(wanted)), cosines, limit)


@pytest.mark.usefixtures("reach")
def test_a_small_space_in_a_large_file_gives_all_it_has(stored: Path) -> None:
    (vector,) = Hashing().embed([QUESTIONS[0]])
    with scrubjay.open(stored, space="attic") as jay:
        same(jay.search(QUESTIONS[0], mode="vector"), exact(stored, vector, '["attic"]'), 10)
        assert len(jay.search("crate", mode="vector")) == 7
        both = jay.search(QUESTIONS[0], mode="vector", limit=30, spaces=["default", "attic"])
        same(both, exact(stored, vector, '["default", "attic"]'), 30)
        rare = jay.search("crate", mode="vector", spaces=["attic", "default"], metadata={"fragile": True}, limit=500)
        assert {hit.memory.id for hit in rare} == {
            memory.id for memory in jay.list(spaces=["attic", "default"]) if memory.metadata["fragile"]
        }


@pytest.mark.usefixtures("reach")
def test_superseded_memories_are_found_by_meaning_only_when_asked_for(stored: Path) -> None:
    (vector,) = Hashing().embed([QUESTIONS[0]])
    with scrubjay.open(stored) as jay:
        for id in range(1, 60):
            jay.supersede(id, f"Crate number {id} is empty now")
        assert answers_exactly(jay, stored)
        for limit in (10, 100):
            results = jay.search(QUESTIONS[0], mode="vector", limit=limit, include_superseded=True)
            same(results, exact(stored, vector, superseded=True), limit)
        old = jay.get(5)
        assert old is not None
        found = jay.search(old.text, mode="vector", limit=1, include_superseded=True)
        assert found[0].memory.id == 5 and found[0].memory.superseded_by is not None


def test_an_expired_memory_is_not_found_though_the_cache_knows_it(stored: Path) -> None:
    now = datetime.now(UTC)
    with scrubjay.open(stored) as jay:
        for number in range(100):
            jay.add(f"Crate {number} of amber marble", expires_at=now + timedelta(days=1))
        assert len(jay.search("crate of amber marble", mode="vector", limit=100)) == 100
    with scrubjay.open(stored, clock=lambda: now + timedelta(days=2)) as jay:
        texts = [hit.memory.text for hit in jay.search("crate of amber marble", mode="vector", limit=100)]
        assert len(texts) == 100 and not [text for text in texts if "of amber marble" in text]


def test_where_the_cache_fails_the_answers_are_the_same_and_a_note_says_why_they_are_slow(
    stored: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise ValueError

    monkeypatch.setattr(vector_cache, "nearest", fail)
    with scrubjay.open(stored) as jay:
        for question in QUESTIONS:
            (vector,) = Hashing().embed([question])
            results = jay.search(question, mode="vector", limit=10)
            same(results, exact(stored, vector), 10)
            assert ["the vector cache failed" in note for note in results.notes] == [True]


# Another embedder


class Rolled(Hashing):
    """Another model of the same length: nothing but its name tells its vectors apart."""

    model = "rolled/256"
    embedded = 0

    def embed(self, texts: Sequence[str], query: bool = False) -> Matrix:
        self.embedded += 0 if query else len(texts)
        return np.roll(super().embed(texts, query), 1, axis=1)


class Stop(Exception):
    pass


def stop(done: int, total: int) -> None:
    raise Stop


def test_old_vectors_answer_until_the_new_ones_are_complete(stored: Path) -> None:
    steps: list[tuple[int, int]] = []
    with scrubjay.open(stored) as jay, scrubjay.open(stored) as other:

        def look(done: int, total: int) -> None:
            steps.append((done, total))
            assert answers_exactly(jay, stored)

        filled = other.reindex(Rolled(), progress=look)
        assert (filled.embedded, filled.failed, filled.remaining) == (COUNT + 7, (), 0)
        assert steps[0][0] < steps[-1][0] == steps[-1][1] == COUNT + 7
        assert answers_exactly(other, stored, Rolled())
    with scrubjay.open(stored, embedder=Rolled()) as jay:
        assert answers_exactly(jay, stored, Rolled())
        assert jay.check(deep=True).problems == []


def test_memories_written_during_a_reindex_are_in_it(stored: Path) -> None:
    with scrubjay.open(stored) as jay, scrubjay.open(stored) as other:
        rounds = iter((10, 20, 30))

        def write(done: int, total: int) -> None:
            if round := next(rounds, None):
                other.add(f"Late crate of round {round}")
                other.delete(round)
                other.update(1, title=f"Titled in round {round}")

        jay.reindex(Rolled(), progress=write)
        assert jay.stats().without_vector == 0
        assert answers_exactly(jay, stored, Rolled())
        titled = jay.get(1)
        assert titled is not None and titled.title == "Titled in round 30"
        assert jay.search(f"{titled.title}\n{titled.text}", mode="vector", limit=1)[0].score > 0.99
        assert jay.check(deep=True).problems == []


def test_an_interrupted_reindex_leaves_the_old_vectors_and_goes_on_where_it_was(stored: Path) -> None:
    with scrubjay.open(stored) as jay:
        with pytest.raises(Stop):
            jay.reindex(Rolled(), progress=stop)
        assert answers_exactly(jay, stored)
    assert opened_answers_exactly(stored)
    embedder = Rolled()
    with scrubjay.open(stored) as jay:
        assert jay.check(deep=True).problems == []
        filled = jay.reindex(embedder)
        assert filled.embedded == embedder.embedded < COUNT
        assert answers_exactly(jay, stored, embedder)
        assert jay.check(deep=True).problems == []


def test_a_reindex_to_yet_another_embedder_forgets_the_interrupted_one(stored: Path) -> None:
    with scrubjay.open(stored) as jay:
        with pytest.raises(Stop):
            jay.reindex(Rolled(), progress=stop)
        jay.reindex("hashing")
        assert answers_exactly(jay, stored)
    db = apsw.Connection(str(stored))
    assert db.execute("select count(*) from pieces").get == COUNT + 7
    db.close()


def test_two_reindexes_to_the_same_embedder_help_each_other(stored: Path) -> None:
    with scrubjay.open(stored) as jay, scrubjay.open(stored) as other:
        embedder, helper = Rolled(), Rolled()
        helped: list[scrubjay.Filled] = []

        def help(done: int, total: int) -> None:
            if not helped:
                helped.append(other.reindex(helper))

        filled = jay.reindex(embedder, progress=help)
        assert filled.remaining == helped[0].remaining == 0
        assert answers_exactly(jay, stored, embedder) and answers_exactly(other, stored, embedder)
        assert jay.check(deep=True).problems == []


def test_a_reindex_that_another_one_overtakes_says_so(stored: Path) -> None:
    with scrubjay.open(stored) as jay, scrubjay.open(stored) as other:

        def overtake(done: int, total: int) -> None:
            with pytest.raises(Stop):
                other.reindex(Overtaking(), progress=stop)

        with pytest.raises(EmbedderMismatch, match=r"Another reindex, to overtaking/256, has begun; let it finish"):
            jay.reindex(Rolled(), progress=overtake)
        assert answers_exactly(jay, stored)
        assert jay.check(deep=True).problems == []


class Overtaking(Rolled):
    model = "overtaking/256"


def test_another_embedder_than_the_files_is_refused(stored: Path) -> None:
    with pytest.raises(EmbedderMismatch) as raised:
        scrubjay.open(stored, embedder=Rolled())
    sentence = str(raised.value)
    assert "were made by hashing/256" in sentence and "not by rolled/256" in sentence
    assert "`scrubjay reindex --embedder" in sentence


def test_no_embedder_at_all_always_opens_and_says_that_words_only_were_searched(stored: Path) -> None:
    with scrubjay.open(stored, embedder="none") as jay:
        results = jay.search("crate 17")
        assert "Crate 17 " in results[0].memory.text
        assert results.notes == ("Searched by words only: no embedder is set (`none`).",)
        jay.add("Stored without a vector")
    assert opened_answers_exactly(stored)


def test_a_scrubjay_follows_when_another_moves_the_file_to_another_embedder(stored: Path) -> None:
    with scrubjay.open(stored) as mover:
        mover.reindex(Rolled())
    with scrubjay.open(stored, embedder=Rolled()) as jay:
        assert answers_exactly(jay, stored, Rolled())
        with scrubjay.open(stored) as mover:
            mover.reindex("hashing")
        assert answers_exactly(jay, stored)
        added = jay.add("Late crate of obsidian").memory
        jay.update(added.id, title="Obsidian, late")
        assert jay.search("Obsidian, late\nLate crate of obsidian", mode="vector")[0].score > 0.99
        assert jay.stats().without_vector == 0


def test_vectors_are_never_compared_with_those_of_a_model_that_cannot_be_opened(stored: Path) -> None:
    with scrubjay.open(stored) as jay:
        with scrubjay.open(stored) as mover:
            mover.reindex(Rolled())
        results = jay.search("crate 17 of quartz")
        assert set(results.tiers) == {"keyword"}
        assert "made by 'rolled/256'; pass it as embedder=" in results.notes[0]


# Columns beside the vectors


def test_what_an_update_changes_is_filtered_by_at_once_without_a_new_cache(stored: Path, builds: list[str]) -> None:
    with scrubjay.open(stored) as jay, scrubjay.open(stored) as other:
        for searcher in (jay, other):
            assert len(searcher.search("crate", mode="vector", tags=["lent"])) == 0
        jay.update(5, tags=["lent"], importance=10, subject="museum", project="loans")
        for searcher in (jay, other):
            for options in ({"tags": ["lent"]}, {"subject": "museum"}, {"project": "loans", "min_importance": 10}):
                found = searcher.search("crate", mode="vector", **options)
                assert [hit.memory.id for hit in found] == [5] and found.notes == ()
        other.update(5, tags=["back"], subject="user")
        assert len(jay.search("crate", mode="vector", tags=["lent"])) == 0
        assert len(jay.search("crate", mode="vector", subject="museum")) == 0
    assert builds == []


def test_a_memory_that_is_current_again_passes_filters_again(stored: Path, builds: list[str]) -> None:
    with scrubjay.open(stored) as jay:
        jay.update(5, tags=["lent"])
        assert len(jay.search("crate", mode="vector", tags=["lent"])) == 1
        jay.supersede(5, "Crate 4 is empty", tags=["void"])
        assert len(jay.search("crate", mode="vector", tags=["lent"])) == 0
        jay.revert(5)
        assert [hit.memory.id for hit in jay.search("crate", mode="vector", tags=["lent"])] == [5]
    assert builds == []


def test_columns_are_saved_and_read_again_with_what_was_added_since(stored: Path, builds: list[str]) -> None:
    with scrubjay.open(stored) as jay:
        jay.add_many([{"text": f"Late crate {number}", "tags": ["late"], "session": "s"} for number in range(300)])
        assert len(jay.search("crate", mode="vector", tags=["late"], limit=500)) == 300
    with scrubjay.open(stored) as jay:
        jay.add("Last crate", tags=["late", "last"])
        assert len(jay.search("crate", mode="vector", tags=["late"], limit=500)) == 301
        assert len(jay.search("crate", mode="vector", tags=["last"])) == 1
        assert len(jay.search("crate", mode="vector", tags=["late"], session="s", limit=500)) == 300
    assert builds == []


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_copying_the_codes_that_pass_and_comparing_all_give_the_same(
    stored: Path, monkeypatch: pytest.MonkeyPatch, share: float
) -> None:
    monkeypatch.setattr(vector_codes, "FEW", 50)
    monkeypatch.setattr(vector_codes, "DEVIATIONS", 6.0)
    monkeypatch.setattr(vector_codes, "COPIED_SHARE", share)
    with scrubjay.open(stored) as jay:
        kinds = {memory.id: memory.kind for memory in jay.list()}
        for question in QUESTIONS:
            (vector,) = Hashing().embed([question])
            facts = {id: cosine for id, cosine in exact(stored, vector).items() if kinds[id] == "fact"}
            same(jay.search(question, mode="vector", limit=10, kinds=["fact"]), facts, 10)
