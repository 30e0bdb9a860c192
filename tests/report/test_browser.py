"""The report in real headless Chromium: it opens, sorts, searches, and asks nothing of anyone."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bayesvc as bv

webdriver = pytest.importorskip("selenium.webdriver", reason="the browser tests need selenium")

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
DRIVER = shutil.which("chromedriver")
pytestmark = pytest.mark.skipif(
    CHROMIUM is None or DRIVER is None,
    reason="no Chromium here: apt-get install chromium chromium-driver",
)

ARGUMENTS = [
    "--headless=new",
    "--no-sandbox",
    "--disable-dev-shm-usage",
    "--window-size=1400,900",
    "--host-resolver-rules=MAP * ~NOTFOUND",
]
HOSTILE = [
    "<script>window.__hacked=1</script>",
    "</script><img src=x onerror='window.__hacked=1'>",
    "<b>bold</b> \"quoted\" & <a href='http://evil.example'>link</a>",
    "%{x} $a$ &lt;",
]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for argument in ARGUMENTS:
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(DRIVER))
    yield driver
    driver.quit()


def selection(
    p: int, names: list[str] | None = None, fits: int = 5, method: str | None = "dart-vc"
) -> bv.Selection:
    rates = np.full(p, 0.01)
    rates[: min(4, p)] = [3, 6, 5, 4][: min(4, p)]
    counts = np.random.default_rng(0).poisson(rates, (fits, 40, p))
    return bv.select_from(bv.Draws.from_counts(counts, feature_names=names), method)


def wait(browser: Any, script: str, seconds: float = 60) -> Any:
    """Return what the script gives as soon as it is something."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found = browser.execute_script(script)
        if found:
            return found
        time.sleep(0.05)
    pytest.fail(f"waited {seconds} s for: {script}")


Opener = Callable[..., Any]


@pytest.fixture
def opened(browser: Any, tmp_path: Path) -> Iterator[Opener]:
    """Write and open a report, wait for its pictures; afterwards: nothing said, nothing asked."""

    def open_report(result: Any, charts: int = 3) -> Any:
        path = bv.write_report(result, tmp_path / "report.html", title="A trial")
        browser.get_log("browser")
        browser.get_log("performance")
        browser.get(path.as_uri())
        assert len(browser.find_elements("css selector", ".chart")) == charts
        drawn = "[...document.querySelectorAll('.chart')].every(e => e.querySelector('.point'))"
        wait(browser, f"return {drawn}")
        return browser

    yield open_report
    assert browser.get_log("browser") == []
    assert requested(browser) == {"file"}
    assert browser.execute_script("return performance.getEntriesByType('resource').length") == 0


def requested(browser: Any) -> set[str]:
    """Return the schemes of all addresses that the browser asked for."""
    messages = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    addresses = [
        message["params"]["request"]["url"]
        for message in messages
        if message["method"] == "Network.requestWillBeSent"
    ]
    return {address.partition(":")[0] for address in addresses} - {"data", "blob"}


def names_shown(browser: Any) -> list[str]:
    cells = "return [...document.querySelectorAll('#table tbody th')].map(e => e.textContent)"
    found: list[str] = browser.execute_script(cells)
    return found


def heading(browser: Any, label: str) -> Any:
    from selenium.webdriver.common.by import By

    cells = browser.find_elements(By.CSS_SELECTOR, "#table thead th")
    return next(cell for cell in cells if cell.text.strip().startswith(label))


def press(browser: Any, *keys: str) -> None:
    webdriver.ActionChains(browser).send_keys(*keys).perform()


def test_sorting_by_click(opened: Opener) -> None:
    browser = opened(selection(60))
    assert names_shown(browser)[:4] == ["x1", "x2", "x3", "x0"]
    cell = heading(browser, "Variable")
    button = cell.find_element("css selector", "button")
    button.click()
    assert cell.get_attribute("aria-sort") == "ascending"
    assert names_shown(browser)[:3] == ["x0", "x1", "x2"]
    button.click()
    assert cell.get_attribute("aria-sort") == "descending"
    assert names_shown(browser)[:2] == ["x59", "x58"]
    assert browser.execute_script("return document.querySelectorAll('[aria-sort]').length") == 1


