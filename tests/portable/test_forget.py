"""Forgetting for good: nothing of it is left in any file, and the certificate says what still holds it."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import random
import time
from dataclasses import replace
from pathlib import Path

import apsw
import pytest

import scrubjay
from scrubjay import Invalid, NotFound, Scrubjay
from scrubjay.agents.activity import note_activity
from scrubjay.files import private_files
from scrubjay.files.user_folders import hooks_log
from scrubjay.portable.forget import note_log
from scrubjay.stores.deletions.tombstones import key_document_hashes
from scrubjay.stores.sqlite.connections import Connections
from scrubjay.stores.sqlite.rows import SqliteRows
from tests.support.clock import Clock
from tests.support.commands import Run
from tests.support.notes import passages, synced, write


def canary(chance: random.Random) -> str:
    """A word that nobody else says, and that can be said: letters at random look like a secret."""
    return "".join(chance.choice("bdfgklmnprst") + chance.choice("aeiou") for _ in range(8))


def holding(folder: Path, words: list[str]) -> set[str]:
    sought = [word.encode() for word in words]
    files = [file for file in folder.rglob("*") if file.is_file()]
    return {file.name for file in files if any(word in file.read_bytes().lower() for word in sought)}


def test_canaries_are_in_no_file_after_they_were_forgotten(path: Path, home: Path, clock: Clock) -> None:
    home.mkdir()
    (home / "config.toml").write_text(f'[log]\nfolder = "{path.parent / "log"}"\n')
    chance = random.Random(7)
    with scrubjay.open(path, embedder="hashing", clock=clock) as jay:
        words = [canary(chance) for _ in range(6)]
        first = jay.add(f"Ann met {words[0]}", subject="Ann", title=words[1], context=words[2], tags=[words[3]]).memory
        jay.update(first.id, tags=["seen"])
        jay.add(f"Ann painted {words[4]}", subject="Ann", metadata={"who": words[5]})
        jay.add("The kettle is blue")
        jay.search(words[0])
        jay.supersede(first.id, f"Ann met nobody, not {words[0]}")
        jay.delete(2)
        assert holding(path.parent, words) != set()
        done = jay.forget(subject="Ann", derived=True)
        assert {memory.id for memory in done.memories} == {1, 2, 4}
        assert done.certificate is not None and done.certificate.status == "complete"
        assert (done.certificate.still_held, done.certificate.daily_log_lines) == ((), 3)
        assert holding(path.parent, words) == set()
        assert [memory.text for memory in jay.list(include_superseded=True)] == ["The kettle is blue"]
        assert jay.trash.list() == [] and jay.check(deep=True).problems == []


@pytest.mark.every_store
def test_the_name_of_a_session_leaves_the_trash_with_the_last_of_its_memories(jay: Scrubjay) -> None:
    for name in ("about plums", "about pears"):
        jay.add_turns(name, [{"text": "Where is my kettle?"}, {"text": "On the stove."}])
    turns = [turn.id for turn in jay.sessions.turns("about plums")]
    jay.delete(*turns, jay.sessions.turns("about pears")[0].id)
    assert len(jay.sessions.list()) == 2  # what is in the trash may be taken out again
    jay.undelete(turns[0])
    jay.trash.empty()
    assert {session.name for session in jay.sessions.list()} == {"about plums", "about pears"}
    jay.delete(turns[0])
    jay.trash.empty()
    assert [session.name for session in jay.sessions.list()] == ["about pears"]


@pytest.mark.every_store
def test_the_name_of_a_session_is_forgotten_with_the_last_of_its_memories(jay: Scrubjay) -> None:
    jay.add("The kettle is blue")
    for name in ("about plums", "about pears"):
        jay.add_turns(name, [{"text": "Where is my kettle?"}, {"text": "On the stove."}])
        jay.context("kettle", session=name)
        jay.extract(session=name)
    first, *_ = jay.sessions.turns("about pears")
    jay.forget(first.id)
    jay.forget(session="about plums")
    assert [session.name for session in jay.sessions.list()] == ["about pears"]
    with jay.view.store._engine.reading(["default"]) as rows:
        assert rows.all("select distinct session from told") == [("about pears",)]
        assert rows.all("select session from extractions") == [("about pears",)]


@pytest.mark.every_store
def test_the_name_of_a_forgotten_session_is_in_no_rating_and_in_no_log(
    jay: Scrubjay, path: Path, home: Path, clock: Clock
) -> None:
    kettle, pot = jay.add("The kettle is blue").memory, jay.add("The pot is red").memory
    for name in ("about plums", "about pears"):
        jay.add_turns(name, [{"text": "Where is my kettle?"}, {"text": "On the stove."}])
        for memory in (kettle, pot):
            jay.rate(memory.id, helpful=True, session=name)
        jay.context("kettle pot", session=name)
        note_activity(jay.view, "turns", "done", "", 0.0, session=name)
    jay.delete(pot.id)
    jay.forget(session="about plums")
    assert [one.session for one in jay.activity()] == ["about pears", None]
    assert holding(home, ["about plums"]) == set() and holding(home, ["about pears"]) == {"hooks.log"}
    jay.undelete(pot.id)
    with jay.view.store._engine.reading(["default"]) as rows:
        assert rows.all("select distinct session from told") == [("about pears",)]
        raters = [rater for (rater,) in rows.all("select rater from ratings order by memory")]
    assert len(raters) == 4 and raters.count("session:about pears") == 2 and "session:about plums" not in raters
    again = jay.rate(kettle.id, helpful=False, session="about plums")  # still its last word counts
    assert (again.helpful_count, again.unhelpful_count) == (1, 1)


@pytest.mark.every_store
@pytest.mark.parametrize("others_deleted", [False, True])
def test_reasons_of_changes_in_which_something_forgotten_took_part_are_forgotten(
    jay: Scrubjay, clock: Clock, others_deleted: bool
) -> None:
    def told() -> list[str | None]:
        found = [jay.history(id) for id in (moved, tea)]
        edits = [edit.undone_reason for one in found for edit in one.edits]
        return edits + [said for one in found for step in one.steps for said in (step.reason, step.undone_reason)]

    moved = jay.add("Ann lives in Rome", kind="fact").memory.id
    new = jay.supersede(moved, "Ann lives in Oslo", reason="She likes lomurabi").memory.id
    tea = jay.add("Ann likes tea", kind="fact").memory.id
    olds = [jay.add(text, kind="fact").memory.id for text in ("Ann drinks tea", "Tea is liked")]
    for old in olds:
        clock.pass_(minutes=1)
        jay.supersede(old, "Ann likes tea", tags=["hot"], reason="She said tidakume")
        jay.revert(old, reason="She said sibonera")
    assert {*told()} >= {"She likes lomurabi", "She said sibonera"}
    if others_deleted:
        jay.delete(moved, tea)
    jay.forget(new, *olds)
    if others_deleted:
        jay.undelete(moved)
        jay.undelete(tea)
    assert len(jay.history(tea).edits) == 2 and {*told()} == {None}
    assert jay.check(deep=True).problems == []


@pytest.mark.every_store
def test_what_left_the_trash_is_in_no_reason(jay: Scrubjay) -> None:
    ids = [jay.add(f"Lamp {number} is red", kind="fact").memory.id for number in range(3)]
    whole = jay.add("All three lamps are red", kind="fact").memory.id
    for id in ids:
        jay.supersede(id, by=whole, reason=f"lomurabi {id}")
    jay.delete(ids[0])
    assert [step.reason for step in jay.history(whole).steps] == ["lomurabi 2", "lomurabi 3"]
    jay.trash.empty()
    jay.delete(whole)
    assert [step.reason for id in ids[1:] for step in jay.history(id).steps] == ["lomurabi 2", "lomurabi 3"]
    jay.trash.empty()
    assert [step.reason for id in ids[1:] for step in jay.history(id).steps] == [None, None]


@pytest.mark.every_store
@pytest.mark.parametrize("deleted", [False, True])
def test_words_are_found_in_whatever_is_stored_with_a_memory(path: Path, clock: Clock, deleted: bool) -> None:
    with scrubjay.open(path, embedder="none", clock=clock) as jay:
        kinds: dict[str, dict[str, object]] = {
            "tag": {"tags": ["Äpfel"]},
            "subject": {"subject": "Äpfel"},
            "metadata": {"metadata": {"who": {"name": ['äpfel "rot"']}}},
            "a key of metadata": {"metadata": {"Äpfel": 1}},
            "alias": {"aliases": ["Äpfel"]},
            "context": {"context": "ÄPFEL"},
        }
        ids = [jay.add(f"The words stand in the {name}", **fields).memory.id for name, fields in kinds.items()]  # type: ignore[arg-type]
        task = jay.tasks.create("Buy fruit").memory.id
        jay.tasks.update(task, note="Not the green Äpfel")
        former = jay.add("A tag that it had", tags=["Äpfel"]).memory.id
        jay.update(former, tags=[])
        old = jay.add("The heron stands by the pond", kind="fact").memory.id
        new = jay.supersede(old, "The heron has left", reason="It ate the Äpfel").memory.id
        undone = jay.add("The kettle is blue", kind="fact").memory.id
        jay.update(undone, importance=7)
        jay.revert(undone, reason="No Äpfel")
        contact = jay.contacts.create(name="Ann", company="Äpfel & Co")
        ids += [task, former, old, undone, jay.get(contact.id).id]  # type: ignore[union-attr]
        kept = jay.add("Nothing of it").memory.id
        if deleted:
            jay.delete(*ids)
        done = jay.forget(query="Äpfel")
        assert {memory.id for memory in done.memories} >= {*ids} and kept not in {one.id for one in done.memories}
        assert done.certificate is not None and not [one for one in done.certificate.still_held if "looked for" in one]
        assert {memory.id for memory in jay.list(include_superseded=True)} == {kept, new}
        assert jay.trash.list() == []


@pytest.mark.every_store
def test_the_certificate_says_where_the_words_that_were_looked_for_still_stand(jay: Scrubjay, tmp_path: Path) -> None:
    file = write(tmp_path / "lomurabi" / "a.md", "# Birds\n\nThe heron stands by the pond.\n")
    synced(jay, file.parent)
    jay.add_turns("about Lomurabi", [{"text": "Good day"}])
    other = jay.add("Bob met lomurabi", subject="Bob").memory.id
    named = jay.add("The kettle is blue", project="lomurabi").memory.id
    jay.add("Ann met lomurabi", subject="Ann")
    done = jay.forget(subject="Ann", query="lomurabi").certificate
    turn, passage = jay.sessions.turns("about Lomurabi")[0].id, passages(jay)[0].id
    said = "the name of its project, source, session, speaker or document says it"
    assert done is not None and set(done.still_held) == {
        *(f"memory {id}: it says what was looked for" for id in (other, passage)),  # its context is the document
        *(f"memory {id}: {said}" for id in (turn, passage, named)),
        "session about Lomurabi",
        "document lomurabi/a.md, which is not Scrubjay's to change",
        "source lomurabi",
    }
    jay.add_many([{"text": f"Crate {number}", "project": "lomurabi"} for number in range(30)])
    done = jay.forget(passage, query="lomurabi").certificate
    assert done is not None and "12 more like the last one" in done.still_held


@pytest.mark.every_store
def test_what_is_private_stays_so_when_the_name_of_its_session_is_forgotten(jay: Scrubjay) -> None:
    jay.add_turns("about plums", [{"text": "Good day <private> lemonade"}])
    jay.forget(session="about plums")
    with jay.view.store._engine.reading(["default"]) as rows:
        assert [session for (session,) in rows.all("select session from private_parts")] != ["about plums"]
    said = ["orangeade", "marmalade </private> and good night", "Sleep well"]
    for text in said:
        jay.add_turns("about plums", [{"text": text}])
    assert [turn.text for turn in jay.sessions.turns("about plums")] == [" and good night", "Sleep well"]
    with jay.view.store._engine.reading(["default"]) as rows:
        assert rows.all("select session from private_parts") == []


@pytest.mark.every_store
@pytest.mark.parametrize("deleted", [False, True])
def test_a_record_is_forgotten_with_all_its_versions_and_their_lines_of_the_daily_log(
    path: Path, home: Path, tmp_path: Path, deleted: bool
) -> None:
    home.mkdir(exist_ok=True)
    (home / "config.toml").write_text(f'[log]\nfolder = "{tmp_path / "log"}"\n')
    with scrubjay.open(path, embedder="none") as jay:
        jay.contacts.create(name="Ann", company="Lomurabi", email="ann@example.org")
        for company in ("Tidakume", "Sibonera"):
            jay.contacts.update("ann@example.org", company=company)
        ids = sorted(memory.id for memory in jay.list(include_superseded=True))
        if deleted:
            jay.delete(ids[-1])
        shown = jay.forget(ids[-1], dry_run=True)
        assert sorted(memory.id for memory in shown.memories) == ids and len(ids) == 3
        done = jay.forget(ids[-1]).certificate
        assert done is not None and sorted(removed.id for removed in done.removed) == ids
        assert (done.still_held, done.daily_log_lines) == ((), 3)
        assert holding(tmp_path / "log", ["ann", "lomurabi", "tidakume", "sibonera"]) == set()
        assert jay.trash.list() == [] and jay.contacts.list() == []


def test_canaries_are_in_no_cache_of_vectors_after_they_were_forgotten(path: Path) -> None:
    chance = random.Random(8)
    words = [canary(chance) for _ in range(4)]
    named = {"kind": words[0], "subject": words[1], "tags": [words[2]], "project": words[3]}
    with scrubjay.open(path, embedder="hashing") as jay:
        jay.add_many([{"text": f"Crate {number}"} for number in range(300)])
        kept = jay.add("Ann met nobody", **named).memory  # type: ignore[arg-type]
        for _ in range(2):  # a process that asks but once makes no cache
            jay.search("Ann", mode="vector")
        caches = {file.name for file in path.parent.rglob("*.codes")}
        assert caches and caches <= holding(path.parent, words)
        done = jay.forget(kept.id).certificate
        assert done is not None and done.status == "complete"
        assert holding(path.parent, words) == set()
        jay.search("Ann", mode="vector", tags=[words[2]])
        assert holding(path.parent, words) == set()


@pytest.mark.every_store
def test_vectors_of_what_a_forgotten_passage_was_before_an_edit_are_forgotten_with_it(
    jay: Scrubjay, tmp_path: Path
) -> None:
    file = write(tmp_path / "notes" / "a.md", "# Birds\n\nThe heron stands by the pond.\n")
    synced(jay, file.parent)
    write(file, "# Birds\n\nThe heron stands by the pond.\nIt waits.\n")
    jay.sync()
    assert jay.stats().cache.kept == 1
    jay.forget(passages(jay)[0].id)
    assert jay.stats().cache.kept == 0


def test_a_cache_that_another_process_saves_while_it_is_forgotten_does_not_stay(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever reads an older state may save what they know until they have read it."""
    with scrubjay.open(path, embedder="hashing") as jay:
        jay.add_many([{"text": f"Crate {number}"} for number in range(300)])
        kept = jay.add("Ann met nobody", tags=["lomurabi"]).memory
        for _ in range(2):
            jay.search("Ann", mode="vector")
        (cache,) = path.parent.rglob("*.codes")
        before, saved = cache.read_bytes(), list[int]()
        empty_log = Connections.empty_log

        def empty_log_after_a_reader(connections: Connections) -> bool:
            if not saved:
                saved.append(cache.write_bytes(before))
            return empty_log(connections)

        monkeypatch.setattr(Connections, "empty_log", empty_log_after_a_reader)
        certificate = jay.forget(kept.id).certificate
        assert saved and certificate is not None and certificate.status == "complete"
    assert holding(path.parent, ["lomurabi"]) == set()


