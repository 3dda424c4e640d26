"""Adding asks the store at most four times, whatever the new memory has to do with others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from scrubjay import Added, Scrubjay
from tests.support.counted_store import counted

MOST = 4


@pytest.mark.parametrize(
    "add",
    [
        lambda jay: jay.add("Ann plays chess"),
        lambda jay: jay.add("Theme is dark"),
        lambda jay: jay.add("Theme is light", subject="user"),
        lambda jay: jay.add("Theme is light", subject="user", auto_supersede=True),
        lambda jay: jay.add("Theme is light", subject="user", supersedes=1),
        lambda jay: jay.add("Theme is light", supersedes=99),
        lambda jay: jay.add_many([{"text": "Ann plays chess"}, {"text": "Theme is dark"}])[0],
    ],
    ids=["new", "similar", "conflict", "automatic", "supersedes", "supersedes none", "many"],
)
def test_an_add_asks_the_store_at_most_four_times(jay: Scrubjay, add: Callable[[Scrubjay], Added]) -> None:
    jay.add("Theme is dark", subject="user")
    store, calls = counted(jay._view.store)
    added = add(Scrubjay(replace(jay._view, store=store)))
    assert added.created and 0 < len(calls) <= MOST, calls


def test_a_known_text_asks_no_more_often(jay: Scrubjay) -> None:
    jay.add("Theme is dark", subject="user")
    store, calls = counted(jay._view.store)
    again = Scrubjay(replace(jay._view, store=store)).add("Theme is dark", subject="user", tags=["ui"])
    assert not again.created and 0 < len(calls) <= MOST, calls
