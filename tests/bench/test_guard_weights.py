"""The weights of the guard's signs: fitted the same on every run, and for what tells a secret."""

from __future__ import annotations

import pytest
from bench.guard_weights import Valued, fit
from bench.secret_families.by_others import AUTHORS, texts_of

from scrubjay.text.secret_scan import access
from scrubjay.text.secret_scan.access import signs_of_candidates

SECRETS = [Valued(number, ("start", "odd", "asked"), True) for number in range(9)]
OTHERS = [Valued(number, ("start", "odd"), False) for number in range(200)]
COUNTED = [Valued(number, ("start", "asked", "counted"), False) for number in range(40)]


def test_a_sign_of_secrets_has_a_weight_above_zero_and_one_of_others_below() -> None:
    found = fit([*SECRETS, *COUNTED], OTHERS)
    assert found["asked"] > 0 > found["counted"]
    assert found["start"] < 0
    assert found == fit([*SECRETS, *COUNTED], OTHERS)


def test_the_weights_tell_the_secrets_from_the_others() -> None:
    found = fit([*SECRETS, *COUNTED], OTHERS)
    assert all(sum(found.get(sign, 0) for sign in one.signs) >= 0 for one in SECRETS)
    assert not any(sum(found.get(sign, 0) for sign in one.signs) >= 0 for one in [*OTHERS, *COUNTED])


@pytest.mark.parametrize("name", [name for names in AUTHORS.values() for name in names])
def test_no_text_that_leaves_the_rule_early_has_a_sign(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [*(one["text"] for one in texts_of(name)["secrets"]), *texts_of(name)["ordinary"]]
    found = [list(signs_of_candidates(text, text.lower())) for text in texts]
    monkeypatch.setattr(access, "may_tell_of_access", lambda *_: True)
    assert found == [list(signs_of_candidates(text, text.lower())) for text in texts]