def test_a_question_that_another_process_has_not_logged_yet_is_not_logged_after_it(path: Path, clock: Clock) -> None:
    with (
        scrubjay.open(path, embedder="none", clock=clock) as jay,
        scrubjay.open(path, embedder="none", clock=clock) as server,
    ):
        asked = jay.add("Ann met lomurabi").memory.id
        jay.add("Ann likes tea")
        server.search("Did Ann meet lomurabi?")
        clock.pass_(minutes=1)
        done = jay.forget(asked)
        assert done.certificate is not None and done.certificate.status == "complete"
        server.search("What does Ann like?")
        server.add("The kettle is blue")  # what was asked is logged with the next write
        assert {use.query for use in server.accesses()} == {None, "What does Ann like?"}
    assert holding(path.parent, ["lomurabi"]) == set()


def test_it_is_chosen_by_id_session_time_source_or_words(jay: Scrubjay, clock: Clock) -> None:
    jay.add("The kettle is blue")
    jay.add("The heron is grey", source="diary")
    jay.add_turns("talk", [{"speaker": "Ann", "text": "Hello"}])
    clock.pass_(days=3)
    jay.add("The letter is WHITE")
    for criteria, ids in [
        ({"sources": ["diary"]}, [2]),
        ({"session": "talk"}, [3]),
        ({"since": "2026-05-03"}, [4]),
        ({"until": "2026-05-02"}, [1, 2, 3]),
        ({"query": "is white"}, [4]),
        ({"query": "is", "until": "2026-05-02"}, [1, 2]),
    ]:
        found = jay.forget(**criteria, dry_run=True)  # type: ignore[arg-type]
        assert [memory.id for memory in found.memories] == ids and found.certificate is None
    assert len(jay.list()) == 4
    assert jay.forget(1).certificate is not None
    assert jay.get(1) is None


