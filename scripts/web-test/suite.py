"""The list of tests, and what they share."""
import functools
import os
import re
import urllib.parse
import zipfile

from stage import ROOT

PASSWORD = "correct horse battery staple 7"
# Chromium's message about a request that the server refuses, as tests provoke it.
REFUSED = "Failed to load resource"
XSS = "<img src=x onerror=\"window.pwned=1\"><script>window.pwned=1</script>"
# Messages that appear only because pages are drawn without a graphics processor.
IGNORED = ["GPU stall due to ReadPixels"]
# The shapes in which axe examines pages: width, height, and whether the colours are dark.
SHAPES = [(1440, 900, False), (1440, 900, True), (390, 844, False), (390, 844, True)]
TESTS = []


@functools.cache
def routes():
    """The app's table of routes: the view of each form of addresses."""
    with open(ROOT + "/Sources/Fleet/FleetWeb/Site/routes.js", encoding="utf-8") as file:
        found = dict(re.findall(r'^  "(/[^"]+)": "(\w+)",$', file.read(), re.M))
    assert len(found) > 100, "the table of routes has another form"
    return found


def route_of(address):
    """The form of an address in the table of routes; `None` if no page has the address."""
    parts = urllib.parse.urlsplit(address).path.split("/")[1:]
    return next((form for form in routes() if len(form.split("/")) == len(parts) + 1
                 and all(wanted in (":id", part) for wanted, part in zip(form.split("/")[1:], parts))), None)


def test(function):
    TESTS.append(function)
    return function


@functools.cache
def axe():
    folder = ROOT + "/.tools/web"
    wheel = next(name for name in os.listdir(folder) if name.startswith("axe_playwright"))
    with zipfile.ZipFile(f"{folder}/{wheel}") as archive:
        return archive.read("axe_playwright_python/axe.min.js").decode()


def barriers(browser):
    """The barriers of the page as it is now, found by axe."""
    if not browser.script("return typeof axe !== 'undefined'"):
        browser.script(axe())
    return browser.driver.execute_async_script("""
        const done = arguments[0];
        axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'], resultTypes: ['violations']}).then(
          found => done(found.violations.map(one => one.id + ': ' + one.nodes.map(node => node.target.join(' ') + ' ' + (node.any[0]?.message ?? '')).slice(0, 3).join('; '))),
          error => done(['axe: ' + error]))""")


def cut_states(browser):
    """The texts of states, and of bars of the calendar, that reach out of their cell, line or card."""
    return browser.script("""
        return [...document.querySelectorAll('main .status, main .bar-link')].filter(state => {
          const around = state.closest('td, li, th, h2, .card')?.getBoundingClientRect(), range = document.createRange();
          range.selectNodeContents(state);
          const box = range.getBoundingClientRect();
          return around && box.width > 0 && (box.right > around.right + 1 || box.left < around.left - 1 || state.scrollWidth > state.clientWidth + 1 && getComputedStyle(state).overflowX !== 'visible');
        }).map(state => state.innerText)""")


def assert_no_barrier(browser):
    """Fails if axe finds a barrier on the page as it is now, wide or narrow, light or dark."""
    for width, height, dark in SHAPES:
        browser.shape(width, height, dark)
        browser.calm()
        found = barriers(browser)
        assert not found, (browser.driver.current_url, width, dark, found)
    browser.shape(1440, 900, False)
