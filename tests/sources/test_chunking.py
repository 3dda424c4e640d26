"""Passages: along headings and paragraphs, whole where they fit, and the same wherever nothing changed."""

from __future__ import annotations

import sys
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrubjay.sources.markdown.chunking import TOKEN, Passage, passages, weigh
from scrubjay.sources.markdown.front_matter import split

PARAGRAPH = "The heron waits at the river until a fish comes near. " * 4  # about 55 tokens
LONG = "Herons wait. " * 200  # about 650


def shape(found: list[Passage]) -> list[tuple[int, int, tuple[str, ...]]]:
    return [(one.first, one.last, one.headings) for one in found]


def lines(*texts: str) -> str:
    return "\n".join(texts)


# Headings


def test_what_is_short_is_one_passage() -> None:
    assert passages("Hello") == [Passage("Hello", 1, 1, ())]
    assert shape(passages("# A\n\nOne\n\n## B\n\nTwo\n\n## C\n\nThree\n")) == [(1, 11, ("A",))]


@pytest.mark.parametrize("text", ["", "\n", " \n\t\n\r\n ", "\n" * 1000, " " * 10_000])
def test_nothing_to_find_is_no_passage(text: str) -> None:
    assert passages(text) == []


def test_a_section_that_does_not_fit_with_its_neighbours_stands_alone() -> None:
    text = lines("# Birds", "", PARAGRAPH, "", "## Heron", "", PARAGRAPH, "", "## Jay ##", "", PARAGRAPH)
    assert shape(passages(text, tokens=120)) == [
        (1, 3, ("Birds",)),
        (5, 7, ("Birds", "Heron")),
        (9, 11, ("Birds", "Jay")),
    ]


def test_small_sections_below_one_heading_share_a_passage() -> None:
    text = lines("# A", LONG, "## B", "one", "### C", "two", "### D", "three", "## E", PARAGRAPH)
    assert shape(passages(text))[-2:] == [(3, 8, ("A", "B")), (9, 10, ("A", "E"))]


def test_a_level_may_be_skipped_and_a_higher_one_ends_the_lower() -> None:
    text = lines("### Deep", PARAGRAPH, "# Top", PARAGRAPH, "### Below", PARAGRAPH, "## Between", PARAGRAPH)
    assert [one.headings for one in passages(text, tokens=80)] == [
        ("Deep",),
        ("Top",),
        ("Top", "Below"),
        ("Top", "Between"),
    ]


def test_a_heading_stays_with_what_follows_it() -> None:
    text = lines(PARAGRAPH, "# A", "", "## B", "", PARAGRAPH, "", PARAGRAPH)
    assert shape(passages(text, tokens=80, overlap=0)) == [(1, 1, ()), (2, 6, ("A", "B")), (8, 8, ("A", "B"))]


def test_a_heading_at_the_end_is_not_lost() -> None:
    assert shape(passages(lines("# A", LONG, "# B")))[-1] == (3, 3, ("B",))


@pytest.mark.parametrize(
    "text", ["#hashtag", "####### seven", "    # code", "\t# code", "\\# escaped", "# " + "long " * 200]
)
def test_not_everything_with_a_number_sign_is_a_heading(text: str) -> None:
    assert {one.headings for one in passages(f"{text}\n\n{PARAGRAPH}")} == {()}


@pytest.mark.parametrize(
    "text", ["# Name", "   # Name  ", "# Name #", "# Name ####  ", "#\tName", "Name\n===", "Name  \n="]
)
def test_a_heading_is_given_as_plain_text(text: str) -> None:
    assert passages(f"{text}\n\nHello")[0].headings == ("Name",)


@pytest.mark.parametrize(("text", "name"), [("# C#", "C#"), ("# `a` *b*", "`a` *b*"), ("# #", ""), ("#", "")])
def test_only_what_closes_a_heading_is_dropped(text: str, name: str) -> None:
    assert passages(f"{text}\nHello")[0].headings == ((name,) if name else ())


def test_underlined_headings() -> None:
    text = lines("Birds", "=====", "", PARAGRAPH, "", "Heron", "---", PARAGRAPH)
    assert shape(passages(text, tokens=80)) == [(1, 4, ("Birds",)), (6, 8, ("Birds", "Heron"))]


