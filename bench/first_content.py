"""How long a browser waits for the first content of a page."""

from __future__ import annotations

import shutil

from playwright.sync_api import sync_playwright

from bench.timing import Seconds

__all__ = ["PAGES", "first_content"]

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
PAGES = (
    "/",
    "/search?q=which+window+is+open",
    "/memories/1",
    "/timeline",
    "/subjects",
    "/tasks",
    "/records",
    "/figures",
)
PAINTED = """() => new Promise((seen) => {
    const look = (found) => found.getEntriesByName("first-contentful-paint").forEach((one) => seen(one.startTime));
    new PerformanceObserver(look).observe({ type: "paint", buffered: true });
})"""


def first_content(url: str, secret: str, times: int) -> dict[str, Seconds]:
    """The seconds until each page shows its first text, for so many loads of each."""
    program = next(filter(None, map(shutil.which, PROGRAMS)))
    taken: dict[str, Seconds] = {page: [] for page in PAGES}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        visitor = browser.new_context(base_url=url).new_page()
        visitor.goto("/login")
        visitor.get_by_label("Token").fill(secret)
        visitor.keyboard.press("Enter")
        visitor.wait_for_url("**/")
        for page in PAGES * times:
            visitor.goto(page)
            taken[page].append(float(visitor.evaluate(PAINTED)) / 1000)
        browser.close()
    return taken
