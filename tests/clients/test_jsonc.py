"""JSON with comments: read as every parser reads it, and changed in one place only."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrubjay.clients.settings import json_edits
from scrubjay.clients.settings.jsonc import BrokenText, parse
from tests.support.client_settings import json_texts

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@given(value=VALUES, indent=st.sampled_from([None, 2, "\t"]))
def test_json_is_read_as_the_standard_library_reads_it(value: Any, indent: Any) -> None:
    text = json.dumps(value, indent=indent)
    assert parse(text).value == json.loads(text)


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ('{"a": 1', "line 1, column 8: the end of the file"),
        ('{\n  "a": 1\n  "b": 2\n}', "line 3, column 3: '\"'"),
        ('{"a": 01}', "line 1, column 8: '1'"),
        ('{"a": "\n"}', "line 1, column 7"),
        ("{'a': 1}", 'line 1, column 2: "\'"'),
        ('{"a": 1} x', "line 1, column 10: 'x'"),
        ("{,}", "line 1, column 2: ','"),
        ('{"a": /* no end', "line 1, column 7: '/'"),
        ('{"a": "\\x"}', "line 1, column 7"),
        ("[" * 100_000, "nested too deeply"),
    ],
)
def test_what_is_not_json_is_refused_with_its_place(text: str, where: str) -> None:
    with pytest.raises(BrokenText) as refused:
        parse(text)
    assert where in str(refused.value)


@given(text=json_texts, value=VALUES)
def test_adding_and_removing_a_member_changes_nothing_else(text: str, value: Any) -> None:
    added = json_edits.add(text, (), "new member", value)
    assert parse(added).value == {**parse(text).value, "new member": value}
    removed = json_edits.remove(added, ("new member",))
    assert parse(removed).value == parse(text).value
    assert removed.count("note") == text.count("note")
    assert "".join(removed.split()) == ("".join(text.split()) or "{}") or not parse(text).end


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"a": 1}', '{"a": 1, "b": [2]}'),
        ('{\n  "a": 1 // one\n}', '{\n  "a": 1, // one\n  "b": [\n    2\n  ]\n}'),
        ('{\r\n\t"a": 1,\r\n}\r\n', '{\r\n\t"a": 1,\r\n\t"b": [\r\n\t\t2\r\n\t],\r\n}\r\n'),
        ("{ // mine\n}", '{ // mine\n  "b": [\n    2\n  ]\n}'),
        ("", '{\n  "b": [\n    2\n  ]\n}\n'),
    ],
)
def test_what_is_added_looks_like_the_rest(text: str, expected: str) -> None:
    assert json_edits.add(text, (), "b", [2]) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"b": 1, "c": 2}', '{"c": 2}'),
        ('{\n  "a": 1, // one\n  "b": 2\n}', '{\n  "a": 1 // one\n}'),
        ('{\n  "a": 1, // one\n  "b": 2 }', '{\n  "a": 1 // one\n }'),
        ('{\n  // about b\n  "b": 2,\n  "c": 3\n}', '{\n  // about b\n  "c": 3\n}'),
        ('{\n  "b": 2\n}', "{}"),
    ],
)
def test_what_is_removed_takes_its_comma_and_its_line(text: str, expected: str) -> None:
    assert json_edits.remove(text, ("b",)) == expected


def test_a_name_that_is_written_twice_means_the_last() -> None:
    text = '{"a": 1, "a": 2}'
    assert parse(text).value == {"a": 2}
    assert json_edits.replace(text, ("a",), 3) == '{"a": 1, "a": 3}'
