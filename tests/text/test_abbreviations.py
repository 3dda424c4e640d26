"""Abbreviations that a text defines are learnt, and nothing else in parentheses is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrubjay.text.abbreviations import definitions


@pytest.mark.parametrize(
    ("text", "short", "long"),
    [
        ("Elasticsearch (ES) keeps the index", "ES", "Elasticsearch"),
        ("Our continuous integration (CI) is slow", "CI", "continuous integration"),
        ("We run Kubernetes (k8s) in Vienna", "k8s", "Kubernetes"),
        ("k8s (Kubernetes) runs everything", "k8s", "Kubernetes"),
        ("The Department of Health (DoH) asked", "DoH", "Department of Health"),
        ("TS is short for TypeScript.", "TS", "TypeScript"),
        ("ISP stands for internet service provider, ours is Fluxnet", "ISP", "internet service provider"),
        ("PostgreSQL (also called PG) is the main store", "PG", "PostgreSQL"),
        ("Single sign-on (SSO) comes first", "SSO", "Single sign-on"),
    ],
)
def test_a_definition_is_learnt_in_either_order(text: str, short: str, long: str) -> None:
    assert definitions(text) == [(short, long)]


@pytest.mark.parametrize(
    "text",
    [
        "The API (see below) is slow",
        "API (a paid one in the cloud)",
        "Postgres (2024)",
        "Ann (Bob) was there",
        "the function foo (BAR) returns",
        "Meeting with Tom (TBD)",
        "It stands for nothing",
        "an unclosed (ES",
    ],
)
def test_nothing_else_in_parentheses_is(text: str) -> None:
    assert definitions(text) == []


@given(st.text(alphabet="aA1 (.)\n-é中", max_size=200))
def test_any_text_can_be_read(text: str) -> None:
    for short, long in definitions(text):
        assert short in text and long.split()[0] in text