@pytest.mark.sqlite
def test_the_certificate_names_what_still_holds_it(jay: Scrubjay, tmp_path: Path) -> None:
    first = jay.add("The flamingo is called Otto", kind="fact").memory
    jay.supersede(first.id, "The flamingo is called Emil")
    other = jay.add("Ann says: The flamingo is called Otto", kind="fact").memory
    jay.backup(tmp_path / "copy.db")
    jay.export(tmp_path / "copy.jsonl")
    jay.export(tmp_path / "gone.jsonl")
    (tmp_path / "gone.jsonl").unlink()
    done = jay.forget(first.id)
    assert [memory.text for memory in done.derived] == ["The flamingo is called Emil"]
    assert done.certificate is not None
    assert done.certificate.still_held == (
        "memory 2: it came of what was forgotten",
        f"memory {other.id}: it says the same",
        f"backup {tmp_path / 'copy.db'}",
        f"export {tmp_path / 'copy.jsonl'}",
    )


@pytest.mark.sqlite
def test_the_certificate_names_every_copy_that_was_made(jay: Scrubjay, path: Path, tmp_path: Path) -> None:
    first = jay.add("The flamingo is called Otto", kind="fact").memory
    jay.export_markdown(tmp_path / "pages")
    jay.export_csv(tmp_path / "table.csv")
    jay.backup(tmp_path / "copy.db")
    scrubjay.move(path, tmp_path / "moved.db")
    kept = scrubjay.restore(tmp_path / "copy.db", path).kept
    scrubjay.move(path, tmp_path / "moved.db")
    done = jay.forget(first.id)
    assert done.certificate is not None
    assert set(done.certificate.still_held) == {
        f"export {tmp_path / 'pages'}",
        f"export {tmp_path / 'table.csv'}",
        f"backup {tmp_path / 'copy.db'}",
        f"backup {kept}",
        f"export {tmp_path / 'moved.db'}",
    }
    with scrubjay.open(tmp_path / "moved.db", embedder="none") as moved:
        certificate = moved.forget(subject=None, query="flamingo").certificate
    assert certificate is not None and f"export {path}" in certificate.still_held


