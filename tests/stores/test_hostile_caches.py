"""Files of caches that came along with a memory, as in an unpacked folder: they end no search, and lead nowhere."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import apsw
import pytest

import scrubjay
from scrubjay.stores.sqlite import text_index, vector_index
from scrubjay.stores.sqlite.caches import vector_cache, word_cache

COUNT = 300
SAVED_WITH = {"model": 1, "seq": 1, "token": 1}
MAGIC = {".codes": vector_cache.MAGIC, ".words": word_cache.MAGIC}
DEEP = b"[" * 200_000


@pytest.fixture(autouse=True)
def caches_of_few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both caches are asked at once."""
    monkeypatch.setattr(text_index, "CACHED_FROM", 0)
    monkeypatch.setattr(vector_index, "FEW_FOR_ONCE", 0)


def searched(path: Path) -> int:
    """How many are found both ways, without a note."""
    with scrubjay.open(path, embedder="hashing") as jay:
        found = [jay.search("crate of amber", mode=mode, limit=7) for mode in ("keyword", "vector")]
        assert [results.notes for results in found] == [(), ()]
        return sum(map(len, found))


@pytest.fixture
def stored(path: Path) -> Iterator[Path]:
    """A file of which both caches are saved."""
    with scrubjay.open(path, embedder="hashing") as jay:
        jay.add_many([{"text": f"Crate {number} of amber"} for number in range(COUNT)])
    assert searched(path) == 14
    yield path


def folder_of(path: Path) -> Path:
    return Path(f"{path}.vectors")


def forged(header: dict[str, Any], *parts: bytes) -> bytes:
    """A file that is whole, as far as its checksum tells."""
    body = b"".join(part + bytes(-len(part) % 64) for part in parts)
    named = {"space": "default", "lengths": list(map(len, parts)), **SAVED_WITH, **header}
    return json.dumps({**named, "crc": zlib.crc32(body)}).encode() + b"\n" + body


FORGED = {
    "too deep a header": DEEP + b"\n",
    "no parts": forged({}),
    "too few parts": forged({}, b"", b""),
    "a length that is no number": forged({"lengths": ["a"]}),
    "a part that is too deep": forged({}, DEEP + b"\n", b"", b"", b"", DEEP + b"\n"),
    "too large a size": forged({}, b'{"ids": 1%s}\n' % (b"0" * 40), b"", b"", b"", b'{"size": 1%s}\n' % (b"0" * 40)),
    "a list of sizes": forged({}, b"[]\n", b"", b"", b"", b"[]\n"),
    "values that are a list": forged({}, b"{}\n", b"", b"", b"", b'{"size": 0, "values": []}\n'),
    "a sequence number that is a list": forged({"seq": []}),
    "a sequence number that is none": forged({"seq": None}),
    "too large a sequence number": forged({"seq": 10**40}),
    "a token that is an object": forged({"token": {}}),
    "a name that no cache has": forged({"passed": 1}),
}


@pytest.mark.parametrize("name", FORGED)
def test_a_forged_cache_is_as_none(stored: Path, name: str) -> None:
    for cache in folder_of(stored).iterdir():
        cache.write_bytes(MAGIC[cache.suffix] + b"\n" + FORGED[name])
    assert searched(stored) == 14


def test_a_cache_that_is_a_link_is_replaced_and_the_file_that_it_names_is_not(stored: Path, tmp_path: Path) -> None:
    letter = tmp_path / "letter.txt"
    letter.write_text("Dear Ann")
    for cache in folder_of(stored).iterdir():
        cache.unlink()
        cache.symlink_to(letter)
    assert searched(stored) == 14
    assert letter.read_text() == "Dear Ann"
    assert not any(cache.is_symlink() for cache in folder_of(stored).iterdir())


def test_nothing_is_written_or_removed_through_a_link_in_place_of_the_folder(stored: Path, tmp_path: Path) -> None:
    desk = tmp_path / "desk"
    folder_of(stored).rename(desk)
    (desk / "letter.txt").write_text("Dear Ann")
    folder_of(stored).symlink_to(desk)
    before = {path: path.read_bytes() for path in desk.iterdir()}
    with scrubjay.open(stored, embedder="hashing") as jay:
        jay.add_many([{"text": f"Late crate {number}"} for number in range(COUNT)])
        jay.search("crate", mode="vector")
        jay.forget(1)
        jay.search("crate")
    assert {path: path.read_bytes() for path in desk.iterdir()} == before


def test_what_is_erased_takes_only_files_of_caches_with_it(stored: Path) -> None:
    letter, draft = folder_of(stored) / "letter.txt", folder_of(stored) / ".0123456789abcdef.words.12.34.tmp"
    for path in (letter, draft):
        path.write_text("Dear Ann")
    with scrubjay.open(stored, embedder="hashing") as jay:
        jay.forget(1)
    assert [*folder_of(stored).iterdir()] == [letter]


@pytest.mark.parametrize(
    "statement",
    [
        "update changes set first_piece = 'a', last_piece = x'00'",
        "update events set memory = x'00'",
        "update changes set token = 'x'",
        "update events set token = x'00'",
    ],
)
def test_logs_with_values_of_another_type_end_no_search(stored: Path, statement: str) -> None:
    with scrubjay.open(stored, embedder="hashing") as jay:
        jay.search("crate", mode="vector")
        jay.add("Late crate of amber")
        db = apsw.Connection(str(stored))
        db.execute(statement)
        db.close()
        for mode in ("vector", "keyword"):
            assert len(jay.search("crate of amber", mode=mode, limit=7)) == 7
    assert searched(stored) == 14
