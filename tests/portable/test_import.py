"""Imports: merged by uid, resumable, with the guard and the trust that a file has earned."""

from __future__ import annotations

import itertools
import json
from collections import defaultdict
from collections.abc import Callable, Iterator
from datetime import timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import scrubjay
from scrubjay import Invalid, Scrubjay
from scrubjay.stores.transfer import transfer
from tests.support.clock import Clock
from tests.support.commands import Run
from tests.support.random_life import choices, live

Lines = list[dict[str, Any]]
TRANSCRIPTS = Path(__file__).parents[1] / "data" / "transcripts"


@pytest.fixture
def other(tmp_path: Path, clock: Clock) -> Iterator[Scrubjay]:
    """Another memory of the same user."""
    with scrubjay.open(tmp_path / "other.db", embedder="hashing", clock=clock) as opened:
        yield opened


def lines(file: Path) -> Lines:
    return [json.loads(line) for line in file.read_text().splitlines()]


def written(file: Path, lines: Lines) -> Path:
    """A file as somebody else could write it: its digest is right, but it is not signed with the user's key."""
    content = b"".join(json.dumps(line).encode() + b"\n" for line in lines if line["type"] != "end")
    end = {"type": "end", "lines": content.count(b"\n"), "sha256": sha256(content).hexdigest(), "signature": "0" * 64}
    file.write_bytes(content + json.dumps(end).encode() + b"\n")
    return file


def forged(jay: Scrubjay, file: Path, change: Callable[[Lines], object] = lambda lines: None) -> Path:
    """An export of this memory with something changed in it."""
    jay.export(file, vectors=True)
    found = lines(file)
    change(found)
    return written(file, found)


def content(jay: Scrubjay, file: Path) -> set[str]:
    """All that an export says, whatever the order; a change is told by the steps that it has."""
    jay.export(file)
    found, members = lines(file)[1:-1], defaultdict(list)
    for line in found:
        if line["type"] == "step":
            members[line["change"]].append((line["old"], line["at"]))
    for line in found:
        if line["type"] == "step":
            line["change"] = sorted(members[line["change"]])
            line["undoes"] = sorted(members[line["undoes"]]) if "undoes" in line else None
    return {json.dumps(line, sort_keys=True) for line in found}


# Merging


@settings(max_examples=8)
@given(before=choices, one=choices, two=choices)
def test_two_memories_that_diverged_agree_after_each_was_imported_into_the_other(
    before: Any, one: Any, two: Any, tmp_path_factory: Any
) -> None:
    folder, clock = tmp_path_factory.mktemp("both"), Clock()
    with (
        scrubjay.open(folder / "a.db", embedder="hashing", clock=clock) as a,
        scrubjay.open(folder / "b.db", embedder="hashing", clock=clock) as b,
    ):
        live(a, clock, before)
        a.export(folder / "start.jsonl")
        b.import_file(folder / "start.jsonl")
        live(a, clock, [choice for choice in one if choice[0] != 9])
        live(b, clock, [choice for choice in two if choice[0] != 9])
        a.export(folder / "a.jsonl")
        b.export(folder / "b.jsonl")
        a.import_file(folder / "b.jsonl")
        b.import_file(folder / "a.jsonl")
        for _ in range(2):  # what was settled here may in turn be news there
            a.export(folder / "a.jsonl")
            b.import_file(folder / "a.jsonl")
            b.export(folder / "b.jsonl")
            a.import_file(folder / "b.jsonl")
        assert a.check(deep=True).problems == [] == b.check(deep=True).problems
        assert content(a, folder / "a.jsonl") == content(b, folder / "b.jsonl")


@settings(max_examples=12)
@given(chosen=choices, stop_after=st.integers(0, 24), within=st.booleans())
def test_an_import_that_was_interrupted_at_any_point_is_resumed_by_the_next(
    chosen: Any, stop_after: int, within: bool, tmp_path_factory: Any
) -> None:
    """Between two batches, or within one, which is then undone."""
    folder, clock = tmp_path_factory.mktemp("broken"), Clock()
    with scrubjay.open(folder / "a.db", embedder="hashing", clock=clock) as one:
        live(one, clock, chosen)
        one.export(folder / "a.jsonl", vectors=True)
    calls, put = itertools.count(), transfer._put

    def interrupt(*given: Any) -> Any:
        if next(calls) == stop_after:
            raise KeyboardInterrupt
        return put(*given) if within else None

    with pytest.MonkeyPatch.context() as patch, scrubjay.open(folder / "b.db", embedder="hashing", clock=clock) as two:
        patch.setattr("scrubjay.portable.import_export.AT_ONCE", 3)
        if within:
            patch.setattr(transfer, "_put", interrupt)
        try:
            two.import_file(folder / "a.jsonl", progress=None if within else interrupt)
        except KeyboardInterrupt:
            two.import_file(folder / "a.jsonl")
        two.export(folder / "b.jsonl", vectors=True)
        assert two.check(deep=True).problems == []
    assert (folder / "a.jsonl").read_bytes() == (folder / "b.jsonl").read_bytes()


