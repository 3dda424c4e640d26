"""Ten thousand odd queries, up to a megabyte long: slow, so not part of every test run."""

from __future__ import annotations

from pathlib import Path

from tests.support.odd_queries import assert_nothing_is_raised, odd_queries


def test_ten_thousand_odd_queries_raise_nothing(path: Path) -> None:
    assert_nothing_is_raised(path, odd_queries(10_000, 1_000_000))
