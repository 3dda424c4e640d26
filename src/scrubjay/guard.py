"""What must never reach the disk: secrets are found and redacted, private parts are left out."""

from __future__ import annotations

import re
from binascii import a2b_base64
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from scrubjay.private import without_private

__all__ = ["Finding", "find_secrets", "redact", "without_private"]

MARK = "[redacted: "
LONG = 15  # characters: no key is shorter, few ordinary words are as long
MANY = 6  # digits: no number below has fewer
WORDS_WITHIN = 90  # characters: farther words are not beside a secret
PLAIN_WORD = r"(?<![\w@./+-])[A-Za-z_\u00c0-\uffff]{2,30}+(?![\w@/+-])"


class Finding(NamedTuple):
    """Where a secret stands, of what kind it is and which words stand beside it; never the secret itself."""

    kind: str
    start: int
    end: int
    near: str = ""


# Keys that say whose they are: kind, how they begin, what follows ([^\W_] is a letter or a digit).
PREFIXED = (
    ("AWS key", "AKIA ASIA ABIA ACCA", r"[A-Z0-9]{16}\b(?:[\s,;:|\"']{1,4}[\w/+]{40}(?![\w/+]))?"),
    ("cloud key", "AIza ya29. GOCSPX- 1//0 LTAI ABSK bedrock-api-key- amzn.mws. dop_v1_ doo_v1_", r"[\w+/=-]{16,}"),
    ("cloud signature", "X-Amz-Signature= X-Amz-Security-Token= X-Goog-Signature=", r"[\w%+/=-]{40,}"),
    ("Anthropic key", "sk-ant-", r"[\w-]{20,}"),
    ("OpenAI key", "sk-proj- sk-svcacct- sk-admin-", r"[\w-]{20,}"),
    ("AI provider key", "sk- csk- gsk_ r8_ pplx- xai- hf_ api_org_ tgp_v1_ jina_ pcsk_ llx- fw_", r"[\w-]{20,}"),
    ("AI provider key", "nvapi- tvly- lsv2_pt_ lsv2_sk_ wandb_v1_ fc- esecret_", r"[\w-]{24,}"),
    ("GitHub token", "ghp_ gho_ ghu_ ghs_ ghr_ github_pat_", r"\w{30,}(?:\.[\w-]+){0,2}"),
    ("GitLab token", "glpat- gldt- glrt- glptt- glcbt- glft- glimt- glagent- gloas- glsoat- glffct-", r"[\w-]{20,}"),
    ("Atlassian token", "ATBB ATCTT3 ATATT3 BBDC-", r"[\w=-]{28,}"),
    ("Slack token", "xoxb- xoxp- xoxa- xoxr- xoxs- xoxo- xoxc- xoxd- xoxe- xoxe. xapp-", r"[\w%.-]{12,}"),
    ("webhook", "hooks.slack.com/ discord.com/api/webhooks/ discordapp.com/api/webhooks/", r"[\w/-]{30,}"),
    ("payment key", "sk_live_ rk_live_ sk_test_ rk_test_ whsec_ sq0atp- sq0csp-", r"[\w+/=-]{16,}"),
    ("payment key", "access_token$production$ access_token$sandbox$ EAA", r"[\w$-]{40,}"),
    ("package registry token", "npm_ pypi- dckr_pat_ dckr_oat_ SWMTKN-1- rubygems_ CLOJARS_", r"[\w-]{27,}"),
    (
        "mail key",
        "SG. xkeysib- re_ key-",
        r"[\w-]{16,64}\.[\w-]{16,64}|[0-9a-f]{64}-\w{16}|\w{8}_\w{24}\b|[0-9a-f]{32}\b",
    ),
    ("service token", "SK dapi shpat_ shpca_ shppa_ shpss_", r"[0-9a-f]{32}(?:-[0-9])?\b"),
    ("service token", "hvs. hvb. hvr. sbp_ sb_secret_ tskey- NRAK- NRII- NRJS-", r"[\w-]{19,}"),
    ("service token", "dp.pt. dp.st. dp.ct. dp.sa. dp.scim. lin_api_ lin_oauth_ ntn_ secret_", r"[^\W_]{32,}"),
    ("service token", "sntrys_ sntryu_ glsa_ glc_ HRKU- nfp_ vcp_ vck_ napi_ fo1_ fm2_ PMAK-", r"[\w+/=-]{30,}"),
    ("service token", "pscale_tkn_ pscale_pw_ pscale_oauth_ cfat_ cfut_ cfk_ figd_ figu_ CFPAT-", r"[\w.-]{24,}"),
    ("service token", "phx_ phs_ CCIPAT_ bkua_ sgp_ pul- squ_ sqp_ sqa_ ops_eyJ dt0c01. dt0s01. pat", r"[\w.-]{52,}"),
    ("Scrubjay token", "scrubjay_", r"[\w-]{43}(?![\w-])"),
    ("age key", "AGE-SECRET-KEY-1 AGE-PLUGIN-", r"[A-Z0-9-]{40,}"),
    ("JWT", "eyJ", r"[\w-]{8,2000}+(?:\.[\w-]{8,8000}+){2,4}"),
    ("private key", "LS0tLS1CRUdJTi", r"(?:BSU0Eg|BQUklW|BFQyBQ|BPUEVO|BFTkNS)[\w+/=]{40,}"),  # base64 of a whole file
)
# A rule is tried only where its sign stands, and compiled only then: most texts need none.
PREFIXES = {sign: (kind, body) for kind, signs, body in PREFIXED for sign in signs.split()}
START = r"(?:(?<!\w)|(?<=\\[nrt])|(?<=%[0-9A-F][0-9A-F])|(?<=/bot))"  # also after an escape, as in a log of JSON
FAKE = r"(?i)xxxx|\.\.\.|\*\*\*"

