"""Secrets told on another line than the word for them: in the next turn of a conversation, or in a paragraph alone."""

from __future__ import annotations

import re
from collections.abc import Iterator

from scrubjay.text.secret_scan.languages import ACCOUNT_WORDS, ANSWERING, either
from scrubjay.text.secret_scan.patterns import Found, Signs, compiled
from scrubjay.text.secret_scan.rules.prose import ACCOUNT_SIGNS, VALUE, Noun, NounsFound, value_of
from scrubjay.text.secret_scan.rules.same_line import PARTED
from scrubjay.text.secret_scan.values import is_made_up, is_password_like

__all__ = ["accounts_in_answers", "in_answers"]

# Right below the word, or below a question.
BELOW = (
    r"(?:[ ](?:is|ist|es|est))?(?:[ ](?:below|follows|unten|unterhalb|abajo|ci-dessous|sotto|abaixo))?"
    r"(?:[^\n?]{0,80}\?)?[ ]?[:：]?[*]{0,2}[ ]{0,3}\r?\n\s{0,20}(?:[-*•>][ ]|\w{1,20}: )?"
)
TOLD_BELOW = rf"(?m){BELOW}{VALUE}[ ]?$"
# "[10:43] bob: it's …", or the name and the time on a line of their own
TIME = r"[\[(<]?[0-9]{1,2}[:.][0-9]{2}(?:[:.][0-9]{2})?(?:[ ]?[ap]m)?[\])>]?"
NAME = r"[<*@]{0,2}[^\W0-9_][\w .'-]{0,24}[>*]{0,2}"
TURN = (
    rf"(?:{NAME}[ ]{{1,4}}{TIME}[ ]{{0,3}}\r?\n)?[ \t>]{{0,8}}(?:{TIME}[ ]?[-–]?[ ]?)?(?:{NAME}:[ ]{{1,2}})?"
    rf"(?P<answering>(?:{either(ANSWERING)}[,:!.–-]{{0,2}}[ ]{{1,2}}){{0,3}})"
)
TOLD_IN_ANSWER = rf"(?m)(?P<rest>[^\n]{{0,100}})\r?\n(?:[ \t]{{0,8}}\r?\n)?(?P<turn>{TURN}){VALUE}[ ]?[.!]?[ ]{{0,3}}$"
# In a paragraph of one value, after a sentence that ends.
TOLD_IN_PARAGRAPH = (
    rf"(?m)[^\n]{{0,80}}[.:…][*]{{0,2}}[ ]{{0,3}}\r?\n[ \t]{{0,8}}\r?\n[ \t>`]{{0,12}}{VALUE}[` ]{{0,3}}$"
    r"(?=\s{0,3}\n|\s{0,3}\Z)"
)
# A name and a password alone, below a question for a login.
ACCOUNT_IN_ANSWER = (
    rf"(?im)(?<![a-z]){either(ACCOUNT_WORDS)}(?![a-z])[^\n?]{{0,100}}\?[ ]{{0,3}}\r?\n(?:[ \t]{{0,8}}\r?\n)?{TURN}"
    rf"[\w.@+-]{{2,60}}(?:{PARTED}){VALUE}[ ]?[.!]?[ ]{{0,3}}$"
)


def accounts_in_answers(text: str, signs: Signs) -> Iterator[Found]:
    if "?" not in text or "\n" not in text or signs.isdisjoint(ACCOUNT_SIGNS):
        return
    for pair in compiled(ACCOUNT_IN_ANSWER).finditer(text):
        start, end = pair.span("quoted" if pair["quoted"] else "value")
        value = text[start:end].rstrip(".,:;)]}”“’»")
        if is_password_like(value) and is_made_up(value) and any(map(str.islower, value)):
            yield "password", start, start + len(value)


def in_answers(text: str, lowered: str, nouns: NounsFound) -> Iterator[Found]:
    for noun, words in nouns if "\n" in text else ():
        for word in words:
            yield from _below(text, lowered, noun, word)


def _below(text: str, lowered: str, noun: Noun, word: re.Match[str]) -> Iterator[Found]:
    answer = compiled(TOLD_IN_ANSWER).match(lowered, word.end())
    if answer and _is_answer(answer):
        yield from value_of(text, answer, noun, word)
    for pattern in (TOLD_BELOW, TOLD_IN_PARAGRAPH):
        if match := compiled(pattern).match(lowered, word.end()):
            yield from value_of(text, match, noun, word)


def _is_answer(answer: re.Match[str]) -> bool:
    """After a question, with a time, or beginning as answers do."""
    return bool("?" in answer["rest"] or answer["answering"] or compiled(TIME).search(answer["turn"]))