@pytest.mark.parametrize(
    "text",
    [
        "One\ntwo\n---\nthree",  # a rule below a paragraph
        "\n---\nHello",
        "- item\n---\nHello",
        "Name\n\n---\nHello",
        "| a |\n|---|\n| b |",
        "```\ncode\n---\n```",
        "# A\n---\nHello",
        "> said\n---\nHello",
        "    code\n---\nHello",
        "long " * 200 + "\n---\nHello",
    ],
)
def test_a_line_of_dashes_is_a_heading_only_below_a_single_line(text: str) -> None:
    assert passages(text)[0].headings in ((), ("A",))


# What stays whole


@pytest.mark.parametrize("fence", ["```", "~~~", "`````"])
def test_code_has_no_headings(fence: str) -> None:
    text = lines("# A", f"{fence}sh", "# not a heading", "```` x", "Nor", "===", fence, "# B", PARAGRAPH)
    assert [one.headings for one in passages(text, tokens=60)] == [("A",), ("B",)]


def test_code_that_is_never_closed_goes_on_to_the_end() -> None:
    text = lines("# A", "```", *["# still code"] * 100)
    assert {one.headings for one in passages(text, tokens=50)} == {("A",)}


def test_code_is_closed_only_by_as_many_marks_of_its_own_kind() -> None:
    text = lines("````", "```", "~~~~", "# code", "```` no", "`````  ", "# A", PARAGRAPH)
    assert [one.headings for one in passages(text, tokens=60)] == [(), ("A",)]


def test_marks_with_text_in_them_open_no_code() -> None:
    text = lines("```inline``` code", PARAGRAPH, "# A", PARAGRAPH)
    assert [one.headings for one in passages(text, tokens=80)] == [(), ("A",)]


def test_code_that_is_not_indented_ends_a_list() -> None:
    code = lines("```", *["print(1)"] * 30, "```")
    text = lines(*["- an item of the list"] * 12, code)
    assert code in [one.text for one in passages(text, tokens=100, overlap=0)]


BLOCKS = {
    "code": lines("```", *["", "print(1)"] * 20, "```"),
    "table": lines("| a | b |", "| --- | :-: |", *["| 1 | 2 |"] * 25),
    "list": lines(*["- an item", "", "  - and one below"] * 15),
    "numbers": lines(*["1. an item", "   that goes on", ""] * 16),
    "paragraph": lines(*["a line of words"] * 20),
}


@pytest.mark.parametrize("name", BLOCKS)
def test_what_belongs_together_stays_whole_where_it_fits(name: str) -> None:
    block = BLOCKS[name].rstrip()
    text = lines(PARAGRAPH, "", block, "", PARAGRAPH)
    found = passages(text, tokens=120, overlap=20)
    assert any(block in one.text for one in found)
    assert len(found) > 1


@pytest.mark.parametrize("name", BLOCKS)
def test_what_is_too_long_is_cut_between_its_lines(name: str) -> None:
    text = lines(*[BLOCKS[name]] * 4)
    found = passages(text, tokens=120, overlap=20)
    assert all(one.text == lines(*text.split("\n")[one.first - 1 : one.last]) for one in found)
    assert all(weigh(one.text) <= 120 * TOKEN for one in found)


def test_a_long_list_is_cut_before_its_outer_items() -> None:
    text = lines(*["- an outer item of the list", "  - an inner one", "    with more to it"] * 40)
    found = passages(text, tokens=100, overlap=0)
    assert len(found) > 5
    assert all(one.text.startswith("- ") for one in found)


def test_a_table_after_a_line_of_text_is_a_block_of_its_own() -> None:
    table = lines("| a | b |", "|---|---|", *["| 1 | 2 |"] * 20)
    text = lines(*["Words before the table"] * 12, table)
    assert table in [one.text for one in passages(text, tokens=100, overlap=0)]


# Overlap


def test_a_passage_begins_with_the_last_lines_of_the_one_before() -> None:
    text = lines(*[f"Line number {number:03} of the text" for number in range(100)])
    found = passages(text, tokens=100, overlap=20)
    for before, after in pairwise(found):
        assert before.first < after.first <= before.last < after.last
    plain = passages(text, tokens=100, overlap=0)
    assert all(before.last + 1 == after.first for before, after in pairwise(plain))


