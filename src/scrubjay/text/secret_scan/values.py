"""How a value looks: random, like a password, like a digest, or like a word, a path or a placeholder."""

from __future__ import annotations

from scrubjay.text.secret_scan.patterns import compiled

__all__ = ["ARTEFACT", "digits_in", "is_digest", "is_filled_in", "is_hex", "is_password_like", "is_random", "odd_share"]

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
    r"(?-i:\$[A-Z0-9_]+|\$[a-z_]+)|(?-i:~?\.{0,2}/?(?:[a-z_.-]+/)+[a-z0-9_.-]*)|(?:[A-Za-z_.:$]|->)+\d?[(\[](?:.*[)\]])?|"
    r"(?:process|os|self|this|config|settings|env|secrets|vars|args|options|data|request)[.:\[].*|.*(?:\.\.\.|…|\*\*\*|xxxx|\{\{|\$\{).*|"
    r"https?:.*|v?\d+(?:\.\d+)+|[\d.:/-]+)$"
)
TECHNICAL = (  # a letter and a digit, and yet no password: SHA-256, base64-encoded, OAuth2, 12-character
    r"(?i)^(?:sha|md|base|utf|argon|scrypt|pbkdf|aes|rsa|oauth|auth|http|ipv|python|py|rfc|iso|pkcs#?|web|win|log)-?"
    r"[0-9]{1,4}(?:$|[-_/:.,)]|[a-z]{1,10}$)|^[xvks]-?[0-9]{1,4}$|^[0-9]{1,4}-?(?-i:[a-z]{1,12})$|/|"
    r"@[\w-]{1,60}\.[a-z]|@[\^~v]?[0-9]{1,4}\."
)
FILE_NAME = (  # and a place in a file: guard.go:390-401
    r"(?i)^[\w./~@+-]{1,120}\.(?:[ch]|cc|cpp|cs|css|csv|db|go|html?|ini|java|jpe?g|jsx?|json|key|lock|log|md|pdf|pem|php|"
    r"pl|png|pub|py|rb|rs|rst|sh|sql|sqlite|svg|tar|tf|toml|tsx?|txt|vue|xml|ya?ml|zip)(?::[0-9:-]{1,12})?$"
)
WORD = r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]{2,}"
HEXADECIMAL = r"(?i)(?:(?:[a-z]{2,5}-)?[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|(?:0x)?[0-9a-f]{16,256})$"
DIGEST_LENGTHS = (32, 36, 40, 56, 64, 96, 128)
CALL = r"[A-Za-z_]\w{0,60}[(\[]|[)\]]$"
CODE = (  # os.path2, name=1, some_name_2 of words about secrets
    r"[A-Za-z_]\w{0,60}(?:\.[A-Za-z_]\w{1,60}){1,8}$|[a-z_]{2,40}=|_?[a-z]{1,30}[0-9]{0,3}(?:_[a-z]{1,30}[0-9]{0,3}){1,8}$"
)
ARTEFACT = r"[A-Za-z][A-Za-z0-9.]{0,30}(?:-[A-Za-z0-9.]{1,30}){1,5}-[0-9a-f]{32,64}$"  # name-linux-digest
ALPHABET = r"(?i)abcdefghij|klmnopqrst"
SIGN_INSIDE = r"[A-Za-z0-9][!@#$%^&*+?~]{1,4}[A-Za-z0-9]"


def is_filled_in(value: str) -> bool:
    """Neither a placeholder, nor code that fetches the value, nor words about it."""
    if len(set(value)) < 3 or compiled(PLACEHOLDER).match(value) or compiled(ALPHABET).search(value):
        return False
    return any(word.lower() not in ORDINARY for word in compiled(WORD).findall(value))


def odd_share(value: str) -> float:
    """How many of the neighbours in it would not stand side by side in words: 0 for words, 0.5 for noise."""
    value = value[:LOOKED_AT]
    odd = sum(map(_is_odd, value, value[1:]))
    return odd / (len(value) - 1) if len(value) > 1 else 0.0


def _is_odd(first: str, second: str) -> bool:
    if first.isalpha() and second.isalpha():
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


def is_password_like(value: str) -> bool:
    """Letters with digits or signs among them, and neither a technical word, a file, an address nor a name."""
    if not 6 <= len(value) <= 100 or " " in value or not is_filled_in(value):
        return False
    if any(compiled(pattern).match(value) for pattern in (FILE_NAME, CODE, ARTEFACT)):
        return False
    if any(compiled(pattern).search(value) for pattern in (TECHNICAL, CALL)):
        return False
    return any(map(str.isalpha, value)) and bool(any(map(str.isdigit, value)) or compiled(SIGN_INSIDE).search(value))
