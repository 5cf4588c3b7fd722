"""The HTML report in a real browser.

Needs Playwright and a Chromium; NUMR_CONFORMANCE_EXPECT_BROWSER=1 makes their absence a failure.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from typing import Any

import pytest
from numr_conformance.report import write
from report_documents import NASTY, OTHER, STRICT

ROWS = "tr[data-row]:visible"


def absent(reason: str) -> Any:
    if os.environ.get("NUMR_CONFORMANCE_EXPECT_BROWSER") == "1":
        pytest.fail(f"the browser test cannot run: {reason}")
    pytest.skip(f"the browser test did not run: {reason}")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    try:
        from playwright.sync_api import sync_playwright
    except ModuleNotFoundError:
        absent("playwright is not installed")
    path = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)
    if path is None:
        absent("there is no chromium on the path")
    with sync_playwright() as playwright:
        # In a container there is no sandbox to be had; the page is our own.
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    return write([STRICT, OTHER], tmp_path_factory.mktemp("report"))[2].as_uri()


@pytest.fixture
def page(browser: Any, address: str) -> Iterator[Any]:
    """The page, opened; at the end it must not have complained nor asked for anything else."""
    page = browser.new_page()
    complaints: list[str] = []
    requests: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("request", lambda request: requests.append(request.url))
    page.goto(address)
    yield page
    assert complaints == []
    assert [url for url in requests if not url.startswith("data:")] == [address]
    page.close()


def functions(page: Any) -> list[str]:
    return page.locator(f"{ROWS} th").all_inner_texts()


def test_rows_are_filtered_by_chapter_status_and_text(page: Any):
    assert functions(page) == ["add", "exp", "sin", "general", "exp"]
    page.select_option("select[name=chapter]", "accuracy")
    assert functions(page) == ["exp"]
    assert page.locator("output").inner_text() == "1 of 5"
    page.get_by_role("button", name="Show all").click()
    page.locator("output", has_text="5 of 5").wait_for()  # without a script, which the page forbids
    page.select_option("select[name=status]", "failing")
    assert functions(page) == ["add", "exp", "sin", "general"]
    page.select_option("select[name=status]", "partial")
    assert functions(page) == ["exp"]
    page.select_option("select[name=status]", "")
    page.fill("input[name=text]", "SIGNAL 11")
    assert functions(page) == ["sin"]
    assert page.locator(".matrix tbody:visible").count() == 1


def test_cell_opens_and_closes_by_keyboard(page: Any):
    page.locator("[data-cell='1-0'] button").focus()
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog")
    text = dialog.inner_text()
    for part in ("exp · strict · cpu", "2 failed, 1 recorded", "exp-small", "exp([7.0])", "1e3"):
        assert part in text
    page.keyboard.press("Escape")
    assert not dialog.is_visible()
    assert page.evaluate("document.activeElement.parentElement.dataset.cell") == "1-0"
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowRight")
    assert page.evaluate("document.activeElement.parentElement.dataset.cell") == "0-1"
    page.keyboard.press("Enter")
    assert NASTY[:40] in dialog.inner_text()  # as text, not as markup
    assert dialog.locator("img").count() == 0
    page.get_by_role("button", name="Close").click()
    assert page.evaluate("document.activeElement.parentElement.dataset.cell") == "0-1"


def test_arrow_keys_pass_hidden_rows_and_empty_cells(page: Any):
    page.select_option("select[name=status]", "failing")
    page.locator("[data-cell='1-0'] button").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement.parentElement.dataset.cell") == "3-0"
    page.keyboard.press("ArrowRight")  # nothing else was checked in this row
    assert page.evaluate("document.activeElement.parentElement.dataset.cell") == "3-0"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_page_fits_a_narrow_screen_in_either_scheme(page: Any, scheme: str):
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": 400, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= 400
    red, *_ = page.evaluate("getComputedStyle(document.body).backgroundColor.match(/\\d+/g)")
    assert (int(red) > 128) == (scheme == "light")


def test_page_is_readable_without_scripts(browser: Any, address: str):
    page = browser.new_page(java_script_enabled=False)
    page.goto(address)
    assert functions(page) == ["add", "exp", "sin", "general", "exp"]
    assert not page.locator("#filters").is_visible()
    assert page.get_by_text("exp([7.0])").is_visible()
    page.locator("[data-cell='1-0'] a").click()
    assert page.url.endswith("#failure-1")
    page.close()
