"""Forms in which secrets are written down, by class: each class with its siblings, and with what only looks like it."""

from __future__ import annotations

import string
from base64 import b64encode
from hashlib import sha256
from random import Random

import pytest

from scrubjay.text.secret_scan import find_secrets, redact

SIGNS = string.ascii_letters + string.digits
PASSWORD = "Tul1p" + "_4922"
PERSON = "Raven" + "&Panther65"
TOKEN = "".join(Random(5).choices(SIGNS, k=32))
LONG = "".join(Random(6).choices(SIGNS, k=60))
HEX = sha256(b"a key").hexdigest()
UUID = f"{HEX[:8]}-{HEX[8:12]}-4{HEX[13:16]}-a{HEX[17:20]}-{HEX[20:32]}"
GROUPS = "B6EE-3CHE-" + "G273-W5BJ"


def is_caught(text: str, secret: str) -> bool:
    start = text.index(secret)
    return any(one.start <= start and start + len(secret) <= one.end for one in find_secrets(text))


ASSIGNED = [
    'const std::string kDbPassword{"%s"};',
    "$ENV{DB_PASSWORD} = '%s';",
    "ENV['DB_PASSWORD'] ||= '%s'",
    "password ??= '%s'",
    ': "${DB_PASSWORD:=%s}"',
    '<string name="db_password" translatable="false">%s</string>',
    "<key>DbPassword</key>\n<string>%s</string>",
    "<AdminPassword><Value>%s</Value></AdminPassword>",
    '"adminPassword": {"value": "%s"}',
    'aws ssm put-parameter --name "/shop/db_password" --type SecureString --value "%s"',
    "CREATE LOGIN app WITH PASSWORD = N'%s';",
    'PASSWORD = b"%s"',
    "username admin privilege 15 password 0 %s",
    "SNMP_COMMUNITY=%s",
    "WIFI_PSK = '%s'",
    'variable "db_password" {\n  type    = string\n  default = "%s"\n}',
]


@pytest.mark.parametrize("form", ASSIGNED)
def test_a_password_is_caught_however_a_language_gives_it_to_its_name(form: str) -> None:
    for secret in (PASSWORD, TOKEN[:14]):
        assert is_caught(form.replace("%s", secret), secret)


COMMANDS = [
    "ipmitool -H 10.0.0.9 -U ADMIN -P %s power status",
    "tool -u ann -h db1 -p %s --verbose",
    "mstsc /v:srv1 /u:ann /p:%s /f",
    "keytool -list -keystore app.jks -storepass %s",
    "cache_peer proxy.example.com parent 3128 0 login=ann:%s no-query",
    'spawn ssh ann@srv1\nexpect "assword:"\nsend "%s\\r"',
    'requests.get(url, auth=("ann", "%s"), timeout=5)',
    'server.login("ann@example.com", "%s")',
    'connect("mysql:host=db1;dbname=shop", "app", "%s")',
    '# client server secret addresses\n"ann" * "%s" *',
    "UPDATE config SET value = '%s' WHERE key = 'db_password';",
    "echo '%s' | su - postgres -c 'psql -l'",
    "printf %s | sudo cryptsetup luksOpen /dev/sdb1 data -",
    "snmpwalk -v3 -u mon -a SHA -A %s -x AES -X other 10.0.0.2",
    "snmpget -v3 -u mon -a SHA-256 -A other -x AES -X %s 10.0.0.2 sysName.0",
]


@pytest.mark.parametrize("form", COMMANDS)
def test_a_password_is_caught_where_a_command_or_a_call_takes_one(form: str) -> None:
    for secret in (PASSWORD, TOKEN[:14]):
        assert is_caught(form.replace("%s", secret), secret)


ALONE = [
    "# staging\n%s\n",
    'new Client("%s");',
    "> %s\n\nIs this one still active?",
    "ich nehme jetzt %s, damit läuft es",
]


@pytest.mark.parametrize("form", ALONE)
def test_a_long_random_run_that_no_word_explains_is_a_key(form: str) -> None:
    for secret in (LONG, f"{LONG[:50]}==", f"{LONG[:15]}!{LONG[15:]}", LONG.upper()):
        assert is_caught(form.replace("%s", secret), secret)


def test_a_long_random_run_that_a_word_or_its_place_explains_is_none() -> None:
    encoded = b64encode(Random(7).randbytes(240)).decode().replace("+", "a").replace("/", "b")
    block = "\n".join(encoded[at : at + 64] for at in range(0, 320, 64))
    for text in (
        f"-----BEGIN CERTIFICATE-----\n{block}\n-----END CERTIFICATE-----",
        f"integrity sha384-{LONG}",
        f"fingerprint: {LONG}",
        f"build id {LONG}",
        f"https://docs.example.org/d/{LONG}/edit",
        f"xpub{LONG}",
        '<path d="M5 1v5h2v2H2.031v3H0v4.938h5V11H3.031V9H12v.984h1V8H8V6h2V1z"/>',
    ):
        assert find_secrets(text) == [], text


SIGNED = ["ATTA%s", f"K10%s::server:{HEX[:32]}", "%sFFFFNRAL", f"APP_USR-1204407408837457-770171-{HEX[:32]}-630621863"]
SIGNED += [f"packagist_uut_{HEX}{HEX[:4]}", "mlsn.%s", f"waka_{UUID}", "acme-live-%s", f"{UUID}:fx"]


@pytest.mark.parametrize("form", SIGNED)
def test_hexadecimal_digits_with_the_sign_of_a_service_are_a_key(form: str) -> None:
    secret = form.replace("%s", HEX)
    assert is_caught(f"we use {secret} for now", secret)


