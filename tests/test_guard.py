"""What must never reach the disk: every kind of secret is found, and ordinary text is left alone."""

from __future__ import annotations

import ast
import hashlib
import re
import subprocess
import sys
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path
from random import Random
from uuid import UUID

import pytest
from bench.secrets_made import KINDS, Made, documented, make
from hypothesis import given
from hypothesis import strategies as some

from scrubjay.guard import Finding, find_secrets, redact, without_private

ROOT = Path(__file__).parent.parent
MADE = [*documented(), *make(seed=7, count=6 * len(KINDS))]
DIGEST = hashlib.sha256(b"a file").hexdigest()
MEGABYTE = 1_000_000


def is_caught(made: Made) -> bool:
    start = made.text.index(made.secret)
    end = start + len(made.secret)
    return any(finding.start <= start and end <= finding.end for finding in find_secrets(made.text))


def paragraphs() -> Iterator[str]:
    """What the project itself says: its pages, and the docstrings of its modules."""
    for page in [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        yield from re.split(r"\n\s*\n", page.read_text(encoding="utf-8"))
    for module in sorted((ROOT / "src").rglob("*.py")):
        for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
                yield ast.get_docstring(node) or ""


def test_the_set_is_varied() -> None:
    assert len({made.secret for made in MADE}) >= 120
    assert len({made.kind for made in MADE}) >= 40
    assert len({made.carrier for made in MADE}) >= 20


def test_nearly_every_secret_made_is_caught() -> None:
    missed = [f"{made.kind} in {made.carrier}" for made in MADE if not is_caught(made)]
    assert len(missed) / len(MADE) <= 0.05, missed
    assert len(missed) / len(MADE) <= 0.005, f"fewer were missed before: {missed}"


@pytest.mark.parametrize("made", documented(), ids=lambda made: made.kind)
def test_the_forms_that_services_document_are_caught(made: Made) -> None:
    assert is_caught(made)


@pytest.mark.parametrize("kind", KINDS)
def test_no_kind_is_overlooked(kind: str) -> None:
    random = Random(kind)
    assert sum(is_caught(KINDS[kind](random)) for _ in range(10)) >= 9


def test_nothing_of_a_secret_made_is_left_after_redacting() -> None:
    for made in filter(is_caught, MADE):
        redacted = redact(made.text)
        assert made.secret not in redacted
        assert "[redacted: " in redacted
        assert redact(redacted) == redacted
        assert find_secrets(redacted) == []


def test_a_finding_tells_the_kind_and_never_the_secret() -> None:
    for made in MADE:
        for finding in find_secrets(made.text):
            assert re.fullmatch(r"[A-Za-z0-9][\w -]+", finding.kind)
            assert made.secret not in repr(finding)


def test_a_finding_names_the_words_beside_the_secret() -> None:
    word = "Tiger" + "77!"
    assert [one.near for one in find_secrets(f"At last: the password is {word}, and no more.")] == [
        "At last the password is"
    ]
    assert [one.near for one in find_secrets(f"DB_PASSWORD={word}\nSMTP_PASS={word}x")] == ["DB_PASSWORD", "SMTP_PASS"]
    assert [one.near for one in find_secrets("4242 4242 4242 4242 is my card")] == ["is my card"]


def test_the_words_beside_a_secret_hold_nothing_of_any_secret() -> None:
    for made in MADE:
        found = find_secrets(made.text)
        secrets = [made.text[one.start : one.end] for one in found]
        for one in found:
            assert all(secret not in one.near for secret in secrets)
            assert not set(one.near.lower().split()) & set(made.secret.lower().split())
            assert find_secrets(one.near) == []


def test_only_the_secret_itself_is_redacted() -> None:
    word = "Tiger" + "77!"
    assert redact(f"DB_HOST=db\nDB_PASSWORD={word}\nDB_PORT=5432") == (
        "DB_HOST=db\nDB_PASSWORD=[redacted: password]\nDB_PORT=5432"
    )
    assert redact(f'{{"user": "ann", "password": "{word}"}}') == ('{"user": "ann", "password": "[redacted: password]"}')
    assert redact(f"redis://ann:{word}" + "@cache:6379/0") == "redis://ann:[redacted: password in URL]@cache:6379/0"


def test_several_secrets_are_found_in_order_and_those_that_overlap_are_one() -> None:
    key, word = "sk_" + "live_" + "4eC39HqLyjWDarjtT1zdp7dc", "Tiger" + "77"
    text = f"password={word} and api_key={key}"
    assert [finding.kind for finding in find_secrets(text)] == ["password", "payment key"]
    assert redact(text) == "password=[redacted: password] and api_key=[redacted: payment key]"


def test_a_private_key_is_removed_as_a_whole_even_when_it_is_cut_off() -> None:
    header = "-----BEGIN " + "RSA PRIVATE KEY-----"
    body = "\n".join(b64encode(Random(line).randbytes(48)).decode() for line in range(5))
    assert redact(f"Here:\n{header}\n{body}\n{header.replace('BEGIN', 'END')}\nDone.") == (
        "Here:\n[redacted: private key]\nDone."
    )
    assert redact(f"Here:\n{header}\n{body}") == "Here:\n[redacted: private key]"


@pytest.mark.parametrize(
    "text",
    [
        "the password is stored hashed",
        "password: required",
        "reset your password, then log in again",
        "token: string",
        "api_key: str",
        "password: str | None = None",
        'password = ""',
        'password = os.environ["DB_PASSWORD"]',
        'password=os.getenv("DB_PASSWORD")',
        "DB_PASSWORD=${DB_PASSWORD}",
        "password: ${{ secrets.DB_PASSWORD }}",
        "password: {{ db_password }}",
        "password: <password>",
        "PASSWORD=changeme",
        "password=xxxx",
        "password: ********",
        "password = getpass.getpass()",
        "const password = request.body.password;",
        "if password == confirm_password:",
        "Passwords have at least 12 characters and a digit.",
        "The password is base64-encoded, then SHA-256 hashed.",
        "User prefers a password manager, currently Bitwarden.",
        "She changed her password to something longer.",
        "password_file: /run/secrets/db_password",
        "The token is a JWT signed with RS256 and is good for 3600 seconds.",
        "max_tokens=4096, temperature=0.2",
        "token = response.json()['access_token']",
        "client = Client(api_key=settings.api_key, base_url=base_url)",
        "Keys start with AKIA, tokens with ghp_ or glpat-, and sk_live_ is for production.",
        "OPENAI_API_KEY=sk-...",
        "It looks like ghp_" + "x" * 36,
        "Authorization: Bearer <token>",
        "Authorization: Bearer $TOKEN",
        "use bearer authentication, or basic authentication over TLS",
        "curl -u user:password https://example.org",
        "docker run -u 1000:1000 image",
        "postgres://${USER}:${PASSWORD}" + "@host/db",
        "ssh://git@github.com:22/org/repo.git",
        "a PEM file begins with -----BEGIN " + "PRIVATE KEY----- and a header",
        "the secret of good bread is time, the key is patience",
        "the key to room 12 is under the mat",
        "primary_key=True, foreign_key='users.id'",
        "secretName: my-app-credentials",
        "disk-based caches, risk-free-strategies-for-2024-and-beyond",
        "hf_hub_download and npm_config_registry are names",
        f"commit {hashlib.sha1(b'a commit').hexdigest()} fixed it",
        f"sha256:{DIGEST}",
        f"--hash=sha256:{DIGEST}",
        f"the session {UUID(int=2**100 + 12345)} ended",
        f'"integrity": "sha512-{b64encode(hashlib.sha512(b"a package").digest()).decode()}"',
        f"data:image/png;base64,{b64encode(Random(1).randbytes(600)).decode()}",
        "version 1.2.3-beta.4+build.567, v20.11.1",
        "+1 (555) 123-4567, 0800 123 4567 or +44 20 7946 0958",
        "ISBN 978-3-16-148410-0, or 9783161484100",
        "order number 4111111111111111 was shipped",
        "https://example.org/orders/4539578763621486?ref=abc",
        "1700000000000, 1700000000000000, 1750000000000000000 and 20240501123456",
        "on 2024-05-01T12:34:56.789012Z at 52.5200066, 13.404954",
        "0.4111111111111111 of 3.14159265358979323846",
        "#ff8800 and #abcdef12 on #123456",
        "https://www.youtube.com/watch?v=dQw4w9WgXcQ",
        "2001:0db8:85a3:0000:0000:8a2e:0370:7334 and 00:1A:2B:3C:4D:5E",
        'function(e,t,n){"use strict";var r=n(12);t.a={token:r.a,password:e.password,key:"abc"}}',
        "arn:aws:iam::123456789012:role/Reader",
        "gpt-4o-mini-2024-07-18 and claude-3-5-sonnet-20241022",
        "The card has 16 digits; enter 0000 0000 0000 0000 to try.",
        "| password | string | yes | The user's password |",
        "All 4523 tests pass: 12 s",
    ],
)
def test_to_talk_about_secrets_is_fine_and_long_numbers_are_not_secrets(text: str) -> None:
    assert find_secrets(text) == []
    assert redact(text) == text


def test_hardly_any_ordinary_paragraph_is_flagged() -> None:
    ordinary = [paragraph for paragraph in paragraphs() if paragraph.strip()]
    flagged = [paragraph for paragraph in ordinary if find_secrets(paragraph)]
    assert len(ordinary) > 200
    assert len(flagged) / len(ordinary) < 0.005, flagged


def test_a_number_with_a_wrong_check_digit_is_only_a_number() -> None:
    assert find_secrets("pay with 4242 4242 4242 4243") == []
    assert find_secrets("rent goes to DE89 3704 0044 0532 0130 01") == []
    assert find_secrets("con documento 12345678A") == []
    assert find_secrets("BSN 111222334") == []


PIECES = some.sampled_from(
    "password|=|: |\"|'|\\|\n|token |sk-|AKIA|eyJ|://|@|-----BEGIN |PRIVATE KEY-----|Bearer |[redacted: |]|4111 |1111|"
    "hunter2|A1b2C3d4|xoxb-|<private>|</private>|İ|密码：|BSN |curl -u a:|-----END ".split("|")
)
TEXTS = some.one_of(some.text(), some.lists(some.one_of(PIECES, some.text(max_size=5)), max_size=30).map("".join))


@given(TEXTS)
def test_any_text_has_findings_within_it_in_order_and_apart(text: str) -> None:
    findings = find_secrets(text)
    ends = [0, *(finding.end for finding in findings)]
    for end, finding in zip(ends, findings, strict=False):
        assert end <= finding.start < finding.end <= len(text)
        assert text[finding.start : finding.end] not in finding.kind


@given(TEXTS)
def test_redacting_twice_is_redacting_once_and_leaves_nothing_to_find(text: str) -> None:
    redacted = redact(text)
    assert redact(redacted) == redacted
    assert find_secrets(redacted) == []
    assert (redacted == text) == (find_secrets(text) == [])


@pytest.mark.parametrize(
    "piece",
    [
        "a",
        "=",
        "-",
        "password=",
        "password: x ",
        "token='",
        "sk-",
        "eyJaaaaaaaa-",
        "://a:",
        "4111 ",
        "A1 ",
        "密码：",
        "\\",
        "< ",
    ],
)
def test_a_megabyte_of_anything_comes_to_an_end(piece: str) -> None:
    text = (piece * MEGABYTE)[:MEGABYTE]
    assert all(0 <= secret.start < secret.end <= MEGABYTE for secret in find_secrets(text))
    assert without_private(text) == text


def test_a_megabyte_of_noise_holds_no_secret() -> None:
    assert find_secrets(b64encode(Random(1).randbytes(MEGABYTE * 3 // 4)).decode()) == []


def test_importing_compiles_no_rule() -> None:
    probe = (
        "from scrubjay.guard import find_secrets, patterns; find_secrets('Good day');"
        "print(patterns.compiled.cache_info().currsize)"
    )
    answer = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, timeout=60, check=True)
    assert answer.stdout.strip() == "0"


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("a <private>b</private> c", "a  c"),
        ("a <PRIVATE>b</Private> c", "a  c"),
        ('a < private reason="b" >c< / private > d', "a  d"),
        ("<private>a</private>b<private>c</private>", "b"),
        ("a<private>b<private>c</private>d</private>e", "ae"),
        ("a<private>b\nc", "a"),
        ("a<private>b<private>c</private>d", "a"),
        ("a<private/>b", "ab"),
        ("a</private>b", "a</private>b"),
        ("a <privateer> and a <private-key> stay", "a <privateer> and a <private-key> stay"),
        ("nothing private here", "nothing private here"),
        ("", ""),
    ],
)
def test_private_parts_are_left_out(text: str, kept: str) -> None:
    assert without_private(text) == kept


@given(some.text(), some.text(), some.text())
def test_what_stands_between_the_tags_never_remains(before: str, hidden: str, after: str) -> None:
    before, hidden, after = (part.replace("<", "").replace(">", "") for part in (before, hidden, after))
    assert without_private(f"{before}<private>{hidden}</private>{after}") == before + after
    assert without_private(f"{before}<private>{hidden}{after}") == before


def test_a_finding_is_a_value() -> None:
    assert Finding("JWT", 1, 2) == Finding("JWT", 1, 2)
    assert not hasattr(Finding("JWT", 1, 2), "__dict__")
