"""The page in a browser: filters, keys, colours, and no requests to the network."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from gblint.report import html
from tests.browser import open_browser
from tests.report.pages import report

COUNT = 600
Open = Callable[..., Any]

# The texts of a page with less contrast than WCAG AA requires: 4.5, or 3 for large text.
CONTRAST = """() => {
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const rgba = (color) => {
    canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = color; canvas.fillRect(0, 0, 1, 1);
    return Array.from(canvas.getImageData(0, 0, 1, 1).data);
  };
  const linear = (v) => (v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4);
  const light = (c) => c.slice(0, 3).reduce((sum, v, i) => sum + linear(v / 255) * [.2126, .7152, .0722][i], 0);
  const bad = new Set();
  for (const element of document.querySelectorAll('body *')) {
    if (!element.checkVisibility({ contentVisibilityAuto: false }) || element.closest('.skip, .n')) continue;
    if (!Array.from(element.childNodes).some((node) => node.nodeType === 3 && node.data.trim())) continue;
    let behind = element;
    while (behind && rgba(getComputedStyle(behind).backgroundColor)[3] < 255) behind = behind.parentElement;
    const style = getComputedStyle(element);
    const one = light(rgba(style.color)), two = light(rgba(getComputedStyle(behind || document.body).backgroundColor));
    const ratio = (Math.max(one, two) + .05) / (Math.min(one, two) + .05);
    const large = parseFloat(style.fontSize) >= 24;
    const name = `${element.tagName}.${element.className}`;
    if (ratio < (large ? 3 : 4.5)) bad.add(`${name} ${style.color} ${ratio.toFixed(2)}`);
  }
  return Array.from(bad);
}"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A browser of the system, or the one that playwright has installed."""
    with open_browser() as found:
        yield found


