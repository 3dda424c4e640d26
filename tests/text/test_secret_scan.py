"""What must never reach the disk: every kind of secret is found, and ordinary text is left alone."""

from __future__ import annotations

import ast
import hashlib
import importlib
import re
import string
import subprocess
import sys
from base64 import b64encode
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from random import Random
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as some

from scrubjay.text.secret_scan import Finding, find_secrets, redact, without_private
from scrubjay.text.secret_scan.rules.prefixes import PREFIXES
from tests.support.secrets_made import KINDS, Made, documented, make

ROOT = Path(__file__).parents[2]
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


@pytest.mark.parametrize(
    "path",
    ["/home/ann/garden/beds/", "https://ci.example.org/api/projects/settings/tokens/", "/Users/Ann/Work2/my_app/"],
)
def test_a_key_at_the_end_of_a_long_path_is_caught(path: str) -> None:
    key = "ghp_" + "KLzdocJ2isAjIhKtJ0RlgLKOmxgJTeKdNnFR"
    assert redact(f"It lies at {path}{key}") == f"It lies at {path}[redacted: GitHub token]"


def test_what_only_looks_like_a_key_in_the_middle_of_base64_is_none() -> None:
    before, after = (b64encode(Random(part).randbytes(60)).decode().replace("=", "") for part in (1, 2))
    assert find_secrets(f"{before}/ghp_{after}") == find_secrets(f"{before}/{after}")


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


RULES = [(sign, body) for sign, _, body in PREFIXES]


def matching(pattern: str, random: Random) -> str:
    """A text that the pattern matches; of repeated parts there are as few as it asks for."""
    return "".join(_matching(item, random) for item in re._parser.parse(pattern))  # type: ignore[attr-defined, unused-ignore]


def _matching(item: tuple[object, Any], random: Random) -> str:
    kind, rest = str(item[0]), item[1]
    match kind:
        case "LITERAL":
            return chr(rest)
        case "IN":
            return random.choice(_signs(_class(rest)))
        case "MAX_REPEAT" | "POSSESSIVE_REPEAT" | "MIN_REPEAT":
            fewest, _, part = rest
            return "".join(_matching(one, random) for _ in range(fewest) for one in part)
        case "SUBPATTERN":
            return "".join(_matching(one, random) for one in rest[3])
        case "BRANCH":
            return "".join(_matching(one, random) for one in random.choice(rest[1]))
    assert kind in ("ASSERT", "ASSERT_NOT", "AT"), kind
    return ""


@cache
def _signs(of_class: str) -> list[str]:
    return [sign for sign in string.printable[:94] if re.match(of_class, sign)]


def _class(parts: list[tuple[object, Any]]) -> str:
    """The set of characters as it was written."""
    written = {
        "LITERAL": lambda rest: re.escape(chr(rest)),
        "RANGE": lambda rest: f"{re.escape(chr(rest[0]))}-{re.escape(chr(rest[1]))}",
        "CATEGORY": lambda rest: {"CATEGORY_WORD": r"\w", "CATEGORY_SPACE": r"\s"}[str(rest)],
    }
    return "[" + "".join(written[str(kind)](rest) for kind, rest in parts) + "]"


@pytest.mark.parametrize(("sign", "body"), RULES, ids=[sign for sign, _ in RULES])
def test_every_prefix_can_match_something(sign: str, body: str) -> None:
    random = Random(sign)
    keys = [sign + matching(body, random) for _ in range(8)]
    assert sum(bool(find_secrets(f"it is {key} for now")) for key in keys) >= 4


def test_the_shortest_key_of_each_prefix_is_no_longer_than_services_give_out() -> None:
    for sign, body in RULES:
        if sign not in ("v1.0-", "X-Amz-Signature=", "X-Amz-Security-Token=", "X-Goog-Signature="):
            assert len(matching(body, Random(1))) <= 85, sign


def unbounded(parsed: Any) -> Iterator[str]:
    """What may be repeated without end and given back again: the cause of time that grows faster than the text."""
    for kind, rest in parsed:
        if str(kind) in ("MAX_REPEAT", "MIN_REPEAT"):
            if rest[1] is re._constants.MAXREPEAT:  # type: ignore[attr-defined, unused-ignore]
                yield str(rest[2])
            yield from unbounded(rest[2])
        elif str(kind) == "POSSESSIVE_REPEAT":
            yield from unbounded(rest[2])
        elif str(kind) == "SUBPATTERN":
            yield from unbounded(rest[3])
        elif str(kind) == "BRANCH":
            for branch in rest[1]:
                yield from unbounded(branch)
        elif str(kind) in ("ASSERT", "ASSERT_NOT"):
            yield from unbounded(rest[1])


