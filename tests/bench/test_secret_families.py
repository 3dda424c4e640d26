"""The secrets that the guard is judged by: made the same on every run, and half of them never shown."""

from __future__ import annotations

from random import Random

import pytest
from bench.secret_families import table
from bench.secret_families.files import FORMS, form
from bench.secret_families.prose import SENTENCES, VALUES, sentence
from bench.secret_families.values import Made, expand, families, is_held_out


def everything() -> list[Made]:
    made = [one for family in families() for one in table._of_family(family)]
    made += [form(name, Random(name)) for name in FORMS]
    return made + [sentence(shape, kind, Random(shape)) for shape in SENTENCES for kind in VALUES]


def test_each_text_holds_its_secret_once_and_no_unfilled_group() -> None:
    for made in everything():
        assert made.text.count(made.secret) == 1, made
        assert "{" not in made.secret and "@@" not in made.text, made


def test_the_same_secrets_are_made_on_every_run() -> None:
    assert everything() == everything()


def test_names_are_unique_and_both_halves_are_large() -> None:
    names = [family.name for family in families()]
    assert len(names) == len(set(names)) > 222
    for group in (names, list(FORMS), list(SENTENCES)):
        held_out = sum(map(is_held_out, group))
        assert 0.4 <= held_out / len(group) <= 0.6


def test_a_value_follows_its_template() -> None:
    value = expand("ab-{d:4}-{x|y}-{uuid}", Random(1))
    assert value.startswith("ab-") and value[3:7].isdigit() and value[8] in "xy" and value.count("-") == 7


def test_misses_of_the_held_out_half_are_never_printed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(table, "find_secrets", lambda text: [])  # all are missed
    cells = [str(cell) for one in table.tables(1) for row in one.rows for cell in row.values()]
    printed = capsys.readouterr().out
    assert any(f"missed: {name}: " in printed for name in FORMS)
    for name in [*FORMS, *SENTENCES, *(family.name for family in families())]:
        if is_held_out(name):
            assert f"missed: {name}: " not in printed and name not in cells
