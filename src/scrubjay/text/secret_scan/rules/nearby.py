"""A random token is a secret if the words beside it say so: its name, the sentence, or the service it is for."""

from __future__ import annotations

from collections.abc import Iterator

from scrubjay.text.secret_scan.languages import LINKING, STILL, either
from scrubjay.text.secret_scan.patterns import Found, compiled
from scrubjay.text.secret_scan.services import NO_KEY, SERVICES
from scrubjay.text.secret_scan.values import (
    CODE,
    FILE_NAME,
    MORE_ODD,
    ODD_ENOUGH,
    STANDARD,
    digits_in,
    is_artefact,
    is_chain_of_names,
    is_digest,
    is_filled_in,
    is_hex,
    is_in_hex_parts,
    is_random,
    odd_share,
)

__all__ = ["describes", "near_telling_words"]

BEFORE = 110  # characters that are looked at on either side
AFTER = 50
FEW_DIGITS = 3  # in a name of code, as pkcs7.PKCS7Options
FEWEST_DIGITS = 20  # without a word for a key, fewer hexadecimal digits are the number of something
SESSION_CHARACTERS = 40  # shorter ids of sessions name them, and open nothing
TWO_PARTS = r"[\w./-]{7,70}+(?:::?(?:[a-z]{2,10}:)?|\|)[\w-]{20,}+={0,2}"  # name:secret
CANDIDATE = rf"[A-Za-z0-9](?:{TWO_PARTS}|[\w+/~.%!*$^#-]{{14,}}+={{0,2}}(?::[a-z]{{2}})?)"
# Words that say that what follows is secret.
TELLING = frozenset(
    """
    token tokens secret secrets password passwd passphrase pwd pass pw credential credentials cred creds apikey
    apikeys apitoken authtoken accesstoken accesskey secretkey clientsecret bearer auth authorization authentication
    oauth pat jwt login dsn webhook passwort kennwort contraseña clave secreto geheimnis zugangsdaten jeton mdp
    senha segredo psk skey wif xprv mnemonic unseal pepper preshared keymaterial
    """.split()
)
TELLING_WIDE = (
    "密钥",
    "密鑰",
    "密码",
    "密碼",
    "令牌",
    "口令",
    "トークン",
    "キー",
    "秘密",
    "토큰",
    "비밀",
    "키",
    "ключ",
    "токен",
    "секрет",
)
# Words that say so of a value that cannot be a digest.
HALF_TELLING = frozenset(
    """
    key keys api cookie session sid sess signature private license licence access schlüssel geheim zugang llave clé
    cle chiave chave hook hooks salt seed encryption encrypt decrypt unlock connection refresh sas otp totp sso saml
    """.split()
)
# `appid` is what a weather service calls its key.
KEYS = frozenset("key keys appid schlüssel llave clé cle chiave chave sleutel klucz nyckel".split())
TOGETHER = (  # two words that are as telling as one of the former
    "api key", "access key", "secret key", "private key", "client key", "app key", "application key", "auth key",
    "license key", "licence key", "encryption key", "signing key", "account key", "service key", "master key",
    "consumer key", "shared key", "api schlüssel", "clé api", "clave api", "clave de", "chave de", "admin key",
    "write key", "subscription key", "deploy key", "integration key", "server key", "session key", "storage key",
)  # fmt: skip
# Words that say that the value names, counts or checks something.
DESCRIBING = frozenset(
    """
    address algorithm arn blob build bucket cache cert certificate cert checksum chunk class commit cursor digest
    dir directory etag file fingerprint folder guid h1 hash hashed hashes head href id ids image img
    integrity layer link md5 merge migration module name nonce oid package path public publishable pubkey ref
    registry request resolved rev revision sha sha1 sha224 sha256 sha384 sha512 size span sri src subresource tag
    thumbprint trace tree uid uri url usage uuid version x5c rsa cid txid tx hex object index row sort partition
    primary foreign lookup field column idempotency dedup map dict websocket arn jti kid correlation
    """.split()
)
# A key in data or code: a cache key, a primary key.
OF_DATA = frozenset("cache primary foreign sort partition lookup idempotency dedup object".split())
DIGESTS = frozenset(  # anywhere in the sentence
    "sha sha1 sha224 sha256 sha384 sha512 md5 digest checksum integrity hash commit etag public pubkey".split()
)
# Names under which another name's value stands.
NEUTRAL = frozenset("value val content default data text string body".split())
PART = r"[A-Z]{1,60}(?![a-z])|[A-Z]?[a-z\u00df-\u024f]{1,60}+[0-9]{0,3}|[0-9]{1,4}[a-z]{2,60}"
WITH_DIGITS = r"(?<!\w)\w{0,30}[0-9]\w{0,30}[A-Za-z]\w{0,30}[0-9]\w{0,30}"
OPERATOR = r"(?::[ ][&\w\[\]| ]{1,20}[ ]=|[:=]{1,3}>?|->|,|\|\|=?|\||>|\?{1,2}=|//=|[({])"
ATTRIBUTES = r"(?:[ ][\w:-]{1,30}=\"[^\"<>]{0,40}\"){0,3}"
BELOW = r"[ ]{0,3}[|>]?[+-]?\r?\n[ \t]{1,20}(?:[-*•][ ])?"
KEY_NUMBER = r"(?:0x)?(?:[0-9A-F]{16}|[0-9A-F]{40})$"  # of a public key, as GnuPG writes it
GIVEN = (  # at the end of what stands before the token: ` = "`
    rf"(?:{OPERATOR}|(?<=[A-Z0-9]_[A-Z]{{3}})[ ])(?:[ \t]{{0,4}}|{BELOW})"
    r"(?:[@$]|[bfrunel]{1,2}(?=[\"']))?[\"'`(<*]{0,3}(?:(?:bearer|token|basic|key)[ ])?$"
)
NAMED = (  # the same with the name before it: `name = "`
    rf"([A-Za-z\u00c0-\u024f][\w\u00c0-\u024f.$-]{{0,60}})[\"'`\])}}*]{{0,4}}{ATTRIBUTES}[ \t]{{0,6}}{GIVEN}"
)
LINKED = (
    rf"(?i)(?:[:=>(\"'`“„«|—–：＝是为はéè]|(?<!\w){either(LINKING)}(?:[ ]{either(STILL)})?)"
    r"[ \t\"'`“„«(*]{0,4}$"
)
SAID_AFTER = r"(?i)^[\"'`”»)]{0,3}[ ,–—-]{1,4}(?:is|was|as|ist|es|est|\()"
CONSTANT = r"[A-Z][A-Z0-9]{0,11}(?:_[A-Z0-9]{1,11}){1,8}$|(?i:https?%3a)"
DIGEST_MARK = (
    r"(?i)(?<!api)(?<!api_)(?:sha-?[0-9]{0,3}|md5|h1|integrity|digest|checksum|hash)[\"'`]?[ ]?[:=-][ ]?[\"'`]?$"
)
CLAUSE_END = (
    r"[\n{}]|;(?! [a-z])|[.!?] (?=[A-Z])(?!It is|It's|That is|This is|The new one|Your new one|Es ist|Es lautet|C'est)|"
    r"[,&](?=\s{0,3}[\"'`]?[\w.-]{1,40}[\"'`]?[ ]?[:=])"
)


