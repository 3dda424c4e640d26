"""Thousands of generated requests to the HTTP API: no crash, and no answer that breaks the description."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis.specs.openapi.checks import ignored_auth, positive_data_acceptance
from tests.support.api_server import serving_here

import scrubjay
from scrubjay.interfaces.http.api.openapi import description
from scrubjay.remote.verbs import PREFIX

EVENTS = "GET /events"
EXAMPLES = 40  # for each of the verbs
# A guessed token is limited in rate, which is no 401; and not every limit on a value is in its schema.
LEFT_OUT: list[Any] = [ignored_auth, positive_data_acceptance]
SCHEMA: Any = schemathesis.openapi.from_dict(description())
SENT: Counter[str] = Counter()
OPERATIONS = [found.ok() for found in SCHEMA.get_all_operations()]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    path = tmp_path_factory.mktemp("served") / "memory.db"
    with scrubjay.open(path, embedder="hashing") as jay:
        fill(jay, path.parent)
        _, secret = jay.tokens.create("all", all_spaces=True, scopes=("read", "write", "admin"))
        with serving_here(jay) as url:
            yield url, secret
    print(f"{SENT.total():,} requests to {len(SENT)} paths and methods")


def fill(jay: scrubjay.Scrubjay, folder: Path) -> None:
    jay.add_many([{"text": f"Memory number {number}", "subject": "numbers"} for number in range(30)])
    jay.add_turns("talk", [{"speaker": "Ann", "text": "Good morning"}])
    jay.tasks.create("Renew the passport")
    jay.contacts.create(name="Bob")
    jay.projects.create(name="app")
    jay.skills.create(name="tidy", instructions="Tidy up")
    jay.profile.set("name", "Ann")


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.label)
def test_no_request_breaks_the_server_or_the_description(served: tuple[str, str], operation: Any) -> None:
    url, secret = served

    @settings(max_examples=EXAMPLES, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(case=operation.as_strategy())
    def one(case: Any) -> None:
        if case.path == "/tokens/{name}" and case.path_parameters.get("name") == "all":
            return  # the token that asks
        if operation.label == EVENTS:
            case.query = {**(case.query or {}), "follow": "false"}  # else it never ends
        SENT[operation.label] += 1
        headers = {"Authorization": f"Bearer {secret}"}
        case.call_and_validate(base_url=url + PREFIX, headers=headers, excluded_checks=LEFT_OUT)

    one()
