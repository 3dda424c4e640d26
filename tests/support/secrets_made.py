"""Secrets made at random in the forms that services document, each in a text that could be remembered.

Nothing here is a secret: every value is put together at run time, so that no scanner finds one in this file.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle
from random import Random
from string import ascii_letters, ascii_uppercase, digits

__all__ = ["KINDS", "Made", "documented", "make"]

ALPHABETS = {
    "a": ascii_letters + digits,
    "b": ascii_letters + digits + "+/",
    "u": ascii_letters + digits + "-_",
    "h": "0123456789abcdef",
    "H": "0123456789ABCDEF",
    "d": digits,
    "A": ascii_uppercase + digits,
    "B": ascii_uppercase + "234567",
    "Q": "QPZRY9X8GF2" + "TVDW0S3JN54" + "KHCE6MUA7L",
    "s": ascii_letters + digits + "!@#%^*(-_=+)",
}
WORDS = "amber basil cedar delta ember falcon ginger harbor indigo jasper kettle lagoon meadow nectar orchid".split()
CHECK_LETTERS = "TRWAGMYFPDXB" + "NJZSQVHLCKE"
ODD_VALUES = (1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23)

# {a36} stands for 36 letters and digits, and so on through the alphabets.
TOKENS = dict(
    entry.strip().split(": ")
    for entry in """
    AWS access key: AKIA{B16}; AWS session key: ASIA{B16}; Google API key: AIza{u35};
    Google OAuth token: ya29.a0{u160}; Google client secret: GOCSPX-{u28}; Azure client secret: {a3}8Q~{a34};
    Azure storage key: {b76}+ASt{b6}==; OpenAI key: sk-{a20}T3BlbkFJ{a20}; OpenAI project key: sk-proj-{u120};
    Anthropic key: sk-ant-api03-{u95}; OpenRouter key: sk-or-v1-{h64}; DeepSeek key: sk-{h32}; Groq key: gsk_{a52};
    Hugging Face token: hf_{a34}; Replicate token: r8_{a37}; Perplexity key: pplx-{a48}; xAI key: xai-{a80};
    Nvidia key: nvapi-{u64}; LangSmith key: lsv2_pt_{h32}_{h10}; GitHub token: ghp_{a36};
    GitHub server token: ghs_{a36}; GitHub fine-grained token: github_pat_{a22}_{a59}; GitLab token: glpat-{u20};
    GitLab runner token: glrt-{u20}; Bitbucket password: ATBB{a24}{H8}; Atlassian token: ATATT3xFfGF0{u172}={H8};
    Slack bot token: xoxb-{d12}-{d13}-{a24}; Slack user token: xoxp-{d12}-{d12}-{d13}-{h32};
    Slack app token: xapp-1-A{B10}-{d13}-{h64}; Slack webhook: hooks.slack.com/services/T{B8}/B{B10}/{a24};
    Discord webhook: discord.com/api/webhooks/{d18}/{u68}; Telegram token: {d10}:AA{u33}; Stripe key: sk_live_{a24};
    Stripe restricted key: rk_live_{a99}; Stripe webhook secret: whsec_{a32}; Square token: EAAA{u60};
    Square secret: sq0csp-{u43}; Braintree token: access_token$production${h16}${h32}; npm token: npm_{a36};
    PyPI token: pypi-AgEIcHlwaS5vcmc{u150}; Docker token: dckr_pat_{u27}; RubyGems key: rubygems_{h48};
    SendGrid key: SG.{u22}.{u43}; Twilio key: SK{h32}; Mailgun key: key-{h32}; Mailchimp key: {h32}-us7;
    Sentry token: sntryu_{h64}; DigitalOcean token: dop_v1_{h64}; Shopify token: shpat_{h32}; Vault token: hvs.{u95};
    Terraform token: {a14}.atlasv1.{u67}; Linear key: lin_api_{a40}; Notion token: ntn_{d9}{a37};
    Notion secret: secret_{a43}; Supabase token: sbp_{h40}; Databricks token: dapi{h32}; Doppler token: dp.pt.{a43};
    Grafana token: glsa_{a32}_{h8}; New Relic key: NRAK-{A27}; Postman key: PMAK-{h24}-{h34};
    Airtable token: pat{a14}.{h64}; Tailscale key: tskey-auth-k{a11}CNTRL-{a32}; PlanetScale token: pscale_tkn_{u43};
    age key: AGE-SECRET-KEY-1{Q58}
    """.split(";")
)
# What only its name gives away: the name, and what it is given.
IN_CONTEXT = {
    "AWS secret key": ("AWS_SECRET_ACCESS_KEY", "{b40}"),
    "Azure account key": ("AccountKey", "{b86}=="),
    "Mistral key": ("MISTRAL_API_KEY", "{a32}"),
    "Cohere key": ("CO_API_KEY", "{a40}"),
    "Twilio auth token": ("TWILIO_AUTH_TOKEN", "{h32}"),
    "Datadog key": ("DD_API_KEY", "{h32}"),
    "Datadog application key": ("DD_APP_KEY", "{h40}"),
    "PayPal secret": ("PAYPAL_CLIENT_SECRET", "E{u79}"),
    "OAuth client secret": ("client_secret", "{a32}"),
    "Django secret key": ("SECRET_KEY", "k{s48}9"),
    "Rails secret": ("SECRET_KEY_BASE", "{h128}"),
    "Heroku API key": ("HEROKU_API_KEY", "{h8}-{h4}-{h4}-{h4}-{h12}"),
    "access token": ("access_token", "{u43}"),
    "refresh token": ("refreshToken", "{u64}"),
    "signing key": ("JWT_SIGNING_KEY", "{b43}="),
    "Ethereum private key": ("PRIVATE_KEY", "0x{h64}"),
}

ANYWHERE = {
    "prose": "Ann wrote that the new one is %s, and that it works in staging.",
    "end of a sentence": "For the nightly job we use %s.",
    "brackets": "The old one (%s) was to be revoked in May.",
    ".env": "DEBUG=1\nSERVICE_VALUE=%s\nPORT=8080",
    "JSON": '{"name": "staging", "value": "%s", "retries": 3}',
    "JSON in JSON": '{"body": "{\\"value\\": \\"%s\\"}"}',
    "YAML": "service:\n  value: %s\n  replicas: 2",
    "shell": "$ export SERVICE=%s && ./deploy.sh --verbose",
    "Python": "client = Client('%s', timeout=30)",
    "URL": "GET https://api.example.org/v1/items?limit=5&k=%s&page=2",
    "Markdown": "Then run:\n\n```sh\n./login %s\n```\n\nand wait.",
    "inline code": "Use `%s` until Friday.",
    "diff": "-service = old\n+service = %s",
    "escaped line end": '"stdout": "done\\n%s\\nbye"',
    "CSV": "name,value,owner\nstaging,%s,ann",
    "Chinese": "新的密钥是%s，请不要外传。",
}
FIRM = {
    ".env": "DEBUG=1\nNAME=%s\nPORT=8080",
    "shell": "$ export NAME='%s' && make deploy",
    "JSON": '{"region": "eu-1", "NAME": "%s"}',
    "JSON in JSON": '{"body": "{\\"NAME\\": \\"%s\\"}"}',
    "YAML": "app:\n  NAME: %s\n  replicas: 2",
    "YAML, quoted": "app:\n  NAME: '%s'\n  replicas: 2",
    "Python": 'settings.NAME = "%s"\nconnect(settings)',
    "typed": 'NAME: str = "%s"',
    "JavaScript": "const options = { NAME: '%s', retries: 3 };",
    "TOML": '[service]\nNAME = "%s"',
    "Ruby": "config = { :NAME => '%s' }",
}
ASSIGNED = {
    **FIRM,
    "PHP": "define('NAME', '%s');",
    "XML": "<settings><NAME>%s</NAME></settings>",
    "Markdown": "Settings:\n\n- **NAME**: `%s`\n- region: eu-1",
    "prose": "Remember that the NAME is %s for now.",
    "table": "| setting | value |\n|---|---|\n| NAME | %s |",
}
PASSWORD_NAMES = [*"password passwd pwd DB_PASSWORD POSTGRES_PASSWORD datasource.password dbPassword SMTP_PASS".split()]
TOLD = {
    "option": "backup --user ann --password %s --host db.internal",
    "option with =": "backup --user=ann --password=%s",
    "prose": "By the way, my wifi password is %s and the guest network has none.",
    "changed": "We changed the password to %s yesterday.",
    "netrc": "machine api.example.org login ann password %s",
    "connection string": "Server=db;Database=app;User Id=sa;Password=%s;Encrypt=True",
    "form": "user=ann&password=%s&remember=1",
    "Spanish": "La contraseña es %s",
    "German": "Passwort: %s",
    "Chinese": "数据库密码：%s",
    "label": "Host: db.internal\nUser: ann\nPassword: %s\n",
    "curl": "curl -s -u 'ann:%s' https://api.example.org/v1/me",
    "sshpass": "sshpass -p '%s' ssh ann@db.internal",
}
AS_HEADER = {
    "curl": "curl -H 'Authorization: Bearer %s' https://x.example.org",
    "JSON": '{"Authorization": "Bearer %s"}',
    "prose": "it sends the bearer %s each time",
}
NUMBERED = {
    "prose": "My NAME is %s, please keep it.",
    "label": "NAME: %s\nvalid: 12/27",
    "JSON": '{"NAME": "%s"}',
    "brackets": "Ann's NAME (%s) has changed.",
    "CSV": "owner,NAME,city\nAnn,%s,Oslo",
}


@dataclass(frozen=True, slots=True)
class Made:
    """A text with a secret in it, and what kind of secret that is."""

    kind: str
    carrier: str
    text: str
    secret: str


Maker = Callable[[Random], str]


def _some(random: Random, alphabet: str, length: int) -> str:
    return "".join(random.choices(ALPHABETS[alphabet], k=length))


def _filled(template: str) -> Maker:
    return lambda random: re.sub(r"\{(\w)(\d+)\}", lambda hole: _some(random, hole[1], int(hole[2])), template)


def _password(random: Random) -> str:
    """As people choose them: words with digits and signs, or what a generator gives."""
    word, other = random.sample(WORDS, 2)
    styles = [
        f"{word.title()}{random.randrange(10, 9999)}{random.choice('!#%*?')}",
        f"{word}-{other}-{random.randrange(10, 99)}",
        word.replace("e", "3").replace("a", "4") + str(random.randrange(100)) + other.title(),
        _some(random, "a", random.randrange(10, 20)) + str(random.randrange(10)),
        "p" + "".join(random.choices(ALPHABETS["a"] + "!#%^*_+=~", k=random.randrange(12, 22))) + "a7",
    ]
    return random.choice(styles)


def _url_password(random: Random) -> str:
    return _password(random).replace("#", "%23").replace("?", "%3F")


def _basic(random: Random) -> str:
    return b64encode(f"ann:{_password(random)}".encode()).decode()


def _signature(random: Random) -> str:
    encoded = b64encode(random.randbytes(32)).decode()
    return encoded.replace("+", "%2B").replace("/", "%2F").replace("=", "%3D")


def _jwt(random: Random) -> str:
    parts = [{"alg": random.choice(["HS256", "RS256"]), "typ": "JWT"}, {"sub": str(random.randrange(10**10))}]
    encoded = [urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in parts]
    return f"{'.'.join(encoded)}.{_some(random, 'u', 43)}"


def _discord_bot(random: Random) -> str:
    user = b64encode(str(random.randrange(10**17, 10**18)).encode()).decode().rstrip("=")
    return f"{user}.{_some(random, 'u', 6)}.{_some(random, 'u', 27)}"


def _private_key(random: Random) -> str:
    label = random.choice(["", "RSA ", "EC ", "OPENSSH ", "ENCRYPTED ", "PGP "]) + "PRIVATE KEY"
    label += " BLOCK" if label.startswith("PGP") else ""
    lines = [_some(random, "b", 64) for _ in range(random.randrange(3, 25))]
    return "\n".join([f"-----BEGIN {label}-----", *lines, f"-----END {label}-----"])


def _grouped(maker: Maker, sign: str = " ") -> Maker:
    return lambda random: sign.join(re.findall(".{1,4}", maker(random)))


def _card(prefix: str, length: int) -> Maker:
    def make(random: Random) -> str:
        number = prefix + _some(random, "d", length - len(prefix) - 1)
        total = sum(sum(divmod(int(digit) * (2 - place % 2), 10)) for place, digit in enumerate(reversed(number)))
        return number + str(-total % 10)

    return make


def _iban(country: str, digits_after: int, bank: str = "") -> Maker:
    def make(random: Random) -> str:
        account = bank + _some(random, "d", digits_after)
        number = int("".join(str(int(sign, 36)) for sign in f"{account}{country}00"))
        return f"{country}{98 - number % 97:02d}{account}"

    return make


def _weighed(modulus: int, *weights: int) -> Maker:
    """Numbers whose weighed digits add up to nothing."""

    def make(random: Random) -> str:
        while True:
            number = str(random.randrange(1, 10)) + _some(random, "d", len(weights) - 1)
            if sum(int(digit) * weight for digit, weight in zip(number, weights, strict=True)) % modulus == 0:
                return number

    return make


def _ssn(random: Random) -> str:
    return f"{random.randrange(1, 666):03d}-{random.randrange(1, 100):02d}-{random.randrange(1, 10000):04d}"


def _nino(random: Random) -> str:
    letters = "".join(random.choices("ABCEHJLMPRSTWXY", k=2))
    return " ".join([letters, *(_some(random, "d", 2) for _ in range(3)), random.choice("ABCD")])


def _dni(random: Random) -> str:
    number = random.randrange(10**7, 10**8)
    return f"{number}{CHECK_LETTERS[number % 23]}"


def _nie(random: Random) -> str:
    first, number = random.randrange(3), random.randrange(10**7)
    return f"{'XYZ'[first]}{number:07d}{CHECK_LETTERS[(first * 10**7 + number) % 23]}"


def _cpf(random: Random) -> str:
    number = [random.randrange(10) for _ in range(9)]
    for length in (9, 10):
        number.append(sum(digit * (length + 1 - place) for place, digit in enumerate(number)) * 10 % 11 % 10)
    return "{}{}{}.{}{}{}.{}{}{}-{}{}".format(*number)


def _nir(random: Random) -> str:
    number = (
        f"{random.randrange(1, 3)}{_some(random, 'd', 2)}{random.randrange(1, 13):02d}{random.randrange(1, 96):02d}"
    )
    number += f"{random.randrange(1, 1000):03d}{random.randrange(1, 1000):03d}"
    return f"{number}{97 - int(number) % 97:02d}"


def _codice_fiscale(random: Random) -> str:
    code = f"{''.join(random.choices('BCDFGLMNPRST', k=6))}{_some(random, 'd', 2)}{random.choice('ABCDEHLMPRST')}"
    code += f"{random.randrange(1, 29):02d}{random.choice('ABCDEFGHIL')}{_some(random, 'd', 3)}"
    values = [int(sign) if sign.isdigit() else ascii_uppercase.index(sign) for sign in code]
    return code + ascii_uppercase[(sum(ODD_VALUES[value] for value in values[::2]) + sum(values[1::2])) % 26]


NUMBERS: Mapping[str, tuple[str, Maker]] = {
    "Visa card": ("card", _card("4", 16)),
    "Visa card, grouped": ("card", _grouped(_card("4", 16))),
    "Mastercard, dashed": ("Mastercard", _grouped(_card("53", 16), "-")),
    "Mastercard 2 series": ("Mastercard", _card("2345", 16)),
    "American Express": ("Amex", _card("37", 15)),
    "Discover card": ("Discover card", _card("6011", 16)),
    "JCB card": ("JCB card", _card("3540", 16)),
    "German IBAN": ("IBAN", _iban("DE", 18)),
    "British IBAN, spaced": ("account", _grouped(_iban("GB", 14, "WEST"))),
    "Dutch IBAN": ("rekening", _iban("NL", 10, "ABNA")),
    "French IBAN, spaced": ("compte", _grouped(_iban("FR", 23))),
    "US social security number": ("SSN", _ssn),
    "UK national insurance number": ("NINO", _nino),
    "Spanish DNI": ("DNI", _dni),
    "Spanish NIE": ("NIE", _nie),
    "Italian codice fiscale": ("codice fiscale", _codice_fiscale),
    "Brazilian CPF": ("CPF", _cpf),
    "French NIR": ("numéro de sécu", _nir),
    "Dutch BSN": ("BSN", _weighed(11, 9, 8, 7, 6, 5, 4, 3, 2, -1)),
    "Polish PESEL": ("PESEL", _weighed(10, 1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1)),
}


def _kind(kind: str, maker: Maker, carriers: Mapping[str, str], *names: str) -> tuple[str, Callable[[Random], Made]]:
    def make(random: Random) -> Made:
        carrier, value = random.choice(list(carriers)), maker(random)
        text = carriers[carrier].replace("NAME", random.choice(names or [""])).replace("%s", value)
        return Made(kind, carrier, text, value)

    return kind, make


KINDS: Mapping[str, Callable[[Random], Made]] = dict(
    [
        *(_kind(kind, _filled(template), ANYWHERE) for kind, template in TOKENS.items()),
        *(_kind(kind, _filled(template), ASSIGNED, name) for kind, (name, template) in IN_CONTEXT.items()),
        *(_kind(kind, maker, NUMBERED, name) for kind, (name, maker) in NUMBERS.items()),
        _kind("JWT", _jwt, ANYWHERE),
        _kind("Discord bot token", _discord_bot, ANYWHERE),
        _kind("password", _password, ASSIGNED, *PASSWORD_NAMES),
        _kind("password of letters", lambda random: "".join(random.sample(WORDS, 2)), FIRM, *PASSWORD_NAMES),
        _kind("password, told", _password, TOLD),
        _kind("password in URL", _url_password, {"URL": "db = postgresql://ann:%s" + "@db.internal:5432/app or none"}),
        _kind("cache password", _url_password, {"URL": "REDIS_URL=redis://:%s" + "@cache:6379/0"}),
        _kind("Sentry DSN", _filled("{h32}"), {".env": "SENTRY_DSN=https://abc:%s" + "@sentry.io/42"}),
        _kind("bearer token", _filled("{u40}7a"), AS_HEADER),
        _kind("basic auth", _basic, {"header": "Authorization: Basic %s", "Docker": '{"hub": {"auth": "%s"}}'}),
        _kind("Azure SAS", _signature, {"URL": "https://a.blob.core.windows.net/c/f.csv?sv=2024-11-04&sp=r&sig=%s"}),
        _kind("private key", _private_key, {"Markdown": "```\n%s\n```\n", "prose": "It is %s and no more."}),
        _kind(
            "service account",
            lambda random: json.dumps(_private_key(random))[1:-1],
            {"JSON": '{"type": "service_account", "private_key": "%s"}'},
        ),
        _kind(
            "seed phrase",
            lambda random: " ".join(random.choices(WORDS, k=12)),
            {"prose": "My wallet's seed phrase: %s", "YAML": "mnemonic: '%s'"},
        ),
    ]
)


def make(seed: int, count: int) -> Iterator[Made]:
    """As many as asked for, every kind in turn; the same seed makes the same."""
    random = Random(seed)
    for _, maker in zip(range(count), cycle(KINDS.values()), strict=False):
        yield maker(random)


def documented() -> list[Made]:
    """The examples that the services' own pages show; in pieces, like all the rest."""
    return [
        Made(kind, "as documented", form.replace("%s", pieces.replace("|", "")), pieces.replace("|", ""))
        for kind, pieces, form in DOCUMENTED
    ]