def test_of_two_replacements_the_newer_one_holds_and_both_are_in_the_history(
    jay: Scrubjay, other: Scrubjay, tmp_path: Path, clock: Clock
) -> None:
    old = jay.add("The port is 1", kind="fact").memory
    jay.export(tmp_path / "a")
    other.import_file(tmp_path / "a")
    clock.pass_(minutes=1)
    jay.supersede(old.id, "The port is 2")
    clock.pass_(minutes=1)
    other.supersede(1, "The port is 3")
    other.export(tmp_path / "b")
    jay.import_file(tmp_path / "b")
    replaced = jay.get(old.id)
    assert replaced is not None and replaced.superseded_by is not None
    assert jay.get(replaced.superseded_by).text == "The port is 3"  # type: ignore[union-attr]
    assert [(step.new, step.undone_reason) for step in jay.history(old.id).steps] == [
        (2, "another store has a newer change"),
        (3, None),
    ]


def test_a_text_that_both_have_is_one_current_memory(jay: Scrubjay, other: Scrubjay, tmp_path: Path) -> None:
    jay.add("The kettle is blue", kind="fact")
    other.add("The kettle is blue", kind="fact")
    other.export(tmp_path / "b")
    jay.import_file(tmp_path / "b")
    assert [memory.text for memory in jay.list()] == ["The kettle is blue"]
    assert len(jay.list(include_superseded=True)) == 2


def carried_over(jay: Scrubjay, other: Scrubjay, folder: Path) -> Scrubjay:
    """The other memory, after it has imported all of this one and gives the same export."""
    jay.export(folder / "a")
    other.import_file(folder / "a")
    other.export(folder / "b")
    assert (folder / "a").read_bytes() == (folder / "b").read_bytes()
    return other


def test_a_memory_that_was_current_only_between_two_steps_retires_no_other(
    jay: Scrubjay, other: Scrubjay, tmp_path: Path, clock: Clock
) -> None:
    first = jay.add("The copper is blue", kind="fact").memory
    second = jay.supersede(first.id, "The violin is red").memory
    jay.revert(second.id)
    jay.revert(second.id)
    clock.pass_(minutes=1)
    third = jay.add("The copper is blue", kind="fact").memory
    assert {memory.uid for memory in carried_over(jay, other, tmp_path).list()} == {second.uid, third.uid}


def test_a_memory_that_the_file_says_was_replaced_since_retires_no_other(
    jay: Scrubjay, other: Scrubjay, tmp_path: Path, clock: Clock
) -> None:
    first = jay.add("The copper is blue", kind="fact").memory
    jay.export(tmp_path / "a")
    other.import_file(tmp_path / "a")
    second = jay.supersede(first.id, "The violin is red").memory
    clock.pass_(minutes=1)
    third = jay.add("The copper is blue", kind="fact").memory
    assert {memory.uid for memory in carried_over(jay, other, tmp_path).list()} == {second.uid, third.uid}


def test_what_was_deleted_is_not_brought_back_and_is_deleted_elsewhere(
    jay: Scrubjay, other: Scrubjay, tmp_path: Path, clock: Clock
) -> None:
    gone = jay.add("The flamingo is called Otto").memory
    jay.export(tmp_path / "old")
    other.import_file(tmp_path / "old")
    clock.pass_(minutes=1)
    jay.delete(gone.id)
    jay.trash.empty()
    assert jay.import_file(tmp_path / "old").left_out == {"it was deleted here later": 1}
    assert jay.list() == []
    jay.export(tmp_path / "new")
    assert other.import_file(tmp_path / "new").changed == {"deletion": 1}
    assert other.list() == [] and [one.reason for one in other.trash.list()] == ["deleted elsewhere"]


