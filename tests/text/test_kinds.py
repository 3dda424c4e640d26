"""The kind of a memory that was given none: the words that rules need make it quick, and change no verdict."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scrubjay.text.kinds import DEFAULT_KIND, SCANNED_CHARACTERS, kind_of
from scrubjay.text.kinds.rules import RULES, Rule

PLAIN = {kind: [re.compile(rule.pattern, re.IGNORECASE) for rule in rules] for kind, rules in RULES.items()}
UNANCHORED = [rule for rules in RULES.values() for rule in rules if rule.needs]
FRAGMENTS = sorted(
    {word for rules in RULES.values() for rule in rules for word in re.findall(r"[\w']+", rule.pattern)}
    | {word.strip() for rule in UNANCHORED for word in rule.needs.split("|")}
    | {"İ", "ſ", "ı", "\u212a", "Ann", "the", "5", "2024", "a@b.de", ",", "."}
)


def plainly(text: str) -> str:
    """By every pattern, whatever it needs."""
    beginning = " ".join(text[:SCANNED_CHARACTERS].split())
    found = (kind for kind, patterns in PLAIN.items() if any(one.search(beginning) for one in patterns))
    return next(found, DEFAULT_KIND)


@pytest.mark.parametrize("rule", UNANCHORED, ids=lambda rule: rule.pattern[:40])
@given(data=st.data())
@settings(max_examples=15)
def test_what_a_pattern_matches_has_a_word_that_it_needs(rule: Rule, data: st.DataObject) -> None:
    pattern, needs = rule
    text: str = data.draw(st.from_regex(re.compile(pattern, re.IGNORECASE), fullmatch=True))
    beginning = " ".join(text.split())
    if re.search(pattern, beginning, re.IGNORECASE):
        assert kind_of(beginning) == plainly(beginning)
        lower = beginning.translate(str.maketrans("İıſ", "iis")).lower()
        assert any(word in lower for word in needs.split("|"))


@given(st.lists(st.sampled_from(FRAGMENTS), max_size=30), st.sampled_from([str, str.upper, str.title]))
@settings(max_examples=300)
def test_the_kind_is_that_of_the_plain_rules(words: list[str], case: type[str]) -> None:
    text = case(" ".join(words))
    assert kind_of(text) == plainly(text)


def test_a_pattern_without_needs_begins_at_the_beginning() -> None:
    for rules in RULES.values():
        assert all(rule.needs or re.match(r"\^", rule.pattern) for rule in rules)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("The bug list is on the wiki.", "fact"),
        ("Decision tables have four columns.", "fact"),
        ("My favourite mug broke.", "fact"),
        ("Changes to the route take a week.", "fact"),
        ("The bug only shows on Safari.", "failure_mode"),
        ("The decision was to stay.", "decision"),
        ("Her favourite mug is the blue one.", "preference"),
        ("Changed the route to the coast.", "change"),
    ],
)
def test_a_word_that_only_names_a_thing_makes_no_kind(text: str, kind: str) -> None:
    assert kind_of(text) == kind
