"""A folder of Markdown: readable, and what is edited in it comes back."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

import scrubjay
from scrubjay import Invalid, Scrubjay
from tests.support.commands import Run


@pytest.fixture
def pages(jay: Scrubjay, tmp_path: Path) -> Path:
    """1 was replaced by 2, 3 is a task, 4 a turn."""
    first = jay.add("The port is 8080", kind="fact", subject="web server", tags=["net"], metadata={"a": 1}).memory
    jay.supersede(first.id, "The port is 9090", title="Port: new/now")
    jay.tasks.create("Feed the heron")
    jay.add_turns("talk", [{"speaker": "Ann", "text": "Where is it?"}])
    jay.export_markdown(tmp_path / "pages")
    return tmp_path / "pages"


def page(pages: Path, words: str) -> Path:
    return next(path for path in (pages / "memories").rglob("*.md") if words in path.read_text())


def test_pages_are_grouped_and_linked(pages: Path) -> None:
    new, old = page(pages, "9090"), page(pages, "8080")
    assert new.parent.relative_to(pages).as_posix() == "memories/fact/web server"
    assert new.name.startswith("Port newnow-") and f'replaced_by: "[[{new.stem}]]"' in old.read_text()
    assert "- [ ] [[Feed the heron-" in (pages / "tasks.md").read_text()
    assert "**Ann**: Where is it?" in (pages / "conversations/2026-05-01.md").read_text()
    assert old.stat().st_mode & 0o777 == 0o600


def test_no_field_ends_its_line_and_becomes_another(jay: Scrubjay, tmp_path: Path) -> None:
    rent, agent = jay.tasks.create("Pay the rent").memory, jay.lend(trust="agent")
    ends = ("\n", "\r", "\v", "\f", "\x1c", "\x85", "\u2028", "\u2029", "\x7f", "\ufeff")
    for end in ends:
        named = agent.tasks.create(f"Task {ord(end)} was given").memory
        hostile = f"x{end}- [x] done ^{rent.uid}{end}uid: {rent.uid}{end}---{end}"
        agent.update(named.id, title=f"{hostile}z", context=f"{hostile}z", subject=f"{hostile}z")
    jay.add_turns("talk\n## forged", [{"speaker": "Ann\n\n## forged", "text": "Where is it?"}])
    before = {one.id: (one.title, one.context, one.subject) for one in jay.list(kinds=["task"])}
    folder = tmp_path / "pages"
    jay.export_markdown(folder)
    for file in folder.rglob("*.md"):  # somebody writes to each page
        file.write_bytes(file.read_bytes().replace(b"was given", b"was taken") + b"\n")
    assert jay.import_file(folder).changed == {"memory": len(ends)}
    assert {task.status for task in jay.tasks.list()} == {"pending"} and len(jay.tasks.list()) == len(ends) + 1
    after = [(one.context, one.subject) for one in jay.list(kinds=["task"])]
    assert sorted(after, key=str) == sorted((told[1:] for told in before.values()), key=str)
    assert "\n## forged" not in (folder / "conversations/2026-05-01.md").read_text()


def test_what_was_not_edited_changes_nothing(jay: Scrubjay, pages: Path) -> None:
    report = jay.import_file(pages)
    assert (report.added, report.changed, report.left_out) == ({}, {}, {})


def test_edits_come_back(jay: Scrubjay, pages: Path) -> None:
    new = page(pages, "9090")
    new.write_text(new.read_text().replace("The port is 9090", "The port is 7070"))
    (pages / "memories/new.md").write_text("---\nkind: preference\ntags: [tea]\n---\nAnn likes tea\n")
    (pages / "tasks.md").write_text((pages / "tasks.md").read_text().replace("- [ ]", "- [x]"))
    report = jay.import_file(pages, dry_run=True)
    assert (report.added, report.changed) == ({"memory": 1}, {"memory": 2}) and len(jay.list()) == 3
    jay.import_file(pages)
    changed = jay.get(2)
    assert changed is not None and jay.get(changed.superseded_by or 0).text == "The port is 7070"  # type: ignore[union-attr]
    assert [(one.kind, one.text, one.tags) for one in jay.list(kinds=["preference"])] == [
        ("preference", "Ann likes tea", ("tea",))
    ]
    assert jay.tasks.list() == []  # it is done


def test_an_edited_field_is_an_update(jay: Scrubjay, pages: Path) -> None:
    new = page(pages, "9090")
    new.write_text(new.read_text().replace('tags: ["net"]', 'tags: ["net", "web"]'))
    assert jay.import_file(pages).changed == {"memory": 1}
    assert jay.get(2).tags == ("net", "web")  # type: ignore[union-attr]


def test_other_names_and_links_are_on_the_pages(jay: Scrubjay, tmp_path: Path) -> None:
    jay.add("PostgreSQL holds the orders", kind="fact", aliases=["pg"], paths=["src/**"])
    jay.add("Orders are kept for ten years", kind="fact")
    jay.link(1, 2, "depends_on")
    jay.link(2, 1)
    jay.unlink(2, 1)
    jay.export_markdown(tmp_path / "pages")
    one, two = page(tmp_path / "pages", "PostgreSQL"), page(tmp_path / "pages", "ten years\n")
    assert f'links: ["depends_on [[{two.stem}]]"]' in one.read_text() and "links" not in two.read_text()
    one.write_text(
        one.read_text().replace('aliases: ["pg"]', 'aliases: ["pg", "postgres"]').replace('paths: ["src/**"]\n', "")
    )
    assert jay.import_file(tmp_path / "pages").changed == {"memory": 1}
    memory = jay.view.existing(1)
    assert (memory.aliases, memory.paths) == (("pg", "postgres"), ())


def test_a_removed_page_deletes_only_when_asked_to(jay: Scrubjay, pages: Path) -> None:
    page(pages, "9090").unlink()
    assert jay.import_file(pages).left_out == {"its page was removed; --prune deletes it": 1}
    assert jay.get(2) is not None
    jay.import_file(pages, prune=True)
    assert jay.get(2) is None


def test_a_page_that_was_moved_is_no_removed_one(jay: Scrubjay, pages: Path) -> None:
    new = page(pages, "9090")
    new.rename(pages / "memories/moved.md")
    assert jay.import_file(pages, prune=True).changed == {} and jay.get(2) is not None
    moved = pages / "memories/moved.md"
    moved.write_text(moved.read_text().replace("The port is 9090", "The port is 7070"))
    jay.import_file(pages, prune=True)
    assert [memory.text for memory in jay.history(2)] == ["The port is 8080", "The port is 9090", "The port is 7070"]


def test_a_copy_of_a_page_is_a_new_memory(jay: Scrubjay, pages: Path) -> None:
    new = page(pages, "9090")
    (pages / "memories/copy.md").write_text(new.read_text().replace("The port is 9090", "The host is web"))
    assert jay.import_file(pages).added == {"memory": 1}
    assert {memory.text for memory in jay.list(kinds=["fact"])} == {"The port is 9090", "The host is web"}
    assert jay.import_file(pages).added == {}


def test_pages_become_memories_where_theirs_are_not(jay: Scrubjay, pages: Path, tmp_path: Path) -> None:
    jay.tasks.update(3, status="completed")
    jay.export_markdown(tmp_path / "pages")
    with scrubjay.open(tmp_path / "other.db", embedder="hashing") as other:
        assert other.import_file(pages).added == {"memory": 3}
        assert [(one.text, one.tags, one.trust) for one in other.list(kinds=["fact"])] == [
            ("The port is 9090", ("net",), "user")
        ]
        assert [one.text for one in other.history(other.list(kinds=["fact"])[0].id)] == [
            "The port is 8080", "The port is 9090"
        ]  # fmt: skip
        assert other.tasks.list() == [] and {one.uid for one in other.list()} <= {one.uid for one in jay.list()}
        assert other.search("port")[0].why.keys() >= {"vector"}
        again = other.import_file(pages)
        assert (again.added, again.changed, again.left_out, again.known) == ({}, {}, {}, {"memory": 3})


def test_what_was_deleted_or_forgotten_does_not_come_back_with_its_page(jay: Scrubjay, pages: Path) -> None:
    jay.delete(3)
    jay.forget(2)
    assert jay.import_file(pages).added == {}
    assert jay.list(kinds=["fact", "task"]) == []


def test_a_link_and_a_page_with_a_made_up_uid_are_said_to_be_left_out(jay: Scrubjay, pages: Path) -> None:
    (pages / "memories/link.md").symlink_to("/etc/passwd")
    (pages / "memories/odd.md").write_text("---\nuid: zzz\n---\nodd\n")
    assert jay.import_file(pages).left_out == {
        "a link, which is not followed": 1,
        "its uid is none; remove that line, and it is a new memory": 1,
    }


def test_a_page_that_cannot_be_read_or_tells_an_impossible_time_stops_no_other(jay: Scrubjay, pages: Path) -> None:
    os.mkfifo(pages / "memories/aaa.md")
    (pages / "memories/folder.md").mkdir()
    made_up = f"---\nuid: {'a' * 32}\nkind: fact\ncreated_at: '9999-12-31T23:59:59-14:00'\n---\nThe heron is fed\n"
    (pages / "memories/time.md").write_text(made_up)
    (pages / "memories/zzz.md").write_text("Ann likes tea\n")
    report = jay.import_file(pages)
    assert (report.added, report.left_out) == ({"memory": 2}, {"a page that cannot be read": 2})


def test_a_page_of_what_was_replaced_meanwhile_is_left_out(jay: Scrubjay, pages: Path) -> None:
    jay.supersede(2, "The port is 6060")
    new = page(pages, "9090")
    new.write_text(new.read_text().replace("9090", "7070"))
    assert jay.import_file(pages).left_out == {"it was replaced or deleted here since": 1}


def test_a_folder_of_somebody_else_replaces_nothing_that_is_more_trusted(jay: Scrubjay, pages: Path) -> None:
    manifest = json.loads((pages / ".scrubjay-export.json").read_text())
    (pages / ".scrubjay-export.json").write_text(json.dumps({**manifest, "signature": "0" * 64}))
    new = page(pages, "9090")
    new.write_text(new.read_text().replace("9090", "7070"))
    report = jay.import_file(pages, prune=True)
    assert not report.trusted and report.left_out == {"the one that is here is more trusted": 1}


def test_a_folder_of_other_things_is_not_written_to(run: Run, place: Path) -> None:
    run("add", "The kettle is blue")
    (place / "letters").mkdir()
    (place / "letters/ann.md").write_text("Dear Ann")
    assert "no Markdown export" in run("export", "letters", "--format", "markdown").err
    assert run("export", "pages", "--format", "markdown").out == "Wrote 1 memory to pages\n"
    assert run("export", "pages", "--format", "markdown").code == 0
    assert "Only a folder" in run("import", "letters/ann.md", "--prune").err


def test_names_of_pages_stay_in_the_folder(jay: Scrubjay, tmp_path: Path) -> None:
    jay.add("../../../etc/passwd", subject="../..", kind="fact")
    jay.export_markdown(tmp_path / "pages")
    assert [path.parent.name for path in (tmp_path / "pages/memories").rglob("*.md")] == ["untitled"]
    with pytest.raises(Invalid):
        jay.export_markdown(tmp_path / "pages/memories")


@pytest.mark.parametrize("name", ["CON", "nul", "aux.", "Com1 ", "LPT³", "prn"])
def test_no_page_lies_in_a_folder_that_windows_cannot_have(jay: Scrubjay, tmp_path: Path, name: str) -> None:
    jay.add("It hums", subject=name, title=name, kind="fact")
    jay.add("It rattles", subject=f"{name}s... ", kind="fact")
    jay.export_markdown(tmp_path / "pages")
    parts = [part for path in (tmp_path / "pages").rglob("*") for part in path.relative_to(tmp_path).parts]
    devices = re.compile(r"(con|prn|aux|nul|(com|lpt)[0-9¹²³]) *(\..*)?", re.IGNORECASE)
    assert [part for part in parts if devices.fullmatch(part) or part.endswith((".", " "))] == []
    assert jay.import_file(tmp_path / "pages").known == {"memory": 2}


def test_an_edit_is_never_written_over(jay: Scrubjay, pages: Path) -> None:
    new = page(pages, "9090")
    new.write_text(new.read_text().replace("9090", "7070"))
    (pages / "memories/new.md").write_text("Ann likes tea\n")
    with pytest.raises(Invalid, match=r"has 2 pages with edits that are not imported yet \(memories/fact/"):
        jay.export_markdown(pages)
    jay.import_file(pages)
    assert jay.import_file(pages).left_out == {}
    jay.export_markdown(pages)
    assert page(pages, "Ann likes tea").name != "new.md" and not (pages / "memories/new.md").exists()
    assert page(pages, "7070") and jay.import_file(pages).changed == {}


def test_an_edit_that_was_left_out_is_kept(jay: Scrubjay, pages: Path) -> None:
    new = page(pages, "9090")
    new.write_text(new.read_text().replace("9090", "7070"))
    jay.supersede(2, "The port is 6060")
    assert jay.import_file(pages).left_out
    with pytest.raises(Invalid, match="not imported yet"):
        jay.export_markdown(pages)


def test_a_folder_that_somebody_else_prepared_is_not_written_to(jay: Scrubjay, pages: Path, tmp_path: Path) -> None:
    """Such as a cloned repository: its manifest names files to be removed, its links lead out of it."""
    manifest = json.loads((pages / ".scrubjay-export.json").read_text())
    (pages / "main.py").write_text("print()")
    for given in ({**manifest, "pages": {"main.py": ""}}, {"pages": 5}, "nonsense", {**manifest, "uids": {"a": 1}}):
        (pages / ".scrubjay-export.json").write_text(json.dumps(given))
        with pytest.raises(Invalid):
            jay.export_markdown(pages)
    (pages / ".scrubjay-export.json").write_text(json.dumps(manifest))
    (tmp_path / "letter").write_text("Dear Ann")
    (pages / "tasks.md").unlink()
    (pages / "tasks.md").symlink_to(tmp_path / "letter")
    with pytest.raises(Invalid, match=r"has a link in it, tasks\.md"):
        jay.export_markdown(pages)
    assert (pages / "main.py").exists() and (tmp_path / "letter").read_text() == "Dear Ann"


def test_a_memory_that_holds_nothing_is_an_empty_folder(jay: Scrubjay, tmp_path: Path) -> None:
    assert jay.export_markdown(tmp_path / "notes") == 0
    assert jay.export_markdown(tmp_path / "notes") == 0