def test_what_was_changed_after_the_deletion_comes_back(
    jay: Scrubjay, other: Scrubjay, tmp_path: Path, clock: Clock
) -> None:
    gone = jay.add("The flamingo is called Otto").memory
    jay.export(tmp_path / "a")
    other.import_file(tmp_path / "a")
    clock.pass_(minutes=1)
    jay.delete(gone.id)
    clock.pass_(minutes=1)
    other.update(1, tags=["bird"])
    other.export(tmp_path / "b")
    jay.import_file(tmp_path / "b")
    assert [memory.tags for memory in jay.list()] == [("bird",)]
    assert jay.trash.list() == []


def test_a_step_leads_again_to_a_memory_that_comes_back_from_the_other_store(
    jay: Scrubjay, other: Scrubjay, tmp_path: Path, clock: Clock
) -> None:
    first = jay.add("The lamp is red", kind="fact").memory
    clock.pass_(minutes=1)
    second = jay.supersede(first.id, "The lamp is green").memory
    clock.pass_(minutes=1)
    jay.supersede(second.id, "The lamp is blue")
    jay.export(tmp_path / "a")
    other.import_file(tmp_path / "a")
    jay.delete(second.id)
    clock.pass_(minutes=1)
    other.update(second.id, tags=["new"])
    for _ in range(2):
        other.export(tmp_path / "b")
        jay.import_file(tmp_path / "b")
        jay.export(tmp_path / "a")
        other.import_file(tmp_path / "a")
    assert content(jay, tmp_path / "a") == content(other, tmp_path / "b")
    told = jay.history(first.id)
    assert [memory.text for memory in told] == ["The lamp is red", "The lamp is green", "The lamp is blue"]
    assert told[0].superseded_by == told[1].id and told[1].superseded_by == told[2].id
    assert jay.check(deep=True).problems == []


def test_a_deleted_passage_stays_deleted_in_a_store_that_got_it_by_import(
    jay: Scrubjay, other: Scrubjay, tmp_path: Path
) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "a.md").write_text("# Herons\n\nThe heron stands by the pond all day long, every single day.\n")
    jay.sources.add(notes)
    jay.sync()
    jay.delete(jay.list(kinds=["passage"])[0].id)
    jay.export(tmp_path / "a")
    other.import_file(tmp_path / "a")
    other.sync(force=True)
    assert other.list(kinds=["passage"]) == []


@pytest.mark.sqlite
def test_found_alike_in_both(jay: Scrubjay, other: Scrubjay, tmp_path: Path) -> None:
    words = "lamp kettle heron bridge garden letter river stone".split()
    jay.add_many([{"text": f"The {one} number {n} is by the {two}", "kind": "fact"}
                  for n, (one, two) in enumerate((one, two) for one in words for two in words)])  # fmt: skip
    jay.export(tmp_path / "a", vectors=True)
    other.import_file(tmp_path / "a")
    questions = [f"{one} {n % 70} {two}" for n, (one, two) in enumerate((a, b) for a in words for b in words * 8)][:500]
    asked = zip(jay.search_many(questions), other.search_many(questions), strict=True)
    for ours, theirs in asked:
        assert [(hit.memory.uid, hit.score) for hit in ours] == [(hit.memory.uid, hit.score) for hit in theirs]


# Spaces


def test_a_file_goes_to_the_space_that_is_open(jay: Scrubjay, path: Path, tmp_path: Path, clock: Clock) -> None:
    jay.add("The kettle is blue")
    jay.export(tmp_path / "a")
    with scrubjay.open(path, space="work", clock=clock) as work:  # of the same store: a copy with uids of its own
        assert work.import_file(tmp_path / "a").added == {"memory": 1}
        assert work.import_file(tmp_path / "a").added == {}
        assert [memory.text for memory in work.list()] == ["The kettle is blue"]
        clock.pass_(minutes=1)
        work.delete(work.list()[0].id)
        assert work.import_file(tmp_path / "a").left_out == {"it was deleted here later": 1}
    assert len(jay.list()) == 1


def test_a_file_of_several_spaces_needs_to_be_told_where_to(
    jay: Scrubjay, path: Path, other: Scrubjay, tmp_path: Path
) -> None:
    jay.add("The kettle is blue")
    with scrubjay.open(path, space="work") as work:
        work.add("The heron is grey")
    jay.export(tmp_path / "a", all_spaces=True)
    with pytest.raises(Invalid, match="2 spaces"):
        other.import_file(tmp_path / "a")
    other.import_file(tmp_path / "a", all_spaces=True)
    assert other.spaces() == {"default": 1, "work": 1}


