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
        "user info name: 100000",
        "extra deep key: 481920",
        "user: 481920, host: 100200",
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


@pytest.mark.parametrize(
    "text",
    [
        "Lea: did you change the password?\nTim: yes, last night",
        "Lea: Welches Kennwort hat das WLAN?\nTim: hängt am Kühlschrank",
        "Ana: digitou a senha errada?\nRui: duas vezes, agora bloqueou",
        "Ada: did you reset the password?\nTom: the link expired\nAda: ask for another one then",
        "Q: how do I store the API key?\nA: Run `acme auth login` and follow the browser.",
        "The script asks for the password with `pass show mail work` each time.",
        '"login.password.mismatch": "Both fields have to be equal."',
    ],
)
def test_what_somebody_says_and_a_command_are_no_phrases_after_a_question_for_a_password(text: str) -> None:
    assert find_secrets(text) == []


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("The password of the shared sheet is `seven plums under snow`.", "seven plums under snow"),
        ("Staff: what's the phone password?\nCaller: it's harbour donkey\nStaff: thanks", "harbour donkey"),
        ("Bob: which passphrase has the key?\nAnn: use velvet tuesday harpoon gravy, as always", "velvet tuesday"),
    ],
)
def test_words_are_a_phrase_where_they_are_told_as_one(text: str, secret: str) -> None:
    assert is_caught(text, secret)


@pytest.mark.parametrize(
    "text",
    [
        'Error: login failed for user "shop" (code 18456, state 1).',
        "Errore: accesso negato all'utente web (codice 28000).",
        "[auth] credenciales no válidas para 'tienda12' desde 192.0.2.4",
        "The voicemail PIN can be changed by dialling 1571 from the handset.",
        "Login failed with code 18456 for the user sa.",
        "* hwdb: Allow console users access to media nodes (Closes: #996749)",
        "See [Dispatcher Event: connect](Dispatcher.md#event-connect2) to log in.",
        "Zugangscode wird per SMS an 0171 2345678 gesendet.",
        "Appelez le gardien au 01 99 00 11 22 si la porte reste fermée.",
        "The credentials are in the vault under kv/shop/prod, ask the team.",
        "gpg: signature made with RSA key A0B1C2D3E4F5061728394A5B6C7D8E9F01234567",
    ],
)
def test_the_number_of_an_error_a_call_and_a_place_in_a_vault_are_no_secrets(text: str) -> None:
    assert find_secrets(text) == []


@pytest.mark.parametrize(
    ("form", "secret"),
    [
        ("Alarm panel in the annex: disarm with %s within thirty seconds.", "8254"),
        ("La puerta del trastero se abre con %s, la luz está a la izquierda.", "6183"),
        ("Le portillon du jardin s'ouvre avec %s, pensez à le refermer.", "7352"),
        ("Per aprire la cassetta delle chiavi si compone %s e si tira la leva.", "7034"),
        ("Voordeurcode is %s.", "9917"),
        ("De achterdeur gaat open met %s, daarna even duwen.", "4962"),
        ("Domofon otwiera się kodem %s, dzwonek nie działa.", "5738"),
        ("Der Code am Hoftor klappt nicht?\nSeit Montag gilt %s.", "6159"),
        ("La cuenta de demo es ventas@example.org y se entra con %s.", "Tejado.Rojo81"),
        ('The VPN wants a pre-shared key. IT said ours is "%s".', "Walnut/Ferry/Cloud/318"),
        ("<ann> root password on the switch?\n<ben> %s\n<ann> in", "Turbine^" + "Fig7"),
        ("We agreed on a voicemail access code of %s for the practice.", "2083"),
    ],
)
def test_what_something_is_opened_with_is_caught_in_many_languages(form: str, secret: str) -> None:
    assert is_caught(form % secret, secret)