# Keys known by their shape: kind, sign, pattern; its group, if it has one, is the secret.
SHAPED = (
    ("Discord token", ".", r"[MNO][\w-]{22,27}\.[\w-]{6}\.[\w-]{27,45}(?![\w-])"),
    ("Telegram token", ":A", r"[0-9]{6,10}:A[\w-]{33,34}(?![\w-])"),
    ("Azure key", "Q~", r"[\w~.-]{3}[0-9]Q~[\w~.-]{31,34}"),
    ("Azure key", "+ASt", r"[\w+/]{76}\+ASt[\w+/]{4,6}={0,2}"),
    ("Azure key", "JQQJ9", r"[^\W_]{52}JQQJ9[^\W_]{20,30}"),
    ("cloud signature", "sig=", r"sig=([\w%+/-]{40,}=?)"),
    ("Terraform token", ".atlasv1.", r"[^\W_]{14}\.atlasv1\.[\w-]{60,}"),
    ("mail key", "-", r"[0-9a-f]{32}-(?:us[0-9]{1,2}|[0-9a-f]{8}-[0-9a-f]{8})(?![\w-])"),
)
# Credentials known by the words around them, in lower case.
QUOTE = r"\\{0,3}[\"'`]?"
AUTHORIZED = rf"\b(?:bearer |authorization{QUOTE} ?[:=,] *{QUOTE}(?:(?:token|api-?key|key) )?)([\w.~+/=-]{{12,}})"
BASIC = rf"(?:\bbasic |auth{QUOTE} ?[:=] ?{QUOTE})([a-z0-9+/]{{8,400}}={{0,2}})"
BLOCK = (  # closed, or cut off
    r"(-----begin [a-z0-9 ]{0,30}private key(?: block)?-----(?:[^-]*+(?:-(?!----)[^-]*+)*+"
    r"-----end [a-z0-9 ]{0,30}private key(?: block)?-----|(?:(?:\\+[nr]|\s){1,8}[\w+/=]{20,}+)++))"
)
SEED = rf"(?:mnemonic|(?:seed|recovery)[ _-]phrase){QUOTE}(?: is)?[ :=]{{0,3}}{QUOTE}((?:[a-z]{{3,8}}\b ?){{12,24}})"
WORDED = (
    ("private key", ("-----begin",), BLOCK),
    ("bearer token", ("bearer", "auth"), AUTHORIZED),
    ("basic auth", ("basic", "auth"), BASIC),
    ("seed phrase", ("phrase", "mnemonic"), SEED),
    ("password in URL", ("://",), r"(?<=://)[^\s/:@\"'<>]{0,100}:([^\s/\"'<>]{4,200})@(?=[\w\[.$-])"),
    ("password", ("curl",), r"\s(?:-u|--user|--proxy-user)[ =]{0,4}[\"']?[^\s:\"'/]{0,80}:[\"']?([^\s\"']{3,100})"),
    ("password", ("sshpass",), r"\bsshpass[ ]{1,4}-p[ ]{0,4}[\"']?([^\s\"']{3,100})"),
    ("password", ("mysql",), r"\bmysql\w{0,9} [^\n|;&]{0,100}? -p[\"']?([^\s\"'-][^\s\"']{3,80})"),
)