IN_ANSWERS = [
    "[10:42] ann: the wiki wants a NOUN from me\n[10:43] bob: it's %s",
    "ann  9:14 AM\nanyone got the NOUN for the wiki?\nbob  9:15 AM\nyep: %s",
    "Anna: weißt du noch das NOUN für das Wiki?\nBen: ja, %s",
    "Luc : tu as le NOUN ?\nEva: oui, c'est %s",
    "Welcome!\n\nYour NOUN is below.\n\n    %s\n\nPlease change it soon.",
    "> Here you go, the NOUN below\n> %s\n> Cheers",
    "NOUN follows:\n- %s\n",
]


@pytest.mark.parametrize("form", IN_ANSWERS)
def test_a_secret_is_caught_in_the_next_turn_and_in_a_paragraph_of_its_own(form: str) -> None:
    told = [("password", PASSWORD), ("password", PERSON), ("PIN", "562" + "39"), ("recovery code", GROUPS)]
    told += [("passphrase", "raven+tulip+" + "panther"), ("passphrase", "Hazel" + "AutumnEngine")]
    for noun, secret in [*told, ("API key", TOKEN), ("token", f"acme-live-{HEX[:32]}")]:
        assert is_caught(form.replace("NOUN", noun).replace("%s", secret), secret), noun


@pytest.mark.parametrize("words", ["reset-password", "auth/magic", "verify", "invite", "account/activate"])
def test_an_address_that_lets_in_whoever_opens_it_is_caught(words: str) -> None:
    for secret in (TOKEN, HEX):
        assert is_caught(f"Open https://shop.example.com/{words}/{secret} within an hour.", secret)
        assert find_secrets(f"https://shop.example.com/{words}/how-to-use-your-new-account-safely") == []


def test_a_token_after_its_number_is_caught_but_no_column_of_digests() -> None:
    secret = f"12|{LONG[:48]}"
    assert is_caught(f"curl with {secret} works", secret)
    assert find_secrets(f"12|{HEX}") == []


def test_codes_that_are_written_in_groups_or_in_a_list_are_caught() -> None:
    key = "aecb w43i q2so dkj2 " + "u37v 7l5o wgee x7jo"
    assert is_caught(f"Cannot scan? Enter this setup key: {key}", key)
    codes = [f"{4821 + 7 * number} {9931 - 13 * number}" for number in range(8)]
    text = "Your backup codes\n" + "\n".join(f"{place}. {code}" for place, code in enumerate(codes, 1))
    assert all(is_caught(text, code) for code in codes)


def test_every_one_of_the_codes_in_a_row_is_caught() -> None:
    codes = [str(48_120_394 + 1_207_013 * number) for number in range(4)]
    for text in (f"Backup codes for the account: {' '.join(codes)}", f"the recovery codes are {', '.join(codes)}"):
        assert not any(code in redact(text) for code in codes)
    assert find_secrets("The backup codes are generated in the module") == []


def test_a_short_sign_with_hexadecimal_digits_is_caught_under_a_name_for_a_secret() -> None:
    secret = f"chpt_{HEX[:15]}"
    for text in (f'project_token: "{secret}"', f"CHROMATIC_TOKEN={secret}"):
        assert is_caught(text, secret)
    assert find_secrets(f"trace={secret}") == [] == find_secrets("token = user_deadbeefcafe")


def test_a_password_is_caught_in_a_list_of_users_that_has_no_head() -> None:
    secret = f"{TOKEN[:6]}#{TOKEN[6:12]}+aB3"
    for text in (f"backup:{secret}\n# of rsyncd", f'"app" "{secret}"\n"stats" "x"\n', f"ann@example.com:{secret}"):
        assert is_caught(text, secret)
    for text in ("image:web-1.2+build3", "note:Fix#12 later", '"app" "Version2+build"', "see a.py:12#L3"):
        assert find_secrets(text) == []


def test_a_wallet_is_caught_as_words_and_as_bytes() -> None:
    words = "apple banana cherry dragon eager fabric galaxy harbor income jacket kidney ladder".split()
    for text in ("seed phrase is %s so keep it", "Recovery phrase (12 words):\n%s", 'MNEMONIC="%s"'):
        assert is_caught(text.replace("%s", " ".join(words)), " ".join(words))
    numbers = ",".join(str(number) for number in Random(8).randbytes(64))
    assert is_caught(f"solana-keygen wrote id.json:\n[{numbers}]", numbers)
    assert find_secrets(f"table = [{numbers}]") == []


def test_the_hash_of_a_users_password_is_caught_in_a_list_of_users() -> None:
    secret = f"$6${LONG[:12]}${LONG[12:]}"
    assert is_caught(f"daemon:*:19000:0:99999:7:::\nann:{secret}:19800:0:99999:7:::", secret)


