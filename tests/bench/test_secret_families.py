"""The secrets that the guard is judged by: made the same on every run, and half of them never shown."""

from __future__ import annotations

import re
from random import Random

import pytest
from bench.secret_families import fresh, table, third
from bench.secret_families.files import FORMS, form
from bench.secret_families.fresh import carriers as fresh_carriers
from bench.secret_families.fresh import files as fresh_files
from bench.secret_families.fresh import ordinary as fresh_ordinary
from bench.secret_families.fresh import prose as fresh_prose
from bench.secret_families.fresh.split import is_unseen
from bench.secret_families.prose import SENTENCES, VALUES, sentence
from bench.secret_families.third import files as third_files
from bench.secret_families.third import prose as third_prose
from bench.secret_families.values import Made, expand, families, is_held_out


def everything() -> list[Made]:
    made = [one for family in families() for one in table._of_family(family)]
    made += [form(name, Random(name)) for name in FORMS]
    made += [sentence(shape, kind, Random(shape)) for shape in SENTENCES for kind in VALUES]
    return made + everything_fresh() + everything_third()


def everything_fresh() -> list[Made]:
    made = [one for family in fresh.FAMILIES for one in table._of_fresh_family(family)]
    made += [Made(name, "file", *form(Random(name))) for name, form in fresh_files.FORMS.items()]
    shapes, kinds = fresh_prose.SENTENCES, fresh_prose.VALUES
    return made + [fresh_prose.sentence(shape, kind, Random(shape)) for shape in shapes for kind in kinds]


def everything_third() -> list[Made]:
    made = [one for family in third.FAMILIES for one in table._of_family(family)]
    made += [Made(name, "file", *form(Random(name))) for name, form in third_files.FORMS.items()]
    shapes, kinds = third_prose.SENTENCES, third_prose.VALUES
    return made + [third_prose.sentence(shape, kind, Random(shape)) for shape in shapes for kind in kinds]


def test_each_text_holds_its_secret_once_and_no_unfilled_group() -> None:
    for made in everything():
        assert made.text.count(made.secret) == 1, made
        assert "{" not in made.secret and ("@@" not in made.text or made.carrier == "diff"), made


def test_the_same_secrets_are_made_on_every_run() -> None:
    assert everything() == everything()


def test_names_are_unique_and_both_halves_are_large() -> None:
    names = [family.name for family in families()]
    assert len(names) == len(set(names)) > 222
    for group in (names, list(FORMS), list(SENTENCES)):
        held_out = sum(map(is_held_out, group))
        assert 0.4 <= held_out / len(group) <= 0.6


def test_nothing_of_the_fresh_part_is_on_the_first_list_and_both_its_halves_are_large() -> None:
    names = [family.name for family in fresh.FAMILIES]
    assert len(names) == len(set(names)) >= 160
    assert not set(names) & {family.name for family in families()}
    for group in (names, list(fresh_files.FORMS), list(fresh_prose.SENTENCES), list(fresh_carriers.NAMED)):
        assert 0.4 <= sum(map(is_unseen, group)) / len(group) <= 0.6


def test_nothing_of_the_third_part_is_on_another_list() -> None:
    names = {family.name for family in third.FAMILIES}
    assert len(names) == len(third.FAMILIES) >= 70
    assert not names & {family.name for family in (*families(), *fresh.FAMILIES)}
    assert not third_files.FORMS.keys() & {*FORMS, *fresh_files.FORMS}
    assert not third_prose.SENTENCES.keys() & {*SENTENCES, *fresh_prose.SENTENCES}


def test_a_fresh_family_is_written_in_carriers_of_its_own_half() -> None:
    for family in fresh.FAMILIES:
        for made in table._of_fresh_family(family):
            assert is_unseen(made.carrier) == is_unseen(family.name)


def test_ordinary_text_is_made_the_same_on_every_run_with_no_unfilled_place() -> None:
    for name, template in fresh_ordinary.templates().items():
        text = fresh_ordinary.fill(template, Random(name))
        assert text == fresh_ordinary.fill(template, Random(name))
        assert not re.search(r"\{(?:[hHaublAd][0-9]+|uuid|word|Word|WORD)\}", text), name


def test_a_value_follows_its_template() -> None:
    value = expand("ab-{d:4}-{x|y}-{uuid}", Random(1))
    assert value.startswith("ab-") and value[3:7].isdigit() and value[8] in "xy" and value.count("-") == 7


def test_misses_of_the_hidden_halves_are_never_printed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(table, "find_secrets", lambda text: [])  # all are missed
    cells = [str(cell) for one in table.tables(1) for row in one.rows for cell in row.values()]
    printed = capsys.readouterr().out
    assert any(f"missed: {name}: " in printed for name in FORMS)
    for name in [*FORMS, *SENTENCES, *(family.name for family in families())]:
        if is_held_out(name):
            assert f"missed: {name}: " not in printed and name not in cells
    for name in [*fresh_files.FORMS, *fresh_prose.SENTENCES, *(family.name for family in fresh.FAMILIES)]:
        assert (f"missed: {name}: " in printed) != is_unseen(name)
        assert (name in cells) != is_unseen(name)