# What is given a value: a password may be any word, every other secret must look random.
LOOSE_NAMES = "pass pwd pw contrase senha wachtwoord hasło пароль 密码 密碼 パスワード 비밀번호".split()
STRICT_NAMES = "token secret key credential creds".split()
NAME = "pass(?:w(?:or[dt]|d)|phrase|code|e(?= *[:=]))?|contrase[nñ]a|" + "|".join(LOOSE_NAMES[1:] + STRICT_NAMES)
WHOLE = r"(?<![A-Za-z])p(?:ass|w)(?![a-z])|P(?:ass|w)(?![a-z])|(?<![A-Z])P(?:ASS|W)(?![A-Z])"
KEY_OF = r"(?:api|access|account|app|auth|encryption|master|private|secret|service|shared|signing|storage)[ _.-]?$"
FIRM = ("=", ":", "：", "＝", "是")
DESCRIBED = (  # password_hash, tokenizer, secretName: the value tells about the secret
    r"(?i)^(?:s|_|-)*(?:id|name|ur[il]|file|path|dir|hash(?:ed)?|digest|len(?:gth)?|min|max|size|count|type|field|policy|"
    r"expir\w*|ttl|env\w*|var\w*|arn|ref|version|limit|hint|format|status|at|iz\w+|param\w*|manager|less|reset|alg\w*)s?$"
)
VALUE = r"""(?xi)
    (?P<rest> [\w-]{0,40}+ ) \\{0,3}["'`]? [\])]? [*]{0,2} [ \t]{0,8}
    (?P<operator> :[ ]?[a-z][\w.\[\]| ]{0,24}[ ]=(?=[ ]) | ={1,3}>? | :=? | -> | [-–—](?=[ ])
        | (?<=["'`]),(?=[ ]?\\{0,3}["'`]) | \|{1,2} | > | ： | ＝ | \?= | 是 | は
        | (?<=[ ])(?: (?:is|was|has|been|now|set|reset|changed|to|as|es|ist|est|:)\b:?[ ]{1,2} ){0,4} )
    [ \t*]{0,8}
    (?: (?P<quote> \\{0,3}["'`] ) (?P<quoted> (?:(?!(?P=quote))[^\n]){1,300} ) (?P=quote)
      | ["'`]? (?P<bare> [^\s"'`<>;,&\\|]++
            (?: (?: [,&](?!\s|$|\w{1,40}[ ]?[=:]) | \\(?![nrt"'`]) ) [^\s"'`<>;,&\\|]++ ){0,4} ) )
"""
# Said of secrets by those who describe them, or put where a secret would stand.
ORDINARY = frozenset(
    """
    a abc access account admin an api apikey app arg args auth aws bar based basic baz bcrypt bearer change changeit
    changeme char check client code config configuration confirm confirmation credential credentials current data
    database db default demo disabled dummy email empty enabled encoded encrypted enter env environ environment
    erforderlich example fake false field file fixme foo for forgot forgotten form format generate generated get getenv
    guest hash hashed header here hidden host id in incorrect input insert invalid is it key keys length letmein list
    localhost login manager masked method missing must my mysql name new next nil no none not null number oauth object
    obligatoria obligatorio of old optional or os page pass passcode passphrase passw passwd password passwords passwort
    path placeholder plain policy postgres postgresql private prod production prompt provided public put pwd qux random
    raw read redacted redis refresh replace request require required requis reset root sample secret secrets self server
    service session set settings sha shared some something store stored str string temp template test text the this to
    todo token tokens true type unchanged undefined unknown unset update url use used user username users using valid
    value values var variable variables vault with wrong x xxx yes you your
    """.split()
)
PLACEHOLDER = (
    r"(?i)^(?:\$?\{.*\}|\$\(.*|<.*|\[.*\]|\([\w ]*\)?|%\(?\w+\)?[%sd]?|@\w+@|:\w+|&\w+|\?|(?-i:\$[A-Z0-9_]+|\$[a-z_]+)|"
    r"(?-i:~?\.{0,2}/?(?:[a-z_.-]+/)+[a-z0-9_.-]*)|(?:[A-Za-z_.:$]|->)+\d?[(\[](?:.*[)\]])?|(?:process|os|self|this|config|"
    r"settings|env|secrets|vars|args|options|data|request)[.:\[].*|.*(?:\.\.\.|…|\*\*\*|xxxx|\{\{|\$\{).*|https?:.*|"
    r"v?\d+(?:\.\d+)+|[\d.:/-]+)$"
)
TECHNICAL = (  # a letter and a digit, and yet no password: SHA-256, base64-encoded, OAuth2, 12-character
    r"(?i)^(?:sha|md|base|utf|argon|scrypt|pbkdf|aes|rsa|oauth|auth|http|ipv|python|py|rfc|iso|pkcs|x|v|k|s|web|win|log)-?"
    r"[0-9]{1,4}(?:$|[^A-Za-z0-9]|[a-z]+$)|^[0-9]{1,4}-?[a-z]+$|[@/]"
)
WORD = r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]{2,}"
MIXED = r"(?=.*[a-z])(?=.*[A-Z]).*[0-9]|(?:[^0-9]*[0-9]){6}"  # after a prefix that is enough
WORDS = r"(?!\w[a-z]*[b-df-hj-np-tv-xz]{4})[A-Za-z][a-z]{3,19}(?![a-z])|(?<![^\W_])[A-Z]{4,15}(?![^\W_])"

