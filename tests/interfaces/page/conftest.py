"""Fixtures: one browser and one server for each file, and somebody who is logged in."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize, expect, sync_playwright

import scrubjay
from scrubjay import Scrubjay
from scrubjay.agents.logins import OwnLogins
from tests.support.api_server import serving_here
from tests.support.example_life import fill

PATIENCE_MS = 20_000  # for what comes at once on a machine that has nothing else to do
expect.set_options(timeout=PATIENCE_MS)
PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
WIDE, PHONE = ViewportSize(width=1280, height=900), ViewportSize(width=390, height=844)


@pytest.fixture(scope="module", autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A home for all tests of a file: its server reads settings and the log of hooks there."""
    folder = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith("SCRUBJAY_")]:
            patch.delenv(name)
        patch.setenv("SCRUBJAY_HOME", str(folder))
        patch.setenv("HOME", str(folder))
        patch.setenv("SCRUBJAY_SYNC_WATCH", "false")  # a sync begins when a test says so
        yield folder


@pytest.fixture(scope="module")
def jay(home: Path) -> Iterator[Scrubjay]:
    with scrubjay.open(home / "memory.db", embedder="hashing") as jay:
        fill(jay, home)
        yield jay


@pytest.fixture(scope="module")
def own(jay: Scrubjay) -> OwnLogins:
    return OwnLogins(jay.view)


@pytest.fixture(scope="module")
def url(jay: Scrubjay, own: OwnLogins) -> Iterator[str]:
    with serving_here(jay, own=own) as url:
        yield url


@pytest.fixture(scope="module")  # it keeps an event loop running in this thread: other tests must not meet it
def browser() -> Iterator[Browser]:
    program = next(filter(None, map(shutil.which, PROGRAMS)), None)
    if program is None and sys.platform != "linux":
        pytest.skip("There is no Chromium on this machine.")
    assert program, "These tests need Chromium; `make test` installs it where it can."
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def context(browser: Browser, url: str, own: OwnLogins) -> Iterator[BrowserContext]:
    """A browser that is logged in as whoever runs the program; what goes wrong in it fails the test."""
    context = browser.new_context(base_url=url, viewport=WIDE, reduced_motion="reduce")  # colours change at once
    context.set_default_timeout(PATIENCE_MS)
    problems: list[str] = []
    context.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
    context.on("weberror", lambda problem: problems.append(str(problem.error)))
    context.on("request", lambda asked: problems.append(asked.url) if not asked.url.startswith(url) else None)
    context.new_page().goto(f"/login?code={own.link()}")
    yield context
    context.close()
    assert problems == []


@pytest.fixture
def page(context: BrowserContext) -> Page:
    return context.pages[0]


@pytest.fixture
def phone() -> Any:
    return PHONE
