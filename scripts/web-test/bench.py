#!/usr/bin/env python3
"""Measures the web app in Chromium: bytes before the first page, and first paints over "Slow 4G".

    scripts/web-test/bench.py [RUNS=5]

Slow 4G is that of Chromium's developer tools: 1.6 Mbit/s, 150 ms until an answer begins. Each run has an empty cache. The figures are medians.
"""
import json
import statistics
import sys

from stage import Browser, Stage

SLOW_4G = {"offline": False, "latency": 150, "downloadThroughput": 1.6e6 / 8, "uploadThroughput": 750e3 / 8}
PAINTS = """
const paint = name => performance.getEntriesByName(name)[0]?.startTime;
const files = performance.getEntriesByType('resource');
const size = kind => files.filter(file => kind.test(file.name)).reduce((sum, file) => sum + file.transferSize, 0);
return {first: paint('first-contentful-paint'), largest: window.largest, script: size(/\\.js$/), all: files.reduce((sum, file) => sum + file.transferSize, 0), files: files.length}"""


def measure(stage, runs, prepare, path, seen):
    found = []
    for _ in range(runs):
        browser = Browser(stage)
        try:
            browser.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {
                "source": "new PerformanceObserver(list => { for (const entry of list.getEntries()) window.largest = entry.startTime; }).observe({type: 'largest-contentful-paint', buffered: true})"})
            prepare(browser)
            browser.driver.execute_cdp_cmd("Network.enable", {})
            browser.driver.execute_cdp_cmd("Network.setBypassServiceWorker", {"bypass": True})
            browser.driver.execute_cdp_cmd("Network.clearBrowserCache", {})
            browser.driver.execute_cdp_cmd("Network.emulateNetworkConditions", SLOW_4G)
            browser.open(path)
            seen(browser)
            found.append(browser.script(PAINTS))
        finally:
            browser.close()
    return {key: statistics.median(one[key] for one in found if one[key] is not None) for key in found[0]}


def main(runs=5):
    stage = Stage()
    try:
        for name, prepare, path, seen in [
                ("sign-in page", lambda browser: None, "/sign-in", lambda browser: browser.element("#password")),
                ("driver's start page", lambda browser: browser.sign_in("driver"), "/mine", lambda browser: browser.sees("KN-FL 101")),
                ("live map", lambda browser: browser.sign_in("admin"), "/live", lambda browser: browser.element(".canvas[data-ready]"))]:
            row = measure(stage, int(runs), prepare, path, seen)
            print(json.dumps({
                "page": name, "firstPaint": round(row["first"]), "largestPaint": round(row["largest"]), "scriptBytes": round(row["script"]),
                "bytes": round(row["all"]), "files": round(row["files"])}), flush=True)
    finally:
        stage.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
