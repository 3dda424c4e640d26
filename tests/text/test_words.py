"""Words: in every script, by one character or two, whatever their accents and endings."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

import scrubjay
from scrubjay import Memory, Scrubjay
from scrubjay.stores.columns import to_row
from scrubjay.stores.sqlite.connections import Connections
from scrubjay.stores.sqlite.opening import migrations
from scrubjay.text.languages import stop_words_for
from scrubjay.text.tokenizer import terms_of
from scrubjay.text.word_lists import OTHER_STOP_WORDS, STOP_WORDS
from scrubjay.text.words import bigrams, compound_phrases, extra_spellings, parts, runs, segment

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


def memory_of(text: str) -> Memory:
    with scrubjay.open(":memory:", embedder="none") as jay:
        return jay.add(text).memory


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


# Names of code

NAMES = [
    ("node.js", "The node listens to js"),
    ("foo-bar", "A bar where foo was sold, foo and bar"),
    ("snake_case", "The case of the snake"),
    ("useEffect", "The effect of good use"),
    ("HTTPServer", "A server that speaks http"),
    ("src/app/main.py", "The main app has its src in py"),
    ("ERR_CONNECTION_REFUSED", "He refused the connection, to err is human"),
    ("3.11.2", "11 of 3 or 2"),
    ("C++", "The letter C"),
    ("C#", "The letter C"),
    (".env", "An env of variables"),
    ("@scope/pkg", "The pkg has a scope"),
    ("user@example.com", "An example for every user of com ports"),
    ("--no-cache", "The cache said no"),
]


@pytest.mark.parametrize(("name", "scattered"), NAMES)
def test_a_name_is_found_whole_before_its_parts(jay: Scrubjay, name: str, scattered: str) -> None:
    whole = jay.add(f"Somebody wrote {name} in a longer note about the weather of last week").memory.id
    jay.add_many([{"text": scattered}, {"text": f"{scattered}, it is said"}, {"text": "Something different"}])
    for question in (name, f"what do we know of {name}?"):
        assert jay.search(question, mode="keyword")[0].memory.id == whole


@pytest.mark.parametrize("name", ["E1101", "0x80070005", "ERR_CONNECTION_REFUSED", "10.0.0.1", "R&D", "std::vector"])
def test_a_code_is_found_as_it_is_written(jay: Scrubjay, found: Found, name: str) -> None:
    id = jay.add(f"Then it said {name}").memory.id
    jay.add("Something different")
    assert found(name) == found(name.lower()) == [id]


@pytest.mark.parametrize("field", FIELDS)
def test_a_camel_case_name_is_found_by_its_parts(jay: Scrubjay, found: Found, field: str) -> None:
    id = add(jay, field, "HTTPServer or kMaxSize")
    jay.add("Something different")
    for question in ("server", "HTTP server", "http_server", "httpserver", "HTTPServer", "size", "max-size"):
        assert found(question) == [id], question


def test_words_are_found_by_the_camel_case_name_they_make(jay: Scrubjay, found: Found) -> None:
    id = jay.add("Remember how to use effect hooks").memory.id
    jay.add("The effect of good use")
    assert found("useEffect") == [id]


def test_part_of_a_name_does_not_stand_for_it(jay: Scrubjay, found: Found) -> None:
    jay.add("Java is an island")
    assert found("Is JavaScript known?") == []


@pytest.mark.parametrize(
    ("written", "asked"),
    [("C++17", "cplusplus"), ("C#", "csharp"), ("F#.", "f#"), (".NET", "dotnet"), ("1,000", "1000"), ("1000", "1,000"),
     ("1'250'000", "1,250,000"), ("3.5", "3.5"), ("2026-05-01", "2026-05-01"), ("使用C++编写", "C++")],
)  # fmt: skip
def test_signs_and_numbers_are_found_in_other_spellings(jay: Scrubjay, found: Found, written: str, asked: str) -> None:
    id = jay.add(f"It says {written}").memory.id
    jay.add("Something different")
    assert found(asked) == [id]


def test_a_changed_name_is_found_by_its_new_parts_only(jay: Scrubjay, found: Found) -> None:
    id = jay.add("A plain text", title="HTTPServer").memory.id
    jay.update(id, title="SocketClient")
    assert (found("client"), found("server")) == ([id], [])
    assert jay.check(deep=True).problems == []
    jay.delete(id)
    assert found("client") == []


# Quotes


@pytest.mark.parametrize("quotes", ['""', "“”", "„“", "«»", "»«", "``"])
def test_words_in_quotes_are_best_found_together(jay: Scrubjay, quotes: str) -> None:
    jay.add("Green is the light, and the light is green")
    phrase = jay.add("All those boats against the current, and at the end of the dock a green light").memory.id
    jay.add("Light rain, green leaves")
    question = f"who wrote {quotes[0]}a green light{quotes[1]}"
    hits = jay.search(question, mode="keyword")
    assert hits[0].memory.id == phrase
    assert len(hits) == 3


def test_a_quote_may_hold_only_words_that_say_nothing(jay: Scrubjay) -> None:
    jay.add("Not to worry, be it or be it not")
    phrase = jay.add("To be or not to be, that was asked").memory.id
    assert jay.search('"to be or not to be"', mode="keyword")[0].memory.id == phrase


@pytest.mark.parametrize("query", ['"', '"" ""', '"unclosed', "`", 'a"b"c"', "«»", '"a" OR "b', "--", "++", "#", "."])
def test_lone_signs_are_no_mistake(jay: Scrubjay, query: str) -> None:
    jay.add("a b c unclosed")
    jay.search(query, mode="keyword")


@given(st.text(st.characters() | st.sampled_from('"“”«»`.,-_/+#@&aAbB19 ')))
def test_any_string_is_a_question(text: str) -> None:
    with scrubjay.open(":memory:", embedder="none") as jay:
        jay.add("useEffect, C++ and 1,000")
        jay.search(text, mode="keyword")


@given(
    st.text(st.characters() | st.sampled_from(".,'+#aAbB19 ")).filter(lambda text: text.strip() and text.isprintable())
)
def test_any_text_can_be_remembered_and_found_by_other_spellings(text: str) -> None:
    with scrubjay.open(":memory:", embedder="none") as jay:
        id = jay.add(text).memory.id
        for spelling in (*parts(text), *extra_spellings(text)):
            assert [hit.memory.id for hit in jay.search(spelling, mode="keyword")] == [id]
        assert jay.check(deep=True).problems == []


@pytest.mark.parametrize("question", ["what is AuthTokenStore for?", 'who wrote "token store of the auth"?'])
def test_names_and_quotes_count_beside_meaning_too(question: str) -> None:
    with scrubjay.open(":memory:") as jay:
        jay.add("The store sells tokens, said the author of the guide")
        best = jay.add("AuthTokenStore, the token store of the auth service, is Ann's").memory.id
        jay.add("Tokens of authentication are kept in a store")
        assert jay.search(question)[0].memory.id == best


# Languages

ASKED = [
    ("¿Quién ganó la copa de la liga?", "El Betis ganó la copa", "La casa de la tía de Ana, en la que se cena"),
    ("Wie lange dauert die Fahrt nach Bonn?", "Fahrt nach Bonn: zwei Stunden", "Wie die Leute nach und nach die Uhr"),
    ("Où sont les clés de la voiture ?", "Clés et voiture : au garage", "Les mots de la fin sont de la mère de Léa"),
    ("Dove sono le chiavi della macchina?", "Chiavi, macchina: garage", "Le storie della nonna sono dove sono"),
    ("Onde está a chave do carro?", "Chave, carro: garagem", "Onde está a avó do menino, a mãe do João"),
    ("Waar is de sleutel van de auto?", "Sleutel, auto: garage", "De man van de buurvrouw is waar hij is"),
    ("Когда был построен мост через реку?", "Мост построен давно", "Когда он был там, был и я"),
    ("東京タワーの高さは？", "東京タワーは333メートル", "京都の東の高い山"),
    ("서울에서 커피를 마신 곳은?", "커피: 서울 명동", "부산에서 차를 마신 곳"),
    ("北京的首都机场在哪里？", "首都机场在顺义", "北方的京剧在哪里"),
]


@pytest.mark.parametrize(("question", "answer", "chatter"), ASKED, ids=[question for question, *_ in ASKED])
def test_small_words_do_not_outweigh_the_others(jay: Scrubjay, question: str, answer: str, chatter: str) -> None:
    best = jay.add(answer).memory.id
    jay.add_many([{"text": chatter}, {"text": f"{chatter}!!"}, {"text": "Something in English"}])
    assert jay.search(question, mode="keyword")[0].memory.id == best


def test_a_question_is_in_another_language_only_if_it_has_more_of_its_words() -> None:
    assert stop_words_for("what was the die for".split()) == STOP_WORDS
    assert stop_words_for("the de la cruz file is in which folder".split()) == STOP_WORDS
    assert stop_words_for(["de", "gaulle"]) == STOP_WORDS
    assert "die" in stop_words_for("wie lange dauert die fahrt".split())
    assert stop_words_for([]) == STOP_WORDS


@pytest.mark.parametrize("language", OTHER_STOP_WORDS.values(), ids=lambda words: "-".join(words.split()[10:13]))
def test_stop_words_are_written_as_the_index_cuts_them(language: str) -> None:
    assert [term.match for word in language.split() for term in terms_of(word)] == language.split()


# The functions themselves


def test_what_is_a_name_of_several_words() -> None:
    assert parts("XMLHttpRequest getHTTPResponse2 S3Bucket iPhone15") == [
        "XML Http Request", "get HTTP Response2", "S3 Bucket", "Phone15",
    ]  # fmt: skip
    assert parts("IDs of PDFs, 5K, BSkyB, clpC, Plain, UPPER, lower") == []


def test_what_has_another_spelling() -> None:
    assert extra_spellings("C++ and G++, C#, .env; 1,000 of 12,345,678") == [
        "Cplusplus", "Gplusplus", "Csharp", "dotenv", "1000", "12345678",
    ]  # fmt: skip
    assert extra_spellings("Wait...what? a+b #tag issue#12 e.g. 3.5, 1,00 and 1,0000") == []


def test_what_belongs_together() -> None:
    assert compound_phrases("'don't' it's a plain sentence, with a comma.") == []
    assert compound_phrases('say "green light" in foo_bar') == ["green light", "foo_bar"]


def test_memories_of_an_older_version_are_found_by_the_parts_of_their_names(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    migrations.migrate(connections := Connections(str(path)), version=6)
    connections.close()
    db = apsw.Connection(str(path))
    there = {name for (name,) in db.execute("select name from pragma_table_info('memories')")}
    row = {name: value for name, value in to_row(memory_of("HTTPServer and 1,000 others")).items() if name in there}
    db.execute(f"insert into memories ({', '.join(row)}) values (:{', :'.join(row)})", row)
    db.close()
    with scrubjay.open(path, embedder="none") as jay:
        assert [hit.memory.id for hit in jay.search("server 1000", mode="keyword")] == [1]
        assert jay.check(deep=True).problems == []


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
