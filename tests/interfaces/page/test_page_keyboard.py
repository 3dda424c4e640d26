"""What people do on the page, with the keyboard alone: no test here uses a pointer."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from scrubjay import Scrubjay
from tests.support.keyboard import follow, press, tab_to

REACHABLE = """
    [...document.querySelectorAll("a[href], button, input:not([type=hidden]), select, textarea, summary")]
        .filter((one) => one.tabIndex >= 0 && !one.disabled && one.checkVisibility())
"""
PAGES = (
    "/", "/search?q=staging", "/conflicts", "/timeline", "/conversations", "/conversations/8f2c1a90", "/subjects",
    "/subjects/release", "/projects", "/projects/acme/shop", "/tasks", "/records", "/records/profile",
    "/records/skills/new", "/sources", "/look-after", "/figures", "/clients", "/tokens", "/memories/1",
)  # fmt: skip


@pytest.mark.parametrize("path", PAGES)
def test_the_tab_key_leads_to_all_that_can_be_used(page: Page, path: str) -> None:
    page.goto(path)
    page.evaluate(f"window.left = new Set({REACHABLE})")
    page.evaluate("document.activeElement.blur()")
    for _ in range(int(page.evaluate("window.left.size")) * 2 + 10):  # a date has several parts
        page.keyboard.press("Tab")
        if not page.evaluate("window.left.delete(document.activeElement), window.left.size"):
            return
    left = page.evaluate("[...window.left].map((one) => one.outerHTML.slice(0, 200))")
    raise AssertionError(f"The tab key does not lead to {left}.")


def test_results_are_filtered_explained_and_read_around(page: Page) -> None:
    page.goto("/search")
    page.keyboard.type("old port closed since the move")
    page.wait_for_url("**q=old+port+closed+since+the+move")  # these are the last results
    follow(page, "Only turn")
    assert "kind=turn" in page.url
    press(page, "Why was It listens")
    expect(page.locator(".why li").first).to_be_visible()
    page.goto("/search?q=old+port+closed&kind=turn")
    follow(page, "Read around it")
    expect(page.locator(".turn.this")).to_be_visible()


def test_a_memory_is_confirmed_tagged_linked_rated_deleted_and_each_is_undone(page: Page, jay: Scrubjay) -> None:
    id = jay.add("The chimney is swept in March", kind="fact").memory.id
    page.goto(f"/memories/{id}")
    follow(page, "Confirm")
    expect(page.get_by_role("status")).to_contain_text("Confirmed")
    follow(page, "Undo")
    expect(page.get_by_role("status")).to_contain_text("Undone")
    memory = jay.get(id)
    assert memory is not None and (memory.confirmed_count, memory.confirmed_at) == (0, None)
    press(page, "Tags, title and importance")
    tab_to(page, "Tags, separated by commas")
    page.keyboard.type("house")
    follow(page)
    expect(page.get_by_role("link", name="house")).to_be_visible()
    follow(page, "Undo")
    expect(page.get_by_role("link", name="house")).to_have_count(0)
    press(page, "Link it to another memory")
    tab_to(page, "Id of the other memory")
    page.keyboard.type("1")
    follow(page)
    expect(page.get_by_role("status")).to_contain_text("Linked")
    assert len(jay.links(id)) == 1
    follow(page, "Undo")
    expect(page.get_by_role("status")).to_contain_text("taken away")
    assert jay.links(id) == []
    follow(page, "Undo")
    expect(page.get_by_role("status")).to_contain_text("Linked")
    follow(page, "It was helpful")
    expect(page.get_by_role("status")).to_contain_text("Rated")
    follow(page, "Delete")
    expect(page.get_by_role("status")).to_contain_text("Deleted")
    follow(page, "Undo")
    expect(page.get_by_role("heading", level=1)).to_have_text("The chimney is swept in March")


def test_a_memory_is_forgotten_for_good_after_a_preview(page: Page, jay: Scrubjay) -> None:
    id = jay.add("The lantern hint is oil", kind="fact").memory.id
    page.goto(f"/memories/{id}")
    follow(page, "Forget for good")
    expect(page.get_by_role("main")).to_contain_text("cannot be undone")
    follow(page, "Forget it for good")
    expect(page.get_by_role("heading", level=1)).to_have_text("Forgotten for good")
    assert jay.get(id) is None


def test_something_is_remembered_and_that_is_undone(page: Page, jay: Scrubjay) -> None:
    page.goto("/")
    tab_to(page, "Something to remember")
    page.keyboard.type("The ladder stands in the barn")
    follow(page, "Remember")
    expect(page.get_by_role("status")).to_contain_text("Remembered")
    follow(page, "Undo")
    expect(page.get_by_role("status")).to_contain_text("Deleted")
    assert not any("ladder" in one.text for one in jay.list())


def test_a_conflict_is_kept_as_it_is_and_that_is_undone(page: Page, jay: Scrubjay) -> None:
    (conflict,) = jay.conflicts()
    page.goto("/conflicts")
    follow(page, "Both hold")
    expect(page.get_by_role("status")).to_contain_text("do not contradict")
    assert jay.conflicts() == []
    follow(page, "Undo")
    expect(page.get_by_role("status")).to_contain_text("open to a decision again")
    assert page.url.endswith("/conflicts") and jay.conflicts() == [conflict]


def test_days_conversations_subjects_and_projects_are_opened(page: Page) -> None:
    page.goto("/timeline")
    follow(page, "Day before")
    expect(page.get_by_role("main")).to_contain_text("Deploys run from the main branch")
    for path, name, title in (
        ("/conversations", "Which port", "Which port does the staging server listen at?"),
        ("/subjects", "release", "release"),
        ("/projects", "acme/shop", "acme/shop"),
    ):
        page.goto(path)
        follow(page, name)
        expect(page.get_by_role("heading", level=1)).to_have_text(title)


def test_a_task_is_added_begun_and_put_back(page: Page) -> None:
    page.goto("/tasks")
    tab_to(page, "A new task")
    page.keyboard.type("Mend the fence")
    follow(page)
    follow(page, "Begin: Mend the fence")
    expect(page.get_by_role("region", name="In progress")).to_contain_text("Mend the fence")
    follow(page, "Undo")
    expect(page.get_by_role("region", name="To do")).to_contain_text("Mend the fence")


def test_a_contact_is_made_changed_and_deleted_and_each_is_undone(page: Page, jay: Scrubjay) -> None:
    page.goto("/records")
    follow(page, "A new contact")
    expect(page.get_by_label("Name")).to_be_focused()
    page.keyboard.type("Bo Berg")
    follow(page)
    expect(page.get_by_role("heading", level=1)).to_have_text("Bo Berg")
    follow(page, "Change")
    tab_to(page, "Role")
    page.keyboard.type("Gardener")
    follow(page)
    expect(page.get_by_role("status")).to_contain_text("Saved as a new version")
    assert [one.role for one in jay.contacts.list(name="Bo")] == ["Gardener"]
    follow(page, "Undo")
    expect(page.get_by_role("status")).to_contain_text("Undone")
    assert [one.role for one in jay.contacts.list(name="Bo")] == [None]
    follow(page, "Delete")
    expect(page.get_by_role("status")).to_contain_text("Deleted")
    assert jay.contacts.list(name="Bo") == []
    follow(page, "Undo")
    expect(page.get_by_role("status")).to_contain_text("Restored")
    assert [one.name for one in jay.contacts.list(name="Bo")] == ["Bo Berg"]


def test_the_profile_is_changed_and_that_is_undone(page: Page, jay: Scrubjay) -> None:
    page.goto("/records/profile")
    follow(page, "Change user_info.name")
    expect(page.locator("#value")).to_be_focused()
    page.keyboard.press("Control+A")
    page.keyboard.type("Toni")
    follow(page, "Save")
    expect(page.get_by_role("status")).to_contain_text("new version of the profile")
    assert jay.profile.get("user_info.name") == "Toni"
    follow(page, "Undo")
    expect(page.get_by_role("status")).to_contain_text("Undone")
    assert jay.profile.get("user_info.name") == "Robin"


def test_sources_are_synced(page: Page, home: Path) -> None:
    (home / "notes/third.md").write_text("# Third\n\nThe third note tells of kites.\n")
    page.goto("/sources")
    press(page, "Sync now")
    expect(page.locator("#told")).to_contain_text("Read 1 document")


def test_a_memory_is_looked_after(page: Page, tmp_path: Path, jay: Scrubjay) -> None:
    for name, says in (("Check it", "No damage"), ("What would go", "Nothing would go"), ("Back up now", "Backed up")):
        page.goto("/look-after")
        follow(page, name)
        expect(page.get_by_role("main")).to_contain_text(says)
    page.goto("/look-after")
    with page.expect_download() as started:
        press(page, "Download")
    file = tmp_path / "export.jsonl"
    started.value.save_as(file)
    field = page.locator("#file")
    tab_to(page, "Drop a file here")
    expect(field).to_be_focused()
    field.set_input_files(file)  # the system's own dialog is no part of the page
    expect(page.locator("#outcome")).to_contain_text("Known already")
    press(page, "What would happen?")
    expect(page.locator("#outcome")).to_contain_text("This would happen")


def test_a_token_is_made_and_revoked(page: Page, jay: Scrubjay) -> None:
    page.goto("/tokens")
    tab_to(page, "Name")
    page.keyboard.type("kiosk")
    follow(page, "Make it")
    expect(page.get_by_role("status")).to_contain_text(re.compile("Token kiosk was made"))
    follow(page, "Revoke kiosk")
    expect(page.get_by_role("status")).to_contain_text("revoked")
    assert [one.name for one in jay.tokens.list() if one.revoked_at] == ["kiosk"]


def test_another_space_is_looked_at(page: Page, jay: Scrubjay) -> None:
    jay.lend(space="garden").add("The roses are pruned in March", kind="fact")
    page.goto("/")
    press(page, "default")
    tab_to(page, "Space")
    page.keyboard.press("ArrowDown")
    follow(page, "Look at it")
    expect(page.get_by_role("main")).to_contain_text("The roses are pruned in March")
