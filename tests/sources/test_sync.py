"""Keeping level: documents are replaced whole, nothing is read or embedded twice, what was deleted stays deleted."""

from __future__ import annotations

import multiprocessing
import os
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import apsw
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

import scrubjay
from scrubjay import Scrubjay
from scrubjay.errors import Invalid, NotFound
from scrubjay.memory.guard import masked
from scrubjay.types import Memory
from tests.support.clock import Clock
from tests.support.examples import examples
from tests.support.notes import TOKEN, Counting, ids, lock_held, passages, section, state, synced, texts, write
from tests.support.processes import PATIENCE_SECONDS, soon

SECTIONS = 6


def page(*words: str) -> str:
    return "# Title\n\n" + "".join(section(number, word) for number, word in enumerate(words))


@pytest.fixture
def embedder() -> Counting:
    return Counting()


@pytest.fixture
def counted(path: Path, clock: Clock, embedder: Counting) -> Iterator[Scrubjay]:
    with scrubjay.open(path, embedder=embedder, clock=clock) as opened:
        yield opened


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    return folder


# What a passage is


def test_a_passage_says_where_it_stands(jay: Scrubjay, notes: Path) -> None:
    text = page("plain", "fancy")
    write(notes / "sub" / "a.md", text)
    synced(jay, notes)
    lines = text.split("\n")
    for place, passage in enumerate(passages(jay)):
        assert passage.lines is not None
        first, last = passage.lines
        assert passage.text == "\n".join(lines[first - 1 : last])
        assert (passage.kind, passage.source) == ("passage", "file:notes/sub/a.md")
        assert (passage.document, passage.context, passage.position) == ("notes/sub/a.md", "notes/sub/a.md", place)
        assert passage.trust == "external"
    assert [passage.title for passage in passages(jay)] == ["Title › Part 0", "Title › Part 1"]


def test_lines_end_as_they_like(jay: Scrubjay, notes: Path) -> None:
    write(notes / "a.md", "# One\r\n\r\nApples are red.\r\nPears are not.\r\n")
    synced(jay, notes)
    (passage,) = passages(jay)
    assert passage.lines == (1, 4)
    assert jay.excerpt(passage.id).text.split("\n")[:4] == ["# One", "", "Apples are red.", "Pears are not."]


def test_front_matter_becomes_metadata_and_tags(jay: Scrubjay, notes: Path) -> None:
    front = "---\ntitle: Fruit\ntags: [red, green]\ndate: 2024-02-03T10:00:00Z\nrating: 4\n---\n"
    write(notes / "a.md", front + "Apples are red.\n")
    synced(jay, notes)
    (passage,) = passages(jay)
    assert (passage.title, passage.tags, passage.lines) == ("Fruit", ("red", "green"), (7, 7))
    assert passage.metadata["rating"] == 4
    assert passage.happened_at.isoformat() == "2024-02-03T10:00:00+00:00"
    assert [hit.memory.id for hit in jay.search("apples", tags=["green"], metadata={"rating": 4})] == [passage.id]


def test_a_journals_name_tells_its_day_and_any_other_file_its_own_time(jay: Scrubjay, notes: Path) -> None:
    write(notes / "2024-02-03.md", "We planted an apple tree.\n")
    (notes / "just-now.md").write_text("And watered it.\n")  # so fresh that it may change again unnoticed
    synced(jay, notes)
    told, fresh = passages(jay)
    assert told.happened_at.astimezone().date().isoformat() == "2024-02-03"
    assert abs(fresh.happened_at.timestamp() - (notes / "just-now.md").stat().st_mtime) < 1


def test_secrets_are_redacted_and_private_parts_left_out(jay: Scrubjay, notes: Path) -> None:
    write(notes / "a.md", f"Apples\nThe token is {TOKEN} today.\n<private>my diary</private>\nPears\n")
    synced(jay, notes)
    (passage,) = passages(jay)
    for text in (passage.text, jay.excerpt(passage.id).text, jay.excerpt("notes/a.md").text):
        assert "[redacted: GitHub token]" in text and "Pears" in text
        assert TOKEN not in text and "diary" not in text


@pytest.mark.parametrize("hidden", ["private", "key"])
def test_no_part_of_a_long_secret_slips_through_a_cut(jay: Scrubjay, notes: Path, hidden: str) -> None:
    lines = [f"MIIEpAIB{number:04}" + "qZ7x" * 13 for number in range(60)]
    opening, closing = ("-----BEGIN RSA PRIVATE KEY-----", "-----END RSA PRIVATE KEY-----")
    if hidden == "private":
        opening, closing = "<private>", "</private>"
    write(notes / "a.md", "\n".join(["# Keys", "", opening, *lines, closing, "", "After the key."]))
    synced(jay, notes)
    shown = [passage.text for passage in passages(jay)] + [jay.excerpt(passage.id).text for passage in passages(jay)]
    shown += [jay.excerpt("notes/a.md", start=start, lines=5).text for start in range(1, 60, 7)]
    assert not any(line in text for line in lines for text in shown)
    after = jay.search("after the key")[0].memory
    assert after.lines and after.lines[1] == 66
    assert jay.excerpt("notes/a.md", start=66, lines=1).text == "After the key."