def test_sorting_and_paging_by_keyboard(opened: Opener) -> None:
    from selenium.webdriver.common.keys import Keys

    browser = opened(selection(60))
    rank = heading(browser, "Rank")
    browser.execute_script("document.activeElement.blur(); window.scrollTo(0, 0)")
    for _ in range(60):
        press(browser, Keys.TAB)
        here = browser.switch_to.active_element
        if here.get_attribute("data-column") == "1":
            break
    outline = browser.execute_script("return getComputedStyle(document.activeElement).outlineStyle")
    assert outline == "solid"
    press(browser, Keys.ENTER)
    assert rank.get_attribute("aria-sort") == "ascending"
    press(browser, Keys.SPACE)
    assert rank.get_attribute("aria-sort") == "descending"
    assert "x1" not in names_shown(browser)
    browser.execute_script("document.getElementById('next').focus()")
    press(browser, Keys.ENTER, Keys.ENTER, Keys.ENTER)
    assert names_shown(browser)[-1] == "x1"
    wait(browser, "return document.getElementById('status').textContent.includes('page 3 of 3')")


def test_the_first_stop_skips_to_the_table(opened: Opener) -> None:
    from selenium.webdriver.common.keys import Keys

    browser = opened(selection(10))
    press(browser, Keys.TAB)
    link = browser.switch_to.active_element
    assert link.text == "Skip to the table of all variables"
    press(browser, Keys.ENTER)
    assert browser.switch_to.active_element.get_attribute("id") == "variables"


def test_search_and_filters(opened: Opener) -> None:
    from selenium.webdriver.common.keys import Keys

    browser = opened(selection(60))
    search = browser.find_element("id", "search")
    search.send_keys("X5")
    assert names_shown(browser) == [name for name in names_shown(browser) if "x5" in name]
    assert len(names_shown(browser)) == 11
    wait(browser, "return document.getElementById('status').textContent"
         " === '11 of 60 variables, page 1 of 1'")  # fmt: skip
    search.send_keys("no such thing")
    assert "No variable matches." in browser.find_element("id", "table").text
    search.send_keys(Keys.CONTROL, "a", Keys.BACKSPACE)
    browser.find_element("id", "only").click()
    assert names_shown(browser) == ["x1", "x2", "x3", "x0"]
    assert not heading_shown(browser, "ESS")
    browser.find_element("id", "more").click()
    assert heading_shown(browser, "ESS")


def heading_shown(browser: Any, label: str) -> bool:
    headings = browser.find_elements("css selector", "#table thead th")
    return any(cell.text.strip() == label for cell in headings)


def hover(browser: Any, chart: str, trace: int, point: int) -> str:
    """Point at a mark and return the text of the label."""
    from selenium.webdriver.common.actions.action_builder import ActionBuilder

    place = f"document.querySelectorAll('#{chart} .scatterlayer .trace')[{trace}]"
    # To a place and not to the mark, which the driver would bring into view by scrolling smoothly.
    centre = (
        f"const mark = {place}.querySelectorAll('.point')[{point}];"
        "mark.scrollIntoView({block: 'center', behavior: 'instant'});"
        "const box = mark.getBoundingClientRect();"
        "return [box.x + box.width / 2, box.y + box.height / 2].map(Math.round)"
    )
    found = f"const e = document.querySelector('#{chart} .hoverlayer .hovertext'); return e"
    for _ in range(200):  # the page may still be drawing on a busy machine
        x, y = browser.execute_script(centre)
        actions = ActionBuilder(browser)
        actions.pointer_action.move_to_location(x + 3, y + 3).move_to_location(x, y)
        actions.perform()
        time.sleep(0.15)
        label = browser.execute_script(f"{found} && e.textContent")
        if label:
            return str(label)
    pytest.fail(f"no label at mark {point} of trace {trace} in {chart}")


def test_pointing_at_a_mark_shows_the_name(opened: Opener) -> None:
    names = [f"gene {j}" for j in range(60)]
    browser = opened(selection(60, names))
    assert hover(browser, "scatter", 2, 0).startswith("gene 1")
    assert hover(browser, "scatter", 1, 0).startswith("gene ")


def test_probabilities_are_shown_with_their_threshold(opened: Opener) -> None:
    browser = opened(selection(60, [f"gene {j}" for j in range(60)], method=None))
    assert sorted(names_shown(browser)[:4]) == ["gene 0", "gene 1", "gene 2", "gene 3"]
    assert heading_shown(browser, "P(relevant)")
    assert hover(browser, "scatter", 1, 0) == "threshold 0.5"
    label = hover(browser, "scatter", 3, 0)
    assert label.startswith(names_shown(browser)[0])
    assert "probability of relevance" in label