ORDINARY = [
    "I forgot my password again, can you reset it? My user name is heron39.",
    f"GET /v1/items?page=7 401 50ms - token missing (request {UUID})",
    "Passwords are hashed with argon2id (m=65536, t=3, p=4).",
    'input[type="password"] { border: 1px solid #a4d9d2; } .token.keyword { color: #0abbe3; }',
    "secret_arn: arn:aws:secretsmanager:eu-central-1:334886764068:secret:comet/zinc-bB0cBT",
    f"password: ENC[AES256_GCM,data:{TOKEN},iv:{LONG[:43]}=,tag:{TOKEN[:22]}==,type:str]",
    f"password = gAAAAABq_{LONG}-{TOKEN}==, encrypted with Fernet",
    f"Upgrade: websocket\nSec-WebSocket-Key: {TOKEN[:22]}==\nSec-WebSocket-Accept: {TOKEN[:27]}=",
    f"script-src 'nonce-{TOKEN[:22]}==' 'sha256-{LONG[:43]}='",
    "credential: sanitize the user prompt (CVE-2024-50349)",
    "Add file (GnuPG key: 0x7EC2DBB6F4DBF434).",
    'if (pw_has("quota")) { next }',
    "'COOKIEJAR', 'FTPPORT', 'KEYPASSWD', 'KRB4LEVEL', 'SSLCERT'",
    "--ask-password option (and the associated command)",
    'make Avahi hit an assert; a problem with passwords, identified by "jamesh"',
    "PWD: '/Users/maciej', EDITOR: 'vim'",
    "tests pass on linux\nversion: v1.2b3",
    "password: optional\nname: web01\nregion: eu-1",
    "docker run -u app -p 8080:80 shop",
    "signal.connect('clicked', 'on_button1')",
    "a key role of PI3K-Akt-mTORC1-S6K1/2 in growth",
    "the key axis: IL6-JAK2-STAT3-BCL2L1/MCL1.",
    "the secret CD44v6-EpCAM-CLDN7-TSPAN8 complex",
    "key residues Asp32-Ser35-Thr231-Gly34/230 of the pocket",
    "echo password | sudo tee /etc/motd",
    '"AWS::GuardDuty::ThreatEntitySet": "f9e73b098cba1e1d",\n"AWS::ACMPCA::Permission": "04b877e245730b3e",',
    "encryption_algorithm: serialization.KeySerializationEncryption,\noptions: Iterable[pkcs7.PKCS7Options],",
    "snmpwalk -v2c -a -x 10.0.0.2",
]


@pytest.mark.parametrize("text", ORDINARY)
def test_what_only_looks_like_one_of_these_forms_is_left_alone(text: str) -> None:
    assert find_secrets(text) == []


STORES_OF_SECRETS = [
    "aws secretsmanager create-secret --name shop/db --secret-string '%s'",
    "aws secretsmanager put-secret-value --secret-id shop/db --secret-string=%s",
    "aws ssm put-parameter --name /shop/db --value %s --type SecureString --overwrite",
    "az keyvault secret set --vault-name shop --name db --value %s",
    "gh secret set DB --repo ann/shop --body '%s'",
    "security add-generic-password -a ann -s shop -w %s",
    "fly secrets set --app shop DB=%s",
    "doppler secrets set DB=%s",
]


@pytest.mark.parametrize("command", STORES_OF_SECRETS)
def test_what_a_store_of_secrets_is_given_is_caught(command: str) -> None:
    assert is_caught(command % PERSON, PERSON)
    for ordinary in ("file://secret.json", "$DB", '"$(cat secret.txt)"', "<value>"):
        assert find_secrets(command.replace("'", "") % ordinary) == []


MORE_COMMANDS = [
    "net use z: \\\\srv1\\files /user:corp\\ann %s",
    "bw unlock %s",
    "wpa_passphrase Blackbird %s",
    "rabbitmqctl change_password worker %s",
    "mc alias set backup https://s3.example.org ann %s",
    "ssh-keygen -t ed25519 -N %s -f id_deploy",
    "ssh-keygen -p -P %s -N other -f id_deploy",
    "security unlock-keychain -p %s login.keychain",
    "veracrypt --text -p %s vault.hc /mnt/vault",
    "openssl enc -aes-256-cbc -k %s -in a -out b",
    "qpdf --encrypt %s owner 256 -- a.pdf b.pdf",
    "qpdf --encrypt reader %s 256 -- a.pdf b.pdf",
    "schtasks /create /tn nightly /ru ann /rp %s",
    "cryptsetup luksOpen /dev/sdb2 vault <<< %s",
]


@pytest.mark.parametrize("form", MORE_COMMANDS)
def test_a_password_is_caught_in_a_place_that_only_one_command_has_for_it(form: str) -> None:
    assert is_caught(form.replace("%s", PERSON), PERSON)


@pytest.mark.parametrize(
    "command",
    [
        "ssh-keygen -t rsa -b 4096 -f id_rsa_2024 -N ''",
        "openssl x509 -in server1.pem -noout -text",
        "openssl enc -kfile key1.bin -in a1 -out b1",
        "net use z: \\\\srv1\\files /persistent:yes",
        "rabbitmqctl add_vhost prod1",
        "restic backup --encrypt --tag v2",
        "bw unlock --passwordenv BW_PASSWORD",
        "wpa_passphrase Blackbird < file1",
    ],
)
def test_what_else_such_a_command_is_given_is_left_alone(command: str) -> None:
    assert find_secrets(command) == []


IN_LANGUAGES = [
    "הסיסמה לשרת היא %s",
    "כתבתי סיסמא: %s",
    "كلمة المرور هي %s",
    "كلمة السر: %s",
    "پسورد سرور %s است",
    "رمز عبور: %s",
    "รหัสผ่านคือ %s",
    "Mật khẩu là %s",
    "mật khẩu wifi: %s",
    "lozinka za server je %s",
    "Лозинка: %s",
    "geslo za strežnik je %s",
    "slaptažodis yra %s",
    "Паролата за сървъра е %s",
    "parool on %s",
    "Contrasenya: %s",
    "fjalëkalimi është %s",
    "lykilorðið er %s",
    "die wagwoord is %s",
    "nywila ni %s",
    "şifrə %s",
    "serverin parolası %s",
    "পাসওয়ার্ড হলো %s",
    "கடவுச்சொல் %s",
    "પાસવર્ડ: %s",
    "პაროლი არის %s",
    "գաղտնաբառը %s",
    "비번은 %s",
    "비번 %s",
    "kata laluan ialah %s",
    "το συνθηματικό είναι %s",
    "pasahitza %s da",
    "cyfrinair: %s",
    "Palvelimen salasana on %s",
    "Serveri parool on %s",
]


