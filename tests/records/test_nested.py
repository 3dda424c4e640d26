"""Dot paths, merging and differences: what is set is found, and differences lead from one version to the other."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrubjay.errors import Invalid, NotFound
from scrubjay.records.nested.differences import differences, same
from scrubjay.records.nested.paths import at, leaves, merged, parsed, with_value, without, written

KEYS = st.text(min_size=1, max_size=8) | st.sampled_from(["a", "b c", "x.y", 'q"', "[0]", "\n", "\\", "ключ", " a "])
PLAIN = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=9)
)
VALUES = st.recursive(
    PLAIN, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4), max_leaves=12
)
OBJECTS = st.dictionaries(KEYS, VALUES, max_size=5)
STEPS = st.tuples(KEYS, st.lists(KEYS | st.integers(0, 999_999), max_size=6)).map(lambda both: (both[0], *both[1]))


@given(STEPS)
def test_a_path_is_read_as_it_is_written(steps: tuple[str | int, ...]) -> None:
    assert parsed(written(steps)) == steps


@given(OBJECTS)
def test_every_value_is_found_at_its_path(data: dict[str, Any]) -> None:
    for steps, value in leaves(data):
        assert same(at(data, parsed(written(steps)) if steps else ()), value)


@given(OBJECTS, st.data(), VALUES)
def test_what_is_set_is_found_and_nothing_else_changes(data: dict[str, Any], draw: Any, value: Any) -> None:
    steps = draw.draw(st.sampled_from([path for path, _ in leaves(data) if path] or [("new", "key")]))
    before = deepcopy(data)
    after = with_value(data, steps, value)
    assert same(data, before) and same(at(after, steps), value)
    kept = [(path, one) for path, one in leaves(data) if path[: len(steps)] != steps and path and one not in ({}, [])]
    assert all(same(at(after, path), one) for path, one in kept)


@given(OBJECTS)
def test_what_is_unset_is_gone_and_setting_it_again_brings_it_back(data: dict[str, Any]) -> None:
    for key, value in data.items():
        assert key not in without(data, (key,)) and same(with_value(without(data, (key,)), (key,), value), data)


@given(OBJECTS, OBJECTS)
def test_differences_lead_from_one_to_the_other(before: dict[str, Any], after: dict[str, Any]) -> None:
    data: Any = deepcopy(before)
    found = differences(before, after)
    for one in reversed(found):  # the last of a list first: what follows keeps its place
        if one.what == "removed":
            data = without(data, parsed(one.path))
    for one in found:
        if one.what != "removed":
            data = with_value(data, parsed(one.path), one.after)
    assert same(data, after)
    assert differences(after, after) == []
    assert {one.path for one in differences(after, before)} == {one.path for one in found}


@given(OBJECTS, OBJECTS)
def test_a_merge_has_all_of_the_patch_and_merging_it_again_changes_nothing(
    data: dict[str, Any], patch: dict[str, Any]
) -> None:
    once = merged(data, patch)
    assert same(merged(once, patch), once)
    assert set(once) == (set(data) | set(patch)) - {key for key, value in patch.items() if value is None}
    assert same(merged(data, {}), data)


@pytest.mark.parametrize("path", ["", ".", "a.", ".a", "a..b", "a[", "a[x]", "a[-1]", "[0]", "a]b", 'a["x]', 7, None])
def test_what_is_no_path_is_said_in_one_sentence(path: Any) -> None:
    with pytest.raises(Invalid, match=r"path|key") as refused:
        parsed(path)
    assert "\n" not in str(refused.value) and len(str(refused.value)) < 150


def test_an_index_may_be_one_past_the_end_and_no_more() -> None:
    assert with_value({"a": [1]}, parsed("a[1]"), 2) == {"a": [1, 2]}
    assert with_value({}, parsed("a[0].b"), 2) == {"a": [{"b": 2}]}
    with pytest.raises(Invalid, match=r"a is a list of 1; give an index from 0 to 1"):
        with_value({"a": [1]}, parsed("a[2]"), 2)


def test_what_does_not_fit_is_said_in_one_sentence() -> None:
    data = {"a": {"b": "text"}}
    for path, sentence in (("a[0]", "a is an object; give a key"), ("a.b.c", "a.b is a single value; set that")):
        with pytest.raises(Invalid, match=sentence):
            with_value(data, parsed(path), 1)
    with pytest.raises(NotFound, match=r"nothing at 'a.B'; did you mean 'b'\?"):
        at(data, parsed("a.B"))
    with pytest.raises(NotFound, match=r"nothing at 'a.b\[0\]'"):
        without(data, parsed("a.b[0]"))


def test_one_and_true_are_not_the_same() -> None:
    (one,) = differences({"a": 1}, {"a": True})
    assert (one.what, one.before, one.after) == ("changed", 1, True)
