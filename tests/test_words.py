"""Words: in every script, by one character or two, whatever their accents and endings."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import scrubjay
from scrubjay import Scrubjay
from scrubjay.words import STOP_WORDS, bigrams, runs, segment

Found = Callable[[str], list[int]]

FIELDS = ["text", "title", "tags", "subject", "context"]


@pytest.fixture
def jay() -> Any:
    """A memory that knows words only."""
    with scrubjay.open(":memory:", embedder="none") as opened:
        yield opened


@pytest.fixture
def found(jay: Scrubjay) -> Found:
    def search(query: str) -> list[int]:
        results = jay.search(query, mode="keyword")
        assert results.notes == ()  # found as words, not as a mere stretch of text
        return sorted(hit.memory.id for hit in results)

    return search


def add(jay: Scrubjay, field: str, value: str) -> int:
    if field == "text":
        return jay.add(value).memory.id
    given: dict[str, Any] = {field: [value] if field == "tags" else value}
    return jay.add("A plain text", **given).memory.id


UNSPACED = [
    ("我喜欢吃苹果和香蕉", ["苹果", "苹", "香蕉", "我", "吃苹果", "喜欢吃"]),
    ("二〇二六年在北京開會", ["二〇二六年", "北京", "開"]),
    ("東京タワーでランチを食べました", ["東京", "京", "タワー", "ランチ", "食べ", "食", "を"]),
    ("ひらがなとカタカナ", ["ひら", "な", "カタカナ", "ナ"]),
    ("レオナルド・ダ・ヴィンチ", ["ダ", "ヴィンチ", "レオナルド", "ダ・ヴィンチ"]),
    ("人々は〆切に追われる", ["人々", "〆切", "追"]),
    ("ﾃｽﾄ中です", ["ﾃｽﾄ", "中"]),
    ("저는 서울에서 커피를 마십니다", ["서울", "커피", "커", "마십니다", "에서"]),
    ("𠮷野家で𠮟られた", ["𠮷野家", "𠮟"]),
    ("新しいiPhone15をApple銀座で買った", ["iphone15", "銀座", "Apple", "買", "apple銀座", "iPhone15 銀座"]),
]


@pytest.mark.parametrize("field", FIELDS)
@pytest.mark.parametrize(("text", "queries"), UNSPACED, ids=[text for text, _ in UNSPACED])
def test_scripts_without_spaces_are_found_by_one_character_and_by_two(
    jay: Scrubjay, found: Found, field: str, text: str, queries: list[str]
) -> None:
    id = add(jay, field, text)
    jay.add("Something else")
    jay.add("関係無")
    for query in queries:
        assert found(query) == [id], query


def test_two_characters_must_stand_together(jay: Scrubjay, found: Found) -> None:
    jay.add("京都の東")
    tokyo = jay.add("東京の塔").memory.id
    assert found("東京") == [tokyo]
    assert found("東") == [1, 2]


def test_a_sentence_finds_the_memory_that_shares_most_of_it(jay: Scrubjay) -> None:
    jay.add("大阪でラーメンを食べました")
    best = jay.add("東京タワーは高い").memory.id
    assert jay.search("東京タワーはどこですか", mode="keyword")[0].memory.id == best


def test_hangul_written_as_single_letters_is_the_same(jay: Scrubjay, found: Found) -> None:
    seoul = "\u1109\u1165\u110b\u116e\u11af"
    jay.add(f"{seoul} 여행")
    assert found("서울") == found(seoul) == [1]


def test_the_form_with_spaces_never_shows(jay: Scrubjay) -> None:
    text = "東京タワー\n  tower東京"
    memory = jay.add(text, title="題名", tags=["札"], subject="主題", context="文脈").memory
    for shown in (memory, jay.get(memory.id), jay.list()[0], jay.search("東京")[0].memory, jay.history(memory.id)[0]):
        assert shown is not None
        assert (shown.text, shown.title, shown.tags) == (text, "題名", ("札",))
        assert (shown.subject, shown.context) == ("主題", "文脈")


def test_a_changed_field_is_found_by_its_new_words_only(jay: Scrubjay, found: Found) -> None:
    id = jay.add("A plain text", tags=["東京"], title="塔").memory.id
    jay.update(id, tags=["大阪"])
    assert (found("大阪"), found("東京"), found("塔")) == ([id], [], [id])
    assert jay.check(deep=True).problems == []


@pytest.mark.parametrize("field", FIELDS)
@pytest.mark.parametrize(
    ("text", "queries"),
    [
        ("Café à la crème", ["cafe", "café", "cafe\u0301", "CREME"]),
        ("Señor Ångström", ["senor", "angstrom", "SEÑOR"]),
        ("Tiếng Việt", ["tieng viet", "việt"]),
        ("Мороз и солнце", ["МОРОЗ", "солнце"]),
        ("Καλημέρα κόσμε", ["ΚΑΛΗΜΈΡΑ", "κόσμε"]),
    ],
)
def test_accents_and_case_do_not_matter(jay: Scrubjay, found: Found, field: str, text: str, queries: list[str]) -> None:
    id = add(jay, field, text)
    for query in queries:
        assert found(query) == [id], query


@pytest.mark.parametrize("query", ["deploy", "deploys", "deployed", "Deploying", "connection", "connected"])
def test_endings_do_not_matter(jay: Scrubjay, found: Found, query: str) -> None:
    id = jay.add("Deploying closes all connections").memory.id
    jay.add("Something else")
    assert found(query) == [id]


def test_words_that_say_nothing_count_only_when_there_are_no_others(jay: Scrubjay, found: Found) -> None:
    who = jay.add("The Who: who are you").memory.id
    heron = jay.add("A heron in the river").memory.id
    assert found("who are you") == [who]
    assert found("who is the heron") == [heron]
    assert found("the") == [who, heron]
    assert found("to be or not to be") == []


def test_stop_words_are_plain_lower_case() -> None:
    assert all(word.isascii() and word.islower() for word in STOP_WORDS)


@pytest.mark.parametrize("field", FIELDS)
@pytest.mark.parametrize("name", ["heron-2", "snake_case", "C++", "user@example.org", "v1.2.3", "/etc/hosts", "don't"])
def test_names_with_signs_in_them_are_found(jay: Scrubjay, found: Found, field: str, name: str) -> None:
    id = add(jay, field, f"It is {name}")
    jay.add("Something different")
    assert found(name) == [id]


# The functions themselves


def test_plain_text_is_left_alone() -> None:
    for text in ("", "plain", "café", "мороз"):
        assert segment(text) is None
    assert runs("plain text") == [("plain text", False)]
    assert runs("") in ([], [("", False)])


def test_runs_and_pairs() -> None:
    assert runs("新iPhoneを") == [("新", True), ("iPhone", False), ("を", True)]
    assert segment("新iPhoneを") == " 新 iPhone を "
    assert bigrams("東京都") == ["東 京", "京 都"]
    assert bigrams("東") == ["東"]


MIXED = st.text(st.characters() | st.sampled_from("東京タワーがな서울ﾃ𠮷々 aé\u0301\u1109\u1165"))


@given(MIXED)
def test_any_text_can_be_cut_and_nothing_is_lost(text: str) -> None:
    pieces = runs(text)
    spaced = segment(text)
    assert all(run for run, _ in pieces) or text == ""
    assert (spaced is not None) == any(unspaced for _, unspaced in pieces)
    if spaced is not None:
        assert "".join(spaced.split()) == "".join("".join(run for run, _ in pieces).split())
    for run, unspaced in pieces:
        assert not unspaced or "".join(bigrams(run)[0].split()) == run[:2]


@given(MIXED.filter(lambda text: text.strip() and text.isprintable()), st.data())
def test_any_stretch_of_an_unspaced_script_finds_its_text(text: str, data: st.DataObject) -> None:
    unspaced = [run for run, unspaced in runs(text) if unspaced and run.isalpha()]
    if not unspaced:
        return
    run = data.draw(st.sampled_from(unspaced))
    start = data.draw(st.integers(0, len(run) - 1))
    query = run[start : start + data.draw(st.integers(1, 3))]
    with scrubjay.open(":memory:", embedder="none") as jay:
        id = jay.add(text).memory.id
        assert [hit.memory.id for hit in jay.search(query, mode="keyword")] == [id]
