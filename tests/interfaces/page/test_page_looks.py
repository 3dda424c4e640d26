"""How every page looks: nothing that axe finds, light and dark; no sideways scrolling on a phone; no foreign script.

With PAGE_SCREENSHOTS=FOLDER, pictures of the pages are written there: `make screenshots`.
"""

from __future__ import annotations

import html
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Route

from scrubjay import Scrubjay
from scrubjay.agents.logins import OwnLogins
from tests.support.example_life import hostile

AXE = Path(__file__).parents[3] / ".venv/axe/package/axe.min.js"
SHOWN = {
    "today": "/",
    "search": "/search?q=which+port+does+staging+use",
    "search-empty": "/search",
    "memory": "/memories/{corrected}",
    "correct": "/memories/{corrected}/correct",
    "around": "/memories/{turn}/around",
    "passage": "/memories/{passage}/around",
    "forget": "/memories/{corrected}/forget",
    "conflicts": "/conflicts",
    "timeline": "/timeline",
    "conversations": "/conversations",
    "conversation": "/conversations/8f2c1a90",
    "subjects": "/subjects",
    "subject": "/subjects/release",
    "projects": "/projects",
    "project": "/projects/acme/shop",
    "tasks": "/tasks",
    "records": "/records",
    "record": "/records/contacts/{contact}",
    "record-change": "/records/contacts/{contact}/change",
    "profile": "/records/profile",
    "sources": "/sources",
    "look-after": "/look-after",
    "cleanup": "/look-after/cleanup",
    "figures": "/figures",
    "clients": "/clients",
    "tokens": "/tokens",
}
OVERFLOW = "document.documentElement.scrollWidth > document.documentElement.clientWidth"


@pytest.fixture(scope="module")
def ids(jay: Scrubjay) -> dict[str, int]:
    def newest(**filters: Any) -> int:
        return jay.list(limit=1, **filters)[0].id

    return {
        "corrected": newest(subject="release"), "turn": newest(kinds=["turn"]), "passage": newest(kinds=["passage"]),
        "contact": jay.contacts.list()[0].id,
    }  # fmt: skip


@pytest.fixture
def looked_at(page: Page) -> Iterator[Page]:
    page.add_init_script(path=AXE)
    yield page


def violations(page: Page) -> list[str]:
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")["violations"]
    return [f"{one['id']}: {node['html'][:200]}" for one in found for node in one["nodes"]]


@pytest.mark.parametrize("name", SHOWN)
def test_a_page_can_be_used_by_everybody(looked_at: Page, ids: dict[str, int], phone: Any, name: str) -> None:
    page = looked_at
    wide = page.viewport_size
    assert wide is not None
    page.goto(SHOWN[name].format(**ids))
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        page.set_viewport_size(wide)
        assert violations(page) == []
        picture(page, f"{name}-{scheme}")
        page.set_viewport_size(phone)
        assert not page.evaluate(OVERFLOW)
        picture(page, f"{name}-{scheme}-phone")


def test_the_login_page_too(looked_at: Page) -> None:
    looked_at.context.clear_cookies()
    looked_at.goto("/login")
    assert violations(looked_at) == []
    picture(looked_at, "login-light")


def picture(page: Page, name: str) -> None:
    if folder := os.environ.get("PAGE_SCREENSHOTS"):
        page.screenshot(path=Path(folder) / f"{name}.png")


@pytest.fixture(scope="module")
def planted(jay: Scrubjay, home: Path, ids: dict[str, int]) -> dict[str, int]:
    """What would like to run as a script, by the names of the parts of addresses."""
    id = hostile(jay, home)
    return {**ids, "corrected": id, "turn": jay.list(kinds=["turn"], limit=1)[0].id}


def test_no_text_of_a_memory_runs_as_a_script(page: Page, planted: dict[str, int]) -> None:
    for path in SHOWN.values():
        page.goto(path.format(**planted), wait_until="domcontentloaded")
        assert page.evaluate("window.ran") is None
        assert page.locator("img[src=x]").count() == 0 and "49" not in page.title()
    page.goto("/search?q=window+ran+true")
    assert "<script>" in page.locator(".hit").first.inner_text()
    assert page.evaluate("window.ran") is None


@pytest.mark.parametrize(("path", "scripts"), [("/memories/{corrected}", 6), ("/sources", 0), ("/search?q=ran", 2)])
def test_a_script_that_did_get_into_a_page_is_blocked_by_the_policy(
    browser: Browser, url: str, own: OwnLogins, planted: dict[str, int], path: str, scripts: int
) -> None:
    """As if nothing were escaped: text, title, tags and the name of a source are put into the page as they are."""

    def unescaped(route: Route) -> None:
        if route.request.resource_type != "document":
            return route.continue_()
        answer = route.fetch()
        return route.fulfill(response=answer, body=html.unescape(answer.text()))

    context = browser.new_context(base_url=url)
    page, said = context.new_page(), list[str]()
    page.goto(f"/login?code={own.link()}")
    page.on("console", lambda message: said.append(message.text))
    page.route("**/*", unescaped)
    page.goto(path.format(**planted))
    assert page.locator("script:not([src])").count() >= scripts and page.locator("img[src=x]").count() > 0
    page.wait_for_load_state("networkidle")
    assert page.evaluate("window.ran") is None
    assert any("Content Security Policy" in one for one in said)
    context.close()