@pytest.fixture(scope="module")
def page_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of a large report."""
    folder = tmp_path_factory.mktemp("page")
    made, source, trees = report(folder, COUNT, 20)
    target = folder / "report.html"
    text = html.render(made, source, trees, hidden=2, settings=[("select", "GBL")])
    target.write_text(text, encoding="utf-8", errors="backslashreplace")
    return target


@pytest.fixture
def opened(browser: Any, page_file: Path) -> Iterator[Open]:
    """A function that opens the page, which must print nothing to the console and request no other URL."""
    contexts, printed, asked = [], [], []

    def open_page(fragment: str = "", width: int = 1300, **options: Any) -> Any:
        context = browser.new_context(viewport={"width": width, "height": 900}, **options)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: printed.append(message.text))
        page.on("pageerror", lambda error: printed.append(str(error)))
        page.on("request", lambda request: asked.append(request.url))
        page.goto(page_file.as_uri() + fragment)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert printed == []
    assert {url.partition("#")[0] for url in asked} <= {page_file.as_uri(), "data:,"}


def shown(page: Any) -> int:
    """Return the number of visible findings."""
    return int(page.locator("#list > li:not([hidden])").count())


def label(page: Any, value: str) -> Any:
    """The label of a choice in the filters."""
    return page.locator("#filters label", has=page.locator(f'input[value="{value}"]'))


def test_filters_leave_what_fits_all_of_them(opened: Open) -> None:
    page = opened()
    assert shown(page) == COUNT + 1
    label(page, "GBL102").click()
    only = shown(page)
    assert only == COUNT // 3 + 1
    assert page.locator("#shown").inner_text() == f"{only} of {COUNT + 1} findings"
    # A choice does not change the counts of the other choices of its filter.
    assert label(page, "GBL101").locator("output").inner_text() != "0"
    label(page, "divergence").click()
    fewer = shown(page)
    assert 0 < fewer < only and label(page, "GBL102").locator("output").inner_text() == str(fewer)
    page.fill("#q", "number 16")
    assert 0 < shown(page) < fewer
    page.fill("#q", "no such words")
    assert shown(page) == 0 and page.locator("#none").is_visible()
    page.click("#clear")
    page.wait_for_function("document.querySelectorAll('#list > li[hidden]').length === 0")
    page.select_option("#file", index=1)
    assert 0 < shown(page) < 100
    page.click("#filters button[type=reset]")
    page.select_option("#entry", "train:other")
    assert shown(page) == COUNT // 2


def test_the_filters_are_in_the_address(opened: Open) -> None:
    page = opened()
    label(page, "GBL201").click()
    page.fill("#q", "number 1")
    page.select_option("#sort", "place")
    page.wait_for_function("location.hash.includes('sort=place')")
    address = page.evaluate("location.hash")
    assert "rule=GBL201" in address and "q=number+1" in address
    other = opened(address)
    assert shown(other) == shown(page) and other.locator("#sort").input_value() == "place"
    assert shown(opened("#rule=GBL999&file=none&sort=x&q=")) == COUNT + 1


def test_a_link_to_a_finding_opens_it(opened: Open) -> None:
    name = opened().locator("#list details").nth(300).get_attribute("id")
    page = opened(f"#{name}")
    assert page.locator(f"#{name}").get_attribute("open") is not None
    assert page.evaluate("document.activeElement.parentElement.id") == name
    page.locator(f"#{name} .body a[href^='#s']").first.click()
    assert page.locator("#source .l.here").is_visible()


def test_findings_are_sorted(opened: Open) -> None:
    page = opened()
    severities = page.evaluate(
        "Array.from(document.querySelectorAll('#list > li')).map((each) => each.dataset.severity)"
    )
    assert severities == sorted(severities, key=["error", "warning", "info"].index)
    page.select_option("#sort", "cost")
    costs = "Array.from(document.querySelectorAll('#list > li')).map((each) => +each.dataset.cost)"
    found = page.evaluate(costs)
    assert found == sorted(found, reverse=True)
    page.select_option("#sort", "rule")
    rules = page.evaluate("Array.from(document.querySelectorAll('#list > li')).map((each) => each.dataset.rule)")
    assert rules == sorted(rules)


def test_filtering_is_quick(opened: Open) -> None:
    page = opened()
    took = page.evaluate("""() => Array.from({ length: 5 }, (_, round) => {
      const start = performance.now();
      document.getElementById('q').value = `number ${round}`;
      document.getElementById('filters').dispatchEvent(new Event('input'));
      document.getElementById('list').getBoundingClientRect();
      return performance.now() - start;
    })""")
    assert min(took) < 100, took


def test_it_is_used_by_keyboard_alone(opened: Open) -> None:
    page = opened()
    focused = "document.activeElement.id || document.activeElement.textContent"
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    assert page.evaluate(focused) == "findings"
    page.keyboard.press("/")
    assert page.evaluate(focused) == "q"
    page.keyboard.type("j number 5")
    page.keyboard.press("Escape")
    assert shown(page) == COUNT + 1
    at = "Array.from(document.querySelectorAll('#list > li')).indexOf(document.activeElement.closest('#list > li'))"
    page.keyboard.press("j")
    page.keyboard.press("j")
    assert page.evaluate(at) == 1
    page.keyboard.press("k")
    assert page.evaluate(at) == 0
    page.keyboard.press("o")
    assert page.locator("#list > li:first-child details[open]").count() == 1
    page.keyboard.press("Enter")
    assert page.locator("#list > li:first-child details[open]").count() == 0
    outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert outline == "solid"


def test_a_picture_is_walked_with_the_arrows_and_leads_to_findings(opened: Open) -> None:
    page = opened()
    page.locator(".tree .h").first.focus()
    assert "called at" in page.locator(".say").first.inner_text()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement.parentElement.classList.contains('x')")
    assert "runs eagerly from line 4" in page.locator(".say").first.inner_text()
    page.keyboard.press("ArrowUp")
    assert page.evaluate("document.activeElement.parentElement.classList.contains('o')")
    page.keyboard.press("End")
    assert "3 breaks in it" in page.locator(".say").first.inner_text()
    page.locator(".tree .x a").first.click()
    assert page.evaluate("document.activeElement.closest('#list details').open")


def test_a_picture_can_be_read_as_text(opened: Open) -> None:
    page = opened()
    page.locator(".astext").first.click()
    assert page.locator(".astext").first.get_attribute("aria-pressed") == "true"
    assert "graph 2: 5 operators, from line 4" in page.locator(".pic").first.inner_text()


def test_the_findings_of_one_entry_point(opened: Open) -> None:
    page = opened()
    button = page.locator('.only[data-entry="train:other"]')
    page.evaluate("document.querySelectorAll('details.entry').forEach((each) => { each.open = true; })")
    button.click()
    page.wait_for_function(f"document.querySelectorAll('#list > li:not([hidden])').length === {COUNT // 2}")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_there_is_contrast_in_light_and_dark(opened: Open, scheme: str) -> None:
    page = opened(color_scheme=scheme)
    page.evaluate("""() => document.querySelectorAll('details').forEach((each, number) => {
      each.open = !each.closest('#list') || number % 50 === 0;
    })""")
    assert page.evaluate(CONTRAST) == []


def test_light_and_dark_are_switched(opened: Open) -> None:
    page = opened(color_scheme="dark")
    color = "getComputedStyle(document.body).backgroundColor"
    dark = page.evaluate(color)
    assert page.locator("#theme").inner_text() == "Light"
    page.click("#theme")
    assert page.evaluate(color) != dark
    page.locator("#summary").focus()
    page.keyboard.press("t")
    assert page.evaluate(color) == dark


@pytest.mark.parametrize("width", [360, 700, 1000])
def test_nothing_sticks_out(opened: Open, width: int) -> None:
    page = opened(width=width)
    page.evaluate(
        "document.querySelectorAll('#list > li:nth-child(-n + 3) details').forEach((d) => { d.open = true; })"
    )
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_it_works_without_javascript(opened: Open) -> None:
    page = opened(java_script_enabled=False)
    assert shown(page) == COUNT + 1
    assert not page.locator("#filters").is_visible() and not page.locator("#theme").is_visible()
    page.locator("#list summary").first.click()
    assert page.locator("#list .body").first.is_visible()


def test_it_is_printed_without_what_is_for_screens(opened: Open) -> None:
    page = opened()
    page.emulate_media(media="print")
    assert not page.locator("#filters").is_visible() and not page.locator(".top").is_visible()
    assert page.locator("#list .body").first.is_visible()
