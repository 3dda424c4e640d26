"""Divide a document into passages: at its headings and paragraphs, and by size where those are too long."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise, takewhile

__all__ = ["VERSION", "Passage", "passages"]

VERSION = 1  # raise it when the same text would be divided differently

# Weights are eighths of a token: 2 for a plain letter, space or newline, 5 for an accented letter, 8 for a Chinese one.
# Against the bundled model's tokenizer that is 10 to 16 % too many for English prose, 0 to 10 % too few for notes in
# Markdown, 14 to 19 % too few for code, 17 % for Spanish; Chinese is within 1 %. Russian, one sentence: 37 % too few.
TOKEN = 8
LETTER = 2

INSIDE, LINE, NESTED, ITEM, BLOCK = range(5)  # how good it is to cut before a line, worst first
SENTENCE_END = re.compile(r"[.!?][\"'”’)\]]*\s+|[。！？…]+[」』”’）]*")
LIST_ITEM = re.compile(r"\s*(?:[-*+]|\d{1,9}[.)])(?:\s|$)")
LONGEST_HEADING = 500  # characters; a longer line is not a heading, and would be repeated in each passage below it


@dataclass(frozen=True, slots=True)
class Passage:
    """A part of a document that becomes one memory."""

    text: str  # exactly the document's lines first..last, or a part of one long line
    first: int  # 1-based, both included
    last: int
    headings: tuple[str, ...]  # that it is under, outermost first


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and what follows it up to the next one; level 0 is the text before the first heading."""

    level: int
    path: tuple[str, ...]
    start: int
    body: int  # the first line that is neither heading nor blank; `end` if there is none
    end: int


@dataclass(frozen=True, slots=True)
class Size:
    """The largest weight of a passage, and how much of it may repeat the one before."""

    most: int
    overlap: int