# Numbers that name a person or an account: kind, words of which one must be near, pattern.
NUMBERS = (
    ("credit card", "", r"\d{15,16}|(?<!\d )\d{4}([ -])(?:\d{4}\1\d{4}\1\d{4}(?:\1\d{3})?|\d{6}\1\d{4,5})(?! \d)"),
    ("credit card", "card|diners|visa|unionpay", r"\d{13,19}"),
    ("IBAN", "", r"[A-Z]{2}\d\d(?:[A-Z0-9]{11,27}|(?: [A-Z0-9]{4}){2,7}(?: [A-Z0-9]{1,3})?)"),
    ("US social security number", "", r"(?!000|666|9)\d{3}-(?!00)\d\d-(?!0000)\d{4}"),
    ("US social security number", "ssn|social security", r"(?!000|666|9)\d{3} ?(?!00)\d\d ?(?!0000)\d{4}"),
    ("UK national insurance number", "", r"[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z](?: \d\d){3} [A-D]"),
    ("UK national insurance number", "insurance|nino|ni n", r"[A-Z]{2} ?\d\d ?\d\d ?\d\d ?[A-D]"),
    ("Spanish identity number", "", r"(?:\d{8}|[XYZ]-?\d{7})[ -]?[A-Z]"),
    ("Italian codice fiscale", "", r"[A-Z]{6}\d\d[A-EHLMPRST]\d\d[A-Z]\d{3}[A-Z]"),
    ("French NIR", "", r"[12] ?\d\d ?(?:0[1-9]|1[0-2]|[2-4]\d) ?(?:\d\d|2[AB]) ?\d{3} ?\d{3} ?\d\d"),
    ("Brazilian CPF", "", r"\d{3}\.\d{3}\.\d{3}-\d\d"),
    ("Brazilian CPF", "cpf", r"\d{11}"),
    ("Dutch BSN", "bsn|burgerservice|sofinummer", r"\d{9}|\d{4}\.\d\d\.\d{3}"),
    ("German Steuer-ID", "steuer|idnr|tax id", r"[1-9]\d ?\d{3} ?\d{3} ?\d{3}"),
    ("Polish PESEL", "pesel", r"\d{11}"),
    ("Aadhaar number", "aadha", r"[2-9]\d{3}([ -]?)\d{4}\1\d{4}"),
)
RUN = r"[A-Z0-9](?:[ .-]?[A-Z0-9]){7,}+"
BEFORE = r"(?:(?<![\w/#+-])(?<![0-9]\.)|(?<=\\[nrt]))(?:"
AFTER = r")(?!\w|-\w|\.[0-9])"
COUNTED = (
    r"(?<![a-z])(?:id|order|invoice|tracking|ticket|ref\w*|serial|isbn|ean|gtin|upc|imei|phone|tel|time\w*|seed|hash|"
    r"build|nonce|bytes|size|user|status|message|channel)s?[\W_]*(?:no|nr|number|num|id)?[\W_]*$"
)
ISSUERS = (
    r"4(?:\d{12}|\d{15}|\d{18})|5[1-5]\d{14}|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12}|3[47]\d{13}|"
    r"3(?:0[0-5]|[689]\d)\d{11}|6(?:011|4[4-9]\d|5\d\d)\d{12}|35(?:2[89]|[3-8]\d)\d{12}|62\d{14,17}"
)
WEIGHTS = {"Dutch BSN": ((9, 8, 7, 6, 5, 4, 3, 2, -1), 11), "Polish PESEL": ((1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1), 10)}
IBAN_LENGTHS = "AT20 BE16 CH21 CZ24 DE22 DK18 ES24 FI18 FR27 GB22 GR27 HU28 IE22 IT27 NL18 NO15 PL28 PT25 RO24 SE24"