def test_it_is_pending_while_somebody_reads_an_older_state(jay: Scrubjay, path: Path) -> None:
    jay.add("The flamingo is called Otto")
    reader = apsw.Connection(str(path))
    reader.execute("begin")
    reader.execute("select count(*) from memories").fetchall()
    done = jay.forget(1)
    assert done.certificate is not None and done.certificate.status == "pending"
    assert "older state" in done.certificate.notes[0]
    reader.close()
    jay.trash.empty()
    assert jay.trash.list() == [] and holding(path.parent, ["flamingo"]) == set()


@pytest.mark.parametrize("in_trash", [(), (1,), (2,), (1, 2)])
def test_the_note_that_a_task_has_inherited_is_forgotten_with_it(
    jay: Scrubjay, path: Path, in_trash: tuple[int, ...]
) -> None:
    jay.tasks.create("Call Ann", note="zabernist at noon")
    jay.supersede(1, "Call Ann on Monday")
    jay.supersede(2, "Call Ann on Tuesday")
    jay.tasks.update(3, note="in her office")
    jay.supersede(3, "Call Ann on Friday")
    other = jay.tasks.create("Buy tea", note="zabernist at noon")
    if in_trash:
        jay.delete(*in_trash)
    done = jay.forget(1)
    assert {memory.id for memory in done.derived} == {2, 3, 4} - set(in_trash)
    assert done.certificate is not None
    assert done.certificate.notes == (
        "The note of a task was taken from what replaced it or was replaced by it, too: 2.",
    )
    assert jay.tasks.get(4).note == "in her office" and jay.tasks.get(other.memory.id).note == "zabernist at noon"
    jay.forget(other.memory.id)
    assert holding(path.parent, ["zabernist"]) == set()
    if 2 in in_trash:
        jay.undelete(2)
    assert holding(path.parent, ["zabernist"]) == set() and jay.check(deep=True).problems == []


def test_a_note_that_a_task_has_inherited_stays_when_the_one_before_leaves_the_trash(jay: Scrubjay) -> None:
    jay.tasks.create("Call Ann", note="zabernist at noon")
    jay.supersede(1, "Call Ann on Monday")
    jay.delete(1)
    jay.trash.empty()
    assert jay.tasks.get(2).note == "zabernist at noon"


@pytest.mark.sqlite
@pytest.mark.parametrize("deleted", [False, True])
def test_the_certificate_says_why_the_text_is_still_in_the_file_and_not_who_says_it(
    jay: Scrubjay, deleted: bool
) -> None:
    jay.add("Ann met the zabernist at noon")
    other = jay.lend(space="carol")
    kept = other.add("Somebody says: Ann met the zabernist at noon").memory
    if deleted:
        other.delete(kept.id)
    certificate = jay.forget(1).certificate
    assert certificate is not None and certificate.status == "pending"
    (note,) = certificate.notes
    assert "a memory of another space, or one in the trash, says it" in note
    assert "carol" not in repr(certificate) and "zabernist" not in repr(certificate)
    other.forget(kept.id)
    jay.add("Ann met the zabernist at noon")
    again = jay.forget(3).certificate
    assert again is not None and (again.status, again.notes) == ("complete", ())


def test_neither_a_sync_nor_an_import_brings_it_back(jay: Scrubjay, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "a.md").write_text("# Herons\n\nThe heron stands by the pond all day long, every single day.\n")
    jay.sources.add(notes)
    jay.sync()
    kettle = jay.add("The kettle is blue").memory
    jay.export(tmp_path / "before.jsonl")
    passage = jay.list(kinds=["passage"])[0]
    done = jay.forget(passage.id, kettle.id)
    assert done.certificate is not None and "document notes/a.md" in " ".join(done.certificate.still_held)
    jay.sync(force=True)
    assert jay.import_file(tmp_path / "before.jsonl").left_out == {"it was deleted here later": 2}
    assert jay.list() == []


def test_only_the_user_forgets_and_says_what(jay: Scrubjay) -> None:
    jay.add("The kettle is blue")
    with pytest.raises(Invalid, match="Say what to forget"):
        jay.forget()
    with pytest.raises(NotFound, match="no memory 7"):
        jay.forget(7)
    with pytest.raises(Invalid, match="Only the user"):
        jay.lend(trust="agent").forget(1)


def test_the_command_shows_what_it_would_do_and_asks(run: Run) -> None:
    run("add", "The kettle is blue")
    assert "The kettle is blue" in run("forget", "1", "--dry-run").out
    answer = run("forget", "1")
    assert answer.code == 2 and "--force" in answer.err
    answer = run("forget", "1", "--force")
    assert "Forgot 1" in answer.out and "Status: complete" in answer.out
    assert run("forget", "--query", "kettle", "--force").out == "There is nothing to forget.\n"


def test_the_command_forgets_a_session_without_memories(run: Run, path: Path) -> None:
    with scrubjay.open(path, embedder="none") as jay:
        jay.sessions.start("lomurabi")
    asked = ("forget", "--session", "lomurabi", "--store", str(path))
    assert "Session lomurabi: its name, title and counts." in run(*asked, "--dry-run").out
    answer = run(*asked)
    assert answer.code == 2 and "what is known of session lomurabi" in answer.err and "--force" in answer.err
    assert "Forgot 1 session: name, title and counts." in run(*asked, "--force").out
    assert run(*asked, "--force").out == "There is nothing to forget.\n"