def passages(text: str, tokens: int = 400, overlap: int = 80, first_line: int = 1) -> list[Passage]:
    """Divide a Markdown text; its first line has the number `first_line`."""
    most = max(tokens, 1) * TOKEN
    size = Size(most, min(max(overlap, 0) * TOKEN, most // 2))
    page = Page(text.split("\n"))
    return [
        Passage(part, first + first_line, last + first_line, unit.path)
        for unit in page.units(size.most)
        for part, first, last in page.cut(unit, size)
    ]


class Page:
    """A document's lines, their weights, and the good positions to cut between them."""

    def __init__(self, lines: Sequence[str]) -> None:
        outline = Outline()
        for line in lines:
            outline.read(line)
        self.lines = lines
        self.ranks = outline.ranks
        self.headings = outline.headings
        self.blocks = [number for number, rank in enumerate(self.ranks) if rank == BLOCK]
        self.sums = [0, *accumulate(map(weigh, lines))]

    def weight(self, start: int, end: int) -> int:
        return self.sums[end] - self.sums[start]

    def units(self, most: int) -> Iterator[Section]:
        """The units to divide: a section with its subsections if that fits, else the section alone."""
        sections = self.sections()
        below = ends_below(sections)
        number, start = 0, 0
        while number < len(sections):
            fits = self.weight(start, sections[below[number] - 1].end) <= most
            parts = sections[number : below[number] if fits else number + 1]
            number += len(parts)
            end = parts[-1].end
            has_text = any(part.body < part.end for part in parts)
            # Headings without text are joined to the next section, unless they become too long.
            if has_text or number == len(sections) or self.weight(start, end) > most // 2:
                yield replace(parts[0], path=common_path(parts), start=start, end=end)
                start = end

    def sections(self) -> list[Section]:
        """The headings in order, each with its own lines."""
        starts = [(0, 0, 0, ""), *self.headings, (len(self.lines), 0, 0, "")]
        sections: list[Section] = []
        path: list[tuple[int, str]] = []
        for (start, own, level, title), (end, *_) in pairwise(starts):
            while path and path[-1][0] >= level:
                path.pop()
            if title:
                path.append((level, title))
            body = next((number for number in range(start + own, end) if self.lines[number].strip()), end)
            sections.append(Section(level, tuple(name for _, name in path), start, body, end))
        return sections

    def cut(self, unit: Section, size: Size) -> Iterator[tuple[str, int, int]]:
        """Passages of one unit with their first and last line: as long as good positions to cut allow."""
        end = self.trim_blank(unit.start, unit.end)
        start = self.skip_blank(unit.start, end)
        fresh = max(start, min(unit.body, end - 1))  # the first new line: a heading stays with the text after it
        while start < end:
            if self.weight(start, start + 1) > size.most:
                yield from ((part, start, start) for part in line_parts(self.lines[start].removesuffix("\r"), size))
                start = fresh = self.skip_blank(start + 1, end)
                continue
            stop = self.skip_blank(min(bisect_right(self.sums, self.sums[start] + size.most) - 1, end), end)
            if fresh < stop < end and self.ranks[stop] < BLOCK:
                stop = self.best_cut(start, fresh, stop, size.most)
            last = self.trim_blank(start, stop) - 1
            yield "\n".join(self.lines[start : last + 1]).removesuffix("\r"), start, last
            fresh = stop
            start = self.overlap_start(max(start + 1, min(unit.body, stop)), stop, size) if stop < end else end

    def best_cut(self, start: int, fresh: int, stop: int, most: int) -> int:
        """Before the block that does not fit; if it is too long for any passage, before one of its lines."""
        opening, closing = self.block(stop)
        if opening > fresh and (self.weight(opening, closing) <= most or self.weight(start, opening) > most // 2):
            return opening
        half = bisect_left(self.sums, self.sums[start] + most // 2)
        positions = range(min(max(fresh + 1, half), stop), stop + 1)
        return max(positions, key=lambda position: (self.ranks[position], position))

    def overlap_start(self, earliest: int, fresh: int, size: Size) -> int:
        """Where a passage begins whose first new line is `fresh`; the overlap must leave room for its first block."""
        room = size.most - self.weight(*self.block(fresh))
        if room < 0:
            room = size.most - self.weight(fresh, fresh + 1)
        begin = bisect_left(self.sums, self.sums[fresh] - max(min(room, size.overlap), 0))
        return self.skip_blank(max(begin, earliest), fresh)

    def block(self, number: int) -> tuple[int, int]:
        """The paragraph, list, table or fenced code that a line belongs to."""
        place = bisect_right(self.blocks, number)
        closing = self.blocks[place] if place < len(self.blocks) else len(self.lines)
        return self.blocks[place - 1], closing

    def skip_blank(self, number: int, end: int) -> int:
        while number < end and not self.lines[number].strip():
            number += 1
        return number

    def trim_blank(self, start: int, end: int) -> int:
        while end > start and not self.lines[end - 1].strip():
            end -= 1
        return end


class Outline:
    """Reads a document line by line: finds its headings, and ranks how good it is to cut before each line."""

    def __init__(self) -> None:
        self.ranks = bytearray()
        self.headings: list[tuple[int, int, int, str]] = []  # first line, how many lines, level, text
        self._fence = ""  # the characters that opened the current code block
        self._list: int | None = None  # the indentation of the current list's items
        self._apart = True  # this line does not continue the line before
        self._paragraph = ""  # the line before, if it is the first of a paragraph

    def read(self, line: str) -> None:
        bare = line.strip()
        paragraph, self._paragraph = self._paragraph, ""
        if self._fence:
            self._read_code(bare)
        elif not bare:
            self.ranks.append(INSIDE)
            self._apart = True
        elif level := atx_level(line):
            self._add_heading(0, 1, level, bare[level:])
        elif paragraph and (level := setext_level(line)):
            self._add_heading(1, 2, level, paragraph)
        else:
            self._read_text(line, bare)

    def _read_code(self, bare: str) -> None:
        self.ranks.append(INSIDE)
        if bare.startswith(self._fence) and not bare.strip(self._fence[0]):
            self._fence = ""
            self._apart = self._list is None

    def _read_text(self, line: str, bare: str) -> None:
        indent = len(line) - len(line.lstrip())
        item = LIST_ITEM.match(line) is not None
        self._fence = fence_of(bare)
        if not indent and not item and (self._apart or self._fence):
            self._list = None
        if is_table_rule(bare) and self.ranks and self.ranks[-1] == LINE:
            self.ranks[-1] = BLOCK  # the row above is the table's first
        if self._list is not None:
            nested = NESTED if item or self._apart else LINE
            self.ranks.append(ITEM if item and indent <= self._list else nested)
        else:
            self.ranks.append(BLOCK if item or self._fence or self._apart else LINE)
            self._list = indent if item else None
            alone = self._apart and not item and not self._fence and indent < 4 and not bare.startswith(">")
            self._paragraph = bare if alone and len(bare) <= LONGEST_HEADING else ""
        self._apart = False

    def _add_heading(self, back: int, own: int, level: int, text: str) -> None:
        self.ranks.append(LINE if back else BLOCK)
        self.headings.append((len(self.ranks) - 1 - back, own, level, heading_text(text)))
        self._list, self._apart = None, True


def atx_level(line: str) -> int:
    """How many # a heading begins with; 0 if the line is not a heading."""
    bare = line.lstrip(" ")
    if len(line) - len(bare) > 3 or not bare.startswith("#") or len(line) > LONGEST_HEADING:
        return 0
    text = bare.lstrip("#")
    level = len(bare) - len(text)
    return level if level <= 6 and (not text or text[0].isspace()) else 0


def setext_level(line: str) -> int:
    """1 below a line of =, 2 below a line of -; 0 if it is neither."""
    bare = line.rstrip()
    mark = bare[-1]
    if mark not in "=-" or len(bare) > LONGEST_HEADING or len(bare) - len(bare.lstrip(" ")) > 3:
        return 0
    return 0 if bare.strip(" ").strip(mark) else "=-".index(mark) + 1


def heading_text(text: str) -> str:
    """The text of a heading, without a closing #."""
    text = text.strip()
    bare = text.rstrip("#")
    return bare.strip() if not bare or bare[-1].isspace() else text


def fence_of(bare: str) -> str:
    """The ``` or ~~~ (or longer) that opens a code block in this line; empty if there is none."""
    for mark in "`~":
        if bare.startswith(mark * 3):
            rest = bare.lstrip(mark)
            return "" if mark == "`" and mark in rest else bare[: len(bare) - len(rest)]
    return ""


def is_table_rule(bare: str) -> bool:
    return "|" in bare and "-" in bare and not bare.strip("|-: \t")


def ends_below(sections: Sequence[Section]) -> list[int]:
    """For each section, the index of the first one after it that is not a subsection of it."""
    ends = [len(sections)] * len(sections)
    above: list[int] = []
    for number, section in enumerate(sections):
        while above and sections[above[-1]].level >= section.level:
            ends[above.pop()] = number
        above.append(number)
    return ends


def common_path(sections: Sequence[Section]) -> tuple[str, ...]:
    """The headings that all sections with text have in common."""
    paths = [section.path for section in sections if section.body < section.end] or [sections[-1].path]
    shared = zip(*paths, strict=False)
    return tuple(names[0] for names in takewhile(lambda names: len(set(names)) == 1, shared))


def line_parts(line: str, size: Size) -> Iterator[str]:
    """Divide a line that is too long: after a sentence, else after a word, else anywhere."""
    start = 0
    while start < len(line):
        view = line[start : start + size.most // LETTER]
        view = view[: fitting_characters(view, size.most)]
        whole = start + len(view) >= len(line)
        part = view if whole else view[: best_end(view)]
        if part.strip():
            yield part.strip()
        start += len(part) if whole else max(len(part) - repeated(part, size.overlap), 1)


def best_end(view: str) -> int:
    half = len(view) // 2
    ends = [found.end() for found in SENTENCE_END.finditer(view, half)]
    if ends:
        return ends[-1]
    return next((place for place in range(len(view), half, -1) if view[place - 1].isspace()), len(view))


def repeated(part: str, overlap: int) -> int:
    """How many characters at the end of a part are repeated in the next."""
    tail = part[len(part) - fitting_characters(part[::-1], overlap) :] if overlap else ""
    ends = [found.end() for found in SENTENCE_END.finditer(tail) if found.end() < len(tail)]
    words = (place + 1 for place, letter in enumerate(tail[:-1]) if letter.isspace())
    return len(tail) - (ends[0] if ends else next(words, 0))


def fitting_characters(text: str, room: int) -> int:
    """How many characters from the start weigh at most `room`; at least one."""
    if text.isascii():
        return min(max(room // LETTER, 1), len(text))
    return max(bisect_right(list(accumulate(map(weigh_letter, text))), room), 1)


def weigh(line: str) -> int:
    """A line and the newline after it, in eighths of a token."""
    letters = len(line) + 1
    return letters * LETTER if line.isascii() else 3 * (len(line.encode("utf-8", "surrogatepass")) + 1) - letters


def weigh_letter(letter: str) -> int:
    code = ord(letter)
    return 2 if code < 0x80 else 5 if code < 0x800 else 8 if code < 0x10000 else 11