def find_secrets(text: str) -> list[Finding]:
    """Every secret in the text, in order; those that overlap are one, of the kind of the longer."""
    if MARK in text:  # what is redacted already is neither a secret nor the name of one
        text = _compiled(r"\[redacted: [\w -]{1,40}\]").sub(lambda mark: "\n" * len(mark[0]), text)
    findings: list[Finding] = []
    for one in sorted(_found(text), key=lambda finding: finding.start):
        if findings and one.start < findings[-1].end:
            last = findings.pop()
            kind = one.kind if one.end - one.start > last.end - last.start else last.kind
            one = Finding(kind, last.start, max(last.end, one.end))
        findings.append(one)
    return _with_words_beside(text, findings)


def _with_words_beside(text: str, findings: list[Finding]) -> list[Finding]:
    """Each with up to six words that stand before it, or after it if none stand before."""
    ends = [0, *(one.end for one in findings)]
    starts = [*(one.start for one in findings[1:]), len(text)]
    named = []
    for one, last_end, next_start in zip(findings, ends, starts, strict=False):
        before = _plain_words(text, max(last_end, one.start - WORDS_WITHIN), one.start)
        after = _plain_words(text, one.end, min(next_start, one.end + WORDS_WITHIN))
        secret = text[one.start : one.end].lower()
        words = [word for word in before[-6:] or after[:6] if word.lower() not in secret]
        named.append(one._replace(near=" ".join(words)))
    return named


def _plain_words(text: str, start: int, end: int) -> list[str]:
    """Whole words of letters alone: nothing with a digit or a sign in it, which could be a part of a secret."""
    return [word[0] for word in _compiled(PLAIN_WORD).finditer(text, start, end + 1) if word.end() <= end]


def redact(text: str, lines: bool = False) -> str:
    """The text with the kind of each secret in its place; none remains. With `lines`, these keep their numbers."""
    while findings := find_secrets(text):
        ends = [0, *(one.end for one in findings)]
        marks = [f"{MARK}{one.kind}]" + "\n" * (lines * text.count("\n", one.start, one.end)) for one in findings]
        kept = [text[end : one.start] + mark for end, one, mark in zip(ends, findings, marks, strict=False)]
        text = "".join([*kept, text[ends[-1] :]])
    return text