# Trust


def test_a_file_of_somebody_else_is_external_and_adds_no_source(jay: Scrubjay, other: Scrubjay, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "a.md").write_text("The heron of the notes stands by the pond.")
    jay.add("The kettle is blue", metadata={"a": 1})
    jay.sources.add(notes)
    jay.sync()
    report = other.import_file(forged(jay, tmp_path / "a"))
    assert not report.trusted and "--trust-file" in report.notes[-1]
    assert {memory.trust for memory in other.list()} == {"external"}
    kettle = next(memory for memory in other.list() if "kettle" in memory.text)
    assert kettle.metadata == {"original_trust": "user", "a": 1}
    assert other.sources.list() == [] and other.check(deep=True).problems == []


def test_a_file_that_the_user_vouches_for_keeps_its_trust(jay: Scrubjay, other: Scrubjay, tmp_path: Path) -> None:
    jay.add("The kettle is blue")
    file = forged(jay, tmp_path / "a")
    other.import_file(file)
    report = other.import_file(file, trust_file=True)
    assert report.trusted and [memory.trust for memory in other.list()] == ["user"]
    assert other.list()[0].metadata == {}


def test_a_file_of_somebody_else_changes_nothing_that_is_more_trusted(
    jay: Scrubjay, tmp_path: Path, clock: Clock
) -> None:
    kettle = jay.add("The kettle is blue", kind="fact").memory
    jay.add("The heron is grey", kind="fact")

    def attack(found: Lines) -> None:
        first, second = (line for line in found if line["type"] == "memory")
        first |= {"text": "The kettle is mine", "updated_at": "2027-01-01T00:00:00.000000Z"}
        at = {"at": "2027-01-01T00:00:00.000000Z"}
        found.append({"type": "deletion", "uid": second["uid"], "space": "default", **at})
        found.append({
            "type": "step", "old": first["uid"], "new": second["uid"], **at, "effective_at": at["at"], "created": True,
            "change": 1, "same": False,
        })  # fmt: skip
        found.append({"type": "edit", "memory": first["uid"], **at, "before": {"title": "mine"}})

    report = jay.import_file(forged(jay, tmp_path / "a", attack))
    assert report.left_out == {"the one that is here is more trusted": 4}
    assert [memory.text for memory in jay.list()] == ["The heron is grey", "The kettle is blue"]
    assert jay.history(kettle.id).edits == ()


def test_nor_does_it_change_a_task_undo_a_step_or_raise_a_count(jay: Scrubjay, tmp_path: Path, clock: Clock) -> None:
    task = jay.tasks.create("Renew the passport").memory
    old = jay.add("The door is green", kind="fact").memory
    jay.supersede(old.id, "The door is red")
    clock.pass_(minutes=1)
    later, gone = "2030-01-01T00:00:00.000000Z", "ab" * 16

    def attack(lines: Lines) -> None:
        for line in lines:
            if line["type"] == "memory":
                line |= {"used_count": 1_000, "confirmed_count": 1_000}
            if "task" in line:
                line["task"] |= {"status": "cancelled", "changed_at": later}
            if line["type"] == "step":
                line |= {"undone_at": later, "undone_by": "import"}
        lines.append({"type": "deletion", "uid": gone, "space": "default", "at": later})

    jay.import_file(forged(jay, tmp_path / "a", attack))
    assert jay.tasks.get(task.id).status == "pending"
    found = jay.view.existing(old.id)
    assert found.superseded_at is not None and found.used_count < 1_000 and found.confirmed_count == 0
    jay.export(tmp_path / "after")
    assert gone not in (tmp_path / "after").read_text()