def near_telling_words(text: str, lowered: str) -> Iterator[Found]:
    for match in compiled(CANDIDATE).finditer(text):
        value = match[0].rstrip(".!*%-")
        if _is_token(value) and _is_told(text, match.start(), match.start() + len(value), value):
            yield "secret", match.start(), _end_of_quoted(text, match.start(), match.start() + len(value))


def _end_of_quoted(text: str, start: int, end: int) -> int:
    """A secret in quotes goes up to the closing one, whatever signs are in it."""
    quote = text[start - 1 : start]
    rest = compiled(r"[^\s\"'`]{0,200}").match(text, end)
    return rest.end() if rest and quote in ('"', "'", "`") and text[rest.end() : rest.end() + 1] == quote else end


def _is_token(value: str) -> bool:
    digits = digits_in(value)
    if len(value) < 16 or (not digits and len(value) < 20) or digits == len(value):
        return False
    if not (is_hex(value) or is_in_hex_parts(value)):
        sure = digits * 10 >= len(value) >= 24
        if odd_share(value) < (ODD_ENOUGH if sure else MORE_ODD):
            return False
    if compiled(CONSTANT).match(value) or is_artefact(value) or is_chain_of_names(value) or not is_filled_in(value):
        return False
    if compiled(CODE).match(value) and digits < FEW_DIGITS:
        return False
    if "/" in value and compiled(FILE_NAME).match(value):
        return False
    if compiled(STANDARD).match(value) or value.partition("_")[0] in NO_KEY - {"key"}:
        return False
    parts = [part for part in value.split("/") if len(part) >= 8]
    return value.count("/") < 3 or (bool(parts) and all(map(is_random, parts)))


