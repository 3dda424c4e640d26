"""How a value looks: random, like a password, like a digest, or like a word, a path or a placeholder."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise

from scrubjay.text.secret_scan.patterns import compiled

__all__ = [
    "FILE_NAME",
    "MORE_ODD",
    "ODD_ENOUGH",
    "SAID_TO_BE_ONE",
    "STANDARD",
    "WORD_DOT_WORD",
    "digits_in",
    "is_artefact",
    "is_chain_of_names",
    "is_digest",
    "is_filled_in",
    "is_hex",
    "is_in_hex_parts",
    "is_made_up",
    "is_mixed_at_random",
    "is_of_four_kinds",
    "is_password_like",
    "is_place",
    "is_random",
    "odd_share",
]

# A letter, and the letters that often follow it in words: these pairs are 96 % of all pairs in English text and code.
COMMON_PAIRS = frozenset(
    row[0] + second
    for row in """
    abcdfgiklmnprstuvxy baeijlorsuy cacehiklmorstuy dadeilorsuy eabcdefgilmnopqrstvwxy faefilortu gaehilnorstu
    haeilortu iabcdefglmnoprstvxz jeaosu kaeis ladefilopstuy mabeilmopsuy nacdefgiklnopstuvy oabcdfgijklmnoprstuvw
    paehiloprstuy qu racdegiklmnorstuvy sacehiklmopstuwy tacehilmoprstuwy uabcdegilmnprst vaeio waehinor xiptea yopst
    zeaio
    """.split()
    for second in row[1:]
)
ODD_ENOUGH = 0.3  # random letters and digits have 0.4 to 0.7, names of variables up to 0.25
MORE_ODD = 0.38  # for what is short, has hardly a digit or is written like a name: it could name a function
LOOKED_AT = 200  # characters of a value: a longer one is as random as its beginning

# Said of secrets by those who describe them, or put where a secret would stand.
ORDINARY = frozenset(
    """
    a abc access account admin an api apikey app arg args auth aws bar based basic baz bcrypt bearer change changeit
    changeme char check client code config configuration confirm confirmation credential credentials current data
    database db default demo disabled dummy email empty enabled encoded encrypted enter env environ environment
    erforderlich error example fail failed fake false field file fixme foo for forgot forgotten form format generate
    generated get getenv guest hash hashed header here hidden host id in incorrect input insert invalid is it key
    keys length letmein list localhost login manager masked method missing must my mysql name new next nil no none
    not null number oauth object obligatoria obligatorio of old optional or os page pass passcode passphrase passw
    passwd password passwords passwort path placeholder plain policy postgres postgresql private prod production
    prompt provided public put pwd qux random raw read redacted redis refresh replace request require required
    requis reset root sample secret secrets self server service session set settings sha shared some something store
    stored str string temp template test text the this to todo token tokens true type unchanged undefined unknown
    unset update url use used user username users using valid value values var variable variables vault with wrong x
    xxx yes you your
    """.split()
)
PLACEHOLDER = (
    r"(?i)^(?:\$?\{.*\}|\$\(.*|<.*|\[.*\]|\([\w ]*\)?|%\(?[a-z_]+\)?[%sd]?|@\w+@|:\w+|&\w+|\?|"
    r"(?-i:\$[A-Z0-9_]+|\$[a-z_]+)|"
    r"(?-i:~?\.{0,2}/?(?:[a-z_.-]+/)+[a-z0-9_.-]*)|/(?:users|home|usr|var|etc|opt|tmp|root|srv|mnt|private|library|run|data)/.*|"
    r"(?:[A-Za-z_.:$]|->)+\d?[(\[](?:.*[)\]])?|"
    r"(?:process|os|self|this|config|settings|env|secrets|vars|args|options|data|request)[.:\[].*|"
    r".*(?:\.\.\.|…|\*\*\*|(?-i:xxxx|XXXX)|\{\{|\$\{).*|"
    r"https?:.*|0x[0-9a-f]{40}|(?:0x)?%[0-9]{1,4}[a-z]:?|v?\d+(?:\.\d+)+|[\d.:/-]+)$"
)
REGULAR_EXPRESSION = r"\(\?[:=!<]|\[\^?[aA0]-[zZ9]|\\[dDwWsS][+*{)\]]"
# Of algorithms, protocols, standards and keys of a keyboard: PBKDF2WithHmacSHA512, WPA3-SAE, 802.11ax, SP800-63B
STANDARD = (
    r"(?i)^(?:(?:pbkdf|hmac|sha|md|aes|des|rsa|dsa|ecdsa|eddsa|ecdhe|ecdh|dhe|gcm|cbc|ctr|pkcs|padding|with|and|mgf|oaep|pss|hkdf|"
    r"argon|bcrypt|scrypt|mkpasswd|grub|wpa|wep|psk|sae|peap|eap|tls|ssl|mschap|ttls|totp|hotp|jwt|jwe|jws|oauth|oidc|saml|"
    r"nist|sp|rfc|iso|iec|fips|ieee|802)(?:i?d|v)?[0-9.]{0,6}[a-z]{0,2}[-_/+]?(?:[0-9]{1,3}[a-z]?$)?){1,8}$|"
    r"^(?:ctrl|strg|alt|shift|cmd|meta|super)[+-]|^fritz!"
)
TECHNICAL = (  # a letter and a digit, and yet no password: SHA-256, base64-encoded, OAuth2, 12-character
    r"(?i)^(?:ssh-)?ed25519|^(?:sha|md|base|utf|argon|bcrypt|scrypt|pbkdf|aes|rsa|oauth|auth|http|ipv|python|py|rfc|iso|pkcs#?|web|win|log)-?"
    r"[0-9]{1,4}(?:$|[-_/:.,)]|[a-z]{1,10}$)|^[xvks]-?[0-9]{1,4}$|^[0-9]{1,4}(?:\.[0-9]{1,4})?-?(?-i:[a-z]{1,12})$|"
    r"@[\^~v]?[0-9]{1,4}\.|^#[0-9a-f]{3,8}$|^0x[0-9a-f]{1,8}$|^cve-[0-9]{4}-|[a-z_]::[a-z{]|^[0-9.]{1,6}(?:[kmg]?hz|[kmg]bit)(?:/|$)|"
    r"^[a-z][a-z0-9_.-]{1,60}:v?[0-9]{1,5}(?:\.[0-9]{1,5}){0,3}(?:-[a-z]{2,20}[0-9.]{0,8})?$"  # postgres:16-alpine
)
FILE_NAME = (  # and a place in a file: guard.go:390-401
    r"(?i)^[\w./~@+-]{1,120}\.(?:[ch]|cc|cpp|cs|css|csv|db|go|html?|ini|java|jpe?g|jsx?|json|key|lock|log|md|pdf|pem|php|"
    r"pl|png|pub|py|rb|rs|rst|sh|sql|sqlite|svg|tar|tf|toml|tsx?|txt|vue|xml|ya?ml|zip|"
    r"7z|avro|bak|bz2|docx?|gif|gz|iso|jar|jsonl|mp[34]|orc|parquet|tgz|tsv|webp|whl|xlsx?|xz)(?::[0-9:-]{1,12})?$"
)
WORD = r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]{2,}"
HEXADECIMAL = (
    r"(?i)(?:(?:[a-z]{2,5}-|[a-z]{2,9}_)?[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}(?::[a-z]{1,4})?|"
    r"(?:0x)?[0-9a-f]{16,256})$"
)
DIGEST_LENGTHS = (32, 36, 40, 56, 64, 96, 128)
CALL = r"[A-Za-z_]\w{0,60}[(\[]|[)\]]$"
CODE = (  # os.path2, name=1, some_name_2 of words about secrets, 0042_of_a_migration
    r"[A-Za-z_]\w{0,60}(?:\.[A-Za-z_]\w{1,60}){1,8}$|[a-z_]{1,40}=|_?[a-z]{1,30}[0-9]{0,3}(?:_[a-z]{1,30}[0-9]{0,3}){1,8}$|"
    r"[0-9]{3,14}(?:_[a-z]{1,30}){2,8}$|[A-Z]{1,20}[0-9]{0,3}(?:_[A-Z]{1,20}[0-9]{0,3}){1,8}$"
)
WORD_DOT_WORD = (  # kestrel.Heron9 and Kestrel.Heron99, which people make up
    r"(?:[^\W\d_A-Z]{3,14}\.[A-Z][^\W\d_A-Z]{2,14}[0-9]{1,4}|[A-Z][^\W\d_A-Z]{2,13}\.[A-Z][^\W\d_A-Z]{2,14}[0-9]{2,4})$"
)
ARTEFACT = r"[A-Za-z][A-Za-z0-9.]{0,30}(?:-[A-Za-z0-9.]{1,30}){1,5}-[0-9a-f]{32,64}$"  # name-linux-digest
# name-digest-suffix, as Kubernetes names pods, with its own letters
POD = r"[a-z][a-z0-9]{0,30}(?:-[a-z0-9]{1,30}){0,5}-[b-df-hj-np-tv-xz2456789]{8,10}-[b-df-hj-np-tv-xz2456789]{5}$"
# PI3K-Akt-mTORC1-S6K1/2: names of genes, proteins, parts, each of letters with a number in or after them
CHAIN = (
    r"[A-Za-z]{1,9}[0-9]{0,3}[A-Za-z]{0,3}[0-9]?(?:[-/](?:[A-Za-z]{1,9}[0-9]{0,3}[A-Za-z]{0,3}[0-9]?|[0-9]{1,2})){3,9}$"
)
SAID_TO_BE_ONE = r"(?i)[_-](?:live|test|prod|production|sandbox|secret|dev|staging)[_-]"  # a key says which it is
HEX_PARTS = (  # a key in parts, as name:secret or user-number-secret: hexadecimal or digits alone
    r"(?i)(?:[a-z][a-z0-9]{0,11}[_-]){0,2}(?:[0-9a-f]{6,128}(?:::?(?:[a-z]{2,10}:)?|[-_.|/])){1,5}[0-9a-f]{6,128}$"
)
WORDS_IN_ONE = r"(?:[A-Z][a-z]{2,13}){3,9}$|[a-z]{3,14}(?:\+[a-z]{3,14}){2,9}$"  # LikeThis, or like+this+too
ALPHABET = r"(?i)abcdefghij|klmnopqrst"
CODE_SIGN = r"[(){}\[\]:=]"
ADDRESS = (  # ann@example.org, with or without a port and a path, or with a scheme before it
    r"(?i)[\w.+-]{1,64}@(?:[\w-]{1,60}\.){1,6}[a-z]{2,20}(?::[0-9]{1,5})?(?:/|$)|[a-z][a-z0-9+.-]{1,12}://"
)
CHOSEN_SIGN = (
    r"[A-Za-z0-9]![A-Za-z0-9]|(?=[^0-9]{0,60}[0-9])[A-Za-z0-9]{2}[#$%^&~][A-Za-z0-9]{2}"  # neither anchor nor escape
)
STRONG_SIGN = r"[!@#$%^*+?~]|[A-Za-z]&[A-Z]"
# Office365, web-01, Server2019, SHOP-4821
NAME_WITH_NUMBER = r"[A-Z]?[a-z]{2,20}-?(?:[0-9]{1,3}|(?:19|20)[0-9]{2})$|[A-Z]{2,10}-?[0-9]{1,8}$"
VERSIONED = r"[A-Z][A-Za-z]{1,40}V[0-9]"  # SigV4Auth
MADE_UP = 8  # characters: a shorter value needs a linking word
SIGNS_OF_PASSWORDS = frozenset("!#$%^*&~")
MIXED_CHARACTERS = 10
TURNS = 3  # from a small letter to a capital: PostgreSQL has one
SHORTEST_PART = 5  # characters of a part of a path that may be one of a password
ODD_PART = 0.25  # of them
SIGN_INSIDE = r"[A-Za-z0-9][!@#$%^&*+?~]{1,4}[A-Za-z0-9]"


def is_filled_in(value: str) -> bool:
    """Neither a placeholder, nor code that fetches the value, nor words about it."""
    if len(set(value)) < 3 or compiled(PLACEHOLDER).match(value) or compiled(ALPHABET).search(value):
        return False
    if ("(" in value or "[" in value or "\\" in value) and compiled(REGULAR_EXPRESSION).search(value):
        return False
    return any(word.lower() not in ORDINARY for word in compiled(WORD).findall(value))


def odd_share(value: str) -> float:
    """How many of the neighbours in it would not stand side by side in words: 0 for words, 0.5 for noise."""
    value = value[:LOOKED_AT]
    odd = sum(map(_is_odd, value, value[1:]))
    return odd / (len(value) - 1) if len(value) > 1 else 0.0


@lru_cache(maxsize=2**14)  # pairs of letters and digits of ASCII, and more
def _is_odd(first: str, second: str) -> bool:
    if first.isalpha() and second.isalpha():
        if not (first.isascii() and second.isascii()):
            return False
        if first.isupper() == second.isupper():
            return (first + second).lower() not in COMMON_PAIRS
        return second.isupper()  # the other way round is how a word begins
    return first.isalnum() and second.isalnum() and first.isdigit() != second.isdigit()


def is_random(value: str) -> bool:
    return len(set(value)) >= 8 and odd_share(value) >= ODD_ENOUGH


def digits_in(text: str) -> int:
    plain = text.encode("ascii", "ignore")
    return len(plain) - len(plain.translate(None, b"0123456789"))


def is_hex(value: str) -> bool:
    """As a digest is written: hexadecimal, with letters and digits, or a UUID."""
    return len(value) >= 16 and bool(compiled(HEXADECIMAL).match(value)) and not value.isdigit() and not value.isalpha()


def is_digest(value: str) -> bool:
    """Of a length that digests have, or a UUID."""
    return is_hex(value) and len(value) in DIGEST_LENGTHS


def is_in_hex_parts(value: str) -> bool:
    """Several runs of hexadecimal digits that are joined, long enough for a key."""
    return len(value) >= 24 and digits_in(value) >= 8 and bool(compiled(HEX_PARTS).match(value))


def is_artefact(value: str) -> bool:
    """name-linux-digest, or a pod; but a part such as `live` says that it is a key."""
    named = compiled(ARTEFACT).match(value) or compiled(POD).match(value)
    return bool(named) and not compiled(SAID_TO_BE_ONE).search(value)


def is_chain_of_names(value: str) -> bool:
    """Four short names or more; groups that are all of one length are a code."""
    return bool(compiled(CHAIN).match(value)) and len(set(map(len, re.split("[-/]", value)))) > 1


def is_password_like(value: str) -> bool:
    """Letters with digits or signs among them, and neither a technical word, a file, an address nor a name."""
    if not 6 <= len(value) <= 100 or " " in value or not is_filled_in(value):
        return False
    if compiled(FILE_NAME).match(value) or is_artefact(value):
        return False
    is_code = compiled(CODE).match(value) and not compiled(WORD_DOT_WORD).match(value)
    if is_code and (odd_share(value) < MORE_ODD or digits_in(value) < 3):
        return False
    if any(compiled(pattern).search(value) for pattern in (TECHNICAL, STANDARD, CALL)):
        return False
    if is_place(value):
        return False
    if not any(map(str.isdigit, value)) and not compiled(SIGN_INSIDE).search(value):
        return is_mixed_at_random(value)
    return any(map(str.isalpha, value))


def is_mixed_at_random(value: str) -> bool:
    """Small letters and capitals, perhaps digits, that take turns and make no words."""
    if len(value) < MIXED_CHARACTERS or not value.isascii() or odd_share(value) < MORE_ODD:
        return False
    turns = sum(first.islower() and second.isupper() for first, second in pairwise(value))
    return turns >= TURNS or (
        digits_in(value) >= TURNS and any(map(str.islower, value)) and any(map(str.isupper, value))
    )


def is_place(value: str) -> bool:
    """A path, an address or names: each part is a word, a name or a number. A password with a slash has others."""
    if compiled(ADDRESS).match(value):
        return True
    return "/" in value and (is_chain_of_names(value) or not any(map(_is_chosen, value.split("/"))))


def _is_chosen(part: str) -> bool:
    """A part of a password: with a sign inside, or of small letters, capitals and digits that make no word."""
    if compiled(CHOSEN_SIGN).search(part):
        return True
    kinds = (str.islower, str.isupper, str.isdigit)
    return (
        len(part) >= SHORTEST_PART
        and all(any(map(kind, part)) for kind in kinds)
        and odd_share(part) >= ODD_PART
        and not compiled(TECHNICAL).search(part)
    )


def is_made_up(value: str) -> bool:
    """Nobody writes it but as a password: neither a name with a number, nor a version, nor code."""
    if len(value) < MADE_UP or not value.isascii() or compiled(CODE_SIGN).search(value) or is_place(value):
        return False
    if compiled(NAME_WITH_NUMBER).match(value) or compiled(VERSIONED).search(value):
        return False
    digits = digits_in(value)
    mixed = any(map(str.islower, value)) and any(map(str.isupper, value)) and digits >= 2
    return (
        mixed
        or digits >= 4
        or bool(compiled(STRONG_SIGN).search(value[:-1]))
        or odd_share(value) >= ODD_ENOUGH
        or is_hex(value)
    )


def is_of_four_kinds(value: str) -> bool:
    """Capital and small letters, digits and a sign, as rules for passwords ask for, and neither a name nor code."""
    kinds = (str.isupper, str.islower, str.isdigit, SIGNS_OF_PASSWORDS.__contains__)
    if not MADE_UP <= len(value) <= 64 or not value.isascii() or not all(any(map(kind, value)) for kind in kinds):
        return False
    return is_filled_in(value) and not compiled(CODE_SIGN).search(value) and not is_place(value)