@pytest.mark.parametrize("sentence", IN_LANGUAGES)
def test_a_password_is_caught_in_many_languages(sentence: str) -> None:
    assert is_caught(sentence.replace("%s", PERSON), PERSON)


@pytest.mark.parametrize(
    "sentence",
    [
        "הסיסמה חייבת להכיל לפחות 12 תווים",
        "كلمة المرور يجب أن تتكون من 8 أحرف على الأقل",
        "รหัสผ่านต้องมีอย่างน้อย 8 ตัวอักษร",
        "Mật khẩu phải có ít nhất 8 ký tự",
        "Lozinka mora imati najmanje 8 znakova",
        "Паролата трябва да е поне 8 знака",
        "Slaptažodis turi būti bent 12 simbolių",
        "비번을 잊어버려서 2024-05-01에 변경했습니다",
        "parool unustati 2 korda",
        "The WiFi network is called Linksys2.4GHz.",
    ],
)
def test_what_is_said_about_passwords_in_many_languages_is_left_alone(sentence: str) -> None:
    assert find_secrets(sentence) == []


def test_what_is_called_an_id_is_none_that_a_service_would_open_by() -> None:
    id = "wrkspc_" + "".join(Random(8).choices(SIGNS, k=24))
    for said in ("The workspace ID is %s", "a workspace ID (for example, `%s`)", '{"workspaceId": "%s"}'):
        assert find_secrets(said % id) == []
    for said in ("My key: %s", "session_id=%s", "Use %s"):
        assert is_caught(said % id, id)


@pytest.mark.parametrize(
    "sentence",
    [
        "Il codice del cancello è 5521",
        "La combinazione della cassaforte è 18-42-07",
        "El código de la puerta: 7713#",
        "La combinación de la caja fuerte es 18-42-07",
        "Le code du portail est 4827",
        "O código do portão é 4471",
        "Kod do bramy to 4471",
        "код от домофона 3844",
        "Le nouveau code du portail, c'est 4827",
        "Il codice della porta principale è 7731",
        "De code van de kluis is 8841",
    ],
)
def test_a_code_that_opens_something_is_caught_in_many_languages(sentence: str) -> None:
    assert [one.kind for one in find_secrets(sentence)] == ["PIN"]


def test_other_codes_are_left_alone_in_many_languages() -> None:
    for sentence in ("Il codice postale è 20121", "El código es 200 OK", "Kod pocztowy to 00-950", "код ошибки 5003",
                     "Le code de la porte a été changé en 2024", "la combinación de colores es 18-42"):  # fmt: skip
        assert find_secrets(sentence) == []


@pytest.mark.parametrize(
    "text",
    [
        "El código del portal devuelve 4041 cuando falta la sesión.",
        "Le code du portail client renvoie 4031.",
        "Il codice della porta 8080 va cambiato in 8443.",
        "De code van de poort 5432 staat in config.yaml.",
        "Код ворот (gateway) занимает 1500 строк.",
        "gpg --encrypt -r 0xDEADBEEFCAFE1234 report.pdf",
        "El archivo contiene la clave ssh-ed25519 pública.",
        "Das Passwort wird mit bcrypt-12 gehasht.",
    ],
)
def test_the_code_of_a_program_a_port_and_an_algorithm_are_no_secrets_in_any_language(text: str) -> None:
    assert find_secrets(text) == []


def test_a_password_is_caught_after_an_account_in_brackets() -> None:
    assert is_caught(f"For Jira I use the same login as always (ann.k / {PERSON})", PERSON)


SEED_WORDS = "abandon ribbon crane velvet oxygen muscle salad fiber torch wagon neutral exotic"


@pytest.mark.parametrize(
    "form", ["The seed words for the hot wallet: %s", "wallet words: %s", "Wallet seed: %s", "La frase semilla: %s"]
)
def test_the_words_of_a_wallet_are_caught_whatever_they_are_called(form: str) -> None:
    assert is_caught(form.replace("%s", SEED_WORDS), SEED_WORDS)


@pytest.mark.parametrize(
    ("line", "secret"),
    [
        ("wpa_passphrase=maple syrup 2024", "maple syrup 2024"),
        ('network={\n  psk="maple syrup 2024"\n}', "maple syrup 2024"),
        ("wep_key0=Ab12Cd34Ef", "Ab12Cd34Ef"),
        ("pass_phrase = winter otter nineteen", "winter otter nineteen"),
    ],
)
def test_a_phrase_of_several_words_is_caught_in_a_line_of_settings(line: str, secret: str) -> None:
    assert is_caught(line, secret)


@pytest.mark.parametrize(
    "text",
    [
        "The seed words were planted in spring: tomato, basil and mint",
        "The wallet seed is generated by the firmware and never leaves it",
        "We turned the password prompt on Windows11 off",
        "wpa_passphrase=<the passphrase of the network>",
    ],
)
def test_what_is_said_of_such_words_and_lines_is_left_alone(text: str) -> None:
    assert not find_secrets(text)