def _is_told(text: str, start: int, end: int, value: str) -> bool:
    before = text[max(0, start - BEFORE) : start]
    if (
        before.endswith(("/", "@", "#", "\\", "%"))
        or text[end : end + 1] == "("
        or compiled(DIGEST_MARK).search(before)
    ):
        return False
    name = compiled(NAMED).search(before) if compiled(GIVEN).search(before) else None  # GIVEN is quick
    if name and not _words(name[1]) <= NEUTRAL:
        return _is_told_by_name(name[1], before[: name.start()], value)
    clause = before if name else compiled(CLAUSE_END).split(before)[-1]
    if _is_told_by_words(clause, value, linked=bool(compiled(LINKED).search(before))):
        return True
    after = text[end : end + AFTER].partition("\n")[0]
    return bool(compiled(SAID_AFTER).match(after)) and _is_told_by_words(after, value, linked=True)


def _is_told_by_name(name: str, before: str, value: str) -> bool:
    """`name = value`: the name decides; words before it only if it is not the name of something else."""
    words = _words(name)
    if before.endswith("::"):  # "AWS::ApiGateway::ApiKey" is a type
        return False
    if {"session", "id"} <= words and len(value) >= SESSION_CHARACTERS and _is_mixed(value):
        return True
    if words & DESCRIBING:
        return words >= {"api", "hash"}  # Telegram's name for its key
    if words & TELLING or _has_pair(name):
        return True
    if words == {"key"} and _parts(before)[-1:] == ["public"]:
        return False
    if words >= {"signature", "value"} or words >= {"web", "socket"}:
        return False
    if words & KEYS and compiled(KEY_NUMBER).match(value):
        return False
    if words & HALF_TELLING or words & KEYS or _services(words):
        if not words & KEYS and is_hex(value) and len(value) < FEWEST_DIGITS:
            return False
        return not is_digest(value) or bool(words & KEYS) or _services(words)
    asked = before.rstrip("\n").rpartition("\n")[2] if before.endswith("?\n") else ""  # Ann: the token? Bob: …
    clause = compiled(CLAUSE_END).split(before)[-1]
    return _is_told_by_words(f"{asked or clause} {name}", value, linked=True)


def _is_told_by_words(clause: str, value: str, linked: bool) -> bool:
    parts = [part for part in _parts(clause) if part not in LINKING]
    pairs = zip(["", *parts], parts, strict=False)
    parts = [part for before, part in pairs if part not in KEYS or before not in OF_DATA]
    words, last = set(parts), set(parts[-1:])
    if last & DESCRIBING or words & DIGESTS:
        return False
    if compiled(KEY_NUMBER).match(value) and not words & TELLING:
        return False
    linked = linked or bool(last & (TELLING | KEYS | {"api"}))
    wide = any(word in clause for word in TELLING_WIDE)
    if words & TELLING or wide or _has_pair(clause):
        return linked or not is_hex(value)
    if words & HALF_TELLING or words & KEYS or _services(words):
        if not words & KEYS and is_hex(value) and len(value) < FEWEST_DIGITS:
            return False
        return _is_mixed(value) or (linked and (not is_digest(value) or bool(words & KEYS)))
    return False


def describes(clause: str) -> bool:
    """Whether the words before a value say that it names or checks something."""
    parts = _parts(clause)
    if parts[-2:] == ["session", "id"]:
        return False
    return bool(set(parts[-2:]) & DESCRIBING or set(parts) & DIGESTS)


def _is_mixed(value: str) -> bool:
    """Small letters, capitals and digits, or long: neither a digest nor a name."""
    if is_hex(value) or not any(map(str.isdigit, value)):
        return False
    return len(value) >= 24 or (any(map(str.islower, value)) and any(map(str.isupper, value)))


def _words(text: str) -> set[str]:
    return set(_parts(text))


def _has_pair(text: str) -> bool:
    spaced = " ".join(_parts(text))
    return any(pair in spaced for pair in TOGETHER)


def _parts(text: str) -> list[str]:
    """The words of names and sentences in small letters; the letters of other random tokens are no words."""
    parts = [part.lower() for part in compiled(PART).findall(compiled(WITH_DIGITS).sub(" ", text))]
    return [part if part in DESCRIBING else part.rstrip("0123456789") for part in parts]


def _services(words: set[str]) -> bool:
    """Also a name that a service's name begins: datadogapikey."""
    return not SERVICES.isdisjoint(words) or any(
        word[:length] in SERVICES for word in words if len(word) >= 8 for length in range(5, len(word))
    )
