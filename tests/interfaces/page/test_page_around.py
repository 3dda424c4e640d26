"""The rest of what people do on the page: look around, work on tasks and records, sync, look after, give access."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

import scrubjay
from scrubjay import Scrubjay


def test_a_day_of_the_timeline_is_chosen_in_the_picture_and_by_links(page: Page) -> None:
    page.goto("/timeline")
    expect(page.get_by_role("main")).to_contain_text("The release day is Thursday")
    assert page.locator("svg.year rect").count() > 365
    page.get_by_role("link", name="Day before").click()
    expect(page.get_by_role("main")).to_contain_text("Deploys run from the main branch")
    page.locator("svg.year rect:not(.level-0)").last.click()
    page.wait_for_url("**day=*")
    expect(page.get_by_role("main")).to_contain_text("The release day is Thursday")


def test_a_conversation_reads_as_one(page: Page) -> None:
    page.goto("/conversations")
    page.get_by_role("link", name=re.compile("Which port")).click()
    turns = page.locator(".turn")
    expect(turns).to_have_count(4)
    expect(turns.nth(1)).to_contain_text("It listens at port 8443")


def test_a_corrected_turn_is_marked_around_another_and_on_the_timeline(page: Page, jay: Scrubjay) -> None:
    asked, answered = jay.add_exchange("Which port does the dock use?", "It is 9090", session="review")
    new = jay.supersede(answered.memory.id, "The dock uses port 7070").memory
    page.goto(f"/memories/{asked.memory.id}/around")
    expect(page.get_by_role("link", name="corrected since")).to_have_attribute("href", f"/memories/{new.id}")
    page.goto("/timeline")
    row = page.locator(".event").filter(has_text="It is 9090").filter(has_text="turn")
    expect(row).to_contain_text("replaced")


@pytest.mark.parametrize("name", [".", "..", "../timeline", "heron/../../figures", "a/b", "/etc", "50% ?#"])
def test_a_link_leads_to_the_page_of_its_name_whatever_that_is(page: Page, jay: Scrubjay, name: str) -> None:
    jay.add_turns(name, [{"speaker": "Ann", "text": f"Turn {number} of {name}"} for number in range(201)])
    told = jay.add(f"Something about {name}", subject=name, project=name).memory
    page.goto(f"/memories/{told.id}")
    page.get_by_role("main").get_by_role("link", name=name, exact=True).first.click()
    expect(page.get_by_role("region", name="Known now")).to_contain_text(f"Something about {name}")
    page.goto("/projects")
    page.get_by_role("main").get_by_role("link", name=f"{name} 1 memory", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text(name)
    page.goto("/conversations")
    page.get_by_role("main").get_by_role("link", name=name, exact=True).click()
    expect(page.locator(".turn").first).to_contain_text(f"Turn 0 of {name}")
    page.get_by_role("link", name="Later turns").click()
    expect(page.locator(".turn")).to_have_count(1)
    expect(page.locator(".turn")).to_contain_text(f"Turn 200 of {name}")


def test_a_subject_shows_what_is_known_and_how_it_changed(page: Page) -> None:
    page.goto("/subjects")
    page.get_by_role("link", name=re.compile("^release")).click()
    expect(page.get_by_role("region", name="Known now")).to_contain_text("The release day is Thursday")
    expect(page.locator(".difference del")).to_have_text("Tuesday")


def test_a_project_shows_its_newest_memories(page: Page) -> None:
    page.goto("/projects")
    page.get_by_role("link", name=re.compile("^acme.shop")).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("acme/shop")
    expect(page.get_by_role("main")).to_contain_text("Invoices are numbered")
    expect(page.get_by_role("main")).to_contain_text("The shop and its ledger")


def test_a_task_is_added_begun_and_put_back(page: Page, jay: Scrubjay) -> None:
    page.goto("/tasks")
    page.get_by_label("A new task").fill("Water the plants")
    page.get_by_role("button", name="Add").click()
    page.get_by_role("button", name=re.compile("Begin.*Water the plants")).click()
    column = page.get_by_role("region", name="In progress")
    expect(column).to_contain_text("Water the plants")
    page.get_by_role("button", name="Undo").click()
    page.goto("/tasks")
    expect(page.get_by_role("region", name="To do")).to_contain_text("Water the plants")
    assert {task.status for task in jay.tasks.list() if "Water" in task.memory.text} == {"pending"}


def test_a_record_goes_back_to_a_version(page: Page, jay: Scrubjay) -> None:
    (contact,) = jay.contacts.list()
    jay.contacts.update(contact.id, role="Head")
    page.goto("/records")
    expect(page.get_by_role("region", name="Profile")).to_contain_text("Robin")
    page.get_by_role("link", name="Ann Meyer").click()
    page.get_by_role("button", name="Back to version 1").click()
    expect(page.get_by_role("status")).to_contain_text("Saved as a new version")
    assert [one.role for one in jay.contacts.list()] == ["Lead"]


@pytest.mark.parametrize(
    ("noun", "typed", "kept"),
    [
        ("contacts", {"Name": "Kim Lund", "Email": "kim@example.org"}, {"email": "kim@example.org", "type": "work"}),
        ("projects", {"Name": "Barn", "Participants": "ann@example.org"}, {"status": "active", "participants": 1}),
        (
            "skills",
            {"Name": "Tidy", "Instructions": "Tidy up", "Interval minutes": "60", "Required tools": "broom, mop"},
            {"interval_minutes": 60, "trigger": "cron", "required_tools": ("broom", "mop"), "max_steps": 10},
        ),
    ],
)
def test_a_record_is_made_from_what_is_typed(
    page: Page, jay: Scrubjay, noun: str, typed: dict[str, str], kept: dict[str, object]
) -> None:
    page.goto(f"/records/{noun}/new")
    for label, text in typed.items():
        page.get_by_label(re.compile(f"^{label}")).fill(text)
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(typed["Name"])
    (made,) = [one for one in getattr(jay, noun).list() if one.name == typed["Name"]]
    found = {name: getattr(made, name) for name in kept}
    assert {name: len(value) if name == "participants" else value for name, value in found.items()} == kept


def test_what_cannot_be_a_value_is_said_in_one_sentence(page: Page, jay: Scrubjay) -> None:
    (skill,) = [one for one in jay.skills.list() if one.name == "Weekly report"]
    path = f"/records/skills/{skill.id}/change"
    page.goto(path)
    key = page.locator("input[name=key]").last.input_value()
    answer = page.request.post(path, form={"key": key, "plan": "no list"})
    assert answer.status == 400 and "Plan must be a list in JSON, not &#39;no list&#39;." in answer.text()


def test_a_sync_tells_how_far_it_is(page: Page, jay: Scrubjay, home: Path) -> None:
    (home / "notes/second.md").write_text("# Second\n\nThe second note tells of lanterns.\n")
    page.goto("/sources")
    expect(page.get_by_role("main")).to_contain_text("1 file out of date")
    page.get_by_role("button", name="Sync now").click()
    expect(page.locator("#told")).to_contain_text("Read 1 document")
    expect(page.get_by_role("main")).to_contain_text("up to date")
    assert any("lanterns" in one.text for one in jay.list(kinds=["passage"]))


def test_a_memory_is_checked_backed_up_and_cleaned_up_after_a_preview(page: Page, jay: Scrubjay) -> None:
    page.goto("/look-after")
    page.get_by_role("button", name="Check it").click()
    expect(page.get_by_role("main")).to_contain_text("No damage was found")
    page.goto("/look-after")
    page.get_by_role("button", name="Back up now").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Backed up")
    page.goto("/look-after")
    page.get_by_role("link", name="What would go?").click()
    expect(page.get_by_role("main")).to_contain_text("Nothing would go")


def test_an_export_is_dropped_into_another_space_with_the_dry_run_first(
    page: Page, jay: Scrubjay, tmp_path: Path
) -> None:
    page.goto("/look-after")
    with page.expect_download() as started:
        page.get_by_role("link", name="Download the export").click()
    file = tmp_path / started.value.suggested_filename
    started.value.save_as(file)
    with scrubjay.open(tmp_path / "other.db", embedder="none") as other:
        other.add("Something from elsewhere that was never here", kind="fact")
        other.export(tmp_path / "elsewhere.jsonl")
    page.goto("/look-after")
    page.get_by_label("Drop a file here, or choose one").set_input_files(tmp_path / "elsewhere.jsonl")
    expect(page.locator("#outcome")).to_contain_text("This would happen")
    assert not any("elsewhere" in one.text for one in jay.list())
    page.get_by_role("button", name="Import", exact=True).click()
    expect(page.locator("#outcome")).to_contain_text("Imported")
    assert any("elsewhere" in one.text for one in jay.list())
    page.get_by_label("Drop a file here, or choose one").set_input_files(file)
    expect(page.locator("#outcome")).to_contain_text("Known already")


def test_a_token_is_made_shown_once_and_revoked(page: Page, jay: Scrubjay) -> None:
    page.goto("/tokens")
    page.get_by_label("Name").fill("tablet")
    page.get_by_role("button", name="Make it").click()
    secret = page.locator(".first code").inner_text()
    assert jay.tokens.verify(secret) is not None
    page.goto("/tokens")
    expect(page.get_by_role("main")).not_to_contain_text(secret)
    page.get_by_role("button", name="Revoke tablet").click()
    expect(page.get_by_role("status")).to_contain_text("revoked")
    assert jay.tokens.verify(secret) is None


def test_figures_are_drawn_by_the_server(page: Page) -> None:
    page.goto("/search?q=release")
    page.goto("/figures")
    for name in ("after each month", "of each kind", "ever of use", "the last searches took"):
        expect(page.get_by_role("img", name=re.compile(name))).to_be_visible()


def test_clients_are_shown_as_doctor_finds_them(page: Page, home: Path) -> None:
    (home / ".claude").mkdir()
    page.goto("/clients")
    expect(page.get_by_role("region", name="Claude Code")).to_contain_text("Claude Code is not set up")
    expect(page.get_by_role("main")).to_contain_text(re.compile(r"Not on this machine.*Codex", re.DOTALL))
