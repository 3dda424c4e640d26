"""Front matter: read where it can be, left in the text where it cannot, never an error."""

from __future__ import annotations

import json
import time
from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrubjay.sources.markdown import front_matter
from scrubjay.sources.markdown.front_matter import FrontMatter, split


def yaml(block: str) -> dict[str, Any]:
    return split(f"---\n{block}\n---\nBody").values


@pytest.fixture
def somewhere(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Local time is two hours east of Greenwich."""
    monkeypatch.setenv("TZ", "XYZ-2")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def test_yaml() -> None:
    text = "---\ntitle: Herons\ntags: [birds, '#water']\ndate: 2026-05-01\n---\n# A\n\nHello\n"
    assert split(text) == FrontMatter(
        {"title": "Herons", "tags": ["birds", "#water"], "date": "2026-05-01"}, 6, "# A\n\nHello\n"
    )


def test_toml() -> None:
    text = '+++\ntitle = "Herons"\ndate = 2026-05-01T09:30:00Z\n[extra]\nat = 07:00:00\n+++\nHello'
    values = {"title": "Herons", "date": "2026-05-01T09:30:00+00:00", "extra": {"at": "07:00:00"}}
    assert split(text) == FrontMatter(values, 7, "Hello")


@pytest.mark.parametrize(
    ("text", "first", "body"),
    [
        ("---\n---\nHello", 3, "Hello"),
        ("---\n# only a remark\n---\n", 4, ""),
        ("---\na: 1\n---", 4, ""),
        ("---\na: 1\n...\nHello", 4, "Hello"),
        ("--- \na: 1\n---\t\nHello\n---\n", 4, "Hello\n---\n"),
        ("---\r\na: 1\r\n---\r\nHello\r\n", 4, "Hello\r\n"),
        ("\ufeff---\na: 1\n---\nHello", 4, "Hello"),
        ("---\na: 1\n---\n\nHello", 4, "\nHello"),
    ],
)
def test_the_body_begins_after_the_closing_line(text: str, first: int, body: str) -> None:
    front = split(text)
    assert (front.body_first_line, front.body) == (first, body)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Hello",
        "---",
        "---\n",
        "---\nno end: here",
        "---\nA line between two rules\n---\nHello",
        "---\n- a\n- list\n---\n",
        "---\na: b: c\n---\n",
        "---\na: [1\n---\n",
        "---\na: \x00\n---\n",
        "---\n? [a]\n: 1\n---\n",
        "---\na: !!python/object/apply:os.getcwd []\n---\n",
        "---\na: !!int x\n---\n",
        "----\na: 1\n----\n",
        "\n---\na: 1\n---\n",
        "+++\na = \n+++\n",
        "+++\na = 1\n---\n",
        "+++\n" + "a" * 70_000 + " = 1\n+++\n",
        "---\n" + "a: 1\n" * 20_000 + "---\n",
        "---\na: " + "[" * 20_000 + "\n---\n",
        "+++\na = " + "[" * 20_000 + "\n+++\n",
        "+++\n" + "a." * 2_000 + "b = 1\n+++\n",
        "---\na: &a [x]\nb: &b [*a, *a]\nc: [*b, *b]\n---\n",
        "---\na: &a {x: 1}\nb: {<<: *a}\n---\n",
        "---\na: &a [*a]\n---\n",
    ],
    ids=lambda text: repr(text[:24]),
)
def test_what_cannot_be_read_is_body(text: str) -> None:
    assert split(text) == FrontMatter({}, 1, text)


@pytest.mark.parametrize(
    ("block", "value"),
    [
        ("a: {b: [1, 2.5, true, null]}", {"b": [1, 2.5, True, None]}),
        ("a: 2026-05-01 09:30:00", "2026-05-01T09:30:00"),
        ("a: 2026-05-01T09:30:00+02:00", "2026-05-01T09:30:00+02:00"),
        ("a: 2026-13-45", "2026-13-45"),
        ("a: .nan", "nan"),
        ("a: -.inf", "-inf"),
        ("a: 99999999999999999999", "99999999999999999999"),
        ("a: !!set {y, x}", ["x", "y"]),
        ("a: !!binary aGk=", "b'hi'"),
        ("a: {1: b, 2026-05-01: c}", {"1": "b", "2026-05-01": "c"}),
    ],
)
def test_values_are_plain_json(block: str, value: Any) -> None:
    values = yaml(block)
    assert values == {"a": value}
    assert json.loads(json.dumps(values, allow_nan=False)) == values


@pytest.mark.parametrize(
    ("block", "tags"),
    [
        ("tags: [birds, water]", ["birds", "water"]),
        ("tags:\n  - '#birds'\n  - water  birds\n", ["birds", "water birds"]),
        ("tags: birds, water birds, birds", ["birds", "water birds"]),
        ("tags: '#birds #water'", ["birds", "water"]),
        ("tags: birds water", ["birds", "water"]),
        ("tag: birds\nkeywords: [water]\nTags: jay", ["jay", "birds", "water"]),
        ("tags: [2026, null, '', '#', {a: b}]", ["2026"]),
        ("tags: 2026", ["2026"]),
        ("tags:", []),
        ("title: birds", []),
    ],
)
def test_tags(block: str, tags: list[str]) -> None:
    assert front_matter.tags(yaml(block)) == tags


@pytest.mark.parametrize(
    ("block", "title"),
    [
        ("title: Herons", "Herons"),
        ("Title: |\n  Herons\n  and jays", "Herons and jays"),
        ("title: 1984", "1984"),
        ("title: ' '", None),
        ("title: [a]", None),
        ("name: Herons", None),
    ],
)
def test_title(block: str, title: str | None) -> None:
    assert front_matter.title(yaml(block)) == title


EAST = timezone(timedelta(hours=2))


@pytest.mark.parametrize(
    ("block", "expected"),
    [
        ("date: 2026-05-01", date(2026, 5, 1)),
        ("date: '2026-05-01'", date(2026, 5, 1)),
        ("created: 2026-05-01T09:30:00Z", datetime(2026, 5, 1, 9, 30, tzinfo=UTC)),
        ("created_at: 2026-05-01 09:30:00 +0200", datetime(2026, 5, 1, 9, 30, tzinfo=EAST)),
        ("Date: 2026-05-01 09:30", datetime(2026, 5, 1, 9, 30, tzinfo=EAST)),
        ("date: 2026-05-01 09:30:00", datetime(2026, 5, 1, 9, 30, tzinfo=EAST)),
        ("date: soon\ncreated: 2026-05-01", date(2026, 5, 1)),
        ("date: 2026-13-45", None),
        ("date: 9999-12-31 23:59:59", None),
        ("date: 0001-01-01 00:00:00", None),
        ("date: 2026", None),
        ("title: a", None),
    ],
)
def test_date(somewhere: None, block: str, expected: object) -> None:
    found = front_matter.date(yaml(block))
    assert found == expected
    assert type(found) is type(expected)


@given(
    st.text(alphabet=st.sampled_from("-+.ab:= \n\r[]{}&*!'\"#,|>01\ufeff"), max_size=60),
    st.sampled_from(["---\n", "+++\n"]),
)
def test_any_text_is_split_without_loss(rest: str, mark: str) -> None:
    text = mark + rest
    front = split(text)
    assert text.endswith(front.body)
    assert text[: len(text) - len(front.body)].count("\n") + 1 == front.body_first_line or not front.body
    json.dumps(front.values, allow_nan=False)
    front_matter.tags(front.values), front_matter.title(front.values), front_matter.date(front.values)