def _found(text: str) -> Iterator[Finding]:
    lowered = text.replace("İ", "I").lower()  # the only letter that would become two
    long = " ".join([word for word in text.split() if len(word) >= LONG])
    if long:
        yield from _prefixed(text, long)
        yield from _shaped(text, long)
    yield from _worded(text, lowered)
    if any(map(lowered.__contains__, LOOSE_NAMES)) or any(map(lowered.__contains__, STRICT_NAMES)):
        yield from _assigned(text, lowered)
    if _digits(text) >= MANY:
        yield from _numbered(text, lowered)


def _prefixed(text: str, long: str) -> Iterator[Finding]:
    for sign in filter(long.__contains__, PREFIXES):
        kind, body = PREFIXES[sign]
        at = text.find(sign)
        while at >= 0:
            key = _compiled(f"{START}{re.escape(sign)}({body})").match(text, at)
            if key and not _compiled(FAKE).search(key[1]) and (_is_random(key[1]) or _compiled(MIXED).match(key[1])):
                yield Finding(kind, *key.span())
            at = text.find(sign, key.end() if key else at + 1)


def _shaped(text: str, long: str) -> Iterator[Finding]:
    for kind, sign, pattern in SHAPED:
        if sign in long and _compiled(START + pattern).search(long):
            for match in _compiled(START + pattern).finditer(text):
                if kind != "Discord token" or _decoded(match[0].partition(".")[0]).isdigit():
                    yield Finding(kind, *match.span(match.re.groups))


def _worded(text: str, lowered: str) -> Iterator[Finding]:
    for kind, signs, pattern in WORDED:
        if any(map(lowered.__contains__, signs)):
            for match in _compiled(pattern).finditer(lowered):
                if _is_credential(kind, text[slice(*match.span(1))]):
                    yield Finding(kind, *match.span(1))


def _is_credential(kind: str, value: str) -> bool:
    match kind:
        case "private key":
            return not all(map(str.islower, _compiled(r"[A-Za-z0-9+/]{10,}").findall(value)))
        case "bearer token":
            return _is_filled_in(value) and _is_random(value)
        case "basic auth":
            user, _, password = _decoded(value).partition(":")
            return bool(password) and (user + password).isprintable()
    return _is_filled_in(value)


def _decoded(value: str) -> str:
    try:
        return a2b_base64(value + "=" * (-len(value) % 4)).decode("ascii")
    except ValueError:
        return ""


def _assigned(text: str, lowered: str) -> Iterator[Finding]:
    done = 0
    for name in _compiled(NAME).finditer(lowered):
        given = _compiled(VALUE).match(text, name.end()) if name.start() >= done and _is_name(name, text) else None
        if not given or _compiled(DESCRIBED).search(given["rest"]):
            continue
        value = given["quoted"] or given["bare"].removesuffix("**").rstrip(".,:)]}")
        start = given.start(given.lastgroup or 0)
        kind = "secret" if name[0] in STRICT_NAMES else "password"
        if _is_secret(value, given) if kind == "secret" else _is_password(value, text, name, given):
            yield Finding(kind, start, start + len(value))
        elif len(value) < 100:  # a name inside may have a value too; inside a longer one it is not worth the look
            continue
        done = start + len(value)


def _is_name(name: re.Match[str], text: str) -> bool:
    """Not compass, next_token, or the key of a map."""
    before = name.string[max(0, name.start() - 14) : name.start()]
    match name[0]:
        case "key":
            return bool(_compiled(KEY_OF).search(before))
        case "token":
            return not before.rstrip("_-").endswith(("next", "page", "continuation", "csrf", "public", "publickey"))
        case "pass" | "pw":
            return bool(_compiled(WHOLE).match(text, name.start()))
    return True


def _is_secret(value: str, given: re.Match[str]) -> bool:
    enough = 10 if given["operator"][-1:] in FIRM else LONG
    return len(value) >= enough and " " not in value and _is_filled_in(value) and _is_random(value)