def test_what_was_deleted_of_a_file_is_in_no_excerpt_of_it(jay: Scrubjay, notes: Path) -> None:
    text = page("garden", "flamingo", "kitchen")
    write(notes / "a.md", text)
    synced(jay, notes)
    garden, flamingo, kitchen = passages(jay)
    jay.delete(flamingo.id)
    for shown in (jay.excerpt(garden.id, around=50), jay.excerpt(kitchen.id, around=50), jay.excerpt("notes/a.md")):
        assert "flamingo" not in shown.text and "[deleted]" in shown.text
        assert garden.text in shown.text and kitchen.text in shown.text
    jay.undelete(flamingo.id)
    assert jay.excerpt("notes/a.md").text == text.removesuffix("\n")


def test_of_a_long_line_only_the_sentences_that_were_deleted_are_left_out(jay: Scrubjay, notes: Path) -> None:
    line = " ".join(f"Sentence number {number} is about a bird of its own." for number in range(200))
    write(notes / "a.md", line + "\n")
    synced(jay, notes)
    first, *others = passages(jay)
    jay.delete(first.id)
    told = jay.excerpt("notes/a.md").text
    assert others and all(other.text in told for other in others)
    assert "Sentence number 0 " not in told and told.endswith(line[-200:])


def test_an_excerpt_follows_a_passage_that_was_moved_by_lines_above_it(jay: Scrubjay, notes: Path) -> None:
    file = write(notes / "a.md", page("plain", "fancy"))
    synced(jay, notes)
    second = passages(jay)[1]
    file.write_text("New\n\nlines\n\n" + page("plain", "fancy"))
    found = jay.excerpt(second.id, around=1)
    assert second.lines is not None
    assert (found.first, found.last) == (second.lines[0] + 3, second.lines[1] + 5)
    assert second.text in found.text
    file.write_text("Nothing is left.\n")
    assert jay.excerpt(second.id).text == second.text
    file.unlink()
    assert jay.excerpt(second.id).text == second.text


# Replacing a document


def test_unchanged_passages_keep_their_ids(jay: Scrubjay, notes: Path) -> None:
    file = write(notes / "a.md", page("plain", "plain", "plain"))
    synced(jay, notes)
    before = ids(passages(jay))
    write(file, "Something new above.\n\n" + page("plain", "fancy", "plain"))
    done = jay.sync()
    after = passages(jay)
    assert (done.changed.kept, done.changed.removed) == (2, 1)
    assert [id for id in ids(after) if id in before] == [before[0], before[2]]
    for passage in after:
        assert passage.lines
        assert jay.excerpt(passage.id, around=0).text == passage.text


def _hammer(path: Path, versions: list[set[str]], stop: Any, seen: Any) -> None:
    with scrubjay.open(path, embedder="hashing") as jay:
        while not stop.is_set():
            found = {memory.text for memory in jay.list(kinds=["passage"])}
            seen.put((found in versions, len(found)))


def test_readers_see_a_document_as_it_was_or_as_it_is(jay: Scrubjay, path: Path, notes: Path) -> None:
    words = ["plain", "fancy"]
    file = write(notes / "a.md", page(*words[:1] * SECTIONS))
    synced(jay, notes)
    versions = []
    for word in words:
        write(file, page(*[word] * SECTIONS))
        jay.sync()
        versions.append(set(texts(passages(jay))))
    assert {len(version) for version in versions} == {SECTIONS} and versions[0].isdisjoint(versions[1])
    context = multiprocessing.get_context("spawn")
    stop, seen = context.Event(), context.Queue()
    reader = context.Process(target=_hammer, args=(path, versions, stop, seen))
    reader.start()
    looked = []
    try:
        looked.append(seen.get(timeout=PATIENCE_SECONDS))
        for number in range(30):
            write(file, page(*[words[number % 2]] * SECTIONS))
            jay.sync()
    finally:
        stop.set()
        while reader.is_alive() or not seen.empty():
            while not seen.empty():
                looked.append(seen.get())
            reader.join(0.05)
    assert len(looked) > 10 and set(looked) == {(True, SECTIONS)}


def changes(path: Path) -> tuple[Any, ...]:
    db = apsw.Connection(str(path))
    try:
        return db.execute("select (select max(seq) from changes), (select count(*) from pieces)").fetchone() or ()
    finally:
        db.close()


def test_a_file_that_was_only_touched_changes_nothing(jay: Scrubjay, path: Path, notes: Path, clock: Clock) -> None:
    file = write(notes / "a.md", page("plain", "fancy"))
    synced(jay, notes)
    before, log = passages(jay), changes(path)
    clock.pass_(days=1)
    write(file, file.read_bytes())
    done = jay.sync()
    assert (done.read, done.embedded, done.changed.added, done.changed.removed) == (1, 0, 0, 0)
    assert passages(jay) == before and changes(path) == log


