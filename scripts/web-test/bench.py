#!/usr/bin/env python3
"""Measures the web app in Chromium: bytes before the first page, and first paints over "Slow 4G".

    scripts/web-test/bench.py [RUNS=5]

Slow 4G is that of Chromium's developer tools: 1.6 Mbit/s, 150 ms until an answer begins. Each run has an empty cache. The figures are medians.
"""
import json
import random
import statistics
import sys
import time

from stage import Browser, Stage, demo

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
    for count in (5_000, 10_000):
        print(json.dumps(crowd(count)), flush=True)


# What a page reports about its frames: times between them, and tasks longer than 50 ms.
FRAMES = """
window.frames_ = []; window.tasks = [];
new PerformanceObserver(list => { for (const entry of list.getEntries()) tasks.push(entry.duration); }).observe({type: 'longtask'});
let last = performance.now();
requestAnimationFrame(function step(now) { frames_.push(now - last); last = now; requestAnimationFrame(step); });"""


def crowd(count, updates=500, seconds=20):
    """The live map of many vehicles, of which some report each second."""
    stage = Stage()
    browser = None
    try:
        def records(ids, moment):
            return b"".join(json.dumps({
                "type": "telemetry", "id": demo.uuid7(int(moment * 1000), number), "timestamp": demo.text_of(moment), "timeQuality": "gps", "vehicleId": f"CAR-{number:05d}",
                "gatewayId": "bench", "epoch": demo.uuid7(0, 1), "seq": int(moment * 1000) % 1_000_000_000 + number, "speed": number % 90, "rpm": 1500, "heading": number % 360,
                "latitude": 46 + number % 100 * 0.06 + moment % 100 * 1e-4, "longitude": 6 + number // 100 * 0.09}, separators=(",", ":")).encode() + b"\n" for number in ids)

        for begin in range(0, count, 1000):
            stage.server.send("POST", "/api/telemetry", records(range(begin, begin + 1000), time.time()), headers={"Content-Type": "application/x-ndjson"})
        browser = Browser(stage)
        browser.sign_in("admin")
        browser.until(lambda: f"of {count + 5} reporting" in browser.text(), "all vehicles")
        browser.settled()
        browser.script(FRAMES)
        begun = time.monotonic()
        for second in range(seconds):
            stage.server.send("POST", "/api/telemetry", records(random.sample(range(count), updates), time.time()), headers={"Content-Type": "application/x-ndjson"})
            time.sleep(max(0, begun + second + 1 - time.monotonic()))
        frames, tasks, memory = browser.script("return [frames_, tasks, performance.memory.usedJSHeapSize]")
        return {
            "page": f"live map of {count} vehicles", "framesPerSecond": round(len(frames) / (sum(frames) / 1000), 1), "longestTask": round(max(tasks, default=0)),
            "tasksOver100ms": sum(task > 100 for task in tasks), "megabytes": round(memory / 1e6)}
    finally:
        if browser:
            browser.close()
        stage.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
