"""Keys of services that no list knows: a sign and something random, or a long random run that no word explains."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from scrubjay.text.secret_scan.patterns import Found, compiled, has_any
from scrubjay.text.secret_scan.rules.nearby import describes
from scrubjay.text.secret_scan.rules.prefixes import FAKE, is_inside
from scrubjay.text.secret_scan.services import NO_KEY, SERVICES
from scrubjay.text.secret_scan.values import digits_in, is_digest, is_filled_in, is_hex, is_random, odd_share

__all__ = ["unknown_keys"]

VERY_ODD = 0.4
ODDER = 0.5  # with hardly a digit
LONG = 20  # characters
MANY_DIGITS = 10
APART = r"(?<![\w./\\@#%~+-])"
# A short sign, one or two more parts such as `v1`, then random letters and digits.
SIGNED = (
    rf"{APART}(?P<sign>[A-Za-z][A-Za-z0-9]{{1,9}})(?P<parts>(?:[_.~-][A-Za-z0-9]{{1,8}}){{0,2}}?)(?P<joint>[_.~-])"
    r"(?P<body>[A-Za-z0-9][\w.-]{18,400}[A-Za-z0-9])(?![\w/@(\[]|[.:][A-Za-z0-9])"
)
# With a part that says so: acme_live_…, acme-prod-…
SAID_TO_BE_ONE = (
    rf"{APART}[A-Za-z][A-Za-z0-9]{{1,11}}(?P<joint>[_-])"
    r"(?:live|test|prod|production|sandbox|secret|pat|oat|api|token|sk|sec)(?P=joint)"
    r"(?P<body>[A-Za-z0-9-]{12,100})(?![\w-])"
)
SECRET_SIGNS = frozenset("sk rk sec secret skey token tok apikey".split())  # say by themselves that a key follows
PARTS_OF_KEYS = frozenset("key test prod dev org proj user web main v".split())  # a sign of its own they would not be
# Long hexadecimal digits with a sign of letters at either end, or in parts after a sign: no digest is written so.
SIGNED_HEX = (
    rf"{APART}(?:(?P<capitals>[A-Z][A-Z0-9]{{1,5}}?)[0-9a-f]{{32,128}}[0-9A-F]{{0,16}}(?:::[a-z]{{2,10}}:[0-9a-f]{{16,64}})?|"
    r"(?P<small>[g-z][a-z]{1,5}?)[0-9a-f]{32,128}|[0-9a-f]{32,64}[A-Z]{4,8}|"
    r"(?P<name>[A-Z]{2,10}(?:_[A-Z]{2,10}){0,2})[-:](?:[0-9a-f]{6,20}[-:]){0,3}[0-9a-f]{32,64}(?:[-:][0-9a-f]{6,64})?)"
    r"(?![\w/@-]|[.:][A-Za-z0-9])"
)
NO_WORD = r"(?:[b-df-hj-np-tv-xz]{2,6}|[a-z]{1,4}[0-9])$"  # a sign without a vowel, or with a digit

# As wallets write keys: what it is, 1, and signs of which none looks like another.
WALLET = rf"{APART}[a-z]{{0,8}}(?:sec|sk|prv|priv|xprv|secret)1[02-9ac-hj-np-z]{{38,120}}(?!\w)"
# A run that is longer than any identifier: addresses of wallets and numbers of documents have up to 46 characters.
ALONE = r"(?<![\w+/=.:;!~@#%$\\-])[A-Za-z0-9](?:[\w!.:~-]{46,250}+)={0,2}(?![\w+/%=-])"
AFTER_NAME = r"(?<=[\w\"'][=:])[A-Za-z0-9](?:[\w!.:~-]{46,250}+)={0,2}(?![\w+/%=-])"  # k=…, of an address
# name:secret, where the secret is long and of letters of both sizes and digits
PAIR = r"(?<![\w+/=.:;!~@#%$\\-])(?P<name>[\w.@+-]{2,64}):(?P<value>[A-Za-z0-9][\w+/-]{30,100}={0,2})(?![\w+/:=.-])"
# Characters that each of these patterns has at least.
SHORTEST_SIGNED, SHORTEST_HEX, SHORTEST_PAIR, SHORTEST_ALONE = 18, 32, 34, 47
BEFORE = 60  # characters in which a word may say that this is a digest or an identifier
# At the end of what stands before it: "workspaceId": "…", the workspace ID (for example, …
CALLED_ID = (
    r"(?<!(?i:session)[ _-])(?:(?<![A-Za-z])ids?|Ids?|(?<![A-Z])IDs?|[Ii]dentifiers?)(?![A-Za-z])[\"'`*]{0,2}"
    r"(?:[ ](?:is|are|was|of[ ][\w -]{1,40}))?[\s:=(,]{0,8}(?:(?:for example|e\.g\.|such as)[,:]?\s{0,8})?[\"'`]?$"
)
LINE = 300  # characters in which the line above or below is looked for
RUN = 14  # characters without a joint
FEW_DIGITS = 3
BLOCK_LINE = r"[ \t>|*#]{0,8}[\w+/=-]{40,200}[ \t]{0,3}"  # of a certificate or a picture
DRAWN = frozenset("mlhvcsqtaz")  # the letters of the paths of drawings
# Digests, public keys, certificates, pictures and fonts in base64.
PUBLIC = (
    r"(?:(?i:sha-?[0-9]{1,3}|md5)[-:=]|[xyztn]pub|pk|pub|ssh|AAAA[BCE]|MII|iVBOR|R0lGOD|UklGR|d09GM|G[A-Z2-7]{55}$)"
)


def unknown_keys(text: str, long: str) -> Iterator[Found]:
    longest = max(map(len, long.split(" ")))  # no blank stands in a key
    if longest >= SHORTEST_SIGNED and has_any(long, "_-~."):
        yield from _signed(text)
    if longest >= SHORTEST_HEX and digits_in(long) >= MANY_DIGITS:
        yield from _signed_hex(text)
        yield from (("private key", *key.span()) for key in compiled(WALLET).finditer(text))
    if longest >= SHORTEST_ALONE:
        yield from _alone(text)
    if longest >= SHORTEST_PAIR and ":" in long:
        yield from _pairs(text)


def _signed(text: str) -> Iterator[Found]:
    for key in compiled(SIGNED).finditer(text):
        words = key["sign"].lower(), *re.findall("[a-z]+", key["parts"].lower())
        random = _may_sign_keys(words, key) and _is_random_key(words[0], key["joint"], key["body"])
        if random and not is_inside(text, key.start()) and not _is_called_id(text, key):
            yield "key", *key.span()
    for key in compiled(SAID_TO_BE_ONE).finditer(text):
        if is_digest(key["body"]) or ("-" not in key["body"] and is_random(key["body"])):
            yield "key", *key.span()


def _is_called_id(text: str, key: re.Match[str]) -> bool:
    """The workspace ID is …; but a sign that says by itself that a key follows is right."""
    before = text[max(0, key.start() - BEFORE) : key.start()]
    return key["sign"].lower() not in SECRET_SIGNS and bool(compiled(CALLED_ID).search(before))


def _may_sign_keys(words: Sequence[str], key: re.Match[str]) -> bool:
    if words == ("key",):
        return key["joint"] == "_" and is_digest(key["body"])
    return words[0] not in NO_KEY and (NO_KEY - PARTS_OF_KEYS).isdisjoint(words[1:])


def _is_random_key(sign: str, joint: str, body: str) -> bool:
    """One long run of random signs; a digest after a dash is more often the name of a file than a key."""
    longest = max(re.split("[_.-]", body), key=len)
    if compiled(FAKE).search(body) or len(set(body)) < 8:
        return False
    if is_hex(body) or (is_hex(longest) and len(longest) * 4 >= len(body) * 3):
        return _is_hex_key(sign, joint, longest if is_hex(longest) else body)
    if sign in SECRET_SIGNS and len(longest) >= LONG:
        return is_random(body)
    if len(longest) < 12 or (len(longest) < 16 and (joint == "." or len(body) < 32)):
        return False
    odd, digits = odd_share(body), digits_in(body)
    enough_digits = digits >= 2 or (digits == 1 and odd >= ODDER and len(longest) >= LONG)
    return odd >= VERY_ODD and (enough_digits or len(longest) >= 32)


def _is_hex_key(sign: str, joint: str, digits: str) -> bool:
    """After an underscore, or if the sign is no word; a UUID only after the name of a service."""
    if "-" in digits:
        return len(sign) >= 4 and any(service.startswith(sign) for service in SERVICES)
    if joint in ".-":
        return len(digits) >= 32 and bool(compiled(NO_WORD).match(sign))
    return joint == "~" or len(digits) >= 32


def _signed_hex(text: str) -> Iterator[Found]:
    for key in compiled(SIGNED_HEX).finditer(text):
        sign = (key["capitals"] or key["small"] or key["name"] or "").lower()
        if digits_in(key[0]) >= MANY_DIGITS and NO_KEY.isdisjoint({sign, sign.rstrip("0123456789"), *sign.split("_")}):
            yield "key", *key.span()


def _alone(text: str) -> Iterator[Found]:
    for match in (*compiled(ALONE).finditer(text), *compiled(AFTER_NAME).finditer(text)):
        value = match[0].rstrip(".:!~-_")
        if _is_key(value) and not _is_explained(text, match.start(), match.end()):
            yield "key", match.start(), match.start() + len(value)


def _is_key(value: str) -> bool:
    """Capitals, digits and mostly small letters too, in at least one long run."""
    run = max(re.split("[_.:!~-]", value), key=len)
    if len(run) < RUN or is_hex(run) or digits_in(value) < FEW_DIGITS or compiled(PUBLIC).match(value):
        return False
    if not any(map(str.isupper, run)) or not is_filled_in(value):
        return False
    if {sign.lower() for sign in value if sign.isalpha()} <= DRAWN:
        return False
    return odd_share(value) >= VERY_ODD


def _is_explained(text: str, start: int, end: int) -> bool:
    """A word before it says that it is an identifier or a digest, or it is one line of a longer block."""
    above, _, line = text[max(0, start - LINE) : start].rpartition("\n")
    if describes(line[-BEFORE:]):
        return True
    below = text[end : end + LINE].partition("\n")[2]
    return any(compiled(BLOCK_LINE).fullmatch(one) for one in (above.rpartition("\n")[2], below.partition("\n")[0]))


def _pairs(text: str) -> Iterator[Found]:
    for pair in compiled(PAIR).finditer(text):
        value = pair["value"]
        if any(map(str.islower, value)) and _is_key(value) and not describes(pair["name"]):
            if not _is_explained(text, pair.start(), pair.end()):
                yield "key", *pair.span()
