"""Tokens: who may come in, to where, to do what, until when."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import scrubjay
from scrubjay.stores.sqlite.connections import Connections
from scrubjay.text.secret_scan import find_secrets, redact
from tests.support.clock import Clock
from tests.support.commands import Run


def test_a_token_opens_until_it_is_revoked(jay: scrubjay.Scrubjay) -> None:
    token, secret = jay.tokens.create("laptop")
    assert re.fullmatch(r"scrubjay_[\w-]{43}", secret)
    assert (token.spaces, token.scopes) == (("default",), ("read", "write"))
    verified = jay.tokens.verify(secret)
    assert verified is not None and verified.name == "laptop"
    assert jay.tokens.verify(secret[:-1]) is None and jay.tokens.verify("") is None
    assert jay.tokens.revoke("laptop").revoked_at is not None
    assert jay.tokens.verify(secret) is None


def test_only_a_digest_is_kept(jay: scrubjay.Scrubjay, path: Path) -> None:
    _, secret = jay.tokens.create("laptop")
    jay.close()
    for file in path.parent.glob("memory.db*"):
        if file.is_file():
            assert secret.removeprefix("scrubjay_").encode() not in file.read_bytes()


def test_a_token_expires(jay: scrubjay.Scrubjay, clock: Clock) -> None:
    _, secret = jay.tokens.create("guest", expires_at="2026-05-02")
    assert jay.tokens.verify(secret) is not None
    clock.pass_(days=3)
    assert jay.tokens.verify(secret) is None


def test_a_name_is_free_again_once_it_is_revoked(jay: scrubjay.Scrubjay) -> None:
    _, old = jay.tokens.create("laptop")
    with pytest.raises(scrubjay.Invalid, match="There is a token 'laptop' already"):
        jay.tokens.create("laptop")
    jay.tokens.revoke("laptop")
    _, new = jay.tokens.create("laptop", spaces=["work", "home"], scopes=["admin", "read"])
    assert jay.tokens.verify(old) is None
    found = jay.tokens.verify(new)
    assert found is not None and found.spaces == ("work", "home") and found.scopes == ("read", "admin")
    assert [token.name for token in jay.tokens.list()] == ["laptop", "laptop"]
    with pytest.raises(scrubjay.NotFound, match="no token 'desktop'"):
        jay.tokens.revoke("desktop")


@pytest.mark.sqlite
def test_use_is_noted_without_waiting_for_who_writes(jay: scrubjay.Scrubjay, path: Path, clock: Clock) -> None:
    _, secret = jay.tokens.create("laptop", all_spaces=True)
    other = Connections(str(path))
    with other.writing():
        assert jay.tokens.verify(secret) is not None
    assert jay.tokens.list()[0].last_used_at is None
    jay.tokens.verify(secret)
    assert jay.tokens.list()[0].last_used_at == clock.now
    other.close()


@pytest.mark.parametrize(
    ("name", "options", "sentence"),
    [
        ("two words", {}, "is no name for a token"),
        ("", {}, "is no name for a token"),
        ("x", {"scopes": ["root"]}, "There is no scope 'root'"),
        ("x", {"scopes": []}, "at least one scope"),
        ("x", {"spaces": ["not a name"]}, "is no name for a space"),
        ("x", {"spaces": ["work"], "all_spaces": True}, "not both"),
        ("x", {"expires_at": "2020-01-01"}, "lies in the past"),
    ],
)
def test_what_makes_no_sense_makes_no_token(
    jay: scrubjay.Scrubjay, name: str, options: dict[str, object], sentence: str
) -> None:
    with pytest.raises(scrubjay.Invalid, match=sentence):
        jay.tokens.create(name, **options)  # type: ignore[arg-type]
    assert jay.tokens.list() == []


def test_our_own_tokens_are_secrets_too(jay: scrubjay.Scrubjay) -> None:
    _, secret = jay.tokens.create("laptop")
    assert [found.kind for found in find_secrets(f"Use {secret} for it")] == ["Scrubjay token"]
    assert secret not in redact(f"header {secret}")
    with pytest.raises(scrubjay.Invalid, match="Scrubjay token"):
        jay.add(f"The server's token is {secret}")


def test_the_command_makes_lists_and_revokes(run: Run) -> None:
    made = run("token", "create", "laptop", "--space", "work", "--scope", "read", "--expires", "2040-01-01")
    secret = made.out.splitlines()[0]
    assert secret.startswith("scrubjay_") and "gives access to work: read" in made.out
    listed = run("token")
    assert "laptop" in listed.out and secret not in listed.out and "until 2040-01-01" in listed.out
    assert run("token", "revoke", "laptop").out == "Revoked token laptop.\n"
    assert "revoked" in run("token", "list").out
    assert run("token", "create", "all", "--all-spaces", "--json").json["spaces"] == []
    assert run("token", "revoke", "nobody").code == 3
    assert run("token", "create").code == 2 and run("token", "list", "x").code == 2
    assert run("token", "revoke", "all", "--scope", "read").code == 2