PACKAGE = ROOT / "src/scrubjay"
SECRET_SCAN = PACKAGE / "text/secret_scan"
WHOLE_VALUES = "PLACEHOLDER MIXED WORD COUNTED ENTRY".split()  # matched against one short value, never searched for


def patterns() -> Iterator[tuple[str, str]]:
    for path in sorted(SECRET_SCAN.rglob("*.py")):
        name = ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts)
        module = importlib.import_module(name.removesuffix(".__init__"))
        for name, value in vars(module).items():
            if name.isupper() and isinstance(value, str) and name not in WHOLE_VALUES and "%d" not in value:
                yield f"{path.stem}.{name}", value
            elif name in ("PREFIXED", "SHAPED", "RULES", "LIKELY", "WEBHOOKS", "NUMBERS"):
                yield from ((f"{path.stem}.{name} {rule[0]}", rule[-1]) for rule in value)


@pytest.mark.parametrize(("name", "pattern"), list(patterns()), ids=lambda value: str(value)[:40])
def test_no_rule_repeats_without_end_what_it_may_give_back(name: str, pattern: str) -> None:
    try:
        parsed = re._parser.parse(pattern)  # type: ignore[attr-defined, unused-ignore]
    except re.error:
        return  # a piece of a rule, or plain words
    assert list(unbounded(parsed)) == []


STEPS_FOR = ["password is ", "key ", "token: ", "a_a1-", "login a/b ", "pin ", "Aa0", "x=", "name: password, value: "]
STEPS_FOR += ["passphrase otter walnut ", "the password? ", "Aa00!Bb11 (password) ", "use password "]
STEPS_FOR += [
    "password\n",
    "recovery code\n1a2b",
    "login('a',",
    "-u a -p b ",
    "key[1,",
    "password: {",
    "seed phrase a ",
    "unlocks with Aa0_bb1 ",
    "door 4711 ",
    "“open it now ",
]


@pytest.mark.parametrize("piece", STEPS_FOR)
def test_twice_the_text_takes_twice_the_steps(piece: str) -> None:
    find_secrets(piece * 100)
    once, twice = (steps((piece * 10_000)[:length]) for length in (10_000, 20_000))
    assert twice <= 2.2 * once + 200


@pytest.mark.parametrize("piece", [*STEPS_FOR, ".!passphrase123456"])
def test_what_one_secret_hides_is_redacted_in_few_passes(piece: str) -> None:
    redact(piece * 100)
    once, twice = (steps((piece * 5_000)[:length], redact) for length in (5_000, 10_000))
    assert twice <= 2.5 * once + 200
    assert not find_secrets(redact(piece * 500, lines=True))
    lines = redact((piece + "\n") * 500, lines=True).count("\n")
    assert lines == 500 * (piece + "\n").count("\n")


