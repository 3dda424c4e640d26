"""Long random runs that no word explains: nothing but a key is written like that on its own."""

from __future__ import annotations

import re
from collections.abc import Iterator

from scrubjay.text.secret_scan.patterns import Found, compiled
from scrubjay.text.secret_scan.rules.nearby import describes
from scrubjay.text.secret_scan.values import digits_in, is_filled_in, is_hex, odd_share

__all__ = ["standing_alone"]

BEFORE = 60  # characters in which a word may say that this is a digest or an identifier
LINE = 300  # characters in which the line above or below is looked for
# At least as long as no identifier is: addresses of wallets, file and document numbers have up to 46 characters.
CANDIDATE = r"(?<![\w+/=.:;!~@#%$\\-])[A-Za-z0-9](?:[\w!.:~-]{46,250}+)={0,2}(?![\w+/%=-])"
AFTER_NAME = r"(?<=[\w\"'][=:])[A-Za-z0-9](?:[\w!.:~-]{46,250}+)={0,2}(?![\w+/%=-])"  # k=…, of an address
VERY_ODD = 0.4
RUN = 14  # characters without a joint
FEW_DIGITS = 3
BLOCK_LINE = r"[ \t>|*#]{0,8}[\w+/=-]{40,200}[ \t]{0,3}"  # of a certificate or a picture
DRAWN = frozenset("mlhvcsqtaz")  # the letters of the paths of drawings
# Digests, public keys, certificates, pictures and fonts in base64.
PUBLIC = (
    r"(?:(?i:sha-?[0-9]{1,3}|md5)[-:=]|[xyztn]pub|pk|pub|ssh|AAAA[BCE]|MII|iVBOR|R0lGOD|UklGR|d09GM|G[A-Z2-7]{55}$)"
)


def standing_alone(text: str) -> Iterator[Found]:
    for match in (*compiled(CANDIDATE).finditer(text), *compiled(AFTER_NAME).finditer(text)):
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