def test_an_update_in_a_file_cannot_give_trust_or_move_a_memory(jay: Scrubjay, other: Scrubjay, tmp_path: Path) -> None:
    jay.update(jay.add("The kettle is blue").memory.id, title="Kettle")
    attacks: list[dict[str, Any]] = [
        {"trust": "god"},
        {"space": "work"},
        {"uid": "0" * 32},
        {"task.owner": 1},
        {"title": {}},
    ]
    for before in attacks:

        def attack(found: Lines, before: Any = before) -> None:
            next(line for line in found if line["type"] == "edit")["before"] = before

        with pytest.raises(Invalid, match="before"):
            other.import_file(forged(jay, tmp_path / "a", attack))

    def raise_trust(found: Lines) -> None:
        next(line for line in found if line["type"] == "edit")["before"] = {"trust": "user"}

    other.import_file(forged(jay, tmp_path / "a", raise_trust))
    (kettle,) = other.list()
    assert other.revert(kettle.id).notes == (f"{kettle.id} keeps the trust external.",)
    assert other.view.existing(kettle.id).trust == "external"


def test_only_a_person_at_a_terminal_vouches_for_a_file(run: Run, jay: Scrubjay, place: Path) -> None:
    jay.add("The kettle is blue")
    forged(jay, place / "a")
    answer = run("import", "a", "--trust-file")
    assert answer.code == 2 and "confirmed by a person at a terminal" in answer.err


# The guard


def test_secrets_in_a_file_are_left_out_or_masked(jay: Scrubjay, other: Scrubjay, tmp_path: Path) -> None:
    jay.add("The kettle is blue")
    jay.add("The heron is grey")

    def leak(found: Lines) -> None:
        next(line for line in found if line["type"] == "memory")["text"] = "The db password is hunter2heron!"

    file = forged(jay, tmp_path / "a", leak)
    assert other.import_file(file).left_out == {"it holds what looks like a secret; --redact masks it": 1}
    assert [memory.text for memory in other.list()] == ["The heron is grey"]
    other.import_file(file, redact=True)
    assert other.list()[0].text.startswith("The db password is [redacted")


PLANTED = "glpat-k3jh5v8w2n9q4m7x1c6z"


def life_with(word: str, jay: Scrubjay, folder: Path) -> None:
    """This word in every field that somebody can write."""
    notes = folder / word
    notes.mkdir()
    (notes / f"{word}.md").write_text(f"# {word}\n\nA heron and a {word}.\n")
    jay.sources.add(notes, exclude=[f"{word}*.txt"])
    jay.sync()
    kettle = jay.add("The kettle is blue", metadata={word: {"colour": word}}, tags=[word], aliases=[word]).memory.id
    pot = jay.add(word, kind="task", subject=word, context=word, source=word, paths=[word], project=word).memory.id
    jay.tasks.update(pot, note=word)
    jay.link(kettle, pot, word=word)
    jay.update(kettle, title=word)
    jay.update(kettle, title="Kettle")
    jay.supersede(kettle, "The kettle is red", reason=word)
    jay.revert(kettle, reason=word)
    jay.sessions.start(word, client=word)
    jay.add_turns(word, [{"text": f"Good morning, {word}", "speaker": word}])
    jay.contacts.create(name=word, company=word, reason=word)
    jay.profile.set("work.role", word)


def with_planted(jay: Scrubjay, folder: Path, planted: str) -> Path:
    """An export that somebody vouches for, with this text in every field that somebody can write."""
    life_with("heronry", jay, folder)
    return forged(jay, folder / "a", lambda found: found.__setitem__(slice(None), replaced(found, planted)))


def replaced(found: Lines, planted: str) -> Lines:
    changed: Lines = json.loads(json.dumps(found).replace("heronry", json.dumps(planted)[1:-1]))
    return changed


def files_that_hold(text: str, folder: Path) -> list[str]:
    return [file.name for file in folder.glob("other.db*") if text.encode() in file.read_bytes()]


@pytest.mark.parametrize("redact", [False, True])
def test_no_field_of_a_file_that_is_vouched_for_brings_a_secret(
    jay: Scrubjay, other: Scrubjay, tmp_path: Path, redact: bool
) -> None:
    file = with_planted(jay, tmp_path, PLANTED)
    other.import_file(file, trust_file=True, redact=redact)
    assert other.list() and files_that_hold(PLANTED, tmp_path) == []


def test_the_fields_of_a_memory_in_a_file_are_judged_together(jay: Scrubjay, other: Scrubjay, tmp_path: Path) -> None:
    jay.add("heronry", title="Wifi")

    def leak(found: Lines) -> None:
        next(line for line in found if line["type"] == "memory").update(text="kestrel2020", title="Wifi password")

    file = forged(jay, tmp_path / "a", leak)
    other.import_file(file, trust_file=True)
    assert other.list() == []
    other.import_file(file, trust_file=True, redact=True)
    assert [memory.text for memory in other.list()] == ["[redacted: password]"]


