"""What is told is what answers: floors a little under what `python -m bench.precision` prints for the first set."""

from __future__ import annotations

from pathlib import Path

import pytest
from bench.precision import NAMES, OTHER_NAMES, WAYS, Asked, asked, figures, read

from scrubjay.models.embedders import open_embedder

BY_OTHER_NAMES = ("direct", "alias", "abbreviation", "replaced")
DIRECT = ("direct", "replaced", "near_miss")


@pytest.fixture(scope="module", params=WAYS)
def told(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> list[Asked]:
    folder = tmp_path_factory.mktemp("precision")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SCRUBJAY_HOME", str(folder))
        return asked(NAMES[0], folder, open_embedder("local"), WAYS[request.param])


def test_most_of_what_is_told_answers_and_most_answers_are_told(told: list[Asked]) -> None:
    found = figures(told)
    assert found["P"] >= 0.68 and found["R"] >= 0.74 and found["told"] <= 1.4 and found["of nothing"] <= 1.3


def test_what_is_asked_for_in_its_own_words_is_told_and_little_besides(told: list[Asked]) -> None:
    found = figures([one for one in told if one.question.type in DIRECT])
    assert found["P"] >= 0.88 and found["R"] >= 0.97


def test_other_names_and_replaced_things_are_answered_as_precisely_as_any(tmp_path: Path) -> None:
    every = asked(OTHER_NAMES, tmp_path, open_embedder("local"), WAYS["search"])
    of = {type: figures([one for one in every if one.question.type == type]) for type in BY_OTHER_NAMES}
    assert all(found["P"] >= of["direct"]["P"] and found["R"] >= of["direct"]["R"] for found in of.values())


@pytest.mark.parametrize("name", [*NAMES, OTHER_NAMES])
def test_a_set_names_beliefs_that_it_has_and_asks_for_none_that_was_replaced(name: str) -> None:
    beliefs, questions = read(name)
    known = {one["id"]: one for one in beliefs}
    assert len(known) == len(beliefs) and len({one.id for one in questions}) == len(questions)
    for question in questions:
        assert not question.must & question.may
        assert all(known[id]["scope"] == question.scope for id in question.must | question.may)