def test_a_new_title_is_embedded_at_once_and_the_old_one_is_not_forgotten(
    counted: Scrubjay, embedder: Counting, path: Path, notes: Path
) -> None:
    file = write(notes / "a.md", "---\ntitle: One\n---\nApples are red.\n")
    synced(counted, notes)
    (before,) = passages(counted)
    write(file, "---\ntitle: Two\n---\nApples are red.\n")
    assert counted.sync().embedded == 1
    (after,) = passages(counted)
    assert (after.id, after.title) == (before.id, "Two")
    write(file, "---\ntitle: One\n---\nApples are red.\n")
    assert counted.sync().embedded == 0
    assert embedder.asked == ["One\nApples are red.", "Two\nApples are red."]
    assert counted.status().without_vector == 0


def test_a_date_in_front_matter_may_be_corrected(jay: Scrubjay, notes: Path) -> None:
    file = write(notes / "a.md", "---\ndate: 2024-02-03\n---\nWe planted an apple tree.\n")
    synced(jay, notes)
    (before,) = passages(jay)
    write(file, "---\ndate: 2024-03-04\n---\nWe planted an apple tree.\n")
    jay.sync()
    (after,) = passages(jay)
    assert after.id == before.id and after.happened_at.astimezone().date().isoformat() == "2024-03-04"


# What was deleted stays deleted


def five(notes: Path, jay: Scrubjay) -> tuple[Path, Memory]:
    """A file of five passages of which one was deleted."""
    file = write(notes / "a.md", page(*["plain"] * 5))
    synced(jay, notes)
    gone = passages(jay)[2]
    jay.delete(gone.id)
    return file, gone


def edited_elsewhere(jay: Scrubjay, file: Path) -> None:
    write(file, file.read_text().replace("Of part 4 it tells", "Of part 4 we know", 1))


def renamed(jay: Scrubjay, file: Path) -> None:
    file.rename(file.with_name("b.md"))


def renamed_and_edited(jay: Scrubjay, file: Path) -> None:
    edited_elsewhere(jay, file)
    renamed(jay, file)


def moved_with_its_folder(jay: Scrubjay, file: Path) -> None:
    (file.parent / "folder").mkdir()
    file.rename(file.parent / "folder" / "a.md")


def vanished_and_came_back(jay: Scrubjay, file: Path) -> None:
    text = file.read_text()
    file.unlink()
    jay.sync()
    assert passages(jay) == []
    write(file, text)


def forgotten_and_taken_up_again(jay: Scrubjay, file: Path) -> None:
    jay.sources.remove("notes")
    jay.sources.add(file.parent)


@pytest.mark.parametrize(
    "event",
    [
        edited_elsewhere,
        renamed,
        renamed_and_edited,
        moved_with_its_folder,
        vanished_and_came_back,
        forgotten_and_taken_up_again,
    ],
)
@pytest.mark.parametrize("force", [False, True])
def test_a_deleted_passage_stays_deleted(
    jay: Scrubjay, notes: Path, event: Callable[[Scrubjay, Path], None], force: bool
) -> None:
    file, gone = five(notes, jay)
    event(jay, file)
    jay.sync(force=force)
    left = texts(passages(jay))
    assert len(left) == 4 and gone.text not in left
    assert [text.count("part 2") for text in left] == [0] * 4


@pytest.mark.every_store
@pytest.mark.parametrize("event", [edited_elsewhere, renamed, renamed_and_edited, moved_with_its_folder])
def test_what_was_forgotten_of_a_file_is_not_embedded_and_not_cached_when_it_is_read_again(
    counted: Scrubjay, embedder: Counting, notes: Path, event: Callable[[Scrubjay, Path], None]
) -> None:
    file, gone = five(notes, counted)
    counted.forget(gone.id)
    embedder.asked.clear()
    event(counted, file)
    counted.sync()
    assert not any("part 2 it" in text for text in embedder.asked)
    assert len(passages(counted)) == 4 and counted.status().without_vector == 0
    left = [passage for passage in passages(counted) if "Of part 4 we know" in passage.text]
    assert counted.stats().cache.kept == len(left)  # only what the edit has replaced


@pytest.mark.parametrize("tokens", [100, 150, 250])
def test_a_deleted_passage_stays_deleted_when_cut_otherwise(
    path: Path, notes: Path, monkeypatch: pytest.MonkeyPatch, tokens: int
) -> None:
    with scrubjay.open(path, embedder="hashing") as jay:
        five(notes, jay)
    monkeypatch.setenv("SCRUBJAY_CHUNKING_TOKENS", str(tokens))
    with scrubjay.open(path, embedder="hashing") as jay:
        assert jay.status().sources[0].changed == 1
        assert jay.sync().changed.added > 0
        found = passages(jay)
        assert not any("part 2 it" in passage.text for passage in found)
        for part in (0, 1, 3, 4):
            assert any(f"part {part} it" in passage.text for passage in found)