OPENED = [
    ("At the alarm panel by the back door, punch in 7193 and wait for the beep.", "7193"),
    ("To disarm it, key in 9046 then hash.", "9046"),
    ("Enter 5531 on the keypad by the gate.", "5531"),
    ("The locker: type in 4410.", "4410"),
    ("My safe opens when you dial 33-18-92.", "33-18-92"),
    ("Unlock the backup drive with the phrase 'winter heron paddles north'.", "winter heron paddles north"),
    ("To open the vault you say 'marble otter lantern quiet' to the guard.", "marble otter lantern quiet"),
    ('Decrypt the disk with the words "copper lantern drizzle".', "copper lantern drizzle"),
    ("ssh into bastion as ubuntu, then when it prompts type " + "Gr4nite" + "!fog", "Gr4nite" + "!fog"),
]


@pytest.mark.parametrize(("text", "secret"), OPENED)
def test_what_opens_something_is_caught_beside_it(text: str, secret: str) -> None:
    assert is_caught(text, secret)


@pytest.mark.parametrize(
    "text",
    [
        "The alarm fires when you type in 4040 lines.",
        "Set the alarm threshold: enter 5000 as the limit.",
        "It is safe to enter 4096 here.",
        "The quality gate passes; press 8080 to open the port?",
        "The door component: type in 3000ms for the animation.",
        "Door events (enter 5000/s) are dropped.",
        "Open the gate valve, dial 4711 rpm.",
        "Enter 2026 at the gate.",
        "The keypad component says 'three words only'.",
        "If npm prompts, type y; when asked for the port, enter 8443.",
        "When asked, use v1.24.3-rc2.",
        "Unlock it with the phrase 'deadlock detected'.",
        "Enable password 5 times.",
        "smtp.example.org:587 ann:password",
    ],
)
def test_neither_an_event_of_a_door_nor_a_prompt_for_a_port_is_one(text: str) -> None:
    assert find_secrets(text) == []


QUESTIONS = [
    "what's the login for the deploy box?\ndeploy / %s",
    "[10:43] ann: login for staging?\n[10:44] bob: deploy / %s",
    "Q: How do I log in to the build server?\nA: deploy:%s",
    "Welche Zugangsdaten hat der Buildserver?\n\ndeploy / %s",
]


@pytest.mark.parametrize("form", QUESTIONS)
def test_a_name_and_a_password_are_caught_below_a_question_for_a_login(form: str) -> None:
    secret = "Ochre.Lamp" + ".55"
    assert is_caught(form % secret, secret)
    for harmless in ("bob on alternate weeks", "Google", "PKCE-S256", "src/auth/login.py"):
        assert find_secrets(form % harmless) == []


@pytest.mark.parametrize(
    "form", ["[smtp.example.org]:587 ann:%s", "smtp.example.org:smtps\tann@example.org:%s", "enable secret 0 %s"]
)
def test_a_password_of_a_relay_or_a_router_is_caught(form: str) -> None:
    assert is_caught(form % PASSWORD, PASSWORD)


HIDDEN_FORMS = [
    "ｐａｓｓｗｏｒｄ＝%s",
    "pass\u200bword: %s",
    "p\xada\xads\xads\xadw\xado\xadr\xadd: %s",
    "password=&quot;%s&quot;",
    "&lt;password&gt;%s&lt;/password&gt;",
    "password&#61;%s",
    "{\\u0022password\\u0022: \\u0022%s\\u0022}",
    "password\\u003d%s",
]


@pytest.mark.parametrize("form", HIDDEN_FORMS)
def test_a_secret_is_caught_however_the_signs_around_it_are_written(form: str) -> None:
    text = f"It was so: {form.replace('%s', PASSWORD)} and then?"
    assert is_caught(text, PASSWORD)
    assert PASSWORD not in redact(text) and redact(text).startswith("It was so: ")


def test_a_secret_that_is_itself_written_in_other_signs_is_masked_from_end_to_end() -> None:
    token = "ghp_" + TOKEN + "a1B2"
    wide = "".join(chr(ord(sign) + 0xFEE0) for sign in PASSWORD)
    for text, left in (
        (f"use {token[:20]}\u200b{token[20:]} now", "use [redacted: GitHub token] now"),
        (f"password: {wide} now", "password: [redacted: password] now"),
    ):
        assert redact(text) == left


def test_what_only_uses_such_signs_is_left_as_it_is() -> None:
    for text in (
        "if (a &lt; b &amp;&amp; c &gt; d) return &quot;token&quot;;",
        "Ｈｅｌｌｏ　Ｗｏｒｌｄ２０２６",
        "می\u200cخواهم رمز را بدانم",
        "{\\u0022type\\u0022: \\u0022password\\u0022}",
    ):
        assert find_secrets(text) == []


TOLD_WITH_A_DOT = [
    "la contraseña del servidor: %s",
    "A senha é %s",
    "senha do wifi: %s",
    "my password for the wiki is %s",
]


@pytest.mark.parametrize("form", TOLD_WITH_A_DOT)
def test_two_words_with_a_dot_and_a_number_are_a_password_where_one_is_told(form: str) -> None:
    for secret in ("kestrel" + ".Heron9", "barco" + ".Verde47"):
        assert is_caught(form % secret, secret)
    for harmless in ("os.path2", "module.function", "config.toml", "auth.password_hash"):
        assert find_secrets(form % harmless) == []


@pytest.mark.parametrize(
    "form", ["app password %s", "The app password is %s", "the password for smtp is %s, as Ann says"]
)
def test_four_groups_of_letters_are_a_password_for_an_app(form: str) -> None:
    for secret in ("qwhz mfkt " + "plxd rnvb", "xvqj-zkwp-" + "tghf-bnmc"):
        assert is_caught(form % secret, secret)
    for harmless in (
        "what they have been told",
        "that they will need soon",
        "only used when idle",
        "long some time ago",
    ):
        assert find_secrets(form % harmless) == []