def test_a_point_of_several_variables_is_named_by_the_first(opened: Opener) -> None:
    browser = opened(selection(3000, [f"gene {j}" for j in range(3000)]))
    sharing = "const count = window.bayesvcReport.charts.scatter.rest.count;"
    place, count = browser.execute_script(
        f"{sharing} const most = Math.max(...count); return [count.indexOf(most), most]"
    )
    label = hover(browser, "scatter", 0, place)
    assert label.startswith("gene ")
    assert f"and {count - 1:,} more about here" in label


def test_hostile_names_stay_text(opened: Opener) -> None:
    names = [*HOSTILE, *(f"n{j}" for j in range(20))]
    browser = opened(selection(24, names))
    assert sorted(names_shown(browser)[:4]) == sorted(HOSTILE)
    label = hover(browser, "scatter", 2, 0)
    assert label.startswith(HOSTILE[1])
    ticks = browser.execute_script(
        "return [...document.querySelectorAll('#spread .ytick')].map(e => e.textContent)"
    )
    assert ticks[3] == HOSTILE[0][:27] + "…"
    assert "%{x} $a$ &lt;" in ticks
    assert browser.execute_script("return document.querySelector('.chart a[href]')") is None
    assert browser.execute_script("return document.querySelector('img')") is None
    assert browser.execute_script("return window.__hacked") is None
    # Even markup that gets in by another way runs nothing.
    browser.execute_script(
        "document.body.insertAdjacentHTML('beforeend', '<p onclick=\"window.__hacked=1\">x</p>');"
        "document.body.lastElementChild.click()"
    )
    assert browser.execute_script("return window.__hacked") is None
    refused = browser.get_log("browser")
    assert all("Content Security Policy" in entry["message"] for entry in refused)


def test_of_twenty_thousand_variables_few_are_drawn(opened: Opener) -> None:
    browser = opened(selection(20_000, [f"gene {j}" for j in range(20_000)]))
    points = "return document.querySelectorAll('.chart .point').length"
    assert browser.execute_script(points) < 700  # with all 20,000 it would take many seconds
    assert browser.execute_script("return document.querySelectorAll('*').length") < 5000
    browser.find_element("id", "search").send_keys("19999")
    assert names_shown(browser) == ["gene 19999"]
    assert len(browser.find_elements("css selector", "#table tbody tr")) == 1


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_colours_follow_the_system(opened: Opener, scheme: str) -> None:
    browser = opened(selection(30))
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    try:
        ground = wait(browser, "return getComputedStyle(document.body).backgroundColor")
        expected = {"light": "rgb(246, 247, 249)", "dark": "rgb(20, 23, 27)"}[scheme]
        assert ground == expected
        colour = {"light": "#d55e00", "dark": "#f07a1f"}[scheme]
        wait(browser, f"return document.getElementById('scatter').data.at(-1).marker.color"
             f" === '{colour}'")  # fmt: skip
    finally:
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


def test_nothing_is_wider_than_a_phone(opened: Opener) -> None:
    browser = opened(selection(40, [f"a_rather_long_name_without_a_space_{j}" for j in range(40)]))
    size = {"width": 390, "height": 800, "deviceScaleFactor": 1, "mobile": True}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    try:
        width = "return document.documentElement.scrollWidth"
        wait(browser, width + " <= 390")
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_print_shows_all_selected_rows_and_no_controls(opened: Opener) -> None:
    browser = opened(selection(60))
    browser.find_element("id", "search").send_keys("x59")
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    browser.execute_script("window.dispatchEvent(new Event('beforeprint'))")
    try:
        assert names_shown(browser) == ["x1", "x2", "x3", "x0"]
        for control in ("search", "next", "copy"):
            assert not browser.find_element("id", control).is_displayed()
        width = browser.execute_script("return document.querySelector('#scatter svg').clientWidth")
        assert width == 660
    finally:
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
        browser.execute_script("window.dispatchEvent(new Event('afterprint'))")
    assert names_shown(browser) == ["x59"]


def test_a_comparison_opens(opened: Opener) -> None:
    draws = selection(30).draws
    several = {name: bv.select_from(draws, f"dart-{name}") for name in ("vc", "mpm")}
    browser = opened(bv.Comparison(several, None), charts=1)
    assert "selected by both methods" in browser.find_element("id", "conclusion").text
    heading(browser, "mpm").find_element("css selector", "button").click()
    assert names_shown(browser)[0] == "x1"
    assert "selected by" in hover(browser, "matrix", 0, 0)


@pytest.mark.parametrize("p", [1, 2])
def test_few_variables(opened: Opener, p: int) -> None:
    browser = opened(selection(p, fits=1), charts=2)
    assert len(names_shown(browser)) == p