@pytest.mark.parametrize("row", ["passphrase|\r\n", "pin|" * 74 + "\n", "token,secret\n"])
def test_a_row_that_could_be_a_head_is_not_looked_at_for_each_row_above_it(row: str) -> None:
    text = row * (20_000 // len(row))
    find_secrets(text)
    assert steps(text) < 15 * len(text)


def steps(text: str, function: Callable[[str], object] = find_secrets) -> int:
    """How many functions are called to look through a text."""
    count = 0

    def counted(_frame: object, event: str, _argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(counted)
    try:
        function(text)
    finally:
        sys.setprofile(None)
    return count


VALUES = {
    "password": ["Tr0ub4" + "dor&3", "hunt" + "er2!", "kettle-" + "lagoon-42", "Jasper@" + "1970"],
    "phrase": ["velvet-window-" + "lantern-marble", "island_saddle_" + "jungle_fabric"],
    "PIN": ["48" + "21", "9037" + "46"],
    "token": ["i1NgXAsGKq0lb" + "TU4WwldsxCFJQRHk", "6ac58856921b885e2a1c" + "3b852e34b2da74e7b528"],
}
TOLD = {
    "password": [
        "The password for the staging database is %s.",
        "We changed the root password to %s last week",
        "log in with admin / %s",
        "%s is the password for the NAS",
        "Use %s as the admin password.",
        "Your password was reset. The new one is: %s",
        "Ann: what's the wiki password again?\nBob: %s",
        "the pw for the printer, ask Bob, is %s",
        "Das Passwort für den Server lautet %s.",
        "La contraseña del servidor es %s",
        "J'ai remplacé le mot de passe de la base par %s hier.",
        "Het wachtwoord van de server is %s",
        "пароль от сервера: %s",
        "数据库密码是%s，别忘了",
        "비밀번호는 %s입니다",
        "service | user | password\n--- | --- | ---\nwiki | ann | %s",
    ],
    "phrase": [
        "The passphrase for the backup is %s.",
        "Grafana unlocks with pass phrase %s",
        "Kennwort für Grafana ist %s, bitte nicht weitergeben",
        "Use this passphrase for the CI: %s",
    ],
    "PIN": [
        "my pin is %s",
        "The card's PIN is still %s, I think",
        "the code for the garage door is %s",
        "Melde dich mit dem PIN %s an.",
        "mi PIN es %s",
        "Le code PIN est %s",
    ],
    "token": [
        "Use this token for the build server: %s",
        "The API key for the weather service is %s",
        "%s is the API key for Datadog",
        "Here is the token for the portal. It is %s and must not leave this room.",
        "Der API-Schlüssel für den Wetterdienst lautet %s",
        "La clave de API es %s",
        "La clé API est %s",
        "ACME_KEY=%s",
        '{"name": "ACME_TOKEN", "value": "%s"}',
        "- name: API_KEY\n  value: %s",
        '<add key="ApiKey" value="%s" />',
        "ENV AZURE_OPENAI_KEY %s",
        "api_token: |\n    %s",
    ],
}


@pytest.mark.parametrize(("kind", "form"), [(kind, form) for kind, forms in TOLD.items() for form in forms])
def test_a_secret_told_in_a_sentence_or_a_setting_is_caught(kind: str, form: str) -> None:
    for value in VALUES[kind]:
        assert is_caught(Made(kind, form, form.replace("%s", value), value)), value


CHOSEN = [
    "Otter" + "2026!!",
    "Zq8#" + "mK2v",
    "!Lake&" + "Moon3",
    "h3rb$" + "tLeaf7",
]  # as rules for passwords want them


@pytest.mark.parametrize("value", CHOSEN)
@pytest.mark.parametrize(
    "form", ["SECRET=%s", "client_secret: %s", "X-Api-Key: %s", "The secret for signing cookies is %s, as before."]
)
def test_a_secret_that_a_person_chose_is_caught_under_any_name(form: str, value: str) -> None:
    assert is_caught(Made("secret", form, form.replace("%s", value), value))


@pytest.mark.parametrize(
    "text", ["api key: Ctrl+Shift+F5", "secret: $HOME/App1", "token: {{ Ci.Token1 }}", "token #42 & Co"]
)
def test_nor_is_what_only_has_a_sign_in_it_one(text: str) -> None:
    assert find_secrets(text) == []


# How people and agents tell a secret; NOUN is the word for it. Of every kind of value, each form is tried with one.
FORMS = {
    "en": r"""
        %s is the NOUN
        %s is the new NOUN for the staging box, please don't share.
        please use %s as the NOUN from now on
        use %s as NOUN
        Set the NOUN on the router to %s before you leave.
        I set the NOUN to %s this morning
        I've set it to %s (the NOUN, I mean)
        new NOUN → %s
        new NOUN -> %s
        NOUN (staging): %s
        staging NOUN = %s
        the NOUN changed from the old one to %s
        NOUN has been rotated, it's %s now
        NOUN has been rotated. Now it's %s.
        Q: what's the NOUN?\nA: %s
        ann: what is the NOUN for the printer\nbob: its %s
        what's the NOUN? %s
        - NOUN for Jenkins: %s
        * Jenkins (NOUN %s)
        Jenkins login is ann, NOUN %s
        user ann, NOUN %s
        user: ann, NOUN: %s
        username ann and the NOUN %s
        Log in as ann with the NOUN %s.
        ssh into the box as deploy, NOUN is %s
        Remember that my NOUN is %s.
        Remember this: %s is what I use as NOUN for the bank
        When it asks for a NOUN, type %s
        If prompted for the NOUN enter %s and press return.
        You'll be prompted for a NOUN; answer %s.
        fix: rotate NOUN (now %s)
        chore: bump deploy NOUN to %s
        Notes from Monday: Ann said that the NOUN would be %s until Friday
        TODO: replace the NOUN %s before launch
        the old NOUN, %s, still works
        The old NOUN %s no longer works
        NOUN "%s" works for me
        so um the NOUN is uh %s okay
        okay so the NOUN is gonna be %s alright
        the NOUN should read %s
        FYI the NOUN: `%s`
        My NOUN? It's %s.
        You can get in with %s, that's the NOUN
        You can get in with %s (NOUN)
        %s <- NOUN for the wiki
        %s ← that's the NOUN
        %s - NOUN for the wiki
        wiki NOUN, in case you need it: %s
        Wiki NOUN below:\n%s
        Here's the NOUN you asked for: %s
        Here is your temporary NOUN\n\n%s
        The guest network uses the NOUN %s
        Our NOUN happens to be %s
        The NOUN I chose is %s
        The NOUN that works everywhere is %s.
        Bob gave me the NOUN, namely %s
        For the NOUN I picked %s
        As the NOUN we went with %s
        I went with %s for the NOUN
        We agreed on %s as our NOUN
        The admin's NOUN got changed to %s after the incident.
        NOUN updated: %s
        Updated the NOUN. It is now %s.
        NOUN reset to %s by ops
        Ticket 4711: user cannot log in, gave them NOUN %s
        Tell the agent to sign in with NOUN %s and fetch the report.
        Never write this down, but the NOUN equals %s
        Don't tell anyone: NOUN's %s
        the NOUN's still %s
        Agent: the deploy NOUN you must pass is %s
        Pass %s as the NOUN argument
        Enter %s when it asks for the NOUN
        put %s in the NOUN field
        the NOUN field takes %s
        save this NOUN for later: %s
        store NOUN %s in memory
        my NOUN for github.com is %s
        NOUN for ann@example.org is %s
        Ann's NOUN — %s — expires in May
        NOUN, which I keep forgetting, is %s
        NOUN of the day: %s
        The NOUN we use for the NAS in the basement, the one Bob set up last year, is %s
        The NOUN? Oh, that one was %s back then.
        Just so you know, %s opens the wiki, it's the NOUN we all share.
        He wrote the NOUN on the board: first %s, later something else.
        If the NOUN %s fails, call Bob.
        Bob swears by %s for every NOUN he owns
        NOUN hint: the real one reads %s
        I keep mistyping the NOUN; it goes %s
        NOUN rotation done, fresh value %s
        Deploy notes. NOUN: see vault (fallback %s).
        can you log me in? the NOUN you want is %s thx
        %s worked as the NOUN yesterday
        With %s as NOUN the import runs through.
        %s, which is our NOUN, must not leak
        It was %s before somebody changed the NOUN
        export it first, the NOUN being %s, then run make
        Reminder to self, NOUN for the safe room %s
        Onboarding step 3. Open the VPN client, choose "office", supply the NOUN %s, click connect.
        The vendor mailed us a NOUN of %s
        Our staging NOUN used to be %s but is not anymore
        they handed over the following NOUN during the call, %s, and hung up
        [10:42] bob: NOUN pls\n[10:43] ann: %s
        > what was the NOUN again\n%s
        bob asked for the NOUN so I sent him %s
        Could you change the NOUN from %s to something better?
        Closes #12: stop hard-coding NOUN %s
        revert "use %s as NOUN"
        NOUN: first half then second half, together %s
        The NOUN everyone knows (%s) has to go.
        Say "%s" when they ask you for the NOUN
        The value %s goes into the NOUN box.
        We type %s whenever the NOUN dialog pops up.
        In the NOUN box you write %s
        Sign me in as ann / %s, that NOUN is fresh
        Account ann. NOUN %s. Do not lock it.
        NOUN ... %s
        NOUN ==> %s
        NOUN | %s
        NOUN~ %s
    """,
    "de": r"""
        %s ist das NOUN
        Nimm %s als NOUN
        Bitte %s als NOUN verwenden
        Das NOUN habe ich auf %s gesetzt
        Das NOUN wurde auf %s geändert.
        Neues NOUN: %s
        Das neue NOUN ist jetzt %s
        NOUN vom Drucker: %s
        Mit dem NOUN %s kommst du rein.
        Wie war das NOUN nochmal? %s
        Falls nach dem NOUN gefragt wird, gib %s ein.
        Gib beim NOUN %s ein
        Melde dich als ann mit %s an (NOUN)
        Benutzer ann, NOUN %s
        Mein NOUN lautet übrigens %s
        Unser NOUN ist immer noch %s
        Merke dir: mein NOUN für die Bank ist %s
        Das alte NOUN war %s
        Ich hab das NOUN gerade geändert, neu ist %s
        Das NOUN hat Bob auf den Zettel geschrieben: %s
        %s war früher unser NOUN
        Zugang: Benutzer ann, das NOUN dazu %s
        Kannst du dich mit %s einloggen? Das ist das NOUN.
        Trag als NOUN bitte %s ein.
        Hier das NOUN für den Server – %s
        Ohne das NOUN %s geht nichts
    """,
    "es": r"""
        %s es la NOUN
        Usa %s como NOUN
        He puesto %s como NOUN
        Cambié la NOUN a %s
        La NOUN nueva es %s
        La NOUN del wifi sigue siendo %s
        Nueva NOUN: %s
        ¿Cuál es la NOUN? %s
        Entra con el usuario ann y la NOUN %s
        Si te pide la NOUN, pon %s
        Recuerda que mi NOUN es %s
        La NOUN ahora es %s
        La NOUN quedó en %s
        Apunta la NOUN: %s
        Mi NOUN era %s hasta ayer
        Con la NOUN %s ya puedes entrar
        Pusimos %s de NOUN
        Te paso la NOUN, %s, no la compartas
        La NOUN que usamos es la siguiente: %s
    """,
    "fr": r"""
        %s est le NOUN
        Utilise %s comme NOUN
        J'ai mis %s comme NOUN
        Le NOUN est désormais %s
        Le nouveau NOUN : %s
        Le NOUN du wifi est toujours %s
        C'est quoi le NOUN ? %s
        Connecte-toi avec ann et le NOUN %s
        Si on te demande le NOUN, tape %s
        Retiens que mon NOUN est %s
        Le NOUN a été changé en %s
        Le NOUN devient %s
        Voici le NOUN : %s
        Note bien le NOUN, %s, pour demain
        Avec le NOUN %s tu peux entrer
        On a choisi %s pour le NOUN
        Mon NOUN c'était %s
        Le NOUN à saisir est le suivant : %s
        Quand il demande le NOUN il faut répondre %s
    """,
}
NOUNS = {
    "en": ["password", "password", "PIN", "passphrase", "token", "API key"],
    "de": ["Passwort", "Kennwort", "PIN", "Passphrase", "Token", "API-Schlüssel"],
    "es": ["contraseña", "clave", "PIN", "frase de contraseña", "token", "clave de API"],
    "fr": ["mot de passe", "mot de passe", "code PIN", "phrase secrète", "jeton", "clé API"],
}
SIGNS = string.ascii_letters + string.digits
FORMS_MISSED = 0.03  # share of the texts at most


def values(random: Random) -> list[str]:
    """From a safe, of a person, a PIN, a phrase, a token, a token in hex: in the order of the words."""
    return [
        "".join(random.choices(SIGNS + "!#%+?*-_", k=14)) + "7k",
        random.choice(["Jasper", "Kettle", "Bella"]) + random.choice("-_@") + str(random.randint(1000, 9999)),
        str(random.randint(2345, 98765432)),
        random.choice("-_.").join(random.sample("velvet lantern marble copper otter harbor pickle saddle".split(), 4)),
        "".join(random.choices(SIGNS, k=32)),
        random.randbytes(20).hex(),
    ]


def told_in_forms() -> Iterator[Made]:
    random = Random(3)
    for language, forms in FORMS.items():
        for form in forms.strip().splitlines():
            for noun, value in zip(NOUNS[language], values(random), strict=True):
                text = form.strip().replace("\\n", "\n").replace("NOUN", noun).replace("%s", value)
                yield Made(noun, form.strip(), text, value)


def test_nearly_every_secret_told_in_any_form_of_sentence_is_caught() -> None:
    made = list(told_in_forms())
    missed = [f"{one.kind} in {one.carrier}" for one in made if not is_caught(one)]
    assert len({one.carrier for one in made}) >= 150
    assert len(missed) / len(made) <= FORMS_MISSED, missed


def test_a_phrase_of_words_without_a_mark_between_them_is_caught_beside_its_word() -> None:
    phrase = " ".join(["otter", "walnut", "marble", "lantern"])
    for form in ["use %s as the passphrase", "the passphrase changed to %s", "new passphrase → %s", "(passphrase %s)"]:
        assert is_caught(Made("passphrase", form, form.replace("%s", phrase), phrase)), form


ORDINARY_SENTENCES = """
    The password is stored in the vault
    the token is valid for 30 minutes
    pin the version to 1.2.3
    the key is to ask early
    set the password to expire after 90 days
    The password for web-01 is in the vault.
    Reset the password on srv-db01 before Friday.
    Office365 asks for the password twice.
    Ticket 4711: the user forgot his PIN.
    Pin issue 48213 to the top of the board.
    The PIN has 4 to 8 digits.
    My PIN was sent by post in 2023.
    Choose a passphrase of at least five random words.
    The passphrase is requested interactively upon startup.
    Type your password when the prompt appears.
    Enter the token from your authenticator app.
    Use a strong password as the master password.
    Passwords are hashed with bcrypt, cost 12.
    The password field takes at most 64 characters.
    put your name in the user field and leave the password field empty
    What is the password policy? At least 12 characters.
    Who knows the wifi password? Ask Bob at the front desk.
    Did you change the password? Yes, yesterday at 10:42.
    I forgot my password again, can you reset it?
    The door code changes every Monday.
    The code for the garage is written on the card in the kitchen.
    The token budget is 4096 per request.
    We counted 128000 tokens in the prompt.
    The API key expires on 2026-05-01.
    Rotate the API key every 90 days and revoke the old one.
    The access token is refreshed automatically by the client.
    The secret of good bread is time and a hot oven.
    The key difference is that Postgres 16 supports it.
    Log in as ann with your usual password.
    Sign in with your company account and the second factor.
    Das Passwort liegt im Tresor.
    Das Kennwort muss mindestens 12 Zeichen haben.
    Bitte ändere dein Passwort bis zum 31.12.2026.
    Wie war das Passwort nochmal? Frag Bob.
    La contraseña está guardada en la bóveda.
    Cambia la contraseña cada 90 días.
    ¿Cuál es la contraseña? Pregunta a Bob.
    Le mot de passe est stocké dans le coffre.
    Le mot de passe doit contenir au moins 12 caractères.
    Si on te demande le mot de passe, appelle Bob.
    fix: do not log the password when the login fails
    feat: ask for the passphrase only once per session
    The password prompt was replaced by a passkey dialog in version 2.14.0.
    Our PIN pad in room 1204 is broken.
    She told me the password, but I did not write it down.
"""


@pytest.mark.parametrize("text", [line.strip() for line in ORDINARY_SENTENCES.strip().splitlines()])
def test_an_ordinary_sentence_about_passwords_is_left_alone(text: str) -> None:
    assert find_secrets(text) == []


@pytest.mark.parametrize(
    "form",
    ["Basic auth for the wiki: wiki:%s", "to get into the printer use admin and %s", "log in with ann and then %s",
     "the admin account uses %s", "das Konto: anmelden mit ann und dann %s", "el usuario tiene %s",
     "the password of pod api-7b9f4c6d5-x2k8q is %s", "root on the old box logs in with %s", "use admin / %s there",
     "you unlock my laptop with %s", "the community string of the switch is %s"],
)  # fmt: skip
def test_a_password_that_is_told_with_its_account_is_caught(form: str) -> None:
    value = "Wolke" + "77!regen"
    assert is_caught(Made("password", form, form.replace("%s", value), value))


@pytest.mark.parametrize(
    "text",
    ["Password reset mails are sent by worker-7b9f4c6d5-x2k8q", "the token for pod api-6d8f9c7b4-zq2lm has expired",
     "the account has Issue#1234 open", "the user uses Firefox and then Thunderbird",
     "docker run -e POSTGRES_PASSWORD postgres:16", "docker run -e DB_PASSWORD mysql:8.0-debian",
     "The password column was dropped in 0042_remove_passwords", "La clave foránea es fk_pedido_cliente_2",
     "Unlock the screen with the fingerprint reader", "Admin / Settings / Users shows the list"],
)  # fmt: skip
def test_neither_a_pod_an_image_a_migration_nor_the_number_of_an_issue_is_one(text: str) -> None:
    assert find_secrets(text) == []


RANDOM = "xj698vwcqlvlt75e" + "6jgtjb0hddues9y4"
FILES = {
    "a Secret of Kubernetes": ("kind: Secret\nmetadata:\n  name: db\ndata:\n  user: YW5u\n  pin: %s\n", "aHVudGVyMg=="),
    "a Secret in JSON": ('{"kind": "Secret", "stringData": {"a": "%s"}}', "sword" + "fish"),
    ".pgpass": ("db.internal:5432:app:ann:%s", "sword" + "fish9"),
    "PuTTY": ("PuTTY-User-Key-File-3: ssh-rsa\nPrivate-Lines: 1\n%s\n", "AAAAgQC7" + RANDOM),
    "JWK": ('{"kty":"EC","crv":"P-256","x":"a","d":"%s"}', RANDOM + "abcdefghij9"),
    "OpenVPN": (
        "%s",
        "-----BEGIN OpenVPN Static key V1-----\n" + DIGEST[:32] + "\n-----END OpenVPN Static key V1-----",
    ),
    "Teams": ("post to %s", "https://acme.webhook.office.com/webhookb2/" + DIGEST + "/IncomingWebhook/" + DIGEST[:32]),
    "Zapier": ("post to %s", "https://hooks.zapier.com/hooks/catch/" + "1234567/abc12de/"),
    "any webhook": ("https://ci.example.org/webhook/%s", RANDOM),
    "a cookie": ("Cookie: theme=dark; session=%s; lang=en", RANDOM),
    "Terraform": ('variable "db_password" {\n  default = "%s"\n}', "Itv#DxE" + "+cDe02-Kb"),
    "an unknown sign": ("He pasted %s.", "qzvk_" + "8fK2mQx9LpW4rT7yBn3cVd6H"),
}


@pytest.mark.parametrize("name", FILES)
def test_what_stands_where_files_have_their_secrets_is_caught(name: str) -> None:
    form, value = FILES[name]
    assert is_caught(Made(name, "file", form.replace("%s", value), value))


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
        "--- PASS: TestRoundTrip2 (28.8s)",
        "PASS: tests/run1",
        "pass: pass.md",
        "they pass in guard.go:390-401 and in words.go:12",
        "每个token大约是4个字符，token是128k的上限，一共12345个token。",
        "Cache key: build-Linux-" + DIGEST,
        f"jsonschema/_keywords.py,sha256=r8_{b64encode(hashlib.sha256(b'r8').digest()).decode()[:40]},14949",
        f"key_id: {UUID(int=2**99 + 4321)}",
        f"the token's sha256 is {DIGEST}",
        "msg_01" + "AbCdEfGhJk2345MnPqRs77" + ' and "tool_call_id": "call_' + "x9Yz12AbCdEf34GhJkLm56Np" + '"',
        "log in with OAuth2 and a second factor",
        "the pin layout has 40 pins, pin 13 is the LED",
        "the combination of 11,739 participants and 28 trials",
        "(10 ng/ml) and interferon-gamma (1000 U/ml) in combination for up to 48 hours",
        "The password manager is version 7.8.1b2",
        "password.encode('latin1')",
        "encryption_key_sha256=encryption_key_sha256)",
        "import { createHash } from 'node:crypto'; const key = hash2base64(name)",
        "o evdns: fix lock/unlock mismatch in evdns_close_server_port() (54103883 Ann)",
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
        "from scrubjay.text.secret_scan import find_secrets, patterns; find_secrets('Good day');"
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
        ("a &lt;private&gt;b&lt;/private&gt; c", "a  c"),
        ("a &#60;private&#62;b&#x3c;/private&#x3E; c", "a  c"),
        ("a \\u003cprivate\\u003eb\\u003c/private\\u003e c", "a  c"),
        ("a %3Cprivate%3Eb%3C%2Fprivate%3E c", "a  c"),
        ("a ＜private＞b＜／private＞ c", "a  c"),
        ("a &lt;private&gt;b and no end", "a "),
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