@pytest.mark.parametrize(
    "spelling",
    [
        "<PRIVATE>{}</PRIVATE>",
        "< private >{}< /private >",
        "&lt;private&gt;{}&lt;/private&gt;",
        "\\u003cprivate\\u003e{}\\u003c/private\\u003e",
        "＜ｐｒｉｖａｔｅ＞{}＜／ｐｒｉｖａｔｅ＞",
    ],
)
def test_what_is_private_in_a_file_is_left_out_however_its_tag_is_spelt(
    jay: Scrubjay, other: Scrubjay, tmp_path: Path, spelling: str
) -> None:
    file = with_planted(jay, tmp_path, "heron " + spelling.format("in hospital"))
    other.import_file(file, trust_file=True)
    assert other.list() and files_that_hold("in hospital", tmp_path) == []


# Bad files


def test_the_documents_of_transcripts_come_with_their_turns(jay: Scrubjay, other: Scrubjay, tmp_path: Path) -> None:
    folder = tmp_path / "talks"
    for client in ("claude-code", "codex", "cursor", "openclaw"):
        (folder / client).mkdir(parents=True)
        (folder / client / "talk.jsonl").write_bytes((TRANSCRIPTS / f"{client}.jsonl").read_bytes())
        jay.sources.add(folder / client, kind="transcripts", client=client)
    jay.sync()
    jay.export(tmp_path / "a")
    assert other.import_file(tmp_path / "a").left_out == {} and other.list(kinds=["turn"])
    for source in other.sources.list():
        other.sources.remove(source.name)
    assert other.list(kinds=["turn"]) == []


def test_a_dry_run_counts_and_changes_nothing(jay: Scrubjay, other: Scrubjay, tmp_path: Path, run: Run) -> None:
    jay.add("The kettle is blue")
    jay.export(tmp_path / "a")
    report = other.import_file(tmp_path / "a", dry_run=True)
    assert (report.added, report.examples, other.list()) == ({"memory": 1}, ("The kettle is blue",), [])
    assert "Would add 1 memory" in run("import", str(tmp_path / "a"), "--dry-run").out


def cut_off(data: bytes) -> bytes:
    return data[: len(data) // 2]


DAMAGES: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "cut off": (cut_off, "cut off"),
    "without its end": (lambda data: b"".join(data.splitlines(keepends=True)[:-1]), "cut off"),
    "changed": (lambda data: data.replace(b"kettle", b"kettel"), "its digest is another"),
    "a line less": (lambda data: b"".join(data.splitlines(keepends=True)[:1] + data.splitlines(keepends=True)[2:]),
        "its digest is another"),
    "something behind it": (lambda data: data + b'{"type":"memory"}\n', "behind the end"),
    "newer": (lambda data: data.replace(b'"version":1', b'"version":2', 1), "newer Scrubjay"),
    "no export": (lambda data: b"Dear Ann, " + data, "neither an export"),
    "empty": (lambda data: b"", "neither an export"),
}  # fmt: skip


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_file_gets_one_sentence_and_changes_nothing(
    jay: Scrubjay, other: Scrubjay, tmp_path: Path, damage: str
) -> None:
    change, sentence = DAMAGES[damage]
    jay.add("The kettle is blue")
    jay.export(tmp_path / "a")
    (tmp_path / "a").write_bytes(change((tmp_path / "a").read_bytes()))
    with pytest.raises(Invalid, match=sentence):
        other.import_file(tmp_path / "a")
    assert other.list() == []


def deep(levels: int) -> dict[str, Any]:
    nested: dict[str, Any] = {}
    for _ in range(levels):
        nested = {"a": nested}
    return nested


