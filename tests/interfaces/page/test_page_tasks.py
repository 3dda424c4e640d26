"""What people do on the page, in a real browser: each task once, with the keyboard alone where that matters most."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from scrubjay import Scrubjay
from tests.support.keyboard import focused, tab_to


def test_with_the_keyboard_from_a_search_to_a_memory_to_its_correction_and_back(page: Page, jay: Scrubjay) -> None:
    old = jay.add("The coffee machine takes beans of type Arabica", kind="fact", subject="coffee machine").memory.id
    page.goto("/conflicts")
    page.keyboard.press("/")
    page.keyboard.type("which beans for the coffee machine")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Likely", exact=True)).to_be_visible()
    page.wait_for_load_state()  # the keys work once the scripts of the new page are there
    page.locator("#find").focus()
    page.keyboard.press("ArrowDown")
    assert "Arabica" in focused(page)
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/memories/{old}")
    tab_to(page, "Correct")
    page.keyboard.press("Enter")
    expect(page.locator("#text")).to_be_focused()
    page.keyboard.press("Control+A")
    page.keyboard.type("The coffee machine takes beans of type Robusta")
    page.keyboard.press("Tab")
    page.keyboard.type("the dealer changed")
    page.keyboard.press("Enter")
    expect(page.get_by_role("status")).to_contain_text("Corrected")
    expect(page.locator(".difference del")).to_have_text("Arabica")
    expect(page.locator(".difference ins")).to_have_text("Robusta")
    tab_to(page, "Undo")
    page.keyboard.press("Enter")
    expect(page.get_by_role("status")).to_contain_text("Undone")
    assert page.url.endswith(f"/memories/{old}")
    current = jay.get(old)
    assert current is not None and current.superseded_at is None


def test_results_come_while_you_type_and_say_why_and_what_stands_around(page: Page, jay: Scrubjay) -> None:
    (turn,) = [one for one in jay.list(kinds=["turn"], session="8f2c1a90") if "8443" in one.text]
    shown = turn.shown_count
    page.goto("/search")
    expect(page.locator("#find")).to_be_focused()
    page.keyboard.type("old port closed since the move", delay=10)
    expect(page.locator(".hit").first).to_contain_text("The old port 8080 is closed")
    expect(page).to_have_url(re.compile(r"q=old\+port\+closed\+since\+the\+move$"))
    found = page.locator(".hit", has_text="The old port").first
    found.get_by_text("Why").click()
    expect(found.locator(".why li").first).to_be_visible()
    page.get_by_role("link", name="Only turn", exact=True).click()
    page.wait_for_url("**kind=turn**")
    expect(page.locator(".hit .kind").first).to_have_text("turn")
    page.get_by_role("link", name="Take away the filter turn").click()
    page.wait_for_url(lambda where: "kind" not in where)
    page.locator(".hit", has_text="The old port").first.get_by_role("link", name="Read around it").click()
    expect(page.locator(".turn.this")).to_contain_text("8443")
    assert page.locator(".turn").count() == 4
    jay.add("A write that flushes the counts", kind="note")
    (turn,) = [one for one in jay.list(kinds=["turn"], session="8f2c1a90") if "8443" in one.text]
    assert turn.shown_count <= shown + 3  # typing itself does not count


def test_a_wrong_filter_is_said_where_it_was_typed(page: Page) -> None:
    answer = page.request.get("/search?q=port&since=yesterdayish")
    assert answer.status == 400 and "yesterdayish" in answer.text()


def test_a_memory_is_confirmed_tagged_deleted_and_restored(page: Page, jay: Scrubjay) -> None:
    id = jay.add("The heating is serviced in May", kind="fact").memory.id
    page.goto(f"/memories/{id}")
    page.get_by_role("button", name="Confirm").click()
    expect(page.get_by_role("status")).to_contain_text("Confirmed")
    page.get_by_text("Tags, title and importance").click()
    page.get_by_label("Tags, separated by commas").fill("house, yearly")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("link", name="yearly")).to_be_visible()
    page.get_by_role("button", name="Undo", exact=True).click()
    expect(page.get_by_role("status")).to_contain_text("Undone")
    expect(page.get_by_role("link", name="yearly")).to_have_count(0)
    page.get_by_role("button", name="Delete").click()
    expect(page.get_by_role("status")).to_contain_text("Deleted")
    assert jay.get(id) is None
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("The heating")
    assert jay.get(id) is not None


def test_a_memory_is_forgotten_for_good_only_after_a_preview(page: Page, jay: Scrubjay) -> None:
    id = jay.add("The zebra password hint is stripes", kind="fact").memory.id
    page.goto(f"/memories/{id}")
    page.get_by_role("link", name="Forget for good").click()
    expect(page.get_by_role("main")).to_contain_text("cannot be undone")
    assert jay.get(id) is not None
    page.get_by_role("button", name="Forget it for good").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Forgotten for good")
    assert jay.get(id) is None and id not in {one.memory.id for one in jay.trash.list()}


def test_today_shows_what_came_in_was_given_is_due_and_needs_a_decision(page: Page) -> None:
    page.goto("/")
    main = page.get_by_role("main")
    for text in ("Needs a decision", "Due", "Came in today", "Given to agents", "Renew the certificate"):
        expect(main).to_contain_text(text)
    expect(main).to_contain_text("Claude Code, UserPromptSubmit: 2 memories, 64 tokens")
    expect(page.locator("[dir=auto]", has_text="اجتماع").first).to_be_visible()
    page.get_by_label("Something to remember").fill("The bicycle shed has a new lock")
    page.get_by_role("button", name="Remember").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("The bicycle shed has a new lock")
    expect(page.locator(".provenance")).to_contain_text("Said by the user on this page on")


def test_a_conflict_is_decided_with_the_keyboard_and_undone(page: Page, jay: Scrubjay) -> None:
    (conflict,) = jay.conflicts()
    page.goto("/conflicts")
    tab_to(page, "Keep the newer")
    page.keyboard.press("Enter")
    expect(page.get_by_role("status")).to_contain_text("Decided")
    assert jay.conflicts() == [] and jay.history(conflict.older.id)[0].superseded_by == conflict.newer.id
    tab_to(page, "Undo")
    page.keyboard.press("Enter")
    expect(page.get_by_role("status")).to_contain_text("Undone")
    assert len(jay.conflicts()) == 1


def test_likely_duplicates_are_offered_for_a_decision(page: Page, jay: Scrubjay) -> None:
    jay.add("The garden hose hangs behind the shed door", kind="fact")
    newer = jay.add("The garden hose hangs behind the shed door.", kind="note").memory
    page.goto("/")
    pair = page.locator(".pair", has_text="garden hose")
    expect(pair).to_have_count(1)
    pair.get_by_role("button", name=re.compile("Keep the older")).click()
    expect(page.get_by_role("status")).to_contain_text("Decided")
    assert jay.history(newer.id)[-1].superseded_at is not None


def test_reading_needs_no_scripts(page: Page, url: str) -> None:
    browser = page.context.browser
    assert browser is not None
    plain = browser.new_context(base_url=url, java_script_enabled=False)
    plain.add_cookies(page.context.cookies())  # type: ignore[arg-type]
    reader = plain.new_page()
    reader.goto("/search?q=release+day")
    expect(reader.locator(".hit").first).to_contain_text("Thursday")
    reader.locator(".hit a.what").first.click()
    expect(reader.get_by_role("heading", level=1)).to_have_text("The release day is Thursday")
    plain.close()


def test_a_memory_of_ten_thousand_lines_is_shown_in_parts(page: Page, jay: Scrubjay) -> None:
    id = jay.add("\n".join(f"Line {number} of a long log" for number in range(10_000)), kind="note").memory.id
    jay.supersede(id, "\n".join(f"Line {number} of a longer log" for number in range(10_000)))
    page.goto(f"/memories/{id}")
    page.get_by_role("link", name=re.compile("Show the whole text")).press("Enter")  # parts above it may still grow
    expect(page.locator(".block")).to_have_count(100)
    page.keyboard.press("End")
    expect(page.get_by_text("Both texts are too long to compare here.")).to_be_visible()


def test_without_a_memory_the_page_says_what_to_do_first(page: Page, jay: Scrubjay) -> None:
    jay.lend(space="empty").add("gone", kind="note")
    jay.lend(space="empty").delete(jay.lend(space="empty").list()[0].id)
    cookie = next(one for one in page.context.cookies() if one["name"].startswith("scrubjay-"))
    page.context.add_cookies([{**cookie, "name": f"{cookie['name']}-space", "value": "empty"}])  # type: ignore[typeddict-item]
    page.goto("/")
    expect(page.get_by_role("heading", name="Nothing is remembered yet")).to_be_visible()
