"""Secrets that a sentence or an answer tells: known by their shape and by what tells of access around them."""

from __future__ import annotations

import pytest

from scrubjay.text.secret_scan import find_secrets
from scrubjay.text.secret_scan.access import signs_of_candidates
from scrubjay.text.secret_scan.access.weights import WEIGHTS


def is_caught(text: str, secret: str) -> bool:
    start = text.index(secret)
    covered = {place for found in find_secrets(text) for place in range(found.start, found.end)}
    return covered >= set(range(start, start + len(secret)))


@pytest.mark.parametrize(
    ("form", "secret"),
    [
        ("Ann: what's the root password on db-07 again?\nBob: %s\nAnn: thx", "Thistle/Otters/" + "31"),
        ("Cleo : tu as le jeton pour l'API ?\nYves : oui, prends %s", "3b2c7c8c-5096-4a8c-" + "85f8-9b7820391234"),
        ("Ann: webinar host pin please\nBob: %s, and mute them", "7719" + "46"),
        ("Ann: I'm locked out of the CMS\nBob: one sec\nBob: reset you. it's %s now", "Quince-Ladder-" + "6"),
        ("bea: can you log in for me?\ncarl: what's the login\nbea: bea@example.org and %s", "skaterboy" + "'81"),
    ],
)
def test_an_answer_is_caught_by_what_was_asked(form: str, secret: str) -> None:
    assert is_caught(form % secret, secret)


@pytest.mark.parametrize(
    ("form", "secret"),
    [
        ("The lift to the roof asks for a code. It's %s, and the roof closes at nine.", "61" + "07"),
        (
            "Rotated the database password for the role today. New one is %s and it lives on db-3.",
            "Z?a=g#*HQ-" + "trT@?e%8xJ",
        ),
        ("Log in at https://grafana.example.org as viewer with %s and open the board.", "Rainy-Corridor-" + "18"),
        ("Recuerda: la alarma del taller se apaga con el código %s y tienes poco tiempo.", "50" + "83"),
        ('1. Open the portal. 2. Enter "clerk" and %s. 3. Click Export.', "Windlass" + "77"),
        ("Meine Gartentür hat ein neues Zahlenschloss: %s", "04" + "71"),
    ],
)
def test_a_secret_is_caught_in_the_sentence_after_the_one_that_names_what_it_opens(form: str, secret: str) -> None:
    assert is_caught(form % secret, secret)


def test_a_phrase_without_quotes_is_caught_and_hides_no_number_among_its_words() -> None:
    assert is_caught("The password I chose was rusty shelf 14, with blanks.", "rusty shelf 14")
    assert is_caught("> which passphrase has the borg repo?\nit was tundra marble waltz ginger 40", "tundra marble")
    assert is_caught("Reminder for the crew: front gate opens with 2071, the office is open.", "2071")


@pytest.mark.parametrize(
    "text",
    [
        "Ann: what's the door code?\nBob: I don't know, I always ring",
        "Ann: which version do we deploy?\nBob: 2.14.1 from yesterday",
        "Nina: Welche Tür?\nOli: 214, gleich links",
        "The door opens to 1200 visitors and the gate to 300 cars.",
        "The lock was replaced in 2019 and again in 2023.",
        "The password for db-04 is in the vault.",
        '"errors.password.short": "La contraseña es demasiado corta"',
        "Primary key fingerprint: 7898 ADBC B5E5 823E 1FD7 C4A2 18E5 3566 F489 4CB2",
        '"AWS::ApiGateway::ApiKey": "48205d4ffd7feba3"',
        'create_engine("oracle+oracledb://scott:tiger@localhost/freepdb1")',
        'create_pool(user="scott", password="tiger", dsn="localhost")',
        "License: GPL-2+ or Artistic-2.0",
    ],
)
def test_a_name_a_number_and_an_example_are_no_secrets_there(text: str) -> None:
    assert find_secrets(text) == []


def test_the_password_of_another_than_the_example_account_is_caught() -> None:
    assert is_caught('create_pool(user="scott", password="Tiger' + '44lily")', "Tiger44lily")


def test_the_key_of_an_account_is_caught_in_a_client_and_in_an_address() -> None:
    key = "c9f43486065f6498" + "105c548d9337b8ab"
    assert is_caught(f'const client = new Twilio("AC6b3c23badc2ae797", "{key}");', key)
    assert is_caught(f"curl 'https://api.example.org/data?q=Bergen&appid={key}&units=metric'", key)


def test_each_sign_of_a_number_has_a_weight_of_its_own() -> None:
    text = "The gate opens with 4417 and the wiki with Heron_Lamp_7."
    signs = [signs for _, signs in signs_of_candidates(text, text.lower())]
    assert all(sign.startswith("number: ") for sign in signs[0])
    assert not any(sign.startswith("number: ") for sign in signs[1])
    assert {"start", "number: start"} <= set(WEIGHTS)
