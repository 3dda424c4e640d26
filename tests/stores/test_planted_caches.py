"""Caches that somebody else has put beside a store: they change no answer, and lead to no other file."""

from __future__ import annotations

import json
import os
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw
import numpy as np
import pytest

import scrubjay
from scrubjay.stores.sqlite import text_index
from scrubjay.stores.sqlite.caches import postings, vector_cache, vector_columns, word_cache
from scrubjay.stores.sqlite.caches.saved_files import SavedFiles

COUNT = 400
HASH = "0123456789abcdef"  # of a space, as in the name of its files
DIRECTIONS, COLUMNS, _, _, STEPS = range(5)  # the parts of a cache of vectors
Parts = list[bytes]
Change = Callable[[dict[str, Any], Parts], tuple[dict[str, Any], Parts]]


@pytest.fixture(autouse=True)
def large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every space is large enough for the word cache."""
    monkeypatch.setattr(text_index, "CACHED_FROM", 0)


@pytest.fixture
def store(path: Path) -> Path:
    with scrubjay.open(path, embedder="hashing") as jay:
        jay.add_many([{"text": f"Crate {number} holds amber and quartz {number % 13}"} for number in range(COUNT)])
        answers(path)
    return path


def answers(path: Path) -> list[list[int]]:
    with scrubjay.open(path) as jay:
        asked = [jay.search("amber crate", mode=mode, limit=7) for mode in ("keyword", "vector", "vector")]
        filtered = jay.search("quartz", mode="vector", limit=3, kinds=["fact"], tags=["none"])
        assert not any("cache failed" in str(note) for results in asked for note in results.notes)
        return [[hit.memory.id for hit in results] for results in (*asked, filtered)]


def rewrite(store: Path, suffix: str, magic: bytes, change: Change) -> None:
    """Change a cache, and give it a right checksum."""
    files = SavedFiles(store, suffix, magic, False)
    saved, parts = files.read("default", lambda parts: list(map(bytes, parts))) or pytest.fail("no cache was saved")
    files.write("default", *change(saved, parts))


def column(name: str, value: int) -> Change:
    """Let a column of the pieces hold one value everywhere."""

    def change(saved: dict[str, Any], parts: Parts) -> tuple[dict[str, Any], Parts]:
        header, body = parts[COLUMNS].split(b"\n", 1)
        size, start = json.loads(header)["size"], 0
        for one, dtype in vector_columns.TYPES.items():
            own = np.frombuffer(body, dtype, size, start).copy()
            if one == name:
                own[:] = value
                body = body[:start] + own.tobytes() + body[start + own.nbytes :]
            start += own.nbytes
        return saved, [*parts[:COLUMNS], header + b"\n" + body, *parts[COLUMNS + 1 :]]

    return change


def columns_header(**others: Any) -> Change:
    def change(saved: dict[str, Any], parts: Parts) -> tuple[dict[str, Any], Parts]:
        header, body = parts[COLUMNS].split(b"\n", 1)
        changed = json.dumps(json.loads(header) | others).encode()
        return saved, [*parts[:COLUMNS], changed + b"\n" + body, *parts[COLUMNS + 1 :]]

    return change


def values(**others: Any) -> Change:
    return columns_header(values={**{name: [None] for name in vector_columns.NAMED}, **others})


def saved_with(**others: Any) -> Change:
    return lambda saved, parts: (saved | others, parts)


def part(number: int, given: Callable[[bytes], bytes]) -> Change:
    return lambda saved, parts: (saved, [*parts[:number], given(parts[number]), *parts[number + 1 :]])


CODES: dict[str, Change] = {
    "parts that are missing": lambda saved, parts: (saved, parts[:2]),
    "no parts": lambda saved, parts: (saved, []),
    "a change with a number of no integer": saved_with(seq=[1]),
    "a change without a number": saved_with(seq=None),
    "a number of a name that no cache has": saved_with(passed=1),
    "a change with a number beyond any": saved_with(seq=10**30),
    "names that are no object": columns_header(values=[1]),
    "names that are missing": columns_header(values={}),
    "names that are no texts": values(kind=[5]),
    "tags that are no list": values(tags=["5"]),
    "columns nested very deeply": part(COLUMNS, lambda own: b"[" * 200_000 + b"\n"),
    "a kind that is not there": column("kind", 10**6),
    "a kind before the first": column("kind", -(10**6)),
    "tags that are not there": column("tags", 10**6),
    "pieces that are not in order": column("piece", 5),
    "vectors of no length": part(STEPS, lambda own: bytes(len(own))),
    "vectors of no number": part(STEPS, lambda own: np.full(len(own) // 4, np.nan, "<f4").tobytes()),
    "directions of no number": part(DIRECTIONS, lambda own: np.full(len(own) // 4, np.nan, "<f4").tobytes()),
    "vectors without dimensions": lambda saved, parts: (saved, [b"", *parts[1:3], b"", parts[STEPS]]),
}


def array(name: str, given: Callable[[Any], Any]) -> Change:
    """Change an array of the postings."""

    def change(saved: dict[str, Any], parts: Parts) -> tuple[dict[str, Any], Parts]:
        arrays = postings.Postings.from_bytes(memoryview(parts[0]))._arrays
        changed = postings.Postings.__new__(postings.Postings)
        changed._arrays = {**arrays, name: given(arrays[name].copy())}
        return saved, [changed.to_bytes()]

    return change


WORDS: dict[str, Change] = {
    "rows of no memory": array("rows", lambda own: own + 10**6),
    "a row too few": array("rows", lambda own: own[:-1]),
    "a beginning beyond the end": array("starts", lambda own: own + 10**6),
    "beginnings that are not in order": array("starts", lambda own: own[::-1]),
    "no beginning": array("starts", lambda own: own[:0]),
    "stems that are not in order": array("stems", lambda own: own[::-1]),
    "ids that are not in order": array("ids", lambda own: own[::-1]),
    "lengths that are missing": array("lengths", lambda own: own[:3]),
    "lengths of no number": array("lengths", lambda own: own * np.nan),
    "words that do not occur": array("counts", lambda own: own * 0),
    "a header that is no object": part(0, lambda own: b"[1]\n"),
    "a header nested very deeply": part(0, lambda own: b"[" * 200_000 + b"\n"),
    "a token that is none": saved_with(token={"a": 1}),
    "a number beyond any": saved_with(seq=-(10**30)),
}


@pytest.mark.parametrize("change", CODES.values(), ids=CODES)
def test_a_cache_of_vectors_that_fits_to_nothing_is_built_anew(store: Path, change: Change) -> None:
    before = answers(store)
    rewrite(store, "codes", vector_cache.MAGIC, change)
    assert answers(store) == before


@pytest.mark.parametrize("change", WORDS.values(), ids=WORDS)
def test_a_cache_of_words_that_fits_to_nothing_is_built_anew(store: Path, change: Change) -> None:
    before = answers(store)
    rewrite(store, "words", word_cache.MAGIC, change)
    assert answers(store) == before


@pytest.mark.parametrize(
    "header", [b"[1, 2]", b"[" * 200_000, b'{"lengths": [-64, 64]}', b'{"lengths": 5}', b"9" * 9000]
)
def test_a_cache_whose_header_is_none_is_built_anew(store: Path, header: bytes) -> None:
    before = answers(store)
    for name, magic in (("codes", vector_cache.MAGIC), ("words", word_cache.MAGIC)):
        (file,) = Path(f"{store}.vectors").glob(f"*.{name}")
        file.write_bytes(magic + b"\n" + header + b"\n" + file.read_bytes())
    assert answers(store) == before


def test_a_cache_that_is_larger_than_its_store_could_need_is_not_read(store: Path) -> None:
    before, large = answers(store), 2**31
    for name, magic in (("codes", vector_cache.MAGIC), ("words", word_cache.MAGIC)):
        (file,) = Path(f"{store}.vectors").glob(f"*.{name}")
        header = json.dumps(
            {"space": "default", "crc": 0, "lengths": [large], "seq": 1, "token": 1, "model": 1}
        ).encode()
        file.write_bytes(magic + b"\n" + header + b"\n")
        os.truncate(file, file.stat().st_size + large)  # without using any room
    tracemalloc.start()
    assert answers(store) == before
    assert tracemalloc.get_traced_memory()[1] < 2**28
    tracemalloc.stop()


def test_nothing_is_removed_read_or_changed_where_a_link_in_the_place_of_the_caches_leads(
    store: Path, tmp_path: Path
) -> None:
    before, folder, others = answers(store), Path(f"{store}.vectors"), tmp_path / "letters"
    folder.rename(others)
    for name in ("letter.txt", f".{HASH}.codes.1.2.tmp"):
        (others / name).write_text("Dear Ann")
    for one in (others, *others.iterdir()):
        one.chmod(0o755)
    held = {one: (one.stat().st_mode, one.read_bytes()) for one in others.iterdir()}
    folder.symlink_to(others, target_is_directory=True)
    with scrubjay.open(store) as jay:
        assert all(one.is_relative_to(store.parent) for one in jay.view.store.files())
        jay.delete(jay.add("Crate 900 holds granite").memory.id)
        jay.trash.empty()
        jay.check(deep=True, repair=True)
    assert answers(store) == before
    assert {one: (one.stat().st_mode, one.read_bytes()) for one in others.iterdir()} == held


def test_a_cache_that_is_a_link_is_replaced_and_the_file_that_it_names_is_not(store: Path, tmp_path: Path) -> None:
    before, letter = answers(store), tmp_path / "letter.txt"
    letter.write_text("Dear Ann")
    for cache in Path(f"{store}.vectors").iterdir():
        cache.unlink()
        cache.symlink_to(letter)
    assert answers(store) == before
    assert letter.read_text() == "Dear Ann"
    assert not any(cache.is_symlink() for cache in Path(f"{store}.vectors").iterdir())


def test_only_caches_are_removed_from_their_folder(store: Path) -> None:
    folder = Path(f"{store}.vectors")
    letter, draft, older = folder / "letter.txt", folder / f".{HASH}.codes.1.2.tmp", folder / f"{HASH}.tvim"
    for one in (letter, draft, older):
        one.write_text("Dear Ann")
    with scrubjay.open(store) as jay:
        jay.delete(3)
        jay.trash.empty()
    assert list(folder.iterdir()) == [letter]


@pytest.mark.parametrize(
    "statement",
    [
        "update changes set first_piece = 'a', last_piece = x'00'",
        "update events set memory = x'00'",
        "update changes set token = 'x'",
        "update events set token = x'00'",
    ],
)
def test_logs_with_values_of_another_type_end_no_search(store: Path, statement: str) -> None:
    with scrubjay.open(store) as jay:
        jay.search("crate", mode="vector")
        jay.add("Late crate of amber")
        db = apsw.Connection(str(store))
        db.execute(statement)
        db.close()
        for mode in ("vector", "keyword"):
            assert len(jay.search("amber crate", mode=mode, limit=7)) == 7
    before = answers(store)
    assert answers(store) == before
