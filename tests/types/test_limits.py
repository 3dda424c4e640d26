"""How much one memory holds, and how much one answer: each limit is said in one sentence, and nothing is changed."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pytest

from scrubjay import Scrubjay
from scrubjay.errors import Invalid, NotFound
from scrubjay.interfaces.mcp import replies
from scrubjay.interfaces.mcp.tools.core import memory_get as offer
from scrubjay.interfaces.mcp.tools.core import memory_search, memory_timeline
from scrubjay.interfaces.mcp.tools.knowledge import memory_list
from scrubjay.interfaces.mcp.tools.sessions import session_list
from scrubjay.models.embedding import pieces_of
from scrubjay.text.nearest import nearest
from scrubjay.text.secret_scan import scan
from scrubjay.types import limits
from tests.support.commands import Run


def memory_get(jay: Scrubjay, ids: list[int], **given: Any) -> str:
    return offer.function(jay, ids, **given).text


def nested(depth: int) -> dict[str, Any]:
    value: dict[str, Any] = {}
    for _ in range(depth):
        value = {"a": value}
    return value


TOO_MUCH: dict[str, dict[str, Any]] = {
    "at most 100 tags": {"tags": [f"tag {number}" for number in range(101)]},
    "A tag must be text of 1 to 100": {"tags": ["x" * 101]},
    "metadata would have": {"metadata": {"log": "x" * 20_000}},
    "nested more than 20 deep": {"metadata": nested(21)},
    "nested more than 20": {"metadata": {"a": [[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]}},
    "context is 20,001 characters long": {"context": "x" * 20_001},
    "title must be text of 1 to 500": {"title": "x" * 501},
    "subject must be text of 1 to 500": {"subject": "x" * 501},
}


@pytest.mark.parametrize("sentence", TOO_MUCH)
def test_what_does_not_fit_is_refused_in_one_sentence(jay: Scrubjay, sentence: str) -> None:
    with pytest.raises(Invalid, match=sentence):
        jay.add("Apples are red.", **TOO_MUCH[sentence])
    assert jay.list() == []
    kept = jay.add("Apples are red.").memory
    with pytest.raises(Invalid, match=sentence):
        jay.update(kept.id, **TOO_MUCH[sentence])
    assert jay.list() == [kept]


@pytest.mark.parametrize(
    ("tool", "given"),
    [(memory_list, {"limit": 2**30}), (memory_timeline, {"id": 1, "window": 2**30}), (session_list, {"limit": 2**30}),
     (memory_search, {"query": "a", "limit": 2**30}), (offer, {"ids": [1], "around": 2**30})],
    ids=lambda value: getattr(value, "name", ""),
)  # fmt: skip
def test_no_agent_has_the_whole_memory_read_for_one_answer(jay: Scrubjay, tool: Any, given: dict[str, Any]) -> None:
    jay.add("Apples are red.")
    with pytest.raises(Invalid, match="to 1000, not 1073741824"):
        tool.function(jay, **given)


LONG_FIELDS = ("kind", "subject", "title", "context", "session", "project", "source", "expires_at", "happened_at")
HUGE = "the password is x1Y2z3W4q5\n" * 40_000
TOO_LONG_FOR_ITS_PLACE: dict[str, Any] = {
    **{f"add {name}": partial(lambda name, jay: jay.add("x", **{name: HUGE}), name) for name in LONG_FIELDS},
    **{f"update {name}": partial(lambda name, jay: jay.update(1, **{name: HUGE}), name) for name in LONG_FIELDS},
    "add metadata": lambda jay: jay.add("x", metadata={"a": HUGE}),
    "add tags": lambda jay: jay.add("x", tags=[HUGE]),
    "update metadata": lambda jay: jay.update(1, metadata={"a": HUGE}),
    "update tags": lambda jay: jay.update(1, tags=[HUGE]),
    "supersede reason": lambda jay: jay.supersede(1, "y", reason=HUGE),
    "link": lambda jay: jay.link(1, 1, HUGE),
    "profile.set value": lambda jay: jay.profile.set("a", HUGE),
    "profile.set path": lambda jay: jay.profile.set(HUGE, 1),
    "profile.merge": lambda jay: jay.profile.merge({"a": HUGE}),
    "contacts.create": lambda jay: jay.contacts.create(name="Ann", notes=HUGE),
    "skills.create": lambda jay: jay.skills.create(name="Feeding", instructions=HUGE),
    "projects.create": lambda jay: jay.projects.create(name=HUGE),
    "projects.create contact": lambda jay: jay.projects.create(name="Vega", primary_contact=HUGE),
    "projects.create contacts": lambda jay: jay.projects.create(name="Vega", participants=[HUGE] * 2),
    "tasks.create": lambda jay: jay.tasks.create("Feed it", note=HUGE),
    "sessions.start": lambda jay: jay.sessions.start(HUGE),
    "search subject": lambda jay: jay.search("x", subject=HUGE),
    "search tags": lambda jay: jay.search("x", tags=[HUGE]),
    "search metadata": lambda jay: jay.search("x", metadata={f"key{number}": 1 for number in range(101)}),
    "tasks.update": lambda jay: jay.tasks.update(jay.tasks.create("Feed it").memory.id, note=HUGE[:900_000]),
    "list sources": lambda jay: jay.list(sources=[HUGE]),
}


@pytest.mark.parametrize("call", TOO_LONG_FOR_ITS_PLACE)
def test_what_is_too_long_is_refused_before_it_is_scanned_for_secrets(
    jay: Scrubjay, call: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    jay.add("Apples are red.")
    scanned: list[int] = []
    by_rules = scan._found_by_rules

    def counted(text: str) -> Any:
        scanned.append(len(text))
        return by_rules(text)

    monkeypatch.setattr(scan, "_found_by_rules", counted)
    with pytest.raises(Invalid):
        TOO_LONG_FOR_ITS_PLACE[call](jay)
    assert sum(scanned) < len(HUGE) / 2  # an error quotes its beginning


def test_a_name_that_is_longer_than_any_is_compared_with_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("difflib.get_close_matches", lambda *given: [])
    assert nearest("x" * 180, ["x"]) is None
    monkeypatch.setattr("difflib.get_close_matches", lambda *given: pytest.fail("compared"))
    assert nearest("x" * 181, ["x"]) is None


@pytest.mark.parametrize("length", [0, 1, limits.QUERIES, limits.QUERIES + 1, 3 * limits.QUERIES])
@pytest.mark.parametrize("query", ["a", "a" * 1_000, "a" * 2 * limits.QUERIES_CHARACTERS])
def test_queries_are_cut_into_parts_of_which_each_is_taken(length: int, query: str) -> None:
    parts = list(limits.parts_of([query] * length))
    assert sum(map(len, parts)) == length
    for part in parts:
        limits.check_queries(part)


def test_what_just_fits_is_stored(jay: Scrubjay) -> None:
    tags = [f"tag {number}" for number in range(100)]
    kept = jay.add("Apples are red.", tags=tags, metadata=nested(20), context="x" * 20_000, title="x" * 500).memory
    assert (len(kept.tags), len(kept.title), len(kept.context or "")) == (100, 500, 20_000)


def test_tags_and_metadata_do_not_grow_over_the_limit_bit_by_bit(jay: Scrubjay) -> None:
    jay.add("Apples are red.", kind="fact", tags=[f"a{number}" for number in range(60)], metadata={"a": "x" * 12_000})
    with pytest.raises(Invalid, match="would have 120"):
        jay.add("Apples are red.", kind="fact", tags=[f"b{number}" for number in range(60)])
    with pytest.raises(Invalid, match="at most 20,000"):
        jay.add("Apples are red.", kind="fact", metadata={"b": "x" * 12_000})
    with pytest.raises(Invalid, match="at most 20,000"):
        jay.update(1, metadata={"b": "x" * 12_000})
    (kept,) = jay.list()
    assert len(kept.tags) == 60 and list(kept.metadata) == ["a"]


def test_a_text_that_is_too_long_is_told_to_be_a_file(jay: Scrubjay) -> None:
    with pytest.raises(Invalid, match="at most 1,000,000 fit in one memory; save it as a file and `scrubjay sync`"):
        jay.add("x" * 1_000_001)


class Whole:
    """An embedder that shows what it is asked to cut."""

    model, dimensions = "whole", 1

    def pieces(self, text: str) -> list[str]:
        return [text]

    def embed(self, texts: Any, query: bool = False) -> Any:
        raise AssertionError


def test_of_a_long_text_the_beginning_is_embedded_and_that_is_said(jay: Scrubjay) -> None:
    added = jay.add("apple " * 100_000 + "zebra")
    assert any("its first 32,000 characters are found by meaning" in note for note in added.notes)
    assert jay.search("zebra", mode="keyword")[0].memory.id == added.memory.id
    assert sum(map(len, pieces_of(Whole(), added.memory))) <= limits.EMBEDDED_CHARACTERS
    assert not jay.add("A short one.").notes


def test_what_stands_on_two_pages_is_never_in_one_piece(jay: Scrubjay) -> None:
    pages = jay.add("the first\n\f\nthe second\f\f", kind="passage").memory
    assert pieces_of(Whole(), pages) == ["the first", "the second"]
    blank = jay.add("\f" * limits.EMBEDDED_CHARACTERS + "x", kind="passage").memory
    assert len(pieces_of(Whole(), blank)) == 1


def test_a_sentence_about_what_is_wrong_is_short(jay: Scrubjay) -> None:
    with pytest.raises(Invalid) as refused:
        jay.add("Apples are red.", kind="x" * 1_000_000)
    assert len(str(refused.value)) <= 2_001
    with pytest.raises(Invalid, match="This number is no memory's id"):
        jay.get(10**5_000)


# An answer to an agent


@pytest.fixture
def heavy(jay: Scrubjay) -> Scrubjay:
    tags = [f"{number:03}{'t' * 97}" for number in range(100)]
    for number in range(20):
        jay.add(f"Memory {number}.", tags=tags, metadata={"m": "m" * 19_000}, context="c" * 20_000)
    return jay


def test_an_answer_stays_small_whatever_a_memory_holds(heavy: Scrubjay) -> None:
    assert len(memory_get(heavy, list(range(1, 21)))) < 60_000
    assert len(memory_get(heavy, [1] * 10_000)) == len(memory_get(heavy, [1]))


@pytest.mark.parametrize("field", ["tags", "metadata", "context"])
def test_the_rest_of_a_field_can_be_had_as_the_answer_says(heavy: Scrubjay, field: str) -> None:
    assert f'offset=600, field="{field}")' in memory_get(heavy, [1])
    rest = memory_get(heavy, [1], offset=600, field=field)
    assert f"[1] {field}" in rest and "more characters: memory_get([1], offset=8600" in rest
    assert "more characters" not in memory_get(heavy, [1], offset=16_600, field=field)


def test_too_many_ids_and_unknown_ones_are_said_briefly(heavy: Scrubjay) -> None:
    with pytest.raises(Invalid, match="at most 50 ids at a time, not 51"):
        memory_get(heavy, list(range(1, 52)))
    with pytest.raises(NotFound) as missing:
        memory_get(heavy, [2**62 + number for number in range(50)])
    assert len(str(missing.value)) <= 2_001
    with pytest.raises(Invalid, match="field must be one of text, context, tags, aliases, metadata"):
        memory_get(heavy, [1], field="uid")


def test_the_command_line_says_it_too(run: Run) -> None:
    done = run("add", "Apples are red.", *(word for number in range(101) for word in ("--tag", f"t{number}")))
    assert done.code == 2 and "at most 100 tags" in done.err


def test_a_list_for_an_agent_holds_no_more_than_one_answer_should() -> None:
    answer = replies.lines([f"[{number}] " + "a" * 100 for number in range(5_000)], [f"{one}" for one in range(5_000)])
    assert len(answer) < 1.2 * replies.LINES_CHARACTERS and answer.count("</memories>") == 1
    assert "more do not fit into one answer" in answer


def test_a_filter_names_a_bounded_number_of_words_each_once(jay: Scrubjay) -> None:
    with pytest.raises(Invalid, match="at most 100"):
        jay.search("tea", tags=[f"tag {number}" for number in range(101)])
    assert len(jay.search("tea", tags=["none"] * 10_000).notes) == 1


def test_so_many_spaces_are_named_at_most(jay: Scrubjay) -> None:
    names = [f"s{number}" for number in range(101)]
    assert not jay.search("heron", spaces=names[:100])
    for ask in (partial(jay.search, "heron"), jay.list, partial(jay.get, 1), jay.filter_notes):
        with pytest.raises(Invalid, match="spaces may name at most 100, not 101"):
            ask(spaces=names)


def test_a_file_of_more_spaces_is_counted_and_exported(jay: Scrubjay, tmp_path: Path) -> None:
    for number in range(101):
        jay.lend(space=f"s{number}").add("A heron", kind="fact")
    assert len(jay.spaces()) >= 101
    assert jay.export(tmp_path / "all.jsonl", all_spaces=True, kinds=["fact"]).memories == 101