def test_a_file_of_which_all_was_deleted_may_be_renamed(jay: Scrubjay, notes: Path) -> None:
    write(notes / "a.md", "Apples are red.\n")
    synced(jay, notes)
    jay.delete(passages(jay)[0].id)
    (notes / "a.md").rename(notes / "b.md")
    jay.sync()
    assert passages(jay) == []
    (notes / "b.md").rename(notes / "a.md")
    jay.sync()
    assert passages(jay) == []


def test_what_was_deleted_of_a_file_does_not_come_back_by_another_name(jay: Scrubjay, notes: Path) -> None:
    write(notes / "a.md", "Behind the flamingo lies the key of the safe.\n")
    synced(jay, notes)
    jay.delete(passages(jay)[0].id)
    (notes / "a.md").unlink()
    write(notes / "b.md", "Behind the flamingo lies the key of the safe.\nApples are red.\n")
    jay.sync()
    assert texts(passages(jay)) == ["Apples are red."]
    jay.sources.remove("notes")
    jay.sources.add(notes, name="again")
    jay.sync()
    assert texts(passages(jay)) == ["Apples are red."]


def test_deleting_a_passage_leaves_those_that_overlap_with_it(jay: Scrubjay, notes: Path) -> None:
    shorts = "".join(f"- item {number}\n" for number in range(9))
    longs = [f"Paragraph {number} " + f"tells of matter {number} at length. " * 30 for number in range(5)]
    write(notes / "a.md", f"\n{shorts}\n".join(longs))
    synced(jay, notes)
    before = passages(jay)
    assert len(before) > 3
    jay.delete(before[1].id)
    jay.sync(force=True)
    assert ids(passages(jay)) == [before[0].id, *ids(before[2:])]


def test_what_comes_to_share_a_passage_with_deleted_lines_is_not_deleted(jay: Scrubjay, notes: Path) -> None:
    deleted = "## Bob\n\n" + "".join(f"Bob lives in street {number}.\n" for number in range(60))
    before, after = "# People\n\n## Ann\n\n", "\n## Eve\n\nEve lives by the sea.\n"
    file = write(notes / "a.md", before + "Ann lives in the old town. " * 40 + "\n\n" + deleted + after)
    synced(jay, notes)
    for passage in passages(jay):
        if "Bob" in passage.text:
            jay.delete(passage.id)
    write(file, before + "Ann moved.\n\n" + deleted + after + "Eve swims.\n")
    jay.sync()
    found = passages(jay)
    assert "Bob" not in "".join(texts(found))
    assert {"Ann moved." in passage.text for passage in found} == {True, False}
    assert any("Eve swims." in passage.text for passage in found)
    for passage in found:
        assert jay.excerpt(passage.id, around=0).text == passage.text
    jay.sync(force=True)
    assert passages(jay) == found
    assert jay.check(deep=True).problems == []


def test_lines_that_also_stand_elsewhere_are_deleted_only_there(jay: Scrubjay, notes: Path) -> None:
    entries = [f"## Day {day}\n\n- [ ] tea\n- [x] run\n\n" + f"On day {day} we walked far. " * 60 for day in range(4)]
    file = write(notes / "a.md", "\n\n".join(entries))
    synced(jay, notes)
    for passage in passages(jay):
        if "day 1" in passage.text:
            jay.delete(passage.id)
    write(file, file.read_text().replace("On day 3 we walked far.", "On day 3 we rested.", 1))
    jay.sync()
    assert "day 1 " not in "".join(texts(passages(jay)))
    assert any("On day 3 we rested." in passage.text for passage in passages(jay))


def test_a_part_of_a_long_line_stays_deleted_when_the_line_grows(jay: Scrubjay, notes: Path) -> None:
    line = " ".join(f"Sentence number {number} tells of apples and pears." for number in range(120))
    file = write(notes / "a.md", line)
    synced(jay, notes)
    before = passages(jay)
    jay.delete(before[1].id)
    write(file, f"A sentence that is new. {line}")
    jay.sync()
    assert len(passages(jay)) == len(before) - 1


def test_what_corrects_a_passage_survives_the_passage(jay: Scrubjay, notes: Path) -> None:
    file = write(notes / "a.md", "Ann lives in Rome.\n")
    synced(jay, notes)
    (passage,) = passages(jay)
    corrected = jay.supersede(passage.id, "Ann lives in Paris.").memory
    jay.sync(force=True)
    assert texts(passages(jay)) == []
    write(file, "Nothing about Ann.\n")
    jay.sync()
    assert jay.get(corrected.id) is not None
    assert jay.check(deep=True).problems == []


# Reading and embedding no more than needed