@pytest.mark.parametrize("form", ["jdbc:oracle:thin:shop/%s@db.example.com:1521/orcl", "jdbc:oracle:oci:shop/%s@orcl"])
def test_a_password_in_the_address_of_an_oracle_database_is_caught(form: str) -> None:
    assert is_caught(form % PASSWORD, PASSWORD)
    assert find_secrets("jdbc:oracle:thin:@//db.example.com:1521/orcl") == []


@pytest.mark.parametrize(
    "form", ["code porte: %s", "Code d'entrée de l'immeuble : %s", "digicode %s", "Le code de l'interphone est %s"]
)
def test_the_code_of_a_french_door_is_caught_with_its_letter_too(form: str) -> None:
    for code in ("48" + "B21", "A48" + "21", "73" + "91"):
        assert is_caught(form % code, code)


def test_a_key_of_a_cache_is_no_secret() -> None:
    for key in (HEX, HEX[:32], HEX[:16]):
        assert find_secrets(f"claude-opus-4-1-20250805 with cache key v3:{key}") == []
    assert is_caught(f"the api key: {HEX[:32]}", HEX[:32])


WITH_A_SLASH = ["kT7!vq" + "/mainz", "Trom7/" + "Kvik", "/xK9!" + "mmq2", "Pa/ss-9x!" + "q"]


@pytest.mark.parametrize("form", ["the router password is %s", "use %s as the password", "our wifi password: %s"])
def test_a_password_with_a_slash_is_no_path(form: str) -> None:
    for secret in WITH_A_SLASH:
        assert is_caught(form % secret, secret), secret


@pytest.mark.parametrize(
    "text",
    [
        "the password is in env/prod/SHOP_DB2",
        "The token is sent to api/v2/login",
        "The password is base64/hex-encoded",
        "the password check is in src/auth/login2.py:14",
        "the password is validated by app/Http2/Login",
        "the password mail goes to ann7@shop.example.org",
        "user shop/stage80 logged in with MFA",
        "wifi: 5GHz/80MHz, 2.4GHz/20MHz",
    ],
)
def test_a_path_an_address_and_a_frequency_are_no_passwords(text: str) -> None:
    assert find_secrets(text) == []


NO_NOUN = [
    "Log in as ann and use %s the first time.",
    "ssh deploy@db1.example.org, %s",
    "encrypt the archive with %s before you mail it",
    "The old admin always took the same thing: %s. It opens the switch too.",
]


@pytest.mark.parametrize("form", NO_NOUN)
def test_a_password_of_four_kinds_needs_no_word_for_it_in_a_sentence(form: str) -> None:
    for secret in ("Tangelo$" + "Attic41", "Kr4ken$" + "naps", "Fq8!kestrel" + ".pond"):
        assert is_caught(form % secret, secret), secret


@pytest.mark.parametrize(
    "text",
    [
        "Fixed in Debian#688260 and in the branch Fix_Issue#330",
        "let the bound be 2^bitLength in this step",
        "var isFunction$1 = isFunction;",
        "see you at Expo2026! It opens at nine",
        "HLA-A*02-restricted peptides in 54%.With",
        "the router is a FRITZ!Box7590 with Wi-Fi6",
    ],
)
def test_a_number_of_an_issue_a_variable_and_a_formula_are_no_passwords(text: str) -> None:
    assert find_secrets(text) == []


CODES_TOLD = [
    ("the safe opens with %s", "4482-" + "1190"),
    ("She said the safe behind the shelf opens with %s, left first.", "31-08-" + "64"),
    ("our garage door wants %s and then hash", "77" + "41"),
    ("Front door keypad: %s then the tick.", "1902" + "74"),
    ("%s opens the shed padlock", "33" + "91"),
    ("O cofre do quarto abre com %s, mais ninguém sabe.", "48-12-" + "77"),
    ("Der Tresor öffnet sich mit %s.", "48-12-" + "77"),
    ("Pour ouvrir le portail il faut taper %s puis pousser.", "B74" + "02"),
    ("The gate code changed. It used to be our year, now it's %s.", "#55" + "08"),
]


@pytest.mark.parametrize(("form", "secret"), CODES_TOLD)
def test_a_code_is_caught_with_what_it_opens(form: str, secret: str) -> None:
    assert is_caught(form % secret, secret)


@pytest.mark.parametrize(
    "text",
    [
        "The fair opens with 4000 exhibitors, the gate with 20-30 people.",
        "the gate opens on 2026-05-03",
        "The door opens to 1200 visitors",
        "The garage opens with 3 remotes.",
        "the gate is 1200 mm wide",
        "The PIN pad on door 739 is broken, call extension 1698.",
        "The code is sent by text message to +49 151 64234401.",
    ],
)
def test_what_is_counted_measured_or_called_is_no_code(text: str) -> None:
    assert find_secrets(text) == []


BROKEN = ["%s\n%s", "%s\n    %s", "%s\\\n%s", "%s\r\n%s", "> %s\n> %s", "%s=\n%s"]


