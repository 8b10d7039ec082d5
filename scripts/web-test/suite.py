"""The list of tests, and what they share."""
import functools
import os
import zipfile

from stage import ROOT

PASSWORD = "correct horse battery staple 7"
# Chromium's message about a request that the server refuses, as tests provoke it.
REFUSED = "Failed to load resource"
XSS = "<img src=x onerror=\"window.pwned=1\"><script>window.pwned=1</script>"
# Messages that appear only because pages are drawn without a graphics processor.
IGNORED = ["GPU stall due to ReadPixels"]
TESTS = []


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


def assert_no_barrier(browser):
    """Fails if axe finds a barrier on the page as it is now, wide and light or narrow and dark."""
    for width, dark in [(1440, False), (390, True)]:
        browser.shape(width, 900 if width > 400 else 844, dark)
        browser.calm()
        found = barriers(browser)
        assert not found, (browser.driver.current_url, width, found)
    browser.shape(1440, 900, False)
