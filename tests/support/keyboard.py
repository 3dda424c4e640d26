"""Using a page with the keyboard alone."""

from __future__ import annotations

from playwright.sync_api import Page

__all__ = ["focused", "follow", "press", "tab_to"]


def focused(page: Page) -> str:
    """What has the focus, as people name it: by its label, or by its text."""
    found = page.evaluate(
        """() => {
            const one = document.activeElement;
            return one.labels?.[0]?.textContent || one.ariaLabel || one.textContent || one.id;
        }"""
    )
    return " ".join(str(found).split())


def tab_to(page: Page, text: str, most: int = 80) -> None:
    """Press the tab key until something with that text has the focus."""
    for _ in range(most):
        page.keyboard.press("Tab")
        if text in focused(page):
            return
    raise AssertionError(f"The tab key does not lead to {text!r}.")


def press(page: Page, text: str) -> None:
    """Go to something with that text, and press Enter; the page stays."""
    tab_to(page, text)
    page.keyboard.press("Enter")


def follow(page: Page, text: str = "") -> None:
    """Go to something with that text, or stay where the focus is, and press Enter; that leads to another page."""
    if text:
        tab_to(page, text)
    with page.expect_navigation():
        page.keyboard.press("Enter")