HOSTILE: dict[str, dict[str, Any]] = {
    "no uid": {"uid": "../../etc"},
    "a space of another": {"space": "work"},
    "a space that is none": {"space": "a b/c"},
    "half a character": {"text": "\ud800"},
    "no text": {"text": " "},
    "a text that is none": {"text": 7},
    "a text that is too long": {"text": "a" * 1_000_001},
    "a time that is none": {"created_at": "2026-13-01T00:00:00.000000Z"},
    "a local time": {"created_at": "2026-01-01T00:00:00+02:00"},
    "a number that is too large": {"position": 2**70},
    "a position after which there is none": {"position": 2**63 - 1},
    "a position before the first": {"position": -1},
    "a line of a file after which there is none": {"first_line": 2**63 - 1, "last_line": 2**63 - 1},
    "a count that no sum holds": {"used_count": 2**63 - 1},
    "a count of fewer than none": {"shown_count": -1},
    "not a number": {"confidence": float("nan")},
    "too sure": {"confidence": 7},
    "more trust than there is": {"trust": "root"},
    "nested metadata": {"metadata": deep(50)},
    "a tag that is none": {"tags": [{}]},
    "an unknown field": {"owner": "x"},
    "no vectors": {"vectors": ["AAAA"]},
    "vectors that are none": {"vectors": "x"},
    "a task that is none": {"task": []},
    "a status that is none": {"task": {"status": "x"}},
}


@pytest.mark.parametrize("attack", HOSTILE)
def test_a_hostile_line_gets_one_sentence_and_changes_nothing(
    jay: Scrubjay, other: Scrubjay, tmp_path: Path, attack: str
) -> None:
    jay.add("The kettle is blue")

    def plant(found: Lines) -> None:
        next(line for line in found if line["type"] == "memory").update(HOSTILE[attack])

    with pytest.raises(Invalid, match=r"^Line \d"):
        other.import_file(forged(jay, tmp_path / "a", plant))
    assert other.list() == []


def test_a_line_above_what_it_names_gets_one_sentence_and_changes_nothing(
    jay: Scrubjay, other: Scrubjay, tmp_path: Path
) -> None:
    jay.supersede(jay.add("The kettle is blue").memory.id, "The kettle is red")

    def turn(found: Lines) -> None:
        step = next(line for line in found if line["type"] == "step")
        found.remove(step)
        found.insert(1, step)

    with pytest.raises(Invalid, match=r"^Line 3 stands behind lines that need it: .* nothing was imported\.$"):
        other.import_file(forged(jay, tmp_path / "a", turn), trust_file=True)
    assert other.list(include_superseded=True) == []


def test_only_regular_files_are_read(jay: Scrubjay, tmp_path: Path) -> None:
    for name in ("/dev/zero", tmp_path / "nothing"):
        with pytest.raises(Invalid, match="cannot be read"):
            jay.import_file(name)
    with pytest.raises(Invalid, match="nothing was imported"):
        jay.import_file(tmp_path)  # a folder without a page that is known


def test_a_memory_that_is_in_a_file_twice_is_stored_once_as_it_was_last(
    jay: Scrubjay, other: Scrubjay, tmp_path: Path
) -> None:
    jay.add("The kettle is blue", title="Kettle")

    def repeat(found: Lines) -> None:
        at = next(place for place, line in enumerate(found) if line["type"] == "memory")
        found.insert(at + 1, {**found[at], "title": "Blue", "updated_at": "2027-01-01T00:00:00.000000Z"})

    report = other.import_file(forged(jay, tmp_path / "a", repeat), trust_file=True)
    assert (report.added, report.changed) == ({"memory": 1}, {"memory": 1})
    assert [memory.title for memory in other.list()] == ["Blue"] and other.check(deep=True).problems == []


def test_what_was_evicted_comes_back_with_an_export_and_what_was_deleted_does_not(
    reopen: Callable[..., Scrubjay], tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCRUBJAY_LIMITS_MEMORIES", "4")
    with reopen(embedder="none") as jay:
        jay.add_many([{"text": f"The heron {number}", "kind": "fact"} for number in range(4)])
        jay.add("Ann is on holiday", kind="fact", expires_at="2026-05-02")
        jay.delete(jay.add("The kettle is blue", kind="fact").memory.id)
        jay.export(tmp_path / "older.jsonl")
        jay.delete(4)
        clock.now += timedelta(days=3)
        jay.add_many([{"text": f"The crane {number}", "kind": "fact"} for number in range(2)])
        gone = {one.memory.text for one in jay.cleanup().removed}
        assert "Ann is on holiday" in gone and "The heron 0" in gone
        jay.trash.empty()
        jay.import_file(tmp_path / "older.jsonl")
        back = {memory.text for memory in jay.list()}
        assert gone - back == {"Ann is on holiday"}  # its expiry comes back with it, so it is in no answer
        assert back.isdisjoint({"The heron 3", "The kettle is blue"})
        assert {one.memory.text for one in jay.cleanup().removed} >= {"Ann is on holiday"}
        assert len(jay.list()) <= 4