def test_nothing_is_carried_into_another_section() -> None:
    text = lines(*[f"# Section {number}\n\nshort\n\n{LONG}\n\nshort" for number in range(5)])
    for one in passages(text, tokens=100, overlap=40):
        assert "\n# Section" not in one.text


@pytest.mark.parametrize(("tokens", "overlap"), [(10, 10), (10, 1000), (1, 1), (0, 0), (5, -3)])
def test_any_size_makes_headway(tokens: int, overlap: int) -> None:
    assert passages(lines(*["one", "two", LONG] * 3), tokens, overlap)


# Long lines


def test_a_line_too_long_is_cut_after_sentences() -> None:
    found = passages(lines("before", LONG, "after"), overlap=80)
    assert [(one.first, one.last) for one in found] == [(1, 1), (2, 2), (2, 2), (3, 3)]
    assert all(one.text.startswith("Herons") and one.text.endswith(".") for one in found[1:-1])
    assert all(one.text in LONG for one in found[1:-1])


def test_its_parts_overlap_by_whole_sentences() -> None:
    text = " ".join(f"Sentence number {number} is this." for number in range(100))
    found = passages(text, tokens=100, overlap=30)
    for before, after in pairwise(found):
        assert after.text.startswith("Sentence")
        assert after.text.partition(".")[0] in before.text
    assert all(any(f"Sentence number {number} is this." in one.text for one in found) for number in range(100))
    apart = passages(text, tokens=100, overlap=0)
    assert " ".join(one.text for one in apart) == text


def test_without_sentences_it_is_cut_between_words_and_without_words_anywhere() -> None:
    words = passages("heron " * 500)
    assert all(one.text.split() == ["heron"] * len(one.text.split()) for one in words)
    assert "".join(one.text for one in passages("x" * 5000, overlap=0)) == "x" * 5000


def test_scripts_without_spaces_are_cut_after_sentences_too() -> None:
    found = passages("我喜欢吃苹果和香蕉。" * 100, tokens=100, overlap=20)
    assert all(one.text.endswith("。") and len(one.text) <= 100 for one in found)
    assert all(one.text.startswith("我") for one in found)
    assert all(0 < len(one.text) <= 100 for one in passages("汉" * 1000, tokens=100))


def test_half_characters_are_characters_too() -> None:
    assert "".join(one.text for one in passages("\ud800" * 3000, overlap=0)) == "\ud800" * 3000


# Lines


def test_lines_end_with_newlines_only() -> None:
    text = "one\u2028still one\x0cand\x85still\ntwo"
    assert passages(text) == [Passage(text, 1, 2, ())]


def test_carriage_returns_are_kept_inside_and_dropped_at_the_end() -> None:
    text = "# A\r\n\r\n" + PARAGRAPH + "\r\n\r\n## B ##\r\n\r\n" + PARAGRAPH + "\r\n"
    found = passages(text, tokens=80)
    assert shape(found) == [(1, 3, ("A",)), (5, 7, ("A", "B"))]
    assert found[0].text == f"# A\r\n\r\n{PARAGRAPH}"
    assert passages("Name\r\n====\r\nHello")[0].headings == ("Name",)
    code = passages(f"```\r\n# code\r\n```\r\n# A\r\n{PARAGRAPH}\r\n", tokens=60)
    assert [one.headings for one in code] == [(), ("A",)]


def test_line_numbers_go_on_after_front_matter() -> None:
    document = "---\ntitle: Birds\n---\n\n# A\n\nHello"
    front = split(document)
    (one,) = passages(front.body, first_line=front.body_first_line)
    assert shape([one]) == [(5, 7, ("A",))]
    assert lines(*document.split("\n")[4:7]) == one.text


# For any text

LINES = st.sampled_from(
    [
        "",
        "",
        " ",
        "# A",
        "## B",
        "### C ###",
        "Name",
        "====",
        "---",
        "- item",
        "  - nested",
        "    deep",
        "1. one",
        "```",
        "~~~~",
        "| a | b |",
        "|---|---|",
        "> said",
        "word " * 12,
        "A sentence. Another! " * 6,
        "汉字" * 30,
        "naïve café 🐦 " * 8,
        "x" * 300,
        "windows\r",
        "\r",
    ]
) | st.text(max_size=60).map(lambda text: text.replace("\n", " "))
TEXTS = st.lists(LINES, max_size=60).map("\n".join)
TOKENS = st.integers(1, 60)
OVERLAPS = st.integers(0, 30)