def test_a_line_of_the_daily_log_beside_bytes_that_are_no_text_is_removed(path: Path, home: Path) -> None:
    home.mkdir()
    (home / "config.toml").write_text(f'[log]\nfolder = "{path.parent / "log"}"\n')
    with scrubjay.open(path, embedder="hashing") as jay:
        jay.add("Ann met a plumcanary", subject="Ann")
        (day,) = (path.parent / "log").glob("*.md")
        day.write_bytes(day.read_bytes() + b"mine \xff\xfe\n")
        done = jay.forget(subject="Ann").certificate
    assert done is not None and (done.daily_log_lines, done.still_held) == (1, ())
    assert b"plumcanary" not in day.read_bytes() and day.read_bytes().endswith(b"\nmine \xff\xfe\n")


def test_a_log_that_cannot_be_changed_is_named_by_the_certificate(
    path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.mkdir()
    (home / "config.toml").write_text(f'[log]\nfolder = "{path.parent / "log"}"\n')

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with scrubjay.open(path, embedder="hashing") as jay:
        jay.add("Ann met a plumcanary", subject="Ann", session="plum")
        note_activity(jay.view, "told", "ok", "", 0.0, session="plum")
        (day,) = (path.parent / "log").glob("*.md")
        monkeypatch.setattr(private_files, "write", full)
        done = jay.forget(subject="Ann").certificate
    assert done is not None and done.daily_log_lines == 0
    why = "No space left on device): it could not be changed; look there for what was forgotten"
    assert done.still_held == (f"file {day} ({why}", f"file {hooks_log()} ({why}")


def test_who_is_killed_while_forgetting_can_forget_again_whatever_stands_in_the_daily_log(
    path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.mkdir()
    (home / "config.toml").write_text(f'[log]\nfolder = "{path.parent / "log"}"\n')
    with scrubjay.open(path, embedder="hashing") as jay:
        jay.add("Ann met a plumcanary", subject="Ann")
        with monkeypatch.context() as killed, pytest.raises(SystemExit):
            killed.setattr(private_files, "write", lambda *_, **__: exit("killed"))
            jay.forget(subject="Ann")
        assert [memory.subject for memory in jay.list()] == ["Ann"]
        jay.forget(subject="Ann")
    assert holding(path.parent, ["plumcanary"]) == set()


def test_who_is_killed_while_forgetting_leaves_no_name_of_a_session_in_the_log_of_hooks(
    jay: Scrubjay, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once the memory has forgotten the name, nobody could ask for it any more."""
    for name in ("about plums", "about pears"):
        jay.add_turns(name, [{"text": f"Where is my kettle {name}?"}, {"text": "On the stove."}])
        note_activity(jay.view, "turns", "done", "", 0.0, session=name)

    def killed(*_: object) -> None:
        raise SystemExit

    monkeypatch.setattr("scrubjay.stores.deletions.forgetting.Forgetting.forget", killed)
    with pytest.raises(SystemExit):
        jay.forget(session="about plums")
    with pytest.raises(SystemExit):
        jay.forget(query="kettle about pears")
    assert holding(home, ["about plums"]) == set()
    assert holding(home, ["about pears"]) == {"hooks.log"}  # a turn of it is left


@pytest.mark.parametrize("zone", ["Asia/Kathmandu", "Pacific/Kiritimati", "Pacific/Pago_Pago"])
def test_a_line_of_the_daily_log_is_found_in_another_time_zone(
    path: Path, home: Path, monkeypatch: pytest.MonkeyPatch, zone: str
) -> None:
    """A server may run in another zone than the command line, and people travel."""
    home.mkdir()
    (home / "config.toml").write_text(f'[log]\nfolder = "{path.parent / "log"}"\n')
    with scrubjay.open(path, embedder="hashing") as jay:
        jay.add("Ann met a plumcanary", subject="Ann")
        jay.add("The kettle is blue")
        with monkeypatch.context() as elsewhere:
            elsewhere.setenv("TZ", zone)
            time.tzset()
            done = jay.forget(subject="Ann")
        time.tzset()
    assert done.certificate is not None and done.certificate.daily_log_lines == 1
    assert holding(path.parent, ["plumcanary"]) == set() and holding(path.parent / "log", ["kettle"]) != set()


def test_a_planted_time_at_the_end_of_all_days_does_not_keep_its_memory(path: Path, home: Path) -> None:
    home.mkdir()
    (home / "config.toml").write_text(f'[log]\nfolder = "{path.parent / "log"}"\n')
    with scrubjay.open(path, embedder="hashing") as jay:
        jay.add("A plumcanary from nowhere")
        db = apsw.Connection(str(path))
        db.execute("update memories set created_at = '9999-12-31T23:59:59.999999Z'")
        db.close()
        assert jay.forget(1).certificate is not None
    assert not any(name.startswith(path.name) for name in holding(path.parent, ["plumcanary"]))


# What an older export brings


def plain_session(jay: Scrubjay, path: Path) -> None:
    """A transcript of one turn, with a title that its client gave."""
    records = [
        {"type": "user", "sessionId": "lomurabi", "cwd": "/", "timestamp": "2026-05-01T10:00:00Z",
         "message": {"role": "user", "content": "Where is my kettle?"}},
        {"type": "user", "sessionId": "lomurabi", "cwd": "/", "timestamp": "2026-05-01T10:01:00Z",
         "message": {"role": "user", "content": "And my blue pot?"}},
        {"type": "custom-title", "customTitle": "Tidakume", "sessionId": "lomurabi"},
    ]  # fmt: skip
    write(path / "talk.jsonl", "".join(json.dumps(record) + "\n" for record in records))
    jay.sources.add(path, kind="transcripts", client="claude-code")
    jay.sync()


def stored_in(jay: Scrubjay, table: str) -> str:
    with jay.view.store._engine.reading() as rows:
        return str(rows.all(f"select * from {table}"))


@pytest.mark.every_store
def test_an_older_export_does_not_bring_back_a_forgotten_title(jay: Scrubjay, tmp_path: Path) -> None:
    plain_session(jay, tmp_path / "talks")
    jay.export(tmp_path / "before.jsonl")
    assert "Tidakume" in stored_in(jay, "sessions")
    first, *_ = jay.sessions.turns("lomurabi")
    jay.forget(first.id)
    jay.import_file(tmp_path / "before.jsonl")
    assert "Tidakume" not in stored_in(jay, "sessions")
    jay.forget(session="lomurabi")
    left_out = jay.import_file(tmp_path / "before.jsonl").left_out
    assert left_out == {"it was deleted here later": 3}  # both turns and the session
    assert "lomurabi" not in stored_in(jay, "sessions")


@pytest.mark.every_store
def test_a_session_without_memories_is_forgotten_and_no_older_export_brings_it_back(
    jay: Scrubjay, home: Path, tmp_path: Path, clock: Clock
) -> None:
    jay.add("The kettle is blue")
    for name in ("lomurabi", "another"):
        jay.sessions.start(name)
        jay.sessions.count(name, tool_calls=3)
        jay.context("kettle", session=name)
        jay.rate(1, helpful=True, session=name)
        jay.view.store.ledger.mark_extracted("default", name, 7, "rules", clock())
        note_activity(jay.view, "turns", "done", "", 0.0, session=name)
    jay.export(tmp_path / "before.jsonl")
    planned = jay.forget(session="lomurabi", dry_run=True)
    assert (planned.memories, planned.session, planned.certificate) == ((), "lomurabi", None)
    done = jay.forget(session="lomurabi").certificate
    assert done is not None and (done.sessions, done.removed) == (1, ())
    assert [session.name for session in jay.sessions.list()] == ["another"] and jay.stats().sessions == 1
    assert jay.forget(session="lomurabi") == replace(planned, session=None)
    for _ in range(2):
        for table in ("sessions", "told", "extractions", "ratings"):
            assert "lomurabi" not in stored_in(jay, table) and "another" in stored_in(jay, table)
        assert holding(home, ["lomurabi"]) == set()
        left_out = jay.import_file(tmp_path / "before.jsonl").left_out
        assert left_out == {"it was deleted here later": 3}
    clock.pass_(days=1)
    jay.sessions.start("lomurabi")  # a new one of that name
    jay.import_file(tmp_path / "before.jsonl")
    assert jay.sessions.get("lomurabi").tool_calls == 0
    jay.export(tmp_path / "after.jsonl")
    with scrubjay.open(tmp_path / "other.db", embedder="none", clock=clock) as other:
        for _ in range(2):
            other.import_file(tmp_path / "after.jsonl")
            assert {session.name for session in other.sessions.list()} == {"lomurabi", "another"}
        other.forget(session="lomurabi")
        other.import_file(tmp_path / "before.jsonl")
        assert "lomurabi" not in stored_in(other, "sessions")


@pytest.mark.every_store
def test_a_session_that_was_only_shown_something_is_not_brought_back_by_an_older_export(
    jay: Scrubjay, tmp_path: Path
) -> None:
    jay.add("The kettle is blue")
    jay.context("kettle", session="lomurabi")  # it was never started
    jay.export(tmp_path / "before.jsonl")
    assert "lomurabi" in stored_in(jay, "told")
    assert jay.forget(session="lomurabi").certificate is not None
    assert jay.import_file(tmp_path / "before.jsonl").left_out == {"it was deleted here later": 1}
    assert "lomurabi" not in stored_in(jay, "told")


@pytest.mark.every_store
def test_no_older_export_brings_back_why_something_forgotten_replaced_something_else(
    jay: Scrubjay, tmp_path: Path
) -> None:
    old = jay.add("Ann lives in Rome", kind="fact").memory
    new = jay.supersede(old.id, "Ann lives in Oslo", reason="She likes lomurabi").memory
    jay.export(tmp_path / "before.jsonl")
    jay.forget(new.id)
    jay.import_file(tmp_path / "before.jsonl")
    jay.lend(space="other").import_file(tmp_path / "before.jsonl")  # as copies
    assert [memory.text for memory in jay.list(spaces=["other"], include_superseded=True)] == ["Ann lives in Rome"]
    assert "lomurabi" not in stored_in(jay, "steps")


@pytest.mark.every_store
def test_what_a_source_brought_again_before_it_was_forgotten_is_not_brought_back_by_an_older_export(
    jay: Scrubjay, tmp_path: Path
) -> None:
    """It had another uid then."""
    notes = write(tmp_path / "notes" / "a.md", "The heron lomurabi stands by the pond all day long.\n").parent
    plain_session(jay, tmp_path / "talks")
    synced(jay, notes)
    jay.export(tmp_path / "before.jsonl")
    for source in jay.sources.list():
        jay.sources.remove(source.name)
    plain_session(jay, tmp_path / "talks")
    synced(jay, notes)
    jay.forget(passages(jay)[0].id)
    jay.forget(session="lomurabi")
    jay.import_file(tmp_path / "before.jsonl")
    jay.sync()
    assert jay.list() == []
    other = jay.lend(space="other")
    other.import_file(tmp_path / "before.jsonl")
    assert other.list() == []


@pytest.mark.every_store
def test_keys_that_an_import_brings_change_no_mark_that_is_here(jay: Scrubjay, tmp_path: Path) -> None:
    jay.add_turns("about plums", [{"text": "Good day <private> lemonade"}])
    jay.forget(session="about plums")
    for number in range(4):  # each has a key at random
        with scrubjay.open(tmp_path / f"{number}.db", embedder="none") as other:
            other.add_turns("s", [{"text": "Hello"}])
            other.delete(1)
            other.export(tmp_path / f"{number}.jsonl")
        jay.import_file(tmp_path / f"{number}.jsonl")
    jay.add_turns("about plums", [{"text": "orangeade"}])
    assert jay.list() == []


# Files


@pytest.mark.every_store
def test_no_hash_of_a_file_confirms_a_guess_at_what_it_was(jay: Scrubjay, tmp_path: Path) -> None:
    text = b"The heron lomurabi stands by the pond all day long.\n"
    plain_session(jay, tmp_path / "talks")
    synced(jay, write(tmp_path / "notes" / "a.md", text).parent)
    jay.forget(passages(jay)[0].id)
    jay.export(tmp_path / "all.jsonl")
    talk = (tmp_path / "talks" / "talk.jsonl").read_bytes()
    for guess in (text, talk):
        plain = [hashlib.new(name, guess).hexdigest() for name in ("md5", "sha1", "sha256")]
        plain += [hashlib.blake2b(guess, digest_size=size).hexdigest() for size in (16, 32, 64)]
        assert not any(one in stored_in(jay, "documents") for one in plain)
    assert '"hash"' not in (tmp_path / "all.jsonl").read_text()
    again = jay.sync()
    assert (again.read, again.unchanged) == (0, 2)
    with scrubjay.open(tmp_path / "other.db", embedder="none") as other:
        other.import_file(tmp_path / "all.jsonl")
        assert other.sync().read == 0
        assert other.sync(force=True).changed.added == 0


@pytest.mark.sqlite
def test_plain_hashes_of_an_older_version_are_keyed_and_still_known(path: Path, tmp_path: Path, clock: Clock) -> None:
    notes = write(tmp_path / "notes" / "a.md", text := b"The heron stands by the pond all day long.\n").parent
    with scrubjay.open(path, embedder="none", clock=clock) as jay:
        synced(jay, notes)
    plain = hashlib.blake2b(text, digest_size=16).hexdigest()
    db = apsw.Connection(str(path))
    db.execute("update documents set hash = ?", (plain,))
    with db:
        key_document_hashes(SqliteRows.without_caches(db))
    db.close()
    write(notes / "a.md", text)  # only touched
    with scrubjay.open(path, embedder="none", clock=clock) as jay:
        jay.update(passages(jay)[0].id, title="Given by hand")
        assert plain not in stored_in(jay, "documents")
        jay.sync()
        assert passages(jay)[0].title == "Given by hand"


FORGOTTEN = (
    "# Birds\n\nThe heron stands by the pond all day long, lomurabi.\nIt waits. Then it eats a frog, or two of them!\n"
)


@pytest.mark.parametrize(
    "text",
    [
        FORGOTTEN.replace(" ", "   ").replace("\n", "\n\n"),
        FORGOTTEN.upper(),
        FORGOTTEN.replace(",", ";").replace("!", "."),
        FORGOTTEN.replace(". Then", ", then").replace("# Birds", "## *Birds*"),
        FORGOTTEN.replace("pond all", "pond\nall").replace("\nIt", " It").replace("or two", "or\ntwo"),
        FORGOTTEN.replace("frog, or", "frog.\n\nOr"),
    ],
    ids=["white space", "letter case", "punctuation", "ends of sentences", "line breaks", "a new paragraph"],
)
def test_a_passage_that_was_forgotten_stays_so_where_its_words_are_the_same(
    jay: Scrubjay, tmp_path: Path, text: str
) -> None:
    file = write(tmp_path / "notes" / "a.md", FORGOTTEN)
    synced(jay, file.parent)
    jay.forget(*[passage.id for passage in passages(jay)])
    write(file, text)
    jay.sync()
    assert passages(jay) == []


@pytest.mark.every_store
def test_what_was_forgotten_of_a_file_with_another_name_stays_so_when_it_is_read_again(
    jay: Scrubjay, tmp_path: Path
) -> None:
    file = write(tmp_path / "notes" / "a.md", FORGOTTEN)
    synced(jay, file.parent)
    jay.forget(*[passage.id for passage in passages(jay)])
    file.unlink()
    jay.sync()
    again = write(tmp_path / "notes" / "b.md", FORGOTTEN)
    for text in (FORGOTTEN, FORGOTTEN.upper()):
        write(again, text)
        jay.sync()
        jay.sync(force=True)
        assert passages(jay) == []


def test_a_passage_whose_words_have_changed_is_a_new_one(jay: Scrubjay, tmp_path: Path) -> None:
    file = write(tmp_path / "notes" / "a.md", FORGOTTEN)
    synced(jay, file.parent)
    jay.forget(*[passage.id for passage in passages(jay)])
    write(file, FORGOTTEN.replace("heron", "stork") + "\nThe kettle is blue.\n")
    jay.sync()
    assert [passage.text for passage in passages(jay)] == [
        "# Birds\n\nThe stork stands by the pond all day long, lomurabi.",
        "The kettle is blue.",
    ]


def test_no_export_made_while_a_memory_was_in_the_trash_brings_back_the_reason_of_its_change(
    jay: Scrubjay, tmp_path: Path
) -> None:
    old = jay.add("The kettle is blue").memory.id
    new = jay.supersede(old, "The kettle is red", reason="lomurabi said so").memory.id
    jay.delete(new)
    jay.export(tmp_path / "before.jsonl")
    jay.forget(new)
    other = jay.lend(space="other")
    for memory in (jay, other):
        memory.import_file(tmp_path / "before.jsonl")
        memory.export(tmp_path / "now.jsonl")
        assert "The kettle is blue" in (told := (tmp_path / "now.jsonl").read_text()) and "lomurabi" not in told


def test_no_older_export_brings_the_reason_of_a_change_that_also_replaced_what_was_forgotten(
    jay: Scrubjay, tmp_path: Path
) -> None:
    blue, red = jay.add("The kettle is blue").memory.id, jay.add("The kettle is red").memory.id
    green = jay.add("The kettle is green").memory.id
    for id in (blue, red):
        jay.supersede(id, by=green, reason="lomurabi said so")
    jay.revert(blue, reason="gitudipo said so")
    jay.export(tmp_path / "before.jsonl")
    jay.forget(green)
    jay.lend(space="other").import_file(tmp_path / "before.jsonl")
    jay.lend(space="other").export(tmp_path / "now.jsonl")
    told = (tmp_path / "now.jsonl").read_text()
    assert "The kettle is blue" in told and "lomurabi" not in told and "gitudipo" not in told


def test_the_reason_of_another_change_comes_with_an_import(jay: Scrubjay, tmp_path: Path, clock: Clock) -> None:
    kept = jay.add("The lamp is blue").memory.id
    jay.supersede(kept, "The lamp is red", reason="it was painted")
    jay.export(tmp_path / "before.jsonl")
    clock.pass_(hours=1)
    jay.forget(jay.supersede(jay.add("The kettle is blue").memory.id, "It is red", reason="it was painted").memory.id)
    other = jay.lend(space="other")
    other.import_file(tmp_path / "before.jsonl")
    (came,) = other.list(include_superseded=True)[-1:]
    assert [step.reason for step in other.history(came.id).steps] == ["it was painted"]


def test_no_word_of_a_link_to_what_was_forgotten_stays_in_the_trash(jay: Scrubjay, path: Path) -> None:
    kettle, lamp, chair = (jay.add(f"The {thing} is blue").memory.id for thing in ("kettle", "lamp", "chair"))
    jay.link(lamp, kettle, "lomurabi")
    jay.link(lamp, chair, "part_of")
    jay.delete(lamp)
    jay.forget(kettle)
    assert holding(path.parent, ["lomurabi"]) == set()
    jay.undelete(lamp)
    assert [link.word for link in jay.links(lamp)] == ["part_of"]


@pytest.mark.parametrize("is_removed", [False, True])
def test_an_export_from_before_a_file_was_renamed_does_not_bring_back_what_was_forgotten_of_it(
    jay: Scrubjay, tmp_path: Path, is_removed: bool
) -> None:
    file = write(tmp_path / "notes" / "a.md", FORGOTTEN)
    synced(jay, file.parent)
    jay.export(tmp_path / "before.jsonl")
    for name in ("b.md", "c.md"):
        file = file.rename(file.with_name(name))
        jay.sync()
        write(file, f"{file.read_text()}\nThe kettle is blue, they said at {name}.\n")
        jay.sync()
    jay.forget(*[passage.id for passage in passages(jay)])
    jay.sync(force=True)
    if is_removed:
        jay.sources.remove("notes")
    jay.import_file(tmp_path / "before.jsonl")
    assert passages(jay) == []


@pytest.mark.parametrize(
    ("forgotten", "other"),
    [
        ("Use C++ for the engine of the game.", "Use C# for the engine of the game."),
        ("The freezer is set to -5 degrees these days.", "The freezer is set to 5 degrees these days."),
        ("Alarm when load < 5 for a minute or longer.", "Alarm when load > 5 for a minute or longer."),
        ("if status != done: raise the alarm at once", "if status = done: raise the alarm at once"),
        ("The share of the whole team is 5% this year.", "The share of the whole team is 5 this year."),
        ("The flight to Oslo costs $500 per person.", "The flight to Oslo costs €500 per person."),
        ("How Ann likes the new logo: 👍 she said", "How Ann likes the new logo: 👎 she said"),
        ("वह रोज़ सुबह और शाम को पानी पीता है।", "वह रोज़ सुबह और शाम को पानी पोता है।"),
        ("บ้านหลังนี้ที่เราเห็นเมื่อวานมีไม้มากมาย", "บ้านหลังนี้ที่เราเห็นเมื่อวานมีไม่มากมาย"),
    ],
    ids=["a name", "minus", "less", "not", "per cent", "currency", "picture", "vowel sign", "tone mark"],
)
def test_a_text_that_differs_by_a_sign_that_tells_something_is_another_one(
    jay: Scrubjay, tmp_path: Path, forgotten: str, other: str
) -> None:
    file = write(tmp_path / "notes" / "a.md", f"{forgotten}\n")
    synced(jay, file.parent)
    jay.forget(*[passage.id for passage in passages(jay)])
    write(file, f"> **{forgotten.upper()}**\n\n{other}\n")
    jay.sync()
    assert [passage.text for passage in passages(jay)] == [other]


FORGOTTEN_CODE = (
    "```python\ndef alpha(x):\n    if x:\n        return {\n            1: 2,\n        }\n    }\n    return x\n```"
)
OTHER_CODE = (
    "```js\nfunction beta(y) {\n    if (y) {\n        call({\n            3: 4,\n        }\n    }\n    return x\n```"
)
FORGOTTEN_TABLE = "| name of a host | its own address |\n| ------------------- | ------------------- |\n| alpha | 10 |"
OTHER_TABLE = "| port of a host | whose it may be |\n| ------------------- | ------------------- |\n| beta | Ann |"


@pytest.mark.parametrize(
    ("forgotten", "other"),
    [
        (FORGOTTEN_CODE, OTHER_CODE),
        (FORGOTTEN_TABLE, OTHER_TABLE),
        ("Ann was asked:\n\n---\nYes\n---\nnever again", "Is it red?\nYes\nIs it blue?\nNo"),
        ("Ann has:\n- lamp\n- red\n- big", "Bob has:\n- lamp, red\n- kettle"),
        (f"Ann wrote:\n{' ' * 40}else\nand went away", "Bob wrote:\nwhat\nelse\nis there"),
    ],
    ids=["brackets", "the rule of a table", "beside a rule", "two lines and one", "far to the right"],
)
def test_lines_of_other_passages_are_not_taken_for_those_of_a_forgotten_one(
    jay: Scrubjay, tmp_path: Path, forgotten: str, other: str
) -> None:
    file = write(tmp_path / "notes" / "a.md", f"{forgotten}\n")
    synced(jay, file.parent)
    jay.forget(*[passage.id for passage in passages(jay)])
    write(file, f"{forgotten}\n\n{other}\n")
    jay.sync()
    (left,) = passages(jay)
    assert left.text.removeprefix("```\n\n") == other  # the end of a block that nobody knows whose it is


def test_a_turn_is_not_taken_for_a_forgotten_one_of_a_session_with_a_similar_name(jay: Scrubjay, clock: Clock) -> None:
    jay.add_turns("deploy-1", [{"speaker": "Ann", "text": "👍"}])
    jay.forget(session="deploy-1")
    clock.pass_(hours=1)
    said = [(session, text) for session in ("deploy 1", "deploy-1") for text in ("👍", "👎")]
    fields = {"speaker": "Ann", "happened_at": clock()}
    turns = [jay.view.new_memory(text, {**fields, "session": session}, turn=True) for session, text in said]
    left = jay.view.store.documents.not_deleted("default", turns, undated=clock())
    assert [(turn.session, turn.text) for turn in left] == [said[0], said[1], said[3]]


# Logs of servers


@pytest.mark.every_store
def test_the_certificate_names_the_log_of_a_server_where_a_name_was_forgotten(jay: Scrubjay, tmp_path: Path) -> None:
    log = tmp_path / "server.log"
    log.touch()
    note_log(jay.view, log)
    note_log(jay.view, tmp_path / "gone.log")
    jay.sessions.start("lomurabi")
    jay.contacts.create(name="Ann", email="ann@example.org")
    jay.add("The kettle is blue")
    held = []
    for criteria in ({"session": "lomurabi"}, {"subject": "Ann"}, {"query": "kettle"}):
        done = jay.forget(**criteria).certificate  # type: ignore[arg-type]
        assert done is not None
        held.append(done.still_held)
    named = f"log {log} of `scrubjay serve`, and the older ones beside it: the address of a request may have a name"
    assert held == [(named,), (named,), ()]