DOCUMENTED: Sequence[tuple[str, str, str]] = (
    ("GitHub token", "gh|p_16C7e42F292c6912E771|0c838347Ae178B4a", "curl -H 'Authorization: token %s'"),
    ("Stripe key", "sk_|test_4eC39HqLyj|WDarjtT1zdp7dc", "stripe.api_key = '%s'"),
    ("Discord bot token", "MTk4NjIyNDgz|NDcxOTI1MjQ4.Cl2FMQ.|ZnCjm1XVW7vRze4b7Cq4se7kKWs", "it logs in with %s"),
    ("Telegram token", "110201543:|AAHdqTcvCH1vGWJxf|SeofSAs0K5PALDsaw", "https://api.telegram.org/bot%s/getMe"),
    ("JWT", "eyJhbGciOiJIUzI1NiJ9|.eyJzdWIiOiIxMjM0NTY3ODkwIn0|.dozjgNryP4J3jVmNHl0w5N_XgL0", "Cookie: jwt=%s; Path=/"),
    ("bearer token", "mF_9.|B5f-4.|1JqM", "Authorization: Bearer %s"),
    ("basic auth", "QWxhZGRpbjpv|cGVuIHNlc2FtZQ==", "Authorization: Basic %s"),
    ("Visa card", "4242 4242 |4242 4242", "pay with %s"),
    ("American Express", "3782 822463 |10005", "the corporate one is %s"),
    ("US social security number", "078-05|-1120", "his number was %s"),
    ("German IBAN", "DE89 3704 0044 |0532 0130 00", "rent goes to %s every month"),
    ("British IBAN", "GB82WEST|12345698765432", "or to %s"),
    ("Spanish DNI", "12345678|Z", "con documento %s"),
    ("Brazilian CPF", "111.444.|777-35", "cadastro %s"),
    ("Italian codice fiscale", "RSSMRA85T10|A562S", "intestato a %s"),
    ("French NIR", "2 55 08 14 |168 025 38", "assurée %s"),
    ("Polish PESEL", "440514|01359", "PESEL %s"),
    ("Dutch BSN", "111222|333", "BSN %s"),
    ("UK national insurance number", "AB 12 34 |56 C", "number %s"),
    ("Aadhaar number", "2341 2341 |2346", "Aadhaar no. %s"),
    ("German Steuer-ID", "86 095 |742 719", "Steuer-ID %s"),
    ("password", "hunt|er2", "my password is %s"),
    ("passphrase", "correct horse |battery staple", 'password = "%s"'),
)