@pytest.mark.parametrize("broken", BROKEN)
def test_both_parts_of_a_token_are_caught_that_is_broken_over_two_lines(broken: str) -> None:
    for token in ("ghp_" + LONG[:36], "glpat-" + LONG[:20], HEX, TOKEN):
        for at in (len(token) * 2 // 3, 3 * len(token) // 4):
            first, second = token[:at], token[at:]
            text = f"export API_TOKEN={broken % (first, second)}\nthen restart it"
            found = find_secrets(text)
            assert any(one.start <= text.index(first) and text.index(second) + len(second) <= one.end for one in found)


@pytest.mark.parametrize(
    "text",
    [
        f"uid: {UUID}\nresourceVersion: 8897897",
        f"commit {HEX[:40]}\n\tsrc/lock.c: Pass the right variable",
        f"session {UUID} ended\n2026-01-03 10:22:11 next",
        f"the password was changed in {HEX[:12]}\nPlease pull",
        f"-----BEGIN CERTIFICATE-----\nMIIFgzCCA2{TOKEN}\n-----END CERTIFICATE-----",
    ],
)
def test_two_lines_that_only_follow_each_other_are_no_broken_token(text: str) -> None:
    assert find_secrets(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "The secret key is derived with PBKDF2-HMAC-SHA256.",
        "Our wifi is WPA3-SAE on 802.11ax, the password policy follows SP800-63B.",
        "Press Ctrl+Alt+Delete and enter your password.",
        "Bitte das Passwort zurücksetzen für Ann",
        "The admin password was rotated on Monday by umber96.",
        "The account comet06 was locked after 2 wrong passwords.",
        "- password rotated (SHOP-2495)",
        "Password reset ticket: INC2992438",
        "The username is lotus54, the password is the one you chose.",
        "password: \"{{ lookup('env', 'SHOP_PASSWORD2') }}\"",
        "use crate::auth::{token2::Token, password::Argon2Hasher};",
        'resource "random_password" "shop3" { length = 51 }',
        "$pwd = Win32::GetCwd();",
        "if(r.password){r.password=null,t.at(-1)!=r.passwordVerification}",
    ],
)
def test_talk_and_code_about_secrets_is_left_alone(text: str) -> None:
    assert find_secrets(text) == []


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("i changed my arcade login to BadgerQuest_2204x yesterday", "BadgerQuest_2204x"),
        ("The lab tablet unlocks using 604118 and then you tap Start.", "604118"),
        ("Whenever the NAS asks, type Vw7tQzLk-p41z; nobody else has it.", "Vw7tQzLk-p41z"),
        ("El usuario es tienda3 y entra con WkpTRzu4LmQ9.", "WkpTRzu4LmQ9"),
        ("Mit moewenfelsen.Blau.4100 kommst du als Admin ins CMS rein.", "moewenfelsen.Blau.4100"),
        ("L'imprimante se déverrouille avec tasse_Jaune_17.", "tasse_Jaune_17"),
        ("Para acessar o certificado usa a frase Lua_de_Prata_1962, senão não abre.", "Lua_de_Prata_1962"),
        ("Ciao, per entrare nel condominio digita 71B4 e spingi.", "71B4"),
        ("De kluis op kantoor opent met 4471-2093, daarna draaien.", "4471-2093"),
        ("Tresor im Keller: erst 14-63-08 drehen, dann ziehen.", "14-63-08"),
        ('"What opens the backup?" – "the badger naps at dusk", typed just like that.', "the badger naps at dusk"),
        ("Zum Entschlüsseln der Sicherung nimm den Satz „Vier Dachse tanzen am Ufer“.", "Vier Dachse tanzen am Ufer"),
        ("Ben: how do I get into the shared mailbox?\nAnn: sure, one moment\nAnn: Wolkenbruch+73", "Wolkenbruch+73"),
        ("Tom: what was the hotspot pass again\nEva: papayaraft7x", "papayaraft7x"),
        ("My mailbox can be checked from any phone: voicemail, dial in, then 7714 and hash.", "7714"),
    ],
)
def test_what_looks_chosen_is_caught_where_the_sentence_tells_of_access(text: str, secret: str) -> None:
    assert is_caught(text, secret)


@pytest.mark.parametrize(
    "text",
    [
        "The staff door opens at 0830 and room 4416 is on the left.",
        "Login attempts: 4821 in the last hour.",
        "My user name on the wiki is nickel1204.",
        "We replaced the router by a FritzBox7590 last week.",
        "The gate opens 18:05, flight LS 1482, seat 23C.",
        "Failed logins: 1203, locked accounts: 17, open sessions: 5120.",
        "To open the archive use libarchive-3.7 or Flask-Argon2.",
        "The scanner lets you enter the order 7029-4416 by hand.",
        "Unlock the bootloader, then flash image_v2_final to slot_b.",
        'He opened the door and said "we are closed on Mondays".',
        "key_size: 4096\npin_length: 6\ndoor_count: 1204",
        "password_min_length: 14\nkey_id: a1c06f90-6bde-3590-919e-2297717c8c3b\nsecret_name: door",
        "Schließ die Tür um 1830 und melde dich in Raum 2204.",
        "La salle de la machine est au 3970, deuxième étage.",
    ],
)
def test_a_name_and_a_number_are_left_alone_where_the_sentence_tells_of_access(text: str) -> None:
    assert find_secrets(text) == []


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("Net::FTP.open('ftp.shop.example', 'fern', 'qzm1p7cg4r88') do |ftp|", "qzm1p7cg4r88"),
        ('smtp.connect("mail.shop.example", 587, "fern", "Tq81vLm0zz")', "Tq81vLm0zz"),
        ('conn.pragma_update(None, "key", "KarnapfMJJfdiv").unwrap();', "KarnapfMJJfdiv"),
        (
            'TelegramClient(apiId = 2840, apiHash = "9273ffd56bb8b904d494ee297c5a76c1")',
            "9273ffd56bb8b904d494ee297c5a76c1",
        ),
        ("My authenticator for the host, by hand: qwdz b5y5 f4wo fjup uhc4 3sw5", "qwdz b5y5 f4wo fjup uhc4 3sw5"),
        (
            "He dictated the Ethereum words to me: cluster borrow tomato shield arctic vivid loop hazard elder sunny "
            "napkin cruise",
            "cluster borrow tomato shield arctic vivid loop hazard elder sunny napkin cruise",
        ),
    ],
)
def test_what_a_connection_and_an_authenticator_are_given_is_caught(text: str, secret: str) -> None:
    assert is_caught(text, secret)


