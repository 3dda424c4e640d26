"""Finds every secret of a text by all the rules, names the words beside it, and puts its kind in its place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count, groupby
from typing import NamedTuple

from scrubjay.text.secret_scan.access import told_by_access
from scrubjay.text.secret_scan.patterns import Found, Signs, compiled, has_any
from scrubjay.text.secret_scan.plain_form import plain_form
from scrubjay.text.secret_scan.rules.assignments import CODE_NAME_SIGNS, NAME_SIGNS, assigned
from scrubjay.text.secret_scan.rules.beside import beside_nouns
from scrubjay.text.secret_scan.rules.commands import COMMAND_SIGNS, in_commands
from scrubjay.text.secret_scan.rules.files import HEAD_SIGNS, in_files
from scrubjay.text.secret_scan.rules.headers import HEADER_SIGNS, in_headers
from scrubjay.text.secret_scan.rules.nearby import near_telling_words
from scrubjay.text.secret_scan.rules.numbers import numbered
from scrubjay.text.secret_scan.rules.prefixes import prefixed
from scrubjay.text.secret_scan.rules.prose import PROSE_SIGNS, nouns_in, told
from scrubjay.text.secret_scan.rules.shapes import shaped
from scrubjay.text.secret_scan.rules.unknown_keys import unknown_keys
from scrubjay.text.secret_scan.wrapped_lines import joined_lines

__all__ = ["SHORT_CHARACTERS", "Finding", "find_secrets", "redact"]

MARK = "[redacted: "
LONG = 15  # characters: no key is shorter, few ordinary words are as long
WORDS_WITHIN = 90  # characters: farther words are not beside a secret
# Names of things in a cloud, values that are encrypted already, digests, and the keys and accounts that examples have:
# no secrets, whatever stands beside them.
PUBLIC = (
    r"arn:aws[a-z-]{0,12}:[a-z0-9-]{2,30}:[\w:/.*-]{2,250}+|\bENC\[[A-Z0-9_]{3,20},[^\]\s]{1,4000}\]|"
    r"\bsha(?:1|224|256|384|512)[-:=](?:[0-9a-f]{40,128}|[A-Za-z0-9+/_-]{27,86}={0,2})(?![\w+/-])|"
    r"\bgAAAAA[A-D][\w-]{91,}+={0,2}|"  # Fernet's version and time, then at least 64 bytes
    r"\bA[KS]IA[A-Z0-9]{9}EXAMPLE(?!\w)|(?<![\w/+])[\w/+]{30}EXAMPLEKEY(?!\w)|"  # as Amazon writes keys that are none
    r"\bscott[:/]tiger@|\buser[\"']?[:=][ ]?[\"']scott[\"'],\s{1,40}[\"']?password[\"']?[:=][ ]?[\"']tiger(?=[\"'])"
)
PUBLIC_SIGNS = ("arn:aws", "ENC[", "sha", "gAAAAA", "EXAMPLE", "scott")
SIGNS = HEADER_SIGNS.union(COMMAND_SIGNS, HEAD_SIGNS, NAME_SIGNS, CODE_NAME_SIGNS, PROSE_SIGNS)
SHORT_SIGNS = [sign for sign in SIGNS if len(sign) < 3]
BY_BEGINNING = {beginning: list(signs) for beginning, signs in groupby(sorted(SIGNS), lambda sign: tuple(sign[:3]))}
BEGINNINGS = frozenset(BY_BEGINNING)
EXACT_PASSES = 3
BEFORE_CHARACTERS = 400  # of what is said before a text
SHORT_CHARACTERS = 200  # of an answer or of a text under its title: a longer one tells itself what it is about
FIRST_REACH = 2_000  # characters that are removed after a secret that only a later pass found
REACH_GROWS = 32  # times, with each further pass
PLAIN_WORD = r"(?<![\w@./+-])[A-Za-z_\u00c0-\uffff]{2,30}+(?![\w@/+-])"


class Finding(NamedTuple):
    """Where a secret stands, of what kind it is and which words stand beside it; never the secret itself."""

    kind: str
    start: int
    end: int
    near: str = ""


def find_secrets(text: str, before: Sequence[str] = ()) -> list[Finding]:
    """Every secret in the text, in order; those that overlap are one, of the kind of the longer.

    Each text `before` it (its title, the question that it answers) may tell that a short text is a secret.
    """
    told = [found for said in before for found in _told_before(text, said)] if len(text) <= SHORT_CHARACTERS else []
    text = _without_public(text)
    findings: list[Finding] = []
    for kind, start, end in sorted((*told, *_found(text)), key=lambda found: found[1]):
        if findings and start < findings[-1].end:
            last = findings.pop()
            kind = kind if end - start > last.end - last.start else last.kind
            start, end = last.start, max(last.end, end)
        findings.append(Finding(kind, start, end))
    return _with_words_beside(text, findings) if findings else []


def _told_before(text: str, before: str) -> Iterator[Found]:
    """What is found in a text only because of what is said before it."""
    before = before[-BEFORE_CHARACTERS:]
    if not _signs_in(_lowered(before)):
        return
    start = len(before) + 1
    for found in _found(_without_public(f"{before}\n{text}")):
        if found[1] >= start:
            yield found[0], found[1] - start, found[2] - start


def _without_public(text: str) -> str:
    """The text with placeholders of the same length for what is redacted already, and for what is no secret."""
    if MARK in text:  # what is redacted already is neither a secret nor the name of one
        text = compiled(r"\[redacted: [\w -]{1,40}\]").sub(lambda mark: "\n" * len(mark[0]), text)
    if has_any(text, PUBLIC_SIGNS):
        text = compiled(PUBLIC).sub(lambda part: "x" * len(part[0]), text)
    return text


def redact(text: str, lines: bool = False, before: Sequence[str] = ()) -> str:
    """The text with the kind of each secret in its place; none remains. With `lines`, these keep their numbers.

    What stands beside a secret may look like one once that is gone. Where this goes on and on, more and more is left
    out at once: the time would otherwise grow with the square of the length.
    """
    reach = 0
    for number in count(1):
        findings = find_secrets(text, before)
        if not findings:
            break
        text = _without(text, [one._replace(end=min(one.end + reach, len(text))) for one in findings], lines)
        reach = reach * REACH_GROWS if reach else FIRST_REACH if number >= EXACT_PASSES else 0
    return text


def _without(text: str, findings: list[Finding], lines: bool) -> str:
    kept, place = [], 0
    for one in findings:
        if one.end <= place:
            continue
        start = max(one.start, place)
        kept += [text[place:start], f"{MARK}{one.kind}]", "\n" * (lines * text.count("\n", start, one.end))]
        place = one.end
    return "".join([*kept, text[place:]])


def _found(text: str) -> Iterator[Found]:
    """In the text as it is written, in what a reader sees of it, and across the ends of lines that break a token."""
    yield from _found_by_rules(text)
    if plain := plain_form(text):
        for kind, start, end in _found_by_rules(plain.text):
            yield kind, *plain.span(start, end)
    if joined := joined_lines(text):
        for kind, start, end in _found_by_rules(joined.text):
            if joined.is_across(start, end):
                yield kind, *joined.span(start, end)


def _found_by_rules(text: str) -> Iterator[Found]:
    lowered = _lowered(text)
    long = " ".join([word for word in text.split() if len(word) >= LONG])
    if long:
        yield from prefixed(text, long)
        yield from shaped(text, long)
        yield from near_telling_words(text, lowered)
        yield from unknown_keys(text, long)
    if signs := _signs_in(lowered):
        yield from _found_by_signs(text, lowered, signs)
    else:
        yield from in_files(text, lowered, signs)
    yield from numbered(text, lowered)
    yield from told_by_access(text, lowered)


def _lowered(text: str) -> str:
    return text.replace("İ", "I").lower()  # the only letter that would become two


def _found_by_signs(text: str, lowered: str, signs: Signs) -> Iterator[Found]:
    """By the rules that find nothing without a sign; and by `in_files`, which may."""
    yield from in_headers(text, lowered, signs)
    yield from in_commands(text, lowered, signs)
    yield from in_files(text, lowered, signs)
    yield from assigned(text, lowered, signs)
    nouns = nouns_in(lowered, signs)
    yield from told(text, lowered, signs, nouns)
    if nouns:
        yield from beside_nouns(text, lowered, nouns)


def _signs_in(lowered: str) -> Signs:
    """Which signs of all the rules stand in the text; each is looked for only if its first three letters do."""
    beginnings = BEGINNINGS.intersection(zip(lowered, lowered[1:], lowered[2:], strict=False))
    candidates = [*SHORT_SIGNS, *(sign for beginning in beginnings for sign in BY_BEGINNING[beginning])]
    return frozenset([sign for sign in candidates if sign in lowered])


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
    return [word[0] for word in compiled(PLAIN_WORD).finditer(text, start, end + 1) if word.end() <= end]