@given(TEXTS, TOKENS, OVERLAPS)
def test_every_passage_is_what_its_lines_say(text: str, tokens: int, overlap: int) -> None:
    whole = text.split("\n")
    for one in passages(text, tokens, overlap):
        own = lines(*whole[one.first - 1 : one.last])
        assert one.text == own.removesuffix("\r") or (one.first == one.last and one.text in own)
        assert one.text.strip()


@given(TEXTS, TOKENS)
def test_without_overlap_all_of_the_text_is_there_once(text: str, tokens: int) -> None:
    found = "".join(one.text for one in passages(text, tokens, overlap=0))
    assert "".join(found.split()) == "".join(text.split())


@given(TEXTS, TOKENS, OVERLAPS)
def test_with_overlap_no_line_is_lost(text: str, tokens: int, overlap: int) -> None:
    found = {number for one in passages(text, tokens, overlap) for number in range(one.first, one.last + 1)}
    assert found >= {number for number, line in enumerate(text.split("\n"), start=1) if line.strip()}


@given(TEXTS, TOKENS, OVERLAPS)
def test_passages_come_in_order_and_within_their_size(text: str, tokens: int, overlap: int) -> None:
    found = passages(text, tokens, overlap)
    assert found == passages(text, tokens, overlap)
    for before, after in pairwise(found):
        assert (before.first, before.last) <= (after.first, after.last)
        assert before.last <= after.last
    for one in found:
        assert weigh(one.text) - weigh("") <= max(tokens, 1) * TOKEN or len(one.text) == 1


SECTION = st.lists(st.sampled_from(["", "word " * 6, "- item", "| a | b |", "A line of text"]), min_size=1, max_size=25)


@given(st.lists(SECTION, min_size=3, max_size=8), st.data(), st.integers(20, 60), OVERLAPS)
def test_a_change_is_felt_only_nearby(
    sections: list[list[str]], data: st.DataObject, tokens: int, overlap: int
) -> None:
    """Each section is too long to share a passage, so that what stands before and after is cut as it was."""
    texts = [lines(f"# {number}", *section, "Word " * tokens * 4) for number, section in enumerate(sections)]
    changed = data.draw(st.integers(0, len(texts) - 1))
    section = texts[changed].split("\n")
    place = data.draw(st.integers(1, len(section) - 2))
    section[place] = data.draw(st.sampled_from(["other", "", "- more", "word " * 30]))
    whole = lines(*texts)
    before = passages(whole, tokens, overlap)
    after = passages(lines(*texts[:changed], lines(*section), *texts[changed + 1 :]), tokens, overlap)
    assert [one for one in before if one.headings != (f"{changed}",)] == [
        one for one in after if one.headings != (f"{changed}",)
    ]
    line = sum(text.count("\n") + 1 for text in texts[:changed]) + place
    weights = [weigh(text) for text in whole.split("\n")]
    untouched = [one for one in before if sum(weights[one.last : line]) > 2 * tokens * TOKEN]
    assert after[: len(untouched)] == untouched  # a passage looks ahead by one block that may fit


# Of any size


@pytest.mark.parametrize(
    "text",
    [
        "\n" * 100_000,
        "a" * 1_000_000,
        " " * 1_000_000,
        "# a\n" * 20_000,
        "# a\n\nb\n" * 10_000,
        "- a\n" * 50_000,
        "# " + "# " * 200_000,
        "```\n" * 50_001,
        "汉字没有空格" * 30_000,
        "".join("  " * number + "- a\n" for number in range(700)),
        "." * 500_000,
        "| a |\n|---|\n" * 30_000,
    ],
    ids=lambda text: repr(text[:8]),
)
def test_a_large_text_takes_no_more_steps_than_its_two_halves(text: str) -> None:
    half = len(text) // 2
    assert steps(text) < 1.2 * (steps(text[:half]) + steps(text[half:])) + 1_000


def steps(text: str) -> int:
    """The calls that cutting a text takes; a quadratic way has many more for twice the text."""
    calls = [0]

    def count(frame: object, event: str, argument: object) -> None:
        calls[0] += 1

    sys.setprofile(count)
    try:
        passages(text)
    finally:
        sys.setprofile(None)
    return calls[0]
