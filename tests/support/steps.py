"""Regular expressions matched by a plain backtracking matcher that counts its steps.

Python's own matcher works the same way but cannot say how often it tried. Counting is exact on every machine, where
measuring time is not.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from re import _constants as sre  # type: ignore[attr-defined, unused-ignore]
from re import _parser  # type: ignore[attr-defined, unused-ignore]
from typing import Any

__all__ = ["steps_to_find_all"]

Groups = dict[int, tuple[int, int]]
Rest = Callable[[int, Groups], int]  # what follows: the end of the match, or FAILED
FAILED = -1


def steps_to_find_all(pattern: re.Pattern[str], text: str) -> int:
    """How many steps it takes to find every match in a text, one after another."""
    matcher = Matcher(pattern, text)
    place = 0
    while place <= len(text):
        end = matcher.match_at(place)
        place = max(end, place + 1)
    return matcher.steps


class Matcher:
    """Tries a pattern at a place, alternatives in their order, and counts what it tries."""

    def __init__(self, pattern: re.Pattern[str], text: str) -> None:
        self.steps = 0
        self.text = text
        self.flags = pattern.flags
        self.nodes = list(_parser.parse(pattern.pattern, pattern.flags))

    def match_at(self, place: int) -> int:
        return self.all_of(self.nodes, 0, place, {}, lambda end, _: end)

    def all_of(self, nodes: list[Any], number: int, place: int, groups: Groups, rest: Rest) -> int:
        while number < len(nodes) and self.is_single(nodes[number]):  # without recursion where there is no choice
            self.steps += 1
            if place >= len(self.text) or not self.is_one(nodes[number], self.text[place]):
                return FAILED
            number, place = number + 1, place + 1
        if number == len(nodes):
            return rest(place, groups)
        operation, given = nodes[number]
        return self.one(
            operation, given, place, groups, lambda end, got: self.all_of(nodes, number + 1, end, got, rest)
        )

    def is_single(self, node: Any) -> bool:
        return node[0] in (sre.LITERAL, sre.NOT_LITERAL, sre.ANY, sre.IN)

    def one(self, operation: Any, given: Any, place: int, groups: Groups, rest: Rest) -> int:
        self.steps += 1
        if operation in (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT):
            return self.repeated(operation, given, place, groups, rest)
        if operation is sre.BRANCH:
            ends = (self.all_of(list(way), 0, place, groups, rest) for way in given[1])
            return next((end for end in ends if end != FAILED), FAILED)
        if operation is sre.SUBPATTERN:
            number, _, _, inner = given
            kept = lambda end, got: rest(end, {**got, number: (place, end)} if number else got)  # noqa: E731
            return self.all_of(list(inner), 0, place, groups, kept)
        if operation is sre.ATOMIC_GROUP:
            end = self.all_of(list(given), 0, place, groups, lambda end, _: end)
            return FAILED if end == FAILED else rest(end, groups)
        if operation in (sre.ASSERT, sre.ASSERT_NOT):
            return rest(place, groups) if self.holds(operation, given, place, groups) else FAILED
        if operation is sre.AT:
            return rest(place, groups) if self.is_at(given, place) else FAILED
        if operation is sre.GROUPREF:
            start, end = groups.get(given, (0, 0))
            same = self.text[start:end]
            return rest(place + len(same), groups) if self.text.startswith(same, place) else FAILED
        if operation is sre.GROUPREF_EXISTS:
            number, yes, no = given
            return self.all_of(list((yes if number in groups else no) or ()), 0, place, groups, rest)
        raise NotImplementedError(operation)

    def repeated(self, operation: Any, given: Any, place: int, groups: Groups, rest: Rest) -> int:
        least, most, inner = given
        nodes = list(inner)
        if len(nodes) == 1 and self.is_single(nodes[0]):
            return self.repeated_single(operation, least, most, nodes[0], place, groups, rest)
        if operation is sre.POSSESSIVE_REPEAT:
            end = self.repeated(sre.MAX_REPEAT, given, place, groups, lambda end, _: end)
            return FAILED if end == FAILED else rest(end, groups)

        def again(count: int, at: int, got: Groups) -> int:
            self.steps += 1

            def once_more() -> int:
                after = lambda end, now: again(count + 1, end, now) if end > at else FAILED  # noqa: E731
                return self.all_of(nodes, 0, at, got, after) if count < most else FAILED

            if count < least:
                return self.all_of(nodes, 0, at, got, lambda end, now: again(count + 1, end, now))
            if operation is sre.MIN_REPEAT:
                end = rest(at, got)
                return end if end != FAILED else once_more()
            end = once_more()
            return end if end != FAILED else rest(at, got)

        return again(0, place, groups)

    def repeated_single(
        self, operation: Any, least: int, most: int, node: Any, place: int, groups: Groups, rest: Rest
    ) -> int:
        """One character over and over, without recursion."""
        longest = place
        while longest < len(self.text) and longest - place < most and self.is_one(node, self.text[longest]):
            if operation is sre.MIN_REPEAT and longest - place >= least:
                end = rest(longest, groups)
                if end != FAILED:
                    return end
            self.steps += 1
            longest += 1
        if longest - place < least:
            return FAILED
        shortest = longest if operation is not sre.MAX_REPEAT else place + least
        for end in range(longest, shortest - 1, -1):
            self.steps += 1
            found = rest(end, groups)
            if found != FAILED:
                return found
        return FAILED

    def holds(self, operation: Any, given: Any, place: int, groups: Groups) -> bool:
        direction, inner = given
        if direction < 0:
            place -= inner.getwidth()[0]
        found = place >= 0 and self.all_of(list(inner), 0, place, groups, lambda end, _: end) != FAILED
        return found is (operation is sre.ASSERT)

    def is_one(self, node: Any, letter: str) -> bool:
        operation, given = node
        if operation is sre.ANY:
            return bool(self.flags & re.DOTALL) or letter != "\n"
        if operation is sre.LITERAL:
            return self.same(given, letter)
        if operation is sre.NOT_LITERAL:
            return not self.same(given, letter)
        wanted = given[0][0] is not sre.NEGATE
        return any(self.is_in(one, letter) for one in given if one[0] is not sre.NEGATE) is wanted

    def is_in(self, node: Any, letter: str) -> bool:
        operation, given = node
        if operation is sre.LITERAL:
            return self.same(given, letter)
        if operation is sre.RANGE:
            forms = (letter, letter.lower(), letter.upper()) if self.flags & re.IGNORECASE else (letter,)
            return any(given[0] <= ord(form[:1]) <= given[1] for form in forms)
        return bool(re.match(CATEGORIES[given], letter))

    def same(self, code: int, letter: str) -> bool:
        return chr(code).lower() == letter.lower() if self.flags & re.IGNORECASE else code == ord(letter)

    def is_at(self, where: Any, place: int) -> bool:
        before, after = self.text[place - 1 : place] if place else "", self.text[place : place + 1]
        if where is sre.AT_BEGINNING:
            return not before or (before == "\n" and bool(self.flags & re.MULTILINE))
        if where is sre.AT_END:
            return not after or (after == "\n" and (bool(self.flags & re.MULTILINE) or place + 1 == len(self.text)))
        if where is sre.AT_BEGINNING_STRING:
            return not before
        if where is sre.AT_END_STRING:
            return not after
        boundary = bool(re.match(r"\w", before)) is not bool(re.match(r"\w", after))
        return boundary is (where is sre.AT_BOUNDARY)


CATEGORIES = {
    sre.CATEGORY_DIGIT: r"\d",
    sre.CATEGORY_NOT_DIGIT: r"\D",
    sre.CATEGORY_SPACE: r"\s",
    sre.CATEGORY_NOT_SPACE: r"\S",
    sre.CATEGORY_WORD: r"\w",
    sre.CATEGORY_NOT_WORD: r"\W",
}