def _is_password(value: str, text: str, name: re.Match[str], given: re.Match[str]) -> bool:
    """The less the form says that this is a value, the more the value itself must."""
    firm = given["operator"][-1:] in FIRM or given["operator"] == "=>"
    if value.isdigit():
        return firm and len(value) >= 6 and len(set(value)) > 2 and name[0] != "pass"
    if len(value) < 4 or not _is_filled_in(value):
        return False
    if " " in value:
        words = value.split(" ")
        return firm and 3 <= len(words) <= 8 and all(word.islower() and word not in ORDINARY for word in words)
    strong = len(value) >= 6 and any(map(str.isdigit, value)) and any(map(str.isalpha, value))
    if not given["quoted"] and _compiled(r"[{(\[]|[A-Za-z_][\w.]*[(\[]").match(value):
        return False
    if not firm:
        return strong and not _compiled(TECHNICAL).search(value)
    if given["quoted"]:
        return strong or not _compiled(NAME).search(value)
    return strong or (len(value) >= 6 and _stands_alone(text, name, given, given.start("bare") + len(value)))


def _stands_alone(text: str, name: re.Match[str], given: re.Match[str], end: int) -> bool:
    """NAME=value up to a space, or `name: value` as a whole line; in code the same would name a variable."""
    if text[end : end + 1].strip(";& \t\r\n"):
        return False
    if not text[given.end("rest") : given.start("bare")].strip("=\"'"):
        return True
    line = text[max(0, name.start() - 40) : name.start()].rpartition("\n")[2]
    return ":" in given["operator"] and text[end : end + 1] in "\r\n" and " " not in line.strip(" \t-_\"'")


def _is_filled_in(value: str) -> bool:
    """Neither a placeholder, nor code that fetches the value, nor words about it."""
    if len(set(value)) < 3 or _compiled(PLACEHOLDER).match(value):
        return False
    return any(word.lower() not in ORDINARY for word in _compiled(WORD).findall(value))


def _is_random(value: str) -> bool:
    digits = _digits(value)
    if len(set(value)) < 8 or not (digits or value.isalnum() or not (value.islower() or value.isupper())):
        return False
    if value.isalnum() and digits * 20 >= 3 * len(value):
        return True
    words = _compiled(WORDS).findall(value)
    return sum(map(len, words)) * 20 < 13 * (sum(map(str.isalpha, value)) or 1)


def _numbered(text: str, lowered: str) -> Iterator[Finding]:
    runs = [run.span() for run in _compiled(RUN).finditer(text) if _digits(run[0]) >= MANY]
    for kind, context, pattern in NUMBERS if runs else ():
        words = context.split("|")
        if any(map(lowered.__contains__, words)):
            for start, end in runs:
                for match in _compiled(BEFORE + pattern + AFTER).finditer(text, start, end + 2):
                    before = lowered[max(0, match.start() - 60) : match.start()]
                    near = before + lowered[match.start() : match.end() + 40]
                    counted = not context and _compiled(COUNTED).search(before)
                    if not counted and any(map(near.__contains__, words)) and _is_valid(kind, match[0]):
                        yield Finding(kind, *match.span())


def _is_valid(kind: str, number: str) -> bool:
    """By its check digits; of the kinds that have none here, the form or the word near it says enough."""
    number = re.sub("[ .-]", "", number)
    match kind:
        case "credit card":
            doubled = [int(digit) * (1 + place % 2) for place, digit in enumerate(reversed(number))]
            return bool(_compiled(ISSUERS).fullmatch(number)) and sum(map(int, "".join(map(str, doubled)))) % 10 == 0
        case "IBAN":
            number = number[: int(IBAN_LENGTHS.partition(number[:2])[2][:2] or 34)]
            return int("".join(str(int(sign, 36)) for sign in number[4:] + number[:4])) % 97 == 1
        case "Spanish identity number":
            return "TRWAGMYFPDXBNJZSQVHLCKE"[int(number[:-1].translate({88: "0", 89: "1", 90: "2"})) % 23] == number[-1]
        case "French NIR":
            return (int(number[:13].replace("2A", "19").replace("2B", "18")) + int(number[13:])) % 97 == 0
        case "Dutch BSN" | "Polish PESEL":
            weights, modulus = WEIGHTS[kind]
            return sum(int(digit) * weight for digit, weight in zip(number, weights, strict=True)) % modulus == 0
    return True


def _digits(text: str) -> int:
    plain = text.encode("ascii", "ignore")
    return len(plain) - len(plain.translate(None, b"0123456789"))


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.ASCII)