def test_a_second_sync_reads_and_embeds_nothing(counted: Scrubjay, embedder: Counting, notes: Path) -> None:
    for number in range(3):
        write(notes / f"{number}.md", page("plain", f"own{number}"))
    first = synced(counted, notes)
    assert (first.read, first.bytes) == (3, sum(file.stat().st_size for file in notes.iterdir()))
    again = counted.sync()
    assert (again.read, again.bytes, again.embedded, again.unchanged) == (0, 0, 0, 3)
    assert first.embedded == len(embedder.asked) == 4  # the first part is the same in each


def test_a_text_is_embedded_once_wherever_it_goes(counted: Scrubjay, embedder: Counting, notes: Path) -> None:
    first, second = write(notes / "a.md", page("one", "two")), write(notes / "b.md", page("one", "three"))
    synced(counted, notes)
    write(first, page("one", "three"))
    write(second, page("four", "two"))
    counted.sync()
    first.unlink()
    counted.sync()
    write(first, page("one", "two"))
    counted.sync()
    write(notes / "c.md", second.read_text())
    second.unlink()
    counted.sync(force=True)
    assert [text for text, times in Counter(embedder.asked).items() if times > 1] == []
    assert len(embedder.asked) == 4
    assert counted.status().without_vector == 0


def test_one_changed_line_embeds_only_its_passages(counted: Scrubjay, embedder: Counting, notes: Path) -> None:
    file = write(notes / "a.md", page(*["plain"] * 10))
    synced(counted, notes)
    embedder.asked.clear()
    write(file, file.read_text().replace("Of part 7 it tells", "Of part 7 we know", 1))
    assert counted.sync().embedded == len(embedder.asked) == 1
    assert "Of part 7 we know" in embedder.asked[0]


def test_the_newest_files_are_embedded_first(counted: Scrubjay, embedder: Counting, notes: Path) -> None:
    for name in ("b", "a", "c"):
        write(notes / f"{name}.md", f"The file {name} is here.\n")
    (notes / "now.md").write_text("The newest file is here.\n")
    counted.sources.add(notes)
    embedder.left = 0
    counted.sync()
    order = [memory.document for memory in sorted(counted.list(), key=lambda memory: -memory.id)]
    assert order == ["notes/now.md", "notes/c.md", "notes/a.md", "notes/b.md"]


def test_words_find_everything_while_the_embedder_is_away(counted: Scrubjay, embedder: Counting, notes: Path) -> None:
    write(notes / "a.md", page("plain", "fancy"))
    embedder.left = 0
    done = synced(counted, notes)
    assert (done.changed.added, done.embedded, done.remaining) == (2, 0, 2)
    assert "switched off" in done.notes[0]
    found = counted.search("fancy", mode="keyword")
    assert len(found) == 1 and "2 memories have no vector yet" in found.notes[0]
    embedder.left = 100
    again = counted.sync()
    assert (again.read, again.embedded, again.remaining, again.notes) == (0, 2, 0, ())
    assert counted.search("fancy").notes == ()


def test_no_embedder_at_all_is_no_reason_to_complain(reopen: Callable[..., Scrubjay], notes: Path) -> None:
    write(notes / "a.md", page("plain", "fancy"))
    with reopen(embedder="none") as jay:
        done = synced(jay, notes)
        assert (done.remaining, done.notes) == (2, ())
        found = jay.search("fancy")
        assert len(found) == 1 and found.notes == ("Searched by words only: no embedder is set (`none`).",)
    with reopen(embedder="hashing") as jay:
        assert jay.sync().embedded == 2


def test_a_file_that_fails_does_not_stop_the_others(jay: Scrubjay, notes: Path) -> None:
    write(notes / "a.md", b"not\0text")
    write(notes / "b.md", "Apples are red.\n")
    write(notes / "c.md", f"---\ntags: [{'x' * 900}]\n---\nPears are green.\n")
    done = synced(jay, notes)
    assert [Path(skipped.path.split(":")[0]).name for skipped in done.skipped] == ["a.md"]
    assert texts(passages(jay)) == ["Apples are red.", "Pears are green."]


class Interrupted(BaseException):
    """As when somebody presses Ctrl-C."""