def test_the_key_that_is_called_public_and_the_time_a_step_took_are_no_secrets() -> None:
    assert find_secrets("peer public key: pXssxVaJ7rXmDE2D/iF2WO9AHCd7z3vysUEZrkU3g4/= last handshake") == []
    assert find_secrets("OK   20240702_drop_password_hint.sql (4.10ms)") == []


@pytest.mark.parametrize(
    "label", ["    - wifi: cfg80211: cancel the scan on unregister", "wifi: ath11k: fix a null pointer"]
)
def test_what_names_the_subject_of_a_line_is_no_password(label: str) -> None:
    assert find_secrets(f"      (CVE-2026-64579)\n{label}") == []


@pytest.mark.parametrize("near", [0, 300])
def test_among_many_numbers_the_one_beside_a_word_of_access_is_found(near: int) -> None:
    table = " ".join(str(10_000 + number * 7) for number in range(near))
    text = f"{table}\n\nThe safe in the office opens with 4482-1190.\n\n{table}"
    assert [text[found.start : found.end] for found in find_secrets(text)] == ["4482-1190"]


def test_a_control_is_no_lock() -> None:
    assert find_secrets("We show the efficacy of an inhibitor, sIL-13Ralpha2-Fc, in the control of fibrosis.") == []


BITLOCKER = "-".join(["227457", "649130", "772990", "730621", "795214", "045618", "983782", "072124"])


@pytest.mark.parametrize("form", ["what got us through was %s. Filed", "%s", "Wiederherstellung: %s, im Safe"])
def test_eight_groups_of_six_digits_are_a_recovery_key_whatever_stands_beside_them(form: str) -> None:
    assert is_caught(form.replace("%s", BITLOCKER), BITLOCKER)
    assert find_secrets(form.replace("%s", BITLOCKER[:-7])) == []


@pytest.mark.parametrize(
    "form",
    [
        "Seed words for the club's hardware wallet, in order: %s. Do not lose them.",
        "Las palabras de recuperación del monedero, por orden: %s",
        "Die Wiederherstellungswörter der Wallet lauten der Reihe nach: %s",
        "Les mots de récupération du portefeuille, dans l'ordre : %s",
    ],
)
def test_the_words_of_a_wallet_are_caught_with_what_is_said_between(form: str) -> None:
    assert is_caught(form.replace("%s", SEED_WORDS), SEED_WORDS)


@pytest.mark.parametrize(
    ("form", "secret"),
    [
        ('{"compte": "caisse-lyon2", "mot_de_passe": "%s", "actif": true}', "quenelle_" + "Saone69"),
        ("mot-de-passe: %s", "quenelle_" + "Saone69"),
        ("palavra_passe = %s", "quenelle_" + "Saone69"),
        ('DEPLOY_USER: gitlab\nSSHPASS: "%s"', "Parsnip^" + "Gr4vel"),
        ("pin_sblocco = %s\nmodello = ZD421", "48021"),
        ("codice_allarme: %s", "48021"),
        ('{"codigo_puerta": "%s"}', "48021"),
        ("toegangscode = %s", "48021"),
        ("kod_bramy = %s", "48021"),
        ("türcode: %s", "48021"),
        ('service: lock.unlock\ndata: {entity_id: lock.yale, code: "%s"}', "9240" + "68"),
        ("Merk dir, dass meine Handy-PIN %s ist.", "7305"),
        ("Host key is %s, enter it under Participants.", "381640"),
        ("La contraseña de la base de datos de preproducción es %s; la cambió Marta.", "Girasol." + "Lento93"),
    ],
)
def test_a_password_or_a_code_is_caught_in_settings_and_sentences_of_many_languages(form: str, secret: str) -> None:
    assert is_caught(form.replace("%s", secret), secret)


@pytest.mark.parametrize(
    "text",
    [
        'private static final String PASSWORD_PATTERN = "^(?=.*[a-z])(?=.*[A-Z])(?=.*\\\\d).{12,}$";',
        "$password = getenv('SMTP_MDP') ?: throw new RuntimeException('SMTP_MDP absent');",
        "Fehler: Kennwort ist falsch. (Ereignis-ID 4625, Unterstatus 0xC000006A)",
        "issued access token for client=mobile ttl=900s jti=46cda227-13f3-49ef-a725-97f4a9d91fd0",
        "S3 object key: exports/2025/06/d56f8aaa-c267-4a9c-846e-8d3b900070a0.parquet, 118 MB",
        "aws_access_key_id = " + "AKIAIOSFODNN7" + "EXAMPLE",
        "aws_secret_access_key = " + "wJalrXUtnFEMI/K7MDENG/" + "bPxRfiCYEXAMPLEKEY",
        "error_code = 40012\nstatus_code: 5031\npin_count = 1024",
        '{"lock": true, "code": "40001"}',
    ],
)
def test_a_pattern_a_name_an_id_a_status_and_an_example_are_no_secrets(text: str) -> None:
    assert find_secrets(text) == []
