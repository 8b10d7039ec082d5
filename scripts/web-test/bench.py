#!/usr/bin/env python3
"""Measures the web app in Chromium: bytes before the first page, first paints over "Slow 4G", and pages of a large fleet.

    scripts/web-test/bench.py [PART…]      paints, lists, map, scroll, memory; without a part: the first three

paints   The pages that people see first, over the Slow 4G of Chromium's developer tools: 1.6 Mbit/s, 150 ms until an answer begins.
         Each of five runs has an empty cache. The figures are medians.
lists    The page of the fleet, and the list of vehicles, which is scrolled from the first to the last one.
map      The live map of 5,000 and of 10,000 vehicles, of which 500 report each second, for 20 s.
scroll   CPU time of the page's main thread for each frame of scrolling a list of VEHICLES (an environment variable; 2,000). It hardly depends on
         other work of the machine. WEB_FOLDERS names folders that web.py has written, with spaces between, which are compared in REPEATS rounds.
memory   The same map of 5,000 vehicles for MINUTES (an environment variable; 60).
"""
import json
import os
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


def paints(runs=5):
    stage = Stage()
    try:
        for name, prepare, path, seen in [
                ("sign-in page", lambda browser: None, "/sign-in", lambda browser: browser.element("#password")),
                ("driver's start page", lambda browser: browser.sign_in("driver"), "/mine", lambda browser: browser.sees("KN-FL 101")),
                ("live map", lambda browser: browser.sign_in("admin"), "/live", lambda browser: browser.element(".canvas[data-ready]"))]:
            row = measure(stage, runs, prepare, path, seen)
            print(json.dumps({
                "page": name, "firstPaint": round(row["first"]), "largestPaint": round(row["largest"]), "scriptBytes": round(row["script"]),
                "bytes": round(row["all"]), "files": round(row["files"])}), flush=True)
    finally:
        stage.close()


def main(*wanted):
    parts = wanted or ("paints", "lists", "map")
    if "paints" in parts:
        paints()
    if "lists" in parts:
        for row in lists(10_000):
            print(json.dumps(row), flush=True)
    if "map" in parts:
        for count in (5_000, 10_000):
            print(json.dumps(crowd(count)), flush=True)
    if "scroll" in parts:
        for row in scroll(int(os.environ.get("VEHICLES", 2_000)), int(os.environ.get("REPEATS", 2)), os.environ.get("WEB_FOLDERS", "").split() or [None]):
            print(json.dumps(row), flush=True)
    if "memory" in parts:
        print(json.dumps(crowd(5_000, seconds=60 * int(os.environ.get("MINUTES", 60)))), flush=True)


def heap(browser):
    """The megabytes that the page uses after a collection of garbage."""
    browser.driver.execute_cdp_cmd("HeapProfiler.collectGarbage", {})
    return round(browser.script("return performance.memory.usedJSHeapSize") / 1e6, 1)


def watched(browser):
    """Frames per second, and long tasks, since FRAMES was executed."""
    frames, tasks = browser.script("return [frames_, tasks]")
    return {
        "framesPerSecond": round(len(frames) / (sum(frames) / 1000), 1), "longestFrame": round(max(frames)), "longestTask": round(max(tasks, default=0)),
        "tasksOver100ms": sum(task > 100 for task in tasks)}


def add_vehicles(stage, count):
    for begin in range(0, count, 200):
        rows = "".join(f"ROW-{number:05d},Ford,Transit,KN-FL {number}\n" for number in range(begin, min(count, begin + 200)))
        stage.server.send("POST", "/api/imports?kind=vehicles", ("id,make,model,licencePlate\n" + rows).encode(), headers={"Content-Type": "text/csv"})


# Scrolls by one screen in each frame until the text of the last row is there.
TO_THE_END = """
    const [last, done] = arguments;
    requestAnimationFrame(function step() {
      const main = document.querySelector('main');
      main.scrollBy(0, innerHeight);
      const end = main.clientHeight + main.scrollTop >= main.scrollHeight - 2;
      if (end && document.querySelector('main table').innerText.includes(last)) done();
      else requestAnimationFrame(step);
    });"""
# Scrolls by some px in each of some frames.
STEPS = """
    const [height, frames, done] = arguments;
    const main = document.querySelector('main');
    main.scrollTo(0, 0);
    let frame = 0;
    requestAnimationFrame(function step() {
      main.scrollBy(0, height);
      if (++frame === frames) done(); else requestAnimationFrame(step);
    });"""