def test_a_run_that_was_interrupted_is_taken_up(jay: Scrubjay, notes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scrubjay.sources.sync.MEMORIES_AT_ONCE", 2)
    for number in range(9):
        write(notes / f"{number}.md", f"The file {number} is here.\n")
    jay.sources.add(notes)

    def stop(done: int, total: int) -> None:
        if done == 5:
            raise Interrupted

    with pytest.raises(Interrupted):
        jay.sync(reading=stop)
    assert 0 < len(passages(jay)) < 9
    with pytest.raises(Interrupted):
        jay.sync(embedding=lambda done, total: (_ for _ in ()).throw(Interrupted))
    done = jay.sync()
    assert (done.read, done.remaining) == (0, 0)
    assert len(set(texts(passages(jay)))) == len(passages(jay)) == 9
    assert jay.check(deep=True).problems == []


def test_a_document_is_found_with_its_vectors_while_it_is_cut_anew(
    path: Path, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [f"{number}.md" for number in range(12)]
    for name in names:
        write(notes / name, page(f"word{name[0]}", "plain", "plain", "plain"))
    with scrubjay.open(path, embedder="hashing") as jay:
        synced(jay, notes)
    monkeypatch.setenv("SCRUBJAY_CHUNKING_TOKENS", "120")
    monkeypatch.setattr("scrubjay.sources.sync.MEMORIES_AT_ONCE", 10)
    with scrubjay.open(path, embedder="hashing") as jay, scrubjay.open(path, embedder="hashing") as other:
        looks = 0

        def look(done: int, total: int) -> None:
            nonlocal looks
            looks += 1
            assert {f"notes/{name}" for name in names} == {memory.document for memory in other.list()}
            assert other.stats().without_vector == 0

        done = jay.sync(reading=look)
        assert looks == len(names) == done.read
        assert len(passages(jay)) > 48 and done.embedded > 0 and done.remaining == 0


# Telling how far behind


def test_status_counts_what_is_new_changed_and_gone(jay: Scrubjay, notes: Path) -> None:
    for name in "abcde":
        write(notes / f"{name}.md", f"The file {name}.\n")
    synced(jay, notes)
    assert jay.status().behind == 0
    write(notes / "a.md", "Another text.\n")
    (notes / "b.md").unlink()
    (notes / "c.md").rename(notes / "d2.md")
    write(notes / "f.md", "Quite new.\n")
    (level,) = jay.status().sources
    assert (level.new, level.changed, level.gone, level.documents, level.memories) == (2, 1, 2, 5, 5)
    jay.sync()
    (level,) = jay.status().sources
    assert (level.behind, level.documents, level.memories) == (0, 5, 5)


def test_a_search_says_when_it_is_behind(jay: Scrubjay, notes: Path) -> None:
    write(notes / "a.md", "Apples are red.\n")
    synced(jay, notes)
    assert jay.search("apples").notes == ()
    write(notes / "b.md", "Pears are green.\n")
    with scrubjay.open(jay.stats().file, embedder="hashing") as other:
        assert "1 document has changed" in other.search("apples").notes[0]
        assert other.sync_on("search") is None
        assert other.sync_on("session_start") is not None
        assert other.search("pears").notes == ()


def test_a_search_looks_at_no_large_source_and_says_so(
    jay: Scrubjay, notes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(4):
        write(notes / f"folder/{number}.md", f"Apples are red {number}.\n")
    write(tmp_path / "few/a.md", "Plums are blue.\n")
    jay.sources.add(tmp_path / "few")
    synced(jay, notes)
    write(notes / "b.md", "Pears are green.\n")
    write(tmp_path / "few/b.md", "Kiwis are brown.\n")
    for most, behind in ((6, 2), (5, 1)):
        monkeypatch.setattr("scrubjay.sources.staleness.MOST_FILES", most)
        with scrubjay.open(jay.stats().file, embedder="hashing") as other:
            changed, *more = other.search("apples").notes
            assert changed.startswith(f"The memory is out of date: {behind} document")
            said = "Not checked for changes, because of more than 5 files: notes; `scrubjay status` looks there."
            assert more == ([said] if behind == 1 else []) and other.status().behind == 2
    with scrubjay.open(jay.stats().file, embedder="hashing") as other:
        other.sync("few")
        done = other.sync_on("session_start")
        assert done is not None and done.changed.added == 1


def test_a_search_waits_for_no_sync(jay: Scrubjay, path: Path, notes: Path) -> None:
    write(notes / "a.md", "Apples are red.\n")
    synced(jay, notes)
    write(notes / "b.md", "Pears are green.\n")
    with lock_held(f"{path}.sync.lock"):
        assert soon(lambda: len(jay.search("apples"))) == 1
        status = soon(jay.status)
        assert status.syncing and status.behind == 1
        assert soon(lambda: jay.excerpt("notes/a.md")).text
        waiting = threading.Thread(target=jay.sync, daemon=True)
        waiting.start()
        assert soon(lambda: len(jay.search("apples"))) == 1
    waiting.join(PATIENCE_SECONDS)
    assert not jay.status().syncing and len(passages(jay)) == 2


def test_vectors_wait_for_a_process_that_embeds_already(jay: Scrubjay, path: Path, notes: Path) -> None:
    write(notes / "a.md", "Apples are red.\n")
    with lock_held(f"{path}.embed.lock"):
        done = synced(jay, notes)
        assert (done.remaining, done.changed.added) == (1, 1) and "Another process" in done.notes[0]
    assert jay.sync().embedded == 1


# What is cut from sources, among memories


def test_passages_do_not_crowd_out_a_memory_that_answers_as_well(jay: Scrubjay, notes: Path) -> None:
    lines = "".join(f"## Entry {number}\n\n" + "The deploy uses blue green rollout. " * 6 for number in range(500))
    write(notes / "a.md", lines.replace("## Entry", "\n\n## Entry"))
    for number in range(500):
        write(notes / "many" / f"{number}.md", f"The deploy uses blue green rollout, as said in {number}.\n")
    synced(jay, notes)
    memory = jay.add("The deploy uses blue green rollout").memory
    found = jay.search("how does the deploy rollout work: blue green?", limit=10)
    assert memory.id in [hit.memory.id for hit in found] and len(found) == 10
    assert [hit.score for hit in found] == sorted((hit.score for hit in found), reverse=True)


def test_memories_that_do_not_answer_displace_no_passage(jay: Scrubjay, notes: Path) -> None:
    for number in range(20):
        write(notes / f"{number}.md", f"The deploy uses blue green rollout, as said in {number}.\n")
    synced(jay, notes)
    jay.add_many([{"text": f"Aunt {name} grows roses"} for name in ("May", "Eve", "Ida", "Una", "Zoe", "Ada")])
    found = jay.search("how does the deploy rollout work: blue green?", limit=10)
    assert {hit.memory.kind for hit in found} == {"passage"} and len(found) == 10


def test_filters_hold_for_passages(jay: Scrubjay, notes: Path, tmp_path: Path) -> None:
    write(notes / "a.md", "Apples are red.\n")
    write(tmp_path / "other" / "b.md", "Apples are green.\n")
    jay.sources.add(tmp_path / "other")
    synced(jay, notes)
    own = jay.add("Apples are sweet").memory
    assert {hit.memory.kind for hit in jay.search("apples", kinds=["passage"])} == {"passage"}
    assert [hit.memory.text for hit in jay.search("apples", sources=["file:notes/a.md"])] == ["Apples are red."]
    assert len(jay.search("apples", sources=["file"])) == 2
    assert [hit.memory.id for hit in jay.search("apples", sources=["manual"])] == [own.id]


def test_forgetting_a_source_removes_exactly_what_was_cut_from_it(jay: Scrubjay, notes: Path, tmp_path: Path) -> None:
    write(notes / "a.md", page("plain", "fancy"))
    write(tmp_path / "notes-too" / "a.md", page("plain"))
    own = jay.add("Apples are sweet").memory
    jay.sources.add(tmp_path / "notes-too")
    synced(jay, notes)
    assert jay.sources.remove("notes").removed == 2
    assert {memory.document for memory in jay.list()} == {None, "notes-too/a.md"} and jay.get(own.id)
    with pytest.raises(NotFound, match="there are: notes-too"):
        jay.sources.remove("notes")
    assert jay.check(deep=True).problems == []


def test_a_source_that_is_forgotten_during_its_sync_stays_forgotten(jay: Scrubjay, path: Path, notes: Path) -> None:
    write(notes / "a.md", "Apples are red.\n")
    jay.sources.add(notes)
    with scrubjay.open(path, embedder="hashing") as other:
        done = jay.sync(reading=lambda done, total: None if done == 0 else _forget(other))
    assert done.changed.added == 0
    assert (jay.list(), jay.sources.list()) == ([], [])
    assert jay.check(deep=True).problems == []


def _forget(jay: Scrubjay) -> None:
    jay.sources.remove("notes")


def test_sources_that_could_have_documents_of_one_name_get_other_names(jay: Scrubjay, tmp_path: Path) -> None:
    roots = [tmp_path / "notes", tmp_path / "x" / "sub", tmp_path / "y" / "notes" / "sub"]
    write(roots[0] / "sub" / "a.md", "One.\n")
    write(roots[1] / "a.md", "Two.\n")
    write(roots[2] / "a.md", "Three.\n")
    names = [jay.sources.add(root).name for root in roots]
    assert names[:2] == ["notes", "sub"] and names[2].endswith("y/notes/sub")
    jay.sync()
    assert sorted(texts(passages(jay))) == ["One.", "Three.", "Two."]
    assert jay.status().behind == 0
    (tmp_path / "z").mkdir()
    for name in ("notes", "notes/z", "notes/z/"):
        with pytest.raises(Invalid, match="overlaps"):
            jay.sources.add(tmp_path / "z", name=name)


# Looking for what should never be


def test_passages_whose_source_was_lost_are_known_again_when_their_folder_is_synced(
    jay: Scrubjay, path: Path, notes: Path
) -> None:
    write(notes / "a.md", page("plain", "fancy"))
    synced(jay, notes)
    before = [(memory.id, memory.text) for memory in passages(jay)]
    db = apsw.Connection(str(path))
    db.execute("delete from documents; delete from sources")
    db.close()
    assert all("sync its folder again" in problem for problem in jay.check(deep=True).problems)
    synced(jay, notes)
    assert [(memory.id, memory.text) for memory in passages(jay)] == before
    assert jay.check(deep=True).problems == []


def test_check_tells_of_orphans_and_of_twins(jay: Scrubjay, path: Path, notes: Path) -> None:
    write(notes / "a.md", page("plain", "fancy"))
    synced(jay, notes)
    first, second = passages(jay)
    assert jay.check(deep=True).problems == []
    db = apsw.Connection(str(path))
    db.execute("update memories set position = 0 where id = ?", (second.id,))
    assert jay.check(deep=True).problems == ["2 passages stand at place 0 of 'notes/a.md'."]
    db.execute("update memories set position = 1, document = 'notes/b.md' where id = ?", (second.id,))
    (problem,) = jay.check(deep=True).problems
    assert problem.startswith(
        f"Memory {second.id} was cut from 'notes/b.md', which is not known; sync its folder again"
    )
    jay.delete(second.id)
    assert jay.check(deep=True).problems == [] and jay.get(first.id)
    db.close()


# Whatever happens to files


class Vault(RuleBasedStateMachine):
    """Files are written, renamed and deleted, and now and then the memory is brought level."""

    names = st.sampled_from(["a.md", "b.md", "sub/a.md", "sub/c.md"])
    content = st.lists(st.sampled_from(["one", "two", "three", "four"]), max_size=3)

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(self.make_folder())
        self.notes = self.folder / "notes"
        self.notes.mkdir()
        self.jay = scrubjay.open(self.folder / "memory.db", embedder="hashing")
        self.jay.sources.add(self.notes)
        self.fresh = 0

    make_folder: Callable[[], str]

    @rule(name=names, words=content)
    def edit(self, name: str, words: list[str]) -> None:
        write(self.notes / name, page(*words) if words else "")

    @rule(old=names, new=names)
    def rename(self, old: str, new: str) -> None:
        if (self.notes / old).exists():
            (self.notes / new).parent.mkdir(exist_ok=True)
            (self.notes / old).rename(self.notes / new)

    @rule(name=names)
    def delete(self, name: str) -> None:
        (self.notes / name).unlink(missing_ok=True)

    @rule(force=st.booleans())
    def sync(self, force: bool) -> None:
        self.jay.sync(force=force)

    @rule()
    def compare(self) -> None:
        self.jay.sync()
        self.fresh += 1
        with scrubjay.open(self.folder / f"fresh{self.fresh}.db", embedder="hashing") as fresh:
            fresh.sources.add(self.notes)
            fresh.sync()
            assert state(self.jay) == state(fresh)
        assert self.jay.status().without_vector == 0
        assert self.jay.sync().read == 0

    @invariant()
    def is_whole(self) -> None:
        assert self.jay.check(deep=True).problems == []

    def teardown(self) -> None:
        self.compare()
        self.jay.close()


@pytest.mark.hypothesis
def test_any_sequence_of_events_ends_as_if_it_were_synced_once(tmp_path: Path) -> None:
    numbers = iter(range(10**6))

    def make_folder(self: Vault) -> str:
        folder = tmp_path / f"case{next(numbers)}"
        folder.mkdir()
        return str(folder)

    machine: Any = type("Case", (Vault,), {"make_folder": make_folder})
    machine.TestCase.settings = settings(max_examples=examples(5, searched=150), stateful_step_count=12)
    machine.TestCase("runTest").runTest()


PIECES = st.sampled_from(["\n", "<private>", "</private>", f" {TOKEN} ", "password: ", "hunter2x9!Q", "text ", "\r\n"])


@given(st.lists(PIECES, max_size=30))
def test_guarding_a_document_moves_no_line(pieces: list[str]) -> None:
    document = "".join(pieces)
    shown = masked(document, "refuse")
    assert shown.count("\n") == document.count("\n")
    assert TOKEN not in shown
    assert masked(shown, "refuse") == shown


def test_what_was_changed_by_hand_outlives_a_touch(jay: scrubjay.Scrubjay, tmp_path: Path) -> None:
    page = tmp_path / "notes" / "a.md"
    page.parent.mkdir()
    page.write_text("Ann likes tea")
    jay.sources.add(page.parent)
    jay.sync()
    (passage,) = jay.list(kinds=["passage"])
    jay.update(passage.id, tags=["mine"])
    os.utime(page, (1, 1))
    assert jay.sync().read == 1
    assert jay.list(kinds=["passage"])[0].tags == ("mine",)


def test_a_source_that_is_given_again_keeps_its_settings(jay: scrubjay.Scrubjay, tmp_path: Path) -> None:
    jay.sources.add(tmp_path, exclude=["drafts/"], ignored=True)
    again = jay.sources.add(tmp_path)
    assert (again.exclude, again.ignored) == (("drafts/",), True)
    talks = jay.sources.add(tmp_path, kind="transcripts", client="codex")
    assert jay.sources.add(tmp_path, kind="transcripts").client == talks.client == "codex"
