"""Numbers that name a person or an account, known by their form, their check digits and the words near them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from scrubjay.text.secret_scan.patterns import Found, compiled, has_any
from scrubjay.text.secret_scan.values import digits_in

__all__ = ["numbered"]

MANY = 6  # digits: no number below has fewer

# Kind, words of which one must be near, pattern.
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


def numbered(text: str, lowered: str) -> Iterator[Found]:
    if digits_in(text) < MANY:
        return
    runs = [run.span() for run in compiled(RUN).finditer(text) if digits_in(run[0]) >= MANY]
    for kind, context, pattern in NUMBERS if runs else ():
        words = context.split("|")
        if has_any(lowered, words):
            for start, end in runs:
                for match in compiled(BEFORE + pattern + AFTER).finditer(text, start, end + 2):
                    before = lowered[max(0, match.start() - 60) : match.start()]
                    near = before + lowered[match.start() : match.end() + 40]
                    counted = not context and compiled(COUNTED).search(before)
                    if not counted and has_any(near, words) and _is_valid(kind, match[0]):
                        yield kind, *match.span()


def _is_valid(kind: str, number: str) -> bool:
    """By its check digits; of the kinds that have none here, the form or the word near it says enough."""
    number = re.sub("[ .-]", "", number)
    match kind:
        case "credit card":
            doubled = [int(digit) * (1 + place % 2) for place, digit in enumerate(reversed(number))]
            return bool(compiled(ISSUERS).fullmatch(number)) and sum(map(int, "".join(map(str, doubled)))) % 10 == 0
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