def scroll(count, repeats, folders, frames=80):
    """The work of a frame while a long list is scrolled: as with a wheel, faster, and by one screen in each frame."""
    stages, browser = [], None
    try:
        for folder in folders:
            stages.append(Stage(configuration={"web": {"folder": os.path.abspath(folder)}} if folder else None))
            add_vehicles(stages[-1], count)
        for turn in range(repeats):
            for folder, stage in zip(folders, stages):
                browser = Browser(stage)
                browser.sign_in("admin")
                browser.go("/vehicles")
                browser.until(lambda: len(browser.all("main tbody tr")) >= 100, "first rows of the list")
                browser.driver.set_script_timeout(600)
                browser.driver.execute_async_script(TO_THE_END, f"ROW-{count - 1:05d}")
                browser.driver.execute_cdp_cmd("Performance.enable", {"timeDomain": "threadTicks"})
                for name, height in [("wheel", 50), ("fast", 400), ("a screen in each frame", 900)]:
                    before = spent(browser)
                    browser.driver.execute_async_script(STEPS, height, frames)
                    after = spent(browser)
                    yield {"webFolder": folder, "turn": turn + 1, "scrolling": name, "pixelsPerFrame": height, "millisecondsPerFrame": round((after - before) * 1000 / frames, 1),
                           "rowsInPage": len(browser.all("main tbody tr"))}
                browser.close()
                browser = None
    finally:
        if browser:
            browser.close()
        for stage in stages:
            stage.close()


def spent(browser):
    """The CPU time of the page's main thread, s."""
    return next(one["value"] for one in browser.driver.execute_cdp_cmd("Performance.getMetrics", {})["metrics"] if one["name"] == "TaskDuration")


def lists(count):
    """The page of the fleet, and the list of vehicles, of a large fleet."""
    stage = Stage()
    browser = None
    try:
        add_vehicles(stage, count)
        browser = Browser(stage)
        browser.sign_in("admin")
        browser.go("/drivers")
        browser.calm()
        for name, path, seen in [("fleet", "/fleet", lambda: f"{count:,}"[:2] in browser.text() and browser.all(".figures .tile b")), ("first rows of the list", "/vehicles", lambda: len(browser.all("main tbody tr")) >= 100)]:
            browser.script("performance.clearResourceTimings(); window.begun = performance.now()")
            browser.go(path)
            browser.until(seen, name)
            yield {"page": name, "vehicles": count, "shownAfter": round(browser.script("return performance.now() - begun")), "bytes": round(browser.script(
                "return performance.getEntriesByType('resource').filter(file => file.name.includes('/api/')).reduce((sum, file) => sum + file.transferSize, 0)"))}
        before = heap(browser)
        browser.script(FRAMES)
        begun = time.monotonic()
        # As a person scrolls with a wheel, 3,000 px in each second, but faster: a screen in each frame.
        browser.driver.set_script_timeout(600)
        browser.driver.execute_async_script(TO_THE_END, f"ROW-{count - 1:05d}")
        drawn = len(browser.all("main tbody tr"))
        yield {"page": "list, scrolled to the end", "vehicles": count, "seconds": round(time.monotonic() - begun, 1), **watched(browser), "rowsInPage": drawn, "megabytesBefore": before, "megabytes": heap(browser)}
        browser.script("frames_.length = 0; tasks.length = 0")
        browser.driver.execute_async_script("""
            const [done] = arguments;
            let frame = 0;
            requestAnimationFrame(function step() {
              document.querySelector('main').scrollBy(0, frame % 120 < 60 ? -400 : 400);
              if (++frame === 600) done(); else requestAnimationFrame(step);
            });""")
        yield {"page": "list, scrolled up and down", "vehicles": count, **watched(browser), "megabytes": heap(browser)}
    finally:
        if browser:
            browser.close()
        stage.close()


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
        memory = [heap(browser)]
        begun = time.monotonic()
        for second in range(seconds):
            stage.server.send("POST", "/api/telemetry", records(random.sample(range(count), updates), time.time()), headers={"Content-Type": "application/x-ndjson"})
            time.sleep(max(0, begun + second + 1 - time.monotonic()))
            if second % 300 == 299:
                memory.append(heap(browser))
        return {"page": f"live map of {count} vehicles", "seconds": round(time.monotonic() - begun), **watched(browser), "megabytes": [*memory, heap(browser)]}
    finally:
        if browser:
            browser.close()
        stage.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
